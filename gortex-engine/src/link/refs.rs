//! Mentions to edges: what each reference of a file is bound to, or why it is not.
//!
//! Nothing is bound by its name alone. A mention whose receiver is unknown stays unbound with that reason and is counted
//! in answers, because an invented edge costs more than a counted gap.
//!
//! Knows roles and kinds; scopes and types answer the questions.

mod calls;
mod clues;
mod elixir;
mod inject;
mod macros;
mod rpc;
mod ruby;

pub(crate) use clues::{Events, events};
pub(crate) use rpc::{Services, services};

use super::extensions::Fit;
use super::externals::{Externs, Mentions};
use super::infer::{Infer, Place, Ty};
use super::modules::ocaml::Spot;
use super::modules::{Module, plain};
use super::scope::{Entity, Want};
use super::table::NameId;
use crate::facts::model::{BARE, ExprKind, ImportRow, Kind, NONE, RefRow, Role, import_flag};
use crate::graph::{EdgeKind, EdgeRow, NodeId, Tier, Unbound, edge_flag};
use crate::lang::Family;
use crate::lang::marked::SQL_TEXT;

/// A mention without an edge, before names are numbered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Loose<'a> {
    pub owner: NodeId,
    pub name: &'a str,
    /// Its number, where it is a name that linking knows.
    pub id: NameId,
    pub line: u32,
    pub col: u16,
    pub role: u8,
    pub reason: Unbound,
}

/// Edges and loose ends of one file.
#[derive(Debug, Default)]
pub(crate) struct FileLinks<'a> {
    pub edges: Vec<EdgeRow>,
    pub loose: Vec<Loose<'a>>,
    pub externals: Mentions,
}

/// Binds everything a file mentions.
pub(crate) fn link_file<'a>(infer: &Infer<'_, 'a>, file: usize) -> FileLinks<'a> {
    let base = infer.scopes.table.files[file].base;
    let mut linker = FileLinker { infer, file, base, out: FileLinks::default(), externs: Externs::new(infer, file) };
    linker.imports();
    linker.externs.headers();
    for row in infer.scopes.table.views[file].refs {
        linker.reference(row);
    }
    linker.clues();
    linker.remote_calls();
    linker.out.externals = linker.externs.finish();
    linker.out
}

struct FileLinker<'s, 'i, 'a> {
    infer: &'s Infer<'i, 'a>,
    file: usize,
    base: NodeId,
    out: FileLinks<'a>,
    externs: Externs<'s, 'i, 'a>,
}

/// What a mention was bound to.
#[derive(Clone, Copy)]
enum Bound {
    /// A definition, with the evidence and whether it was reached under another name.
    To { node: NodeId, tier: Tier, confidence: u8, aliased: bool },
    /// Nothing, for this reason.
    Loose(Unbound),
    /// Nothing worth telling (a local, a library value that is merely read).
    Nothing,
}

impl Bound {
    fn exact(node: NodeId) -> Bound {
        Bound::To { node, tier: Tier::AstResolved, confidence: 100, aliased: false }
    }
}

fn want(role: Role) -> Want {
    match role {
        Role::Call | Role::Render => Want::Call,
        Role::Instantiate
        | Role::Type
        | Role::ParamType
        | Role::ReturnType
        | Role::FieldType
        | Role::GenericArg
        | Role::Extends
        | Role::Implements => Want::Type,
        Role::Read | Role::Write | Role::Attribute | Role::Import | Role::ReExport | Role::Throws => Want::Any,
    }
}

fn is_calling(role: Role) -> bool {
    matches!(role, Role::Call | Role::Instantiate | Role::Render)
}

impl<'a> FileLinker<'_, '_, 'a> {
    fn owner(&self, def: u32) -> NodeId {
        if def == NONE { self.base } else { self.base + 1 + def }
    }

    // ----- imports

    fn imports(&mut self) {
        let scopes = self.infer.scopes;
        let view = scopes.table.views[self.file];
        let namespaces = scopes.table.family(self.file) == Some(Family::CSharp);
        for (row, entity) in view.imports.iter().zip(&scopes.imports[self.file].rows) {
            let target = match *entity {
                Entity::Node(node) => Some(node),
                Entity::Module(Module::Node(node)) => Some(node),
                // A C# namespace is no file and has none that stands for it.
                Entity::Module(Module::Package(package)) if !namespaces => self.representative(package),
                _ => None,
            };
            if let Some(target) = target.filter(|target| *target != self.base) {
                self.import_edge(row, target);
            }
        }
        for row in view.exports {
            let name = scopes.table.name_of(self.file, row.local);
            if let Entity::Node(node) = scopes.lookup(Module::Node(self.base), name, Want::Any, false, 0) {
                let renamed = row.local != row.exported;
                self.edge(
                    self.base,
                    node,
                    row.line,
                    0,
                    Role::ReExport,
                    Bound::To { node, tier: Tier::AstResolved, confidence: 100, aliased: renamed },
                    0,
                );
            }
        }
    }

    /// The file that stands for a package in an import edge: its first one that is no test.
    fn representative(&self, package: u32) -> Option<NodeId> {
        let table = &self.infer.scopes.table;
        let files = &self.infer.scopes.modules.packages[package as usize].files;
        let is_code = |file: &&u32| !crate::graph::is_test_path(&table.files[**file as usize].path);
        files.iter().find(is_code).or_else(|| files.first()).map(|file| table.files[*file as usize].base)
    }

    fn import_edge(&mut self, row: &ImportRow, target: NodeId) {
        let table = &self.infer.scopes.table;
        let role = match row.flags {
            flags if flags & import_flag::REEXPORT != 0 => Role::ReExport,
            flags if flags & import_flag::LINK != 0 => Role::Read,
            _ => Role::Import,
        };
        let aliased = !row.name.is_empty() && table.node_name.get(target as usize) != Some(&table.name_of(self.file, row.name));
        let bound = Bound::To { node: target, tier: Tier::AstResolved, confidence: 100, aliased };
        let owner = self.owner(row.owner);
        self.edge(owner, target, row.line, row.col, role, bound, 0);
    }

    // ----- references

    fn reference(&mut self, row: &RefRow) {
        let owner = self.owner(row.owner);
        let place = Place { file: self.file, owner };
        let bound = self.bind(place, row);
        match bound {
            // Whatever found it: no mention leaves its repository without a declared dependency.
            Bound::To { node, .. } if !self.infer.scopes.modules.meet(&self.infer.scopes.table, self.base, node) => {
                self.loose(owner, row, Unbound::External);
            }
            Bound::To { node, .. } => self.bound(place, row, node, bound),
            Bound::Loose(Unbound::Dynamic) => self.loose(owner, row, Unbound::Dynamic),
            Bound::Loose(reason) => {
                let outside = self.externs.mention(place, row);
                let reason = match reason {
                    Unbound::NoDefinition | Unbound::UnknownReceiver if outside && self.externs.is_library() => Unbound::Builtin,
                    Unbound::NoDefinition | Unbound::UnknownReceiver if outside => Unbound::External,
                    other => other,
                };
                self.loose(owner, row, reason);
            }
            Bound::Nothing => {
                self.externs.mention(place, row);
            }
        }
    }

    fn bind(&self, place: Place, row: &RefRow) -> Bound {
        let table = &self.infer.scopes.table;
        let name = table.name_of(self.file, row.name);
        if self.infer.is_elixir(self.file)
            && let Some(bound) = self.bind_elixir(place, row, name)
        {
            return bound;
        }
        if self.infer.is_haskell(self.file)
            && let Some(found) = self.infer.haskell_mention(self.file, row, name, want(row.role()))
        {
            return match found {
                Entity::Node(node) => Bound::exact(node),
                Entity::External if is_calling(row.role()) => Bound::Loose(Unbound::External),
                _ if is_calling(row.role()) => Bound::Loose(Unbound::NoDefinition),
                _ => Bound::Nothing,
            };
        }
        if row.recv == NONE && self.infer.is_ruby(self.file) {
            return self.bind_ruby_bare(place, row, name);
        }
        if row.recv == NONE {
            if plain::format_of(&table.files[self.file]).is_some() {
                return self.bind_plain(place, row, None);
            }
            return self.bind_bare(place, row, name);
        }
        let view = &table.views[self.file];
        let Some(recv) = view.expr(row.recv) else { return Bound::Nothing };
        match recv.kind() {
            ExprKind::LocalDef if recv.slot == BARE => Bound::exact(self.base + 1 + recv.base),
            ExprKind::LocalBind if recv.slot == BARE => self.bind_local(place, row),
            _ if self.infer.is_ruby(self.file) => self.bind_ruby_member(place, row, name),
            ExprKind::Typed if view.str(recv.name) == SQL_TEXT => self.bind_plain(place, row, Some("sql")),
            _ => self.bind_member(place, row, name, recv.kind() == ExprKind::Super),
        }
    }

    /// A bare name that is a parameter or local: known when it was given a function or type of ours.
    fn bind_local(&self, place: Place, row: &RefRow) -> Bound {
        let inferred = |node| Bound::To { node, tier: Tier::AstInferred, confidence: 85, aliased: true };
        match self.infer.settle(self.infer.ty(place, row.recv, 0)) {
            Ty::Func(node) | Ty::Type(node) => inferred(node),
            // What a parameter of a declared function type holds is known to the caller alone, wherever the type comes from.
            Ty::External if is_calling(row.role()) && self.is_declared(row) => Bound::Loose(Unbound::Dynamic),
            Ty::External => Bound::Loose(Unbound::External),
            _ if is_calling(row.role()) => Bound::Loose(Unbound::Dynamic),
            _ => Bound::Nothing,
        }
    }

    /// Whether the local in front of a mention has a written type.
    fn is_declared(&self, row: &RefRow) -> bool {
        let view = &self.infer.scopes.table.views[self.file];
        let bind = view.expr(row.recv).and_then(|recv| view.binds.get(recv.base as usize));
        bind.is_some_and(|bind| !bind.ty.is_empty())
    }

    fn bind_bare(&self, place: Place, row: &RefRow, name: NameId) -> Bound {
        let scopes = self.infer.scopes;
        let role = row.role();
        let language = scopes.table.files[self.file].lang.map(|lang| lang.language());
        let library = self.infer.is_library_type(self.file, name, scopes.table.str(self.file, row.name));
        let nothing = match is_calling(role) {
            true if library => Bound::Loose(Unbound::External),
            true => Bound::Loose(Unbound::NoDefinition),
            false => Bound::Nothing,
        };
        if name != NONE && language.is_some_and(|language| language.implicit_self) {
            let found = self.infer.implicit_member(place.owner, name, want(role)).map(|(node, _)| node);
            let found = found.filter(|node| self.infer.extension_is_seen(self.file, *node, name));
            // A type's own name inside it is the type, also where its constructor has the same name.
            let fits = |node: &NodeId| match want(role) {
                Want::Type => scopes.table.kind(*node).is_type(),
                // Where methods and fields share one name space, a field may hold what is called.
                Want::Call => {
                    let kind = scopes.table.kind(*node);
                    let one_space = language.is_some_and(|one| matches!(one.family, Family::Dart | Family::Swift));
                    one_space || kind.is_callable() || kind.is_type()
                }
                Want::Any | Want::Value => true,
            };
            // `Foo(..)` inside `Foo` makes a new one: the type is meant, its constructor follows from that.
            let made = |node: NodeId| match scopes.table.kind(node) {
                Kind::Constructor if role == Role::Call => scopes.table.parents[node as usize],
                _ => node,
            };
            if let Some(node) = found.filter(fits).map(made) {
                return Bound::exact(node);
            }
        }
        if let Some(node) = scopes.foreign_sibling(place, name) {
            return Bound::To { node, tier: Tier::AstInferred, confidence: 90, aliased: false };
        }
        let rust = language.is_some_and(|language| language.family == Family::Rust);
        let shell = language.is_some_and(|language| language.family == Family::Shell);
        match scopes.free(self.file, place.owner, name, want(role)) {
            // A variable is no command, and a function no value.
            Entity::Node(node) if shell && is_calling(role) != scopes.table.kind(node).is_callable() => {
                if is_calling(role) && self.is_builtin(row) { Bound::Loose(Unbound::Builtin) } else { nothing }
            }
            Entity::Node(node) if scopes.is_by_name(self.file, name, node) => {
                Bound::To { node, tier: Tier::AstInferred, confidence: 85, aliased: false }
            }
            Entity::Node(node) => Bound::exact(node),
            // A module that is used as a value stands for what it exports as a whole.
            Entity::Module(module) if language.is_some_and(|language| language.family == Family::Script) => {
                match scopes.lookup(module, scopes.table.name("default"), want(role), true, 0) {
                    Entity::Node(node) => Bound::To { node, tier: Tier::AstResolved, confidence: 95, aliased: true },
                    // The file of a component is the component.
                    _ => match module {
                        Module::Node(node) if role == Role::Render && scopes.table.kind(node) == Kind::File => {
                            Bound::To { node, tier: Tier::AstResolved, confidence: 95, aliased: true }
                        }
                        _ => nothing,
                    },
                }
            }
            Entity::None if role == Role::Attribute && language.is_some_and(|language| language.family == Family::CSharp) => {
                // `[Foo]` is short for `[FooAttribute]`.
                let full = format!("{}Attribute", scopes.table.str(self.file, row.name));
                match scopes.free(self.file, place.owner, scopes.table.name(&full), Want::Type) {
                    Entity::Node(node) => Bound::To { node, tier: Tier::AstResolved, confidence: 100, aliased: true },
                    _ => nothing,
                }
            }
            Entity::Module(_) if is_calling(role) => nothing,
            Entity::External if is_calling(role) => Bound::Loose(Unbound::External),
            Entity::None if !library && self.inherits_openly(place) && is_calling(role) => Bound::Loose(Unbound::NoMember),
            Entity::None if rust && role == Role::Call => self.exported_macro(place, name).map_or(nothing, Bound::exact),
            Entity::Module(_) | Entity::External => Bound::Nothing,
            Entity::None if is_calling(role) && self.is_builtin(row) => Bound::Loose(Unbound::Builtin),
            Entity::None => nothing,
        }
    }

    /// Whether a bare name is that of a function that comes with the language.
    fn is_builtin(&self, row: &RefRow) -> bool {
        let table = &self.infer.scopes.table;
        let text = table.str(self.file, row.name);
        match table.family(self.file) {
            Some(Family::Lua) => super::lua::is_builtin(text),
            Some(Family::Shell) => super::modules::shell::is_builtin(text),
            _ => false,
        }
    }

    /// A mention in data or a document: by the rules of its format alone. A miss says nothing, several that fit are counted.
    /// `language` is that of a string inside a program.
    fn bind_plain(&self, place: Place, row: &RefRow, language: Option<&'static str>) -> Bound {
        let table = &self.infer.scopes.table;
        let text = table.str(self.file, row.name);
        let plain = &self.infer.scopes.modules.plain;
        match plain.find(table, (place.file, place.owner), language, text) {
            Some((node, tier)) => {
                let confidence = if tier == Tier::AstResolved { 100 } else { 70 };
                Bound::To { node, tier, confidence, aliased: false }
            }
            None if plain.is_ambiguous(table, place.file, language, text) => Bound::Loose(Unbound::Ambiguous),
            None => Bound::Nothing,
        }
    }

    fn inherits_openly(&self, place: Place) -> bool {
        let table = &self.infer.scopes.table;
        let implicit = table.files[self.file].lang.is_some_and(|lang| lang.language().implicit_self);
        implicit && self.infer.enclosing_type(place.owner).is_some_and(|ty| self.infer.is_open(ty))
    }

    fn bind_member(&self, place: Place, row: &RefRow, name: NameId, of_super: bool) -> Bound {
        let receiver = self.infer.ty(place, row.recv, 0);
        let bound = self.bind_on(place, row, name, of_super, receiver);
        if matches!(bound, Bound::To { .. }) {
            return bound;
        }
        let text = self.infer.scopes.table.str(self.file, row.name);
        match self.infer.beside_named(place, row.recv, name, text, receiver) {
            Some((node, Fit::Exact)) => Bound::To { node, tier: Tier::AstResolved, confidence: 95, aliased: false },
            Some((node, Fit::Wide)) => Bound::To { node, tier: Tier::AstInferred, confidence: 80, aliased: false },
            Some((node, Fit::Imported)) => Bound::To { node, tier: Tier::AstInferred, confidence: 60, aliased: false },
            None => bound,
        }
    }

    fn bind_on(&self, place: Place, row: &RefRow, name: NameId, of_super: bool, receiver: Ty<'a>) -> Bound {
        let scopes = self.infer.scopes;
        let table = &scopes.table;
        let role = row.role();
        let loose = |reason| match (role, reason) {
            (role, _) if is_calling(role) => Bound::Loose(reason),
            // A member that is read or written on a receiver nobody knows may be any field of that name.
            (Role::Read | Role::Write, Unbound::UnknownReceiver) if name != NONE => Bound::Loose(reason),
            _ => Bound::Nothing,
        };
        if of_super && let Some(node) = self.infer.super_member(place.owner, name, want(role)).filter(|_| name != NONE) {
            return Bound::To { node, tier: Tier::AstResolved, confidence: 95, aliased: false };
        }
        let found = self.infer.settle_receiver(receiver);
        if matches!(found, Ty::External | Ty::Text { .. } | Ty::Unknown)
            && let Some(node) = scopes.foreign_member(place, row.recv, receiver, name)
        {
            return Bound::To { node, tier: Tier::AstInferred, confidence: 90, aliased: false };
        }
        match found {
            Ty::Instance(ty) | Ty::Type(ty) => match self.infer.member_on(receiver, found, name, want(role)) {
                Some(reached) => {
                    let (node, confidence) = (reached.node, if reached.inherited { 95 } else { 100 });
                    Bound::To { node, tier: Tier::AstResolved, confidence, aliased: false }
                }
                // A class library makes `new` for every class.
                None if table.family(self.file) == Some(Family::Lua)
                    && table.kind(ty) == Kind::Class
                    && table.str(self.file, row.name) == "new" =>
                {
                    Bound::exact(ty)
                }
                None if self.infer.is_open(ty) => loose(Unbound::External),
                None => loose(Unbound::NoMember),
            },
            Ty::Module(module) => match scopes.lookup(module, name, want(role), true, 0) {
                Entity::Node(node) => Bound::exact(node),
                Entity::Module(_) => Bound::Nothing,
                Entity::External => loose(Unbound::External),
                Entity::None if module == Module::External || table.family(self.file) == Some(Family::Php) => {
                    loose(Unbound::External)
                }
                // An exported macro hangs at the root of its crate, whatever module it is written in.
                Entity::None if role == Role::Call && self.is_crate_root(module) => {
                    self.macro_of_crate(module, name).map_or(loose(Unbound::NoDefinition), Bound::exact)
                }
                Entity::None => loose(Unbound::NoDefinition),
            },
            Ty::External => loose(Unbound::External),
            Ty::Func(_) => loose(Unbound::Builtin),
            Ty::Text { .. } | Ty::Unknown => self.field_in_scope(place, row, name).unwrap_or(loose(Unbound::UnknownReceiver)),
        }
    }

    /// OCaml: where nothing says the type of a record, its field is the one of that name in scope.
    fn field_in_scope(&self, place: Place, row: &RefRow, name: NameId) -> Option<Bound> {
        let scopes = self.infer.scopes;
        if scopes.table.family(self.file) != Some(Family::Ocaml) || !matches!(row.role(), Role::Read | Role::Write) {
            return None;
        }
        let inferred = |node| Bound::To { node, tier: Tier::AstInferred, confidence: 85, aliased: false };
        let view = &scopes.table.views[self.file];
        let recv = view.expr(row.recv)?;
        // `r.M.field` names the module.
        if recv.kind() == ExprKind::Index {
            return match self.infer.ty(place, recv.base, 0) {
                Ty::Module(Module::Node(module)) => scopes.ocaml_field_of(module, name).map(Bound::exact),
                _ => None,
            };
        }
        scopes.ocaml_field(Spot::new(self.file, place.owner), name).map(inferred)
    }

    // ----- rows

    #[allow(clippy::too_many_arguments)] // one flat row
    fn edge(&mut self, from: NodeId, to: NodeId, line: u32, col: u16, role: Role, bound: Bound, detail: u8) {
        let Bound::To { tier, confidence, aliased, .. } = bound else { return };
        let table = &self.infer.scopes.table;
        let to = self.infer.scopes.definition_of(to);
        if !self.infer.scopes.modules.meet(table, self.base, to) {
            return;
        }
        let kind = table.kind(to);
        let data = matches!(kind, Kind::Field | Kind::Property | Kind::Constant | Kind::Variable | Kind::EnumMember);
        let mut flags = if aliased { edge_flag::ALIASED } else { 0 };
        if table.files[table.file_of(to)].repo != table.files[self.file].repo {
            flags |= edge_flag::CROSS_REPO;
        }
        self.out.edges.push(EdgeRow {
            from,
            to,
            line,
            col,
            kind: EdgeKind::of_role(role, data) as u8,
            role: role as u8,
            tier: tier as u8,
            confidence,
            usage: if is_calling(role) { detail & 0xf } else { 0 },
            flags,
        });
    }

    fn loose(&mut self, owner: NodeId, row: &RefRow, reason: Unbound) {
        let table = &self.infer.scopes.table;
        let (name, id) = (table.str(self.file, row.name), table.name_of(self.file, row.name));
        self.out.loose.push(Loose { owner, name, id, line: row.line, col: row.col, role: row.role, reason });
    }
}
