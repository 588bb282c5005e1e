//! One question before a delete or rename: does anything still point at this?

use std::collections::{BTreeMap, BTreeSet};

use gortex_engine::facts::model::{Kind, Role};
use gortex_engine::graph::{EdgeKind, EdgeRow, Graph as Linked, NodeId};
use gortex_engine::query::{loose, relations};

use super::answer::target_of;
use super::{caveat, external};
use crate::handlers::shared::prelude::*;
use crate::handlers::shared::symbol::candidate;

/// Weak signals shown of each kind.
const SHOWN: usize = 20;

/// Arguments of `relations.references`.
#[derive(Debug, Deserialize, JsonSchema, FacadeArgs)]
pub(crate) struct CheckReferences {
    /// An id, or a name that is unique in the current view.
    #[at(target = "symbol")]
    symbol_id: Option<String>,
    /// A bare name, instead of an id.
    #[at(options)]
    name: Option<String>,
    /// Do not count uses in test code.
    #[at(options)]
    #[serde(default)]
    exclude_tests: bool,
    /// Evidence rows at most; 50 by default.
    #[at(options)]
    evidence_limit: Option<usize>,
    #[serde(flatten)]
    tier: TierArgs,
}

/// One use.
#[derive(Debug, Serialize)]
struct Evidence {
    from_id: String,
    from_name: String,
    file_path: String,
    line: u32,
    kind: &'static str,
    tier: &'static str,
}

/// Answers whether anything still refers to a symbol, with the evidence.
#[facade(domain = "relations", op = "references", effect = "read")]
async fn check_references(graph: Graph, args: Args<CheckReferences>) -> Answer<Reply> {
    graph.blocking(move |graph| answer(graph, &args)).await
}

fn answer(graph: &Graph, args: &CheckReferences) -> Answer<Reply> {
    let given = args.symbol_id.as_deref().or(args.name.as_deref()).filter(|text| !text.trim().is_empty());
    let text = given.ok_or_else(|| CallError::invalid("symbol_id or name is required").data("field", "target.symbol"))?;
    if let Some(at) = external::asked(graph, text)? {
        return Ok(external::references(graph, at, !args.exclude_tests, args.evidence_limit.unwrap_or(50)));
    }
    let target = target_of(graph, "check_references", text)?;
    let weakest = args.tier.weakest()?;
    let counts = |edge: &&EdgeRow| {
        counted(edge.kind())
            && edge.from != target
            && TierArgs::admits(weakest, edge)
            && !(args.exclude_tests && graph.is_test(edge.from))
    };
    let mut rows: Vec<EdgeRow> = graph.incoming(target).filter(counts).copied().collect();
    rows.sort_by_key(|edge| (edge.tier, edge.from, edge.line, edge.col));
    let mut by_kind: BTreeMap<&str, usize> = BTreeMap::new();
    let mut callers: BTreeSet<NodeId> = BTreeSet::new();
    for edge in &rows {
        *by_kind.entry(edge.kind().as_str()).or_default() += 1;
        if edge.kind().is_call() {
            callers.insert(edge.from);
        }
    }
    let limit = args.evidence_limit.unwrap_or(50);
    let evidence: Vec<Evidence> = rows.iter().take(limit).map(|edge| evidence(graph, edge)).collect();
    let importing = importing_files(graph, target, args.exclude_tests);
    let elsewhere: Vec<NodeId> = graph.named(graph.name(target)).iter().copied().filter(|node| *node != target).collect();
    let by_name = loose::candidates(graph, graph.view().loose(), target, false).len();
    let traces = relations::traces(graph, target);
    let weak = !importing.is_empty() || !elsewhere.is_empty() || by_name > 0 || traces.from_outside.is_some();
    let verdict = match (rows.is_empty(), weak) {
        (false, _) => "referenced",
        (true, true) => "possibly_referenced",
        (true, false) => "unreferenced",
    };
    let mut body = json!({
        "symbol_id": graph.id(target),
        "name": graph.name(target),
        "referenced": verdict != "unreferenced",
        "verdict": verdict,
        "total_references": rows.len(),
        "by_kind": by_kind,
        "caller_count": callers.len(),
        "name_only_candidates": by_name,
        "excluded_tests": args.exclude_tests,
        "evidence_truncated": rows.len() > limit,
    });
    if rows.is_empty() {
        body["caveat"] = caveat::of_zero(graph, target, &traces, by_name, 0);
    }
    if elsewhere.len() > SHOWN {
        body["same_name_elsewhere_total"] = elsewhere.len().into();
    }
    if importing.len() > SHOWN {
        body["importing_files_total"] = importing.len().into();
    }
    body["same_name_elsewhere"] = elsewhere.iter().take(SHOWN).map(|node| same_name(graph, *node)).collect();
    body["importing_files"] = importing.into_iter().take(SHOWN).collect();
    body["evidence"] = serde_json::to_value(evidence).map_err(|error| CallError::internal(error.to_string()))?;
    Ok(Reply::json(body).rows("evidence").generation(graph.generation))
}

/// Kinds that keep a symbol alive.
fn counted(kind: EdgeKind) -> bool {
    matches!(
        kind,
        EdgeKind::Calls
            | EdgeKind::Implements
            | EdgeKind::Extends
            | EdgeKind::Composes
            | EdgeKind::References
            | EdgeKind::Reads
            | EdgeKind::Writes
            | EdgeKind::Annotated
            | EdgeKind::Throws
            | EdgeKind::Instantiates
            | EdgeKind::RoutesTo
            | EdgeKind::Handles
            | EdgeKind::Emits
            | EdgeKind::Injects
    )
}

fn evidence(graph: &Linked, edge: &EdgeRow) -> Evidence {
    Evidence {
        from_id: graph.id(edge.from),
        from_name: graph.name(edge.from).to_owned(),
        file_path: graph.file_of(edge.from).path.clone(),
        line: edge.line,
        kind: edge.kind().as_str(),
        tier: edge.tier().as_str(),
    }
}

fn same_name(graph: &Linked, node: NodeId) -> Value {
    let mut row = candidate(graph, node);
    if let Some(row) = row.as_object_mut() {
        row.shift_remove("name");
    }
    row
}

/// Files that import the symbol, or the file that defines it, sorted.
fn importing_files(graph: &Linked, target: NodeId, no_tests: bool) -> Vec<String> {
    let file = graph.file_of(target).base;
    let imports = |edge: &&EdgeRow| matches!(edge.role(), Role::Import | Role::ReExport);
    let rows = graph.incoming(target).chain(graph.incoming(file).filter(|_| graph.kind(target) != Kind::File)).filter(imports);
    let outside = rows.map(|edge| edge.from).filter(|from| graph.file_of(*from).base != file);
    let files: BTreeSet<String> =
        outside.filter(|from| !(no_tests && graph.is_test(*from))).map(|from| graph.file_of(from).path.clone()).collect();
    files.into_iter().collect()
}
