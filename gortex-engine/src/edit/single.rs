//! Edits of one file: guarded, atomic, repeatable.
//!
//! Everything that can refuse does so before the first byte is written: path, guard, match, parse gate. A preview is the same
//! road without locks and without the last step, so the two can't disagree.
//!
//! Knows nothing of symbols or tools; where a symbol stands is asked of the caller.

use super::content::{Content, Made, check_guard};
use super::disk::{self, MAX_FILE, Snapshot};
use super::evidence::{self, PhysicalEvidence};
use super::hash::{fingerprint, git_blob_sha1};
use super::locks::Held;
use super::receipts::check_key;
use super::roots::{Target, Want};
use super::{Context, EditError, Editor, Mode, ParseGate, diff, gate};
use serde::Serialize;

/// One edit of one file.
#[derive(Clone)]
pub struct Edit<'a> {
    /// The file, as the caller names it.
    pub path: String,
    /// What becomes of it.
    pub content: Content<'a>,
    /// The git blob hash the file must have.
    pub base_sha: Option<String>,
    /// Writes even if syntax errors are added.
    pub allow_parse_errors: bool,
    /// Reads the file again after the write. Not for previews.
    pub physical_evidence: bool,
    /// Sent again with the same edit, gives the first answer again.
    pub mutation_id: Option<String>,
}

impl<'a> Edit<'a> {
    /// An edit with nothing special about it.
    pub fn new(path: impl Into<String>, content: Content<'a>) -> Self {
        Self {
            path: path.into(),
            content,
            base_sha: None,
            allow_parse_errors: false,
            physical_evidence: false,
            mutation_id: None,
        }
    }
}

/// What an edit did, or would do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Text was replaced.
    Applied,
    /// Text would be replaced.
    WouldApply,
    /// A file was made.
    Created,
    /// A file would be made.
    WouldCreate,
    /// A file has new content.
    Overwritten,
    /// A file would have new content.
    WouldOverwrite,
    /// The file already has that content; nothing was written.
    Unchanged,
}

/// The answer to an edit.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Outcome {
    /// The path as the caller sees it: relative to its root, and led by its name where there are several.
    pub path: String,
    /// The real file.
    #[serde(skip)]
    pub target: Target,
    /// What was done.
    pub status: Status,
    /// How many matches were replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replacements: Option<usize>,
    /// The size of the file afterwards.
    pub bytes_written: usize,
    /// The git blob hash afterwards.
    pub new_sha: String,
    /// The git blob hash before; absent for a new file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_sha: Option<String>,
    /// The line of the first change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_line: Option<u32>,
    /// How many lines the matched text spans.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines_before: Option<u32>,
    /// How many lines the new text spans.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines_after: Option<u32>,
    /// True when line ends were adapted to the file.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub eol_normalized: bool,
    /// What the parse gate saw.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parse_gate: Option<ParseGate>,
    /// What changes, in a preview.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// True for a preview.
    pub dry_run: bool,
    /// `committed`, or `not_applied` for a preview.
    pub disk_status: &'static str,
    /// The key under which this answer can be asked for again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mutation_receipt: Option<String>,
    /// What the disk was found to hold afterwards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub physical_evidence: Option<PhysicalEvidence>,
    /// Why there is no evidence; the write counts all the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence_error: Option<String>,
    /// True when this is the stored answer of an earlier call.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub replayed: bool,
}

impl Editor {
    /// Edits one file, or shows what editing it would do.
    pub fn edit(&self, context: &Context<'_>, mode: Mode<'_>, edit: &Edit<'_>) -> Result<Outcome, EditError> {
        validate(edit, mode)?;
        let print = print_of(edit);
        if let (Mode::Commit(_), Some(id)) = (mode, &edit.mutation_id) {
            // Asked before the file is looked for: it may have moved on since, and the answer is the same all the same.
            if let Some(outcome) = self.receipts.replay(id, &print, self.now_ms())? {
                return Ok(Outcome { replayed: true, ..outcome });
            }
        }
        let target = find(context, edit)?;
        if edit.physical_evidence && (evidence::is_secret_shaped(&target.rel) || evidence::is_secret_shaped(target.shown())) {
            return Err(EditError::EvidenceRefused { path: edit.path.clone() });
        }
        match mode {
            Mode::Preview => preview(context, edit, target),
            Mode::Commit(_) => self.commit_one(context, edit, &target, print),
        }
    }

    /// The answer of an earlier edit, by its receipt.
    pub fn receipt(&self, id: &str) -> Option<Outcome> {
        self.receipts.find(id, self.now_ms())
    }

    fn commit_one(&self, context: &Context<'_>, edit: &Edit<'_>, seen: &Target, print: String) -> Result<Outcome, EditError> {
        let key = seen.abs.to_string_lossy().into_owned();
        let id_key = edit.mutation_id.as_ref().map(|id| format!("mutation:{id}"));
        let keys: Vec<&str> = std::iter::once(key.as_str()).chain(id_key.as_deref()).collect();
        let mut held = self.locks.hold(&keys, context.cancelled)?;
        if let Some(id) = &edit.mutation_id
            && let Some(outcome) = self.receipts.replay(id, &print, self.now_ms())?
        {
            return Ok(Outcome { replayed: true, ..outcome });
        }
        // Links may have been turned elsewhere while the lock was waited for.
        let target = find(context, edit)?;
        if target.abs != seen.abs {
            return Err(EditError::Stale { path: edit.path.clone(), expected: None, current: None });
        }
        let draft = evaluate(context, edit, &target)?;
        gate::enforce(&edit.path, draft.verdict.as_ref())?;
        if context.is_cancelled() {
            return Err(EditError::Cancelled);
        }
        let id = edit.mutation_id.clone().unwrap_or_else(|| draft.receipt(&target));
        let mut outcome = draft.describe(context, edit, target, false);
        outcome.mutation_receipt = Some(id.clone());
        if outcome.status != Status::Unchanged {
            write(&mut held, &key, edit, &outcome.target, &draft)?;
        }
        if edit.physical_evidence {
            match evidence::collect(&outcome.target.abs, draft.before_bytes(), self.now_ms()) {
                Ok(evidence) => outcome.physical_evidence = Some(evidence),
                Err(error) => outcome.evidence_error = Some(format!("could not read `{}` again: {error}", edit.path)),
            }
        }
        self.receipts.keep(&id, print, outcome.clone(), self.now_ms());
        Ok(outcome)
    }
}

/// An edit applied in memory.
struct Draft {
    before: Option<Snapshot>,
    made: Made,
    verdict: Option<ParseGate>,
    new_sha: String,
}

impl Draft {
    fn before_bytes(&self) -> Option<&[u8]> {
        self.before.as_ref().map(|snapshot| snapshot.bytes.as_slice())
    }

    /// A key for an edit that has none: the same for the same step of the same file.
    fn receipt(&self, target: &Target) -> String {
        let before = self.before_bytes().map(git_blob_sha1).unwrap_or_default();
        let print = fingerprint(&[target.abs.as_os_str().as_encoded_bytes(), before.as_bytes(), self.new_sha.as_bytes()]);
        format!("m-{}", &print[..24])
    }

    fn describe(&self, context: &Context<'_>, edit: &Edit<'_>, target: Target, dry_run: bool) -> Outcome {
        let whole = matches!(edit.content, Content::Whole(_));
        let status = match (self.before_bytes(), whole, dry_run) {
            (Some(before), _, _) if before == self.made.bytes => Status::Unchanged,
            (None, _, false) => Status::Created,
            (None, _, true) => Status::WouldCreate,
            (Some(_), true, false) => Status::Overwritten,
            (Some(_), true, true) => Status::WouldOverwrite,
            (Some(_), false, false) => Status::Applied,
            (Some(_), false, true) => Status::WouldApply,
        };
        let real = context.roots.shown(target.root, &target.rel);
        let diff = dry_run.then(|| diff::unified(&real, self.before_bytes(), Some(&self.made.bytes)));
        Outcome {
            path: context.roots.shown(target.root, target.shown()),
            target,
            status,
            replacements: self.made.replacements,
            bytes_written: self.made.bytes.len(),
            new_sha: self.new_sha.clone(),
            base_sha: self.before_bytes().map(git_blob_sha1),
            start_line: self.made.start_line,
            lines_before: self.made.lines_before,
            lines_after: self.made.lines_after,
            eol_normalized: self.made.eol_normalized,
            parse_gate: self.verdict.clone(),
            diff,
            dry_run,
            disk_status: if dry_run { "not_applied" } else { "committed" },
            mutation_receipt: None,
            physical_evidence: None,
            evidence_error: None,
            replayed: false,
        }
    }
}

fn preview(context: &Context<'_>, edit: &Edit<'_>, target: Target) -> Result<Outcome, EditError> {
    let draft = evaluate(context, edit, &target)?;
    Ok(draft.describe(context, edit, target, true))
}

fn validate(edit: &Edit<'_>, mode: Mode<'_>) -> Result<(), EditError> {
    if let Some(id) = &edit.mutation_id {
        check_key("mutation_id", id)?;
    }
    if edit.physical_evidence && mode.is_preview() {
        return Err(EditError::invalid("physical_evidence", "needs a write; a dry run has none"));
    }
    Ok(())
}

/// Resolves the file. A guarded file that is gone is stale, not missing: the caller has read it.
fn find(context: &Context<'_>, edit: &Edit<'_>) -> Result<Target, EditError> {
    let want = if edit.content.may_create() { Want::NewOrFile } else { Want::File };
    match context.roots.resolve(&edit.path, want) {
        Err(EditError::FileNotFound { path }) if edit.base_sha.is_some() => {
            Err(EditError::Stale { path, expected: edit.base_sha.clone(), current: None })
        }
        other => other,
    }
}

/// Reads, checks the guard, applies in memory and asks the gate.
fn evaluate(context: &Context<'_>, edit: &Edit<'_>, target: &Target) -> Result<Draft, EditError> {
    let before = disk::snapshot(&target.abs, &edit.path, MAX_FILE)?;
    let bytes = before.as_ref().map(|snapshot| snapshot.bytes.as_slice());
    check_guard(&edit.path, edit.base_sha.as_deref(), bytes)?;
    let made = edit.content.apply(&edit.path, bytes)?;
    let size = made.bytes.len() as u64;
    if size > MAX_FILE {
        return Err(EditError::TooLarge { path: edit.path.clone(), size, limit: MAX_FILE });
    }
    let verdict = gate::judge(context.gate, &target.rel, bytes, &made.bytes, edit.allow_parse_errors);
    let new_sha = git_blob_sha1(&made.bytes);
    Ok(Draft { before, made, verdict, new_sha })
}

/// Puts the new bytes in place, unless the file changed since it was read. Folders made for it are taken back on failure.
fn write(held: &mut Held<'_>, key: &str, edit: &Edit<'_>, target: &Target, draft: &Draft) -> Result<(), EditError> {
    let io = |action| EditError::io(action, edit.path.as_str());
    let folders = disk::missing_parents(&target.abs);
    disk::make_dirs(&folders).map_err(io("make a folder for"))?;
    held.note(key, &disk::temporary_for(&target.abs));
    let mode = draft.before.as_ref().map_or(disk::NEW_FILE_MODE, |snapshot| snapshot.mode);
    let staged = disk::stage(&target.abs, &draft.made.bytes, mode).map_err(io("write"));
    let published = staged.and_then(|temporary| {
        // Programs that know nothing of our locks may have written meanwhile; their work is not overwritten.
        let unchanged = disk::snapshot(&target.abs, &edit.path, MAX_FILE).is_ok_and(|now| now == draft.before);
        if !unchanged {
            let current = disk::snapshot(&target.abs, &edit.path, MAX_FILE).ok().flatten();
            let _ = std::fs::remove_file(&temporary);
            return Err(EditError::Stale {
                path: edit.path.clone(),
                expected: edit.base_sha.clone(),
                current: current.map(|snapshot| git_blob_sha1(&snapshot.bytes)),
            });
        }
        disk::publish(&temporary, &target.abs).map_err(io("write"))
    });
    if published.is_err() {
        disk::remove_dirs(&folders);
    } else if let Err(error) = disk::sync_parent(&target.abs) {
        // The new bytes are in place; only their survival of a power cut is in doubt.
        tracing::warn!(%error, "could not flush a folder");
    }
    held.forget();
    published
}

fn print_of(edit: &Edit<'_>) -> String {
    let mut fields = edit.content.identity();
    fields.push(edit.path.clone().into_bytes());
    fields.push(edit.base_sha.clone().unwrap_or_default().into_bytes());
    fields.push(vec![u8::from(edit.allow_parse_errors)]);
    let fields: Vec<&[u8]> = fields.iter().map(Vec::as_slice).collect();
    fingerprint(&fields)
}

#[cfg(test)]
#[path = "single_tests.rs"]
mod tests;
