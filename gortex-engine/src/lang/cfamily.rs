//! What C and C++ share: declarators, types, the preprocessor, references.
//!
//! A declaration names what it declares at the bottom of a declarator tree; [`declarator::Declared`] is what one finds on
//! the way down. The preprocessor's branches are all walked, for nobody knows which one a build takes.

pub(super) mod declarator;
pub(super) mod declare;
pub(super) mod expr;
pub(super) mod plus;
pub(super) mod prepare;
pub(super) mod refs;
#[cfg(test)]
mod tests;
pub(super) mod types;

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::Action;
use super::common::UsageKinds;
use crate::facts::model::{ExprKind, Kind, NONE, Role, Visibility, flag, import_flag};
use crate::facts::walker::{NewDef, Walker};

/// What C and C++ have in common, node kind by node kind.
pub(super) const TABLE: [(&str, Action); 28] = [
    ("preproc_include", Action::Hook(include)),
    ("preproc_def", Action::Hook(macro_definition)),
    ("preproc_function_def", Action::Hook(macro_definition)),
    ("preproc_ifdef", Action::Hook(ifdef)),
    ("preproc_call", Action::Skip),
    ("function_definition", Action::Hook(declare::function)),
    ("declaration", Action::Hook(declare::declaration)),
    ("field_declaration", Action::Hook(declare::field)),
    ("type_definition", Action::Hook(types::typedef)),
    ("struct_specifier", Action::Hook(types::type_mention)),
    ("union_specifier", Action::Hook(types::type_mention)),
    ("enum_specifier", Action::Hook(types::type_mention)),
    ("type_identifier", Action::Hook(types::type_mention)),
    ("compound_statement", Action::Scope),
    ("for_statement", Action::Scope),
    ("parameter_list", Action::Hook(declare::stray_parameters)),
    ("identifier", Action::Hook(refs::identifier)),
    ("call_expression", Action::Hook(refs::call)),
    ("field_expression", Action::Hook(refs::field)),
    ("assignment_expression", Action::Hook(refs::assignment)),
    ("update_expression", Action::Hook(refs::update)),
    ("compound_literal_expression", Action::Hook(refs::compound_literal)),
    ("initializer_pair", Action::Hook(refs::stray_pair)),
    ("offsetof_expression", Action::Hook(refs::offset_of)),
    ("attribute_specifier", Action::Skip),
    ("attribute_declaration", Action::Skip),
    ("ms_declspec_modifier", Action::Skip),
    ("gnu_asm_goto_list", Action::Skip),
];

/// What surrounds a call.
pub(super) const USAGE: UsageKinds = UsageKinds {
    transparent: &[
        "parenthesized_expression",
        "unary_expression",
        "pointer_expression",
        "co_await_expression",
        "condition_clause",
    ],
    statement: &["expression_statement"],
    assignment: &[
        "assignment_expression",
        "init_declarator",
        "declaration",
        "field_declaration",
        "initializer_pair",
        "initializer_list",
    ],
    returns: &["return_statement", "co_return_statement"],
    argument: &["argument_list"],
    condition: &[
        "if_statement",
        "while_statement",
        "do_statement",
        "switch_statement",
        "binary_expression",
        "conditional_expression",
    ],
    spawn: &[],
    defer: &[],
};

/// Nesting of types and declarators that is followed.
pub(super) const DEPTH: u32 = 60;

/// Whether the file is read as C++.
pub(super) fn is_cpp(w: &Walker<'_>) -> bool {
    w.language.language.implicit_self
}

/// Whether a word is written in capitals, as macros are.
pub(super) fn is_caps(word: &str) -> bool {
    word.len() > 1
        && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
        && word.bytes().any(|byte| byte.is_ascii_uppercase())
}

/// `#include`.
pub(super) fn include(w: &mut Walker<'_>, node: Node<'_>) {
    let Some(path) = node.field("path") else { return };
    let text = w.text(path);
    match path.kind() {
        "system_lib_string" => w.import(path, text.trim_matches(['<', '>']), "", "", import_flag::SYSTEM),
        "string_literal" => w.import(path, text.trim_matches('"'), "", "", 0),
        _ => w.visit(path),
    }
}

/// `#ifdef`, `#ifndef`; an include guard mentions nothing worth telling.
pub(super) fn ifdef(w: &mut Walker<'_>, node: Node<'_>) {
    let name = node.field("name");
    let guard = name.and_then(|name| guard_define(w, node, name));
    let skipped = guard.and(name);
    w.visit_children_except(node, &[skipped, guard]);
}

/// The `#define NAME` that opens an include guard of `NAME`.
fn guard_define<'t>(w: &Walker<'_>, node: Node<'t>, name: Node<'t>) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    let first = node.named_children(&mut cursor).find(|child| child.id() != name.id() && !child.is_extra())?;
    let empty = first.kind() == "preproc_def" && first.field("value").is_none();
    let same = first.field("name").is_some_and(|defined| w.text(defined) == w.text(name));
    (empty && same).then_some(first)
}

/// `#define`, with what its replacement mentions.
pub(super) fn macro_definition(w: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = node.field("name") else { return };
    let value = node.field("value");
    let new = NewDef::new(Kind::Macro, node, name).visibility(Visibility::Public).flags(flag::EXPORTED);
    let def = w.define(new);
    let mut names: Vec<&str> = Vec::new();
    if let Some(list) = node.field("parameters") {
        let mut cursor = list.walk();
        names.extend(list.named_children(&mut cursor).filter(|child| child.kind() == "identifier").map(|child| w.text(child)));
        let variadic = w.text(list).contains("...");
        let row = w.def_mut(def);
        row.params = names.len().min(u16::MAX as usize) as u16;
        row.flags |= if variadic { flag::VARIADIC } else { 0 };
    }
    if let Some(value) = value {
        w.owned_by(def, |w| macro_body(w, value, &names));
    }
}

/// Words that are no names.
fn is_keyword(word: &str) -> bool {
    const WORDS: &[&str] = &[
        "if",
        "else",
        "for",
        "while",
        "do",
        "switch",
        "case",
        "default",
        "break",
        "continue",
        "return",
        "goto",
        "sizeof",
        "struct",
        "union",
        "enum",
        "class",
        "typedef",
        "static",
        "extern",
        "const",
        "volatile",
        "inline",
        "register",
        "void",
        "char",
        "short",
        "int",
        "long",
        "float",
        "double",
        "signed",
        "unsigned",
        "bool",
        "true",
        "false",
        "auto",
        "typename",
        "template",
        "this",
        "new",
        "delete",
        "namespace",
        "using",
        "public",
        "private",
        "protected",
        "virtual",
        "operator",
        "defined",
        "typeof",
        "nullptr",
        "throw",
        "try",
        "catch",
        "constexpr",
        "explicit",
        "decltype",
        "asm",
        "alignof",
        "noexcept",
        "override",
    ];
    WORDS.contains(&word) || word.starts_with("__")
}

/// The names in a macro's replacement: calls where a parenthesis follows, else reads.
fn macro_body(w: &mut Walker<'_>, value: Node<'_>, parameters: &[&str]) {
    let text = w.text(value);
    let bytes = text.as_bytes();
    let start = value.start_position();
    let (mut row, mut line_start) = (0, 0);
    let mut at = 0;
    let mut member = false;
    while at < bytes.len() {
        let byte = bytes[at];
        if byte == b'"' || byte == b'\'' {
            at = prepare::skip_quoted(bytes, at);
            member = false;
        } else if byte == b'/' && matches!(bytes.get(at + 1), Some(b'*' | b'/')) {
            let to = prepare::skip_comment(bytes, at);
            row += memchr::memchr_iter(b'\n', &bytes[at..to]).count();
            if let Some(end) = memchr::memrchr(b'\n', &bytes[at..to]) {
                line_start = at + end + 1;
            }
            at = to;
        } else if byte.is_ascii_digit() {
            at += bytes[at..].iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'.').count();
        } else if byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80 {
            let len = prepare::word_len(&bytes[at..]);
            let word = &text[at..at + len];
            if !parameters.contains(&word) && !is_keyword(word) {
                let called = bytes[at + len..].trim_ascii_start().starts_with(b"(");
                let recv = if member { w.expr(ExprKind::Unknown, "", NONE, value) } else { NONE };
                let index = w.reference_named(value, word, if called { Role::Call } else { Role::Read }, recv);
                let column = if row == 0 { start.column + at } else { at - line_start };
                let reference = &mut w.rows.refs[index as usize];
                reference.at += at as u32;
                reference.line += row as u32;
                reference.col = column.min(u16::MAX as usize) as u16;
            }
            member = false;
            at += len;
        } else {
            if byte == b'\n' {
                row += 1;
                line_start = at + 1;
            }
            let arrow = byte == b'>' && at > 0 && bytes[at - 1] == b'-';
            member = byte == b'.' || arrow || (member && byte.is_ascii_whitespace());
            at += 1;
        }
    }
}
