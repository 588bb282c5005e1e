//! The engine: tracked roots in, published graph generations out.
//!
//! One writer at a time walks, extracts what is new, links and publishes; readers take the current [`View`] and never wait
//! for it. A view is immutable, so an answer speaks of one state of the tree from its first row to its last.
//!
//! Knows files and generations; tools, sessions and configuration live elsewhere.

mod contents;
mod freshness;
mod revision;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use arc_swap::{ArcSwap, ArcSwapOption};
use parking_lot::{Mutex, MutexGuard};

use crate::edit::{EditError, Editor, FileAuthority, Roots};
use crate::graph::snapshot::{self, SnapshotError};
use crate::graph::{FileEntry, Graph};
use crate::index::build::{self, Built, Inputs, Reuse, Run};
use crate::index::bulk::{self, Bulk};
use crate::index::journal::Journal;
use crate::index::store::Store;
use crate::index::walk::WalkError;
use crate::index::watch::Live;
use crate::link::{LinkState, Manifest};
use crate::query::localize::FileLinks;
use crate::query::loose::LooseIndex;
use crate::scip::{self, Applied, Evidence, Imported, ScipError};
use crate::search::contents::{Contents, Known};
use crate::search::docs::DocIndex;
use crate::search::embed::{EmbeddingProvider, StaticEmbeddings};
use crate::search::semantic::SemanticIndex;
use crate::search::symbols::SymbolIndex;
use crate::search::text::Reader;

pub use self::freshness::Freshness;
pub use self::revision::RevisionError;

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
    /// The commit whose tree this is; `None` for the files on disk.
    pub revision: Option<String>,
    pub(crate) manifests: Vec<Manifest>,
    pub(crate) indexes: Arc<Indexes>,
}

/// What is made of a view by the first reader that asks.
#[derive(Debug, Default)]
pub(crate) struct Indexes {
    symbols: OnceLock<SymbolIndex>,
    loose: OnceLock<LooseIndex>,
    docs: OnceLock<DocIndex>,
    meaning: OnceLock<Option<SemanticIndex>>,
    contents: OnceLock<Contents>,
    links: OnceLock<FileLinks>,
}

impl View {
    fn empty() -> View {
        View {
            graph: Graph::empty(),
            repos: Vec::new(),
            report: IndexReport::default(),
            complete: false,
            revision: None,
            manifests: Vec::new(),
            indexes: Arc::default(),
        }
    }

    /// The build files that linking read.
    pub fn manifests(&self) -> &[Manifest] {
        &self.manifests
    }

    /// Loose ends by name; made by the first reader that asks.
    pub fn loose(&self) -> &LooseIndex {
        self.indexes.loose.get_or_init(|| LooseIndex::build(&self.graph))
    }

    /// Which files use which; made by the first reader that asks.
    pub fn links(&self) -> &FileLinks {
        self.indexes.links.get_or_init(|| FileLinks::build(&self.graph))
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

    /// Nearness of meaning: of the model given to the engine, else learned from this view by the first reader that asks;
    /// `None` when there is too little to learn from.
    pub fn meaning(&self, model: Option<&dyn EmbeddingProvider>) -> Option<&SemanticIndex> {
        if let Some(index) = self.indexes.meaning.get() {
            return index.as_ref();
        }
        let built = match model {
            Some(model) => SemanticIndex::provided(&self.graph, self.symbols(), model),
            None => SemanticIndex::learn(&self.graph, self.symbols()),
        };
        self.indexes.meaning.get_or_init(|| built).as_ref()
    }

    /// Sections of documents; made, from the files on disk, by the first reader that asks.
    pub fn docs(&self) -> &DocIndex {
        if let Some(index) = self.indexes.docs.get() {
            return index;
        }
        let reader = Reader::default();
        let read = |file: &FileEntry| {
            let (repo, rel) = self.split(&file.path)?;
            Some(String::from_utf8_lossy(&reader.read(&repo.root, rel).ok()?).into_owned())
        };
        let built = DocIndex::build(&self.graph, &read);
        self.indexes.docs.get_or_init(|| built)
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
    /// The process that indexes died too often.
    #[error("the process that indexes died again and again; the last time it {how}")]
    Died {
        /// How.
        how: String,
    },
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
    /// How to index for the first time in a process of its own; `None` does it here.
    pub bulk: Option<Bulk>,
}

/// See the module.
pub struct Engine {
    view: ArcSwap<View>,
    writer: Mutex<()>,
    pool: rayon::ThreadPool,
    options: Options,
    editor: Editor,
    checked: Mutex<Option<Checked>>,
    live: ArcSwapOption<Live>,
    /// Why there is no watcher although there was one.
    deaf: Mutex<Option<String>>,
    store: Option<Store>,
    journal: Mutex<Option<Arc<Journal>>>,
    /// Views of commits, the one used last at the end.
    revisions: Mutex<Vec<revision::Kept>>,
    generation: AtomicU64,
    dirty: AtomicBool,
    notices: Mutex<Vec<String>>,
    model_folder: OnceLock<PathBuf>,
    model: OnceLock<Option<Box<dyn EmbeddingProvider>>>,
    /// Imported compiler evidence, once it was looked for.
    evidence: Mutex<Option<Arc<Evidence>>>,
    /// What linking kept of the current view. Only who holds the writer's lock looks at it.
    kept: Mutex<Option<LinkState>>,
    /// Words of the files of the view that was last asked for them.
    words: Mutex<Arc<Known>>,
    /// Who hears of new views.
    listener: OnceLock<Box<dyn Published>>,
}

/// Hears of every new view, with the one before it. Called by the writer, who waits for it: it must be quick.
pub trait Published: Send + Sync {
    /// `after` has taken the place of `before`.
    fn published(&self, before: &Arc<View>, after: &Arc<View>);
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
        let store = options.persist.then(|| Store::new(&options.cache_dir));
        let engine = Engine {
            view: ArcSwap::from_pointee(View::empty()),
            writer: Mutex::new(()),
            pool,
            options,
            editor,
            checked: Mutex::new(None),
            live: ArcSwapOption::empty(),
            deaf: Mutex::new(None),
            store,
            journal: Mutex::new(None),
            revisions: Mutex::new(Vec::new()),
            generation: AtomicU64::new(0),
            dirty: AtomicBool::new(false),
            notices: Mutex::new(Vec::new()),
            model_folder: OnceLock::new(),
            model: OnceLock::new(),
            evidence: Mutex::new(None),
            kept: Mutex::new(None),
            words: Mutex::default(),
            listener: OnceLock::new(),
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

    /// Names the folder of a model for meaning, in place of what is learned; it is read when first needed, and the first one stays.
    pub fn set_model(&self, folder: PathBuf) {
        let _ = self.model_folder.set(folder);
    }

    /// The model for meaning; `None` when none was named, or when it can't be used, which a notice then tells.
    pub fn model(&self) -> Option<&dyn EmbeddingProvider> {
        let model = self.model.get_or_init(|| match StaticEmbeddings::open(self.model_folder.get()?) {
            Ok(model) => Some(Box::new(model)),
            Err(error) => {
                self.notice(format!("{error}; search learns from the repository instead"));
                None
            }
        });
        model.as_deref()
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
        let base = if current.complete { Base::Published(current) } else { self.first_base(repos, progress, cancel)? };
        self.rebuild(&writer, repos, base, Reuse::Unchanged, progress, cancel)
    }

    /// What the first run starts from: a snapshot, left by an earlier process or by a child that makes it now.
    fn first_base(&self, repos: &[RepoInfo], progress: &dyn Progress, cancel: &AtomicBool) -> Result<Base, IndexError> {
        if let Some(view) = self.load(repos) {
            return Ok(Base::Loaded(view));
        }
        let Some(bulk) = self.options.bulk.as_ref().filter(|_| self.options.persist && !repos.is_empty()) else {
            return Ok(Base::None);
        };
        let order = bulk::Order {
            cache_dir: self.options.cache_dir.clone(),
            threads: self.options.threads,
            repos: repos.iter().map(|repo| (repo.name.clone(), repo.root.clone())).collect(),
        };
        let left = bulk::supervise(bulk, &order, progress, cancel)?;
        Ok(left.then(|| self.load(repos)).flatten().map_or(Base::None, Base::Loaded))
    }

    /// Indexes everything again; `Reuse::Nothing` reads and parses every file.
    pub fn index(&self, reuse: Reuse, progress: &dyn Progress, cancel: &AtomicBool) -> Result<Arc<View>, IndexError> {
        let writer = self.writer.lock();
        let current = self.view();
        self.rebuild(&writer, &current.repos, Base::Published(current.clone()), reuse, progress, cancel)
    }

    fn inputs<'a>(
        &'a self,
        repos: &'a [RepoInfo],
        base: Option<&'a View>,
        reuse: Reuse,
        progress: &'a dyn Progress,
        cancel: &'a AtomicBool,
    ) -> Inputs<'a> {
        let generation = self.generation.load(Ordering::Relaxed).max(base.map_or(0, |view| view.graph.generation)) + 1;
        Inputs {
            repos,
            base,
            reuse,
            generation,
            store: self.store.as_ref(),
            snapshot: Path::new(""),
            journal: None,
            kept: None,
            progress,
            cancel,
        }
    }

    /// The journal of this process, opened when something is about to be parsed. Without a place for it there is none.
    fn journal(&self) -> Option<Arc<Journal>> {
        let mut held = self.journal.lock();
        if held.is_none() && self.options.persist {
            let folder = self.options.cache_dir.join("inflight");
            match Journal::open(&folder, self.pool.current_num_threads()) {
                Ok(journal) => *held = Some(Arc::new(journal)),
                Err(error) => tracing::debug!(%error, "no journal of what is parsed"),
            }
        }
        held.clone()
    }

    fn rebuild(
        &self,
        _writer: &MutexGuard<'_, ()>,
        repos: &[RepoInfo],
        base: Base,
        reuse: Reuse,
        progress: &dyn Progress,
        cancel: &AtomicBool,
    ) -> Result<Arc<View>, IndexError> {
        let start = Instant::now();
        let first = matches!(base, Base::None);
        let (snapshot, journal) = (self.snapshot_path(repos), self.journal());
        let inputs = self.inputs(repos, base.view(), reuse, progress, cancel);
        let inputs = Inputs { kept: Some(&self.kept), snapshot: &snapshot, journal: journal.as_deref(), ..inputs };
        let Run { built, folders } = self.pool.install(|| build::build(&inputs))?;
        if let Some(live) = self.live.load_full() {
            let roots: Vec<PathBuf> = repos.iter().map(|repo| repo.root.clone()).collect();
            if live.cover(&roots, &folders).is_err() {
                self.give_up(&live);
            }
        }
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
            Built::New(mut view) | Built::Touched(mut view) => {
                self.dirty.store(true, Ordering::Relaxed);
                let evidence = self.evidence(repos);
                if !evidence.is_empty() {
                    let applied = self.pool.install(|| scip::apply(&mut view.graph, &evidence));
                    tracing::debug!(?applied, "compiler evidence was applied");
                    // What linking kept speaks of the rows before that.
                    *self.kept.lock() = None;
                }
                Arc::new(*view)
            }
        };
        self.publish(Arc::clone(&view));
        if first || reuse == Reuse::Nothing {
            progress.report(Phase::Save, 0, 0);
            self.flush();
        }
        self.note_check(start);
        Ok(view)
    }

    fn publish(&self, view: Arc<View>) {
        self.generation.store(view.graph.generation, Ordering::Relaxed);
        let before = self.view.swap(Arc::clone(&view));
        if let Some(listener) = self.listener.get() {
            listener.published(&before, &view);
        }
    }

    /// Tells `listener` of every view from now on; there is one listener, the first.
    pub fn listen(&self, listener: impl Published + 'static) {
        let _ = self.listener.set(Box::new(listener));
    }

    fn note_check(&self, start: Instant) {
        *self.checked.lock() = Some(Checked { at: Instant::now(), took: start.elapsed() });
    }

    // ----- compiler evidence

    /// Imports SCIP indexes of the tracked repository `repo`. What they say of files as they are is kept beside the snapshot and
    /// applied to this and every later generation; what they say of other content is counted and left out.
    pub fn import_scip(&self, repo: &RepoInfo, indexes: &[PathBuf]) -> Result<(Imported, Applied), ScipError> {
        let _writer = self.writer.lock();
        let current = self.view();
        let number = current.repos.iter().position(|known| known == repo);
        let mut total = Imported::default();
        let mut evidence = Evidence::clone(&self.evidence(&current.repos));
        for path in indexes {
            let shown = |rel: &str| number.map_or_else(|| rel.to_owned(), |number| current.shown(number, rel));
            let (found, imported) = scip::read(path, &repo.root, shown)?;
            total.add(&imported);
            evidence.merge(found);
        }
        let mut graph = current.graph.clone();
        graph.generation = self.generation.fetch_add(1, Ordering::Relaxed) + 1;
        let applied = self.pool.install(|| scip::apply(&mut graph, &evidence));
        self.keep_evidence(&current.repos, &evidence);
        *self.evidence.lock() = Some(Arc::new(evidence));
        let view = View {
            graph,
            repos: current.repos.clone(),
            report: current.report.clone(),
            complete: current.complete,
            revision: None,
            manifests: current.manifests.clone(),
            indexes: Arc::default(),
        };
        *self.kept.lock() = None;
        self.dirty.store(true, Ordering::Relaxed);
        self.view.store(Arc::new(view));
        Ok((total, applied))
    }

    fn evidence_path(&self, repos: &[RepoInfo]) -> PathBuf {
        self.snapshot_path(repos).with_file_name("evidence.json")
    }

    /// The evidence kept for these repositories; none where the file is missing or damaged, which costs a new import.
    fn evidence(&self, repos: &[RepoInfo]) -> Arc<Evidence> {
        let mut known = self.evidence.lock();
        if let Some(evidence) = &*known {
            return Arc::clone(evidence);
        }
        let read = || serde_json::from_slice(&std::fs::read(self.evidence_path(repos)).ok()?).ok();
        let found = Arc::new(if self.options.persist { read().unwrap_or_default() } else { Evidence::default() });
        *known = Some(Arc::clone(&found));
        found
    }

    fn keep_evidence(&self, repos: &[RepoInfo], evidence: &Evidence) {
        if !self.options.persist {
            return;
        }
        let path = self.evidence_path(repos);
        let written = serde_json::to_vec(evidence).map_err(std::io::Error::other).and_then(|bytes| {
            let folder = path.parent().unwrap_or(&self.options.cache_dir);
            std::fs::create_dir_all(folder)?;
            let mut file = tempfile::NamedTempFile::new_in(folder)?;
            std::io::Write::write_all(&mut file, &bytes)?;
            file.persist(&path).map(|_| ()).map_err(|error| error.error)
        });
        if let Err(error) = written {
            tracing::warn!(%error, "the imported evidence was not kept; it holds until this process ends");
        }
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
                        revision: None,
                        manifests,
                        indexes: Arc::default(),
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
    cache_dir.join(&hasher.finalize().to_hex()[..24]).join(snapshot::FILE)
}
