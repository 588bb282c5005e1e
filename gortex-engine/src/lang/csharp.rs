//! C#.

use super::common::UsageKinds;
use super::{Family, Hooks, Language, Tier};

/// C#.
pub(super) static CSHARP: Language = Language {
    name: "csharp",
    tier: Tier::Deep,
    family: Family::CSharp,
    extensions: &["cs", "csx"],
    file_names: &[],
    line_comment: "//",
    keywords: "",
    signatures: &[],
    hoists: false,
    implicit_self: false,
    grammar: || tree_sitter_c_sharp::LANGUAGE.into(),
    table: &[],
    usage: UsageKinds::NONE,
    hooks: Hooks::NONE,
};
