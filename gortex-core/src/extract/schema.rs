//! Schemas of argument structs.
//!
//! Two forms: the full one drives decoding; the public one has everything stripped that a model pays for and learns
//! nothing from (titles, integer formats, a minimum of zero, hard line breaks).

use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};
use schemars::{JsonSchema, Schema};
use serde_json::Value;

/// The full schema of an argument struct, without references and without `null` for optional fields.
pub(crate) fn schema_of<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    Plain.transform(&mut schema);
    let mut value = schema.to_value();
    if let Some(object) = value.as_object_mut() {
        object.shift_remove("$defs");
        object.shift_remove("title");
    }
    value
}

/// Removes what says "optional" twice and writes every choice of words as `enum`.
#[derive(Clone)]
struct Plain;

impl Transform for Plain {
    fn transform(&mut self, schema: &mut Schema) {
        transform_subschemas(self, schema);
        let Some(object) = schema.as_object_mut() else { return };
        if let Some(Value::Array(types)) = object.get("type") {
            let rest: Vec<Value> = types.iter().filter(|name| *name != "null").cloned().collect();
            if rest.len() == 1 {
                object.insert("type".into(), rest[0].clone());
            }
        }
        if object.get("default").is_some_and(Value::is_null) {
            object.shift_remove("default");
        }
        if let Some(Value::Array(choices)) = object.get_mut("enum") {
            choices.retain(|choice| !choice.is_null());
        }
        for key in ["anyOf", "oneOf"] {
            let Some(Value::Array(branches)) = object.get(key) else { continue };
            let rest: Vec<Value> = branches.iter().filter(|branch| branch.get("type") != Some(&"null".into())).cloned().collect();
            if let Some(choices) = words(&rest) {
                object.shift_remove(key);
                object.insert("type".into(), "string".into());
                object.insert("enum".into(), choices.into());
            } else if rest.len() == 1 {
                object.shift_remove(key);
                if let Value::Object(inner) = &rest[0] {
                    for (name, value) in inner {
                        object.entry(name.as_str()).or_insert_with(|| value.clone());
                    }
                }
            } else {
                object.insert(key.into(), rest.into());
            }
        }
    }
}

/// The strings of a union in which every branch is one string or a list of strings.
fn words(branches: &[Value]) -> Option<Vec<Value>> {
    let mut out = Vec::new();
    for branch in branches {
        match (branch.get("const"), branch.get("enum")) {
            (Some(word @ Value::String(_)), _) => out.push(word.clone()),
            (None, Some(Value::Array(list))) if list.iter().all(Value::is_string) => out.extend(list.iter().cloned()),
            _ => return None,
        }
    }
    (!out.is_empty()).then_some(out)
}

/// The schema as callers see it.
pub(crate) fn public_schema(mut schema: Value) -> Value {
    strip(&mut schema);
    schema
}

/// Strips one level and all below it.
fn strip(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            object.shift_remove("title");
            object.shift_remove("format");
            object.shift_remove("$schema");
            if object.get("minimum").and_then(Value::as_f64) == Some(0.0) {
                object.shift_remove("minimum");
            }
            if let Some(Value::String(text)) = object.get_mut("description") {
                *text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            }
            for (key, value) in object.iter_mut() {
                match key.as_str() {
                    "properties" | "$defs" => {
                        for inner in value.as_object_mut().into_iter().flat_map(|map| map.values_mut()) {
                            strip(inner);
                            if *inner == Value::Bool(true) {
                                *inner = Value::Object(serde_json::Map::new());
                            }
                        }
                    }
                    "items" | "additionalProperties" | "anyOf" | "oneOf" | "allOf" | "prefixItems" => strip(value),
                    _ => {}
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(strip),
        _ => {}
    }
}
