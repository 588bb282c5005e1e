//! Scala's types, patterns and expressions: what is bound, what is mentioned, and what stands in front of a name.
//!
//! A lower-case name in a pattern is bound, any other is mentioned. The parameter of a function literal that a collection's
//! method calls, `_` included, is an element of what stands in front. Arithmetic and comparison are not recorded as calls.
//!
//! Knows nothing of declarations; those are in the module above.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::supertype;
use crate::facts::model::{ExprKind, NONE, Role};
use crate::facts::walker::Walker;
use crate::lang::common::arg_count;
use crate::lang::tree::*;

/// How deep types and patterns are followed.
const NESTING: u32 = 120;

/// A name without the backticks around it.
pub(super) fn plain_name<'a>(walker: &Walker<'a>, node: Node<'_>) -> &'a str {
    walker.text(node).trim_matches('`')
}

// ----- types

/// The name's node of a class type.
pub(super) fn type_name(ty: Node<'_>) -> Option<Node<'_>> {
    match ty.kind() {
        "type_identifier" => Some(ty),
        "generic_type" => type_name(ty.field("type")?),
        "stable_type_identifier" => last_named(ty).filter(|last| last.kind() == "type_identifier"),
        "applied_constructor_type" | "annotated_type" => type_name(first_named(ty)?),
        "lazy_parameter_type" | "repeated_parameter_type" => type_name(ty.field("type")?),
        "compound_type" => type_name(ty.field("base")?),
        _ => None,
    }
}

/// A type's text as `link` reads it: by-name types are what they give, repeated ones a list.
pub(super) fn plain_type_text(walker: &Walker<'_>, ty: Node<'_>) -> String {
    let inner = ty.field("type");
    match (ty.kind(), inner) {
        ("lazy_parameter_type", Some(inner)) => line(walker, inner).into_owned(),
        ("repeated_parameter_type", Some(inner)) => format!("{}[]", line(walker, inner)),
        ("compound_type", _) => ty.field("base").map_or_else(String::new, |base| line(walker, base).into_owned()),
        ("function_type", _) => String::new(),
        _ => line(walker, ty).into_owned(),
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
        "type_identifier" => {
            walker.reference_named(node, plain_name(walker, node), role, NONE);
        }
        "stable_type_identifier" => {
            let Some(name) = type_name(node) else { return };
            let scope = first_named(node).filter(|scope| scope.id() != name.id());
            let recv = scope.map_or(NONE, |scope| receiver(walker, scope));
            walker.reference_named(name, plain_name(walker, name), role, recv);
            if let Some(scope) = scope {
                visit_qualifier(walker, scope);
            }
        }
        "type_arguments" => walker.for_children(node, |walker, child| types(walker, child, Role::GenericArg, depth + 1)),
        "annotation" | "arguments" | "template_body" | "refinement" => walker.visit(node),
        "identifier" | "operator_identifier" | "wildcard" => {}
        _ => walker.for_children(node, |walker, child| types(walker, child, role, depth + 1)),
    }
}

/// Type parameters are locals of their declaration; their bounds are mentioned.
pub(super) fn type_parameters(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(list) = child_of_kind(node, "type_parameters") else { return };
    for child in named_children(list) {
        let name = match child.kind() {
            "identifier" => Some(child),
            "covariant_type_parameter" | "contravariant_type_parameter" => child.field("name"),
            _ => None,
        };
        if let Some(name) = name {
            walker.bind(name, None, NONE, list.start_byte());
        }
    }
    for child in named_children(list).into_iter().filter(|child| child.kind().ends_with("_bound")) {
        types(walker, child, Role::Type, 0);
    }
}

// ----- patterns

pub(super) fn pattern(walker: &mut Walker<'_>, node: Node<'_>) {
    bind_pattern(walker, node, None, NONE, node.end_byte());
}

/// Binds the names of a pattern and records what it mentions.
pub(super) fn bind_pattern(walker: &mut Walker<'_>, node: Node<'_>, ty: Option<&str>, init: u32, at: usize) {
    walker.nested(|walker| match node.kind() {
        "identifier" if starts_low(walker.text(node)) => {
            walker.bind(node, ty, init, at);
        }
        "typed_pattern" => {
            let written = node.field("type");
            if let Some(written) = written {
                types(walker, written, Role::Type, 0);
            }
            let text = written.map(|written| plain_type_text(walker, written));
            if let Some(inner) = node.field("pattern") {
                bind_pattern(walker, inner, text.as_deref(), NONE, at);
            }
        }
        "capture_pattern" => {
            let inner = node.field("pattern");
            let text = inner.and_then(|inner| inner.field("type")).map(|ty| plain_type_text(walker, ty));
            if let Some(name) = node.field("name").filter(|name| name.kind() == "identifier") {
                walker.bind(name, text.as_deref(), init, at);
            }
            if let Some(inner) = inner {
                bind_pattern(walker, inner, None, init, at);
            }
        }
        "case_class_pattern" => {
            let ty = node.field("type");
            if let Some(ty) = ty {
                types(walker, ty, Role::Type, 0);
            }
            for part in named_children(node).into_iter().filter(|part| ty.is_none_or(|ty| ty.id() != part.id())) {
                bind_pattern(walker, part, None, NONE, at);
            }
        }
        "tuple_pattern" => {
            for (slot, part) in named_children(node).into_iter().enumerate() {
                let inner = if init == NONE { NONE } else { walker.expr(ExprKind::Index, "", init, part) };
                if inner != NONE {
                    walker.expr_slot(inner, slot);
                }
                bind_pattern(walker, part, None, inner, at);
            }
        }
        "alternative_pattern" | "infix_pattern" | "named_pattern" | "repeat_pattern" => {
            let operator = node.field("operator").map(|operator| operator.id());
            for part in named_children(node).into_iter().filter(|part| Some(part.id()) != operator) {
                bind_pattern(walker, part, None, NONE, at);
            }
        }
        "wildcard" => {}
        _ => walker.visit(node),
    });
}

fn starts_low(text: &str) -> bool {
    text.starts_with(|first: char| first.is_lowercase() || first == '_') && !matches!(text, "this" | "super")
}

pub(super) fn match_expression(walker: &mut Walker<'_>, node: Node<'_>) {
    let value = node.field("value");
    let subject = value.map_or(NONE, |value| walker.expr_of(value));
    if let Some(value) = value {
        walker.visit(value);
    }
    walker.for_children(node, |walker, child| match child.kind() {
        "case_block" | "indented_cases" => walker.visit_with(child, |walker, child| cases(walker, child, subject)),
        _ if value.is_some_and(|value| value.id() == child.id()) => {}
        _ => walker.visit(child),
    });
}

pub(super) fn case_block(walker: &mut Walker<'_>, node: Node<'_>) {
    cases(walker, node, NONE);
}

/// The clauses of a `match`, a `catch` or a function of cases; a bare name at the top is the subject itself.
fn cases(walker: &mut Walker<'_>, block: Node<'_>, subject: u32) {
    walker.for_children(block, |walker, clause| {
        walker.in_scope(|walker| {
            let pattern = clause.field("pattern");
            if let Some(pattern) = pattern {
                bind_pattern(walker, pattern, None, subject, pattern.end_byte());
            }
            walker.visit_children_except(clause, &[pattern]);
        });
    });
}

/// `x <- xs`, `x = value` and guards of a `for`.
pub(super) fn enumerator(walker: &mut Walker<'_>, node: Node<'_>) {
    let parts = named_children(node);
    let [pattern, value, rest @ ..] = parts.as_slice() else { return walker.visit_children(node) };
    let base = walker.expr_of(*value);
    walker.visit(*value);
    let init = if has_word(node, "<-") && base != NONE { walker.expr(ExprKind::Element, "", base, node) } else { base };
    bind_pattern(walker, *pattern, None, init, value.end_byte());
    for part in rest {
        walker.visit(*part);
    }
}

// ----- function literals

pub(super) fn lambda(walker: &mut Walker<'_>, node: Node<'_>) {
    lambda_given(walker, node, NONE);
}

fn lambda_given(walker: &mut Walker<'_>, node: Node<'_>, given: u32) {
    walker.in_lambda(|walker| {
        let parameters = node.field("parameters");
        match parameters {
            Some(list) if list.kind() == "bindings" => {
                for (slot, binding) in named_children(list).into_iter().enumerate() {
                    let ty = binding.field("type");
                    if let Some(ty) = ty {
                        types(walker, ty, Role::Type, 0);
                    }
                    let text = ty.map(|ty| plain_type_text(walker, ty));
                    if let Some(name) = binding.field("name") {
                        walker.bind(name, text.as_deref(), if slot == 0 { given } else { NONE }, list.end_byte());
                    }
                }
            }
            Some(name) if name.kind() == "identifier" => {
                walker.bind(name, None, given, name.start_byte());
            }
            _ => {}
        }
        walker.visit_children_except(node, &[parameters]);
    });
}

/// Methods of collections that hand their elements to the function they are given.
fn takes_elements(method: &str) -> bool {
    matches!(
        method,
        "map"
            | "flatMap"
            | "filter"
            | "filterNot"
            | "withFilter"
            | "foreach"
            | "exists"
            | "forall"
            | "find"
            | "collect"
            | "count"
            | "partition"
            | "groupBy"
            | "sortBy"
            | "takeWhile"
            | "dropWhile"
            | "span"
            | "maxBy"
            | "minBy"
            | "indexWhere"
    )
}

// ----- expressions

/// A bare name.
pub(super) fn identifier(walker: &mut Walker<'_>, node: Node<'_>) {
    let text = plain_name(walker, node);
    if !matches!(text, "this" | "super" | "_") {
        walker.reference_named(node, text, Role::Read, NONE);
    }
}

/// Visits what stands in front of a dot: there a capitalised name is a type's or an object's.
fn visit_qualifier(walker: &mut Walker<'_>, node: Node<'_>) {
    if node.kind() == "identifier" && is_type_name(plain_name(walker, node)) {
        walker.reference_named(node, plain_name(walker, node), Role::Type, NONE);
    } else {
        walker.visit(node);
    }
}

pub(super) fn stable_identifier(walker: &mut Walker<'_>, node: Node<'_>) {
    let parts = named_children(node);
    let [object, .., name] = parts.as_slice() else { return walker.visit_children(node) };
    let recv = receiver(walker, *object);
    walker.reference_named(*name, plain_name(walker, *name), Role::Read, recv);
    visit_qualifier(walker, *object);
}

pub(super) fn field_expression(walker: &mut Walker<'_>, node: Node<'_>) {
    member(walker, node, Role::Read);
}

fn member(walker: &mut Walker<'_>, node: Node<'_>, role: Role) {
    let (Some(object), Some(name)) = (node.field("value"), node.field("field")) else {
        return walker.visit_children(node);
    };
    let recv = receiver(walker, object);
    walker.reference_named(name, plain_name(walker, name), role, recv);
    visit_qualifier(walker, object);
}

pub(super) fn generic_function(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.visit_field(node, "function");
    walker.visit_field(node, "type_arguments");
}

pub(super) fn call(walker: &mut Walker<'_>, node: Node<'_>) {
    let (Some(function), Some(list)) = (node.field("function"), node.field("arguments")) else {
        return walker.visit_children(node);
    };
    let usage = walker.result_use();
    let args = if list.kind() == "arguments" { arg_count(list) } else { 1 };
    let (callee, types) = match function.kind() {
        "generic_function" => (function.field("function").unwrap_or(function), function.field("type_arguments")),
        _ => (function, None),
    };
    let mut given = NONE;
    match (callee.kind(), callee.field("value"), callee.field("field")) {
        ("identifier", ..) => {
            let text = plain_name(walker, callee);
            if text != "this" {
                let row = walker.reference_named(callee, text, Role::Call, NONE);
                walker.call_detail(row, Some(args), usage);
            }
        }
        ("field_expression", Some(object), Some(name)) => {
            let recv = receiver(walker, object);
            let text = plain_name(walker, name);
            let row = walker.reference_named(name, text, Role::Call, recv);
            walker.call_detail(row, Some(args), usage);
            if takes_elements(text) {
                given = derived(walker, ExprKind::Element, "", object, node);
            }
            visit_qualifier(walker, object);
        }
        _ => walker.visit(callee),
    }
    if let Some(types) = types {
        walker.visit(types);
    }
    arguments(walker, list, given);
}

/// Arguments; a function literal among them gets `given`.
fn arguments(walker: &mut Walker<'_>, list: Node<'_>, given: u32) {
    if given == NONE || !matches!(list.kind(), "arguments" | "block") {
        return walker.visit(list);
    }
    walker.within(list, |walker| {
        walker.for_children(list, |walker, child| match child.kind() {
            "lambda_expression" => walker.visit_with(child, |walker, child| lambda_given(walker, child, given)),
            _ => walker.visit(child),
        });
    });
}

/// `a function b` calls a member of `a`.
pub(super) fn infix(walker: &mut Walker<'_>, node: Node<'_>) {
    let parts = (node.field("left"), node.field("operator"), node.field("right"));
    let (Some(left), Some(operator), Some(right)) = parts else { return walker.visit_children(node) };
    let text = plain_name(walker, operator);
    if is_arithmetic(text) {
        walker.visit(left);
        return walker.visit(right);
    }
    let usage = walker.result_use();
    // An operator that ends in a colon belongs to what stands behind it.
    let (object, other) = if text.ends_with(':') { (right, left) } else { (left, right) };
    let recv = receiver(walker, object);
    let row = walker.reference_named(operator, text, Role::Call, recv);
    walker.call_detail(row, Some(1), usage);
    visit_qualifier(walker, object);
    let given = if takes_elements(text) { derived(walker, ExprKind::Element, "", object, node) } else { NONE };
    arguments(walker, other, given);
}

fn is_arithmetic(operator: &str) -> bool {
    matches!(
        operator,
        "+" | "-"
            | "*"
            | "/"
            | "%"
            | "=="
            | "!="
            | "<"
            | ">"
            | "<="
            | ">="
            | "&&"
            | "||"
            | "&"
            | "|"
            | "^"
            | "eq"
            | "ne"
            | "+="
            | "-="
            | "*="
            | "/="
            | "::"
            | "++"
            | ":+"
            | "+:"
            | ":::"
            | "->"
            | "<<"
            | ">>"
            | ">>>"
            | "++="
            | "to"
            | "until"
    )
}

pub(super) fn postfix(walker: &mut Walker<'_>, node: Node<'_>) {
    let parts = named_children(node);
    let [object, name] = parts.as_slice() else { return walker.visit_children(node) };
    let recv = receiver(walker, *object);
    walker.reference_named(*name, plain_name(walker, *name), Role::Read, recv);
    walker.visit(*object);
}

pub(super) fn creation(walker: &mut Walker<'_>, node: Node<'_>) {
    let usage = walker.result_use();
    let arguments = node.field("arguments");
    let body = named_children(node).into_iter().find(|child| matches!(child.kind(), "template_body" | "with_template_body"));
    let ty = named_children(node).into_iter().find(|child| type_name(*child).is_some());
    if let Some(ty) = ty {
        let before = walker.rows.refs.len();
        let head = if ty.kind() == "compound_type" { ty.field("base").unwrap_or(ty) } else { ty };
        types(walker, head, Role::Instantiate, 0);
        let place = type_name(head).map_or(u32::MAX, |name| name.start_byte() as u32);
        if let Some(found) = walker.rows.refs[before..].iter().position(|row| row.at == place) {
            walker.call_detail((before + found) as u32, Some(arguments.map_or(0, arg_count)), usage);
        }
    }
    if let Some(arguments) = arguments {
        walker.visit(arguments);
    }
    if let Some(body) = body {
        let def = define_anonymous(walker, node, Some(body));
        walker.in_def(def, |walker| {
            let parts = ty.filter(|ty| ty.kind() == "compound_type").map_or_else(|| ty.into_iter().collect(), named_children);
            for (at, part) in parts.into_iter().enumerate() {
                supertype(walker, def, part, if at == 0 { Role::Extends } else { Role::Implements });
            }
            walker.visit_children(body);
        });
    }
}

pub(super) fn assignment(walker: &mut Walker<'_>, node: Node<'_>) {
    match node.field("left") {
        Some(left) if left.kind() == "identifier" => {
            walker.reference_named(left, plain_name(walker, left), Role::Write, NONE);
        }
        Some(left) if left.kind() == "field_expression" => member(walker, left, Role::Write),
        Some(left) => walker.visit(left),
        None => {}
    }
    walker.visit_field(node, "right");
}

pub(super) fn ascription(walker: &mut Walker<'_>, node: Node<'_>) {
    let ty = node.field("type").or_else(|| node.field("return_type"));
    if let Some(ty) = ty {
        types(walker, ty, Role::Type, 0);
    }
    walker.visit_children_except(node, &[ty]);
}

pub(super) fn interpolated(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.visit_children_except(node, &[node.field("interpolator")]);
}

// ----- what stands before a name

pub(super) fn expr(walker: &mut Walker<'_>, node: Node<'_>) -> u32 {
    let field = |name: &str| node.child_by_field_name(name);
    let literal = |walker: &mut Walker<'_>, name: &str| walker.expr(ExprKind::Literal, name, NONE, node);
    match node.kind() {
        "identifier" => match plain_name(walker, node) {
            "this" => walker.expr(ExprKind::SelfRef, "", NONE, node),
            "super" => walker.expr(ExprKind::Super, "", NONE, node),
            text => walker.expr(ExprKind::Name, text, NONE, node),
        },
        "field_expression" => match (field("value"), field("field")) {
            // `Outer.this`
            (Some(object), Some(name)) if walker.text(name) == "this" => typed(walker, Some(object), node),
            (Some(object), Some(name)) => derived(walker, ExprKind::Member, plain_name(walker, name), object, node),
            _ => NONE,
        },
        "stable_identifier" => match named_children(node).as_slice() {
            [object, .., name] => derived(walker, ExprKind::Member, plain_name(walker, *name), *object, node),
            _ => NONE,
        },
        "generic_function" => match field("function").filter(|inner| inner.kind() == "field_expression") {
            Some(inner) if inner.field("field").is_some_and(|name| walker.text(name) == "asInstanceOf") => {
                typed(walker, field("type_arguments").and_then(first_named), node)
            }
            _ => field("function").map_or(NONE, |inner| walker.expr_of(inner)),
        },
        "call_expression" => match field("function") {
            // Several lists of arguments are one call.
            Some(inner) if inner.kind() == "call_expression" => walker.expr_of(inner),
            Some(function) => match walker.expr_of(function) {
                NONE => NONE,
                callee => walker.expr(ExprKind::Call, "", callee, node),
            },
            None => NONE,
        },
        "instance_expression" => match named_children(node).into_iter().find(|child| type_name(*child).is_some()) {
            Some(ty) => {
                let text = plain_type_text(walker, ty);
                walker.expr(ExprKind::New, &text, NONE, node)
            }
            None => NONE,
        },
        "ascription_expression" => typed(walker, field("type").or_else(|| field("return_type")), node),
        "parenthesized_expression" => first_named(node).map_or(NONE, |inner| walker.expr_of(inner)),
        "if_expression" => field("consequence").map_or(NONE, |branch| walker.expr_of(branch)),
        "wildcard" => placeholder(walker, node),
        "infix_expression" => match field("operator").map_or("", |operator| walker.text(operator)) {
            "==" | "!=" | "<" | ">" | "<=" | ">=" | "&&" | "||" | "eq" | "ne" => literal(walker, "Boolean"),
            _ => NONE,
        },
        "string" | "interpolated_string_expression" => literal(walker, "String"),
        "character_literal" => literal(walker, "Char"),
        "integer_literal" => literal(walker, "Int"),
        "floating_point_literal" => literal(walker, "Double"),
        "boolean_literal" => literal(walker, "Boolean"),
        _ => NONE,
    }
}

/// `_` in the argument of a collection's method is one of its elements.
fn placeholder(walker: &mut Walker<'_>, node: Node<'_>) -> u32 {
    let mut above = std::iter::successors(node.parent(), Node::parent).take(8);
    let Some(list) = above.find(|above| above.kind() == "arguments") else { return NONE };
    let function = list.parent().and_then(|call| call.field("function"));
    let parts = function.map(|function| (function.field("value"), function.field("field")));
    let Some((Some(object), Some(name))) = parts else { return NONE };
    if takes_elements(walker.text(name)) { derived(walker, ExprKind::Element, "", object, node) } else { NONE }
}
