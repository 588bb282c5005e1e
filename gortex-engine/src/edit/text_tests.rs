//! What replacing does to bytes, by example and against a naive version.

use super::*;
use proptest::prelude::*;

fn request<'a>(old: &'a str, new: &'a str) -> Request<'a> {
    Request { path: "f", old: old.as_bytes(), new: new.as_bytes(), replace_all: false, expected: None, region: None }
}

#[track_caller]
fn check(file: &str, old: &str, new: &str, expected: Result<&str, &str>) {
    let done = replace(file.as_bytes(), &request(old, new));
    let done = done.map(|done| String::from_utf8(done.bytes).unwrap()).map_err(|error| error.to_string());
    assert_eq!(done.as_deref().map_err(String::as_str), expected);
}

#[track_caller]
fn check_region(file: &str, lines: (u32, u32), old: &str, new: &str, expected: Result<&str, &str>) {
    let region = Some(LineRange { first: lines.0, last: lines.1 });
    let done = replace(file.as_bytes(), &Request { region, ..request(old, new) });
    let done = done.map(|done| String::from_utf8(done.bytes).unwrap()).map_err(|error| error.code());
    assert_eq!(done.as_deref().map_err(|code| *code), expected);
}

// Editing a CRLF file with an LF fragment reported "not found" although the text was there.
#[test]
fn case_01_an_lf_fragment_fits_a_crlf_file() {
    check("alpha\r\nbeta\r\ngamma\r\n", "alpha\nbeta", "alpha\nBETA\nnew", Ok("alpha\r\nBETA\r\nnew\r\ngamma\r\n"));
    check("one\r\ntwo\nthree\r\nfour\n", "three", "THREE", Ok("one\r\ntwo\nTHREE\r\nfour\n"));
    check("last line has no end", "no end", "no newline", Ok("last line has no newline"));
}

#[test]
fn a_crlf_fragment_fits_an_lf_file() {
    check("a\nb\nc\n", "a\r\nb", "x\r\ny", Ok("x\ny\nc\n"));
}

#[test]
fn normalising_is_said_and_plain_edits_do_not_say_it() {
    let said = |file: &str, old, new| replace(file.as_bytes(), &request(old, new)).unwrap().eol_normalized;
    assert!(said("a\r\nb\r\n", "a\nb", "c\nd"));
    assert!(said("a\r\nb\r\n", "a", "c\nd"));
    assert!(!said("a\r\nb\r\n", "a\r\nb", "c\r\nd"));
    assert!(!said("a\nb\n", "a\nb", "c\nd"));
    assert!(!said("a\r\nb\n", "a", "c"));
}

#[test]
fn several_lines_for_one_word_take_the_end_of_its_line() {
    check("a\r\nb\nc\r\n", "a", "x\ny", Ok("x\r\ny\r\nb\nc\r\n"));
    check("a\r\nb\nc\r\n", "b", "x\ny", Ok("a\r\nx\ny\nc\r\n"));
    check("a\r\nb", "b", "x\ny", Ok("a\r\nx\r\ny"));
    check("a", "a", "x\r\ny", Ok("x\r\ny"));
}

#[test]
fn shared_lines_of_a_mixed_match_keep_their_ends() {
    check("a\r\nb\nc\r\nd\n", "a\nb\nc\nd\n", "a\nB\nB2\nc\nd\n", Ok("a\r\nB\nB2\nc\r\nd\n"));
    check("a\nb\r\nc\n", "a\nb\nc", "a\nnew\nb\nc", Ok("a\nnew\nb\r\nc\n"));
    check("a\r\nb\nc", "a\nb\nc", "b\nc", Ok("b\nc"));
}

#[test]
fn a_match_takes_both_bytes_of_a_line_end_or_none() {
    check("a\r\nb\r\n", "\nb", "", Ok("a\r\n"));
    check("a\r\nb\r\n", "a\n", "", Ok("b\r\n"));
    check("a\r\nb\r\n", "a\rb", "c", Err("`f` does not contain the text to replace"));
}

#[test]
fn case_02_text_is_never_a_pattern() {
    check("cost = SLOT;", "SLOT", r"$$1 $& $0 ${x} \1 \n &", Ok(r"cost = $$1 $& $0 ${x} \1 \n &;"));
    check("path: a.b(c)\npath: aXb(c)\n", "a.b(c)", "done", Ok("path: done\npath: aXb(c)\n"));
}

#[test]
fn case_03_bytes_that_are_not_utf8_survive() {
    let done = replace(b"char *s = \"caf\xe9\";\nint n = 1;\n", &request("n = 1", "n = 2")).unwrap();
    assert_eq!(done.bytes, b"char *s = \"caf\xe9\";\nint n = 2;\n");
}

#[test]
fn half_a_character_is_refused() {
    let cut = Request { old: b"\xa9", ..request("", "x") };
    let error = replace("a\nk\u{e9}\n".as_bytes(), &cut).unwrap_err();
    assert!(matches!(error, EditError::SplitsCharacter { line: 2, .. }));
    // The same byte by itself is a character of another encoding, and may go.
    assert_eq!(replace(b"caf\xa9", &cut).unwrap().bytes, b"cafx");
}

#[test]
fn the_byte_order_mark_stays_where_it_is() {
    check("\u{feff}a\n", "a", "b", Ok("\u{feff}b\n"));
    check("\u{feff}a\n", "\u{feff}a", "b", Ok("\u{feff}b\n"));
    check("\u{feff}a\n", "\u{feff}a\n", "\u{feff}b\n", Ok("\u{feff}b\n"));
    check("\u{feff}a\n", "a\n", "", Ok("\u{feff}"));
}

#[test]
fn identical_texts_are_refused_even_with_other_ends() {
    let said = "old and new text are identical, apart from line ends at most; nothing to do in `f`";
    check("a\r\nb", "a\nb", "a\r\nb", Err(said));
    check("a", "a", "a", Err(said));
}

#[test]
fn an_empty_text_is_no_text() {
    check("a", "", "b", Err("`old_string` is empty"));
    check("", "a", "b", Err("`f` does not contain the text to replace"));
}

#[test]
fn a_miss_names_the_nearest_line_and_no_content() {
    check(
        "fn one() {}\nfn  two(secret: u8) {}\n",
        "fn two(secret: u8) {}",
        "x",
        Err("`f` does not contain the text to replace; line 2 differs in white space only"),
    );
    check(
        "alpha\nlet total = sum(items);\n",
        "let total = sum(item);",
        "x",
        Err("`f` does not contain the text to replace; most alike is line 2"),
    );
}

#[test]
fn ambiguity_counts_and_names_three_lines() {
    check("x\nx\ny x\nx\n", "x", "z", Err("the text to replace occurs 4 times in `f`, first at lines 1, 2, 3"));
}

#[test]
fn all_means_all_and_expected_means_exactly() {
    let all = Request { replace_all: true, ..request("x\n", "y\n") };
    let done = replace(b"x\r\nx\nx\n", &all).unwrap();
    assert_eq!((done.bytes.as_slice(), done.count), (&b"y\r\ny\ny\n"[..], 3));
    let two = Request { expected: Some(2), ..all };
    assert!(matches!(replace(b"x\n", &two), Err(EditError::OccurrenceMismatch { expected: 2, actual: 1, .. })));
    assert!(replace(b"x\nx\n", &two).is_ok());
}

#[test]
fn case_06_only_the_region_counts() {
    let file = "const rows = () => {\n  return 1;\n};\nconst cells = () => {\n  return 1;\n};\n";
    let after = "const rows = () => {\n  return 1;\n};\nconst cells = () => {\n  return 2;\n};\n";
    check_region(file, (4, 6), "return 1;", "return 2;", Ok(after));
    check_region(file, (4, 5), "};", "", Err("match_not_found"));
    check_region(file, (6, 9), "};", "", Err("symbol_range_unknown"));
    check_region(file, (0, 2), "};", "", Err("symbol_range_unknown"));
}

#[test]
fn case_05_the_region_grows_over_what_belongs_to_the_symbol() {
    let python = "x = 1\n@cached\n# keeps\ndef f():\n    pass\n";
    check_region(python, (4, 5), "@cached\n# keeps\ndef f():", "def f():", Ok("x = 1\ndef f():\n    pass\n"));
    check_region(python, (4, 5), "x = 1", "", Err("match_not_found"));
    let rust = "use a;\n/// Doc.\n#[inline]\n\nfn f() {}\n";
    check_region(rust, (5, 5), "#[inline]\n", "", Ok("use a;\n/// Doc.\n\nfn f() {}\n"));
    let c = "#include <a.h>\n/* why\nanything\n*/\nint f(void);\n";
    check_region(c, (5, 5), "anything", "all", Ok("#include <a.h>\n/* why\nall\n*/\nint f(void);\n"));
    check_region(c, (5, 5), "#include <a.h>", "", Err("match_not_found"));
}

#[test]
fn the_last_line_counts_without_its_end() {
    check_region("a\nb", (2, 2), "b", "c", Ok("a\nc"));
    check_region("", (1, 1), "b", "c", Err("match_not_found"));
}

/// Text with LF ends over a small alphabet, so that matches are frequent.
fn lf_text() -> impl Strategy<Value = String> {
    "[ab\u{e9}\n]{0,24}"
}

proptest! {
    #[test]
    fn equals_the_naive_version_on_lf_text(file in lf_text(), old in "[ab\u{e9}\n]{1,3}", new in "[ab$\n]{0,4}") {
        let all = Request { replace_all: true, ..request(&old, &new) };
        let done = replace(file.as_bytes(), &all);
        if old == new {
            prop_assert!(matches!(done, Err(EditError::Identical { .. })), "must be identical");
        } else if !file.contains(&old) {
            prop_assert!(matches!(done, Err(EditError::NoMatch { .. })), "must be a miss");
        } else {
            prop_assert_eq!(String::from_utf8(done.unwrap().bytes).unwrap(), file.replace(&old, &new));
        }
    }

    #[test]
    fn crlf_files_change_exactly_as_lf_files_do(file in lf_text(), old in "[ab\u{e9}\n]{1,3}", new in "[ab\n]{0,4}") {
        // A file of one line says nothing about its ends, so both forms get one that does.
        let file = format!("{file}\n");
        let all = Request { replace_all: true, ..request(&old, &new) };
        let lf = replace(file.as_bytes(), &all);
        let crlf = replace(file.replace('\n', "\r\n").as_bytes(), &all);
        match (lf, crlf) {
            (Ok(lf), Ok(crlf)) => {
                let expected = String::from_utf8(lf.bytes).unwrap().replace('\n', "\r\n");
                prop_assert_eq!(String::from_utf8(crlf.bytes).unwrap(), expected);
                prop_assert_eq!(lf.count, crlf.count);
            }
            (Err(lf), Err(crlf)) => prop_assert_eq!(lf.to_string(), crlf.to_string()),
            (lf, crlf) => prop_assert!(false, "{:?} against {:?}", lf, crlf),
        }
    }

    #[test]
    fn bytes_outside_the_match_never_change(
        before in proptest::collection::vec(any::<u8>(), 0..20),
        after in proptest::collection::vec(any::<u8>(), 0..20),
        new in "[a-z\n\r]{0,6}",
    ) {
        let file = [before.as_slice(), b"<NEEDLE>", after.as_slice()].concat();
        let done = replace(&file, &request("<NEEDLE>", &new)).unwrap().bytes;
        prop_assert!(done.starts_with(&before));
        prop_assert!(done.ends_with(&after));
    }
}
