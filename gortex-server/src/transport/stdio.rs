//! MCP over the standard streams of the process.
//!
//! The end of the input is the end of the process: what is on its way gets a moment, the rest is dropped.
//!
//! Standard output carries the protocol and nothing else.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use gortex_core::Registry;
use rmcp::transport::stdio_pipes;
use tokio_util::sync::CancellationToken;

use super::bounds::Bounds;
use super::connection::{self, Connection};
use super::lines::Lines;
use crate::session::Road;
use crate::state::Server;
use crate::surface::Policy;

/// What writing the snapshot gets at the end.
const FLUSH: Duration = Duration::from_millis(600);

/// Serves the process's standard streams until either end is gone or the process is told to stop.
pub async fn serve(server: Arc<Server>, registry: Arc<Registry>, policy: Policy, bounds: Bounds) -> ExitCode {
    let closing = CancellationToken::new();
    let ended = CancellationToken::new();
    let road = Road::new(Arc::clone(&server), registry, policy);
    let connection = match Connection::new(road, bounds, closing.clone()) {
        Ok(connection) => connection,
        Err(error) => {
            tracing::error!(%error, "the connection could not be opened");
            return ExitCode::FAILURE;
        }
    };
    let (read, write) = stdio_pipes();
    let lines = Lines::new(read, write, ended.clone());
    let outcome = connection::run(connection, lines, ended, told_to_stop()).await;
    closing.cancel();
    let last = Arc::clone(&server);
    if tokio::time::timeout(FLUSH, server.blocking(move |_| last.shut_down())).await.is_err() {
        tracing::warn!("the snapshot was not written in time; the next start reads the changed files again");
    }
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!(error, "the connection could not be served");
            ExitCode::FAILURE
        }
    }
}

/// Waits for an interrupt, or for the request to end that service managers send.
pub(super) async fn told_to_stop() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut end) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = end.recv() => return,
                _ = tokio::signal::ctrl_c() => return,
            }
        }
    }
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
