//! `gortex call` and its siblings: the same names and arguments through the same dispatch.

use std::process::Output;

use gortex_tests::{Folder, command};
use serde_json::{Value, json};

use crate::{SERVER, serve};

fn gortex(folder: &Folder, arguments: &[&str]) -> Output {
    command(SERVER, folder).args(arguments).output().expect("gortex runs")
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
        let out = gortex(&folder, &["call", tool, "--json", &arguments.to_string()]);
        let served = serve(&folder).call(tool, arguments.clone());
        let printed = String::from_utf8(out.stdout).expect("UTF-8");
        let printed: Value = serde_json::from_str(&printed).unwrap_or_else(|_| json!(printed.trim_end()));
        assert_eq!(generationless(printed), generationless(served.body.clone()), "{tool} {arguments}");
        assert_eq!(out.status.code(), Some(i32::from(served.is_error)), "{tool} {arguments}");
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
fn call_takes_single_arguments() {
    let folder = fixture();
    let out = gortex(&folder, &["call", "search", "--arg", "operation=symbols", "--arg", "query=leaf"]);
    let text = String::from_utf8_lossy(&out.stdout);
    assert!(out.status.success() && text.contains("a.py::leaf"), "{text}{}", String::from_utf8_lossy(&out.stderr));
}

#[test]
fn usage_errors_are_told_apart_from_refusals() {
    let folder = fixture();
    assert_eq!(gortex(&folder, &["call"]).status.code(), Some(2));
    assert_eq!(gortex(&folder, &["no-such-command"]).status.code(), Some(2));
    assert_eq!(gortex(&folder, &["call", "relations", "--arg", "operation=callerz"]).status.code(), Some(1));
}

#[test]
fn index_status_and_version_answer() {
    let folder = fixture();
    let before = Folder::state(&folder.repo);
    let index = gortex(&folder, &["index"]);
    assert!(index.status.success(), "{}", String::from_utf8_lossy(&index.stderr));
    let status = gortex(&folder, &["status", "--json"]);
    let status: Value = serde_json::from_slice(&status.stdout).expect("JSON");
    assert!(status.is_object(), "{status}");
    let version = gortex(&folder, &["version"]);
    assert!(String::from_utf8_lossy(&version.stdout).contains(env!("CARGO_PKG_VERSION")));
    assert_eq!(Folder::state(&folder.repo), before, "the checkout was written to");
}

// A damaged snapshot is set aside, never read and never a reason to fail.
#[test]
fn a_damaged_snapshot_costs_a_new_index_and_nothing_else() {
    let folder = fixture();
    assert!(gortex(&folder, &["index"]).status.success());
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
    let out = gortex(&folder, &["call", "relations", "--json", r#"{"operation":"callers","target":{"symbol":"leaf"}}"#]);
    assert!(out.status.success() && String::from_utf8_lossy(&out.stdout).contains("a.py::root"));
}
