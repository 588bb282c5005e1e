//! Ada: packages, subprograms, types.

use tree_sitter::Node;

use super::{BASE, call, child, define, import, named};
use crate::facts::model::{Kind, NONE, flag};
use crate::facts::walker::{NewDef, Walker};
use crate::lang::Action::{Hook, Skip};
use crate::lang::common::Fields as _;
use crate::lang::nodes::has_child;
use crate::lang::{Language, common};

/// Ada.
pub(in crate::lang) static ADA: Language = Language {
    name: "ada",
    extensions: &["adb", "ads", "ada", "gpr"],
    line_comment: "--",
    grammar: || tree_sitter_ada::LANGUAGE.into(),
    table: &[
        ("with_clause", Hook(|walker, node| walker.for_children(node, import))),
        ("use_clause", Skip),
        ("package_declaration", Hook(|walker, node| named(walker, node, Kind::Module))),
        ("package_body", Hook(|walker, node| named(walker, node, Kind::Module))),
        ("subprogram_declaration", Hook(|walker, node| subprogram(walker, node, flag::DECLARATION))),
        ("subprogram_body", Hook(|walker, node| subprogram(walker, node, 0))),
        ("full_type_declaration", Hook(type_declaration)),
        ("component_declaration", Hook(|walker, node| define(walker, node, Kind::Field, child(node, &["identifier"]), None))),
        ("object_declaration", Hook(object)),
        ("parameter_specification", Hook(bound)),
        ("procedure_call_statement", Hook(invoked)),
        ("function_call", Hook(invoked)),
    ],
    ..BASE
};

fn subprogram(walker: &mut Walker<'_>, node: Node<'_>, flags: u16) {
    let head = child(node, &["procedure_specification", "function_specification"]);
    let Some(name) = head.and_then(|head| head.field("name")) else { return walker.visit_children(node) };
    let body = head.and_then(|head| head.next_sibling());
    let def = walker.define(NewDef::new(Kind::Function, node, name).body(body).flags(flags));
    walker.in_def(def, |walker| walker.visit_children(node));
}

fn type_declaration(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = child(node, &["identifier"]) else { return walker.visit_children(node) };
    let members = child(node, &["enumeration_type_definition"]);
    let kind = match members {
        Some(_) => Kind::Enum,
        None if child(node, &["record_type_definition"]).is_some() => Kind::Struct,
        None => Kind::TypeAlias,
    };
    let def = walker.define(NewDef::new(kind, node, name));
    walker.in_def(def, |walker| match members {
        Some(members) => walker.for_children(members, |walker, member| {
            walker.define(NewDef::new(Kind::EnumMember, member, member));
        }),
        None => walker.visit_children_except(node, &[Some(name)]),
    });
}

fn object(walker: &mut Walker<'_>, node: Node<'_>) {
    let kind = if has_child(node, "constant") { Kind::Constant } else { Kind::Variable };
    if walker.in_function() { bound(walker, node) } else { named(walker, node, kind) }
}

/// A parameter or local object, so that indexing it is no call of something else.
fn bound(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(name) = node.field("name").or_else(|| child(node, &["identifier"])) {
        walker.bind(name, None, NONE, name.start_byte());
    }
    walker.visit_children(node);
}

fn invoked(walker: &mut Walker<'_>, node: Node<'_>) {
    let args = child(node, &["actual_parameter_part"]).map(common::arg_count);
    call(walker, node, node.field("name"), &["identifier"], args);
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn packages_and_calls() {
        check_facts(
            "ada",
            r"
with Ada.Text_IO; use Ada.Text_IO;
--   ^ import Ada.Text_IO||
package body Stacks is
--           ^ def module Stacks
   type Stack is record Top : Integer; end record;
--      ^ def struct Stacks.Stack
--                      ^ def field Stacks.Stack.Top
   type Color is (Red, Green);
--      ^ def enum Stacks.Color
--                ^ def enum_member Stacks.Color.Red
--                     ^ def enum_member Stacks.Color.Green
   Limit : constant Integer := 10;
-- ^ def constant Stacks.Limit
   procedure Push (S : in out Stack);
--           ^ def function Stacks.Push
   procedure Push (S : in out Stack) is
--           ^ def function Stacks.Push
      Seen : Integer := Size (S);
--                      ^ call Size
   begin
      Check (S);
--    ^ call Check
      Ada.Text_IO.Put_Line (S.Name);
--                ^ call ?.Put_Line
   end Push;
end Stacks;
",
        );
    }
}
