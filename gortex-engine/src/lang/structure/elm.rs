//! Elm.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::{BASE, call, define, import, named};
use crate::facts::model::Kind;
use crate::facts::walker::Walker;
use crate::lang::Action::Hook;
use crate::lang::Language;

/// Elm.
pub(in crate::lang) static ELM: Language = Language {
    name: "elm",
    extensions: &["elm"],
    line_comment: "--",
    grammar: || tree_sitter_elm::LANGUAGE.into(),
    table: &[
        ("import_clause", Hook(|walker, node| node.field("moduleName").into_iter().for_each(|name| import(walker, name)))),
        ("module_declaration", Hook(module)),
        ("type_declaration", Hook(|walker, node| named(walker, node, Kind::Enum))),
        ("type_alias_declaration", Hook(|walker, node| named(walker, node, Kind::TypeAlias))),
        ("union_variant", Hook(|walker, node| named(walker, node, Kind::EnumMember))),
        ("field_type", Hook(|walker, node| named(walker, node, Kind::Field))),
        ("value_declaration", Hook(value)),
        ("function_call_expr", Hook(|walker, node| call(walker, node, node.field("target"), &["lower_case_identifier"], None))),
    ],
    ..BASE
};

fn module(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(name) = node.field("name") {
        let text = walker.text(name);
        walker.package(text);
    }
}

fn value(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(left) = node.field("functionDeclarationLeft") else { return walker.visit_children(node) };
    let kind = if left.named_child_count() > 1 { Kind::Function } else { Kind::Constant };
    define(walker, node, kind, left.named_child(0), node.field("body"));
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn declarations_and_calls() {
        check_facts(
            "elm",
            r"
module Main exposing (main)
import Html
--     ^ import Html||
type Msg = Go Int | Stop
--   ^ def enum Msg
--         ^ def enum_member Msg.Go
--                  ^ def enum_member Msg.Stop
type alias Model = { count : Int }
--         ^ def type_alias Model
--                   ^ def field Model.count
update msg model = helper (List.length model)
--<- def function update
--                 ^ call helper
--                              ^ call ?.length
helper m = m
--<- def function helper
",
        );
    }
}
