//! PHP.
//!
//! Variables keep their `$`, so that they never collide with functions and constants; fields are named without it, as
//! `$this->name` mentions them. A qualified name is its last word with the name space in front, whose text ends in `\`.
//! Types come from declarations and, where there are none, from the doc comment (`@var`, `@param`, `@return`).
//!
//! Knows one file's name spaces and `use` lines; what they mean elsewhere is for `link` to say.

mod docs;
mod members;
mod values;

#[cfg(test)]
mod tests;

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use self::members::*;
use self::values::*;
use super::common::UsageKinds;
use super::nodes::{child_of_kind, mark_test_classes, named_children};
use super::{Action, Family, Hooks, Language, Tier};
use crate::facts::model::{Kind, NONE, Role, import_flag};
use crate::facts::walker::{NewDef, Walker};

/// PHP.
pub(super) static PHP: Language = Language {
    name: "php",
    tier: Tier::Deep,
    family: Family::Php,
    extensions: &["php", "phtml"],
    file_names: &[],
    line_comment: "//",
    keywords: "abstract and array as break callable case catch class clone const continue declare default do echo else elseif \
        empty enddeclare endfor endforeach endif endswitch endwhile enum eval exit extends final finally fn for foreach \
        function global goto if implements include include_once instanceof insteadof interface isset list match namespace \
        new or print private protected public readonly require require_once return static switch throw trait try unset use \
        var while xor yield true false null self parent",
    signatures: &["<?php class T { $ {} }", "<?php interface T { $; }", "<?php $ {}"],
    hoists: false,
    implicit_self: false,
    grammar: || tree_sitter_php::LANGUAGE_PHP.into(),
    table: &[
        ("program", Action::Hook(program)),
        ("namespace_use_declaration", Action::Hook(use_declaration)),
        ("class_declaration", Action::Hook(type_declaration)),
        ("interface_declaration", Action::Hook(type_declaration)),
        ("trait_declaration", Action::Hook(type_declaration)),
        ("enum_declaration", Action::Hook(type_declaration)),
        ("anonymous_class", Action::Hook(anonymous_class)),
        ("use_declaration", Action::Hook(trait_use)),
        ("const_declaration", Action::Hook(constants)),
        ("property_declaration", Action::Hook(properties)),
        ("enum_case", Action::Hook(enum_case)),
        ("method_declaration", Action::Hook(callable)),
        ("function_definition", Action::Hook(callable)),
        ("anonymous_function", Action::Hook(closure)),
        ("arrow_function", Action::Hook(closure)),
        ("attribute", Action::Hook(attribute)),
        ("variable_name", Action::Skip),
        ("name", Action::Hook(constant_name)),
        ("qualified_name", Action::Hook(constant_name)),
        ("relative_name", Action::Hook(constant_name)),
        ("relative_scope", Action::Skip),
        ("namespace_name", Action::Skip),
        ("primitive_type", Action::Skip),
        ("named_type", Action::Hook(plain_type)),
        ("argument", Action::Hook(argument)),
        ("function_call_expression", Action::Hook(call)),
        ("member_call_expression", Action::Hook(member_call)),
        ("nullsafe_member_call_expression", Action::Hook(member_call)),
        ("scoped_call_expression", Action::Hook(member_call)),
        ("member_access_expression", Action::Hook(member_access)),
        ("nullsafe_member_access_expression", Action::Hook(member_access)),
        ("scoped_property_access_expression", Action::Hook(member_access)),
        ("class_constant_access_expression", Action::Hook(class_constant)),
        ("object_creation_expression", Action::Hook(creation)),
        ("array_creation_expression", Action::Hook(array)),
        ("assignment_expression", Action::Hook(assignment)),
        ("reference_assignment_expression", Action::Hook(assignment)),
        ("augmented_assignment_expression", Action::Hook(step)),
        ("update_expression", Action::Hook(step)),
        ("foreach_statement", Action::Hook(foreach)),
        ("catch_clause", Action::Hook(catch_clause)),
        ("binary_expression", Action::Hook(binary)),
        ("static_variable_declaration", Action::Hook(static_variable)),
        ("require_expression", Action::Hook(include)),
        ("require_once_expression", Action::Hook(include)),
        ("include_expression", Action::Hook(include)),
        ("include_once_expression", Action::Hook(include)),
    ],
    usage: UsageKinds {
        transparent: &["parenthesized_expression", "unary_op_expression", "cast_expression", "error_suppression_expression"],
        statement: &["expression_statement"],
        assignment: &[
            "assignment_expression",
            "augmented_assignment_expression",
            "property_element",
            "array_element_initializer",
        ],
        returns: &["return_statement", "arrow_function", "yield_expression"],
        argument: &["argument"],
        condition: &["if_statement", "else_if_clause", "while_statement", "do_statement", "switch_statement", "match_expression"],
        spawn: &[],
        defer: &[],
    },
    hooks: Hooks { expr: Some(expr), signature_start: Some(signature_start), finish: Some(mark_test_classes), ..Hooks::NONE },
};

/// The signature begins after the attributes.
fn signature_start(node: Node<'_>, _name: Node<'_>) -> usize {
    let Some(list) = node.field("attributes") else { return node.start_byte() };
    let mut cursor = node.walk();
    let next = node.children(&mut cursor).find(|child| child.start_byte() >= list.end_byte() && !child.is_extra());
    next.map_or(node.start_byte(), |next| next.start_byte())
}

// ----- name spaces and imports

/// A file of one name space is in it as a whole; of several each is a module of its own.
fn program(walker: &mut Walker<'_>, node: Node<'_>) {
    let spaces = named_children(node).into_iter().filter(|child| child.kind() == "namespace_definition").count();
    let mut current = NONE;
    walker.for_children(node, |walker, child| {
        if child.kind() != "namespace_definition" {
            return in_module(walker, current, |walker| walker.visit(child));
        }
        let name = child.field("name");
        let body = child.field("body");
        if spaces == 1 || name.is_none() {
            current = NONE;
            if let Some(name) = name {
                let text = walker.text(name);
                walker.package(text);
            }
        } else if let Some(name) = name {
            current = walker.define(NewDef::new(Kind::Module, child, name).body(body));
        }
        if let Some(body) = body {
            in_module(walker, current, |walker| walker.visit_children(body));
            current = NONE;
        }
    });
}

fn in_module(walker: &mut Walker<'_>, module: u32, body: impl FnOnce(&mut Walker<'_>)) {
    if module == NONE { body(walker) } else { walker.owned_by(module, body) }
}

/// `use A\B as C`, `use function A\f`, `use A\{B, C\D}`.
fn use_declaration(walker: &mut Walker<'_>, node: Node<'_>) {
    let flags = |node: Node<'_>| match node.field("type").map(|kind| kind.kind()) {
        Some("function" | "const") => import_flag::STATIC,
        _ => 0,
    };
    let group = flags(node);
    let prefix = child_of_kind(node, "namespace_name").map_or("", |prefix| walker.text(prefix));
    let clauses = node.field("body").unwrap_or(node);
    walker.for_children(clauses, |walker, clause| {
        if clause.kind() != "namespace_use_clause" {
            return;
        }
        let named = named_children(clause);
        let Some(path) = named.into_iter().find(|child| matches!(child.kind(), "qualified_name" | "name")) else { return };
        let text = walker.text(path).trim_start_matches('\\');
        let full = if prefix.is_empty() { text.to_owned() } else { format!("{}\\{text}", prefix.trim_matches('\\')) };
        let (module, name) = full.rsplit_once('\\').unwrap_or(("", &full));
        let alias = clause.field("alias").map_or(name, |alias| walker.text(alias));
        let place = last_name(path);
        walker.import(place, module, name, alias, group | flags(clause));
    });
}

/// `require __DIR__ . '/x.php'`.
fn include(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.visit_children(node);
    let Some(mut path) = node.named_child(0) else { return };
    if path.kind() == "parenthesized_expression" {
        path = path.named_child(0).unwrap_or(path);
    }
    let (from_here, text) = match path.kind() {
        "string" | "encapsed_string" => (false, path),
        "binary_expression" => match (path.field("left"), path.field("right")) {
            (Some(left), Some(right)) if walker.text(left) == "__DIR__" => (true, right),
            _ => return,
        },
        _ => return,
    };
    let [content] = named_children(text)[..] else { return };
    if content.kind() == "string_content" {
        let relative = walker.text(content).trim_start_matches('/');
        let module = if from_here { format!("./{relative}") } else { walker.text(content).to_owned() };
        walker.import(content, &module, "", "", import_flag::SYSTEM);
    }
}

/// The last word of a name.
fn last_name(node: Node<'_>) -> Node<'_> {
    if node.kind() == "name" { node } else { child_of_kind(node, "name").unwrap_or(node) }
}

fn attribute(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(name) = node.named_child(0) {
        mention(walker, name, Role::Attribute);
    }
    walker.visit_field(node, "parameters");
}
