//! Data and documents: what an agent looks for in them, and the code that is embedded in some.
//!
//! A format is a [`Language`] whose table has one hook, on the root of its tree. The hook goes down as far as definitions can
//! lie and no further, because data files are large and most of what they hold is nobody's question: at most [`MOST`]
//! definitions a file, keys at most [`DEPTH`] deep. Names never cross files but by the rules of `link/modules/plain.rs`.
//!
//! Knows trees of one file.

pub(super) mod asciidoc;
pub(super) mod cmake;
pub(super) mod component;
pub(super) mod css;
pub(super) mod csv;
mod data;
pub(super) mod docker;
pub(super) mod embedded;
pub(super) mod env;
pub(super) mod gomod;
pub(super) mod graphql;
pub(super) mod hcl;
pub(super) mod html;
pub(super) mod ini;
pub(super) mod jinja;
pub(super) mod json;
pub(super) mod kdl;
pub(super) mod make;
pub(super) mod markdown;
pub(super) mod meson;
pub(super) mod notebook;
pub(super) mod owners;
pub(super) mod properties;
pub(super) mod proto;
pub(super) mod requirements;
pub(super) mod rst;
pub(super) mod sql;
pub(super) mod style;
pub(super) mod toml;
pub(super) mod typst;
pub(super) mod xml;
pub(super) mod yaml;

use rustc_hash::FxHashMap;
use tree_sitter::Node;

use super::common::UsageKinds;
use super::{Family, Hooks, Language, Tier};
use crate::facts::model::{ExprKind, Kind, NONE, Role, import_flag};
use crate::facts::walker::{NewDef, Walker};

/// Definitions of one data file or document at most.
const MOST: u32 = 400;
/// How deep keys are told: `a.b.c`.
const DEPTH: usize = 3;

/// The grammar of formats that are lines: it takes any text, and nothing in its tree is asked for.
const LINES: fn() -> tree_sitter::Language = || tree_sitter_embedded_template::LANGUAGE.into();

/// What formats have in common.
const FORMAT: Language = Language {
    name: "",
    tier: Tier::Format,
    family: Family::Plain,
    extensions: &[],
    file_names: &[],
    line_comment: "#",
    keywords: "",
    signatures: &[],
    hoists: false,
    implicit_self: false,
    grammar: || tree_sitter_json::LANGUAGE.into(),
    table: &[],
    usage: UsageKinds::NONE,
    hooks: Hooks::NONE,
};

/// The named children of a node.
fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).collect()
}

/// The first named child of a kind.
fn child<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|child| child.kind() == kind)
}

/// A text without the quotes around it.
fn unquote(text: &str) -> &str {
    let text = text.trim();
    let inner = |mark| text.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark));
    inner('"').or_else(|| inner('\'')).unwrap_or(text)
}

/// Whether a target names a file of the tree rather than something elsewhere or something computed.
fn is_local_path(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(['#', '{', '<', '$', '?'])
        && !text.starts_with("//")
        && !text.contains("://")
        && !text.contains("{{")
        && !text.contains("{%")
        && !["mailto:", "data:", "javascript:", "tel:"].iter().any(|scheme| text.starts_with(scheme))
}

/// Records that the file names another file of the tree.
fn link_to(walker: &mut Walker<'_>, place: Node<'_>, path: &str) {
    if is_local_path(path) {
        walker.import(place, path, "", "", import_flag::MODULE);
    }
}

/// The bookkeeping of one file: how many definitions are left, and mentions that are bound within the file at the end.
#[derive(Debug)]
struct Book<'t> {
    left: u32,
    known: FxHashMap<(Kind, String), u32>,
    mentions: Vec<Mention<'t>>,
}

#[derive(Debug)]
struct Mention<'t> {
    kind: Kind,
    name: String,
    place: Node<'t>,
    owner: u32,
    role: Role,
}

impl<'t> Book<'t> {
    fn new() -> Self {
        Book { left: MOST, known: FxHashMap::default(), mentions: Vec::new() }
    }

    /// Enters a definition, unless the file has had its share.
    fn define(&mut self, walker: &mut Walker<'_>, new: NewDef<'t>, name: &str) -> Option<u32> {
        if self.left == 0 || name.is_empty() {
            return None;
        }
        self.left -= 1;
        let def = walker.define_named(new, name);
        self.known.entry((new.kind, name.to_owned())).or_insert(def);
        Some(def)
    }

    /// Whether something of this kind and name was defined before.
    fn has(&self, kind: Kind, name: &str) -> bool {
        self.known.contains_key(&(kind, name.to_owned()))
    }

    /// Notes that `place` names a definition of this kind that stands anywhere in the file.
    fn mention(&mut self, walker: &Walker<'_>, place: Node<'t>, kind: Kind, name: &str, role: Role) {
        let owner = walker.owner();
        self.mentions.push(Mention { kind, name: name.to_owned(), place, owner, role });
    }

    /// Binds what was mentioned to what was defined; the rest names nothing of this file.
    fn settle(self, walker: &mut Walker<'_>) {
        for Mention { kind, name, place, owner, role } in self.mentions {
            let Some(def) = self.known.get(&(kind, name)).copied() else { continue };
            let text = walker.string(walker.def(def).name).to_owned();
            let record = |walker: &mut Walker<'_>| {
                let local = walker.expr(ExprKind::LocalDef, &text, def, place);
                // The mention is the definition itself, not something in front of a dot.
                walker.expr_slot(local, 0);
                walker.reference_named(place, &text, role, local);
            };
            if owner == NONE { record(walker) } else { walker.owned_by(owner, record) }
        }
    }
}

/// Runs `body` inside a definition that may have been left out.
fn inside(walker: &mut Walker<'_>, def: Option<u32>, body: impl FnOnce(&mut Walker<'_>)) {
    match def {
        Some(def) => walker.owned_by(def, body),
        None => body(walker),
    }
}
