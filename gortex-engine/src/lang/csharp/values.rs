//! C#'s types, statements and expressions: what is bound, what is mentioned, and what stands in front of a name.
//!
//! The grammar writes a type's name as it writes any other, so types are told by the field they stand in. A name before a
//! dot may be a property, a type or a namespace: it is recorded as read, and `link` says which. The parameter of a lambda
//! that a query method calls gets its type from the elements of what stands in front.
//!
//! Knows nothing of declarations; those are in the module above.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::bind_parameters;
use crate::facts::model::{ExprKind, NONE, Role};
use crate::facts::walker::Walker;
use crate::lang::common::arg_count;
use crate::lang::tree::*;

/// How deep types are followed.
const NESTING: u32 = 120;

// ----- types

/// The name's node of a named type.
pub(super) fn type_name(ty: Node<'_>) -> Option<Node<'_>> {
    match ty.kind() {
        "identifier" => Some(ty),
        "generic_name" => child_of_kind(ty, "identifier"),
        "qualified_name" | "alias_qualified_name" => type_name(ty.field("name")?),
        "nullable_type" | "array_type" | "ref_type" | "scoped_type" | "pointer_type" => type_name(ty.field("type")?),
        _ => None,
    }
}

pub(super) fn plain_type(walker: &mut Walker<'_>, node: Node<'_>) {
    types(walker, node, Role::Type, 0);
}

pub(super) fn type_arguments(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.for_children(node, |walker, child| types(walker, child, Role::GenericArg, 0));
}

/// The mentions in all type arguments of a type.
pub(super) fn type_arguments_within(walker: &mut Walker<'_>, ty: Node<'_>, depth: u32) {
    if depth > NESTING {
        return;
    }
    walker.for_children(ty, |walker, child| match child.kind() {
        "type_argument_list" => walker.for_children(child, |walker, inner| types(walker, inner, Role::GenericArg, depth + 1)),
        "generic_name" | "qualified_name" => type_arguments_within(walker, child, depth + 1),
        _ => {}
    });
}

/// Records the mentions in a type.
pub(super) fn types(walker: &mut Walker<'_>, node: Node<'_>, role: Role, depth: u32) {
    if depth > NESTING {
        return;
    }
    match node.kind() {
        "identifier" => {
            walker.reference(node, role, NONE);
        }
        "generic_name" => {
            if let Some(name) = child_of_kind(node, "identifier") {
                walker.reference(name, role, NONE);
            }
            type_arguments_within(walker, node, depth + 1);
        }
        "qualified_name" | "alias_qualified_name" => {
            let scope = node.field("qualifier");
            if let Some(name) = type_name(node) {
                // A namespace is never hidden by a local variable.
                let recv = scope.map_or(NONE, |scope| walker.in_file_scope(|walker| receiver(walker, scope)));
                walker.reference(name, role, recv);
            }
            type_arguments_within(walker, node, depth + 1);
            if let Some(scope) = scope {
                types(walker, scope, Role::Type, depth + 1);
            }
        }
        "tuple_element" => {
            if let Some(ty) = node.field("type") {
                types(walker, ty, role, depth + 1);
            }
        }
        "array_rank_specifier" => walker.visit_children(node),
        "nullable_type"
        | "array_type"
        | "ref_type"
        | "scoped_type"
        | "pointer_type"
        | "tuple_type"
        | "function_pointer_type"
        | "function_pointer_parameter" => {
            walker.for_children(node, |walker, child| types(walker, child, role, depth + 1));
        }
        _ => {}
    }
}

/// The type that an extension method is for: of a type parameter its bound, or `object`.
pub(super) fn receiver_text(walker: &Walker<'_>, method: Node<'_>, ty: Node<'_>) -> String {
    let text = line(walker, ty);
    let text = without_arguments(&text, '<', '>');
    let list = child_of_kind(method, "type_parameter_list").map(named_children).unwrap_or_default();
    let mut names = list.into_iter().filter_map(|parameter| parameter.field("name"));
    if !names.any(|name| walker.text(name) == text) {
        return text.into_owned();
    }
    let clauses = named_children(method).into_iter().filter(|child| child.kind() == "type_parameter_constraints_clause");
    let mut own =
        clauses.filter(|clause| first_named(*clause).is_some_and(|of| walker.text(of) == text)).flat_map(named_children);
    let bound = own.find_map(|constraint| constraint.field("type"));
    bound.map_or_else(|| "object".to_owned(), |bound| without_arguments(&line(walker, bound), '<', '>').into_owned())
}

/// Type parameters are locals of their declaration.
pub(super) fn type_parameters(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(list) = child_of_kind(node, "type_parameter_list") else { return };
    let bounds = named_children(node).into_iter().filter(|child| child.kind() == "type_parameter_constraints_clause");
    let bounds: Vec<Node<'_>> = bounds.collect();
    for name in named_children(list).into_iter().filter_map(|parameter| parameter.field("name")) {
        let own = bounds.iter().find(|clause| first_named(**clause).is_some_and(|of| walker.text(of) == walker.text(name)));
        let mut bound = own.map(|clause| named_children(*clause)).unwrap_or_default().into_iter();
        let bound = bound.find_map(|constraint| constraint.field("type"));
        let text = bound.map(|bound| line(walker, bound));
        walker.bind(name, text.as_deref(), NONE, list.start_byte());
    }
}

/// `where T : A, IB`.
pub(super) fn constraints(walker: &mut Walker<'_>, node: Node<'_>) {
    for clause in named_children(node).into_iter().filter(|child| child.kind() == "type_parameter_constraints_clause") {
        for ty in named_children(clause).into_iter().filter_map(|constraint| constraint.field("type")) {
            types(walker, ty, Role::Type, 0);
        }
    }
}

// ----- statements

/// The value behind the `=` of a declarator or parameter.
pub(super) fn value_after_equals(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    let equals = node.children(&mut cursor).find(|child| child.kind() == "=")?;
    let mut cursor = node.walk();
    node.children(&mut cursor).find(|child| child.start_byte() >= equals.end_byte() && !child.is_extra())
}

/// A written type, where it is one: `var` says none.
fn written<'a>(walker: &Walker<'a>, ty: Option<Node<'_>>) -> Option<std::borrow::Cow<'a, str>> {
    ty.filter(|ty| ty.kind() != "implicit_type").map(|ty| line(walker, ty))
}

pub(super) fn local_variables(walker: &mut Walker<'_>, node: Node<'_>) {
    let ty = node.field("type");
    if let Some(ty) = ty {
        types(walker, ty, Role::Type, 0);
    }
    let text = written(walker, ty);
    for declarator in named_children(node).into_iter().filter(|child| child.kind() == "variable_declarator") {
        let value = value_after_equals(declarator);
        let init = value.map_or(NONE, |value| walker.expr_of(value));
        if let Some(name) = declarator.field("name") {
            walker.bind(name, text.as_deref(), init, declarator.end_byte());
        } else if let Some(pattern) = child_of_kind(declarator, "tuple_pattern") {
            tuple_pattern(walker, pattern, init, declarator.end_byte());
        }
        if let Some(value) = value {
            walker.within(declarator, |walker| walker.visit(value));
        }
    }
}

/// `var (a, b)`: names of parts of a value.
fn tuple_pattern(walker: &mut Walker<'_>, pattern: Node<'_>, base: u32, at: usize) {
    for (slot, name) in named_children(pattern).into_iter().enumerate() {
        let init = if base == NONE { NONE } else { walker.expr(ExprKind::Index, "", base, name) };
        if init != NONE {
            walker.expr_slot(init, slot);
        }
        match name.kind() {
            "identifier" => {
                walker.bind(name, None, init, at);
            }
            "tuple_pattern" => walker.nested(|walker| tuple_pattern(walker, name, init, at)),
            _ => {}
        }
    }
}

/// A name with its type, in a pattern, a `catch` or an `out` argument; it lives on in the block around.
pub(super) fn typed_name(walker: &mut Walker<'_>, node: Node<'_>) {
    let ty = node.field("type");
    if let Some(ty) = ty {
        types(walker, ty, Role::Type, 0);
    }
    if let Some(name) = node.field("name") {
        let text = written(walker, ty);
        walker.bind(name, text.as_deref(), NONE, node.end_byte());
    }
}

/// `Foo { Name: "x" } f`: the members named belong to the type.
pub(super) fn recursive_pattern(walker: &mut Walker<'_>, node: Node<'_>) {
    typed_name(walker, node);
    let ty = node.field("type");
    walker.for_children(node, |walker, clause| match clause.kind() {
        "property_pattern_clause" => walker.for_children(clause, |walker, sub| {
            let named = first_named(sub).filter(|first| first.kind() == "identifier" && has_word(sub, ":"));
            if let Some(name) = named {
                let recv = typed(walker, ty, node);
                let recv = if recv == NONE { walker.expr(ExprKind::Unknown, "", NONE, node) } else { recv };
                walker.reference(name, Role::Read, recv);
            }
            walker.visit_children_except(sub, &[named]);
        }),
        "positional_pattern_clause" => walker.visit(clause),
        _ => {}
    });
}

pub(super) fn foreach(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.in_scope(|walker| {
        let value = node.field("right");
        let base = value.map_or(NONE, |value| walker.expr_of(value));
        if let Some(value) = value {
            walker.visit(value);
        }
        let ty = node.field("type");
        if let Some(ty) = ty {
            types(walker, ty, Role::Type, 0);
        }
        let init = if base == NONE { NONE } else { walker.expr(ExprKind::Element, "", base, node) };
        let at = value.map_or(node.start_byte(), |value| value.end_byte());
        match node.field("left") {
            Some(name) if name.kind() == "identifier" => {
                let text = written(walker, ty);
                walker.bind(name, text.as_deref(), init, at);
            }
            Some(pattern) if pattern.kind() == "tuple_pattern" => tuple_pattern(walker, pattern, init, at),
            Some(other) => walker.visit(other),
            None => {}
        }
        walker.visit_field(node, "body");
    });
}

pub(super) fn labeled(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.visit_children_except(node, &[first_named(node)]);
}

// ----- queries

pub(super) fn from_clause(walker: &mut Walker<'_>, node: Node<'_>) {
    let value = last_named(node);
    let base = value.map_or(NONE, |value| walker.expr_of(value));
    if let Some(value) = value {
        walker.visit(value);
    }
    let ty = node.field("type");
    if let Some(ty) = ty {
        types(walker, ty, Role::Type, 0);
    }
    if let Some(name) = node.field("name") {
        let init = if base == NONE { NONE } else { walker.expr(ExprKind::Element, "", base, node) };
        let text = written(walker, ty);
        walker.bind(name, text.as_deref(), init, node.end_byte());
    }
}

pub(super) fn let_clause(walker: &mut Walker<'_>, node: Node<'_>) {
    let parts = named_children(node);
    if let [name, value] = parts.as_slice() {
        let init = walker.expr_of(*value);
        walker.visit(*value);
        walker.bind(*name, None, init, node.end_byte());
    }
}

pub(super) fn join_clause(walker: &mut Walker<'_>, node: Node<'_>) {
    let parts = named_children(node);
    let name = parts.iter().copied().find(|part| part.kind() == "identifier");
    if let Some(name) = name {
        walker.bind(name, None, NONE, name.start_byte());
    }
    walker.visit_children_except(node, &[name]);
}

// ----- functions without names

/// A lambda that nothing is known of.
pub(super) fn lambda(walker: &mut Walker<'_>, node: Node<'_>) {
    lambda_given(walker, node, NONE);
}

/// A lambda whose first parameter has the value `given`.
fn lambda_given(walker: &mut Walker<'_>, node: Node<'_>, given: u32) {
    walker.in_lambda(|walker| {
        match node.field("parameters") {
            Some(list) if list.kind() == "parameter_list" => {
                let only = named_children(list);
                match only.as_slice() {
                    [one] if one.field("type").is_none() => {
                        if let Some(name) = one.field("name") {
                            walker.bind(name, None, given, list.end_byte());
                        }
                    }
                    _ => bind_parameters(walker, list),
                }
            }
            Some(name) => {
                walker.bind(name, None, given, name.start_byte());
            }
            None => {}
        }
        match node.field("body").or_else(|| child_of_kind(node, "block")) {
            Some(body) => walker.visit(body),
            None => walker.visit_children(node),
        }
    });
}

// ----- expressions

/// A bare name; `_` is none.
pub(super) fn identifier(walker: &mut Walker<'_>, node: Node<'_>) {
    if walker.text(node) != "_" {
        walker.reference(node, Role::Read, NONE);
    }
}

/// What stands before a member's name, the name, and the type arguments behind it.
struct Member<'t> {
    object: Node<'t>,
    name: Node<'t>,
    arguments: Option<Node<'t>>,
}

/// `a.B`, `a?.B`, and `.B` behind a `?`.
fn member(node: Node<'_>) -> Option<Member<'_>> {
    let (object, name) = match node.kind() {
        "member_access_expression" => (node.field("expression")?, node.field("name")?),
        "conditional_access_expression" => {
            let binding = last_named(node).filter(|last| last.kind() == "member_binding_expression")?;
            (node.field("condition")?, binding.field("name")?)
        }
        "member_binding_expression" => {
            let mut above = std::iter::successors(node.parent(), Node::parent).take(12);
            let around = above.find(|above| above.kind() == "conditional_access_expression")?;
            (around.field("condition")?, node.field("name")?)
        }
        _ => return None,
    };
    let arguments = child_of_kind(name, "type_argument_list");
    Some(Member { object, name: type_name(name)?, arguments })
}

pub(super) fn member_access(walker: &mut Walker<'_>, node: Node<'_>) {
    member_mention(walker, node, Role::Read);
}

fn member_mention(walker: &mut Walker<'_>, node: Node<'_>, role: Role) {
    let Some(parts) = member(node) else { return walker.visit_children(node) };
    let recv = receiver(walker, parts.object);
    walker.reference(parts.name, role, recv);
    if let Some(arguments) = parts.arguments {
        walker.visit(arguments);
    }
    // The condition of a `?.` is visited where the `?` stands.
    if node.kind() != "member_binding_expression" {
        walker.visit(parts.object);
    }
}

pub(super) fn conditional_access(walker: &mut Walker<'_>, node: Node<'_>) {
    if member(node).is_some() { member_mention(walker, node, Role::Read) } else { walker.visit_children(node) }
}

pub(super) fn call(walker: &mut Walker<'_>, node: Node<'_>) {
    let (Some(function), Some(list)) = (node.field("function"), node.field("arguments")) else {
        return walker.visit_children(node);
    };
    let usage = walker.result_use();
    let args = Some(arg_count(list));
    let mut given = NONE;
    if let Some(parts) = member(function) {
        let recv = receiver(walker, parts.object);
        walker.call(parts.name, recv, args, usage);
        if let Some(arguments) = parts.arguments {
            walker.visit(arguments);
        }
        if function.kind() != "member_binding_expression" {
            walker.visit(parts.object);
        }
        if takes_elements(walker.text(parts.name)) {
            given = derived(walker, ExprKind::Element, "", parts.object, node);
        }
    } else if let Some(name) = type_name(function).filter(|_| matches!(function.kind(), "identifier" | "generic_name")) {
        if walker.text(name) != "nameof" {
            walker.call(name, NONE, args, usage);
        }
        if let Some(arguments) = child_of_kind(function, "type_argument_list") {
            walker.visit(arguments);
        }
    } else {
        walker.visit(function);
    }
    walker.within(list, |walker| {
        walker.for_children(list, |walker, argument| {
            let lambda = last_named(argument).filter(|value| value.kind() == "lambda_expression");
            match lambda {
                Some(lambda) => walker.visit_with(lambda, |walker, lambda| lambda_given(walker, lambda, given)),
                None => walker.visit(argument),
            }
        });
    });
}

/// Query methods hand elements of what they are called on to the function they are given.
fn takes_elements(method: &str) -> bool {
    matches!(
        method,
        "Where"
            | "Select"
            | "SelectMany"
            | "Any"
            | "All"
            | "First"
            | "FirstOrDefault"
            | "Single"
            | "SingleOrDefault"
            | "Last"
            | "LastOrDefault"
            | "Count"
            | "OrderBy"
            | "OrderByDescending"
            | "ThenBy"
            | "GroupBy"
            | "ToDictionary"
            | "ToLookup"
            | "Sum"
            | "Max"
            | "Min"
            | "ForEach"
            | "Find"
            | "FindAll"
            | "Exists"
            | "RemoveAll"
            | "TakeWhile"
            | "SkipWhile"
    )
}

pub(super) fn argument(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.visit_children_except(node, &[node.field("name")]);
}

pub(super) fn creation(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(ty) = node.field("type") else { return walker.visit_children(node) };
    let usage = walker.result_use();
    let list = node.field("arguments");
    let before = walker.rows.refs.len();
    types(walker, ty, Role::Instantiate, 0);
    let place = type_name(ty).map_or(u32::MAX, |name| name.start_byte() as u32);
    if let Some(found) = walker.rows.refs[before..].iter().position(|row| row.at == place) {
        walker.call_detail((before + found) as u32, Some(list.map_or(0, arg_count)), usage);
    }
    if let Some(list) = list {
        walker.visit(list);
    }
    if let Some(initializer) = node.field("initializer") {
        let made = walker.expr_of(node);
        initialised(walker, initializer, made);
    }
}

/// `new()`: the type is the one that is declared for what it is given to.
pub(super) fn implicit_creation(walker: &mut Walker<'_>, node: Node<'_>) {
    let usage = walker.result_use();
    let list = child_of_kind(node, "argument_list");
    let text = expected_type(node).map(|ty| line(walker, ty));
    let bare = text.as_deref().map(|text| without_arguments(text, '<', '>').trim_end_matches('?').to_owned());
    if let Some((scope, name)) = bare.as_deref().map(|bare| bare.rsplit_once('.').map_or((None, bare), |(a, b)| (Some(a), b))) {
        let recv = scope.map_or(NONE, |scope| walker.expr(ExprKind::Name, scope, NONE, node));
        let row = walker.reference_named(node, name, Role::Instantiate, recv);
        walker.call_detail(row, list.map(arg_count), usage);
    }
    if let Some(list) = list {
        walker.visit(list);
    }
    if let Some(initializer) = child_of_kind(node, "initializer_expression") {
        let made = bare.map_or(NONE, |bare| walker.expr(ExprKind::New, &bare, NONE, node));
        initialised(walker, initializer, made);
    }
}

/// The declared type of what a value is given to.
fn expected_type(value: Node<'_>) -> Option<Node<'_>> {
    let around = value.parent()?;
    let ty = match around.kind() {
        "variable_declarator" => around.parent()?.field("type"),
        "property_declaration" => around.field("type"),
        "arrow_expression_clause" => {
            let owner = around.parent()?;
            owner.field("returns").or_else(|| owner.field("type"))
        }
        _ => None,
    };
    ty.filter(|ty| type_name(*ty).is_some() && ty.kind() != "array_type")
}

/// `{ Name = value, .. }` behind a new value: members of that value are written.
fn initialised(walker: &mut Walker<'_>, initializer: Node<'_>, made: u32) {
    walker.for_children(initializer, |walker, child| {
        let left = child.field("left").filter(|left| left.kind() == "identifier");
        match left.filter(|_| child.kind() == "assignment_expression") {
            Some(name) => {
                let recv = if made == NONE { walker.expr(ExprKind::Unknown, "", NONE, child) } else { made };
                walker.reference(name, Role::Write, recv);
                walker.visit_field(child, "right");
            }
            None => walker.visit(child),
        }
    });
}

pub(super) fn with_expression(walker: &mut Walker<'_>, node: Node<'_>) {
    let value = first_named(node);
    let base = value.map_or(NONE, |value| receiver(walker, value));
    walker.for_children(node, |walker, child| match child.kind() {
        "with_initializer" => {
            let name = first_named(child).filter(|name| name.kind() == "identifier");
            if let Some(name) = name {
                walker.reference(name, Role::Write, base);
            }
            walker.visit_children_except(child, &[name]);
        }
        _ => walker.visit(child),
    });
}

/// The names in `new { Name = value }` are the new object's own.
pub(super) fn anonymous_object(walker: &mut Walker<'_>, node: Node<'_>) {
    let parts = named_children(node);
    for part in &parts {
        let mut below = part.next_sibling();
        while below.is_some_and(|sibling| sibling.is_extra()) {
            below = below.and_then(|sibling| sibling.next_sibling());
        }
        if !(part.kind() == "identifier" && below.is_some_and(|sibling| sibling.kind() == "=")) {
            walker.visit(*part);
        }
    }
}

pub(super) fn array_creation(walker: &mut Walker<'_>, node: Node<'_>) {
    let ty = node.field("type");
    if let Some(ty) = ty {
        types(walker, ty, Role::Type, 0);
    }
    walker.visit_children_except(node, &[ty]);
}

/// A cast, a test or an operator over a type: the type is mentioned, the value visited.
pub(super) fn typed_value(walker: &mut Walker<'_>, node: Node<'_>) {
    let ty = node.field("type").or_else(|| node.field("right"));
    if let Some(ty) = ty {
        types(walker, ty, Role::Type, 0);
    }
    walker.visit_children_except(node, &[ty]);
}

pub(super) fn assignment(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(left) = node.field("left") {
        write_target(walker, left);
    }
    walker.visit_field(node, "right");
}

pub(super) fn step(walker: &mut Walker<'_>, node: Node<'_>) {
    let steps = has_word(node, "++") || has_word(node, "--");
    match first_named(node).filter(|_| steps) {
        Some(target) => write_target(walker, target),
        None => walker.visit_children(node),
    }
}

fn write_target(walker: &mut Walker<'_>, target: Node<'_>) {
    match target.kind() {
        "identifier" if walker.text(target) == "_" => {}
        "identifier" => {
            walker.reference(target, Role::Write, NONE);
        }
        "member_access_expression" => member_mention(walker, target, Role::Write),
        _ => walker.visit(target),
    }
}

// ----- what stands before a name

pub(super) fn expr(walker: &mut Walker<'_>, node: Node<'_>) -> u32 {
    let field = |name: &str| node.child_by_field_name(name);
    let literal = |walker: &mut Walker<'_>, name: &str| walker.expr(ExprKind::Literal, name, NONE, node);
    match node.kind() {
        "identifier" => walker.expr(ExprKind::Name, walker.text(node), NONE, node),
        "generic_name" => type_name(node).map_or(NONE, |name| walker.expr_of(name)),
        "this" => walker.expr(ExprKind::SelfRef, "", NONE, node),
        "base" => walker.expr(ExprKind::Super, "", NONE, node),
        "predefined_type" => literal(walker, walker.text(node)),
        "qualified_name" => match (field("qualifier"), type_name(node)) {
            (Some(scope), Some(name)) => derived(walker, ExprKind::Member, walker.text(name), scope, node),
            _ => NONE,
        },
        "alias_qualified_name" => type_name(node)
            .map_or(NONE, |name| walker.in_file_scope(|walker| walker.expr(ExprKind::Name, walker.text(name), NONE, name))),
        "member_access_expression" | "conditional_access_expression" | "member_binding_expression" => match member(node) {
            Some(parts) => derived(walker, ExprKind::Member, walker.text(parts.name), parts.object, node),
            None if node.kind() == "conditional_access_expression" => last_named(node).map_or(NONE, |last| walker.expr_of(last)),
            None => NONE,
        },
        "invocation_expression" => match field("function").map_or(NONE, |function| walker.expr_of(function)) {
            NONE => NONE,
            callee => walker.expr(ExprKind::Call, "", callee, node),
        },
        "object_creation_expression" => match field("type") {
            Some(ty) => {
                let text = line(walker, ty);
                walker.expr(ExprKind::New, &text, NONE, node)
            }
            None => NONE,
        },
        "array_creation_expression" => typed(walker, field("type"), node),
        "element_access_expression" => field("expression").map_or(NONE, |base| derived(walker, ExprKind::Index, "", base, node)),
        "cast_expression" | "default_expression" => typed(walker, field("type"), node),
        "as_expression" => typed(walker, field("right"), node),
        "await_expression" => first_named(node).map_or(NONE, |inner| derived(walker, ExprKind::Unwrap, "", inner, node)),
        "parenthesized_expression" | "checked_expression" | "ref_expression" => {
            first_child(node).map_or(NONE, |inner| walker.expr_of(inner))
        }
        "postfix_unary_expression" => first_child(node).map_or(NONE, |inner| walker.expr_of(inner)),
        "with_expression" => first_named(node).map_or(NONE, |inner| walker.expr_of(inner)),
        "prefix_unary_expression" if has_word(node, "!") => literal(walker, "bool"),
        "prefix_unary_expression" => last_named(node).map_or(NONE, |inner| walker.expr_of(inner)),
        "assignment_expression" => field("right").map_or(NONE, |right| walker.expr_of(right)),
        "conditional_expression" => {
            let first = field("consequence").map_or(NONE, |branch| walker.expr_of(branch));
            if first != NONE { first } else { field("alternative").map_or(NONE, |branch| walker.expr_of(branch)) }
        }
        "binary_expression" => match field("operator").map_or("", |operator| operator.kind()) {
            "==" | "!=" | "<" | "<=" | ">" | ">=" | "&&" | "||" => literal(walker, "bool"),
            _ => field("left").map_or(NONE, |left| walker.expr_of(left)),
        },
        "is_expression" | "is_pattern_expression" | "boolean_literal" => literal(walker, "bool"),
        "string_literal" | "verbatim_string_literal" | "raw_string_literal" | "interpolated_string_expression" => {
            literal(walker, "string")
        }
        "character_literal" => literal(walker, "char"),
        "integer_literal" => literal(walker, "int"),
        "real_literal" => literal(walker, "double"),
        "typeof_expression" => literal(walker, "Type"),
        _ => NONE,
    }
}

/// The first child that is an expression; `this` and `base` are no named nodes.
fn first_child(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).find(|child| child.is_named() && !child.is_extra() || matches!(child.kind(), "this" | "base"))
}
