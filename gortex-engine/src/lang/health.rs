//! Syntax health: how many places of a text its grammar can't make sense of.
//!
//! The count is what the parse gate of the edit room compares before and after; only parts of the tree that hold an error
//! are visited, so sound text costs the parse and nothing more.
//!
//! Knows grammars, not edits.

use tree_sitter::Tree;

use crate::edit::SyntaxHealth;
use crate::facts::ExtractLimits;
use crate::facts::walker::parse;
use crate::index::classify::{Content, classify};

/// The language of a text at this path and its number of syntax errors; `None` where there is no grammar, where the text is
/// not parsed (minified, too large, binary) or where the parser gave up.
pub fn syntax_health(path: &str, bytes: &[u8]) -> Option<SyntaxHealth> {
    let verdict = classify(path, bytes);
    let lang = verdict.lang.filter(|_| verdict.content == Content::Source)?;
    let tree = parse(lang.compiled(), bytes, ExtractLimits::default())?;
    Some(SyntaxHealth { language: lang.language().name, errors: count_errors(&tree) })
}

/// Places marked as wrong or as missing. What stands inside a wrong place is not counted again.
pub fn count_errors(tree: &Tree) -> u32 {
    let mut cursor = tree.walk();
    let mut count = 0;
    loop {
        let node = cursor.node();
        let wrong = node.is_error() || node.is_missing();
        count += u32::from(wrong);
        if !wrong && node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return count;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, text: &str, expected: Option<bool>) {
        assert_eq!(syntax_health(path, text.as_bytes()).map(|health| health.errors > 0), expected, "{path}: {text}");
    }

    #[test]
    fn sound_and_broken_text() {
        check("a.rs", "fn größe() {}\r\n", Some(false));
        check("a.rs", "fn größe( {}", Some(true));
        check("a.py", "", Some(false));
        check("a.go", "package a\nfunc f() {", Some(true));
    }

    #[test]
    fn text_without_a_grammar_is_not_judged() {
        check("a.txt", "fn (", None);
    }
}
