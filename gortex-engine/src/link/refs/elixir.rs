//! Mentions in Elixir: functions by arity, modules, attributes.
//!
//! Knows that language's own rules alone.

use super::{Bound, FileLinker, is_calling};
use crate::facts::model::{BARE, ExprKind, Kind, NONE, RefRow, Role};
use crate::graph::Unbound;
use crate::link::elixir;
use crate::link::infer::{Place, Ty};
use crate::link::scope::Entity;
use crate::link::table::NameId;

impl FileLinker<'_, '_, '_> {
    /// What Elixir's own rules say of a mention; `None` for locals and fields of structs.
    pub(in crate::link) fn bind_elixir(&self, place: Place, row: &RefRow, name: NameId) -> Option<Bound> {
        let (infer, table) = (self.infer, &self.infer.scopes.table);
        let text = table.str(self.file, row.name);
        let role = row.role();
        let loose = |reason| if is_calling(role) { Bound::Loose(reason) } else { Bound::Nothing };
        let view = &table.views[self.file];
        let Some(recv) = view.expr(row.recv) else {
            if text.starts_with(char::is_uppercase) || text.starts_with("__MODULE__") {
                return Some(match infer.elixir_module(place, text) {
                    Entity::Node(node) => Bound::exact(node),
                    Entity::External => loose(Unbound::External),
                    _ => loose(Unbound::NoDefinition),
                });
            }
            let member = match (text.starts_with('@'), role) {
                (true, _) => infer.elixir_member(place, name, Kind::Constant),
                (_, Role::Type) => infer.elixir_member(place, name, Kind::TypeAlias),
                _ => infer.elixir_bare(place, name, row.args()),
            };
            return Some(match member {
                Some(node) => Bound::exact(node),
                None if elixir::is_builtin(text) => loose(Unbound::Builtin),
                None => loose(Unbound::NoDefinition),
            });
        };
        if matches!(recv.kind(), ExprKind::LocalBind | ExprKind::LocalDef) && recv.slot == BARE {
            // A word with arguments is a call even where a variable has the same name.
            let calls = recv.kind() == ExprKind::LocalBind && is_calling(role);
            return calls.then(|| infer.elixir_bare(place, name, row.args()).map_or(loose(Unbound::NoDefinition), Bound::exact));
        }
        let Ty::Type(module) = infer.settle(infer.ty(place, row.recv, 0)) else { return None };
        let own = infer.enclosing_type(place.owner) == Some(module);
        let found = match role {
            Role::Type => table.members(module, name).first().copied().filter(|_| name != NONE),
            _ => infer.elixir_function(module, name, row.args(), own),
        };
        Some(match found {
            Some(node) => Bound::exact(node),
            None if text == "__using__" => Bound::Nothing,
            None => loose(Unbound::NoMember),
        })
    }
}
