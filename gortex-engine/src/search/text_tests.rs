//! Tests of text search: what matches, what is shown, what is told, and that nothing outside is read.

use super::*;

fn never() -> AtomicBool {
    AtomicBool::new(false)
}

fn literal(pattern: &str) -> TextQuery<'_> {
    TextQuery { pattern, ..TextQuery::default() }
}

fn regexp(pattern: &str) -> TextQuery<'_> {
    TextQuery { pattern, regexp: true, ..TextQuery::default() }
}

/// Files of buffers, whose paths need not exist.
fn run(files: &[(&str, &[u8])], query: &TextQuery<'_>) -> Result<TextAnswer, TextError> {
    let root = Path::new("/nowhere");
    let list: Vec<TextFile<'_>> =
        files.iter().map(|(rel, bytes)| TextFile { root, rel, buffer: Some(bytes), known: None }).collect();
    search(&list, query, &never())
}

#[track_caller]
fn check(files: &[(&str, &[u8])], query: &TextQuery<'_>, expected: &[&str]) {
    let answer = run(files, query).expect("an answer");
    let rows: Vec<String> =
        answer.matches.iter().map(|row| format!("{}:{}:{} {}", files[row.file].0, row.line, row.col, row.text)).collect();
    assert_eq!(rows, expected);
}

const CASE: &[(&str, &[u8])] = &[("a.py", b"make_row = 1\nRateRow = 2\neither = \"x|y\"\n")];

// A query with `|` was searched as literal text and answered zero, which looked like "there is no such text".
#[test]
fn a_literal_that_looks_like_an_expression_explains_itself() {
    let hint = run(CASE, &literal("make_row|RateRow")).expect("an answer").literal_hint.expect("a hint");
    assert!(hint.contains("`regexp: true` it would find its parts") && hint.contains("a.py:1"), "{hint}");
    check(CASE, &regexp("make_row|RateRow"), &["a.py:1:1 make_row = 1", "a.py:2:1 RateRow = 2"]);
    check(CASE, &literal("x|y"), &["a.py:3:11 either = \"x|y\""]);
    let hint = run(CASE, &literal("no|pe|.*zz")).expect("an answer").literal_hint.expect("a hint");
    assert!(hint.contains("regexp") && hint.contains("finds nothing either"), "{hint}");
}

#[test]
fn a_plain_literal_gets_no_hint() {
    for query in ["nothing", "f()", "a.b", "call(", "x|y", "items[0]", "c++"] {
        assert_eq!(run(CASE, &literal(query)).expect("an answer").literal_hint, None, "{query}");
    }
}

#[test]
fn a_wrong_expression_is_an_error_with_a_place() {
    let error = |pattern| run(CASE, &regexp(pattern)).expect_err("refused").to_string();
    let text = error("make_row|RateRow(");
    assert!(text.contains("unclosed group") && text.contains("line 1, column 17"), "{text}");
    assert!(error("größe[").contains("column 6"));
    assert!(error("(?=a)").contains("look-around"));
    assert!(error(r"(a)\1").contains("backreferences"));
    assert!(error(r"\p{Nope}").contains("column 1"));
    assert!(error("((a{1000}){1000}){1000}").contains("can't be used"));
    assert_eq!(run(CASE, &literal("")), Err(TextError::Empty));
}

#[test]
fn case_counts_unless_told_otherwise() {
    check(&[("a", b"Gr\xc3\x96SSE\n")], &literal("grösse"), &[]);
    check(&[("a", b"Gr\xc3\x96SSE\n")], &TextQuery { ignore_case: true, ..literal("grösse") }, &["a:1:1 GrÖSSE"]);
}

#[test]
fn line_ends_of_all_kinds() {
    check(&[("a", b"x1\r\nx2\r\n\r\nx3")], &regexp("x.$"), &["a:1:1 x1", "a:2:1 x2", "a:4:1 x3"]);
    check(&[("a", b"")], &literal("x"), &[]);
    check(&[("a", b"\xef\xbb\xbfx = 1\n")], &regexp("^x"), &["a:1:1 x = 1"]);
}

#[test]
fn a_query_of_several_lines_finds_any_line_end() {
    let files: &[(&str, &[u8])] = &[("crlf", b"0\r\na(\r\nb\r\n"), ("lf", b"a(\nb"), ("not", b"a(\n\nb")];
    for query in ["a(\nb", "a(\r\nb"] {
        check(files, &literal(query), &["crlf:2:1 a(\r\nb", "lf:1:1 a(\nb"]);
    }
    check(files, &regexp(r"a\(\r?\nb"), &["crlf:2:1 a(\r\nb", "lf:1:1 a(\nb"]);
}

#[test]
fn other_encodings_are_searched_and_binaries_are_counted() {
    let utf16: Vec<u8> = [0xff, 0xfe].into_iter().chain("größe = 1\r\n".encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let files: &[(&str, &[u8])] = &[("bin", b"\0= 1"), ("latin", b"gr\xf6\xdfe = 1\n"), ("utf16", &utf16)];
    check(files, &literal("= 1"), &["latin:1:7 gr\u{fffd}\u{fffd}e = 1", "utf16:1:9 größe = 1"]);
    assert_eq!(run(files, &literal("= 1")).expect("an answer").binary, 1);
}

#[test]
fn long_lines_are_clipped_around_the_match() {
    let line = format!("{}日本{}\n", "é".repeat(5_000), "→".repeat(5_000));
    let answer = run(&[("a", line.as_bytes())], &literal("日本")).expect("an answer");
    let row = &answer.matches[0];
    assert!(row.text.contains("日本") && row.text.len() < 420 && !row.text.contains('\u{fffd}'), "{}", row.text);
    assert_eq!(row.col, 10_001);
}

#[test]
fn the_first_lines_by_path_are_found_and_more_is_told() {
    let names: Vec<String> = (0..700).rev().map(|n| format!("f{n:03}")).collect();
    let files: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b"x\nx\n"[..])).collect();
    let answer = run(&files, &TextQuery { limit: 3, ..literal("x") }).expect("an answer");
    let rows: Vec<_> = answer.matches.iter().map(|row| (files[row.file].0, row.line)).collect();
    assert_eq!(rows, [("f000", 1), ("f000", 2), ("f001", 1)]);
    assert!(!answer.total_is_exact && answer.searched < 700);
    let all = run(&files, &TextQuery { limit: 1400, ..literal("x") }).expect("an answer");
    assert!(all.total_is_exact && all.matches.len() == 1400);
}

#[test]
fn the_path_narrows_before_the_limit() {
    let files: &[(&str, &[u8])] = &[("a/x", b"x"), ("b/x", b"x"), ("bb/x", b"x")];
    check(files, &TextQuery { limit: 1, paths: PathFilter::parse("b"), ..literal("x") }, &["b/x:1:1 x"]);
}

#[test]
fn a_cancelled_search_is_no_empty_answer() {
    let list = [TextFile { root: Path::new("/nowhere"), rel: "a", buffer: Some(b"x"), known: None }];
    assert_eq!(search(&list, &literal("x"), &AtomicBool::new(true)), Err(TextError::Cancelled));
}

#[cfg(unix)]
#[test]
fn links_are_not_read_even_when_listed() {
    use std::os::unix::fs::symlink;
    let dir = tempfile::tempdir().expect("a folder");
    let root = dir.path().join("in");
    fs::create_dir_all(root.join("src")).expect("folders");
    fs::write(dir.path().join("outside.txt"), "TOP-SECRET").expect("a file");
    fs::write(root.join("src/a.txt"), "no SECRET").expect("a file");
    symlink("../../outside.txt", root.join("src/notes.txt")).expect("a link");
    symlink("..", root.join("up")).expect("a link");
    let rels = ["../outside.txt", "gone/x", "src", "src/a.txt", "src/notes.txt", "up/outside.txt"];
    let list: Vec<TextFile<'_>> = rels.iter().map(|rel| TextFile { root: &root, rel, buffer: None, known: None }).collect();
    let answer = search(&list, &literal("SECRET"), &never()).expect("an answer");
    assert_eq!(answer.matches.iter().map(|row| row.text.as_str()).collect::<Vec<_>>(), ["no SECRET"]);
    let skipped: Vec<String> = answer.skipped.iter().map(|(path, why)| format!("{path} {why}")).collect();
    assert_eq!(skipped, ["../outside.txt outside", "gone/x gone", "src unreadable", "src/notes.txt link", "up/outside.txt link"]);
}

/// Files on disk with their filters, as an index knows them.
fn on_disk(root: &Path, texts: &[String]) -> Vec<(String, u64, u64, Vec<u64>)> {
    let rows = texts.iter().enumerate().map(|(at, text)| {
        let rel = format!("f{at:02}");
        fs::write(root.join(&rel), text).expect("a file");
        let meta = fs::symlink_metadata(root.join(&rel)).expect("a file");
        (rel, meta.len(), modified_ns(&meta) as u64, crate::search::grams::build(text.as_bytes()))
    });
    rows.collect()
}

fn narrowed(
    root: &Path,
    rows: &[(String, u64, u64, Vec<u64>)],
    query: &TextQuery<'_>,
    narrow: bool,
) -> Result<TextAnswer, TextError> {
    let list: Vec<TextFile<'_>> = rows
        .iter()
        .map(|(rel, size, mtime_ns, grams)| {
            let known = narrow.then_some(Known { size: *size, mtime_ns: *mtime_ns, grams });
            TextFile { root, rel, buffer: None, known }
        })
        .collect();
    search(&list, query, &never())
}

#[test]
fn a_file_that_is_ruled_out_is_not_read_until_it_changes() {
    let dir = tempfile::tempdir().expect("a folder");
    let rows = on_disk(dir.path(), &["needle here".to_owned(), "only hay".to_owned(), "hay, hay".to_owned()]);
    let found = narrowed(dir.path(), &rows, &literal("needle"), true).expect("an answer");
    assert_eq!((found.matches.len(), found.searched, found.ruled_out), (1, 1, 2));
    // The index has not heard of this yet.
    fs::write(dir.path().join("f01"), "a needle came in").expect("a file");
    fs::remove_file(dir.path().join("f02")).expect("removed");
    let found = narrowed(dir.path(), &rows, &literal("needle"), true).expect("an answer");
    assert_eq!((found.matches.len(), found.ruled_out), (2, 0));
    assert_eq!(found.skipped, [("f02".to_owned(), "gone")]);
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config::with_cases(150))]

    #[test]
    fn a_narrowed_search_finds_what_a_full_one_finds(
        texts in proptest::collection::vec("([ab_S ]{0,12}\r?\n?){0,6}", 1..8),
        pattern in "([ab_S]{1,6}|[ab]{1,3}[.+?]?[abS]{1,4}|\\(ab\\|[ab_S]{3}\\)[ab]{0,4}|a\nb)",
        regexp: bool, ignore_case: bool,
    ) {
        let dir = tempfile::tempdir().expect("a folder");
        let rows = on_disk(dir.path(), &texts);
        let query = TextQuery { pattern: &pattern, regexp, ignore_case, ..TextQuery::default() };
        let (full, narrow) = (narrowed(dir.path(), &rows, &query, false), narrowed(dir.path(), &rows, &query, true));
        if let (Ok(full), Ok(narrow)) = (&full, &narrow) {
            proptest::prop_assert_eq!(&full.matches, &narrow.matches);
            proptest::prop_assert_eq!(full.searched, narrow.searched + narrow.ruled_out);
            proptest::prop_assert_eq!(&full.literal_hint, &narrow.literal_hint);
        } else {
            proptest::prop_assert_eq!(full, narrow);
        }
    }
}
