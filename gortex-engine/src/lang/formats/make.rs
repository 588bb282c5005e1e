//! Makefiles: targets with their prerequisites, variables, and included files.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::super::{Action, Hooks, Language};
use super::{Book, FORMAT, child, children, link_to};
use crate::facts::model::{Kind, Role};
use crate::facts::walker::{NewDef, Walker};

/// Make.
pub(in crate::lang) static MAKE: Language = Language {
    name: "make",
    extensions: &["mk", "mak", "make"],
    file_names: &["Makefile", "makefile", "GNUmakefile", "Kbuild"],
    grammar: || tree_sitter_make::LANGUAGE.into(),
    table: &[(
        "makefile",
        Action::Hook(|walker, root| {
            let mut book = Book::new();
            parts(walker, &mut book, root, 0);
            book.settle(walker);
        }),
    )],
    hooks: Hooks::NONE,
    ..FORMAT
};

/// How deep conditionals nest.
const NESTING: usize = 60;

fn parts<'t>(walker: &mut Walker<'_>, book: &mut Book<'t>, node: Node<'t>, depth: usize) {
    for inner in children(node) {
        match inner.kind() {
            "rule" => rule(walker, book, inner),
            "variable_assignment" | "define_directive" => {
                if let Some(name) = inner.field("name") {
                    let text = walker.text(name).to_owned();
                    if book.has(Kind::Variable, &text) {
                        variables(walker, book, inner, 0);
                    } else {
                        let def = book.define(walker, NewDef::new(Kind::Variable, inner, name), &text);
                        super::inside(walker, def, |walker| variables(walker, book, inner, 0));
                    }
                }
            }
            "include_directive" => {
                for word in child(inner, "list").map(children).unwrap_or_default() {
                    let path = walker.text(word).to_owned();
                    link_to(walker, word, &path);
                }
            }
            _ if depth < NESTING => parts(walker, book, inner, depth + 1),
            _ => {}
        }
    }
}

/// A rule defines each of its targets that is a name: no pattern, and nothing that make itself means by it.
fn rule<'t>(walker: &mut Walker<'_>, book: &mut Book<'t>, node: Node<'t>) {
    let targets = child(node, "targets").map(children).unwrap_or_default();
    let special =
        targets.first().is_some_and(|target| walker.text(*target).starts_with('.') && !walker.text(*target).contains('/'));
    let mut owner = None;
    for target in targets.iter().filter(|target| !special && target.kind() == "word") {
        let name = walker.text(*target).to_owned();
        if !name.contains('%') && !book.has(Kind::Target, &name) {
            let new = NewDef { first: Some(node), ..NewDef::new(Kind::Target, node, *target).body(child(node, "recipe")) };
            let def = book.define(walker, new, &name);
            owner = owner.or(def);
        }
    }
    super::inside(walker, owner, |walker| {
        for field in ["normal", "order_only"] {
            for word in node.child_by_field_name(field).map(children).unwrap_or_default() {
                if word.kind() == "word" && !special {
                    let name = walker.text(word).to_owned();
                    book.mention(walker, word, Kind::Target, &name, Role::Read);
                }
            }
        }
        variables(walker, book, node, 0);
    });
}

fn variables<'t>(walker: &Walker<'_>, book: &mut Book<'t>, node: Node<'t>, depth: usize) {
    for inner in children(node) {
        if inner.kind() == "variable_reference"
            && let Some(word) = child(inner, "word")
        {
            let name = walker.text(word).to_owned();
            book.mention(walker, word, Kind::Variable, &name, Role::Read);
        }
        if depth < NESTING {
            variables(walker, book, inner, depth + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn targets_prerequisites_and_variables() {
        check_facts(
            "make",
            r"
include common.mk
#       ^ import common.mk||
CC := gcc
# <- def variable CC
.PHONY: all
all: build | elsewhere
# <- def target all
#    ^ value build
build: main.o
# <- def target build
	$(CC) x
%.o: %.c
	cc
",
        );
    }
}
