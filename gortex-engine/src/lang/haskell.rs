//! Haskell.
//!
//! Equations of one name are one definition, which begins with its signature. Constructors, record fields and class methods
//! are names of the module as functions are; types and classes have a name space of their own. A function is called where
//! it is applied, stands as a statement or is put together with an operator like `$`; elsewhere it is a value.
//!
//! Knows no types beyond what is written down, and no Template Haskell.

mod decls;
mod pattern;
#[cfg(test)]
mod tests;
mod types;

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::common::UsageKinds;
use super::{Action, Family, Hooks, Language, Tier};
use crate::facts::model::{ExprKind, NONE, Role, Usage, import_flag};
use crate::facts::walker::Walker;

/// Haskell.
pub(super) static HASKELL: Language = Language {
    name: "haskell",
    tier: Tier::Deep,
    family: Family::Haskell,
    extensions: &["hs", "hsc"],
    file_names: &[],
    line_comment: "--",
    keywords: "case class data default deriving do else foreign if import in infix infixl infixr instance let module newtype of \
        then type where",
    signatures: &["$\n", "$ = undefined\n"],
    hoists: true,
    implicit_self: false,
    grammar: || tree_sitter_haskell::LANGUAGE.into(),
    table: &[
        ("header", Action::Hook(header)),
        ("import", Action::Hook(import)),
        ("signature", Action::Hook(decls::signature)),
        ("function", Action::Hook(decls::function)),
        ("bind", Action::Hook(decls::bind)),
        ("data_type", Action::Hook(decls::data)),
        ("newtype", Action::Hook(decls::data)),
        ("type_synonym", Action::Hook(decls::synonym)),
        ("type_family", Action::Hook(decls::synonym)),
        ("class", Action::Hook(decls::class)),
        ("instance", Action::Hook(decls::instance)),
        ("deriving_instance", Action::Hook(|w, node| types::mention(w, node, Role::Type))),
        ("kind_signature", Action::Skip),
        ("role_annotation", Action::Skip),
        ("fixity", Action::Skip),
        ("type_instance", Action::Skip),
        ("pragma", Action::Skip),
        ("apply", Action::Hook(apply)),
        ("infix", Action::Hook(infix)),
        ("variable", Action::Name(Role::Read)),
        ("constructor", Action::Hook(constructor)),
        ("qualified", Action::Hook(|w, node| qualified(w, node, Role::Read))),
        ("type_application", Action::Hook(|w, node| types::mention(w, node, Role::GenericArg))),
        ("exp", Action::Hook(statement)),
        ("do", Action::Scope),
        ("let_in", Action::Scope),
        ("match", Action::Scope),
        ("list_comprehension", Action::Scope),
        ("lambda", Action::Hook(pattern::lambda)),
        ("alternative", Action::Hook(pattern::alternative)),
        ("generator", Action::Hook(pattern::generator)),
        ("pattern_guard", Action::Hook(pattern::generator)),
        ("record", Action::Hook(record)),
        ("quasiquote", Action::Skip),
        ("label", Action::Skip),
    ],
    usage: UsageKinds::NONE,
    hooks: Hooks::NONE,
};

/// Names that the module's header exports.
const EXPORTED: u8 = 0;
/// Types whose constructors and fields it exports too.
const WITH_PARTS: u8 = 1;

/// Operators of the Prelude and its neighbours that nobody looks for.
const COMMON: &[&str] = &[
    "$", ".", "+", "-", "*", "/", "==", "/=", "<", ">", "<=", ">=", "&&", "||", "++", ":", "<>", ">>=", ">>", "=<<", "<$>",
    "<*>", "*>", "<*", "$!", "!!", "^", "<|>", "&", "<$", "$>", ">=>", "<&>", "**", "^^", "!",
];

/// Operators whose operands are called.
const CALLING: &[&str] = &["$", ".", "<$>", ">>=", "=<<", ">>", "<*>", "*>", "<*", "$!", "&", "<$", "$>", ">=>", "<&>"];

/// The dotted name of a module node, without the dot that leads on to a name.
fn module_text<'a>(w: &Walker<'a>, node: Node<'_>) -> &'a str {
    w.text(node).trim().trim_end_matches('.')
}

/// `module A.B (exports) where`.
fn header(w: &mut Walker<'_>, node: Node<'_>) {
    if let Some(module) = node.field("module") {
        w.package(module_text(w, module));
    }
    let Some(exports) = node.field("exports") else {
        w.claim(NONE, EXPORTED, "");
        return;
    };
    w.for_children(exports, |w, export| {
        if export.kind() == "module_export" {
            if let Some(module) = export.field("module") {
                let name = format!("module {}", module_text(w, module));
                w.export(module, &name, &name);
            }
            return;
        }
        let Some(name) = exported_name(export) else { return };
        let (place, text) = (name, last_part(w, name));
        w.claim(NONE, EXPORTED, text);
        w.export(place, text, text);
        let Some(children) = export.field("children") else { return };
        w.for_children(children, |w, child| {
            if child.kind() == "all_names" {
                w.claim(NONE, WITH_PARTS, text);
            } else {
                let part = w.text(child).trim_matches(['(', ')']);
                w.claim(NONE, EXPORTED, part);
                w.export(child, part, part);
            }
        });
    });
}

fn exported_name(export: Node<'_>) -> Option<Node<'_>> {
    ["variable", "type", "operator"]
        .into_iter()
        .find_map(|field| export.child_by_field_name(field))
        .or_else(|| export.named_child(0))
}

/// The last part of a maybe qualified name, without the parentheses of an operator.
fn last_part<'a>(w: &Walker<'a>, node: Node<'_>) -> &'a str {
    let node = node.field("id").unwrap_or(node);
    w.text(node).trim_matches(['(', ')']).trim()
}

/// `import qualified A.B as C hiding (x)`.
fn import(w: &mut Walker<'_>, node: Node<'_>) {
    let Some(module) = node.field("module") else { return };
    let text = module_text(w, module);
    let words = w.text(node);
    let head = &words[..words.find('(').unwrap_or(words.len())];
    let has = |word: &str| head.split_whitespace().any(|other| other == word);
    let alias = node.field("alias").map_or(text, |alias| module_text(w, alias));
    w.import(module, text, "", alias, import_flag::MODULE);
    if has("qualified") {
        return;
    }
    let names = node.field("names");
    let listed = names.map_or(Vec::new(), |names| {
        let mut cursor = names.walk();
        names.named_children(&mut cursor).filter(|child| child.kind() == "import_name").collect::<Vec<_>>()
    });
    if names.is_none() || has("hiding") {
        let hidden: Vec<&str> = listed.iter().filter_map(|item| item.named_child(0)).map(|name| last_part(w, name)).collect();
        w.import(module, text, &hidden.join(","), "", import_flag::WILDCARD);
        return;
    }
    for item in listed {
        let Some(name) = exported_name(item) else { continue };
        let part = last_part(w, name);
        w.import(name, text, part, part, 0);
        let Some(children) = item.field("children") else { continue };
        w.for_children(children, |w, child| {
            if child.kind() == "all_names" {
                // Every part of the type as well.
                w.import(name, text, part, "", import_flag::STATIC);
            } else {
                let part = w.text(child).trim_matches(['(', ')']);
                w.import(child, text, part, part, 0);
            }
        });
    }
}

/// Constructors of the Prelude that nobody looks for.
const PLAIN: &[&str] = &["Just", "Nothing", "True", "False", "Left", "Right", "LT", "EQ", "GT"];

fn constructor(w: &mut Walker<'_>, node: Node<'_>) {
    if !PLAIN.contains(&w.text(node)) {
        w.reference(node, Role::Instantiate, NONE);
    }
}

/// A name in the role it plays where it stands.
fn mention(w: &mut Walker<'_>, node: Node<'_>, called: bool) {
    match node.kind() {
        "variable" => {
            let role = if called { Role::Call } else { Role::Read };
            let row = w.reference(node, role, NONE);
            w.call_detail(row, None, Usage::Unknown);
        }
        "constructor" => constructor(w, node),
        "qualified" => qualified(w, node, if called { Role::Call } else { Role::Read }),
        "prefix_id" => {
            if let Some(operator) = node.named_child(0) {
                operator_mention(w, operator, if called { Role::Call } else { Role::Read });
            }
        }
        _ => w.visit(node),
    }
}

/// `M.name`.
fn qualified(w: &mut Walker<'_>, node: Node<'_>, role: Role) {
    let (Some(module), Some(id)) = (node.field("module"), node.field("id")) else { return };
    let recv = w.expr(ExprKind::Name, module_text(w, module), NONE, module);
    let role = match id.kind() {
        "constructor" | "constructor_operator" => Role::Instantiate,
        "name" => Role::Type,
        _ => role,
    };
    let row = w.reference(id, role, recv);
    w.call_detail(row, None, Usage::Unknown);
}

/// `f x y`: the function at the head is called.
fn apply(w: &mut Walker<'_>, node: Node<'_>) {
    let mut head = node;
    let mut arguments = Vec::new();
    while head.kind() == "apply" {
        let (Some(function), argument) = (head.field("function"), head.field("argument")) else {
            return w.visit_children(node);
        };
        arguments.extend(argument);
        head = function;
    }
    mention(w, head, true);
    for argument in arguments.into_iter().rev() {
        w.visit(argument);
    }
}

fn operator_mention(w: &mut Walker<'_>, node: Node<'_>, role: Role) {
    match node.kind() {
        "operator" if COMMON.contains(&w.text(node)) => {}
        "operator" => drop(w.reference(node, role, NONE)),
        "constructor_operator" => drop(w.reference(node, Role::Instantiate, NONE)),
        "infix_id" => {
            if let Some(inner) = node.named_child(0) {
                mention(w, inner, role == Role::Call);
            }
        }
        "qualified" => qualified(w, node, role),
        _ => {}
    }
}

/// `a <+> b`: the operator is called, and around `$` and its like so is what stands beside it. Chains lean to one side and
/// may be long, so they are walked without descending.
fn infix(w: &mut Walker<'_>, node: Node<'_>) {
    let mut at = node;
    loop {
        let operator = at.field("operator");
        let calling = operator.is_some_and(|operator| CALLING.contains(&w.text(operator)));
        let (left, right) = (at.field("left_operand"), at.field("right_operand"));
        if let Some(left) = left {
            mention(w, left, calling);
        }
        if let Some(operator) = operator {
            operator_mention(w, operator, Role::Call);
        }
        match right {
            Some(right) if right.kind() == "infix" => at = right,
            Some(right) => return mention(w, right, calling),
            None => return,
        }
    }
}

/// A statement of `do`: an action alone is run.
fn statement(w: &mut Walker<'_>, node: Node<'_>) {
    w.for_children(node, |w, child| mention(w, child, true));
}

/// `Cart { size = 1 }`, `cart { size = 2 }`.
fn record(w: &mut Walker<'_>, node: Node<'_>) {
    w.for_children(node, |w, child| {
        if child.kind() != "field_update" {
            return w.visit(child);
        }
        if let Some(name) = child.field("field") {
            let recv = name.field("module").map_or(NONE, |module| {
                let text = module_text(w, module);
                w.expr(ExprKind::Name, text, NONE, module)
            });
            let name = name.field("id").unwrap_or(name);
            w.reference(name, Role::Write, recv);
        }
        w.visit_field(child, "expression");
    });
}
