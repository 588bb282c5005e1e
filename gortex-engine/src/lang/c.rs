//! C.
//!
//! What a declaration declares is found by following its declarator; `cfamily` holds what C shares with C++.

use super::cfamily::{self, declare, expr, prepare, refs, types};
use super::{Action, Family, Hooks, Language};

/// C.
pub(super) static C: Language = Language {
    name: "c",
    family: Family::C,
    extensions: &["c", "h"],
    line_comment: "//",
    hoists: false,
    implicit_self: false,
    grammar: || tree_sitter_c::LANGUAGE.into(),
    table: &[
        ("preproc_include", Action::Hook(cfamily::include)),
        ("preproc_def", Action::Hook(cfamily::macro_definition)),
        ("preproc_function_def", Action::Hook(cfamily::macro_definition)),
        ("preproc_ifdef", Action::Hook(cfamily::ifdef)),
        ("preproc_call", Action::Skip),
        ("function_definition", Action::Hook(declare::function)),
        ("declaration", Action::Hook(declare::declaration)),
        ("field_declaration", Action::Hook(declare::field)),
        ("type_definition", Action::Hook(types::typedef)),
        ("struct_specifier", Action::Hook(types::type_mention)),
        ("union_specifier", Action::Hook(types::type_mention)),
        ("enum_specifier", Action::Hook(types::type_mention)),
        ("type_identifier", Action::Hook(types::type_mention)),
        ("macro_type_specifier", Action::Hook(types::type_mention)),
        ("compound_statement", Action::Scope),
        ("for_statement", Action::Scope),
        ("parameter_list", Action::Hook(declare::stray_parameters)),
        ("identifier", Action::Hook(refs::identifier)),
        ("call_expression", Action::Hook(refs::call)),
        ("field_expression", Action::Hook(refs::field)),
        ("assignment_expression", Action::Hook(refs::assignment)),
        ("update_expression", Action::Hook(refs::update)),
        ("compound_literal_expression", Action::Hook(refs::compound_literal)),
        ("initializer_pair", Action::Hook(refs::stray_pair)),
        ("offsetof_expression", Action::Hook(refs::offset_of)),
        ("attribute_specifier", Action::Skip),
        ("attribute_declaration", Action::Skip),
        ("ms_declspec_modifier", Action::Skip),
        ("gnu_asm_goto_list", Action::Skip),
    ],
    usage: cfamily::USAGE,
    hooks: Hooks { expr: Some(expr::expr), prepare: Some(prepare::prepare_c), ..Hooks::NONE },
};
