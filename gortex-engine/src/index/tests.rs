//! Indexing as a whole: whatever happened to a tree, and however it was noticed, the graph is that of a cold index.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use proptest::prelude::*;

use crate::engine::{Engine, Options, RepoInfo, Silent, View};
use crate::graph::{FileStatus, Graph, snapshot};
use crate::index::build::Reuse;
use crate::index::journal::Journal;
use crate::lang::Lang;

/// Roots and a cache on a real disk.
struct Disk {
    _folder: tempfile::TempDir,
    top: PathBuf,
}

impl Disk {
    fn new() -> Disk {
        let folder = tempfile::tempdir().expect("a folder");
        let top = folder.path().canonicalize().expect("a folder");
        std::fs::create_dir(top.join("repo")).expect("a folder");
        Disk { _folder: folder, top }
    }

    fn root(&self) -> PathBuf {
        self.top.join("repo")
    }

    fn put(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        std::fs::write(path, text).expect("a file");
    }

    /// An engine over the cache named so.
    fn engine(&self, cache: &str) -> Engine {
        let options =
            Options { cache_dir: self.top.join(cache), state_dir: self.top.join("state"), threads: 2, persist: true, bulk: None };
        Engine::open(options).expect("opens").0
    }

    fn tracked(&self, cache: &str, roots: &[&str]) -> (Engine, Arc<View>) {
        let engine = self.engine(cache);
        let repos: Vec<RepoInfo> =
            roots.iter().map(|name| RepoInfo { name: (*name).to_owned(), root: self.top.join(name) }).collect();
        let view = engine.track(&repos, &Silent, &AtomicBool::new(false)).expect("indexes");
        (engine, view)
    }

    /// Everything a graph says, but for its generation and the times of files.
    fn bytes(&self, graph: &Graph) -> Vec<u8> {
        let mut graph = graph.clone();
        graph.generation = 0;
        graph.files.iter_mut().for_each(|file| file.mtime_ns = 0);
        let path = self.top.join("compared");
        snapshot::save(&path, &graph, &[], &[]).expect("written");
        std::fs::read(path).expect("a file")
    }

    #[track_caller]
    fn assert_as_cold(&self, view: &View) {
        let cold = self.tracked("cold", &["repo"]).0;
        let cold = cold.index(Reuse::Nothing, &Silent, &AtomicBool::new(false)).expect("indexes");
        let paths = |view: &View| view.graph.files.iter().map(|file| (file.path.clone(), file.status)).collect::<Vec<_>>();
        assert_eq!(paths(view), paths(&cold));
        assert!(self.bytes(&view.graph) == self.bytes(&cold.graph), "the graphs differ");
        let manifests = |view: &View| view.manifests.iter().map(|one| (one.path.clone(), one.text.clone())).collect::<Vec<_>>();
        assert_eq!(manifests(view), manifests(&cold));
    }
}

const PATHS: [&str; 10] = [
    "app/__init__.py",
    "app/a.py",
    "app/b.py",
    "web/src/index.ts",
    "web/src/util.ts",
    "web/package.json",
    "go.mod",
    "cmd/main.go",
    "lib/lib.go",
    "größe/ü.py",
];
const PYTHON: [&str; 4] = ["app/__init__.py", "app/a.py", "app/b.py", "größe/ü.py"];
const TEXTS: [&str; 10] = [
    "",
    "def f():\n    return 1\n",
    "from app.a import f\n\ndef g():\n    return f()\n",
    "import { util } from './util'\nexport function run() { return util() }\n",
    "export function util() { return 1 }\n",
    "{\"name\": \"web\"}\n",
    "module example.com/m\n",
    "package main\n\nimport \"example.com/m/lib\"\n\nfunc main() { lib.Do() }\n",
    "package lib\n\nfunc Do() {}\n",
    "class A:\n    def f(self):\n        return self.g()\n",
];

#[derive(Clone, Debug)]
enum Act {
    Write(usize, usize),
    Delete(usize),
    Rename(usize, usize),
    MoveFolder,
    Ignore(usize),
    /// Other content everywhere at once, as a checkout has it.
    Switch(usize),
    /// What an editor does: a new file beside the old one, renamed over it.
    Replace(usize, usize),
    Look,
}

fn act() -> impl Strategy<Value = Act> {
    let (path, text) = (0..PATHS.len(), 0..TEXTS.len());
    prop_oneof![
        4 => (path.clone(), text.clone()).prop_map(|(path, text)| Act::Write(path, text)),
        2 => path.clone().prop_map(Act::Delete),
        2 => (path.clone(), path.clone()).prop_map(|(from, to)| Act::Rename(from, to)),
        1 => Just(Act::MoveFolder),
        1 => (0..3usize).prop_map(Act::Ignore),
        1 => (0..PATHS.len()).prop_map(Act::Switch),
        2 => (path, text).prop_map(|(path, text)| Act::Replace(path, text)),
        3 => Just(Act::Look),
    ]
}

fn perform(disk: &Disk, act: &Act) {
    let root = disk.root();
    match act {
        Act::Write(path, text) => disk.put(PATHS[*path], TEXTS[*text]),
        // What is not there can't be removed or moved; that is no failure of the test.
        Act::Delete(path) => drop(std::fs::remove_file(root.join(PATHS[*path]))),
        Act::Rename(from, to) => {
            std::fs::create_dir_all(root.join(PATHS[*to]).parent().expect("a folder")).expect("folders");
            drop(std::fs::rename(root.join(PATHS[*from]), root.join(PATHS[*to])));
        }
        Act::MoveFolder => {
            if std::fs::rename(root.join("app"), root.join("app2")).is_err() {
                drop(std::fs::rename(root.join("app2"), root.join("app")));
            }
        }
        Act::Ignore(rules) => disk.put(".gitignore", ["", "app/\n", "*.go\n!lib.go\n"][*rules]),
        Act::Switch(shift) => {
            for (at, path) in PATHS.iter().enumerate() {
                disk.put(path, TEXTS[(at + shift) % TEXTS.len()]);
            }
        }
        Act::Replace(path, text) => {
            disk.put("new.tmp", TEXTS[*text]);
            std::fs::create_dir_all(root.join(PATHS[*path]).parent().expect("a folder")).expect("folders");
            drop(std::fs::rename(root.join("new.tmp"), root.join(PATHS[*path])));
        }
        Act::Look => {}
    }
}

/// Performs the acts, looks where they say so, and compares with a cold index in the end.
fn check(acts: &[Act], live: bool) {
    let disk = Disk::new();
    perform(&disk, &Act::Switch(0));
    let (engine, _) = disk.tracked("cache", &["repo"]);
    if live {
        engine.watch().expect("a watcher");
    }
    let looked = || {
        if live { engine.fresh(false) } else { engine.fresh(true) }
    };
    looked();
    for act in acts {
        perform(&disk, act);
        if matches!(act, Act::Look) {
            looked();
        }
    }
    disk.assert_as_cold(&looked());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_changes_told_by_events_give_the_graph_of_a_cold_index(acts in prop::collection::vec(act(), 1..16)) {
        check(&acts, true);
    }

    #[test]
    fn any_changes_found_by_looking_give_the_graph_of_a_cold_index(acts in prop::collection::vec(act(), 1..16)) {
        check(&acts, false);
    }
}

fn parsed(view: &View) -> usize {
    view.report.parsed
}

#[test]
fn switching_forth_and_back_parses_only_what_was_never_seen() {
    let disk = Disk::new();
    perform(&disk, &Act::Switch(0));
    let (engine, view) = disk.tracked("cache", &["repo"]);
    assert!(parsed(&view) > 0);
    for path in PYTHON {
        disk.put(path, &format!("def other():\n    return '{path}'\n"));
    }
    assert!(parsed(&engine.fresh(true)) > 0);
    perform(&disk, &Act::Switch(0));
    assert_eq!(parsed(&engine.fresh(true)), 0);
    // So does another process later.
    engine.flush();
    drop(engine);
    for path in PYTHON {
        disk.put(path, &format!("def other():\n    return '{path}'\n"));
    }
    let (_, view) = disk.tracked("cache", &["repo"]);
    assert_eq!(parsed(&view), 0);
    disk.assert_as_cold(&view);
}

#[test]
fn a_second_work_tree_parses_nothing_that_the_first_one_has() {
    let disk = Disk::new();
    perform(&disk, &Act::Switch(0));
    let (first, _) = disk.tracked("cache", &["repo"]);
    first.flush();
    std::fs::create_dir(disk.top.join("other")).expect("a folder");
    for path in PATHS {
        let target = disk.top.join("other").join(path);
        std::fs::create_dir_all(target.parent().expect("a folder")).expect("folders");
        std::fs::copy(disk.root().join(path), target).expect("copied");
    }
    std::fs::write(disk.top.join("other/more.py"), "def more():\n    pass\n").expect("a file");
    let (_, view) = disk.tracked("cache", &["other"]);
    assert_eq!((parsed(&view), view.graph.files.len()), (1, PATHS.len() + 1));
    let (_, both) = disk.tracked("cache", &["other", "repo"]);
    assert_eq!(parsed(&both), 0);
}

// A file that was only touched was read again at every look from then on.
#[test]
fn a_touched_file_is_read_once() {
    let disk = Disk::new();
    disk.put("a.py", "def f():\n    pass\n");
    let (engine, before) = disk.tracked("cache", &["repo"]);
    let file = std::fs::File::options().write(true).open(disk.root().join("a.py")).expect("a file");
    let time = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    file.set_modified(time).expect("a time");
    let after = engine.fresh(true);
    assert_eq!(after.graph.generation, before.graph.generation);
    assert_eq!(after.graph.file("a.py").expect("a file").mtime_ns, 1_000_000_000_000_000_000);
    assert!(engine.stale(&after, ["a.py"]).is_empty());
}

#[test]
fn an_event_is_seen_by_the_next_reader_and_an_unseen_change_by_the_answer() {
    let disk = Disk::new();
    disk.put("src/a.py", "def f():\n    pass\n");
    let (engine, _) = disk.tracked("cache", &["repo"]);
    engine.watch().expect("a watcher");
    let first = engine.fresh(false);
    disk.put("src/a.py", "def renamed():\n    pass\n");
    let second = engine.fresh(false);
    assert!(second.graph.generation > first.graph.generation && second.graph.named("renamed").len() == 1);
    disk.put("src/new/b.py", "def b():\n    pass\n");
    disk.put("src/c.py", "def c():\n    pass\n");
    let third = engine.fresh(false);
    assert_eq!((third.graph.named("b").len(), third.graph.named("c").len()), (1, 1));
    // The new folder is watched as well.
    disk.put("src/new/b.py", "def b2():\n    pass\n");
    let fourth = engine.fresh(false);
    assert_eq!((fourth.graph.named("b").len(), fourth.graph.named("b2").len()), (0, 1));
    let told = engine.freshness();
    assert_eq!((told.noticed_by, told.pending, told.catching_up), ("events", 0, false));
    engine.stop_watching();
    disk.put("src/c.py", "def longer_name():\n    pass\n");
    assert_eq!(engine.stale(&fourth, ["src/a.py", "src/c.py", "nothing.py"]), ["src/c.py"]);
    assert_eq!(engine.fresh(false).graph.named("longer_name").len(), 1);
}

#[test]
fn content_that_brought_a_parser_down_is_listed_and_the_rest_is_indexed() {
    let disk = Disk::new();
    let bad = "def bad():\n    pass\n";
    disk.put("bad.py", bad);
    disk.put("good.py", "def good():\n    pass\n");
    let content = (*blake3::hash(bad.as_bytes()).as_bytes(), Lang::of_path("bad.py").expect("a language"));
    let journal = Journal::open(&disk.top.join("cache/inflight"), 2).expect("a journal");
    journal.settle(&content, true);
    drop(journal);
    let (engine, view) = disk.tracked("cache", &["repo"]);
    assert_eq!(view.report.without_facts, [("bad.py".to_owned(), "parser_crashed")]);
    assert_eq!(view.graph.file("bad.py").map(|file| file.status), Some(FileStatus::Crashed));
    assert_eq!((view.graph.named("bad").len(), view.graph.named("good").len()), (0, 1));
    // Mended content gets a new chance.
    disk.put("bad.py", "def bad():\n    return 1\n");
    let view = engine.fresh(true);
    assert_eq!((view.graph.named("bad").len(), view.report.without_facts.len()), (1, 0));
}

#[test]
fn a_foreign_or_damaged_cache_costs_time_only() {
    let disk = Disk::new();
    perform(&disk, &Act::Switch(0));
    let cache = disk.top.join("cache");
    std::fs::create_dir_all(cache.join("0123").join("x")).expect("folders");
    std::fs::write(cache.join("facts.attic"), [7; 5000]).expect("a file");
    std::fs::write(cache.join("0123").join(snapshot::FILE), [7; 5000]).expect("a file");
    std::fs::write(cache.join("inflight"), "no folder").expect("a file");
    let (engine, view) = disk.tracked("cache", &["repo"]);
    disk.assert_as_cold(&view);
    disk.put("app/a.py", "def changed():\n    pass\n");
    disk.assert_as_cold(&engine.fresh(true));
    assert!(Path::new(&cache.join("facts.attic")).exists());
}

fn git(root: &Path, args: &[&str]) {
    let mut command = std::process::Command::new("git");
    command.current_dir(root).args(["-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "core.autocrlf=false"]);
    let done = command.args(args).env("GIT_CONFIG_GLOBAL", "/dev/null").output().expect("git runs");
    assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
}

#[test]
fn a_commit_is_viewed_without_a_checkout_and_as_if_it_were_one() {
    let disk = Disk::new();
    let root = disk.root();
    perform(&disk, &Act::Switch(0));
    disk.put("src/.gitignore", "gen/\n");
    disk.put("src/gen/tracked_but_ignored.py", "def generated():\n    pass\n");
    disk.put("node_modules/m/index.js", "export const m = 1\n");
    disk.put("big.py", &"x = 1\n".repeat(800_000));
    #[cfg(unix)]
    std::os::unix::fs::symlink("app/a.py", root.join("link.py")).expect("a link");
    git(&root, &["init", "-q", "-b", "main"]);
    git(&root, &["add", "-Af"]);
    git(&root, &["commit", "-qm", "one"]);
    git(&root, &["tag", "first"]);
    let (engine, one) = disk.tracked("cache", &["repo"]);
    perform(&disk, &Act::Switch(3));
    disk.put("src/.gitignore", "");
    git(&root, &["add", "-A"]);
    git(&root, &["commit", "-qm", "two"]);
    let two = engine.fresh(true);
    assert_ne!(disk.bytes(&one.graph), disk.bytes(&two.graph));
    let repo = two.repos[0].clone();
    let first = engine.view_of_ref(&repo, "first").expect("a view");
    assert_eq!((parsed(&first), first.revision.is_some()), (0, true));
    let paths = |view: &View| view.graph.files.iter().map(|file| (file.path.clone(), file.status)).collect::<Vec<_>>();
    assert_eq!(paths(&first), paths(&one));
    assert!(disk.bytes(&first.graph) == disk.bytes(&one.graph));
    let head = engine.view_of_ref(&repo, "HEAD").expect("a view");
    assert!(disk.bytes(&head.graph) == disk.bytes(&two.graph));
    // Names of one commit share its view, and asking changes nothing that is served.
    assert!(Arc::ptr_eq(&first, &engine.view_of_ref(&repo, "HEAD~1").expect("a view")));
    assert!(Arc::ptr_eq(&two, &engine.view()));
    assert!(engine.view_of_ref(&repo, "no-such-name").is_err());
}
