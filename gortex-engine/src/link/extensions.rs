//! Functions written for a type from outside it, and what languages that share a machine see of each other.
//!
//! A function for a type of ours is a member of that type already; here are those for library types and for type parameters,
//! which must be visible where they are used and fit the receiver as far as its type is known. Between Java and Kotlin a
//! property is `getName()` on one side and `name` on the other, and a file of functions is a class.
//!
//! Knows declared types and imports; it never guesses by name alone.

use super::infer::{Infer, Place, Ty};
use super::modules::Module;
use super::scope::Entity;
use super::table::NameId;
use super::types;
use crate::facts::model::{DefRow, ExprKind, ExprRow, Kind, NONE, import_flag};
use crate::graph::NodeId;
use crate::lang::Family;

/// How well an extension fits its receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fit {
    /// The receiver's type is not known; the function is imported by its name.
    Imported,
    /// For values of any type, or for a library type that may be above the receiver's.
    Wide,
    /// For this very type or one that it extends.
    Exact,
}

impl<'a> Infer<'_, 'a> {
    /// The function of this name for a receiver's type, if one is visible at a place and alone in fitting best.
    pub fn extension(&self, place: Place, name: NameId, recv: u32, receiver: Ty<'a>) -> Option<(NodeId, Fit)> {
        let table = &self.scopes.table;
        if !matches!(table.family(place.file), Some(Family::Jvm | Family::CSharp)) || name == NONE {
            return None;
        }
        let name = self.unaliased(place.file, name);
        let candidates = self.scopes.modules.twins.extensions(name);
        if candidates.is_empty() {
            return None;
        }
        let mut best: Option<(NodeId, Fit)> = None;
        for node in candidates.iter().copied() {
            let Some(seen) = self.sees(place, node, name) else { continue };
            let Some(fit) = self.fits(place, node, recv, receiver, seen) else { continue };
            match best {
                Some((other, known)) if fit == known && !self.overload_of(other, node) && fit < Fit::Exact => return None,
                Some((_, known)) if fit <= known => {}
                _ => best = Some((node, fit)),
            }
        }
        best
    }

    /// The name that an import renamed.
    fn unaliased(&self, file: usize, name: NameId) -> NameId {
        let table = &self.scopes.table;
        let renamed =
            table.views[file].imports.iter().find(|row| row.alias != row.name && table.name_of(file, row.alias) == name);
        renamed.map_or(name, |row| table.name_of(file, row.name))
    }

    /// Overloads stand beside each other and are told apart by arguments, not by receivers.
    fn overload_of(&self, a: NodeId, b: NodeId) -> bool {
        let table = &self.scopes.table;
        table.parents[a as usize] == table.parents[b as usize] || table.file_of(a) == table.file_of(b)
    }

    /// Whether an extension is visible at a place: `Some(true)` where it is imported by its name.
    fn sees(&self, place: Place, node: NodeId, name: NameId) -> Option<bool> {
        let table = &self.scopes.table;
        let home = table.namespace_of(node);
        let file = table.file_of(node);
        if table.files[file].repo != table.files[place.file].repo {
            return None;
        }
        let view = &table.views[place.file];
        let mut wholesale =
            file == place.file || super::modules::Modules::namespaces_around(table, place.owner).any(|one| one == home);
        for row in view.imports {
            let module = view.str(row.module);
            if row.flags & import_flag::WILDCARD != 0 {
                // `import Syntax._` brings in what an object holds.
                wholesale |= module == home || self.inside(node, module);
            } else if table.name_of(place.file, row.name) == name && (module == home || self.inside(node, module)) {
                return Some(true);
            }
        }
        wholesale |= self.scopes.modules.csharp.global_usings(&table.files[place.file].path).any(|used| used == home);
        wholesale.then_some(false)
    }

    /// Whether a definition stands in a type or object of this dotted name.
    fn inside(&self, node: NodeId, module: &str) -> bool {
        let table = &self.scopes.table;
        let last = module.rsplit('.').next().unwrap_or(module);
        let name = table.name(last);
        name != NONE && table.ancestors(node).any(|above| table.node_name[above as usize] == name)
    }

    fn fits(&self, place: Place, node: NodeId, recv: u32, receiver: Ty<'a>, named: bool) -> Option<Fit> {
        let table = &self.scopes.table;
        let file = table.file_of(node);
        let wanted = table.str(file, table.def(node)?.owner_type);
        let wanted_head = types::parse(wanted).map_or(wanted, |parsed| parsed.head);
        let own = match self.type_node(Place { file, owner: node }, wanted_head) {
            Entity::Node(ty) => Some(ty),
            _ => None,
        };
        match (self.settle(receiver), own) {
            (Ty::Instance(ty), Some(own)) => self.extends(ty, own).then_some(Fit::Exact),
            // A library type above a type of ours, where the function is imported by its name.
            (Ty::Instance(ty), None) if named && self.is_open(ty) => Some(Fit::Wide),
            (Ty::Instance(_), None) => is_any(wanted_head).then_some(Fit::Wide),
            (Ty::External | Ty::Unknown, None) => {
                let head = self.head_of(place, recv, receiver);
                let last = |text: &str| text.rsplit(['.', ':']).next().unwrap_or("").to_owned();
                match head {
                    Some(head) if same_type(&last(head), &last(wanted_head)) => Some(Fit::Exact),
                    Some(_) if is_any(wanted_head) => Some(Fit::Wide),
                    // The library's own hierarchy is not known: a name that was imported is meant.
                    Some(_) => named.then_some(Fit::Wide),
                    None => named.then_some(Fit::Imported),
                }
            }
            (Ty::Unknown, Some(_)) => named.then_some(Fit::Imported),
            _ => None,
        }
    }

    /// The name of a receiver's type as it is written.
    fn head_of(&self, place: Place, recv: u32, receiver: Ty<'a>) -> Option<&'a str> {
        if let Ty::Text { text, .. } = receiver {
            return types::parse(text).map(|parsed| parsed.head).filter(|head| !head.is_empty());
        }
        let view = &self.scopes.table.views[place.file];
        let row = view.expr(recv)?;
        matches!(row.kind(), ExprKind::Literal | ExprKind::New | ExprKind::Typed)
            .then(|| types::parse(view.str(row.name)).map_or("", |parsed| parsed.head))
            .filter(|head| !head.is_empty())
    }

    /// Whether a type is another or extends it.
    fn extends(&self, ty: NodeId, above: NodeId) -> bool {
        let mut pending = vec![ty];
        let mut seen = vec![ty];
        while let Some(at) = pending.pop() {
            if at == above {
                return true;
            }
            let twins = self.scopes.modules.twins.of(at).iter();
            for next in self.hierarchy.supers.get(&at).into_iter().flatten().chain(twins).copied() {
                if !seen.contains(&next) && seen.len() < 256 {
                    seen.push(next);
                    pending.push(next);
                }
            }
        }
        false
    }

    /// What a member that its receiver's own type does not have may still be, for the expression of the member.
    pub fn beside(&self, place: Place, member: u32, receiver: Ty<'a>) -> Option<(NodeId, Fit)> {
        let view = &self.scopes.table.views[place.file];
        let row = view.expr(member)?;
        let name = self.scopes.table.name_of(place.file, row.name);
        self.beside_named(place, row.base, name, view.str(row.name), receiver)
    }

    /// [`Infer::beside`] for the member `text` of the expression `recv`.
    pub fn beside_named(&self, place: Place, recv: u32, name: NameId, text: &str, receiver: Ty<'a>) -> Option<(NodeId, Fit)> {
        if !matches!(self.scopes.table.family(place.file), Some(Family::Jvm | Family::CSharp)) {
            return None;
        }
        let exact = |node| Some((node, Fit::Exact));
        match self.settle(receiver) {
            Ty::Unknown if name != NONE => {
                if let Entity::Node(node) =
                    self.dotted(place, recv).map_or(Entity::None, |head| self.qualified(place, &format!("{head}.{text}")))
                {
                    return exact(node);
                }
            }
            Ty::Instance(ty) | Ty::Type(ty) => {
                if let Some(node) = self.accessor(place, ty, text) {
                    return exact(node);
                }
            }
            Ty::Module(module) => return self.facade_member(module, name).and_then(exact),
            _ => {}
        }
        self.extension(place, name, recv, receiver)
    }

    /// The type of a member that stands beside its receiver's type.
    pub fn type_beside(&self, place: Place, member: u32, receiver: Ty<'a>, depth: u32) -> Ty<'a> {
        if let Ty::Type(ty) = receiver
            && self.scopes.table.views[place.file].expr(member).is_some_and(|row| self.is_instance_name(place.file, row))
        {
            return Ty::Instance(ty);
        }
        match self.beside(place, member, receiver) {
            Some((node, _)) if self.scopes.table.kind(node).is_callable() => self.result_of(node, None, depth),
            Some((node, _)) => self.value_of(node, depth + 1),
            None if receiver == Ty::External => Ty::External,
            None => Ty::Unknown,
        }
    }

    /// Whether an extension's result has the type of what it is called on: both are the same type parameter.
    pub fn hands_back(&self, node: NodeId) -> bool {
        let table = &self.scopes.table;
        let Some(def) = table.def(node) else { return false };
        let file = table.file_of(node);
        let (ty, signature) = (table.str(file, def.ty), table.str(file, def.signature));
        !ty.is_empty()
            && (signature.contains(&format!("(this {ty} "))
                || signature.contains(&format!(" {ty}.{}(", table.str(file, def.name))))
    }

    /// `Single.INSTANCE` is how Java sees a Kotlin object.
    fn is_instance_name(&self, file: usize, row: &ExprRow) -> bool {
        let view = &self.scopes.table.views[file];
        self.scopes.table.family(file) == Some(Family::Jvm) && view.str(row.name) == "INSTANCE"
    }

    /// The dotted name that an expression is.
    fn dotted(&self, place: Place, expr: u32) -> Option<String> {
        let view = &self.scopes.table.views[place.file];
        let mut parts = Vec::new();
        let mut at = expr;
        while parts.len() < 12 {
            let row = view.expr(at)?;
            parts.push(view.str(row.name));
            match row.kind() {
                ExprKind::Name => {
                    parts.reverse();
                    return Some(parts.join("."));
                }
                ExprKind::Member | ExprKind::Path => at = row.base,
                _ => return None,
            }
        }
        None
    }

    /// The type of a dotted name that begins with a package or namespace.
    pub fn qualified(&self, place: Place, head: &str) -> Entity {
        let scopes = self.scopes;
        let found = match scopes.table.family(place.file) {
            Some(Family::CSharp) => {
                let from = scopes.table.namespace_of(place.owner);
                scopes.modules.csharp.resolve(&scopes.table, &scopes.modules.packages, from, head)
            }
            _ => scopes.modules.resolve(&scopes.table, place.file, head, 0),
        };
        match found {
            Module::Node(node) => Entity::Node(node),
            Module::External => Entity::External,
            _ => Entity::None,
        }
    }

    // ----- Java beside Kotlin

    /// What another language of the same machine calls this member: `getName()` and `setName(..)` for a property `name`, and
    /// the reverse.
    pub fn accessor(&self, place: Place, ty: NodeId, text: &str) -> Option<NodeId> {
        let table = &self.scopes.table;
        if table.family(place.file) != Some(Family::Jvm) {
            return None;
        }
        let language = |node: NodeId| table.language(table.file_of(node));
        let here = table.language(place.file);
        let member = |name: &str| self.member(ty, table.name(name), super::scope::Want::Any).map(|(node, _)| node);
        if here == "java" {
            let bare = ["get", "set"].iter().find_map(|prefix| text.strip_prefix(prefix))?;
            let first = bare.chars().next().filter(|first| first.is_uppercase())?;
            let name = format!("{}{}", first.to_lowercase(), &bare[first.len_utf8()..]);
            return member(&name).filter(|node| table.kind(*node) == Kind::Field && language(*node) == "kotlin");
        }
        let first = text.chars().next().filter(|first| first.is_lowercase())?;
        let capital = format!("{}{}", first.to_uppercase(), &text[first.len_utf8()..]);
        let found = member(&format!("get{capital}")).or_else(|| text.starts_with("is").then(|| member(text)).flatten())?;
        (here == "kotlin" && table.kind(found) == Kind::Method && language(found) == "java").then_some(found)
    }

    /// Kotlin: a function that another file declares for the type around is only seen without a receiver where its package is, or
    /// where it is imported. Everything else is seen.
    pub fn extension_is_seen(&self, file: usize, node: NodeId, name: NameId) -> bool {
        let table = &self.scopes.table;
        let from = table.file_of(node);
        let is_extension = table.def(node).is_some_and(|def| !def.owner_type.is_empty());
        if from == file || !is_extension || table.language(file) != "kotlin" || table.package(from) == table.package(file) {
            return true;
        }
        table.views[file].imports.iter().any(|row| {
            let package = table.str(file, row.module) == table.package(from);
            table.name_of(file, row.alias) == name || row.flags & import_flag::WILDCARD != 0 && package
        })
    }

    /// The file whose functions Java sees as members of the class `text` (`IoKt` for `Io.kt`).
    pub fn facade(&self, place: Place, text: &str) -> Option<Module> {
        let table = &self.scopes.table;
        if table.language(place.file) != "java" {
            return None;
        }
        let view = &table.views[place.file];
        let imported = view.imports.iter().find(|row| view.str(row.alias) == text);
        let package = imported.map_or_else(|| view.str(view.header.package), |row| view.str(row.module));
        let modules = &self.scopes.modules;
        let package = modules.java.package(&modules.ties, table.files[place.file].repo, package)?;
        let file = modules.java.facade(table, package, text)?;
        Some(Module::Node(table.files[file as usize].base))
    }

    /// A function of a file that is seen as a class; those for other types are among them.
    pub fn facade_member(&self, module: Module, name: NameId) -> Option<NodeId> {
        let table = &self.scopes.table;
        let Module::Node(base) = module else { return None };
        let file = table.file_of(base);
        if table.files[file].base != base || table.family(file) != Some(Family::Jvm) || name == NONE {
            return None;
        }
        let mut defs = table.views[file].defs.iter().enumerate();
        let here = |(index, def): (usize, &DefRow)| {
            let node = base + 1 + index as NodeId;
            (def.parent == NONE && table.node_name[node as usize] == name).then_some(node)
        };
        defs.find_map(here)
    }
}

/// A type parameter, or the type above all others.
fn is_any(head: &str) -> bool {
    matches!(head, "Any" | "object" | "dynamic" | "AnyRef") || head.len() <= 2 && head.starts_with(char::is_uppercase)
}

fn same_type(a: &str, b: &str) -> bool {
    let plain = |text: &str| match text {
        "string" => "String".to_owned(),
        "object" => "Object".to_owned(),
        other => other.strip_prefix("Mutable").unwrap_or(other).to_owned(),
    };
    !a.is_empty() && plain(a) == plain(b)
}
