//! From changed lines to changed symbols.
//!
//! A symbol has changed when a line of it changed that belongs to none of its children; a container is therefore listed only
//! for its own lines. Lines that were taken away count where they stood: inside the symbol around the gap, and as symbols that
//! no longer exist when the old text had them.
//!
//! Knows facts and line ranges; versions are for `vcs`.

use crate::facts::{ExtractLimits, Facts, FactsView, extract};
use crate::graph::names::qualified;
use crate::index::classify::{Content, classify};

/// Lines of one text, from 1, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lines {
    /// The first.
    pub first: u32,
    /// The last.
    pub last: u32,
}

/// Definitions (row numbers) to which at least one of the lines belongs, and to none of their children.
pub fn innermost(view: &FactsView<'_>, changed: &[Lines]) -> Vec<u32> {
    let mut found = Vec::new();
    for (index, def) in view.defs.iter().enumerate() {
        let own = Lines { first: def.start_line, last: def.end_line };
        let children = || view.defs.iter().filter(|child| child.parent == index as u32);
        let touched = changed.iter().filter_map(|lines| overlap(*lines, own)).any(|part| {
            // A line on which a child stands may still be the parent's: `fn f() { fn g() {} }` on one line is both.
            let mut line = part.first;
            while line <= part.last {
                match children()
                    .filter(|child| child.start_line <= line && line <= child.end_line)
                    .map(|child| child.end_line)
                    .max()
                {
                    Some(end) => line = end + 1,
                    None => return true,
                }
            }
            false
        });
        if touched {
            found.push(index as u32);
        }
    }
    found
}

/// Definitions whose lines hold the place between a line and the next one.
pub fn around_gap(view: &FactsView<'_>, after: u32) -> Option<u32> {
    // The innermost is the last one in the order of rows: a parent stands before its children.
    let inside = view.defs.iter().enumerate().filter(|(_, def)| def.start_line <= after && after < def.end_line);
    inside.map(|(index, _)| index as u32).next_back()
}

fn overlap(a: Lines, b: Lines) -> Option<Lines> {
    let (first, last) = (a.first.max(b.first), a.last.min(b.last));
    (first <= last).then_some(Lines { first, last })
}

/// A definition of a text that is not in the graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OldSymbol {
    /// `Owner.member`.
    pub qualified: String,
    /// Its simple name.
    pub name: String,
    /// The kind, as answers give it.
    pub kind: &'static str,
    /// Its first line.
    pub line: u32,
}

/// The facts of a text that is not on disk; `None` when it has none.
pub fn facts_of(path: &str, bytes: &[u8]) -> Option<Facts> {
    let verdict = classify(path, bytes);
    let lang = verdict.lang.filter(|_| verdict.content == Content::Source)?;
    Some(extract(lang.compiled(), bytes, ExtractLimits::default()))
}

/// The hash by which the graph knows a file's content.
pub fn content_hash(bytes: &[u8]) -> [u8; 32] {
    *blake3::hash(bytes).as_bytes()
}

/// Definitions of an old text, those of `rows`, or all.
pub fn old_symbols(facts: &Facts, rows: Option<&[u32]>) -> Vec<OldSymbol> {
    let view = facts.view();
    let wanted = |index: &u32| rows.is_none_or(|rows| rows.contains(index));
    (0..view.defs.len() as u32)
        .filter(wanted)
        .map(|index| {
            let def = &view.defs[index as usize];
            OldSymbol {
                qualified: qualified(&view, index),
                name: view.str(def.name).to_owned(),
                kind: def.kind().node_kind(),
                line: def.name_line.max(def.start_line),
            }
        })
        .collect()
}

/// Symbols that the lines enclose or touch, outermost first: every definition with a line among them.
pub fn enclosing(view: &FactsView<'_>, lines: Lines) -> Vec<u32> {
    let touched = |index: u32| {
        let def = &view.defs[index as usize];
        overlap(lines, Lines { first: def.start_line, last: def.end_line }).is_some()
    };
    (0..view.defs.len() as u32).filter(|index| touched(*index)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "class C:\n    x = 1\n\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n\ndef h():\n    pass\n";

    #[track_caller]
    fn check(first: u32, last: u32, expected: &[&str]) {
        let facts = facts_of("a.py", TEXT.as_bytes()).expect("facts");
        let view = facts.view();
        let rows = innermost(&view, &[Lines { first, last }]);
        let names: Vec<String> = rows.iter().map(|row| qualified(&view, *row)).collect();
        assert_eq!(names, expected);
    }

    #[test]
    fn only_what_the_lines_belong_to() {
        check(5, 5, &["C.f"]);
        check(4, 8, &["C", "C.f", "C.g"]);
        check(1, 1, &["C"]);
        check(11, 11, &["h"]);
        check(9, 9, &[]);
    }

    #[test]
    fn a_text_without_a_grammar_has_no_facts() {
        assert!(facts_of("a.txt", b"x").is_none());
        assert!(facts_of("a.py", b"").is_some_and(|facts| facts.view().defs.is_empty()));
    }
}
