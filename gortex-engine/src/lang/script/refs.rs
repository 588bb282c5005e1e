//! Mentions: calls, member reads, assignments, elements, decorators.
//!
//! Knows where a name stands; whether it is a local is decided by the walker at the end.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::exprs::receiver;
use super::{classes, commonjs, is_function, modules, patterns, peeled, types};
use crate::facts::model::{NONE, Role};
use crate::facts::walker::Walker;
use crate::lang::common::arg_count;

/// A bare name in value position.
pub(super) fn identifier(walker: &mut Walker<'_>, node: Node<'_>) {
    // The arguments object is as little a name as `this` is.
    if walker.text(node) != "arguments" {
        walker.reference(node, Role::Read, NONE);
    }
}

/// `object.property` as a value.
pub(super) fn member(walker: &mut Walker<'_>, node: Node<'_>) {
    member_as(walker, node, Role::Read);
}

/// Records the last name of `object.property` in a role and visits the object.
fn member_as(walker: &mut Walker<'_>, node: Node<'_>, role: Role) -> u32 {
    let (Some(object), Some(property)) = (node.field("object"), node.field("property")) else {
        walker.visit_children(node);
        return NONE;
    };
    let recv = receiver(walker, object);
    let row = walker.reference(property, role, recv);
    walker.visit(object);
    row
}

/// A call, a tagged template, `super(..)`, `import(..)`, `require(..)`, a test.
pub(super) fn call(walker: &mut Walker<'_>, node: Node<'_>) {
    if modules::dynamic_import(walker, node) || commonjs::bare_require(walker, node) {
        return;
    }
    let test = commonjs::test_case(walker, node);
    callee(walker, node);
    let Some(arguments) = node.field("arguments") else { return };
    match test {
        Some((title, function)) => {
            walker.within(arguments, |walker| {
                walker.for_children(arguments, |walker, argument| {
                    if argument.id() == function.id() {
                        commonjs::enter_test(walker, node, title, function);
                    } else {
                        walker.visit(argument);
                    }
                });
            });
        }
        None => {
            hand_over(walker, node.field("function"), arguments);
            walker.visit(arguments);
        }
    }
}

/// Notes the functions among arguments, so that their parameters may ask what the callee hands them.
fn hand_over(walker: &mut Walker<'_>, callee: Option<Node<'_>>, arguments: Node<'_>) {
    let Some(callee) = callee else { return };
    let mut cursor = arguments.walk();
    for (position, argument) in arguments.named_children(&mut cursor).filter(|child| !child.is_extra()).enumerate() {
        let argument = peeled(argument);
        if is_function(argument) {
            let callee = walker.expr_of(callee);
            walker.hand(argument, callee, position);
        }
    }
}

/// Records the called name and visits what stands in front of it and the type arguments.
pub(super) fn callee(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(function) = node.field("function") else { return };
    let args = node.field("arguments").filter(|list| list.kind() == "arguments").map(arg_count);
    let inner = peeled(function);
    match inner.kind() {
        "identifier" => {
            let usage = walker.result_use();
            walker.call(inner, NONE, args, usage);
        }
        "member_expression" => {
            let usage = walker.result_use();
            let row = member_as(walker, inner, Role::Call);
            if row != NONE {
                walker.call_detail(row, args, usage);
            }
        }
        "super" => classes::super_call(walker, inner, args),
        _ => walker.visit(inner),
    }
    if let Some(types) = node.field("type_arguments") {
        types::type_arguments(walker, types);
    }
    if inner.id() != function.id() {
        types_around(walker, function, inner);
    }
}

/// Visits what a cast around `inner` names.
fn types_around(walker: &mut Walker<'_>, node: Node<'_>, inner: Node<'_>) {
    walker.for_children(node, |walker, child| {
        if child.id() == inner.id() {
        } else if child.byte_range().contains(&inner.start_byte()) {
            walker.nested(|walker| types_around(walker, child, inner));
        } else {
            walker.visit(child);
        }
    });
}

/// `new T(..)`.
pub(super) fn new(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(constructor) = node.field("constructor") else { return walker.visit_children(node) };
    let arguments = node.field("arguments");
    let args = Some(arguments.map_or(0, arg_count));
    let usage = walker.result_use();
    let inner = peeled(constructor);
    let row = match inner.kind() {
        "identifier" => walker.reference(inner, Role::Instantiate, NONE),
        "member_expression" => member_as(walker, inner, Role::Instantiate),
        _ => {
            walker.visit(inner);
            NONE
        }
    };
    if row != NONE {
        walker.call_detail(row, args, usage);
    }
    if let Some(arguments) = arguments {
        hand_over(walker, Some(node), arguments);
    }
    walker.visit_children_except(node, &[Some(constructor)]);
}

/// A statement that is one expression; the ones that define something define the whole statement.
pub(super) fn expression_statement(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(inner) = super::first_named(node) else { return };
    match inner.kind() {
        "assignment_expression" => walker.within(inner, |walker| assign(walker, inner, node)),
        "internal_module" => types::declared_namespace(walker, inner, super::Outer::default()),
        _ => walker.visit_children(node),
    }
}

/// An assignment inside an expression.
pub(super) fn assignment(walker: &mut Walker<'_>, node: Node<'_>) {
    assign(walker, node, node);
}

fn assign(walker: &mut Walker<'_>, node: Node<'_>, whole: Node<'_>) {
    let (Some(left), Some(right)) = (node.field("left"), node.field("right")) else {
        return walker.visit_children(node);
    };
    if left.kind() == "member_expression"
        && (commonjs::assigned(walker, whole, left, right) || this_field(walker, whole, left, right))
    {
        return;
    }
    if left.kind() == "identifier" && walker.text(left) == "exports" {
        return walker.visit(right);
    }
    match left.kind() {
        "object_pattern" | "array_pattern" => {
            let base = walker.expr_of(right);
            patterns::pattern(walker, left, None, base, patterns::Into::Write);
        }
        _ => written(walker, left),
    }
    walker.visit(right);
}

fn this_field(walker: &mut Walker<'_>, whole: Node<'_>, left: Node<'_>, right: Node<'_>) -> bool {
    let (Some(object), Some(property)) = (left.field("object"), left.field("property")) else {
        return false;
    };
    object.kind() == "this" && classes::assigned_field(walker, whole, property, right)
}

/// The target of an assignment.
pub(super) fn written(walker: &mut Walker<'_>, node: Node<'_>) {
    let inner = peeled(node);
    match inner.kind() {
        "identifier" | "shorthand_property_identifier_pattern" => {
            walker.reference(inner, Role::Write, NONE);
        }
        "member_expression" => {
            member_as(walker, inner, Role::Write);
        }
        "object_pattern" | "array_pattern" => patterns::assigned(walker, inner),
        _ => walker.visit(inner),
    }
}

/// `x += y`.
pub(super) fn augmented(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(left) = node.field("left") {
        written(walker, left);
    }
    walker.visit_field(node, "right");
}

/// `x++`.
pub(super) fn update(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(argument) = node.field("argument") {
        written(walker, argument);
    }
}

/// `@name`, `@ns.name(..)`.
pub(super) fn decorator(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(inner) = super::first_named(node).map(peeled) else { return };
    let function = if inner.kind() == "call_expression" { inner.field("function") } else { Some(inner) };
    match function {
        Some(name) if name.kind() == "identifier" => {
            walker.reference(name, Role::Attribute, NONE);
        }
        Some(name) if name.kind() == "member_expression" => {
            member_as(walker, name, Role::Attribute);
        }
        _ => {}
    }
    if inner.kind() == "call_expression" {
        walker.within(inner, |walker| walker.visit_children_except(inner, &[function]));
    }
}

/// `<Name ..>`: components begin with anything but a small letter, or are members of something.
pub(super) fn jsx_opening(walker: &mut Walker<'_>, node: Node<'_>) {
    let name = node.field("name");
    if let Some(name) = name {
        match name.kind() {
            "identifier" if !walker.text(name).starts_with(|first: char| first.is_lowercase()) => {
                walker.reference(name, Role::Render, NONE);
            }
            "member_expression" => {
                member_as(walker, name, Role::Render);
            }
            _ => {}
        }
    }
    walker.for_children(node, |walker, child| {
        if name.is_none_or(|name| name.id() != child.id()) && !matches!(child.kind(), "jsx_namespace_name") {
            walker.visit(child);
        }
    });
}

/// Whether a call's argument list ends in a function, and which.
pub(super) fn last_function(arguments: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = arguments.walk();
    arguments.named_children(&mut cursor).filter(|argument| is_function(*argument)).last()
}
