//! Forgetting a repository.

use super::outcome::{failed, not_tracked, repo_number};
use crate::config::Config;
use crate::handlers::shared::prelude::*;
use crate::session::ProgressSink;

/// Arguments of `workspace_admin.untrack`.
#[derive(Deserialize, JsonSchema, FacadeArgs)]
struct UntrackRepository {
    /// Absolute path or prefix of a tracked repository.
    path: String,
}

#[derive(Serialize)]
struct Untracked {
    status: &'static str,
    path: String,
    prefix: String,
    removed_nodes: u64,
    removed_edges: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<String>,
}

/// Stops tracking a repository and forgets what was indexed of it; its files stay as they are.
#[facade(domain = "workspace_admin", op = "untrack", effect = "control_write")]
async fn untrack_repository(control: ControlWriter, progress: ProgressSink, args: Args<UntrackRepository>) -> Answer<Reply> {
    let token = args.into_inner().path;
    let untracked = control.blocking(move |control| untrack(control, &token, &progress)).await?;
    Reply::new(&untracked)
}

fn untrack(control: &ControlWriter, token: &str, progress: &ProgressSink) -> Result<Untracked, CallError> {
    let _one = control.exclusive();
    let before = control.server().engine().view();
    let number = repo_number(&before, token).ok_or_else(|| not_tracked(&before, token))?;
    let mut repos = before.repos.clone();
    let repo = repos.remove(number);
    let mine = before.graph.files.iter().filter(|file| usize::from(file.repo) == number);
    let removed_nodes = mine.map(|file| 1 + file.facts.view().defs.len() as u64).sum();
    if repos.is_empty() {
        control.server().engine().forget_snapshot();
    }
    let after = control.set_repos(&repos, progress).map_err(failed)?;
    let forgotten = Config::forget(&control.server().config_dir, &repo.root);
    Ok(Untracked {
        status: "untracked",
        path: repo.root.display().to_string(),
        prefix: repo.name,
        removed_nodes,
        removed_edges: before.graph.edges().len().saturating_sub(after.graph.edges().len()),
        warning: forgotten.err().map(|error| format!("it will be tracked again with the next start: {error}")),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::state::Readiness;
    use crate::testing::Fixture;

    #[test]
    fn the_last_repository_leaves_the_server_inactive() {
        let fixture = Fixture::new("//- a.py\ndef f():\n    f()\n");
        let root = fixture.root.display().to_string();
        let answer = fixture.json("workspace_admin", json!({"operation": "untrack", "arguments": {"path": "repo"}}));
        assert_eq!((answer["status"].as_str(), answer["path"].as_str()), (Some("untracked"), Some(root.as_str())));
        assert_eq!((answer["removed_nodes"].as_u64(), answer["removed_edges"].as_u64()), (Some(2), Some(1)));
        assert!(matches!(fixture.server.readiness(), Readiness::Inactive { .. }));
        let stats = fixture.json("workspace", json!({"operation": "graph"}));
        assert_eq!(stats["condition"], "repo_not_tracked");
        let again = fixture.json("workspace_admin", json!({"operation": "track", "arguments": {"path": root}}));
        assert_eq!(again["node_count"], 2);
    }

    #[test]
    fn an_unknown_one_is_not_taken_as_a_relative_path() {
        let fixture = Fixture::new("//- é/a.py\nx = 1\n");
        for token in ["é", "", "..", "/"] {
            let answer = fixture.json("workspace_admin", json!({"operation": "untrack", "arguments": {"path": token}}));
            assert_eq!(answer["condition"], "repo_not_tracked", "{answer}");
        }
        assert_eq!(fixture.server.readiness(), Readiness::Ready);
    }
}
