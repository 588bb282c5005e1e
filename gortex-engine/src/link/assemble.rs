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
use super::table::{NameId, Table};
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

/// Columns under construction: files are added in their order, some at a time, so that what they were bound to need not be held
/// twice.
pub(super) struct Assembly<'p, 'a, 'g> {
    prepared: &'p Prepared<'a>,
    before: Option<Before<'g>>,
    edges: Vec<EdgeRow>,
    unbound: Vec<UnboundRow>,
    numbering: Numbering<'g>,
    /// The code of each interned name, so that the many mentions of one name cost one search.
    known: Vec<u32>,
    /// By node the code of its name; files have none.
    of_node: Vec<u32>,
    /// Ids of externals have numbers of their own.
    ids: Numbering<'g>,
    externals: Vec<ExternalRow>,
}

impl<'p, 'a, 'g> Assembly<'p, 'a, 'g> {
    pub fn new(prepared: &'p Prepared<'a>, before: Option<Before<'g>>) -> Self {
        let table = &prepared.scopes.table;
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
        Assembly {
            prepared,
            before,
            edges: Vec::with_capacity(before.map_or(0, |before| before.graph.edges.len())),
            unbound: Vec::with_capacity(before.map_or(0, |before| before.graph.unbound.len())),
            numbering: Numbering::new(before.map(|before| before.graph.names())),
            known: vec![NONE; table.names.len()],
            of_node,
            ids: Numbering::new(before.map(|before| &before.graph.externals.ids)),
            externals: Vec::with_capacity(before.map_or(0, |before| before.graph.externals.rows().len())),
        }
    }

    /// Adds the next files, of which `first` is the first.
    pub fn add(&mut self, first: usize, mut parts: Vec<Part<'_>>) {
        let (table, hierarchy) = (&self.prepared.scopes.table, &self.prepared.edges);
        parts.par_iter_mut().enumerate().for_each(|(at, part)| {
            if let Part::Fresh(links) = part {
                links.edges.extend_from_slice(of_file(hierarchy, table, first + at));
                settle(&mut links.edges);
            }
        });
        for (file, part) in parts.into_iter().enumerate().map(|(at, part)| (first + at, part)) {
            match (part, self.before) {
                (Part::Fresh(links), _) => {
                    self.name_definitions(file);
                    self.edges.extend(links.edges);
                    self.loose_ends(&links.loose);
                    // In the order of the text and then of the ids' texts, as the final numbers are.
                    let codes: Vec<u32> = links.externals.ids().map(|id| self.ids.code(id)).collect();
                    let rows = links.externals.rows.iter();
                    self.externals.extend(rows.map(|row| ExternalRow { external: codes[row.external as usize], ..*row }));
                }
                (Part::Kept, Some(before)) => self.take_over(file, before),
                (Part::Kept, None) => {}
            }
        }
    }

    /// A file as it was.
    fn take_over(&mut self, file: usize, before: Before<'_>) {
        let table = &self.prepared.scopes.table;
        let base = table.files[file].base as usize;
        for slot in &self.of_node[base + 1..=base + table.views[file].defs.len()] {
            self.numbering.keep(*slot);
        }
        take_over_edges(&mut self.edges, before, file);
        let (rows, numbering) = (&mut self.unbound, &mut self.numbering);
        rows.extend(before.unbound(file).iter().map(|row| UnboundRow {
            owner: before.now(row.owner),
            name: numbering.keep(row.name),
            ..*row
        }));
        let (rows, ids) = (&mut self.externals, &mut self.ids);
        rows.extend(before.externals(file).iter().map(|row| ExternalRow {
            owner: before.now(row.owner),
            external: ids.keep(row.external),
            ..*row
        }));
    }

    fn name_definitions(&mut self, file: usize) {
        let table = &self.prepared.scopes.table;
        let base = table.files[file].base as usize;
        for (at, def) in table.views[file].defs.iter().enumerate() {
            let id = table.node_name[base + 1 + at];
            self.of_node[base + 1 + at] = code(id, table.str(file, def.name), &mut self.known, &mut self.numbering);
        }
    }

    fn loose_ends(&mut self, loose: &[Loose<'_>]) {
        // By text, as the final numbers are.
        let mut order: Vec<&Loose<'_>> = loose.iter().collect();
        order.sort_by_key(|loose| (loose.owner, loose.line, loose.col, loose.name, loose.role, loose.reason as u8));
        let (known, numbering) = (&mut self.known, &mut self.numbering);
        self.unbound.extend(order.into_iter().map(|loose| UnboundRow {
            owner: loose.owner,
            name: code(loose.id, loose.name, known, numbering),
            line: loose.line,
            col: loose.col,
            role: loose.role,
            reason: loose.reason as u8,
        }));
    }

    /// The columns, once every file was added.
    pub fn columns(self) -> Columns {
        let Assembly { prepared, mut edges, mut unbound, numbering, of_node, ids, mut externals, .. } = self;
        let table = &prepared.scopes.table;
        edges.shrink_to_fit();
        unbound.shrink_to_fit();
        let (names, place) = numbering.sorted();
        for row in &mut unbound {
            row.name = place[row.name as usize];
        }
        let names = NameTable::build(&names, &by_name(table, &of_node, &place));
        let (texts, place) = ids.sorted();
        for row in &mut externals {
            row.external = place[row.external as usize];
        }
        let externals = Externals::build(&texts, externals);
        let (out_index, in_order, in_index) = index_edges(&edges, table.parents.len());
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
}

/// The code of a text; `id` is its interned number where it has one.
fn code(id: NameId, text: &str, known: &mut [u32], numbering: &mut Numbering<'_>) -> u32 {
    let Some(code) = known.get_mut(id as usize) else { return numbering.code(text) };
    if *code == NONE {
        *code = numbering.code(text);
    }
    *code
}

fn take_over_edges(edges: &mut Vec<EdgeRow>, before: Before<'_>, file: usize) {
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
