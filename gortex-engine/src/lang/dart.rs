//! Dart.
//!
//! A constructor without a name of its own is called `new`, as its tear-off is; `A.named` is a member of `A`. What an extension
//! declares belongs to the type it extends. A library may lie in several files (`part`), and a leading `_` hides a name from
//! all others.
//!
//! Knows one file; what its imports show is for `link` to say.

mod members;
mod values;

#[cfg(test)]
mod tests;

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use self::members::*;
use self::values::*;
use super::common::UsageKinds;
use super::nodes::{child_of_kind, named_children};
use super::{Action, Family, Hooks, Language, Tier};
use crate::facts::model::{Role, import_flag};
use crate::facts::walker::Walker;

/// Dart.
pub(super) static DART: Language = Language {
    name: "dart",
    tier: Tier::Deep,
    family: Family::Dart,
    extensions: &["dart"],
    file_names: &[],
    line_comment: "//",
    keywords: "abstract as assert async await base break case catch class const continue covariant default deferred do dynamic \
        else enum export extends extension external factory false final finally for get hide if implements import in interface \
        is late library mixin new null of on operator part required rethrow return sealed set show static super switch sync \
        this throw true try typedef var void when while with yield",
    signatures: &["class T { $ {} }", "abstract class T { $; }", "$ {}"],
    hoists: false,
    implicit_self: true,
    grammar: || tree_sitter_dart::LANGUAGE.into(),
    table: &[
        ("library_name", Action::Skip),
        ("import_or_export", Action::Hook(import_or_export)),
        ("part_directive", Action::Hook(part)),
        ("part_of_directive", Action::Hook(part)),
        ("annotation", Action::Hook(annotation)),
        ("class_declaration", Action::Hook(type_declaration)),
        ("mixin_declaration", Action::Hook(type_declaration)),
        ("enum_declaration", Action::Hook(type_declaration)),
        ("extension_declaration", Action::Hook(extension)),
        ("extension_type_declaration", Action::Hook(type_declaration)),
        ("type_alias", Action::Hook(type_alias)),
        ("enum_entry", Action::Hook(enum_entry)),
        ("member_declaration", Action::Hook(member_declaration)),
        ("function_declaration", Action::Hook(function)),
        ("getter_declaration", Action::Hook(function)),
        ("setter_declaration", Action::Hook(function)),
        ("external_function_declaration", Action::Hook(function)),
        ("local_function_declaration", Action::Hook(function)),
        ("top_level_variable_declaration", Action::Hook(variables)),
        ("initialized_variable_declaration", Action::Hook(local_variable)),
        ("pattern_variable_declaration", Action::Hook(pattern_variables)),
        ("block", Action::Scope),
        ("for_statement", Action::Hook(for_loop)),
        ("if_statement", Action::Scope),
        ("switch_statement_case", Action::Scope),
        ("switch_expression_case", Action::Scope),
        ("try_statement", Action::Hook(try_statement)),
        ("variable_pattern", Action::Hook(variable_pattern)),
        ("object_pattern", Action::Hook(object_pattern)),
        ("function_expression", Action::Hook(lambda)),
        ("label", Action::Skip),
        ("break_statement", Action::Skip),
        ("continue_statement", Action::Skip),
        ("labeled_statement", Action::Hook(labeled)),
        ("call_expression", Action::Hook(call)),
        ("new_expression", Action::Hook(creation)),
        ("const_object_expression", Action::Hook(creation)),
        ("constructor_invocation", Action::Hook(creation)),
        ("constructor_tearoff", Action::Hook(tearoff)),
        ("member_expression", Action::Hook(member_access)),
        ("null_aware_member_expression", Action::Hook(member_access)),
        ("assignment_expression", Action::Hook(assignment)),
        ("postfix_expression", Action::Hook(step)),
        ("cascade", Action::Hook(cascade)),
        ("identifier", Action::Hook(identifier)),
        ("identifier_dollar_escaped", Action::Hook(identifier)),
        ("type", Action::Hook(plain_type)),
        ("type_identifier", Action::Hook(plain_type)),
    ],
    usage: UsageKinds {
        transparent: &["parenthesized_expression", "unary_expression", "await_expression", "null_assertion_expression"],
        statement: &["expression_statement"],
        assignment: &[
            "initialized_variable_declaration",
            "initialized_identifier",
            "static_final_declaration",
            "assignment_expression",
        ],
        returns: &["return_statement", "function_body", "function_expression_body", "yield_statement"],
        argument: &["arguments", "named_argument"],
        condition: &["if_statement", "while_statement", "do_statement", "switch_statement"],
        spawn: &[],
        defer: &[],
    },
    hooks: Hooks { expr: Some(expr), signature_start: Some(signature_start), ..Hooks::NONE },
};

/// The signature begins after the annotations.
fn signature_start(node: Node<'_>, name: Node<'_>) -> usize {
    let mut at = node;
    for _ in 0..3 {
        let mut cursor = at.walk();
        let first = at.children(&mut cursor).find(|child| child.kind() != "annotation" && !child.is_extra());
        match first {
            Some(first) if matches!(first.kind(), "method_declaration" | "declaration") => at = first,
            Some(first) => return first.start_byte(),
            None => break,
        }
    }
    name.start_byte()
}

/// The text of a URI without its quotes.
fn uri<'a>(walker: &Walker<'a>, node: Node<'_>) -> &'a str {
    walker.text(node).trim_matches(['\'', '"'])
}

/// `import 'a.dart' as p show X hide Y`, `export 'b.dart'`.
fn import_or_export(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(inner) = node.named_child(0) else { return };
    let is_export = inner.kind() == "library_export";
    let statement = if is_export { inner } else { child_of_kind(inner, "import_specification").unwrap_or(inner) };
    let Some(place) = statement.field("uri") else { return };
    let module = uri(walker, place);
    let base = if is_export { import_flag::REEXPORT } else { 0 };
    let alias = statement.field("alias");
    if let Some(alias) = alias {
        let text = walker.text(alias);
        return walker.import(place, module, "", text, import_flag::MODULE);
    }
    let mut shown = Vec::new();
    let mut hidden = Vec::new();
    for combinator in named_children(statement).into_iter().filter(|child| child.kind() == "combinator") {
        let list = if walker.text(combinator).starts_with("hide") { &mut hidden } else { &mut shown };
        list.extend(named_children(combinator));
    }
    for name in hidden {
        let text = walker.text(name);
        walker.import(name, module, text, "", base | import_flag::TYPE_ONLY);
    }
    if shown.is_empty() {
        return walker.import(place, module, "", "", base | import_flag::WILDCARD);
    }
    for name in shown {
        let text = walker.text(name);
        walker.import(name, module, text, text, base);
    }
}

/// `part 'a.dart'`, `part of 'b.dart'`: files of one library.
fn part(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(place) = child_of_kind(node, "uri") {
        let module = uri(walker, place);
        let direction = if node.kind() == "part_of_directive" { import_flag::SUBMODULE } else { 0 };
        walker.import(place, module, "", "", import_flag::SYSTEM | direction);
    }
}

fn annotation(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(name) = node.field("name") {
        if name.kind() == "identifier" {
            walker.reference(name, Role::Attribute, crate::facts::model::NONE);
        } else {
            walker.visit(name);
        }
    }
    walker.visit_children_except(node, &[node.field("name")]);
}
