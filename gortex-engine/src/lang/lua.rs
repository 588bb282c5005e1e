//! Lua.
//!
//! Everything is a table, so what is a class is told by use: a table of the file with methods that take `self` is one, any
//! other table with members is an object of its own. What a file returns is what `require` gives.
//!
//! Knows no types; a value is of the class that `setmetatable` or a class library made it of.

mod expr;
mod table;
#[cfg(test)]
mod tests;

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use self::expr::receiver;
use super::common::{UsageKinds, arg_count, joined};
use super::{Action, Family, Hooks, Language, Tier};
use crate::facts::model::{Kind, NONE, Role, Visibility, flag, import_flag};
use crate::facts::walker::{NewDef, Walker, one_line};

/// Lua.
pub(super) static LUA: Language = Language { table: &joined::<13, 2, 15>(TABLE, JUMPS), ..SHARED };

/// Luau, which is Lua with types.
pub(super) static LUAU: Language =
    Language { name: "luau", extensions: &["luau"], file_names: &[], grammar: || tree_sitter_luau::LANGUAGE.into(), ..SHARED };

/// What only Lua has.
const JUMPS: [(&str, Action); 2] = [("goto_statement", Action::Skip), ("label_statement", Action::Skip)];

const TABLE: [(&str, Action); 13] = [
    ("chunk", Action::Hook(chunk)),
    ("block", Action::Scope),
    ("function_declaration", Action::Hook(declared_function)),
    ("function_definition", Action::Hook(closure)),
    ("variable_declaration", Action::Hook(table::local_declaration)),
    ("assignment_statement", Action::Hook(|w, node| table::assignment(w, node, false, node))),
    ("for_statement", Action::Hook(for_loop)),
    ("function_call", Action::Hook(call)),
    ("identifier", Action::Hook(identifier)),
    ("dot_index_expression", Action::Hook(member)),
    ("method_index_expression", Action::Hook(member)),
    ("field", Action::Hook(field)),
    ("return_statement", Action::Hook(returns)),
];

const SHARED: Language = Language {
    name: "lua",
    tier: Tier::Deep,
    family: Family::Lua,
    extensions: &["lua", "rockspec"],
    file_names: &[".luacheckrc", ".busted"],
    line_comment: "--",
    keywords: "and break do else elseif end false for function goto if in local nil not or repeat return then true until while",
    signatures: &["$\nend\n"],
    hoists: false,
    implicit_self: false,
    grammar: || tree_sitter_lua::LANGUAGE.into(),
    table: &TABLE,
    usage: UsageKinds {
        transparent: &["expression_list", "parenthesized_expression"],
        statement: &["chunk", "block"],
        assignment: &["assignment_statement", "variable_declaration", "field"],
        returns: &["return_statement"],
        argument: &["arguments"],
        condition: &[
            "if_statement",
            "elseif_statement",
            "while_statement",
            "repeat_statement",
            "binary_expression",
            "unary_expression",
        ],
        spawn: &[],
        defer: &[],
    },
    hooks: Hooks { expr: Some(expr::expr), ..Hooks::NONE },
};

/// Claimed names: tables of the file that are classes.
const CLASS: u8 = 0;
/// Names that the file defines.
const DEFINED: u8 = 1;
/// Global names that the file declares `local`.
const LOCAL: u8 = 2;

const TESTS: &[&str] = &["it", "test", "pending", "spec"];
const SUITES: &[&str] = &["describe", "context", "insulate", "expose"];

/// Which tables are classes has to be known before their members are met.
fn chunk(w: &mut Walker<'_>, node: Node<'_>) {
    w.for_children(node, |w, child| {
        let name = match child.kind() {
            "function_declaration" => child.field("name"),
            "assignment_statement" => child.named_child(0).and_then(|list| list.field("name")),
            _ => None,
        };
        let Some(name) = name else { return };
        let Some(table) = name.field("table") else { return };
        let takes_self = || {
            let first = child.field("parameters").and_then(|list| list.field("name"));
            first.is_some_and(|first| w.text(first) == "self")
        };
        let index = || name.field("field").is_some_and(|field| w.text(field) == "__index");
        if name.kind() == "method_index_expression" || takes_self() || index() {
            w.claim(NONE, CLASS, w.text(table));
        }
    });
    w.visit_children(node);
}

/// The table of the file that a text names.
fn known_table(w: &Walker<'_>, text: &str) -> Option<u32> {
    if text.contains(['.', ':', '(', '[']) {
        return None;
    }
    let is_it = |row: &crate::facts::model::DefRow| {
        row.parent == NONE
            && matches!(row.kind(), Kind::Class | Kind::Variable)
            && row.owner_type.is_empty()
            && w.string(row.name) == text
    };
    w.rows.defs.iter().rposition(is_it).map(|at| at as u32)
}

fn is_class(w: &Walker<'_>, def: u32) -> bool {
    w.def(def).kind() == Kind::Class
}

/// `function f()`, `local function f()`, `function M.f()`, `function M:f()`.
fn declared_function(w: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = node.field("name") else { return w.visit_children(node) };
    if name.kind() == "identifier" {
        let local = w.slice(node.start_byte(), node.end_byte()).starts_with("local");
        let new = function_of(w, Kind::Function, node, node, name);
        let (visibility, flags) = if local { (Visibility::Private, 0) } else { (Visibility::Public, flag::EXPORTED) };
        let def = w.define(new.visibility(visibility).flags(flags));
        return body(w, def, node, None);
    }
    member_function(w, node, node, name);
}

fn function_of<'t>(w: &Walker<'_>, kind: Kind, whole: Node<'t>, function: Node<'t>, name: Node<'t>) -> NewDef<'t> {
    let owner = w.owner();
    let flags = if owner == NONE { 0 } else { w.def(owner).flags & (flag::TEST | flag::IN_TEST) };
    let flags = if flags == 0 { 0 } else { flag::IN_TEST };
    NewDef::new(kind, whole, name).body(function.field("body")).flags(flags)
}

/// A function that becomes a member of a table; `whole` is its statement.
fn member_function(w: &mut Walker<'_>, whole: Node<'_>, function: Node<'_>, name: Node<'_>) {
    let table = name.field("table");
    let last = name.field("method").or_else(|| name.field("field"));
    let (Some(table), Some(last)) = (table, last) else { return w.visit_children(function) };
    let colon = name.kind() == "method_index_expression";
    let first = function.field("parameters").and_then(|list| list.field("name"));
    let with_self = colon || first.is_some_and(|first| w.text(first) == "self");
    let text = w.text(table);
    let owner = known_table(w, text).filter(|_| !w.in_function());
    let in_class = owner.is_some_and(|owner| is_class(w, owner));
    let constructor = in_class && with_self && matches!(w.text(last), "initialize" | "init" | "_init" | "__init");
    let kind = match (constructor, in_class || with_self) {
        (true, _) => Kind::Constructor,
        (_, true) => Kind::Method,
        _ => Kind::Function,
    };
    let flags = flag::EXPORTED | if in_class && !with_self { flag::STATIC } else { 0 };
    let visibility = if w.text(last).starts_with('_') { Visibility::Private } else { Visibility::Public };
    let new = function_of(w, kind, whole, function, last).flags(flags).visibility(visibility);
    let mut def = NONE;
    match owner {
        Some(owner) => w.owned_by(owner, |w| def = w.define(new)),
        None => {
            // Not in the scope of the function around: only its table leads to it.
            def = w.in_file_scope(|w| w.define(new));
            w.def_mut(def).owner_type = w.intern(&one_line(text, 200));
        }
    }
    w.visit(table);
    body(w, def, function, with_self.then_some(colon));
}

/// The inside of a function; `with_self` tells that it has a `self`, and whether that is an unwritten parameter.
fn body(w: &mut Walker<'_>, def: u32, function: Node<'_>, with_self: Option<bool>) {
    w.in_def(def, |w| {
        if with_self == Some(true) {
            w.bind_text("self", Some("self"), NONE, function.start_byte());
        }
        let (count, variadic) = parameters(w, function, with_self == Some(false));
        let row = w.def_mut(def);
        row.params = count;
        if variadic {
            row.flags |= flag::VARIADIC;
        }
        let Some(block) = function.field("body") else { return };
        // The block's names are the function's, so that its last value can name them.
        w.visit_children(block);
        let last = block.named_child(block.named_child_count().saturating_sub(1) as u32);
        let values = last.filter(|last| last.kind() == "return_statement").and_then(|last| last.named_child(0));
        if let Some(value) = values.and_then(|list| list.named_child(0)) {
            let init = w.expr_of(value);
            w.def_mut(def).init = init;
        }
    });
}

fn parameters(w: &mut Walker<'_>, function: Node<'_>, own_self: bool) -> (u16, bool) {
    let (mut count, mut variadic) = (0u16, false);
    let Some(list) = function.field("parameters") else { return (0, false) };
    w.for_children(list, |w, child| match child.kind() {
        "identifier" => {
            let is_self = own_self && count == 0 && w.text(child) == "self";
            count = count.saturating_add(1);
            w.bind(child, is_self.then_some("self"), NONE, child.start_byte());
        }
        "vararg_expression" => variadic = true,
        _ => {}
    });
    (if own_self { count.saturating_sub(1) } else { count }, variadic)
}

/// A function without a name: what it calls is called by the definition around.
fn closure(w: &mut Walker<'_>, node: Node<'_>) {
    w.in_lambda(|w| {
        parameters(w, node, false);
        w.visit_field(node, "body");
    });
}

fn for_loop(w: &mut Walker<'_>, node: Node<'_>) {
    w.in_scope(|w| {
        if let Some(clause) = node.field("clause") {
            w.for_children(clause, |w, child| match child.kind() {
                "variable_list" => w.for_children(child, |w, name| {
                    w.bind(name, None, NONE, name.start_byte());
                }),
                "identifier" if clause.field("name").is_some_and(|name| name.id() == child.id()) => {
                    w.bind(child, None, NONE, child.start_byte());
                }
                _ => w.visit(child),
            });
        }
        w.visit_field(node, "body");
    });
}

fn call(w: &mut Walker<'_>, node: Node<'_>) {
    let Some(callee) = node.field("name") else { return w.visit_children(node) };
    let arguments = node.field("arguments");
    let args = arguments.and_then(count);
    match callee.kind() {
        "identifier" => {
            let text = w.text(callee);
            if text == "require" && expr::required(w, node).is_some() {
                return expr::import(w, node, "");
            }
            if (TESTS.contains(&text) || SUITES.contains(&text)) && test(w, node, text) {
                return;
            }
            if text == "setmetatable" {
                table::inherits_by_metatable(w, node);
            }
            if matches!(text, "pcall" | "xpcall") && arguments.is_some_and(|list| protected_require(w, list)) {
                return;
            }
            let usage = w.result_use();
            w.call(callee, NONE, args, usage);
        }
        "dot_index_expression" | "method_index_expression" => {
            let last = callee.field("method").or_else(|| callee.field("field"));
            let (Some(table), Some(last)) = (callee.field("table"), last) else { return w.visit_children(node) };
            let recv = receiver(w, table);
            let usage = w.result_use();
            w.call(last, recv, args, usage);
            w.visit(table);
        }
        _ => w.visit(callee),
    }
    if let Some(arguments) = arguments {
        w.visit(arguments);
    }
}

/// Number of arguments, unless the last may stand for several.
fn count(list: Node<'_>) -> Option<usize> {
    let last = list.named_child(list.named_child_count().saturating_sub(1) as u32);
    if last.is_some_and(|last| matches!(last.kind(), "vararg_expression" | "function_call")) {
        return None;
    }
    Some(arg_count(list))
}

/// `pcall(require, "x")`.
fn protected_require(w: &mut Walker<'_>, list: Node<'_>) -> bool {
    let (Some(first), Some(second)) = (list.named_child(0), list.named_child(1)) else { return false };
    let module = expr::string_text(w, second);
    let Some(module) = module.filter(|_| w.text(first) == "require") else { return false };
    w.import(second, module, "", "", import_flag::MODULE);
    true
}

/// `it("does", function() .. end)`.
fn test(w: &mut Walker<'_>, node: Node<'_>, text: &str) -> bool {
    let Some(list) = node.field("arguments") else { return false };
    let (Some(title), Some(function)) = (list.named_child(0), list.named_child(1)) else { return false };
    if title.kind() != "string" || function.kind() != "function_definition" {
        return false;
    }
    let name = one_line(expr::string_text(w, title).unwrap_or(""), 120);
    let flags = if TESTS.contains(&text) { flag::TEST } else { flag::IN_TEST };
    let new = NewDef::new(Kind::Function, node, title).body(function.field("body")).flags(flags);
    let def = w.define_named(new, &name);
    w.in_def(def, |w| {
        parameters(w, function, false);
        w.visit_field(function, "body");
    });
    true
}

fn identifier(w: &mut Walker<'_>, node: Node<'_>) {
    if !matches!(w.text(node), "self" | "_" | "_G" | "_ENV") {
        w.reference(node, Role::Read, NONE);
    }
}

/// `a.b` read.
fn member(w: &mut Walker<'_>, node: Node<'_>) {
    let last = node.field("method").or_else(|| node.field("field"));
    let (Some(table), Some(last)) = (node.field("table"), last) else { return w.visit_children(node) };
    let recv = receiver(w, table);
    w.reference(last, Role::Read, recv);
    w.visit(table);
}

/// A field of a table that is nobody's definition: its name says nothing, its value does.
fn field(w: &mut Walker<'_>, node: Node<'_>) {
    let name = node.field("name").filter(|name| name.kind() != "identifier");
    if let Some(name) = name {
        w.visit(name);
    }
    w.visit_field(node, "value");
}

/// What the file returns is what `require` gives.
fn returns(w: &mut Walker<'_>, node: Node<'_>) {
    let value = node.named_child(0).and_then(|list| list.named_child(0));
    let Some(value) = value.filter(|_| !w.in_function() && node.parent().is_some_and(|above| above.kind() == "chunk")) else {
        return w.visit_children(node);
    };
    match value.kind() {
        "identifier" => {
            w.export(value, w.text(value), "default");
            w.visit(value);
        }
        "table_constructor" => table::returned(w, value),
        "function_call" => {
            // `return setmetatable(M, { .. })` gives M.
            let named = value.field("name").is_some_and(|name| w.text(name) == "setmetatable");
            let first = value.field("arguments").and_then(|list| list.named_child(0));
            if let Some(first) = first.filter(|first| named && first.kind() == "identifier") {
                w.export(first, w.text(first), "default");
            }
            w.visit(value);
        }
        _ => w.visit(value),
    }
}
