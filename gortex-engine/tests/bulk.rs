//! The first index in a child process: one that does its work, one that dies of a file, and one that can't be had.
//!
//! This program is its own child, so it has no test harness: `child` as the first argument makes it one. A dying child writes
//! into the journal what a real one would be parsing and aborts.

use std::io::{BufReader, Cursor, Read as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

use gortex_engine::engine::{Engine, Options, RepoInfo, Silent};
use gortex_engine::index::bulk::{self, Bulk, Order};
use gortex_engine::index::journal::{Journal, Verdict};
use gortex_engine::lang::Lang;

const BAD: &str = "def bad():\n    pass\n";
const GOOD: &str = "def good():\n    pass\n";

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    if args.next().as_deref() == Some("child") {
        return child(&args.next().unwrap_or_default());
    }
    let this = std::env::current_exe().expect("a program");
    for (program, mode, bad_is_out) in [
        (this.clone(), "works", false),
        (this.clone(), "dies", true),
        (this.clone(), "refuses", false),
        (PathBuf::from("/no/such/program"), "", false),
    ] {
        check(&Bulk { program, args: vec!["child".into(), mode.into()] }, mode, bad_is_out);
        println!("a child that {mode}: ok");
    }
    ExitCode::SUCCESS
}

/// Indexes with such a child and looks at what came of it.
fn check(bulk: &Bulk, mode: &str, bad_is_out: bool) {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().canonicalize().expect("a folder").join("repo");
    std::fs::create_dir(&root).expect("a folder");
    std::fs::write(root.join("bad.py"), BAD).expect("a file");
    std::fs::write(root.join("good.py"), GOOD).expect("a file");
    let options = Options {
        cache_dir: folder.path().join("cache"),
        state_dir: folder.path().join("state"),
        threads: 2,
        persist: true,
        bulk: Some(bulk.clone()),
    };
    let (engine, _authority) = Engine::open(options).expect("opens");
    let repos = [RepoInfo { name: "repo".to_owned(), root }];
    let view = engine.track(&repos, &Silent, &AtomicBool::new(false)).expect("indexes");
    assert_eq!(view.graph.named("good").len(), 1, "{mode}");
    assert_eq!(view.graph.named("bad").len(), usize::from(!bad_is_out), "{mode}");
    let out: Vec<&str> = view.report.without_facts.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(out, if bad_is_out { vec!["bad.py"] } else { Vec::new() }, "{mode}");
    let by_child = matches!(mode, "works" | "dies");
    assert_eq!(view.report.parsed == 0, by_child, "{mode}");
}

fn child(mode: &str) -> ExitCode {
    let mut line = Vec::new();
    let mut byte = [0];
    while std::io::stdin().read_exact(&mut byte).is_ok() {
        line.push(byte[0]);
        if byte[0] == b'\n' {
            break;
        }
    }
    if mode == "refuses" {
        return ExitCode::from(3);
    }
    if mode == "dies" {
        let order: Order = serde_json::from_slice(&line).expect("an order");
        die_of_the_bad_file(&order.cache_dir.join("inflight"));
    }
    let input = Cursor::new(line).chain(BufReader::new(std::io::stdin()));
    bulk::serve(BufReader::new(input), std::io::stdout()).expect("served");
    ExitCode::SUCCESS
}

/// Dies as if of parsing the bad file, the first time with another one in flight.
fn die_of_the_bad_file(folder: &Path) {
    let journal = Journal::open(folder, 2).expect("a journal");
    let content = |text: &str| (*blake3::hash(text.as_bytes()).as_bytes(), Lang::of_path("x.py").expect("a language"));
    let verdict = journal.verdict(&content(BAD));
    if verdict == Verdict::Barred {
        return;
    }
    let _good = (verdict == Verdict::Sound).then(|| journal.begin(&content(GOOD)));
    let _bad = journal.begin(&content(BAD));
    std::process::abort();
}
