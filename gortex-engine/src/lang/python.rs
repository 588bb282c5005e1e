//! Python.

use super::common::UsageKinds;
use super::{Family, Hooks, Language};

/// Python.
pub(super) static PYTHON: Language = Language {
    name: "python",
    family: Family::Python,
    extensions: &["py", "pyi", "pyw"],
    line_comment: "#",
    hoists: true,
    implicit_self: false,
    grammar: || tree_sitter_python::LANGUAGE.into(),
    table: &[],
    usage: UsageKinds::NONE,
    hooks: Hooks::NONE,
};
