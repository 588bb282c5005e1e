//! Writes that happen completely or not at all.
//!
//! An [`Editor`] changes files inside tracked [`Roots`]: one file by [`Editor::edit`], several as one transaction by
//! [`Editor::batch`]. Paths are confined, guards are compared under a lock, results are judged by a parse gate, files appear by
//! rename, and a transaction keeps a journal that [`Editor::recover`] can finish or undo after a crash. Whoever writes shows a
//! [`FileAuthority`]; whoever previews needs none.
//!
//! Knows files, bytes and transactions; nothing of graphs, tools or protocols. Where a symbol stands, how many syntax errors a
//! text has and what git thinks of a path is asked of the caller.

mod authority;
pub mod batch;
mod content;
mod diff;
mod disk;
mod error;
mod evidence;
mod gate;
mod hash;
mod locks;
mod receipts;
mod roots;
mod single;
#[cfg(test)]
mod testing;
mod text;

pub use authority::{FileAuthority, Mode};
pub use content::{Content, Locate, Place, Within};
pub use diff::unified as unified_diff;
pub use error::EditError;
pub use evidence::{PhysicalEvidence, is_secret_shaped, timestamp};
pub use gate::{GateFn, ParseGate, SyntaxHealth};
pub use hash::{git_blob_sha1, sha256};
pub use roots::{Root, Roots, Target, Want};
pub use single::{Edit, Outcome, Status};
pub use text::LineRange;

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970.
pub type Clock = Box<dyn Fn() -> u64 + Send + Sync>;

/// Says whether the caller has given up.
pub type CancelFn<'a> = &'a (dyn Fn() -> bool + Sync);

/// What an edit may ask of its caller.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The folders that may be touched.
    pub roots: &'a Roots,
    /// Counts syntax errors; without it nothing is blocked for its syntax.
    pub gate: Option<GateFn<'a>>,
    /// True once the caller has given up. Asked until the first byte is written, never after.
    pub cancelled: Option<CancelFn<'a>>,
}

impl<'a> Context<'a> {
    /// A context that only knows the roots.
    pub fn new(roots: &'a Roots) -> Self {
        Self { roots, gate: None, cancelled: None }
    }

    fn is_cancelled(&self) -> bool {
        self.cancelled.is_some_and(|cancelled| cancelled())
    }
}

/// The one writer of an engine: its locks, its receipts, its journal.
pub struct Editor {
    state_dir: PathBuf,
    locks: locks::Locks,
    receipts: receipts::Receipts,
    authority: authority::AuthoritySlot,
    clock: Clock,
}

impl Editor {
    /// An editor that keeps its journal in a private folder, which is made when first written to.
    pub fn new(state_dir: impl Into<PathBuf>) -> Self {
        Self::with_clock(state_dir, Box::new(wall_clock))
    }

    /// An editor with a clock of the caller.
    pub fn with_clock(state_dir: impl Into<PathBuf>, clock: Clock) -> Self {
        let state_dir = state_dir.into();
        Self {
            locks: locks::Locks::new(&state_dir),
            receipts: receipts::Receipts::default(),
            authority: authority::AuthoritySlot::default(),
            clock,
            state_dir,
        }
    }

    /// The right to write, on the first call; `None` ever after. Whoever opens the editor takes it and decides who gets it.
    pub fn authority(&self) -> Option<FileAuthority> {
        self.authority.take()
    }

    fn now_ms(&self) -> u64 {
        (self.clock)()
    }
}

fn wall_clock() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}
