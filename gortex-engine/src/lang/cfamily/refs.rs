//! References of C and C++: calls, reads, writes, what is made.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::declarator::{bare, split_qualified};
use super::expr::{path_before_name, receiver, type_text};
use super::{DEPTH, types};
use crate::facts::model::{ExprKind, NONE, Role, Usage};
use crate::facts::walker::Walker;
use crate::lang::common::arg_count;

/// A bare name in value position.
pub(in crate::lang) fn identifier(w: &mut Walker<'_>, node: Node<'_>) {
    if !node.is_missing() {
        w.reference(node, Role::Read, NONE);
    }
}

/// `a.b`, `a->b`.
pub(in crate::lang) fn field(w: &mut Walker<'_>, node: Node<'_>) {
    member(w, node, Role::Read);
}

fn member(w: &mut Walker<'_>, node: Node<'_>, role: Role) -> Option<u32> {
    let (argument, field) = (node.field("argument")?, node.field("field")?);
    let recv = receiver(w, argument);
    let name = bare(split_qualified(field).0);
    let row = w.reference(name, role, recv);
    if name.id() != field.id() {
        w.visit_field(field, "arguments");
    }
    w.visit(argument);
    Some(row)
}

/// The function under parentheses and stars: `(*p->f)`.
fn callee(node: Node<'_>) -> Node<'_> {
    let mut node = node;
    for _ in 0..DEPTH {
        let next = match node.kind() {
            "parenthesized_expression" => node.named_child(0),
            "pointer_expression" => node.field("argument"),
            _ => None,
        };
        let Some(next) = next else { break };
        node = next;
    }
    node
}

fn is_cast(name: &str) -> bool {
    matches!(name, "static_cast" | "dynamic_cast" | "reinterpret_cast" | "const_cast")
}

/// `f(..)`.
pub(in crate::lang) fn call(w: &mut Walker<'_>, node: Node<'_>) {
    let Some(function) = node.field("function") else { return w.visit_children(node) };
    let arguments = node.field("arguments");
    let args = arguments.filter(|list| list.kind() == "argument_list").map(arg_count);
    let usage = w.result_use();
    let function = callee(function);
    let row = match function.kind() {
        "identifier" => Some(w.reference(function, Role::Call, NONE)),
        "field_expression" => member(w, function, Role::Call),
        "qualified_identifier" => Some(qualified_as(w, function, Role::Call)),
        "template_function" => {
            let name = bare(function);
            let row = (!is_cast(w.text(name))).then(|| w.reference(name, Role::Call, NONE));
            w.visit_field(function, "arguments");
            row
        }
        "primitive_type" => None,
        _ => {
            w.visit(function);
            None
        }
    };
    if let Some(row) = row {
        w.call_detail(row, args, usage);
    }
    if let Some(arguments) = arguments {
        w.visit(arguments);
    }
}

/// `a::b` in value position.
pub(in crate::lang) fn qualified(w: &mut Walker<'_>, node: Node<'_>) {
    qualified_as(w, node, Role::Read);
}

/// Records the last segment in a role, and the segments before it as what they are.
pub(super) fn qualified_as(w: &mut Walker<'_>, node: Node<'_>, role: Role) -> u32 {
    let recv = path_before_name(w, node);
    let (name, _) = split_qualified(node);
    let inner = bare(name);
    let row = w.reference(inner, role, recv);
    if inner.id() != name.id() {
        w.visit_field(name, "arguments");
    }
    scopes(w, node);
    row
}

/// Mentions of the qualifiers of a qualified name.
pub(super) fn scopes(w: &mut Walker<'_>, node: Node<'_>) {
    let mut at = node;
    let mut before = NONE;
    for _ in 0..DEPTH {
        if at.kind() != "qualified_identifier" {
            break;
        }
        if let Some(scope) = at.field("scope") {
            let name = bare(scope);
            let text = w.text(name);
            if scope.kind() == "decltype" {
                w.visit(scope);
            } else {
                w.reference(name, Role::Type, before);
                if name.id() != scope.id() {
                    w.visit_field(scope, "arguments");
                }
            }
            before = if before == NONE {
                w.expr(ExprKind::Name, text, NONE, name)
            } else {
                w.expr(ExprKind::Path, text, before, name)
            };
        }
        let Some(inner) = at.field("name") else { break };
        at = inner;
    }
}

/// `f<T>` without a call.
pub(in crate::lang) fn template_function(w: &mut Walker<'_>, node: Node<'_>) {
    w.reference(bare(node), Role::Read, NONE);
    w.visit_field(node, "arguments");
}

fn write(w: &mut Walker<'_>, target: Node<'_>) {
    match callee(target).kind() {
        "identifier" if target.kind() == "identifier" => {
            w.reference(target, Role::Write, NONE);
        }
        "field_expression" if target.kind() == "field_expression" => {
            member(w, target, Role::Write);
        }
        "qualified_identifier" if target.kind() == "qualified_identifier" => {
            qualified_as(w, target, Role::Write);
        }
        _ => w.visit(target),
    }
}

/// `a = b`, `a += b`.
pub(in crate::lang) fn assignment(w: &mut Walker<'_>, node: Node<'_>) {
    if let Some(left) = node.field("left") {
        write(w, left);
    }
    w.visit_field(node, "right");
}

/// `a++`.
pub(in crate::lang) fn update(w: &mut Walker<'_>, node: Node<'_>) {
    if let Some(argument) = node.field("argument") {
        write(w, argument);
    }
}

/// `(T){ .. }`, `T{ .. }`.
pub(in crate::lang) fn compound_literal(w: &mut Walker<'_>, node: Node<'_>) {
    let (ty, value) = (node.field("type"), node.field("value"));
    let mut made = NONE;
    if let Some(ty) = ty {
        types::type_as(w, ty, Role::Instantiate);
        let text = type_text(w, ty);
        made = w.expr(ExprKind::Typed, &text, NONE, ty);
    }
    if let Some(value) = value {
        initializer(w, value, made, 0);
    }
}

/// `new T(..)`.
pub(in crate::lang) fn new(w: &mut Walker<'_>, node: Node<'_>) {
    let arguments = node.field("arguments");
    if let Some(ty) = node.field("type") {
        let usage = w.result_use();
        if let Some(row) = types::type_as(w, ty, Role::Instantiate) {
            let args = arguments.filter(|list| list.kind() == "argument_list").map_or(Some(0), |list| Some(arg_count(list)));
            w.call_detail(row, args, usage);
        }
    }
    for field in ["placement", "declarator", "arguments"] {
        w.visit_field(node, field);
    }
}

/// `offsetof(T, member)`.
pub(in crate::lang) fn offset_of(w: &mut Walker<'_>, node: Node<'_>) {
    let (Some(ty), Some(member)) = (node.field("type"), node.field("member")) else { return };
    let text = type_text(w, ty);
    let recv = w.expr(ExprKind::Typed, &text, NONE, ty);
    w.reference(member, Role::Read, recv);
    w.visit(ty);
}

/// `.a = b` in a list whose type nobody says.
pub(in crate::lang) fn stray_pair(w: &mut Walker<'_>, node: Node<'_>) {
    initializer(w, node, NONE, 0);
}

/// An initial value; `made` is the value being initialised, whose members the designators name.
pub(super) fn initializer(w: &mut Walker<'_>, node: Node<'_>, made: u32, depth: u32) {
    match node.kind() {
        "initializer_list" if depth < DEPTH => w.for_children(node, |w, item| initializer(w, item, made, depth + 1)),
        "initializer_pair" if depth < DEPTH => {
            let value = node.field("value");
            let mut inner = made;
            w.for_children(node, |w, part| {
                if value.is_some_and(|value| value.id() == part.id()) {
                    return;
                }
                let name = match part.kind() {
                    "field_designator" => part.named_child(0),
                    "field_identifier" => Some(part),
                    _ => {
                        w.visit(part);
                        None
                    }
                };
                if let Some(name) = name {
                    let recv = if inner == NONE { w.expr(ExprKind::Unknown, "", NONE, name) } else { inner };
                    let row = w.reference(name, Role::Write, recv);
                    w.call_detail(row, None, Usage::Unknown);
                    inner = w.expr(ExprKind::Member, w.text(name), recv, name);
                }
            });
            if let Some(value) = value {
                initializer(w, value, inner, depth + 1);
            }
        }
        _ => w.visit(node),
    }
}
