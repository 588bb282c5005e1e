//! Lua's name rules: what `require` gives, and what a function hands back.
//!
//! Knows tables that are definitions; what is put into a table at run time it does not.

use super::infer::{Infer, Place, Ty};
use super::modules::Module;
use super::scope::{Entity, Scopes, Want};
use super::table::NameId;
use crate::facts::model::{ExprKind, NONE, flag};
use crate::graph::NodeId;

/// Functions and libraries that come with Lua.
pub(super) fn is_builtin(name: &str) -> bool {
    matches!(
        name,
        "print"
            | "pairs"
            | "ipairs"
            | "next"
            | "type"
            | "tostring"
            | "tonumber"
            | "error"
            | "assert"
            | "pcall"
            | "xpcall"
            | "select"
            | "unpack"
            | "setmetatable"
            | "getmetatable"
            | "rawget"
            | "rawset"
            | "rawequal"
            | "rawlen"
            | "require"
            | "load"
            | "loadstring"
            | "loadfile"
            | "dofile"
            | "collectgarbage"
            | "module"
            | "setfenv"
            | "getfenv"
    )
}

/// Libraries that come with Lua and its common hosts.
pub(super) fn is_library(name: &str) -> bool {
    matches!(
        name,
        "string"
            | "table"
            | "math"
            | "io"
            | "os"
            | "coroutine"
            | "debug"
            | "utf8"
            | "package"
            | "bit"
            | "bit32"
            | "jit"
            | "ffi"
            | "ngx"
            | "vim"
            | "love"
            | "arg"
    )
}

impl Scopes<'_> {
    /// What `require` of a file gives: the value it returns, or the file where that has no name.
    pub fn lua_value(&self, node: NodeId, depth: u32) -> Entity {
        let file = self.table.file_of(node);
        let default = self.table.name("default");
        let rows = self.table.views[file].exports;
        let whole = rows.iter().find(|row| self.table.name_of(file, row.exported) == default);
        let found =
            whole.map(|row| self.lookup(Module::Node(node), self.table.name_of(file, row.local), Want::Any, false, depth + 1));
        match found {
            Some(Entity::None) | None => Entity::Module(Module::Node(node)),
            Some(entity) => entity,
        }
    }

    /// A name of the table that a file returns.
    pub fn lua_export(&self, node: NodeId, name: NameId, want: Want, depth: u32) -> Entity {
        let table = &self.table;
        let file = table.file_of(node);
        let row = table.views[file].exports.iter().find(|row| table.name_of(file, row.exported) == name);
        if let Some(row) = row {
            return self.lookup(Module::Node(node), table.name_of(file, row.local), want, false, depth + 1);
        }
        let own = table.members(node, name).iter().copied();
        self.pick(own.filter(|at| table.def(*at).is_some_and(|def| def.has(flag::EXPORTED))), want)
    }
}

impl<'a> Infer<'_, 'a> {
    /// What a function hands back, by its last `return`.
    pub fn returned(&self, node: NodeId, receiver: Option<NodeId>, depth: u32) -> Ty<'a> {
        let table = &self.scopes.table;
        let Some(def) = table.def(node).filter(|def| def.init != NONE && depth < 16) else { return Ty::Unknown };
        let file = table.file_of(node);
        let view = &table.views[file];
        if let (Some(receiver), Some(last)) = (receiver, view.expr(def.init)) {
            let bind = view.binds.get(last.base as usize);
            let own = match last.kind() {
                ExprKind::New => view.str(last.name) == "self",
                ExprKind::LocalBind => bind.is_some_and(|bind| view.str(bind.ty) == "self"),
                _ => false,
            };
            if own {
                return Ty::Instance(receiver);
            }
        }
        self.ty(Place { file, owner: node }, def.init, depth + 1)
    }
}
