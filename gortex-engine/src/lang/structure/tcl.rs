//! Tcl: procedures, name spaces and the commands they run.

use tree_sitter::Node;

use super::{BASE, call, child, define, import, include};
use crate::facts::model::{ExprKind, Kind, NONE, Role};
use crate::facts::walker::{NewDef, Walker};
use crate::lang::Action::Hook;
use crate::lang::common::Fields as _;
use crate::lang::nodes::named_children;
use crate::lang::{Language, common};

/// Tcl.
pub(in crate::lang) static TCL: Language = Language {
    name: "tcl",
    extensions: &["tcl", "tk", "itcl"],
    line_comment: "#",
    grammar: || tree_sitter_tcl::LANGUAGE.into(),
    table: &[
        ("procedure", Hook(|walker, node| define(walker, node, Kind::Function, node.field("name"), node.field("body")))),
        ("namespace", Hook(namespace)),
        ("command", Hook(command)),
    ],
    ..BASE
};

fn namespace(walker: &mut Walker<'_>, node: Node<'_>) {
    let words = child(node, &["word_list"]).map(named_children).unwrap_or_default();
    match words.as_slice() {
        [verb, name, body, ..] if walker.text(*verb) == "eval" => {
            let def = walker.define(NewDef::new(Kind::Module, node, *name).body(Some(*body)));
            walker.in_def(def, |walker| walker.visit(*body));
        }
        _ => walker.visit_children(node),
    }
}

fn command(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = node.field("name") else { return walker.visit_children(node) };
    let list = node.field("arguments");
    let words = list.map(named_children).unwrap_or_default();
    match (walker.text(name), words.as_slice()) {
        ("source", [path]) => include(walker, *path),
        ("package", [verb, rest @ ..]) if walker.text(*verb) == "require" => {
            if let Some(module) = rest.iter().find(|word| !walker.text(**word).starts_with('-')) {
                import(walker, *module);
            }
        }
        ("variable", [variable, ..]) if !walker.in_function() => {
            walker.define(NewDef::new(Kind::Variable, node, *variable));
        }
        // A name of another name space.
        (text, _) if text.contains("::") => {
            let before = walker.expr(ExprKind::Unknown, "", NONE, name);
            let last = text.rsplit("::").next().unwrap_or(text);
            let reference = walker.reference_named(name, last, Role::Call, before);
            let usage = walker.result_use();
            walker.call_detail(reference, list.map(common::arg_count), usage);
            walker.visit_children_except(node, &[Some(name)]);
        }
        _ => call(walker, node, Some(name), &["simple_word"], list.map(common::arg_count)),
    }
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn procedures_and_commands() {
        check_facts(
            "tcl",
            r"
package require Tk
#               ^ import Tk||
source util.tcl
#      ^ import util.tcl||
namespace eval app {
#              ^ def module app
  variable limit 10
#          ^ def variable app.limit
  proc helper {a {b 1}} { }
#      ^ def function app.helper
}
proc run {x} {
#    ^ def function run
  app::helper [other $x]
# ^ call ?.helper
#              ^ call other
}
",
        );
    }
}
