//! Java's types, statements and expressions: what is bound, what is mentioned, and what stands in front of a name.
//!
//! Pattern variables are bound in the block around their test, because they live on after `if (!(x instanceof T t)) return;`.
//! An expression whose shape says nothing is recorded as unknown rather than left out, because a member without one would pass
//! for a free name.
//!
//! Knows nothing of declarations; those are in the module above.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::{NESTING, anonymous_class, bind_parameters, is_annotation, type_name, type_text, visit_modifiers};
use crate::facts::model::{ExprKind, Kind, NONE, Role, Usage, import_flag};
use crate::facts::walker::Walker;
use crate::lang::common::arg_count;
use crate::lang::tree::{child_of_kind, derived, is_type_name, line, named_children, receiver, typed, without_arguments};

// ----- types

pub(super) fn plain_type(walker: &mut Walker<'_>, node: Node<'_>) {
    types(walker, node, Role::Type, 0);
}

pub(super) fn type_arguments(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.for_children(node, |walker, child| types(walker, child, Role::GenericArg, 0));
}

/// Records the mentions in a type.
pub(super) fn types(walker: &mut Walker<'_>, node: Node<'_>, role: Role, depth: u32) {
    if depth > NESTING {
        return;
    }
    let depth = depth + 1;
    match node.kind() {
        "type_identifier" if walker.text(node) == "var" => {}
        "type_identifier" => {
            walker.reference(node, role, NONE);
        }
        "scoped_type_identifier" => {
            let name = type_name(node);
            walker.for_children(node, |walker, child| {
                if name.is_some_and(|name| name.id() == child.id()) {
                    let recv = node.named_child(0).map_or(NONE, |scope| scope_of_type(walker, scope));
                    walker.reference(child, role, recv);
                } else if child.kind() == "type_identifier" && !is_type_name(walker.text(child)) {
                    // A scope in lower case is a package, which is nobody's definition.
                } else if child.kind() != "scoped_type_identifier"
                    || type_name(child).is_some_and(|last| is_type_name(walker.text(last)))
                {
                    types(walker, child, Role::Type, depth);
                }
            });
        }
        "generic_type" => walker.for_children(node, |walker, child| {
            let role = if child.kind() == "type_arguments" { Role::GenericArg } else { role };
            types(walker, child, role, depth);
        }),
        "type_arguments" | "wildcard" | "array_type" | "annotated_type" | "catch_type" => {
            walker.for_children(node, |walker, child| types(walker, child, role, depth));
        }
        "annotation" | "marker_annotation" | "dimensions" => walker.visit(node),
        _ => {}
    }
}

/// What stands in front of a type's name. A package is never hidden by a local variable.
pub(super) fn scope_of_type(walker: &mut Walker<'_>, scope: Node<'_>) -> u32 {
    if walker.text(scope).starts_with(char::is_uppercase) {
        return receiver(walker, scope);
    }
    walker.in_file_scope(|walker| receiver(walker, scope))
}

// ----- statements

pub(super) fn labeled(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.visit_children_except(node, &[node.named_child(0)]);
}

pub(super) fn local_variables(walker: &mut Walker<'_>, node: Node<'_>) {
    visit_modifiers(walker, node);
    let Some(ty) = node.field("type") else { return };
    types(walker, ty, Role::Type, 0);
    let mut cursor = node.walk();
    for declarator in node.children_by_field_name("declarator", &mut cursor) {
        let value = declarator.field("value");
        let init = value.map_or(NONE, |value| walker.expr_of(value));
        if let Some(name) = declarator.field("name") {
            bind_typed(walker, declarator, name, ty, init);
        }
        if let Some(value) = value {
            walker.visit(value);
        }
    }
}

/// Binds a variable with its declared type; `var` says none.
fn bind_typed(walker: &mut Walker<'_>, declarator: Node<'_>, name: Node<'_>, ty: Node<'_>, init: u32) {
    if name.kind() == "underscore_pattern" {
        return;
    }
    let text = type_text(walker, declarator, ty, false);
    let text = Some(text.as_ref()).filter(|text| *text != "var");
    walker.bind(name, text, init, declarator.end_byte());
}

pub(super) fn enhanced_for(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.in_scope(|walker| {
        visit_modifiers(walker, node);
        let value = node.field("value");
        let base = value.map_or(NONE, |value| walker.expr_of(value));
        if let Some(value) = value {
            walker.visit(value);
        }
        if let (Some(name), Some(ty)) = (node.field("name"), node.field("type")) {
            types(walker, ty, Role::Type, 0);
            let init = if base == NONE { NONE } else { walker.expr(ExprKind::Element, "", base, node) };
            let text = type_text(walker, node, ty, false);
            let text = Some(text.as_ref()).filter(|text| *text != "var");
            if name.kind() == "identifier" {
                walker.bind(name, text, init, value.map_or(name.end_byte(), |value| value.end_byte()));
            }
        }
        walker.visit_field(node, "body");
    });
}

pub(super) fn catch_clause(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.in_scope(|walker| {
        if let Some(parameter) = child_of_kind(node, "catch_formal_parameter") {
            visit_modifiers(walker, parameter);
            if let Some(ty) = child_of_kind(parameter, "catch_type") {
                types(walker, ty, Role::Type, 0);
                // Of several alternatives the first stands for all.
                let first = ty.named_child(0).unwrap_or(ty);
                if let Some(name) = parameter.field("name") {
                    bind_typed(walker, parameter, name, first, NONE);
                }
            }
        }
        walker.visit_field(node, "body");
    });
}

pub(super) fn resource(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(ty) = node.field("type") else { return walker.visit_children(node) };
    visit_modifiers(walker, node);
    types(walker, ty, Role::Type, 0);
    let value = node.field("value");
    let init = value.map_or(NONE, |value| walker.expr_of(value));
    if let Some(name) = node.field("name") {
        bind_typed(walker, node, name, ty, init);
    }
    if let Some(value) = value {
        walker.visit(value);
    }
}

pub(super) fn instance_of(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.visit_field(node, "left");
    walker.visit_field(node, "pattern");
    let Some(ty) = node.field("right") else { return };
    types(walker, ty, Role::Type, 0);
    if let Some(name) = node.field("name") {
        bind_typed(walker, node, name, ty, NONE);
    }
}

/// `T name` in a pattern.
pub(super) fn pattern(walker: &mut Walker<'_>, node: Node<'_>) {
    let parts = named_children(node);
    let [ty, name] = parts.as_slice() else { return };
    types(walker, *ty, Role::Type, 0);
    bind_typed(walker, node, *name, *ty, NONE);
}

/// `Point(int x, var y)`: the record is named by a plain identifier.
pub(super) fn record_pattern(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.for_children(node, |walker, child| match child.kind() {
        "identifier" => {
            walker.reference(child, Role::Type, NONE);
        }
        _ => walker.visit(child),
    });
}

pub(super) fn switch(walker: &mut Walker<'_>, node: Node<'_>) {
    let condition = node.field("condition");
    let subject = condition.map_or(NONE, |condition| walker.expr_of(condition));
    if let Some(condition) = condition {
        walker.visit(condition);
    }
    let Some(body) = node.field("body") else { return };
    walker.in_scope(|walker| {
        walker.for_children(body, |walker, group| {
            if group.kind() == "switch_rule" {
                walker.in_scope(|walker| walker.for_children(group, |walker, child| case_part(walker, child, subject)));
            } else {
                walker.for_children(group, |walker, child| case_part(walker, child, subject));
            }
        });
    });
}

/// A label or statement of a switch. A bare name in a label is a member of the subject's enumeration, unless the file has a
/// constant of that name.
fn case_part(walker: &mut Walker<'_>, node: Node<'_>, subject: u32) {
    if node.kind() != "switch_label" {
        return walker.visit(node);
    }
    walker.for_children(node, |walker, child| {
        if child.kind() == "identifier" && subject != NONE && !is_constant_here(walker, child) {
            walker.reference(child, Role::Read, subject);
        } else {
            walker.visit(child);
        }
    });
}

fn is_constant_here(walker: &mut Walker<'_>, node: Node<'_>) -> bool {
    let text = walker.text(node);
    let name = walker.intern(text);
    let rows = &walker.rows;
    rows.defs.iter().any(|row| row.name == name && row.kind() == Kind::Constant)
        || rows.imports.iter().any(|row| row.name == name && row.flags & import_flag::STATIC != 0)
}

pub(super) fn lambda(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.in_scope(|walker| {
        if let Some(parameters) = node.field("parameters") {
            match parameters.kind() {
                "identifier" => {
                    walker.bind(parameters, None, NONE, parameters.start_byte());
                }
                "inferred_parameters" => walker.for_children(parameters, |walker, name| {
                    if name.kind() == "identifier" {
                        walker.bind(name, None, NONE, name.start_byte());
                    }
                }),
                _ => bind_parameters(walker, parameters),
            }
        }
        walker.visit_field(node, "body");
    });
}

// ----- expressions

/// A bare name; in front of a dot it may be a type's.
pub(super) fn identifier(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.reference(node, Role::Read, NONE);
}

/// Visits what stands in front of a dot: there a capitalised name is a type's, and what is in front of a type in lower case is
/// its package, which is nobody's definition.
fn visit_qualifier(walker: &mut Walker<'_>, node: Node<'_>) {
    let mut node = node;
    loop {
        let name = if node.kind() == "field_access" { node.field("field") } else { Some(node) };
        let Some(name) = name.filter(|name| name.kind() == "identifier" && is_type_name(walker.text(*name))) else {
            return walker.visit(node);
        };
        let Some(object) = node.field("object") else {
            walker.reference(name, Role::Type, NONE);
            return;
        };
        let recv = member_receiver(walker, node, object);
        walker.reference(name, Role::Type, recv);
        let last = if object.kind() == "field_access" { object.field("field") } else { Some(object) };
        if !last.is_some_and(|last| last.kind() != "identifier" || is_type_name(walker.text(last))) {
            return;
        }
        node = object;
    }
}

/// The `super` of `Outer.super.name`, which is not the object itself.
fn qualified_super(node: Node<'_>, object: Node<'_>) -> bool {
    child_of_kind(node, "super").is_some_and(|found| found.id() != object.id())
}

/// The receiver of a member of `object`; of `Type.super.member` it is a value of that type.
fn member_receiver(walker: &mut Walker<'_>, node: Node<'_>, object: Node<'_>) -> u32 {
    if qualified_super(node, object) {
        let text = line(walker, object);
        return walker.expr(ExprKind::Typed, &text, NONE, object);
    }
    receiver(walker, object)
}

pub(super) fn call(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = node.field("name") else { return walker.visit_children(node) };
    let usage = walker.result_use();
    let list = node.field("arguments");
    let args = list.map(arg_count);
    match node.field("object") {
        Some(object) => {
            let recv = member_receiver(walker, node, object);
            walker.call(name, recv, args, usage);
            visit_qualifier(walker, object);
        }
        None => {
            walker.in_file_scope(|walker| walker.call(name, NONE, args, usage));
        }
    }
    walker.visit_field(node, "type_arguments");
    if let Some(list) = list {
        walker.visit(list);
    }
}

pub(super) fn creation(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(ty) = node.field("type") else { return walker.visit_children(node) };
    let usage = walker.result_use();
    let list = node.field("arguments");
    let body = child_of_kind(node, "class_body");
    let mut outer = NONE;
    walker.for_children(node, |walker, child| {
        if child.end_byte() <= ty.start_byte() && child.kind() != "type_arguments" && !is_annotation(child) && !child.is_extra() {
            outer = receiver(walker, child);
            visit_qualifier(walker, child);
        }
    });
    walker.visit_field(node, "type_arguments");
    instantiated(walker, ty, outer, list.map(arg_count), usage);
    if let Some(list) = list {
        walker.visit(list);
    }
    if let Some(body) = body {
        let text = line(walker, ty);
        let bare = without_arguments(&text, '<', '>');
        anonymous_class(walker, node, body, Some((type_name(ty).unwrap_or(ty), &bare)));
    }
}

/// The mention of the type of `new T<A>(..)`.
fn instantiated(walker: &mut Walker<'_>, ty: Node<'_>, outer: u32, args: Option<usize>, usage: Usage) {
    let before = walker.rows.refs.len();
    types(walker, ty, Role::Instantiate, 0);
    let place = type_name(ty).map_or(u32::MAX, |name| name.start_byte() as u32);
    let found = walker.rows.refs[before..].iter().position(|row| row.at == place);
    if let Some(found) = found {
        let index = before + found;
        walker.call_detail(index as u32, args, usage);
        if outer != NONE {
            walker.rows.refs[index].recv = outer;
        }
    }
}

/// `this(..)` and `super(..)`: calls of a constructor, which is named like its class.
pub(super) fn constructor_call(walker: &mut Walker<'_>, node: Node<'_>) {
    let list = node.field("arguments");
    if let (Some(word), Some(class)) = (node.field("constructor"), walker.enclosing_type()) {
        let name = if word.kind() == "this" {
            walker.string(walker.def(class).name).to_owned()
        } else {
            let mut bases = walker.rows.supers.iter().filter(|row| row.sub == class && row.role == Role::Extends as u8);
            let base = bases.next().map_or("", |row| walker.string(row.super_type));
            base.rsplit('.').next().unwrap_or(base).to_owned()
        };
        // Without `extends` the constructor called is that of Object.
        if !name.is_empty() {
            let recv = receiver(walker, word);
            let row = walker.reference_named(word, &name, Role::Call, recv);
            walker.call_detail(row, list.map(arg_count), Usage::Discarded);
        }
    }
    if let Some(object) = node.field("object") {
        visit_qualifier(walker, object);
    }
    walker.visit_field(node, "type_arguments");
    if let Some(list) = list {
        walker.visit(list);
    }
}

/// `T::name`, `value::name`, `T::new`.
pub(super) fn method_reference(walker: &mut Walker<'_>, node: Node<'_>) {
    let parts = named_children(node);
    let Some(target) = parts.first().copied() else { return };
    let name = parts.last().copied().filter(|last| last.kind() == "identifier" && last.id() != target.id());
    if let Some(name) = name {
        let recv = match target.kind() {
            "generic_type" | "array_type" | "annotated_type" => {
                let text = line(walker, target);
                walker.expr(ExprKind::Typed, &text, NONE, target)
            }
            _ => receiver(walker, target),
        };
        walker.reference(name, Role::Read, recv);
        visit_qualifier(walker, target);
    } else {
        match target.kind() {
            "identifier" => {
                walker.reference(target, Role::Instantiate, NONE);
            }
            "field_access" => member(walker, target, Role::Instantiate),
            "array_type" => types(walker, target, Role::Type, 0),
            _ => types(walker, target, Role::Instantiate, 0),
        }
    }
    for child in parts.iter().filter(|child| child.kind() == "type_arguments") {
        walker.visit(*child);
    }
}

fn member(walker: &mut Walker<'_>, node: Node<'_>, role: Role) {
    let (Some(object), Some(field)) = (node.field("object"), node.field("field")) else {
        return walker.visit_children(node);
    };
    if field.kind() == "identifier" {
        let recv = member_receiver(walker, node, object);
        walker.reference(field, role, recv);
    }
    visit_qualifier(walker, object);
}

pub(super) fn field_access(walker: &mut Walker<'_>, node: Node<'_>) {
    member(walker, node, Role::Read);
}

pub(super) fn assignment(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(left) = node.field("left") {
        write_target(walker, left);
    }
    walker.visit_field(node, "right");
}

pub(super) fn step(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(target) = node.named_child(0) {
        write_target(walker, target);
    }
}

fn write_target(walker: &mut Walker<'_>, target: Node<'_>) {
    match target.kind() {
        "identifier" => {
            walker.reference(target, Role::Write, NONE);
        }
        "field_access" => member(walker, target, Role::Write),
        _ => walker.visit(target),
    }
}

// ----- what stands before a name

pub(super) fn expr(walker: &mut Walker<'_>, node: Node<'_>) -> u32 {
    let field = |name: &str| node.child_by_field_name(name);
    let literal = |walker: &mut Walker<'_>, name: &str| walker.expr(ExprKind::Literal, name, NONE, node);
    match node.kind() {
        "identifier" | "type_identifier" => walker.expr(ExprKind::Name, walker.text(node), NONE, node),
        "this" => walker.expr(ExprKind::SelfRef, "", NONE, node),
        "super" => walker.expr(ExprKind::Super, "", NONE, node),
        "field_access" => match (field("object"), field("field")) {
            // `Outer.this`
            (Some(object), Some(field)) if field.kind() == "this" => typed(walker, Some(object), node),
            (Some(object), Some(field)) => member_expr(walker, node, object, field),
            _ => NONE,
        },
        "scoped_identifier" => match (field("scope"), field("name")) {
            (Some(scope), Some(name)) => derived(walker, ExprKind::Member, walker.text(name), scope, node),
            _ => NONE,
        },
        "scoped_type_identifier" => match (node.named_child(0), type_name(node)) {
            (Some(scope), Some(name)) => derived(walker, ExprKind::Member, walker.text(name), scope, node),
            _ => NONE,
        },
        "generic_type" => node.named_child(0).map_or(NONE, |bare| walker.expr_of(bare)),
        "method_invocation" => {
            let Some(name) = field("name") else { return NONE };
            let callee = match field("object") {
                Some(object) => member_expr(walker, node, object, name),
                None => walker.in_file_scope(|walker| walker.expr(ExprKind::Name, walker.text(name), NONE, name)),
            };
            if callee == NONE { NONE } else { walker.expr(ExprKind::Call, "", callee, node) }
        }
        "object_creation_expression" => match field("type") {
            Some(ty) => {
                let text = line(walker, ty);
                walker.expr(ExprKind::New, &text, NONE, node)
            }
            None => NONE,
        },
        "array_access" => field("array").map_or(NONE, |array| derived(walker, ExprKind::Index, "", array, node)),
        "array_creation_expression" => array_type(walker, node),
        "cast_expression" => typed(walker, field("type"), node),
        "class_literal" => literal(walker, "Class"),
        "parenthesized_expression" => named_children(node).first().map_or(NONE, |inner| walker.expr_of(*inner)),
        "assignment_expression" => field("right").map_or(NONE, |right| walker.expr_of(right)),
        "ternary_expression" => {
            let first = field("consequence").map_or(NONE, |branch| walker.expr_of(branch));
            if first != NONE { first } else { field("alternative").map_or(NONE, |branch| walker.expr_of(branch)) }
        }
        "binary_expression" => binary(walker, node),
        "unary_expression" => match field("operator").map_or("", |operator| operator.kind()) {
            "!" => literal(walker, "boolean"),
            _ => field("operand").map_or(NONE, |operand| walker.expr_of(operand)),
        },
        "instanceof_expression" | "true" | "false" => literal(walker, "boolean"),
        "string_literal" => literal(walker, "String"),
        "character_literal" => literal(walker, "char"),
        "decimal_integer_literal" | "hex_integer_literal" | "octal_integer_literal" | "binary_integer_literal" => {
            literal(walker, if walker.text(node).ends_with(['l', 'L']) { "long" } else { "int" })
        }
        "decimal_floating_point_literal" | "hex_floating_point_literal" => {
            literal(walker, if walker.text(node).ends_with(['f', 'F']) { "float" } else { "double" })
        }
        _ => NONE,
    }
}

fn member_expr(walker: &mut Walker<'_>, node: Node<'_>, object: Node<'_>, name: Node<'_>) -> u32 {
    let text = walker.text(name);
    let base = if qualified_super(node, object) { typed(walker, Some(object), node) } else { walker.expr_of(object) };
    if base == NONE { NONE } else { walker.expr(ExprKind::Member, text, base, node) }
}

/// `new T[2][]` is a `T[][]`.
fn array_type(walker: &mut Walker<'_>, node: Node<'_>) -> u32 {
    let Some(ty) = node.field("type") else { return NONE };
    let mut text = line(walker, ty).into_owned();
    let mut cursor = node.walk();
    for dimensions in node.children_by_field_name("dimensions", &mut cursor) {
        if dimensions.kind() == "dimensions_expr" {
            text.push_str("[]");
        } else {
            text.push_str(walker.text(dimensions));
        }
    }
    walker.expr(ExprKind::Typed, &text, NONE, node)
}

fn binary(walker: &mut Walker<'_>, node: Node<'_>) -> u32 {
    let (left, right) = (node.field("left"), node.field("right"));
    let operator = node.field("operator").map_or("", |operator| operator.kind());
    match operator {
        "==" | "!=" | "<" | "<=" | ">" | ">=" | "&&" | "||" => walker.expr(ExprKind::Literal, "boolean", NONE, node),
        _ if operator == "+" && right.is_some_and(|right| right.kind() == "string_literal") => {
            right.map_or(NONE, |right| walker.expr_of(right))
        }
        _ => left.map_or(NONE, |left| walker.expr_of(left)),
    }
}
