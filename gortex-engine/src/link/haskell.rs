//! Haskell's name rules: a module's own names, then what its imports bring in, re-exports followed.
//!
//! Knows no types, so a class method is bound to its class; its instances follow over the override edges.

use super::infer::{Infer, Place};
use super::modules::Module;
use super::scope::{Entity, Scopes, Want};
use super::table::NameId;
use crate::facts::model::{ExprKind, ImportRow, NONE, RefRow, import_flag};
use crate::lang::Family;

/// Re-exports followed.
const DEPTH: u32 = 6;

impl Scopes<'_> {
    /// What a name means in a module, seen from inside.
    pub fn haskell_name(&self, file: usize, name: NameId, text: &str, ty: bool, depth: u32) -> Entity {
        if let Some(own) = self.modules.haskell.own(&self.table, file, name, ty, false) {
            return Entity::Node(own);
        }
        let found = self.haskell_imported(file, None, name, text, ty, depth);
        // The Prelude is imported without a word.
        if found == Entity::None { Entity::External } else { found }
    }

    /// What the imports of a file give for a name; `only` keeps those of one module text.
    fn haskell_imported(&self, file: usize, only: Option<&str>, name: NameId, text: &str, ty: bool, depth: u32) -> Entity {
        if depth > DEPTH || name == NONE {
            return Entity::None;
        }
        let table = &self.table;
        let view = &table.views[file];
        let of = |row: &&ImportRow| only.is_none_or(|only| view.str(row.module) == only);
        for row in view.imports.iter().filter(of) {
            let brings = if row.flags & import_flag::WILDCARD != 0 {
                !view.str(row.name).split(',').any(|hidden| hidden == text)
            } else if row.flags & import_flag::STATIC != 0 {
                true
            } else {
                row.flags & import_flag::MODULE == 0 && view.str(row.alias) == text
            };
            if !brings {
                continue;
            }
            let Module::Node(node) = self.modules.resolve(table, file, view.str(row.module), row.flags) else { continue };
            let target = table.file_of(node);
            let Entity::Node(found) = self.haskell_export(target, name, text, ty, depth + 1) else { continue };
            // `Tree (..)` brings the parts of that type alone.
            let part = row.flags & import_flag::STATIC != 0;
            let parent = || table.parents.get(found as usize).and_then(|parent| table.def(*parent).map(|def| (*parent, def)));
            if part && parent().is_none_or(|(at, def)| table.str(table.file_of(at), def.name) != view.str(row.name)) {
                continue;
            }
            return Entity::Node(found);
        }
        Entity::None
    }

    /// What a module offers under a name: its own, or what it hands on.
    pub fn haskell_export(&self, file: usize, name: NameId, text: &str, ty: bool, depth: u32) -> Entity {
        if let Some(own) = self.modules.haskell.own(&self.table, file, name, ty, true) {
            return Entity::Node(own);
        }
        let view = &self.table.views[file];
        for row in view.exports {
            let exported = view.str(row.exported);
            let found = match exported.strip_prefix("module ") {
                Some(module) => {
                    let alias = view.imports.iter().find(|import| view.str(import.alias) == module);
                    let module = alias.map_or(module, |import| view.str(import.module));
                    self.haskell_imported(file, Some(module), name, text, ty, depth + 1)
                }
                None if exported == text => self.haskell_imported(file, None, name, text, ty, depth + 1),
                None => continue,
            };
            if found != Entity::None {
                return found;
            }
        }
        // `T (..)` of an imported type hands its parts on.
        let of_types = !ty && view.exports.iter().any(|row| view.str(row.exported).starts_with(char::is_uppercase));
        let found = if of_types { self.haskell_imported(file, None, name, text, ty, depth + 1) } else { Entity::None };
        if let Entity::Node(found) = found
            && let Some(parent) = self.table.def(self.table.parents[found as usize])
        {
            let of = self.table.str(self.table.file_of(found), parent.name);
            if view.exports.iter().any(|row| view.str(row.exported) == of) {
                return Entity::Node(found);
            }
        }
        Entity::None
    }

    /// `M.name`: what the modules that are known as `M` offer.
    pub fn haskell_qualified(&self, file: usize, module: &str, name: NameId, text: &str, ty: bool) -> Entity {
        let table = &self.table;
        let view = &table.views[file];
        let mut found = Entity::None;
        for row in view.imports.iter().filter(|row| row.flags & import_flag::MODULE != 0 && view.str(row.alias) == module) {
            match self.modules.resolve(table, file, view.str(row.module), row.flags) {
                Module::Node(node) if name != NONE => {
                    let offered = self.haskell_export(table.file_of(node), name, text, ty, 0);
                    if matches!(offered, Entity::Node(_)) {
                        return offered;
                    }
                }
                Module::External => found = Entity::External,
                _ => {}
            }
        }
        found
    }
}

impl Infer<'_, '_> {
    /// Whether a file is written in Haskell.
    pub fn is_haskell(&self, file: usize) -> bool {
        self.scopes.table.family(file) == Some(Family::Haskell)
    }

    /// The type that a maybe qualified name means at a place.
    pub fn haskell_type(&self, place: Place, text: &str) -> Entity {
        let table = &self.scopes.table;
        match text.rsplit_once('.') {
            Some((module, last)) => self.scopes.haskell_qualified(place.file, module, table.name(last), last, true),
            None => self.scopes.haskell_name(place.file, table.name(text), text, true, 0),
        }
    }

    /// What a mention means; `None` for locals.
    pub fn haskell_mention(&self, file: usize, row: &RefRow, name: NameId, want: Want) -> Option<Entity> {
        let table = &self.scopes.table;
        let view = &table.views[file];
        let text = view.str(row.name);
        let ty = want == Want::Type && row.role() != crate::facts::model::Role::Instantiate;
        match view.expr(row.recv) {
            None => Some(self.scopes.haskell_name(file, name, text, ty, 0)),
            Some(recv) if recv.kind() == ExprKind::Name => {
                Some(self.scopes.haskell_qualified(file, view.str(recv.name), name, text, ty))
            }
            Some(_) => None,
        }
    }
}
