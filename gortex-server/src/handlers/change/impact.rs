//! `change.impact`: who is affected when symbols change.

use gortex_engine::query::impact::{ImpactBounds, zero_class};

use super::shape::{self, Page};
use crate::handlers::shared::prelude::*;

/// Arguments of `change.impact`.
#[derive(Debug, Deserialize, JsonSchema, FacadeArgs)]
pub(crate) struct ExplainImpact {
    /// The symbols about to change: ids or unique names.
    #[at(target = "symbols", target = "symbol")]
    #[serde(default)]
    ids: Vec<String>,
    /// A file: all symbols of it that stand outside of functions.
    #[at(target = "file")]
    path: Option<String>,
    /// How many steps to follow.
    #[at(options)]
    #[schemars(range(min = 1, max = 10))]
    depth: Option<u32>,
    /// Only the numbers.
    #[at(output)]
    #[serde(default)]
    summary_only: bool,
    /// Affected rows to pass over, in the order of their distance.
    #[at(options)]
    #[serde(default)]
    offset: usize,
    /// Affected rows to show.
    #[at(options)]
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
}

/// Shows what a change of symbols reaches, by distance, and how risky it is.
#[facade(domain = "change", op = "impact", effect = "read")]
async fn explain_change_impact(graph: Graph, args: Args<ExplainImpact>) -> Answer<Value> {
    let args = args.into_inner();
    graph
        .blocking(move |graph| {
            let mut unresolved = Vec::new();
            let seeds = match args.path.as_deref().filter(|path| !path.is_empty() && args.ids.is_empty()) {
                Some(path) => shape::symbols_of_file(graph, path)?,
                None => {
                    let picked = shape::pick(graph, &args.ids)?;
                    unresolved = picked.unresolved;
                    picked.nodes
                }
            };
            let bounds = ImpactBounds { depth: args.depth.unwrap_or(3).clamp(1, 10), ..ImpactBounds::default() };
            // Who uses a type does so through its members as well.
            let members = seeds.iter().filter(|node| graph.kind(**node).is_type()).flat_map(|node| graph.children(*node));
            let reached: Vec<_> = seeds.iter().copied().chain(members).collect();
            let found = graph.view().impact(&reached, bounds);
            let page =
                Page { summary_only: args.summary_only, offset: args.offset, limit: args.limit.unwrap_or(100).clamp(1, 1000) };
            let mut answer = serde_json::Map::new();
            let ids: Vec<String> = seeds.iter().map(|node| graph.id(*node)).collect();
            let direct = found.counts().first().copied().unwrap_or(0);
            answer.insert("risk".to_owned(), Value::from(found.risk().as_str()));
            answer.insert(
                "summary".to_owned(),
                Value::from(format!("{direct} symbols break or need a look, {} are affected in all", found.affected.len())),
            );
            answer.insert("symbols".to_owned(), json!(ids));
            shape::impact_out(graph, &found, page, &mut answer);
            if found.affected.is_empty() {
                let rows: Vec<Value> = seeds
                    .iter()
                    .map(|node| {
                        let class = zero_class(graph, *node, found.boundaries.iter().any(|one| one.symbol == *node));
                        json!({"id": graph.id(*node), "class": class.as_str(), "message": class.message()})
                    })
                    .collect();
                answer.insert("zero_impact_caveat".to_owned(), Value::Array(rows));
            }
            if !unresolved.is_empty() {
                answer.insert("unresolved".to_owned(), json!(unresolved));
            }
            Ok(Value::Object(answer))
        })
        .await
}

#[cfg(test)]
mod tests {
    use crate::testing::Fixture;
    use serde_json::json;

    const FILES: &str = "//- m.py\ndef a():\n    pass\n\ndef b():\n    a()\n\ndef c():\n    b()\n//- test_m.py\nfrom m import b\n\ndef test_b():\n    b()\n";

    #[test]
    fn rows_come_by_distance_and_both_selectors_answer_alike() {
        let fixture = Fixture::new(FILES);
        let one = fixture.json("change", json!({"operation": "impact", "target": {"symbol": "m.py::a"}}));
        assert_eq!(one["by_depth_counts"]["1"], 1);
        assert_eq!(one["by_depth"]["1"][0]["id"], "m.py::b");
        assert_eq!(one["test_files"], json!(["test_m.py"]));
        let list = fixture.json("change", json!({"operation": "impact", "target": {"symbols": ["m.py::a"]}}));
        assert_eq!(one, list);
        let summary =
            fixture.json("change", json!({"operation": "impact", "target": {"symbol": "a"}, "output": {"summary_only": true}}));
        assert_eq!((summary.get("by_depth"), &summary["by_depth_counts"]), (None, &one["by_depth_counts"]));
    }

    #[test]
    fn a_page_is_a_part_of_the_same_rows() {
        let fixture = Fixture::new(FILES);
        let page = fixture
            .json("change", json!({"operation": "impact", "target": {"symbol": "a"}, "options": {"limit": 1, "offset": 1}}));
        assert_eq!(page["by_depth"].as_object().expect("rows").len(), 1);
        assert!(page["by_depth"].get("1").is_none());
    }

    #[test]
    fn a_type_is_used_through_its_members() {
        let fixture = Fixture::new(
            "//- m.py\nclass C:\n    def f(self):\n        pass\n\ndef go(c: C):\n    pass\n\ndef run(c):\n    C.f(c)\n",
        );
        let answer = fixture.json("change", json!({"operation": "impact", "target": {"symbol": "m.py::C"}}));
        let rows = answer["by_depth"]["1"].as_array().expect("rows");
        let ids: Vec<&str> = rows.iter().filter_map(|row| row["id"].as_str()).collect();
        assert_eq!(ids, ["m.py::go", "m.py::run"]);
    }

    #[test]
    fn nothing_affected_says_why() {
        let fixture = Fixture::new(FILES);
        let none = fixture.json("change", json!({"operation": "impact", "target": {"symbol": "m.py::c"}}));
        assert_eq!((&none["risk"], &none["total_affected"]), (&json!("NONE"), &json!(0)));
        assert_eq!(none["zero_impact_caveat"][0]["id"], "m.py::c");
    }

    #[test]
    fn unknown_symbols_are_told_and_all_unknown_is_an_error() {
        let fixture = Fixture::new(FILES);
        let some = fixture.json("change", json!({"operation": "impact", "target": {"symbols": ["m.py::a", "gone"]}}));
        assert_eq!(some["unresolved"], json!(["gone"]));
        let error = fixture.error("change", json!({"operation": "impact", "target": {"symbol": "gone"}}));
        assert_eq!(error["error_code"], "symbol_not_found");
        let file = fixture.json("change", json!({"operation": "impact", "target": {"file": "m.py"}}));
        assert_eq!(file["symbols"], json!(["m.py::a", "m.py::b", "m.py::c"]));
    }
}
