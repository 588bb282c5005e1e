//! Calls that declare: what `attr_reader`, `include`, `private`, `require` and their like say about the class or file.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::{DEFINED, count, documented, in_body, plain_call, supertype};
use crate::facts::model::{ExprKind, Kind, NONE, Role, Visibility, flag, import_flag};
use crate::facts::walker::{NewDef, Walker};

/// What the statements before say about methods that follow in a body.
#[derive(Clone, Copy)]
struct State {
    visibility: Visibility,
    module_function: bool,
}

/// Visits the statements of a body in turn, handing `private` and `module_function` on to what follows.
pub(super) fn statements(w: &mut Walker<'_>, node: Node<'_>) {
    let mut state = State { visibility: Visibility::Public, module_function: false };
    let owner = w.owner();
    let body = in_body(w);
    w.for_children(node, |w, child| {
        if body && child.kind() == "identifier" {
            match w.text(child) {
                "private" => state = State { visibility: Visibility::Private, module_function: false },
                "protected" => state = State { visibility: Visibility::Protected, module_function: false },
                "public" => state = State { visibility: Visibility::Public, module_function: false },
                "module_function" => state.module_function = true,
                _ => {}
            }
        }
        let before = w.rows.defs.len();
        w.visit(child);
        if !body {
            return;
        }
        for row in w.rows.defs.iter_mut().skip(before).filter(|row| row.parent == owner) {
            let follows = matches!(row.kind(), Kind::Method | Kind::Property);
            if follows && row.visibility() == Visibility::Unknown {
                let reached = !row.has(flag::STATIC) || child.kind() == "method";
                row.visibility = if reached { state.visibility } else { Visibility::Public } as u8;
            }
            if state.module_function && row.kind() == Kind::Method {
                row.flags |= flag::STATIC;
            }
        }
    });
}

/// Whether a bare word only sets what follows.
pub(super) fn visibility_word(w: &Walker<'_>, text: &str) -> bool {
    in_body(w) && matches!(text, "private" | "protected" | "public" | "module_function")
}

/// Handles a call without receiver that declares something; false where it is a call like any other.
pub(super) fn declares(w: &mut Walker<'_>, node: Node<'_>, name: Node<'_>, text: &str) -> bool {
    let Some(arguments) = node.field("arguments") else { return false };
    match text {
        "require" | "require_relative" | "load" => require(w, arguments, text),
        "autoload" => autoload(w, arguments),
        _ if !in_body(w) => false,
        "include" | "prepend" | "extend" => {
            let owner = w.owner();
            w.for_children(arguments, |w, child| {
                if !child.is_extra() {
                    supertype(w, owner, child, Role::Implements, text == "extend");
                }
            });
            true
        }
        "attr_reader" | "attr_writer" | "attr_accessor" | "attr" | "cattr_accessor" | "mattr_accessor" | "class_attribute" => {
            attributes(w, node, arguments, text);
            true
        }
        "private"
        | "protected"
        | "public"
        | "module_function"
        | "private_class_method"
        | "public_class_method"
        | "private_constant" => {
            marked(w, arguments, text);
            true
        }
        "alias_method" => {
            if let (Some(new), Some(old)) = (arguments.named_child(0), arguments.named_child(1)) {
                second_name(w, node, new, old);
            }
            true
        }
        "define_method" | "define_singleton_method" => define_method(w, node, name, arguments, text),
        "def_delegators" | "def_delegator" | "delegate" => {
            delegated(w, node, arguments, text);
            plain_call(w, node, None, name, text);
            true
        }
        _ => false,
    }
}

/// The text of a plain symbol or string.
fn plain_text<'a>(w: &Walker<'a>, node: Node<'_>) -> Option<&'a str> {
    match node.kind() {
        "simple_symbol" => Some(w.text(node).trim_start_matches(':')),
        "string" if node.named_child_count() == 1 && node.named_child(0)?.kind() == "string_content" => {
            Some(w.text(node.named_child(0)?))
        }
        _ => None,
    }
}

fn require(w: &mut Walker<'_>, arguments: Node<'_>, text: &str) -> bool {
    let Some(path) = arguments.named_child(0) else { return false };
    let Some(file) = plain_text(w, path).filter(|_| path.kind() == "string") else {
        // `require File.expand_path("../x", __FILE__)` names a file all the same.
        return expanded(w, path);
    };
    let module = if text == "require_relative" && !file.starts_with('.') { format!("./{file}") } else { file.to_owned() };
    w.import(path, &module, "", "", import_flag::MODULE);
    true
}

fn expanded(w: &mut Walker<'_>, path: Node<'_>) -> bool {
    let found = (path.kind() == "call" && w.text(path).starts_with("File.")).then(|| path.field("arguments"));
    let Some(list) = found.flatten() else { return false };
    let (Some(first), Some(second)) = (list.named_child(0), list.named_child(1)) else { return false };
    let (from_file, text) = match (w.text(first), w.text(second)) {
        ("__dir__", _) => (false, plain_text(w, second)),
        (_, "__FILE__") => (true, plain_text(w, first)),
        (_, "__dir__") => (false, plain_text(w, first)),
        ("File.dirname(__FILE__)", _) => (false, plain_text(w, second)),
        _ => return false,
    };
    let Some(text) = text else { return false };
    // A path seen from the file itself begins with the step out of it.
    let text = if from_file { text.strip_prefix("../").unwrap_or(text) } else { text.trim_start_matches('/') };
    w.import(path, &format!("./{text}"), "", "", import_flag::MODULE);
    true
}

fn autoload(w: &mut Walker<'_>, arguments: Node<'_>) -> bool {
    let Some(path) = arguments.named_child(1) else { return false };
    let Some(file) = plain_text(w, path) else { return false };
    w.import(path, file, "", "", import_flag::MODULE);
    true
}

fn attributes(w: &mut Walker<'_>, node: Node<'_>, arguments: Node<'_>, text: &str) {
    let belongs = if matches!(text, "cattr_accessor" | "mattr_accessor" | "class_attribute") { flag::STATIC } else { 0 };
    w.for_children(arguments, |w, child| match plain_text(w, child) {
        Some(name) => property(w, node, child, name, flag::ACCESSOR | belongs),
        None => w.visit(child),
    });
}

/// An attribute: reading it gives the instance variable of its name.
fn property(w: &mut Walker<'_>, node: Node<'_>, place: Node<'_>, name: &str, flags: u16) {
    let owner = w.owner();
    if !w.claim(owner, DEFINED, name) {
        return;
    }
    let new = documented(w, NewDef::new(Kind::Property, node, place).flags(flags | flag::EXPORTED));
    let def = w.define_named(new, name);
    // The place of a symbol's name is behind its colon.
    if w.text(place).starts_with(':') {
        let row = w.def_mut(def);
        (row.name_at, row.name_col) = (row.name_at + 1, row.name_col.saturating_add(1));
    }
    let base = w.expr(ExprKind::SelfRef, "", NONE, place);
    let init = w.expr(ExprKind::Member, &format!("@{name}"), base, place);
    w.def_mut(def).init = init;
}

/// `private :a, :b`, `private def a`, `private attr_reader :a`.
fn marked(w: &mut Walker<'_>, arguments: Node<'_>, text: &str) {
    let owner = w.owner();
    let visibility = match text {
        "private" | "private_class_method" | "private_constant" => Visibility::Private,
        "protected" => Visibility::Protected,
        _ => Visibility::Public,
    };
    let belongs = text.ends_with("class_method");
    let mark = |row: &mut crate::facts::model::DefRow| {
        if text == "module_function" {
            row.flags |= flag::STATIC;
        } else {
            row.visibility = visibility as u8;
        }
    };
    let mut names = Vec::new();
    w.for_children(arguments, |w, child| match plain_text(w, child) {
        Some(name) => names.push(name),
        None => {
            let before = w.rows.defs.len();
            w.visit(child);
            w.rows.defs.iter_mut().skip(before).filter(|row| row.parent == owner).for_each(mark);
        }
    });
    for name in names {
        let name = w.intern(name);
        let same = |row: &&mut crate::facts::model::DefRow| {
            row.parent == owner && row.name == name && (!belongs || row.has(flag::STATIC))
        };
        w.rows.defs.iter_mut().filter(same).for_each(mark);
    }
}

/// `alias new old`.
pub(super) fn alias(w: &mut Walker<'_>, node: Node<'_>) {
    let (new, old) = (node.field("name"), node.field("alias"));
    if let (Some(new), Some(old), true) = (new.filter(|new| new.kind() != "global_variable"), old, in_body(w)) {
        second_name(w, node, new, old);
    }
}

fn second_name(w: &mut Walker<'_>, node: Node<'_>, new: Node<'_>, old: Node<'_>) {
    let name = |w: &Walker<'_>, node: Node<'_>| plain_text(w, node).unwrap_or("").to_owned();
    let is_word = |node: Node<'_>| matches!(node.kind(), "identifier" | "setter" | "operator" | "constant");
    let new_name = if is_word(new) { w.text(new).to_owned() } else { name(w, new) };
    let old_name = if is_word(old) { w.text(old).to_owned() } else { name(w, old) };
    if new_name.is_empty() || old_name.is_empty() {
        return;
    }
    let def = w.define_named(documented(w, NewDef::new(Kind::Method, node, new).flags(flag::EXPORTED)), &new_name);
    w.owned_by(def, |w| {
        let recv = w.expr(ExprKind::SelfRef, "", NONE, old);
        w.reference_named(old, &old_name, Role::Read, recv);
        let member = w.expr(ExprKind::Member, &old_name, recv, old);
        let init = w.expr(ExprKind::Call, "", member, old);
        w.def_mut(def).init = init;
    });
}

fn define_method(w: &mut Walker<'_>, node: Node<'_>, name: Node<'_>, arguments: Node<'_>, text: &str) -> bool {
    let Some(place) = arguments.named_child(0) else { return false };
    let Some(defined) = plain_text(w, place) else {
        plain_call(w, node, None, name, text);
        return true;
    };
    let belongs = if text == "define_singleton_method" { flag::STATIC } else { 0 };
    let block = node.field("block");
    let new = documented(w, NewDef::new(Kind::Method, node, place).body(block).flags(flag::EXPORTED | belongs));
    let def = w.define_named(new, defined);
    w.in_def(def, |w| {
        if let Some(block) = block {
            w.visit(block);
        }
    });
    true
}

/// `def_delegators :@list, :size, :each`, `delegate :size, to: :list`.
fn delegated(w: &mut Walker<'_>, node: Node<'_>, arguments: Node<'_>, text: &str) {
    let mut cursor = arguments.walk();
    let names: Vec<Node<'_>> = arguments.named_children(&mut cursor).filter(|child| plain_text(w, *child).is_some()).collect();
    let names = match text {
        "delegate" => names.as_slice(),
        // The second name of the single form is the one it gets here.
        "def_delegator" if names.len() > 2 => &names[2..3],
        _ => names.get(1..).unwrap_or(&[]),
    };
    for place in names {
        let name = plain_text(w, *place).unwrap_or("");
        let owner = w.owner();
        if w.claim(owner, DEFINED, name) {
            w.define_named(documented(w, NewDef::new(Kind::Method, node, *place).flags(flag::EXPORTED)), name);
        }
    }
}

/// The kind and arguments of `Struct.new(..)`, `Data.define(..)`, `Class.new(..)`, `Module.new`.
pub(super) fn made_class<'t>(w: &Walker<'_>, right: Node<'t>) -> Option<(Kind, Option<Node<'t>>)> {
    let object = (right.kind() == "call").then(|| right.field("receiver")).flatten()?;
    let method = w.text(right.field("method")?);
    let kind = match (w.text(object).trim_start_matches("::"), method) {
        ("Struct", "new") | ("Data", "define") => Kind::Struct,
        ("Class", "new") => Kind::Class,
        ("Module", "new") => Kind::Module,
        _ => return None,
    };
    Some((kind, right.field("arguments")))
}

/// The members of a class made on the spot.
pub(super) fn fill_made_class(w: &mut Walker<'_>, def: u32, right: Node<'_>, arguments: Option<Node<'_>>) {
    let kind = w.def(def).kind();
    w.in_file_scope(|w| {
        w.in_def(def, |w| {
            if let Some(arguments) = arguments {
                match kind {
                    Kind::Struct => {
                        w.def_mut(def).params = count(arguments).unwrap_or(0) as u16;
                        w.for_children(arguments, |w, child| {
                            if let Some(name) = plain_text(w, child).filter(|_| child.kind() == "simple_symbol") {
                                property(w, child, child, name, 0);
                            }
                        });
                    }
                    Kind::Class => {
                        if let Some(base) = arguments.named_child(0) {
                            supertype(w, def, base, Role::Extends, false);
                        }
                    }
                    _ => {}
                }
            }
            let block = right.field("block");
            if let Some(body) = block.and_then(|block| block.field("body")) {
                w.visit_with(body, statements);
            }
        });
    });
}
