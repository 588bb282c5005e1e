//! Rust.

use super::common::UsageKinds;
use super::{Family, Hooks, Language};

/// Rust.
pub(super) static RUST: Language = Language {
    name: "rust",
    family: Family::Rust,
    extensions: &["rs"],
    line_comment: "//",
    hoists: false,
    implicit_self: false,
    grammar: || tree_sitter_rust::LANGUAGE.into(),
    table: &[],
    usage: UsageKinds::NONE,
    hooks: Hooks::NONE,
};
