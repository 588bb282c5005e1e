//! C.

use super::common::UsageKinds;
use super::{Family, Hooks, Language};

/// C.
pub(super) static C: Language = Language {
    name: "c",
    family: Family::C,
    extensions: &["c", "h"],
    line_comment: "//",
    hoists: false,
    implicit_self: false,
    grammar: || tree_sitter_c::LANGUAGE.into(),
    table: &[],
    usage: UsageKinds::NONE,
    hooks: Hooks::NONE,
};
