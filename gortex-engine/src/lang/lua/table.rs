//! Assignments: variables, tables with members, classes, fields of `self`.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::expr::{index_of, receiver, required};
use super::{CLASS, DEFINED, LOCAL, body, expr, is_class, known_table, member_function};
use crate::facts::model::{ExprKind, Kind, NONE, Role, Visibility, flag};
use crate::facts::walker::{NewDef, Walker, one_line};

/// Calls that make a class of the class in front.
const DERIVES: &[&str] = &["extend", "subclass", "derive", "inherit", "extends"];

/// `local a, b = c, d`, `local a`.
pub(super) fn local_declaration(w: &mut Walker<'_>, node: Node<'_>) {
    let Some(inner) = node.named_child(0) else { return };
    if inner.kind() == "assignment_statement" {
        return w.visit_with(inner, |w, inner| assignment(w, inner, true, node));
    }
    // Declared without a value.
    let top = is_top(w) && !w.in_block();
    w.for_children(node, |w, list| {
        w.for_children(list, |w, name| {
            if name.kind() != "identifier" {
                return;
            }
            if top {
                w.claim(NONE, LOCAL, w.text(name));
            } else {
                w.bind(name, None, NONE, node.end_byte());
            }
        });
    });
}

/// Whether statements here define what the file has.
fn is_top(w: &Walker<'_>) -> bool {
    w.owner() == NONE && !w.in_function()
}

/// `a.b, c = d, e`; `statement` is what carries the comment.
pub(super) fn assignment(w: &mut Walker<'_>, node: Node<'_>, local: bool, statement: Node<'_>) {
    let (Some(left), Some(right)) = (node.named_child(0), node.named_child(1)) else { return w.visit_children(node) };
    let mut cursor = left.walk();
    let names: Vec<_> = left.named_children(&mut cursor).collect();
    let mut cursor = right.walk();
    let values: Vec<_> = right.named_children(&mut cursor).filter(|value| !value.is_extra()).collect();
    for (slot, name) in names.iter().enumerate() {
        one(w, *name, values.get(slot).copied(), local, statement, node.end_byte());
    }
    for value in values.iter().skip(names.len()) {
        w.visit(*value);
    }
}

fn one(w: &mut Walker<'_>, name: Node<'_>, value: Option<Node<'_>>, local: bool, statement: Node<'_>, end: usize) {
    match name.kind() {
        "identifier" if is_top(w) && !(local && w.in_block()) => top_variable(w, name, value, local, statement),
        "identifier" => {
            if let Some(function) = value.filter(|value| local && value.kind() == "function_definition") {
                let def = w.define(super::function_of(w, Kind::Function, statement, function, name));
                return body(w, def, function, None);
            }
            if let Some(value) = value {
                visit_value(w, value);
            }
            let init = value.map_or(NONE, |value| w.expr_of(value));
            if local {
                w.bind(name, None, init, end);
            } else {
                w.reference(name, Role::Write, NONE);
            }
        }
        "dot_index_expression" => member(w, name, value, statement),
        _ => {
            w.visit(name);
            if let Some(value) = value {
                visit_value(w, value);
            }
        }
    }
}

fn visit_value(w: &mut Walker<'_>, value: Node<'_>) {
    w.visit(value);
}

/// A variable of the file: a module, a class, a table, a function or a plain value.
fn top_variable(w: &mut Walker<'_>, name: Node<'_>, value: Option<Node<'_>>, local: bool, statement: Node<'_>) {
    let text = w.text(name);
    let local = local || w.is_claimed(NONE, LOCAL, text);
    if let Some(call) = value.filter(|value| local && required(w, *value).is_some()) {
        w.claim(NONE, DEFINED, text);
        return expr::import(w, call, text);
    }
    if !w.claim(NONE, DEFINED, text) {
        // Assigned again; a second `local` of the same name is a variable of its own that we don't tell apart.
        if let Some(value) = value {
            visit_value(w, value);
        }
        w.reference(name, Role::Write, NONE);
        return;
    }
    let (visibility, flags) = if local { (Visibility::Private, 0) } else { (Visibility::Public, flag::EXPORTED) };
    if let Some(function) = value.filter(|value| value.kind() == "function_definition") {
        let new = super::function_of(w, Kind::Function, statement, function, name).visibility(visibility).flags(flags);
        let def = w.define(new);
        return body(w, def, function, None);
    }
    let bases = value.map_or(Vec::new(), |value| bases(w, value));
    let class = w.is_claimed(NONE, CLASS, text) || !bases.is_empty() || value.is_some_and(|value| is_class_call(w, value));
    let kind = match (class, is_upper(text)) {
        (true, _) => Kind::Class,
        (_, true) if value.is_some_and(|value| value.kind() != "table_constructor") => Kind::Constant,
        _ => Kind::Variable,
    };
    let def = w.define(NewDef::new(kind, statement, name).visibility(visibility).flags(flags));
    for base in bases {
        let super_type = one_line(w.text(base), 200);
        w.supertype(def, "", base, &super_type, Role::Extends, false);
    }
    let Some(value) = value else { return };
    if kind != Kind::Class {
        let init = w.expr_of(value);
        w.def_mut(def).init = init;
    }
    if value.kind() == "table_constructor" {
        return members(w, def, value);
    }
    w.owned_by(def, |w| visit_value(w, value));
}

fn is_upper(name: &str) -> bool {
    name.len() > 1 && name.contains(char::is_uppercase) && !name.contains(char::is_lowercase)
}

/// `class("Name")`, `Object:extend()`.
fn is_class_call(w: &Walker<'_>, value: Node<'_>) -> bool {
    let callee = (value.kind() == "function_call").then(|| value.field("name")).flatten();
    callee.is_some_and(|callee| match callee.kind() {
        "identifier" => matches!(w.text(callee), "class" | "Class"),
        _ => callee.field("method").is_some_and(|method| DERIVES.contains(&w.text(method))),
    })
}

/// The tables that a new table takes what it lacks from.
fn bases<'t>(w: &Walker<'_>, value: Node<'t>) -> Vec<Node<'t>> {
    let Some(callee) = (value.kind() == "function_call").then(|| value.field("name")).flatten() else {
        return Vec::new();
    };
    let list = value.field("arguments");
    let named = |node: &Node<'t>| matches!(node.kind(), "identifier" | "dot_index_expression");
    match (callee.kind(), w.text(callee)) {
        ("identifier", "setmetatable") => {
            let (Some(object), Some(meta)) =
                (list.and_then(|list| list.named_child(0)), list.and_then(|list| list.named_child(1)))
            else {
                return Vec::new();
            };
            let is_new = object.kind() == "table_constructor" && meta.kind() == "table_constructor";
            is_new.then(|| index_of(w, meta)).flatten().into_iter().filter(named).collect()
        }
        ("identifier", "class" | "Class") => {
            let mut found = Vec::new();
            if let Some(list) = list {
                let mut cursor = list.walk();
                found.extend(list.named_children(&mut cursor).filter(named));
            }
            found
        }
        ("method_index_expression", _) => {
            let derives = callee.field("method").is_some_and(|method| DERIVES.contains(&w.text(method)));
            callee.field("table").filter(|table| derives && named(table)).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// `setmetatable(Class, { __index = Base })` as a statement.
pub(super) fn inherits_by_metatable(w: &mut Walker<'_>, node: Node<'_>) {
    let Some(list) = node.field("arguments").filter(|_| !w.in_function()) else { return };
    let (Some(object), Some(meta)) = (list.named_child(0), list.named_child(1)) else { return };
    if object.kind() != "identifier" || meta.kind() != "table_constructor" {
        return;
    }
    let (Some(def), Some(base)) = (known_table(w, w.text(object)), index_of(w, meta)) else { return };
    if matches!(base.kind(), "identifier" | "dot_index_expression") && is_class(w, def) {
        let text = one_line(w.text(base), 200);
        w.supertype(def, "", base, &text, Role::Extends, false);
    }
}

/// The fields of a table that is a definition.
fn members(w: &mut Walker<'_>, def: u32, table: Node<'_>) {
    w.owned_by(def, |w| {
        w.for_children(table, |w, field| {
            let (name, value) = (field.field("name"), field.field("value"));
            let (Some(name), Some(value)) = (name.filter(|name| name.kind() == "identifier"), value) else {
                return w.visit_with(field, super::field);
            };
            let owner = w.owner();
            w.claim(owner, DEFINED, w.text(name));
            if value.kind() == "function_definition" {
                let takes_self = value.field("parameters").and_then(|list| list.field("name"));
                let takes_self = takes_self.is_some_and(|first| w.text(first) == "self") && is_class(w, owner);
                let kind = if takes_self { Kind::Method } else { Kind::Function };
                let new = super::function_of(w, kind, field, value, name).flags(flag::EXPORTED);
                let def = w.define(new.visibility(Visibility::Public));
                return body(w, def, value, takes_self.then_some(false));
            }
            let kind = if is_class(w, owner) { Kind::Field } else { Kind::Property };
            let def = w.define(NewDef::new(kind, field, name).visibility(Visibility::Public));
            let init = w.expr_of(value);
            w.def_mut(def).init = init;
            if value.kind() == "table_constructor" {
                w.nested(|w| members(w, def, value));
            } else {
                w.owned_by(def, |w| visit_value(w, value));
            }
        });
    });
}

/// `return { name = value }` at the end of a file.
pub(super) fn returned(w: &mut Walker<'_>, table: Node<'_>) {
    w.for_children(table, |w, field| {
        let (name, value) = (field.field("name"), field.field("value"));
        let (Some(name), Some(value)) = (name.filter(|name| name.kind() == "identifier"), value) else {
            return w.visit_with(field, super::field);
        };
        match value.kind() {
            "identifier" => {
                w.export(value, w.text(value), w.text(name));
                w.visit(value);
            }
            "function_definition" => {
                let new = super::function_of(w, Kind::Function, field, value, name).flags(flag::EXPORTED);
                let def = w.define(new.visibility(Visibility::Public));
                w.export(name, w.text(name), w.text(name));
                body(w, def, value, None);
            }
            _ => {
                let new = NewDef::new(Kind::Variable, field, name).flags(flag::EXPORTED).visibility(Visibility::Public);
                let def = w.define(new);
                let init = w.expr_of(value);
                w.def_mut(def).init = init;
                w.export(name, w.text(name), w.text(name));
                w.owned_by(def, |w| visit_value(w, value));
            }
        }
    });
}

/// The class whose method is being walked.
fn class_around(w: &Walker<'_>) -> Option<u32> {
    let mut at = w.owner();
    while at != NONE && w.def(at).kind() != Kind::Class {
        at = w.def(at).parent;
    }
    (at != NONE && w.in_function()).then_some(at)
}

/// `M.name = value`, `self.name = value`.
fn member(w: &mut Walker<'_>, name: Node<'_>, value: Option<Node<'_>>, statement: Node<'_>) {
    let (Some(table), Some(last)) = (name.field("table"), name.field("field")) else {
        return w.visit(name);
    };
    let text = w.text(table);
    let function = value.filter(|value| value.kind() == "function_definition");
    let owner = match text {
        "self" if table.kind() == "identifier" => class_around(w),
        _ if is_top(w) => known_table(w, text),
        _ => None,
    };
    if let Some(function) = function.filter(|_| text != "self" && (owner.is_some() || is_top(w))) {
        return member_function(w, statement, function, name);
    }
    let fresh = owner.filter(|owner| w.claim(*owner, DEFINED, w.text(last)) && !w.text(last).starts_with("__"));
    let Some(owner) = fresh else {
        let recv = receiver(w, table);
        w.reference(last, Role::Write, recv);
        w.visit(table);
        if let Some(value) = value {
            visit_value(w, value);
        }
        return;
    };
    let visibility = if w.text(last).starts_with('_') { Visibility::Private } else { Visibility::Public };
    let kind = match (is_class(w, owner), is_upper(w.text(last))) {
        (_, true) if text != "self" => Kind::Constant,
        (true, _) => Kind::Field,
        _ => Kind::Property,
    };
    let new = NewDef::new(kind, statement, last).visibility(visibility);
    let mut def = NONE;
    w.owned_by(owner, |w| def = w.define(new));
    let Some(value) = value else { return };
    let init = w.expr_of(value);
    w.def_mut(def).init = init;
    if value.kind() == "table_constructor" && text != "self" {
        return members(w, def, value);
    }
    if is_top(w) {
        w.owned_by(def, |w| visit_value(w, value));
    } else {
        visit_value(w, value);
    }
    if init == NONE {
        return;
    }
    // A field that holds what a table's own function made is of that kind.
    let row = w.rows.exprs[init as usize];
    if row.kind() == ExprKind::Literal {
        w.def_mut(def).init = NONE;
    }
}
