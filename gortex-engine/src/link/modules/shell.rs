//! Shells: `source` by path, with what is computed at the front left out, and everything that is sourced in turn.
//!
//! A sourced file also runs with the names of the one that sources it, but that one may not be the only one.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Module, Modules, folder, join, shared_segments};
use crate::lang::Family;
use crate::link::table::Table;

/// Commands that a shell has of its own or that every system has; never ours where no function says so.
pub(crate) fn is_builtin(name: &str) -> bool {
    matches!(
        name,
        "echo"
            | "printf"
            | "cd"
            | "pwd"
            | "read"
            | "exit"
            | "return"
            | "set"
            | "unset"
            | "shift"
            | "eval"
            | "exec"
            | "trap"
            | "test"
            | "["
            | "true"
            | "false"
            | ":"
            | "local"
            | "export"
            | "declare"
            | "readonly"
            | "let"
            | "wait"
            | "kill"
            | "command"
            | "builtin"
            | "type"
            | "hash"
            | "alias"
            | "source"
            | "."
            | "break"
            | "continue"
            | "getopts"
            | "umask"
            | "shopt"
            | "mapfile"
            | "readarray"
            | "pushd"
            | "popd"
            | "dirs"
            | "jobs"
            | "fg"
            | "bg"
            | "disown"
            | "ulimit"
            | "times"
            | "caller"
            | "complete"
            | "compgen"
            | "typeset"
            | "enable"
            | "help"
            | "history"
            | "logout"
            | "bind"
            | "cat"
            | "grep"
            | "sed"
            | "awk"
            | "rm"
            | "cp"
            | "mv"
            | "mkdir"
            | "ls"
            | "ln"
            | "chmod"
            | "chown"
            | "touch"
            | "find"
            | "sort"
            | "uniq"
            | "head"
            | "tail"
            | "cut"
            | "tr"
            | "wc"
            | "tee"
            | "xargs"
            | "curl"
            | "wget"
            | "tar"
            | "git"
            | "sleep"
            | "date"
            | "basename"
            | "dirname"
            | "mktemp"
            | "diff"
            | "env"
            | "which"
            | "uname"
            | "sudo"
            | "id"
            | "ps"
            | "rmdir"
            | "readlink"
            | "realpath"
            | "expr"
            | "seq"
            | "stat"
            | "make"
            | "docker"
            | "python"
            | "python3"
            | "node"
            | "npm"
            | "tput"
            | "unzip"
            | "gzip"
            | "ssh"
            | "nl"
            | "od"
            | "bash"
            | "sh"
            | "zsh"
    )
}

#[derive(Debug, Default)]
pub(crate) struct Sourced {
    by_base: FxHashMap<String, Vec<u32>>,
    /// Per file what it sources, directly or not.
    closure: FxHashMap<u32, FxHashSet<u32>>,
    /// Per file what runs in one shell with it: who sources it, and what those source.
    shared: FxHashMap<u32, FxHashSet<u32>>,
}

impl Sourced {
    pub fn new(table: &Table<'_>) -> Self {
        let mut found = Sourced::default();
        for (at, file) in table.files.iter().enumerate().filter(|(at, _)| table.family(*at) == Some(Family::Shell)) {
            let base = file.path.rsplit('/').next().unwrap_or(&file.path);
            found.by_base.entry(base.to_owned()).or_default().push(at as u32);
        }
        found
    }

    /// The file of a path as written; a variable at its front stands for some folder.
    pub fn resolve(&self, modules: &Modules, table: &Table<'_>, file: usize, text: &str) -> Module {
        let node = |at: u32| Module::Node(table.files[at as usize].base);
        let from = &table.files[file].path;
        let computed = text.contains(['$', '`']);
        // What is written out behind the last computed part.
        let tail = if computed { text.rsplit(['$', '`', ')', '}']).next().unwrap_or("") } else { text };
        let tail = if computed { tail.split_once('/').map_or("", |(_, tail)| tail) } else { tail };
        if tail.is_empty() {
            return Module::Unknown;
        }
        if let Some(at) = join(folder(from), tail).and_then(|path| modules.path(&path)) {
            return node(at);
        }
        if text.starts_with('/') || text.starts_with('~') {
            return Module::External;
        }
        let tail = tail.trim_start_matches("../").trim_start_matches("./");
        let base = tail.rsplit('/').next().unwrap_or(tail);
        let candidates = self.by_base.get(base).into_iter().flatten().copied().filter(|at| {
            let other = &table.files[*at as usize];
            other.repo == table.files[file].repo && (other.path == tail || other.path.ends_with(&format!("/{tail}")))
        });
        let best = candidates.max_by_key(|at| {
            let other = &table.files[*at as usize];
            (shared_segments(&other.path, from), std::cmp::Reverse(other.path.len()))
        });
        best.map_or(if computed { Module::Unknown } else { Module::External }, node)
    }

    /// Follows `source` in turn.
    pub fn close(&mut self, modules: &Modules, table: &Table<'_>) {
        let mut direct: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for at in (0..table.files.len()).filter(|at| table.family(*at) == Some(Family::Shell)) {
            let view = &table.views[at];
            for row in view.imports {
                if let Module::Node(node) = self.resolve(modules, table, at, view.str(row.module)) {
                    direct.entry(at as u32).or_default().push(table.file_of(node) as u32);
                }
            }
        }
        let mut starts: Vec<u32> = direct.keys().copied().collect();
        starts.sort_unstable();
        for start in starts {
            let mut seen = FxHashSet::default();
            let mut pending = direct[&start].clone();
            while let Some(next) = pending.pop() {
                if seen.insert(next) {
                    pending.extend(direct.get(&next).into_iter().flatten());
                }
            }
            for other in &seen {
                let shared = self.shared.entry(*other).or_default();
                shared.insert(start);
                shared.extend(&seen);
            }
            self.closure.insert(start, seen);
        }
    }

    /// Whether some script runs two files in one shell.
    pub fn shares(&self, file: usize, other: usize) -> bool {
        self.shared.get(&(file as u32)).is_some_and(|shared| shared.contains(&(other as u32)))
    }

    /// Whether a file sources another, directly or not.
    pub fn sources(&self, file: usize, other: usize) -> bool {
        self.closure.get(&(file as u32)).is_some_and(|closure| closure.contains(&(other as u32)))
    }
}
