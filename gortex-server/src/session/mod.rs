//! Sessions: what the server remembers of a connection, for as long as it lasts.
//!
//! A transport opens a session ([`Sessions::open`]) and keeps the handle; dropping it is the disconnect and frees everything.
//! Each call of the connection goes through [`Road::call`], which knows the one order of things: surface, mode, gates, dispatch,
//! freshness, and what is remembered of the answer. A caller without a session has a passing one ([`Session::passing`]): it is
//! answered, and nothing is kept.
//!
//! Knows no wire: names and values in, answers and [`Notification`]s out.

mod agents;
mod caller;
mod client;
mod cursor;
mod events;
mod extract;
mod notify;
mod ring;
mod serve;
mod state;
mod store;
mod touched;
mod workflow;

use std::time::SystemTime;

pub use agents::{AgentError, Agents, Locks, Word, clean_paths};
pub use caller::{Caller, ProgressSink, percent};
pub use client::ClientInfo;
pub use cursor::Cursor;
pub use events::{Channel, Events, Telling, ViewListener};
pub use extract::{SessionView, SessionWriter};
pub use notify::{Notification, Notifier, notifications};
#[cfg(test)]
pub(crate) use ring::QUOTING;
pub use ring::{Buffered, Ring, RingError};
pub use serve::{Road, Served};
pub use state::Session;
pub use store::{Opening, SessionHandle, SessionId, Sessions, TooManySessions};
pub use touched::{Touched, TouchedFiles};
pub use workflow::{Gating, PHASES, Workflow};

/// A time as answers give it: RFC 3339, UTC.
pub fn timestamp(at: SystemTime) -> String {
    let since = at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    gortex_engine::edit::timestamp(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}
