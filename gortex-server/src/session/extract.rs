//! What handlers get of a session: a view to read, and the right to change it.
//!
//! A call without a session gets a passing one: it is answered, and later calls do not see what it set.

use std::sync::Arc;

use gortex_core::{Call, CallError, Effect, FromCall};

use super::client::ClientInfo;
use super::cursor::Cursor;
use super::events::Channel;
use super::ring::Ring;
use super::state::Session;
use super::store::SessionId;
use super::workflow::Workflow;
use crate::surface::Selection;

/// The session of a reading call.
#[derive(Debug)]
pub struct SessionView(Arc<Session>);

impl SessionView {
    /// Its name in answers.
    pub fn id(&self) -> &SessionId {
        self.0.id()
    }

    /// Who the client is.
    pub fn client(&self) -> Option<&ClientInfo> {
        self.0.client()
    }

    /// The tools it sees; `None` for a call that came without a session.
    pub fn surface(&self) -> Option<&Selection> {
        self.0.chosen_surface()
    }

    /// Whether it plans.
    pub fn is_planning(&self) -> bool {
        self.0.is_planning()
    }

    /// The workflow under way.
    pub fn workflow(&self) -> Option<Workflow> {
        self.0.workflow()
    }

    /// Reads the kept answers.
    pub fn ring<T>(&self, read: impl FnOnce(&Ring) -> T) -> T {
        self.0.ring(read)
    }
}

impl FromCall for SessionView {
    async fn from_call(call: &Call) -> Result<Self, CallError> {
        Ok(SessionView(session_of(call)))
    }
}

/// The right to change the session of the call.
#[derive(Debug)]
pub struct SessionWriter(Arc<Session>);

impl SessionWriter {
    /// The session, for reading.
    pub fn session(&self) -> &Arc<Session> {
        &self.0
    }

    /// Enters or leaves planning.
    pub fn set_planning(&self, planning: bool) {
        self.0.set_planning(planning);
    }

    /// Changes the workflow.
    pub fn change_workflow<T>(&self, change: impl FnOnce(&mut Option<Workflow>) -> T) -> T {
        self.0.change_workflow(change)
    }

    /// Changes where the session stands in the graph.
    pub fn change_cursor<T>(&self, change: impl FnOnce(&mut Cursor) -> T) -> T {
        self.0.change_cursor(change)
    }

    /// Listens to a channel.
    pub fn subscribe(&self, channel: Channel) {
        self.0.subscribe(channel);
    }

    /// Listens to a channel no more.
    pub fn unsubscribe(&self, channel: Channel) {
        self.0.unsubscribe(channel);
    }
}

impl FromCall for SessionWriter {
    const NEEDS: Option<Effect> = Some(Effect::SessionWrite);

    async fn from_call(call: &Call) -> Result<Self, CallError> {
        Ok(SessionWriter(session_of(call)))
    }
}

fn session_of(call: &Call) -> Arc<Session> {
    call.get::<Session>().unwrap_or_else(Session::passing)
}
