//! TypeScript.

use super::script::{HOOKS, TSX_TABLE, TYPESCRIPT_TABLE, USAGE};
use super::{Family, Language};

/// TypeScript.
pub(super) static TYPESCRIPT: Language = Language {
    name: "typescript",
    family: Family::Script,
    extensions: &["ts", "mts", "cts"],
    line_comment: "//",
    hoists: true,
    implicit_self: false,
    grammar: || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
    table: &TYPESCRIPT_TABLE,
    usage: USAGE,
    hooks: HOOKS,
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
    table: &TSX_TABLE,
    usage: USAGE,
    hooks: HOOKS,
};
