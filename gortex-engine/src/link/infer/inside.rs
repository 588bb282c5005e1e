//! What is inside a value: the content of a wrapper, the element of a list, tuple or map.
//!
//! Knows the arguments of written types, not what they name.

use super::{Env, Infer, Place, Ty};
use crate::facts::model::Kind;
use crate::link::scope::Entity;
use crate::link::types::{self, TypeText};

impl<'a> Infer<'_, 'a> {
    fn text_shape(ty: Ty<'a>) -> Option<(impl Fn(&'a str) -> Ty<'a>, TypeText<'a>)> {
        let Ty::Text { file, owner, text, env } = ty else { return None };
        Some((move |text| Ty::Text { file, owner, text, env }, types::parse(text)?))
    }

    /// The inside of a carrier; a value that is none stays as it is.
    pub(in crate::link) fn unwrap(&self, ty: Ty<'a>) -> Ty<'a> {
        match Self::text_shape(ty) {
            Some((part, parsed)) if types::is_carrier(parsed.head) || parsed.tuple => match parsed.args.first() {
                Some(inner) => self.fill(part(inner)),
                None => ty,
            },
            _ => ty,
        }
    }

    /// The text behind a named collection type: `type Errors []*Error` is iterated as what it is.
    pub(in crate::link) fn spelled_out(&self, ty: Ty<'a>) -> Ty<'a> {
        let table = &self.scopes.table;
        let mut ty = ty;
        for _ in 0..4 {
            let node = match ty {
                Ty::Instance(node) => node,
                Ty::Text { file, owner, text, .. } => match self.type_node(Place { file, owner }, text) {
                    Entity::Node(node) => node,
                    _ => return ty,
                },
                _ => return ty,
            };
            let Some(def) = table.def(node).filter(|def| def.kind() == Kind::TypeAlias && !def.ty.is_empty()) else { return ty };
            let file = table.file_of(node);
            let owner = self.around(file, node).owner;
            ty = Ty::Text { file, owner, text: table.str(file, def.ty), env: Env::default() };
        }
        ty
    }

    /// An element: of a tuple by position, of a list, of a map.
    pub(in crate::link) fn element(&self, ty: Ty<'a>, slot: u8, index: bool) -> Ty<'a> {
        let ty = self.spelled_out(ty);
        let Some((part, parsed)) = Self::text_shape(ty) else {
            return if ty == Ty::External { Ty::External } else { Ty::Unknown };
        };
        if types::is_transparent(parsed.head)
            && let Some(inner) = parsed.args.first()
        {
            return self.element(self.fill(part(inner)), slot, index);
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
        chosen.map_or(Ty::Unknown, |text| self.fill(part(text)))
    }
}
