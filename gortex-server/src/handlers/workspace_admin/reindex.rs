//! Taking in what changed.

use std::path::Path;
use std::time::Instant;

use gortex_engine::engine::View;
use gortex_engine::index::build::Reuse;
use gortex_engine::search::PathFilter;

use super::outcome::{Outcome, accepted, failed, not_tracked, repo_number, within};
use crate::handlers::shared::prelude::*;
use crate::session::ProgressSink;

/// Rows of the list of changed files.
const ROWS: usize = 200;

/// Arguments of `workspace_admin.reindex`.
#[derive(Deserialize, JsonSchema, FacadeArgs)]
struct ReindexRepository {
    /// Absolute path or prefix of a tracked repository; may be left out when only one is tracked.
    path: Option<String>,
    /// Files and folders to report on, absolute or relative to the repository; all when empty.
    #[serde(default)]
    paths: Vec<String>,
}

#[derive(Serialize)]
struct Reindexed {
    scope: &'static str,
    #[serde(flatten)]
    outcome: Outcome,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reindexed_paths: Vec<String>,
    changed_files: Vec<String>,
    changed_total: usize,
}

/// Takes in the files that changed on disk, and forgets those that are gone.
#[facade(domain = "workspace_admin", op = "reindex", effect = "control_write")]
async fn reindex_repository(control: ControlWriter, progress: ProgressSink, args: Args<ReindexRepository>) -> Answer<Reply> {
    let ReindexRepository { path, paths } = args.into_inner();
    let asked = path.clone().unwrap_or_default();
    let work = control.blocking(move |control| {
        let _one = control.exclusive();
        let before = control.server().engine().view();
        let repo = choose(&before, path.as_deref())?;
        let paths = normal(&before, repo, &paths)?;
        let start = Instant::now();
        let after = control.index(Reuse::Unchanged, &progress).map_err(failed)?;
        let changed = changed_files(&before, &after, repo, &paths);
        Ok(Reindexed {
            scope: if paths.is_empty() { "repository" } else { "paths" },
            outcome: Outcome::of(&before, &after, start).only(&before, &after, repo),
            reindexed_paths: paths,
            changed_total: changed.len(),
            changed_files: changed.into_iter().take(ROWS).collect(),
        })
    });
    match within(work).await? {
        Some(outcome) => Reply::new(&outcome),
        None => Ok(accepted(&asked)),
    }
}

fn choose(view: &View, path: Option<&str>) -> Result<usize, CallError> {
    match (path.filter(|path| !path.trim().is_empty()), view.repos.len()) {
        (Some(token), _) => repo_number(view, token).ok_or_else(|| not_tracked(view, token)),
        (None, 1) => Ok(0),
        (None, 0) => Err(not_tracked(view, "")),
        (None, _) => {
            let names: Vec<&str> = view.repos.iter().map(|repo| repo.name.as_str()).collect();
            Err(CallError::invalid("several repositories are tracked; say which")
                .data("field", "path")
                .data("valid_values", names))
        }
    }
}

/// Paths as answers give them; blank ones are dropped, one outside the repository is refused.
fn normal(view: &View, repo: usize, paths: &[String]) -> Result<Vec<String>, CallError> {
    let root = &view.repos[repo].root;
    let mut out = Vec::new();
    for path in paths.iter().map(|path| path.trim()).filter(|path| !path.is_empty()) {
        let asked = Path::new(path);
        let rel = if asked.is_absolute() { asked.strip_prefix(root).ok() } else { Some(asked) };
        let rel = rel.map(|rel| rel.to_string_lossy().replace('\\', "/"));
        let rel = rel.map(|rel| rel.trim_start_matches("./").trim_end_matches('/').to_owned());
        match rel {
            Some(rel) if !rel.split('/').any(|part| part == "..") => out.push(view.shown(repo, &rel)),
            _ => {
                return Err(CallError::new(Code::PathEscape, format!("`{path}` is not inside `{}`", root.display()))
                    .data("field", "paths")
                    .data("path", path));
            }
        }
    }
    out.sort();
    out.dedup();
    Ok(out)
}

/// Files of the repository that are new, gone or different, within `paths`.
fn changed_files(before: &View, after: &View, repo: usize, paths: &[String]) -> Vec<String> {
    let filter = PathFilter::of(paths.iter().map(String::as_str));
    let mine = |file: &&gortex_engine::graph::FileEntry| usize::from(file.repo) == repo && filter.admits(&file.path);
    let new = after
        .graph
        .files
        .iter()
        .filter(mine)
        .filter(|file| before.graph.file(&file.path).is_none_or(|old| old.hash != file.hash));
    let gone = before.graph.files.iter().filter(mine).filter(|file| after.graph.file(&file.path).is_none());
    let mut changed: Vec<String> = new.chain(gone).map(|file| file.path.clone()).collect();
    changed.sort();
    changed
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::testing::Fixture;

    fn reindex(fixture: &Fixture, arguments: Value) -> Value {
        fixture.json("workspace_admin", json!({"operation": "reindex", "arguments": arguments}))
    }

    #[test]
    fn only_what_changed_is_parsed() {
        let fixture = Fixture::new("//- a.py\nx = 1\n//- src/b.py\nx = 1\n//- src/gone.py\nx = 1\n");
        assert_eq!(reindex(&fixture, json!({}))["changed_files"], json!([]));
        std::fs::write(fixture.root.join("a.py"), "def é():\r\n    pass").expect("a file");
        std::fs::remove_file(fixture.root.join("src/gone.py")).expect("removed");
        let answer = reindex(&fixture, json!({"path": "repo", "paths": ["", "src/"]}));
        assert_eq!((answer["scope"].as_str(), &answer["changed_files"]), (Some("paths"), &json!(["src/gone.py"])));
        assert_eq!((answer["parsed"].as_u64(), answer["removed"].as_u64()), (Some(1), Some(1)));
        assert_eq!(answer["reindexed_paths"], json!(["src"]));
    }

    #[test]
    fn one_of_several_repositories_is_counted_alone() {
        let fixture = Fixture::new("//- a.py\nx = 1\n//- b.py\nx = 1\n");
        let other = fixture.root.parent().expect("a folder").join("other");
        crate::testing::lay(&other, "//- é.py\ndef f():\n    pass\n");
        fixture.json("workspace_admin", json!({"operation": "track", "arguments": {"path": other.display().to_string()}}));
        std::fs::write(fixture.root.join("a.py"), "x = 2\n").expect("a file");
        let answer = reindex(&fixture, json!({"path": "other"}));
        assert_eq!((&answer["file_count"], &answer["node_count"], &answer["parsed"]), (&json!(1), &json!(2), &json!(0)));
        std::fs::write(fixture.root.join("a.py"), "x = 3\n").expect("a file");
        let answer = reindex(&fixture, json!({"path": "repo"}));
        assert_eq!((&answer["file_count"], &answer["parsed"], &answer["reused"]), (&json!(2), &json!(1), &json!(1)));
    }

    #[test]
    fn blank_paths_mean_the_repository() {
        let fixture = Fixture::new("//- a.py\nx = 1\n");
        assert_eq!(reindex(&fixture, json!({"paths": [" "]}))["scope"], "repository");
    }

    #[test]
    fn a_path_outside_is_refused() {
        let fixture = Fixture::new("//- a.py\nx = 1\n");
        for path in ["/etc/passwd", "../x"] {
            let error = fixture.error("workspace_admin", json!({"operation": "reindex", "arguments": {"paths": [path]}}));
            assert_eq!(error["error_code"], "path_escape");
        }
    }
}
