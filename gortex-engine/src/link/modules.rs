//! Modules: what an import's text means as a file, package or namespace.
//!
//! One index over all paths and manifests, one resolver per language family. Paths are those of answers, so several
//! repositories under their prefixes need nothing special.
//!
//! Knows build conventions, not expressions.

mod c;
pub(crate) mod csharp;
mod dart;
mod elixir;
mod go;
mod haskell;
mod java;
mod lua;
pub(crate) mod ocaml;
mod php;
pub(crate) mod plain;
mod python;
pub(crate) mod ruby;
mod rust;
mod script;
pub(crate) mod shell;
mod swift;
mod ties;
mod twins;
mod written;
mod zig;

use rustc_hash::FxHashMap;

use self::ties::Ties;
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

/// A build file that says what imports mean (`go.mod`, `tsconfig.json`, `Cargo.toml`, `*.csproj`, `build.zig`) or which other
/// repository is used.
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
    let plain = ["go.mod", "package.json", "Cargo.toml", "composer.json", "pubspec.yaml", "Package.swift", "dune", "build.zig"];
    plain.contains(&base) || is_script_config(base) || csharp::is_project(base) || ties::is_tie_manifest(base)
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
    lua: lua::LuaModules,
    pub csharp: csharp::Namespaces,
    pub java: java::JavaPackages,
    pub twins: twins::Twins,
    python: python::PythonModules,
    pub ruby: ruby::RubyModules,
    pub rust: rust::RustModules,
    script: script::ScriptModules,
    pub shell: shell::Sourced,
    pub plain: plain::PlainNames,
    c: c::Includes,
    /// Which repositories may name what is in which.
    pub ties: Ties,
    pub dart: dart::DartPackages,
    pub ocaml: ocaml::OcamlModules,
    pub php: php::PhpSpaces,
    swift: swift::SwiftTargets,
    pub elixir: elixir::ElixirModules,
    pub haskell: haskell::HaskellModules,
    zig: zig::ZigModules,
}

impl Modules {
    pub fn new(table: &Table<'_>, manifests: &[Manifest]) -> Modules {
        let paths: FxHashMap<String, u32> =
            table.files.iter().enumerate().map(|(at, file)| (file.path.clone(), at as u32)).collect();
        let repo_of = |path: &str| paths.get(path).map(|at| table.files[*at as usize].repo);
        let ties = Ties::new(manifests, repo_of);
        let go = go::GoModules::new(manifests, repo_of);
        let script = script::ScriptModules::new(manifests, repo_of);
        let mut modules = Modules {
            paths,
            packages: Vec::new(),
            file_package: vec![NONE; table.files.len()],
            go,
            lua: lua::LuaModules::new(table),
            csharp: csharp::Namespaces::default(),
            java: java::JavaPackages::default(),
            twins: twins::Twins::new(table),
            python: python::PythonModules::new(table),
            ruby: ruby::RubyModules::new(table),
            rust: rust::RustModules::default(),
            script,
            plain: plain::PlainNames::new(table),
            c: c::Includes::new(table),
            ties,
            dart: dart::DartPackages::new(manifests),
            ocaml: ocaml::OcamlModules::default(),
            php: php::PhpSpaces::default(),
            swift: swift::SwiftTargets::default(),
            shell: shell::Sourced::new(table),
            elixir: elixir::ElixirModules::new(table),
            haskell: haskell::HaskellModules::new(table),
            zig: zig::ZigModules::new(manifests),
        };
        modules.go = std::mem::take(&mut modules.go).with_packages(table, &mut modules.packages, &mut modules.file_package);
        modules.java = java::JavaPackages::new(table, &mut modules.packages, &mut modules.file_package);
        modules.php = php::PhpSpaces::new(table, manifests, &mut modules.packages, &mut modules.file_package);
        modules.swift = swift::SwiftTargets::new(table, manifests, &mut modules.packages, &mut modules.file_package);
        modules.dart = std::mem::take(&mut modules.dart).with_parts(&modules, table);
        modules.ocaml = ocaml::OcamlModules::new(table, manifests, &mut modules.packages);
        modules.rust = rust::RustModules::new(table, manifests, &modules);
        for package in &mut modules.packages {
            package.names = package.files.iter().flat_map(|file| top_level(table, *file as usize)).collect();
            package.names.sort_unstable();
        }
        modules.php = std::mem::take(&mut modules.php).with_inner(table, &mut modules.packages);
        modules.csharp = csharp::Namespaces::new(table, manifests, &mut modules.packages);
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
            Family::Go => self.go.resolve(self, table, file, text),
            Family::Jvm => self.jvm(table, file, text),
            Family::Python => self.python.resolve(table, &self.ties, file, text),
            Family::Rust | Family::Ocaml => Module::Unknown, // paths need scopes: the resolver walks them
            Family::Script => self.script.resolve(self, table, file, text),
            Family::CSharp => self.csharp.resolve(table, &self.packages, table.package(file), text),
            Family::Dart => self.dart.resolve(self, table, file, text),
            Family::Elixir => self.elixir.resolve(table, file, text),
            Family::Haskell => self.haskell.resolve(table, file, text),
            Family::Lua => self.lua.resolve(table, file, text),
            Family::Php => self.php.resolve(self, table, file, text, flags),
            Family::Plain => plain::PlainNames::resolve(self, table, file, text),
            Family::Ruby => self.ruby.resolve(self, table, file, text),
            Family::Shell => self.shell.resolve(self, table, file, text),
            Family::Swift => self.swift.resolve(text),
            Family::Zig => self.zig.resolve(self, table, file, text),
        };
        match found {
            Module::Node(node) if table.files.get(table.file_of(node)).is_none() => Module::Unknown,
            // The folders of two repositories stand side by side in answers, not on disk.
            Module::Node(node) if !self.reach(table, file, node) => Module::External,
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

    /// The library root of a Rust crate as a file names it.
    pub fn krate(&self, table: &Table<'_>, file: usize, name: &str) -> Option<NodeId> {
        self.rust.krate(&self.ties, table.files[file].repo, name)
    }

    /// Whether code in a file may name a node, as far as the borders of repositories go.
    pub fn reach(&self, table: &Table<'_>, file: usize, node: NodeId) -> bool {
        let (from, to) = (table.files[file].repo, table.files[table.file_of(node)].repo);
        from == to || table.family(file).is_some_and(|family| self.ties.reach(family, from, to))
    }

    /// Whether two nodes may meet: one of their repositories uses the other.
    pub fn meet(&self, table: &Table<'_>, one: NodeId, other: NodeId) -> bool {
        let (file, other) = (table.file_of(one), table.file_of(other));
        let (from, to) = (table.files[file].repo, table.files[other].repo);
        from == to || table.family(file).is_some_and(|family| self.ties.meet(family, from, to))
    }

    fn jvm(&self, table: &Table<'_>, file: usize, text: &str) -> Module {
        let repo = table.files[file].repo;
        let found = self.java.resolve(table, &self.ties, repo, text);
        if found != Module::External || table.language(file) != "scala" {
            return found;
        }
        // Scala's imports may begin at a name of the file's own package.
        let around = Modules::namespaces_around(table, table.files[file].base).filter(|one| !one.is_empty());
        let mut relative = around.map(|one| self.java.resolve(table, &self.ties, repo, &format!("{one}.{text}"))).take(8);
        relative.find(|found| *found != Module::External).unwrap_or(Module::External)
    }

    /// The packages or namespaces whose names are seen at a node without being imported, innermost first.
    pub fn namespaces_around<'t>(table: &'t Table<'_>, node: NodeId) -> impl Iterator<Item = &'t str> + use<'t> {
        let outer = matches!(table.language(table.file_of(node)), "csharp" | "scala");
        csharp::around(table.namespace_of(node)).take(if outer { usize::MAX } else { 1 })
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
        let mut sourced = std::mem::take(&mut self.shell);
        sourced.close(self, table);
        self.shell = sourced;
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
