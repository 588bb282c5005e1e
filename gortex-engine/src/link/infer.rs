//! Types of receivers: from declarations, constructors, parameters, fields, results and chains of them.
//!
//! Evaluates the small expressions that facts keep in front of a name. Every step is bounded, so a cyclic initialiser or
//! type alias ends as unknown.
//!
//! Knows declared types and members; it never guesses by name.

use rustc_hash::FxHashMap;

use super::lua;
use super::modules::Module;
use super::modules::ocaml::Spot;
use super::scope::{Entity, Scopes, Want};
use super::table::NameId;
use super::types::{self, TypeText};
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
    Text { file: usize, owner: NodeId, text: &'a str },
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
    /// Modules whose methods a class or module takes as its own (Ruby's `extend`).
    pub extended: FxHashMap<NodeId, Vec<NodeId>>,
    /// Types with a supertype outside the tracked roots.
    pub open: rustc_hash::FxHashSet<NodeId>,
}

/// Evaluates expressions over resolved scopes.
#[derive(Debug)]
pub(crate) struct Infer<'s, 'a> {
    pub scopes: &'s Scopes<'a>,
    pub hierarchy: &'s Hierarchy,
}

impl<'a> Infer<'_, 'a> {
    /// The innermost type around a node, or at it.
    pub fn enclosing_type(&self, node: NodeId) -> Option<NodeId> {
        let table = &self.scopes.table;
        std::iter::once(node).chain(table.ancestors(node)).find(|at| table.is_type(*at) || self.is_function_class(*at))
    }

    /// Whether a function has members of its own, as classes were written before there were classes.
    fn is_function_class(&self, node: NodeId) -> bool {
        let table = &self.scopes.table;
        let script = table.family(table.file_of(node)) == Some(Family::Script);
        script && table.kind(node).is_callable() && table.all_members(node).iter().any(|member| self.is_outside_member(*member))
    }

    fn is_outside_member(&self, member: NodeId) -> bool {
        self.scopes.table.def(member).is_some_and(|def| !def.owner_type.is_empty())
    }

    /// The member of a type by name, its supertypes included, nearest first. The flag tells that it is inherited.
    pub fn member(&self, ty: NodeId, name: NameId, want: Want) -> Option<(NodeId, bool)> {
        let mut pending = std::collections::VecDeque::from([ty]);
        let mut seen = vec![ty];
        while let Some(at) = pending.pop_front() {
            // What is nested in a function is local to it; only what was hung onto it is a member.
            let nested = self.scopes.table.kind(at).is_callable();
            let own = self.scopes.table.members(at, name).iter().copied();
            let own = own.filter(|member| !nested || self.is_outside_member(*member));
            if let Entity::Node(found) = self.scopes.pick(own, want) {
                return Some((found, at != ty));
            }
            let above = self.hierarchy.supers.get(&at).into_iter().flatten().copied();
            let openings = self.scopes.modules.ruby.openings(&self.scopes.table, at);
            let twins = self.scopes.modules.twins.of(at).iter().copied();
            for next in twins.chain(openings).chain(above).chain(self.alias_target(at)) {
                if !seen.contains(&next) && seen.len() < 256 {
                    seen.push(next);
                    pending.push_back(next);
                }
            }
        }
        None
    }

    /// Whether a type may have members that are not in the tracked roots.
    pub fn is_open(&self, ty: NodeId) -> bool {
        let mut pending = vec![ty];
        let mut seen = vec![ty];
        while let Some(at) = pending.pop() {
            if self.hierarchy.open.contains(&at) {
                return true;
            }
            let openings = self.scopes.modules.ruby.openings(&self.scopes.table, at);
            for next in openings.chain(self.hierarchy.supers.get(&at).into_iter().flatten().copied()) {
                if !seen.contains(&next) && seen.len() < 256 {
                    seen.push(next);
                    pending.push(next);
                }
            }
        }
        false
    }

    /// Where an alias is read: outside itself, or looking up its own text would ask the alias for its members.
    fn around(&self, file: usize, node: NodeId) -> Place {
        let parents = &self.scopes.table.parents;
        Place { file, owner: parents.get(node as usize).copied().filter(|parent| *parent != NONE).unwrap_or(node) }
    }

    fn alias_target(&self, ty: NodeId) -> Option<NodeId> {
        let table = &self.scopes.table;
        let def = table.def(ty)?;
        if def.kind() != Kind::TypeAlias || def.ty.is_empty() {
            return None;
        }
        let file = table.file_of(ty);
        match self.resolve_text(self.around(file, ty), table.str(file, def.ty), DEPTH - 2) {
            Ty::Instance(node) if node != ty => Some(node),
            _ => None,
        }
    }

    /// The type that a type text names at a place.
    pub fn type_node(&self, place: Place, text: &str) -> Entity {
        let Some(parsed) = types::parse(text) else { return Entity::None };
        self.head(place, parsed.head)
    }

    fn head(&self, place: Place, head: &str) -> Entity {
        let table = &self.scopes.table;
        if head.is_empty() {
            return Entity::None;
        }
        let zig = self.scopes.table.family(place.file) == Some(Family::Zig);
        if matches!(head, "Self" | "self" | "this" | "static") && !zig {
            return self.enclosing_type(place.owner).map_or(Entity::None, Entity::Node);
        }
        let family = table.family(place.file);
        if family == Some(Family::Php) {
            return self.scopes.php_type(place.file, place.owner, head);
        }
        if family == Some(Family::Ruby) {
            return self.ruby_constant(place, head);
        }
        if family == Some(Family::Elixir) {
            return self.elixir_type(place, head);
        }
        if family == Some(Family::Haskell) {
            return self.haskell_type(place, head);
        }
        if family == Some(Family::Rust) && head.contains("::") {
            if let Some(rest) = head.strip_prefix("Self::") {
                let Some(ty) = self.enclosing_type(place.owner) else { return Entity::None };
                return self.member(ty, table.name(rest), Want::Type).map_or(Entity::None, |(node, _)| Entity::Node(node));
            }
            let (first, rest) = head.split_once("::").unwrap_or((head, ""));
            // A path may start at an imported type or enum.
            if let Entity::Node(ty) = self.scopes.free(place.file, place.owner, table.name(first), Want::Type) {
                return self.member(ty, table.name(rest), Want::Type).map_or(Entity::None, |(node, _)| Entity::Node(node));
            }
            return self.scopes.rust_path(self.scopes.module_of(place.owner), head, 0);
        }
        if matches!(family, Some(Family::Jvm | Family::CSharp))
            && let Some((first, _)) = head.split_once(['.', ':'])
            && matches!(self.free_type(place, table.name(first), first), Entity::None)
        {
            return self.qualified(place, head);
        }
        let mut at = Entity::None;
        for (index, segment) in head.split(['.', ':']).filter(|segment| !segment.is_empty()).enumerate() {
            let name = table.name(segment);
            at = match at {
                _ if index == 0 => self.free_type(place, name, segment),
                Entity::Module(module) => match self.scopes.lookup(module, name, Want::Type, true, 0) {
                    // A module of a library is known by its file.
                    Entity::None if family == Some(Family::Ocaml) => {
                        Entity::Module(self.scopes.ocaml_inside(module, name, segment, 0))
                    }
                    found => found,
                },
                Entity::Node(node) => self.member(node, name, Want::Type).map_or(Entity::None, |(found, _)| Entity::Node(found)),
                Entity::External => return Entity::External,
                Entity::None => return Entity::None,
            };
        }
        at
    }

    /// A bare type name: nested types of the enclosing types first, then the file's scope.
    fn free_type(&self, place: Place, name: NameId, text: &str) -> Entity {
        let table = &self.scopes.table;
        if table.family(place.file) == Some(Family::Ocaml) && text.starts_with(char::is_uppercase) {
            return match self.scopes.free(place.file, place.owner, name, Want::Type) {
                Entity::Node(node) => Entity::Node(node), // a module type
                _ => Entity::Module(self.scopes.ocaml_path(Spot::new(place.file, place.owner), text, 0)),
            };
        }
        // There a constant may hold a type.
        let zig = table.family(place.file) == Some(Family::Zig);
        if name != NONE {
            for above in std::iter::once(place.owner).chain(table.ancestors(place.owner)) {
                if table.kind(above).is_type() {
                    if table.node_name[above as usize] == name {
                        return Entity::Node(above);
                    }
                    if let Some((found, _)) = self.member(above, name, Want::Type)
                        && (table.kind(found).is_type() || zig)
                    {
                        return Entity::Node(found);
                    }
                }
            }
            let found = self.scopes.free(place.file, place.owner, name, Want::Type);
            if !matches!(found, Entity::None) {
                return found;
            }
        }
        let family = table.family(place.file);
        if family == Some(Family::Rust)
            && let Some(root) = self.scopes.modules.krate(table, place.file, text)
        {
            return Entity::Module(Module::Node(root));
        }
        Entity::None
    }

    /// Looks at a declared type: a known type, or the inside of a wrapper that is used like its content.
    fn resolve_text(&self, place: Place, text: &'a str, depth: u32) -> Ty<'a> {
        if depth > DEPTH {
            return Ty::Unknown;
        }
        let Some(parsed) = types::parse(text) else { return Ty::Unknown };
        match self.head(place, parsed.head) {
            Entity::Node(node) if self.scopes.table.is_type(node) => match self.alias_of_text(node, depth) {
                Some(inner) => inner,
                None => Ty::Instance(node),
            },
            found @ (Entity::Node(_) | Entity::Module(_)) if self.scopes.table.family(place.file) == Some(Family::Zig) => {
                self.zig_type(found, depth)
            }
            Entity::Node(_) | Entity::Module(_) => Ty::Unknown,
            found => {
                if types::is_transparent(parsed.head)
                    && let Some(inner) = parsed.args.first()
                {
                    return self.resolve_text(place, inner, depth + 1);
                }
                match found {
                    Entity::External => Ty::External,
                    _ if parsed.head.is_empty() || is_builtin(parsed.head) => Ty::External,
                    _ if self.is_library_type(place.file, self.scopes.table.name(parsed.head), parsed.head) => Ty::External,
                    _ => Ty::Unknown,
                }
            }
        }
    }

    /// Zig: a type is a value like any other, under the name of a constant or as the result of a function.
    fn zig_type(&self, named: Entity, depth: u32) -> Ty<'a> {
        let held = match named {
            Entity::Module(module) => return Ty::Module(module),
            Entity::Node(node) if self.scopes.table.kind(node).is_callable() => {
                self.settle(self.result_of(node, None, depth + 1))
            }
            Entity::Node(node) => self.settle(self.value_of(node, depth + 1)),
            _ => Ty::Unknown,
        };
        match held {
            Ty::Type(ty) => Ty::Instance(ty),
            held => held,
        }
    }

    fn alias_of_text(&self, node: NodeId, depth: u32) -> Option<Ty<'a>> {
        let table = &self.scopes.table;
        let def = table.def(node)?;
        if def.kind() != Kind::TypeAlias || def.ty.is_empty() || !table.all_members(node).is_empty() {
            return None;
        }
        let file = table.file_of(node);
        match self.resolve_text(self.around(file, node), table.str(file, def.ty), depth + 1) {
            found @ Ty::Instance(_) => Some(found),
            _ => None,
        }
    }

    /// A value's type as a definition, as far as it is known.
    pub fn settle(&self, ty: Ty<'a>) -> Ty<'a> {
        match ty {
            Ty::Text { file, owner, text } => self.resolve_text(Place { file, owner }, text, 0),
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
                Entity::External => Ty::External,
                Entity::None if types::parse(text).is_some_and(|parsed| is_builtin(parsed.head)) => Ty::External,
                _ => Ty::Unknown,
            },
            ExprKind::Typed => Ty::Text { file: place.file, owner: place.owner, text },
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
            ExprKind::Unwrap => Self::unwrap(base(row.base)),
            ExprKind::Index => self.element(base(row.base), row.slot, true),
            ExprKind::Element => self.element(base(row.base), row.slot, false),
            ExprKind::Given => self.handed(place, row.base, (row.slot >> 3, row.slot & 7), depth),
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
            return Ty::Text { file: place.file, owner: place.owner, text: declared };
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

    /// Whether a name that means nothing here is a library's type: nothing anywhere is defined under it.
    pub fn is_library_type(&self, file: usize, name: NameId, text: &str) -> bool {
        let family = self.scopes.table.family(file);
        name == NONE
            && !self.scopes.modules.csharp.is_part(text)
            && text.starts_with(char::is_uppercase)
            && matches!(family, Some(Family::Jvm | Family::CSharp))
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

    /// A member of the supertypes of the type around, in their order.
    pub fn super_member(&self, owner: NodeId, name: NameId, want: Want) -> Option<NodeId> {
        let ty = self.enclosing_type(owner)?;
        let supers = self.hierarchy.supers.get(&ty)?;
        supers.iter().find_map(|above| self.member(*above, name, want)).map(|(node, _)| node)
    }

    /// A member of one of the enclosing types, innermost first.
    pub fn implicit_member(&self, owner: NodeId, name: NameId, want: Want) -> Option<(NodeId, NodeId)> {
        let table = &self.scopes.table;
        std::iter::once(owner)
            .chain(table.ancestors(owner))
            .filter(|at| table.kind(*at).is_type())
            .find_map(|ty| self.member(ty, name, want).map(|(node, _)| (node, ty)))
            // A field of a Zig struct is never meant by its bare name.
            .filter(|(node, _)| table.kind(*node) != Kind::Field || table.family(table.file_of(*node)) != Some(Family::Zig))
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
            let typed = Ty::Text { file, owner: node, text: declared };
            let ours = !declared.is_empty() && depth <= DEPTH && matches!(self.settle(typed), Ty::Instance(_));
            return if ours { typed } else { Ty::Type(node) };
        }
        if !declared.is_empty() && declared != "auto" {
            return Ty::Text { file, owner: node, text: declared };
        }
        if def.init == NONE || depth > DEPTH {
            return Ty::Unknown;
        }
        // An initialiser is read where it stands: inside the definition's own surroundings.
        self.ty(Place { file, owner: node }, def.init, depth + 1)
    }

    /// The type of `base.name`.
    pub fn member_type(&self, base: Ty<'a>, name: NameId, text: &str, depth: u32) -> Ty<'a> {
        match self.settle_receiver(base) {
            Ty::Instance(ty) | Ty::Type(ty) => match self.member(ty, name, Want::Any) {
                Some((found, _)) => self.value_of(found, depth + 1),
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

    fn call_type(&self, place: Place, callee: u32, depth: u32) -> Ty<'a> {
        let view = &self.scopes.table.views[place.file];
        let Some(row) = view.expr(callee) else { return Ty::Unknown };
        if matches!(row.kind(), ExprKind::Member | ExprKind::Path) {
            let base = self.ty(place, row.base, depth + 1);
            let text = view.str(row.name);
            let receiver = self.settle_receiver(base);
            let name = self.scopes.table.name_of(place.file, row.name);
            if view.expr(row.base).is_some_and(|base| base.kind() == ExprKind::Super)
                && let Some(found) = self.super_member(place.owner, name, Want::Call)
            {
                return self.result_of(found, self.enclosing_type(place.owner), depth);
            }
            if let Ty::Instance(ty) | Ty::Type(ty) = receiver
                && let Some((found, _)) = self.member(ty, name, Want::Call)
            {
                return match self.scopes.table.kind(found) {
                    kind if kind.is_type() => Ty::Instance(found),
                    kind if kind.is_callable() => self.result_of(found, Some(ty), depth),
                    Kind::EnumMember => Ty::Instance(ty),
                    _ => self.called(self.value_of(found, depth + 1), depth),
                };
            }
            if let (Ty::Type(ty), "new") = (receiver, text)
                && self.scopes.table.family(place.file) == Some(Family::Lua)
            {
                return Ty::Instance(ty);
            }
            if let Some((found, _)) = self.beside(place, callee, base) {
                return if self.hands_back(found) { base } else { self.result_of(found, None, depth) };
            }
            // What the wrapper's own methods hand out is what it holds.
            if types::unwraps(text) {
                return Self::unwrap(base);
            }
            if matches!(
                text,
                "iter" | "iter_mut" | "into_iter" | "values" | "values_mut" | "stream" | "filter" | "rev" | "skip" | "peekable"
            ) || types::same_elements(text)
            {
                return base;
            }
            if types::one_element(text) {
                return self.element(base, 0, false);
            }
            return self.called(self.member_type(base, name, text, depth), depth);
        }
        self.called(self.ty(place, callee, depth + 1), depth)
    }

    /// What calling a value gives.
    fn called(&self, callee: Ty<'a>, depth: u32) -> Ty<'a> {
        match self.settle(callee) {
            Ty::Func(node) => self.result_of(node, None, depth),
            Ty::Type(node) => Ty::Instance(node),
            Ty::External => Ty::External,
            _ => Ty::Unknown,
        }
    }

    pub fn result_of(&self, node: NodeId, receiver: Option<NodeId>, depth: u32) -> Ty<'a> {
        let table = &self.scopes.table;
        let Some(def) = table.def(node) else { return Ty::Unknown };
        let file = table.file_of(node);
        if def.kind() == Kind::Constructor {
            return table.parents.get(node as usize).map_or(Ty::Unknown, |parent| Ty::Instance(*parent));
        }
        let text = table.str(file, def.ty);
        if text.is_empty() && table.family(file) == Some(Family::Lua) {
            return self.returned(node, receiver, depth);
        }
        if depth > DEPTH {
            return Ty::Unknown;
        }
        if text.is_empty() {
            // Nothing declared: what it returns, read inside it. A generator gives a generator.
            let plain = def.init != NONE && def.kind().is_callable() && !def.has(flag::GENERATOR);
            return if plain { self.ty(Place { file, owner: node }, def.init, depth + 1) } else { Ty::Unknown };
        }
        if text == "type" && table.family(file) == Some(Family::Zig) {
            // A generic container: what the function returns is a struct written in it.
            let inner = table.all_members(node).iter().copied().find(|member| table.kind(*member).is_type());
            return inner.map_or(Ty::Unknown, Ty::Type);
        }
        if let (Some(receiver), Some(parsed)) = (receiver, types::parse(text))
            && matches!(parsed.head, "Self" | "this" | "static")
            && table.family(file) != Some(Family::Zig)
        {
            return Ty::Instance(receiver);
        }
        Ty::Text { file, owner: node, text }
    }

    fn text_shape(ty: Ty<'a>) -> Option<(usize, NodeId, TypeText<'a>)> {
        let Ty::Text { file, owner, text } = ty else { return None };
        Some((file, owner, types::parse(text)?))
    }

    /// The inside of a carrier; a value that is none stays as it is.
    pub(super) fn unwrap(ty: Ty<'a>) -> Ty<'a> {
        match Self::text_shape(ty) {
            Some((file, owner, parsed)) if types::is_carrier(parsed.head) || parsed.tuple => match parsed.args.first() {
                Some(inner) => Ty::Text { file, owner, text: inner },
                None => ty,
            },
            _ => ty,
        }
    }

    /// The text behind a named collection type: `type Errors []*Error` is iterated as what it is.
    fn spelled_out(&self, ty: Ty<'a>) -> Ty<'a> {
        let table = &self.scopes.table;
        let mut ty = ty;
        for _ in 0..4 {
            let node = match ty {
                Ty::Instance(node) => node,
                Ty::Text { file, owner, text } => match self.type_node(Place { file, owner }, text) {
                    Entity::Node(node) => node,
                    _ => return ty,
                },
                _ => return ty,
            };
            let Some(def) = table.def(node).filter(|def| def.kind() == Kind::TypeAlias && !def.ty.is_empty()) else { return ty };
            let file = table.file_of(node);
            ty = Ty::Text { file, owner: self.around(file, node).owner, text: table.str(file, def.ty) };
        }
        ty
    }

    /// An element: of a tuple by position, of a list, of a map.
    pub(super) fn element(&self, ty: Ty<'a>, slot: u8, index: bool) -> Ty<'a> {
        let ty = self.spelled_out(ty);
        let Some((file, owner, parsed)) = Self::text_shape(ty) else {
            return if ty == Ty::External { Ty::External } else { Ty::Unknown };
        };
        if types::is_transparent(parsed.head)
            && let Some(inner) = parsed.args.first()
        {
            return self.element(Ty::Text { file, owner, text: inner }, slot, index);
        }
        let args = &parsed.args;
        let chosen = match (index, slot) {
            (true, 0) => args.last(),
            (true, slot) if parsed.tuple => args.get(slot as usize - 1),
            (true, slot) if args.len() > 1 => args.get(slot as usize - 1),
            (true, 1) if args.is_empty() => return ty,
            (true, _) => args.last(),
            (false, 2) => args.last(),
            (false, 1) if args.len() < 2 => None,
            (false, _) => args.first(),
        };
        chosen.map_or(Ty::Unknown, |text| Ty::Text { file, owner, text })
    }
}

/// Whether a free name is that of something that comes with the language.
fn is_library_name(family: Family, text: &str) -> bool {
    match family {
        Family::Lua => lua::is_library(text) || lua::is_builtin(text),
        _ => false,
    }
}

/// Names of built-in types and modules, common to the languages we read; a receiver of such a type is never ours.
fn is_builtin(name: &str) -> bool {
    let last = name.rsplit(['.', ':']).next().unwrap_or(name);
    matches!(
        last,
        "str"
            | "string"
            | "String"
            | "int"
            | "float"
            | "bool"
            | "bytes"
            | "list"
            | "dict"
            | "set"
            | "tuple"
            | "frozenset"
            | "object"
            | "List"
            | "Dict"
            | "Set"
            | "Tuple"
            | "Iterable"
            | "Iterator"
            | "Sequence"
            | "Mapping"
            | "Any"
            | "Callable"
            | "char"
            | "double"
            | "long"
            | "short"
            | "byte"
            | "void"
            | "Integer"
            | "Long"
            | "Double"
            | "Boolean"
            | "Object"
            | "Map"
            | "Collection"
            | "ArrayList"
            | "HashMap"
            | "Array"
            | "Promise"
            | "Date"
            | "RegExp"
            | "Error"
            | "JSON"
            | "Math"
            | "console"
            | "Number"
            | "Symbol"
            | "number"
            | "boolean"
            | "error"
            | "rune"
            | "uint"
            | "i8"
            | "i16"
            | "i32"
            | "i64"
            | "i128"
            | "u8"
            | "u16"
            | "u32"
            | "u64"
            | "u128"
            | "usize"
            | "isize"
            | "f32"
            | "f64"
            | "Vec"
            | "Option"
            | "Result"
            | "HashSet"
            | "BTreeMap"
            | "BTreeSet"
            | "VecDeque"
            | "PathBuf"
            | "Path"
            | "OsString"
            | "std"
            | "vector"
            | "map"
            | "unordered_map"
            | "size_t"
            | "int32_t"
            | "uint32_t"
            | "int64_t"
            | "uint64_t"
            | "uint8_t"
            | "process"
            | "window"
            | "document"
            | "globalThis"
            | "Buffer"
            | "interface{}"
            | "any"
            | "unknown"
            | "System"
            | "Int"
            | "Short"
            | "Byte"
            | "Char"
            | "Float"
            | "Unit"
            | "UInt"
            | "ULong"
            | "UByte"
            | "Nothing"
            | "ByteArray"
            | "IntArray"
            | "CharArray"
            | "LongArray"
            | "BooleanArray"
            | "MutableList"
            | "MutableMap"
            | "MutableSet"
            | "Seq"
            | "Vector"
            | "BigInt"
            | "BigDecimal"
            | "decimal"
            | "sbyte"
            | "ushort"
            | "ulong"
            | "dynamic"
            | "comptime_int"
            | "comptime_float"
            | "anyopaque"
            | "anyerror"
    )
}
