//! Making an answer fit.
//!
//! Lists first, the longest first: a shorter list is still a true list, and a flag says how long it was. When the lists
//! are not what is long, the longest text is cut. Numbers, flags, names and other short texts always stay, even when they
//! alone are over the budget: an answer that lost what it says is none.

use serde_json::Value;

use super::Wire;
use crate::canonical::json_len;

/// A step into a value.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Key(String),
    Item(usize),
}

/// Text no longer than the budget, with a closing line that says so.
pub(super) fn text(text: String, bytes: Option<usize>) -> String {
    let Some(bytes) = bytes.filter(|bytes| text.len() > *bytes) else { return text };
    let note = |kept: usize| format!("\n[cut: {kept} of {} bytes; raise output.max_bytes for more]", text.len());
    let room = bytes.saturating_sub(note(text.len()).len());
    let kept = text.floor_char_boundary(room);
    let mut out = format!("{}{}", &text[..kept], note(kept));
    out.truncate(out.floor_char_boundary(bytes));
    out
}

/// Shortens a value to the budget. The list `kept` was cut to its page already and keeps its rows.
pub(super) fn value(value: &mut Value, bytes: usize, kept: Option<&str>, wire: &Wire<'_>) {
    if let Some(object) = value.as_object_mut() {
        object.insert("_truncated_by_budget".into(), Value::Bool(true));
    }
    for pass in [Pass::Outer, Pass::Texts, Pass::Nested, Pass::AllTexts] {
        loop {
            let over = wire.len(value).saturating_sub(bytes);
            if over == 0 || !step(value, over, kept, pass) {
                break;
            }
        }
    }
}

/// What one round may shorten.
#[derive(Clone, Copy, PartialEq)]
enum Pass {
    /// Lists at the top, unless emptying all of them would not be enough.
    Outer,
    /// Long texts outside lists.
    Texts,
    /// Every list.
    Nested,
    /// Every text.
    AllTexts,
}

/// Shortens the longest thing of a pass by `over` bytes, as far as it is that long; `false` when there is none.
fn step(value: &mut Value, over: usize, kept: Option<&str>, pass: Pass) -> bool {
    let lists = pass == Pass::Outer || pass == Pass::Nested;
    let mut found = Vec::new();
    collect(value, &mut Vec::new(), lists, pass, &mut found);
    found.retain(|(path, _)| !matches!((lists, path.as_slice()), (true, [Step::Key(key)]) if Some(key.as_str()) == kept));
    if pass == Pass::Outer {
        let all: usize = found.iter().map(|(_, size)| size).sum();
        if all < over {
            return false;
        }
    }
    // The longest; of equals the first in document order.
    let Some((path, _)) = found.into_iter().rev().max_by_key(|(_, size)| *size) else { return false };
    if lists { shorten_list(value, &path, over) } else { shorten_text(value, &path, over) }
}

/// Collects what a pass may shorten, with its size.
fn collect(value: &Value, path: &mut Vec<Step>, lists: bool, pass: Pass, found: &mut Vec<(Vec<Step>, usize)>) {
    const SHORT: usize = 64;
    match value {
        Value::Object(fields) => {
            if lists && pass == Pass::Outer && !path.is_empty() {
                return;
            }
            for (key, inner) in fields {
                path.push(Step::Key(key.clone()));
                collect(inner, path, lists, pass, found);
                path.pop();
            }
        }
        Value::Array(items) => {
            if lists && !items.is_empty() && !path.is_empty() {
                found.push((path.clone(), json_len(value)));
            }
            if pass == Pass::Nested || pass == Pass::AllTexts {
                for (at, inner) in items.iter().enumerate() {
                    path.push(Step::Item(at));
                    collect(inner, path, lists, pass, found);
                    path.pop();
                }
            }
        }
        Value::String(text) if !lists && text.len() > SHORT && !is_token(path) => {
            found.push((path.clone(), text.len()));
        }
        _ => {}
    }
}

/// Whether a text is worthless when cut: a key, a digest or the place of something.
fn is_token(path: &[Step]) -> bool {
    const NAMES: [&str; 14] = [
        "next_cursor",
        "etag",
        "id",
        "name",
        "symbol",
        "path",
        "file",
        "file_path",
        "relative_path",
        "from",
        "to",
        "transaction_id",
        "fingerprint",
        "mutation_receipt",
    ];
    matches!(path.last(), Some(Step::Key(key)) if NAMES.contains(&key.as_str()))
}

/// The value at a path.
fn at<'v>(value: &'v mut Value, path: &[Step]) -> Option<&'v mut Value> {
    path.iter().try_fold(value, |value, step| match step {
        Step::Key(key) => value.get_mut(key.as_str()),
        Step::Item(item) => value.get_mut(*item),
    })
}

/// Cuts a list to the longest prefix with which the whole fits; empties it when none does.
fn shorten_list(value: &mut Value, path: &[Step], over: usize) -> bool {
    let name = path.iter().filter_map(|step| if let Step::Key(key) = step { Some(key.as_str()) } else { None });
    let name = name.collect::<Vec<_>>().join(".");
    // The two counts are part of the answer as well.
    let flags = 2 * name.len() + "\"_max_returned_\":,\"_original_count_\":,".len() + 20;
    let Some(Value::Array(list)) = at(value, path) else { return false };
    let count = list.len();
    let mut freed = 0;
    while let Some(item) = list.pop() {
        freed += json_len(&item) + 1;
        if freed >= over + flags {
            break;
        }
    }
    let left = list.len();
    if let Some(object) = value.as_object_mut() {
        object.insert(format!("_max_returned_{name}"), Value::from(left));
        object.entry(format!("_original_count_{name}")).or_insert(Value::from(count));
    }
    true
}

/// Cuts a text so that the whole fits; to a stub when it can't.
fn shorten_text(value: &mut Value, path: &[Step], over: usize) -> bool {
    const FLAG: usize = ",\"content_truncated\":true".len();
    const STUB: usize = 16;
    let over = over + FLAG;
    let Some(slot) = at(value, path) else { return false };
    let before = json_len(slot);
    let Value::String(text) = slot else { return false };
    let goal = before.saturating_sub(over);
    // Escapes make the written text longer than the text: walk characters until the goal is reached.
    let mut written = 2;
    let mut end = 0;
    for (position, character) in text.char_indices() {
        written += written_len(character);
        if written > goal {
            break;
        }
        end = position + character.len_utf8();
    }
    text.truncate(text.floor_char_boundary(end.max(STUB.min(text.len()))));
    if let Some(object) = value.as_object_mut() {
        object.insert("content_truncated".into(), Value::Bool(true));
    }
    true
}

/// How many bytes a character has inside a JSON string.
fn written_len(character: char) -> usize {
    match character {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        character if character < ' ' => 6,
        character => character.len_utf8(),
    }
}
