//! The parse gate: a write may not add syntax errors, and may not turn text into something with NUL bytes.
//!
//! How errors are counted is the caller's business, given as a closure; this file only compares two counts.

use super::EditError;
use serde::{Deserialize, Serialize};

/// How many syntax errors a text has in its language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SyntaxHealth {
    /// The name of the language.
    pub language: &'static str,
    /// How many errors its parser reports.
    pub errors: u32,
}

/// Counts the syntax errors of bytes that stand at a repo-relative path; `None` for a language without a grammar.
pub type GateFn<'a> = &'a (dyn Fn(&str, &[u8]) -> Option<SyntaxHealth> + Sync);

/// What the gate saw. Present in an answer when there is something to say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParseGate {
    /// The language, when it has a grammar.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub language: Option<String>,
    /// Errors before.
    pub old_errors: u32,
    /// Errors after.
    pub new_errors: u32,
    /// True when the write is refused.
    pub blocked: bool,
    /// True when text gets NUL bytes.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub became_binary: bool,
    /// True when it would be refused, had the caller not allowed it.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub overridden: bool,
}

/// Compares before and after. `before` is `None` for a new file, which may not have any error.
pub(super) fn judge(
    gate: Option<GateFn<'_>>,
    rel: &str,
    before: Option<&[u8]>,
    after: &[u8],
    allowed: bool,
) -> Option<ParseGate> {
    let became_binary = has_nul(after) && !before.is_some_and(has_nul);
    let new = gate.and_then(|count| count(rel, after));
    let old = new.and_then(|_| before.and_then(|bytes| gate.and_then(|count| count(rel, bytes))));
    let (old_errors, new_errors) = (old.map_or(0, |health| health.errors), new.map_or(0, |health| health.errors));
    if !became_binary && old_errors == 0 && new_errors == 0 {
        return None;
    }
    let worse = became_binary || new_errors > old_errors;
    Some(ParseGate {
        language: new.map(|health| health.language.to_owned()),
        old_errors,
        new_errors,
        blocked: worse && !allowed,
        became_binary,
        overridden: worse && allowed,
    })
}

/// Turns a blocking verdict into the error of a real run.
pub(super) fn enforce(path: &str, gate: Option<&ParseGate>) -> Result<(), EditError> {
    match gate {
        Some(gate) if gate.blocked => Err(EditError::ParseBlocked { path: path.to_owned(), gate: gate.clone() }),
        _ => Ok(()),
    }
}

fn has_nul(bytes: &[u8]) -> bool {
    memchr::memchr(0, bytes).is_some()
}

#[cfg(test)]
mod tests {
    use super::super::testing::marks;
    use super::*;

    #[track_caller]
    fn check(before: Option<&str>, after: &str, allowed: bool, expected: Option<(u32, u32, bool, bool)>) {
        let verdict = judge(Some(&marks), "a.q", before.map(str::as_bytes), after.as_bytes(), allowed);
        let short = verdict.map(|gate| (gate.old_errors, gate.new_errors, gate.blocked, gate.overridden));
        assert_eq!(short, expected);
    }

    #[test]
    fn more_errors_block() {
        check(Some("a?"), "a??", false, Some((1, 2, true, false)));
        check(None, "?", false, Some((0, 1, true, false)));
    }

    #[test]
    fn as_many_errors_pass() {
        check(Some("?"), "b?", false, Some((1, 1, false, false)));
        check(Some("?"), "", false, Some((1, 0, false, false)));
        check(Some("a"), "b", false, None);
    }

    #[test]
    fn an_allowed_fault_is_said_to_be_overridden() {
        check(Some("a"), "a?", true, Some((0, 1, false, true)));
    }

    #[test]
    fn text_does_not_become_binary_even_without_a_grammar() {
        let gate = judge(None, "a.txt", Some(b"a"), b"a\0", false).expect("there is something to say");
        assert!(gate.blocked && gate.became_binary);
        assert_eq!(judge(None, "a.bin", Some(b"\0"), b"b\0", false), None);
    }
}
