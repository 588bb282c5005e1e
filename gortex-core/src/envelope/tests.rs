//! The envelope, from requests to what handlers are given.

use serde_json::{Value, json};

use crate::testing::{body, call, legacy};

/// A request, the operation it means, and the arguments its handler gets.
#[track_caller]
fn check(name: &str, request: Value, operation: &str, arguments: Value) {
    let output = call(name, request);
    assert!(!output.is_error, "{}", output.text());
    assert_eq!(output.meta["gortex_facade"]["operation"], operation);
    assert_eq!(body(&output), arguments);
}

/// A request that is refused, and what its data says.
#[track_caller]
fn refused(name: &str, request: Value, data: Value) -> Value {
    let output = call(name, request);
    assert!(output.is_error, "{}", output.text());
    let found = body(&output);
    for (key, value) in data.as_object().expect("an object") {
        assert_eq!(&found["data"][key], value, "{key} of {found}");
    }
    found
}

#[test]
fn operations_are_inferred_from_the_selector() {
    check("read", json!({"target": {"file": "ä.py"}}), "file", json!({"path": "ä.py"}));
    check("read", json!({"target": {"symbol": "a"}}), "source", json!({"id": "a"}));
    check("read", json!({"target": {"symbols": ["a", "b"]}}), "symbols", json!({"ids": ["a", "b"], "include_source": true}));
    check(
        "edit",
        json!({"target": {"symbol": "a"}, "match": "x", "replacement": "y"}),
        "symbol",
        json!({"old_source": "x", "new_source": "y", "id": "a"}),
    );
    check("edit", json!({"target": {"file": "a"}, "content": ""}), "write", json!({"content": "", "path": "a"}));
    check("edit", json!({"changes": [{"op": "delete_file"}]}), "batch", json!({"edits": [{"op": "delete_file"}]}));
    check("edit", json!({"changes": "[{\"op\":\"delete_file\"}]"}), "batch", json!({"edits": "[{\"op\":\"delete_file\"}]"}));
    refused("edit", json!({"target": {"file": "a"}, "match": "x", "content": "y"}), json!({"field": "replacement"}));
}

#[test]
fn the_selector_count_wins_over_the_operation() {
    check(
        "read",
        json!({"operation": "source", "target": {"symbols": ["a", "b"]}}),
        "symbols",
        json!({"ids": ["a", "b"], "include_source": true}),
    );
    check("read", json!({"operation": "symbols", "target": {"symbol": "a"}}), "source", json!({"id": "a"}));
    check("read", json!({"operation": "source", "target": {"file": "a"}}), "file", json!({"path": "a"}));
}

#[test]
fn operation_names_are_normalised_and_aliased() {
    check("read", json!({"operation": " Symbol-Source ", "target": {"symbol": "a"}}), "source", json!({"id": "a"}));
    check("read", json!({"operation": "read_file", "target": {"file": "a"}}), "file", json!({"path": "a"}));
    let found = refused("relations", json!({"operation": "callerz"}), json!({"did_you_mean": "callers", "facade": "relations"}));
    assert!(found["data"]["valid_operations"].as_array().expect("a list").contains(&json!("callers")));
    refused("relations", json!({"operation": 7}), json!({"field": "operation", "expected_type": "string"}));
    refused("overlay", json!({}), json!({"field": "operation"}));
    refused("read", json!({"operation": "symbol_metadata_compat", "target": {"symbol": "a"}}), json!({"facade": "read"}));
    refused("read", json!({"operation": "summary"}), json!({"reason": "unavailable", "legacy_tool": "get_file_summary"}));
}

#[test]
fn containers_are_merged_and_must_be_objects() {
    check(
        "read",
        json!({"target": {"file": "a"}, "options": "{\"offset\": 2}", "output": {"limit": 1}}),
        "file",
        json!({"offset": 2, "limit": 1, "path": "a"}),
    );
    check(
        "read",
        json!({"target": "{\"file\": \"a\"}", "options": {"offset": 1}, "context": {"offset": 2}, "offset": 3}),
        "file",
        json!({"offset": 3, "path": "a"}),
    );
    check("read", json!({"target": {"file": "a"}, "options": null, "context": {"offset": null}}), "file", json!({"path": "a"}));
    refused("read", json!({"target": {"file": "a"}, "options": "deep"}), json!({"field": "options"}));
    let found = refused("read", json!({"target": {"file": "a"}, "arguments": [1]}), json!({"received_type": "array"}));
    assert!(found["message"].as_str().expect("text").contains("JSON-RPC envelope"));
    assert!(found["data"]["accepted_fields"].is_array());
    refused("recall", json!({"arguments": 1}), json!({"field": "arguments", "expected_type": "object"}));
}

#[test]
fn a_target_has_exactly_one_selector() {
    refused("read", json!({"operation": "file", "target": "a.py"}), json!({"field": "target"}));
    refused("read", json!({"operation": "file", "target": {"path": "a"}}), json!({"field": "target.path"}));
    refused("read", json!({"operation": "file", "target": {}}), json!({"selectors": []}));
    refused(
        "read",
        json!({"operation": "file", "target": {"symbol": "a", "file": "b"}}),
        json!({"selectors": ["file", "symbol"]}),
    );
    check(
        "read",
        json!({"operation": "file", "target": {"symbol": " ", "file": "b", "symbols": []}}),
        "file",
        json!({"path": "b"}),
    );
    refused(
        "read",
        json!({"operation": "file", "target": {"file": 7}}),
        json!({"field": "target.file", "expected_type": "string"}),
    );
    refused("read", json!({"operation": "symbols", "target": {"symbols": [1]}}), json!({"field": "target.symbols"}));
}

#[test]
fn a_selector_that_would_not_be_read_is_refused() {
    refused("search", json!({"query": "x", "target": {"file": "a"}}), json!({"reason": "unsupported_target"}));
    refused(
        "relations",
        json!({"target": {"query": "x"}}),
        json!({"field": "target.query", "accepted_by": ["declaration"], "operation": "usages"}),
    );
    refused(
        "relations",
        json!({"target": {"symbol": "x"}, "to": {"symbol": "y"}}),
        json!({"field": "to.symbol", "accepted_by": []}),
    );
    refused(
        "analyze",
        json!({"kind": "processes", "target": {"symbol": "x"}}),
        json!({"kind": "processes", "entity_mismatch": "options.id"}),
    );
    check(
        "trace",
        json!({"operation": "flow", "target": {"symbol": "a"}, "to": {"query": "b"}}),
        "flow",
        json!({"source_id": "a", "sink_id": "b"}),
    );
    check("relations", json!({"target": {"symbols": ["a,b"]}}), "usages", json!({"id": "a,b"}));
    refused("relations", json!({"target": {"symbols": ["a", "b"]}}), json!({"reason": "unsupported_target"}));
}

#[test]
fn friendly_names_are_renamed_only_where_they_belong() {
    check("search", json!({"operation": "ast", "query": "(x)"}), "ast", json!({"pattern": "(x)"}));
    check("search", json!({"operation": "ast", "options": {"query": "(x)"}}), "ast", json!({"pattern": "(x)"}));
    check(
        "explore",
        json!({"task": "t", "path": "r", "options": {"path": "src", "repo": "s"}}),
        "task",
        json!({"path": "src", "repo": "r", "task": "t"}),
    );
    check("explore", json!({"task": "t", "path": " ", "options": {"repo": "s"}}), "task", json!({"repo": "s", "task": "t"}));
    check(
        "refactor",
        json!({"operation": "move", "target": {"symbol": "a"}, "destination": "b.rs"}),
        "move",
        json!({"target_file": "b.rs", "id": "a"}),
    );
}

#[test]
fn fixed_arguments_are_written_last() {
    check(
        "search",
        json!({"query": "x", "assist": "on", "options": {"assist": "on"}}),
        "symbols",
        json!({"assist": "off", "query": "x"}),
    );
    check(
        "remember",
        json!({"operation": "risk_ack", "arguments": {"symbols": "a", "ack": false}}),
        "risk_ack",
        json!({"symbols": "a", "ack": true}),
    );
}

#[test]
fn a_window_is_an_offset_and_a_limit() {
    let read = |context: Value| json!({"target": {"file": "a"}, "context": context});
    let window = |offset: i64, limit: i64| json!({"path": "a", "offset": offset, "limit": limit});
    check("read", read(json!({"start_line": 100, "end_line": 180})), "file", window(100, 81));
    check("read", read(json!({"start": "5", "end": 3})), "file", window(5, 1));
    check("read", read(json!({"end_line": 4})), "file", window(1, 4));
    check("read", read(json!({"line": 7})), "file", window(7, 1));
    check("read", read(json!({"window": {"line": 7, "limit": 3}})), "file", json!({"path": "a", "limit": 3, "offset": 7}));
    check("read", read(json!({"start_line": 0})), "file", json!({"path": "a", "offset": 1}));
    refused("read", read(json!({"line": "seven"})), json!({"field": "context.line"}));
    refused("read", read(json!({"window": 3})), json!({"field": "context.window"}));
}

#[test]
fn a_set_of_symbols_is_collected_from_everywhere() {
    let plan = |rest: Value| {
        let mut request = json!({"operation": "edit_plan"});
        for (key, value) in rest.as_object().expect("an object") {
            request[key] = value.clone();
        }
        request
    };
    check("change", plan(json!({"target": {"symbols": ["b", "a", "b", " "]}})), "edit_plan", json!({"ids": ["b", "a"]}));
    check("change", plan(json!({"source": {"symbols": "a, b"}})), "edit_plan", json!({"ids": ["a", "b"]}));
    check("change", plan(json!({"options": {"ids": ["a"]}, "symbol": "a"})), "edit_plan", json!({"ids": ["a"]}));
    refused(
        "change",
        plan(json!({"target": {"symbols": ["a"]}, "source": {"symbols": ["b"]}})),
        json!({"conflicting_fields": ["target.symbols", "source.symbols"]}),
    );
    refused("change", plan(json!({"target": {"symbol": "a,b"}})), json!({"field": "target.symbol"}));
    refused("change", plan(json!({"source": {"symbols": [1]}})), json!({"field": "source.symbols"}));
    refused("change", plan(json!({})), json!({"field": "target.symbols"}));
}

#[test]
fn a_contract_has_symbols_or_another_source() {
    check(
        "change",
        json!({"target": {"symbols": ["a", "b"]}}),
        "contract",
        json!({"symbols": "a,b", "source": "symbols", "ack": false}),
    );
    check("change", json!({"source": {"ranges": [{"file": "a"}]}}), "contract", json!({"ranges": [{"file": "a"}], "ack": false}));
    check(
        "change",
        json!({"source": {"source": "diff"}, "options": {"ack": true}}),
        "contract",
        json!({"ack": false, "source": "diff"}),
    );
    refused(
        "change",
        json!({"target": {"symbols": ["a"]}, "source": {"source": "diff"}}),
        json!({"conflicting_fields": ["target.symbols", "source.source"]}),
    );
    refused("change", json!({}), json!({"field": "target.symbols"}));
}

#[test]
fn other_rules_of_change() {
    check("change", json!({"operation": "impact", "target": {"symbol": "a,b"}}), "impact", json!({"ids": ["a,b"]}));
    check("change", json!({"operation": "impact", "target": {"symbols": ["a", "b"]}}), "impact", json!({"ids": ["a", "b"]}));
    check("change", json!({"operation": "impact", "target": {"file": "a"}}), "impact", json!({"path": "a"}));
    check("change", json!({"operation": "impact", "source": {"symbols": ["a"]}}), "impact", json!({"ids": ["a"]}));
    check("change", json!({"operation": "pattern", "source": {"symbols": ["a", "b"]}}), "pattern", json!({"id": "a"}));
    check(
        "change",
        json!({"operation": "diagnostics", "source": {"file": "a", "range": {"start_line": 3, "end_line": 4}}}),
        "diagnostics",
        json!({"path": "a", "start_line": 3}),
    );
    check("change", json!({"operation": "diagnostics", "target": {"file": "a"}}), "diagnostics", json!({"path": "a"}));
}

#[test]
fn a_repository_selector_is_read_or_refused() {
    check(
        "search",
        json!({"query": "x", "options": {"repo": "r"}}),
        "symbols",
        json!({"repo": "r", "query": "x", "assist": "off"}),
    );
    check("search", json!({"query": "x", "repo": "r"}), "symbols", json!({"query": "x", "repo": "r", "assist": "off"}));
    refused("search", json!({"query": "x", "Repo": "r"}), json!({"field": "Repo", "suggested_field": "options.repo"}));
    refused(
        "search",
        json!({"query": "x", "options": {"repoPath": "r"}}),
        json!({"field": "options.repoPath", "container": "options", "suggested_field": "options.repo"}),
    );
    refused(
        "search",
        json!({"query": "x", "options": {"repo": ""}}),
        json!({"field": "options.repo", "expected_type": "string"}),
    );
    refused("search", json!({"query": "x", "options": {"repo": 3}}), json!({"field": "options.repo"}));
    let found = refused("read", json!({"target": {"file": "a"}, "cwd": "/x"}), json!({"reason": "no_repository_selector"}));
    assert!(found["message"].as_str().expect("text").contains("workspace_admin.set_active_project"));
    refused(
        "read",
        json!({"target": {"file": "a"}, "output": {"root": "/x"}, "context": {"dir": "/y"}}),
        json!({"field": "context.dir"}),
    );
    check("read", json!({"target": {"file": "a"}, "options": {"scope": "x", "path": "b"}}), "file", json!({"path": "a"}));
    // An anchor that the operation can't honour would answer about another repository.
    refused(
        "explore",
        json!({"operation": "outline", "path": "r"}),
        json!({"field": "path", "reason": "no_repository_selector"}),
    );
    check("explore", json!({"operation": "outline", "path": ""}), "outline", json!({}));
    check(
        "workspace_admin",
        json!({"operation": "track", "arguments": {"path": "/p", "workspace": "w"}}),
        "track",
        json!({"path": "/p", "workspace": "w"}),
    );
    refused(
        "workspace_admin",
        json!({"operation": "track", "arguments": {"path": "/p", "project": "w"}}),
        json!({"suggested_field": "arguments.workspace"}),
    );
}

#[test]
fn kinds_of_analysis_are_operations_and_writers_live_elsewhere() {
    check("analyze", json!({}), "help", json!({"kind": "help"}));
    check("analyze", json!({"kind": "Hotspots", "options": {"limit": 3}}), "hotspots", json!({"limit": 3, "kind": "hotspots"}));
    check("analyze", json!({"operation": "hotspots"}), "hotspots", json!({"kind": "hotspots"}));
    check("analyze", json!({"options": {"kind": "hotspots"}}), "hotspots", json!({"kind": "hotspots"}));
    check("analyze", json!({"kind": "help", "options": {"kind": "blame"}}), "help", json!({"kind": "help"}));
    check("analyze", json!({"kind": "processes", "options": {"id": "p"}}), "processes", json!({"id": "p"}));
    for kind in ["blame", "coverage", "sql_rebuild", "temporal_verify"] {
        for request in [json!({"kind": kind}), json!({"options": {"kind": kind}})] {
            let found = refused("analyze", request, json!({"domain": "workspace_admin", "operation": kind}));
            assert_eq!(found["error_code"], "tool_blocked_by_mode");
        }
    }
    check("workspace_admin", json!({"operation": "blame", "arguments": {"kind": "hotspots"}}), "blame", json!({"kind": "blame"}));
}

#[test]
fn a_verb_is_completed_by_its_channel() {
    let done = json!({});
    check("session", json!({"operation": "subscribe", "channel": "Diagnostics"}), "subscribe_diagnostics", done.clone());
    check(
        "session",
        json!({"operation": "subscribe", "arguments": {"channel": "diagnostics"}}),
        "subscribe_diagnostics",
        done.clone(),
    );
    check("session", json!({"operation": "subscribe_diagnostics"}), "subscribe_diagnostics", done);
    let channels = json!(["daemon_health", "diagnostics", "graph_invalidated", "stale_refs", "workspace_readiness"]);
    refused("session", json!({"operation": "subscribe"}), json!({"operation": "subscribe", "valid_channels": channels}));
    refused("session", json!({"operation": "subscribe", "channel": "x"}), json!({"valid_channels": channels}));
    refused("session", json!({"operation": "subscribe", "channel": "stale_refs"}), json!({"reason": "unavailable"}));
}

#[test]
fn a_wrong_word_for_a_choice_is_refused() {
    refused(
        "search",
        json!({"query": "x", "options": {"query_class": "sideways"}}),
        json!({"field": "options.query_class", "valid_values": ["word", "path"], "received": "sideways"}),
    );
    refused("read", json!({"target": {"file": "a"}, "options": {"offset": "two"}}), json!({"expected_type": "integer"}));
    let found = refused("search", json!({}), json!({"field": "query"}));
    assert_eq!(found["message"], "query is required");
    refused("read", json!({"operation": "file"}), json!({"field": "target.file"}));
}

#[test]
fn legacy_names_have_meanings_by_value() {
    assert_eq!(
        body(&legacy("analyze", json!({"kind": "processes", "id": "p"}))),
        json!({
            "id": "p", "_ignored_options": {"names": ["kind"], "valid": ["id"]}
        })
    );
    assert_eq!(body(&legacy("analyze", json!({"kind": "hotspots"})))["kind"], "hotspots");
    let unknown = body(&legacy("analyze", json!({"kind": "x"})));
    assert!(unknown["data"]["valid_values"].as_array().expect("a list").contains(&json!("hotspots")));
    assert_eq!(legacy("change_contract", json!({"ack": true})).operation.map(|o| o.effect), Some(crate::Effect::LocalWrite));
    assert_eq!(legacy("change_contract", json!({})).operation.map(|o| o.effect), Some(crate::Effect::Read));
    let marked = legacy("surface_memories", json!({"mark_accessed": true}));
    assert_eq!(marked.operation.map(|o| o.effect), Some(crate::Effect::LocalWrite));
    // The compact posture does not reach explicit legacy calls.
    assert_eq!(body(&legacy("search_symbols", json!({"query": "x", "assist": "on"})))["assist"], "on");
    let public = legacy("explore", json!({"options": {"path": "src"}, "task": "t"}));
    assert_eq!(public.meta["gortex_facade"]["operation"], "task");
    assert!(!legacy("explore", json!({"task": "t"})).meta.contains_key("gortex_facade"));
    assert_eq!(body(&legacy("get_file_summary", json!({})))["data"]["reason"], "unavailable");
}
