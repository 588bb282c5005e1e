//! What satisfies an interface, trait or protocol.

use gortex_engine::facts::Kind;
use gortex_engine::graph::edge_flag;
use gortex_engine::query::relations;

use super::answer::{Narrow, target_of};
use super::external;
use crate::handlers::shared::prelude::*;

/// Arguments of `relations.implementations`.
#[derive(Debug, Deserialize, JsonSchema, FacadeArgs)]
pub(crate) struct FindImplementations {
    /// The interface, trait or protocol (or one of its methods): an id, or a name that is unique in the current view.
    #[at(target = "symbol")]
    id: String,
    #[serde(flatten)]
    scope: ScopeArgs,
    #[serde(flatten)]
    tier: TierArgs,
}

/// A type that satisfies the interface.
#[derive(Debug, Serialize)]
struct Row {
    #[serde(flatten)]
    brief: Brief,
    concrete: bool,
    tier: &'static str,
    /// The type through which it satisfies, when not by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    via: Option<String>,
}

#[derive(Debug, Serialize)]
struct Found {
    target: Brief,
    total: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    #[serde(skip_serializing_if = "is_zero")]
    tier_filtered: usize,
    /// Places of implementations on types outside the tracked roots.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    on_foreign_types: Vec<String>,
    implementations: Vec<Row>,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // the shape that serde asks for
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// Lists the types that satisfy an interface, directly or through others.
#[facade(domain = "relations", op = "implementations", effect = "read")]
async fn find_implementations(graph: Graph, args: Args<FindImplementations>) -> Answer<Reply> {
    graph.blocking(move |graph| answer(graph, &args)).await
}

fn answer(graph: &Graph, args: &FindImplementations) -> Answer<Reply> {
    if let Some(at) = external::asked(graph, &args.id)? {
        return external::implementations(graph, at, &Narrow::new(graph, &args.scope, &args.tier, false)?);
    }
    let target = target_of(graph, "find_implementations", &args.id)?;
    let narrow = Narrow::new(graph, &args.scope, &args.tier, false)?;
    let admits = |node| narrow.admits(graph, node);
    let kind = graph.kind(target);
    let (found, tier_filtered) = relations::implementations(graph, target, &narrow.lens(&admits));
    let rows: Vec<Row> = found
        .iter()
        .map(|one| Row {
            brief: brief(graph, one.node),
            concrete: one.concrete,
            tier: one.edge.tier().as_str(),
            via: (one.edge.to != target).then(|| graph.id(one.edge.to)),
        })
        .collect();
    let note = match kind {
        _ if kind.is_interface() || kind == Kind::Method => None,
        _ if kind.is_type() && !rows.is_empty() => Some("not an interface: these are its subtypes".to_owned()),
        _ if kind.is_type() => Some("not an interface, and nothing extends it".to_owned()),
        _ => Some("neither a type nor a method: nothing can implement it".to_owned()),
    };
    // `impl Trait for str`: the type is no symbol here, but the trait is implemented all the same.
    let on_foreign_types: Vec<String> = graph
        .incoming(target)
        .filter(|edge| edge.flags & edge_flag::FOREIGN != 0)
        .map(|edge| format!("{}:{}", graph.file_of(edge.from).path, edge.line))
        .collect();
    let total = rows.len();
    let answer = Found { target: brief(graph, target), total, note, tier_filtered, on_foreign_types, implementations: rows };
    Ok(Reply::new(&answer)?.rows("implementations").generation(graph.generation))
}
