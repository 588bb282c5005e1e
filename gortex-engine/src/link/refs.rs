//! Mentions to edges: what each reference of a file is bound to, or why it is not.
//!
//! Nothing is bound by its name alone. A mention whose receiver is unknown stays unbound with that reason and is counted
//! in answers, because an invented edge costs more than a counted gap.
//!
//! Knows roles and kinds; scopes and types answer the questions.

use super::infer::{Infer, Place, Ty};
use super::modules::Module;
use super::scope::{Entity, Want};
use super::table::NameId;
use crate::facts::model::{BARE, DefRow, ExprKind, ImportRow, Kind, NONE, RefRow, Role, flag, import_flag};
use crate::graph::{EdgeKind, EdgeRow, NodeId, Tier, Unbound, edge_flag};
use crate::lang::Family;

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
}

/// Binds everything a file mentions.
pub(crate) fn link_file<'a>(infer: &Infer<'_, 'a>, file: usize) -> FileLinks<'a> {
    let mut linker = FileLinker { infer, file, base: infer.scopes.table.files[file].base, out: FileLinks::default() };
    linker.imports();
    for row in infer.scopes.table.views[file].refs {
        linker.reference(row);
    }
    linker.out
}

struct FileLinker<'s, 'i, 'a> {
    infer: &'s Infer<'i, 'a>,
    file: usize,
    base: NodeId,
    out: FileLinks<'a>,
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
        Role::Read | Role::Write | Role::Attribute | Role::Import | Role::ReExport => Want::Any,
    }
}

fn is_calling(role: Role) -> bool {
    matches!(role, Role::Call | Role::Instantiate | Role::Render)
}

impl FileLinker<'_, '_, '_> {
    fn owner(&self, def: u32) -> NodeId {
        if def == NONE { self.base } else { self.base + 1 + def }
    }

    // ----- imports

    fn imports(&mut self) {
        let scopes = self.infer.scopes;
        let view = scopes.table.views[self.file];
        for (row, entity) in view.imports.iter().zip(&scopes.imports[self.file].rows) {
            let target = match *entity {
                Entity::Node(node) => Some(node),
                Entity::Module(Module::Node(node)) => Some(node),
                Entity::Module(Module::Package(package)) => self.representative(package),
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
        let role = if row.flags & import_flag::REEXPORT != 0 { Role::ReExport } else { Role::Import };
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
            Bound::To { node, .. } => self.bound(place, row, node, bound),
            Bound::Loose(reason) => self.loose(owner, row, reason),
            Bound::Nothing => {}
        }
    }

    /// Makes the edges of a bound mention: the plain one, and what follows from calling a value, a type or an overload.
    fn bound(&mut self, place: Place, row: &RefRow, node: NodeId, bound: Bound) {
        let table = &self.infer.scopes.table;
        let role = row.role();
        let Some(def) = table.def(node) else {
            // A file is only ever imported.
            return;
        };
        if !is_calling(role) {
            self.edge(place.owner, node, row.line, row.col, role, bound, row.detail);
            return;
        }
        if def.kind().is_callable() {
            self.calls(place, row, node, role, bound);
        } else if def.kind().is_type() {
            let role = if role == Role::Render { role } else { Role::Instantiate };
            self.edge(place.owner, node, row.line, row.col, role, bound, row.detail);
            if let Some(constructor) = self.constructor(node) {
                self.calls(place, row, constructor, Role::Call, bound);
            }
        } else if def.kind() == Kind::EnumMember {
            self.edge(place.owner, node, row.line, row.col, Role::Instantiate, bound, row.detail);
        } else {
            self.call_of_value(place, row, node, bound);
        }
    }

    /// A call through a variable, constant or field: the value is read, and what it holds is called where that is known.
    fn call_of_value(&mut self, place: Place, row: &RefRow, node: NodeId, bound: Bound) {
        self.edge(place.owner, node, row.line, row.col, Role::Read, bound, 0);
        let held = self.infer.settle(self.infer.value_of(node, 0));
        let inferred = |node| Bound::To { node, tier: Tier::AstInferred, confidence: 85, aliased: true };
        match held {
            Ty::Func(target) => self.edge(place.owner, target, row.line, row.col, Role::Call, inferred(target), row.detail),
            Ty::Type(target) => {
                self.edge(place.owner, target, row.line, row.col, Role::Instantiate, inferred(target), row.detail);
            }
            _ => self.loose(place.owner, row, Unbound::Dynamic),
        }
    }

    fn constructor(&self, ty: NodeId) -> Option<NodeId> {
        let table = &self.infer.scopes.table;
        let own = table.all_members(ty).iter().copied().find(|member| table.kind(*member) == Kind::Constructor);
        own.or_else(|| {
            let name = match table.family(self.file) {
                Some(Family::Python) => table.name("__init__"),
                Some(Family::Script) => table.name("constructor"),
                _ => NONE,
            };
            (name != NONE).then(|| self.infer.member(ty, name, Want::Call).map(|(node, _)| node)).flatten()
        })
    }

    /// The edges of a call: to the callable it was bound to, or to those of its overloads whose parameter count fits. Where
    /// several fit, types of arguments would decide, which are not known here: all are named, as inferred.
    fn calls(&mut self, place: Place, row: &RefRow, node: NodeId, role: Role, bound: Bound) {
        let fitting = self.overloads(node, row);
        if let [one] = fitting.as_slice() {
            return self.edge(place.owner, *one, row.line, row.col, role, bound, row.detail);
        }
        let confidence = (100 / fitting.len().max(1)) as u8;
        for node in fitting {
            let bound = Bound::To { node, tier: Tier::AstInferred, confidence, aliased: false };
            self.edge(place.owner, node, row.line, row.col, role, bound, row.detail);
        }
    }

    fn overloads(&self, node: NodeId, row: &RefRow) -> Vec<NodeId> {
        let table = &self.infer.scopes.table;
        if !matches!(table.family(self.file), Some(Family::Jvm | Family::C)) {
            return vec![node];
        }
        let Some(args) = row.args() else { return vec![node] };
        let fits = |def: &DefRow| def.params == u16::from(args) || (def.has(flag::VARIADIC) && u16::from(args) + 1 >= def.params);
        let siblings = table.members(table.parents[node as usize], table.node_name[node as usize]);
        let callable = |other: &NodeId| table.def(*other).is_some_and(|def| def.kind().is_callable() && fits(def));
        let mut found: Vec<NodeId> =
            siblings.iter().copied().filter(callable).map(|other| self.infer.scopes.definition_of(other)).collect();
        // A member declared in its class and defined elsewhere is one member.
        if found.iter().any(|other| table.def(*other).is_some_and(|def| !def.has(flag::DECLARATION)))
            && table.family(self.file) == Some(Family::C)
        {
            found.retain(|other| table.def(*other).is_some_and(|def| !def.has(flag::DECLARATION)));
        }
        found.sort_unstable();
        found.dedup();
        if found.is_empty() { vec![node] } else { found }
    }

    fn bind(&self, place: Place, row: &RefRow) -> Bound {
        let table = &self.infer.scopes.table;
        let name = table.name_of(self.file, row.name);
        if row.recv == NONE {
            return self.bind_bare(place, row, name);
        }
        let view = &table.views[self.file];
        let Some(recv) = view.expr(row.recv) else { return Bound::Nothing };
        match recv.kind() {
            ExprKind::LocalDef if recv.slot == BARE => Bound::exact(self.base + 1 + recv.base),
            ExprKind::LocalBind if recv.slot == BARE => self.bind_local(place, row),
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
        let nothing = if is_calling(role) { Bound::Loose(Unbound::NoDefinition) } else { Bound::Nothing };
        if name != NONE && language.is_some_and(|language| language.implicit_self) {
            let found = self.infer.implicit_member(place.owner, name, want(role)).map(|(node, _)| node);
            // A type's own name inside it is the type, also where its constructor has the same name.
            let fits = |node: &NodeId| match want(role) {
                Want::Type => scopes.table.kind(*node).is_type(),
                Want::Call => scopes.table.kind(*node).is_callable() || scopes.table.kind(*node).is_type(),
                Want::Any => true,
            };
            if let Some(node) = found.filter(fits) {
                return Bound::exact(node);
            }
        }
        let rust = language.is_some_and(|language| language.family == Family::Rust);
        match scopes.free(self.file, place.owner, name, want(role)) {
            Entity::Node(node) => Bound::exact(node),
            // A module that is used as a value stands for what it exports as a whole.
            Entity::Module(module) if language.is_some_and(|language| language.family == Family::Script) => {
                match scopes.lookup(module, scopes.table.name("default"), want(role), true, 0) {
                    Entity::Node(node) => Bound::To { node, tier: Tier::AstResolved, confidence: 95, aliased: true },
                    _ => nothing,
                }
            }
            Entity::Module(_) if is_calling(role) => nothing,
            Entity::External if is_calling(role) => Bound::Loose(Unbound::External),
            Entity::None if rust && role == Role::Call => self.exported_macro(name).map_or(nothing, Bound::exact),
            Entity::None if self.inherits_openly(place) && is_calling(role) => Bound::Loose(Unbound::NoMember),
            Entity::Module(_) | Entity::External => Bound::Nothing,
            Entity::None => nothing,
        }
    }

    /// `macro_rules!` names are visible by the order of the text, not by path: the only macro of that name is meant.
    fn exported_macro(&self, name: NameId) -> Option<NodeId> {
        let table = &self.infer.scopes.table;
        if name == NONE {
            return None;
        }
        let repo = table.files[self.file].repo;
        let macros = self.infer.scopes.macros.get(&name)?;
        let mut same = macros.iter().copied().filter(|node| table.files[table.file_of(*node)].repo == repo);
        match (same.next(), same.next()) {
            (Some(one), None) => Some(one),
            _ => None,
        }
    }

    fn inherits_openly(&self, place: Place) -> bool {
        let table = &self.infer.scopes.table;
        let implicit = table.files[self.file].lang.is_some_and(|lang| lang.language().implicit_self);
        implicit && self.infer.enclosing_type(place.owner).is_some_and(|ty| self.infer.is_open(ty))
    }

    fn bind_member(&self, place: Place, row: &RefRow, name: NameId, of_super: bool) -> Bound {
        let scopes = self.infer.scopes;
        let role = row.role();
        let loose = |reason| match (role, reason) {
            (role, _) if is_calling(role) => Bound::Loose(reason),
            // A member that is read or written on a receiver nobody knows may be any field of that name.
            (Role::Read | Role::Write, Unbound::UnknownReceiver) if name != NONE => Bound::Loose(reason),
            _ => Bound::Nothing,
        };
        match self.infer.settle(self.infer.ty(place, row.recv, 0)) {
            Ty::Instance(ty) | Ty::Type(ty) => match self.infer.member(ty, name, want(role)).filter(|_| name != NONE) {
                Some((node, inherited)) => {
                    let confidence = if inherited || of_super { 95 } else { 100 };
                    Bound::To { node, tier: Tier::AstResolved, confidence, aliased: false }
                }
                None if self.infer.is_open(ty) => loose(Unbound::External),
                None => loose(Unbound::NoMember),
            },
            Ty::Module(module) => match scopes.lookup(module, name, want(role), true, 0) {
                Entity::Node(node) => Bound::exact(node),
                Entity::Module(_) => Bound::Nothing,
                Entity::External => loose(Unbound::External),
                Entity::None if module == Module::External => loose(Unbound::External),
                Entity::None => loose(Unbound::NoDefinition),
            },
            Ty::External => loose(Unbound::External),
            Ty::Func(_) => loose(Unbound::Builtin),
            Ty::Text { .. } | Ty::Unknown => loose(Unbound::UnknownReceiver),
        }
    }

    // ----- rows

    #[allow(clippy::too_many_arguments)] // one flat row
    fn edge(&mut self, from: NodeId, to: NodeId, line: u32, col: u16, role: Role, bound: Bound, detail: u8) {
        let Bound::To { tier, confidence, aliased, .. } = bound else { return };
        let table = &self.infer.scopes.table;
        let to = self.infer.scopes.definition_of(to);
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
