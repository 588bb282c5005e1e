//! GDScript: a file is a class, which `class_name` names.

use tree_sitter::Node;

use super::{BASE, call, child, define, import, named};
use crate::facts::model::{ExprKind, Kind, NONE, Role};
use crate::facts::walker::{NewDef, Walker};
use crate::lang::Action::Hook;
use crate::lang::common::Fields as _;
use crate::lang::{Language, common};

/// GDScript.
pub(in crate::lang) static GDSCRIPT: Language = Language {
    name: "gdscript",
    extensions: &["gd"],
    line_comment: "#",
    grammar: || tree_sitter_gdscript::LANGUAGE.into(),
    table: &[
        ("class_name_statement", Hook(|walker, node| named(walker, node, Kind::Class))),
        ("extends_statement", Hook(extends)),
        ("class_definition", Hook(|walker, node| named(walker, node, Kind::Class))),
        ("signal_statement", Hook(|walker, node| define(walker, node, Kind::Property, node.field("name"), None))),
        ("enum_definition", Hook(|walker, node| named(walker, node, Kind::Enum))),
        ("enumerator", Hook(|walker, node| define(walker, node, Kind::EnumMember, node.field("left"), None))),
        ("const_statement", Hook(|walker, node| variable(walker, node, Kind::Constant))),
        ("variable_statement", Hook(|walker, node| variable(walker, node, Kind::Variable))),
        ("function_definition", Hook(|walker, node| named(walker, node, Kind::Function))),
        ("constructor_definition", Hook(constructor)),
        ("parameters", Hook(parameters)),
        ("call", Hook(invoked)),
        ("attribute_call", Hook(member)),
    ],
    ..BASE
};

/// The class of the file, if it is named, else nothing that other files could name.
fn extends(walker: &mut Walker<'_>, node: Node<'_>) {
    let class = walker.rows.defs.iter().rposition(|row| row.kind() == Kind::Class && row.parent == walker.owner());
    if let (Some(class), Some(above)) = (class, node.named_child(0)) {
        let text = walker.text(above).trim_matches('"');
        walker.supertype(class as u32, "", above, text, Role::Extends, false);
    }
}

fn variable(walker: &mut Walker<'_>, node: Node<'_>, kind: Kind) {
    if walker.in_function() {
        if let Some(name) = node.field("name") {
            walker.bind(name, None, NONE, name.start_byte());
        }
        return walker.visit_children(node);
    }
    named(walker, node, kind);
}

fn constructor(walker: &mut Walker<'_>, node: Node<'_>) {
    let mut new = NewDef::new(Kind::Constructor, node, node).body(node.field("body"));
    new.name = None;
    let def = walker.define_named(new, "_init");
    walker.in_def(def, |walker| walker.visit_children(node));
}

fn parameters(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.for_children(node, |walker, part| {
        let name = if part.kind() == "identifier" { Some(part) } else { child(part, &["identifier"]) };
        if let Some(name) = name {
            walker.bind(name, None, NONE, name.start_byte());
        }
        walker.visit(part);
    });
}

fn invoked(walker: &mut Walker<'_>, node: Node<'_>) {
    let callee = node.named_child(0);
    let list = node.field("arguments");
    if callee.is_some_and(|callee| matches!(walker.text(callee), "preload" | "load"))
        && let Some(path) = list.and_then(|list| list.named_child(0)).filter(|path| path.kind() == "string")
    {
        import(walker, path);
    }
    call(walker, node, callee.filter(|callee| callee.kind() == "identifier"), &["identifier"], list.map(common::arg_count));
}

fn member(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(name) = child(node, &["identifier"]) {
        let before = walker.expr(ExprKind::Unknown, "", NONE, node);
        let usage = walker.result_use();
        walker.call(name, before, node.field("arguments").map(common::arg_count), usage);
    }
    walker.visit_children(node);
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn scripts_and_calls() {
        check_facts(
            "gdscript",
            r#"
class_name Player
#          ^ def class Player
extends Node2D
#       ^ extends Player Node2D
signal hit(x)
#      ^ def property hit
enum State { IDLE, RUN }
#    ^ def enum State
#            ^ def enum_member State.IDLE
#                  ^ def enum_member State.RUN
const Util = preload("res://util.gd")
#     ^ def constant Util
#                    ^ import res://util.gd||
#            ^ call preload
class Inner:
  #   ^ def class Inner
  var y = 1
  #   ^ def field Inner.y
  func go(): pass
  #    ^ def method Inner.go
func _ready() -> void:
  #  ^ def function _ready
  var z = helper(1)
  #       ^ call helper
  get("A").queue_free()
  #        ^ call ?.queue_free
# ^ call get
"#,
        );
    }
}
