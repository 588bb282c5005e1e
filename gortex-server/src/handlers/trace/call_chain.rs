//! What runs when a function is invoked.

use gortex_engine::graph::Graph as Linked;
use gortex_engine::query::{loose, relations, subgraph::Reach};

use crate::handlers::relations::answer::{Narrow, Riders, WalkArgs, grouped, reply, target_of};
use crate::handlers::shared::prelude::*;

/// Calls without an edge that are shown.
const BOUNDARIES: usize = 20;

/// Arguments of `trace.call_chain`.
#[derive(Debug, Deserialize, JsonSchema, FacadeArgs)]
pub(crate) struct GetCallChain {
    /// An id, or a name that is unique in the current view.
    #[at(target = "symbol")]
    id: String,
    #[serde(flatten)]
    walk: WalkArgs,
}

/// Follows the calls that a function makes, and says where the trail leaves what is known.
#[facade(domain = "trace", op = "call_chain", effect = "read")]
async fn get_call_chain(graph: Graph, args: Args<GetCallChain>) -> Answer<Reply> {
    graph.blocking(move |graph| answer(graph, &args)).await
}

fn answer(graph: &Graph, args: &GetCallChain) -> Answer<Reply> {
    let target = target_of(graph, "get_call_chain", &args.id)?;
    let narrow = Narrow::of(graph, &args.walk.common, false)?;
    let admits = |node| narrow.admits(graph, node);
    let reach = Reach { depth: args.walk.depth.unwrap_or(4), limit: args.walk.limit.unwrap_or(50), merge: true };
    let found = relations::call_chain(graph, target, &narrow.lens(&admits), reach);
    let mut riders = Riders::default();
    riders.count("tier_filtered", found.tier_filtered);
    riders.dispatch(graph, &found.hidden);
    let calls = loose::loose_calls(graph, &found.expanded);
    let open: Vec<&loose::LooseCall> = calls.iter().filter(|call| !call.outside).collect();
    if !open.is_empty() {
        riders.set("lower_bound", true);
        riders.set("boundaries_total", open.len());
        let rows: Vec<Value> = grouped(&open)
            .iter()
            .take(BOUNDARIES)
            .map(|(call, count)| {
                let mut row = boundary(graph, call);
                if *count > 1 {
                    row["count"] = (*count).into();
                }
                row
            })
            .collect();
        riders.set("boundaries", rows);
    }
    riders.count("external_calls", calls.len() - open.len());
    reply(graph, &found, riders, &args.walk.common.shape, false)
}

/// A call that has no edge.
pub(super) fn boundary(graph: &Linked, call: &loose::LooseCall) -> Value {
    json!({
        "from": graph.id(call.row.owner),
        "target": graph.names().text(call.row.name),
        "reason": call.row.reason().as_str(),
        "edge_kind": gortex_engine::graph::EdgeKind::of_role(call.row.role(), false).as_str(),
        "file_path": graph.file_of(call.row.owner).path,
        "line": call.row.line,
    })
}
