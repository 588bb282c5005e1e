//! Typst: headings, what is defined with `let`, and files that are taken in.

use tree_sitter::Node;

use super::super::{Action, Hooks, Language};
use super::{Book, FORMAT, child, children, link_to, unquote};
use crate::facts::model::Kind;
use crate::facts::walker::{NewDef, Walker};
use crate::lang::common::Fields as _;

/// Typst.
pub(in crate::lang) static TYPST: Language = Language {
    name: "typst",
    extensions: &["typ"],
    line_comment: "//",
    grammar: || arborium_typst::language().into(),
    table: &[("source_file", Action::Hook(|walker, root| parts(walker, &mut Book::new(), root, 0)))],
    hooks: Hooks::NONE,
    ..FORMAT
};

/// How deep sections nest.
const NESTING: usize = 30;

fn parts<'t>(walker: &mut Walker<'_>, book: &mut Book<'t>, node: Node<'t>, depth: usize) {
    if depth > NESTING {
        return;
    }
    for inner in children(node) {
        match inner.kind() {
            "heading" => {
                if let Some(title) = inner.named_child(0) {
                    let text = walker.text(inner).trim_start_matches('=').trim().to_owned();
                    book.define(walker, NewDef::new(Kind::Heading, inner, title), &text);
                }
            }
            "let" => {
                let pattern = inner.field("pattern");
                let function = pattern.filter(|pattern| pattern.kind() == "call").and_then(|call| call.field("item"));
                let kind = if function.is_some() { Kind::Function } else { Kind::Variable };
                if let Some(name) = function.or(pattern).filter(|name| name.kind() == "ident") {
                    let text = walker.text(name).to_owned();
                    book.define(walker, NewDef::new(kind, inner, name).body(inner.field("value")), &text);
                }
            }
            "import" | "include" => {
                if let Some(path) = inner.field("import").or_else(|| child(inner, "string")) {
                    let text = unquote(walker.text(path)).to_owned();
                    link_to(walker, path, &text);
                }
            }
            "section" | "content" | "code" => parts(walker, book, inner, depth + 1),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn headings_definitions_and_files() {
        check_facts(
            "typst",
            r#"
#import "util.typ": foo
//      ^ import util.typ||
#let limit = 10
//   ^ def variable limit
#let helper(x) = x + 1
//   ^ def function helper
= Intro
//^ def heading Intro
#show heading: it => it
"#,
        );
    }
}
