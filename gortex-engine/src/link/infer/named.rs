//! Type texts to definitions: what a written type names at a place, and what a declared type comes to.
//!
//! Knows spellings and scopes, not expressions.

use super::builtin::is_builtin;
use super::{DEPTH, Env, Infer, Place, Ty};
use crate::facts::model::{Kind, NONE};
use crate::graph::NodeId;
use crate::lang::Family;
use crate::link::modules::Module;
use crate::link::modules::ocaml::Spot;
use crate::link::scope::{Entity, Want};
use crate::link::table::NameId;
use crate::link::types;

impl<'a> Infer<'_, 'a> {
    /// The type that a type text names at a place.
    pub fn type_node(&self, place: Place, text: &str) -> Entity {
        let Some(parsed) = types::parse(text) else { return Entity::None };
        self.head(place, parsed.head)
    }

    pub(in crate::link) fn head(&self, place: Place, head: &str) -> Entity {
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
    pub(in crate::link) fn free_type(&self, place: Place, name: NameId, text: &str) -> Entity {
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
    pub(in crate::link) fn resolve_text(&self, place: Place, text: &'a str, env: Env, depth: u32) -> Ty<'a> {
        if depth > DEPTH {
            return Ty::Unknown;
        }
        if let Some(known) = self.bounded(place, text, env, depth) {
            return known;
        }
        let Some(parsed) = types::parse(text) else { return Ty::Unknown };
        match self.head(place, parsed.head) {
            // An associated type is what an `impl` or a bound sets it to.
            Entity::Node(_) | Entity::None
                if parsed.head.contains("::")
                    && self.scopes.table.family(place.file) == Some(Family::Rust)
                    && let Some(found) = self.projected(place, text, env, depth) =>
            {
                match found {
                    Ty::Text { file, owner, text, env } => self.resolve_text(Place { file, owner }, text, env, depth + 1),
                    found => found,
                }
            }
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
                    return self.resolve_text(place, inner, env, depth + 1);
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
    pub(in crate::link) fn zig_type(&self, named: Entity, depth: u32) -> Ty<'a> {
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

    pub(in crate::link) fn alias_of_text(&self, node: NodeId, depth: u32) -> Option<Ty<'a>> {
        let table = &self.scopes.table;
        let def = table.def(node)?;
        if def.kind() != Kind::TypeAlias || def.ty.is_empty() || !table.all_members(node).is_empty() {
            return None;
        }
        let file = table.file_of(node);
        match self.resolve_text(self.around(file, node), table.str(file, def.ty), Env::default(), depth + 1) {
            found @ Ty::Instance(_) => Some(found),
            _ => None,
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
}
