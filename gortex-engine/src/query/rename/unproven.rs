//! Text of the old name that a rename leaves alone.
//!
//! A place is listed when nothing tells what it means: comments, strings, files without facts, mentions that could not be
//! bound. What is bound to something else, or is a local, is not listed.

use std::collections::BTreeSet;

use super::text::{Source, is_word_at};
use crate::facts::model::ExprKind;
use crate::facts::{ExtractLimits, walker};
use crate::graph::{FileEntry, Graph, NodeId};

/// One such place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unproven {
    /// The line.
    pub line: u32,
    /// The byte column.
    pub col: u32,
    /// `comment`, `string`, `unbound_mention` or `unindexed_file`.
    pub reason: &'static str,
}

/// The places of one file that hold the old name as a word and are neither edited nor known to be something else. `edited`
/// holds (line, column) of the planned edits in this file.
pub fn unproven(graph: &Graph, entry: &FileEntry, bytes: &[u8], old: &str, edited: &BTreeSet<(u32, u32)>) -> Vec<Unproven> {
    let mut found = Vec::new();
    if old.is_empty() {
        return found;
    }
    let tree = entry.lang.filter(|_| !entry.facts.view().defs.is_empty() || entry.facts.view().header.lines > 0);
    let tree = tree.and_then(|lang| walker::parse(lang.compiled(), bytes, ExtractLimits::default()));
    let source = tree.as_ref().map(|tree| Source::new(entry, bytes, tree));
    let mut line = 1;
    let mut start = 0;
    let mut scanned = 0;
    for offset in memchr::memmem::find_iter(bytes, old.as_bytes()) {
        for at in memchr::memchr_iter(b'\n', &bytes[scanned..offset]) {
            line += 1;
            start = scanned + at + 1;
        }
        scanned = offset;
        let col = (offset - start) as u32;
        if !is_word_at(bytes, offset, old) || edited.contains(&(line, col)) {
            continue;
        }
        let reason = match &source {
            None => Some("unindexed_file"),
            Some(source) => classify(graph, source, offset, line, col),
        };
        found.extend(reason.map(|reason| Unproven { line, col, reason }));
    }
    found
}

fn classify(graph: &Graph, source: &Source<'_>, offset: usize, line: u32, col: u32) -> Option<&'static str> {
    let mut node = source.leaf(offset);
    // A string may be a tree of its own: its inner leaf says less than what is around it.
    for _ in 0..3 {
        let Some(at) = node else { break };
        let kind = at.kind();
        if kind.contains("comment") {
            return Some("comment");
        }
        if kind.contains("interpolation") || kind.contains("substitution") {
            break;
        }
        if kind.contains("string") || kind == "char_literal" || kind == "regex_pattern" {
            return Some("string");
        }
        node = at.parent();
    }
    let entry = source.entry;
    let view = entry.facts.view();
    let row = view.refs.iter().find(|row| row.at as usize == offset)?;
    let owner: NodeId = if row.owner == crate::facts::NONE { entry.base } else { entry.base + 1 + row.owner };
    let is_bound = graph.out(owner).iter().any(|edge| edge.line == line && u32::from(edge.col) == col);
    let is_local = view.expr(row.recv).is_some_and(|recv| matches!(recv.kind(), ExprKind::LocalBind | ExprKind::LocalDef));
    (!is_bound && !is_local).then_some("unbound_mention")
}
