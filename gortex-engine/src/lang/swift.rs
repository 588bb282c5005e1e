//! Swift.

use super::common::UsageKinds;
use super::{Family, Hooks, Language, Tier};

/// Swift.
pub(super) static SWIFT: Language = Language {
    name: "swift",
    tier: Tier::Deep,
    family: Family::Swift,
    extensions: &["swift"],
    file_names: &[],
    line_comment: "//",
    keywords: "",
    signatures: &[],
    hoists: false,
    implicit_self: false,
    grammar: || tree_sitter_swift::LANGUAGE.into(),
    table: &[],
    usage: UsageKinds::NONE,
    hooks: Hooks::NONE,
};
