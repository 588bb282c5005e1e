//! The last large answers of a session, so that they can be looked at again without asking again.
//!
//! Bounded twice: by number and by bytes; the oldest leaves first. JSON is laid out in lines before it is kept, because lines are
//! what the reading operations work on.
//!
//! Knows texts and lines, not what they say.

use std::collections::VecDeque;
use std::time::SystemTime;

/// How many answers are kept.
const ENTRIES: usize = 8;
/// How many bytes they may have together.
const BYTES: usize = 8 << 20;
/// Smaller answers are not worth looking at again.
const LEAST: usize = 1024;
/// Legacy names whose answers quote buffered ones, which would push out what they quote.
pub(crate) const QUOTING: [&str; 6] = ["ctx_stats", "ctx_peek", "ctx_slice", "ctx_grep", "grep_results", "head_results"];

/// One answer.
#[derive(Clone, Debug)]
pub struct Buffered {
    /// Its handle.
    pub id: String,
    /// The canonical tool that gave it.
    pub tool: String,
    /// When.
    pub at: SystemTime,
    /// The text, laid out in lines.
    pub text: String,
}

/// Why there is no such answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RingError {
    /// Nothing has been kept.
    #[error("no tool responses are buffered in this session yet")]
    Empty,
    /// Something has, but not under this handle.
    #[error("no buffered response with id `{0}`; buffered: {1}")]
    Unknown(String, String),
}

/// The answers of one session.
#[derive(Debug, Default)]
pub struct Ring {
    entries: VecDeque<Buffered>,
    bytes: usize,
    given: u64,
}

impl Ring {
    /// Keeps an answer if it is one to keep. `json` says that the text is known to be JSON.
    pub fn capture(&mut self, tool: &str, text: &str, json: bool, at: SystemTime) {
        if text.len() < LEAST || text.len() > BYTES || QUOTING.contains(&tool) {
            return;
        }
        let is_json = || text.starts_with(['{', '[']) && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
        let text = if json || is_json() { laid_out(text) } else { text.to_owned() };
        if text.len() > BYTES {
            return;
        }
        self.given += 1;
        self.bytes += text.len();
        self.entries.push_back(Buffered { id: format!("resp_{}", self.given), tool: tool.to_owned(), at, text });
        while self.entries.len() > ENTRIES || self.bytes > BYTES {
            match self.entries.pop_front() {
                Some(oldest) => self.bytes -= oldest.text.len(),
                None => break,
            }
        }
    }

    /// All answers, newest first.
    pub fn all(&self) -> impl Iterator<Item = &Buffered> {
        self.entries.iter().rev()
    }

    /// The answer of a handle; an empty one or `latest` means the newest.
    pub fn get(&self, id: &str) -> Result<&Buffered, RingError> {
        let id = id.trim();
        let newest = self.entries.back().ok_or(RingError::Empty)?;
        if id.is_empty() || id == "latest" {
            return Ok(newest);
        }
        let known = || self.all().map(|entry| entry.id.as_str()).collect::<Vec<_>>().join(", ");
        self.entries.iter().find(|entry| entry.id == id).ok_or_else(|| RingError::Unknown(id.to_owned(), known()))
    }

    /// How many bytes the kept texts have.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

/// JSON laid out with two spaces a level.
fn laid_out(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 2);
    let mut depth = 0_usize;
    let mut rest = text;
    // Everything that is neither a text nor one of these signs is copied as it stands.
    while let Some(at) = rest.find(['"', '{', '[', '}', ']', ',', ':', ' ', '\n', '\r', '\t']) {
        out.push_str(&rest[..at]);
        let sign = rest.as_bytes()[at];
        rest = &rest[at + 1..];
        match sign {
            b'"' => {
                let end = end_of_text(rest);
                out.push('"');
                out.push_str(&rest[..end]);
                rest = &rest[end..];
            }
            b'{' | b'[' if rest.trim_start().starts_with(['}', ']']) => {
                out.push(sign as char);
                rest = rest.trim_start();
                out.push_str(&rest[..1]);
                rest = &rest[1..];
            }
            b'{' | b'[' => {
                depth += 1;
                out.push(sign as char);
                new_line(&mut out, depth);
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                new_line(&mut out, depth);
                out.push(sign as char);
            }
            b',' => {
                out.push(',');
                new_line(&mut out, depth);
            }
            b':' => out.push_str(": "),
            _ => {}
        }
    }
    out.push_str(rest);
    out
}

fn new_line(out: &mut String, depth: usize) {
    out.push('\n');
    (0..depth).for_each(|_| out.push_str("  "));
}

/// Where a JSON text ends, its closing quote included; `rest` begins after the opening one.
fn end_of_text(rest: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in rest.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: SystemTime = SystemTime::UNIX_EPOCH;

    fn text(letter: char, bytes: usize) -> String {
        letter.to_string().repeat(bytes)
    }

    #[test]
    fn the_oldest_of_nine_leaves_and_numbers_are_not_used_twice() {
        let mut ring = Ring::default();
        for at in 0..9_u8 {
            ring.capture("search_symbols", &text(char::from(b'a' + at), LEAST), false, NOW);
        }
        let ids: Vec<&str> = ring.all().map(|entry| entry.id.as_str()).collect();
        assert_eq!(ids, ["resp_9", "resp_8", "resp_7", "resp_6", "resp_5", "resp_4", "resp_3", "resp_2"]);
        assert!(ring.get("").is_ok_and(|entry| entry.id == "resp_9"));
        assert!(ring.get(" latest ").is_ok_and(|entry| entry.id == "resp_9"));
        assert!(ring.get("resp_1").is_err_and(|error| error.to_string().starts_with("no buffered response with id `resp_1`")));
    }

    #[test]
    fn the_bytes_are_bounded_together_and_alone() {
        let mut ring = Ring::default();
        for letter in ['a', 'b', 'c'] {
            ring.capture("read_file", &text(letter, 3 << 20), false, NOW);
        }
        assert_eq!((ring.all().count(), ring.bytes()), (2, 6 << 20));
        ring.capture("read_file", &text('d', BYTES + 1), false, NOW);
        assert_eq!(ring.all().count(), 2);
    }

    #[test]
    fn small_answers_and_quotations_are_not_kept() {
        let mut ring = Ring::default();
        ring.capture("read_file", &text('a', LEAST - 1), false, NOW);
        for tool in QUOTING {
            ring.capture(tool, &text('a', LEAST), false, NOW);
        }
        assert_eq!(ring.get("latest").map(|entry| entry.id.clone()), Err(RingError::Empty));
    }

    #[test]
    fn json_is_laid_out_as_the_usual_writer_does_it() {
        for value in [
            serde_json::json!({"a": [1, {"b": "x, {y}: [\"z\\"}, [], {}], "é": null}),
            serde_json::json!([[], [[]], {"a": {}}, "\\", 1.5e300]),
        ] {
            assert_eq!(Some(laid_out(&value.to_string())), serde_json::to_string_pretty(&value).ok());
        }
        assert_eq!(laid_out("{\"a\" : [ ] ,\n \"b\":1 }"), "{\n  \"a\": [],\n  \"b\": 1\n}");
    }

    #[test]
    fn what_only_looks_like_json_is_kept_as_it_is() {
        let mut ring = Ring::default();
        for text in [format!("{{{}", text('a', LEAST)), format!("GCX1 {}", text('a', LEAST))] {
            ring.capture("read_file", &text, false, NOW);
            assert_eq!(ring.get("").map(|entry| entry.text.clone()), Ok(text));
        }
    }
}
