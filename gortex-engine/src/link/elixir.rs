//! Elixir's name rules: modules through aliases, functions by name and arity.
//!
//! Knows no macros: a function that `use` brings in is not seen, and a bare call of it stays unbound.

use super::infer::{Env, Infer, Place, Ty};
use super::modules::Module;
use super::scope::Entity;
use super::table::NameId;
use crate::facts::Visibility;
use crate::facts::model::{DefRow, ExprKind, ExprRow, Kind, NONE};
use crate::graph::NodeId;
use crate::lang::Family;

/// Functions and macros of `Kernel` and `Kernel.SpecialForms`.
pub(super) fn is_builtin(name: &str) -> bool {
    matches!(
        name,
        "if" | "unless"
            | "case"
            | "cond"
            | "with"
            | "for"
            | "try"
            | "receive"
            | "quote"
            | "unquote"
            | "unquote_splicing"
            | "raise"
            | "reraise"
            | "throw"
            | "exit"
            | "send"
            | "spawn"
            | "spawn_link"
            | "self"
            | "is_atom"
            | "is_binary"
            | "is_bitstring"
            | "is_boolean"
            | "is_float"
            | "is_function"
            | "is_integer"
            | "is_list"
            | "is_map"
            | "is_map_key"
            | "is_nil"
            | "is_number"
            | "is_pid"
            | "is_port"
            | "is_reference"
            | "is_struct"
            | "is_tuple"
            | "is_exception"
            | "abs"
            | "apply"
            | "binary_part"
            | "bit_size"
            | "byte_size"
            | "ceil"
            | "div"
            | "elem"
            | "floor"
            | "hd"
            | "length"
            | "map_size"
            | "max"
            | "min"
            | "node"
            | "not"
            | "put_elem"
            | "rem"
            | "round"
            | "tl"
            | "trunc"
            | "tuple_size"
            | "to_string"
            | "to_charlist"
            | "inspect"
            | "struct"
            | "struct!"
            | "get_in"
            | "put_in"
            | "update_in"
            | "pop_in"
            | "get_and_update_in"
            | "match?"
            | "tap"
            | "then"
            | "binding"
            | "function_exported?"
            | "macro_exported?"
            | "make_ref"
            | "defoverridable"
            | "super"
            | "var!"
            | "sigil_r"
            | "import"
            | "require"
            | "alias"
            | "use"
            | "def"
            | "defp"
            | "defmacro"
            | "defmodule"
            | "fn"
            | "dbg"
            | "destructure"
            | "ensure_loaded?"
            | "in"
            | "and"
            | "or"
            | "is_record"
            | "assert"
            | "refute"
            | "assert_raise"
            | "assert_receive"
            | "assert_received"
            | "refute_receive"
            | "refute_received"
            | "setup"
            | "setup_all"
            | "on_exit"
            | "start_supervised"
            | "start_supervised!"
            | "capture_log"
            | "capture_io"
            | "flunk"
            | "catch_exit"
    )
}

/// Whether a text is written like a module.
fn is_alias(text: &str) -> bool {
    text.starts_with(char::is_uppercase) || text.starts_with("__MODULE__")
}

/// How many fewer arguments a definition takes than it has parameters.
fn defaults(signature: &str) -> u16 {
    signature.matches("\\\\").count() as u16
}

impl<'a> Infer<'_, 'a> {
    /// Whether a file is written in Elixir.
    pub fn is_elixir(&self, file: usize) -> bool {
        self.scopes.table.family(file) == Some(Family::Elixir)
    }

    /// The modules around a node, innermost first.
    fn elixir_around(&self, owner: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let table = &self.scopes.table;
        let is_module = |at: &NodeId| matches!(table.kind(*at), Kind::Module | Kind::Interface);
        std::iter::once(owner).chain(table.ancestors(owner)).filter(is_module)
    }

    /// What a module's name means at a place.
    pub fn elixir_module(&self, place: Place, text: &str) -> Entity {
        let elixir = &self.scopes.modules.elixir;
        let table = &self.scopes.table;
        let entity = |module: Option<NodeId>, full: &str| match module {
            Some(node) => Entity::Node(node),
            None if elixir.is_ours(full) => Entity::None,
            None => Entity::External,
        };
        if let Some(rest) = text.strip_prefix("__MODULE__") {
            let Some(own) = self.elixir_around(place.owner).next() else { return Entity::None };
            if rest.is_empty() {
                return Entity::Node(own);
            }
            let full = format!("{}{rest}", elixir.name_of(own).unwrap_or(""));
            return entity(elixir.named(table, place.file, &full), &full);
        }
        let (first, rest) = text.split_once('.').map_or((text, ""), |(first, rest)| (first, rest));
        let scopes = self.elixir_around(place.owner).chain([table.files[place.file].base]);
        if let Some(aliased) = scopes.into_iter().find_map(|scope| self.elixir_alias(place.file, scope, table.name(first))) {
            let base = match aliased {
                Entity::Module(Module::Node(node)) => elixir.name_of(node).unwrap_or(""),
                other => return if matches!(other, Entity::Module(Module::Unknown)) { Entity::None } else { Entity::External },
            };
            let full = if rest.is_empty() { base.to_owned() } else { format!("{base}.{rest}") };
            return entity(elixir.named(table, place.file, &full), &full);
        }
        let nested = self.elixir_around(place.owner).find_map(|around| {
            let full = format!("{}.{text}", elixir.name_of(around)?);
            // Only a module defined in this file is known by its last name without an alias.
            elixir.named(table, place.file, &full).filter(|node| table.file_of(*node) == place.file)
        });
        nested.map_or_else(|| entity(elixir.named(table, place.file, text), text), Entity::Node)
    }

    fn elixir_alias(&self, file: usize, scope: NodeId, name: NameId) -> Option<Entity> {
        let named = &self.scopes.imports.get(file)?.named;
        let from = named.partition_point(|(other, alias, _)| (*other, *alias) < (scope, name));
        // The alias that was written last holds; all of one name lie together.
        let same = named[from..].iter().take_while(|(other, alias, _)| (*other, *alias) == (scope, name) && name != NONE);
        same.last().map(|(.., entity)| *entity)
    }

    /// The module that a type text speaks of: `User.t()`.
    pub fn elixir_type(&self, place: Place, text: &str) -> Entity {
        let module = match text.rsplit_once('.') {
            Some((module, last)) if last.starts_with(char::is_lowercase) => module,
            _ => text,
        };
        if is_alias(module) { self.elixir_module(place, module) } else { Entity::None }
    }

    /// The function of a module by name and number of arguments, where that is known.
    pub fn elixir_function(&self, module: NodeId, name: NameId, args: Option<u8>, private: bool) -> Option<NodeId> {
        if name == NONE {
            return None;
        }
        let table = &self.scopes.table;
        let file = table.file_of(module);
        let fits = |def: &DefRow| {
            let arity = args.is_none_or(|args| {
                let least = def.params.saturating_sub(defaults(table.str(file, def.signature)));
                (least..=def.params).contains(&u16::from(args))
            });
            def.kind().is_callable() && arity && (private || def.visibility() != Visibility::Private)
        };
        table.members(module, name).iter().copied().find(|node| table.def(*node).is_some_and(fits))
    }

    /// What a bare call reaches: the module's own function, else one of an imported module.
    pub fn elixir_bare(&self, place: Place, name: NameId, args: Option<u8>) -> Option<NodeId> {
        let own = self.elixir_around(place.owner).next();
        if let Some(found) = own.and_then(|module| self.elixir_function(module, name, args, true)) {
            return Some(found);
        }
        let globs = &self.scopes.imports[place.file].globs;
        let base = self.scopes.table.files[place.file].base;
        let scopes: Vec<NodeId> = self.elixir_around(place.owner).chain([base]).collect();
        let imported = globs.iter().filter(|(scope, _)| scopes.contains(scope)).filter_map(|(_, module)| match module {
            Module::Node(node) => Some(*node),
            _ => None,
        });
        let found = imported.into_iter().find_map(|module| self.elixir_function(module, name, args, false));
        // Outside of a module, in a script, a function of the file.
        found.or_else(|| own.is_none().then(|| self.elixir_function(base, name, args, true)).flatten())
    }

    /// An attribute or type of the module around.
    pub fn elixir_member(&self, place: Place, name: NameId, kind: Kind) -> Option<NodeId> {
        let table = &self.scopes.table;
        let module = self.elixir_around(place.owner).next().filter(|_| name != NONE)?;
        table.members(module, name).iter().copied().find(|node| table.kind(*node) == kind)
    }

    /// The type of an Elixir expression, where Elixir has a rule of its own.
    pub fn elixir_ty(&self, place: Place, row: &ExprRow, depth: u32) -> Option<Ty<'a>> {
        let table = &self.scopes.table;
        let view = &table.views[place.file];
        let text = view.str(row.name);
        let as_type = |entity| match entity {
            Entity::Node(node) => Ty::Type(node),
            Entity::External => Ty::External,
            _ => Ty::Unknown,
        };
        Some(match row.kind() {
            ExprKind::Name if is_alias(text) => as_type(self.elixir_module(place, text)),
            ExprKind::Name => match self.elixir_bare(place, table.name_of(place.file, row.name), None) {
                Some(node) => Ty::Func(node),
                None => Ty::Unknown,
            },
            ExprKind::New => match self.elixir_module(place, text) {
                Entity::Node(node) => Ty::Instance(node),
                Entity::External => Ty::External,
                _ => Ty::Unknown,
            },
            ExprKind::Call => {
                let callee = view.expr(row.base)?;
                let name = table.name_of(place.file, callee.name);
                let found = match callee.kind() {
                    ExprKind::Name => self.elixir_bare(place, name, None),
                    ExprKind::Member => match self.settle(self.ty(place, callee.base, depth + 1)) {
                        Ty::Type(module) => self.elixir_function(module, name, None, false),
                        Ty::External => return Some(Ty::External),
                        _ => None,
                    },
                    _ => None,
                };
                let Some(node) = found else { return Some(Ty::Unknown) };
                let file = table.file_of(node);
                match table.def(node).map_or("", |def| table.str(file, def.ty)) {
                    "" => self.returned(node, None, depth),
                    text if text.starts_with(['{', '[', ':']) => Ty::Unknown,
                    // `t()` is the module's own type.
                    "t" | "t()" => table.parents.get(node as usize).map_or(Ty::Unknown, |module| Ty::Instance(*module)),
                    text => Ty::Text { file, owner: node, text, env: Env::default() },
                }
            }
            _ => return None,
        })
    }
}
