//! The text of a document, both ways.
//!
//! Reading takes any bytes: it answers with a document or with the line where it stops being one, and never fails otherwise.

use std::collections::BTreeMap;

use super::{Document, Section};

/// What a header line begins with.
const TAG: &str = "GCX1 ";
/// What no row begins with: this version's tag and those of others.
const ANY_TAG: &str = "GCX";

/// Why bytes are no document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GcxError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub reason: &'static str,
}

impl std::fmt::Display for GcxError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: {}", self.line, self.reason)
    }
}

impl std::error::Error for GcxError {}

/// Writes a document.
pub fn encode(document: &Document) -> String {
    let mut out = String::new();
    for section in &document.sections {
        header(&mut out, section);
        for row in section.rows() {
            line(&mut out, row);
        }
    }
    out
}

fn header(out: &mut String, section: &Section) {
    out.push_str(TAG);
    out.push_str("tool=");
    escape(out, section.tool(), &[' ', '=']);
    out.push_str(" fields=");
    for (at, field) in section.fields().iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        escape(out, field, &[' ', '=', ',']);
    }
    for (key, value) in section.meta() {
        out.push(' ');
        escape(out, key, &[' ', '=']);
        out.push('=');
        escape(out, value, &[' ', '=']);
    }
    out.push('\n');
}

fn line(out: &mut String, row: &[String]) {
    // Empty cells at the end go without saying, but a line of nothing would not be a row.
    let last = row.iter().rposition(|cell| !cell.is_empty()).map_or(row.len(), |at| at + 1);
    for (at, cell) in row[..last].iter().enumerate() {
        if at > 0 {
            out.push('\t');
        } else if cell.starts_with('#') || cell.starts_with(ANY_TAG) {
            out.push('\\');
        }
        escape(out, cell, &[]);
    }
    out.push('\n');
}

/// Appends a text with what has a meaning escaped.
fn escape(out: &mut String, text: &str, also: &[char]) {
    for sign in text.chars() {
        match sign {
            '\\' => out.push_str("\\\\"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            sign => {
                if also.contains(&sign) {
                    out.push('\\');
                }
                out.push(sign);
            }
        }
    }
}

/// Reads a document.
pub fn decode(bytes: &[u8]) -> Result<Document, GcxError> {
    let text = std::str::from_utf8(bytes).map_err(|error| GcxError {
        line: bytes[..error.valid_up_to()].split(|byte| *byte == b'\n').count(),
        reason: "the bytes are not UTF-8",
    })?;
    let mut sections: Vec<Section> = Vec::new();
    let mut open: Option<Header> = None;
    for (at, line) in text.split('\n').enumerate() {
        let wrong = |reason| GcxError { line: at + 1, reason };
        let line = line.strip_suffix('\r').unwrap_or(line);
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(rest) = line.strip_prefix(TAG) {
            sections.extend(open.take().map(Header::close));
            open = Some(Header::read(rest).map_err(wrong)?);
        } else if is_foreign(line) {
            return Err(wrong("this is another version of the format"));
        } else {
            let header = open.as_mut().ok_or_else(|| wrong("a row stands before any header"))?;
            let row = split(line, '\t').into_iter().map(unescape).collect::<Result<Vec<_>, _>>().map_err(wrong)?;
            if row.len() > header.fields.len() {
                return Err(wrong("a row has more values than there are columns"));
            }
            header.rows.push(row);
        }
    }
    sections.extend(open.map(Header::close));
    Ok(Document { sections })
}

/// Whether a line is a header of another version, or a broken one of this.
fn is_foreign(line: &str) -> bool {
    let Some(rest) = line.strip_prefix(ANY_TAG) else { return false };
    let version = rest.bytes().take_while(u8::is_ascii_digit).count();
    version > 0 && (rest.len() == version || rest.as_bytes()[version] == b' ')
}

/// A section while it is read.
struct Header {
    tool: String,
    fields: Vec<String>,
    meta: BTreeMap<String, String>,
    rows: Vec<Vec<String>>,
}

impl Header {
    fn read(text: &str) -> Result<Header, &'static str> {
        let (mut tool, mut fields, mut meta) = (None, None, BTreeMap::new());
        for pair in split(text, ' ').into_iter().filter(|pair| !pair.is_empty()) {
            let parts = split(pair, '=');
            let [key, value] = parts[..] else { return Err("a header consists of key=value pairs") };
            match unescape(key)?.as_str() {
                "tool" => tool = Some(unescape(value)?),
                "fields" => fields = Some(split(value, ',').into_iter().map(unescape).collect::<Result<Vec<_>, _>>()?),
                other => drop(meta.insert(other.to_owned(), unescape(value)?)),
            }
        }
        let tool = tool.filter(|tool| !tool.is_empty()).ok_or("a header names its tool")?;
        let fields = fields.ok_or("a header names its fields")?;
        Ok(Header { tool, fields, meta, rows: Vec::new() })
    }

    fn close(self) -> Section {
        Section::new(self.tool, self.fields, self.meta, self.rows)
    }
}

/// Splits at a sign that no backslash stands before.
fn split(text: &str, sign: char) -> Vec<&str> {
    let (mut parts, mut start, mut escaped) = (Vec::new(), 0, false);
    for (at, each) in text.char_indices() {
        if escaped {
            escaped = false;
        } else if each == '\\' {
            escaped = true;
        } else if each == sign {
            parts.push(&text[start..at]);
            start = at + sign.len_utf8();
        }
    }
    parts.push(&text[start..]);
    parts
}

/// The text behind escapes.
fn unescape(text: &str) -> Result<String, &'static str> {
    if !text.contains('\\') {
        return Ok(text.to_owned());
    }
    let mut out = String::with_capacity(text.len());
    let mut signs = text.chars();
    while let Some(sign) = signs.next() {
        if sign != '\\' {
            out.push(sign);
            continue;
        }
        match signs.next() {
            Some('t') => out.push('\t'),
            Some('n') => out.push('\n'),
            Some(other) => out.push(other),
            None => return Err("a backslash stands at the end of a value"),
        }
    }
    Ok(out)
}
