//! Expressions: what stands in front of a name, or gives a variable its value.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::{first_named, patterns, types};
use crate::facts::model::{ExprKind, NONE};
use crate::facts::walker::Walker;

/// The hook of all four languages.
pub(super) fn expr(walker: &mut Walker<'_>, node: Node<'_>) -> u32 {
    match node.kind() {
        "identifier" | "shorthand_property_identifier" => {
            let text = walker.text(node);
            walker.expr(ExprKind::Name, text, NONE, node)
        }
        "this" => walker.expr(ExprKind::SelfRef, "", NONE, node),
        "super" => walker.expr(ExprKind::Super, "", NONE, node),
        "member_expression" | "nested_identifier" => member(walker, node),
        "subscript_expression" => subscript(walker, node),
        "call_expression" => {
            let Some(callee) = node.field("function") else { return NONE };
            let base = walker.expr_of(callee);
            over(walker, ExprKind::Call, base, node)
        }
        "new_expression" => new(walker, node),
        "await_expression" | "non_null_expression" => {
            let base = first_named(node).map_or(NONE, |inner| walker.expr_of(inner));
            over(walker, ExprKind::Unwrap, base, node)
        }
        "parenthesized_expression" | "satisfies_expression" | "instantiation_expression" => {
            first_named(node).map_or(NONE, |inner| walker.expr_of(inner))
        }
        "as_expression" => cast(walker, node, node.named_child(1)),
        "type_assertion" => {
            let ty = node.named_child(0).and_then(|arguments| arguments.named_child(0));
            match (ty, node.named_child(1)) {
                (Some(ty), _) if walker.text(ty) != "const" => typed(walker, ty),
                (_, Some(inner)) => walker.expr_of(inner),
                _ => NONE,
            }
        }
        "assignment_expression" => right(walker, node, "right"),
        "sequence_expression" => {
            let last = node.named_child(node.named_child_count().saturating_sub(1) as u32);
            last.map_or(NONE, |last| walker.expr_of(last))
        }
        "ternary_expression" => either(walker, node, "consequence", "alternative"),
        "binary_expression" => binary(walker, node),
        "string" | "template_string" => literal(walker, "string", node),
        "number" => literal(walker, if walker.text(node).ends_with('n') { "bigint" } else { "number" }, node),
        "true" | "false" => literal(walker, "boolean", node),
        "regex" => literal(walker, "RegExp", node),
        "array" => literal(walker, "Array", node),
        "object" => literal(walker, "Object", node),
        "arrow_function" | "function_expression" | "generator_function" => literal(walker, "Function", node),
        _ => NONE,
    }
}

/// The expression in front of a name; never [`NONE`], which would say that nothing stands there.
pub(super) fn receiver(walker: &mut Walker<'_>, node: Node<'_>) -> u32 {
    match walker.expr_of(node) {
        NONE => walker.expr(ExprKind::Unknown, "", NONE, node),
        known => known,
    }
}

fn over(walker: &mut Walker<'_>, kind: ExprKind, base: u32, node: Node<'_>) -> u32 {
    if base == NONE { NONE } else { walker.expr(kind, "", base, node) }
}

fn right(walker: &mut Walker<'_>, node: Node<'_>, field: &str) -> u32 {
    node.child_by_field_name(field).map_or(NONE, |inner| walker.expr_of(inner))
}

fn literal(walker: &mut Walker<'_>, name: &str, node: Node<'_>) -> u32 {
    walker.expr(ExprKind::Literal, name, NONE, node)
}

fn typed(walker: &mut Walker<'_>, ty: Node<'_>) -> u32 {
    let text = types::type_text(walker, ty);
    walker.expr(ExprKind::Typed, &text, NONE, ty)
}

/// `value as T`; `as const` says nothing new.
fn cast(walker: &mut Walker<'_>, node: Node<'_>, ty: Option<Node<'_>>) -> u32 {
    match ty {
        Some(ty) => typed(walker, ty),
        None => first_named(node).map_or(NONE, |inner| walker.expr_of(inner)),
    }
}

fn member(walker: &mut Walker<'_>, node: Node<'_>) -> u32 {
    let (Some(object), Some(property)) = (node.field("object"), node.field("property")) else {
        return NONE;
    };
    let base = walker.expr_of(object);
    if base == NONE {
        return NONE;
    }
    let text = walker.text(property);
    walker.expr(ExprKind::Member, text, base, node)
}

fn subscript(walker: &mut Walker<'_>, node: Node<'_>) -> u32 {
    let Some(object) = node.field("object") else { return NONE };
    let base = walker.expr_of(object);
    if base == NONE {
        return NONE;
    }
    match node.field("index").and_then(|index| patterns::literal_key(walker, index)) {
        Some(key) => walker.expr(ExprKind::Member, key, base, node),
        None => walker.expr(ExprKind::Index, "", base, node),
    }
}

fn new(walker: &mut Walker<'_>, node: Node<'_>) -> u32 {
    let Some(constructor) = node.field("constructor") else { return NONE };
    if !matches!(constructor.kind(), "identifier" | "member_expression") {
        return NONE;
    }
    let end = node.field("type_arguments").unwrap_or(constructor).end_byte();
    let text = walker.slice(constructor.start_byte(), end);
    walker.expr(ExprKind::New, text, NONE, node)
}

fn either(walker: &mut Walker<'_>, node: Node<'_>, first: &str, second: &str) -> u32 {
    match right(walker, node, first) {
        NONE => right(walker, node, second),
        known => known,
    }
}

fn binary(walker: &mut Walker<'_>, node: Node<'_>) -> u32 {
    match node.field("operator").map_or("", |operator| operator.kind()) {
        "||" | "??" => either(walker, node, "left", "right"),
        "&&" => right(walker, node, "right"),
        "==" | "===" | "!=" | "!==" | "<" | ">" | "<=" | ">=" | "in" | "instanceof" => literal(walker, "boolean", node),
        _ => NONE,
    }
}
