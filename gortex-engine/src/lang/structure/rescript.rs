//! ReScript: modules, types and let bindings.

use tree_sitter::Node;

use super::{BASE, call, child, define, import, named};
use crate::facts::model::{Kind, NONE};
use crate::facts::walker::{NewDef, Walker};
use crate::lang::Action::Hook;
use crate::lang::common::Fields as _;
use crate::lang::{Language, common};

/// ReScript.
pub(in crate::lang) static RESCRIPT: Language = Language {
    name: "rescript",
    extensions: &["res", "resi"],
    grammar: || arborium_rescript::language().into(),
    table: &[
        ("open_statement", Hook(|walker, node| node.named_child(0).into_iter().for_each(|name| import(walker, name)))),
        ("type_binding", Hook(type_binding)),
        (
            "variant_declaration",
            Hook(|walker, node| define(walker, node, Kind::EnumMember, child(node, &["variant_identifier"]), None)),
        ),
        (
            "record_type_field",
            Hook(|walker, node| define(walker, node, Kind::Field, child(node, &["property_identifier"]), None)),
        ),
        ("let_binding", Hook(let_binding)),
        ("module_binding", Hook(|walker, node| named(walker, node, Kind::Module))),
        (
            "external_declaration",
            Hook(|walker, node| define(walker, node, Kind::Function, child(node, &["value_identifier"]), None)),
        ),
        ("parameter", Hook(bound)),
        ("labeled_parameter", Hook(bound)),
        (
            "call_expression",
            Hook(|walker, node| {
                let args = node.field("arguments").map(common::arg_count);
                call(walker, node, node.field("function"), &["value_identifier", "property_identifier"], args);
            }),
        ),
    ],
    ..BASE
};

fn type_binding(walker: &mut Walker<'_>, node: Node<'_>) {
    let kind = match node.field("body").map(|body| body.kind()) {
        Some("variant_type") => Kind::Enum,
        Some("record_type") => Kind::Record,
        _ => Kind::TypeAlias,
    };
    named(walker, node, kind);
}

fn let_binding(walker: &mut Walker<'_>, node: Node<'_>) {
    let name = node.field("pattern").filter(|name| name.kind() == "value_identifier");
    let body = node.field("body");
    let function = body.filter(|body| body.kind() == "function");
    if function.is_none() && walker.in_function() {
        if let Some(name) = name {
            walker.bind(name, None, NONE, name.start_byte());
        }
        return walker.visit_children_except(node, &[name]);
    }
    let Some(name) = name else { return walker.visit_children(node) };
    let kind = if function.is_some() { Kind::Function } else { Kind::Variable };
    let inner = function.and_then(|function| function.field("body"));
    let def = walker.define(NewDef::new(kind, node, name).body(inner));
    walker.in_def(def, |walker| {
        if let Some(only) = function.and_then(|function| function.field("parameter")) {
            walker.bind(only, None, NONE, only.start_byte());
        }
        walker.visit_children_except(node, &[Some(name)]);
    });
}

fn bound(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(name) = child(node, &["value_identifier"]) {
        walker.bind(name, None, NONE, name.start_byte());
    }
    walker.visit_children(node);
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn bindings_and_calls() {
        check_facts(
            "rescript",
            r"
open Belt
//   ^ import Belt||
type color = Red | Green
//   ^ def enum color
//           ^ def enum_member color.Red
//                 ^ def enum_member color.Green
type point = {x: int}
//   ^ def record point
//            ^ def field point.x
let limit = 10
//  ^ def variable limit
module Inner = {
//     ^ def module Inner
  let run = x => helper(Js.log(x))
//    ^ def function Inner.run
//               ^ call helper
//                         ^ call ?.log
}
",
        );
    }
}
