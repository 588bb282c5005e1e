//! Edges of calls: constructors, overloads, and what a called value holds.
//!
//! Knows what a mention was bound to, not how.

use super::{Bound, FileLinker, is_calling};
use crate::facts::model::{DefRow, Kind, NONE, RefRow, Role, flag};
use crate::graph::{NodeId, Tier, Unbound};
use crate::lang::Family;
use crate::link::infer::{Place, Ty};
use crate::link::scope::Want;

impl FileLinker<'_, '_, '_> {
    /// Makes the edges of a bound mention: the plain one, and what follows from calling a value, a type or an overload.
    pub(in crate::link) fn bound(&mut self, place: Place, row: &RefRow, node: NodeId, bound: Bound) {
        let table = &self.infer.scopes.table;
        let mut role = row.role();
        let Some(def) = table.def(node) else {
            // A file is only ever imported, or rendered where it is a component.
            if role == Role::Render {
                self.edge(place.owner, node, row.line, row.col, role, bound, row.detail);
            }
            return;
        };
        // A word that looked like a variable of the same name and is none.
        let word = role == Role::Read && row.recv == NONE && def.kind().is_callable();
        if word && (self.infer.is_ruby(self.file) || (self.infer.is_elixir(self.file) && row.args() == Some(0))) {
            role = Role::Call;
        }
        // `%User{}` makes a struct of the module.
        if role == Role::Instantiate && def.kind() == Kind::Module {
            return self.edge(place.owner, node, row.line, row.col, role, bound, row.detail);
        }
        // In Scala a method without parameters is called by reading it.
        if role == Role::Read && def.kind().is_callable() && def.params == 0 && self.is_scala() {
            role = Role::Call;
        }
        // A macro with parameters is called wherever it stands, also in the place of a type or declaration.
        if def.kind() == Kind::Macro && role == Role::Type && is_function_like(table.str(table.file_of(node), def.signature)) {
            role = Role::Call;
        }
        if !is_calling(role) {
            self.edge(place.owner, node, row.line, row.col, role, bound, row.detail);
            return;
        }
        if def.kind().is_callable() {
            self.calls(place, row, node, role, bound);
        } else if let Some(apply) = self.applied(row, node) {
            self.edge(place.owner, node, row.line, row.col, Role::Type, bound, 0);
            self.calls(place, row, apply, Role::Call, bound);
        } else if def.kind().is_type() {
            let role = if role == Role::Render { role } else { Role::Instantiate };
            self.edge(place.owner, node, row.line, row.col, role, bound, row.detail);
            if let Some(constructor) = self.constructor(node) {
                self.calls(place, row, constructor, Role::Call, bound);
            }
        } else if def.kind() == Kind::EnumMember {
            self.edge(place.owner, node, row.line, row.col, Role::Instantiate, bound, row.detail);
        } else {
            self.call_of_value(place, row, node, bound);
        }
    }

    /// A call through a variable, constant or field: the value is read, and what it holds is called where that is known.
    pub(in crate::link) fn call_of_value(&mut self, place: Place, row: &RefRow, node: NodeId, bound: Bound) {
        let table = &self.infer.scopes.table;
        self.edge(place.owner, node, row.line, row.col, Role::Read, bound, 0);
        // Reading an attribute looks like a call in Ruby, and a field is a function in Haskell.
        if self.infer.is_ruby(self.file) || self.infer.is_haskell(self.file) {
            return;
        }
        let held = self.infer.settle(self.infer.value_of(node, 0));
        let inferred = |node| Bound::To { node, tier: Tier::AstInferred, confidence: 85, aliased: true };
        match held {
            Ty::Func(target) => self.edge(place.owner, target, row.line, row.col, Role::Call, inferred(target), row.detail),
            Ty::Type(target) | Ty::Instance(target) if !matches!(held, Ty::Instance(_)) || self.is_zig(row) => {
                self.edge(place.owner, target, row.line, row.col, Role::Instantiate, inferred(target), row.detail);
            }
            // `local insert = table.insert`.
            Ty::External if matches!(table.family(self.file), Some(Family::Lua | Family::Zig)) => {
                self.loose(place.owner, row, Unbound::External);
            }
            _ => self.loose(place.owner, row, Unbound::Dynamic),
        }
    }

    /// Whether a mention makes a value of a Zig type, which may stand under another name (`Self`).
    pub(in crate::link) fn is_zig(&self, row: &RefRow) -> bool {
        row.role() == Role::Instantiate && self.infer.scopes.table.family(self.file) == Some(Family::Zig)
    }

    pub(in crate::link) fn is_scala(&self) -> bool {
        self.infer.scopes.table.language(self.file) == "scala"
    }

    /// The `apply` that `Object(..)` calls in Scala, where one is written.
    pub(in crate::link) fn applied(&self, row: &RefRow, ty: NodeId) -> Option<NodeId> {
        let table = &self.infer.scopes.table;
        let name = table.name("apply");
        if name == NONE || row.role() != Role::Call || !self.is_scala() || !table.kind(ty).is_type() {
            return None;
        }
        let objects = std::iter::once(&ty).chain(self.infer.scopes.modules.twins.of(ty));
        let is_object = |node: &&NodeId| table.def(**node).is_some_and(|def| def.has(flag::STATIC));
        let mut found = objects.filter(is_object).flat_map(|object| table.members(*object, name).iter().copied());
        found.find(|node| table.kind(*node).is_callable())
    }

    pub(in crate::link) fn constructor(&self, ty: NodeId) -> Option<NodeId> {
        let table = &self.infer.scopes.table;
        if table.family(self.file) == Some(Family::Dart) {
            let unnamed = table.members(ty, table.name("new")).iter().copied();
            return unnamed.into_iter().find(|member| table.kind(*member) == Kind::Constructor);
        }
        if self.infer.is_ruby(self.file) {
            let found = self.infer.ruby_member(Ty::Instance(ty), table.name("initialize"), Want::Call);
            return found.map(|(node, _)| node);
        }
        let twins = self.infer.scopes.modules.twins.of(ty).iter().flat_map(|twin| table.all_members(*twin));
        let own = table.all_members(ty).iter().chain(twins).copied().find(|member| table.kind(*member) == Kind::Constructor);
        own.or_else(|| {
            let name = match table.family(self.file) {
                Some(Family::Python) => table.name("__init__"),
                Some(Family::Script) => table.name("constructor"),
                Some(Family::Php) => table.name("__construct"),
                Some(Family::Swift) => table.name("init"),
                Some(Family::Lua) => table.name("initialize"),
                _ => NONE,
            };
            (name != NONE).then(|| self.infer.member(ty, name, Want::Call).map(|(node, _)| node)).flatten()
        })
    }

    /// The edges of a call: to the callable it was bound to, or to those of its overloads whose parameter count fits. Where
    /// several fit, types of arguments would decide, which are not known here: all are named, as inferred.
    pub(in crate::link) fn calls(&mut self, place: Place, row: &RefRow, node: NodeId, role: Role, bound: Bound) {
        let fitting = self.overloads(node, row);
        if let [one] = fitting.as_slice() {
            return self.edge(place.owner, *one, row.line, row.col, role, bound, row.detail);
        }
        let confidence = (100 / fitting.len().max(1)) as u8;
        for node in fitting {
            let bound = Bound::To { node, tier: Tier::AstInferred, confidence, aliased: false };
            self.edge(place.owner, node, row.line, row.col, role, bound, row.detail);
        }
    }

    pub(in crate::link) fn overloads(&self, node: NodeId, row: &RefRow) -> Vec<NodeId> {
        let table = &self.infer.scopes.table;
        let family = table.family(self.file);
        if family == Some(Family::Swift) {
            return self.defaulted(node, row);
        }
        if !matches!(family, Some(Family::Jvm | Family::C | Family::CSharp)) {
            return vec![node];
        }
        let Some(args) = row.args() else { return vec![node] };
        let language = table.language(self.file);
        let fits = |def: &DefRow| {
            let args = u16::from(args);
            // Written as a plain call, a function for another type takes the value as its first argument.
            let written_out = !def.owner_type.is_empty() && matches!(language, "java" | "csharp") && def.params + 1 == args;
            let as_declared = def.params == args && (language != "java" || def.owner_type.is_empty());
            as_declared || written_out || (def.has(flag::VARIADIC) && args + 1 >= def.params)
        };
        let (parent, name) = (table.parents[node as usize], table.node_name[node as usize]);
        let parts: &[NodeId] = match table.family(self.file) {
            Some(Family::CSharp) => self.infer.scopes.modules.twins.of(parent),
            _ => &[],
        };
        let parts = parts.iter().flat_map(|part| table.members(*part, name));
        let siblings: Vec<NodeId> = table.members(parent, name).iter().chain(parts).copied().collect();
        let callable = |other: &NodeId| table.def(*other).is_some_and(|def| def.kind().is_callable() && fits(def));
        let mut found: Vec<NodeId> =
            siblings.iter().copied().filter(callable).map(|other| self.infer.scopes.definition_of(other)).collect();
        // A member declared in its class and defined elsewhere is one member.
        if found.iter().any(|other| table.def(*other).is_some_and(|def| !def.has(flag::DECLARATION)))
            && table.family(self.file) == Some(Family::C)
        {
            found.retain(|other| table.def(*other).is_some_and(|def| !def.has(flag::DECLARATION)));
        }
        found.sort_unstable();
        found.dedup();
        if found.is_empty() && matches!(language, "kotlin" | "scala" | "csharp") {
            // Parameters with default values may be left out.
            let may =
                |other: &NodeId| table.def(*other).is_some_and(|def| def.kind().is_callable() && def.params > u16::from(args));
            found = siblings.into_iter().filter(may).collect();
        }
        if found.is_empty() { vec![node] } else { found }
    }

    /// Overloads whose parameters may have defaults: those with as many parameters as arguments, else those with more.
    pub(in crate::link) fn defaulted(&self, node: NodeId, row: &RefRow) -> Vec<NodeId> {
        let table = &self.infer.scopes.table;
        let siblings = table.members(table.parents[node as usize], table.node_name[node as usize]);
        let Some(args) = row.args().filter(|_| siblings.len() > 1) else { return vec![node] };
        let with = |fits: &dyn Fn(&DefRow) -> bool| -> Vec<NodeId> {
            let callable = |other: &NodeId| table.def(*other).is_some_and(|def| def.kind().is_callable() && fits(def));
            siblings.iter().copied().filter(callable).collect()
        };
        let exact = with(&|def| def.params == u16::from(args));
        let found = if exact.is_empty() { with(&|def| def.params > u16::from(args) || def.has(flag::VARIADIC)) } else { exact };
        if found.is_empty() { vec![node] } else { found }
    }
}

/// Whether the definition of a C macro has parameters: an open parenthesis touches its name.
fn is_function_like(signature: &str) -> bool {
    let Some(rest) = signature.trim_start().strip_prefix('#').map(str::trim_start).and_then(|rest| rest.strip_prefix("define"))
    else {
        return false;
    };
    let rest = rest.trim_start();
    rest.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_').starts_with('(')
}
