//! The server from outside: the real program as a child process, driven over its stdin and stdout.
//!
//! One test binary for all of it, since linking the server costs more than running the tests.

mod acceptance;
mod cases_edit;
mod cases_files;
mod cases_protocol;
mod cases_relations;
mod cli;
mod daemon;
mod fuzz;
mod http;
mod protocol;
mod sessions;
mod streams;
mod surface;

use gortex_tests::{Client, Folder};

/// The program under test.
const SERVER: &str = env!("CARGO_BIN_EXE_gortex-under-test");

/// A server over a fixture, tracked and indexed.
fn serve(folder: &Folder) -> Client {
    Client::start(SERVER, folder)
}
