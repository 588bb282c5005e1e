//! Members of types: their own, those of their supertypes, and what stands behind an alias.
//!
//! Knows definitions and the hierarchy, not expressions.

use super::{DEPTH, Env, Infer, Place, Ty};
use crate::facts::model::{Kind, NONE};
use crate::graph::NodeId;
use crate::lang::Family;
use crate::link::scope::{Entity, Want};
use crate::link::table::NameId;

impl Infer<'_, '_> {
    /// The innermost type around a node, or at it.
    pub fn enclosing_type(&self, node: NodeId) -> Option<NodeId> {
        let table = &self.scopes.table;
        std::iter::once(node).chain(table.ancestors(node)).find(|at| table.is_type(*at) || self.is_function_class(*at))
    }

    /// Whether a function has members of its own, as classes were written before there were classes.
    pub(in crate::link) fn is_function_class(&self, node: NodeId) -> bool {
        let table = &self.scopes.table;
        let script = table.family(table.file_of(node)) == Some(Family::Script);
        script && table.kind(node).is_callable() && table.all_members(node).iter().any(|member| self.is_outside_member(*member))
    }

    pub(in crate::link) fn is_outside_member(&self, member: NodeId) -> bool {
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
            let given = self.hierarchy.blanket.get(&at).into_iter().flatten().copied();
            let whole = self.enum_of(at);
            for next in twins.chain(openings).chain(above).chain(given).chain(whole).chain(self.alias_target(at)) {
                if !seen.contains(&next) && seen.len() < 256 {
                    seen.push(next);
                    pending.push_back(next);
                }
            }
        }
        None
    }

    /// The enum of a variant.
    fn enum_of(&self, node: NodeId) -> Option<NodeId> {
        let table = &self.scopes.table;
        let is_variant = table.kind(node) == Kind::EnumMember;
        is_variant.then(|| table.parents.get(node as usize).copied()).flatten().filter(|node| table.is_type(*node))
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
    pub(in crate::link) fn around(&self, file: usize, node: NodeId) -> Place {
        let parents = &self.scopes.table.parents;
        Place { file, owner: parents.get(node as usize).copied().filter(|parent| *parent != NONE).unwrap_or(node) }
    }

    pub(in crate::link) fn alias_target(&self, ty: NodeId) -> Option<NodeId> {
        let table = &self.scopes.table;
        let def = table.def(ty)?;
        if def.kind() != Kind::TypeAlias || def.ty.is_empty() {
            return None;
        }
        let file = table.file_of(ty);
        match self.resolve_text(self.around(file, ty), table.str(file, def.ty), Env::default(), DEPTH - 2) {
            Ty::Instance(node) if node != ty => Some(node),
            _ => None,
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
}
