//! MATLAB: classes and functions. What is indexed and what is called look alike; a name that the function binds is indexed.

use tree_sitter::Node;

use super::{BASE, call, named};
use crate::facts::model::{ExprKind, Kind, NONE, Role};
use crate::facts::walker::{NewDef, Walker};
use crate::lang::Action::Hook;
use crate::lang::common::Fields as _;
use crate::lang::nodes::child_of_kind;
use crate::lang::{Language, common};

/// MATLAB.
pub(in crate::lang) static MATLAB: Language = Language {
    name: "matlab",
    extensions: &["matlab", "mlx"],
    line_comment: "%",
    grammar: || tree_sitter_matlab::LANGUAGE.into(),
    table: &[
        ("class_definition", Hook(class)),
        ("property", Hook(|walker, node| named(walker, node, Kind::Property))),
        ("function_definition", Hook(function)),
        ("function_arguments", Hook(bound)),
        ("function_output", Hook(bound)),
        ("assignment", Hook(assignment)),
        ("field_expression", Hook(field)),
        (
            "function_call",
            Hook(|walker, node| {
                let args = child_of_kind(node, "arguments").map(common::arg_count);
                call(walker, node, node.field("name"), &["identifier"], args);
            }),
        ),
    ],
    ..BASE
};

fn class(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = node.field("name") else { return walker.visit_children(node) };
    let above = child_of_kind(node, "superclasses");
    let def = walker.define(NewDef::new(Kind::Class, node, name).body(above.and_then(|above| above.next_sibling())));
    if let Some(above) = above {
        walker.for_children(above, |walker, place| {
            let text = walker.text(place);
            walker.supertype(def, "", place, text, Role::Extends, false);
        });
    }
    walker.in_def(def, |walker| walker.visit_children_except(node, &[Some(name), above]));
}

fn function(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = node.field("name") else { return walker.visit_children(node) };
    let in_class = walker.owner_kind().is_some_and(Kind::is_type);
    let kind = if in_class { Kind::Method } else { Kind::Function };
    let def = walker.define(NewDef::new(kind, node, name).body(child_of_kind(node, "block")));
    walker.in_def(def, |walker| walker.visit_children_except(node, &[Some(name)]));
}

fn bound(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.for_children(node, |walker, name| {
        if name.kind() == "identifier" {
            walker.bind(name, None, NONE, name.start_byte());
        }
    });
}

fn assignment(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(right) = node.field("right") {
        walker.visit(right);
    }
    match node.field("left") {
        Some(name) if name.kind() == "identifier" => {
            walker.bind(name, None, NONE, name.start_byte());
        }
        // `a(3) = x` stores into a place of `a`.
        Some(place) if place.kind() == "function_call" => {
            if let Some(list) = child_of_kind(place, "arguments") {
                walker.visit_children(list);
            }
        }
        Some(other) => walker.visit(other),
        None => {}
    }
}

/// `a.b(c)`: the grammar has the call inside of the field.
fn field(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.for_children(node, |walker, part| {
        if part.kind() != "function_call" || node.field("object") == Some(part) {
            return walker.visit(part);
        }
        let list = child_of_kind(part, "arguments");
        if let Some(name) = part.field("name") {
            let before = walker.expr(ExprKind::Unknown, "", NONE, node);
            let usage = walker.result_use();
            walker.call(name, before, list.map(common::arg_count), usage);
        }
        if let Some(list) = list {
            walker.visit_children(list);
        }
    });
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn classes_and_functions() {
        check_facts(
            "matlab",
            r"
classdef Foo < handle
%        ^ def class Foo
%              ^ extends Foo handle
    properties
        Size = 3
%       ^ def property Foo.Size
    end
    methods
        function r = area(obj, x)
%                    ^ def method Foo.area
            r = helper(obj.Size) + obj.scale(x);
%               ^ call helper
%                                      ^ call ?.scale
        end
    end
end
",
        );
        check_facts(
            "matlab",
            r"
function y = helper(x)
%            ^ def function helper
    y = sin(x);
%       ^ call sin
end
",
        );
    }
}
