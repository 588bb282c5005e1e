//! Resources, prompts and completions over a real fixture.

use std::collections::BTreeMap;
use std::sync::Arc;

use gortex_core::{CallContext, Extensions};
use rmcp::model::{Reference, ResourceContents};
use serde_json::{Value, json};

use super::*;
use crate::testing::Fixture;

const CODE: &str = "//- a.py\ndef load(path):\n    return path\n\ndef main():\n    load('x')\n//- é.py\ndef other():\n    pass\n";

/// Runs `ask` on the road of a fixture.
fn with<T>(ask: impl AsyncFnOnce(&Asker<'_>) -> T) -> T {
    let fixture = Fixture::new(CODE);
    let registry = fixture.registry();
    let mut shared = Extensions::new();
    shared.insert_arc(Arc::clone(&fixture.server));
    shared.insert_arc(Arc::clone(&registry));
    let context = CallContext::compact(Arc::new(shared));
    fixture.block_on(ask(&Asker::new(&registry, &context)))
}

fn text(contents: &[ResourceContents]) -> (&str, &str) {
    match contents {
        [ResourceContents::TextResourceContents { text, mime_type, .. }] => (text, mime_type.as_deref().unwrap_or_default()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_listed_resource_can_be_read_and_equals_its_operation() {
    with(async |asker| {
        let listed = resources::list(asker);
        assert!(listed.len() > 8 && listed.is_sorted_by(|a, b| a.uri < b.uri || b.uri.starts_with("gortex://guide/")));
        for resource in &listed {
            let read = resources::read(asker, &resource.uri).await.unwrap_or_else(|error| panic!("{}: {error}", resource.uri));
            let (text, mime) = text(&read.contents);
            assert!(!text.is_empty() && Some(mime) == resource.mime_type.as_deref(), "{}", resource.uri);
            assert!(resources::exists(asker, &resource.uri));
        }
        let stats = resources::read(asker, "gortex://stats").await.expect("stats");
        let graph = asker.ask("workspace", json!({"operation": "graph"})).await;
        assert_eq!(text(&stats.contents).0, graph.text());
    });
}

#[test]
fn an_unknown_resource_names_the_known_ones() {
    with(async |asker| {
        for uri in ["gortex://nothing", "gortex://guide/é", "file:///etc/passwd", "", "gortex://schema/nothing"] {
            let error = resources::read(asker, uri).await.expect_err(uri);
            assert!(error.data.is_some(), "{uri}: {error}");
        }
        let error = resources::read(asker, "gortex://nothing").await.expect_err("unknown");
        assert!(error.data.expect("data")["valid_uris"].as_array().is_some_and(|all| all.contains(&json!("gortex://stats"))));
    });
}

fn arguments(pairs: &[(&str, &str)]) -> BTreeMap<String, Value> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), Value::from(*value))).collect()
}

#[test]
fn a_prompt_carries_what_the_index_knows() {
    with(async |asker| {
        let safe = prompts::get(asker, "safe_to_change", &arguments(&[("symbol", "load")])).await.expect("a prompt");
        let said = serde_json::to_string(&safe).expect("JSON");
        assert!(said.contains("a.py::main") && said.contains("return path"), "{said}");
        let orientation = prompts::get(asker, "orientation", &arguments(&[("task", "load a path")])).await.expect("a prompt");
        assert!(serde_json::to_string(&orientation).expect("JSON").contains("a.py::load"));
    });
}

#[test]
fn a_malformed_prompt_request_says_what_is_valid() {
    with(async |asker| {
        for (name, given) in [
            ("nothing", arguments(&[])),
            ("safe_to_change", arguments(&[])),
            ("safe_to_change", arguments(&[("symbol", " ")])),
            ("safe_to_change", arguments(&[("symbol", "nobody")])),
            ("pre_commit", arguments(&[("size", "1")])),
            ("orientation", BTreeMap::from([("task".to_owned(), json!(1))])),
        ] {
            let error = prompts::get(asker, name, &given).await.expect_err(name);
            assert!(error.data.is_some(), "{name}: {error}");
        }
    });
}

#[test]
fn arguments_are_completed_from_the_index() {
    with(async |asker| {
        let symbol = Reference::for_prompt("safe_to_change");
        let found = complete::complete(asker, &symbol, "symbol", "loa").await.expect("completions").completion;
        assert_eq!(found.values, ["a.py::load"]);
        let topic = Reference::for_resource("gortex://guide/{topic}");
        assert_eq!(
            complete::complete(asker, &topic, "topic", "e").await.expect("topics").completion.values,
            ["editing", "errors", "evidence"]
        );
        let domain = Reference::for_resource("gortex://schema/{domain}");
        assert_eq!(complete::complete(asker, &domain, "domain", "re").await.expect("domains").completion.total, Some(7));
        assert!(complete::complete(asker, &symbol, "symbol", "").await.expect("none").completion.values.is_empty());
        complete::complete(asker, &symbol, "size", "1").await.expect_err("no such argument");
    });
}
