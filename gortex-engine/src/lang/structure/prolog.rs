//! Prolog: a predicate is all clauses with its name and arity, told where the first stands.

use tree_sitter::Node;

use super::{BASE, include};
use crate::facts::model::{ExprKind, Kind, NONE};
use crate::facts::walker::{NewDef, Walker};
use crate::lang::Action::Hook;
use crate::lang::Language;
use crate::lang::common::Fields as _;
use crate::lang::nodes::named_children;

/// Prolog.
pub(in crate::lang) static PROLOG: Language = Language {
    name: "prolog",
    extensions: &["prolog", "pro"],
    line_comment: "%",
    grammar: || tree_sitter_prolog::LANGUAGE.into(),
    table: &[("clause", Hook(clause))],
    ..BASE
};

/// Claimed names: predicates that the file defines.
const PREDICATE: u8 = 0;

fn clause(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(term) = node.field("term") else { return };
    match term.field("operator").map(|operator| walker.text(operator)) {
        Some(":-" | "-->") if term.kind() == "binary_operation" => {
            if let Some(head) = term.field("left") {
                predicate(walker, node, head, term.field("right"));
            }
        }
        Some(":-" | "?-") => directive(walker, term.field("operand")),
        _ => predicate(walker, node, term, None),
    }
}

fn directive(walker: &mut Walker<'_>, goal: Option<Node<'_>>) {
    let Some(goal) = goal else { return };
    let argument = named_children(goal).get(1).copied();
    match (goal.field("functor").map(|name| walker.text(name)), argument) {
        (Some("module"), Some(name)) => {
            let text = walker.text(name);
            walker.package(text);
        }
        (Some("use_module" | "consult" | "ensure_loaded" | "include"), Some(module)) => include(walker, module),
        _ => goals(walker, goal, 0),
    }
}

/// The name of a goal or head and how many arguments it has.
fn signed(term: Node<'_>) -> Option<(Node<'_>, usize)> {
    match term.kind() {
        "compound_term" => Some((term.field("functor")?, named_children(term).len() - 1)),
        "atom" => Some((term, 0)),
        _ => None,
    }
}

fn predicate(walker: &mut Walker<'_>, node: Node<'_>, head: Node<'_>, body: Option<Node<'_>>) {
    let Some((name, arity)) = signed(head) else { return };
    let text = walker.text(name).trim_matches('\'');
    let def = if walker.claim(NONE, PREDICATE, &format!("{text}/{arity}")) {
        let def = walker.define_named(NewDef::new(Kind::Function, node, name).body(body), text);
        walker.def_mut(def).params = arity.min(u16::MAX as usize) as u16;
        Some(def)
    } else {
        let known = walker.intern(text);
        let same = |row: &crate::facts::model::DefRow| row.name == known && usize::from(row.params) == arity;
        walker.rows.defs.iter().rposition(same).map(|def| def as u32)
    };
    if let (Some(def), Some(body)) = (def, body) {
        walker.owned_by(def, |walker| goals(walker, body, 0));
    }
}

/// How deep goals nest.
const NESTING: usize = 100;

fn goals(walker: &mut Walker<'_>, term: Node<'_>, depth: usize) {
    if depth > NESTING {
        return;
    }
    if let Some((name, arity)) = signed(term) {
        walker.call(name, NONE, Some(arity), crate::facts::model::Usage::Discarded);
        return;
    }
    let operator = term.field("operator").map(|operator| walker.text(operator));
    match operator {
        Some("," | ";" | "->" | "*->" | "\\+") => {
            for part in named_children(term) {
                goals(walker, part, depth + 1);
            }
        }
        // A goal of another module.
        Some(":") => {
            if let Some((name, arity)) = term.field("right").and_then(signed) {
                let before = walker.expr(ExprKind::Unknown, "", NONE, term);
                let reference = walker.call(name, before, Some(arity), crate::facts::model::Usage::Discarded);
                walker.call_detail(reference, Some(arity), crate::facts::model::Usage::Discarded);
            }
        }
        None if term.kind().contains("paren") => {
            for part in named_children(term) {
                goals(walker, part, depth + 1);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn predicates_and_goals() {
        check_facts(
            "prolog",
            r"
:- module(family, [parent/2]).
:- use_module(library(lists)).
%             ^ import library(lists)||
parent(tom, bob).
% <- def function parent
parent(bob, ann).
grand(X, Z) :- parent(X, Y), lists:member(Y, Z), \+ foo(data(X)).
% <- def function grand
%              ^ call parent
%                                  ^ call ?.member
%                                                   ^ call foo
greeting --> name.
% <- def function greeting
%            ^ call name
",
        );
    }
}
