//! Names in types.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use crate::facts::model::{NONE, Role};
use crate::facts::walker::{Walker, one_line};

/// Mentions of types; in a function type the last part is the result.
pub(super) fn mention(w: &mut Walker<'_>, node: Node<'_>, role: Role) {
    match node.kind() {
        "name" => drop(w.reference(node, role, NONE)),
        "qualified" => super::qualified(w, node, role),
        "variable" | "pragma" | "haddock" | "comment" | "field_name" => {}
        "function" => {
            let (parameter, result) = (node.field("parameter"), node.field("result"));
            if let Some(parameter) = parameter {
                w.nested(|w| mention(w, parameter, Role::ParamType));
            }
            if let Some(result) = result {
                let role = if role == Role::FieldType { role } else { Role::ReturnType };
                w.nested(|w| mention(w, result, role));
            }
        }
        "context" => w.nested(|w| w.for_children(node, |w, child| mention(w, child, Role::Type))),
        _ => w.nested(|w| w.for_children(node, |w, child| mention(w, child, role))),
    }
}

/// The part of a type behind its context and quantifiers.
fn bare(node: Node<'_>) -> Node<'_> {
    let mut node = node;
    while matches!(node.kind(), "context" | "forall") {
        let Some(inner) = node.field("type") else { break };
        node = inner;
    }
    node
}

/// Number of arrows, and the text of what stands behind the last.
pub(super) fn shape(w: &Walker<'_>, node: Node<'_>) -> (u16, String) {
    let mut node = bare(node);
    let mut count = 0u16;
    while node.kind() == "function" {
        let Some(result) = node.field("result") else { break };
        count = count.saturating_add(1);
        node = bare(result);
    }
    (count, one_line(w.text(node), 120))
}

/// The head of a type: `Maybe` of `(Maybe a)`.
pub(super) fn head<'a>(w: &Walker<'a>, node: Node<'_>) -> Option<(&'a str, u32)> {
    let mut node = node;
    for _ in 0..16 {
        node = match node.kind() {
            "name" | "qualified" => return Some((w.text(node), node.start_byte() as u32)),
            "apply" => node.field("constructor")?,
            "parens" | "type_patterns" | "strict_field" => node.named_child(0)?,
            _ => return None,
        };
    }
    None
}
