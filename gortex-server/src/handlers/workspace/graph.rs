//! Size and composition of the graph.

use std::collections::BTreeMap;

use crate::handlers::shared::prelude::*;

/// What one repository contributes.
#[derive(Default, Serialize)]
struct PerRepo {
    files: u64,
    nodes: u64,
}

#[derive(Serialize)]
struct Stats {
    total_nodes: u64,
    total_edges: u64,
    total_files: usize,
    by_kind: BTreeMap<&'static str, u64>,
    by_language: BTreeMap<&'static str, u64>,
    by_edge_kind: BTreeMap<&'static str, u64>,
    by_tier: BTreeMap<&'static str, u64>,
    unresolved_mentions: u64,
    generation: u64,
    /// A published graph is immutable and its edges are made anew with each generation, so none is ever revised.
    edge_identity_revisions: u64,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    per_repo: BTreeMap<String, PerRepo>,
    #[serde(skip_serializing_if = "Option::is_none")]
    snapshot_bytes: Option<u64>,
}

/// Counts nodes and edges of the graph by kind, language and certainty.
#[facade(domain = "workspace", op = "graph", effect = "read")]
async fn graph_stats(graph: Graph) -> Answer<Reply> {
    graph.blocking(|graph| Reply::new(&stats(graph))).await
}

fn stats(graph: &Graph) -> Stats {
    let mut stats = Stats {
        total_nodes: u64::from(graph.node_count()),
        total_edges: graph.edges().len() as u64,
        total_files: graph.files.len(),
        by_kind: BTreeMap::new(),
        by_language: BTreeMap::new(),
        by_edge_kind: BTreeMap::new(),
        by_tier: BTreeMap::new(),
        unresolved_mentions: 0,
        generation: graph.generation,
        edge_identity_revisions: 0,
        per_repo: BTreeMap::new(),
        snapshot_bytes: graph.engine().snapshot_bytes(),
    };
    for file in &graph.files {
        let view = file.facts.view();
        let nodes = 1 + view.defs.len() as u64;
        *stats.by_kind.entry("file").or_default() += 1;
        *stats.by_language.entry(file.lang.map_or("text", |lang| lang.language().name)).or_default() += nodes;
        for def in view.defs {
            *stats.by_kind.entry(def.kind().node_kind()).or_default() += 1;
        }
        if let Some(name) = graph.repos.get(file.repo as usize).filter(|_| graph.repos.len() > 1) {
            let repo = stats.per_repo.entry(name.clone()).or_default();
            repo.files += 1;
            repo.nodes += nodes;
        }
    }
    for edge in graph.edges() {
        *stats.by_edge_kind.entry(edge.kind().as_str()).or_default() += 1;
        *stats.by_tier.entry(edge.tier().as_str()).or_default() += 1;
    }
    stats.unresolved_mentions = graph.unbound().len() as u64;
    stats
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testing::Fixture;

    #[test]
    fn nodes_are_counted_by_kind_and_language() {
        let fixture = Fixture::new("//- a.py\ndef f():\n    g()\n\ndef g():\n    pass\n//- README.txt\n# é\n");
        let stats = fixture.json("workspace", json!({"operation": "graph"}));
        assert_eq!(stats["by_kind"], json!({"file": 2, "function": 2}));
        assert_eq!(stats["by_language"], json!({"python": 3, "text": 1}));
        assert_eq!((stats["total_nodes"].as_u64(), stats["by_edge_kind"]["calls"].as_u64()), (Some(4), Some(1)));
        assert!(stats.get("per_repo").is_none());
    }

    #[test]
    fn an_empty_repository_is_zeros() {
        let stats = Fixture::new("").json("workspace", json!({"operation": "graph"}));
        assert_eq!((stats["total_nodes"].as_u64(), stats["total_edges"].as_u64()), (Some(0), Some(0)));
    }
}
