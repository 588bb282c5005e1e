//! Expressions of C and C++ that stand in front of a name.
//!
//! A pointer and what it points to are one thing here: `*p`, `&x` and `(x)` say what their inside says.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::DEPTH;
use super::declarator::bare;
use crate::facts::model::{ExprKind, NONE};
use crate::facts::walker::{Walker, one_line};

/// The expression in front of a member; one that says nothing is still there.
pub(super) fn receiver(w: &mut Walker<'_>, node: Node<'_>) -> u32 {
    match w.expr_of(node) {
        NONE => w.expr(ExprKind::Unknown, "", NONE, node),
        known => known,
    }
}

/// The path `a::b` that the scopes of a qualified name spell, all but its last segment.
pub(super) fn path_before_name(w: &mut Walker<'_>, node: Node<'_>) -> u32 {
    let mut base = NONE;
    let mut at = node;
    for _ in 0..DEPTH {
        if at.kind() != "qualified_identifier" {
            break;
        }
        if let Some(scope) = at.field("scope") {
            let text = w.text(bare(scope));
            base =
                if base == NONE { w.expr(ExprKind::Name, text, NONE, scope) } else { w.expr(ExprKind::Path, text, base, scope) };
        }
        let Some(inner) = at.field("name") else { break };
        at = inner;
    }
    base
}

fn literal(w: &mut Walker<'_>, name: &str, node: Node<'_>) -> u32 {
    w.expr(ExprKind::Literal, name, NONE, node)
}

/// The text of a type without what the declarator adds.
pub(super) fn type_text(w: &Walker<'_>, node: Node<'_>) -> String {
    let text = node.field("body").map_or_else(|| w.text(node), |body| w.slice(node.start_byte(), body.start_byte()));
    one_line(text, 200)
}

/// The first type among template arguments.
fn first_argument(w: &Walker<'_>, function: Node<'_>) -> Option<String> {
    let inner = if function.kind() == "qualified_identifier" { super::declarator::split_qualified(function).0 } else { function };
    let list = inner.field("arguments")?;
    list.named_child(0).map(|first| type_text(w, first))
}

/// The hook of both languages.
pub(in crate::lang) fn expr(w: &mut Walker<'_>, node: Node<'_>) -> u32 {
    match node.kind() {
        "identifier" | "field_identifier" => w.expr(ExprKind::Name, w.text(node), NONE, node),
        "this" => w.expr(ExprKind::SelfRef, "", NONE, node),
        "field_expression" => {
            let (argument, field) = (node.field("argument"), node.field("field"));
            let (Some(argument), Some(field)) = (argument, field) else { return NONE };
            let base = receiver(w, argument);
            w.expr(ExprKind::Member, w.text(bare(field)), base, node)
        }
        "qualified_identifier" => {
            let base = path_before_name(w, node);
            let (name, _) = super::declarator::split_qualified(node);
            let name = w.text(bare(name));
            if base == NONE { w.expr(ExprKind::Name, name, NONE, node) } else { w.expr(ExprKind::Path, name, base, node) }
        }
        "template_function" => w.expr(ExprKind::Name, w.text(bare(node)), NONE, node),
        "call_expression" => call_expr(w, node),
        "new_expression" => match node.field("type") {
            Some(ty) => {
                let text = type_text(w, ty);
                w.expr(ExprKind::New, &text, NONE, node)
            }
            None => NONE,
        },
        "cast_expression" | "compound_literal_expression" => match node.field("type") {
            Some(ty) => {
                let text = type_text(w, ty);
                w.expr(ExprKind::Typed, &text, NONE, node)
            }
            None => NONE,
        },
        "pointer_expression" | "update_expression" => node.field("argument").map_or(NONE, |inner| w.expr_of(inner)),
        "co_await_expression" => match node.field("argument").map_or(NONE, |inner| w.expr_of(inner)) {
            NONE => NONE,
            base => w.expr(ExprKind::Unwrap, "", base, node),
        },
        "parenthesized_expression" => node.named_child(0).map_or(NONE, |inner| w.expr_of(inner)),
        "subscript_expression" => {
            let Some(argument) = node.field("argument") else { return NONE };
            let base = receiver(w, argument);
            w.expr(ExprKind::Index, "", base, node)
        }
        "assignment_expression" => node.field("right").map_or(NONE, |inner| w.expr_of(inner)),
        "conditional_expression" => {
            let branches = [node.field("consequence"), node.field("alternative")];
            branches.into_iter().flatten().map(|branch| w.expr_of(branch)).find(|found| *found != NONE).unwrap_or(NONE)
        }
        "string_literal" | "concatenated_string" | "raw_string_literal" => literal(w, "char *", node),
        "char_literal" => literal(w, "char", node),
        "true" | "false" => literal(w, "bool", node),
        "number_literal" => {
            let text = w.text(node);
            let float = !text.starts_with("0x") && text.contains(['.', 'e', 'E', 'f']);
            literal(w, if float { "double" } else { "int" }, node)
        }
        _ => NONE,
    }
}

fn call_expr(w: &mut Walker<'_>, node: Node<'_>) -> u32 {
    let Some(callee) = node.field("function") else { return NONE };
    let name = w.text(bare(super::declarator::split_qualified(callee).0));
    let told = match name {
        "static_cast" | "dynamic_cast" | "reinterpret_cast" | "const_cast" | "static_pointer_cast" | "dynamic_pointer_cast" => {
            Some(ExprKind::Typed)
        }
        "make_unique" | "make_shared" | "make_optional" => Some(ExprKind::New),
        // What is moved or forwarded is what it was.
        "move" | "forward" | "ref" | "cref" => {
            let argument = node.field("arguments").and_then(|list| list.named_child(0));
            let inner = argument.map_or(NONE, |argument| w.expr_of(argument));
            if inner != NONE && callee.kind() == "qualified_identifier" {
                return inner;
            }
            None
        }
        _ => None,
    };
    if let Some((kind, text)) = told.and_then(|kind| Some((kind, first_argument(w, callee)?))) {
        return w.expr(kind, &text, NONE, node);
    }
    let base = receiver(w, callee);
    w.expr(ExprKind::Call, "", base, node)
}
