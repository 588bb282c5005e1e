//! The surface as a whole: what is registered, that both names of a thing answer alike, and that reading changes nothing.

use std::collections::{BTreeMap, BTreeSet};

use gortex_core::Effect;
use gortex_tests::{Client, Folder, Options, Reply};
use serde_json::{Value, json};

use crate::{SERVER, serve};

/// A small project with tests, an interface and a change under way.
pub(crate) fn project() -> Folder {
    let folder = Folder::with(
        r#"//- go.mod
module demo

go 1.22
//- store.go
package demo

// Store keeps things.
type Store interface {
	Drop(id string) error
}

// Disk keeps things on a disk.
type Disk struct{ path string }

// Drop forgets one.
func (d *Disk) Drop(id string) error {
	return check(id)
}

func check(id string) error {
	return nil
}
//- store_test.go
package demo

import "testing"

func TestDrop(t *testing.T) {
	d := &Disk{}
	if d.Drop("größe") != nil {
		t.Fatal("no")
	}
}
//- README.md
# Demo
"#,
    );
    folder.commit_all();
    folder.write("store.go", folder.text("store.go").replace("return nil", "return nil // fine"));
    folder
}

/// Every reading operation of this build, as the compact and as the legacy surface spell it.
pub(crate) fn readings() -> Vec<(&'static str, Value, &'static str, Value)> {
    let check = "store.go::check";
    let symbol = |operation: &str, id: &str| json!({"operation": operation, "target": {"symbol": id}});
    let file = |operation: &str| json!({"operation": operation, "target": {"file": "store.go"}});
    let query = |operation: &str, query: &str| json!({"operation": operation, "query": query});
    vec![
        (
            "explore",
            json!({"operation": "task", "task": "where is a thing dropped"}),
            "explore",
            json!({"task": "where is a thing dropped"}),
        ),
        ("explore", json!({"operation": "outline"}), "get_repo_outline", json!({})),
        ("search", query("symbols", "Drop"), "search_symbols", json!({"query": "Drop", "assist": "off"})),
        ("search", query("text", "größe"), "search_text", json!({"query": "größe"})),
        ("search", query("files", "store"), "find_files", json!({"query": "store"})),
        (
            "search",
            json!({"operation": "ast", "query": "(function_declaration) @match", "options": {"language": "go"}}),
            "search_ast",
            json!({"pattern": "(function_declaration) @match", "language": "go"}),
        ),
        ("read", file("file"), "read_file", json!({"path": "store.go"})),
        ("read", symbol("source", check), "get_symbol_source", json!({"id": check})),
        (
            "read",
            json!({"operation": "symbols", "target": {"symbols": [check]}}),
            "batch_symbols",
            json!({"ids": [check], "include_source": true}),
        ),
        ("read", file("summary"), "get_file_summary", json!({"path": "store.go"})),
        ("read", file("editing_context"), "get_editing_context", json!({"path": "store.go"})),
        ("relations", symbol("usages", check), "find_usages", json!({"id": check})),
        ("relations", symbol("callers", check), "get_callers", json!({"id": check})),
        ("relations", symbol("dependencies", "store.go::Disk.Drop"), "get_dependencies", json!({"id": "store.go::Disk.Drop"})),
        ("relations", symbol("dependents", check), "get_dependents", json!({"id": check})),
        ("relations", symbol("implementations", "store.go::Store"), "find_implementations", json!({"id": "store.go::Store"})),
        ("relations", symbol("hierarchy", "store.go::Disk"), "get_class_hierarchy", json!({"id": "store.go::Disk"})),
        (
            "relations",
            json!({"operation": "declaration", "target": {"query": "check("}}),
            "find_declaration",
            json!({"use_site": "check("}),
        ),
        ("relations", symbol("references", check), "check_references", json!({"symbol_id": check})),
        ("trace", symbol("call_chain", "store_test.go::TestDrop"), "get_call_chain", json!({"id": "store_test.go::TestDrop"})),
        (
            "trace",
            json!({"operation": "path", "target": {"symbol": "store_test.go::TestDrop"}, "to": {"symbol": check}}),
            "trace_path",
            json!({"source_id": "store_test.go::TestDrop", "sink_id": check}),
        ),
        ("trace", symbol("walk", check), "walk_graph", json!({"id": check})),
        ("change", json!({"operation": "detect"}), "detect_changes", json!({})),
        ("change", symbol("impact", check), "explain_change_impact", json!({"ids": check})),
        ("change", json!({"operation": "tests", "target": {"symbols": [check]}}), "get_test_targets", json!({"ids": check})),
        (
            "change",
            json!({"operation": "verify", "source": {"changes": [{"symbol_id": check, "new_signature": "func check(id string, force bool) error"}]}}),
            "verify_change",
            json!({"changes": [{"symbol_id": check, "new_signature": "func check(id string, force bool) error"}]}),
        ),
        ("workspace", json!({"operation": "info"}), "workspace_info", json!({})),
        ("workspace", json!({"operation": "graph"}), "graph_stats", json!({})),
        ("workspace", json!({"operation": "index"}), "index_health", json!({})),
        ("workspace", json!({"operation": "repos"}), "list_repos", json!({})),
        ("workspace", json!({"operation": "proxy"}), "proxy_status", json!({})),
        ("workspace", json!({"operation": "active_project"}), "get_active_project", json!({})),
        (
            "workspace",
            json!({"operation": "project", "arguments": {"project": "repo", "query": "Drop"}}),
            "query_project",
            json!({"project": "repo", "query": "Drop"}),
        ),
        (
            "response",
            json!({"operation": "export_context", "arguments": {"task": "drop a thing"}}),
            "export_context",
            json!({"task": "drop a thing"}),
        ),
    ]
}

fn full(folder: &Folder) -> Client {
    let env = [("GORTEX_TOOLS", "full")];
    let mut server = Client::start_with(SERVER, folder, &Options { env: &env, track: false, ..Options::default() });
    server.call("track_repository", json!({"path": folder.repo.to_string_lossy()})).ok();
    server
}

// The two names of one thing drifted apart.
#[test]
fn every_reading_operation_equals_its_legacy_call() {
    let folder = project();
    let mut compact = serve(&folder);
    let new: Vec<Reply> = readings().into_iter().map(|(tool, arguments, _, _)| compact.call(tool, arguments)).collect();
    let _ = compact.close();
    let mut legacy = full(&folder);
    for (reply, (tool, arguments, name, old)) in new.iter().zip(readings()) {
        let call = format!("{tool} {arguments} against {name} {old}");
        assert!(!reply.is_error, "{call}: {}", reply.text);
        let old = legacy.call(name, old);
        assert_eq!(settled(&reply.body), settled(&old.body), "{call}");
        if reply.body == json!({}) {
            assert_eq!(reply.text, old.text, "{call}");
        }
        let meta = &reply.meta["gortex_facade"];
        assert_eq!((&meta["facade"], &meta["canonical_tool"]), (&json!(tool), &json!(name)), "{call}");
        assert_eq!(meta["operation"], arguments["operation"], "{call}");
        assert_eq!(meta["surface_version"], "facade-v1", "{call}");
        assert!(old.meta["gortex_facade"].is_null(), "{call}: the legacy call carries {}", old.meta);
    }
}

/// An answer without what two processes may count differently: generations, times, and the session's own accounts.
fn settled(body: &Value) -> Value {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                fields.retain(|key, _| !key.ends_with("generation") && !key.ends_with("_time") && !key.ends_with("_savings"));
                fields.values_mut().for_each(strip);
            }
            Value::Array(items) => items.iter_mut().for_each(strip),
            _ => {}
        }
    }
    let mut body = body.clone();
    strip(&mut body);
    body
}

// A "read" that writes breaks what hosts were told about it.
#[test]
fn reading_operations_leave_every_state_as_it_was() {
    let folder = project();
    let mut server = serve(&folder);
    // The first call may still be settling in: configuration written by `track`, a snapshot.
    server.call("workspace", json!({"operation": "graph"})).ok();
    let before = (Folder::state(&folder.repo), kept(&folder));
    for (tool, arguments, _, _) in readings() {
        server.call(tool, arguments.clone()).ok();
        assert_eq!((Folder::state(&folder.repo), kept(&folder)), before, "{tool} {arguments}");
    }
    // As published, whatever they answer.
    for (tool, _, _, _, shape) in published(&mut server) {
        if READ_TOOLS.contains(&tool.as_str()) {
            let reply = server.call(&tool, shape.clone());
            assert_eq!((Folder::state(&folder.repo), kept(&folder)), before, "{tool} {shape}: {}", reply.text);
        }
    }
}

/// State of the home without the cache, which may be lost at any time and is not semantic state.
fn kept(folder: &Folder) -> Vec<String> {
    let mut lines = Folder::state(&folder.home);
    lines.retain(|line| !line.starts_with("cache"));
    lines
}

pub(crate) const READ_TOOLS: [&str; 14] = [
    "analyze",
    "ask",
    "capabilities",
    "change",
    "explore",
    "pr",
    "read",
    "recall",
    "relations",
    "response",
    "review",
    "search",
    "trace",
    "workspace",
];

/// Tool, operation, whether it is available, public schema and request shape of everything that `capabilities` lists.
fn published(server: &mut Client) -> Vec<(String, String, bool, Value, Value)> {
    let mut found = Vec::new();
    for tool in server.tool_names() {
        let mut ask = json!({"domain": tool, "detail": "schema", "output": {"max_bytes": 1_000_000}});
        loop {
            let reply = server.call("capabilities", ask.clone()).ok();
            for entry in reply.body["operations"].as_array().into_iter().flatten() {
                let word = |key: &str| entry[key].as_str().unwrap_or("").to_owned();
                let available = entry["available"] == true;
                found.push((
                    tool.clone(),
                    word("operation"),
                    available,
                    entry["input_schema"].clone(),
                    entry["request_shape"].clone(),
                ));
            }
            match reply.body["next_cursor"].as_str() {
                Some(cursor) => ask["output"]["cursor"] = json!(cursor),
                None => break,
            }
        }
    }
    found
}

// A published example that its own schema refuses teaches callers to ignore both.
#[test]
fn request_shapes_fit_their_schemas() {
    let folder = Folder::new();
    let mut server = Client::start_with(SERVER, &folder, &Options { track: false, ..Options::default() });
    let advertised: BTreeMap<String, Value> = server
        .tools()
        .iter()
        .map(|tool| (tool["name"].as_str().expect("a name").to_owned(), tool["inputSchema"].clone()))
        .collect();
    let published = published(&mut server);
    let available: Vec<_> = published.iter().filter(|(_, _, available, _, _)| *available).collect();
    assert!(available.len() >= readings().len(), "only {} operations are available", available.len());
    for (tool, operation, _, schema, shape) in available {
        for (name, schema) in [("its schema", schema), ("the advertised schema", &advertised[tool])] {
            let validator = jsonschema::validator_for(schema).unwrap_or_else(|error| panic!("{tool}.{operation}: {error}"));
            let errors: Vec<String> = validator.iter_errors(shape).map(|error| error.to_string()).collect();
            assert!(errors.is_empty(), "{tool}.{operation}: {shape} does not fit {name}: {errors:?}");
        }
    }
}

// Handlers of a library crate vanish when nothing names the crate; the registry must be whole in the linked program.
#[test]
fn handlers_survive_linking_and_nothing_is_both_pending_and_registered() {
    let registry = gortex_server::registry::registry().unwrap_or_else(|failure| panic!("{failure}"));
    let registered: BTreeSet<&str> = registry.legacy_names().collect();
    for (tool, arguments, legacy, _) in readings() {
        assert!(registered.contains(legacy), "{legacy} is not registered");
        let operation = arguments["operation"].as_str().expect("an operation");
        let entry = registry.operation(tool, operation).unwrap_or_else(|| panic!("{tool}.{operation} is not registered"));
        assert_eq!(entry.operation.effect, Effect::Read, "{tool}.{operation}");
    }
    for row in registry.pending() {
        assert!(
            registry.operation(&row.facade, &row.operation).is_none(),
            "{}.{} is both pending and registered",
            row.facade,
            row.operation
        );
    }
    let names: BTreeSet<&str> = registry.baseline().iter().map(|row| row.legacy).collect();
    assert_eq!(names.len(), 178);
    assert!(registered.iter().all(|name| names.contains(name)), "a handler outside the baseline");
}

// A pending operation must say that it is one, not answer with made-up data.
#[test]
fn pending_operations_are_listed_and_refused() {
    let folder = Folder::new();
    let mut server = Client::start_with(SERVER, &folder, &Options { track: false, ..Options::default() });
    for (tool, operation, available, _, _) in published(&mut server) {
        if !available {
            let key = if tool == "analyze" { "kind" } else { "operation" };
            let reply = server.call(&tool, json!({key: operation}));
            assert!(reply.is_error, "{tool}.{operation} answered: {}", reply.text);
        }
    }
}
