//! Ruby.
//!
//! Almost everything is a call, so what a call means is told by its name and its place: `attr_reader`, `include`, `private`
//! and their like say something about the class around them, `require` about the file, the rest is a call. A name without
//! receiver and arguments is a local variable once it has been assigned, and a call of a method otherwise.
//!
//! Knows no declared types: a value has the class it was made of where that is visible (`X.new`).

mod bind;
mod body;
mod expr;
#[cfg(test)]
mod tests;

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use self::expr::receiver;
use super::common::UsageKinds;
use super::{Action, Family, Hooks, Language, Tier};
use crate::facts::model::{ExprKind, Kind, NONE, Role, Usage, Visibility, flag};
use crate::facts::walker::{NewDef, Walker, one_line};

/// Ruby.
pub(super) static RUBY: Language = Language {
    name: "ruby",
    tier: Tier::Deep,
    family: Family::Ruby,
    extensions: &["rb", "rake", "gemspec", "ru", "rbw", "jbuilder", "podspec"],
    file_names: &["Rakefile", "Gemfile", "Guardfile", "Vagrantfile", "Podfile", "Fastfile", "Brewfile", "Capfile", "Dangerfile"],
    line_comment: "#",
    keywords: "BEGIN END alias and begin break case class def defined? do else elsif end ensure false for if in module next \
        nil not or redo rescue retry return self super then true undef unless until when while yield",
    signatures: &["$\nend\n"],
    hoists: false,
    implicit_self: false,
    grammar: || tree_sitter_ruby::LANGUAGE.into(),
    table: &[
        ("program", Action::Hook(program)),
        ("class", Action::Hook(class)),
        ("module", Action::Hook(module)),
        ("singleton_class", Action::Hook(singleton_class)),
        ("method", Action::Hook(method)),
        ("singleton_method", Action::Hook(method)),
        ("call", Action::Hook(call)),
        ("super", Action::Hook(super_call)),
        ("identifier", Action::Hook(identifier)),
        ("constant", Action::Name(Role::Read)),
        ("scope_resolution", Action::Hook(|w, node| constant(w, node, Role::Read))),
        ("instance_variable", Action::Hook(bind::variable_read)),
        ("class_variable", Action::Hook(bind::variable_read)),
        ("global_variable", Action::Name(Role::Read)),
        ("assignment", Action::Hook(bind::assignment)),
        ("operator_assignment", Action::Hook(bind::operator_assignment)),
        ("block", Action::Hook(block)),
        ("do_block", Action::Hook(block)),
        ("lambda", Action::Hook(block)),
        ("for", Action::Hook(bind::for_loop)),
        ("rescue", Action::Hook(bind::rescue)),
        ("in_clause", Action::Hook(bind::in_clause)),
        ("alias", Action::Hook(body::alias)),
        ("undef", Action::Skip),
        ("block_argument", Action::Hook(block_argument)),
    ],
    usage: UsageKinds {
        transparent: &["parenthesized_statements"],
        statement: &["program"],
        assignment: &["assignment", "operator_assignment"],
        returns: &["return"],
        argument: &["argument_list", "pair", "splat_argument"],
        condition: &[
            "if",
            "unless",
            "while",
            "until",
            "if_modifier",
            "unless_modifier",
            "conditional",
            "elsif",
            "binary",
            "unary",
        ],
        spawn: &[],
        defer: &[],
    },
    hooks: Hooks { expr: Some(expr::expr), ..Hooks::NONE },
};

/// Claimed names that are local variables of a definition.
const LOCAL: u8 = 0;
/// Claimed names that a class or file defines.
const DEFINED: u8 = 1;

/// Calls that define a test, and those that group tests.
const TESTS: &[&str] = &["it", "specify", "example", "scenario", "test", "should", "its", "fit", "xit"];
/// Calls that define a method of the examples around.
const HELPERS: &[&str] = &["let", "let!", "subject", "subject!"];
const SUITES: &[&str] = &["describe", "context", "feature", "fdescribe", "xdescribe", "shared_examples", "shared_context"];

/// The class or module around.
fn container(w: &Walker<'_>) -> Option<u32> {
    w.enclosing(|kind| kind.is_type() || kind == Kind::Module)
}

/// Whether the statement being visited stands directly in a class or module body.
fn in_body(w: &Walker<'_>) -> bool {
    w.owner_kind().is_some_and(|kind| kind.is_type() || kind == Kind::Module)
}

fn program(w: &mut Walker<'_>, node: Node<'_>) {
    // Variables of the file are no variables of its methods.
    w.in_scope(|w| body::statements(w, node));
}

/// A definition with its comment: that of a body's first statement stands above the body.
fn documented<'t>(w: &Walker<'_>, mut new: NewDef<'t>) -> NewDef<'t> {
    if w.comment_before(new.node.start_byte()) && new.node.prev_sibling().is_none() {
        new.doc_above = new.node.parent();
    }
    new
}

/// `A::B` as the name of a definition: its last part and what stands in front.
fn split_name(node: Node<'_>) -> (Node<'_>, Option<Node<'_>>) {
    if node.kind() == "scope_resolution" { (node.field("name").unwrap_or(node), node.field("scope")) } else { (node, None) }
}

/// Enters a class or module; its body is read outside of the variables around.
fn enter(w: &mut Walker<'_>, kind: Kind, node: Node<'_>, name: Node<'_>, flags: u16) -> u32 {
    let (last, scope) = split_name(name);
    let new = NewDef::new(kind, node, last).body(node.field("body")).flags(flags | flag::EXPORTED);
    let def = w.define(documented(w, new.visibility(Visibility::Public)));
    if let Some(scope) = scope {
        w.def_mut(def).owner_type = w.intern(&one_line(w.text(scope), 200));
        w.visit(scope);
    }
    def
}

fn class(w: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = node.field("name") else { return w.visit_children(node) };
    let superclass = node.field("superclass").and_then(|node| node.named_child(0));
    let text = superclass.map_or("", |node| w.text(node));
    let tests = text.ends_with("Test") || text.ends_with("TestCase") || text.ends_with("Minitest::Spec");
    let def = enter(w, Kind::Class, node, name, if tests { flag::TEST } else { 0 });
    if let Some(superclass) = superclass {
        supertype(w, def, superclass, Role::Extends, false);
    }
    container_body(w, def, node);
}

/// A superclass or mixin: a constant, or a call that makes one.
fn supertype(w: &mut Walker<'_>, def: u32, node: Node<'_>, role: Role, extends: bool) {
    match node.kind() {
        "constant" | "scope_resolution" => {
            let (last, scope) = split_name(node);
            let text = one_line(w.text(node), 200);
            w.supertype(def, "", last, &text, role, extends);
            if let Some(scope) = scope {
                w.visit(scope);
            }
        }
        "self" => {
            let name = w.def(def).name;
            let text = w.string(name).to_owned();
            w.supertype(def, "", node, &text, role, extends);
        }
        _ => {
            // `Struct.new(:a)`, `DelegateClass(X)`: something that is nobody's constant.
            w.supertype(def, "", node, "", role, extends);
            w.visit(node);
        }
    }
}

fn container_body(w: &mut Walker<'_>, def: u32, node: Node<'_>) {
    let Some(inner) = node.field("body") else { return };
    w.in_file_scope(|w| w.in_def(def, |w| w.visit_with(inner, body::statements)));
}

fn module(w: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = node.field("name") else { return w.visit_children(node) };
    let def = enter(w, Kind::Module, node, name, 0);
    container_body(w, def, node);
}

/// `class << self`: what is defined in it belongs to the class itself.
fn singleton_class(w: &mut Walker<'_>, node: Node<'_>) {
    let before = w.rows.defs.len();
    let owner = w.owner();
    if let Some(inner) = node.field("body") {
        w.in_file_scope(|w| w.visit_with(inner, body::statements));
    }
    let supers = w.rows.supers.iter_mut().filter(|row| row.sub == owner && row.at as usize > node.start_byte());
    supers.for_each(|row| row.embeds = 1);
    for row in w.rows.defs.iter_mut().skip(before).filter(|row| row.parent == owner) {
        if matches!(row.kind(), Kind::Method | Kind::Constructor | Kind::Property) {
            row.flags |= flag::STATIC;
            row.kind = if row.kind() == Kind::Constructor { Kind::Method as u8 } else { row.kind };
        }
    }
}

fn method(w: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = node.field("name") else { return w.visit_children(node) };
    let object = node.field("object");
    let body = node.field("body");
    let text = w.text(name);
    let owner = w.owner();
    let member = in_body(w);
    let (mut kind, mut flags) = (if member { Kind::Method } else { Kind::Function }, flag::EXPORTED);
    let elsewhere = object.filter(|object| matches!(object.kind(), "constant" | "scope_resolution"));
    if object.is_some() {
        flags |= flag::STATIC;
        kind = Kind::Method;
    } else if member && text == "initialize" {
        kind = Kind::Constructor;
    }
    let marks = if owner == NONE { 0 } else { w.def(owner).flags & (flag::TEST | flag::IN_TEST) };
    if marks != 0 {
        let test = text.starts_with("test_") && w.def(owner).kind() == Kind::Class && object.is_none();
        flags |= flag::IN_TEST | if test { flag::TEST } else { 0 };
    }
    let visibility = if kind == Kind::Constructor { Visibility::Private } else { Visibility::Unknown };
    // The signature of `def x = value` ends before the value.
    let new = documented(w, NewDef::new(kind, node, name).body(body).flags(flags).visibility(visibility));
    let def = w.define(new);
    if let Some(elsewhere) = elsewhere {
        let own = container(w).map_or(String::new(), |at| w.string(w.def(at).name).to_owned());
        if w.text(elsewhere) != own {
            w.def_mut(def).owner_type = w.intern(w.text(elsewhere));
        }
    }
    let walk = |w: &mut Walker<'_>| {
        w.in_def(def, |w| {
            method_body(w, def, node.field("parameters"), body);
        });
    };
    // A method of an example group sees nothing of the variables around either.
    if marks & flag::TEST != 0 && !member { walk(w) } else { w.in_file_scope(walk) }
}

fn method_body(w: &mut Walker<'_>, def: u32, parameters: Option<Node<'_>>, body: Option<Node<'_>>) {
    let (count, variadic) = parameters.map_or((0, false), |list| bind::parameters(w, list));
    let row = w.def_mut(def);
    row.params = count;
    if variadic {
        row.flags |= flag::VARIADIC;
    }
    let Some(body) = body else { return };
    w.visit(body);
    let last = if body.kind() == "body_statement" { expr::last_statement(body) } else { Some(body) };
    if let Some(last) = last {
        let init = w.expr_of(last);
        w.def_mut(def).init = init;
    }
}

/// Blocks and lambdas: their variables are theirs, what they call is called by the method around.
fn block(w: &mut Walker<'_>, node: Node<'_>) {
    w.in_scope(|w| {
        if let Some(parameters) = node.field("parameters") {
            bind::parameters(w, parameters);
        }
        w.visit_field(node, "body");
    });
}

/// Number of arguments, unless some are spread.
fn count(list: Node<'_>) -> Option<usize> {
    let mut cursor = list.walk();
    let (mut found, mut pairs) = (0, 0);
    for child in list.named_children(&mut cursor).filter(|child| !child.is_extra()) {
        match child.kind() {
            "splat_argument" | "hash_splat_argument" | "forward_argument" => return None,
            "block_argument" => {}
            "pair" => pairs = 1,
            _ => found += 1,
        }
    }
    // `a: 1, b: 2` is one hash, or several keywords; either way the count says little.
    if pairs > 0 { None } else { Some(found) }
}

fn call(w: &mut Walker<'_>, node: Node<'_>) {
    let object = node.field("receiver");
    let Some(name) = node.field("method") else { return w.visit_children(node) };
    if name.kind() == "super" {
        super_call(w, name);
        return w.visit_children_except(node, &[Some(name)]);
    }
    let text = w.text(name);
    if object.is_none() && body::declares(w, node, name, text) {
        return;
    }
    if is_test(w, node, object, text) {
        return test(w, node, text);
    }
    if object.is_none() && HELPERS.contains(&text) && example_helper(w, node) {
        return;
    }
    plain_call(w, node, object, name, text);
}

fn plain_call(w: &mut Walker<'_>, node: Node<'_>, object: Option<Node<'_>>, name: Node<'_>, text: &str) {
    let arguments = node.field("arguments");
    let args = arguments.map_or(Some(0), count);
    let usage = w.result_use();
    match object {
        Some(object) if text == "new" && matches!(object.kind(), "constant" | "scope_resolution") => {
            let row = constant_row(w, object, Role::Instantiate);
            w.call_detail(row, args, usage);
        }
        Some(object) => {
            let recv = receiver(w, object);
            w.call(name, recv, args, usage);
            sent(w, text, arguments, recv);
            w.visit(object);
        }
        None => {
            w.call(name, NONE, args, usage);
            let recv = w.expr(ExprKind::SelfRef, "", NONE, node);
            sent(w, text, arguments, recv);
            if in_body(w) {
                named_methods(w, arguments, recv);
            }
        }
    }
    if let Some(arguments) = arguments {
        w.visit(arguments);
    }
    w.visit_field(node, "block");
}

/// `send(:name)` calls a method by its name; `method(:name)` takes it as a value.
fn sent(w: &mut Walker<'_>, text: &str, arguments: Option<Node<'_>>, recv: u32) {
    let role = match text {
        "send" | "public_send" | "__send__" => Role::Call,
        "method" | "instance_method" => Role::Read,
        _ => return,
    };
    if let Some(symbol) = arguments.and_then(|list| list.named_child(0)).filter(|first| first.kind() == "simple_symbol") {
        let name = w.text(symbol).trim_start_matches(':');
        w.reference_named(symbol, name, role, recv);
    }
}

/// `before_action :check`: a symbol handed over in a class body may name a method of the class.
fn named_methods(w: &mut Walker<'_>, arguments: Option<Node<'_>>, recv: u32) {
    let Some(arguments) = arguments else { return };
    w.for_children(arguments, |w, child| {
        let value = if child.kind() == "pair" { child.field("value") } else { Some(child) };
        if let Some(symbol) = value.filter(|value| value.kind() == "simple_symbol") {
            let name = w.text(symbol).trim_start_matches(':');
            w.reference_named(symbol, name, Role::Read, recv);
        }
    });
}

/// `map(&:name)` calls `name` on whatever is in the collection; `&block` hands a value over.
fn block_argument(w: &mut Walker<'_>, node: Node<'_>) {
    match node.named_child(0) {
        Some(symbol) if symbol.kind() == "simple_symbol" => {
            let recv = w.expr(ExprKind::Unknown, "", NONE, node);
            let name = w.text(symbol).trim_start_matches(':');
            let row = w.reference_named(symbol, name, Role::Call, recv);
            w.call_detail(row, Some(0), Usage::Argument);
        }
        _ => w.visit_children(node),
    }
}

/// `super`: the method of the same name further up.
fn super_call(w: &mut Walker<'_>, node: Node<'_>) {
    let method = w.enclosing(Kind::is_callable);
    let name = method.map(|method| w.string(w.def(method).name).to_owned());
    if let Some(name) = name.filter(|name| !name.is_empty()) {
        let recv = w.expr(ExprKind::Super, "", NONE, node);
        let usage = w.result_use();
        let row = w.reference_named(node, &name, Role::Call, recv);
        w.call_detail(row, None, usage);
    }
}

fn is_test(w: &Walker<'_>, node: Node<'_>, object: Option<Node<'_>>, text: &str) -> bool {
    let known = match object {
        None => TESTS.contains(&text) || SUITES.contains(&text),
        Some(object) => w.text(object) == "RSpec" && SUITES.contains(&text),
    };
    let titled = || {
        let first = node.field("arguments")?.named_child(0)?;
        let is_suite = SUITES.contains(&text);
        Some(matches!(first.kind(), "string" | "chained_string") || (is_suite && first.kind() != "identifier"))
    };
    known && node.field("block").is_some() && titled() == Some(true)
}

/// `it "does" do .. end`, `describe "x" do .. end`.
fn test(w: &mut Walker<'_>, node: Node<'_>, text: &str) {
    let arguments = node.field("arguments");
    let Some(title) = arguments.and_then(|list| list.named_child(0)) else { return w.visit_children(node) };
    let raw = w.text(title).trim_matches(['"', '\'']);
    let name = one_line(raw, 120);
    let flags = if TESTS.contains(&text) { flag::TEST } else { flag::IN_TEST };
    let new = NewDef::new(Kind::Function, node, title).body(node.field("block")).flags(flags);
    let def = w.define_named(documented(w, new), &name);
    w.in_def(def, |w| {
        if let Some(arguments) = arguments {
            w.visit(arguments);
        }
        w.visit_field(node, "block");
    });
}

/// `let(:name) { value }` in a group of examples.
fn example_helper(w: &mut Walker<'_>, node: Node<'_>) -> bool {
    let block = node.field("block");
    let place = node.field("arguments").and_then(|list| list.named_child(0));
    let (Some(block), Some(place)) = (block, place.filter(|place| place.kind() == "simple_symbol")) else { return false };
    let owner = w.owner();
    if owner == NONE || w.def(owner).flags & flag::IN_TEST == 0 {
        return false;
    }
    let name = w.text(place).trim_start_matches(':');
    let def = w.define_named(NewDef::new(Kind::Function, node, place).body(Some(block)).flags(flag::IN_TEST), name);
    w.in_def(def, |w| w.visit(block));
    true
}

/// A name alone: a local variable once assigned, else a call.
fn identifier(w: &mut Walker<'_>, node: Node<'_>) {
    let text = w.text(node);
    if body::visibility_word(w, text) || matches!(text, "__FILE__" | "__dir__" | "__LINE__" | "__method__" | "block_given?") {
        return;
    }
    // Examples see the variables of the groups around them.
    let mut owner = w.owner();
    let mut local = w.is_claimed(owner, LOCAL, text);
    while !local && owner != NONE {
        owner = w.def(owner).parent;
        local = w.is_claimed(owner, LOCAL, text);
    }
    if local {
        // Whether the variable reaches here is told by the scopes; where it does not this is a call after all.
        w.reference(node, Role::Read, NONE);
    } else {
        let usage = w.result_use();
        w.call(node, NONE, Some(0), usage);
    }
}

fn constant(w: &mut Walker<'_>, node: Node<'_>, role: Role) {
    constant_row(w, node, role);
}

/// The mention of `A` or `A::B`, and of what stands in front.
fn constant_row(w: &mut Walker<'_>, node: Node<'_>, role: Role) -> u32 {
    let (last, scope) = split_name(node);
    if node.kind() != "scope_resolution" {
        return w.reference(node, role, NONE);
    }
    let recv = expr::scope(w, node);
    let row = w.reference(last, role, recv);
    if let Some(scope) = scope {
        w.visit(scope);
    }
    row
}
