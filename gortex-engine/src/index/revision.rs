//! A view of a commit, made from git's objects without a checkout.
//!
//! The same rules decide what is listed as on disk, read from the commit's own ignore files; rules above the tracked folder and
//! those that are not in the tree (`info/exclude`) are today's. Contents that any view or the store knows are not parsed again.
//!
//! Knows commits and one repository at a time; keeping views is for `engine`.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::build::{Inputs, contents, count, describe, linked, take_each};
use super::classify;
use super::take::{Sources, Taken, blank, take_bytes};
use super::walk::{Rules, Verdict, Walker, by_name, decide, extend_texts, git_dirs, is_rule_file, never_source};
use crate::engine::{IndexError, IndexReport, View};
use crate::graph::{FileEntry, FileStatus};
use crate::link::{Manifest, is_manifest};
use crate::vcs::{GitError, Repo, TreeFile};

/// Bytes that are asked of git at a time.
const BATCH: u64 = 48 << 20;

/// Why there is no view.
pub(crate) enum Failure {
    Git(GitError),
    Index(IndexError),
}

/// The view of a commit. `known` is any view whose facts may serve.
pub(crate) fn build_revision(inputs: &Inputs<'_>, git: &Repo, commit: &str, known: &View) -> Result<View, Failure> {
    let tree = git.files(commit).map_err(Failure::Git)?;
    let inside: Vec<(&str, &TreeFile)> =
        tree.iter().filter_map(|file| Some((git.below(&file.path).filter(|rel| !rel.is_empty())?, file))).collect();
    let mut filter = Filter::new(inputs, git, &inside)?;
    let listed: Vec<(&str, &TreeFile)> = inside.iter().copied().filter(|(rel, _)| filter.lists(rel)).collect();
    let sources =
        Sources { reuse: inputs.reuse, by_hash: contents(known.graph.files.iter()), shelves: None, journal: inputs.journal };
    let shelves = inputs.store.map(|store| store.shelves(Some(inputs.snapshot)));
    let sources = Sources { shelves: shelves.as_ref(), ..sources };
    let mut taken: Vec<Taken> = Vec::with_capacity(listed.len());
    let mut manifests = Vec::new();
    for batch in batches(&listed) {
        let (large, small): (Vec<_>, Vec<_>) = batch.iter().partition(|(_, file)| classify::by_size(file.size).is_some());
        let names: Vec<&str> = small.iter().map(|(_, file)| file.object.as_str()).collect();
        let bytes = git.objects(&names).map_err(Failure::Git)?;
        let tasks: Vec<(&str, Vec<u8>)> = small.iter().map(|(rel, _)| *rel).zip(bytes).collect();
        let one = |(rel, bytes): &(&str, Vec<u8>), alone: bool| take_bytes(rel, 0, bytes, 0, None, &sources, alone);
        let found = take_each(&tasks, inputs, one).map_err(Failure::Index)?;
        for ((rel, bytes), one) in tasks.into_iter().zip(&found) {
            if is_manifest(rel)
                && one.entry.status.is_text()
                && let Ok(text) = String::from_utf8(bytes)
            {
                manifests.push(Manifest { path: rel.to_owned(), text });
            }
        }
        taken.extend(found);
        taken.extend(large.iter().map(|(rel, file)| {
            let entry = FileEntry { size: file.size, ..blank(rel, 0, FileStatus::Oversized, 0) };
            Taken { entry, parsed: false, changed: true, deferred: false }
        }));
    }
    let mut report = IndexReport::default();
    count(&taken, &mut report);
    let files: Vec<FileEntry> = taken.into_iter().map(|one| one.entry).collect();
    describe(&files, &mut report);
    manifests.sort_by(|a, b| a.path.cmp(&b.path));
    let view = linked(inputs, files, manifests, report);
    if let Some(store) = inputs.store {
        store.keep(view.graph.files.iter(), known.graph.files.iter());
    }
    Ok(View { revision: Some(commit.to_owned()), ..view })
}

/// Cuts a list where its bytes exceed a batch.
fn batches<'l, 't>(files: &'l [(&'t str, &'t TreeFile)]) -> Vec<&'l [(&'t str, &'t TreeFile)]> {
    let (mut cuts, mut start, mut bytes) = (Vec::new(), 0, 0);
    for (at, (_, file)) in files.iter().enumerate() {
        if classify::by_size(file.size).is_some() {
            continue;
        }
        if bytes > 0 && bytes + file.size > BATCH {
            cuts.push(&files[start..at]);
            (start, bytes) = (at, 0);
        }
        bytes += file.size;
    }
    cuts.push(&files[start..]);
    cuts
}

type Chain = Option<Arc<Rules>>;

/// The walk's rules over a tree of git.
struct Filter<'t> {
    prefix: String,
    above: Chain,
    exclude: Option<std::path::PathBuf>,
    files: FxHashMap<&'t str, &'t TreeFile>,
    /// Rule files by directory, with their content.
    rules: FxHashMap<String, Vec<(String, Vec<u8>)>>,
    folders: FxHashMap<String, Option<Chain>>,
}

impl<'t> Filter<'t> {
    fn new(inputs: &Inputs<'_>, git: &Repo, tree: &[(&'t str, &'t TreeFile)]) -> Result<Self, Failure> {
        let root = &inputs.repos[0].root;
        let (walker, above) = Walker::at(root, &mut Vec::new()).map_err(|error| Failure::Index(error.into()))?;
        let name = |rel: &str| rel.rsplit('/').next().unwrap_or(rel).to_owned();
        let found: Vec<&(&str, &TreeFile)> = tree.iter().filter(|(rel, _)| is_rule_file(&name(rel))).collect();
        let objects: Vec<&str> = found.iter().map(|(_, file)| file.object.as_str()).collect();
        let texts = if objects.is_empty() { Vec::new() } else { git.objects(&objects).map_err(Failure::Git)? };
        let mut rules: FxHashMap<String, Vec<(String, Vec<u8>)>> = FxHashMap::default();
        for ((rel, _), text) in found.iter().zip(texts) {
            let folder = rel.rsplit_once('/').map_or("", |(folder, _)| folder);
            rules.entry(folder.to_owned()).or_default().push((name(rel), text));
        }
        let exclude = git_dirs(root).map(|(_, common)| common.join("info/exclude"));
        let files = tree.iter().copied().collect();
        Ok(Filter { prefix: walker.prefix, above, exclude, files, rules, folders: FxHashMap::default() })
    }

    fn lists(&mut self, rel: &str) -> bool {
        let folder = rel.rsplit_once('/').map_or("", |(folder, _)| folder);
        match self.folder(folder) {
            Some(rules) => decide(rules.as_ref(), &format!("{}{rel}", self.prefix), false) != Verdict::Ignore,
            None => false,
        }
    }

    /// The rules inside a directory; `None` when a walk does not enter it.
    fn folder(&mut self, rel: &str) -> Option<Chain> {
        if let Some(known) = self.folders.get(rel) {
            return known.clone();
        }
        let found = if rel.is_empty() { Some(self.inside("", self.above.clone())) } else { self.enter(rel) };
        self.folders.insert(rel.to_owned(), found.clone());
        found
    }

    fn enter(&mut self, rel: &str) -> Option<Chain> {
        let (above, name) = rel.rsplit_once('/').unwrap_or(("", rel));
        let rules = self.folder(above)?;
        let verdict = decide(rules.as_ref(), &format!("{}{rel}", self.prefix), true);
        let has = |marker: &str| self.files.contains_key(format!("{rel}/{marker}").as_str());
        let never = || by_name(name).is_some_and(|_| verdict == Verdict::None);
        if verdict == Verdict::Ignore || never() || never_source(rel, std::path::Path::new(rel), has).is_some() {
            return None;
        }
        Some(self.inside(rel, rules))
    }

    fn inside(&self, rel: &str, above: Chain) -> Chain {
        let skip = self.prefix.len() + if rel.is_empty() { 0 } else { rel.len() + 1 };
        let files = self.rules.get(rel).map_or(&[][..], Vec::as_slice);
        let is_repo = rel.is_empty() && self.prefix.is_empty();
        extend_texts(above, skip, files, self.exclude.as_deref().filter(|_| is_repo), is_repo)
    }
}
