//! The command line: exit codes, streams, and that it asks what the protocol asks.

use gortex_tests::{Client, Folder, Options, Reply, command};
use serde_json::{Value, json};

use crate::SERVER;

/// Runs the program to its end: exit code, standard output, standard error.
fn run(folder: &Folder, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = command(SERVER, folder).args(arguments).output().expect("runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// A server that has been greeted.
fn serve(folder: &Folder) -> Client {
    Client::start_with(SERVER, folder, &Options { track: false, ..Options::default() })
}

const FILES: [(&str, &str); 2] = [("src/é.py", "def f():\r\n    g()\r\n\r\ndef g():\r\n    pass"), ("pyproject.toml", "")];

#[test]
fn a_call_mirrors_the_protocol() {
    let place = Folder::of(&FILES);
    let (code, out, err) = run(&place, &["call", "workspace", "--arg", "operation=graph"]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let said: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((said["total_files"].as_u64(), said["by_edge_kind"]["calls"].as_u64()), (Some(2), Some(1)));
    let mut client = serve(&place);
    let Reply { text, .. } = client.call("workspace", json!({"operation": "graph"}));
    assert_eq!(out.trim_end(), text);
    let (_, by_json, _) = run(&place, &["call", "workspace", "--json", "{\"operation\":\"graph\"}"]);
    assert_eq!(by_json, out);
    let (_, by_legacy_name, _) = run(&place, &["call", "graph_stats"]);
    assert_eq!(by_legacy_name, out);
}

#[test]
fn exit_codes_tell_mistakes_from_failures() {
    let place = Folder::of(&FILES);
    let (code, out, err) = run(&place, &["call", "workspace", "--arg", "operation=é"]);
    let said: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((code, said["error_code"].as_str(), err.as_str()), (Some(1), Some("invalid_argument"), ""));
    for mistake in [
        &["call", "work-space"][..],
        &["call", "workspace", "--arg", "x"],
        &["call", "workspace", "--arg", "x:=y"],
        &["call", "workspace", "--json", "[]"],
        &["call", "workspace", "--repo", "no-such-folder"],
        &["no-such-verb"],
    ] {
        let (code, out, err) = run(&place, mistake);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{mistake:?}: {err}");
        assert!(!err.is_empty());
    }
    assert_eq!(run(&place, &["--help"]).0, Some(0));
}

#[test]
fn a_dry_call_shows_what_would_be_sent() {
    let place = Folder::of(&FILES);
    let (code, out, _) = run(&place, &["call", "read", "--dry", "--arg", "target.file=é", "--arg", "options.limit=2"]);
    let said: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(code, Some(0));
    assert_eq!(
        said,
        json!({"tool": "read", "surface": "compact", "arguments": {"target": {"file": "é"}, "options": {"limit": 2}}})
    );
}

#[test]
fn an_index_is_built_once_and_found_again() {
    let place = Folder::of(&[("a.py", "def f():\n    pass\n")]);
    let (_, out, _) = run(&place, &["status", "--json"]);
    assert_eq!(serde_json::from_str::<Value>(&out).expect("JSON")["active"], false);
    let (code, out, err) = run(&place, &["index"]);
    assert_eq!((code, out.as_str()), (Some(0), ""), "{err}");
    assert!(err.contains("1 files, 1 symbols") && err.contains("1 parsed"), "{err}");
    let (_, _, err) = run(&place, &["index", "."]);
    assert!(err.contains("0 parsed, 1 taken over"), "{err}");
    let (_, out, _) = run(&place, &["status", "--json"]);
    let status: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(
        (status["active"].as_bool(), status["indexed"].as_bool(), status["symbols"].as_u64()),
        (Some(true), Some(true), Some(1))
    );
    let (_, _, err) = run(&place, &["index", "--full"]);
    assert!(err.contains("1 parsed"), "{err}");
}

#[test]
fn the_version_is_one_line() {
    let place = Folder::of(&[]);
    let (code, out, _) = run(&place, &["version"]);
    assert_eq!((code, out.trim_end()), (Some(0), concat!("gortex ", env!("CARGO_PKG_VERSION"))));
    let (_, out, _) = run(&place, &["version", "--json"]);
    assert_eq!(serde_json::from_str::<Value>(&out).expect("JSON")["surface_version"], "facade-v1");
    let (_, out, _) = run(&place, &["tools"]);
    assert_eq!(out.lines().count(), 21);
}

#[test]
fn broken_settings_are_named_with_their_line() {
    let place = Folder::of(&FILES);
    let home = place.home.join("config/gortex");
    std::fs::create_dir_all(&home).expect("folders");
    std::fs::write(home.join("config.toml"), "auto_track = true\nrepos = 3\n").expect("a file");
    let (code, _, err) = run(&place, &["call", "workspace"]);
    assert_eq!(code, Some(1));
    assert!(err.contains("config.toml") && err.contains("line 2"), "{err}");
    // A server with the defaults can say more than one that does not start.
    assert!(serve(&place).hello.is_object());
}

fn fixture() -> Folder {
    let folder = Folder::with("//- a.py\ndef leaf():\n    return 1\n\ndef root():\n    return leaf()\n");
    folder.commit_all();
    folder
}

// The command line and the protocol must not be two roads.
#[test]
fn call_answers_byte_for_byte_what_mcp_answers() {
    let folder = fixture();
    let calls = [
        ("relations", json!({"operation": "callers", "target": {"symbol": "leaf"}})),
        ("read", json!({"target": {"file": "a.py"}})),
        ("search", json!({"operation": "symbols", "query": "root"})),
        ("relations", json!({"operation": "callers", "target": {"symbol": "nothing"}})),
        ("relations", json!({"operation": "callerz"})),
    ];
    for (tool, arguments) in calls {
        let (code, printed, _) = run(&folder, &["call", tool, "--json", &arguments.to_string()]);
        let served = serve(&folder).call(tool, arguments.clone());
        let printed: Value = serde_json::from_str(&printed).unwrap_or_else(|_| json!(printed.trim_end()));
        assert_eq!(generationless(printed), generationless(served.body.clone()), "{tool} {arguments}");
        assert_eq!(code, Some(i32::from(served.is_error)), "{tool} {arguments}");
    }
}

/// Two processes may count generations differently; nothing else may differ.
fn generationless(mut value: Value) -> Value {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                fields.retain(|key, _| !key.ends_with("generation"));
                fields.values_mut().for_each(strip);
            }
            Value::Array(items) => items.iter_mut().for_each(strip),
            _ => {}
        }
    }
    strip(&mut value);
    value
}

#[test]
fn no_command_writes_to_the_checkout() {
    let folder = fixture();
    let before = Folder::state(&folder.repo);
    for command in [&["index"][..], &["status"], &["call", "workspace"], &["tools"], &["version"]] {
        assert_eq!(run(&folder, command).0, Some(0), "{command:?}");
        assert_eq!(Folder::state(&folder.repo), before, "{command:?}");
    }
}

// A damaged snapshot is set aside, never read and never a reason to fail.
#[test]
fn a_damaged_snapshot_costs_a_new_index_and_nothing_else() {
    let folder = fixture();
    assert_eq!(run(&folder, &["index"]).0, Some(0));
    let mut damaged = 0;
    for line in Folder::state(&folder.home) {
        let Some((path, _)) = line.split_once(" file ") else { continue };
        let path = folder.home.join(path);
        let mut bytes = std::fs::read(&path).expect("a file");
        if bytes.starts_with(b"GORTEXS") {
            let middle = bytes.len() / 2;
            bytes[middle] ^= 0xff;
            std::fs::write(&path, bytes).expect("written");
            damaged += 1;
        }
    }
    assert_eq!(damaged, 1, "the snapshot was not found");
    let (code, out, _) = run(&folder, &["call", "relations", "--json", r#"{"operation":"callers","target":{"symbol":"leaf"}}"#]);
    assert!(code == Some(0) && out.contains("a.py::root"), "{out}");
}
