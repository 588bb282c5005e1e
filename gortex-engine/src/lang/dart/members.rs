//! Dart's declarations: types, members, functions and variables.
//!
//! Knows what a declaration says about itself; statements and expressions are next door.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::values::{bind_parameters, receiver_of_super, type_text, types};
use crate::facts::model::{ExprKind, Kind, NONE, Role, Usage, Visibility, flag};
use crate::facts::walker::{NewDef, Walker};
use crate::lang::common::arg_count;
use crate::lang::nodes::{child_of_kind, has_child, named_children};

/// A leading `_` hides a name from other libraries.
fn visibility(walker: &Walker<'_>, name: Node<'_>) -> (Visibility, u16) {
    if walker.text(name).starts_with('_') { (Visibility::Private, 0) } else { (Visibility::Public, flag::EXPORTED) }
}

pub(super) fn type_declaration(walker: &mut Walker<'_>, node: Node<'_>) {
    let applied = child_of_kind(node, "mixin_application_class");
    let name = node.field("name").or_else(|| applied?.named_child(0));
    let Some(name) = name else { return walker.visit_children(node) };
    let word = if name.kind() == "extension_type_name" { name.named_child(0).unwrap_or(name) } else { name };
    let kind = match node.kind() {
        "mixin_declaration" => Kind::Trait,
        "enum_declaration" => Kind::Enum,
        _ => Kind::Class,
    };
    let body = node.field("body");
    let (visibility, flags) = visibility(walker, word);
    let def = walker.define(NewDef::new(kind, node, word).body(body).visibility(visibility).flags(flags));
    walker.in_def(def, |walker| {
        visit_annotations(walker, node);
        if let Some(parameters) = child_of_kind(node, "type_parameters") {
            type_parameters(walker, parameters);
        }
        headers(walker, applied.unwrap_or(node), def);
        if let Some(parts) = node.field("representation") {
            representation(walker, parts);
        }
        if let Some(body) = body {
            walker.visit(body);
        }
    });
}

pub(super) fn visit_annotations(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.for_children(node, |walker, child| {
        if child.kind() == "annotation" {
            walker.visit(child);
        }
    });
}

/// `extends`, `with`, `implements`, `on`.
fn headers(walker: &mut Walker<'_>, node: Node<'_>, def: u32) {
    walker.for_children(node, |walker, child| match child.kind() {
        "superclass" | "mixin_application" => walker.nested(|walker| headers(walker, child, def)),
        "mixins" => walker.for_children(child, |walker, ty| supertype(walker, def, ty, Role::Extends, true)),
        "interfaces" => walker.for_children(child, |walker, ty| supertype(walker, def, ty, Role::Implements, false)),
        "type" => supertype(walker, def, child, Role::Extends, false),
        _ => {}
    });
}

fn supertype(walker: &mut Walker<'_>, def: u32, ty: Node<'_>, role: Role, embeds: bool) {
    let parts = named_children(ty);
    let words: Vec<_> = parts.iter().copied().filter(|word| word.kind() == "type_identifier").collect();
    let Some(last) = words.last().copied() else { return };
    let text = words.iter().map(|word| walker.text(*word)).collect::<Vec<_>>().join(".");
    walker.supertype(def, "", last, &text, role, embeds);
    for arguments in parts.into_iter().filter(|part| part.kind() == "type_arguments") {
        walker.for_children(arguments, |walker, child| types(walker, child, Role::GenericArg));
    }
}

/// Type parameters are locals of their declaration; their bounds are mentioned.
pub(super) fn type_parameters(walker: &mut Walker<'_>, list: Node<'_>) {
    for parameter in named_children(list) {
        let Some(name) = parameter.field("name") else { continue };
        let bound = parameter.field("bound");
        let text = bound.map(|bound| type_text(walker, bound));
        walker.bind(name, text.as_deref(), NONE, list.start_byte());
        if let Some(bound) = bound {
            types(walker, bound, Role::Type);
        }
    }
}

/// The one field of an extension type.
fn representation(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(name) = node.field("name") {
        field(walker, node, name, node.field("type"), None, 0);
    }
}

/// `extension E on T { .. }`: members of `T`.
pub(super) fn extension(walker: &mut Walker<'_>, node: Node<'_>) {
    let name = node.field("name");
    let body = node.field("body");
    let Some(ty) = node.field("class") else { return walker.visit_children(node) };
    let mut new = NewDef::new(Kind::Class, node, name.unwrap_or(node)).body(body);
    new.name = name;
    if let Some(name) = name {
        let (visibility, flags) = visibility(walker, name);
        new = new.visibility(visibility).flags(flags);
    }
    let def = walker.define(new);
    let before = walker.rows.defs.len();
    walker.in_def(def, |walker| {
        if let Some(parameters) = child_of_kind(node, "type_parameters") {
            type_parameters(walker, parameters);
        }
        types(walker, ty, Role::Type);
        if let Some(body) = body {
            walker.visit(body);
        }
    });
    let text = type_text(walker, ty);
    let text = walker.intern(text.split('<').next().unwrap_or(""));
    for member in walker.rows.defs[before..].iter_mut().filter(|member| member.parent == def) {
        member.owner_type = text;
    }
}

pub(super) fn type_alias(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = child_of_kind(node, "type_identifier") else { return };
    let (visibility, flags) = visibility(walker, name);
    let def = walker.define(NewDef::new(Kind::TypeAlias, node, name).visibility(visibility).flags(flags));
    let ty = child_of_kind(node, "type");
    // The older form of a function type puts its result in front.
    if let Some(ty) = ty.filter(|ty| ty.start_byte() > name.start_byte()) {
        let text = type_text(walker, ty);
        walker.def_mut(def).ty = walker.intern(&text);
    }
    walker.in_def(def, |walker| {
        for child in named_children(node) {
            match child.kind() {
                "type_parameters" => type_parameters(walker, child),
                "type" => types(walker, child, Role::Type),
                "formal_parameter_list" => bind_parameters(walker, child),
                _ => {}
            }
        }
    });
}

pub(super) fn enum_entry(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = node.field("name") else { return };
    let flags = flag::STATIC | flag::EXPORTED;
    let def = walker.define(NewDef::new(Kind::EnumMember, node, name).visibility(Visibility::Public).flags(flags));
    let owner = walker.owner();
    walker.owned_by(def, |walker| {
        let list = child_of_kind(node, "arguments");
        if let Some(list) = list {
            if owner != NONE {
                let ty = walker.string(walker.def(owner).name).to_owned();
                let row = walker.reference_named(name, &ty, Role::Instantiate, NONE);
                walker.call_detail(row, Some(arg_count(list)), Usage::Assigned);
            }
            walker.visit(list);
        }
        visit_annotations(walker, node);
    });
}

/// A member of a type: a field, a constructor, a method, an accessor.
pub(super) fn member_declaration(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(inner) = named_children(node).into_iter().find(|child| child.kind() != "annotation") else { return };
    let signature = inner.field("signature").unwrap_or(inner);
    let is_static = has_child(signature, "static") || has_child(inner, "static");
    let mut flags = if is_static { flag::STATIC } else { 0 };
    for annotation in named_children(node).into_iter().chain(named_children(inner)) {
        if annotation.kind() == "annotation" {
            let name = annotation.field("name").map_or("", |name| walker.text(name));
            flags |= if name == "override" { flag::OVERRIDE } else { flag::DECORATED };
        }
    }
    let specific = named_children(signature).into_iter().find(|child| child.kind().ends_with("_signature"));
    match specific {
        Some(specific) if specific.kind().contains("constructor") => constructor(walker, node, inner, specific, flags),
        Some(specific) => callable(walker, node, inner, specific, flags),
        None => fields(walker, node, inner, flags),
    }
}

fn fields(walker: &mut Walker<'_>, node: Node<'_>, inner: Node<'_>, flags: u16) {
    let ty = child_of_kind(inner, "type");
    let is_const = has_child(inner, "const");
    let lists = named_children(inner).into_iter().filter(|child| child.kind().ends_with("_list"));
    for one in lists.flat_map(named_children) {
        let Some(name) = one.field("name") else { continue };
        let flags = if is_const { flags | flag::STATIC } else { flags };
        field(walker, node, name, ty, one.field("value"), flags);
    }
    visit_annotations(walker, node);
    visit_annotations(walker, inner);
}

/// A field, constant or variable with its value inside it.
fn field(walker: &mut Walker<'_>, node: Node<'_>, name: Node<'_>, ty: Option<Node<'_>>, value: Option<Node<'_>>, flags: u16) {
    let is_const = flags & flag::STATIC != 0 && (node.kind() != "member_declaration" || walker.text(node).contains("const "));
    let kind = match (walker.owner() == NONE, is_const) {
        (_, true) => Kind::Constant,
        (true, false) => Kind::Variable,
        (false, false) => Kind::Field,
    };
    let (visibility, exported) = visibility(walker, name);
    let large = value.filter(|value| matches!(value.kind(), "function_expression" | "list_literal" | "set_or_map_literal"));
    let def = walker.define(NewDef::new(kind, node, name).body(large).visibility(visibility).flags(flags | exported));
    let text = ty.map(|ty| type_text(walker, ty)).unwrap_or_default();
    let init = value.map_or(NONE, |value| walker.expr_of(value));
    let text = walker.intern(&text);
    let row = walker.def_mut(def);
    (row.ty, row.init) = (text, init);
    walker.in_def(def, |walker| {
        if let Some(ty) = ty {
            types(walker, ty, Role::FieldType);
        }
        if let Some(value) = value {
            walker.visit(value);
        }
    });
}

/// `final a = 1, b = 2;` at the top of a file.
pub(super) fn variables(walker: &mut Walker<'_>, node: Node<'_>) {
    let ty = child_of_kind(node, "type");
    let flags = if has_child(node, "const") { flag::STATIC } else { 0 };
    let lists = named_children(node).into_iter().filter(|child| child.kind().ends_with("_list"));
    for one in lists.flat_map(named_children) {
        if let Some(name) = one.field("name") {
            field(walker, node, name, ty, one.field("value"), flags);
        }
    }
    visit_annotations(walker, node);
}

/// A function at the top of a file or in another one.
pub(super) fn function(walker: &mut Walker<'_>, node: Node<'_>) {
    let signature = node.field("signature");
    let signature = signature.or_else(|| named_children(node).into_iter().find(|child| child.kind().ends_with("_signature")));
    let Some(signature) = signature else { return walker.visit_children(node) };
    callable(walker, node, node, signature, 0);
}

/// Parameters that a list declares.
fn parameters(list: Node<'_>) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    for child in named_children(list) {
        match child.kind() {
            "optional_formal_parameters" => {
                found.extend(named_children(child).into_iter().filter(|child| child.kind() == "formal_parameter"));
            }
            "formal_parameter" => found.push(child),
            _ => {}
        }
    }
    found
}

fn body_of(inner: Node<'_>) -> Option<Node<'_>> {
    inner.field("body").or_else(|| child_of_kind(inner, "function_body"))
}

/// A function, method, operator or accessor.
fn callable(walker: &mut Walker<'_>, node: Node<'_>, inner: Node<'_>, signature: Node<'_>, flags: u16) {
    let name = signature.field("name").or_else(|| signature.field("operator"));
    let Some(name) = name else { return walker.visit_children(node) };
    let body = body_of(inner);
    let (visibility, exported) = visibility(walker, name);
    let mut flags = flags | exported;
    if matches!(signature.kind(), "getter_signature" | "setter_signature") {
        flags |= flag::ACCESSOR;
    }
    if let Some(body) = body {
        for (word, bit) in [("async", flag::ASYNC), ("async*", flag::ASYNC | flag::GENERATOR), ("sync*", flag::GENERATOR)] {
            if has_child(body, word) {
                flags |= bit;
            }
        }
    }
    let member = node.kind() == "member_declaration";
    if member && body.is_none() {
        flags |= flag::DECLARATION;
    }
    let kind = if member { Kind::Method } else { Kind::Function };
    let def = walker.define(NewDef::new(kind, node, name).body(body).visibility(visibility).flags(flags));
    let list = child_of_kind(signature, "formal_parameter_list");
    let result = signature.field("return_type");
    let text = result.map(|ty| type_text(walker, ty)).unwrap_or_default();
    let text = walker.intern(&text);
    let count = list.map_or(0, |list| parameters(list).len());
    let row = walker.def_mut(def);
    (row.params, row.ty) = (count as u16, text);
    walker.in_def(def, |walker| {
        visit_annotations(walker, node);
        visit_annotations(walker, inner);
        if let Some(list) = child_of_kind(signature, "type_parameters") {
            type_parameters(walker, list);
        }
        if let Some(ty) = result {
            types(walker, ty, Role::ReturnType);
        }
        if let Some(list) = list {
            bind_parameters(walker, list);
        }
        if let Some(body) = body {
            walker.visit(body);
        }
    });
}

/// `A(..)`, `A.named(..)`, with initialisers or another constructor behind.
fn constructor(walker: &mut Walker<'_>, node: Node<'_>, inner: Node<'_>, signature: Node<'_>, flags: u16) {
    let mut cursor = signature.walk();
    let names: Vec<_> = signature.children_by_field_name("name", &mut cursor).filter(|name| name.is_named()).collect();
    let Some(first) = names.first().copied() else { return walker.visit_children(node) };
    let named = names.get(1).copied();
    let word = named.map_or("new", |name| walker.text(name));
    let body = body_of(inner);
    let (visibility, exported) = visibility(walker, named.unwrap_or(first));
    let list = child_of_kind(signature, "formal_parameter_list");
    let end = body.or_else(|| child_of_kind(inner, "initializers")).or_else(|| child_of_kind(inner, "redirection"));
    let new = NewDef::new(Kind::Constructor, node, named.unwrap_or(first)).body(end).visibility(visibility);
    let def = walker.define_named(new.flags(flags | exported), word);
    walker.def_mut(def).params = list.map_or(0, |list| parameters(list).len()) as u16;
    walker.in_def(def, |walker| {
        visit_annotations(walker, node);
        visit_annotations(walker, inner);
        if let Some(list) = list {
            bind_parameters(walker, list);
        }
        if let Some(target) = signature.field("target") {
            types(walker, target, Role::Type);
        }
        for part in named_children(inner) {
            match part.kind() {
                "initializers" => walker.for_children(part, |walker, entry| initializer(walker, entry)),
                "redirection" => initializer(walker, part),
                _ => {}
            }
        }
        if let Some(body) = body {
            walker.visit(body);
        }
    });
}

/// `field = value`, `super.named(..)`, `this(..)`.
fn initializer(walker: &mut Walker<'_>, entry: Node<'_>) {
    if let Some(assigned) = child_of_kind(entry, "field_initializer") {
        if let Some(name) = assigned.field("name") {
            let recv = walker.expr(ExprKind::SelfRef, "", NONE, name);
            walker.reference(name, Role::Write, recv);
        }
        return walker.visit_field(assigned, "value");
    }
    let word = entry.child(0).filter(|word| matches!(word.kind(), "super" | "this"));
    let list = child_of_kind(entry, "arguments");
    if let (Some(word), Some(list)) = (word, list) {
        let recv = receiver_of_super(walker, word);
        let named = child_of_kind(entry, "identifier");
        let name = named.map_or("new", |name| walker.text(name));
        let row = walker.reference_named(named.unwrap_or(word), name, Role::Call, recv);
        walker.call_detail(row, Some(arg_count(list)), Usage::Discarded);
        return walker.visit(list);
    }
    walker.visit_children(entry);
}
