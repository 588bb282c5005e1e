//! Arguments of a call as they stand on a command line.
//!
//! `key=value` guesses the type from the value's text, `key:=json` takes it as it is. Which separator comes first decides.

use serde_json::{Map, Value, json};

/// Reads one `--arg`. The error is a sentence for the person at the terminal.
pub(crate) fn parse(argument: &str) -> Result<(String, Value), String> {
    let equals = argument.find('=').ok_or_else(|| format!("`{argument}` has no `=`; write key=value or key:=json"))?;
    let raw = argument[..equals].ends_with(':');
    let key = if raw { &argument[..equals - 1] } else { &argument[..equals] };
    let text = &argument[equals + 1..];
    if key.is_empty() {
        return Err(format!("`{argument}` has no key; write key=value or key:=json"));
    }
    let value =
        if raw { serde_json::from_str(text).map_err(|error| format!("`{key}:=` needs JSON: {error}"))? } else { guess(text) };
    Ok((key.to_owned(), value))
}

/// The value that a text looks like.
fn guess(text: &str) -> Value {
    let literal = || Value::String(text.to_owned());
    match text {
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        "null" => Value::Null,
        _ if text.starts_with(['[', '{', '-']) || text.starts_with(|first: char| first.is_ascii_digit()) => {
            serde_json::from_str(text).unwrap_or_else(|_| literal())
        }
        _ => literal(),
    }
}

/// Reads an object.
pub(crate) fn object(text: &str, from: &str) -> Result<Map<String, Value>, String> {
    match serde_json::from_str(text.trim_start_matches('\u{feff}')) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(format!("{from} must hold a JSON object")),
        Err(error) => Err(format!("{from} holds no JSON: {error}")),
    }
}

/// Puts a value at a key; a dotted key such as `target.symbol` goes into the object of that name.
pub(crate) fn put(arguments: &mut Map<String, Value>, key: &str, value: Value) {
    if let Some((outer, inner)) = key.split_once('.').filter(|(outer, inner)| !outer.is_empty() && !inner.is_empty()) {
        let place = arguments.entry(outer).or_insert_with(|| Value::Object(Map::new()));
        if let Value::Object(object) = place {
            put(object, inner, value);
            return;
        }
    }
    arguments.insert(key.to_owned(), value);
}

/// Puts a format where the tool reads it.
pub(crate) fn set_format(arguments: &mut Map<String, Value>, format: &str, compact: bool) {
    if !compact {
        arguments.entry("format").or_insert_with(|| format.into());
        return;
    }
    let output = arguments.entry("output").or_insert_with(|| json!({}));
    if let Value::Object(output) = output {
        output.entry("format").or_insert_with(|| format.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(argument: &str, key: &str, value: Value) {
        assert_eq!(parse(argument), Ok((key.to_owned(), value)));
    }

    #[test]
    fn values_are_what_they_look_like() {
        check("a=true", "a", json!(true));
        check("a=null", "a", json!(null));
        check("a=42", "a", json!(42));
        check("a=-1.5", "a", json!(-1.5));
        check("a=", "a", json!(""));
        check("a=é b", "a", json!("é b"));
        check("a=[1,2]", "a", json!([1, 2]));
        check("a={\"b\":1}", "a", json!({"b": 1}));
    }

    #[test]
    fn what_only_begins_like_something_is_text() {
        check("a=[x", "a", json!("[x"));
        check("a=1.2.3", "a", json!("1.2.3"));
        check("a=-x", "a", json!("-x"));
        check("a=007", "a", json!("007"));
        check("a=TRUE", "a", json!("TRUE"));
    }

    #[test]
    fn the_first_separator_decides() {
        check("v:=\"1.0\"", "v", json!("1.0"));
        check("q=a:=b", "q", json!("a:=b"));
        check("q==", "q", json!("="));
        check("a:b=1", "a:b", json!(1));
        assert!(parse("v:=x").is_err_and(|said| said.contains("JSON")));
        assert!(parse("word").is_err() && parse("=x").is_err() && parse(":=1").is_err());
    }

    #[test]
    fn dotted_keys_reach_into_containers() {
        let mut arguments = json!({"target": {"file": "a"}, "plain": 1}).as_object().cloned().expect("an object");
        put(&mut arguments, "target.symbol", json!("é"));
        put(&mut arguments, "options.depth", json!(2));
        put(&mut arguments, "plain.x", json!(3));
        assert_eq!(
            Value::Object(arguments),
            json!({"target": {"file": "a", "symbol": "é"}, "plain": 1, "options": {"depth": 2}, "plain.x": 3})
        );
    }

    #[test]
    fn an_object_is_asked_for() {
        assert!(object("{\"a\":1}", "--json").is_ok());
        assert!(object("[1]", "--json").is_err_and(|said| said.contains("--json")));
        assert!(object("", "--json").is_err());
    }
}
