//! Callers of a symbol, directly and up the chain.

use gortex_engine::query::{loose, relations, subgraph::Reach};

use super::answer::{Narrow, Riders, WalkArgs, add_by_name, links_by_name, only_names, reply, target_of};
use super::{caveat, external};
use crate::handlers::shared::prelude::*;

/// Arguments of `relations.callers`.
#[derive(Debug, Deserialize, JsonSchema, FacadeArgs)]
pub(crate) struct GetCallers {
    /// An id, or a name that is unique in the current view.
    #[at(target = "symbol")]
    id: String,
    /// Leave out callers in test code.
    #[at(options)]
    #[serde(default)]
    exclude_tests: bool,
    #[serde(flatten)]
    walk: WalkArgs,
}

/// Lists who calls a symbol, at which lines, and how sure we are of each caller.
#[facade(domain = "relations", op = "callers", effect = "read")]
async fn get_callers(graph: Graph, args: Args<GetCallers>) -> Answer<Reply> {
    graph.blocking(move |graph| answer(graph, &args)).await
}

fn answer(graph: &Graph, args: &GetCallers) -> Answer<Reply> {
    if let Some(at) = external::asked(graph, &args.id)? {
        let narrow = Narrow::of(graph, &args.walk.common, args.exclude_tests)?;
        let (depth, limit) = (args.walk.depth.unwrap_or(2), args.walk.limit.unwrap_or(50));
        let reach = Reach { depth, limit, merge: false };
        return external::above(graph, at, &args.walk.common, &narrow, reach, true);
    }
    let target = target_of(graph, "get_callers", &args.id)?;
    let narrow = Narrow::of(graph, &args.walk.common, args.exclude_tests)?;
    let admits = |node| narrow.admits(graph, node);
    let limit = args.walk.limit.unwrap_or(50);
    let reach = Reach { depth: args.walk.depth.unwrap_or(2), limit, merge: false };
    let mut found = relations::callers(graph, target, &narrow.lens(&admits), reach);
    let by_name = loose::candidates(graph, graph.view().loose(), target, true);
    let strong = !found.links.is_empty();
    if narrow.by_name() {
        add_by_name(graph, &mut found, links_by_name(graph, &by_name, target, &narrow), limit);
    }
    let mut riders = Riders::default();
    riders.count("tier_filtered", found.tier_filtered);
    riders.count("name_only_candidates", by_name.len());
    if narrow.weakest.is_none() && strong {
        riders.count("text_matched_suppressed", by_name.len());
    }
    let traces = relations::traces(graph, target);
    riders.dispatch(graph, &found.hidden);
    riders.handed_over(graph, target, &traces.handed_over);
    if only_names(&found) && found.tier_filtered == 0 {
        match graph.def(target) {
            Some(_) => riders.set("caveat", caveat::of_zero(graph, target, &traces, by_name.len(), found.hidden.len())),
            None => riders.set("note", "a file is not called; relations(operation=\"dependents\") lists who relies on it"),
        }
        narrow.note(graph, &mut riders);
    }
    reply(graph, &found, riders, &args.walk.common.shape, false)
}
