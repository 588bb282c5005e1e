//! The tool list: size, strictness, annotations.

use serde_json::{Value, json};

use crate::testing::registry;
use crate::{legacy_definitions, tool_definitions};

fn list() -> Vec<Value> {
    tool_definitions(registry()).iter().map(super::ToolDef::to_value).collect()
}

#[test]
fn the_list_is_small_and_the_same_every_time() {
    let text = Value::from(list()).to_string();
    let sizes: Vec<(String, usize)> = list().iter().map(|t| (t["name"].to_string(), t.to_string().len())).collect();
    assert!(text.len() <= 12_000, "{} bytes: {sizes:?}", text.len());
    assert_eq!(text, Value::from(list()).to_string());
    let names: Vec<&str> = crate::FACADE_V1.iter().map(|facade| facade.name).collect();
    let tools = list();
    let listed: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(listed, names);
}

// Case 35: a union at the top or a property that is `true` made a host drop every tool of the server.
#[test]
fn strict_hosts_accept_every_schema() {
    for tool in list() {
        let schema = tool["inputSchema"].as_object().expect("an object");
        assert_eq!(schema["type"], "object");
        let properties = schema["properties"].as_object().expect("explicit properties");
        for key in ["oneOf", "anyOf", "allOf", "not", "enum", "$ref"] {
            assert!(!schema.contains_key(key));
        }
        assert!(properties.values().all(Value::is_object));
        for name in schema.get("required").and_then(Value::as_array).into_iter().flatten() {
            assert!(properties.contains_key(name.as_str().expect("a name")));
        }
        assert!(properties.contains_key("output"));
    }
    for tool in legacy_definitions(registry()) {
        assert_eq!(tool.input_schema["type"], "object");
        let properties = tool.input_schema["properties"].as_object().expect("explicit properties");
        assert!(properties.values().all(Value::is_object), "{}", tool.name);
    }
}

#[test]
fn annotations_follow_the_effect() {
    let hints = |name: &str| {
        let tool = list().into_iter().find(|tool| tool["name"] == name).expect("a tool");
        ["readOnlyHint", "destructiveHint", "openWorldHint"].map(|key| tool["annotations"][key] == true)
    };
    assert_eq!(hints("read"), [true, false, false]);
    assert_eq!(hints("review"), [true, false, true]);
    assert_eq!(hints("edit"), [false, true, false]);
    assert_eq!(hints("overlay"), [false, false, false]);
    assert_eq!(hints("session"), [false, false, false]);
    assert_eq!(hints("remember"), [false, true, false]);
    assert_eq!(hints("publish_review"), [false, true, true]);
    assert_eq!(hints("workspace_admin"), [false, true, true]);
}

#[test]
fn the_tools_that_open_a_task_ask_not_to_be_deferred() {
    for tool in list() {
        let name = tool["name"].as_str().expect("a name");
        let asks = tool["_meta"]["anthropic/alwaysLoad"] == true;
        if ["explore", "search", "read", "relations", "change", "edit"].contains(&name) {
            assert!(asks, "{name}");
        }
        assert_eq!(asks, tool.get("_meta").is_some());
    }
}

#[test]
fn a_description_names_the_operations_and_no_hidden_one() {
    let tools = list();
    let about = |name: &str, key: &str| {
        let tool = tools.iter().find(|tool| tool["name"] == name).expect("a tool");
        tool["inputSchema"]["properties"][key]["description"].as_str().expect("text").to_owned()
    };
    assert_eq!(about("read", "operation"), "artifact, editing_context, file, history, source, summary, symbols");
    assert!(about("session", "operation").ends_with("subscribe, unsubscribe, workflow"));
    assert!(about("analyze", "kind").contains("hotspots") && about("analyze", "kind").ends_with("empty lists all"));
    assert_eq!(tools[1]["inputSchema"]["properties"].get("operation"), None);
    assert_eq!(tools[1]["inputSchema"]["required"], json!(["question"]));
}

#[test]
fn a_legacy_tool_is_the_union_of_its_meanings() {
    let tools = legacy_definitions(registry());
    let find = |name: &str| tools.iter().find(|tool| tool.name == name).expect("a tool");
    assert!(find("analyze").annotations.destructive);
    assert_eq!(find("analyze").input_schema["required"], json!(["kind"]));
    assert_eq!(find("find_usages").input_schema["properties"]["limit"], json!({"type": "integer"}));
    assert!(find("find_usages").annotations.read_only);
    assert!(find("surface_memories").annotations.destructive);
}
