//! Erlang: clauses of one function are one definition.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::{BASE, call, child, import, named};
use crate::facts::model::Kind;
use crate::facts::walker::{NewDef, Walker};
use crate::lang::Action::Hook;
use crate::lang::{Language, common};

/// Erlang.
pub(in crate::lang) static ERLANG: Language = Language {
    name: "erlang",
    extensions: &["erl", "hrl"],
    line_comment: "%",
    grammar: || tree_sitter_erlang::LANGUAGE.into(),
    table: &[
        ("module_attribute", Hook(module)),
        ("import_attribute", Hook(|walker, node| node.field("module").into_iter().for_each(|name| import(walker, name)))),
        ("record_decl", Hook(|walker, node| named(walker, node, Kind::Record))),
        ("record_field", Hook(|walker, node| named(walker, node, Kind::Field))),
        ("pp_define", Hook(define_macro)),
        ("fun_decl", Hook(function)),
        ("call", Hook(local_call)),
        ("remote", Hook(remote_call)),
    ],
    ..BASE
};

fn module(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(name) = node.field("name") {
        let text = walker.text(name);
        walker.package(text);
    }
}

fn define_macro(walker: &mut Walker<'_>, node: Node<'_>) {
    let name = node.field("lhs").and_then(|left| left.field("name"));
    super::define(walker, node, Kind::Macro, name, node.field("replacement"));
}

/// The first clause of a name and arity is the definition; what later clauses call belongs to it.
fn function(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(clause) = child(node, &["function_clause"]) else { return walker.visit_children(node) };
    let Some(name) = clause.field("name") else { return walker.visit_children(node) };
    let arity = clause.field("args").map_or(0, common::arg_count);
    let key = format!("{}/{arity}", walker.text(name));
    let known = (0..walker.def_count()).rev().find(|def| {
        let row = walker.def(*def);
        row.params == arity as u16 && walker.string(row.name) == walker.text(name)
    });
    let owner = walker.owner();
    let def = match known {
        Some(def) if !walker.claim(owner, 0, &key) => def,
        _ => {
            walker.claim(owner, 0, &key);
            let def = walker.define(NewDef::new(Kind::Function, node, name).body(clause.field("body")));
            walker.def_mut(def).params = arity as u16;
            def
        }
    };
    walker.in_def(def, |walker| walker.visit_children_except(clause, &[Some(name)]));
}

fn local_call(walker: &mut Walker<'_>, node: Node<'_>) {
    let args = node.field("args").map(common::arg_count);
    call(walker, node, node.field("expr"), &["atom"], args);
}

/// `module:name(..)`: the name is another module's.
fn remote_call(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(inner) = node.field("fun").filter(|inner| inner.kind() == "call") else {
        return walker.visit_children(node);
    };
    let args = inner.field("args");
    if let Some(name) = inner.field("expr").filter(|name| name.kind() == "atom") {
        let before = walker.expr(crate::facts::model::ExprKind::Unknown, "", crate::facts::model::NONE, node);
        let usage = walker.result_use();
        walker.call(name, before, args.map(common::arg_count), usage);
    }
    if let Some(args) = args {
        walker.visit_children(args);
    }
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn clauses_are_one_function() {
        check_facts(
            "erlang",
            r"
-module(app).
-import(lists, [map/2]).
%       ^ import lists||
-record(state, {name}).
%       ^ def record state
%               ^ def field state.name
-define(MAX, 10).
%       ^ def macro MAX
run(X) -> helper(X), lists:map(X).
%<- def function run
%         ^ call helper
%                          ^ call ?.map
helper(0) -> stop();
%<- def function helper
%            ^ call stop
helper(X) -> run(X).
%            ^ call run
helper(X, Y) -> X.
%<- def function helper
",
        );
    }
}
