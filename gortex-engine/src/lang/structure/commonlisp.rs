//! Common Lisp.

use tree_sitter::Node;

use super::BASE;
use super::lisp::{Dialect, form, names};
use crate::facts::model::Kind;
use crate::facts::walker::{NewDef, Walker};
use crate::lang::Action::{Hook, Skip};
use crate::lang::Language;
use crate::lang::common::Fields as _;
use crate::lang::nodes::child_of_kind;

/// Common Lisp.
pub(in crate::lang) static COMMON_LISP: Language = Language {
    name: "commonlisp",
    extensions: &["lisp", "cl", "lsp", "asd"],
    line_comment: ";",
    grammar: || tree_sitter_commonlisp::LANGUAGE_COMMONLISP.into(),
    table: &[
        ("list_lit", Hook(list)),
        ("defun", Hook(function)),
        ("quoting_lit", Skip),
        ("syn_quoting_lit", Skip),
        ("comment", Skip),
        ("block_comment", Skip),
    ],
    ..BASE
};

const WORDS: Dialect = Dialect {
    lists: &["list_lit"],
    symbol: "sym_lit",
    defines: &[
        ("defvar", Kind::Variable),
        ("defparameter", Kind::Variable),
        ("defconstant", Kind::Constant),
        ("defclass", Kind::Class),
        ("defstruct", Kind::Struct),
        ("define-condition", Kind::Struct),
    ],
    lambdas: &["lambda"],
    binds: &["let", "let*", "flet", "labels", "macrolet"],
    each: &["dolist", "dotimes"],
    clauses: &["cond", "case", "ecase", "typecase", "etypecase"],
    special: &["if", "and", "or", "when", "unless", "progn", "prog1", "setf", "setq", "return", "block", "the", "unwind-protect"],
    data: &["quote", "function", "declare", "declaim", "defpackage", "export"],
    imports: &["require", "use-package"],
    tests: &[],
};

fn list(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(inner) = node.named_child(0).filter(|inner| matches!(inner.kind(), "defun" | "loop_macro")) {
        return walker.visit(inner);
    }
    if node.child(1).is_some_and(|head| walker.text(head) == "in-package") {
        if let Some(name) = node.named_child(1) {
            let text = walker.text(name).trim_start_matches([':', '#']);
            walker.package(text);
        }
        return;
    }
    form(walker, node, &WORDS);
}

fn function(walker: &mut Walker<'_>, node: Node<'_>) {
    let head = child_of_kind(node, "defun_header");
    let Some(name) = head.and_then(|head| head.field("function_name")) else { return walker.visit_children(node) };
    let is_macro = head.and_then(|head| head.field("keyword")).is_some_and(|word| walker.text(word) == "defmacro");
    let kind = if is_macro { Kind::Macro } else { Kind::Function };
    let said = child_of_kind(node, "str_lit");
    let body = head.and_then(|head| head.next_named_sibling());
    let def = walker.define(NewDef::new(kind, node, name).body(body));
    if let Some(said) = said {
        let text = walker.text(said).trim_matches('"');
        walker.doc_inside(def, text);
    }
    walker.in_def(def, |walker| {
        names(walker, head.and_then(|head| head.field("lambda_list")), &WORDS);
        walker.visit_children_except(node, &[head, said]);
    });
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn forms_define_and_call() {
        check_facts(
            "commonlisp",
            r#"
(in-package :my.app)
(defvar *limit* 10 "doc")
;       ^ def variable *limit*
(defun helper (x &optional (y 1)) "Doc." (let ((z (start x))) (+ z 1)))
;      ^ def function helper
;                                                  ^ call start
(defmacro with-foo (&body body) `(progn ,@body))
;         ^ def macro with-foo
(defclass point (shape) ((x :accessor point-x) y))
;         ^ def class point
;                ^ extends point shape
;                         ^ def field point.x
;                                              ^ def field point.y
(defmethod area ((s point)) (helper (other:run s)))
;          ^ def function area
;                            ^ call helper
;                                          ^ call ?.run
(loop for i in (helper 3) do (print i))
;               ^ call helper
;                             ^ call print
'(helper 3)
"#,
        );
    }
}
