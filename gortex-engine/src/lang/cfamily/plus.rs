//! What only C++ has: namespaces, templates, `using`, lambdas, range loops.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::declarator::{declared, split_qualified, typed};
use super::declare::{self, Around, bind_parameters, parameter_types, scope_expr, scope_text};
use super::expr::type_text;
use super::is_caps;
use super::prepare::word_len;
use super::types::{mention, mention_in, type_as};
use crate::facts::model::{ExprKind, Kind, NONE, Role, Usage, Visibility, flag, import_flag};
use crate::facts::walker::{NewDef, Walker, one_line};
use crate::lang::common::arg_count;

/// `namespace a::b { .. }`: one module in another. An unnamed one is walked as if it were not there.
pub(in crate::lang) fn namespace(w: &mut Walker<'_>, node: Node<'_>) {
    let body = node.field("body");
    let mut names = Vec::new();
    match node.field("name") {
        Some(name) if name.kind() == "nested_namespace_specifier" => segments(name, &mut names, 0),
        Some(name) => names.push(name),
        None => {}
    }
    within(w, node, &names, body);
}

fn segments<'t>(node: Node<'t>, out: &mut Vec<Node<'t>>, depth: u32) {
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        match child.kind() {
            "nested_namespace_specifier" if depth < super::DEPTH => segments(child, out, depth + 1),
            "namespace_identifier" => out.push(child),
            _ => {}
        }
    }
}

fn within(w: &mut Walker<'_>, node: Node<'_>, names: &[Node<'_>], body: Option<Node<'_>>) {
    let Some((first, rest)) = names.split_first() else {
        if let Some(body) = body {
            w.visit(body);
        }
        return;
    };
    let new = NewDef::new(Kind::Module, node, *first).body(body).visibility(Visibility::Public).flags(flag::EXPORTED);
    let def = w.define(new);
    w.owned_by(def, |w| within(w, node, rest, body));
}

fn has_token(node: Node<'_>, token: &str) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|child| child.kind() == token)
}

/// `using ns::Name;`, `using namespace ns;`, `using Base::member;`
pub(in crate::lang) fn using(w: &mut Walker<'_>, node: Node<'_>) {
    let Some(target) = node.named_child(0) else { return };
    if has_token(node, "namespace") {
        return w.import(target, w.text(target), "", "", import_flag::WILDCARD);
    }
    let (name, scope) = split_qualified(target);
    if scope.is_none() {
        return;
    }
    if w.owner_kind().is_some_and(Kind::is_type) {
        let recv = scope_expr(w, target);
        w.reference(name, Role::Read, recv);
        return;
    }
    let module = scope_text(w, target);
    w.import(name, &module, w.text(name), w.text(name), 0);
}

/// `namespace fs = std::filesystem;`
pub(in crate::lang) fn namespace_alias(w: &mut Walker<'_>, node: Node<'_>) {
    let Some(alias) = node.field("name") else { return };
    let last = node.named_child(node.named_child_count().saturating_sub(1) as u32);
    if let Some(target) = last.filter(|target| target.id() != alias.id()) {
        w.import(target, w.text(target), "", w.text(alias), import_flag::MODULE);
    }
}

/// `using Name = Type;`
pub(in crate::lang) fn alias(w: &mut Walker<'_>, node: Node<'_>) {
    alias_in(w, node, Around::default());
}

pub(super) fn alias_in(w: &mut Walker<'_>, node: Node<'_>, around: Around<'_>) {
    let (Some(name), Some(ty)) = (node.field("name"), node.field("type")) else {
        return w.visit_children(node);
    };
    let visibility = around.access.unwrap_or(Visibility::Public);
    let exported = if visibility == Visibility::Public && !w.in_function() { flag::EXPORTED } else { 0 };
    let mut new = NewDef::new(Kind::TypeAlias, node, name).visibility(visibility).flags(exported);
    new.first = around.outer;
    let def = w.define(new);
    let text = one_line(w.text(ty), 200);
    w.def_mut(def).ty = w.intern(&text);
    w.owned_by(def, |w| mention(w, ty, Role::Type));
}

/// `template <..>` in front of a declaration, which begins with it.
pub(in crate::lang) fn template(w: &mut Walker<'_>, node: Node<'_>) {
    template_in(w, node, Around::default());
}

pub(super) fn template_in(w: &mut Walker<'_>, node: Node<'_>, around: Around<'_>) {
    let parameters = node.field("parameters");
    let around = Around { outer: around.outer.or(Some(node)), ..around };
    w.in_scope(|w| {
        if let Some(parameters) = parameters {
            template_parameters(w, parameters);
        }
        w.for_children(node, |w, child| {
            if parameters.is_some_and(|list| list.id() == child.id()) {
                return;
            }
            match child.kind() {
                "function_definition" => declare::function_in(w, child, around),
                "declaration" => declare::declaration_in(w, child, around),
                "field_declaration" => declare::field_in(w, child, around),
                "template_declaration" => template_in(w, child, around),
                "alias_declaration" => alias_in(w, child, around),
                "class_specifier" | "struct_specifier" | "union_specifier" => mention_in(w, child, Role::Type, around),
                _ => w.visit(child),
            }
        });
    });
}

fn template_parameters(w: &mut Walker<'_>, list: Node<'_>) {
    w.for_children(list, |w, parameter| match parameter.kind() {
        "type_parameter_declaration" | "variadic_type_parameter_declaration" => {
            if let Some(name) = parameter.named_child(0) {
                w.bind(name, None, NONE, name.end_byte());
            }
        }
        "optional_type_parameter_declaration" => {
            if let Some(default) = parameter.field("default_type") {
                type_as(w, default, Role::Type);
            }
            if let Some(name) = parameter.field("name") {
                w.bind(name, None, NONE, name.end_byte());
            }
        }
        "template_template_parameter_declaration" => {
            let last = parameter.named_child(parameter.named_child_count().saturating_sub(1) as u32);
            if let Some(name) = last.and_then(|last| last.named_child(0)) {
                w.bind(name, None, NONE, name.end_byte());
            }
        }
        _ => {
            if let Some(ty) = parameter.field("type") {
                type_as(w, ty, Role::Type);
            }
            // What the prepared reading has in place of a macro.
            let text = w.text(parameter);
            let word = &text[..word_len(text.as_bytes())];
            if parameter.kind() == "optional_parameter_declaration" && is_caps(word) {
                let row = w.reference_named(parameter, word, Role::Call, NONE);
                w.call_detail(row, None, Usage::Unknown);
            }
            if let Some(value) = parameter.field("default_value") {
                w.visit(value);
            }
            if let Some(found) = parameter.field("declarator").and_then(declared) {
                w.bind(found.name, None, NONE, found.name.end_byte());
            }
        }
    });
}

/// `template class Foo<int>;` makes nothing new.
pub(in crate::lang) fn instantiation(w: &mut Walker<'_>, node: Node<'_>) {
    if let Some(ty) = node.field("type") {
        type_as(w, ty, Role::Type);
    }
}

/// `concept Name = ..;`
pub(in crate::lang) fn concept(w: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = node.field("name") else { return w.visit_children(node) };
    let def = w.define(NewDef::new(Kind::Trait, node, name).visibility(Visibility::Public).flags(flag::EXPORTED));
    w.owned_by(def, |w| w.visit_children_except(node, &[Some(name)]));
}

/// A friend is declared elsewhere; one with a body is a function that happens to stand here.
pub(in crate::lang) fn friend(w: &mut Walker<'_>, node: Node<'_>) {
    w.for_children(node, |w, child| match child.kind() {
        "declaration" => {
            if let Some(ty) = child.field("type") {
                type_as(w, ty, Role::Type);
            }
            let function = child.field("declarator").and_then(declared).and_then(|found| found.any_function);
            if let Some(list) = function.and_then(|function| function.field("parameters")) {
                parameter_types(w, list, Role::Type);
            }
        }
        _ => w.visit(child),
    });
}

/// A lambda without a name.
pub(in crate::lang) fn lambda(w: &mut Walker<'_>, node: Node<'_>) {
    captures(w, node);
    w.in_scope(|w| {
        lambda_body(w, node);
    });
}

fn captures(w: &mut Walker<'_>, node: Node<'_>) {
    let Some(list) = node.field("captures") else { return };
    w.for_children(list, |w, capture| match capture.kind() {
        "lambda_capture_initializer" => {
            let (left, right) = (capture.field("left"), capture.field("right"));
            if let Some(right) = right {
                w.visit(right);
            }
            if let (Some(left), Some(right)) = (left, right) {
                let init = w.expr_of(right);
                w.bind(left, None, init, node.start_byte());
            }
        }
        _ => w.visit(capture),
    });
}

fn lambda_body(w: &mut Walker<'_>, node: Node<'_>) -> (u16, bool) {
    if let Some(list) = node.field("template_parameters") {
        template_parameters(w, list);
    }
    let mut counted = (0, false);
    if let Some(head) = node.field("declarator") {
        if let Some(list) = head.field("parameters") {
            parameter_types(w, list, Role::ParamType);
            counted = bind_parameters(w, list);
        }
        let mut cursor = head.walk();
        let result = head.named_children(&mut cursor).find(|child| child.kind() == "trailing_return_type");
        if let Some(ty) = result.and_then(|result| result.named_child(0)) {
            type_as(w, ty, Role::ReturnType);
        }
    }
    w.visit_field(node, "body");
    counted
}

/// `auto name = [..](..) { .. };` is a function.
pub(super) fn named_lambda(w: &mut Walker<'_>, statement: Node<'_>, name: Node<'_>, lambda: Node<'_>) {
    captures(w, lambda);
    let local = w.in_function();
    let (visibility, flags) = if local { (Visibility::Private, 0) } else { (Visibility::Public, flag::EXPORTED) };
    let kind = if w.owner_kind().is_some_and(Kind::is_type) { Kind::Method } else { Kind::Function };
    let new = NewDef::new(kind, statement, name).body(lambda.field("body")).visibility(visibility).flags(flags);
    let def = w.define(new);
    w.in_def(def, |w| {
        let (count, variadic) = lambda_body(w, lambda);
        let row = w.def_mut(def);
        row.params = count;
        row.flags |= if variadic { flag::VARIADIC } else { 0 };
    });
}

/// Binds `auto [a, b] = value`.
pub(super) fn structured(w: &mut Walker<'_>, node: Node<'_>, init: u32, at: usize) {
    let mut slot = 0;
    w.for_children(node, |w, name| {
        let part = if init == NONE { NONE } else { w.expr(ExprKind::Index, "", init, name) };
        if part != NONE {
            w.expr_slot(part, slot);
        }
        slot += 1;
        w.bind(name, None, part, at);
    });
}

/// `for (T x : values)`.
pub(in crate::lang) fn range_loop(w: &mut Walker<'_>, node: Node<'_>) {
    w.in_scope(|w| {
        w.visit_field(node, "initializer");
        let right = node.field("right");
        let mut element = NONE;
        if let Some(right) = right {
            w.visit(right);
            let base = w.expr_of(right);
            if base != NONE {
                element = w.expr(ExprKind::Element, "", base, right);
            }
        }
        let ty = node.field("type");
        if let Some(ty) = ty {
            type_as(w, ty, Role::Type);
        }
        if let Some(found) = node.field("declarator").and_then(declared) {
            let at = right.map_or(found.name.end_byte(), |right| right.end_byte());
            if found.name.kind() == "structured_binding_declarator" {
                let mut slot = 0;
                w.for_children(found.name, |w, name| {
                    let base = w.rows.exprs.get(element as usize).map_or(NONE, |row| row.base);
                    let part = if base == NONE { NONE } else { w.expr(ExprKind::Element, "", base, name) };
                    if part != NONE {
                        w.expr_slot(part, slot);
                    }
                    slot += 1;
                    w.bind(name, None, part, at);
                });
            } else {
                let text = ty.map(|ty| typed(w, &found, &type_text(w, ty))).filter(|text| !text.starts_with("auto"));
                w.bind(found.name, text.as_deref(), element, at);
            }
        }
        w.visit_field(node, "body");
    });
}

/// `catch (const E& e) { .. }`.
pub(in crate::lang) fn catch(w: &mut Walker<'_>, node: Node<'_>) {
    w.in_scope(|w| {
        if let Some(list) = node.field("parameters") {
            parameter_types(w, list, Role::Type);
            bind_parameters(w, list);
        }
        w.visit_field(node, "body");
    });
}

/// `: field(value)`, `: Base(value)` of a constructor. Types are written with a capital far more often than fields are.
pub(in crate::lang) fn field_initializer(w: &mut Walker<'_>, node: Node<'_>) {
    let Some(target) = node.named_child(0) else { return };
    let value = node.named_child(1);
    match target.kind() {
        "field_identifier" if !w.text(target).starts_with(|c: char| c.is_uppercase()) => {
            let this = w.expr(ExprKind::SelfRef, "", NONE, target);
            w.reference(target, Role::Write, this);
        }
        "field_identifier" => {
            let row = w.reference(target, Role::Instantiate, NONE);
            w.call_detail(row, value.map(arg_count), crate::facts::model::Usage::Unknown);
        }
        "template_method" => {
            if let Some(name) = target.field("name") {
                w.reference(name, Role::Instantiate, NONE);
            }
            w.visit_field(target, "arguments");
        }
        _ => mention(w, target, Role::Instantiate),
    }
    w.visit_children_except(node, &[Some(target)]);
}
