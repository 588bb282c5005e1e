//! Short texts for an agent that asks how to go about something.

/// Topic, one line about it, text.
pub(super) const GUIDES: &[(&str, &str, &str)] = &[
    (
        "editing",
        "Changing files safely.",
        "# Changing files\n\n\
         1. `read(target={symbol})` or `read(operation=\"file\")` first: answers carry the hash that a guard takes.\n\
         2. `edit(target={symbol}, match, replacement, guard={base_sha}, dry_run=true)` shows the difference and writes nothing.\n\
         3. The same call without `dry_run` writes the file whole or not at all, re-indexes it, and answers with hashes before and after.\n\
         4. Several files: `edit(operation=\"batch\", changes=[..])`, one transaction. A name everywhere: `refactor(operation=\"rename\")`.\n\
         5. `change(operation=\"detect\")` says which symbols changed; ask `tests` for what to run.\n\n\
         `stale_base` means that the file changed since it was read: read again and decide again.\n",
    ),
    (
        "errors",
        "Reading a refusal.",
        "# Refusals\n\n\
         A refused call has `isError` and one JSON object: `error_code` (stable), `message`, sometimes `retriable`, and `data` with \
         what is valid: `valid_operations`, `valid_selectors`, `suggested_field`, `candidates`.\n\n\
         `recoverable: true` is no error: nothing of that name is known, or the index is not ready; `suggested_tools` lead on.\n\
         `ambiguous_symbol` lists ids: call again with one of them. `tool_blocked_by_mode` names the way out in `recovery`.\n",
    ),
    (
        "evidence",
        "How sure an edge is.",
        "# How sure an edge is\n\n\
         Every relation has a tier. `lsp_resolved` comes from a compiler's index. `ast_resolved` follows from scopes, imports and declared \
         types and leaves one target. `ast_inferred` follows from an initialiser, an alias, structure, a framework's rule, or is one of \
         several candidates of a dynamic call. `text_matched` is the name alone.\n\n\
         A mention that could not be bound is counted, not dropped: `name_only_candidates` beside an empty list means that somebody may \
         call it, not that nobody does.\n",
    ),
    (
        "loop",
        "From a task to a verified change.",
        "# The loop\n\n\
         `explore(task)` finds where to work. `search`, `read` and `relations` give exact places, source, callers and usages. \
         `change(operation=\"impact\")` says what an edit would reach. `edit` and `refactor` write. `change(operation=\"detect\")`, then \
         `tests`, check what was done.\n\n\
         `capabilities(domain, operation, detail=\"schema\")` gives the exact arguments of anything.\n",
    ),
    (
        "paging",
        "Large answers.",
        "# Large answers\n\n\
         An answer has at most 40,000 bytes unless `output.max_bytes` says otherwise (0 lifts the bound). Counts are totals. A cut \
         answer carries `next_cursor`: send the same call with `output.cursor`. `output.fields` keeps the named keys of each row; \
         `output.limit` sets the rows of a page. A cursor is good for the index it was made from.\n",
    ),
    (
        "selectors",
        "Naming what is meant.",
        "# Naming what is meant\n\n\
         `target` has exactly one of `file`, `symbol`, `symbols`, `query`, `artifact`, `repo`. A symbol is an id \
         (`src/store.go::Disk.Drop`) or a name that only one symbol has; `Type.method` is enough where it is unique. Paths are relative to \
         the repository, with `/`. With several repositories the repository's name stands in front.\n",
    ),
];
