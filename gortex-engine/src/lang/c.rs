//! C.
//!
//! What a declaration declares is found by following its declarator; `cfamily` holds what C shares with C++.

use super::cfamily::{self, expr, prepare, types};
use super::common::joined;
use super::{Action, Family, Hooks, Language, Tier};

const TABLE: [(&str, Action); cfamily::TABLE.len() + 1] =
    joined(cfamily::TABLE, [("macro_type_specifier", Action::Hook(types::type_mention))]);

/// C.
pub(super) static C: Language = Language {
    name: "c",
    tier: Tier::Deep,
    family: Family::C,
    extensions: &["c", "h"],
    file_names: &[],
    line_comment: "//",
    keywords: "auto break case char const continue default do double else enum extern float for goto if inline int long \
        register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while \
        bool true false nullptr constexpr alignas alignof static_assert thread_local typeof",
    signatures: &["$;", "$ {}", "struct T { $; };"],
    hoists: false,
    implicit_self: false,
    grammar: || tree_sitter_c::LANGUAGE.into(),
    table: &TABLE,
    usage: cfamily::USAGE,
    hooks: Hooks { expr: Some(expr::expr), prepare: Some(prepare::prepare_c), ..Hooks::NONE },
};
