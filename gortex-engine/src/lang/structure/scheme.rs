//! Scheme and Racket.

use super::BASE;
use super::lisp::{Dialect, form};
use crate::facts::model::Kind;
use crate::lang::Action::{Hook, Skip};
use crate::lang::Language;

/// Scheme.
pub(in crate::lang) static SCHEME: Language = Language {
    name: "scheme",
    extensions: &["scm", "ss", "sld", "sls"],
    line_comment: ";",
    grammar: || tree_sitter_scheme::LANGUAGE.into(),
    table: &[
        ("list", Hook(|walker, node| form(walker, node, &WORDS))),
        ("quote", Skip),
        ("quasiquote", Skip),
        ("comment", Skip),
        ("block_comment", Skip),
    ],
    ..BASE
};

/// Racket.
pub(in crate::lang) static RACKET: Language = Language {
    name: "racket",
    extensions: &["rkt", "rktl", "rktd"],
    line_comment: ";",
    grammar: || tree_sitter_racket::LANGUAGE.into(),
    table: &[
        ("list", Hook(|walker, node| form(walker, node, &WORDS))),
        ("quote", Skip),
        ("quasiquote", Skip),
        ("syntax", Skip),
        ("quasisyntax", Skip),
        ("comment", Skip),
        ("block_comment", Skip),
        ("sexp_comment", Skip),
    ],
    ..BASE
};

const WORDS: Dialect = Dialect {
    lists: &["list"],
    symbol: "symbol",
    defines: &[
        ("define", Kind::Variable),
        ("define*", Kind::Variable),
        ("define-public", Kind::Variable),
        ("define-inline", Kind::Variable),
        ("define/contract", Kind::Variable),
        ("define-values", Kind::Variable),
        ("define-parameter", Kind::Variable),
        ("define-syntax", Kind::Macro),
        ("define-syntax-rule", Kind::Macro),
        ("define-macro", Kind::Macro),
        ("defmacro", Kind::Macro),
        ("struct", Kind::Struct),
        ("define-struct", Kind::Struct),
        ("define-record-type", Kind::Struct),
    ],
    lambdas: &["lambda", "λ", "case-lambda", "named-lambda"],
    binds: &[
        "let",
        "let*",
        "letrec",
        "letrec*",
        "let-values",
        "let*-values",
        "parameterize",
        "fluid-let",
        "do",
        "for",
        "for/list",
    ],
    each: &[],
    clauses: &["cond", "case", "match", "guard", "case-lambda"],
    special: &[
        "begin",
        "if",
        "when",
        "unless",
        "and",
        "or",
        "set!",
        "else",
        "=>",
        "delay",
        "module+",
        "module",
        "library",
        "define-library",
    ],
    data: &["quote", "quasiquote", "provide", "export", "syntax-rules", "define-module", "only", "except", "rename", "prefix"],
    imports: &["import", "require", "use-modules", "load", "include"],
    tests: &[],
};

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn scheme_forms() {
        check_facts(
            "scheme",
            r"
(import (scheme base))
;       ^ import (scheme base)||
(define limit 10)
;       ^ def variable limit
(define (helper x) (let loop ((i (start x)) (j 1)) (loop i)))
;        ^ def function helper
;                                 ^ call start
;                                                   ^ call loop
(define run (lambda (x) (cond ((helper x) x) (else (stop)))))
;       ^ def function run
;                               ^ call helper
;                                                   ^ call stop
(define-record-type point (make-point x y) point? (x point-x))
;                   ^ def struct point
;                                                  ^ def field point.x
(define-syntax swap! (syntax-rules () ((_ a b) (foo a b))))
;              ^ def macro swap!
'(run 3)
",
        );
    }

    #[test]
    fn racket_forms() {
        check_facts(
            "racket",
            r#"
#lang racket
(require racket/list "util.rkt")
;        ^ import racket/list||
;                    ^ import util.rkt||
(struct point (x y))
;       ^ def struct point
;              ^ def field point.x
;                ^ def field point.y
(define (run x) (helper `(a ,x)))
;        ^ def function run
;                ^ call helper
(module+ test (check-equal? (run 1) 2))
;              ^ call check-equal?
;                            ^ call run
"#,
        );
    }
}
