//! Patterns: what they bind, and what they mention.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::child_of_kind;
use crate::facts::model::{NONE, Role};
use crate::facts::walker::{Walker, one_line};

/// Binds the names of a pattern; `init` is the value that the whole of it is matched with.
pub(super) fn bind(w: &mut Walker<'_>, node: Node<'_>, init: u32, at: usize) {
    w.nested(|w| part(w, node, None, init, at));
}

fn part(w: &mut Walker<'_>, node: Node<'_>, ty: Option<&str>, init: u32, at: usize) {
    let inner = |w: &mut Walker<'_>, node: Node<'_>| w.nested(|w| part(w, node, None, NONE, at));
    match node.kind() {
        "identifier" => {
            if !matches!(w.text(node), "_" | "__MODULE__") {
                w.bind(node, ty, init, at);
            }
        }
        "binary_operator" => {
            let (Some(left), Some(right)) = (node.field("left"), node.field("right")) else { return };
            match node.field("operator").map_or("", |operator| operator.kind()) {
                "=" => {
                    // `%User{} = user`, either way round.
                    let made = struct_name(w, left).or_else(|| struct_name(w, right));
                    w.nested(|w| part(w, left, made.as_deref(), init, at));
                    w.nested(|w| part(w, right, made.as_deref(), init, at));
                }
                "\\\\" => {
                    inner(w, left);
                    w.visit(right);
                }
                "when" => {
                    w.nested(|w| part(w, left, ty, init, left.start_byte()));
                    w.visit(right);
                }
                "::" => inner(w, left),
                _ => {
                    inner(w, left);
                    inner(w, right);
                }
            }
        }
        "unary_operator" => w.visit(node),
        "call" => w.visit(node),
        "map" => {
            if let Some(name) = child_of_kind(node, "struct").and_then(|name| name.named_child(0)) {
                match name.kind() {
                    "alias" => drop(w.reference(name, Role::Type, NONE)),
                    "identifier" if w.text(name) == "__MODULE__" => {}
                    _ => inner(w, name),
                }
            }
            if let Some(content) = child_of_kind(node, "map_content") {
                inner(w, content);
            }
        }
        "pair" => {
            if let Some(value) = node.field("value") {
                inner(w, value);
            }
        }
        "alias" => drop(w.reference(node, Role::Read, NONE)),
        _ => w.for_children(node, inner),
    }
}

fn struct_name(w: &Walker<'_>, node: Node<'_>) -> Option<String> {
    let name = child_of_kind(node, "struct").filter(|_| node.kind() == "map")?.named_child(0)?;
    Some(one_line(w.text(name), 200)).filter(|text| text.starts_with(char::is_uppercase) || text == "__MODULE__")
}
