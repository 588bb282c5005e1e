//! Prompts: a task set out for a model, with what the index knows about it already in place.

use std::collections::BTreeMap;

use gortex_core::CallOutput;
use rmcp::ErrorData;
use rmcp::model::{GetPromptResult, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::{Value, json};

use super::{Asker, failed};

/// Bytes of one embedded answer: a prompt is read before anything was asked.
const PART: usize = 8_000;

struct PromptSpec {
    name: &'static str,
    about: &'static str,
    arguments: &'static [ArgumentSpec],
}

struct ArgumentSpec {
    name: &'static str,
    about: &'static str,
    required: bool,
}

const PROMPTS: &[PromptSpec] = &[
    PromptSpec {
        name: "orientation",
        about: "Get to know the code base before a first task.",
        arguments: &[ArgumentSpec { name: "task", about: "What is to be done, if that is known.", required: false }],
    },
    PromptSpec {
        name: "pre_commit",
        about: "Check the uncommitted changes: what they touch, which tests cover it.",
        arguments: &[ArgumentSpec { name: "scope", about: "unstaged, staged or all; unstaged when left out.", required: false }],
    },
    PromptSpec {
        name: "safe_to_change",
        about: "Decide whether a symbol can be changed safely.",
        arguments: &[ArgumentSpec { name: "symbol", about: "The symbol: an id or a name.", required: true }],
    },
];

/// The prompts.
pub fn list() -> Vec<Prompt> {
    let argument = |spec: &ArgumentSpec| {
        let mut out = PromptArgument::new(spec.name);
        out.description = Some(spec.about.to_owned());
        out.required = Some(spec.required);
        out
    };
    let prompt =
        |spec: &PromptSpec| Prompt::new(spec.name, Some(spec.about), Some(spec.arguments.iter().map(argument).collect()));
    PROMPTS.iter().map(prompt).collect()
}

/// One of them, filled in.
pub async fn get(asker: &Asker<'_>, name: &str, arguments: &BTreeMap<String, Value>) -> Result<GetPromptResult, ErrorData> {
    let spec = PROMPTS.iter().find(|spec| spec.name == name).ok_or_else(|| {
        let names: Vec<&str> = PROMPTS.iter().map(|spec| spec.name).collect();
        ErrorData::invalid_params(format!("there is no prompt `{name}`"), Some(json!({"valid_prompts": names})))
    })?;
    check(spec, arguments)?;
    let text = |name: &str| arguments.get(name).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    let parts = match name {
        "orientation" => orientation(asker, text("task")).await,
        "pre_commit" => pre_commit(asker, text("scope").unwrap_or("unstaged")).await?,
        _ => safe_to_change(asker, text("symbol").unwrap_or_default()).await?,
    };
    let mut out = GetPromptResult::new(vec![PromptMessage::new_text(Role::User, parts.join("\n\n"))]);
    out.description = Some(spec.about.to_owned());
    Ok(out)
}

/// Refuses unknown, malformed and missing arguments.
fn check(spec: &PromptSpec, arguments: &BTreeMap<String, Value>) -> Result<(), ErrorData> {
    let names: Vec<&str> = spec.arguments.iter().map(|argument| argument.name).collect();
    let refuse = |field: &str, what: &str| {
        let data = json!({"field": field, "valid_arguments": names});
        Err(ErrorData::invalid_params(format!("`{field}` of the prompt `{}` {what}", spec.name), Some(data)))
    };
    for (name, value) in arguments {
        if !names.contains(&name.as_str()) {
            return refuse(name, "does not exist");
        }
        if !value.is_string() {
            return refuse(name, "must be a string");
        }
    }
    let blank = |name: &str| arguments.get(name).and_then(Value::as_str).is_none_or(|text| text.trim().is_empty());
    match spec.arguments.iter().find(|argument| argument.required && blank(argument.name)) {
        Some(missing) => refuse(missing.name, "is required"),
        None => Ok(()),
    }
}

/// An answer as a section of a prompt; a failed one says why it is missing.
fn section(title: &str, output: &CallOutput) -> String {
    format!("## {title}\n\n```json\n{}\n```", output.text())
}

fn within(mut arguments: Value) -> Value {
    arguments["output"] = json!({"max_bytes": PART});
    arguments
}

async fn orientation(asker: &Asker<'_>, task: Option<&str>) -> Vec<String> {
    let outline = asker.ask("explore", within(json!({"operation": "outline"}))).await;
    let mut parts = vec![
        "You are about to work in a code base that you don't know. From the outline below say in a few sentences what it does, how it is \
         laid out and where execution starts. Ask `explore`, `search`, `read` and `relations` for what the outline leaves open; read no \
         whole files."
            .to_owned(),
        section("Outline", &outline),
    ];
    if let Some(task) = task {
        let found = asker.ask("explore", within(json!({"operation": "task", "task": task}))).await;
        parts.push(section(&format!("Where the task points: {task}"), &found));
        parts.push("Then name the symbols that the task has to touch, and why.".to_owned());
    }
    parts
}

async fn pre_commit(asker: &Asker<'_>, scope: &str) -> Result<Vec<String>, ErrorData> {
    let detected = asker.ask("change", within(json!({"operation": "detect", "source": {"scope": scope}}))).await;
    if detected.is_error {
        return Err(failed(&detected));
    }
    let mut parts = vec![
        "Review these uncommitted changes before they are committed. Say what each changed symbol means for those that use it, which tests \
         have to run, and what is missing. Claim nothing that the data below or a further call does not show."
            .to_owned(),
        section("What changed", &detected),
    ];
    let symbols = changed(&detected);
    if !symbols.is_empty() {
        let impact = asker.ask("change", within(json!({"operation": "impact", "target": {"symbols": symbols}}))).await;
        parts.push(section("What that reaches", &impact));
        let tests = asker.ask("change", within(json!({"operation": "tests", "target": {"symbols": symbols}}))).await;
        parts.push(section("Tests to run", &tests));
    }
    Ok(parts)
}

/// The ids of changed symbols in an answer of `change.detect`.
fn changed(detected: &CallOutput) -> Vec<String> {
    let gortex_core::Body::Json(body) = &detected.body else { return Vec::new() };
    let rows = body["changed_symbols"].as_array().or_else(|| body["symbols"].as_array());
    let ids = rows.into_iter().flatten().filter_map(|row| row["id"].as_str().or_else(|| row.as_str()));
    ids.take(50).map(str::to_owned).collect()
}

async fn safe_to_change(asker: &Asker<'_>, symbol: &str) -> Result<Vec<String>, ErrorData> {
    let target = json!({"symbol": symbol});
    let source = asker.ask("read", within(json!({"operation": "source", "target": target}))).await;
    if source.error.is_some() {
        return Err(failed(&source));
    }
    let impact = asker.ask("change", within(json!({"operation": "impact", "target": target}))).await;
    let usages = asker.ask("relations", within(json!({"operation": "usages", "target": target}))).await;
    let tests = asker.ask("change", within(json!({"operation": "tests", "target": {"symbols": [symbol]}}))).await;
    Ok(vec![
        format!(
            "Is it safe to change `{symbol}`? Decide from its source, its usages and what a change reaches: name callers that depend on the \
             present behaviour, whether tests cover them, and what would have to change with it. Mentions that could not be bound are \
             counted below; they are possible callers."
        ),
        section("Source", &source),
        section("Usages", &usages),
        section("What a change reaches", &impact),
        section("Tests", &tests),
    ])
}
