//! AsciiDoc: headings, and the files that are included.

use tree_sitter::Node;

use super::super::{Action, Hooks, Language};
use super::{Book, FORMAT, child, children, link_to};
use crate::facts::model::Kind;
use crate::facts::walker::{NewDef, Walker};

/// AsciiDoc.
pub(in crate::lang) static ASCIIDOC: Language = Language {
    name: "asciidoc",
    extensions: &["adoc", "asciidoc", "asc"],
    line_comment: "//",
    grammar: || arborium_asciidoc::language().into(),
    table: &[("document", Action::Hook(|walker, root| blocks(walker, &mut Book::new(), root, 0)))],
    hooks: Hooks::NONE,
    ..FORMAT
};

/// How deep blocks nest.
const NESTING: usize = 20;

fn blocks<'t>(walker: &mut Walker<'_>, book: &mut Book<'t>, node: Node<'t>, depth: usize) {
    if depth > NESTING {
        return;
    }
    for inner in children(node) {
        match inner.kind() {
            kind if kind == "document_title" || kind.starts_with("title") => {
                if let Some(title) = child(inner, "line") {
                    let text = walker.text(title).trim().to_owned();
                    book.define(walker, NewDef::new(Kind::Heading, inner, title), &text);
                }
                blocks(walker, book, inner, depth + 1);
            }
            "block_macro" => {
                let name = child(inner, "block_macro_name").map(|name| walker.text(name));
                if let (Some("include" | "image"), Some(target)) = (name, child(inner, "target")) {
                    let path = walker.text(target).to_owned();
                    link_to(walker, target, &path);
                }
            }
            _ => blocks(walker, book, inner, depth + 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::index::build::graph_of;

    #[test]
    fn headings_and_includes() {
        let page = "= Title\n\n== Section one\n\ntext\n\ninclude::b.adoc[]\n";
        let graph = graph_of(&[("a.adoc", page), ("b.adoc", "text\n")]);
        let names = |path: &str| {
            let view = graph.file(path).expect("a file").facts.view();
            view.defs.iter().map(|def| view.str(def.name).to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(names("a.adoc"), ["Title", "Section one"]);
        assert_eq!(names("b.adoc"), Vec::<String>::new());
        assert_eq!(graph.incoming(graph.by_id("b.adoc").expect("a file")).count(), 1);
    }
}
