//! What binds names in Python: assignments, parameters, loops, `with`, `except`, `match`, comprehensions.
//!
//! A target is a tree of names; each gets the part of the value that falls to it.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::expr::receiver;
use super::{DEFINED, ELSEWHERE, IN_BODY, Place, is_self, lambda, place, seen, types};
use crate::facts::model::{ExprKind, Kind, NONE, Role, flag};
use crate::facts::walker::{NewDef, Walker};

/// Nesting of patterns that is followed.
const DEPTH: u32 = 40;

/// What a target gets.
#[derive(Clone, Copy)]
struct Given<'t, 'x> {
    init: u32,
    ty: Option<&'x str>,
    /// Where a binding becomes visible.
    at: usize,
    /// The statement that defines a variable or field, where one does.
    statement: Option<Node<'t>>,
    depth: u32,
}

/// The definition with the comment above its statement as documentation.
///
/// The assignment is not a sibling of the comment, its statement is; asking for that costs a walk from the root.
pub(super) fn with_comment<'t>(w: &Walker<'_>, mut new: NewDef<'t>) -> NewDef<'t> {
    if w.comment_before(new.node.start_byte()) {
        new.doc_above = new.node.parent().filter(|parent| parent.kind() == "expression_statement");
    }
    new
}

/// `left: type = right`, also chained.
pub(super) fn assignment(w: &mut Walker<'_>, node: Node<'_>) {
    let Some(left) = node.field("left") else { return w.visit_children(node) };
    let right = node.field("right");
    let ty = node.field("type");
    let place = place(w);
    if left.kind() == "identifier" && place == Place::Module && w.text(left) == "__all__" {
        exports(w, right);
    }
    if let (Some(right), "identifier") = (right.filter(|right| right.kind() == "lambda"), left.kind()) {
        let elsewhere = place == Place::Function && is_elsewhere(w, left);
        let owner = w.owner();
        if !elsewhere && (place == Place::Function || w.claim(owner, DEFINED, w.text(left))) {
            return lambda(w, right, Some((left, node)));
        }
    }
    if place != Place::Function && left.kind() == "identifier" {
        let owner = w.owner();
        if w.claim(owner, DEFINED, w.text(left)) {
            return variable(w, node, left, place);
        }
    }
    if let Some(ty) = ty {
        let field = left.kind() == "attribute";
        types::mention(w, ty, if field { Role::FieldType } else { Role::Type });
    }
    if let Some(right) = right {
        w.visit(right);
    }
    let text = ty.map(|ty| types::text(w, ty));
    let given = Given { init: NONE, ty: text.as_deref(), at: node.end_byte(), statement: Some(node), depth: 0 };
    assign_parts(w, left, right, given);
}

/// Gives each name of `left` its part of `right`; equal tuples are taken apart.
fn assign_parts(w: &mut Walker<'_>, left: Node<'_>, right: Option<Node<'_>>, given: Given<'_, '_>) {
    let value = right.map(innermost);
    let both_tuples = value.is_some_and(|value| matches!(value.kind(), "expression_list" | "tuple" | "list"))
        && matches!(left.kind(), "pattern_list" | "tuple_pattern" | "list_pattern");
    if let (true, Some(value)) = (both_tuples, value) {
        let mut cursor = left.walk();
        let names: Vec<_> = left.named_children(&mut cursor).filter(|child| !child.is_extra()).collect();
        let mut cursor = value.walk();
        let values: Vec<_> = value.named_children(&mut cursor).filter(|child| !child.is_extra()).collect();
        let spread = |nodes: &[Node<'_>]| nodes.iter().any(|node| node.kind().contains("splat"));
        if names.len() == values.len() && !spread(&names) && !spread(&values) {
            for (name, value) in names.into_iter().zip(values) {
                let init = w.expr_of(value);
                target(w, name, Given { init, ..given });
            }
            return;
        }
    }
    let init = value.map_or(NONE, |value| w.expr_of(value));
    target(w, left, Given { init, ..given });
}

/// The value at the end of `a = b = value`.
fn innermost(node: Node<'_>) -> Node<'_> {
    let mut node = node;
    while node.kind() == "assignment" {
        let Some(right) = node.field("right") else { break };
        node = right;
    }
    node
}

/// A variable of the module or an attribute of a class, with its value inside it.
fn variable(w: &mut Walker<'_>, node: Node<'_>, name: Node<'_>, place: Place) {
    let right = node.field("right");
    let ty = node.field("type");
    let init = right.map(innermost).map_or(NONE, |value| w.expr_of(value));
    let text = ty.map(|ty| types::text(w, ty));
    let def = define_variable(w, node, name, place, text.as_deref(), init);
    let alias = w.def(def).kind() == Kind::TypeAlias;
    if let (true, Some(right)) = (alias, right) {
        let text = types::text(w, right);
        w.def_mut(def).ty = w.intern(&text);
    }
    w.owned_by(def, |w| {
        if let Some(ty) = ty {
            types::mention(w, ty, if place == Place::Class { Role::FieldType } else { Role::Type });
        }
        match right {
            Some(right) if alias => types::mention(w, right, Role::Type),
            Some(right) if right.kind() == "assignment" => {}
            Some(right) => w.visit(right),
            None => {}
        }
    });
    // `a = b = 1` defines b beside a, not inside it.
    if let Some(right) = right.filter(|right| right.kind() == "assignment") {
        w.visit(right);
    }
}

fn define_variable(w: &mut Walker<'_>, node: Node<'_>, name: Node<'_>, place: Place, ty: Option<&str>, init: u32) -> u32 {
    let text = w.text(name);
    let has_value = node.field("right").is_some();
    let in_enum = w.owner_kind() == Some(Kind::Enum);
    let kind = match (place, ty) {
        (Place::Class, _) if in_enum && has_value && !text.starts_with('_') => Kind::EnumMember,
        (Place::Class, _) => Kind::Field,
        (_, Some(ty)) if ty.ends_with("TypeAlias") => Kind::TypeAlias,
        (_, Some(ty)) if is_final(ty) => Kind::Constant,
        _ if is_upper(text) => Kind::Constant,
        _ => Kind::Variable,
    };
    let (visibility, exported) = seen(text, place == Place::Class);
    let def = w.define(with_comment(w, NewDef::new(kind, node, name).visibility(visibility).flags(exported)));
    let ty = w.intern(ty.unwrap_or(""));
    let row = w.def_mut(def);
    row.ty = ty;
    row.init = init;
    def
}

fn is_final(ty: &str) -> bool {
    let head = ty.split('[').next().unwrap_or("");
    head == "Final" || head.ends_with(".Final")
}

fn is_upper(name: &str) -> bool {
    name.contains(char::is_uppercase) && !name.contains(char::is_lowercase)
}

/// `__all__ = ["a", "b"]`.
fn exports(w: &mut Walker<'_>, list: Option<Node<'_>>) {
    let Some(list) = list.filter(|list| matches!(list.kind(), "list" | "tuple")) else { return };
    w.for_children(list, |w, item| {
        let content = item.named_child(1).filter(|content| content.kind() == "string_content");
        if let Some(content) = content {
            w.export(content, w.text(content), w.text(content));
        }
    });
}

/// `x += 1` writes to something that exists.
pub(super) fn augmented(w: &mut Walker<'_>, node: Node<'_>) {
    let (left, right) = (node.field("left"), node.field("right"));
    if let Some(right) = right {
        w.visit(right);
    }
    let Some(left) = left else { return };
    match left.kind() {
        "identifier" => {
            if place(w) == Place::Module && w.text(left) == "__all__" {
                exports(w, right);
            }
            w.reference(left, Role::Write, NONE);
        }
        "attribute" => write_member(w, left),
        _ => w.visit(left),
    }
}

/// `(name := value)`.
pub(super) fn walrus(w: &mut Walker<'_>, node: Node<'_>) {
    let (Some(name), Some(value)) = (node.field("name"), node.field("value")) else {
        return w.visit_children(node);
    };
    w.visit(value);
    let init = w.expr_of(value);
    if is_elsewhere(w, name) {
        w.reference(name, Role::Write, NONE);
    } else {
        w.bind(name, None, init, node.end_byte());
    }
}

fn is_elsewhere(w: &mut Walker<'_>, name: Node<'_>) -> bool {
    let owner = w.owner();
    owner != NONE && w.is_claimed(owner, ELSEWHERE, w.text(name))
}

/// `global a, b`, `nonlocal a`.
pub(super) fn declared_elsewhere(w: &mut Walker<'_>, node: Node<'_>) {
    let owner = w.owner();
    w.for_children(node, |w, name| {
        w.claim(owner, ELSEWHERE, w.text(name));
    });
}

fn target(w: &mut Walker<'_>, node: Node<'_>, given: Given<'_, '_>) {
    if given.depth > DEPTH {
        return;
    }
    let inner = Given { depth: given.depth + 1, ty: None, ..given };
    match node.kind() {
        "identifier" => name_target(w, node, given),
        "attribute" => member_target(w, node, given),
        "subscript" => w.visit(node),
        "pattern_list" | "tuple_pattern" | "list_pattern" | "tuple" | "list" | "expression_list" => {
            let mut slot = 0;
            w.for_children(node, |w, child| {
                if child.is_extra() {
                    return;
                }
                let init = part(w, given.init, slot, child);
                slot += 1;
                target(w, child, Given { init, ..inner });
            });
        }
        "list_splat_pattern" | "list_splat" => {
            let init = w.expr(ExprKind::Literal, "list", NONE, node);
            if let Some(child) = node.named_child(0) {
                target(w, child, Given { init, ..inner });
            }
        }
        "parenthesized_expression" | "as_pattern_target" => {
            if let Some(child) = node.named_child(0) {
                target(w, child, Given { depth: given.depth + 1, ..given });
            }
        }
        _ => w.visit(node),
    }
}

/// The `slot`-th part of a value.
fn part(w: &mut Walker<'_>, whole: u32, slot: usize, at: Node<'_>) -> u32 {
    if whole == NONE {
        return NONE;
    }
    let found = w.expr(ExprKind::Index, "", whole, at);
    w.expr_slot(found, slot);
    found
}

fn name_target(w: &mut Walker<'_>, name: Node<'_>, given: Given<'_, '_>) {
    let place = place(w);
    if place == Place::Function {
        if is_elsewhere(w, name) {
            w.reference(name, Role::Write, NONE);
        } else {
            w.bind(name, given.ty, given.init, given.at);
        }
        return;
    }
    let owner = w.owner();
    let text = w.text(name);
    match given.statement {
        Some(statement) if w.claim(owner, DEFINED, text) => {
            define_variable(w, statement, name, place, given.ty, given.init);
        }
        Some(_) => {
            w.reference(name, Role::Write, NONE);
        }
        None => {
            w.bind(name, given.ty, given.init, given.at);
        }
    }
}

/// `object.name = …`: the first one through `self` defines the field.
fn member_target(w: &mut Walker<'_>, node: Node<'_>, given: Given<'_, '_>) {
    let (object, name) = (node.field("object"), node.field("attribute"));
    let (Some(object), Some(name), Some(statement)) = (object, name, given.statement) else { return write_member(w, node) };
    let receiver = w.text(object);
    let class = w.enclosing_type().filter(|_| object.kind() == "identifier" && is_self(w, receiver));
    let Some(class) = class else { return write_member(w, node) };
    let text = w.text(name);
    if w.is_claimed(class, IN_BODY, text) || !w.claim(class, DEFINED, text) {
        return write_member(w, node);
    }
    let (visibility, exported) = seen(text, true);
    let belongs = if receiver == "cls" { flag::STATIC } else { 0 };
    let new = with_comment(w, NewDef::new(Kind::Field, statement, name).visibility(visibility).flags(exported | belongs));
    let inherited = w.def(class).flags & (flag::TEST | flag::IN_TEST);
    w.owned_by(class, |w| {
        let def = w.define(new);
        let ty = w.intern(given.ty.unwrap_or(""));
        let row = w.def_mut(def);
        row.ty = ty;
        row.init = given.init;
        row.flags |= if inherited != 0 { flag::IN_TEST } else { 0 };
    });
}

fn write_member(w: &mut Walker<'_>, node: Node<'_>) {
    let (Some(object), Some(name)) = (node.field("object"), node.field("attribute")) else { return };
    let recv = receiver(w, object);
    w.reference(name, Role::Write, recv);
    w.visit(object);
}

/// What iterating over a node yields.
fn element(w: &mut Walker<'_>, iterated: Node<'_>) -> u32 {
    let call = (iterated.kind() == "call").then(|| iterated.field("function")).flatten();
    if let Some(callee) = call {
        let arguments = iterated.field("arguments");
        let first = arguments.and_then(|list| list.named_child(0));
        match (callee.kind(), w.text(callee), first) {
            ("identifier", "sorted" | "reversed" | "list" | "tuple" | "set" | "iter", Some(first)) => {
                return element_of(w, first);
            }
            ("attribute", _, None) => {
                let slot = match dict_view(w, callee) {
                    "keys" => Some(0),
                    "values" => Some(1),
                    _ => None,
                };
                if let (Some(slot), Some(object)) = (slot, callee.field("object")) {
                    return element_at(w, object, slot);
                }
            }
            _ => {}
        }
    }
    element_of(w, iterated)
}

/// `items`, `keys`, `values` of a callee `d.items`; another name or nothing otherwise.
fn dict_view<'a>(w: &Walker<'a>, callee: Node<'_>) -> &'a str {
    callee.field("attribute").map_or("", |name| w.text(name))
}

/// The key (0) or value (1) that a key and value loop over `object` yields.
fn element_at(w: &mut Walker<'_>, object: Node<'_>, slot: usize) -> u32 {
    let base = receiver(w, object);
    let found = w.expr(ExprKind::Element, "", base, object);
    w.expr_slot(found, slot);
    found
}

fn element_of(w: &mut Walker<'_>, iterated: Node<'_>) -> u32 {
    let base = w.expr_of(iterated);
    if base == NONE { NONE } else { w.expr(ExprKind::Element, "", base, iterated) }
}

/// Binds the target of a loop.
fn loop_target(w: &mut Walker<'_>, left: Node<'_>, iterated: Node<'_>, at: usize) {
    let given = Given { init: NONE, ty: None, at, statement: None, depth: 0 };
    let pair = matches!(left.kind(), "pattern_list" | "tuple_pattern");
    let callee = (iterated.kind() == "call").then(|| iterated.field("function")).flatten();
    let name = callee.filter(|callee| callee.kind() == "identifier").map_or("", |callee| w.text(callee));
    if pair && matches!(name, "enumerate" | "zip") {
        let arguments = iterated.field("arguments");
        let mut slot = 0u32;
        return w.for_children(left, |w, child| {
            let argument = arguments.and_then(|list| match name {
                "enumerate" if slot == 1 => list.named_child(0),
                "zip" => list.named_child(slot),
                _ => None,
            });
            let counter = name == "enumerate" && slot == 0;
            let init = match argument {
                Some(argument) => element(w, argument),
                None if counter => w.expr(ExprKind::Literal, "int", NONE, child),
                None => NONE,
            };
            slot += 1;
            target(w, child, Given { init, ..given });
        });
    }
    let of_dict = callee.filter(|callee| pair && callee.kind() == "attribute" && dict_view(w, *callee) == "items");
    if let Some(object) = of_dict.and_then(|callee| callee.field("object")) {
        let mut slot = 0;
        return w.for_children(left, |w, child| {
            let init = element_at(w, object, slot);
            slot += 1;
            target(w, child, Given { init, ..given });
        });
    }
    let init = element(w, iterated);
    target(w, left, Given { init, ..given });
}

/// `for left in right`.
pub(super) fn for_loop(w: &mut Walker<'_>, node: Node<'_>) {
    let (left, right) = (node.field("left"), node.field("right"));
    if let Some(right) = right {
        w.visit(right);
    }
    if let (Some(left), Some(right)) = (left, right) {
        loop_target(w, left, right, right.end_byte());
    }
    w.visit_children_except(node, &[left, right]);
}

/// `[body for left in right if …]` in any brackets.
pub(super) fn comprehension(w: &mut Walker<'_>, node: Node<'_>) {
    let body = node.field("body");
    w.in_scope(|w| {
        w.for_children(node, |w, child| match child.kind() {
            "for_in_clause" => {
                let (left, right) = (child.field("left"), child.field("right"));
                if let Some(right) = right {
                    w.visit(right);
                }
                if let (Some(left), Some(right)) = (left, right) {
                    // The body stands before the clause, so the name is visible from the start.
                    loop_target(w, left, right, node.start_byte());
                }
                w.visit_children_except(child, &[left, right]);
            }
            _ if body.is_some_and(|body| body.id() == child.id()) => {}
            _ => w.visit(child),
        });
        if let Some(body) = body {
            w.visit(body);
        }
    });
}

/// `with value as alias`.
pub(super) fn with_item(w: &mut Walker<'_>, node: Node<'_>) {
    let Some(mut value) = node.field("value") else { return w.visit_children(node) };
    while value.kind() == "parenthesized_expression" {
        let Some(inner) = value.named_child(0) else { break };
        value = inner;
    }
    if value.kind() == "tuple" {
        // `with (a as b, c as d):` is read as a tuple by older grammars.
        return w.for_children(value, as_item);
    }
    as_item(w, value);
}

fn as_item(w: &mut Walker<'_>, node: Node<'_>) {
    let (true, Some(value)) = (node.kind() == "as_pattern", node.named_child(0)) else { return w.visit(node) };
    w.visit(value);
    let init = w.expr_of(value);
    if let Some(alias) = node.field("alias") {
        let given = Given { init, ty: None, at: node.end_byte(), statement: None, depth: 0 };
        target(w, alias, given);
    }
}

/// `except Type as name`.
pub(super) fn except(w: &mut Walker<'_>, node: Node<'_>) {
    let value = node.field("value");
    let mut alias = node.field("alias");
    let mut caught = value;
    if let Some(pattern) = value.filter(|value| value.kind() == "as_pattern") {
        caught = pattern.named_child(0);
        alias = pattern.field("alias");
    }
    if let Some(caught) = caught {
        match caught.kind() {
            "identifier" | "attribute" | "tuple" => types::mention(w, caught, Role::Type),
            _ => w.visit(caught),
        }
    }
    if let Some(alias) = alias {
        let ty = caught.filter(|caught| caught.kind() != "tuple").map(|caught| w.text(caught));
        let name = if alias.kind() == "as_pattern_target" { alias.named_child(0).unwrap_or(alias) } else { alias };
        w.bind(name, ty, NONE, alias.end_byte());
    }
    w.visit_children_except(node, &[value, node.field("alias")]);
}

/// One `case`; what it captures is known where a class pattern says it.
pub(super) fn case_clause(w: &mut Walker<'_>, node: Node<'_>) {
    w.for_children(node, |w, child| {
        if child.kind() == "case_pattern" {
            pattern(w, child, NONE, 0);
        } else {
            w.visit(child);
        }
    });
}

fn pattern(w: &mut Walker<'_>, node: Node<'_>, init: u32, depth: u32) {
    if depth > DEPTH {
        return;
    }
    match node.kind() {
        "dotted_name" if node.named_child_count() == 1 => capture(w, node, init),
        "dotted_name" => {
            dotted(w, node, Role::Read);
        }
        "as_pattern" => {
            let Some(inner) = node.named_child(0) else { return };
            pattern(w, inner, init, depth + 1);
            let class =
                inner.named_child(0).filter(|class| class.kind() == "class_pattern").and_then(|class| class.named_child(0));
            let alias = node.named_child(1).or_else(|| node.field("alias"));
            if let Some(alias) = alias {
                let ty = class.map(|class| w.text(class));
                w.bind(alias, ty, init, alias.end_byte());
            }
        }
        "class_pattern" => {
            let class = node.named_child(0).filter(|class| class.kind() == "dotted_name");
            let made = class.map_or(NONE, |class| {
                dotted(w, class, Role::Type);
                w.expr(ExprKind::Typed, w.text(class), NONE, class)
            });
            w.for_children(node, |w, child| {
                if class.is_some_and(|class| class.id() == child.id()) {
                    return;
                }
                let keyword = child.named_child(0).filter(|inner| inner.kind() == "keyword_pattern");
                let Some(keyword) = keyword else { return pattern(w, child, NONE, depth + 1) };
                let (Some(name), Some(value)) = (keyword.named_child(0), keyword.named_child(1)) else { return };
                let member = w.expr(ExprKind::Member, w.text(name), made, name);
                w.reference(name, Role::Read, made);
                pattern(w, value, member, depth + 1);
            });
        }
        "splat_pattern" => {
            if let Some(name) = node.named_child(0) {
                capture(w, name, NONE);
            }
        }
        "case_pattern" | "union_pattern" => {
            w.for_children(node, |w, child| pattern(w, child, init, depth + 1));
        }
        "list_pattern" | "tuple_pattern" | "dict_pattern" | "keyword_pattern" => {
            w.for_children(node, |w, child| pattern(w, child, NONE, depth + 1));
        }
        "identifier" => {}
        _ => w.visit(node),
    }
}

fn capture(w: &mut Walker<'_>, name: Node<'_>, init: u32) {
    if w.text(name) != "_" {
        w.bind(name, None, init, name.end_byte());
    }
}

/// The names of `a.b.C` in a pattern.
fn dotted(w: &mut Walker<'_>, node: Node<'_>, role: Role) {
    let last = node.named_child_count().saturating_sub(1) as u32;
    let mut recv = NONE;
    let mut index = 0;
    w.for_children(node, |w, part| {
        let own = if index == last { role } else { Role::Read };
        w.reference(part, own, recv);
        recv = match recv {
            NONE => w.expr(ExprKind::Name, w.text(part), NONE, part),
            base => w.expr(ExprKind::Member, w.text(part), base, part),
        };
        index += 1;
    });
}

/// Visits defaults and annotations of a parameter list.
pub(super) fn parameter_mentions(w: &mut Walker<'_>, list: Node<'_>) {
    w.for_children(list, |w, parameter| {
        if let Some(ty) = parameter.field("type") {
            types::mention(w, ty, Role::ParamType);
        }
        if let Some(value) = parameter.field("value") {
            // Looked at here, because it is evaluated outside the function.
            w.expr_of(value);
            w.visit(value);
        }
    });
}

/// Binds parameters; `class` is the class whose receiver comes first. Returns their number without the receiver, and
/// whether there are any number of them.
pub(super) fn parameters(w: &mut Walker<'_>, function: Node<'_>, list: Node<'_>, class: Option<u32>) -> (u16, bool) {
    let mut count = 0u16;
    let mut variadic = false;
    let mut receiver = class;
    w.for_children(list, |w, parameter| {
        let named = parameter
            .field("name")
            .or_else(|| if parameter.kind() == "typed_parameter" { parameter.named_child(0) } else { Some(parameter) });
        let Some(name) = named else { return };
        let ty = parameter.field("type").map(|ty| types::text(w, ty));
        let value = parameter.field("value");
        match name.kind() {
            "identifier" => {
                if let Some(class) = receiver.take() {
                    // `self` and `cls` of a method are the receiver by name; another name is bound to the class.
                    if !is_self(w, w.text(name)) {
                        let class = w.string(w.def(class).name).to_owned();
                        w.bind(name, Some(&class), NONE, name.end_byte());
                    }
                    return;
                }
                let init = match value {
                    Some(value) => w.expr_of(value),
                    None => w.given(function, count as usize),
                };
                w.bind(name, ty.as_deref(), init, parameter.end_byte());
                count = count.saturating_add(1);
            }
            "list_splat_pattern" | "dictionary_splat_pattern" => {
                variadic = true;
                receiver = None;
                count = count.saturating_add(1);
                let made = if name.kind() == "list_splat_pattern" { "tuple" } else { "dict" };
                let init = w.expr(ExprKind::Literal, made, NONE, name);
                if let Some(inner) = name.named_child(0) {
                    w.bind(inner, None, init, parameter.end_byte());
                }
            }
            "tuple_pattern" => {
                count = count.saturating_add(1);
                let given = Given { init: NONE, ty: None, at: parameter.end_byte(), statement: None, depth: 0 };
                target(w, name, given);
            }
            _ => {}
        }
    });
    (count, variadic)
}
