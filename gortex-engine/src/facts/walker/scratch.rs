//! The memory of a walk, kept by its thread for the next file.
//!
//! Most files are small, and the tables of each would grow from nothing. Contents never pass from file to file.
//!
//! Knows containers, not what is in them.

use std::cell::Cell;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::facts::model::Str;
use crate::facts::pack::{Rows, Strings};
use crate::facts::scope::Scopes;

/// A table that once held more is not kept: clearing it would cost every small file after a large one.
const LARGEST: usize = 1 << 16;

/// Empty containers, most of them with room.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    pub rows: Rows,
    pub strings: Strings,
    pub scopes: Scopes,
    pub ref_scopes: Vec<u32>,
    pub expr_scopes: Vec<(u32, u32)>,
    pub expr_memo: FxHashMap<usize, u32>,
    pub claimed: FxHashSet<(u32, u8, Str)>,
    pub members: FxHashSet<(u32, Str)>,
    pub handed: FxHashMap<usize, (u32, usize)>,
}

thread_local! {
    static KEPT: Cell<Option<Box<Scratch>>> = const { Cell::new(None) };
}

impl Scratch {
    /// What the thread's last walk left, or new containers.
    pub fn take() -> Scratch {
        KEPT.take().map_or_else(Scratch::default, |kept| *kept)
    }

    /// Empties the containers and keeps them for the next walk.
    pub fn keep(mut self) {
        if self.rows.refs.capacity().max(self.expr_memo.capacity()).max(self.strings.count()) > LARGEST {
            return;
        }
        self.rows.clear();
        self.strings.clear();
        self.scopes.clear();
        self.ref_scopes.clear();
        self.expr_scopes.clear();
        self.expr_memo.clear();
        self.claimed.clear();
        self.members.clear();
        self.handed.clear();
        KEPT.set(Some(Box::new(self)));
    }
}
