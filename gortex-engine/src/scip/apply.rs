//! Imported evidence becomes edges.
//!
//! At a place where the compiler names a definition of ours: an edge to it is raised, one that was only inferred to something
//! else goes, and a mention that had no edge gets one. Evidence about content that is no longer there is left alone.
//!
//! Knows graphs; the same graph and evidence give the same rows.

use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

use super::import::{At, Evidence};
use crate::facts::model::Kind;
use crate::graph::{EdgeKind, EdgeRow, FileEntry, Graph, NodeId, Tier, UnboundRow, edge_flag};
use crate::link::index_edges;

/// What evidence changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Applied {
    /// Files that the evidence speaks of as they are.
    pub files: usize,
    /// Files that changed since the import; their evidence is ignored.
    pub stale: usize,
    /// Edges that were known and are compiler grade now.
    pub raised: usize,
    /// Edges that only the compiler knew.
    pub added: usize,
    /// Inferred edges that the compiler contradicts; removed.
    pub removed: usize,
    /// Resolved edges that the compiler contradicts; kept.
    pub contradicted: usize,
}

/// Raises, adds and removes edges of `graph`.
pub fn apply(graph: &mut Graph, evidence: &Evidence) -> Applied {
    let mut applied = Applied::default();
    let fits = |file: &FileEntry| evidence.files.get(&file.path).is_some_and(|said| said.hash == file.hash);
    let mut said: FxHashMap<(usize, At), Vec<NodeId>> = FxHashMap::default();
    let mut names: FxHashMap<&str, FxHashMap<At, NodeId>> = FxHashMap::default();
    for (index, file) in graph.files.iter().enumerate() {
        let Some(known) = evidence.files.get(&file.path) else { continue };
        if !fits(file) {
            applied.stale += 1;
            continue;
        }
        applied.files += 1;
        for (at, path, target) in &known.mentions {
            let Some(other) = graph.file(path).filter(|other| fits(other)) else { continue };
            let places = names.entry(other.path.as_str()).or_insert_with(|| definitions(other));
            if let Some(node) = places.get(target) {
                said.entry((index, *at)).or_default().push(*node);
            }
        }
    }
    if said.is_empty() {
        return applied;
    }
    // Where the compiler names something of ours, nothing from outside is meant.
    let externals = graph.externals.retain(|row| !said.contains_key(&(graph.file_index(row.owner), (row.line, row.col))));
    let edges = raise(graph, &said, &mut applied);
    let (edges, unbound) = add(graph, &said, edges, &mut applied);
    let (out_index, in_order, in_index) = index_edges(&edges, graph.node_count() as usize);
    graph.edges = edges.into();
    graph.out_index = out_index.into();
    graph.in_order = in_order.into();
    graph.in_index = in_index.into();
    graph.unbound = unbound.into();
    graph.externals = externals;
    applied
}

fn definitions(file: &FileEntry) -> FxHashMap<At, NodeId> {
    let view = file.facts.view();
    let rows = view.defs.iter().enumerate().map(|(index, def)| ((def.name_line, def.name_col), file.base + 1 + index as u32));
    rows.collect()
}

/// Whether an edge says something about the mention at its place.
fn is_mention(edge: &EdgeRow) -> bool {
    edge.flags & (edge_flag::DERIVED | edge_flag::SYNTHESIZED) == 0
        && !matches!(edge.kind(), EdgeKind::Overrides | EdgeKind::Contains)
}

/// A constructor and its type are one answer, and so are a prototype and what it announces.
fn same(graph: &Graph, ours: NodeId, theirs: NodeId) -> bool {
    if ours == theirs || graph.name(ours) == graph.name(theirs) && graph.kind(ours) == graph.kind(theirs) {
        return true;
    }
    let constructs = |node: NodeId, of: NodeId| graph.kind(node) == Kind::Constructor && graph.parent(node) == Some(of);
    constructs(ours, theirs) || constructs(theirs, ours)
}

fn raise(graph: &Graph, said: &FxHashMap<(usize, At), Vec<NodeId>>, applied: &mut Applied) -> Vec<EdgeRow> {
    let mut edges = Vec::with_capacity(graph.edges().len());
    for edge in graph.edges() {
        let place = (graph.file_index(edge.from), (edge.line, edge.col));
        let mut edge = *edge;
        if let Some(targets) = said.get(&place).filter(|_| is_mention(&edge)) {
            if targets.contains(&edge.to) {
                applied.raised += usize::from(edge.tier() != Tier::LspResolved);
                (edge.tier, edge.confidence) = (Tier::LspResolved as u8, 100);
            } else if !targets.iter().any(|target| same(graph, edge.to, *target)) && edge.flags & edge_flag::ALIASED == 0 {
                if matches!(edge.tier(), Tier::AstInferred | Tier::TextMatched) {
                    applied.removed += 1;
                    continue;
                }
                applied.contradicted += 1;
            }
        }
        edges.push(edge);
    }
    edges
}

/// Mentions without an edge get the compiler's.
fn add(
    graph: &Graph,
    said: &FxHashMap<(usize, At), Vec<NodeId>>,
    mut edges: Vec<EdgeRow>,
    applied: &mut Applied,
) -> (Vec<EdgeRow>, Vec<UnboundRow>) {
    let known: FxHashSet<(NodeId, At, NodeId)> = edges.iter().map(|edge| (edge.from, (edge.line, edge.col), edge.to)).collect();
    let mut unbound = Vec::with_capacity(graph.unbound().len());
    for row in graph.unbound() {
        let Some(targets) = said.get(&(graph.file_index(row.owner), (row.line, row.col))) else {
            unbound.push(*row);
            continue;
        };
        for target in targets {
            if known.contains(&(row.owner, (row.line, row.col), *target)) {
                continue;
            }
            applied.added += 1;
            edges.push(bound(graph, row, *target));
        }
    }
    edges.sort_unstable_by_key(|edge| (edge.from, edge.line, edge.col, edge.to, edge.kind, edge.role, edge.tier));
    edges.dedup_by_key(|edge| (edge.from, edge.line, edge.col, edge.to, edge.kind, edge.role));
    (edges, unbound)
}

fn bound(graph: &Graph, row: &UnboundRow, target: NodeId) -> EdgeRow {
    let kind = graph.kind(target);
    let data = matches!(kind, Kind::Field | Kind::Property | Kind::Constant | Kind::Variable | Kind::EnumMember);
    // A field that holds a function is read where it is called.
    let role = if row.role() == crate::facts::Role::Call && data { crate::facts::Role::Read } else { row.role() };
    let mut flags = if graph.names().text(row.name) == graph.name(target) { 0 } else { edge_flag::ALIASED };
    if graph.file_of(target).repo != graph.file_of(row.owner).repo {
        flags |= edge_flag::CROSS_REPO;
    }
    EdgeRow {
        from: row.owner,
        to: target,
        line: row.line,
        col: row.col,
        kind: EdgeKind::of_role(role, data) as u8,
        role: role as u8,
        tier: Tier::LspResolved as u8,
        confidence: 100,
        usage: 0,
        flags,
    }
}
