//! The protocol: clients of all revisions, names and manners.

use std::process::Stdio;

use gortex_tests::{Client, Daemon, Folder, Options, blob_sha};
use rmcp::model::{CallToolRequestParams, ClientConfig, Implementation, ProtocolVersion};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt as _, RoleClient, RunningService};
use rmcp::transport::TokioChildProcess;
use serde_json::{Value, json};
use tokio::process::Command;

use crate::{SERVER, serve};

type Peer = RunningService<RoleClient, ClientConfig>;

async fn connect(folder: &Folder, name: &str, mode: ClientLifecycleMode, daemon: Option<&Daemon>) -> Peer {
    let mut command = Command::new(SERVER);
    command.arg("mcp").current_dir(&folder.repo).envs(folder.environment()).env_remove("GORTEX_TOOLS").env_remove("GORTEX_HOME");
    if daemon.is_some() {
        command.arg("--proxy").env("GORTEX_DAEMON", "on");
    }
    let (transport, _) = TokioChildProcess::builder(command).stderr(Stdio::null()).spawn().expect("the server starts");
    let mut info = ClientConfig::default();
    info.client_info = Implementation::new(name, "1");
    info.serve_with_lifecycle(transport, mode).await.expect("a handshake")
}

async fn call(peer: &Peer, tool: &'static str, mut arguments: Value) -> Value {
    // Some hosts get the compact format when they don't say otherwise.
    arguments["output"] = json!({"format": "json"});
    let mut request = CallToolRequestParams::new(tool);
    request.arguments = arguments.as_object().cloned();
    let result = peer.call_tool(request).await.expect("an answer");
    let result = serde_json::to_value(&result).expect("JSON");
    let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {result}"));
    assert_ne!(result["isError"], true, "{text}");
    serde_json::from_str(text).unwrap_or_else(|_| json!(text))
}

/// A session as an agent has one: lists, reads, edits what it read, and sees the graph follow.
async fn whole_session(name: &str, mode: ClientLifecycleMode) {
    let folder = Folder::with("//- a.py\ndef leaf():\n    return 1\n\ndef root():\n    return 2\n");
    whole_session_in(&folder, name, mode, None).await;
}

async fn whole_session_in(folder: &Folder, name: &str, mode: ClientLifecycleMode, daemon: Option<&Daemon>) {
    let peer = connect(folder, name, mode, daemon).await;
    let tools = peer.list_all_tools().await.expect("tools");
    assert_eq!(tools.len(), 21, "{name}");
    call(&peer, "workspace_admin", json!({"operation": "track", "arguments": {"path": folder.repo.to_string_lossy()}})).await;
    let read = call(&peer, "read", json!({"target": {"file": "a.py"}})).await;
    let base = read["base_sha"].as_str().unwrap_or_else(|| panic!("no base_sha: {read}")).to_owned();
    assert_eq!(base, blob_sha(&folder.read("a.py")));
    let edit =
        json!({"target": {"file": "a.py"}, "match": "return 2", "replacement": "return leaf()", "guard": {"base_sha": base}});
    let edited = call(&peer, "edit", edit).await;
    assert_eq!(edited["new_sha"], blob_sha(&folder.read("a.py")));
    let callers = call(&peer, "relations", json!({"operation": "callers", "target": {"symbol": "leaf"}})).await;
    assert_eq!(callers["edges"][0]["from"], "a.py::root", "{callers}");
    peer.cancel().await.expect("an end");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_known_client_works_a_whole_session() {
    whole_session("claude-code", ClientLifecycleMode::Initialize).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unknown_client_works_a_whole_session() {
    whole_session("größe-editor", ClientLifecycleMode::Initialize).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_without_initialize_works_a_whole_session() {
    let mode = ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] };
    whole_session("any-host", mode).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clients_of_both_lifecycles_work_a_whole_session_through_the_daemon() {
    let discover = ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] };
    for (name, mode) in [("größe-editor", ClientLifecycleMode::Initialize), ("any-host", discover)] {
        let folder = Folder::with("//- a.py\ndef leaf():\n    return 1\n\ndef root():\n    return 2\n");
        let daemon = Daemon::start(SERVER, &folder, &[], &[]);
        whole_session_in(&folder, name, mode, Some(&daemon)).await;
    }
}

#[test]
fn hidden_legacy_names_are_blocked_and_full_serves_them() {
    let folder = Folder::with("//- a.py\ndef leaf():\n    return 1\n");
    let mut server = serve(&folder);
    let blocked = server.call("get_callers", json!({"id": "a.py::leaf"}));
    assert!(blocked.is_error, "{}", blocked.text);
    drop(server);
    let full = [("GORTEX_TOOLS", "full")];
    let mut server = Client::start_with(SERVER, &folder, &Options { env: &full, track: false, ..Options::default() });
    let names = server.tool_names();
    assert!(names.iter().any(|name| name == "get_callers") && !names.iter().any(|name| name == "relations"), "{names:?}");
    let path = folder.repo.to_string_lossy();
    server.call("track_repository", json!({"path": path})).ok();
    server.call("get_callers", json!({"id": "a.py::leaf"})).ok();
}

#[test]
fn an_empty_client_name_keeps_the_server_default() {
    let folder = Folder::new();
    let named = Client::start_with(SERVER, &folder, &Options { track: false, ..Options::default() }).tool_names();
    let nameless = Options { client: Some(""), track: false, ..Options::default() };
    let default = Client::start_with(SERVER, &folder, &nameless).tool_names();
    assert_ne!(named, default);
    assert!(!default.is_empty());
}

// Annotations come from effects: a host that trusts `readOnlyHint` must be right to.
#[test]
fn annotations_follow_effects() {
    let folder = Folder::new();
    let mut server = Client::start_with(SERVER, &folder, &Options { track: false, ..Options::default() });
    let tools = server.tools();
    let with = |hint: &str| -> Vec<&str> {
        let marked = tools.iter().filter(|tool| tool["annotations"][hint] == true);
        marked.filter_map(|tool| tool["name"].as_str()).collect()
    };
    let mut read_only = with("readOnlyHint");
    read_only.sort_unstable();
    assert_eq!(read_only, crate::surface::READ_TOOLS);
    let mut open = with("openWorldHint");
    open.sort_unstable();
    // One operation of `workspace_admin` asks a model.
    assert_eq!(open, ["ask", "pr", "publish_review", "review", "workspace_admin"]);
}

// Each of these took some server down, or left it deaf.
#[test]
fn broken_and_hostile_input_leaves_the_server_serving() {
    let folder = Folder::with("//- a.py\ndef leaf():\n    return 1\n");
    let mut server = serve(&folder);
    let works = |server: &mut Client| {
        let found = server.call("search", json!({"operation": "symbols", "query": "leaf"})).ok();
        assert!(found.names().contains("leaf"), "{}", found.text);
    };
    for line in ["{not json", "", "[]", "null", "42", "{\"jsonrpc\":\"2.0\"}", "{\"jsonrpc\":\"2.0\",\"method\":5,\"id\":{}}"] {
        server.send_line(line.as_bytes());
        works(&mut server);
    }
    server.send_line(b"\xff\xfe\x00\x01");
    works(&mut server);
    let missing = server.ask("tools/call", json!({}));
    assert!(missing.get("error").is_some(), "{missing}");
    works(&mut server);
    let unknown = server.call("no_such_tool", json!({}));
    assert!(unknown.is_error, "{}", unknown.text);
    works(&mut server);
    let deep = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":9000,\"method\":\"tools/call\",\"params\":{}1{}}}",
        "[".repeat(5000),
        "]".repeat(5000)
    );
    server.send_line(deep.as_bytes());
    works(&mut server);
}

#[test]
fn a_huge_argument_leaves_the_server_serving() {
    let folder = Folder::with("//- a.py\ndef leaf():\n    return 1\n");
    let mut server = serve(&folder);
    let huge = "x".repeat(50 << 20);
    server.request("tools/call", json!({"name": "search", "arguments": {"operation": "text", "query": huge}}));
    let found = server.call("search", json!({"operation": "symbols", "query": "leaf"})).ok();
    assert!(found.names().contains("leaf"), "{}", found.text);
    assert!(server.peak_mib() < 400, "{} MiB", server.peak_mib());
}

#[test]
fn a_cancelled_call_leaves_the_server_serving() {
    let folder = Folder::with("//- a.py\ndef leaf():\n    return 1\n");
    let mut server = serve(&folder);
    for _ in 0..20 {
        let id = server.request("tools/call", json!({"name": "explore", "arguments": {"operation": "task", "task": "leaf"}}));
        server.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id, "reason": "changed my mind"}}));
    }
    let found = server.call("search", json!({"operation": "symbols", "query": "leaf"})).ok();
    assert!(found.names().contains("leaf"), "{}", found.text);
}

#[test]
fn a_server_ends_with_its_client_even_while_it_indexes() {
    let folder = Folder::new();
    folder.write("pyproject.toml", "[project]\nname = \"many\"\n");
    for at in 0..600 {
        folder.write(&format!("m{at}.py"), format!("def f{at}(x):\n    return x\n").repeat(40));
    }
    let server = Client::start_with(SERVER, &folder, &Options { track: false, ..Options::default() });
    let (status, errors) = server.close();
    assert!(status.success() && !errors.contains("panicked"), "{status}: {errors}");
}

#[test]
fn a_folder_without_a_mark_is_not_tracked_and_the_answer_says_how() {
    let folder = Folder::with("//- notes.txt\nhello\n");
    let mut server = Client::start_with(SERVER, &folder, &Options { track: false, ..Options::default() });
    let reply = server.call("search", json!({"operation": "symbols", "query": "hello"}));
    assert!(reply.text.contains("track"), "{}", reply.text);
}
