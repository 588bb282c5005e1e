//! Java: packages by name, classes by dotted path.

use rustc_hash::FxHashMap;

use super::{Module, Package};
use crate::lang::Family;
use crate::link::table::Table;

#[derive(Debug, Default)]
pub(crate) struct JavaPackages {
    by_name: FxHashMap<String, u32>,
}

impl JavaPackages {
    pub fn new(table: &Table<'_>, packages: &mut Vec<Package>, of_file: &mut [u32]) -> Self {
        let mut by_name: FxHashMap<String, u32> = FxHashMap::default();
        for (at, slot) in of_file.iter_mut().enumerate() {
            if table.family(at) != Some(Family::Jvm) {
                continue;
            }
            let name = table.views[at].str(table.views[at].header.package);
            let package = *by_name.entry(name.to_owned()).or_insert_with(|| {
                packages.push(Package::default());
                packages.len() as u32 - 1
            });
            packages[package as usize].files.push(at as u32);
            *slot = package;
        }
        JavaPackages { by_name }
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

    fn class(&self, table: &Table<'_>, package: &str, name: u32) -> Option<u32> {
        self.by_name.get(package)?;
        let candidates = table.files.iter().enumerate().filter(|(at, _)| table.family(*at) == Some(Family::Jvm));
        candidates
            .filter(|(at, _)| table.views[*at].str(table.views[*at].header.package) == package)
            .find_map(|(_, file)| table.members(file.base, name).first().copied())
    }
}
