//! The mentions of externals in one file, with ids numbered by the file alone.

use crate::facts::model::{Role, Usage};
use crate::graph::externals::detail;
use crate::graph::{ExternalRow, NodeId, Tier};
use crate::link::names::Names;

/// Where and how an external is mentioned.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At {
    pub owner: NodeId,
    pub line: u32,
    pub col: u16,
    pub role: Role,
    pub usage: Usage,
    pub tier: Tier,
}

/// Mentions of one file.
#[derive(Debug, Default)]
pub(crate) struct Mentions {
    ids: Names,
    /// [`ExternalRow::external`] is the number of the id in this file.
    pub rows: Vec<ExternalRow>,
}

impl Mentions {
    /// Adds a mention of the external with this id (`dep::…`, `stdlib::…`, or any other prefix).
    pub fn add(&mut self, id: &str, at: At) {
        let external = self.ids.enter(id);
        let At { owner, line, col, role, usage, tier } = at;
        self.rows.push(ExternalRow { owner, external, line, col, role: role as u8, detail: detail(usage, tier) });
    }

    /// The ids by their numbers in this file.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        (0..self.ids.len() as u32).map(|at| self.ids.text(at))
    }

    /// Sorted by owner and place, and once each.
    pub fn settle(&mut self) {
        let ids = &self.ids;
        self.rows.sort_unstable_by_key(|row| (row.owner, row.line, row.col, ids.text(row.external), row.role, row.detail));
        self.rows.dedup_by_key(|row| (row.owner, row.line, row.col, row.external, row.role));
    }
}
