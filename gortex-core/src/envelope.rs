//! The envelope: from a public request to a handler's own arguments.
//!
//! Two steps. `resolve` finds the operation: named, inferred from the selector, or the domain's default. `lower` flattens
//! the containers into the handler's arguments, moves selectors and friendly names to the fields that sit there, applies
//! the few rules that can't be derived, and writes the fixed arguments last. Everything is read off the registry; what a
//! handler would silently drop although it matters (a target, a repository) is refused here.
//!
//! Knows nothing of the graph: names of symbols stay names.

mod repository;
mod request;
mod resolve;
pub mod rules;
mod symbols;

pub(crate) use request::{Request, Selected, is_empty, json_type};
pub(crate) use resolve::{nearest, normalise, resolve, unavailable};
pub use rules::Rule;

use serde_json::{Map, Value};

use crate::error::CallError;
use crate::facade::{Discriminator, FacadeSpec};
use crate::place::Place;
use crate::registry::{Entry, PlacedField, Registry};

/// A request lowered for one operation.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Lowered {
    /// The handler's arguments.
    pub arguments: Map<String, Value>,
    /// What the handler does not declare: shaping controls, and fields nobody reads.
    pub rest: Map<String, Value>,
}

/// Lowers an opened request for its operation.
pub(crate) fn lower(
    registry: &Registry,
    spec: &'static FacadeSpec,
    entry: &Entry,
    request: &Request,
) -> Result<Lowered, CallError> {
    request.check_containers()?;
    repository::check(entry, request)?;
    let target = request.target.as_ref().map(|value| request::select("target", value)).transpose()?;
    let to = request.to.as_ref().map(|value| request::select("to", value)).transpose()?;

    let mut flat = flatten(spec, entry, request);
    for (selected, field) in [(target, "target"), (to, "to")] {
        if let Some(selected) = selected {
            let placed = reader(entry, field, &selected).ok_or_else(|| unsupported(registry, spec, entry, field, &selected))?;
            flat.insert(placed.field.name.to_owned(), fitting(entry, placed, selected));
        }
    }
    rename_friendly(entry, &mut flat);
    for (_, rule) in spec.rules.iter().filter(|(operation, _)| *operation == entry.operation.name) {
        rules::apply(*rule, entry, request, &mut flat)?;
    }
    for (key, value) in entry.operation.fixed_arguments() {
        flat.insert(key, value);
    }
    let (arguments, rest) = flat.into_iter().partition(|(key, _)| entry.declares(key));
    Ok(Lowered { arguments, rest })
}

/// Merges containers and top-level fields; later ones win.
fn flatten(spec: &'static FacadeSpec, entry: &Entry, request: &Request) -> Map<String, Value> {
    let mut flat = Map::new();
    for (container, inner) in &request.containers {
        for (key, value) in inner {
            let moved = entry.fields.iter().find(|placed| {
                placed.places.iter().any(|place| matches!(place, Place::In(c, name) if c == container && name == key))
            });
            let name = match moved {
                Some(placed) if !entry.declares(key) => placed.field.name,
                _ => key,
            };
            flat.insert(name.to_owned(), value.clone());
        }
    }
    for (key, value) in &request.top {
        if is_discriminator(spec, entry, key) {
            continue;
        }
        let moved =
            entry.fields.iter().find(|placed| placed.places.iter().any(|place| matches!(place, Place::Top(name) if name == key)));
        match moved {
            // A blank anchor is no anchor.
            Some(placed) if spec.renames.iter().any(|(public, _)| public == key) => {
                if !is_empty(value) {
                    flat.insert(placed.field.name.to_owned(), value.clone());
                }
            }
            Some(placed) => drop(flat.insert(placed.field.name.to_owned(), value.clone())),
            None => drop(flat.insert(key.clone(), value.clone())),
        }
    }
    flat
}

/// Whether a top-level field only says which operation is meant.
fn is_discriminator(spec: &FacadeSpec, entry: &Entry, key: &str) -> bool {
    match key {
        "operation" => true,
        "kind" => spec.discriminator == Discriminator::Kind,
        "channel" => !spec.verbs.is_empty() && !entry.declares("channel"),
        _ => false,
    }
}

/// Friendly words that stand in a container mean what they mean at the top, unless the handler has that word itself.
fn rename_friendly(entry: &Entry, flat: &mut Map<String, Value>) {
    for placed in &entry.fields {
        for place in &placed.places {
            let (Place::Top(public) | Place::In(_, public)) = place else { continue };
            if *public != placed.field.name
                && !entry.declares(public)
                && let Some(value) = flat.shift_remove(*public)
            {
                flat.entry(placed.field.name).or_insert(value);
            }
        }
    }
}

/// The field that reads a selector: the one that says so, or its singular or plural.
fn reader<'e>(entry: &'e Entry, field: &str, selected: &Selected) -> Option<&'e PlacedField> {
    let place = |selector| if field == "to" { Place::To(selector) } else { Place::Target(selector) };
    let exact = entry.field_at(place(selected.selector));
    match selected.selector {
        "symbol" => exact.or_else(|| entry.field_at(place("symbols"))),
        "symbols" => exact.or_else(|| {
            let placed = entry.field_at(place("symbol"))?;
            let fits = single(&selected.value).is_some() || entry.property(placed.field.name).is_some_and(takes_list);
            fits.then_some(placed)
        }),
        _ => exact,
    }
}

/// The only item of a list.
fn single(value: &Value) -> Option<&Value> {
    match value {
        Value::Array(items) if items.len() == 1 => items.first(),
        _ => None,
    }
}

/// The selector's value in the form that its field takes, so that a comma inside one id is never taken for a list.
fn fitting(entry: &Entry, placed: &PlacedField, selected: Selected) -> Value {
    let is_list = entry.property(placed.field.name).is_some_and(takes_list);
    match (selected.selector, selected.value) {
        ("symbol", value) if is_list => Value::Array(vec![value]),
        ("symbols", value) if !is_list => single(&value).cloned().unwrap_or(value),
        (_, value) => value,
    }
}

/// Whether a schema takes a list.
pub(crate) fn takes_list(schema: &Value) -> bool {
    let is = |schema: &Value| schema.get("type").is_some_and(|name| name == "array");
    let listed = schema.get("type").and_then(Value::as_array);
    let branches = schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Value::as_array);
    is(schema)
        || listed.is_some_and(|names| names.iter().any(|name| name == "array"))
        || branches.is_some_and(|branches| branches.iter().any(is))
}

/// The refusal of a selector that the operation would not read.
fn unsupported(registry: &Registry, spec: &'static FacadeSpec, entry: &Entry, field: &str, selected: &Selected) -> CallError {
    let accepted: Vec<&str> = registry
        .operations()
        .filter(|other| other.operation.facade == spec.name && !other.operation.hidden)
        .filter(|other| reader(other, field, selected).is_some())
        .map(|other| other.operation.name)
        .collect();
    let name = format!("{field}.{}", selected.selector);
    let operation = entry.operation.name;
    let mut error = CallError::invalid(format!("`{}.{operation}` does not read `{name}`", spec.name))
        .data("field", &name)
        .data("reason", "unsupported_target")
        .data("domain", spec.name)
        .data("operation", operation)
        .data("accepted_by", accepted);
    if spec.discriminator == Discriminator::Kind {
        error = error.data("kind", operation);
    }
    let usual: &[&str] = match selected.selector {
        "symbol" => &["id", "symbol_id", "name"],
        "symbols" => &["ids"],
        "file" => &["path", "file_path"],
        other => &[other],
    };
    let untargeted = |name: &&&str| {
        let placed = entry.open_field(name);
        placed.is_some_and(|placed| !placed.places.iter().any(|p| matches!(p, Place::Target(_) | Place::To(_))))
    };
    if let Some(other) = usual.iter().find(untargeted) {
        error = error.data("entity_mismatch", entry.public_name(other));
    }
    let readable: Vec<String> = entry
        .fields
        .iter()
        .flat_map(|placed| &placed.places)
        .filter(|place| matches!(place, Place::Target(_) | Place::To(_)))
        .map(Place::to_string)
        .collect();
    if readable.is_empty() { error } else { error.data("valid_selectors", readable) }
}

/// What an opened request means, for [`crate::dispatch`].
pub(crate) fn open(spec: &'static FacadeSpec, arguments: Map<String, Value>) -> Request {
    Request::open(spec, arguments)
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod properties;
