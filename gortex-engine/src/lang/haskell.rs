//! Haskell.

use super::common::UsageKinds;
use super::{Family, Hooks, Language, Tier};

/// Haskell.
pub(super) static HASKELL: Language = Language {
    name: "haskell",
    tier: Tier::Deep,
    family: Family::Haskell,
    extensions: &["hs"],
    file_names: &[],
    line_comment: "--",
    keywords: "",
    signatures: &[],
    hoists: false,
    implicit_self: false,
    grammar: || tree_sitter_haskell::LANGUAGE.into(),
    table: &[],
    usage: UsageKinds::NONE,
    hooks: Hooks::NONE,
};
