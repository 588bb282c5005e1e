//! Which external a mention means: what imports bring in from outside, names through them, members of external types.
//!
//! Asked only for mentions that no definition of ours was found for. A name is followed through the import that brings it in (also
//! through a file of ours that passes it on), a receiver through its declared type or the constructor it was made by. One step
//! beyond a value of an external type is the end: what its members give is not known, and nothing is guessed.
//!
//! Knows imports, types and word lists; what is written where [`id`] decides.

mod id;
mod known;
mod mentions;

pub(crate) use mentions::{At, Mentions};

use self::id::Id;
use super::infer::{Infer, Place, Ty};
use super::modules::Module;
use super::modules::ocaml::Spot;
use super::scope::{Entity, Want};
use super::table::NameId;
use super::types;
use crate::facts::model::{BARE, ExprKind, ExprRow, ImportRow, NONE, RefRow, Role, Usage, import_flag};
use crate::graph::{NodeId, Tier};
use crate::lang::Family;

/// Expressions, re-exports and wrappers are followed so far.
const DEPTH: u32 = 6;

/// What an expression is to the external it leads to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// The external itself: a module, type or function by its path.
    Itself,
    /// A value of the external type.
    Value,
}

/// Finds the externals that one file mentions.
pub(crate) struct Externs<'s, 'i, 'a> {
    infer: &'s Infer<'i, 'a>,
    file: usize,
    id: Id,
    pub mentions: Mentions,
}

impl<'s, 'i, 'a> Externs<'s, 'i, 'a> {
    pub fn new(infer: &'s Infer<'i, 'a>, file: usize) -> Self {
        Externs { infer, file, id: Id::default(), mentions: Mentions::default() }
    }

    /// The mentions, in order.
    pub fn finish(mut self) -> Mentions {
        self.mentions.settle();
        self.mentions
    }

    fn family(&self, file: usize) -> Option<Family> {
        self.infer.scopes.table.family(file)
    }

    fn add(&mut self, owner: NodeId, line: u32, col: u16, role: Role, usage: Usage) {
        let tier = if self.id.sure { Tier::AstResolved } else { Tier::AstInferred };
        self.mentions.add(self.id.as_str(), At { owner, line, col, role, usage, tier });
    }

    // ----- what a file says by itself

    /// Import statements and class headers that name something outside.
    pub fn headers(&mut self) {
        let scopes = self.infer.scopes;
        let view = scopes.table.views[self.file];
        let base = scopes.table.files[self.file].base;
        let node = |def: u32| if def == NONE { base } else { base + 1 + def };
        for (row, entity) in view.imports.iter().zip(&scopes.imports[self.file].rows) {
            let outside = matches!(entity, Entity::External | Entity::Module(Module::External));
            if outside && row.flags & import_flag::SUBMODULE == 0 && self.import(self.file, row, 0) {
                let role = if row.flags & import_flag::REEXPORT != 0 { Role::ReExport } else { Role::Import };
                self.add(node(row.owner), row.line, row.col, role, Usage::Unknown);
            }
        }
        for row in view.supers {
            let sub = node(row.sub);
            let around = if row.sub == NONE { base } else { scopes.table.parents.get(sub as usize).copied().unwrap_or(base) };
            if self.type_text(Place { file: self.file, owner: around }, view.str(row.super_type), 0) {
                self.add(sub, row.line, row.col, Role::from_byte(row.role), Usage::Unknown);
            }
        }
    }

    /// The external that a mention means, as a mention of it; false when none is known.
    pub fn mention(&mut self, place: Place, row: &RefRow) -> bool {
        // Class headers have told their supertypes already.
        if matches!(row.role(), Role::Extends | Role::Implements | Role::Import | Role::ReExport) || !self.names(place, row) {
            return false;
        }
        let calling = matches!(row.role(), Role::Call | Role::Instantiate | Role::Render);
        // In front of a dot a package is no use of its own: the name behind it is.
        let text = self.infer.scopes.table.str(self.file, row.name);
        let module =
            self.family(self.file) == Some(Family::Rust) && row.role() == Role::Type && text.starts_with(char::is_lowercase);
        if (self.id.is_package() || module) && !calling && row.role() != Role::Attribute {
            return false;
        }
        self.add(place.owner, row.line, row.col, row.role(), if calling { row.usage() } else { Usage::Unknown });
        true
    }

    /// Whether the external of the last mention comes with a language.
    pub fn is_library(&self) -> bool {
        self.id.as_str().starts_with("stdlib::")
    }

    fn names(&mut self, place: Place, row: &RefRow) -> bool {
        let view = self.infer.scopes.table.views[self.file];
        let text = view.str(row.name);
        let Some(recv) = view.expr(row.recv) else {
            return self.free(place, self.infer.scopes.table.name_of(self.file, row.name), text, 0) == Some(Shape::Itself);
        };
        if recv.slot == BARE && matches!(recv.kind(), ExprKind::LocalBind | ExprKind::LocalDef) {
            let renamed = recv.kind() == ExprKind::LocalBind && matches!(row.role(), Role::Call | Role::Instantiate);
            return renamed && self.expr(place, row.recv, 0) == Some(Shape::Itself);
        }
        if matches!(recv.kind(), ExprKind::SelfRef | ExprKind::Super) {
            return row.role() == Role::Call && self.inherited(place, text);
        }
        if self.expr(place, row.recv, 0).is_none() {
            return false;
        }
        self.id.member(text);
        true
    }

    /// A method that a class of this file does not have, where its only supertype is external.
    fn inherited(&mut self, place: Place, text: &str) -> bool {
        let scopes = self.infer.scopes;
        let base = scopes.table.files[self.file].base;
        let Some(ty) = self.infer.enclosing_type(place.owner).filter(|ty| scopes.table.file_of(*ty) == self.file) else {
            return false;
        };
        let view = scopes.table.views[self.file];
        let mut own = view.supers.iter().filter(|row| row.sub != NONE && base + 1 + row.sub == ty);
        let (Some(row), None) = (own.next(), own.next()) else { return false };
        let around = scopes.table.parents.get(ty as usize).copied().unwrap_or(base);
        if !self.type_text(Place { file: self.file, owner: around }, view.str(row.super_type), 0) {
            return false;
        }
        self.id.member(text);
        self.id.sure = false;
        true
    }

    // ----- names

    /// A free name: what an import brings in under it, else what the language has under it.
    fn free(&mut self, place: Place, name: NameId, text: &str, depth: u32) -> Option<Shape> {
        let scopes = self.infer.scopes;
        let family = self.family(place.file)?;
        if matches!(family, Family::Plain | Family::Ocaml | Family::Haskell | Family::Elixir) {
            return self.own_rules(place, family, name, text, depth);
        }
        let implicit = scopes.table.files[place.file].lang.is_some_and(|lang| lang.language().implicit_self);
        if implicit
            && name != NONE
            && let Some((member, _)) = self.infer.implicit_member(place.owner, name, Want::Any)
        {
            return self.value(member, depth);
        }
        match scopes.free(place.file, place.owner, name, Want::Any) {
            Entity::External => {
                let module = scopes.module_of(place.owner);
                let found = self.imported(place.file, module, name, depth) || self.krate(place, text);
                return found.then_some(Shape::Itself);
            }
            Entity::Node(node) => return self.value(node, depth),
            Entity::Module(_) => return None,
            Entity::None => {}
        }
        if family == Family::Rust && self.krate(place, text) {
            return Some(Shape::Itself);
        }
        let language = scopes.table.language(place.file);
        let made = self.id.prelude(family, language, text);
        let made = made || (family == Family::C && text == "std" && self.id.module(family, language, text));
        made.then_some(Shape::Itself)
    }

    /// Languages whose names have rules of their own: names in import lists, module paths with a capital.
    fn own_rules(&mut self, place: Place, family: Family, name: NameId, text: &str, depth: u32) -> Option<Shape> {
        let scopes = self.infer.scopes;
        let language = scopes.table.language(place.file);
        let listed = self.imported(place.file, scopes.table.files[place.file].base, name, depth);
        let capital = text.starts_with(char::is_uppercase);
        let made = listed
            || match family {
                Family::Ocaml if capital => {
                    scopes.ocaml_path(Spot::new(place.file, place.owner), text, 0) == Module::External
                        && self.id.module(family, language, text)
                }
                Family::Elixir if capital => {
                    matches!(self.infer.elixir_module(place, text), Entity::External) && self.id.module(family, language, text)
                }
                Family::Elixir => self.id.prelude(family, language, text),
                _ => false,
            };
        made.then_some(Shape::Itself)
    }

    /// A crate that a Rust path begins with: one that comes with Rust, or one that a manifest of the repository asks for.
    fn krate(&mut self, place: Place, text: &str) -> bool {
        let scopes = self.infer.scopes;
        if self.family(place.file) != Some(Family::Rust) || !text.starts_with(|c: char| c.is_ascii_lowercase() || c == '_') {
            return false;
        }
        let repo = scopes.table.files[place.file].repo;
        let known = matches!(text, "std" | "core" | "alloc" | "proc_macro") || scopes.modules.rust.is_declared(repo, text);
        known && scopes.modules.krate(&scopes.table, place.file, text).is_none() && self.id.krate(text)
    }

    /// What an import of a module brings in under a name, as far as that is outside.
    fn imported(&mut self, file: usize, scope: NodeId, name: NameId, depth: u32) -> bool {
        let scopes = self.infer.scopes;
        if name == NONE || depth > DEPTH {
            return false;
        }
        let table = &scopes.table;
        let view = table.views[file];
        let base = table.files[file].base;
        let rust = self.family(file) == Some(Family::Rust);
        let outside = |at: usize| matches!(scopes.imports[file].rows.get(at), Some(Entity::External));
        let seen = |row: &ImportRow| {
            let stands = scopes.import_scope(file, row);
            stands == scope || (!rust && (stands == base || table.ancestors(scope).any(|above| above == stands)))
        };
        let named = view.imports.iter().enumerate().filter(|(_, row)| row.flags & import_flag::SUBMODULE == 0);
        let mut named = named.filter(|(_, row)| !row.alias.is_empty() && table.name_of(file, row.alias) == name);
        if let Some((_, row)) = named.find(|(at, row)| outside(*at) && seen(row)) {
            return self.import(file, row, depth);
        }
        let whole = |row: &&ImportRow| row.flags & import_flag::WILDCARD != 0 && row.alias.is_empty() && seen(row);
        for row in view.imports.iter().filter(whole) {
            if let Module::Node(node) = scopes.import_module(file, row, 0)
                && self.imported(table.file_of(node), scopes.module_of(node), name, depth + 2)
            {
                return true;
            }
        }
        false
    }

    /// The id of what an import row names.
    fn import(&mut self, file: usize, row: &ImportRow, depth: u32) -> bool {
        let scopes = self.infer.scopes;
        let table = &scopes.table;
        let (module, name) = (table.str(file, row.module), table.str(file, row.name));
        let Some(family) = self.family(file) else { return false };
        // A file of ours that passes on what it imports itself.
        if !row.name.is_empty() && !matches!(family, Family::Php | Family::Dart) {
            match scopes.import_module(file, row, 0) {
                Module::Node(node) if depth <= DEPTH => {
                    let there = table.file_of(node);
                    return self.imported(there, scopes.module_of(node), table.name_of(file, row.name), depth + 2);
                }
                Module::Node(_) | Module::Package(_) => return false,
                Module::External | Module::Unknown => {}
            }
        }
        let made = match family {
            Family::Rust => self.rust_path(file, scopes.import_scope(file, row), module, name, depth),
            Family::Php if !name.is_empty() && !module.is_empty() => self.id.module(family, "", &format!("{module}\\{name}")),
            Family::Php if module.is_empty() => return self.id.module(family, "", name),
            // `import a.b` binds `a`.
            Family::Python
                if row.flags & import_flag::MODULE != 0 && module.split('.').next() == Some(table.str(file, row.alias)) =>
            {
                return self.id.module(family, "python", table.str(file, row.alias));
            }
            Family::C if row.flags & (import_flag::WILDCARD | import_flag::MODULE) != 0 && !module.starts_with("std") => false,
            _ => self.id.module(family, table.language(file), module),
        };
        if !made {
            return false;
        }
        let php = family == Family::Php;
        // What a package exports by default stands for the package, as it does for who requires it.
        if !php && row.flags & (import_flag::DEFAULT | import_flag::MODULE) == 0 && family != Family::Rust {
            self.id.member(name);
        }
        true
    }

    /// `use` of a path: its head may itself be a name that was brought in.
    fn rust_path(&mut self, file: usize, scope: NodeId, path: &str, name: &str, depth: u32) -> bool {
        let whole = if path.is_empty() { name.to_owned() } else { format!("{path}::{name}") };
        let mut parts = whole.trim_start_matches("::").split("::").filter(|part| !part.is_empty());
        let Some(head) = parts.next().filter(|head| !matches!(*head, "crate" | "self" | "super" | "$crate")) else {
            return false;
        };
        let head_id = self.infer.scopes.table.name(head);
        let renamed = !path.is_empty() && depth <= DEPTH && self.imported(file, scope, head_id, depth + 2);
        if !renamed && !self.krate(Place { file, owner: scope }, head) {
            return false;
        }
        parts.for_each(|part| self.id.member(part));
        true
    }

    // ----- values and types

    /// What an expression leads to, if that is outside.
    fn expr(&mut self, place: Place, at: u32, depth: u32) -> Option<Shape> {
        let table = &self.infer.scopes.table;
        let view = table.views[place.file];
        let row = view.expr(at).filter(|_| depth <= DEPTH)?;
        let text = view.str(row.name);
        match row.kind() {
            ExprKind::Name => self.free(place, table.name_of(place.file, row.name), text, depth),
            ExprKind::New | ExprKind::Typed => self.type_text(place, text, depth).then_some(Shape::Value),
            // What is not found on what it holds is the wrapper's own.
            ExprKind::Wrapped if self.type_text(place, text, depth) => {
                self.id.sure = false;
                Some(Shape::Value)
            }
            ExprKind::LocalBind => {
                let bind = view.binds.get(row.base as usize)?;
                let declared = view.str(bind.ty);
                if !declared.is_empty() && !matches!(declared, "auto" | "var" | "_") {
                    return self.type_text(place, declared, depth).then_some(Shape::Value);
                }
                self.expr(place, bind.init, depth + 1)
            }
            ExprKind::LocalDef => self.value(table.files[place.file].base + 1 + row.base, depth + 1),
            ExprKind::Member | ExprKind::Path => self.member(place, row, text, depth),
            ExprKind::Call => self.call(place, row.base, depth),
            _ => None,
        }
    }

    fn member(&mut self, place: Place, row: &ExprRow, text: &str, depth: u32) -> Option<Shape> {
        if self.expr(place, row.base, depth + 1) == Some(Shape::Itself) {
            self.id.member(text);
            return Some(Shape::Itself);
        }
        // A field of ours that holds a value of an external type.
        let base = self.infer.settle_receiver(self.infer.ty(place, row.base, 0));
        let (Ty::Instance(ty) | Ty::Type(ty)) = base else { return None };
        let name = self.infer.scopes.table.name_of(place.file, row.name);
        let (field, _) = self.infer.member(ty, name, Want::Any)?;
        self.value(field, depth + 1)
    }

    /// What calling gives: of a function of ours its declared result, of an external class a value of it.
    fn call(&mut self, place: Place, callee: u32, depth: u32) -> Option<Shape> {
        let view = self.infer.scopes.table.views[place.file];
        let family = self.family(place.file)?;
        let row = view.expr(callee)?;
        if self.expr(place, callee, depth + 1) == Some(Shape::Itself) {
            let name = view.str(row.name);
            let by_name = matches!(family, Family::Python | Family::Swift | Family::Dart)
                || matches!(self.infer.scopes.table.language(place.file), "kotlin" | "scala");
            if by_name && name.starts_with(char::is_uppercase) {
                self.id.sure = false;
                return Some(Shape::Value);
            }
            // `Client::new()`, by the custom of the language.
            let makes = family == Family::Rust && matches!(name, "new" | "default") && row.kind() == ExprKind::Path;
            let of_type = makes && view.expr(row.base).is_some_and(|base| view.str(base.name).starts_with(char::is_uppercase));
            if of_type && self.expr(place, row.base, depth + 1) == Some(Shape::Itself) {
                self.id.sure = false;
                return Some(Shape::Value);
            }
            return None;
        }
        let Ty::Func(function) = self.infer.settle(self.infer.ty(place, callee, 0)) else { return None };
        match self.infer.result_of(function, None, 0) {
            Ty::Text { file, owner, text, .. } => self.type_text(Place { file, owner }, text, depth + 1).then_some(Shape::Value),
            _ => None,
        }
    }

    /// What a variable or field of ours holds, if that is of an external type; of a function nothing.
    fn value(&mut self, node: NodeId, depth: u32) -> Option<Shape> {
        let table = &self.infer.scopes.table;
        let def = table.def(node).filter(|_| depth <= DEPTH)?;
        if def.kind().is_callable() || def.kind().is_type() {
            return None;
        }
        let file = table.file_of(node);
        let place = Place { file, owner: node };
        if !def.ty.is_empty() {
            return self.type_text(place, table.str(file, def.ty), depth + 1).then_some(Shape::Value);
        }
        // What another name stands for is told at its own place; only values are followed here.
        (self.expr(place, def.init, depth + 1) == Some(Shape::Value)).then_some(Shape::Value)
    }

    /// The external type that a type text names: that inside a wrapper that is used like its content.
    fn type_text(&mut self, place: Place, text: &str, depth: u32) -> bool {
        let Some(parsed) = types::parse(text).filter(|_| depth <= DEPTH) else { return false };
        if parsed.head.is_empty() || matches!(parsed.head, "Self" | "self" | "this" | "static") {
            return false;
        }
        if types::is_transparent(parsed.head)
            && let Some(inner) = parsed.args.first()
        {
            return self.type_text(place, inner, depth + 1);
        }
        let table = &self.infer.scopes.table;
        let Some(family) = self.family(place.file) else { return false };
        let head = parsed.head.trim_start_matches(':');
        if family == Family::Php {
            return self.php_type(place, head);
        }
        if !matches!(self.infer.type_node(place, head), Entity::External | Entity::None) {
            return false;
        }
        let mut parts = head.split(['.', ':', '\\']).filter(|part| !part.is_empty());
        let Some(first) = parts.next() else { return false };
        if self.free(place, table.name(first), first, depth + 1) == Some(Shape::Itself) {
            parts.for_each(|part| self.id.member(part));
            return true;
        }
        // A package that is written out.
        let written = head.contains('.') && matches!(family, Family::Jvm | Family::CSharp);
        let known = ["java.", "javax.", "kotlin.", "scala.", "System."].iter().any(|lead| head.starts_with(lead));
        written && known && self.qualified(family, head)
    }

    fn qualified(&mut self, family: Family, head: &str) -> bool {
        if family == Family::Jvm {
            return self.id.module(family, "java", head);
        }
        let Some((space, name)) = head.rsplit_once('.') else { return false };
        let made = self.id.module(family, "csharp", space);
        self.id.member(name);
        made
    }

    /// PHP names are those of imports, or of the root where a backslash leads.
    fn php_type(&mut self, place: Place, head: &str) -> bool {
        let scopes = self.infer.scopes;
        if !matches!(scopes.php_type(place.file, place.owner, head), Entity::External | Entity::None) {
            return false;
        }
        let first = head.trim_start_matches('\\').split('\\').next().unwrap_or(head);
        if !head.starts_with('\\') {
            let view = scopes.table.views[place.file];
            let mut named = view.imports.iter().filter(|row| view.str(row.alias).eq_ignore_ascii_case(first));
            if let Some(row) = named.next() {
                return head == first && self.import(place.file, row, 0);
            }
            // Inside a namespace a bare name is one of that namespace.
            if !scopes.table.package(place.file).is_empty() {
                return false;
            }
        }
        self.id.module(Family::Php, "php", head)
    }
}
