//! Dockerfiles: stages, what they are built from, arguments, environment and ports.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::super::{Action, Hooks, Language};
use super::{Book, FORMAT, child, children};
use crate::facts::model::{Kind, Role};
use crate::facts::walker::{NewDef, Walker};

/// Dockerfiles.
pub(in crate::lang) static DOCKERFILE: Language = Language {
    name: "dockerfile",
    extensions: &["dockerfile", "containerfile"],
    file_names: &["Dockerfile", "Containerfile"],
    grammar: || tree_sitter_containerfile::LANGUAGE.into(),
    table: &[("source_file", Action::Hook(file))],
    hooks: Hooks::NONE,
    ..FORMAT
};

fn file(walker: &mut Walker<'_>, root: Node<'_>) {
    let mut book = Book::new();
    let mut stage = None;
    for node in children(root) {
        if node.kind() == "from_instruction" {
            stage = from(walker, &mut book, node);
        } else {
            super::inside(walker, stage, |walker| instruction(walker, &mut book, node));
            // A stage lasts until the next one begins.
            if let Some(stage) = stage {
                let end = node.end_position();
                let row = walker.def_mut(stage);
                row.end = node.end_byte() as u32;
                row.end_line = if end.column == 0 { end.row as u32 } else { end.row as u32 + 1 };
            }
        }
    }
    book.settle(walker);
}

/// A stage is named by `AS`, else by its image.
fn from<'t>(walker: &mut Walker<'_>, book: &mut Book<'t>, node: Node<'t>) -> Option<u32> {
    let image = child(node, "image_spec")?;
    let name = node.field("as").unwrap_or(image);
    let text = walker.text(name).to_owned();
    let def = book.define(walker, NewDef::new(Kind::Stage, node, name), &text);
    let base = walker.text(image).to_owned();
    if name.id() != image.id() || !book.has(Kind::Stage, &base) {
        super::inside(walker, def, |walker| book.mention(walker, image, Kind::Stage, &base, Role::Read));
    }
    def
}

fn instruction<'t>(walker: &mut Walker<'_>, book: &mut Book<'t>, node: Node<'t>) {
    match node.kind() {
        "arg_instruction" | "env_instruction" | "label_instruction" => {
            let kind = if node.kind() == "label_instruction" { Kind::Key } else { Kind::Variable };
            for pair in children(node) {
                if let Some(name) = pair.field("name").or_else(|| pair.field("key")) {
                    let text = walker.text(name).to_owned();
                    book.define(walker, NewDef::new(kind, pair, name), &text);
                }
            }
        }
        "expose_instruction" => {
            for port in children(node).into_iter().filter(|port| port.kind() == "expose_port") {
                let text = walker.text(port).to_owned();
                book.define(walker, NewDef::new(Kind::Key, port, port), &text);
            }
        }
        "copy_instruction" | "add_instruction" | "run_instruction" => sources(walker, book, node),
        _ => {}
    }
}

/// `--from=stage` of `COPY`, and `from=stage` of a mount.
fn sources<'t>(walker: &mut Walker<'_>, book: &mut Book<'t>, node: Node<'t>) {
    for part in children(node) {
        let text = walker.text(part);
        if let Some(stage) = text.strip_prefix("--from=").or_else(|| text.strip_prefix("from=")) {
            book.mention(walker, part, Kind::Stage, stage, Role::Read);
        } else if part.kind() == "mount_param" {
            sources(walker, book, part);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn stages_and_what_they_take_from_each_other() {
        check_facts(
            "dockerfile",
            r"
ARG VERSION=1
#   ^ def variable VERSION
FROM golang:1 AS build
#                ^ def stage build
ENV A=b C=d
#   ^ def variable build.A
#       ^ def variable build.C
FROM build AS test
#             ^ def stage test
#    ^ value build
FROM alpine
#    ^ def stage alpine
COPY --from=build /a /b
#    ^ value build
EXPOSE 8080
#      ^ def key alpine.8080
",
        );
    }
}
