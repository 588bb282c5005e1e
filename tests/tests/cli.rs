//! The command line: exit codes, streams, and that it asks what the protocol asks.

use gortex_tests::Place;
use serde_json::{Value, json};

const FILES: [(&str, &str); 2] = [("src/é.py", "def f():\r\n    g()\r\n\r\ndef g():\r\n    pass"), ("pyproject.toml", "")];

#[test]
fn a_call_mirrors_the_protocol() {
    let place = Place::with(&FILES);
    let (code, out, err) = place.run(&["call", "workspace", "--arg", "operation=graph"]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let said: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((said["total_files"].as_u64(), said["by_edge_kind"]["calls"].as_u64()), (Some(2), Some(1)));
    let mut client = place.serve(|_| {});
    client.hello("any-host");
    let (text, _) = client.call("workspace", json!({"operation": "graph"}));
    assert_eq!(out.trim_end(), text);
    let (_, by_json, _) = place.run(&["call", "workspace", "--json", "{\"operation\":\"graph\"}"]);
    assert_eq!(by_json, out);
    let (_, by_legacy_name, _) = place.run(&["call", "graph_stats"]);
    assert_eq!(by_legacy_name, out);
}

#[test]
fn exit_codes_tell_mistakes_from_failures() {
    let place = Place::with(&FILES);
    let (code, out, err) = place.run(&["call", "workspace", "--arg", "operation=é"]);
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
        let (code, out, err) = place.run(mistake);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{mistake:?}: {err}");
        assert!(!err.is_empty());
    }
    assert_eq!(place.run(&["--help"]).0, Some(0));
}

#[test]
fn a_dry_call_shows_what_would_be_sent() {
    let place = Place::with(&FILES);
    let (code, out, _) = place.run(&["call", "read", "--dry", "--arg", "target.file=é", "--arg", "options.limit=2"]);
    let said: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(code, Some(0));
    assert_eq!(
        said,
        json!({"tool": "read", "surface": "compact", "arguments": {"target": {"file": "é"}, "options": {"limit": 2}}})
    );
}

#[test]
fn an_index_is_built_once_and_found_again() {
    let place = Place::with(&[("a.py", "def f():\n    pass\n")]);
    let (_, out, _) = place.run(&["status", "--json"]);
    assert_eq!(serde_json::from_str::<Value>(&out).expect("JSON")["active"], false);
    let (code, out, err) = place.run(&["index"]);
    assert_eq!((code, out.as_str()), (Some(0), ""), "{err}");
    assert!(err.contains("1 files, 1 symbols") && err.contains("1 parsed"), "{err}");
    let (_, _, err) = place.run(&["index", "."]);
    assert!(err.contains("0 parsed, 1 taken over"), "{err}");
    let (_, out, _) = place.run(&["status", "--json"]);
    let status: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(
        (status["active"].as_bool(), status["indexed"].as_bool(), status["symbols"].as_u64()),
        (Some(true), Some(true), Some(1))
    );
    let (_, _, err) = place.run(&["index", "--full"]);
    assert!(err.contains("1 parsed"), "{err}");
}

#[test]
fn the_version_is_one_line() {
    let place = Place::with(&[]);
    let (code, out, _) = place.run(&["version"]);
    assert_eq!((code, out.trim_end()), (Some(0), concat!("gortex ", env!("CARGO_PKG_VERSION"))));
    let (_, out, _) = place.run(&["version", "--json"]);
    assert_eq!(serde_json::from_str::<Value>(&out).expect("JSON")["surface_version"], "facade-v1");
    let (_, out, _) = place.run(&["tools"]);
    assert_eq!(out.lines().count(), 21);
}

#[test]
fn broken_settings_are_named_with_their_line() {
    let place = Place::with(&FILES);
    let home = place.repo().parent().expect("a folder").join("home/gortex");
    std::fs::create_dir_all(&home).expect("folders");
    std::fs::write(home.join("config.toml"), "auto_track = true\nrepos = 3\n").expect("a file");
    let (code, _, err) = place.run(&["call", "workspace"]);
    assert_eq!(code, Some(1));
    assert!(err.contains("config.toml") && err.contains("line 2"), "{err}");
    // A server with the defaults can say more than one that does not start.
    let mut client = place.serve(|_| {});
    assert!(client.hello("any-host")["result"].is_object());
}
