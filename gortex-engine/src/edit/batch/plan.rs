//! A batch worked out in memory: which files, in which order, with which bytes before and after.
//!
//! The real run and the preview use the same plan; they differ in who holds locks while it is made and in what happens next.
//!
//! Knows nothing of journals; reads, never writes.

use super::super::content::check_guard;
use super::super::disk::{self, MAX_FILE, Snapshot};
use super::super::gate;
use super::super::hash::{git_blob_sha1, sha256};
use super::super::roots::{Roots, Target, Want};
use super::super::{Content, Context, EditError, diff};
use super::{Batch, FileChange, GitFn, GitState, Item, MAX_BYTES, Op, PathState, Plan, PlanRow, alias};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

/// The files an item is about.
#[derive(Debug, Clone)]
pub(super) struct Placed {
    pub source: Target,
    pub destination: Option<Target>,
}

/// One file in memory.
#[derive(Debug)]
pub(super) struct Buffer {
    pub target: Target,
    pub before: Option<Snapshot>,
    pub after: Option<Vec<u8>>,
    /// The mode bits of the file after.
    pub mode: u32,
    pub edits: usize,
    pub verdict: Option<gate::ParseGate>,
    last_item: usize,
}

impl Buffer {
    fn before_bytes(&self) -> Option<&[u8]> {
        self.before.as_ref().map(|snapshot| snapshot.bytes.as_slice())
    }

    /// True when the disk need not be touched.
    pub(super) fn is_idle(&self) -> bool {
        self.before_bytes() == self.after.as_deref()
    }

    /// The row of this file in plans and receipts.
    pub(super) fn change(&self, diff_under: Option<&Roots>) -> FileChange {
        let before = self.before_bytes();
        let after = self.after.as_deref();
        FileChange {
            path: self.target.abs.to_string_lossy().into_owned(),
            relative_path: self.target.rel.clone(),
            root: self.target.root,
            before_sha256: before.map(sha256),
            before_absent: before.is_none(),
            after_sha256: after.map(sha256),
            after_absent: after.is_none(),
            new_sha: after.map(git_blob_sha1),
            bytes_written: after.map_or(0, <[u8]>::len),
            edits: self.edits,
            parse_gate: self.verdict.clone(),
            diff: diff_under.map(|roots| diff::unified(&roots.shown(self.target.root, &self.target.rel), before, after)),
        }
    }
}

/// Everything known about a batch before it is written.
#[derive(Debug)]
pub(super) struct Planned {
    /// Indices of the items in the order of execution.
    pub order: Vec<usize>,
    pub buffers: BTreeMap<PathBuf, Buffer>,
    /// Why it can't be done, in the order of execution.
    pub refusals: Vec<(usize, EditError)>,
    /// The items whose line ends were adapted.
    pub adapted: BTreeSet<usize>,
}

/// Finds the files of all items.
pub(super) fn resolve(context: &Context<'_>, batch: &Batch<'_>) -> Vec<Result<Placed, EditError>> {
    batch.items.iter().map(|item| place(context, item)).collect()
}

fn place(context: &Context<'_>, item: &Item<'_>) -> Result<Placed, EditError> {
    let roots = context.roots;
    match &item.op {
        Op::Content { path, content, base_sha } => {
            let want = if content.may_create() { Want::NewOrFile } else { Want::File };
            let source = gone_is_stale(roots.resolve(path, want), base_sha.as_ref())?;
            Ok(Placed { source, destination: None })
        }
        Op::Delete { path, base_sha, .. } => {
            let source = gone_is_stale(roots.resolve(path, Want::File), base_sha.as_ref())?;
            refuse_link(path, &source)?;
            Ok(Placed { source, destination: None })
        }
        Op::Move { source: path, destination: to, .. } => {
            let source = roots.resolve(path, Want::File)?;
            refuse_link(path, &source)?;
            let destination = match roots.resolve(to, Want::NewOrFile) {
                Err(EditError::NotAFile { .. }) => {
                    return Err(EditError::DestinationExists { path: to.clone() });
                }
                other => other?,
            };
            if destination.exists {
                return Err(EditError::DestinationExists { path: to.clone() });
            }
            if !destination.direct {
                return Err(EditError::DestinationBehindLink { path: to.clone() });
            }
            Ok(Placed { source, destination: Some(destination) })
        }
    }
}

/// Whoever gives a guard has read the file: that it is gone is a change, not a wrong name.
fn gone_is_stale(found: Result<Target, EditError>, guard: Option<&String>) -> Result<Target, EditError> {
    match found {
        Err(EditError::FileNotFound { path }) if guard.is_some() => {
            Err(EditError::Stale { path, expected: guard.cloned(), current: None })
        }
        other => other,
    }
}

fn refuse_link(path: &str, target: &Target) -> Result<(), EditError> {
    match target.link {
        Some(_) => Err(EditError::NotAFile { path: path.to_owned(), kind: "a symbolic link" }),
        None => Ok(()),
    }
}

/// Works the batch out. The caller holds the locks, or only looks.
pub(super) fn plan(context: &Context<'_>, batch: &Batch<'_>, placed: Vec<Result<Placed, EditError>>) -> Planned {
    let mut refusals: Vec<(usize, EditError)> = Vec::new();
    let mut places: Vec<Option<Placed>> = Vec::with_capacity(placed.len());
    for (index, result) in placed.into_iter().enumerate() {
        match result {
            Ok(placed) => places.push(Some(placed)),
            Err(error) => {
                refusals.push((index, error));
                places.push(None);
            }
        }
    }
    let order = order_of(batch, &places);
    refusals.extend(overlaps(batch, &places, &order));
    let refused: BTreeSet<usize> = refusals.iter().map(|(index, _)| *index).collect();
    let mut work = Work { context, batch, buffers: BTreeMap::new(), adapted: BTreeSet::new() };
    for index in &order {
        if let (Some(placed), false) = (&places[*index], refused.contains(index))
            && let Err(error) = work.apply(*index, placed)
        {
            refusals.push((*index, error));
        }
    }
    refusals.extend(work.judge());
    refusals.extend(work.weigh());
    let rank: BTreeMap<usize, usize> = order.iter().enumerate().map(|(at, index)| (*index, at)).collect();
    refusals.sort_by_key(|(index, _)| rank[index]);
    Planned { order, buffers: work.buffers, refusals, adapted: work.adapted }
}

/// Symbols, then files, then moves and removals; within a class by rank, file and input.
fn order_of(batch: &Batch<'_>, places: &[Option<Placed>]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..batch.items.len()).collect();
    order.sort_by_key(|index| {
        let item = &batch.items[*index];
        let file = places[*index].as_ref().map_or_else(|| item.path().to_owned(), |placed| placed.source.rel.clone());
        (item.class(), item.rank, file, *index)
    });
    order
}

/// Items that are in each other's way: a move or removal next to anything else on its file, aliases, a file above a file.
fn overlaps(batch: &Batch<'_>, places: &[Option<Placed>], order: &[usize]) -> Vec<(usize, EditError)> {
    let mut targets: Vec<(usize, &Target)> = Vec::new();
    for index in order {
        if let Some(placed) = &places[*index] {
            targets.push((*index, &placed.source));
            targets.extend(placed.destination.as_ref().map(|destination| (*index, destination)));
        }
    }
    let mut found = Vec::new();
    let mut users: BTreeMap<&PathBuf, Vec<(usize, &Target)>> = BTreeMap::new();
    for (index, target) in &targets {
        users.entry(&target.abs).or_default().push((*index, target));
    }
    for group in users.values().filter(|group| group.len() > 1) {
        for (index, target) in group.iter().filter(|(index, _)| batch.items[*index].is_lifecycle()) {
            let reason = format!("`{}` is moved or removed by one item and used by another", target.shown());
            found.push((*index, EditError::Overlap { reason }));
        }
    }
    for (one, other, reason) in alias::collisions(&targets) {
        let (first, second) = (batch.items[one].path(), batch.items[other].destination().unwrap_or(batch.items[other].path()));
        found.push((other, EditError::Overlap { reason: format!("`{first}` and `{second}` can't be in one batch: {reason}") }));
    }
    let paths: Vec<&PathBuf> = users.keys().copied().collect();
    // Sorted by component, a folder stands directly before what it contains.
    for pair in paths.windows(2) {
        if pair[1].starts_with(pair[0]) {
            let (index, target) = users[pair[1]][0];
            let reason = format!("`{}` lies below a path that another item uses as a file", target.shown());
            found.push((index, EditError::Overlap { reason }));
        }
    }
    found.sort_by_key(|(index, _)| *index);
    found.dedup_by_key(|(index, _)| *index);
    found
}

/// The buffers while the items are applied.
struct Work<'w> {
    context: &'w Context<'w>,
    batch: &'w Batch<'w>,
    buffers: BTreeMap<PathBuf, Buffer>,
    adapted: BTreeSet<usize>,
}

impl Work<'_> {
    fn apply(&mut self, index: usize, placed: &Placed) -> Result<(), EditError> {
        let batch = self.batch;
        match &batch.items[index].op {
            Op::Content { path, content, base_sha } => self.change(index, path, content, base_sha.as_deref(), &placed.source),
            Op::Delete { path, expected_sha256, base_sha } => {
                self.take(index, path, expected_sha256.as_deref(), base_sha.as_deref(), &placed.source).map(|_| ())
            }
            Op::Move { source, expected_sha256, .. } => {
                let taken = self.take(index, source, expected_sha256.as_deref(), None, &placed.source)?;
                if let Some(target) = &placed.destination {
                    let arrived = Buffer {
                        target: target.clone(),
                        before: None,
                        after: Some(taken.bytes),
                        mode: taken.mode,
                        edits: 1,
                        verdict: None,
                        last_item: index,
                    };
                    self.buffers.insert(target.abs.clone(), arrived);
                }
                Ok(())
            }
        }
    }

    fn load(&mut self, path: &str, target: &Target, index: usize, limit: u64) -> Result<&mut Buffer, EditError> {
        if !self.buffers.contains_key(&target.abs) {
            let before = disk::snapshot(&target.abs, path, limit)?;
            let buffer = Buffer {
                target: target.clone(),
                after: before.as_ref().map(|snapshot| snapshot.bytes.clone()),
                mode: before.as_ref().map_or(disk::NEW_FILE_MODE, |snapshot| snapshot.mode),
                before,
                edits: 0,
                verdict: None,
                last_item: index,
            };
            self.buffers.insert(target.abs.clone(), buffer);
        }
        self.buffers.get_mut(&target.abs).ok_or(EditError::Cancelled)
    }

    fn change(
        &mut self,
        index: usize,
        path: &str,
        content: &Content<'_>,
        guard: Option<&str>,
        target: &Target,
    ) -> Result<(), EditError> {
        let buffer = self.load(path, target, index, MAX_FILE)?;
        // A guard speaks of the file on disk, not of what earlier items of this batch made of it.
        check_guard(path, guard, buffer.before_bytes())?;
        let made = content.apply(path, buffer.after.as_deref())?;
        let size = made.bytes.len() as u64;
        if size > MAX_FILE {
            return Err(EditError::TooLarge { path: path.to_owned(), size, limit: MAX_FILE });
        }
        buffer.after = Some(made.bytes);
        buffer.edits += made.replacements.unwrap_or(1);
        buffer.last_item = index;
        if made.eol_normalized {
            self.adapted.insert(index);
        }
        Ok(())
    }

    fn take(
        &mut self,
        index: usize,
        path: &str,
        digest: Option<&str>,
        guard: Option<&str>,
        target: &Target,
    ) -> Result<Snapshot, EditError> {
        let buffer = self.load(path, target, index, MAX_BYTES)?;
        let Some(before) = buffer.before.clone() else {
            return Err(EditError::FileNotFound { path: path.to_owned() });
        };
        check_guard(path, guard, Some(&before.bytes))?;
        let actual = sha256(&before.bytes);
        if digest.is_some_and(|digest| !digest.eq_ignore_ascii_case(&actual)) {
            return Err(EditError::Sha256Mismatch { path: path.to_owned(), actual });
        }
        buffer.after = None;
        buffer.edits += 1;
        Ok(before)
    }

    /// The parse gate, once for each file whose content changed: a fault that a later item mends is none.
    fn judge(&mut self) -> Vec<(usize, EditError)> {
        let mut refusals = Vec::new();
        for buffer in self.buffers.values_mut() {
            let Some(after) = buffer.after.as_deref() else { continue };
            let item = &self.batch.items[buffer.last_item];
            if item.is_lifecycle() || buffer.before.as_ref().is_some_and(|before| before.bytes == after) {
                continue;
            }
            let before = buffer.before.as_ref().map(|snapshot| snapshot.bytes.as_slice());
            let allowed = self.batch.allow_parse_errors;
            buffer.verdict = gate::judge(self.context.gate, &buffer.target.rel, before, after, allowed);
            if let Err(error) = gate::enforce(item.path(), buffer.verdict.as_ref()) {
                refusals.push((buffer.last_item, error));
            }
        }
        refusals
    }

    /// The bytes held, before and after.
    fn weigh(&self) -> Option<(usize, EditError)> {
        let size = |buffer: &Buffer| {
            buffer.before_bytes().map_or(0, <[u8]>::len) as u64 + buffer.after.as_ref().map_or(0, Vec::len) as u64
        };
        let total: u64 = self.buffers.values().map(size).sum();
        let last = self.buffers.values().map(|buffer| buffer.last_item).max()?;
        (total > MAX_BYTES).then(|| {
            let problem = format!("would hold {total} bytes in memory; at most {MAX_BYTES} are allowed");
            (last, EditError::Invalid { field: "edits", problem, item: None })
        })
    }
}

/// The plan as rows, with states of the paths of moves and removals.
pub(super) fn preview(context: &Context<'_>, git: Option<GitFn<'_>>, batch: &Batch<'_>) -> Plan {
    let placed = resolve(context, batch);
    let places: Vec<Option<Placed>> = placed.iter().map(|placed| placed.as_ref().ok().cloned()).collect();
    let planned = plan(context, batch, placed);
    let status = |index: usize| match planned.refusals.iter().find(|(refused, _)| *refused == index) {
        None => "planned".to_owned(),
        Some((_, error @ EditError::Invalid { .. })) => format!("failed: {error}"),
        Some((_, error)) => format!("conflict: {error}"),
    };
    let rows = planned.order.iter().enumerate().map(|(at, index)| {
        let item = &batch.items[*index];
        let row = PlanRow {
            order: at + 1,
            op: item.name(),
            id: item.symbol().map(str::to_owned),
            path: item.path().to_owned(),
            destination: item.destination().map(str::to_owned),
            status: status(*index),
            resolved_path: None,
            source_state: None,
            resolved_destination: None,
            destination_state: None,
        };
        if item.is_lifecycle() { with_states(context, git, item, places[*index].as_ref(), row) } else { row }
    });
    let plan: Vec<PlanRow> = rows.collect();
    let conflicts = plan.iter().filter(|row| row.status != "planned").count();
    Plan {
        total: plan.len(),
        plan,
        dry_run: true,
        conflicts,
        files: planned.buffers.values().map(|buffer| buffer.change(Some(context.roots))).collect(),
        refusals: planned.refusals,
    }
}

fn with_states(context: &Context<'_>, git: Option<GitFn<'_>>, item: &Item<'_>, placed: Option<&Placed>, row: PlanRow) -> PlanRow {
    let source = placed.map(|placed| placed.source.clone()).or_else(|| context.roots.resolve(item.path(), Want::Any).ok());
    let destination = placed.and_then(|placed| placed.destination.clone());
    let destination = destination.or_else(|| context.roots.resolve(item.destination()?, Want::NewOrFile).ok());
    let shown = |target: &Target| target.abs.to_string_lossy().into_owned();
    PlanRow {
        resolved_path: source.as_ref().map(shown),
        source_state: source.as_ref().map(|target| state_of(context, git, target, true)),
        resolved_destination: destination.as_ref().map(shown),
        destination_state: destination.as_ref().map(|target| state_of(context, git, target, false)),
        ..row
    }
}

fn state_of(context: &Context<'_>, git: Option<GitFn<'_>>, target: &Target, with_digest: bool) -> PathState {
    // The path as asked, so that a link is seen as a link.
    let at = context.roots.all()[target.root].abs.join(target.shown());
    let kind = match at.symlink_metadata() {
        Err(_) => "absent",
        Ok(meta) if meta.is_file() => "regular",
        Ok(meta) if meta.is_dir() => "directory",
        Ok(meta) if meta.file_type().is_symlink() => "symlink",
        Ok(_) => "other",
    };
    let git = git.map_or(GitState::Unknown, |ask| ask(target.root, target.shown()));
    let digest = || {
        let small = fs::metadata(&at).is_ok_and(|meta| meta.len() <= MAX_BYTES);
        small.then(|| fs::read(&at).ok()).flatten().map(|bytes| sha256(&bytes))
    };
    PathState {
        exists: kind != "absent",
        kind,
        git,
        ignored: git == GitState::Ignored,
        sha256: if with_digest && kind == "regular" { digest() } else { None },
    }
}
