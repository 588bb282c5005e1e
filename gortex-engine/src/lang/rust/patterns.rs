//! Patterns: what they bind and what is known of it.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::{exprs, is_upper, types};
use crate::facts::model::{ExprKind, NONE, Role};
use crate::facts::walker::Walker;

/// What is known of the value that a pattern takes apart.
#[derive(Debug, Clone, Copy)]
pub(super) struct Origin<'t> {
    /// The declared type.
    pub ty: Option<Node<'t>>,
    /// The value's expression row, or [`NONE`].
    pub init: u32,
    /// The value's node, where it may itself be a tuple.
    pub value: Option<Node<'t>>,
    /// Where the names become visible.
    pub at: usize,
}

impl Origin<'_> {
    /// Nothing known but where the names become visible.
    pub fn at(at: usize) -> Self {
        Origin { ty: None, init: NONE, value: None, at }
    }

    /// A value of this expression row.
    pub fn of(init: u32, at: usize) -> Self {
        Origin { init, ..Origin::at(at) }
    }
}

/// Binds the names of a pattern and records the variants, types and constants it mentions.
pub(super) fn bind(walker: &mut Walker<'_>, pattern: Node<'_>, from: Origin<'_>) {
    walker.visit_with(pattern, |walker, pattern| shape(walker, pattern, from));
}

fn shape(walker: &mut Walker<'_>, pattern: Node<'_>, from: Origin<'_>) {
    match pattern.kind() {
        "identifier" => {
            let text = walker.text(pattern);
            if is_upper(text) {
                exprs::identifier(walker, pattern);
            } else {
                let ty = from.ty.map(|ty| walker.text(ty));
                walker.bind(pattern, ty, from.init, from.at);
            }
        }
        "tuple_pattern" => tuple(walker, pattern, from),
        "tuple_struct_pattern" => tuple_struct(walker, pattern, from),
        "struct_pattern" => fields(walker, pattern, from),
        "slice_pattern" => {
            let item = element(walker, from.init, ExprKind::Index, pattern);
            walker.for_children(pattern, |walker, child| {
                let init = if child.kind() == "captured_pattern" { from.init } else { item };
                bind(walker, child, Origin::of(init, from.at));
            });
        }
        "captured_pattern" => {
            let mut first = true;
            walker.for_children(pattern, |walker, child| {
                if std::mem::take(&mut first) || child.kind() != "remaining_field_pattern" {
                    bind(walker, child, from);
                }
            });
        }
        "ref_pattern" | "mut_pattern" | "reference_pattern" | "or_pattern" => {
            walker.for_children(pattern, |walker, child| {
                if child.kind() != "mutable_specifier" {
                    bind(walker, child, from);
                }
            });
        }
        "scoped_identifier" => exprs::scoped(walker, pattern),
        "macro_invocation" => super::tokens::invocation(walker, pattern),
        "remaining_field_pattern" | "self" => {}
        _ => walker.visit_children(pattern),
    }
}

fn element(walker: &mut Walker<'_>, base: u32, kind: ExprKind, at: Node<'_>) -> u32 {
    if base == NONE { NONE } else { walker.expr(kind, "", base, at) }
}

fn tuple(walker: &mut Walker<'_>, pattern: Node<'_>, from: Origin<'_>) {
    let types: Vec<Node<'_>> = from.ty.filter(|ty| ty.kind() == "tuple_type").map(items).unwrap_or_default();
    let values: Vec<Node<'_>> = from.value.filter(|value| value.kind() == "tuple_expression").map(items).unwrap_or_default();
    let children = items(pattern);
    // After `..` positions count from the end, and the length is not known.
    let rest = children.iter().position(|child| child.kind() == "remaining_field_pattern").unwrap_or(children.len());
    for (slot, child) in children.into_iter().enumerate() {
        let mut part = Origin::at(from.at);
        if slot < rest {
            part.ty = types.get(slot).copied();
            part.value = values.get(slot).copied();
            part.init = match part.value {
                Some(value) => walker.expr_of(value),
                None => slot_of(walker, from.init, slot, pattern),
            };
        }
        bind(walker, child, part);
    }
}

/// The value at a position of a tuple; of an iteration's element the position within that.
fn slot_of(walker: &mut Walker<'_>, base: u32, slot: usize, at: Node<'_>) -> u32 {
    if base == NONE {
        return NONE;
    }
    let row = walker.rows.exprs[base as usize];
    let found = if row.kind() == ExprKind::Element && row.slot == 0 {
        walker.expr(ExprKind::Element, "", row.base, at)
    } else {
        walker.expr(ExprKind::Index, "", base, at)
    };
    walker.expr_slot(found, slot);
    found
}

fn items(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| !child.is_extra() && child.kind() != "attribute_item").collect()
}

fn tuple_struct(walker: &mut Walker<'_>, pattern: Node<'_>, from: Origin<'_>) {
    let Some(ty) = pattern.field("type") else { return walker.visit_children(pattern) };
    let text = walker.text(ty);
    if text != "Self" {
        walker.visit(ty);
    }
    let inner = match text {
        "Some" | "Ok" | "Ready" | "Poll::Ready" => element(walker, from.init, ExprKind::Unwrap, pattern),
        "Err" => NONE,
        _ => exprs::path_value(walker, ty),
    };
    for (slot, child) in items(pattern).into_iter().filter(|child| child.id() != ty.id()).enumerate() {
        let init = match text {
            "Some" | "Ok" | "Ready" | "Poll::Ready" | "Err" => inner,
            _ if inner == NONE => NONE,
            _ => walker.expr(ExprKind::Member, &slot.to_string(), inner, pattern),
        };
        // `Some((a, b))` of a `Some((x, y))` written in place is rare enough to leave.
        bind(walker, child, Origin::of(init, from.at));
    }
}

/// `Foo { a, b: pattern }`: each field is read, each name bound to it.
fn fields(walker: &mut Walker<'_>, pattern: Node<'_>, from: Origin<'_>) {
    let Some(ty) = pattern.field("type") else { return walker.visit_children(pattern) };
    types::visit(walker, ty, Role::Type);
    let value = exprs::path_value(walker, ty);
    walker.for_children(pattern, |walker, child| {
        if child.kind() != "field_pattern" {
            return;
        }
        let Some(name) = child.field("name") else { return };
        if name.kind() != "integer_literal" {
            walker.reference(name, Role::Read, value);
        }
        let text = walker.text(name);
        let init = walker.expr(ExprKind::Member, text, value, name);
        match child.field("pattern") {
            Some(inner) => bind(walker, inner, Origin::of(init, from.at)),
            None => {
                walker.bind(name, None, init, from.at);
            }
        }
    });
}
