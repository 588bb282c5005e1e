//! HTTP beside the daemon's socket: MCP, plain read views, calls, health and metrics.
//!
//! One guard stands in front of every route: whose host and origin, and with what token. Without a token only this machine is
//! served. Everything after it goes the same way as any other call.
//!
//! Knows HTTP; what is asked is answered by the operations that the other transports reach as well.

mod guard;
#[cfg(test)]
mod manual;
mod mcp;
mod metrics;
pub mod routes;
mod tools;
mod views;

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Weak};
use std::time::Duration;

use axum::Router;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use self::metrics::Counters;
use super::connection::Attachment;
use super::daemon::Daemon;
use super::daemon::hosts::{Lease, Wanted};
use crate::session::{Opening, Road, Session};
use crate::surface::Policy;

/// How long a client may take to send its headers.
const HEADER_TIME: Duration = Duration::from_secs(10);
/// Idle sessions of MCP end after this long.
const IDLE_TTL: Duration = Duration::from_mins(30);
/// The header that says where a client works.
pub(crate) const CWD_HEADER: &str = "x-gortex-cwd";
/// The header that says which tools it wants.
pub(crate) const TOOLS_HEADER: &str = "x-gortex-tools";

/// How HTTP is offered.
#[derive(Clone)]
pub struct HttpOptions {
    /// Where to listen, such as `127.0.0.1:7411`.
    pub address: String,
    /// What a client must know.
    pub token: Option<String>,
    /// Origins of browsers that may ask.
    pub origins: Vec<String>,
    /// The folder that is meant when a request names none.
    pub folder: PathBuf,
    /// When idle sessions end; `None` is never.
    pub idle_ttl: Option<Duration>,
}

impl std::fmt::Debug for HttpOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpOptions")
            .field("address", &self.address)
            .field("token", &self.token.is_some())
            .finish_non_exhaustive()
    }
}

/// When idle sessions end, by the word of the environment: seconds, a time such as `5m`, or a negative number for never.
pub fn idle_ttl(word: Option<&str>) -> Option<Duration> {
    match word.map(str::trim).filter(|word| !word.is_empty()) {
        None => Some(IDLE_TTL),
        Some(word) if word.starts_with('-') => None,
        Some(word) => Some(super::bounds::duration(word).filter(|ttl| !ttl.is_zero()).unwrap_or(IDLE_TTL)),
    }
}

/// Why HTTP is not offered.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    /// The address is none.
    #[error("`{address}` is no address to listen on: {source}")]
    Address {
        /// As it was given.
        address: String,
        /// The system's words.
        source: io::Error,
    },
    /// Others could reach it and nothing keeps them out.
    #[error(
        "`{0}` can be reached from other machines: set GORTEX_DAEMON_HTTP_TOKEN or --http-auth-token, or listen on 127.0.0.1"
    )]
    TokenRequired(SocketAddr),
}

/// A place to listen that is taken already.
#[derive(Debug)]
pub struct Bound {
    listener: TcpListener,
    /// Where.
    pub address: SocketAddr,
}

/// What the routes share.
pub(crate) struct Web {
    daemon: Arc<Daemon>,
    options: HttpOptions,
    address: SocketAddr,
    started_at: u64,
    /// Sessions of MCP by their header, for requests that come beside it.
    sessions: Mutex<BTreeMap<String, (Weak<Session>, Road)>>,
    counters: Counters,
    mcp: mcp::Service,
}

/// Takes the address, if it may be offered.
pub async fn bind(options: &HttpOptions) -> Result<Bound, HttpError> {
    let wrong = |source| HttpError::Address { address: options.address.clone(), source };
    let text = options.address.trim();
    let text = if text.starts_with(':') { format!("127.0.0.1{text}") } else { text.to_owned() };
    let found = tokio::net::lookup_host(&text).await.map_err(wrong)?.next();
    let address = found.ok_or_else(|| wrong(io::ErrorKind::AddrNotAvailable.into()))?;
    if !address.ip().is_loopback() && options.token.as_deref().is_none_or(str::is_empty) {
        return Err(HttpError::TokenRequired(address));
    }
    let listener = TcpListener::bind(address).await.map_err(wrong)?;
    let address = listener.local_addr().map_err(wrong)?;
    Ok(Bound { listener, address })
}

/// Serves until the daemon ends.
pub async fn serve(daemon: Arc<Daemon>, bound: Bound) {
    let Some(options) = daemon.http_options().cloned() else { return };
    let closing = daemon.closing().clone();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let web = Arc::new_cyclic(|web: &Weak<Web>| Web {
        mcp: mcp::service(web.clone(), &options, &daemon),
        daemon,
        options,
        address: bound.address,
        started_at: now.as_secs(),
        sessions: Mutex::default(),
        counters: Counters::default(),
    });
    let router = routes::router(Arc::clone(&web));
    tracing::info!(address = %bound.address, "HTTP is offered");
    let tasks = tokio_util::task::TaskTracker::new();
    loop {
        let accepted = tokio::select! {
            accepted = bound.listener.accept() => accepted,
            () = closing.cancelled() => break,
        };
        match accepted {
            Ok((stream, _)) => {
                tasks.spawn(serve_one(stream, router.clone(), closing.clone()));
            }
            Err(error) => {
                tracing::warn!(%error, "a connection could not be taken");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
    tasks.close();
    tasks.wait().await;
}

/// One connection, with a limit on how long its headers may take.
async fn serve_one(stream: tokio::net::TcpStream, router: Router, closing: tokio_util::sync::CancellationToken) {
    let service = TowerToHyperService::new(router);
    let mut http = hyper::server::conn::http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEADER_TIME);
    let mut connection = std::pin::pin!(http.serve_connection(TokioIo::new(stream), service));
    let outcome = tokio::select! {
        outcome = connection.as_mut() => outcome,
        () = closing.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = outcome {
        tracing::debug!(%error, "an HTTP connection ended badly");
    }
}

/// An answer in JSON.
pub(crate) fn answer(status: StatusCode, body: &Value) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}

/// A refusal: a word for programs and a sentence for people.
pub(crate) fn refuse(status: StatusCode, error: &str, message: impl Into<String>) -> Response {
    answer(status, &json!({"error": error, "message": message.into()}))
}

impl Web {
    /// The way to the server of the folder that a request means.
    pub(crate) fn road(&self, headers: &HeaderMap, cwd: Option<&str>) -> Result<(Road, Lease), String> {
        let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).filter(|text| !text.trim().is_empty());
        let cwd = cwd.or_else(|| header(CWD_HEADER)).map_or_else(|| self.options.folder.clone(), PathBuf::from);
        let lease = self.daemon.hosts().open(&Wanted { cwd, ..Wanted::default() }).map_err(|error| error.to_string())?;
        let policy = Policy {
            forwarded: header(TOOLS_HEADER).map(str::to_owned).or_else(|| self.daemon.tools().map(str::to_owned)),
            pinned: self.daemon.hosts().settings().mcp.tools,
            ..Policy::default()
        };
        Ok((Road::new(Arc::clone(&lease.server), Arc::clone(self.daemon.hosts().registry()), policy), lease))
    }

    /// What serves a connection of MCP whose first request has these headers.
    fn attach(&self, headers: &HeaderMap) -> Result<Attachment, String> {
        let (road, lease) = self.road(headers, None)?;
        let cwd = headers.get(CWD_HEADER).and_then(|value| value.to_str().ok()).map(PathBuf::from);
        Ok(Attachment { road, opening: Opening { cwd, ..Opening::default() }, lease: Some(Box::new(lease)) })
    }

    /// Remembers which session a header names.
    fn name_session(&self, key: &str, session: &Arc<Session>, road: &Road) {
        let mut sessions = self.sessions.lock();
        if !sessions.contains_key(key) {
            sessions.retain(|_, (session, _)| session.strong_count() > 0);
            sessions.insert(key.to_owned(), (Arc::downgrade(session), road.clone()));
        }
    }

    /// The session that a header names.
    pub(crate) fn session(&self, key: &str) -> Option<(Arc<Session>, Road)> {
        let sessions = self.sessions.lock();
        let (session, road) = sessions.get(key)?;
        Some((session.upgrade()?, road.clone()))
    }
}

/// The answer of a route whose future panicked.
pub(crate) async fn contain(running: impl Future<Output = Response>) -> Result<Response, Infallible> {
    use futures::FutureExt as _;
    let caught = std::panic::AssertUnwindSafe(running).catch_unwind().await;
    Ok(caught.unwrap_or_else(|_| {
        tracing::error!("a request stopped unexpectedly");
        refuse(StatusCode::INTERNAL_SERVER_ERROR, "internal_error", "the request stopped unexpectedly; the server goes on")
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(address: &str, token: Option<&str>) -> HttpOptions {
        let token = token.map(str::to_owned);
        HttpOptions { address: address.to_owned(), token, origins: Vec::new(), folder: "/".into(), idle_ttl: None }
    }

    #[tokio::test]
    async fn an_address_that_others_reach_needs_a_token() {
        for address in ["0.0.0.0:0", "[::]:0"] {
            for token in [None, Some("")] {
                let refused = bind(&options(address, token)).await;
                assert!(matches!(refused, Err(HttpError::TokenRequired(_))), "{address}: {refused:?}");
            }
        }
        assert!(bind(&options("0.0.0.0:0", Some("é"))).await.is_ok());
        assert!(bind(&options(":0", None)).await.expect("binds").address.ip().is_loopback());
        assert!(matches!(bind(&options("nowhere", None)).await, Err(HttpError::Address { .. })));
        assert!(!format!("{:?}", options(":0", Some("secret"))).contains("secret"));
    }

    #[test]
    fn idle_sessions_end_when_they_were_told_to() {
        assert_eq!(idle_ttl(None), Some(IDLE_TTL));
        assert_eq!((idle_ttl(Some("-1")), idle_ttl(Some("90"))), (None, Some(Duration::from_secs(90))));
        assert_eq!((idle_ttl(Some("é")), idle_ttl(Some("0"))), (Some(IDLE_TTL), Some(IDLE_TTL)));
    }
}
