//! Small text questions of extraction: lines, one-line forms, comment marks.
//!
//! Knows bytes and marks, no trees.

/// Number of lines; a last line without an end counts.
pub fn count_lines(source: &[u8]) -> u32 {
    let ends = memchr::memchr_iter(b'\n', source).count() as u32;
    ends + u32::from(source.last().is_some_and(|byte| *byte != b'\n'))
}

/// White space folded to single blanks, cut at a character boundary.
pub fn one_line(text: &str, limit: usize) -> String {
    let mut out = String::with_capacity(text.len().min(limit + 4));
    for word in text.split_ascii_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
        if out.len() > limit {
            break;
        }
    }
    while out.ends_with(['{', ':', '=', ' ']) && !out.ends_with("::") {
        out.pop();
    }
    clip(&out, limit)
}

/// The first `limit` bytes of a text, cut at a character boundary.
pub fn clip(text: &str, limit: usize) -> String {
    text[..text.floor_char_boundary(limit)].to_owned()
}

/// A comment's text without its marks.
pub fn strip_comment(text: &str) -> String {
    let text = text.trim();
    let inner = text.strip_prefix("/**").or_else(|| text.strip_prefix("/*!")).or_else(|| text.strip_prefix("/*"));
    let lines = inner.map_or(text, |inner| inner.strip_suffix("*/").unwrap_or(inner));
    let cleaned = lines.lines().map(|line| {
        let line = line.trim();
        if let Some(rest) = line.strip_prefix("--") {
            return rest.trim_start_matches('-').trim_start().trim_start_matches(['|', '^']).trim();
        }
        let line = line.trim_start_matches('/').trim_start_matches('!').trim_start_matches('#');
        line.strip_prefix('*').unwrap_or(line).trim()
    });
    cleaned.collect::<Vec<_>>().join("\n").trim().to_owned()
}
