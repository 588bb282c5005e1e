//! `workspace.active_project` and `workspace.project`: what this session is scoped to, and a look into one repository of it.
//!
//! There is one project, the tracked repositories together; each of them can be asked alone by its prefix.

use crate::handlers::search::symbols_in;
use crate::handlers::shared::prelude::*;
use crate::handlers::workspace::workspace_name;

/// Says which repositories this session's questions are asked of.
#[facade(domain = "workspace", op = "active_project", effect = "read")]
async fn get_active_project(host: Host) -> Answer<Reply> {
    let view = host.engine().view();
    let mut repos: Vec<&str> = view.repos.iter().map(|repo| repo.name.as_str()).collect();
    repos.sort_unstable();
    Ok(Reply::json(match workspace_name(&view.repos) {
        Some(name) => json!({"workspace": name, "project": name, "bound": true, "repos": repos}),
        None => json!({"project": "", "bound": false, "repos": repos}),
    }))
}

/// Arguments of `workspace.project`.
#[derive(Debug, Deserialize, JsonSchema, FacadeArgs)]
pub(crate) struct QueryProject {
    /// Prefix of a tracked repository, or the name of them all.
    #[at(arguments)]
    project: String,
    /// Name, words or concept.
    #[at(arguments)]
    query: String,
    /// Rows; 20 when not given.
    #[at(arguments)]
    limit: Option<usize>,
}

/// Finds symbols in one repository or project, without changing what the session is scoped to.
#[facade(domain = "workspace", op = "project", effect = "read")]
async fn query_project(graph: Graph, args: Args<QueryProject>) -> Answer<Reply> {
    let args = args.into_inner();
    graph.blocking(move |graph| answer(graph, &args)).await
}

fn answer(graph: &Graph, args: &QueryProject) -> Answer<Reply> {
    let wanted = args.project.trim();
    let mut repos: Vec<String> = graph.view().repos.iter().map(|repo| repo.name.clone()).collect();
    repos.sort();
    let whole = workspace_name(&graph.view().repos);
    let one = repos.iter().any(|repo| repo == wanted);
    if !one && whole.as_deref() != Some(wanted) {
        return Err(CallError::new(Code::ProjectUnknown, format!("no tracked repository or project is called `{wanted}`"))
            .data("field", "project")
            .data("received", wanted)
            .data("valid_values", repos)
            .hint("workspace(operation=\"repos\") lists the names"));
    }
    let found = symbols_in(graph, &args.query, one.then_some(wanted))?;
    let mut rows = found.get("results").and_then(Value::as_array).cloned().unwrap_or_default();
    let total = found.get("total").and_then(Value::as_u64).unwrap_or(rows.len() as u64);
    rows.truncate(args.limit.filter(|limit| *limit > 0).unwrap_or(20));
    Ok(Reply::json(json!({
        "project": wanted,
        "repos": if one { vec![wanted.to_owned()] } else { repos },
        "query": args.query,
        "total": total,
        "truncated": (rows.len() as u64) < total,
        "results": rows,
    })))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testing::Fixture;

    #[test]
    fn the_tracked_repositories_are_the_project() {
        let fixture = Fixture::new("//- a.py\ndef größe():\n    pass\n");
        let active = fixture.json("workspace", json!({"operation": "active_project"}));
        assert_eq!(active, json!({"workspace": "repo", "project": "repo", "bound": true, "repos": ["repo"]}));
        let arguments = json!({"project": "repo", "query": "größe"});
        let found = fixture.json("workspace", json!({"operation": "project", "arguments": arguments}));
        assert_eq!((&found["results"][0]["id"], &found["total"]), (&json!("a.py::größe"), &json!(1)));
        assert_eq!(fixture.json("workspace", json!({"operation": "active_project"})), active);
    }

    #[test]
    fn an_unknown_project_is_refused_and_not_empty() {
        let fixture = Fixture::new("");
        let arguments = json!({"project": "é", "query": "x"});
        let error = fixture.error("workspace", json!({"operation": "project", "arguments": arguments}));
        assert_eq!((&error["error_code"], &error["data"]["valid_values"]), (&json!("project_unknown"), &json!(["repo"])));
    }
}
