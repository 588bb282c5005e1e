//! Expressions that stand in front of a dot or initialise a variable.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use crate::facts::model::{ExprKind, NONE, import_flag};
use crate::facts::walker::{Walker, one_line};

/// The expression in front of a dot or colon; one that says nothing is still there.
pub(super) fn receiver(w: &mut Walker<'_>, node: Node<'_>) -> u32 {
    match w.expr_of(node) {
        NONE => w.expr(ExprKind::Unknown, "", NONE, node),
        known => known,
    }
}

/// The content of a string literal.
pub(super) fn string_text<'a>(w: &Walker<'a>, node: Node<'_>) -> Option<&'a str> {
    if node.kind() != "string" {
        return None;
    }
    Some(node.field("content").map_or("", |content| w.text(content)))
}

/// The module that `require "module"` asks for.
pub(super) fn required<'a>(w: &Walker<'a>, node: Node<'_>) -> Option<&'a str> {
    let callee = (node.kind() == "function_call").then(|| node.field("name")).flatten()?;
    if w.text(callee) != "require" {
        return None;
    }
    string_text(w, node.field("arguments")?.named_child(0)?)
}

/// The import of a `require`; without a name of its own the module is known as `require module`.
pub(super) fn import(w: &mut Walker<'_>, node: Node<'_>, alias: &str) {
    let Some(module) = required(w, node) else { return };
    let place = node.field("arguments").and_then(|list| list.named_child(0)).unwrap_or(node);
    let inline = if alias.is_empty() { inline_name(module) } else { alias.to_owned() };
    w.import(place, module, "", &inline, import_flag::MODULE);
}

fn inline_name(module: &str) -> String {
    format!("require {module}")
}

/// The hook of the language.
pub(super) fn expr(w: &mut Walker<'_>, node: Node<'_>) -> u32 {
    let literal = |w: &mut Walker<'_>, name: &str| w.expr(ExprKind::Literal, name, NONE, node);
    match node.kind() {
        "identifier" => w.expr(ExprKind::Name, w.text(node), NONE, node),
        "dot_index_expression" | "method_index_expression" => {
            let last = node.field("method").or_else(|| node.field("field"));
            let (Some(table), Some(last)) = (node.field("table"), last) else { return NONE };
            let base = receiver(w, table);
            w.expr(ExprKind::Member, w.text(last), base, node)
        }
        "bracket_index_expression" => {
            let Some(table) = node.field("table") else { return NONE };
            let base = receiver(w, table);
            w.expr(ExprKind::Index, "", base, node)
        }
        "function_call" => call(w, node),
        "parenthesized_expression" => node.named_child(0).map_or(NONE, |inner| w.expr_of(inner)),
        "string" => literal(w, "string"),
        "number" => literal(w, "number"),
        "true" | "false" => literal(w, "boolean"),
        "binary_expression" => {
            let (left, right) = (node.field("left"), node.field("right"));
            // `a or b`, `cond and a`.
            let and = node.field("operator").is_some_and(|operator| operator.kind() == "and");
            let or = node.field("operator").is_some_and(|operator| operator.kind() == "or");
            let choices = match (and, or) {
                (true, _) => [right, None],
                (_, true) => [left, right],
                _ => return NONE,
            };
            choices.into_iter().flatten().map(|choice| w.expr_of(choice)).find(|found| *found != NONE).unwrap_or(NONE)
        }
        _ => NONE,
    }
}

fn call(w: &mut Walker<'_>, node: Node<'_>) -> u32 {
    if let Some(module) = required(w, node) {
        let name = inline_name(module);
        return w.expr(ExprKind::Name, &name, NONE, node);
    }
    let Some(callee) = node.field("name") else { return NONE };
    if callee.kind() == "identifier" && w.text(callee) == "setmetatable" {
        return made(w, node);
    }
    let base = receiver(w, callee);
    w.expr(ExprKind::Call, "", base, node)
}

/// `setmetatable({}, Class)`, `setmetatable({}, { __index = Class })`; of a named table it gives that table.
fn made(w: &mut Walker<'_>, node: Node<'_>) -> u32 {
    let Some(list) = node.field("arguments") else { return NONE };
    let (Some(object), Some(meta)) = (list.named_child(0), list.named_child(1)) else { return NONE };
    if object.kind() != "table_constructor" {
        let own = w.expr_of(object);
        let parameter = object.kind() == "identifier" && w.in_function();
        if own != NONE && !parameter {
            return own;
        }
    }
    let class = if meta.kind() == "table_constructor" { index_of(w, meta) } else { Some(meta) };
    match class {
        Some(class) if w.text(class) == "self" => w.expr(ExprKind::New, "self", NONE, node),
        Some(class) if matches!(class.kind(), "identifier" | "dot_index_expression") => {
            let text = one_line(w.text(class), 200);
            w.expr(ExprKind::New, &text, NONE, node)
        }
        _ => NONE,
    }
}

/// The value of `__index` in a table.
pub(super) fn index_of<'t>(w: &Walker<'_>, table: Node<'t>) -> Option<Node<'t>> {
    let mut cursor = table.walk();
    let is_index = |field: &Node<'t>| field.field("name").is_some_and(|name| w.text(name) == "__index");
    let found = table.named_children(&mut cursor).find(is_index);
    found?.field("value")
}
