//! Events of systems other than Linux, through the `notify` crate.
//!
//! These systems watch whole trees, so the roots are watched and what happens in folders that no walk reads is passed over.
//!
//! Knows the crate's events; what an event means is decided by the ear.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use notify::event::{CreateKind, EventKind, ModifyKind, RemoveKind};
use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};
use parking_lot::Mutex;
use rustc_hash::FxHashSet;

use super::{Ear, WatchError, What};

pub(super) struct Backend {
    watcher: RecommendedWatcher,
    watched: FxHashSet<PathBuf>,
    folders: Arc<Mutex<FxHashSet<PathBuf>>>,
}

impl std::fmt::Debug for Backend {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Backend").field("watched", &self.watched).finish_non_exhaustive()
    }
}

impl Backend {
    pub fn new(ear: Arc<Ear>) -> Result<Backend, WatchError> {
        let folders: Arc<Mutex<FxHashSet<PathBuf>>> = Arc::default();
        let known = Arc::clone(&folders);
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| hear(&ear, &known, event))
            .map_err(|error| WatchError::System(error.to_string()))?;
        Ok(Backend { watcher, watched: FxHashSet::default(), folders })
    }

    /// Watches what holds these folders; the number of folders that are new.
    pub fn cover(&mut self, roots: &[PathBuf], wanted: &[PathBuf]) -> Result<usize, WatchError> {
        let covered = |path: &Path| roots.iter().any(|root| path.starts_with(root));
        let alone = wanted.iter().filter(|path| !covered(path));
        let tops: FxHashSet<PathBuf> = roots.iter().chain(alone).cloned().collect();
        for path in self.watched.difference(&tops).cloned().collect::<Vec<_>>() {
            // It may be gone, and its watch with it.
            let _ = self.watcher.unwatch(&path);
            self.watched.remove(&path);
        }
        for path in &tops {
            if !self.watched.contains(path) {
                let limit = |error: notify::Error| match error.kind {
                    notify::ErrorKind::MaxFilesWatch => WatchError::Limit { folders: wanted.len() },
                    _ => WatchError::System(error.to_string()),
                };
                self.watcher.watch(path, RecursiveMode::Recursive).map_err(limit)?;
                self.watched.insert(path.clone());
            }
        }
        let wanted: FxHashSet<PathBuf> = wanted.iter().cloned().collect();
        let mut folders = self.folders.lock();
        let new = wanted.difference(&folders).count();
        *folders = wanted;
        Ok(new)
    }
}

fn hear(ear: &Ear, folders: &Mutex<FxHashSet<PathBuf>>, event: notify::Result<notify::Event>) {
    let event = match event {
        Ok(event) => event,
        Err(error) => {
            ear.fail(error.to_string());
            return;
        }
    };
    if event.need_rescan() {
        ear.lost();
    }
    let folder_event = matches!(event.kind, EventKind::Create(CreateKind::Folder) | EventKind::Remove(RemoveKind::Folder));
    if matches!(event.kind, EventKind::Access(_)) {
        return;
    }
    for path in event.paths {
        let (is_folder, inside) = {
            let folders = folders.lock();
            (folders.contains(&path), path.parent().is_some_and(|parent| folders.contains(parent)))
        };
        let moved = matches!(event.kind, EventKind::Modify(ModifyKind::Name(_)) | EventKind::Remove(_));
        if is_folder && (folder_event || moved) || inside && !is_folder && (folder_event || path.is_dir()) {
            ear.tell(path, What::Folder);
        } else if inside && !is_folder {
            ear.tell(path, What::Entry);
        }
    }
}
