//! What a refusal repeats of the caller's words, bounded.
//!
//! An error names what it refuses. What is refused may be a whole file that was sent in the place of a name, and an answer
//! that sends it back helps nobody. The bound is set here, once, so that no refusal can forget it.

use serde_json::Value;

/// Characters of a word or value that are repeated.
const WORD: usize = 120;
/// Characters of a path: longer ones are in use.
const PATH: usize = 1024;
/// Characters of anything else.
const TEXT: usize = 4000;

/// A text with at most this many characters, and a mark where it was cut.
fn clip(text: &str, most: usize) -> Option<String> {
    let (end, _) = text.char_indices().nth(most)?;
    Some(format!("{}…", &text[..end]))
}

/// A sentence whose quoted words, and the value it says was received, are bounded.
pub(super) fn sentence(text: String) -> String {
    const RECEIVED: &str = ", received ";
    if text.len() <= WORD {
        return text;
    }
    let (said, received) = text.split_once(RECEIVED).map_or((text.as_str(), None), |(said, value)| (said, Some(value)));
    let mut out = String::new();
    for (at, part) in said.split('`').enumerate() {
        if at > 0 {
            out.push('`');
        }
        let clipped = if at % 2 == 1 { clip(part, WORD) } else { None };
        out.push_str(clipped.as_deref().unwrap_or(part));
    }
    if let Some(value) = received {
        out.push_str(RECEIVED);
        out.push_str(clip(value, WORD).as_deref().unwrap_or(value));
    }
    clip(&out, TEXT).unwrap_or(out)
}

/// A value for programs, bounded where its key says that it is the caller's own.
pub(super) fn value(key: &str, value: Value) -> Value {
    let most = match key {
        "received" | "operation" | "symbol" | "id" | "name" | "key" | "transaction_id" | "field" | "channel" => WORD,
        "path" | "file" => PATH,
        _ => TEXT,
    };
    match &value {
        Value::String(text) => clip(text, most).map_or(value, Value::String),
        Value::Array(_) | Value::Object(_) if key == "received" => clip(&value.to_string(), most).map_or(value, Value::String),
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{CallError, Recoverable};
    use serde_json::json;

    #[test]
    fn what_is_repeated_is_bounded() {
        let long = "ß".repeat(300_000);
        let error = CallError::invalid(format!("`read` has no operation `{long}`. Valid operations: file"))
            .data("operation", &long)
            .data("received", json!([long]));
        let text = error.to_value().to_string();
        assert!(text.len() < 1000 && text.contains("Valid operations: file"), "{}", text.len());
        let error = CallError::invalid(format!("`a` must be a string, received {long}")).hint("a".repeat(500));
        assert!(error.message().chars().count() < 200);
        assert_eq!(error.get("hint"), Some(&json!("a".repeat(500))));
        let found =
            Recoverable::new("symbol_not_found", format!("no symbol is called `{long}`")).data("id", &long).with("name", &long);
        assert!(found.to_value().to_string().len() < 1200);
    }

    #[test]
    fn ordinary_words_are_whole() {
        let path = "src/".repeat(60);
        let error =
            CallError::invalid(format!("`{}` is odd", "x".repeat(120))).data("path", &path).data("received", json!({"a": 1}));
        assert!(error.message().ends_with("x` is odd"));
        assert_eq!((error.get("path"), error.get("received")), (Some(&json!(path)), Some(&json!({"a": 1}))));
    }
}
