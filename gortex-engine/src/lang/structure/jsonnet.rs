//! Jsonnet: local functions and values, fields of objects.

use tree_sitter::Node;

use super::{BASE, call, child, import};
use crate::facts::model::{ExprKind, Kind, NONE};
use crate::facts::walker::{NewDef, Walker};
use crate::lang::Action::Hook;
use crate::lang::{Language, common};

/// Jsonnet.
pub(in crate::lang) static JSONNET: Language = Language {
    name: "jsonnet",
    extensions: &["jsonnet", "libsonnet"],
    grammar: || tree_sitter_jsonnet::LANGUAGE.into(),
    table: &[
        ("import_expr", Hook(|walker, node| child(node, &["string"]).into_iter().for_each(|path| import(walker, path)))),
        ("bind", Hook(|walker, node| value(walker, node, child(node, &["ident"]), Kind::Variable))),
        (
            "field",
            Hook(|walker, node| {
                let name = child(node, &["field_name"]).and_then(|name| child(name, &["ident", "string"]));
                value(walker, node, name, Kind::Property);
            }),
        ),
        ("param", Hook(parameter)),
        ("suffix_apply", Hook(applied)),
    ],
    ..BASE
};

/// A name for a value, which is a function where it has parameters.
fn value(walker: &mut Walker<'_>, node: Node<'_>, name: Option<Node<'_>>, kind: Kind) {
    let Some(name) = name else { return walker.visit_children(node) };
    let kind = if child(node, &["params"]).is_some() { Kind::Function } else { kind };
    let text = walker.text(name).trim_matches(['"', '\'']);
    let def = walker.define_named(NewDef::new(kind, node, name), text);
    walker.in_def(def, |walker| walker.visit_children_except(node, &[Some(name)]));
}

fn parameter(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(name) = child(node, &["ident"]) {
        walker.bind(name, None, NONE, name.start_byte());
        walker.visit_children_except(node, &[Some(name)]);
    }
}

/// What is applied stands in front.
fn applied(walker: &mut Walker<'_>, node: Node<'_>) {
    let args = Some(common::arg_count(node));
    match node.prev_named_sibling().map(|before| (before, before.kind())) {
        Some((callee, "ident_ref")) => call(walker, node, callee.named_child(0), &["ident"], args),
        Some((member, "suffix_index")) => {
            if let Some(name) = child(member, &["ident"]) {
                let before = walker.expr(ExprKind::Unknown, "", NONE, member);
                let usage = walker.result_use();
                walker.call(name, before, args, usage);
            }
            walker.visit_children(node);
        }
        _ => walker.visit_children(node),
    }
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn functions_fields_and_calls() {
        check_facts(
            "jsonnet",
            r"
local lib = import 'lib.libsonnet';
//    ^ def variable lib
//                 ^ import lib.libsonnet||
local helper(x) = x + 1;
//    ^ def function helper
{
  a: helper(1),
//^ def property a
//   ^ call helper
  f(x):: lib.go(2),
//^ def function f
//           ^ call ?.go
}
",
        );
    }
}
