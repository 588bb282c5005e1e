//! Scala, of both generations.
//!
//! An object is a class whose members belong to it alone; `link` asks a class and the object of its name together. A class's
//! parameters are a constructor, and fields where they can be seen. Methods of an implicit class and of an `extension` keep
//! the type they are for as their owner. What is declared without parentheses is a method of no parameters, and reading it is
//! a call.
//!
//! Knows no class path, and no implicit search: which given value is passed is not said.

mod values;

#[cfg(test)]
mod tests;

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use self::values::*;
use super::common::{UsageKinds, arg_count};
use super::tree::*;
use super::{Action, Family, Hooks, Language, Tier};
use crate::facts::model::{ExprKind, Kind, NONE, Role, Usage, Visibility, flag, import_flag};
use crate::facts::walker::{NewDef, Walker};

/// Scala.
pub(super) static SCALA: Language = Language {
    name: "scala",
    tier: Tier::Deep,
    family: Family::Jvm,
    extensions: &["scala", "sc", "sbt"],
    file_names: &[],
    line_comment: "//",
    keywords: "abstract case catch class def do else enum export extends false final finally for given if implicit import \
        lazy match new null object override package private protected return sealed super then this throw trait true try \
        type val var while with yield",
    signatures: &["class T { $ }", "$ {}", "class T { $ = 0 }"],
    hoists: false,
    implicit_self: true,
    grammar: || tree_sitter_scala::LANGUAGE.into(),
    table: &[
        ("package_clause", Action::Hook(package_clause)),
        ("package_object", Action::Hook(class_definition)),
        ("import_declaration", Action::Hook(import_declaration)),
        ("export_declaration", Action::Hook(import_declaration)),
        ("class_definition", Action::Hook(class_definition)),
        ("trait_definition", Action::Hook(class_definition)),
        ("object_definition", Action::Hook(class_definition)),
        ("enum_definition", Action::Hook(class_definition)),
        ("simple_enum_case", Action::Hook(enum_case)),
        ("full_enum_case", Action::Hook(enum_case)),
        ("given_definition", Action::Hook(given)),
        ("extension_definition", Action::Hook(extension)),
        ("type_definition", Action::Hook(type_definition)),
        ("function_definition", Action::Hook(function)),
        ("function_declaration", Action::Hook(function)),
        ("val_definition", Action::Hook(value)),
        ("var_definition", Action::Hook(value)),
        ("val_declaration", Action::Hook(value)),
        ("var_declaration", Action::Hook(value)),
        ("self_type", Action::Hook(self_type)),
        ("annotation", Action::Hook(annotation)),
        ("block", Action::Scope),
        ("indented_block", Action::Scope),
        ("case_clause", Action::Scope),
        ("for_expression", Action::Scope),
        ("enumerator", Action::Hook(enumerator)),
        ("lambda_expression", Action::Hook(lambda)),
        ("typed_pattern", Action::Hook(pattern)),
        ("case_class_pattern", Action::Hook(pattern)),
        ("tuple_pattern", Action::Hook(pattern)),
        ("capture_pattern", Action::Hook(pattern)),
        ("alternative_pattern", Action::Hook(pattern)),
        ("infix_pattern", Action::Hook(pattern)),
        ("match_expression", Action::Hook(match_expression)),
        ("catch_clause", Action::Hook(match_expression)),
        ("case_block", Action::Hook(case_block)),
        ("indented_cases", Action::Hook(case_block)),
        ("call_expression", Action::Hook(call)),
        ("field_expression", Action::Hook(field_expression)),
        ("generic_function", Action::Hook(generic_function)),
        ("infix_expression", Action::Hook(infix)),
        ("postfix_expression", Action::Hook(postfix)),
        ("instance_expression", Action::Hook(creation)),
        ("assignment_expression", Action::Hook(assignment)),
        ("ascription_expression", Action::Hook(ascription)),
        ("interpolated_string_expression", Action::Hook(interpolated)),
        ("stable_identifier", Action::Hook(stable_identifier)),
        ("identifier", Action::Hook(identifier)),
        ("type_identifier", Action::Hook(plain_type)),
        ("stable_type_identifier", Action::Hook(plain_type)),
        ("generic_type", Action::Hook(plain_type)),
        ("type_arguments", Action::Hook(type_arguments)),
    ],
    usage: UsageKinds {
        transparent: &["parenthesized_expression", "ascription_expression"],
        statement: &["template_body"],
        assignment: &["val_definition", "var_definition", "assignment_expression"],
        returns: &["return_expression", "function_definition"],
        argument: &["arguments"],
        condition: &["match_expression", "guard"],
        spawn: &[],
        defer: &[],
    },
    hooks: Hooks { expr: Some(expr), signature_start: Some(signature_start), finish: Some(mark_test_classes), ..Hooks::NONE },
};

/// The signature begins after the annotations.
fn signature_start(node: Node<'_>, name: Node<'_>) -> usize {
    let mut cursor = node.walk();
    let first = node.children(&mut cursor).find(|child| child.kind() != "annotation" && !child.is_extra());
    first.map_or(name.start_byte(), |first| first.start_byte())
}

// ----- file level

fn package_clause(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = node.field("name") else { return };
    let text = line(walker, name).into_owned();
    let outer = walker.string(walker.rows.header.package).to_owned();
    // Clauses below each other are packages inside each other.
    let full = if outer.is_empty() { text } else { format!("{outer}.{text}") };
    walker.package(&full);
    if let Some(body) = node.field("body") {
        walker.visit_children(body);
    }
}

fn import_declaration(walker: &mut Walker<'_>, node: Node<'_>) {
    let reexport = if node.kind() == "export_declaration" { import_flag::REEXPORT } else { 0 };
    let mut path: Vec<Node<'_>> = Vec::new();
    let mut is_open = false;
    for child in named_children(node) {
        match child.kind() {
            "identifier" | "operator_identifier" => path.push(child),
            "namespace_selectors" => {
                selectors(walker, child, &module_text(walker, &path), reexport);
                (is_open, path) = (true, Vec::new());
            }
            "namespace_wildcard" => {
                let module = module_text(walker, &path);
                walker.import(child, &module, "", "", import_flag::WILDCARD | reexport);
                (is_open, path) = (true, Vec::new());
            }
            "as_renamed_identifier" | "arrow_renamed_identifier" => {
                renamed(walker, child, &module_text(walker, &path), reexport);
                (is_open, path) = (true, Vec::new());
            }
            _ => {}
        }
    }
    if let Some(last) = path.pop().filter(|_| !is_open) {
        let module = module_text(walker, &path);
        let name = plain_name(walker, last);
        walker.import(last, &module, name, name, reexport);
    }
}

fn module_text(walker: &Walker<'_>, path: &[Node<'_>]) -> String {
    let parts: Vec<&str> = path.iter().map(|part| plain_name(walker, *part)).filter(|part| *part != "_root_").collect();
    parts.join(".")
}

fn selectors(walker: &mut Walker<'_>, list: Node<'_>, module: &str, reexport: u16) {
    for selector in named_children(list) {
        match selector.kind() {
            "namespace_wildcard" => walker.import(selector, module, "", "", import_flag::WILDCARD | reexport),
            "identifier" | "operator_identifier" => {
                let name = plain_name(walker, selector);
                walker.import(selector, module, name, name, reexport);
            }
            _ => renamed(walker, selector, module, reexport),
        }
    }
}

/// `A => B`, `A as B`; `A => _` hides a name.
fn renamed(walker: &mut Walker<'_>, node: Node<'_>, module: &str, reexport: u16) {
    let (Some(name), Some(alias)) = (node.field("name"), node.field("alias")) else { return };
    if alias.kind() == "identifier" {
        let (text, alias) = (plain_name(walker, name), plain_name(walker, alias));
        walker.import(name, module, text, alias, reexport);
    }
}

// ----- modifiers

struct Modifiers {
    visibility: Visibility,
    flags: u16,
    is_implicit: bool,
}

fn modifiers(walker: &Walker<'_>, node: Node<'_>) -> Modifiers {
    let by_place = if walker.in_function() { Visibility::Private } else { Visibility::Public };
    let mut found = Modifiers { visibility: by_place, flags: 0, is_implicit: false };
    for child in named_children(node) {
        if child.kind() == "annotation" {
            let name = child.field("name").and_then(type_name).map_or("", |name| walker.text(name));
            found.flags |= match name {
                "Test" | "ParameterizedTest" | "RepeatedTest" => flag::TEST | flag::DECORATED,
                "deprecated" | "inline" | "tailrec" | "nowarn" | "unchecked" | "throws" | "SuppressWarnings" => 0,
                _ => flag::DECORATED,
            };
        }
    }
    let Some(list) = child_of_kind(node, "modifiers") else { return exported(found) };
    let mut cursor = list.walk();
    for child in list.children(&mut cursor) {
        match child.kind() {
            "access_modifier" => {
                let is_private = walker.text(child).starts_with("private");
                // `private[pkg]` is seen in the package.
                found.visibility = match (is_private, child.named_child_count() > 0) {
                    (true, false) => Visibility::Private,
                    (true, true) => Visibility::Internal,
                    _ => Visibility::Protected,
                };
            }
            "override" => found.flags |= flag::OVERRIDE,
            "implicit" => found.is_implicit = true,
            _ => {}
        }
    }
    exported(found)
}

fn exported(mut found: Modifiers) -> Modifiers {
    if matches!(found.visibility, Visibility::Public | Visibility::Protected) {
        found.flags |= flag::EXPORTED;
    }
    found
}

fn annotation(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(name) = node.field("name") {
        types(walker, name, Role::Attribute, 0);
    }
    walker.visit_field(node, "arguments");
}

fn visit_annotations(walker: &mut Walker<'_>, node: Node<'_>) {
    for child in named_children(node).into_iter().filter(|child| child.kind() == "annotation") {
        walker.visit(child);
    }
}

// ----- types

fn class_definition(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = node.field("name") else { return walker.visit_children(node) };
    let (kind, is_object) = match node.kind() {
        "trait_definition" => (Kind::Trait, false),
        "enum_definition" => (Kind::Enum, false),
        "class_definition" => (Kind::Class, false),
        _ => (Kind::Class, true),
    };
    let said = modifiers(walker, node);
    let body = node.field("body");
    let flags = said.flags | if is_object { flag::STATIC } else { 0 };
    let new = NewDef::new(kind, node, name).body(body).visibility(said.visibility).flags(flags);
    let def = walker.define_named(new, plain_name(walker, name));
    let mut cursor = node.walk();
    let lists: Vec<Node<'_>> = node.children_by_field_name("class_parameters", &mut cursor).collect();
    walker.in_def(def, |walker| {
        visit_annotations(walker, node);
        type_parameters(walker, node);
        if let Some(first) = lists.first() {
            constructor(walker, &lists, *first, name, has_word(node, "case"));
        }
        if let Some(clause) = node.field("extend") {
            extends(walker, clause, def);
        }
        let before = walker.rows.defs.len();
        if let Some(body) = body {
            walker.visit_children(body);
        }
        if said.is_implicit && !is_object {
            implicit_members(walker, def, before, lists.first().copied());
        }
    });
}

/// The methods of an implicit class are for values of its parameter's type.
fn implicit_members(walker: &mut Walker<'_>, class: u32, from: usize, list: Option<Node<'_>>) {
    let parameter = list.and_then(|list| child_of_kind(list, "class_parameter"));
    let Some(ty) = parameter.and_then(|parameter| parameter.field("type")) else { return };
    let text = plain_type_text(walker, ty);
    let text = walker.intern(without_arguments(&text, '[', ']').trim());
    for row in walker.rows.defs[from..].iter_mut().filter(|row| row.parent == class && row.kind() == Kind::Method) {
        row.owner_type = text;
    }
}

/// The parameters of a class: a constructor, and fields where they are `val`, `var` or a case class's.
fn constructor(walker: &mut Walker<'_>, lists: &[Node<'_>], first: Node<'_>, name: Node<'_>, is_case: bool) {
    let (params, variadic) = count(first);
    let mut new = NewDef::new(Kind::Constructor, first, first).visibility(Visibility::Public).flags(flag::EXPORTED | variadic);
    new.doc_above = Some(first);
    let def = walker.define_named(new, plain_name(walker, name));
    walker.def_mut(def).params = params;
    let all: Vec<Node<'_>> =
        lists.iter().flat_map(|list| named_children(*list)).filter(|child| child.kind() == "class_parameter").collect();
    walker.owned_by(def, |walker| {
        for parameter in &all {
            visit_annotations(walker, *parameter);
            if let Some(ty) = parameter.field("type") {
                types(walker, ty, Role::ParamType, 0);
            }
            walker.visit_field(*parameter, "default_value");
        }
    });
    for parameter in all {
        let Some(name) = parameter.field("name") else { continue };
        let text = parameter.field("type").map_or_else(String::new, |ty| plain_type_text(walker, ty));
        if is_case || has_word(parameter, "val") || has_word(parameter, "var") {
            let said = modifiers(walker, parameter);
            let new = NewDef::new(Kind::Field, parameter, name).visibility(said.visibility).flags(said.flags);
            let field = walker.define_named(new, plain_name(walker, name));
            walker.def_mut(field).ty = walker.intern(&text);
        } else {
            walker.bind(name, Some(&text), NONE, parameter.end_byte());
        }
    }
}

/// `extends A(x) with B`.
fn extends(walker: &mut Walker<'_>, clause: Node<'_>, def: u32) {
    let mut role = Role::Extends;
    let mut last = None;
    for part in named_children(clause) {
        match part.kind() {
            "with" => {}
            "arguments" => {
                if let Some(name) = last.take().filter(|_| arg_count(part) > 0) {
                    let recv = walker.expr(ExprKind::Super, "", NONE, part);
                    walker.call(name, recv, Some(arg_count(part)), Usage::Discarded);
                }
                walker.visit(part);
            }
            "compound_type" => {
                for inner in named_children(part) {
                    supertype(walker, def, inner, role);
                    role = Role::Implements;
                }
            }
            _ => {
                last = type_name(part);
                supertype(walker, def, part, role);
                role = Role::Implements;
            }
        }
    }
}

pub(super) fn supertype(walker: &mut Walker<'_>, def: u32, ty: Node<'_>, role: Role) {
    let Some(name) = type_name(ty) else { return types(walker, ty, Role::Type, 0) };
    let text = line(walker, ty);
    walker.supertype(def, "", name, &without_arguments(&text, '[', ']'), role, false);
    if let Some(arguments) = child_of_kind(ty, "type_arguments") {
        walker.visit(arguments);
    }
}

fn enum_case(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = node.field("name") else { return };
    let flags = flag::STATIC | flag::EXPORTED;
    let def = walker.define(NewDef::new(Kind::EnumMember, node, name).visibility(Visibility::Public).flags(flags));
    let owner = walker.owner();
    walker.def_mut(def).ty = if owner == NONE { walker.intern("") } else { walker.def(owner).name };
    walker.in_def(def, |walker| {
        for parameter in child_of_kind(node, "class_parameters").map(named_children).unwrap_or_default() {
            if let Some(ty) = parameter.field("type") {
                types(walker, ty, Role::ParamType, 0);
            }
        }
        if let Some(arguments) = node.field("extend").and_then(|clause| child_of_kind(clause, "arguments")) {
            walker.visit(arguments);
        }
    });
}

fn given(walker: &mut Walker<'_>, node: Node<'_>) {
    let name = node.field("name");
    let ty = node.field("return_type");
    let body = node.field("body");
    let is_class = body.is_some_and(|body| matches!(body.kind(), "with_template_body" | "template_body"));
    let Some(name) = name else {
        if let Some(body) = body {
            let def = define_anonymous(walker, node, Some(body));
            if let Some(ty) = ty {
                supertype(walker, def, ty, Role::Implements);
            }
            walker.in_def(def, |walker| if is_class { walker.visit_children(body) } else { walker.visit(body) });
        }
        return;
    };
    let kind = if is_class { Kind::Class } else { Kind::Field };
    let new = NewDef::new(kind, node, name).body(body).visibility(Visibility::Public).flags(flag::STATIC | flag::EXPORTED);
    let def = walker.define_named(new, plain_name(walker, name));
    let text = ty.map_or_else(String::new, |ty| plain_type_text(walker, ty));
    walker.def_mut(def).ty = walker.intern(&text);
    walker.in_def(def, |walker| {
        match ty {
            Some(ty) if is_class => supertype(walker, def, ty, Role::Implements),
            Some(ty) => types(walker, ty, Role::FieldType, 0),
            None => {}
        }
        for list in named_children(node).into_iter().filter(|child| child.kind() == "parameters") {
            bind_parameters(walker, list);
        }
        if let Some(body) = body {
            if is_class { walker.visit_children(body) } else { walker.visit(body) }
        }
    });
}

/// `extension (s: String) def ..`: the functions are for values of the parameter's type.
fn extension(walker: &mut Walker<'_>, node: Node<'_>) {
    let list = node.field("parameters");
    let receiver = list.and_then(|list| named_children(list).into_iter().find(|child| child.kind() == "parameter"));
    let ty = receiver.and_then(|receiver| receiver.field("type"));
    let text = ty.map_or_else(String::new, |ty| plain_type_text(walker, ty));
    let owner_text = walker.intern(without_arguments(&text, '[', ']').trim());
    let before = walker.rows.defs.len();
    let owner = walker.owner();
    walker.in_scope(|walker| {
        type_parameters(walker, node);
        if let Some(list) = list {
            bind_parameters(walker, list);
        }
        let mut cursor = node.walk();
        for body in node.children_by_field_name("body", &mut cursor).filter(Node::is_named) {
            walker.visit(body);
        }
    });
    for row in walker.rows.defs[before..].iter_mut().filter(|row| row.parent == owner && row.kind().is_callable()) {
        row.owner_type = owner_text;
    }
}

fn type_definition(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = node.field("name") else { return };
    let said = modifiers(walker, node);
    let target = node.field("type");
    let def = walker.define(NewDef::new(Kind::TypeAlias, node, name).visibility(said.visibility).flags(said.flags));
    let text = target.map_or_else(String::new, |target| plain_type_text(walker, target));
    walker.def_mut(def).ty = walker.intern(&text);
    walker.in_def(def, |walker| {
        type_parameters(walker, node);
        if let Some(target) = target {
            types(walker, target, Role::Type, 0);
        }
    });
}

/// `self: Foo =>` names the object itself.
fn self_type(walker: &mut Walker<'_>, node: Node<'_>) {
    let parts = named_children(node);
    let name = parts.first().copied().filter(|name| name.kind() == "identifier");
    let ty = parts.get(1).copied();
    if let Some(ty) = ty {
        types(walker, ty, Role::Type, 0);
    }
    if let Some(name) = name.filter(|name| walker.text(*name) != "this") {
        let init = walker.expr(ExprKind::SelfRef, "", NONE, name);
        let text = ty.map(|ty| plain_type_text(walker, ty));
        walker.bind(name, text.as_deref(), init, node.start_byte());
    }
}

// ----- members

/// Number of parameters of a list, and whether the last takes all the rest.
fn count(list: Node<'_>) -> (u16, u16) {
    let all: Vec<Node<'_>> =
        named_children(list).into_iter().filter(|child| matches!(child.kind(), "parameter" | "class_parameter")).collect();
    let rest = |parameter: &Node<'_>| parameter.field("type").is_some_and(|ty| ty.kind() == "repeated_parameter_type");
    (u16::try_from(all.len()).unwrap_or(u16::MAX - 1), if all.iter().any(rest) { flag::VARIADIC } else { 0 })
}

/// Binds parameters and records their types and default values.
pub(super) fn bind_parameters(walker: &mut Walker<'_>, list: Node<'_>) {
    for parameter in named_children(list) {
        let Some(name) = parameter.field("name") else { continue };
        let ty = parameter.field("type");
        let text = ty.map(|ty| plain_type_text(walker, ty));
        walker.bind(name, text.as_deref(), NONE, parameter.end_byte());
        if let Some(ty) = ty {
            types(walker, ty, Role::ParamType, 0);
        }
        walker.visit_field(parameter, "default_value");
    }
}

fn function(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = node.field("name") else { return walker.visit_children(node) };
    let said = modifiers(walker, node);
    let body = node.field("body");
    let ty = node.field("return_type");
    let mut cursor = node.walk();
    let lists: Vec<Node<'_>> = node.children_by_field_name("parameters", &mut cursor).collect();
    let (params, variadic) = lists.first().map_or((0, 0), |list| count(*list));
    let mut flags = said.flags | variadic;
    if body.is_none() {
        flags |= flag::DECLARATION;
    }
    let class = walker.enclosing_type().map(|class| walker.string(walker.def(class).name).to_owned());
    let in_type = walker.owner_kind().is_some_and(Kind::is_type);
    let (kind, text) = match (plain_name(walker, name), class) {
        ("this", Some(class)) => (Kind::Constructor, class),
        (text, _) => (if in_type { Kind::Method } else { Kind::Function }, text.to_owned()),
    };
    let new = NewDef::new(kind, node, name).body(body).visibility(said.visibility).flags(flags);
    let def = walker.define_named(new, &text);
    let ty_text = ty.map_or_else(String::new, |ty| plain_type_text(walker, ty));
    let ty_text = walker.intern(&ty_text);
    let row = walker.def_mut(def);
    (row.params, row.ty) = (params, ty_text);
    walker.in_def(def, |walker| {
        visit_annotations(walker, node);
        type_parameters(walker, node);
        for list in lists {
            bind_parameters(walker, list);
        }
        if let Some(ty) = ty {
            types(walker, ty, Role::ReturnType, 0);
        }
        if let Some(body) = body {
            if ty.is_none() {
                let init = walker.expr_of(body);
                walker.def_mut(def).init = init;
            }
            walker.visit(body);
        }
    });
}

/// `val`, `var`: a field of a type, a variable of the file, or a local.
fn value(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(pattern) = node.field("pattern").or_else(|| node.field("name")) else { return };
    let ty = node.field("type");
    let given = node.field("value");
    let in_type = walker.owner_kind().is_some_and(Kind::is_type);
    if pattern.kind() != "identifier" || (walker.in_function() && !in_type) {
        visit_annotations(walker, node);
        let init = given.map_or(NONE, |given| walker.expr_of(given));
        if let Some(ty) = ty {
            types(walker, ty, Role::Type, 0);
        }
        if in_type || !walker.in_function() {
            define_parts(walker, node, pattern);
        } else {
            let text = ty.map(|ty| plain_type_text(walker, ty));
            bind_pattern(walker, pattern, text.as_deref(), init, node.end_byte());
        }
        if let Some(given) = given {
            walker.visit(given);
        }
        return;
    }
    let said = modifiers(walker, node);
    let kind = if in_type { Kind::Field } else { Kind::Variable };
    let body = given.filter(|given| matches!(given.kind(), "block" | "match_expression" | "lambda_expression"));
    let new = NewDef::new(kind, node, pattern).body(body).visibility(said.visibility).flags(said.flags);
    let def = walker.define_named(new, plain_name(walker, pattern));
    let text = ty.map_or_else(String::new, |ty| plain_type_text(walker, ty));
    let text = walker.intern(&text);
    walker.in_def(def, |walker| {
        visit_annotations(walker, node);
        if let Some(ty) = ty {
            types(walker, ty, Role::FieldType, 0);
        }
        let init = given.map_or(NONE, |given| walker.expr_of(given));
        let row = walker.def_mut(def);
        (row.ty, row.init) = (text, init);
        if let Some(given) = given {
            walker.visit(given);
        }
    });
}

/// `val (a, b) = ..` in a type: a field each.
fn define_parts(walker: &mut Walker<'_>, node: Node<'_>, pattern: Node<'_>) {
    let said = modifiers(walker, node);
    for name in named_children(pattern).into_iter().filter(|part| part.kind() == "identifier") {
        let new = NewDef::new(Kind::Field, node, name).visibility(said.visibility).flags(said.flags);
        walker.define(new);
    }
}
