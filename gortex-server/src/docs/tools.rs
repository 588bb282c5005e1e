//! `docs/tools.md`: every facade and operation, its effect, arguments and an example.

use std::fmt::Write as _;

use gortex_core::{Registry, capabilities_of, tool_definitions};
use serde_json::{Map, Value};

use super::{COMMAND, cell, keep, registry};

fn page(registry: &Registry) -> String {
    let mut out = format!(
        "# The tools\n\nWritten from the registry by a test: `{COMMAND}`. `capabilities(domain, operation, detail=\"schema\")` says the \
         same to a client.\n\nEvery tool also takes `output` with `format`, `max_bytes`, `max_tokens`, `limit`, `cursor` and `fields`. A \
         `target` (or `to`) has exactly one selector: `file`, `symbol`, `symbols`, `query`, `artifact` or `repo`.\n"
    );
    for tool in tool_definitions(registry) {
        let entry = capabilities_of(registry, &tool.name, None, true);
        let Some(spec) = registry.facade(&tool.name) else { continue };
        let open = if spec.open_world { ", may reach the network or a model" } else { "" };
        let _ = write!(out, "\n## {}\n\n{} Effect: `{}`{open}.\n", tool.name, tool.description, spec.effect);
        if let Some(default) = spec.default_operation {
            let _ = writeln!(out, "Without `{}` it is `{default}`.", spec.discriminator_key());
        }
        for operation in entry["operations"].as_array().into_iter().flatten() {
            section(&mut out, &tool.name, operation);
        }
    }
    out
}

fn section(out: &mut String, tool: &str, operation: &Value) {
    let name = operation["operation"].as_str().unwrap_or_default();
    let _ = write!(out, "\n### {tool}.{name}\n\n{}\n", operation["summary"].as_str().unwrap_or_default());
    if let Some(fixed) = operation["fixed_arguments"].as_object() {
        let fixed: Vec<String> = fixed.iter().map(|(key, value)| format!("`{key}` = `{value}`")).collect();
        let _ = write!(out, "\nFixed by the server: {}.\n", fixed.join(", "));
    }
    let Some(schema) = operation.get("input_schema") else { return };
    let rows = arguments(schema);
    if !rows.is_empty() {
        out.push_str("\n| argument | type | |\n|---|---|---|\n");
        out.extend(rows);
    }
    let _ = write!(out, "\n```json\n{}\n```\n", operation["request_shape"]);
}

/// The arguments of a public schema, containers opened one level, without those that every operation takes.
fn arguments(schema: &Value) -> Vec<String> {
    let mut rows = Vec::new();
    for (name, field) in properties(schema) {
        let required = is_required(schema, name);
        let inner = properties(field);
        if inner.clone().next().is_none() {
            if field.get("const").is_none() && name != "output" {
                rows.push(row(name, field, required));
            }
            continue;
        }
        for (key, value) in inner.filter(|_| name != "output") {
            rows.push(row(&format!("{name}.{key}"), value, required && is_required(field, key)));
        }
    }
    rows
}

fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> + Clone {
    schema.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::iter)
}

fn is_required(schema: &Value, name: &str) -> bool {
    schema.get("required").and_then(Value::as_array).is_some_and(|names| names.iter().any(|other| other == name))
}

fn row(name: &str, schema: &Value, required: bool) -> String {
    let about = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    let mark = if required { "**required** " } else { "" };
    format!("| `{name}` | {} | {mark}{} |\n", cell(&kind(schema)), cell(about))
}

/// The type in words.
fn kind(schema: &Value) -> String {
    if let Some(words) = schema.get("enum").and_then(Value::as_array) {
        return words
            .iter()
            .map(|word| word.as_str().map_or_else(|| word.to_string(), str::to_owned))
            .collect::<Vec<_>>()
            .join(", ");
    }
    match schema.get("type") {
        Some(Value::String(name)) if name == "array" => format!("list of {}", kind(&schema["items"])),
        Some(Value::String(name)) => name.clone(),
        Some(Value::Array(names)) => {
            names.iter().filter_map(Value::as_str).filter(|name| *name != "null").collect::<Vec<_>>().join(" or ")
        }
        _ => {
            let branches = schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Value::as_array);
            branches.map_or_else(|| "any".to_owned(), |all| all.iter().map(kind).collect::<Vec<_>>().join(" or "))
        }
    }
}

#[test]
fn the_page_of_tools_is_current() {
    keep("tools.md", &page(&registry()));
}

#[test]
fn every_operation_has_its_section() {
    let registry = registry();
    let page = page(&registry);
    for facade in registry.surface().facades {
        for name in registry.operation_names(facade) {
            assert!(page.contains(&format!("\n### {}.{name}\n", facade.name)), "{}.{name}", facade.name);
        }
    }
}
