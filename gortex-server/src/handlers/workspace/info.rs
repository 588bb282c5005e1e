//! Who the server is and what it serves.

use gortex_core::{Registry, State};
use gortex_engine::engine::RepoInfo;

use crate::config::Config;
use crate::handlers::shared::prelude::*;
use crate::handlers::workspace::repos::workspace_name;
use crate::tracking;

/// One repository of the workspace.
#[derive(Serialize)]
struct Member {
    name: String,
    path: String,
}

/// Operations of the baseline that this build does not have.
#[derive(Serialize)]
struct Pending {
    count: usize,
    operations: Vec<String>,
}

/// What was left out of the index, in numbers.
#[derive(Serialize)]
struct LeftOut {
    partial: usize,
    without_facts: usize,
    skipped: usize,
    excluded: usize,
    ignored: u64,
}

#[derive(Serialize)]
struct Info {
    mode: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    workspace: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<String>,
    members: Vec<Member>,
    /// Known to the user's settings, but not served here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    remembered: Vec<Member>,
    #[serde(skip_serializing_if = "Option::is_none")]
    isolation_bounds: Option<String>,
    version: &'static str,
    surface_version: &'static str,
    readiness: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    generation: u64,
    files: usize,
    left_out: LeftOut,
    pending: Pending,
}

/// Says which repositories the server serves, how far the index is, and which operations this build does not have.
#[facade(domain = "workspace", op = "info", effect = "read")]
async fn workspace_info(host: Host, registry: State<Registry>) -> Answer<Reply> {
    let view = host.engine().view();
    let readiness = host.readiness();
    let name = workspace_name(&view.repos);
    let member = |repo: &RepoInfo| Member { name: repo.name.clone(), path: repo.root.display().to_string() };
    let known = host.blocking(|server| tracking::remembered(&Config::load(&server.config_dir).unwrap_or_default())).await?;
    let remembered = known.iter().filter(|known| !view.repos.iter().any(|repo| repo.root == known.root)).map(member);
    let mut operations: Vec<String> = registry.pending().iter().map(|row| format!("{}.{}", row.facade, row.operation)).collect();
    operations.sort();
    let report = &view.report;
    Reply::new(&Info {
        mode: if name.is_some() { "workspace" } else { "unbound" },
        workspace: name.clone(),
        project: name.clone(),
        members: view.repos.iter().map(member).collect(),
        remembered: remembered.collect(),
        isolation_bounds: name,
        version: env!("CARGO_PKG_VERSION"),
        surface_version: registry.surface().version,
        readiness: readiness.as_str(),
        reason: readiness.reason().map(str::to_owned),
        generation: view.graph.generation,
        files: view.graph.files.len(),
        left_out: LeftOut {
            partial: report.partial.len(),
            without_facts: report.without_facts.len(),
            skipped: report.skipped.len(),
            excluded: report.excluded.len(),
            ignored: report.ignored,
        },
        pending: Pending { count: operations.len(), operations },
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testing::Fixture;

    #[test]
    fn info_names_the_repository_and_what_is_missing() {
        let fixture = Fixture::new("//- a.py\ndef f():\n    pass\n");
        let info = fixture.json("workspace", json!({}));
        assert_eq!(info["mode"], "workspace");
        assert_eq!(info["members"], json!([{"name": "repo", "path": fixture.root.display().to_string()}]));
        assert_eq!((info["readiness"].as_str(), info["files"].as_u64()), (Some("ready"), Some(1)));
        let missing = info["pending"]["operations"].as_array().expect("a list");
        assert_eq!(info["pending"]["count"].as_u64(), Some(missing.len() as u64));
        assert!(!missing.contains(&json!("workspace.info")));
    }

    #[test]
    fn a_repository_argument_is_refused() {
        let fixture = Fixture::new("//- a.py\nx = 1\n");
        for operation in ["info", "repos"] {
            let error = fixture.error("workspace", json!({"operation": operation, "arguments": {"repo": "é"}}));
            assert!(["invalid_argument", "repo_not_allowed"].contains(&error["error_code"].as_str().expect("a code")), "{error}");
        }
    }
}
