//! When the reach index is made: nobody waits for it.
//!
//! The first question about a view's reach is answered by walking its edges, and the index is made beside that; a generation
//! that nobody asks about never has one, so indexing and edits pay nothing.

use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};

use super::View;
use crate::graph::NodeId;
use crate::query::impact::{Impact, ImpactBounds, impact};
use crate::query::reach::ReachIndex;

/// The index of one generation, or that it is being made.
#[derive(Debug, Default)]
pub(super) struct Reach {
    asked: std::sync::atomic::AtomicBool,
    made: OnceLock<ReachIndex>,
}

impl View {
    /// What a change of these symbols reaches.
    pub fn impact(self: &Arc<View>, seeds: &[NodeId], bounds: ImpactBounds) -> Impact {
        let reach = &self.indexes.reach;
        let found = impact(&self.graph, reach.made.get(), seeds, bounds);
        if !reach.asked.swap(true, Ordering::Relaxed) {
            let view = Arc::clone(self);
            let make = move || {
                let _ = view.indexes.reach.made.set(ReachIndex::build(&view.graph));
            };
            if let Err(error) = std::thread::Builder::new().name("reach".to_owned()).spawn(make) {
                tracing::debug!(%error, "no thread for the reach index; edges are walked");
            }
        }
        found
    }
}
