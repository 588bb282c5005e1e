//! Tool definitions: what `tools/list` carries.
//!
//! The public ones come from the facade table and the registry's names; they are the same for every session and small on
//! purpose, since every session pays for them on every turn. The legacy ones come from the argument structs.

use serde_json::{Map, Value, json};

use super::{Discriminator, FacadeSpec, FieldKind};
use crate::effect::Effect;
use crate::registry::Registry;

/// The behaviour hints of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Annotations {
    /// The tool changes nothing.
    pub read_only: bool,
    /// The tool can destroy something.
    pub destructive: bool,
    /// The same call twice does what it does once.
    pub idempotent: bool,
    /// The tool may reach the network or a model.
    pub open_world: bool,
}

impl Annotations {
    /// The hints that follow from an effect.
    pub const fn of(effect: Effect, open_world: bool) -> Self {
        Self {
            read_only: matches!(effect, Effect::Read),
            destructive: effect.is_mutating(),
            idempotent: matches!(effect, Effect::Read),
            open_world,
        }
    }

    /// The hints as the protocol spells them. `idempotentHint` is left out: a reader's means nothing there, and for
    /// everything else its default is ours.
    pub fn to_value(self) -> Value {
        json!({
            "readOnlyHint": self.read_only,
            "destructiveHint": self.destructive,
            "openWorldHint": self.open_world,
        })
    }
}

/// One tool of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolDef {
    /// The name.
    pub name: String,
    /// The description.
    pub description: String,
    /// The input schema.
    pub input_schema: Map<String, Value>,
    /// The hints.
    pub annotations: Annotations,
    /// Whether hosts that defer tools are asked not to defer this one.
    pub always_load: bool,
}

impl ToolDef {
    /// The tool as `tools/list` carries it.
    pub fn to_value(&self) -> Value {
        let mut out = json!({
            "name": self.name,
            "description": self.description,
            "inputSchema": self.input_schema,
            "annotations": self.annotations.to_value(),
        });
        if let Some(meta) = self.meta() {
            out["_meta"] = Value::Object(meta);
        }
        out
    }

    /// The tool's `_meta`.
    pub fn meta(&self) -> Option<Map<String, Value>> {
        self.always_load.then(|| Map::from_iter([("anthropic/alwaysLoad".to_owned(), Value::Bool(true))]))
    }
}

/// The public tools, sorted by name.
pub fn tool_definitions(registry: &Registry) -> Vec<ToolDef> {
    let mut out: Vec<ToolDef> = registry.surface().facades.iter().map(|facade| definition(registry, facade)).collect();
    out.sort_by(|a, b| a.name.cmp(&b.name));
    out
}

/// One public tool.
fn definition(registry: &Registry, facade: &FacadeSpec) -> ToolDef {
    ToolDef {
        name: facade.name.to_owned(),
        description: facade.summary.to_owned(),
        input_schema: static_schema(registry, facade),
        annotations: Annotations::of(facade.effect, facade.open_world),
        always_load: facade.always_load,
    }
}

/// The static input schema of a public tool.
pub(crate) fn static_schema(registry: &Registry, facade: &FacadeSpec) -> Map<String, Value> {
    let mut properties = Map::new();
    match facade.discriminator {
        Discriminator::Operation | Discriminator::Kind => {
            let key = facade.discriminator_key();
            properties.insert(key.to_owned(), json!({"type": "string", "description": operation_text(registry, facade)}));
        }
        Discriminator::Quiet | Discriminator::Catalogue => {}
    }
    for field in facade.fields {
        let mut schema = match field.kind {
            FieldKind::Text => json!({"type": "string"}),
            FieldKind::Flag => json!({"type": "boolean"}),
            FieldKind::Object => json!({"type": "object"}),
            FieldKind::Objects => json!({"type": "array", "items": {"type": "object"}}),
            FieldKind::Target => target_schema(),
        };
        if !field.about.is_empty() {
            schema["description"] = field.about.into();
        }
        properties.insert(field.name.to_owned(), schema);
    }
    properties.insert("output".into(), json!({"type": "object"}));
    let required: Vec<&str> = facade.fields.iter().filter(|field| field.required).map(|field| field.name).collect();
    let mut schema = Map::new();
    schema.insert("type".into(), "object".into());
    schema.insert("properties".into(), Value::Object(properties));
    if !required.is_empty() {
        schema.insert("required".into(), required.into());
    }
    schema
}

/// The names of the operations, the default first.
fn operation_text(registry: &Registry, facade: &FacadeSpec) -> String {
    let names = registry.operation_names(facade);
    let shown: Vec<&str> =
        names.iter().map(String::as_str).filter(|name| facade.featured.is_empty() || facade.featured.contains(name)).collect();
    let more = if shown.len() < names.len() { ", ...; empty lists all" } else { "" };
    format!("{}{more}", shown.join(", "))
}

/// The closed schema of a target.
fn target_schema() -> Value {
    let mut properties = Map::new();
    for selector in super::SELECTORS {
        let schema =
            if selector == "symbols" { json!({"type": "array", "items": {"type": "string"}}) } else { json!({"type": "string"}) };
        properties.insert(selector.to_owned(), schema);
    }
    json!({
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
        "minProperties": 1,
        "maxProperties": 1,
    })
}

/// The legacy tools that are registered, sorted by name.
pub fn legacy_definitions(registry: &Registry) -> Vec<ToolDef> {
    registry.legacy_names().map(|name| legacy_definition(registry, name)).collect()
}

/// One legacy tool: the union of what its meanings take, required where all of them require it.
fn legacy_definition(registry: &Registry, name: &str) -> ToolDef {
    let meanings = registry.legacy(name);
    let mut properties = Map::new();
    let mut required: Option<Vec<String>> = None;
    for entry in meanings {
        let schema = entry.legacy_schema();
        for (key, value) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            properties.entry(key.as_str()).or_insert_with(|| value.clone());
        }
        let mine: Vec<String> = entry.required().into_iter().map(str::to_owned).collect();
        required = Some(match required {
            None => mine,
            Some(others) => others.into_iter().filter(|key| mine.contains(key)).collect(),
        });
    }
    let mut schema = Map::new();
    schema.insert("type".into(), "object".into());
    schema.insert("properties".into(), Value::Object(properties));
    if let Some(required) = required.filter(|required| !required.is_empty()) {
        schema.insert("required".into(), required.into());
    }
    // A legacy-only variant is the widest meaning and describes the tool best.
    let described = meanings.iter().max_by_key(|entry| entry.operation.legacy_only.is_some());
    let worst = meanings.iter().map(|entry| entry.operation.effect).max().unwrap_or(Effect::Read);
    let open_world = meanings.iter().any(|entry| entry.spec.is_some_and(|spec| spec.open_world));
    ToolDef {
        name: name.to_owned(),
        description: described.map(|entry| entry.operation.summary).unwrap_or_default().to_owned(),
        input_schema: schema,
        annotations: Annotations::of(worst, open_world),
        always_load: false,
    }
}

#[cfg(test)]
mod tests;
