//! Odin: procedures, types and constants of a package, which is a folder.

use tree_sitter::Node;

use super::{BASE, call, child};
use crate::facts::model::{ExprKind, Kind, NONE, import_flag};
use crate::facts::walker::{NewDef, Walker};
use crate::lang::Action::Hook;
use crate::lang::Language;
use crate::lang::common::Fields as _;

/// Odin.
pub(in crate::lang) static ODIN: Language = Language {
    name: "odin",
    extensions: &["odin"],
    grammar: || tree_sitter_odin::LANGUAGE.into(),
    table: &[
        ("import_declaration", Hook(import)),
        ("const_declaration", Hook(|walker, node| first(walker, node, Kind::Constant))),
        ("var_declaration", Hook(variable)),
        ("enum_declaration", Hook(enumeration)),
        ("struct_declaration", Hook(|walker, node| first(walker, node, Kind::Struct))),
        ("union_declaration", Hook(|walker, node| first(walker, node, Kind::Union))),
        ("field", Hook(|walker, node| first(walker, node, Kind::Field))),
        ("procedure_declaration", Hook(|walker, node| first(walker, node, Kind::Function))),
        ("parameter", Hook(bound)),
        ("member_expression", Hook(member)),
        ("call_expression", Hook(invoked)),
    ],
    ..BASE
};

fn import(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(path) = child(node, &["string"]).and_then(|path| child(path, &["string_content"])) {
        let text = walker.text(path);
        walker.import(path, text, "", "", import_flag::MODULE);
    }
}

/// A declaration begins with its name.
fn first(walker: &mut Walker<'_>, node: Node<'_>, kind: Kind) {
    let Some(name) = child(node, &["identifier"]) else { return walker.visit_children(node) };
    let body = child(node, &["procedure"]).and_then(|procedure| child(procedure, &["block"]));
    let def = walker.define(NewDef::new(kind, node, name).body(body));
    walker.in_def(def, |walker| walker.visit_children_except(node, &[Some(name)]));
}

fn variable(walker: &mut Walker<'_>, node: Node<'_>) {
    if walker.in_function() { bound(walker, node) } else { first(walker, node, Kind::Variable) }
}

fn bound(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(name) = child(node, &["identifier"]) {
        walker.bind(name, None, NONE, name.start_byte());
    }
    walker.visit_children(node);
}

fn enumeration(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = child(node, &["identifier"]) else { return };
    let def = walker.define(NewDef::new(Kind::Enum, node, name));
    walker.in_def(def, |walker| {
        walker.for_children(node, |walker, member| {
            if member.kind() == "identifier" && member != name {
                walker.define(NewDef::new(Kind::EnumMember, member, member));
            }
        });
    });
}

/// `fmt.println(x)`: the grammar has the call behind the dot.
fn member(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.for_children(node, |walker, part| {
        let function = part.field("function").filter(|name| part.kind() == "call_expression" && name.kind() == "identifier");
        let Some(name) = function.filter(|_| part.start_byte() > node.start_byte()) else { return walker.visit(part) };
        let before = walker.expr(ExprKind::Unknown, "", NONE, node);
        let usage = walker.result_use();
        walker.call(name, before, part.named_child_count().checked_sub(1), usage);
        walker.visit_children_except(part, &[Some(name)]);
    });
}

fn invoked(walker: &mut Walker<'_>, node: Node<'_>) {
    call(walker, node, node.field("function"), &["identifier"], node.named_child_count().checked_sub(1));
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn declarations_and_calls() {
        check_facts(
            "odin",
            r#"
package main
import util "../util"
//           ^ import ../util||
LIMIT :: 10
// <- def constant LIMIT
Color :: enum { Red, Green }
// <- def enum Color
//              ^ def enum_member Color.Red
//                   ^ def enum_member Color.Green
Point :: struct { x: int }
// <- def struct Point
//                ^ def field Point.x
run :: proc(a: int) {
// <- def function run
  x := helper(1)
//     ^ call helper
  util.go(x)
//     ^ call ?.go
}
state: int = 3
// <- def variable state
"#,
        );
    }
}
