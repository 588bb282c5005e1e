//! Kotlin.
//!
//! Every member stands inside its type, the companion object's inside that object; `link` looks there as well when a member is
//! asked of the class. A primary constructor is a definition of its own, its `val` and `var` parameters are fields of the
//! class. A function for another type keeps the receiver's text as its owner. A property's accessors belong to the property.
//!
//! Knows no class path: whether `a.b` is a package, a type or a property is for `link` to say.

mod values;

#[cfg(test)]
mod tests;

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use self::values::*;
use super::common::UsageKinds;
use super::tree::*;
use super::{Action, Family, Hooks, Language, Tier};
use crate::facts::model::{Kind, NONE, Role, Usage, Visibility, flag, import_flag};
use crate::facts::walker::{NewDef, Walker, strip_comment};

/// Kotlin.
pub(super) static KOTLIN: Language = Language {
    name: "kotlin",
    tier: Tier::Deep,
    family: Family::Jvm,
    extensions: &["kt", "kts"],
    file_names: &[],
    line_comment: "//",
    keywords: "as break class continue do else false for fun if in interface is null object package return super this throw \
        true try typealias typeof val var when while",
    signatures: &["class T { $ {} }", "interface T { $\n}", "$ {}", "$"],
    hoists: false,
    implicit_self: true,
    grammar: || tree_sitter_kotlin_ng::LANGUAGE.into(),
    table: &[
        ("package_header", Action::Hook(package_header)),
        ("import", Action::Hook(import)),
        ("class_declaration", Action::Hook(class_declaration)),
        ("object_declaration", Action::Hook(class_declaration)),
        ("companion_object", Action::Hook(class_declaration)),
        ("type_alias", Action::Hook(type_alias)),
        ("function_declaration", Action::Hook(function)),
        ("secondary_constructor", Action::Hook(secondary_constructor)),
        ("anonymous_initializer", Action::Scope),
        ("property_declaration", Action::Hook(property)),
        ("enum_entry", Action::Hook(enum_entry)),
        ("annotation", Action::Hook(annotation)),
        ("file_annotation", Action::Hook(annotation)),
        ("block", Action::Scope),
        ("when_expression", Action::Scope),
        ("when_entry", Action::Scope),
        ("when_subject", Action::Hook(when_subject)),
        ("for_statement", Action::Hook(for_statement)),
        ("catch_block", Action::Hook(catch_block)),
        ("lambda_literal", Action::Hook(lambda)),
        ("anonymous_function", Action::Hook(anonymous_function)),
        ("object_literal", Action::Hook(object_literal)),
        ("call_expression", Action::Hook(call)),
        ("navigation_expression", Action::Hook(navigation)),
        ("callable_reference", Action::Hook(callable_reference)),
        ("infix_expression", Action::Hook(infix)),
        ("binary_expression", Action::Hook(binary)),
        ("assignment", Action::Hook(assignment)),
        ("unary_expression", Action::Hook(unary)),
        ("value_argument", Action::Hook(value_argument)),
        ("labeled_expression", Action::Hook(labeled)),
        ("return_expression", Action::Hook(return_expression)),
        ("this_expression", Action::Skip),
        ("super_expression", Action::Hook(super_expression)),
        ("string_literal", Action::Hook(template)),
        ("multiline_string_literal", Action::Hook(template)),
        ("identifier", Action::Hook(identifier)),
        ("user_type", Action::Hook(plain_type)),
        ("type_arguments", Action::Hook(type_arguments)),
    ],
    usage: UsageKinds {
        transparent: &["parenthesized_expression", "value_argument", "as_expression", "spread_expression"],
        statement: &["block", "source_file"],
        assignment: &["property_declaration", "assignment", "property_delegate"],
        returns: &["return_expression", "function_body"],
        argument: &["value_arguments"],
        condition: &["when_subject"],
        spawn: &[],
        defer: &[],
    },
    hooks: Hooks {
        expr: Some(expr),
        signature_start: Some(signature_start),
        prepare: Some(close_lines),
        finish: Some(mark_test_classes),
        ..Hooks::NONE
    },
};

/// The grammar wants a statement's end before the brace that closes its line: the blank there becomes one.
fn close_lines(source: &[u8]) -> Option<Vec<u8>> {
    let ends = memchr::memmem::find_iter(source, b" }").filter(|at| {
        let before = source[..*at].trim_ascii_end();
        !before.ends_with(b"{") && !before.ends_with(b";") && !source[before.len()..*at].contains(&b'\n')
    });
    let ends: Vec<usize> = ends.collect();
    if ends.is_empty() {
        return None;
    }
    let mut out = source.to_vec();
    for at in ends {
        out[at] = b';';
    }
    Some(out)
}

/// The signature begins after the annotations that stand first.
fn signature_start(node: Node<'_>, name: Node<'_>) -> usize {
    let Some(modifiers) = child_of_kind(node, "modifiers") else { return node.start_byte() };
    let mut cursor = modifiers.walk();
    let first = modifiers.named_children(&mut cursor).find(|child| child.kind() != "annotation" && !child.is_extra());
    let next = || {
        let mut cursor = node.walk();
        node.children(&mut cursor).find(|child| child.start_byte() >= modifiers.end_byte() && !child.is_extra())
    };
    first.or_else(next).map_or(name.start_byte(), |start| start.start_byte())
}

// ----- file level

fn package_header(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = first_named(node) else { return };
    let name = line(walker, name).replace('`', "");
    walker.package(&name);
    if let Some(above) = node.prev_sibling().filter(|above| walker.text(*above).starts_with("/**")) {
        let text = strip_comment(walker.text(above));
        walker.file_doc(&text);
    }
}

fn import(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(path) = child_of_kind(node, "qualified_identifier") else { return };
    let text = line(walker, path);
    if has_word(node, "*") {
        return walker.import(path, &text, "", "", import_flag::WILDCARD);
    }
    let Some(name) = last_named(path) else { return };
    let module = text.rsplit_once('.').map_or("", |(module, _)| module);
    let alias = child_of_kind(node, "identifier").unwrap_or(name);
    let (name_text, alias) = (plain_name(walker, name), plain_name(walker, alias));
    walker.import(name, module, name_text, alias, 0);
}

// ----- modifiers

/// What the modifiers of a declaration say.
pub(super) struct Modifiers {
    visibility: Visibility,
    flags: u16,
    kind: Kind,
    is_const: bool,
}

pub(super) fn modifiers(walker: &Walker<'_>, node: Node<'_>) -> Modifiers {
    let by_place = if walker.in_function() { Visibility::Private } else { Visibility::Public };
    let mut found = Modifiers { visibility: by_place, flags: 0, kind: Kind::Class, is_const: false };
    for child in child_of_kind(node, "modifiers").map(named_children).unwrap_or_default() {
        if child.kind() == "annotation" {
            found.flags |= annotation_flags(walker, child);
            continue;
        }
        match walker.text(child) {
            "private" => found.visibility = Visibility::Private,
            "protected" => found.visibility = Visibility::Protected,
            "internal" => found.visibility = Visibility::Internal,
            "override" => found.flags |= flag::OVERRIDE,
            "suspend" => found.flags |= flag::ASYNC,
            "expect" => found.flags |= flag::DECLARATION,
            "enum" => found.kind = Kind::Enum,
            "annotation" => found.kind = Kind::Annotation,
            "const" => found.is_const = true,
            _ => {}
        }
    }
    if matches!(found.visibility, Visibility::Public | Visibility::Protected) {
        found.flags |= flag::EXPORTED;
    }
    found
}

fn annotation_flags(walker: &Walker<'_>, annotation: Node<'_>) -> u16 {
    let invoked = child_of_kind(annotation, "constructor_invocation").unwrap_or(annotation);
    let name = child_of_kind(invoked, "user_type").and_then(type_name).map_or("", |name| walker.text(name));
    match name {
        "Test" | "ParameterizedTest" | "RepeatedTest" | "TestFactory" | "TestTemplate" => flag::TEST | flag::DECORATED,
        "JvmStatic" => flag::STATIC,
        // Notes to readers, compilers and checkers: nothing runs differently for them.
        "Deprecated" | "Suppress" | "JvmField" | "JvmName" | "JvmOverloads" | "Throws" | "OptIn" | "PublishedApi"
        | "Volatile" | "ReplaceWith" | "Ignore" => 0,
        _ => flag::DECORATED,
    }
}

fn annotation(walker: &mut Walker<'_>, node: Node<'_>) {
    let invoked = child_of_kind(node, "constructor_invocation").unwrap_or(node);
    if let Some(ty) = child_of_kind(invoked, "user_type") {
        types(walker, ty, Role::Attribute, 0);
    }
    if let Some(arguments) = child_of_kind(invoked, "value_arguments") {
        walker.visit(arguments);
    }
}

pub(super) fn visit_modifiers(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(list) = child_of_kind(node, "modifiers") {
        walker.visit(list);
    }
}

// ----- types

fn class_declaration(walker: &mut Walker<'_>, node: Node<'_>) {
    let name = node.field("name");
    let said = modifiers(walker, node);
    let body = child_of_kind(node, "class_body").or_else(|| child_of_kind(node, "enum_class_body"));
    let is_object = node.kind() != "class_declaration";
    let kind = if has_word(node, "interface") { Kind::Interface } else { said.kind };
    let flags = said.flags | if is_object { flag::STATIC } else { 0 };
    let place = name.unwrap_or(node);
    let new = NewDef::new(kind, node, place).body(body).visibility(said.visibility).flags(flags);
    let text = name.map_or("Companion", |name| plain_name(walker, name));
    let def = walker.define_named(new, text);
    walker.in_def(def, |walker| {
        visit_modifiers(walker, node);
        type_parameters(walker, node);
        let list = child_of_kind(node, "delegation_specifiers");
        if let Some(primary) = child_of_kind(node, "primary_constructor") {
            primary_constructor(walker, primary, text);
        }
        if let Some(list) = list {
            supertypes(walker, list, def, kind);
        }
        if let Some(constraints) = child_of_kind(node, "type_constraints") {
            type_constraints(walker, constraints);
        }
        if let Some(body) = body {
            walker.visit_children(body);
        }
    });
}

/// What stands behind the colon of a class: supertypes, with the arguments of their constructors or the object that does
/// the work.
pub(super) fn supertypes(walker: &mut Walker<'_>, list: Node<'_>, def: u32, kind: Kind) {
    for specifier in named_children(list).iter().flat_map(|specifier| named_children(*specifier)) {
        let plain = if kind.is_interface() { Role::Extends } else { Role::Implements };
        match specifier.kind() {
            "constructor_invocation" => {
                let Some(ty) = child_of_kind(specifier, "user_type") else { continue };
                supertype(walker, def, ty, Role::Extends);
                let list = child_of_kind(specifier, "value_arguments");
                let (Some(name), args) = (type_name(ty), list.map(super::common::arg_count)) else { continue };
                // Only what is given arguments is worth a call: most constructors without are not written down.
                if args.is_some_and(|args| args > 0) {
                    let recv = walker.expr(crate::facts::model::ExprKind::Super, "", NONE, specifier);
                    walker.call(name, recv, args, Usage::Discarded);
                }
                if let Some(list) = list {
                    walker.visit(list);
                }
            }
            "explicit_delegation" => walker.for_children(specifier, |walker, child| match child.kind() {
                "user_type" => supertype(walker, def, child, Role::Implements),
                _ => walker.visit(child),
            }),
            "user_type" => supertype(walker, def, specifier, plain),
            "annotation" => walker.visit(specifier),
            _ => types(walker, specifier, Role::Type, 0),
        }
    }
}

fn supertype(walker: &mut Walker<'_>, def: u32, ty: Node<'_>, role: Role) {
    let Some(name) = type_name(ty) else { return };
    let text = line(walker, ty);
    walker.supertype(def, "", name, &without_arguments(&text, '<', '>'), role, false);
    for arguments in named_children(ty).into_iter().filter(|child| child.kind() == "type_arguments") {
        walker.visit(arguments);
    }
}

fn type_alias(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = node.field("type") else { return };
    let said = modifiers(walker, node);
    let target = last_named(node).filter(|target| target.id() != name.id());
    let def = walker.define(NewDef::new(Kind::TypeAlias, node, name).visibility(said.visibility).flags(said.flags));
    let text = target.map_or_else(String::new, |target| line(walker, target).into_owned());
    walker.def_mut(def).ty = walker.intern(&text);
    walker.in_def(def, |walker| {
        type_parameters(walker, node);
        if let Some(target) = target {
            types(walker, target, Role::Type, 0);
        }
    });
}

fn enum_entry(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = child_of_kind(node, "identifier") else { return walker.visit_children(node) };
    let body = child_of_kind(node, "class_body");
    let flags = flag::STATIC | flag::EXPORTED;
    let new = NewDef::new(Kind::EnumMember, node, name).body(body).visibility(Visibility::Public).flags(flags);
    let def = walker.define(new);
    let owner = walker.owner();
    let ty = if owner == NONE { walker.intern("") } else { walker.def(owner).name };
    walker.def_mut(def).ty = ty;
    walker.in_def(def, |walker| {
        visit_modifiers(walker, node);
        if let Some(arguments) = child_of_kind(node, "value_arguments") {
            walker.visit(arguments);
        }
        if let Some(body) = body {
            let text = walker.string(ty).to_owned();
            let class = define_anonymous(walker, body, Some(body));
            walker.supertype(class, "", name, &text, Role::Extends, false);
            walker.in_def(class, |walker| walker.visit_children(body));
        }
    });
}

// ----- callables

/// A parameter with what stands around it: its modifiers and its default value.
pub(super) struct Parameter<'t> {
    node: Node<'t>,
    modifiers: Option<Node<'t>>,
    default: Option<Node<'t>>,
}

/// The parameters of a list, whose modifiers and default values are siblings of the parameter.
fn parameters(list: Node<'_>) -> Vec<Parameter<'_>> {
    let mut found: Vec<Parameter<'_>> = Vec::new();
    let mut modifiers = None;
    for child in named_children(list) {
        match child.kind() {
            "parameter_modifiers" => modifiers = Some(child),
            "parameter" => found.push(Parameter { node: child, modifiers: modifiers.take(), default: None }),
            "class_parameter" => {
                let parts = named_children(child);
                let default = parts.iter().copied().rfind(|_| has_word(child, "="));
                found.push(Parameter { node: child, modifiers: child_of_kind(child, "modifiers"), default });
            }
            _ => {
                if let Some(last) = found.last_mut() {
                    last.default = Some(child);
                }
            }
        }
    }
    found
}

fn is_vararg(walker: &Walker<'_>, parameter: &Parameter<'_>) -> bool {
    let said = parameter.modifiers.map(named_children).unwrap_or_default();
    said.iter().any(|modifier| walker.text(*modifier) == "vararg")
}

/// Name and type of a parameter.
pub(super) fn name_and_type(parameter: Node<'_>) -> Option<(Node<'_>, Option<Node<'_>>)> {
    let name = child_of_kind(parameter, "identifier")?;
    let mut parts = named_children(parameter).into_iter();
    Some((name, parts.find(|part| part.start_byte() >= name.end_byte() && is_type_node(*part))))
}

/// Number of parameters, and whether the last takes all the rest.
fn count(walker: &Walker<'_>, list: Option<Node<'_>>) -> (u16, u16) {
    let all = list.map(parameters).unwrap_or_default();
    let variadic = all.iter().any(|parameter| is_vararg(walker, parameter));
    (u16::try_from(all.len()).unwrap_or(u16::MAX - 1), if variadic { flag::VARIADIC } else { 0 })
}

/// Binds parameters and records their types and default values.
pub(super) fn bind_parameters(walker: &mut Walker<'_>, list: Node<'_>) {
    for parameter in parameters(list) {
        let Some((name, ty)) = name_and_type(parameter.node) else { continue };
        if let Some(modifiers) = parameter.modifiers {
            walker.visit(modifiers);
        }
        let text = ty.map(|ty| line(walker, ty));
        let text = text.map(|text| if is_vararg(walker, &parameter) { format!("{text}[]") } else { text.into_owned() });
        walker.bind(name, text.as_deref(), NONE, parameter.node.end_byte());
        if let Some(ty) = ty {
            types(walker, ty, Role::ParamType, 0);
        }
        if let Some(default) = parameter.default {
            walker.visit(default);
        }
    }
}

/// The primary constructor is a member named like its class. Its `val` and `var` parameters are fields, the others can be
/// seen wherever the class initialises something.
fn primary_constructor(walker: &mut Walker<'_>, node: Node<'_>, class: &str) {
    let Some(list) = child_of_kind(node, "class_parameters") else { return };
    let said = modifiers(walker, node);
    let (params, variadic) = count(walker, Some(list));
    let mut new = NewDef::new(Kind::Constructor, node, node).visibility(said.visibility).flags(said.flags | variadic);
    new.doc_above = Some(list);
    let def = walker.define_named(new, class);
    walker.def_mut(def).params = params;
    walker.owned_by(def, |walker| {
        visit_modifiers(walker, node);
        for parameter in parameters(list) {
            let Some((_, ty)) = name_and_type(parameter.node) else { continue };
            if let Some(ty) = ty {
                types(walker, ty, Role::ParamType, 0);
            }
            if let Some(default) = parameter.default {
                walker.visit(default);
            }
        }
    });
    for parameter in parameters(list) {
        let Some((name, ty)) = name_and_type(parameter.node) else { continue };
        let text = ty.map_or_else(String::new, |ty| line(walker, ty).into_owned());
        let text = if is_vararg(walker, &parameter) { format!("{text}[]") } else { text };
        if has_word(parameter.node, "val") || has_word(parameter.node, "var") {
            let said = modifiers(walker, parameter.node);
            let new = NewDef::new(Kind::Field, parameter.node, name).visibility(said.visibility).flags(said.flags);
            let field = walker.define_named(new, plain_name(walker, name));
            walker.def_mut(field).ty = walker.intern(&text);
            walker.owned_by(field, |walker| {
                visit_modifiers(walker, parameter.node);
                if let Some(ty) = ty {
                    types(walker, ty, Role::FieldType, 0);
                }
            });
        } else {
            let text = Some(text.as_str()).filter(|text| !text.is_empty());
            walker.bind(name, text, NONE, parameter.node.end_byte());
        }
    }
}

fn secondary_constructor(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(class) = walker.enclosing_type() else { return walker.visit_children(node) };
    let class_name = walker.string(walker.def(class).name).to_owned();
    let said = modifiers(walker, node);
    let list = child_of_kind(node, "function_value_parameters");
    let body = child_of_kind(node, "block");
    let (params, variadic) = count(walker, list);
    let mut new = NewDef::new(Kind::Constructor, node, node).body(body).visibility(said.visibility).flags(said.flags | variadic);
    let mut cursor = node.walk();
    new.name = node.children(&mut cursor).find(|child| child.kind() == "constructor").or(Some(node));
    let def = walker.define_named(new, &class_name);
    walker.def_mut(def).params = params;
    walker.in_def(def, |walker| {
        visit_modifiers(walker, node);
        if let Some(list) = list {
            bind_parameters(walker, list);
        }
        if let Some(delegation) = child_of_kind(node, "constructor_delegation_call") {
            constructor_call(walker, delegation, class);
        }
        if let Some(body) = body {
            walker.visit(body);
        }
    });
}

fn function(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = node.field("name") else { return walker.visit_children(node) };
    let said = modifiers(walker, node);
    let list = child_of_kind(node, "function_value_parameters");
    let body = child_of_kind(node, "function_body");
    let (params, variadic) = count(walker, list);
    let mut flags = said.flags | variadic;
    if body.is_none() {
        flags |= flag::DECLARATION;
    }
    let in_type = walker.owner_kind().is_some_and(Kind::is_type);
    let kind = if in_type { Kind::Method } else { Kind::Function };
    let parts = named_children(node);
    let receiver = parts.iter().copied().find(|part| is_type_node(*part) && part.end_byte() <= name.start_byte());
    let ty = parts.iter().copied().find(|part| is_type_node(*part) && part.start_byte() >= name.end_byte());
    let new = NewDef::new(kind, node, name).body(body).visibility(said.visibility).flags(flags);
    let def = walker.define_named(new, plain_name(walker, name));
    let ty_text = ty.map_or_else(String::new, |ty| line(walker, ty).into_owned());
    let owner_text = receiver.map(|receiver| receiver_text(walker, node, receiver));
    let (ty_text, owner_text) = (walker.intern(&ty_text), walker.intern(owner_text.as_deref().unwrap_or("")));
    let row = walker.def_mut(def);
    (row.params, row.ty, row.owner_type) = (params, ty_text, owner_text);
    walker.in_def(def, |walker| {
        visit_modifiers(walker, node);
        type_parameters(walker, node);
        if let Some(receiver) = receiver {
            types(walker, receiver, Role::ParamType, 0);
        }
        if let Some(list) = list {
            bind_parameters(walker, list);
        }
        if let Some(ty) = ty {
            types(walker, ty, Role::ReturnType, 0);
        }
        if let Some(constraints) = child_of_kind(node, "type_constraints") {
            type_constraints(walker, constraints);
        }
        if let Some(body) = body {
            // `= value` says the result's type where none is declared.
            let value = if has_word(body, "=") { first_named(body) } else { None };
            if let Some(value) = value.filter(|_| ty.is_none()) {
                let init = walker.expr_of(value);
                walker.def_mut(def).init = init;
            }
            walker.visit(body);
        }
    });
}

// ----- properties

fn property(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(several) = child_of_kind(node, "multi_variable_declaration") {
        return destructured(walker, node, several);
    }
    let Some(declared) = child_of_kind(node, "variable_declaration") else { return walker.visit_children(node) };
    let Some((name, ty)) = name_and_type(declared) else { return };
    let in_type = walker.owner_kind().is_some_and(Kind::is_type);
    if walker.in_function() && !in_type {
        return local(walker, node, declared);
    }
    let said = modifiers(walker, node);
    let value = property_value(node);
    let delegate = child_of_kind(node, "property_delegate");
    let accessors: Vec<Node<'_>> =
        named_children(node).into_iter().filter(|child| matches!(child.kind(), "getter" | "setter")).collect();
    let kind = match (said.is_const, in_type) {
        (true, _) => Kind::Constant,
        (_, true) => Kind::Field,
        _ => Kind::Variable,
    };
    let receiver = named_children(node).into_iter().find(|part| is_type_node(*part) && part.end_byte() <= name.start_byte());
    let body = value.and_then(large_value).or(delegate).or(accessors.first().copied());
    let new = NewDef::new(kind, node, name).body(body).visibility(said.visibility).flags(said.flags);
    let def = walker.define_named(new, plain_name(walker, name));
    let text = ty.map_or_else(String::new, |ty| line(walker, ty).into_owned());
    let owner_text = receiver.map(|receiver| receiver_text(walker, node, receiver));
    let (text, owner_text) = (walker.intern(&text), walker.intern(owner_text.as_deref().unwrap_or("")));
    walker.in_def(def, |walker| {
        visit_modifiers(walker, node);
        type_parameters(walker, node);
        for (part, role) in [(receiver, Role::ParamType), (ty, Role::FieldType)] {
            if let Some(part) = part {
                types(walker, part, role, 0);
            }
        }
        let init = value.map_or(NONE, |value| walker.expr_of(value));
        let row = walker.def_mut(def);
        (row.ty, row.init, row.owner_type) = (text, init, owner_text);
        for part in [value, delegate].into_iter().flatten() {
            walker.visit(part);
        }
        for part in accessors {
            accessor(walker, part, def);
        }
    });
}

/// `get() = ..` and `set(value) { .. }` of a property, whose names `field` and `value` are local.
fn accessor(walker: &mut Walker<'_>, node: Node<'_>, def: u32) {
    walker.in_scope(|walker| {
        let text = walker.string(walker.def(def).ty).to_owned();
        let text = Some(text.as_str()).filter(|text| !text.is_empty());
        walker.bind_text("field", text, NONE, node.start_byte());
        for child in named_children(node) {
            match child.kind() {
                "identifier" => {
                    walker.bind(child, text, NONE, child.start_byte());
                }
                "function_body" => {
                    let value = if has_word(child, "=") { first_named(child) } else { None };
                    if let Some(value) = value.filter(|_| walker.def(def).ty.is_empty() && node.kind() == "getter") {
                        let init = walker.expr_of(value);
                        walker.def_mut(def).init = init;
                    }
                    walker.visit(child);
                }
                _ => walker.visit(child),
            }
        }
    });
}

/// The value behind a property's `=`.
pub(super) fn property_value(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    let equals = node.children(&mut cursor).find(|child| child.kind() == "=")?;
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|child| child.start_byte() >= equals.end_byte() && !child.is_extra())
}

/// Where the signature of a property with a long value ends.
fn large_value(value: Node<'_>) -> Option<Node<'_>> {
    match value.kind() {
        "object_literal" => child_of_kind(value, "class_body"),
        "lambda_literal" | "anonymous_function" | "when_expression" | "try_expression" => Some(value),
        "call_expression" => child_of_kind(value, "annotated_lambda"),
        _ => None,
    }
}
