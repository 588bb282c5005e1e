//! Emacs Lisp.

use tree_sitter::Node;

use super::BASE;
use super::lisp::{Dialect, form, names};
use crate::facts::model::Kind;
use crate::facts::walker::{NewDef, Walker};
use crate::lang::Action::{Hook, Skip};
use crate::lang::Language;
use crate::lang::common::Fields as _;

/// Emacs Lisp.
pub(in crate::lang) static ELISP: Language = Language {
    name: "elisp",
    extensions: &["el"],
    file_names: &[".emacs"],
    line_comment: ";",
    grammar: || tree_sitter_elisp::LANGUAGE.into(),
    table: &[
        ("list", Hook(|walker, node| form(walker, node, &WORDS))),
        ("special_form", Hook(|walker, node| form(walker, node, &WORDS))),
        ("function_definition", Hook(|walker, node| function(walker, node, Kind::Function))),
        ("macro_definition", Hook(|walker, node| function(walker, node, Kind::Macro))),
        ("quote", Skip),
        ("comment", Skip),
    ],
    ..BASE
};

const WORDS: Dialect = Dialect {
    lists: &["list", "special_form"],
    symbol: "symbol",
    defines: &[
        ("defvar", Kind::Variable),
        ("defvar-local", Kind::Variable),
        ("defcustom", Kind::Variable),
        ("defface", Kind::Variable),
        ("defconst", Kind::Constant),
        ("cl-defun", Kind::Function),
        ("cl-defmethod", Kind::Function),
        ("cl-defgeneric", Kind::Function),
        ("define-inline", Kind::Function),
        ("cl-defmacro", Kind::Macro),
        ("define-minor-mode", Kind::Variable),
        ("define-derived-mode", Kind::Variable),
        ("cl-defstruct", Kind::Struct),
        ("ert-deftest", Kind::Function),
    ],
    lambdas: &["lambda"],
    binds: &["let", "let*", "when-let", "if-let", "when-let*", "if-let*", "cl-letf", "cl-flet", "cl-labels"],
    each: &["dolist", "dotimes", "cl-dolist"],
    clauses: &["cond", "pcase", "cl-case"],
    special: &[
        "if",
        "and",
        "or",
        "when",
        "unless",
        "while",
        "progn",
        "prog1",
        "prog2",
        "setq",
        "save-excursion",
        "unwind-protect",
    ],
    data: &["quote", "function", "declare", "interactive", "provide", "cl-loop", "condition-case", "rx"],
    imports: &["require", "load"],
    tests: &["ert-deftest"],
};

fn function(walker: &mut Walker<'_>, node: Node<'_>, kind: Kind) {
    let Some(name) = node.field("name") else { return walker.visit_children(node) };
    let parameters = node.field("parameters");
    let said = node.field("docstring");
    let def = walker.define(NewDef::new(kind, node, name).body(said));
    if let Some(said) = said {
        let text = walker.text(said).trim_matches('"');
        walker.doc_inside(def, text);
    }
    walker.in_def(def, |walker| {
        names(walker, parameters, &WORDS);
        walker.visit_children_except(node, &[Some(name), parameters, said]);
    });
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn forms_define_and_call() {
        check_facts(
            "elisp",
            r#"
(require 'cl-lib)
;         ^ import cl-lib||
(defcustom foo-x nil "Doc.")
;          ^ def variable foo-x
(defun foo-run (x)
;      ^ def function foo-run
  "Run X."
  (let ((y (foo-start)) (z 1)) (foo-helper y)))
;           ^ call foo-start
;                               ^ call foo-helper
(defmacro foo-with (&rest body) `(progn (foo-run ,@body)))
;         ^ def macro foo-with
(cl-defstruct foo-point x y)
;             ^ def struct foo-point
;                       ^ def field foo-point.x
;                         ^ def field foo-point.y
(add-hook 'a-hook '(foo-run 3))
;^ call add-hook
"#,
        );
    }
}
