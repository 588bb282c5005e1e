//! `read.summary`: what a file defines, without its text.

use gortex_engine::graph::NodeId;
use serde_json::Map;

use super::text::{load, object, sealed};
use crate::handlers::shared::prelude::*;

/// Relations shown; the total is told.
const EDGES: usize = 60;

/// Arguments of `read.summary`.
#[derive(Debug, Deserialize, JsonSchema, FacadeArgs)]
pub(crate) struct GetFileSummary {
    /// Path of the file.
    #[at(target = "file")]
    path: String,
    /// ETag of an answer already held.
    #[at(options)]
    if_none_match: Option<String>,
    #[serde(flatten)]
    scope: ScopeArgs,
}

/// Lists what a file defines and how its definitions relate, without the text.
#[facade(domain = "read", op = "summary", effect = "read")]
async fn get_file_summary(graph: Graph, args: Args<GetFileSummary>) -> Answer<Reply> {
    let args = args.into_inner();
    graph.blocking(move |graph| answer(graph, &args)).await
}

fn answer(graph: &Graph, args: &GetFileSummary) -> Answer<Reply> {
    let repo = args.scope.repo_number(graph)?;
    // The disk is asked first: the path may be a link or absolute, and the file may have changed since it was indexed.
    let file = match load(graph, &args.path) {
        Ok(file) => file,
        Err(error) if error.code() == Some(Code::PathEscape) => return Err(error),
        Err(_) => {
            return Err(file_of(graph, &args.path)
                .err()
                .unwrap_or_else(|| CallError::new(Code::FileNotFound, "the file is gone")));
        }
    };
    let view = &file.view.graph;
    let entry = match file_of(view, &file.path) {
        Ok(entry) if !entry.facts.view().defs.is_empty() && repo.is_none_or(|repo| entry.repo == repo) => entry,
        Ok(entry) => return Err(without_symbols(&file.path, entry.status.as_str(), repo.is_some_and(|repo| entry.repo != repo))),
        Err(error) => return Err(error),
    };
    let nodes: Vec<NodeId> = (entry.base + 1..=entry.base + entry.facts.view().defs.len() as u32).collect();
    let inside = |node: NodeId| node > entry.base && node <= entry.base + nodes.len() as u32;
    let all: Vec<_> = nodes.iter().flat_map(|node| view.out(*node)).filter(|edge| inside(edge.to)).collect();
    let rows: Vec<NodeOut> = nodes.iter().map(|node| node_out(view, *node)).collect();
    let edges: Vec<EdgeOut> = all.iter().take(EDGES).map(|edge| edge_out(view, edge)).collect();
    let mut body = object(json!({
        "path": file.path,
        "nodes": rows,
        "edges": edges,
        "total_nodes": nodes.len(),
        "total_edges": all.len(),
        "truncated": all.len() > EDGES,
    }));
    if let Some(dependents) = file.dependents() {
        body.insert("dependents".into(), dependents);
    }
    let generation = view.generation;
    Ok(Reply::json(sealed(body, args.if_none_match.as_deref(), Map::new())).rows("nodes").generation(generation))
}

/// The guidance for a listed file that defines nothing, or lies outside the scope.
pub(super) fn without_symbols(path: &str, status: &str, out_of_scope: bool) -> CallError {
    let mut found = Recoverable::new("file_not_indexed", format!("`{path}` has no symbols in the index"));
    found = match (out_of_scope, status) {
        (true, _) => found.suggest("set_active_project").suggest("read_file"),
        (false, "indexed" | "partial") => found.suggest("search_text").suggest("read_file"),
        (false, _) => found.suggest("read_file"),
    };
    let parsed = matches!(status, "indexed" | "partial");
    found
        .data("path", path)
        .data("status", status)
        .data("indexed", parsed)
        .data("unindexable", !parsed)
        .data("out_of_scope", out_of_scope)
        .into()
}

#[cfg(test)]
mod tests {
    use crate::testing::Fixture;
    use serde_json::json;

    #[test]
    fn case_24_members_of_an_anonymous_class() {
        let fixture = Fixture::new(
            "//- src/main/java/demo/Jobs.java\npackage demo;\n\ninterface Hook {\n    void fire();\n}\n\nclass Jobs {\n    Hook make() {\n        return new Hook() {\n            public void fire() {\n                tick();\n            }\n        };\n    }\n\n    void fire() {\n    }\n\n    void tick() {\n    }\n}\n",
        );
        let answer = fixture.json("read", json!({"operation": "summary", "target": {"file": "src/main/java/demo/Jobs.java"}}));
        let fires: Vec<_> = answer["nodes"].as_array().expect("rows").iter().filter(|row| row["name"] == "fire").collect();
        let lines: Vec<_> = fires.iter().filter_map(|row| row["start_line"].as_u64()).collect();
        assert_eq!(lines, [4, 10, 16]);
        let ids: std::collections::BTreeSet<_> = fires.iter().map(|row| row["id"].to_string()).collect();
        assert_eq!(ids.len(), 3);
    }

    #[test]
    fn files_without_symbols_lead_on() {
        let fixture = Fixture::new("//- notes.txt\n# a\n//- a.py\nx = 1\n");
        let prose = fixture.json("read", json!({"operation": "summary", "target": {"file": "notes.txt"}}));
        assert_eq!(prose["condition"], "file_not_indexed");
        assert_eq!(prose["suggested_tools"], json!(["read_file"]));
        let gone = fixture.json("read", json!({"operation": "summary", "target": {"file": "gone.py"}}));
        assert_eq!(gone["condition"], "file_not_indexed");
        fixture.error("read", json!({"operation": "summary", "target": {"file": "../x.py"}}));
    }
}
