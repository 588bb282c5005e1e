//! `get_symbol`: metadata of one symbol, kept for callers of the fine-grained tools.

use super::editing_context::Detail;
use crate::handlers::shared::prelude::*;

/// Edges shown each way.
const EDGES: usize = 100;

/// Arguments of `get_symbol`.
#[derive(Debug, Deserialize, JsonSchema, FacadeArgs)]
pub(crate) struct GetSymbol {
    /// An id, or a name that is unique in the current view.
    #[at(target = "symbol")]
    id: String,
    /// How much is said; full adds direct edges.
    #[at(options)]
    #[serde(default)]
    detail: Detail,
    #[serde(flatten)]
    scope: ScopeArgs,
}

/// Returns the metadata of one symbol without its body.
#[facade(domain = "read", op = "symbol_metadata_compat", effect = "read", hidden)]
async fn get_symbol(graph: Graph, args: Args<GetSymbol>) -> Answer<Value> {
    args.scope.repo_number(&graph)?;
    let node = node_of(&graph, "get_symbol", &args.id)?;
    if !args.scope.admits(&graph, node) {
        return Err(Recoverable::new("symbol_not_found", format!("no symbol is called `{}`", args.id))
            .suggest("search_symbols")
            .data("id", &args.id)
            .into());
    }
    if args.detail == Detail::Brief {
        let mut row = json!(brief(&graph, node));
        let absolute = graph.view().absolute(&graph.file_of(node).path);
        row["absolute_file_path"] = json!(absolute.map(|path| path.display().to_string()));
        return Ok(row);
    }
    let code: &gortex_engine::graph::Graph = &graph;
    let (out, into) = (code.out(node), code.incoming(node).collect::<Vec<_>>());
    let outgoing: Vec<EdgeOut> = out.iter().take(EDGES).map(|edge| edge_out(&graph, edge)).collect();
    let incoming: Vec<EdgeOut> = into.iter().take(EDGES).map(|edge| edge_out(&graph, edge)).collect();
    Ok(json!({
        "node": node_out(&graph, node),
        "out_edges": outgoing,
        "in_edges": incoming,
        "total_out_edges": out.len(),
        "total_in_edges": into.len(),
        "truncated": out.len() > EDGES || into.len() > EDGES,
    }))
}

#[cfg(test)]
mod tests {
    use crate::testing::Fixture;
    use serde_json::{Value, json};

    #[test]
    fn brief_and_full() {
        let fixture = Fixture::new("//- a.py\ndef leaf():\n    return 1\n\ndef root():\n    return leaf()\n");
        let read =
            |arguments: Value| -> Value { serde_json::from_str(&fixture.legacy("get_symbol", arguments).text()).expect("JSON") };
        assert!(read(json!({"id": "leaf"}))["absolute_file_path"].as_str().expect("a path").ends_with("/a.py"));
        assert_eq!(read(json!({"id": "leaf", "detail": "full"}))["in_edges"][0]["from"], "a.py::root");
        assert_eq!(read(json!({"id": "nothing"}))["condition"], "symbol_not_found");
    }
}
