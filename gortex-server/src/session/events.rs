//! The five channels: what the server tells sessions without being asked.
//!
//! Opt-in per session, delivered to that session alone, gone with it. A payload equal to the one before is not sent again; the
//! time it carries does not count for that. Delivery never waits for anybody.
//!
//! Knows views and sessions; how a notification travels is the transport's affair.

mod health;
mod stale;

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant, SystemTime};

use gortex_engine::engine::{Phase, Progress, Published, View};
use parking_lot::Mutex;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::state::Session;
use super::store::Sessions;
use super::timestamp;
use crate::offers::resources;
use crate::state::Server;

/// What can be subscribed to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Channel {
    /// A snapshot of the process now and then.
    DaemonHealth,
    /// What language servers say; none is attached to this build.
    Diagnostics,
    /// The graph was made anew.
    GraphInvalidated,
    /// Something this session looked at has moved.
    StaleRefs,
    /// How far the index is.
    WorkspaceReadiness,
}

impl Channel {
    /// All, sorted by name.
    pub const ALL: [Channel; 5] =
        [Channel::DaemonHealth, Channel::Diagnostics, Channel::GraphInvalidated, Channel::StaleRefs, Channel::WorkspaceReadiness];

    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Channel::DaemonHealth => "daemon_health",
            Channel::Diagnostics => "diagnostics",
            Channel::GraphInvalidated => "graph_invalidated",
            Channel::StaleRefs => "stale_refs",
            Channel::WorkspaceReadiness => "workspace_readiness",
        }
    }
}

/// Time between two snapshots of the process when nobody says otherwise, in milliseconds.
pub const HEALTH_INTERVAL: u64 = 15_000;
/// The shortest and the longest time between two snapshots.
const HEALTH_BOUNDS: (u64, u64) = (1000, 300_000);

/// The channels of a process.
#[derive(Debug)]
pub struct Events {
    sessions: Sessions,
    started: Instant,
    /// The last payload of each channel, for who comes later.
    last: Mutex<BTreeMap<Channel, Value>>,
    interval: AtomicU64,
    ticking: AtomicBool,
    /// Once true, it stays: references are resolved and the graph answers.
    ready: AtomicBool,
}

impl Events {
    /// Channels to these sessions.
    pub fn new(sessions: Sessions) -> Events {
        Events {
            sessions,
            started: Instant::now(),
            last: Mutex::default(),
            interval: AtomicU64::new(HEALTH_INTERVAL),
            ticking: AtomicBool::new(false),
            ready: AtomicBool::new(false),
        }
    }

    /// How many sessions listen to a channel.
    pub fn subscribers(&self, channel: Channel) -> usize {
        self.sessions.all().iter().filter(|session| session.listens(channel)).count()
    }

    /// The last payload of a channel.
    pub fn last(&self, channel: Channel) -> Option<Value> {
        self.last.lock().get(&channel).cloned()
    }

    /// Tells everybody who listens.
    fn publish(&self, channel: Channel, payload: Value) {
        for session in self.sessions.all().iter().filter(|session| session.listens(channel)) {
            deliver(session, channel, payload.clone(), false);
        }
        self.last.lock().insert(channel, payload);
    }

    /// Whether the graph has answered since the process began.
    pub fn is_ready(&self) -> bool {
        self.ready.load(Ordering::Relaxed)
    }

    /// Says how far the index is.
    pub fn readiness(&self, phase: &str, extras: Value) {
        if phase == "ready" {
            self.ready.store(true, Ordering::Relaxed);
        }
        let mut payload = json!({"phase": phase, "ready": self.is_ready()});
        if let (Value::Object(payload), Value::Object(extras)) = (&mut payload, extras) {
            payload.extend(extras);
        }
        self.publish(Channel::WorkspaceReadiness, payload);
    }

    /// Tells a session that has just subscribed where things stand; true when there was something to tell.
    pub fn replay(&self, session: &Session, channel: Channel) -> bool {
        let last = if channel == Channel::WorkspaceReadiness { self.last(channel) } else { None };
        last.is_some_and(|payload| deliver(session, channel, payload, true))
    }

    /// Sends a snapshot of the process to a session now, and to all who listen from time to time. Must be called on the runtime.
    pub fn watch_health(self: &Arc<Self>, server: &Arc<Server>, session: &Session, interval: Option<u64>) -> bool {
        let interval = interval.unwrap_or(HEALTH_INTERVAL).clamp(HEALTH_BOUNDS.0, HEALTH_BOUNDS.1);
        self.interval.store(interval, Ordering::Relaxed);
        let told = deliver(session, Channel::DaemonHealth, health::snapshot(server, self.started), true);
        if !self.ticking.swap(true, Ordering::Relaxed) {
            tokio::spawn(tick(Arc::downgrade(self), Arc::downgrade(server)));
        }
        told
    }

    /// The time between two snapshots, in milliseconds.
    pub fn health_interval(&self) -> u64 {
        self.interval.load(Ordering::Relaxed)
    }
}

/// Sends snapshots until nobody listens.
async fn tick(events: Weak<Events>, server: Weak<Server>) {
    loop {
        let Some(interval) = events.upgrade().map(|events| events.health_interval()) else { return };
        tokio::time::sleep(Duration::from_millis(interval)).await;
        let (Some(events), Some(server)) = (events.upgrade(), server.upgrade()) else { return };
        if events.subscribers(Channel::DaemonHealth) == 0 {
            events.ticking.store(false, Ordering::Relaxed);
            // Somebody may have come between the count and the word.
            if events.subscribers(Channel::DaemonHealth) == 0 || events.ticking.swap(true, Ordering::Relaxed) {
                return;
            }
        }
        events.publish(Channel::DaemonHealth, health::snapshot(&server, events.started));
    }
}

/// Sends a payload to one session unless it is the one sent last; false when it was not sent.
fn deliver(session: &Session, channel: Channel, payload: Value, replay: bool) -> bool {
    let mut hasher = DefaultHasher::new();
    payload.to_string().hash(&mut hasher);
    if !session.is_news(channel, hasher.finish()) && !replay {
        return false;
    }
    let Value::Object(mut payload) = payload else { return false };
    if replay {
        payload.insert("initial_replay".to_owned(), Value::Bool(true));
    }
    payload.insert("ts".to_owned(), timestamp(SystemTime::now()).into());
    session.notify(&format!("notifications/{}", channel.as_str()), Value::Object(payload))
}

/// Hears of new views and tells who is concerned.
pub struct ViewListener(Arc<Events>);

impl ViewListener {
    /// A listener for [`gortex_engine::engine::Engine::listen`].
    pub fn new(events: Arc<Events>) -> ViewListener {
        ViewListener(events)
    }
}

impl Published for ViewListener {
    fn published(&self, before: &Arc<View>, after: &Arc<View>) {
        let events = &self.0;
        let graph = &after.graph;
        // Times of files were noted, and nothing else.
        if graph.generation == before.graph.generation {
            return;
        }
        let reason = match (before.complete, before.repos == after.repos) {
            (false, _) => "first_index",
            (true, false) => "repositories_changed",
            (true, true) => "files_changed",
        };
        let payload = json!({
            "node_count": graph.node_count(),
            "edge_count": graph.edges().len(),
            "generation": graph.generation,
            "reason": reason,
        });
        events.publish(Channel::GraphInvalidated, payload);
        for session in events.sessions.all() {
            for uri in resources::following_index(&session.resources()) {
                session.notify("notifications/resources/updated", json!({"uri": uri}));
            }
        }
        if before.complete {
            let extras = json!({"generation": graph.generation, "files": graph.files.len()});
            events.readiness("reindex_complete", extras);
        }
        for session in events.sessions.all().iter().filter(|session| session.listens(Channel::StaleRefs)) {
            for file in session.touched() {
                if let Some(payload) = stale::moved(&before.graph, &after.graph, &file) {
                    let payload = stale::with_uri(payload, after.absolute(&file.path).as_deref());
                    deliver(session, Channel::StaleRefs, payload, false);
                }
            }
        }
    }
}

/// Reports the phases of a run on the readiness channel, and everything to who asked for the run.
pub struct Telling<'p> {
    events: &'p Events,
    inner: &'p dyn Progress,
    /// The phase told last; a run goes through each once.
    told: AtomicU64,
}

impl<'p> Telling<'p> {
    /// A progress that also tells the channel.
    pub fn new(events: &'p Events, inner: &'p dyn Progress) -> Telling<'p> {
        Telling { events, inner, told: AtomicU64::new(0) }
    }
}

impl Progress for Telling<'_> {
    fn report(&self, phase: Phase, done: u64, total: u64) {
        self.inner.report(phase, done, total);
        let step = match phase {
            Phase::Walk | Phase::Save => return,
            Phase::Parse => (1, "parallel_parse"),
            Phase::Link => (2, "resolve"),
        };
        if self.told.fetch_max(step.0, Ordering::Relaxed) < step.0 {
            self.events.readiness(step.1, Value::Object(Map::new()));
        }
    }
}
