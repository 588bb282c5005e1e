//! How execution gets from one symbol to another, or where the trail stops.

use gortex_engine::graph::Graph as Linked;
use gortex_engine::query::loose::LooseCall;
use gortex_engine::query::paths::{Gap, GapReason, Outcome, Path, Search, search};

use super::call_chain::boundary;
use crate::handlers::relations::answer::{grouped, target_of};
use crate::handlers::shared::prelude::*;

/// Arguments of `trace.path`.
#[derive(Debug, Deserialize, JsonSchema, FacadeArgs)]
pub(crate) struct TracePath {
    /// Where execution starts: an id, or a unique name.
    #[at(target = "symbol")]
    source_id: String,
    /// Where it might get to: an id, or a unique name.
    #[at(to = "symbol")]
    sink_id: String,
    /// Hops at most; 24 by default.
    #[at(options)]
    #[schemars(range(min = 1, max = 256))]
    max_depth: Option<u32>,
    /// How many paths; 1 by default.
    #[at(options)]
    #[schemars(range(min = 1, max = 50))]
    k: Option<usize>,
    /// Rows of a gap report at most; 25 by default.
    #[at(options)]
    #[schemars(range(min = 1, max = 500))]
    max_frontier: Option<usize>,
    /// Also follow functions that are handed over as values; on by default.
    #[at(options)]
    include_references: Option<bool>,
    #[serde(flatten)]
    tier: TierArgs,
}

/// Finds how execution gets from one symbol to another, or says where the trail stops.
#[facade(domain = "trace", op = "path", effect = "read")]
async fn trace_path(graph: Graph, args: Args<TracePath>) -> Answer<Reply> {
    graph.blocking(move |graph| answer(graph, &args)).await
}

fn answer(graph: &Graph, args: &TracePath) -> Answer<Reply> {
    let end = |text: &str, which: &str| target_of(graph, "trace_path", text).map_err(|error| error.data("which", which));
    let source = end(&args.source_id, "source")?;
    let sink = end(&args.sink_id, "sink")?;
    let bounds = Search {
        depth: args.max_depth.unwrap_or(24),
        paths: args.k.unwrap_or(1),
        weakest: args.tier.weakest()?,
        references: args.include_references.unwrap_or(true),
        speculative: args.tier.include_speculative,
    };
    let mut body = json!({"found": true, "source_id": graph.id(source), "sink_id": graph.id(sink)});
    match search(graph, source, sink, bounds) {
        Outcome::Found(paths, more) => {
            if more {
                body["truncated"] = true.into();
            }
            body["paths"] = paths.iter().map(|path| path_row(graph, path)).collect();
        }
        Outcome::Gap(gap) => {
            body["found"] = false.into();
            body["gap"] = gap_row(graph, &gap, bounds, args.max_frontier.unwrap_or(25));
        }
    }
    Ok(Reply::json(body).rows("paths").generation(graph.generation))
}

fn path_row(graph: &Linked, path: &Path) -> Value {
    let nodes: Vec<Brief> = path.nodes.iter().map(|node| brief(graph, *node)).collect();
    let edges: Vec<Value> = path
        .hops
        .iter()
        .map(|hop| {
            let row = edge_out(graph, &hop.edge);
            let mut told = json!({
                "from": row.from, "to": row.to, "kind": row.kind, "tier": row.tier, "confidence": row.confidence,
                "file_path": row.file_path, "line": row.line,
            });
            if let Some(called) = hop.dispatched_from {
                told["speculative"] = true.into();
                told["dispatched_from"] = graph.id(called).into();
            }
            told
        })
        .collect();
    json!({
        "length": path.hops.len(),
        "confidence": (path.confidence() * 10_000.0).round() / 10_000.0,
        "worst_tier": path.worst_tier().map(|tier| tier.as_str()),
        "nodes": nodes,
        "edges": edges,
    })
}

fn gap_row(graph: &Linked, gap: &Gap, bounds: Search, rows: usize) -> Value {
    let frontier = |nodes: &[(u32, u32)]| -> Value {
        nodes.iter().take(rows).map(|(node, depth)| json!({"id": graph.id(*node), "depth": depth})).collect()
    };
    let mut told = json!({
        "reason": gap.reason.as_str(),
        "message": message(gap, bounds),
        "forward_reached": gap.forward.len(),
        "backward_reached": gap.backward.len(),
        "furthest_from_source": frontier(&gap.forward),
        "nearest_to_sink": frontier(&gap.backward),
        "boundary_hits_total": gap.loose.len(),
    });
    // What may be the missing hop comes first; open calls say more than calls into libraries.
    let mut hits: Vec<Value> = Vec::new();
    for (call, node) in gap.bridges.iter().take(rows) {
        let mut hit = boundary(graph, call);
        hit["may_reach"] = graph.id(*node).into();
        hits.push(hit);
    }
    let known = |call: &LooseCall| gap.bridges.iter().any(|(other, _)| other == call);
    let (open, outside): (Vec<&LooseCall>, Vec<&LooseCall>) =
        gap.loose.iter().filter(|call| !known(call)).partition(|call| !call.outside);
    let calls: Vec<&LooseCall> = open.into_iter().chain(outside).collect();
    let room = rows.saturating_sub(hits.len());
    hits.extend(grouped(&calls).iter().take(room).map(|(call, _)| boundary(graph, call)));
    told["boundary_hits"] = hits.into();
    if let Some(path) = &gap.by_dispatch {
        told["speculative_path"] = path_row(graph, path);
    }
    told
}

fn message(gap: &Gap, bounds: Search) -> String {
    match gap.reason {
        GapReason::Dispatch if gap.by_dispatch.is_some() => {
            "a way exists when dispatch candidates are followed: see speculative_path, or set include_speculative".to_owned()
        }
        GapReason::Dispatch => {
            "calls that are bound to nothing on the source's side may lead there: see boundary_hits, those with may_reach first"
                .to_owned()
        }
        GapReason::External => "the calls on the source's side end in code outside of the tracked roots".to_owned(),
        GapReason::Depth => format!("there is a way, but it has more than {} hops; raise max_depth", bounds.depth),
        GapReason::Disconnected => "what the source reaches and what reaches the sink do not meet".to_owned(),
        GapReason::SourceEnds => "the source calls nothing".to_owned(),
        GapReason::SinkEnds => "nothing that is known calls the sink".to_owned(),
    }
}
