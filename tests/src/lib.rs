//! The harness of the black-box tests: a folder of files, a server over it, and answers as data.
//!
//! A test lays files, starts the real server as a child process with an empty home, and calls tools over its stdin and
//! stdout. Nothing here knows how the server works inside.

mod answer;
mod client;
mod daemon;
mod folder;

pub use answer::Reply;
pub use client::{Client, Options, command};
pub use daemon::{Answer, Daemon, run_folder};
pub use folder::{Folder, blob_sha};
