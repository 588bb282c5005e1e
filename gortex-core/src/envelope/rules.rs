//! Lowering rules that can't be derived from the fields, in one place.
//!
//! The tables name operations; what a rule does is below them. A rule does nothing when the handler lacks the fields that
//! it writes. The lists of field names say where a field sits when it says nothing itself.

use serde_json::{Map, Value};

use super::request::Request;
use super::symbols;
use crate::error::CallError;
use crate::registry::Entry;

/// One rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// `window`, `line`, `start_line`/`end_line` and `start`/`end` become `offset` and `limit`.
    Window,
    /// A boolean argument that is absent gets this value.
    Default(&'static str, bool),
    /// Exactly one set of symbols, wherever it stands, becomes the argument that takes `target.symbols`.
    SymbolSet,
    /// As `SymbolSet`, but another explicit source of the change may stand in its place.
    SymbolSetOrSource,
    /// A set of symbols in `source`, when there is no target, becomes the argument that takes it.
    SymbolsCompat,
    /// The first of the symbols in `source` becomes the argument that takes `target.symbol`.
    FirstSymbol,
    /// The object of this name is dissolved into its fields.
    Dissolve(&'static str),
}

/// The rules of `read`.
pub const READ: &[(&str, Rule)] = &[("file", Rule::Window), ("symbols", Rule::Default("include_source", true))];

/// The rules of `change`.
pub const CHANGE: &[(&str, Rule)] = &[
    ("code_actions", Rule::Dissolve("range")),
    ("contract", Rule::SymbolSetOrSource),
    ("diagnostics", Rule::Dissolve("range")),
    ("edit_plan", Rule::SymbolSet),
    ("guards", Rule::SymbolSet),
    ("impact", Rule::SymbolsCompat),
    ("pattern", Rule::FirstSymbol),
    ("ranges", Rule::Dissolve("range")),
    ("tests", Rule::SymbolSet),
];

/// Operations whose unplaced fields sit in `output`.
pub(crate) const OUTPUT_FALLBACK: &[(&str, &str)] = &[("change", "impact")];

/// Fields that shape the answer.
pub(crate) fn is_output_field(name: &str) -> bool {
    matches!(name, "format" | "max_bytes" | "max_tokens" | "fields" | "compact" | "summary_only" | "cursor" | "paginate")
}

/// Fields that describe the surroundings of what is read.
pub(crate) fn is_context_field(name: &str) -> bool {
    matches!(name, "context_lines" | "max_lines" | "compress_bodies")
}

/// Fields that state what must still hold.
pub(crate) fn is_guard_field(name: &str) -> bool {
    let part = ["etag", "hash", "occurrence"].iter().any(|part| name.contains(part));
    part || name.starts_with("expected_") || name == "base_sha"
}

/// Fields that say where a change comes from.
pub(crate) fn is_source_field(name: &str) -> bool {
    matches!(
        name,
        "diff"
            | "base"
            | "head"
            | "branch"
            | "path"
            | "file"
            | "ranges"
            | "symbols"
            | "changes"
            | "scope"
            | "workspace_edit"
            | "steps"
            | "source"
            | "staged"
    )
}

/// Applies one rule to the flattened arguments.
pub(super) fn apply(rule: Rule, entry: &Entry, request: &Request, flat: &mut Map<String, Value>) -> Result<(), CallError> {
    match rule {
        Rule::Window => window(entry, flat),
        Rule::Default(name, value) => {
            if entry.open_field(name).is_some() && !flat.contains_key(name) {
                flat.insert(name.to_owned(), Value::Bool(value));
            }
            Ok(())
        }
        Rule::SymbolSet => symbols::collect(entry, request, flat, false),
        Rule::SymbolSetOrSource => symbols::collect(entry, request, flat, true),
        Rule::SymbolsCompat => symbols::compat(entry, request, flat),
        Rule::FirstSymbol => symbols::first(entry, request, flat),
        Rule::Dissolve(name) => {
            if !entry.declares(name)
                && let Some(Value::Object(inner)) = flat.shift_remove(name)
            {
                for (key, value) in inner.into_iter().filter(|(_, value)| !value.is_null()) {
                    flat.entry(key).or_insert(value);
                }
            }
            Ok(())
        }
    }
}

/// A line window in any of its spellings, as `offset` and `limit`.
fn window(entry: &Entry, flat: &mut Map<String, Value>) -> Result<(), CallError> {
    if entry.open_field("offset").is_none() || entry.open_field("limit").is_none() {
        return Ok(());
    }
    match flat.shift_remove("window") {
        None => {}
        Some(Value::Object(inner)) => {
            for (key, value) in inner.into_iter().filter(|(_, value)| !value.is_null()) {
                flat.entry(key).or_insert(value);
            }
        }
        Some(other) => {
            return Err(CallError::invalid("`context.window` must be an object with offset, limit or line")
                .data("field", "context.window")
                .data("received", other)
                .data("expected_type", "object"));
        }
    }
    let mut take = |name: &str, other: &str| -> Result<Option<i64>, CallError> {
        let first = flat.shift_remove(name);
        let second = flat.shift_remove(other);
        let Some(value) = first.or(second) else { return Ok(None) };
        line_number(&value).map(Some).ok_or_else(|| {
            CallError::invalid(format!("`context.{name}` must be a line number, received {value}"))
                .data("field", format!("context.{name}"))
                .data("received", &value)
                .data("expected_type", "integer")
        })
    };
    let start = take("start_line", "start")?;
    let end = take("end_line", "end")?;
    let line = take("line", "line")?;
    if let Some(line) = line.filter(|line| *line > 0) {
        flat.insert("offset".into(), Value::from(line));
        flat.entry("limit").or_insert(Value::from(1));
    }
    if start.is_some() || end.is_some() {
        let first = start.unwrap_or(1).max(1);
        flat.insert("offset".into(), Value::from(first));
        if let Some(end) = end {
            flat.insert("limit".into(), Value::from(end.saturating_sub(first).max(0).saturating_add(1)));
        }
    }
    Ok(())
}

/// A line number, as a number or as text.
fn line_number(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number.as_i64().or_else(|| number.as_f64().filter(|n| n.fract() == 0.0).map(|n| n as i64)),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}
