//! PHP: name spaces by name, across files and folders; `use` lines; the prefixes that `composer.json` maps to folders.
//!
//! All files are known, so a class is found by its full name and needs no autoload rule. The rules tell one thing: whether a
//! name that was not found would have been ours.

use rustc_hash::FxHashMap;

use super::{Manifest, Module, Modules, Package, folder, join};
use crate::facts::model::{ImportRow, Kind, NONE, flag, import_flag};
use crate::graph::NodeId;
use crate::lang::Family;
use crate::link::scope::{Entity, Scopes, Want};
use crate::link::table::{NameId, Table};

#[derive(Debug, Default)]
pub(crate) struct PhpSpaces {
    by_name: FxHashMap<String, u32>,
    /// Name spaces that `composer.json` files map to folders: prefix without the `\` at the end, and folder.
    rules: Vec<(String, String)>,
}

impl PhpSpaces {
    pub fn new(table: &Table<'_>, manifests: &[Manifest], packages: &mut Vec<Package>, of_file: &mut [u32]) -> Self {
        let mut found = PhpSpaces { by_name: FxHashMap::default(), rules: rules(manifests) };
        for (at, slot) in of_file.iter_mut().enumerate() {
            if table.family(at) == Some(Family::Php) {
                let name = table.views[at].str(table.views[at].header.package);
                let package = found.entry(name, packages);
                packages[package as usize].files.push(at as u32);
                *slot = package;
            }
        }
        found
    }

    fn entry(&mut self, name: &str, packages: &mut Vec<Package>) -> u32 {
        if let Some(known) = self.by_name.get(name) {
            return *known;
        }
        packages.push(Package::default());
        let next = packages.len() as u32 - 1;
        self.by_name.insert(name.to_owned(), next);
        next
    }

    /// Adds the name spaces of files that have several.
    pub fn with_inner(mut self, table: &Table<'_>, packages: &mut Vec<Package>) -> Self {
        for (at, view) in table.views.iter().enumerate().filter(|(at, _)| table.family(*at) == Some(Family::Php)) {
            for (index, def) in view.defs.iter().enumerate().filter(|(_, def)| def.kind() == Kind::Module) {
                let package = self.entry(view.str(def.name), packages);
                let node = table.files[at].base + 1 + index as u32;
                let inner = table.all_members(node).iter().map(|member| (table.node_name[*member as usize], *member));
                packages[package as usize].names.extend(inner);
                packages[package as usize].names.sort_unstable();
            }
        }
        self
    }

    /// A name space, or the file of an included path.
    pub fn resolve(&self, modules: &Modules, table: &Table<'_>, file: usize, text: &str, flags: u16) -> Module {
        if flags & import_flag::SYSTEM != 0 {
            let found = join(folder(&table.files[file].path), text).and_then(|path| modules.path(&path));
            return found.map_or(Module::Unknown, |at| Module::Node(table.files[at as usize].base));
        }
        match self.by_name.get(text.trim_matches('\\')) {
            Some(package) => Module::Package(*package),
            // Every file says its name space, so one that no file says is elsewhere.
            None => Module::External,
        }
    }

    /// Whether there is a file where the class of this full name should stand, although it was not found.
    fn has_file(&self, modules: &Modules, class: &str) -> bool {
        self.rules.iter().any(|(prefix, folder)| {
            let rest = class.strip_prefix(prefix.as_str()).and_then(|rest| rest.strip_prefix('\\'));
            let path = rest.and_then(|rest| join(folder, &format!("{}.php", rest.replace('\\', "/"))));
            path.is_some_and(|path| modules.path(&path).is_some())
        })
    }
}

/// The PSR-4 rules of `autoload` and `autoload-dev`.
fn rules(manifests: &[Manifest]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for manifest in manifests.iter().filter(|manifest| manifest.path.rsplit('/').next() == Some("composer.json")) {
        let Ok(json) = serde_json::from_str::<serde_json::Value>(&manifest.text) else { continue };
        for section in ["autoload", "autoload-dev"] {
            let rules = json.get(section).and_then(|section| section.get("psr-4")).and_then(|rules| rules.as_object());
            for (prefix, folders) in rules.into_iter().flatten() {
                let several = folders.as_array().map(|list| list.iter().filter_map(|one| one.as_str()).collect::<Vec<_>>());
                for relative in several.unwrap_or_else(|| folders.as_str().into_iter().collect()) {
                    let Some(path) = join(folder(&manifest.path), relative) else { continue };
                    found.push((prefix.trim_matches('\\').to_owned(), path));
                }
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

/// Words of types that are never classes.
fn is_builtin(head: &str) -> bool {
    matches!(
        head,
        "int"
            | "float"
            | "string"
            | "bool"
            | "array"
            | "callable"
            | "iterable"
            | "object"
            | "mixed"
            | "void"
            | "null"
            | "false"
            | "true"
            | "never"
            | "resource"
            | "boolean"
            | "integer"
            | "double"
            | "class-string"
            | "scalar"
    )
}

impl Scopes<'_> {
    /// The name space around a node.
    fn php_space(&self, file: usize, owner: NodeId) -> &str {
        let table = &self.table;
        let inner = std::iter::once(owner).chain(table.ancestors(owner)).find(|at| table.kind(*at) == Kind::Module);
        match inner.and_then(|node| table.def(node)) {
            Some(def) => table.str(file, def.name),
            None => table.str(file, table.views[file].header.package),
        }
    }

    fn php_package(&self, file: usize, space: &str) -> Option<u32> {
        match self.modules.resolve(&self.table, file, space, 0) {
            Module::Package(package) => Some(package),
            _ => None,
        }
    }

    /// A name in a name space: only what can be meant.
    fn php_in(&self, package: u32, name: NameId, want: Want) -> Entity {
        if name == NONE {
            return Entity::None;
        }
        let names = &self.modules.packages[package as usize].names;
        let from = names.partition_point(|(other, _)| *other < name);
        let same = names[from..].iter().take_while(|(other, _)| *other == name).map(|(_, node)| *node);
        let fits = |node: &NodeId| {
            let Some(def) = self.table.def(*node) else { return false };
            let kind = def.kind();
            match want {
                // The title of a test is text, which no mention can mean.
                Want::Call => kind == Kind::Function && !def.has(flag::TEST),
                Want::Type => kind.is_type(),
                Want::Any | Want::Value => kind != Kind::Module && !def.has(flag::TEST),
            }
        };
        self.pick(same.filter(fits), want)
    }

    /// What a `use` line brings in: a class, function or constant, or a name space; an included file.
    pub(crate) fn php_import(&self, file: usize, row: &ImportRow) -> Entity {
        let table = &self.table;
        let text = table.str(file, row.module);
        if row.flags & import_flag::SYSTEM != 0 {
            return Entity::Module(self.modules.resolve(table, file, text, row.flags));
        }
        let want = if row.flags & import_flag::STATIC == 0 { Want::Type } else { Want::Any };
        let name = table.str(file, row.name);
        if let Some(package) = self.php_package(file, text) {
            let found = self.php_in(package, table.name_of(file, row.name), want);
            if !matches!(found, Entity::None) {
                return found;
            }
        }
        let full = if text.is_empty() { name.to_owned() } else { format!("{text}\\{name}") };
        match self.modules.resolve(table, file, &full, 0) {
            Module::Package(package) if want == Want::Type => Entity::Module(Module::Package(package)),
            _ => self.php_missing(&full),
        }
    }

    /// A class that no file has: elsewhere, unless its file is here and could not be read.
    fn php_missing(&self, class: &str) -> Entity {
        if self.modules.php.has_file(&self.modules, class) { Entity::None } else { Entity::External }
    }

    /// The name space that stands in front of a name, with the `\` at its end: `A\`, `\A\B\`, `namespace\A\`, `\`.
    pub(crate) fn php_prefix(&self, file: usize, owner: NodeId, text: &str) -> Module {
        let words = text.trim_end_matches('\\');
        let full = if let Some(rooted) = words.strip_prefix('\\').or_else(|| words.is_empty().then_some("")) {
            rooted.to_owned()
        } else {
            let (first, rest) = words.split_once('\\').map_or((words, ""), |(first, rest)| (first, rest));
            let base =
                if first == "namespace" { Some(self.php_space(file, owner).to_owned()) } else { self.php_alias(file, first) };
            let base = base.unwrap_or_else(|| {
                let space = self.php_space(file, owner);
                if space.is_empty() { first.to_owned() } else { format!("{space}\\{first}") }
            });
            if rest.is_empty() { base } else { format!("{base}\\{rest}") }
        };
        self.modules.resolve(&self.table, file, &full, 0)
    }

    /// The full name that a `use` line gives a word.
    fn php_alias(&self, file: usize, word: &str) -> Option<String> {
        let table = &self.table;
        let class = |row: &&ImportRow| row.flags & (import_flag::STATIC | import_flag::SYSTEM) == 0;
        let row = table.views[file].imports.iter().filter(class).find(|row| table.str(file, row.alias) == word)?;
        let (module, name) = (table.str(file, row.module), table.str(file, row.name));
        Some(if module.is_empty() { name.to_owned() } else { format!("{module}\\{name}") })
    }

    /// The class that a type text names.
    pub(crate) fn php_type(&self, file: usize, owner: NodeId, head: &str) -> Entity {
        if is_builtin(head) {
            return Entity::External;
        }
        let table = &self.table;
        let Some(cut) = head.rfind('\\') else { return self.php_free(file, owner, table.name(head), Want::Type) };
        let (space, word) = head.split_at(cut + 1);
        match self.php_prefix(file, owner, space) {
            Module::Package(package) => match self.php_in(package, table.name(word), Want::Type) {
                Entity::None if space.len() == 1 => Entity::External,
                found => found,
            },
            Module::External => Entity::External,
            _ => Entity::None,
        }
    }

    /// A bare name: what `use` says, then the name space, then, unless it is a class, the global one.
    pub(crate) fn php_free(&self, file: usize, owner: NodeId, name: NameId, want: Want) -> Entity {
        let space = self.php_space(file, owner);
        let imported = self.php_imported(file, name, want);
        if !matches!(imported, Entity::None) {
            return imported;
        }
        let found = self.php_package(file, space).map_or(Entity::None, |package| self.php_in(package, name, want));
        match found {
            Entity::None if space.is_empty() && want == Want::Type => Entity::External,
            Entity::None if want != Want::Type => {
                let global = self.php_package(file, "").map_or(Entity::None, |package| self.php_in(package, name, want));
                // Functions of PHP itself and of libraries: all of ours are known.
                if global == Entity::None && want == Want::Call { Entity::External } else { global }
            }
            found => found,
        }
    }

    fn php_imported(&self, file: usize, name: NameId, want: Want) -> Entity {
        if name == NONE {
            return Entity::None;
        }
        let table = &self.table;
        let view = &table.views[file];
        for (index, row) in view.imports.iter().enumerate() {
            let is_static = row.flags & import_flag::STATIC != 0;
            let fits = match want {
                Want::Type => !is_static,
                Want::Call => is_static,
                Want::Any | Want::Value => true,
            };
            if fits && !row.alias.is_empty() && table.name_of(file, row.alias) == name {
                let known = self.imports.get(file).and_then(|imports| imports.rows.get(index)).copied();
                return known.unwrap_or_else(|| self.php_import(file, row));
            }
        }
        Entity::None
    }
}
