//! One writer for each file, in this process and beside it.
//!
//! A path falls into one of 256 slots. A slot is a mutex, and a file in the state folder locked for as long as the mutex is
//! held, so that an embedded server and a daemon exclude each other too; the system drops that lock when a process dies. Slots
//! are taken in ascending order, so two writers of several files never wait for each other in a ring.
//!
//! The slot's file also names the temporary file being written, so that what a killed writer left is removed by the next one.
//!
//! Knows nothing of what is written.

use super::disk;
use super::hash::fingerprint;
use super::{CancelFn, EditError};
use parking_lot::{Mutex, MutexGuard};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const SLOTS: usize = 256;
/// How long a writer waits for another one before it says so.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(5);

/// All locks of an editor.
pub(super) struct Locks {
    slots: Vec<Mutex<()>>,
    /// Where the slots' files are.
    folder: PathBuf,
}

/// Some slots, held until this is dropped.
pub(super) struct Held<'a> {
    /// The file comes before the mutex, so that whoever gets the mutex next finds the file free.
    slots: Vec<(usize, File, MutexGuard<'a, ()>)>,
}

impl Locks {
    pub(super) fn new(state_dir: &Path) -> Self {
        Self { slots: (0..SLOTS).map(|_| Mutex::new(())).collect(), folder: state_dir.join("locks") }
    }

    /// Waits for all the keys (paths, or names of other things that one writer may have).
    pub(super) fn hold<'a>(&'a self, keys: &[&str], cancelled: Option<CancelFn<'_>>) -> Result<Held<'a>, EditError> {
        let mut wanted: Vec<(usize, &str)> = keys.iter().map(|key| (slot_of(key), *key)).collect();
        wanted.sort_unstable();
        wanted.dedup_by_key(|(slot, _)| *slot);
        let started = Instant::now();
        let mut held = Held { slots: Vec::with_capacity(wanted.len()) };
        for (slot, key) in wanted {
            let check = || {
                if cancelled.is_some_and(|cancelled| cancelled()) {
                    return Err(EditError::Cancelled);
                }
                if started.elapsed() > PATIENCE {
                    return Err(EditError::Busy { path: key.to_owned() });
                }
                Ok(())
            };
            let guard = loop {
                if let Some(guard) = self.slots[slot].try_lock_for(PAUSE) {
                    break guard;
                }
                check()?;
            };
            let file = self.lock_file(slot, check)?;
            held.slots.push((slot, file, guard));
        }
        Ok(held)
    }

    fn lock_file(&self, slot: usize, check: impl Fn() -> Result<(), EditError>) -> Result<File, EditError> {
        let name = format!("locks/{slot:02x}");
        disk::private_dir(&self.folder)?;
        let path = self.folder.join(format!("{slot:02x}"));
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        disk::private_mode(&mut options);
        let mut file = options.open(path).map_err(EditError::io("open", &name))?;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) => check()?,
                Err(TryLockError::Error(error)) => return Err(EditError::io("lock", &name)(error)),
            }
            std::thread::sleep(PAUSE);
        }
        sweep(&mut file);
        Ok(file)
    }

    /// Removes what killed writers left beside the files they were writing. Slots in use are left alone.
    pub(super) fn sweep_all(&self) {
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        for entry in entries.flatten() {
            let Ok(mut file) = OpenOptions::new().read(true).write(true).open(entry.path()) else { continue };
            if file.try_lock().is_ok() {
                sweep(&mut file);
                let _ = file.unlock();
            }
        }
    }
}

impl Held<'_> {
    /// Remembers the temporary file about to be made for `key`, should this process die before it is gone.
    pub(super) fn note(&mut self, key: &str, temporary: &Path) {
        let slot = slot_of(key);
        if let Some((_, file, _)) = self.slots.iter_mut().find(|held| held.0 == slot) {
            // Without the note a crash leaves one small file behind: not worth failing the write for.
            let _ = file.write_all(format!("{}\n", temporary.display()).as_bytes());
        }
    }

    /// Forgets all temporary files: they were renamed or removed.
    pub(super) fn forget(&mut self) {
        for (_, file, _) in &mut self.slots {
            let _ = file.set_len(0).and_then(|()| file.rewind());
        }
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.forget();
        for (_, file, _) in &self.slots {
            // Closing would do, were it not for a program being started right now, which has copies of our files for a moment.
            let _ = file.unlock();
        }
    }
}

/// Removes the temporary files that a slot's file names, and empties it.
fn sweep(file: &mut File) {
    let mut names = String::new();
    if file.read_to_string(&mut names).is_ok() && !names.is_empty() {
        for name in names.lines().map(Path::new).filter(|name| disk::is_temporary(name)) {
            let _ = fs::remove_file(name);
        }
    }
    let _ = file.set_len(0).and_then(|()| file.rewind());
}

fn slot_of(key: &str) -> usize {
    let digest = fingerprint(&[key.as_bytes()]);
    usize::from_str_radix(&digest[..2], 16).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn writers_of_one_path_take_turns() {
        let dir = tempfile::tempdir().unwrap();
        let locks = Locks::new(dir.path());
        let inside = AtomicU32::new(0);
        std::thread::scope(|scope| {
            for turn in 0..8 {
                let (locks, inside) = (&locks, &inside);
                scope.spawn(move || {
                    let keys = if turn % 2 == 0 { ["a", "b"] } else { ["b", "a"] };
                    let held = locks.hold(&keys, None).unwrap();
                    assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                    std::thread::yield_now();
                    inside.fetch_sub(1, Ordering::SeqCst);
                    drop(held);
                });
            }
        });
    }

    #[test]
    fn a_second_process_is_kept_out_too() {
        // Two tables over one folder are what two processes are to each other.
        let dir = tempfile::tempdir().unwrap();
        let (one, two) = (Locks::new(dir.path()), Locks::new(dir.path()));
        let held = one.hold(&["a"], None).unwrap();
        let asked = AtomicU32::new(0);
        let give_up = || asked.fetch_add(1, Ordering::SeqCst) > 2;
        assert!(matches!(two.hold(&["a"], Some(&give_up)), Err(EditError::Cancelled)));
        drop(held);
        assert!(two.hold(&["a"], None).is_ok());
    }

    #[test]
    fn what_a_killed_writer_left_is_removed_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let locks = Locks::new(&dir.path().join("state"));
        let (left, precious) = (disk::temporary_for(&dir.path().join("a")), dir.path().join("precious"));
        fs::write(&left, "half").unwrap();
        fs::write(&precious, "whole").unwrap();
        drop(locks.hold(&["a"], None).unwrap());
        let slot = dir.path().join(format!("state/locks/{:02x}", slot_of("a")));
        fs::write(slot, format!("{}\n{}\n", left.display(), precious.display())).unwrap();
        drop(locks.hold(&["a"], None).unwrap());
        assert!(!left.exists() && precious.exists());
    }
}
