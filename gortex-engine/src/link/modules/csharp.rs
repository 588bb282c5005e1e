//! C#: namespaces by name; a namespace's types are seen in it, in the namespaces inside it, and where it is used.
//!
//! A file's first namespace is its package; a further one is a definition whose name is the full name.
//!
//! Knows names of namespaces, not projects: a `global using` counts for its whole repository.

use rustc_hash::FxHashMap;

use super::{Module, Package};
use crate::facts::model::{Kind, NONE, import_flag};
use crate::graph::NodeId;
use crate::lang::Family;
use crate::link::table::{NameId, Table};

#[derive(Debug, Default)]
pub(crate) struct Namespaces {
    by_name: FxHashMap<String, u32>,
    /// What `global using` says, by repository.
    everywhere: FxHashMap<u32, Vec<String>>,
}

impl Namespaces {
    /// Enters every namespace as a package; called when the packages of other families have their names already.
    pub fn new(table: &Table<'_>, packages: &mut Vec<Package>) -> Self {
        let mut found = Namespaces::default();
        for (at, view) in table.views.iter().enumerate() {
            if table.family(at) != Some(Family::CSharp) {
                continue;
            }
            let base = table.files[at].base;
            let repo = u32::from(table.files[at].repo);
            let used = view.imports.iter().filter(|row| row.flags & import_flag::REEXPORT != 0 && row.alias.is_empty());
            found.everywhere.entry(repo).or_default().extend(used.map(|row| view.str(row.module).to_owned()));
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
        for used in found.everywhere.values_mut() {
            used.sort_unstable();
            used.dedup();
        }
        found
    }

    fn enter(&mut self, name: &str, packages: &mut Vec<Package>) -> u32 {
        if let Some(known) = self.by_name.get(name) {
            return *known;
        }
        packages.push(Package::default());
        let number = packages.len() as u32 - 1;
        self.by_name.insert(name.to_owned(), number);
        if let Some((outer, _)) = name.rsplit_once('.') {
            self.enter(outer, packages);
        }
        number
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
        let inner = around(from).filter(|one| !one.is_empty());
        let found = inner.filter_map(|one| self.absolute(table, packages, &format!("{one}.{text}"))).next();
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
            return self.types(packages, *package, name).find(|node| table.kind(*node).is_type()).map(Module::Node);
        }
        match self.absolute(table, packages, head).filter(|_| !head.is_empty())? {
            Module::Node(outer) => table.members(outer, name).first().copied().map(Module::Node),
            _ => None,
        }
    }

    fn types<'p>(&self, packages: &'p [Package], package: u32, name: NameId) -> impl Iterator<Item = NodeId> + 'p {
        let names = &packages[package as usize].names;
        let from = names.partition_point(|(other, _)| *other < name);
        names[from..].iter().take_while(move |(other, _)| *other == name).map(|(_, node)| *node)
    }

    /// What every file of a repository uses.
    pub fn global_usings(&self, repo: u32) -> &[String] {
        self.everywhere.get(&repo).map_or(&[], Vec::as_slice)
    }

    /// Whether every file of a repository uses this namespace.
    pub fn used_everywhere(&self, repo: u32, namespace: &str) -> bool {
        self.global_usings(repo).iter().any(|used| used == namespace)
    }
}

/// A namespace and those around it, innermost first, the nameless one last.
pub(crate) fn around(namespace: &str) -> impl Iterator<Item = &str> {
    let outer = |at: &&str| at.rsplit_once('.').map(|(outer, _)| outer.len()).or((!at.is_empty()).then_some(0));
    std::iter::successors(Some(namespace), move |at| outer(at).map(|end| &namespace[..end]))
}
