//! Rust's `macro_rules!` by the order of the text: which of several macros of a name a mention means.
//!
//! Knows where macros are written and exported, not what they expand to.

use super::FileLinker;
use crate::facts::model::{Kind, NONE, flag};
use crate::graph::NodeId;
use crate::lang::Family;
use crate::link::infer::Place;
use crate::link::modules::Module;
use crate::link::table::NameId;

impl FileLinker<'_, '_, '_> {
    /// `macro_rules!` names are visible by the order of the text, not by path: a macro written inside a function or module is
    /// known there only, one at the level of a file in its crate, and elsewhere only where it is exported. What is left must
    /// be written in one file, where the same name may stand once per configuration.
    pub(in crate::link) fn exported_macro(&self, place: Place, name: NameId) -> Option<NodeId> {
        let table = &self.infer.scopes.table;
        let macros = self.infer.scopes.macros.get(&name).filter(|_| name != NONE)?;
        let rust = &self.infer.scopes.modules.rust;
        let repo = table.files[self.file].repo;
        let own = rust.root(table, self.infer.scopes.module_of(place.owner));
        // 0: around the mention; 1: in its crate; 2: exported by another one.
        let distance = |node: NodeId| {
            let parent = table.parents.get(node as usize).copied().unwrap_or(NONE);
            let around = parent == place.owner || table.ancestors(place.owner).any(|above| above == parent);
            if table.kind(parent) != Kind::File {
                return around.then_some(0);
            }
            let file = table.file_of(node);
            if file == self.file {
                return Some(0);
            }
            if rust.root(table, table.files[file].base) == own {
                return Some(1);
            }
            let exported = table.def(node).is_some_and(|def| def.visibility() == crate::facts::Visibility::Public);
            (exported && table.files[file].repo == repo).then_some(2)
        };
        let mut near: Vec<(u8, NodeId)> = macros.iter().filter_map(|node| Some((distance(*node)?, *node))).collect();
        near.sort_unstable();
        let (nearest, first) = *near.first()?;
        let one_file = near
            .iter()
            .take_while(|(distance, _)| *distance == nearest)
            .all(|(_, node)| table.file_of(*node) == table.file_of(first));
        one_file.then_some(first)
    }

    pub(in crate::link) fn is_crate_root(&self, module: Module) -> bool {
        let table = &self.infer.scopes.table;
        let Module::Node(node) = module else { return false };
        table.family(table.file_of(node)) == Some(Family::Rust) && self.infer.scopes.modules.rust.root(table, node) == node
    }

    pub(in crate::link) fn macro_of_crate(&self, root: Module, name: NameId) -> Option<NodeId> {
        let table = &self.infer.scopes.table;
        let rust = &self.infer.scopes.modules.rust;
        let Module::Node(root) = root else { return None };
        let macros = self.infer.scopes.macros.get(&name).filter(|_| name != NONE)?;
        let here = |node: &NodeId| rust.root(table, table.files[table.file_of(*node)].base) == root;
        // One that another macro wraps does not say itself that it is exported.
        let seen = |node: &NodeId| {
            let def = table.def(*node);
            def.is_some_and(|def| def.visibility() == crate::facts::Visibility::Public || def.has(flag::DECORATED))
        };
        let all: Vec<NodeId> = macros.iter().copied().filter(|node| here(node) && seen(node)).collect();
        let mut found = all.into_iter();
        let first = found.next()?;
        // The same name once per configuration stands in one file.
        found.all(|other| table.file_of(other) == table.file_of(first)).then_some(first)
    }
}
