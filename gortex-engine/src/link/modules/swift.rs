//! Swift: a target is one name space. Targets come from `Package.swift`; what lies in none of them is taken together, as the
//! one module that an Xcode project mostly is.

use rustc_hash::FxHashMap;

use super::{Manifest, Module, Package, folder, join};
use crate::facts::Visibility;
use crate::facts::model::NONE;
use crate::graph::NodeId;
use crate::lang::Family;
use crate::link::scope::{Entity, Scopes, Want};
use crate::link::table::{NameId, Table};

#[derive(Debug, Default)]
pub(crate) struct SwiftTargets {
    by_name: FxHashMap<String, u32>,
}

/// A target of a package: its name and its folder.
struct Target {
    name: String,
    folder: String,
}

impl SwiftTargets {
    pub fn new(table: &Table<'_>, manifests: &[Manifest], packages: &mut Vec<Package>, of_file: &mut [u32]) -> Self {
        let targets = targets(manifests);
        let mut found = SwiftTargets::default();
        let mut rest: FxHashMap<u16, u32> = FxHashMap::default();
        for (at, slot) in of_file.iter_mut().enumerate() {
            if table.family(at) != Some(Family::Swift) {
                continue;
            }
            let file = &table.files[at];
            let inside = |target: &&Target| {
                let below = file.path.strip_prefix(target.folder.as_str());
                target.folder.is_empty() || below.is_some_and(|rest| rest.starts_with('/'))
            };
            let mut new = || {
                packages.push(Package::default());
                packages.len() as u32 - 1
            };
            let package = match targets.iter().filter(inside).max_by_key(|target| target.folder.len()) {
                Some(target) => *found.by_name.entry(target.name.clone()).or_insert_with(&mut new),
                None => *rest.entry(file.repo).or_insert_with(&mut new),
            };
            packages[package as usize].files.push(at as u32);
            *slot = package;
        }
        found
    }

    pub fn resolve(&self, text: &str) -> Module {
        self.by_name.get(text).map_or(Module::External, |package| Module::Package(*package))
    }
}

/// The targets that packages declare: `.target(name: "A", path: "Source")`.
fn targets(manifests: &[Manifest]) -> Vec<Target> {
    let mut found = Vec::new();
    for manifest in manifests.iter().filter(|manifest| manifest.path.rsplit('/').next() == Some("Package.swift")) {
        let root = folder(&manifest.path);
        for (opening, usual) in
            [(".target(", "Sources"), (".executableTarget(", "Sources"), (".macro(", "Sources"), (".testTarget(", "Tests")]
        {
            for (at, _) in manifest.text.match_indices(opening) {
                let rest = &manifest.text[at + opening.len()..];
                let rest = &rest[..closing(rest)];
                // `.target(name: "B")` among the dependencies of another target has no more than a name.
                let Some(name) = argument(rest, "name:") else { continue };
                let path = argument(rest, "path:").map_or_else(|| format!("{usual}/{name}"), str::to_owned);
                let Some(folder) = join(root, path.trim_end_matches('/')) else { continue };
                found.push(Target { name: name.to_owned(), folder });
            }
        }
    }
    // The same name twice: the first with a path of its own is the declaration, the other a dependency.
    found.sort_by(|a, b| (&a.name, &a.folder).cmp(&(&b.name, &b.folder)));
    found.dedup_by(|a, b| a.name == b.name && a.folder == b.folder);
    found
}

/// Where the parenthesis opened in front of a text closes.
fn closing(text: &str) -> usize {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' if depth == 0 => return at,
            ')' | ']' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

/// The string behind a label, outside inner brackets.
fn argument<'a>(text: &'a str, label: &str) -> Option<&'a str> {
    let mut depth = 0i32;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ if depth == 0 && text[at..].starts_with(label) => {
                let rest = text[at + label.len()..].trim_start().strip_prefix('"')?;
                return rest.split('"').next();
            }
            _ => {}
        }
    }
    None
}

impl Scopes<'_> {
    /// A bare name: of the file's own module, then of the modules it imports.
    pub(crate) fn swift_free(&self, file: usize, name: NameId, want: Want) -> Entity {
        let own = self.modules.file_package[file];
        if name == NONE || own == NONE {
            return Entity::None;
        }
        let found = self.swift_in(own, file, name, want, true);
        if !matches!(found, Entity::None) {
            return found;
        }
        let table = &self.table;
        let mut several = Entity::None;
        for row in table.views[file].imports {
            if let Module::Package(package) = self.modules.resolve(table, file, table.str(file, row.module), 0) {
                match self.swift_in(package, file, name, want, false) {
                    Entity::None => {}
                    // Two modules offer the name: which is meant cannot be said.
                    other if several != Entity::None && several != other => return Entity::None,
                    other => several = other,
                }
            }
        }
        several
    }

    fn swift_in(&self, package: u32, file: usize, name: NameId, want: Want, own: bool) -> Entity {
        let table = &self.table;
        let names = &self.modules.packages[package as usize].names;
        let from = names.partition_point(|(other, _)| *other < name);
        let same = names[from..].iter().take_while(|(other, _)| *other == name).map(|(_, node)| *node);
        let visible: Vec<NodeId> = same
            .filter(|node| {
                let Some(def) = table.def(*node) else { return false };
                // A testable import shows what is internal as well.
                let shown = def.visibility() != Visibility::Private;
                (shown || (own && table.file_of(*node) == file)) && (want != Want::Type || def.kind().is_type())
            })
            .collect();
        self.pick(visible.into_iter(), want)
    }
}
