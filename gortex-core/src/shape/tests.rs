//! Budgets, pages and fields.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::*;
use crate::canonical::json_len;
use crate::testing::{body, call};

/// Shapes one answer under these controls.
fn shaped(controls: Value, reply: Reply) -> Result<Value, CallError> {
    let Value::Object(mut flat) = controls else { panic!("controls are an object") };
    let controls = Controls::take(&mut flat, |_| false)?;
    let wire = Wire { format: controls.format.unwrap_or_default(), tool: "t", ..Wire::default() };
    let shaped = shape(&controls, &wire, "x.y", &Map::new(), reply)?;
    if let Some(text) = shaped.written {
        return Ok(Value::String(text));
    }
    match shaped.body {
        Body::Json(value) => Ok(value),
        Body::Text(text) => Ok(Value::String(text)),
    }
}

/// The answer and its length on the wire.
#[track_caller]
fn bounded(controls: Value, reply: Reply, bytes: usize) -> Value {
    let value = shaped(controls, reply).expect("an answer");
    assert!(json_len(&value) <= bytes, "{} > {bytes}", json_len(&value));
    value
}

// Case 40: a hub of 3000 callers was one message that the host refused.
#[test]
fn following_the_cursor_yields_every_caller_once() {
    let run = || {
        let mut texts: Vec<String> = Vec::new();
        let mut request = json!({"operation": "callers"});
        loop {
            let output = call("relations", request.clone());
            assert!(!output.is_error, "{}", output.text());
            let answer = body(&output);
            texts.push(output.text());
            match answer.get("next_cursor") {
                Some(cursor) => request["output"] = json!({"cursor": cursor}),
                None => return texts,
            }
        }
    };
    let texts = run();
    assert!(texts.len() > 5 && texts.iter().all(|text| text.len() <= DEFAULT_BYTES));
    let mut callers = BTreeSet::new();
    for text in &texts {
        let answer: Value = serde_json::from_str(text).expect("JSON");
        let nodes: BTreeSet<&str> = answer["nodes"].as_array().expect("nodes").iter().filter_map(|n| n["id"].as_str()).collect();
        assert!(nodes.contains("hub"));
        for edge in answer["edges"].as_array().expect("edges") {
            let from = edge["from"].as_str().expect("an id");
            assert!(nodes.contains(from) && callers.insert(from.to_owned()));
        }
    }
    assert_eq!(callers.len(), 3000);
    assert!(texts[0].contains("3000") && texts[0].contains("_truncated_by_budget") && texts[0].contains(r#""truncated":true"#));
    assert_eq!(run(), texts);
}

#[test]
fn a_cursor_belongs_to_one_request_and_one_state_of_the_data() {
    let rows = |n: usize| Reply::json(json!({"rows": (0..n).collect::<Vec<_>>()})).rows("rows");
    let first = shaped(json!({"limit": 2}), rows(5)).expect("a page");
    assert_eq!(first["rows"], json!([0, 1]));
    let cursor = &first["next_cursor"];
    assert_eq!(shaped(json!({"limit": "2", "cursor": cursor}), rows(5)).expect("a page")["rows"], json!([2, 3]));
    // More rows behind do not matter; other rows before do.
    assert_eq!(shaped(json!({"limit": 2, "cursor": cursor}), rows(6)).expect("a page")["rows"], json!([2, 3]));
    let other = Reply::json(json!({"rows": [0, 7, 2, 3, 4]})).rows("rows");
    let stale = shaped(json!({"limit": 2, "cursor": cursor}), other).expect_err("stale");
    assert_eq!((stale.code(), stale.get("reason")), (Some(crate::Code::CursorExpired), Some(&json!("stale_cursor"))));
    assert_eq!(shaped(json!({"cursor": cursor}), rows(1)).expect_err("stale").code(), Some(crate::Code::CursorExpired));
    let last = shaped(json!({"cursor": cursor}), rows(5)).expect("a page");
    assert_eq!(last, json!({"rows": [2, 3, 4]}));
    for noise in [json!("é"), json!("AAAA"), json!(7)] {
        let error = shaped(json!({"cursor": noise}), rows(5)).expect_err("noise");
        assert_eq!(error.code(), Some(crate::Code::InvalidArgument));
    }
    assert!(shaped(json!({"cursor": cursor}), Reply::json(json!({"a": 1}))).is_err());
    assert!(shaped(json!({"cursor": cursor}), Reply::text("a")).is_err());
}

#[test]
fn nodes_without_edges_are_paged_too() {
    let nodes: Vec<Value> = (0..400).map(|at| json!({"id": format!("n{at:03}"), "pad": "x".repeat(80)})).collect();
    let edges = vec![json!({"from": "n001", "to": "n000"})];
    let reply = || Reply::json(json!({"nodes": nodes, "edges": edges})).rows("edges");
    let mut seen = BTreeSet::new();
    let mut controls = json!({"max_bytes": 5000});
    loop {
        let page = bounded(controls.clone(), reply(), 5000);
        seen.extend(page["nodes"].as_array().expect("nodes").iter().map(|node| node["id"].to_string()));
        match page.get("next_cursor") {
            Some(cursor) => controls["cursor"] = cursor.clone(),
            None => break,
        }
    }
    assert_eq!(seen.len(), 400);
}

#[test]
fn what_fits_is_not_touched() {
    let value = json!({"b": [1, 2], "a": "é"});
    assert_eq!(shaped(json!({}), Reply::json(value.clone())), Ok(value.clone()));
    assert_eq!(shaped(json!({}), Reply::json(value.clone()).rows("b")), Ok(value.clone()));
    assert_eq!(shaped(json!({"format": "JSON"}), Reply::json(value.clone())), Ok(value));
    let error = shaped(json!({"format": "yaml"}), Reply::json(json!({}))).expect_err("unknown");
    assert_eq!(error.get("valid_values"), Some(&json!(["json", "gcx", "toon", "text"])));
}

#[test]
fn the_longest_list_is_cut_first_and_says_so() {
    let long: Vec<String> = (0..2000).map(|at| format!("row é {at}")).collect();
    let value = json!({"long": long, "short": [1, 2, 3], "total": 2000});
    let cut = bounded(json!({"max_bytes": 3000}), Reply::json(value.clone()), 3000);
    assert_eq!(cut["_truncated_by_budget"], true);
    assert_eq!(cut["_original_count_long"], 2000);
    assert_eq!(cut["_max_returned_long"], cut["long"].as_array().expect("a list").len());
    assert!(cut["long"].as_array().expect("a list").len() > 100);
    assert_eq!(cut["short"], json!([1, 2, 3]));
    assert_eq!(cut["total"], 2000);
    let tokens = bounded(json!({"max_tokens": 1000, "max_bytes": 9000}), Reply::json(value.clone()), 3500);
    assert!(json_len(&tokens) > 3000);
    assert_eq!(shaped(json!({"max_bytes": 0}), Reply::json(value.clone())), Ok(value.clone()));
    assert_eq!(shaped(json!({"max_bytes": -1, "max_tokens": 0}), Reply::json(value.clone())), Ok(value));
}

#[test]
fn a_long_text_is_cut_at_a_character_and_lists_survive() {
    let value = json!({"path": "a", "content": "ß\n\"".repeat(30_000), "omissions": [{"kind": "x"}]});
    let cut = bounded(json!({}), Reply::json(value), DEFAULT_BYTES);
    assert_eq!(cut["content_truncated"], true);
    assert_eq!(cut["omissions"], json!([{"kind": "x"}]));
    let content = cut["content"].as_str().expect("text");
    assert!(content.len() > 15_000 && "ß\n\"".repeat(30_000).starts_with(content));
    let text = shaped(json!({"max_bytes": 300}), Reply::text("é".repeat(1000))).expect("text");
    let text = text.as_str().expect("text");
    assert!(text.len() <= 300 && text.contains("of 2000 bytes") && text.starts_with("éé"));
    assert_eq!(shaped(json!({}), Reply::text("short")), Ok(json!("short")));
}

#[test]
fn one_row_larger_than_the_budget_does_not_stop_the_pages() {
    let rows: Vec<Value> = (0..3).map(|at| json!({"at": at, "text": "x".repeat(5000)})).collect();
    let reply = || Reply::json(json!({"rows": rows})).rows("rows");
    let mut controls = json!({"max_bytes": 1000});
    let mut seen = Vec::new();
    loop {
        let page = bounded(controls.clone(), reply(), 1000);
        seen.push(page["rows"][0]["at"].clone());
        match page.get("next_cursor") {
            Some(cursor) => controls["cursor"] = cursor.clone(),
            None => break,
        }
    }
    assert_eq!(seen, [json!(0), json!(1), json!(2)]);
}

#[test]
fn nested_lists_and_impossible_budgets_still_fit() {
    let nested = json!({"manifest": {"entries": (0..500).map(|at| json!({"n": at})).collect::<Vec<_>>()}});
    let cut = bounded(json!({"max_bytes": 600}), Reply::json(nested.clone()), 600);
    assert!(!cut["manifest"]["entries"].as_array().expect("a list").is_empty());
    assert_eq!(cut["_original_count_manifest.entries"], 500);
    let least = shaped(json!({"max_bytes": 10}), Reply::json(nested)).expect("an answer");
    assert_eq!((&least["manifest"]["entries"], &least["_truncated_by_budget"]), (&json!([]), &json!(true)));
}

#[test]
fn a_small_budget_never_erases_what_is_said() {
    let path = format!("src/{}/a.rs", "größe/".repeat(20));
    let value =
        json!({"status": "applied", "file": path, "total": 3, "written": true, "rows": [1, 2, 3], "diff": "é".repeat(200)});
    for bytes in [1, 10, 100, 200] {
        let cut = shaped(json!({"max_bytes": bytes}), Reply::json(value.clone())).expect("an answer");
        assert_eq!(
            (&cut["status"], &cut["file"], &cut["total"], &cut["written"]),
            (&json!("applied"), &json!(path), &json!(3), &json!(true))
        );
        assert_eq!(
            (&cut["rows"], &cut["_original_count_rows"], &cut["_truncated_by_budget"]),
            (&json!([]), &json!(3), &json!(true))
        );
        let diff = cut["diff"].as_str().expect("text");
        assert!(!diff.is_empty() && diff.len() < 64 && "é".repeat(200).starts_with(diff), "{bytes}");
    }
}

#[test]
fn fields_keep_keys_of_rows() {
    let value = json!({"nodes": [{"id": "a", "name": "x"}, {"id": "b"}], "edges": [{"from": "a"}], "total": 2});
    let kept = shaped(json!({"fields": "id"}), Reply::json(value.clone())).expect("an answer");
    assert_eq!(kept, json!({"nodes": [{"id": "a"}, {"id": "b"}], "edges": [{"from": "a"}], "total": 2}));
    let error = shaped(json!({"fields": ["id", "nam"]}), Reply::json(value)).expect_err("unknown");
    assert_eq!(error.get("valid_values"), Some(&json!(["from", "id", "name"])));
    assert!(shaped(json!({"fields": "id"}), Reply::json(json!({"nodes": []}))).is_ok());
}

// ----- forms

#[test]
fn every_form_says_the_same() {
    let reply = || Reply::json(json!({"total": 1, "rows": [{"id": "é", "line": 3}]})).rows("rows");
    let text = |format: &str| shaped(json!({"format": format}), reply()).expect("an answer");
    assert!(text("json").is_object());
    assert_eq!(text("gcx"), "GCX1 tool=t fields=rows,total\n[{\"id\":\"é\",\"line\":3}]\t1\n");
    assert_eq!(text("TOON"), "total: 1\nrows[1]{id,line}:\n  é,3\n");
    assert_eq!(text("text"), "total: 1\nrows (1):\n  id  line\n  é   3\n");
    let unknown = shaped(json!({"format": "xml"}), reply()).expect_err("unknown");
    assert_eq!(unknown.get("valid_values"), Some(&json!(["json", "gcx", "toon", "text"])));
}

#[test]
fn a_bound_holds_for_the_form_that_leaves() {
    let rows: Vec<Value> = (0..300).map(|at| json!({"id": format!("größe_{at}"), "line": at})).collect();
    let reply = || Reply::json(json!({"truncated": false, "rows": rows.clone()})).rows("rows");
    for format in ["json", "gcx", "toon", "text"] {
        let answer = shaped(json!({"format": format, "max_bytes": 2000}), reply()).expect("an answer");
        let text = answer.as_str().map_or_else(|| answer.to_string(), str::to_owned);
        assert!(text.len() <= 2000 && text.len() > 1500, "{format}: {}", text.len());
        assert!(text.contains("next_cursor"), "{format}: {text}");
    }
    let tokens = shaped(json!({"format": "gcx", "max_tokens": 600}), reply()).expect("an answer");
    assert!(tokens.as_str().is_some_and(|text| text.ends_with("# max_tokens=600 truncated_by_tokens=true\n")));
}
