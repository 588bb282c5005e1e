//! Dart: URIs to files, packages by `pubspec.yaml`, libraries of several parts, and what an import shows.

use rustc_hash::FxHashMap;

use super::{Manifest, Module, Modules, folder, join};
use crate::facts::Visibility;
use crate::facts::model::{ImportRow, flag, import_flag};
use crate::lang::Family;
use crate::link::scope::{Entity, Scopes, Want};
use crate::link::table::{NameId, Table};

#[derive(Debug, Default)]
pub(crate) struct DartPackages {
    /// Package names with the folders of their `pubspec.yaml`.
    folders: FxHashMap<String, String>,
    /// Per file of a library of several files: all of them, the one with the imports first.
    libraries: FxHashMap<u32, Vec<u32>>,
}

impl DartPackages {
    pub fn new(manifests: &[Manifest]) -> Self {
        let mut found = DartPackages::default();
        for manifest in manifests.iter().filter(|manifest| manifest.path.rsplit('/').next() == Some("pubspec.yaml")) {
            let name = manifest.text.lines().find_map(|line| line.strip_prefix("name:"));
            let name = name.map(|name| name.split('#').next().unwrap_or("").trim().trim_matches(['"', '\'']));
            if let Some(name) = name {
                found.folders.entry(name.to_owned()).or_insert_with(|| folder(&manifest.path).to_owned());
            }
        }
        found
    }

    /// Finds libraries of several files once URIs can be resolved.
    pub fn with_parts(mut self, modules: &Modules, table: &Table<'_>) -> Self {
        let mut mains: Vec<(u32, u32)> = Vec::new();
        for (at, view) in table.views.iter().enumerate().filter(|(at, _)| table.family(*at) == Some(Family::Dart)) {
            for row in view.imports.iter().filter(|row| row.flags & import_flag::SYSTEM != 0) {
                let target = self.resolve(modules, table, at, table.str(at, row.module));
                if let Module::Node(node) = target {
                    let (here, there) = (at as u32, table.file_of(node) as u32);
                    // `part of` names the file with the imports, `part` is written in it.
                    mains.push(if row.flags & import_flag::SUBMODULE == 0 { (here, there) } else { (there, here) });
                }
            }
        }
        mains.sort_unstable();
        for (main, part) in mains {
            let files = self.libraries.entry(main).or_insert_with(|| vec![main]);
            if !files.contains(&part) {
                files.push(part);
            }
        }
        let listed: Vec<Vec<u32>> = self.libraries.values().cloned().collect();
        for files in listed {
            for part in &files[1..] {
                self.libraries.insert(*part, files.clone());
            }
        }
        self
    }

    pub fn resolve(&self, modules: &Modules, table: &Table<'_>, file: usize, text: &str) -> Module {
        let path = if let Some(rest) = text.strip_prefix("package:") {
            let Some((package, path)) = rest.split_once('/') else { return Module::External };
            let Some(folder) = self.folders.get(package) else { return Module::External };
            join(folder, &format!("lib/{path}"))
        } else if text.starts_with("dart:") || text.contains("://") {
            return Module::External;
        } else {
            join(folder(&table.files[file].path), text)
        };
        let found = path.and_then(|path| modules.path(&path));
        found.map_or(Module::Unknown, |at| Module::Node(table.files[at as usize].base))
    }

    /// The files of a library, the one with the imports first; `alone` where there is but one.
    fn library<'a>(&'a self, alone: &'a [u32; 1]) -> &'a [u32] {
        self.libraries.get(&alone[0]).map_or(alone, Vec::as_slice)
    }
}

const DEPTH: u32 = 12;

impl Scopes<'_> {
    /// A name in a library: its own, and for itself what it imports, for others what it exports.
    pub(crate) fn dart_lookup(&self, file: usize, name: NameId, want: Want, outside: bool, depth: u32) -> Entity {
        let table = &self.table;
        let alone = [file as u32];
        let library = self.modules.dart.library(&alone);
        for part in library {
            let own = table.members(table.files[*part as usize].base, name).iter().copied();
            let shown = own.filter(|node| {
                table.def(*node).is_some_and(|def| {
                    let hidden = def.has(flag::TEST) || (outside && def.visibility() == Visibility::Private);
                    !hidden && (want != Want::Type || def.kind().is_type())
                })
            });
            let found = self.pick(shown, want);
            if !matches!(found, Entity::None) {
                return found;
            }
        }
        if depth > DEPTH {
            return Entity::None;
        }
        let main = library.first().map_or(file, |main| *main as usize);
        let mut elsewhere = false;
        for (index, row) in table.views[main].imports.iter().enumerate() {
            let is_export = row.flags & import_flag::REEXPORT != 0;
            if is_export != outside || row.flags & (import_flag::SYSTEM | import_flag::TYPE_ONLY) != 0 {
                continue;
            }
            let found = self.dart_through(main, index, name, want, depth);
            elsewhere |= found == Entity::External;
            if !matches!(found, Entity::None | Entity::External) {
                return found;
            }
        }
        // The core library is always imported; a name that no library of ours shows is one of the others'.
        if elsewhere || (!outside && want == Want::Type) { Entity::External } else { Entity::None }
    }

    /// What one import or export shows under a name.
    fn dart_through(&self, file: usize, index: usize, name: NameId, want: Want, depth: u32) -> Entity {
        let table = &self.table;
        let row = &table.views[file].imports[index];
        let is_whole = row.flags & (import_flag::MODULE | import_flag::WILDCARD) != 0;
        if row.flags & import_flag::WILDCARD == 0 && table.name_of(file, row.alias) != name {
            return Entity::None;
        }
        let known = self.imports.get(file).and_then(|imports| imports.rows.get(index));
        let module = match known {
            Some(Entity::Module(module)) => *module,
            Some(Entity::External) => Module::External,
            Some(found) if !is_whole => return *found,
            Some(_) => Module::Unknown,
            None => self.modules.resolve(table, file, table.str(file, row.module), 0),
        };
        if row.flags & import_flag::MODULE != 0 {
            return if module == Module::External { Entity::External } else { Entity::Module(module) };
        }
        if self.dart_hides(file, row, name) {
            return Entity::None;
        }
        match module {
            Module::Node(node) => self.dart_lookup(table.file_of(node), name, want, true, depth + 1),
            Module::External => Entity::External,
            _ => Entity::None,
        }
    }

    fn dart_hides(&self, file: usize, row: &ImportRow, name: NameId) -> bool {
        let table = &self.table;
        table.views[file].imports.iter().any(|other| {
            other.flags & import_flag::TYPE_ONLY != 0
                && other.module == row.module
                && other.flags & import_flag::REEXPORT == row.flags & import_flag::REEXPORT
                && table.name_of(file, other.name) == name
        })
    }
}
