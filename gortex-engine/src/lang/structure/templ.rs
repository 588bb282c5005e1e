//! templ: Go with components of markup.

use tree_sitter::Node;

use super::{BASE, call, import, named};
use crate::facts::model::{Kind, NONE, Usage};
use crate::facts::walker::Walker;
use crate::lang::Action::Hook;
use crate::lang::common::Fields as _;
use crate::lang::{Language, common};

/// templ.
pub(in crate::lang) static TEMPL: Language = Language {
    name: "templ",
    extensions: &["templ"],
    grammar: || tree_sitter_templ::LANGUAGE.into(),
    table: &[
        ("import_spec", Hook(|walker, node| node.field("path").into_iter().for_each(|path| import(walker, path)))),
        ("component_declaration", Hook(|walker, node| named(walker, node, Kind::Function))),
        ("function_declaration", Hook(|walker, node| named(walker, node, Kind::Function))),
        ("method_declaration", Hook(|walker, node| named(walker, node, Kind::Method))),
        ("css_declaration", Hook(|walker, node| named(walker, node, Kind::Function))),
        ("script_declaration", Hook(|walker, node| named(walker, node, Kind::Function))),
        ("type_spec", Hook(|walker, node| named(walker, node, Kind::Struct))),
        ("field_declaration", Hook(|walker, node| named(walker, node, Kind::Field))),
        ("component_import", Hook(component)),
        (
            "call_expression",
            Hook(|walker, node| {
                let args = node.field("arguments").map(common::arg_count);
                call(walker, node, node.field("function"), &["identifier", "field_identifier"], args);
            }),
        ),
    ],
    ..BASE
};

fn component(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(name) = node.field("name").filter(|name| name.kind() == "component_identifier") {
        walker.call(name, NONE, node.field("arguments").map(common::arg_count), Usage::Unknown);
    }
    walker.visit_children(node);
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn components_and_calls() {
        check_facts(
            "templ",
            r#"
package main
import "fmt"
//     ^ import fmt||
templ Hello(name string) {
//    ^ def function Hello
  <div>{ fmt.Sprint(name) }</div>
//           ^ call ?.Sprint
  @Card("x")
// ^ call Card
}
func helper(a int) int { return a }
//   ^ def function helper
type X struct { a int }
//   ^ def struct X
//              ^ def field X.a
"#,
        );
    }
}
