//! Java, Kotlin and Scala: packages by name, classes by dotted path. A package of one name in two repositories is two packages.

use rustc_hash::FxHashMap;

use super::ties::Ties;
use super::{Module, Package};
use crate::facts::model::NONE;
use crate::lang::Family;
use crate::link::table::Table;

#[derive(Debug, Default)]
pub(crate) struct JavaPackages {
    /// By name its packages, with the repository of each.
    by_name: FxHashMap<String, Vec<(u16, u32)>>,
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
            let repo = table.files[at].repo;
            let same = found.by_name.entry(name.to_owned()).or_default();
            let known = same.iter().find(|(of, _)| *of == repo).map(|(_, package)| *package);
            let package = known.unwrap_or_else(|| {
                packages.push(Package::default());
                let new = packages.len() as u32 - 1;
                same.push((repo, new));
                new
            });
            packages[package as usize].files.push(at as u32);
            found.files.entry(package).or_default().push(at as u32);
            *slot = package;
        }
        found
    }

    /// A package, or the (possibly nested) class that a dotted name ends in, seen from a repository.
    pub fn resolve(&self, table: &Table<'_>, ties: &Ties, from: u16, text: &str) -> Module {
        if let Some(package) = self.package(ties, from, text) {
            return Module::Package(package);
        }
        let Some((head, last)) = text.rsplit_once('.') else { return Module::External };
        let name = table.name(last);
        match self.resolve(table, ties, from, head) {
            // Package names are filled in after all packages exist; the classes of a package are found through its files.
            Module::Package(_) | Module::Unknown => {
                let mut near = self.near(ties, from, head);
                near.find_map(|(_, package)| self.class(table, package, name)).map_or(Module::External, Module::Node)
            }
            Module::Node(outer) => table.members(outer, name).first().map_or(Module::Unknown, |node| Module::Node(*node)),
            Module::External => Module::External,
        }
    }

    /// The packages of a name that a repository sees, its own first.
    fn near<'s>(&'s self, ties: &'s Ties, from: u16, name: &str) -> impl Iterator<Item = (u16, u32)> + 's {
        let all = self.by_name.get(name).map_or(&[][..], Vec::as_slice);
        let own = all.iter().filter(move |(repo, _)| *repo == from);
        let tied = all.iter().filter(move |(repo, _)| *repo != from && ties.reach(Family::Jvm, from, *repo));
        own.chain(tied).copied()
    }

    /// The package of this name that a repository sees.
    pub fn package(&self, ties: &Ties, from: u16, name: &str) -> Option<u32> {
        self.near(ties, from, name).next().map(|(_, package)| package)
    }

    fn files_of(&self, package: u32) -> &[u32] {
        self.files.get(&package).map_or(&[], Vec::as_slice)
    }

    fn class(&self, table: &Table<'_>, package: u32, name: u32) -> Option<u32> {
        if name == NONE {
            return None;
        }
        self.files_of(package).iter().find_map(|file| table.members(table.files[*file as usize].base, name).first().copied())
    }

    /// The Kotlin file of a package that Java sees as this class.
    pub fn facade(&self, table: &Table<'_>, package: u32, class: &str) -> Option<u32> {
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
