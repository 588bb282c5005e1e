//! Zig.

use super::common::UsageKinds;
use super::{Family, Hooks, Language, Tier};

/// Zig.
pub(super) static ZIG: Language = Language {
    name: "zig",
    tier: Tier::Deep,
    family: Family::Zig,
    extensions: &["zig", "zon"],
    file_names: &[],
    line_comment: "//",
    keywords: "",
    signatures: &[],
    hoists: false,
    implicit_self: false,
    grammar: || tree_sitter_zig::LANGUAGE.into(),
    table: &[],
    usage: UsageKinds::NONE,
    hooks: Hooks::NONE,
};
