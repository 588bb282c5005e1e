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

use self::assemble::{Assembly, Columns, Part};
use self::hierarchy::{Built, Sources};
use self::infer::{Hierarchy, Infer, Place};
use self::modules::Modules;
use self::names::Names;
use self::scope::{Entity, ScopeParts, Scopes};
use self::table::{FileNames, Table};
use crate::facts::model::NONE;
use crate::graph::{EdgeRow, FileEntry, Graph, NodeId};
use crate::lang::Family;

/// Files bound before their rows are put where they stay.
const AT_ONCE: usize = 4096;

/// What linking keeps of a generation, so that the next one need not start from nothing.
#[derive(Debug)]
pub struct LinkState {
    generation: u64,
    scopes: ScopeParts,
    hierarchy: Hierarchy,
    /// What the hierarchy was made from.
    sources: Sources,
    /// Edges of the hierarchy, sorted.
    edges: Vec<EdgeRow>,
    /// Members that are declared outside their type, with the type.
    moves: Vec<(NodeId, NodeId)>,
}

impl LinkState {
    /// What linking this graph kept, or would have kept: nothing in it depends on how mentions were bound.
    fn of(graph: &Graph, manifests: &[Manifest]) -> LinkState {
        Prepared::new(&graph.files, manifests).keep(graph.generation)
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
    let prepared = Prepared::new(&files, manifests);
    let columns = prepared.bind_all();
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
    sources: Sources,
    edges: Vec<EdgeRow>,
    moves: Vec<(NodeId, NodeId)>,
}

impl<'a> Prepared<'a> {
    fn new(files: &'a [FileEntry], manifests: &[Manifest]) -> Self {
        let (scopes, moves) = scopes(files, manifests, Names::default(), |_| None);
        let mut built = Built::new(&scopes);
        built.override_members(&scopes, None, |_| true);
        Prepared::of(scopes, moves, built)
    }

    fn of(scopes: Scopes<'a>, moves: Vec<(NodeId, NodeId)>, built: Built) -> Self {
        let Built { mut hierarchy, mut edges, sources } = built;
        for (sub, supers) in &hierarchy.supers {
            for above in supers {
                hierarchy.subs.entry(*above).or_default().push(*sub);
            }
        }
        edges.par_sort_unstable_by_key(assemble::edge_key);
        Prepared { scopes, hierarchy, sources, edges, moves }
    }

    fn infer(&self) -> Infer<'_, 'a> {
        Infer::new(&self.scopes, &self.hierarchy)
    }

    fn bind_all(&self) -> Columns {
        let mut assembly = Assembly::new(self, None);
        let files = self.scopes.table.files.len();
        for first in (0..files).step_by(AT_ONCE) {
            let some = (first..files.min(first + AT_ONCE)).into_par_iter();
            assembly.add(first, some.map(|file| Part::Fresh(refs::link_file(&self.infer(), file))).collect());
        }
        assembly.columns()
    }

    fn keep(self, generation: u64) -> LinkState {
        let Prepared { scopes, hierarchy, sources, edges, moves } = self;
        LinkState { generation, scopes: scopes.into_parts(), hierarchy, sources, edges, moves }
    }

    fn of_state(files: &'a [FileEntry], state: LinkState) -> Self {
        let LinkState { scopes, hierarchy, sources, edges, moves, .. } = state;
        Prepared { scopes: Scopes::from_parts(files, scopes), hierarchy, sources, edges, moves }
    }
}

/// The tables of these files, with imports resolved and members hung onto their types. `names` and `known` are as in [`Table::new`].
fn scopes<'a>(
    files: &'a [FileEntry],
    manifests: &[Manifest],
    names: Names,
    known: impl Fn(usize) -> Option<FileNames> + Sync,
) -> (Scopes<'a>, Vec<(NodeId, NodeId)>) {
    let table = Table::new(files, names, known);
    let mut modules = Modules::new(&table, manifests);
    modules.close_includes(&table);
    let mut scopes = Scopes::new(table, modules);
    let mut moves = members_elsewhere(&scopes);
    scopes.table.rehang(&moves);
    // An extension may extend what another one declares.
    if (0..files.len()).any(|file| scopes.table.family(file) == Some(Family::Swift)) {
        moves = members_elsewhere(&scopes);
        scopes.table.rehang(&moves);
    }
    scopes.foreign = foreign::collect(&scopes.table, &moves);
    (scopes, moves)
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
