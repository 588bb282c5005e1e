//! Rust: crates from `Cargo.toml`, the module tree from `mod` declarations.

use rustc_hash::{FxHashMap, FxHashSet};

use super::ties::Ties;
use super::{Manifest, Modules, folder};
use crate::facts::model::{NONE, import_flag};
use crate::graph::NodeId;
use crate::lang::Family;
use crate::link::table::Table;

#[derive(Debug, Default)]
pub(crate) struct RustModules {
    /// (declaring module, name) to the file's node.
    pub children: FxHashMap<(NodeId, u32), NodeId>,
    /// A file's node to the module that declares it.
    pub parents: FxHashMap<NodeId, NodeId>,
    /// Crate names (with `_`) to their library roots, with the repository of each.
    crates: FxHashMap<String, Vec<(u16, NodeId)>>,
    /// By repository and name the crates renamed in a manifest.
    renames: FxHashMap<(u16, String), String>,
    /// By repository the names (with `_`) of the crates that its manifests ask for.
    declared: FxHashSet<(u16, String)>,
}

impl RustModules {
    pub fn new(table: &Table<'_>, manifests: &[Manifest], modules: &Modules) -> Self {
        let mut found = RustModules::default();
        for manifest in manifests.iter().filter(|manifest| manifest.path.rsplit('/').next() == Some("Cargo.toml")) {
            found.add_crate(table, manifest, modules);
        }
        for at in (0..table.files.len()).filter(|at| table.family(*at) == Some(Family::Rust)) {
            let file = &table.files[at];
            let view = &table.views[at];
            for row in view.imports.iter().filter(|row| row.flags & import_flag::SUBMODULE != 0) {
                let owner = if row.owner == NONE { file.base } else { file.base + 1 + row.owner };
                let name = view.str(row.alias);
                let folder = module_folder(table, at, owner);
                let candidates = match view.str(row.module) {
                    path if path.contains('.') && row.owner == NONE => {
                        let above = file.path.rsplit_once('/').map_or("", |(above, _)| above);
                        [beside(above, path), String::new()]
                    }
                    _ => [format!("{folder}{name}.rs"), format!("{folder}{name}/mod.rs")],
                };
                if let Some(child) = candidates.iter().find_map(|path| modules.path(path)) {
                    let child = table.files[child as usize].base;
                    // The same name once per configuration: the first.
                    found.children.entry((owner, table.name(name))).or_insert(child);
                    found.parents.entry(child).or_insert(owner);
                }
            }
        }
        found
    }

    fn add_crate(&mut self, table: &Table<'_>, manifest: &Manifest, modules: &Modules) {
        let Ok(parsed) = toml::from_str::<toml::Table>(&manifest.text) else { return };
        let folder = folder(&manifest.path);
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let repo = modules.path(&manifest.path).map_or(0, |at| table.files[at as usize].repo);
        self.declare(&parsed, repo, 0);
        let text = |section: &str, key: &str| parsed.get(section)?.as_table()?.get(key)?.as_str().map(str::to_owned);
        let Some(package) = text("package", "name") else { return };
        let name = text("lib", "name").unwrap_or_else(|| package.replace('-', "_"));
        let root = text("lib", "path").unwrap_or_else(|| "src/lib.rs".to_owned());
        if let Some(at) = modules.path(&format!("{prefix}{root}")) {
            let same = self.crates.entry(name).or_default();
            same.retain(|(of, _)| *of != repo);
            same.push((repo, table.files[at as usize].base));
        }
        for section in ["dependencies", "dev-dependencies"] {
            let Some(dependencies) = parsed.get(section).and_then(|value| value.as_table()) else { continue };
            for (alias, value) in dependencies {
                if let Some(real) = value.get("package").and_then(|value| value.as_str()) {
                    self.renames.insert((repo, alias.replace('-', "_")), real.replace('-', "_"));
                }
            }
        }
    }

    /// Takes down the dependencies of a manifest, those for one platform and for the whole workspace included.
    fn declare(&mut self, table: &toml::Table, repo: u16, depth: u8) {
        for (key, value) in table {
            let Some(inner) = value.as_table() else { continue };
            if matches!(key.as_str(), "dependencies" | "dev-dependencies" | "build-dependencies") {
                self.declared.extend(inner.keys().map(|name| (repo, name.replace('-', "_"))));
            } else if depth < 2 && (depth > 0 || matches!(key.as_str(), "target" | "workspace")) {
                self.declare(inner, repo, depth + 1);
            }
        }
    }

    /// Whether a manifest of a repository asks for a crate of this name.
    pub fn is_declared(&self, repo: u16, name: &str) -> bool {
        self.declared.contains(&(repo, name.to_owned()))
    }

    /// The library root of a crate as a repository names it: its own, or one that it depends on.
    pub fn krate(&self, ties: &Ties, from: u16, name: &str) -> Option<NodeId> {
        let near = |name: &str| {
            let all = self.crates.get(name)?;
            let own = all.iter().find(|(repo, _)| *repo == from);
            own.or_else(|| all.iter().find(|(repo, _)| ties.reach(Family::Rust, from, *repo))).map(|(_, root)| *root)
        };
        near(name).or_else(|| near(self.renames.get(&(from, name.to_owned()))?))
    }

    /// The crate root above a module.
    pub fn root(&self, table: &Table<'_>, module: NodeId) -> NodeId {
        let mut at = table.files[table.file_of(module)].base;
        for _ in 0..64 {
            match self.parents.get(&at) {
                Some(parent) => at = table.files[table.file_of(*parent)].base,
                None => break,
            }
        }
        at
    }

    /// The module around a module.
    pub fn parent(&self, table: &Table<'_>, module: NodeId) -> Option<NodeId> {
        let file = table.files[table.file_of(module)].base;
        if module == file { self.parents.get(&module).copied() } else { table.parents.get(module as usize).copied() }
    }
}

/// A path that is written relative to a folder.
fn beside(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// The folder in which a module's children live, with a trailing slash.
fn module_folder(table: &Table<'_>, file: usize, owner: NodeId) -> String {
    let path = &table.files[file].path;
    let (above, base) = path.rsplit_once('/').map_or(("", path.as_str()), |(above, base)| (above, base));
    let mut folder = if above.is_empty() { String::new() } else { format!("{above}/") };
    let is_root = matches!(base, "lib.rs" | "main.rs" | "mod.rs" | "build.rs")
        || matches!(above.rsplit('/').next(), Some("bin" | "tests" | "examples" | "benches"));
    if !is_root {
        folder.push_str(base.strip_suffix(".rs").unwrap_or(base));
        folder.push('/');
    }
    let mut inline: Vec<&str> = Vec::new();
    if owner != table.files[file].base {
        for at in std::iter::once(owner).chain(table.ancestors(owner)) {
            if let Some(def) = table.def(at) {
                inline.push(table.views[file].str(def.name));
            }
        }
    }
    for name in inline.iter().rev() {
        folder.push_str(name);
        folder.push('/');
    }
    folder
}
