//! Data and documents: paths from one file to another, and the few name spaces that formats have.
//!
//! A Terraform module is a folder. Protocol buffers look a name up from the innermost scope outwards in packages that span
//! files. Targets, functions and macros of CMake are known in the whole build. A table or a GraphQL type is looked for in its
//! file, then in its folder, then as the only one of that name in the repository, which is told as inferred. In every other
//! format a name means nothing outside its file.
//!
//! Knows paths and full names, no trees.

use rustc_hash::FxHashMap;

use super::{Module, Modules, folder, join};
use crate::facts::model::{Kind, NONE};
use crate::graph::{NodeId, Tier};
use crate::lang::Family;
use crate::link::table::Table;

/// Names by the space they are known in.
#[derive(Debug, Default)]
pub(crate) struct PlainNames {
    names: FxHashMap<String, Vec<NodeId>>,
}

/// How a format's names are known.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Space {
    /// In the files of a folder.
    Folder,
    /// In packages that the files declare.
    Package,
    /// In the repository.
    Repository,
    /// In the folder, and in the repository where there is only one.
    Schema,
}

fn space(table: &Table<'_>, file: usize) -> Option<(&'static str, Space)> {
    let language = table.files[file].lang?.language();
    let space = match language.name {
        "hcl" => Space::Folder,
        "protobuf" => Space::Package,
        "cmake" => Space::Repository,
        "sql" | "graphql" => Space::Schema,
        _ => return None,
    };
    (language.family == Family::Plain).then_some((language.name, space))
}

fn key(language: &str, repo: u16, place: &str, name: &str) -> String {
    format!("{language}\n{repo}\n{place}\n{name}")
}

impl PlainNames {
    pub fn new(table: &Table<'_>) -> PlainNames {
        let mut found = PlainNames::default();
        for (at, file) in table.files.iter().enumerate() {
            let Some((language, space)) = space(table, at) else { continue };
            let view = &table.views[at];
            for (index, def) in view.defs.iter().enumerate() {
                let node = file.base + 1 + index as u32;
                let name = view.str(def.name);
                if space == Space::Package {
                    let inner = crate::graph::names::qualified(view, index as u32);
                    let package = view.str(view.header.package);
                    let full = if package.is_empty() { inner } else { format!("{package}.{inner}") };
                    found.add(key(language, file.repo, "", &full), node);
                    continue;
                }
                if def.parent != NONE {
                    continue;
                }
                match space {
                    Space::Folder => found.add(key(language, file.repo, folder(&file.path), name), node),
                    Space::Schema if language == "sql" && !is_relation(def.kind()) => {}
                    Space::Schema => {
                        let folded = fold(language, name);
                        found.add(key(language, file.repo, folder(&file.path), &folded), node);
                        found.add(key(language, file.repo, "*", &folded), node);
                    }
                    // A variable belongs to its folder and those below, which only the order of the build tells.
                    _ if def.kind() == Kind::Variable || def.kind() == Kind::Module => {}
                    _ => found.add(key(language, file.repo, "", name), node),
                }
            }
        }
        found
    }

    fn add(&mut self, key: String, node: NodeId) {
        self.names.entry(key).or_default().push(node);
    }

    fn get(&self, language: &str, repo: u16, place: &str, name: &str) -> &[NodeId] {
        self.names.get(&key(language, repo, place, name)).map_or(&[], Vec::as_slice)
    }

    /// What `text` means as it is written in `file` inside `owner`, with how that is known.
    pub fn find(&self, table: &Table<'_>, file: usize, owner: NodeId, text: &str) -> Option<(NodeId, Tier)> {
        let (language, space) = space(table, file)?;
        let (repo, path) = (table.files[file].repo, table.files[file].path.as_str());
        let exact = |node| (node, Tier::AstResolved);
        match space {
            Space::Package => self.in_packages(table, file, owner, text).map(exact),
            Space::Folder => one(self.get(language, repo, folder(path), text)).map(exact),
            Space::Repository => {
                let own = table.members(table.files[file].base, table.name(text)).first().copied();
                own.or_else(|| one(self.get(language, repo, "", text))).map(exact)
            }
            Space::Schema => {
                let (schema, name) = text.rsplit_once('.').unwrap_or(("", text));
                let name = fold(language, name);
                let fits = |node: &NodeId| {
                    let Some(def) = table.def(*node) else { return false };
                    let other = table.str(table.file_of(*node), def.owner_type);
                    schema.is_empty() || other.is_empty() || other.eq_ignore_ascii_case(schema)
                };
                let near: Vec<NodeId> =
                    self.get(language, repo, folder(path), &name).iter().copied().filter(|node| fits(node)).collect();
                let here = near.iter().copied().find(|node| table.file_of(*node) == file);
                if let Some(node) = here.or_else(|| one(&near)) {
                    return Some(exact(node));
                }
                let all: Vec<NodeId> = self.get(language, repo, "*", &name).iter().copied().filter(|node| fits(node)).collect();
                one(&all).map(|node| (node, Tier::AstInferred))
            }
        }
    }

    /// By the rules of protocol buffers: a leading dot is the top, otherwise every scope outwards is tried.
    fn in_packages(&self, table: &Table<'_>, file: usize, owner: NodeId, text: &str) -> Option<NodeId> {
        let view = &table.views[file];
        let repo = table.files[file].repo;
        let get = |full: &str| {
            let found = self.get("protobuf", repo, "", full);
            let types: Vec<NodeId> =
                found.iter().copied().filter(|node| table.kind(*node).is_type() || table.kind(*node) == Kind::Service).collect();
            let here = types.iter().copied().find(|node| table.file_of(*node) == file);
            here.or_else(|| one(&types))
        };
        if let Some(full) = text.strip_prefix('.') {
            return get(full);
        }
        let index = owner.checked_sub(table.files[file].base + 1);
        let inner = index.map(|index| crate::graph::names::qualified(view, index)).unwrap_or_default();
        let package = view.str(view.header.package);
        let whole = [package, inner.as_str()].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(".");
        let mut scope = whole.as_str();
        loop {
            let full = if scope.is_empty() { text.to_owned() } else { format!("{scope}.{text}") };
            if let Some(found) = get(&full) {
                return Some(found);
            }
            if scope.is_empty() {
                return None;
            }
            scope = scope.rsplit_once('.').map_or("", |(outer, _)| outer);
        }
    }

    /// The file that a path in a file means: beside the file, or from the top of its repository.
    pub fn resolve(modules: &Modules, table: &Table<'_>, file: usize, text: &str) -> Module {
        let from = folder(&table.files[file].path);
        let language = table.files[file].lang.map_or("", |lang| lang.language().name);
        let endings: &[&str] = match language {
            "hcl" => &["/main.tf"],
            "cmake" => &["", ".cmake", "/CMakeLists.txt"],
            "yaml" => &["", "/action.yml", "/action.yaml"],
            "markdown" => &["", ".md", "/README.md", "/index.md"],
            _ => &[""],
        };
        let at = |path: String| endings.iter().find_map(|ending| modules.path(&format!("{path}{ending}")));
        // Several repositories stand under their prefixes; the top is the first folder that has the path.
        let above = || std::iter::successors(Some(from), |at| (!at.is_empty()).then(|| folder(at)));
        let found = match text.strip_prefix('/') {
            Some(rooted) => above().filter_map(|at_folder| join(at_folder, rooted)).filter_map(at).last(),
            None if language == "protobuf" => above().filter_map(|at_folder| join(at_folder, text)).find_map(at),
            None => join(from, text).and_then(at),
        };
        found.map_or(Module::Unknown, |found| Module::Node(table.files[found as usize].base))
    }
}

fn is_relation(kind: Kind) -> bool {
    matches!(kind, Kind::Table | Kind::View)
}

/// Names of tables are compared without case.
fn fold(language: &str, name: &str) -> String {
    if language == "sql" { name.to_lowercase() } else { name.to_owned() }
}

fn one(nodes: &[NodeId]) -> Option<NodeId> {
    if let [one] = nodes { Some(*one) } else { None }
}
