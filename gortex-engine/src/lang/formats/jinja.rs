//! Jinja templates: macros, blocks, and the templates they extend and include.

use tree_sitter::Node;

use super::super::{Action, Hooks, Language};
use super::{Book, FORMAT, child, children, link_to, unquote};
use crate::facts::model::Kind;
use crate::facts::walker::{NewDef, Walker};

/// Jinja.
pub(in crate::lang) static JINJA: Language = Language {
    name: "jinja",
    extensions: &["j2", "jinja", "jinja2"],
    line_comment: "{#",
    grammar: || arborium_jinja2::language().into(),
    table: &[("source_file", Action::Hook(statements))],
    hooks: Hooks::NONE,
    ..FORMAT
};

fn statements(walker: &mut Walker<'_>, root: Node<'_>) {
    let mut book = Book::new();
    for node in children(root).into_iter().filter(|node| node.kind() == "statement") {
        let word = child(node, "keyword").map(|word| walker.text(word));
        let kind = match word {
            Some("macro") => Kind::Function,
            Some("block") => Kind::Section,
            Some("set") => Kind::Variable,
            Some("extends" | "include" | "import" | "from") => {
                if let Some(path) = child(node, "string") {
                    let text = unquote(walker.text(path)).to_owned();
                    link_to(walker, path, &text);
                }
                continue;
            }
            _ => continue,
        };
        if let Some(name) = child(node, "identifier") {
            let text = walker.text(name).to_owned();
            book.define(walker, NewDef::new(kind, node, name), &text);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::index::build::graph_of;

    #[test]
    fn macros_blocks_and_templates() {
        let page = "{% extends \"base.j2\" %}\n{# {% macro no() %} #}\n{% macro field(name) %}{{ name }}{% endmacro %}\n\
            {% block content %}{{ field(1) }}{% include 'x.j2' %}{% endblock %}\n{% set limit = 10 %}\n";
        let graph = graph_of(&[("a.j2", page), ("base.j2", "text"), ("x.j2", "{{ limit }}")]);
        let names = |path: &str| {
            let view = graph.file(path).expect("a file").facts.view();
            view.defs.iter().map(|def| format!("{} {}", def.kind().as_str(), view.str(def.name))).collect::<Vec<_>>()
        };
        assert_eq!(names("a.j2"), ["function field", "section content", "variable limit"]);
        assert_eq!(names("x.j2"), Vec::<String>::new());
        let imports = |to: &str| graph.incoming(graph.by_id(to).expect("a file")).count();
        assert_eq!(["base.j2", "x.j2", "a.j2"].map(imports), [1, 1, 0]);
    }
}
