//! The standard streams as a host sees them: what is on them, what nonsense does, how it ends.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Command, Stdio};

use gortex_tests::{Client, Folder, Reply, command};
use serde_json::{Value, json};

use crate::SERVER;

/// `gortex mcp` in the folder.
fn mcp(folder: &Folder) -> Command {
    let mut command = command(SERVER, folder);
    command.arg("mcp");
    command
}

/// A server that nothing has been said to yet.
fn open(folder: &Folder) -> Client {
    Client::open(mcp(folder))
}

const PYTHON: (&str, &str) = ("src/a.py", "def a():\n    pass\n");

#[test]
fn a_named_client_gets_the_21_tools() {
    let place = Folder::of(&[PYTHON]);
    let mut client = open(&place);
    let hello = client.initialize("any-host");
    assert_eq!(hello["result"]["serverInfo"]["name"], "gortex");
    let names = client.tool_names();
    assert_eq!(names.len(), 21);
    assert!(names.contains(&"read".to_owned()) && !names.contains(&"read_file".to_owned()));
    let Reply { text, is_error: refused, .. } = client.call("index_health", json!({}));
    assert!(refused && text.contains("tool_blocked_by_mode"), "{text}");
    assert!(client.close().0.success());
}

#[test]
fn the_environment_selects_a_legacy_surface() {
    let place = Folder::of(&[PYTHON]);
    let mut command = mcp(&place);
    command.env("GORTEX_TOOLS", "full");
    let mut client = Client::open(command);
    client.initialize("any-host");
    let names = client.tool_names();
    assert!(names.contains(&"index_health".to_owned()) && !names.contains(&"workspace".to_owned()), "{names:?}");
}

// A host whose folder has no mark saw errors without a way out.
#[test]
fn an_unmarked_folder_is_inactive_until_it_is_tracked() {
    let place = Folder::of(&[PYTHON]);
    let mut client = open(&place);
    let hello = client.initialize("any-host");
    assert!(hello["result"]["instructions"].as_str().is_some_and(|text| text.contains("workspace_admin")), "{hello}");
    let Reply { text, is_error: refused, .. } = client.call("workspace", json!({"operation": "graph"}));
    assert!(!refused && text.contains("repo_not_tracked") && text.contains("index"), "{text}");
    let path = place.repo.display().to_string();
    let Reply { text, is_error: refused, .. } =
        client.call("workspace_admin", json!({"operation": "track", "arguments": {"path": path}}));
    assert!(!refused && text.contains("\"tracked\""), "{text}");
    let Reply { text, .. } = client.call("workspace", json!({"operation": "graph"}));
    assert!(text.contains("\"total_files\":1"), "{text}");
    assert!(client.close().0.success());
    let listed: Vec<_> =
        std::fs::read_dir(&place.repo).expect("a folder").map(|entry| entry.expect("an entry").file_name()).collect();
    assert_eq!(listed, ["src"]);
}

#[test]
fn a_marked_folder_is_tracked_by_itself() {
    let place = Folder::of(&[PYTHON, ("pyproject.toml", "")]);
    let mut client = open(&place);
    client.initialize("any-host");
    let Reply { text, .. } = client.call("workspace", json!({"operation": "graph"}));
    assert!(text.contains("\"total_files\":2"), "{text}");
    let path = place.repo.display().to_string();
    let Reply { text, .. } = client.call("workspace_admin", json!({"operation": "track", "arguments": {"path": path}}));
    assert_eq!(text, "repository already tracked");
}

#[test]
fn nonsense_leaves_the_server_serving() {
    let place = Folder::of(&[PYTHON]);
    let mut client = open(&place);
    client.raw(b"\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n\xff\xfe\n");
    assert_eq!(client.read()["error"]["code"], -32700);
    client.initialize("any-host");
    client.raw("{\"jsonrpc\": \"2.0\", é\r\n".as_bytes());
    assert_eq!(client.answer(Value::Null)["error"]["code"], -32700);
    client.raw(b"[]\n");
    assert_eq!(client.answer(Value::Null)["error"]["code"], -32600);
    assert_eq!(client.ask("no/such", json!({}))["error"]["code"], -32601);
    assert_eq!(client.ask("tools/call", json!({"arguments": 1}))["error"]["code"], -32602);
    let Reply { text, is_error: refused, .. } = client.call("no_such_tool", json!({}));
    assert!(refused && text.contains("capabilities"), "{text}");
    assert_eq!(client.tool_names().len(), 21);
    assert!(client.close().0.success());
}

#[test]
fn an_argument_of_50_megabytes_is_refused_by_its_id() {
    let place = Folder::of(&[PYTHON]);
    let mut client = open(&place);
    client.initialize("any-host");
    client.raw(br#"{"jsonrpc":"2.0","id":"big","method":"tools/call","params":{"name":"search","arguments":{"query":""#);
    let block = vec![b'x'; 1 << 20];
    for _ in 0..50 {
        client.raw(&block);
    }
    client.raw(b"\"}}}\n");
    assert_eq!(client.answer("big")["error"]["code"], -32600);
    assert_eq!(client.tool_names().len(), 21);
    assert!(client.peak_mib() < 150, "{} MiB", client.peak_mib());
}

#[test]
fn a_cancelled_call_leaves_the_server_serving() {
    let place = Folder::of(&[PYTHON, ("Makefile", "")]);
    let mut client = open(&place);
    client.initialize("any-host");
    let call = json!({"name": "workspace_admin", "arguments": {"operation": "index", "arguments": {"path": "repo"}}});
    client.send(&json!({"jsonrpc": "2.0", "id": "late", "method": "tools/call", "params": call}));
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "late"}}));
    let Reply { text, is_error: refused, .. } = client.call("workspace", json!({"operation": "graph"}));
    assert!(!refused && text.contains("total_files"), "{text}");
}

#[test]
fn case_36_the_end_of_the_input_is_the_end_even_while_indexing() {
    let body: Vec<String> = (0..400).map(|at| format!("def f{at}(x):\n    return f{}(x)\n", at / 2)).collect();
    let body = body.concat();
    let names: Vec<String> = (0..60).map(|at| format!("pkg/m{at}.py")).collect();
    let mut files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), body.as_str())).collect();
    files.push(("setup.py", ""));
    let place = Folder::of(&files);
    let mut command = mcp(&place);
    command.env("RUST_LOG", "trace");
    let mut client = Client::open(command);
    client.initialize("any-host");
    assert!(client.close().0.success());
    let mut second = open(&place);
    assert!(second.initialize("any-host")["result"].is_object());
    assert!(second.close().0.success());
}

#[test]
fn an_input_that_ends_before_the_handshake_is_no_failure() {
    let place = Folder::of(&[PYTHON]);
    assert!(open(&place).close().0.success());
}

#[test]
fn a_closed_output_ends_the_process() {
    let place = Folder::of(&[PYTHON]);
    let mut child = mcp(&place).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("starts");
    let mut input = child.stdin.take().expect("a pipe");
    drop(child.stdout.take());
    std::io::Write::write_all(&mut input, b"nonsense\n").expect("writes");
    assert!(child.wait().expect("ends").success());
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_process_cleanly() {
    let place = Folder::of(&[PYTHON, ("Makefile", "")]);
    for name in ["INT", "TERM"] {
        let mut client = open(&place);
        client.initialize("any-host");
        let sent =
            std::process::Command::new("kill").args([format!("-{name}"), client.id().to_string()]).status().expect("sends");
        assert!(sent.success());
        assert!(client.ended().0.success(), "{name}");
    }
}

#[test]
fn logs_are_on_the_other_stream() {
    let place = Folder::of(&[("src/broken.py", "def a(:\n"), ("Makefile", "")]);
    let mut command = mcp(&place);
    let mut child = command
        .env("RUST_LOG", "debug")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("starts");
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "1999-01-01", "capabilities": {},
        "clientInfo": {"name": "é", "version": "1"}}});
    let mut input = child.stdin.take().expect("a pipe");
    std::io::Write::write_all(&mut input, format!("{hello}\n").as_bytes()).expect("writes");
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut first = String::new();
    output.read_line(&mut first).expect("a line");
    let answer: Value = serde_json::from_str(&first).expect("a message");
    assert_eq!(answer["result"]["protocolVersion"], "2025-11-25");
    drop(input);
    let mut rest = String::new();
    output.read_to_string(&mut rest).expect("text");
    assert_eq!(rest, "");
    let mut logs = String::new();
    child.stderr.take().expect("a pipe").read_to_string(&mut logs).expect("text");
    assert!(logs.contains("DEBUG"), "{logs}");
    assert!(child.wait().expect("ends").success());
}
