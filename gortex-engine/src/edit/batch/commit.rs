//! The road of a batch from items to committed files.
//!
//! Lock, plan, journal, stage, look once more, publish, remove, flush, commit. Up to the first rename a failure just takes the
//! staged files back; from there on it restores each file from the journal.
//!
//! Knows nothing of how a plan is made.

use super::super::evidence::timestamp;
use super::super::hash::fingerprint;
use super::super::locks::Held;
use super::super::receipts::check_key;
use super::super::{Context, EditError, Editor, FileAuthority, disk};
use super::journal::{Journal, Standing};
use super::plan::{self, Buffer, Placed, Planned};
use super::{Batch, BatchOutcome, ItemResult, Receipt, State, Summary, check_shape, print_of};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

impl Editor {
    /// Does all items or none. An `Err` means that the request itself is unusable and left no receipt; a batch that was tried
    /// and refused is a [`BatchOutcome`] whose receipt is aborted.
    pub fn batch(&self, context: &Context<'_>, authority: &FileAuthority, batch: &Batch<'_>) -> Result<BatchOutcome, EditError> {
        check_shape(batch)?;
        let print = print_of(batch);
        let id = match &batch.transaction_id {
            Some(id) => {
                check_key("transaction_id", id)?;
                if let Some(earlier) = self.earlier(authority, id, &print)? {
                    return Ok(earlier);
                }
                id.clone()
            }
            None => self.fresh_id(&print),
        };
        let keys = keys_of(&id, &plan::resolve(context, batch));
        let names: Vec<&str> = keys.iter().map(String::as_str).collect();
        let mut held = self.locks.hold(&names, context.cancelled)?;
        if Journal::load(&self.state_dir, &id)?.is_some() {
            // The same key came in twice at once; the other one was faster.
            drop(held);
            return self.earlier(authority, &id, &print)?.ok_or(EditError::Busy { path: id });
        }
        let placed = plan::resolve(context, batch);
        if keys_of(&id, &placed) != keys {
            // Links were turned elsewhere while the locks were waited for.
            let path = batch.items[0].path().to_owned();
            return Err(EditError::Stale { path, expected: None, current: None });
        }
        let mut planned = plan::plan(context, batch, placed);
        if context.is_cancelled() {
            return Err(EditError::Cancelled);
        }
        let receipt = self.draft(batch, &id, print, &planned);
        if planned.refusals.is_empty() {
            self.carry_out(receipt, &planned, &mut held)
        } else {
            let (index, failure) = planned.refusals.swap_remove(0);
            let at = planned.order.iter().position(|candidate| *candidate == index);
            self.refuse(receipt, at, failure)
        }
    }

    /// The receipt of a request that was sent before under this key, before anything is looked up for it. `request` is the
    /// digest that the batch carried; another one under the same key is a conflict.
    pub fn replay(&self, authority: &FileAuthority, id: &str, request: &str) -> Result<Option<BatchOutcome>, EditError> {
        check_key("transaction_id", id)?;
        let batch = Batch { request: Some(request.to_owned()), ..Batch::default() };
        self.earlier(authority, id, &print_of(&batch))
    }

    /// The receipt of this key, when there is one; decided first, when a crash left it open.
    fn earlier(&self, authority: &FileAuthority, id: &str, print: &str) -> Result<Option<BatchOutcome>, EditError> {
        let Some(receipt) = self.transaction(authority, id)? else { return Ok(None) };
        if receipt.fingerprint != print {
            return Err(EditError::IdempotencyConflict { id: id.to_owned() });
        }
        Ok(Some(BatchOutcome { receipt, failure: None, replayed: true }))
    }

    fn fresh_id(&self, print: &str) -> String {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let unique = format!("{} {} {count}", self.now_ms(), std::process::id());
        format!("t-{}", &fingerprint(&[print.as_bytes(), unique.as_bytes()])[..24])
    }

    /// A receipt as it will read when everything goes well.
    fn draft(&self, batch: &Batch<'_>, id: &str, print: String, planned: &Planned) -> Receipt {
        let results: Vec<ItemResult> = planned
            .order
            .iter()
            .map(|index| {
                let item = &batch.items[*index];
                ItemResult {
                    op: item.name().to_owned(),
                    id: item.symbol().map(str::to_owned),
                    path: item.path().to_owned(),
                    destination: item.destination().map(str::to_owned),
                    status: "applied".to_owned(),
                    error: None,
                    error_code: None,
                    eol_normalized: planned.adapted.contains(index),
                }
            })
            .collect();
        Receipt {
            version: 1,
            transaction_id: id.to_owned(),
            fingerprint: print,
            status: State::Preparing,
            disk_status: "unchanged".to_owned(),
            error: None,
            error_code: None,
            summary: Summary { applied: results.len(), failed: 0, skipped: 0, total: results.len() },
            results,
            files: planned.buffers.values().map(|buffer| buffer.change(None)).collect(),
            started_at: timestamp(self.now_ms()),
            completed_at: None,
            recovered: false,
        }
    }

    /// Writes an aborted receipt; no file was touched.
    fn refuse(&self, mut receipt: Receipt, failed: Option<usize>, failure: EditError) -> Result<BatchOutcome, EditError> {
        mark_aborted(&mut receipt, failed, &failure);
        // Digests of what was never tried would only mislead.
        receipt.files.clear();
        let mut journal = Journal::new(&self.state_dir, receipt, &[], Vec::new(), self.now_ms());
        journal.finish(State::Aborted, "unchanged", self.now_ms())?;
        Ok(BatchOutcome { receipt: journal.receipt, failure: Some(failure), replayed: false })
    }

    fn carry_out(&self, receipt: Receipt, planned: &Planned, held: &mut Held<'_>) -> Result<BatchOutcome, EditError> {
        let active: Vec<&Buffer> = planned.buffers.values().filter(|buffer| !buffer.is_idle()).collect();
        let arriving = active.iter().filter(|buffer| buffer.after.is_some());
        let folders: BTreeSet<PathBuf> = arriving.flat_map(|buffer| disk::missing_parents(&buffer.target.abs)).collect();
        let folders: Vec<PathBuf> = folders.into_iter().collect();
        let mut journal = Journal::new(&self.state_dir, receipt, &active, folders, self.now_ms());
        if let Err(failure) = journal.begin(&active) {
            // Without a journal there is no receipt either: the key stays free.
            journal.remove();
            return Err(failure);
        }
        if let Err(failure) = stage_all(&journal, &active, held) {
            discard(&active);
            disk::remove_dirs(&journal.folders);
            held.forget();
            mark_aborted(&mut journal.receipt, None, &failure);
            journal.finish(State::Aborted, "unchanged", self.now_ms())?;
            return Ok(BatchOutcome { receipt: journal.receipt, failure: Some(failure), replayed: false });
        }
        let published = publish_all(&active).and_then(|()| journal.finish(State::Committed, "committed", self.now_ms()));
        let failure = match published {
            Ok(()) => {
                held.forget();
                return Ok(BatchOutcome { receipt: journal.receipt, failure: None, replayed: false });
            }
            Err(failure) => failure,
        };
        discard(&active);
        let failure = self.undo(&mut journal, failure)?;
        Ok(BatchOutcome { receipt: journal.receipt, failure: Some(failure), replayed: false })
    }

    /// Restores every file of a failed transaction; says what the caller is to be told.
    fn undo(&self, journal: &mut Journal, failure: EditError) -> Result<EditError, EditError> {
        journal.receipt.completed_at = None;
        mark_aborted(&mut journal.receipt, None, &failure);
        // Should this process die while it restores, recovery must know that the way is back, even if all files are new by now.
        journal.receipt.status = State::Prepared;
        if let Err(error) = journal.save() {
            tracing::warn!(%error, "the journal does not know that its transaction is being undone");
        }
        let unknown = put_back(journal);
        if unknown.is_empty() {
            journal.finish(State::Aborted, "rolled_back", self.now_ms())?;
            return Ok(failure);
        }
        let failure = EditError::RollbackFailed { id: journal.receipt.transaction_id.clone(), paths: unknown };
        journal.receipt.error = Some(failure.to_string());
        journal.receipt.error_code = Some(failure.code().to_owned());
        journal.finish(State::RecoveryConflict, "conflict", self.now_ms())?;
        Ok(failure)
    }
}

/// Restores each file that stands as after; gives the paths that can't be restored.
pub(super) fn put_back(journal: &Journal) -> Vec<String> {
    let mut lost = Vec::new();
    for (index, entry) in journal.entries.iter().enumerate().rev() {
        let restored = match entry.standing() {
            Standing::Before | Standing::Both => true,
            Standing::Unknown => false,
            // A second look after the restoration: the digest decides, not what the system said.
            Standing::After => journal.restore(index).is_ok() || entry.standing() == Standing::Before,
        };
        if !restored {
            lost.push(entry.shown.clone());
        }
    }
    disk::remove_dirs(&journal.folders);
    lost.reverse();
    lost
}

/// The rows of a receipt when nothing was done in the end.
pub(super) fn mark_aborted(receipt: &mut Receipt, failed: Option<usize>, failure: &EditError) {
    for (at, result) in receipt.results.iter_mut().enumerate() {
        let is_cause = failed == Some(at);
        (if is_cause { "failed" } else { "skipped" }).clone_into(&mut result.status);
        if is_cause {
            result.error = Some(failure.to_string());
            result.error_code = Some(failure.code().to_owned());
        }
    }
    let count = receipt.results.len();
    let failed = usize::from(failed.is_some());
    receipt.summary = Summary { applied: 0, failed, skipped: count - failed, total: count };
    receipt.error = Some(failure.to_string());
    receipt.error_code = Some(failure.code().to_owned());
}

/// The rows of a receipt when everything was done in the end.
pub(super) fn mark_committed(receipt: &mut Receipt) {
    for result in &mut receipt.results {
        "applied".clone_into(&mut result.status);
        result.error = None;
        result.error_code = None;
    }
    let total = receipt.results.len();
    receipt.summary = Summary { applied: total, failed: 0, skipped: 0, total };
    receipt.error = None;
    receipt.error_code = None;
}

/// The lock of a transaction's key.
pub(super) fn key_of(id: &str) -> String {
    format!("transaction:{id}")
}

fn keys_of(id: &str, placed: &[Result<Placed, EditError>]) -> Vec<String> {
    let mut keys = BTreeSet::from([key_of(id)]);
    for placed in placed.iter().flatten() {
        keys.insert(text_of(&placed.source.abs));
        keys.extend(placed.destination.as_ref().map(|destination| text_of(&destination.abs)));
    }
    keys.into_iter().collect()
}

pub(super) fn text_of(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Writes all new bytes beside their places; then looks whether every file is still the one that was read.
fn stage_all(journal: &Journal, active: &[&Buffer], held: &mut Held<'_>) -> Result<(), EditError> {
    disk::make_dirs(&journal.folders).map_err(EditError::io("make folders for", active_name(active)))?;
    for buffer in active {
        if let Some(after) = &buffer.after {
            let abs = &buffer.target.abs;
            held.note(&text_of(abs), &disk::temporary_for(abs));
            disk::stage(abs, after, buffer.mode).map_err(EditError::io("write", buffer.target.rel.as_str()))?;
        }
    }
    for entry in &journal.entries {
        if entry.standing() != Standing::Before {
            return Err(EditError::Stale { path: entry.shown.clone(), expected: None, current: None });
        }
    }
    Ok(())
}

fn active_name(active: &[&Buffer]) -> String {
    active.first().map(|buffer| buffer.target.rel.clone()).unwrap_or_default()
}

/// Puts all staged files in place, then removes what is to go, then flushes the folders.
fn publish_all(active: &[&Buffer]) -> Result<(), EditError> {
    let (staying, going): (Vec<&Buffer>, Vec<&Buffer>) = active.iter().copied().partition(|buffer| buffer.after.is_some());
    for buffer in staying {
        let abs = &buffer.target.abs;
        disk::publish(&disk::temporary_for(abs), abs).map_err(EditError::io("write", buffer.target.rel.as_str()))?;
    }
    for buffer in going {
        disk::remove(&buffer.target.abs).map_err(EditError::io("remove", buffer.target.rel.as_str()))?;
    }
    let folders: BTreeSet<&Path> = active.iter().filter_map(|buffer| buffer.target.abs.parent()).collect();
    for folder in folders {
        disk::sync_dir(folder).map_err(EditError::io("flush the folder of", active_name(active)))?;
    }
    Ok(())
}

/// Removes staged files that were not published.
fn discard(active: &[&Buffer]) {
    for buffer in active.iter().filter(|buffer| buffer.after.is_some()) {
        let _ = fs::remove_file(disk::temporary_for(&buffer.target.abs));
    }
}
