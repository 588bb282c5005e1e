//! Paths of execution between two symbols, and where the trail stops when there is none.
//!
//! Distances to the sink come first, by one walk against the edges; from the source only nodes that lead there are
//! entered, nearest first, so that the first paths found are the shortest.
//!
//! Knows the graph; how a path is told is for others.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use rustc_hash::FxHashMap;

use super::loose::{LooseCall, called_as, loose_calls, may_mean};
use super::relations::{calls_into, calls_out_of};
use super::subgraph::{Step, is_handed_over, parts};
use crate::graph::{Graph, NodeId, Tier};

/// How a search is bounded.
#[derive(Clone, Copy, Debug)]
pub struct Search {
    /// Hops at most.
    pub depth: u32,
    /// Paths wanted.
    pub paths: usize,
    /// The weakest evidence to follow.
    pub weakest: Option<Tier>,
    /// Whether functions handed over as values are followed.
    pub references: bool,
    /// Whether dispatch candidates are followed.
    pub speculative: bool,
}

/// One way from source to sink.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// Its nodes, source first.
    pub nodes: Vec<NodeId>,
    /// Its hops.
    pub hops: Vec<Step>,
}

impl Path {
    /// Product of the hops' confidence, 0 to 1.
    pub fn confidence(&self) -> f64 {
        self.hops.iter().map(|hop| f64::from(hop.edge.confidence) / 100.0).product()
    }

    /// The weakest evidence on the way.
    pub fn worst_tier(&self) -> Option<Tier> {
        self.hops.iter().map(|hop| hop.edge.tier()).max()
    }
}

/// Why there is no path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GapReason {
    /// A call through an interface or value stands between.
    Dispatch,
    /// A call into a library stands between.
    External,
    /// Longer than the bound.
    Depth,
    /// Nothing of the kind was met.
    Disconnected,
    /// The source calls nothing.
    SourceEnds,
    /// Nothing calls the sink.
    SinkEnds,
}

impl GapReason {
    /// The stable word.
    pub fn as_str(self) -> &'static str {
        match self {
            GapReason::Dispatch => "crosses_dynamic_dispatch",
            GapReason::External => "crosses_external_boundary",
            GapReason::Depth => "depth_exceeded",
            GapReason::Disconnected => "disconnected",
            GapReason::SourceEnds => "src_no_out_edges",
            GapReason::SinkEnds => "sink_no_in_edges",
        }
    }
}

/// Where the trail stops.
#[derive(Clone, Debug)]
pub struct Gap {
    /// Why.
    pub reason: GapReason,
    /// What was reached from the source, farthest first.
    pub forward: Vec<(NodeId, u32)>,
    /// What reaches the sink, farthest from it first.
    pub backward: Vec<(NodeId, u32)>,
    /// Calls on the source's side that leave what is known, nearest first.
    pub loose: Vec<LooseCall>,
    /// Those among them that may be the missing hop, with the node they may mean: it leads to the sink, or is it.
    pub bridges: Vec<(LooseCall, NodeId)>,
    /// A way that exists when dispatch candidates are followed.
    pub by_dispatch: Option<Path>,
}

/// The outcome of a search.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// The paths, shortest first, then surest, then by node order; and whether more were left out.
    Found(Vec<Path>, bool),
    /// None.
    Gap(Box<Gap>),
}

/// How many partial paths are kept at most.
const BREADTH: usize = 100_000;
/// Equal lengths are compared among at most so many paths.
const EQUALS: usize = 256;

/// Searches from a symbol (and what is written inside it) to another.
pub fn search(graph: &Graph, source: NodeId, sink: NodeId, bounds: Search) -> Outcome {
    if source == sink {
        return Outcome::Found(vec![Path { nodes: vec![source], hops: Vec::new() }], false);
    }
    let (sources, sinks) = ends(graph, source, sink);
    let backward = distances(&sinks, u32::MAX, |node, steps| into(graph, node, bounds, steps));
    let nearest = sources.iter().filter_map(|node| backward.get(node)).min().copied();
    if nearest.is_some_and(|far| far <= bounds.depth) {
        let (paths, more) = shortest(graph, &sources, &backward, bounds);
        return Outcome::Found(paths, more);
    }
    Outcome::Gap(Box::new(gap(graph, (source, sink), (&sources, &sinks), &backward, nearest.is_some(), bounds)))
}

/// What stands for either end: the symbol and its parts, unless one end lies within the other.
fn ends(graph: &Graph, source: NodeId, sink: NodeId) -> (Vec<NodeId>, Vec<NodeId>) {
    let (sources, sinks) = (parts(graph, source), parts(graph, sink));
    if sources.contains(&sink) || sinks.contains(&source) { (vec![source], vec![sink]) } else { (sources, sinks) }
}

fn into(graph: &Graph, node: NodeId, bounds: Search, steps: &mut Vec<Step>) {
    calls_into(graph, node, steps);
    if bounds.references {
        steps.extend(graph.incoming(node).filter(|edge| is_handed_over(graph, edge)).map(|edge| Step::plain(edge, edge.from)));
    }
    keep(steps, bounds);
}

fn out_of(graph: &Graph, node: NodeId, bounds: Search, steps: &mut Vec<Step>) {
    calls_out_of(graph, node, steps);
    if bounds.references {
        steps.extend(graph.out(node).iter().filter(|edge| is_handed_over(graph, edge)).map(|edge| Step::plain(edge, edge.to)));
    }
    keep(steps, bounds);
}

fn keep(steps: &mut Vec<Step>, bounds: Search) {
    steps.retain(|step| {
        (bounds.speculative || step.dispatched_from.is_none()) && bounds.weakest.is_none_or(|weakest| step.edge.tier() <= weakest)
    });
}

fn distances(seeds: &[NodeId], depth: u32, mut next: impl FnMut(NodeId, &mut Vec<Step>)) -> FxHashMap<NodeId, u32> {
    let mut distance: FxHashMap<NodeId, u32> = seeds.iter().map(|seed| (*seed, 0)).collect();
    let mut pending: VecDeque<NodeId> = seeds.iter().copied().collect();
    let mut steps = Vec::new();
    while let Some(at) = pending.pop_front() {
        let here = distance[&at];
        if here >= depth {
            continue;
        }
        next(at, &mut steps);
        for step in steps.drain(..) {
            distance.entry(step.other).or_insert_with(|| {
                pending.push_back(step.other);
                here + 1
            });
        }
    }
    distance
}

/// Paths in the order of their length, each node at most once on a path.
fn shortest(graph: &Graph, sources: &[NodeId], to_sink: &FxHashMap<NodeId, u32>, bounds: Search) -> (Vec<Path>, bool) {
    let mut heap: BinaryHeap<Reverse<(u32, u32, Vec<NodeId>)>> = BinaryHeap::new();
    for source in sources {
        if let Some(far) = to_sink.get(source).filter(|far| **far <= bounds.depth) {
            heap.push(Reverse((*far, *far, vec![*source])));
        }
    }
    let mut found: Vec<Path> = Vec::new();
    let mut more = false;
    let mut steps = Vec::new();
    while let Some(Reverse((total, rest, nodes))) = heap.pop() {
        let at = nodes[nodes.len() - 1];
        let enough = found.len() >= bounds.paths && found.last().is_some_and(|last| (last.hops.len() as u32) < total);
        if enough || found.len() >= EQUALS {
            more = true;
            break;
        }
        if rest == 0 {
            found.push(with_hops(graph, nodes, bounds));
            continue;
        }
        out_of(graph, at, bounds, &mut steps);
        let others: std::collections::BTreeSet<NodeId> = steps.drain(..).map(|step| step.other).collect();
        for other in others {
            let Some(far) = to_sink.get(&other).copied() else { continue };
            let total = nodes.len() as u32 + far;
            if total > bounds.depth || nodes.contains(&other) || heap.len() >= BREADTH {
                continue;
            }
            let mut longer = nodes.clone();
            longer.push(other);
            heap.push(Reverse((total, far, longer)));
        }
    }
    found.sort_by(|a, b| {
        a.hops.len().cmp(&b.hops.len()).then(b.confidence().total_cmp(&a.confidence())).then_with(|| a.nodes.cmp(&b.nodes))
    });
    more |= found.len() > bounds.paths;
    found.truncate(bounds.paths);
    (found, more)
}

/// Fills in the surest hop between each two nodes.
fn with_hops(graph: &Graph, nodes: Vec<NodeId>, bounds: Search) -> Path {
    let mut steps = Vec::new();
    let hops = nodes.windows(2).filter_map(|pair| {
        out_of(graph, pair[0], bounds, &mut steps);
        let between = steps.drain(..).filter(|step| step.other == pair[1]);
        between.min_by_key(|step| {
            (step.dispatched_from.is_some(), step.edge.tier, Reverse(step.edge.confidence), step.edge.line, step.edge.col)
        })
    });
    let hops = hops.collect();
    Path { nodes, hops }
}

fn gap(
    graph: &Graph,
    (source, sink): (NodeId, NodeId),
    (sources, sinks): (&[NodeId], &[NodeId]),
    backward: &FxHashMap<NodeId, u32>,
    too_far: bool,
    bounds: Search,
) -> Gap {
    let forward = distances(sources, bounds.depth, |node, steps| out_of(graph, node, bounds, steps));
    let mut reached: Vec<NodeId> = forward.keys().copied().collect();
    reached.sort_by_key(|node| (forward[node], *node));
    let loose = loose_calls(graph, &reached);
    let widened = Search { speculative: true, paths: 1, ..bounds };
    let by_dispatch = if bounds.speculative {
        None
    } else if let Outcome::Found(paths, _) = search(graph, source, sink, widened) {
        paths.into_iter().next()
    } else {
        None
    };
    let bridges = bridges(graph, &forward, backward, &loose);
    let reason = if too_far {
        GapReason::Depth
    } else if by_dispatch.is_some() || bridges.iter().any(|(_, node)| sinks.contains(node)) {
        GapReason::Dispatch
    } else if backward.len() == sinks.len() {
        GapReason::SinkEnds
    } else if forward.len() == sources.len() && loose.is_empty() {
        GapReason::SourceEnds
    } else if loose.iter().any(|call| !call.outside) {
        GapReason::Dispatch
    } else if !loose.is_empty() {
        GapReason::External
    } else {
        GapReason::Disconnected
    };
    Gap { reason, forward: farthest(&forward), backward: farthest(backward), loose, bridges, by_dispatch }
}

/// Open calls with the name of something that leads to the sink, those that would make the shortest way first.
fn bridges(
    graph: &Graph,
    forward: &FxHashMap<NodeId, u32>,
    backward: &FxHashMap<NodeId, u32>,
    loose: &[LooseCall],
) -> Vec<(LooseCall, NodeId)> {
    let mut nearest: FxHashMap<&str, (u32, NodeId)> = FxHashMap::default();
    for (node, far) in backward {
        let best = nearest.entry(called_as(graph, *node)).or_insert((*far, *node));
        *best = (*best).min((*far, *node));
    }
    let open = loose.iter().filter(|call| !call.outside);
    let mut found: Vec<(u32, LooseCall, NodeId)> = open
        .filter_map(|call| {
            let (far, node) = nearest.get(graph.names().text(call.row.name))?;
            may_mean(graph, &call.row, *node)
                .then(|| (far + forward.get(&call.row.owner).copied().unwrap_or_default(), *call, *node))
        })
        .collect();
    found.sort_by_key(|(length, call, node)| (*length, call.row.owner, call.row.line, call.row.col, *node));
    found.into_iter().map(|(_, call, node)| (call, node)).collect()
}

fn farthest(distance: &FxHashMap<NodeId, u32>) -> Vec<(NodeId, u32)> {
    let mut rows: Vec<(NodeId, u32)> = distance.iter().map(|(node, far)| (*node, *far)).collect();
    rows.sort_by_key(|(node, far)| (Reverse(*far), *node));
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::build::graph_of;

    const WIDE: Search = Search { depth: 24, paths: 3, weakest: None, references: true, speculative: false };

    fn check(text: &str, from: &str, to: &str, bounds: Search) -> String {
        let graph = graph_of(&[("a.py", text)]);
        let node = |name: &str| graph.by_id(&format!("a.py::{name}")).expect(name);
        match search(&graph, node(from), node(to), bounds) {
            Outcome::Found(paths, _) => {
                let told: Vec<String> = paths
                    .iter()
                    .map(|path| path.nodes.iter().map(|node| graph.name(*node)).collect::<Vec<_>>().join(">"))
                    .collect();
                told.join(" ")
            }
            Outcome::Gap(gap) => format!("gap {}", gap.reason.as_str()),
        }
    }

    const LADDER: &str = "def a():\n    b()\n    c()\n\ndef b():\n    c()\n\ndef c():\n    d()\n\ndef d():\n    a()\n";

    #[test]
    fn the_shortest_comes_first() {
        assert_eq!(check(LADDER, "a", "d", WIDE), "a>c>d a>b>c>d");
        assert_eq!(check(LADDER, "a", "d", Search { paths: 1, ..WIDE }), "a>c>d");
        assert_eq!(check(LADDER, "a", "a", WIDE), "a");
    }

    #[test]
    fn a_bound_that_is_too_low_is_said() {
        assert_eq!(check(LADDER, "b", "a", Search { depth: 2, ..WIDE }), "gap depth_exceeded");
        assert_eq!(check(LADDER, "b", "a", Search { depth: 3, ..WIDE }), "b>c>d>a");
    }

    #[test]
    fn ends_without_edges_are_told_apart() {
        let text = "def lonely():\n    return 1\n\ndef other():\n    return lonely2()\n\ndef lonely2():\n    return 2\n";
        assert_eq!(check(text, "lonely", "lonely2", WIDE), "gap src_no_out_edges");
        assert_eq!(check(text, "other", "lonely", WIDE), "gap sink_no_in_edges");
    }

    #[test]
    fn a_value_handed_over_is_a_way_only_when_asked() {
        let text = "def go(f):\n    f()\n\ndef leaf():\n    return 1\n\ndef start():\n    go(leaf)\n";
        assert_eq!(check(text, "start", "leaf", WIDE), "start>leaf");
        assert_eq!(check(text, "start", "leaf", Search { references: false, ..WIDE }), "gap sink_no_in_edges");
    }

    #[test]
    fn a_call_that_may_be_the_missing_hop_is_named() {
        let text =
            "class A:\n    def run(self):\n        return 1\n\ndef start(x):\n    x.other()\n    x.run()\n\ndef other(): pass\n";
        let graph = graph_of(&[("a.py", text)]);
        let node = |name: &str| graph.by_id(&format!("a.py::{name}")).expect(name);
        let Outcome::Gap(gap) = search(&graph, node("start"), node("A.run"), WIDE) else { panic!("a gap") };
        assert_eq!(gap.reason, GapReason::Dispatch);
        let told: Vec<(u32, &str)> = gap.bridges.iter().map(|(call, node)| (call.row.line, graph.name(*node))).collect();
        assert_eq!(told, [(7, "run")]);
    }

    #[test]
    fn dispatch_is_named_and_followed_on_request() {
        let text = "class Base:\n    def run(self):\n        raise NotImplementedError\n\nclass Sub(Base):\n    def run(self):\n        leaf()\n\ndef leaf():\n    return 1\n\ndef start(x: Base):\n    x.run()\n";
        assert_eq!(check(text, "start", "leaf", WIDE), "gap crosses_dynamic_dispatch");
        assert_eq!(check(text, "start", "leaf", Search { speculative: true, ..WIDE }), "start>run>leaf");
    }
}
