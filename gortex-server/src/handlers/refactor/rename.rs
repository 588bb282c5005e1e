//! `refactor.rename`: one name, everywhere the graph can prove it.
//!
//! Preview and run share one plan, so what a preview lists is what a run changes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;

use gortex_engine::edit::Context;
use gortex_engine::edit::batch::{Batch, FileChange, State, rewrite_items};
use gortex_engine::engine::View;
use gortex_engine::graph::FileEntry;
use gortex_engine::query::rename::{Edit, Plan, RenameError, plan, unproven};
use gortex_engine::search::PathFilter;
use gortex_engine::search::text::{self, Known, TextFile, TextQuery};

use crate::handlers::edit::errors::call_error;
use crate::handlers::edit::room::{self, editable, file_state, freshness, object};
use crate::handlers::shared::prelude::*;

/// Places listed that could not be proven; their number is always told.
const UNPROVEN: usize = 100;
/// Conflicting places listed.
const CONFLICTS: usize = 20;
/// Bytes of a line that are shown.
const LINE: usize = 200;

/// Arguments of `refactor.rename`.
#[derive(Debug, Deserialize, JsonSchema, FacadeArgs)]
pub(crate) struct RenameSymbol {
    /// The symbol: its id, or a name that is unique.
    #[at(target = "symbol")]
    id: String,
    /// The new name.
    #[at(top)]
    new_name: String,
    /// List the same edits and write nothing.
    #[at(top)]
    #[serde(default)]
    dry_run: bool,
    /// Write even when a file would have more syntax errors than before.
    #[at(options)]
    #[serde(default)]
    allow_parse_errors: bool,
}

/// Renames a symbol everywhere the graph can prove it is used, all files or none.
#[facade(domain = "refactor", op = "rename", effect = "local_write")]
async fn rename_symbol(_graph: Graph, files: FileWriter, args: Args<RenameSymbol>) -> Answer<Value> {
    let args = args.into_inner();
    files.blocking(move |files| rename(files, &args)).await
}

fn rename(files: &FileWriter, args: &RenameSymbol) -> Result<Value, CallError> {
    // Planned on what is on disk now: a line that moved since the last look would refuse the whole rename.
    let view = files.reindex();
    let graph = &view.graph;
    let symbol = editable(graph, &args.id)?;
    let roots = room::roots(files)?;
    let read = |entry: &FileEntry| view.absolute(&entry.path).and_then(|path| std::fs::read(path).ok());
    let plan = plan(graph, symbol.node, args.new_name.trim(), &read).map_err(refusal)?;
    let unproven = leftovers(&view, &plan, &read)?;
    let items = rewrite_items(plan.edits.iter().map(|edit| (edit.path.clone(), edit.place.clone())));
    let batch = Batch { items, allow_parse_errors: args.allow_parse_errors, ..Batch::default() };
    let cancelled = || files.is_cancelled();
    let context = Context { gate: Some(&room::gate), cancelled: Some(&cancelled), ..Context::new(&roots) };
    let editor = files.engine().editor();
    let mut answer = serde_json::Map::new();
    let (rows, after) = if plan.edits.is_empty() {
        (Vec::new(), None)
    } else if args.dry_run {
        let planned = editor.plan_batch(&context, None, &batch).and_then(|plan| plan.into_result()).map_err(call_error)?;
        (planned.files, None)
    } else {
        let outcome = editor.batch(&context, files.authority(), &batch).map_err(call_error)?;
        let receipt = outcome.into_result().map_err(call_error)?;
        if receipt.status != State::Committed {
            return Err(CallError::internal("a transaction ended without a verdict"));
        }
        files.landed(receipt.files.iter().map(|file| file.relative_path.clone()));
        answer.insert("transaction_id".to_owned(), Value::from(receipt.transaction_id));
        (receipt.files, Some(files.reindex()))
    };
    let status = match (plan.edits.is_empty(), args.dry_run) {
        (true, _) => "no_edits",
        (_, true) => "would_apply",
        _ => "applied",
    };
    let written = after.is_some();
    answer.insert("status".to_owned(), Value::from(status));
    answer.insert("symbol".to_owned(), Value::from(symbol.id.as_str()));
    answer.insert("old_name".to_owned(), Value::from(plan.old.as_str()));
    answer.insert("new_name".to_owned(), Value::from(plan.new.as_str()));
    if plan.family.len() > 1 {
        let family: Vec<String> = plan.family.iter().map(|node| graph.id(*node)).collect();
        answer.insert("renamed_together".to_owned(), json!(family));
    }
    answer.insert("edits".to_owned(), Value::Array(plan.edits.iter().map(edit_out).collect()));
    answer.insert("total_edits".to_owned(), Value::from(plan.edits.len()));
    answer.insert("files_affected".to_owned(), Value::from(rows.len()));
    answer.insert("files_written".to_owned(), Value::from(if written { rows.len() } else { 0 }));
    answer.insert("written".to_owned(), Value::Bool(written));
    answer.insert("dry_run".to_owned(), Value::Bool(args.dry_run));
    let listed = rows.iter().map(|row| file_out(row, after.as_deref().unwrap_or(&view), written));
    answer.insert("files".to_owned(), Value::Array(listed.collect::<Result<_, _>>()?));
    answer.insert("unproven_total".to_owned(), Value::from(unproven.total));
    answer.insert("unproven_is_exact".to_owned(), Value::Bool(unproven.exact));
    answer.insert("unproven".to_owned(), Value::Array(unproven.rows));
    let warnings = warnings(&plan, unproven.total);
    if !warnings.is_empty() {
        answer.insert("warnings".to_owned(), json!(warnings));
    }
    if let Some(after) = after {
        answer.extend(freshness(&after));
    }
    Ok(Value::Object(answer))
}

fn warnings(plan: &Plan, unproven: usize) -> Vec<String> {
    let mut warnings = Vec::new();
    if plan.exported {
        warnings.push(format!("`{}` is visible outside; code that is not indexed here may use it", plan.old));
    }
    if unproven > 0 {
        warnings.push(format!("{unproven} places hold the text `{}` and were not changed; see `unproven`", plan.old));
    }
    warnings
}

fn edit_out(edit: &Edit) -> Value {
    let place = &edit.place;
    let (old_text, new_text) = match &place.line_text {
        Some(line) => {
            let (from, to) = (place.cols.start as usize, place.cols.end as usize);
            let new = format!("{}{}{}", &line[..from], place.new, &line[to..]);
            (window(line, from), window(&new, from))
        }
        None => (place.old.clone(), place.new.clone()),
    };
    json!({
        "file": edit.path,
        "line": place.line,
        "column": place.cols.start,
        "old_text": old_text,
        "new_text": new_text,
        "confidence": edit.confidence.as_str(),
        "reason": edit.reason,
    })
}

/// The part of a line around a byte, without the blanks in front.
fn window(line: &str, at: usize) -> String {
    if line.len() <= LINE {
        return line.trim().to_owned();
    }
    let from = line.floor_char_boundary(at.saturating_sub(LINE / 2));
    let to = line.floor_char_boundary(from + LINE);
    line[from..to].trim().to_owned()
}

fn file_out(row: &FileChange, view: &View, written: bool) -> Result<Value, CallError> {
    let mut out = object(row)?;
    out.shift_remove("path");
    out.shift_remove("root");
    out.shift_remove("relative_path");
    out.insert("file".to_owned(), Value::from(view.shown(row.root, &row.relative_path)));
    out.insert("status".to_owned(), Value::from(if written { "applied" } else { "would_apply" }));
    if written {
        out.extend(file_state(view, row.root, &row.relative_path));
    } else {
        out.insert("reindexed".to_owned(), Value::Bool(false));
    }
    Ok(Value::Object(out))
}

struct Leftovers {
    rows: Vec<Value>,
    total: usize,
    exact: bool,
}

/// Text of the old name that stays: in comments, strings, files without facts, and mentions that could not be bound.
fn leftovers(view: &View, plan: &Plan, read: &dyn Fn(&FileEntry) -> Option<Vec<u8>>) -> Result<Leftovers, CallError> {
    let graph = &view.graph;
    let entries: Vec<&FileEntry> = graph.files.iter().filter(|file| file.status.is_text()).collect();
    let files: Vec<TextFile<'_>> = entries
        .iter()
        .filter_map(|entry| {
            let (repo, rel) = view.split(&entry.path)?;
            Some(TextFile { root: &repo.root, rel, buffer: None, known: Some(Known::of(entry)) })
        })
        .collect();
    let query =
        TextQuery { pattern: &plan.old, regexp: false, ignore_case: false, paths: PathFilter::default(), limit: text::MAX_LIMIT };
    let answer = text::search(&files, &query, &AtomicBool::new(false))
        .map_err(|error| CallError::internal(format!("the search for leftovers failed: {error}")))?;
    let hit: BTreeSet<usize> = answer.matches.iter().map(|found| found.file).collect();
    let mut edited: BTreeMap<&str, BTreeSet<(u32, u32)>> = BTreeMap::new();
    for edit in &plan.edits {
        edited.entry(&edit.path).or_default().insert((edit.place.line, edit.place.cols.start));
    }
    let none = BTreeSet::new();
    let mut found = Leftovers { rows: Vec::new(), total: 0, exact: answer.total_is_exact && answer.skipped.is_empty() };
    for entry in hit.into_iter().filter_map(|at| entries.get(at)) {
        let Some(bytes) = read(entry) else {
            found.exact = false;
            continue;
        };
        let places = unproven(graph, entry, &bytes, &plan.old, edited.get(entry.path.as_str()).unwrap_or(&none));
        found.total += places.len();
        let room = UNPROVEN.saturating_sub(found.rows.len());
        if room == 0 || places.is_empty() {
            continue;
        }
        let lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
        found.rows.extend(places.iter().take(room).map(|place| {
            let line = lines.get(place.line as usize - 1).copied().unwrap_or_default();
            let text = String::from_utf8_lossy(line);
            json!({"file": entry.path, "line": place.line, "column": place.col, "reason": place.reason, "text": window(&text, place.col as usize)})
        }));
    }
    Ok(found)
}

/// The call error of a rename that was not planned. Nothing has been written.
fn refusal(error: RenameError) -> CallError {
    let message = error.to_string();
    match error {
        RenameError::Unnamed { id } => CallError::invalid(message).data("field", "target.symbol").data("symbol", id),
        RenameError::SameName { name } => CallError::new(Code::NoEdits, message).data("field", "new_name").data("name", name),
        RenameError::Illegal { name, language, .. } => {
            CallError::invalid(message).data("field", "new_name").data("name", name).data("language", language)
        }
        RenameError::Conflict { at, .. } => {
            let rows: Vec<Value> =
                at.iter().take(CONFLICTS).map(|one| json!({"file": one.path, "line": one.line, "what": one.what})).collect();
            CallError::new(Code::NameConflict, message).data("locations", rows).data("total", at.len())
        }
        RenameError::OutsideReach { id } => {
            CallError::new(Code::Unsupported, message).data("reason", "outside_reach").data("outside", [id])
        }
        RenameError::Stale { path } => CallError::new(Code::StaleIndex, message).data("file", path).retriable(true),
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::Fixture;
    use serde_json::{Value, json};

    const CASE_07: &str = "//- src/lib.rs\nfn scale(x: u32) -> u32 {\n    x * 2\n}\n\npub fn twice() -> u32 {\n    scale(1)\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn one() {\n        assert_eq!(scale(1), 2);\n    }\n\n    #[test]\n    fn two() {\n        println!(\"scale of {}\", scale(2));\n    }\n}\n";

    fn lines(answer: &Value) -> Vec<u64> {
        answer["edits"].as_array().expect("edits").iter().filter_map(|edit| edit["line"].as_u64()).collect()
    }

    #[test]
    fn case_07_the_preview_is_what_the_run_does() {
        let fixture = Fixture::new(CASE_07);
        let mut request =
            json!({"operation": "rename", "target": {"symbol": "src/lib.rs::scale"}, "new_name": "double", "dry_run": true});
        let before = fixture.disk("src/lib.rs");
        let preview = fixture.json("refactor", request.clone());
        assert_eq!(lines(&preview), [1, 6, 15, 20]);
        assert_eq!(fixture.disk("src/lib.rs"), before);
        request["dry_run"] = json!(false);
        let run = fixture.json("refactor", request);
        assert_eq!((&run["edits"], &run["total_edits"]), (&preview["edits"], &json!(4)));
        assert_eq!((&run["status"], &run["graph_status"]), (&json!("applied"), &json!("fresh")));
        let text = String::from_utf8(fixture.disk("src/lib.rs")).expect("text");
        assert_eq!((text.matches("scale(").count(), text.matches("double(").count()), (0, 4));
        assert!(text.contains("\"scale of {}\""));
        assert_eq!((&run["unproven"][0]["line"], &run["unproven"][0]["reason"]), (&json!(20), &json!("string")));
    }

    #[test]
    fn a_crlf_file_keeps_its_line_ends() {
        let fixture =
            Fixture::laid(|root| std::fs::write(root.join("ä.py"), "def größe():\r\n    pass\r\n\r\ngröße()").expect("a file"));
        fixture.json("refactor", json!({"target": {"symbol": "größe"}, "new_name": "maß"}));
        assert_eq!(fixture.disk("ä.py"), "def maß():\r\n    pass\r\n\r\nmaß()".as_bytes());
    }

    #[test]
    fn a_conflict_and_an_unknown_symbol_write_nothing() {
        let fixture = Fixture::new("//- a.py\ndef a():\n    pass\n\ndef b():\n    pass\n//- README.txt\nCall a() first.\n");
        let error = fixture.error("refactor", json!({"target": {"symbol": "a.py::a"}, "new_name": "b"}));
        assert_eq!((&error["error_code"], &error["data"]["locations"][0]["line"]), (&json!("name_conflict"), &json!(4)));
        let error = fixture.error("refactor", json!({"target": {"symbol": "nobody"}, "new_name": "b"}));
        assert_eq!(error["error_code"], "symbol_not_found");
        let preview = fixture.json("refactor", json!({"target": {"symbol": "a.py::a"}, "new_name": "c", "dry_run": true}));
        assert_eq!(preview["unproven"][0]["file"], "README.txt");
        assert_eq!(preview["unproven"][0]["reason"], "unindexed_file");
    }
}
