//! Impact: who is affected when symbols change, by distance.
//!
//! Breadth first against the direction of use. A changed member of a supertype reaches those who override it, a changed
//! override reaches those who call it through the supertype, and a changed type reaches whoever names it. What could not be
//! bound but carries the same name makes the count a floor, and that is said.
//!
//! Knows the graph, not tools.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::facts::model::{Kind, Visibility, flag};
use crate::graph::{EdgeKind, Graph, NodeId, Unbound};

/// How far and how much.
#[derive(Clone, Copy, Debug)]
pub struct ImpactBounds {
    /// Steps from the changed symbols.
    pub depth: u32,
    /// Affected nodes collected; beyond it the answer is a floor.
    pub nodes: usize,
}

impl Default for ImpactBounds {
    fn default() -> Self {
        ImpactBounds { depth: 3, nodes: 20_000 }
    }
}

/// One affected symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Affected {
    /// The symbol.
    pub node: NodeId,
    /// Steps from the nearest changed symbol.
    pub depth: u32,
    /// The node that it depends on, one step nearer.
    pub via: NodeId,
    /// How.
    pub kind: EdgeKind,
    /// Where it does.
    pub line: u32,
}

/// A mention that may mean a changed symbol but could not be bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Boundary {
    /// The changed symbol of that name.
    pub symbol: NodeId,
    /// Who mentions it.
    pub owner: NodeId,
    /// Where.
    pub line: u32,
    /// Why it is not bound.
    pub reason: Unbound,
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Risk {
    /// Nothing is affected.
    None,
    /// A few places.
    Low,
    /// Several.
    Medium,
    /// Many.
    High,
    /// The whole project leans on it.
    Critical,
}

impl Risk {
    /// The stable word of answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Risk::None => "NONE",
            Risk::Low => "LOW",
            Risk::Medium => "MEDIUM",
            Risk::High => "HIGH",
            Risk::Critical => "CRITICAL",
        }
    }

    /// From the number of affected symbols one step away and in all.
    pub fn of(direct: usize, total: usize) -> Risk {
        match (direct, total) {
            (0, 0) => Risk::None,
            _ if direct >= 30 || total >= 200 => Risk::Critical,
            _ if direct >= 10 || total >= 50 => Risk::High,
            _ if direct >= 4 || total >= 15 => Risk::Medium,
            _ => Risk::Low,
        }
    }
}

/// What a change reaches.
#[derive(Clone, Debug, Default)]
pub struct Impact {
    /// Affected symbols by depth, then by path and place.
    pub affected: Vec<Affected>,
    /// Mentions by name alone, in order of place.
    pub boundaries: Vec<Boundary>,
    /// Whether the node bound cut the walk.
    pub truncated: bool,
}

impl Impact {
    /// Number of affected symbols at each depth from 1 on.
    pub fn counts(&self) -> Vec<usize> {
        let deepest = self.affected.last().map_or(0, |last| last.depth);
        let mut counts = vec![0; deepest as usize];
        for one in &self.affected {
            counts[one.depth as usize - 1] += 1;
        }
        counts
    }

    /// How bad it is.
    pub fn risk(&self) -> Risk {
        Risk::of(self.counts().first().copied().unwrap_or(0), self.affected.len())
    }

    /// Test files among the affected, sorted.
    pub fn test_files(&self, graph: &Graph) -> Vec<String> {
        let tests = self.affected.iter().filter(|one| graph.is_test(one.node));
        let mut files: Vec<String> = tests.map(|one| graph.file_of(one.node).path.clone()).collect();
        files.sort();
        files.dedup();
        files
    }
}

/// Whether a change of the target is felt at the source of an edge of this kind.
fn carries(kind: EdgeKind) -> bool {
    match kind {
        EdgeKind::Calls
        | EdgeKind::Instantiates
        | EdgeKind::References
        | EdgeKind::Reads
        | EdgeKind::Writes
        | EdgeKind::Imports
        | EdgeKind::ReExports
        | EdgeKind::Extends
        | EdgeKind::Implements
        | EdgeKind::Composes
        | EdgeKind::Overrides
        | EdgeKind::Annotated
        | EdgeKind::Throws
        | EdgeKind::RoutesTo
        | EdgeKind::Handles
        | EdgeKind::Emits
        | EdgeKind::Injects => true,
        EdgeKind::Contains => false,
    }
}

/// Walks from changed symbols to what depends on them.
pub fn impact(graph: &Graph, seeds: &[NodeId], bounds: ImpactBounds) -> Impact {
    let mut seen: FxHashSet<NodeId> = seeds.iter().copied().collect();
    // A change of a type's members is a change of the type's own file as well; members of a seed are not "affected".
    let mut found = Impact::default();
    let mut level: Vec<NodeId> = {
        let mut own: Vec<NodeId> = seeds.to_vec();
        own.sort_unstable();
        own.dedup();
        own
    };
    for depth in 1..=bounds.depth {
        let mut next: FxHashMap<NodeId, Affected> = FxHashMap::default();
        for at in &level {
            for one in dependents(graph, *at, depth) {
                if seen.contains(&one.node) || graph.ancestors(one.node).any(|above| seeds.contains(&above)) {
                    continue;
                }
                next.entry(one.node).or_insert(one);
            }
        }
        let mut rows: Vec<Affected> = next.into_values().collect();
        // Files first mention what their functions then use; the function is the better row.
        rows.sort_by_key(|one| one.node);
        let room = bounds.nodes.saturating_sub(found.affected.len());
        found.truncated |= rows.len() > room;
        rows.truncate(room);
        seen.extend(rows.iter().map(|one| one.node));
        level = rows.iter().map(|one| one.node).collect();
        found.affected.extend(rows);
        if level.is_empty() {
            break;
        }
    }
    found.boundaries = boundaries(graph, seeds);
    found
}

fn dependents(graph: &Graph, at: NodeId, depth: u32) -> Vec<Affected> {
    // Whoever imports a whole file is asked when a file is the seed; a symbol is reached by its own mentions.
    let direct = graph.incoming(at).filter(|edge| edge.from != at && carries(edge.kind()));
    let mut rows: Vec<Affected> =
        direct.map(|edge| Affected { node: edge.from, depth, via: at, kind: edge.kind(), line: edge.line }).collect();
    // A call through the supertype's member may run this one.
    for base in graph.out(at).iter().filter(|edge| edge.kind() == EdgeKind::Overrides) {
        let callers = graph.incoming(base.to).filter(|edge| edge.kind().is_call() && edge.from != at);
        rows.extend(callers.map(|edge| Affected { node: edge.from, depth, via: at, kind: edge.kind(), line: edge.line }));
    }
    rows
}

/// Calls and accesses of the same name whose receiver nobody knows.
fn boundaries(graph: &Graph, seeds: &[NodeId]) -> Vec<Boundary> {
    let mut wanted: FxHashMap<u32, NodeId> = FxHashMap::default();
    for seed in seeds {
        if let Some(name) = graph.names().find(graph.name(*seed)) {
            wanted.entry(name).or_insert(*seed);
        }
    }
    let possible =
        |reason| matches!(reason, Unbound::UnknownReceiver | Unbound::Ambiguous | Unbound::Dynamic | Unbound::NoMember);
    let rows = graph.unbound().iter().filter(|row| possible(row.reason()));
    let mut found: Vec<Boundary> = rows
        .filter_map(|row| {
            let symbol = *wanted.get(&row.name)?;
            // Another language's member of that name is another thing.
            let same = |a: NodeId| graph.file_of(a).lang.map(|lang| lang.language().family);
            (same(symbol) == same(row.owner)).then(|| Boundary { symbol, owner: row.owner, line: row.line, reason: row.reason() })
        })
        .collect();
    found.sort_by_key(|row| (row.owner, row.line));
    found
}

/// Mentions of names that no longer have a definition, such as calls of a function that was removed: owner, line, name.
pub fn dangling(graph: &Graph, removed: &[String]) -> Vec<(NodeId, u32, String)> {
    let wanted: FxHashMap<u32, &String> = removed
        .iter()
        .filter(|name| graph.named(name).is_empty())
        .filter_map(|name| Some((graph.names().find(name)?, name)))
        .collect();
    let lost = |reason| matches!(reason, Unbound::NoDefinition | Unbound::NoMember | Unbound::External);
    let rows = graph.unbound().iter().filter(|row| lost(row.reason()));
    let mut found: Vec<(NodeId, u32, String)> =
        rows.filter_map(|row| wanted.get(&row.name).map(|name| (row.owner, row.line, (*name).clone()))).collect();
    found.sort();
    found
}

/// Why nothing depends on a symbol, as far as can be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZeroClass {
    /// Private or local, everything around it was parsed, nothing unbound carries its name.
    LikelyUnused,
    /// Mentions of the name exist that could not be bound, or the language may call it by itself.
    ExtractionGap,
    /// Whoever uses it may be outside the index.
    CoverageIncomplete,
}

impl ZeroClass {
    /// The stable word of answers.
    pub fn as_str(self) -> &'static str {
        match self {
            ZeroClass::LikelyUnused => "likely_unused",
            ZeroClass::ExtractionGap => "possible_extraction_gap",
            ZeroClass::CoverageIncomplete => "coverage_incomplete",
        }
    }

    /// What it means, in a sentence.
    pub fn message(self) -> &'static str {
        match self {
            ZeroClass::LikelyUnused => "nothing in the index uses it, and nothing unbound carries its name",
            ZeroClass::ExtractionGap => {
                "nothing bound uses it, but mentions that could not be bound, a decorator or an override may"
            }
            ZeroClass::CoverageIncomplete => "nothing in the index uses it, but it is visible to code outside the index",
        }
    }
}

/// The class of a symbol that nothing bound depends on.
pub fn zero_class(graph: &Graph, node: NodeId, has_boundary: bool) -> ZeroClass {
    let Some(def) = graph.def(node) else { return ZeroClass::CoverageIncomplete };
    let dispatched = graph.out(node).iter().any(|edge| edge.kind() == EdgeKind::Overrides);
    if has_boundary || dispatched || def.flags & (flag::DECORATED | flag::OVERRIDE | flag::TEST) != 0 {
        return ZeroClass::ExtractionGap;
    }
    let is_open = def.has(flag::EXPORTED) || def.visibility() == Visibility::Public || graph.name(node) == "main";
    if is_open || def.kind() == Kind::Module { ZeroClass::CoverageIncomplete } else { ZeroClass::LikelyUnused }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::build::graph_of;

    #[track_caller]
    fn check(files: &[(&str, &str)], seed: &str, expected: &[(&str, u32)]) {
        let graph = graph_of(files);
        let seed = graph.by_id(seed).expect("a symbol");
        let found = impact(&graph, &[seed], ImpactBounds::default());
        let rows: Vec<(String, u32)> = found.affected.iter().map(|one| (graph.id(one.node), one.depth)).collect();
        let rows: Vec<(&str, u32)> = rows.iter().map(|(id, depth)| (id.as_str(), *depth)).collect();
        assert_eq!(rows, expected);
    }

    #[test]
    fn callers_come_by_distance() {
        let text = "def a():\n    pass\ndef b():\n    a()\ndef c():\n    b()\n    a()\ndef d():\n    c()\n";
        check(&[("m.py", text)], "m.py::a", &[("m.py::b", 1), ("m.py::c", 1), ("m.py::d", 2)]);
        check(&[("m.py", text)], "m.py::d", &[]);
    }

    #[test]
    fn a_recursive_function_is_not_affected_by_itself() {
        check(&[("m.py", "def a():\n    a()\n")], "m.py::a", &[]);
    }

    #[test]
    fn risk_grows_with_reach() {
        assert_eq!(Risk::of(0, 0), Risk::None);
        assert_eq!(Risk::of(1, 1), Risk::Low);
        assert_eq!(Risk::of(12, 12), Risk::High);
        assert!(Risk::of(1, 300) == Risk::Critical);
    }
}
