//! Haskell: modules by the name in their header; per module its names, values and types apart.

use rustc_hash::FxHashMap;

use super::{Module, shared_segments};
use crate::facts::model::{Kind, NONE, flag};
use crate::graph::NodeId;
use crate::lang::Family;
use crate::link::table::{NameId, Table};

#[derive(Debug, Default)]
pub(crate) struct HaskellModules {
    by_name: FxHashMap<String, Vec<u32>>,
    /// (file, name) to functions, constructors, fields and class methods.
    values: FxHashMap<(u32, NameId), NodeId>,
    types: FxHashMap<(u32, NameId), NodeId>,
}

impl HaskellModules {
    pub fn new(table: &Table<'_>) -> Self {
        let mut found = HaskellModules::default();
        for (at, file) in table.files.iter().enumerate().filter(|(at, _)| table.family(*at) == Some(Family::Haskell)) {
            let view = &table.views[at];
            let name = view.str(view.header.package);
            found.by_name.entry(name.to_owned()).or_default().push(at as u32);
            for (index, def) in view.defs.iter().enumerate().filter(|(_, def)| def.owner_type.is_empty()) {
                let node = file.base + 1 + index as u32;
                let key = (at as u32, table.node_name[node as usize]);
                let part = def.parent != NONE && view.defs[def.parent as usize].kind().is_type();
                if def.parent == NONE && def.kind().is_type() {
                    found.types.entry(key).or_insert(node);
                } else if def.parent == NONE || (part && matches!(def.kind(), Kind::EnumMember | Kind::Field | Kind::Method)) {
                    found.values.entry(key).or_insert(node);
                }
            }
        }
        found
    }

    /// A name of a file's own; `outside` leaves out what it does not export.
    pub fn own(&self, table: &Table<'_>, file: usize, name: NameId, ty: bool, outside: bool) -> Option<NodeId> {
        let names = if ty { &self.types } else { &self.values };
        let node = *names.get(&(file as u32, name))?;
        (!outside || table.def(node).is_some_and(|def| def.has(flag::EXPORTED))).then_some(node)
    }

    pub fn resolve(&self, table: &Table<'_>, file: usize, text: &str) -> Module {
        let Some(files) = self.by_name.get(text).filter(|_| !text.is_empty()) else { return Module::External };
        let from = &table.files[file];
        let best = files.iter().copied().max_by_key(|at| {
            let other = &table.files[*at as usize];
            (other.repo == from.repo, shared_segments(&other.path, &from.path), std::cmp::Reverse(other.path.len()))
        });
        best.map_or(Module::External, |at| Module::Node(table.files[at as usize].base))
    }
}
