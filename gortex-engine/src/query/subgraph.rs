//! Subgraphs: walks that answer with nodes and the mentions between them.
//!
//! One walk serves every relation: what differs is the question's own step function, which names a node's neighbours, and
//! the lens, which says what evidence and which neighbours count. What a lens hides is kept apart, so that an answer can
//! tell that it is a minimum.
//!
//! Knows nodes and rows; which edges a question follows is the question's affair.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::facts::model::{Role, flag};
use crate::graph::{EdgeKind, EdgeRow, Graph, NodeId, Tier};

/// What a walk accepts.
pub struct Lens<'a> {
    /// The weakest evidence to follow.
    pub weakest: Option<Tier>,
    /// Whether dispatch candidates are followed.
    pub speculative: bool,
    /// Whether a neighbour counts: scope, tests.
    pub admits: &'a dyn Fn(NodeId) -> bool,
}

impl std::fmt::Debug for Lens<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lens").field("weakest", &self.weakest).field("speculative", &self.speculative).finish_non_exhaustive()
    }
}

impl Lens<'_> {
    /// Accepts all but dispatch candidates.
    pub const OPEN: Lens<'static> = Lens { weakest: None, speculative: false, admits: &|_| true };

    /// Whether evidence of this strength is followed.
    pub fn strong_enough(&self, tier: Tier) -> bool {
        self.weakest.is_none_or(|weakest| tier <= weakest)
    }
}

/// How far a walk goes.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    /// Steps from the target.
    pub depth: u32,
    /// Nodes besides the target and its own parts; 0 is no bound.
    pub limit: usize,
    /// Whether mentions of the same kind between the same nodes become one row with a count.
    pub merge: bool,
}

/// A neighbour, as a step function names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The row to show.
    pub edge: EdgeRow,
    /// The neighbour.
    pub other: NodeId,
    /// For a dispatch candidate the method that the text names.
    pub dispatched_from: Option<NodeId>,
}

impl Step {
    /// A step over a stored row.
    pub fn plain(edge: &EdgeRow, other: NodeId) -> Step {
        Step { edge: *edge, other, dispatched_from: None }
    }
}

/// One row of a subgraph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// The mention; of several merged ones the first.
    pub edge: EdgeRow,
    /// Steps from the target to its farther end.
    pub depth: u32,
    /// Whether it is a dispatch candidate.
    pub speculative: bool,
    /// How many mentions it stands for.
    pub count: u32,
}

/// What a walk found.
#[derive(Clone, Debug, Default)]
pub struct Subgraph {
    /// The target first, then its own parts that rows mention, then the rest by distance.
    pub nodes: Vec<(NodeId, u32)>,
    /// Rows, all between listed nodes, nearest first.
    pub links: Vec<Link>,
    /// Nodes before the limit.
    pub total_nodes: usize,
    /// Rows before the limit.
    pub total_links: usize,
    /// Whether the limit cut anything.
    pub truncated: bool,
    /// Rows that were too weak for the lens.
    pub tier_filtered: usize,
    /// Dispatch candidates that were not followed.
    pub hidden: Vec<Step>,
    /// Nodes whose neighbours were looked at, in that order.
    pub expanded: Vec<NodeId>,
    /// The last distance at which neighbours were found.
    pub deepest: u32,
}

/// Walks from a target and its own parts (`seeds`) over what `steps` names, each node once, at its smallest distance.
pub fn walk(
    graph: &Graph,
    target: NodeId,
    seeds: &[NodeId],
    lens: &Lens<'_>,
    reach: Reach,
    mut steps: impl FnMut(NodeId, &mut Vec<Step>),
) -> Subgraph {
    let mut found = Subgraph::default();
    let mut distance: FxHashMap<NodeId, u32> = FxHashMap::default();
    let mut pending: VecDeque<NodeId> = VecDeque::new();
    for seed in std::iter::once(&target).chain(seeds) {
        if distance.insert(*seed, 0).is_none() {
            pending.push_back(*seed);
        }
    }
    let mut next = Vec::new();
    while let Some(at) = pending.pop_front() {
        let here = distance[&at];
        if here >= reach.depth {
            continue;
        }
        found.expanded.push(at);
        steps(at, &mut next);
        for step in next.drain(..) {
            if !lens.strong_enough(step.edge.tier()) {
                found.tier_filtered += 1;
            } else if !(lens.admits)(step.other) {
                // Out of scope: as if it were not there.
            } else if step.dispatched_from.is_some() && !lens.speculative {
                found.hidden.push(step);
            } else {
                let speculative = step.dispatched_from.is_some();
                found.links.push(Link { edge: step.edge, depth: here + 1, speculative, count: 1 });
                distance.entry(step.other).or_insert_with(|| {
                    pending.push_back(step.other);
                    here + 1
                });
            }
        }
    }
    finish(graph, target, &distance, reach, &mut found);
    found
}

/// Orders, merges and cuts.
fn finish(graph: &Graph, target: NodeId, distance: &FxHashMap<NodeId, u32>, reach: Reach, found: &mut Subgraph) {
    sort_links(graph, &mut found.links);
    let key = |link: &Link| (link.edge.from, link.edge.to, link.edge.kind, link.speculative);
    if reach.merge {
        let mut first: FxHashMap<_, usize> = FxHashMap::default();
        let mut merged: Vec<Link> = Vec::with_capacity(found.links.len());
        for link in found.links.drain(..) {
            match first.get(&key(&link)) {
                Some(at) => merged[*at].count += 1,
                None => {
                    first.insert(key(&link), merged.len());
                    merged.push(link);
                }
            }
        }
        found.links = merged;
    } else {
        // A walk in both directions meets a row from either end.
        let mut seen = FxHashSet::default();
        found.links.retain(|link| seen.insert((key(link), link.edge.line, link.edge.col, link.edge.role)));
    }
    let mentioned: FxHashSet<NodeId> = found.links.iter().flat_map(|link| [link.edge.from, link.edge.to]).collect();
    let reached = distance.iter().map(|(node, depth)| (*node, *depth));
    let mut nodes: Vec<(NodeId, u32)> =
        reached.filter(|(node, depth)| *node != target && (*depth > 0 || mentioned.contains(node))).collect();
    nodes.sort_by_cached_key(|(node, depth)| (*depth, *depth > 0 && graph.is_test(*node), *node));
    found.deepest = nodes.last().map_or(0, |(_, depth)| *depth);
    found.total_nodes = nodes.len() + 1;
    found.total_links = found.links.len();
    let parts = nodes.partition_point(|(_, depth)| *depth == 0);
    if reach.limit > 0 && nodes.len() - parts > reach.limit {
        nodes.truncate(parts + reach.limit);
        found.truncated = true;
    }
    nodes.insert(0, (target, 0));
    if found.truncated {
        let kept: FxHashSet<NodeId> = nodes.iter().map(|(node, _)| *node).collect();
        found.links.retain(|link| kept.contains(&link.edge.from) && kept.contains(&link.edge.to));
    }
    found.nodes = nodes;
}

/// Nearest first; production code before tests; then in the order of files and text.
fn sort_links(graph: &Graph, links: &mut [Link]) {
    links.sort_by_cached_key(|link| {
        let edge = &link.edge;
        (link.depth, graph.is_test(edge.from), link.speculative, edge.from, edge.line, edge.col, edge.to, edge.kind, edge.role)
    });
}

/// A definition with everything written inside it, itself first; for a file the file with all its definitions.
pub fn parts(graph: &Graph, node: NodeId) -> Vec<NodeId> {
    let file = graph.file_of(node);
    let all = file.base..=file.base + file.facts.view().defs.len() as u32;
    let mut found: Vec<NodeId> = if node == file.base {
        all.collect()
    } else {
        std::iter::once(node).chain(all.filter(|at| graph.ancestors(*at).any(|above| above == node))).collect()
    };
    let types: Vec<NodeId> = found.iter().copied().filter(|at| graph.kind(*at).is_type()).collect();
    let mut known: FxHashSet<NodeId> = found.iter().copied().collect();
    let elsewhere = types.into_iter().flat_map(|ty| graph.children(ty));
    found.extend(elsewhere.filter(|member| known.insert(*member)));
    found[1..].sort_unstable();
    found
}

/// Whether a row moves execution into its target: a call, a construction, a rendering, or an accessor that is read or written.
pub fn is_call(graph: &Graph, edge: &EdgeRow) -> bool {
    edge.kind().is_call()
        || matches!(edge.role(), Role::Read | Role::Write) && graph.def(edge.to).is_some_and(|def| def.has(flag::ACCESSOR))
}

/// Whether a row hands its target over as a value, to be called elsewhere.
pub fn is_handed_over(graph: &Graph, edge: &EdgeRow) -> bool {
    let as_value = matches!(edge.role(), Role::Read | Role::Attribute);
    as_value && graph.def(edge.to).is_some_and(|def| def.kind().is_callable() && !def.has(flag::ACCESSOR))
}

/// A word for a relation that a caller may follow, of the vocabulary of the specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// Stored rows of one kind.
    Stored(EdgeKind),
    /// From the container to what it contains.
    Contains,
    /// From what is contained to its container.
    MemberOf,
    /// Named as the type of a field or parameter.
    TypedAs,
    /// Named as a result type.
    Returns,
    /// From test code to what it calls.
    Tests,
    /// A word of the vocabulary for which this graph holds no rows.
    Unrecorded(&'static str),
}

/// Words without rows in this graph.
const UNRECORDED: [&str; 14] = [
    "captures",
    "consumes",
    "consumes_topic",
    "depends_on",
    "matches",
    "produces_topic",
    "provides",
    "queries",
    "reads_config",
    "recvs",
    "sends",
    "spawns",
    "value_flow",
    "arg_of",
];

impl Relation {
    /// Every word, sorted, for messages.
    pub fn words() -> Vec<&'static str> {
        let mut words: Vec<&str> = EdgeKind::ALL.iter().map(|kind| kind.as_str()).collect();
        words.extend(["defines", "member_of", "typed_as", "returns", "tests"]);
        words.extend(UNRECORDED);
        words.sort_unstable();
        words
    }

    /// Parses a word.
    pub fn parse(word: &str) -> Option<Relation> {
        match word {
            "contains" | "defines" => Some(Relation::Contains),
            "member_of" => Some(Relation::MemberOf),
            "typed_as" => Some(Relation::TypedAs),
            "returns" => Some(Relation::Returns),
            "tests" => Some(Relation::Tests),
            _ => match EdgeKind::parse(word) {
                Some(kind) => Some(Relation::Stored(kind)),
                None => UNRECORDED.iter().find(|other| **other == word).map(|word| Relation::Unrecorded(word)),
            },
        }
    }

    /// Whether a stored row says this relation.
    pub fn admits(self, graph: &Graph, edge: &EdgeRow) -> bool {
        match self {
            Relation::Stored(kind) => edge.kind() == kind,
            Relation::TypedAs => matches!(edge.role(), Role::FieldType | Role::ParamType),
            Relation::Returns => edge.role() == Role::ReturnType,
            Relation::Tests => edge.kind().is_call() && graph.is_test(edge.from) && !graph.is_test(edge.to),
            Relation::Contains | Relation::MemberOf | Relation::Unrecorded(_) => false,
        }
    }
}

/// The neighbours of a node over some relations; `out` and `into` say which ends are followed.
pub fn related(graph: &Graph, node: NodeId, relations: &[Relation], out: bool, into: bool, steps: &mut Vec<Step>) {
    let wanted = |edge: &EdgeRow| relations.iter().any(|relation| relation.admits(graph, edge));
    if out {
        steps.extend(graph.out(node).iter().filter(|edge| wanted(edge)).map(|edge| Step::plain(edge, edge.to)));
    }
    if into {
        steps.extend(graph.incoming(node).filter(|edge| wanted(edge)).map(|edge| Step::plain(edge, edge.from)));
    }
    let down = relations.contains(&Relation::Contains) && out || relations.contains(&Relation::MemberOf) && into;
    let up = relations.contains(&Relation::Contains) && into || relations.contains(&Relation::MemberOf) && out;
    if down {
        steps.extend(graph.children(node).into_iter().map(|child| Step::plain(&containment(graph, node, child), child)));
    }
    if up && let Some(parent) = graph.parent(node) {
        steps.push(Step::plain(&containment(graph, parent, node), parent));
    }
}

/// The row that says that a node contains another.
pub fn containment(graph: &Graph, owner: NodeId, member: NodeId) -> EdgeRow {
    let def = graph.def(member);
    EdgeRow {
        from: owner,
        to: member,
        line: def.map_or(1, |def| def.name_line),
        col: def.map_or(0, |def| def.name_col),
        kind: EdgeKind::Contains as u8,
        role: Role::Read as u8,
        tier: Tier::AstResolved as u8,
        confidence: 100,
        usage: 0,
        flags: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::build::graph_of;

    fn chain() -> Graph {
        graph_of(&[(
            "a.py",
            "def leaf():\n    return 1\n\ndef mid():\n    leaf()\n    return leaf()\n\ndef top():\n    return mid()\n",
        )])
    }

    fn callers(graph: &Graph, reach: Reach) -> Subgraph {
        let target = graph.by_id("a.py::leaf").expect("leaf");
        walk(graph, target, &[], &Lens::OPEN, reach, |node, out| {
            out.extend(graph.incoming(node).filter(|edge| is_call(graph, edge)).map(|edge| Step::plain(edge, edge.from)));
        })
    }

    fn names(graph: &Graph, found: &Subgraph) -> Vec<String> {
        found.nodes.iter().map(|(node, depth)| format!("{} {depth}", graph.name(*node))).collect()
    }

    #[test]
    fn the_target_comes_first_and_distances_count() {
        let graph = chain();
        let found = callers(&graph, Reach { depth: 2, limit: 0, merge: false });
        assert_eq!(names(&graph, &found), ["leaf 0", "mid 1", "top 2"]);
        assert_eq!((found.total_links, found.truncated), (3, false));
    }

    #[test]
    fn merged_rows_count_their_mentions() {
        let graph = chain();
        let found = callers(&graph, Reach { depth: 1, limit: 0, merge: true });
        assert_eq!(found.links.iter().map(|link| (link.edge.line, link.count)).collect::<Vec<_>>(), [(5, 2)]);
    }

    #[test]
    fn a_limit_keeps_totals() {
        let graph = chain();
        let found = callers(&graph, Reach { depth: 5, limit: 1, merge: false });
        assert_eq!(names(&graph, &found), ["leaf 0", "mid 1"]);
        assert_eq!((found.total_nodes, found.total_links, found.truncated), (3, 3, true));
        assert_eq!(found.links.len(), 2);
    }

    #[test]
    fn every_word_is_known_once() {
        let words = Relation::words();
        assert!(words.iter().all(|word| Relation::parse(word).is_some()));
        assert_eq!(Relation::parse("likes"), None);
        assert!(words.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn containment_is_walked_both_ways() {
        let graph = graph_of(&[("a.py", "class Größe:\n    def f(self):\n        return 1\n")]);
        let class = graph.by_id("a.py::Größe").expect("class");
        let mut steps = Vec::new();
        related(&graph, class, &[Relation::Contains], true, true, &mut steps);
        let names: Vec<&str> = steps.iter().map(|step| graph.name(step.other)).collect();
        assert_eq!(names, ["f", "a.py"]);
    }
}
