//! PHP's declarations: types, their members, functions and closures.
//!
//! Knows what a declaration says about itself; expressions are next door.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::values::{bind_parameters, mention, name_text, type_text, types};
use super::{docs, last_name};
use crate::facts::model::{Kind, NONE, Role, Visibility, flag};
use crate::facts::walker::{NewDef, Walker};
use crate::lang::nodes::{child_of_kind, has_child, named_children};

/// What the modifiers of a declaration say.
pub(super) fn modifiers(walker: &Walker<'_>, node: Node<'_>) -> (Visibility, u16) {
    let mut visibility = Visibility::Public;
    let mut flags = 0;
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        match child.kind() {
            "visibility_modifier" => {
                visibility = match walker.text(child) {
                    text if text.starts_with("private") => Visibility::Private,
                    text if text.starts_with("protected") => Visibility::Protected,
                    _ => Visibility::Public,
                }
            }
            "static_modifier" => flags |= flag::STATIC,
            "attribute_list" => {
                for group in named_children(child) {
                    for one in named_children(group) {
                        match one.named_child(0).map_or("", |name| walker.text(last_name(name))) {
                            "Test" => flags |= flag::TEST | flag::DECORATED,
                            "Override" => flags |= flag::OVERRIDE,
                            _ => flags |= flag::DECORATED,
                        }
                    }
                }
            }
            _ => {}
        }
    }
    (visibility, flags)
}

/// The definitions in attributes and their arguments.
fn visit_attributes(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.visit_field(node, "attributes");
}

pub(super) fn type_declaration(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = node.field("name") else { return walker.visit_children(node) };
    let kind = match node.kind() {
        "interface_declaration" => Kind::Interface,
        "trait_declaration" => Kind::Trait,
        "enum_declaration" => Kind::Enum,
        _ => Kind::Class,
    };
    let body = node.field("body");
    let (visibility, flags) = modifiers(walker, node);
    let new = NewDef::new(kind, node, name).body(body).visibility(visibility).flags((flags & !flag::TEST) | flag::EXPORTED);
    let def = walker.define(new);
    walker.in_def(def, |walker| {
        visit_attributes(walker, node);
        headers(walker, node, def);
        if let Some(body) = body {
            walker.visit_children(body);
        }
    });
}

fn headers(walker: &mut Walker<'_>, node: Node<'_>, def: u32) {
    walker.for_children(node, |walker, clause| {
        let role = match clause.kind() {
            "base_clause" => Role::Extends,
            "class_interface_clause" => Role::Implements,
            _ => return,
        };
        walker.for_children(clause, |walker, name| supertype(walker, def, name, role, false));
    });
}

fn supertype(walker: &mut Walker<'_>, def: u32, name: Node<'_>, role: Role, embeds: bool) {
    if matches!(name.kind(), "name" | "qualified_name" | "relative_name") {
        let text = walker.text(name);
        walker.supertype(def, "", last_name(name), text, role, embeds);
    }
}

/// `use A, B { .. }` inside a class: its members become the class's own.
pub(super) fn trait_use(walker: &mut Walker<'_>, node: Node<'_>) {
    let owner = walker.owner();
    if owner == NONE {
        return;
    }
    walker.for_children(node, |walker, child| supertype(walker, owner, child, Role::Extends, true));
}

pub(super) fn anonymous_class(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.for_children(node, |walker, child| {
        if child.kind() == "arguments" {
            walker.visit(child);
        }
    });
    let body = node.field("body");
    let owner = walker.owner();
    let from = if owner == NONE { 0 } else { owner as usize };
    let siblings = walker.rows.defs[from..].iter().filter(|row| row.parent == owner && row.has(flag::ANONYMOUS)).count();
    let mut new = NewDef::new(Kind::Class, node, node).body(body).visibility(Visibility::Private).flags(flag::ANONYMOUS);
    new.name = None;
    let def = walker.define_named(new, &format!("${}", siblings + 1));
    walker.in_def(def, |walker| {
        visit_attributes(walker, node);
        headers(walker, node, def);
        if let Some(body) = body {
            walker.visit_children(body);
        }
    });
}

/// Constants of a file or type.
pub(super) fn constants(walker: &mut Walker<'_>, node: Node<'_>) {
    let (visibility, flags) = modifiers(walker, node);
    let ty = node.field("type");
    walker.for_children(node, |walker, element| {
        if element.kind() != "const_element" {
            return;
        }
        let parts = named_children(element);
        let Some(name) = parts.first().copied() else { return };
        let flags = flags | flag::STATIC | flag::EXPORTED;
        let mut new = NewDef::new(Kind::Constant, node, name).visibility(visibility).flags(flags);
        new.body = parts.get(1).copied().filter(|value| value.kind() == "array_creation_expression");
        let def = walker.define(new);
        let text = ty.map_or_else(Default::default, |ty| type_text(walker, ty));
        let init = parts.get(1).map_or(NONE, |value| walker.expr_of(*value));
        let text = walker.intern(&text);
        let row = walker.def_mut(def);
        (row.ty, row.init) = (text, init);
        walker.owned_by(def, |walker| {
            if let Some(ty) = ty {
                types(walker, ty, Role::FieldType);
            }
            if let Some(value) = parts.get(1) {
                walker.visit(*value);
            }
        });
    });
}

/// `private ?T $a = .., $b;`
pub(super) fn properties(walker: &mut Walker<'_>, node: Node<'_>) {
    let (visibility, flags) = modifiers(walker, node);
    let ty = node.field("type");
    let declared = match ty {
        Some(ty) => type_text(walker, ty).into_owned(),
        None => docs::single(docs::above(walker, node), "@var").to_owned(),
    };
    let hooks = child_of_kind(node, "property_hook_list");
    walker.for_children(node, |walker, element| {
        let Some(name) = element.field("name").filter(|_| element.kind() == "property_element") else { return };
        let Some(word) = child_of_kind(name, "name") else { return };
        let value = element.field("default_value");
        let large = value.filter(|value| value.kind() == "array_creation_expression");
        let new = NewDef::new(Kind::Field, node, word).body(large.or(hooks)).visibility(visibility);
        let def = walker.define(new.flags(flags | flag::EXPORTED));
        let init = value.map_or(NONE, |value| walker.expr_of(value));
        let text = walker.intern(&declared);
        let row = walker.def_mut(def);
        (row.ty, row.init) = (text, init);
        walker.in_def(def, |walker| {
            visit_attributes(walker, node);
            if let Some(ty) = ty {
                types(walker, ty, Role::FieldType);
            }
            if let Some(value) = value {
                walker.visit(value);
            }
            if let Some(hooks) = hooks {
                walker.for_children(hooks, property_hook);
            }
        });
    });
}

/// `get => ..`, `set(T $v) { .. }`.
fn property_hook(walker: &mut Walker<'_>, hook: Node<'_>) {
    walker.in_lambda(|walker| {
        if let Some(parameters) = hook.field("parameters") {
            bind_parameters(walker, parameters, "");
        }
        walker.visit_field(hook, "body");
    });
}

pub(super) fn enum_case(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = node.field("name") else { return walker.visit_children(node) };
    let new = NewDef::new(Kind::EnumMember, node, name).visibility(Visibility::Public);
    let def = walker.define(new.flags(flag::STATIC | flag::EXPORTED));
    walker.owned_by(def, |walker| {
        visit_attributes(walker, node);
        walker.visit_field(node, "value");
    });
}

/// A function, method or constructor.
pub(super) fn callable(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = node.field("name") else { return walker.visit_children(node) };
    let body = node.field("body");
    let (visibility, mut flags) = modifiers(walker, node);
    flags |= flag::EXPORTED;
    let kind = match node.kind() {
        "function_definition" => Kind::Function,
        _ if walker.text(name) == "__construct" => Kind::Constructor,
        _ => Kind::Method,
    };
    if kind != Kind::Function && body.is_none() {
        flags |= flag::DECLARATION;
    }
    let doc = docs::above(walker, node);
    let list = node.field("parameters");
    let parameters = list.map(named_children).unwrap_or_default();
    if parameters.iter().any(|parameter| parameter.kind() == "variadic_parameter") {
        flags |= flag::VARIADIC;
    }
    if kind == Kind::Method && !flags & flag::TEST != 0 && is_phpunit_test(walker, walker.text(name), doc) {
        flags |= flag::TEST;
    }
    if kind != Kind::Method {
        flags &= !flag::TEST;
    }
    let def = walker.define(NewDef::new(kind, node, name).body(body).visibility(visibility).flags(flags));
    let result = node.field("return_type");
    let text = match result {
        Some(ty) if !matches!(walker.text(ty), "self" | "iterable" | "object") => type_text(walker, ty).into_owned(),
        // What the comment adds to a vague declaration is more precise.
        Some(ty) => match docs::single(doc, "@return") {
            "" => type_text(walker, ty).into_owned(),
            said => said.to_owned(),
        },
        None => docs::single(doc, "@return").to_owned(),
    };
    let text = walker.intern(&text);
    let row = walker.def_mut(def);
    (row.params, row.ty) = (parameters.len() as u16, text);
    if kind == Kind::Constructor {
        promoted(walker, &parameters);
    }
    walker.in_def(def, |walker| {
        visit_attributes(walker, node);
        if let Some(list) = list {
            bind_parameters(walker, list, doc);
        }
        if let Some(ty) = result {
            types(walker, ty, Role::ReturnType);
        }
        if let Some(body) = body {
            walker.visit(body);
        }
    });
}

/// Parameters of a constructor that are fields as well.
fn promoted(walker: &mut Walker<'_>, parameters: &[Node<'_>]) {
    for parameter in parameters.iter().copied().filter(|parameter| parameter.kind() == "property_promotion_parameter") {
        let Some(word) = parameter.field("name").and_then(|name| child_of_kind(name, "name")) else { continue };
        let (visibility, flags) = modifiers(walker, parameter);
        let new = NewDef::new(Kind::Field, parameter, word).visibility(visibility).flags(flags | flag::EXPORTED);
        let def = walker.define(new);
        if let Some(ty) = parameter.field("type") {
            let text = type_text(walker, ty);
            walker.def_mut(def).ty = walker.intern(&text);
        }
    }
}

/// PHPUnit: `testX` in a class that extends a test case, or `@test` in the doc comment.
fn is_phpunit_test(walker: &Walker<'_>, name: &str, doc: &str) -> bool {
    let owner = walker.owner();
    if owner == NONE {
        return false;
    }
    let mut bases = walker.rows.supers.iter().filter(|row| row.sub == owner && row.embeds == 0);
    let is_suite = bases.any(|row| walker.string(row.super_type).contains("Test"))
        || walker.string(walker.def(owner).name).ends_with("Test");
    let tagged = doc.lines().any(|line| line.trim_start_matches([' ', '\t', '*']).trim_end() == "@test");
    is_suite && (tagged || (name.starts_with("test") && walker.def(owner).kind() == Kind::Class))
}

/// `function (..) use (..) { .. }` and `fn (..) => ..`: part of what stands around it.
pub(super) fn closure(walker: &mut Walker<'_>, node: Node<'_>) {
    visit_attributes(walker, node);
    walker.in_lambda(|walker| {
        if let Some(list) = node.field("parameters") {
            bind_parameters(walker, list, "");
        }
        if let Some(ty) = node.field("return_type") {
            types(walker, ty, Role::ReturnType);
        }
        walker.visit_field(node, "body");
    });
}

/// Pest: `test('title', function () { .. })` and `it(..)` are tests under their title.
pub(super) fn titled_test(walker: &mut Walker<'_>, node: Node<'_>, function: Node<'_>, arguments: Node<'_>) -> bool {
    if !matches!(name_text(walker, function), "test" | "it") {
        return false;
    }
    let parts = named_children(arguments);
    let inner = |at: usize| parts.get(at).and_then(|argument| argument.named_child(0));
    let (Some(title), Some(body)) = (inner(0), inner(1)) else { return false };
    let is_test = matches!(title.kind(), "string" | "encapsed_string")
        && matches!(body.kind(), "anonymous_function" | "arrow_function")
        && !has_child(title, "variable_name");
    let Some(content) = child_of_kind(title, "string_content").filter(|_| is_test) else { return false };
    let text = walker.text(content);
    let new = NewDef::new(Kind::Function, node, content).body(Some(body)).flags(flag::TEST);
    let def = walker.define_named(new, text);
    walker.owned_by(def, |walker| {
        mention(walker, function, Role::Call);
        walker.visit(body);
    });
    true
}
