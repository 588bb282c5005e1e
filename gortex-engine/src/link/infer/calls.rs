//! What calls give: the declared results of callables, and what library methods hand on.
//!
//! Knows callees and their results, not the mentions that call them.

use super::generics::Reached;
use super::{DEPTH, Env, Infer, Place, Ty};
use crate::facts::model::{ExprKind, Kind, NONE, flag};
use crate::graph::NodeId;
use crate::lang::Family;
use crate::link::scope::Want;
use crate::link::types;

impl<'a> Infer<'_, 'a> {
    pub(in crate::link) fn call_type(&self, place: Place, callee: u32, depth: u32) -> Ty<'a> {
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
            if let Some(reached) = self.member_on(base, receiver, name, Want::Call) {
                let (found, ty) = (reached.node, reached.ty);
                return match self.scopes.table.kind(found) {
                    kind if kind.is_type() => Ty::Instance(found),
                    kind if kind.is_callable() => self.result_on(reached, depth),
                    Kind::EnumMember => Ty::Instance(ty),
                    _ => self.called(self.reached_type(self.value_of(found, depth + 1), found, ty, reached.on), depth),
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
                return self.unwrap(base);
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
    pub(in crate::link) fn called(&self, callee: Ty<'a>, depth: u32) -> Ty<'a> {
        match self.settle(callee) {
            Ty::Func(node) => self.result_of(node, None, depth),
            Ty::Type(node) => Ty::Instance(node),
            Ty::External => Ty::External,
            _ => Ty::Unknown,
        }
    }

    /// What calling a member gives, with the arguments of the value that it was reached on.
    fn result_on(&self, reached: Reached<'a>, depth: u32) -> Ty<'a> {
        let Reached { node, ty, on, .. } = reached;
        match self.result_of(node, Some(ty), depth) {
            // The same type again, with the same arguments.
            Ty::Instance(same) if same == ty && matches!(on, Ty::Text { .. }) && self.settle(on) == Ty::Instance(ty) => on,
            found => self.reached_type(found, node, ty, on),
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
        Ty::Text { file, owner: node, text, env: Env::default() }
    }
}
