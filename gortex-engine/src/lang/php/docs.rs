//! What PHP's doc comments say about types: `@var T`, `@param T $x`, `@return T`.
//!
//! Knows the text of comments only; a type is taken as written.

use tree_sitter::Node;

use crate::facts::walker::Walker;

/// The doc comment directly above a node.
pub(super) fn above<'a>(walker: &Walker<'a>, node: Node<'_>) -> &'a str {
    if !walker.comment_before(node.start_byte()) {
        return "";
    }
    let comment = node.prev_sibling().filter(|above| above.kind() == "comment");
    comment.map_or("", |comment| walker.text(comment)).strip_prefix("/**").unwrap_or("")
}

/// The type behind a tag, and the variable that follows it.
pub(super) fn tagged<'a>(doc: &'a str, tag: &str) -> Vec<(&'a str, &'a str)> {
    let lines = doc.lines().map(|line| line.trim_start_matches([' ', '\t', '*']).trim_end_matches("*/").trim_end());
    let rests = lines.filter_map(|line| line.strip_prefix(tag)?.strip_prefix([' ', '\t']));
    rests
        .filter_map(|rest| {
            let rest = rest.trim_start();
            let end = type_end(rest);
            let name = rest[end..].split_whitespace().next().unwrap_or("");
            (end > 0).then_some((&rest[..end], name.trim_start_matches(['&', '.'])))
        })
        .collect()
}

/// Where the type at the start of a text ends: at white space outside brackets.
fn type_end(text: &str) -> usize {
    let mut depth = 0i32;
    for (at, c) in text.char_indices() {
        match c {
            '<' | '(' | '{' | '[' => depth += 1,
            '>' | ')' | '}' | ']' => depth -= 1,
            ' ' | '\t' if depth <= 0 => return at,
            _ => {}
        }
    }
    text.len()
}

/// The type of a tag that names one value: `@return`, `@var`.
pub(super) fn single<'a>(doc: &'a str, tag: &str) -> &'a str {
    let found = tagged(doc, tag).first().map_or("", |(ty, _)| *ty);
    // A fluent result is the receiver.
    if found == "$this" { "static" } else { found }
}
