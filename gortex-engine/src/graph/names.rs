//! Names of a graph: sorted texts, and the nodes defined under each.
//!
//! Sorted order makes exact and prefix look-ups a binary search and every listing deterministic.
//!
//! Knows texts and node numbers only.

use super::{NodeId, Section};
use crate::facts::FactsView;
use crate::facts::model::NONE;

/// Sorted names with their nodes.
#[derive(Debug, Clone)]
pub struct NameTable {
    pub(crate) offsets: Section<u32>,
    pub(crate) bytes: Section<u8>,
    pub(crate) node_index: Section<u32>,
    pub(crate) nodes: Section<u32>,
}

impl NameTable {
    /// Builds the table from sorted, distinct names and `(name, node)` pairs sorted by both.
    pub fn build(names: &[&str], pairs: &[(u32, NodeId)]) -> NameTable {
        let mut offsets = Vec::with_capacity(names.len() + 1);
        let mut bytes = Vec::with_capacity(names.iter().map(|name| name.len()).sum());
        offsets.push(0u32);
        for name in names {
            bytes.extend_from_slice(name.as_bytes());
            offsets.push(bytes.len() as u32);
        }
        let mut node_index = vec![0u32; names.len() + 1];
        for (name, _) in pairs {
            node_index[*name as usize + 1] += 1;
        }
        for at in 1..node_index.len() {
            node_index[at] += node_index[at - 1];
        }
        let nodes: Vec<u32> = pairs.iter().map(|(_, node)| *node).collect();
        NameTable { offsets: offsets.into(), bytes: bytes.into(), node_index: node_index.into(), nodes: nodes.into() }
    }

    /// Number of names.
    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Whether there are no names.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The text of a name; empty for a number out of range.
    pub fn text(&self, name: u32) -> &str {
        let at = name as usize;
        let range = self.offsets.get(at).zip(self.offsets.get(at + 1));
        range
            .and_then(|(from, to)| self.bytes.get(*from as usize..*to as usize))
            .and_then(|bytes| std::str::from_utf8(bytes).ok())
            .unwrap_or("")
    }

    /// The number of a name.
    pub fn find(&self, text: &str) -> Option<u32> {
        let at = self.lower_bound(text);
        (at < self.len() as u32 && self.text(at) == text).then_some(at)
    }

    /// The first name that is not less than `text`.
    pub fn lower_bound(&self, text: &str) -> u32 {
        let (mut low, mut high) = (0, self.len() as u32);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.text(middle) < text { low = middle + 1 } else { high = middle }
        }
        low
    }

    /// The nodes defined under a name, ascending.
    pub fn nodes(&self, name: u32) -> &[NodeId] {
        let at = name as usize;
        match self.node_index.get(at..at + 2) {
            Some([from, to]) => self.nodes.get(*from as usize..*to as usize).unwrap_or(&[]),
            _ => &[],
        }
    }
}

/// `Owner.member` of a definition, by the file's own nesting.
pub fn qualified(view: &FactsView<'_>, index: u32) -> String {
    let mut parts = Vec::new();
    let mut at = index;
    while let Some(def) = view.defs.get(at as usize) {
        parts.push(if def.name.is_empty() { "$" } else { view.str(def.name) });
        if !def.owner_type.is_empty() {
            parts.push(view.str(def.owner_type));
        }
        // A parent always stands before its child; anything else would be a damaged row.
        if def.parent == NONE || def.parent >= at {
            break;
        }
        at = def.parent;
    }
    parts.reverse();
    parts.join(".")
}
