//! A public request, opened: containers, selectors and top-level fields apart, nothing interpreted yet.
//!
//! Hosts send objects as JSON text now and then, so every container is read both ways. What is malformed is kept as an
//! error that is raised only once the operation is known: an unknown operation is the better complaint.

use serde_json::{Map, Value, json};

use crate::error::CallError;
use crate::facade::{Condition, Container, FacadeSpec, SELECTORS};

/// A `target` or `to` that passed the selector rule.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Selected {
    pub selector: &'static str,
    pub value: Value,
}

/// An opened request.
#[derive(Debug)]
pub(crate) struct Request {
    /// Fields outside every container, `null` ones left out.
    pub top: Map<String, Value>,
    /// The containers present, in merge order.
    pub containers: Vec<(Container, Map<String, Value>)>,
    pub target: Option<Value>,
    pub to: Option<Value>,
    malformed: Option<CallError>,
}

impl Request {
    /// Takes the arguments of a call apart.
    pub(crate) fn open(spec: &FacadeSpec, mut arguments: Map<String, Value>) -> Self {
        let mut malformed = None;
        let mut containers = Vec::new();
        for container in Container::ALL {
            let key = container.as_str();
            match arguments.shift_remove(key).map(unpack) {
                None | Some(Value::Null) => {}
                Some(Value::Object(inner)) => containers.push((container, present(inner))),
                Some(other) => {
                    malformed.get_or_insert_with(|| not_an_object(spec, container, &other));
                }
            }
        }
        let target = arguments.shift_remove("target").map(unpack).filter(|value| !value.is_null());
        let to = arguments.shift_remove("to").map(unpack).filter(|value| !value.is_null());
        Self { top: present(arguments), containers, target, to, malformed }
    }

    /// The first container that is not an object, as the error it is.
    pub(crate) fn check_containers(&self) -> Result<(), CallError> {
        self.malformed.clone().map_or(Ok(()), Err)
    }

    /// The content of one container.
    pub(crate) fn container(&self, container: Container) -> Option<&Map<String, Value>> {
        self.containers.iter().find(|(other, _)| *other == container).map(|(_, inner)| inner)
    }

    /// A field wherever it stands: top level first, then the container that would win the merge.
    pub(crate) fn anywhere(&self, name: &str) -> Option<&Value> {
        let inner = || self.containers.iter().rev().find_map(|(_, inner)| inner.get(name));
        self.top.get(name).or_else(inner)
    }

    /// Whether a condition of an inference holds.
    pub(crate) fn holds(&self, condition: Condition) -> bool {
        match condition {
            Condition::Target(selector) => self.targets(selector),
            Condition::Present(name) => self.anywhere(name).is_some(),
            Condition::NonEmpty(name) => self.anywhere(name).is_some_and(|value| !is_empty(value)),
            Condition::Absent(name) => self.anywhere(name).is_none(),
        }
    }

    /// Whether the target, well-formed or not, uses this selector.
    pub(crate) fn targets(&self, selector: &str) -> bool {
        let found = self.target.as_ref().and_then(|target| target.get(selector));
        found.is_some_and(|value| !is_empty(value))
    }
}

/// The selector rule: an object with exactly one non-empty selector out of the six.
pub(crate) fn select(field: &str, value: &Value) -> Result<Selected, CallError> {
    let Value::Object(object) = value else {
        return Err(CallError::invalid(format!(
            "`{field}` must be an object with one selector, such as {{\"symbol\": \"...\"}}"
        ))
        .data("field", field)
        .data("received", value)
        .data("valid_selectors", SELECTORS));
    };
    let mut found = Vec::new();
    for (key, value) in object {
        let Some(selector) = SELECTORS.into_iter().find(|selector| selector == key) else {
            return Err(CallError::invalid(format!("`{field}.{key}` is no selector; use one of {}", SELECTORS.join(", ")))
                .data("field", format!("{field}.{key}"))
                .data("valid_selectors", SELECTORS));
        };
        if !is_empty(value) {
            found.push(Selected { selector, value: value.clone() });
        }
    }
    if found.len() != 1 {
        let mut selectors: Vec<&str> = found.iter().map(|selected| selected.selector).collect();
        selectors.sort_unstable();
        let message = match selectors.as_slice() {
            [] => format!("`{field}` has no non-empty selector; use one of {}", SELECTORS.join(", ")),
            several => format!("`{field}` must have exactly one selector, it has {}", several.join(", ")),
        };
        return Err(CallError::invalid(message)
            .data("field", field)
            .data("selectors", selectors)
            .data("valid_selectors", SELECTORS));
    }
    let selected = found.remove(0);
    check_value(field, &selected)?;
    Ok(selected)
}

/// A selector's value is a string, that of `symbols` a list of strings (or comma text).
fn check_value(field: &str, selected: &Selected) -> Result<(), CallError> {
    let list = selected.selector == "symbols";
    let fits = match &selected.value {
        Value::String(_) => true,
        Value::Array(items) => list && items.iter().all(Value::is_string),
        _ => false,
    };
    if fits {
        return Ok(());
    }
    let name = format!("{field}.{}", selected.selector);
    let expected = if list { "array of string" } else { "string" };
    let article = if list { "an" } else { "a" };
    Err(CallError::invalid(format!("`{name}` must be {article} {expected}, received {}", selected.value))
        .data("field", name)
        .data("received", &selected.value)
        .data("expected_type", expected))
}

/// Whether a value says nothing: `null`, blank text, an empty list or object.
pub(crate) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// An object that came as JSON text, opened; anything else as it came.
fn unpack(value: Value) -> Value {
    if let Value::String(text) = &value
        && text.trim_start().starts_with('{')
        && let Ok(object @ Value::Object(_)) = serde_json::from_str(text)
    {
        return object;
    }
    value
}

/// The fields that are not `null`.
fn present(fields: Map<String, Value>) -> Map<String, Value> {
    fields.into_iter().filter(|(_, value)| !value.is_null()).collect()
}

/// The refusal of a container that is something else.
fn not_an_object(spec: &FacadeSpec, container: Container, received: &Value) -> CallError {
    let key = container.as_str();
    let received_type = json_type(received);
    if container == Container::Arguments && !spec.has_container(Container::Arguments) {
        let mut accepted: Vec<&str> = spec.fields.iter().map(|field| field.name).collect();
        accepted.extend([spec.discriminator_key(), "output"]);
        accepted.sort_unstable();
        return CallError::invalid(format!(
            "`arguments` is the JSON-RPC envelope of the call, not a field of `{}`; pass its fields directly",
            spec.name
        ))
        .data("field", key)
        .data("received_type", received_type)
        .data("accepted_fields", accepted)
        .data("accepted_shape", json!({"operation": "<operation>", "options": {}}));
    }
    CallError::invalid(format!("`{key}` must be an object, received {received_type}"))
        .data("field", key)
        .data("received", received)
        .data("received_type", received_type)
        .data("expected_type", "object")
}

/// The JSON type of a value.
pub(crate) fn json_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
