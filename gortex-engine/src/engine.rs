//! The engine: tracked roots in, published graph generations out.
//!
//! One writer at a time walks, extracts what is new, links and publishes; readers take the current [`View`] and never wait
//! for it. A view is immutable, so an answer speaks of one state of the tree from its first row to its last.
//!
//! Knows files and generations; tools, sessions and configuration live elsewhere.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use parking_lot::Mutex;

use crate::edit::{EditError, Editor, FileAuthority, Roots};
use crate::graph::Graph;
use crate::graph::snapshot::{self, SnapshotError};
use crate::index::build::{self, Built, Reuse};
use crate::index::walk::WalkError;
use crate::link::{LinkState, Manifest};
use crate::query::loose::LooseIndex;
use crate::search::symbols::SymbolIndex;

/// A tracked repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepoInfo {
    /// Its prefix, unique among the tracked ones.
    pub name: String,
    /// Its folder, canonical.
    pub root: PathBuf,
}

/// What an indexing run found, besides the graph.
#[derive(Clone, Debug, Default, serde::Serialize)]
pub struct IndexReport {
    /// Files that the walk listed.
    pub detected: usize,
    /// Files parsed in this run.
    pub parsed: usize,
    /// Files taken over without reading or parsing.
    pub reused: usize,
    /// Files that vanished since the generation before.
    pub removed: usize,
    /// Files with places the grammar could not make sense of: path, first line, number of places.
    pub partial: Vec<(String, u32, u32)>,
    /// Files listed but without facts, with the reason.
    pub without_facts: Vec<(String, &'static str)>,
    /// Entries that were not followed or not listed, with the reason (links, odd names, unreadable folders).
    pub skipped: Vec<(String, &'static str)>,
    /// Folders left out as never being source, with the reason.
    pub excluded: Vec<(String, &'static str)>,
    /// Entries hidden by ignore rules.
    pub ignored: u64,
    /// Trouble of single entries, in the system's words.
    pub problems: Vec<String>,
}

/// One published state: the graph and what it was made from.
#[derive(Debug)]
pub struct View {
    /// The graph.
    pub graph: Graph,
    /// The tracked repositories, by the graph's repository number.
    pub repos: Vec<RepoInfo>,
    /// What the run found.
    pub report: IndexReport,
    /// False until the first run over the current repositories has ended.
    pub complete: bool,
    pub(crate) manifests: Vec<Manifest>,
    pub(crate) indexes: Indexes,
}

/// What is made of a view by the first reader that asks.
#[derive(Debug, Default)]
pub(crate) struct Indexes {
    symbols: OnceLock<SymbolIndex>,
    loose: OnceLock<LooseIndex>,
}

impl View {
    fn empty() -> View {
        View {
            graph: Graph::empty(),
            repos: Vec::new(),
            report: IndexReport::default(),
            complete: false,
            manifests: Vec::new(),
            indexes: Indexes::default(),
        }
    }

    /// Loose ends by name; made by the first reader that asks.
    pub fn loose(&self) -> &LooseIndex {
        self.indexes.loose.get_or_init(|| LooseIndex::build(&self.graph))
    }

    /// The symbol index of this view's graph. Two first searches at once may both build it; one result is kept.
    pub fn symbols(&self) -> &SymbolIndex {
        if let Some(index) = self.indexes.symbols.get() {
            return index;
        }
        // Built outside the cell: a thread of a pool that waits for the cell could be the one that has to build.
        let built = SymbolIndex::build(&self.graph);
        self.indexes.symbols.get_or_init(|| built)
    }

    /// The absolute path of a path as answers give it.
    pub fn absolute(&self, path: &str) -> Option<PathBuf> {
        let (repo, rel) = self.split(path)?;
        Some(repo.root.join(rel))
    }

    /// The repository and the path inside it of a path as answers give it.
    pub fn split<'p>(&self, path: &'p str) -> Option<(&RepoInfo, &'p str)> {
        match self.repos.as_slice() {
            [] => None,
            [one] => Some((one, path)),
            many => {
                let (prefix, rest) = path.split_once('/')?;
                many.iter().find(|repo| repo.name == prefix).map(|repo| (repo, rest))
            }
        }
    }

    /// A path as answers give it, from a repository's number and the path inside it.
    pub fn shown(&self, repo: usize, rel: &str) -> String {
        if self.repos.len() > 1 { format!("{}/{rel}", self.repos[repo].name) } else { rel.to_owned() }
    }
}

/// Why indexing did not end well. The view before stays published.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// A root could not be walked.
    #[error(transparent)]
    Walk(#[from] WalkError),
    /// The caller asked to stop.
    #[error("indexing was cancelled")]
    Cancelled,
}

/// Where indexing is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Listing files.
    Walk,
    /// Reading and parsing.
    Parse,
    /// Binding names.
    Link,
    /// Writing the snapshot.
    Save,
}

impl Phase {
    /// The word shown to people.
    pub fn as_str(self) -> &'static str {
        match self {
            Phase::Walk => "walking",
            Phase::Parse => "parsing",
            Phase::Link => "linking",
            Phase::Save => "saving",
        }
    }
}

/// Hears how far indexing is. Called from several threads.
pub trait Progress: Sync {
    /// `done` of `total` units of the phase are ready; a total of 0 is unknown.
    fn report(&self, phase: Phase, done: u64, total: u64);
}

/// Hears nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn report(&self, _: Phase, _: u64, _: u64) {}
}

/// Where the engine keeps what it may lose and what it may not, and how much of the machine it uses.
#[derive(Clone, Debug)]
pub struct Options {
    /// Rebuildable data: snapshots. Deleting it is always safe.
    pub cache_dir: PathBuf,
    /// Journals of edits under way and receipts.
    pub state_dir: PathBuf,
    /// Threads for walking, parsing and linking; 0 is one per core.
    pub threads: usize,
    /// Whether snapshots are read and written.
    pub persist: bool,
}

/// See the module.
pub struct Engine {
    view: ArcSwap<View>,
    writer: Mutex<()>,
    pool: rayon::ThreadPool,
    options: Options,
    editor: Editor,
    checked: Mutex<Option<Checked>>,
    generation: AtomicU64,
    dirty: AtomicBool,
    notices: Mutex<Vec<String>>,
    /// What linking kept of the current view. Only who holds the writer's lock looks at it.
    kept: Mutex<Option<LinkState>>,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("options", &self.options).field("generation", &self.generation).finish_non_exhaustive()
    }
}

/// What a run starts from.
#[derive(Debug)]
enum Base {
    Published(Arc<View>),
    Loaded(Box<View>),
    None,
}

impl Base {
    fn view(&self) -> Option<&View> {
        match self {
            Base::Published(view) => Some(view),
            Base::Loaded(view) => Some(view),
            Base::None => None,
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Checked {
    at: Instant,
    took: Duration,
}

/// A freshness check may take this share of the time: after one that took 5 ms the next is at least 50 ms later.
const CHECK_SHARE: u32 = 10;
/// Parser and walker recurse with the source; the stack is reserved, not used, on ordinary files.
const STACK_BYTES: usize = 64 << 20;

impl Engine {
    /// Opens an engine without repositories. The authority is what every write of files needs; there is one per engine.
    pub fn open(options: Options) -> std::io::Result<(Engine, FileAuthority)> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(options.threads)
            .stack_size(STACK_BYTES)
            .thread_name(|at| format!("engine-{at}"))
            .build()
            .map_err(std::io::Error::other)?;
        let editor = Editor::new(options.state_dir.clone());
        let authority = editor.authority().ok_or_else(|| std::io::Error::other("the edit authority was taken already"))?;
        let engine = Engine {
            view: ArcSwap::from_pointee(View::empty()),
            writer: Mutex::new(()),
            pool,
            options,
            editor,
            checked: Mutex::new(None),
            generation: AtomicU64::new(0),
            dirty: AtomicBool::new(false),
            notices: Mutex::new(Vec::new()),
            kept: Mutex::new(None),
        };
        let recovered = engine.editor.recover(&authority);
        for one in recovered {
            engine.notice(format!("recovered an interrupted edit: {one:?}"));
        }
        Ok((engine, authority))
    }

    /// The current view.
    pub fn view(&self) -> Arc<View> {
        self.view.load_full()
    }

    /// The editor over this engine's state folder.
    pub fn editor(&self) -> &Editor {
        &self.editor
    }

    /// The tracked roots for path confinement.
    pub fn roots(&self) -> Result<Roots, EditError> {
        Roots::new(self.view().repos.iter().map(|repo| (repo.name.clone(), repo.root.clone())))
    }

    /// Runs work on the engine's threads.
    pub fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        self.pool.install(work)
    }

    /// Messages for the person at the terminal: set-aside snapshots, recovered edits. Taken once.
    pub fn take_notices(&self) -> Vec<String> {
        std::mem::take(&mut *self.notices.lock())
    }

    fn notice(&self, text: String) {
        self.notices.lock().push(text);
    }

    /// Announces the repositories before they are indexed, so that paths can be confined from the first call on.
    pub fn announce(&self, repos: &[RepoInfo]) {
        let _writer = self.writer.lock();
        if self.view.load().repos != repos {
            let mut view = View::empty();
            view.repos = repos.to_vec();
            view.graph.repos = repos.iter().map(|repo| repo.name.clone()).collect();
            self.view.store(Arc::new(view));
        }
    }

    /// Makes `repos` the tracked repositories: from the snapshot where there is one, then what changed since.
    pub fn track(&self, repos: &[RepoInfo], progress: &dyn Progress, cancel: &AtomicBool) -> Result<Arc<View>, IndexError> {
        let writer = self.writer.lock();
        let current = self.view();
        let base = if current.complete { Base::Published(current) } else { self.load(repos).map_or(Base::None, Base::Loaded) };
        self.rebuild(&writer, repos, base, Reuse::Unchanged, progress, cancel)
    }

    /// Indexes everything again; `Reuse::Nothing` reads and parses every file.
    pub fn index(&self, reuse: Reuse, progress: &dyn Progress, cancel: &AtomicBool) -> Result<Arc<View>, IndexError> {
        let writer = self.writer.lock();
        let current = self.view();
        self.rebuild(&writer, &current.repos, Base::Published(current.clone()), reuse, progress, cancel)
    }

    /// The current view after a look at the disk. Looks are spaced so that they take at most a tenth of the time, unless
    /// `now` is set; a look that finds nothing new publishes nothing.
    pub fn fresh(&self, now: bool) -> Arc<View> {
        let current = self.view();
        if !current.complete {
            return current;
        }
        if !now && self.checked.lock().is_some_and(|last| last.at.elapsed() < last.took * CHECK_SHARE) {
            return current;
        }
        // Whoever indexes already will publish; a reader does not queue behind it.
        let writer = if now { Some(self.writer.lock()) } else { self.writer.try_lock() };
        let Some(writer) = writer else { return current };
        let current = self.view();
        let base = Base::Published(current.clone());
        match self.rebuild(&writer, &current.repos, base, Reuse::Unchanged, &Silent, &AtomicBool::new(false)) {
            Ok(view) => view,
            Err(error) => {
                tracing::warn!(%error, "the look for changed files failed");
                current
            }
        }
    }

    fn rebuild(
        &self,
        _writer: &parking_lot::MutexGuard<'_, ()>,
        repos: &[RepoInfo],
        base: Base,
        reuse: Reuse,
        progress: &dyn Progress,
        cancel: &AtomicBool,
    ) -> Result<Arc<View>, IndexError> {
        let start = Instant::now();
        let first = matches!(base, Base::None);
        let before = base.view();
        let generation = self.generation.load(Ordering::Relaxed).max(before.map_or(0, |view| view.graph.generation)) + 1;
        let built = {
            let mut kept = self.kept.lock();
            let linked = &mut *kept;
            self.pool.install(move || build::build(repos, before, reuse, generation, linked, progress, cancel))?
        };
        let view = match built {
            Built::Unchanged(report) => match base {
                // A loaded snapshot is published as it is when nothing changed.
                Base::Loaded(mut view) => {
                    view.report = report;
                    view.complete = true;
                    Arc::new(*view)
                }
                Base::Published(view) => {
                    self.note_check(start);
                    return Ok(view);
                }
                Base::None => return Ok(self.view()),
            },
            Built::New(view) => {
                self.dirty.store(true, Ordering::Relaxed);
                Arc::new(*view)
            }
        };
        self.generation.store(view.graph.generation, Ordering::Relaxed);
        self.view.store(view.clone());
        if first || reuse == Reuse::Nothing {
            progress.report(Phase::Save, 0, 0);
            self.flush();
        }
        self.note_check(start);
        Ok(view)
    }

    fn note_check(&self, start: Instant) {
        *self.checked.lock() = Some(Checked { at: Instant::now(), took: start.elapsed() });
    }

    // ----- snapshots

    fn snapshot_path(&self, repos: &[RepoInfo]) -> PathBuf {
        snapshot_path(&self.options.cache_dir, repos)
    }

    fn load(&self, repos: &[RepoInfo]) -> Option<Box<View>> {
        if !self.options.persist {
            return None;
        }
        let path = self.snapshot_path(repos);
        match snapshot::open(&path) {
            Ok((graph, meta)) => {
                let same =
                    meta.repos.iter().map(|(name, root)| (name, root)).eq(repos.iter().map(|repo| (&repo.name, &repo.root)));
                same.then(|| {
                    let manifests = meta.manifests.into_iter().map(|(path, text)| Manifest { path, text }).collect();
                    Box::new(View {
                        graph,
                        repos: repos.to_vec(),
                        report: IndexReport::default(),
                        complete: false,
                        manifests,
                        indexes: Indexes::default(),
                    })
                })
            }
            Err(SnapshotError::Missing(_)) => None,
            Err(error) => {
                let aside = snapshot::set_aside(&path);
                let place = aside.map_or_else(String::new, |aside| format!("; it was set aside as `{}`", aside.display()));
                self.notice(format!("{error}{place}; indexing again"));
                None
            }
        }
    }

    /// Writes the snapshot when the graph is newer than the one on disk. A failure costs the next start time, nothing else.
    pub fn flush(&self) {
        let view = self.view();
        if !self.options.persist || !view.complete || !self.dirty.swap(false, Ordering::Relaxed) {
            return;
        }
        let repos: Vec<(String, PathBuf)> = view.repos.iter().map(|repo| (repo.name.clone(), repo.root.clone())).collect();
        if let Err(error) = snapshot::save(&self.snapshot_path(&view.repos), &view.graph, &repos, &view.manifests) {
            tracing::warn!(%error, "the snapshot was not written");
        }
    }

    /// Size of the snapshot on disk, in bytes.
    pub fn snapshot_bytes(&self) -> Option<u64> {
        std::fs::metadata(self.snapshot_path(&self.view().repos)).ok().map(|meta| meta.len())
    }

    /// Removes the snapshot of the current repositories.
    pub fn forget_snapshot(&self) {
        let _ = std::fs::remove_file(self.snapshot_path(&self.view().repos));
    }
}

/// Where the snapshot of these repositories lies: one folder per set of roots.
pub fn snapshot_path(cache_dir: &Path, repos: &[RepoInfo]) -> PathBuf {
    let mut hasher = blake3::Hasher::new();
    for repo in repos {
        hasher.update(repo.name.as_bytes());
        hasher.update(&[0]);
        hasher.update(repo.root.as_os_str().as_encoded_bytes());
        hasher.update(&[0]);
    }
    cache_dir.join(&hasher.finalize().to_hex()[..24]).join("graph.snapshot")
}
