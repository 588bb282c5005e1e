//! The daemon: one process per user that keeps indexes and serves every window and command line over a socket.
//!
//! It holds the user's lock while it lives; the socket is the user's alone, and who connects is asked for its user once more. A
//! connection says in its first line what it wants and then is MCP or a row of orders. Windows of one repository share one
//! index. It ends when it is told to, or when nobody has used it for as long as it was told to wait.
//!
//! Unix only. Knows processes and sockets; what is served is the same as everywhere.

pub mod control;
pub mod hosts;
pub mod join;
pub mod place;
pub mod proxy;
pub mod wire;

use std::ffi::OsString;
use std::io;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use gortex_core::Registry;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::io::BufReader;
use tokio::net::{UnixListener, UnixStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::hosts::{HostError, Hosts, Lease, Wanted};
use self::place::{Lock, Place};
use self::wire::{Ack, HELLO_BYTES, Hello, Mode, VERSION, WireError};
use super::bounds::Bounds;
use super::connection::{Attachment, Connection, run};
use super::http::{self, HttpOptions};
use super::lines::Lines;
use crate::config::Dirs;
use crate::session::{Opening, Road};
use crate::surface::{Policy, Reach, unknown_options};

/// How long a client may take to say what it wants.
const HELLO_TIME: Duration = Duration::from_secs(10);
/// How many connections there may be.
const CONNECTIONS: usize = 1024;
/// How often what is not needed any more is put away.
const SWEEP: Duration = Duration::from_secs(10);
/// What connections get to end.
const GRACE: Duration = Duration::from_secs(2);

/// How a daemon is started.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Which tools sessions see that don't say so themselves.
    pub tools: Option<String>,
    /// HTTP beside the socket.
    pub http: Option<HttpOptions>,
    /// Ends when nobody has used it for so long.
    pub idle_exit: Option<Duration>,
    /// Calls' limits.
    pub bounds: Bounds,
}

/// Why a daemon did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// There is one.
    #[error("a daemon is running{}", pid.map(|pid| format!(" (process {pid})")).unwrap_or_default())]
    Running {
        /// Its process, as far as that is known.
        pid: Option<u32>,
    },
    /// The system refused.
    #[error("{what}: {source}")]
    Io {
        /// What was tried.
        what: String,
        /// The system's words.
        source: io::Error,
    },
    /// HTTP can't be offered as asked.
    #[error(transparent)]
    Http(#[from] http::HttpError),
}

/// One running daemon.
#[derive(Debug)]
pub struct Daemon {
    place: Place,
    hosts: Hosts,
    options: Options,
    bounds: Bounds,
    /// New with every start.
    instance: String,
    started: Instant,
    http: OnceLock<SocketAddr>,
    open: AtomicUsize,
    speaking: AtomicUsize,
    used: Mutex<Instant>,
    /// Somebody wants it to end.
    stop: CancellationToken,
    /// It ends: calls are given up.
    closing: CancellationToken,
    tasks: TaskTracker,
}

/// Counts something as long as it lives.
struct Counted<'d>(&'d AtomicUsize);

impl<'d> Counted<'d> {
    fn new(count: &'d AtomicUsize) -> Counted<'d> {
        count.fetch_add(1, Ordering::Relaxed);
        Counted(count)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Daemon {
    /// Runs a daemon until it is told to stop. `ready` is called once clients can connect.
    pub async fn run(
        dirs: Dirs,
        registry: Arc<Registry>,
        options: Options,
        var: impl Fn(&str) -> Option<OsString>,
        ready: impl FnOnce(&Daemon),
    ) -> Result<(), StartError> {
        let place = Place::of(&dirs, var);
        let failed = |what: &str| {
            let what = what.to_owned();
            move |source| StartError::Io { what, source }
        };
        place.prepare().map_err(failed("the daemon's folder"))?;
        let lock = place.lock().map_err(failed("the daemon's lock"))?;
        let lock = lock.ok_or_else(|| StartError::Running { pid: place.read_pid() })?;
        // Whatever lies there was left by a process that is gone.
        place.clear(&lock);
        let web = match &options.http {
            Some(options) => Some(http::bind(options).await?),
            None => None,
        };
        let listener = UnixListener::bind(&place.socket).map_err(failed("the daemon's socket"))?;
        std::fs::set_permissions(&place.socket, std::fs::Permissions::from_mode(0o600)).map_err(failed("the daemon's socket"))?;
        place.write_pid(&lock).map_err(failed("the daemon's process number"))?;
        let daemon = Arc::new(Daemon {
            hosts: Hosts::new(dirs, registry),
            bounds: options.bounds.shared(),
            instance: instance(),
            started: Instant::now(),
            http: OnceLock::new(),
            open: AtomicUsize::new(0),
            speaking: AtomicUsize::new(0),
            used: Mutex::new(Instant::now()),
            stop: CancellationToken::new(),
            closing: CancellationToken::new(),
            tasks: TaskTracker::new(),
            place,
            options,
        });
        if let Some(web) = web {
            let _ = daemon.http.set(web.address);
            daemon.tasks.spawn(http::serve(Arc::clone(&daemon), web));
        }
        crate::telemetry::tend(daemon.hosts.telemetry().clone(), |name| std::env::var(name).ok());
        tracing::info!(socket = %daemon.place.socket.display(), version = env!("CARGO_PKG_VERSION"), "the daemon listens");
        ready(&daemon);
        daemon.accept(&listener).await;
        drop(listener);
        daemon.end(&lock).await;
        Ok(())
    }

    /// Takes connections until it is time to end.
    async fn accept(self: &Arc<Self>, listener: &UnixListener) {
        let mut told = std::pin::pin!(told(Arc::clone(self)));
        let mut sweep = tokio::time::interval(SWEEP.min(self.options.idle_exit.unwrap_or(SWEEP)).max(Duration::from_millis(50)));
        sweep.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                accepted = listener.accept() => match accepted {
                    Ok((stream, _)) => {
                        let daemon = Arc::clone(self);
                        self.tasks.spawn(async move { daemon.greet(stream).await });
                    }
                    Err(error) => {
                        tracing::warn!(%error, "a connection could not be taken");
                        // Too many open files, most likely: some will be closed.
                        tokio::time::sleep(Duration::from_millis(100)).await;
                    }
                },
                _ = sweep.tick() => {
                    let hosts = self.hosts.clone();
                    tokio::task::spawn_blocking(move || hosts.sweep());
                    // A home folder that was deleted takes its daemon with it: nobody can find it any more.
                    if !self.place.is_there() {
                        tracing::info!("the daemon's folder is gone; it ends");
                        return;
                    }
                    if self.is_idle() {
                        tracing::info!("nobody has used the daemon for a while; it ends");
                        return;
                    }
                }
                () = &mut told => return,
                () = self.stop.cancelled() => return,
            }
        }
    }

    fn is_idle(&self) -> bool {
        let unused = self.sessions() == 0 && self.speaking.load(Ordering::Relaxed) == 0;
        self.options.idle_exit.is_some_and(|patience| unused && self.used.lock().elapsed() >= patience)
    }

    /// Ends everything in an order that loses nothing.
    async fn end(&self, lock: &Lock) {
        self.closing.cancel();
        // Nobody finds it any more; who comes now starts another one as soon as the lock is free.
        self.place.clear(lock);
        self.tasks.close();
        if tokio::time::timeout(GRACE, self.tasks.wait()).await.is_err() {
            tracing::info!("connections are still open; they are cut");
        }
        let hosts = self.hosts.clone();
        if let Err(error) = tokio::task::spawn_blocking(move || hosts.close()).await {
            tracing::warn!(%error, "not everything was written at the end");
        }
        tracing::info!("the daemon has ended");
    }

    /// How many sessions clients have.
    pub fn sessions(&self) -> usize {
        self.hosts.all().iter().map(|host| host.server.sessions().count()).sum()
    }

    /// How long it runs.
    pub fn uptime(&self) -> Duration {
        self.started.elapsed()
    }

    /// Where HTTP is offered.
    pub fn http_address(&self) -> Option<SocketAddr> {
        self.http.get().copied()
    }

    /// The servers.
    pub fn hosts(&self) -> &Hosts {
        &self.hosts
    }

    /// New with every start.
    pub fn instance(&self) -> &str {
        &self.instance
    }

    /// Limits of calls.
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// Fires when calls are to be given up.
    pub fn closing(&self) -> &CancellationToken {
        &self.closing
    }

    /// Which tools sessions see that don't say so themselves.
    pub fn tools(&self) -> Option<&str> {
        self.options.tools.as_deref()
    }

    /// How HTTP is offered.
    pub fn http_options(&self) -> Option<&HttpOptions> {
        self.options.http.as_ref()
    }

    /// Marks it as used now.
    pub fn touch(&self) {
        *self.used.lock() = Instant::now();
    }

    /// What it takes to start it again as it is. The token is never told.
    fn start_flags(&self) -> Value {
        let http = self.options.http.as_ref();
        json!({
            "tools": self.options.tools,
            "http_addr": http.map(|http| http.address.clone()),
            "cors_origins": http.map(|http| http.origins.clone()).unwrap_or_default(),
        })
    }

    fn open(&self, hello: &Hello) -> Result<Lease, HostError> {
        let cwd = match &hello.cwd {
            Some(cwd) => cwd.clone(),
            None => std::path::PathBuf::from("/"),
        };
        self.hosts.open(&Wanted { cwd, index: hello.index.clone(), track: hello.track.clone() })
    }

    /// Serves one connection from its first byte to its last.
    async fn greet(self: Arc<Self>, stream: UnixStream) {
        let _open = Counted::new(&self.open);
        match stream.peer_cred() {
            Ok(peer) if peer.uid() == place::user() => {}
            Ok(peer) => return tracing::warn!(user = peer.uid(), "another user's connection is refused"),
            Err(error) => return tracing::warn!(%error, "a connection without a user is refused"),
        }
        let (read, mut write) = stream.into_split();
        let mut read = BufReader::new(read);
        let refuse = |code: &str, words: String| Ack { error_code: Some(code.to_owned()), error_msg: Some(words), ..self.ack() };
        let hello = match tokio::time::timeout(HELLO_TIME, wire::read::<Hello>(&mut read, HELLO_BYTES)).await {
            Ok(Ok(hello)) => hello,
            // Somebody looked whether there is a daemon.
            Ok(Err(WireError::Ended { started: false })) => return,
            Ok(Err(error)) => {
                let _ = wire::write(&mut write, &refuse("protocol_mismatch", error.to_string())).await;
                return;
            }
            Err(_) => {
                let words = format!("no handshake came within {} seconds", HELLO_TIME.as_secs());
                let _ = wire::write(&mut write, &refuse("timeout", words)).await;
                return;
            }
        };
        let refusal = if hello.version != VERSION {
            Some(refuse("protocol_mismatch", format!("this daemon speaks version {VERSION}, the client {}", hello.version)))
        } else if hello.mode == Mode::Unknown {
            Some(refuse("unsupported_mode", "the modes are `mcp` and `control`".to_owned()))
        } else if self.open.load(Ordering::Relaxed) > CONNECTIONS || self.closing.is_cancelled() {
            Some(refuse("internal", "the daemon is full or ending; try again".to_owned()))
        } else {
            None
        };
        if let Some(refusal) = refusal {
            let _ = wire::write(&mut write, &refusal).await;
            return;
        }
        tracing::debug!(client = hello.client, pid = hello.pid, mode = ?hello.mode, "a client is there");
        self.touch();
        let ended = match hello.mode {
            Mode::Mcp => self.speak(&hello, read, write).await,
            _ => self.take_orders(&hello, read, write).await,
        };
        if let Err(error) = ended {
            tracing::debug!(%error, "a connection ended");
        }
        if hello.mode == Mode::Mcp {
            self.touch();
        }
    }

    fn ack(&self) -> Ack {
        Ack { daemon_version: env!("CARGO_PKG_VERSION").to_owned(), daemon_instance: self.instance.clone(), ..Ack::default() }
    }

    async fn take_orders(
        self: &Arc<Self>,
        hello: &Hello,
        mut read: BufReader<tokio::net::unix::OwnedReadHalf>,
        mut write: tokio::net::unix::OwnedWriteHalf,
    ) -> Result<(), WireError> {
        wire::write(&mut write, &Ack { ok: true, session_id: "control".to_owned(), ..self.ack() }).await?;
        let orders = control::serve(self, hello, &mut read, &mut write);
        tokio::select! {
            done = orders => done,
            // What was ordered last still gets its answer.
            () = async { self.closing.cancelled().await; tokio::time::sleep(GRACE / 2).await } => Ok(()),
        }
    }

    /// MCP over the rest of the connection.
    async fn speak(
        self: &Arc<Self>,
        hello: &Hello,
        read: BufReader<tokio::net::unix::OwnedReadHalf>,
        mut write: tokio::net::unix::OwnedWriteHalf,
    ) -> Result<(), WireError> {
        let _speaking = Counted::new(&self.speaking);
        self.hosts.telemetry().count("daemon_session", "");
        let lease = match self.open(hello) {
            Ok(lease) => lease,
            Err(error) => {
                let ack = Ack { error_code: Some("internal".to_owned()), error_msg: Some(error.to_string()), ..self.ack() };
                return wire::write(&mut write, &ack).await;
            }
        };
        let said = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
        let policy = Policy {
            forwarded: said(&hello.tools).or_else(|| self.options.tools.clone()),
            forwarded_reach: hello.tools_mode.as_deref().and_then(Reach::parse),
            unknown_options: unknown_options(hello.arg_guard.as_deref()),
            ..self.hosts.policy()
        };
        let road = Road::new(Arc::clone(&lease.server), Arc::clone(self.hosts.registry()), policy);
        let readiness = lease.server.readiness();
        let view = lease.server.engine().view();
        let repo = if let [repo] = view.repos.as_slice() { Some(repo.name.clone()) } else { None };
        let opening = Opening { cwd: hello.cwd.clone(), ..Opening::default() };
        let attachment = Attachment { road, opening, lease: Some(Box::new(lease)) };
        let connection = match Connection::attached(attachment, self.bounds, self.closing.clone()) {
            Ok(connection) => connection,
            Err(error) => {
                let ack = Ack { error_code: Some("internal".to_owned()), error_msg: Some(error.to_string()), ..self.ack() };
                return wire::write(&mut write, &ack).await;
            }
        };
        let warming = readiness.as_str() == "indexing";
        let ack = Ack {
            ok: true,
            session_id: connection.session_id().unwrap_or_default(),
            default_repo: repo,
            warming,
            warmup_phase: warming.then(|| "indexing".to_owned()),
            ..self.ack()
        };
        wire::write(&mut write, &ack).await?;
        let ended = CancellationToken::new();
        let lines = Lines::new(read, write, ended.clone());
        if let Err(error) = run(connection, lines, ended, self.closing.cancelled()).await {
            tracing::debug!(error, "a session ended");
        }
        Ok(())
    }
}

/// Waits for the signals that end a daemon; the one that once meant a lost terminal makes it look at everything again.
async fn told(daemon: Arc<Daemon>) {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut lost) = signal(SignalKind::hangup()) else { return super::stdio::told_to_stop().await };
    let mut stop = std::pin::pin!(super::stdio::told_to_stop());
    loop {
        tokio::select! {
            () = &mut stop => return,
            _ = lost.recv() => {
                let hosts = daemon.hosts.clone();
                tokio::task::spawn_blocking(move || hosts.reload());
            }
        }
    }
}

/// A word that no other start has.
fn instance() -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    format!("{:x}-{:x}", now.as_nanos(), std::process::id())
}
