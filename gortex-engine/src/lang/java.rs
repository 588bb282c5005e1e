//! Java.

use super::common::UsageKinds;
use super::{Family, Hooks, Language};

/// Java.
pub(super) static JAVA: Language = Language {
    name: "java",
    family: Family::Java,
    extensions: &["java"],
    line_comment: "//",
    hoists: false,
    implicit_self: true,
    grammar: || tree_sitter_java::LANGUAGE.into(),
    table: &[],
    usage: UsageKinds::NONE,
    hooks: Hooks::NONE,
};
