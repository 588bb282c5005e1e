//! `search.files`: files by name.

use gortex_engine::search::files::{DEFAULT_LIMIT, FileError, FileQuery, MAX_LIMIT, find};

use crate::handlers::shared::args::path_filter;
use crate::handlers::shared::prelude::*;

/// Arguments of `search.files`.
#[derive(Debug, Deserialize, JsonSchema, FacadeArgs)]
pub(crate) struct FindFiles {
    /// Fragment of the file name or path, in any case.
    #[at(top, target = "query")]
    #[serde(default)]
    query: String,
    /// Glob: `*` within a segment, `**` across, `dir/*` for all below; without a slash it matches names.
    #[at(options)]
    #[serde(default)]
    glob: String,
    /// Also accept the letters of the query in order with others between.
    #[at(options)]
    #[serde(default)]
    fuzzy: bool,
    /// Folders or files to narrow to, separated by commas.
    #[at(options)]
    path: Option<String>,
    /// Rows; 50 when not given, 500 at most.
    #[at(options)]
    limit: Option<usize>,
    #[serde(flatten)]
    scope: ScopeArgs,
}

/// Finds files by a fragment of their name, a glob, or both.
#[facade(domain = "search", op = "files", effect = "read")]
async fn find_files(graph: Graph, args: Args<FindFiles>) -> Answer<Reply> {
    let args = args.into_inner();
    graph.blocking(move |graph| answer(graph, &args)).await
}

fn answer(graph: &Graph, args: &FindFiles) -> Answer<Reply> {
    let repo = args.scope.repo_number(graph)?;
    let files: Vec<_> = graph.files.iter().filter(|file| repo.is_none_or(|repo| file.repo == repo)).collect();
    let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    let asked = args.limit.filter(|limit| *limit > 0).unwrap_or(DEFAULT_LIMIT);
    let query = FileQuery {
        query: &args.query,
        glob: &args.glob,
        fuzzy: args.fuzzy,
        paths: path_filter(args.path.as_deref()),
        limit: asked,
    };
    let found = find(&paths, &query).map_err(|error| {
        let field = if matches!(error, FileError::Nothing) { "query" } else { "options.glob" };
        CallError::invalid(error.to_string()).data("field", field)
    })?;
    let several = graph.repos.len() > 1;
    let rows: Vec<Value> = found
        .hits
        .iter()
        .map(|hit| {
            let file = files[hit.index];
            let mut row = json!({"path": file.path, "id": file.path});
            if several {
                row["repo"] = json!(graph.repos[usize::from(file.repo)]);
            }
            if let Some(lang) = file.lang {
                row["language"] = json!(lang.language().name);
            }
            row
        })
        .collect();
    let mut body = json!({
        "query": args.query,
        "glob": args.glob,
        "files": rows,
        "count": rows.len(),
        "total": found.total,
        "truncated": rows.len() < found.total,
    });
    if asked > MAX_LIMIT {
        body["_limit_requested"] = json!(asked);
        body["_limit_applied"] = json!(MAX_LIMIT);
    }
    if rows.is_empty()
        && let Some(repo) = repo
    {
        body["scope_note"] =
            json!(format!("no such file in repository `{}`; leave `repo` out to search all", graph.repos[usize::from(repo)]));
    }
    Ok(Reply::json(body).rows("files").generation(graph.generation))
}

#[cfg(test)]
mod tests {
    use crate::testing::Fixture;
    use serde_json::{Value, json};

    fn paths(answer: &Value) -> Vec<&str> {
        answer["files"].as_array().expect("rows").iter().filter_map(|row| row["path"].as_str()).collect()
    }

    #[test]
    fn case_10_paths_come_back_as_written() {
        let fixture =
            Fixture::new("//- src/データ/größe.py\nclass Ruta:\n    pass\n//- src/with space/a\"b.py\nclass Tab:\n    pass\n");
        assert_eq!(paths(&fixture.json("search", json!({"operation": "files", "query": "größe"}))), ["src/データ/größe.py"]);
    }

    #[test]
    fn case_11_a_glob_alone_lists_what_is_not_ignored() {
        let fixture = Fixture::new("//- .gitignore\n*.log\n!keep/*.log\n//- a.log\n//- keep/b.log\n//- main.py\n");
        std::fs::create_dir(fixture.root.join(".git")).expect("made");
        let found = fixture.json("search", json!({"operation": "files", "query": "", "options": {"glob": "**"}}));
        assert!(paths(&found).contains(&"main.py"), "{found}");
    }

    #[test]
    fn nothing_to_look_for_is_an_error_and_nothing_found_is_none() {
        let fixture = Fixture::new("//- a.py\n//- b.py\n");
        fixture.error("search", json!({"operation": "files", "query": ""}));
        let none = fixture.json("search", json!({"operation": "files", "query": "nothing"}));
        assert_eq!((&none["count"], &none["truncated"]), (&json!(0), &json!(false)));
        let cut = fixture.json("search", json!({"operation": "files", "query": ".py", "options": {"limit": 1}}));
        assert_eq!((&cut["total"], &cut["truncated"]), (&json!(2), &json!(true)));
    }
}
