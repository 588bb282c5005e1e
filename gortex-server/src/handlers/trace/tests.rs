//! Traces through the one dispatch.

use serde_json::{Value, json};

use crate::testing::Fixture;

const LADDER: &str = "//- a.py\ndef a(f):\n    b()\n    f()\n    print(1)\n\ndef b():\n    c()\n\ndef c():\n    return 1\n\ndef island():\n    return 2\n";

fn names(answer: &Value) -> Vec<&str> {
    answer["nodes"].as_array().expect("nodes").iter().filter_map(|node| node["name"].as_str()).collect()
}

#[test]
fn a_call_chain_tells_where_it_ends() {
    let fixture = Fixture::new(LADDER);
    let chain = |symbol: &str, options: Value| fixture.json("trace", json!({"target": {"symbol": symbol}, "options": options}));
    let full = chain("a", json!({}));
    assert_eq!(names(&full), ["a", "b", "c"]);
    assert_eq!(
        (&full["lower_bound"], &full["boundaries"][0]["target"], &full["boundaries"][0]["reason"]),
        (&json!(true), &json!("f"), &json!("dynamic")),
        "{full}"
    );
    assert_eq!(names(&chain("a", json!({"depth": 1}))), ["a", "b"]);
    let leaf = chain("c", json!({}));
    assert_eq!((names(&leaf), leaf.get("lower_bound")), (vec!["c"], None), "{leaf}");
    assert_eq!(chain("a", json!({"limit": 1}))["truncated"], true);
}

#[test]
fn a_path_or_the_gap() {
    let fixture = Fixture::new(LADDER);
    let path = |from: &str, to: &str, options: Value| {
        fixture.json("trace", json!({"operation": "path", "target": {"symbol": from}, "to": {"symbol": to}, "options": options}))
    };
    let found = path("a", "c", json!({}));
    assert_eq!(
        (&found["found"], &found["paths"][0]["length"], &found["paths"][0]["worst_tier"]),
        (&json!(true), &json!(2), &json!("ast_resolved")),
        "{found}"
    );
    assert_eq!((&found["paths"][0]["nodes"][1]["name"], &found["paths"][0]["edges"][1]["line"]), (&json!("b"), &json!(7)));
    let gap = path("a", "island", json!({}));
    assert_eq!((&gap["found"], &gap["gap"]["reason"]), (&json!(false), &json!("sink_no_in_edges")), "{gap}");
    assert_eq!(path("a", "c", json!({"max_depth": 1}))["gap"]["reason"], "depth_exceeded");
    assert_eq!(path("a", "a", json!({}))["paths"][0]["length"], 0);
    let missing = path("a", "nowhere", json!({}));
    assert_eq!((&missing["condition"], &missing["data"]["which"]), (&json!("symbol_not_found"), &json!("sink")), "{missing}");
}

#[test]
fn a_walk_is_steered_and_bounded() {
    let fixture = Fixture::new(LADDER);
    let walk =
        |options: Value| fixture.json("trace", json!({"operation": "walk", "target": {"symbol": "b"}, "options": options}));
    assert_eq!(names(&walk(json!({}))), ["b", "c"]);
    assert_eq!(names(&walk(json!({"direction": "in"}))), ["b", "a"]);
    let both = walk(json!({"direction": "both"}));
    assert_eq!((names(&both), &both["budget_hit"]), (vec!["b", "a", "c"], &json!(false)));
    let poor = walk(json!({"direction": "both", "token_budget": 10}));
    assert_eq!((names(&poor), &poor["budget_hit"], &poor["stopped_at_depth"]), (vec!["b"], &json!(true), &json!(1)));
    assert_eq!(names(&walk(json!({"edge_kinds": "member_of"}))), ["b", "a.py"]);
    assert!(walk(json!({"edge_kinds": "sends"}))["note"].is_string());
    for options in [json!({"edge_kinds": "likes"}), json!({"direction": "up"})] {
        let error = fixture.error("trace", json!({"operation": "walk", "target": {"symbol": "b"}, "options": options}));
        assert_eq!(error["error_code"], "invalid_argument", "{error}");
    }
}
