//! `search.text`: literal or regular expression, with the symbol around each hit.

use gortex_engine::search::text::{DEFAULT_LIMIT, MAX_LIMIT, TextError, TextQuery};

use super::enclosing::{line_row, search_lines};
use crate::handlers::shared::args::path_filter;
use crate::handlers::shared::prelude::*;

/// Arguments of `search.text`.
#[derive(Debug, Deserialize, JsonSchema, FacadeArgs)]
pub(crate) struct SearchText {
    /// The text, taken literally and with its case; a regular expression with `regexp`.
    #[at(top, target = "query")]
    query: String,
    /// Take the query as a regular expression.
    #[at(options)]
    #[serde(default)]
    regexp: bool,
    /// Let `A` and `a` be the same.
    #[at(options)]
    #[serde(default)]
    ignore_case: bool,
    /// Matching lines; 100 when not given, 1000 at most.
    #[at(options)]
    limit: Option<usize>,
    /// Folders or files to narrow to, separated by commas.
    #[at(options)]
    path: Option<String>,
    #[serde(flatten)]
    scope: ScopeArgs,
}

/// Finds lines by literal text or regular expression, each with the symbol around it.
#[facade(domain = "search", op = "text", effect = "read")]
async fn search_text(graph: Graph, args: Args<SearchText>) -> Answer<Reply> {
    let args = args.into_inner();
    graph.blocking(move |graph| answer(graph, &args)).await
}

fn answer(graph: &Graph, args: &SearchText) -> Answer<Reply> {
    let repo = args.scope.repo_number(graph)?;
    let paths = path_filter(args.path.as_deref());
    let asked = args.limit.filter(|limit| *limit > 0).unwrap_or(DEFAULT_LIMIT);
    let limit = asked.min(MAX_LIMIT);
    let query =
        TextQuery { pattern: &args.query, regexp: args.regexp, ignore_case: args.ignore_case, limit, ..TextQuery::default() };
    let (found, places) = search_lines(graph, &query, &paths, repo).map_err(refused)?;
    let rows: Vec<Value> = found.matches.iter().map(|one| line_row(graph, places[one.file], one)).collect();
    let mut body = json!({"matches": rows, "count": rows.len(), "files_searched": found.searched + found.ruled_out});
    if !rows.is_empty() {
        // Repeating the query beside no hit would put words into the answer that no file holds.
        body["query"] = json!(args.query);
    }
    if !found.total_is_exact {
        body["_truncated_by_limit"] = json!(true);
        body["_limit_applied"] = json!(limit);
        body["count_is_exact"] = json!(false);
        body["truncation_note"] =
            json!("the search stopped at the limit; there are more matching lines: narrow with path, or raise limit");
    }
    if asked > limit {
        body["_limit_requested"] = json!(asked);
        body["_limit_applied"] = json!(limit);
    }
    if let Some(hint) = found.literal_hint {
        body["literal_hint"] = json!(hint);
    }
    if !found.skipped.is_empty() {
        let rows: Vec<Value> =
            found.skipped.iter().take(20).map(|(path, reason)| json!({"path": path, "reason": reason})).collect();
        body["skipped"] = json!({"files": rows, "total": found.skipped.len()});
    }
    if rows.is_empty()
        && let Some(repo) = repo
    {
        body["scope_note"] = json!(format!(
            "nothing in repository `{}`; leave `repo` out to search all {}",
            graph.repos[usize::from(repo)],
            graph.repos.len()
        ));
    }
    Ok(Reply::json(body).rows("matches").generation(graph.generation))
}

fn refused(error: TextError) -> CallError {
    let message = error.to_string();
    match error {
        TextError::Empty => CallError::invalid("query is required: it is empty").data("field", "query"),
        TextError::Syntax { line, column, reason, .. } => CallError::invalid(message)
            .data("field", "query")
            .data("reason", reason)
            .data("line", line)
            .data("column", column)
            .hint("mend the expression, or leave `regexp` out to search literally"),
        TextError::Unusable { reason, .. } => CallError::invalid(message).data("field", "query").data("reason", reason),
        _ => CallError::new(Code::Cancelled, message),
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::Fixture;
    use serde_json::{Value, json};

    fn lines(answer: &Value) -> Vec<u64> {
        answer["matches"].as_array().expect("rows").iter().filter_map(|row| row["line"].as_u64()).collect()
    }

    #[test]
    fn case_08_a_silent_zero_explains_itself() {
        let fixture = Fixture::new("//- a.py\nmake_row = 1\nRateRow = 2\neither = \"x|y\"\n");
        let call = |query: &str, regexp: bool| json!({"operation": "text", "query": query, "options": {"regexp": regexp}});
        let literal = fixture.json("search", call("make_row|RateRow", false));
        assert_eq!(literal["count"], 0);
        assert!(literal["literal_hint"].as_str().expect("a hint").contains("regexp"));
        assert_eq!(lines(&fixture.json("search", call("make_row|RateRow", true))), [1, 2]);
        let broken = fixture.error("search", call("make_row|RateRow(", true));
        assert!(broken.to_string().contains("unclosed group") && broken.to_string().contains("column"));
        assert_eq!(lines(&fixture.json("search", call("x|y", false))), [3]);
        fixture.error("search", json!({"operation": "text", "query": ""}));
    }

    #[test]
    fn hits_name_the_innermost_symbol() {
        let fixture = Fixture::new("//- a.py\nclass A:\n    def m(self):\n        return 'größe'\n# größe\n");
        let answer = fixture.json("search", json!({"operation": "text", "query": "größe"}));
        assert_eq!(answer["matches"][0]["symbol_id"], "a.py::A.m");
        assert!(answer["matches"][1].get("symbol_id").is_none());
    }

    #[test]
    fn a_limit_is_told() {
        let fixture = Fixture::new("//- a.txt\nx\nx\nx\n//- b/c.txt\nx\n");
        let cut = fixture.json("search", json!({"operation": "text", "query": "x", "options": {"limit": 2}}));
        assert_eq!((&cut["count"], &cut["count_is_exact"]), (&json!(2), &json!(false)));
        let narrow = fixture.json("search", json!({"operation": "text", "query": "x", "options": {"path": "b", "limit": 5000}}));
        assert_eq!((&narrow["count"], &narrow["_limit_applied"]), (&json!(1), &json!(1000)));
    }
}
