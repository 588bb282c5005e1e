//! Every recorded use of a symbol, one hop, with the role each use plays.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use gortex_engine::facts::{Role, Usage};
use gortex_engine::graph::{EdgeKind, Graph as Linked, NodeId};
use gortex_engine::query::subgraph::{Link, Subgraph};
use gortex_engine::query::{loose, relations};

use super::answer::{CommonArgs, Narrow, Riders, add_by_name, flavor_around, links_by_name, only_names, reply, target_of};
use super::{caveat, external};
use crate::handlers::shared::prelude::*;

/// How rows are grouped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum GroupBy {
    File,
}

/// Arguments of `relations.usages`.
#[derive(Debug, Deserialize, JsonSchema, FacadeArgs)]
pub(crate) struct FindUsages {
    /// An id, or a name that is unique in the current view.
    #[at(target = "symbol")]
    id: String,
    /// Uses at most; 50 by default, 0 lifts the bound.
    #[at(options)]
    limit: Option<usize>,
    /// Leave out uses in test code.
    #[at(options)]
    #[serde(default)]
    exclude_tests: bool,
    /// `file` groups the uses by file.
    #[at(options)]
    group_by: Option<GroupBy>,
    /// Keep one role: call, value, write, type, parameter_type, return_type, field, generic_arg, attribute, import, …
    #[at(options)]
    context: Option<String>,
    /// Keep calls by what happens to the result: discarded, assigned, returned, argument, condition, …
    #[at(options)]
    return_usage: Option<String>,
    /// Keep uses inside types of these flavors (class, struct, …), or inside UI components (component).
    #[at(options)]
    flavor: Option<String>,
    #[serde(flatten)]
    common: CommonArgs,
}

/// Lists every recorded use of a symbol with its role: calls, values, types, writes, inheritance, imports.
#[facade(domain = "relations", op = "usages", effect = "read")]
async fn find_usages(graph: Graph, args: Args<FindUsages>) -> Answer<Reply> {
    graph.blocking(move |graph| answer(graph, &args)).await
}

fn answer(graph: &Graph, args: &FindUsages) -> Answer<Reply> {
    let outside = external::asked(graph, &args.id)?;
    let narrow = Narrow::of(graph, &args.common, args.exclude_tests)?;
    let context = role_of(args.context.as_deref())?;
    let result = result_of(args.return_usage.as_deref())?;
    if let Some(at) = outside {
        let shown = (args.limit.unwrap_or(50), args.group_by.is_some());
        return external::usages(graph, at, &args.common, &narrow, shown, |row| {
            let import = |role| role == Role::Import && row.role() == Role::ReExport;
            let call = |role| role == Role::Call && row.kind() == EdgeKind::Calls;
            context.is_none_or(|role| row.role() == role || call(role) || import(role))
                && result.is_none_or(|usage| row.usage() == usage)
                && args.flavor.as_deref().is_none_or(|flavors| has_flavor(graph, row.owner, flavors))
        });
    }
    let target = target_of(graph, "find_usages", &args.id)?;
    let admits = |node| narrow.admits(graph, node);
    let mut found = relations::usages(graph, target, &narrow.lens(&admits));
    let by_name = loose::candidates(graph, graph.view().loose(), target, false);
    let mut riders = Riders::default();
    riders.count("tier_filtered", found.tier_filtered);
    riders.count("name_only_candidates", by_name.len());
    if narrow.weakest.is_none() && !found.links.is_empty() {
        riders.count("text_matched_suppressed", by_name.len());
    }
    if narrow.by_name() {
        add_by_name(graph, &mut found, links_by_name(graph, &by_name, target, &narrow), 0);
    }
    found.links.retain(|link| {
        context.is_none_or(|role| plays(link, role))
            && result.is_none_or(|usage| link.edge.usage() == usage)
            && args.flavor.as_deref().is_none_or(|flavors| has_flavor(graph, link.edge.from, flavors))
    });
    found.links.sort_by_cached_key(|link| {
        let edge = link.edge;
        (edge.tier, std::cmp::Reverse(edge.confidence), graph.is_test(edge.from), edge.from, edge.line, edge.col, edge.kind)
    });
    let files: BTreeSet<usize> = found.links.iter().map(|link| graph.file_index(link.edge.from)).collect();
    let tests = found.links.iter().filter(|link| graph.is_test(link.edge.from)).count();
    riders.set("usage_summary", json!({"n_refs": found.links.len(), "n_files": files.len(), "n_test_refs": tests}));
    let filtered = context.is_some() || result.is_some() || args.flavor.is_some();
    if only_names(&found) && found.tier_filtered == 0 {
        if filtered {
            riders.set("note", "no use fits the filters; leave out context, return_usage and flavor to see all");
        } else {
            let traces = relations::traces(graph, target);
            riders.set("caveat", caveat::of_zero(graph, target, &traces, by_name.len(), 0));
        }
        narrow.note(graph, &mut riders);
    }
    cut(&mut found, target, args.limit.unwrap_or(50));
    match args.group_by {
        Some(GroupBy::File) => grouped(graph, &found, riders),
        None => reply(graph, &found, riders, &args.common.shape, true),
    }
}

/// Keeps the first rows and the nodes that they mention.
fn cut(found: &mut Subgraph, target: NodeId, limit: usize) {
    found.total_links = found.links.len();
    let all: HashSet<NodeId> = found.links.iter().map(|link| link.edge.from).collect();
    found.total_nodes = 1 + all.iter().filter(|node| **node != target).count();
    if limit > 0 && found.links.len() > limit {
        found.links.truncate(limit);
        found.truncated = true;
    }
    let kept: HashSet<NodeId> = found.links.iter().map(|link| link.edge.from).collect();
    found.nodes.retain(|(node, _)| *node == target || kept.contains(node));
}

fn plays(link: &Link, role: Role) -> bool {
    let own = link.edge.role();
    own == role || role == Role::Call && link.edge.kind() == EdgeKind::Calls || role == Role::Import && own == Role::ReExport
}

fn role_of(word: Option<&str>) -> Result<Option<Role>, CallError> {
    let Some(word) = word.filter(|word| !word.is_empty()) else { return Ok(None) };
    Role::parse(word).map(Some).ok_or_else(|| {
        let words: Vec<&str> = Role::ALL.iter().map(|role| role.as_str()).collect();
        CallError::invalid(format!("`{word}` is no role of a use")).data("field", "context").data("valid_values", words)
    })
}

fn result_of(word: Option<&str>) -> Result<Option<Usage>, CallError> {
    let Some(word) = word.filter(|word| !word.is_empty()) else { return Ok(None) };
    Usage::parse(word).filter(|usage| *usage != Usage::Unknown).map(Some).ok_or_else(|| {
        let words: Vec<&str> = Usage::ALL.iter().filter(|usage| **usage != Usage::Unknown).map(|usage| usage.as_str()).collect();
        CallError::invalid(format!("`{word}` is nothing that happens to a result"))
            .data("field", "return_usage")
            .data("valid_values", words)
    })
}

fn has_flavor(graph: &Linked, from: NodeId, flavors: &str) -> bool {
    let own = flavor_around(graph, from);
    flavors.split(',').map(str::trim).any(|flavor| match flavor {
        "component" => is_component(graph, from),
        other => own == Some(other),
    })
}

/// A component is a capitalised callable or type that renders something.
fn is_component(graph: &Linked, from: NodeId) -> bool {
    let around = std::iter::once(from).chain(graph.ancestors(from));
    let mut capital = around.filter(|node| graph.def(*node).is_some() && graph.name(*node).starts_with(char::is_uppercase));
    capital.any(|node| {
        let renders = |at: NodeId| graph.out(at).iter().any(|edge| edge.role() == Role::Render);
        renders(node) || graph.children(node).into_iter().any(renders)
    })
}

/// One use in a group.
#[derive(Debug, Serialize)]
struct Use {
    line: u32,
    edge_kind: &'static str,
    context: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    return_usage: Option<&'static str>,
    symbol_id: String,
    symbol_name: String,
    /// The rule of a framework that it follows from.
    #[serde(skip_serializing_if = "Option::is_none")]
    provenance: Option<&'static str>,
}

/// The uses of one file.
#[derive(Debug, Serialize)]
struct Group {
    file: String,
    count: usize,
    uses: Vec<Use>,
}

fn grouped(graph: &Linked, found: &Subgraph, riders: Riders) -> Answer<Reply> {
    let mut groups: BTreeMap<&str, Vec<Use>> = BTreeMap::new();
    for link in &found.links {
        let edge = &link.edge;
        let usage = edge.usage();
        groups.entry(&graph.file_of(edge.from).path).or_default().push(Use {
            line: edge.line,
            edge_kind: edge.kind().as_str(),
            context: edge.role().as_str(),
            return_usage: (usage != Usage::Unknown).then(|| usage.as_str()),
            symbol_id: graph.id(edge.from),
            symbol_name: graph.name(edge.from).to_owned(),
            provenance: edge.provenance(),
        });
    }
    let mut groups: Vec<Group> = groups
        .into_iter()
        .map(|(file, mut uses)| {
            uses.sort_by_key(|one| one.line);
            Group { file: file.to_owned(), count: uses.len(), uses }
        })
        .collect();
    groups.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.file.cmp(&b.file)));
    let mut body = json!({
        "grouped_by": "file",
        "file_count": groups.len(),
        "total_uses": found.total_links,
        "truncated": found.truncated,
    });
    if found.truncated {
        body["total_edges"] = found.total_links.into();
    }
    for key in
        ["tier_filtered", "name_only_candidates", "text_matched_suppressed", "usage_summary", "caveat", "note", "scope_note"]
    {
        if let Some(value) = riders.get(key) {
            body[key] = value.clone();
        }
    }
    body["groups"] = serde_json::to_value(groups).map_err(|error| CallError::internal(error.to_string()))?;
    Ok(Reply::json(body).rows("groups").generation(graph.generation))
}
