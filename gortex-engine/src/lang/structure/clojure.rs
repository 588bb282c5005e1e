//! Clojure: forms are lists, and what a list is its first symbol says.

use tree_sitter::Node;

use super::{BASE, call, import};
use crate::facts::model::{Kind, Visibility, flag};
use crate::facts::walker::{NewDef, Walker};
use crate::lang::Action::{Hook, Skip};
use crate::lang::{Language, common};

/// Clojure.
pub(in crate::lang) static CLOJURE: Language = Language {
    name: "clojure",
    extensions: &["clj", "cljs", "cljc", "edn", "bb"],
    line_comment: ";",
    grammar: || tree_sitter_clojure_orchard::LANGUAGE.into(),
    table: &[("list_lit", Hook(list)), ("quoting_lit", Skip), ("comment", Skip)],
    ..BASE
};

/// Forms of the language itself, which call nothing of a program.
const SPECIAL: &[&str] =
    &["do", "fn", "if", "let", "loop", "quote", "recur", "throw", "try", "catch", "finally", "var", "new", "set!", "."];

fn list(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(head) = node.named_child(0).filter(|head| head.kind() == "sym_lit") else { return walker.visit_children(node) };
    let word = walker.text(head);
    let kind = match word {
        "defn" | "defn-" | "defmulti" | "deftest" | "defmethod" => Some(Kind::Function),
        "defmacro" => Some(Kind::Macro),
        "def" | "defonce" => Some(Kind::Variable),
        "defrecord" | "deftype" => Some(Kind::Record),
        "defprotocol" => Some(Kind::Interface),
        _ => None,
    };
    match (kind, word) {
        (Some(kind), _) => definition(walker, node, head, kind),
        (None, "ns") => namespace(walker, node),
        (None, _) if SPECIAL.contains(&word) => walker.visit_children_except(node, &[Some(head)]),
        (None, _) => {
            let args = common::arg_count(node).saturating_sub(1);
            call(walker, node, Some(head), &["sym_name"], Some(args));
        }
    }
}

fn definition(walker: &mut Walker<'_>, node: Node<'_>, head: Node<'_>, kind: Kind) {
    let Some(name) = node.named_child(1).filter(|name| name.kind() == "sym_lit") else { return walker.visit_children(node) };
    let word = walker.text(head);
    let mut new = NewDef::new(kind, node, name);
    if word == "defn-" {
        new = new.visibility(Visibility::Private);
    }
    if word == "deftest" {
        new = new.flags(flag::TEST);
    }
    let def = walker.define(new);
    walker.in_def(def, |walker| {
        let skipped = [Some(head), Some(name)];
        walker.for_children(node, |walker, part| {
            // Parameters are a vector; what stands in it is bound, not called.
            if !skipped.contains(&Some(part)) {
                if part.kind() == "vec_lit" { parameters(walker, part) } else { walker.visit(part) }
            }
        });
    });
}

fn parameters(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.for_children(node, |walker, part| {
        if part.kind() == "sym_lit" {
            walker.bind(part, None, crate::facts::model::NONE, part.start_byte());
        }
    });
}

fn namespace(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(name) = node.named_child(1) {
        let text = walker.text(name);
        walker.package(text);
    }
    walker.for_children(node, |walker, clause| {
        if clause.kind() != "list_lit" {
            return;
        }
        walker.for_children(clause, |walker, required| match required.kind() {
            "vec_lit" => {
                if let Some(module) = required.named_child(0) {
                    import(walker, module);
                }
            }
            "sym_lit" => import(walker, required),
            _ => {}
        });
    });
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn forms_define_and_call() {
        check_facts(
            "clojure",
            r"
(ns my.app (:require [clojure.string :as str]))
;                     ^ import clojure.string||
(def limit 10)
;    ^ def variable limit
(defn- helper [x] (inc x))
;      ^ def function helper
;                  ^ call inc
(defn run [x] (helper (str/trim x)))
;     ^ def function run
;              ^ call helper
;                          ^ call ?.trim
(defrecord Point [x y])
;          ^ def record Point
(deftest a-test (let [y (run 2)] '(run 3)))
;        ^ def function a-test
;                        ^ call run
",
        );
    }
}
