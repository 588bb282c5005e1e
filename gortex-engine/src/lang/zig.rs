//! Zig.
//!
//! A file is a struct: its fields and functions stand at its top, and `@This()` there is the file. A container is defined by
//! the constant that holds it; one that a function returns is `$1` inside that function. Importing a file is an import, not a
//! definition.
//!
//! Knows no build graph and evaluates nothing at compile time: what a generic function returns for which type is one thing.

#[cfg(test)]
mod tests;

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::common::UsageKinds;
use super::tree::*;
use super::{Action, Family, Hooks, Language, Tier};
use crate::facts::model::{ExprKind, Kind, NONE, Role, Visibility, flag, import_flag};
use crate::facts::walker::{NewDef, Walker};

/// Zig.
pub(super) static ZIG: Language = Language {
    name: "zig",
    tier: Tier::Deep,
    family: Family::Zig,
    extensions: &["zig", "zon"],
    file_names: &[],
    line_comment: "//",
    keywords: "addrspace align allowzero and anyframe anytype asm async await break callconv catch comptime const continue \
        defer else enum errdefer error export extern fn for if inline linksection noalias noinline nosuspend opaque or orelse \
        packed pub resume return struct suspend switch test threadlocal try union unreachable usingnamespace var volatile while",
    signatures: &["$ {}", "$;"],
    hoists: false,
    implicit_self: true,
    grammar: || tree_sitter_zig::LANGUAGE.into(),
    table: &[
        ("variable_declaration", Action::Hook(variable)),
        ("using_namespace_declaration", Action::Hook(using_namespace)),
        ("function_declaration", Action::Hook(function)),
        ("test_declaration", Action::Hook(test)),
        ("container_field", Action::Hook(field)),
        ("struct_declaration", Action::Hook(nameless_container)),
        ("enum_declaration", Action::Hook(nameless_container)),
        ("union_declaration", Action::Hook(nameless_container)),
        ("opaque_declaration", Action::Hook(nameless_container)),
        ("error_set_declaration", Action::Skip),
        ("block", Action::Scope),
        ("for_statement", Action::Hook(captured)),
        ("for_expression", Action::Hook(captured)),
        ("while_statement", Action::Hook(captured)),
        ("while_expression", Action::Hook(captured)),
        ("if_statement", Action::Hook(captured)),
        ("if_expression", Action::Hook(captured)),
        ("else_clause", Action::Hook(captured)),
        ("catch_expression", Action::Hook(captured)),
        ("errdefer_statement", Action::Hook(captured)),
        ("switch_expression", Action::Hook(switch)),
        ("call_expression", Action::Hook(call)),
        ("field_expression", Action::Hook(member_access)),
        ("struct_initializer", Action::Hook(struct_initializer)),
        ("anonymous_struct_initializer", Action::Hook(anonymous_initializer)),
        ("assignment_expression", Action::Hook(assignment)),
        ("block_label", Action::Skip),
        ("break_label", Action::Skip),
        ("identifier", Action::Hook(identifier)),
    ],
    usage: UsageKinds {
        transparent: &["try_expression", "catch_expression", "parenthesized_expression", "labeled_statement"],
        statement: &["expression_statement"],
        assignment: &["variable_declaration", "assignment_expression"],
        returns: &["return_expression"],
        argument: &["call_expression", "arguments", "initializer_list"],
        condition: &["switch_expression"],
        spawn: &[],
        defer: &["defer_statement", "errdefer_statement"],
    },
    hooks: Hooks { expr: Some(expr), finish: Some(file_doc), ..Hooks::NONE },
};

/// `//!` at the top says what the file is.
fn file_doc(walker: &mut Walker<'_>, root: Node<'_>) {
    let mut lines = Vec::new();
    let mut cursor = root.walk();
    for child in root.children(&mut cursor).take_while(|child| child.kind() == "comment") {
        if let Some(line) = walker.text(child).strip_prefix("//!") {
            lines.push(line.trim().to_owned());
        }
    }
    if !lines.is_empty() {
        walker.file_doc(&lines.join("\n"));
    }
}

fn is_container(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "struct_declaration" | "enum_declaration" | "union_declaration" | "opaque_declaration" | "error_set_declaration"
    )
}

fn visibility(node: Node<'_>) -> (Visibility, u16) {
    if has_word(node, "pub") || has_word(node, "export") {
        (Visibility::Public, flag::EXPORTED)
    } else {
        (Visibility::Private, 0)
    }
}

/// The text of `@import("text")`.
fn imported<'a>(walker: &Walker<'a>, node: Node<'_>) -> Option<&'a str> {
    let name = child_of_kind(node, "builtin_identifier").filter(|_| node.kind() == "builtin_function")?;
    let text = child_of_kind(node, "arguments").and_then(first_named)?;
    (walker.text(name) == "@import" && text.kind() == "string").then(|| walker.text(text).trim_matches('"'))
}

/// `@This()`.
fn is_this(walker: &Walker<'_>, node: Node<'_>) -> bool {
    node.kind() == "builtin_function" && walker.text(node).starts_with("@This")
}

// ----- declarations

/// `const` and `var`; without either word the node is an assignment.
fn variable(walker: &mut Walker<'_>, node: Node<'_>) {
    let is_const = has_word(node, "const");
    if !is_const && !has_word(node, "var") {
        return plain_assignment(walker, node);
    }
    let Some(name) = child_of_kind(node, "identifier") else { return walker.visit_children(node) };
    let ty = node.field("type");
    let value = value_after_equals(node);
    if let Some(value) = value.filter(|_| is_const && !walker.in_function()) {
        if import(walker, node, name, value) {
            return;
        }
        if is_container(value) {
            return container(walker, node, name, value);
        }
    }
    if let Some(value) = value.filter(|value| is_const && is_container(*value)) {
        return container(walker, node, name, value);
    }
    if walker.in_function() && !walker.owner_kind().is_some_and(Kind::is_type) {
        return local(walker, node, name, ty, value);
    }
    let (visibility, flags) = visibility(node);
    let kind = if is_const { Kind::Constant } else { Kind::Variable };
    let def = walker.define(NewDef::new(kind, node, name).visibility(visibility).flags(flags | flag::STATIC));
    let text = ty.map_or_else(String::new, |ty| type_text(walker, ty));
    let text = walker.intern(&text);
    walker.in_def(def, |walker| {
        if let Some(ty) = ty {
            types(walker, ty, Role::FieldType, 0);
        }
        let init = value.map_or(NONE, |value| walker.expr_of(value));
        let row = walker.def_mut(def);
        (row.ty, row.init) = (text, init);
        if let Some(value) = value {
            typed_value(walker, value, ty);
        }
    });
}

fn value_after_equals(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    let equals = node.children(&mut cursor).find(|child| child.kind() == "=")?;
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|child| child.start_byte() >= equals.end_byte() && !child.is_extra())
}

/// `const x = @import("x.zig")` and `const Y = @import("x.zig").Y`; tells whether it was one.
fn import(walker: &mut Walker<'_>, node: Node<'_>, name: Node<'_>, value: Node<'_>) -> bool {
    let reexport = if has_word(node, "pub") { import_flag::REEXPORT } else { 0 };
    let alias = walker.text(name);
    if let Some(module) = imported(walker, value) {
        walker.import(name, module, "", alias, import_flag::MODULE | reexport);
        return true;
    }
    let object = value.field("object").filter(|_| value.kind() == "field_expression");
    let (Some(object), Some(member)) = (object, value.field("member")) else { return false };
    let Some(module) = imported(walker, object) else { return false };
    let member_text = walker.text(member);
    walker.import(member, module, member_text, alias, reexport);
    true
}

fn using_namespace(walker: &mut Walker<'_>, node: Node<'_>) {
    match first_named(node).and_then(|value| imported(walker, value).map(|module| (value, module))) {
        Some((place, module)) => walker.import(place, module, "", "", import_flag::WILDCARD | import_flag::REEXPORT),
        None => walker.visit_children(node),
    }
}

fn local(walker: &mut Walker<'_>, node: Node<'_>, name: Node<'_>, ty: Option<Node<'_>>, value: Option<Node<'_>>) {
    if let Some(ty) = ty {
        types(walker, ty, Role::Type, 0);
    }
    let init = value.map_or(NONE, |value| walker.expr_of(value));
    let text = ty.map(|ty| type_text(walker, ty));
    walker.bind(name, text.as_deref(), init, node.end_byte());
    if let Some(value) = value {
        typed_value(walker, value, ty);
    }
}

/// Visits a value; of `.{ .x = 1 }` the declared type says whose members are set.
fn typed_value(walker: &mut Walker<'_>, value: Node<'_>, ty: Option<Node<'_>>) {
    match ty.filter(|_| value.kind() == "anonymous_struct_initializer") {
        Some(ty) => {
            let text = type_text(walker, ty);
            let made = walker.expr(ExprKind::Typed, &text, NONE, value);
            initialised(walker, value, made);
        }
        None => walker.visit(value),
    }
}

/// A container under the name of the constant that holds it.
fn container(walker: &mut Walker<'_>, node: Node<'_>, name: Node<'_>, value: Node<'_>) {
    let kind = match value.kind() {
        "enum_declaration" | "error_set_declaration" => Kind::Enum,
        "union_declaration" => Kind::Union,
        _ => Kind::Struct,
    };
    let (visibility, flags) = visibility(node);
    let mut new = NewDef::new(kind, node, name).visibility(visibility).flags(flags);
    new.body = first_named(value);
    let def = walker.define(new);
    walker.in_def(def, |walker| container_body(walker, value));
}

fn container_body(walker: &mut Walker<'_>, value: Node<'_>) {
    if value.kind() != "error_set_declaration" {
        return walker.visit_children(value);
    }
    for name in named_children(value).into_iter().filter(|child| child.kind() == "identifier") {
        enum_member(walker, name, name);
    }
}

fn nameless_container(walker: &mut Walker<'_>, node: Node<'_>) {
    let def = define_anonymous(walker, node, first_named(node));
    walker.in_def(def, |walker| container_body(walker, node));
}

fn enum_member(walker: &mut Walker<'_>, node: Node<'_>, name: Node<'_>) {
    let flags = flag::STATIC | flag::EXPORTED;
    let def = walker.define(NewDef::new(Kind::EnumMember, node, name).visibility(Visibility::Public).flags(flags));
    let owner = walker.owner();
    walker.def_mut(def).ty = if owner == NONE { walker.intern("") } else { walker.def(owner).name };
}

fn field(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = node.field("name") else { return walker.visit_children(node) };
    if walker.owner_kind() == Some(Kind::Enum) {
        enum_member(walker, node, name);
        return walker.visit_children_except(node, &[Some(name)]);
    }
    let ty = node.field("type");
    let def = walker.define(NewDef::new(Kind::Field, node, name).visibility(Visibility::Public).flags(flag::EXPORTED));
    let text = ty.map_or_else(String::new, |ty| type_text(walker, ty));
    walker.def_mut(def).ty = walker.intern(&text);
    walker.owned_by(def, |walker| {
        if let Some(ty) = ty {
            types(walker, ty, Role::FieldType, 0);
        }
        if let Some(value) = value_after_equals(node) {
            typed_value(walker, value, ty);
        }
    });
}

fn function(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = node.field("name") else { return walker.visit_children(node) };
    let body = node.field("body");
    let ty = node.field("type");
    let list = child_of_kind(node, "parameters");
    let all: Vec<Node<'_>> =
        list.map(named_children).unwrap_or_default().into_iter().filter(|child| child.kind() == "parameter").collect();
    let in_type = walker.owner_kind().is_some_and(Kind::is_type);
    let takes_self = all.first().is_some_and(|first| is_receiver(walker, *first));
    let (visibility, mut flags) = visibility(node);
    if body.is_none() {
        flags |= flag::DECLARATION;
    }
    if in_type && !takes_self {
        flags |= flag::STATIC;
    }
    let kind = if in_type { Kind::Method } else { Kind::Function };
    let def = walker.define(NewDef::new(kind, node, name).body(body).visibility(visibility).flags(flags));
    let text = ty.map_or_else(String::new, |ty| type_text(walker, ty));
    let text = walker.intern(&text);
    let row = walker.def_mut(def);
    (row.params, row.ty) = (u16::try_from(all.len() - usize::from(takes_self)).unwrap_or(u16::MAX - 1), text);
    walker.in_def(def, |walker| {
        for parameter in all {
            let written = parameter.field("type");
            if let Some(name) = parameter.field("name") {
                let text = written.map(|written| type_text(walker, written));
                walker.bind(name, text.as_deref().filter(|text| *text != "anytype"), NONE, parameter.end_byte());
            }
            if let Some(written) = written {
                types(walker, written, Role::ParamType, 0);
            }
        }
        if let Some(ty) = ty {
            types(walker, ty, Role::ReturnType, 0);
        }
        if let Some(body) = body {
            walker.visit(body);
        }
    });
}

/// Whether a first parameter is what a method is called on: its type is the container's.
fn is_receiver(walker: &Walker<'_>, parameter: Node<'_>) -> bool {
    let name = parameter.field("name").map_or("", |name| walker.text(name));
    let text = parameter.field("type").map_or_else(String::new, |ty| type_text(walker, ty));
    let bare = text.trim_start_matches(['*', ' ']).trim_start_matches("const ");
    let container = walker.enclosing_type().map_or("", |ty| walker.string(walker.def(ty).name));
    name == "self" || matches!(bare, "Self" | "@This()") || (!container.is_empty() && bare == container)
}

fn test(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(block) = child_of_kind(node, "block") else { return };
    let name = first_named(node).filter(|name| name.id() != block.id());
    let title = name.map_or("", |name| walker.text(name)).trim_matches('"');
    let mut new = NewDef::new(Kind::Function, node, name.unwrap_or(node)).body(Some(block)).flags(flag::TEST);
    new.visibility = Visibility::Private;
    let def = walker.define_named(new, if title.is_empty() { "test" } else { title });
    walker.def_mut(def).params = 0;
    walker.in_def(def, |walker| {
        if let Some(name) = name.filter(|name| name.kind() == "identifier") {
            walker.visit(name);
        }
        walker.visit(block);
    });
}

// ----- types

/// A type's text as `link` reads it: of an error union what it holds when all went well.
fn type_text(walker: &Walker<'_>, ty: Node<'_>) -> String {
    match ty.field("ok").filter(|_| ty.kind() == "error_union_type") {
        Some(ok) => line(walker, ok).into_owned(),
        None => line(walker, ty).into_owned(),
    }
}

/// Records the mentions in a type, which is an expression like any other.
fn types(walker: &mut Walker<'_>, node: Node<'_>, role: Role, depth: u32) {
    if depth > 120 {
        return;
    }
    match node.kind() {
        "identifier" => {
            walker.reference(node, role, NONE);
        }
        "field_expression" => member(walker, node, role),
        "pointer_type" | "nullable_type" | "slice_type" | "array_type" | "error_union_type" => {
            walker.for_children(node, |walker, child| types(walker, child, role, depth + 1));
        }
        _ => walker.visit(node),
    }
}

// ----- statements

fn plain_assignment(walker: &mut Walker<'_>, node: Node<'_>) {
    let parts = named_children(node);
    let [targets @ .., value] = parts.as_slice() else { return };
    for target in targets {
        write_target(walker, *target);
    }
    walker.visit(*value);
}

fn assignment(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(left) = node.field("left") {
        write_target(walker, left);
    }
    walker.visit_field(node, "right");
}

fn write_target(walker: &mut Walker<'_>, target: Node<'_>) {
    match target.kind() {
        "identifier" if walker.text(target) == "_" => {}
        "identifier" => {
            walker.reference(target, Role::Write, NONE);
        }
        "field_expression" => member(walker, target, Role::Write),
        _ => walker.visit(target),
    }
}

/// A statement with `|name|`: what stands before is what the name holds, an element of it in a `for`.
fn captured(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.in_scope(|walker| {
        let is_for = node.kind().starts_with("for");
        let mut held: Vec<u32> = Vec::new();
        walker.for_children(node, |walker, child| {
            if child.kind() != "payload" {
                held.push(walker.expr_of(child));
                return walker.visit(child);
            }
            let names = named_children(child).into_iter().filter(|name| name.kind() == "identifier");
            for (slot, name) in names.enumerate() {
                let base = held.get(slot).copied().unwrap_or(NONE);
                let init = match base {
                    NONE => NONE,
                    base if is_for => walker.expr(ExprKind::Element, "", base, name),
                    base if node.kind() != "catch_expression" => base,
                    _ => NONE,
                };
                walker.bind(name, None, init, child.end_byte());
            }
        });
    });
}

/// `switch (x) { .a => .. }`: the names with a dot are members of `x`'s type.
fn switch(walker: &mut Walker<'_>, node: Node<'_>) {
    let subject = first_named(node);
    let base = subject.map_or(NONE, |subject| walker.expr_of(subject));
    walker.for_children(node, |walker, child| {
        if child.kind() != "switch_case" {
            return walker.visit(child);
        }
        walker.in_scope(|walker| {
            walker.for_children(child, |walker, part| match part.kind() {
                "payload" => {
                    for name in named_children(part).into_iter().filter(|name| name.kind() == "identifier") {
                        walker.bind(name, None, NONE, part.end_byte());
                    }
                }
                "field_expression" if part.field("object").is_none() => {
                    if let Some(name) = part.field("member").filter(|_| base != NONE) {
                        walker.reference(name, Role::Read, base);
                    }
                }
                _ => walker.visit(part),
            });
        });
    });
}

// ----- expressions

fn identifier(walker: &mut Walker<'_>, node: Node<'_>) {
    if walker.text(node) != "_" {
        walker.reference(node, Role::Read, NONE);
    }
}

fn member_access(walker: &mut Walker<'_>, node: Node<'_>) {
    member(walker, node, Role::Read);
}

/// `a.b`; of a mere `.b` nobody says here whose it is.
fn member(walker: &mut Walker<'_>, node: Node<'_>, role: Role) {
    let (Some(object), Some(name)) = (node.field("object"), node.field("member")) else { return };
    let recv = receiver(walker, object);
    walker.reference(name, role, recv);
    walker.visit(object);
}

fn call(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(function) = node.field("function") else { return walker.visit_children(node) };
    let usage = walker.result_use();
    let args = Some(named_children(node).len().saturating_sub(1));
    match function.kind() {
        "identifier" => {
            walker.call(function, NONE, args, usage);
        }
        "field_expression" => {
            let parts = (function.field("object"), function.field("member"));
            if let (Some(object), Some(name)) = parts {
                let recv = receiver(walker, object);
                walker.call(name, recv, args, usage);
                walker.visit(object);
            }
        }
        _ => walker.visit(function),
    }
    walker.visit_children_except(node, &[Some(function)]);
}

fn struct_initializer(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(ty) = first_named(node).filter(|ty| ty.kind() != "initializer_list") else { return walker.visit_children(node) };
    match ty.kind() {
        "identifier" | "field_expression" => types(walker, ty, Role::Instantiate, 0),
        _ => walker.visit(ty),
    }
    let text = line(walker, ty);
    let made = walker.expr(ExprKind::Typed, &text, NONE, node);
    initialised(walker, node, made);
}

fn anonymous_initializer(walker: &mut Walker<'_>, node: Node<'_>) {
    initialised(walker, node, NONE);
}

/// `.{ .name = value, .. }`: members of the new value are set, where its type is told.
fn initialised(walker: &mut Walker<'_>, node: Node<'_>, made: u32) {
    let Some(list) = child_of_kind(node, "initializer_list") else { return };
    walker.for_children(list, |walker, child| {
        let left = child.field("left").filter(|_| child.kind() == "assignment_expression");
        let name = left.filter(|left| left.field("object").is_none()).and_then(|left| left.field("member"));
        match name {
            Some(name) => {
                if made != NONE {
                    walker.reference(name, Role::Write, made);
                }
                walker.visit_field(child, "right");
            }
            None => walker.visit(child),
        }
    });
}

fn expr(walker: &mut Walker<'_>, node: Node<'_>) -> u32 {
    let field = |name: &str| node.child_by_field_name(name);
    let literal = |walker: &mut Walker<'_>, name: &str| walker.expr(ExprKind::Literal, name, NONE, node);
    match node.kind() {
        "identifier" => walker.expr(ExprKind::Name, walker.text(node), NONE, node),
        "field_expression" => match (field("object"), field("member")) {
            (Some(object), Some(name)) => derived(walker, ExprKind::Member, walker.text(name), object, node),
            _ => NONE,
        },
        "call_expression" => match field("function").map_or(NONE, |function| walker.expr_of(function)) {
            NONE => NONE,
            callee => walker.expr(ExprKind::Call, "", callee, node),
        },
        "builtin_function" if is_this(walker, node) => walker.expr(ExprKind::SelfRef, "", NONE, node),
        "builtin_function" if walker.text(node).starts_with("@as(") => {
            typed(walker, child_of_kind(node, "arguments").and_then(first_named), node)
        }
        "struct_initializer" => typed(walker, first_named(node).filter(|ty| ty.kind() != "initializer_list"), node),
        "index_expression" => field("object").map_or(NONE, |base| derived(walker, ExprKind::Index, "", base, node)),
        "try_expression"
        | "null_coercion_expression"
        | "dereference_expression"
        | "parenthesized_expression"
        | "catch_expression"
        | "comptime_expression" => first_named(node).map_or(NONE, |inner| walker.expr_of(inner)),
        "unary_expression" => last_named(node).map_or(NONE, |inner| walker.expr_of(inner)),
        "binary_expression" if has_word(node, "orelse") => first_named(node).map_or(NONE, |inner| walker.expr_of(inner)),
        "string" | "multiline_string" => literal(walker, "string"),
        "integer" => literal(walker, "comptime_int"),
        "float" => literal(walker, "comptime_float"),
        "boolean" => literal(walker, "bool"),
        _ => NONE,
    }
}
