//! Cases from the field: schemas, the life of a connection, and arguments as hosts send them.

use std::fmt::Write as _;

use gortex_tests::{Client, Folder, Options};
use serde_json::{Value, json};

use crate::{SERVER, serve};

// One union at the top of a schema made a host drop all tools of the server, without an error anywhere.
#[test]
fn case_35_every_advertised_schema_is_one_that_strict_hosts_accept() {
    let folder = Folder::new();
    let mut server = Client::start_with(SERVER, &folder, &Options { track: false, ..Options::default() });
    let tools = server.tools();
    assert_eq!(tools.len(), 21);
    let bytes = Value::Array(tools.clone()).to_string().len();
    assert!(bytes <= 12_000, "tools/list has {bytes} bytes");
    for tool in &tools {
        let name = tool["name"].as_str().expect("a name");
        assert!(
            !name.is_empty()
                && name.len() <= 64
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte)),
            "{name}"
        );
        let schema = &tool["inputSchema"];
        assert_eq!(schema["type"], "object", "{name}");
        let properties = schema["properties"].as_object().unwrap_or_else(|| panic!("{name} has no properties"));
        assert!(properties.values().all(Value::is_object), "{name} has a property that is no object");
        for key in ["oneOf", "anyOf", "allOf", "not", "enum", "$ref"] {
            assert!(schema.get(key).is_none(), "{name} has `{key}` at the top");
        }
        for required in schema["required"].as_array().into_iter().flatten() {
            assert!(properties.contains_key(required.as_str().unwrap_or("")), "{name} requires {required}");
        }
        assert!(tool.get("outputSchema").is_none_or(|schema| schema["type"] == "object"), "{name}");
        if ["explore", "search", "read", "relations", "change", "edit"].contains(&name) {
            assert_eq!(tool["_meta"]["anthropic/alwaysLoad"], true, "{name}");
        }
    }
}

// A banner on stdout broke the handshake; a server whose host was gone stayed.
#[test]
fn case_36_stdout_carries_the_protocol_only_and_the_end_of_input_is_the_end() {
    let folder = Folder::new();
    folder.write("src/broken.py", "def a(:\n");
    folder.write("src/odd.py", b"\xff\xfe");
    let talkative = [("RUST_LOG", "trace")];
    let mut server = Client::start_with(SERVER, &folder, &Options { env: &talkative, ..Options::default() });
    server.tools();
    server.call("search", json!({"operation": "symbols", "query": "a"})).ok();
    let unknown = server.ask("no/such", json!({}));
    assert_eq!(unknown["error"]["code"], -32601, "{unknown}");
    server.tools();
    for line in &server.lines {
        let message: Value = serde_json::from_str(line).expect("JSON");
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
    }
    let (status, errors) = server.close();
    assert!(status.success(), "{status}");
    assert!(!errors.is_empty(), "logs belong on stderr");
    serve(&folder).tools();
}

// The server indexed before it read the first message; hosts gave up.
#[test]
fn case_37_the_handshake_does_not_wait_for_the_index() {
    let folder = Folder::new();
    folder.write("hub.py", "def hub(x):\n    return x\n");
    folder.write("pyproject.toml", "[project]\nname = \"many\"\n");
    for package in 0..30 {
        for module in 0..40 {
            let text = format!("from hub import hub\n\ndef f{package}_{module}(x):\n    return hub(x)\n");
            folder.write(&format!("pkg{package:03}/m{module:02}.py"), text);
        }
    }
    let before = Folder::state(&folder.repo);
    let mut server = Client::start_with(SERVER, &folder, &Options { track: false, ..Options::default() });
    assert_eq!(server.tools().len(), 21);
    let reply = server
        .call("relations", json!({"operation": "callers", "target": {"symbol": "hub.py::hub"}, "options": {"limit": 5}}))
        .ok();
    assert!(!reply.callers().is_empty() || reply.text.contains("index"), "a plain zero: {}", reply.text);
    assert_eq!(Folder::state(&folder.repo), before, "something was written to the repository");
}

// Numbers and booleans sent as text were refused; a misspelt choice was accepted and answered nothing.
#[test]
fn case_38_arguments_arrive_as_hosts_really_send_them() {
    let folder = Folder::with("//- a.py\none = 1\ntwo = 2\nthree = 3\n");
    let mut server = serve(&folder);
    let read = |options: Value| json!({"target": {"file": "a.py"}, "options": options});
    let plain = server.call("read", read(json!({"offset": 2, "limit": 1}))).ok().body["content"].clone();
    assert!(plain.as_str().is_some_and(|text| text.contains("two = 2")), "{plain}");
    for options in [json!({"offset": "2", "limit": "1"}), json!({"offset": 2.0, "limit": 1})] {
        assert_eq!(server.call("read", read(options)).ok().body["content"], plain);
    }
    let text = server.call("read", read(json!("{\"offset\":2,\"limit\":1}")));
    assert!(text.is_error || text.body["content"] == plain, "{}", text.text);
    let dry = json!({"target": {"file": "a.py"}, "match": "one", "replacement": "uno", "dry_run": "true"});
    server.call("edit", dry).ok();
    assert_eq!(folder.text("a.py"), "one = 1\ntwo = 2\nthree = 3\n");
    let word = server.call("read", read(json!({"offset": "two"})));
    assert!(word.is_error && word.text.contains("offset"), "{}", word.text);
    let class = json!({"operation": "symbols", "query": "one", "options": {"query_class": "sideways"}});
    let class = server.call("search", class);
    assert!(class.is_error && class.text.contains("query_class"), "{}", class.text);
    let operation = server.call("relations", json!({"operation": "callerz", "target": {"symbol": "one"}}));
    assert!(operation.is_error && operation.text.contains("callers"), "{}", operation.text);
}

// Bad input of every kind gets a stable code and the valid choices; the next call works.
#[test]
fn bad_requests_are_told_what_would_be_right() {
    let folder = Folder::with("//- a.py\ndef one():\n    return 1\n//- b.py\ndef one():\n    return 2\n");
    let mut server = serve(&folder);
    let unknown = server.call("relations", json!({"operation": "callers", "target": {"thing": "one"}}));
    assert!(unknown.is_error && unknown.text.contains("symbol"), "{}", unknown.text);
    let two = server.call("read", json!({"target": {"file": "a.py", "symbol": "one"}}));
    assert!(two.is_error && two.text.contains("target"), "{}", two.text);
    let none = server.call("relations", json!({"operation": "callers"}));
    assert!(none.is_error && none.text.contains("target"), "{}", none.text);
    let ambiguous = server.call("relations", json!({"operation": "callers", "target": {"symbol": "one"}}));
    let mut ids = String::new();
    for candidate in ambiguous.body["candidates"].as_array().into_iter().flatten() {
        let _ = write!(ids, "{} ", candidate["id"].as_str().unwrap_or("?"));
    }
    assert_eq!((ambiguous.code(), ids.as_str()), ("ambiguous_symbol", "a.py::one b.py::one "), "{}", ambiguous.text);
    let repo = server
        .call("relations", json!({"operation": "callers", "target": {"symbol": "a.py::one"}, "options": {"worktree": "x"}}));
    assert!(repo.is_error, "{}", repo.text);
    server.call("relations", json!({"operation": "callers", "target": {"symbol": "a.py::one"}})).ok();
}
