//! Go's statements and expressions: what is bound, what is mentioned, and what stands in front of a name.
//!
//! Binding is by position: a later `:=` of the same name hides the earlier one from there on. An expression whose shape says
//! nothing is recorded as unknown rather than left out, because a member without one would pass for a free name.
//!
//! Knows nothing of declarations; those are in the module above.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::{NESTING, bound_function, is_predeclared, line, named_children, types, visit_all, visit_some};
use crate::facts::model::{DefRow, ExprKind, Kind, NONE, Role, Usage};
use crate::facts::walker::Walker;
use crate::lang::common::arg_count;

// ----- statements

/// What the `at`-th of `names` is given when `values` stand on the right.
pub(super) fn init_of(walker: &mut Walker<'_>, values: &[Node<'_>], at: usize, names: usize) -> u32 {
    if names == values.len() {
        return values.get(at).map_or(NONE, |value| walker.expr_of(*value));
    }
    let [value] = values else { return NONE };
    let is_comma_ok = match value.kind() {
        "index_expression" | "type_assertion_expression" => true,
        "unary_expression" => value.field("operator").is_some_and(|operator| operator.kind() == "<-"),
        _ => false,
    };
    match (is_comma_ok, at) {
        (true, 0) => walker.expr_of(*value),
        (true, _) => walker.expr(ExprKind::Literal, "bool", NONE, *value),
        (false, _) => {
            let base = walker.expr_of(*value);
            if base == NONE {
                return NONE;
            }
            let element = walker.expr(ExprKind::Index, "", base, *value);
            walker.expr_slot(element, at);
            element
        }
    }
}

pub(super) fn visit_values(walker: &mut Walker<'_>, values: &[Node<'_>], names: usize) {
    for value in values {
        // A function bound to a name was visited with its definition.
        if !(value.kind() == "func_literal" && names == values.len() && walker.in_function()) {
            walker.visit(*value);
        }
    }
}

pub(super) fn short_var(walker: &mut Walker<'_>, node: Node<'_>) {
    let (Some(left), Some(right)) = (node.field("left"), node.field("right")) else {
        return walker.visit_children(node);
    };
    let (names, values) = (named_children(left), named_children(right));
    let before = walker.rows.refs.len();
    for (at, name) in names.iter().enumerate() {
        if name.kind() != "identifier" || walker.text(*name) == "_" {
            continue;
        }
        match values.get(at) {
            Some(value) if value.kind() == "func_literal" && names.len() == values.len() && walker.in_function() => {
                bound_function(walker, node, *name, *value);
            }
            _ => {
                let init = init_of(walker, &values, at, names.len());
                walker.bind(*name, None, init, node.end_byte());
            }
        }
    }
    for (at, value) in values.iter().enumerate() {
        let is_bound = value.kind() == "func_literal"
            && names.len() == values.len()
            && walker.in_function()
            && names.get(at).is_some_and(|name| walker.text(*name) != "_");
        if !is_bound {
            walker.visit(*value);
        }
    }
    ignored_results(walker, &names, &values, before);
}

pub(super) fn assignment(walker: &mut Walker<'_>, node: Node<'_>) {
    let (Some(left), Some(right)) = (node.field("left"), node.field("right")) else {
        return walker.visit_children(node);
    };
    let targets = named_children(left);
    write_all(walker, &targets);
    let before = walker.rows.refs.len();
    let values = named_children(right);
    visit_all(walker, &values);
    ignored_results(walker, &targets, &values, before);
}

/// Marks the call on the right when blanks on the left throw results away.
pub(super) fn ignored_results(walker: &mut Walker<'_>, targets: &[Node<'_>], values: &[Node<'_>], before: usize) {
    let blanks = targets.iter().filter(|target| walker.text(**target) == "_").count();
    let [value] = values else { return };
    if blanks == 0 || value.kind() != "call_expression" {
        return;
    }
    let Some(callee) = value.field("function") else { return };
    let name = if callee.kind() == "selector_expression" { callee.field("field").unwrap_or(callee) } else { callee };
    let usage = if blanks == targets.len() { Usage::Discarded } else { Usage::PartiallyIgnored };
    let at = name.start_byte() as u32;
    if let Some(row) = walker.rows.refs[before..].iter_mut().find(|row| row.at == at && row.role() == Role::Call) {
        row.detail = (row.detail & 0xf0) | usage as u8;
    }
}

pub(super) fn write_all(walker: &mut Walker<'_>, targets: &[Node<'_>]) {
    for target in targets {
        write_target(walker, *target);
    }
}

pub(super) fn write_target(walker: &mut Walker<'_>, target: Node<'_>) {
    match target.kind() {
        "identifier" => {
            if walker.text(target) != "_" {
                walker.reference(target, Role::Write, NONE);
            }
        }
        "selector_expression" => member(walker, target, Role::Write),
        _ => walker.visit(target),
    }
}

pub(super) fn step(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(target) = node.named_child(0) {
        write_target(walker, target);
    }
}

/// Whether the names on the left are new ones.
pub(super) fn declares(walker: &Walker<'_>, left: Node<'_>, right: Node<'_>) -> bool {
    walker.slice(left.end_byte(), right.start_byte()).contains(":=")
}

pub(super) fn range_clause(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(right) = node.field("right") else { return walker.visit_children(node) };
    if let Some(left) = node.field("left") {
        let names = named_children(left);
        if declares(walker, left, right) {
            let base = walker.expr_of(right);
            for (at, name) in names.iter().enumerate() {
                if name.kind() != "identifier" || walker.text(*name) == "_" {
                    continue;
                }
                let mut init = NONE;
                if base != NONE {
                    init = walker.expr(ExprKind::Element, "", base, right);
                    walker.expr_slot(init, at);
                }
                walker.bind(*name, None, init, node.end_byte());
            }
        } else {
            write_all(walker, &names);
        }
    }
    walker.visit(right);
}

pub(super) fn receive(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(right) = node.field("right") else { return walker.visit_children(node) };
    if let Some(left) = node.field("left") {
        let names = named_children(left);
        if declares(walker, left, right) {
            for (at, name) in names.iter().enumerate().filter(|(_, name)| name.kind() == "identifier") {
                let init = init_of(walker, &[right], at, names.len());
                walker.bind(*name, None, init, node.end_byte());
            }
        } else {
            write_all(walker, &names);
        }
    }
    walker.visit(right);
}

pub(super) fn type_switch(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.in_scope(|walker| {
        walker.visit_field(node, "initializer");
        let alias = node.field("alias").and_then(|list| list.named_child(0));
        let value = node.field("value");
        let init = value.map_or(NONE, |value| walker.expr_of(value));
        visit_some(walker, value);
        walker.for_children(node, |walker, case| {
            if !matches!(case.kind(), "type_case" | "default_case") {
                return;
            }
            walker.in_scope(|walker| {
                let mut cursor = case.walk();
                let cases: Vec<_> = case.children_by_field_name("type", &mut cursor).filter(Node::is_named).collect();
                if let Some(alias) = alias {
                    match cases.as_slice() {
                        [ty] if walker.text(*ty) != "nil" => {
                            let text = line(walker, *ty);
                            walker.bind(alias, Some(&text), NONE, ty.end_byte())
                        }
                        _ => walker.bind(alias, None, init, case.start_byte()),
                    };
                }
                walker.for_children(case, |walker, child| {
                    if cases.iter().any(|ty| ty.id() == child.id()) {
                        types(walker, child, Role::Type, false, 0);
                    } else {
                        walker.visit(child);
                    }
                });
            });
        });
    });
}

// ----- expressions

pub(super) fn identifier(walker: &mut Walker<'_>, node: Node<'_>) {
    if !is_predeclared(walker.text(node)) {
        walker.reference(node, Role::Read, NONE);
    }
}

/// What stands before a member's name; never "no receiver", which would make the member a free name.
pub(super) fn receiver(walker: &mut Walker<'_>, node: Node<'_>) -> u32 {
    match walker.expr_of(node) {
        NONE => walker.expr(ExprKind::Unknown, "", NONE, node),
        known => known,
    }
}

pub(super) fn member(walker: &mut Walker<'_>, node: Node<'_>, role: Role) {
    let (Some(operand), Some(field)) = (node.field("operand"), node.field("field")) else {
        return walker.visit_children(node);
    };
    let recv = receiver(walker, operand);
    walker.reference(field, role, recv);
    walker.visit(operand);
}

pub(super) fn selector(walker: &mut Walker<'_>, node: Node<'_>) {
    member(walker, node, Role::Read);
}

pub(super) fn call(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(function) = node.field("function") else { return walker.visit_children(node) };
    let usage = walker.result_use();
    let list = node.field("arguments");
    let args = list.map(arg_count);
    match function.kind() {
        "identifier" => match walker.text(function) {
            word @ ("new" | "make") => {
                let role = if word == "new" { Role::Instantiate } else { Role::Type };
                return allocation(walker, list, role);
            }
            name if is_predeclared(name) => {}
            _ => {
                walker.call(function, NONE, args, usage);
            }
        },
        "selector_expression" => call_member(walker, function, args, usage),
        "index_expression" if is_instantiation(walker, function) => {
            let operand = function.field("operand").unwrap_or(function);
            if operand.kind() == "selector_expression" {
                call_member(walker, operand, args, usage);
            } else {
                walker.call(operand, NONE, args, usage);
            }
            walker.visit_field(function, "index");
        }
        "parenthesized_expression" if args == Some(1) => match pointer_target(function) {
            Some(target) => type_expression(walker, target),
            None => walker.visit(function),
        },
        _ => walker.visit(function),
    }
    walker.visit_field(node, "type_arguments");
    visit_some(walker, list);
}

/// `F[X](y)`: the grammar takes every generic name before one argument for a conversion.
pub(super) fn conversion(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(ty) = node.field("type").filter(|ty| ty.kind() == "generic_type") else {
        return walker.visit_children(node);
    };
    let usage = walker.result_use();
    let (bare, arguments) = (ty.field("type"), ty.field("type_arguments"));
    if let Some(bare) = bare.filter(|_| !is_element(walker, ty)) {
        let package = bare.field("package");
        let recv = package.map_or(NONE, |package| walker.expr_of(package));
        walker.call(bare.field("name").unwrap_or(bare), recv, Some(1), usage);
        if let Some(package) = package {
            walker.reference(package, Role::Read, NONE);
        }
        visit_some(walker, arguments);
    } else {
        for part in [bare, arguments.and_then(|arguments| arguments.named_child(0))].into_iter().flatten() {
            value_in_type(walker, part);
        }
    }
    walker.visit_field(node, "operand");
}

/// Whether `f[i]`, seen as a generic type, rather is an element of a collection of functions: a name in lower case is no type
/// argument of note, and behind a dot neither a type nor a generic function.
fn is_element(walker: &Walker<'_>, ty: Node<'_>) -> bool {
    let is_lower = |name: Node<'_>| {
        let text = walker.text(name);
        !is_predeclared(text) && !text.starts_with(char::is_uppercase)
    };
    let bare = ty.field("type");
    if bare.and_then(|bare| bare.field("name")).is_some_and(is_lower) {
        return true;
    }
    let arguments = ty.field("type_arguments").map(named_children).unwrap_or_default();
    let [only] = arguments.as_slice() else { return false };
    let name = only.named_child(0).filter(|_| only.named_child_count() == 1);
    name.is_some_and(|name| match name.kind() {
        "type_identifier" => is_lower(name),
        "qualified_type" => name.field("name").is_some_and(is_lower),
        _ => false,
    })
}

/// A value that the grammar sees as a type: `x`, `s.x`.
fn value_in_type(walker: &mut Walker<'_>, node: Node<'_>) {
    match node.kind() {
        "type_elem" => walker.for_children(node, value_in_type),
        "type_identifier" => identifier(walker, node),
        "qualified_type" => {
            let (Some(operand), Some(name)) = (node.field("package"), node.field("name")) else {
                return;
            };
            let recv = receiver(walker, operand);
            walker.reference(name, Role::Read, recv);
            identifier(walker, operand);
        }
        _ => walker.visit(node),
    }
}

pub(super) fn call_member(walker: &mut Walker<'_>, function: Node<'_>, args: Option<usize>, usage: Usage) {
    let (Some(operand), Some(field)) = (function.field("operand"), function.field("field")) else {
        return walker.visit_children(function);
    };
    let recv = receiver(walker, operand);
    walker.call(field, recv, args, usage);
    walker.visit(operand);
}

/// `new(T)`, `make(T, n)`.
pub(super) fn allocation(walker: &mut Walker<'_>, list: Option<Node<'_>>, role: Role) {
    let Some(list) = list else { return };
    for (at, child) in named_children(list).into_iter().enumerate() {
        if at == 0 { types(walker, child, role, false, 0) } else { walker.visit(child) }
    }
}

/// Whether `f[x](..)` names a type in its brackets: then it is a call of the generic `f`, not of an element.
pub(super) fn is_instantiation(walker: &Walker<'_>, node: Node<'_>) -> bool {
    let (Some(operand), Some(index)) = (node.field("operand"), node.field("index")) else {
        return false;
    };
    let callable = match operand.kind() {
        "identifier" => true,
        // Methods are not generic, and what a package offers is in upper case.
        "selector_expression" => operand.field("field").is_some_and(|field| walker.text(field).starts_with(char::is_uppercase)),
        _ => false,
    };
    let text = walker.text(index);
    let names_type = match index.kind() {
        "identifier" => is_predeclared(text) || text.starts_with(char::is_uppercase),
        "unary_expression" => text.starts_with('*'),
        _ => false,
    };
    names_type && callable
}

/// `T` of `(*T)`, a conversion's target.
pub(super) fn pointer_target(node: Node<'_>) -> Option<Node<'_>> {
    let inner = node.named_child(0)?;
    let is_star = inner.kind() == "unary_expression" && inner.field("operator")?.kind() == "*";
    let target = inner.field("operand").filter(|_| is_star)?;
    matches!(target.kind(), "identifier" | "selector_expression").then_some(target)
}

/// A type that the grammar sees as an expression: `T`, `pkg.T`.
pub(super) fn type_expression(walker: &mut Walker<'_>, node: Node<'_>) {
    if node.kind() == "selector_expression" {
        return member(walker, node, Role::Type);
    }
    if !is_predeclared(walker.text(node)) {
        walker.reference(node, Role::Type, NONE);
    }
}

// ----- composite literals

pub(super) fn composite(walker: &mut Walker<'_>, node: Node<'_>) {
    let (Some(ty), Some(body)) = (node.field("type"), node.field("body")) else {
        return walker.visit_children(node);
    };
    match ty.kind() {
        "type_identifier" | "qualified_type" | "generic_type" => types(walker, ty, Role::Instantiate, false, 0),
        "slice_type" | "array_type" | "implicit_length_array_type" | "map_type" => {
            let value = ty.field("element").or_else(|| ty.field("value"));
            walker.for_children(ty, |walker, child| {
                if value.is_some_and(|value| value.id() == child.id()) {
                    // Elements without a type of their own are values of the element type.
                    let role = if has_elided(body) { Role::Instantiate } else { Role::Type };
                    types(walker, child, role, false, 0);
                } else {
                    types(walker, child, Role::Type, false, 0);
                }
            });
        }
        _ => types(walker, ty, Role::Type, false, 0),
    }
    literal_body(walker, body, Some(ty), NONE, 0);
}

pub(super) fn has_elided(body: Node<'_>) -> bool {
    let Some(first) = body.named_child(0) else { return false };
    let value = first.field("value").unwrap_or(first);
    value.named_child(0).is_some_and(|inner| inner.kind() == "literal_value")
}

/// The elements of `{..}` whose type is `ty`, or, where only an expression of that type is known, `recv`.
pub(super) fn literal_body(walker: &mut Walker<'_>, body: Node<'_>, ty: Option<Node<'_>>, recv: u32, depth: u32) {
    if depth > NESTING {
        return;
    }
    let ty = ty.map(|ty| if ty.kind() == "pointer_type" { ty.named_child(0).unwrap_or(ty) } else { ty });
    let kind = ty.map_or("", |ty| ty.kind());
    let named = matches!(kind, "type_identifier" | "qualified_type" | "generic_type");
    let mut typed = recv;
    if let Some(ty) = ty.filter(|_| named) {
        let text = line(walker, ty);
        typed = walker.expr(ExprKind::Typed, &text, NONE, ty);
    }
    let element = ty.and_then(|ty| ty.field("element").or_else(|| ty.field("value")));
    let key_type = ty.and_then(|ty| ty.field("key"));
    let mut inside = NONE;
    walker.for_children(body, |walker, child| {
        let key = child.field("key").and_then(|key| key.named_child(0));
        let value = child.field("value").unwrap_or(child).named_child(0);
        match key {
            Some(key) if key.kind() == "literal_value" => literal_body(walker, key, key_type, NONE, depth + 1),
            // A field of a struct without a name is nothing that can be referred to.
            Some(key) if key.kind() == "identifier" && (kind == "struct_type" || (kind.is_empty() && typed == NONE)) => {}
            Some(key) if key.kind() == "identifier" && typed != NONE => {
                walker.reference(key, Role::Write, typed);
            }
            Some(key) => walker.visit(key),
            None => {}
        }
        match value {
            Some(value) if value.kind() == "literal_value" => {
                if element.is_none() && typed != NONE && inside == NONE {
                    inside = walker.expr(ExprKind::Index, "", typed, value);
                }
                literal_body(walker, value, element, inside, depth + 1);
            }
            Some(value) => walker.visit(value),
            None => {}
        }
    });
}

/// Keys of literals of a named map, slice or array type of this file are expressions, not fields.
pub(super) fn mend_map_keys(walker: &mut Walker<'_>, _root: Node<'_>) {
    let is_collection = |row: &&DefRow| {
        let ty = walker.string(row.ty);
        row.kind() == Kind::TypeAlias && (ty.starts_with("map[") || ty.starts_with('['))
    };
    let names: Vec<_> = walker.rows.defs.iter().filter(is_collection).map(|row| row.name).collect();
    if names.is_empty() {
        return;
    }
    let rows = &mut walker.rows;
    for row in rows.refs.iter_mut().filter(|row| row.role() == Role::Write && row.recv != NONE) {
        let recv = &rows.exprs[row.recv as usize];
        if recv.kind() == ExprKind::Typed && names.contains(&recv.name) {
            (row.role, row.recv) = (Role::Read as u8, NONE);
        }
    }
}

// ----- what stands before a name

pub(super) fn expr(walker: &mut Walker<'_>, node: Node<'_>) -> u32 {
    let literal = |walker: &mut Walker<'_>, name: &str| walker.expr(ExprKind::Literal, name, NONE, node);
    match node.kind() {
        "identifier" | "package_identifier" | "type_identifier" => match walker.text(node) {
            "_" => NONE,
            text => walker.expr(ExprKind::Name, text, NONE, node),
        },
        "qualified_type" => {
            let (Some(package), Some(name)) = (node.field("package"), node.field("name")) else {
                return NONE;
            };
            let name = walker.text(name);
            derived(walker, ExprKind::Member, name, package, node)
        }
        "selector_expression" => {
            let (Some(operand), Some(field)) = (node.field("operand"), node.field("field")) else {
                return NONE;
            };
            let name = walker.text(field);
            derived(walker, ExprKind::Member, name, operand, node)
        }
        "call_expression" => call_value(walker, node),
        "index_expression" => node.field("operand").map_or(NONE, |operand| derived(walker, ExprKind::Index, "", operand, node)),
        "slice_expression" => node.field("operand").map_or(NONE, |operand| walker.expr_of(operand)),
        "type_assertion_expression" => typed(walker, node.field("type"), node),
        "type_conversion_expression" => {
            let ty = node.field("type");
            let generic = ty.filter(|ty| ty.kind() == "generic_type");
            match generic.and_then(|ty| ty.field("type")) {
                Some(bare) if generic.is_some_and(|ty| is_element(walker, ty)) => {
                    let element = derived(walker, ExprKind::Index, "", bare, bare);
                    if element == NONE { NONE } else { walker.expr(ExprKind::Call, "", element, node) }
                }
                Some(bare) => derived(walker, ExprKind::Call, "", bare, node),
                None => typed(walker, ty, node),
            }
        }
        "composite_literal" => {
            let Some(ty) = node.field("type") else { return NONE };
            match ty.kind() {
                "type_identifier" | "qualified_type" | "generic_type" => {
                    let text = line(walker, ty);
                    walker.expr(ExprKind::New, &text, NONE, node)
                }
                _ => typed(walker, Some(ty), node),
            }
        }
        "parenthesized_expression" => node.named_child(0).map_or(NONE, |inner| walker.expr_of(inner)),
        "unary_expression" => {
            let Some(operand) = node.field("operand") else { return NONE };
            match node.field("operator").map_or("", |operator| operator.kind()) {
                "<-" => derived(walker, ExprKind::Element, "", operand, node),
                "!" => literal(walker, "bool"),
                _ => walker.expr_of(operand),
            }
        }
        "binary_expression" => match node.field("operator").map_or("", |operator| operator.kind()) {
            "==" | "!=" | "<" | "<=" | ">" | ">=" | "&&" | "||" => literal(walker, "bool"),
            _ => node.field("left").map_or(NONE, |left| walker.expr_of(left)),
        },
        "interpreted_string_literal" | "raw_string_literal" => literal(walker, "string"),
        "int_literal" | "iota" => literal(walker, "int"),
        "float_literal" => literal(walker, "float64"),
        "imaginary_literal" => literal(walker, "complex128"),
        "rune_literal" => literal(walker, "rune"),
        "true" | "false" => literal(walker, "bool"),
        _ => NONE,
    }
}

/// An expression over `base`, unknown where `base` is.
pub(super) fn derived(walker: &mut Walker<'_>, kind: ExprKind, name: &str, base: Node<'_>, at: Node<'_>) -> u32 {
    match walker.expr_of(base) {
        NONE => NONE,
        base => walker.expr(kind, name, base, at),
    }
}

pub(super) fn typed(walker: &mut Walker<'_>, ty: Option<Node<'_>>, at: Node<'_>) -> u32 {
    let Some(ty) = ty else { return NONE };
    let text = line(walker, ty);
    // The text of a type written out in place names nothing.
    if text.contains("struct {") || text.contains("struct{") {
        return NONE;
    }
    walker.expr(ExprKind::Typed, &text, NONE, at)
}

pub(super) fn call_value(walker: &mut Walker<'_>, node: Node<'_>) -> u32 {
    let Some(function) = node.field("function") else { return NONE };
    let first = || node.field("arguments").and_then(|list| list.named_child(0));
    match function.kind() {
        "identifier" => match walker.text(function) {
            "new" => {
                let Some(ty) = first() else { return NONE };
                let text = line(walker, ty);
                walker.expr(ExprKind::New, &text, NONE, node)
            }
            "make" => typed(walker, first(), node),
            name if is_predeclared(name) => walker.expr(ExprKind::Typed, name, NONE, node),
            _ => derived(walker, ExprKind::Call, "", function, node),
        },
        "func_literal" => typed(walker, function.field("result"), node),
        "parenthesized_expression" => match pointer_target(function) {
            Some(target) => typed(walker, Some(target), node),
            None => derived(walker, ExprKind::Call, "", function, node),
        },
        "index_expression" if is_instantiation(walker, function) => {
            let operand = function.field("operand").unwrap_or(function);
            derived(walker, ExprKind::Call, "", operand, node)
        }
        _ => derived(walker, ExprKind::Call, "", function, node),
    }
}
