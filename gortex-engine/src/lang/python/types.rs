//! Type annotations: which names they mention, and their text.
//!
//! An annotation in quotes is read as the annotation it quotes.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::expr::receiver;
use super::seen;
use crate::facts::model::{ExprKind, Kind, NONE, Role};
use crate::facts::walker::{NewDef, Walker, one_line};

/// Nesting of an annotation that is followed.
const DEPTH: u32 = 60;

const BUILTIN: &[&str] = &[
    "int",
    "str",
    "float",
    "bool",
    "bytes",
    "bytearray",
    "complex",
    "object",
    "list",
    "dict",
    "set",
    "frozenset",
    "tuple",
    "type",
    "None",
];

/// Generics whose argument is as good as the type itself.
fn is_transparent(name: &str) -> bool {
    matches!(name, "Optional" | "Union" | "Annotated" | "Final" | "ClassVar" | "Required" | "NotRequired")
}

/// The annotation as written, on one line, without the quotes of a quoted one.
pub(super) fn text(w: &Walker<'_>, node: Node<'_>) -> String {
    let inner = if node.kind() == "type" { node.named_child(0).unwrap_or(node) } else { node };
    let content = (inner.kind() == "string").then(|| quoted(inner)).flatten();
    one_line(w.text(content.unwrap_or(node)), 200)
}

fn quoted(string: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = string.walk();
    string.named_children(&mut cursor).find(|child| child.kind() == "string_content")
}

/// Records the types that an annotation mentions.
pub(super) fn mention(w: &mut Walker<'_>, node: Node<'_>, role: Role) {
    nested(w, node, role, 0);
}

fn nested(w: &mut Walker<'_>, node: Node<'_>, role: Role, depth: u32) {
    if depth > DEPTH {
        return;
    }
    match node.kind() {
        "identifier" if BUILTIN.contains(&w.text(node)) => {}
        "identifier" => {
            w.reference(node, role, NONE);
        }
        "attribute" => {
            let (object, name) = (node.field("object"), node.field("attribute"));
            let (Some(object), Some(name)) = (object, name) else { return };
            let recv = receiver(w, object);
            w.reference(name, role, recv);
            w.visit(object);
        }
        "member_type" => {
            let (Some(object), Some(name)) = (node.named_child(0), node.named_child(1)) else { return };
            nested(w, object, Role::Type, depth + 1);
            let base = object.named_child(0).map_or(NONE, |inner| receiver(w, inner));
            w.reference(name, role, base);
        }
        "generic_type" | "subscript" => {
            let Some(head) = node.named_child(0) else { return };
            nested(w, head, role, depth + 1);
            let name = super::last_segment(head).map_or("", |name| w.text(name));
            if name == "Literal" {
                return;
            }
            let inner = if is_transparent(name) { role } else { Role::GenericArg };
            w.for_children(node, |w, child| {
                if child.id() != head.id() {
                    nested(w, child, inner, depth + 1);
                }
            });
        }
        "string" => {
            if let Some(content) = quoted(node) {
                quoted_names(w, content, role);
            }
        }
        "type"
        | "union_type"
        | "binary_operator"
        | "type_parameter"
        | "list"
        | "tuple"
        | "constrained_type"
        | "splat_type"
        | "parenthesized_expression"
        | "expression_list"
        | "list_splat" => {
            w.for_children(node, |w, child| nested(w, child, role, depth + 1));
        }
        "call" | "lambda" | "conditional_expression" => w.visit(node),
        _ => {}
    }
}

/// The names in a quoted annotation, each at its own place.
fn quoted_names(w: &mut Walker<'_>, content: Node<'_>, role: Role) {
    let text = w.text(content);
    if text.len() > 400 || text.contains(['\n', '\\', '"', '\'']) {
        return;
    }
    let mut role = role;
    let mut recv = NONE;
    let mut at = 0;
    let mut heads: Vec<Role> = Vec::new();
    while at < text.len() {
        let rest = &text[at..];
        let word = rest.len() - rest.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_').len();
        if word == 0 {
            let next = rest.chars().next().unwrap_or(' ');
            match next {
                '[' => heads.push(role),
                ']' => role = heads.pop().unwrap_or(role),
                ' ' | ',' | '|' => {}
                _ if next != '.' => return,
                _ => {}
            }
            at += next.len_utf8();
            continue;
        }
        let name = &rest[..word];
        let tail = &rest[word..];
        let qualifier = tail.starts_with('.') && tail[1..].starts_with(|c: char| c.is_alphabetic() || c == '_');
        let known = recv == NONE && BUILTIN.contains(&name);
        if !known && !name.starts_with(|c: char| c.is_ascii_digit()) {
            let row = w.reference_named(content, name, if qualifier { Role::Read } else { role }, recv);
            let row = &mut w.rows.refs[row as usize];
            row.at += at as u32;
            row.col = row.col.saturating_add(at as u16);
        }
        recv = match (qualifier, recv) {
            (false, _) => NONE,
            (true, NONE) => w.expr(ExprKind::Name, name, NONE, content),
            (true, base) => w.expr(ExprKind::Member, name, base, content),
        };
        if tail.starts_with('[') {
            heads.push(role);
            role = if is_transparent(name) { role } else { Role::GenericArg };
            at += 1;
        }
        at += word;
    }
}

/// Binds the type parameters of `def f[T: Bound]`, `class C[T]`.
pub(super) fn parameters(w: &mut Walker<'_>, list: Node<'_>) {
    w.for_children(list, |w, parameter| {
        let mut inner = parameter;
        let mut bound = None;
        for _ in 0..4 {
            if inner.kind() == "identifier" {
                w.bind(inner, None, NONE, inner.end_byte());
                break;
            }
            if inner.kind() == "constrained_type" {
                bound = inner.named_child(1);
            }
            let Some(next) = inner.named_child(0) else { break };
            inner = next;
        }
        if let Some(bound) = bound {
            mention(w, bound, Role::Type);
        }
    });
}

/// `type Name[T] = …`.
pub(super) fn alias_statement(w: &mut Walker<'_>, node: Node<'_>) {
    let (Some(left), Some(right)) = (node.field("left"), node.field("right")) else {
        return w.visit_children(node);
    };
    let inner = left.named_child(0).unwrap_or(left);
    let Some(name) = (if inner.kind() == "identifier" { Some(inner) } else { super::last_segment(inner) }) else { return };
    let (visibility, exported) = seen(w.text(name), w.owner() != NONE);
    let exported = if w.in_function() { 0 } else { exported };
    let def =
        w.define(super::bind::with_comment(w, NewDef::new(Kind::TypeAlias, node, name).visibility(visibility).flags(exported)));
    let ty = text(w, right);
    w.def_mut(def).ty = w.intern(&ty);
    w.in_def(def, |w| {
        if inner.kind() == "generic_type" {
            w.for_children(inner, |w, child| {
                if child.kind() == "type_parameter" {
                    parameters(w, child);
                }
            });
        }
        mention(w, right, Role::Type);
    });
}
