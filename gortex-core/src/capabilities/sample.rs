//! Request shapes: one example request for an operation that fits its schema.
//!
//! The facade table gives examples where a useful one can't be derived; from these everything that the handler does not
//! take is dropped, and what it requires is added, so an example can't go stale.

use serde_json::{Map, Value, json};

use crate::facade::{Container, FacadeSpec};
use crate::registry::{Entry, Listing};

/// The example request.
pub(crate) fn request_shape(spec: &'static FacadeSpec, listing: &Listing, entry: &Entry, schema: &Value) -> Value {
    let mut shape = Map::new();
    if let Some((key, value)) = super::discriminator(spec, &listing.name) {
        shape.insert(key.to_owned(), value);
    }
    if let Some(channel) = listing.channels.first() {
        shape.insert("channel".into(), channel.as_str().into());
    }
    let example = spec.shapes.iter().find(|(operation, _)| *operation == listing.name);
    let example: Option<Map<String, Value>> = example.and_then(|(_, text)| serde_json::from_str(text).ok());
    for (key, value) in example.unwrap_or_default() {
        if let Some(value) = fitting(&value, schema.pointer(&format!("/properties/{key}"))) {
            shape.insert(key, value);
        }
    }
    let common = spec.common_container();
    let has_common = schema.pointer(&format!("/properties/{}", common.as_str())).is_some();
    if has_common && (shape.len() <= 1 || common == Container::Arguments) {
        shape.entry(common.as_str()).or_insert_with(|| json!({}));
    }
    if schema.pointer("/properties/dry_run").is_some() && entry.declares("dry_run") {
        shape.entry("dry_run").or_insert(Value::Bool(true));
    }
    complete(&mut shape, schema);
    Value::Object(shape)
}

/// The part of an example that a schema takes; `None` when nothing of it is left.
fn fitting(value: &Value, schema: Option<&Value>) -> Option<Value> {
    let schema = schema?;
    let (Value::Object(fields), Some(properties)) = (value, schema.get("properties").and_then(Value::as_object)) else {
        return Some(value.clone());
    };
    if fields.is_empty() || properties.is_empty() && schema.get("additionalProperties") != Some(&Value::Bool(false)) {
        return Some(value.clone());
    }
    let kept: Map<String, Value> =
        fields.iter().filter_map(|(key, inner)| Some((key.clone(), fitting(inner, properties.get(key))?))).collect();
    (!kept.is_empty()).then_some(Value::Object(kept))
}

/// Adds what a closed object requires and the example lacks.
fn complete(shape: &mut Map<String, Value>, schema: &Value) {
    let required: Vec<&str> =
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    for key in required {
        let Some(property) = schema.pointer(&format!("/properties/{key}")) else { continue };
        let present = shape.contains_key(key);
        if !present {
            shape.insert(key.to_owned(), placeholder(key, property));
        }
    }
    for (key, value) in shape.iter_mut() {
        if let (Value::Object(inner), Some(property)) = (value, schema.pointer(&format!("/properties/{key}"))) {
            complete(inner, property);
            let least = property.get("minProperties").and_then(Value::as_u64).unwrap_or(0);
            if (inner.len() as u64) < least
                && let Some((name, first)) = property.get("properties").and_then(Value::as_object).and_then(|p| p.iter().next())
            {
                inner.insert(name.clone(), placeholder(name, first));
            }
        }
    }
}

/// A value that stands for one of a type.
fn placeholder(name: &str, schema: &Value) -> Value {
    if let Some(constant) = schema.get("const") {
        return constant.clone();
    }
    if let Some(first) = schema.get("enum").and_then(Value::as_array).and_then(|choices| choices.first()) {
        return first.clone();
    }
    let branch = schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Value::as_array).and_then(|b| b.first());
    if let Some(branch) = branch {
        return placeholder(name, branch);
    }
    let kind = match schema.get("type") {
        Some(Value::Array(names)) => names.first().and_then(Value::as_str),
        Some(Value::String(kind)) => Some(kind.as_str()),
        _ => None,
    };
    match kind {
        Some("integer" | "number") => schema.get("minimum").cloned().unwrap_or_else(|| json!(1)),
        Some("boolean") => Value::Bool(false),
        Some("array") => {
            let items = schema.get("items").cloned().unwrap_or_else(|| json!({"type": "string"}));
            json!([placeholder(name, &items)])
        }
        Some("object") => {
            let mut inner = Map::new();
            complete(&mut inner, schema);
            Value::Object(inner)
        }
        _ => Value::from(format!("<{name}>")),
    }
}
