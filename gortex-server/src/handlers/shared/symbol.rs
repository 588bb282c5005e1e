//! Symbol and file arguments: from a caller's text to a node, or to the answer that helps.
//!
//! Several fitting symbols and none at all are ordinary, non-error answers that carry the candidates; a question about one
//! name is never answered for another.

use gortex_core::{CallError, Code, Recoverable};
use gortex_engine::graph::{FileEntry, Graph, NodeId};
use gortex_engine::query::external;
use gortex_engine::query::symbol::{Resolved, resolve};
use serde_json::{Value, json};

/// Candidates shown for an ambiguous name.
const CANDIDATES: usize = 10;

/// The node a symbol argument means. `tool` is named in the answer when it is not exactly one.
pub(crate) fn node_of(graph: &Graph, tool: &str, text: &str) -> Result<NodeId, CallError> {
    match external::resolve(graph, text) {
        Some(Ok(_)) => return Err(outside(tool, text)),
        Some(Err(near)) => {
            return Err(no_such_external(text, &near.into_iter().map(str::to_owned).collect::<Vec<_>>()));
        }
        None => {}
    }
    match resolve(graph, text) {
        Resolved::One(node) => Ok(node),
        Resolved::Many(nodes) => Err(ambiguous(graph, tool, text, &nodes)),
        Resolved::None(nearest) => Err(not_found(graph, text, &nearest)),
    }
}

/// A candidate row.
pub(crate) fn candidate(graph: &Graph, node: NodeId) -> Value {
    json!({
        "id": graph.id(node),
        "name": graph.name(node),
        "kind": graph.kind(node).node_kind(),
        "file_path": graph.file_of(node).path,
    })
}

fn ambiguous(graph: &Graph, tool: &str, text: &str, nodes: &[NodeId]) -> CallError {
    let candidates: Vec<Value> = nodes.iter().take(CANDIDATES).map(|node| candidate(graph, *node)).collect();
    Recoverable::new("ambiguous_symbol", format!("`{text}` names {} symbols; say which", nodes.len()))
        .with("ambiguous", true)
        .with("tool", tool)
        .with("name", text)
        .with("candidates", candidates)
        .with("hint", "call again with one of the ids")
        .data("total", nodes.len())
        .into()
}

/// The answer for a name from outside where only symbols of the tracked roots have one.
fn outside(tool: &str, text: &str) -> CallError {
    let message = format!("`{text}` lies outside of the tracked roots; only its mentions are known");
    Recoverable::new("external_symbol", message)
        .with("external", true)
        .with("tool", tool)
        .with("name", text)
        .suggest("find_usages")
        .suggest("get_callers")
        .suggest("get_dependents")
        .suggest("find_implementations")
        .into()
}

/// The answer for an id of a name from outside that nothing mentions.
pub(crate) fn no_such_external(text: &str, near: &[String]) -> CallError {
    let shown: String = text.chars().take(120).collect();
    Recoverable::new("symbol_not_found", format!("nothing in the tracked roots mentions `{shown}`"))
        .suggest("search_symbols")
        .suggest("search_text")
        .data("id", text)
        .data("did_you_mean", near.to_vec())
        .into()
}

fn not_found(graph: &Graph, text: &str, nearest: &[NodeId]) -> CallError {
    // Ids only: a row with a name would look like an answer about another symbol.
    let near: Vec<String> = nearest.iter().map(|node| graph.id(*node)).collect();
    let shown: String = text.chars().take(120).collect();
    Recoverable::new("symbol_not_found", format!("no symbol is called `{shown}`"))
        .suggest("search_symbols")
        .suggest("find_usages")
        .suggest("search_text")
        .data("id", text)
        .data("did_you_mean", near)
        .into()
}

/// The error form of a missing symbol, for operations that must not go on without it.
pub(crate) fn missing_symbol(graph: &Graph, text: &str) -> CallError {
    let nearest = gortex_engine::query::symbol::nearest(graph, text);
    let ids: Vec<String> = nearest.iter().map(|node| graph.id(*node)).collect();
    CallError::new(Code::SymbolNotFound, format!("no symbol is called `{text}`")).data("symbol", text).data("did_you_mean", ids)
}

/// The indexed file a path argument means.
pub(crate) fn file_of<'g>(graph: &'g Graph, path: &str) -> Result<&'g FileEntry, CallError> {
    let path = path.trim_start_matches("./");
    graph.file(path).ok_or_else(|| {
        Recoverable::new("file_not_indexed", format!("`{path}` is not part of the index"))
            .suggest("find_files")
            .suggest("search_text")
            .suggest("read_file")
            .data("path", path)
            .data("indexed", false)
            .into()
    })
}
