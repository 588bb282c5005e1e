//! `capabilities`: what can be called, and exactly how.
//!
//! Everything is projected from the registry at the moment of the question: the public schema of an operation is the
//! handler's own schema with every field moved to its public place. A request shape is an example that fits the schema.
//!
//! Knows no operation by name.

mod project;
mod sample;

use serde_json::{Map, Value, json};

use crate::canonical::{canonical, sha256};
use crate::envelope::{nearest, normalise};
use crate::error::CallError;
use crate::facade::{Discriminator, FacadeSpec};
use crate::registry::{Listing, Registry};
use crate::reply::{Body, Reply};

pub(crate) use project::public_schema;
pub(crate) use sample::request_shape;

/// Answers a call of `capabilities` with arguments `domain`, `operation` and `detail`.
pub fn answer(registry: &Registry, arguments: &Map<String, Value>) -> Result<Reply, CallError> {
    let domain = word(arguments, "domain")?;
    let operation = word(arguments, "operation")?;
    let detail = word(arguments, "detail")?.unwrap_or_else(|| "summary".to_owned());
    let with_schema = match detail.as_str() {
        "summary" => false,
        "schema" => true,
        other => {
            return Err(CallError::invalid(format!("`detail` can't be `{other}`; valid values: summary, schema"))
                .data("field", "detail")
                .data("received", other)
                .data("valid_values", ["summary", "schema"]));
        }
    };
    let version = registry.surface().version;
    let Some(domain) = domain else {
        if operation.is_some() {
            return Err(CallError::invalid("`operation` needs a `domain`")
                .data("field", "domain")
                .data("valid_domains", domains(registry)));
        }
        return Ok(Reply::json(json!({"surface_version": version, "domains": overview(registry)})).rows("domains"));
    };
    let spec = registry.facade(&domain).ok_or_else(|| unknown_domain(registry, &domain))?;
    let listings = registry.listings(spec);
    let Some(operation) = operation else {
        let entries: Vec<Value> = listings.iter().map(|listing| entry(registry, spec, listing, with_schema)).collect();
        let body = json!({"surface_version": version, "domain": spec.name, "operations": entries});
        return Ok(Reply::json(body).rows("operations"));
    };
    match listings.iter().find(|listing| listing.name == operation) {
        Some(listing) => Ok(Reply::json(entry(registry, spec, listing, with_schema))),
        None => {
            let names: Vec<&str> = listings.iter().map(|listing| listing.name.as_str()).collect();
            let near = nearest(&operation, names.iter().copied());
            let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            Err(CallError::invalid(format!("`{}` has no operation `{operation}`{hint}", spec.name))
                .data("field", "operation")
                .data("facade", spec.name)
                .data("operation", operation)
                .data("valid_operations", names))
        }
    }
}

/// What [`answer`] says of a domain, or of one of its operations; `null` where there is none of that name.
pub fn describe(registry: &Registry, domain: &str, operation: Option<&str>, with_schema: bool) -> Value {
    let mut arguments = Map::from_iter([("domain".to_owned(), Value::from(domain))]);
    arguments.insert("detail".into(), if with_schema { "schema" } else { "summary" }.into());
    if let Some(operation) = operation {
        arguments.insert("operation".into(), operation.into());
    }
    match answer(registry, &arguments).map(|reply| reply.body) {
        Ok(Body::Json(value)) => value,
        Ok(Body::Text(_)) | Err(_) => Value::Null,
    }
}

/// A normalised word among the arguments; blank is absent.
fn word(arguments: &Map<String, Value>, key: &str) -> Result<Option<String>, CallError> {
    match arguments.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(normalise(text)).filter(|text| !text.is_empty())),
        Some(other) => Err(CallError::invalid(format!("`{key}` must be a string, received {other}"))
            .data("field", key)
            .data("received", other)
            .data("expected_type", "string")),
    }
}

/// One line for each domain, sorted by name.
fn overview(registry: &Registry) -> Vec<Value> {
    let mut facades: Vec<&FacadeSpec> = registry.surface().facades.iter().collect();
    facades.sort_by_key(|facade| facade.name);
    facades
        .into_iter()
        .map(|facade| {
            json!({
                "name": facade.name,
                "description": facade.summary,
                "effect": facade.effect,
                "operations": registry.listings(facade).len(),
            })
        })
        .collect()
}

/// The names of all domains, sorted.
fn domains(registry: &Registry) -> Vec<&'static str> {
    let mut names: Vec<&str> = registry.surface().facades.iter().map(|facade| facade.name).collect();
    names.sort_unstable();
    names
}

/// The refusal of a domain that does not exist.
fn unknown_domain(registry: &Registry, domain: &str) -> CallError {
    let names = domains(registry);
    let near = nearest(domain, names.iter().copied());
    let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    CallError::invalid(format!("there is no domain `{domain}`{hint}"))
        .data("field", "domain")
        .data("domain", domain)
        .data("valid_domains", names)
}

/// One operation.
fn entry(registry: &Registry, spec: &'static FacadeSpec, listing: &Listing, with_schema: bool) -> Value {
    let mut out = Map::new();
    out.insert("surface_version".into(), registry.surface().version.into());
    out.insert("domain".into(), spec.name.into());
    out.insert("operation".into(), listing.name.as_str().into());
    out.insert("effect".into(), listing.effect.as_str().into());
    out.insert("available".into(), listing.entry.is_some().into());
    let summary = match &listing.entry {
        Some(_) if !listing.channels.is_empty() => {
            format!("One of the event channels: {}.", listing.channels.join(", "))
        }
        Some(entry) => entry.operation.summary.to_owned(),
        None => format!("Not implemented in this build (`{}`).", listing.legacy),
    };
    out.insert("summary".into(), summary.into());
    if !listing.fixed.is_empty() {
        out.insert("fixed_arguments".into(), Value::Object(listing.fixed.clone()));
    }
    if with_schema && let Some(found) = &listing.entry {
        let schema = public_schema(spec, listing, found);
        let shape = request_shape(spec, listing, found, &schema);
        out.insert("schema_hash".into(), schema_hash(&schema).into());
        out.insert("input_schema".into(), schema);
        out.insert("request_shape".into(), shape);
        let note = format!("Pass these fields directly to `{}`, without nesting them under another key.", spec.name);
        out.insert("request_shape_note".into(), note.into());
    }
    Value::Object(out)
}

/// The hash of a public schema: equal on every platform, different whenever a caller could notice.
pub fn schema_hash(schema: &Value) -> String {
    sha256(canonical(schema).as_bytes())
}

/// The key and value by which a request says which operation it means.
pub(crate) fn discriminator(spec: &FacadeSpec, operation: &str) -> Option<(&'static str, Value)> {
    match spec.discriminator {
        Discriminator::Operation | Discriminator::Kind => Some((spec.discriminator_key(), operation.into())),
        Discriminator::Quiet | Discriminator::Catalogue => None,
    }
}

#[cfg(test)]
mod tests;
