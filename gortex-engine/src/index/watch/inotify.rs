//! Events of Linux.
//!
//! One descriptor and one thread. Only what changes content, names or rights is asked for: being told of every opened file
//! would cost more than looking.
//!
//! Knows the system's calls; what an event means is decided by the ear.

use std::path::PathBuf;
use std::sync::Arc;

use inotify::{EventMask, Inotify, WatchDescriptor, WatchMask, Watches};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use super::{Ear, WatchError, What};

const BUFFER: usize = 64 << 10;
/// "No space left": what the system says when its limit is reached.
const ENOSPC: i32 = 28;

pub(super) struct Backend {
    watches: Watches,
    folders: Arc<Mutex<Folders>>,
}

#[derive(Default)]
struct Folders {
    by_watch: FxHashMap<WatchDescriptor, PathBuf>,
    by_path: FxHashMap<PathBuf, WatchDescriptor>,
}

impl std::fmt::Debug for Backend {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Backend").finish_non_exhaustive()
    }
}

impl Backend {
    pub fn new(ear: Arc<Ear>) -> Result<Backend, WatchError> {
        let system = |error: std::io::Error| WatchError::System(error.to_string());
        let inotify = Inotify::init().map_err(system)?;
        let backend = Backend { watches: inotify.watches(), folders: Arc::default() };
        let folders = Arc::clone(&backend.folders);
        let read = move || listen(inotify, &ear, &folders);
        std::thread::Builder::new().name("watch".to_owned()).spawn(read).map_err(system)?;
        Ok(backend)
    }

    /// Watches exactly these folders; the number of new ones.
    pub fn cover(&mut self, _roots: &[PathBuf], wanted: &[PathBuf]) -> Result<usize, WatchError> {
        let mask = WatchMask::CREATE
            | WatchMask::DELETE
            | WatchMask::MOVE
            | WatchMask::CLOSE_WRITE
            | WatchMask::MODIFY
            | WatchMask::ATTRIB
            | WatchMask::DELETE_SELF
            | WatchMask::MOVE_SELF
            | WatchMask::ONLYDIR
            | WatchMask::DONT_FOLLOW
            | WatchMask::EXCL_UNLINK;
        // Held throughout, so that no event of a new watch is read before its path is known.
        let mut folders = self.folders.lock();
        let wanted_set: rustc_hash::FxHashSet<&PathBuf> = wanted.iter().collect();
        let gone: Vec<PathBuf> = folders.by_path.keys().filter(|path| !wanted_set.contains(path)).cloned().collect();
        for path in gone {
            if let Some(watch) = folders.by_path.remove(&path) {
                folders.by_watch.remove(&watch);
                // The folder may be gone, and its watch with it.
                let _ = self.watches.remove(watch);
            }
        }
        let mut new = 0;
        for path in wanted {
            if folders.by_path.contains_key(path) {
                continue;
            }
            match self.watches.add(path, mask) {
                Ok(watch) => {
                    // A folder that was moved keeps its watch.
                    if let Some(old) = folders.by_watch.insert(watch.clone(), path.clone()) {
                        folders.by_path.remove(&old);
                    }
                    folders.by_path.insert(path.clone(), watch);
                    new += 1;
                }
                Err(error) if error.raw_os_error() == Some(ENOSPC) => return Err(WatchError::Limit { folders: wanted.len() }),
                // Gone or replaced since it was walked; the folder above tells of it.
                Err(error) => tracing::debug!(%error, path = %path.display(), "a folder is not watched"),
            }
        }
        Ok(new)
    }
}

fn listen(mut inotify: Inotify, ear: &Ear, folders: &Mutex<Folders>) {
    let mut buffer = vec![0; BUFFER];
    while !ear.ended() {
        let events = match inotify.read_events_blocking(&mut buffer) {
            Ok(events) => events,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => {
                ear.fail(error.to_string());
                return;
            }
        };
        for event in events {
            if event.mask.contains(EventMask::Q_OVERFLOW) {
                ear.lost();
                continue;
            }
            let mut folders = folders.lock();
            if event.mask.contains(EventMask::IGNORED) {
                if let Some(path) = folders.by_watch.remove(&event.wd)
                    && folders.by_path.get(&path) == Some(&event.wd)
                {
                    folders.by_path.remove(&path);
                }
                continue;
            }
            let Some(folder) = folders.by_watch.get(&event.wd).cloned() else { continue };
            drop(folders);
            match event.name {
                Some(name) => {
                    let what = if event.mask.contains(EventMask::ISDIR) { What::Folder } else { What::Entry };
                    ear.tell(folder.join(name), what);
                }
                // Of the watched folder itself: only its end matters, and of the topmost nobody else tells.
                None if event.mask.intersects(EventMask::DELETE_SELF | EventMask::MOVE_SELF) => ear.lost(),
                None => {}
            }
        }
    }
}
