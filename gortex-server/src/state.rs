//! The state of one process, and the only doors handlers have to it.
//!
//! [`Graph`] is what reads get: a view that does not change while the call runs. [`FileWriter`] and [`ControlWriter`] are
//! capabilities: they exist only where an operation's effect grants them, which the compiler checks, and nothing else hands
//! out the engine's authority.
//!
//! Knows the engine and the framework's extractors; no tool and no transport.

use std::ops::Deref;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use gortex_core::{Call, CallError, Code, Effect, FromCall, Recoverable};
use gortex_engine::edit::FileAuthority;
use gortex_engine::engine::{Engine, IndexError, Options, Progress, RepoInfo, View};
use gortex_engine::index::build::Reuse;
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::watch;

use crate::landed::Landed;
use crate::session::{Agents, Events, Sessions, Telling, ViewListener};
use crate::telemetry::Telemetry;
use crate::transport::queue::Queue;

/// How long a call waits for the first index before it says that it is not ready.
const FIRST_INDEX_WAIT: Duration = Duration::from_secs(50);

/// How long after the first index the tables of localization are made without being asked for.
const WARM_AFTER: Duration = Duration::from_secs(2);

/// What a call is told when there is nothing to ask.
const NOTHING_TRACKED: &str =
    "nothing is indexed: no repository is tracked; call workspace_admin(operation=\"track\") with an absolute path";

/// Makes what the first task would have to wait for. The first questions of a session are usually others, and reading every file
/// beside them would make them wait instead.
async fn warm_up(server: Weak<Server>) {
    tokio::time::sleep(WARM_AFTER).await;
    let Some(server) = server.upgrade() else { return };
    let work = move || {
        let view = server.engine.view();
        view.symbols();
        view.links();
        server.engine.contents(&view);
    };
    if let Err(error) = tokio::task::spawn_blocking(work).await {
        tracing::warn!(%error, "nothing was made ready for the first task");
    }
}

/// Where the first index is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// No repository is tracked.
    Inactive {
        /// Why, and how to activate the server here.
        reason: String,
    },
    /// Under way.
    Indexing,
    /// The view is complete.
    Ready,
    /// It failed; what there is may be served, and this is why there is no more.
    Failed {
        /// Why.
        reason: String,
    },
}

impl Readiness {
    /// The word of answers.
    pub fn as_str(&self) -> &'static str {
        match self {
            Readiness::Inactive { .. } => "inactive",
            Readiness::Indexing => "indexing",
            Readiness::Ready => "ready",
            Readiness::Failed { .. } => "failed",
        }
    }

    /// Why it is neither ready nor on the way.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Readiness::Inactive { reason } | Readiness::Failed { reason } => Some(reason),
            Readiness::Indexing | Readiness::Ready => None,
        }
    }
}

/// One process: the engine, its authority and how far it is.
pub struct Server {
    engine: Engine,
    authority: FileAuthority,
    readiness: watch::Sender<Readiness>,
    cancel: AtomicBool,
    control: Mutex<()>,
    patience: Mutex<Duration>,
    home: Option<PathBuf>,
    sessions: Sessions,
    events: Arc<Events>,
    agents: Agents,
    telemetry: OnceLock<Telemetry>,
    queue: Queue,
    /// Where the list of tracked repositories is kept.
    pub config_dir: PathBuf,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("engine", &self.engine).finish_non_exhaustive()
    }
}

impl Server {
    /// Opens a server without repositories.
    pub fn open(options: Options, config_dir: PathBuf) -> std::io::Result<Arc<Server>> {
        Server::open_for(options, config_dir, None)
    }

    /// Opens a server without repositories for a user with this home folder, which is never tracked as a whole.
    pub fn open_for(options: Options, config_dir: PathBuf, home: Option<PathBuf>) -> std::io::Result<Arc<Server>> {
        let (engine, authority) = Engine::open(options)?;
        let (readiness, _) = watch::channel(Readiness::Inactive { reason: NOTHING_TRACKED.to_owned() });
        let home = home.map(|home| home.canonicalize().unwrap_or(home));
        let sessions = Sessions::default();
        let events = Arc::new(Events::new(sessions.clone()));
        engine.listen(ViewListener::new(Arc::clone(&events)));
        Ok(Arc::new(Server {
            engine,
            authority,
            readiness,
            cancel: AtomicBool::new(false),
            control: Mutex::new(()),
            patience: Mutex::new(FIRST_INDEX_WAIT),
            home,
            sessions,
            events,
            agents: Agents::default(),
            telemetry: OnceLock::new(),
            queue: Queue::new(places()),
            config_dir,
        }))
    }

    /// How long calls wait for the first index; a command line has no reason to give up.
    pub fn set_patience(&self, patience: Duration) {
        *self.patience.lock() = patience;
    }

    /// The user's home folder, canonical.
    pub fn home(&self) -> Option<&std::path::Path> {
        self.home.as_deref()
    }

    /// What sessions can listen to.
    pub fn events(&self) -> &Arc<Events> {
        &self.events
    }

    /// The agents of all sessions.
    pub fn agents(&self) -> &Agents {
        &self.agents
    }

    /// Counts with this recorder from now on; the first one stays.
    pub fn set_telemetry(&self, telemetry: Telemetry) {
        if self.telemetry.set(telemetry).is_err() {
            tracing::debug!("the recorder of counts was set before");
        }
    }

    /// The recorder of counts; one that never records where none was set.
    pub fn telemetry(&self) -> &Telemetry {
        self.telemetry.get_or_init(Telemetry::default)
    }

    /// The open sessions.
    pub fn sessions(&self) -> &Sessions {
        &self.sessions
    }

    /// Where calls of all connections stand in line.
    pub fn queue(&self) -> &Queue {
        &self.queue
    }

    /// The engine, for reading.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Waits until the first index is there or is known not to come.
    pub async fn settled(&self) {
        let mut watch = self.readiness.subscribe();
        // The sender lives as long as the server.
        let _ = watch.wait_for(|state| *state != Readiness::Indexing).await;
    }

    /// Says why nothing is tracked.
    pub fn set_inactive(&self, reason: String) {
        self.readiness.send_replace(Readiness::Inactive { reason });
    }

    /// Where the first index is.
    pub fn readiness(&self) -> Readiness {
        self.readiness.borrow().clone()
    }

    /// Starts tracking and indexing in the background; calls that need the graph wait for it.
    pub fn start(
        self: &Arc<Self>,
        repos: Vec<RepoInfo>,
        progress: Arc<dyn Progress + Send + Sync>,
    ) -> tokio::task::JoinHandle<()> {
        self.announce(&repos);
        let server = Arc::clone(self);
        tokio::task::spawn_blocking(move || {
            match server.start_now(&repos, &*progress) {
                Ok(_) => {}
                // Shutting down is no fault.
                Err(error @ IndexError::Cancelled) => tracing::debug!(%error, "the first index was not finished"),
                Err(error) => tracing::error!(%error, "the first index could not be built"),
            }
        })
    }

    /// Tracks and indexes now, in this thread.
    pub fn start_now(&self, repos: &[RepoInfo], progress: &dyn Progress) -> Result<Arc<View>, IndexError> {
        self.announce(repos);
        let progress = Telling::new(&self.events, progress);
        self.settle(self.engine.track(repos, &progress, &self.cancel))
    }

    /// Takes in what changed, or reads everything again, now, in this thread.
    fn index_now(&self, reuse: Reuse, progress: &dyn Progress) -> Result<Arc<View>, IndexError> {
        let progress = Telling::new(&self.events, progress);
        self.settle(self.engine.index(reuse, &progress, &self.cancel))
    }

    /// Confines paths to the repositories and makes calls wait, unless there is a complete view to serve meanwhile.
    fn announce(&self, repos: &[RepoInfo]) {
        let view = self.engine.view();
        if !repos.is_empty() && (!view.complete || view.repos.is_empty()) {
            self.engine.announce(repos);
            self.readiness.send_replace(Readiness::Indexing);
        }
    }

    /// Says how a run ended. The view before a failed run is still served.
    fn settle(&self, outcome: Result<Arc<View>, IndexError>) -> Result<Arc<View>, IndexError> {
        let view = self.engine.view();
        self.readiness.send_replace(match &outcome {
            Ok(view) if view.repos.is_empty() => Readiness::Inactive { reason: NOTHING_TRACKED.to_owned() },
            Ok(_) => Readiness::Ready,
            Err(_) if view.complete && !view.repos.is_empty() => Readiness::Ready,
            Err(error) => Readiness::Failed { reason: error.to_string() },
        });
        match self.readiness() {
            Readiness::Ready if !self.events.is_ready() => {
                self.events.readiness("ready", serde_json::json!({"generation": view.graph.generation}));
            }
            Readiness::Failed { reason } => self.events.readiness("degraded", serde_json::json!({"reason": reason})),
            _ => {}
        }
        outcome
    }

    /// Follows the tree by the system's events, once the first index is there; for a server that lives on. Must be called on
    /// the runtime.
    pub fn follow(self: &Arc<Self>) {
        let server = Arc::clone(self);
        tokio::spawn(async move {
            let mut watch = server.readiness.subscribe();
            if watch.wait_for(|state| *state == Readiness::Ready).await.is_err() {
                return;
            }
            tokio::spawn(warm_up(Arc::downgrade(&server)));
            let tend = move || match server.engine.watch() {
                Ok(live) => {
                    server.events.readiness("watcher_started", serde_json::json!({}));
                    while server.engine.tend(&live, &live.wait()) {}
                }
                Err(error) => {
                    tracing::warn!(%error, "changed files are looked for at every call");
                    server.events.readiness("degraded", serde_json::json!({"watch_degraded": error.to_string()}));
                }
            };
            if let Err(error) = std::thread::Builder::new().name("live".to_owned()).spawn(tend) {
                tracing::warn!(%error, "nobody follows the tree; changed files are looked for at every call");
            }
        });
    }

    /// Stops indexing at the next file and writes the snapshot if it is out of date.
    pub fn shut_down(&self) {
        self.cancel.store(true, Ordering::Relaxed);
        self.engine.stop_watching();
        self.engine.flush();
        self.telemetry().flush();
    }

    /// The view after the first index, looked at for changes on disk.
    async fn view(self: &Arc<Self>) -> Result<Arc<View>, CallError> {
        let mut watch = self.readiness.subscribe();
        let settled = watch.wait_for(|state| *state != Readiness::Indexing);
        let patience = *self.patience.lock();
        let state = match tokio::time::timeout(patience, settled).await {
            Ok(Ok(state)) => state.clone(),
            Ok(Err(_)) => return Err(CallError::internal("the index task ended without a word")),
            Err(_) => Readiness::Indexing,
        };
        match state {
            Readiness::Ready => self.blocking(|server| server.engine.fresh(false)).await,
            Readiness::Failed { reason } => {
                Err(CallError::new(Code::InternalError, format!("the index could not be built: {reason}"))
                    .hint("mend the cause and call workspace_admin(operation=\"index\")"))
            }
            Readiness::Indexing => Err(Recoverable::new(
                "index_not_ready",
                "the first index is still being built; no answer is given from a part of it",
            )
            .suggest("workspace")
            .data("waited_seconds", patience.as_secs())
            .into()),
            Readiness::Inactive { reason } => Err(Recoverable::new("repo_not_tracked", reason)
                .suggest("workspace_admin")
                .with("track_command", "workspace_admin(operation=\"track\", arguments={\"path\": \"<absolute path>\"})")
                .into()),
        }
    }

    /// Runs work that computes or waits for the disk away from the threads that serve messages.
    pub async fn blocking<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Server) -> T + Send + 'static,
    ) -> Result<T, CallError> {
        let server = Arc::clone(self);
        let joined = tokio::task::spawn_blocking(move || work(&server)).await;
        joined.map_err(|error| match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(error) => CallError::internal(error.to_string()),
        })
    }
}

/// The account of what the call changes; one that nobody reads where the transport keeps none.
fn landed_of(call: &Call) -> Landed {
    call.get::<Landed>().map(|landed| (*landed).clone()).unwrap_or_default()
}

/// How many calls run at once: enough to keep all cores busy while some wait for the disk.
fn places() -> usize {
    std::thread::available_parallelism().map_or(2, usize::from).saturating_mul(4).max(16)
}

fn server_of(call: &Call) -> Result<Arc<Server>, CallError> {
    call.get::<Server>().ok_or_else(|| CallError::internal("the host gave this call no server"))
}

/// The current view for a reading handler.
#[derive(Clone, Debug)]
pub struct Graph {
    view: Arc<View>,
    server: Arc<Server>,
}

impl Graph {
    /// The view.
    pub fn view(&self) -> &Arc<View> {
        &self.view
    }

    /// The engine's threads, roots and files.
    pub fn engine(&self) -> &Engine {
        &self.server.engine
    }

    /// Runs a computation over the view away from the threads that serve messages.
    pub async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Graph) -> Result<T, CallError> + Send + 'static,
    ) -> Result<T, CallError> {
        let graph = self.clone();
        self.server.blocking(move |_| work(&graph)).await?
    }
}

impl Deref for Graph {
    type Target = gortex_engine::graph::Graph;

    fn deref(&self) -> &Self::Target {
        &self.view.graph
    }
}

impl FromCall for Graph {
    async fn from_call(call: &Call) -> Result<Self, CallError> {
        let server = server_of(call)?;
        let view = server.view().await?;
        Ok(Graph { view, server })
    }
}

/// The process without a view: for handlers that speak of the index itself and must not wait for it.
#[derive(Clone, Debug)]
pub struct Host(pub Arc<Server>);

impl Deref for Host {
    type Target = Arc<Server>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl FromCall for Host {
    async fn from_call(call: &Call) -> Result<Self, CallError> {
        server_of(call).map(Host)
    }
}

/// The right to change files inside the tracked roots.
#[derive(Debug)]
pub struct FileWriter {
    server: Arc<Server>,
    /// Where it is told what is on disk.
    landed: Landed,
    /// Set once nobody waits for the answer any more.
    cancelled: Arc<AtomicBool>,
}

/// Says that nobody waits any more when the future that holds it is dropped.
struct Waiting(Arc<AtomicBool>);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl FromCall for FileWriter {
    const NEEDS: Option<Effect> = Some(Effect::LocalWrite);

    async fn from_call(call: &Call) -> Result<Self, CallError> {
        server_of(call).map(|server| FileWriter::of(server, landed_of(call)))
    }
}

impl FileWriter {
    fn of(server: Arc<Server>, landed: Landed) -> FileWriter {
        FileWriter { server, landed, cancelled: Arc::default() }
    }

    /// Whether the caller has given up: asked by the engine until the first byte is written.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// The engine.
    pub fn engine(&self) -> &Engine {
        &self.server.engine
    }

    /// What the engine's writing functions ask for.
    pub fn authority(&self) -> &FileAuthority {
        &self.server.authority
    }

    /// Says that these files have just been written, should nobody wait for the answer that will say it.
    pub fn landed(&self, paths: impl IntoIterator<Item = String>) {
        self.landed.add(paths);
    }

    /// The view after what was just written has been taken in.
    pub fn reindex(&self) -> Arc<View> {
        self.server.engine.fresh(true)
    }

    /// Runs an edit away from the threads that serve messages. A call that is dropped before it ends cancels its edit.
    pub async fn blocking<T: Send + 'static>(
        self,
        work: impl FnOnce(&FileWriter) -> Result<T, CallError> + Send + 'static,
    ) -> Result<T, CallError> {
        let server = Arc::clone(&self.server);
        let _waiting = Waiting(Arc::clone(&self.cancelled));
        let working = self.landed.begin();
        let work = move |_: &Server| {
            let outcome = work(&self);
            drop(working);
            outcome
        };
        server.blocking(work).await?
    }
}

/// The right to change what is tracked and how it is indexed.
#[derive(Debug)]
pub struct ControlWriter {
    server: Arc<Server>,
    landed: Landed,
}

impl FromCall for ControlWriter {
    const NEEDS: Option<Effect> = Some(Effect::ControlWrite);

    async fn from_call(call: &Call) -> Result<Self, CallError> {
        server_of(call).map(|server| ControlWriter { server, landed: landed_of(call) })
    }
}

impl ControlWriter {
    /// The server whose repositories may be changed.
    pub fn server(&self) -> &Arc<Server> {
        &self.server
    }

    /// Keeps other changes of the tracked repositories out while it is held.
    pub fn exclusive(&self) -> MutexGuard<'_, ()> {
        self.server.control.lock()
    }

    /// Tracks these repositories from now on. Blocks.
    pub fn set_repos(&self, repos: &[RepoInfo], progress: &dyn Progress) -> Result<Arc<View>, IndexError> {
        self.server.start_now(repos, progress)
    }

    /// Takes in what changed, or reads everything again. Blocks.
    pub fn index(&self, reuse: Reuse, progress: &dyn Progress) -> Result<Arc<View>, IndexError> {
        self.server.index_now(reuse, progress)
    }

    /// Runs work away from the threads that serve messages. The work is not stopped when the call that wanted it is.
    pub async fn blocking<T: Send + 'static>(
        self,
        work: impl FnOnce(&ControlWriter) -> Result<T, CallError> + Send + 'static,
    ) -> Result<T, CallError> {
        let server = Arc::clone(&self.server);
        let working = self.landed.begin_unnamed();
        let work = move |_: &Server| {
            let outcome = work(&self);
            drop(working);
            outcome
        };
        server.blocking(work).await?
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::handlers::edit::room;
    use crate::testing::Fixture;
    use gortex_engine::edit::{Content, Edit};

    // A call that was cancelled while its edit was under way wrote all the same.
    #[test]
    fn an_edit_that_nobody_waits_for_writes_nothing() {
        let fixture = Fixture::new("//- a.txt\none\n");
        let (started, has_started) = tokio::sync::oneshot::channel();
        let (go, wait) = std::sync::mpsc::channel::<()>();
        let (tell, told) = std::sync::mpsc::channel();
        fixture.block_on(async {
            let call = FileWriter::of(Arc::clone(&fixture.server), Landed::default()).blocking(move |files| {
                started.send(()).expect("somebody waits");
                wait.recv().expect("a word");
                let outcome = room::run(files, &Edit::new("a.txt", Content::Whole(b"two\n".to_vec())), false);
                tell.send(outcome.map(|_| ())).expect("somebody listens");
                Ok(())
            });
            tokio::select! {
                _ = call => panic!("it ended"),
                started = has_started => started.expect("it starts"),
            }
        });
        go.send(()).expect("it waits");
        let error = told.recv().expect("an outcome").expect_err("cancelled");
        assert_eq!((error.code(), fixture.disk("a.txt")), (Some(Code::Cancelled), b"one\n".to_vec()));
    }
}
