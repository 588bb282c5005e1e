//! What a symbol or a file relies on.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

use gortex_engine::facts::Kind;
use gortex_engine::graph::{ExternalRow, NodeId};
use gortex_engine::query::{loose, relations, subgraph};

use super::answer::{Narrow, Riders, WalkArgs, reply_with, target_of};
use super::external;
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
    if let Some(at) = external::asked(graph, &args.id)? {
        return external::below(graph, at, &args.walk.common);
    }
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
    let mut outside = outside(graph, target, &narrow);
    if reach.limit > 0 && outside.len() > reach.limit {
        riders.set("external_rows_total", outside.len());
        outside.truncate(reach.limit);
    }
    reply_with(graph, &found, riders, &args.walk.common.shape, false, &outside)
}

/// What a node and its parts mention from outside, mentions of one kind from one place as one row with their number.
fn outside(graph: &Graph, target: NodeId, narrow: &Narrow) -> Vec<(ExternalRow, usize)> {
    let mut found: Vec<(ExternalRow, usize)> = Vec::new();
    let mut known: HashMap<(NodeId, u32, &str), usize> = HashMap::new();
    for row in subgraph::parts(graph, target).into_iter().flat_map(|part| graph.externals().of(part)) {
        if narrow.weakest.is_some_and(|weakest| row.tier() > weakest) {
            continue;
        }
        match known.entry((row.owner, row.external, row.kind().as_str())) {
            Entry::Occupied(at) => found[*at.get()].1 += 1,
            Entry::Vacant(slot) => {
                slot.insert(found.len());
                found.push((*row, 1));
            }
        }
    }
    found
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
