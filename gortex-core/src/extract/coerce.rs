//! Values as hosts really send them, made into values as declared.
//!
//! Numbers and booleans arrive as strings, integers as `2.0`, lists as comma text, whole objects as JSON text. The
//! schema of the argument says what was meant; what can't be meant is refused with the value, the type and the choices.

use serde_json::{Map, Value};

use crate::error::CallError;

/// Why a value does not fit.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Mismatch {
    /// Where inside the argument, as `.key` and `[n]`; empty for the argument itself.
    pub path: String,
    /// The value that came.
    pub received: Value,
    /// What was expected, in words.
    pub expected: String,
    /// The choices, when there is a closed list.
    pub valid_values: Option<Vec<Value>>,
    /// A sentence that replaces the standard one.
    pub reason: Option<String>,
}

impl Mismatch {
    /// The refusal of `schema` for `value`.
    fn new(value: &Value, schema: &Value) -> Box<Self> {
        Box::new(Self {
            path: String::new(),
            received: value.clone(),
            expected: type_name(schema),
            valid_values: schema.get("enum").and_then(Value::as_array).cloned(),
            reason: None,
        })
    }

    /// The same refusal one step further out.
    fn under(mut self: Box<Self>, step: &str) -> Box<Self> {
        self.path.insert_str(0, step);
        self
    }

    /// The error of the call, for the argument of this public name.
    pub(crate) fn into_error(self, argument: &str) -> CallError {
        let field = format!("{argument}{}", self.path);
        let shown = shorten(&self.received);
        let message = match (&self.reason, &self.valid_values) {
            (Some(reason), _) => format!("`{field}` can't be {shown}: {reason}"),
            (None, Some(values)) => {
                let list: Vec<String> =
                    values.iter().map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned)).collect();
                format!("`{field}` can't be {shown}; valid values: {}", list.join(", "))
            }
            (None, None) => format!("`{field}` must be {}, received {shown}", article(&self.expected)),
        };
        let mut error = CallError::invalid(message)
            .data("field", field)
            .data("received", &self.received)
            .data("expected_type", &self.expected);
        if let Some(values) = self.valid_values {
            error = error.data("valid_values", values);
        }
        error
    }
}

/// `a string`, `an integer`.
fn article(noun: &str) -> String {
    let vowel = noun.starts_with(['a', 'e', 'i', 'o', 'u']);
    format!("{} {noun}", if vowel { "an" } else { "a" })
}

/// A value short enough for a sentence.
fn shorten(value: &Value) -> String {
    const MOST: usize = 80;
    let text = value.to_string();
    if text.len() <= MOST { text } else { format!("{}…", &text[..text.floor_char_boundary(MOST)]) }
}

/// What a schema wants, in words.
pub(crate) fn type_name(schema: &Value) -> String {
    if schema.get("enum").is_some() {
        return "string".to_owned();
    }
    match schema.get("type") {
        Some(Value::String(name)) if name == "array" => match schema.get("items").and_then(|items| items.get("type")) {
            Some(Value::String(items)) => format!("array of {items}"),
            _ => "array".to_owned(),
        },
        Some(Value::String(name)) => name.clone(),
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or "),
        _ => {
            let branches = schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Value::as_array);
            match branches {
                Some(branches) => branches.iter().map(type_name).collect::<Vec<_>>().join(" or "),
                None => "value".to_owned(),
            }
        }
    }
}

/// The value as the schema declares it.
pub(crate) fn coerce(value: &Value, schema: &Value) -> Result<Value, Box<Mismatch>> {
    if let Some(choices) = schema.get("enum").and_then(Value::as_array) {
        return choose(value, choices).ok_or_else(|| Mismatch::new(value, schema));
    }
    for key in ["anyOf", "oneOf"] {
        if let Some(Value::Array(branches)) = schema.get(key) {
            return branch(value, branches).ok_or_else(|| Mismatch::new(value, schema));
        }
    }
    match schema.get("type") {
        Some(Value::String(name)) => typed(value, name, schema),
        Some(Value::Array(names)) => {
            let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
            if names.iter().any(|name| is_type(value, name)) {
                return Ok(value.clone());
            }
            let found = names.iter().find_map(|name| typed(value, name, schema).ok());
            found.ok_or_else(|| Mismatch::new(value, schema))
        }
        _ => Ok(value.clone()),
    }
}

/// The choice that is meant: exact, or equal but for case, surrounding space and `-` for `_`.
fn choose(value: &Value, choices: &[Value]) -> Option<Value> {
    if choices.contains(value) {
        return Some(value.clone());
    }
    let word = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    let plain = |text: &str| text.trim().to_lowercase().replace('-', "_");
    choices
        .iter()
        .find(|choice| match choice {
            Value::String(text) => plain(text) == plain(&word),
            Value::Number(number) => number.to_string() == word.trim(),
            _ => false,
        })
        .cloned()
}

/// The first branch that takes the value as it is, else the first that takes it coerced.
fn branch(value: &Value, branches: &[Value]) -> Option<Value> {
    let exact = branches.iter().find(|schema| coerce(value, schema).as_ref() == Ok(value));
    if exact.is_some() {
        return Some(value.clone());
    }
    branches.iter().find_map(|schema| coerce(value, schema).ok())
}

/// Whether a value already has this JSON type.
fn is_type(value: &Value, name: &str) -> bool {
    match name {
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        _ => false,
    }
}

/// The value as one named type.
fn typed(value: &Value, name: &str, schema: &Value) -> Result<Value, Box<Mismatch>> {
    let found = match name {
        "integer" => integer(value),
        "number" => number(value),
        "boolean" => boolean(value),
        "string" => string(value),
        "array" => return array(value, schema),
        "object" => return object(value, schema),
        _ => Some(value.clone()),
    };
    let found = found.ok_or_else(|| Mismatch::new(value, schema))?;
    check_range(found, value, schema)
}

/// Refuses a number outside the declared range.
fn check_range(found: Value, received: &Value, schema: &Value) -> Result<Value, Box<Mismatch>> {
    let Some(number) = found.as_f64() else { return Ok(found) };
    let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
    let reason = if bound("minimum").is_some_and(|least| number < least) {
        format!("the least is {}", schema["minimum"])
    } else if bound("maximum").is_some_and(|most| number > most) {
        format!("the most is {}", schema["maximum"])
    } else {
        return Ok(found);
    };
    let mut mismatch = Mismatch::new(received, schema);
    mismatch.reason = Some(reason);
    Err(mismatch)
}

/// An integer: a number without fraction, or text of one.
fn integer(value: &Value) -> Option<Value> {
    match value {
        Value::Number(number) if number.is_i64() || number.is_u64() => Some(value.clone()),
        Value::Number(number) => whole(number.as_f64()?),
        Value::String(text) => {
            let text = text.trim();
            text.parse::<i64>()
                .map(Value::from)
                .ok()
                .or_else(|| text.parse::<u64>().map(Value::from).ok().or_else(|| text.parse::<f64>().ok().and_then(whole)))
        }
        _ => None,
    }
}

/// A floating number that is an integer.
fn whole(number: f64) -> Option<Value> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    (number.fract() == 0.0 && number.abs() <= EXACT).then(|| Value::from(number as i64))
}

/// A number, or text of one.
fn number(value: &Value) -> Option<Value> {
    match value {
        Value::Number(_) => Some(value.clone()),
        Value::String(text) => {
            let text = text.trim();
            if let Ok(whole) = text.parse::<i64>() {
                return Some(Value::from(whole));
            }
            text.parse::<f64>().ok().filter(|number| number.is_finite()).map(Value::from)
        }
        _ => None,
    }
}

/// A boolean, or text of one.
fn boolean(value: &Value) -> Option<Value> {
    match value {
        Value::Bool(_) => Some(value.clone()),
        Value::Number(number) if number.as_u64() == Some(0) => Some(Value::Bool(false)),
        Value::Number(number) if number.as_u64() == Some(1) => Some(Value::Bool(true)),
        Value::String(text) => match text.trim().to_ascii_lowercase().as_str() {
            "true" | "1" => Some(Value::Bool(true)),
            "false" | "0" => Some(Value::Bool(false)),
            _ => None,
        },
        _ => None,
    }
}

/// Text, a scalar written as text, or a list of texts joined by commas.
fn string(value: &Value) -> Option<Value> {
    match value {
        Value::String(_) => Some(value.clone()),
        Value::Number(number) => Some(Value::from(number.to_string())),
        Value::Bool(flag) => Some(Value::from(flag.to_string())),
        Value::Array(items) => {
            let items: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
            items.map(|items| Value::from(items.join(",")))
        }
        _ => None,
    }
}

/// A list; JSON text of one; comma text where the items are scalars; or one item on its own.
fn array(value: &Value, schema: &Value) -> Result<Value, Box<Mismatch>> {
    let any = Value::Bool(true);
    let items = schema.get("items").unwrap_or(&any);
    let list = match value {
        Value::Array(list) => list.clone(),
        Value::String(text) if text.trim_start().starts_with('[') => match serde_json::from_str(text) {
            Ok(Value::Array(list)) => list,
            _ => return Err(Mismatch::new(value, schema)),
        },
        Value::String(text) => {
            let scalar = !matches!(items.get("type").and_then(Value::as_str), Some("object" | "array"));
            if !scalar {
                match serde_json::from_str(text) {
                    Ok(item @ Value::Object(_)) => vec![item],
                    _ => return Err(Mismatch::new(value, schema)),
                }
            } else {
                text.split(',').map(str::trim).filter(|item| !item.is_empty()).map(Value::from).collect()
            }
        }
        Value::Null => return Err(Mismatch::new(value, schema)),
        single => vec![single.clone()],
    };
    let mut out = Vec::with_capacity(list.len());
    for (at, item) in list.iter().enumerate() {
        out.push(coerce(item, items).map_err(|mismatch| mismatch.under(&format!("[{at}]")))?);
    }
    Ok(Value::Array(out))
}

/// An object, or JSON text of one, its known properties coerced.
fn object(value: &Value, schema: &Value) -> Result<Value, Box<Mismatch>> {
    let found: Map<String, Value> = match value {
        Value::Object(found) => found.clone(),
        Value::String(text) => match serde_json::from_str(text) {
            Ok(Value::Object(found)) => found,
            _ => return Err(Mismatch::new(value, schema)),
        },
        _ => return Err(Mismatch::new(value, schema)),
    };
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return Ok(Value::Object(found));
    };
    let mut out = Map::new();
    for (key, item) in found {
        let item = match properties.get(&key) {
            Some(property) if !item.is_null() => {
                coerce(&item, property).map_err(|mismatch| mismatch.under(&format!(".{key}")))?
            }
            _ => item,
        };
        out.insert(key, item);
    }
    Ok(Value::Object(out))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(schema: Value, value: Value, expected: Value) {
        assert_eq!(coerce(&value, &schema).map_err(|m| m.into_error("a").to_string()), Ok(expected));
    }

    #[track_caller]
    fn refused(schema: Value, value: Value, message: &str) {
        let error = coerce(&value, &schema).expect_err("refused").into_error("options.a");
        assert_eq!(error.message(), message);
    }

    #[test]
    fn scalars_arrive_as_text() {
        check(json!({"type": "integer"}), json!("2"), json!(2));
        check(json!({"type": "integer"}), json!(2.0), json!(2));
        check(json!({"type": "integer"}), json!(" 2.0 "), json!(2));
        check(json!({"type": "number"}), json!("0.5"), json!(0.5));
        check(json!({"type": "boolean"}), json!("True"), json!(true));
        check(json!({"type": "boolean"}), json!(0), json!(false));
        check(json!({"type": "string"}), json!(42), json!("42"));
        check(json!({"type": "string"}), json!(["a", "é"]), json!("a,é"));
        check(json!({"type": "string"}), json!("\r\n"), json!("\r\n"));
    }

    #[test]
    fn a_value_of_another_type_is_refused_with_field_and_type() {
        refused(json!({"type": "integer"}), json!("two"), "`options.a` must be an integer, received \"two\"");
        refused(json!({"type": "integer"}), json!(2.5), "`options.a` must be an integer, received 2.5");
        refused(json!({"type": "boolean"}), json!("yes"), "`options.a` must be a boolean, received \"yes\"");
        refused(json!({"type": "string"}), json!({"b": 1}), "`options.a` must be a string, received {\"b\":1}");
        refused(json!({"type": "integer", "minimum": 1}), json!("0"), "`options.a` can't be \"0\": the least is 1");
    }

    #[test]
    fn lists_arrive_as_text_of_two_kinds() {
        let strings = json!({"type": "array", "items": {"type": "string"}});
        check(strings.clone(), json!("a, b,,c"), json!(["a", "b", "c"]));
        check(strings.clone(), json!("[\"a,b\"]"), json!(["a,b"]));
        check(strings.clone(), json!([1, "x"]), json!(["1", "x"]));
        check(strings.clone(), json!(""), json!([]));
        refused(strings, json!([{}]), "`options.a[0]` must be a string, received {}");
        let objects = json!({"type": "array", "items": {"type": "object", "properties": {"n": {"type": "integer"}}}});
        check(objects.clone(), json!("[{\"n\":\"3\"}]"), json!([{"n": 3}]));
        check(objects.clone(), json!({"n": 3}), json!([{"n": 3}]));
        refused(objects.clone(), json!("a,b"), "`options.a` must be an array of object, received \"a,b\"");
        refused(objects, json!([{"n": "x"}]), "`options.a[0].n` must be an integer, received \"x\"");
    }

    #[test]
    fn a_choice_is_one_of_its_words() {
        let schema = json!({"type": "string", "enum": ["both", "call_chain"]});
        check(schema.clone(), json!(" Call-Chain "), json!("call_chain"));
        refused(schema, json!("sideways"), "`options.a` can't be \"sideways\"; valid values: both, call_chain");
    }

    #[test]
    fn a_union_takes_the_exact_branch_first() {
        let schema = json!({"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "string"}]});
        check(schema.clone(), json!("a,b"), json!("a,b"));
        check(schema, json!(["a"]), json!(["a"]));
        check(json!({"type": ["object", "array"]}), json!("{\"a\":1}"), json!({"a": 1}));
        check(json!(true), json!("{"), json!("{"));
    }
}
