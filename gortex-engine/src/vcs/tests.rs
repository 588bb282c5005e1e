//! Tests of version control, each with a real repository.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::*;

struct Sandbox {
    dir: tempfile::TempDir,
}

impl Sandbox {
    fn new() -> Sandbox {
        let sandbox = Sandbox { dir: tempfile::tempdir().expect("a folder") };
        sandbox.git(&["init", "-q", "-b", "main"]);
        sandbox.git(&["config", "user.name", "n"]);
        sandbox.git(&["config", "user.email", "n@example.org"]);
        sandbox.git(&["config", "core.autocrlf", "false"]);
        sandbox
    }

    fn with(files: &[(&str, &str)]) -> Sandbox {
        let sandbox = Sandbox::new();
        for (path, text) in files {
            sandbox.put(path, text);
        }
        sandbox.commit("one");
        sandbox
    }

    fn git(&self, args: &[&str]) -> String {
        let mut command = Command::new("git");
        command.current_dir(self.dir.path()).args(args).env("GIT_CONFIG_GLOBAL", "/dev/null");
        let output = command.output().expect("git runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert!(output.status.success(), "git {args:?}: {}{}", text(&output.stdout), text(&output.stderr));
        text(&output.stdout)
    }

    fn put(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.dir.path().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        fs::write(path, text).expect("a file");
    }

    fn commit(&self, message: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
    }

    fn repo(&self) -> Repo {
        Repo::discover(self.dir.path()).expect("a repository")
    }

    #[track_caller]
    fn check(&self, scope: &Scope, expected: &[&str]) {
        let changes = self.repo().changes(scope).expect("changes");
        assert_eq!(changes.iter().map(shown).collect::<Vec<_>>(), expected);
    }
}

fn shown(change: &FileChange) -> String {
    let mut words = vec![change.status.as_str().to_owned(), change.path.clone()];
    if let Some(old) = &change.old_path {
        words.push(format!("from {old}"));
    }
    for hunk in &change.hunks {
        words.push(format!("-{},{}+{},{}", hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines));
    }
    for (flag, word) in [(change.eol_only, "eol"), (change.binary, "binary"), (change.submodule, "submodule")] {
        if flag {
            words.push(word.to_owned());
        }
    }
    words.join(" ")
}

const TEN: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";

#[test]
fn each_scope_compares_its_two_sides() {
    let sandbox = Sandbox::with(&[("a.txt", TEN), ("b.txt", TEN)]);
    sandbox.put("a.txt", TEN.replace("3\n", "drei\n"));
    sandbox.git(&["add", "a.txt"]);
    sandbox.put("b.txt", TEN.replace("9\n", ""));
    sandbox.put("new.txt", "x");
    sandbox.check(&Scope::Staged, &["modified a.txt -3,1+3,1"]);
    sandbox.check(&Scope::Unstaged, &["modified b.txt -9,1+8,0"]);
    sandbox.check(&Scope::All, &["modified a.txt -3,1+3,1", "modified b.txt -9,1+8,0"]);
    assert_eq!(sandbox.repo().untracked(200).expect("a list"), Untracked { paths: vec!["new.txt".to_owned()], total: 1 });
    assert_eq!(sandbox.repo().untracked(0).expect("a list").total, 1);
}

#[test]
fn compare_starts_at_the_common_ancestor() {
    let sandbox = Sandbox::with(&[("a.txt", TEN)]);
    sandbox.git(&["checkout", "-q", "-b", "feature"]);
    sandbox.put("größe/ü.txt", "x\ny");
    sandbox.commit("two");
    sandbox.git(&["checkout", "-q", "main"]);
    sandbox.put("a.txt", "other\n");
    sandbox.commit("three");
    sandbox.git(&["checkout", "-q", "feature"]);
    sandbox.put("a.txt", "not committed\n");
    sandbox.check(&Scope::Compare { base: "main".to_owned() }, &["added größe/ü.txt -0,0+1,2"]);
}

#[test]
fn added_deleted_and_renamed_files() {
    let sandbox = Sandbox::with(&[("old name.py", TEN), ("gone.py", "a\nb\n"), ("empty.py", "")]);
    sandbox.git(&["mv", "old name.py", "new.py"]);
    sandbox.git(&["rm", "-q", "gone.py"]);
    sandbox.put("new.py", TEN.replace("5\n", "five\n"));
    sandbox.put("added.py", "no newline");
    sandbox.put("empty2.py", "");
    sandbox.git(&["rm", "-q", "empty.py"]);
    sandbox.git(&["add", "-A"]);
    sandbox.check(
        &Scope::All,
        &[
            "added added.py -0,0+1,1",
            "renamed empty2.py from empty.py",
            "deleted gone.py -1,2+0,0",
            "renamed new.py from old name.py -5,1+5,1",
        ],
    );
}

// A CRLF conversion marked every symbol as changed; colours or prefixes in the user's settings made the diff unreadable.
#[test]
fn personal_settings_and_line_ends_change_nothing() {
    let sandbox = Sandbox::with(&[
        ("m.py", "def a():\n    return 1\n\ndef b():\n    return 2\n"),
        ("both.py", "a\nb\nc\nd"),
        ("größe.py", "def c():\n    return 3\n\ndef d():\n    return 4\n"),
    ]);
    for (key, value) in [
        ("color.ui", "always"),
        ("color.diff", "always"),
        ("diff.noprefix", "true"),
        ("diff.mnemonicPrefix", "true"),
        ("diff.external", "false"),
        ("diff.context", "5"),
        ("diff.interHunkContext", "9"),
        ("diff.renames", "false"),
        ("core.quotepath", "true"),
        ("core.pager", "false"),
        ("diff.statNameWidth", "3"),
        ("diff.orderFile", "/nonexistent"),
        ("core.fsmonitor", "/nonexistent"),
    ] {
        sandbox.git(&["config", key, value]);
    }
    sandbox.put("m.py", "def a():\r\n    return 1\r\n\r\ndef b():\r\n    return 2\r\n");
    sandbox.put("both.py", "a\r\nb\r\nX\r\nd");
    sandbox.put("größe.py", "def c():\n    return 3\n\ndef d():\n    return 5\n");
    sandbox.check(&Scope::Unstaged, &["modified both.py -3,1+3,1", "modified größe.py -5,1+5,1", "modified m.py eol"]);
}

#[test]
fn attributes_do_not_run_the_repositorys_programs() {
    let sandbox = Sandbox::with(&[(".gitattributes", "*.x diff=evil\n"), ("a.x", "1\n")]);
    sandbox.git(&["config", "diff.evil.textconv", "touch ran; cat"]);
    sandbox.git(&["config", "diff.evil.command", "touch ran;"]);
    sandbox.put("a.x", "2\n");
    sandbox.check(&Scope::Unstaged, &["modified a.x -1,1+1,1"]);
    assert!(!sandbox.dir.path().join("ran").exists());
}

#[test]
fn a_line_that_looks_like_a_header_is_a_line() {
    let sandbox = Sandbox::with(&[("a.txt", "-- a/other\nx\n"), ("b.txt", "1\n")]);
    sandbox.put("a.txt", "++ b/other\n@@ -1 +1 @@\ndiff --git a/x b/x\nx\n");
    sandbox.put("b.txt", "2\n");
    sandbox.check(&Scope::Unstaged, &["modified a.txt -1,1+1,3", "modified b.txt -1,1+1,1"]);
}

#[test]
fn odd_names_come_back_as_they_are() {
    let odd = [
        "a\"b.py",
        "tab\there.py",
        "line\nfeed.py",
        "back\\slash.py",
        "with space.py",
        "データ.py",
        "-dash.py",
        "*.py",
        ":(top)x.py",
    ];
    let files: Vec<(&str, &str)> = odd.iter().map(|name| (*name, "1\n")).collect();
    let sandbox = Sandbox::with(&files);
    for name in odd {
        sandbox.put(name, "2\n");
        assert_eq!(sandbox.repo().path_state(name), PathState::Tracked, "{name}");
        assert_eq!(sandbox.repo().blob("HEAD", name).expect("git answers"), Some(b"1\n".to_vec()), "{name}");
    }
    let changes = sandbox.repo().changes(&Scope::Unstaged).expect("changes");
    let mut expected = odd.map(str::to_owned);
    expected.sort_unstable();
    assert_eq!(changes.iter().map(|change| change.path.clone()).collect::<Vec<_>>(), expected);
    assert!(changes.iter().all(|change| change.hunks.len() == 1), "{changes:?}");
}

#[test]
fn binary_files_modes_and_submodules_have_no_lines() {
    let sandbox = Sandbox::with(&[("bin", "\0\u{1}"), ("run.sh", "x\n")]);
    sandbox.put("bin", "\0\u{2}");
    sandbox.git(&["update-index", "--chmod=+x", "run.sh"]);
    let commit = sandbox.git(&["rev-parse", "HEAD"]);
    sandbox.git(&["add", "bin"]);
    sandbox.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{},sub", commit.trim())]);
    sandbox.check(&Scope::Staged, &["modified bin binary", "modified run.sh", "added sub submodule"]);
}

#[test]
fn a_conflict_is_one_modified_file() {
    let sandbox = Sandbox::with(&[("a.txt", TEN)]);
    sandbox.git(&["checkout", "-q", "-b", "other"]);
    sandbox.put("a.txt", TEN.replace("5\n", "other\n"));
    sandbox.commit("two");
    sandbox.git(&["checkout", "-q", "main"]);
    sandbox.put("a.txt", TEN.replace("5\n", "mine\n"));
    sandbox.commit("three");
    let merged = Command::new("git").current_dir(sandbox.dir.path()).args(["merge", "-q", "other"]).output().expect("git runs");
    assert!(!merged.status.success());
    for scope in [Scope::Unstaged, Scope::All] {
        let changes = sandbox.repo().changes(&scope).expect("changes");
        assert_eq!(changes.len(), 1);
        assert_eq!((changes[0].status, changes[0].path.as_str()), (Status::Modified, "a.txt"));
        assert!(!changes[0].hunks.is_empty(), "{scope:?}");
    }
}

#[test]
fn before_the_first_commit() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.repo().head().expect("a head"), Head { commit: None, branch: Some("main".to_owned()) });
    sandbox.put("a.txt", "1\n2\n");
    sandbox.check(&Scope::All, &[]);
    sandbox.git(&["add", "-A"]);
    for scope in [Scope::All, Scope::Staged] {
        sandbox.check(&scope, &["added a.txt -0,0+1,2"]);
    }
}

#[test]
fn head_follows_branches_and_commits() {
    let sandbox = Sandbox::with(&[]);
    let head = sandbox.repo().head().expect("a head");
    assert_eq!(head.branch.as_deref(), Some("main"));
    sandbox.git(&["checkout", "-q", "--detach"]);
    assert_eq!(sandbox.repo().head().expect("a head"), Head { commit: head.commit, branch: None });
    sandbox.git(&["checkout", "-q", "-b", "a/b"]);
    assert_eq!(sandbox.repo().head().expect("a head").branch.as_deref(), Some("a/b"));
}

#[test]
fn a_folder_inside_knows_its_place() {
    let sandbox = Sandbox::with(&[("p/q/a.txt", "1")]);
    let repo = Repo::discover(&sandbox.dir.path().join("p/q")).expect("a repository");
    assert_eq!(repo.root, sandbox.dir.path().canonicalize().expect("a path"));
    assert_eq!(repo.prefix, "p/q/");
    assert_eq!((repo.below("p/q/a.txt"), repo.below("p/a.txt")), (Some("a.txt"), None));
    assert_eq!(repo.common_dir, repo.root.join(".git"));
    // Settings of a shell or a hook do not lead elsewhere; paths are still those of the whole work tree.
    assert!(repo.changes(&Scope::All).expect("changes").is_empty());
}

#[test]
fn errors_are_told_apart() {
    let empty = tempfile::tempdir().expect("a folder");
    let error = Repo::discover(empty.path()).expect_err("no repository");
    assert!(matches!(error, GitError::NotARepository { .. }), "{error}");
    let error = Repo::discover(Path::new("/no/such/folder")).expect_err("no folder");
    assert!(matches!(error, GitError::NotARepository { .. }), "{error}");
    let sandbox = Sandbox::with(&[("a", "1")]);
    for name in ["nope", "--output=x", "", "HEAD..HEAD", "HEAD:a"] {
        let error = sandbox.repo().changes(&Scope::Compare { base: name.to_owned() }).expect_err("no such commit");
        assert!(matches!(error, GitError::UnknownRef { .. }), "{name}: {error}");
    }
    sandbox.git(&["checkout", "-q", "--orphan", "lonely"]);
    sandbox.commit("two");
    let error = sandbox.repo().merge_base("main", "HEAD").expect_err("nothing in common");
    assert!(matches!(error, GitError::NoMergeBase { .. }), "{error}");
}

#[test]
fn blobs_are_the_committed_bytes() {
    let sandbox = Sandbox::with(&[("d/a.txt", "one\r\n"), ("empty", "")]);
    sandbox.put("d/a.txt", "two");
    let repo = sandbox.repo();
    assert_eq!(repo.blob("main", "d/a.txt").expect("git answers"), Some(b"one\r\n".to_vec()));
    assert_eq!(repo.blob("HEAD", "empty").expect("git answers"), Some(Vec::new()));
    for none in ["d", "nope", "d/nope", "../x", "a b missing"] {
        assert_eq!(repo.blob("HEAD", none).expect("git answers"), None, "{none}");
    }
    assert!(matches!(repo.blob("nope", "empty"), Err(GitError::UnknownRef { .. })));
}

#[test]
fn states_of_paths() {
    let sandbox = Sandbox::with(&[(".gitignore", "*.log\nout/\n"), ("d/a.py", "1"), ("kept.log", "1")]);
    sandbox.git(&["add", "-f", "kept.log"]);
    for path in ["new.py", "b.log", "out/x"] {
        sandbox.put(path, "");
    }
    fs::remove_file(sandbox.dir.path().join("d/a.py")).expect("a file");
    let repo = sandbox.repo();
    for (path, state) in [
        ("d/a.py", "tracked"),
        ("kept.log", "tracked"),
        ("new.py", "untracked"),
        ("b.log", "ignored"),
        ("out/x", "ignored"),
        ("out", "ignored"),
        ("nope", "absent"),
        ("../x", "unknown"),
        ("", "unknown"),
    ] {
        assert_eq!(repo.path_state(path).as_str(), state, "{path}");
    }
    assert_eq!(repo.is_ignored(&["new.py", "b.log", ":größe.log"]).expect("git answers"), [false, true, true]);
    assert_eq!(repo.is_ignored(&["new.py"]).expect("git answers"), [false]);
}

#[test]
fn worktrees_are_listed() {
    let sandbox = Sandbox::with(&[("a", "1")]);
    let other = tempfile::tempdir().expect("a folder");
    let path = other.path().canonicalize().expect("a path").join("größe tree");
    sandbox.git(&["worktree", "add", "-q", "-b", "side", path.to_str().expect("UTF-8")]);
    let list = sandbox.repo().worktrees().expect("a list");
    let names: Vec<_> = list.iter().map(|tree| (tree.path.as_path(), tree.branch.as_deref())).collect();
    assert_eq!(names, [(sandbox.repo().root.as_path(), Some("main")), (path.as_path(), Some("side"))]);
    let linked = Repo::discover(&path).expect("a repository");
    assert_eq!(linked.common_dir, sandbox.repo().git_dir);
    assert_ne!(linked.git_dir, linked.common_dir);
    fs::remove_dir_all(&path).expect("a folder");
    assert!(sandbox.repo().worktrees().expect("a list")[1].prunable);
}
