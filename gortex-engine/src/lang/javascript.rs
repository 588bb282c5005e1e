//! JavaScript.

use super::script::{HOOKS, JAVASCRIPT_TABLE, USAGE};
use super::{Family, Language};

/// JavaScript.
pub(super) static JAVASCRIPT: Language = Language {
    name: "javascript",
    family: Family::Script,
    extensions: &["js", "mjs", "cjs"],
    line_comment: "//",
    hoists: true,
    implicit_self: false,
    grammar: || tree_sitter_javascript::LANGUAGE.into(),
    table: &JAVASCRIPT_TABLE,
    usage: USAGE,
    hooks: HOOKS,
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
    table: &JAVASCRIPT_TABLE,
    usage: USAGE,
    hooks: HOOKS,
};
