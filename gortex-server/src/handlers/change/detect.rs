//! `change.detect`: what git says has changed, as symbols and what they reach.
//!
//! Lines come from the side that the diff ends on. Where that is not the file on disk (a commit), the text is read from git
//! and its symbols are matched by name.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use gortex_engine::engine::{Engine, RepoInfo, View};
use gortex_engine::facts::{Facts, FactsView};
use gortex_engine::graph::NodeId;
use gortex_engine::graph::names::qualified;
use gortex_engine::query::change::{Lines, around_gap, content_hash, facts_of, innermost, old_symbols};
use gortex_engine::query::impact::{ImpactBounds, Risk, dangling};
use gortex_engine::vcs::{FileChange, GitError, Hunk, Repo, Scope, Status};

use super::shape::{self, Page};
use crate::handlers::shared::prelude::*;

/// Names of new files that are listed.
const UNTRACKED: usize = 200;
/// Mentions of removed symbols that are listed.
const BROKEN: usize = 50;
/// Callers of a removed symbol that are listed.
const CALLERS: usize = 20;
const SCOPES: [&str; 4] = ["unstaged", "staged", "all", "compare"];

/// Arguments of `change.detect`.
#[derive(Debug, Deserialize, JsonSchema, FacadeArgs)]
pub(crate) struct DetectChanges {
    /// Which two states are compared: unstaged, staged, all or compare.
    #[at(options, source)]
    scope: Option<String>,
    /// The base of `compare`, a branch, tag or commit; giving it means `compare`.
    #[at(source = "base", options)]
    base_ref: Option<String>,
    /// The repository: its prefix or its folder. Needed when several are tracked.
    #[at(options)]
    repo: Option<String>,
    /// Only the numbers of what is affected.
    #[at(output)]
    #[serde(default)]
    summary_only: bool,
    /// Affected rows to pass over, in the order of their distance.
    #[at(options)]
    #[serde(default)]
    offset: usize,
    /// Affected rows to show.
    #[at(options)]
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
}

/// Maps what git says has changed to symbols and to what they reach.
#[facade(domain = "change", op = "detect", effect = "read")]
async fn detect_changes(graph: Graph, args: Args<DetectChanges>) -> Answer<Value> {
    let args = args.into_inner();
    // The lines of a diff are those of the disk now, so the view must be as well.
    graph.blocking(move |graph| detect(graph.engine(), &graph.engine().fresh(true), &args)).await
}

fn scope_of(args: &DetectChanges) -> Result<Scope, CallError> {
    let base = args.base_ref.clone().filter(|base| !base.is_empty());
    let word = args.scope.as_deref().filter(|word| !word.is_empty());
    match (word, base) {
        (None | Some("compare"), Some(base)) => Ok(Scope::Compare { base }),
        (Some("compare"), None) => Ok(Scope::Compare { base: "main".to_owned() }),
        (None | Some("unstaged"), None) => Ok(Scope::Unstaged),
        (Some("staged"), None) => Ok(Scope::Staged),
        (Some("all"), None) => Ok(Scope::All),
        (Some(word), Some(_)) if SCOPES.contains(&word) => {
            Err(CallError::invalid(format!("`scope` is `{word}`, and a base is given, which only `compare` has"))
                .data("field", "options.scope")
                .data("conflicting_fields", ["options.scope", "source.base"]))
        }
        (Some(word), _) => {
            Err(CallError::invalid(format!("`{word}` is no scope")).data("field", "options.scope").data("valid_values", SCOPES))
        }
    }
}

/// The tracked repository that is meant.
fn chosen(view: &View, wanted: Option<&str>) -> Result<usize, CallError> {
    let names: Vec<&str> = view.repos.iter().map(|repo| repo.name.as_str()).collect();
    match wanted.filter(|wanted| !wanted.is_empty()) {
        Some(wanted) => {
            let folder = PathBuf::from(wanted);
            let folder = folder.canonicalize().unwrap_or(folder);
            view.repos.iter().position(|repo| repo.name == wanted || repo.root == folder).ok_or_else(|| {
                CallError::new(Code::RepoNotTracked, format!("no tracked repository is `{wanted}`"))
                    .data("field", "options.repo")
                    .data("valid_values", names)
            })
        }
        None if view.repos.len() == 1 => Ok(0),
        None => Err(CallError::invalid("several repositories are tracked; say which one is meant")
            .data("field", "options.repo")
            .data("valid_values", names)),
    }
}

pub(super) fn git_error(error: GitError) -> CallError {
    let message = error.to_string();
    match error {
        GitError::NotARepository { .. } => {
            // The path in git's own sentence is absolute; the answer names the repository already.
            CallError::new(Code::NotARepository, "the repository's folder is not in a git work tree")
        }
        GitError::UnknownRef { name } => CallError::new(Code::GitFailed, message).data("field", "source.base").data("ref", name),
        GitError::NoMergeBase { a, b } => CallError::new(Code::GitFailed, message).data("refs", [a, b]),
        GitError::Timeout { .. } => CallError::new(Code::Timeout, message).retriable(true),
        GitError::TooLarge { .. } => CallError::new(Code::LimitExceeded, message),
        _ => CallError::new(Code::GitFailed, message),
    }
}

/// A symbol of the answer: one of the graph, or one that only the old text has.
struct Changed {
    rows: Vec<Value>,
    nodes: BTreeSet<NodeId>,
}

fn detect(engine: &Engine, view: &Arc<View>, args: &DetectChanges) -> Result<Value, CallError> {
    let scope = scope_of(args)?;
    let at = chosen(view, args.repo.as_deref())?;
    let repo = Repo::discover(&view.repos[at].root).map_err(git_error)?;
    let changes: Vec<FileChange> = repo.changes(&scope).map_err(git_error)?;
    let (inside, outside): (Vec<FileChange>, Vec<FileChange>) =
        changes.into_iter().partition(|change| repo.below(&change.path).is_some());
    let sides = Sides::new(&repo, &scope)?;
    let mut changed = Changed { rows: Vec::new(), nodes: BTreeSet::new() };
    let mut files = Vec::new();
    for change in &inside {
        let Some(rel) = repo.below(&change.path) else { continue };
        let path = view.shown(at, rel);
        symbols_of(view, &repo, &sides, change, &path, &mut changed)?;
        files.push(file_row(view, at, &repo, change, &path));
    }
    let untracked = repo.untracked(usize::MAX).map_err(git_error)?;
    let untracked: Vec<String> =
        untracked.paths.iter().filter_map(|path| repo.below(path)).map(|rel| view.shown(at, rel)).collect();
    let seeds: Vec<NodeId> = changed.nodes.iter().copied().collect();
    let found = view.impact(&seeds, ImpactBounds::default());
    let removed: Vec<String> = changed
        .rows
        .iter()
        .filter(|row| row["change"] == "removed")
        .filter_map(|row| row["name"].as_str().map(str::to_owned))
        .collect();
    let dangling = dangling(&view.graph, &removed);
    let least = if dangling.is_empty() { Risk::Low } else { Risk::High };
    let risk = if changed.rows.is_empty() { Risk::None } else { found.risk().max(least) };
    let mut answer = serde_json::Map::new();
    answer.insert("scope".to_owned(), Value::from(scope.as_str()));
    if let Scope::Compare { base } = &scope {
        answer.insert("base_ref".to_owned(), Value::from(base.as_str()));
    }
    answer.insert("repo".to_owned(), Value::from(view.repos[at].name.as_str()));
    answer.insert("repo_root".to_owned(), Value::from(view.repos[at].root.display().to_string()));
    answer.insert("risk".to_owned(), Value::from(risk.as_str()));
    answer.insert("summary".to_owned(), Value::from(summary(files.len(), changed.rows.len(), found.affected.len())));
    answer.insert("changed_files".to_owned(), Value::Array(files.iter().map(|row| row["path"].clone()).collect()));
    answer.insert("file_changes".to_owned(), Value::Array(files));
    answer.insert("changed_symbols_total".to_owned(), Value::from(changed.rows.len()));
    if changed.rows.is_empty() {
        answer.insert("note".to_owned(), Value::from("the diff does not see ignored files, and untracked ones are only listed"));
    }
    answer.insert("changed_symbols".to_owned(), Value::Array(changed.rows));
    let page = Page { summary_only: args.summary_only, offset: args.offset, limit: args.limit.unwrap_or(100).clamp(1, 1000) };
    shape::impact_out(&view.graph, &found, page, &mut answer);
    if !dangling.is_empty() {
        let row = |(owner, line, name): &(NodeId, u32, String)| json!({"name": name, "from": view.graph.id(*owner), "file_path": view.graph.file_of(*owner).path, "line": line});
        answer.insert("broken_mentions_total".to_owned(), Value::from(dangling.len()));
        answer.insert("broken_mentions".to_owned(), Value::Array(dangling.iter().take(BROKEN).map(row).collect()));
    }
    if let (Scope::Compare { .. }, Some(before), false) = (&scope, &sides.before, removed.is_empty()) {
        removed_callers(engine, &view.repos[at], before, view.repos.len() > 1, &mut answer);
    }
    answer.insert("untracked_total".to_owned(), Value::from(untracked.len()));
    answer.insert("untracked_files".to_owned(), json!(untracked.iter().take(UNTRACKED).collect::<Vec<_>>()));
    if !outside.is_empty() {
        answer.insert("outside_tracked_folder".to_owned(), Value::from(outside.len()));
    }
    Ok(Value::Object(answer))
}

fn summary(files: usize, symbols: usize, affected: usize) -> String {
    match (files, symbols) {
        (0, _) => "nothing changed".to_owned(),
        (_, 0) => format!("{files} files changed, none of them in the lines of a symbol"),
        _ => format!("{files} files and {symbols} symbols changed; {affected} other symbols are affected"),
    }
}

fn file_row(view: &View, at: usize, repo: &Repo, change: &FileChange, path: &str) -> Value {
    let mut row = json!({"path": path, "status": change.status.as_str()});
    if let Some(old) = &change.old_path {
        row["old_path"] = Value::from(repo.below(old).map_or_else(|| old.clone(), |rel| view.shown(at, rel)));
    }
    for (key, yes) in [("eol_only", change.eol_only), ("binary", change.binary), ("submodule", change.submodule)] {
        if yes {
            row[key] = Value::Bool(true);
        }
    }
    row
}

/// The commits on the two sides of the diff, where they are commits.
struct Sides {
    before: Option<String>,
    after: Option<String>,
}

impl Sides {
    fn new(repo: &Repo, scope: &Scope) -> Result<Sides, CallError> {
        let head = repo.head().map_err(git_error)?.commit;
        Ok(match scope {
            Scope::Compare { base } => Sides { before: Some(repo.merge_base(base, "HEAD").map_err(git_error)?), after: head },
            // The index has no name here; before it stands the last commit, which is told apart by names only.
            Scope::Unstaged | Scope::Staged | Scope::All => Sides { before: head, after: None },
        })
    }
}

fn symbols_of(
    view: &View,
    repo: &Repo,
    sides: &Sides,
    change: &FileChange,
    path: &str,
    changed: &mut Changed,
) -> Result<(), CallError> {
    if change.eol_only || change.binary || change.submodule {
        return Ok(());
    }
    let old_path = change.old_path.as_deref().unwrap_or(&change.path);
    let before = match (&sides.before, change.status) {
        (Some(rev), Status::Deleted | Status::Modified | Status::Renamed) => {
            repo.blob(rev, old_path).map_err(git_error)?.and_then(|bytes| facts_of(old_path, &bytes))
        }
        _ => None,
    };
    if change.status == Status::Deleted {
        let gone = before.iter().flat_map(|facts| old_symbols(facts, None));
        changed.rows.extend(gone.map(|symbol| removed_row(path, &symbol)));
        return Ok(());
    }
    let entry = view.graph.file(path);
    // The text that the diff ends on: of a commit when it is not what is on disk.
    let committed = match &sides.after {
        Some(rev) => match repo.blob(rev, &change.path).map_err(git_error)? {
            Some(bytes) if entry.is_none_or(|entry| entry.hash != content_hash(&bytes)) => facts_of(&change.path, &bytes),
            _ => None,
        },
        None => None,
    };
    let facts: Option<&Facts> = committed.as_ref().or(entry.map(|entry| &entry.facts));
    let Some(facts) = facts else { return Ok(()) };
    let now = facts.view();
    let rows = if change.status == Status::Added { (0..now.defs.len() as u32).collect() } else { touched(&now, &change.hunks) };
    let word = if change.status == Status::Added { "added" } else { "modified" };
    for row in rows {
        let id = id_in(&now, row, path);
        let node = if committed.is_some() { view.graph.by_id(&id) } else { entry.map(|entry| entry.base + 1 + row) };
        let def = &now.defs[row as usize];
        let known_before = before.as_ref().is_none_or(|facts| names_of(facts).contains_key(&qualified(&now, row)));
        changed.rows.push(json!({
            "id": node.map_or(id, |node| view.graph.id(node)),
            "name": now.str(def.name),
            "kind": def.kind().node_kind(),
            "file_path": path,
            "line": def.start_line,
            "change": if known_before { word } else { "added" },
        }));
        changed.nodes.extend(node);
    }
    if let Some(before) = &before
        && change.hunks.iter().any(|hunk| hunk.old_lines > 0)
    {
        let names: BTreeSet<String> = (0..now.defs.len() as u32).map(|row| qualified(&now, row)).collect();
        let gone = old_symbols(before, None).into_iter().filter(|symbol| !names.contains(&symbol.qualified));
        changed.rows.extend(gone.map(|symbol| removed_row(path, &symbol)));
    }
    Ok(())
}

/// Who called what is gone, in the commit that the diff starts from: there the calls are bound, and not matched by name.
fn removed_callers(engine: &Engine, repo: &RepoInfo, before: &str, prefixed: bool, answer: &mut serde_json::Map<String, Value>) {
    let base = match engine.view_of_ref(repo, before) {
        Ok(base) => base,
        Err(error) => {
            tracing::warn!(%error, "the commit before could not be viewed");
            answer.insert("removed_callers_unknown".to_owned(), Value::from("the commit before could not be viewed"));
            return;
        }
    };
    let mut rows = Vec::new();
    for row in answer["changed_symbols"].as_array().into_iter().flatten().filter(|row| row["change"] == "removed") {
        let Some(id) = row["id"].as_str() else { continue };
        let inside = if prefixed { id.split_once('/').map_or(id, |(_, inside)| inside) } else { id };
        let Some(node) = base.graph.by_id(inside) else { continue };
        let calls = base.graph.incoming(node).filter(|edge| edge.kind().is_call());
        let callers: Vec<Value> = calls
            .map(|edge| json!({"id": base.graph.id(edge.from), "file_path": base.graph.file_of(edge.from).path, "line": edge.line}))
            .collect();
        if !callers.is_empty() {
            let shown: Vec<&Value> = callers.iter().take(CALLERS).collect();
            rows.push(json!({"id": id, "callers_total": callers.len(), "callers_before": shown}));
        }
    }
    if !rows.is_empty() {
        answer.insert("removed_callers".to_owned(), Value::Array(rows));
    }
}

fn names_of(facts: &Facts) -> BTreeMap<String, u32> {
    let view = facts.view();
    (0..view.defs.len() as u32).map(|row| (qualified(&view, row), row)).collect()
}

fn id_in(view: &FactsView<'_>, row: u32, path: &str) -> String {
    let name = qualified(view, row);
    let same = (0..row).filter(|other| qualified(view, *other) == name).count();
    if same == 0 { format!("{path}::{name}") } else { format!("{path}::{name}~{}", same + 1) }
}

fn removed_row(path: &str, symbol: &gortex_engine::query::change::OldSymbol) -> Value {
    json!({
        "id": format!("{path}::{}", symbol.qualified),
        "name": symbol.name,
        "kind": symbol.kind,
        "file_path": path,
        "line": symbol.line,
        "change": "removed",
    })
}

/// Definitions that the hunks touch on their new side.
fn touched(view: &FactsView<'_>, hunks: &[Hunk]) -> Vec<u32> {
    let there = hunks.iter().filter(|hunk| hunk.new_lines > 0);
    let lines: Vec<Lines> =
        there.map(|hunk| Lines { first: hunk.new_start, last: hunk.new_start + hunk.new_lines - 1 }).collect();
    let mut rows: BTreeSet<u32> = innermost(view, &lines).into_iter().collect();
    let gaps = hunks.iter().filter(|hunk| hunk.new_lines == 0);
    rows.extend(gaps.filter_map(|hunk| around_gap(view, hunk.new_start)));
    rows.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use crate::testing::Fixture;
    use serde_json::{Value, json};
    use std::path::Path;

    fn git(folder: &Path, args: &[&str]) {
        let done = std::process::Command::new("git").current_dir(folder).args(args).output().expect("git runs");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }

    fn commit(root: &Path) {
        git(root, &["init", "-q", "-b", "main"]);
        for (key, value) in [("user.name", "n"), ("user.email", "n@example.org"), ("core.autocrlf", "false")] {
            git(root, &["config", key, value]);
        }
        git(root, &["add", "-A"]);
        git(root, &["commit", "-qm", "one"]);
    }

    fn ids(answer: &Value) -> Vec<&str> {
        answer["changed_symbols"].as_array().expect("rows").iter().filter_map(|row| row["id"].as_str()).collect()
    }

    fn detect(fixture: &Fixture, scope: &str) -> Value {
        fixture.json("change", json!({"operation": "detect", "options": {"scope": scope}}))
    }

    #[test]
    fn case_31_changed_symbols_are_those_whose_lines_changed() {
        let functions: Vec<String> = (1..=30).map(|i| format!("def f{i:02}(x):\n    return x + {i}\n\n")).collect();
        let text = functions.concat();
        let fixture = Fixture::laid(|root| {
            for path in ["src/mod.py", "other/src/mod.py"] {
                std::fs::create_dir_all(root.join(path).parent().expect("a folder")).expect("folders");
                std::fs::write(root.join(path), &text).expect("a file");
            }
            commit(root);
            std::fs::write(root.join("src/mod.py"), text.replace("x + 23\n", "x - 23\n")).expect("a file");
        });
        let answer = detect(&fixture, "unstaged");
        assert_eq!(ids(&answer), ["src/mod.py::f23"]);
        assert_eq!(answer["file_changes"], json!([{"path": "src/mod.py", "status": "modified"}]));
        assert_eq!(ids(&detect(&fixture, "staged")), [""; 0]);
    }

    #[test]
    fn case_32_line_ends_and_settings_do_not_count() {
        let fixture = Fixture::laid(|root| {
            std::fs::write(root.join("m.py"), "def a():\n    return 1\n\ndef b():\n    return 2\n").expect("a file");
            std::fs::write(root.join("größe.py"), "def c():\n    return 3\n\ndef d():\n    return 4\n").expect("a file");
            commit(root);
            for (key, value) in
                [("color.ui", "always"), ("diff.noprefix", "true"), ("diff.external", "true"), ("core.quotepath", "true")]
            {
                git(root, &["config", key, value]);
            }
            std::fs::write(root.join("m.py"), "def a():\r\n    return 1\r\n\r\ndef b():\r\n    return 2\r\n").expect("a file");
            std::fs::write(root.join("größe.py"), "def c():\n    return 3\n\ndef d():\n    return 5\n").expect("a file");
        });
        let answer = detect(&fixture, "unstaged");
        assert_eq!(ids(&answer), ["größe.py::d"]);
        assert_eq!(answer["risk"], "LOW");
        let eol = answer["file_changes"].as_array().expect("rows").iter().find(|row| row["path"] == "m.py").expect("listed");
        assert_eq!(eol["eol_only"], true);
    }

    #[test]
    fn removed_added_renamed_and_untracked() {
        let fixture = Fixture::laid(|root| {
            std::fs::write(root.join("a.py"), "def keep():\n    pass\n\ndef gone():\n    pass\n").expect("a file");
            std::fs::write(root.join("b.py"), "def whole():\n    pass\n").expect("a file");
            std::fs::write(root.join("use.py"), "from a import keep\n\ndef go():\n    keep()\n").expect("a file");
            commit(root);
            std::fs::write(root.join("a.py"), "def keep():\n    return 1\n").expect("a file");
            std::fs::remove_file(root.join("b.py")).expect("a file");
            std::fs::write(root.join("new.py"), "def fresh():\n    pass\n").expect("a file");
        });
        let answer = detect(&fixture, "all");
        let rows: Vec<(&str, &str)> = answer["changed_symbols"]
            .as_array()
            .expect("rows")
            .iter()
            .map(|row| (row["id"].as_str().unwrap_or(""), row["change"].as_str().unwrap_or("")))
            .collect();
        assert_eq!(rows, [("a.py::keep", "modified"), ("a.py::gone", "removed"), ("b.py::whole", "removed")]);
        assert_eq!(answer["untracked_files"], json!(["new.py"]));
        assert_eq!(answer["by_depth"]["1"].as_array().expect("rows").iter().filter(|row| row["id"] == "use.py::go").count(), 1);
        git(&fixture.root, &["add", "-A"]);
        git(&fixture.root, &["commit", "-qm", "two"]);
        let compare = fixture.json("change", json!({"operation": "detect", "source": {"base": "HEAD~1"}}));
        assert_eq!(compare["scope"], "compare");
        assert!(ids(&compare).contains(&"new.py::fresh"));
        assert_eq!(detect(&fixture, "all")["summary"], "nothing changed");
    }

    #[test]
    fn what_still_calls_a_removed_function_is_told() {
        let fixture = Fixture::laid(|root| {
            std::fs::write(root.join("a.py"), "def keep():\n    pass\n\ndef gone():\n    pass\n\ndef user():\n    gone()\n")
                .expect("a file");
            commit(root);
            std::fs::write(root.join("a.py"), "def keep():\n    pass\n\ndef user():\n    gone()\n").expect("a file");
        });
        let answer = detect(&fixture, "unstaged");
        assert_eq!(ids(&answer), ["a.py::gone"]);
        assert_eq!((&answer["risk"], &answer["broken_mentions"][0]["from"]), (&json!("HIGH"), &json!("a.py::user")));
    }

    #[test]
    fn who_called_a_removed_function_is_told_from_the_commit_before() {
        let fixture = Fixture::laid(|root| {
            std::fs::write(root.join("a.py"), "def gone():\n    pass\n\ndef alone():\n    pass\n").expect("a file");
            std::fs::write(root.join("b.py"), "from a import gone\n\ndef user():\n    gone()\n").expect("a file");
            commit(root);
            std::fs::write(root.join("a.py"), "x = 1\n").expect("a file");
            std::fs::write(root.join("b.py"), "def user():\n    pass\n").expect("a file");
            git(root, &["commit", "-qam", "two"]);
        });
        let compare = fixture.json("change", json!({"operation": "detect", "source": {"base": "HEAD~1"}}));
        let expected = json!([{"id": "a.py::gone", "callers_total": 1, "callers_before": [{"id": "b.py::user", "file_path": "b.py", "line": 4}]}]);
        assert_eq!(compare["removed_callers"], expected);
    }

    #[test]
    fn a_tracked_folder_inside_the_work_tree_has_its_own_paths() {
        let fixture = Fixture::laid(|root| {
            let top = root.parent().expect("a folder");
            std::fs::write(root.join("a.py"), "def f():\n    return 1\n").expect("a file");
            std::fs::write(top.join("outside.py"), "x = 1\n").expect("a file");
            commit(top);
            std::fs::write(root.join("a.py"), "def f():\n    return 2\n").expect("a file");
            std::fs::write(top.join("outside.py"), "x = 2\n").expect("a file");
        });
        let answer = detect(&fixture, "all");
        assert_eq!((ids(&answer), &answer["changed_files"]), (vec!["a.py::f"], &json!(["a.py"])));
        assert_eq!(answer["outside_tracked_folder"], 1);
    }

    #[test]
    fn a_folder_without_git_and_an_unknown_scope_are_errors() {
        let fixture = Fixture::new("//- a.py\nx = 1\n");
        let error = fixture.error("change", json!({"operation": "detect"}));
        assert_eq!(error["error_code"], "not_a_repository");
        let error = fixture.error("change", json!({"operation": "detect", "options": {"scope": "yesterday"}}));
        assert_eq!(error["data"]["valid_values"], json!(["unstaged", "staged", "all", "compare"]));
    }
}
