//! What a connection remembers, and what it is told without asking.

use gortex_core::gcx;
use gortex_tests::{Client, Folder, Options};
use serde_json::{Value, json};

use crate::{SERVER, serve};

fn project() -> Folder {
    Folder::of(&[("a.py", "def f(x):\n    return x\n\ndef größe():\n    return f(1)\n"), ("pyproject.toml", "")])
}

fn session(client: &mut Client, operation: &str, arguments: Value) -> Value {
    client.call("session", json!({"operation": operation, "arguments": arguments})).ok().body
}

/// The notification of this method: one that came between answers, or the next to come.
fn heard(client: &mut Client, method: &str) -> Value {
    let came = client.lines.iter().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    if let Some(message) = came.into_iter().find(|message| message["method"] == method) {
        return message["params"].clone();
    }
    loop {
        let message = client.read();
        if message["method"] == method {
            return message["params"].clone();
        }
    }
}

// A large answer had to be asked for again to be read to its end.
#[test]
fn a_large_answer_is_looked_at_again() {
    let folder = Folder::of(&[("pyproject.toml", "")]);
    let text: String = (0..60).map(|at| format!("def größe_{at}():\n    return {at}\n\n")).collect::<Vec<_>>().concat();
    folder.write("a.py", text);
    let mut client = serve(&folder);
    let answer = client.call("search", json!({"operation": "symbols", "query": "größe"})).ok();
    let ask = |client: &mut Client, operation: &str, arguments: Value| {
        client.call("response", json!({"operation": operation, "arguments": arguments})).ok().body
    };
    let stats = ask(&mut client, "stats", json!({}));
    let pretty = serde_json::to_string_pretty(&answer.body).expect("JSON");
    let (tool, bytes) = (&stats["buffered"][0]["tool"], &stats["buffered"][0]["bytes"]);
    assert_eq!((tool, bytes), (&json!("search_symbols"), &json!(pretty.len())));
    let id = stats["buffered"][0]["response_id"].clone();
    let slice = ask(&mut client, "slice", json!({"response_id": id, "from": 1, "to": 2}));
    assert_eq!(slice["content"], pretty.lines().take(2).collect::<Vec<_>>().join("\n"));
    let hits = ask(&mut client, "grep", json!({"pattern": "größe_1\\b", "context": 1}));
    assert!(hits["block"].as_str().is_some_and(|block| block.contains("größe_1")), "{hits}");
    assert!(client.close().0.success());
}

#[test]
fn planning_blocks_writes_by_effect_and_is_left_by_its_own_way_out() {
    let folder = project();
    let mut client = serve(&folder);
    session(&mut client, "planning_mode", json!({"mode": "planning"}));
    assert_eq!(client.tool_names().len(), 21, "the roster is static");
    let write = json!({"target": {"file": "a.py"}, "match": "f(1)", "replacement": "f(2)"});
    let refused = client.call("edit", write.clone());
    assert!(refused.is_error && refused.text.contains("tool_blocked_by_mode"), "{}", refused.text);
    client.call("read", json!({"target": {"file": "a.py"}})).ok();
    session(&mut client, "planning_mode", json!({"mode": "editing"}));
    client.call("edit", write).ok();
    assert!(folder.text("a.py").contains("f(2)"));
}

#[test]
fn a_workflow_holds_edits_back_until_they_are_due() {
    let folder = project();
    let mut client = serve(&folder);
    session(&mut client, "workflow", json!({"action": "start"}));
    let write = json!({"target": {"file": "a.py"}, "match": "f(1)", "replacement": "f(2)"});
    let refused = client.call("edit", write.clone());
    assert!(refused.is_error && refused.text.contains("tool_out_of_phase"), "{}", refused.text);
    assert_eq!(session(&mut client, "workflow", json!({"action": "advance"}))["edits_allowed"], true);
    client.call("edit", write).ok();
}

// An agent kept answering from what it had read before somebody else's edit.
#[test]
fn a_changed_file_is_told_to_the_session_that_read_it() {
    let folder = project();
    let mut client = serve(&folder);
    for channel in ["stale_refs", "graph_invalidated", "workspace_readiness"] {
        let answer = client.call("session", json!({"operation": "subscribe", "channel": channel})).ok().body;
        assert_eq!((&answer["subscribed"], &answer["subscribers"]), (&json!(true), &json!(1)), "{answer}");
    }
    let replayed = heard(&mut client, "notifications/workspace_readiness");
    assert_eq!((&replayed["ready"], &replayed["initial_replay"]), (&json!(true), &json!(true)));
    client.call("read", json!({"target": {"symbol": "f"}})).ok();
    folder.write("a.py", "def größe():\n    return 1\n");
    client.call("workspace", json!({"operation": "graph"})).ok();
    let told = heard(&mut client, "notifications/stale_refs");
    assert_eq!((&told["path"], &told["removed_symbols"]), (&json!("a.py"), &json!(["a.py::f"])));
    assert!(told["ts"].as_str().is_some_and(|time| time.ends_with('Z')));
}

#[test]
fn every_answer_comes_in_four_forms_and_pages_go_on_after_an_edit_elsewhere() {
    let folder = project();
    folder.write("c.py", "def größe_neu():\n    pass\n");
    let mut client = serve(&folder);
    let ask = |format: &str| json!({"operation": "callers", "target": {"symbol": "f"}, "output": {"format": format}});
    let table = client.call("relations", ask("gcx")).text;
    let document = gcx::decode(table.as_bytes()).unwrap_or_else(|error| panic!("{error}: {table}"));
    let ids: Option<Vec<&str>> = document.sections[0].column("id").map(Iterator::collect);
    assert_eq!(ids, Some(vec!["a.py::f", "a.py::größe"]), "{table}");
    assert!(client.call("relations", ask("toon")).text.contains("nodes[2]{"));
    assert!(client.call("relations", ask("text")).text.contains("nodes (2):"));
    assert!(client.call("relations", ask("yaml")).is_error);

    let page = |cursor: &Value| json!({"operation": "symbols", "query": "größe", "output": {"limit": 1, "cursor": cursor}});
    let first = client.call("search", page(&json!(""))).ok().body;
    let cursor = first["next_cursor"].clone();
    folder.write("b.py", "x = 1\n");
    client.call("workspace", json!({"operation": "graph"})).ok();
    let second = client.call("search", page(&cursor)).ok().body;
    assert_ne!(first["results"][0]["id"], second["results"][0]["id"]);
    folder.write("a.py", "def größe_2():\n    return 1\n");
    client.call("workspace", json!({"operation": "graph"})).ok();
    let expired = client.call("search", page(&cursor));
    assert!(expired.is_error && expired.text.contains("cursor_expired"), "{}", expired.text);
}

#[test]
fn a_host_that_decodes_gets_tables_unless_it_says_otherwise() {
    let folder = project();
    let options = Options { client: Some("claude-code"), track: false, ..Options::default() };
    let mut client = Client::start_with(SERVER, &folder, &options);
    let ask = |output: Value| json!({"operation": "symbols", "query": "f", "output": output});
    assert!(client.call("search", ask(json!({}))).text.starts_with("GCX1 tool=search_symbols fields="));
    assert!(client.call("search", ask(json!({"format": "json"}))).text.starts_with('{'));
}

#[test]
fn a_followed_resource_is_told_about_after_a_change_and_prompts_and_completions_answer() {
    let folder = project();
    let mut client = serve(&folder);
    let read = client.ask("resources/read", json!({"uri": "gortex://stats"}));
    assert!(read["result"]["contents"][0]["text"].as_str().is_some_and(|text| text.contains("total_nodes")), "{read}");
    assert!(client.ask("resources/subscribe", json!({"uri": "gortex://stats"})).get("result").is_some());
    let refused = client.ask("resources/subscribe", json!({"uri": "gortex://nothing"}));
    assert!(refused["error"]["data"]["valid_uris"].is_array(), "{refused}");
    folder.write("b.py", "def neu():\n    pass\n");
    client.call("workspace", json!({"operation": "graph"})).ok();
    assert_eq!(heard(&mut client, "notifications/resources/updated")["uri"], "gortex://stats");
    let prompt = client.ask("prompts/get", json!({"name": "safe_to_change", "arguments": {"symbol": "f"}}));
    assert!(prompt["result"]["messages"][0]["content"]["text"].as_str().is_some_and(|text| text.contains("größe")), "{prompt}");
    let reference = json!({"type": "ref/prompt", "name": "safe_to_change"});
    let found = client.ask("completion/complete", json!({"ref": reference, "argument": {"name": "symbol", "value": "gr"}}));
    assert_eq!(found["result"]["completion"]["values"][0], "a.py::größe", "{found}");
    let malformed = client.ask("resources/read", json!({}));
    assert_eq!(malformed["error"]["code"], -32602, "{malformed}");
}
