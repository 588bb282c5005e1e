//! reStructuredText: headings, and the files that directives name.

use tree_sitter::Node;

use super::super::{Action, Hooks, Language};
use super::{Book, FORMAT, child, children, link_to};
use crate::facts::model::Kind;
use crate::facts::walker::{NewDef, Walker};
use crate::lang::common::Fields as _;

/// reStructuredText.
pub(in crate::lang) static RST: Language = Language {
    name: "rst",
    extensions: &["rst"],
    line_comment: "..",
    grammar: || tree_sitter_rst::LANGUAGE.into(),
    table: &[("document", Action::Hook(document))],
    hooks: Hooks::NONE,
    ..FORMAT
};

fn document(walker: &mut Walker<'_>, root: Node<'_>) {
    let mut book = Book::new();
    for node in children(root) {
        match node.kind() {
            "section" => {
                if let Some(title) = child(node, "title") {
                    let text = walker.text(title).trim().to_owned();
                    book.define(walker, NewDef::new(Kind::Heading, node, title), &text);
                }
            }
            "directive" => directive(walker, node),
            _ => {}
        }
    }
}

fn directive(walker: &mut Walker<'_>, node: Node<'_>) {
    let name = node.field("name").map(|name| walker.text(name));
    let Some(body) = node.field("body") else { return };
    match name {
        Some("include" | "literalinclude" | "image" | "figure") => {
            if let Some(path) = child(body, "arguments") {
                let text = walker.text(path).trim().to_owned();
                link_to(walker, path, &text);
            }
        }
        Some("toctree") => {
            if let Some(list) = child(body, "content") {
                let lines: Vec<String> = walker.text(list).lines().map(|line| line.trim().to_owned()).collect();
                for line in lines.iter().filter(|line| !line.is_empty() && !line.starts_with(':')) {
                    // `Title <path>` shows another text than the document's.
                    let path = line.rsplit_once('<').map_or(line.as_str(), |(_, path)| path.trim_end_matches('>'));
                    link_to(walker, list, path);
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use crate::index::build::graph_of;

    #[test]
    fn headings_and_files() {
        let page = "Title\n=====\n\n.. include:: b.rst\n\nSection\n-------\n\n.. toctree::\n\n   c\n   The d <sub/d>\n\ntext\n";
        let graph = graph_of(&[("a.rst", page), ("b.rst", ""), ("c.rst", ""), ("sub/d.rst", ""), ("e.rst", "no heading\n")]);
        let names = |path: &str| {
            let view = graph.file(path).expect("a file").facts.view();
            view.defs.iter().map(|def| view.str(def.name).to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(names("a.rst"), ["Title", "Section"]);
        assert_eq!(names("e.rst"), Vec::<String>::new());
        let imports = |to: &str| graph.incoming(graph.by_id(to).expect("a file")).count();
        assert_eq!(["b.rst", "c.rst", "sub/d.rst", "e.rst"].map(imports), [1, 1, 1, 0]);
    }
}
