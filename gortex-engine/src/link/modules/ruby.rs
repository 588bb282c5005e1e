//! Ruby: constants by their full path, however often they are opened; files by what `require` calls them.
//!
//! Ruby has one tree of constants for the whole program, so a path names the same class wherever it is opened. A class
//! opened in a test is the test's own business unless nothing else defines it.

use rustc_hash::FxHashMap;

use super::{Module, Modules, folder, join, shared_segments};
use crate::facts::model::{Kind, NONE, flag};
use crate::graph::{NodeId, is_test_path};
use crate::lang::Family;
use crate::link::table::{NameId, Table};

#[derive(Debug, Default)]
pub(crate) struct RubyModules {
    /// Full path of a class, module or constant to its openings, the main one first.
    by_path: FxHashMap<String, Vec<NodeId>>,
    path_of: FxHashMap<NodeId, String>,
    /// Methods and global variables outside of any class.
    top: FxHashMap<NameId, Vec<NodeId>>,
    by_base: FxHashMap<String, Vec<u32>>,
}

impl RubyModules {
    pub fn new(table: &Table<'_>) -> Self {
        let mut found = RubyModules::default();
        let mut qualified = Vec::new();
        for (at, file) in table.files.iter().enumerate().filter(|(at, _)| table.family(*at) == Some(Family::Ruby)) {
            let base = file.path.rsplit('/').next().unwrap_or(&file.path);
            found.by_base.entry(base.to_owned()).or_default().push(at as u32);
            for (index, def) in table.views[at].defs.iter().enumerate() {
                let node = file.base + 1 + index as u32;
                let kind = def.kind();
                let title = def.flags & (flag::TEST | flag::IN_TEST) != 0;
                let top = def.parent == NONE && def.owner_type.is_empty() && !title;
                if top && matches!(kind, Kind::Function | Kind::Variable) {
                    found.top.entry(table.node_name[node as usize]).or_default().push(node);
                } else if kind.is_type() || matches!(kind, Kind::Module | Kind::Constant) {
                    if def.owner_type.is_empty() {
                        found.enter(table, at, node, "");
                    } else {
                        qualified.push((at, node));
                    }
                }
            }
        }
        // `class A::B` stands where `A` is known; `A` may itself be such a one.
        qualified.sort_by_key(|(at, node)| (table.def(*node).map_or(0, |def| segments(table.str(*at, def.owner_type))), *node));
        for (at, node) in qualified {
            let scope = table.def(node).map_or("", |def| table.str(at, def.owner_type));
            found.enter(table, at, node, scope);
        }
        found.rank(table);
        found
    }

    fn enter(&mut self, table: &Table<'_>, file: usize, node: NodeId, scope: &str) {
        let name = table.def(node).map_or("", |def| table.str(file, def.name));
        let outer = table.ancestors(node).find_map(|above| self.path_of.get(&above)).cloned().unwrap_or_default();
        let path = match (scope.strip_prefix("::"), scope.is_empty()) {
            (Some(top), _) => format!("{top}::{name}"),
            (None, true) if outer.is_empty() => name.to_owned(),
            (None, true) => format!("{outer}::{name}"),
            (None, false) => {
                let mut around = outer.as_str();
                loop {
                    let full = joined(around, scope);
                    if around.is_empty() || self.by_path.contains_key(&full) {
                        break format!("{full}::{name}");
                    }
                    around = around.rsplit_once("::").map_or("", |(outer, _)| outer);
                }
            }
        };
        self.by_path.entry(path.clone()).or_default().push(node);
        self.path_of.insert(node, path);
    }

    /// Puts the main opening of each path first: code before tests, the file named after it, the one that says most.
    fn rank(&mut self, table: &Table<'_>) {
        for (path, nodes) in &mut self.by_path {
            if nodes.len() < 2 {
                continue;
            }
            let stem = snake(path);
            nodes.sort_by_key(|node| {
                let file = &table.files[table.file_of(*node)].path;
                let named = file.strip_suffix(".rb").is_some_and(|file| file.ends_with(&stem));
                (is_test_path(file), !named, std::cmp::Reverse(table.all_members(*node).len()), *node)
            });
        }
    }

    /// The opening that stands for a path, as a file sees it.
    pub fn constant(&self, table: &Table<'_>, file: usize, path: &str) -> Option<NodeId> {
        let nodes = self.by_path.get(path)?;
        let place = |node: &NodeId| table.file_of(*node);
        let repo = table.files[file].repo;
        let code = |node: &&NodeId| !is_test_path(&table.files[place(node)].path);
        let own = |node: &&NodeId| table.files[place(node)].repo == repo;
        let found = nodes.iter().filter(own).find(code).or_else(|| nodes.iter().find(code));
        if found.is_some() {
            return found.copied();
        }
        // Tests define the same names over and over: only what is in the file itself, or is there once, is meant.
        let mut tests = nodes.iter().filter(own);
        nodes.iter().find(|node| place(node) == file).or_else(|| tests.next().filter(|_| tests.next().is_none())).copied()
    }

    /// The full path of a class, module or constant.
    pub fn path_of(&self, node: NodeId) -> Option<&str> {
        self.path_of.get(&node).map(String::as_str)
    }

    /// The other openings of a class or module; those in other tests are left out.
    pub fn openings<'s>(&'s self, table: &'s Table<'_>, node: NodeId) -> impl Iterator<Item = NodeId> + 's {
        let nodes = self.path_of.get(&node).and_then(|path| self.by_path.get(path)).map_or(&[][..], Vec::as_slice);
        let file = if nodes.len() > 1 { table.file_of(node) } else { 0 };
        nodes.iter().copied().filter(move |other| {
            let at = table.file_of(*other);
            *other != node
                && table.files[at].repo == table.files[file].repo
                && (at == file || !is_test_path(&table.files[at].path))
        })
    }

    /// A method or global variable outside of any class, and whether it is one of the file's own.
    pub fn top(&self, table: &Table<'_>, file: usize, name: NameId) -> Option<(NodeId, bool)> {
        let nodes = self.top.get(&name)?;
        if let Some(own) = nodes.iter().find(|node| table.file_of(**node) == file) {
            return Some((*own, true));
        }
        let tests = is_test_path(&table.files[file].path);
        let mut seen = nodes.iter().filter(|node| {
            let other = &table.files[table.file_of(**node)];
            other.repo == table.files[file].repo && (tests || !is_test_path(&other.path))
        });
        let first = seen.next()?;
        seen.next().is_none().then_some((*first, false))
    }

    pub fn resolve(&self, modules: &Modules, table: &Table<'_>, file: usize, text: &str) -> Module {
        let text = text.strip_suffix(".rb").unwrap_or(text);
        let from = &table.files[file].path;
        let node = |at: u32| Module::Node(table.files[at as usize].base);
        if text.starts_with('.') {
            let found = join(folder(from), text).and_then(|path| modules.path(&format!("{path}.rb")));
            return found.map_or(Module::Unknown, node);
        }
        let base = text.rsplit('/').next().unwrap_or(text);
        // What stands before the required path must be a folder that Ruby looks in.
        let loaded = |path: &str| {
            let root = path.strip_suffix(".rb").and_then(|path| path.strip_suffix(text));
            root.is_some_and(|root| {
                let root = root.trim_end_matches('/');
                let last = root.rsplit('/').next().unwrap_or("");
                root.is_empty() || matches!(last, "lib" | "app" | "test" | "spec" | "models" | "src") || root == folder(from)
            })
        };
        let named = self.by_base.get(&format!("{base}.rb")).into_iter().flatten().copied();
        let best = named.filter(|at| loaded(&table.files[*at as usize].path)).max_by_key(|at| {
            let other = &table.files[*at as usize];
            (other.repo == table.files[file].repo, shared_segments(&other.path, from), std::cmp::Reverse(other.path.len()))
        });
        best.map_or(Module::External, node)
    }
}

fn segments(path: &str) -> usize {
    path.matches("::").count()
}

/// `outer::inner`, or `inner` alone at the top.
pub(crate) fn joined(outer: &str, inner: &str) -> String {
    if outer.is_empty() { inner.to_owned() } else { format!("{outer}::{inner}") }
}

/// `Rack::ShowExceptions` as the file that is named after it: `rack/show_exceptions`.
fn snake(path: &str) -> String {
    let mut out = String::new();
    for part in path.split("::") {
        if !out.is_empty() {
            out.push('/');
        }
        let mut before = '_';
        for letter in part.chars() {
            if letter.is_uppercase() && !before.is_uppercase() && before != '_' {
                out.push('_');
            }
            out.extend(letter.to_lowercase());
            before = letter;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::snake;

    #[test]
    fn files_are_named_after_classes() {
        assert_eq!(snake("Rack::ShowExceptions"), "rack/show_exceptions");
        assert_eq!(snake("A::HTTPServer"), "a/httpserver");
    }
}
