//! Mentions in Ruby: bare words, constants, methods of receivers.
//!
//! Knows that language's own rules alone.

use super::{Bound, FileLinker, is_calling, want};
use crate::facts::model::{ExprKind, NONE, RefRow, Role};
use crate::graph::{Tier, Unbound};
use crate::link::infer::{Place, Ty};
use crate::link::ruby::is_builtin_method;
use crate::link::scope::{Entity, Want};
use crate::link::table::NameId;

impl FileLinker<'_, '_, '_> {
    pub(in crate::link) fn bind_ruby_bare(&self, place: Place, row: &RefRow, name: NameId) -> Bound {
        let text = self.infer.scopes.table.str(self.file, row.name);
        let calling = is_calling(row.role());
        let loose = |reason| if calling { Bound::Loose(reason) } else { Bound::Nothing };
        if text.starts_with(char::is_uppercase) && (row.role() != Role::Call || name == NONE) {
            return match self.infer.ruby_constant(place, text) {
                Entity::Node(node) => Bound::exact(node),
                Entity::External => loose(Unbound::External),
                _ => loose(Unbound::NoDefinition),
            };
        }
        if let Some((node, inherited, by_name)) = self.infer.ruby_bare(place, name, text) {
            let (tier, confidence) = match (by_name, inherited) {
                (true, _) => (Tier::AstInferred, 80),
                (_, true) => (Tier::AstResolved, 95),
                _ => (Tier::AstResolved, 100),
            };
            return Bound::To { node, tier, confidence, aliased: false };
        }
        let own = self.infer.ruby_self(place.owner);
        match own {
            Ty::Type(ty) if text == "new" && calling => Bound::exact(ty),
            _ if is_builtin_method(text) => loose(Unbound::Builtin),
            Ty::Type(ty) | Ty::Instance(ty) if self.infer.is_open(ty) => loose(Unbound::NoMember),
            _ => loose(Unbound::NoDefinition),
        }
    }

    pub(in crate::link) fn bind_ruby_member(&self, place: Place, row: &RefRow, name: NameId) -> Bound {
        let (infer, table) = (self.infer, &self.infer.scopes.table);
        let text = table.str(self.file, row.name);
        let role = row.role();
        let loose = |reason| match (role, reason) {
            (role, _) if is_calling(role) => Bound::Loose(reason),
            (Role::Read | Role::Write, Unbound::UnknownReceiver) if name != NONE => Bound::Loose(reason),
            _ => Bound::Nothing,
        };
        let view = &table.views[self.file];
        let kind = view.expr(row.recv).map_or(ExprKind::Unknown, |recv| recv.kind());
        if kind == ExprKind::Super {
            return match infer.ruby_super(place, name) {
                Ok(node) => Bound::To { node, tier: Tier::AstResolved, confidence: 95, aliased: false },
                Err(true) => loose(Unbound::External),
                Err(false) => loose(Unbound::NoMember),
            };
        }
        if text.starts_with(char::is_uppercase) && role != Role::Call {
            return match infer.ruby_path(place, row.recv, text) {
                Entity::Node(node) => Bound::exact(node),
                Entity::External => loose(Unbound::External),
                _ => loose(Unbound::NoDefinition),
            };
        }
        let receiver = infer.settle(infer.ty(place, row.recv, 0));
        let (Ty::Instance(ty) | Ty::Type(ty)) = receiver else {
            return match receiver {
                Ty::External => loose(Unbound::External),
                _ if is_builtin_method(text) => loose(Unbound::Builtin),
                _ => loose(Unbound::UnknownReceiver),
            };
        };
        // `a.x = 1` calls `x=` where there is one.
        let setter = if role == Role::Write { table.name(&format!("{text}=")) } else { NONE };
        let found = infer.ruby_member(receiver, setter, Want::Call).or_else(|| infer.ruby_member(receiver, name, want(role)));
        match found {
            Some((node, inherited)) => {
                Bound::To { node, tier: Tier::AstResolved, confidence: if inherited { 95 } else { 100 }, aliased: false }
            }
            None if text == "new" && matches!(receiver, Ty::Type(_)) => Bound::exact(ty),
            None if is_builtin_method(text) => loose(Unbound::Builtin),
            None if infer.is_open(ty) => loose(Unbound::External),
            // Methods of an explicit `self` in a script or block are those of whoever runs it.
            None => loose(Unbound::NoMember),
        }
    }
}
