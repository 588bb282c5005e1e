//! Swift's types and expressions: what is mentioned, and what stands in front of a name.
//!
//! An index is a call with brackets in this grammar. An expression whose shape says nothing is recorded as unknown rather than
//! left out, because a member without one would pass for a free name.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::members::is_type;
use crate::facts::model::{ExprKind, NONE, Role, Usage};
use crate::facts::walker::Walker;
use crate::lang::common::arg_count;
use crate::lang::nodes::{child_of_kind, derived, line, named_children, over, receiver};

// ----- types

pub(super) fn plain_type(walker: &mut Walker<'_>, node: Node<'_>) {
    types(walker, node, Role::Type);
}

/// The text of a type as the linker reads it: without `some` and `any`, dictionaries with both their types.
pub(super) fn type_text(walker: &Walker<'_>, node: Node<'_>) -> String {
    let mut at = node;
    while matches!(at.kind(), "optional_type" | "opaque_type" | "existential_type" | "implicitly_unwrapped_type") {
        let Some(inner) = at.named_child(0) else { break };
        at = inner;
    }
    match at.kind() {
        "dictionary_type" => {
            let parts: Vec<String> = named_children(at).iter().map(|part| line(walker, *part).into_owned()).collect();
            format!("Dictionary<{}>", parts.join(", "))
        }
        "function_type" => "func".to_owned(),
        _ => line(walker, at).into_owned(),
    }
}

/// Records the mentions in a type.
pub(super) fn types(walker: &mut Walker<'_>, node: Node<'_>, role: Role) {
    match node.kind() {
        "user_type" => {
            let mut base = NONE;
            let parts = named_children(node);
            let last = parts.iter().rposition(|part| part.kind() == "type_identifier");
            for (at, part) in parts.iter().enumerate() {
                if part.kind() == "type_identifier" {
                    if !matches!(walker.text(*part), "Self" | "Any" | "AnyObject" | "Void" | "Never") {
                        walker.reference(*part, if Some(at) == last { role } else { Role::Type }, base);
                    }
                    let (kind, word) = (if base == NONE { ExprKind::Name } else { ExprKind::Member }, walker.text(*part));
                    base = walker.expr(kind, word, base, *part);
                } else {
                    walker.for_children(*part, |walker, child| types(walker, child, Role::GenericArg));
                }
            }
        }
        "attribute" => walker.visit(node),
        "simple_identifier" | "type_identifier" => {}
        _ => walker.nested(|walker| walker.for_children(node, |walker, child| types(walker, child, role))),
    }
}

// ----- expressions

/// A value whose type is written beside it: there `.name` belongs to that type.
pub(super) fn with_type(walker: &mut Walker<'_>, value: Node<'_>, ty: &str) -> u32 {
    let mut at = value;
    if at.kind() == "call_expression" {
        at = at.named_child(0).unwrap_or(at);
    }
    if let (Some(name), false) = (implicit_member(at), ty.is_empty()) {
        let recv = walker.expr(ExprKind::Typed, ty, NONE, at);
        let is_call = value.kind() == "call_expression";
        let row = walker.reference(name, if is_call { Role::Call } else { Role::Read }, recv);
        if is_call {
            walker.call_detail(row, arguments(value), Usage::Assigned);
        }
        walker.claim(at.start_byte() as u32, IMPLICIT, "");
        return recv;
    }
    walker.expr_of(value)
}

/// The name space of `claim` in which the places of `.name` are that have been seen.
const IMPLICIT: u8 = 1;

/// The name of `.name`.
fn implicit_member(node: Node<'_>) -> Option<Node<'_>> {
    if node.kind() != "prefix_expression" || node.field("operation")?.kind() != "." {
        return None;
    }
    node.field("target").filter(|target| target.kind() == "simple_identifier")
}

pub(super) fn prefix(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = implicit_member(node) else { return walker.visit_children(node) };
    if !walker.is_claimed(node.start_byte() as u32, IMPLICIT, "") {
        let recv = walker.expr(ExprKind::Unknown, "", NONE, node);
        walker.reference(name, Role::Read, recv);
    }
}

pub(super) fn identifier(walker: &mut Walker<'_>, node: Node<'_>) {
    if !walker.text(node).starts_with('$') {
        walker.reference(node, Role::Read, NONE);
    }
}

/// Target and name of `target.name`.
fn parts(node: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    let target = node.field("target")?;
    let suffix = child_of_kind(node, "navigation_suffix")?.field("suffix")?;
    (suffix.kind() == "simple_identifier").then_some((target, suffix))
}

fn member(walker: &mut Walker<'_>, node: Node<'_>, role: Role) -> Option<u32> {
    let Some((target, name)) = parts(node) else {
        walker.visit_children(node);
        return None;
    };
    let recv = receiver(walker, target);
    let row = walker.reference(name, role, recv);
    visit_target(walker, target);
    Some(row)
}

/// What stands in front of a dot: there a name that looks like a type's is one.
fn visit_target(walker: &mut Walker<'_>, target: Node<'_>) {
    if target.kind() == "simple_identifier" && walker.text(target).starts_with(char::is_uppercase) {
        walker.reference(target, Role::Type, NONE);
    } else {
        walker.visit(target);
    }
}

pub(super) fn navigation(walker: &mut Walker<'_>, node: Node<'_>) {
    member(walker, node, Role::Read);
}

/// Whether a call is written with brackets: an index.
fn is_index(walker: &Walker<'_>, suffix: Node<'_>) -> bool {
    child_of_kind(suffix, "value_arguments").is_some_and(|list| walker.text(list).starts_with('['))
}

/// Number of arguments, trailing closures included.
fn arguments(call: Node<'_>) -> Option<usize> {
    let suffix = child_of_kind(call, "call_suffix")?;
    let listed = child_of_kind(suffix, "value_arguments").map_or(0, arg_count);
    let trailing = named_children(suffix).iter().filter(|child| child.kind() == "lambda_literal").count();
    Some(listed + trailing)
}

pub(super) fn call(walker: &mut Walker<'_>, node: Node<'_>) {
    let (Some(callee), Some(suffix)) = (node.named_child(0), child_of_kind(node, "call_suffix")) else {
        return walker.visit_children(node);
    };
    let usage = walker.result_use();
    let args = arguments(node);
    let index = is_index(walker, suffix);
    match callee.kind() {
        "simple_identifier" if index => identifier(walker, callee),
        "simple_identifier" => {
            let is_word = matches!(walker.text(callee), "defer" | "do" | "repeat");
            if !is_word {
                walker.call(callee, NONE, args, usage);
            }
        }
        "navigation_expression" => {
            let role = if index { Role::Read } else { Role::Call };
            if let Some(row) = member(walker, callee, role).filter(|_| !index) {
                walker.call_detail(row, args, usage);
            }
        }
        "prefix_expression" if implicit_member(callee).is_some() => {
            let claimed = walker.is_claimed(callee.start_byte() as u32, IMPLICIT, "");
            if let Some(name) = implicit_member(callee).filter(|_| !claimed) {
                let recv = walker.expr(ExprKind::Unknown, "", NONE, callee);
                walker.call(name, recv, args, usage);
            }
        }
        _ => walker.visit(callee),
    }
    walker.for_children(suffix, |walker, child| {
        if child.kind() != "simple_identifier" {
            walker.visit(child);
        }
    });
}

/// `[T]()`, `T<A>()`.
pub(super) fn construction(walker: &mut Walker<'_>, node: Node<'_>) {
    let usage = walker.result_use();
    let ty = node.field("constructed_type");
    let suffix = child_of_kind(node, "constructor_suffix");
    if let Some(ty) = ty {
        let before = walker.rows.refs.len();
        types(walker, ty, if ty.kind() == "user_type" { Role::Instantiate } else { Role::Type });
        let args = suffix.and_then(|suffix| child_of_kind(suffix, "value_arguments")).map(arg_count);
        let made = walker.rows.refs[before..].iter().position(|row| row.role() == Role::Instantiate);
        if let Some(made) = made {
            walker.call_detail((before + made) as u32, args, usage);
        }
    }
    if let Some(suffix) = suffix {
        walker.visit_children(suffix);
    }
}

/// `#expect(..)`: a macro is nobody's definition here, its arguments are code.
pub(super) fn macro_use(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.for_children(node, |walker, child| {
        if child.kind() != "simple_identifier" {
            walker.visit(child);
        }
    });
}

/// `\T.name`.
pub(super) fn key_path(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(ty) = child_of_kind(node, "type_identifier") {
        walker.reference(ty, Role::Type, NONE);
    }
}

/// `#selector(T.name(_:))` hands over a method.
pub(super) fn selector(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(mut inner) = node.named_child(0) else { return };
    if inner.kind() == "call_expression" {
        inner = inner.named_child(0).unwrap_or(inner);
    }
    walker.visit(inner);
}

pub(super) fn assignment(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(target) = node.field("target") {
        let inner = target.named_child(0).unwrap_or(target);
        match inner.kind() {
            "simple_identifier" => {
                walker.reference(inner, Role::Write, NONE);
            }
            "navigation_expression" => {
                member(walker, inner, Role::Write);
            }
            _ => walker.visit(inner),
        }
    }
    walker.visit_field(node, "result");
}

pub(super) fn lambda(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.in_lambda(|walker| {
        if let Some(captures) = node.field("captures") {
            for item in named_children(captures) {
                walker.visit_field(item, "value");
            }
        }
        if let Some(ty) = node.field("type") {
            lambda_type(walker, ty);
        }
        walker.for_children(node, |walker, child| {
            if !matches!(child.kind(), "capture_list" | "lambda_function_type") {
                walker.visit(child);
            }
        });
    });
}

fn lambda_type(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.for_children(node, |walker, child| match child.kind() {
        "lambda_parameter" => {
            let ty = named_children(child).into_iter().find(|part| is_type(*part));
            let text = ty.map(|ty| type_text(walker, ty)).unwrap_or_default();
            if let Some(name) = child_of_kind(child, "simple_identifier") {
                walker.bind(name, Some(&text), NONE, child.start_byte());
            }
            if let Some(ty) = ty {
                types(walker, ty, Role::ParamType);
            }
        }
        "lambda_function_type_parameters" => walker.nested(|walker| lambda_type(walker, child)),
        _ if is_type(child) => types(walker, child, Role::ReturnType),
        _ => {}
    });
}

pub(super) fn expr(walker: &mut Walker<'_>, node: Node<'_>) -> u32 {
    let field = |name: &str| node.child_by_field_name(name);
    let literal = |walker: &mut Walker<'_>, name: &str| walker.expr(ExprKind::Literal, name, NONE, node);
    match node.kind() {
        "simple_identifier" if walker.text(node) == "Self" => walker.expr(ExprKind::SelfRef, "", NONE, node),
        "simple_identifier" => walker.expr(ExprKind::Name, walker.text(node), NONE, node),
        "self_expression" => walker.expr(ExprKind::SelfRef, "", NONE, node),
        "super_expression" => walker.expr(ExprKind::Super, "", NONE, node),
        "navigation_expression" => match parts(node) {
            Some((target, name)) if walker.text(name) == "self" => walker.expr_of(target),
            Some((target, name)) => derived(walker, ExprKind::Member, walker.text(name), target, node),
            None => NONE,
        },
        "call_expression" => {
            let (Some(callee), Some(suffix)) = (node.named_child(0), child_of_kind(node, "call_suffix")) else { return NONE };
            let base = walker.expr_of(callee);
            let kind = if is_index(walker, suffix) { ExprKind::Index } else { ExprKind::Call };
            over(walker, kind, "", base, node)
        }
        "constructor_expression" => match field("constructed_type") {
            Some(ty) => {
                let text = type_text(walker, ty);
                walker.expr(if ty.kind() == "user_type" { ExprKind::New } else { ExprKind::Typed }, &text, NONE, node)
            }
            None => NONE,
        },
        "as_expression" => match named_children(node).into_iter().find(|part| is_type(*part)) {
            Some(ty) => {
                let text = type_text(walker, ty);
                walker.expr(ExprKind::Typed, &text, NONE, node)
            }
            None => NONE,
        },
        "key_path_expression" => match child_of_kind(node, "type_identifier") {
            Some(ty) => walker.expr(ExprKind::Typed, walker.text(ty), NONE, node),
            None => NONE,
        },
        "postfix_expression" => field("target").map_or(NONE, |inner| walker.expr_of(inner)),
        "try_expression" | "await_expression" => field("expr").map_or(NONE, |inner| walker.expr_of(inner)),
        "tuple_expression" if node.named_child_count() == 1 => node.named_child(0).map_or(NONE, |inner| walker.expr_of(inner)),
        "nil_coalescing_expression" => branches(walker, field("value"), field("if_nil")),
        "ternary_expression" => branches(walker, field("if_true"), field("if_false")),
        "line_string_literal" | "multi_line_string_literal" | "raw_string_literal" => literal(walker, "String"),
        "integer_literal" => literal(walker, "Int"),
        "real_literal" => literal(walker, "Double"),
        "boolean_literal" => literal(walker, "Bool"),
        _ => NONE,
    }
}

fn branches(walker: &mut Walker<'_>, first: Option<Node<'_>>, second: Option<Node<'_>>) -> u32 {
    let known = first.map_or(NONE, |node| walker.expr_of(node));
    if known != NONE { known } else { second.map_or(NONE, |node| walker.expr_of(node)) }
}
