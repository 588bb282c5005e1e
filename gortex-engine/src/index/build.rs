//! From tracked roots to a new view: walk, take over what did not change, extract the rest, link.
//!
//! A file is taken over by size and modification time without being read; otherwise its content hash decides whether facts
//! of the same bytes are known already. When nothing changed nothing is linked.
//!
//! Knows disk and facts; publishing is for `engine`.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::classify::{self, Content};
use super::walk::{self, WalkError, WalkedFile};
use crate::engine::{IndexError, IndexReport, Indexes, Phase, Progress, RepoInfo, View};
use crate::facts::{ExtractLimits, Facts, extract};
use crate::graph::{FileEntry, FileStatus, Graph};
use crate::lang::Lang;
use crate::link::{self, LinkState, Manifest, is_manifest};

/// What may be taken over from the view before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reuse {
    /// Files of the same size and modification time, and facts of the same bytes.
    Unchanged,
    /// Nothing: every file is read and parsed.
    Nothing,
}

/// The outcome of a run.
#[derive(Debug)]
pub enum Built {
    /// The tree is what the base view says.
    Unchanged(IndexReport),
    /// A new view.
    New(Box<View>),
}

struct Task<'a> {
    repo: u16,
    path: String,
    walked: &'a WalkedFile,
    root: &'a Path,
    known: Option<&'a FileEntry>,
}

/// One file taken in: its entry, whether it was parsed now, and whether it differs from the base.
struct Taken {
    entry: FileEntry,
    parsed: bool,
    changed: bool,
}

/// Builds a view of `repos`, taking over from `base` what `reuse` allows. `linked` is what linking kept of the base, if it did, and
/// holds afterwards what it kept of the new view.
pub fn build(
    repos: &[RepoInfo],
    base: Option<&View>,
    reuse: Reuse,
    generation: u64,
    linked: &mut Option<LinkState>,
    progress: &dyn Progress,
    cancel: &AtomicBool,
) -> Result<Built, IndexError> {
    progress.report(Phase::Walk, 0, 0);
    let threads = rayon::current_num_threads();
    let mut report = IndexReport::default();
    let mut walks = Vec::with_capacity(repos.len());
    for repo in repos {
        walks.push(walk::walk(&repo.root, threads, cancel).map_err(|error| match error {
            WalkError::Cancelled => IndexError::Cancelled,
            other => IndexError::Walk(other),
        })?);
    }
    let prefixed = repos.len() > 1;
    let shown = |repo: usize, rel: &str| if prefixed { format!("{}/{rel}", repos[repo].name) } else { rel.to_owned() };
    let known = known_files(repos, base);
    let mut tasks = Vec::new();
    for (at, found) in walks.iter().enumerate() {
        report.skipped.extend(found.skipped.iter().map(|skip| (shown(at, &skip.rel), skip.reason.as_str())));
        report.excluded.extend(found.excluded.iter().map(|(rel, reason)| (shown(at, rel), *reason)));
        report.ignored += found.ignored;
        report.problems.extend(found.problems.iter().cloned());
        for walked in &found.files {
            let known = known.get(&(at, walked.rel.as_str())).copied();
            tasks.push(Task { repo: at as u16, path: shown(at, &walked.rel), walked, root: &repos[at].root, known });
        }
    }
    let by_hash: FxHashMap<[u8; 32], &FileEntry> = match (base, reuse) {
        (Some(view), Reuse::Unchanged) => view.graph.files.iter().map(|file| (file.hash, file)).collect(),
        _ => FxHashMap::default(),
    };
    let total = tasks.len() as u64;
    let done = AtomicU64::new(0);
    let taken: Vec<Taken> = tasks
        .par_iter()
        .map(|task| {
            if cancel.load(Ordering::Relaxed) {
                return None;
            }
            let taken = take(task, reuse, &by_hash);
            progress.report(Phase::Parse, done.fetch_add(1, Ordering::Relaxed) + 1, total);
            Some(taken)
        })
        .collect::<Option<_>>()
        .ok_or(IndexError::Cancelled)?;
    report.detected = taken.len();
    report.parsed = taken.iter().filter(|one| one.parsed).count();
    report.reused = taken.iter().filter(|one| !one.parsed).count();
    let kept = tasks.iter().filter(|task| task.known.is_some()).count();
    report.removed = known.len() - kept;
    let same_repos = base.is_some_and(|view| view.repos == repos);
    let unchanged = same_repos && report.removed == 0 && !taken.iter().any(|one| one.changed);
    let mut files: Vec<FileEntry> = taken.into_iter().map(|one| one.entry).collect();
    describe(&files, &mut report);
    if unchanged {
        return Ok(Built::Unchanged(report));
    }
    progress.report(Phase::Link, 0, 0);
    let manifests = read_manifests(&files, repos, prefixed);
    files.shrink_to_fit();
    let before = base.filter(|view| same_repos && view.manifests == manifests);
    let (graph, state) = match (before, linked.take()) {
        (Some(view), Some(state)) => {
            let (graph, state, effort) = link::relink(&view.graph, state, files, &manifests, generation);
            tracing::debug!(?effort, generation, "linked again");
            (graph, state)
        }
        _ => link::link_keeping(files, repos.iter().map(|repo| repo.name.clone()).collect(), &manifests, generation),
    };
    *linked = Some(state);
    Ok(Built::New(Box::new(View {
        graph,
        repos: repos.to_vec(),
        report,
        complete: true,
        manifests,
        indexes: Indexes::default(),
    })))
}

/// Files of the base view by (number of the repository now, path inside it).
fn known_files<'v>(repos: &[RepoInfo], base: Option<&'v View>) -> FxHashMap<(usize, &'v str), &'v FileEntry> {
    let Some(view) = base else { return FxHashMap::default() };
    let now: Vec<Option<usize>> =
        view.repos.iter().map(|old| repos.iter().position(|repo| repo.root == old.root && repo.name == old.name)).collect();
    let entries = view.graph.files.iter().filter_map(|file| {
        let repo = now.get(file.repo as usize).copied().flatten()?;
        let rel = if view.repos.len() > 1 { file.path.split_once('/')?.1 } else { file.path.as_str() };
        Some(((repo, rel), file))
    });
    entries.collect()
}

fn take(task: &Task<'_>, reuse: Reuse, by_hash: &FxHashMap<[u8; 32], &FileEntry>) -> Taken {
    let walked = task.walked;
    let mtime_ns = walked.mtime_ns as u64;
    if reuse == Reuse::Unchanged
        && let Some(known) = task.known
        && known.size == walked.size
        && known.mtime_ns == mtime_ns
        && known.status != FileStatus::Unreadable
    {
        let entry = FileEntry { path: task.path.clone(), repo: task.repo, ..known.clone() };
        return Taken { entry, parsed: false, changed: false };
    }
    let blank = |status, hash| FileEntry {
        path: task.path.clone(),
        repo: task.repo,
        lang: Lang::of_path(&task.path),
        status,
        generated: false,
        size: walked.size,
        mtime_ns,
        hash,
        facts: Facts::empty(0),
        base: 0,
    };
    if classify::by_size(walked.size).is_some() {
        return Taken { entry: blank(FileStatus::Oversized, [0; 32]), parsed: false, changed: true };
    }
    let Ok(bytes) = std::fs::read(task.root.join(&walked.rel)) else {
        return Taken {
            entry: blank(FileStatus::Unreadable, [0; 32]),
            parsed: false,
            changed: task.known.is_none_or(|known| known.status != FileStatus::Unreadable),
        };
    };
    let hash = *blake3::hash(&bytes).as_bytes();
    let verdict = classify::classify(&task.path, &bytes);
    if let Some(same) = by_hash.get(&hash).filter(|same| same.lang == verdict.lang && same.size == bytes.len() as u64) {
        let changed = task.known.is_none_or(|known| known.hash != hash);
        let entry = FileEntry { path: task.path.clone(), repo: task.repo, mtime_ns, ..(*same).clone() };
        return Taken { entry, parsed: false, changed };
    }
    let mut entry = blank(FileStatus::Text, hash);
    entry.lang = verdict.lang;
    entry.generated = verdict.generated;
    entry.size = bytes.len() as u64;
    let mut parsed = false;
    entry.status = match (verdict.content, verdict.lang) {
        (Content::Source, Some(lang)) => {
            entry.facts = extract(lang.compiled(), &bytes, ExtractLimits::default());
            parsed = true;
            let header = entry.facts.view().header;
            let whole = header.parse_errors == 0 && header.flags & crate::facts::pack::file_flag::PARTIAL == 0;
            if whole { FileStatus::Indexed } else { FileStatus::Partial }
        }
        (Content::Source | Content::Text, _) => FileStatus::Text,
        (Content::Binary, _) => FileStatus::Binary,
        (Content::Minified, _) => FileStatus::Minified,
        (Content::Oversized, _) => FileStatus::Oversized,
    };
    Taken { entry, parsed, changed: true }
}

/// Fills in what the report says of single files.
fn describe(files: &[FileEntry], report: &mut IndexReport) {
    for file in files {
        match file.status {
            FileStatus::Partial => {
                let header = *file.facts.view().header;
                report.partial.push((file.path.clone(), header.first_error_line, header.parse_errors));
            }
            FileStatus::Binary | FileStatus::Minified | FileStatus::Oversized | FileStatus::Unreadable => {
                report.without_facts.push((file.path.clone(), file.status.as_str()));
            }
            FileStatus::Indexed | FileStatus::Text => {}
        }
    }
    report.partial.sort();
    report.without_facts.sort();
    report.skipped.sort();
    report.excluded.sort();
}

fn read_manifests(files: &[FileEntry], repos: &[RepoInfo], prefixed: bool) -> Vec<Manifest> {
    let wanted = files.iter().filter(|file| file.status.is_text() && is_manifest(&file.path));
    let read = wanted.filter_map(|file| {
        let rel = if prefixed { file.path.split_once('/')?.1 } else { file.path.as_str() };
        let text = std::fs::read_to_string(repos[file.repo as usize].root.join(rel)).ok()?;
        Some(Manifest { path: file.path.clone(), text })
    });
    let mut manifests: Vec<Manifest> = read.collect();
    manifests.sort_by(|a, b| a.path.cmp(&b.path));
    manifests
}

/// A graph of in-memory files, for tests and views that are not on disk.
pub fn graph_of(files: &[(&str, &str)]) -> Graph {
    let mut manifests = Vec::new();
    let entries = files.iter().map(|(path, text)| {
        if is_manifest(path) {
            manifests.push(Manifest { path: (*path).to_owned(), text: (*text).to_owned() });
        }
        let verdict = classify::classify(path, text.as_bytes());
        let facts = match verdict.lang {
            Some(lang) if verdict.content == Content::Source => {
                extract(lang.compiled(), text.as_bytes(), ExtractLimits::default())
            }
            _ => Facts::empty(0),
        };
        FileEntry {
            path: (*path).to_owned(),
            repo: 0,
            lang: verdict.lang,
            status: FileStatus::Indexed,
            generated: false,
            size: text.len() as u64,
            mtime_ns: 0,
            hash: *blake3::hash(text.as_bytes()).as_bytes(),
            facts,
            base: 0,
        }
    });
    let entries = entries.collect();
    link::link(entries, vec!["repo".to_owned()], &manifests, 1)
}
