//! What `capabilities` says, and that it is true.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::*;
use crate::testing::{body, call, registry};

#[track_caller]
fn ask(arguments: Value) -> Value {
    let output = call("capabilities", arguments);
    assert!(!output.is_error, "{}", output.text());
    assert!(output.text().len() <= crate::shape::DEFAULT_BYTES);
    body(&output)
}

#[test]
fn without_a_domain_all_21_are_listed() {
    let found = ask(json!({}));
    assert_eq!(found["surface_version"], "facade-v1");
    let domains = found["domains"].as_array().expect("a list");
    assert_eq!(domains.len(), 21);
    assert_eq!(domains[2]["name"], "capabilities");
    assert_eq!(domains[2]["operations"], 0);
}

#[test]
fn a_domain_lists_what_is_and_what_is_not_there() {
    let found = ask(json!({"domain": "Read"}));
    let operations = found["operations"].as_array().expect("a list");
    let names: Vec<&str> = operations.iter().filter_map(|entry| entry["operation"].as_str()).collect();
    assert_eq!(names, ["artifact", "editing_context", "file", "history", "source", "summary", "symbols"]);
    let missing = &operations[0];
    assert_eq!((&missing["available"], missing.get("input_schema")), (&json!(false), None));
    assert_eq!(missing["summary"], "Not implemented in this build (`get_artifact`).");
    assert_eq!(operations[2]["available"], true);
    assert_eq!(operations[2]["summary"], "Echoes.");
    assert_eq!(ask(json!({"domain": "capabilities"}))["operations"], json!([]));
}

#[test]
fn one_operation_has_its_schema_shape_and_hash() {
    let found = ask(json!({"domain": "read", "operation": "file", "detail": "schema"}));
    assert_eq!(found["effect"], "read");
    assert_eq!(found["request_shape"], json!({"operation": "file", "target": {"file": "<file>"}, "options": {}}));
    let schema = &found["input_schema"];
    assert_eq!(schema["properties"]["operation"], json!({"type": "string", "const": "file"}));
    assert_eq!(
        schema["properties"]["target"],
        json!({
            "type": "object", "properties": {"file": {"type": "string", "description": "A path."}}, "required": ["file"],
            "additionalProperties": false, "minProperties": 1, "maxProperties": 1
        })
    );
    assert_eq!(schema["properties"]["options"]["properties"]["offset"], json!({"type": "integer"}));
    assert_eq!(schema["required"], json!(["target"]));
    assert_eq!(found["schema_hash"], schema_hash(schema));
    assert_eq!(found["schema_hash"].as_str().expect("hex").len(), 64);
    let summary = ask(json!({"domain": "read", "operation": "file"}));
    assert_eq!(summary.get("input_schema"), None);
}

#[test]
fn fixed_arguments_are_named_and_not_offered() {
    let found = ask(json!({"domain": "change", "operation": "contract", "detail": "schema"}));
    assert_eq!(found["fixed_arguments"], json!({"ack": false}));
    assert!(!found["input_schema"].to_string().contains("\"ack\""));
    let cold = ask(json!({"domain": "remember", "operation": "risk_ack", "detail": "schema"}));
    assert_eq!(cold["fixed_arguments"], json!({"ack": true}));
    assert_eq!(cold["request_shape"]["arguments"]["symbols"], "<symbol>");
}

#[test]
fn verbs_have_channels_and_hidden_mappings_do_not_exist() {
    let found = ask(json!({"domain": "session", "detail": "schema"}));
    let operations = found["operations"].as_array().expect("a list");
    assert!(!found.to_string().contains("subscribe_diagnostics"));
    let verb = operations.iter().find(|entry| entry["operation"] == "subscribe").expect("the verb");
    assert_eq!(verb["available"], true);
    assert_eq!(verb["input_schema"]["properties"]["channel"]["enum"].as_array().map(Vec::len), Some(5));
    assert_eq!(verb["input_schema"]["required"], json!(["operation", "channel"]));
    assert!(!ask(json!({"domain": "read"})).to_string().contains("compat"));
}

#[test]
fn both_forms_of_a_symbol_target_are_published() {
    let target = |operation: &str| {
        let found = ask(json!({"domain": "change", "operation": operation, "detail": "schema"}));
        let keys = found["input_schema"]["properties"]["target"]["properties"].as_object().expect("selectors");
        keys.keys().cloned().collect::<Vec<_>>()
    };
    assert_eq!(target("edit_plan"), ["symbols", "symbol"]);
    assert_eq!(target("impact"), ["symbol", "symbols", "file"]);
}

#[test]
fn a_long_list_of_schemas_is_paged_to_its_end() {
    let mut names = BTreeSet::new();
    let mut request = json!({"domain": "change", "detail": "schema", "output": {"max_bytes": 3000}});
    loop {
        let output = call("capabilities", request.clone());
        assert!(!output.is_error && output.text().len() <= 3000, "{}", output.text());
        assert_eq!(output.meta["gortex_facade"]["operation"], "domain");
        let page = body(&output);
        let entries = page["operations"].as_array().expect("a list");
        assert!(entries.iter().all(|entry| names.insert(entry["operation"].to_string())));
        match page.get("next_cursor") {
            Some(cursor) => request["output"]["cursor"] = cursor.clone(),
            None => break,
        }
    }
    assert_eq!(names.len(), 18);
}

#[test]
fn unknown_words_are_refused_with_the_known_ones() {
    for (arguments, key) in [
        (json!({"domain": "raed"}), "valid_domains"),
        (json!({"domain": "read", "operation": "fil"}), "valid_operations"),
        (json!({"domain": "read", "operation": "symbol_metadata_compat"}), "valid_operations"),
        (json!({"domain": "read", "detail": "all"}), "valid_values"),
        (json!({"operation": "file"}), "valid_domains"),
    ] {
        let output = call("capabilities", arguments);
        assert!(output.is_error && body(&output)["data"][key].is_array(), "{}", output.text());
    }
    assert!(call("capabilities", json!({"domain": 3})).is_error);
}

// A shape that its own schema or the static tool refuses teaches callers something false.
#[test]
fn every_shape_fits_its_schema_and_the_static_tool() {
    let registry = registry();
    let mut seen = BTreeSet::new();
    for spec in crate::FACADE_V1 {
        let of_tool = Value::Object(crate::facade::static_schema(registry, spec));
        for listing in registry.listings(spec) {
            let Some(found) = &listing.entry else { continue };
            let schema = public_schema(spec, &listing, found);
            let shape = request_shape(spec, &listing, found, &schema);
            let id = format!("{}.{}", spec.name, listing.name);
            assert!(jsonschema::is_valid(&schema, &shape), "{id}: {shape} against {schema}");
            assert!(jsonschema::is_valid(&of_tool, &shape), "{id}: {shape} against {of_tool}");
            seen.insert(id);
        }
    }
    assert!(seen.len() > 20);
}

#[test]
fn the_hash_changes_when_a_caller_could_notice() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    let same = json!({"properties": {"a": {"type": "string"}}, "type": "object"});
    assert_eq!(schema_hash(&schema), schema_hash(&same));
    assert_ne!(schema_hash(&schema), schema_hash(&json!({"type": "object", "properties": {}})));
}
