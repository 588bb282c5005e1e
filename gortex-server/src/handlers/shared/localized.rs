//! Where a task points: the engine's localization over the current view, with the disk at hand.

use gortex_engine::query::localize::{Indexes, Localized, Task, localize};
use gortex_engine::search::text::Reader;

use crate::state::Graph;

/// Ranks files and symbols for a task; `most` symbols at most.
pub(crate) fn localized(graph: &Graph, task: &Task, most: usize) -> Localized {
    let view = graph.view();
    let engine = graph.engine();
    let indexes = Indexes { symbols: view.symbols(), contents: engine.contents(view), links: view.links() };
    let reader = Reader::default();
    let read = |at: usize| {
        let (repo, rel) = view.split(&graph.files[at].path)?;
        reader.read(&repo.root, rel).ok()
    };
    engine.run(|| localize(graph, indexes, task, most, read))
}
