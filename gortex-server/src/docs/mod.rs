//! The pages of `docs/` that follow from the registry and from other tables of this crate.
//!
//! Each page is written by a function and compared with the file; `GORTEX_WRITE_DOCS=1` writes the file instead. Pages say
//! what `capabilities` says, so that a reader and an agent are told the same.

mod migration;
mod telemetry;
mod tools;

use std::path::Path;

use gortex_core::{Registry, Surface};

/// Regenerates the pages of this crate.
const COMMAND: &str = "GORTEX_WRITE_DOCS=1 cargo test -p gortex-server --lib docs::";

/// The registry as it is served.
fn registry() -> Registry {
    Registry::collect(Surface::v1(crate::registry::PENDING)).expect("a sound registry")
}

/// Compares a page with its file, or writes it.
#[track_caller]
fn keep(name: &str, page: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs").join(name);
    if std::env::var_os("GORTEX_WRITE_DOCS").is_some() {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(&path, page).expect("the page");
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(there.replace("\r\n", "\n") == page, "docs/{name} is out of date: {COMMAND}");
}

/// A text inside a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
