//! What a name means at a place: enclosing definitions, the file, its imports, its package.
//!
//! Lexical locals are settled already (facts carry them); everything here is about names that are free in their file.
//!
//! Knows name spaces of each language family, not the types of expressions.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::modules::ocaml::Spot;
use super::modules::{Module, Modules};
use super::table::{NameId, Table, TableParts};
use crate::facts::model::{DefRow, ImportRow, Kind, NONE, flag, import_flag};
use crate::graph::{FileEntry, NodeId, is_test_path};
use crate::lang::Family;

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entity {
    /// A definition.
    Node(NodeId),
    /// A file, namespace or package.
    Module(Module),
    /// Something outside the tracked roots.
    External,
    /// Nothing that is known.
    None,
}

impl Entity {
    fn is_some(self) -> bool {
        !matches!(self, Entity::None | Entity::Module(Module::Unknown))
    }

    fn or_else(self, other: impl FnOnce() -> Entity) -> Entity {
        if self.is_some() { self } else { other() }
    }
}

/// Which of several same-named definitions is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Want {
    /// Something that can be called.
    Call,
    /// A type.
    Type,
    /// Something that is there at run time: a constant and an interface may share a name.
    Value,
    /// Whatever has the name.
    Any,
}

/// One file's imports, resolved.
#[derive(Debug, Default)]
pub(crate) struct FileImports {
    /// (module node the statement stands in, local name, what it is), sorted.
    pub named: Vec<(NodeId, NameId, Entity)>,
    /// (module node, the module whose names are all brought in).
    pub globs: Vec<(NodeId, Module)>,
    /// Per import row what it resolved to.
    pub rows: Vec<Entity>,
}

const DEPTH: u32 = 12;

/// Tables with imports resolved.
#[derive(Debug)]
pub(crate) struct Scopes<'a> {
    pub table: Table<'a>,
    pub modules: Modules,
    pub imports: Vec<FileImports>,
    /// Global names to their nodes, for languages with one program-wide name space.
    pub globals: Vec<(NameId, NodeId)>,
    /// Names of programs without modules (Lua, shells): what a file defines every other file of the program may use.
    program: FxHashMap<(Family, NameId), Vec<NodeId>>,
    /// Macros by name: they are visible by the order of the text, not by path.
    pub macros: FxHashMap<NameId, Vec<NodeId>>,
    /// Members of types outside the tracked roots.
    pub foreign: super::foreign::Foreign,
    /// Awaited events.
    pub events: super::refs::Events,
    /// Services of interface descriptions.
    pub services: super::refs::Services,
    default_name: NameId,
}

/// [`Scopes`] without the files they were made from.
#[derive(Debug)]
pub(crate) struct ScopeParts {
    pub table: TableParts,
    modules: Modules,
    imports: Vec<FileImports>,
    globals: Vec<(NameId, NodeId)>,
    program: FxHashMap<(Family, NameId), Vec<NodeId>>,
    macros: FxHashMap<NameId, Vec<NodeId>>,
    foreign: super::foreign::Foreign,
    events: super::refs::Events,
    services: super::refs::Services,
    default_name: NameId,
}

impl<'a> Scopes<'a> {
    /// Keeps what does not borrow from the files.
    pub fn into_parts(self) -> ScopeParts {
        let Scopes { table, modules, imports, globals, program, macros, foreign, events, services, default_name } = self;
        ScopeParts {
            table: table.into_parts(),
            modules,
            imports,
            globals,
            program,
            macros,
            foreign,
            events,
            services,
            default_name,
        }
    }

    /// The scopes of files that say the same to others as those the parts were made from.
    pub fn from_parts(files: &'a [FileEntry], parts: ScopeParts) -> Self {
        let ScopeParts { table, modules, imports, globals, program, macros, foreign, events, services, default_name } = parts;
        let table = Table::from_parts(files, table);
        Scopes { table, modules, imports, globals, program, macros, foreign, events, services, default_name }
    }

    pub fn new(table: Table<'a>, modules: Modules) -> Self {
        let mut globals: Vec<(NameId, NodeId)> = (0..table.files.len())
            .filter(|at| table.family(*at) == Some(Family::C))
            .flat_map(|at| {
                let base = table.files[at].base;
                let nodes = base + 1..=base + table.views[at].defs.len() as u32;
                nodes.map(|node| (table.node_name[node as usize], node)).collect::<Vec<_>>()
            })
            .filter(|(_, node)| {
                table.ancestors(*node).all(|above| matches!(table.kind(above), Kind::File | Kind::Module))
                    && table.def(*node).is_some_and(|def| def.owner_type.is_empty())
            })
            .collect();
        globals.sort_unstable();
        let default_name = table.name("default");
        let mut macros: FxHashMap<NameId, Vec<NodeId>> = FxHashMap::default();
        for (file, view) in table.files.iter().zip(&table.views) {
            for (index, _) in view.defs.iter().enumerate().filter(|(_, def)| def.kind() == Kind::Macro) {
                let node = file.base + 1 + index as u32;
                macros.entry(table.node_name[node as usize]).or_default().push(node);
            }
        }
        let program = program_names(&table);
        let foreign = FxHashMap::default();
        let events = super::refs::events(&table);
        let services = super::refs::services(&table);
        let mut scopes =
            Scopes { table, modules, imports: Vec::new(), globals, program, macros, foreign, events, services, default_name };
        // Imports are resolved from rows alone first; the sorted tables then make every later look-up cheap.
        let imports = (0..scopes.table.files.len()).into_par_iter().map(|file| scopes.file_imports(file)).collect();
        scopes.imports = imports;
        scopes
    }

    fn file_imports(&self, file: usize) -> FileImports {
        let view = &self.table.views[file];
        let mut found = FileImports::default();
        for row in view.imports {
            let scope = self.import_scope(file, row);
            if row.flags & import_flag::WILDCARD != 0 && row.alias.is_empty() {
                let module = self.import_module(file, row, 0);
                found.globs.push((scope, module));
                found.rows.push(Entity::Module(module));
                continue;
            }
            let entity = self.import_entity(file, row, 0);
            found.rows.push(entity);
            if !row.alias.is_empty() {
                found.named.push((scope, self.table.name_of(file, row.alias), entity));
            }
        }
        found.named.sort_by_key(|(scope, name, _)| (*scope, *name));
        found
    }

    /// The file or namespace in which an import statement stands.
    pub(super) fn import_scope(&self, file: usize, row: &ImportRow) -> NodeId {
        let base = self.table.files[file].base;
        if row.owner == NONE {
            return base;
        }
        let owner = base + 1 + row.owner;
        self.module_of(owner)
    }

    /// The innermost file or namespace around (or at) a node.
    pub fn module_of(&self, node: NodeId) -> NodeId {
        let is_module = |at: NodeId| matches!(self.table.kind(at), Kind::File | Kind::Module);
        if is_module(node) {
            return node;
        }
        self.table.ancestors(node).find(|at| is_module(*at)).unwrap_or(node)
    }

    pub(super) fn import_module(&self, file: usize, row: &ImportRow, depth: u32) -> Module {
        let text = self.table.str(file, row.module);
        if self.table.family(file) == Some(Family::Ocaml) {
            let index = self.table.views[file].imports.iter().position(|other| std::ptr::eq(other, row));
            return index.map_or(Module::Unknown, |index| self.ocaml_row(file, index, depth));
        }
        if self.table.family(file) == Some(Family::Rust) {
            let module = self.import_scope(file, row);
            let entity = self.rust_path(module, text, depth);
            return match entity {
                Entity::Module(module) => module,
                // `use Type::*` brings in an enum's variants.
                Entity::Node(node) => Module::Node(node),
                Entity::External => Module::External,
                Entity::None => Module::Unknown,
            };
        }
        self.modules.resolve(&self.table, file, text, row.flags)
    }

    /// What one import row brings in.
    fn import_entity(&self, file: usize, row: &ImportRow, depth: u32) -> Entity {
        if depth > DEPTH {
            return Entity::None;
        }
        let table = &self.table;
        let rust = table.family(file) == Some(Family::Rust);
        if table.family(file) == Some(Family::Php) {
            return self.php_import(file, row);
        }
        // What an import hides it does not bring in; a part is a file.
        if table.family(file) == Some(Family::Dart) && row.flags & (import_flag::TYPE_ONLY | import_flag::SYSTEM) != 0 {
            let is_part = row.flags & import_flag::SYSTEM != 0;
            return if is_part { Entity::Module(self.import_module(file, row, depth + 1)) } else { Entity::None };
        }
        if row.flags & import_flag::SUBMODULE != 0 {
            let scope = self.import_scope(file, row);
            let child = self.modules.rust.children.get(&(scope, table.name_of(file, row.alias)));
            return child.map_or(Entity::None, |node| Entity::Module(Module::Node(*node)));
        }
        let module = self.import_module(file, row, depth + 1);
        if row.flags & import_flag::MODULE != 0 || (row.name.is_empty() && !rust) {
            return match module {
                Module::Node(node) if table.family(file) == Some(Family::Lua) => self.lua_value(node, depth),
                Module::External => Entity::External,
                other => Entity::Module(other),
            };
        }
        if rust && table.str(file, row.module).is_empty() {
            // `use krate;` or `use name;`
            return self.rust_path(self.import_scope(file, row), table.str(file, row.name), depth + 1);
        }
        let name_text = table.str(file, row.name);
        let name = if row.flags & import_flag::DEFAULT != 0 { self.default_name } else { table.name_of(file, row.name) };
        match module {
            Module::External => Entity::External,
            Module::Unknown => Entity::None,
            Module::Node(_) | Module::Package(_) => {
                // An import brings in a module and a function of one name together; the function says more.
                let found = self.lookup(module, name, if rust { Want::Call } else { Want::Any }, true, depth + 1);
                found.or_else(|| match (table.family(file), module) {
                    (Some(Family::Python), Module::Node(node)) => {
                        let target = table.file_of(node);
                        self.modules.python_submodule(table, target, name_text).map_or(Entity::None, Entity::Module)
                    }
                    // `export *` of a default is reached by no name; `import x = require` gives the module itself.
                    (Some(Family::Script), Module::Node(_)) if row.flags & import_flag::DEFAULT != 0 => Entity::Module(module),
                    (Some(Family::Jvm), _) => {
                        let full = format!("{}.{name_text}", table.str(file, row.module));
                        match self.modules.resolve(table, file, &full, 0) {
                            Module::Node(node) => Entity::Node(node),
                            Module::External => Entity::External,
                            Module::Package(_) if table.language(file) == "scala" => {
                                Entity::Module(self.modules.resolve(table, file, &full, 0))
                            }
                            _ => Entity::None,
                        }
                    }
                    _ => Entity::None,
                })
            }
        }
    }

    /// The entity a Rust path names, seen from a module.
    pub fn rust_path(&self, module: NodeId, path: &str, depth: u32) -> Entity {
        if depth > DEPTH {
            return Entity::None;
        }
        let mut at = Entity::Module(Module::Node(module));
        for (index, segment) in path.split("::").enumerate() {
            let segment = segment.trim();
            at = match segment {
                "" if index == 0 => continue,
                "crate" | "$crate" => Entity::Module(Module::Node(self.modules.rust.root(&self.table, module))),
                "self" => at,
                "super" => match at {
                    Entity::Module(Module::Node(node)) => match self.modules.rust.parent(&self.table, node) {
                        Some(parent) => Entity::Module(Module::Node(self.module_of(parent))),
                        None => return Entity::None,
                    },
                    _ => return Entity::None,
                },
                name => {
                    let id = self.table.name(name);
                    let inside = match at {
                        Entity::Module(here) => self.lookup(here, id, Want::Any, index > 0, depth + 1),
                        Entity::Node(node) if self.table.kind(node) == Kind::Module => {
                            self.lookup(Module::Node(node), id, Want::Any, true, depth + 1)
                        }
                        Entity::Node(node) => self.first_member(node, id),
                        Entity::External => return Entity::External,
                        Entity::None => return Entity::None,
                    };
                    match inside {
                        found if found.is_some() => found,
                        _ if index == 0 => match self.modules.krate(&self.table, self.table.file_of(module), name) {
                            Some(root) => Entity::Module(Module::Node(root)),
                            None => return Entity::External,
                        },
                        _ => return Entity::None,
                    }
                }
            };
        }
        at
    }

    fn first_member(&self, node: NodeId, name: NameId) -> Entity {
        self.table.members(node, name).first().map_or(Entity::None, |node| Entity::Node(*node))
    }

    /// The name in a module: its definitions, then what it imports, then what it brings in wholesale. `outside` asks for what
    /// other modules see.
    pub fn lookup(&self, module: Module, name: NameId, want: Want, outside: bool, depth: u32) -> Entity {
        if name == NONE || depth > DEPTH {
            return Entity::None;
        }
        let node = match module {
            Module::Node(node) => node,
            Module::Package(package) => {
                let names = &self.modules.packages[package as usize].names;
                let from = names.partition_point(|(other, _)| *other < name);
                let found = names[from..].iter().take_while(|(other, _)| *other == name).map(|(_, node)| *node);
                return self.pick(found, want);
            }
            Module::External => return Entity::External,
            Module::Unknown => return Entity::None,
        };
        let table = &self.table;
        let file = table.file_of(node);
        let family = table.family(file);
        if family == Some(Family::Ocaml) {
            return self.ocaml_lookup(node, name, want, depth);
        }
        if family == Some(Family::Dart) {
            return self.dart_lookup(file, name, want, outside, depth);
        }
        if outside && family == Some(Family::Script) {
            let exported = self.script_export(file, node, name, want, depth);
            if exported.is_some() {
                return exported;
            }
        }
        if outside && family == Some(Family::Lua) && table.kind(node) == Kind::File {
            return self.lua_export(node, name, want, depth);
        }
        let own = table.members(node, name).iter().copied();
        // The title of `it("x")` names a test, not a value that code could mean.
        let titles = match family {
            Some(Family::Script | Family::Zig) => flag::TEST,
            Some(Family::Shell | Family::Lua) => flag::TEST | flag::IN_TEST,
            _ => 0,
        };
        let jvm = family == Some(Family::Jvm);
        let nameable = |def: &DefRow| (jvm || def.owner_type.is_empty()) && def.flags & titles == 0;
        let own = self.pick(own.filter(|at| table.def(*at).is_some_and(nameable)), want);
        if own.is_some() {
            return own;
        }
        if let Some(child) = self.modules.rust.children.get(&(node, name)) {
            // `mod spawn; pub use spawn::spawn;`: a module is not called, the function of its name is.
            let called = match want {
                Want::Call => self.imported(file, node, name, outside, depth),
                _ => Entity::None,
            };
            return if matches!(called, Entity::Node(_)) { called } else { Entity::Module(Module::Node(*child)) };
        }
        if family == Some(Family::C) && table.kind(node) == Kind::Module {
            return self.c_in_namespace(node, name, want);
        }
        let imported = self.imported(file, node, name, outside, depth);
        let imported = if family == Some(Family::Script) { self.namesake(imported, want) } else { imported };
        imported.or_else(|| self.globbed(file, node, name, want, outside, depth))
    }

    fn script_export(&self, file: usize, node: NodeId, name: NameId, want: Want, depth: u32) -> Entity {
        let table = &self.table;
        let view = &table.views[file];
        if name == self.default_name {
            let base = table.files[file].base;
            let found = view.defs.iter().position(|def| def.has(flag::DEFAULT_EXPORT));
            if let Some(index) = found {
                return Entity::Node(base + 1 + index as u32);
            }
        }
        for row in view.exports.iter().filter(|row| table.name_of(file, row.exported) == name) {
            let local = table.name_of(file, row.local);
            if local == name && name != self.default_name {
                continue; // the plain look-up below finds it
            }
            let found = self.lookup(Module::Node(node), local, want, false, depth + 1);
            if found.is_some() {
                return found;
            }
        }
        Entity::None
    }

    fn imported(&self, file: usize, node: NodeId, name: NameId, outside: bool, depth: u32) -> Entity {
        let table = &self.table;
        if let Some(imports) = self.imports.get(file) {
            let from = imports.named.partition_point(|(scope, other, _)| (*scope, *other) < (node, name));
            let same = imports.named[from..].iter().take_while(|(scope, other, _)| (*scope, *other) == (node, name));
            // `mod spawn;` is a row too; modules below are found before imports are asked.
            let mut known = same.map(|(.., entity)| *entity).filter(|entity| entity.is_some());
            let first = known.next().unwrap_or(Entity::None);
            return match first {
                Entity::Module(_) => known.find(|entity| matches!(entity, Entity::Node(_))).unwrap_or(first),
                other => other,
            };
        }
        // Before the tables exist (while they are being made) the rows are looked at directly.
        let view = &table.views[file];
        let script = table.family(file) == Some(Family::Script);
        for row in view.imports {
            if row.flags & import_flag::SUBMODULE != 0
                || row.alias.is_empty()
                || table.name_of(file, row.alias) != name
                || self.import_scope(file, row) != node
            {
                continue;
            }
            if outside && script && row.flags & import_flag::REEXPORT == 0 && !self.exports_local(file, name) {
                continue;
            }
            let found = self.import_entity(file, row, depth + 1);
            if found.is_some() {
                return found;
            }
        }
        Entity::None
    }

    /// Of a definition that was imported by name, the one of its namesakes that is wanted: an import brings in all of them.
    fn namesake(&self, entity: Entity, want: Want) -> Entity {
        let Entity::Node(node) = entity else { return entity };
        let Some(parent) = self.table.parents.get(node as usize).filter(|parent| **parent != NONE) else { return entity };
        match self.table.members(*parent, self.table.node_name[node as usize]) {
            [] | [_] => entity,
            _ if want == Want::Any => entity,
            many => self.pick(many.iter().copied(), want),
        }
    }

    fn exports_local(&self, file: usize, name: NameId) -> bool {
        self.table.views[file].exports.iter().any(|row| self.table.name_of(file, row.local) == name)
    }

    fn globbed(&self, file: usize, node: NodeId, name: NameId, want: Want, outside: bool, depth: u32) -> Entity {
        if let Some(imports) = self.imports.get(file)
            && imports.globs.is_empty()
        {
            return Entity::None;
        }
        // What such a file includes is seen in it alone: edits are relinked on that understanding.
        if outside && self.table.family(file) == Some(Family::Plain) {
            return Entity::None;
        }
        let view = &self.table.views[file];
        let script = self.table.family(file) == Some(Family::Script);
        for (index, row) in view.imports.iter().enumerate() {
            let glob = row.flags & import_flag::WILDCARD != 0 && row.alias.is_empty();
            if !glob || self.import_scope(file, row) != node || (script && name == self.default_name) {
                continue;
            }
            if script && outside && row.flags & import_flag::REEXPORT == 0 {
                continue;
            }
            let module = match self.imports.get(file).and_then(|imports| imports.rows.get(index)) {
                Some(Entity::Module(module)) => *module,
                Some(_) => continue,
                None => self.import_module(file, row, depth + 1),
            };
            if matches!(module, Module::External | Module::Unknown) || module == Module::Node(node) {
                continue;
            }
            let found = match module {
                Module::Node(target) if self.table.kind(target).is_type() => self.first_member(target, name),
                other => self.lookup(other, name, want, true, depth + 1),
            };
            if found.is_some() {
                return found;
            }
        }
        Entity::None
    }

    /// The one that is wanted among same-named definitions of one scope; a definition with a body before a declaration.
    pub fn pick(&self, nodes: impl Iterator<Item = NodeId>, want: Want) -> Entity {
        let fits = |kind: Kind| match want {
            Want::Call => kind.is_callable(),
            Want::Type => kind.is_type(),
            Want::Value => !matches!(kind, Kind::Interface | Kind::TypeAlias),
            Want::Any => true,
        };
        let best = nodes
            .filter_map(|node| self.table.def(node).map(|def| (node, def)))
            .min_by_key(|(node, def)| (!fits(def.kind()), self.stands_back(*node, def), self.is_object(*node, def, want), *node));
        best.map_or(Entity::None, |(node, _)| Entity::Node(node))
    }

    /// Whether a class is meant before the object of its name.
    fn is_object(&self, node: NodeId, def: &DefRow, want: Want) -> bool {
        let split = |node| matches!(self.table.family(self.table.file_of(node)), Some(Family::Jvm | Family::CSharp));
        want == Want::Type && def.has(flag::STATIC) && split(node)
    }

    /// Whether another definition of the same name is meant first: one with a body before a declaration, but what Kotlin
    /// code for all platforms expects before what each platform has.
    fn stands_back(&self, node: NodeId, def: &DefRow) -> u8 {
        let declared = def.has(flag::DECLARATION);
        let kind = def.kind();
        if declared
            && (kind.is_type() || kind == Kind::Function)
            && self.table.family(self.table.file_of(node)) == Some(Family::Jvm)
        {
            return 0;
        }
        if declared && !kind.is_type() { 2 } else { 1 }
    }

    /// The free name `name` inside `owner`, where the enclosing type's members do not count.
    pub fn free(&self, file: usize, owner: NodeId, name: NameId, want: Want) -> Entity {
        let table = &self.table;
        let family = table.family(file);
        if family == Some(Family::Php) {
            return self.php_free(file, owner, name, want);
        }
        if family == Some(Family::Ocaml) {
            return self.ocaml_free(Spot::new(file, owner), name, want, 0);
        }
        let base = table.files[file].base;
        let mut inner = false;
        for above in std::iter::once(owner).chain(table.ancestors(owner)) {
            if above == base {
                break;
            }
            if table.kind(above) == Kind::Module {
                let found = self.lookup(Module::Node(above), name, want, false, 0);
                if found.is_some() {
                    return found;
                }
                inner = true;
                if family == Some(Family::Rust) {
                    break;
                }
            }
        }
        if family == Some(Family::Rust) && inner {
            return Entity::None;
        }
        if family == Some(Family::CSharp) {
            let found = self.in_namespaces(owner, name, want);
            if found.is_some() {
                return found;
            }
        }
        let found = self.lookup(Module::Node(base), name, want, false, 0);
        if found.is_some() {
            return found;
        }
        match family {
            Some(Family::CSharp) => self.used_everywhere(file, name, want),
            Some(Family::Go | Family::Jvm) => match self.modules.file_package[file] {
                NONE => Entity::None,
                package => {
                    let found = self.lookup(Module::Package(package), name, want, false, 0);
                    if family == Some(Family::Jvm) { found.or_else(|| self.in_outer_packages(file, name, want)) } else { found }
                }
            },
            Some(Family::C) => self.c_global(file, name, want),
            Some(Family::Swift) => self.swift_free(file, name, want),
            Some(family @ (Family::Lua | Family::Shell)) => self.program_name(family, file, name, want),
            _ => Entity::None,
        }
    }

    /// A name that another file of the program defines, where only one does. In a program without modules that is what the
    /// name means, but a repository may hold several programs: see [`Scopes::is_by_name`].
    fn program_name(&self, family: Family, file: usize, name: NameId, want: Want) -> Entity {
        let table = &self.table;
        let repo = table.files[file].repo;
        let all = self.program.get(&(family, name)).map_or(&[][..], Vec::as_slice);
        let place = |node: &NodeId| table.file_of(*node);
        let sourced = all.iter().copied().filter(|node| self.modules.shell.sources(file, place(node)));
        let found = self.pick(sourced, want);
        if found.is_some() {
            return found;
        }
        let only = |nodes: &mut dyn Iterator<Item = NodeId>| nodes.next().filter(|_| nodes.next().is_none());
        let tests = is_test_path(&table.files[file].path);
        let mut shared = all.iter().copied().filter(|node| self.modules.shell.shares(file, place(node)));
        let mut anywhere = all.iter().copied().filter(|node| {
            let other = &table.files[place(node)];
            other.repo == repo && (tests || !is_test_path(&other.path))
        });
        only(&mut shared).or_else(|| only(&mut anywhere)).map_or(Entity::None, Entity::Node)
    }

    /// Whether a free name was bound because nothing else in the repository has it, not because the file asks for it.
    pub fn is_by_name(&self, file: usize, name: NameId, node: NodeId) -> bool {
        let other = self.table.file_of(node);
        if other == file || !matches!(self.table.family(file), Some(Family::Lua | Family::Shell)) {
            return false;
        }
        let imported = self.imports[file].named.iter().any(|(_, alias, _)| *alias == name);
        !imported && !self.modules.shell.sources(file, other)
    }

    /// Scala: a name in the packages around the file's own.
    fn in_outer_packages(&self, file: usize, name: NameId, want: Want) -> Entity {
        let table = &self.table;
        let around = Modules::namespaces_around(table, table.files[file].base).skip(1).filter(|package| !package.is_empty());
        let mut found =
            around.map(|package| match self.modules.java.package(&self.modules.ties, table.files[file].repo, package) {
                Some(package) => self.lookup(Module::Package(package), name, want, false, 0),
                None => Entity::None,
            });
        found.find(|entity| entity.is_some()).unwrap_or(Entity::None)
    }

    /// C#: a name in the namespaces around a node, innermost first.
    fn in_namespaces(&self, owner: NodeId, name: NameId, want: Want) -> Entity {
        let around = Modules::namespaces_around(&self.table, owner);
        let packages = around.filter_map(|namespace| self.modules.csharp.namespace(namespace));
        let mut found = packages.map(|package| self.lookup(Module::Package(package), name, want, false, 0));
        found.find(|entity| entity.is_some()).unwrap_or(Entity::None)
    }

    /// C#: a name in a namespace or type that the whole project uses.
    fn used_everywhere(&self, file: usize, name: NameId, want: Want) -> Entity {
        let used = self.modules.csharp.global_usings(&self.table.files[file].path);
        let mut found = used.map(|text| match self.modules.resolve(&self.table, file, text, 0) {
            Module::Node(ty) => self.first_member(ty, name),
            Module::External => Entity::None,
            module => self.lookup(module, name, want, true, 0),
        });
        found.find(|entity| entity.is_some()).unwrap_or(Entity::None)
    }

    /// A program-wide name: in a visible header or file first, else the only definition there is.
    fn c_global(&self, file: usize, name: NameId, want: Want) -> Entity {
        let candidates = self.c_candidates(file, name);
        let visible = candidates.iter().copied().filter(|node| self.modules.includes(file, self.table.file_of(*node)));
        let seen = self.pick(visible, want);
        match seen {
            Entity::Node(node) => Entity::Node(self.definition_of(node)),
            _ => match candidates.as_slice() {
                [] => Entity::None,
                many => {
                    let defined: Vec<_> = many.iter().map(|node| self.definition_of(*node)).collect();
                    if defined.iter().all(|node| *node == defined[0]) { Entity::Node(defined[0]) } else { Entity::None }
                }
            },
        }
    }

    /// C++: a name of a namespace that another file, or another place of the file, opens again.
    fn c_in_namespace(&self, namespace: NodeId, name: NameId, want: Want) -> Entity {
        let table = &self.table;
        let file = table.file_of(namespace);
        let path = |node: NodeId| -> Vec<NameId> {
            let above = std::iter::once(node).chain(table.ancestors(node)).filter(|at| table.kind(*at) == Kind::Module);
            above.map(|at| table.node_name[at as usize]).collect()
        };
        let own = path(namespace);
        let opened = |node: &NodeId| {
            let parent = table.parents.get(*node as usize).copied().unwrap_or(NONE);
            table.kind(parent) == Kind::Module && {
                let other = path(parent);
                // A macro may stand for the outer namespace in one of the files.
                own.starts_with(&other) || other.starts_with(&own)
            }
        };
        let all: Vec<NodeId> = self.c_candidates(file, name).into_iter().filter(opened).collect();
        let near = |node: &NodeId| {
            let other = table.file_of(*node);
            other == file || self.modules.includes(file, other) || self.modules.includes(other, file)
        };
        match self.pick(all.iter().copied().filter(near), want) {
            Entity::Node(found) => Entity::Node(self.definition_of(found)),
            _ => Entity::None,
        }
    }

    fn c_candidates(&self, file: usize, name: NameId) -> Vec<NodeId> {
        let table = &self.table;
        let repo = table.files[file].repo;
        let from = self.globals.partition_point(|(other, _)| *other < name);
        let same = self.globals[from..].iter().take_while(|(other, _)| *other == name).map(|(_, node)| *node);
        same.filter(|node| {
            let other = table.file_of(*node);
            let private = table.def(*node).is_some_and(|def| def.visibility() == crate::facts::Visibility::Private);
            let header = table.files[other].path.rsplit('.').next().is_some_and(|ending| ending.starts_with('h'));
            // A test that includes a `.c` file sees its static names as well.
            table.files[other].repo == repo && (other == file || !private || header || self.modules.includes(file, other))
        })
        .collect()
    }

    /// For a prototype the definition it announces, when there is exactly one; otherwise the node itself.
    pub fn definition_of(&self, node: NodeId) -> NodeId {
        let table = &self.table;
        let Some(def) = table.def(node) else { return node };
        if !def.has(flag::DECLARATION) || !matches!(def.kind(), Kind::Function | Kind::Variable) {
            return node;
        }
        let file = table.file_of(node);
        if table.family(file) != Some(Family::C) {
            return node;
        }
        let mut defined = self.c_candidates(file, table.node_name[node as usize]);
        defined.retain(|other| table.def(*other).is_some_and(|row| !row.has(flag::DECLARATION) && row.kind() == def.kind()));
        match defined.as_slice() {
            [one] => *one,
            many => {
                // Several programs in one repository: the definition whose file includes this header, if it is alone.
                let including: Vec<_> = many.iter().filter(|other| self.modules.includes(table.file_of(**other), file)).collect();
                if let [one] = including.as_slice() { **one } else { node }
            }
        }
    }
}

fn program_names(table: &Table<'_>) -> FxHashMap<(Family, NameId), Vec<NodeId>> {
    let mut program: FxHashMap<(Family, NameId), Vec<NodeId>> = FxHashMap::default();
    for (at, file) in table.files.iter().enumerate() {
        let Some(family @ (Family::Lua | Family::Shell)) = table.family(at) else { continue };
        for (index, def) in table.views[at].defs.iter().enumerate() {
            if def.parent == NONE && def.owner_type.is_empty() && def.has(flag::EXPORTED) && !def.has(flag::TEST) {
                let node = file.base + 1 + index as u32;
                program.entry((family, table.node_name[node as usize])).or_default().push(node);
            }
        }
    }
    program
}
