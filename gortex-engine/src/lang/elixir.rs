//! Elixir.
//!
//! Every construct is a call: `defmodule`, `def`, `alias` are told by their names. Attributes (`@doc`, `@spec`, `@impl`) speak
//! of the definition that follows. Clauses of one name and arity are one definition. A pipe hands its left side to the call
//! on its right as one more argument.
//!
//! Knows no macros: what `use` brings into a module is not seen.

mod define;
mod expr;
mod pattern;
#[cfg(test)]
mod tests;

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use self::expr::receiver;
use super::common::{UsageKinds, arg_count};
use super::{Action, Family, Hooks, Language, Tier};
use crate::facts::model::{Kind, NONE, Role, flag, import_flag};
use crate::facts::walker::{NewDef, Walker, one_line};

/// Elixir.
pub(super) static ELIXIR: Language = Language {
    name: "elixir",
    tier: Tier::Deep,
    family: Family::Elixir,
    extensions: &["ex", "exs"],
    file_names: &[],
    line_comment: "#",
    keywords: "after and catch do else end false fn in nil not or rescue true when",
    signatures: &["$ do\nend\n", "defmodule A do\n$ do\nend\nend\n"],
    hoists: false,
    implicit_self: false,
    grammar: || tree_sitter_elixir::LANGUAGE.into(),
    table: &[
        ("source", Action::Hook(|w, node| w.in_scope(|w| define::statements(w, node)))),
        ("call", Action::Hook(|w, node| call(w, node, 0))),
        ("unary_operator", Action::Hook(unary)),
        ("binary_operator", Action::Hook(binary)),
        ("identifier", Action::Hook(identifier)),
        ("alias", Action::Name(Role::Read)),
        ("map", Action::Hook(map)),
        ("do_block", Action::Scope),
        ("else_block", Action::Scope),
        ("rescue_block", Action::Scope),
        ("catch_block", Action::Scope),
        ("after_block", Action::Scope),
        ("anonymous_function", Action::Scope),
        ("stab_clause", Action::Hook(clause)),
        ("dot", Action::Hook(dot)),
    ],
    usage: UsageKinds {
        transparent: &[],
        statement: &["source"],
        assignment: &[],
        returns: &[],
        argument: &["arguments", "pair"],
        condition: &[],
        spawn: &[],
        defer: &[],
    },
    hooks: Hooks { expr: Some(expr::expr), ..Hooks::NONE },
};

/// Claimed names: what a module defines.
const DEFINED: u8 = 0;

const TESTS: &[&str] = &["test", "property"];

/// The name of what a call calls: a bare word, or the last part behind a dot with what stands in front.
fn target(node: Node<'_>) -> Option<(Option<Node<'_>>, Node<'_>)> {
    let target = node.field("target")?;
    match target.kind() {
        "identifier" => Some((None, target)),
        "dot" => Some((target.field("left"), target.field("right")?)),
        _ => None,
    }
}

fn child_of_kind<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|child| child.kind() == kind)
}

fn arguments(node: Node<'_>) -> Option<Node<'_>> {
    child_of_kind(node, "arguments")
}

/// The value of `key:` among the keywords of an argument list.
fn keyword<'t>(w: &Walker<'_>, list: Node<'t>, key: &str) -> Option<Node<'t>> {
    let keywords = child_of_kind(list, "keywords")?;
    let mut cursor = keywords.walk();
    let is_it = |pair: &Node<'t>| pair.field("key").is_some_and(|node| w.text(node).trim().trim_end_matches(':') == key);
    keywords.named_children(&mut cursor).find(is_it)?.field("value")
}

/// A call with `extra` arguments that a pipe hands over.
fn call(w: &mut Walker<'_>, node: Node<'_>, extra: usize) {
    let Some((object, name)) = target(node) else { return w.visit_children(node) };
    let text = w.text(name);
    let list = arguments(node);
    if object.is_none() && special(w, node, text) {
        return;
    }
    let block = child_of_kind(node, "do_block");
    // A block is one more argument, as keywords are.
    let args = list.map_or(0, arg_count)
        + extra
        + usize::from(block.is_some() && list.and_then(|list| child_of_kind(list, "keywords")).is_none());
    let usage = w.result_use();
    match object {
        Some(object) => {
            let recv = receiver(w, object);
            let module = matches!(object.kind(), "alias" | "atom") || w.text(object) == "__MODULE__";
            if module || list.is_some() {
                w.call(name, recv, Some(args), usage);
            } else {
                // `x.name` reads a field.
                w.reference(name, Role::Read, recv);
            }
            w.visit(object);
        }
        None => drop(w.call(name, NONE, Some(args), usage)),
    }
    if let Some(list) = list {
        match text {
            "for" | "with" => return w.in_scope(|w| comprehension(w, list, node)),
            _ => w.visit(list),
        }
    }
    blocks(w, node);
}

fn blocks(w: &mut Walker<'_>, node: Node<'_>) {
    w.for_children(node, |w, child| {
        if child.kind() == "do_block" {
            w.visit(child);
        }
    });
}

/// `for x <- list, do: x`, `with {:ok, x} <- f() do .. end`: what is bound reaches into the block.
fn comprehension(w: &mut Walker<'_>, list: Node<'_>, node: Node<'_>) {
    w.visit(list);
    blocks(w, node);
}

/// Calls that are no calls: definitions, directives, tests. True where all is done.
fn special(w: &mut Walker<'_>, node: Node<'_>, text: &str) -> bool {
    let Some(list) = arguments(node) else { return false };
    match text {
        "defmodule" | "defprotocol" | "defimpl" => define::module(w, node, list, text),
        "def" | "defp" | "defmacro" | "defmacrop" | "defguard" | "defguardp" | "defdelegate" | "defn" | "defnp" => {
            define::function(w, node, list, text, &define::Pending::default())
        }
        "defstruct" | "defexception" => define::fields(w, list),
        "alias" | "require" | "import" | "use" => directive(w, list, text),
        "describe" => suite(w, node, list, flag::IN_TEST),
        _ if TESTS.contains(&text) => suite(w, node, list, flag::TEST),
        _ => false,
    }
}

/// The full name of the module around.
fn module_name(w: &Walker<'_>) -> String {
    let mut parts = Vec::new();
    let mut at = w.owner();
    while at != NONE {
        let row = w.def(at);
        if matches!(row.kind(), Kind::Module | Kind::Interface) {
            parts.push(w.string(row.name).to_owned());
        }
        at = row.parent;
    }
    parts.reverse();
    parts.join(".")
}

/// A module as written, with `__MODULE__` spelled out.
fn spelled(w: &Walker<'_>, node: Node<'_>) -> String {
    let text = one_line(w.text(node), 200);
    match text.strip_prefix("__MODULE__") {
        Some(rest) => format!("{}{rest}", module_name(w)),
        None => text,
    }
}

/// `alias A.B, as: C`, `alias A.{B, C}`, `import A`, `require A`, `use A`.
fn directive(w: &mut Walker<'_>, list: Node<'_>, text: &str) -> bool {
    let Some(first) = list.named_child(0) else { return false };
    let alias = keyword(w, list, "as").map(|node| w.text(node).to_owned());
    if first.kind() == "dot" {
        let (Some(left), Some(right)) = (first.field("left"), first.field("right")) else {
            return false;
        };
        if right.kind() == "tuple" {
            let prefix = spelled(w, left);
            w.for_children(right, |w, child| {
                let module = format!("{prefix}.{}", w.text(child));
                one_directive(w, child, &module, None, text);
            });
            return true;
        }
    }
    if !matches!(first.kind(), "alias" | "dot") && w.text(first) != "__MODULE__" {
        return false;
    }
    let module = spelled(w, first);
    one_directive(w, first, &module, alias.as_deref(), text);
    if text == "use" {
        let recv = receiver(w, first);
        let row = w.reference_named(first, "__using__", Role::Call, recv);
        w.call_detail(row, Some(1), crate::facts::model::Usage::Unknown);
    }
    true
}

fn one_directive(w: &mut Walker<'_>, place: Node<'_>, module: &str, alias: Option<&str>, text: &str) {
    match (text, alias) {
        ("import", _) => w.import(place, module, "", "", import_flag::WILDCARD),
        (_, Some(alias)) => w.import(place, module, "", alias, import_flag::MODULE),
        ("alias", None) => {
            let last = module.rsplit('.').next().unwrap_or(module);
            w.import(place, module, "", last, import_flag::MODULE);
        }
        _ => w.import(place, module, "", "", import_flag::MODULE),
    }
}

/// `test "does", %{conn: conn} do .. end`, `describe "group" do .. end`.
fn suite(w: &mut Walker<'_>, node: Node<'_>, list: Node<'_>, flags: u16) -> bool {
    let (Some(title), Some(block)) = (list.named_child(0), child_of_kind(node, "do_block")) else { return false };
    if title.kind() != "string" {
        return false;
    }
    let name = one_line(w.text(title).trim_matches('"'), 120);
    let def = w.define_named(NewDef::new(Kind::Function, node, title).body(Some(block)).flags(flags), &name);
    w.in_def(def, |w| {
        let mut at = 0;
        w.for_children(list, |w, child| {
            if at > 0 {
                pattern::bind(w, child, NONE, child.start_byte());
            }
            at += 1;
        });
        w.visit_children(block);
    });
    true
}

fn binary(w: &mut Walker<'_>, node: Node<'_>) {
    let (Some(left), Some(right)) = (node.field("left"), node.field("right")) else {
        return w.visit_children(node);
    };
    match node.field("operator").map_or("", |operator| operator.kind()) {
        "|>" => {
            w.visit(left);
            match right.kind() {
                "call" => w.visit_with(right, |w, right| call(w, right, 1)),
                "identifier" => {
                    let usage = w.result_use();
                    w.call(right, NONE, Some(1), usage);
                }
                _ => w.visit(right),
            }
        }
        "=" | "<-" => {
            w.visit(right);
            let init = if node.child(1).is_some_and(|op| op.kind() == "=") { w.expr_of(right) } else { NONE };
            pattern::bind(w, left, init, node.end_byte());
        }
        "\\\\" => w.visit(right),
        _ => {
            w.visit(left);
            w.visit(right);
        }
    }
}

/// `@name`, `&f/1`, `^pinned`.
fn unary(w: &mut Walker<'_>, node: Node<'_>) {
    let Some(operand) = node.field("operand") else { return w.visit_children(node) };
    match node.field("operator").map_or("", |operator| operator.kind()) {
        "@" if operand.kind() == "identifier" => {
            let name = format!("@{}", w.text(operand));
            w.reference_named(node, &name, Role::Read, NONE);
        }
        "@" => define::attribute(w, node, operand),
        "&" => capture(w, operand),
        _ => w.visit(operand),
    }
}

/// `&Mod.fun/1`, `&fun/1`; any other capture is an expression.
fn capture(w: &mut Walker<'_>, operand: Node<'_>) {
    let (left, right) = (operand.field("left"), operand.field("right"));
    let arity = right.filter(|right| operand.kind() == "binary_operator" && right.kind() == "integer");
    let (Some(left), Some(arity)) = (left, arity.and_then(|arity| w.text(arity).parse::<usize>().ok())) else {
        return w.visit(operand);
    };
    let row = match left.kind() {
        "identifier" => w.reference(left, Role::Read, NONE),
        "call" => {
            let Some((Some(object), name)) = target(left) else { return w.visit(operand) };
            let recv = receiver(w, object);
            w.visit(object);
            w.reference(name, Role::Read, recv)
        }
        _ => return w.visit(operand),
    };
    w.call_detail(row, Some(arity), crate::facts::model::Usage::Unknown);
}

fn identifier(w: &mut Walker<'_>, node: Node<'_>) {
    if !matches!(w.text(node), "_" | "__MODULE__" | "__ENV__" | "__DIR__" | "__CALLER__" | "__STACKTRACE__") {
        let row = w.reference(node, Role::Read, NONE);
        w.call_detail(row, Some(0), crate::facts::model::Usage::Unknown);
    }
}

fn dot(w: &mut Walker<'_>, node: Node<'_>) {
    w.visit_field(node, "left");
}

/// `%Struct{ .. }` makes one; `%{ .. }` is a plain map.
fn map(w: &mut Walker<'_>, node: Node<'_>) {
    w.for_children(node, |w, child| {
        if child.kind() != "struct" {
            return w.visit(child);
        }
        match child.named_child(0) {
            Some(name) if name.kind() == "alias" => drop(w.reference(name, Role::Instantiate, NONE)),
            Some(name) if w.text(name) == "__MODULE__" => drop(w.reference(name, Role::Instantiate, NONE)),
            _ => w.visit_children(child),
        }
    });
}

/// `pattern -> body` of `case`, `fn`, `receive`.
fn clause(w: &mut Walker<'_>, node: Node<'_>) {
    w.in_scope(|w| {
        let left = node.field("left");
        if let Some(left) = left {
            pattern::bind(w, left, NONE, left.start_byte());
        }
        w.visit_field(node, "right");
    });
}
