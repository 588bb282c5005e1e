//! Scala.

use super::common::UsageKinds;
use super::{Family, Hooks, Language, Tier};

/// Scala.
pub(super) static SCALA: Language = Language {
    name: "scala",
    tier: Tier::Deep,
    family: Family::Jvm,
    extensions: &["scala", "sc", "sbt"],
    file_names: &[],
    line_comment: "//",
    keywords: "",
    signatures: &[],
    hoists: false,
    implicit_self: false,
    grammar: || tree_sitter_scala::LANGUAGE.into(),
    table: &[],
    usage: UsageKinds::NONE,
    hooks: Hooks::NONE,
};
