//! Dart's types, statements and expressions: what is bound, what is mentioned, and what stands in front of a name.
//!
//! An expression whose shape says nothing is recorded as unknown rather than left out, because a member without one would pass
//! for a free name.

use std::borrow::Cow;

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use crate::facts::model::{ExprKind, Kind, NONE, Role, flag};
use crate::facts::walker::{NewDef, Walker};
use crate::lang::common::arg_count;
use crate::lang::nodes::{child_of_kind, line, named_children, over, receiver};

// ----- types

pub(super) fn plain_type(walker: &mut Walker<'_>, node: Node<'_>) {
    types(walker, node, Role::Type);
}

/// The text of a type; a function type names nothing.
pub(super) fn type_text<'a>(walker: &Walker<'a>, node: Node<'_>) -> Cow<'a, str> {
    if child_of_kind(node, "function_type").is_some() { Cow::Borrowed("func") } else { line(walker, node) }
}

/// Records the mentions in a type.
pub(super) fn types(walker: &mut Walker<'_>, node: Node<'_>, role: Role) {
    match node.kind() {
        "type_identifier" => {
            if !matches!(walker.text(node), "dynamic" | "Never") {
                walker.reference(node, role, NONE);
            }
        }
        "type" => {
            let parts = named_children(node);
            let words: Vec<_> = parts.iter().copied().filter(|part| part.kind() == "type_identifier").collect();
            if let [prefix, name] = words[..] {
                let recv = walker.expr(ExprKind::Name, walker.text(prefix), NONE, prefix);
                walker.reference(name, role, recv);
            } else if let [name] = words[..] {
                types(walker, name, role);
            }
            for part in parts.into_iter().filter(|part| part.kind() != "type_identifier") {
                let role = if part.kind() == "type_arguments" { Role::GenericArg } else { role };
                walker.nested(|walker| types(walker, part, role));
            }
        }
        "identifier" => {}
        _ => walker.nested(|walker| walker.for_children(node, |walker, child| types(walker, child, role))),
    }
}

// ----- bindings

/// Binds parameters; `this.name` is also written.
pub(super) fn bind_parameters(walker: &mut Walker<'_>, list: Node<'_>) {
    walker.for_children(list, |walker, child| match child.kind() {
        "optional_formal_parameters" => walker.nested(|walker| bind_parameters(walker, child)),
        "formal_parameter" => bind_parameter(walker, child),
        "annotation" => walker.visit(child),
        _ => walker.visit(child),
    });
}

fn bind_parameter(walker: &mut Walker<'_>, parameter: Node<'_>) {
    super::members::visit_annotations(walker, parameter);
    let initialising = named_children(parameter).into_iter().find(|child| child.kind().ends_with("_formal_parameter"));
    let inner = initialising.unwrap_or(parameter);
    let ty = child_of_kind(inner, "type");
    if let Some(ty) = ty {
        types(walker, ty, Role::ParamType);
    }
    let Some(name) = inner.field("name").or_else(|| child_of_kind(inner, "identifier")) else { return };
    let mut init = NONE;
    if inner.kind() == "field_formal_parameter" {
        let recv = walker.expr(ExprKind::SelfRef, "", NONE, name);
        walker.reference(name, Role::Write, recv);
        init = walker.expr(ExprKind::Member, walker.text(name), recv, name);
    }
    // A parameter that is a function, in the older form, has its own parameters behind it.
    let is_function = child_of_kind(inner, "formal_parameter_list").is_some();
    let text = if is_function { Cow::Borrowed("func") } else { ty.map(|ty| type_text(walker, ty)).unwrap_or_default() };
    walker.bind(name, Some(&text), init, parameter.end_byte());
}

pub(super) fn local_variable(walker: &mut Walker<'_>, node: Node<'_>) {
    let ty = child_of_kind(node, "type");
    if let Some(ty) = ty {
        types(walker, ty, Role::Type);
    }
    let text = ty.map(|ty| type_text(walker, ty)).unwrap_or_default();
    let first = (node.field("name"), node.field("value"));
    let others = named_children(node).into_iter().filter(|child| child.kind() == "initialized_identifier");
    let others: Vec<_> = others.map(|other| (other.field("name"), other.field("value"))).collect();
    for (name, value) in std::iter::once(first).chain(others) {
        let init = value.map_or(NONE, |value| walker.expr_of(value));
        if let Some(value) = value {
            walker.visit(value);
        }
        if let Some(name) = name {
            let at = value.map_or(name.end_byte(), |value| value.end_byte());
            walker.bind(name, Some(&text), init, at);
        }
    }
}

pub(super) fn pattern_variables(walker: &mut Walker<'_>, node: Node<'_>) {
    let parts = named_children(node);
    for part in parts.iter().rev() {
        walker.visit(*part);
    }
}

pub(super) fn variable_pattern(walker: &mut Walker<'_>, node: Node<'_>) {
    let ty = child_of_kind(node, "type");
    if let Some(ty) = ty {
        types(walker, ty, Role::Type);
    }
    if let Some(name) = node.field("name") {
        let text = ty.map(|ty| type_text(walker, ty)).unwrap_or_default();
        walker.bind(name, Some(&text), NONE, name.end_byte());
    }
}

/// `Foo(a: p)` takes a value of a type apart.
pub(super) fn object_pattern(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.visit_children(node);
}

pub(super) fn for_loop(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.in_scope(|walker| {
        let (name, value) = (node.field("name"), node.field("value"));
        if let Some(value) = value {
            walker.visit(value);
            let base = walker.expr_of(value);
            if let Some(name) = name {
                let ty = child_of_kind(node, "type");
                let text = ty.map(|ty| type_text(walker, ty)).unwrap_or_default();
                let init = over(walker, ExprKind::Element, "", base, node);
                walker.bind(name, Some(&text), init, value.end_byte());
            }
        }
        walker.visit_children_except(node, &[name, value]);
    });
}

/// `on T catch (e, s) { .. }`: the parts stand in a row.
pub(super) fn try_statement(walker: &mut Walker<'_>, node: Node<'_>) {
    let mut ty: Option<Node<'_>> = None;
    let mut clause: Option<Node<'_>> = None;
    walker.for_children(node, |walker, child| match child.kind() {
        "type" => {
            types(walker, child, Role::Type);
            (ty, clause) = (Some(child), None);
        }
        "catch_clause" => clause = Some(child),
        _ => walker.in_scope(|walker| {
            let (ty, clause) = (ty.take(), clause.take());
            if let Some(clause) = clause {
                let text = ty.map(|ty| type_text(walker, ty)).unwrap_or_default();
                if let Some(name) = clause.field("exception") {
                    walker.bind(name, Some(&text), NONE, clause.end_byte());
                }
                if let Some(name) = clause.field("stack_trace") {
                    walker.bind(name, Some("StackTrace"), NONE, clause.end_byte());
                }
            }
            walker.visit(child);
        }),
    });
}

pub(super) fn labeled(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.visit_children_except(node, &[node.named_child(0)]);
}

pub(super) fn lambda(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.in_lambda(|walker| {
        walker.for_children(node, |walker, child| match child.kind() {
            "formal_parameter_list" => bind_parameters(walker, child),
            "type_parameters" => super::members::type_parameters(walker, child),
            _ => walker.visit(child),
        });
    });
}

// ----- expressions

pub(super) fn identifier(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.reference(node, Role::Read, NONE);
}

/// Object and name of `object.name`.
fn parts(node: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    let (object, name) = (node.field("object")?, node.field("property")?);
    (name.kind() == "identifier").then_some((object, name))
}

fn is_member(node: Node<'_>) -> bool {
    matches!(node.kind(), "member_expression" | "null_aware_member_expression")
}

/// What stands in front of a dot: there a name that looks like a type's is one.
fn visit_object(walker: &mut Walker<'_>, object: Node<'_>) {
    let word = if object.kind() == "identifier" { walker.text(object).trim_start_matches('_') } else { "" };
    if word.starts_with(char::is_uppercase) {
        walker.reference(object, Role::Type, NONE);
    } else {
        walker.visit(object);
    }
}

fn member(walker: &mut Walker<'_>, node: Node<'_>, role: Role) -> Option<u32> {
    let Some((object, name)) = parts(node) else {
        walker.visit_children(node);
        return None;
    };
    let recv = receiver(walker, object);
    let row = walker.reference(name, role, recv);
    visit_object(walker, object);
    Some(row)
}

pub(super) fn member_access(walker: &mut Walker<'_>, node: Node<'_>) {
    member(walker, node, Role::Read);
}

pub(super) fn receiver_of_super(walker: &mut Walker<'_>, word: Node<'_>) -> u32 {
    let kind = if word.kind() == "super" { ExprKind::Super } else { ExprKind::SelfRef };
    walker.expr(kind, "", NONE, word)
}

pub(super) fn call(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(function) = node.field("function") else { return walker.visit_children(node) };
    let usage = walker.result_use();
    let list = node.field("arguments");
    let args = list.map(arg_count);
    let mut callee = function;
    if callee.kind() == "instantiation_expression" {
        walker.visit_field(callee, "type_arguments");
        callee = callee.field("function").unwrap_or(callee);
    }
    if callee.kind() == "identifier" {
        walker.call(callee, NONE, args, usage);
        if let Some(list) = list.filter(|_| matches!(walker.text(callee), "test" | "testWidgets")) {
            return titled_test(walker, node, list);
        }
    } else if is_member(callee) {
        if let Some(row) = member(walker, callee, Role::Call) {
            walker.call_detail(row, args, usage);
        }
    } else {
        walker.visit(callee);
    }
    if let Some(list) = list {
        walker.visit(list);
    }
}

/// `test('title', () { .. })` is a test under its title.
fn titled_test(walker: &mut Walker<'_>, node: Node<'_>, list: Node<'_>) {
    let parts = named_children(list);
    let title = parts.first().copied().filter(|title| title.kind() == "string_literal");
    let body = parts.iter().copied().find(|part| part.kind() == "function_expression");
    let (Some(title), Some(body)) = (title, body) else { return walker.visit(list) };
    let text = walker.text(title).trim_matches(['\'', '"']).to_owned();
    let def = walker.define_named(NewDef::new(Kind::Function, node, title).body(Some(body)).flags(flag::TEST), &text);
    walker.owned_by(def, |walker| walker.visit(list));
}

/// `new T.named(..)`, `const T(..)`, `T<A>.named(..)`.
pub(super) fn creation(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(ty) = node.field("type") else { return walker.visit_children(node) };
    let usage = walker.result_use();
    let list = child_of_kind(node, "arguments");
    let args = list.map(arg_count);
    if let Some(name) = node.field("constructor") {
        let text = type_text(walker, ty);
        let recv = walker.expr(ExprKind::Typed, &text, NONE, ty);
        walker.call(name, recv, args, usage);
        types(walker, ty, Role::Type);
    } else if let Some((class, name)) = named_constructor(walker, ty) {
        let recv = walker.expr(ExprKind::Typed, walker.text(class), NONE, class);
        walker.call(name, recv, args, usage);
        types(walker, class, Role::Type);
    } else {
        let before = walker.rows.refs.len();
        types(walker, ty, Role::Instantiate);
        let made = walker.rows.refs[before..].iter().position(|row| row.role() == Role::Instantiate);
        if let Some(made) = made {
            walker.call_detail((before + made) as u32, args, usage);
        }
    }
    walker.for_children(node, |walker, child| {
        if matches!(child.kind(), "arguments" | "type_arguments") {
            walker.visit(child);
        }
    });
}

/// `T.named` where the grammar sees a prefix and a type: prefixes are written small.
fn named_constructor<'t>(walker: &Walker<'_>, ty: Node<'t>) -> Option<(Node<'t>, Node<'t>)> {
    let words: Vec<_> = named_children(ty).into_iter().filter(|word| word.kind() == "type_identifier").collect();
    match words[..] {
        [class, name] if walker.text(class).trim_start_matches('_').starts_with(char::is_uppercase) => Some((class, name)),
        _ => None,
    }
}

/// `T.new`.
pub(super) fn tearoff(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(ty) = child_of_kind(node, "type_identifier") {
        walker.reference(ty, Role::Instantiate, NONE);
    }
}

pub(super) fn assignment(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(left) = node.field("left") {
        write_target(walker, left);
    }
    walker.visit_field(node, "right");
}

fn write_target(walker: &mut Walker<'_>, left: Node<'_>) {
    if parts(left).is_some() {
        member(walker, left, Role::Write);
        return;
    }
    match named_children(left)[..] {
        [name] if name.kind() == "identifier" => {
            walker.reference(name, Role::Write, NONE);
        }
        _ => walker.visit_children(left),
    }
}

/// `x++`.
pub(super) fn step(walker: &mut Walker<'_>, node: Node<'_>) {
    match node.field("argument") {
        Some(argument) if argument.kind() == "assignable_expression" => write_target(walker, argument),
        _ => walker.visit_children(node),
    }
}

/// `x..a()..b = 1`: every section is about `x`.
pub(super) fn cascade(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(base) = node.named_child(0) else { return };
    walker.visit(base);
    let recv = receiver(walker, base);
    for section in named_children(node).into_iter().filter(|child| child.kind() == "cascade_section") {
        for (at, part) in named_children(section).into_iter().enumerate() {
            match part.kind() {
                "cascade_call_expression" => {
                    let list = child_of_kind(part, "arguments");
                    if let Some(name) = part.field("property").filter(|name| name.kind() == "identifier") {
                        walker.call(name, recv, list.map(arg_count), crate::facts::model::Usage::Discarded);
                    }
                    if let Some(list) = list {
                        walker.visit(list);
                    }
                }
                "cascade_selector" if at == 0 => {
                    let written = section.named_child_count() > 1;
                    match named_children(part)[..] {
                        [name] if name.kind() == "identifier" => {
                            walker.reference(name, if written { Role::Write } else { Role::Read }, recv);
                        }
                        _ => walker.visit_children(part),
                    }
                }
                _ => walker.visit(part),
            }
        }
    }
}

pub(super) fn expr(walker: &mut Walker<'_>, node: Node<'_>) -> u32 {
    let field = |name: &str| node.child_by_field_name(name);
    let inner = |walker: &mut Walker<'_>| node.named_child(0).map_or(NONE, |inner| walker.expr_of(inner));
    let literal = |walker: &mut Walker<'_>, name: &str| walker.expr(ExprKind::Literal, name, NONE, node);
    match node.kind() {
        "identifier" | "identifier_dollar_escaped" => walker.expr(ExprKind::Name, walker.text(node), NONE, node),
        "this" => walker.expr(ExprKind::SelfRef, "", NONE, node),
        "super" => walker.expr(ExprKind::Super, "", NONE, node),
        "member_expression" | "null_aware_member_expression" => match parts(node) {
            Some((object, name)) => {
                let base = walker.expr_of(object);
                over(walker, ExprKind::Member, walker.text(name), base, node)
            }
            None => NONE,
        },
        "call_expression" => {
            let Some(mut callee) = field("function") else { return NONE };
            if callee.kind() == "instantiation_expression" {
                callee = callee.field("function").unwrap_or(callee);
            }
            let base = walker.expr_of(callee);
            over(walker, ExprKind::Call, "", base, node)
        }
        "new_expression" | "const_object_expression" | "constructor_invocation" => match field("type") {
            Some(ty) => {
                let text = named_constructor(walker, ty).map_or_else(|| type_text(walker, ty), |(class, _)| line(walker, class));
                walker.expr(ExprKind::New, &text, NONE, node)
            }
            None => NONE,
        },
        "type_cast_expression" => {
            let ty = child_of_kind(node, "type_cast").and_then(|cast| child_of_kind(cast, "type"));
            let Some(ty) = ty else { return NONE };
            let text = type_text(walker, ty);
            walker.expr(ExprKind::Typed, &text, NONE, node)
        }
        "index_expression" | "null_aware_index_expression" => {
            let base = field("object").map_or(NONE, |object| walker.expr_of(object));
            over(walker, ExprKind::Index, "", base, node)
        }
        "await_expression" => {
            let base = inner(walker);
            over(walker, ExprKind::Unwrap, "", base, node)
        }
        "null_assertion_expression" | "parenthesized_expression" | "cascade" => inner(walker),
        "unary_expression" if node.child_count() == 1 => inner(walker),
        "assignment_expression" => field("right").map_or(NONE, |right| walker.expr_of(right)),
        "if_null_expression" => inner(walker),
        "conditional_expression" => field("consequence").map_or(NONE, |branch| walker.expr_of(branch)),
        "string_literal" => literal(walker, "String"),
        "decimal_integer_literal" | "hex_integer_literal" => literal(walker, "int"),
        "decimal_floating_point_literal" => literal(walker, "double"),
        "true" | "false" => literal(walker, "bool"),
        "list_literal" => literal(walker, "List"),
        "set_or_map_literal" => literal(walker, "Map"),
        _ => NONE,
    }
}
