//! Dart.

use super::common::UsageKinds;
use super::{Family, Hooks, Language, Tier};

/// Dart.
pub(super) static DART: Language = Language {
    name: "dart",
    tier: Tier::Deep,
    family: Family::Dart,
    extensions: &["dart"],
    file_names: &[],
    line_comment: "//",
    keywords: "",
    signatures: &[],
    hoists: false,
    implicit_self: false,
    grammar: || tree_sitter_dart::LANGUAGE.into(),
    table: &[],
    usage: UsageKinds::NONE,
    hooks: Hooks::NONE,
};
