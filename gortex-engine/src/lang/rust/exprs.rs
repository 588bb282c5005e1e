//! Expressions: mentions, calls, what they say about types, and the locals that blocks bring in.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::patterns::{self, Origin};
use super::{call_role, is_camel, is_primitive, tokens, types};
use crate::facts::model::{ExprKind, Kind, NONE, Role, Usage, flag};
use crate::facts::walker::{NewDef, Walker};

// ----- mentions

/// A bare name in value position.
pub(super) fn identifier(walker: &mut Walker<'_>, node: Node<'_>) {
    let text = walker.text(node);
    if !matches!(text, "Self" | "_") && !is_primitive(text) {
        walker.reference(node, Role::Read, NONE);
    }
}

/// `a::b` in value position.
pub(super) fn scoped(walker: &mut Walker<'_>, node: Node<'_>) {
    let recv = qualifier(walker, node);
    if let Some(name) = node.field("name").filter(|name| name.kind() != "super") {
        walker.reference(name, Role::Read, recv);
    }
}

/// Visits what stands in front of the last `::` and returns its expression.
pub(super) fn qualifier(walker: &mut Walker<'_>, node: Node<'_>) -> u32 {
    let Some(path) = node.field("path") else { return NONE };
    types::visit(walker, path, Role::Type);
    receiver(walker, path)
}

/// The expression in front of a name; never [`NONE`], which would say that nothing stands there.
pub(super) fn receiver(walker: &mut Walker<'_>, node: Node<'_>) -> u32 {
    match walker.expr_of(node) {
        NONE => walker.expr(ExprKind::Unknown, "", NONE, node),
        known => known,
    }
}

/// `a.b` where it is not called.
pub(super) fn field(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some((value, name)) = member(node) else { return walker.visit_children(node) };
    walker.visit(value);
    let recv = receiver(walker, value);
    walker.reference(name, Role::Read, recv);
}

fn member(node: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    Some((node.field("value")?, node.field("field")?))
}

/// The left side of an assignment is written, at its last name.
pub(super) fn assignment(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(left) = node.field("left") {
        walker.visit_with(left, written);
    }
    walker.visit_field(node, "right");
}

fn written(walker: &mut Walker<'_>, node: Node<'_>) {
    match node.kind() {
        "identifier" if walker.text(node) != "_" => {
            walker.reference(node, Role::Write, NONE);
        }
        "scoped_identifier" => {
            let recv = qualifier(walker, node);
            if let Some(name) = node.field("name") {
                walker.reference(name, Role::Write, recv);
            }
        }
        "field_expression" => {
            let Some((value, name)) = member(node) else { return };
            walker.visit(value);
            let recv = receiver(walker, value);
            walker.reference(name, Role::Write, recv);
        }
        "tuple_expression" | "parenthesized_expression" | "array_expression" => {
            walker.for_children(node, |walker, child| walker.visit_with(child, written));
        }
        "identifier" => {}
        "call_expression" => call(walker, node),
        "struct_expression" => literal(walker, node),
        _ => walker.visit_children(node),
    }
}

// ----- calls

/// `f(..)`, `a.f(..)`, `a::f(..)`, `Variant(..)`.
pub(super) fn call(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(mut callee) = node.field("function") else { return walker.visit_children(node) };
    let usage = result_use(walker);
    let arguments = node.field("arguments");
    let count = arguments.map(super::super::common::arg_count);
    let turbofish = (callee.kind() == "generic_function").then(|| callee.field("type_arguments")).flatten();
    if turbofish.is_some() {
        callee = callee.field("function").unwrap_or(callee);
    }
    let mut base = None;
    let called = match callee.kind() {
        "identifier" => Some((callee, NONE)),
        "scoped_identifier" => {
            let recv = qualifier(walker, callee);
            callee.field("name").map(|name| (name, recv))
        }
        "field_expression" => member(callee).and_then(|(value, name)| {
            walker.visit(value);
            base = Some(value);
            let recv = receiver(walker, value);
            (name.kind() != "integer_literal").then_some((name, recv))
        }),
        _ => {
            walker.visit(callee);
            None
        }
    };
    if let Some((name, recv)) = called {
        let text = walker.text(name);
        if text != "Self" {
            let index = walker.reference(name, call_role(text), recv);
            walker.call_detail(index, count, usage);
        }
    }
    if let Some(turbofish) = turbofish {
        walker.visit(turbofish);
    }
    let method = called.map_or("", |(name, _)| walker.text(name));
    if let Some(arguments) = arguments {
        let mut position = 0;
        walker.visit_with(arguments, |walker, arguments| {
            walker.for_children(arguments, |walker, argument| match base {
                Some(base) if argument.kind() == "closure_expression" && hands_elements(method) => {
                    let given = walker.expr_of(base);
                    walker.visit_with(argument, |walker, argument| closure_given(walker, argument, given));
                }
                _ => {
                    let place = position;
                    position += 1;
                    if argument.kind() == "closure_expression" {
                        let callee = walker.expr_of(callee);
                        walker.hand(argument, callee, place);
                    }
                    walker.visit(argument);
                }
            });
        });
    }
}

/// Methods of iterators, `Option` and `Result` that hand the values inside to their closure's first parameter.
fn hands_elements(method: &str) -> bool {
    matches!(
        method,
        "map"
            | "for_each"
            | "try_for_each"
            | "filter"
            | "filter_map"
            | "flat_map"
            | "find"
            | "find_map"
            | "any"
            | "all"
            | "position"
            | "inspect"
            | "map_while"
            | "take_while"
            | "skip_while"
            | "partition"
            | "retain"
            | "retain_mut"
            | "and_then"
            | "is_some_and"
            | "is_ok_and"
            | "is_none_or"
            | "map_or"
            | "map_or_else"
            | "max_by_key"
            | "min_by_key"
            | "sort_by_key"
            | "sort_unstable_by_key"
            | "sort_by_cached_key"
            | "partition_point"
            | "dedup_by_key"
    )
}

/// What becomes of the result of the call being visited.
pub(super) fn result_use(walker: &Walker<'_>) -> Usage {
    let mut from = "";
    for step in 1.. {
        let kind = walker.around(step);
        let branch = matches!(from, "block" | "else_clause" | "match_block");
        match kind {
            "try_expression"
            | "await_expression"
            | "parenthesized_expression"
            | "reference_expression"
            | "type_cast_expression"
            | "unary_expression"
            | "unsafe_block"
            | "let_chain"
            | "match_block"
            | "match_arm"
            | "else_clause"
            | "block" => {}
            "if_expression" | "match_expression" if branch => {}
            "if_expression" | "match_expression" | "while_expression" if !branch => return Usage::Condition,
            "match_pattern" => return Usage::Condition,
            "expression_statement" | "while_expression" | "loop_expression" => return Usage::Discarded,
            "for_expression" if from == "block" => return Usage::Discarded,
            "let_declaration"
            | "let_condition"
            | "assignment_expression"
            | "compound_assignment_expr"
            | "const_item"
            | "static_item"
            | "field_initializer" => return Usage::Assigned,
            "return_expression" | "function_item" | "closure_expression" | "async_block" => return Usage::Returned,
            "arguments" => return Usage::Argument,
            _ => return Usage::Unknown,
        }
        from = kind;
    }
    Usage::Unknown
}

/// `T { a: x, b, ..c }`
pub(super) fn literal(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = node.field("name") else { return walker.visit_children(node) };
    types::visit(walker, name, Role::Instantiate);
    let made = path_value(walker, name);
    let Some(body) = node.field("body") else { return };
    walker.visit_with(body, |walker, body| {
        walker.for_children(body, |walker, child| match child.kind() {
            "shorthand_field_initializer" => {
                walker.for_children(child, |walker, child| {
                    if child.kind() == "identifier" {
                        walker.reference(child, Role::Write, made);
                        walker.reference(child, Role::Read, NONE);
                    } else {
                        walker.visit(child);
                    }
                });
            }
            "field_initializer" => walker.visit_with(child, |walker, child| {
                if let Some(field) = child.field("field") {
                    walker.reference(field, Role::Write, made);
                }
                walker.visit_field(child, "value");
            }),
            _ => walker.visit(child),
        });
    });
}

/// The value that a struct literal or pattern of this type or variant stands for; fields belong to it.
pub(super) fn path_value(walker: &mut Walker<'_>, name: Node<'_>) -> u32 {
    let (text, _) = types::without_arguments(walker, name);
    if text == "Self" { walker.expr(ExprKind::SelfRef, "", NONE, name) } else { walker.expr(ExprKind::New, text, NONE, name) }
}

// ----- closures, branches, locals

/// A closure of which nothing more is known.
pub(super) fn closure(walker: &mut Walker<'_>, node: Node<'_>) {
    closure_given(walker, node, NONE);
}

/// A closure whose first parameter gets the elements of `given`.
fn closure_given(walker: &mut Walker<'_>, node: Node<'_>, given: u32) {
    walker.in_scope(|walker| {
        closure_parameters(walker, node, given);
        closure_body(walker, node);
    });
}

fn closure_parameters(walker: &mut Walker<'_>, node: Node<'_>, given: u32) {
    let Some(parameters) = node.field("parameters") else { return };
    let mut given = given;
    let mut position = 0;
    walker.for_children(parameters, |walker, child| {
        let init = match std::mem::replace(&mut given, NONE) {
            NONE => walker.given(node, position),
            base => walker.expr(ExprKind::Element, "", base, child),
        };
        position += 1;
        if child.kind() == "parameter" {
            let ty = child.field("type");
            if let Some(pattern) = child.field("pattern") {
                patterns::bind(walker, pattern, Origin { ty, ..Origin::of(init, child.end_byte()) });
            }
            if let Some(ty) = ty {
                types::visit(walker, ty, Role::ParamType);
            }
        } else {
            patterns::bind(walker, child, Origin::of(init, child.end_byte()));
        }
    });
}

fn closure_body(walker: &mut Walker<'_>, node: Node<'_>) {
    types::visit_field(walker, node, "return_type", Role::ReturnType);
    walker.visit_field(node, "body");
}

/// Names of an `if let` are seen in its block and not in `else`.
pub(super) fn if_expression(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.in_scope(|walker| {
        walker.visit_field(node, "condition");
        walker.visit_field(node, "consequence");
    });
    walker.visit_field(node, "alternative");
}

/// `let pattern = value` in a condition.
pub(super) fn let_condition(walker: &mut Walker<'_>, node: Node<'_>) {
    let value = node.field("value");
    let init = value.map_or(NONE, |value| {
        walker.visit(value);
        walker.expr_of(value)
    });
    if let Some(pattern) = node.field("pattern") {
        patterns::bind(walker, pattern, Origin { value, ..Origin::of(init, node.end_byte()) });
    }
}

/// Each arm's names are seen in that arm.
pub(super) fn match_expression(walker: &mut Walker<'_>, node: Node<'_>) {
    let value = node.field("value");
    let init = value.map_or(NONE, |value| {
        walker.visit(value);
        walker.expr_of(value)
    });
    let Some(body) = node.field("body") else { return };
    walker.visit_with(body, |walker, body| {
        walker.for_children(body, |walker, arm| {
            if arm.kind() != "match_arm" {
                return walker.visit(arm);
            }
            walker.visit_with(arm, |walker, arm| {
                walker.in_scope(|walker| match_arm(walker, arm, Origin { value, ..Origin::of(init, 0) }));
            });
        });
    });
}

fn match_arm(walker: &mut Walker<'_>, arm: Node<'_>, from: Origin<'_>) {
    let (pattern, value) = (arm.field("pattern"), arm.field("value"));
    let known = [pattern, value];
    walker.visit_children_except(arm, &known);
    if let Some(whole) = pattern {
        walker.visit_with(whole, |walker, whole| {
            let condition = whole.field("condition");
            walker.for_children(whole, |walker, child| {
                if Some(child) != condition {
                    patterns::bind(walker, child, Origin { at: child.end_byte(), ..from });
                }
            });
            if let Some(condition) = condition {
                walker.visit(condition);
            }
        });
    }
    if let Some(value) = value {
        walker.visit(value);
        // Entered while the arm's names are in scope; the whole `match` may be asked for its value later.
        walker.expr_of(value);
    }
}

/// `for pattern in value { .. }`
pub(super) fn for_expression(walker: &mut Walker<'_>, node: Node<'_>) {
    let value = node.field("value");
    if let Some(value) = value {
        walker.visit(value);
    }
    walker.in_scope(|walker| {
        if let (Some(pattern), Some(value)) = (node.field("pattern"), value) {
            let at = pattern.end_byte();
            match counted(walker, pattern, value) {
                Some((number, item, of)) => {
                    let count = walker.expr(ExprKind::Typed, "usize", NONE, number);
                    patterns::bind(walker, number, Origin::of(count, at));
                    let init = iterated(walker, of);
                    patterns::bind(walker, item, Origin::of(init, at));
                }
                None => {
                    let init = iterated(walker, value);
                    patterns::bind(walker, pattern, Origin::of(init, at));
                }
            }
        }
        walker.visit_field(node, "body");
    });
}

fn iterated(walker: &mut Walker<'_>, value: Node<'_>) -> u32 {
    match walker.expr_of(value) {
        NONE => NONE,
        base => walker.expr(ExprKind::Element, "", base, value),
    }
}

/// `for (i, x) in of.enumerate()`: the patterns of number and item, and what is iterated.
fn counted<'t>(walker: &Walker<'_>, pattern: Node<'t>, value: Node<'t>) -> Option<(Node<'t>, Node<'t>, Node<'t>)> {
    if pattern.kind() != "tuple_pattern" || value.kind() != "call_expression" || pattern.named_child_count() != 2 {
        return None;
    }
    let (of, name) = member(value.field("function")?)?;
    (walker.text(name) == "enumerate").then_some((pattern.named_child(0)?, pattern.named_child(1)?, of))
}

/// `let pattern: type = value else { .. };`
pub(super) fn let_declaration(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(pattern) = node.field("pattern") else { return walker.visit_children(node) };
    let (ty, value) = (node.field("type"), node.field("value"));
    if let Some(value) = value.filter(|value| value.kind() == "closure_expression" && pattern.kind() == "identifier") {
        return named_closure(walker, node, pattern, value);
    }
    if let Some(ty) = ty {
        types::visit(walker, ty, Role::Type);
    }
    let init = value.map_or(NONE, |value| {
        walker.visit(value);
        walker.expr_of(value)
    });
    walker.visit_field(node, "alternative");
    patterns::bind(walker, pattern, Origin { ty, value, ..Origin::of(init, node.end_byte()) });
}

/// A closure bound to a name is a function of its block.
fn named_closure(walker: &mut Walker<'_>, node: Node<'_>, name: Node<'_>, value: Node<'_>) {
    let body = value.field("body");
    let mut cursor = value.walk();
    let is_async = value.children(&mut cursor).any(|child| child.kind() == "async");
    let owner = walker.owner();
    let in_test = owner != NONE && walker.def(owner).flags & (flag::IN_TEST | flag::TEST) != 0;
    let flags = if is_async { flag::ASYNC } else { 0 } | if in_test { flag::IN_TEST } else { 0 };
    let def = walker.define(NewDef::new(Kind::Function, node, name).body(body).flags(flags));
    let parameters = value.field("parameters");
    walker.def_mut(def).params = parameters.map_or(0, |parameters| super::super::common::arg_count(parameters) as u16);
    if let Some(result) = value.field("return_type") {
        let text = walker.text(result);
        let text = walker.intern(text);
        walker.def_mut(def).ty = text;
    }
    walker.visit_field(node, "type");
    walker.in_def(def, |walker| {
        walker.visit_with(value, |walker, value| {
            closure_parameters(walker, value, NONE);
            closure_body(walker, value);
            if let Some(body) = body {
                walker.returns(body);
            }
        });
    });
}

// ----- what an expression says

/// The last expression of a block, where it is the block's value.
pub(super) fn tail(block: Node<'_>) -> Option<Node<'_>> {
    let mut index = block.child_count();
    while index > 0 {
        index -= 1;
        let child = block.child(index)?;
        if child.is_extra() || child.kind() == "}" {
            continue;
        }
        if child.kind() == "expression_statement" {
            let open = child.child(child.child_count().saturating_sub(1)).is_some_and(|last| last.kind() != ";");
            return if open { child.named_child(0) } else { None };
        }
        let is_value = child.is_named()
            && !matches!(child.kind(), "let_declaration" | "empty_statement" | "attribute_item" | "use_declaration")
            && !child.kind().ends_with("_item");
        return is_value.then_some(child);
    }
    None
}

/// The expression row of a node.
pub(super) fn expr(walker: &mut Walker<'_>, node: Node<'_>) -> u32 {
    match node.kind() {
        "identifier" | "type_identifier" => name_of(walker, node),
        "crate" | "super" => {
            let text = walker.text(node);
            walker.expr(ExprKind::Name, text, NONE, node)
        }
        "self" => walker.expr(ExprKind::SelfRef, "", NONE, node),
        "metavariable" if walker.text(node) == "$crate" => walker.expr(ExprKind::Name, "crate", NONE, node),
        "scoped_identifier" | "scoped_type_identifier" => path(walker, node),
        "bracketed_type" => node.named_child(0).map_or(NONE, |inner| qualified(walker, inner)),
        "generic_type" | "generic_type_with_turbofish" => inside(walker, node.field("type")),
        "generic_function" => inside(walker, node.field("function")),
        "field_expression" => {
            let Some((value, name)) = member(node) else { return NONE };
            let base = receiver(walker, value);
            let text = walker.text(name);
            walker.expr(ExprKind::Member, text, base, node)
        }
        "call_expression" => called(walker, node),
        "struct_expression" => made(walker, node),
        "macro_invocation" => tokens::macro_value(walker, node),
        "try_expression" | "await_expression" => match inside(walker, node.named_child(0)) {
            NONE => NONE,
            base => walker.expr(ExprKind::Unwrap, "", base, node),
        },
        "parenthesized_expression" | "unary_expression" | "unsafe_block" | "const_block" | "else_clause" => {
            inside(walker, last_named(node))
        }
        "async_block" | "try_block" => inside(walker, last_named(node)),
        "reference_expression" => inside(walker, node.field("value")),
        "index_expression" => {
            let (value, index) = (node.named_child(0), node.named_child(1));
            match inside(walker, value) {
                NONE => NONE,
                // A slice of it is of its kind.
                base if index.is_some_and(|index| index.kind() == "range_expression") => base,
                base => walker.expr(ExprKind::Index, "", base, node),
            }
        }
        "type_cast_expression" => {
            let text = node.field("type").map_or("", |ty| walker.text(ty));
            walker.expr(ExprKind::Typed, text, NONE, node)
        }
        "block" => inside(walker, tail(node)),
        "if_expression" => match inside(walker, node.field("consequence")) {
            NONE => inside(walker, node.field("alternative")),
            known => known,
        },
        "match_expression" => first_arm(walker, node),
        kind => builtin(walker, node, kind),
    }
}

fn inside(walker: &mut Walker<'_>, node: Option<Node<'_>>) -> u32 {
    node.map_or(NONE, |node| walker.expr_of(node))
}

fn last_named(node: Node<'_>) -> Option<Node<'_>> {
    node.named_child(node.named_child_count().checked_sub(1)? as u32)
}

fn name_of(walker: &mut Walker<'_>, node: Node<'_>) -> u32 {
    let text = walker.text(node);
    if text == "Self" {
        walker.expr(ExprKind::SelfRef, "", NONE, node)
    } else if is_primitive(text) {
        walker.expr(ExprKind::Typed, text, NONE, node)
    } else {
        walker.expr(ExprKind::Name, text, NONE, node)
    }
}

fn path(walker: &mut Walker<'_>, node: Node<'_>) -> u32 {
    let Some(name) = node.field("name") else { return NONE };
    let text = walker.text(name);
    let Some(path) = node.field("path") else { return walker.expr(ExprKind::Name, text, NONE, node) };
    // `self::a` and `super::a` begin with a module, not with a value.
    let base = if path.kind() == "self" { walker.expr(ExprKind::Name, "self", NONE, path) } else { receiver(walker, path) };
    walker.expr(ExprKind::Path, text, base, node)
}

/// What `<T as Trait>` or `<T>` stands for in front of `::`.
fn qualified(walker: &mut Walker<'_>, node: Node<'_>) -> u32 {
    let of = if node.kind() == "qualified_type" { node.field("type") } else { Some(node) };
    let Some(of) = of else { return NONE };
    let text = walker.text(of);
    if text == "Self" { walker.expr(ExprKind::SelfRef, "", NONE, of) } else { walker.expr(ExprKind::Typed, text, NONE, of) }
}

fn called(walker: &mut Walker<'_>, node: Node<'_>) -> u32 {
    let Some(callee) = node.field("function") else { return NONE };
    if callee.kind() == "generic_function"
        && let Some(known) = asked_for(walker, callee)
    {
        return known;
    }
    match callee.kind() {
        "identifier" => {
            let text = walker.text(callee);
            if text == "Self" {
                return walker.expr(ExprKind::SelfRef, "", NONE, node);
            }
            if matches!(text, "Some" | "Ok" | "Err") {
                return NONE;
            }
            if is_camel(text) {
                return walker.expr(ExprKind::New, text, NONE, node);
            }
        }
        "scoped_identifier" => {
            let name = callee.field("name").map_or("", |name| walker.text(name));
            if let Some(path) = callee.field("path").filter(|_| is_camel(name)) {
                return variant_of(walker, path, callee);
            }
            let path = callee.field("path").map_or("", |path| walker.text(path));
            if is_wrapping(path.rsplit("::").next().unwrap_or(""), name)
                && let Some(given) = node.field("arguments").and_then(|arguments| arguments.named_child(0))
            {
                return match walker.expr_of(given) {
                    NONE => NONE,
                    base => walker.expr(ExprKind::Wrapped, path, base, node),
                };
            }
        }
        _ => {}
    }
    match walker.expr_of(callee) {
        NONE => NONE,
        base => walker.expr(ExprKind::Call, "", base, node),
    }
}

/// Constructors of the standard library's wrappers, whose values are used like what they hold.
pub(super) fn is_wrapping(ty: &str, constructor: &str) -> bool {
    matches!(ty, "Arc" | "Rc" | "Box" | "Pin" | "Mutex" | "RwLock" | "RefCell")
        && matches!(constructor, "new" | "pin" | "new_unchecked")
}

/// A value made by `path::Name`: of the enum before the name, or of the type that the whole path names.
fn variant_of(walker: &mut Walker<'_>, before: Node<'_>, whole: Node<'_>) -> u32 {
    let (text, last) = types::without_arguments(walker, before);
    if text == "Self" {
        walker.expr(ExprKind::SelfRef, "", NONE, whole)
    } else if is_camel(walker.text(last)) {
        walker.expr(ExprKind::New, text, NONE, whole)
    } else {
        let (text, _) = types::without_arguments(walker, whole);
        walker.expr(ExprKind::New, text, NONE, whole)
    }
}

fn made(walker: &mut Walker<'_>, node: Node<'_>) -> u32 {
    let Some(name) = node.field("name") else { return NONE };
    match name.field("path") {
        Some(path) => variant_of(walker, path, name),
        None => path_value(walker, name),
    }
}

/// `.collect::<T>()` and `.parse::<T>()` say what they give.
fn asked_for(walker: &mut Walker<'_>, callee: Node<'_>) -> Option<u32> {
    let (_, name) = member(callee.field("function")?)?;
    if !matches!(walker.text(name), "collect" | "parse" | "sum" | "product") {
        return None;
    }
    let text = walker.text(callee.field("type_arguments")?.named_child(0)?);
    (text != "_").then(|| walker.expr(ExprKind::Typed, text, NONE, callee))
}

fn first_arm(walker: &mut Walker<'_>, node: Node<'_>) -> u32 {
    let Some(body) = node.field("body") else { return NONE };
    let mut cursor = body.walk();
    for arm in body.named_children(&mut cursor).filter(|child| child.kind() == "match_arm") {
        let known = inside(walker, arm.field("value"));
        if known != NONE {
            return known;
        }
    }
    NONE
}

fn builtin(walker: &mut Walker<'_>, node: Node<'_>, kind: &str) -> u32 {
    let Some(name) = literal_type(walker, node, kind) else { return NONE };
    walker.expr(ExprKind::Literal, name, NONE, node)
}

/// The type of a literal.
pub(super) fn literal_type<'a>(walker: &Walker<'a>, node: Node<'_>, kind: &str) -> Option<&'a str> {
    Some(match kind {
        "string_literal" | "raw_string_literal" => "str",
        "char_literal" => "char",
        "boolean_literal" => "bool",
        "integer_literal" => {
            let text = walker.text(node);
            text.find(['u', 'i']).map_or("i32", |at| &text[at..])
        }
        "float_literal" => {
            let text = walker.text(node);
            text.find('f').map_or("f64", |at| &text[at..])
        }
        _ => return None,
    })
}
