//! Traversals: breadth first over chosen edges, by distance, bounded.
//!
//! Every walk visits a node once, at its smallest distance, in a defined order, and tells whether it was cut.
//!
//! Knows nodes and edges, not what they are asked for.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::{EdgeRow, Graph, NodeId};

/// Which way edges are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From source to target.
    Out,
    /// From target to source.
    In,
    /// Both.
    Both,
}

impl Direction {
    /// Parses `out`, `in` or `both`.
    pub fn parse(word: &str) -> Option<Direction> {
        match word {
            "out" => Some(Direction::Out),
            "in" => Some(Direction::In),
            "both" => Some(Direction::Both),
            _ => None,
        }
    }
}

/// How far a walk goes.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Steps from the seeds.
    pub depth: u32,
    /// Nodes collected, seeds included.
    pub nodes: usize,
}

/// What a walk collected.
#[derive(Clone, Debug, Default)]
pub struct Reached {
    /// Nodes with their distance, seeds first, by distance and then by number.
    pub nodes: Vec<(NodeId, u32)>,
    /// Edges over which nodes were met, in the order met; all of them lead between collected nodes.
    pub edges: Vec<EdgeRow>,
    /// Nodes that would have been collected within `depth`.
    pub total_nodes: usize,
    /// Edges that were seen within `depth`.
    pub total_edges: usize,
    /// Whether the node bound cut the walk.
    pub truncated: bool,
}

impl Reached {
    /// The distance of a node.
    pub fn distance(&self, node: NodeId) -> Option<u32> {
        self.nodes.iter().find(|(other, _)| *other == node).map(|(_, distance)| *distance)
    }
}

/// Walks from `seeds` along edges that `follow` admits. Edges of one node are taken in their stored order.
pub fn reach(
    graph: &Graph,
    seeds: &[NodeId],
    direction: Direction,
    bounds: Bounds,
    mut follow: impl FnMut(&EdgeRow) -> bool,
) -> Reached {
    let mut distance: FxHashMap<NodeId, u32> = FxHashMap::default();
    let mut order: Vec<NodeId> = Vec::new();
    let mut pending: VecDeque<NodeId> = VecDeque::new();
    let mut edges: Vec<EdgeRow> = Vec::new();
    for seed in seeds {
        if distance.insert(*seed, 0).is_none() {
            order.push(*seed);
            pending.push_back(*seed);
        }
    }
    while let Some(at) = pending.pop_front() {
        let here = distance[&at];
        if here >= bounds.depth {
            continue;
        }
        let outgoing = graph.out(at).iter().filter(|_| direction != Direction::In).map(|edge| (*edge, edge.to));
        let incoming = graph.incoming(at).filter(|_| direction != Direction::Out).map(|edge| (*edge, edge.from));
        for (edge, other) in outgoing.chain(incoming) {
            if !follow(&edge) {
                continue;
            }
            edges.push(edge);
            if let std::collections::hash_map::Entry::Vacant(slot) = distance.entry(other) {
                slot.insert(here + 1);
                order.push(other);
                pending.push_back(other);
            }
        }
    }
    let total_nodes = order.len();
    let total_edges = edges.len();
    let mut nodes: Vec<(NodeId, u32)> = order.into_iter().map(|node| (node, distance[&node])).collect();
    nodes.sort_by_key(|(node, distance)| (*distance, *node));
    let seeds_first = nodes.len().min(bounds.nodes.max(seeds.len()));
    nodes.truncate(seeds_first);
    let truncated = nodes.len() < total_nodes;
    if truncated {
        let kept: rustc_hash::FxHashSet<NodeId> = nodes.iter().map(|(node, _)| *node).collect();
        edges.retain(|edge| kept.contains(&edge.from) && kept.contains(&edge.to));
    }
    Reached { nodes, edges, total_nodes, total_edges, truncated }
}
