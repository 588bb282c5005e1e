//! Classes: headers, members, and fields that exist only by assignment.
//!
//! Knows one class at a time; what a base class adds is for `link` to say.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::{Outer, Value, define_hidden, defs, key, modifiers, types, value};
use crate::facts::model::{ExprKind, Kind, NONE, Role, Str, Visibility, flag};
use crate::facts::walker::{NewDef, Walker};

/// `class Name {}`, also abstract.
pub(super) fn class_declaration(walker: &mut Walker<'_>, node: Node<'_>) {
    declared_class(walker, node, Outer::default());
}

/// [`class_declaration`] inside `export` or `declare`.
pub(super) fn declared_class<'t>(walker: &mut Walker<'_>, node: Node<'t>, outer: Outer<'t>) {
    let Some(name) = node.field("name") else { return class_value(walker, node) };
    let (mut flags, _) = modifiers(walker, node);
    flags &= flag::DECORATED;
    if outer.node.is_some_and(|outer| has_decorator(outer)) {
        flags |= flag::DECORATED;
    }
    let new = outer.new_def(Kind::Class, node, name).body(node.field("body")).flags(flags);
    let def = walker.define(new);
    class_inside(walker, node, def, outer.node);
}

fn has_decorator(node: Node<'_>) -> bool {
    node.field("decorator").is_some()
}

/// A class expression that nothing names from outside.
pub(super) fn class_value(walker: &mut Walker<'_>, node: Node<'_>) {
    let body = node.field("body");
    let def = match node.field("name") {
        Some(name) => {
            let text = walker.text(name);
            define_hidden(walker, NewDef::new(Kind::Class, node, name).body(body), text)
        }
        None => {
            let owner = walker.owner();
            let from = if owner == NONE { 0 } else { owner as usize };
            let same = |row: &&crate::facts::model::DefRow| row.parent == owner && row.has(flag::ANONYMOUS);
            let name = format!("${}", walker.rows.defs[from..].iter().filter(same).count() + 1);
            let new = NewDef { name: None, ..NewDef::new(Kind::Class, node, node) }.body(body).flags(flag::ANONYMOUS);
            define_hidden(walker, new, &name)
        }
    };
    class_inside(walker, node, def, None);
}

/// Visits a class as `def`; `outer` may carry decorators (`@x export class`).
pub(super) fn class_inside(walker: &mut Walker<'_>, node: Node<'_>, def: u32, outer: Option<Node<'_>>) {
    walker.in_def(def, |walker| {
        if let Some(name) = node.field("name")
            && node.kind() == "class"
        {
            let text = walker.text(name);
            let own = walker.expr(ExprKind::LocalDef, text, def, name);
            walker.bind(name, None, own, node.start_byte());
        }
        if let Some(outer) = outer {
            walker.for_children(outer, |walker, child| {
                if child.kind() == "decorator" {
                    walker.visit(child);
                }
            });
        }
        walker.for_children(node, |walker, child| match child.kind() {
            "decorator" => walker.visit(child),
            "type_parameters" => types::type_parameters(walker, child),
            "class_heritage" => heritage(walker, child, def),
            "class_body" => class_body(walker, child, def),
            _ => {}
        });
    });
}

fn heritage(walker: &mut Walker<'_>, node: Node<'_>, def: u32) {
    walker.for_children(node, |walker, child| match child.kind() {
        "extends_clause" => walker.for_children(child, |walker, base| match base.kind() {
            "type_arguments" => types::type_arguments(walker, base),
            _ => base_class(walker, base, def),
        }),
        "implements_clause" => walker.for_children(child, |walker, base| {
            types::super_of(walker, base, def, Role::Implements);
        }),
        _ => base_class(walker, child, def),
    });
}

fn base_class(walker: &mut Walker<'_>, node: Node<'_>, def: u32) {
    let node = super::peeled(node);
    match node.kind() {
        "identifier" => {
            let text = walker.text(node);
            walker.supertype(def, "", node, text, Role::Extends, false);
        }
        "member_expression" => {
            let text = walker.text(node);
            let place = node.field("property").unwrap_or(node);
            walker.supertype(def, "", place, text, Role::Extends, false);
            walker.visit_field(node, "object");
        }
        "call_expression" => {
            // A mix-in hands its arguments' members on.
            if let Some(arguments) = node.field("arguments") {
                walker.for_children(arguments, |walker, argument| {
                    if argument.kind() == "identifier" {
                        let text = walker.text(argument);
                        walker.supertype(def, "", argument, text, Role::Extends, false);
                    }
                });
            }
            walker.visit(node);
        }
        _ => walker.visit(node),
    }
}

fn class_body(walker: &mut Walker<'_>, body: Node<'_>, def: u32) {
    walker.for_children(body, |walker, child| {
        if let Some(name) = child.field("name").or_else(|| child.field("property")) {
            let (_, text) = key(walker, name);
            walker.announce(def, text);
        }
    });
    // TypeScript's grammar puts the decorators of a method before it, as siblings.
    let mut first = None;
    walker.for_children(body, |walker, child| {
        match child.kind() {
            "decorator" => {
                first = first.or(Some(child));
                return;
            }
            "comment" => return,
            "method_definition" | "method_signature" | "abstract_method_signature" => {
                let from = walker.rows.defs.len();
                defs::method(walker, child, first, true);
                if let Some(first) = first {
                    decorate(walker, first, child, from as u32);
                }
            }
            "field_definition" | "public_field_definition" => field(walker, child),
            _ => walker.visit(child),
        }
        first = None;
    });
}

/// Visits the decorators from `first` up to the member.
fn decorate(walker: &mut Walker<'_>, first: Node<'_>, member: Node<'_>, def: u32) {
    if def as usize >= walker.rows.defs.len() {
        return;
    }
    walker.def_mut(def).flags |= flag::DECORATED;
    walker.owned_by(def, |walker| {
        let mut at = Some(first);
        while let Some(node) = at.filter(|node| node.id() != member.id()) {
            walker.visit(node);
            at = node.next_named_sibling();
        }
    });
}

fn field(walker: &mut Walker<'_>, node: Node<'_>) {
    let name = node.field("name").or_else(|| node.field("property"));
    let Some(name) = name else { return walker.visit_children(node) };
    let (flags, visibility) = modifiers(walker, node);
    if name.kind() == "computed_property_name" {
        walker.visit_children(name);
    }
    let (place, text) = key(walker, name);
    let default = if name.kind() == "private_property_identifier" { Visibility::Private } else { Visibility::Public };
    let init = node.field("value");
    let found = init.map_or(Value::Other, |init| value(walker, init));
    let kind = if matches!(found, Value::Function(_)) { Kind::Method } else { Kind::Field };
    let new = NewDef::new(kind, node, place).visibility(visibility.unwrap_or(default)).flags(flags);
    let def = if let Value::Function(function) = found {
        let def = defs::enter_hidden(walker, new, text, function);
        defs::declared_type(walker, node, def, Role::FieldType);
        def
    } else {
        let def = define_hidden(walker, new, text);
        defs::declared_type(walker, node, def, Role::FieldType);
        if let Some(init) = init {
            let expr = walker.expr_of(init);
            walker.def_mut(def).init = expr;
            walker.owned_by(def, |walker| walker.within(node, |walker| walker.visit(init)));
        }
        def
    };
    walker.owned_by(def, |walker| {
        walker.for_children(node, |walker, child| {
            if child.kind() == "decorator" {
                walker.visit(child);
            }
        });
    });
}

/// `static {}`: runs like a function of the class.
pub(super) fn static_block(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.in_lambda(|walker| walker.visit_children(node));
}

/// `this.name = value`: the first one in a class whose field is declared nowhere above defines it. Says whether it did.
pub(super) fn assigned_field(walker: &mut Walker<'_>, whole: Node<'_>, property: Node<'_>, right: Node<'_>) -> bool {
    let Some(home) = home_of_this(walker) else { return false };
    let name = walker.text(property);
    let (class, owner_type) = match home {
        Home::Class(class) => (class, Str::EMPTY),
        Home::Constructor(function) => (function, walker.def(function).name),
    };
    let parent = if owner_type.is_empty() { class } else { walker.def(class).parent };
    if !walker.announce(class, name) {
        return false;
    }
    let private = property.kind() == "private_property_identifier";
    let visibility = if private { Visibility::Private } else { Visibility::Public };
    let new = NewDef::new(Kind::Field, whole, property).visibility(visibility);
    match value(walker, right) {
        Value::Function(function) => {
            let def = define_hidden(walker, NewDef { kind: Kind::Method, ..new }.body(function.field("body")), name);
            (walker.def_mut(def).parent, walker.def_mut(def).owner_type) = (parent, owner_type);
            defs::function_inside(walker, Some(def), function);
        }
        _ => {
            let def = define_hidden(walker, new, name);
            let init = walker.expr_of(right);
            let row = walker.def_mut(def);
            (row.parent, row.owner_type, row.init) = (parent, owner_type, init);
            walker.visit(right);
        }
    }
    true
}

enum Home {
    Class(u32),
    /// A function whose name begins with a capital: a constructor of the old kind.
    Constructor(u32),
}

/// Whose fields `this` has here.
fn home_of_this(walker: &Walker<'_>) -> Option<Home> {
    let mut at = walker.owner();
    while at != NONE {
        let row = walker.def(at);
        match row.kind() {
            kind if kind.is_type() => return Some(Home::Class(at)),
            Kind::Method | Kind::Constructor => {
                let in_class = row.parent != NONE && walker.def(row.parent).kind().is_type();
                return in_class.then_some(Home::Class(row.parent));
            }
            Kind::Function if walker.string(row.name).starts_with(char::is_uppercase) => return Some(Home::Constructor(at)),
            Kind::Property | Kind::Module => return None,
            _ => at = row.parent,
        }
    }
    None
}

/// A parameter of a constructor that is a field at the same time.
pub(super) fn parameter_property(walker: &mut Walker<'_>, parameter: Node<'_>, pattern: Node<'_>, constructor: u32) {
    let class = walker.def(constructor).parent;
    let (flags, visibility) = modifiers(walker, parameter);
    let text = walker.text(pattern);
    let new = NewDef::new(Kind::Field, parameter, pattern).visibility(visibility.unwrap_or(Visibility::Public)).flags(flags);
    let def = define_hidden(walker, new, text);
    walker.def_mut(def).parent = class;
    walker.announce(class, text);
    if let Some(annotation) = parameter.field("type") {
        types::set_type(walker, def, annotation);
    }
}

/// `super(...)` as a call of the base's constructor.
pub(super) fn super_call(walker: &mut Walker<'_>, place: Node<'_>, args: Option<usize>) {
    let recv = walker.expr(ExprKind::Super, "", NONE, place);
    let usage = walker.result_use();
    let row = walker.reference_named(place, "constructor", Role::Call, recv);
    walker.call_detail(row, args, usage);
}
