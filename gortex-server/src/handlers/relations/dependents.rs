//! Who would feel a change of a symbol or a file.

use gortex_engine::query::{loose, relations, subgraph::Reach};

use super::answer::{Narrow, Riders, WalkArgs, add_by_name, links_by_name, only_names, reply, target_of};
use super::{caveat, external};
use crate::handlers::shared::prelude::*;

/// Arguments of `relations.dependents`.
#[derive(Debug, Deserialize, JsonSchema, FacadeArgs)]
pub(crate) struct GetDependents {
    /// A symbol's id or unique name, or a file's path.
    #[at(target = "symbol", target = "file")]
    id: String,
    #[serde(flatten)]
    walk: WalkArgs,
}

/// Lists everything that would feel a change of a symbol or file, nearest first.
#[facade(domain = "relations", op = "dependents", effect = "read")]
async fn get_dependents(graph: Graph, args: Args<GetDependents>) -> Answer<Reply> {
    graph.blocking(move |graph| answer(graph, &args)).await
}

fn answer(graph: &Graph, args: &GetDependents) -> Answer<Reply> {
    if let Some(at) = external::asked(graph, &args.id)? {
        let narrow = Narrow::of(graph, &args.walk.common, false)?;
        let (depth, limit) = (args.walk.depth.unwrap_or(3), args.walk.limit.unwrap_or(50));
        let reach = Reach { depth, limit, merge: true };
        return external::above(graph, at, &args.walk.common, &narrow, reach, false);
    }
    let target = target_of(graph, "get_dependents", &args.id)?;
    let narrow = Narrow::of(graph, &args.walk.common, false)?;
    let admits = |node| narrow.admits(graph, node);
    let limit = args.walk.limit.unwrap_or(50);
    let reach = Reach { depth: args.walk.depth.unwrap_or(3), limit, merge: true };
    let mut found = relations::dependents(graph, target, &narrow.lens(&admits), reach);
    let by_name = loose::candidates(graph, graph.view().loose(), target, false);
    if narrow.by_name() {
        add_by_name(graph, &mut found, links_by_name(graph, &by_name, target, &narrow), limit);
    }
    let mut riders = Riders::default();
    riders.count("tier_filtered", found.tier_filtered);
    riders.count("name_only_candidates", by_name.len());
    riders.dispatch(graph, &found.hidden);
    if only_names(&found) && found.tier_filtered == 0 {
        let traces = relations::traces(graph, target);
        riders.set("caveat", caveat::of_zero(graph, target, &traces, by_name.len(), found.hidden.len()));
        narrow.note(graph, &mut riders);
    }
    reply(graph, &found, riders, &args.walk.common.shape, false)
}
