//! Gleam.

use super::{BASE, call, define, import, named};

use crate::facts::model::Kind;
use crate::lang::Action::Hook;
use crate::lang::common::Fields as _;
use crate::lang::{Language, common};

/// Gleam.
pub(in crate::lang) static GLEAM: Language = Language {
    name: "gleam",
    extensions: &["gleam"],
    grammar: || tree_sitter_gleam::LANGUAGE.into(),
    table: &[
        ("import", Hook(|walker, node| node.field("module").into_iter().for_each(|name| import(walker, name)))),
        (
            "type_definition",
            Hook(|walker, node| {
                let name = super::child(node, &["type_name"]).and_then(|head| head.field("name"));
                define(walker, node, Kind::Enum, name, super::child(node, &["data_constructors"]));
            }),
        ),
        ("data_constructor", Hook(|walker, node| named(walker, node, Kind::EnumMember))),
        ("constant", Hook(|walker, node| named(walker, node, Kind::Constant))),
        ("function", Hook(|walker, node| named(walker, node, Kind::Function))),
        (
            "function_call",
            Hook(|walker, node| {
                let args = node.field("arguments").map(common::arg_count);
                call(walker, node, node.field("function"), &["identifier", "label"], args);
            }),
        ),
    ],
    ..BASE
};

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn declarations_and_calls() {
        check_facts(
            "gleam",
            r"
import gleam/list
//     ^ import gleam/list||
pub type Shape { Circle(radius: Float) Square }
//       ^ def enum Shape
//               ^ def enum_member Shape.Circle
//                                     ^ def enum_member Shape.Square
pub const limit = 10
//        ^ def constant limit
pub fn run(x: Int) -> Int { helper(list.map(x)) }
//     ^ def function run
//                          ^ call helper
//                                      ^ call ?.map
fn helper(x) { x }
// ^ def function helper
",
        );
    }
}
