//! Expressions that stand in front of a dot or initialise a name.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::{is_self, last_segment, types};
use crate::facts::model::{ExprKind, NONE};
use crate::facts::walker::Walker;
use crate::lang::common::arg_count;

/// The expression in front of a dot; one that says nothing is still there.
pub(super) fn receiver(w: &mut Walker<'_>, node: Node<'_>) -> u32 {
    match w.expr_of(node) {
        NONE => w.expr(ExprKind::Unknown, "", NONE, node),
        known => known,
    }
}

fn literal(w: &mut Walker<'_>, name: &str, node: Node<'_>) -> u32 {
    w.expr(ExprKind::Literal, name, NONE, node)
}

/// The hook of the language.
pub(super) fn expr(w: &mut Walker<'_>, node: Node<'_>) -> u32 {
    match node.kind() {
        "identifier" => {
            let text = w.text(node);
            let kind = if is_self(w, text) { ExprKind::SelfRef } else { ExprKind::Name };
            w.expr(kind, if kind == ExprKind::SelfRef { "" } else { text }, NONE, node)
        }
        "attribute" => {
            let (object, name) = (node.field("object"), node.field("attribute"));
            let (Some(object), Some(name)) = (object, name) else { return NONE };
            let base = receiver(w, object);
            let name = w.text(name);
            if name == "__class__" && is_self(w, w.text(object)) {
                return base;
            }
            w.expr(ExprKind::Member, name, base, node)
        }
        "call" => call_expr(w, node),
        "string" | "concatenated_string" => {
            let prefix = w.text(node).split(['"', '\'']).next().unwrap_or("");
            literal(w, if prefix.contains(['b', 'B']) { "bytes" } else { "str" }, node)
        }
        "integer" => literal(w, "int", node),
        "float" => literal(w, "float", node),
        "true" | "false" | "not_operator" | "comparison_operator" => literal(w, "bool", node),
        "list" | "list_comprehension" => literal(w, "list", node),
        "dictionary" | "dictionary_comprehension" => literal(w, "dict", node),
        "set" | "set_comprehension" => literal(w, "set", node),
        "tuple" | "expression_list" => literal(w, "tuple", node),
        "generator_expression" => literal(w, "generator", node),
        "subscript" => {
            let Some(value) = node.field("value") else { return NONE };
            let base = receiver(w, value);
            let found = w.expr(ExprKind::Index, "", base, node);
            let index = node.field("subscript").filter(|index| index.kind() == "integer");
            if let Some(slot) = index.and_then(|index| w.text(index).parse().ok()) {
                w.expr_slot(found, slot);
            }
            found
        }
        "await" => {
            let base = node.named_child(0).map_or(NONE, |inner| w.expr_of(inner));
            if base == NONE { NONE } else { w.expr(ExprKind::Unwrap, "", base, node) }
        }
        "parenthesized_expression" | "as_pattern" | "unary_operator" => {
            node.named_child(0).map_or(NONE, |inner| w.expr_of(inner))
        }
        "named_expression" => node.field("value").map_or(NONE, |inner| w.expr_of(inner)),
        "assignment" => node.field("right").map_or(NONE, |inner| w.expr_of(inner)),
        "conditional_expression" => first_known(w, [node.named_child(0), node.named_child(2)]),
        "boolean_operator" => {
            let (left, right) = (node.field("left"), node.field("right"));
            let either = node.field("operator").is_some_and(|operator| operator.kind() == "or");
            first_known(w, if either { [left, right] } else { [right, left] })
        }
        _ => NONE,
    }
}

fn first_known(w: &mut Walker<'_>, choices: [Option<Node<'_>>; 2]) -> u32 {
    for choice in choices.into_iter().flatten() {
        let found = w.expr_of(choice);
        if found != NONE {
            return found;
        }
    }
    NONE
}

fn call_expr(w: &mut Walker<'_>, node: Node<'_>) -> u32 {
    let Some(callee) = node.field("function") else { return NONE };
    let arguments = node.field("arguments");
    let name = last_segment(callee).map_or("", |name| w.text(name));
    match (callee.kind(), name) {
        ("identifier", "super") => return w.expr(ExprKind::Super, "", NONE, node),
        ("identifier", "type") => {
            let of_self = arguments.and_then(|list| list.named_child(0)).filter(|arg| is_self(w, w.text(*arg)));
            if let Some(arg) = of_self {
                return w.expr_of(arg);
            }
        }
        ("identifier", "list" | "dict" | "set" | "tuple" | "str" | "bytes" | "int" | "float" | "bool" | "frozenset") => {
            return literal(w, name, node);
        }
        ("identifier" | "attribute", "cast") => {
            if let Some(ty) = arguments.filter(|list| arg_count(*list) == 2).and_then(|list| list.named_child(0)) {
                let ty = types::text(w, ty);
                return w.expr(ExprKind::Typed, &ty, NONE, node);
            }
        }
        _ => {}
    }
    // `Stack[int]()` makes a Stack; `handlers[key]()` calls an element.
    let generic = callee.kind() == "subscript" && name.starts_with(|c: char| c.is_uppercase());
    let callee = if generic { callee.field("value").unwrap_or(callee) } else { callee };
    let base = receiver(w, callee);
    w.expr(ExprKind::Call, "", base, node)
}
