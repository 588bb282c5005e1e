//! Snapshots of other sets of roots as a source of facts.
//!
//! Of each snapshot only the list of contents is read at first. One whose list has a wanted content is opened, which checks
//! all of it, and its facts are used as they stand in the mapped file.
//!
//! Knows where snapshots lie, not whose they are.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::SystemTime;

use rustc_hash::FxHashMap;

use super::Key;
use crate::facts::Facts;
use crate::graph::{Graph, snapshot};

/// More snapshots than these, the newest ones, are not asked.
const MOST: usize = 12;

#[derive(Debug)]
pub(super) struct Siblings {
    shelves: Vec<Shelf>,
}

#[derive(Debug)]
struct Shelf {
    path: PathBuf,
    places: FxHashMap<Key, u32>,
    graph: OnceLock<Option<Graph>>,
}

impl Siblings {
    /// The snapshots in a cache folder but `own`.
    pub fn read(cache: &Path, own: &Path) -> Siblings {
        let mut found: Vec<(Option<SystemTime>, PathBuf)> = Vec::new();
        for entry in std::fs::read_dir(cache).into_iter().flatten().flatten() {
            let path = entry.path().join(snapshot::FILE);
            if path == own {
                continue;
            }
            if let Ok(meta) = std::fs::metadata(&path) {
                found.push((meta.modified().ok(), path));
            }
        }
        found.sort_unstable_by(|a, b| b.cmp(a));
        found.truncate(MOST);
        Siblings { shelves: found.into_iter().filter_map(|(_, path)| Shelf::read(path)).collect() }
    }

    pub fn find(&self, key: &Key) -> Option<Facts> {
        self.shelves.iter().find_map(|shelf| shelf.find(key))
    }
}

impl Shelf {
    fn read(path: PathBuf) -> Option<Shelf> {
        let rows = snapshot::contents(&path)?;
        let places = rows.into_iter().enumerate().filter_map(|(at, (hash, lang))| Some(((hash, lang?), at as u32)));
        Some(Shelf { path, places: places.collect(), graph: OnceLock::new() })
    }

    fn find(&self, key: &Key) -> Option<Facts> {
        let at = *self.places.get(key)? as usize;
        let graph = self.graph.get_or_init(|| snapshot::open(&self.path).ok().map(|(graph, _)| graph));
        let file = graph.as_ref()?.files.get(at)?;
        let same = file.hash == key.0 && file.lang == Some(key.1) && file.status.is_parsed();
        same.then(|| file.facts.clone())
    }
}
