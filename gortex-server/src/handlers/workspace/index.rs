//! Whether the index can be trusted: what failed, what was left out, what is missing.
//!
//! Files that should have facts and do not, or not all of them, are failures and are named with the reason. Text without a
//! grammar, pictures and the like are no failures.

use std::collections::BTreeMap;

use gortex_engine::engine::View;
use gortex_engine::graph::FileStatus;
use gortex_engine::lang::Lang;

use crate::handlers::shared::prelude::*;
use crate::state::Readiness;

/// Below this score an index should be built again.
const LOW: f64 = 80.0;
/// Rows of a list of paths.
const ROWS: usize = 200;

/// Arguments of `workspace.index`.
#[derive(Deserialize, JsonSchema, FacadeArgs)]
struct IndexHealth {
    /// Answer one line of text.
    #[serde(default)]
    compact: bool,
}

/// A path with the reason why it is where it is.
#[derive(Serialize)]
struct Reasoned {
    path: String,
    reason: &'static str,
}

#[derive(Serialize)]
struct Health {
    health_score: f64,
    readiness: &'static str,
    complete: bool,
    total_detected: usize,
    successfully_indexed: usize,
    text_only: usize,
    language_coverage: BTreeMap<&'static str, bool>,
    node_count: u32,
    edge_count: usize,
    edges_ok: bool,
    generation: u64,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    parse_failures: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parse_failures_total: Option<usize>,
    /// Files without facts that have no grammar either, by reason.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    without_facts: BTreeMap<&'static str, usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    skipped_links: Vec<Reasoned>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    skipped: BTreeMap<&'static str, usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    excluded: Vec<Reasoned>,
    excluded_total: usize,
    ignored: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<String>,
    tracked_repo_paths_ok: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    missing_repo_paths: Vec<String>,
    repos_hold_files_ok: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    empty_repos: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    recommendation: Option<String>,
}

/// Says whether the index can be trusted: which files failed and why, what was skipped, and whether roots are missing.
#[facade(domain = "workspace", op = "index", effect = "read")]
async fn index_health(host: Host, args: Args<IndexHealth>) -> Answer<Reply> {
    let readiness = host.readiness();
    let health = host
        .blocking(move |server| {
            // A look at the disk belongs to the question; while the first index is built there is nothing to compare with.
            let ready = readiness == Readiness::Ready;
            let view = if ready { server.engine().fresh(false) } else { server.engine().view() };
            health_of(&view, &readiness)
        })
        .await?;
    if args.compact {
        let advised = health.recommendation.as_ref().map_or_else(String::new, |advice| format!(", advised: {advice}"));
        let failures = health.parse_failures_total.unwrap_or(health.parse_failures.len());
        return Ok(Reply::text(format!(
            "health {}%, {} nodes, 0 stale, {failures} failures{advised}",
            health.health_score, health.node_count
        )));
    }
    Reply::new(&health)
}

fn health_of(view: &View, readiness: &Readiness) -> Health {
    let graph = &view.graph;
    let report = &view.report;
    let failures = failures(view);
    let mut coverage = BTreeMap::new();
    let mut indexed = 0;
    let mut text_only = 0;
    for file in &graph.files {
        match (file.status, file.lang) {
            (FileStatus::Indexed, Some(lang)) => {
                indexed += 1;
                coverage.insert(lang.language().name, true);
            }
            (FileStatus::Partial, Some(lang)) => {
                coverage.entry(lang.language().name).or_insert(true);
            }
            (FileStatus::Text, _) => text_only += 1,
            _ => {}
        }
    }
    let should = indexed + failures.len();
    let missing: Vec<String> =
        view.repos.iter().filter(|repo| !repo.root.is_dir()).map(|repo| repo.root.display().to_string()).collect();
    let holds = |number: usize| graph.files.iter().any(|file| usize::from(file.repo) == number);
    let empty: Vec<String> = view
        .repos
        .iter()
        .enumerate()
        .filter(|(number, _)| view.complete && !holds(*number))
        .map(|(_, repo)| repo.name.clone())
        .collect();
    let health_score = if should == 0 { 100.0 } else { (1000.0 * indexed as f64 / should as f64).round() / 10.0 };
    let edges_ok = indexed < 2 || graph.node_count() as usize <= graph.files.len() + 1 || !graph.edges().is_empty();
    let mut health = Health {
        health_score: if view.complete { health_score } else { 0.0 },
        readiness: readiness.as_str(),
        complete: view.complete,
        total_detected: report.detected,
        successfully_indexed: indexed,
        text_only,
        language_coverage: coverage,
        node_count: graph.node_count(),
        edge_count: graph.edges().len(),
        edges_ok,
        generation: graph.generation,
        parse_failures_total: (failures.len() > ROWS).then_some(failures.len()),
        parse_failures: failures.into_iter().take(ROWS).collect(),
        without_facts: counted(
            report.without_facts.iter().filter(|(path, reason)| !is_failure(path, reason)).map(|(_, reason)| *reason),
        ),
        skipped_links: reasoned(report.skipped.iter().filter(|(_, reason)| is_link(reason))),
        skipped: counted(report.skipped.iter().map(|(_, reason)| *reason)),
        excluded: reasoned(&report.excluded),
        excluded_total: report.excluded.len(),
        ignored: report.ignored,
        problems: report.problems.iter().take(ROWS).cloned().collect(),
        tracked_repo_paths_ok: missing.is_empty(),
        missing_repo_paths: missing,
        repos_hold_files_ok: empty.is_empty(),
        empty_repos: empty,
        recommendation: None,
    };
    health.recommendation = recommend(&health, readiness);
    health
}

/// Files that should have facts and have none, or not all: path and reason.
fn failures(view: &View) -> BTreeMap<String, String> {
    let report = &view.report;
    let partial = report.partial.iter().map(|(path, line, places)| {
        let noun = if *places == 1 { "place" } else { "places" };
        (path.clone(), format!("partial: {places} {noun} not understood, the first at line {line}"))
    });
    let none = report.without_facts.iter().filter(|(path, reason)| is_failure(path, reason));
    partial.chain(none.map(|(path, reason)| (path.clone(), (*reason).to_owned()))).collect()
}

fn is_failure(path: &str, reason: &str) -> bool {
    Lang::of_path(path).is_some() || reason == FileStatus::Unreadable.as_str()
}

fn is_link(reason: &str) -> bool {
    matches!(reason, "symlink" | "dangling" | "outside")
}

fn counted<'r>(reasons: impl Iterator<Item = &'r str>) -> BTreeMap<&'r str, usize> {
    reasons.fold(BTreeMap::new(), |mut counts, reason| {
        *counts.entry(reason).or_default() += 1;
        counts
    })
}

fn reasoned<'r>(rows: impl IntoIterator<Item = &'r (String, &'static str)>) -> Vec<Reasoned> {
    rows.into_iter().take(ROWS).map(|(path, reason)| Reasoned { path: path.clone(), reason }).collect()
}

fn recommend(health: &Health, readiness: &Readiness) -> Option<String> {
    if let Some(path) = health.missing_repo_paths.first() {
        return Some(format!(
            "a tracked folder is gone; if it will not come back, call \
             workspace_admin(operation=\"untrack\", arguments={{\"path\": \"{path}\"}})"
        ));
    }
    match readiness {
        Readiness::Indexing => return Some("the first index is still being built; the numbers are not final".to_owned()),
        Readiness::Inactive { reason } | Readiness::Failed { reason } => return Some(reason.clone()),
        Readiness::Ready => {}
    }
    if !health.edges_ok {
        return Some("files were indexed but no relation was found between them: edge extraction failed, index again".to_owned());
    }
    (health.health_score < LOW).then(|| "many files have no facts, or not all; `parse_failures` says why. Exclude what is no source in .gortexignore, mend the rest, then index again".to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::testing::Fixture;

    fn health(fixture: &Fixture) -> Value {
        fixture.json("workspace", json!({"operation": "index"}))
    }

    #[test]
    fn a_sound_tree_is_healthy() {
        let fixture =
            Fixture::new("//- a.py\nfrom b import g\n\ndef f():\n    g()\n//- b.py\ndef g():\n    pass\n//- é.txt\ntext\n");
        let health = health(&fixture);
        assert_eq!((health["health_score"].as_f64(), health["successfully_indexed"].as_u64()), (Some(100.0), Some(2)));
        assert!(health.get("parse_failures").is_none() && health.get("recommendation").is_none(), "{health}");
        assert_eq!(health["tracked_repo_paths_ok"], true);
    }

    // A bundle was left out of the index and nothing said so.
    #[test]
    fn case_09_a_minified_bundle_is_named() {
        let fixture = Fixture::laid(|root| {
            let body: Vec<String> = (0..9000).map(|at| format!("function f{at}(){{return f{}()}}", (at + 1) % 9000)).collect();
            let body = body.concat();
            std::fs::create_dir(root.join("public")).expect("a folder");
            std::fs::write(root.join("public/app.bundle.js"), format!("!function(){{{body}}}();\n")).expect("a file");
            std::fs::write(root.join("login.js"), "export function handleLogin(user) {\n  return user.id;\n}\n").expect("a file");
        });
        let health = health(&fixture);
        assert_eq!(health["parse_failures"], json!({"public/app.bundle.js": "minified"}));
    }

    #[test]
    fn case_30_bad_files_are_named_with_a_reason() {
        let fixture = Fixture::laid(|root| {
            std::fs::write(root.join("fine.py"), "def fine():\n    return 1\n").expect("a file");
            std::fs::write(root.join("zero.py"), vec![0; 3000]).expect("a file");
            std::fs::write(root.join("bad.py"), "def a(:\n").expect("a file");
            std::fs::write(root.join("picture.png"), [0x89, b'P', 0, 0]).expect("a file");
            std::fs::write(root.join("empty.py"), "").expect("a file");
        });
        let health = health(&fixture);
        let failures = health["parse_failures"].as_object().expect("a map");
        assert_eq!(failures.keys().collect::<Vec<_>>(), ["bad.py", "zero.py"]);
        assert_eq!(failures["zero.py"], "binary");
        assert!(failures["bad.py"].as_str().is_some_and(|why| why.contains("first at line 1")), "{health}");
        assert_eq!(health["without_facts"], json!({"binary": 1}));
        assert_eq!(health["health_score"], 50.0);
        assert!(health["recommendation"].is_string());
        let line = fixture.call("workspace", json!({"operation": "index", "arguments": {"compact": true}})).text();
        assert!(line.contains("50%") && line.contains("2 failures"), "{line}");
    }

    #[cfg(unix)]
    #[test]
    fn case_12_skipped_links_are_listed() {
        let fixture = Fixture::laid(|root| {
            std::fs::write(root.join("main.py"), "def main():\n    pass\n").expect("a file");
            for (target, link) in [(".", "self"), ("/", "rootlink"), ("gone", "dangling")] {
                std::os::unix::fs::symlink(target, root.join(link)).expect("a link");
            }
        });
        let health = health(&fixture);
        let links: Vec<&str> =
            health["skipped_links"].as_array().expect("rows").iter().filter_map(|row| row["path"].as_str()).collect();
        assert_eq!(links, ["dangling", "rootlink", "self"]);
        assert_eq!(health["successfully_indexed"], 1);
    }

    #[test]
    fn a_vanished_root_is_said() {
        let fixture = Fixture::new("//- a.py\nx = 1\n");
        std::fs::remove_dir_all(&fixture.root).expect("removed");
        let health = health(&fixture);
        assert_eq!(health["tracked_repo_paths_ok"], false);
        assert!(health["recommendation"].as_str().is_some_and(|advice| advice.contains("untrack")), "{health}");
    }
}
