//! Just: recipes, what they need, and settings.

use super::{BASE, child, define, include};
use crate::facts::model::{Kind, NONE, Usage};
use crate::facts::walker::{NewDef, Walker};
use crate::lang::Action::Hook;
use crate::lang::Language;
use crate::lang::common::Fields as _;

use tree_sitter::Node;

/// Just.
pub(in crate::lang) static JUST: Language = Language {
    name: "just",
    extensions: &["just"],
    file_names: &["justfile", "Justfile", ".justfile"],
    line_comment: "#",
    grammar: || arborium_just::language().into(),
    table: &[
        ("import", Hook(|walker, node| child(node, &["string"]).into_iter().for_each(|path| include(walker, path)))),
        ("module", Hook(|walker, node| define(walker, node, Kind::Module, node.field("name"), None))),
        ("assignment", Hook(|walker, node| define(walker, node, Kind::Variable, node.field("left"), None))),
        ("alias", Hook(alias)),
        ("recipe", Hook(recipe)),
        ("dependency", Hook(dependency)),
        ("dependency_expression", Hook(dependency)),
    ],
    ..BASE
};

fn recipe(walker: &mut Walker<'_>, node: Node<'_>) {
    let head = child(node, &["recipe_header"]);
    let Some(name) = head.and_then(|head| head.field("name")) else { return walker.visit_children(node) };
    let def = walker.define(NewDef::new(Kind::Target, node, name).body(child(node, &["recipe_body"])));
    walker.in_def(def, |walker| walker.visit_children(node));
}

fn alias(walker: &mut Walker<'_>, node: Node<'_>) {
    let (Some(name), target) = (node.field("left"), node.field("right")) else { return };
    let def = walker.define(NewDef::new(Kind::Target, node, name));
    if let Some(target) = target {
        walker.in_def(def, |walker| {
            walker.call(target, NONE, None, Usage::Unknown);
        });
    }
}

fn dependency(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(name) = node.field("name") {
        walker.call(name, NONE, None, Usage::Unknown);
    }
    walker.visit_children(node);
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn recipes_and_what_they_need() {
        check_facts(
            "just",
            r#"
import 'other.just'
#      ^ import other.just||
limit := "10"
# <- def variable limit
alias b := build
#     ^ def target b
#          ^ call build
build target='x': clean (test "a")
# <- def target build
#                 ^ call clean
#                        ^ call test
clean:
# <- def target clean
"#,
        );
    }
}
