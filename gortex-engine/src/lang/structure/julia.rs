//! Julia: long and short function forms, types, macros.

use tree_sitter::Node;

use super::{BASE, call, child, define, import, named};
use crate::facts::model::Kind;
use crate::facts::walker::Walker;
use crate::lang::Action::Hook;
use crate::lang::{Language, common};

/// Julia.
pub(in crate::lang) static JULIA: Language = Language {
    name: "julia",
    extensions: &["jl"],
    line_comment: "#",
    grammar: || tree_sitter_julia::LANGUAGE.into(),
    table: &[
        ("module_definition", Hook(|walker, node| named(walker, node, Kind::Module))),
        ("using_statement", Hook(imports)),
        ("import_statement", Hook(imports)),
        ("struct_definition", Hook(|walker, node| type_definition(walker, node, Kind::Struct))),
        ("abstract_definition", Hook(|walker, node| type_definition(walker, node, Kind::Interface))),
        ("const_statement", Hook(constant)),
        ("function_definition", Hook(|walker, node| define(walker, node, Kind::Function, signed(node), None))),
        ("macro_definition", Hook(|walker, node| define(walker, node, Kind::Macro, signed(node), None))),
        ("assignment", Hook(assignment)),
        ("signature", Hook(|_, _| {})),
        (
            "call_expression",
            Hook(|walker, node| {
                let args = child(node, &["argument_list"]).map(common::arg_count);
                call(walker, node, node.named_child(0), &["identifier"], args);
            }),
        ),
    ],
    ..BASE
};

fn imports(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.for_children(node, |walker, part| match part.kind() {
        "identifier" | "import_path" => import(walker, part),
        "selected_import" => {
            if let Some(module) = part.named_child(0) {
                import(walker, module);
            }
        }
        _ => {}
    });
}

/// The name in front of a signature's parentheses.
fn signed(node: Node<'_>) -> Option<Node<'_>> {
    let mut at = child(node, &["signature"])?;
    for _ in 0..8 {
        at = at.named_child(0)?;
        match at.kind() {
            "identifier" | "operator" => return Some(at),
            // `function Base.show(..)` adds a method to a function of another module.
            "field_expression" => return at.named_child(1),
            _ => {}
        }
    }
    None
}

fn type_definition(walker: &mut Walker<'_>, node: Node<'_>, kind: Kind) {
    let mut at = child(node, &["type_head"]);
    for _ in 0..6 {
        if at.is_some_and(|at| at.kind() != "identifier") {
            at = at.and_then(|at| at.named_child(0));
        }
    }
    let Some(name) = at else { return walker.visit_children(node) };
    let def = walker.define(crate::facts::walker::NewDef::new(kind, node, name));
    walker.in_def(def, |walker| {
        walker.for_children(node, |walker, part| {
            let field = if part.kind() == "typed_expression" { part.named_child(0) } else { Some(part) };
            if let Some(field) = field.filter(|field| field.kind() == "identifier") {
                walker.define(crate::facts::walker::NewDef::new(Kind::Field, part, field));
            } else if part.kind() == "function_definition" {
                walker.visit(part);
            }
        });
    });
}

fn constant(walker: &mut Walker<'_>, node: Node<'_>) {
    let name = child(node, &["assignment"]).and_then(|inner| inner.named_child(0)).filter(|name| name.kind() == "identifier");
    define(walker, node, Kind::Constant, name, None);
}

/// `f(x) = ..` is a function; another assignment defines nothing here.
fn assignment(walker: &mut Walker<'_>, node: Node<'_>) {
    let left = node.named_child(0).filter(|left| left.kind() == "call_expression");
    let Some(name) = left.and_then(|left| left.named_child(0)).filter(|name| name.kind() == "identifier") else {
        return walker.visit_children(node);
    };
    let def = walker.define(crate::facts::walker::NewDef::new(Kind::Function, node, name));
    walker.in_def(def, |walker| walker.visit_children_except(node, &[left]));
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn both_function_forms() {
        check_facts(
            "julia",
            r"
module App
#      ^ def module App
using LinearAlgebra
#     ^ import LinearAlgebra||
struct Point <: Shape
#      ^ def struct App.Point
  x::Int
# ^ def field App.Point.x
end
const LIMIT = 10
#     ^ def constant App.LIMIT
function run(x::Int)
#        ^ def function App.run
  helper(x) + Base.length(x)
# ^ call helper
#                  ^ call ?.length
end
helper(x) = x + 1
#<- def function App.helper
end
",
        );
    }
}
