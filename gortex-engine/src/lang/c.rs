//! C.
//!
//! What a declaration declares is found by following its declarator; `cfamily` holds what C shares with C++.

use super::cfamily::{self, expr, prepare, types};
use super::common::joined;
use super::{Action, Family, Hooks, Language};

const TABLE: [(&str, Action); cfamily::TABLE.len() + 1] =
    joined(cfamily::TABLE, [("macro_type_specifier", Action::Hook(types::type_mention))]);

/// C.
pub(super) static C: Language = Language {
    name: "c",
    family: Family::C,
    extensions: &["c", "h"],
    line_comment: "//",
    hoists: false,
    implicit_self: false,
    grammar: || tree_sitter_c::LANGUAGE.into(),
    table: &TABLE,
    usage: cfamily::USAGE,
    hooks: Hooks { expr: Some(expr::expr), prepare: Some(prepare::prepare_c), ..Hooks::NONE },
};
