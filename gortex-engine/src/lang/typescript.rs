//! TypeScript.

use super::common::UsageKinds;
use super::{Family, Hooks, Language};

/// TypeScript.
pub(super) static TYPESCRIPT: Language = Language {
    name: "typescript",
    family: Family::Script,
    extensions: &["ts", "mts", "cts"],
    line_comment: "//",
    hoists: true,
    implicit_self: false,
    grammar: || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
    table: &[],
    usage: UsageKinds::NONE,
    hooks: Hooks::NONE,
};

/// TypeScript with JSX.
pub(super) static TSX: Language = Language {
    name: "tsx",
    family: Family::Script,
    extensions: &["tsx"],
    line_comment: "//",
    hoists: true,
    implicit_self: false,
    grammar: || tree_sitter_typescript::LANGUAGE_TSX.into(),
    table: &[],
    usage: UsageKinds::NONE,
    hooks: Hooks::NONE,
};
