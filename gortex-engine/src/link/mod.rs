//! Linking: facts of all files become one graph.
//!
//! Tables first, then imports, then members to their types, then the hierarchy; after that every file's mentions are bound
//! independently and in parallel. The same files in give the same graph out, byte for byte.
//!
//! Knows files and facts; it reads no disk.

#[cfg(test)]
mod flow_tests;
mod given;
mod hierarchy;
mod infer;
mod modules;
mod refs;
mod scope;
mod table;
#[cfg(test)]
mod tests;
mod types;

use rayon::prelude::*;

pub use modules::{Manifest, is_manifest};

use self::infer::{Hierarchy, Infer, Place};
use self::modules::Modules;
use self::refs::FileLinks;
use self::scope::{Entity, Scopes};
use self::table::Table;
use crate::facts::model::NONE;
use crate::graph::names::NameTable;
use crate::graph::{EdgeRow, FileEntry, Graph, NodeId, UnboundRow};
use crate::lang::Family;

/// Links files into a graph. Their order does not matter; `base` is assigned here.
pub fn link(mut files: Vec<FileEntry>, repos: Vec<String>, manifests: &[Manifest], generation: u64) -> Graph {
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let mut base = 0;
    for file in &mut files {
        file.base = base;
        base += 1 + file.facts.view().defs.len() as u32;
    }
    let linked = link_sorted(&files, manifests);
    Graph {
        files,
        repos,
        generation,
        parents: linked.parents.into(),
        edges: linked.edges.into(),
        out_index: linked.out_index.into(),
        in_order: linked.in_order.into(),
        in_index: linked.in_index.into(),
        unbound: linked.unbound.into(),
        outside: linked.outside.into(),
        names: linked.names,
    }
}

struct Linked {
    parents: Vec<u32>,
    edges: Vec<EdgeRow>,
    out_index: Vec<u32>,
    in_order: Vec<u32>,
    in_index: Vec<u32>,
    unbound: Vec<UnboundRow>,
    outside: Vec<u32>,
    names: NameTable,
}

fn link_sorted(files: &[FileEntry], manifests: &[Manifest]) -> Linked {
    let table = Table::new(files);
    let mut modules = Modules::new(&table, manifests);
    modules.close_includes(&table);
    let mut scopes = Scopes::new(table, modules);
    let moves = members_elsewhere(&scopes);
    scopes.table.rehang(&moves);
    let built = hierarchy::build(&scopes);
    let infer = Infer { scopes: &scopes, hierarchy: &built.hierarchy };
    let mut links: Vec<FileLinks<'_>> = (0..files.len()).into_par_iter().map(|file| refs::link_file(&infer, file)).collect();
    let mut unbound_names: Vec<&str> = Vec::new();
    let mut edges: Vec<EdgeRow> = Vec::with_capacity(links.iter().map(|one| one.edges.len()).sum::<usize>() + built.edges.len());
    for one in &mut links {
        // Taken, not appended from: each file's rows are freed as they are moved.
        edges.extend(std::mem::take(&mut one.edges));
        unbound_names.extend(one.loose.iter().map(|loose| loose.name));
    }
    edges.extend_from_slice(&built.edges);
    edges.par_sort_unstable_by_key(|edge| (edge.from, edge.line, edge.col, edge.to, edge.kind, edge.role, edge.tier));
    edges.dedup_by_key(|edge| (edge.from, edge.line, edge.col, edge.to, edge.kind, edge.role));
    let nodes = scopes.table.parents.len();
    let (names, pairs) = collect_names(&scopes.table, unbound_names);
    let table = NameTable::build(&names, &pairs);
    let unbound = number_unbound(&links, &names);
    let (out_index, in_order, in_index) = index_edges(&edges, nodes);
    let mut outside: Vec<[u32; 2]> = moves
        .iter()
        .filter(|(member, owner)| scopes.table.file_of(*member) != scopes.table.file_of(*owner))
        .map(|(member, owner)| [*owner, *member])
        .collect();
    outside.sort_unstable();
    let parents = std::mem::take(&mut scopes.table.parents);
    Linked { parents, edges, out_index, in_order, in_index, unbound, outside: outside.concat(), names: table }
}

/// Members that are declared outside their type, with the type.
fn members_elsewhere(scopes: &Scopes<'_>) -> Vec<(NodeId, NodeId)> {
    let none = Hierarchy::default();
    let infer = Infer { scopes, hierarchy: &none };
    let table = &scopes.table;
    let per_file: Vec<Vec<(NodeId, NodeId)>> = (0..table.files.len())
        .into_par_iter()
        .map(|file| {
            let view = &table.views[file];
            let base = table.files[file].base;
            let outside = view.defs.iter().enumerate().filter(|(_, def)| !def.owner_type.is_empty());
            let found = outside.filter_map(|(index, def)| {
                let node = base + 1 + index as u32;
                let owner = if def.parent == NONE { base } else { base + 1 + def.parent };
                match infer.type_node(Place { file, owner }, view.str(def.owner_type)) {
                    Entity::Node(ty) if table.kind(ty).is_type() => Some((node, ty)),
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

/// All names of definitions and loose ends, sorted, with the nodes defined under each.
fn collect_names<'a>(table: &Table<'a>, unbound: Vec<&'a str>) -> (Vec<&'a str>, Vec<(u32, NodeId)>) {
    let mut names: Vec<&'a str> = unbound;
    names.extend(table.views.iter().flat_map(|view| view.defs.iter().map(move |def| view.str(def.name))));
    names.par_sort_unstable();
    names.dedup();
    let mut pairs: Vec<(u32, NodeId)> = Vec::with_capacity(table.parents.len());
    for (file, view) in table.files.iter().zip(&table.views) {
        for (index, def) in view.defs.iter().enumerate() {
            let name = names.binary_search(&view.str(def.name)).unwrap_or_default();
            pairs.push((name as u32, file.base + 1 + index as u32));
        }
    }
    pairs.par_sort_unstable();
    (names, pairs)
}

fn number_unbound(links: &[FileLinks<'_>], names: &[&str]) -> Vec<UnboundRow> {
    let mut rows: Vec<UnboundRow> = Vec::with_capacity(links.iter().map(|one| one.loose.len()).sum());
    for loose in links.iter().flat_map(|one| &one.loose) {
        rows.push(UnboundRow {
            owner: loose.owner,
            name: names.binary_search(&loose.name).unwrap_or_default() as u32,
            line: loose.line,
            col: loose.col,
            role: loose.role,
            reason: loose.reason as u8,
        });
    }
    rows.par_sort_unstable_by_key(|row| (row.owner, row.line, row.col, row.name, row.role));
    rows
}

/// Both directions: where each node's outgoing edges begin, edge numbers by target, where each node's incoming ones begin.
pub(crate) fn index_edges(edges: &[EdgeRow], nodes: usize) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
    let mut out_index = vec![0u32; nodes + 1];
    let mut in_index = vec![0u32; nodes + 1];
    for edge in edges {
        out_index[edge.from as usize + 1] += 1;
        in_index[edge.to as usize + 1] += 1;
    }
    for at in 1..=nodes {
        out_index[at] += out_index[at - 1];
        in_index[at] += in_index[at - 1];
    }
    let mut next = in_index.clone();
    let mut in_order = vec![0u32; edges.len()];
    for (number, edge) in edges.iter().enumerate() {
        let slot = &mut next[edge.to as usize];
        in_order[*slot as usize] = number as u32;
        *slot += 1;
    }
    (out_index, in_order, in_index)
}
