//! Text of the old name that a rename leaves alone.
//!
//! A place is listed when nothing tells what it means: comments, strings, files without facts, mentions that could not be
//! bound, and words in code of which the facts say nothing, such as keys and the text of macros. What is bound to something
//! else, is a definition of its own, or is a local, is not listed.

use std::collections::BTreeSet;

use super::text::{Source, is_word_at};
use crate::facts::model::{BARE, ExprKind};
use crate::facts::{ExtractLimits, walker};
use crate::graph::{FileEntry, Graph, NodeId};

/// One such place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unproven {
    /// The line.
    pub line: u32,
    /// The byte column.
    pub col: u32,
    /// `comment`, `string`, `unbound_mention`, `not_proven` or `unindexed_file`.
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
            Some(source) => classify(graph, source, offset, old, (line, col)),
        };
        found.extend(reason.map(|reason| Unproven { line, col, reason }));
    }
    found
}

fn classify(graph: &Graph, source: &Source<'_>, offset: usize, old: &str, (line, col): (u32, u32)) -> Option<&'static str> {
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
    let Some(row) = view.refs.iter().find(|row| row.at as usize == offset) else {
        return (!is_something_else(graph, source, offset, old, (line, col))).then_some("not_proven");
    };
    let owner: NodeId = if row.owner == crate::facts::NONE { entry.base } else { entry.base + 1 + row.owner };
    let is_bound = graph.out(owner).iter().any(|edge| edge.line == line && u32::from(edge.col) == col);
    // Only the local itself is known; a member of one is a mention like any other.
    let is_local = view
        .expr(row.recv)
        .is_some_and(|recv| recv.slot == BARE && matches!(recv.kind(), ExprKind::LocalBind | ExprKind::LocalDef));
    (!is_bound && !is_local).then_some("unbound_mention")
}

/// Whether a word that is no mention is known all the same: the name of another definition, a place with an edge, an export
/// of a definition of this file, or the declaration of a local.
fn is_something_else(graph: &Graph, source: &Source<'_>, offset: usize, old: &str, (line, col): (u32, u32)) -> bool {
    let entry = source.entry;
    let view = entry.facts.view();
    // A destructor is named `~Type`.
    let is_def = |at: u32| at as usize == offset || source.bytes.get(at as usize) == Some(&b'~') && at as usize + 1 == offset;
    if view.defs.iter().any(|def| is_def(def.name_at)) {
        return true;
    }
    if let Some(row) = view.exports.iter().find(|row| row.at as usize == offset)
        && view.defs.iter().any(|def| view.str(def.name) == view.str(row.local))
    {
        return true;
    }
    let nodes = entry.base..=entry.base + view.defs.len() as NodeId;
    let mut edges = nodes.flat_map(|node| graph.out(node));
    edges.any(|edge| edge.line == line && u32::from(edge.col) == col) || source.is_local(offset, old)
}
