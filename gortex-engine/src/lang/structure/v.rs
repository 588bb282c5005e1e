//! V.

use tree_sitter::Node;

use super::{BASE, call, import, named};
use crate::facts::model::{Kind, NONE};
use crate::facts::walker::{NewDef, Walker};
use crate::lang::Action::Hook;
use crate::lang::common::Fields as _;
use crate::lang::{Language, common};

/// V.
pub(in crate::lang) static V: Language = Language {
    name: "v",
    extensions: &["v", "vsh"],
    grammar: || tree_sitter_v::LANGUAGE.into(),
    table: &[
        (
            "module_clause",
            Hook(|walker, node| {
                if let Some(name) = node.named_child(0) {
                    let text = walker.text(name);
                    walker.package(text);
                }
            }),
        ),
        ("import_declaration", Hook(|walker, node| node.field("path").into_iter().for_each(|path| import(walker, path)))),
        ("const_spec", Hook(|walker, node| named(walker, node, Kind::Constant))),
        ("enum_declaration", Hook(|walker, node| named(walker, node, Kind::Enum))),
        ("enum_member", Hook(|walker, node| named(walker, node, Kind::EnumMember))),
        ("struct_declaration", Hook(|walker, node| named(walker, node, Kind::Struct))),
        ("struct_field_declaration", Hook(|walker, node| named(walker, node, Kind::Field))),
        ("interface_declaration", Hook(|walker, node| named(walker, node, Kind::Interface))),
        ("interface_spec", Hook(|walker, node| named(walker, node, Kind::Method))),
        ("type_declaration", Hook(|walker, node| named(walker, node, Kind::TypeAlias))),
        ("function_declaration", Hook(function)),
        (
            "parameter_declaration",
            Hook(|walker, node| {
                if let Some(name) = node.field("name") {
                    walker.bind(name, None, NONE, name.start_byte());
                }
            }),
        ),
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

/// A function with a receiver is a method of the receiver's type.
fn function(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = node.field("name") else { return walker.visit_children(node) };
    let owner = node.field("receiver").and_then(|list| list.named_child(0)).and_then(|receiver| receiver.field("type"));
    let kind = if owner.is_some() { Kind::Method } else { Kind::Function };
    let def = walker.define(NewDef::new(kind, node, name).body(node.field("body")));
    if let Some(owner) = owner {
        let text = walker.intern(walker.text(owner).trim_start_matches('&'));
        walker.def_mut(def).owner_type = text;
    }
    walker.in_def(def, |walker| walker.visit_children_except(node, &[Some(name)]));
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn declarations_and_calls() {
        check_facts(
            "v",
            r"
import util.sub as s
//     ^ import util.sub||
const limit = 10
//    ^ def constant limit
enum Color { red green }
//   ^ def enum Color
//           ^ def enum_member Color.red
//               ^ def enum_member Color.green
struct Point { x int }
//     ^ def struct Point
//             ^ def field Point.x
fn (p Point) run() int {
//           ^ def method Point.run
  p.go(1)
//  ^ call ?.go
  return helper(2)
//       ^ call helper
}
",
        );
    }
}
