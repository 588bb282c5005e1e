//! An answer for people: `key: value` lines, and lists of rows as columns.
//!
//! Made to be looked at. Nothing reads it back, and nothing is left out.

use std::fmt::Write as _;

use serde_json::{Map, Value};

/// The widest a column gets by padding; longer cells push the rest of their line.
const WIDEST: usize = 60;

/// The text of a value.
pub(super) fn text(value: &Value) -> String {
    let mut out = String::new();
    block(&mut out, value, 0);
    out
}

fn indent(out: &mut String, depth: usize) {
    (0..depth).for_each(|_| out.push_str("  "));
}

fn block(out: &mut String, value: &Value, depth: usize) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(key, value)| entry(out, key, value, depth)),
        Value::Array(items) => list(out, items, depth),
        scalar => lines(out, &cell(scalar), depth),
    }
}

fn entry(out: &mut String, key: &str, value: &Value, depth: usize) {
    indent(out, depth);
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            let _ = writeln!(out, "{key}:");
            block(out, value, depth + 1);
        }
        Value::Array(items) if !items.is_empty() => {
            let _ = writeln!(out, "{key} ({}):", items.len());
            list(out, items, depth + 1);
        }
        Value::String(text) if text.contains('\n') => {
            let _ = writeln!(out, "{key}:");
            lines(out, text, depth + 1);
        }
        other => {
            let _ = writeln!(out, "{key}: {}", cell(other));
        }
    }
}

fn lines(out: &mut String, text: &str, depth: usize) {
    for line in text.lines() {
        indent(out, depth);
        out.push_str(line);
        out.push('\n');
    }
}

/// Flat rows stand in columns, everything else one below the other.
fn list(out: &mut String, items: &[Value], depth: usize) {
    let rows: Vec<&Map<String, Value>> = items.iter().filter_map(Value::as_object).collect();
    if rows.len() == items.len() && rows.iter().all(|row| row.values().all(is_flat)) {
        return columns(out, &rows, depth);
    }
    for item in items {
        if is_flat(item) {
            indent(out, depth);
            let _ = writeln!(out, "- {}", cell(item));
        } else {
            indent(out, depth);
            out.push_str("-\n");
            block(out, item, depth + 1);
        }
    }
}

/// Whether a value stands on one line.
fn is_flat(value: &Value) -> bool {
    match value {
        Value::String(text) => !text.contains('\n'),
        Value::Array(items) => items.iter().all(|item| is_flat(item) && !item.is_array()),
        Value::Object(fields) => fields.is_empty(),
        _ => true,
    }
}

fn cell(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) if items.iter().all(|item| !item.is_object() && !item.is_array()) => {
            items.iter().map(cell).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

fn columns(out: &mut String, rows: &[&Map<String, Value>], depth: usize) {
    let mut keys: Vec<&String> = Vec::new();
    for key in rows.iter().flat_map(|row| row.keys()) {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    let cells: Vec<Vec<String>> =
        rows.iter().map(|row| keys.iter().map(|key| row.get(*key).map(cell).unwrap_or_default()).collect()).collect();
    let long = |text: &String| text.chars().count();
    let widths: Vec<usize> = (0..keys.len())
        .map(|at| cells.iter().map(|row| long(&row[at])).chain([long(keys[at])]).max().unwrap_or(0).min(WIDEST))
        .collect();
    let mut line = |row: &[String]| {
        let mut text = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            let _ = write!(text, "{cell:<width$}  ");
        }
        indent(out, depth);
        out.push_str(text.trim_end());
        out.push('\n');
    };
    line(&keys.iter().map(|key| (*key).clone()).collect::<Vec<_>>());
    for row in &cells {
        line(row);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::text;

    #[test]
    fn rows_stand_in_columns_and_texts_in_blocks() {
        let answer = json!({
            "total": 2,
            "rows": [{"id": "größe", "line": 3}, {"id": "b", "doc": "word"}],
            "source": "a\n  b\n",
            "left": {"out": [1, 2]},
            "none": [],
        });
        let expected = "total: 2\nrows (2):\n  id     line  doc\n  größe  3\n  b            word\nsource:\n  a\n    b\nleft:\n  out (2):\n    - 1\n    - 2\nnone: \n";
        assert_eq!(text(&answer), expected);
    }
}
