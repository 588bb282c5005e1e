//! JavaScript.

use super::common::UsageKinds;
use super::{Family, Hooks, Language};

/// JavaScript.
pub(super) static JAVASCRIPT: Language = Language {
    name: "javascript",
    family: Family::Script,
    extensions: &["js", "mjs", "cjs"],
    line_comment: "//",
    hoists: true,
    implicit_self: false,
    grammar: || tree_sitter_javascript::LANGUAGE.into(),
    table: &[],
    usage: UsageKinds::NONE,
    hooks: Hooks::NONE,
};

/// JavaScript with JSX.
pub(super) static JSX: Language = Language {
    name: "jsx",
    family: Family::Script,
    extensions: &["jsx"],
    line_comment: "//",
    hoists: true,
    implicit_self: false,
    grammar: || tree_sitter_javascript::LANGUAGE.into(),
    table: &[],
    usage: UsageKinds::NONE,
    hooks: Hooks::NONE,
};
