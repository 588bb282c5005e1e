//! From bound mentions to the columns of a graph: edges in both directions, loose ends, names.
//!
//! Files own consecutive node ranges, so a column sorted by source node is the files' parts one after another. That is what
//! lets a part of an unchanged file be taken over from the generation before, its numbers translated.
//!
//! Knows rows, not how they came to be.

use rayon::prelude::*;

use super::Prepared;
use super::names::Names;
use super::refs::{FileLinks, Loose};
use super::table::Table;
use crate::facts::model::NONE;
use crate::graph::names::NameTable;
use crate::graph::{EdgeRow, ExternalRow, Externals, FileEntry, Graph, NodeId, UnboundRow};

/// The columns of a graph, without its files.
pub(super) struct Columns {
    parents: Vec<u32>,
    edges: Vec<EdgeRow>,
    out_index: Vec<u32>,
    in_order: Vec<u32>,
    in_index: Vec<u32>,
    unbound: Vec<UnboundRow>,
    outside: Vec<u32>,
    externals: Externals,
    names: NameTable,
}

impl Columns {
    pub fn graph(self, files: Vec<FileEntry>, repos: Vec<String>, generation: u64) -> Graph {
        Graph {
            files,
            repos,
            generation,
            parents: self.parents.into(),
            edges: self.edges.into(),
            out_index: self.out_index.into(),
            in_order: self.in_order.into(),
            in_index: self.in_index.into(),
            unbound: self.unbound.into(),
            outside: self.outside.into(),
            externals: self.externals,
            names: self.names,
        }
    }
}

/// What a file contributes.
pub(super) enum Part<'a> {
    /// Bound in this generation.
    Fresh(FileLinks<'a>),
    /// As it was; its rows are those of this range of the generation before.
    Kept,
}

/// The generation before, and where its nodes are now.
#[derive(Clone, Copy)]
pub(super) struct Before<'g> {
    pub graph: &'g Graph,
    /// By old node number the new one, or `NONE`; empty when no number changed.
    pub moved: &'g [u32],
}

impl Before<'_> {
    pub fn now(&self, node: NodeId) -> NodeId {
        if self.moved.is_empty() { node } else { self.moved.get(node as usize).copied().unwrap_or(NONE) }
    }

    /// The range of nodes of a file of the generation before.
    fn nodes(&self, file: usize) -> std::ops::Range<usize> {
        let from = self.graph.files[file].base as usize;
        let to = self.graph.files.get(file + 1).map_or(self.graph.parents.len(), |next| next.base as usize);
        from..to
    }

    /// A file's edges as they were.
    pub fn edges(&self, file: usize) -> &[EdgeRow] {
        let nodes = self.nodes(file);
        let index = &self.graph.out_index;
        &self.graph.edges[index[nodes.start] as usize..index[nodes.end] as usize]
    }

    fn externals(&self, file: usize) -> &[ExternalRow] {
        let nodes = self.nodes(file);
        let rows = self.graph.externals.rows();
        let from = rows.partition_point(|row| (row.owner as usize) < nodes.start);
        let to = rows.partition_point(|row| (row.owner as usize) < nodes.end);
        &rows[from..to]
    }

    fn unbound(&self, file: usize) -> &[UnboundRow] {
        let nodes = self.nodes(file);
        let rows = &self.graph.unbound;
        let from = rows.partition_point(|row| (row.owner as usize) < nodes.start);
        let to = rows.partition_point(|row| (row.owner as usize) < nodes.end);
        &rows[from..to]
    }
}

/// The order of edges; everything but equal rows is told apart, so that the order is one.
pub(super) fn edge_key(edge: &EdgeRow) -> (u32, u32, u16, u32, u8, u8, u8, std::cmp::Reverse<u8>, u8, u8) {
    let last = (std::cmp::Reverse(edge.confidence), edge.usage, edge.flags);
    (edge.from, edge.line, edge.col, edge.to, edge.kind, edge.role, edge.tier, last.0, last.1, last.2)
}

/// Sorted, and of edges that say the same the strongest one.
pub(super) fn settle(edges: &mut Vec<EdgeRow>) {
    edges.sort_unstable_by_key(edge_key);
    edges.dedup_by_key(|edge| (edge.from, edge.line, edge.col, edge.to, edge.kind, edge.role));
}

/// The edges of the hierarchy that start in a file.
pub(super) fn of_file<'e>(edges: &'e [EdgeRow], table: &Table<'_>, file: usize) -> &'e [EdgeRow] {
    let base = table.files[file].base;
    let end = base + 1 + table.views[file].defs.len() as u32;
    let from = edges.partition_point(|edge| edge.from < base);
    let to = edges.partition_point(|edge| edge.from < end);
    &edges[from..to]
}

/// The columns where every file was bound now.
pub(super) fn all(prepared: &Prepared<'_>, links: Vec<FileLinks<'_>>) -> Columns {
    columns(prepared, links.into_iter().map(Part::Fresh).collect(), None)
}

/// The columns of files bound now and files taken over.
pub(super) fn columns(prepared: &Prepared<'_>, mut parts: Vec<Part<'_>>, before: Option<Before<'_>>) -> Columns {
    let table = &prepared.scopes.table;
    let nodes = table.parents.len();
    parts.par_iter_mut().enumerate().for_each(|(file, part)| {
        if let Part::Fresh(links) = part {
            links.edges.extend_from_slice(of_file(&prepared.edges, table, file));
            settle(&mut links.edges);
        }
    });
    let mut edges: Vec<EdgeRow> =
        Vec::with_capacity(parts.iter().map(|part| edge_count(part)).sum::<usize>() + kept_edges(&parts, before));
    for (file, part) in parts.iter_mut().enumerate() {
        match part {
            // Taken, not copied from: each file's rows are freed as they are moved.
            Part::Fresh(links) => edges.extend(std::mem::take(&mut links.edges)),
            Part::Kept => take_over_edges(&mut edges, before, file),
        }
    }
    let (names, unbound) = names_and_loose_ends(table, &parts, before);
    let externals = externals(&parts, before);
    let (out_index, in_order, in_index) = index_edges(&edges, nodes);
    let mut outside: Vec<[u32; 2]> = prepared
        .moves
        .iter()
        .filter(|(member, owner)| table.file_of(*member) != table.file_of(*owner))
        .map(|(member, owner)| [*owner, *member])
        .collect();
    outside.sort_unstable();
    let (parents, outside) = (table.parents.clone(), outside.concat());
    Columns { parents, edges, out_index, in_order, in_index, unbound, outside, externals, names }
}

fn edge_count(part: &Part<'_>) -> usize {
    match part {
        Part::Fresh(links) => links.edges.len(),
        Part::Kept => 0,
    }
}

fn kept_edges(parts: &[Part<'_>], before: Option<Before<'_>>) -> usize {
    let kept = parts.iter().filter(|part| matches!(part, Part::Kept)).count();
    if kept > 0 { before.map_or(0, |before| before.graph.edges.len()) } else { 0 }
}

fn take_over_edges(edges: &mut Vec<EdgeRow>, before: Option<Before<'_>>, file: usize) {
    let Some(before) = before else { return };
    let rows = before.edges(file);
    if before.moved.is_empty() {
        edges.extend_from_slice(rows);
        return;
    }
    let start = edges.len();
    edges.extend(rows.iter().map(|edge| EdgeRow { from: before.now(edge.from), to: before.now(edge.to), ..*edge }));
    // Targets in a file whose definitions changed their order may have changed theirs.
    if !edges[start..].is_sorted_by_key(edge_key) {
        edges[start..].sort_unstable_by_key(edge_key);
    }
}

// ----- names

/// Names by number while their final, sorted numbers are not known: those of the generation before, then new ones.
struct Numbering<'g> {
    before: Option<&'g NameTable>,
    used: Vec<bool>,
    new: Names,
}

impl<'g> Numbering<'g> {
    fn new(before: Option<&'g NameTable>) -> Self {
        Numbering { before, used: vec![false; before.map_or(0, NameTable::len)], new: Names::default() }
    }

    /// The code of a text.
    fn code(&mut self, text: &str) -> u32 {
        match self.before.and_then(|table| table.find(text)) {
            Some(old) => self.keep(old),
            None => self.used.len() as u32 + self.new.enter(text),
        }
    }

    /// The code of a name of the generation before.
    fn keep(&mut self, old: u32) -> u32 {
        if let Some(used) = self.used.get_mut(old as usize) {
            *used = true;
        }
        old
    }

    /// The sorted texts in use, and by code the place of each.
    fn sorted(&self) -> (Vec<&str>, Vec<u32>) {
        let old = self.used.len();
        let mut codes: Vec<u32> = (0..old as u32).filter(|code| self.used[*code as usize]).collect();
        codes.extend((0..self.new.len() as u32).map(|code| old as u32 + code));
        let text = |code: u32| match self.before {
            Some(table) if (code as usize) < old => table.text(code),
            _ => self.new.text(code - old as u32),
        };
        // The old ones are in order already; a stable sort merges the new ones in.
        codes.par_sort_by(|a, b| text(*a).cmp(text(*b)));
        let mut place = vec![NONE; old + self.new.len()];
        for (at, code) in codes.iter().enumerate() {
            place[*code as usize] = at as u32;
        }
        (codes.into_iter().map(text).collect(), place)
    }
}

fn names_and_loose_ends(table: &Table<'_>, parts: &[Part<'_>], before: Option<Before<'_>>) -> (NameTable, Vec<UnboundRow>) {
    let mut numbering = Numbering::new(before.map(|before| before.graph.names()));
    let of_node = definition_names(table, parts, before, &mut numbering);
    let mut rows: Vec<UnboundRow> = Vec::with_capacity(before.map_or(0, |before| before.graph.unbound.len()));
    // The code of each interned name, so that the many mentions of one name cost one search.
    let mut known: Vec<u32> = vec![NONE; table.names.len()];
    for (file, part) in parts.iter().enumerate() {
        match (part, before) {
            (Part::Fresh(links), _) => {
                let start = rows.len();
                rows.extend(links.loose.iter().map(|loose| unbound_row(loose, loose_code(loose, &mut known, &mut numbering))));
                // By text, as the final numbers are.
                let text = |at: usize| links.loose[at].name;
                let mut order: Vec<usize> = (0..links.loose.len()).collect();
                order.sort_by_key(|at| {
                    let loose = &links.loose[*at];
                    (loose.owner, loose.line, loose.col, text(*at), loose.role, loose.reason as u8)
                });
                let sorted: Vec<UnboundRow> = order.iter().map(|at| rows[start + at]).collect();
                rows.truncate(start);
                rows.extend(sorted);
            }
            (Part::Kept, Some(before)) => {
                rows.extend(before.unbound(file).iter().map(|row| UnboundRow {
                    owner: before.now(row.owner),
                    name: numbering.keep(row.name),
                    ..*row
                }));
            }
            (Part::Kept, None) => {}
        }
    }
    let (names, place) = numbering.sorted();
    for row in &mut rows {
        row.name = place[row.name as usize];
    }
    (NameTable::build(&names, &by_name(table, &of_node, &place)), rows)
}

/// Mentions of externals with their final numbers. Those of a file are in the order of the text and then of the ids' texts, as the
/// final numbers are, so that rows taken over need no sorting.
fn externals(parts: &[Part<'_>], before: Option<Before<'_>>) -> Externals {
    let mut numbering = Numbering::new(before.map(|before| &before.graph.externals.ids));
    let mut rows: Vec<ExternalRow> = Vec::new();
    for (file, part) in parts.iter().enumerate() {
        match (part, before) {
            (Part::Fresh(links), _) => {
                let codes: Vec<u32> = links.externals.ids().map(|id| numbering.code(id)).collect();
                rows.extend(
                    links.externals.rows.iter().map(|row| ExternalRow { external: codes[row.external as usize], ..*row }),
                );
            }
            (Part::Kept, Some(before)) => {
                rows.extend(before.externals(file).iter().map(|row| ExternalRow {
                    owner: before.now(row.owner),
                    external: numbering.keep(row.external),
                    ..*row
                }));
            }
            (Part::Kept, None) => {}
        }
    }
    let (ids, place) = numbering.sorted();
    for row in &mut rows {
        row.external = place[row.external as usize];
    }
    Externals::build(&ids, rows)
}

fn loose_code(loose: &Loose<'_>, known: &mut [u32], numbering: &mut Numbering<'_>) -> u32 {
    match known.get_mut(loose.id as usize) {
        Some(code) => {
            if *code == NONE {
                *code = numbering.code(loose.name);
            }
            *code
        }
        None => numbering.code(loose.name),
    }
}

fn unbound_row(loose: &Loose<'_>, name: u32) -> UnboundRow {
    UnboundRow { owner: loose.owner, name, line: loose.line, col: loose.col, role: loose.role, reason: loose.reason as u8 }
}

/// By node the code of its name; files have none.
fn definition_names(
    table: &Table<'_>,
    parts: &[Part<'_>],
    before: Option<Before<'_>>,
    numbering: &mut Numbering<'_>,
) -> Vec<u32> {
    let mut of_node = vec![NONE; table.parents.len()];
    if let Some(before) = before {
        for old in 0..before.graph.names().len() as u32 {
            for node in before.graph.names().nodes(old) {
                if let Some(slot) = of_node.get_mut(before.now(*node) as usize) {
                    *slot = old;
                }
            }
        }
    }
    let mut known: Vec<u32> = vec![NONE; table.names.len()];
    for (file, part) in parts.iter().enumerate() {
        let base = table.files[file].base as usize;
        for (at, def) in table.views[file].defs.iter().enumerate() {
            let slot = &mut of_node[base + 1 + at];
            if let (Part::Kept, true) = (part, before.is_some()) {
                numbering.keep(*slot);
                continue;
            }
            let id = table.node_name[base + 1 + at] as usize;
            *slot = match known.get_mut(id) {
                Some(code) => {
                    if *code == NONE {
                        *code = numbering.code(table.str(file, def.name));
                    }
                    *code
                }
                None => numbering.code(table.str(file, def.name)),
            };
        }
    }
    of_node
}

/// `(name, node)` pairs, sorted by both.
fn by_name(table: &Table<'_>, of_node: &[u32], place: &[u32]) -> Vec<(u32, NodeId)> {
    let mut pairs: Vec<(u32, NodeId)> = Vec::with_capacity(table.parents.len());
    pairs.extend(of_node.iter().enumerate().filter_map(|(node, code)| {
        let place = place.get(*code as usize).copied()?;
        Some((place, node as NodeId))
    }));
    pairs.par_sort_unstable();
    pairs
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
