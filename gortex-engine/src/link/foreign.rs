//! Members that extensions give to types outside the tracked roots: `extension String { func trimmed() }`.
//!
//! The type is known by its name alone, so a member is bound only where a declaration or a literal says that very name, and
//! only when one file of the repository declares it.
//!
//! Knows names of types, not the types.

use rustc_hash::FxHashMap;

use super::infer::{Place, Ty};
use super::scope::Scopes;
use super::table::{NameId, Table};
use super::types;
use crate::facts::model::{ExprKind, NONE};
use crate::graph::NodeId;
use crate::lang::Family;

/// Extension members by the name of the type they extend and their own.
pub(crate) type Foreign = FxHashMap<String, FxHashMap<NameId, Vec<NodeId>>>;

/// Collects what no type of ours took over; `moved` are the members that one did, sorted.
pub(crate) fn collect(table: &Table<'_>, moved: &[(NodeId, NodeId)]) -> Foreign {
    let mut found = Foreign::default();
    for (file, view) in table.views.iter().enumerate() {
        if !matches!(table.family(file), Some(Family::Swift | Family::Dart)) {
            continue;
        }
        for (index, _) in view.defs.iter().enumerate().filter(|(_, def)| !def.owner_type.is_empty()) {
            let node = table.files[file].base + 1 + index as u32;
            if moved.binary_search_by_key(&node, |(member, _)| *member).is_err() {
                let head = view.str(view.defs[index].owner_type);
                let members = found.entry(head.to_owned()).or_default();
                members.entry(table.node_name[node as usize]).or_default().push(node);
            }
        }
    }
    found
}

impl<'a> Scopes<'a> {
    /// The member of a name that an extension gives to the type in front of it.
    pub(crate) fn foreign_member(&self, place: Place, recv: u32, ty: Ty<'a>, name: NameId) -> Option<NodeId> {
        let view = &self.table.views[place.file];
        let expr = view.expr(recv)?;
        let head = match (ty, expr.kind()) {
            (Ty::Text { text, .. }, _) => types::parse(text)?.head,
            (_, ExprKind::Literal) => view.str(expr.name),
            (_, ExprKind::SelfRef) => self.extended(place)?,
            _ => return None,
        };
        self.foreign_of(place, head, name)
    }

    /// The member that a bare name means inside an extension of the same type.
    pub(crate) fn foreign_sibling(&self, place: Place, name: NameId) -> Option<NodeId> {
        self.foreign_of(place, self.extended(place)?, name)
    }

    /// The name of the type that the extension around a place extends.
    fn extended(&self, place: Place) -> Option<&'a str> {
        let table = &self.table;
        let around = std::iter::once(place.owner).chain(table.ancestors(place.owner));
        around.filter_map(|node| table.def(node)).map(|def| table.str(place.file, def.owner_type)).find(|head| !head.is_empty())
    }

    fn foreign_of(&self, place: Place, head: &str, name: NameId) -> Option<NodeId> {
        if self.foreign.is_empty() || head.is_empty() || name == NONE {
            return None;
        }
        let table = &self.table;
        let repo = table.files[place.file].repo;
        let all = self.foreign.get(head)?.get(&name)?;
        let mut here = all.iter().copied().filter(|node| table.files[table.file_of(*node)].repo == repo);
        let first = here.next()?;
        here.all(|other| table.file_of(other) == table.file_of(first)).then_some(first)
    }
}
