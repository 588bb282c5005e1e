//! Swift's statements: what they bind, and what a pattern's `.case` belongs to.
//!
//! `if let x = v`, `guard case .a(let x) = v` come as a flat row of tokens; they are read from left to right.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::members::is_type;
use super::values::{type_text, types};
use crate::facts::model::{ExprKind, NONE, Role};
use crate::facts::walker::Walker;
use crate::lang::nodes::{child_of_kind, named_children, over, receiver};

/// Binds the names of a pattern; the value goes to a name that stands alone.
pub(super) fn bind_pattern(walker: &mut Walker<'_>, pattern: Node<'_>, ty: &str, init: u32, at: usize) {
    let parts = named_children(pattern);
    for part in parts.iter().filter(|part| !matches!(part.kind(), "value_binding_pattern" | "wildcard_pattern")) {
        match part.kind() {
            "simple_identifier" => {
                walker.bind(*part, Some(ty), init, at);
            }
            "pattern" => walker.nested(|walker| bind_pattern(walker, *part, "", NONE, at)),
            _ => {}
        }
    }
}

/// `if` and `while`: what a condition binds ends with the statement.
pub(super) fn conditional(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.in_scope(|walker| conditions(walker, node));
}

/// What `guard` binds lives on behind it.
pub(super) fn guard(walker: &mut Walker<'_>, node: Node<'_>) {
    conditions(walker, node);
}

/// What has been read of one condition.
#[derive(Default)]
struct Condition<'t> {
    name: Option<Node<'t>>,
    ty: Option<Node<'t>>,
    /// The `a` of `case .a(..) =`.
    case: Option<Node<'t>>,
    patterns: Vec<Node<'t>>,
    is_case: bool,
    after_dot: bool,
    is_value: bool,
}

fn conditions(walker: &mut Walker<'_>, node: Node<'_>) {
    let mut now = Condition::default();
    let mut cursor = node.walk();
    let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
    for child in children {
        match child.kind() {
            "case" => now = Condition { is_case: true, ..Condition::default() },
            "." if now.is_case && !now.is_value => now.after_dot = true,
            "=" => now.is_value = true,
            "," if !now.is_case => now = Condition::default(),
            "value_binding_pattern" => now = Condition { is_case: now.is_case, case: now.case, ..Condition::default() },
            "type_annotation" => now.ty = named_children(child).into_iter().find(|child| is_type(*child)),
            "simple_identifier" if now.after_dot && !now.is_value => {
                now.case = Some(child);
                now.after_dot = false;
            }
            "pattern" => now.patterns.push(child),
            "simple_identifier" if !now.is_value && is_bound(node, child) => now.name = Some(child),
            _ if !child.is_named() => {}
            _ if now.is_value => {
                let done = std::mem::take(&mut now);
                condition(walker, &done, child);
            }
            _ => walker.visit(child),
        }
    }
}

/// Whether a child stands in the field of bound names.
fn is_bound(node: Node<'_>, child: Node<'_>) -> bool {
    let mut cursor = node.walk();
    node.children_by_field_name("bound_identifier", &mut cursor).any(|other| other.id() == child.id())
}

fn condition(walker: &mut Walker<'_>, done: &Condition<'_>, value: Node<'_>) {
    walker.visit(value);
    let init = walker.expr_of(value);
    let subject = if init == NONE { receiver(walker, value) } else { init };
    if let Some(case) = done.case {
        walker.reference(case, Role::Read, subject);
    }
    for part in &done.patterns {
        let subject = if done.case.is_none() { subject } else { NONE };
        pattern(walker, *part, done.is_case, subject, value.end_byte());
    }
    if let Some(name) = done.name {
        let text = done.ty.map(|ty| type_text(walker, ty)).unwrap_or_default();
        if let Some(ty) = done.ty {
            types(walker, ty, Role::Type);
        }
        if walker.text(name) != "self" {
            let init = over(walker, ExprKind::Unwrap, "", init, value);
            walker.bind(name, Some(&text), init, value.end_byte());
        }
    }
}

/// A pattern: `.a(let x)`, `let .b(y)`, `let x as T`, `(a, b)`. `subject` is what it takes apart.
fn pattern(walker: &mut Walker<'_>, node: Node<'_>, binds: bool, subject: u32, at: usize) {
    let mut binds = binds && child_of_kind(node, "value_binding_pattern").is_some();
    let mut after_dot = false;
    let mut bound = None;
    let mut path = Vec::new();
    let mut cursor = node.walk();
    let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
    // `.a` loses its dot where nothing else follows; then the name alone is left.
    let is_case = walker.text(node).trim_start_matches("let ").trim_start_matches("var ").starts_with('.');
    for child in children {
        match child.kind() {
            "value_binding_pattern" => binds = true,
            "." => after_dot = true,
            "user_type" if !after_dot => path.push(child),
            "simple_identifier" if after_dot || (is_case && path.is_empty() && bound.is_none()) => {
                let subject = match path.first() {
                    Some(ty) => {
                        let text = type_text(walker, *ty);
                        walker.expr(ExprKind::Typed, &text, NONE, *ty)
                    }
                    None if subject == NONE => walker.expr(ExprKind::Unknown, "", NONE, child),
                    None => subject,
                };
                walker.reference(child, Role::Read, subject);
                after_dot = false;
                bound = Some(child);
            }
            "simple_identifier" if binds || is_bound(node, child) => {
                walker.bind(child, None, subject, at);
                bound = Some(child);
            }
            "pattern" => {
                let inner = if bound.is_none() { subject } else { NONE };
                walker.nested(
                    |walker| {
                        if binds { bind_all(walker, child, inner, at) } else { pattern(walker, child, true, inner, at) }
                    },
                );
            }
            kind if kind.ends_with("_type") => {
                types(walker, child, Role::Type);
                if let Some(name) = first_name(node) {
                    let text = type_text(walker, child);
                    walker.bind(name, Some(&text), NONE, at);
                }
            }
            _ if child.is_named() && child.kind() != "wildcard_pattern" => walker.visit(child),
            _ => {}
        }
    }
    for ty in path {
        types(walker, ty, Role::Type);
    }
}

/// Every name in a pattern behind `let`.
fn bind_all(walker: &mut Walker<'_>, node: Node<'_>, subject: u32, at: usize) {
    let is_case = walker.text(node).starts_with('.');
    if is_case {
        return pattern(walker, node, true, subject, at);
    }
    for part in named_children(node) {
        match part.kind() {
            "simple_identifier" => {
                walker.bind(part, None, NONE, at);
            }
            "pattern" => walker.nested(|walker| bind_all(walker, part, NONE, at)),
            _ => {}
        }
    }
}

/// The first name in a pattern.
fn first_name(node: Node<'_>) -> Option<Node<'_>> {
    let mut at = node;
    for _ in 0..8 {
        let parts = named_children(at);
        if let Some(name) = parts.iter().find(|part| part.kind() == "simple_identifier") {
            return Some(*name);
        }
        at = parts.into_iter().find(|part| part.kind() == "pattern")?;
    }
    None
}

pub(super) fn for_loop(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.in_scope(|walker| {
        let collection = node.field("collection");
        let base = collection.map_or(NONE, |collection| walker.expr_of(collection));
        if let Some(collection) = collection {
            walker.visit(collection);
        }
        if let Some(item) = node.field("item") {
            let init = over(walker, ExprKind::Element, "", base, node);
            bind_pattern(walker, item, "", init, item.end_byte());
        }
        let skipped = [node.field("item"), collection];
        walker.visit_children_except(node, &skipped);
    });
}

pub(super) fn switch(walker: &mut Walker<'_>, node: Node<'_>) {
    let value = node.field("expr");
    let subject = value.map_or(NONE, |value| walker.expr_of(value));
    if let Some(value) = value {
        walker.visit(value);
    }
    walker.for_children(node, |walker, entry| {
        if entry.kind() == "switch_entry" {
            walker.in_scope(|walker| switch_entry(walker, entry, subject));
        } else if Some(entry.id()) != value.map(|value| value.id()) {
            walker.visit(entry);
        }
    });
}

fn switch_entry(walker: &mut Walker<'_>, entry: Node<'_>, subject: u32) {
    walker.for_children(entry, |walker, child| {
        if child.kind() != "switch_pattern" {
            return walker.visit(child);
        }
        walker.for_children(child, |walker, part| match part.kind() {
            "pattern" => pattern(walker, part, true, subject, part.end_byte()),
            _ => walker.visit(part),
        });
    });
}

pub(super) fn catch_block(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.in_scope(|walker| {
        let error = node.field("error");
        match error {
            Some(error) => pattern(walker, error, true, NONE, error.end_byte()),
            None => {
                walker.bind_text("error", Some("Error"), NONE, node.start_byte());
            }
        }
        walker.visit_children_except(node, &[error]);
    });
}
