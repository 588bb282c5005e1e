//! Definitions: modules, functions with their clauses, structs, attributes.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::{DEFINED, arguments, child_of_kind, keyword, module_name, pattern, receiver, target};
use crate::facts::model::{ExprKind, Kind, NONE, Role, Usage, Visibility, flag};
use crate::facts::walker::{NewDef, Walker, one_line};

/// What attributes said of the definition that follows.
#[derive(Debug, Default)]
pub(super) struct Pending {
    doc: Option<String>,
    /// Name and result type of a `@spec`.
    spec: Option<(String, String)>,
    overrides: bool,
}

/// Visits the statements of a body in turn, handing what attributes say on to what follows.
pub(super) fn statements(w: &mut Walker<'_>, node: Node<'_>) {
    let mut pending = Pending::default();
    w.for_children(node, |w, child| {
        if child.kind() == "unary_operator" {
            if !noted(w, child, &mut pending) {
                w.visit(child);
            }
            return;
        }
        let name = target(child).filter(|_| child.kind() == "call").map_or("", |(_, name)| w.text(name));
        let list = arguments(child).filter(|_| name.starts_with("def"));
        match list {
            Some(list) if is_function(name) => {
                w.visit_with(child, |w, child| {
                    if !function(w, child, list, name, &pending) {
                        w.visit_children(child);
                    }
                });
                pending = Pending::default();
            }
            _ => w.visit(child),
        }
    });
}

fn is_function(name: &str) -> bool {
    matches!(name, "def" | "defp" | "defmacro" | "defmacrop" | "defguard" | "defguardp" | "defdelegate" | "defn" | "defnp")
}

/// Takes up `@doc`, `@spec`, `@impl`; true where nothing else is to be done with it.
fn noted(w: &mut Walker<'_>, node: Node<'_>, pending: &mut Pending) -> bool {
    let Some(operand) = node.field("operand").filter(|operand| operand.kind() == "call") else { return false };
    let Some((None, name)) = target(operand) else { return false };
    let value = arguments(operand).and_then(|list| list.named_child(0));
    match w.text(name) {
        "doc" | "typedoc" => pending.doc = value.and_then(|value| text_of(w, value)),
        "moduledoc" => {
            let owner = w.owner();
            if let (Some(text), true) = (value.and_then(|value| text_of(w, value)), owner != NONE) {
                w.doc_inside(owner, &text);
            }
        }
        "impl" => {
            pending.overrides = value.is_some_and(|value| w.text(value) != "false");
            if let Some(value) = value {
                w.visit(value);
            }
        }
        "spec" => {
            if let Some(value) = value {
                pending.spec = spec(w, value);
                types(w, value);
            }
        }
        _ => return false,
    }
    true
}

/// The text of a string or heredoc.
fn text_of(w: &Walker<'_>, node: Node<'_>) -> Option<String> {
    let inner =
        if node.kind() == "sigil" || node.kind() == "string" { child_of_kind(node, "quoted_content")? } else { return None };
    let lines: Vec<&str> = w.text(inner).trim().lines().map(str::trim).collect();
    Some(lines.join("\n"))
}

/// `name(args) :: result`.
fn spec(w: &Walker<'_>, node: Node<'_>) -> Option<(String, String)> {
    let node = without_guard(w, node);
    let (left, right) = (node.field("left")?, node.field("right")?);
    let name = if left.kind() == "call" { target(left)?.1 } else { left };
    Some((w.text(name).to_owned(), one_line(w.text(right), 200)))
}

/// The part in front of `when`.
fn without_guard<'t>(w: &Walker<'_>, node: Node<'t>) -> Node<'t> {
    let guarded = node.kind() == "binary_operator" && node.field("operator").is_some_and(|op| w.text(op) == "when");
    if guarded { node.field("left").unwrap_or(node) } else { node }
}

/// Mentions of modules and local types in a type expression.
fn types(w: &mut Walker<'_>, node: Node<'_>) {
    match node.kind() {
        "alias" => drop(w.reference(node, Role::Type, NONE)),
        "call" => {
            match target(node) {
                Some((Some(object), name)) => {
                    let recv = receiver(w, object);
                    w.reference(name, Role::Type, recv);
                    types(w, object);
                }
                Some((None, name)) => drop(w.reference(name, Role::Type, NONE)),
                None => {}
            }
            if let Some(list) = arguments(node) {
                w.nested(|w| w.for_children(list, types));
            }
        }
        "binary_operator" => {
            let left = node.field("left");
            let head = node.field("operator").is_some_and(|op| w.text(op) == "::");
            match left.filter(|left| head && left.kind() == "call") {
                Some(call) => {
                    if let Some(list) = arguments(call) {
                        w.nested(|w| w.for_children(list, types));
                    }
                }
                None => {
                    if let Some(left) = left {
                        w.nested(|w| types(w, left));
                    }
                }
            }
            if let Some(right) = node.field("right") {
                w.nested(|w| types(w, right));
            }
        }
        "identifier" => drop(w.reference(node, Role::Type, NONE)),
        _ => w.nested(|w| w.for_children(node, types)),
    }
}

/// `@name value` in a module: a constant, unless Elixir reads it itself.
pub(super) fn attribute(w: &mut Walker<'_>, node: Node<'_>, operand: Node<'_>) {
    let Some((None, name)) = target(operand) else { return w.visit_children(operand) };
    let text = w.text(name);
    let Some(list) = arguments(operand) else { return };
    let Some(value) = list.named_child(0) else { return };
    let owner = w.owner();
    match text {
        "behaviour" if owner != NONE => {
            let module = super::spelled(w, value);
            w.supertype(owner, "", value, &module, Role::Implements, false);
        }
        "callback" | "macrocallback" => callback(w, node, value),
        "type" | "typep" | "opaque" => type_alias(w, node, value, text),
        "doc" | "moduledoc" | "typedoc" | "spec" | "impl" | "moduletag" | "tag" | "compile" | "dialyzer" | "derive"
        | "deprecated" | "since" | "optional_callbacks" | "enforce_keys" | "on_load" | "before_compile" | "after_compile"
        | "external_resource" | "describetag" | "on_definition" | "vsn" => w.visit(list),
        _ => {
            let full = format!("@{text}");
            let in_module = matches!(w.owner_kind(), Some(Kind::Module | Kind::Interface));
            if !in_module || !w.claim(owner, DEFINED, &full) {
                let row = w.reference_named(node, &full, Role::Write, NONE);
                w.call_detail(row, None, Usage::Unknown);
                return w.visit(list);
            }
            let def = w.define_named(NewDef::new(Kind::Constant, node, name).visibility(Visibility::Private), &full);
            let init = w.expr_of(value);
            w.def_mut(def).init = init;
            w.owned_by(def, |w| w.visit(list));
        }
    }
}

fn callback(w: &mut Walker<'_>, node: Node<'_>, value: Node<'_>) {
    let inner = without_guard(w, value);
    let (Some(left), right) = (inner.field("left"), inner.field("right")) else { return };
    let name = if left.kind() == "call" { target(left).map(|(_, name)| name) } else { Some(left) };
    let Some(name) = name else { return };
    let new = NewDef::new(Kind::Method, node, name).flags(flag::DECLARATION | flag::EXPORTED).visibility(Visibility::Public);
    let def = w.define(new);
    let result = right.map(|right| one_line(w.text(right), 200)).unwrap_or_default();
    let ty = w.intern(&result);
    let row = w.def_mut(def);
    row.params = arguments(left).map_or(0, |list| list.named_child_count() as u16);
    row.ty = ty;
    w.owned_by(def, |w| types(w, value));
}

fn type_alias(w: &mut Walker<'_>, node: Node<'_>, value: Node<'_>, text: &str) {
    let left = value.field("left");
    let name = left.and_then(|left| if left.kind() == "call" { target(left).map(|(_, name)| name) } else { Some(left) });
    let Some(name) = name else { return w.visit(value) };
    let private = text == "typep";
    let (visibility, flags) = if private { (Visibility::Private, 0) } else { (Visibility::Public, flag::EXPORTED) };
    let def = w.define(NewDef::new(Kind::TypeAlias, node, name).visibility(visibility).flags(flags));
    if let Some(right) = value.field("right") {
        let ty = one_line(w.text(right), 200);
        w.def_mut(def).ty = w.intern(&ty);
        w.owned_by(def, |w| types(w, right));
    }
}

/// `defmodule A.B do`, `defprotocol P do`, `defimpl P, for: T do`.
pub(super) fn module(w: &mut Walker<'_>, node: Node<'_>, list: Node<'_>, text: &str) -> bool {
    let (Some(name), Some(block)) = (list.named_child(0), child_of_kind(node, "do_block")) else { return false };
    if name.kind() != "alias" && !w.text(name).starts_with("__MODULE__") {
        return false;
    }
    let kind = if text == "defprotocol" { Kind::Interface } else { Kind::Module };
    let target_type = keyword(w, list, "for");
    let mut full = w.text(name).trim_start_matches("__MODULE__.").to_owned();
    if text == "defimpl" {
        let of = target_type.map_or_else(|| module_name(w), |node| w.text(node).to_owned());
        full = format!("{full}.{}", one_line(&of, 120));
    }
    let mut new = NewDef::new(kind, node, name).body(Some(block)).visibility(Visibility::Public).flags(flag::EXPORTED);
    if full.ends_with("Test") {
        new = new.flags(flag::IN_TEST);
    }
    let def = w.define_named(new, &full);
    if text == "defimpl" {
        let protocol = super::spelled(w, name);
        w.supertype(def, "", name, &protocol, Role::Implements, false);
        if let Some(of) = target_type.filter(|of| of.kind() == "alias") {
            w.reference(of, Role::Type, NONE);
        }
    }
    w.in_file_scope(|w| w.in_def(def, |w| w.visit_with(block, statements)));
    true
}

/// A function, macro or guard; a further clause of one that is known belongs to it.
pub(super) fn function(w: &mut Walker<'_>, node: Node<'_>, list: Node<'_>, text: &str, pending: &Pending) -> bool {
    let Some(first) = list.named_child(0) else { return false };
    let head = without_guard(w, first);
    let (name, parameters) = match head.kind() {
        "identifier" => (head, None),
        "call" => match target(head) {
            Some((None, name)) => (name, arguments(head)),
            _ => return false,
        },
        // `def left <~> right`.
        "binary_operator" | "unary_operator" => match head.field("operator") {
            Some(operator) => (operator, None),
            None => return false,
        },
        _ => return false,
    };
    if name.kind() == "identifier" && w.text(name) == "unquote" {
        return false;
    }
    let arity = match (head.kind(), parameters) {
        ("binary_operator", _) => 2,
        ("unary_operator", _) => 1,
        (_, list) => list.map_or(0, |list| list.named_child_count() as u16),
    };
    let body = child_of_kind(node, "do_block").or_else(|| child_of_kind(list, "keywords"));
    let owner = w.owner();
    let known = clause_of(w, owner, w.text(name), arity);
    let def = known.unwrap_or_else(|| {
        let private = text.ends_with('p');
        let (visibility, mut flags) = if private { (Visibility::Private, 0) } else { (Visibility::Public, flag::EXPORTED) };
        if pending.overrides {
            flags |= flag::OVERRIDE;
        }
        let in_protocol = w.owner_kind() == Some(Kind::Interface);
        if in_protocol && body.is_none() {
            flags |= flag::DECLARATION;
        }
        let kind = match text {
            "defmacro" | "defmacrop" | "defguard" | "defguardp" => Kind::Macro,
            _ if in_protocol => Kind::Method,
            _ => Kind::Function,
        };
        let def = w.define(NewDef::new(kind, node, name).body(body).visibility(visibility).flags(flags));
        w.def_mut(def).params = arity;
        if let Some(doc) = &pending.doc {
            w.doc_inside(def, doc);
        }
        if let Some((_, result)) = pending.spec.as_ref().filter(|(of, _)| of == w.text(name)) {
            w.def_mut(def).ty = w.intern(result);
        }
        def
    });
    if known.is_some() {
        let row = w.def_mut(def);
        row.end = node.end_byte() as u32;
        row.end_line = node.end_position().row as u32 + 1;
    }
    w.in_file_scope(|w| w.in_def(def, |w| clause(w, def, node, first, list, parameters.unwrap_or(head))));
    if text == "defdelegate" {
        delegated(w, def, list, name, arity);
    }
    true
}

/// The definition of which this is another clause: the one before it in the same module.
fn clause_of(w: &Walker<'_>, owner: u32, name: &str, arity: u16) -> Option<u32> {
    let mut siblings = w.rows.defs.iter().enumerate().rev().filter(|(_, row)| row.parent == owner);
    let found = siblings.find(|(_, row)| row.kind().is_callable() && row.params == arity && w.string(row.name) == name);
    found.filter(|(_, row)| !row.has(flag::DECLARATION)).map(|(at, _)| at as u32)
}

fn clause(w: &mut Walker<'_>, def: u32, node: Node<'_>, first: Node<'_>, list: Node<'_>, parameters: Node<'_>) {
    if parameters.kind() == "arguments" || parameters.kind().ends_with("operator") {
        w.for_children(parameters, |w, child| pattern::bind(w, child, NONE, child.start_byte()));
    }
    let guarded = without_guard(w, first).id() != first.id();
    if let Some(guard) = first.field("right").filter(|_| guarded) {
        w.visit(guard);
    }
    let mut last = None;
    if let Some(block) = child_of_kind(node, "do_block") {
        w.visit_children(block);
        last = block.named_child(block.named_child_count().saturating_sub(1) as u32);
    } else if let Some(value) = keyword(w, list, "do") {
        w.visit(value);
        last = Some(value);
    }
    if let Some(last) = last.filter(|_| w.def(def).init == NONE) {
        let init = w.expr_of(last);
        let says = init != NONE && w.rows.exprs[init as usize].kind() != ExprKind::Literal;
        w.def_mut(def).init = if says { init } else { NONE };
    }
}

/// `defdelegate name(args), to: Module, as: :other` calls the other.
fn delegated(w: &mut Walker<'_>, def: u32, list: Node<'_>, name: Node<'_>, arity: u16) {
    let Some(to) = keyword(w, list, "to") else { return };
    let other = keyword(w, list, "as").map(|node| w.text(node).trim_start_matches(':').to_owned());
    let other = other.unwrap_or_else(|| w.text(name).to_owned());
    w.owned_by(def, |w| {
        let recv = receiver(w, to);
        let row = w.reference_named(to, &other, Role::Call, recv);
        w.call_detail(row, Some(usize::from(arity)), Usage::Returned);
    });
}

/// The fields of `defstruct [:a, b: 1]`.
pub(super) fn fields(w: &mut Walker<'_>, list: Node<'_>) -> bool {
    if !matches!(w.owner_kind(), Some(Kind::Module)) {
        return false;
    }
    let first = list.named_child(0);
    let items = first.filter(|first| first.kind() == "list").unwrap_or(list);
    w.for_children(items, |w, child| match child.kind() {
        "atom" => field(w, child, w.text(child).trim_start_matches(':'), None),
        "keywords" => w.for_children(child, |w, pair| {
            if let Some(key) = pair.field("key") {
                let text = w.text(key).trim().trim_end_matches(':');
                field(w, key, text, pair.field("value"));
            }
        }),
        _ => w.visit(child),
    });
    true
}

fn field(w: &mut Walker<'_>, place: Node<'_>, name: &str, value: Option<Node<'_>>) {
    let new = NewDef::new(Kind::Field, place, place).visibility(Visibility::Public);
    let def = w.define_named(new, name);
    if let Some(value) = value {
        w.owned_by(def, |w| w.visit(value));
    }
}
