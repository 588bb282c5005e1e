//! The structure tier: definitions, containment and calls of languages that have no rules of their own here.
//!
//! A language is a table whose rows say which node is a definition, where its name and body are, and which node is a call. A
//! call of a bare name is bound inside its file by nesting; one with something in front of it is recorded with a receiver that
//! nothing is known about, and so is counted, not guessed.
//!
//! Knows tree shapes, no language.

mod ada;
mod apex;
mod awk;
mod bicep;
mod capnp;
mod clojure;
mod commonlisp;
mod elisp;
mod elm;
mod erlang;
mod fish;
mod gdscript;
mod gleam;
mod glsl;
mod groovy;
mod idris;
mod jsonnet;
mod julia;
mod just;
mod lisp;
mod matlab;
mod nix;
mod objc;
mod odin;
mod pascal;
mod perl;
mod powershell;
mod prisma;
mod prolog;
mod puppet;
mod qmljs;
mod r;
mod rego;
mod rescript;
mod scheme;
mod solidity;
mod starlark;
mod tcl;
mod templ;
mod thrift;
mod v;
mod vb;
mod vhdl;
mod vim;

use tree_sitter::Node;

use crate::lang::common::Fields as _;

pub(super) use self::ada::ADA;
pub(super) use self::apex::APEX;
pub(super) use self::awk::AWK;
pub(super) use self::bicep::BICEP;
pub(super) use self::capnp::CAPNP;
pub(super) use self::clojure::CLOJURE;
pub(super) use self::commonlisp::COMMON_LISP;
pub(super) use self::elisp::ELISP;
pub(super) use self::elm::ELM;
pub(super) use self::erlang::ERLANG;
pub(super) use self::fish::FISH;
pub(super) use self::gdscript::GDSCRIPT;
pub(super) use self::gleam::GLEAM;
pub(super) use self::glsl::{GLSL, HLSL};
pub(super) use self::groovy::GROOVY;
pub(super) use self::idris::IDRIS;
pub(super) use self::jsonnet::JSONNET;
pub(super) use self::julia::JULIA;
pub(super) use self::just::JUST;
pub(super) use self::matlab::MATLAB;
pub(super) use self::nix::NIX;
pub(super) use self::objc::OBJC;
pub(super) use self::odin::ODIN;
pub(super) use self::pascal::PASCAL;
pub(super) use self::perl::PERL;
pub(super) use self::powershell::POWERSHELL;
pub(super) use self::prisma::PRISMA;
pub(super) use self::prolog::PROLOG;
pub(super) use self::puppet::PUPPET;
pub(super) use self::qmljs::QML;
pub(super) use self::r::R;
pub(super) use self::rego::REGO;
pub(super) use self::rescript::RESCRIPT;
pub(super) use self::scheme::{RACKET, SCHEME};
pub(super) use self::solidity::SOLIDITY;
pub(super) use self::starlark::STARLARK;
pub(super) use self::tcl::TCL;
pub(super) use self::templ::TEMPL;
pub(super) use self::thrift::THRIFT;
pub(super) use self::v::V;
pub(super) use self::vb::VISUAL_BASIC;
pub(super) use self::vhdl::VHDL;
pub(super) use self::vim::VIM;
use super::common::UsageKinds;
use super::{Family, Hooks, Language, Tier};
use crate::facts::model::{ExprKind, Kind, NONE, import_flag};
use crate::facts::walker::{NewDef, Walker};

/// What the languages of this tier have in common; each overrides what it says itself.
const BASE: Language = Language {
    name: "",
    tier: Tier::Structure,
    family: Family::Plain,
    extensions: &[],
    file_names: &[],
    line_comment: "//",
    keywords: "",
    signatures: &[],
    hoists: true,
    implicit_self: false,
    grammar: || unreachable!("every language names its grammar"),
    table: &[],
    usage: UsageKinds::NONE,
    hooks: Hooks::NONE,
};

/// A function inside a type is a method.
fn fitting(walker: &Walker<'_>, kind: Kind) -> Kind {
    match (kind, walker.owner_kind()) {
        (Kind::Function, Some(owner)) if owner.is_type() => Kind::Method,
        (Kind::Variable, Some(owner)) if owner.is_type() => Kind::Field,
        _ => kind,
    }
}

/// Enters a definition whose name is this node, and visits the rest of it inside.
fn define(walker: &mut Walker<'_>, node: Node<'_>, kind: Kind, name: Option<Node<'_>>, body: Option<Node<'_>>) {
    let Some(name) = name else { return walker.visit_children(node) };
    let kind = fitting(walker, kind);
    let def = walker.define(NewDef::new(kind, node, name).body(body));
    walker.in_def(def, |walker| walker.visit_children_except(node, &[Some(name)]));
}

/// [`define`] by the fields `name` and `body`.
fn named(walker: &mut Walker<'_>, node: Node<'_>, kind: Kind) {
    define(walker, node, kind, node.field("name"), node.field("body"));
}

/// [`define`] by the first child of one of these kinds.
fn titled(walker: &mut Walker<'_>, node: Node<'_>, kind: Kind, title: &[&str], body: &str) {
    define(walker, node, kind, child(node, title), child(node, &[body]));
}

/// The first named child of one of these kinds.
fn child<'t>(node: Node<'t>, kinds: &[&str]) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|child| kinds.contains(&child.kind()))
}

/// A call of the function that `callee` names. Nodes of a kind in `plain` are bare names; of everything else the last such
/// node is the name, with something unknown in front of it.
fn call(walker: &mut Walker<'_>, node: Node<'_>, callee: Option<Node<'_>>, plain: &[&str], args: Option<usize>) {
    let Some(callee) = callee else { return walker.visit_children(node) };
    let inner = peeled(callee, plain);
    if plain.contains(&inner.kind()) {
        let usage = walker.result_use();
        walker.call(inner, NONE, args, usage);
        return walker.visit_children_except(node, &[Some(callee)]);
    }
    if let Some(name) = last_name(inner, plain) {
        let before = walker.expr(ExprKind::Unknown, "", NONE, inner);
        let usage = walker.result_use();
        walker.call(name, before, args, usage);
    }
    walker.visit_children(node);
}

/// The name at the heart of a C-like declarator.
fn declared(node: Node<'_>) -> Option<Node<'_>> {
    let mut at = node.field("declarator")?;
    while let Some(inner) = at.field("declarator") {
        at = inner;
    }
    Some(at).filter(|name| name.kind().ends_with("identifier"))
}

/// A node that only wraps one other is that one.
fn peeled<'t>(mut node: Node<'t>, plain: &[&str]) -> Node<'t> {
    for _ in 0..8 {
        if plain.contains(&node.kind()) || node.named_child_count() != 1 {
            break;
        }
        match node.named_child(0) {
            Some(only) if only.byte_range() == node.byte_range() => node = only,
            _ => break,
        }
    }
    node
}

fn last_name<'t>(node: Node<'t>, plain: &[&str]) -> Option<Node<'t>> {
    let mut at = node;
    for _ in 0..8 {
        let last = at.named_child(u32::try_from(at.named_child_count()).ok()?.checked_sub(1)?)?;
        if plain.contains(&last.kind()) {
            return Some(last);
        }
        at = last;
    }
    None
}

/// Takes in a module by the text of a node, without what quotes it.
fn import(walker: &mut Walker<'_>, place: Node<'_>) {
    let text = walker.text(place).trim_matches(['"', '\'', '<', '>', ' ']);
    walker.import(place, text, "", "", 0);
}

/// Takes in a module all of whose names are then known here without a word in front.
fn include(walker: &mut Walker<'_>, place: Node<'_>) {
    let text = walker.text(place).trim_matches(['"', '\'', '<', '>', ' ']);
    walker.import(place, text, "", "", import_flag::WILDCARD);
}
