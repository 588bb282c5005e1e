//! The inheritance tree around a type, or the override chain around a method.

use gortex_engine::facts::Kind;
use gortex_engine::graph::{EdgeKind, ExternalRow};
use gortex_engine::query::relations::{self, Ways};
use gortex_engine::query::subgraph::Subgraph;

use super::answer::{CommonArgs, Narrow, Riders, reply_with, target_of};
use super::external;
use crate::handlers::shared::prelude::*;

/// Which way to look.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Way {
    Up,
    Down,
    #[default]
    Both,
}

/// Arguments of `relations.hierarchy`.
#[derive(Debug, Deserialize, JsonSchema, FacadeArgs)]
pub(crate) struct GetClassHierarchy {
    /// A type, interface or method: an id, or a name that is unique in the current view.
    #[at(target = "symbol")]
    id: String,
    /// `up` to supertypes, `down` to subtypes, or `both`.
    #[at(options)]
    #[serde(default)]
    direction: Way,
    /// Levels each way; 5 by default.
    #[at(options)]
    #[schemars(range(min = 1, max = 64))]
    depth: Option<u32>,
    /// Also the methods of each type and how they override each other.
    #[at(options)]
    #[serde(default)]
    include_methods: bool,
    #[serde(flatten)]
    common: CommonArgs,
}

/// Shows the types above and below a type, or the methods above and below a method.
#[facade(domain = "relations", op = "hierarchy", effect = "read")]
async fn get_class_hierarchy(graph: Graph, args: Args<GetClassHierarchy>) -> Answer<Reply> {
    graph.blocking(move |graph| answer(graph, &args)).await
}

fn answer(graph: &Graph, args: &GetClassHierarchy) -> Answer<Reply> {
    if let Some(at) = external::asked(graph, &args.id)? {
        let narrow = Narrow::of(graph, &args.common, false)?;
        return external::hierarchy(graph, at, &args.common, &narrow, args.depth.unwrap_or(5));
    }
    let target = target_of(graph, "get_class_hierarchy", &args.id)?;
    let kind = graph.kind(target);
    if !kind.is_type() && kind != Kind::Method {
        let message =
            format!("`{}` is a {}; a hierarchy is one of types, interfaces or methods", graph.id(target), kind.as_str());
        let guidance = Recoverable::new("unsupported_kind", message).suggest("find_usages").suggest("search_symbols");
        return Err(guidance.data("kind", kind.as_str()).data("accepted_kinds", ["type", "interface", "method"]).into());
    }
    let narrow = Narrow::of(graph, &args.common, false)?;
    let admits = |node| narrow.admits(graph, node);
    let ways = match args.direction {
        Way::Up => Ways { up: true, down: false },
        Way::Down => Ways { up: false, down: true },
        Way::Both => Ways { up: true, down: true },
    };
    let depth = args.depth.unwrap_or(5);
    let found = relations::hierarchy(graph, target, ways, args.include_methods, &narrow.lens(&admits), depth);
    let mut riders = Riders::default();
    riders.count("tier_filtered", found.tier_filtered);
    if kind.is_type() && relations::has_outside_super(graph, target) {
        riders.set("lower_bound", true);
        riders.set("note", "a supertype lies outside of the tracked roots");
    }
    if found.links.is_empty() && found.tier_filtered == 0 {
        narrow.note(graph, &mut riders);
    }
    let outside = if ways.up { supertypes_outside(graph, &found, &narrow) } else { Vec::new() };
    reply_with(graph, &found, riders, &args.common.shape, false, &outside)
}

/// Supertypes from outside of the types in an answer.
fn supertypes_outside(graph: &Graph, found: &Subgraph, narrow: &Narrow) -> Vec<(ExternalRow, usize)> {
    let rows = found.nodes.iter().flat_map(|(node, _)| graph.externals().of(*node));
    let inherits = |row: &&ExternalRow| matches!(row.kind(), EdgeKind::Extends | EdgeKind::Implements);
    let strong = |row: &&ExternalRow| narrow.weakest.is_none_or(|weakest| row.tier() <= weakest);
    rows.filter(inherits).filter(strong).map(|row| (*row, 1)).collect()
}
