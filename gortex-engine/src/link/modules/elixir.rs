//! Elixir: modules by their full name, whichever file they are in.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Module;
use crate::facts::model::Kind;
use crate::graph::{NodeId, is_test_path};
use crate::lang::Family;
use crate::link::table::Table;

#[derive(Debug, Default)]
pub(crate) struct ElixirModules {
    by_name: FxHashMap<String, Vec<NodeId>>,
    name_of: FxHashMap<NodeId, String>,
    /// First segments of names of ours.
    roots: FxHashSet<String>,
}

impl ElixirModules {
    pub fn new(table: &Table<'_>) -> Self {
        let mut found = ElixirModules::default();
        for (at, file) in table.files.iter().enumerate().filter(|(at, _)| table.family(*at) == Some(Family::Elixir)) {
            let view = &table.views[at];
            for (index, def) in view.defs.iter().enumerate().filter(|(_, def)| is_module(def.kind())) {
                let node = file.base + 1 + index as u32;
                let outer = table.ancestors(node).find_map(|above| found.name_of.get(&above));
                let own = view.str(def.name);
                let full = outer.map_or_else(|| own.to_owned(), |outer| format!("{outer}.{own}"));
                found.roots.insert(full.split('.').next().unwrap_or("").to_owned());
                found.by_name.entry(full.clone()).or_default().push(node);
                found.name_of.insert(node, full);
            }
        }
        found
    }

    /// The module of a full name: the file's own, else the one in code, else the only one in tests.
    pub fn named(&self, table: &Table<'_>, file: usize, name: &str) -> Option<NodeId> {
        let nodes = self.by_name.get(name)?;
        let place = |node: &NodeId| table.file_of(*node);
        let code = |node: &&NodeId| !is_test_path(&table.files[place(node)].path);
        let own = nodes.iter().find(|node| place(node) == file);
        let found =
            own.or_else(|| nodes.iter().find(|node| code(node) && table.files[place(node)].repo == table.files[file].repo));
        let found = found.or_else(|| nodes.iter().find(code));
        found.or_else(|| nodes.first().filter(|_| nodes.len() == 1)).copied()
    }

    pub fn name_of(&self, node: NodeId) -> Option<&str> {
        self.name_of.get(&node).map(String::as_str)
    }

    /// Whether a name begins like modules of ours, so that a miss is a gap and not a library.
    pub fn is_ours(&self, name: &str) -> bool {
        name.split('.').next().is_some_and(|root| self.roots.contains(root))
    }

    pub fn resolve(&self, table: &Table<'_>, file: usize, text: &str) -> Module {
        match self.named(table, file, text) {
            Some(node) => Module::Node(node),
            None if self.is_ours(text) => Module::Unknown,
            None => Module::External,
        }
    }
}

fn is_module(kind: Kind) -> bool {
    matches!(kind, Kind::Module | Kind::Interface)
}
