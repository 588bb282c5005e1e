//! The standard streams as a host sees them: what is on them, what nonsense does, how it ends.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::Stdio;

use gortex_tests::Place;
use serde_json::{Value, json};

const PYTHON: (&str, &str) = ("src/a.py", "def a():\n    pass\n");

#[test]
fn a_named_client_gets_the_21_tools() {
    let place = Place::with(&[PYTHON]);
    let mut client = place.serve(|_| {});
    let hello = client.hello("any-host");
    assert_eq!(hello["result"]["serverInfo"]["name"], "gortex");
    let names = client.tools();
    assert_eq!(names.len(), 21);
    assert!(names.contains(&"read".to_owned()) && !names.contains(&"read_file".to_owned()));
    let (text, refused) = client.call("index_health", json!({}));
    assert!(refused && text.contains("tool_blocked_by_mode"), "{text}");
    assert!(client.end().success());
}

#[test]
fn the_environment_selects_a_legacy_surface() {
    let place = Place::with(&[PYTHON]);
    let mut client = place.serve(|command| {
        command.env("GORTEX_TOOLS", "full");
    });
    client.hello("any-host");
    let names = client.tools();
    assert!(names.contains(&"index_health".to_owned()) && !names.contains(&"workspace".to_owned()), "{names:?}");
}

// A host whose folder has no mark saw errors without a way out.
#[test]
fn an_unmarked_folder_is_inactive_until_it_is_tracked() {
    let place = Place::with(&[PYTHON]);
    let mut client = place.serve(|_| {});
    let hello = client.hello("any-host");
    assert!(hello["result"]["instructions"].as_str().is_some_and(|text| text.contains("workspace_admin")), "{hello}");
    let (text, refused) = client.call("workspace", json!({"operation": "graph"}));
    assert!(!refused && text.contains("repo_not_tracked") && text.contains("index"), "{text}");
    let path = place.repo().display().to_string();
    let (text, refused) = client.call("workspace_admin", json!({"operation": "track", "arguments": {"path": path}}));
    assert!(!refused && text.contains("\"tracked\""), "{text}");
    let (text, _) = client.call("workspace", json!({"operation": "graph"}));
    assert!(text.contains("\"total_files\":1"), "{text}");
    assert!(client.end().success());
    let listed: Vec<_> =
        std::fs::read_dir(place.repo()).expect("a folder").map(|entry| entry.expect("an entry").file_name()).collect();
    assert_eq!(listed, ["src"]);
}

#[test]
fn a_marked_folder_is_tracked_by_itself() {
    let place = Place::with(&[PYTHON, ("pyproject.toml", "")]);
    let mut client = place.serve(|_| {});
    client.hello("any-host");
    let (text, _) = client.call("workspace", json!({"operation": "graph"}));
    assert!(text.contains("\"total_files\":2"), "{text}");
    let path = place.repo().display().to_string();
    let (text, _) = client.call("workspace_admin", json!({"operation": "track", "arguments": {"path": path}}));
    assert_eq!(text, "repository already tracked");
}

#[test]
fn nonsense_leaves_the_server_serving() {
    let place = Place::with(&[PYTHON]);
    let mut client = place.serve(|_| {});
    client.raw(b"\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n\xff\xfe\n");
    assert_eq!(client.read()["error"]["code"], -32700);
    client.hello("any-host");
    client.raw("{\"jsonrpc\": \"2.0\", é\r\n".as_bytes());
    assert_eq!(client.answer(&Value::Null)["error"]["code"], -32700);
    client.raw(b"[]\n");
    assert_eq!(client.answer(&Value::Null)["error"]["code"], -32600);
    assert_eq!(client.ask("no/such", json!({}))["error"]["code"], -32601);
    assert_eq!(client.ask("tools/call", json!({"arguments": 1}))["error"]["code"], -32602);
    let (text, refused) = client.call("no_such_tool", json!({}));
    assert!(refused && text.contains("capabilities"), "{text}");
    assert_eq!(client.tools().len(), 21);
    assert!(client.end().success());
}

#[test]
fn an_argument_of_50_megabytes_is_refused_by_its_id() {
    let place = Place::with(&[PYTHON]);
    let mut client = place.serve(|_| {});
    client.hello("any-host");
    client.raw(br#"{"jsonrpc":"2.0","id":"big","method":"tools/call","params":{"name":"search","arguments":{"query":""#);
    let block = vec![b'x'; 1 << 20];
    for _ in 0..50 {
        client.raw(&block);
    }
    client.raw(b"\"}}}\n");
    assert_eq!(client.answer(&json!("big"))["error"]["code"], -32600);
    assert_eq!(client.tools().len(), 21);
    #[cfg(target_os = "linux")]
    {
        let status = std::fs::read_to_string(format!("/proc/{}/status", client.id())).expect("a process");
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
        let kilobytes: u64 = peak.trim().trim_end_matches(" kB").parse().expect("a number");
        assert!(kilobytes < 150_000, "{kilobytes} kB");
    }
}

#[test]
fn a_cancelled_call_leaves_the_server_serving() {
    let place = Place::with(&[PYTHON, ("Makefile", "")]);
    let mut client = place.serve(|_| {});
    client.hello("any-host");
    let call = json!({"name": "workspace_admin", "arguments": {"operation": "index", "arguments": {"path": "repo"}}});
    client.send(&json!({"jsonrpc": "2.0", "id": "late", "method": "tools/call", "params": call}));
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "late"}}));
    let (text, refused) = client.call("workspace", json!({"operation": "graph"}));
    assert!(!refused && text.contains("total_files"), "{text}");
}

#[test]
fn case_36_the_end_of_the_input_is_the_end_even_while_indexing() {
    let body: Vec<String> = (0..400).map(|at| format!("def f{at}(x):\n    return f{}(x)\n", at / 2)).collect();
    let body = body.concat();
    let names: Vec<String> = (0..60).map(|at| format!("pkg/m{at}.py")).collect();
    let mut files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), body.as_str())).collect();
    files.push(("setup.py", ""));
    let place = Place::with(&files);
    let mut client = place.serve(|command| {
        command.env("RUST_LOG", "trace");
    });
    client.hello("any-host");
    assert!(client.end().success());
    let mut second = place.serve(|_| {});
    assert!(second.hello("any-host")["result"].is_object());
    assert!(second.end().success());
}

#[test]
fn an_input_that_ends_before_the_handshake_is_no_failure() {
    let place = Place::with(&[PYTHON]);
    assert!(place.serve(|_| {}).end().success());
}

#[test]
fn a_closed_output_ends_the_process() {
    let place = Place::with(&[PYTHON]);
    let mut child =
        place.command(&["mcp"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("starts");
    let mut input = child.stdin.take().expect("a pipe");
    drop(child.stdout.take());
    std::io::Write::write_all(&mut input, b"nonsense\n").expect("writes");
    assert!(child.wait().expect("ends").success());
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_process_cleanly() {
    let place = Place::with(&[PYTHON, ("Makefile", "")]);
    for name in ["INT", "TERM"] {
        let mut client = place.serve(|_| {});
        client.hello("any-host");
        let sent =
            std::process::Command::new("kill").args([format!("-{name}"), client.id().to_string()]).status().expect("sends");
        assert!(sent.success());
        assert!(client.wait().success(), "{name}");
    }
}

#[test]
fn logs_are_on_the_other_stream() {
    let place = Place::with(&[("src/broken.py", "def a(:\n"), ("Makefile", "")]);
    let mut command = place.command(&["mcp"]);
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
