//! The tracked repositories.

use gortex_engine::engine::RepoInfo;

use crate::handlers::shared::prelude::*;

/// What the repositories are called together: the one, or the folder that holds them all.
pub(crate) fn workspace_name(repos: &[RepoInfo]) -> Option<String> {
    let (first, rest) = repos.split_first()?;
    if rest.is_empty() {
        return Some(first.name.clone());
    }
    let shared = first.root.ancestors().find(|at| rest.iter().all(|repo| repo.root.starts_with(at)));
    let name = shared.and_then(|at| at.file_name()).map(|name| name.to_string_lossy().into_owned());
    Some(name.unwrap_or_else(|| first.name.clone()))
}

#[derive(Serialize)]
struct Repos {
    mode: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    workspace: Option<String>,
    repos: Vec<String>,
    total: usize,
}

/// Lists the tracked repositories: the legal values of every `repo` argument.
#[facade(domain = "workspace", op = "repos", effect = "read")]
async fn list_repos(host: Host) -> Answer<Reply> {
    let view = host.engine().view();
    let mut repos: Vec<String> = view.repos.iter().map(|repo| repo.name.clone()).collect();
    repos.sort();
    let workspace = workspace_name(&view.repos);
    let mode = if workspace.is_some() { "workspace" } else { "unbound" };
    Ok(Reply::new(&Repos { mode, workspace, total: repos.len(), repos })?.rows("repos"))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use gortex_engine::engine::RepoInfo;
    use serde_json::json;

    use super::workspace_name;
    use crate::testing::Fixture;

    #[test]
    fn repos_are_the_values_of_repo_arguments() {
        let answer = Fixture::new("//- a.py\nx = 1\n").json("workspace", json!({"operation": "repos"}));
        assert_eq!(answer, json!({"mode": "workspace", "workspace": "repo", "repos": ["repo"], "total": 1}));
    }

    #[test]
    fn several_repositories_are_named_by_their_folder() {
        let repo = |name: &str, root: &str| RepoInfo { name: name.to_owned(), root: PathBuf::from(root) };
        assert_eq!(workspace_name(&[]), None);
        assert_eq!(workspace_name(&[repo("a", "/w/é/a"), repo("b", "/w/é/x/b")]).as_deref(), Some("é"));
        assert_eq!(workspace_name(&[repo("a", "/a"), repo("b", "/b")]).as_deref(), Some("a"));
    }
}
