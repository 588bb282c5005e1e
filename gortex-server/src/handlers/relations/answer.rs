//! Subgraph answers: nodes with the target first, edges, true totals, and riders that say what is not shown.
//!
//! All relations and walks answer in this one shape, so a caller learns it once. Riders stand before the rows: whoever
//! reads a cut answer still sees the totals and why they are a minimum.
//!
//! Knows rows and formats; what was walked is the operation's affair.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use gortex_core::{Answer, CallError, FacadeArgs, Reply};
use gortex_engine::facts::Role;
use gortex_engine::graph::{EdgeKind, EdgeRow, ExternalId, ExternalRow, Graph, NodeId, Tier};
use gortex_engine::query::loose::{self, LooseCall};
use gortex_engine::query::relations::{overriding, through_export};
use gortex_engine::query::subgraph::{Lens, Link, Step, Subgraph};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::diagram;
use super::external::{edge_to, external_brief};
use crate::handlers::shared::args::{ScopeArgs, TierArgs};
use crate::handlers::shared::rows::{Brief, EdgeOut, brief, edge_out};
use crate::handlers::shared::symbol::node_of;

/// Sites shown of each kind; their number is always told.
const SITES: usize = 10;
/// Candidates shown for one site.
const CANDIDATES: usize = 5;

/// The forms of a subgraph answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Format {
    #[default]
    Json,
    Mermaid,
    Dot,
}

/// How a subgraph is shown.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema, FacadeArgs)]
pub(crate) struct ShapeArgs {
    /// json, or the drawing languages mermaid and dot.
    pub format: Option<Format>,
    /// One text line per node instead of JSON.
    #[serde(default)]
    pub compact: bool,
}

/// What every answer about relations takes: where to look, how sure to be, how to show it.
#[derive(Debug, Default, Deserialize, JsonSchema, FacadeArgs)]
pub(crate) struct CommonArgs {
    #[serde(flatten)]
    pub scope: ScopeArgs,
    #[serde(flatten)]
    pub tier: TierArgs,
    #[serde(flatten)]
    pub shape: ShapeArgs,
}

/// How far a walk goes. By default callers and dependencies are followed 2 steps, dependents 3, call chains 4.
#[derive(Debug, Default, Deserialize, JsonSchema, FacadeArgs)]
pub(crate) struct WalkArgs {
    /// Steps to follow; 1 shows direct relations.
    #[at(options)]
    #[schemars(range(min = 1, max = 64))]
    pub depth: Option<u32>,
    /// Nodes at most, besides the target; 50 by default, 0 lifts the bound.
    #[at(options)]
    pub limit: Option<usize>,
    #[serde(flatten)]
    pub common: CommonArgs,
}

/// Scope, tests and evidence, checked.
#[derive(Debug)]
pub(crate) struct Narrow {
    pub weakest: Option<Tier>,
    pub speculative: bool,
    repo: Option<u16>,
    no_tests: bool,
}

impl Narrow {
    /// Checks the arguments.
    pub fn new(graph: &Graph, scope: &ScopeArgs, tier: &TierArgs, no_tests: bool) -> Result<Narrow, CallError> {
        let repo = scope.repo_number(graph)?;
        Ok(Narrow { weakest: tier.weakest()?, speculative: tier.include_speculative, repo, no_tests })
    }

    /// [`Narrow::new`] of the common arguments.
    pub fn of(graph: &Graph, common: &CommonArgs, no_tests: bool) -> Result<Narrow, CallError> {
        Narrow::new(graph, &common.scope, &common.tier, no_tests)
    }

    /// Whether a node counts.
    pub fn admits(&self, graph: &Graph, node: NodeId) -> bool {
        self.repo.is_none_or(|repo| graph.file_of(node).repo == repo) && !(self.no_tests && graph.is_test(node))
    }

    /// The lens of a walk; `admits` is [`Narrow::admits`] over the graph.
    pub fn lens<'a>(&self, admits: &'a dyn Fn(NodeId) -> bool) -> Lens<'a> {
        Lens { weakest: self.weakest, speculative: self.speculative, admits }
    }

    /// Whether rows that rest on the name alone were asked for.
    pub fn by_name(&self) -> bool {
        self.weakest == Some(Tier::TextMatched)
    }

    /// What a scope may have hidden, for empty answers.
    pub fn note(&self, graph: &Graph, riders: &mut Riders) {
        if let Some(name) = self.repo.and_then(|repo| graph.repos.get(repo as usize)) {
            riders.set("scope_note", format!("only repository `{name}` was looked at; leave out `repo` to see all"));
        }
    }
}

/// The symbol an argument means; the id of a re-export stands for what it passes on.
pub(crate) fn target_of(graph: &Graph, tool: &str, text: &str) -> Result<NodeId, CallError> {
    node_of(graph, tool, text).or_else(|error| through_export(graph, text.trim()).ok_or(error))
}

/// A row of a subgraph answer.
#[derive(Debug, Serialize)]
pub(crate) struct LinkOut {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(flatten)]
    pub edge: EdgeOut,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_type_flavor: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub speculative: bool,
}

/// The row of a link; `as_use` adds who uses it and in which role.
pub(crate) fn link_out(graph: &Graph, link: &Link, as_use: bool) -> LinkOut {
    let mut edge = edge_out(graph, &link.edge);
    if !as_use
        && matches!(link.edge.role(), Role::Call | Role::Read | Role::Import | Role::ReExport | Role::Extends | Role::Implements)
    {
        edge.context = None;
    }
    LinkOut {
        name: as_use.then(|| graph.name(link.edge.from).to_owned()),
        from_type_flavor: if as_use { flavor_around(graph, link.edge.from) } else { None },
        edge,
        count: (link.count > 1).then_some(link.count),
        speculative: link.speculative,
    }
}

/// The flavor of the innermost type around a node.
pub(crate) fn flavor_around(graph: &Graph, node: NodeId) -> Option<&'static str> {
    let around = std::iter::once(node).chain(graph.ancestors(node));
    around.map(|at| graph.kind(at)).find(|kind| kind.is_type()).and_then(|kind| kind.flavor())
}

/// What an answer says beside its rows. Only what says something is set.
#[derive(Debug, Default)]
pub(crate) struct Riders(Map<String, Value>);

impl Riders {
    /// Sets a rider.
    pub fn set(&mut self, key: &str, value: impl Into<Value>) {
        self.0.insert(key.to_owned(), value.into());
    }

    /// Sets a number unless it is zero.
    pub fn count(&mut self, key: &str, number: usize) {
        if number > 0 {
            self.set(key, number);
        }
    }

    /// The value of a rider.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.0.get(key)
    }

    /// Dispatch candidates that were not followed: a count, and the sites with what they may run.
    pub fn dispatch(&mut self, graph: &Graph, hidden: &[Step]) {
        let mut sites: BTreeMap<(NodeId, u32, u16, NodeId), EdgeRow> = BTreeMap::new();
        for step in hidden {
            let called = step.dispatched_from.unwrap_or(step.edge.to);
            sites.insert((step.edge.from, step.edge.line, step.edge.col, called), step.edge);
        }
        if sites.is_empty() {
            return;
        }
        self.set("lower_bound", true);
        self.set("speculative_hidden", sites.len());
        self.set("hint", "set include_speculative to see the dispatch candidates as edges");
        for ((.., called), edge) in sites.iter().take(SITES) {
            let below = overriding(graph, *called);
            let mut row = site(graph, edge, "dispatch", *called);
            row["candidates"] = below.iter().take(CANDIDATES).map(|node| graph.id(*node)).collect();
            row["candidate_count"] = below.len().into();
            self.push("dynamic_boundaries", row);
        }
    }

    /// Places where the target is handed over as a value: calls through that value are not known.
    pub fn handed_over(&mut self, graph: &Graph, target: NodeId, places: &[EdgeRow]) {
        if places.is_empty() {
            return;
        }
        self.set("lower_bound", true);
        self.set("value_uses", places.len());
        for edge in places.iter().take(SITES) {
            let form = if edge.role() == Role::Attribute { "decorator" } else { "value" };
            self.push("dynamic_boundaries", site(graph, edge, form, target));
        }
    }

    /// Calls that have no edge: the open ones make the answer a minimum, the others leave the project.
    pub fn loose_calls(&mut self, graph: &Graph, target: NodeId, calls: &[LooseCall]) {
        let (outside, open): (Vec<&LooseCall>, Vec<&LooseCall>) = calls.iter().partition(|call| call.outside);
        let row = |(call, count): &(LooseCall, usize), reason: bool| {
            let mut row = json!({"name": graph.names().text(call.row.name), "line": call.row.line});
            if reason {
                row["reason"] = call.row.reason().as_str().into();
            }
            if call.row.owner != target {
                row["from"] = graph.id(call.row.owner).into();
            }
            if *count > 1 {
                row["count"] = (*count).into();
            }
            row
        };
        if !open.is_empty() {
            self.set("lower_bound", true);
            self.set("unresolved_total", open.len());
            self.set("unresolved", grouped(&open).iter().take(2 * SITES).map(|one| row(one, true)).collect::<Vec<_>>());
        }
        if !outside.is_empty() {
            self.set("externals_total", outside.len());
            self.set("externals", grouped(&outside).iter().take(2 * SITES).map(|one| row(one, false)).collect::<Vec<_>>());
        }
    }

    /// Writes the riders into a body.
    pub fn put_into(self, body: &mut Value) {
        if let Some(body) = body.as_object_mut() {
            body.extend(self.0);
        }
    }

    fn push(&mut self, key: &str, row: Value) {
        match self.0.get_mut(key).and_then(Value::as_array_mut) {
            Some(list) => list.push(row),
            None => self.set(key, vec![row]),
        }
    }
}

/// Calls of one name in one symbol as one row: the first, and how many there are.
pub(crate) fn grouped(calls: &[&LooseCall]) -> Vec<(LooseCall, usize)> {
    let mut found: Vec<(LooseCall, usize)> = Vec::new();
    for call in calls {
        let key = |other: &LooseCall| (other.row.owner, other.row.name, other.row.reason);
        // Rows of one owner stand together, so the search looks back over these alone.
        let same = found.iter_mut().rev().take_while(|(other, _)| other.row.owner == call.row.owner);
        match { same }.find(|(other, _)| key(other) == key(call)) {
            Some((_, count)) => *count += 1,
            None => found.push((**call, 1)),
        }
    }
    found
}

fn site(graph: &Graph, edge: &EdgeRow, form: &str, key: NodeId) -> Value {
    let place = format!("{}:{}", graph.file_of(edge.from).path, edge.line);
    json!({"site": place, "from": graph.id(edge.from), "form": form, "key": graph.id(key)})
}

/// Adds name-only candidates to a subgraph, within the limit.
pub(crate) fn add_by_name(graph: &Graph, found: &mut Subgraph, links: Vec<Link>, limit: usize) {
    let mut known: HashSet<NodeId> = found.nodes.iter().map(|(node, _)| *node).collect();
    found.total_links += links.len();
    let mut extra: HashSet<NodeId> = HashSet::new();
    for link in links {
        let node = link.edge.from;
        if !known.contains(&node) {
            extra.insert(node);
            if limit > 0 && found.nodes.len() > limit {
                found.truncated = true;
                continue;
            }
            known.insert(node);
            found.nodes.push((node, 1));
        }
        found.links.push(link);
    }
    found.total_nodes += extra.len();
    found.nodes[1..].sort_by_cached_key(|(node, depth)| (*depth, graph.is_test(*node), *node));
}

/// Links of the name-only candidates that a lens admits.
pub(crate) fn links_by_name(
    graph: &Graph,
    rows: &[gortex_engine::graph::UnboundRow],
    target: NodeId,
    narrow: &Narrow,
) -> Vec<Link> {
    let admitted = rows.iter().filter(|row| narrow.admits(graph, row.owner));
    admitted.map(|row| loose::as_link(graph, row, target)).collect()
}

/// The answer in the form that was asked for.
pub(crate) fn reply(graph: &Graph, found: &Subgraph, riders: Riders, shape: &ShapeArgs, as_use: bool) -> Answer<Reply> {
    reply_with(graph, found, riders, shape, as_use, &[])
}

/// [`reply`] with names from outside that nodes of the answer mention, as nodes without a file.
pub(crate) fn reply_with(
    graph: &Graph,
    found: &Subgraph,
    riders: Riders,
    shape: &ShapeArgs,
    as_use: bool,
    outside: &[(ExternalRow, usize)],
) -> Answer<Reply> {
    match shape.format.unwrap_or_default() {
        Format::Mermaid => return Ok(Reply::text(diagram::mermaid(graph, found))),
        Format::Dot => return Ok(Reply::text(diagram::dot(graph, found))),
        Format::Json if shape.compact => return Ok(Reply::text(compact(graph, found, &riders))),
        Format::Json => {}
    }
    let mut nodes: Vec<Brief> = found.nodes.iter().map(|(node, _)| brief(graph, *node)).collect();
    // What the neighbours are for is one `read` away; what is asked here is where they are.
    for neighbour in nodes.iter_mut().skip(1) {
        neighbour.doc = None;
    }
    let edges: Vec<LinkOut> = found.links.iter().map(|link| link_out(graph, link, as_use)).collect();
    let (mut nodes, mut edges) = (rows_of(&nodes)?, rows_of(&edges)?);
    let externals: BTreeSet<ExternalId> = outside.iter().map(|(row, _)| row.external).collect();
    nodes.extend(rows_of(&externals.iter().map(|at| external_brief(graph, *at)).collect::<Vec<_>>())?);
    for (row, count) in outside {
        let mut edge = to_value(&edge_to(graph, row))?;
        if *count > 1 {
            edge["count"] = (*count).into();
        }
        edges.push(edge);
    }
    let mut body = Map::new();
    body.insert("target".to_owned(), graph.id(found.nodes[0].0).into());
    body.insert("total_nodes".to_owned(), (found.total_nodes + externals.len()).into());
    body.insert("total_edges".to_owned(), (found.total_links + outside.len()).into());
    body.insert("truncated".to_owned(), found.truncated.into());
    body.extend(riders.0);
    body.insert("nodes".to_owned(), nodes.into());
    body.insert("edges".to_owned(), edges.into());
    Ok(Reply::json(Value::Object(body)).rows("edges").generation(graph.generation))
}

fn rows_of(rows: &[impl Serialize]) -> Result<Vec<Value>, CallError> {
    rows.iter().map(to_value).collect()
}

fn to_value(rows: &impl Serialize) -> Result<Value, CallError> {
    serde_json::to_value(rows).map_err(|error| CallError::internal(format!("the rows can't be written as JSON: {error}")))
}

/// One line per node with the lines of its rows, then what the riders say, then how the edges split over the evidence.
fn compact(graph: &Graph, found: &Subgraph, riders: &Riders) -> String {
    let mut lines: Vec<String> = Vec::with_capacity(found.nodes.len() + 4);
    for (at, (node, depth)) in found.nodes.iter().enumerate() {
        let row = brief(graph, *node);
        let mut sites: Vec<u32> = found.links.iter().filter(|link| link.edge.from == *node).map(|link| link.edge.line).collect();
        sites.sort_unstable();
        sites.dedup();
        let told = if sites.is_empty() || at == 0 {
            String::new()
        } else {
            let shown: Vec<String> = sites.iter().map(ToString::to_string).collect();
            format!(" @{}", shown.join(","))
        };
        let depth = if at == 0 { "=".to_owned() } else { depth.to_string() };
        lines.push(format!("{depth} {} {}:{}{told}", row.kind, row.id, row.start_line));
    }
    for (key, value) in &riders.0 {
        lines.push(format!("{key}: {value}"));
    }
    let split = ["EXTRACTED", "INFERRED", "AMBIGUOUS"].map(|label| {
        let count = found.links.iter().filter(|link| link.edge.tier().label() == label).count();
        format!("{label} {count}")
    });
    lines.push(format!("edges: {} of {} ({})", found.links.len(), found.total_links, split.join(", ")));
    lines.join("\n")
}

/// Whether every row rests on the name alone.
pub(crate) fn only_names(found: &Subgraph) -> bool {
    found.links.iter().all(|link| link.edge.tier() == Tier::TextMatched)
}

/// The word of an edge kind, for drawings.
pub(crate) fn label(edge: &EdgeRow) -> &'static str {
    EdgeKind::as_str(edge.kind())
}
