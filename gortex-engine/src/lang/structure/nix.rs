//! Nix: bindings are what a file offers; a binding of a function is a function.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::{BASE, call, define, import};
use crate::facts::model::Kind;
use crate::facts::walker::Walker;
use crate::lang::Action::Hook;
use crate::lang::Language;

/// Nix.
pub(in crate::lang) static NIX: Language = Language {
    name: "nix",
    extensions: &["nix"],
    line_comment: "#",
    grammar: || tree_sitter_nix::LANGUAGE.into(),
    table: &[("binding", Hook(binding)), ("path_expression", Hook(import)), ("apply_expression", Hook(apply))],
    ..BASE
};

fn binding(walker: &mut Walker<'_>, node: Node<'_>) {
    let value = node.field("expression");
    let kind = if value.is_some_and(|value| value.kind() == "function_expression") { Kind::Function } else { Kind::Variable };
    let path = node.field("attrpath");
    let name = path.and_then(|path| path.named_child(u32::try_from(path.named_child_count()).ok()?.checked_sub(1)?));
    define(walker, node, kind, name.filter(|name| name.kind() == "identifier"), value);
}

/// `f a b` is an application of an application: the innermost function is the one that is called.
fn apply(walker: &mut Walker<'_>, node: Node<'_>) {
    match node.field("function") {
        Some(inner) if inner.kind() == "apply_expression" => walker.visit_children(node),
        callee => call(walker, node, callee, &["identifier"], None),
    }
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn bindings_and_applications() {
        check_facts(
            "nix",
            r"
let helper = x: x + 1; in {
#   ^ def function helper
  run = helper 2 3;
# ^ def variable run
#       ^ call helper
  out = lib.mkIf (pkgs.callPackage ./b.nix { });
# ^ def variable out
#           ^ call ?.mkIf
#                      ^ call ?.callPackage
#                                  ^ import ./b.nix||
}
",
        );
    }
}
