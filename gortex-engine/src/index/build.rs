//! From tracked roots to a new view: walk, take over what did not change, extract the rest, link.
//!
//! Two ways in. `build` walks everything. `build_changed` is told which paths may have changed and looks at nothing else;
//! where the paths alone can't say what belongs to the list (a new directory, a vanished one) it asks for a walk. Both give
//! the same view of the same tree. When nothing changed nothing is linked.
//!
//! Knows disk and facts; publishing is for `engine`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::Mutex;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::classify::{self, Content};
use super::journal::Journal;
use super::look::{Look, Looker};
use super::store::{Key, Shelves, Store};
use super::take::{Sources, Taken, Task, take};
use super::walk::{self, WalkError, WalkedFile};
use crate::engine::{IndexError, IndexReport, Indexes, Phase, Progress, RepoInfo, View};
use crate::facts::{ExtractLimits, Facts, extract};
use crate::graph::{FileEntry, FileStatus, Graph};
use crate::link::{self, LinkState, Manifest, is_manifest};
use crate::scip::{self, Evidence};
use crate::search::grams;

/// What may be taken over from the view before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reuse {
    /// Files of the same size and modification time, and facts of the same bytes.
    Unchanged,
    /// Nothing: every file is read and parsed.
    Nothing,
}

/// What a run works with.
#[derive(Clone, Copy)]
pub(crate) struct Inputs<'a> {
    pub repos: &'a [RepoInfo],
    /// The view before.
    pub base: Option<&'a View>,
    pub reuse: Reuse,
    /// The generation of a new view.
    pub generation: u64,
    /// Facts that the base does not have.
    pub store: Option<&'a Store>,
    /// Where the snapshot of these repositories lies.
    pub snapshot: &'a Path,
    pub journal: Option<&'a Journal>,
    /// What linking kept of the base, and keeps of the new view; without it everything is linked and nothing kept.
    pub kept: Option<&'a Mutex<Option<Kept>>>,
    /// What compilers said of these repositories.
    pub evidence: Option<&'a Evidence>,
    pub progress: &'a dyn Progress,
    pub cancel: &'a AtomicBool,
}

/// What linking keeps between two generations.
#[derive(Debug)]
pub(crate) struct Kept {
    pub state: LinkState,
    /// The linked graph, where compiler evidence changed rows of the published one: the next generation starts from its own rows.
    pub linked: Option<Graph>,
}

/// The outcome of a run.
#[derive(Debug)]
pub(crate) enum Built {
    /// The tree is what the base view says.
    Unchanged(IndexReport),
    /// The base view with other times of files: nothing that an answer shows is different.
    Touched(Box<View>),
    /// A new view.
    New(Box<View>),
}

/// A run over everything.
#[derive(Debug)]
pub(crate) struct Run {
    pub built: Built,
    /// The directories that were read.
    pub folders: Vec<PathBuf>,
}

/// Builds a view of the repositories, taking over from the base what `reuse` allows.
pub(crate) fn build(inputs: &Inputs<'_>) -> Result<Run, IndexError> {
    let Inputs { repos, base, progress, cancel, .. } = *inputs;
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
    let known = known_files(repos, base);
    let mut tasks = Vec::new();
    let mut folders = Vec::new();
    for (at, found) in walks.iter().enumerate() {
        report.skipped.extend(found.skipped.iter().map(|skip| (shown(repos, at, &skip.rel), skip.reason.as_str())));
        report.excluded.extend(found.excluded.iter().map(|(rel, reason)| (shown(repos, at, rel), *reason)));
        report.ignored += found.ignored;
        report.problems.extend(found.problems.iter().cloned());
        folders.extend(found.folders.iter().map(|rel| repos[at].root.join(rel)));
        for walked in &found.files {
            let known = known.get(&(at, walked.rel.as_str())).copied();
            tasks.push(Task {
                repo: at as u16,
                path: shown(repos, at, &walked.rel),
                walked,
                root: &repos[at].root,
                known,
                told: false,
            });
        }
    }
    let by_hash = match base.filter(|_| inputs.reuse == Reuse::Unchanged) {
        Some(view) => contents(view.graph.files.iter()),
        None => FxHashMap::default(),
    };
    let shelves = inputs.store.filter(|_| inputs.reuse == Reuse::Unchanged).map(|store| store.shelves(Some(inputs.snapshot)));
    let taken = take_all(&tasks, by_hash, shelves.as_ref(), inputs)?;
    drop(shelves);
    let kept = tasks.iter().filter(|task| task.known.is_some()).count();
    report.removed = known.len() - kept;
    count(&taken, &mut report);
    let same_repos = base.is_some_and(|view| view.repos == repos);
    // Who asks for everything anew gets it anew.
    let unchanged = inputs.reuse == Reuse::Unchanged && same_repos && report.removed == 0 && !taken.iter().any(|one| one.changed);
    let mut files: Vec<FileEntry> = taken.into_iter().map(|one| one.entry).collect();
    describe(&files, &mut report);
    if let (true, Some(view)) = (unchanged, base) {
        return Ok(Run { built: unchanged_view(view, &files, report), folders });
    }
    progress.report(Phase::Link, 0, 0);
    let manifests = read_manifests(&files, repos);
    files.shrink_to_fit();
    let view = linked(inputs, files, manifests, report);
    if let (Some(store), Some(base), true) = (inputs.store, base, same_repos) {
        store.keep(base.graph.files.iter(), view.graph.files.iter());
    }
    Ok(Run { built: Built::New(Box::new(view)), folders })
}

/// Builds a view from the base and paths that may have changed, as (number of the repository, path inside it). `None` when
/// the paths alone can't tell, so that everything has to be walked.
pub(crate) fn build_changed(inputs: &Inputs<'_>, paths: &[(usize, String)]) -> Result<Option<Built>, IndexError> {
    let Inputs { repos, base: Some(base), .. } = *inputs else { return Ok(None) };
    if base.repos != repos {
        return Ok(None);
    }
    let Some(seen) = look_at(repos, base, paths)? else { return Ok(None) };
    let tasks: Vec<Task<'_>> = seen
        .iter()
        .filter_map(|one| {
            let walked = one.walked.as_ref()?;
            let root = &repos[one.repo].root;
            Some(Task { repo: one.repo as u16, path: one.path.clone(), walked, root, known: one.known, told: true })
        })
        .collect();
    let by_hash = contents(seen.iter().filter_map(|one| one.known));
    let shelves = inputs.store.map(|store| store.shelves(None));
    let taken = take_all(&tasks, by_hash, shelves.as_ref(), inputs)?;
    let removed = seen.iter().filter(|one| one.walked.is_none() && one.known.is_some()).count();
    let changed = removed > 0 || taken.iter().any(|one| one.changed);
    let mut report = IndexReport { removed, ..base.report.clone() };
    let paths: rustc_hash::FxHashSet<&str> = seen.iter().map(|one| one.path.as_str()).collect();
    report.skipped.retain(|(path, _)| !paths.contains(path.as_str()));
    report.skipped.extend(seen.iter().filter_map(|one| Some((one.path.clone(), one.skipped?.as_str()))));
    count(&taken, &mut report);
    let entries: Vec<FileEntry> = taken.into_iter().map(|one| one.entry).collect();
    if !changed {
        report.detected = base.graph.files.len();
        report.reused = report.detected - report.parsed;
        return Ok(Some(unchanged_view(base, &entries, report)));
    }
    if let Some(store) = inputs.store {
        store.keep(seen.iter().filter_map(|one| one.known), entries.iter());
    }
    inputs.progress.report(Phase::Link, 0, 0);
    let fresh = read_manifests(&entries, repos);
    let untouched = base.manifests.iter().filter(|manifest| !paths.contains(manifest.path.as_str()));
    let mut manifests: Vec<Manifest> = untouched.cloned().chain(fresh).collect();
    manifests.sort_by(|a, b| a.path.cmp(&b.path));
    let mut files: Vec<FileEntry> = Vec::with_capacity(base.graph.files.len() + entries.len());
    files.extend(base.graph.files.iter().filter(|file| !paths.contains(file.path.as_str())).cloned());
    files.extend(entries);
    (report.detected, report.reused) = (files.len(), files.len() - report.parsed);
    (report.partial, report.without_facts) = (Vec::new(), Vec::new());
    describe(&files, &mut report);
    Ok(Some(Built::New(Box::new(linked(inputs, files, manifests, report)))))
}

/// A path that was looked at.
struct Seen<'v> {
    repo: usize,
    path: String,
    walked: Option<WalkedFile>,
    skipped: Option<walk::SkipReason>,
    known: Option<&'v FileEntry>,
}

/// What is at each path now; `None` when a directory came or went.
fn look_at<'v>(repos: &[RepoInfo], base: &'v View, paths: &[(usize, String)]) -> Result<Option<Vec<Seen<'v>>>, IndexError> {
    let mut lookers: Vec<Option<Looker>> = repos.iter().map(|_| None).collect();
    let mut seen = Vec::with_capacity(paths.len());
    for (repo, rel) in paths {
        let looker = match &mut lookers[*repo] {
            Some(looker) => looker,
            none => none.insert(Looker::new(&repos[*repo].root)?),
        };
        let path = shown(repos, *repo, rel);
        let known = base.graph.file(&path);
        let (walked, skipped) = match looker.look(rel) {
            Look::Folder => return Ok(None),
            Look::Gone if known.is_none() && has_below(base, &path) => return Ok(None),
            Look::Gone => (None, None),
            Look::Skipped(reason) => (None, Some(reason)),
            Look::File(walked) => (Some(walked), None),
        };
        seen.push(Seen { repo: *repo, path, walked, skipped, known });
    }
    seen.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    seen.dedup_by(|a, b| a.path == b.path);
    Ok(Some(seen))
}

/// Whether the view has files below a path.
fn has_below(view: &View, path: &str) -> bool {
    let folder = format!("{path}/");
    let at = view.graph.files.partition_point(|file| file.path < folder);
    view.graph.files.get(at).is_some_and(|file| file.path.starts_with(&folder))
}

/// Takes in every file; those that must be parsed alone come last, one by one.
pub(super) fn take_all(
    tasks: &[Task<'_>],
    by_hash: FxHashMap<Key, &FileEntry>,
    shelves: Option<&Shelves>,
    inputs: &Inputs<'_>,
) -> Result<Vec<Taken>, IndexError> {
    let sources = Sources { reuse: inputs.reuse, by_hash, shelves, journal: inputs.journal };
    take_each(tasks, inputs, |task, alone| take(task, &sources, alone))
}

/// Does something for every task on all threads; what it defers is done again at the end, one by one.
pub(super) fn take_each<T: Sync>(
    tasks: &[T],
    inputs: &Inputs<'_>,
    take: impl Fn(&T, bool) -> Taken + Sync,
) -> Result<Vec<Taken>, IndexError> {
    let total = tasks.len() as u64;
    let done = AtomicU64::new(0);
    let one = |task: &T| {
        if inputs.cancel.load(Ordering::Relaxed) {
            return None;
        }
        let taken = take(task, false);
        inputs.progress.report(Phase::Parse, done.fetch_add(1, Ordering::Relaxed) + 1, total);
        Some(taken)
    };
    let taken: Option<Vec<Taken>> = tasks.par_iter().map(one).collect();
    let mut taken = taken.ok_or(IndexError::Cancelled)?;
    for (task, taken) in tasks.iter().zip(&mut taken).filter(|(_, taken)| taken.deferred) {
        if inputs.cancel.load(Ordering::Relaxed) {
            return Err(IndexError::Cancelled);
        }
        *taken = take(task, true);
    }
    Ok(taken)
}

pub(super) fn contents<'f>(files: impl Iterator<Item = &'f FileEntry>) -> FxHashMap<Key, &'f FileEntry> {
    files.filter_map(|file| Some(((file.hash, file.lang?), file))).collect()
}

pub(super) fn count(taken: &[Taken], report: &mut IndexReport) {
    report.detected = taken.len();
    report.parsed = taken.iter().filter(|one| one.parsed).count();
    report.reused = taken.len() - report.parsed;
}

/// The base view, with the times that its files have now. What has another time is read at every look, so it is worth noting.
fn unchanged_view(base: &View, now: &[FileEntry], report: IndexReport) -> Built {
    let time_of = |file: &FileEntry| base.graph.file(&file.path).map(|known| known.mtime_ns);
    let touched: FxHashMap<&str, u64> =
        now.iter().filter(|file| time_of(file) != Some(file.mtime_ns)).map(|file| (file.path.as_str(), file.mtime_ns)).collect();
    if touched.is_empty() {
        return Built::Unchanged(report);
    }
    let mut graph = base.graph.clone();
    for file in &mut graph.files {
        if let Some(time) = touched.get(file.path.as_str()) {
            file.mtime_ns = *time;
        }
    }
    Built::Touched(Box::new(View {
        graph,
        repos: base.repos.clone(),
        report,
        complete: true,
        revision: None,
        manifests: base.manifests.clone(),
        indexes: Arc::clone(&base.indexes),
    }))
}

pub(super) fn linked(inputs: &Inputs<'_>, files: Vec<FileEntry>, manifests: Vec<Manifest>, report: IndexReport) -> View {
    let names = inputs.repos.iter().map(|repo| repo.name.clone()).collect();
    let Some(held) = inputs.kept else {
        let graph = link::link(files, names, &manifests, inputs.generation);
        return view_of(inputs, graph, manifests, report);
    };
    let mut held = held.lock();
    let base = inputs.base.filter(|view| inputs.reuse == Reuse::Unchanged && view.repos == inputs.repos);
    let base = base.filter(|view| view.manifests == manifests);
    let evidence = inputs.evidence.filter(|evidence| !evidence.is_empty());
    let start = match (base, held.take()) {
        (Some(view), Some(Kept { state, linked })) => Some((linked.unwrap_or_else(|| view.graph.clone()), Some(state))),
        // From a snapshot: its rows are those of linking, unless evidence changed them before they were written.
        (Some(view), None) if evidence.is_none() => Some((view.graph.clone(), None)),
        _ => None,
    };
    let (mut graph, state) = match start {
        Some((before, state)) => {
            let (graph, state, effort) = link::relink(&before, state, files, &manifests, inputs.generation);
            tracing::debug!(?effort, generation = inputs.generation, "linked again");
            (graph, state)
        }
        None => link::link_keeping(files, names, &manifests, inputs.generation),
    };
    let linked = evidence.map(|evidence| {
        let linked = graph.clone();
        let applied = scip::apply(&mut graph, evidence);
        tracing::debug!(?applied, "compiler evidence was applied");
        linked
    });
    *held = Some(Kept { state, linked });
    view_of(inputs, graph, manifests, report)
}

fn view_of(inputs: &Inputs<'_>, graph: Graph, manifests: Vec<Manifest>, report: IndexReport) -> View {
    let indexes = Arc::new(Indexes::default());
    View { graph, repos: inputs.repos.to_vec(), report, complete: true, revision: None, manifests, indexes }
}

/// A path as answers give it.
fn shown(repos: &[RepoInfo], repo: usize, rel: &str) -> String {
    if repos.len() > 1 { format!("{}/{rel}", repos[repo].name) } else { rel.to_owned() }
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

/// Fills in what the report says of single files.
pub(super) fn describe(files: &[FileEntry], report: &mut IndexReport) {
    for file in files {
        match file.status {
            FileStatus::Partial => {
                let header = *file.facts.view().header;
                report.partial.push((file.path.clone(), header.first_error_line, header.parse_errors));
            }
            FileStatus::Binary | FileStatus::Minified | FileStatus::Oversized | FileStatus::Unreadable | FileStatus::Crashed => {
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

fn read_manifests(files: &[FileEntry], repos: &[RepoInfo]) -> Vec<Manifest> {
    let wanted = files.iter().filter(|file| file.status.is_text() && is_manifest(&file.path));
    let read = wanted.filter_map(|file| {
        let rel = if repos.len() > 1 { file.path.split_once('/')?.1 } else { file.path.as_str() };
        let text = std::fs::read_to_string(repos[file.repo as usize].root.join(rel)).ok()?;
        Some(Manifest { path: file.path.clone(), text })
    });
    let mut manifests: Vec<Manifest> = read.collect();
    manifests.sort_by(|a, b| a.path.cmp(&b.path));
    manifests
}

/// A graph of in-memory files, for tests and views that are not on disk.
pub fn graph_of(files: &[(&str, &str)]) -> Graph {
    graph_of_repos(&["repo"], files)
}

/// The same for several repositories, under whose names the paths stand.
pub fn graph_of_repos(repos: &[&str], files: &[(&str, &str)]) -> Graph {
    let repo_of = |path: &str| {
        let under = |name: &&str| path.strip_prefix(*name).is_some_and(|rest| rest.starts_with('/'));
        if repos.len() > 1 { repos.iter().position(under).unwrap_or(0) as u16 } else { 0 }
    };
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
            repo: repo_of(path),
            lang: verdict.lang,
            status: FileStatus::Indexed,
            generated: false,
            size: text.len() as u64,
            mtime_ns: 0,
            hash: *blake3::hash(text.as_bytes()).as_bytes(),
            facts,
            grams: grams::build(text.as_bytes()).into(),
            base: 0,
        }
    });
    let entries = entries.collect();
    link::link(entries, repos.iter().map(|name| (*name).to_owned()).collect(), &manifests, 1)
}
