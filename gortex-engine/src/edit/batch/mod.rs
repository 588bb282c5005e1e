//! Several changes as one transaction: all of them happen, or none.
//!
//! A batch is planned in memory, locked, snapshotted, applied to buffers, written down in a journal with the bytes it is about
//! to replace, and only then put on disk. Whatever goes wrong, now or after a crash, each file is decided by its digest: as it was
//! before, as it is to be after, or unknown, and unknown bytes are never overwritten.
//!
//! The receipt outlives the process: the same key and the same items give the same receipt again.

mod alias;
mod commit;
mod journal;
mod plan;
mod recover;
#[cfg(test)]
mod tests;

pub use recover::Recovered;

use super::hash::fingerprint;
use super::{Content, Context, EditError, Editor, ParseGate, Place};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The most items a batch of a caller may have. Rewrites that the engine itself plans are not counted.
pub const MAX_ITEMS: usize = 200;
/// The most bytes a batch may hold in memory, before and after taken together.
pub const MAX_BYTES: u64 = 50 * 1024 * 1024;

/// One change of a batch.
#[derive(Clone)]
pub struct Item<'a> {
    /// Content edits of one class are done in ascending rank: types first, then what others call, then the rest.
    pub rank: u32,
    /// What is done.
    pub op: Op<'a>,
}

/// What an item does.
#[derive(Clone)]
pub enum Op<'a> {
    /// Changes the content of a file, or makes one.
    Content {
        /// The file, as the caller names it.
        path: String,
        /// What becomes of it.
        content: Content<'a>,
        /// The git blob hash the file must have on disk.
        base_sha: Option<String>,
    },
    /// Gives a whole file another place. Nothing that refers to it is changed.
    Move {
        /// The file.
        source: String,
        /// Where it goes; nothing may be there.
        destination: String,
        /// The digest the source must have.
        expected_sha256: Option<String>,
    },
    /// Removes a whole file.
    Delete {
        /// The file.
        path: String,
        /// The digest it must have.
        expected_sha256: Option<String>,
        /// The git blob hash it must have.
        base_sha: Option<String>,
    },
}

impl<'a> Item<'a> {
    /// A content change of rank 0 without a guard.
    pub fn content(path: impl Into<String>, content: Content<'a>) -> Self {
        Self { rank: 0, op: Op::Content { path: path.into(), content, base_sha: None } }
    }

    /// The word for what this item does.
    pub fn name(&self) -> &'static str {
        match &self.op {
            Op::Content { content, .. } => content.op(),
            Op::Move { .. } => "move_file",
            Op::Delete { .. } => "delete_file",
        }
    }

    /// The file as the caller names it: of a move, the source.
    pub fn path(&self) -> &str {
        match &self.op {
            Op::Content { path, .. } | Op::Delete { path, .. } | Op::Move { source: path, .. } => path,
        }
    }

    /// Where a move goes.
    pub fn destination(&self) -> Option<&str> {
        match &self.op {
            Op::Move { destination, .. } => Some(destination),
            _ => None,
        }
    }

    /// The symbol, if the item is about one.
    pub fn symbol(&self) -> Option<&str> {
        match &self.op {
            Op::Content { content, .. } => content.symbol(),
            _ => None,
        }
    }

    fn is_lifecycle(&self) -> bool {
        !matches!(self.op, Op::Content { .. })
    }

    /// Symbols before files before moves and removals.
    fn class(&self) -> u8 {
        if self.is_lifecycle() { 2 } else { u8::from(self.symbol().is_none()) }
    }
}

/// Items to be done together.
#[derive(Clone, Default)]
pub struct Batch<'a> {
    /// Sent again with the same items, gives the same receipt. Made by the editor when absent.
    pub transaction_id: Option<String>,
    /// A digest of the request as it was sent. What is looked up to make the items of it may change once they are done, so
    /// with it the request is what must be the same.
    pub request: Option<String>,
    /// The items, in the caller's order.
    pub items: Vec<Item<'a>>,
    /// Writes even if syntax errors are added.
    pub allow_parse_errors: bool,
}

/// How far a transaction came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// The journal is being written; nothing else is touched.
    Preparing,
    /// The journal is complete; files are being replaced.
    Prepared,
    /// All files are as they are to be.
    Committed,
    /// All files are as they were.
    Aborted,
    /// Some file has bytes nobody knows; nothing was overwritten and the before-images are kept.
    RecoveryConflict,
}

impl State {
    /// True when nothing is left to be decided.
    pub fn is_terminal(self) -> bool {
        matches!(self, Self::Committed | Self::Aborted)
    }
}

/// What became of one item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ItemResult {
    /// The word for what it does.
    pub op: String,
    /// The symbol.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub id: Option<String>,
    /// The file.
    pub path: String,
    /// Where a move goes.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub destination: Option<String>,
    /// `applied`, `failed` or `skipped`.
    pub status: String,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<String>,
    /// The stable word for that.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error_code: Option<String>,
    /// True when line ends were adapted to the file.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub eol_normalized: bool,
}

/// How many items ended how.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// Done.
    pub applied: usize,
    /// The cause of an abort.
    pub failed: usize,
    /// Not done because another one failed.
    pub skipped: usize,
    /// All.
    pub total: usize,
}

/// One file of a transaction, before and after.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileChange {
    /// The real file, absolute.
    pub path: String,
    /// The same relative to its root.
    pub relative_path: String,
    /// Index of the root.
    #[serde(default)]
    pub root: usize,
    /// The digest before.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub before_sha256: Option<String>,
    /// True when there was no such file.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub before_absent: bool,
    /// The digest after.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub after_sha256: Option<String>,
    /// True when there is no such file any more.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub after_absent: bool,
    /// The git blob hash after.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub new_sha: Option<String>,
    /// The size after.
    pub bytes_written: usize,
    /// How many items or places changed it.
    pub edits: usize,
    /// What the parse gate saw.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub parse_gate: Option<ParseGate>,
    /// What changes, in a preview.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub diff: Option<String>,
}

/// The durable answer to a batch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// The format of this receipt.
    pub version: u32,
    /// The key.
    pub transaction_id: String,
    /// A digest of the items.
    pub fingerprint: String,
    /// How far it came.
    pub status: State,
    /// `unchanged`, `committed`, `rolled_back` or `conflict`.
    pub disk_status: String,
    /// Why it was aborted.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<String>,
    /// The stable word for that.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error_code: Option<String>,
    /// One row for each item, in the order of execution.
    pub results: Vec<ItemResult>,
    /// The rows counted.
    pub summary: Summary,
    /// One row for each file.
    pub files: Vec<FileChange>,
    /// When it began, in UTC.
    pub started_at: String,
    /// When it was decided.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub completed_at: Option<String>,
    /// True when it was decided after a crash.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub recovered: bool,
}

/// The answer to a batch that was carried out, refused, or done before.
#[derive(Debug)]
pub struct BatchOutcome {
    /// What is kept.
    pub receipt: Receipt,
    /// The refusal of an aborted batch, typed; absent when the receipt is an old one.
    pub failure: Option<EditError>,
    /// True when nothing was done because the receipt was already there.
    pub replayed: bool,
}

impl BatchOutcome {
    /// The receipt, or why the transaction failed just now. A replayed receipt may tell of an abort: look at its status.
    pub fn into_result(self) -> Result<Receipt, EditError> {
        match self.failure {
            Some(failure) => Err(failure),
            None => Ok(self.receipt),
        }
    }
}

/// What stands at a path of a move or removal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PathState {
    /// Whether anything is there.
    pub exists: bool,
    /// `regular`, `symlink`, `directory`, `other` or `absent`.
    pub kind: &'static str,
    /// What git says.
    pub git: GitState,
    /// Whether an ignore rule matches.
    pub ignored: bool,
    /// The digest, of a regular source only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

/// What git says about a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GitState {
    /// In the index.
    Tracked,
    /// Not in the index, not ignored.
    Untracked,
    /// Ignored.
    Ignored,
    /// Not on disk and not in the index.
    Absent,
    /// Not known, for example because asking took too long.
    Unknown,
}

/// Asks git about a file: index of the root, and the path relative to it.
pub type GitFn<'a> = &'a (dyn Fn(usize, &str) -> GitState + Sync);

/// One row of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlanRow {
    /// Counted from 1, in the order of execution.
    pub order: usize,
    /// The word for what it does.
    pub op: &'static str,
    /// The symbol.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The file.
    pub path: String,
    /// Where a move goes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destination: Option<String>,
    /// `planned`, `conflict: ...` or `failed: ...`.
    pub status: String,
    /// The real file of a move or removal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolved_path: Option<String>,
    /// What is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_state: Option<PathState>,
    /// The real destination of a move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolved_destination: Option<String>,
    /// What is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destination_state: Option<PathState>,
}

/// What a batch would do.
#[derive(Debug, Serialize)]
pub struct Plan {
    /// One row for each item, in the order of execution.
    pub plan: Vec<PlanRow>,
    /// Always true.
    pub dry_run: bool,
    /// How many items there are.
    pub total: usize,
    /// How many of them would stop the batch.
    pub conflicts: usize,
    /// One row with a diff for each file, as far as the items apply.
    pub files: Vec<FileChange>,
    /// The typed refusals, by the index of the item in the request; the first in order of execution comes first.
    #[serde(skip)]
    pub refusals: Vec<(usize, EditError)>,
}

impl Plan {
    /// The plan, or the refusal with which the real run would stop.
    pub fn into_result(self) -> Result<Self, EditError> {
        let Self { plan, dry_run, total, conflicts, files, mut refusals } = self;
        if refusals.is_empty() {
            return Ok(Self { plan, dry_run, total, conflicts, files, refusals });
        }
        Err(refusals.swap_remove(0).1)
    }
}

impl Editor {
    /// Says what a batch would do. Every refusal is listed; nothing is locked or written.
    #[allow(clippy::unused_self)] // the preview of `Editor::batch`: callers hold an editor for both
    pub fn plan_batch(&self, context: &Context<'_>, git: Option<GitFn<'_>>, batch: &Batch<'_>) -> Result<Plan, EditError> {
        check_shape(batch)?;
        Ok(plan::preview(context, git, batch))
    }
}

/// Groups the places of a multi-file rewrite into one item for each file, files in order of their name.
pub fn rewrite_items(replacements: impl IntoIterator<Item = (String, Place)>) -> Vec<Item<'static>> {
    let mut files: BTreeMap<String, Vec<Place>> = BTreeMap::new();
    for (path, place) in replacements {
        files.entry(path).or_default().push(place);
    }
    files
        .into_iter()
        .map(|(path, mut places)| {
            places.sort_by_key(|place| (place.line, place.cols.start, place.cols.end));
            // The same place found on two roads is one place.
            places.dedup();
            Item::content(path, Content::Places(places))
        })
        .collect()
}

/// Refuses what no state of the disk could make right.
fn check_shape(batch: &Batch<'_>) -> Result<(), EditError> {
    if batch.items.is_empty() {
        return Err(EditError::invalid("edits", "is empty"));
    }
    let counted = batch.items.iter().filter(|item| item.name() != "rewrite").count();
    if counted > MAX_ITEMS {
        return Err(EditError::invalid("edits", format!("has {counted} items; at most {MAX_ITEMS} are allowed")));
    }
    for (index, item) in batch.items.iter().enumerate() {
        let bad = |field, problem: &str| Err(EditError::Invalid { field, problem: problem.to_owned(), item: Some(index) });
        match &item.op {
            Op::Content { content: Content::Replace { old, .. }, .. } if old.is_empty() => {
                return bad("old_string", "is empty");
            }
            Op::Move { expected_sha256: Some(digest), .. } | Op::Delete { expected_sha256: Some(digest), .. }
                if digest.len() != 64 || !digest.bytes().all(|byte| byte.is_ascii_hexdigit()) =>
            {
                return bad("expected_sha256", "is not 64 hexadecimal digits");
            }
            _ => {}
        }
        if item.path().is_empty() {
            return bad(if item.destination().is_some() { "source" } else { "path" }, "is empty");
        }
        if item.destination() == Some("") {
            return bad("destination", "is empty");
        }
    }
    Ok(())
}

/// A digest of everything that makes this batch differ from another one.
fn print_of(batch: &Batch<'_>) -> String {
    if let Some(request) = &batch.request {
        return fingerprint(&[b"request", request.as_bytes()]);
    }
    let mut fields: Vec<Vec<u8>> = vec![vec![u8::from(batch.allow_parse_errors)]];
    for item in &batch.items {
        fields.push(item.name().into());
        fields.push(item.rank.to_le_bytes().into());
        fields.push(item.path().into());
        match &item.op {
            Op::Content { content, base_sha, .. } => {
                fields.extend(content.identity());
                fields.push(base_sha.clone().unwrap_or_default().into());
            }
            Op::Move { destination, expected_sha256, .. } => {
                fields.push(destination.clone().into());
                fields.push(expected_sha256.clone().unwrap_or_default().into());
            }
            Op::Delete { expected_sha256, base_sha, .. } => {
                fields.push(expected_sha256.clone().unwrap_or_default().into());
                fields.push(base_sha.clone().unwrap_or_default().into());
            }
        }
    }
    let fields: Vec<&[u8]> = fields.iter().map(Vec::as_slice).collect();
    fingerprint(&fields)
}
