//! Modules: what an import's text means as a file, package or namespace.
//!
//! One index over all paths and manifests, one resolver per language family. Paths are those of answers, so several
//! repositories under their prefixes need nothing special.
//!
//! Knows build conventions, not expressions.

mod c;
mod go;
mod java;
mod python;
mod rust;
mod script;

use rustc_hash::FxHashMap;

use super::table::{NameId, Table};
use crate::facts::model::NONE;
use crate::graph::NodeId;
use crate::lang::Family;

/// What a module text resolves to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Module {
    /// A file, or a namespace inside one.
    Node(NodeId),
    /// Several files that share one name space: an index into [`Modules::packages`].
    Package(u32),
    /// Outside the tracked roots.
    External,
    /// Nothing is known.
    Unknown,
}

/// A build file that says what imports mean: `go.mod`, `tsconfig.json`, `package.json`, `Cargo.toml`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    /// Path as answers give it.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// Whether a file name is that of a manifest that linking reads.
pub fn is_manifest(path: &str) -> bool {
    let base = path.rsplit('/').next().unwrap_or(path);
    matches!(base, "go.mod" | "package.json" | "Cargo.toml") || is_script_config(base)
}

/// Whether a base name is that of a TypeScript or JavaScript project file.
pub(crate) fn is_script_config(base: &str) -> bool {
    let stem = base.strip_suffix(".json");
    stem.is_some_and(|stem| stem == "jsconfig" || stem.starts_with("tsconfig"))
}

/// Files that share one name space.
#[derive(Debug, Default)]
pub(crate) struct Package {
    pub files: Vec<u32>,
    /// Top-level names with their nodes, sorted.
    pub names: Vec<(NameId, NodeId)>,
}

/// All that is needed to resolve module texts.
#[derive(Debug)]
pub(crate) struct Modules {
    paths: FxHashMap<String, u32>,
    pub packages: Vec<Package>,
    /// Per file its package, or `NONE`.
    pub file_package: Vec<u32>,
    go: go::GoModules,
    java: java::JavaPackages,
    python: python::PythonModules,
    pub rust: rust::RustModules,
    script: script::ScriptModules,
    c: c::Includes,
}

impl Modules {
    pub fn new(table: &Table<'_>, manifests: &[Manifest]) -> Modules {
        let paths = table.files.iter().enumerate().map(|(at, file)| (file.path.clone(), at as u32)).collect();
        let mut modules = Modules {
            paths,
            packages: Vec::new(),
            file_package: vec![NONE; table.files.len()],
            go: go::GoModules::new(manifests),
            java: java::JavaPackages::default(),
            python: python::PythonModules::new(table),
            rust: rust::RustModules::default(),
            script: script::ScriptModules::new(manifests),
            c: c::Includes::new(table),
        };
        modules.go = std::mem::take(&mut modules.go).with_packages(table, &mut modules.packages, &mut modules.file_package);
        modules.java = java::JavaPackages::new(table, &mut modules.packages, &mut modules.file_package);
        modules.rust = rust::RustModules::new(table, manifests, &modules);
        for package in &mut modules.packages {
            package.names = package.files.iter().flat_map(|file| top_level(table, *file as usize)).collect();
            package.names.sort_unstable();
        }
        modules
    }

    /// The file of a path.
    pub fn path(&self, path: &str) -> Option<u32> {
        self.paths.get(path).copied()
    }

    /// What `text` names when it is imported by `file`.
    pub fn resolve(&self, table: &Table<'_>, file: usize, text: &str, flags: u16) -> Module {
        let Some(family) = table.family(file) else { return Module::Unknown };
        let found = match family {
            Family::C => self.c.resolve(self, table, file, text, flags),
            Family::Go => self.go.resolve(text),
            Family::Jvm => self.java.resolve(table, text),
            Family::Python => self.python.resolve(table, file, text),
            Family::Rust => Module::Unknown, // paths need scopes: the resolver walks them
            Family::Script => self.script.resolve(self, table, file, text),
            Family::CSharp => Module::Unknown,
            Family::Dart => Module::Unknown,
            Family::Elixir => Module::Unknown,
            Family::Haskell => Module::Unknown,
            Family::Lua => Module::Unknown,
            Family::Ocaml => Module::Unknown,
            Family::Php => Module::Unknown,
            Family::Plain => Module::Unknown,
            Family::Ruby => Module::Unknown,
            Family::Shell => Module::Unknown,
            Family::Swift => Module::Unknown,
            Family::Zig => Module::Unknown,
        };
        match found {
            Module::Node(node) if table.files.get(table.file_of(node)).is_none() => Module::Unknown,
            other => other,
        }
    }

    /// The submodule file `name` of a Python package file.
    pub fn python_submodule(&self, table: &Table<'_>, file: usize, name: &str) -> Option<Module> {
        let path = &table.files[file].path;
        let directory = path.strip_suffix("/__init__.py").or_else(|| (path == "__init__.py").then_some(""))?;
        let prefix = if directory.is_empty() { String::new() } else { format!("{directory}/") };
        let candidates = [format!("{prefix}{name}.py"), format!("{prefix}{name}/__init__.py"), format!("{prefix}{name}.pyi")];
        candidates.iter().find_map(|path| self.path(path)).map(|at| Module::Node(table.files[at as usize].base))
    }

    /// Whether `header` is included, directly or not, by `file`.
    pub fn includes(&self, file: usize, header: usize) -> bool {
        self.c.visible(file, header)
    }

    /// Follows all includes once module texts can be resolved.
    pub fn close_includes(&mut self, table: &Table<'_>) {
        let mut includes = std::mem::take(&mut self.c);
        includes.close(self, table);
        self.c = includes;
    }
}

/// Names defined at the top of a file, without members that are declared outside their type.
pub(crate) fn top_level<'t>(table: &'t Table<'_>, file: usize) -> impl Iterator<Item = (NameId, NodeId)> + 't {
    let base = table.files[file].base;
    let defs = table.views[file].defs;
    defs.iter()
        .enumerate()
        .filter(|(_, def)| def.parent == NONE && def.owner_type.is_empty())
        .map(move |(index, _)| base + 1 + index as u32)
        .map(|node| (table.node_name[node as usize], node))
}

/// The folder of a path, without a trailing slash; empty at the top.
pub(crate) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Joins a folder and a relative path, resolving `.` and `..`; `None` when it leaves the top.
pub(crate) fn join(folder: &str, relative: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            other => parts.push(other),
        }
    }
    Some(parts.join("/"))
}

/// Number of leading path segments two paths share.
pub(crate) fn shared_segments(a: &str, b: &str) -> usize {
    a.split('/').zip(b.split('/')).take_while(|(x, y)| x == y).count()
}
