//! C#: namespaces by name; a namespace's types are seen in it, in the namespaces inside it, and where it is used.
//!
//! A file's first namespace is its package; a further one is a definition whose name is the full name.
//!
//! Project files say what all files below them use; a `global using` counts for the project that its file is in.
//!
//! Knows names of namespaces, not which projects refer to which.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Manifest, Module, Package, folder};
use crate::facts::model::{Kind, NONE, import_flag};
use crate::graph::NodeId;
use crate::lang::Family;
use crate::link::table::{NameId, Table};

#[derive(Debug, Default)]
pub(crate) struct Namespaces {
    by_name: FxHashMap<String, u32>,
    /// Every part of every name.
    parts: FxHashSet<String>,
    /// Folders with what all files below them use, in order.
    everywhere: Vec<(String, String)>,
}

impl Namespaces {
    /// Enters every namespace as a package; called when the packages of other families have their names already.
    pub fn new(table: &Table<'_>, manifests: &[Manifest], packages: &mut Vec<Package>) -> Self {
        let projects: Vec<&str> =
            manifests.iter().filter(|one| one.path.ends_with(".csproj")).map(|one| folder(&one.path)).collect();
        let mut found = Namespaces::default();
        for manifest in manifests.iter().filter(|one| is_project(&one.path)) {
            let used = usings(&manifest.text).into_iter();
            found.everywhere.extend(used.map(|name| (folder(&manifest.path).to_owned(), name)));
        }
        for (at, view) in table.views.iter().enumerate() {
            if table.family(at) != Some(Family::CSharp) {
                continue;
            }
            let base = table.files[at].base;
            let used = view.imports.iter().filter(|row| row.flags & import_flag::REEXPORT != 0 && row.alias.is_empty());
            let path = &table.files[at].path;
            let project = projects.iter().filter(|project| is_below(path, project)).max_by_key(|project| project.len());
            let project = project.copied().unwrap_or("");
            found.everywhere.extend(used.map(|row| (project.to_owned(), view.str(row.module).to_owned())));
            let own = found.enter(view.str(view.header.package), packages);
            packages[own as usize].files.push(at as u32);
            for (index, def) in view.defs.iter().enumerate().filter(|(_, def)| def.kind() != Kind::Module) {
                let node = base + 1 + index as NodeId;
                let namespace = match view.defs.get(def.parent as usize) {
                    None => own,
                    Some(outer) if outer.kind() == Kind::Module => found.enter(view.str(outer.name), packages),
                    Some(_) => continue,
                };
                packages[namespace as usize].names.push((table.node_name[node as usize], node));
            }
        }
        for package in found.by_name.values() {
            packages[*package as usize].names.sort_unstable();
        }
        found.everywhere.sort_unstable();
        found.everywhere.dedup();
        found
    }

    fn enter(&mut self, name: &str, packages: &mut Vec<Package>) -> u32 {
        if let Some(known) = self.by_name.get(name) {
            return *known;
        }
        packages.push(Package::default());
        let number = packages.len() as u32 - 1;
        self.by_name.insert(name.to_owned(), number);
        self.parts.insert(name.rsplit('.').next().unwrap_or(name).to_owned());
        if let Some((outer, _)) = name.rsplit_once('.') {
            self.enter(outer, packages);
        }
        number
    }

    /// Whether some namespace has this name or one that ends in it.
    pub fn is_part(&self, name: &str) -> bool {
        self.parts.contains(name)
    }

    /// The namespace of this name.
    pub fn namespace(&self, name: &str) -> Option<u32> {
        self.by_name.get(name).copied()
    }

    /// A namespace or a (nested) type by its full name, or by one that begins in a namespace around `from`.
    pub fn resolve(&self, table: &Table<'_>, packages: &[Package], from: &str, text: &str) -> Module {
        let text = text.strip_prefix("global::").unwrap_or(text);
        if let Some(found) = self.absolute(table, packages, text) {
            return found;
        }
        let mut inner = around(from).filter(|one| !one.is_empty());
        let found = inner.find_map(|one| self.absolute(table, packages, &format!("{one}.{text}")));
        found.unwrap_or(Module::External)
    }

    fn absolute(&self, table: &Table<'_>, packages: &[Package], text: &str) -> Option<Module> {
        if let Some(package) = self.by_name.get(text) {
            return Some(Module::Package(*package));
        }
        let (head, last) = text.rsplit_once('.').unwrap_or(("", text));
        let name = table.name(last);
        if name == NONE {
            return None;
        }
        if let Some(package) = self.by_name.get(head) {
            return types_of(packages, *package, name).find(|node| table.kind(*node).is_type()).map(Module::Node);
        }
        match self.absolute(table, packages, head).filter(|_| !head.is_empty())? {
            Module::Node(outer) => table.members(outer, name).first().copied().map(Module::Node),
            _ => None,
        }
    }

    /// What the project of a file uses in all its files.
    pub fn global_usings<'s>(&'s self, path: &'s str) -> impl Iterator<Item = &'s str> {
        self.everywhere.iter().filter(move |(project, _)| is_below(path, project)).map(|(_, name)| name.as_str())
    }
}

/// What a namespace holds under a name.
fn types_of(packages: &[Package], package: u32, name: NameId) -> impl Iterator<Item = NodeId> {
    let names = &packages[package as usize].names;
    let from = names.partition_point(|(other, _)| *other < name);
    names[from..].iter().take_while(move |(other, _)| *other == name).map(|(_, node)| *node)
}

fn is_below(path: &str, folder: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// Whether a path is that of a project file, or of what is shared by the projects below it.
pub(crate) fn is_project(path: &str) -> bool {
    let base = path.rsplit('/').next().unwrap_or(path);
    base.ends_with(".csproj") || matches!(base, "Directory.Build.props" | "Directory.Build.targets")
}

/// The namespaces and types in `<Using Include="..." />`, without those that have another name here.
fn usings(text: &str) -> Vec<String> {
    let elements = text.split("<Using ").skip(1).filter_map(|rest| rest.split_once('>').map(|(element, _)| element));
    let plain = elements.filter(|element| !element.contains("Alias="));
    let name = |element: &str| {
        let (_, value) = element.split_once("Include=\"")?;
        value.split_once('"').map(|(name, _)| name.trim().to_owned())
    };
    plain.filter_map(name).filter(|name| !name.is_empty()).collect()
}

/// A namespace and those around it, innermost first, the nameless one last.
pub(crate) fn around(namespace: &str) -> impl Iterator<Item = &str> {
    let outer = |at: &&str| at.rsplit_once('.').map(|(outer, _)| outer.len()).or((!at.is_empty()).then_some(0));
    std::iter::successors(Some(namespace), move |at| outer(at).map(|end| &namespace[..end]))
}
