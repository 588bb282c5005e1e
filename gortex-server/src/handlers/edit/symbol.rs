//! `edit.symbol`: exact text for exact text inside one symbol.

use gortex_engine::edit::{Content, Edit, LineRange, Within};

use super::room::{self, GuardArgs, editable};
use crate::handlers::shared::prelude::*;

/// Arguments of `edit.symbol`.
#[derive(Debug, Deserialize, JsonSchema, FacadeArgs)]
pub(crate) struct EditSymbol {
    /// The symbol: its id, or a name that is unique.
    #[at(target = "symbol")]
    id: String,
    /// The text to find inside the symbol, where it must be unique.
    #[at(top = "match")]
    old_source: String,
    /// The text to put in its place.
    #[at(top = "replacement")]
    new_source: String,
    #[serde(flatten)]
    guard: GuardArgs,
}

/// Replaces exact text inside one symbol, wherever the symbol stands by now.
#[facade(domain = "edit", op = "symbol", effect = "local_write")]
async fn edit_symbol(graph: Graph, files: FileWriter, args: Args<EditSymbol>) -> Answer<Value> {
    let args = args.into_inner();
    files
        .blocking(move |files| {
            if args.old_source.is_empty() {
                return Err(CallError::invalid("`match` is empty").data("field", "match"));
            }
            let symbol = editable(&graph, &args.id)?;
            let locate = |bytes: &[u8]| -> Result<LineRange, String> { symbol.anchor.locate(bytes) };
            let content = Content::Replace {
                old: args.old_source,
                new: args.new_source,
                replace_all: false,
                expected_occurrences: None,
                within: Some(Within { symbol: symbol.id.clone(), locate: &locate }),
            };
            let mut edit = Edit::new(symbol.path.clone(), content);
            args.guard.guard(&mut edit)?;
            let (_, mut answer) = room::run(files, &edit, args.guard.dry_run).map_err(unique_inside)?;
            answer.insert("file".to_owned(), Value::from(symbol.path.as_str()));
            answer.insert("symbol".to_owned(), Value::from(symbol.id.as_str()));
            Ok(Value::Object(answer))
        })
        .await
}

/// What helps when the text is not unique here: all matches at once is no choice of this operation.
fn unique_inside(error: CallError) -> CallError {
    match error.code() {
        Some(Code::MatchAmbiguous) => error.hint("add surrounding lines to `match`, so that it is unique inside the symbol"),
        _ => error,
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::Fixture;
    use serde_json::json;

    #[test]
    fn case_05_decorators_and_attributes_belong_to_the_symbol() {
        let fixture = Fixture::new(
            "//- src/api.py\nimport functools\n\ndef cached(fn):\n    return functools.lru_cache(fn)\n\n@cached\n# keeps the last result\ndef total(items):\n    \"\"\"Adds up.\"\"\"\n    return sum(items)\n//- src/lib.rs\n/// Adds up.\n#[must_use]\n#[inline]\npub fn total(items: &[u32]) -> u32 {\n    items.iter().sum()\n}\n",
        );
        fixture.json("edit", json!({"target": {"symbol": "src/api.py::total"}, "match": "@cached\n# keeps the last result\ndef total(items):", "replacement": "@cached\ndef total(items, start=0):"}));
        fixture.json("edit", json!({"target": {"symbol": "src/lib.rs::total"}, "match": "#[inline]\n", "replacement": ""}));
        let python = String::from_utf8(fixture.disk("src/api.py")).expect("text");
        assert_eq!(python.matches("@cached").count(), 1);
        assert!(python.contains("start=0"));
        let rust = String::from_utf8(fixture.disk("src/lib.rs")).expect("text");
        assert!(!rust.contains("#[inline]") && rust.contains("#[must_use]"));
    }

    #[test]
    fn case_06_a_nested_function_is_edited_in_place() {
        let text = "export const Panel = () => {\n  const rows = () => {\n    return \"one\";\n  };\n  const cells = () => {\n    return \"one\";\n  };\n  return <div>{rows()}{cells()}</div>;\n};\n";
        let fixture = Fixture::new(&format!("//- src/Panel.tsx\n{text}"));
        let edit = json!({"target": {"symbol": "src/Panel.tsx::Panel.cells"}, "match": "return \"one\";", "replacement": "return \"two\";"});
        let answer = fixture.json("edit", edit);
        assert_eq!((&answer["symbol"], &answer["start_line"]), (&json!("src/Panel.tsx::Panel.cells"), &json!(6)));
        let lines = String::from_utf8(fixture.disk("src/Panel.tsx")).expect("text");
        let lines: Vec<&str> = lines.lines().collect();
        assert_eq!((lines[2], lines[5], lines.len()), ("    return \"one\";", "    return \"two\";", 9));
    }

    #[test]
    fn a_text_that_is_not_unique_lists_each_line_once() {
        let fixture = Fixture::new("//- a.py\ndef a():\n    return 1 + 1\n");
        let error = fixture.error("edit", json!({"target": {"symbol": "a.py::a"}, "match": "1", "replacement": "2"}));
        assert_eq!((&error["data"]["count"], &error["data"]["lines"]), (&json!(2), &json!([2])));
        assert!(!error.to_string().contains("replace_all"), "{error}");
    }

    // The file had changed since it was indexed and the edit went to the lines of the neighbour.
    #[test]
    fn the_symbol_is_found_where_it_is_now() {
        let fixture = Fixture::new("//- a.py\ndef a():\n    return 1\n\ndef b():\n    return 1\n");
        std::fs::write(fixture.root.join("a.py"), "# one\n# two\n# three\ndef a():\n    return 1\n\ndef b():\n    return 1\n")
            .expect("a file");
        fixture.json("edit", json!({"target": {"symbol": "a.py::b"}, "match": "return 1", "replacement": "return 2"}));
        assert_eq!(fixture.disk("a.py"), b"# one\n# two\n# three\ndef a():\n    return 1\n\ndef b():\n    return 2\n");
    }

    #[test]
    fn unknown_and_ambiguous_symbols_are_errors_and_write_nothing() {
        let fixture = Fixture::new("//- a.py\ndef load():\n    pass\n//- b.py\ndef load():\n    pass\n");
        let edit = |symbol: &str| json!({"target": {"symbol": symbol}, "match": "pass", "replacement": "return"});
        let error = fixture.error("edit", edit("loads"));
        assert_eq!(error["error_code"], "symbol_not_found");
        assert_eq!(error["data"]["did_you_mean"][0], "a.py::load");
        assert_eq!(fixture.error("edit", edit("load"))["error_code"], "ambiguous_symbol");
        assert_eq!(fixture.error("edit", edit("a.py"))["error_code"], "invalid_argument");
        assert_eq!(fixture.disk("a.py"), b"def load():\n    pass\n");
    }
}
