//! Ruby.

use super::common::UsageKinds;
use super::{Family, Hooks, Language, Tier};

/// Ruby.
pub(super) static RUBY: Language = Language {
    name: "ruby",
    tier: Tier::Deep,
    family: Family::Ruby,
    extensions: &["rb", "rake", "gemspec", "ru"],
    file_names: &["Rakefile", "Gemfile"],
    line_comment: "#",
    keywords: "",
    signatures: &[],
    hoists: false,
    implicit_self: false,
    grammar: || tree_sitter_ruby::LANGUAGE.into(),
    table: &[],
    usage: UsageKinds::NONE,
    hooks: Hooks::NONE,
};
