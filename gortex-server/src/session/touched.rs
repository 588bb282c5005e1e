//! Which files a session has looked at or changed lately.
//!
//! Told from the answers of reading and writing operations: the file an answer is about, not every file that it mentions.
//!
//! Knows the keys under which answers name their file.

use std::collections::VecDeque;

use gortex_core::{Body, CallOutput, Effect};
use serde_json::Value;

/// Files that are remembered, the newest.
const FILES: usize = 512;
/// Keys whose text is the file an answer or one of its parts is about.
const KEYS: [&str; 3] = ["file_path", "path", "file"];
/// Lists of an answer whose rows are what was asked for.
const LISTS: [&str; 4] = ["symbols", "files", "results", "edits"];

/// A file and how it was touched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Touched {
    /// Its path as answers give it.
    pub path: String,
    /// Whether it was read.
    pub viewed: bool,
    /// Whether it was changed.
    pub modified: bool,
}

/// The files of one session, the newest at the end.
#[derive(Debug, Default)]
pub struct TouchedFiles(VecDeque<Touched>);

impl TouchedFiles {
    /// Remembers the files that an answer is about.
    pub fn note(&mut self, output: &CallOutput) {
        let Some(operation) = output.operation else { return };
        let modified = operation.effect == Effect::LocalWrite;
        if !modified && operation.facade != "read" {
            return;
        }
        let Body::Json(body) = &output.body else { return };
        if modified && body.get("dry_run") == Some(&Value::Bool(true)) {
            return;
        }
        for path in paths(body) {
            self.touch(path, modified);
        }
    }

    fn touch(&mut self, path: &str, modified: bool) {
        let known = self.0.iter().position(|file| file.path == path).and_then(|at| self.0.remove(at));
        let mut file = known.unwrap_or_else(|| Touched { path: path.to_owned(), viewed: false, modified: false });
        file.viewed |= !modified;
        file.modified |= modified;
        self.0.push_back(file);
        if self.0.len() > FILES {
            self.0.pop_front();
        }
    }

    /// The files, the oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &Touched> {
        self.0.iter()
    }
}

/// The files that an answer is about: its own, and those of the rows that were asked for.
fn paths(body: &Value) -> Vec<&str> {
    let whole = body.get("file").and_then(|file| file.get("id")).and_then(Value::as_str);
    let own = KEYS.iter().find_map(|key| body.get(*key).and_then(Value::as_str)).or(whole);
    let rows = LISTS.iter().filter_map(|list| body.get(*list).and_then(Value::as_array)).flatten();
    let named = rows.filter_map(|row| KEYS.iter().find_map(|key| row.get(*key).and_then(Value::as_str)));
    own.into_iter().chain(named).collect()
}
