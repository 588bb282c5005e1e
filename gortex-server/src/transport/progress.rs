//! Progress of a call as notifications to its client.
//!
//! Indexing reports from many threads and for every file; a client hears at most one notification per percent, rising, and
//! none after the answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use gortex_engine::engine::{Phase, Progress};
use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::Peer;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::session::{ProgressSink, percent};

/// Notifications waiting to be sent; more are dropped, the next one says more anyway.
const WAITING: usize = 16;

/// One step: percent and words.
type Step = (u64, String);

struct Notifier {
    last: AtomicU64,
    steps: mpsc::Sender<Step>,
}

impl Progress for Notifier {
    fn report(&self, phase: Phase, done: u64, total: u64) {
        let now = percent(phase, done, total);
        if self.last.fetch_max(now, Ordering::Relaxed) < now {
            let words = if total > 0 { format!("{} {done}/{total} files", phase.as_str()) } else { phase.as_str().to_owned() };
            // A full queue means that the client is behind.
            let _ = self.steps.try_send((now, words));
        }
    }
}

/// The sending side of one call's progress.
pub struct Forwarding {
    done: CancellationToken,
    task: tokio::task::JoinHandle<()>,
}

impl Forwarding {
    /// Starts telling a client; the sink is for the call.
    pub fn start(peer: Peer<RoleServer>, token: ProgressToken) -> (ProgressSink, Forwarding) {
        let (steps, heard) = mpsc::channel(WAITING);
        let done = CancellationToken::new();
        let task = tokio::spawn(forward(peer, token, heard, done.clone()));
        let sink = ProgressSink::new(Arc::new(Notifier { last: AtomicU64::new(0), steps }));
        (sink, Forwarding { done, task })
    }

    /// Sends what is waiting and ends, so that nothing follows the answer.
    pub async fn finish(self) {
        self.done.cancel();
        if let Err(error) = self.task.await {
            tracing::debug!(%error, "progress ended early");
        }
    }
}

async fn forward(peer: Peer<RoleServer>, token: ProgressToken, mut steps: mpsc::Receiver<Step>, done: CancellationToken) {
    let mut sent = 0;
    loop {
        let step = tokio::select! {
            biased;
            step = steps.recv() => step,
            () = done.cancelled() => None,
        };
        let Some((now, words)) = step else { return };
        // Two threads may report out of order; the number may only rise.
        if now <= sent {
            continue;
        }
        sent = now;
        let note = ProgressNotificationParam::new(token.clone(), now as f64).with_total(100.0).with_message(words);
        if peer.notify_progress(note).await.is_err() {
            return;
        }
    }
}
