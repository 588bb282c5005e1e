//! C++.

use super::common::UsageKinds;
use super::{Family, Hooks, Language};

/// C++.
pub(super) static CPP: Language = Language {
    name: "cpp",
    family: Family::C,
    extensions: &["cc", "cpp", "cxx", "c++", "hpp", "hh", "hxx", "h++", "ipp", "inl", "tpp"],
    line_comment: "//",
    hoists: false,
    implicit_self: true,
    grammar: || tree_sitter_cpp::LANGUAGE.into(),
    table: &[],
    usage: UsageKinds::NONE,
    hooks: Hooks::NONE,
};
