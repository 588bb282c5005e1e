//! Sessions: what the server remembers of a connection, for as long as it lasts.
//!
//! A transport opens a session ([`Sessions::open`]) and keeps the handle; dropping it is the disconnect and frees everything.
//! Each call of the connection goes through [`serve`], which knows the one order of things: surface, mode, gates, dispatch,
//! freshness, and what is remembered of the answer. A caller without a session has a passing one ([`Session::passing`]): it is
//! answered, and nothing is kept.
//!
//! Knows no wire: names and values in, answers and [`Notification`]s out.

mod caller;
mod client;
mod extract;
mod notify;
mod ring;
mod serve;
mod state;
mod store;
mod workflow;

pub use caller::{Caller, ProgressSink, percent};
pub use client::ClientInfo;
pub use extract::{SessionView, SessionWriter};
pub use notify::{Notification, Notifier, notifications};
pub use ring::{Buffered, Ring, RingError};
pub use serve::{Road, Served};
pub use state::Session;
pub use store::{Opening, SessionHandle, SessionId, Sessions, TooManySessions};
pub use workflow::{Gating, PHASES, Workflow};
