//! CSS: classes, ids, custom properties and animations.
//!
//! A selector is defined where it first stands; later rules for it add nothing that has a name.

use tree_sitter::Node;

use super::super::{Action, Hooks, Language};
use super::{Book, FORMAT, children, link_to, unquote};
use crate::facts::model::{Kind, Role};
use crate::facts::walker::{NewDef, Walker};

/// CSS.
pub(in crate::lang) static CSS: Language = Language {
    name: "css",
    extensions: &["css"],
    line_comment: "/*",
    grammar: || tree_sitter_css::LANGUAGE.into(),
    table: &[("stylesheet", Action::Hook(stylesheet))],
    hooks: Hooks::NONE,
    ..FORMAT
};

/// How deep rules nest.
const NESTING: usize = 50;

fn stylesheet(walker: &mut Walker<'_>, root: Node<'_>) {
    let mut book = Book::new();
    rules(walker, &mut book, root, 0);
    book.settle(walker);
}

fn rules<'t>(walker: &mut Walker<'_>, book: &mut Book<'t>, node: Node<'t>, depth: usize) {
    if depth > NESTING {
        return;
    }
    for inner in children(node) {
        match inner.kind() {
            "rule_set" => {
                for part in children(inner) {
                    match part.kind() {
                        "selectors" => selectors(walker, book, inner, part, depth),
                        _ => rules(walker, book, part, depth + 1),
                    }
                }
            }
            "declaration" => declaration(walker, book, inner),
            "keyframes_statement" => {
                if let Some(name) = super::child(inner, "keyframes_name") {
                    let text = walker.text(name).to_owned();
                    once(walker, book, NewDef::new(Kind::Selector, inner, name), &text);
                }
            }
            "import_statement" => import(walker, inner),
            "block" | "media_statement" | "supports_statement" | "at_rule" | "scope_statement" => {
                rules(walker, book, inner, depth + 1);
            }
            _ => {}
        }
    }
}

/// Classes and ids of a rule, each under its own name.
fn selectors<'t>(walker: &mut Walker<'_>, book: &mut Book<'t>, rule: Node<'t>, node: Node<'t>, depth: usize) {
    if depth > NESTING {
        return;
    }
    for inner in children(node) {
        let name = match inner.kind() {
            // What a pseudo class is called is no name of ours.
            "class_name" if node.kind() != "class_selector" => continue,
            "class_name" => format!(".{}", walker.text(inner)),
            "id_name" => format!("#{}", walker.text(inner)),
            _ => {
                selectors(walker, book, rule, inner, depth + 1);
                continue;
            }
        };
        let body = super::child(rule, "block");
        once(walker, book, NewDef::new(Kind::Selector, rule, inner).body(body), &name);
    }
}

fn once<'t>(walker: &mut Walker<'_>, book: &mut Book<'t>, new: NewDef<'t>, name: &str) {
    if !book.has(new.kind, name) {
        book.define(walker, new, name);
    }
}

fn declaration<'t>(walker: &mut Walker<'_>, book: &mut Book<'t>, node: Node<'t>) {
    let mut pending = children(node);
    if let Some(name) = pending.first().copied().filter(|name| walker.text(*name).starts_with("--")) {
        let text = walker.text(name).to_owned();
        once(walker, book, NewDef::new(Kind::Variable, node, name), &text);
    }
    let mut at = 0;
    while let Some(inner) = pending.get(at).copied() {
        at += 1;
        let text = walker.text(inner);
        if inner.kind() == "plain_value" && text.starts_with("--") {
            book.mention(walker, inner, Kind::Variable, text, Role::Read);
        }
        pending.extend(children(inner));
    }
}

fn import(walker: &mut Walker<'_>, node: Node<'_>) {
    let mut pending = vec![node];
    while let Some(at) = pending.pop() {
        if at.kind() == "string_value" || (at.kind() == "plain_value" && pending.is_empty()) {
            let path = unquote(walker.text(at)).to_owned();
            return link_to(walker, at, &path);
        }
        pending.extend(children(at).into_iter().rev());
    }
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn classes_ids_properties_and_animations() {
        check_facts(
            "css",
            r#"
@import url("b.css");
/*          ^ import b.css|| */
:root { --main: #fff; }
/*      ^ def variable --main */
  .btn, .btn-x > a:hover { color: var(--main); }
/* ^ def selector .btn */
/*       ^ def selector .btn-x */
/*                                    ^ value --main */
.btn { color: red }
@media (max-width: 3px) { #top { } }
/*                         ^ def selector #top */
@keyframes spin { from { } }
/*         ^ def selector spin */
"#,
        );
    }
}
