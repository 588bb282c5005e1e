//! SCSS, Sass and Less: selectors, variables, mixins, functions, and the files they take in.
//!
//! The grammars that exist read `@use .. as` and `@include` with arguments as errors, so the text is read by lines: what a line
//! begins with says what it is in all three. Values and nested properties are not looked into.
//!
//! Knows lines and words, no trees.

use rustc_hash::FxHashSet;

use super::super::{Action, Hooks, Language};
use super::{FORMAT, LINES, MOST, is_local_path};
use crate::facts::model::Kind;
use crate::facts::walker::{Span, Walker};

/// SCSS.
pub(in crate::lang) static SCSS: Language = Language { name: "scss", extensions: &["scss"], ..STYLE };

/// Sass, by indentation.
pub(in crate::lang) static SASS: Language = Language { name: "sass", extensions: &["sass"], ..STYLE };

/// Less.
pub(in crate::lang) static LESS: Language = Language { name: "less", extensions: &["less"], ..STYLE };

const STYLE: Language = Language {
    line_comment: "//",
    grammar: LINES,
    table: &[("template", Action::Hook(|walker, _| sheet(walker)))],
    hooks: Hooks::NONE,
    ..FORMAT
};

/// What was defined so far; a selector is told where it first stands.
#[derive(Debug, Default)]
struct Sheet {
    seen: FxHashSet<String>,
    defined: u32,
    depth: usize,
}

fn sheet(walker: &mut Walker<'_>) {
    let mut sheet = Sheet::default();
    let indented = walker.language.language.name == "sass";
    let mut in_comment = false;
    for (span, text) in walker.lines() {
        let mut code = text;
        if in_comment {
            let Some(end) = code.find("*/") else { continue };
            (code, in_comment) = (&code[end + 2..], false);
        }
        if let Some(start) = code.find("/*") {
            in_comment = !code[start..].contains("*/");
            code = &code[..start];
        }
        // `//` begins a comment but inside of an address.
        let comment = code.match_indices("//").find(|(at, _)| !code[..*at].ends_with(':')).map_or(code.len(), |(at, _)| at);
        code = &code[..comment];
        let top = if indented { !code.starts_with([' ', '\t']) } else { sheet.depth == 0 };
        line(walker, &mut sheet, (span, text), code.trim(), top, indented);
        let open = code.matches('{').count();
        sheet.depth = (sheet.depth + open).saturating_sub(code.matches('}').count());
    }
}

fn line(walker: &mut Walker<'_>, sheet: &mut Sheet, at: (Span, &str), code: &str, top: bool, indented: bool) {
    let after = |word: &str| code.strip_prefix(word).map(str::trim_start);
    if let Some(rest) = ["@use ", "@forward ", "@import "].iter().find_map(|word| after(word)) {
        return taken_in(walker, at, rest);
    }
    if let Some(rest) = after("@mixin ").or_else(|| code.strip_prefix('=').filter(|_| indented)) {
        return sheet.define(walker, at, Kind::Macro, code, word(rest));
    }
    if let Some(rest) = after("@function ") {
        return sheet.define(walker, at, Kind::Function, code, word(rest));
    }
    if let Some((name, _)) = code.split_once(':').filter(|(name, _)| is_variable(name.trim_end())) {
        if top {
            sheet.define(walker, at, Kind::Variable, code, name.trim_end());
        }
        return;
    }
    // `#{$x}` puts a value in; the block begins at a bracket of its own.
    let block = code.match_indices('{').map(|(open, _)| open).find(|open| !code[..*open].ends_with('#'));
    let selector = match block {
        Some(open) => &code[..open],
        None if code.ends_with(',') && !code.contains(':') => code,
        None if indented && !code.contains(": ") && code.starts_with(['.', '#', '%', '&', '>', '+', '~']) => code,
        _ => return,
    };
    if !selector.starts_with('@') {
        selectors(walker, sheet, at, code, selector);
    }
}

/// `$a` of Sass, `@a` of Less.
fn is_variable(text: &str) -> bool {
    text.strip_prefix(['$', '@'])
        .is_some_and(|name| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_')))
}

/// The name that a text begins with.
fn word(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_'))).unwrap_or(text.len());
    &text[..end]
}

/// Every quoted path of an import.
fn taken_in(walker: &mut Walker<'_>, (span, text): (Span, &str), rest: &str) {
    let mut rest = rest;
    while let Some(open) = rest.find(['"', '\'']) {
        let quote = if rest.as_bytes()[open] == b'"' { '"' } else { '\'' };
        let Some(length) = rest[open + 1..].find(quote) else { return };
        let path = &rest[open + 1..open + 1 + length];
        if is_local_path(path) && !path.starts_with("sass:") {
            walker.import_span(span.of(text, path), path);
        }
        rest = &rest[open + length + 2..];
        // `@use "x" with (..)` configures the module.
        if rest.trim_start().starts_with("with") || rest.trim_start().starts_with("as") {
            return;
        }
    }
}

/// Classes, ids and placeholders of a rule.
fn selectors(walker: &mut Walker<'_>, sheet: &mut Sheet, at: (Span, &str), code: &str, selector: &str) {
    for (start, mark) in selector.match_indices(['.', '#', '%']) {
        let name = word(&selector[start + 1..]);
        let begins = name.starts_with(|c: char| c.is_alphabetic() || matches!(c, '-' | '_'));
        // `&.a` is a class, `1.5` and `a%` are not; what a value completes has no name that anyone could look for.
        let whole = !selector[..start].ends_with(|c: char| c.is_ascii_digit() && mark == ".");
        let completed = selector[start + 1 + name.len()..].starts_with("#{");
        if begins && whole && !completed {
            sheet.define(walker, at, Kind::Selector, code, &selector[start..start + 1 + name.len()]);
        }
    }
}

impl Sheet {
    /// Enters a definition once; `code` and `name` are pieces of the line's text.
    fn define(&mut self, walker: &mut Walker<'_>, (span, text): (Span, &str), kind: Kind, code: &str, name: &str) {
        if name.is_empty() || self.defined >= MOST || !self.seen.insert(format!("{}{name}", kind.as_str())) {
            return;
        }
        self.defined += 1;
        let shown = code.trim_end_matches(['{', ' ']);
        walker.define_span(kind, span.of(text, shown), span.of(text, name), name);
    }
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;
    use crate::index::build::graph_of;

    #[test]
    fn scss() {
        check_facts(
            "scss",
            r#"
@use "base/colors" as c;
//    ^ import base/colors||
@use "sass:math";
@import 'a', 'b';
//       ^ import a||
//            ^ import b||
$main: #fff;
// <- def variable $main
%placeholder { color: red; }
// <- def selector %placeholder
@mixin button($x: 1) { color: $x; }
//     ^ def macro button
@function double($n) { @return $n * 2; }
//        ^ def function double
.btn, a:hover .btn-x {
// <- def selector .btn
//            ^ def selector .btn-x
  @include button(2);
  $local: 1;
  width: 1.5px;
  &:hover { width: double(2); }
  .in#{$x} .full { color: red; }
//         ^ def selector .full
}
@media (max-width: 3px) { #top { } }
.btn { color: blue; }
/* .no { } */
"#,
        );
    }

    #[test]
    fn sass_and_less() {
        check_facts(
            "sass",
            r"
$main: red
// <- def variable $main
 =button($x)
//^ def macro button
  color: $x
.card
// <- def selector .card
  .title
//^ def selector .title
    color: $main
",
        );
        check_facts(
            "less",
            r#"
@import (reference) "vars.less";
//                   ^ import vars.less||
@main: red;
// <- def variable @main
.btn() { color: @main; }
// <- def selector .btn
@media screen { }
"#,
        );
    }

    #[test]
    fn partials_are_found() {
        let graph = graph_of(&[
            ("s/main.scss", "@use 'base/colors';\n@import 'list', 'none';\n"),
            ("s/base/_colors.scss", "$a: 1;\n"),
            ("s/list/_index.scss", "$b: 1;\n"),
        ]);
        let from = graph.by_id("s/main.scss").expect("the file");
        let mut to: Vec<String> = graph.out(from).iter().map(|edge| graph.id(edge.to)).collect();
        to.sort();
        assert_eq!(to, ["s/base/_colors.scss", "s/list/_index.scss"]);
    }
}
