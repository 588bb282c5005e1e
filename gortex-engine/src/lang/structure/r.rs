//! R: a function is a value that a name is given.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::{BASE, call, define, import};
use crate::facts::model::Kind;
use crate::facts::walker::Walker;
use crate::lang::Action::Hook;
use crate::lang::{Language, common};

/// R.
pub(in crate::lang) static R: Language = Language {
    name: "r",
    extensions: &["r"],
    line_comment: "#",
    grammar: || tree_sitter_r::LANGUAGE.into(),
    table: &[("binary_operator", Hook(operator)), ("call", Hook(called)), ("parameter", Hook(parameter))],
    ..BASE
};

/// `name <- value`, also `=`; at the top of a file a value is a variable, elsewhere a local.
fn operator(walker: &mut Walker<'_>, node: Node<'_>) {
    let sign = node.field("operator").map_or("", |sign| walker.text(sign));
    let (left, right) = (node.field("lhs"), node.field("rhs"));
    let (Some(left), Some(right)) = (left.filter(|left| left.kind() == "identifier"), right) else {
        return walker.visit_children(node);
    };
    if !matches!(sign, "<-" | "=" | "<<-") {
        return walker.visit_children(node);
    }
    if right.kind() == "function_definition" {
        define(walker, node, Kind::Function, Some(left), right.field("body"));
    } else if walker.in_function() {
        walker.visit(right);
        walker.bind(left, None, crate::facts::model::NONE, node.end_byte());
    } else {
        define(walker, node, Kind::Variable, Some(left), None);
    }
}

fn parameter(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(name) = node.field("name") {
        walker.bind(name, None, crate::facts::model::NONE, name.end_byte());
    }
    walker.visit_field(node, "default");
}

fn called(walker: &mut Walker<'_>, node: Node<'_>) {
    let callee = node.field("function");
    let list = node.field("arguments");
    let word = callee.map_or("", |callee| walker.text(callee));
    if matches!(word, "library" | "require" | "requireNamespace" | "source")
        && let Some(module) = list.and_then(|list| list.named_child(0)).and_then(|first| first.field("value"))
    {
        return import(walker, module);
    }
    let mut cursor = node.walk();
    let args = list.map(|list| list.named_children(&mut cursor).filter(|part| part.kind() == "argument").count());
    call(walker, node, callee, &["identifier"], args.or(list.map(common::arg_count)));
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn functions_are_assigned() {
        check_facts(
            "r",
            r"
library(dplyr)
#       ^ import dplyr||
LIMIT <- 10
#<- def variable LIMIT
helper <- function(x, y = 1) { z <- x + y; z }
#<- def function helper
run = function(x) { helper(x); dplyr::filter(x) }
#<- def function run
#                   ^ call helper
#                                     ^ call ?.filter
",
        );
    }
}
