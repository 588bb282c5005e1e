//! Expressions that stand in front of a dot or initialise a variable.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::{child_of_kind, target};
use crate::facts::model::{ExprKind, NONE};
use crate::facts::walker::{Walker, one_line};

/// The expression in front of a dot; one that says nothing is still there.
pub(super) fn receiver(w: &mut Walker<'_>, node: Node<'_>) -> u32 {
    match w.expr_of(node) {
        NONE => w.expr(ExprKind::Unknown, "", NONE, node),
        known => known,
    }
}

/// The hook of the language.
pub(super) fn expr(w: &mut Walker<'_>, node: Node<'_>) -> u32 {
    let literal = |w: &mut Walker<'_>, name: &str| w.expr(ExprKind::Literal, name, NONE, node);
    match node.kind() {
        "identifier" | "alias" => w.expr(ExprKind::Name, w.text(node), NONE, node),
        "dot" => {
            let text = one_line(w.text(node), 200);
            if text.starts_with("__MODULE__") { w.expr(ExprKind::Name, &text, NONE, node) } else { NONE }
        }
        // A module of Erlang.
        "atom" => literal(w, "atom"),
        "string" | "charlist" => literal(w, "string"),
        "integer" | "float" => literal(w, "number"),
        "list" => literal(w, "list"),
        "tuple" => literal(w, "tuple"),
        "map" => match child_of_kind(node, "struct").and_then(|name| name.named_child(0)) {
            Some(name) => {
                let text = one_line(w.text(name), 200);
                w.expr(ExprKind::New, &text, NONE, node)
            }
            None => updated(w, node),
        },
        "call" => call(w, node),
        "binary_operator" => {
            let right = node.field("right");
            match node.field("operator").map_or("", |operator| operator.kind()) {
                "|>" => right.map_or(NONE, |right| match right.kind() {
                    "identifier" => {
                        let base = w.expr(ExprKind::Name, w.text(right), NONE, right);
                        w.expr(ExprKind::Call, "", base, node)
                    }
                    _ => w.expr_of(right),
                }),
                "=" => right.map_or(NONE, |right| w.expr_of(right)),
                _ => NONE,
            }
        }
        _ => NONE,
    }
}

/// `%{user | name: "a"}` is what `user` is.
fn updated(w: &mut Walker<'_>, node: Node<'_>) -> u32 {
    let content = child_of_kind(node, "map_content").and_then(|content| content.named_child(0));
    let Some(update) = content.filter(|update| update.kind() == "binary_operator") else {
        return w.expr(ExprKind::Literal, "map", NONE, node);
    };
    let is_update = update.field("operator").is_some_and(|operator| operator.kind() == "|");
    match update.field("left").filter(|_| is_update) {
        Some(left) => w.expr_of(left),
        None => w.expr(ExprKind::Literal, "map", NONE, node),
    }
}

fn call(w: &mut Walker<'_>, node: Node<'_>) -> u32 {
    let Some((object, name)) = target(node) else { return NONE };
    let text = w.text(name);
    match object {
        Some(object) => {
            let base = receiver(w, object);
            let member = w.expr(ExprKind::Member, text, base, name);
            let field = super::arguments(node).is_none() && object.kind() == "identifier";
            if field { member } else { w.expr(ExprKind::Call, "", member, node) }
        }
        None if matches!(text, "if" | "case" | "cond" | "with" | "for" | "unless" | "try" | "receive" | "quote") => NONE,
        None => {
            let base = w.expr(ExprKind::Name, text, NONE, name);
            w.expr(ExprKind::Call, "", base, node)
        }
    }
}
