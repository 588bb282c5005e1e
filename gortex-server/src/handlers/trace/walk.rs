//! A steerable walk that ends when its budget is used up.

use std::collections::{HashMap, HashSet};

use gortex_engine::graph::walk::Direction;
use gortex_engine::graph::{Graph as Linked, NodeId};
use gortex_engine::query::subgraph::{Reach, Relation, Subgraph, related, walk};

use crate::handlers::relations::answer::{Narrow, Riders, ShapeArgs, link_out, reply, target_of};
use crate::handlers::shared::prelude::*;

/// Tokens are counted as so many bytes, in halves.
const HALF_BYTES_PER_TOKEN: usize = 7;

/// Arguments of `trace.walk`.
#[derive(Debug, Deserialize, JsonSchema, FacadeArgs)]
pub(crate) struct WalkGraph {
    /// Where to start: an id, a unique name, or a file's path.
    #[at(target = "symbol", target = "file")]
    id: String,
    /// Edges to follow, separated by commas; `calls` by default.
    #[at(options)]
    edge_kinds: Option<String>,
    /// `out`, `in` or `both`; `out` by default.
    #[at(options)]
    direction: Option<String>,
    /// Stay within one community; without effect until communities are computed.
    #[at(options)]
    community: Option<String>,
    /// Tokens that the rows may take; 6000 by default.
    #[at(options)]
    #[schemars(range(min = 1))]
    token_budget: Option<usize>,
    /// Steps at most; 8 by default.
    #[at(options)]
    #[schemars(range(min = 1, max = 64))]
    max_depth: Option<u32>,
    #[serde(flatten)]
    scope: ScopeArgs,
    #[serde(flatten)]
    shape: ShapeArgs,
}

/// Walks along chosen kinds of edges until a token budget is used up.
#[facade(domain = "trace", op = "walk", effect = "read")]
async fn walk_graph(graph: Graph, args: Args<WalkGraph>) -> Answer<Reply> {
    graph.blocking(move |graph| answer(graph, &args)).await
}

fn answer(graph: &Graph, args: &WalkGraph) -> Answer<Reply> {
    let relations = relations_of(args.edge_kinds.as_deref())?;
    let direction = direction_of(args.direction.as_deref())?;
    let target = target_of(graph, "walk_graph", &args.id)?;
    let narrow = Narrow::new(graph, &args.scope, &TierArgs::default(), false)?;
    let admits = |node| narrow.admits(graph, node);
    let reach = Reach { depth: args.max_depth.unwrap_or(8), limit: 0, merge: true };
    let (out, into) = (direction != Direction::In, direction != Direction::Out);
    let mut found = walk(graph, target, &[], &narrow.lens(&admits), reach, |node, steps| {
        related(graph, node, &relations, out, into, steps);
    });
    let mut riders = Riders::default();
    let budget = args.token_budget.unwrap_or(6000).saturating_mul(HALF_BYTES_PER_TOKEN) / 2;
    let stopped = spend(graph, &mut found, budget)?;
    riders.set("budget_hit", stopped.is_some());
    riders.set("stopped_at_depth", stopped.unwrap_or(found.deepest));
    let unrecorded: Vec<&str> = relations
        .iter()
        .filter_map(|relation| match relation {
            Relation::Unrecorded(word) => Some(*word),
            _ => None,
        })
        .collect();
    let mut notes = Vec::new();
    if !unrecorded.is_empty() {
        notes.push(format!("this index holds no edges of kind {}", unrecorded.join(", ")));
    }
    if args.community.is_some() {
        notes.push("communities are not computed: the filter had no effect".to_owned());
    }
    if !notes.is_empty() {
        riders.set("note", notes.join("; "));
    }
    reply(graph, &found, riders, &args.shape, false)
}

fn relations_of(text: Option<&str>) -> Result<Vec<Relation>, CallError> {
    let words: Vec<&str> = text.unwrap_or("").split(',').map(str::trim).filter(|word| !word.is_empty()).collect();
    let words = if words.is_empty() { vec!["calls"] } else { words };
    let parse = |word: &&str| {
        Relation::parse(word).ok_or_else(|| {
            let error = CallError::invalid(format!("`{word}` is no kind of edge")).data("field", "edge_kinds");
            error.data("received", word).data("valid_values", Relation::words())
        })
    };
    words.iter().map(parse).collect()
}

fn direction_of(text: Option<&str>) -> Result<Direction, CallError> {
    let word = text.filter(|word| !word.is_empty()).unwrap_or("out");
    Direction::parse(word).ok_or_else(|| {
        let error = CallError::invalid(format!("`{word}` is no direction")).data("field", "direction");
        error.data("received", word).data("valid_values", ["out", "in", "both"])
    })
}

/// Keeps what fits the budget, nearest first; the depth at which it ended if something was left out.
fn spend(graph: &Linked, found: &mut Subgraph, budget: usize) -> Result<Option<u32>, CallError> {
    let size =
        |row: serde_json::Result<String>| row.map(|text| text.len() + 1).map_err(|error| CallError::internal(error.to_string()));
    let mut by_node: HashMap<NodeId, Vec<usize>> = HashMap::new();
    for (at, link) in found.links.iter().enumerate() {
        by_node.entry(link.edge.from).or_default().push(at);
        if link.edge.to != link.edge.from {
            by_node.entry(link.edge.to).or_default().push(at);
        }
    }
    let mut kept: HashSet<NodeId> = HashSet::new();
    let mut spent = 0;
    let mut stopped = None;
    for (at, (node, depth)) in found.nodes.iter().enumerate() {
        let mut cost = size(serde_json::to_string(&brief(graph, *node)))?;
        for link in by_node.get(node).into_iter().flatten().map(|at| &found.links[*at]) {
            let other = if link.edge.from == *node { link.edge.to } else { link.edge.from };
            if other == *node || kept.contains(&other) {
                cost += size(serde_json::to_string(&link_out(graph, link, false)))?;
            }
        }
        // The target is always shown.
        if at > 0 && spent + cost > budget {
            stopped = Some(*depth);
            break;
        }
        spent += cost;
        kept.insert(*node);
    }
    if stopped.is_some() {
        found.truncated = true;
        found.nodes.retain(|(node, _)| kept.contains(node));
        found.links.retain(|link| kept.contains(&link.edge.from) && kept.contains(&link.edge.to));
    }
    Ok(stopped)
}
