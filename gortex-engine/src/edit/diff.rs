//! What a dry run shows: a unified diff of two versions of a file.
//!
//! Bytes that are not UTF-8 are shown as replacement characters; the diff is for reading, nothing is ever made from it.
//!
//! Knows nothing of disks.

use similar::TextDiff;

/// Beyond this many differing lines one hunk is shown, because finding the smallest diff would take too long.
const PRECISE_LINES: usize = 20_000;

/// The unified diff between two versions at a root-relative path; empty when they are equal.
pub fn unified(rel: &str, before: Option<&[u8]>, after: Option<&[u8]>) -> String {
    let (old_name, new_name) = (name("a", rel, before), name("b", rel, after));
    let old = String::from_utf8_lossy(before.unwrap_or_default());
    let new = String::from_utf8_lossy(after.unwrap_or_default());
    if old == new {
        return String::new();
    }
    let lines = old.bytes().chain(new.bytes()).filter(|byte| *byte == b'\n').count();
    if lines > PRECISE_LINES {
        return coarse(&old, &new, &old_name, &new_name);
    }
    TextDiff::from_lines(old.as_ref(), new.as_ref()).unified_diff().header(&old_name, &new_name).to_string()
}

fn name(side: &str, rel: &str, version: Option<&[u8]>) -> String {
    version.map_or_else(|| "/dev/null".to_owned(), |_| format!("{side}/{rel}"))
}

/// One hunk from the first to the last differing line.
fn coarse(old: &str, new: &str, old_name: &str, new_name: &str) -> String {
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let new: Vec<&str> = new.split_inclusive('\n').collect();
    let front = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let most = old.len().min(new.len()) - front;
    let back = old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(old, new)| old == new).count();
    let gone = &old[front..old.len() - back];
    let come = &new[front..new.len() - back];
    let start = |lines: &[&str]| front + usize::from(!lines.is_empty());
    let mut out =
        format!("--- {old_name}\n+++ {new_name}\n@@ -{},{} +{},{} @@\n", start(gone), gone.len(), start(come), come.len());
    for (sign, line) in gone.iter().map(|line| ('-', line)).chain(come.iter().map(|line| ('+', line))) {
        out.push(sign);
        out.push_str(line);
        if !line.ends_with('\n') {
            out.push_str("\n\\ No newline at end of file\n");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    #[track_caller]
    fn check(before: Option<&str>, after: Option<&str>, expected: Expect) {
        expected.assert_eq(&unified("f", before.map(str::as_bytes), after.map(str::as_bytes)));
    }

    #[test]
    fn shows_what_changes() {
        check(
            Some("a\nb\n"),
            Some("a\nc"),
            expect![[r"
                --- a/f
                +++ b/f
                @@ -1,2 +1,2 @@
                 a
                -b
                +c
                \ No newline at end of file
            "]],
        );
        check(
            None,
            Some("é\n"),
            expect![[r"
                --- /dev/null
                +++ b/f
                @@ -0,0 +1 @@
                +é
            "]],
        );
        check(Some("a"), Some("a"), expect![[""]]);
    }

    #[test]
    fn a_huge_change_is_one_hunk() {
        let old = format!("same\n{}end\n", "a\n".repeat(PRECISE_LINES));
        let diff = unified("f", Some(old.as_bytes()), Some(b"same\nb\nend\n"));
        assert!(diff.starts_with(&format!("--- a/f\n+++ b/f\n@@ -2,{PRECISE_LINES} +2,1 @@\n-a\n")));
        assert!(diff.ends_with("-a\n+b\n"));
    }
}
