//! PowerShell: functions, classes, and commands as calls. Names are told without case.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::{BASE, call, child, titled};
use crate::facts::model::{ExprKind, Kind, NONE};
use crate::facts::walker::Walker;
use crate::lang::Action::Hook;
use crate::lang::Language;

/// PowerShell.
pub(in crate::lang) static POWERSHELL: Language = Language {
    name: "powershell",
    extensions: &["ps1", "psm1"],
    line_comment: "#",
    grammar: || tree_sitter_powershell::LANGUAGE.into(),
    table: &[
        ("function_statement", Hook(|walker, node| titled(walker, node, Kind::Function, &["function_name"], "script_block"))),
        ("class_statement", Hook(|walker, node| titled(walker, node, Kind::Class, &["simple_name"], "class_method_definition"))),
        ("class_method_definition", Hook(|walker, node| titled(walker, node, Kind::Method, &["simple_name"], "script_block"))),
        ("class_property_definition", Hook(|walker, node| titled(walker, node, Kind::Property, &["variable"], ""))),
        ("enum_statement", Hook(|walker, node| titled(walker, node, Kind::Enum, &["simple_name"], "enum_member"))),
        ("enum_member", Hook(|walker, node| titled(walker, node, Kind::EnumMember, &["simple_name"], ""))),
        ("command", Hook(|walker, node| call(walker, node, node.field("command_name"), &["command_name"], None))),
        ("invokation_expression", Hook(invocation)),
    ],
    ..BASE
};

fn invocation(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(name) = child(node, &["member_name"]).and_then(|member| child(member, &["simple_name"])) {
        let before = match node.named_child(0) {
            Some(first) if walker.text(first).eq_ignore_ascii_case("$this") => walker.expr(ExprKind::SelfRef, "", NONE, first),
            _ => walker.expr(ExprKind::Unknown, "", NONE, node),
        };
        let usage = walker.result_use();
        walker.call(name, before, None, usage);
    }
    walker.visit_children(node);
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn functions_classes_and_commands() {
        check_facts(
            "powershell",
            r"
function Get-Thing {
#        ^ def function Get-Thing
  Invoke-Helper -X 1
# ^ call Invoke-Helper
}
class Foo {
#     ^ def class Foo
  [int] $x
#       ^ def property Foo.$x
  [void] Run() { $this.Go() }
#        ^ def method Foo.Run
#                      ^ call self.Go
}
enum Color { Red; Green }
#    ^ def enum Color
#            ^ def enum_member Color.Red
#                 ^ def enum_member Color.Green
",
        );
    }
}
