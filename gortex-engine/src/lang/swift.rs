//! Swift.
//!
//! A module is one name space, so imports bring in modules and never names. Members of an extension belong to the type it
//! extends, wherever that is. A bare name inside a type may be its member. What `.name` without anything in front belongs to is
//! known only where the type it must have is written beside it.
//!
//! Knows one file; which files make a module is for `link` to say.

mod members;
mod statements;
mod values;

#[cfg(test)]
mod tests;

use tree_sitter::Node;

use self::members::*;
use self::statements::*;
use self::values::*;
use super::common::UsageKinds;
use super::nodes::mark_test_classes;
use super::{Action, Family, Hooks, Language, Tier};
use crate::facts::model::{Role, import_flag};
use crate::facts::walker::Walker;

/// Swift.
pub(super) static SWIFT: Language = Language {
    name: "swift",
    tier: Tier::Deep,
    family: Family::Swift,
    extensions: &["swift"],
    file_names: &[],
    line_comment: "//",
    keywords: "associatedtype class deinit enum extension fileprivate func import init inout internal let open operator private \
        precedencegroup protocol public rethrows static struct subscript typealias var break case catch continue default defer \
        do else fallthrough for guard if in repeat return throw switch where while as false is nil self Self super throws true \
        try await",
    signatures: &["class T { $ {} }", "protocol T { $ }", "$ {}"],
    hoists: false,
    implicit_self: true,
    grammar: || tree_sitter_swift::LANGUAGE.into(),
    table: &[
        ("import_declaration", Action::Hook(import)),
        ("class_declaration", Action::Hook(type_declaration)),
        ("protocol_declaration", Action::Hook(type_declaration)),
        ("associatedtype_declaration", Action::Hook(type_alias)),
        ("typealias_declaration", Action::Hook(type_alias)),
        ("function_declaration", Action::Hook(callable)),
        ("protocol_function_declaration", Action::Hook(callable)),
        ("init_declaration", Action::Hook(callable)),
        ("deinit_declaration", Action::Hook(callable)),
        ("subscript_declaration", Action::Hook(callable)),
        ("property_declaration", Action::Hook(properties)),
        ("protocol_property_declaration", Action::Hook(properties)),
        ("enum_entry", Action::Hook(enum_entry)),
        ("attribute", Action::Hook(attribute)),
        ("operator_declaration", Action::Skip),
        ("precedence_group_declaration", Action::Skip),
        ("directive", Action::Skip),
        ("value_argument_label", Action::Skip),
        ("statements", Action::Scope),
        ("lambda_literal", Action::Hook(lambda)),
        ("if_statement", Action::Hook(conditional)),
        ("guard_statement", Action::Hook(guard)),
        ("while_statement", Action::Hook(conditional)),
        ("for_statement", Action::Hook(for_loop)),
        ("switch_statement", Action::Hook(switch)),
        ("catch_block", Action::Hook(catch_block)),
        ("assignment", Action::Hook(assignment)),
        ("call_expression", Action::Hook(call)),
        ("constructor_expression", Action::Hook(construction)),
        ("macro_invocation", Action::Hook(macro_use)),
        ("navigation_expression", Action::Hook(navigation)),
        ("prefix_expression", Action::Hook(prefix)),
        ("key_path_expression", Action::Hook(key_path)),
        ("selector_expression", Action::Hook(selector)),
        ("simple_identifier", Action::Hook(identifier)),
        ("user_type", Action::Hook(plain_type)),
    ],
    usage: UsageKinds {
        transparent: &["try_expression", "await_expression", "postfix_expression", "tuple_expression", "prefix_expression"],
        statement: &["statements"],
        assignment: &["property_declaration", "assignment"],
        returns: &["control_transfer_statement"],
        argument: &["value_argument"],
        condition: &["if_statement", "guard_statement", "while_statement", "switch_statement"],
        spawn: &[],
        defer: &[],
    },
    hooks: Hooks { expr: Some(expr), signature_start: Some(signature_start), finish: Some(mark_test_classes), ..Hooks::NONE },
};

/// The signature begins after the attributes.
fn signature_start(node: Node<'_>, name: Node<'_>) -> usize {
    let Some(modifiers) = super::nodes::child_of_kind(node, "modifiers") else { return node.start_byte() };
    let mut cursor = modifiers.walk();
    if let Some(first) = modifiers.named_children(&mut cursor).find(|child| child.kind() != "attribute") {
        return first.start_byte();
    }
    let mut cursor = node.walk();
    let next = node.children(&mut cursor).find(|child| child.start_byte() >= modifiers.end_byte() && !child.is_extra());
    next.map_or(name.start_byte(), |next| next.start_byte())
}

/// `import A`, `import class A.B`: a module in either case.
fn import(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(path) = super::nodes::child_of_kind(node, "identifier") else { return };
    let Some(module) = path.named_child(0) else { return };
    let text = walker.text(module);
    walker.import(module, text, "", text, import_flag::MODULE);
}

fn attribute(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.for_children(node, |walker, child| match child.kind() {
        "user_type" => types(walker, child, Role::Attribute),
        _ => walker.visit(child),
    });
}
