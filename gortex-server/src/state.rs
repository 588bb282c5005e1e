//! The state of one process, and the only doors handlers have to it.
//!
//! [`Graph`] is what reads get: a view that does not change while the call runs. [`FileWriter`] and [`ControlWriter`] are
//! capabilities: they exist only where an operation's effect grants them, which the compiler checks, and nothing else hands
//! out the engine's authority.
//!
//! Knows the engine and the framework's extractors; no tool and no transport.

use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gortex_core::{Call, CallError, Code, Effect, FromCall, Recoverable};
use gortex_engine::edit::FileAuthority;
use gortex_engine::engine::{Engine, Options, Progress, RepoInfo, Silent, View};
use tokio::sync::watch;

/// How long a call waits for the first index before it says that it is not ready.
const FIRST_INDEX_WAIT: Duration = Duration::from_secs(50);

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

/// One process: the engine, its authority and how far it is.
pub struct Server {
    engine: Engine,
    authority: FileAuthority,
    readiness: watch::Sender<Readiness>,
    cancel: AtomicBool,
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
        let (engine, authority) = Engine::open(options)?;
        let reason = "no repository is tracked; call workspace_admin(operation=\"track\") with a path".to_owned();
        let (readiness, _) = watch::channel(Readiness::Inactive { reason });
        Ok(Arc::new(Server { engine, authority, readiness, cancel: AtomicBool::new(false), config_dir }))
    }

    /// The engine, for reading.
    pub fn engine(&self) -> &Engine {
        &self.engine
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
        self.engine.announce(&repos);
        self.readiness.send_replace(Readiness::Indexing);
        let server = Arc::clone(self);
        tokio::task::spawn_blocking(move || {
            let outcome = server.engine.track(&repos, &*progress, &server.cancel);
            server.readiness.send_replace(match outcome {
                Ok(_) => Readiness::Ready,
                Err(error) => Readiness::Failed { reason: error.to_string() },
            });
        })
    }

    /// Tracks and indexes now, in this thread.
    pub fn start_now(&self, repos: &[RepoInfo], progress: &dyn Progress) -> Result<Arc<View>, gortex_engine::engine::IndexError> {
        self.engine.announce(repos);
        self.readiness.send_replace(Readiness::Indexing);
        let outcome = self.engine.track(repos, progress, &self.cancel);
        self.readiness.send_replace(match &outcome {
            Ok(_) => Readiness::Ready,
            Err(error) => Readiness::Failed { reason: error.to_string() },
        });
        outcome
    }

    /// Stops indexing at the next file and writes the snapshot if it is out of date.
    pub fn shut_down(&self) {
        self.cancel.store(true, Ordering::Relaxed);
        self.engine.flush();
    }

    /// The view after the first index, looked at for changes on disk.
    async fn view(self: &Arc<Self>) -> Result<Arc<View>, CallError> {
        let mut watch = self.readiness.subscribe();
        let settled = watch.wait_for(|state| *state != Readiness::Indexing);
        let state = match tokio::time::timeout(FIRST_INDEX_WAIT, settled).await {
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
            .data("waited_seconds", FIRST_INDEX_WAIT.as_secs())
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
}

impl FromCall for FileWriter {
    const NEEDS: Option<Effect> = Some(Effect::LocalWrite);

    async fn from_call(call: &Call) -> Result<Self, CallError> {
        server_of(call).map(|server| FileWriter { server })
    }
}

impl FileWriter {
    /// The engine.
    pub fn engine(&self) -> &Engine {
        &self.server.engine
    }

    /// What the engine's writing functions ask for.
    pub fn authority(&self) -> &FileAuthority {
        &self.server.authority
    }

    /// The view after what was just written has been taken in.
    pub fn reindex(&self) -> Arc<View> {
        self.server.engine.fresh(true)
    }

    /// Runs an edit away from the threads that serve messages.
    pub async fn blocking<T: Send + 'static>(
        self,
        work: impl FnOnce(&FileWriter) -> Result<T, CallError> + Send + 'static,
    ) -> Result<T, CallError> {
        let server = Arc::clone(&self.server);
        server.blocking(move |_| work(&self)).await?
    }
}

/// The right to change what is tracked and how it is indexed.
#[derive(Debug)]
pub struct ControlWriter {
    server: Arc<Server>,
}

impl FromCall for ControlWriter {
    const NEEDS: Option<Effect> = Some(Effect::ControlWrite);

    async fn from_call(call: &Call) -> Result<Self, CallError> {
        server_of(call).map(|server| ControlWriter { server })
    }
}

impl ControlWriter {
    /// The server whose repositories may be changed.
    pub fn server(&self) -> &Arc<Server> {
        &self.server
    }

    /// Tracks these repositories from now on.
    pub fn set_repos(&self, repos: &[RepoInfo]) -> Result<Arc<View>, gortex_engine::engine::IndexError> {
        self.server.start_now(repos, &Silent)
    }
}
