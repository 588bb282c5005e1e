//! Types of C and C++: those that are spelled out with their members, and those that are mentioned.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::declarator::{Declared, bare, declared, split_qualified, typed};
use super::declare::{
    Around, child_of_kind, declaration_in, declarators, field_in, function_in, is_no_name, rest_of_declarator, seen,
};
use super::expr::type_text;
use super::prepare::braces_end;
use super::refs::{qualified_as, scopes};
use super::{DEPTH, plus};
use crate::facts::model::{Kind, NONE, Role, Usage, Visibility, flag};
use crate::facts::walker::{NewDef, Walker, one_line};

/// Name space of the numbers given to anonymous types.
const ANONYMOUS: u8 = 0;

/// Defines a type without a name under a number, which is returned.
pub(super) fn anonymous_type(w: &mut Walker<'_>, ty: Node<'_>) -> String {
    let owner = w.owner();
    let mut number = 1;
    while !w.claim(owner, ANONYMOUS, &format!("${number}")) {
        number += 1;
    }
    let name = format!("${number}");
    let Some(kind) = type_kind(ty) else { return name };
    let new = NewDef { name: None, ..NewDef::new(kind, ty, ty) }.body(ty.field("body")).flags(flag::ANONYMOUS);
    let def = w.define_named(new, &name);
    type_body(w, ty, def);
    name
}

/// `typedef type name, *name;`
pub(in crate::lang) fn typedef(w: &mut Walker<'_>, node: Node<'_>) {
    typedef_in(w, node, Around::default());
}

pub(super) fn typedef_in(w: &mut Walker<'_>, node: Node<'_>, around: Around<'_>) {
    let Some(ty) = node.field("type") else { return w.visit_children(node) };
    let found: Vec<Declared<'_>> = declarators(node).into_iter().filter_map(declared).collect();
    let body = ty.field("body");
    let tag = ty.field("name");
    let mut named = None;
    if let (Some(body), Some(kind)) = (body, type_kind(ty)) {
        let plain = found.iter().find(|one| one.marks[0] == 0 && one.any_function.is_none());
        let same = tag.is_none_or(|tag| plain.is_some_and(|one| w.text(one.name) == w.text(tag)));
        match plain.filter(|_| same) {
            Some(one) => {
                // `typedef struct { .. } Name;` is one type with one name.
                let (visibility, exported) = seen(w, around, false);
                let def = w.define(NewDef::new(kind, node, one.name).body(Some(body)).visibility(visibility).flags(exported));
                type_body(w, ty, def);
                named = Some(one.name.id());
            }
            None if tag.is_some() => mention_in(w, ty, Role::Type, around),
            None => {
                anonymous_type(w, ty);
            }
        }
    }
    let text = type_text(w, ty);
    let mut first = body.is_none();
    for one in found {
        if named == Some(one.name.id()) {
            continue;
        }
        let (visibility, exported) = seen(w, around, false);
        let def = w.define(NewDef::new(Kind::TypeAlias, node, one.name).visibility(visibility).flags(exported));
        let aliased = typed(w, &one, &text);
        let aliased = w.intern(&aliased);
        w.def_mut(def).ty = aliased;
        w.owned_by(def, |w| {
            if std::mem::take(&mut first) {
                type_as(w, ty, Role::Type);
            }
            rest_of_declarator(w, one);
        });
    }
}

/// A type anywhere else.
pub(in crate::lang) fn type_mention(w: &mut Walker<'_>, node: Node<'_>) {
    type_as(w, node, Role::Type);
}

/// `<A, B>` after a name.
pub(in crate::lang) fn template_arguments(w: &mut Walker<'_>, node: Node<'_>) {
    w.for_children(node, |w, argument| mention(w, argument, Role::GenericArg));
}

fn type_kind(node: Node<'_>) -> Option<Kind> {
    match node.kind() {
        "struct_specifier" => Some(Kind::Struct),
        "union_specifier" => Some(Kind::Union),
        "enum_specifier" => Some(Kind::Enum),
        "class_specifier" => Some(Kind::Class),
        _ => None,
    }
}

/// Records the type that a node names in a role, or defines the type it spells out. The row of the mention, if any.
pub(super) fn type_as(w: &mut Walker<'_>, node: Node<'_>, role: Role) -> Option<u32> {
    type_in(w, node, role, Around::default())
}

pub(super) fn type_in(w: &mut Walker<'_>, node: Node<'_>, role: Role, around: Around<'_>) -> Option<u32> {
    match node.kind() {
        "type_identifier" => (!node.is_missing()).then(|| w.reference(node, role, NONE)),
        "template_type" => {
            let row = w.reference(bare(node), role, NONE);
            w.visit_field(node, "arguments");
            Some(row)
        }
        "qualified_identifier" => Some(qualified_as(w, node, role)),
        "type_descriptor" => {
            let ty = node.field("type");
            let row = ty.and_then(|ty| type_in(w, ty, role, around));
            w.visit_children_except(node, &[ty]);
            row
        }
        "struct_specifier" | "union_specifier" | "enum_specifier" | "class_specifier" => {
            let name = node.field("name");
            if node.field("body").is_none() {
                let name = name?;
                return match name.kind() {
                    "type_identifier" => Some(w.reference(name, role, NONE)),
                    _ => type_in(w, name, role, around),
                };
            }
            define_type(w, node, around);
            None
        }
        "macro_type_specifier" => {
            if let Some(name) = node.field("name") {
                let row = w.reference(name, Role::Call, NONE);
                w.call_detail(row, Some(1), Usage::Unknown);
            }
            let inner = node.field("type")?;
            type_in(w, inner, role, around)
        }
        "dependent_type" | "placeholder_type_specifier" | "type_qualifier" => {
            w.visit_children(node);
            None
        }
        "primitive_type" | "sized_type_specifier" | "auto" => None,
        _ => {
            w.visit(node);
            None
        }
    }
}

/// [`type_as`] where nobody asks for the row.
pub(super) fn mention(w: &mut Walker<'_>, node: Node<'_>, role: Role) {
    type_as(w, node, role);
}

/// [`type_in`] where nobody asks for the row.
pub(super) fn mention_in(w: &mut Walker<'_>, node: Node<'_>, role: Role, around: Around<'_>) {
    type_in(w, node, role, around);
}

/// A type with a body.
pub(super) fn define_type(w: &mut Walker<'_>, node: Node<'_>, around: Around<'_>) {
    let Some(kind) = type_kind(node) else { return };
    let body = node.field("body");
    let Some(name) = node.field("name") else {
        if kind == Kind::Enum {
            // The constants of `enum { A, B };` belong to what is around it.
            return enumerators(w, node);
        }
        anonymous_type(w, node);
        return;
    };
    let (last, scope) = split_qualified(name);
    if is_no_name(w, bare(last)) {
        return w.visit_children(node);
    }
    if node.has_error() && read_again(w, node, around) {
        return;
    }
    let (visibility, exported) = seen(w, around, false);
    let mut new = NewDef::new(kind, node, bare(last)).body(body).visibility(visibility).flags(exported);
    new.first = around.outer;
    let def = w.define(new);
    if let Some(scope) = scope {
        let owner = w.intern(w.text(bare(scope)));
        w.def_mut(def).owner_type = owner;
    }
    w.owned_by(def, |w| {
        if scope.is_some() {
            scopes(w, name);
        }
        w.visit_field(last, "arguments");
    });
    type_body(w, node, def);
}

/// A broken type may swallow what stands behind it. Where its braces end before its node does, the type and the rest are
/// read again, each by itself; tells whether they were.
fn read_again(w: &mut Walker<'_>, node: Node<'_>, around: Around<'_>) -> bool {
    let Some(open) = node.field("body").map(|body| body.start_byte()) else { return false };
    let swallows = |end: &usize| *end < node.end_byte();
    if !braces_end(w.source, open).is_some_and(|end| swallows(&end)) {
        return false;
    }
    let prepare = w.language.language.hooks.prepare;
    let text = prepare.and_then(|prepare| prepare(w.source)).unwrap_or_else(|| w.source.to_vec());
    let Some(end) = braces_end(&text, open).filter(swallows) else { return false };
    let gap = text[end..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let end = if text.get(end + gap) == Some(&b';') { end + gap + 1 } else { end };
    let start = around.outer.unwrap_or(node);
    let parts = [start.start_byte()..end, end..node.end_byte().max(end)];
    w.visit_ranges(&text, start, &parts)
}

/// Bases and members of a type.
fn type_body(w: &mut Walker<'_>, node: Node<'_>, def: u32) {
    if let Some(bases) = child_of_kind(node, "base_class_clause") {
        w.owned_by(def, |w| w.for_children(bases, |w, base| superclass(w, base, def)));
    }
    w.in_def(def, |w| {
        if node.kind() == "enum_specifier" {
            return enumerators(w, node);
        }
        let access = if node.kind() == "class_specifier" { Visibility::Private } else { Visibility::Public };
        if let Some(body) = node.field("body") {
            members(w, body, Some(access));
        }
    });
}

fn superclass(w: &mut Walker<'_>, base: Node<'_>, def: u32) {
    let (name, scope) = split_qualified(base);
    if !matches!(name.kind(), "type_identifier" | "template_type" | "dependent_name") {
        return;
    }
    let text = match scope {
        Some(_) => one_line(w.slice(base.start_byte(), bare(name).end_byte()), 200),
        None => w.text(bare(name)).to_owned(),
    };
    w.supertype(def, "", bare(name), &text, Role::Extends, false);
    if scope.is_some() {
        scopes(w, base);
    }
    w.visit_field(name, "arguments");
}

/// Walks the body of a type, with the access label that holds at each member.
pub(super) fn members(w: &mut Walker<'_>, body: Node<'_>, access: Option<Visibility>) {
    let mut access = access;
    member_list(w, body, &mut access, 0);
}

fn member_list(w: &mut Walker<'_>, list: Node<'_>, access: &mut Option<Visibility>, depth: u32) {
    w.for_children(list, |w, child| {
        let around = Around { outer: None, access: *access };
        match child.kind() {
            "access_specifier" => {
                *access = match w.text(child).split([' ', ':']).next() {
                    Some("public") => Some(Visibility::Public),
                    Some("protected") => Some(Visibility::Protected),
                    _ => Some(Visibility::Private),
                };
            }
            "field_declaration" => field_in(w, child, around),
            "function_definition" => function_in(w, child, around),
            "declaration" => declaration_in(w, child, around),
            "type_definition" => typedef_in(w, child, around),
            "template_declaration" => plus::template_in(w, child, around),
            "alias_declaration" => plus::alias_in(w, child, around),
            "preproc_if" | "preproc_ifdef" | "preproc_else" | "preproc_elif" | "preproc_elifdef" | "ERROR" if depth < DEPTH => {
                member_list(w, child, access, depth + 1);
            }
            _ => w.visit(child),
        }
    });
}

/// The constants of an enumeration.
fn enumerators(w: &mut Walker<'_>, node: Node<'_>) {
    if let Some(body) = node.field("body") {
        enumerator_list(w, body, 0);
    }
}

fn enumerator_list(w: &mut Walker<'_>, list: Node<'_>, depth: u32) {
    w.for_children(list, |w, child| {
        let Some(name) = child.field("name").filter(|_| child.kind() == "enumerator") else {
            if child.kind().starts_with("preproc") && depth < DEPTH {
                return enumerator_list(w, child, depth + 1);
            }
            return w.visit(child);
        };
        let value = child.field("value");
        let init = value.map_or(NONE, |value| w.expr_of(value));
        let def = w.define(NewDef::new(Kind::EnumMember, child, name).visibility(Visibility::Public).flags(flag::EXPORTED));
        w.def_mut(def).init = init;
        if let Some(value) = value {
            w.owned_by(def, |w| w.visit(value));
        }
    });
}
