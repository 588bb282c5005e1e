//! Cases from the field: which files there are, searching and reading them, and what has changed.

use std::fmt::Write as _;

use gortex_tests::Folder;
use serde_json::{Value, json};

use crate::serve;

fn symbols(query: &str) -> Value {
    json!({"operation": "symbols", "query": query})
}

fn paths(body: &Value) -> Vec<String> {
    let files = body["files"].as_array().cloned().unwrap_or_default();
    let mut paths: Vec<String> = files.iter().filter_map(|file| file["path"].as_str()).map(str::to_owned).collect();
    paths.sort();
    paths
}

fn lines(body: &Value) -> Vec<u64> {
    let matches = body["matches"].as_array().cloned().unwrap_or_default();
    let mut lines: Vec<u64> = matches.iter().filter_map(|hit| hit["line"].as_u64()).collect();
    lines.sort_unstable();
    lines
}

// `a|b` was searched literally and answered zero; a broken expression answered zero as well.
#[test]
fn case_08_a_text_search_that_cannot_have_meant_what_it_says_explains_itself() {
    let folder = Folder::with("//- a.py\nmake_row = 1\nRateRow = 2\neither = \"x|y\"\n");
    let mut server = serve(&folder);
    let text = |query: &str, regexp: bool| json!({"operation": "text", "query": query, "options": {"regexp": regexp}});
    let literal = server.call("search", json!({"operation": "text", "query": "make_row|RateRow"})).ok();
    assert_eq!(literal.body["count"], 0);
    assert!(literal.text.contains("regexp"), "{}", literal.text);
    let pattern = server.call("search", text("make_row|RateRow", true)).ok();
    assert_eq!(lines(&pattern.body), [1, 2], "{}", pattern.text);
    assert!(server.call("search", text("make_row|RateRow(", true)).is_error);
    let bar = server.call("search", text("x|y", false)).ok();
    assert_eq!(lines(&bar.body), [3], "{}", bar.text);
}

// One line of machine-made code took most of the memory and filled the head of every answer.
#[test]
fn case_09_a_bundle_neither_wins_a_search_nor_eats_the_memory() {
    let folder = Folder::with("//- src/login.js\nexport function handleLogin(user) {\n  return user.id;\n}\n");
    let mut bundle = String::from("!function(){");
    for at in 0..9000 {
        let _ = write!(bundle, "function f{at}(){{return f{}()}}", (at + 1) % 9000);
    }
    bundle.push_str("function handleLogin(){return f1()}}();\n");
    folder.write("public/app.bundle.js", bundle);
    let mut server = serve(&folder);
    server.call("workspace_admin", json!({"operation": "index", "arguments": {"path": folder.repo.to_string_lossy()}})).ok();
    let found = server.call("search", symbols("handleLogin")).ok();
    assert_eq!(found.rows().first().map(|row| &row["file_path"]), Some(&json!("src/login.js")), "{}", found.text);
    let health = server.call("workspace", json!({"operation": "index"})).ok();
    assert!(health.text.contains("public/app.bundle.js"), "{}", health.text);
    let text = server.call("search", json!({"operation": "text", "query": "function handleLogin(){return f1()}"})).ok();
    assert!(text.text.contains("public/app.bundle.js"), "text search does not see it: {}", text.text);
    assert!(server.peak_mib() < 300, "{} MiB", server.peak_mib());
}

// Names that version control quotes were skipped without a word.
#[test]
fn case_10_files_with_other_names_are_files_like_any_other() {
    let folder =
        Folder::with("//- src/データ/größe.py\nclass Ruta:\n    pass\n//- src/with space/a\"b.py\nclass Tab:\n    pass\n");
    folder.commit_all();
    folder.git(&["config", "core.quotepath", "true"]);
    let mut server = serve(&folder);
    let files = server.call("search", json!({"operation": "files", "query": "größe"})).ok();
    assert_eq!(paths(&files.body), ["src/データ/größe.py"], "{}", files.text);
    assert_eq!(server.call("search", symbols("Ruta")).ok().rows()[0]["file_path"], "src/データ/größe.py");
    assert_eq!(server.call("search", symbols("Tab")).ok().rows()[0]["file_path"], "src/with space/a\"b.py");
    let source = server.call("read", json!({"target": {"symbol": "src/データ/größe.py::Ruta"}})).ok();
    assert!(source.body["source"].as_str().is_some_and(|text| text.contains("class Ruta")), "{}", source.text);
}

// Ignore rules were applied as a set and without anchors.
#[test]
fn case_11_ignore_rules_keep_their_order_and_their_place() {
    let folder = Folder::with("//- .gitignore\n*.log\n!keep/*.log\n/build/*\n!/build/keep.py\ndocs/\n!docs/api.py\n");
    for path in ["a.log", "keep/b.log", "build/x.py", "build/keep.py", "sub/build/x.py", "docs/api.py", "main.py"] {
        folder.write(path, "");
    }
    folder.git(&["init", "-q"]);
    let mut server = serve(&folder);
    let all = server.call("search", json!({"operation": "files", "query": "", "options": {"glob": "**"}})).ok();
    let mut found = paths(&all.body);
    found.retain(|path| path != ".gitignore");
    assert_eq!(found, ["build/keep.py", "keep/b.log", "main.py", "sub/build/x.py"]);
}

// The walk followed a link that leads back up until a path was too long.
#[test]
fn case_12_a_link_to_an_ancestor_does_not_trap_the_indexer() {
    let folder = Folder::with("//- roles/web/main.py\ndef main():\n    pass\n");
    folder.link("../../../web", "roles/web/tests/roles/web");
    folder.link(".", "self");
    folder.link("/", "rootlink");
    folder.link("gone", "dangling");
    let mut server = serve(&folder);
    server.call("workspace_admin", json!({"operation": "index", "arguments": {"path": folder.repo.to_string_lossy()}})).ok();
    let files = server.call("search", json!({"operation": "files", "query": "main.py"})).ok();
    assert_eq!(paths(&files.body), ["roles/web/main.py"]);
    let found = server.call("search", symbols("main")).ok();
    assert_eq!(found.rows().iter().filter(|row| row["name"] == "main").count(), 1, "{}", found.text);
    let health = server.call("workspace", json!({"operation": "index"})).ok();
    assert!(health.text.contains("skipped") || health.text.contains("rootlink"), "skipped links are hidden: {}", health.text);
}

// A checkout leaves a clean tree, so nothing was read again and every answer spoke of the other branch.
#[test]
fn case_29_after_a_branch_switch_the_answers_are_those_of_the_new_branch() {
    let folder = Folder::with(
        "//- src/a.py\ndef old_name():\n    return 1\n\ndef root():\n    return old_name()\n//- src/b.py\ndef gone():\n    return 1\n",
    );
    folder.commit_all();
    folder.git(&["branch", "-M", "main"]);
    folder.git(&["checkout", "-qb", "feature"]);
    folder.write("src/a.py", "def new_name():\n    return 1\n\ndef root():\n    return new_name()\n");
    folder.git(&["rm", "-q", "src/b.py"]);
    folder.git(&["commit", "-qam", "two"]);
    folder.git(&["checkout", "-q", "main"]);
    let mut server = serve(&folder);
    let mut names = |query: &str| {
        let reply = server.call("search", symbols(query)).ok();
        reply.names().iter().map(|name| (*name).to_owned()).collect::<Vec<_>>()
    };
    assert!(names("old_name").contains(&"old_name".to_owned()));
    assert!(names("gone").contains(&"gone".to_owned()));
    folder.git(&["checkout", "-q", "feature"]);
    // Looks at the disk are spaced; a caller that asks for a fresh index gets one.
    server.call("workspace_admin", json!({"operation": "reindex"}));
    let mut names = |query: &str| {
        let reply = server.call("search", symbols(query)).ok();
        reply.names().iter().map(|name| (*name).to_owned()).collect::<Vec<_>>()
    };
    assert!(!names("old_name").contains(&"old_name".to_owned()));
    assert!(names("new_name").contains(&"new_name".to_owned()));
    assert_eq!(server.call("search", json!({"operation": "files", "query": "b.py"})).ok().body["count"], 0);
    let callers = json!({"operation": "callers", "target": {"symbol": "new_name"}});
    assert_eq!(server.call("relations", callers).ok().callers(), ["root".to_owned()].into());
    folder.git(&["checkout", "-q", "main"]);
    server.call("workspace_admin", json!({"operation": "reindex"}));
    assert!(server.call("search", symbols("gone")).ok().names().contains("gone"));
}

// One file made the parser hang or overflow, and the run died without naming it.
#[test]
fn case_30_one_bad_file_is_named_and_the_rest_is_indexed() {
    let folder = Folder::with("//- src/fine.py\ndef fine():\n    return 1\n");
    folder.write("src/zero.py", vec![0; 300_000]);
    folder.write("src/long.tsx", format!("const x = {}\n", "<a>".repeat(20_000)));
    folder.write("src/deep.js", format!("x={}\n", "[".repeat(50_000)));
    folder.write("src/empty.py", "");
    let mut server = serve(&folder);
    let index = json!({"operation": "index", "arguments": {"path": folder.repo.to_string_lossy()}});
    let indexed = server.call("workspace_admin", index).ok();
    assert!(server.call("search", symbols("fine")).ok().names().contains("fine"));
    let health = server.call("workspace", json!({"operation": "index"})).ok();
    let told = format!("{}{}", indexed.text, health.text);
    for path in ["src/zero.py", "src/long.tsx", "src/deep.js"] {
        assert!(told.contains(path), "{path} is not named: {told}");
    }
    let (_, errors) = server.close();
    assert!(!errors.contains("panicked at"), "{errors}");
}

// The first twenty symbols of each changed file were listed; the changed one was missing.
#[test]
fn case_31_changed_symbols_are_those_whose_lines_changed() {
    let mut text = String::new();
    for at in 1..=30 {
        let _ = write!(text, "def f{at:02}(x):\n    return x + {at}\n\n");
    }
    let folder = Folder::new();
    folder.write("src/mod.py", &text);
    folder.write("other/src/mod.py", &text);
    folder.commit_all();
    folder.write("src/mod.py", text.replace("return x + 23\n", "return x - 23\n"));
    let mut server = serve(&folder);
    let detect = json!({"operation": "detect", "options": {"scope": "unstaged"}});
    let found = server.call("change", detect).ok();
    assert_eq!(changed(&found.body), ["src/mod.py::f23"], "{}", found.text);
    let files = found.body["file_changes"].as_array().cloned().unwrap_or_default();
    let files: Vec<(&Value, &Value)> = files.iter().map(|file| (&file["path"], &file["status"])).collect();
    assert_eq!(files, [(&json!("src/mod.py"), &json!("modified"))]);
}

fn changed(body: &Value) -> Vec<String> {
    let symbols = body["changed_symbols"].as_array().cloned().unwrap_or_default();
    symbols.iter().filter_map(|symbol| symbol["id"].as_str()).map(str::to_owned).collect()
}

// A line-end conversion marked everything as changed; colours in the user's settings hid all changes.
#[test]
fn case_32_line_ends_and_personal_settings_do_not_change_what_changed() {
    let folder = Folder::new();
    folder.write("m.py", "def a():\n    return 1\n\ndef b():\n    return 2\n");
    folder.write("größe.py", "def c():\n    return 3\n\ndef d():\n    return 4\n");
    folder.git(&["init", "-q"]);
    folder.git(&["config", "core.autocrlf", "false"]);
    folder.git(&["add", "-A"]);
    folder.git(&["commit", "-qm", "one"]);
    for (key, value) in [("color.ui", "always"), ("diff.noprefix", "true"), ("diff.external", "true"), ("core.quotepath", "true")]
    {
        folder.git(&["config", key, value]);
    }
    folder.write("m.py", "def a():\r\n    return 1\r\n\r\ndef b():\r\n    return 2\r\n");
    folder.write("größe.py", "def c():\n    return 3\n\ndef d():\n    return 5\n");
    let mut server = serve(&folder);
    let found = server.call("change", json!({"operation": "detect", "options": {"scope": "unstaged"}})).ok();
    assert_eq!(changed(&found.body), ["größe.py::d"], "{}", found.text);
    assert!(found.text.contains("m.py"), "{}", found.text);
    assert!(!["HIGH", "CRITICAL"].contains(&found.body["risk"].as_str().unwrap_or("?")), "{}", found.text);
}

// Text was cut at a byte number inside a character, and the panic took other calls along.
#[test]
fn case_39_no_limit_cuts_a_character_in_half() {
    let wide = format!("{}\n", "→日本🏴‍☠️é".repeat(40)).repeat(30);
    let folder = Folder::new();
    folder.write("wide.txt", &wide);
    let mut server = serve(&folder);
    for limit in 1..=400 {
        let reply = server.call("read", json!({"target": {"file": "wide.txt"}, "options": {"max_chars": limit}}));
        is_prefix(&wide, &reply.text, &reply.body, limit);
    }
    for limit in 200..=600 {
        let reply = server.call("read", json!({"target": {"file": "wide.txt"}, "output": {"max_bytes": limit}}));
        is_prefix(&wide, &reply.text, &reply.body, limit);
    }
    let found = server.call("search", json!({"operation": "text", "query": "日本", "options": {"limit": 5}})).ok();
    assert!(!found.text.contains('\u{fffd}'));
    server.call("relations", json!({"operation": "callers", "target": {"symbol": "日本🏴‍☠️".repeat(7)}}));
    server.call("response", json!({"operation": "peek", "arguments": {"lines": 1}}));
    let (_, errors) = server.close();
    assert!(!errors.contains("panicked at"), "{errors}");
}

#[track_caller]
fn is_prefix(whole: &str, text: &str, body: &Value, limit: usize) {
    assert!(!text.contains('\u{fffd}'), "limit {limit}: {text}");
    if let Some(content) = body["content"].as_str() {
        assert!(whole.starts_with(content), "limit {limit}: not a prefix: {content}");
    }
}
