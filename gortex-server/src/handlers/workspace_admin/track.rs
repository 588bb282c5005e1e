//! Tracking a repository.

use std::path::{Path, PathBuf};

use gortex_engine::engine::{RepoInfo, View};

use super::outcome::{accepted, counts, failed, within};
use crate::config::{Config, RepoEntry};
use crate::handlers::shared::prelude::*;
use crate::session::{Caller, ProgressSink};
use crate::tracking;

/// Arguments of `workspace_admin.track`.
#[derive(Deserialize, JsonSchema, FacadeArgs)]
struct TrackRepository {
    /// Absolute path of the repository's folder.
    path: String,
    /// Prefix of its paths when several repositories are tracked; derived from the folder's name when left out.
    name: Option<String>,
    /// Allow the root of a disk or the home folder; only from the command line.
    #[serde(default)]
    force: bool,
}

#[derive(Serialize)]
struct Tracked {
    status: &'static str,
    path: String,
    prefix: String,
    file_count: usize,
    node_count: u32,
    edge_count: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<String>,
}

/// What tracking came to.
enum Outcome {
    Tracked(Tracked),
    Already(String),
}

/// Tracks a repository: indexes it now and remembers it.
#[facade(domain = "workspace_admin", op = "track", effect = "control_write")]
async fn track_repository(
    control: ControlWriter,
    caller: Caller,
    progress: ProgressSink,
    args: Args<TrackRepository>,
) -> Answer<Reply> {
    let args = args.into_inner();
    let root = checked(&control, caller, &args)?;
    let shown = root.display().to_string();
    let work = control.blocking(move |control| track(control, caller, &root, args.name.as_deref(), &progress));
    match within(work).await? {
        Some(Outcome::Tracked(tracked)) => Reply::new(&tracked),
        Some(Outcome::Already(text)) => Ok(Reply::text(text)),
        None => Ok(accepted(&shown)),
    }
}

/// The folder that may be tracked, canonical.
fn checked(control: &ControlWriter, caller: Caller, args: &TrackRepository) -> Result<PathBuf, CallError> {
    let path = args.path.trim();
    let wrong = |why: &str| Err(CallError::invalid(format!("`{path}` {why}")).data("field", "path").data("path", path));
    if args.force && caller == Caller::Agent {
        return Err(CallError::invalid("`force` widens what the server may touch; only `gortex` on the command line may use it")
            .data("field", "force"));
    }
    if let Some(name) = args.name.as_deref().filter(|name| !tracking::is_name(name)) {
        return Err(CallError::invalid(format!("`{name}` can't be a prefix of paths"))
            .data("field", "name")
            .data("received", name));
    }
    if !Path::new(path).is_absolute() {
        return wrong("is not an absolute path");
    }
    let Ok(root) = Path::new(path).canonicalize() else { return wrong("does not exist") };
    if !root.is_dir() {
        return wrong("is not a folder");
    }
    if !args.force && !tracking::may_be_tracked(&root, control.server().home()) {
        return wrong("is the root of a disk or the home folder, which is not tracked as a whole");
    }
    Ok(root)
}

fn track(
    control: &ControlWriter,
    caller: Caller,
    root: &Path,
    name: Option<&str>,
    progress: &ProgressSink,
) -> Result<Outcome, CallError> {
    let _one = control.exclusive();
    let view = control.server().engine().view();
    if let Some(around) = view.repos.iter().find(|repo| root != repo.root && root.starts_with(&repo.root)) {
        return Ok(Outcome::Already(format!("repository already tracked: it is part of `{}`", around.name)));
    }
    if let Some(inside) = view.repos.iter().find(|repo| root != repo.root && repo.root.starts_with(root)) {
        return Err(CallError::invalid(format!(
            "`{}` contains the tracked repository `{}`; untrack that first",
            root.display(),
            inside.name
        ))
        .data("field", "path")
        .data("tracked", inside.root.display().to_string()));
    }
    let known = view.repos.iter().find(|repo| repo.root == root).cloned();
    let ready = known.is_some() && view.complete;
    // A repository that was remembered keeps its prefix, and a new one gets a prefix that none of them has.
    let remembered = Config::load(&control.server().config_dir).map(|config| tracking::remembered(&config)).unwrap_or_default();
    let before = remembered.iter().find(|repo| repo.root == root);
    if before.is_some() && known.is_none() && caller == Caller::Operator {
        return Ok(Outcome::Already("repository already tracked".to_owned()));
    }
    let repo = known.unwrap_or_else(|| {
        let others = remembered.iter().filter(|repo| repo.root != root);
        let taken: Vec<RepoInfo> = view.repos.iter().chain(others).cloned().collect();
        let wanted = before.map(|repo| repo.name.as_str()).or(name);
        let name = wanted.map_or_else(|| tracking::unique_name(root, &taken), |name| tracking::unique(name, &taken));
        RepoInfo { name, root: root.to_owned() }
    });
    let entry = RepoEntry { path: root.to_owned(), name: Some(repo.name.clone()) };
    let warning = remember(control, &entry);
    if ready {
        return Ok(Outcome::Already("repository already tracked".to_owned()));
    }
    let mut repos = view.repos.clone();
    if !repos.contains(&repo) {
        repos.push(repo.clone());
        repos.sort_by(|a, b| a.name.cmp(&b.name));
    }
    let after = control.set_repos(&repos, progress).map_err(failed)?;
    Ok(Outcome::Tracked(described(&after, repo, warning)))
}

/// Writes the repository down; a failure costs the memory of it, not the tracking.
fn remember(control: &ControlWriter, entry: &RepoEntry) -> Option<String> {
    let dir = &control.server().config_dir;
    let known = Config::load(dir).is_ok_and(|config| config.repos.iter().any(|known| known.path == entry.path));
    if known {
        return None;
    }
    Config::remember(dir, entry)
        .err()
        .map(|error| format!("it is tracked until the server ends, but could not be remembered: {error}"))
}

fn described(view: &View, repo: RepoInfo, warning: Option<String>) -> Tracked {
    let number = view.repos.iter().position(|known| known.root == repo.root);
    let counted = number.map(|number| counts(view, number));
    Tracked {
        status: "tracked",
        path: repo.root.display().to_string(),
        prefix: repo.name,
        file_count: counted.as_ref().map_or(0, |counted| counted.files),
        node_count: counted.as_ref().map_or(0, |counted| counted.nodes),
        edge_count: counted.as_ref().map_or(0, |counted| counted.edges),
        warning,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::config::{Config, RepoEntry};
    use crate::testing::{Fixture, lay};

    fn track(path: &str) -> Value {
        json!({"operation": "track", "arguments": {"path": path}})
    }

    #[test]
    fn a_second_repository_gets_a_prefix_and_is_remembered() {
        let fixture = Fixture::new("//- a.py\nx = 1\n");
        let other = fixture.root.parent().expect("a folder").join("x/repo");
        lay(&other, "//- é.py\ndef f():\n    pass\n");
        let answer = fixture.json("workspace_admin", track(&other.display().to_string()));
        assert_eq!((answer["status"].as_str(), answer["prefix"].as_str()), (Some("tracked"), Some("repo-2")));
        assert_eq!((answer["file_count"].as_u64(), answer["node_count"].as_u64()), (Some(1), Some(2)));
        let repos = fixture.json("workspace", json!({"operation": "repos"}));
        assert_eq!(repos["repos"], json!(["repo", "repo-2"]));
        let config = Config::load(&fixture.server.config_dir).expect("reads");
        assert_eq!(config.repos.iter().map(|repo| repo.path.as_path()).collect::<Vec<_>>(), [other.as_path()]);
        let files: Vec<String> = fixture.server.engine().view().graph.files.iter().map(|file| file.path.clone()).collect();
        assert_eq!(files, ["repo-2/é.py", "repo/a.py"]);
    }

    #[test]
    fn a_remembered_prefix_is_not_given_twice() {
        let fixture = Fixture::new("//- a.py\nx = 1\n");
        let top = fixture.root.parent().expect("a folder").to_owned();
        let (first, second) = (top.join("x/heck"), top.join("y/heck"));
        lay(&first, "//- a.py\nx = 1\n");
        lay(&second, "//- a.py\nx = 1\n");
        // Remembered by an earlier process, and not served by this one.
        let entry = RepoEntry { path: first.clone(), name: Some("heck".to_owned()) };
        Config::remember(&fixture.server.config_dir, &entry).expect("writes");
        let answer = fixture.json("workspace_admin", track(&second.display().to_string()));
        assert_eq!(answer["prefix"], "heck-2");
        // An agent's session gets it served under its prefix; a person is told that there is nothing to do.
        let arguments = json!({"path": first.display().to_string()});
        assert_eq!(fixture.operator("workspace_admin", "track", arguments).text(), "repository already tracked");
        assert_eq!(fixture.json("workspace_admin", track(&first.display().to_string()))["prefix"], "heck");
    }

    #[test]
    fn tracking_twice_is_said() {
        let fixture = Fixture::new("//- src/a.py\nx = 1\n");
        let root = fixture.root.display().to_string();
        let generation = fixture.server.engine().view().graph.generation;
        assert_eq!(fixture.call("workspace_admin", track(&root)).text(), "repository already tracked");
        let inside = fixture.call("workspace_admin", track(&format!("{root}/src"))).text();
        assert!(inside.contains("part of `repo`"), "{inside}");
        assert_eq!(fixture.server.engine().view().graph.generation, generation);
        // Asked for by name, it is remembered even though it was served already.
        assert_eq!(Config::load(&fixture.server.config_dir).expect("reads").repos.len(), 1);
    }

    #[test]
    fn what_is_no_folder_is_refused_with_its_name() {
        let fixture = Fixture::new("//- a.py\nx = 1\n");
        let root = fixture.root.display().to_string();
        for path in ["/", "src", "/no/é", &format!("{root}/a.py"), ""] {
            let error = fixture.error("workspace_admin", track(path));
            assert_eq!(
                error["data"]["field"].as_str().map(|field| field.trim_start_matches("arguments.")),
                Some("path"),
                "{error}"
            );
        }
        let parent = fixture.root.parent().expect("a folder").display().to_string();
        assert!(
            fixture.error("workspace_admin", track(&parent))["message"].as_str().is_some_and(|said| said.contains("untrack"))
        );
        let forced = json!({"operation": "track", "arguments": {"path": "/", "force": true}});
        assert_eq!(fixture.error("workspace_admin", forced)["data"]["field"], "force");
    }
}
