//! Taking in one file: from its place on disk to its entry, with facts taken over, found or made.
//!
//! Size and time unchanged: taken over without being read. Known bytes: the facts of these bytes. Everything else is parsed,
//! under a journal that remembers what was being parsed if the process should die of it.
//!
//! Knows one file at a time.

use std::panic::AssertUnwindSafe;
use std::path::Path;

use rustc_hash::FxHashMap;

use super::build::Reuse;
use super::classify::{self, Content, Encoding, Verdict};
use super::journal::{Journal, Verdict as Trust};
use super::store::{Key, Shelves};
use super::walk::WalkedFile;
use crate::facts::pack::file_flag;
use crate::facts::{ExtractLimits, Facts, extract};
use crate::graph::{FileEntry, FileStatus, Section};
use crate::lang::Lang;
use crate::search::grams;

/// A file to be taken in.
pub(super) struct Task<'a> {
    pub repo: u16,
    pub path: String,
    pub walked: &'a WalkedFile,
    pub root: &'a Path,
    pub known: Option<&'a FileEntry>,
    /// Somebody said that it changed: it is read whatever its size and time say.
    pub told: bool,
}

/// Where facts may come from instead of a parse, and who watches the parse.
pub(super) struct Sources<'a> {
    pub reuse: Reuse,
    pub by_hash: FxHashMap<Key, &'a FileEntry>,
    pub shelves: Option<&'a Shelves>,
    pub journal: Option<&'a Journal>,
}

/// One file taken in.
pub(super) struct Taken {
    pub entry: FileEntry,
    pub parsed: bool,
    /// Whether it differs from the base in more than its time.
    pub changed: bool,
    /// To be taken again when no other file is being parsed.
    pub deferred: bool,
}

/// Takes in a file. `alone` says that no other file is parsed meanwhile.
pub(super) fn take(task: &Task<'_>, sources: &Sources<'_>, alone: bool) -> Taken {
    let walked = task.walked;
    let mtime_ns = walked.mtime_ns as u64;
    if sources.reuse == Reuse::Unchanged
        && !task.told
        && let Some(known) = task.known
        && known.size == walked.size
        && known.mtime_ns == mtime_ns
        && known.status != FileStatus::Unreadable
    {
        let entry = FileEntry { path: task.path.clone(), repo: task.repo, ..known.clone() };
        return Taken { entry, parsed: false, changed: false, deferred: false };
    }
    let bare = |status| {
        let entry = FileEntry { size: walked.size, ..blank(&task.path, task.repo, status, mtime_ns) };
        let changed = task.known.is_none_or(|known| known.status != status || known.size != walked.size);
        Taken { entry, parsed: false, changed, deferred: false }
    };
    if classify::by_size(walked.size).is_some() {
        return bare(FileStatus::Oversized);
    }
    let Ok(bytes) = std::fs::read(task.root.join(&walked.rel)) else { return bare(FileStatus::Unreadable) };
    let mtime_ns = if is_settled(mtime_ns) { mtime_ns } else { UNSETTLED };
    take_bytes(&task.path, task.repo, &bytes, mtime_ns, task.known, sources, alone)
}

/// Takes in a file whose bytes are at hand.
pub(super) fn take_bytes(
    path: &str,
    repo: u16,
    bytes: &[u8],
    mtime_ns: u64,
    known: Option<&FileEntry>,
    sources: &Sources<'_>,
    alone: bool,
) -> Taken {
    let verdict = classify::classify(path, bytes);
    let hash = *blake3::hash(bytes).as_bytes();
    let same = known.is_some_and(|known| known.hash == hash && known.status != FileStatus::Unreadable);
    let blank = blank(path, repo, status_of(verdict), mtime_ns);
    let entry = FileEntry { lang: verdict.lang, generated: verdict.generated, size: bytes.len() as u64, hash, ..blank };
    let mut taken = Taken { entry, parsed: false, changed: true, deferred: false };
    taken.entry.grams = match known {
        Some(known) if same => known.grams.clone(),
        _ => grams_of(taken.entry.status, verdict.encoding, bytes),
    };
    if let (Content::Source, Some(lang)) = (verdict.content, verdict.lang) {
        facts_into(&mut taken, lang, bytes, sources, alone);
    }
    taken.changed = !same || known.is_none_or(|known| known.status != taken.entry.status);
    taken
}

/// The filter that text search asks. UTF-16 is decoded before it is searched, so its bytes say nothing.
fn grams_of(status: FileStatus, encoding: Encoding, bytes: &[u8]) -> Section<u64> {
    if status.is_text() && encoding != Encoding::Utf16 { grams::build(bytes).into() } else { Section::default() }
}

/// Finds or makes the facts of a source file.
fn facts_into(taken: &mut Taken, lang: Lang, bytes: &[u8], sources: &Sources<'_>, alone: bool) {
    let key = (taken.entry.hash, lang);
    let known = || sources.by_hash.get(&key).filter(|known| known.status.is_parsed()).map(|known| known.facts.clone());
    let found = match sources.reuse {
        Reuse::Unchanged => known().or_else(|| sources.shelves?.find(&key)),
        Reuse::Nothing => None,
    };
    let facts = found.map(Some).unwrap_or_else(|| {
        let made = parse(&key, bytes, sources.journal, alone, &mut taken.deferred);
        // What is barred, or waits to be parsed alone, was not.
        taken.parsed = made.is_some();
        made
    });
    taken.entry.status = facts.as_ref().map_or(FileStatus::Crashed, status_of_facts);
    if let Some(facts) = facts {
        taken.entry.facts = facts;
    }
}

/// Parses under the journal; `None` for content that is known, or found now, to bring its parser down.
fn parse(key: &Key, bytes: &[u8], journal: Option<&Journal>, alone: bool, deferred: &mut bool) -> Option<Facts> {
    let trust = journal.map_or(Trust::Sound, |journal| journal.verdict(key));
    if trust == Trust::Barred {
        return None;
    }
    if trust == Trust::Suspect && !alone {
        *deferred = true;
        return None;
    }
    let flight = journal.map(|journal| journal.begin(key));
    let made = std::panic::catch_unwind(AssertUnwindSafe(|| extract(key.1.compiled(), bytes, ExtractLimits::default())));
    drop(flight);
    if let Some(journal) = journal.filter(|_| trust == Trust::Suspect || made.is_err()) {
        journal.settle(key, made.is_err());
    }
    made.ok()
}

/// The time of a file that changed so shortly before it was read that another change may bear the same time: such a file is
/// read again at the next look.
pub(crate) const UNSETTLED: u64 = 0;
/// Systems stamp files with a clock that ticks about this often.
const TICK_NS: u64 = 20_000_000;

fn is_settled(mtime_ns: u64) -> bool {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.is_ok_and(|now| (now.as_nanos() as u64).saturating_sub(mtime_ns) > TICK_NS)
}

/// An entry without facts.
pub(super) fn blank(path: &str, repo: u16, status: FileStatus, mtime_ns: u64) -> FileEntry {
    FileEntry {
        path: path.to_owned(),
        repo,
        lang: Lang::of_path(path),
        status,
        generated: false,
        size: 0,
        mtime_ns,
        hash: [0; 32],
        facts: Facts::empty(0),
        grams: Section::default(),
        base: 0,
    }
}

/// What a file is before its facts are known.
pub(super) fn status_of(verdict: Verdict) -> FileStatus {
    match verdict.content {
        Content::Source | Content::Text => FileStatus::Text,
        Content::Binary => FileStatus::Binary,
        Content::Minified => FileStatus::Minified,
        Content::Oversized => FileStatus::Oversized,
    }
}

/// Whether its facts are all there is to say of a file.
pub(super) fn status_of_facts(facts: &Facts) -> FileStatus {
    let header = facts.view().header;
    let whole = header.parse_errors == 0 && header.flags & file_flag::PARTIAL == 0;
    if whole { FileStatus::Indexed } else { FileStatus::Partial }
}
