//! One session.
//!
//! What is decided once (client, surface) is fixed for its life; the rest changes under locks that are held for moments. All of
//! it is bounded, so that a session of a week costs what one of an hour does.
//!
//! Knows what is remembered, not what it is for: handlers and [`super::serve`] do.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant, SystemTime};

use gortex_core::{Body, CallError, CallOutput, Code, Effect, Gate, Mode};
use parking_lot::Mutex;
use serde_json::json;

use super::client::ClientInfo;
use super::cursor::Cursor;
use super::events::Channel;
use super::notify::{Notification, Notifier};
use super::ring::Ring;
use super::store::{Opening, SessionId};
use super::touched::{Touched, TouchedFiles};
use super::workflow::{PHASES, Workflow};
use crate::surface::Selection;
use crate::telemetry::{Telemetry, Watch};

/// What the server remembers of one connection.
#[derive(Debug)]
pub struct Session {
    id: SessionId,
    key: Option<String>,
    cwd: Option<PathBuf>,
    notifier: Option<Notifier>,
    client: OnceLock<ClientInfo>,
    surface: OnceLock<Selection>,
    planning: AtomicBool,
    workflow: Mutex<Option<Workflow>>,
    ring: Mutex<Ring>,
    cursor: Mutex<Cursor>,
    touched: Mutex<TouchedFiles>,
    /// Channels listened to, each with what its last payload was.
    channels: Mutex<BTreeMap<Channel, Option<u64>>>,
    used: Mutex<Instant>,
    watch: OnceLock<Mutex<Watch>>,
    /// Deferred tools that it was shown.
    promoted: Mutex<BTreeSet<String>>,
    /// Resources whose changes it wants to hear of.
    resources: Mutex<BTreeSet<String>>,
}

impl Session {
    pub(super) fn new(id: SessionId, opening: Opening) -> Session {
        let Opening { key, client, cwd, notifier } = opening;
        let session = Session {
            id,
            key,
            cwd,
            notifier,
            client: OnceLock::new(),
            surface: OnceLock::new(),
            planning: AtomicBool::new(false),
            workflow: Mutex::default(),
            ring: Mutex::default(),
            cursor: Mutex::default(),
            touched: Mutex::default(),
            channels: Mutex::default(),
            used: Mutex::new(Instant::now()),
            watch: OnceLock::new(),
            promoted: Mutex::default(),
            resources: Mutex::default(),
        };
        if let Some(client) = client {
            session.introduce(client);
        }
        session
    }

    /// A session that nobody will ask again: for calls that come without one.
    pub fn passing() -> Arc<Session> {
        Arc::new(Session::new(SessionId::passing(), Opening::default()))
    }

    /// Its name in answers; no secret, unlike the key.
    pub fn id(&self) -> &SessionId {
        &self.id
    }

    /// What the transport finds it by.
    pub fn key(&self) -> Option<&str> {
        self.key.as_deref()
    }

    /// The client's working directory, if it told.
    pub fn cwd(&self) -> Option<&std::path::Path> {
        self.cwd.as_deref()
    }

    /// Remembers who the client is; the first word counts. A nameless client may still say more later.
    pub fn introduce(&self, client: ClientInfo) {
        if !client.name.trim().is_empty() {
            // Said before: the first word counts.
            let _ = self.client.set(client);
        }
    }

    /// Who the client is.
    pub fn client(&self) -> Option<&ClientInfo> {
        self.client.get()
    }

    /// Which tools it sees: chosen by the first who asks, then fixed.
    pub fn surface(&self, choose: impl FnOnce(Option<&ClientInfo>) -> Selection) -> &Selection {
        self.surface.get_or_init(|| choose(self.client()))
    }

    /// The surface, if it has been chosen.
    pub fn chosen_surface(&self) -> Option<&Selection> {
        self.surface.get()
    }

    /// Whether it plans.
    pub fn is_planning(&self) -> bool {
        self.planning.load(Ordering::Relaxed)
    }

    pub(super) fn set_planning(&self, planning: bool) {
        self.planning.store(planning, Ordering::Relaxed);
    }

    /// The mode that its calls run in.
    pub fn mode(&self) -> Mode {
        if self.is_planning() { Mode::Planning } else { Mode::Normal }
    }

    /// The workflow under way.
    pub fn workflow(&self) -> Option<Workflow> {
        *self.workflow.lock()
    }

    pub(super) fn change_workflow<T>(&self, change: impl FnOnce(&mut Option<Workflow>) -> T) -> T {
        change(&mut self.workflow.lock())
    }

    /// Reads the kept answers.
    pub fn ring<T>(&self, read: impl FnOnce(&Ring) -> T) -> T {
        read(&self.ring.lock())
    }

    /// Where it stands in the graph.
    pub(super) fn change_cursor<T>(&self, change: impl FnOnce(&mut Cursor) -> T) -> T {
        change(&mut self.cursor.lock())
    }

    /// The files it has looked at or changed lately, the oldest first.
    pub fn touched(&self) -> Vec<Touched> {
        self.touched.lock().iter().cloned().collect()
    }

    /// Remembers what an answer was about.
    pub(super) fn remember(&self, output: &CallOutput, text: &str) {
        let Some(operation) = output.operation.filter(|_| output.error.is_none()) else { return };
        let json = output.written.is_none() && matches!(output.body, Body::Json(_));
        self.ring.lock().capture(operation.legacy, text, json, SystemTime::now());
        self.touched.lock().note(output);
    }

    /// Whether it listens to a channel.
    pub fn listens(&self, channel: Channel) -> bool {
        self.channels.lock().contains_key(&channel)
    }

    pub(super) fn subscribe(&self, channel: Channel) {
        self.channels.lock().entry(channel).or_default();
    }

    pub(super) fn unsubscribe(&self, channel: Channel) {
        self.channels.lock().remove(&channel);
    }

    /// Whether a payload differs from the one before on its channel, which it takes the place of.
    pub(super) fn is_news(&self, channel: Channel, payload: u64) -> bool {
        self.channels.lock().get_mut(&channel).is_some_and(|last| last.replace(payload) != Some(payload))
    }

    /// Sends a message to the client; false when nothing listens or the client is too far behind.
    pub fn notify(&self, method: &str, params: serde_json::Value) -> bool {
        let notification = Notification { method: method.to_owned(), params };
        self.notifier.as_ref().is_some_and(|notifier| notifier.send(notification))
    }

    /// Whether messages reach the client at all.
    pub fn hears(&self) -> bool {
        self.notifier.is_some()
    }

    /// What counts its calls, by consent.
    pub fn watch(&self, telemetry: &Telemetry) -> &Mutex<Watch> {
        self.watch.get_or_init(|| Mutex::new(Watch::begin(telemetry.clone(), self.family())))
    }

    /// Deferred tools that are on its list now.
    pub fn promoted(&self) -> BTreeSet<String> {
        self.promoted.lock().clone()
    }

    /// Puts deferred tools on its list and says so to the client; those that are new there. Which schemas a client was shown is no
    /// state that an answer depends on.
    pub(super) fn promote(&self, names: &BTreeSet<String>) -> BTreeSet<String> {
        let mut promoted = self.promoted.lock();
        let new: BTreeSet<String> = names.iter().filter(|name| promoted.insert((*name).clone())).cloned().collect();
        drop(promoted);
        if !new.is_empty() {
            self.notify("notifications/tools/list_changed", json!({}));
        }
        new
    }

    /// Resources whose changes it wants to hear of.
    pub fn resources(&self) -> BTreeSet<String> {
        self.resources.lock().clone()
    }

    /// Hears of a resource's changes from now on, or no more.
    pub fn follow_resource(&self, uri: &str, on: bool) {
        let mut resources = self.resources.lock();
        if on {
            resources.insert(uri.to_owned())
        } else {
            resources.remove(uri)
        };
    }

    /// The client as a word of a fixed list.
    pub fn family(&self) -> &'static str {
        self.client().map_or("none", |client| client.known())
    }

    /// Marks it as used now.
    pub fn touch(&self) {
        *self.used.lock() = Instant::now();
    }

    /// How long it has not been used.
    pub fn idle(&self) -> Duration {
        self.used.lock().elapsed()
    }
}

/// The workflow gate. What may be edited when is told by effects; the session only knows its phase.
impl Gate for Session {
    fn admit(&self, tool: &str, effect: Effect, public: bool) -> Result<(), CallError> {
        if !gortex_core::policy::is_gated(effect) {
            return Ok(());
        }
        let mut slot = self.workflow.lock();
        let Some(workflow) = slot.as_mut() else { return Ok(()) };
        if workflow.admit_edit() {
            return Ok(());
        }
        let arguments = json!({"action": "advance"});
        let recovery = if public {
            json!({"tool": "session", "arguments": {"operation": "workflow", "arguments": arguments}})
        } else {
            json!({"tool": "workflow", "arguments": arguments})
        };
        let words = format!("`{tool}` changes files or settings, which waits for the phase `{}`", PHASES[1]);
        Err(CallError::new(Code::ToolOutOfPhase, words)
            .retriable(true)
            .data("tool", tool)
            .data("current_phase", workflow.phase())
            .data("phases", PHASES)
            .data("recovery", recovery))
    }
}
