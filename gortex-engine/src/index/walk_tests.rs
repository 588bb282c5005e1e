//! Tests of the walk: ignore rules as git reads them, links, and what is left out.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;

use super::*;

fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a temporary folder");
    for (path, text) in files {
        put(dir.path(), path, text);
    }
    dir
}

fn put(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
    fs::write(path, text).expect("a file");
}

fn git(root: &Path, args: &[&str]) -> String {
    let mut command = Command::new("git");
    let output = command.current_dir(root).args(args).env("GIT_CONFIG_GLOBAL", "/dev/null").output().expect("git runs");
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[track_caller]
fn found(root: &Path) -> Walk {
    let one = walk(root, 1, &AtomicBool::new(false)).expect("a list");
    let four = walk(root, 4, &AtomicBool::new(false)).expect("a list");
    assert_eq!(one, four, "the list depends on the number of threads");
    one
}

fn names(walk: &Walk) -> Vec<&str> {
    walk.files.iter().map(|file| file.rel.as_str()).collect()
}

#[track_caller]
fn check(files: &[(&str, &str)], expected: &[&str]) {
    let dir = tree(files);
    assert_eq!(names(&found(dir.path())), expected);
}

/// Compares with git itself.
#[track_caller]
fn check_like_git(files: &[(&str, &str)]) {
    let dir = tree(files);
    git(dir.path(), &["init", "-q"]);
    let listed = git(dir.path(), &["-c", "core.quotepath=false", "ls-files", "-z", "--others", "--exclude-standard"]);
    let mut expected: Vec<&str> = listed.split('\0').filter(|name| !name.is_empty()).collect();
    expected.sort_unstable();
    assert_eq!(names(&found(dir.path())), expected);
}

#[test]
fn order_and_place_of_rules_are_those_of_git() {
    check_like_git(&[
        (".gitignore", "*.log\n!keep/*.log\n/build/*\n!/build/keep.py\ndocs/\n!docs/api.py\n"),
        ("a.log", ""),
        ("keep/b.log", ""),
        ("build/x.py", ""),
        ("build/keep.py", ""),
        ("sub/build/x.py", ""),
        ("docs/api.py", ""),
        ("main.py", ""),
    ]);
}

#[test]
fn nearer_rules_win_as_in_git() {
    check_like_git(&[
        (".gitignore", "*.tmp\nout\n"),
        ("a/.gitignore", "!b.tmp\n/only.txt\n"),
        ("a/b.tmp", ""),
        ("a/c.tmp", ""),
        ("a/only.txt", ""),
        ("a/d/only.txt", ""),
        ("a/out/x", ""),
        ("größe/データ.txt", ""),
    ]);
}

#[test]
fn crlf_and_bom_in_an_ignore_file_are_no_part_of_a_rule() {
    check(&[(".gitignore", "\u{feff}*.log\r\n/x\r\n"), ("a.log", ""), ("x", ""), ("y/x", "")], &[".gitignore", "y/x"]);
}

#[test]
fn rules_hold_without_a_repository() {
    check(&[(".gitignore", "*.log"), ("a.log", ""), ("a.py", "")], &[".gitignore", "a.py"]);
}

#[test]
fn tool_rules_outrank_those_of_git() {
    check(
        &[(".gitignore", "gen/\n"), (".gortexignore", "!gen/\nsecret.py\n"), ("gen/a.py", ""), ("secret.py", "")],
        &[".gitignore", ".gortexignore", "gen/a.py"],
    );
}

#[test]
fn a_bad_rule_is_told_and_the_others_hold() {
    let dir = tree(&[(".gitignore", "a{b\n*.log\n"), ("x.log", ""), ("y", "")]);
    let walk = found(dir.path());
    assert_eq!(names(&walk), [".gitignore", "y"]);
    assert_eq!(walk.problems.len(), 1, "{:?}", walk.problems);
    assert_eq!(walk.ignored, 1);
}

#[test]
fn rules_above_the_root_hold_up_to_the_repository_and_no_further() {
    let dir = tree(&[
        (".gitignore", "*.py\n"),
        ("repo/.gitignore", "*.log\n/sub/deep/x\n"),
        ("repo/sub/a.log", ""),
        ("repo/sub/a.py", ""),
        ("repo/sub/x", ""),
        ("repo/sub/deep/x", ""),
    ]);
    git(&dir.path().join("repo"), &["init", "-q"]);
    put(dir.path(), "repo/.git/info/exclude", "x\n!sub/x\n");
    assert_eq!(names(&found(&dir.path().join("repo/sub"))), ["a.py", "x"]);
}

#[test]
fn a_root_that_rules_hide_is_seen_all_the_same() {
    let dir = tree(&[(".gitignore", "build/\n"), ("build/a.py", ""), ("build/b/c.py", "")]);
    git(dir.path(), &["init", "-q"]);
    assert_eq!(names(&found(&dir.path().join("build"))), ["a.py", "b/c.py"]);
    assert_eq!(names(&found(&dir.path().join("build/b"))), ["c.py"]);
    assert_eq!(names(&found(dir.path())), [".gitignore"]);
}

#[test]
fn a_nested_repository_has_its_own_rules() {
    let dir = tree(&[(".gitignore", "*.gen\n"), ("inner/a.gen", ""), ("b.gen", "")]);
    git(dir.path(), &["init", "-q"]);
    fs::create_dir_all(dir.path().join("inner")).expect("a folder");
    git(&dir.path().join("inner"), &["init", "-q"]);
    assert_eq!(names(&found(dir.path())), [".gitignore", "inner/a.gen"]);
}

#[test]
fn what_is_never_source_is_reported_and_can_be_asked_for() {
    let files = [
        ("node_modules/a/index.js", ""),
        ("p/__pycache__/a.pyc", ""),
        ("venv/pyvenv.cfg", ""),
        ("venv/lib/a.py", ""),
        ("target/CACHEDIR.TAG", ""),
        ("target/x.rs", ""),
        ("src/target/x.rs", ""),
        ("lib/venv/a.py", ""),
    ];
    let dir = tree(&files);
    let walk = found(dir.path());
    assert_eq!(names(&walk), ["lib/venv/a.py", "src/target/x.rs"]);
    let excluded: Vec<_> = walk.excluded.iter().map(|(path, why)| format!("{path} {why}")).collect();
    assert_eq!(
        excluded,
        ["node_modules installed_packages", "p/__pycache__ bytecode_cache", "target build_output", "venv virtual_environment",]
    );
    put(dir.path(), ".gortexignore", "!node_modules\n");
    assert!(names(&found(dir.path())).contains(&"node_modules/a/index.js"));
}

#[test]
fn a_linked_worktree_inside_is_left_out_and_is_a_root_by_itself() {
    let dir = tree(&[("a.py", ""), (".gitignore", "*.log\n")]);
    git(dir.path(), &["init", "-q"]);
    git(dir.path(), &["add", "-A"]);
    git(dir.path(), &["-c", "user.name=n", "-c", "user.email=n@example.org", "commit", "-qm", "one"]);
    git(dir.path(), &["worktree", "add", "-q", "wt"]);
    put(dir.path(), ".git/info/exclude", "secret\n");
    put(dir.path(), "wt/secret", "");
    let walk = found(dir.path());
    assert_eq!(names(&walk), [".gitignore", "a.py"]);
    assert!(walk.excluded.contains(&("wt".to_owned(), "linked_worktree")));
    assert_eq!(names(&found(&dir.path().join("wt"))), [".gitignore", "a.py"]);
}

#[test]
fn hidden_files_are_files() {
    check(&[(".github/workflows/ci.yml", ""), (".env", "")], &[".env", ".github/workflows/ci.yml"]);
}

#[cfg(unix)]
#[test]
fn links_are_told_and_never_followed() {
    use std::os::unix::fs::symlink;
    let dir = tree(&[("in/roles/web/main.py", "def main(): pass\n"), ("outside.txt", "secret")]);
    let root = dir.path().join("in");
    symlink(".", root.join("self")).expect("a link");
    symlink("/", root.join("rootlink")).expect("a link");
    symlink("gone", root.join("dangling")).expect("a link");
    symlink("loop", root.join("loop")).expect("a link");
    symlink("../outside.txt", root.join("notes.txt")).expect("a link");
    symlink("roles/web/main.py", root.join("again.py")).expect("a link");
    let walk = found(&root);
    assert_eq!(names(&walk), ["roles/web/main.py"]);
    let skipped: Vec<_> = walk.skipped.iter().map(|skip| format!("{} {}", skip.rel, skip.reason.as_str())).collect();
    assert_eq!(
        skipped,
        ["again.py symlink", "dangling dangling", "loop dangling", "notes.txt outside", "rootlink outside", "self symlink",]
    );
}

#[cfg(unix)]
#[test]
fn a_name_that_is_no_utf8_is_counted() {
    use std::os::unix::ffi::OsStrExt as _;
    let dir = tree(&[("a", "")]);
    fs::write(dir.path().join(std::ffi::OsStr::from_bytes(b"b\xff")), "").expect("a file");
    let walk = found(dir.path());
    assert_eq!(names(&walk), ["a"]);
    assert_eq!(walk.skipped, [Skipped { rel: "b\u{fffd}".to_owned(), reason: SkipReason::NameNotUtf8 }]);
}

#[cfg(unix)]
#[test]
fn a_pipe_is_no_file_and_no_ignore_file() {
    let dir = tree(&[("a", "")]);
    let made = Command::new("mkfifo").current_dir(dir.path()).args([".gitignore", "p"]).status().expect("mkfifo");
    assert!(made.success());
    let walk = found(dir.path());
    assert_eq!(names(&walk), ["a"]);
    assert_eq!(walk.skipped.iter().map(|skip| skip.reason.as_str()).collect::<Vec<_>>(), ["not_regular"; 2]);
}

#[test]
fn a_cancelled_walk_gives_no_half_list() {
    let dir = tree(&[("a", "")]);
    assert!(matches!(walk(dir.path(), 1, &AtomicBool::new(true)), Err(WalkError::Cancelled)));
}

#[test]
fn a_file_or_nothing_is_no_root() {
    let dir = tree(&[("a", "")]);
    let never = AtomicBool::new(false);
    assert!(matches!(walk(&dir.path().join("a"), 1, &never), Err(WalkError::NotADirectory { .. })));
    assert!(matches!(walk(&dir.path().join("b"), 1, &never), Err(WalkError::Io { .. })));
}

#[test]
fn size_and_time_are_those_of_the_file() {
    let dir = tree(&[("a", "12345")]);
    let walk = found(dir.path());
    assert_eq!(walk.files[0].size, 5);
    assert!(walk.files[0].mtime_ns > 0);
}

#[test]
fn only_plain_names_make_a_path_inside() {
    for plain in ["a", "a/b", "größe/x y", "a/./b"] {
        assert!(is_plain(plain), "{plain}");
    }
    for other in ["", "..", "a/../b", "/a", "./a"] {
        assert!(!is_plain(other), "{other}");
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { cases: 12, ..Default::default() })]

    /// Whatever the rules: the list is the one git makes.
    #[test]
    fn any_rules_are_read_as_git_reads_them(
        top in proptest::collection::vec(proptest::sample::select(RULES), 0..5),
        inner in proptest::collection::vec(proptest::sample::select(RULES), 0..4),
    ) {
        let (top, inner) = (top.join("\n"), inner.join("\n"));
        let mut files: Vec<(&str, &str)> = vec![(".gitignore", &top), ("a/.gitignore", &inner)];
        let tree = ["x", "y.log", "a/x", "a/y.log", "a/b/x", "a/b/y.log", "a/b/c/x", "b/x", "b/a/x", "b/ü y.log", "c d/x"];
        files.extend(tree.map(|path| (path, "")));
        check_like_git(&files);
    }
}

const RULES: &[&str] = &[
    "x",
    "/x",
    "!x",
    "!/x",
    "*.log",
    "!*.log",
    "a/",
    "/a/b",
    "b/",
    "!b/",
    "**/b",
    "a/**",
    "!a/**",
    "b/**/x",
    "a/*/x",
    "*",
    "!*/",
    "/*",
    "!/a",
    "?",
    "[xy]*",
    "!y.log",
    "# x",
    "",
    "\\!x",
    "c d",
    "c d/ ",
    "ü*",
    "!ü y.log",
    "a/b/c",
    "!a/b/c/x",
    "**/c/**",
    "x\r",
];
