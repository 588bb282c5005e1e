//! Dependencies that a framework hands over by their type: what a component asks for, and what fits.
//!
//! A type of ours that others implement stands for its implementations: the only one, or all of them as candidates. A type without
//! any stands for itself.
//!
//! Knows bound types of one file and the hierarchy of all.

use rustc_hash::{FxHashMap, FxHashSet};

use super::FileLinker;
use crate::facts::model::{ClueRow, Kind, NONE, Role};
use crate::graph::{EdgeKind, NodeId};

/// What is handed over where one thing fits.
const ONE: u8 = 85;
/// The same where that one is found through what it implements.
const IMPLEMENTED: u8 = 80;
/// More candidates than this say nothing.
const CANDIDATES: usize = 12;

impl FileLinker<'_, '_, '_> {
    /// Makes the edges from a component to what it is handed.
    pub(super) fn handed(&mut self, row: &ClueRow, bound: &FxHashMap<(u32, u16), Vec<NodeId>>) {
        let table = &self.infer.scopes.table;
        let view = table.views[self.file];
        let Some(carrier) = view.defs.get(row.target as usize) else { return };
        let on_type = carrier.kind().is_type();
        let asks = |owner: u32| {
            let def = view.defs.get(owner as usize);
            if on_type {
                def.is_some_and(|def| def.kind() == Kind::Constructor && def.parent == row.target)
            } else {
                owner == row.target
            }
        };
        let is_type = |role: Role| matches!(role, Role::ParamType | Role::FieldType);
        let asked: Vec<NodeId> = view
            .refs
            .iter()
            .filter(|mention| is_type(mention.role()) && asks(mention.owner))
            .flat_map(|mention| bound.get(&(mention.line, mention.col)).into_iter().flatten().copied())
            .filter(|node| table.kind(*node).is_type())
            .collect();
        let consumer = if on_type { row.target } else { carrier.parent };
        if consumer == NONE {
            return;
        }
        let from = self.base + 1 + consumer;
        for ty in asked {
            let fitting = self.implementers(ty);
            match fitting.as_slice() {
                [] => self.framework_edge(row, from, ty, EdgeKind::Injects, ONE),
                [one] => self.framework_edge(row, from, *one, EdgeKind::Injects, IMPLEMENTED),
                several if several.len() <= CANDIDATES => {
                    let confidence = (100 / several.len()).min(50) as u8;
                    for one in several {
                        self.framework_edge(row, from, *one, EdgeKind::Injects, confidence);
                    }
                }
                _ => {}
            }
        }
    }

    /// The types below an interface or class of which values can be made, in order.
    fn implementers(&self, ty: NodeId) -> Vec<NodeId> {
        let table = &self.infer.scopes.table;
        let mut seen: FxHashSet<NodeId> = FxHashSet::default();
        let mut pending = vec![ty];
        let mut found = Vec::new();
        while let Some(node) = pending.pop() {
            for sub in self.infer.hierarchy.subs.get(&node).into_iter().flatten().copied().filter(|sub| seen.insert(*sub)) {
                let test = crate::graph::is_test_path(&table.files[table.file_of(sub)].path);
                let abstracted = table.def(sub).is_none_or(|def| {
                    def.kind().is_interface()
                        || table.str(table.file_of(sub), def.signature).split(' ').any(|word| word == "abstract")
                });
                if !abstracted && !test {
                    found.push(sub);
                }
                pending.push(sub);
            }
        }
        // A class that is asked for by itself fits as well as what is below it.
        if !found.is_empty() && !table.kind(ty).is_interface() {
            found.push(ty);
        }
        found.sort_unstable();
        found
    }
}
