//! Kotlin's types, statements and expressions: what is bound, what is mentioned, and what stands in front of a name.
//!
//! The parameter of a lambda that scope functions and collection operations call gets its type from what stands in front of
//! them. Inside `apply`, `run` and `with` a bare name keeps its ordinary meaning, because whether it is a member of the
//! value is not told by the text.
//!
//! Knows nothing of declarations; those are in the module above.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::{bind_parameters, name_and_type, property_value, supertypes, visit_modifiers};
use crate::facts::model::{ExprKind, Kind, NONE, Role, Usage};
use crate::facts::walker::Walker;
use crate::lang::common::arg_count;
use crate::lang::tree::*;

/// How deep types are followed.
const NESTING: u32 = 120;

/// A name without the backticks around it.
pub(super) fn plain_name<'a>(walker: &Walker<'a>, node: Node<'_>) -> &'a str {
    walker.text(node).trim_matches('`')
}

// ----- types

pub(super) fn is_type_node(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "user_type" | "nullable_type" | "function_type" | "parenthesized_type" | "non_nullable_type" | "dynamic"
    )
}

/// The name's node of a class type: `C` of `a.b.C<T>`.
pub(super) fn type_name(ty: Node<'_>) -> Option<Node<'_>> {
    match ty.kind() {
        "user_type" => named_children(ty).into_iter().rfind(|child| child.kind() == "identifier"),
        "nullable_type" | "parenthesized_type" | "non_nullable_type" => type_name(first_named(ty)?),
        _ => None,
    }
}

/// The type that a function is for, without arguments and marks.
pub(super) fn receiver_text(walker: &Walker<'_>, function: Node<'_>, ty: Node<'_>) -> String {
    if type_name(ty).is_none() {
        return String::new();
    }
    let plain = |text: &str| without_arguments(text, '<', '>').trim_matches(['?', '(', ')', ' ']).to_owned();
    let text = plain(&line(walker, ty));
    // Of a type parameter its bound is meant, or any type.
    let list = child_of_kind(function, "type_parameters").map(named_children).unwrap_or_default();
    let parameters = list.into_iter().filter_map(name_and_type);
    let own = parameters.filter(|(name, _)| walker.text(*name) == text).map(|(_, bound)| bound).next();
    match own {
        Some(bound) => bound.map_or_else(|| "Any".to_owned(), |bound| plain(&line(walker, bound))),
        None => text,
    }
}

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
    match node.kind() {
        "user_type" => user_type(walker, node, role, depth),
        "annotation" => walker.visit(node),
        "parameter" => {
            if let Some((_, Some(ty))) = name_and_type(node) {
                types(walker, ty, role, depth + 1);
            }
        }
        "type_projection"
        | "nullable_type"
        | "parenthesized_type"
        | "non_nullable_type"
        | "function_type"
        | "function_type_parameters"
        | "type_modifiers" => {
            walker.for_children(node, |walker, child| types(walker, child, role, depth + 1));
        }
        _ => {}
    }
}

/// `a.b.Outer.Inner<T>`: each capitalised part is a type's name, and the parts before are a package's.
fn user_type(walker: &mut Walker<'_>, node: Node<'_>, role: Role, depth: u32) {
    let last = type_name(node).map(|last| last.id());
    let mut recv = NONE;
    walker.for_children(node, |walker, child| match child.kind() {
        "identifier" => {
            let text = plain_name(walker, child);
            let is_last = last == Some(child.id());
            if is_last || is_type_name(text) {
                walker.reference_named(child, text, if is_last { role } else { Role::Type }, recv);
            }
            recv = match recv {
                // A package is never hidden by a local variable.
                NONE if !is_type_name(text) => walker.in_file_scope(|walker| walker.expr(ExprKind::Name, text, NONE, child)),
                NONE => walker.expr(ExprKind::Name, text, NONE, child),
                base => walker.expr(ExprKind::Member, text, base, child),
            };
        }
        "type_arguments" => walker.for_children(child, |walker, inner| types(walker, inner, Role::GenericArg, depth + 1)),
        _ => types(walker, child, Role::Type, depth + 1),
    });
}

/// Type parameters are locals of their declaration; their bounds are mentioned.
pub(super) fn type_parameters(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(list) = child_of_kind(node, "type_parameters") else { return };
    let all: Vec<Node<'_>> = named_children(list).into_iter().filter(|child| child.kind() == "type_parameter").collect();
    for parameter in &all {
        let Some((name, bound)) = name_and_type(*parameter) else { continue };
        let text = bound.map(|bound| line(walker, bound));
        walker.bind(name, text.as_deref(), NONE, list.start_byte());
    }
    for parameter in all {
        if let Some((_, Some(bound))) = name_and_type(parameter) {
            types(walker, bound, Role::Type, 0);
        }
    }
}

/// `where T : A`.
pub(super) fn type_constraints(walker: &mut Walker<'_>, node: Node<'_>) {
    for ty in named_children(node).into_iter().filter_map(last_named) {
        types(walker, ty, Role::Type, 0);
    }
}

// ----- statements

/// A local `val` or `var`.
pub(super) fn local(walker: &mut Walker<'_>, node: Node<'_>, declared: Node<'_>) {
    visit_modifiers(walker, node);
    let Some((name, ty)) = name_and_type(declared) else { return };
    if let Some(ty) = ty {
        types(walker, ty, Role::Type, 0);
    }
    let value = property_value(node);
    let init = value.map_or(NONE, |value| walker.expr_of(value));
    let text = ty.map(|ty| line(walker, ty));
    walker.bind(name, text.as_deref(), init, node.end_byte());
    for part in [value, child_of_kind(node, "property_delegate")].into_iter().flatten() {
        walker.visit(part);
    }
}

/// `val (a, b) = pair`.
pub(super) fn destructured(walker: &mut Walker<'_>, node: Node<'_>, several: Node<'_>) {
    let value = property_value(node);
    let base = value.map_or(NONE, |value| walker.expr_of(value));
    bind_several(walker, several, base, node.end_byte());
    if let Some(value) = value {
        walker.visit(value);
    }
}

fn bind_several(walker: &mut Walker<'_>, several: Node<'_>, base: u32, at: usize) {
    for (slot, variable) in named_children(several).into_iter().enumerate() {
        let init = if base == NONE { NONE } else { walker.expr(ExprKind::Index, "", base, variable) };
        if init != NONE {
            walker.expr_slot(init, slot);
        }
        bind_variable(walker, variable, init, at);
    }
}

/// `name: T` where a variable is declared without `val`.
fn bind_variable(walker: &mut Walker<'_>, variable: Node<'_>, init: u32, at: usize) {
    if variable.kind() == "multi_variable_declaration" {
        return bind_several(walker, variable, init, at);
    }
    let Some((name, ty)) = name_and_type(variable) else { return };
    if let Some(ty) = ty {
        types(walker, ty, Role::Type, 0);
    }
    let text = ty.map(|ty| line(walker, ty));
    walker.bind(name, text.as_deref(), init, at);
}

pub(super) fn when_subject(walker: &mut Walker<'_>, node: Node<'_>) {
    let value = last_named(node);
    if let Some(value) = value {
        walker.visit(value);
    }
    if let Some(variable) = child_of_kind(node, "variable_declaration") {
        let init = value.map_or(NONE, |value| walker.expr_of(value));
        bind_variable(walker, variable, init, node.end_byte());
    }
}

pub(super) fn for_statement(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.in_scope(|walker| {
        let mut parts = named_children(node).into_iter().filter(|part| !matches!(part.kind(), "label" | "annotation"));
        let (variable, value) = (parts.next(), parts.next());
        let base = value.map_or(NONE, |value| walker.expr_of(value));
        if let Some(value) = value {
            walker.visit(value);
        }
        if let Some(variable) = variable {
            let init = if base == NONE { NONE } else { walker.expr(ExprKind::Element, "", base, node) };
            bind_variable(walker, variable, init, value.map_or(variable.end_byte(), |value| value.end_byte()));
        }
        for part in parts {
            walker.visit(part);
        }
    });
}

pub(super) fn catch_block(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.in_scope(|walker| {
        if let Some((name, ty)) = name_and_type(node) {
            let text = ty.map(|ty| line(walker, ty));
            walker.bind(name, text.as_deref(), NONE, name.end_byte());
            if let Some(ty) = ty {
                types(walker, ty, Role::Type, 0);
            }
        }
        if let Some(block) = child_of_kind(node, "block") {
            walker.visit(block);
        }
    });
}

/// A label is nobody's name.
pub(super) fn labeled(walker: &mut Walker<'_>, node: Node<'_>) {
    let label = child_of_kind(node, "label").map_or("", |label| walker.text(label));
    if !matches!(label, "continue@" | "break@") {
        walker.visit_children(node);
    }
}

pub(super) fn return_expression(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.visit_children_except(node, &[node.field("label")]);
}

// ----- functions without names

/// A lambda that nothing is known of.
pub(super) fn lambda(walker: &mut Walker<'_>, node: Node<'_>) {
    lambda_given(walker, node, NONE);
}

/// A lambda whose first parameter, also where it is only `it`, has the value `given`.
fn lambda_given(walker: &mut Walker<'_>, node: Node<'_>, given: u32) {
    walker.in_lambda(|walker| {
        match child_of_kind(node, "lambda_parameters") {
            Some(list) => {
                for (slot, variable) in named_children(list).into_iter().enumerate() {
                    bind_variable(walker, variable, if slot == 0 { given } else { NONE }, list.end_byte());
                }
            }
            None => {
                walker.bind_text("it", None, given, node.start_byte());
            }
        }
        for child in named_children(node).into_iter().filter(|child| child.kind() != "lambda_parameters") {
            walker.visit(child);
        }
    });
}

pub(super) fn anonymous_function(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.in_lambda(|walker| {
        for child in named_children(node) {
            match child.kind() {
                "function_value_parameters" => bind_parameters(walker, child),
                _ if is_type_node(child) => types(walker, child, Role::Type, 0),
                _ => walker.visit(child),
            }
        }
    });
}

pub(super) fn object_literal(walker: &mut Walker<'_>, node: Node<'_>) {
    let body = child_of_kind(node, "class_body");
    let def = define_anonymous(walker, node, body);
    walker.in_def(def, |walker| {
        if let Some(list) = child_of_kind(node, "delegation_specifiers") {
            supertypes(walker, list, def, Kind::Class);
        }
        if let Some(body) = body {
            walker.visit_children(body);
        }
    });
}

// ----- expressions

fn is_word(text: &str) -> bool {
    matches!(text, "null" | "true" | "false")
}

/// A bare name.
pub(super) fn identifier(walker: &mut Walker<'_>, node: Node<'_>) {
    let text = plain_name(walker, node);
    if !is_word(text) {
        walker.reference_named(node, text, Role::Read, NONE);
    }
}

/// The parts of `object.name`, `object?.name`, `object::name`.
fn navigated(node: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    let parts = named_children(node);
    match parts.as_slice() {
        [object, .., name] if name.kind() == "identifier" => Some((*object, *name)),
        _ => None,
    }
}

/// Visits what stands in front of a dot: there a capitalised name is a type's, and what is in front of a type in lower case is
/// its package.
fn visit_qualifier(walker: &mut Walker<'_>, node: Node<'_>) {
    let mut node = node;
    loop {
        let parts = if node.kind() == "navigation_expression" { navigated(node) } else { None };
        let name = parts.map_or(node, |(_, name)| name);
        if name.kind() != "identifier" || !is_type_name(plain_name(walker, name)) {
            return walker.visit(node);
        }
        let text = plain_name(walker, name);
        let Some((object, _)) = parts else {
            walker.reference_named(name, text, Role::Type, NONE);
            return;
        };
        let recv = receiver(walker, object);
        walker.reference_named(name, text, Role::Type, recv);
        let last = if object.kind() == "navigation_expression" { navigated(object).map(|(_, name)| name) } else { Some(object) };
        if !last.is_some_and(|last| last.kind() != "identifier" || is_type_name(plain_name(walker, last))) {
            return;
        }
        node = object;
    }
}

pub(super) fn navigation(walker: &mut Walker<'_>, node: Node<'_>) {
    member(walker, node, Role::Read);
}

fn member(walker: &mut Walker<'_>, node: Node<'_>, role: Role) {
    let Some((object, name)) = navigated(node) else { return walker.visit_children(node) };
    let text = plain_name(walker, name);
    if !(text == "class" && has_word(node, "::")) {
        let recv = receiver(walker, object);
        walker.reference_named(name, text, role, recv);
    }
    visit_qualifier(walker, object);
}

/// `::name`, `Type::name`.
pub(super) fn callable_reference(walker: &mut Walker<'_>, node: Node<'_>) {
    let name = child_of_kind(node, "identifier");
    let ty = named_children(node).into_iter().find(|child| is_type_node(*child));
    if let Some(ty) = ty {
        types(walker, ty, Role::Type, 0);
    }
    if let Some(name) = name {
        let recv = if ty.is_some() { typed(walker, ty, node) } else { NONE };
        walker.reference_named(name, plain_name(walker, name), Role::Read, recv);
    }
}

pub(super) fn super_expression(_: &mut Walker<'_>, _: Node<'_>) {}

/// A call taken apart: `callee(arguments) { lambda }`, which is two nested calls in the tree.
struct Parts<'t> {
    callee: Node<'t>,
    types: Option<Node<'t>>,
    arguments: Option<Node<'t>>,
    lambda: Option<Node<'t>>,
}

fn call_parts(node: Node<'_>) -> Option<Parts<'_>> {
    let callee = first_named(node)?;
    let own = Parts {
        callee,
        types: child_of_kind(node, "type_arguments"),
        arguments: child_of_kind(node, "value_arguments"),
        lambda: child_of_kind(node, "annotated_lambda"),
    };
    if own.arguments.is_none() && callee.kind() == "call_expression" {
        let inner = first_named(callee)?;
        return Some(Parts {
            callee: inner,
            types: child_of_kind(callee, "type_arguments"),
            arguments: child_of_kind(callee, "value_arguments"),
            lambda: own.lambda,
        })
        .filter(|_| child_of_kind(callee, "annotated_lambda").is_none());
    }
    Some(own)
}

pub(super) fn call(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(parts) = call_parts(node) else { return walker.visit_children(node) };
    let usage = walker.result_use();
    let args = parts.arguments.map_or(0, arg_count) + usize::from(parts.lambda.is_some());
    let mut given = NONE;
    match parts.callee.kind() {
        "identifier" => {
            let text = plain_name(walker, parts.callee);
            let row = walker.reference_named(parts.callee, text, Role::Call, NONE);
            walker.call_detail(row, Some(args), usage);
        }
        "navigation_expression" => match navigated(parts.callee) {
            Some((object, name)) => {
                let text = plain_name(walker, name);
                let recv = receiver(walker, object);
                let row = walker.reference_named(name, text, Role::Call, recv);
                walker.call_detail(row, Some(args), usage);
                given = lambda_value(walker, text, object, node);
                visit_qualifier(walker, object);
            }
            None => walker.visit(parts.callee),
        },
        _ => walker.visit(parts.callee),
    }
    for part in [parts.types, parts.arguments].into_iter().flatten() {
        walker.visit(part);
    }
    if let Some(lambda) = parts.lambda {
        walker.for_children(lambda, |walker, child| match child.kind() {
            "lambda_literal" => walker.visit_with(child, |walker, child| lambda_given(walker, child, given)),
            _ => walker.visit(child),
        });
    }
}

/// What a library function hands to the lambda behind it: the value itself, or its elements.
fn lambda_value(walker: &mut Walker<'_>, function: &str, object: Node<'_>, at: Node<'_>) -> u32 {
    match function {
        "let" | "also" | "takeIf" | "takeUnless" | "use" => walker.expr_of(object),
        "forEach" | "map" | "filter" | "filterNot" | "any" | "all" | "none" | "first" | "firstOrNull" | "last" | "find"
        | "flatMap" | "mapNotNull" | "onEach" | "sumOf" | "associateBy" | "associateWith" | "associate" | "groupBy"
        | "sortedBy" | "partition" | "single" | "singleOrNull" | "lastOrNull" | "count" | "maxByOrNull" | "minByOrNull"
        | "joinToString" | "takeWhile" | "dropWhile" | "removeIf" | "removeAll" | "distinctBy" => {
            derived(walker, ExprKind::Element, "", object, at)
        }
        _ => NONE,
    }
}

/// `: this(..)` and `: super(..)` of a constructor.
pub(super) fn constructor_call(walker: &mut Walker<'_>, node: Node<'_>, class: u32) {
    let list = child_of_kind(node, "value_arguments");
    let (kind, name) = if has_word(node, "this") {
        (ExprKind::SelfRef, walker.string(walker.def(class).name).to_owned())
    } else {
        let base = walker.rows.supers.iter().find(|row| row.sub == class).map_or("", |row| walker.string(row.super_type));
        (ExprKind::Super, base.rsplit('.').next().unwrap_or(base).to_owned())
    };
    let args = list.map(arg_count);
    if !name.is_empty() && (kind == ExprKind::SelfRef || args.is_some_and(|args| args > 0)) {
        let recv = walker.expr(kind, "", NONE, node);
        let row = walker.reference_named(node, &name, Role::Call, recv);
        walker.call_detail(row, args, Usage::Discarded);
    }
    if let Some(list) = list {
        walker.visit(list);
    }
}

/// `a function b` calls a member of `a`, or a function for its type.
pub(super) fn infix(walker: &mut Walker<'_>, node: Node<'_>) {
    let parts = named_children(node);
    let [left, name, right] = parts.as_slice() else { return walker.visit_children(node) };
    let usage = walker.result_use();
    let recv = receiver(walker, *left);
    let row = walker.reference_named(*name, plain_name(walker, *name), Role::Call, recv);
    walker.call_detail(row, Some(1), usage);
    visit_qualifier(walker, *left);
    walker.visit(*right);
}

/// The grammar reads the statement `f<T>(x)` as two comparisons; that is the call it is.
fn generic_call(node: Node<'_>) -> Option<(Node<'_>, Node<'_>, Node<'_>)> {
    let inner = node.field("left").filter(|left| left.kind() == "binary_expression")?;
    let arguments = node.field("right").filter(|right| right.kind() == "parenthesized_expression")?;
    let is = |node: Node<'_>, sign: &str| node.field("operator").is_some_and(|operator| operator.kind() == sign);
    let (name, ty) = (inner.field("left")?, inner.field("right")?);
    let plain = name.kind() == "identifier" && ty.kind() == "identifier";
    (plain && is(node, ">") && is(inner, "<")).then_some((name, ty, arguments))
}

pub(super) fn binary(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some((name, ty, arguments)) = generic_call(node) else { return walker.visit_children(node) };
    if !is_type_name(walker.text(ty)) {
        return walker.visit_children(node);
    }
    let usage = walker.result_use();
    let row = walker.reference_named(name, plain_name(walker, name), Role::Call, NONE);
    walker.call_detail(row, Some(arg_count(arguments)), usage);
    walker.reference(ty, Role::GenericArg, NONE);
    walker.visit(arguments);
}

pub(super) fn value_argument(walker: &mut Walker<'_>, node: Node<'_>) {
    // The name of a named argument is the callee's.
    if let Some(value) = last_named(node) {
        walker.visit(value);
    }
}

pub(super) fn assignment(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(left) = node.field("left") {
        write_target(walker, left);
    }
    walker.visit_field(node, "right");
}

pub(super) fn unary(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(argument) = node.field("argument") else { return walker.visit_children(node) };
    let steps = node.field("operator").is_some_and(|operator| matches!(operator.kind(), "++" | "--"));
    if steps { write_target(walker, argument) } else { walker.visit(argument) }
}

fn write_target(walker: &mut Walker<'_>, target: Node<'_>) {
    match target.kind() {
        "identifier" => {
            walker.reference_named(target, plain_name(walker, target), Role::Write, NONE);
        }
        "navigation_expression" => member(walker, target, Role::Write),
        _ => walker.visit(target),
    }
}

/// A string; `$name` in it is a name, which the grammar leaves to the text behind the mark.
pub(super) fn template(walker: &mut Walker<'_>, node: Node<'_>) {
    let mut marked = false;
    walker.for_children(node, |walker, child| {
        if child.kind() != "string_content" {
            marked = false;
            return walker.visit(child);
        }
        let text = walker.text(child);
        if marked {
            let end = text.find(|letter: char| !(letter.is_alphanumeric() || letter == '_')).unwrap_or(text.len());
            let name = &text[..end];
            if name.starts_with(|first: char| first.is_alphabetic() || first == '_') && !matches!(name, "this") {
                walker.reference_named(child, name, Role::Read, NONE);
            }
        }
        marked = text == "$";
    });
}

// ----- what stands before a name

pub(super) fn expr(walker: &mut Walker<'_>, node: Node<'_>) -> u32 {
    let field = |name: &str| node.child_by_field_name(name);
    let literal = |walker: &mut Walker<'_>, name: &str| walker.expr(ExprKind::Literal, name, NONE, node);
    match node.kind() {
        "identifier" => match plain_name(walker, node) {
            "null" => NONE,
            "true" | "false" => literal(walker, "Boolean"),
            name => walker.expr(ExprKind::Name, name, NONE, node),
        },
        "this_expression" => match child_of_kind(node, "identifier") {
            // `this@Outer`; a label in lower case is a function's, whose receiver is not known here.
            Some(label) if is_type_name(walker.text(label)) => typed(walker, Some(label), node),
            Some(_) => NONE,
            None => walker.expr(ExprKind::SelfRef, "", NONE, node),
        },
        "super_expression" => match named_children(node).into_iter().find(|child| is_type_node(*child)) {
            Some(ty) => typed(walker, Some(ty), node),
            None => walker.expr(ExprKind::Super, "", NONE, node),
        },
        "navigation_expression" => match navigated(node) {
            Some((_, name)) if has_word(node, "::") && walker.text(name) == "class" => literal(walker, "KClass"),
            Some((object, name)) => derived(walker, ExprKind::Member, plain_name(walker, name), object, node),
            None => NONE,
        },
        "call_expression" => call_expr(walker, node),
        "object_literal" => match child_of_kind(node, "delegation_specifiers").and_then(first_named).and_then(first_named) {
            Some(base) => {
                let ty = child_of_kind(base, "user_type").unwrap_or(base);
                typed(walker, Some(ty), node)
            }
            None => NONE,
        },
        "index_expression" => first_named(node).map_or(NONE, |base| derived(walker, ExprKind::Index, "", base, node)),
        "as_expression" => typed(walker, field("right"), node),
        "parenthesized_expression" => first_named(node).map_or(NONE, |inner| walker.expr_of(inner)),
        "unary_expression" => match field("operator").map_or("", |operator| operator.kind()) {
            "!" => literal(walker, "Boolean"),
            _ => field("argument").map_or(NONE, |operand| walker.expr_of(operand)),
        },
        "binary_expression" => binary_expr(walker, node),
        "if_expression" => {
            let condition = field("condition").map(|condition| condition.id());
            let branches = named_children(node).into_iter().filter(|child| Some(child.id()) != condition);
            branches.map(|branch| block_value(walker, branch)).find(|found| *found != NONE).unwrap_or(NONE)
        }
        "try_expression" => first_named(node).map_or(NONE, |block| block_value(walker, block)),
        "is_expression" | "in_expression" => literal(walker, "Boolean"),
        "string_literal" | "multiline_string_literal" => literal(walker, "String"),
        "character_literal" => literal(walker, "Char"),
        "number_literal" => literal(walker, "Int"),
        "float_literal" => literal(walker, "Double"),
        _ => NONE,
    }
}

/// The value of a block is that of its only statement; of several the last may speak of names that the others declare.
fn block_value(walker: &mut Walker<'_>, node: Node<'_>) -> u32 {
    match (node.kind(), named_children(node).as_slice()) {
        ("block", [only]) => walker.expr_of(*only),
        ("block", _) => NONE,
        _ => walker.expr_of(node),
    }
}

fn call_expr(walker: &mut Walker<'_>, node: Node<'_>) -> u32 {
    let Some(parts) = call_parts(node) else { return NONE };
    if let Some((object, name)) = navigated(parts.callee).filter(|_| parts.callee.kind() == "navigation_expression") {
        // These hand back what they were called on.
        if matches!(walker.text(name), "apply" | "also" | "takeIf" | "takeUnless" | "onEach") && parts.lambda.is_some() {
            return walker.expr_of(object);
        }
    }
    match walker.expr_of(parts.callee) {
        NONE => NONE,
        callee => walker.expr(ExprKind::Call, "", callee, node),
    }
}

fn binary_expr(walker: &mut Walker<'_>, node: Node<'_>) -> u32 {
    if let Some((name, ..)) = generic_call(node) {
        let callee = walker.expr_of(name);
        return walker.expr(ExprKind::Call, "", callee, node);
    }
    match node.field("operator").map_or("", |operator| operator.kind()) {
        "==" | "!=" | "===" | "!==" | "<" | "<=" | ">" | ">=" | "&&" | "||" => {
            walker.expr(ExprKind::Literal, "Boolean", NONE, node)
        }
        _ => node.field("left").map_or(NONE, |left| walker.expr_of(left)),
    }
}
