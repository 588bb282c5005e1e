//! The daemon and its proxies: one process, one index, and nothing lost when one of them goes.

use std::os::unix::fs::PermissionsExt as _;

use gortex_tests::{Client, Daemon, Folder, command, run_folder};
use serde_json::{Value, json};

use crate::SERVER;

fn project() -> Folder {
    Folder::with(
        "//- pyproject.toml\n//- a.py\ndef leaf():\n    return 1\n\ndef root():\n    return leaf()\n//- é.py\nimport a\n\ndef more():\n    return a.root()\n",
    )
}

fn run(folder: &Folder, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = command(SERVER, folder).env("GORTEX_DAEMON", "on").args(arguments).output().expect("runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn search(client: &mut Client, name: &str) -> String {
    client.call("search", json!({"operation": "symbols", "query": name})).ok().text
}

// Two windows of an IDE on one repository indexed it twice.
#[test]
fn two_windows_on_one_repository_share_one_process_and_one_index() {
    let folder = project();
    let daemon = Daemon::start(SERVER, &folder, &[], &[]);
    let mut one = daemon.window(SERVER, &folder, "cursor");
    let mut two = daemon.window(SERVER, &folder, "claude-code");
    assert!(search(&mut one, "leaf").contains("leaf") && search(&mut two, "leaf").contains("leaf"));
    let status = daemon.order("status", json!({}))["result"].clone();
    let servers = status["servers"].as_array().expect("servers");
    assert_eq!((servers.len(), &servers[0]["sessions"], &status["sessions"]), (1, &json!(2), &json!(2)), "{status}");
    assert_eq!(status["pid"], daemon.id());
    // What one window writes the other one sees.
    one.call("edit", json!({"operation": "write", "target": {"file": "new.py"}, "content": "def fresh():\n    pass\n"})).ok();
    assert!(search(&mut two, "fresh").contains("new.py"));
    // Each window has its own surface and its own session.
    one.call("session", json!({"operation": "planning_mode", "arguments": {"mode": "planning"}}));
    two.call("edit", json!({"operation": "write", "target": {"file": "new.py"}, "content": "x = 1\n"})).ok();
    drop(one);
    assert!(search(&mut two, "leaf").contains("leaf"));
}

#[test]
fn the_surface_is_chosen_for_each_connection() {
    let folder = project();
    let daemon = Daemon::start(SERVER, &folder, &[], &[]);
    let mut compact = daemon.window(SERVER, &folder, "any-host");
    let mut mcp = command(SERVER, &folder);
    mcp.envs([("GORTEX_DAEMON", "on"), ("GORTEX_TOOLS", "full")]).args(["mcp", "--proxy"]);
    let mut full = Client::open(mcp);
    full.initialize("any-host");
    assert_eq!(compact.tool_names().len(), 21);
    assert!(full.tool_names().contains(&"get_callers".to_owned()));
}

#[test]
fn a_proxy_starts_the_daemon_when_there_is_none_and_the_next_one_finds_it() {
    let folder = project();
    let mut mcp = command(SERVER, &folder);
    mcp.env("GORTEX_DAEMON", "on").arg("mcp");
    let mut first = Client::open(mcp);
    first.initialize("any-host");
    assert!(search(&mut first, "leaf").contains("leaf"));
    let (code, out, err) = run(&folder, &["daemon", "status", "--json"]);
    assert_eq!(code, Some(0), "{err}");
    let status: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(status["sessions"], 1);
    let (code, _, err) = run(&folder, &["daemon", "start", "--detach"]);
    assert!(code == Some(1) && err.contains("is running"), "{err}");
    assert!(first.close().0.success());
    let (code, _, err) = run(&folder, &["daemon", "stop"]);
    assert_eq!(code, Some(0), "{err}");
    assert_eq!(run(&folder, &["daemon", "status"]).0, Some(3));
    let (code, log, _) = run(&folder, &["daemon", "logs", "-n", "2"]);
    assert!(code == Some(0) && log.contains("the daemon has ended"), "{log}");
}

#[test]
fn a_server_serves_alone_when_the_daemon_can_not_be_had_and_says_so() {
    let folder = project();
    // A file where the daemon's folder should be.
    std::fs::create_dir_all(folder.home.join("state/gortex")).expect("folders");
    std::fs::write(run_folder(&folder), "").expect("a file");
    let mut mcp = command(SERVER, &folder);
    mcp.env("GORTEX_DAEMON", "on").arg("mcp");
    let mut client = Client::open(mcp);
    client.initialize("any-host");
    assert!(search(&mut client, "leaf").contains("leaf"));
    let (status, errors) = client.close();
    assert!(status.success() && errors.contains("without the daemon"), "{errors}");
    let mut strict = command(SERVER, &folder);
    let output = strict.env("GORTEX_DAEMON", "on").args(["mcp", "--proxy"]).output().expect("runs");
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn only_the_user_can_reach_the_daemon() {
    let folder = project();
    let daemon = Daemon::start(SERVER, &folder, &[], &[]);
    let mode = |path: &std::path::Path| path.metadata().expect("there").permissions().mode() & 0o777;
    assert_eq!((mode(&run_folder(&folder)), mode(&daemon.socket)), (0o700, 0o600));
    for name in ["daemon.pid", "daemon.log", "daemon.lock"] {
        assert_eq!(mode(&run_folder(&folder).join(name)), 0o600, "{name}");
    }
}

#[test]
fn what_a_crashed_daemon_left_behind_is_replaced() {
    let folder = project();
    let mut daemon = Daemon::start(SERVER, &folder, &[], &[]);
    daemon.kill();
    assert!(daemon.socket.exists());
    let again = Daemon::start(SERVER, &folder, &[], &[]);
    assert_eq!(again.order("probe", json!({}))["result"]["pid"], again.id());
    let second = command(SERVER, &folder).args(["daemon", "start"]).output().expect("runs");
    assert_eq!(second.status.code(), Some(1));
}

// A daemon that crashed took the tools of every window with it.
#[test]
fn a_window_outlives_its_daemon() {
    let folder = project();
    let mut daemon = Daemon::start(SERVER, &folder, &[], &[]);
    let mut window = daemon.window(SERVER, &folder, "any-host");
    assert!(search(&mut window, "leaf").contains("leaf"));
    daemon.kill();
    assert!(search(&mut window, "leaf").contains("leaf"));
    assert_eq!(window.tool_names().len(), 21);
    assert!(window.close().0.success());
    assert_eq!(run(&folder, &["daemon", "stop"]).0, Some(0));
}

#[test]
fn an_unused_daemon_ends_when_it_was_told_to() {
    let folder = project();
    let mut daemon = Daemon::start(SERVER, &folder, &[], &[("GORTEX_DAEMON_IDLE_TIMEOUT", "300ms")]);
    let mut window = daemon.window(SERVER, &folder, "any-host");
    assert!(search(&mut window, "leaf").contains("leaf"));
    drop(window);
    assert!(daemon.ended());
    assert!(!daemon.socket.exists());
}

#[test]
fn malformed_handshakes_are_answered_and_the_daemon_goes_on() {
    let folder = project();
    let daemon = Daemon::start(SERVER, &folder, &[], &[]);
    let code = |line: &str| -> Value {
        let answers = daemon.raw(&[line]);
        serde_json::from_str::<Value>(&answers[0]).expect("JSON")["error_code"].clone()
    };
    assert_eq!(code("no json"), "protocol_mismatch");
    assert_eq!(code(r#"{"version":99,"mode":"mcp"}"#), "protocol_mismatch");
    assert_eq!(code(r#"{"version":1,"mode":"é"}"#), "unsupported_mode");
    assert_eq!(code(r#"{"version":1,"mode":"mcp","cwd":"/no/such/folder"}"#), "internal");
    assert_eq!(code(&"x".repeat(100_000)), "protocol_mismatch");
    // A probe says nothing and goes.
    drop(std::os::unix::net::UnixStream::connect(&daemon.socket).expect("connects"));
    let hello = r#"{"version":1,"mode":"control"}"#;
    let answers = daemon.raw(&[hello, "nonsense", r#"{"kind":"dance"}"#, r#"{"kind":"probe"}"#]);
    let codes: Vec<Value> =
        answers.iter().map(|line| serde_json::from_str::<Value>(line).expect("JSON")["error_code"].clone()).collect();
    assert_eq!(codes, [Value::Null, json!("malformed"), json!("unknown_order"), Value::Null]);
    let mut window = daemon.window(SERVER, &folder, "any-host");
    window.send_line(b"\xff\xfe{");
    assert_eq!(window.answer(Value::Null)["error"]["code"], -32700);
    assert!(search(&mut window, "leaf").contains("leaf"));
}

#[test]
fn a_daemon_of_another_version_is_replaced_when_nobody_uses_it() {
    let folder = project();
    let daemon = Daemon::start(SERVER, &folder, &[], &[]);
    let window = daemon.window(SERVER, &folder, "any-host");
    // What a client of another version would say.
    let refused = daemon.order("shutdown", json!({"if_idle": true}));
    assert_eq!((&refused["ok"], &refused["error_code"]), (&json!(false), &json!("busy")));
    drop(window);
    let begun = std::time::Instant::now();
    while daemon.order("shutdown", json!({"if_idle": true}))["ok"] != true {
        assert!(begun.elapsed().as_secs() < 60, "the session does not end");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let mut daemon = daemon;
    assert!(daemon.ended());
}

/// What a call printed: exit code and bytes.
fn printed(folder: &Folder, tool: &str, arguments: &Value, legacy: bool) -> (Option<i32>, String) {
    let text = arguments.to_string();
    let mut words = vec!["call", tool, "--json", &text, "--quiet"];
    if legacy {
        words.push("--legacy");
    }
    let (code, out, _) = run(folder, &words);
    (code, out)
}

// The command line answered one thing with a daemon and another without.
#[test]
fn every_reading_operation_answers_the_same_bytes_with_and_without_a_daemon() {
    let folder = crate::surface::project();
    assert_eq!(run(&folder, &["index"]).0, Some(0));
    let readings = crate::surface::readings();
    let all = || -> Vec<(Option<i32>, String)> {
        let each = readings.iter().flat_map(|(tool, arguments, name, old)| {
            [printed(&folder, tool, arguments, false), printed(&folder, name, old, true)]
        });
        each.collect()
    };
    let alone = all();
    let daemon = Daemon::start(SERVER, &folder, &[], &[]);
    let served = all();
    assert_eq!(daemon.order("status", json!({}))["result"]["servers"].as_array().map(Vec::len), Some(1));
    for (at, (one, other)) in alone.iter().zip(&served).enumerate() {
        let (tool, arguments, name, old) = &readings[at / 2];
        assert_eq!(one, other, "{tool} {arguments} or {name} {old}");
        assert_eq!(one.0, Some(0), "{tool} {arguments}: {}", one.1);
    }
}

#[test]
fn a_call_that_is_hung_up_on_leaves_the_daemon_serving() {
    let folder = project();
    let daemon = Daemon::start(SERVER, &folder, &[], &[]);
    for _ in 0..20 {
        let mut child = command(SERVER, &folder)
            .env("GORTEX_DAEMON", "on")
            .args(["call", "explore", "--arg", "operation=task", "--arg", "task=leaf"])
            .stdout(std::process::Stdio::null())
            .spawn()
            .expect("starts");
        std::thread::sleep(std::time::Duration::from_millis(5));
        let _ = child.kill();
        let _ = child.wait();
    }
    let (code, out, _) = run(&folder, &["call", "search", "--arg", "operation=symbols", "--arg", "query=leaf"]);
    assert!(code == Some(0) && out.contains("leaf"), "{out}");
    assert_eq!(daemon.order("probe", json!({}))["ok"], true);
}

// Homes that were deleted left daemons behind that nobody could find, until the system had no more watchers to give.
#[test]
fn a_daemon_whose_folder_is_gone_ends_even_with_a_client() {
    let folder = Folder::with("//- a.py\ndef leaf():\n    return 1\n");
    // The idle time makes it look more often; a connected client keeps it from being idle.
    let mut daemon = Daemon::start(SERVER, &folder, &[], &[("GORTEX_DAEMON_IDLE_TIMEOUT", "1s")]);
    let window = daemon.window(SERVER, &folder, "any");
    std::fs::remove_dir_all(gortex_tests::run_folder(&folder)).expect("removed");
    assert!(daemon.ended());
    drop(window);
}
