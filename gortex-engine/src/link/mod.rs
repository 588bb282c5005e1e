//! Linking: facts of all files become one graph.
//!
//! Tables first, then imports, then members to their types, then the hierarchy; after that every file's mentions are bound
//! independently and in parallel. The same files in give the same graph out, byte for byte, whether everything was linked or
//! only what an edit can have changed: see [`relink`].
//!
//! Knows files and facts; it reads no disk.

mod assemble;
#[cfg(test)]
mod clues_tests;
#[cfg(test)]
mod dart_tests;
mod delta;
mod elixir;
#[cfg(test)]
mod elixir_tests;
mod extensions;
mod externals;
#[cfg(test)]
mod externals_tests;
#[cfg(test)]
mod flow_tests;
mod foreign;
mod given;
mod haskell;
#[cfg(test)]
mod haskell_tests;
mod hierarchy;
mod infer;
mod lua;
#[cfg(test)]
mod lua_tests;
mod modules;
mod names;
#[cfg(test)]
mod ocaml_tests;
#[cfg(test)]
mod php_tests;
mod refs;
mod relink;
#[cfg(test)]
mod relink_tests;
#[cfg(test)]
mod repos_tests;
mod ruby;
#[cfg(test)]
mod ruby_tests;
mod scope;
#[cfg(test)]
mod shell_tests;
#[cfg(test)]
mod swift_tests;
mod table;
#[cfg(test)]
mod tests;
mod types;

use rayon::prelude::*;

pub(crate) use assemble::index_edges;
pub use modules::{Manifest, is_manifest};
pub use relink::{Effort, relink};

use self::hierarchy::Built;
use self::infer::{Hierarchy, Infer, Place};
use self::modules::Modules;
use self::names::Names;
use self::refs::FileLinks;
use self::scope::{Entity, ScopeParts, Scopes};
use self::table::{FileNames, Table};
use crate::facts::model::NONE;
use crate::graph::{EdgeRow, FileEntry, Graph, NodeId};
use crate::lang::Family;

/// What linking keeps of a generation, so that the next one need not start from nothing.
#[derive(Debug)]
pub struct LinkState {
    generation: u64,
    scopes: ScopeParts,
    hierarchy: Hierarchy,
    /// Edges of the hierarchy, sorted.
    edges: Vec<EdgeRow>,
    /// Members that are declared outside their type, with the type.
    moves: Vec<(NodeId, NodeId)>,
}

impl LinkState {
    /// The generation it belongs to.
    pub fn generation(&self) -> u64 {
        self.generation
    }
}

/// Links files into a graph. Their order does not matter; `base` is assigned here.
pub fn link(files: Vec<FileEntry>, repos: Vec<String>, manifests: &[Manifest], generation: u64) -> Graph {
    link_keeping(files, repos, manifests, generation).0
}

/// Links files into a graph, and keeps what a later [`relink`] starts from.
pub fn link_keeping(
    mut files: Vec<FileEntry>,
    repos: Vec<String>,
    manifests: &[Manifest],
    generation: u64,
) -> (Graph, LinkState) {
    number(&mut files);
    let prepared = Prepared::new(&files, manifests, Names::default(), |_| None);
    let links = prepared.bind_all();
    let columns = assemble::all(&prepared, links);
    let state = prepared.keep(generation);
    (columns.graph(files, repos, generation), state)
}

/// Sorts files by path and gives each its range of node numbers.
fn number(files: &mut [FileEntry]) {
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let mut base = 0;
    for file in files {
        file.base = base;
        base += 1 + file.facts.view().defs.len() as u32;
    }
}

/// Everything that binding a file's mentions looks at.
#[derive(Debug)]
struct Prepared<'a> {
    scopes: Scopes<'a>,
    hierarchy: Hierarchy,
    edges: Vec<EdgeRow>,
    moves: Vec<(NodeId, NodeId)>,
}

impl<'a> Prepared<'a> {
    fn new(
        files: &'a [FileEntry],
        manifests: &[Manifest],
        names: Names,
        known: impl Fn(usize) -> Option<FileNames> + Sync,
    ) -> Self {
        let table = Table::new(files, names, known);
        let mut modules = Modules::new(&table, manifests);
        modules.close_includes(&table);
        let mut scopes = Scopes::new(table, modules);
        let moves = members_elsewhere(&scopes);
        scopes.table.rehang(&moves);
        // An extension may extend what another one declares.
        let moves = if (0..files.len()).any(|file| scopes.table.family(file) == Some(Family::Swift)) {
            let again = members_elsewhere(&scopes);
            scopes.table.rehang(&again);
            again
        } else {
            moves
        };
        scopes.foreign = foreign::collect(&scopes.table, &moves);
        let Built { mut hierarchy, mut edges } = hierarchy::build(&scopes);
        for (sub, supers) in &hierarchy.supers {
            for above in supers {
                hierarchy.subs.entry(*above).or_default().push(*sub);
            }
        }
        edges.par_sort_unstable_by_key(assemble::edge_key);
        Prepared { scopes, hierarchy, edges, moves }
    }

    fn infer(&self) -> Infer<'_, 'a> {
        Infer::new(&self.scopes, &self.hierarchy)
    }

    fn bind_all(&self) -> Vec<FileLinks<'a>> {
        (0..self.scopes.table.files.len()).into_par_iter().map(|file| refs::link_file(&self.infer(), file)).collect()
    }

    fn keep(self, generation: u64) -> LinkState {
        let Prepared { scopes, hierarchy, edges, moves } = self;
        LinkState { generation, scopes: scopes.into_parts(), hierarchy, edges, moves }
    }

    fn of_state(files: &'a [FileEntry], state: LinkState) -> Self {
        let LinkState { scopes, hierarchy, edges, moves, .. } = state;
        Prepared { scopes: Scopes::from_parts(files, scopes), hierarchy, edges, moves }
    }
}

/// Members that are declared outside their type, with the type.
fn members_elsewhere(scopes: &Scopes<'_>) -> Vec<(NodeId, NodeId)> {
    let none = Hierarchy::default();
    let table = &scopes.table;
    let per_file: Vec<Vec<(NodeId, NodeId)>> = (0..table.files.len())
        .into_par_iter()
        .map(|file| {
            let infer = Infer::new(scopes, &none);
            let view = &table.views[file];
            let base = table.files[file].base;
            // In C# a function for another type stays a member of the class that it is written in.
            let moves = table.family(file) != Some(Family::CSharp);
            let outside = view.defs.iter().enumerate().filter(|(_, def)| moves && !def.owner_type.is_empty());
            // A function for another type inside a class of Kotlin is that class's all the same.
            let outside = outside.filter(|(_, def)| table.family(file) != Some(Family::Jvm) || def.parent == NONE);
            let found = outside.filter_map(|(index, def)| {
                let node = base + 1 + index as u32;
                let owner = if def.parent == NONE { base } else { base + 1 + def.parent };
                match infer.type_node(Place { file, owner }, view.str(def.owner_type)) {
                    Entity::Node(ty) if table.is_type(ty) => Some((node, ty)),
                    // Before classes a function was one: `View.prototype.lookup = function ..`.
                    Entity::Node(ty) if table.family(file) == Some(Family::Script) && table.kind(ty).is_callable() => {
                        Some((node, ty))
                    }
                    _ => None,
                }
            });
            found.collect()
        })
        .collect();
    per_file.concat()
}
