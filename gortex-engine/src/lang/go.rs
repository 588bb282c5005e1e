//! Go.

use super::common::UsageKinds;
use super::{Family, Hooks, Language};

/// Go.
pub(super) static GO: Language = Language {
    name: "go",
    family: Family::Go,
    extensions: &["go"],
    line_comment: "//",
    hoists: false,
    implicit_self: false,
    grammar: || tree_sitter_go::LANGUAGE.into(),
    table: &[],
    usage: UsageKinds::NONE,
    hooks: Hooks::NONE,
};
