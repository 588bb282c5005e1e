//! Lua: `a.b` is `a/b.lua` or `a/b/init.lua` somewhere on the path, which no file names.

use rustc_hash::FxHashMap;

use super::{Module, folder, shared_segments};
use crate::lang::Family;
use crate::link::table::Table;

#[derive(Debug, Default)]
pub(crate) struct LuaModules {
    /// Last segment of a module's name to files that may be it, with the path without its ending.
    by_last: FxHashMap<String, Vec<(u32, String)>>,
}

impl LuaModules {
    pub fn new(table: &Table<'_>) -> Self {
        let mut found = LuaModules::default();
        for (at, file) in table.files.iter().enumerate().filter(|(at, _)| table.family(*at) == Some(Family::Lua)) {
            let Some(stem) = file.path.strip_suffix(".lua").or_else(|| file.path.strip_suffix(".luau")) else { continue };
            for stem in [Some(stem), stem.strip_suffix("/init")].into_iter().flatten() {
                let last = stem.rsplit('/').next().unwrap_or(stem);
                found.by_last.entry(last.to_owned()).or_default().push((at as u32, stem.to_owned()));
            }
        }
        found
    }

    pub fn resolve(&self, table: &Table<'_>, file: usize, text: &str) -> Module {
        let wanted = text.replace('.', "/");
        let last = wanted.rsplit('/').next().unwrap_or(&wanted);
        let from = &table.files[file].path;
        let fits = |stem: &str| {
            let Some(root) = stem.strip_suffix(wanted.as_str()) else { return false };
            let root = root.strip_suffix('/').unwrap_or(root);
            let whole = root.len() < stem.len() - wanted.len() || root.is_empty();
            // A name of one word is too common to be taken from any folder.
            let known = matches!(root.rsplit('/').next().unwrap_or(""), "" | "src" | "lib" | "lua" | "spec" | "test");
            whole && (wanted.contains('/') || known || root == folder(from))
        };
        let candidates = self.by_last.get(last).into_iter().flatten().filter(|(_, stem)| fits(stem)).map(|(at, _)| *at);
        let best = candidates.max_by_key(|at| {
            let other = &table.files[*at as usize];
            (other.repo == table.files[file].repo, shared_segments(&other.path, from), std::cmp::Reverse(other.path.len()))
        });
        best.map_or(Module::External, |at| Module::Node(table.files[at as usize].base))
    }
}
