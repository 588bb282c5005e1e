//! Rego: rules of a policy, told where the first of a name stands.

use tree_sitter::Node;

use super::{BASE, child};
use crate::facts::model::{ExprKind, Kind, NONE, flag};
use crate::facts::walker::{NewDef, Walker};
use crate::lang::Action::{Hook, Skip};
use crate::lang::common::Fields as _;
use crate::lang::nodes::named_children;
use crate::lang::{Language, common};

/// Rego.
pub(in crate::lang) static REGO: Language = Language {
    name: "rego",
    extensions: &["rego"],
    line_comment: "#",
    grammar: || arborium_rego::language().into(),
    table: &[("module", Hook(module)), ("rule", Hook(rule)), ("expr_call", Hook(invoked)), ("comment", Skip)],
    ..BASE
};

/// Claimed names: rules that the file defines.
const RULE: u8 = 0;

fn module(walker: &mut Walker<'_>, node: Node<'_>) {
    let mut word = "";
    for part in named_children(node) {
        match (word, part.kind()) {
            ("package", "ref") => {
                let text = walker.text(part);
                walker.package(text);
            }
            ("import", "ref") => super::import(walker, part),
            (_, "ref") => {}
            _ => walker.visit(part),
        }
        word = part.kind();
    }
}

fn rule(walker: &mut Walker<'_>, node: Node<'_>) {
    let head = child(node, &["rule_head"]);
    let Some(name) = head.and_then(|head| child(head, &["var"])) else { return walker.visit_children(node) };
    let text = walker.text(name);
    let def = if walker.claim(NONE, RULE, text) {
        let kind = if head.is_some_and(|head| child(head, &["rule_args"]).is_some()) { Kind::Function } else { Kind::Variable };
        let test = if text.starts_with("test_") { flag::TEST } else { 0 };
        let kind = if test == 0 { kind } else { Kind::Function };
        walker.define(NewDef::new(kind, node, name).body(child(node, &["rule_body"])).flags(test))
    } else {
        let known = walker.intern(text);
        let Some(def) = walker.rows.defs.iter().position(|row| row.name == known) else { return };
        def as u32
    };
    walker.in_def(def, |walker| walker.visit_children(node));
}

fn invoked(walker: &mut Walker<'_>, node: Node<'_>) {
    let path = node.field("func_name").map(named_children).unwrap_or_default();
    if let Some(name) = path.last() {
        let before = if path.len() > 1 { walker.expr(ExprKind::Unknown, "", NONE, node) } else { NONE };
        let usage = walker.result_use();
        walker.call(*name, before, node.field("func_arguments").map(common::arg_count), usage);
    }
    walker.visit_children(node);
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn rules_and_calls() {
        check_facts(
            "rego",
            r"
package authz.http
import data.util
#      ^ import data.util||
default allow := false
#       ^ def variable allow
allow if { helper(input.x); util.go(1) }
#          ^ call helper
#                                ^ call ?.go
helper(x) := y if { y := x + 1 }
# <- def function helper
test_allow if { allow }
# <- def function test_allow
",
        );
    }
}
