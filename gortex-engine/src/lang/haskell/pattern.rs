//! What binds names: patterns of equations, lambdas, alternatives and generators.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use crate::facts::model::{NONE, Role};
use crate::facts::walker::Walker;

/// Binds the names of a pattern and mentions its constructors.
pub(super) fn bind(w: &mut Walker<'_>, node: Node<'_>) {
    match node.kind() {
        "variable" => drop(w.bind(node, None, NONE, node.start_byte())),
        "constructor" if super::PLAIN.contains(&w.text(node)) => {}
        "constructor" | "constructor_operator" => drop(w.reference(node, Role::Read, NONE)),
        "qualified" => super::qualified(w, node, Role::Read),
        "literal" | "wildcard" | "operator" | "quasiquote" => {}
        // A view pattern applies its left side.
        "view_pattern" => {
            w.visit_field(node, "expression");
            if let Some(pattern) = node.field("pattern") {
                w.nested(|w| bind(w, pattern));
            }
        }
        "signature" => {
            if let Some(pattern) = node.field("pattern") {
                w.nested(|w| bind(w, pattern));
            }
            if let Some(ty) = node.field("type") {
                super::types::mention(w, ty, Role::Type);
            }
        }
        "field_pattern" => {
            let (field, pattern) = (node.field("field"), node.field("pattern"));
            match (field, pattern) {
                (Some(field), Some(pattern)) => {
                    w.reference(field.field("id").unwrap_or(field), Role::Read, NONE);
                    w.nested(|w| bind(w, pattern));
                }
                // `Cart {size}` binds a variable of the field's name.
                (Some(field), None) => drop(w.bind(field, None, NONE, field.start_byte())),
                _ => {}
            }
        }
        _ => w.nested(|w| w.for_children(node, bind)),
    }
}

/// `\x y -> body`.
pub(super) fn lambda(w: &mut Walker<'_>, node: Node<'_>) {
    w.in_scope(|w| {
        if let Some(patterns) = node.field("patterns") {
            bind(w, patterns);
        }
        w.visit_field(node, "expression");
    });
}

/// `pattern -> body` of `case`, with its guards and `where`.
pub(super) fn alternative(w: &mut Walker<'_>, node: Node<'_>) {
    w.in_scope(|w| {
        let pattern = node.field("pattern").or_else(|| node.field("patterns"));
        if let Some(pattern) = pattern {
            bind(w, pattern);
        }
        w.visit_children_except(node, &[pattern]);
    });
}

/// `pattern <- list` of a comprehension or guard.
pub(super) fn generator(w: &mut Walker<'_>, node: Node<'_>) {
    let pattern = node.field("pattern");
    w.visit_children_except(node, &[pattern]);
    if let Some(pattern) = pattern {
        bind(w, pattern);
    }
}
