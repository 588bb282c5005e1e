//! Python: dotted names from package roots, relative imports from the importing file.
//!
//! A root is the folder above the outermost `__init__.py`; a module is also known by its path from the top of the
//! repository, which covers namespace packages and `src/` layouts.

use rustc_hash::FxHashMap;

use super::ties::Ties;
use super::{Module, folder, join, shared_segments};
use crate::lang::Family;
use crate::link::table::Table;

#[derive(Debug, Default)]
pub(crate) struct PythonModules {
    by_name: FxHashMap<String, Vec<u32>>,
    by_path: FxHashMap<String, u32>,
}

impl PythonModules {
    pub fn new(table: &Table<'_>) -> Self {
        let mut found = PythonModules::default();
        let python = |at: &usize| table.family(*at) == Some(Family::Python);
        let packages: rustc_hash::FxHashSet<&str> = (0..table.files.len())
            .filter(python)
            .map(|at| table.files[at].path.as_str())
            .filter_map(|path| path.strip_suffix("__init__.py"))
            .map(|folder| folder.trim_end_matches('/'))
            .collect();
        for at in (0..table.files.len()).filter(python) {
            let path = table.files[at].path.as_str();
            let Some(stem) = path.strip_suffix(".py").or_else(|| path.strip_suffix(".pyi")) else { continue };
            let module = stem.strip_suffix("/__init__").unwrap_or(stem);
            found.by_path.entry(module.to_owned()).or_insert(at as u32);
            // Each folder above that is not itself a package may be a root of the import path.
            let mut root = folder(stem);
            if stem != module {
                root = folder(module);
            }
            loop {
                let in_package = packages.contains(root);
                if !in_package {
                    let dotted = module[root.len()..].trim_start_matches('/').replace('/', ".");
                    let entry = found.by_name.entry(dotted).or_default();
                    if entry.last() != Some(&(at as u32)) {
                        entry.push(at as u32);
                    }
                }
                if root.is_empty() {
                    break;
                }
                root = folder(root);
            }
        }
        found
    }

    pub fn resolve(&self, table: &Table<'_>, ties: &Ties, file: usize, text: &str) -> Module {
        let node = |at: u32| Module::Node(table.files[at as usize].base);
        let path = &table.files[file].path;
        if text.starts_with('.') {
            let name = text.trim_start_matches('.');
            let levels = text.len() - name.len();
            let up = "../".repeat(levels - 1);
            let Some(target) = join(folder(path), &format!("{up}{}", name.replace('.', "/"))) else { return Module::Unknown };
            return self.by_path.get(&target).map_or(Module::Unknown, |at| node(*at));
        }
        // Several roots may offer the name: the one nearest to the importing file is on its import path.
        let repo = table.files[file].repo;
        let near = |at: &u32| ties.reach(Family::Python, repo, table.files[*at as usize].repo);
        let found: Vec<u32> = self.by_name.get(text).into_iter().flatten().copied().filter(near).collect();
        if found.is_empty() {
            // Where the first segment names something of ours a miss is a gap and not a library.
            let head = text.split('.').next().and_then(|head| self.by_name.get(head));
            return if head.is_some_and(|at| at.iter().any(near)) { Module::Unknown } else { Module::External };
        }
        let best = found.into_iter().max_by_key(|at| {
            let other = &table.files[*at as usize];
            (other.repo == repo, shared_segments(&other.path, path), std::cmp::Reverse(other.path.len()))
        });
        best.map_or(Module::Unknown, node)
    }
}
