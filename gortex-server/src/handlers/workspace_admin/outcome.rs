//! What the operations of this domain share: which repository a text means, and what a run found.

use std::path::Path;
use std::time::{Duration, Instant};

use gortex_engine::engine::{IndexError, View};
use gortex_engine::graph::{FileEntry, FileStatus};
use gortex_engine::lang::Lang;

use crate::handlers::shared::prelude::*;

/// A call that would outlast this answers that the work goes on.
pub(super) const ANSWER_WITHIN: Duration = Duration::from_secs(54);
/// Rows of a list of files.
const ROWS: usize = 200;

/// A file that has no facts, or not all, although its language is known.
#[derive(Debug, Serialize)]
pub(super) struct Failed {
    path: String,
    reason: String,
}

/// What a run found.
#[derive(Debug, Serialize)]
pub(super) struct Outcome {
    pub file_count: usize,
    pub node_count: u32,
    pub edge_count: usize,
    pub stale_file_count: usize,
    pub duration_ms: u64,
    pub parsed: usize,
    pub reused: usize,
    pub removed: usize,
    pub skipped: usize,
    pub generation: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failed_files: Vec<Failed>,
    pub failed_total: usize,
}

impl Outcome {
    /// Describes `view` after a run that started at `start` on the view `before`.
    pub fn of(before: &View, view: &View, start: Instant) -> Outcome {
        let report = &view.report;
        // A run that found nothing new publishes nothing, and the report is that of the run before.
        let ran = view.graph.generation != before.graph.generation;
        let failed = failed_files(view);
        Outcome {
            file_count: view.graph.files.len(),
            node_count: view.graph.node_count(),
            edge_count: view.graph.edges().len(),
            stale_file_count: 0,
            duration_ms: start.elapsed().as_millis() as u64,
            parsed: if ran { report.parsed } else { 0 },
            reused: if ran { report.reused } else { view.graph.files.len() },
            removed: if ran { report.removed } else { 0 },
            skipped: report.skipped.len(),
            generation: view.graph.generation,
            failed_total: failed.len(),
            failed_files: failed.into_iter().take(ROWS).collect(),
        }
    }

    /// The same for one of several repositories.
    pub fn only(self, before: &View, view: &View, repo: usize) -> Outcome {
        if view.repos.len() < 2 {
            return self;
        }
        let counted = counts(view, repo);
        let mine = |view: &View, path: &str| view.graph.file(path).is_some_and(|file| usize::from(file.repo) == repo);
        let files = view.graph.files.iter().filter(|file| usize::from(file.repo) == repo);
        let parsed = files.filter(|file| before.graph.file(&file.path).is_none_or(|old| old.hash != file.hash)).count();
        let gone = before.graph.files.iter().filter(|file| usize::from(file.repo) == repo);
        let failed: Vec<Failed> = failed_files(view).into_iter().filter(|failed| mine(view, &failed.path)).collect();
        let prefix = format!("{}/", view.repos[repo].name);
        Outcome {
            file_count: counted.files,
            node_count: counted.nodes,
            edge_count: counted.edges,
            parsed,
            reused: counted.files - parsed,
            removed: gone.filter(|file| view.graph.file(&file.path).is_none()).count(),
            skipped: view.report.skipped.iter().filter(|(path, _)| path.starts_with(&prefix)).count(),
            failed_total: failed.len(),
            failed_files: failed.into_iter().take(ROWS).collect(),
            ..self
        }
    }
}

/// How much of a view is one repository's.
pub(super) struct Counts {
    pub files: usize,
    pub nodes: u32,
    pub edges: usize,
}

/// Counts files, nodes and edges of one repository.
pub(super) fn counts(view: &View, repo: usize) -> Counts {
    let mine = |file: &FileEntry| usize::from(file.repo) == repo;
    let files = || view.graph.files.iter().filter(|file| mine(file));
    Counts {
        files: files().count(),
        nodes: files().map(|file| 1 + file.facts.view().defs.len() as u32).sum(),
        edges: view.graph.edges().iter().filter(|edge| mine(view.graph.file_of(edge.from))).count(),
    }
}

fn failed_files(view: &View) -> Vec<Failed> {
    let partial = view
        .report
        .partial
        .iter()
        .map(|(path, line, _)| Failed { path: path.clone(), reason: format!("partial, from line {line}") });
    let should = |path: &str, reason: &str| Lang::of_path(path).is_some() || reason == FileStatus::Unreadable.as_str();
    let none = view.report.without_facts.iter().filter(|(path, reason)| should(path, reason));
    let mut failed: Vec<Failed> =
        partial.chain(none.map(|(path, reason)| Failed { path: path.clone(), reason: (*reason).to_owned() })).collect();
    failed.sort_by(|a, b| a.path.cmp(&b.path));
    failed
}

/// The number of the tracked repository that a prefix or an absolute folder means.
pub(super) fn repo_number(view: &View, token: &str) -> Option<usize> {
    let token = token.trim();
    let by_name = view.repos.iter().position(|repo| repo.name == token);
    by_name.or_else(|| {
        let asked = Path::new(token);
        let path = asked.is_absolute().then(|| asked.canonicalize().unwrap_or_else(|_| asked.to_owned()))?;
        view.repos.iter().position(|repo| repo.root == path)
    })
}

/// The answer when a text means no tracked repository.
pub(super) fn not_tracked(view: &View, token: &str) -> CallError {
    let mut names: Vec<&str> = view.repos.iter().map(|repo| repo.name.as_str()).collect();
    names.sort_unstable();
    let track = json!({"operation": "track", "arguments": {"path": token}});
    Recoverable::new("repo_not_tracked", format!("`{token}` is neither the folder nor the prefix of a tracked repository"))
        .suggest("workspace_admin")
        .with("track_command", format!("workspace_admin({track})"))
        .data("path", token)
        .data("tracked", names)
        .into()
}

/// The error of a run that did not end well.
pub(super) fn failed(error: IndexError) -> CallError {
    match error {
        IndexError::Cancelled => CallError::new(Code::Cancelled, "indexing was stopped because the server shuts down"),
        IndexError::Walk(error) => CallError::new(Code::Io, error.to_string()).hint("the index before is still served"),
        IndexError::Died { .. } => CallError::internal(error.to_string()),
    }
}

/// Waits for work within the bound of a call; `None` when it is still running then, and goes on.
pub(super) async fn within<T: Send + 'static>(
    work: impl Future<Output = Result<T, CallError>> + Send + 'static,
) -> Result<Option<T>, CallError> {
    let task = tokio::spawn(work);
    match tokio::time::timeout(ANSWER_WITHIN, task).await {
        Ok(Ok(outcome)) => outcome.map(Some),
        Ok(Err(error)) => Err(match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(error) => CallError::internal(error.to_string()),
        }),
        Err(_) => Ok(None),
    }
}

/// The answer when the work goes on after the call.
pub(super) fn accepted(path: &str) -> Reply {
    Reply::json(json!({
        "status": "accepted",
        "path": path,
        "detail": "indexing goes on in the background; workspace(operation=\"index\") says when it is complete",
    }))
}
