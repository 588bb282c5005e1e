//! `search.ast`: code by its shape, with a pattern of the caller (code with placeholders, or a query) or a bundled detector.

use std::sync::atomic::AtomicBool;

use gortex_engine::graph::is_test_path;
use gortex_engine::index::classify::MAX_SOURCE_BYTES;
use gortex_engine::search::ast::{self, AstError, AstMatch, DEFAULT_LIMIT, Pattern};
use gortex_engine::search::detectors::{self, DETECTORS, Detector};

use super::enclosing::enclosing;
use crate::handlers::shared::args::path_filter;
use crate::handlers::shared::prelude::*;

/// Matches looked at when some are filtered out afterwards.
const DEEP: usize = 20_000;
/// Rows at most.
const MAX_ROWS: usize = 1000;

/// Arguments of `search.ast`.
#[derive(Debug, Deserialize, JsonSchema, FacadeArgs)]
pub(crate) struct SearchAst {
    /// Code with `$X` for one part and `$$$ARGS` for several, or a tree-sitter query with `@match` on what to show.
    #[at(top = "query", options)]
    pattern: Option<String>,
    /// Name of a bundled detector instead of a pattern; `help` lists all.
    #[at(options)]
    detector: Option<String>,
    /// Language of the pattern.
    #[at(options)]
    language: Option<String>,
    /// Folders or files to narrow to, separated by commas.
    #[at(options)]
    path_prefix: Option<String>,
    /// Leave test code out; true for detectors, false for patterns when not given.
    #[at(options)]
    exclude_tests: Option<bool>,
    /// Keep hits in symbols with at least this many uses; hits outside symbols stay.
    #[at(options)]
    #[serde(default)]
    min_fan_in_of_enclosing_func: usize,
    /// Rows; 50 when not given, 1000 at most.
    #[at(options)]
    limit: Option<usize>,
    #[serde(flatten)]
    scope: ScopeArgs,
}

/// Finds code by its shape with a tree-sitter query or a bundled detector.
#[facade(domain = "search", op = "ast", effect = "read")]
async fn search_ast(graph: Graph, args: Args<SearchAst>) -> Answer<Reply> {
    let args = args.into_inner();
    graph.blocking(move |graph| answer(graph, &args)).await
}

fn answer(graph: &Graph, args: &SearchAst) -> Answer<Reply> {
    let (pattern, detector) = match (args.pattern.as_deref().filter(|text| !text.trim().is_empty()), args.detector.as_deref()) {
        (None, None) | (Some(_), Some(_)) => {
            return Err(CallError::invalid("give exactly one of `pattern` (the query) and `detector`").data("field", "query"));
        }
        (None, Some("help")) => return Ok(catalogue()),
        (None, Some(name)) => {
            let detector = detectors::find(name).map_err(refused)?;
            (detector.pattern().map_err(refused)?, Some(detector))
        }
        (Some(text), None) => {
            let Some(language) = args.language.as_deref() else {
                return Err(CallError::invalid("language is required with a pattern").data("field", "options.language"));
            };
            (Pattern::of(language, text).map_err(refused)?, None)
        }
    };
    let tests_out = args.exclude_tests.unwrap_or(detector.is_some());
    let limit = args.limit.filter(|limit| *limit > 0).unwrap_or(DEFAULT_LIMIT).min(MAX_ROWS);
    let filtered = tests_out || args.min_fan_in_of_enclosing_func > 0;
    let found = search(graph, args, &pattern, tests_out, if filtered { DEEP } else { limit })?;
    let code: &gortex_engine::graph::Graph = graph;
    let counted_all = found.total <= found.matches.len();
    let kept: Vec<(&AstMatch, Option<u32>)> = found
        .matches
        .iter()
        .map(|one| (one, graph.file(&one.path).and_then(|file| enclosing(file, one.start_line))))
        .filter(|(_, node)| match node {
            None => true,
            Some(node) => {
                !(tests_out && graph.is_test(*node))
                    && (args.min_fan_in_of_enclosing_func == 0
                        || code.incoming(*node).count() >= args.min_fan_in_of_enclosing_func)
            }
        })
        .collect();
    let total = if filtered { kept.len() } else { found.total };
    let rows: Vec<Value> = kept.iter().take(limit).map(|(one, node)| row(graph, one, *node, detector)).collect();
    let errors: Vec<Value> =
        found.problems.iter().take(20).map(|(path, reason)| json!({"file": path, "reason": reason})).collect();
    let mut body = json!({
        "matches": rows,
        "total": total,
        "truncated": rows.len() < total || (filtered && !counted_all),
        "files_walked": found.files_walked,
        "errors": errors,
    });
    if filtered && !counted_all {
        body["total_is_exact"] = json!(false);
    }
    if found.problems.len() > errors.len() {
        body["errors_total"] = json!(found.problems.len());
    }
    Ok(Reply::json(body).rows("matches").generation(graph.generation))
}

fn search(
    graph: &Graph,
    args: &SearchAst,
    pattern: &Pattern,
    tests_out: bool,
    limit: usize,
) -> Result<ast::AstAnswer, CallError> {
    let repo = args.scope.repo_number(graph)?;
    let paths = path_filter(args.path_prefix.as_deref());
    let view = graph.view();
    let roots = graph.engine().roots().map_err(|error| CallError::new(Code::Io, error.to_string()))?;
    let wanted = graph.files.iter().filter(|file| {
        pattern.covers(&file.path)
            && paths.admits(&file.path)
            && repo.is_none_or(|repo| file.repo == repo)
            && !(tests_out && is_test_path(&file.path))
            && file.size <= MAX_SOURCE_BYTES
    });
    // A file that a link has taken the place of is passed over, not followed.
    let files = wanted.filter_map(|file| {
        let path = view.absolute(&file.path)?;
        let target = roots.resolve_existing(path.to_str()?).ok().filter(|target| target.direct)?;
        Some((file.path.as_str(), std::fs::read(&target.abs).ok()?))
    });
    // The iterator reads in this thread; the patterns run on the engine's.
    ast::search(pattern, files, limit, &AtomicBool::new(false)).map_err(refused)
}

fn row(graph: &Graph, one: &AstMatch, node: Option<u32>, detector: Option<&Detector>) -> Value {
    let mut row = json!({
        "language": one.language,
        "file": one.path,
        "line": one.start_line,
        "end_line": one.end_line,
        "text": one.text,
    });
    if let Some(detector) = detector {
        row["detector"] = json!(detector.name);
        row["severity"] = json!(detector.severity.as_str());
    }
    if let Some(node) = node {
        row["symbol_id"] = json!(graph.id(node));
        row["symbol_name"] = json!(graph.name(node));
    }
    if !one.captures.is_empty() {
        row["captures"] = one.captures.iter().map(|(name, text)| json!({"name": name, "text": text})).collect();
    }
    row
}

fn catalogue() -> Reply {
    let rows: Vec<Value> = DETECTORS
        .iter()
        .map(|one| json!({"name": one.name, "severity": one.severity.as_str(), "description": one.description, "languages": one.languages()}))
        .collect();
    Reply::json(json!({"detectors": rows, "total": rows.len()})).rows("detectors")
}

fn refused(error: AstError) -> CallError {
    let message = error.to_string();
    match error {
        AstError::UnknownLanguage { known, .. } => {
            let names: Vec<&str> = known.split(", ").collect();
            CallError::invalid(message).data("field", "options.language").data("valid_values", names)
        }
        AstError::UnknownDetector { nearest, .. } => {
            CallError::invalid(message).data("field", "options.detector").data("did_you_mean", nearest)
        }
        AstError::Syntax { line, column, .. } => {
            CallError::invalid(message).data("field", "query").data("line", line).data("column", column)
        }
        AstError::Cancelled => CallError::new(Code::Cancelled, message),
        _ => CallError::invalid(message).data("field", "query"),
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::Fixture;
    use serde_json::json;

    const TREE: &str =
        "//- a.py\ndef f():\n    try:\n        g()\n    except:\n        pass\n//- tests/test_a.py\ndef test_f():\n    g()\n";

    #[test]
    fn a_pattern_finds_its_shape_and_names_the_symbol() {
        let fixture = Fixture::new(TREE);
        let call = "(call function: (identifier) @name (#eq? @name \"g\")) @match";
        let answer = fixture.json("search", json!({"operation": "ast", "query": call, "options": {"language": "python"}}));
        assert_eq!(answer["total"], 2);
        assert_eq!(answer["matches"][0]["symbol_id"], "a.py::f");
        let narrow = json!({"operation": "ast", "options": {"pattern": call, "language": "python", "exclude_tests": true}});
        assert_eq!(fixture.json("search", narrow)["total"], 1);
    }

    #[test]
    fn what_can_not_be_meant_is_refused() {
        let fixture = Fixture::new(TREE);
        for options in [
            json!({}),
            json!({"pattern": "(x) @match", "detector": "help"}),
            json!({"pattern": "(call) @match"}),
            json!({"pattern": "(cal", "language": "python"}),
            json!({"pattern": "(call) @match", "language": "klingon"}),
            json!({"detector": "no-such-rule"}),
        ] {
            fixture.error("search", json!({"operation": "ast", "options": options}));
        }
        let help = fixture.json("search", json!({"operation": "ast", "options": {"detector": "help"}}));
        assert!(help["total"].as_u64().is_some_and(|count| count > 5));
    }
}
