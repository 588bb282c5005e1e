//! Rust.
//!
//! Attributes stand before an item as its siblings, so the lists that hold items are walked here and hand each item what
//! stood above it. `impl` blocks are no definitions: their members carry the type's bare name. What macros are given is only
//! a tree of tokens, which [`tokens`] reads as far as tokens tell.
//!
//! Knows no macro's expansion and no type inference: a receiver is what is written in front of the dot.

mod exprs;
mod items;
mod patterns;
#[cfg(test)]
mod tests;
mod tokens;
mod types;
mod uses;

use super::Action::{Hook, Scope, Skip};
use super::common::UsageKinds;
use super::{Family, Hooks, Language, Tier};
use crate::facts::model::Role;

/// Rust.
pub(super) static RUST: Language = Language {
    name: "rust",
    tier: Tier::Deep,
    family: Family::Rust,
    extensions: &["rs"],
    file_names: &[],
    line_comment: "//",
    keywords: "as async await break const continue crate dyn else enum extern false fn for gen if impl in let loop match mod \
        move mut pub ref return self Self static struct super trait true type unsafe use where while abstract become \
        box do final macro override priv try typeof unsized virtual yield",
    signatures: &["$ {}", "trait T { $; }"],
    hoists: false,
    implicit_self: false,
    grammar: || tree_sitter_rust::LANGUAGE.into(),
    table: &[
        // Lists of items, and the items when they stand elsewhere (inside broken code).
        ("source_file", Hook(items::list)),
        ("declaration_list", Hook(items::list)),
        ("block", Hook(items::block)),
        ("function_item", Hook(items::bare)),
        ("function_signature_item", Hook(items::bare)),
        ("impl_item", Hook(items::bare)),
        ("trait_item", Hook(items::bare)),
        ("struct_item", Hook(items::bare)),
        ("union_item", Hook(items::bare)),
        ("enum_item", Hook(items::bare)),
        ("type_item", Hook(items::bare)),
        ("associated_type", Hook(items::bare)),
        ("const_item", Hook(items::bare)),
        ("static_item", Hook(items::bare)),
        ("mod_item", Hook(items::bare)),
        ("macro_definition", Hook(items::bare)),
        ("use_declaration", Hook(uses::use_declaration)),
        ("extern_crate_declaration", Hook(uses::extern_crate)),
        ("attribute", Hook(tokens::attribute)),
        // Types.
        ("type_identifier", Hook(types::plain)),
        ("scoped_type_identifier", Hook(types::plain)),
        ("generic_type", Hook(types::plain)),
        ("function_type", Hook(types::plain)),
        ("bracketed_type", Hook(types::plain)),
        ("qualified_type", Hook(types::plain)),
        ("type_arguments", Hook(types::plain)),
        ("type_binding", Hook(types::plain)),
        ("type_parameters", Hook(types::parameters)),
        // Expressions.
        ("identifier", Hook(exprs::identifier)),
        ("scoped_identifier", Hook(exprs::scoped)),
        ("field_expression", Hook(exprs::field)),
        ("call_expression", Hook(exprs::call)),
        ("macro_invocation", Hook(tokens::invocation)),
        ("token_tree", Hook(tokens::tree)),
        ("struct_expression", Hook(exprs::literal)),
        ("assignment_expression", Hook(exprs::assignment)),
        ("compound_assignment_expr", Hook(exprs::assignment)),
        ("closure_expression", Hook(exprs::closure)),
        ("if_expression", Hook(exprs::if_expression)),
        ("while_expression", Scope),
        ("match_expression", Hook(exprs::match_expression)),
        ("for_expression", Hook(exprs::for_expression)),
        ("let_declaration", Hook(exprs::let_declaration)),
        ("let_condition", Hook(exprs::let_condition)),
        // Nothing to say.
        ("lifetime", Skip),
        ("label", Skip),
        ("visibility_modifier", Skip),
        ("string_literal", Skip),
        ("raw_string_literal", Skip),
        ("line_comment", Skip),
        ("block_comment", Skip),
        ("metavariable", Skip),
    ],
    // Whether a block's value is the function's result depends on where the block stands; see `exprs::result_use`.
    usage: UsageKinds::NONE,
    hooks: Hooks { expr: Some(exprs::expr), is_attribute: Some(|node| node.kind() == "attribute_item"), ..Hooks::NONE },
};

/// Whether a name is written like a type, a variant or a trait (`Circle`, `T`, not `MAX`, `area`).
fn is_camel(name: &str) -> bool {
    let name = name.strip_prefix("r#").unwrap_or(name);
    let mut chars = name.chars().skip_while(|c| *c == '_');
    chars.next().is_some_and(char::is_uppercase) && (name.chars().count() == 1 || name.chars().any(char::is_lowercase))
}

/// Whether a name in a pattern is a constant or a variant and binds nothing.
fn is_upper(name: &str) -> bool {
    let name = name.strip_prefix("r#").unwrap_or(name);
    name.chars().find(|c| *c != '_').is_some_and(char::is_uppercase)
}

/// Whether a name is a primitive type's.
fn is_primitive(name: &str) -> bool {
    matches!(
        name,
        "u8" | "i8"
            | "u16"
            | "i16"
            | "u32"
            | "i32"
            | "u64"
            | "i64"
            | "u128"
            | "i128"
            | "isize"
            | "usize"
            | "f32"
            | "f64"
            | "bool"
            | "str"
            | "char"
    )
}

/// The role of a called name: what is written like a type makes a value of it.
fn call_role(name: &str) -> Role {
    if is_camel(name) { Role::Instantiate } else { Role::Call }
}
