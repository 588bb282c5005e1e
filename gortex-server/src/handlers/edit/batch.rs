//! `edit.batch`: symbol edits, file edits, moves and removals as one transaction.
//!
//! Items are read strictly: an unknown `op` or an incomplete shape refuses the whole batch before anything is looked at.

use std::time::{Duration, Instant};

use gortex_core::Json;
use gortex_engine::edit::batch::{Batch, FileChange, GitState, Item, Op, Receipt, State};
use gortex_engine::edit::{Content, Context, LineRange, Within, sha256};
use gortex_engine::engine::View;
use gortex_engine::graph::{EdgeKind, Graph as EngineGraph, NodeId};
use gortex_engine::vcs::{PathState, Repo};

use super::errors::call_error;
use super::room::{self, Editable, editable, file_state, freshness, object};
use crate::handlers::shared::prelude::*;

/// All questions to git of one plan take at most this long together.
const GIT_TIME: Duration = Duration::from_secs(3);

/// Arguments of `edit.batch`.
#[derive(Debug, Deserialize, JsonSchema, FacadeArgs)]
pub(crate) struct BatchEdit {
    /// The items: each has an `op` and that op's fields.
    #[at(top = "changes")]
    edits: Option<Json>,
    /// A key: the same items sent again under it give the same receipt.
    #[at(options)]
    transaction_id: Option<String>,
    /// Only look the transaction up.
    #[at(options)]
    #[serde(default)]
    status_only: bool,
    /// Plan everything and write nothing.
    #[at(top)]
    #[serde(default)]
    dry_run: bool,
    /// Write even when a result has more syntax errors than before.
    #[at(options)]
    #[serde(default)]
    allow_parse_errors: bool,
}

/// Applies symbol edits, file edits, moves and removals as one all-or-nothing transaction.
#[facade(domain = "edit", op = "batch", effect = "local_write")]
async fn batch_edit(graph: Graph, files: FileWriter, args: Args<BatchEdit>) -> Answer<Value> {
    let args = args.into_inner();
    files.blocking(move |files| batch(&graph, files, args)).await
}

fn batch(graph: &EngineGraph, files: &FileWriter, args: BatchEdit) -> Result<Value, CallError> {
    let editor = files.engine().editor();
    let id = args.transaction_id.filter(|id| !id.is_empty());
    let items = match args.edits {
        Some(Json(Value::Null)) | None => None,
        Some(Json(value)) => Some(value),
    };
    let items = match (items, id.as_deref()) {
        (Some(items), _) if !args.status_only => items,
        (_, Some(id)) => {
            let found = editor.transaction(files.authority(), id).map_err(call_error)?;
            let receipt = found.ok_or_else(|| {
                CallError::new(Code::NotFound, format!("no transaction is called `{id}`")).data("transaction_id", id)
            })?;
            return receipt_out(&receipt, &files.engine().view());
        }
        (_, None) => {
            let field = if args.status_only { "options.transaction_id" } else { "changes" };
            return Err(CallError::invalid(format!("`{field}` is missing")).data("field", field));
        }
    };
    let request = digest(&items, args.allow_parse_errors);
    if let Some(id) = id.as_deref().filter(|_| !args.dry_run) {
        // Asked before symbols are resolved: what was done may have moved or removed them.
        let earlier = editor.replay(files.authority(), id, &request).map_err(call_error)?;
        if let Some(earlier) = earlier {
            return receipt_out(&earlier.receipt, &files.engine().view());
        }
    }
    let steps = parse(graph, &items)?;
    let locators: Vec<Option<Locator<'_>>> = steps.iter().map(Step::locator).collect();
    let ranks = ranks(graph, &steps);
    let items = steps.iter().zip(&locators).zip(ranks).map(|((step, locator), rank)| step.item(locator.as_ref(), rank)).collect();
    let batch = Batch { transaction_id: id, request: Some(request), items, allow_parse_errors: args.allow_parse_errors };
    let roots = room::roots(files)?;
    let cancelled = || files.is_cancelled();
    let context = Context { gate: Some(&room::gate), cancelled: Some(&cancelled), ..Context::new(&roots) };
    if args.dry_run {
        let folders: Vec<_> = roots.all().iter().map(|root| root.abs.clone()).collect();
        let start = Instant::now();
        let git = |root: usize, rel: &str| git_state(folders.get(root), rel, start);
        let plan = editor.plan_batch(&context, Some(&git), &batch).map_err(call_error)?;
        let view = files.engine().view();
        let mut answer = object(&plan)?;
        let rows = answer.get_mut("files").and_then(Value::as_array_mut).into_iter().flatten();
        for (row, file) in rows.zip(&plan.files) {
            name_file(row, &view, file);
        }
        return Ok(Value::Object(answer));
    }
    let outcome = editor.batch(&context, files.authority(), &batch).map_err(call_error)?;
    if outcome.receipt.status == State::Committed {
        files.landed(outcome.receipt.files.iter().map(|file| file.relative_path.clone()));
    }
    let view = if outcome.receipt.status == State::Committed { files.reindex() } else { files.engine().view() };
    let answer = receipt_out(&outcome.receipt, &view)?;
    match outcome.failure {
        // What refused it leads, and the receipt says what became of the rest.
        Some(failure) => Err(call_error(failure).data("receipt", answer)),
        None => Ok(answer),
    }
}

/// A digest of the items as they were sent, whatever the order of their keys.
fn digest(items: &Value, allow_parse_errors: bool) -> String {
    let mut items = items.clone();
    items.sort_all_objects();
    sha256(format!("{allow_parse_errors}\n{items}").as_bytes())
}

/// Gives the path of a row the prefix of its repository, as every other answer has it.
fn name_file(row: &mut Value, view: &View, file: &FileChange) {
    if let Some(row) = row.as_object_mut().filter(|_| file.root < view.repos.len()) {
        row.insert("relative_path".to_owned(), Value::from(view.shown(file.root, &file.relative_path)));
    }
}

/// The receipt with what the graph knows of it.
fn receipt_out(receipt: &Receipt, view: &View) -> Result<Value, CallError> {
    let mut answer = object(receipt)?;
    if receipt.status == State::Committed {
        answer.extend(freshness(view));
    } else {
        answer.insert("graph_status".to_owned(), Value::from("not_started"));
    }
    let rows = answer.get_mut("files").and_then(Value::as_array_mut).into_iter().flatten();
    for (row, file) in rows.zip(&receipt.files) {
        name_file(row, view, file);
        if let Value::Object(row) = row
            && receipt.status == State::Committed
        {
            row.extend(file_state(view, file.root, &file.relative_path));
        }
    }
    let committed = receipt.status == State::Committed && view.complete;
    for row in answer.get_mut("results").and_then(Value::as_array_mut).into_iter().flatten().filter_map(Value::as_object_mut) {
        let applied = row.get("status").is_some_and(|status| status == "applied");
        row.insert("reindexed".to_owned(), Value::Bool(committed && applied));
    }
    Ok(Value::Object(answer))
}

fn git_state(root: Option<&std::path::PathBuf>, rel: &str, start: Instant) -> GitState {
    let Some(root) = root.filter(|_| start.elapsed() < GIT_TIME) else { return GitState::Unknown };
    let Ok(repo) = Repo::discover(root) else { return GitState::Unknown };
    match repo.path_state(&format!("{}{rel}", repo.prefix)) {
        PathState::Tracked => GitState::Tracked,
        PathState::Untracked => GitState::Untracked,
        PathState::Ignored => GitState::Ignored,
        PathState::Absent => GitState::Absent,
        PathState::Unknown => GitState::Unknown,
    }
}

type Locator<'s> = Box<dyn Fn(&[u8]) -> Result<LineRange, String> + Sync + 's>;

/// One item of the request.
enum Step {
    Symbol { symbol: Editable, old: String, new: String, base_sha: Option<String> },
    File { path: String, old: String, new: String, replace_all: bool, expected: Option<u32>, base_sha: Option<String> },
    Move { source: String, destination: String, sha256: Option<String> },
    Delete { path: String, sha256: Option<String> },
}

impl Step {
    fn locator(&self) -> Option<Locator<'_>> {
        match self {
            Step::Symbol { symbol, .. } => Some(Box::new(|bytes| symbol.anchor.locate(bytes))),
            _ => None,
        }
    }

    fn item<'s>(&'s self, locator: Option<&'s Locator<'s>>, rank: u32) -> Item<'s> {
        let op = match self {
            Step::Symbol { symbol, old, new, base_sha } => Op::Content {
                path: symbol.path.clone(),
                content: Content::Replace {
                    old: old.clone(),
                    new: new.clone(),
                    replace_all: false,
                    expected_occurrences: None,
                    within: locator.map(|locate| Within { symbol: symbol.id.clone(), locate: &**locate }),
                },
                base_sha: base_sha.clone(),
            },
            Step::File { path, old, new, replace_all, expected, base_sha } => Op::Content {
                path: path.clone(),
                content: Content::Replace {
                    old: old.clone(),
                    new: new.clone(),
                    replace_all: *replace_all,
                    expected_occurrences: *expected,
                    within: None,
                },
                base_sha: base_sha.clone(),
            },
            Step::Move { source, destination, sha256 } => {
                Op::Move { source: source.clone(), destination: destination.clone(), expected_sha256: sha256.clone() }
            }
            Step::Delete { path, sha256 } => Op::Delete { path: path.clone(), expected_sha256: sha256.clone(), base_sha: None },
        };
        Item { rank, op }
    }
}

/// Types before what other edited functions call, that before other functions, and those before everything else.
fn ranks(graph: &EngineGraph, steps: &[Step]) -> Vec<u32> {
    let edited: Vec<NodeId> =
        steps.iter().filter_map(|step| if let Step::Symbol { symbol, .. } = step { Some(symbol.node) } else { None }).collect();
    let is_called = |node: NodeId| {
        graph.incoming(node).any(|edge| edge.kind() == EdgeKind::Calls && edge.from != node && edited.contains(&edge.from))
    };
    let rank = |step: &Step| match step {
        Step::Symbol { symbol, .. } if graph.kind(symbol.node).is_type() => 0,
        Step::Symbol { symbol, .. } if !graph.kind(symbol.node).is_callable() => 3,
        Step::Symbol { symbol, .. } => {
            if is_called(symbol.node) {
                1
            } else {
                2
            }
        }
        _ => 4,
    };
    steps.iter().map(rank).collect()
}

/// The ops with the fields they need, and those they may have.
const SHAPES: [(&str, &[&str], &[&str]); 4] = [
    ("edit_symbol", &["id", "old_source", "new_source"], &["base_sha"]),
    ("edit_file", &["path", "old_string", "new_string"], &["replace_all", "expected_occurrences", "base_sha"]),
    ("move_file", &["source", "destination"], &["expected_sha256"]),
    ("delete_file", &["path"], &["expected_sha256"]),
];

fn refuse(index: usize, message: String) -> CallError {
    let shapes: Vec<Value> =
        SHAPES.iter().map(|(op, fields, more)| json!({"op": op, "required": fields, "optional": more})).collect();
    CallError::invalid(format!("`changes[{index}]` {message}"))
        .data("field", format!("changes[{index}]"))
        .data("item_index", index)
        .data("accepted_values", SHAPES.map(|(op, ..)| op))
        .data("accepted_shapes", shapes)
}

fn parse(graph: &EngineGraph, items: &Value) -> Result<Vec<Step>, CallError> {
    let items = items.as_array().ok_or_else(|| CallError::invalid("`changes` is no list").data("field", "changes"))?;
    if items.is_empty() {
        return Err(CallError::invalid("`changes` is empty").data("field", "changes"));
    }
    items.iter().enumerate().map(|(index, item)| step(graph, index, item)).collect()
}

fn step(graph: &EngineGraph, index: usize, item: &Value) -> Result<Step, CallError> {
    let fields = item.as_object().ok_or_else(|| refuse(index, "is no object".to_owned()))?;
    let has_all = |needed: &[&str]| needed.iter().all(|name| fields.contains_key(*name));
    let op = match fields.get("op") {
        Some(Value::String(op)) => op.as_str(),
        Some(other) => return Err(refuse(index, format!("has an `op` that is no text: {other}"))),
        // Only edits of content are understood without their name: a removal is never guessed.
        None => match (has_all(SHAPES[0].1), has_all(SHAPES[1].1)) {
            (true, false) => "edit_symbol",
            (false, true) => "edit_file",
            _ => return Err(refuse(index, "has no `op`".to_owned())),
        },
    };
    let Some((_, needed, optional)) = SHAPES.iter().find(|(name, ..)| *name == op) else {
        return Err(refuse(index, format!("has the unknown op `{op}`")));
    };
    if let Some(unknown) =
        fields.keys().find(|key| *key != "op" && !needed.contains(&key.as_str()) && !optional.contains(&key.as_str()))
    {
        return Err(refuse(index, format!("has the field `{unknown}`, which `{op}` does not read")));
    }
    let text = |name: &str| match fields.get(name) {
        Some(Value::String(text)) => Ok(text.clone()),
        Some(other) => Err(refuse(index, format!("has a `{name}` that is no text: {other}"))),
        None => Err(refuse(index, format!("lacks `{name}`"))),
    };
    let maybe = |name: &str| match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(_) => text(name).map(|text| Some(text).filter(|text| !text.is_empty())),
    };
    Ok(match op {
        "edit_symbol" => {
            let id = text("id")?;
            let symbol = editable(graph, &id).map_err(|error| error.data("item_index", index))?;
            Step::Symbol { symbol, old: text("old_source")?, new: text("new_source")?, base_sha: maybe("base_sha")? }
        }
        "edit_file" => Step::File {
            path: text("path")?,
            old: text("old_string")?,
            new: text("new_string")?,
            replace_all: flag(index, fields.get("replace_all"))?,
            expected: count(index, fields.get("expected_occurrences"))?,
            base_sha: maybe("base_sha")?,
        },
        "move_file" => {
            Step::Move { source: text("source")?, destination: text("destination")?, sha256: maybe("expected_sha256")? }
        }
        _ => Step::Delete { path: text("path")?, sha256: maybe("expected_sha256")? },
    })
}

fn flag(index: usize, value: Option<&Value>) -> Result<bool, CallError> {
    match value {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(flag)) => Ok(*flag),
        Some(Value::String(text)) if text == "true" || text == "false" => Ok(text == "true"),
        Some(other) => Err(refuse(index, format!("has a `replace_all` that is neither true nor false: {other}"))),
    }
}

fn count(index: usize, value: Option<&Value>) -> Result<Option<u32>, CallError> {
    let number = match value {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(text)) => text.parse().ok(),
        Some(other) => other.as_u64().and_then(|number| u32::try_from(number).ok()),
    };
    match number {
        Some(number) => Ok(Some(number).filter(|number| *number > 0)),
        None => Err(refuse(index, "has an `expected_occurrences` that is no number".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::Fixture;
    use serde_json::json;

    const FILES: &str = "//- a.py\ndef a():\n    return b()\n\ndef b():\n    return 1\n//- c.txt\none\n//- d.txt\nd\n";

    #[test]
    fn a_batch_lands_whole_and_is_answered_again() {
        let fixture = Fixture::new(FILES);
        let request = json!({"changes": [
            {"op": "edit_symbol", "id": "a.py::a", "old_source": "b()", "new_source": "b() + 1"},
            {"op": "edit_symbol", "id": "a.py::b", "old_source": "1", "new_source": "2"},
            {"path": "c.txt", "old_string": "one", "new_string": "two"},
            {"op": "move_file", "source": "d.txt", "destination": "e/d.txt"},
        ], "options": {"transaction_id": "t-1"}});
        let plan = fixture.json("edit", json!({"changes": request["changes"], "dry_run": true}));
        assert_eq!((&plan["conflicts"], &plan["total"]), (&json!(0), &json!(4)));
        // What the other calls is edited first.
        assert_eq!(plan["plan"][0]["id"], "a.py::b");
        assert_eq!(fixture.disk("c.txt"), b"one\n");
        let receipt = fixture.json("edit", request.clone());
        assert_eq!((&receipt["status"], &receipt["graph_status"]), (&json!("committed"), &json!("fresh")));
        assert_eq!(fixture.disk("a.py"), b"def a():\n    return b() + 1\n\ndef b():\n    return 2\n");
        assert_eq!((fixture.disk("c.txt"), fixture.disk("e/d.txt")), (b"two\n".to_vec(), b"d\n".to_vec()));
        assert_eq!(fixture.json("edit", request)["fingerprint"], receipt["fingerprint"]);
        let status =
            fixture.json("edit", json!({"operation": "batch", "options": {"transaction_id": "t-1", "status_only": true}}));
        assert_eq!(status["status"], "committed");
    }

    #[test]
    fn the_same_request_is_answered_again_though_its_symbols_are_gone() {
        let fixture = Fixture::new(FILES);
        let change = json!({"op": "edit_symbol", "id": "a.py::b", "old_source": "def b", "new_source": "def c"});
        let request = |change: &serde_json::Value| json!({"changes": [change], "options": {"transaction_id": "t-2"}});
        let first = fixture.json("edit", request(&change));
        let again = fixture.json("edit", request(&change));
        assert_eq!((&again["status"], &again["fingerprint"]), (&json!("committed"), &first["fingerprint"]));
        // The order of keys says nothing; another text does.
        let turned = json!({"new_source": "def c", "old_source": "def b", "id": "a.py::b", "op": "edit_symbol"});
        assert_eq!(fixture.json("edit", request(&turned))["fingerprint"], first["fingerprint"]);
        let other = json!({"op": "edit_symbol", "id": "a.py::b", "old_source": "def b", "new_source": "def d"});
        assert_eq!(fixture.error("edit", request(&other))["error_code"], "idempotency_conflict");
    }

    #[test]
    fn several_repositories_lead_the_paths() {
        let fixture = Fixture::new(FILES);
        let other = fixture.root.parent().expect("a folder").join("other");
        crate::testing::lay(&other, "//- é.py\nx = 1\n");
        fixture.json("workspace_admin", json!({"operation": "track", "arguments": {"path": other.display().to_string()}}));
        let changes = json!([{"op": "edit_file", "path": "other/é.py", "old_string": "1", "new_string": "2"}]);
        let plan = fixture.json("edit", json!({"changes": changes, "dry_run": true}));
        assert_eq!(plan["files"][0]["relative_path"], "other/é.py");
        assert!(plan["files"][0]["diff"].as_str().is_some_and(|diff| diff.contains("b/other/é.py")), "{plan}");
        let receipt = fixture.json("edit", json!({"changes": changes}));
        assert_eq!(
            (&receipt["files"][0]["relative_path"], &receipt["files"][0]["reindexed"]),
            (&json!("other/é.py"), &json!(true))
        );
        let edit = json!({"target": {"file": "other/é.py"}, "match": "2", "replacement": "3", "dry_run": true});
        let preview = fixture.json("edit", edit);
        assert_eq!(preview["path"], "other/é.py");
        assert!(preview["diff"].as_str().is_some_and(|diff| diff.contains("a/other/é.py")), "{preview}");
    }

    #[test]
    fn one_refusal_undoes_nothing_because_nothing_was_done() {
        let fixture = Fixture::new(FILES);
        let error = fixture.error(
            "edit",
            json!({"changes": [
                {"op": "edit_file", "path": "c.txt", "old_string": "one", "new_string": "two"},
                {"op": "edit_file", "path": "d.txt", "old_string": "nowhere", "new_string": "x"},
            ]}),
        );
        assert_eq!(error["error_code"], "match_not_found");
        assert_eq!(error["data"]["receipt"]["status"], "aborted");
        assert_eq!(fixture.disk("c.txt"), b"one\n");
    }

    #[test]
    fn odd_items_are_refused_with_the_shapes() {
        let fixture = Fixture::new(FILES);
        for item in [
            json!({"op": "explode", "path": "c.txt"}),
            json!({"path": "c.txt"}),
            json!({"op": "edit_file", "path": "c.txt"}),
            json!({"op": "delete_file", "path": "c.txt", "force": true}),
            json!("delete_file"),
        ] {
            let error = fixture.error("edit", json!({"changes": [item]}));
            assert_eq!((&error["error_code"], &error["data"]["item_index"]), (&json!("invalid_argument"), &json!(0)), "{item}");
        }
        let error = fixture.error("edit", json!({"operation": "batch", "options": {"transaction_id": "nobody"}}));
        assert_eq!(error["error_code"], "not_found");
    }
}
