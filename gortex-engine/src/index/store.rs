//! Facts by content: where those come from that the view before does not hold.
//!
//! Facts are kept once. A snapshot holds those of its view; the snapshots of other sets of roots (a second worktree, a folder
//! tracked alone and with others) are read as they are; what a new view no longer holds goes to the *attic*, one bounded file
//! for all roots, so that switching branches back and forth parses nothing twice. A cold index writes nothing here.
//!
//! Everything is a cache: what is damaged, foreign or locked is passed over. Knows hashes and buffers; no paths, no views.

mod attic;
mod siblings;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use rustc_hash::FxHashSet;

use self::attic::Attic;
use self::siblings::Siblings;
use crate::facts::{EXTRACTOR_VERSION, Facts};
use crate::graph::FileEntry;
use crate::lang::{LANGUAGES, Lang};

/// What facts are a function of.
pub type Key = ([u8; 32], Lang);
/// Stands for all that makes two builds yield different facts of the same content.
pub type BuildKey = [u8; 32];

/// The key of this build.
pub fn build_key() -> BuildKey {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&EXTRACTOR_VERSION.to_le_bytes());
    for language in LANGUAGES {
        hasher.update(language.name.as_bytes());
        hasher.update(&[0]);
    }
    *hasher.finalize().as_bytes()
}

/// The store of one cache folder.
#[derive(Debug)]
pub struct Store {
    cache: PathBuf,
    attic: Attic,
}

impl Store {
    /// The store in a cache folder; touches no disk.
    pub fn new(cache: &Path) -> Store {
        let attic = Attic::new(cache.join("facts.attic"), attic::LIMIT);
        Store { cache: cache.to_owned(), attic }
    }

    /// What can be found now. `own` is the snapshot whose facts the caller has already; without one, only the attic is asked.
    pub fn shelves(&self, own: Option<&Path>) -> Shelves {
        let siblings = own.map(|own| (self.cache.clone(), own.to_owned()));
        Shelves { attic: self.attic.open(), places: siblings, siblings: OnceLock::new() }
    }

    /// Keeps the facts that `before` has and `now` does not. Both are the entries that may differ.
    pub fn keep<'f>(&self, before: impl Iterator<Item = &'f FileEntry>, now: impl Iterator<Item = &'f FileEntry>) {
        let held: FxHashSet<Key> = now.filter_map(key_of).collect();
        let mut seen = FxHashSet::default();
        let gone = before.filter_map(|file| Some((key_of(file)?, &file.facts)));
        let gone: Vec<(Key, &Facts)> = gone.filter(|(key, _)| !held.contains(key) && seen.insert(*key)).collect();
        if let Err(error) = self.attic.add(&gone) {
            tracing::debug!(%error, "facts were not kept");
        }
    }

    /// Bytes on disk besides the snapshots.
    pub fn bytes(&self) -> u64 {
        self.attic.bytes()
    }
}

/// What an entry's facts are a function of, where it has any that are worth keeping.
fn key_of(file: &FileEntry) -> Option<Key> {
    file.status.is_parsed().then_some((file.hash, file.lang?))
}

/// A moment's content of the store, for many threads. Other snapshots are looked at when the first content is missing.
#[derive(Debug)]
pub struct Shelves {
    attic: attic::Index,
    places: Option<(PathBuf, PathBuf)>,
    siblings: OnceLock<Siblings>,
}

impl Shelves {
    /// The facts of a content.
    pub fn find(&self, key: &Key) -> Option<Facts> {
        self.attic.find(key).or_else(|| {
            let (cache, own) = self.places.as_ref()?;
            self.siblings.get_or_init(|| Siblings::read(cache, own)).find(key)
        })
    }
}

#[cfg(unix)]
pub(super) fn read_at(file: &File, bytes: &mut [u8], at: u64) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

#[cfg(unix)]
pub(super) fn write_at(file: &File, bytes: &[u8], at: u64) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, at)
}

#[cfg(windows)]
pub(super) fn read_at(file: &File, mut bytes: &mut [u8], mut at: u64) -> std::io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, at)? {
            0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
            read => (bytes, at) = (&mut bytes[read..], at + read as u64),
        }
    }
    Ok(())
}

#[cfg(windows)]
pub(super) fn write_at(file: &File, mut bytes: &[u8], mut at: u64) -> std::io::Result<()> {
    while !bytes.is_empty() {
        let written = std::os::windows::fs::FileExt::seek_write(file, bytes, at)?;
        (bytes, at) = (&bytes[written..], at + written as u64);
    }
    Ok(())
}
