//! Java: packages by name, classes by dotted path. A package of one name in two repositories is two packages.

use rustc_hash::FxHashMap;

use super::ties::Ties;
use super::{Module, Package};
use crate::lang::Family;
use crate::link::table::Table;

#[derive(Debug, Default)]
pub(crate) struct JavaPackages {
    /// By name its packages, with the repository of each.
    by_name: FxHashMap<String, Vec<(u16, u32)>>,
}

impl JavaPackages {
    pub fn new(table: &Table<'_>, packages: &mut Vec<Package>, of_file: &mut [u32]) -> Self {
        let mut by_name: FxHashMap<String, Vec<(u16, u32)>> = FxHashMap::default();
        for (at, slot) in of_file.iter_mut().enumerate() {
            if table.family(at) != Some(Family::Jvm) {
                continue;
            }
            let name = table.views[at].str(table.views[at].header.package);
            let repo = table.files[at].repo;
            let same = by_name.entry(name.to_owned()).or_default();
            let known = same.iter().find(|(of, _)| *of == repo).map(|(_, package)| *package);
            let package = known.unwrap_or_else(|| {
                packages.push(Package::default());
                let new = packages.len() as u32 - 1;
                same.push((repo, new));
                new
            });
            packages[package as usize].files.push(at as u32);
            *slot = package;
        }
        JavaPackages { by_name }
    }

    /// A package, or the (possibly nested) class that a dotted name ends in, seen from a repository.
    pub fn resolve(&self, table: &Table<'_>, ties: &Ties, from: u16, text: &str) -> Module {
        if let Some(package) = self.near(ties, from, text).next() {
            return Module::Package(package.1);
        }
        let Some((head, last)) = text.rsplit_once('.') else { return Module::External };
        let name = table.name(last);
        match self.resolve(table, ties, from, head) {
            // Package names are filled in after all packages exist; the classes of a package are found through its files.
            Module::Package(_) | Module::Unknown => {
                let mut packages = self.near(ties, from, head);
                packages.find_map(|(repo, _)| class(table, repo, head, name)).map_or(Module::External, Module::Node)
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
}

fn class(table: &Table<'_>, repo: u16, package: &str, name: u32) -> Option<u32> {
    let in_repo = table.files.iter().enumerate().filter(|(at, file)| file.repo == repo && table.family(*at) == Some(Family::Jvm));
    let mut candidates = in_repo.filter(|(at, _)| table.views[*at].str(table.views[*at].header.package) == package);
    candidates.find_map(|(_, file)| table.members(file.base, name).first().copied())
}
