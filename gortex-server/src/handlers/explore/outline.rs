//! `explore.outline`: a repository for someone new to it.

use gortex_engine::query::outline::outline;

use crate::handlers::shared::prelude::*;

/// Arguments of `explore.outline`.
#[derive(Debug, Deserialize, JsonSchema, FacadeArgs)]
pub(crate) struct GetRepoOutline {
    #[serde(flatten)]
    scope: ScopeArgs,
}

/// Orients someone new to a repository: languages, entry points, hot spots, central files.
#[facade(domain = "explore", op = "outline", effect = "read")]
async fn get_repo_outline(graph: Graph, args: Args<GetRepoOutline>) -> Answer<Value> {
    let args = args.into_inner();
    graph.blocking(move |graph| answer(graph, &args)).await
}

fn answer(graph: &Graph, args: &GetRepoOutline) -> Answer<Value> {
    let repo = args.scope.repo_number(graph)?;
    let found = outline(graph, repo);
    let languages: Vec<Value> =
        found.languages.iter().take(5).map(|(name, defs, files)| json!({"name": name, "nodes": defs, "files": files})).collect();
    let hotspots: Vec<Value> = found
        .hotspots
        .iter()
        .map(|spot| {
            json!({
                "id": graph.id(spot.node),
                "name": graph.name(spot.node),
                "kind": graph.kind(spot.node).node_kind(),
                "file_path": graph.file_of(spot.node).path,
                "fan_in": spot.fan_in,
                "fan_out": spot.fan_out,
                "complexity_score": spot.score,
            })
        })
        .collect();
    let imported: Vec<Value> =
        found.imported.iter().map(|(at, count)| json!({"path": graph.files[*at].path, "import_count": count})).collect();
    let entries: Vec<Value> = found
        .entries
        .iter()
        .map(|node| json!({"id": graph.id(*node), "name": graph.name(*node), "file_path": graph.file_of(*node).path}))
        .collect();
    let mut body = json!({
        "summary": {
            "total_nodes": found.nodes,
            "total_edges": found.edges,
            "primary_language": found.languages.first().map(|(name, ..)| *name),
            "languages": languages,
        },
        "communities": {"count": 0, "note": "communities are not analysed in this build"},
        "hotspots": hotspots,
        "most_imported_files": imported,
        "entry_points": entries,
    });
    if found.entry_total > found.entries.len() {
        body["entry_points_total"] = json!(found.entry_total);
    }
    Ok(body)
}

#[cfg(test)]
mod tests {
    use crate::testing::Fixture;
    use serde_json::json;

    #[test]
    fn a_small_tree() {
        let fixture = Fixture::new("//- main.go\npackage main\n\nfunc main() { leaf() }\n\nfunc leaf() {}\n");
        let answer = fixture.json("explore", json!({"operation": "outline"}));
        assert_eq!(answer["summary"]["primary_language"], "go");
        assert_eq!(answer["entry_points"][0]["id"], "main.go::main");
        assert_eq!(answer["communities"]["count"], 0);
        fixture.error("explore", json!({"operation": "outline", "options": {"repo": "nothing"}}));
    }
}
