//! Visual Basic .NET.

use tree_sitter::Node;

use super::{BASE, call, import, named};
use crate::facts::model::{Kind, Role};
use crate::facts::walker::{NewDef, Walker};
use crate::lang::Action::Hook;
use crate::lang::common::Fields as _;
use crate::lang::nodes::child_of_kind;
use crate::lang::{Language, common};

/// Visual Basic .NET.
pub(in crate::lang) static VISUAL_BASIC: Language = Language {
    name: "visual_basic",
    extensions: &["vb"],
    line_comment: "'",
    implicit_self: true,
    grammar: || arborium_vb::language().into(),
    table: &[
        ("imports_statement", Hook(|walker, node| node.field("namespace").into_iter().for_each(|name| import(walker, name)))),
        ("namespace_block", Hook(|walker, node| named(walker, node, Kind::Module))),
        ("class_block", Hook(|walker, node| named(walker, node, Kind::Class))),
        ("module_block", Hook(|walker, node| named(walker, node, Kind::Class))),
        ("structure_block", Hook(|walker, node| named(walker, node, Kind::Struct))),
        ("interface_block", Hook(|walker, node| named(walker, node, Kind::Interface))),
        ("enum_block", Hook(|walker, node| named(walker, node, Kind::Enum))),
        ("enum_member", Hook(|walker, node| named(walker, node, Kind::EnumMember))),
        ("property_declaration", Hook(|walker, node| named(walker, node, Kind::Property))),
        ("method_declaration", Hook(|walker, node| named(walker, node, Kind::Method))),
        ("constructor_declaration", Hook(constructor)),
        ("field_declaration", Hook(field)),
        (
            "invocation",
            Hook(|walker, node| {
                let args = node.field("arguments").map(common::arg_count);
                call(walker, node, node.field("target"), &["identifier"], args);
            }),
        ),
    ],
    ..BASE
};

fn constructor(walker: &mut Walker<'_>, node: Node<'_>) {
    let def = walker.define_named(NewDef { name: None, ..NewDef::new(Kind::Constructor, node, node) }, "New");
    walker.in_def(def, |walker| walker.visit_children(node));
}

/// The grammar reads `Inherits Bar` on a line of its own as a field.
fn field(walker: &mut Walker<'_>, node: Node<'_>) {
    let declarator = child_of_kind(node, "variable_declarator");
    let Some(name) = declarator.and_then(|declarator| declarator.field("name")) else { return walker.visit_children(node) };
    let role = match walker.text(name).to_ascii_lowercase().as_str() {
        "inherits" => Role::Extends,
        "implements" => Role::Implements,
        _ => {
            let def = walker.define(NewDef::new(Kind::Field, node, name));
            return walker.in_def(def, |walker| walker.visit_children_except(node, &[Some(name)]));
        }
    };
    let mut cursor = node.walk();
    let wrong = node.children(&mut cursor).find(tree_sitter::Node::is_error);
    if let Some(above) = wrong.and_then(|wrong| wrong.named_child(0)) {
        let (owner, text) = (walker.owner(), walker.text(above));
        walker.supertype(owner, "", above, text, role, false);
    }
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn classes_and_calls() {
        check_facts(
            "visual_basic",
            r"
Imports System.Text
'       ^ import System.Text||
Namespace App
'         ^ def module App
  Public Class Foo
'              ^ def class App.Foo
    Inherits Bar
'            ^ extends App.Foo Bar
    Private _x As Integer
'           ^ def field App.Foo._x
    Public Sub New(x As Integer)
'   ^ def constructor App.Foo.New
    End Sub
    Public Function Run(a As Integer) As Integer
'                   ^ def method App.Foo.Run
      Helper(a)
'     ^ call Helper
      Return _x.Go(1)
'               ^ call ?.Go
    End Function
  End Class
  Enum Color
'      ^ def enum App.Color
    Red
'   ^ def enum_member App.Color.Red
  End Enum
End Namespace
",
        );
    }
}
