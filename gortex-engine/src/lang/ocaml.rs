//! OCaml, implementations and interfaces.
//!
//! A file is a module; a module inside it is a definition that others are in. Values, types and modules have name spaces of
//! their own. Constructors and fields are members of their type here, though the language lets them be named by the module
//! alone. An alias (`module M = Other`) and an applied functor bring in a module under a name and are no definition.
//!
//! Knows one file; where modules lie is for `link` to say.

mod items;
mod values;

#[cfg(test)]
mod tests;

use tree_sitter::Node;

use self::items::*;
use self::values::*;
use super::common::UsageKinds;
use super::{Action, Family, Hooks, Language, Tier};

const KEYWORDS: &str = "and as assert asr begin class constraint do done downto else end exception external false for fun \
    function functor if in include inherit initializer land lazy let lor lsl lsr lxor match method mod module mutable new \
    nonrec object of open or private rec sig struct then to true try type val virtual when while with";

const USAGE: UsageKinds = UsageKinds {
    transparent: &["parenthesized_expression"],
    statement: &["sequence_expression"],
    assignment: &["let_binding"],
    returns: &[],
    argument: &["application_expression", "labeled_argument"],
    condition: &["if_expression", "match_expression", "while_expression"],
    spawn: &[],
    defer: &[],
};

const TABLE: &[(&str, Action)] = &[
    ("open_module", Action::Hook(open)),
    ("include_module", Action::Hook(open)),
    ("include_module_type", Action::Hook(open)),
    ("module_definition", Action::Hook(modules)),
    ("module_type_definition", Action::Hook(module_type)),
    ("type_definition", Action::Hook(type_definition)),
    ("exception_definition", Action::Hook(exception)),
    ("value_definition", Action::Hook(value_definition)),
    ("value_specification", Action::Hook(specification)),
    ("external", Action::Hook(specification)),
    ("class_definition", Action::Hook(classes)),
    ("class_type_definition", Action::Skip),
    ("method_definition", Action::Hook(method)),
    ("instance_variable_definition", Action::Hook(instance_variable)),
    ("inheritance_definition", Action::Hook(inheritance)),
    ("object_expression", Action::Hook(object)),
    ("let_expression", Action::Scope),
    ("local_open_expression", Action::Hook(local_open)),
    ("fun_expression", Action::Hook(lambda)),
    ("function_expression", Action::Hook(cases)),
    ("match_case", Action::Hook(match_case)),
    ("for_expression", Action::Hook(for_loop)),
    ("application_expression", Action::Hook(application)),
    ("infix_expression", Action::Hook(infix)),
    ("method_invocation", Action::Hook(invocation)),
    ("new_expression", Action::Hook(creation)),
    ("field_get_expression", Action::Hook(field_get)),
    ("set_expression", Action::Hook(assignment)),
    ("field_expression", Action::Hook(field_expression)),
    ("value_path", Action::Hook(value)),
    ("constructor_path", Action::Hook(value)),
    ("module_path", Action::Hook(module_mention)),
    ("module_type_path", Action::Hook(module_type_mention)),
    ("type_constructor_path", Action::Hook(plain_type)),
    ("item_attribute", Action::Skip),
    ("attribute", Action::Skip),
    ("floating_attribute", Action::Skip),
    ("extension", Action::Skip),
];

const HOOKS: Hooks = Hooks { expr: Some(expr), finish: Some(file_doc), ..Hooks::NONE };

/// OCaml.
pub(super) static OCAML: Language = Language {
    name: "ocaml",
    tier: Tier::Deep,
    family: Family::Ocaml,
    extensions: &["ml"],
    file_names: &[],
    line_comment: "(*",
    keywords: KEYWORDS,
    signatures: &["$ 0"],
    hoists: false,
    implicit_self: false,
    grammar: || tree_sitter_ocaml::LANGUAGE_OCAML.into(),
    table: TABLE,
    usage: USAGE,
    hooks: HOOKS,
};

/// Interfaces of OCaml modules.
pub(super) static OCAML_INTERFACE: Language = Language {
    name: "ocaml_interface",
    tier: Tier::Deep,
    family: Family::Ocaml,
    extensions: &["mli"],
    file_names: &[],
    line_comment: "(*",
    keywords: KEYWORDS,
    signatures: &["$"],
    hoists: false,
    implicit_self: false,
    grammar: || tree_sitter_ocaml::LANGUAGE_OCAML_INTERFACE.into(),
    table: TABLE,
    usage: USAGE,
    hooks: HOOKS,
};

/// The comment at the top of a file, where a blank line follows it.
fn file_doc(walker: &mut crate::facts::walker::Walker<'_>, root: Node<'_>) {
    let Some(first) = root.named_child(0).filter(|first| first.kind() == "comment") else { return };
    let text = walker.text(first);
    let follows = root.named_child(1).map_or(usize::MAX, |next| next.start_position().row);
    if text.starts_with("(**") && follows > first.end_position().row + 1 {
        let text = comment_text(text);
        walker.file_doc(&text);
    }
}
