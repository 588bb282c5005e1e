//! How answers become tables in the compact wire format.
//!
//! The columns of a tool are frozen for the version of the format: clients find them by name. What has no column here is not
//! lost, it follows in sections of its own.

use gortex_core::gcx::{Field, Layout, Part, Rows, Source};

/// Columns of a symbol in a list.
const SYMBOL: [Field; 5] = [
    Field::of("id", &["id"]),
    Field::of("kind", &["kind"]),
    Field::of("name", &["name"]),
    Field::of("path", &["file_path", "path"]),
    Field::of("line", &["start_line", "line"]),
];
const SIG: Field = Field::of("sig", &["signature"]);
const SPAN: [Field; 2] = [Field::of("start_line", &["start_line"]), Field::of("end_line", &["end_line"])];

const SYMBOLS: &[Field] = &SYMBOL;
const SYMBOLS_WITH_SIG: &[Field] = &[SYMBOL[0], SYMBOL[1], SYMBOL[2], SYMBOL[3], SYMBOL[4], SIG];
const EDGES: &[Field] = &[
    Field::of("from", &["from"]),
    Field::of("to", &["to"]),
    Field::of("kind", &["kind"]),
    Field::of("origin", &["tier"]),
    Field::of("confidence", &["confidence"]),
    Field::of("label", &["confidence_label"]),
];
const USAGES: &[Field] = &[
    Field::of("from", &["from"]),
    Field::of("to", &["to"]),
    Field::of("edge_kind", &["kind"]),
    Field::of("context", &["context"]),
    Field::of("return_usage", &["return_usage"]),
    Field::of("origin", &["tier"]),
    Field::of("tier", &["tier"]),
    Field::of("confidence", &["confidence"]),
    Field::of("from_name", &["name"]),
    Field::of("from_path", &["file_path"]),
    Field::of("from_line", &["line"]),
    Field::from("from_is_test", Source::Through { key: "from", list: "nodes", field: "is_test" }),
    Field::from("from_test_role", Source::Through { key: "from", list: "nodes", field: "test_role" }),
    Field::from("from_test_runner", Source::Through { key: "from", list: "nodes", field: "test_runner" }),
];

/// Nodes, then edges. The file of an edge is the file of where it comes from, which its id begins with.
const SUBGRAPH: &[Part] =
    &[Part::list("nodes", SYMBOLS).named("nodes"), Part::list("edges", EDGES).named("edges").implying(&["file_path"])];

/// The layouts.
pub(crate) const LAYOUTS: &[Layout] = &[
    Layout { tool: "search_symbols", parts: &[Part::list("results", SYMBOLS_WITH_SIG)] },
    Layout {
        tool: "get_symbol_source",
        parts: &[Part {
            name: "",
            rows: Rows::Whole,
            fields: &[
                SYMBOL[0],
                SYMBOL[1],
                SYMBOL[2],
                SYMBOL[3],
                SPAN[0],
                SPAN[1],
                Field::of("from_line", &["from_line"]),
                SIG,
                Field::of("etag", &["etag"]),
                Field::of("source", &["source"]),
            ],
            implied: &[],
            optional: false,
        }],
    },
    Layout {
        tool: "batch_symbols",
        parts: &[Part::list(
            "symbols",
            &[
                SYMBOL[0],
                SYMBOL[1],
                SYMBOL[2],
                SYMBOL[3],
                SPAN[0],
                SPAN[1],
                SIG,
                Field::of("source", &["source"]).if_any(),
                Field::of("error", &["error"]),
            ],
        )],
    },
    Layout { tool: "find_usages", parts: &[Part::list("edges", USAGES).implying(&["confidence_label"])] },
    Layout {
        tool: "get_file_summary",
        parts: &[Part::list("nodes", &[SYMBOL[0], SYMBOL[1], SYMBOL[2], SYMBOL[4], SIG]).implying(&["file_path"])],
    },
    Layout { tool: "get_callers", parts: SUBGRAPH },
    Layout { tool: "get_call_chain", parts: SUBGRAPH },
    Layout { tool: "get_dependencies", parts: SUBGRAPH },
    Layout { tool: "get_dependents", parts: SUBGRAPH },
    Layout { tool: "find_implementations", parts: &[Part::list("implementations", SYMBOLS).named("nodes")] },
    Layout {
        tool: "get_editing_context",
        parts: &[
            Part {
                name: "target",
                rows: Rows::Object("file"),
                fields: &[
                    SYMBOL[0],
                    SYMBOL[1],
                    SYMBOL[2],
                    Field::of("path", &["path", "id"]),
                    SPAN[0],
                    SPAN[1],
                    SIG,
                    Field::of("etag", &["etag"]),
                ],
                implied: &[],
                optional: false,
            },
            Part::list("called_by", SYMBOLS).named("callers"),
            Part::list("calls", SYMBOLS).named("dependencies"),
            Part::list("tests", &[Field::from("path", Source::Itself)]).named("tests").if_any(),
        ],
    },
    Layout {
        tool: "smart_context",
        parts: &[
            Part { name: "task", rows: Rows::Whole, fields: &[Field::of("task", &["task"])], implied: &[], optional: false },
            Part::list(
                "relevant_symbols",
                &[
                    SYMBOL[0],
                    SYMBOL[1],
                    SYMBOL[2],
                    SYMBOL[3],
                    SYMBOL[4],
                    Field::of("score", &["score"]),
                    Field::of("reason", &["reason"]),
                ],
            )
            .named("symbols"),
        ],
    },
    Layout {
        tool: "get_repo_outline",
        parts: &[
            Part::list(
                "languages",
                &[Field::of("name", &["name"]), Field::of("nodes", &["nodes"]), Field::of("files", &["files"])],
            )
            .named("languages")
            .if_any(),
            Part::list(
                "hotspots",
                &[
                    SYMBOL[0],
                    SYMBOL[1],
                    SYMBOL[2],
                    SYMBOL[3],
                    Field::of("fan_in", &["fan_in"]),
                    Field::of("fan_out", &["fan_out"]),
                    Field::of("score", &["complexity_score", "score"]),
                ],
            )
            .named("hotspots"),
            Part::list("most_imported_files", &[Field::of("path", &["path"]), Field::of("import_count", &["import_count"])])
                .named("most_imported"),
            Part::list("entry_points", &[SYMBOL[0], SYMBOL[2], SYMBOL[3]]).named("entry_points"),
        ],
    },
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use gortex_core::gcx::{Document, decode};
    use serde_json::{Value, json};

    use super::LAYOUTS;
    use crate::testing::{Client, Fixture};

    const TREE: &str = "//- a.py\nclass Ä:\n    \"\"\"Words.\"\"\"\n    def m(self):\n        return f(1)\n\ndef f(x):\n    return x\n//- test_a.py\nfrom a import f\n\ndef test_f():\n    assert f(2)\n";

    /// The requests of one tool each that has a layout and a handler.
    fn requests() -> Vec<(&'static str, &'static str, Value)> {
        vec![
            ("search_symbols", "search", json!({"operation": "symbols", "query": "f"})),
            ("get_symbol_source", "read", json!({"target": {"symbol": "f"}})),
            ("batch_symbols", "read", json!({"target": {"symbols": ["f", "nobody"]}})),
            ("find_usages", "relations", json!({"target": {"symbol": "f"}})),
            ("get_file_summary", "read", json!({"operation": "summary", "target": {"file": "a.py"}})),
            ("get_callers", "relations", json!({"operation": "callers", "target": {"symbol": "f"}})),
            ("get_call_chain", "trace", json!({"target": {"symbol": "m"}})),
            ("get_dependencies", "relations", json!({"operation": "dependencies", "target": {"symbol": "m"}})),
            ("get_dependents", "relations", json!({"operation": "dependents", "target": {"symbol": "f"}})),
            ("find_implementations", "relations", json!({"operation": "implementations", "target": {"symbol": "Ä"}})),
            ("get_editing_context", "read", json!({"operation": "editing_context", "target": {"file": "a.py"}})),
            ("get_repo_outline", "explore", json!({"operation": "outline"})),
        ]
    }

    fn document(client: &Client<'_>, tool: &str, request: &Value) -> Document {
        let served = client.call(tool, request.clone());
        decode(served.text.as_bytes()).unwrap_or_else(|error| panic!("{error}: {}", served.text))
    }

    /// Every text and number of an answer.
    fn leaves(value: &Value, into: &mut Vec<String>) {
        match value {
            Value::Object(fields) => fields.values().for_each(|value| leaves(value, into)),
            Value::Array(items) => items.iter().for_each(|value| leaves(value, into)),
            Value::String(text) => into.push(text.clone()),
            other => into.push(other.to_string()),
        }
    }

    #[test]
    fn a_client_that_decodes_gets_tables_with_everything_in_them() {
        let fixture = Fixture::new(TREE);
        let (codex, other) = (fixture.client("codex/0.142"), fixture.client("another"));
        for (name, tool, request) in requests() {
            let answer = other.json(tool, request.clone());
            let found = document(&codex, tool, &request);
            let layout = LAYOUTS.iter().find(|layout| layout.tool == name).expect("a layout");
            let first = &layout.parts.iter().find(|part| !part.optional).expect("a part");
            let title = if first.name.is_empty() { name.to_owned() } else { format!("{name}.{}", first.name) };
            let section = found.sections.iter().find(|section| section.tool() == title).unwrap_or_else(|| panic!("{found:?}"));
            let wanted: BTreeSet<&str> = first.fields.iter().filter(|field| !field.optional).map(|field| field.name).collect();
            assert!(wanted.iter().all(|name| section.fields().iter().any(|field| field == name)), "{section:?}");
            let text = codex.call(tool, request).text;
            let mut all = Vec::new();
            leaves(&answer, &mut all);
            for leaf in all.iter().filter(|leaf| !["EXTRACTED", "INFERRED", "AMBIGUOUS"].contains(&leaf.as_str())) {
                let escaped = leaf.replace('\\', "\\\\").replace('\n', "\\n").replace('\t', "\\t");
                let in_header = escaped.replace(' ', "\\ ").replace('=', "\\=");
                assert!(text.contains(&escaped) || text.contains(&in_header), "{name}: {leaf:?} is lost\n{text}");
            }
        }
    }

    #[test]
    fn an_explicit_form_wins_in_both_directions() {
        let fixture = Fixture::new(TREE);
        let (codex, other) = (fixture.client("codex"), fixture.client("another"));
        let request = |format: &str| json!({"operation": "callers", "target": {"symbol": "f"}, "output": {"format": format}});
        assert!(codex.call("relations", request("json")).text.starts_with('{'));
        assert!(
            other
                .call("relations", request("gcx"))
                .text
                .starts_with("GCX1 tool=get_callers.nodes fields=id,kind,name,path,line ")
        );
        let toon = other.call("relations", request("toon")).text;
        assert!(toon.contains("edges[2]{"), "{toon}");
        assert!(other.call("relations", request("text")).text.contains("nodes (3):\n"));
        // A form of the handler's own stays one.
        assert!(other.call("relations", request("mermaid")).text.starts_with("flowchart "));
        let unknown = other.error("relations", request("xml"));
        assert_eq!(unknown["error_code"], "invalid_argument");
        // Errors are JSON for everybody.
        assert_eq!(codex.error("relations", json!({"operation": "é"}))["error_code"], "invalid_argument");
    }

    #[test]
    fn a_family_without_a_decoder_keeps_json() {
        let fixture = Fixture::new(TREE);
        for name in ["windsurf", "IntelliJ IDEA", "Claude Desktop", "not-codex"] {
            let text = fixture.client(name).call("search", json!({"operation": "symbols", "query": "f"})).text;
            assert!(text.starts_with('{'), "{name}: {text}");
        }
    }
}
