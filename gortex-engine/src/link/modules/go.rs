//! Go: import paths through `go.mod`; one folder is one package.

use rustc_hash::FxHashMap;

use super::{Manifest, Module, Modules, Package, folder};
use crate::lang::Family;
use crate::link::table::Table;

#[derive(Debug, Default)]
pub(crate) struct GoModules {
    /// (module path, folder of its `go.mod`, its repository), longest path first.
    modules: Vec<(String, String, u16)>,
    folders: FxHashMap<String, u32>,
}

impl GoModules {
    pub fn new(manifests: &[Manifest], repo_of: impl Fn(&str) -> Option<u16>) -> Self {
        let mut modules: Vec<(String, String, u16)> = manifests
            .iter()
            .filter(|manifest| manifest.path.rsplit('/').next() == Some("go.mod"))
            .filter_map(|manifest| {
                let line = manifest.text.lines().find_map(|line| line.trim().strip_prefix("module "))?;
                let path = line.split("//").next().unwrap_or("").trim().trim_matches('"');
                Some((path.to_owned(), folder(&manifest.path).to_owned(), repo_of(&manifest.path)?))
            })
            .collect();
        modules.sort_by(|a, b| b.0.len().cmp(&a.0.len()).then_with(|| a.cmp(b)));
        GoModules { modules, folders: FxHashMap::default() }
    }

    pub fn with_packages(mut self, table: &Table<'_>, packages: &mut Vec<Package>, of_file: &mut [u32]) -> Self {
        let mut by_key: FxHashMap<(&str, &str), u32> = FxHashMap::default();
        for (at, file) in table.files.iter().enumerate() {
            if table.family(at) != Some(Family::Go) {
                continue;
            }
            let name = table.views[at].str(table.views[at].header.package);
            let package = *by_key.entry((folder(&file.path), name)).or_insert_with(|| {
                packages.push(Package::default());
                packages.len() as u32 - 1
            });
            packages[package as usize].files.push(at as u32);
            of_file[at] = package;
            if !name.ends_with("_test") {
                self.folders.entry(folder(&file.path).to_owned()).or_insert(package);
            }
        }
        self
    }

    pub fn resolve(&self, modules: &Modules, table: &Table<'_>, file: usize, text: &str) -> Module {
        let own = table.files[file].repo;
        // A module of the own repository stands before the same one elsewhere.
        let (ours, others): (Vec<_>, Vec<_>) = self.modules.iter().partition(|(.., repo)| *repo == own);
        let others = others.into_iter().filter(|(.., repo)| modules.ties.reach(Family::Go, own, *repo));
        for (module, folder, _) in ours.iter().copied().chain(others) {
            let Some(rest) = text.strip_prefix(module.as_str()) else { continue };
            let Some(rest) = rest.strip_prefix('/').or_else(|| rest.is_empty().then_some("")) else { continue };
            let path = match (folder.is_empty(), rest.is_empty()) {
                (true, _) => rest.to_owned(),
                (false, true) => folder.clone(),
                (false, false) => format!("{folder}/{rest}"),
            };
            return self.folders.get(&path).map_or(Module::Unknown, |package| Module::Package(*package));
        }
        if ours.is_empty() {
            // Without a `go.mod` the import path's tail may still be a folder of ours (an old GOPATH tree).
            let mut tail = text;
            loop {
                let here = |package: &u32| {
                    modules.packages[*package as usize].files.iter().any(|at| table.files[*at as usize].repo == own)
                };
                if let Some(package) = self.folders.get(tail).filter(|package| here(package)) {
                    return Module::Package(*package);
                }
                match tail.split_once('/') {
                    Some((_, rest)) if rest.contains('/') => tail = rest,
                    _ => break,
                }
            }
        }
        Module::External
    }
}
