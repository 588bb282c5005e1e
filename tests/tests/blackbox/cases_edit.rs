//! Cases from the field: editing.

use gortex_tests::{Folder, blob_sha};
use serde_json::{Value, json};

use crate::serve;

fn edit_file(path: &str, old: &str, new: &str) -> Value {
    json!({"target": {"file": path}, "match": old, "replacement": new})
}

// An LF fragment typed by a model was "not found" in a CRLF file, or flipped the rest of the file.
#[test]
fn case_01_an_lf_fragment_edits_a_crlf_file_and_nothing_else() {
    let folder = Folder::new();
    folder.write("notes/crlf.txt", "alpha\r\nbeta\r\ngamma\r\n");
    folder.write("notes/mixed.txt", "one\r\ntwo\nthree\r\nfour\n");
    folder.write("notes/noend.txt", "last line has no end");
    folder.write("notes/bom.txt", b"\xef\xbb\xbfone\r\ntwo\r\n");
    let mut server = serve(&folder);
    let first = server.call("edit", edit_file("notes/crlf.txt", "alpha\nbeta", "alpha\nBETA\nnew")).ok();
    assert_eq!(first.body["eol_normalized"], true, "{}", first.text);
    server.call("edit", edit_file("notes/mixed.txt", "three", "THREE")).ok();
    server.call("edit", edit_file("notes/noend.txt", "no end", "no newline")).ok();
    server.call("edit", edit_file("notes/bom.txt", "one\ntwo", "one\nzwei")).ok();
    assert_eq!(folder.text("notes/crlf.txt"), "alpha\r\nBETA\r\nnew\r\ngamma\r\n");
    assert_eq!(folder.text("notes/mixed.txt"), "one\r\ntwo\nTHREE\r\nfour\n");
    assert_eq!(folder.text("notes/noend.txt"), "last line has no newline");
    assert_eq!(folder.read("notes/bom.txt"), b"\xef\xbb\xbfone\r\nzwei\r\n");
}

// `$1`, `&` and `\n` in the new text were taken as references to the match; dots in `match` matched anything.
#[test]
fn case_02_match_and_replacement_are_text() {
    let folder = Folder::with("//- cost.txt\ncost = SLOT;\npath: a.b(c)\npath: aXb(c)\n");
    let mut server = serve(&folder);
    server.call("edit", edit_file("cost.txt", "SLOT", "$$1 $& $0 ${x} \\1 \\n &")).ok();
    server.call("edit", edit_file("cost.txt", "a.b(c)", "done")).ok();
    assert_eq!(folder.text("cost.txt"), "cost = $$1 $& $0 ${x} \\1 \\n &;\npath: done\npath: aXb(c)\n");
}

// A file in another encoding was decoded lossily and written back whole.
#[test]
fn case_03_bytes_that_are_not_utf8_survive_an_edit_elsewhere() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = Folder::new();
    folder.write("src/latin.c", b"char *s = \"caf\xe9\";\nint n = 1;\n");
    folder.write("src/run.sh", "#!/bin/sh\necho hi\n");
    std::fs::set_permissions(folder.path("src/run.sh"), std::fs::Permissions::from_mode(0o755)).expect("a mode");
    let mut server = serve(&folder);
    let read = server.call("read", json!({"target": {"file": "src/latin.c"}})).ok();
    assert!(
        read.text.contains("8bit") || read.text.to_lowercase().contains("utf-8"),
        "the encoding is not mentioned: {}",
        read.text
    );
    server.call("edit", edit_file("src/latin.c", "int n = 1;", "int n = 2;")).ok();
    server.call("edit", edit_file("src/run.sh", "echo hi", "echo ho")).ok();
    assert_eq!(folder.read("src/latin.c"), b"char *s = \"caf\xe9\";\nint n = 2;\n");
    let mode = std::fs::metadata(folder.path("src/run.sh")).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o755);
}

// Two writers started from the same bytes; the second one overwrote the first and both were told of success.
#[test]
fn case_04_a_guarded_edit_is_refused_when_the_file_has_changed() {
    let folder = Folder::with("//- a.py\nx = 1\n");
    let (old, new) = (blob_sha(b"x = 1\n"), blob_sha(b"x = 1\ny = 2\n"));
    let mut server = serve(&folder);
    server.call("read", json!({"target": {"file": "a.py"}})).ok();
    folder.write("a.py", "x = 1\ny = 2\n");
    let whole = json!({"target": {"file": "a.py"}, "content": "x = 5\n", "guard": {"base_sha": old}});
    let refused = server.call("edit", whole).refused("stale_base");
    assert!(refused.text.contains(&new), "the current hash is missing: {}", refused.text);
    let mut part = edit_file("a.py", "x = 1", "x = 5");
    part["guard"] = json!({"base_sha": old});
    assert!(server.call("edit", part.clone()).refused("stale_base").text.contains(&new));
    assert_eq!(folder.text("a.py"), "x = 1\ny = 2\n");
    part["guard"] = json!({"base_sha": new});
    let done = server.call("edit", part).ok();
    assert_eq!(folder.text("a.py"), "x = 5\ny = 2\n");
    assert_eq!(done.body["new_sha"], blob_sha(&folder.read("a.py")));
    assert_eq!(folder.listing("."), ["a.py"]);
}

// The range of a symbol began at its name: reading lost the decorator, replacing doubled it.
#[test]
fn case_05_decorators_and_attributes_are_part_of_a_symbol() {
    let folder = Folder::with(
        r#"//- src/api.py
import functools

def cached(fn):
    return functools.lru_cache(fn)

@cached
# keeps the last result
def total(items):
    """Adds up."""
    return sum(items)
//- src/lib.rs
/// Adds up.
#[must_use]
#[inline]
pub fn total(items: &[u32]) -> u32 {
    items.iter().sum()
}
"#,
    );
    let mut server = serve(&folder);
    let source = |symbol: &str| json!({"target": {"symbol": symbol}, "context": {"context_lines": 0}});
    let python = server.call("read", source("src/api.py::total")).ok().body;
    assert_eq!((&python["start_line"], &python["end_line"]), (&json!(6), &json!(10)));
    let rust = server.call("read", source("src/lib.rs::total")).ok().body;
    assert!([1, 2].contains(&rust["start_line"].as_u64().unwrap_or(0)), "{rust}");
    assert_eq!(rust["end_line"], 6);
    let edit = |symbol: &str, old: &str, new: &str| json!({"target": {"symbol": symbol}, "match": old, "replacement": new});
    let (old, new) = ("@cached\n# keeps the last result\ndef total(items):", "@cached\ndef total(items, start=0):");
    server.call("edit", edit("src/api.py::total", old, new)).ok();
    server.call("edit", edit("src/lib.rs::total", "#[inline]\n", "")).ok();
    assert_eq!(folder.text("src/api.py").matches("@cached").count(), 1);
    assert!(folder.text("src/api.py").contains("start=0"));
    assert!(!folder.text("src/lib.rs").contains("#[inline]") && folder.text("src/lib.rs").contains("#[must_use]"));
}

// A function bound to a variable inside another one could not be addressed; the edit went to a neighbour of the same body.
#[test]
fn case_06_a_nested_function_is_edited_in_place_and_only_that_one() {
    let folder = Folder::with(
        r#"//- src/Panel.tsx
export const Panel = () => {
  const rows = () => {
    return "one";
  };
  const cells = () => {
    return "one";
  };
  return <div>{rows()}{cells()}</div>;
};
"#,
    );
    let mut server = serve(&folder);
    let found = server.call("search", json!({"operation": "symbols", "query": "cells"})).ok();
    let rows = found.rows();
    let cells =
        rows.iter().find(|row| row["name"] == "cells" && row["start_line"] == 5).unwrap_or_else(|| panic!("{}", found.text));
    let edit = json!({"target": {"symbol": cells["id"]}, "match": "return \"one\";", "replacement": "return \"two\";"});
    server.call("edit", edit).ok();
    let text = folder.text("src/Panel.tsx");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines[5], lines[2], lines.len()), ("    return \"two\";", "    return \"one\";", 9));
}

// The preview told one edit, the run changed four places.
#[test]
fn case_07_the_rename_preview_lists_exactly_what_the_rename_changes() {
    let folder = Folder::with(
        r#"//- src/lib.rs
fn scale(x: u32) -> u32 {
    x * 2
}

pub fn twice() -> u32 {
    scale(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one() {
        assert_eq!(scale(1), 2);
    }

    #[test]
    fn two() {
        println!("scale of {}", scale(2));
    }
}
"#,
    );
    let before = folder.text("src/lib.rs");
    let mut server = serve(&folder);
    let rename = |dry: bool| json!({"operation": "rename", "target": {"symbol": "src/lib.rs::scale"}, "new_name": "double", "dry_run": dry});
    let preview = server.call("refactor", rename(true)).ok();
    assert_eq!(folder.text("src/lib.rs"), before);
    let run = server.call("refactor", rename(false)).ok();
    let lines = |body: &Value| {
        let edits = body["edits"].as_array().cloned().unwrap_or_default();
        let mut lines: Vec<u64> = edits.iter().filter_map(|edit| edit["line"].as_u64()).collect();
        lines.sort_unstable();
        lines
    };
    assert_eq!(lines(&preview.body), [1, 6, 15, 20], "{}", preview.text);
    assert_eq!(lines(&run.body), lines(&preview.body));
    assert_eq!((&preview.body["total_edits"], &run.body["total_edits"]), (&json!(4), &json!(4)));
    let after = folder.text("src/lib.rs");
    assert!(!after.contains("scale(") && after.matches("double(").count() == 4 && after.contains("\"scale of {}\""), "{after}");
    let unproven = preview.body["unproven"].as_array().cloned().unwrap_or_default();
    assert!(unproven.iter().any(|place| place["line"] == 20), "{}", preview.text);
}

// Reading, searching or editing through a link disclosed or changed a file outside the repository.
#[test]
fn case_13_a_link_out_of_the_repository_is_no_way_outside() {
    let folder = Folder::with("//- src/a.py\nx = 1\n");
    folder.write("../outside.txt", "TOP-SECRET-1234\n");
    folder.link("../../outside.txt", "src/notes.txt");
    folder.link("..", "up");
    let mut server = serve(&folder);
    let read = |path: &str| json!({"target": {"file": path}});
    let replies = [
        server.call("read", read("src/notes.txt")),
        server.call("edit", edit_file("src/notes.txt", "1234", "0000")),
        server.call("read", read("up/outside.txt")),
        server.call("edit", json!({"target": {"file": "up/new.txt"}, "content": "x"})),
        server.call("read", read("../outside.txt")),
        server.call("edit", json!({"target": {"file": "../new.txt"}, "content": "x"})),
        server.call("edit", json!({"target": {"file": folder.path("../new.txt").to_string_lossy()}, "content": "x"})),
    ];
    for reply in &replies {
        assert!(reply.is_error, "not refused: {}", reply.text);
        assert!(!reply.text.contains("TOP-SECRET"), "{}", reply.text);
    }
    let found = server.call("search", json!({"operation": "text", "query": "TOP-SECRET"})).ok();
    assert_eq!(found.body["count"], 0, "{}", found.text);
    assert_eq!(folder.text("../outside.txt"), "TOP-SECRET-1234\n");
    assert!(!folder.path("../new.txt").exists());
}

// Nothing may be written by an edit that is refused.
#[test]
fn refused_edits_change_nothing_and_say_what_would_do() {
    let folder = Folder::with("//- src/a.py\ndef one():\n    return 1\n\ndef two():\n    return 1\n");
    let before = Folder::state(&folder.repo);
    let mut server = serve(&folder);
    let none = server.call("edit", edit_file("src/a.py", "return 7", "return 8"));
    assert!(none.is_error, "{}", none.text);
    let many = server.call("edit", edit_file("src/a.py", "return 1", "return 8"));
    assert!(
        many.is_error && many.body["data"]["count"] == 2 && many.body["data"]["lines"] == json!([2, 5]),
        "count and lines are missing: {}",
        many.text
    );
    let unknown = json!({"target": {"symbol": "src/a.py::twoo"}, "match": "return 1", "replacement": "return 8"});
    let unknown = server.call("edit", unknown);
    assert!(unknown.is_error && unknown.text.contains("two"), "no near name: {}", unknown.text);
    let two = json!({"target": {"file": "src/a.py", "symbol": "one"}, "match": "return 1", "replacement": "return 8"});
    assert!(server.call("edit", two).is_error);
    let dry = json!({"target": {"file": "src/a.py"}, "match": "def one", "replacement": "def uno", "dry_run": true});
    server.call("edit", dry).ok();
    assert_eq!(Folder::state(&folder.repo), before);
}

// A batch is one transaction: a conflict in its last item leaves the first unwritten.
#[test]
fn a_batch_happens_completely_or_not_at_all() {
    let folder = Folder::with("//- a.py\nx = 1\n//- b.py\ny = 1\n//- old.py\nz = 1\n");
    let before = Folder::state(&folder.repo);
    let mut server = serve(&folder);
    let item = |path: &str, old: &str, new: &str| json!({"op": "edit_file", "path": path, "old_string": old, "new_string": new});
    let bad = json!({"operation": "batch", "changes": [item("a.py", "x = 1", "x = 2"), item("b.py", "nothing", "y = 2")]});
    let refused = server.call("edit", bad);
    assert!(refused.is_error || refused.text.contains("abort") || refused.text.contains("fail"), "{}", refused.text);
    assert_eq!(Folder::state(&folder.repo), before, "{}", refused.text);
    let good = json!({"operation": "batch", "changes": [
        item("a.py", "x = 1", "x = 2"),
        item("b.py", "y = 1", "y = 2"),
        {"op": "move_file", "source": "old.py", "destination": "new/place.py"},
    ]});
    server.call("edit", good).ok();
    assert_eq!(
        (folder.text("a.py"), folder.text("b.py"), folder.text("new/place.py")),
        ("x = 2\n".into(), "y = 2\n".into(), "z = 1\n".into())
    );
    assert!(!folder.path("old.py").exists());
}

// The graph answered with what it knew before the edit.
#[test]
fn the_graph_follows_an_edit_before_the_edit_answers() {
    let folder = Folder::with("//- a.py\ndef leaf():\n    return 1\n\ndef root():\n    return 2\n");
    let mut server = serve(&folder);
    let callers = json!({"operation": "callers", "target": {"symbol": "a.py::leaf"}});
    assert!(server.call("relations", callers.clone()).ok().callers().is_empty());
    server.call("edit", edit_file("a.py", "return 2", "return leaf()")).ok();
    assert_eq!(server.call("relations", callers).ok().callers(), ["root".to_owned()].into());
    server.call("edit", json!({"target": {"file": "b.py"}, "content": "def größe():\n    return 3"})).ok();
    let found = server.call("search", json!({"operation": "symbols", "query": "größe"})).ok();
    assert!(found.places().contains("b.py:1"), "{}", found.text);
}
