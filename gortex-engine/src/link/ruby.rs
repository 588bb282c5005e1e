//! Ruby's name rules: constants through their surroundings and ancestors, methods through `self`, its class and mixins.
//!
//! A bare word is a call on `self`; what it reaches depends on whether `self` is a class or one of its objects. Results are
//! those of a method's last expression, where that says something.
//!
//! Knows nothing of methods that are made at run time.

use std::collections::VecDeque;

use super::infer::{Infer, Place, Ty};
use super::modules::ruby::joined;
use super::scope::{Entity, Want};
use super::table::NameId;
use crate::facts::model::{DefRow, ExprKind, ExprRow, Kind, NONE, flag};
use crate::graph::NodeId;
use crate::lang::Family;

const DEPTH: u32 = 16;
/// Ancestors looked at.
const ANCESTORS: usize = 256;

/// Methods that every object has.
pub(super) fn is_builtin_method(name: &str) -> bool {
    matches!(
        name,
        "puts"
            | "print"
            | "p"
            | "pp"
            | "raise"
            | "require"
            | "lambda"
            | "proc"
            | "loop"
            | "format"
            | "sprintf"
            | "printf"
            | "rand"
            | "sleep"
            | "exit"
            | "abort"
            | "at_exit"
            | "binding"
            | "caller"
            | "catch"
            | "throw"
            | "fail"
            | "gets"
            | "warn"
            | "system"
            | "exec"
            | "fork"
            | "eval"
            | "instance_eval"
            | "class_eval"
            | "module_eval"
            | "class_exec"
            | "instance_exec"
            | "send"
            | "public_send"
            | "__send__"
            | "method"
            | "respond_to?"
            | "is_a?"
            | "kind_of?"
            | "instance_of?"
            | "nil?"
            | "object_id"
            | "class"
            | "singleton_class"
            | "extend"
            | "freeze"
            | "frozen?"
            | "dup"
            | "clone"
            | "tap"
            | "then"
            | "itself"
            | "to_s"
            | "inspect"
            | "hash"
            | "eql?"
            | "equal?"
            | "instance_variable_get"
            | "instance_variable_set"
            | "instance_variable_defined?"
            | "define_method"
            | "define_singleton_method"
            | "remove_method"
            | "undef_method"
            | "attr_reader"
            | "attr_writer"
            | "attr_accessor"
            | "include"
            | "prepend"
            | "private"
            | "protected"
            | "public"
            | "module_function"
            | "private_class_method"
            | "private_constant"
            | "const_get"
            | "const_set"
            | "const_defined?"
            | "instance_method"
            | "instance_methods"
            | "method_defined?"
            | "allocate"
            | "superclass"
            | "ancestors"
            | "name"
            | "Integer"
            | "Float"
            | "String"
            | "Array"
            | "Hash"
            | "Rational"
            | "autoload"
            | "load"
            | "require_relative"
            | "block_given?"
            | "alias_method"
            | "__method__"
            | "srand"
            | "open"
            | "trap"
            | "test"
            | "select"
            | "spawn"
            | "putc"
            | "readline"
            | "readlines"
            | "set_trace_func"
            | "display"
            | "enum_for"
            | "to_enum"
            | "methods"
            | "public_methods"
            | "instance_variables"
    )
}

/// Whether a name is written like a constant.
fn is_constant(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}

impl<'a> Infer<'_, 'a> {
    /// What a constant path means at a place.
    pub fn ruby_constant(&self, place: Place, text: &str) -> Entity {
        let ruby = &self.scopes.modules.ruby;
        let table = &self.scopes.table;
        let node = |path: &str| ruby.constant(table, place.file, path);
        let (text, top) = text.strip_prefix("::").map_or((text, false), |rest| (rest, true));
        let (first, rest) = text.split_once("::").map_or((text, None), |(first, rest)| (first, Some(rest)));
        if !is_constant(first) {
            return Entity::None;
        }
        let mut found = None;
        if !top {
            let mut around = std::iter::once(place.owner).chain(table.ancestors(place.owner)).filter_map(|at| ruby.path_of(at));
            let inner = around.next();
            found = inner.into_iter().chain(around).find_map(|path| node(&joined(path, first)));
            if let (None, Some(ty)) = (found, self.enclosing_type(place.owner)) {
                found = self.ruby_inherited_constant(place.file, ty, first);
            }
        }
        let Some(mut at) = found.or_else(|| node(first)) else { return Entity::External };
        for segment in rest.into_iter().flat_map(|rest| rest.split("::")) {
            match self.ruby_constant_in(place.file, at, segment) {
                Some(next) => at = next,
                // Somebody else's class may be opened here, so the rest need not be ours.
                None => return if self.is_open(at) { Entity::External } else { Entity::None },
            }
        }
        Entity::Node(at)
    }

    fn ruby_inherited_constant(&self, file: usize, ty: NodeId, name: &str) -> Option<NodeId> {
        let ruby = &self.scopes.modules.ruby;
        let ancestors = self.ruby_ancestors(ty);
        ancestors.iter().skip(1).find_map(|above| ruby.constant(&self.scopes.table, file, &joined(ruby.path_of(*above)?, name)))
    }

    /// The constant `name` of a class or module.
    fn ruby_constant_in(&self, file: usize, at: NodeId, name: &str) -> Option<NodeId> {
        let ruby = &self.scopes.modules.ruby;
        let own = ruby.path_of(at).and_then(|path| ruby.constant(&self.scopes.table, file, &joined(path, name)));
        own.or_else(|| self.ruby_inherited_constant(file, at, name))
    }

    /// A class, its other openings, then mixins and superclasses, nearest first.
    fn ruby_ancestors(&self, ty: NodeId) -> Vec<NodeId> {
        let mut seen = vec![ty];
        let mut pending = VecDeque::from([ty]);
        while let Some(at) = pending.pop_front() {
            let openings = self.scopes.modules.ruby.openings(&self.scopes.table, at);
            for next in openings.collect::<Vec<_>>() {
                if !seen.contains(&next) && seen.len() < ANCESTORS {
                    seen.push(next);
                    pending.push_front(next);
                }
            }
            for next in self.hierarchy.supers.get(&at).into_iter().flatten().copied() {
                if !seen.contains(&next) && seen.len() < ANCESTORS {
                    seen.push(next);
                    pending.push_back(next);
                }
            }
        }
        seen
    }

    /// What `self` is at a place.
    pub fn ruby_self(&self, owner: NodeId) -> Ty<'a> {
        let table = &self.scopes.table;
        for at in std::iter::once(owner).chain(table.ancestors(owner)) {
            let Some(def) = table.def(at) else { return Ty::Unknown };
            let kind = def.kind();
            if table.is_type(at) {
                return Ty::Type(at);
            }
            if matches!(kind, Kind::Method | Kind::Constructor | Kind::Field | Kind::Property) {
                let Some(ty) = self.enclosing_type(at) else { return Ty::Unknown };
                return if def.has(flag::STATIC) { Ty::Type(ty) } else { Ty::Instance(ty) };
            }
        }
        Ty::Unknown
    }

    /// The member that a class or one of its objects answers to.
    pub fn ruby_member(&self, receiver: Ty<'a>, name: NameId, want: Want) -> Option<(NodeId, bool)> {
        let (ty, of_class) = match receiver {
            Ty::Instance(ty) => (ty, false),
            Ty::Type(ty) => (ty, true),
            _ => return None,
        };
        if name == NONE {
            return None;
        }
        let table = &self.scopes.table;
        let ancestors = self.ruby_ancestors(ty);
        let inherited = |at: NodeId| self.scopes.modules.ruby.path_of(at) != self.scopes.modules.ruby.path_of(ty);
        let pick = |at: NodeId, fits: &dyn Fn(&DefRow) -> bool| {
            let own = table.members(at, name).iter().copied().filter(|node| table.def(*node).is_some_and(fits));
            match self.scopes.pick(own, want) {
                Entity::Node(node) => Some((node, inherited(at))),
                _ => None,
            }
        };
        let data = |def: &DefRow| def.kind() == Kind::Field || !(def.kind().is_callable() || def.kind() == Kind::Property);
        let of_object = |def: &DefRow| data(def) || !def.has(flag::STATIC);
        let of_itself = |def: &DefRow| data(def) || def.has(flag::STATIC);
        if !of_class {
            let found = ancestors.iter().find_map(|at| pick(*at, &of_object));
            // `module_function` makes a method that both have.
            let both = || ancestors.iter().filter(|at| table.kind(**at) == Kind::Module).find_map(|at| pick(*at, &of_itself));
            return found.or_else(both);
        }
        for at in &ancestors {
            if table.kind(*at) == Kind::Module && inherited(*at) {
                // A mixin's own methods are no methods of the class, unless it hands some on.
                let handed = self.ruby_constant_in(table.file_of(*at), *at, "ClassMethods");
                if let Some(found) = handed.and_then(|handed| pick(handed, &of_object)) {
                    return Some((found.0, true));
                }
                continue;
            }
            if let Some(found) = pick(*at, &of_itself) {
                return Some(found);
            }
            for module in self.hierarchy.extended.get(at).into_iter().flatten() {
                let above = self.ruby_ancestors(*module);
                if let Some(found) = above.iter().find_map(|at| pick(*at, &of_object)) {
                    return Some((found.0, true));
                }
            }
        }
        None
    }

    /// What a bare word calls on `self`, else a method outside of classes; the flag tells that the name alone decided.
    pub fn ruby_bare(&self, place: Place, name: NameId, text: &str) -> Option<(NodeId, bool, bool)> {
        if name == NONE {
            return None;
        }
        let table = &self.scopes.table;
        if !text.starts_with('$')
            && let Some((node, inherited)) = self.ruby_member(self.ruby_self(place.owner), name, Want::Call)
        {
            return Some((node, inherited, false));
        }
        self.scopes.modules.ruby.top(table, place.file, name).map(|(node, own)| (node, false, !own))
    }

    /// The method of the same name above the one that calls `super`.
    pub fn ruby_super(&self, place: Place, name: NameId) -> Result<NodeId, bool> {
        let receiver = self.ruby_self(place.owner);
        let (Ty::Instance(ty) | Ty::Type(ty)) = receiver else { return Err(false) };
        let ruby = &self.scopes.modules.ruby;
        let own = ruby.path_of(ty);
        for above in self.ruby_ancestors(ty).into_iter().filter(|above| ruby.path_of(*above) != own) {
            let from = if matches!(receiver, Ty::Type(_)) { Ty::Type(above) } else { Ty::Instance(above) };
            if let Some((node, _)) = self.ruby_member(from, name, Want::Call) {
                return Ok(node);
            }
        }
        Err(self.is_open(ty))
    }

    /// The type of a Ruby expression, where Ruby has a rule of its own.
    pub fn ruby_ty(&self, place: Place, row: &ExprRow, depth: u32) -> Option<Ty<'a>> {
        let table = &self.scopes.table;
        let text = table.views[place.file].str(row.name);
        let name = table.name_of(place.file, row.name);
        let view = &table.views[place.file];
        Some(match row.kind() {
            ExprKind::SelfRef => self.ruby_self(place.owner),
            ExprKind::Super => Ty::Unknown,
            ExprKind::Literal => match self.scopes.modules.ruby.constant(table, place.file, text) {
                Some(opened) => Ty::Instance(opened),
                None => Ty::External,
            },
            ExprKind::Name if text == "self.class" => match self.ruby_self(place.owner) {
                Ty::Instance(ty) => Ty::Type(ty),
                _ => Ty::Unknown,
            },
            ExprKind::Name if is_constant(text) => self.ruby_entity(self.ruby_constant(place, text), depth),
            ExprKind::Name => match self.ruby_bare(place, name, text) {
                Some((node, ..)) => self.ruby_result(node, self.ruby_self(place.owner), depth),
                None => Ty::Unknown,
            },
            ExprKind::Path => {
                let base = view.expr(row.base)?;
                if base.kind() == ExprKind::Name && view.str(base.name) == "::" {
                    return Some(self.ruby_entity(self.ruby_constant(place, &format!("::{text}")), depth));
                }
                match self.ty(place, row.base, depth + 1) {
                    Ty::Type(ty) => match self.ruby_constant_in(place.file, ty, text) {
                        Some(node) => self.ruby_entity(Entity::Node(node), depth),
                        None if self.is_open(ty) => Ty::External,
                        None => Ty::Unknown,
                    },
                    Ty::External => Ty::External,
                    _ => Ty::Unknown,
                }
            }
            ExprKind::Member => self.ruby_sent(self.ty(place, row.base, depth + 1), name, text, depth),
            ExprKind::Call => {
                let callee = view.expr(row.base)?;
                match callee.kind() {
                    ExprKind::Name | ExprKind::Member => self.ty(place, row.base, depth + 1),
                    _ => Ty::Unknown,
                }
            }
            _ => return None,
        })
    }

    /// The constant `name` behind what stands in front of its `::`.
    pub fn ruby_path(&self, place: Place, recv: u32, name: &str) -> Entity {
        let view = &self.scopes.table.views[place.file];
        let Some(base) = view.expr(recv) else { return Entity::None };
        if base.kind() == ExprKind::Name && view.str(base.name) == "::" {
            return self.ruby_constant(place, &format!("::{name}"));
        }
        match self.settle(self.ty(place, recv, 0)) {
            Ty::Type(ty) => match self.ruby_constant_in(place.file, ty, name) {
                Some(node) => Entity::Node(node),
                None if self.is_open(ty) => Entity::External,
                None => Entity::None,
            },
            Ty::External => Entity::External,
            _ => Entity::None,
        }
    }

    fn ruby_entity(&self, entity: Entity, depth: u32) -> Ty<'a> {
        match entity {
            Entity::Node(node) if self.scopes.table.is_type(node) => Ty::Type(node),
            Entity::Node(node) => self.value_of(node, depth + 1),
            Entity::External => Ty::External,
            _ => Ty::Unknown,
        }
    }

    /// What sending a message gives.
    fn ruby_sent(&self, receiver: Ty<'a>, name: NameId, text: &str, depth: u32) -> Ty<'a> {
        match self.settle(receiver) {
            Ty::External => Ty::External,
            receiver @ (Ty::Instance(ty) | Ty::Type(ty)) => match self.ruby_member(receiver, name, Want::Call) {
                Some((node, _)) => self.ruby_result(node, receiver, depth),
                None if text == "new" && matches!(receiver, Ty::Type(_)) => Ty::Instance(ty),
                None if self.is_open(ty) => Ty::External,
                None => Ty::Unknown,
            },
            _ => Ty::Unknown,
        }
    }

    fn ruby_result(&self, node: NodeId, receiver: Ty<'a>, depth: u32) -> Ty<'a> {
        let table = &self.scopes.table;
        let Some(def) = table.def(node) else { return Ty::Unknown };
        if depth > DEPTH {
            return Ty::Unknown;
        }
        if !def.kind().is_callable() {
            return self.value_of(node, depth + 1);
        }
        let file = table.file_of(node);
        let Some(last) = table.views[file].expr(def.init) else { return Ty::Unknown };
        let own = table.views[file].str(last.name) == "self";
        match (last.kind(), receiver) {
            (ExprKind::SelfRef, receiver) => receiver,
            (ExprKind::New, Ty::Type(ty) | Ty::Instance(ty)) if own => Ty::Instance(ty),
            _ => self.ty(Place { file, owner: node }, def.init, depth + 1),
        }
    }

    /// Whether a file is written in Ruby.
    pub fn is_ruby(&self, file: usize) -> bool {
        self.scopes.table.family(file) == Some(Family::Ruby)
    }
}
