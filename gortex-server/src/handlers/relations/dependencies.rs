//! What a symbol or a file relies on.

use std::collections::BTreeMap;

use gortex_engine::facts::Kind;
use gortex_engine::graph::NodeId;
use gortex_engine::query::{loose, relations, subgraph};

use super::answer::{Narrow, Riders, WalkArgs, reply, target_of};
use crate::handlers::shared::prelude::*;

/// External imports shown.
const IMPORTS: usize = 50;

/// Arguments of `relations.dependencies`.
#[derive(Debug, Deserialize, JsonSchema, FacadeArgs)]
pub(crate) struct GetDependencies {
    /// A symbol's id or unique name, or a file's path.
    #[at(target = "symbol", target = "file")]
    id: String,
    #[serde(flatten)]
    walk: WalkArgs,
}

/// Lists what a symbol or file relies on: calls, types, values and imports, followed forward.
#[facade(domain = "relations", op = "dependencies", effect = "read")]
async fn get_dependencies(graph: Graph, args: Args<GetDependencies>) -> Answer<Reply> {
    graph.blocking(move |graph| answer(graph, &args)).await
}

fn answer(graph: &Graph, args: &GetDependencies) -> Answer<Reply> {
    let target = target_of(graph, "get_dependencies", &args.id)?;
    let narrow = Narrow::of(graph, &args.walk.common, false)?;
    let admits = |node| narrow.admits(graph, node);
    let reach = subgraph::Reach { depth: args.walk.depth.unwrap_or(2), limit: args.walk.limit.unwrap_or(50), merge: true };
    let found = relations::dependencies(graph, target, &narrow.lens(&admits), reach);
    let mut riders = Riders::default();
    riders.count("tier_filtered", found.tier_filtered);
    let calls = loose::loose_calls(graph, &subgraph::parts(graph, target));
    riders.loose_calls(graph, target, &calls);
    if graph.kind(target) == Kind::File {
        let imports = external_imports(graph, target);
        riders.count("external_imports_total", imports.len());
        if !imports.is_empty() {
            riders.set("external_imports", imports.into_iter().take(IMPORTS).collect::<Vec<_>>());
        }
    }
    if found.links.is_empty() && found.tier_filtered == 0 {
        narrow.note(graph, &mut riders);
    }
    reply(graph, &found, riders, &args.walk.common.shape, false)
}

/// Modules that a file imports and that are not part of the index, with the first line of each.
fn external_imports(graph: &Graph, file: NodeId) -> Vec<Value> {
    let view = graph.view_of(file);
    let bound = |line: u32, col: u16| graph.out(file).iter().any(|edge| edge.line == line && (edge.col == col || edge.col == 0));
    let mut found: BTreeMap<&str, u32> = BTreeMap::new();
    for row in view.imports.iter().filter(|row| !bound(row.line, row.col)) {
        let module = if row.module.is_empty() { view.str(row.name) } else { view.str(row.module) };
        found.entry(module).or_insert(row.line);
    }
    found
        .into_iter()
        .filter(|(module, _)| !module.is_empty())
        .map(|(module, line)| json!({"module": module, "line": line}))
        .collect()
}
