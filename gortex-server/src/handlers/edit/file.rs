//! `edit.file`: exact text for exact text in one file.

use gortex_engine::edit::{Content, Edit};

use super::room::{self, GuardArgs};
use crate::handlers::shared::prelude::*;

/// Arguments of `edit.file`.
#[derive(Debug, Deserialize, JsonSchema, FacadeArgs)]
pub(crate) struct EditFile {
    /// The file: relative to the repository, or absolute inside it.
    #[at(target = "file")]
    path: String,
    /// The text to find, taken literally; it must be unique unless `replace_all` is set.
    #[at(top = "match")]
    old_string: String,
    /// The text to put in its place, taken literally; may be empty.
    #[at(top = "replacement")]
    new_string: String,
    /// Replace every match.
    #[at(options)]
    #[serde(default)]
    replace_all: bool,
    /// Refuse unless there are exactly this many matches; 0 does not check.
    #[at(guard)]
    #[serde(default)]
    expected_occurrences: u32,
    #[serde(flatten)]
    guard: GuardArgs,
}

/// Replaces exact text in one file, guarded and atomic.
#[facade(domain = "edit", op = "file", effect = "local_write")]
async fn edit_file(files: FileWriter, args: Args<EditFile>) -> Answer<Value> {
    let args = args.into_inner();
    files
        .blocking(move |files| {
            if args.old_string.is_empty() {
                return Err(CallError::invalid("`match` is empty").data("field", "match"));
            }
            let content = Content::Replace {
                old: args.old_string,
                new: args.new_string,
                replace_all: args.replace_all,
                expected_occurrences: (args.expected_occurrences > 0).then_some(args.expected_occurrences),
                within: None,
            };
            let mut edit = Edit::new(args.path, content);
            args.guard.guard(&mut edit)?;
            room::run(files, &edit, args.guard.dry_run).map(|(_, answer)| Value::Object(answer))
        })
        .await
}

#[cfg(test)]
mod tests {
    use crate::testing::Fixture;
    use gortex_engine::edit::git_blob_sha1;
    use serde_json::{Value, json};

    fn replace(fixture: &Fixture, file: &str, old: &str, new: &str) -> Value {
        fixture.json("edit", json!({"target": {"file": file}, "match": old, "replacement": new}))
    }

    #[test]
    fn case_01_an_lf_fragment_edits_a_crlf_file() {
        let fixture = Fixture::laid(|root| {
            std::fs::write(root.join("crlf.txt"), "alpha\r\nbeta\r\ngamma\r\n").expect("a file");
            std::fs::write(root.join("mixed.txt"), "one\r\ntwo\nthree\r\nfour\n").expect("a file");
            std::fs::write(root.join("noend.txt"), "last line has no end").expect("a file");
        });
        let answer = replace(&fixture, "crlf.txt", "alpha\nbeta", "alpha\nBETA\nnew");
        assert_eq!(answer["eol_normalized"], true);
        replace(&fixture, "mixed.txt", "three", "THREE");
        replace(&fixture, "noend.txt", "no end", "no newline");
        assert_eq!(fixture.disk("crlf.txt"), b"alpha\r\nBETA\r\nnew\r\ngamma\r\n");
        assert_eq!(fixture.disk("mixed.txt"), b"one\r\ntwo\nTHREE\r\nfour\n");
        assert_eq!(fixture.disk("noend.txt"), b"last line has no newline");
    }

    #[test]
    fn case_02_match_and_replacement_are_text() {
        let fixture = Fixture::new("//- cost.txt\ncost = SLOT;\npath: a.b(c)\npath: aXb(c)\n");
        let odd = "$$1 $& $0 ${x} \\1 \\n &";
        replace(&fixture, "cost.txt", "SLOT", odd);
        replace(&fixture, "cost.txt", "a.b(c)", "done");
        let expected = format!("cost = {odd};\npath: done\npath: aXb(c)\n");
        assert_eq!(fixture.disk("cost.txt"), expected.as_bytes());
    }

    #[test]
    fn case_03_foreign_bytes_survive() {
        let fixture = Fixture::laid(|root| {
            std::fs::write(root.join("latin.c"), b"char *s = \"caf\xe9\";\nint n = 1;\n").expect("a file");
        });
        replace(&fixture, "latin.c", "int n = 1;", "int n = 2;");
        assert_eq!(fixture.disk("latin.c"), b"char *s = \"caf\xe9\";\nint n = 2;\n");
    }

    #[test]
    fn case_04_a_stale_guard_refuses_and_carries_the_current_hash() {
        let fixture = Fixture::new("//- a.py\nx = 1\n");
        let old = git_blob_sha1(b"x = 1\n");
        std::fs::write(fixture.root.join("a.py"), "x = 1\ny = 2\n").expect("a file");
        let now = git_blob_sha1(b"x = 1\ny = 2\n");
        let edit = json!({"target": {"file": "a.py"}, "match": "x = 1", "replacement": "x = 5", "guard": {"base_sha": old}});
        let error = fixture.error("edit", edit);
        assert_eq!((&error["error_code"], &error["data"]["current_sha"]), (&json!("stale_base"), &json!(now)));
        assert_eq!(fixture.disk("a.py"), b"x = 1\ny = 2\n");
        let answer = fixture.json(
            "edit",
            json!({"target": {"file": "a.py"}, "match": "x = 1", "replacement": "x = 5", "guard": {"base_sha": now}}),
        );
        assert_eq!(answer["new_sha"], git_blob_sha1(&fixture.disk("a.py")));
        assert_eq!((&answer["graph_status"], &answer["reindexed"]), (&json!("fresh"), &json!(true)));
    }

    #[cfg(unix)]
    #[test]
    fn case_13_a_link_is_no_way_out() {
        let fixture = Fixture::laid(|root| {
            std::fs::write(root.join("../outside.txt"), "TOP-SECRET-1234\n").expect("a file");
            std::fs::create_dir(root.join("src")).expect("a folder");
            std::os::unix::fs::symlink("../../outside.txt", root.join("src/notes.txt")).expect("a link");
            std::os::unix::fs::symlink("..", root.join("up")).expect("a link");
            std::fs::write(root.join("src/a.py"), "x = 1\n").expect("a file");
        });
        let edit = json!({"target": {"file": "src/notes.txt"}, "match": "1234", "replacement": "0000"});
        let error = fixture.error("edit", edit);
        assert_eq!(error["error_code"], "path_escape");
        assert!(!error.to_string().contains("TOP-SECRET"));
        fixture.error("edit", json!({"target": {"file": "up/new.txt"}, "content": "x"}));
        assert_eq!(fixture.disk("../outside.txt"), b"TOP-SECRET-1234\n");
        assert!(!fixture.root.join("../new.txt").exists());
    }

    #[test]
    fn a_broken_result_is_refused_and_a_preview_says_so() {
        let fixture = Fixture::new("//- a.rs\nfn größe() {}\n");
        let mut edit = json!({"target": {"file": "a.rs"}, "match": "{}", "replacement": "{", "dry_run": true});
        let preview = fixture.json("edit", edit.clone());
        assert_eq!((&preview["parse_gate"]["blocked"], &preview["status"]), (&json!(true), &json!("would_apply")));
        edit["dry_run"] = json!(false);
        assert_eq!(fixture.error("edit", edit.clone())["error_code"], "parse_gate");
        assert_eq!(fixture.disk("a.rs"), "fn größe() {}\n".as_bytes());
        edit["options"] = json!({"allow_parse_errors": true});
        let forced = fixture.json("edit", edit);
        assert_eq!(forced["syntax_health"]["healthy"], false);
    }

    #[test]
    fn several_matches_and_none_tell_where() {
        let fixture = Fixture::new("//- a.txt\nx\nx\nyes\n");
        let edit = |old: &str| json!({"target": {"file": "a.txt"}, "match": old, "replacement": "z"});
        let error = fixture.error("edit", edit("x"));
        assert_eq!((&error["error_code"], &error["data"]["lines"]), (&json!("match_ambiguous"), &json!([1, 2])));
        assert_eq!(fixture.error("edit", edit("nowhere at all"))["error_code"], "match_not_found");
        assert_eq!(fixture.error("edit", edit(""))["error_code"], "invalid_argument");
    }
}
