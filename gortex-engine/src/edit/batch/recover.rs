//! What a crash left open, decided file by file.
//!
//! All files after: the transaction is committed. All before: it is aborted. Some of each: the originals are restored. Any
//! bytes that are neither: nothing is overwritten, the before-images are kept, and the conflict is reported until the files are
//! known again. The locks tell a crashed transaction from one that another process is still working on.
//!
//! Knows nothing of items and plans.

use super::super::{EditError, Editor, FileAuthority};
use super::commit::{key_of, mark_aborted, mark_committed, put_back, text_of};
use super::journal::{Journal, Standing};
use super::{Receipt, State};

/// A transaction that was found open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recovered {
    /// What is kept about it now.
    pub receipt: Receipt,
    /// The files with bytes nobody knows, relative to their root. Empty unless there is a conflict.
    pub unknown: Vec<String>,
}

impl Editor {
    /// Decides every transaction that a crash left open, removes temporary files of killed writers and receipts older than 30
    /// days. To be called once when the editor is opened; harmless at any time.
    pub fn recover(&self, authority: &FileAuthority) -> Vec<Recovered> {
        self.locks.sweep_all();
        let mut decided = Vec::new();
        for journal in Journal::load_all(&self.state_dir) {
            if journal.is_outdated(self.now_ms()) {
                journal.remove();
            } else if !journal.receipt.status.is_terminal() {
                match self.decide(authority, journal) {
                    Ok(Some(recovered)) => decided.push(recovered),
                    Ok(None) => {}
                    Err(error) => tracing::warn!(%error, "a transaction could not be recovered"),
                }
            }
        }
        decided
    }

    /// The receipt of a transaction, decided first if a crash left it open; `None` for an unknown key.
    pub fn transaction(&self, authority: &FileAuthority, id: &str) -> Result<Option<Receipt>, EditError> {
        let Some(journal) = Journal::load(&self.state_dir, id)? else { return Ok(None) };
        if journal.is_outdated(self.now_ms()) {
            journal.remove();
            return Ok(None);
        }
        if journal.receipt.status.is_terminal() {
            return Ok(Some(journal.receipt));
        }
        let unfinished = journal.receipt.clone();
        // When another process is at work on it, the receipt says how far it has come.
        Ok(Some(self.decide(authority, journal)?.map_or(unfinished, |recovered| recovered.receipt)))
    }

    /// Decides one open transaction; `None` when somebody is at work on it, or has decided it meanwhile.
    fn decide(&self, _: &FileAuthority, seen: Journal) -> Result<Option<Recovered>, EditError> {
        let id = seen.receipt.transaction_id.clone();
        let mut keys: Vec<String> = seen.entries.iter().map(|entry| text_of(&entry.path)).collect();
        keys.push(key_of(&id));
        let names: Vec<&str> = keys.iter().map(String::as_str).collect();
        // Whoever is at work holds the locks; a crashed process holds none.
        let _held = match self.locks.hold(&names, Some(&|| true)) {
            Err(EditError::Cancelled) => return Ok(None),
            held => held?,
        };
        let Some(mut journal) = Journal::load(&self.state_dir, &id)? else { return Ok(None) };
        if journal.receipt.status.is_terminal() {
            return Ok(None);
        }
        let unknown = self.settle(&mut journal)?;
        Ok(Some(Recovered { receipt: journal.receipt, unknown }))
    }

    fn settle(&self, journal: &mut Journal) -> Result<Vec<String>, EditError> {
        let now = self.now_ms();
        journal.receipt.recovered = true;
        let interrupted = EditError::Io {
            action: "finish",
            path: format!("transaction {}", journal.receipt.transaction_id),
            source: std::io::Error::new(std::io::ErrorKind::Interrupted, "the process died; every file is as it was before"),
        };
        if journal.receipt.status == State::Preparing {
            // No file was touched before the journal was complete.
            mark_aborted(&mut journal.receipt, None, &interrupted);
            journal.finish(State::Aborted, "unchanged", now)?;
            return Ok(Vec::new());
        }
        let standings: Vec<Standing> = journal.entries.iter().map(|entry| entry.standing()).collect();
        if standings.contains(&Standing::Unknown) {
            return conflict(journal, &standings, now);
        }
        // An error other than an earlier conflict means that the process was on its way back when it died.
        let way_back = journal.receipt.error_code.as_deref().is_some_and(|code| code != "recovery_conflict");
        if !standings.contains(&Standing::Before) && !way_back {
            mark_committed(&mut journal.receipt);
            journal.finish(State::Committed, "committed", now)?;
            return Ok(Vec::new());
        }
        let touched = standings.contains(&Standing::After);
        let lost = put_back(journal);
        if !lost.is_empty() {
            journal.finish(State::RecoveryConflict, "conflict", now)?;
            return Ok(lost);
        }
        mark_aborted(&mut journal.receipt, None, &interrupted);
        journal.finish(State::Aborted, if touched { "rolled_back" } else { "unchanged" }, now)?;
        Ok(lost)
    }
}

/// Some file has bytes nobody knows: everything stays as it is.
fn conflict(journal: &mut Journal, standings: &[Standing], now: u64) -> Result<Vec<String>, EditError> {
    let unknown = journal.entries.iter().zip(standings).filter(|(_, standing)| **standing == Standing::Unknown);
    let unknown: Vec<String> = unknown.map(|(entry, _)| entry.shown.clone()).collect();
    let id = journal.receipt.transaction_id.clone();
    let failure = EditError::RecoveryConflict { id, paths: unknown.clone() };
    mark_aborted(&mut journal.receipt, None, &failure);
    journal.finish(State::RecoveryConflict, "conflict", now)?;
    Ok(unknown)
}
