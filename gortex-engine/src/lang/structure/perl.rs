//! Perl: packages and subroutines; which package a statement is in the text's order says.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::{BASE, call, import, named};
use crate::facts::model::{ExprKind, Kind, NONE};
use crate::facts::walker::Walker;
use crate::lang::Action::{Hook, Skip};
use crate::lang::Language;

/// Perl.
pub(in crate::lang) static PERL: Language = Language {
    name: "perl",
    extensions: &["pl", "pm", "t"],
    line_comment: "#",
    grammar: || ts_parser_perl::LANGUAGE.into(),
    table: &[
        ("package_statement", Hook(package)),
        ("use_statement", Hook(|walker, node| node.field("module").into_iter().for_each(|name| import(walker, name)))),
        ("subroutine_declaration_statement", Hook(|walker, node| named(walker, node, Kind::Function))),
        ("function_call_expression", Hook(function_call)),
        ("ambiguous_function_call_expression", Hook(function_call)),
        ("method_call_expression", Hook(method_call)),
        ("comment", Skip),
        ("pod", Skip),
    ],
    ..BASE
};

fn package(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(name) = node.field("name") {
        let text = walker.text(name);
        walker.package(text);
    }
    walker.visit_children(node);
}

fn function_call(walker: &mut Walker<'_>, node: Node<'_>) {
    let callee = node.field("function");
    match callee.map(|callee| (callee, walker.text(callee))) {
        // A name of another package.
        Some((callee, text)) if text.contains("::") => {
            let before = walker.expr(ExprKind::Unknown, "", NONE, callee);
            let last = text.rsplit("::").next().unwrap_or(text);
            let reference = walker.reference_named(callee, last, crate::facts::model::Role::Call, before);
            let usage = walker.result_use();
            walker.call_detail(reference, None, usage);
            walker.visit_children_except(node, &[Some(callee)]);
        }
        _ => call(walker, node, callee, &["function"], None),
    }
}

fn method_call(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(name) = node.field("method") {
        let before = walker.expr(ExprKind::Unknown, "", NONE, node);
        let usage = walker.result_use();
        walker.call(name, before, None, usage);
    }
    walker.visit_children(node);
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn subroutines_and_calls() {
        check_facts(
            "perl",
            r"
package My::App;
use My::Util;
#   ^ import My::Util||
sub run { helper($x); $self->go($x); My::Util::trim($x); }
#   ^ def function run
#         ^ call helper
#                            ^ call ?.go
#                                    ^ call ?.trim
sub helper { return 1; }
#   ^ def function helper
",
        );
    }
}
