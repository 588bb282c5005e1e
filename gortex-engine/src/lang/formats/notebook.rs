//! Jupyter notebooks: code cells are Python (or another known language) in the host file, text cells have headings.
//!
//! A cell's text is an array of JSON strings. Each line is parsed where it stands, with its escapes undone at the same length,
//! so that positions are those of the file.
//!
//! Knows the notebook format, versions 4 and up.

use tree_sitter::{Node, Point, Range};

use crate::lang::common::Fields as _;

use super::super::{Action, Family, Hooks, Lang, Language};
use super::{Book, FORMAT, child, children};
use crate::facts::model::Kind;
use crate::facts::walker::{Embed, NewDef, Walker};

/// Notebooks.
pub(in crate::lang) static NOTEBOOK: Language = Language {
    name: "notebook",
    family: Family::Python,
    extensions: &["ipynb"],
    line_comment: "//",
    grammar: || tree_sitter_json::LANGUAGE.into(),
    table: &[("document", Action::Hook(document))],
    hooks: Hooks::NONE,
    ..FORMAT
};

fn document(walker: &mut Walker<'_>, root: Node<'_>) {
    let Some(top) = child(root, "object") else { return };
    let Some(cells) = value(walker, top, "cells").filter(|cells| cells.kind() == "array") else { return };
    let lang = kernel(walker, top);
    let mut text = walker.source.to_vec();
    let cells: Vec<(Node<'_>, String)> = children(cells)
        .into_iter()
        .filter_map(|cell| Some((value(walker, cell, "source")?, string(walker, value(walker, cell, "cell_type")?))))
        .collect();
    let mut book = Book::new();
    for (source, kind) in &cells {
        match (kind.as_str(), lang) {
            ("code", Some(lang)) => {
                let ranges = code(&mut text, *source);
                walker.embed_text(lang, &text, &ranges, Embed::Sound);
            }
            ("markdown", _) => headings(walker, &mut book, *source),
            _ => {}
        }
    }
}

/// The language of the code cells; Python where the file does not say.
fn kernel(walker: &Walker<'_>, top: Node<'_>) -> Option<Lang> {
    let metadata = value(walker, top, "metadata");
    let info = metadata.and_then(|node| value(walker, node, "language_info").and_then(|node| value(walker, node, "name")));
    let spec = || metadata.and_then(|node| value(walker, node, "kernelspec").and_then(|node| value(walker, node, "language")));
    match info.or_else(spec) {
        Some(name) => Lang::named(&string(walker, name).to_lowercase()),
        None => Lang::named("python"),
    }
}

fn value<'t>(walker: &Walker<'_>, object: Node<'t>, key: &str) -> Option<Node<'t>> {
    let pair = children(object)
        .into_iter()
        .find(|pair| pair.kind() == "pair" && pair.field("key").is_some_and(|name| string(walker, name) == key))?;
    pair.field("value")
}

fn string(walker: &Walker<'_>, node: Node<'_>) -> String {
    walker.text(node).trim_matches('"').to_owned()
}

/// The strings of a cell's text.
fn strings(source: Node<'_>) -> Vec<Node<'_>> {
    if source.kind() == "array" {
        children(source).into_iter().filter(|line| line.kind() == "string").collect()
    } else {
        vec![source]
    }
}

/// The lines of a code cell, with escapes undone in `text`; lines for the notebook itself (`%magic`, `!command`) are left out.
fn code(text: &mut [u8], source: Node<'_>) -> Vec<Range> {
    let mut out: Vec<Range> = Vec::new();
    for string in strings(source) {
        let (from, to) = (string.start_byte() + 1, string.end_byte().saturating_sub(1));
        let row = string.start_position().row;
        let column = string.start_position().column + 1;
        let mut start = from;
        while start < to {
            let end = unescape(text, start, to);
            let line = text[start..end].trim_ascii_start();
            let point = |at: usize| Point::new(row, column + at - from);
            if line.starts_with(b"%%") && out.is_empty() {
                return Vec::new();
            }
            if !line.starts_with(b"%") && !line.starts_with(b"!") {
                out.push(Range { start_byte: start, start_point: point(start), end_byte: end, end_point: point(end) });
            }
            start = end;
        }
    }
    out
}

/// Undoes the escapes of one line in place and returns where the line ends, its line end included.
fn unescape(text: &mut [u8], from: usize, to: usize) -> usize {
    let mut at = from;
    while at < to {
        if text[at] != b'\\' || at + 1 >= to {
            at += 1;
            continue;
        }
        match text[at + 1] {
            b'n' => {
                text[at..at + 2].copy_from_slice(b" \n");
                return at + 2;
            }
            b'"' => {
                // A run of quotes stays together, or it would be no triple quote.
                let run = text[at..to].chunks_exact(2).take_while(|pair| *pair == b"\\\"").count();
                text[at..at + run].fill(b'"');
                text[at + run..at + 2 * run].fill(b' ');
                at += 2 * run;
            }
            b'u' if at + 6 <= to => {
                text[at..at + 6].fill(b'u');
                at += 6;
            }
            b't' | b'r' | b'b' | b'f' => {
                text[at..at + 2].fill(b' ');
                at += 2;
            }
            other => {
                text[at] = b' ';
                text[at + 1] = other;
                at += 2;
            }
        }
    }
    at
}

/// Headings of a text cell.
fn headings<'t>(walker: &mut Walker<'_>, book: &mut Book<'t>, source: Node<'t>) {
    for line in strings(source) {
        let text = string(walker, line);
        let first = text.split("\\n").next().unwrap_or("");
        let title = first.trim_start_matches('#');
        if title.len() < first.len() && title.starts_with(' ') {
            book.define(walker, NewDef::new(Kind::Heading, line, line), title.trim());
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn cells_are_python_in_their_place() {
        check_facts(
            "notebook",
            r##"
{"cells": [
 {"cell_type": "markdown", "source": ["# Title\n", "text"]},
//                                    ^ def heading Title
 {"cell_type": "code", "source": [
   "%matplotlib inline\n",
   "from lib import load\n",
   "def f(a):\n",
//      ^ def function f
   "    return load(\"x\", a)\n"
//             ^ call load
 ]},
 {"cell_type": "code", "source": "f(1)\nclass C:\n    pass\n"},
//                                ^ call f
//                                            ^ def class C
 {"cell_type": "code", "source": ["%%bash\n", "f() {}"]}
]}
"##,
        );
    }
}
