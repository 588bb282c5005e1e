//! TOML: sections and their keys.

use tree_sitter::Node;

use super::super::{Action, Hooks, Language};
use super::{Book, DEPTH, FORMAT, children, inside, unquote};
use crate::facts::model::Kind;
use crate::facts::walker::{NewDef, Walker};

/// TOML.
pub(in crate::lang) static TOML: Language = Language {
    name: "toml",
    extensions: &["toml"],
    grammar: || tree_sitter_toml_ng::LANGUAGE.into(),
    table: &[("document", Action::Hook(document))],
    hooks: Hooks::NONE,
    ..FORMAT
};

fn document(walker: &mut Walker<'_>, root: Node<'_>) {
    let mut book = Book::new();
    for node in children(root) {
        match node.kind() {
            "pair" => pair(walker, &mut book, node, Kind::Key, 0),
            "table" | "table_array_element" => section(walker, &mut book, node),
            _ => {}
        }
    }
}

fn section<'t>(walker: &mut Walker<'_>, book: &mut Book<'t>, node: Node<'t>) {
    let Some(name) = node.named_child(0).filter(|name| name.kind().ends_with("key")) else { return };
    let text = unquote(walker.text(name)).to_owned();
    let body = children(node).into_iter().find(|child| child.kind() == "pair");
    let def = book.define(walker, NewDef::new(Kind::Section, node, name).body(body), &text);
    // What `[project.scripts]` and its relatives list are programs to run.
    let kind = if text.ends_with(".scripts") { Kind::Target } else { Kind::Key };
    inside(walker, def, |walker| {
        for child in children(node).into_iter().filter(|child| child.kind() == "pair") {
            pair(walker, book, child, kind, 1);
        }
    });
}

fn pair<'t>(walker: &mut Walker<'_>, book: &mut Book<'t>, node: Node<'t>, kind: Kind, depth: usize) {
    let (Some(name), value) = (node.named_child(0), node.named_child(1)) else { return };
    let table = value.filter(|value| value.kind() == "inline_table");
    let text = unquote(walker.text(name)).to_owned();
    let def = book.define(walker, NewDef::new(kind, node, name).body(table), &text);
    if let Some(table) = table.filter(|_| depth + 1 < DEPTH) {
        inside(walker, def, |walker| {
            for child in children(table).into_iter().filter(|child| child.kind() == "pair") {
                pair(walker, book, child, Kind::Key, depth + 1);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn sections_and_keys() {
        check_facts(
            "toml",
            r#"
title = "x"
# <- def key title
[package]
#^ def section package
name = "y"
# <- def key package.name
[dependencies]
#^ def section dependencies
serde = { version = "1", features = ["derive"] }
# <- def key dependencies.serde
#         ^ def key dependencies.serde.version
#                        ^ def key dependencies.serde.features
"quoted key" = 1
# <- def key dependencies.quoted key
[[bin]]
# ^ def section bin
[project.scripts]
#^ def section project.scripts
tool = "a:main"
# <- def target project.scripts.tool
"#,
        );
    }
}
