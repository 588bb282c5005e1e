//! The Gortex server: handlers over the engine, surfaces, sessions, transports and the command line.
//!
//! Everything that answers a call goes through `gortex_core::dispatch`; this crate gives it state, handlers and roads.

pub mod cli;
pub mod config;
mod freshness;
pub mod handlers;
pub mod landed;
pub mod operator;
pub mod registry;
pub mod session;
pub mod state;
pub mod surface;
#[cfg(test)]
pub mod testing;
pub mod tracking;
pub mod transport;
mod wire;
