//! OCaml: a file is a module under its capitalised name; `dune` says which folders are libraries, whose modules others see
//! through the library's own module.

use rustc_hash::FxHashMap;

use super::{Manifest, Module, Package, folder};
use crate::facts::model::{Kind, NONE, import_flag};
use crate::graph::NodeId;
use crate::lang::Family;
use crate::link::scope::{Entity, Scopes, Want};
use crate::link::table::{NameId, Table};

#[derive(Debug, Default)]
pub(crate) struct OcamlModules {
    /// Folder, then capitalised name: the implementation, else the interface.
    by_folder: FxHashMap<String, FxHashMap<String, u32>>,
    /// Capitalised library name to its folder.
    libraries: FxHashMap<String, String>,
    /// Folder of a library to its package.
    packages: FxHashMap<String, u32>,
    /// Constructors and fields by the module that holds their type.
    inner: FxHashMap<(NodeId, NameId), Vec<NodeId>>,
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

impl OcamlModules {
    pub fn new(table: &Table<'_>, manifests: &[Manifest], packages: &mut Vec<Package>) -> Self {
        let mut found = OcamlModules::default();
        for (at, file) in table.files.iter().enumerate().filter(|(at, _)| table.family(*at) == Some(Family::Ocaml)) {
            let base = file.path.rsplit('/').next().unwrap_or("");
            let stem = base.split('.').next().unwrap_or("");
            let modules = found.by_folder.entry(folder(&file.path).to_owned()).or_default();
            // `.ml` sorts before `.mli`: what is defined stands before what is only promised.
            modules.entry(capitalised(stem)).or_insert(at as u32);
            found.members(table, at);
        }
        for manifest in manifests.iter().filter(|manifest| manifest.path.rsplit('/').next() == Some("dune")) {
            let folder = folder(&manifest.path);
            let Some(modules) = found.by_folder.get(folder) else { continue };
            for (at, _) in manifest.text.match_indices("(library") {
                let stanza = &manifest.text[at + 8..];
                let stanza = &stanza[..stanza.find("(library").unwrap_or(stanza.len())];
                let Some(name) = field(stanza, "(name") else { continue };
                found.libraries.entry(capitalised(name)).or_insert_with(|| folder.to_owned());
                if !found.packages.contains_key(folder) {
                    let mut files: Vec<u32> = modules.values().copied().collect();
                    files.sort_unstable();
                    packages.push(Package { files, names: Vec::new() });
                    found.packages.insert(folder.to_owned(), packages.len() as u32 - 1);
                }
            }
        }
        found
    }

    fn members(&mut self, table: &Table<'_>, file: usize) {
        let base = table.files[file].base;
        let view = &table.views[file];
        for (index, def) in view.defs.iter().enumerate().filter(|(_, def)| def.parent != NONE) {
            if matches!(def.kind(), Kind::EnumMember | Kind::Field) && view.defs[def.parent as usize].kind() != Kind::Class {
                let node = base + 1 + index as u32;
                let holder = table.parents[(base + 1 + def.parent) as usize];
                self.inner.entry((holder, table.node_name[node as usize])).or_default().push(node);
            }
        }
    }

    /// The module that a capitalised word names in a file: a neighbour, or a library.
    pub fn named(&self, table: &Table<'_>, file: usize, word: &str) -> Module {
        let path = &table.files[file].path;
        let own = |at: u32| Module::Node(table.files[at as usize].base);
        let here = folder(path);
        if let Some(at) = self.by_folder.get(here).and_then(|modules| modules.get(word)) {
            return own(*at);
        }
        let Some(library) = self.libraries.get(word) else { return Module::External };
        // A library's own module, where it has one, says what others see.
        match self.by_folder.get(library).and_then(|modules| modules.get(word)) {
            Some(at) => own(*at),
            None => self.packages.get(library).map_or(Module::Unknown, |package| Module::Package(*package)),
        }
    }

    /// A module of a library.
    pub fn in_package(&self, table: &Table<'_>, packages: &[Package], package: u32, word: &str) -> Option<Module> {
        let first = packages.get(package as usize)?.files.first()?;
        let modules = self.by_folder.get(folder(&table.files[*first as usize].path))?;
        modules.get(word).map(|at| Module::Node(table.files[*at as usize].base))
    }
}

/// The word behind a field's name: `(name cohttp)`.
fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let at = text.find(name)?;
    let rest = text[at + name.len()..].strip_prefix([' ', '\n', '\t'])?.trim_start();
    Some(rest.split([')', ' ', '\n']).next()?.trim_matches('"'))
}

const DEPTH: u32 = 6;

/// Where a name is asked for: a file, the definition around, and how many of the file's `open` lines and aliases count.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot {
    pub file: usize,
    pub owner: NodeId,
    pub upto: usize,
}

impl Spot {
    pub fn new(file: usize, owner: NodeId) -> Spot {
        Spot { file, owner, upto: usize::MAX }
    }
}

impl Scopes<'_> {
    /// The module that a dotted path names.
    pub(crate) fn ocaml_path(&self, spot: Spot, path: &str, depth: u32) -> Module {
        if depth > DEPTH {
            return Module::Unknown;
        }
        let table = &self.table;
        let mut at = Module::Unknown;
        for (index, word) in path.split('.').enumerate() {
            let name = table.name(word);
            at = if index == 0 {
                match self.ocaml_free(spot, name, Want::Any, depth + 1) {
                    Entity::Module(module) => module,
                    Entity::Node(node) if matches!(table.kind(node), Kind::Module | Kind::Interface) => Module::Node(node),
                    _ => self.ocaml_file(spot, word, depth + 1),
                }
            } else {
                self.ocaml_inside(at, name, word, depth + 1)
            };
            if matches!(at, Module::External | Module::Unknown) {
                return at;
            }
        }
        at
    }

    /// The module of a file: of an opened library, a neighbour, or a library's own.
    fn ocaml_file(&self, spot: Spot, word: &str, depth: u32) -> Module {
        let table = &self.table;
        for index in self.ocaml_seen(spot) {
            if table.views[spot.file].imports[index].flags & import_flag::WILDCARD == 0 {
                continue;
            }
            if let Module::Package(package) = self.ocaml_row(spot.file, index, depth)
                && let Some(found) = self.modules.ocaml.in_package(table, &self.modules.packages, package, word)
            {
                return found;
            }
        }
        self.modules.ocaml.named(table, spot.file, word)
    }

    /// The rows of a file's imports that count at a place, the last first.
    fn ocaml_seen(&self, spot: Spot) -> impl Iterator<Item = usize> + '_ {
        let table = &self.table;
        let rows = table.views[spot.file].imports;
        let base = table.files[spot.file].base;
        (0..rows.len().min(spot.upto)).rev().filter(move |index| {
            let place = if rows[*index].owner == NONE { base } else { base + 1 + rows[*index].owner };
            place == spot.owner || place == base || table.ancestors(spot.owner).any(|above| above == place)
        })
    }

    /// What a row's module is; it is read with the rows before it.
    pub(crate) fn ocaml_row(&self, file: usize, index: usize, depth: u32) -> Module {
        if let Some(imports) = self.imports.get(file) {
            return match imports.rows.get(index) {
                Some(Entity::Module(module)) => *module,
                Some(Entity::External) => Module::External,
                _ => Module::Unknown,
            };
        }
        let table = &self.table;
        let row = &table.views[file].imports[index];
        let base = table.files[file].base;
        let owner = if row.owner == NONE { base } else { base + 1 + row.owner };
        self.ocaml_path(Spot { file, owner, upto: index }, table.str(file, row.module), depth + 1)
    }

    /// A module inside a module.
    pub(crate) fn ocaml_inside(&self, module: Module, name: NameId, word: &str, depth: u32) -> Module {
        let table = &self.table;
        match module {
            Module::Package(package) => {
                let found = self.modules.ocaml.in_package(table, &self.modules.packages, package, word);
                found.unwrap_or(Module::Unknown)
            }
            Module::Node(node) => match self.ocaml_lookup(node, name, Want::Any, depth) {
                Entity::Module(module) => module,
                Entity::Node(found) if matches!(table.kind(found), Kind::Module | Kind::Interface) => Module::Node(found),
                Entity::External => Module::External,
                _ => Module::Unknown,
            },
            other => other,
        }
    }

    /// What others see under a name in a file or inner module: what it defines, the modules it names, what it includes.
    pub(crate) fn ocaml_lookup(&self, node: NodeId, name: NameId, want: Want, depth: u32) -> Entity {
        if name == NONE || depth > DEPTH {
            return Entity::None;
        }
        let own = self.ocaml_own(node, name, want, None);
        if own != Entity::None {
            return own;
        }
        let table = &self.table;
        let file = table.file_of(node);
        let base = table.files[file].base;
        let mut external = false;
        for (index, row) in table.views[file].imports.iter().enumerate().rev() {
            let place = if row.owner == NONE { base } else { base + 1 + row.owner };
            if place != node || row.flags & (import_flag::REEXPORT | import_flag::MODULE) == 0 {
                continue;
            }
            let found = self.ocaml_through(file, index, name, want, depth);
            external |= found == Entity::External;
            if !matches!(found, Entity::None | Entity::External) {
                return found;
            }
        }
        if external { Entity::External } else { Entity::None }
    }

    /// What one row brings in under a name.
    fn ocaml_through(&self, file: usize, index: usize, name: NameId, want: Want, depth: u32) -> Entity {
        let table = &self.table;
        let row = &table.views[file].imports[index];
        let is_alias = row.flags & import_flag::MODULE != 0;
        if is_alias && (table.name_of(file, row.alias) != name || want == Want::Type) {
            return Entity::None;
        }
        match self.ocaml_row(file, index, depth + 1) {
            Module::External => Entity::External,
            module if is_alias => Entity::Module(module),
            Module::Node(target) => self.ocaml_lookup(target, name, want, depth + 1),
            _ => Entity::None,
        }
    }

    /// Definitions of a name in one module, the last before a place or the last at all; constructors and fields where no two
    /// types have one of that name.
    fn ocaml_own(&self, node: NodeId, name: NameId, want: Want, before: Option<NodeId>) -> Entity {
        let table = &self.table;
        let fits = |other: &NodeId| {
            let kind = table.kind(*other);
            // An exception is written like a constructor; classes are made with `new`.
            match want {
                Want::Type => kind.is_type(),
                _ => !kind.is_type() || matches!(kind, Kind::Class | Kind::Interface),
            }
        };
        let all: Vec<NodeId> = table.members(node, name).iter().copied().filter(fits).collect();
        let earlier = before.and_then(|before| all.iter().copied().rfind(|other| *other < before));
        if let Some(found) = earlier.or_else(|| if before.is_some() { all.first() } else { all.last() }.copied()) {
            return Entity::Node(found);
        }
        match self.modules.ocaml.inner.get(&(node, name)).map(Vec::as_slice) {
            Some([one]) if want != Want::Type && table.kind(*one) == Kind::EnumMember => Entity::Node(*one),
            _ => Entity::None,
        }
    }

    /// The field of a name that is alone in its module.
    pub(crate) fn ocaml_field_of(&self, module: NodeId, name: NameId) -> Option<NodeId> {
        match self.modules.ocaml.inner.get(&(module, name)).map(Vec::as_slice) {
            Some([one]) if self.table.kind(*one) == Kind::Field => Some(*one),
            _ => None,
        }
    }

    /// The field of a name in scope: of the modules around, then of what is opened.
    pub(crate) fn ocaml_field(&self, spot: Spot, name: NameId) -> Option<NodeId> {
        let table = &self.table;
        let mut around = std::iter::once(spot.owner).chain(table.ancestors(spot.owner));
        if let Some(found) = around.find_map(|above| self.ocaml_field_of(above, name)) {
            return Some(found);
        }
        let rows = table.views[spot.file].imports;
        let opened = self.ocaml_seen(spot).filter(|index| rows[*index].flags & import_flag::WILDCARD != 0);
        let found = opened.filter_map(|index| match self.ocaml_row(spot.file, index, 0) {
            Module::Node(node) => self.ocaml_field_of(node, name),
            _ => None,
        });
        found.take(1).next()
    }

    /// A bare name: of the modules around, innermost first, then of what is opened.
    pub(crate) fn ocaml_free(&self, spot: Spot, name: NameId, want: Want, depth: u32) -> Entity {
        let table = &self.table;
        if name == NONE || depth > DEPTH {
            return Entity::None;
        }
        let base = table.files[spot.file].base;
        let mut below = spot.owner;
        for above in std::iter::once(spot.owner).chain(table.ancestors(spot.owner)) {
            if above == base || matches!(table.kind(above), Kind::Module | Kind::Interface) {
                let found = self.ocaml_own(above, name, want, (below != above).then_some(below));
                if found != Entity::None {
                    return found;
                }
            }
            below = above;
        }
        let mut unknown = false;
        for index in self.ocaml_seen(spot) {
            let found = self.ocaml_through(spot.file, index, name, want, depth);
            if !matches!(found, Entity::None | Entity::External) {
                return found;
            }
            unknown |= found == Entity::None && self.ocaml_row(spot.file, index, depth + 1) == Module::Unknown;
        }
        // What is neither ours nor in a module that could not be found is the standard library's or that of an opened one.
        if unknown { Entity::None } else { Entity::External }
    }
}
