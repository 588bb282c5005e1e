//! Properties of Java: keys of settings and of messages.

use tree_sitter::Node;

use super::super::{Action, Hooks, Language};
use super::{Book, FORMAT, child, children};
use crate::facts::model::Kind;
use crate::facts::walker::{NewDef, Walker};

/// `.properties`.
pub(in crate::lang) static PROPERTIES: Language = Language {
    name: "properties",
    extensions: &["properties"],
    grammar: || tree_sitter_properties::LANGUAGE.into(),
    table: &[("file", Action::Hook(file))],
    hooks: Hooks::NONE,
    ..FORMAT
};

fn file(walker: &mut Walker<'_>, root: Node<'_>) {
    let mut book = Book::new();
    for node in children(root).into_iter().filter(|node| node.kind() == "property") {
        if let Some(name) = child(node, "key") {
            let text = walker.text(name).to_owned();
            book.define(walker, NewDef::new(Kind::Key, node, name), &text);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn keys() {
        check_facts(
            "properties",
            r"
server.port=80
# <- def key server.port
spring.name : x
# <- def key spring.name
! not.a.key=1
",
        );
    }
}
