//! Java.
//!
//! Every member stands inside its type, so owners are what the tree says; a class without a name is `$1`, `$2`, .. of the
//! definition around it. Methods, types and variables have name spaces of their own: the bare name of a call is never a local
//! variable. A record's components are its fields and may be called like methods.
//!
//! Knows no class path: whether `a.b` is a package, a type or a field is for `link` to say.

mod values;

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use self::values::*;
use super::common::UsageKinds;
use super::tree::{child_of_kind, define_anonymous, is_type_name, line, mark_test_classes, named_children, without_arguments};
use super::{Action, Family, Hooks, Language, Tier};
use crate::facts::model::{Kind, NONE, Role, Visibility, flag, import_flag};
use crate::facts::walker::{NewDef, Walker, strip_comment};

/// Java.
pub(super) static JAVA: Language = Language {
    name: "java",
    tier: Tier::Deep,
    family: Family::Jvm,
    extensions: &["java"],
    file_names: &[],
    line_comment: "//",
    keywords: "abstract assert boolean break byte case catch char class const continue default do double else enum extends \
        final finally float for goto if implements import instanceof int interface long native new package private \
        protected public return short static strictfp super switch synchronized this throw throws transient try void \
        volatile while true false null",
    signatures: &["class T { $ {} }", "interface T { $; }"],
    hoists: false,
    implicit_self: true,
    grammar: || tree_sitter_java::LANGUAGE.into(),
    table: &[
        ("package_declaration", Action::Hook(package_declaration)),
        ("import_declaration", Action::Hook(import_declaration)),
        ("requires_module_directive", Action::Skip),
        ("exports_module_directive", Action::Skip),
        ("opens_module_directive", Action::Skip),
        ("uses_module_directive", Action::Hook(module_directive)),
        ("provides_module_directive", Action::Hook(module_directive)),
        ("module_declaration", Action::Hook(module_declaration)),
        ("class_declaration", Action::Hook(type_declaration)),
        ("interface_declaration", Action::Hook(type_declaration)),
        ("enum_declaration", Action::Hook(type_declaration)),
        ("record_declaration", Action::Hook(type_declaration)),
        ("annotation_type_declaration", Action::Hook(type_declaration)),
        ("method_declaration", Action::Hook(callable)),
        ("constructor_declaration", Action::Hook(callable)),
        ("compact_constructor_declaration", Action::Hook(callable)),
        ("annotation_type_element_declaration", Action::Hook(callable)),
        ("field_declaration", Action::Hook(fields)),
        ("constant_declaration", Action::Hook(fields)),
        ("enum_constant", Action::Hook(enum_constant)),
        ("marker_annotation", Action::Hook(annotation)),
        ("annotation", Action::Hook(annotation)),
        ("element_value_pair", Action::Hook(element_value_pair)),
        ("block", Action::Scope),
        ("for_statement", Action::Scope),
        ("try_with_resources_statement", Action::Scope),
        ("switch_block", Action::Scope),
        ("switch_rule", Action::Scope),
        ("switch_expression", Action::Hook(switch)),
        ("lambda_expression", Action::Hook(lambda)),
        ("local_variable_declaration", Action::Hook(local_variables)),
        ("enhanced_for_statement", Action::Hook(enhanced_for)),
        ("catch_clause", Action::Hook(catch_clause)),
        ("resource", Action::Hook(resource)),
        ("instanceof_expression", Action::Hook(instance_of)),
        ("type_pattern", Action::Hook(pattern)),
        ("record_pattern", Action::Hook(record_pattern)),
        ("record_pattern_component", Action::Hook(pattern)),
        ("method_invocation", Action::Hook(call)),
        ("object_creation_expression", Action::Hook(creation)),
        ("explicit_constructor_invocation", Action::Hook(constructor_call)),
        ("method_reference", Action::Hook(method_reference)),
        ("field_access", Action::Hook(field_access)),
        ("assignment_expression", Action::Hook(assignment)),
        ("update_expression", Action::Hook(step)),
        ("identifier", Action::Hook(identifier)),
        ("labeled_statement", Action::Hook(labeled)),
        ("break_statement", Action::Skip),
        ("continue_statement", Action::Skip),
        ("type_identifier", Action::Hook(plain_type)),
        ("scoped_type_identifier", Action::Hook(plain_type)),
        ("generic_type", Action::Hook(plain_type)),
        ("type_arguments", Action::Hook(type_arguments)),
    ],
    usage: UsageKinds {
        transparent: &["parenthesized_expression", "unary_expression", "cast_expression"],
        statement: &["expression_statement"],
        assignment: &[
            "variable_declarator",
            "assignment_expression",
            "resource",
            "local_variable_declaration",
            "field_declaration",
        ],
        returns: &["return_statement", "yield_statement"],
        argument: &["argument_list"],
        condition: &["if_statement", "while_statement", "do_statement", "switch_expression"],
        spawn: &[],
        defer: &[],
    },
    hooks: Hooks { expr: Some(expr), signature_start: Some(signature_start), finish: Some(mark_test_classes), ..Hooks::NONE },
};

/// How deep types are followed.
const NESTING: u32 = 120;

/// The signature begins after the annotations that stand first.
fn signature_start(node: Node<'_>, name: Node<'_>) -> usize {
    let Some(modifiers) = child_of_kind(node, "modifiers") else { return node.start_byte() };
    let mut cursor = modifiers.walk();
    let first = modifiers.children(&mut cursor).find(|child| !is_annotation(*child) && !child.is_extra());
    let next = || {
        let mut cursor = node.walk();
        node.children(&mut cursor).find(|child| child.start_byte() >= modifiers.end_byte() && !child.is_extra())
    };
    first.or_else(next).map_or(name.start_byte(), |start| start.start_byte())
}

fn is_annotation(node: Node<'_>) -> bool {
    matches!(node.kind(), "annotation" | "marker_annotation")
}

// ----- file level

fn package_declaration(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.for_children(node, |walker, child| match child.kind() {
        "identifier" | "scoped_identifier" => {
            let name = line(walker, child);
            walker.package(&name);
        }
        _ => walker.visit(child),
    });
    // A licence above the package is no documentation; a doc comment (in `package-info.java`) is.
    if let Some(above) = node.prev_sibling().filter(|above| walker.text(*above).starts_with("/**")) {
        let text = strip_comment(walker.text(above));
        walker.file_doc(&text);
    }
}

fn import_declaration(walker: &mut Walker<'_>, node: Node<'_>) {
    let mut flags = 0;
    let mut path = None;
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        match child.kind() {
            "static" => flags |= import_flag::STATIC,
            "asterisk" => flags |= import_flag::WILDCARD,
            "identifier" | "scoped_identifier" => path = Some(child),
            _ => {}
        }
    }
    let Some(path) = path else { return };
    if flags & import_flag::WILDCARD != 0 {
        let module = line(walker, path);
        return walker.import(path, &module, "", "", flags);
    }
    let scope = path.field("scope");
    let name = path.field("name").unwrap_or(path);
    let module = scope.map_or(Cow::Borrowed(""), |scope| line(walker, scope));
    let text = walker.text(name);
    walker.import(name, &module, text, text, flags);
}

fn module_declaration(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.visit_children_except(node, &[node.field("name")]);
}

/// `uses a.Service`, `provides a.Service with b.Provider` name types.
fn module_directive(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.for_children(node, |walker, child| dotted_type(walker, child, Role::Type));
}

/// A type that the grammar sees as a dotted name.
fn dotted_type(walker: &mut Walker<'_>, node: Node<'_>, role: Role) {
    match node.kind() {
        "identifier" => {
            walker.reference(node, role, NONE);
        }
        "scoped_identifier" => {
            let (Some(scope), Some(name)) = (node.field("scope"), node.field("name")) else {
                return;
            };
            let recv = scope_of_type(walker, scope);
            walker.reference(name, role, recv);
            // A scope in lower case is a package, which is nobody's definition.
            if let Some(last) = scope.field("name").or(Some(scope)).filter(|last| is_type_name(walker.text(*last))) {
                let recv = scope.field("scope").map_or(NONE, |outer| scope_of_type(walker, outer));
                walker.reference(last, Role::Type, recv);
            }
        }
        _ => {}
    }
}

// ----- modifiers

/// What the modifiers of a declaration say.
struct Modifiers {
    visibility: Option<Visibility>,
    flags: u16,
    is_final: bool,
    is_test: bool,
}

fn modifiers(walker: &Walker<'_>, node: Node<'_>) -> Modifiers {
    let mut found = Modifiers { visibility: None, flags: 0, is_final: false, is_test: false };
    let Some(list) = child_of_kind(node, "modifiers") else { return found };
    let mut cursor = list.walk();
    for child in list.children(&mut cursor) {
        match child.kind() {
            "public" => found.visibility = Some(Visibility::Public),
            "protected" => found.visibility = Some(Visibility::Protected),
            "private" => found.visibility = Some(Visibility::Private),
            "static" => found.flags |= flag::STATIC,
            "final" => found.is_final = true,
            "annotation" | "marker_annotation" => {
                let Some(name) = child.field("name") else { continue };
                let text = walker.text(name.field("name").unwrap_or(name));
                match text {
                    "Override" => found.flags |= flag::OVERRIDE,
                    "Test" | "ParameterizedTest" | "RepeatedTest" | "TestFactory" | "TestTemplate" | "Theory" | "Property" => {
                        found.is_test = text != "Property" || imports(walker, "net.jqwik.api");
                        found.flags |= flag::DECORATED;
                    }
                    // Notes to readers and checkers: nothing runs differently for them.
                    "Deprecated"
                    | "SuppressWarnings"
                    | "FunctionalInterface"
                    | "SafeVarargs"
                    | "Nullable"
                    | "NonNull"
                    | "NotNull"
                    | "Nonnull"
                    | "CheckForNull" => {}
                    _ => found.flags |= flag::DECORATED,
                }
            }
            _ => {}
        }
    }
    found
}

fn imports(walker: &Walker<'_>, module: &str) -> bool {
    walker.rows.imports.iter().any(|row| walker.string(row.module) == module)
}

/// The visibility of a member: said, or by the type it stands in.
fn visibility(walker: &Walker<'_>, said: Option<Visibility>) -> (Visibility, u16) {
    let by_owner = match walker.owner_kind() {
        Some(Kind::Interface | Kind::Annotation) => Visibility::Public,
        _ if walker.in_function() => Visibility::Private,
        _ => Visibility::Internal,
    };
    let visibility = said.unwrap_or(by_owner);
    let is_exported = matches!(visibility, Visibility::Public | Visibility::Protected);
    (visibility, if is_exported { flag::EXPORTED } else { 0 })
}

fn annotation(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(name) = node.field("name") {
        dotted_type(walker, name, Role::Attribute);
    }
    walker.visit_field(node, "arguments");
}

fn element_value_pair(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.visit_field(node, "value");
}

fn visit_modifiers(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(list) = child_of_kind(node, "modifiers") {
        walker.visit(list);
    }
}

// ----- types

fn type_declaration(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = node.field("name") else { return walker.visit_children(node) };
    let kind = match node.kind() {
        "interface_declaration" => Kind::Interface,
        "enum_declaration" => Kind::Enum,
        "record_declaration" => Kind::Record,
        "annotation_type_declaration" => Kind::Annotation,
        _ => Kind::Class,
    };
    let body = node.field("body");
    let said = modifiers(walker, node);
    let (visibility, exported) = visibility(walker, said.visibility);
    let test = if said.is_test { flag::TEST } else { 0 };
    let new = NewDef::new(kind, node, name).body(body).visibility(visibility).flags(said.flags | exported | test);
    let def = walker.define(new);
    walker.in_def(def, |walker| {
        visit_modifiers(walker, node);
        type_parameters(walker, node);
        headers(walker, node, def);
        if let Some(parameters) = node.field("parameters") {
            components(walker, parameters, def);
        }
        if let Some(body) = body {
            walker.visit_children(body);
        }
    });
}

/// `extends`, `implements`, `permits`.
fn headers(walker: &mut Walker<'_>, node: Node<'_>, def: u32) {
    walker.for_children(node, |walker, child| match child.kind() {
        "superclass" => walker.for_children(child, |walker, ty| supertype(walker, def, ty, Role::Extends)),
        "super_interfaces" => each_listed(walker, child, |walker, ty| supertype(walker, def, ty, Role::Implements)),
        "extends_interfaces" => each_listed(walker, child, |walker, ty| supertype(walker, def, ty, Role::Extends)),
        "permits" => each_listed(walker, child, |walker, ty| types(walker, ty, Role::Type, 0)),
        _ => {}
    });
}

fn each_listed(walker: &mut Walker<'_>, clause: Node<'_>, mut each: impl FnMut(&mut Walker<'_>, Node<'_>)) {
    if let Some(list) = child_of_kind(clause, "type_list") {
        walker.for_children(list, |walker, ty| each(walker, ty));
    }
}

/// Records a supertype, and the mentions around its name.
fn supertype(walker: &mut Walker<'_>, def: u32, ty: Node<'_>, role: Role) {
    match ty.kind() {
        "annotated_type" => {
            walker.for_children(
                ty,
                |walker, child| {
                    if is_annotation(child) { walker.visit(child) } else { supertype(walker, def, child, role) }
                },
            );
        }
        "generic_type" => walker.for_children(ty, |walker, child| {
            if child.kind() == "type_arguments" { walker.visit(child) } else { supertype(walker, def, child, role) }
        }),
        "type_identifier" | "scoped_type_identifier" => {
            let name = type_name(ty).unwrap_or(ty);
            let text = line(walker, ty);
            let bare = without_arguments(&text, '<', '>');
            walker.supertype(def, "", name, &bare, role, false);
            if let Some(scope) = ty.named_child(0).filter(|scope| scope.id() != ty.id() && ty.kind() != "type_identifier") {
                types(walker, scope, Role::Type, 0);
            }
        }
        _ => {}
    }
}

/// The name's node of a class type.
fn type_name(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        "type_identifier" => Some(node),
        "scoped_type_identifier" => {
            let last = node.named_child(u32::try_from(node.named_child_count()).ok()?.checked_sub(1)?)?;
            (last.kind() == "type_identifier").then_some(last)
        }
        "generic_type" | "array_type" => type_name(node.named_child(0)?),
        _ => None,
    }
}

/// Type parameters are locals of their declaration; their bounds are mentioned.
fn type_parameters(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(list) = child_of_kind(node, "type_parameters") else { return };
    // Only the arguments of a type are told by a receiver.
    let of_type = matches!(node.kind(), "class_declaration" | "interface_declaration" | "record_declaration");
    let mut position = 0;
    walker.for_children(list, |walker, parameter| {
        let Some(name) = child_of_kind(parameter, "type_identifier") else { return };
        let bound = child_of_kind(parameter, "type_bound").and_then(|bound| bound.named_child(0));
        let text = bound.map(|bound| line(walker, bound));
        walker.bind(name, text.as_deref(), NONE, list.start_byte());
        let bounds = child_of_kind(parameter, "type_bound").map_or("", |bound| walker.text(bound).trim_start());
        let bounds = bounds.strip_prefix("extends").unwrap_or(bounds).trim();
        let text = walker.text(name);
        walker.generic(text, bounds, node, if of_type { position } else { NONE });
        position += 1;
    });
    walker.for_children(list, |walker, parameter| {
        walker.for_children(parameter, |walker, child| match child.kind() {
            "type_bound" => walker.for_children(child, |walker, ty| types(walker, ty, Role::Type, 0)),
            "type_identifier" => {}
            _ => walker.visit(child),
        });
    });
}

/// A record's components: private fields with a public accessor of the same name.
fn components(walker: &mut Walker<'_>, parameters: Node<'_>, record: u32) {
    let mut count = 0;
    walker.for_children(parameters, |walker, parameter| {
        let Some((name, ty, is_spread)) = parameter_parts(parameter) else { return };
        count += 1;
        let flags = flag::ACCESSOR | flag::EXPORTED;
        let new = NewDef::new(Kind::Field, parameter, name).visibility(Visibility::Public).flags(flags);
        let def = walker.define(new);
        let text = type_text(walker, parameter, ty, is_spread);
        walker.def_mut(def).ty = walker.intern(&text);
        walker.owned_by(def, |walker| {
            visit_modifiers(walker, parameter);
            types(walker, ty, Role::FieldType, 0);
        });
    });
    walker.def_mut(record).params = count;
}

// ----- members

/// Name, type and whether it takes the rest of the arguments.
fn parameter_parts(parameter: Node<'_>) -> Option<(Node<'_>, Node<'_>, bool)> {
    match parameter.kind() {
        "formal_parameter" => Some((parameter.field("name")?, parameter.field("type")?, false)),
        "spread_parameter" => {
            let mut cursor = parameter.walk();
            let mut parts = parameter.named_children(&mut cursor).filter(|child| !child.is_extra());
            let ty = parts.find(|child| child.kind() != "modifiers")?;
            let declarator = child_of_kind(parameter, "variable_declarator")?;
            Some((declarator.field("name")?, ty, true))
        }
        _ => None,
    }
}

/// A declared type with the dimensions that stand behind the name.
fn type_text<'a>(walker: &Walker<'a>, declarator: Node<'_>, ty: Node<'_>, is_spread: bool) -> Cow<'a, str> {
    let text = line(walker, ty);
    let dimensions = declarator.field("dimensions").map_or("", |node| walker.text(node));
    if dimensions.is_empty() && !is_spread {
        return text;
    }
    Cow::Owned(format!("{text}{dimensions}{}", if is_spread { "[]" } else { "" }))
}

/// Binds parameters and records their types.
fn bind_parameters(walker: &mut Walker<'_>, list: Node<'_>) {
    walker.for_children(list, |walker, parameter| {
        let Some((name, ty, is_spread)) = parameter_parts(parameter) else { return };
        visit_modifiers(walker, parameter);
        let text = type_text(walker, parameter, ty, is_spread);
        let text = Some(text.as_ref()).filter(|text| *text != "var");
        walker.bind(name, text, NONE, parameter.end_byte());
        types(walker, ty, Role::ParamType, 0);
    });
}

fn callable(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = node.field("name") else { return walker.visit_children(node) };
    let kind = match node.kind() {
        "constructor_declaration" | "compact_constructor_declaration" => Kind::Constructor,
        _ if walker.owner() == NONE => Kind::Function,
        _ => Kind::Method,
    };
    let body = node.field("body");
    let said = modifiers(walker, node);
    let (visibility, mut flags) = visibility(walker, said.visibility);
    flags |= said.flags;
    if body.is_none() {
        flags |= flag::DECLARATION;
    }
    let list = node.field("parameters");
    let mut count = 0;
    for parameter in list.map(named_children).unwrap_or_default() {
        count += u16::from(parameter.kind() != "receiver_parameter");
        if parameter.kind() == "spread_parameter" {
            flags |= flag::VARIADIC;
        }
    }
    if node.kind() == "compact_constructor_declaration" && walker.owner() != NONE {
        count = walker.def(walker.owner()).params;
    }
    let ty = node.field("type");
    if kind == Kind::Method && (said.is_test || is_suite_test(walker, walker.text(name), visibility, count, flags)) {
        flags |= flag::TEST;
    }
    // The signature of an annotation's element keeps its default value.
    let def = walker.define(NewDef::new(kind, node, name).body(body).visibility(visibility).flags(flags));
    let text = ty.map_or(Cow::Borrowed(""), |ty| type_text(walker, node, ty, false));
    let text = walker.intern(&text);
    let row = walker.def_mut(def);
    (row.params, row.ty) = (count, text);
    walker.in_def(def, |walker| {
        visit_modifiers(walker, node);
        type_parameters(walker, node);
        if let Some(ty) = ty {
            types(walker, ty, Role::ReturnType, 0);
        }
        if let Some(list) = list {
            bind_parameters(walker, list);
        }
        if let Some(throws) = child_of_kind(node, "throws") {
            walker.visit(throws);
        }
        walker.visit_field(node, "value");
        if let Some(body) = body {
            walker.visit(body);
        }
    });
}

/// Tests by the class around them: JUnit 3 names, or TestNG's `@Test` on the class.
fn is_suite_test(walker: &Walker<'_>, name: &str, visibility: Visibility, params: u16, flags: u16) -> bool {
    if visibility != Visibility::Public || params > 0 || flags & (flag::STATIC | flag::DECORATED) != 0 {
        return false;
    }
    let owner = walker.owner();
    if owner == NONE {
        return false;
    }
    let is_junit3 = || {
        let bases = walker.rows.supers.iter().rev().filter(|row| row.sub == owner);
        bases.into_iter().any(|row| walker.string(row.super_type).ends_with("TestCase"))
    };
    walker.def(owner).has(flag::TEST) || (name.starts_with("test") && is_junit3())
}

/// A field declaration with one or several names.
fn fields(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(ty) = node.field("type") else { return walker.visit_children(node) };
    let said = modifiers(walker, node);
    let in_interface = matches!(walker.owner_kind(), Some(Kind::Interface | Kind::Annotation));
    let (visibility, exported) = visibility(walker, said.visibility);
    let mut flags = said.flags | exported;
    if in_interface {
        flags |= flag::STATIC;
    }
    let is_constant = in_interface || (said.is_final && flags & flag::STATIC != 0);
    let kind = if is_constant { Kind::Constant } else { Kind::Field };
    let mut first = NONE;
    let mut cursor = node.walk();
    for declarator in node.children_by_field_name("declarator", &mut cursor) {
        let Some(name) = declarator.field("name") else { continue };
        let value = declarator.field("value");
        let new = NewDef::new(kind, node, name).body(value.and_then(large_value)).visibility(visibility).flags(flags);
        let def = walker.define(new);
        let text = type_text(walker, declarator, ty, false);
        let text = walker.intern(&text);
        walker.in_def(def, |walker| {
            if first == NONE {
                visit_modifiers(walker, node);
                types(walker, ty, Role::FieldType, 0);
            }
            let init = value.map_or(NONE, |value| walker.expr_of(value));
            let row = walker.def_mut(def);
            (row.ty, row.init) = (text, init);
            if let Some(value) = value {
                walker.visit(value);
            }
        });
        first = def;
    }
}

/// Where the signature of a field with a long value ends.
fn large_value(value: Node<'_>) -> Option<Node<'_>> {
    match value.kind() {
        "object_creation_expression" => child_of_kind(value, "class_body"),
        "lambda_expression" => value.field("body"),
        "array_initializer" | "switch_expression" => Some(value),
        "array_creation_expression" => value.field("value"),
        _ => None,
    }
}

fn enum_constant(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = node.field("name") else { return walker.visit_children(node) };
    let body = node.field("body");
    let said = modifiers(walker, node);
    let flags = said.flags | flag::STATIC | flag::EXPORTED;
    let new = NewDef::new(Kind::EnumMember, node, name).body(body).visibility(Visibility::Public).flags(flags);
    let def = walker.define(new);
    let owner = walker.owner();
    let ty = if owner == NONE { walker.intern("") } else { walker.def(owner).name };
    walker.def_mut(def).ty = ty;
    walker.in_def(def, |walker| {
        visit_modifiers(walker, node);
        walker.visit_field(node, "arguments");
        if let Some(body) = body {
            let text = walker.string(ty).to_owned();
            anonymous_class(walker, body, body, Some((name, &text)));
        }
    });
}

/// A class body without a name. `extends` is what it is made from.
fn anonymous_class(walker: &mut Walker<'_>, node: Node<'_>, body: Node<'_>, extends: Option<(Node<'_>, &str)>) {
    let def = define_anonymous(walker, node, Some(body));
    if let Some((place, text)) = extends {
        walker.supertype(def, "", place, text, Role::Extends, false);
    }
    walker.in_def(def, |walker| walker.visit_children(body));
}
