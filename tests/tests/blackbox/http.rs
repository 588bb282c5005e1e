//! HTTP from outside: MCP, plain views and calls, and what keeps others out.

use gortex_tests::{Answer, Daemon, Folder, command};
use serde_json::{Value, json};

use crate::SERVER;

const HERE: [&str; 2] = ["--http-addr", "127.0.0.1:0"];

fn project() -> Folder {
    Folder::with("//- pyproject.toml\n//- a.py\ndef leaf():\n    return 1\n\ndef root():\n    return leaf()\n")
}

fn serve(folder: &Folder) -> Daemon {
    Daemon::start(SERVER, folder, &HERE, &[])
}

fn hello(version: &str) -> Value {
    let client = json!({"name": "é", "version": "1"});
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": version, "capabilities": {}, "clientInfo": client}})
}

fn call(id: u64, tool: &str, arguments: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
}

/// Opens a session and gives its id back.
#[track_caller]
fn open(daemon: &Daemon) -> String {
    let answer = daemon.mcp(&[], &hello("2025-06-18"));
    assert_eq!(answer.status, 200, "{answer:?}");
    let id = answer.header("mcp-session-id").expect("a session").to_owned();
    let ready = daemon.mcp(&[("mcp-session-id", &id)], &json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    assert_eq!((ready.status, ready.text.as_str()), (202, ""));
    id
}

#[track_caller]
fn refused(answer: &Answer, status: u16, word: &str) {
    let body = answer.json();
    let said = body["error"]["data"]["error_code"].as_str().or(body["error"].as_str());
    assert_eq!((answer.status, said), (status, Some(word)), "{answer:?}");
}

#[test]
fn a_session_lives_from_initialize_to_delete() {
    let folder = project();
    let daemon = serve(&folder);
    let first = daemon.mcp(&[], &hello("2025-06-18"));
    assert_eq!(first.header("mcp-session-idle-ttl"), Some("1800"));
    assert_eq!(first.json()["result"]["_meta"]["gortex/session_idle_ttl_seconds"], 1800);
    let id = open(&daemon);
    let session = [("mcp-session-id", id.as_str()), ("mcp-protocol-version", "2025-06-18")];
    let tools = daemon.mcp(&session, &json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}));
    assert_eq!(tools.json()["result"]["tools"].as_array().map(Vec::len), Some(21));
    assert_eq!(tools.header("mcp-protocol-version"), Some("2025-06-18"));
    let found = daemon.mcp(&session, &call(3, "search", json!({"operation": "symbols", "query": "leaf"})));
    assert!(found.json()["result"]["content"][0]["text"].as_str().is_some_and(|text| text.contains("a.py::leaf")), "{found:?}");
    for _ in 0..2 {
        assert_eq!(daemon.http("DELETE", "/mcp", &session, b"").status, 204);
    }
    let gone = daemon.mcp(&session, &call(4, "workspace", json!({})));
    refused(&gone, 404, "session_not_found");
    assert_eq!((&gone.json()["error"]["code"], &gone.json()["id"]), (&json!(-32001), &json!(4)));
    assert_eq!(gone.header("mcp-session-id"), None);
}

#[test]
fn a_request_of_2026_07_28_stands_alone() {
    let folder = project();
    let daemon = serve(&folder);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "é", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta.clone()}});
    let headers = [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/list")];
    let tools = daemon.mcp(&headers, &list);
    assert_eq!(tools.json()["result"]["tools"].as_array().map(Vec::len), Some(21), "{tools:?}");
    let mut search = call(2, "search", json!({"operation": "symbols", "query": "leaf"}));
    search["params"]["_meta"] = meta;
    let headers = [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/call"), ("mcp-name", "search")];
    let found = daemon.mcp(&headers, &search);
    assert!(found.json()["result"]["content"][0]["text"].as_str().is_some_and(|text| text.contains("a.py::leaf")), "{found:?}");
    assert_eq!(daemon.order("probe", json!({}))["result"]["sessions"], 0);
}

// Each of these got a page of text, a wrong status, or took the server down in some implementation.
#[test]
fn bad_input_gets_its_status_and_code_and_the_server_goes_on() {
    let folder = project();
    let daemon = serve(&folder);
    let mcp = |headers: &[(&str, &str)], body: &[u8]| daemon.http("POST", "/mcp", headers, body);
    let json_type = ("content-type", "application/json");
    let accept = ("accept", "application/json, text/event-stream");
    refused(&mcp(&[json_type, accept], b"{no json"), 400, "malformed");
    refused(&mcp(&[json_type, accept], b"[]"), 400, "batch");
    refused(&mcp(&[("content-type", "text/plain"), accept], b"{}"), 415, "content_type");
    refused(&mcp(&[accept], b"{}"), 415, "content_type");
    refused(&mcp(&[json_type], hello("2025-06-18").to_string().as_bytes()), 406, "not_acceptable");
    let huge = vec![b' '; (4 << 20) + 1];
    refused(&mcp(&[json_type, accept], &huge), 413, "body_too_large");
    refused(&daemon.mcp(&[("mcp-session-id", "unknown")], &call(7, "search", json!({}))), 404, "session_not_found");
    refused(&daemon.mcp(&[], &call(8, "search", json!({}))), 400, "session_required");
    let id = open(&daemon);
    let unknown = [("mcp-session-id", id.as_str()), ("mcp-protocol-version", "1999-01-01")];
    let answer = daemon.mcp(&unknown, &call(9, "search", json!({})));
    refused(&answer, 400, "unsupported_protocol_version");
    assert!(answer.json()["error"]["data"]["supported"].as_array().is_some_and(|known| known.contains(&json!("2026-07-28"))));
    refused(&daemon.http("PATCH", "/mcp", &[], b""), 405, "method_not_allowed");
    refused(&daemon.http("GET", "/nowhere", &[], b""), 404, "no_such_route");
    refused(&daemon.http("POST", "/v1/stats", &[], b""), 405, "method_not_allowed");
    for bytes in [&b"\r\n\r\n"[..], b"GET", b"\xff\xfe\x00\x01\r\n\r\n", b"POST /mcp HTTP/1.1\r\ncontent-length: x\r\n\r\n"] {
        daemon.http_raw(&[bytes, b"\r\n\r\n"].concat());
    }
    // Deep nesting must end in an error, not in the stack.
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(mcp(&[json_type, accept], deep.as_bytes()).status, 400);
    let session = [("mcp-session-id", id.as_str())];
    let found = daemon.mcp(&session, &call(10, "search", json!({"operation": "symbols", "query": "leaf"})));
    assert!(found.text.contains("a.py::leaf"), "{found:?}");
}

#[test]
fn foreign_hosts_and_origins_are_kept_out() {
    let folder = project();
    let flags = [&HERE[..], &["--cors-origin", "https://app.example"]].concat();
    let daemon = Daemon::start(SERVER, &folder, &flags, &[]);
    refused(&daemon.http("GET", "/v1/health", &[("host", "evil.example")], b""), 403, "host_not_allowed");
    refused(&daemon.http("GET", "/healthz", &[("host", "localhost.evil.example")], b""), 403, "host_not_allowed");
    for origin in ["https://evil.example", "null", "http://localhost:1"] {
        let answer = daemon.http("GET", "/v1/health", &[("origin", origin)], b"");
        refused(&answer, 403, "origin_not_allowed");
        assert_eq!(answer.header("access-control-allow-origin"), None);
    }
    let allowed = daemon.http("GET", "/v1/health", &[("origin", "https://app.example")], b"");
    assert_eq!((allowed.status, allowed.header("access-control-allow-origin")), (200, Some("https://app.example")));
    let preflight = daemon.http("OPTIONS", "/mcp", &[("origin", "https://app.example")], b"");
    assert_eq!(preflight.status, 204);
    refused(&daemon.http("OPTIONS", "/mcp", &[("origin", "https://evil.example")], b""), 403, "origin_not_allowed");
}

#[test]
fn a_token_is_asked_for_where_there_is_one() {
    let folder = project();
    let daemon = Daemon::start(SERVER, &folder, &HERE, &[("GORTEX_DAEMON_HTTP_TOKEN", "s3cret é")]);
    let get = |headers: &[(&str, &str)]| daemon.http("GET", "/v1/health", headers, b"");
    let missing = get(&[]);
    refused(&missing, 401, "token_required");
    assert_eq!(missing.header("www-authenticate"), Some("Bearer"));
    refused(&get(&[("authorization", "Bearer wrong")]), 401, "invalid_token");
    refused(&get(&[("authorization", "Basic s3cret")]), 401, "token_required");
    refused(&daemon.http("GET", "/v1/health?token=s3cret", &[], b""), 401, "token_required");
    refused(&daemon.mcp(&[], &hello("2025-06-18")), 401, "token_required");
    assert_eq!(daemon.http("GET", "/healthz", &[], b"").status, 200);
    let ascii = Folder::with("//- Makefile\n");
    let other = Daemon::start(SERVER, &ascii, &HERE, &[("GORTEX_DAEMON_HTTP_TOKEN", "plain")]);
    assert_eq!(other.http("GET", "/v1/health", &[("authorization", "Bearer plain")], b"").status, 200);
    refused(&other.http("GET", "/v1/health", &[("authorization", "Bearer plain2")], b""), 401, "invalid_token");
}

#[test]
fn an_address_that_others_reach_is_refused_without_a_token() {
    let folder = project();
    let output = command(SERVER, &folder).args(["daemon", "start", "--http-addr", "0.0.0.0:0"]).output().expect("runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && said.contains("GORTEX_DAEMON_HTTP_TOKEN"), "{said}");
}

#[test]
fn tools_are_called_by_plain_http() {
    let folder = project();
    let daemon = serve(&folder);
    let compact = ("x-gortex-tools", "compact");
    let json_type = ("content-type", "application/json");
    let post = |name: &str, headers: &[(&str, &str)], body: &Value| {
        daemon.http("POST", &format!("/v1/tools/{name}"), headers, body.to_string().as_bytes())
    };
    let flat = post("search", &[compact, json_type], &json!({"operation": "symbols", "query": "leaf"}));
    assert!(flat.json()["content"][0]["text"].as_str().is_some_and(|text| text.contains("a.py::leaf")), "{flat:?}");
    let nested = post("search", &[compact, json_type], &json!({"arguments": {"operation": "symbols", "query": "leaf"}}));
    assert_eq!(nested.json()["content"], flat.json()["content"]);
    let wrong = post("search", &[compact, json_type], &json!({"operation": "é"}));
    assert_eq!((wrong.status, &wrong.json()["isError"]), (200, &json!(true)));
    let legacy = post("get_callers", &[json_type], &json!({"id": "a.py::leaf"}));
    assert!(legacy.text.contains("a.py::root"), "{legacy:?}");
    let none = post("no_such_tool", &[json_type], &json!({}));
    refused(&none, 404, "tool_not_found");
    assert!(none.json()["available_tools"].as_array().is_some_and(|names| names.contains(&json!("graph_stats"))), "{none:?}");
    refused(&post("search", &[compact, json_type], &json!(null)), 400, "invalid_body");
    refused(&post("search", &[compact, json_type], &json!([1])), 400, "invalid_body");
    refused(&post("search", &[compact, json_type], &json!({"arguments": null})), 400, "invalid_body");
    refused(&post("search", &[compact], &json!({})), 415, "content_type");
    refused(&daemon.http("POST", "/v1/tools/search", &[json_type], &vec![b' '; (1 << 20) + 1]), 413, "body_too_large");
    let names = daemon.http("GET", "/v1/tools", &[compact], b"").json();
    assert_eq!(names.as_array().map(Vec::len), Some(21));
    // A session of MCP is the caller beside it, too.
    let id = open(&daemon);
    let named = post("search", &[("mcp-session-id", &id), json_type], &json!({"operation": "symbols", "query": "leaf"}));
    assert_eq!(named.status, 200, "{named:?}");
    refused(&post("search", &[("mcp-session-id", "x"), json_type], &json!({})), 404, "session_not_found");
}

#[test]
fn views_show_what_there_is_and_name_what_is_missing() {
    let folder = project();
    let daemon = serve(&folder);
    let get = |path: &str| daemon.http("GET", path, &[], b"");
    assert_eq!(get("/healthz").json()["status"], "ok");
    let graph = get("/v1/graph").json();
    assert_eq!((graph["total_nodes"].as_u64(), &graph["truncated"]), (Some(4), &json!(false)), "{graph}");
    assert_eq!(graph["edges"].as_array().map(Vec::len), Some(1), "{graph}");
    assert_eq!(get("/v1/graph?limit=1").json()["truncated"], true);
    refused(&get("/v1/graph?repo=no"), 404, "repo_not_tracked");
    refused(&get("/v1/graph?limit=x"), 400, "invalid_query");
    let health = get("/v1/health").json();
    assert_eq!((&health["status"], &health["api_version"], &health["nodes"]), (&json!("ready"), &json!(1), &json!(4)));
    let stats = get("/v1/stats").json();
    assert!(stats["total_nodes"] == 4 && stats["server_id"].is_string() && stats["started_at"].is_u64(), "{stats}");
    assert!(get("/v1/subgraph?id=a.py::root").text.contains("a.py::leaf"));
    assert_eq!(get("/v1/subgraph").status, 400);
    assert!(get("/v1/repos").text.contains("repo"));
    assert_eq!(get("/v1/workspaces/repo/repos").json()["repos"][0]["name"], "repo");
    refused(&get("/v1/workspaces/x/repos"), 404, "workspace_unknown");
    assert_eq!(get("/v1/dashboard").json()["files"], 2);
    assert_eq!(get("/v1/caveats").json()["health_score"], 100.0);
    let missing = get("/v1/processes");
    refused(&missing, 501, "unavailable");
    assert_eq!(missing.json()["missing"], "get_processes");
    refused(&daemon.http("POST", "/v1/overlay/sessions", &[], b""), 503, "overlays_off");
    let metrics = get("/metrics");
    assert!(metrics.text.contains("gortex_nodes 4\n"), "{}", metrics.text);
    assert!(metrics.text.contains("gortex_http_requests_total{route=\"/v1/graph\",status=\"200\"} 2"), "{}", metrics.text);
    assert!(!metrics.text.contains("a.py") && !metrics.text.contains("repo\""), "{}", metrics.text);
}

#[test]
fn a_folder_is_named_by_a_header() {
    let (folder, other) = (project(), Folder::with("//- Makefile\n//- b.py\ndef elsewhere():\n    pass\n"));
    let daemon = serve(&folder);
    let cwd = other.repo.display().to_string();
    let found = daemon.http("GET", "/v1/graph", &[("x-gortex-cwd", &cwd)], b"");
    assert!(found.text.contains("elsewhere") && !found.text.contains("leaf"), "{found:?}");
    refused(&daemon.http("GET", "/v1/graph", &[("x-gortex-cwd", "/no/such")], b""), 400, "bad_folder");
}
