//! Relations of names from outside: the same questions and the same shapes, without a file to stand in.
//!
//! A package answers for everything in it, and each row names what of it is meant. What an external does is not known, so there
//! is nothing below it.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use gortex_core::{CallError, Reply};
use gortex_engine::facts::Usage;
use gortex_engine::graph::externals::Parts;
use gortex_engine::graph::{ExternalId, ExternalRow, Graph as Linked, NodeId};
use gortex_engine::query::external;
use gortex_engine::query::subgraph::{Reach, Subgraph};
use gortex_engine::query::{declared, relations};

use super::answer::{CommonArgs, Format, Narrow, Riders, link_out};
use crate::handlers::shared::prelude::*;
use crate::handlers::shared::rows::EdgeOut;

/// A name from outside in a list.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct ExternalOut {
    pub id: String,
    pub name: String,
    pub kind: String,
    pub external: bool,
    /// Empty where it is no code: a route, a key, an event.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub package: String,
    /// The language that mentions it, where there is one only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<&'static str>,
    pub mentions: usize,
    /// Names of the package that are mentioned.
    #[serde(skip_serializing_if = "is_zero")]
    pub members: usize,
    /// The manifests that ask for the package.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub declared: Vec<declared::Declared>,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // the shape that serde asks for
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// The row of an external without what only its own answer tells.
pub(crate) fn external_brief(graph: &Linked, at: ExternalId) -> ExternalOut {
    let id = graph.externals().id(at);
    let parts = Parts::of(id);
    ExternalOut {
        id: id.to_owned(),
        name: parts.map_or(id, |parts| parts.name()).to_owned(),
        kind: external::kind_of(id).to_owned(),
        external: true,
        package: parts.map_or("", |parts| parts.package).to_owned(),
        language: None,
        mentions: graph.externals().count(at),
        members: 0,
        declared: Vec::new(),
    }
}

/// The row of an external that was asked for.
fn external_out(graph: &Graph, at: ExternalId) -> ExternalOut {
    let rows = external::mentions(graph, at);
    let languages: BTreeSet<&'static str> =
        rows.iter().filter_map(|row| graph.file_of(row.owner).lang.map(|lang| lang.language().name)).collect();
    let mut out = external_brief(graph, at);
    out.language = languages.first().copied().filter(|_| languages.len() == 1);
    out.members = external::members(graph, at).len();
    if out.id.starts_with("dep::") {
        out.declared = declared::declared(graph.view().manifests(), &out.package);
    }
    out
}

/// The external that a symbol argument means; `None` where it is no id of one, an error where there is none of that id.
pub(crate) fn asked(graph: &Graph, text: &str) -> Result<Option<ExternalId>, CallError> {
    match external::resolve(graph, text) {
        None => Ok(None),
        Some(Ok(found)) => Ok(Some(found)),
        Some(Err(near)) => {
            let near: Vec<String> = near.into_iter().map(str::to_owned).collect();
            Err(crate::handlers::shared::symbol::no_such_external(text, &near))
        }
    }
}

/// A mention of an external as a row.
#[derive(Debug, Serialize)]
struct Mention {
    name: String,
    #[serde(flatten)]
    edge: EdgeOut,
    column: u16,
}

/// The edge of a mention.
pub(crate) fn edge_to(graph: &Linked, row: &ExternalRow) -> EdgeOut {
    let usage = row.usage();
    EdgeOut {
        from: graph.id(row.owner),
        to: graph.externals().id(row.external).to_owned(),
        kind: row.kind().as_str(),
        file_path: graph.file_of(row.owner).path.clone(),
        line: row.line,
        confidence: f64::from(row.confidence()) / 100.0,
        confidence_label: row.tier().label(),
        tier: row.tier().as_str(),
        context: Some(row.role().as_str()),
        return_usage: (usage != Usage::Unknown).then(|| usage.as_str()),
        cross_repo: false,
        provenance: None,
    }
}

fn mention(graph: &Linked, row: &ExternalRow) -> Result<Value, CallError> {
    value(&Mention { name: graph.name(row.owner).to_owned(), edge: edge_to(graph, row), column: row.col })
}

fn value(row: &impl Serialize) -> Result<Value, CallError> {
    serde_json::to_value(row).map_err(|error| CallError::internal(format!("a row can't be written as JSON: {error}")))
}

/// Mentions that count, and how many were too weak.
fn rows_of(graph: &Graph, at: ExternalId, narrow: &Narrow, keep: impl Fn(&ExternalRow) -> bool) -> (Vec<ExternalRow>, usize) {
    let mut rows = external::mentions(graph, at);
    rows.retain(|row| narrow.admits(graph, row.owner) && keep(row));
    let before = rows.len();
    rows.retain(|row| narrow.weakest.is_none_or(|weakest| row.tier() <= weakest));
    let weak = before - rows.len();
    rows.sort_by_cached_key(|row| (graph.is_test(row.owner), row.owner, row.line, row.col));
    (rows, weak)
}

/// Every mention, for `relations.usages`; `by_file` groups them.
pub(super) fn usages(
    graph: &Graph,
    at: ExternalId,
    common: &CommonArgs,
    narrow: &Narrow,
    shown: (usize, bool),
    keep: impl Fn(&ExternalRow) -> bool,
) -> Answer<Reply> {
    let (limit, by_file) = shown;
    let (rows, weak) = rows_of(graph, at, narrow, keep);
    let files: BTreeSet<usize> = rows.iter().map(|row| graph.file_index(row.owner)).collect();
    let tests = rows.iter().filter(|row| graph.is_test(row.owner)).count();
    let mut riders = Riders::default();
    riders.count("tier_filtered", weak);
    riders.set("usage_summary", json!({"n_refs": rows.len(), "n_files": files.len(), "n_test_refs": tests}));
    if rows.is_empty() {
        riders.set("note", "no mention fits the filters");
        narrow.note(graph, &mut riders);
    }
    if by_file {
        return Ok(grouped(graph, at, &rows, limit, riders));
    }
    let kept = if limit == 0 { rows.len() } else { limit.min(rows.len()) };
    answer(graph, at, &Shown { rows: &rows[..kept], all: &rows, limit: 0 }, &Subgraph::default(), riders, common)
}

fn grouped(graph: &Graph, at: ExternalId, rows: &[ExternalRow], limit: usize, riders: Riders) -> Reply {
    let kept = if limit == 0 { rows } else { &rows[..rows.len().min(limit)] };
    let mut groups: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for row in kept {
        groups.entry(&graph.file_of(row.owner).path).or_default().push(json!({
            "line": row.line,
            "edge_kind": row.kind().as_str(),
            "context": row.role().as_str(),
            "symbol_id": graph.id(row.owner),
            "symbol_name": graph.name(row.owner),
            "to": graph.externals().id(row.external),
        }));
    }
    let mut groups: Vec<(&str, Vec<Value>)> = groups.into_iter().collect();
    groups.sort_by(|a, b| b.1.len().cmp(&a.1.len()).then_with(|| a.0.cmp(b.0)));
    let mut body = json!({
        "target": external_out(graph, at).id,
        "grouped_by": "file",
        "file_count": groups.len(),
        "total_uses": rows.len(),
        "truncated": kept.len() < rows.len(),
    });
    for key in ["tier_filtered", "usage_summary", "note", "scope_note"] {
        if let Some(value) = riders.get(key) {
            body[key] = value.clone();
        }
    }
    body["groups"] = groups.into_iter().map(|(file, uses)| json!({"file": file, "count": uses.len(), "uses": uses})).collect();
    Reply::json(body).rows("groups").generation(graph.generation)
}

/// Who calls it (`calls_only`), or who would feel a change of it, level by level.
pub(super) fn above(
    graph: &Graph,
    at: ExternalId,
    common: &CommonArgs,
    narrow: &Narrow,
    reach: Reach,
    calls_only: bool,
) -> Answer<Reply> {
    let (rows, weak) = rows_of(graph, at, narrow, |row| !calls_only || row.kind().is_call());
    let mut owners: Vec<NodeId> = rows.iter().map(|row| row.owner).collect();
    owners.dedup();
    let admits = |node| narrow.admits(graph, node);
    let further = Reach { depth: reach.depth.saturating_sub(1), limit: 0, ..reach };
    let found = external::above(graph, &owners, &narrow.lens(&admits), further, calls_only);
    let mut riders = Riders::default();
    riders.count("tier_filtered", weak + found.tier_filtered);
    riders.dispatch(graph, &found.hidden);
    if rows.is_empty() {
        riders.set("note", if calls_only { "it is mentioned, but not called" } else { "no mention fits the filters" });
        narrow.note(graph, &mut riders);
    }
    answer(graph, at, &Shown { rows: &rows, all: &rows, limit: reach.limit }, &found, riders, common)
}

/// What is known of its own dependencies: nothing.
pub(super) fn below(graph: &Graph, at: ExternalId, common: &CommonArgs) -> Answer<Reply> {
    let mut riders = Riders::default();
    riders.set("note", "it lies outside of the tracked roots; what it relies on is not known");
    answer(graph, at, &Shown { rows: &[], all: &[], limit: 0 }, &Subgraph::default(), riders, common)
}

/// Types of ours below an external type.
pub(super) fn implementations(graph: &Graph, at: ExternalId, narrow: &Narrow) -> Answer<Reply> {
    let admits = |node| narrow.admits(graph, node);
    let mut rows: Vec<Value> = Vec::new();
    let mut seen: HashSet<NodeId> = HashSet::new();
    let mut weak = 0;
    let mut add = |node: NodeId, tier: &'static str, via: Option<String>| {
        if seen.insert(node) {
            let mut row = value(&brief(graph, node))?;
            row["concrete"] = graph.def(node).is_some_and(|def| !def.kind().is_interface()).into();
            row["tier"] = tier.into();
            if let Some(via) = via {
                row["via"] = via.into();
            }
            rows.push(row);
        }
        Ok::<(), CallError>(())
    };
    for direct in external::subtypes(graph, at).iter().filter(|row| narrow.admits(graph, row.owner)) {
        if narrow.weakest.is_some_and(|weakest| direct.tier() > weakest) {
            weak += 1;
            continue;
        }
        if !graph.kind(direct.owner).is_type() {
            continue;
        }
        add(direct.owner, direct.tier().as_str(), None)?;
        let (below, filtered) = relations::implementations(graph, direct.owner, &narrow.lens(&admits));
        weak += filtered;
        for one in below {
            add(one.node, one.edge.tier().as_str(), Some(graph.id(one.edge.to)))?;
        }
    }
    let mut body = json!({"target": external_out(graph, at), "total": rows.len()});
    if weak > 0 {
        body["tier_filtered"] = weak.into();
    }
    if rows.is_empty() {
        body["note"] = "no type of the tracked roots extends or implements it".into();
    }
    body["implementations"] = rows.into();
    Ok(Reply::json(body).rows("implementations").generation(graph.generation))
}

/// The types of ours below an external type, as a tree.
pub(super) fn hierarchy(graph: &Graph, at: ExternalId, common: &CommonArgs, narrow: &Narrow, depth: u32) -> Answer<Reply> {
    let rows: Vec<ExternalRow> =
        external::subtypes(graph, at).into_iter().filter(|row| narrow.admits(graph, row.owner)).collect();
    let admits = |node| narrow.admits(graph, node);
    let mut found = Subgraph::default();
    for row in rows.iter().filter(|_| depth > 1) {
        let down = relations::Ways { up: false, down: true };
        if graph.kind(row.owner).is_type() {
            let below = relations::hierarchy(graph, row.owner, down, false, &narrow.lens(&admits), depth - 1);
            found.nodes.extend(below.nodes.iter().skip(1).copied());
            found.links.extend(below.links);
        }
    }
    let mut riders = Riders::default();
    riders.set("note", "it lies outside of the tracked roots; what is above it is not known");
    answer(graph, at, &Shown { rows: &rows, all: &rows, limit: 0 }, &found, riders, common)
}

/// Whether it is referred to at all.
pub(super) fn references(graph: &Graph, at: ExternalId, tests: bool, limit: usize) -> Reply {
    let rows: Vec<ExternalRow> =
        external::mentions(graph, at).into_iter().filter(|row| tests || !graph.is_test(row.owner)).collect();
    let mut by_kind: BTreeMap<&str, usize> = BTreeMap::new();
    let mut callers: BTreeSet<NodeId> = BTreeSet::new();
    for row in &rows {
        *by_kind.entry(row.kind().as_str()).or_default() += 1;
        if row.kind().is_call() {
            callers.insert(row.owner);
        }
    }
    let evidence = rows.iter().take(limit).map(|row| {
        json!({
            "from_id": graph.id(row.owner),
            "from_name": graph.name(row.owner),
            "file_path": graph.file_of(row.owner).path,
            "line": row.line,
            "kind": row.kind().as_str(),
            "tier": row.tier().as_str(),
        })
    });
    let target = external_out(graph, at);
    let body = json!({
        "symbol_id": target.id,
        "name": target.name,
        "external": true,
        "referenced": !rows.is_empty(),
        "verdict": if rows.is_empty() { "unreferenced" } else { "referenced" },
        "total_references": rows.len(),
        "by_kind": by_kind,
        "caller_count": callers.len(),
        "excluded_tests": !tests,
        "evidence_truncated": rows.len() > limit,
        "declared": target.declared,
        "evidence": evidence.collect::<Vec<Value>>(),
    });
    Reply::json(body).rows("evidence").generation(graph.generation)
}

/// The mentions of an answer.
struct Shown<'r> {
    /// Those that are shown.
    rows: &'r [ExternalRow],
    /// All that there are.
    all: &'r [ExternalRow],
    /// Nodes shown besides the target, 0 for all.
    limit: usize,
}

/// Target, who mentions it, and who is above those.
fn answer(
    graph: &Graph,
    at: ExternalId,
    shown: &Shown<'_>,
    further: &Subgraph,
    riders: Riders,
    common: &CommonArgs,
) -> Answer<Reply> {
    let Shown { rows, all, limit } = *shown;
    let mut order: Vec<NodeId> = rows.iter().map(|row| row.owner).collect();
    order.extend(further.nodes.iter().map(|(node, _)| *node));
    let mut seen: HashSet<NodeId> = HashSet::new();
    order.retain(|node| seen.insert(*node));
    let nodes = seen.into_iter().chain(all.iter().map(|row| row.owner)).collect::<HashSet<NodeId>>().len();
    let total = (nodes + 1, all.len() + further.links.len());
    if limit > 0 {
        order.truncate(limit);
    }
    let truncated = order.len() < nodes || rows.len() < all.len();
    let kept: HashSet<NodeId> = order.iter().copied().collect();
    let target = external_out(graph, at);
    if common.shape.compact {
        let lines = order.iter().map(|node| compact(graph, *node, rows));
        let lines = std::iter::once(format!("= external {}", target.id)).chain(lines);
        let tail = format!("edges: {} of {}", rows.iter().filter(|row| kept.contains(&row.owner)).count(), total.1);
        return Ok(Reply::text(lines.chain([tail]).collect::<Vec<_>>().join("\n")));
    }
    if matches!(common.shape.format, Some(Format::Mermaid | Format::Dot)) {
        let message = "names from outside are not drawn; ask for json, or for compact text lines";
        return Err(CallError::invalid(message).data("field", "format").data("valid_values", ["json"]));
    }
    let mut nodes = vec![value(&target)?];
    for node in &order {
        let mut row = brief(graph, *node);
        row.doc = None;
        nodes.push(value(&row)?);
    }
    let mut edges = Vec::new();
    for row in rows.iter().filter(|row| kept.contains(&row.owner)) {
        edges.push(mention(graph, row)?);
    }
    for link in further.links.iter().filter(|link| kept.contains(&link.edge.from) && kept.contains(&link.edge.to)) {
        edges.push(value(&link_out(graph, link, false))?);
    }
    let mut body =
        json!({"target": target.id, "external": true, "total_nodes": total.0, "total_edges": total.1, "truncated": truncated});
    riders.put_into(&mut body);
    body["nodes"] = nodes.into();
    body["edges"] = edges.into();
    Ok(Reply::json(body).rows("edges").generation(graph.generation))
}

fn compact(graph: &Graph, node: NodeId, rows: &[ExternalRow]) -> String {
    let row = brief(graph, node);
    let mut sites: Vec<u32> = rows.iter().filter(|one| one.owner == node).map(|one| one.line).collect();
    sites.dedup();
    let shown: Vec<String> = sites.iter().map(ToString::to_string).collect();
    format!("{} {}:{} @{}", row.kind, row.id, row.start_line, shown.join(","))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::testing::Fixture;

    const TREE: &str = "//- package.json\n{\"name\": \"app\", \"dependencies\": {\"react\": \"^18.2.0\"}}\n//- src/a.tsx\nimport React, { useState } from 'react';\n\nexport class View extends React.Component {}\nexport class Sub extends View {}\nexport function use() { const [x] = useState(0); return x }\n//- src/b.ts\nimport { use } from './a';\nexport function page() { return use() }\n//- src/a.test.ts\nimport { useState } from 'react';\nit('x', () => { useState(1) });\n";

    fn ask(fixture: &Fixture, operation: &str, symbol: &str, options: Value) -> Value {
        fixture.json("relations", json!({"operation": operation, "target": {"symbol": symbol}, "options": options}))
    }

    fn rows(answer: &Value) -> Vec<String> {
        let edges = answer["edges"].as_array().expect("edges");
        let word = |edge: &Value, key: &str| edge[key].as_str().unwrap_or_default().to_owned();
        edges
            .iter()
            .map(|edge| format!("{} {} {}:{}", word(edge, "from"), word(edge, "kind"), edge["line"], edge["column"]))
            .collect()
    }

    #[test]
    fn mentions_come_with_line_and_column_and_the_manifest() {
        let fixture = Fixture::new(TREE);
        let found = ask(&fixture, "usages", "dep::react::useState", json!({}));
        assert_eq!(
            rows(&found),
            ["src/a.tsx imports 1:16", "src/a.tsx::use calls 5:36", "src/a.test.ts imports 1:9", "src/a.test.ts::x calls 2:16",]
        );
        assert_eq!(found["usage_summary"], json!({"n_refs": 4, "n_files": 2, "n_test_refs": 2}));
        let target = &found["nodes"][0];
        assert_eq!((&target["kind"], &target["mentions"]), (&json!("external"), &json!(4)));
        assert!(target.get("file_path").is_none());
        let declared = json!([{"manifest": "package.json", "package": "react", "version": "^18.2.0"}]);
        assert_eq!(target["declared"], declared);
        let calls = ask(&fixture, "usages", "dep::react::useState", json!({"context": "call", "exclude_tests": true}));
        assert_eq!(rows(&calls), ["src/a.tsx::use calls 5:36"]);
    }

    #[test]
    fn a_package_answers_for_what_is_in_it() {
        let fixture = Fixture::new(TREE);
        let found = ask(&fixture, "usages", "dep::react", json!({"limit": 2}));
        assert_eq!((&found["total_edges"], &found["truncated"]), (&json!(6), &json!(true)));
        assert_eq!(found["nodes"][0]["members"], 2);
        let grouped = ask(&fixture, "usages", "dep::react", json!({"group_by": "file"}));
        assert_eq!((&grouped["total_uses"], &grouped["groups"][0]["file"]), (&json!(6), &json!("src/a.tsx")));
    }

    #[test]
    fn callers_and_dependents_go_on_among_ours() {
        let fixture = Fixture::new(TREE);
        let direct = ask(&fixture, "callers", "dep::react::useState", json!({"depth": 1, "exclude_tests": true}));
        assert_eq!(direct["total_nodes"], 2);
        let deep = ask(&fixture, "callers", "dep::react::useState", json!({"depth": 2, "exclude_tests": true}));
        let ids: Vec<&str> = deep["nodes"].as_array().expect("nodes").iter().filter_map(|node| node["id"].as_str()).collect();
        assert_eq!(ids, ["dep::react::useState", "src/a.tsx::use", "src/b.ts::page"]);
        let felt = ask(&fixture, "dependents", "dep::react::Component", json!({}));
        let ids: Vec<&str> = felt["nodes"].as_array().expect("nodes").iter().filter_map(|node| node["id"].as_str()).collect();
        assert_eq!(ids, ["dep::react::Component", "src/a.tsx::View", "src/a.tsx::Sub"]);
    }

    #[test]
    fn subtypes_of_an_external_type_are_listed_and_shown_above_ours() {
        let fixture = Fixture::new(TREE);
        let found = ask(&fixture, "implementations", "dep::react::Component", json!({}));
        let rows: Vec<(&str, Option<&str>)> = found["implementations"]
            .as_array()
            .expect("rows")
            .iter()
            .map(|row| (row["name"].as_str().expect("a name"), row["via"].as_str()))
            .collect();
        assert_eq!(rows, [("View", None), ("Sub", Some("src/a.tsx::View"))]);
        let down = ask(&fixture, "hierarchy", "dep::react::Component", json!({}));
        assert_eq!((&down["total_nodes"], &down["total_edges"]), (&json!(3), &json!(2)));
        let up = ask(&fixture, "hierarchy", "src/a.tsx::View", json!({"direction": "up"}));
        assert_eq!(up["nodes"][1]["id"], "dep::react::Component");
    }

    #[test]
    fn dependencies_hold_what_is_outside() {
        let fixture = Fixture::new(TREE);
        let needs = ask(&fixture, "dependencies", "src/a.tsx::use", json!({"depth": 1}));
        let node = needs["nodes"].as_array().and_then(|nodes| nodes.last()).expect("a node");
        assert_eq!((&node["id"], &node["external"]), (&json!("dep::react::useState"), &json!(true)));
        let below = ask(&fixture, "dependencies", "dep::react::useState", json!({}));
        assert_eq!((&below["total_edges"], below["note"].is_string()), (&json!(0), true));
        let check = ask(&fixture, "references", "dep::react::useState", json!({}));
        assert_eq!(
            (&check["verdict"], &check["total_references"], &check["caller_count"]),
            (&json!("referenced"), &json!(4), &json!(2))
        );
    }

    #[test]
    fn what_nothing_mentions_is_not_found_and_what_is_not_ours_has_no_source() {
        let fixture = Fixture::new(TREE);
        let missing = ask(&fixture, "usages", "dep::react::useSate", json!({}));
        assert_eq!(missing["condition"], "symbol_not_found");
        let missing = ask(&fixture, "usages", "dep::preact::useState", json!({}));
        assert_eq!(missing["data"]["did_you_mean"], json!(["dep::react::useState"]));
        let chain = fixture.json("trace", json!({"operation": "call_chain", "target": {"symbol": "dep::react::useState"}}));
        assert_eq!(chain["condition"], "external_symbol");
    }

    #[test]
    fn search_finds_them_only_when_asked() {
        let fixture = Fixture::new(TREE);
        let find = |query: &str| -> Vec<String> {
            let answer = fixture.json("search", json!({"operation": "symbols", "query": query}));
            let rows = answer["results"].as_array().expect("rows");
            rows.iter().filter_map(|row| row["id"].as_str().map(str::to_owned)).collect()
        };
        assert!(!find("useState").iter().any(|id| id.starts_with("dep::")));
        assert_eq!(find("kind:external useState"), ["dep::react::useState"]);
        assert_eq!(find("dep::react"), ["dep::react", "dep::react::useState", "dep::react::Component"]);
        assert!(find("dep::vue").is_empty());
    }
}
