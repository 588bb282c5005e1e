//! One set of symbols, wherever it stands.
//!
//! Operations on a planned change take a set of symbols, and callers put it into the target, the source, the options, the
//! arguments or the top level. All places are read; the same set twice is one set, two different sets are a contradiction
//! and refused, because either choice would answer about the wrong change.

use serde_json::{Map, Value};

use super::request::Request;
use super::takes_list;
use crate::error::CallError;
use crate::facade::Container;
use crate::place::Place;
use crate::registry::{Entry, PlacedField};

/// The names a set may have.
const NAMES: [&str; 4] = ["symbol", "symbols", "id", "ids"];

/// Fields that state another source of the change than symbols.
const OTHER_SOURCES: [&str; 7] = ["workspace_edit", "ranges", "path", "file", "base", "scope", "start_line"];

/// Collects exactly one set into the field that takes it. With `or_source`, another explicit source may take its place.
pub(super) fn collect(entry: &Entry, request: &Request, flat: &mut Map<String, Value>, or_source: bool) -> Result<(), CallError> {
    let Some(reader) = reader(entry) else { return Ok(()) };
    let mut found: Option<(String, Vec<String>)> = None;
    for (place, set) in sets(request)? {
        match &found {
            Some((first, other)) if sorted(other) != sorted(&set) => {
                return Err(CallError::invalid(format!("`{first}` and `{place}` name different symbols; keep one of them"))
                    .data("field", place.as_str())
                    .data("conflicting_fields", [first.as_str(), place.as_str()]));
            }
            Some(_) => {}
            None => found = Some((place, set)),
        }
    }
    let explicit = or_source.then(|| explicit_source(request)).flatten();
    let operation = entry.operation.id();
    match (found, explicit) {
        (Some((place, _)), Some(source)) => {
            Err(CallError::invalid(format!("`{operation}` takes symbols (`{place}`) or another source (`{source}`), not both"))
                .data("field", place.as_str())
                .data("conflicting_fields", [place, source]))
        }
        (None, Some(_)) => Ok(()),
        (None, None) => {
            let or = if or_source { ", or `source.source` with a diff, edit or ranges" } else { "" };
            Err(CallError::invalid(format!("`{operation}` needs `target.symbols`{or}"))
                .data("field", "target.symbols")
                .data("expected_type", "array of string"))
        }
        (Some((_, set)), None) => {
            for name in NAMES {
                if name != reader.field.name {
                    flat.shift_remove(name);
                }
            }
            let value = if entry.property(reader.field.name).is_some_and(takes_list) {
                Value::from(set)
            } else {
                Value::from(set.join(","))
            };
            flat.insert(reader.field.name.to_owned(), value);
            if or_source && entry.open_field("source").is_some() {
                flat.insert("source".into(), Value::from("symbols"));
            }
            Ok(())
        }
    }
}

/// `source.symbols` as the set, when no target says otherwise.
pub(super) fn compat(entry: &Entry, request: &Request, flat: &mut Map<String, Value>) -> Result<(), CallError> {
    let Some(reader) = reader(entry) else { return Ok(()) };
    if request.target.is_some() || flat.contains_key(reader.field.name) {
        return Ok(());
    }
    let source = request.container(Container::Source).and_then(|source| source.get("symbols"));
    if let Some(value) = source {
        flat.insert(reader.field.name.to_owned(), Value::from(list("source.symbols", value)?));
    }
    Ok(())
}

/// The first of the symbols as the one symbol.
pub(super) fn first(entry: &Entry, request: &Request, flat: &mut Map<String, Value>) -> Result<(), CallError> {
    let Some(reader) = entry.field_at(Place::Target("symbol")) else { return Ok(()) };
    if request.target.is_some() || flat.contains_key(reader.field.name) {
        return Ok(());
    }
    if let Some(value) = flat.shift_remove("symbols")
        && let Some(first) = list("source.symbols", &value)?.into_iter().next()
    {
        flat.insert(reader.field.name.to_owned(), Value::from(first));
    }
    Ok(())
}

/// The field that takes the set.
fn reader(entry: &Entry) -> Option<&PlacedField> {
    entry.field_at(Place::Target("symbols")).or_else(|| entry.field_at(Place::Target("symbol")))
}

/// Every non-empty set in the request, with its place.
fn sets(request: &Request) -> Result<Vec<(String, Vec<String>)>, CallError> {
    let mut out = Vec::new();
    let mut add = |prefix: &str, fields: &Map<String, Value>| -> Result<(), CallError> {
        for name in NAMES {
            let Some(value) = fields.get(name) else { continue };
            let place = format!("{prefix}{name}");
            let set = if name == "symbol" || name == "id" { one(&place, value)? } else { list(&place, value)? };
            if !set.is_empty() {
                out.push((place, set));
            }
        }
        Ok(())
    };
    if let Some(Value::Object(target)) = &request.target {
        add("target.", target)?;
    }
    for container in [Container::Source, Container::Options, Container::Arguments] {
        if let Some(fields) = request.container(container) {
            add(&format!("{}.", container.as_str()), fields)?;
        }
    }
    add("", &request.top)?;
    Ok(out)
}

/// A singular selector: one symbol, without a comma that would make it look like several.
fn one(place: &str, value: &Value) -> Result<Vec<String>, CallError> {
    match value {
        Value::String(text) if text.contains(',') => {
            Err(CallError::invalid(format!("`{place}` takes one symbol; for several use `target.symbols`"))
                .data("field", place)
                .data("received", value)
                .data("suggested_field", "target.symbols"))
        }
        Value::String(text) => Ok(text.trim().to_owned()).map(|text| if text.is_empty() { vec![] } else { vec![text] }),
        other => Err(not_strings(place, other)),
    }
}

/// A list of symbols: a list, JSON text of one, or comma text; blanks and duplicates left out.
fn list(place: &str, value: &Value) -> Result<Vec<String>, CallError> {
    let items: Vec<String> = match value {
        Value::Array(items) => {
            let strings: Option<Vec<String>> = items.iter().map(|item| item.as_str().map(str::to_owned)).collect();
            strings.ok_or_else(|| not_strings(place, value))?
        }
        Value::String(text) if text.trim_start().starts_with('[') => {
            serde_json::from_str(text).map_err(|_| not_strings(place, value))?
        }
        Value::String(text) => text.split(',').map(str::to_owned).collect(),
        other => return Err(not_strings(place, other)),
    };
    let mut out: Vec<String> = Vec::new();
    for item in items {
        let item = item.trim();
        if !item.is_empty() && !out.iter().any(|other| other == item) {
            out.push(item.to_owned());
        }
    }
    Ok(out)
}

/// The refusal of anything but strings.
fn not_strings(place: &str, value: &Value) -> CallError {
    CallError::invalid(format!("`{place}` must be a list of strings, received {value}"))
        .data("field", place)
        .data("received", value)
        .data("expected_type", "array of string")
}

/// The field that states another source of the change.
fn explicit_source(request: &Request) -> Option<String> {
    for (container, fields) in &request.containers {
        if *container == Container::Output {
            continue;
        }
        let named = fields.get("source").and_then(Value::as_str).map(super::normalise);
        if named.is_some_and(|source| source != "symbols" && source != "auto" && !source.is_empty()) {
            return Some(format!("{}.source", container.as_str()));
        }
        let other = OTHER_SOURCES.iter().find(|name| fields.get(**name).is_some_and(|value| !super::is_empty(value)));
        if let Some(name) = other {
            return Some(format!("{}.{name}", container.as_str()));
        }
    }
    OTHER_SOURCES.iter().find(|name| request.top.contains_key(**name)).map(|name| (*name).to_owned())
}

/// A set in an order that does not depend on the caller.
fn sorted(set: &[String]) -> Vec<&str> {
    let mut out: Vec<&str> = set.iter().map(String::as_str).collect();
    out.sort_unstable();
    out
}
