//! Bash and its relatives.
//!
//! A command is a call when a function of its name is found; whether it is, linking tells. Functions and variables of a file
//! belong to the whole program. Tests of bats are commands to the grammar: `@test "title" {` up to the line with `}`.
//!
//! Knows no other program's commands and nothing that is computed.

#[cfg(test)]
mod tests;

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::common::UsageKinds;
use super::{Action, Family, Hooks, Language, Tier};
use crate::facts::model::{Kind, NONE, Role, Usage, Visibility, flag, import_flag};
use crate::facts::walker::{NewDef, Walker, one_line};

/// Bash.
pub(super) static BASH: Language = Language {
    name: "bash",
    tier: Tier::Deep,
    family: Family::Shell,
    extensions: &["sh", "bash", "zsh", "ksh", "bats", "ebuild", "eclass"],
    file_names: &[
        ".bashrc",
        ".bash_profile",
        ".bash_aliases",
        ".bash_logout",
        ".profile",
        ".zshrc",
        ".zshenv",
        ".zprofile",
        "PKGBUILD",
        "APKBUILD",
    ],
    line_comment: "#",
    keywords: "case coproc do done elif else esac fi for function if in select then time until while",
    signatures: &["$ {\n:\n}\n"],
    hoists: false,
    implicit_self: false,
    grammar: || tree_sitter_bash::LANGUAGE.into(),
    table: &[
        ("program", Action::Hook(program)),
        ("function_definition", Action::Hook(function)),
        ("command", Action::Hook(command)),
        ("declaration_command", Action::Hook(declaration)),
        ("variable_assignment", Action::Hook(|w, node| assignment(w, node, Declared::Global))),
        ("variable_name", Action::Hook(variable)),
        ("for_statement", Action::Hook(for_loop)),
        ("unset_command", Action::Skip),
        ("heredoc_start", Action::Skip),
        ("raw_string", Action::Skip),
    ],
    usage: UsageKinds {
        transparent: &["list", "negated_command", "redirected_statement"],
        statement: &["program", "compound_statement", "do_group", "else_clause"],
        assignment: &["variable_assignment"],
        returns: &[],
        argument: &[],
        condition: &["if_statement", "elif_clause", "while_statement"],
        spawn: &[],
        defer: &[],
    },
    hooks: Hooks::NONE,
};

/// Claimed names: variables that the file defines.
const DEFINED: u8 = 0;

/// Commands whose first plain argument is a command.
const RUNNERS: &[&str] = &["command", "exec", "run", "time", "nohup", "trap", "eval", "retry", "try"];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Declared {
    Global,
    Local,
    Constant,
}

/// The statements of a file; a test of bats reaches up to its closing brace.
fn program(w: &mut Walker<'_>, node: Node<'_>) {
    let mut cursor = node.walk();
    let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
    let mut at = 0;
    while at < children.len() {
        let child = children[at];
        at += 1;
        let Some(title) = test_title(w, child) else {
            w.visit(child);
            continue;
        };
        let end = children[at..].iter().position(|child| w.text(*child).trim() == "}");
        let Some(end) = end.map(|end| at + end) else {
            w.visit(child);
            continue;
        };
        let name = one_line(w.text(title).trim_matches(['"', '\'']), 120);
        let brace = child.named_child(child.named_child_count().saturating_sub(1) as u32);
        let def = w.define_named(NewDef::new(Kind::Function, child, title).body(brace).flags(flag::TEST), &name);
        w.in_def(def, |w| {
            for inner in &children[at..end] {
                w.visit(*inner);
            }
        });
        let close = children[end];
        let row = w.def_mut(def);
        row.end = close.end_byte() as u32;
        row.end_line = close.end_position().row as u32 + 1;
        at = end + 1;
    }
}

/// The title of `@test "title" {`.
fn test_title<'t>(w: &Walker<'_>, node: Node<'t>) -> Option<Node<'t>> {
    let name = (node.kind() == "command").then(|| node.field("name")).flatten()?;
    if w.text(name) != "@test" {
        return None;
    }
    node.field("argument")
}

fn function(w: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = node.field("name") else { return w.visit_children(node) };
    let body = node.field("body");
    let private = w.text(name).starts_with('_');
    let visibility = if private { Visibility::Internal } else { Visibility::Public };
    let new = NewDef::new(Kind::Function, node, name).body(body).visibility(visibility).flags(flag::EXPORTED);
    let def = w.define(new);
    w.in_def(def, |w| {
        if let Some(body) = body {
            w.visit(body);
        }
        w.visit_children_except(node, &[Some(name), body]);
    });
}

/// Whether a text can be the name of a function.
fn is_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(['-', '/', '.', '~'])
        && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '?' | '!' | '@' | '+'))
}

/// The text of a word or string without its quotes; nothing where it is put together.
fn unquoted<'a>(w: &Walker<'a>, node: Node<'_>) -> Option<&'a str> {
    match node.kind() {
        "word" | "number" => Some(w.text(node)),
        "string" | "raw_string" => Some(w.text(node).trim_matches(['"', '\''])),
        "concatenation" => Some(w.text(node)),
        _ => None,
    }
}

fn command(w: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = node.field("name") else { return w.visit_children(node) };
    let mut cursor = node.walk();
    let arguments: Vec<Node<'_>> = node.children_by_field_name("argument", &mut cursor).collect();
    let text = w.text(name);
    let plain = name.named_child(0).is_some_and(|inner| inner.kind() == "word") && is_name(text) || text == ".";
    if !plain {
        return w.visit_children(node);
    }
    match text {
        "source" | "." => sourced(w, &arguments, false),
        "load" => sourced(w, &arguments, true),
        "alias" => return aliases(w, &arguments),
        "read" | "mapfile" | "readarray" => arguments.iter().for_each(|argument| {
            if argument.kind() == "word" && !w.text(*argument).starts_with('-') {
                w.bind(*argument, None, NONE, node.end_byte());
            }
        }),
        _ => {}
    }
    if text != "." && text != "source" {
        let usage = w.result_use();
        let row = w.reference_named(name, text, Role::Call, NONE);
        w.call_detail(row, Some(arguments.len()), usage);
    }
    if RUNNERS.contains(&text) {
        run_by_name(w, text, &arguments);
    }
    w.visit_children_except(node, &[Some(name)]);
}

/// `trap cleanup EXIT`, `run compute 1`: the first plain argument names a command.
fn run_by_name(w: &mut Walker<'_>, text: &str, arguments: &[Node<'_>]) {
    let first = arguments.iter().enumerate().find(|(_, argument)| !w.text(**argument).starts_with(['-', '!']));
    let Some((at, argument)) = first else { return };
    let command = unquoted(w, *argument).filter(|command| is_name(command));
    if let Some(command) = command {
        let args = if text == "trap" { 0 } else { arguments.len() - at - 1 };
        let row = w.reference_named(*argument, command, Role::Call, NONE);
        w.call_detail(row, Some(args), Usage::Unknown);
    }
}

/// `source "$DIR/lib.sh"`; what bats loads has its ending left out.
fn sourced(w: &mut Walker<'_>, arguments: &[Node<'_>], of_bats: bool) {
    let Some(path) = arguments.first() else { return };
    let Some(text) = unquoted(w, *path).filter(|text| !text.is_empty()) else { return };
    let text = text.replace(['"', '\''], "");
    let base = text.rsplit('/').next().unwrap_or("");
    let module = if of_bats && !base.contains('.') { format!("{text}.bash") } else { text };
    w.import(*path, &module, "", "", import_flag::MODULE);
}

/// `alias ll='ls -l'`.
fn aliases(w: &mut Walker<'_>, arguments: &[Node<'_>]) {
    for argument in arguments {
        let text = w.text(*argument);
        match text.split_once('=') {
            Some((name, _)) if is_name(name) => {
                let new = NewDef::new(Kind::Function, *argument, *argument).flags(flag::EXPORTED);
                w.define_named(new.visibility(Visibility::Public), name);
            }
            _ => w.visit(*argument),
        }
    }
}

/// `local a b=1`, `export PATH=..`, `readonly X=1`, `declare -r Y`.
fn declaration(w: &mut Walker<'_>, node: Node<'_>) {
    let word = node.child(0).map_or("", |word| w.text(word));
    let mut cursor = node.walk();
    let options: String =
        node.named_children(&mut cursor).filter(|child| child.kind() == "word").map(|child| w.text(child)).collect();
    let in_function = w.in_function();
    let declared = match word {
        "local" => Declared::Local,
        "declare" | "typeset" if in_function && !options.contains('g') => Declared::Local,
        "readonly" => Declared::Constant,
        _ if options.contains('r') => Declared::Constant,
        _ => Declared::Global,
    };
    w.for_children(node, |w, child| match child.kind() {
        "variable_assignment" => w.visit_with(child, |w, child| assignment(w, child, declared)),
        "variable_name" if declared == Declared::Local => drop(w.bind(child, None, NONE, child.start_byte())),
        "variable_name" if word == "export" => drop(w.reference(child, Role::Read, NONE)),
        "variable_name" => define_variable(w, child, child, declared),
        "word" => {}
        _ => w.visit(child),
    });
}

fn assignment(w: &mut Walker<'_>, node: Node<'_>, declared: Declared) {
    let Some(name) = node.field("name") else { return w.visit_children(node) };
    let value = node.field("value");
    // `arr[0]=1` and `x=1 command` define nothing.
    let plain = name.kind() == "variable_name" && w.around(1) != "command";
    let before = w.rows.defs.len();
    match declared {
        _ if !plain => {}
        Declared::Local => drop(w.bind(name, None, NONE, node.end_byte())),
        _ => define_variable(w, node, name, declared),
    }
    if !plain && name.kind() != "variable_name" {
        w.visit(name);
    }
    let Some(value) = value else { return };
    if w.rows.defs.len() > before {
        w.owned_by(before as u32, |w| w.visit(value));
    } else {
        w.visit(value);
    }
}

/// The first assignment outside of functions defines a variable; one inside writes to it.
fn define_variable(w: &mut Walker<'_>, statement: Node<'_>, name: Node<'_>, declared: Declared) {
    if w.in_function() || !w.claim(NONE, DEFINED, w.text(name)) {
        w.reference(name, Role::Write, NONE);
        return;
    }
    let kind = if declared == Declared::Constant { Kind::Constant } else { Kind::Variable };
    let mut new = NewDef::new(kind, statement, name).visibility(Visibility::Public).flags(flag::EXPORTED);
    if w.comment_before(statement.start_byte()) && statement.prev_named_sibling().is_none() {
        new.doc_above = statement.parent();
    }
    w.define(new);
}

fn variable(w: &mut Walker<'_>, node: Node<'_>) {
    if w.text(node).starts_with(|c: char| c.is_alphabetic() || c == '_') {
        w.reference(node, Role::Read, NONE);
    }
}

fn for_loop(w: &mut Walker<'_>, node: Node<'_>) {
    let name = node.field("variable");
    if let Some(name) = name {
        w.bind(name, None, NONE, name.start_byte());
    }
    w.visit_children_except(node, &[name]);
}
