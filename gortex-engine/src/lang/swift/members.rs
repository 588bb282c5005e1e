//! Swift's declarations: types, extensions and their members.
//!
//! Knows what a declaration says about itself; statements and expressions are next door.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::statements::bind_pattern;
use super::values::{type_text, types, with_type};
use crate::facts::model::{Kind, NONE, Role, Visibility, flag};
use crate::facts::walker::{NewDef, Walker};
use crate::lang::nodes::{child_of_kind, has_child, line, named_children};

/// What the modifiers of a declaration say.
fn modifiers(walker: &Walker<'_>, node: Node<'_>) -> (Visibility, u16) {
    let mut said = (Visibility::Internal, 0);
    let Some(list) = child_of_kind(node, "modifiers") else { return said };
    for child in named_children(list) {
        match (child.kind(), walker.text(child)) {
            ("visibility_modifier", "public" | "open") => said.0 = Visibility::Public,
            ("visibility_modifier", "private" | "fileprivate") => said.0 = Visibility::Private,
            ("property_modifier", "static" | "class") => said.1 |= flag::STATIC,
            ("member_modifier", "override") => said.1 |= flag::OVERRIDE,
            ("attribute", text) => {
                if text.starts_with("@Test") && !text[5..].starts_with(|c: char| c.is_alphanumeric()) {
                    said.1 |= flag::TEST;
                }
                // Notes to the compiler change nothing that runs.
                if !text.starts_with("@available") && !text.starts_with("@discardableResult") && !text.starts_with("@inlinable") {
                    said.1 |= flag::DECORATED;
                }
            }
            _ => {}
        }
    }
    if said.0 == Visibility::Public {
        said.1 |= flag::EXPORTED;
    }
    said
}

fn visit_modifiers(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(list) = child_of_kind(node, "modifiers") {
        walker.visit(list);
    }
}

/// Whether the node stands directly in the body of a type or extension.
pub(super) fn is_member(walker: &Walker<'_>) -> bool {
    matches!(walker.around(1), "class_body" | "enum_class_body" | "protocol_body")
}

pub(super) fn type_declaration(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = node.field("name") else { return walker.visit_children(node) };
    let kind = match node.field("declaration_kind").map_or("", |kind| kind.kind()) {
        "extension" => return extension(walker, node, name),
        "struct" => Kind::Struct,
        "enum" => Kind::Enum,
        "protocol" => Kind::Interface,
        _ => Kind::Class,
    };
    let body = node.field("body");
    let (visibility, flags) = modifiers(walker, node);
    let new = NewDef::new(kind, node, name).body(body).visibility(visibility).flags(flags & !flag::TEST);
    let def = walker.define(new);
    walker.in_def(def, |walker| {
        visit_modifiers(walker, node);
        type_parameters(walker, node);
        let mut first = kind == Kind::Class;
        walker.for_children(node, |walker, child| {
            if child.kind() == "inheritance_specifier" {
                // Whether the first of a class is a class or a protocol is for `link` to see.
                let role = if first || kind == Kind::Interface { Role::Extends } else { Role::Implements };
                first = false;
                supertype(walker, child, role, |walker, place, text, role| {
                    walker.supertype(def, "", place, text, role, false);
                });
            }
        });
        if let Some(body) = body {
            walker.visit(body);
        }
    });
}

fn supertype(walker: &mut Walker<'_>, specifier: Node<'_>, role: Role, record: impl Fn(&mut Walker<'_>, Node<'_>, &str, Role)) {
    let Some(ty) = specifier.field("inherits_from") else { return };
    let parts = if ty.kind() == "protocol_composition_type" { named_children(ty) } else { vec![ty] };
    for part in parts.into_iter().filter(|part| part.kind() == "user_type") {
        let words: Vec<_> = named_children(part).into_iter().filter(|word| word.kind() == "type_identifier").collect();
        let Some(last) = words.last().copied() else { continue };
        let text = words.iter().map(|word| walker.text(*word)).collect::<Vec<_>>().join(".");
        record(walker, last, &text, role);
        if let Some(arguments) = child_of_kind(part, "type_arguments") {
            walker.for_children(arguments, |walker, child| types(walker, child, Role::GenericArg));
        }
    }
}

/// `extension T: P { .. }`: members of `T`, and `T` is a `P`.
fn extension(walker: &mut Walker<'_>, node: Node<'_>, name: Node<'_>) {
    visit_modifiers(walker, node);
    types(walker, name, Role::Type);
    let words: Vec<_> = named_children(name).into_iter().filter(|word| word.kind() == "type_identifier").collect();
    let text = words.iter().map(|word| walker.text(*word)).collect::<Vec<_>>().join(".");
    walker.for_children(node, |walker, child| {
        if child.kind() == "inheritance_specifier" {
            supertype(walker, child, Role::Implements, |walker, place, base, role| {
                walker.supertype(NONE, &text, place, base, role, false);
            });
        }
    });
    let (visibility, _) = modifiers(walker, node);
    let (before, owner) = (walker.rows.defs.len(), walker.owner());
    walker.visit_field(node, "body");
    let text = walker.intern(&text);
    for def in walker.rows.defs[before..].iter_mut().filter(|def| def.parent == owner) {
        def.owner_type = text;
        if visibility == Visibility::Public && def.visibility() == Visibility::Internal {
            def.visibility = visibility as u8;
        }
    }
}

/// Type parameters are locals of their declaration; their bounds are mentioned.
fn type_parameters(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(list) = child_of_kind(node, "type_parameters") {
        for parameter in named_children(list).into_iter().filter(|parameter| parameter.kind() == "type_parameter") {
            let parts = named_children(parameter);
            let Some(name) = parts.iter().find(|part| part.kind() == "type_identifier") else { continue };
            let bound = parts.iter().copied().find(|part| is_type(*part));
            let text = bound.map(|bound| type_text(walker, bound));
            walker.bind(*name, text.as_deref(), NONE, list.start_byte());
            if let Some(bound) = bound {
                types(walker, bound, Role::Type);
            }
        }
    }
    if let Some(constraints) = child_of_kind(node, "type_constraints") {
        constraint_types(walker, constraints);
    }
}

fn constraint_types(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.for_children(node, |walker, child| match child.kind() {
        "user_type" => types(walker, child, Role::Type),
        "identifier" | "simple_identifier" => {}
        _ => walker.nested(|walker| constraint_types(walker, child)),
    });
}

pub(super) fn is_type(node: Node<'_>) -> bool {
    node.kind().ends_with("_type") || node.kind() == "metatype"
}

pub(super) fn type_alias(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = node.field("name") else { return walker.visit_children(node) };
    let (visibility, mut flags) = modifiers(walker, node);
    let is_open = node.kind() == "associatedtype_declaration";
    if is_open {
        flags |= flag::DECLARATION;
    }
    let def = walker.define(NewDef::new(Kind::TypeAlias, node, name).visibility(visibility).flags(flags));
    let ty = named_children(node).into_iter().find(|child| is_type(*child));
    if let Some(ty) = ty {
        let text = type_text(walker, ty);
        walker.def_mut(def).ty = walker.intern(&text);
    }
    walker.in_def(def, |walker| {
        type_parameters(walker, node);
        if let Some(ty) = ty {
            types(walker, ty, Role::Type);
        }
    });
}

/// A function, initialiser or subscript.
pub(super) fn callable(walker: &mut Walker<'_>, node: Node<'_>) {
    let place = node.field("name").or_else(|| node.child(0).filter(|_| !node.kind().starts_with("func")));
    let Some(name) = place else { return walker.visit_children(node) };
    let body = node.field("body");
    let (visibility, mut flags) = modifiers(walker, node);
    let member = is_member(walker);
    let (kind, word) = match node.kind() {
        "init_declaration" => (Kind::Constructor, "init"),
        "deinit_declaration" => (Kind::Method, "deinit"),
        "subscript_declaration" => (Kind::Method, "subscript"),
        _ => (if member { Kind::Method } else { Kind::Function }, walker.text(name)),
    };
    let parameters: Vec<_> = named_children(node).into_iter().filter(|child| child.kind() == "parameter").collect();
    if has_child(node, "async") {
        flags |= flag::ASYNC;
    }
    if has_child(node, "...") || parameters.iter().any(|parameter| has_child(*parameter, "...")) {
        flags |= flag::VARIADIC;
    }
    if body.is_none() && walker.owner_kind() == Some(Kind::Interface) {
        flags |= flag::DECLARATION;
    }
    if kind == Kind::Method && parameters.is_empty() && is_xctest(walker, word) {
        flags |= flag::TEST;
    }
    let first_accessor = child_of_kind(node, "computed_property");
    let new = NewDef::new(kind, node, name).body(body.or(first_accessor)).visibility(visibility).flags(flags);
    let def = walker.define_named(new, word);
    let result = named_children(node).into_iter().find(|child| is_type(*child) && child.start_byte() > name.start_byte());
    let text = result.map(|ty| type_text(walker, ty)).unwrap_or_default();
    let text = walker.intern(&text);
    let row = walker.def_mut(def);
    (row.params, row.ty) = (parameters.len() as u16, text);
    walker.in_def(def, |walker| {
        visit_modifiers(walker, node);
        type_parameters(walker, node);
        for parameter in &parameters {
            bind_parameter(walker, *parameter);
        }
        if let Some(ty) = result {
            types(walker, ty, Role::ReturnType);
        }
        let mut cursor = node.walk();
        for value in node.children_by_field_name("default_value", &mut cursor) {
            walker.visit(value);
        }
        if let Some(part) = body.or(first_accessor) {
            accessors(walker, part);
        }
    });
}

fn bind_parameter(walker: &mut Walker<'_>, parameter: Node<'_>) {
    let ty = named_children(parameter).into_iter().find(|child| is_type(*child));
    let Some(name) = parameter.field("name").filter(|name| name.kind() == "simple_identifier") else { return };
    let mut text = ty.map(|ty| type_text(walker, ty)).unwrap_or_default();
    if has_child(parameter, "...") {
        text = format!("[{text}]");
    }
    walker.bind(name, Some(&text), NONE, parameter.end_byte());
    if let Some(ty) = ty {
        types(walker, ty, Role::ParamType);
    }
}

/// XCTest: `testX()` in a class of test cases.
fn is_xctest(walker: &Walker<'_>, name: &str) -> bool {
    let Some(class) = walker.enclosing_type().filter(|_| name.starts_with("test")) else { return false };
    let mut bases = walker.rows.supers.iter().filter(|row| row.sub == class);
    bases.any(|row| walker.string(row.super_type).ends_with("TestCase"))
}

/// Visits the getters and setters of a computed property, which are functions without a name.
fn accessors(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.in_lambda(|walker| {
        walker.for_children(node, |walker, child| match child.kind() {
            "computed_getter" | "computed_setter" | "computed_modify" | "willset_clause" | "didset_clause" => {
                walker.in_scope(|walker| {
                    for name in ["newValue", "oldValue"] {
                        walker.bind_text(name, None, NONE, child.start_byte());
                    }
                    walker.for_children(child, |walker, part| {
                        if part.kind() == "statements" {
                            walker.visit(part);
                        }
                    });
                });
            }
            _ => walker.visit(child),
        });
    });
}

/// `let a: T = .., b = ..`: members, globals or locals.
pub(super) fn properties(walker: &mut Walker<'_>, node: Node<'_>) {
    let member = is_member(walker);
    if walker.in_function() && !member {
        visit_modifiers(walker, node);
        return each_property(walker, node, |walker, one| local(walker, node, &one));
    }
    let (visibility, flags) = modifiers(walker, node);
    let is_let = child_of_kind(node, "value_binding_pattern").is_some_and(|word| walker.text(word) == "let");
    let mut first = true;
    each_property(walker, node, |walker, one| {
        for name in names_of(one.pattern) {
            let kind = match (member, is_let) {
                (true, true) if flags & flag::STATIC != 0 => Kind::Constant,
                (true, _) => Kind::Field,
                (false, true) => Kind::Constant,
                (false, false) => Kind::Variable,
            };
            let mut flags = flags;
            if one.computed.is_some() {
                flags |= flag::ACCESSOR;
            }
            if node.kind() == "protocol_property_declaration" {
                flags |= flag::DECLARATION;
            }
            let large = one.value.filter(|value| matches!(value.kind(), "call_expression" | "lambda_literal"));
            let new = NewDef::new(kind, node, name).body(one.computed.or(large)).visibility(visibility).flags(flags);
            let def = walker.define(new);
            let text = one.ty.map(|ty| type_text(walker, ty)).unwrap_or_default();
            let init = one.value.map_or(NONE, |value| with_type(walker, value, &text));
            let row_text = walker.intern(&text);
            let row = walker.def_mut(def);
            (row.ty, row.init) = (row_text, init);
            let is_first = std::mem::replace(&mut first, false);
            walker.in_def(def, |walker| {
                if is_first {
                    visit_modifiers(walker, node);
                }
                if let Some(ty) = one.ty {
                    types(walker, ty, Role::FieldType);
                }
                if let Some(value) = one.value {
                    walker.in_lambda(|walker| walker.visit(value));
                }
                if let Some(computed) = one.computed {
                    accessors(walker, computed);
                }
            });
        }
    });
}

fn local(walker: &mut Walker<'_>, node: Node<'_>, one: &Property<'_>) {
    let text = one.ty.map(|ty| type_text(walker, ty)).unwrap_or_default();
    if let Some(ty) = one.ty {
        types(walker, ty, Role::Type);
    }
    let init = one.value.map_or(NONE, |value| with_type(walker, value, &text));
    if let Some(value) = one.value {
        walker.visit(value);
    }
    if let Some(computed) = one.computed {
        accessors(walker, computed);
    }
    bind_pattern(walker, one.pattern, &text, init, node.end_byte());
}

/// One name, or one pattern of names, of a declaration.
struct Property<'t> {
    pattern: Node<'t>,
    ty: Option<Node<'t>>,
    value: Option<Node<'t>>,
    computed: Option<Node<'t>>,
}

fn each_property<'t>(walker: &mut Walker<'_>, node: Node<'t>, mut each: impl FnMut(&mut Walker<'_>, Property<'t>)) {
    let mut current: Option<Property<'t>> = None;
    for child in named_children(node) {
        match (child.kind(), current.as_mut()) {
            ("modifiers" | "value_binding_pattern", _) => {}
            ("pattern", _) => {
                let next = Property { pattern: child, ty: None, value: None, computed: None };
                if let Some(done) = current.replace(next) {
                    each(walker, done);
                }
            }
            ("type_annotation", Some(current)) => current.ty = named_children(child).into_iter().find(|child| is_type(*child)),
            ("computed_property" | "willset_didset_block", Some(current)) => current.computed = Some(child),
            ("type_constraints" | "protocol_property_requirements", _) => {}
            (_, Some(current)) => current.value = current.value.or(Some(child)),
            _ => {}
        }
    }
    if let Some(done) = current {
        each(walker, done);
    }
}

/// The names in a pattern.
fn names_of(pattern: Node<'_>) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    let mut pending = vec![pattern];
    while let Some(at) = pending.pop() {
        if at.kind() == "simple_identifier" {
            found.push(at);
        }
        if at.kind() == "pattern" {
            pending.extend(named_children(at).into_iter().rev());
        }
    }
    found
}

/// `case a, b = 1`, `case c(Int, name: String)`.
pub(super) fn enum_entry(walker: &mut Walker<'_>, node: Node<'_>) {
    let mut last = NONE;
    walker.for_children(node, |walker, child| match child.kind() {
        "simple_identifier" => {
            let new = NewDef::new(Kind::EnumMember, node, child).visibility(Visibility::Internal).flags(flag::STATIC);
            last = walker.define(new);
        }
        "enum_type_parameters" if last != NONE => {
            let parts: Vec<_> = named_children(child).into_iter().filter(|part| is_type(*part)).collect();
            let text = line(walker, child);
            let text = walker.intern(&text);
            let row = walker.def_mut(last);
            (row.params, row.ty) = (parts.len() as u16, text);
            walker.owned_by(last, |walker| {
                for part in parts {
                    types(walker, part, Role::FieldType);
                }
            });
        }
        "modifiers" => walker.visit(child),
        _ if last != NONE => walker.owned_by(last, |walker| walker.visit(child)),
        _ => {}
    });
}
