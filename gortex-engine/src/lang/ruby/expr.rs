//! Expressions that stand in front of a dot or initialise a variable.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use crate::facts::model::{ExprKind, NONE};
use crate::facts::walker::{Walker, one_line};

/// The name of the top of all constants, as in `::A`.
pub(super) const TOP: &str = "::";
/// The name under which the class of `self` is known to linking.
const OWN_CLASS: &str = "self.class";

/// The expression in front of a dot; one that says nothing is still there.
pub(super) fn receiver(w: &mut Walker<'_>, node: Node<'_>) -> u32 {
    match w.expr_of(node) {
        NONE => w.expr(ExprKind::Unknown, "", NONE, node),
        known => known,
    }
}

/// What stands in front of the last `::`.
pub(super) fn scope(w: &mut Walker<'_>, node: Node<'_>) -> u32 {
    match node.field("scope") {
        Some(scope) => receiver(w, scope),
        None => w.expr(ExprKind::Name, TOP, NONE, node),
    }
}

/// The last statement of a body that ends with its value; one with `rescue` may end with another.
pub(super) fn last_statement(body: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = body.walk();
    let children: Vec<_> = body.named_children(&mut cursor).filter(|child| !child.is_extra()).collect();
    let handled = children.iter().any(|child| matches!(child.kind(), "rescue" | "else"));
    if handled { None } else { children.into_iter().rfind(|child| child.kind() != "ensure") }
}

/// The hook of the language.
pub(super) fn expr(w: &mut Walker<'_>, node: Node<'_>) -> u32 {
    let literal = |w: &mut Walker<'_>, name: &str| w.expr(ExprKind::Literal, name, NONE, node);
    match node.kind() {
        "identifier" if w.text(node) == "new" => w.expr(ExprKind::New, "self", NONE, node),
        "identifier" | "constant" | "global_variable" => w.expr(ExprKind::Name, w.text(node), NONE, node),
        "self" => w.expr(ExprKind::SelfRef, "", NONE, node),
        "instance_variable" | "class_variable" => {
            let base = w.expr(ExprKind::SelfRef, "", NONE, node);
            w.expr(ExprKind::Member, w.text(node), base, node)
        }
        "scope_resolution" => {
            let Some(name) = node.field("name") else { return NONE };
            let base = scope(w, node);
            w.expr(ExprKind::Path, w.text(name), base, node)
        }
        "call" => call(w, node),
        "string" | "chained_string" | "heredoc_beginning" | "interpolation" => literal(w, "String"),
        "integer" => literal(w, "Integer"),
        "float" => literal(w, "Float"),
        "array" | "string_array" | "symbol_array" => literal(w, "Array"),
        "hash" => literal(w, "Hash"),
        "simple_symbol" | "delimited_symbol" => literal(w, "Symbol"),
        "regex" => literal(w, "Regexp"),
        "lambda" => literal(w, "Proc"),
        "true" | "false" => literal(w, "TrueClass"),
        "range" => literal(w, "Range"),
        "parenthesized_statements" | "begin" => last_statement(node).map_or(NONE, |inner| w.expr_of(inner)),
        "assignment" | "operator_assignment" => node.field("right").map_or(NONE, |inner| w.expr_of(inner)),
        "return" => {
            let list = node.named_child(0).filter(|list| list.named_child_count() == 1);
            list.and_then(|list| list.named_child(0)).map_or(NONE, |inner| w.expr_of(inner))
        }
        "element_reference" => {
            let Some(object) = node.field("object") else { return NONE };
            let base = receiver(w, object);
            w.expr(ExprKind::Index, "", base, node)
        }
        "conditional" => first_known(w, [node.field("consequence"), node.field("alternative")]),
        "binary" => binary(w, node),
        _ => NONE,
    }
}

fn binary(w: &mut Walker<'_>, node: Node<'_>) -> u32 {
    let (left, right) = (node.field("left"), node.field("right"));
    match node.field("operator").map_or("", |operator| operator.kind()) {
        "||" | "or" => first_known(w, [left, right]),
        "&&" | "and" => right.map_or(NONE, |right| w.expr_of(right)),
        "==" | "!=" | "<" | ">" | "<=" | ">=" | "=~" | "!~" | "===" => w.expr(ExprKind::Literal, "TrueClass", NONE, node),
        _ => NONE,
    }
}

fn first_known(w: &mut Walker<'_>, choices: [Option<Node<'_>>; 2]) -> u32 {
    choices.into_iter().flatten().map(|choice| w.expr_of(choice)).find(|found| *found != NONE).unwrap_or(NONE)
}

fn call(w: &mut Walker<'_>, node: Node<'_>) -> u32 {
    let Some(name) = node.field("method") else { return NONE };
    let text = w.text(name);
    let Some(object) = node.field("receiver") else {
        return match text {
            // A class method makes one of its own kind.
            "new" => w.expr(ExprKind::New, "self", NONE, node),
            "lambda" | "proc" => w.expr(ExprKind::Literal, "Proc", NONE, node),
            _ => {
                let base = w.expr(ExprKind::Name, text, NONE, name);
                w.expr(ExprKind::Call, "", base, node)
            }
        };
    };
    match (object.kind(), text) {
        ("constant" | "scope_resolution", "new") => {
            let ty = one_line(w.text(object), 200);
            match ty.as_str() {
                "Struct" | "Class" | "Module" => NONE,
                _ => w.expr(ExprKind::New, &ty, NONE, node),
            }
        }
        ("self", "class") => w.expr(ExprKind::Name, OWN_CLASS, NONE, node),
        ("self", "new") => w.expr(ExprKind::New, "self", NONE, node),
        ("call", "new") if w.text(object) == OWN_CLASS => w.expr(ExprKind::New, "self", NONE, node),
        // What hands out its receiver, maybe copied.
        (_, "freeze" | "dup" | "clone" | "tap" | "itself") => w.expr_of(object),
        (_, "to_s" | "inspect") => w.expr(ExprKind::Literal, "String", NONE, node),
        _ => {
            let base = receiver(w, object);
            let member = w.expr(ExprKind::Member, text, base, name);
            w.expr(ExprKind::Call, "", member, node)
        }
    }
}
