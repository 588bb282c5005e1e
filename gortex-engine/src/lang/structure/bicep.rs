//! Bicep: parameters, resources, modules and outputs of a deployment.

use super::{BASE, call, child, define, import};
use crate::facts::model::Kind;
use crate::lang::Action::Hook;
use crate::lang::common::Fields as _;
use crate::lang::{Language, common};

/// Bicep.
pub(in crate::lang) static BICEP: Language = Language {
    name: "bicep",
    extensions: &["bicep", "bicepparam"],
    grammar: || tree_sitter_bicep::LANGUAGE.into(),
    table: &[
        ("parameter_declaration", Hook(|walker, node| first(walker, node, Kind::Variable))),
        ("variable_declaration", Hook(|walker, node| first(walker, node, Kind::Variable))),
        ("resource_declaration", Hook(|walker, node| first(walker, node, Kind::Resource))),
        (
            "module_declaration",
            Hook(|walker, node| {
                if let Some(path) = child(node, &["string"]) {
                    import(walker, path);
                }
                first(walker, node, Kind::Module);
            }),
        ),
        ("output_declaration", Hook(|walker, node| first(walker, node, Kind::Output))),
        ("type_declaration", Hook(|walker, node| first(walker, node, Kind::TypeAlias))),
        ("user_defined_function", Hook(|walker, node| super::named(walker, node, Kind::Function))),
        (
            "call_expression",
            Hook(|walker, node| {
                let args = node.field("arguments").map(common::arg_count);
                call(walker, node, node.field("function"), &["identifier"], args);
            }),
        ),
    ],
    ..BASE
};

fn first(walker: &mut crate::facts::walker::Walker<'_>, node: tree_sitter::Node<'_>, kind: Kind) {
    define(walker, node, kind, child(node, &["identifier"]), child(node, &["object"]));
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn declarations_and_calls() {
        check_facts(
            "bicep",
            r"
param location string = resourceGroup().location
//    ^ def variable location
//                      ^ call resourceGroup
resource sa 'Microsoft.Storage/storageAccounts@2021' = {
//       ^ def resource sa
  name: 'x'
}
module net './net.bicep' = {
//     ^ def module net
//         ^ import ./net.bicep||
  params: { x: toLower('A') }
//             ^ call toLower
}
output id string = sa.id
//     ^ def output id
",
        );
    }
}
