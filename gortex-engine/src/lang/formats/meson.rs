//! Meson: targets, variables, and folders that are taken in.

use tree_sitter::Node;

use super::super::{Action, Hooks, Language};
use super::{Book, FORMAT, child, children, link_to, unquote};
use crate::facts::model::Kind;
use crate::facts::walker::{NewDef, Walker};
use crate::lang::common::Fields as _;

/// Meson.
pub(in crate::lang) static MESON: Language = Language {
    name: "meson",
    file_names: &["meson.build", "meson_options.txt", "meson.options"],
    grammar: || arborium_meson::language().into(),
    table: &[("source_file", Action::Hook(|walker, root| statements(walker, &mut Book::new(), root, 0)))],
    hooks: Hooks::NONE,
    ..FORMAT
};

/// How deep statements nest.
const NESTING: usize = 30;
/// Commands that make something to be built or run, named by their first string.
const TARGETS: &[&str] = &[
    "executable",
    "library",
    "static_library",
    "shared_library",
    "shared_module",
    "both_libraries",
    "jar",
    "custom_target",
    "run_target",
    "test",
    "benchmark",
];

fn statements<'t>(walker: &mut Walker<'_>, book: &mut Book<'t>, node: Node<'t>, depth: usize) {
    if depth > NESTING {
        return;
    }
    for inner in children(node) {
        match inner.kind() {
            "normal_command" => command(walker, book, inner),
            "operatorunit" => {
                if let Some(name) = inner.named_child(0).filter(|name| name.kind() == "identifier") {
                    let text = walker.text(name).to_owned();
                    if !book.has(Kind::Variable, &text) {
                        book.define(walker, NewDef::new(Kind::Variable, inner, name), &text);
                    }
                }
                statements(walker, book, inner, depth + 1);
            }
            _ => statements(walker, book, inner, depth + 1),
        }
    }
}

fn command<'t>(walker: &mut Walker<'_>, book: &mut Book<'t>, node: Node<'t>) {
    let Some(word) = node.field("command").map(|word| walker.text(word)) else { return };
    let first = child(node, "variableunit").and_then(|unit| child(unit, "string"));
    let Some(first) = first else { return };
    let text = unquote(walker.text(first)).to_owned();
    match word {
        "subdir" => link_to(walker, first, &text),
        "option" => {
            book.define(walker, NewDef::new(Kind::Key, node, first), &text);
        }
        _ if TARGETS.contains(&word) => {
            book.define(walker, NewDef::new(Kind::Target, node, first), &text);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn targets_and_folders() {
        check_facts(
            "meson",
            r"
project('x', 'c')
subdir('src')
#      ^ import src||
dep = dependency('zlib')
# <- def variable dep
lib = library('core', 'a.c', dependencies: dep)
# <- def variable lib
#             ^ def target core
executable('app', 'main.c')
#          ^ def target app
",
        );
    }
}
