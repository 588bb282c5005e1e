//! Types of receivers: from declarations, constructors, parameters, fields, results and chains of them.
//!
//! Evaluates the small expressions that facts keep in front of a name. Every step is bounded, so a cyclic initialiser or
//! type alias ends as unknown.
//!
//! Knows declared types and members; it never guesses by name.

mod builtin;
mod calls;
mod generics;
mod inside;
mod members;
mod named;

use rustc_hash::FxHashMap;

use self::builtin::{is_builtin, is_library_name};
use self::generics::Fillings;
pub(crate) use self::generics::{Env, bounds};
use super::modules::Module;
use super::modules::ocaml::Spot;
use super::scope::{Entity, Scopes, Want};
use super::table::NameId;
use super::types;
use crate::facts::model::{ExprKind, Kind, NONE, flag};
use crate::graph::NodeId;
use crate::lang::Family;

/// What stands in front of a name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Ty<'a> {
    /// Nothing is known.
    Unknown,
    /// Known, and outside the tracked roots (a library type, a built-in).
    External,
    /// A value of this type.
    Instance(NodeId),
    /// The type itself (static access).
    Type(NodeId),
    /// A callable as a value.
    Func(NodeId),
    /// A file, package or namespace.
    Module(Module),
    /// A value whose declared type has not been looked at yet.
    Text { file: usize, owner: NodeId, text: &'a str, env: Env },
}

/// Where an expression stands: its file and the innermost definition around it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub file: usize,
    pub owner: NodeId,
}

const DEPTH: u32 = 16;

/// The supertypes of every type, and whether some are unknown.
#[derive(Debug, Default)]
pub(crate) struct Hierarchy {
    pub supers: FxHashMap<NodeId, Vec<NodeId>>,
    /// The other way round, in no order.
    pub subs: FxHashMap<NodeId, Vec<NodeId>>,
    /// Modules whose methods a class or module takes as its own (Ruby's `extend`).
    pub extended: FxHashMap<NodeId, Vec<NodeId>>,
    /// Rust: what `impl<T: Bound> Trait for T` gives to whatever has the bound.
    pub blanket: FxHashMap<NodeId, Vec<NodeId>>,
    /// Types with a supertype outside the tracked roots.
    pub open: rustc_hash::FxHashSet<NodeId>,
}

/// Evaluates expressions over resolved scopes.
#[derive(Debug)]
pub(crate) struct Infer<'s, 'a> {
    pub scopes: &'s Scopes<'a>,
    pub hierarchy: &'s Hierarchy,
    fillings: Fillings<'a>,
}

impl<'s, 'a> Infer<'s, 'a> {
    pub fn new(scopes: &'s Scopes<'a>, hierarchy: &'s Hierarchy) -> Self {
        Infer { scopes, hierarchy, fillings: Fillings::default() }
    }

    /// A value's type as a definition, as far as it is known.
    pub fn settle(&self, ty: Ty<'a>) -> Ty<'a> {
        match ty {
            Ty::Text { file, owner, text, env } => self.resolve_text(Place { file, owner }, text, env, 0),
            other => other,
        }
    }

    /// [`Infer::settle`] for what stands before a dot: in Scala a method without parameters is called by being named.
    pub fn settle_receiver(&self, ty: Ty<'a>) -> Ty<'a> {
        let table = &self.scopes.table;
        match self.settle(ty) {
            Ty::Func(node)
                if table.def(node).is_some_and(|def| def.params == 0) && table.language(table.file_of(node)) == "scala" =>
            {
                self.settle(self.result_of(node, None, DEPTH / 2))
            }
            found => found,
        }
    }

    /// The type of an expression.
    pub fn ty(&self, place: Place, expr: u32, depth: u32) -> Ty<'a> {
        let table = &self.scopes.table;
        let view = &table.views[place.file];
        let Some(row) = view.expr(expr) else { return Ty::Unknown };
        if depth > DEPTH {
            return Ty::Unknown;
        }
        if self.is_ruby(place.file)
            && let Some(found) = self.ruby_ty(place, row, depth)
        {
            return found;
        }
        if self.is_elixir(place.file)
            && let Some(found) = self.elixir_ty(place, row, depth)
        {
            return found;
        }
        let text = view.str(row.name);
        let base = |at: u32| self.ty(place, at, depth + 1);
        match row.kind() {
            ExprKind::Unknown => Ty::Unknown,
            ExprKind::Literal => Ty::External,
            ExprKind::SelfRef => match self.enclosing_type(place.owner) {
                Some(ty) => Ty::Instance(ty),
                // A Zig file is a struct.
                None if table.family(place.file) == Some(Family::Zig) => Ty::Module(Module::Node(table.files[place.file].base)),
                None => Ty::Unknown,
            },
            ExprKind::Super => self.super_type(place.owner),
            ExprKind::New => match self.type_node(place, text) {
                Entity::Node(node) if table.kind(node).is_type() || self.is_function_class(node) => Ty::Instance(node),
                // A variant has its own fields and its enum's methods.
                Entity::Node(node) if table.kind(node) == Kind::EnumMember => Ty::Instance(node),
                Entity::External => Ty::External,
                Entity::None if types::parse(text).is_some_and(|parsed| is_builtin(parsed.head)) => Ty::External,
                _ => Ty::Unknown,
            },
            ExprKind::Typed => Ty::Text { file: place.file, owner: place.owner, text, env: Env::default() },
            ExprKind::Name => self.name_type(place, table.name_of(place.file, row.name), text, depth),
            ExprKind::LocalDef => self.value_of(table.files[place.file].base + 1 + row.base, depth + 1),
            ExprKind::LocalBind => self.bind_type(place, row.base, depth),
            ExprKind::Member | ExprKind::Path => {
                let name = table.name_of(place.file, row.name);
                let receiver = base(row.base);
                match self.member_type(receiver, name, text, depth) {
                    Ty::Unknown | Ty::External => self.type_beside(place, expr, receiver, depth),
                    found => found,
                }
            }
            ExprKind::Call => self.call_type(place, row.base, depth),
            ExprKind::Unwrap => self.unwrap(base(row.base)),
            ExprKind::Index => self.element(base(row.base), row.slot, true),
            ExprKind::Element => self.element(base(row.base), row.slot, false),
            ExprKind::Wrapped => self.wrapped(place, text, row.base, depth),
            ExprKind::Given => self.handed(place, row.base, (row.slot >> 3, row.slot & 7), depth),
        }
    }

    /// What a wrapper's constructor gives: one of ours is itself, a library's is used like what it holds.
    fn wrapped(&self, place: Place, wrapper: &str, base: u32, depth: u32) -> Ty<'a> {
        match self.type_node(place, wrapper) {
            Entity::Node(node) if self.scopes.table.is_type(node) => Ty::Instance(node),
            _ => match self.ty(place, base, depth + 1) {
                Ty::Unknown => Ty::External,
                Ty::Func(_) | Ty::Type(_) => Ty::External,
                held => held,
            },
        }
    }

    fn super_type(&self, owner: NodeId) -> Ty<'a> {
        let Some(ty) = self.enclosing_type(owner) else { return Ty::Unknown };
        let supers = self.hierarchy.supers.get(&ty);
        // What comes first may be an interface: where there is a class, that is meant.
        let is_class = |ty: &&NodeId| !self.scopes.table.kind(**ty).is_interface();
        match supers.and_then(|supers| supers.iter().find(is_class).or_else(|| supers.first())) {
            Some(first) => Ty::Instance(*first),
            None if self.hierarchy.open.contains(&ty) => Ty::External,
            None => Ty::Unknown,
        }
    }

    fn bind_type(&self, place: Place, bind: u32, depth: u32) -> Ty<'a> {
        let view = &self.scopes.table.views[place.file];
        let Some(row) = view.binds.get(bind as usize) else { return Ty::Unknown };
        let declared = view.str(row.ty);
        if !declared.is_empty() && !matches!(declared, "auto" | "var" | "_") {
            return Ty::Text { file: place.file, owner: place.owner, text: declared, env: Env::default() };
        }
        if row.init == NONE { Ty::Unknown } else { self.ty(place, row.init, depth + 1) }
    }

    fn name_type(&self, place: Place, name: NameId, text: &str, depth: u32) -> Ty<'a> {
        let table = &self.scopes.table;
        let language = table.files[place.file].lang.map(|lang| lang.language());
        if language.is_some_and(|language| language.implicit_self)
            && name != NONE
            && let Some((found, _)) = self.implicit_member(place.owner, name, Want::Any)
        {
            return self.value_of(found, depth + 1);
        }
        if language.is_some_and(|one| one.family == Family::Ocaml) && text.starts_with(char::is_uppercase) {
            return match self.scopes.ocaml_path(Spot::new(place.file, place.owner), text, 0) {
                Module::External => Ty::External,
                module => Ty::Module(module),
            };
        }
        if text.ends_with('\\') && language.is_some_and(|language| language.family == Family::Php) {
            return Ty::Module(self.scopes.php_prefix(place.file, place.owner, text));
        }
        match self.scopes.free(place.file, place.owner, name, self.want_value(place.file)) {
            Entity::Node(node) => self.value_of(node, depth + 1),
            Entity::Module(module) => Ty::Module(module),
            Entity::External | Entity::None if let Some(module) = self.facade(place, text) => Ty::Module(module),
            Entity::External => Ty::External,
            Entity::None if language.is_some_and(|language| language.family == Family::Rust) => {
                match self.scopes.rust_path(self.scopes.module_of(place.owner), text, 0) {
                    Entity::Module(module) => Ty::Module(module),
                    Entity::External => Ty::External,
                    _ => Ty::Unknown,
                }
            }
            // All modules of ours are known: a name in none of them is another's.
            Entity::None if is_builtin(text) || language.is_some_and(|language| language.family == Family::Swift) => Ty::External,
            Entity::None if language.is_some_and(|language| is_library_name(language.family, text)) => Ty::External,
            Entity::None if self.is_library_type(place.file, name, text) => Ty::External,
            Entity::None => Ty::Unknown,
        }
    }

    /// What a name in front of a `.` or `::` may be: in TypeScript never an interface, elsewhere anything.
    fn want_value(&self, file: usize) -> Want {
        if self.scopes.table.family(file) == Some(Family::Script) { Want::Value } else { Want::Any }
    }

    fn want_in(&self, module: Module) -> Want {
        match module {
            Module::Node(node) => self.want_value(self.scopes.table.file_of(node)),
            _ => Want::Any,
        }
    }

    /// What using a definition as a value gives.
    pub fn value_of(&self, node: NodeId, depth: u32) -> Ty<'a> {
        let table = &self.scopes.table;
        let Some(def) = table.def(node) else { return Ty::Module(Module::Node(node)) };
        let kind = def.kind();
        if kind.is_type() {
            return Ty::Type(node);
        }
        if kind == Kind::Module {
            return Ty::Module(Module::Node(node));
        }
        if kind.is_callable() {
            return if def.has(flag::ACCESSOR) { self.result_of(node, None, depth) } else { Ty::Func(node) };
        }
        if kind == Kind::EnumMember {
            return table.parents.get(node as usize).map_or(Ty::Unknown, |parent| Ty::Instance(*parent));
        }
        // An object literal is its own type: its properties are its members.
        let file = table.file_of(node);
        let declared = table.str(file, def.ty);
        if matches!(kind, Kind::Constant | Kind::Variable | Kind::Property) && !table.all_members(node).is_empty() {
            // Unless it was declared to be of a type of ours: then that type's members are the ones meant.
            let typed = Ty::Text { file, owner: node, text: declared, env: Env::default() };
            let ours = !declared.is_empty() && depth <= DEPTH && matches!(self.settle(typed), Ty::Instance(_));
            return if ours { typed } else { Ty::Type(node) };
        }
        if !declared.is_empty() && declared != "auto" {
            return Ty::Text { file, owner: node, text: declared, env: Env::default() };
        }
        if def.init == NONE || depth > DEPTH {
            return Ty::Unknown;
        }
        // An initialiser is read where it stands: inside the definition's own surroundings.
        self.ty(Place { file, owner: node }, def.init, depth + 1)
    }

    /// The type of `base.name`.
    pub fn member_type(&self, base: Ty<'a>, name: NameId, text: &str, depth: u32) -> Ty<'a> {
        // A type that is written out where it is used: `{ status: Status }`.
        if let Ty::Text { file, owner, text: whole, env } = base
            && let Some(inner) = types::property(whole, text)
        {
            return self.fill(Ty::Text { file, owner, text: inner, env });
        }
        match self.settle_receiver(base) {
            receiver @ (Ty::Instance(ty) | Ty::Type(ty)) => match self.member_on(base, receiver, name, Want::Any) {
                Some(found) => self.reached_type(self.value_of(found.node, depth + 1), found.node, found.ty, found.on),
                None if self.is_open(ty) => Ty::External,
                None if types::unwraps(text) => base,
                None => Ty::Unknown,
            },
            Ty::Module(module) => match self.scopes.lookup(module, name, self.want_in(module), true, 0) {
                Entity::Node(node) => self.value_of(node, depth + 1),
                Entity::Module(module) => Ty::Module(module),
                Entity::External => Ty::External,
                Entity::None => self.submodule(module, text),
            },
            Ty::External => Ty::External,
            _ => Ty::Unknown,
        }
    }

    fn submodule(&self, module: Module, text: &str) -> Ty<'a> {
        let table = &self.scopes.table;
        if let Module::Package(package) = module {
            let packages = &self.scopes.modules.packages;
            let found = self.scopes.modules.ocaml.in_package(table, packages, package, text);
            return found.map_or(Ty::Unknown, Ty::Module);
        }
        let Module::Node(node) = module else { return Ty::Unknown };
        let file = table.file_of(node);
        if table.family(file) != Some(Family::Python) {
            return Ty::Unknown;
        }
        self.scopes.modules.python_submodule(table, file, text).map_or(Ty::Unknown, Ty::Module)
    }
}
