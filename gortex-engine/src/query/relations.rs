//! Relations of one symbol: who calls it, what it needs, who needs it, what satisfies it.
//!
//! A call of an interface method may run any method that overrides it. Such a candidate is never mixed with what is
//! certain: it is a step with the called method beside it, and the walk keeps it apart unless it is asked for.
//!
//! Knows the graph; scope, wording and row shapes are for others.

use rustc_hash::FxHashSet;

use super::subgraph::{Lens, Reach, Relation, Step, Subgraph, containment, is_call, is_handed_over, parts, related, walk};
use crate::facts::model::{Kind, NONE, Role, Visibility, flag};
use crate::graph::{EdgeKind, EdgeRow, Graph, NodeId, Tier, edge_flag};
use crate::lang::Family;

/// Confidence of a dispatch candidate, in percent.
const DISPATCH: u8 = 50;
/// A chain of overriding methods is not followed beyond so many.
const OVERRIDES: usize = 4096;

/// Methods that this one overrides, directly or through others, in the order of nodes.
pub fn overridden(graph: &Graph, method: NodeId) -> Vec<NodeId> {
    closure(method, |at| graph.out(at).iter().filter(|edge| edge.kind() == EdgeKind::Overrides).map(|edge| edge.to).collect())
}

/// Methods that override this one, directly or through others, in the order of nodes.
pub fn overriding(graph: &Graph, method: NodeId) -> Vec<NodeId> {
    closure(method, |at| graph.incoming(at).filter(|edge| edge.kind() == EdgeKind::Overrides).map(|edge| edge.from).collect())
}

fn closure(start: NodeId, next: impl Fn(NodeId) -> Vec<NodeId>) -> Vec<NodeId> {
    let mut seen: FxHashSet<NodeId> = FxHashSet::default();
    let mut pending = vec![start];
    while let Some(at) = pending.pop() {
        for other in next(at) {
            if other != start && seen.len() < OVERRIDES && seen.insert(other) {
                pending.push(other);
            }
        }
    }
    let mut found: Vec<NodeId> = seen.into_iter().collect();
    found.sort_unstable();
    found
}

/// Calls into a node, then calls of the methods it overrides, as dispatch candidates.
pub fn calls_into(graph: &Graph, node: NodeId, steps: &mut Vec<Step>) {
    steps.extend(graph.incoming(node).filter(|edge| is_call(graph, edge)).map(|edge| Step::plain(edge, edge.from)));
    for above in overridden(graph, node) {
        for edge in graph.incoming(above).filter(|edge| is_call(graph, edge)) {
            // A method that overrides the called one calls it as `super`: that does not come back down.
            let of_super = graph.out(edge.from).iter().any(|up| up.kind() == EdgeKind::Overrides && up.to == above);
            if !of_super {
                steps.push(dispatched(edge, node, edge.from));
            }
        }
    }
}

/// Calls out of a node, then what they may run by dispatch.
pub fn calls_out_of(graph: &Graph, node: NodeId, steps: &mut Vec<Step>) {
    for edge in graph.out(node).iter().filter(|edge| is_call(graph, edge)) {
        steps.push(Step::plain(edge, edge.to));
        if graph.kind(edge.to) == Kind::Method {
            steps.extend(overriding(graph, edge.to).into_iter().map(|below| dispatched(edge, below, below)));
        }
    }
}

fn dispatched(edge: &EdgeRow, to: NodeId, other: NodeId) -> Step {
    let row = EdgeRow { to, tier: Tier::AstInferred as u8, confidence: DISPATCH, ..*edge };
    Step { edge: row, other, dispatched_from: Some(edge.to) }
}

/// Who calls a node, level by level.
pub fn callers(graph: &Graph, target: NodeId, lens: &Lens<'_>, reach: Reach) -> Subgraph {
    walk(graph, target, &[], lens, reach, |node, steps| calls_into(graph, node, steps))
}

/// What a node calls, level by level. Calls inside definitions nested in the target count as its own.
pub fn call_chain(graph: &Graph, target: NodeId, lens: &Lens<'_>, reach: Reach) -> Subgraph {
    walk(graph, target, &[], lens, reach, |node, steps| calls_out_of(graph, node, steps))
}

/// Every mention of a node from outside of a definition header: one step.
pub fn usages(graph: &Graph, target: NodeId, lens: &Lens<'_>) -> Subgraph {
    let reach = Reach { depth: 1, limit: 0, merge: false };
    walk(graph, target, &[], lens, reach, |node, steps| {
        steps.extend(
            graph
                .incoming(node)
                .filter(|edge| edge.kind() != EdgeKind::Overrides && edge.flags & edge_flag::DERIVED == 0)
                .map(|edge| Step::plain(edge, edge.from)),
        );
    })
}

/// What the target relies on. Its own parts count as the target, so relations among them are none.
pub fn dependencies(graph: &Graph, target: NodeId, lens: &Lens<'_>, reach: Reach) -> Subgraph {
    let own = parts(graph, target);
    let inside: FxHashSet<NodeId> = own.iter().copied().collect();
    walk(graph, target, &own, lens, reach, |node, steps| {
        let relies = |edge: &&EdgeRow| edge.kind() != EdgeKind::Overrides && !inside.contains(&edge.to);
        steps.extend(graph.out(node).iter().filter(relies).map(|edge| Step::plain(edge, edge.to)));
    })
}

/// Who would feel a change of the target. Its own parts count as the target, so relations among them are none.
pub fn dependents(graph: &Graph, target: NodeId, lens: &Lens<'_>, reach: Reach) -> Subgraph {
    let own = parts(graph, target);
    let inside: FxHashSet<NodeId> = own.iter().copied().collect();
    walk(graph, target, &own, lens, reach, |node, steps| {
        calls_into(graph, node, steps);
        steps.extend(graph.incoming(node).filter(|edge| !is_call(graph, edge)).map(|edge| Step::plain(edge, edge.from)));
        steps.retain(|step| !inside.contains(&step.other));
    })
}

/// One type or method that satisfies an interface, class or method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Implementation {
    /// What satisfies.
    pub node: NodeId,
    /// The row by which it was met.
    pub edge: EdgeRow,
    /// Steps from the interface.
    pub depth: u32,
    /// False for an interface that only extends the one asked about.
    pub concrete: bool,
}

/// What satisfies a type, directly or through others; for a method the methods that override it.
pub fn implementations(graph: &Graph, target: NodeId, lens: &Lens<'_>) -> (Vec<Implementation>, usize) {
    let of_type = graph.kind(target).is_type();
    let wanted = |edge: &EdgeRow| match edge.kind() {
        EdgeKind::Implements | EdgeKind::Extends => of_type,
        // An interface that embeds another asks for all its methods; a struct that embeds one has them.
        EdgeKind::Composes => of_type && graph.kind(edge.to).is_interface(),
        EdgeKind::Overrides => !of_type,
        _ => false,
    };
    let reach = Reach { depth: u32::MAX, limit: 0, merge: false };
    let found = walk(graph, target, &[], lens, reach, |node, steps| {
        steps.extend(graph.incoming(node).filter(|edge| wanted(edge)).map(|edge| Step::plain(edge, edge.from)));
    });
    let mut rows: Vec<Implementation> = Vec::new();
    for (node, depth) in found.nodes.iter().skip(1) {
        let strongest = found.links.iter().filter(|link| link.edge.from == *node).min_by_key(|link| (link.depth, link.edge.tier));
        if let Some(link) = strongest {
            rows.push(Implementation { node: *node, edge: link.edge, depth: *depth, concrete: is_concrete(graph, *node) });
        }
    }
    (rows, found.tier_filtered)
}

fn is_concrete(graph: &Graph, node: NodeId) -> bool {
    graph.def(node).is_some_and(|def| !def.kind().is_interface() && !def.has(flag::DECLARATION))
}

/// Which way a hierarchy is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ways {
    /// To supertypes, or overridden methods.
    pub up: bool,
    /// To subtypes, or overriding methods.
    pub down: bool,
}

/// The types above and below a type, or the methods above and below a method. `members` adds the methods of each type.
pub fn hierarchy(graph: &Graph, target: NodeId, ways: Ways, members: bool, lens: &Lens<'_>, depth: u32) -> Subgraph {
    let kinds: &[EdgeKind] = if graph.kind(target).is_type() {
        &[EdgeKind::Extends, EdgeKind::Implements, EdgeKind::Composes]
    } else {
        &[EdgeKind::Overrides]
    };
    let relations: Vec<Relation> = kinds.iter().copied().map(Relation::Stored).collect();
    let reach = Reach { depth, limit: 0, merge: false };
    // Up and down are two walks: a sibling is neither above nor below.
    let one_way =
        |up: bool| walk(graph, target, &[], lens, reach, |node, steps| related(graph, node, &relations, up, !up, steps));
    let mut found = match (ways.up, ways.down) {
        (true, false) => one_way(true),
        (false, true) => one_way(false),
        _ => join(one_way(true), one_way(false)),
    };
    if members {
        add_members(graph, &mut found, lens);
    }
    found
}

fn join(mut one: Subgraph, other: Subgraph) -> Subgraph {
    let known: FxHashSet<NodeId> = one.nodes.iter().map(|(node, _)| *node).collect();
    one.nodes.extend(other.nodes.into_iter().filter(|(node, _)| !known.contains(node)));
    one.nodes[1..].sort_by_key(|(node, depth)| (*depth, *node));
    let rows: FxHashSet<EdgeKey> = one.links.iter().map(|link| edge_key(&link.edge)).collect();
    one.links.extend(other.links.into_iter().filter(|link| !rows.contains(&edge_key(&link.edge))));
    one.total_nodes = one.nodes.len();
    one.total_links = one.links.len();
    one.tier_filtered += other.tier_filtered;
    one.deepest = one.deepest.max(other.deepest);
    one
}

type EdgeKey = (NodeId, NodeId, u8, u32, u16);

fn edge_key(edge: &EdgeRow) -> EdgeKey {
    (edge.from, edge.to, edge.kind, edge.line, edge.col)
}

fn add_members(graph: &Graph, found: &mut Subgraph, lens: &Lens<'_>) {
    let types: Vec<(NodeId, u32)> = found.nodes.iter().copied().filter(|(node, _)| graph.kind(*node).is_type()).collect();
    let mut methods: FxHashSet<NodeId> = FxHashSet::default();
    for (ty, depth) in &types {
        for member in graph.children(*ty).into_iter().filter(|member| graph.kind(*member).is_callable()) {
            methods.insert(member);
            found.nodes.push((member, *depth));
            let edge = containment(graph, *ty, member);
            found.links.push(super::subgraph::Link { edge, depth: *depth, speculative: false, count: 1 });
        }
    }
    for (node, depth) in found.nodes.clone() {
        for edge in graph.out(node).iter().filter(|edge| edge.kind() == EdgeKind::Overrides) {
            if methods.contains(&node) && methods.contains(&edge.to) && lens.strong_enough(edge.tier()) {
                found.links.push(super::subgraph::Link { edge: *edge, depth, speculative: false, count: 1 });
            }
        }
    }
    found.total_nodes = found.nodes.len();
    found.total_links = found.links.len();
}

/// What speaks for a symbol being used although no caller was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Traces {
    /// Places where it is handed over as a value or stands as a decorator.
    pub handed_over: Vec<EdgeRow>,
    /// Other mentions, by the word of their kind, with their number.
    pub mentions: Vec<(&'static str, usize)>,
    /// Why something outside of the indexed code may call it.
    pub from_outside: Option<&'static str>,
}

/// Collects the traces of a symbol.
pub fn traces(graph: &Graph, target: NodeId) -> Traces {
    let mut found = Traces { from_outside: from_outside(graph, target), ..Traces::default() };
    let mut counts = std::collections::BTreeMap::new();
    for edge in graph.incoming(target) {
        if is_handed_over(graph, edge) {
            found.handed_over.push(*edge);
        } else if !is_call(graph, edge) && edge.kind() != EdgeKind::Overrides {
            *counts.entry(edge.kind().as_str()).or_insert(0) += 1;
        }
    }
    found.mentions = counts.into_iter().collect();
    found
}

/// Why a symbol may be called by what is not indexed: a runtime, a framework, a library.
fn from_outside(graph: &Graph, target: NodeId) -> Option<&'static str> {
    let def = graph.def(target)?;
    let family = graph.file_of(target).lang.map(|lang| lang.language().family);
    let name = graph.name(target);
    let member = graph.parent(target).filter(|owner| graph.kind(*owner).is_type());
    let overrides = graph.out(target).iter().any(|edge| edge.kind() == EdgeKind::Overrides);
    if def.has(flag::TEST) {
        Some("a test runner calls it")
    } else if name == "main" || family == Some(Family::Go) && name == "init" {
        Some("the runtime calls it")
    } else if family == Some(Family::Python) && name.len() > 4 && name.starts_with("__") && name.ends_with("__") {
        Some("the language calls it by protocol")
    } else if def.has(flag::DECORATED) {
        Some("a decorator, annotation or macro stands on it and may register or call it")
    } else if member.is_some() && !overrides && def.has(flag::OVERRIDE) {
        Some("it implements something outside of the tracked roots")
    } else if member.is_some_and(|owner| has_outside_super(graph, owner)) && def.kind() == Kind::Method {
        Some("its type extends or implements something outside of the tracked roots")
    } else if member.is_some()
        && family == Some(Family::Go)
        && def.kind() == Kind::Method
        && def.visibility() == Visibility::Public
    {
        Some("an exported method may satisfy an interface outside of the tracked roots")
    } else if overrides {
        Some("it overrides a method and may be called through that")
    } else {
        None
    }
}

/// Whether a type names a supertype that is not in the graph.
pub fn has_outside_super(graph: &Graph, ty: NodeId) -> bool {
    let file = graph.file_of(ty);
    let view = file.facts.view();
    let own = |sub: u32| sub != NONE && file.base + 1 + sub == ty;
    let bound = |line: u32| {
        let is_super = |edge: &EdgeRow| matches!(edge.kind(), EdgeKind::Extends | EdgeKind::Implements | EdgeKind::Composes);
        graph.out(ty).iter().any(|edge| edge.line == line && is_super(edge))
    };
    view.supers.iter().any(|row| own(row.sub) && !bound(row.line))
}

/// The innermost definition around a line of a file, or the file.
pub fn enclosing(graph: &Graph, file: NodeId, line: u32) -> NodeId {
    let entry = graph.file_of(file);
    let view = entry.facts.view();
    let around = view.defs.iter().enumerate().filter(|(_, def)| (def.start_line..=def.end_line).contains(&line));
    // A later row of equal extent is the inner one.
    let inner = around.min_by_key(|(index, def)| (def.end_line - def.start_line, std::cmp::Reverse(*index)));
    inner.map_or(entry.base, |(index, _)| entry.base + 1 + index as u32)
}

/// Rows that leave a file on one line, in the order of their columns.
pub fn rows_on_line(graph: &Graph, file: NodeId, line: u32) -> Vec<EdgeRow> {
    let entry = graph.file_of(file);
    let last = entry.base + entry.facts.view().defs.len() as u32;
    let from = graph.edges().partition_point(|edge| edge.from < entry.base);
    let to = graph.edges().partition_point(|edge| edge.from <= last);
    let mut rows: Vec<EdgeRow> = graph.edges()[from..to].iter().filter(|edge| edge.line == line).copied().collect();
    rows.retain(|edge| !matches!(edge.kind(), EdgeKind::Overrides | EdgeKind::Contains));
    rows.sort_by_key(|edge| (edge.col, !is_call(graph, edge), edge.to));
    rows
}

/// The definition that a re-export or import under another name stands for: `file::name` where `file` only passes it on.
pub fn through_export(graph: &Graph, id: &str) -> Option<NodeId> {
    let (path, name) = id.split_once("::")?;
    let file = graph.file(path)?;
    let view = file.facts.view();
    let lines = view.exports.iter().filter(|row| view.str(row.exported) == name).map(|row| (row.line, None));
    let lines = lines.chain(view.imports.iter().filter(|row| view.str(row.alias) == name).map(|row| (row.line, Some(row.col))));
    let mut targets: Vec<NodeId> = Vec::new();
    for (line, col) in lines {
        let passes = |edge: &&EdgeRow| {
            matches!(edge.role(), Role::Import | Role::ReExport) && edge.line == line && col.is_none_or(|col| col == edge.col)
        };
        for edge in graph.out(file.base).iter().filter(passes) {
            if graph.def(edge.to).is_some() && !targets.contains(&edge.to) {
                targets.push(edge.to);
            }
        }
    }
    match targets.as_slice() {
        [one] => Some(*one),
        // Several exports on one line: the one whose own name it is.
        many => many.iter().copied().find(|node| graph.name(*node) == name),
    }
}

#[cfg(test)]
mod tests;
