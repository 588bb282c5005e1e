//! Type parameters: what bounds them, and what the arguments of a receiver say they are.
//!
//! A parameter whose receiver's written type has arguments stands for the argument of its position; any other is what its
//! bounds say. Knows rows of parameters and written arguments; it derives nothing from the arguments of calls.

use std::cell::RefCell;

use super::{DEPTH, Infer, Place, Ty};
use crate::facts::model::{GenericRow, Kind, NONE};
use crate::graph::NodeId;
use crate::lang::Family;
use crate::link::scope::{Entity, Want};
use crate::link::table::{NameId, Table};
use crate::link::types;

/// What fills the type parameters of a text: nothing, or the arguments of the receiver that a member was reached on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Env(u32);

/// The receiver behind an [`Env`]: its written type, and where that is written.
#[derive(Clone, Copy, Debug)]
struct Filling<'a> {
    place: Place,
    text: &'a str,
    env: Env,
}

/// The receivers met while one file is linked.
#[derive(Debug, Default)]
pub(crate) struct Fillings<'a>(RefCell<Vec<Filling<'a>>>);

impl<'a> Fillings<'a> {
    fn add(&self, filling: Filling<'a>) -> Env {
        let mut all = self.0.borrow_mut();
        all.push(filling);
        Env(all.len() as u32)
    }

    fn get(&self, env: Env) -> Option<Filling<'a>> {
        let at = env.0.checked_sub(1)?;
        self.0.borrow().get(at as usize).copied()
    }
}

/// A member that was found on a receiver, with the type it was found on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reached<'a> {
    pub node: NodeId,
    /// The type asked, and the value as it was written.
    pub ty: NodeId,
    pub on: Ty<'a>,
    /// Found on a supertype, a bound or behind a dereference.
    pub inherited: bool,
}

/// The rows of a type parameter around a byte of a file.
fn parameter_rows<'a>(table: &Table<'a>, file: usize, at: u32, name: &str) -> impl Iterator<Item = &'a GenericRow> {
    let view = &table.views[file];
    let rows = view.generics;
    let from = rows.partition_point(|row| view.str(row.name) < name);
    let same = rows[from..].len().min(rows[from..].partition_point(|row| view.str(row.name) == name));
    rows[from..from + same].iter().filter(move |row| row.start <= at && at < row.end)
}

/// The texts that bound a type parameter there, markers of the language left out.
pub(crate) fn bounds<'a>(table: &Table<'a>, file: usize, at: u32, name: &str) -> impl Iterator<Item = &'a str> {
    let view = table.views[file];
    parameter_rows(table, file, at, name)
        .flat_map(move |row| types::split_bounds(view.str(row.bound)))
        .filter(|bound| !bound.starts_with(['?', '\'']))
}

impl<'a> Infer<'_, 'a> {
    /// The byte at which a definition stands: its parameters are those around.
    fn position(&self, place: Place) -> Option<u32> {
        let table = &self.scopes.table;
        if table.views[place.file].generics.is_empty() {
            return None;
        }
        let index = place.owner.checked_sub(table.files[place.file].base + 1)?;
        table.views[place.file].defs.get(index as usize).map(|def| def.name_at)
    }

    /// Whether a text is nothing but the name of a type parameter known at a place.
    fn parameter(&self, place: Place, text: &'a str) -> Option<&'a str> {
        let at = self.position(place)?;
        let name = types::bare(text)?;
        parameter_rows(&self.scopes.table, place.file, at, name).next().map(|_| name)
    }

    /// A type parameter as what a receiver's arguments say it is; anything else as it was.
    pub(in crate::link) fn fill(&self, ty: Ty<'a>) -> Ty<'a> {
        let mut ty = ty;
        for _ in 0..4 {
            match self.filled(ty) {
                Some(found) => ty = found,
                None => break,
            }
        }
        ty
    }

    fn filled(&self, ty: Ty<'a>) -> Option<Ty<'a>> {
        let Ty::Text { file, owner, text, env } = ty else { return None };
        let filling = self.fillings.get(env)?;
        let at = self.position(Place { file, owner })?;
        let name = types::bare(text)?;
        let mut rows = parameter_rows(&self.scopes.table, file, at, name);
        let slot = rows.find(|row| row.slot != NONE)?.slot;
        let parsed = types::parse(filling.text)?;
        let mut args = parsed.args.into_iter().filter(|arg| !arg.starts_with('\''));
        let text = args.nth(slot as usize).filter(|arg| *arg != "_")?;
        Some(Ty::Text { file: filling.place.file, owner: filling.place.owner, text, env: filling.env })
    }

    /// What a member's written type is filled with where it was reached on a value of `ty`, written as `on`.
    fn env_of(&self, on: Ty<'a>, ty: NodeId, member: NodeId) -> Env {
        let table = &self.scopes.table;
        let none = Env::default();
        let home = table.file_of(member);
        if table.views[home].generics.is_empty() || table.parents.get(member as usize) != Some(&ty) {
            return none;
        }
        let mut on = on;
        for _ in 0..4 {
            let Ty::Text { file, owner, text, env } = self.fill(on) else { return none };
            if !text.contains(['<', '[']) {
                return none;
            }
            let Some(parsed) = types::parse(text) else { return none };
            let place = Place { file, owner };
            match self.type_node(place, parsed.head) {
                Entity::Node(node) if node == ty => return self.fillings.add(Filling { place, text, env }),
                Entity::Node(_) => return none,
                _ => match parsed.args.first() {
                    Some(inner) if types::is_transparent(parsed.head) => on = Ty::Text { file, owner, text: inner, env },
                    _ => return none,
                },
            }
        }
        none
    }

    /// The declared type of a member, with the arguments of the value it was reached on.
    pub(in crate::link) fn reached_type(&self, found: Ty<'a>, member: NodeId, ty: NodeId, on: Ty<'a>) -> Ty<'a> {
        match found {
            Ty::Text { file, owner, text, env } if env == Env::default() => {
                self.fill(Ty::Text { file, owner, text, env: self.env_of(on, ty, member) })
            }
            found => found,
        }
    }

    /// A type parameter by its bounds: the first of ours. One without is some type of elsewhere.
    pub(super) fn bounded(&self, place: Place, text: &'a str, env: Env, depth: u32) -> Option<Ty<'a>> {
        let name = self.parameter(place, text)?;
        let filled = self.fill(Ty::Text { file: place.file, owner: place.owner, text, env });
        if let Ty::Text { file, owner, text: other, env } = filled
            && (other, file, owner) != (text, place.file, place.owner)
        {
            return Some(self.resolve_text(Place { file, owner }, other, env, depth + 1));
        }
        let ours = self.bound_types(place, name, depth).next();
        Some(ours.map_or(Ty::External, Ty::Instance))
    }

    /// The types of ours that bound a parameter.
    fn bound_types(&self, place: Place, name: &str, depth: u32) -> impl Iterator<Item = NodeId> {
        let at = self.position(place).unwrap_or(NONE);
        bounds(&self.scopes.table, place.file, at, name).filter_map(move |bound| {
            // A bound that is the parameter itself says nothing.
            match self.resolve_text(place, bound, Env::default(), depth + 4) {
                Ty::Instance(node) => Some(node),
                _ => None,
            }
        })
    }

    /// `T::Item` of a parameter, `<T as Trait>::Item`: what a bound sets it to, or what the trait says of it.
    pub(super) fn projected(&self, place: Place, text: &'a str, env: Env, depth: u32) -> Option<Ty<'a>> {
        let table = &self.scopes.table;
        if table.family(place.file) != Some(Family::Rust) || depth > DEPTH {
            return None;
        }
        let (of, name) = types::projection(text)?;
        if of == "Self" {
            return self.own_projection(place, name, env);
        }
        let parameter = self.parameter(place, of)?;
        let at = self.position(place)?;
        let filled = self.fill(Ty::Text { file: place.file, owner: place.owner, text: of, env });
        if let Ty::Text { file, owner, text: other, .. } = filled
            && other != of
            && let Ty::Instance(ty) = self.resolve_text(Place { file, owner }, other, Env::default(), depth + 1)
        {
            return self.alias_text(ty, name);
        }
        let set = bounds(table, place.file, at, parameter).find_map(|bound| types::binding(bound, name));
        if let Some(text) = set {
            return Some(Ty::Text { file: place.file, owner: place.owner, text, env });
        }
        let named = table.name(name);
        let declared = self.bound_types(place, parameter, depth).find_map(|ty| self.member(ty, named, Want::Type));
        let (alias, _) = declared?;
        let file = table.file_of(alias);
        let (_, bound) = table.str(file, table.def(alias)?.signature).split_once(':')?;
        let text = types::split_bounds(bound).find(|bound| !bound.starts_with(['?', '\'']))?;
        Some(Ty::Text { file, owner: alias, text, env: Env::default() })
    }

    /// `Self::Target`: what the `impl` around says, the nearest one where several do.
    fn own_projection(&self, place: Place, name: &str, env: Env) -> Option<Ty<'a>> {
        let table = &self.scopes.table;
        let ty = self.enclosing_type(place.owner)?;
        let at = self.position(place).or_else(|| table.def(place.owner).map(|def| def.name_at))?;
        let same = table.members(ty, table.name(name)).iter().copied().filter(|node| table.kind(*node) == Kind::TypeAlias);
        let here = same.filter(|node| table.file_of(*node) == place.file);
        let nearest = here.min_by_key(|node| table.def(*node).map_or(u32::MAX, |def| def.name_at.abs_diff(at)))?;
        let def = table.def(nearest).filter(|def| !def.ty.is_empty())?;
        Some(self.fill(Ty::Text { file: place.file, owner: nearest, text: table.str(place.file, def.ty), env }))
    }

    /// What an associated type of a type is set to.
    fn alias_text(&self, ty: NodeId, name: &str) -> Option<Ty<'a>> {
        let table = &self.scopes.table;
        let (alias, _) = self.member(ty, table.name(name), Want::Type)?;
        let def = table.def(alias).filter(|def| !def.ty.is_empty())?;
        let file = table.file_of(alias);
        Some(Ty::Text { file, owner: alias, text: table.str(file, def.ty), env: Env::default() })
    }

    /// The member of a value: of its type, of another bound of its type parameter, or of what it dereferences to.
    pub(in crate::link) fn member_on(&self, on: Ty<'a>, receiver: Ty<'a>, name: NameId, want: Want) -> Option<Reached<'a>> {
        if name == NONE {
            return None;
        }
        let (Ty::Instance(ty) | Ty::Type(ty)) = receiver else { return None };
        if let Some((node, inherited)) = self.member(ty, name, want) {
            return Some(Reached { node, ty, on, inherited });
        }
        let table = &self.scopes.table;
        if let Ty::Text { file, owner, text, .. } = on
            && let place = (Place { file, owner })
            && let Some(parameter) = self.parameter(place, text)
        {
            for ty in self.bound_types(place, parameter, 0).skip(1) {
                if let Some((node, _)) = self.member(ty, name, want) {
                    return Some(Reached { node, ty, on, inherited: true });
                }
            }
        }
        if table.family(table.file_of(ty)) != Some(Family::Rust) {
            return None;
        }
        self.behind(on, ty, name, want)
    }

    /// Rust: the member of what a type's `deref` hands out.
    fn behind(&self, on: Ty<'a>, ty: NodeId, name: NameId, want: Want) -> Option<Reached<'a>> {
        let table = &self.scopes.table;
        let deref = table.name("deref");
        let (mut on, mut ty) = (on, ty);
        for _ in 0..3 {
            let method = table.members(ty, deref).first().copied().filter(|_| deref != NONE)?;
            on = self.reached_type(self.result_of(method, None, DEPTH / 2), method, ty, on);
            ty = match self.settle(on) {
                Ty::Instance(next) if next != ty => next,
                _ => return None,
            };
            if let Some((node, _)) = self.member(ty, name, want) {
                return Some(Reached { node, ty, on, inherited: true });
            }
        }
        None
    }
}
