//! `explore.task`: the opening move, from a task to the code that matters for it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use gortex_engine::graph::NodeId;
use gortex_engine::query::localize::{Candidate, Indexes, Localized, Task, localize};
use gortex_engine::query::source;
use gortex_engine::search::text::{Reader, TextQuery};

use super::super::search::search_lines;
use crate::handlers::shared::args::path_filter;
use crate::handlers::shared::prelude::*;

/// Quoted texts looked up in the content.
const LITERALS: usize = 3;
/// Files that a quoted text may occur in and still tell something.
const LITERAL_HITS: usize = 8;
/// Full bodies at most.
const BODIES: usize = 2;
/// Neighbours named each way: the most for which all places fit into their share of the budget.
const NEIGHBOURS: [usize; 4] = [5, 3, 1, 0];
/// The share of the budget that places should leave for source, in percent.
const SOURCE: usize = 25;
/// Files listed.
const FILES: usize = 10;
/// Bytes of a signature shown.
const STUB: usize = 160;

/// Arguments of `explore.task`.
#[derive(Debug, Deserialize, JsonSchema, FacadeArgs)]
pub(crate) struct Explore {
    /// Task, bug report or question; may be a pasted issue.
    #[at(top)]
    task: String,
    /// Symbols to return; 10 when not given, 1 to 30.
    #[at(options)]
    max_symbols: Option<i64>,
    /// Tokens of packed source; 1600 when not given, 1000 to 24000. Places are listed beyond it.
    #[at(options)]
    token_budget: Option<i64>,
    /// Folders or files to narrow to, separated by commas.
    #[at(options)]
    path: Option<String>,
    #[serde(flatten)]
    scope: ScopeArgs,
}

/// Turns a task into a ranked list of the code that matters, with source, callers and callees.
#[facade(domain = "explore", op = "task", effect = "read")]
async fn explore(graph: Graph, args: Args<Explore>) -> Answer<Reply> {
    let args = args.into_inner();
    graph.blocking(move |graph| answer(graph, &args)).await
}

fn answer(graph: &Graph, args: &Explore) -> Answer<Reply> {
    if args.task.trim().is_empty() {
        return Err(CallError::invalid("task is required: it is empty").data("field", "task"));
    }
    if graph.files.is_empty() {
        return Err(CallError::new(Code::Unavailable, "nothing is indexed here").hint(
            "track a folder with workspace_admin(operation=\"track\"), or index with workspace_admin(operation=\"index\")",
        ));
    }
    let most = args.max_symbols.unwrap_or(10).clamp(1, 30) as usize;
    // A token is three and a half bytes, as everywhere.
    let budget = args.token_budget.unwrap_or(1600).clamp(1000, 24_000) as usize * 7 / 2;
    let mut task = Task::of(&args.task);
    task.repo = args.scope.repo_number(graph)?;
    task.paths = path_filter(args.path.as_deref());
    quoted(graph, &mut task);
    let found = localized(graph, &task, most);
    let title: String = args.task.split_whitespace().collect::<Vec<_>>().join(" ");
    let title = &title[..title.floor_char_boundary(200)];
    if found.symbols.is_empty() && found.files.is_empty() {
        return Ok(Reply::text(format!(
            "# {title}\n\nNothing ranked for this task: none of its words occurs in names, documentation or text here.\nTry search(operation=\"text\", query=\"<literal>\") or search(operation=\"files\", query=\"<name>\").\n"
        )));
    }
    Ok(Reply::text(render(graph, &found, title, budget)))
}

/// Where a task probably is.
pub(crate) fn localized(graph: &Graph, task: &Task, most: usize) -> Localized {
    let view = graph.view();
    let engine = graph.engine();
    let indexes = Indexes { symbols: view.symbols(), contents: engine.contents(view), links: view.links() };
    let reader = Reader::default();
    let read = |at: usize| {
        let (repo, rel) = view.split(&graph.files[at].path)?;
        reader.read(&repo.root, rel).ok()
    };
    engine.run(|| localize(graph, indexes, task, most, read))
}

/// Looks up what the task quotes in the content of files.
fn quoted(graph: &Graph, task: &mut Task) {
    let literals: Vec<String> = task
        .shape
        .literals
        .iter()
        .filter(|text| text.len() >= 4 && !text.contains(['*', '\\', '^', '$']) && graph.named(text).is_empty())
        .take(LITERALS)
        .cloned()
        .collect();
    for literal in literals {
        let query = TextQuery { pattern: &literal, limit: LITERAL_HITS + 1, ..TextQuery::default() };
        let Ok((lines, places)) = search_lines(graph, &query, &task.paths, task.repo) else { continue };
        // What stands everywhere tells nothing.
        if lines.matches.len() <= LITERAL_HITS {
            task.quoted.extend(lines.matches.iter().map(|one| (places[one.file], u32::try_from(one.line).unwrap_or(u32::MAX))));
        }
    }
    task.quoted.sort_unstable();
    task.quoted.dedup();
}

fn render(graph: &Graph, found: &Localized, title: &str, budget: usize) -> String {
    let mut out = format!("# {title}\n{}\n## Symbols\n", file_map(graph, found));
    let head = out.len() + 200;
    let places = places(graph, found, (budget * (100 - SOURCE) / 100).saturating_sub(head));
    let fixed = places.iter().map(String::len).sum::<usize>() + head;
    let mut room = budget.saturating_sub(fixed);
    let mut bodies = 0;
    let mut elided = 0;
    for (one, place) in found.symbols.iter().zip(&places) {
        out += place;
        let whole = if bodies < BODIES {
            fenced_source(graph, one.node).filter(|text| text.len() <= (budget / 3).min(room))
        } else {
            None
        };
        let text = match whole {
            Some(text) => {
                bodies += 1;
                Some(text)
            }
            None => {
                elided += 1;
                stub(graph, one.node).filter(|text| text.len() <= room)
            }
        };
        if let Some(text) = text {
            room -= text.len();
            out += &text;
        }
    }
    let count: BTreeSet<usize> = found.symbols.iter().map(|one| graph.file_index(one.node)).collect();
    let _ = write!(
        out,
        "\n{} in {}; ranked by names, words, text and call proximity, not proven complete.",
        counted(found.symbols.len(), "candidate"),
        counted(count.len(), "file")
    );
    if elided > 0 {
        let bodies = if elided == 1 { "body" } else { "bodies" };
        let _ = write!(out, " {elided} {bodies} elided: read(target={{\"symbols\":[ids]}}) returns them.");
    }
    out.push('\n');
    out
}

/// The places of all candidates, with as many neighbours as fit into `room`; how many are not named is told.
fn places(graph: &Graph, found: &Localized, room: usize) -> Vec<String> {
    let with = |most: usize| -> Vec<String> {
        found.symbols.iter().enumerate().map(|(at, one)| place(graph, at + 1, one, most)).collect()
    };
    let mut tried = NEIGHBOURS.into_iter().map(with).skip_while(|places| places.iter().map(String::len).sum::<usize>() > room);
    tried.next().unwrap_or_else(|| with(0))
}

/// The lines that always stand: what, where, who calls it and what it calls.
fn place(graph: &Graph, rank: usize, one: &Candidate, most: usize) -> String {
    let node = one.node;
    let kind = graph.kind(node);
    let (first, last) = graph.def(node).map_or((1, 1), |def| (def.start_line, def.end_line));
    let file = &graph.file_of(node).path;
    let test = if graph.is_test(node) { " [test]" } else { "" };
    let mut out =
        format!("{rank}. {} {} — {file}:{first}-{last}{test}\n   id: {}\n", kind.as_str(), graph.qualified(node), graph.id(node));
    let code: &gortex_engine::graph::Graph = graph;
    let callers: BTreeSet<NodeId> =
        code.incoming(node).filter(|edge| edge.kind().is_call() && edge.from != node).map(|edge| edge.from).collect();
    let callees: BTreeSet<NodeId> =
        graph.out(node).iter().filter(|edge| edge.kind().is_call() && edge.to != node).map(|edge| edge.to).collect();
    for (word, nodes) in [("callers", callers), ("callees", callees)] {
        if nodes.is_empty() {
            continue;
        }
        let mut order: Vec<NodeId> = nodes.into_iter().collect();
        order.sort_by_key(|node| (graph.is_test(*node), *node));
        let names: Vec<String> = order.iter().take(most).map(|other| near(graph, node, *other)).collect();
        let more = match order.len().saturating_sub(most) {
            0 => String::new(),
            all if most == 0 => all.to_string(),
            more => format!(" +{more}"),
        };
        let _ = writeln!(out, "   {word}: {}{more}", names.join(", "));
    }
    out
}

/// A neighbour by its name, with its file's name where that is another.
fn near(graph: &Graph, from: NodeId, node: NodeId) -> String {
    let file = graph.file_of(node);
    let name = graph.qualified(node);
    let line = graph.def(node).map_or(1, |def| def.name_line);
    let base = file.path.rsplit('/').next().unwrap_or(&file.path);
    match (name.is_empty(), file.base == graph.file_of(from).base) {
        (true, _) => file.path.clone(),
        (false, true) => format!("{name}:{line}"),
        (false, false) => format!("{name} ({base}:{line})"),
    }
}

/// The whole source of a symbol in a fence, if the file is still the one that was indexed.
pub(crate) fn fenced_source(graph: &Graph, node: NodeId) -> Option<String> {
    let def = graph.def(node)?;
    let file = graph.file_of(node);
    let roots = graph.engine().roots().ok()?;
    let target = roots.resolve_existing(graph.view().absolute(&file.path)?.to_str()?).ok()?;
    let bytes = std::fs::read(&target.abs).ok().filter(|bytes| file.is_of(bytes))?;
    let text = String::from_utf8_lossy(&bytes);
    let lines: String =
        source::numbered(&text).filter(|(at, _)| (def.start_line..=def.end_line).contains(at)).map(|(_, line)| line).collect();
    Some(fence(graph, node, &lines))
}

/// The signature of a symbol in place of its body.
fn stub(graph: &Graph, node: NodeId) -> Option<String> {
    let def = graph.def(node)?;
    let signature = graph.view_of(node).str(def.signature);
    let shown = &signature[..signature.floor_char_boundary(STUB)];
    let more = if shown.len() < signature.len() { "…" } else { "" };
    (!shown.is_empty()).then(|| format!("   {shown}{more}\n"))
}

fn fence(graph: &Graph, node: NodeId, text: &str) -> String {
    let language = graph.file_of(node).lang.map_or("", |lang| lang.language().name);
    // A fence inside the text must not close this one.
    let mark = if text.contains("```") { "~~~~" } else { "```" };
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("{mark}{language}\n{text}{end}{mark}\n")
}

/// The files to look at, best first, with the symbols that speak for each.
fn file_map(graph: &Graph, found: &Localized) -> String {
    let mut by_file: BTreeMap<usize, Vec<NodeId>> = BTreeMap::new();
    for one in &found.symbols {
        by_file.entry(graph.file_index(one.node)).or_default().push(one.node);
    }
    let mut out = String::from("\n## Files to look at\n");
    for (at, _) in found.files.iter().take(FILES) {
        let symbols = by_file.get(at).map_or(&[][..], Vec::as_slice);
        let names: Vec<String> = symbols
            .iter()
            .map(|node| {
                let (first, last) = graph.def(*node).map_or((1, 1), |def| (def.start_line, def.end_line));
                format!("{} ({first}-{last})", graph.name(*node))
            })
            .collect();
        let dash = if names.is_empty() { "" } else { " — " };
        let _ = writeln!(out, "- {}{dash}{}", graph.files[*at].path, names.join(", "));
    }
    out
}

/// A number of things.
fn counted(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use crate::testing::Fixture;
    use serde_json::json;

    const TREE: &str = "//- src/router.py\nclass Router:\n    \"\"\"Matches urls to handlers.\"\"\"\n    def add_route(self, path):\n        return compile_path(path)\n\ndef compile_path(path):\n    if not path:\n        raise ValueError('empty pattern')\n    return path\n//- src/session.py\nclass Session:\n    def save(self, token):\n        return token\n//- README.md\nRoutes are compiled.\n";

    #[test]
    fn a_task_leads_to_source_and_neighbours() {
        let fixture = Fixture::new(TREE);
        let output = fixture.call("explore", json!({"task": "adding a route compiles its path"}));
        let text = output.text();
        assert!(!output.is_error, "{text}");
        assert!(text.contains("id: src/router.py::Router.add_route"), "{text}");
        assert!(text.contains("callees: compile_path:6"), "{text}");
        assert!(text.contains("- src/router.py — "), "{text}");
        assert!(text.contains("```python\n"), "{text}");
        assert!(text.find("## Files to look at") < text.find("## Symbols"), "{text}");
        assert!(text.len() <= 6500);
    }

    #[test]
    fn a_quoted_message_is_looked_up() {
        let fixture = Fixture::new(TREE);
        let text = fixture.call("explore", json!({"task": "users see \"empty pattern\" in production"})).text();
        let first = text.lines().find(|line| line.starts_with("1. ")).expect("a row").to_owned();
        assert!(first.contains("compile_path"), "{text}");
    }

    #[test]
    fn nothing_ranked_is_said_and_no_task_is_an_error() {
        let fixture = Fixture::new(TREE);
        let text = fixture.call("explore", json!({"task": "zzz qqq"})).text();
        assert!(text.contains("Nothing ranked") && text.contains("search("), "{text}");
        assert!(fixture.call("explore", json!({"task": " "})).is_error);
        let narrow = fixture.call("explore", json!({"task": "save", "options": {"path": "src/router.py"}})).text();
        assert!(!narrow.contains("session.py"), "{narrow}");
    }

    #[test]
    fn the_budget_bounds_source_and_not_places() {
        let body = "    x = 'größe größe größe'\n".repeat(120);
        let tree: Vec<String> =
            (0..12).map(|at| format!("//- m{at}.py\ndef handle_thing_{at}(request):\n{body}    return 1\n")).collect();
        let fixture = Fixture::new(&tree.concat());
        let text = fixture.call("explore", json!({"task": "handle the thing", "options": {"token_budget": 1000}})).text();
        assert_eq!(text.matches("id: m").count(), 10, "{text}");
        assert!(text.len() < 5000 && text.contains("bodies elided"));
    }

    #[test]
    fn numbers_beyond_the_bounds_are_clamped() {
        let fixture = Fixture::new("//- a.py\ndef handle(thing):\n    return thing\n");
        let options = json!({"max_symbols": -3, "token_budget": 9_000_000_000_i64});
        let text = fixture.call("explore", json!({"task": "handle the thing", "options": options})).text();
        assert!(text.contains("a.py::handle") && text.contains("1 candidate in 1 file;"), "{text}");
    }

    /// Files in the order in which an answer lists them.
    fn files(text: &str) -> Vec<&str> {
        let listed = text.lines().skip_while(|line| *line != "## Files to look at").skip(1).take_while(|line| !line.is_empty());
        listed.filter_map(|line| line.strip_prefix("- ")?.split(" — ").next()).collect()
    }

    /// Ids in the order in which an answer lists them.
    fn ids(text: &str) -> Vec<&str> {
        text.lines().filter_map(|line| line.trim().strip_prefix("id: ")).collect()
    }

    const TESTED: &str = "//- src/main/java/Ledger.java\nclass Ledger {\n    long balance(Account account) { return account.sum(); }\n}\n//- src/main/java/Account.java\nclass Account {\n    long sum() { return 0; }\n}\n//- src/test/java/LedgerRoundingTest.java\nclass LedgerRoundingTest {\n    void rounding() { new Ledger().balance(null); }\n}\n//- src/test/java/LedgerTest.java\nclass LedgerTest {\n    void balance() { new Ledger().balance(null); }\n}\n";

    #[test]
    fn a_named_test_leads_to_the_code_under_test() {
        let fixture = Fixture::new(TESTED);
        let text = fixture.call("explore", json!({"task": "this mends LedgerTest, which failed on Mondays"})).text();
        assert_eq!(files(&text)[0], "src/main/java/Ledger.java", "{text}");
        assert!(files(&text).contains(&"src/test/java/LedgerTest.java"), "{text}");
    }

    #[test]
    fn a_task_about_tests_keeps_the_test_first() {
        let fixture = Fixture::new(TESTED);
        let text = fixture.call("explore", json!({"task": "Fix the test LedgerRoundingTest"})).text();
        assert_eq!(files(&text)[0], "src/test/java/LedgerRoundingTest.java", "{text}");
    }

    #[test]
    fn literal_names_keep_their_order_before_words() {
        let tree = "//- a.py\ndef render_page(page):\n    return page\n//- b.py\ndef page_cache_render(page):\n    \"\"\"Renders a page from the page cache of rendered pages.\"\"\"\n    return page\n";
        let text = Fixture::new(tree).call("explore", json!({"task": "render_page drops the cache of a page"})).text();
        assert_eq!(ids(&text)[0], "a.py::render_page", "{text}");
    }

    #[test]
    fn leaves_of_one_name_do_not_fill_the_head() {
        let leaf = |at| format!("//- m{at}.py\nclass Model{at}:\n    timeout = {at}\n");
        let leaves = (0..8).map(leaf).collect::<Vec<String>>().concat();
        let tree =
            format!("{leaves}//- client.py\ndef wait(timeout):\n    \"\"\"Waits for the timeout.\"\"\"\n    return timeout\n");
        let text = Fixture::new(&tree).call("explore", json!({"task": "waiting ignores the timeout"})).text();
        let head: Vec<&str> = ids(&text).into_iter().take(3).collect();
        assert!(head.contains(&"client.py::wait"), "{text}");
        assert!(head.iter().filter(|id| id.ends_with(".timeout")).count() <= 1, "{text}");
    }

    #[test]
    fn generated_files_come_after_the_code_they_serve() {
        let generated = "// Code generated by protoc. DO NOT EDIT.\npackage api\n\nfunc EncodeInvoice(invoice int) int { return invoice }\n\nfunc EncodeInvoiceLine(invoice int) int { return invoice }\n";
        let tree = format!(
            "//- api/invoice.pb.go\n{generated}//- billing/send.go\npackage billing\n\n// Send encodes an invoice.\nfunc SendInvoice(invoice int) int {{ return invoice }}\n"
        );
        let text = Fixture::new(&tree).call("explore", json!({"task": "sending: encode the invoice once"})).text();
        assert_eq!(files(&text)[0], "billing/send.go", "{text}");
    }

    #[test]
    fn an_answer_of_the_default_budget_stays_below_six_kilobytes() {
        let folder = "library/src/main/java/com/example/organisation/serialization/internal";
        let call = |at| format!("        new AdapterFactory{at}().adaptInternalSerializationValue{at}();\n");
        let calls = (0..12).map(call).collect::<Vec<String>>().concat();
        let file = |at| {
            format!(
                "//- {folder}/AdapterFactory{at}.java\nclass AdapterFactory{at} {{\n    /** Adapts. */\n    \
                 void adaptInternalSerializationValue{at}() {{\n{calls}    }}\n}}\n"
            )
        };
        let tree = (0..12).map(file).collect::<Vec<String>>().concat();
        let text = Fixture::new(&tree).call("explore", json!({"task": "adapt the internal serialization value"})).text();
        assert_eq!(ids(&text).len(), 10, "{text}");
        assert!(text.len() <= 6000 && text.contains("callers: 11\n"), "{} {text}", text.len());
    }
}
