//! Calls by legacy name.
//!
//! A legacy name may have several meanings (`overlay_merge` to disk and in memory). The arguments that tell them apart are
//! the fixed ones, so the meaning is chosen by value; a variant that no public operation serves takes what is left.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{CallOutput, check_mode, run};
use crate::call::{CallContext, UnknownOptions};
use crate::envelope::{Lowered, json_type, nearest, normalise};
use crate::error::{CallError, Code};
use crate::facade::Container;
use crate::operation::Fixed;
use crate::registry::{Entry, Registry};
use crate::reply::Body;
use crate::shape;

/// Whether a call of a name that both surfaces have is meant for the public tool.
pub(super) fn looks_public(arguments: &Map<String, Value>) -> bool {
    let enveloped = ["operation", "target", "to"].iter().any(|key| arguments.contains_key(*key));
    enveloped || Container::ALL.iter().any(|container| arguments.get(container.as_str()).is_some_and(Value::is_object))
}

/// Serves a call by legacy name.
pub(super) async fn serve(
    registry: &Registry,
    context: &CallContext,
    name: &str,
    arguments: Map<String, Value>,
) -> Result<CallOutput, CallError> {
    let entry = choose(registry, name, &arguments)?;
    check_mode(context, name, entry.operation.effect, false)?;
    let arguments: Map<String, Value> = arguments.into_iter().filter(|(_, value)| !value.is_null()).collect();
    let (arguments, rest): (Map<String, Value>, Map<String, Value>) =
        arguments.into_iter().partition(|(key, _)| entry.declares(key));
    let mut unknown: Vec<String> = rest.keys().filter(|key| !shape::is_control(key)).cloned().collect();
    unknown.sort();
    let mut valid: Vec<&str> = entry.fields.iter().map(|placed| placed.field.name).collect();
    valid.sort_unstable();
    if context.unknown_options == UnknownOptions::Reject && !unknown.is_empty() {
        return Err(CallError::invalid(format!("`{name}` has no argument {}", unknown.join(", ")))
            .data("field", &unknown[0])
            .data("unknown_fields", unknown)
            .data("valid_fields", valid));
    }
    let mut output = run(entry, context, Lowered { arguments, rest }, false).await;
    if context.unknown_options == UnknownOptions::Report
        && !unknown.is_empty()
        && let Body::Json(Value::Object(body)) = &mut output.body
    {
        body.insert("_ignored_options".into(), serde_json::json!({"names": unknown, "valid": valid}));
    }
    Ok(output)
}

/// The meaning of a legacy name for these arguments.
fn choose(registry: &Registry, name: &str, arguments: &Map<String, Value>) -> Result<Arc<Entry>, CallError> {
    let meanings = registry.legacy(name);
    match meanings {
        [] => return Err(absent(registry, name)),
        [only] => return Ok(Arc::clone(only)),
        _ => {}
    }
    // A kind of analysis may be served by another handler under its own legacy name.
    let kind = arguments.get("kind").and_then(Value::as_str).map(normalise).filter(|kind| !kind.is_empty());
    if let Some(kind) = &kind
        && let Some(spec) = registry.facade(name)
        && let Some(entry) = registry.operation(spec.name, kind)
    {
        return Ok(Arc::clone(entry));
    }
    let matching = meanings
        .iter()
        .filter(|entry| !entry.operation.fixed.is_empty())
        .filter(|entry| entry.operation.fixed.iter().all(|(key, value)| matches(arguments.get(*key), *value)))
        .max_by_key(|entry| entry.operation.fixed.len());
    let left = || meanings.iter().find(|entry| entry.operation.fixed.is_empty());
    let fallback = || {
        let spec = registry.facade(name)?;
        registry.operation(spec.name, spec.default_operation?).filter(|_| kind.is_none())
    };
    matching.or_else(left).or_else(fallback).cloned().ok_or_else(|| no_variant(registry, name, meanings, arguments))
}

/// Whether an argument has the fixed value; an absent boolean is `false`.
fn matches(given: Option<&Value>, fixed: Fixed) -> bool {
    match (given, fixed) {
        (None | Some(Value::Null), Fixed::Bool(value)) => !value,
        (None | Some(Value::Null), Fixed::Str(_) | Fixed::Int(_)) => false,
        (Some(Value::Bool(given)), Fixed::Bool(value)) => *given == value,
        (Some(Value::Number(given)), Fixed::Bool(value)) => given.as_u64() == Some(u64::from(value)),
        (Some(Value::String(given)), Fixed::Bool(value)) => {
            let given = given.trim().to_ascii_lowercase();
            if value { given == "true" || given == "1" } else { given == "false" || given == "0" }
        }
        (Some(Value::String(given)), Fixed::Str(value)) => normalise(given) == value,
        (Some(given), Fixed::Int(value)) => given.as_i64() == Some(value),
        _ => false,
    }
}

/// The refusal of arguments that select no variant.
fn no_variant(registry: &Registry, name: &str, meanings: &[Arc<Entry>], arguments: &Map<String, Value>) -> CallError {
    let key = meanings.iter().flat_map(|entry| entry.operation.fixed).map(|(key, _)| *key).next().unwrap_or_default();
    let mut values: Vec<String> = meanings
        .iter()
        .flat_map(|entry| entry.operation.fixed)
        .filter(|(other, _)| *other == key)
        .map(|(_, value)| value.to_value().as_str().map_or_else(|| value.to_value().to_string(), str::to_owned))
        .collect();
    if let Some(spec) = registry.facade(name).filter(|_| key == "kind") {
        values.extend(registry.operation_names(spec));
    }
    values.sort();
    values.dedup();
    let given = arguments.get(key);
    let message = match given {
        None => format!("{key} is required; valid values: {}", values.join(", ")),
        Some(value) => format!("`{key}` can't be {value}; valid values: {}", values.join(", ")),
    };
    let mut error = CallError::invalid(message).data("field", key);
    if let Some(given) = given {
        error = error.data("received", given).data("received_type", json_type(given));
    }
    error.data("valid_values", values)
}

/// The refusal of a name that the legacy surface does not have.
fn absent(registry: &Registry, name: &str) -> CallError {
    if let Some(row) = registry.baseline().iter().find(|row| row.legacy == name) {
        return crate::envelope::unavailable(&row.facade, &row.operation, row.legacy);
    }
    if registry.facade(name).is_some() {
        return CallError::new(Code::ToolBlockedByMode, format!("`{name}` is a tool of the compact surface"))
            .data("tool", name)
            .data("required_preset", registry.surface().version)
            .data("current_preset", "legacy")
            .data("recovery_setting", "GORTEX_TOOLS");
    }
    let near = nearest(name, registry.legacy_names());
    let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    let error = CallError::invalid(format!("there is no tool `{name}`{hint}")).data("tool", name);
    match near {
        Some(near) => error.data("did_you_mean", near),
        None => error,
    }
}
