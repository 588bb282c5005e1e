//! What is being parsed right now, kept where it survives the process; and what such a death left behind.
//!
//! A grammar's scanner is foreign code: it may end the process. Each thread writes the content it is about to parse into its
//! slot of the journal and clears the slot afterwards. The journal's owner holds a lock that the system drops with the
//! process, so a journal without a lock and with busy slots is that of a death. Contents found there once are *suspects*:
//! they are parsed again, but one at a time, so that a second death names the one to blame. It is then *barred* and listed
//! instead of parsed. Nothing is barred for having been on another thread when the process died.
//!
//! Knows hashes, never paths: content that moves stays barred, content that changes gets a new chance.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use super::store::{BuildKey, Key, build_key, write_at};
use crate::lang::Lang;

const ENDING: &str = "inflight";
const VERDICTS: &str = "suspects.txt";
const SLOT_BYTES: usize = 40;
/// Deaths with a content in flight, the second of them with it alone, after which it is barred.
const BARRED: u8 = 2;

/// How a content is to be treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing is known against it.
    Sound,
    /// A process died while it was parsed, perhaps because of another one: parse it alone.
    Suspect,
    /// A process died while it alone was parsed.
    Barred,
}

/// The journal of one process, and the verdicts it works by.
#[derive(Debug)]
pub struct Journal {
    folder: PathBuf,
    path: PathBuf,
    /// Open and locked as long as the process lives.
    file: File,
    key: BuildKey,
    verdicts: Mutex<FxHashMap<Key, u8>>,
    slots: u32,
    /// Slots given to threads that are not of the pool.
    guests: AtomicU32,
}

/// A content in flight; dropped when its parse has ended.
#[derive(Debug)]
pub struct InFlight<'j> {
    journal: &'j Journal,
    slot: u32,
}

impl Journal {
    /// Opens a journal of this process in a folder, after taking in what dead processes left there.
    pub fn open(folder: &Path, threads: usize) -> std::io::Result<Journal> {
        std::fs::create_dir_all(folder)?;
        let key = build_key();
        let dead = take_dead(folder, &key)?;
        let mut verdicts = read_verdicts(folder, &key);
        if !dead.is_empty() {
            for content in dead {
                let strikes = verdicts.entry(content).or_default();
                *strikes = strikes.saturating_add(1).min(BARRED);
            }
            write_verdicts(folder, &key, &verdicts)?;
        }
        let temp = tempfile::Builder::new().prefix("parse-").suffix(&format!(".{ENDING}")).tempfile_in(folder)?;
        let (file, path) = temp.keep().map_err(|error| error.error)?;
        file.lock()?;
        let slots = threads as u32 + 8;
        (&file).write_all(&key)?;
        file.set_len((key.len() + slots as usize * SLOT_BYTES) as u64)?;
        Ok(Journal {
            folder: folder.to_owned(),
            path,
            file,
            key,
            verdicts: Mutex::new(verdicts),
            slots,
            guests: AtomicU32::new(0),
        })
    }

    /// What is known of a content.
    pub fn verdict(&self, content: &Key) -> Verdict {
        match self.verdicts.lock().get(content) {
            None | Some(0) => Verdict::Sound,
            Some(strikes) if *strikes < BARRED => Verdict::Suspect,
            Some(_) => Verdict::Barred,
        }
    }

    /// Notes that a content is about to be parsed by this thread. A journal that can't be written protects nothing, but
    /// stops nobody.
    pub fn begin(&self, content: &Key) -> InFlight<'_> {
        let slot = match rayon::current_thread_index() {
            Some(at) => at as u32 % (self.slots - 8),
            None => self.slots - 8 + self.guests.fetch_add(1, Ordering::Relaxed) % 8,
        };
        let mut row = [0u8; SLOT_BYTES];
        row[..32].copy_from_slice(&content.0);
        row[32] = content.1.0;
        row[33] = 1;
        let _ = write_at(&self.file, &row, self.place(slot));
        InFlight { journal: self, slot }
    }

    /// A suspect was parsed without harm, or the content is known to be harmful (a caught panic).
    pub fn settle(&self, content: &Key, harmful: bool) {
        let mut verdicts = self.verdicts.lock();
        if harmful {
            verdicts.insert(*content, BARRED);
        } else if verdicts.remove(content).is_none() {
            return;
        }
        if let Err(error) = write_verdicts(&self.folder, &self.key, &verdicts) {
            tracing::warn!(%error, "what is known of harmful files could not be written");
        }
    }

    fn place(&self, slot: u32) -> u64 {
        (self.key.len() + slot as usize * SLOT_BYTES) as u64
    }

    /// Leaves everything as a death would.
    #[cfg(test)]
    fn die(self) {
        let path = self.path.clone();
        let copy = std::fs::read(&path).expect("a journal");
        drop(self);
        std::fs::write(&path, copy).expect("a journal");
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        let _ = write_at(&self.journal.file, &[0; SLOT_BYTES], self.journal.place(self.slot));
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Contents in flight in journals whose owners are gone; these journals are removed.
fn take_dead(folder: &Path, key: &BuildKey) -> std::io::Result<Vec<Key>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_none_or(|ending| ending != ENDING) {
            continue;
        }
        // Somebody else may be faster; then it is theirs.
        let Ok(file) = OpenOptions::new().read(true).write(true).open(&path) else { continue };
        if file.try_lock().is_err() {
            continue;
        }
        let rows = std::fs::read(&path).unwrap_or_default();
        if std::fs::remove_file(&path).is_err() {
            continue;
        }
        // A journal of another build says nothing about this build's grammars.
        let Some(rows) = rows.strip_prefix(key.as_slice()) else { continue };
        let busy = rows.chunks_exact(SLOT_BYTES).filter(|row| row[33] == 1);
        found.extend(busy.filter_map(|row| Some((*row.first_chunk::<32>()?, Lang(row[32])))));
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

/// Strikes by content: a line of key, then lines `hash language strikes`. What can't be read counts for nothing.
fn read_verdicts(folder: &Path, key: &BuildKey) -> FxHashMap<Key, u8> {
    let text = std::fs::read_to_string(folder.join(VERDICTS)).unwrap_or_default();
    let mut lines = text.lines();
    if lines.next() != Some(hex(key).as_str()) {
        return FxHashMap::default();
    }
    let row = |line: &str| {
        let mut parts = line.split(' ');
        let hash = blake3::Hash::from_hex(parts.next()?).ok()?;
        Some(((*hash.as_bytes(), Lang(parts.next()?.parse().ok()?)), parts.next()?.parse().ok()?))
    };
    lines.filter_map(row).collect()
}

fn write_verdicts(folder: &Path, key: &BuildKey, verdicts: &FxHashMap<Key, u8>) -> std::io::Result<()> {
    let mut lines: Vec<String> =
        verdicts.iter().map(|((hash, lang), strikes)| format!("{} {} {strikes}\n", hex(hash), lang.0)).collect();
    lines.sort_unstable();
    let mut temp = tempfile::Builder::new().prefix(".suspects-").tempfile_in(folder)?;
    temp.write_all(format!("{}\n{}", hex(key), lines.concat()).as_bytes())?;
    temp.persist(folder.join(VERDICTS)).map_err(|error| error.error)?;
    Ok(())
}

fn hex(bytes: &[u8; 32]) -> String {
    blake3::Hash::from_bytes(*bytes).to_hex().to_string()
}

/// How many contents are in flight.
#[cfg(test)]
fn busy(journal: &Journal) -> usize {
    let mut row = [0u8; SLOT_BYTES];
    (0..journal.slots)
        .filter(|slot| super::store::read_at(&journal.file, &mut row, journal.place(*slot)).is_ok() && row[33] == 1)
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(byte: u8) -> Key {
        ([byte; 32], Lang(0))
    }

    fn open(folder: &Path) -> Journal {
        Journal::open(folder, 2).expect("a journal")
    }

    #[test]
    fn a_second_death_alone_bars_the_one_to_blame_and_frees_the_other() {
        let folder = tempfile::tempdir().expect("a folder");
        let first = open(folder.path());
        drop(first.begin(&content(3)));
        std::mem::forget((first.begin(&content(1)), first.begin(&content(2))).0);
        std::mem::forget(first.begin(&content(2)));
        assert_eq!(busy(&first), 2);
        first.die();
        let second = open(folder.path());
        let verdicts = [1, 2, 3].map(|byte| second.verdict(&content(byte)));
        assert_eq!(verdicts, [Verdict::Suspect, Verdict::Suspect, Verdict::Sound]);
        second.settle(&content(1), false);
        std::mem::forget(second.begin(&content(2)));
        second.die();
        let third = open(folder.path());
        let verdicts = [1, 2, 3].map(|byte| third.verdict(&content(byte)));
        assert_eq!(verdicts, [Verdict::Sound, Verdict::Barred, Verdict::Sound]);
    }

    // Two servers over one cache: the second took the first one's files for those of a dead process.
    #[test]
    fn the_journal_of_a_living_process_is_left_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let first = open(folder.path());
        let flight = first.begin(&content(1));
        let second = open(folder.path());
        assert_eq!(second.verdict(&content(1)), Verdict::Sound);
        assert_eq!(busy(&first), 1);
        drop(flight);
        drop((first, second));
        let left: Vec<_> = std::fs::read_dir(folder.path()).expect("a folder").collect();
        assert!(left.is_empty(), "{left:?}");
    }

    #[test]
    fn rubbish_counts_for_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("x.inflight"), [1; 4096]).expect("a file");
        std::fs::write(folder.path().join(VERDICTS), "no\nverdicts").expect("a file");
        let journal = open(folder.path());
        assert_eq!(journal.verdict(&([1; 32], Lang(1))), Verdict::Sound);
        journal.settle(&content(9), true);
        drop(journal);
        assert_eq!(open(folder.path()).verdict(&content(9)), Verdict::Barred);
    }
}
