//! PHP's types, statements and expressions: what is bound, what is mentioned, and what stands in front of a name.
//!
//! A class in front of `::` is a type text, so that it is looked up among types only; a bare name elsewhere is a function or
//! a constant.
//!
//! Knows nothing of declarations; those are next door.

use std::borrow::Cow;

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::members::titled_test;
use super::{docs, last_name};
use crate::facts::model::{ExprKind, Kind, NONE, Role};
use crate::facts::walker::Walker;
use crate::lang::common::arg_count;
use crate::lang::nodes::{child_of_kind, derived, has_child, line, named_children, over};

// ----- names and types

fn is_name(node: Node<'_>) -> bool {
    matches!(node.kind(), "name" | "qualified_name" | "relative_name")
}

/// A name as written.
pub(super) fn name_text<'a>(walker: &Walker<'a>, node: Node<'_>) -> &'a str {
    walker.text(node)
}

/// The name space in front of a qualified name, with the `\` at its end.
fn space(walker: &mut Walker<'_>, node: Node<'_>) -> u32 {
    if node.kind() == "name" {
        return NONE;
    }
    let prefix = walker.slice(node.start_byte(), last_name(node).start_byte());
    if prefix.is_empty() { NONE } else { walker.in_file_scope(|walker| walker.expr(ExprKind::Name, prefix, NONE, node)) }
}

/// Records a mention of a possibly qualified name and returns its row.
pub(super) fn mention(walker: &mut Walker<'_>, node: Node<'_>, role: Role) -> Option<u32> {
    if !is_name(node) {
        return None;
    }
    let recv = space(walker, node);
    Some(walker.reference(last_name(node), role, recv))
}

/// A bare name that is no call: a constant.
pub(super) fn constant_name(walker: &mut Walker<'_>, node: Node<'_>) {
    if !walker.text(node).starts_with("__") {
        mention(walker, node, Role::Read);
    }
}

pub(super) fn plain_type(walker: &mut Walker<'_>, node: Node<'_>) {
    types(walker, node, Role::Type);
}

/// The text of a declared type.
pub(super) fn type_text<'a>(walker: &Walker<'a>, node: Node<'_>) -> Cow<'a, str> {
    line(walker, node)
}

/// Records the mentions in a type.
pub(super) fn types(walker: &mut Walker<'_>, node: Node<'_>, role: Role) {
    match node.kind() {
        "name" | "qualified_name" | "relative_name" => class_mention(walker, node, role),
        "primitive_type" => {}
        _ => walker.nested(|walker| walker.for_children(node, |walker, child| types(walker, child, role))),
    }
}

fn class_mention(walker: &mut Walker<'_>, node: Node<'_>, role: Role) {
    if !matches!(walker.text(node), "self" | "static" | "parent" | "mixed" | "never" | "object" | "iterable") {
        mention(walker, node, role);
    }
}

// ----- bindings

/// Binds parameters by declaration, else by the doc comment.
pub(super) fn bind_parameters(walker: &mut Walker<'_>, list: Node<'_>, doc: &str) {
    let said = docs::tagged(doc, "@param");
    walker.for_children(list, |walker, parameter| {
        walker.visit_field(parameter, "attributes");
        let ty = parameter.field("type");
        if let Some(ty) = ty {
            types(walker, ty, Role::ParamType);
        }
        walker.visit_field(parameter, "default_value");
        let Some(name) = parameter.field("name") else { return };
        let Some(variable) = (if name.kind() == "variable_name" { Some(name) } else { child_of_kind(name, "variable_name") })
        else {
            return;
        };
        let word = walker.text(variable);
        let documented = said.iter().find(|(_, other)| *other == word).map_or("", |(ty, _)| *ty);
        let text = match ty {
            Some(ty) if documented.is_empty() || walker.text(ty) != "array" => type_text(walker, ty),
            _ => Cow::Owned(documented.to_owned()),
        };
        let text = if parameter.kind() == "variadic_parameter" { Cow::Owned(format!("{text}[]")) } else { text };
        walker.bind(variable, Some(&text), NONE, parameter.end_byte());
    });
}

/// Binds the variables of an assignment's left side; fields are written to.
fn target(walker: &mut Walker<'_>, left: Node<'_>, ty: &str, init: u32, at: usize) {
    match left.kind() {
        "variable_name" => {
            walker.hoisted(|walker| {
                walker.bind(left, Some(ty), init, at);
            });
        }
        "list_literal" | "array_creation_expression" | "by_ref" | "pair" | "array_element_initializer" => {
            let parts = named_children(left);
            for part in parts.into_iter().filter(|part| !matches!(part.kind(), "string" | "integer")) {
                walker.nested(|walker| target(walker, part, "", NONE, at));
            }
        }
        "member_access_expression" | "nullsafe_member_access_expression" | "scoped_property_access_expression" => {
            member(walker, left, Role::Write);
        }
        "subscript_expression" => {
            let parts = named_children(left);
            if let Some(first) = parts.first().filter(|first| first.kind() != "variable_name") {
                walker.nested(|walker| target(walker, *first, "", NONE, at));
            }
            for index in parts.iter().skip(1) {
                walker.visit(*index);
            }
        }
        _ => walker.visit(left),
    }
}

pub(super) fn assignment(walker: &mut Walker<'_>, node: Node<'_>) {
    let (Some(left), Some(right)) = (node.field("left"), node.field("right")) else {
        return walker.visit_children(node);
    };
    walker.visit(right);
    let init = walker.expr_of(right);
    initialises(walker, left, init);
    // `/** @var T $x */` above the statement.
    let mut ty = "";
    if left.kind() == "variable_name" && walker.comment_before(node.start_byte()) {
        let statement = node.parent().filter(|parent| parent.kind() == "expression_statement");
        let said = docs::tagged(statement.map_or("", |statement| docs::above(walker, statement)), "@var");
        let name = walker.text(left);
        ty = said.iter().find(|(_, other)| *other == name || other.is_empty()).map_or("", |(ty, _)| *ty);
    }
    target(walker, left, ty, init, node.end_byte());
}

/// `$this->field = value` in a constructor says what an undeclared field holds.
fn initialises(walker: &mut Walker<'_>, left: Node<'_>, init: u32) {
    if init == NONE || left.kind() != "member_access_expression" || walker.owner_kind() != Some(Kind::Constructor) {
        return;
    }
    let (Some(object), Some(name)) = (left.field("object"), left.field("name")) else { return };
    if walker.text(object) != "$this" || name.kind() != "name" {
        return;
    }
    let parent = walker.def(walker.owner()).parent;
    let word = walker.text(name);
    let word = walker.intern(word);
    let mut fields = walker.rows.defs.iter_mut();
    let field = fields.find(|row| row.parent == parent && row.name == word && row.kind() == Kind::Field);
    if let Some(field) = field.filter(|field| field.ty.is_empty() && field.init == NONE) {
        field.init = init;
    }
}

/// `+=`, `++`: what is changed is written.
pub(super) fn step(walker: &mut Walker<'_>, node: Node<'_>) {
    let changed = node.field("left").or_else(|| node.field("argument"));
    if let Some(changed) = changed.filter(|changed| changed.kind() != "variable_name") {
        target(walker, changed, "", NONE, node.end_byte());
    }
    let Some(right) = node.field("right") else { return };
    walker.visit(right);
    if let Some(left) = changed.filter(|left| left.kind() == "variable_name" && has_child(node, "??=")) {
        let init = walker.expr_of(right);
        target(walker, left, "", init, node.end_byte());
    }
}

pub(super) fn foreach(walker: &mut Walker<'_>, node: Node<'_>) {
    let body = node.field("body");
    let parts: Vec<_> = named_children(node).into_iter().filter(|part| Some(part.id()) != body.map(|body| body.id())).collect();
    let [value, name] = parts[..] else { return walker.visit_children(node) };
    walker.visit(value);
    let base = walker.expr_of(value);
    let at = name.end_byte();
    let (key, item) = match (name.kind(), named_children(name)[..].first(), named_children(name).get(1)) {
        ("pair", Some(key), Some(item)) => (Some(*key), *item),
        _ => (None, name),
    };
    if let Some(key) = key {
        target(walker, key, "", NONE, at);
    }
    let item = if item.kind() == "by_ref" { item.named_child(0).unwrap_or(item) } else { item };
    let init = over(walker, ExprKind::Element, "", base, node);
    if init != NONE {
        walker.expr_slot(init, 1);
    }
    target(walker, item, "", init, at);
    if let Some(body) = body {
        walker.visit(body);
    }
}

pub(super) fn catch_clause(walker: &mut Walker<'_>, node: Node<'_>) {
    let ty = node.field("type");
    if let Some(ty) = ty {
        types(walker, ty, Role::Type);
    }
    if let Some(name) = node.field("name") {
        // Of several alternatives none is certain.
        let only = ty.map(named_children).filter(|list| list.len() == 1);
        let text = only.map_or(Cow::Borrowed(""), |list| line(walker, list[0]));
        walker.bind(name, Some(&text), NONE, name.end_byte());
    }
    walker.visit_field(node, "body");
}

/// `$x instanceof T` names a type.
pub(super) fn binary(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.visit_field(node, "left");
    let Some(right) = node.field("right") else { return };
    if node.field("operator").is_some_and(|operator| operator.kind() == "instanceof") && is_name(right) {
        return class_mention(walker, right, Role::Type);
    }
    walker.visit(right);
}

pub(super) fn static_variable(walker: &mut Walker<'_>, node: Node<'_>) {
    let value = node.field("value");
    let init = value.map_or(NONE, |value| walker.expr_of(value));
    if let Some(value) = value {
        walker.visit(value);
    }
    if let Some(name) = node.field("name") {
        target(walker, name, "", init, node.end_byte());
    }
}

// ----- expressions

/// The value of an argument; its name, if it has one, is that of a parameter.
pub(super) fn argument(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.visit_children_except(node, &[node.field("name")]);
}

/// What stands in the parentheses of a call.
enum Arguments {
    /// `f(...)` calls nothing, it hands the function over.
    HandedOver,
    /// Their number, where none is spread.
    Listed(Option<usize>),
}

fn arguments(list: Option<Node<'_>>) -> Arguments {
    let Some(list) = list else { return Arguments::Listed(None) };
    if child_of_kind(list, "variadic_placeholder").is_some() {
        return Arguments::HandedOver;
    }
    let spread = named_children(list).iter().any(|argument| child_of_kind(*argument, "variadic_unpacking").is_some());
    Arguments::Listed((!spread).then(|| arg_count(list)))
}

pub(super) fn call(walker: &mut Walker<'_>, node: Node<'_>) {
    let (Some(function), Some(list)) = (node.field("function"), node.field("arguments")) else {
        return walker.visit_children(node);
    };
    if titled_test(walker, node, function, list) {
        return;
    }
    let usage = walker.result_use();
    if is_construct(walker.text(function)) {
        return walker.visit(list);
    }
    if is_name(function) {
        match arguments(Some(list)) {
            Arguments::Listed(args) => {
                if let Some(row) = mention(walker, function, Role::Call) {
                    walker.call_detail(row, args, usage);
                }
            }
            Arguments::HandedOver => {
                mention(walker, function, Role::Read);
            }
        }
        defined_constant(walker, node, function, list);
    } else if function.kind() == "variable_name" {
        walker.call(function, NONE, Some(arg_count(list)), usage);
    } else {
        walker.visit(function);
    }
    walker.visit(list);
}

/// Words of the language that are written like calls.
fn is_construct(word: &str) -> bool {
    matches!(word, "isset" | "empty" | "exit" | "die" | "unset" | "eval" | "list" | "array")
}

/// `define('NAME', value)` at the top of a file.
fn defined_constant(walker: &mut Walker<'_>, node: Node<'_>, function: Node<'_>, list: Node<'_>) {
    if !matches!(walker.text(function), "define" | "\\define") || walker.in_function() {
        return;
    }
    let title = list.named_child(0).and_then(|argument| argument.named_child(0)).filter(|title| title.kind() == "string");
    if let Some(content) = title.and_then(|title| child_of_kind(title, "string_content")) {
        walker.define(crate::facts::walker::NewDef::new(Kind::Constant, node, content));
    }
}

/// What stands in front of `->` or `::`.
fn object(node: Node<'_>) -> Option<Node<'_>> {
    node.field("object").or_else(|| node.field("scope"))
}

fn visit_object(walker: &mut Walker<'_>, object: Node<'_>) {
    if is_name(object) { class_mention(walker, object, Role::Type) } else { walker.visit(object) }
}

/// The expression in front of `->` or `::`; a name there is a class.
fn object_expr(walker: &mut Walker<'_>, object: Node<'_>) -> u32 {
    if is_name(object) { class_value(walker, object) } else { walker.expr_of(object) }
}

fn class_value(walker: &mut Walker<'_>, name: Node<'_>) -> u32 {
    match walker.text(name) {
        "self" | "static" => walker.expr(ExprKind::SelfRef, "", NONE, name),
        "parent" => walker.expr(ExprKind::Super, "", NONE, name),
        text => walker.expr(ExprKind::Typed, text, NONE, name),
    }
}

fn object_receiver(walker: &mut Walker<'_>, object: Node<'_>) -> u32 {
    match object_expr(walker, object) {
        NONE => walker.expr(ExprKind::Unknown, "", NONE, object),
        known => known,
    }
}

pub(super) fn member_call(walker: &mut Walker<'_>, node: Node<'_>) {
    let (Some(object), Some(name)) = (object(node), node.field("name")) else {
        return walker.visit_children(node);
    };
    let usage = walker.result_use();
    let list = node.field("arguments");
    if name.kind() == "name" {
        let recv = object_receiver(walker, object);
        match arguments(list) {
            Arguments::Listed(args) => walker.call(name, recv, args, usage),
            Arguments::HandedOver => walker.reference(name, Role::Read, recv),
        };
    } else {
        walker.visit(name);
    }
    visit_object(walker, object);
    if let Some(list) = list {
        walker.visit(list);
    }
}

/// The word of a field: `name`, or the one in `$name` behind `::`.
fn field_name(node: Node<'_>) -> Option<Node<'_>> {
    let name = node.field("name")?;
    match name.kind() {
        "name" => Some(name),
        "variable_name" if node.kind() == "scoped_property_access_expression" => child_of_kind(name, "name"),
        _ => None,
    }
}

fn member(walker: &mut Walker<'_>, node: Node<'_>, role: Role) {
    let Some(object) = object(node) else { return walker.visit_children(node) };
    match field_name(node) {
        Some(name) => {
            let recv = object_receiver(walker, object);
            walker.reference(name, role, recv);
        }
        None => walker.visit_field(node, "name"),
    }
    visit_object(walker, object);
}

pub(super) fn member_access(walker: &mut Walker<'_>, node: Node<'_>) {
    member(walker, node, Role::Read);
}

/// `T::NAME`, `T::class`.
pub(super) fn class_constant(walker: &mut Walker<'_>, node: Node<'_>) {
    let [object, name] = named_children(node)[..] else { return walker.visit_children(node) };
    if name.kind() == "name" && walker.text(name) != "class" {
        let recv = object_receiver(walker, object);
        walker.reference(name, Role::Read, recv);
    }
    visit_object(walker, object);
}

/// The class of `new T(..)`.
fn created(node: Node<'_>) -> Option<Node<'_>> {
    node.named_child(0)
}

pub(super) fn creation(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(class) = created(node) else { return };
    let usage = walker.result_use();
    let list = child_of_kind(node, "arguments");
    let args = Some(list.map_or(0, arg_count));
    if is_name(class) {
        let row = match walker.text(class) {
            "self" | "static" => walker.enclosing_type().map(|ty| {
                let name = walker.string(walker.def(ty).name).to_owned();
                walker.reference_named(class, &name, Role::Instantiate, NONE)
            }),
            "parent" => None,
            _ => mention(walker, class, Role::Instantiate),
        };
        if let Some(row) = row {
            walker.call_detail(row, args, usage);
        }
    } else {
        walker.visit(class);
    }
    if let Some(list) = list {
        walker.visit(list);
    }
}

/// `[$object, 'method']` and `[T::class, 'method']` hand over a method.
pub(super) fn array(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.visit_children(node);
    let parts = named_children(node);
    let [first, second] = parts[..] else { return };
    let (Some(object), Some(title)) = (first.named_child(0), second.named_child(0)) else { return };
    if title.kind() != "string" || first.named_child_count() != 1 || second.named_child_count() != 1 {
        return;
    }
    let Some(content) = child_of_kind(title, "string_content") else { return };
    let is_name = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_');
    if !is_name(walker.text(content)) {
        return;
    }
    let recv = match object.kind() {
        "variable_name" if walker.text(object) == "$this" => walker.expr(ExprKind::SelfRef, "", NONE, object),
        "class_constant_access_expression" if walker.text(object).ends_with("::class") => {
            object.named_child(0).map_or(NONE, |class| object_expr(walker, class))
        }
        _ => NONE,
    };
    if recv != NONE {
        walker.reference(content, Role::Read, recv);
    }
}

pub(super) fn expr(walker: &mut Walker<'_>, node: Node<'_>) -> u32 {
    let field = |name: &str| node.child_by_field_name(name);
    let literal = |walker: &mut Walker<'_>, name: &str| walker.expr(ExprKind::Literal, name, NONE, node);
    match node.kind() {
        "variable_name" if walker.text(node) == "$this" => walker.expr(ExprKind::SelfRef, "", NONE, node),
        "variable_name" => walker.expr(ExprKind::Name, walker.text(node), NONE, node),
        "relative_scope" => class_value(walker, node),
        "member_access_expression" | "nullsafe_member_access_expression" | "scoped_property_access_expression" => {
            match (object(node), field_name(node)) {
                (Some(object), Some(name)) => {
                    let base = object_expr(walker, object);
                    over(walker, ExprKind::Member, walker.text(name), base, node)
                }
                _ => NONE,
            }
        }
        "class_constant_access_expression" => match named_children(node)[..] {
            [_, name] if walker.text(name) == "class" => literal(walker, "string"),
            [object, name] => {
                let base = object_expr(walker, object);
                over(walker, ExprKind::Member, walker.text(name), base, node)
            }
            _ => NONE,
        },
        "member_call_expression" | "nullsafe_member_call_expression" | "scoped_call_expression" => {
            let (Some(object), Some(name)) = (object(node), field("name").filter(|name| name.kind() == "name")) else {
                return NONE;
            };
            let base = object_expr(walker, object);
            let callee = over(walker, ExprKind::Member, walker.text(name), base, node);
            over(walker, ExprKind::Call, "", callee, node)
        }
        "function_call_expression" => match field("function") {
            Some(function) if is_name(function) => {
                let (base, word) = (space(walker, function), walker.text(last_name(function)));
                let kind = if base == NONE { ExprKind::Name } else { ExprKind::Member };
                let callee = walker.in_file_scope(|walker| walker.expr(kind, word, base, function));
                walker.expr(ExprKind::Call, "", callee, node)
            }
            _ => NONE,
        },
        "object_creation_expression" => match created(node) {
            Some(class) if is_name(class) => match walker.text(class) {
                "self" | "static" => walker.expr(ExprKind::SelfRef, "", NONE, node),
                "parent" => walker.expr(ExprKind::Super, "", NONE, node),
                text => walker.expr(ExprKind::New, text, NONE, node),
            },
            _ => NONE,
        },
        "subscript_expression" => node.named_child(0).map_or(NONE, |base| derived(walker, ExprKind::Index, "", base, node)),
        "parenthesized_expression" | "clone_expression" | "error_suppression_expression" => {
            node.named_child(0).map_or(NONE, |inner| walker.expr_of(inner))
        }
        "assignment_expression" => field("right").map_or(NONE, |right| walker.expr_of(right)),
        "conditional_expression" => branches(walker, field("body").or_else(|| field("condition")), field("alternative")),
        "binary_expression" => match field("operator").map_or("", |operator| operator.kind()) {
            "??" => branches(walker, field("left"), field("right")),
            "." => literal(walker, "string"),
            "+" | "-" | "*" | "/" | "%" | "**" => NONE,
            _ => literal(walker, "bool"),
        },
        "array_creation_expression" => literal(walker, "array"),
        "string" | "encapsed_string" | "heredoc" | "nowdoc" => literal(walker, "string"),
        "integer" => literal(walker, "int"),
        "float" => literal(walker, "float"),
        "boolean" => literal(walker, "bool"),
        "anonymous_function" | "arrow_function" => literal(walker, "Closure"),
        _ => NONE,
    }
}

/// The first of two alternatives whose value is worth something.
fn branches(walker: &mut Walker<'_>, first: Option<Node<'_>>, second: Option<Node<'_>>) -> u32 {
    let known = first.filter(|node| node.kind() != "null").map_or(NONE, |node| walker.expr_of(node));
    if known != NONE { known } else { second.map_or(NONE, |node| walker.expr_of(node)) }
}
