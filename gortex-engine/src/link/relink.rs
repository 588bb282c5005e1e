//! Linking again after an edit, only what the edit can have changed.
//!
//! Three cases, told apart by [`delta`](super::delta). Where only the inside of bodies differs, the tables stay and the edited
//! files are bound again. Where definitions differ, tables and hierarchy are made anew from the names already numbered, and
//! besides the edited files those are bound again that mention a name whose meaning changed; everything else is taken over
//! with its node numbers translated. Where names can't tell who is concerned, everything is linked.
//!
//! The result is the graph that linking everything gives, byte for byte; `relink_tests` hold it to that.

use rustc_hash::FxHashSet;

use super::assemble::{self, Before, Part};
use super::delta::{self, Change, Concern};
use super::infer::Hierarchy;
use super::modules::Manifest;
use super::modules::plain::{self, Reach};
use super::table::{Table, file_names};
use super::{LinkState, Prepared, hierarchy, link_keeping, number, refs};
use crate::facts::FactsView;
use crate::facts::model::NONE;
use crate::graph::{FileEntry, Graph, NodeId};

/// How much was bound again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// All files.
    Everything,
    /// So many files.
    Files(usize),
}

/// So many names of former generations may be left over before the tables are made from nothing.
const SPARE_NAMES: usize = 50_000;

/// Links `files`, of which most are those of `before`. `state` is what linking `before` kept; the manifests are the same.
pub fn relink(
    before: &Graph,
    state: LinkState,
    mut files: Vec<FileEntry>,
    manifests: &[Manifest],
    generation: u64,
) -> (Graph, LinkState, Effort) {
    number(&mut files);
    let repos = before.repos.clone();
    let usable = state.generation == before.generation
        && delta::same_files(&before.files, &files)
        && state.scopes.table.names.len() < before.names().len() * 2 + SPARE_NAMES;
    let changed: Vec<usize> = if usable { changed_files(before, &files) } else { Vec::new() };
    let changes = if usable { Some(compare_all(before, &files, &changed)) } else { None };
    let linked = match changes {
        Some(Change::Inside) => Some(inside(before, state, &files, &changed)),
        Some(Change::Names(names)) => by_names(before, state, &files, manifests, &changed, names),
        Some(Change::Everything) | None => None,
    };
    match linked {
        Some(Linked { columns, mut state, bound }) => {
            state.generation = generation;
            (columns.graph(files, repos, generation), state, Effort::Files(bound))
        }
        None => {
            let (graph, state) = link_keeping(files, repos, manifests, generation);
            (graph, state, Effort::Everything)
        }
    }
}

struct Linked {
    columns: assemble::Columns,
    state: LinkState,
    bound: usize,
}

fn changed_files(before: &Graph, files: &[FileEntry]) -> Vec<usize> {
    let differs = |at: &usize| {
        let (old, new) = (&before.files[*at], &files[*at]);
        old.hash != new.hash || old.status != new.status
    };
    (0..files.len()).filter(differs).collect()
}

fn compare_all<'a>(before: &'a Graph, files: &'a [FileEntry], changed: &[usize]) -> Change<'a> {
    let mut names = FxHashSet::default();
    let mut inside = true;
    for file in changed {
        let (old, new) = (before.files[*file].facts.view(), files[*file].facts.view());
        let language = files[*file].lang.map(|lang| lang.language());
        match (delta::compare(&old, &new, language), plain::reach(&files[*file])) {
            (Change::Inside, _) => {}
            // Which names of a format mean the same is told by its own rules (full names, case).
            (Change::Names(_), Reach::Files) => return Change::Everything,
            (Change::Names(_), Reach::File) => inside = false,
            (Change::Names(more), Reach::ByName) => {
                inside = false;
                names.extend(more);
            }
            (Change::Everything, _) => return Change::Everything,
        }
    }
    if inside { Change::Inside } else { Change::Names(names) }
}

/// Only bodies differ: no number moved, and nobody else can be bound differently.
fn inside(before: &Graph, state: LinkState, files: &[FileEntry], changed: &[usize]) -> Linked {
    let mut prepared = Prepared::of_state(files, state);
    let mut parts: Vec<Part<'_>> = files.iter().map(|_| Part::Kept).collect();
    for file in changed {
        let table = &mut prepared.scopes.table;
        table.str_names[*file] = file_names(&table.names, &table.views[*file]);
    }
    for file in changed {
        let old = assemble::of_file(&prepared.edges, &prepared.scopes.table, *file);
        let mut rows = hierarchy::replaced(&prepared.scopes, old, *file);
        rows.sort_unstable_by_key(assemble::edge_key);
        let start = prepared.edges.partition_point(|edge| edge.from < files[*file].base);
        let end = start + old.len();
        prepared.edges.splice(start..end, rows);
        parts[*file] = Part::Fresh(refs::link_file(&prepared.infer(), *file));
    }
    let columns = assemble::columns(&prepared, parts, Some(Before { graph: before, moved: &[] }));
    Linked { columns, state: prepared.keep(before.generation), bound: changed.len() }
}

/// Definitions differ: who mentions a name that means something else is bound again. `None` when that is too many.
fn by_names<'a>(
    before: &'a Graph,
    state: LinkState,
    files: &'a [FileEntry],
    manifests: &[Manifest],
    changed: &[usize],
    names: FxHashSet<&'a str>,
) -> Option<Linked> {
    let most = (files.len() / 3).max(64);
    let views: Vec<FactsView<'a>> = files.iter().map(|file| file.facts.view()).collect();
    let mut concern = Concern::new(&views);
    for file in changed {
        concern.files[*file] = true;
    }
    if !concern.add(names, most) {
        return None;
    }
    let LinkState { scopes, hierarchy, edges: old_edges, .. } = state;
    let (all_names, known) = (scopes.table.names, scopes.table.str_names);
    let prepared = Prepared::new(files, manifests, all_names, |file| (!concern.files[file]).then(|| known[file].clone()));
    let moved = moved_nodes(before, files, changed);
    let old = Before { graph: before, moved: &moved };
    let related = hierarchy_names(&prepared.scopes.table, &hierarchy, &prepared.hierarchy, old)?;
    if !concern.add(related, most) {
        return None;
    }
    same_relations(&prepared, &old_edges, old, &mut concern);
    let parts: Vec<Part<'_>> = {
        let fresh = |file: usize| Part::Fresh(refs::link_file(&prepared.infer(), file));
        let bind = |file: usize| if concern.files[file] || lost_target(old, file) { fresh(file) } else { Part::Kept };
        use rayon::prelude::*;
        (0..files.len()).into_par_iter().map(bind).collect()
    };
    let bound = parts.iter().filter(|part| matches!(part, Part::Fresh(_))).count();
    let columns = assemble::columns(&prepared, parts, Some(old));
    Some(Linked { columns, state: prepared.keep(before.generation), bound })
}

/// By old node number the new one, or `NONE` for definitions that are gone.
fn moved_nodes(before: &Graph, files: &[FileEntry], changed: &[usize]) -> Vec<u32> {
    let mut moved = Vec::with_capacity(before.parents.len());
    let mut next = changed.iter().copied().peekable();
    for (at, (old, new)) in before.files.iter().zip(files).enumerate() {
        moved.push(new.base);
        let (old, view) = (old.facts.view(), new.facts.view());
        if next.next_if_eq(&at).is_some() {
            let place = |index: u32| if index == NONE { NONE } else { new.base + 1 + index };
            moved.extend(delta::matching(&old, &view).into_iter().map(place));
        } else {
            moved.extend((0..old.defs.len() as u32).map(|index| new.base + 1 + index));
        }
    }
    moved
}

/// Names of all members that types gained or lost through their supertypes; `None` when a type became open or closed, which
/// concerns names that nobody defines.
fn hierarchy_names<'a>(table: &Table<'a>, old: &Hierarchy, new: &Hierarchy, before: Before<'_>) -> Option<FxHashSet<&'a str>> {
    let still = |node: NodeId| Some(before.now(node)).filter(|node| *node != NONE);
    let was_open: FxHashSet<NodeId> = old.open.iter().copied().filter_map(still).collect();
    if was_open != new.open {
        return None;
    }
    let translate = |supers: &Vec<NodeId>| -> Vec<NodeId> { supers.iter().map(|node| before.now(*node)).collect() };
    let were_given: rustc_hash::FxHashMap<NodeId, Vec<NodeId>> =
        old.blanket.iter().filter_map(|(bound, given)| Some((still(*bound)?, translate(given)))).collect();
    if were_given != new.blanket {
        return None;
    }
    let was: rustc_hash::FxHashMap<NodeId, Vec<NodeId>> =
        old.supers.iter().filter_map(|(sub, supers)| Some((still(*sub)?, translate(supers)))).collect();
    let empty = Vec::new();
    let subs = was.keys().chain(new.supers.keys()).copied();
    let differing: FxHashSet<NodeId> =
        subs.filter(|sub| was.get(sub).unwrap_or(&empty) != new.supers.get(sub).unwrap_or(&empty)).collect();
    let below = closure(&differing, |node, found| {
        found.extend(new.supers.iter().filter(|(_, supers)| supers.contains(&node)).map(|(sub, _)| *sub));
    });
    let above = closure(&differing, |node, found| {
        let supers = was.get(&node).into_iter().chain(new.supers.get(&node)).flatten();
        found.extend(supers.copied().filter(|node| *node != NONE));
    });
    let mut names = delta::member_names(table, &above);
    // Who asks for a supertype is handed what implements it.
    names.extend(above.iter().filter_map(|node| Some(table.str(table.file_of(*node), table.def(*node)?.name))));
    names.extend(below.iter().filter_map(|node| Some(table.str(table.file_of(*node), table.def(*node)?.name))));
    Some(names)
}

fn closure(start: &FxHashSet<NodeId>, next: impl Fn(NodeId, &mut Vec<NodeId>)) -> FxHashSet<NodeId> {
    let mut seen = start.clone();
    let mut pending: Vec<NodeId> = start.iter().copied().collect();
    let mut found = Vec::new();
    while let Some(node) = pending.pop() {
        next(node, &mut found);
        pending.extend(found.drain(..).filter(|node| seen.insert(*node)));
    }
    seen
}

/// A file whose part of the hierarchy differs is made anew: its rows hold those edges too.
fn same_relations(
    prepared: &Prepared<'_>,
    old_edges: &[crate::graph::EdgeRow],
    before: Before<'_>,
    concern: &mut Concern<'_, '_>,
) {
    let table = &prepared.scopes.table;
    let mut was: Vec<crate::graph::EdgeRow> = old_edges
        .iter()
        .map(|edge| crate::graph::EdgeRow { from: before.now(edge.from), to: before.now(edge.to), ..*edge })
        .filter(|edge| edge.from != NONE)
        .collect();
    was.sort_unstable_by_key(assemble::edge_key);
    for file in 0..table.files.len() {
        if !concern.files[file] && assemble::of_file(&was, table, file) != assemble::of_file(&prepared.edges, table, file) {
            concern.files[file] = true;
        }
    }
}

/// Whether an edge of a file leads to a definition that is gone.
fn lost_target(before: Before<'_>, file: usize) -> bool {
    before.edges(file).iter().any(|edge| before.now(edge.to) == NONE || before.now(edge.from) == NONE)
}
