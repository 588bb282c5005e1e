//! Kotlin.

use super::common::UsageKinds;
use super::{Family, Hooks, Language, Tier};

/// Kotlin.
pub(super) static KOTLIN: Language = Language {
    name: "kotlin",
    tier: Tier::Deep,
    family: Family::Jvm,
    extensions: &["kt", "kts"],
    file_names: &[],
    line_comment: "//",
    keywords: "",
    signatures: &[],
    hoists: false,
    implicit_self: false,
    grammar: || tree_sitter_kotlin_ng::LANGUAGE.into(),
    table: &[],
    usage: UsageKinds::NONE,
    hooks: Hooks::NONE,
};
