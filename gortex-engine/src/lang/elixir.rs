//! Elixir.

use super::common::UsageKinds;
use super::{Family, Hooks, Language, Tier};

/// Elixir.
pub(super) static ELIXIR: Language = Language {
    name: "elixir",
    tier: Tier::Deep,
    family: Family::Elixir,
    extensions: &["ex", "exs"],
    file_names: &[],
    line_comment: "#",
    keywords: "",
    signatures: &[],
    hoists: false,
    implicit_self: false,
    grammar: || tree_sitter_elixir::LANGUAGE.into(),
    table: &[],
    usage: UsageKinds::NONE,
    hooks: Hooks::NONE,
};
