//! Transactions seen from outside: all or nothing, under refusals, faults of the disk, and crashes at every step.

use super::super::disk::{self, faults};
use super::super::testing::Sandbox;
use super::super::{Content, LineRange, Within, git_blob_sha1, sha256};
use super::*;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::sync::OnceLock;

fn replace(path: &str, old: &str, new: &str) -> Item<'static> {
    let content = Content::Replace {
        old: old.to_owned(),
        new: new.to_owned(),
        replace_all: false,
        expected_occurrences: None,
        within: None,
    };
    Item::content(path, content)
}

fn whole(path: &str, content: &str) -> Item<'static> {
    Item::content(path, Content::Whole(content.into()))
}

fn move_file(source: &str, destination: &str) -> Item<'static> {
    let op = Op::Move { source: source.to_owned(), destination: destination.to_owned(), expected_sha256: None };
    Item { rank: 0, op }
}

fn delete(path: &str) -> Item<'static> {
    Item { rank: 0, op: Op::Delete { path: path.to_owned(), expected_sha256: None, base_sha: None } }
}

fn guarded(item: Item<'static>, sha: &str) -> Item<'static> {
    let op = match item.op {
        Op::Content { path, content, .. } => Op::Content { path, content, base_sha: Some(sha.to_owned()) },
        Op::Delete { path, expected_sha256, .. } => Op::Delete { path, expected_sha256, base_sha: Some(sha.to_owned()) },
        other @ Op::Move { .. } => other,
    };
    Item { op, ..item }
}

fn batch(id: &str, items: Vec<Item<'static>>) -> Batch<'static> {
    let transaction_id = Some(id.to_owned()).filter(|id| !id.is_empty());
    Batch { transaction_id, items, ..Batch::default() }
}

fn run(sandbox: &Sandbox, batch: &Batch<'_>) -> BatchOutcome {
    sandbox.editor.batch(&sandbox.context(), &sandbox.authority, batch).unwrap()
}

fn plan(sandbox: &Sandbox, batch: &Batch<'_>) -> Plan {
    sandbox.editor.plan_batch(&sandbox.context(), None, batch).unwrap()
}

/// All files below a folder with their content and mode bits; folders too, so that one left behind shows.
fn tree(root: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            let kind = path.symlink_metadata().unwrap().file_type();
            if kind.is_symlink() {
                found.insert(name, format!("-> {}", fs::read_link(&path).unwrap().display()));
            } else if kind.is_dir() {
                found.insert(format!("{name}/"), String::new());
                folders.push(path);
            } else {
                let mode = fs::metadata(&path).unwrap().permissions().mode() & 0o777;
                found.insert(name, format!("{mode:o} {}", String::from_utf8_lossy(&fs::read(&path).unwrap())));
            }
        }
    }
    found
}

/// Refused with this code by the real run, nothing changed; and the plan says the same words.
#[track_caller]
fn check_refused(sandbox: &Sandbox, items: Vec<Item<'static>>, code: &str) {
    let before = tree(&sandbox.at(""));
    let planned = plan(sandbox, &batch("", items.clone()));
    let done = run(sandbox, &batch("", items));
    let failure = done.failure.expect("the batch must be refused");
    assert_eq!(failure.code(), code, "{failure}");
    assert_eq!((done.receipt.status, done.receipt.disk_status.as_str()), (State::Aborted, "unchanged"));
    assert_eq!(done.receipt.summary.applied, 0);
    assert!(planned.plan.iter().any(|row| row.status.ends_with(&failure.to_string())), "{:?}", planned.plan);
    assert_eq!(tree(&sandbox.at("")), before);
}

/// One of everything: two edits of one file, a new file in a new folder, a move, a removal.
fn everything() -> Vec<Item<'static>> {
    vec![
        delete("gone.txt"),
        move_file("old.sh", "bin/new.sh"),
        replace("a.txt", "one", "two"),
        replace("a.txt", "two\n", "two\nthree\n"),
        whole("deep/down/n.txt", "new"),
        replace("b.txt", "x", "y"),
    ]
}

fn start() -> Sandbox {
    let files = [("a.txt", "one\r\n"), ("b.txt", "x"), ("gone.txt", "bye"), ("old.sh", "#!/bin/sh\n"), ("kept.txt", "kept")];
    let sandbox = Sandbox::new(&files);
    fs::set_permissions(sandbox.at("old.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    sandbox
}

#[test]
fn all_items_land_together() {
    let sandbox = start();
    let done = run(&sandbox, &batch("t1", everything()));
    let receipt = &done.receipt;
    assert_eq!((receipt.status, receipt.disk_status.as_str()), (State::Committed, "committed"));
    assert_eq!(receipt.summary, Summary { applied: 6, failed: 0, skipped: 0, total: 6 });
    let ops: Vec<&str> = receipt.results.iter().map(|row| row.op.as_str()).collect();
    assert_eq!(ops, ["edit_file", "edit_file", "edit_file", "write_file", "delete_file", "move_file"]);
    assert_eq!(sandbox.disk("a.txt"), "two\r\nthree\r\n");
    assert_eq!(sandbox.disk("deep/down/n.txt"), "new");
    let moved = fs::metadata(sandbox.at("bin/new.sh")).unwrap().permissions().mode() & 0o777;
    assert_eq!(moved, 0o755, "a moved file keeps its mode bits");
    assert!(!sandbox.at("gone.txt").exists() && !sandbox.at("old.sh").exists());
    assert_eq!(sandbox.listing(), ["a.txt", "b.txt", "bin", "deep", "kept.txt"]);
    let rows: Vec<(&str, bool, bool)> =
        receipt.files.iter().map(|row| (row.relative_path.as_str(), row.before_absent, row.after_absent)).collect();
    assert_eq!(
        rows,
        [
            ("a.txt", false, false),
            ("b.txt", false, false),
            ("bin/new.sh", true, false),
            ("deep/down/n.txt", true, false),
            ("gone.txt", false, true),
            ("old.sh", false, true)
        ]
    );
    assert_eq!(receipt.files[0].new_sha, Some(git_blob_sha1(b"two\r\nthree\r\n")));
}

#[test]
fn the_journal_is_private_and_its_images_go_when_all_is_decided() {
    let sandbox = start();
    run(&sandbox, &batch("t1", everything()));
    let state = sandbox.dir.path().join("state");
    let transactions = state.join("transactions");
    let home = fs::read_dir(&transactions).unwrap().next().unwrap().unwrap().path();
    for folder in [&state, &transactions, &home] {
        assert_eq!(fs::metadata(folder).unwrap().permissions().mode() & 0o777, 0o700, "{}", folder.display());
    }
    assert_eq!(fs::metadata(home.join("journal.json")).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::read_dir(&home).unwrap().count(), 1, "only the document is left");
}

#[test]
fn the_same_key_and_items_give_the_same_receipt() {
    let sandbox = start();
    let first = run(&sandbox, &batch("t1", everything()));
    let before = tree(&sandbox.at(""));
    let again = run(&sandbox, &batch("t1", everything()));
    assert!(again.replayed && again.receipt == first.receipt);
    assert_eq!(tree(&sandbox.at("")), before);
    let other = sandbox.editor.batch(&sandbox.context(), &sandbox.authority, &batch("t1", vec![delete("a.txt")]));
    assert_eq!(other.unwrap_err().code(), "idempotency_conflict");
    // A second editor over the same folder is what the next process is.
    let next = Editor::with_clock(sandbox.dir.path().join("state"), Box::new(|| 1_000_001));
    let authority = next.authority().unwrap();
    assert_eq!(next.transaction(&authority, "t1").unwrap(), Some(first.receipt));
    assert_eq!(next.transaction(&authority, "t2").unwrap(), None);
}

#[test]
fn an_aborted_key_stays_aborted() {
    let sandbox = start();
    let items = vec![replace("a.txt", "none", "x")];
    let first = run(&sandbox, &batch("t1", items.clone()));
    assert_eq!(first.receipt.status, State::Aborted);
    fs::write(sandbox.at("a.txt"), "none").unwrap();
    assert_eq!(run(&sandbox, &batch("t1", items.clone())).receipt, first.receipt);
    assert_eq!(run(&sandbox, &batch("t2", items)).receipt.status, State::Committed);
}

#[test]
fn old_receipts_go_after_thirty_days() {
    let sandbox = start();
    run(&sandbox, &batch("t1", vec![delete("a.txt")]));
    sandbox.clock.fetch_add(31 * 24 * 60 * 60 * 1000, std::sync::atomic::Ordering::SeqCst);
    assert!(sandbox.editor.recover(&sandbox.authority).is_empty());
    assert_eq!(fs::read_dir(sandbox.dir.path().join("state/transactions")).unwrap().count(), 0);
}

#[test]
fn one_bad_item_stops_all() {
    let sandbox = start();
    check_refused(&sandbox, vec![replace("b.txt", "x", "y"), replace("a.txt", "none", "y")], "match_not_found");
    check_refused(&sandbox, vec![replace("b.txt", "x", "y"), delete("none.txt")], "file_not_found");
    check_refused(&sandbox, vec![replace("b.txt", "x", "y"), whole("../x", "y")], "path_escape");
    check_refused(&sandbox, vec![replace("b.txt", "x", "y"), whole("new/bad.q", "?")], "parse_gate_blocked");
    let stale = guarded(replace("a.txt", "one", "two"), &git_blob_sha1(b"other"));
    check_refused(&sandbox, vec![replace("b.txt", "x", "y"), stale], "stale_base");
    let gone = guarded(delete("none.txt"), &git_blob_sha1(b"other"));
    check_refused(&sandbox, vec![replace("b.txt", "x", "y"), gone], "stale_base");
}

#[test]
fn a_guard_speaks_of_the_disk_and_not_of_earlier_items() {
    let sandbox = start();
    let sha = git_blob_sha1(b"one\r\n");
    let items = vec![guarded(replace("a.txt", "one", "two"), &sha), guarded(replace("a.txt", "two", "six"), &sha)];
    assert_eq!(run(&sandbox, &batch("", items)).receipt.status, State::Committed);
    assert_eq!(sandbox.disk("a.txt"), "six\r\n");
}

#[test]
fn a_fault_that_a_later_item_mends_is_none() {
    let sandbox = Sandbox::new(&[("a.q", "ok")]);
    let items = vec![replace("a.q", "ok", "ok?"), replace("a.q", "?", "!")];
    assert_eq!(run(&sandbox, &batch("", items)).receipt.status, State::Committed);
    assert_eq!(sandbox.disk("a.q"), "ok!");
}

#[test]
fn moves_and_removals_stand_alone_on_their_file() {
    let sandbox = start();
    check_refused(&sandbox, vec![replace("a.txt", "one", "two"), delete("a.txt")], "items_overlap");
    check_refused(&sandbox, vec![move_file("a.txt", "n.txt"), delete("a.txt")], "items_overlap");
    check_refused(&sandbox, vec![move_file("a.txt", "n.txt"), move_file("b.txt", "n.txt")], "items_overlap");
    check_refused(&sandbox, vec![move_file("a.txt", "n.txt"), whole("n.txt", "x")], "items_overlap");
    check_refused(&sandbox, vec![whole("n", "x"), whole("n/deep.txt", "y")], "items_overlap");
}

#[test]
fn moves_need_a_plain_source_and_a_free_direct_destination() {
    let sandbox = start();
    fs::create_dir(sandbox.at("dir")).unwrap();
    symlink("a.txt", sandbox.at("link.txt")).unwrap();
    symlink("dir", sandbox.at("through")).unwrap();
    symlink("nothing", sandbox.at("dangling")).unwrap();
    check_refused(&sandbox, vec![move_file("a.txt", "b.txt")], "destination_exists");
    check_refused(&sandbox, vec![move_file("a.txt", "a.txt")], "destination_exists");
    check_refused(&sandbox, vec![move_file("a.txt", "dir")], "destination_exists");
    check_refused(&sandbox, vec![move_file("a.txt", "dangling")], "destination_exists");
    check_refused(&sandbox, vec![move_file("a.txt", "through/a.txt")], "destination_behind_link");
    check_refused(&sandbox, vec![move_file("link.txt", "n.txt")], "not_a_file");
    check_refused(&sandbox, vec![move_file("dir", "n.txt")], "not_a_file");
    check_refused(&sandbox, vec![delete("link.txt")], "not_a_file");
    check_refused(&sandbox, vec![move_file("a.txt", ".git/x")], "path_protected");
}

#[test]
fn two_names_for_one_file_are_refused() {
    let sandbox = start();
    fs::hard_link(sandbox.at("a.txt"), sandbox.at("hard.txt")).unwrap();
    symlink("a.txt", sandbox.at("link.txt")).unwrap();
    check_refused(&sandbox, vec![replace("a.txt", "one", "1"), replace("hard.txt", "one", "2")], "items_overlap");
    check_refused(&sandbox, vec![replace("a.txt", "one", "1"), replace("link.txt", "one", "2")], "items_overlap");
    check_refused(&sandbox, vec![move_file("b.txt", "B.txt")], "items_overlap");
    check_refused(&sandbox, vec![move_file("a.txt", "N.txt"), move_file("b.txt", "n.txt")], "items_overlap");
    // The same letter, composed and decomposed.
    check_refused(&sandbox, vec![whole("\u{e9}.txt", "1"), whole("e\u{301}.txt", "2")], "items_overlap");
    let apart = vec![move_file("b.txt", "c.txt"), whole("d.txt", "2")];
    assert_eq!(run(&sandbox, &batch("", apart)).receipt.status, State::Committed);
}

#[test]
fn expected_digests_are_compared() {
    let sandbox = start();
    let delete = |digest: &str| Item {
        rank: 0,
        op: Op::Delete { path: "a.txt".to_owned(), expected_sha256: Some(digest.to_owned()), base_sha: None },
    };
    check_refused(&sandbox, vec![delete(&sha256(b"other"))], "sha256_mismatch");
    let odd = sandbox.editor.batch(&sandbox.context(), &sandbox.authority, &batch("", vec![delete("abc")]));
    assert!(matches!(odd, Err(EditError::Invalid { field: "expected_sha256", item: Some(0), .. })));
    let good = sha256(b"one\r\n").to_ascii_uppercase();
    assert_eq!(run(&sandbox, &batch("", vec![delete(&good)])).receipt.status, State::Committed);
}

#[test]
fn unusable_requests_leave_no_receipt() {
    let sandbox = start();
    let refused = |batch: &Batch<'_>| {
        let error = sandbox.editor.batch(&sandbox.context(), &sandbox.authority, batch).unwrap_err();
        let planned = sandbox.editor.plan_batch(&sandbox.context(), None, batch).unwrap_err();
        assert_eq!(planned.to_string(), error.to_string());
        error.code()
    };
    assert_eq!(refused(&batch("t", Vec::new())), "invalid_argument");
    assert_eq!(refused(&batch("t", vec![delete("a.txt"); MAX_ITEMS + 1])), "invalid_argument");
    assert_eq!(refused(&batch("t", vec![replace("a.txt", "", "x")])), "invalid_argument");
    assert_eq!(refused(&batch("t", vec![move_file("a.txt", "")])), "invalid_argument");
    let long = batch(&"t".repeat(201), vec![delete("a.txt")]);
    let error = sandbox.editor.batch(&sandbox.context(), &sandbox.authority, &long).unwrap_err();
    assert_eq!(error.code(), "invalid_argument");
    assert_eq!(sandbox.editor.transaction(&sandbox.authority, "t").unwrap(), None);
}

#[test]
fn a_batch_that_needs_too_much_memory_is_refused() {
    let sandbox = start();
    let text = "a".repeat(9 * 1024 * 1024);
    let items = (0..6).map(|file| whole(&format!("big{file}"), &text)).collect();
    let done = run(&sandbox, &batch("t1", items));
    assert_eq!(done.failure.unwrap().code(), "invalid_argument");
    assert!(done.receipt.files.is_empty() && !sandbox.at("big0").exists());
    let too_large = whole("big", &"a".repeat(10 * 1024 * 1024 + 1));
    assert_eq!(run(&sandbox, &batch("t2", vec![too_large])).failure.unwrap().code(), "file_too_large");
}

#[test]
fn a_cancelled_batch_leaves_no_receipt() {
    let sandbox = start();
    let cancelled = || true;
    let context = Context { cancelled: Some(&cancelled), ..sandbox.context() };
    let error = sandbox.editor.batch(&context, &sandbox.authority, &batch("t1", everything())).unwrap_err();
    assert_eq!(error.code(), "cancelled");
    assert_eq!(sandbox.editor.transaction(&sandbox.authority, "t1").unwrap(), None);
    assert_eq!(run(&sandbox, &batch("t1", everything())).receipt.status, State::Committed);
}

#[test]
fn two_batches_over_the_same_files_do_not_mix() {
    let sandbox = Sandbox::new(&[]);
    std::thread::scope(|scope| {
        for turn in 0..6 {
            let sandbox = &sandbox;
            scope.spawn(move || {
                let mut items: Vec<_> = (0..5).map(|file| whole(&format!("f{file}"), &turn.to_string())).collect();
                items.rotate_left(turn % 5);
                assert!(run(sandbox, &batch("", items)).failure.is_none());
            });
        }
    });
    let files: Vec<String> = (0..5).map(|file| sandbox.disk(&format!("f{file}"))).collect();
    assert!(files.iter().all(|file| *file == files[0]), "{files:?}");
}

#[test]
fn the_editor_is_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Editor>();
    shared::<Batch<'_>>();
    shared::<Context<'_>>();
}

#[test]
fn a_plan_shows_states_and_diffs_and_touches_nothing() {
    let sandbox = start();
    let before = tree(&sandbox.at(""));
    let git = |_: usize, rel: &str| if rel == "gone.txt" { GitState::Ignored } else { GitState::Tracked };
    let items = batch("t1", everything());
    let planned = sandbox.editor.plan_batch(&sandbox.context(), Some(&git), &items).unwrap();
    assert_eq!((planned.total, planned.conflicts, planned.dry_run), (6, 0, true));
    let delete = &planned.plan[4];
    let state = delete.source_state.as_ref().unwrap();
    assert_eq!((delete.op, state.kind, state.git, state.ignored), ("delete_file", "regular", GitState::Ignored, true));
    assert_eq!(state.sha256, Some(sha256(b"bye")));
    let moved = &planned.plan[5];
    let state = moved.destination_state.as_ref().unwrap();
    assert_eq!((state.exists, state.kind, &state.sha256), (false, "absent", &None));
    assert!(moved.resolved_destination.as_ref().unwrap().ends_with("repo/bin/new.sh"));
    let diff = planned.files[0].diff.as_ref().unwrap();
    assert!(diff.contains("-one\r\n+two\r\n+three\r\n"), "{diff}");
    assert_eq!(tree(&sandbox.at("")), before);
    assert!(!sandbox.dir.path().join("state").exists());
}

#[test]
fn a_plan_lists_every_refusal() {
    let sandbox = start();
    let items = vec![replace("a.txt", "none", "x"), delete("none.txt"), replace("b.txt", "x", "y")];
    let planned = plan(&sandbox, &batch("", items));
    let rows: Vec<(&str, &str)> = planned.plan.iter().map(|row| (row.path.as_str(), row.status.as_str())).collect();
    assert_eq!(
        rows,
        [
            ("a.txt", "conflict: `a.txt` does not contain the text to replace; most alike is line 1"),
            ("b.txt", "planned"),
            ("none.txt", "conflict: `none.txt` does not exist")
        ]
    );
    assert_eq!(planned.conflicts, 2);
}

#[test]
fn symbols_are_found_anew_after_each_item_and_go_by_rank() {
    let sandbox = Sandbox::new(&[("s", "fn a\nfn b\n")]);
    let locate = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let line = text.lines().position(|line| line.starts_with("fn b")).ok_or("it is gone")? as u32 + 1;
        Ok(LineRange { first: line, last: line })
    };
    let symbol = |rank: u32, old: &str, new: &str| {
        let within = Some(Within { symbol: "b".to_owned(), locate: &locate });
        let (old, new) = (old.to_owned(), new.to_owned());
        let content = Content::Replace { old, new, replace_all: false, expected_occurrences: None, within };
        Item { rank, ..Item::content("s", content) }
    };
    let items = vec![symbol(2, "b", "b2"), symbol(1, "fn b", "// one\n// two\nfn b"), replace("s", "fn a\n", "")];
    let done = sandbox.editor.batch(&sandbox.context(), &sandbox.authority, &Batch { items, ..Batch::default() }).unwrap();
    assert!(done.failure.is_none(), "{:?}", done.failure);
    assert_eq!(sandbox.disk("s"), "// one\n// two\nfn b2\n");
    assert_eq!(done.receipt.results[0].id.as_deref(), Some("b"));
}

#[test]
fn case_07_a_rename_is_previewed_and_done_alike_or_refused_whole() {
    let sandbox = Sandbox::new(&[("a.rs", "scale(scale(1));\r\n\"scale\"\r\n"), ("b.rs", "use scale;\n")]);
    let place = |line, start: u32| Place {
        line,
        cols: start..start + 5,
        old: "scale".to_owned(),
        new: "double".to_owned(),
        line_text: None,
    };
    let rename = |at: u32| {
        let places = [("b.rs", place(1, at)), ("a.rs", place(1, 6)), ("a.rs", place(1, 0)), ("a.rs", place(1, 6))];
        let items = rewrite_items(places.map(|(path, place)| (path.to_owned(), place)));
        Batch { items, ..Batch::default() }
    };
    let before = tree(&sandbox.at(""));
    let stale = run(&sandbox, &rename(3)).into_result().unwrap_err();
    assert_eq!(stale.to_string(), "b.rs:1 no longer reads as it did when the plan was made; index again and repeat");
    assert_eq!(plan(&sandbox, &rename(3)).into_result().unwrap_err().to_string(), stale.to_string());
    assert_eq!(tree(&sandbox.at("")), before);
    let shown = plan(&sandbox, &rename(4)).into_result().unwrap();
    let done = run(&sandbox, &rename(4)).into_result().unwrap();
    assert_eq!(sandbox.disk("a.rs"), "double(double(1));\r\n\"scale\"\r\n");
    assert_eq!(sandbox.disk("b.rs"), "use double;\n");
    let strip = |rows: Vec<FileChange>| rows.into_iter().map(|row| FileChange { diff: None, ..row }).collect::<Vec<_>>();
    assert_eq!(strip(shown.files), strip(done.files));
}

#[test]
fn a_disk_that_refuses_once_changes_nothing_at_any_step() {
    let mut steps = 0;
    loop {
        let sandbox = start();
        let before = tree(&sandbox.at(""));
        faults::refuse_at(steps);
        let result = sandbox.editor.batch(&sandbox.context(), &sandbox.authority, &batch("t1", everything()));
        if faults::clear() {
            assert_eq!(result.unwrap().receipt.status, State::Committed);
            break;
        }
        match &result {
            Ok(done) => {
                assert_eq!(done.receipt.status, State::Aborted, "step {steps}");
                assert_eq!(done.failure.as_ref().unwrap().code(), "io_error");
            }
            Err(error) => assert_eq!(error.code(), "io_error", "step {steps}"),
        }
        assert_eq!(tree(&sandbox.at("")), before, "step {steps}");
        // Whatever the journal says, it agrees with the disk afterwards.
        sandbox.editor.recover(&sandbox.authority);
        assert_eq!(tree(&sandbox.at("")), before, "step {steps}, recovered");
        steps += 1;
    }
    assert!(steps > 20, "only {steps} steps were tried");
}

/// The child process of the tests below: one batch in the folder the environment names, over and over when asked.
#[test]
fn child() {
    let Ok(folder) = std::env::var("GORTEX_EDIT_TEST_CHILD") else { return };
    let roots = super::super::Roots::new([("repo", Path::new(&folder).join("repo"))]).unwrap();
    let editor = Editor::new(Path::new(&folder).join("state"));
    let authority = editor.authority().unwrap();
    let context = Context::new(&roots);
    if std::env::var(faults::DIE_AT).is_ok() {
        editor.batch(&context, &authority, &batch("t1", everything())).unwrap();
        return;
    }
    for round in 0_u32.. {
        let text = format!("{round}\n").repeat(2000);
        let items = (0..6).map(|file| whole(&format!("f{file}.txt"), &text)).collect();
        editor.batch(&context, &authority, &batch("", items)).unwrap();
        // The parent counts these lines to choose when to kill.
        eprintln!("round");
    }
}

fn spawn_child(folder: &Path, die_at: Option<u32>) -> std::process::Child {
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "edit::batch::tests::child", "--nocapture"]);
    command.env("GORTEX_EDIT_TEST_CHILD", folder);
    if let Some(step) = die_at {
        command.env(faults::DIE_AT, step.to_string());
    }
    command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::piped()).spawn().unwrap()
}

#[test]
fn a_crash_at_any_step_leaves_every_file_whole() {
    let mut steps = 0;
    let (mut aborted, mut committed) = (0, 0);
    loop {
        let sandbox = start();
        let before = tree(&sandbox.at(""));
        let survived = spawn_child(sandbox.dir.path(), Some(steps)).wait_with_output().unwrap().status.success();
        // The next process opens the same folders.
        let editor = Editor::new(sandbox.dir.path().join("state"));
        let authority = editor.authority().unwrap();
        editor.recover(&authority);
        let status = editor.transaction(&authority, "t1").unwrap().map(|receipt| receipt.status);
        let now = tree(&sandbox.at(""));
        match status {
            Some(State::Committed) => {
                committed += 1;
                assert_eq!(sandbox.disk("a.txt"), "two\r\nthree\r\n", "step {steps}");
                assert_eq!(sandbox.listing(), ["a.txt", "b.txt", "bin", "deep", "kept.txt"], "step {steps}");
            }
            Some(State::Aborted) | None => {
                aborted += 1;
                assert_eq!(now, before, "step {steps}");
            }
            other => panic!("step {steps} ended in {other:?}"),
        }
        if survived {
            break;
        }
        steps += 1;
    }
    assert!(aborted > 10 && committed > 1, "{aborted} aborted, {committed} committed");
}

#[test]
fn kill_9_in_the_middle_leaves_every_file_whole() {
    use std::io::BufRead as _;
    for rounds in [1, 2, 3, 6] {
        let sandbox = start();
        let mut child = spawn_child(sandbox.dir.path(), None);
        let lines = std::io::BufReader::new(child.stderr.take().unwrap()).lines();
        assert_eq!(lines.take(rounds).map_while(Result::ok).count(), rounds);
        child.kill().unwrap();
        child.wait().unwrap();
        let editor = Editor::new(sandbox.dir.path().join("state"));
        let authority = editor.authority().unwrap();
        for recovered in editor.recover(&authority) {
            assert!(recovered.receipt.status.is_terminal() && recovered.unknown.is_empty());
        }
        let files: Vec<String> = (0..6).map(|file| sandbox.disk(&format!("f{file}.txt"))).collect();
        assert!(files.iter().all(|file| *file == files[0]), "all files are of one round");
        assert_eq!(files[0].lines().count(), 2000);
        assert!(sandbox.listing().iter().all(|name| !name.starts_with(".gortex")), "{:?}", sandbox.listing());
    }
}

/// A transaction that died while it put its files in place: some are new, some are not.
fn crashed() -> Sandbox {
    static STEP: OnceLock<u32> = OnceLock::new();
    let crash_at = |step: u32| {
        let sandbox = start();
        assert!(!spawn_child(sandbox.dir.path(), Some(step)).wait_with_output().unwrap().status.success());
        sandbox
    };
    let is_half_way = |step: &u32| crash_at(*step).at("bin/new.sh").exists();
    crash_at(*STEP.get_or_init(|| (20..200).find(is_half_way).unwrap_or_default()))
}

/// The tree without the temporary files of a killed writer, which whoever comes next removes.
fn tree_without_leftovers(sandbox: &Sandbox) -> BTreeMap<String, String> {
    let mut tree = tree(&sandbox.at(""));
    tree.retain(|name, _| !name.contains(".gortex-"));
    tree
}

#[test]
fn unknown_bytes_are_never_overwritten() {
    let sandbox = crashed();
    fs::write(sandbox.at("b.txt"), "somebody else").unwrap();
    let before = tree_without_leftovers(&sandbox);
    let editor = Editor::new(sandbox.dir.path().join("state"));
    let authority = editor.authority().unwrap();
    let recovered = editor.recover(&authority);
    assert_eq!(recovered[0].receipt.status, State::RecoveryConflict);
    assert_eq!(recovered[0].unknown, ["b.txt"]);
    assert_eq!(tree_without_leftovers(&sandbox), before);
    // The before-images are kept, so that once the file is known again the rest can be restored.
    fs::write(sandbox.at("b.txt"), "x").unwrap();
    let receipt = editor.transaction(&authority, "t1").unwrap().unwrap();
    assert_eq!((receipt.status, receipt.disk_status.as_str(), receipt.recovered), (State::Aborted, "rolled_back", true));
    assert_eq!(sandbox.disk("a.txt"), "one\r\n");
    assert_eq!(sandbox.listing(), ["a.txt", "b.txt", "gone.txt", "kept.txt", "old.sh"]);
}

#[test]
fn a_link_in_the_place_of_a_file_is_unknown() {
    let sandbox = crashed();
    fs::remove_file(sandbox.at("a.txt")).unwrap();
    symlink("kept.txt", sandbox.at("a.txt")).unwrap();
    sandbox.editor.recover(&sandbox.authority);
    assert_eq!(sandbox.disk("kept.txt"), "kept");
    let receipt = sandbox.editor.transaction(&sandbox.authority, "t1").unwrap().unwrap();
    assert_eq!(receipt.status, State::RecoveryConflict);
}

#[test]
fn a_transaction_at_work_is_left_alone() {
    let sandbox = crashed();
    // Somebody holds one of its files: to the outside this is what a living process looks like.
    let other = Editor::new(sandbox.dir.path().join("state"));
    let key = fs::canonicalize(sandbox.at("a.txt")).unwrap();
    let held = other.locks.hold(&[key.to_str().unwrap()], None).unwrap();
    let before = tree_without_leftovers(&sandbox);
    assert!(sandbox.editor.recover(&sandbox.authority).is_empty());
    assert_eq!(tree_without_leftovers(&sandbox), before);
    drop(held);
    assert_eq!(sandbox.editor.recover(&sandbox.authority).len(), 1);
    assert!(!disk::temporary_for(&sandbox.at("a.txt")).exists());
}
