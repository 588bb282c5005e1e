//! KDL and RON: names of nodes and entries, to the third level.

use tree_sitter::Node;

use super::super::{Action, Hooks, Language};
use super::{Book, DEPTH, FORMAT, child, children, inside, unquote};
use crate::facts::model::Kind;
use crate::facts::walker::{NewDef, Walker};

/// KDL.
pub(in crate::lang) static KDL: Language = Language {
    name: "kdl",
    extensions: &["kdl"],
    line_comment: "//",
    grammar: || arborium_kdl::language().into(),
    table: &[("document", Action::Hook(|walker, root| nodes(walker, &mut Book::new(), root, 0)))],
    hooks: Hooks::NONE,
    ..FORMAT
};

/// RON.
pub(in crate::lang) static RON: Language = Language {
    name: "ron",
    extensions: &["ron"],
    line_comment: "//",
    grammar: || arborium_ron::language().into(),
    table: &[("source_file", Action::Hook(|walker, root| entries(walker, &mut Book::new(), root, 0)))],
    hooks: Hooks::NONE,
    ..FORMAT
};

fn nodes<'t>(walker: &mut Walker<'_>, book: &mut Book<'t>, node: Node<'t>, depth: usize) {
    for inner in children(node).into_iter().filter(|inner| inner.kind() == "node") {
        let (Some(name), below) = (child(inner, "identifier").or_else(|| child(inner, "string")), child(inner, "node_children"))
        else {
            continue;
        };
        let text = unquote(walker.text(name)).to_owned();
        let def = book.define(walker, NewDef::new(Kind::Key, inner, name).body(below), &text);
        if let Some(below) = below.filter(|_| depth + 1 < DEPTH) {
            inside(walker, def, |walker| nodes(walker, book, below, depth + 1));
        }
    }
}

fn entries<'t>(walker: &mut Walker<'_>, book: &mut Book<'t>, node: Node<'t>, depth: usize) {
    for inner in children(node) {
        match inner.kind() {
            "struct_entry" | "map_entry" => {
                let Some(name) = inner.named_child(0).filter(|name| matches!(name.kind(), "identifier" | "string")) else {
                    continue;
                };
                let below = ["struct", "map"].iter().find_map(|kind| child(inner, kind));
                let text = unquote(walker.text(name)).to_owned();
                let def = book.define(walker, NewDef::new(Kind::Key, inner, name).body(below), &text);
                if let Some(below) = below.filter(|_| depth + 1 < DEPTH) {
                    inside(walker, def, |walker| entries(walker, book, below, depth + 1));
                }
            }
            "struct" | "map" if depth == 0 => entries(walker, book, inner, depth),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn names_to_the_third_level() {
        check_facts(
            "kdl",
            r"
package {
// <- def key package
    deps {
//  ^ def key package.deps
        serde {
//      ^ def key package.deps.serde
            a 1
        }
    }
}
",
        );
        check_facts(
            "ron",
            r#"
Config(
    name: "x",
//  ^ def key name
    deep: (a: 1, b: { "k": 2 }),
//  ^ def key deep
//         ^ def key deep.a
//               ^ def key deep.b
//                    ^ def key deep.b.k
)
"#,
        );
    }
}
