//! What several answers about a change share: symbol sets of arguments and the rows of affected symbols.

use gortex_engine::graph::{Graph, NodeId};
use gortex_engine::query::impact::{Affected, Impact};
use gortex_engine::query::symbol::{Resolved, resolve};

use crate::handlers::shared::prelude::*;
use crate::handlers::shared::symbol::{candidate, missing_symbol};

/// Boundary sites listed; their number is always told.
const BOUNDARIES: usize = 50;

/// Symbols of an argument: those found, in the order given, and the texts that name none.
pub(crate) struct Picked {
    pub nodes: Vec<NodeId>,
    pub unresolved: Vec<String>,
}

/// Resolves a list of ids or names. An ambiguous name refuses the call; when none is known the call is refused as well.
pub(crate) fn pick(graph: &Graph, texts: &[String]) -> Result<Picked, CallError> {
    let mut picked = Picked { nodes: Vec::new(), unresolved: Vec::new() };
    let wanted: Vec<&str> = texts.iter().map(|text| text.trim()).filter(|text| !text.is_empty()).collect();
    if wanted.is_empty() {
        return Err(CallError::invalid("no symbol is given").data("field", "target.symbols"));
    }
    for text in &wanted {
        match resolve(graph, text) {
            Resolved::One(node) => {
                if !picked.nodes.contains(&node) {
                    picked.nodes.push(node);
                }
            }
            Resolved::Many(nodes) => {
                let candidates: Vec<Value> = nodes.iter().take(10).map(|node| candidate(graph, *node)).collect();
                return Err(CallError::new(Code::AmbiguousSymbol, format!("`{text}` names {} symbols; say which", nodes.len()))
                    .data("symbol", text)
                    .data("candidates", candidates)
                    .data("total", nodes.len()));
            }
            Resolved::None(_) => picked.unresolved.push((*text).to_owned()),
        }
    }
    if picked.nodes.is_empty() {
        return Err(missing_symbol(graph, wanted[0]).data("unresolved", &picked.unresolved));
    }
    Ok(picked)
}

/// The localizable symbols of a file: everything but what stands inside functions.
pub(crate) fn symbols_of_file(graph: &Graph, path: &str) -> Result<Vec<NodeId>, CallError> {
    let file = crate::handlers::shared::symbol::file_of(graph, path)?;
    let last = file.base + file.facts.view().defs.len() as u32;
    Ok((file.base + 1..=last).filter(|node| !graph.ancestors(*node).any(|above| graph.kind(above).is_callable())).collect())
}

/// Which part of the affected rows is shown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Page {
    pub summary_only: bool,
    pub offset: usize,
    pub limit: usize,
}

/// Puts the keys of an impact into an answer.
pub(crate) fn impact_out(graph: &Graph, impact: &Impact, page: Page, answer: &mut serde_json::Map<String, Value>) {
    let total = impact.affected.len();
    let mut counts = serde_json::Map::new();
    for (at, count) in impact.counts().iter().enumerate() {
        counts.insert((at + 1).to_string(), Value::from(*count));
    }
    if !page.summary_only {
        let mut by_depth = serde_json::Map::new();
        for one in impact.affected.iter().skip(page.offset).take(page.limit) {
            let rows = by_depth.entry(one.depth.to_string()).or_insert_with(|| json!([]));
            if let Value::Array(rows) = rows {
                rows.push(affected_out(graph, one));
            }
        }
        answer.insert("by_depth".to_owned(), Value::Object(by_depth));
        answer.insert("offset".to_owned(), Value::from(page.offset));
        answer.insert("limit".to_owned(), Value::from(page.limit));
        let shown = total.saturating_sub(page.offset).min(page.limit);
        if page.offset + shown < total {
            answer.insert("next_offset".to_owned(), Value::from(page.offset + shown));
        }
    }
    answer.insert("by_depth_counts".to_owned(), Value::Object(counts));
    answer.insert("total_affected".to_owned(), Value::from(total));
    answer.insert("test_files".to_owned(), json!(impact.test_files(graph)));
    answer.insert("complete".to_owned(), Value::Bool(!impact.truncated));
    answer.insert("truncated".to_owned(), Value::Bool(impact.truncated));
    if impact.truncated || !impact.boundaries.is_empty() {
        answer.insert("lower_bound".to_owned(), Value::Bool(true));
    }
    if !impact.boundaries.is_empty() {
        let rows: Vec<Value> = impact
            .boundaries
            .iter()
            .take(BOUNDARIES)
            .map(|one| {
                json!({
                    "symbol": graph.id(one.symbol),
                    "from": graph.id(one.owner),
                    "file_path": graph.file_of(one.owner).path,
                    "line": one.line,
                    "reason": one.reason.as_str(),
                })
            })
            .collect();
        answer.insert("boundaries".to_owned(), Value::Array(rows));
        answer.insert("boundaries_total".to_owned(), Value::from(impact.boundaries.len()));
    }
}

fn affected_out(graph: &Graph, one: &Affected) -> Value {
    let line = graph.def(one.node).map_or(1, |def| def.start_line);
    let mut row = json!({
        "id": graph.id(one.node),
        "name": graph.name(one.node),
        "kind": graph.kind(one.node).node_kind(),
        "file_path": graph.file_of(one.node).path,
        "start_line": line,
        "depth": one.depth,
        "via": graph.id(one.via),
        "relation": one.kind.as_str(),
        "line": one.line,
    });
    if graph.is_test(one.node) {
        row["is_test"] = Value::Bool(true);
    }
    row
}
