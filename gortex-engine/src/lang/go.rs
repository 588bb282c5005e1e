//! Go.
//!
//! Methods are declared outside their type: their row has no parent and names the receiver's type instead. What a name
//! exports is its first letter. An embedded field is a field named by its type and a supertype at once. The keys of a
//! composite literal are fields of the literal's type (or, where that is a map, expressions); which of them is told by the
//! type's text, and mended at the end for map types that the same file declares.
//!
//! Knows no other file of the package: built-in functions are recorded like any other call, since a package may shadow them.

mod values;

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use self::values::*;
use super::children::named;
use super::common::UsageKinds;
use super::{Action, Family, Hooks, Language, Tier};
use crate::facts::model::{Kind, NONE, Role, Visibility, flag, import_flag};
use crate::facts::walker::{NewDef, Walker, one_line, strip_comment};

/// Go.
pub(super) static GO: Language = Language {
    name: "go",
    tier: Tier::Deep,
    family: Family::Go,
    extensions: &["go"],
    file_names: &[],
    line_comment: "//",
    keywords: "break case chan const continue default defer else fallthrough for func go goto if import interface map package \
        range return select struct switch type var",
    signatures: &["package p\n$ {}\n", "package p\ntype T interface {\n$\n}\n"],
    hoists: false,
    implicit_self: false,
    grammar: || tree_sitter_go::LANGUAGE.into(),
    table: &[
        ("package_clause", Action::Hook(package_clause)),
        ("import_spec", Action::Hook(import_spec)),
        ("const_declaration", Action::Hook(value_declaration)),
        ("var_declaration", Action::Hook(value_declaration)),
        ("type_declaration", Action::Hook(type_declaration)),
        ("function_declaration", Action::Hook(function)),
        ("method_declaration", Action::Hook(function)),
        ("func_literal", Action::Hook(func_literal)),
        ("block", Action::Scope),
        ("if_statement", Action::Scope),
        ("for_statement", Action::Scope),
        ("expression_switch_statement", Action::Scope),
        ("expression_case", Action::Scope),
        ("default_case", Action::Scope),
        ("communication_case", Action::Scope),
        ("type_switch_statement", Action::Hook(type_switch)),
        ("short_var_declaration", Action::Hook(short_var)),
        ("assignment_statement", Action::Hook(assignment)),
        ("inc_statement", Action::Hook(step)),
        ("dec_statement", Action::Hook(step)),
        ("range_clause", Action::Hook(range_clause)),
        ("receive_statement", Action::Hook(receive)),
        ("call_expression", Action::Hook(call)),
        ("type_conversion_expression", Action::Hook(conversion)),
        ("selector_expression", Action::Hook(selector)),
        ("composite_literal", Action::Hook(composite)),
        ("identifier", Action::Hook(identifier)),
        ("type_identifier", Action::Hook(plain_type)),
        ("qualified_type", Action::Hook(plain_type)),
        ("generic_type", Action::Hook(plain_type)),
        ("function_type", Action::Hook(plain_type)),
        ("struct_type", Action::Hook(plain_type)),
        ("interface_type", Action::Hook(plain_type)),
        ("type_arguments", Action::Hook(type_arguments)),
        ("interpreted_string_literal", Action::Skip),
        ("raw_string_literal", Action::Skip),
    ],
    usage: UsageKinds {
        transparent: &["parenthesized_expression", "expression_list", "unary_expression"],
        statement: &["expression_statement"],
        assignment: &["short_var_declaration", "assignment_statement", "var_spec", "const_spec", "range_clause"],
        returns: &["return_statement"],
        argument: &["argument_list"],
        condition: &["if_statement", "for_statement", "for_clause", "expression_switch_statement", "type_switch_statement"],
        spawn: &["go_statement"],
        defer: &["defer_statement"],
    },
    hooks: Hooks { expr: Some(expr), finish: Some(mend_map_keys), ..Hooks::NONE },
};

/// How deep types and elided literals are followed by functions that do not go through the walker's own guard.
const NESTING: u32 = 120;

/// Whether a name is a predeclared type or value, which is never recorded.
fn is_predeclared(name: &str) -> bool {
    matches!(
        name,
        "_" | "any"
            | "bool"
            | "byte"
            | "comparable"
            | "complex64"
            | "complex128"
            | "error"
            | "false"
            | "float32"
            | "float64"
            | "int"
            | "int8"
            | "int16"
            | "int32"
            | "int64"
            | "iota"
            | "nil"
            | "rune"
            | "string"
            | "true"
            | "uint"
            | "uint8"
            | "uint16"
            | "uint32"
            | "uint64"
            | "uintptr"
    )
}

/// The text of a type or value on one line.
fn line<'a>(walker: &Walker<'a>, node: Node<'_>) -> Cow<'a, str> {
    line_of(walker.text(node))
}

fn line_of(text: &str) -> Cow<'_, str> {
    if text.contains(['\n', '\r', '\t']) { Cow::Owned(one_line(text, 240)) } else { Cow::Borrowed(text) }
}

/// Visibility and flags by a name's first letter.
fn exported(name: &str) -> (Visibility, u16) {
    if name.chars().next().is_some_and(char::is_uppercase) {
        (Visibility::Public, flag::EXPORTED)
    } else {
        (Visibility::Internal, 0)
    }
}

/// A definition whose visibility its name tells; nothing inside a function is visible outside.
fn new_def<'t>(walker: &Walker<'_>, kind: Kind, node: Node<'t>, name: Node<'t>) -> NewDef<'t> {
    let (visibility, flags) = if walker.in_function() { (Visibility::Private, 0) } else { exported(walker.text(name)) };
    NewDef::new(kind, node, name).visibility(visibility).flags(flags)
}

// ----- file level

fn package_clause(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = node.named_child(0) else { return };
    let text = walker.text(name);
    walker.package(text);
    let mut comments = Vec::new();
    let mut below = node;
    while let Some(above) = below.prev_sibling().filter(|above| above.kind() == "comment") {
        if below.start_position().row.saturating_sub(above.end_position().row) > 1 {
            break;
        }
        let text = walker.text(above);
        if !(text.starts_with("//go:") || text.starts_with("// +build")) {
            comments.push(strip_comment(text));
        }
        below = above;
    }
    comments.reverse();
    walker.file_doc(&comments.join("\n"));
}

fn import_spec(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(path) = node.field("path") else { return };
    let place = path.named_child(0).unwrap_or(path);
    let module = walker.text(path).trim_matches(['"', '`']);
    let given = node.field("name").map(|name| walker.text(name));
    match given {
        Some(".") => walker.import(place, module, "", "", import_flag::WILDCARD),
        Some("_") => walker.import(place, module, "", "", import_flag::MODULE),
        Some(name) => walker.import(place, module, "", name, import_flag::MODULE),
        None => walker.import(place, module, "", package_name(module), import_flag::MODULE),
    }
}

/// The name a package most likely has by its import path: the last segment without a major version.
fn package_name(path: &str) -> &str {
    let mut segments = path.rsplit('/');
    let last = segments.next().unwrap_or(path);
    let name = if is_version(last) { segments.next().unwrap_or(last) } else { last };
    match name.rsplit_once('.') {
        Some((name, version)) if is_version(version) => name,
        _ => name,
    }
}

fn is_version(segment: &str) -> bool {
    segment.strip_prefix('v').is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// `const` and `var`, single or grouped, at file level or inside a function.
fn value_declaration(walker: &mut Walker<'_>, node: Node<'_>) {
    let kind = if node.kind() == "const_declaration" { Kind::Constant } else { Kind::Variable };
    // A closure in a file-level variable's value is not inside a function definition; its declarations are still local.
    let local = walker.around(1) != "source_file";
    let grouped = node.child(1).is_some_and(|child| matches!(child.kind(), "(" | "var_spec_list"));
    let mut inherited = None;
    let mut each = |walker: &mut Walker<'_>, spec: Node<'_>| {
        if !matches!(spec.kind(), "const_spec" | "var_spec") {
            return;
        }
        let whole = if grouped { spec } else { node };
        let ty = spec.field("type");
        // In a constant group a line without value repeats the type of the line above.
        if ty.is_some() || spec.field("value").is_some() {
            inherited = ty.map(|ty| (ty.start_byte(), ty.end_byte()));
        }
        let repeated = inherited.map(|(from, to)| walker.slice(from, to));
        value_spec(walker, kind, spec, whole, repeated, local);
    };
    if let Some(list) = node.named_child(0).filter(|child| child.kind() == "var_spec_list") {
        walker.for_children(list, &mut each);
    } else {
        walker.for_children(node, &mut each);
    }
}

fn value_spec(walker: &mut Walker<'_>, kind: Kind, spec: Node<'_>, whole: Node<'_>, ty_text: Option<&str>, local: bool) {
    let mut cursor = spec.walk();
    let names: Vec<_> = spec.children_by_field_name("name", &mut cursor).filter(Node::is_named).collect();
    let values: Vec<_> = spec.field("value").map(|list| named_children(list)).unwrap_or_default();
    let ty = spec.field("type");
    let ty_text = ty_text.map(line_of);
    if local {
        if let Some(ty) = ty {
            types(walker, ty, Role::Type, false, 0);
        }
        let end = spec.end_byte();
        for (at, name) in names.iter().enumerate() {
            let value = values.get(at).copied();
            if let Some(value) = value.filter(|value| names.len() == values.len() && value.kind() == "func_literal")
                && walker.in_function()
            {
                bound_function(walker, whole, *name, value);
                continue;
            }
            if walker.text(*name) != "_" {
                let init = init_of(walker, &values, at, names.len());
                walker.bind(*name, ty_text.as_deref(), init, end);
            }
        }
        visit_values(walker, &values, names.len());
        return;
    }
    let mut first = NONE;
    for (at, name) in names.iter().enumerate() {
        let value = values.get(at).copied().filter(|_| names.len() == values.len());
        if let Some(value) = value.filter(|value| value.kind() == "func_literal") {
            bound_function(walker, whole, *name, value);
            continue;
        }
        let mut def = NONE;
        if walker.text(*name) != "_" {
            let new = new_def(walker, kind, whole, *name).body(value.and_then(large_value));
            def = walker.define(new);
            let init = init_of(walker, &values, at, names.len());
            let ty = walker.intern(ty_text.as_deref().unwrap_or(""));
            let row = walker.def_mut(def);
            (row.ty, row.init) = (ty, init);
            first = if first == NONE { def } else { first };
        }
        if let Some(value) = value {
            owned(walker, def, |walker| walker.visit(value));
        }
    }
    owned(walker, first, |walker| {
        if let Some(ty) = ty {
            types(walker, ty, Role::Type, first != NONE, 0);
        }
        if names.len() != values.len() {
            visit_all(walker, &values);
        }
    });
}

/// Where the signature of a variable with a long value ends.
fn large_value(value: Node<'_>) -> Option<Node<'_>> {
    match value.kind() {
        "composite_literal" => value.field("body"),
        "unary_expression" => value.field("operand").and_then(large_value),
        _ => None,
    }
}

fn owned(walker: &mut Walker<'_>, def: u32, body: impl FnOnce(&mut Walker<'_>)) {
    if def == NONE { body(walker) } else { walker.owned_by(def, body) }
}

fn named_children(node: Node<'_>) -> Vec<Node<'_>> {
    named(node).filter(|child| !child.is_extra()).collect()
}

fn visit_some(walker: &mut Walker<'_>, node: Option<Node<'_>>) {
    if let Some(node) = node {
        walker.visit(node);
    }
}

fn visit_all(walker: &mut Walker<'_>, nodes: &[Node<'_>]) {
    for node in nodes {
        walker.visit(*node);
    }
}

// ----- types

/// `type`, single or grouped.
fn type_declaration(walker: &mut Walker<'_>, node: Node<'_>) {
    let grouped = node.child(1).is_some_and(|child| child.kind() == "(");
    walker.for_children(node, |walker, spec| {
        if matches!(spec.kind(), "type_spec" | "type_alias") {
            type_spec(walker, spec, if grouped { spec } else { node });
        }
    });
}

fn type_spec(walker: &mut Walker<'_>, spec: Node<'_>, whole: Node<'_>) {
    let (Some(name), Some(ty)) = (spec.field("name"), spec.field("type")) else {
        return walker.visit_children(spec);
    };
    let is_alias = spec.kind() == "type_alias";
    let (kind, body) = match ty.kind() {
        "struct_type" if !is_alias => (Kind::Struct, ty.named_child(0)),
        "interface_type" if !is_alias => (Kind::Interface, brace(ty)),
        "struct_type" => (Kind::TypeAlias, ty.named_child(0)),
        _ => (Kind::TypeAlias, None),
    };
    let new = new_def(walker, kind, whole, name).body(body);
    let def = walker.define(new);
    if kind == Kind::TypeAlias {
        let text = line(walker, ty);
        walker.def_mut(def).ty = walker.intern(&text);
    }
    walker.in_def(def, |walker| {
        type_parameters(walker, spec);
        types(walker, ty, Role::Type, true, 0);
    });
}

fn brace(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).find(|child| child.kind() == "{")
}

/// Type parameters are locals of their declaration; what constrains them is mentioned.
fn type_parameters(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(list) = node.field("type_parameters") else { return };
    walker.for_children(list, |walker, declaration| {
        let constraint = declaration.field("type");
        let text = constraint.map(|constraint| line(walker, constraint));
        let mut cursor = declaration.walk();
        for name in declaration.children_by_field_name("name", &mut cursor).filter(Node::is_named) {
            walker.bind(name, text.as_deref(), NONE, list.start_byte());
        }
    });
    walker.for_children(list, |walker, declaration| {
        if let Some(constraint) = declaration.field("type") {
            types(walker, constraint, Role::Type, false, 0);
        }
    });
}

fn plain_type(walker: &mut Walker<'_>, node: Node<'_>) {
    types(walker, node, Role::Type, false, 0);
}

fn type_arguments(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.for_children(node, |walker, child| types(walker, child, Role::GenericArg, false, 0));
}

/// Records the mentions in a type. `members`: whether fields and methods of a struct or interface written here are
/// definitions of the current owner; those of a type written inside a function are not.
fn types(walker: &mut Walker<'_>, node: Node<'_>, role: Role, members: bool, depth: u32) {
    if depth > NESTING {
        return;
    }
    let depth = depth + 1;
    match node.kind() {
        "type_identifier" => {
            if !is_predeclared(walker.text(node)) {
                walker.reference(node, role, NONE);
            }
        }
        "qualified_type" => {
            let (Some(package), Some(name)) = (node.field("package"), node.field("name")) else {
                return;
            };
            let recv = walker.expr_of(package);
            walker.reference(name, role, recv);
            walker.reference(package, Role::Type, NONE);
        }
        "generic_type" => walker.for_children(node, |walker, child| {
            let role = if child.kind() == "type_arguments" { Role::GenericArg } else { role };
            types(walker, child, role, false, depth);
        }),
        "array_type" => {
            walker.visit_field(node, "length");
            if let Some(element) = node.field("element") {
                types(walker, element, role, members, depth);
            }
        }
        "pointer_type"
        | "slice_type"
        | "implicit_length_array_type"
        | "map_type"
        | "channel_type"
        | "parenthesized_type"
        | "negated_type"
        | "type_elem"
        | "type_constraint"
        | "type_arguments" => {
            walker.for_children(node, |walker, child| types(walker, child, role, members, depth));
        }
        "function_type" => walker.in_scope(|walker| signature_types(walker, node, false, depth)),
        "struct_type" => {
            if let Some(list) = node.named_child(0) {
                walker.for_children(list, |walker, field| struct_field(walker, field, members, depth));
            }
        }
        "interface_type" => walker.for_children(node, |walker, member| interface_member(walker, member, members, depth)),
        "comment" => {}
        _ => walker.visit(node),
    }
}

/// The name's node of a type that can be embedded: `T`, `pkg.T`, `T[K]`.
fn type_name(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        "type_identifier" => Some(node),
        "qualified_type" => node.field("name"),
        "generic_type" => type_name(node.field("type")?),
        "pointer_type" | "parenthesized_type" => type_name(node.named_child(0)?),
        _ => None,
    }
}

/// What stands around an embedded type's name: package and type arguments.
fn embedded(walker: &mut Walker<'_>, ty: Node<'_>, name: Node<'_>, owner: u32) {
    let bare = if ty.kind() == "generic_type" { ty.field("type").unwrap_or(ty) } else { ty };
    let text = walker.text(bare);
    if !is_predeclared(text) {
        walker.supertype(owner, "", name, text, Role::Extends, true);
    }
    if let Some(package) = bare.field("package") {
        walker.reference(package, Role::Type, NONE);
    }
    if let Some(arguments) = ty.field("type_arguments") {
        walker.visit(arguments);
    }
}

fn struct_field(walker: &mut Walker<'_>, field: Node<'_>, members: bool, depth: u32) {
    if field.kind() != "field_declaration" {
        return;
    }
    let Some(ty) = field.field("type") else { return };
    let mut cursor = field.walk();
    let names: Vec<_> = field.children_by_field_name("name", &mut cursor).filter(Node::is_named).collect();
    if !members {
        return types(walker, ty, Role::FieldType, false, depth);
    }
    let tag = field.field("tag");
    let define = |walker: &mut Walker<'_>, name: Node<'_>, text: &str| {
        let (visibility, flags) = exported(walker.text(name));
        let new = NewDef::new(Kind::Field, field, name).body(tag).visibility(visibility).flags(flags);
        let def = walker.define(new);
        walker.def_mut(def).ty = walker.intern(text);
        def
    };
    if names.is_empty() {
        let Some(name) = type_name(ty) else { return };
        // The star of `*Base` is a token of the field, not of the type.
        let text = line_of(walker.slice(field.start_byte(), ty.end_byte()));
        let owner = walker.owner();
        define(walker, name, &text);
        return embedded(walker, ty, name, owner);
    }
    let text = match ty.kind() {
        "struct_type" => Cow::Borrowed("struct"),
        _ => line(walker, ty),
    };
    let mut first = NONE;
    for name in names {
        if walker.text(name) != "_" {
            let def = define(walker, name, &text);
            first = if first == NONE { def } else { first };
        }
    }
    owned(walker, first, |walker| types(walker, ty, Role::FieldType, true, depth));
}

fn interface_member(walker: &mut Walker<'_>, member: Node<'_>, members: bool, depth: u32) {
    match member.kind() {
        "method_elem" => {
            let Some(name) = member.field("name") else { return };
            if !members {
                return walker.in_scope(|walker| signature_types(walker, member, false, depth));
            }
            let (visibility, flags) = exported(walker.text(name));
            let new = NewDef::new(Kind::Method, member, name).visibility(visibility).flags(flags | flag::DECLARATION);
            let def = walker.define(new);
            callable_row(walker, def, member);
            walker.in_def(def, |walker| signature_types(walker, member, true, depth));
        }
        "type_elem" => {
            let only = member.named_child(0).filter(|_| member.named_child_count() == 1);
            match only.and_then(|ty| Some((ty, type_name(ty)?))) {
                Some((ty, name)) if members => {
                    let owner = walker.owner();
                    embedded(walker, ty, name, owner);
                }
                _ => types(walker, member, Role::Type, false, depth),
            }
        }
        _ => {}
    }
}

// ----- functions

/// Sets parameter count, variadic flag and result type of a callable.
fn callable_row(walker: &mut Walker<'_>, def: u32, node: Node<'_>) {
    let (mut count, mut flags) = (0, 0);
    if let Some(list) = node.field("parameters") {
        walker.for_children(list, |_, parameter| match parameter.kind() {
            "parameter_declaration" => {
                let mut cursor = parameter.walk();
                let names = parameter.children_by_field_name("name", &mut cursor).filter(Node::is_named).count();
                count += names.max(1);
            }
            "variadic_parameter_declaration" => {
                count += 1;
                flags |= flag::VARIADIC;
            }
            _ => {}
        });
    }
    let result = node.field("result").map(|result| line(walker, result));
    let ty = walker.intern(result.as_deref().unwrap_or(""));
    let row = walker.def_mut(def);
    row.params = count.min(usize::from(u16::MAX - 1)) as u16;
    row.flags |= flags;
    row.ty = ty;
}

/// The types of parameters and results, and with `bind` their names as locals.
fn signature_types(walker: &mut Walker<'_>, node: Node<'_>, bind: bool, depth: u32) {
    if let Some(list) = node.field("parameters") {
        parameters(walker, list, Role::ParamType, bind, depth);
    }
    match node.field("result") {
        Some(list) if list.kind() == "parameter_list" => parameters(walker, list, Role::ReturnType, bind, depth),
        Some(ty) => types(walker, ty, Role::ReturnType, false, depth),
        None => {}
    }
}

fn parameters(walker: &mut Walker<'_>, list: Node<'_>, role: Role, bind: bool, depth: u32) {
    walker.for_children(list, |walker, parameter| {
        let Some(ty) = parameter.field("type") else { return };
        if bind {
            let text = line(walker, ty);
            let text = if parameter.kind() == "variadic_parameter_declaration" { Cow::Owned(format!("[]{text}")) } else { text };
            let mut cursor = parameter.walk();
            for name in parameter.children_by_field_name("name", &mut cursor).filter(Node::is_named) {
                if walker.text(name) != "_" {
                    walker.bind(name, Some(&text), NONE, ty.end_byte());
                }
            }
        }
        types(walker, ty, role, false, depth);
    });
}

fn function(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = node.field("name") else { return walker.visit_children(node) };
    let receiver = node.field("receiver").and_then(|list| named_children(list).first().copied());
    let body = node.field("body");
    let kind = if node.kind() == "method_declaration" { Kind::Method } else { Kind::Function };
    let mut new = new_def(walker, kind, node, name).body(body);
    if walker.text(name) == "_" {
        // `func _()` holds compile-time checks; nothing can refer to it.
        return walker.in_scope(|walker| {
            signature_types(walker, node, true, 0);
            visit_some(walker, body);
        });
    }
    if body.is_none() {
        new = new.flags(flag::DECLARATION);
    }
    if is_test(walker, node, receiver.is_some()) {
        new = new.flags(flag::TEST);
    }
    let def = walker.define(new);
    let receiver_type = receiver.and_then(|receiver| receiver.field("type"));
    if let Some(bare) = receiver_type.and_then(type_name) {
        let text = walker.text(bare);
        walker.def_mut(def).owner_type = walker.intern(text);
    }
    callable_row(walker, def, node);
    walker.in_def(def, |walker| {
        if let (Some(receiver), Some(ty)) = (receiver, receiver_type) {
            bind_receiver(walker, receiver, ty);
        }
        type_parameters(walker, node);
        signature_types(walker, node, true, 0);
        visit_some(walker, body);
    });
}

fn bind_receiver(walker: &mut Walker<'_>, receiver: Node<'_>, ty: Node<'_>) {
    let generic = match ty.kind() {
        "pointer_type" => ty.named_child(0).unwrap_or(ty),
        _ => ty,
    };
    if let Some(arguments) = generic.field("type_arguments") {
        // `func (t *Tree[K])` declares K.
        walker.for_children(arguments, |walker, argument| {
            let name = argument.named_child(0).unwrap_or(argument);
            walker.bind(name, None, NONE, arguments.start_byte());
        });
    }
    if let Some(name) = receiver.field("name").filter(|name| walker.text(*name) != "_") {
        let text = line(walker, ty);
        walker.bind(name, Some(&text), NONE, ty.end_byte());
    }
    types(walker, ty, Role::Type, false, 0);
}

/// Whether `go test` (or a test suite package that the file imports) runs this function.
fn is_test(walker: &Walker<'_>, node: Node<'_>, is_method: bool) -> bool {
    let name = node.field("name").map_or("", |name| walker.text(name));
    let parameters = node.field("parameters").map(named_children).unwrap_or_default();
    let ty = match parameters.as_slice() {
        [] => "",
        [only] => only.field("type").map_or("", |ty| walker.text(ty)),
        _ => return false,
    };
    if node.field("result").is_some() {
        return false;
    }
    let Some((_, expected)) = [("Test", "T"), ("Benchmark", "B"), ("Fuzz", "F"), ("Example", "")]
        .into_iter()
        .find(|(prefix, _)| name.strip_prefix(prefix).is_some_and(|rest| !rest.starts_with(char::is_lowercase)))
    else {
        return false;
    };
    let last = ty.strip_prefix('*').map_or("", |ty| ty.rsplit('.').next().unwrap_or(ty));
    if is_method {
        return match last {
            "C" => expected == "T" || expected == "B",
            _ => ty.is_empty() && expected == "T" && imports(walker, "testify/suite"),
        };
    }
    match expected {
        "" => ty.is_empty(),
        _ => ty.starts_with("*testing.") && (last == expected || (name == "TestMain" && last == "M")),
    }
}

fn imports(walker: &Walker<'_>, ending: &str) -> bool {
    walker.rows.imports.iter().any(|row| walker.string(row.module).ends_with(ending))
}

fn func_literal(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.in_scope(|walker| {
        signature_types(walker, node, true, 0);
        walker.visit_field(node, "body");
    });
}

/// `name := func() {..}`: a definition.
fn bound_function(walker: &mut Walker<'_>, whole: Node<'_>, name: Node<'_>, literal: Node<'_>) {
    if walker.text(name) == "_" {
        return walker.visit(literal);
    }
    let new = new_def(walker, Kind::Function, whole, name).body(literal.field("body"));
    let def = walker.define(new);
    callable_row(walker, def, literal);
    walker.in_def(def, |walker| func_literal(walker, literal));
}
