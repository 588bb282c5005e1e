//! The public schema of one operation: the handler's schema with every field at its public place.
//!
//! Fixed arguments are left out, containers are closed, and what the handler requires is required where callers find it.

use serde_json::{Map, Value, json};

use crate::envelope::takes_list;
use crate::extract::public_schema as plain;
use crate::facade::{Container, FacadeSpec};
use crate::place::Place;
use crate::registry::{Entry, Listing};
use crate::shape;

/// An object schema under construction.
#[derive(Default)]
struct Closed {
    properties: Map<String, Value>,
    required: Vec<String>,
}

impl Closed {
    /// The schema of a closed object.
    fn finish(self) -> Value {
        let mut out = json!({"type": "object", "properties": self.properties});
        if !self.required.is_empty() {
            out["required"] = self.required.into();
        }
        out["additionalProperties"] = false.into();
        out
    }

    /// Adds a property, required or not; the first of a name stays.
    fn add(&mut self, name: &str, schema: Value, required: bool) {
        self.properties.entry(name).or_insert(schema);
        if required && !self.required.iter().any(|other| other == name) {
            self.required.push(name.to_owned());
        }
    }
}

/// The public schema.
pub(crate) fn public_schema(spec: &'static FacadeSpec, listing: &Listing, entry: &Entry) -> Value {
    let mut top = Closed::default();
    if let Some((key, value)) = super::discriminator(spec, &listing.name) {
        // Where another operation is the default, a request must say which one it means.
        let required = spec.default_operation != Some(listing.name.as_str()) && !is_inferred(spec, &listing.name);
        top.add(key, json!({"type": "string", "const": value}), required);
    }
    if !listing.channels.is_empty() {
        top.add("channel", json!({"type": "string", "enum": listing.channels}), true);
        if spec.has_container(Container::Arguments) {
            top.add("arguments", json!({"type": "object", "properties": {}}), false);
        }
        top.add("output", output(entry, Closed::default()), false);
        return top.finish();
    }
    let (mut target, mut to) = (Closed::default(), Closed::default());
    let mut containers: Vec<(Container, Closed)> =
        Container::ALL.into_iter().map(|container| (container, Closed::default())).collect();
    let required = entry.required();
    for placed in entry.fields.iter().filter(|placed| !placed.fixed) {
        let name = placed.field.name;
        let schema = entry.property(name).cloned().map_or_else(|| json!({}), plain);
        let mut schema = if schema.is_object() { schema } else { json!({}) };
        if name == "format" {
            shape::add_formats(&mut schema);
        }
        for (at, place) in placed.places.iter().enumerate() {
            let needed = at == 0 && required.contains(&name);
            match place {
                Place::Target(selector) => add_selector(&mut target, selector, &schema, needed),
                Place::To(selector) => add_selector(&mut to, selector, &schema, needed),
                Place::Top(public) => top.add(public, schema.clone(), needed),
                Place::In(container, public) => {
                    if let Some((_, closed)) = containers.iter_mut().find(|(other, _)| other == container) {
                        closed.add(public, schema.clone(), needed);
                    }
                }
            }
        }
    }
    for (name, closed) in [("target", target), ("to", to)] {
        if !closed.properties.is_empty() {
            let needed = !closed.required.is_empty();
            top.add(name, selectors(closed), needed);
        }
    }
    for (container, closed) in containers {
        let key = container.as_str();
        if container == Container::Output {
            let needed = !closed.required.is_empty();
            top.add(key, output(entry, closed), needed);
        } else if spec.has_container(container) && (!closed.properties.is_empty() || is_common(spec, container)) {
            let needed = !closed.required.is_empty();
            top.add(key, closed.finish(), needed);
        }
    }
    top.finish()
}

/// Whether every request of the domain may carry this container, even an empty one.
fn is_common(spec: &FacadeSpec, container: Container) -> bool {
    container == spec.common_container()
}

/// Whether some selector implies this operation.
fn is_inferred(spec: &FacadeSpec, operation: &str) -> bool {
    spec.infer.iter().any(|inference| inference.operation == operation)
}

/// Adds a selector. A list also takes one symbol.
fn add_selector(closed: &mut Closed, selector: &'static str, schema: &Value, needed: bool) {
    let text = || {
        let mut text = json!({"type": "string"});
        if let Some(about) = schema.get("description") {
            text["description"] = about.clone();
        }
        text
    };
    let list = || json!({"type": "array", "items": {"type": "string"}, "minItems": 1});
    match selector {
        "symbols" => {
            closed.add("symbols", list(), needed);
            closed.add("symbol", text(), false);
        }
        "symbol" if takes_list(schema) => {
            closed.add("symbol", text(), needed);
            closed.add("symbols", list(), false);
        }
        _ => closed.add(selector, text(), needed),
    }
}

/// The schema of a target: exactly one of its selectors.
fn selectors(closed: Closed) -> Value {
    let one = closed.properties.len() == 1 && !closed.required.is_empty();
    let required = if one { closed.required } else { Vec::new() };
    let mut out = Closed { properties: closed.properties, required }.finish();
    out["minProperties"] = 1.into();
    out["maxProperties"] = 1.into();
    out
}

/// The schema of `output`: what the handler has there, and what every operation takes.
fn output(entry: &Entry, mut closed: Closed) -> Value {
    for name in ["format", "max_bytes", "max_tokens", "limit", "cursor", "fields", "paginate"] {
        // A control that the handler has itself stands where the handler says.
        if entry.declares(name) {
            continue;
        }
        if let Some(schema) = shape::control_schema(name) {
            closed.add(name, schema, false);
        }
    }
    closed.finish()
}
