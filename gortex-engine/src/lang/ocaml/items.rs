//! OCaml's definitions: modules, types, values and classes.
//!
//! Knows what a definition says about itself; expressions and patterns are next door.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::values::{bind_pattern, module_text, type_text, types};
use crate::facts::model::{ExprKind, Kind, NONE, Role, Visibility, flag, import_flag};
use crate::facts::walker::{NewDef, Walker};
use crate::lang::nodes::{child_of_kind, has_child, named_children};

/// The text of a documentation comment without its marks.
pub(super) fn comment_text(text: &str) -> String {
    let inner = text.trim_start_matches("(*").trim_start_matches('*').trim_end_matches("*)").trim_end_matches('*');
    let lines: Vec<&str> = inner.lines().map(str::trim).collect();
    lines.join("\n").trim().to_owned()
}

/// Enters a definition with the documentation above it or, as interfaces have it, behind it.
fn define(walker: &mut Walker<'_>, new: NewDef<'_>, name: &str, item: Node<'_>) -> u32 {
    let def = walker.define_named(new.visibility(Visibility::Public).flags(flag::EXPORTED), name);
    let is_doc = |node: &Node<'_>| node.kind() == "comment";
    let above = item.prev_sibling().filter(is_doc).filter(|above| {
        let own_line = above.prev_sibling().is_none_or(|before| before.end_position().row < above.start_position().row);
        own_line && above.end_position().row + 1 >= item.start_position().row
    });
    let behind = item.next_sibling().filter(is_doc).filter(|next| next.start_position().row <= item.end_position().row + 1);
    let is_text = |node: &Node<'_>| walker.text(*node).starts_with("(**");
    let found = above.filter(is_text).or(behind.filter(is_text)).map(|node| comment_text(walker.text(node)));
    walker.doc_inside(def, found.as_deref().unwrap_or(""));
    def
}

/// `open M`, `include M`.
pub(super) fn open(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(module) = node.field("module").filter(|module| module.kind() == "module_path") else {
        return walker.visit_children(node);
    };
    let includes = if node.kind() == "open_module" { 0 } else { import_flag::REEXPORT };
    let text = module_text(walker, module);
    walker.import(module, &text, "", "", import_flag::WILDCARD | includes);
}

/// `module M = struct .. end`, `module M = Other`, `module F (X : S) = ..`.
pub(super) fn modules(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.for_children(node, |walker, binding| {
        if binding.kind() == "module_binding" {
            module_binding(walker, node, binding);
        }
    });
}

fn module_binding(walker: &mut Walker<'_>, node: Node<'_>, binding: Node<'_>) {
    let Some(name) = child_of_kind(binding, "module_name") else { return };
    let mut body = binding.field("body");
    while let Some(inner) =
        body.filter(|body| matches!(body.kind(), "parenthesized_module_expression" | "typed_module_expression"))
    {
        body = inner.named_child(0);
    }
    let alias = match body {
        Some(body) if body.kind() == "module_path" => Some(body),
        Some(body) if body.kind() == "module_application" => functor_of(body),
        _ => None,
    };
    let takes = child_of_kind(binding, "module_parameter").is_some();
    if let Some(target) = alias.filter(|_| !takes) {
        let text = module_text(walker, target);
        let alias = walker.text(name);
        walker.import(target, &text, "", alias, import_flag::MODULE);
        if let Some(argument) = body.and_then(|body| body.field("argument")) {
            walker.visit(argument);
        }
        return;
    }
    let new = NewDef::new(Kind::Module, node, name).body(body);
    let text = walker.text(name);
    let def = define(walker, new, text, node);
    walker.owned_by(def, |walker| {
        walker.in_scope(|walker| {
            for parameter in named_children(binding).into_iter().filter(|child| child.kind() == "module_parameter") {
                module_parameter(walker, parameter);
            }
            if let Some(ty) = binding.field("module_type") {
                // A signature says again what the body defines; without a body it is all there is.
                if body.is_none() || ty.kind() != "signature" {
                    walker.visit(ty);
                }
            }
            if let Some(body) = body {
                walker.visit(body);
            }
        });
    });
}

/// The functor at the head of an application.
fn functor_of(node: Node<'_>) -> Option<Node<'_>> {
    let mut at = node;
    for _ in 0..16 {
        at = at.field("functor")?;
        if at.kind() == "module_path" {
            return Some(at);
        }
    }
    None
}

/// A functor's parameter is a module of which the signature is known.
fn module_parameter(walker: &mut Walker<'_>, parameter: Node<'_>) {
    let ty = parameter.field("module_type");
    if let Some(ty) = ty {
        walker.visit(ty);
    }
    if let Some(name) = child_of_kind(parameter, "module_name") {
        let text = ty.filter(|ty| ty.kind() == "module_type_path").map_or("", |ty| walker.text(ty));
        walker.bind(name, Some(text), NONE, parameter.end_byte());
    }
}

pub(super) fn module_type(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = child_of_kind(node, "module_type_name") else { return walker.visit_children(node) };
    let body = node.field("body");
    let text = walker.text(name);
    let def = define(walker, NewDef::new(Kind::Interface, node, name).body(body), text, node);
    walker.in_def(def, |walker| {
        if let Some(body) = body {
            walker.visit(body);
        }
    });
}

// ----- types

pub(super) fn type_definition(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.for_children(node, |walker, binding| {
        if binding.kind() == "type_binding" {
            type_binding(walker, node, binding);
        }
    });
}

fn type_binding(walker: &mut Walker<'_>, node: Node<'_>, binding: Node<'_>) {
    let Some(name) = binding.field("name") else { return };
    let body = binding.field("body");
    if name.kind() != "type_constructor" {
        // `type t += C` adds to a type of elsewhere.
        types(walker, name, Role::Type);
        if let Some(body) = body {
            constructors(walker, body);
        }
        return;
    }
    let kind = match body.map_or("", |body| body.kind()) {
        "record_declaration" => Kind::Record,
        "variant_declaration" | ".." => Kind::Enum,
        _ => Kind::TypeAlias,
    };
    let text = walker.text(name);
    let def = define(walker, NewDef::new(kind, binding, name), text, node);
    let equation = binding.field("equation").or(body.filter(|_| kind == Kind::TypeAlias));
    if let Some(equation) = equation {
        let text = type_text(walker, equation);
        walker.def_mut(def).ty = walker.intern(&text);
    }
    walker.in_def(def, |walker| {
        if let Some(equation) = binding.field("equation") {
            types(walker, equation, Role::Type);
        }
        match body {
            Some(body) if kind == Kind::Record => fields(walker, body),
            Some(body) if kind == Kind::Enum => constructors(walker, body),
            Some(body) => types(walker, body, Role::Type),
            None => {}
        }
    });
}

fn fields(walker: &mut Walker<'_>, body: Node<'_>) {
    for field in named_children(body).into_iter().filter(|child| child.kind() == "field_declaration") {
        let Some(name) = child_of_kind(field, "field_name") else { continue };
        let text = walker.text(name);
        let def = define(walker, NewDef::new(Kind::Field, field, name), text, field);
        if let Some(ty) = field.field("type") {
            let text = type_text(walker, ty);
            walker.def_mut(def).ty = walker.intern(&text);
            walker.owned_by(def, |walker| types(walker, ty, Role::FieldType));
        }
    }
}

fn constructors(walker: &mut Walker<'_>, body: Node<'_>) {
    for one in named_children(body).into_iter().filter(|child| child.kind() == "constructor_declaration") {
        constructor(walker, one, one, Kind::EnumMember);
    }
}

fn constructor(walker: &mut Walker<'_>, item: Node<'_>, node: Node<'_>, kind: Kind) {
    let Some(name) = child_of_kind(node, "constructor_name") else { return };
    let text = walker.text(name);
    let def = define(walker, NewDef::new(kind, item, name), text, item);
    walker.owned_by(def, |walker| {
        for part in named_children(node).into_iter().filter(|part| part.kind() != "constructor_name") {
            if part.kind() == "record_declaration" { fields(walker, part) } else { types(walker, part, Role::FieldType) }
        }
    });
}

pub(super) fn exception(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(inner) = child_of_kind(node, "constructor_declaration") {
        constructor(walker, node, inner, Kind::Class);
    }
}

// ----- values

/// `let f x = ..` at the top of a module defines, in an expression it binds.
pub(super) fn value_definition(walker: &mut Walker<'_>, node: Node<'_>) {
    let attribute = child_of_kind(node, "attribute_id").map_or("", |id| walker.text(id));
    let is_test = matches!(attribute, "test" | "test_unit" | "expect_test" | "test_module");
    if let Some(operator) = child_of_kind(node, "let_operator") {
        walker.reference(operator, Role::Call, NONE);
    }
    let local = walker.around(1) == "let_expression" || walker.around(1) == "class_definition";
    let rec = has_child(node, "rec");
    let bindings: Vec<_> = named_children(node).into_iter().filter(|child| child.kind() == "let_binding").collect();
    for binding in bindings {
        let Some(pattern) = binding.field("pattern") else { continue };
        let body = binding.field("body");
        let takes = child_of_kind(binding, "parameter").is_some()
            || body.is_some_and(|body| matches!(body.kind(), "fun_expression" | "function_expression"));
        let named = matches!(pattern.kind(), "value_name" | "parenthesized_operator");
        if is_test {
            test(walker, node, binding, pattern);
        } else if named && (!local || takes) {
            value(walker, node, binding, pattern, takes);
        } else {
            if !local {
                top_pattern(walker, node, pattern);
            }
            let init = bound_value(walker, binding);
            let at = if rec { binding.start_byte() } else { binding.end_byte() };
            if local {
                bind_pattern(walker, pattern, "", init, at);
            }
        }
    }
}

/// `let a, b = ..` at the top of a module.
fn top_pattern(walker: &mut Walker<'_>, node: Node<'_>, pattern: Node<'_>) {
    let mut pending = vec![pattern];
    while let Some(at) = pending.pop() {
        if matches!(at.kind(), "value_name" | "value_pattern") {
            let name = walker.text(at);
            define(walker, NewDef::new(Kind::Variable, node, at), name, node);
        } else if at.kind().ends_with("_pattern") {
            pending.extend(named_children(at).into_iter().rev());
        }
    }
}

/// `let%test "title" = ..`.
fn test(walker: &mut Walker<'_>, node: Node<'_>, binding: Node<'_>, pattern: Node<'_>) {
    let title = child_of_kind(pattern, "string_content").unwrap_or(pattern);
    let text = walker.text(title);
    let new = NewDef::new(Kind::Function, node, title).body(binding.field("body")).flags(flag::TEST);
    let def = walker.define_named(new, text);
    walker.in_def(def, |walker| walker.visit_field(binding, "body"));
}

/// The name of an operator without its parentheses.
fn value_name<'a>(walker: &Walker<'a>, pattern: Node<'_>) -> &'a str {
    let inner = if pattern.kind() == "parenthesized_operator" { pattern.named_child(0).unwrap_or(pattern) } else { pattern };
    walker.text(inner)
}

fn value(walker: &mut Walker<'_>, node: Node<'_>, binding: Node<'_>, pattern: Node<'_>, takes: bool) {
    let kind = if takes { Kind::Function } else { Kind::Variable };
    let body = binding.field("body");
    let name = value_name(walker, pattern);
    let def = define(walker, NewDef::new(kind, binding, pattern).body(body), name, node);
    let ty = binding.field("type");
    if let Some(ty) = ty {
        let text = type_text(walker, ty);
        walker.def_mut(def).ty = walker.intern(&text);
    }
    let parameters = named_children(binding).into_iter().filter(|child| child.kind() == "parameter");
    let inner = body.filter(|body| body.kind() == "fun_expression").map(named_children).unwrap_or_default();
    let count = parameters.clone().count() + inner.iter().filter(|child| child.kind() == "parameter").count();
    if takes {
        walker.def_mut(def).params = count.max(1) as u16;
    }
    walker.in_def(def, |walker| {
        for parameter in parameters {
            bind_parameter(walker, parameter);
        }
        if let Some(ty) = ty {
            types(walker, ty, if takes { Role::ReturnType } else { Role::Type });
        }
        if let Some(body) = body {
            if !takes {
                let init = walker.expr_of(body);
                walker.def_mut(def).init = init;
            }
            walker.visit(body);
        }
    });
}

/// Visits the value of a local binding; what it is, for the name it is bound to.
fn bound_value(walker: &mut Walker<'_>, binding: Node<'_>) -> u32 {
    let Some(body) = binding.field("body") else { return NONE };
    if let Some(ty) = binding.field("type") {
        types(walker, ty, Role::Type);
        let text = type_text(walker, ty);
        walker.visit(body);
        return walker.expr(ExprKind::Typed, &text, NONE, ty);
    }
    let init = walker.expr_of(body);
    walker.visit(body);
    init
}

pub(super) fn bind_parameter(walker: &mut Walker<'_>, parameter: Node<'_>) {
    if let Some(default) = parameter.field("default") {
        walker.visit(default);
    }
    let ty = parameter.field("type");
    let text = ty.map(|ty| type_text(walker, ty)).unwrap_or_default();
    if let Some(ty) = ty {
        types(walker, ty, Role::ParamType);
    }
    if let Some(pattern) = parameter.field("pattern") {
        bind_pattern(walker, pattern, &text, NONE, parameter.end_byte());
    }
}

/// `val f : t -> u`, `external f : t -> u = ".."`.
pub(super) fn specification(walker: &mut Walker<'_>, node: Node<'_>) {
    let name = child_of_kind(node, "value_name").or_else(|| child_of_kind(node, "parenthesized_operator"));
    let Some(name) = name else { return };
    let ty = node.field("type");
    let mut at = ty;
    let mut count = 0;
    while let Some(function) = at.filter(|at| at.kind() == "function_type") {
        count += 1;
        at = function.field("codomain");
    }
    let kind = if count > 0 { Kind::Function } else { Kind::Variable };
    let flags = if node.kind() == "external" { 0 } else { flag::DECLARATION };
    let text = value_name(walker, name);
    let def = define(walker, NewDef::new(kind, node, name).flags(flags), text, node);
    if count > 0 {
        walker.def_mut(def).params = count;
    }
    if let Some(result) = at {
        let text = type_text(walker, result);
        walker.def_mut(def).ty = walker.intern(&text);
    }
    walker.in_def(def, |walker| {
        if let Some(ty) = ty {
            types(walker, ty, if count > 0 { Role::ParamType } else { Role::Type });
        }
    });
}

// ----- classes

pub(super) fn classes(walker: &mut Walker<'_>, node: Node<'_>) {
    for binding in named_children(node).into_iter().filter(|child| child.kind() == "class_binding") {
        let Some(name) = child_of_kind(binding, "class_name") else { continue };
        let body = binding.field("body");
        let text = walker.text(name);
        let def = define(walker, NewDef::new(Kind::Class, binding, name).body(body), text, node);
        walker.in_def(def, |walker| {
            for parameter in named_children(binding).into_iter().filter(|child| child.kind() == "parameter") {
                bind_parameter(walker, parameter);
            }
            if let Some(body) = body {
                walker.visit(body);
            }
        });
    }
}

/// `object (self) .. end`.
pub(super) fn object(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.in_scope(|walker| {
        let name = node.field("self");
        if let Some(name) = name {
            let init = walker.expr(ExprKind::SelfRef, "", NONE, name);
            bind_pattern(walker, name, "", init, name.start_byte());
        }
        walker.visit_children_except(node, &[name]);
    });
}

pub(super) fn inheritance(walker: &mut Walker<'_>, node: Node<'_>) {
    let mut class = node.field("class");
    while let Some(inner) = class.filter(|class| class.kind() == "class_application") {
        class = inner.named_child(0);
    }
    if let Some((class, owner)) = class.filter(|class| class.kind() == "class_path").zip(walker.enclosing_type()) {
        let text = walker.text(class);
        let place = child_of_kind(class, "class_name").unwrap_or(class);
        walker.supertype(owner, "", place, text, Role::Extends, false);
    }
    if let Some(alias) = node.field("alias") {
        let init = walker.expr(ExprKind::Super, "", NONE, alias);
        bind_pattern(walker, alias, "", init, alias.end_byte());
    }
}

pub(super) fn method(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = child_of_kind(node, "method_name") else { return walker.visit_children(node) };
    let body = node.field("body");
    let visibility = if has_child(node, "private") { Visibility::Private } else { Visibility::Public };
    let flags = if body.is_none() { flag::DECLARATION } else { 0 };
    let def = walker.define(NewDef::new(Kind::Method, node, name).body(body).visibility(visibility).flags(flags));
    let parameters: Vec<_> = named_children(node).into_iter().filter(|child| child.kind() == "parameter").collect();
    walker.def_mut(def).params = parameters.len() as u16;
    walker.in_def(def, |walker| {
        for parameter in parameters {
            bind_parameter(walker, parameter);
        }
        if let Some(ty) = node.field("type") {
            types(walker, ty, Role::ReturnType);
        }
        if let Some(body) = body {
            walker.visit(body);
        }
    });
}

pub(super) fn instance_variable(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(name) = child_of_kind(node, "instance_variable_name") {
        let def = walker.define(NewDef::new(Kind::Field, node, name).visibility(Visibility::Private));
        let body = node.field("body");
        let init = body.map_or(NONE, |body| walker.expr_of(body));
        walker.def_mut(def).init = init;
        // Its name is a local of the object.
        walker.bind(name, None, init, node.end_byte());
    }
    walker.visit_field(node, "body");
}
