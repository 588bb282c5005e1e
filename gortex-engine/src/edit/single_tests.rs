//! Edits of one file, seen from outside: bytes, modes, hashes and what is left beside.

use super::*;
use crate::edit::testing::{Sandbox, replace, whole};
use crate::edit::{LineRange, Within};
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::sync::atomic::Ordering;

fn guarded<'a>(edit: Edit<'a>, base_sha: &str) -> Edit<'a> {
    Edit { base_sha: Some(base_sha.to_owned()), ..edit }
}

#[track_caller]
fn check_refused(place: &Sandbox, edit: &Edit<'_>, code: &str) {
    assert_eq!(place.run(edit).unwrap_err().code(), code);
    assert_eq!(place.show(edit).unwrap_err().code(), code, "a preview refuses alike");
}

#[test]
fn case_04_a_guard_protects_what_somebody_else_wrote() {
    let place = Sandbox::new(&[("a.py", "x = 1\ny = 2\n")]);
    let old = "7d4290a117a4ddcc11daae7ea675841033830c8f";
    let now = "2c1854573a40224de599dd57077637eb5f882072";
    check_refused(&place, &guarded(whole("a.py", "x = 5\n"), old), "stale_base");
    let error = place.run(&guarded(replace("a.py", "x = 1", "x = 5"), old)).unwrap_err();
    assert!(matches!(&error, EditError::Stale { current: Some(current), .. } if current == now));
    assert_eq!(place.disk("a.py"), "x = 1\ny = 2\n");
    let done = place.run(&guarded(replace("a.py", "x = 1", "x = 5"), now)).unwrap();
    assert_eq!(done.new_sha, git_blob_sha1(place.disk("a.py").as_bytes()));
    assert_eq!(place.disk("a.py"), "x = 5\ny = 2\n");
    assert_eq!(place.listing(), ["a.py"]);
}

#[test]
fn a_guarded_file_that_vanished_is_stale_and_an_unguarded_one_is_missing() {
    let place = Sandbox::new(&[]);
    let sha = "7d4290a117a4ddcc11daae7ea675841033830c8f";
    check_refused(&place, &guarded(replace("a.py", "x", "y"), sha), "stale_base");
    check_refused(&place, &guarded(whole("a.py", "x"), sha), "stale_base");
    check_refused(&place, &replace("a.py", "x", "y"), "file_not_found");
    assert!(place.listing().is_empty());
}

#[test]
fn hashes_chain_from_one_edit_to_the_next_even_through_a_preview() {
    let place = Sandbox::new(&[("a", "one\n")]);
    let shown = place.show(&replace("a", "one", "two")).unwrap();
    let first = place.run(&replace("a", "one", "two")).unwrap();
    assert_eq!(shown.new_sha, first.new_sha);
    assert!(place.run(&guarded(replace("a", "two", "three"), &first.new_sha)).is_ok());
}

#[test]
fn a_preview_shows_everything_and_touches_nothing() {
    let place = Sandbox::new(&[("a", "one\n")]);
    let shown = place.show(&replace("a", "one", "two")).unwrap();
    assert_eq!((shown.status, shown.dry_run, shown.disk_status), (Status::WouldApply, true, "not_applied"));
    assert_eq!(shown.diff.as_deref(), Some("--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+two\n"));
    assert_eq!(place.show(&whole("new/b", "x")).unwrap().status, Status::WouldCreate);
    assert_eq!(place.show(&whole("a", "x")).unwrap().status, Status::WouldOverwrite);
    assert_eq!(place.listing(), ["a"]);
    assert_eq!(place.disk("a"), "one\n");
    assert!(!place.dir.path().join("state").exists(), "not even a lock file");
}

#[test]
fn writing_creates_overwrites_and_leaves_equal_content_alone() {
    let place = Sandbox::new(&[]);
    assert_eq!(place.run(&whole("deep/down/ä.txt", "")).unwrap().status, Status::Created);
    assert_eq!(fs::metadata(place.at("deep/down/ä.txt")).unwrap().permissions().mode() & 0o777, 0o644);
    assert_eq!(place.run(&whole("deep/down/ä.txt", "a\r\nb\n")).unwrap().status, Status::Overwritten);
    assert_eq!(place.disk("deep/down/ä.txt"), "a\r\nb\n");
    let before = fs::metadata(place.at("deep/down/ä.txt")).unwrap().modified().unwrap();
    assert_eq!(place.run(&whole("deep/down/ä.txt", "a\r\nb\n")).unwrap().status, Status::Unchanged);
    assert_eq!(fs::metadata(place.at("deep/down/ä.txt")).unwrap().modified().unwrap(), before);
}

#[test]
fn case_03_the_executable_bit_is_kept() {
    let place = Sandbox::new(&[("run.sh", "#!/bin/sh\necho hi\n")]);
    fs::set_permissions(place.at("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    place.run(&replace("run.sh", "echo hi", "echo ho")).unwrap();
    assert_eq!(fs::metadata(place.at("run.sh")).unwrap().permissions().mode() & 0o777, 0o755);
}

#[test]
fn a_link_inside_the_root_survives_and_its_file_is_written() {
    let place = Sandbox::new(&[("real.txt", "one")]);
    symlink("real.txt", place.at("link.txt")).unwrap();
    let done = place.run(&replace("link.txt", "one", "two")).unwrap();
    assert_eq!((done.path.as_str(), done.target.rel.as_str()), ("link.txt", "real.txt"));
    assert!(place.at("link.txt").symlink_metadata().unwrap().file_type().is_symlink());
    assert_eq!(place.disk("real.txt"), "two");
}

#[test]
fn case_13_a_link_out_of_the_root_is_not_written() {
    let place = Sandbox::new(&[]);
    fs::write(place.dir.path().join("outside.txt"), "TOP-SECRET").unwrap();
    symlink("../outside.txt", place.at("notes.txt")).unwrap();
    symlink("..", place.at("up")).unwrap();
    check_refused(&place, &replace("notes.txt", "TOP", "x"), "path_escape");
    check_refused(&place, &whole("up/new.txt", "x"), "path_escape");
    check_refused(&place, &whole(".git/hooks/pre-commit", "x"), "path_protected");
    assert!(!place.dir.path().join("new.txt").exists());
}

#[test]
fn new_syntax_errors_are_refused_shown_or_allowed() {
    let place = Sandbox::new(&[("a.q", "ok\n")]);
    let edit = replace("a.q", "ok", "what?");
    assert_eq!(place.run(&edit).unwrap_err().code(), "parse_gate_blocked");
    let shown = place.show(&edit).unwrap().parse_gate.unwrap();
    assert_eq!((shown.blocked, shown.old_errors, shown.new_errors), (true, 0, 1));
    assert_eq!(place.disk("a.q"), "ok\n");
    let done = place.run(&Edit { allow_parse_errors: true, ..edit }).unwrap();
    assert!(done.parse_gate.unwrap().overridden);
    // As many errors as before are no reason to refuse.
    assert!(place.run(&replace("a.q", "what?", "when?")).is_ok());
    assert_eq!(place.run(&whole("new/b.q", "?")).unwrap_err().code(), "parse_gate_blocked");
    assert_eq!(place.listing(), ["a.q"]);
    assert_eq!(place.run(&whole("a.txt", "a\0b")).unwrap_err().code(), "parse_gate_blocked");
}

#[test]
fn the_same_request_twice_is_done_once() {
    let place = Sandbox::new(&[("a", "x x\n")]);
    let edit = Edit { mutation_id: Some("k1".to_owned()), ..whole("a", "y\n") };
    let first = place.run(&edit).unwrap();
    fs::write(place.at("a"), "somebody else\n").unwrap();
    let again = place.run(&edit).unwrap();
    assert!(again.replayed && again.new_sha == first.new_sha);
    assert_eq!(place.disk("a"), "somebody else\n");
    let other = Edit { mutation_id: Some("k1".to_owned()), ..whole("a", "z\n") };
    assert_eq!(place.run(&other).unwrap_err().code(), "idempotency_conflict");
    assert_eq!(place.editor.receipt("k1").unwrap().new_sha, first.new_sha);
    // Even when the file is gone the answer is the one that was given.
    fs::remove_file(place.at("a")).unwrap();
    assert!(place.run(&edit).unwrap().replayed);
    // Half an hour later the key is free again.
    place.clock.fetch_add(30 * 60 * 1000, Ordering::SeqCst);
    assert!(place.editor.receipt("k1").is_none());
    assert_eq!(place.run(&other).unwrap().status, Status::Created);
}

#[test]
fn a_refused_request_leaves_its_key_free() {
    let place = Sandbox::new(&[("a", "x\n")]);
    let edit = Edit { mutation_id: Some("k".to_owned()), ..replace("a", "none", "y") };
    assert!(place.run(&edit).is_err());
    assert!(place.run(&Edit { mutation_id: Some("k".to_owned()), ..replace("a", "x", "y") }).is_ok());
}

#[test]
fn keys_are_checked() {
    let place = Sandbox::new(&[("a", "x\n")]);
    for id in [String::new(), "k".repeat(201), "a\nb".to_owned()] {
        check_refused(&place, &Edit { mutation_id: Some(id), ..replace("a", "x", "y") }, "invalid_argument");
    }
    assert!(place.run(&Edit { mutation_id: Some("ü".repeat(200)), ..replace("a", "x", "y") }).is_ok());
}

#[test]
fn evidence_is_read_from_the_disk() {
    let place = Sandbox::new(&[("a", "x\n"), (".env", "KEY=x\n")]);
    let asked = |edit| Edit { physical_evidence: true, ..edit };
    let proof = place.run(&asked(replace("a", "x", "y"))).unwrap().physical_evidence.unwrap();
    assert_eq!(proof.after_sha256, crate::edit::sha256(b"y\n"));
    assert_eq!((proof.byte_count, proof.before_absent, proof.verified_at.as_str()), (2, false, "1970-01-01T00:16:40Z"));
    assert!(place.run(&asked(whole("b", "y"))).unwrap().physical_evidence.unwrap().before_absent);
    assert_eq!(place.show(&asked(replace("a", "y", "z"))).unwrap_err().code(), "invalid_argument");
    assert_eq!(place.run(&asked(replace(".env", "x", "y"))).unwrap_err().code(), "evidence_refused");
    assert_eq!(place.disk(".env"), "KEY=x\n");
}

#[test]
fn a_symbol_is_found_in_the_file_as_it_is_now() {
    let place = Sandbox::new(&[("a", "new line\nfn a() { 1 }\nfn b() { 1 }\n")]);
    // The caller parses what it is given: here a symbol is the line that begins with its name.
    let locate = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let line = text.lines().position(|line| line.starts_with("fn b")).ok_or("it is gone")? as u32 + 1;
        Ok(LineRange { first: line, last: line })
    };
    let within = |symbol: &str| Some(Within { symbol: symbol.to_owned(), locate: &locate });
    let edit = |old: &str, new: &str| {
        let (old, new) = (old.to_owned(), new.to_owned());
        Edit::new("a", Content::Replace { old, new, replace_all: false, expected_occurrences: None, within: within("b") })
    };
    let done = place.run(&edit("1", "2\n")).unwrap();
    assert_eq!((done.start_line, done.lines_before, done.lines_after), (Some(3), Some(1), Some(1)));
    assert_eq!(place.disk("a"), "new line\nfn a() { 1 }\nfn b() { 2\n }\n");
    check_refused(&place, &edit("fn a", "fn c"), "match_not_found");
    fs::write(place.at("a"), "").unwrap();
    check_refused(&place, &edit("1", "2"), "symbol_range_unknown");
}

#[test]
fn a_cancelled_edit_writes_nothing() {
    let place = Sandbox::new(&[("a", "x\n")]);
    let cancelled = || true;
    let context = Context { cancelled: Some(&cancelled), ..Context::new(&place.roots) };
    let result = place.editor.edit(&context, Mode::Commit(&place.authority), &replace("a", "x", "y"));
    assert!(matches!(result, Err(EditError::Cancelled)));
    assert_eq!(place.disk("a"), "x\n");
}

#[test]
fn a_folder_that_refuses_leaves_everything_as_it_was() {
    let place = Sandbox::new(&[("a", "x\n")]);
    // A directory stands where the temporary file goes, so writing it fails even for root.
    fs::create_dir_all(disk::temporary_for(&place.at("new/b")).join("full")).unwrap();
    assert_eq!(place.run(&whole("new/b", "y")).unwrap_err().code(), "io_error");
    assert!(!place.at("new/b").exists());
}

#[test]
fn concurrent_edits_of_one_file_all_arrive() {
    let lines: Vec<String> = (0..16).map(|line| format!("line {line};\n")).collect();
    let lines = lines.concat();
    let place = Sandbox::new(&[("a", &lines)]);
    std::thread::scope(|scope| {
        for line in 0..16 {
            let place = &place;
            scope.spawn(move || place.run(&replace("a", &format!("line {line};"), &format!("done {line};"))).unwrap());
        }
    });
    assert_eq!(place.disk("a"), lines.replace("line", "done"));
}

#[test]
fn a_disk_that_refuses_once_leaves_the_old_or_the_new_file_and_nothing_else() {
    let mut steps = 0;
    loop {
        let place = Sandbox::new(&[("a", "one\n")]);
        let edits = [replace("a", "one", "two"), whole("deep/b", "new")];
        disk::faults::refuse_at(steps);
        let results: Vec<bool> = edits.iter().map(|edit| place.run(edit).is_ok()).collect();
        if disk::faults::clear() {
            assert_eq!(results, [true, true]);
            break;
        }
        assert_eq!(place.disk("a"), if results[0] { "two\n" } else { "one\n" }, "step {steps}");
        assert_eq!(place.at("deep/b").exists(), results[1], "step {steps}");
        let names: &[&str] = if results[1] { &["a", "deep"] } else { &["a"] };
        assert_eq!(place.listing(), names, "step {steps}");
        steps += 1;
    }
    assert!(steps > 6, "only {steps} steps were tried");
}

/// The child process of the test below.
#[test]
fn child() {
    let Ok(folder) = std::env::var("GORTEX_EDIT_TEST_SINGLE") else { return };
    let folder = std::path::PathBuf::from(folder);
    let roots = crate::edit::Roots::new([("repo", folder.join("repo"))]).unwrap();
    let editor = Editor::new(folder.join("state"));
    let authority = editor.authority().unwrap();
    editor.edit(&Context::new(&roots), Mode::Commit(&authority), &replace("a", "one", "two")).unwrap();
}

#[test]
fn a_crash_at_any_step_leaves_the_old_or_the_new_file_and_no_leftovers() {
    let mut seen = std::collections::BTreeSet::new();
    for step in 0..100 {
        let place = Sandbox::new(&[("a", "one\n")]);
        let survived = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "edit::single::tests::child"])
            .env("GORTEX_EDIT_TEST_SINGLE", place.dir.path())
            .env(disk::faults::DIE_AT, step.to_string())
            .output()
            .unwrap()
            .status
            .success();
        place.editor.recover(&place.authority);
        let content = place.disk("a");
        assert!(content == "one\n" || content == "two\n", "step {step}: {content}");
        assert_eq!(place.listing(), ["a"], "step {step}");
        seen.insert(content);
        if survived {
            break;
        }
    }
    assert_eq!(seen.len(), 2, "both outcomes occur");
}
