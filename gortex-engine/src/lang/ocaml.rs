//! OCaml.

use super::common::UsageKinds;
use super::{Family, Hooks, Language, Tier};

/// OCaml.
pub(super) static OCAML: Language = Language {
    name: "ocaml",
    tier: Tier::Deep,
    family: Family::Ocaml,
    extensions: &["ml"],
    file_names: &[],
    line_comment: "(*",
    keywords: "",
    signatures: &[],
    hoists: false,
    implicit_self: false,
    grammar: || tree_sitter_ocaml::LANGUAGE_OCAML.into(),
    table: &[],
    usage: UsageKinds::NONE,
    hooks: Hooks::NONE,
};
