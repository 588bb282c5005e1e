//! The `edit` domain: local writes of text and files.
//!
//! Every operation goes through the engine's edit room and the view is brought up to date before the answer leaves.

mod batch;
pub(crate) mod errors;
mod file;
pub(crate) mod room;
mod symbol;
mod write;
