//! TypeScript's types and the declarations that only types have.
//!
//! The names in a type are mentions whose role is the type's position. Types are walked with a stack, because unions of
//! thousands of members are nested that deep; only types with names of their own (functions, objects, conditionals) go through
//! the walker again.

use std::borrow::Cow;

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::exprs::receiver;
use super::{Outer, classes, defs, first_named, key, modules, patterns};
use crate::facts::model::{Kind, NONE, Role, Str, Visibility, flag};
use crate::facts::walker::{NewDef, Walker, one_line};

const TYPE_BYTES: usize = 200;

/// The text of a type or annotation, on one line.
pub(super) fn type_text<'a>(walker: &Walker<'a>, node: Node<'_>) -> Cow<'a, str> {
    let text = walker.text(node);
    let text = text.strip_prefix(':').unwrap_or(text).trim();
    if text.len() > TYPE_BYTES || text.contains('\n') {
        return Cow::Owned(one_line(text, TYPE_BYTES));
    }
    Cow::Borrowed(text)
}

/// Enters a type's text.
pub(super) fn set_type(walker: &mut Walker<'_>, def: u32, node: Node<'_>) {
    let text = type_text(walker, node);
    let ty: Str = walker.intern(&text);
    walker.def_mut(def).ty = ty;
}

/// The object type that an annotation or type is, if it is one.
pub(super) fn object_type(node: Node<'_>) -> Option<Node<'_>> {
    let mut node = node;
    while matches!(node.kind(), "type_annotation" | "parenthesized_type" | "readonly_type") {
        node = first_named(node)?;
    }
    (node.kind() == "object_type").then_some(node)
}

/// A type in no more precise position.
pub(super) fn plain_type(walker: &mut Walker<'_>, node: Node<'_>) {
    visit_type(walker, node, Role::Type);
}

/// `<A, B>` behind a name.
pub(super) fn type_arguments(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.for_children(node, |walker, child| visit_type(walker, child, Role::GenericArg));
}

/// `<T>value`: the brackets hold a type, not an argument.
pub(super) fn type_assertion(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.for_children(node, |walker, child| {
        if child.kind() == "type_arguments" {
            walker.for_children(child, |walker, ty| visit_type(walker, ty, Role::Type));
        } else {
            walker.visit(child);
        }
    });
}

/// Records the names in a type.
pub(super) fn visit_type(walker: &mut Walker<'_>, node: Node<'_>, role: Role) {
    let mut node = node;
    while node.kind() == "type_annotation" {
        let Some(inner) = first_named(node) else { return };
        node = inner;
    }
    match node.kind() {
        "predefined_type" | "literal_type" => return,
        "type_identifier" => {
            walker.reference(node, role, NONE);
            return;
        }
        _ => {}
    }
    let mut stack = vec![(node, role)];
    while let Some((node, role)) = stack.pop() {
        one_type(walker, node, role, &mut stack);
    }
}

fn one_type<'t>(walker: &mut Walker<'_>, node: Node<'t>, role: Role, stack: &mut Vec<(Node<'t>, Role)>) {
    match node.kind() {
        "type_identifier" => {
            walker.reference(node, role, NONE);
        }
        "nested_type_identifier" => {
            let (Some(module), Some(name)) = (node.field("module"), node.field("name")) else {
                return;
            };
            let recv = receiver(walker, module);
            walker.reference(name, role, recv);
            qualifier(walker, module);
        }
        "generic_type" => {
            if let Some(arguments) = node.field("type_arguments") {
                push(stack, arguments, Role::GenericArg);
            }
            if let Some(name) = node.field("name") {
                stack.push((name, role));
            }
        }
        "type_predicate" => {
            if let Some(ty) = node.field("type") {
                stack.push((ty, role));
            }
        }
        "required_parameter" | "optional_parameter" => {
            if let Some(ty) = node.field("type") {
                stack.push((ty, role));
            }
        }
        "infer_type" => {
            let mut cursor = node.walk();
            for (index, child) in node.named_children(&mut cursor).enumerate() {
                if index == 0 {
                    walker.bind(child, None, NONE, child.start_byte());
                } else {
                    stack.push((child, Role::Type));
                }
            }
        }
        "predefined_type" | "literal_type" | "this_type" | "existential_type" | "comment" | "string_fragment" | "identifier" => {}
        "type_query" => walker.visit_children(node),
        "type_annotation"
        | "asserts_annotation"
        | "type_predicate_annotation"
        | "asserts"
        | "parenthesized_type"
        | "array_type"
        | "readonly_type"
        | "optional_type"
        | "rest_type"
        | "union_type"
        | "intersection_type"
        | "tuple_type"
        | "flow_maybe_type"
        | "index_type_query"
        | "template_literal_type"
        | "template_type"
        | "lookup_type"
        | "constraint"
        | "default_type"
        | "omitting_type_annotation"
        | "adding_type_annotation"
        | "opting_type_annotation" => {
            push(stack, node, role);
        }
        _ => walker.visit(node),
    }
}

fn push<'t>(stack: &mut Vec<(Node<'t>, Role)>, node: Node<'t>, role: Role) {
    let from = stack.len();
    let mut cursor = node.walk();
    stack.extend(node.named_children(&mut cursor).map(|child| (child, role)));
    stack[from..].reverse();
}

/// What stands before a qualified type's name: modules, all of them.
fn qualifier(walker: &mut Walker<'_>, node: Node<'_>) {
    if node.kind() == "identifier" {
        walker.reference(node, Role::Type, NONE);
    } else {
        walker.visit(node);
    }
}

/// A type with names of its own: function, constructor, object, conditional.
pub(super) fn scoped_type(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.in_scope(|walker| match node.kind() {
        "function_type" | "constructor_type" => signature_types(walker, node),
        "object_type" => walker.for_children(node, |walker, child| match child.kind() {
            "property_signature" => {
                if let Some(annotation) = child.field("type") {
                    visit_type(walker, annotation, Role::FieldType);
                }
            }
            _ => untold_member(walker, child),
        }),
        _ => walker.for_children(node, |walker, child| visit_type(walker, child, Role::Type)),
    });
}

/// A member of an object type that is no definition.
fn untold_member(walker: &mut Walker<'_>, node: Node<'_>) {
    match node.kind() {
        "method_signature" | "call_signature" | "construct_signature" => walker.in_scope(|walker| signature_types(walker, node)),
        "index_signature" => {
            if let Some(index) = node.field("index_type") {
                visit_type(walker, index, Role::Type);
            }
            walker.for_children(node, |walker, child| {
                if child.kind() == "mapped_type_clause" {
                    mapped(walker, child);
                }
            });
            if let Some(ty) = node.field("type") {
                visit_type(walker, ty, Role::FieldType);
            }
        }
        _ => walker.visit(node),
    }
}

fn mapped(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(name) = node.field("name") {
        walker.bind(name, None, NONE, name.start_byte());
    }
    for field in ["type", "alias"] {
        if let Some(ty) = node.child_by_field_name(field) {
            visit_type(walker, ty, Role::Type);
        }
    }
}

fn signature_types(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(parameters) = node.field("type_parameters") {
        type_parameters(walker, parameters);
    }
    if let Some(parameters) = node.field("parameters") {
        patterns::parameters(walker, node, parameters, None);
    }
    for field in ["return_type", "type"] {
        if let Some(result) = node.child_by_field_name(field) {
            visit_type(walker, result, Role::ReturnType);
        }
    }
}

/// `<T extends Base = Default>`: names of the scope around.
pub(super) fn type_parameters(walker: &mut Walker<'_>, node: Node<'_>) {
    let whole = node.parent().unwrap_or(node);
    // Only the arguments of a type are told by a receiver.
    let of_type = matches!(
        whole.kind(),
        "class_declaration" | "abstract_class_declaration" | "class" | "interface_declaration" | "type_alias_declaration"
    );
    let mut position = 0;
    walker.for_children(node, |walker, child| {
        if let Some(name) = child.field("name") {
            walker.bind(name, None, NONE, name.start_byte());
            let bound = child.field("constraint").map_or("", |bound| walker.text(bound).trim_start());
            let bound = bound.strip_prefix("extends").unwrap_or(bound).trim();
            let text = walker.text(name);
            walker.generic(text, bound, whole, if of_type { position } else { NONE });
            position += 1;
        }
        for field in ["constraint", "value"] {
            if let Some(ty) = child.child_by_field_name(field) {
                visit_type(walker, ty, Role::Type);
            }
        }
    });
}

/// Records a supertype written as a type.
pub(super) fn super_of(walker: &mut Walker<'_>, node: Node<'_>, def: u32, role: Role) {
    let (name, arguments) = match node.kind() {
        "generic_type" => (node.field("name"), node.field("type_arguments")),
        "type_identifier" | "nested_type_identifier" | "identifier" => (Some(node), None),
        _ => return visit_type(walker, node, Role::Type),
    };
    if let Some(name) = name {
        let text = walker.text(name);
        let place = name.field("name").unwrap_or(name);
        walker.supertype(def, "", place, text, role, false);
        if let Some(module) = name.field("module") {
            qualifier(walker, module);
        }
    }
    if let Some(arguments) = arguments {
        type_arguments(walker, arguments);
    }
}

// ----- declarations

/// Any declaration, inside `export`, `declare` or an ambient module.
pub(super) fn declared<'t>(walker: &mut Walker<'_>, node: Node<'t>, outer: Outer<'t>) {
    let solid = Outer { flags: outer.flags & !flag::DECLARATION, ..outer };
    match node.kind() {
        "function_declaration" | "generator_function_declaration" | "function_signature" => {
            defs::declared_function(walker, node, outer);
        }
        "class_declaration" | "abstract_class_declaration" => classes::declared_class(walker, node, solid),
        "lexical_declaration" | "variable_declaration" | "using_declaration" => defs::declared_variables(walker, node, outer),
        "interface_declaration" => declared_interface(walker, node, solid),
        "type_alias_declaration" => declared_alias(walker, node, solid),
        "enum_declaration" => declared_enum(walker, node, solid),
        "module" | "internal_module" => declared_namespace(walker, node, outer),
        "import_alias" => modules::declared_import_alias(walker, node, solid),
        "ambient_declaration" => declared_ambient(walker, node, outer),
        _ => walker.visit(node),
    }
}

/// `declare ...`.
pub(super) fn ambient(walker: &mut Walker<'_>, node: Node<'_>) {
    declared_ambient(walker, node, Outer::default());
}

fn declared_ambient<'t>(walker: &mut Walker<'_>, node: Node<'t>, outer: Outer<'t>) {
    let outer = Outer { node: outer.node.or(Some(node)), flags: outer.flags | flag::DECLARATION };
    walker.for_children(node, |walker, child| match child.kind() {
        // `declare global { }` adds to the global names: no module of its own.
        "statement_block" => ambient_body(walker, child),
        "property_identifier" | "comment" => {}
        _ => declared(walker, child, outer),
    });
}

fn ambient_body(walker: &mut Walker<'_>, body: Node<'_>) {
    walker.for_children(body, |walker, child| match child.kind() {
        "export_statement" | "import_statement" => walker.visit(child),
        "expression_statement" => match first_named(child).filter(|inner| inner.kind() == "internal_module") {
            Some(inner) => declared(walker, inner, Outer { node: None, flags: flag::EXPORTED | flag::DECLARATION }),
            None => walker.visit(child),
        },
        _ => declared(walker, child, Outer { node: None, flags: flag::EXPORTED | flag::DECLARATION }),
    });
}

/// `namespace A {}`, `module "m" {}`.
pub(super) fn namespace(walker: &mut Walker<'_>, node: Node<'_>) {
    declared_namespace(walker, node, Outer::default());
}

/// [`namespace`] inside `export` or `declare`.
pub(super) fn declared_namespace<'t>(walker: &mut Walker<'_>, node: Node<'t>, outer: Outer<'t>) {
    let Some(name) = node.field("name") else { return walker.visit_children(node) };
    let body = node.field("body");
    let (place, text) = key(walker, name);
    let def = walker.define_named(outer.new_def(Kind::Module, node, place).body(body), text);
    let Some(body) = body else { return };
    let ambient = outer.flags & flag::DECLARATION != 0;
    walker.in_def(def, |walker| if ambient { ambient_body(walker, body) } else { walker.visit_children(body) });
}

/// `interface Name {}`.
pub(super) fn interface(walker: &mut Walker<'_>, node: Node<'_>) {
    declared_interface(walker, node, Outer::default());
}

fn declared_interface<'t>(walker: &mut Walker<'_>, node: Node<'t>, outer: Outer<'t>) {
    let (Some(name), body) = (node.field("name"), node.field("body")) else {
        return walker.visit_children(node);
    };
    let def = walker.define(outer.new_def(Kind::Interface, node, name).body(body));
    walker.in_def(def, |walker| {
        walker.for_children(node, |walker, child| match child.kind() {
            "type_parameters" => type_parameters(walker, child),
            "extends_type_clause" => walker.for_children(child, |walker, base| super_of(walker, base, def, Role::Extends)),
            _ => {}
        });
        if let Some(body) = body {
            told_members(walker, body);
        }
    });
}

/// The members of an interface or of an object type that a name stands for.
fn told_members(walker: &mut Walker<'_>, body: Node<'_>) {
    walker.for_children(body, |walker, child| match child.kind() {
        "property_signature" => {
            let Some(name) = child.field("name") else { return };
            let (place, text) = key(walker, name);
            let new = NewDef::new(Kind::Field, child, place).visibility(Visibility::Public).flags(flag::DECLARATION);
            let def = walker.define_named(new, text);
            defs::declared_type(walker, child, def, Role::FieldType);
        }
        "method_signature" => defs::method(walker, child, None, false),
        "comment" => {}
        _ => untold_member(walker, child),
    });
}

/// `type Name = ..`.
pub(super) fn alias(walker: &mut Walker<'_>, node: Node<'_>) {
    declared_alias(walker, node, Outer::default());
}

fn declared_alias<'t>(walker: &mut Walker<'_>, node: Node<'t>, outer: Outer<'t>) {
    let (Some(name), Some(value)) = (node.field("name"), node.field("value")) else {
        return walker.visit_children(node);
    };
    let object = object_type(value);
    let def = walker.define(outer.new_def(Kind::TypeAlias, node, name).body(object));
    if object.is_none() {
        set_type(walker, def, value);
    }
    walker.in_def(def, |walker| {
        if let Some(parameters) = node.field("type_parameters") {
            type_parameters(walker, parameters);
        }
        alias_value(walker, value);
    });
}

/// Object types, also those that an intersection adds together, have members that count as the alias's own.
fn alias_value(walker: &mut Walker<'_>, value: Node<'_>) {
    let mut parts = vec![value];
    while let Some(part) = parts.pop() {
        if let Some(object) = object_type(part) {
            told_members(walker, object);
        } else if part.kind() == "intersection_type" {
            let from = parts.len();
            let mut cursor = part.walk();
            parts.extend(part.named_children(&mut cursor));
            parts[from..].reverse();
        } else {
            visit_type(walker, part, Role::Type);
        }
    }
}

/// `enum Name {}`.
pub(super) fn enumeration(walker: &mut Walker<'_>, node: Node<'_>) {
    declared_enum(walker, node, Outer::default());
}

fn declared_enum<'t>(walker: &mut Walker<'_>, node: Node<'t>, outer: Outer<'t>) {
    let (Some(name), Some(body)) = (node.field("name"), node.field("body")) else {
        return walker.visit_children(node);
    };
    let def = walker.define(outer.new_def(Kind::Enum, node, name).body(Some(body)));
    walker.in_def(def, |walker| {
        walker.for_children(body, |walker, child| {
            if child.is_extra() {
                return;
            }
            let name = child.field("name").unwrap_or(child);
            let (place, text) = key(walker, name);
            let member = walker.define_named(NewDef::new(Kind::EnumMember, child, place).visibility(Visibility::Public), text);
            if let Some(value) = child.field("value") {
                defs::initial(walker, member, value);
            }
        });
    });
}
