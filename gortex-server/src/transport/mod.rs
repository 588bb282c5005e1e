//! Roads to `dispatch`: from the bytes of a client to a call and back.

pub mod bounds;
pub mod connection;
#[cfg(unix)]
pub mod daemon;
#[cfg(unix)]
pub mod http;
pub mod lines;
pub mod progress;
pub mod queue;
pub mod stdio;
