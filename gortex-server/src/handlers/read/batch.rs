//! `read.symbols`: several symbols at once.

use std::collections::BTreeSet;

use gortex_engine::graph::{Graph as CodeGraph, Node, NodeId};
use gortex_engine::query::symbol::{Resolved, resolve};
use serde_json::Map;

use super::source::CONTEXT;
use super::text::{Reshape, load, object, reshape, sealed};
use crate::handlers::shared::prelude::*;
use crate::handlers::shared::symbol::candidate;

/// Symbols of one call.
const MAX_IDS: usize = 100;
/// Callers and callees shown of one symbol, each.
const SAMPLE: (usize, usize) = (5, 4);

/// Arguments of `read.symbols`.
#[derive(Debug, Deserialize, JsonSchema, FacadeArgs)]
pub(crate) struct BatchSymbols {
    /// Ids or unique names.
    #[at(target = "symbols", target = "symbol")]
    ids: Vec<String>,
    /// Also return the source of each.
    #[at(options)]
    #[serde(default)]
    include_source: bool,
    /// Lines above and below each; 3 when not given.
    #[at(context)]
    context_lines: Option<u32>,
    /// ETag of an answer already held.
    #[at(options)]
    if_none_match: Option<String>,
}

/// Returns several symbols with their places, signatures, sources and a sample of callers and callees.
#[facade(domain = "read", op = "symbols", effect = "read")]
async fn batch_symbols(graph: Graph, args: Args<BatchSymbols>) -> Answer<Reply> {
    let args = args.into_inner();
    graph.blocking(move |graph| answer(graph, &args)).await
}

fn answer(graph: &Graph, args: &BatchSymbols) -> Answer<Reply> {
    let ids: Vec<&str> = args.ids.iter().map(|id| id.trim()).filter(|id| !id.is_empty()).collect();
    if ids.is_empty() {
        return Err(CallError::invalid("`ids` names no symbol").data("field", "target.symbols"));
    }
    if ids.len() > MAX_IDS {
        return Err(CallError::new(
            Code::LimitExceeded,
            format!("{} ids; at most {MAX_IDS} are answered in one call", ids.len()),
        )
        .data("field", "target.symbols"));
    }
    let rows: Vec<Value> = ids.iter().map(|id| row(graph, id, args)).collect();
    let body = object(json!({"symbols": rows, "total": ids.len()}));
    let body = sealed(body, args.if_none_match.as_deref(), Map::new());
    Ok(Reply::json(body).rows("symbols").generation(graph.generation))
}

fn row(graph: &Graph, id: &str, args: &BatchSymbols) -> Value {
    let node = match resolve(&graph.view().graph, id) {
        Resolved::One(node) => node,
        Resolved::None(_) => return json!({"id": id, "error": "symbol not found"}),
        Resolved::Many(nodes) => {
            let rows: Vec<Value> = nodes.iter().take(5).map(|node| candidate(&graph.view().graph, *node)).collect();
            return json!({"id": id, "error": "ambiguous name", "candidates": rows, "total": nodes.len()});
        }
    };
    let view = &graph.view().graph;
    let Node::Def(entry, def) = view.node(node) else {
        return json!({"id": id, "error": "is a file; read it with target.file"});
    };
    let mut row = object(json!({
        "id": view.id(node),
        "kind": def.kind().node_kind(),
        "name": view.name(node),
        "file_path": entry.path,
        "start_line": def.start_line,
        "end_line": def.end_line,
    }));
    let signature = entry.facts.view().str(def.signature);
    if !signature.is_empty() {
        row.insert("signature".into(), json!(signature));
    }
    if def.kind().is_callable() {
        neighbours(view, node, &mut row);
    }
    if args.include_source {
        match source(graph, node, args.context_lines.unwrap_or(CONTEXT)) {
            Ok((source, first, lines)) => {
                row.insert("source".into(), json!(source));
                row.insert("from_line".into(), json!(first));
                row.insert("start_line".into(), json!(lines.0));
                row.insert("end_line".into(), json!(lines.1));
            }
            Err(error) => {
                row.insert("source_error".into(), json!(error.to_string()));
            }
        }
    }
    Value::Object(row)
}

/// The text around a symbol as it is on disk now, its first line, and where the symbol stands in it.
fn source(graph: &Graph, node: NodeId, context: u32) -> Result<(String, u32, (u32, u32)), CallError> {
    let id = graph.id(node);
    let file = load(graph, &graph.file_of(node).path.clone())?;
    let now = if file.view.graph.generation == graph.generation { Some(node) } else { file.view.graph.by_id(&id) };
    let Some(def) = now.and_then(|node| file.view.graph.def(node)) else {
        return Err(CallError::new(Code::SymbolNotFound, format!("`{id}` is no longer in its file")));
    };
    let first = def.start_line.saturating_sub(context).max(1);
    let how = Reshape { window: Some(first..=def.end_line.saturating_add(context)), ..Reshape::default() };
    Ok((reshape(&file, &how).text, first, (def.start_line, def.end_line)))
}

fn neighbours(view: &CodeGraph, node: NodeId, row: &mut Map<String, Value>) {
    let callers: BTreeSet<NodeId> =
        view.incoming(node).filter(|edge| edge.kind().is_call() && edge.from != node).map(|edge| edge.from).collect();
    let callees: BTreeSet<NodeId> =
        view.out(node).iter().filter(|edge| edge.kind().is_call() && edge.to != node).map(|edge| edge.to).collect();
    for (key, cut, nodes, most) in
        [("callers", "callers_truncated", callers, SAMPLE.0), ("callees", "callees_truncated", callees, SAMPLE.1)]
    {
        if nodes.is_empty() {
            continue;
        }
        let ids: Vec<String> = nodes.iter().take(most).map(|node| view.id(*node)).collect();
        row.insert(key.into(), json!(ids));
        if nodes.len() > most {
            row.insert(cut.into(), json!(true));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::Fixture;
    use serde_json::json;

    #[test]
    fn rows_follow_the_request_and_a_miss_is_a_row() {
        let fixture = Fixture::new("//- a.py\ndef leaf():\n    return 1\n\ndef root():\n    return leaf()\n");
        let answer = fixture.json("read", json!({"target": {"symbols": ["root", "nothing", "a.py::leaf"]}}));
        let rows = answer["symbols"].as_array().expect("rows");
        assert_eq!(rows[0]["callees"], json!(["a.py::leaf"]));
        assert_eq!(rows[0]["source"], "def leaf():\n    return 1\n\ndef root():\n    return leaf()\n");
        assert_eq!(rows[1], json!({"id": "nothing", "error": "symbol not found"}));
        assert_eq!(rows[2]["callers"], json!(["a.py::root"]));
        assert_eq!(answer["total"], 3);
        let short = fixture.json("read", json!({"target": {"symbols": "root,leaf"}, "options": {"include_source": false}}));
        assert!(short["symbols"][0].get("source").is_none());
        fixture.error("read", json!({"operation": "symbols", "target": {"symbols": [" "]}}));
    }
}
