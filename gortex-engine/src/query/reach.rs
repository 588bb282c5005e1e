//! The reach index: of every node, who is affected one step away when it changes.
//!
//! That step is more than a look at incoming edges: whoever calls a supertype's member may run the one that replaces it, so a
//! popular method that many types replace is asked for its callers again and again. The index holds each node's step once, as
//! numbers of edges, one row for each affected node. It says for which nodes it is complete; of the others, whose step is too
//! long to be worth its room, the edges are walked.
//!
//! A function of one generation's graph. Knows edges, not what is asked about them.

use crate::facts::model::NONE;
use crate::graph::{EdgeKind, EdgeRow, Graph, NodeId};

/// A node with a longer step is left out.
const LONGEST: usize = 4096;
/// In all so many times the edges of the graph, beyond a little.
const ROOM: usize = 3;

/// See the module.
#[derive(Debug)]
pub struct ReachIndex {
    generation: u64,
    starts: Vec<u32>,
    edges: Vec<u32>,
    /// Nodes that are left out, sorted.
    left_out: Vec<NodeId>,
}

impl ReachIndex {
    /// The index of a graph.
    pub fn build(graph: &Graph) -> ReachIndex {
        ReachIndex::bounded(graph, LONGEST, graph.edges().len() * ROOM + 1024)
    }

    fn bounded(graph: &Graph, longest: usize, room: usize) -> ReachIndex {
        let nodes = graph.node_count();
        let mut index = ReachIndex {
            generation: graph.generation,
            starts: Vec::with_capacity(nodes as usize + 1),
            edges: Vec::new(),
            left_out: Vec::new(),
        };
        index.starts.push(0);
        // By node the last one whose step it is in.
        let mut met = vec![NONE; nodes as usize];
        for at in 0..nodes {
            let start = index.edges.len();
            let most = longest.min(room.saturating_sub(start));
            let whole = step(graph, at, |number, edge| {
                if met.get(edge.from as usize) != Some(&at) {
                    met[edge.from as usize] = at;
                    index.edges.push(number);
                }
                index.edges.len() - start <= most
            });
            if !whole {
                index.edges.truncate(start);
                index.left_out.push(at);
            }
            index.starts.push(index.edges.len() as u32);
        }
        index
    }

    /// The edges of a node's step, the first of each affected node; `None` where the index is not complete.
    pub fn edges<'g>(&'g self, graph: &'g Graph, node: NodeId) -> Option<impl Iterator<Item = &'g EdgeRow> + 'g> {
        if self.generation != graph.generation || self.left_out.binary_search(&node).is_ok() {
            return None;
        }
        let [from, to] = self.starts.get(node as usize..node as usize + 2)? else { return None };
        let numbers = self.edges.get(*from as usize..*to as usize)?;
        Some(numbers.iter().filter_map(|number| graph.edges().get(*number as usize)))
    }

    /// Of how many nodes it holds the whole step, and of how many it does not.
    pub fn complete(&self) -> (usize, usize) {
        (self.starts.len() - 1 - self.left_out.len(), self.left_out.len())
    }
}

/// Walks the edges over which a change of a node is felt, in the order in which they count; a node may come more than once. Stops,
/// and says so, when `each` does.
pub(super) fn step<'g>(graph: &'g Graph, at: NodeId, mut each: impl FnMut(u32, &'g EdgeRow) -> bool) -> bool {
    // Whoever imports a whole file is asked when a file is the seed; a symbol is reached by its own mentions.
    for (number, edge) in graph.incoming_numbered(at) {
        if edge.from != at && carries(edge.kind()) && !each(number, edge) {
            return false;
        }
    }
    // A call through the supertype's member may run this one.
    for base in graph.out(at).iter().filter(|edge| edge.kind() == EdgeKind::Overrides) {
        for (number, edge) in graph.incoming_numbered(base.to) {
            if edge.kind().is_call() && edge.from != at && !each(number, edge) {
                return false;
            }
        }
    }
    true
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
        | EdgeKind::RoutesTo
        | EdgeKind::Handles
        | EdgeKind::Emits
        | EdgeKind::Injects
        | EdgeKind::Throws => true,
        EdgeKind::Contains => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::index::build::graph_of;
    use crate::link::index_edges;
    use crate::query::impact::{ImpactBounds, impact};

    const NODES: u32 = 14;

    /// A graph of one file with these edges between its functions.
    fn graph(edges: &[(u32, u32, u8, u32)]) -> Graph {
        let functions: Vec<String> = (1..NODES).map(|at| format!("def f{at}():\n    pass\n")).collect();
        let text = functions.concat();
        let mut graph = graph_of(&[("m.py", &text)]);
        let kinds = [EdgeKind::Calls, EdgeKind::Overrides, EdgeKind::References, EdgeKind::Contains, EdgeKind::Instantiates];
        let rows = edges.iter().map(|(from, to, kind, line)| EdgeRow {
            from: from % NODES,
            to: to % NODES,
            line: *line,
            col: 0,
            kind: kinds[*kind as usize % kinds.len()] as u8,
            role: 0,
            tier: 0,
            confidence: 100,
            usage: 0,
            flags: 0,
        });
        let mut rows: Vec<EdgeRow> = rows.collect();
        rows.sort_by_key(|edge| (edge.from, edge.line, edge.to, edge.kind));
        let (out_index, in_order, in_index) = index_edges(&rows, graph.node_count() as usize);
        graph.edges = rows.into();
        (graph.out_index, graph.in_order, graph.in_index) = (out_index.into(), in_order.into(), in_index.into());
        graph
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]
        #[test]
        fn the_index_answers_as_the_walk_does(
            edges in prop::collection::vec((0..NODES, 0..NODES, 0u8..5, 1u32..6), 0..60),
            seeds in prop::collection::vec(0..NODES, 1..4),
            depth in 1u32..6,
            nodes in prop_oneof![Just(20_000usize), 0usize..8],
            longest in 0usize..12,
            room in prop_oneof![Just(usize::MAX), 0usize..60],
        ) {
            let graph = graph(&edges);
            let index = ReachIndex::bounded(&graph, longest, room);
            let bounds = ImpactBounds { depth, nodes };
            let live = impact(&graph, None, &seeds, bounds);
            let indexed = impact(&graph, Some(&index), &seeds, bounds);
            prop_assert_eq!(live.affected, indexed.affected);
            prop_assert_eq!(live.truncated, indexed.truncated);
        }
    }

    #[test]
    fn what_is_too_long_is_marked_and_another_generation_is_not_asked() {
        let mut graph = graph(&[(1, 3, 0, 1), (2, 3, 0, 1), (4, 5, 0, 1)]);
        let index = ReachIndex::bounded(&graph, 1, usize::MAX);
        assert!(index.edges(&graph, 3).is_none());
        assert_eq!(index.edges(&graph, 5).map(Iterator::count), Some(1));
        assert_eq!(index.complete(), (NODES as usize - 1, 1));
        graph.generation += 1;
        assert!(index.edges(&graph, 5).is_none());
    }
}
