//! Which operation a request means.
//!
//! Named (normalised, by alias, by legacy name), completed by a channel, implied by the selector, or the domain's default;
//! then overruled where the selector can only mean another one. What lives in another domain is refused with its place.

use std::sync::Arc;

use serde_json::Value;

use super::request::Request;
use crate::error::{CallError, Code};
use crate::facade::{Container, Discriminator, FacadeSpec};
use crate::registry::{Entry, Registry};

/// Trims, lower-cases and writes `-` as `_`.
pub(crate) fn normalise(text: &str) -> String {
    text.trim().to_lowercase().replace('-', "_")
}

/// Finds the operation of a request.
pub(crate) fn resolve(registry: &Registry, spec: &'static FacadeSpec, request: &Request) -> Result<Arc<Entry>, CallError> {
    let name = match named(spec, request)? {
        Some(name) => completed(registry, spec, request, alias(registry, spec, name))?,
        None => implied(registry, spec, request)?,
    };
    let overruled = spec.redirects.iter().find(|redirect| redirect.operation == name && request.targets(redirect.selector));
    let name = overruled.map_or(name, |redirect| redirect.runs.to_owned());
    look_up(registry, spec, &name)
}

/// The operation that the request names.
fn named(spec: &FacadeSpec, request: &Request) -> Result<Option<String>, CallError> {
    let found = match spec.discriminator {
        // A kind in a container meets the same checks as one at the top, and is no way around them.
        Discriminator::Kind => request
            .anywhere("kind")
            .map(|value| ("kind", value))
            .or_else(|| request.top.get("operation").map(|v| ("operation", v))),
        Discriminator::Operation | Discriminator::Quiet | Discriminator::Catalogue => {
            request.top.get("operation").map(|value| ("operation", value))
        }
    };
    let Some((key, value)) = found else { return Ok(None) };
    let Value::String(text) = value else {
        return Err(CallError::invalid(format!("`{key}` must be a string, received {value}"))
            .data("field", key)
            .data("received", value)
            .data("expected_type", "string"));
    };
    let name = normalise(text);
    Ok((!name.is_empty()).then_some(name))
}

/// Another word for an operation, as the operation.
fn alias(registry: &Registry, spec: &FacadeSpec, name: String) -> String {
    if registry.operation(spec.name, &name).is_some() {
        return name;
    }
    if let Some((_, operation)) = spec.aliases.iter().find(|(alias, _)| *alias == name) {
        return (*operation).to_owned();
    }
    // A legacy name is unambiguous where one public operation of this facade stands on it.
    let mut behind: Vec<String> = registry
        .operations()
        .filter(|entry| entry.operation.facade == spec.name && entry.operation.legacy == name && !entry.operation.hidden)
        .map(|entry| entry.operation.name.to_owned())
        .collect();
    let rows = registry.baseline().iter().filter(|row| row.facade == spec.name && row.legacy == name && !row.hidden);
    behind.extend(rows.map(|row| row.operation.clone()));
    behind.sort();
    behind.dedup();
    match behind.as_slice() {
        [only] => only.clone(),
        _ => name,
    }
}

/// A verb, completed by the channel of the request.
fn completed(registry: &Registry, spec: &'static FacadeSpec, request: &Request, name: String) -> Result<String, CallError> {
    if !spec.verbs.contains(&name.as_str()) {
        return Ok(name);
    }
    let listings = registry.listings(spec);
    let channels = listings.into_iter().find(|listing| listing.name == name).map(|listing| listing.channels);
    let channels = channels.unwrap_or_default();
    let inner = || request.container(Container::Arguments).and_then(|arguments| arguments.get("channel"));
    let given = request.top.get("channel").or_else(inner);
    let channel = given.and_then(Value::as_str).map(normalise).unwrap_or_default();
    if channels.contains(&channel) {
        return Ok(format!("{name}_{channel}"));
    }
    let message = match given {
        None => format!("`{}.{name}` needs a channel", spec.name),
        Some(value) => format!("there is no channel {value}"),
    };
    Err(CallError::invalid(format!("{message}; valid channels: {}", channels.join(", ")))
        .data("field", "channel")
        .data("operation", name)
        .data("valid_channels", channels))
}

/// The operation that a request without one means.
fn implied(registry: &Registry, spec: &'static FacadeSpec, request: &Request) -> Result<String, CallError> {
    let implied = spec.infer.iter().find(|inference| inference.when.iter().all(|condition| request.holds(*condition)));
    if let Some(inference) = implied {
        return Ok(inference.operation.to_owned());
    }
    if let Some(operation) = spec.default_operation {
        return Ok(operation.to_owned());
    }
    let names = valid_operations(registry, spec);
    Err(CallError::invalid(format!("`{}` needs an operation: {}", spec.name, names.join(", ")))
        .data("field", "operation")
        .data("facade", spec.name)
        .data("valid_operations", names))
}

/// The registered operation, or why there is none.
fn look_up(registry: &Registry, spec: &'static FacadeSpec, name: &str) -> Result<Arc<Entry>, CallError> {
    if let Some(entry) = registry.operation(spec.name, name).filter(|entry| !entry.operation.hidden) {
        return Ok(Arc::clone(entry));
    }
    if spec.discriminator == Discriminator::Kind
        && let Some(domain) = elsewhere(registry, spec, name)
    {
        return Err(CallError::new(
            Code::ToolBlockedByMode,
            format!("the kind `{name}` changes stored state; call `{domain}` with operation `{name}`"),
        )
        .data("tool", spec.name)
        .data("domain", domain)
        .data("operation", name));
    }
    if let Some(row) = registry.row(spec.name, name).filter(|row| !row.hidden) {
        return Err(unavailable(spec.name, name, row.legacy));
    }
    let names = valid_operations(registry, spec);
    let near = nearest(name, names.iter().map(String::as_str));
    let hint = near.map_or_else(|| ".".to_owned(), |near| format!("; did you mean `{near}`?"));
    let mut error =
        CallError::invalid(format!("`{}` has no operation `{name}`{hint} Valid operations: {}", spec.name, names.join(", ")))
            .data("field", spec.discriminator_key())
            .data("facade", spec.name)
            .data("operation", name);
    if let Some(near) = near {
        error = error.data("did_you_mean", near);
    }
    Err(error.data("valid_operations", names))
}

/// The refusal of an operation that this build does not have.
pub(crate) fn unavailable(facade: &str, operation: &str, legacy: &str) -> CallError {
    CallError::invalid(format!("`{facade}.{operation}` is not available in this build"))
        .data("facade", facade)
        .data("operation", operation)
        .data("legacy_tool", legacy)
        .data("reason", "unavailable")
}

/// The other domain in which this kind of analysis is an operation.
fn elsewhere(registry: &Registry, spec: &FacadeSpec, kind: &str) -> Option<String> {
    let registered = registry.operations().find(|entry| {
        let fixed = entry.operation.fixed_value("kind").map(crate::operation::Fixed::to_value);
        entry.operation.facade != spec.name && fixed.as_ref().and_then(Value::as_str) == Some(kind)
    });
    let row = || {
        let fixed = |row: &&crate::registry::Row| row.fixed.get("kind").and_then(Value::as_str) == Some(kind);
        registry.baseline().iter().filter(|row| row.facade != spec.name).find(fixed).map(|row| row.facade.clone())
    };
    registered.map(|entry| entry.operation.facade.to_owned()).or_else(row)
}

/// The operations a caller may name.
fn valid_operations(registry: &Registry, spec: &FacadeSpec) -> Vec<String> {
    registry.operation_names(spec)
}

/// The word most alike, if one is alike at all.
pub(crate) fn nearest<'w>(word: &str, words: impl Iterator<Item = &'w str>) -> Option<&'w str> {
    let most = (word.chars().count() / 3).max(1);
    words.map(|other| (distance(word, other), other)).filter(|(distance, _)| *distance <= most).min().map(|(_, other)| other)
}

/// Edit distance in characters, bounded by the lengths of identifiers.
fn distance(a: &str, b: &str) -> usize {
    const LONGEST: usize = 64;
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().take(LONGEST).collect(), b.chars().take(LONGEST).collect());
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = corner + usize::from(x != y);
            corner = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(corner + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_near() {
        let words = ["callers", "cluster", "überblick"];
        assert_eq!(nearest("callerz", words.into_iter()), Some("callers"));
        assert_eq!(nearest("uberblick", words.into_iter()), Some("überblick"));
        assert_eq!(nearest("implementations", words.into_iter()), None);
        assert_eq!(nearest("", words.into_iter()), None);
    }
}
