//! TOON, the token-oriented object notation: indented keys, and rows of equal form as tables.
//!
//! Only written here; hosts that ask for it have a reader. Texts that a reader could take for something else are quoted.

use std::fmt::Write as _;

use serde_json::{Map, Value};

/// The text of a value.
pub(super) fn text(value: &Value) -> String {
    let mut out = String::new();
    match value {
        Value::Object(fields) => object(&mut out, fields, 0),
        Value::Array(items) => array(&mut out, items, 0, true),
        scalar => {
            put(&mut out, scalar);
            out.push('\n');
        }
    }
    out
}

fn indent(out: &mut String, depth: usize) {
    (0..depth).for_each(|_| out.push_str("  "));
}

fn object(out: &mut String, fields: &Map<String, Value>, depth: usize) {
    for (name, value) in fields {
        indent(out, depth);
        field(out, name, value, depth);
    }
}

/// A field behind its indent. What belongs to it stands one level deeper than `depth`.
fn field(out: &mut String, name: &str, value: &Value, depth: usize) {
    key(out, name);
    match value {
        Value::Object(fields) => {
            out.push_str(":\n");
            object(out, fields, depth + 1);
        }
        Value::Array(items) => array(out, items, depth, true),
        scalar => {
            out.push_str(": ");
            put(out, scalar);
            out.push('\n');
        }
    }
}

/// A list behind its key, if it has one: values in a line, rows of equal form as a table, everything else item by item. A list
/// in a list has no key and may not be a table.
fn array(out: &mut String, items: &[Value], depth: usize, tables: bool) {
    let _ = write!(out, "[{}]", items.len());
    if items.iter().all(is_scalar) {
        out.push(':');
        for (at, item) in items.iter().enumerate() {
            out.push(if at == 0 { ' ' } else { ',' });
            put(out, item);
        }
        out.push('\n');
    } else if let Some(columns) = columns(items).filter(|_| tables) {
        out.push('{');
        for (at, column) in columns.iter().enumerate() {
            if at > 0 {
                out.push(',');
            }
            key(out, column);
        }
        out.push_str("}:\n");
        for item in items {
            indent(out, depth + 1);
            for (at, column) in columns.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                put(out, &item[column.as_str()]);
            }
            out.push('\n');
        }
    } else {
        out.push_str(":\n");
        for item in items {
            entry(out, item, depth + 1);
        }
    }
}

/// One item of a list. The first field of an object stands on the line of its dash, the others below it.
fn entry(out: &mut String, item: &Value, depth: usize) {
    indent(out, depth);
    out.push('-');
    match item {
        Value::Object(fields) => {
            let mut fields = fields.iter();
            match fields.next() {
                Some((name, value)) => {
                    out.push(' ');
                    field(out, name, value, depth + 1);
                }
                None => out.push('\n'),
            }
            for (name, value) in fields {
                indent(out, depth + 1);
                field(out, name, value, depth + 1);
            }
        }
        Value::Array(items) => {
            out.push(' ');
            array(out, items, depth, false);
        }
        scalar => {
            out.push(' ');
            put(out, scalar);
            out.push('\n');
        }
    }
}

fn is_scalar(value: &Value) -> bool {
    !value.is_object() && !value.is_array()
}

/// The keys that all items have, when they are objects of nothing but these and plain values.
fn columns(items: &[Value]) -> Option<Vec<&String>> {
    let columns: Vec<&String> = items.first()?.as_object()?.keys().collect();
    let fits = |item: &Value| {
        item.as_object().is_some_and(|fields| {
            fields.len() == columns.len() && columns.iter().all(|column| fields.get(*column).is_some_and(is_scalar))
        })
    };
    (!columns.is_empty() && items.iter().all(fits)).then_some(columns)
}

fn key(out: &mut String, name: &str) {
    let mut signs = name.chars();
    let plain = signs.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && signs.all(|sign| sign.is_ascii_alphanumeric() || sign == '_' || sign == '.');
    if plain { out.push_str(name) } else { quote(out, name) }
}

fn put(out: &mut String, scalar: &Value) {
    match scalar {
        Value::String(text) if needs_quotes(text) => quote(out, text),
        Value::String(text) => out.push_str(text),
        other => out.push_str(&other.to_string()),
    }
}

/// Whether a reader could take the text for something else.
fn needs_quotes(text: &str) -> bool {
    let looks_like_a_number = || {
        let digits = text.trim_start_matches(['-', '+']);
        digits.starts_with(|first: char| first.is_ascii_digit() || first == '.')
            && text.chars().all(|sign| sign.is_ascii_digit() || matches!(sign, '.' | '-' | '+' | 'e' | 'E'))
    };
    text.is_empty()
        || text.trim() != text
        || matches!(text, "true" | "false" | "null")
        || text.starts_with(['-', '#'])
        || text.contains([':', '"', '\\', '[', ']', '{', '}', ','])
        || text.contains(char::is_control)
        || looks_like_a_number()
}

fn quote(out: &mut String, text: &str) {
    out.push('"');
    for sign in text.chars() {
        match sign {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            sign if sign < ' ' => {
                let _ = write!(out, "\\u{:04x}", u32::from(sign));
            }
            sign => out.push(sign),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::text;

    #[track_caller]
    fn check(value: Value, expected: &str) {
        assert_eq!(text(&value), expected);
    }

    #[test]
    fn rows_of_equal_form_are_a_table() {
        check(
            json!({"total": 2, "rows": [{"id": "é", "line": 3}, {"line": 4, "id": "b c"}], "none": [], "in": {"a": [1, "x"]}}),
            "total: 2\nrows[2]{id,line}:\n  é,3\n  b c,4\nnone[0]:\nin:\n  a[2]: 1,x\n",
        );
    }

    #[test]
    fn other_rows_stand_item_by_item() {
        check(
            json!({"rows": [{"id": 1, "more": [2]}, {"in": {"a": null}, "b": true}, [1, 2], [], {}, "x", [{"a": 1}]]}),
            "rows[7]:\n  - id: 1\n    more[1]: 2\n  - in:\n      a: null\n    b: true\n  - [2]: 1,2\n  - [0]:\n  -\n  - x\n  - [1]:\n    - a: 1\n",
        );
        check(json!([{"a": {}}]), "[1]:\n  - a:\n");
        check(json!("x"), "x\n");
    }

    #[test]
    fn what_could_be_mistaken_is_quoted() {
        check(
            json!({"a b": "", "x": "true", "y": "-1", "z": "a,b", "line": "one\ntwo", "q": "\"", "v": "1.2.3", "w": "größe 1", "c": "\u{1}"}),
            "\"a b\": \"\"\nx: \"true\"\ny: \"-1\"\nz: \"a,b\"\nline: \"one\\ntwo\"\nq: \"\\\"\"\nv: \"1.2.3\"\nw: größe 1\nc: \"\\u0001\"\n",
        );
    }
}
