//! C and C++: includes by relative path or unique path ending, and their transitive closure.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Module, Modules, folder, join, shared_segments};
use crate::lang::Family;
use crate::link::table::Table;

/// Includes followed from one file at most; beyond that a file sees everything anyway.
const CLOSURE_LIMIT: usize = 4_000;

#[derive(Debug, Default)]
pub(crate) struct Includes {
    by_base: FxHashMap<String, Vec<u32>>,
    visible: FxHashMap<u32, FxHashSet<u32>>,
}

impl Includes {
    pub fn new(table: &Table<'_>) -> Self {
        let mut by_base: FxHashMap<String, Vec<u32>> = FxHashMap::default();
        for (at, file) in table.files.iter().enumerate() {
            if table.family(at) == Some(Family::C) {
                let base = file.path.rsplit('/').next().unwrap_or(&file.path);
                by_base.entry(base.to_owned()).or_default().push(at as u32);
            }
        }
        Includes { by_base, visible: FxHashMap::default() }
    }

    pub fn resolve(&self, modules: &Modules, table: &Table<'_>, file: usize, text: &str, flags: u16) -> Module {
        let node = |at: u32| Module::Node(table.files[at as usize].base);
        let from = &table.files[file].path;
        if flags & crate::facts::model::import_flag::SYSTEM == 0
            && let Some(at) = join(folder(from), text).and_then(|path| modules.path(&path))
        {
            return node(at);
        }
        // `<stdlib.h>` is the compiler's, whatever a folder of shims or another port has under that name.
        if flags & crate::facts::model::import_flag::SYSTEM != 0 && is_standard(text) {
            return Module::External;
        }
        let tail = text.trim_start_matches("../").trim_start_matches("./");
        let base = tail.rsplit('/').next().unwrap_or(tail);
        let candidates = self.by_base.get(base).into_iter().flatten().copied().filter(|at| {
            let path = &table.files[*at as usize].path;
            // A header of another repository is reached by no name.
            table.files[*at as usize].repo == table.files[file].repo && (path == tail || path.ends_with(&format!("/{tail}")))
        });
        let best = candidates.max_by_key(|at| {
            let other = &table.files[*at as usize];
            (shared_segments(&other.path, from), std::cmp::Reverse(other.path.len()))
        });
        best.map_or(Module::External, node)
    }

    /// Follows includes transitively for every file of the family.
    pub fn close(&mut self, modules: &Modules, table: &Table<'_>) {
        let direct: FxHashMap<u32, Vec<u32>> = (0..table.files.len())
            .filter(|at| table.family(*at) == Some(Family::C))
            .map(|at| {
                let view = &table.views[at];
                let included = view.imports.iter().filter(|row| row.name.is_empty()).filter_map(|row| {
                    match self.resolve(modules, table, at, view.str(row.module), row.flags) {
                        Module::Node(node) => Some(table.file_of(node) as u32),
                        _ => None,
                    }
                });
                (at as u32, included.collect())
            })
            .collect();
        for start in direct.keys() {
            let mut seen = FxHashSet::default();
            let mut pending = direct[start].clone();
            while let Some(next) = pending.pop() {
                if seen.len() < CLOSURE_LIMIT && seen.insert(next) {
                    pending.extend(direct.get(&next).into_iter().flatten());
                }
            }
            self.visible.insert(*start, seen);
        }
    }

    pub fn visible(&self, file: usize, header: usize) -> bool {
        file == header || self.visible.get(&(file as u32)).is_some_and(|seen| seen.contains(&(header as u32)))
    }
}

/// Headers of the C standard library.
fn is_standard(header: &str) -> bool {
    matches!(
        header,
        "assert.h"
            | "ctype.h"
            | "errno.h"
            | "float.h"
            | "inttypes.h"
            | "limits.h"
            | "locale.h"
            | "math.h"
            | "setjmp.h"
            | "signal.h"
            | "stdarg.h"
            | "stdatomic.h"
            | "stdbool.h"
            | "stddef.h"
            | "stdint.h"
            | "stdio.h"
            | "stdlib.h"
            | "string.h"
            | "time.h"
            | "wchar.h"
    )
}
