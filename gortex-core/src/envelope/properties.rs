//! Properties of the road as a whole: whatever comes in, something honest goes out.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::canonical::json_len;
use crate::shape::{Controls, shape};
use crate::testing::{call, legacy};
use crate::{Body, FACADE_V1, Reply};

/// Any JSON, with the keys that mean something among its keys.
fn value() -> impl Strategy<Value = Value> {
    let key = prop_oneof![
        prop::sample::select(vec![
            "operation",
            "target",
            "to",
            "options",
            "arguments",
            "source",
            "context",
            "output",
            "guard",
            "kind",
            "channel",
            "symbol",
            "symbols",
            "file",
            "query",
            "repo",
            "path",
            "match",
            "window",
            "line",
            "limit",
            "cursor",
            "fields",
            "max_bytes",
            "format",
            "changes",
            "task",
            "range",
            "ids",
            "assist",
            "ack",
        ])
        .prop_map(str::to_owned),
        "[a-zé]{0,4}",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[a-z,é{}\\[\\]\" ]{0,8}".prop_map(Value::from),
        prop::sample::select(vec!["file", "symbols", "callers", "blame", "subscribe", "{\"a\":1}"]).prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((key.clone(), inner), 0..5).prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// A request: any object.
fn request() -> impl Strategy<Value = Value> {
    value().prop_map(|value| if value.is_object() { value } else { json!({"options": value}) })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_request_is_a_fault_of_the_server(at in 0..FACADE_V1.len(), request in request()) {
        let output = call(FACADE_V1[at].name, request.clone());
        let text = output.text();
        prop_assert!(!text.contains("internal_error"), "{request} -> {text}");
        if output.is_error {
            let found: Value = serde_json::from_str(&text).expect("JSON");
            prop_assert!(found["error_code"].is_string() && found["message"].is_string() && found["data"].is_object());
        }
        prop_assert_eq!(call(FACADE_V1[at].name, request).text(), text);
    }

    #[test]
    fn what_is_fixed_stays_fixed(request in request()) {
        let mut request = request;
        request["operation"] = "contract".into();
        let output = call("change", request);
        if !output.is_error {
            let found: Value = serde_json::from_str(&output.text()).expect("JSON");
            // A tiny `max_bytes` leaves nothing of the echo.
            prop_assert!(found.get("ack").is_none_or(|ack| ack == &json!(false)));
        }
    }

    #[test]
    fn no_legacy_call_is_a_fault_of_the_server(request in request()) {
        for name in ["analyze", "change_contract", "search_symbols", "explore", "nothing"] {
            let text = legacy(name, request.clone()).text();
            prop_assert!(!text.contains("internal_error"), "{text}");
        }
    }

    #[test]
    fn an_answer_fits_its_budget_or_says_so_and_keeps_its_numbers(body in value(), bytes in 30_usize..400, rows in any::<bool>()) {
        let body = if body.is_object() { body } else { json!({"rows": [body.clone(), body]}) };
        let mut reply = Reply::json(body.clone());
        if rows {
            reply = reply.rows("rows");
        }
        let mut flat = Map::from_iter([("max_bytes".to_owned(), Value::from(bytes))]);
        let controls = Controls::take(&mut flat, |_| false).expect("controls");
        let shaped = shape(&controls, &crate::shape::Wire::default(), "x.y", &Map::new(), reply).expect("an answer");
        let Body::Json(value) = shaped.body else { panic!("JSON stays JSON") };
        let said = value.get("_truncated_by_budget") == Some(&Value::Bool(true));
        prop_assert!(json_len(&value) <= bytes || said, "{} > {bytes}: {value}", json_len(&value));
        let numbers = body.as_object().into_iter().flatten().filter(|(_, inner)| inner.is_number());
        for (key, number) in numbers {
            prop_assert_eq!(value.get(key), Some(number));
        }
    }
}
