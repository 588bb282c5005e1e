//! `change.ranges`: lines of files to the symbols that hold them.

use std::collections::BTreeSet;

use gortex_core::Json;
use gortex_engine::query::change::{Lines, enclosing};

use crate::handlers::shared::prelude::*;

/// Ranges of one call.
const MOST: usize = 500;

/// Arguments of `change.ranges`.
#[derive(Debug, Deserialize, JsonSchema, FacadeArgs)]
pub(crate) struct SymbolsForRanges {
    /// A list of `{file, start_line, end_line}`, lines counted from 1.
    #[at(source)]
    ranges: Option<Json>,
    /// One file, instead of `ranges`, or for the ranges that name none.
    #[at(source = "file", target = "file")]
    path: Option<String>,
    /// The first line in it.
    #[at(source)]
    start_line: Option<u32>,
    /// The last line in it.
    #[at(source)]
    end_line: Option<u32>,
}

/// Maps line ranges of files to the symbols that hold them.
#[facade(domain = "change", op = "ranges", effect = "read")]
async fn symbols_for_ranges(graph: Graph, args: Args<SymbolsForRanges>) -> Answer<Value> {
    let asked = asked(&args)?;
    let mut nodes = BTreeSet::new();
    let mut unresolved = BTreeSet::new();
    for (path, lines) in asked {
        let file = graph.file(path.trim_start_matches("./"));
        match file.filter(|file| file.status.is_text() && file.facts.view().header.lines > 0) {
            Some(file) => nodes.extend(enclosing(&file.facts.view(), lines).into_iter().map(|row| file.base + 1 + row)),
            None => drop(unresolved.insert(path)),
        }
    }
    let rows: Vec<Value> = nodes
        .iter()
        .filter_map(|node| {
            let def = graph.def(*node)?;
            Some(json!({
                "id": graph.id(*node),
                "name": graph.name(*node),
                "kind": def.kind().node_kind(),
                "file": graph.file_of(*node).path,
                "start_line": def.start_line,
                "end_line": def.end_line,
            }))
        })
        .collect();
    let mut answer = json!({"total": rows.len(), "symbols": rows});
    if !unresolved.is_empty() {
        answer["unresolved_files"] = json!(unresolved);
    }
    Ok(answer)
}

fn asked(args: &SymbolsForRanges) -> Result<Vec<(String, Lines)>, CallError> {
    let Some(Json(list)) = &args.ranges else {
        let path = args.path.clone().filter(|path| !path.is_empty());
        let path =
            path.ok_or_else(|| CallError::invalid("neither `source.ranges` nor a file is given").data("field", "source.ranges"))?;
        let first = args.start_line.unwrap_or(0);
        return Ok(vec![(path, lines(first, args.end_line.unwrap_or(first), "source.start_line")?)]);
    };
    let list = list.as_array().ok_or_else(|| CallError::invalid("`source.ranges` is no list").data("field", "source.ranges"))?;
    if list.is_empty() || list.len() > MOST {
        return Err(CallError::invalid(format!("`source.ranges` holds {} ranges; 1 to {MOST} are allowed", list.len()))
            .data("field", "source.ranges")
            .data("limit", MOST));
    }
    let row = |(at, row): (usize, &Value)| {
        let field = format!("source.ranges[{at}]");
        let path = row.get("file").or_else(|| row.get("path")).and_then(Value::as_str).filter(|path| !path.is_empty());
        let path = path.or(args.path.as_deref().filter(|path| !path.is_empty()));
        let path =
            path.ok_or_else(|| CallError::invalid(format!("`{field}` names no file")).data("field", &field).data("index", at))?;
        let number = |name: &str| row.get(name).and_then(Value::as_u64).and_then(|line| u32::try_from(line).ok());
        let first = number("start_line").unwrap_or(0);
        Ok((path.to_owned(), lines(first, number("end_line").unwrap_or(first), &field)?))
    };
    list.iter().enumerate().map(row).collect()
}

fn lines(first: u32, last: u32, field: &str) -> Result<Lines, CallError> {
    if first == 0 {
        return Err(CallError::invalid(format!("`{field}` has no first line of 1 or more")).data("field", field));
    }
    Ok(Lines { first, last: last.max(first) })
}

#[cfg(test)]
mod tests {
    use crate::testing::Fixture;
    use serde_json::{Value, json};

    const FILES: &str = "//- a.py\nclass C:\n    def f(self):\n        pass\n\ndef g():\n    pass\n//- n.txt\nx\n";

    #[track_caller]
    fn check(source: Value, expected: &[&str]) {
        let answer = Fixture::new(FILES).json("change", json!({"operation": "ranges", "source": source}));
        let ids: Vec<&str> = answer["symbols"].as_array().expect("rows").iter().filter_map(|row| row["id"].as_str()).collect();
        assert_eq!(ids, expected);
    }

    #[test]
    fn symbols_that_hold_the_lines() {
        check(json!({"ranges": [{"file": "a.py", "start_line": 3, "end_line": 3}]}), &["a.py::C", "a.py::C.f"]);
        check(json!({"file": "a.py", "start_line": 4}), &[]);
        check(json!({"ranges": [{"path": "a.py", "start_line": 6, "end_line": 1}]}), &["a.py::g"]);
    }

    #[test]
    fn ranges_without_a_file_mean_the_one_beside_them() {
        let fixture = Fixture::new("//- a.py\ndef f():\n    pass\n//- b.py\ndef g():\n    pass\n");
        let ranges = json!([{"start_line": 1, "end_line": 1}, {"file": "b.py", "start_line": 2}]);
        let answer = fixture.json("change", json!({"operation": "ranges", "source": {"file": "a.py", "ranges": ranges}}));
        assert_eq!((&answer["symbols"][0]["id"], &answer["symbols"][1]["id"]), (&json!("a.py::f"), &json!("b.py::g")));
    }

    #[test]
    fn odd_ranges_are_refused_and_unknown_files_told() {
        let fixture = Fixture::new(FILES);
        let call = |ranges: Value| json!({"operation": "ranges", "source": {"ranges": ranges}});
        let error = fixture.error("change", call(json!([{"file": "a.py", "start_line": 1}, {"file": "a.py"}])));
        assert_eq!(error["data"]["field"], "source.ranges[1]");
        fixture.error("change", call(json!([])));
        let answer =
            fixture.json("change", call(json!([{"file": "gone.py", "start_line": 1}, {"file": "n.txt", "start_line": 1}])));
        assert_eq!(answer["unresolved_files"], json!(["gone.py", "n.txt"]));
    }
}
