//! Handlers: one folder per domain, one file per operation.
//!
//! A handler parses nothing and decides nothing that the engine should decide; it asks the engine and shapes the answer.

mod change;
pub(crate) mod edit;
mod explore;
mod read;
mod refactor;
mod relations;
mod response;
mod search;
mod session;
mod shared;

#[cfg(unix)]
pub(crate) use shared::rows;
mod trace;
mod workspace;
mod workspace_admin;
