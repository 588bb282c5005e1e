//! The journal of one transaction: what is about to be replaced, by what, and how far it came.
//!
//! A folder of its own, readable by its owner only, with the bytes of each file before the transaction and one JSON document
//! that is itself replaced atomically. Written and flushed before the first file is touched; its before-images are removed only
//! when nothing is left to be decided.
//!
//! Knows nothing of items and plans.

use super::super::EditError;
use super::super::disk;
use super::super::hash::{fingerprint, sha256};
use super::plan::Buffer;
use super::{Receipt, State};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};

/// Finished receipts are kept this long.
const KEPT_MS: u64 = 30 * 24 * 60 * 60 * 1000;
const DOCUMENT: &str = "journal.json";

/// One file of the transaction.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Entry {
    pub path: PathBuf,
    /// The path as callers know it.
    pub shown: String,
    pub before: Option<Image>,
    /// The digest after; `None` when the file is to go.
    pub after: Option<String>,
}

/// The bytes of a file before the transaction.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Image {
    pub sha256: String,
    pub mode: u32,
}

/// What is on disk about one transaction.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Journal {
    pub receipt: Receipt,
    pub entries: Vec<Entry>,
    /// Folders that are made for the new files, outermost first.
    pub folders: Vec<PathBuf>,
    pub changed_ms: u64,
    #[serde(skip)]
    home: PathBuf,
}

/// What a file is now, compared with a journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    Before,
    After,
    /// Before and after are the same.
    Both,
    Unknown,
}

impl Entry {
    /// Compares the file with its digests. A link in its place, or on the way to it, makes it unknown.
    pub(super) fn standing(&self) -> Standing {
        let Ok(now) = digest_at(&self.path) else { return Standing::Unknown };
        let before = self.before.as_ref().map(|image| &image.sha256);
        match (now.as_ref() == before, now.as_ref() == self.after.as_ref()) {
            (true, true) => Standing::Both,
            (true, false) => Standing::Before,
            (false, true) => Standing::After,
            (false, false) => Standing::Unknown,
        }
    }
}

/// The digest of a regular file, `None` when nothing is there; an error for anything else.
fn digest_at(path: &Path) -> Result<Option<String>, ()> {
    let meta = match path.symlink_metadata() {
        Ok(meta) => meta,
        Err(error) if disk::is_absence(&error) => return Ok(None),
        Err(_) => return Err(()),
    };
    let straight = path.parent().is_some_and(|parent| fs::canonicalize(parent).is_ok_and(|real| real == parent));
    if !meta.is_file() || !straight {
        return Err(());
    }
    fs::read(path).map(|bytes| Some(sha256(&bytes))).map_err(|_| ())
}

impl Journal {
    /// A journal of buffers that is not on disk yet.
    pub(super) fn new(state_dir: &Path, receipt: Receipt, buffers: &[&Buffer], folders: Vec<PathBuf>, now_ms: u64) -> Self {
        let entries = buffers
            .iter()
            .map(|buffer| Entry {
                path: buffer.target.abs.clone(),
                shown: buffer.target.rel.clone(),
                before: buffer.before.as_ref().map(|before| Image { sha256: sha256(&before.bytes), mode: before.mode }),
                after: buffer.after.as_deref().map(sha256),
            })
            .collect();
        let home = home_of(state_dir, &receipt.transaction_id);
        Self { receipt, entries, folders, changed_ms: now_ms, home }
    }

    /// Reads the journal of a transaction; `None` when there is none.
    pub(super) fn load(state_dir: &Path, id: &str) -> Result<Option<Self>, EditError> {
        Self::read(home_of(state_dir, id))
    }

    fn read(home: PathBuf) -> Result<Option<Self>, EditError> {
        let shown = "the journal of a transaction";
        let text = match fs::read(home.join(DOCUMENT)) {
            Ok(text) => text,
            Err(error) if disk::is_absence(&error) => return Ok(None),
            Err(error) => return Err(EditError::io("read", shown)(error)),
        };
        let journal: Self = serde_json::from_slice(&text).map_err(|error| EditError::io("read", shown)(error.into()))?;
        Ok(Some(Self { home, ..journal }))
    }

    /// All journals, in the order of their folders' names.
    pub(super) fn load_all(state_dir: &Path) -> Vec<Self> {
        let Ok(entries) = fs::read_dir(state_dir.join("transactions")) else { return Vec::new() };
        let mut homes: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        homes.sort();
        let mut journals = Vec::new();
        for home in homes {
            match Self::read(home) {
                Ok(Some(journal)) => journals.push(journal),
                Ok(None) => {}
                Err(error) => tracing::warn!(%error, "a journal can't be read and is left alone"),
            }
        }
        journals
    }

    /// Puts the document and the before-images on disk, flushed. The document comes first, so that a crash in between leaves
    /// something that names its transaction.
    pub(super) fn begin(&mut self, buffers: &[&Buffer]) -> Result<(), EditError> {
        let io = || EditError::io("write", "the journal of a transaction");
        self.receipt.status = State::Preparing;
        self.save()?;
        disk::sync_parent(&self.home).map_err(io())?;
        disk::private_dir(&self.images())?;
        for (index, buffer) in buffers.iter().enumerate() {
            if let Some(before) = &buffer.before {
                disk::write_new(&self.image(index), &before.bytes, 0o600).map_err(io())?;
            }
        }
        disk::sync_dir(&self.images()).map_err(io())?;
        self.receipt.status = State::Prepared;
        self.save()
    }

    /// Replaces the document.
    pub(super) fn save(&self) -> Result<(), EditError> {
        let io = || EditError::io("write", "the journal of a transaction");
        disk::private_dir(&self.home)?;
        let text = serde_json::to_vec_pretty(self).map_err(|error| io()(error.into()))?;
        disk::replace(&self.home.join(DOCUMENT), &text, 0o600).map_err(io())
    }

    /// Writes the final state down, then lets go of the before-images.
    pub(super) fn finish(&mut self, status: State, disk_status: &str, now_ms: u64) -> Result<(), EditError> {
        self.receipt.status = status;
        disk_status.clone_into(&mut self.receipt.disk_status);
        self.changed_ms = now_ms;
        self.receipt.completed_at = Some(super::super::evidence::timestamp(now_ms));
        self.save()?;
        if status.is_terminal() {
            // The images are looked at only while the state is open, so a crash here loses nothing.
            let _ = fs::remove_dir_all(self.images());
        }
        Ok(())
    }

    /// Puts a file back as it was. The image is verified first.
    pub(super) fn restore(&self, index: usize) -> std::io::Result<()> {
        let entry = &self.entries[index];
        let Some(before) = &entry.before else {
            disk::remove(&entry.path)?;
            return disk::sync_parent(&entry.path);
        };
        let bytes = fs::read(self.image(index))?;
        if sha256(&bytes) != before.sha256 {
            return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, "a before-image is damaged"));
        }
        disk::replace(&entry.path, &bytes, before.mode)
    }

    /// True for a finished receipt that is older than 30 days.
    pub(super) fn is_outdated(&self, now_ms: u64) -> bool {
        self.receipt.status.is_terminal() && now_ms.saturating_sub(self.changed_ms) > KEPT_MS
    }

    /// Removes the transaction from the disk.
    pub(super) fn remove(&self) {
        let _ = fs::remove_dir_all(&self.home);
    }

    fn images(&self) -> PathBuf {
        self.home.join("before")
    }

    fn image(&self, index: usize) -> PathBuf {
        self.images().join(index.to_string())
    }
}

/// The folder of a transaction. A key is any text, so its digest is the name.
fn home_of(state_dir: &Path, id: &str) -> PathBuf {
    state_dir.join("transactions").join(&fingerprint(&[id.as_bytes()])[..40])
}
