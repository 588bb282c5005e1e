//! Lua.

use super::common::UsageKinds;
use super::{Family, Hooks, Language, Tier};

/// Lua.
pub(super) static LUA: Language = Language {
    name: "lua",
    tier: Tier::Deep,
    family: Family::Lua,
    extensions: &["lua"],
    file_names: &[],
    line_comment: "--",
    keywords: "",
    signatures: &[],
    hoists: false,
    implicit_self: false,
    grammar: || tree_sitter_lua::LANGUAGE.into(),
    table: &[],
    usage: UsageKinds::NONE,
    hooks: Hooks::NONE,
};
