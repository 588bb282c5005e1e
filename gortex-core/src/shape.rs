//! Shaping: an answer bounded in bytes, cut into pages, reduced to the fields asked for, written in the form asked for.
//!
//! Happens after the handler and before the wire, the same way for every operation. A cut is always said: flags name what
//! was returned of how many, and a cursor leads to the rest where the answer names its rows. What leaves is measured as it
//! leaves, so the bound holds for the bytes and not for an estimate.
//!
//! Knows nothing of what the rows are, but for `nodes` and `edges`: a page of edges keeps the nodes it speaks of.

mod fit;
mod format;
mod page;
mod plain;
mod toon;

use serde_json::{Map, Value, json};

use crate::error::CallError;
use crate::extract::coerce;
use crate::reply::{Body, Reply};

pub use format::Format;
pub(crate) use format::Wire;

/// Bytes of payload when the caller says nothing.
pub const DEFAULT_BYTES: usize = 40_000;

/// The controls that every operation takes, in the order of documentation.
const CONTROLS: [&str; 8] = ["format", "max_bytes", "max_tokens", "limit", "cursor", "fields", "paginate", "compact"];

/// Whether a field shapes the answer.
pub(crate) fn is_control(name: &str) -> bool {
    CONTROLS.contains(&name)
}

/// Whether a field says which part of an answer is meant, and not which answer.
pub(crate) fn is_paging(name: &str) -> bool {
    matches!(name, "cursor" | "max_bytes" | "max_tokens" | "paginate")
}

/// The public schema of the controls.
pub(crate) fn control_schema(name: &str) -> Option<Value> {
    Some(match name {
        "format" => format::schema(),
        "max_bytes" => json!({"type": "integer", "description": "Size of the answer; 0 lifts the bound."}),
        "max_tokens" => json!({"type": "integer", "description": "Size of the answer in tokens of 3.5 bytes."}),
        "limit" => json!({"type": "integer", "description": "Rows of one page."}),
        "cursor" => json!({"type": "string", "description": "`next_cursor` of the answer before."}),
        "fields" => json!({"type": "string", "description": "Keys of rows to keep, separated by commas."}),
        "paginate" => json!({"type": "boolean", "description": "Cut pages at the default size."}),
        _ => return None,
    })
}

/// Adds the forms of the wire to the forms that a handler has itself.
pub(crate) fn add_formats(schema: &mut Value) {
    if let Some(forms) = schema.get_mut("enum").and_then(Value::as_array_mut) {
        for form in Format::ALL.map(|form| Value::from(form.as_str())) {
            if form != "json" && !forms.contains(&form) {
                forms.push(form);
            }
        }
    }
}

/// How many bytes an answer may have; `None` when the caller opted out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The bound.
    pub bytes: Option<usize>,
}

impl Default for Budget {
    fn default() -> Self {
        Self { bytes: Some(DEFAULT_BYTES) }
    }
}

/// The shaping part of a request.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Controls {
    pub budget: Budget,
    pub fields: Vec<String>,
    pub cursor: Option<String>,
    pub limit: Option<usize>,
    /// The form asked for, if one was.
    pub format: Option<Format>,
    /// Whether the handler knows the form that was asked for, so that it is an argument of its own.
    pub own_format: bool,
    /// The control that bounds the answer and its value.
    pub bound: Option<(&'static str, i64)>,
}

impl Controls {
    /// Takes the controls out of flattened arguments. What the handler declares stays its own, but for the byte bounds,
    /// which hold in any case.
    pub(crate) fn take(flat: &mut Map<String, Value>, declares: impl Fn(&str) -> bool) -> Result<Self, CallError> {
        let bytes = integer(flat, "max_bytes")?;
        let tokens = integer(flat, "max_tokens")?;
        let mut budget = budget(bytes, tokens);
        if flag(flat, "paginate")? {
            budget.bytes = Some(budget.bytes.map_or(DEFAULT_BYTES, |bytes| bytes.min(DEFAULT_BYTES)));
        }
        let bound = match (bytes.filter(|bytes| *bytes > 0), tokens.filter(|tokens| *tokens > 0)) {
            (Some(bytes), Some(tokens)) if tokens.saturating_mul(7) / 2 >= bytes => Some(("max_bytes", bytes)),
            (_, Some(tokens)) => Some(("max_tokens", tokens)),
            (Some(bytes), None) => Some(("max_bytes", bytes)),
            (None, None) => None,
        };
        let (format, own_format) = format_of(flat, declares("format"))?;
        let mut own = |name: &str| if declares(name) { None } else { flat.shift_remove(name) };
        let fields = match own("fields") {
            Some(value) => strings(&value)?,
            None => Vec::new(),
        };
        let cursor = match own("cursor") {
            Some(Value::String(cursor)) if cursor.trim().is_empty() => None,
            Some(Value::String(cursor)) => Some(cursor),
            Some(other) => return Err(page::bad_cursor(&other.to_string())),
            None => None,
        };
        let limit = match own("limit") {
            Some(value) => {
                let schema = json!({"type": "integer"});
                let limit = coerce(&value, &schema).map_err(|mismatch| mismatch.into_error("output.limit"))?;
                limit.as_u64().map(|limit| limit as usize).filter(|limit| *limit > 0)
            }
            None => None,
        };
        Ok(Self { budget, fields, cursor, limit, format, own_format, bound })
    }
}

/// The form asked for, taken out of the arguments. A handler with forms of its own (drawings, briefings) keeps those; what it
/// is not likely to know is the wire's.
fn format_of(flat: &mut Map<String, Value>, declared: bool) -> Result<(Option<Format>, bool), CallError> {
    let Some(asked) = flat.get("format").filter(|asked| !asked.is_null()) else { return Ok((None, false)) };
    let known = asked.as_str().and_then(Format::parse);
    match known {
        Some(Format::Json) | None if declared => Ok((Some(Format::Json), true)),
        Some(format) => {
            flat.shift_remove("format");
            Ok((Some(format), false))
        }
        None => Err(match coerce(asked, &format::schema()) {
            Err(mismatch) => mismatch.into_error("output.format"),
            Ok(_) => CallError::invalid("the format is none of this server's").data("field", "output.format"),
        }),
    }
}

/// The tighter of two bounds; zero or less opts out of its axis, and none at all is the default.
fn budget(bytes: Option<i64>, tokens: Option<i64>) -> Budget {
    if bytes.is_none() && tokens.is_none() {
        return Budget::default();
    }
    let bytes = bytes.and_then(|bytes| usize::try_from(bytes).ok()).filter(|bytes| *bytes > 0);
    let tokens = tokens.and_then(|tokens| usize::try_from(tokens).ok()).filter(|tokens| *tokens > 0);
    let tokens = tokens.map(|tokens| tokens.saturating_mul(7) / 2);
    Budget { bytes: bytes.into_iter().chain(tokens).min() }
}

/// An integer control, in any of the forms in which hosts send one.
fn integer(flat: &Map<String, Value>, name: &str) -> Result<Option<i64>, CallError> {
    let Some(value) = flat.get(name).filter(|value| !value.is_null()) else { return Ok(None) };
    let value = coerce(value, &json!({"type": "integer"})).map_err(|m| m.into_error(&format!("output.{name}")))?;
    Ok(value.as_i64().or(Some(i64::MAX)))
}

/// A boolean control.
fn flag(flat: &Map<String, Value>, name: &str) -> Result<bool, CallError> {
    let Some(value) = flat.get(name).filter(|value| !value.is_null()) else { return Ok(false) };
    let value = coerce(value, &json!({"type": "boolean"})).map_err(|m| m.into_error(&format!("output.{name}")))?;
    Ok(value == Value::Bool(true))
}

/// A list of keys.
fn strings(value: &Value) -> Result<Vec<String>, CallError> {
    let schema = json!({"type": "array", "items": {"type": "string"}});
    let list = coerce(value, &schema).map_err(|mismatch| mismatch.into_error("output.fields"))?;
    Ok(list.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect())
}

/// A shaped answer.
#[derive(Debug)]
pub(crate) struct Shaped {
    pub body: Body,
    /// The text of a JSON body in another form.
    pub written: Option<String>,
    pub meta: Map<String, Value>,
}

/// Shapes an answer. `request` is what the answer is an answer to, without paging; `wire` is how it is written.
pub(crate) fn shape(
    controls: &Controls,
    wire: &Wire<'_>,
    operation: &str,
    request: &Map<String, Value>,
    reply: Reply,
) -> Result<Shaped, CallError> {
    let wire = &Wire { bound: controls.bound, ..*wire };
    let Reply { body, rows, page, generation, meta } = reply;
    let paged = Controls { limit: controls.limit.or(page), ..controls.clone() };
    let controls = &paged;
    let body = match body {
        Body::Text(text) => {
            if let Some(cursor) = &controls.cursor {
                return Err(page::bad_cursor(cursor));
            }
            Body::Text(fit::text(text, controls.budget.bytes))
        }
        Body::Json(value) => {
            let rows = rows.filter(|key| value.get(*key).is_some_and(Value::is_array));
            let stamp = rows.map(|_| page::Stamp::new(operation, request, &controls.fields, generation));
            let links = page::Links::of(&value, rows);
            let value = project(value, &controls.fields)?;
            let (mut value, kept) = match (rows, stamp) {
                (Some(key), Some(stamp)) => (page::cut(value, key, &links, controls, wire, &stamp)?, Some(key)),
                _ => match &controls.cursor {
                    Some(cursor) => return Err(page::bad_cursor(cursor)),
                    None => (value, None),
                },
            };
            if let Some(bytes) = controls.budget.bytes
                && wire.len(&value) > bytes
            {
                fit::value(&mut value, bytes, kept, wire);
            }
            Body::Json(value)
        }
    };
    let written = match &body {
        Body::Json(value) => wire.write(value),
        Body::Text(_) => None,
    };
    Ok(Shaped { body, written, meta })
}

/// Keeps the named keys in the rows of every top-level list whose rows have any of them.
fn project(mut body: Value, fields: &[String]) -> Result<Value, CallError> {
    if fields.is_empty() {
        return Ok(body);
    }
    let Some(object) = body.as_object_mut() else { return Ok(body) };
    let (mut known, mut rows) = (Vec::<String>::new(), 0_usize);
    for row in object.values().filter_map(Value::as_array).flatten().filter_map(Value::as_object) {
        rows += 1;
        for key in row.keys() {
            if !known.contains(key) {
                known.push(key.clone());
            }
        }
    }
    if rows == 0 {
        return Ok(body);
    }
    if let Some(unknown) = fields.iter().find(|field| !known.contains(field)) {
        known.sort();
        return Err(CallError::invalid(format!("no row has a key `{unknown}`; keys: {}", known.join(", ")))
            .data("field", "output.fields")
            .data("received", unknown)
            .data("valid_values", known));
    }
    for list in object.values_mut().filter_map(Value::as_array_mut) {
        let has = |row: &Value| fields.iter().any(|field| row.get(field).is_some());
        if !list.iter().any(has) {
            continue;
        }
        for row in list.iter_mut().filter_map(Value::as_object_mut) {
            row.retain(|key, _| fields.iter().any(|field| field == key));
        }
    }
    Ok(body)
}

#[cfg(test)]
mod tests;
