//! What binds names in Ruby: assignments, parameters, `for`, `rescue`, patterns.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::expr::receiver;
use super::{DEFINED, LOCAL, body, container, documented, in_body, split_name};
use crate::facts::model::{ExprKind, Kind, NONE, Role, Visibility, flag};
use crate::facts::walker::{NewDef, Walker, one_line};

/// Nesting of patterns that is followed.
const DEPTH: u32 = 40;

/// Declares a local variable of the method or block around.
pub(super) fn local(w: &mut Walker<'_>, name: Node<'_>, ty: Option<&str>, init: u32, at: usize) {
    let owner = w.owner();
    w.claim(owner, LOCAL, w.text(name));
    w.bind(name, ty, init, at);
}

/// Parameters of a method, block or lambda: how many, and whether any number is taken.
pub(super) fn parameters(w: &mut Walker<'_>, list: Node<'_>) -> (u16, bool) {
    let (mut count, mut variadic) = (0u16, false);
    w.for_children(list, |w, child| {
        let name = child.field("name").or_else(|| (child.kind() == "identifier").then_some(child));
        match child.kind() {
            "splat_parameter" | "hash_splat_parameter" | "forward_parameter" => variadic = true,
            "destructured_parameter" => {
                count = count.saturating_add(1);
                parameters(w, child);
            }
            "block_parameter" => {}
            _ if child.is_extra() => return,
            _ => count = count.saturating_add(1),
        }
        if let Some(name) = name {
            let value = child.field("value");
            let init = value.map_or(NONE, |value| w.expr_of(value));
            let literal = init != NONE && w.rows.exprs[init as usize].kind() == ExprKind::Literal;
            // A default only tells what may come, and a literal tells too little.
            local(w, name, None, if literal { NONE } else { init }, name.start_byte());
            if let Some(value) = value {
                w.visit(value);
            }
        }
    });
    (count, variadic)
}

/// `left = right`.
pub(super) fn assignment(w: &mut Walker<'_>, node: Node<'_>) {
    let (Some(left), right) = (node.field("left"), node.field("right")) else {
        return w.visit_children(node);
    };
    if matches!(left.kind(), "constant" | "scope_resolution") && !w.in_function() {
        return constant(w, node, left, right);
    }
    let field = matches!(left.kind(), "instance_variable" | "class_variable").then(|| field(w, node, left)).flatten();
    match (field, right) {
        (Some(field), Some(right)) if w.owner_kind().is_none_or(|kind| !kind.is_callable()) => {
            w.owned_by(field, |w| w.visit(right));
        }
        (_, Some(right)) => w.visit(right),
        _ => {}
    }
    let init = right.map_or(NONE, |right| w.expr_of(right));
    if let Some(field) = field {
        w.def_mut(field).init = init;
        return;
    }
    if left.kind() == "left_assignment_list" {
        return many(w, left, right, node.end_byte());
    }
    target(w, left, init, node.end_byte(), 0);
}

/// `left ||= right`, `left += right`.
pub(super) fn operator_assignment(w: &mut Walker<'_>, node: Node<'_>) {
    let operator = node.field("operator").map_or("", |operator| operator.kind());
    if matches!(operator, "||=" | "=") {
        return assignment(w, node);
    }
    let (left, right) = (node.field("left"), node.field("right"));
    if let Some(right) = right {
        w.visit(right);
    }
    match left {
        Some(left) if left.kind() == "identifier" => {}
        Some(left) => target(w, left, NONE, node.end_byte(), 0),
        None => {}
    }
}

/// `a, b = c, d`: each gets its part where they are as many.
fn many(w: &mut Walker<'_>, left: Node<'_>, right: Option<Node<'_>>, at: usize) {
    let list = right.filter(|right| matches!(right.kind(), "right_assignment_list" | "array"));
    let mut cursor = left.walk();
    let names: Vec<_> = left.named_children(&mut cursor).filter(|child| !child.is_extra()).collect();
    let values: Vec<_> = list.map_or(Vec::new(), |list| {
        let mut cursor = list.walk();
        list.named_children(&mut cursor).filter(|child| !child.is_extra()).collect()
    });
    let paired = values.len() == names.len()
        && !names.iter().any(|name| name.kind() == "rest_assignment")
        && !values.iter().any(|value| value.kind() == "splat_argument");
    for (slot, name) in names.into_iter().enumerate() {
        let init = if paired { w.expr_of(values[slot]) } else { NONE };
        target(w, name, init, at, 1);
    }
}

fn target(w: &mut Walker<'_>, node: Node<'_>, init: u32, at: usize, depth: u32) {
    if depth > DEPTH {
        return;
    }
    match node.kind() {
        "identifier" => local(w, node, None, init, at),
        "instance_variable" | "class_variable" => {
            if let Some(field) = field(w, node, node) {
                w.def_mut(field).init = init;
            }
        }
        "global_variable" => global(w, node, init),
        "call" => {
            let (Some(object), Some(name)) = (node.field("receiver"), node.field("method")) else {
                return w.visit(node);
            };
            let recv = receiver(w, object);
            w.reference(name, Role::Write, recv);
            w.visit(object);
        }
        "left_assignment_list" | "destructured_left_assignment" | "rest_assignment" => {
            w.for_children(node, |w, child| target(w, child, NONE, at, depth + 1));
        }
        _ => w.visit(node),
    }
}

fn global(w: &mut Walker<'_>, node: Node<'_>, init: u32) {
    let text = w.text(node);
    if w.owner() == NONE && w.claim(NONE, DEFINED, text) {
        let def = w.define(documented(w, NewDef::new(Kind::Variable, node, node).flags(flag::EXPORTED)));
        w.def_mut(def).init = init;
    } else {
        w.reference(node, Role::Write, NONE);
    }
}

/// The first assignment of an instance or class variable defines it; a later one writes to it, and says what it is when the
/// first did not.
fn field(w: &mut Walker<'_>, statement: Node<'_>, name: Node<'_>) -> Option<u32> {
    let text = w.text(name);
    let Some(class) = container(w).filter(|class| w.claim(*class, DEFINED, text)) else {
        let recv = w.expr(ExprKind::SelfRef, "", NONE, name);
        w.reference(name, Role::Write, recv);
        return container(w).and_then(|class| without_value(w, class, text));
    };
    let belongs = if name.kind() == "class_variable" || in_body(w) { flag::STATIC } else { 0 };
    let new = documented(w, NewDef::new(Kind::Field, statement, name).visibility(Visibility::Private).flags(belongs));
    let mut def = NONE;
    w.owned_by(class, |w| def = w.define(new));
    Some(def)
}

/// The field that is known by name alone.
fn without_value(w: &Walker<'_>, class: u32, name: &str) -> Option<u32> {
    let is_it =
        |row: &crate::facts::model::DefRow| row.parent == class && row.kind() == Kind::Field && w.string(row.name) == name;
    let found = w.rows.defs.iter().position(is_it)?;
    (w.rows.defs[found].init == NONE).then_some(found as u32)
}

pub(super) fn variable_read(w: &mut Walker<'_>, node: Node<'_>) {
    let recv = w.expr(ExprKind::SelfRef, "", NONE, node);
    w.reference(node, Role::Read, recv);
}

/// `NAME = value`, also where the value is a class made on the spot.
fn constant(w: &mut Walker<'_>, node: Node<'_>, left: Node<'_>, right: Option<Node<'_>>) {
    let (name, scope) = split_name(left);
    let made = right.and_then(|right| body::made_class(w, right));
    let kind = made.map_or(Kind::Constant, |(kind, _)| kind);
    let signature_end = made.and_then(|_| right?.field("block"));
    let new = NewDef::new(kind, node, name).body(signature_end).visibility(Visibility::Public).flags(flag::EXPORTED);
    let def = w.define(documented(w, new));
    if let Some(scope) = scope {
        w.def_mut(def).owner_type = w.intern(&one_line(w.text(scope), 200));
        w.visit(scope);
    }
    let Some(right) = right else { return };
    if let Some((_, arguments)) = made {
        return body::fill_made_class(w, def, right, arguments);
    }
    let init = w.expr_of(right);
    w.def_mut(def).init = init;
    w.owned_by(def, |w| w.visit(right));
}

/// `for x in list`.
pub(super) fn for_loop(w: &mut Walker<'_>, node: Node<'_>) {
    w.visit_field(node, "value");
    if let Some(pattern) = node.field("pattern") {
        target(w, pattern, NONE, pattern.start_byte(), 0);
    }
    w.visit_field(node, "body");
}

/// `rescue A, B => e`.
pub(super) fn rescue(w: &mut Walker<'_>, node: Node<'_>) {
    let exceptions = node.field("exceptions");
    let mut only = None;
    if let Some(list) = exceptions {
        only = list.named_child(0).filter(|_| list.named_child_count() == 1);
        w.for_children(list, |w, child| match child.kind() {
            "constant" => drop(w.reference(child, Role::Type, NONE)),
            "scope_resolution" => super::constant(w, child, Role::Type),
            _ => w.visit(child),
        });
    }
    if let Some(name) = node.field("variable").and_then(|variable| variable.named_child(0)) {
        let ty = only.filter(|only| only.kind() != "splat_argument").map(|only| one_line(w.text(only), 200));
        if name.kind() == "identifier" {
            local(w, name, ty.as_deref(), NONE, name.start_byte());
        } else {
            target(w, name, NONE, name.start_byte(), 0);
        }
    }
    w.visit_field(node, "body");
}

/// `in pattern`.
pub(super) fn in_clause(w: &mut Walker<'_>, node: Node<'_>) {
    let pattern = node.field("pattern");
    if let Some(pattern) = pattern {
        names_of_pattern(w, pattern, 0);
    }
    w.visit_children_except(node, &[pattern]);
}

fn names_of_pattern(w: &mut Walker<'_>, node: Node<'_>, depth: u32) {
    if depth > DEPTH {
        return;
    }
    match node.kind() {
        "identifier" => local(w, node, None, NONE, node.start_byte()),
        "constant" => drop(w.reference(node, Role::Type, NONE)),
        "scope_resolution" => super::constant(w, node, Role::Type),
        "keyword_pattern" => match node.field("value") {
            Some(value) => names_of_pattern(w, value, depth + 1),
            None => {
                if let Some(key) = node.field("key") {
                    local(w, key, None, NONE, key.start_byte());
                }
            }
        },
        "expression_reference_pattern" | "variable_reference_pattern" | "string" => w.visit(node),
        _ => w.for_children(node, |w, child| names_of_pattern(w, child, depth + 1)),
    }
}
