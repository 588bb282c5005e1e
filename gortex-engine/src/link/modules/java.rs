//! Java, Kotlin and Scala: packages by name, classes by dotted path.

use rustc_hash::FxHashMap;

use super::{Module, Package};
use crate::facts::model::NONE;
use crate::lang::Family;
use crate::link::table::Table;

#[derive(Debug, Default)]
pub(crate) struct JavaPackages {
    by_name: FxHashMap<String, u32>,
    /// Per package number its files.
    files: FxHashMap<u32, Vec<u32>>,
}

impl JavaPackages {
    pub fn new(table: &Table<'_>, packages: &mut Vec<Package>, of_file: &mut [u32]) -> Self {
        let mut found = JavaPackages::default();
        for (at, slot) in of_file.iter_mut().enumerate() {
            if table.family(at) != Some(Family::Jvm) {
                continue;
            }
            let name = table.views[at].str(table.views[at].header.package);
            let package = *found.by_name.entry(name.to_owned()).or_insert_with(|| {
                packages.push(Package::default());
                packages.len() as u32 - 1
            });
            packages[package as usize].files.push(at as u32);
            found.files.entry(package).or_default().push(at as u32);
            *slot = package;
        }
        found
    }

    /// A package, or the (possibly nested) class that a dotted name ends in.
    pub fn resolve(&self, table: &Table<'_>, text: &str) -> Module {
        if let Some(package) = self.by_name.get(text) {
            return Module::Package(*package);
        }
        let Some((head, last)) = text.rsplit_once('.') else { return Module::External };
        let name = table.name(last);
        match self.resolve(table, head) {
            // Package names are filled in after all packages exist; the classes of a package are found through its files.
            Module::Package(_) | Module::Unknown => self.class(table, head, name).map_or(Module::External, Module::Node),
            Module::Node(outer) => table.members(outer, name).first().map_or(Module::Unknown, |node| Module::Node(*node)),
            Module::External => Module::External,
        }
    }

    /// The package of this name.
    pub fn package(&self, name: &str) -> Option<u32> {
        self.by_name.get(name).copied()
    }

    fn files_of(&self, package: &str) -> &[u32] {
        let files = self.by_name.get(package).and_then(|package| self.files.get(package));
        files.map_or(&[], Vec::as_slice)
    }

    fn class(&self, table: &Table<'_>, package: &str, name: u32) -> Option<u32> {
        if name == NONE {
            return None;
        }
        self.files_of(package).iter().find_map(|file| table.members(table.files[*file as usize].base, name).first().copied())
    }

    /// The Kotlin file of a package that Java sees as this class.
    pub fn facade(&self, table: &Table<'_>, package: &str, class: &str) -> Option<u32> {
        let stem = class.strip_suffix("Kt")?;
        let is_it = |file: &&u32| {
            let base = table.files[**file as usize].path.rsplit('/').next().unwrap_or("");
            let own = base.strip_suffix(".kt").unwrap_or("");
            let mut letters = own.chars();
            let capital = letters.next().map(|first| first.to_uppercase().chain(letters).collect::<String>());
            capital.as_deref() == Some(stem)
        };
        self.files_of(package).iter().find(is_it).copied()
    }
}
