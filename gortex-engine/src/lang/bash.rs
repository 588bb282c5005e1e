//! Bash.

use super::common::UsageKinds;
use super::{Family, Hooks, Language, Tier};

/// Bash.
pub(super) static BASH: Language = Language {
    name: "bash",
    tier: Tier::Deep,
    family: Family::Shell,
    extensions: &["sh", "bash", "zsh", "ksh", "bats"],
    file_names: &[".bashrc", ".bash_profile", ".profile", ".zshrc", "PKGBUILD"],
    line_comment: "#",
    keywords: "",
    signatures: &[],
    hoists: false,
    implicit_self: false,
    grammar: || tree_sitter_bash::LANGUAGE.into(),
    table: &[],
    usage: UsageKinds::NONE,
    hooks: Hooks::NONE,
};
