//! PHP.

use super::common::UsageKinds;
use super::{Family, Hooks, Language, Tier};

/// PHP.
pub(super) static PHP: Language = Language {
    name: "php",
    tier: Tier::Deep,
    family: Family::Php,
    extensions: &["php", "phtml"],
    file_names: &[],
    line_comment: "//",
    keywords: "",
    signatures: &[],
    hoists: false,
    implicit_self: false,
    grammar: || tree_sitter_php::LANGUAGE_PHP.into(),
    table: &[],
    usage: UsageKinds::NONE,
    hooks: Hooks::NONE,
};
