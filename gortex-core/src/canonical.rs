//! Canonical JSON, its hash, and opaque tokens.
//!
//! Sorted keys and no whitespace, so that equal values have equal bytes on every platform and in every order of
//! insertion. Tokens are base64url without padding: safe in a URL, a shell and a JSON string.

use std::fmt::Write as _;
use std::io;

use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// JSON with sorted keys and without whitespace.
pub(crate) fn canonical(value: &Value) -> String {
    let mut out = String::new();
    write(value, &mut out);
    out
}

/// Appends one value.
fn write(value: &Value, out: &mut String) {
    match value {
        Value::Object(fields) => {
            let mut keys: Vec<&String> = fields.keys().collect();
            keys.sort();
            out.push('{');
            for (at, key) in keys.into_iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                out.push_str(&Value::from(key.as_str()).to_string());
                out.push(':');
                write(&fields[key], out);
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write(item, out);
            }
            out.push(']');
        }
        scalar => out.push_str(&scalar.to_string()),
    }
}

/// Lower-case hexadecimal SHA-256.
pub fn sha256(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        let _ = write!(out, "{byte:02x}");
    }
    out
}

/// The length of a value as JSON without whitespace, without building the text.
pub(crate) fn json_len(value: &Value) -> usize {
    let mut counter = Counter(0);
    // Writing to a counter can't fail, and a `Value` has only string keys.
    let _ = serde_json::to_writer(&mut counter, value);
    counter.0
}

/// Counts bytes.
struct Counter(usize);

impl io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Text as an opaque token.
pub(crate) fn token(text: &str) -> String {
    let mut out = String::new();
    for chunk in text.as_bytes().chunks(3) {
        let mut bits = 0_u32;
        for at in 0..3 {
            bits = bits << 8 | u32::from(chunk.get(at).copied().unwrap_or(0));
        }
        for at in 0..=chunk.len() {
            out.push(char::from(ALPHABET[(bits >> (18 - 6 * at) & 63) as usize]));
        }
    }
    out
}

/// The text of a token, if it is one.
pub(crate) fn untoken(token: &str) -> Option<String> {
    let mut out = Vec::new();
    for chunk in token.trim_end_matches('=').as_bytes().chunks(4) {
        if chunk.len() == 1 {
            return None;
        }
        let mut bits = 0_u32;
        for at in 0..4 {
            let digit = match chunk.get(at) {
                Some(byte) => ALPHABET.iter().position(|other| other == byte)?,
                None => 0,
            };
            bits = bits << 6 | digit as u32;
        }
        for at in 0..chunk.len() - 1 {
            out.push((bits >> (16 - 8 * at) & 255) as u8);
        }
    }
    String::from_utf8(out).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn keys_are_sorted_at_every_depth() {
        let a = json!({"b": [{"y": 1, "x": "é\""}], "a": null});
        assert_eq!(canonical(&a), r#"{"a":null,"b":[{"x":"é\"","y":1}]}"#);
        assert_eq!(json_len(&a), a.to_string().len());
    }

    #[test]
    fn the_hash_is_the_known_one() {
        assert_eq!(sha256(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    #[test]
    fn tokens_round_trip_and_noise_does_not() {
        for text in ["", "a", "ab", "abc", "12.ffé"] {
            assert_eq!(untoken(&token(text)).as_deref(), Some(text));
        }
        assert_eq!(untoken("a"), None);
        assert_eq!(untoken("ä*"), None);
        assert_eq!(untoken("____"), None);
    }
}
