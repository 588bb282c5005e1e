//! The counted words of the current files, made once per content and kept from view to view.

use super::{Engine, View};
use crate::graph::FileEntry;
use crate::search::contents::Contents;
use crate::search::text::Reader;

impl Engine {
    /// The words of a view's files; made by the first reader that asks, from what earlier views counted and from the files on
    /// disk. A file whose bytes are no longer those of the view is left out.
    pub fn contents<'v>(&self, view: &'v View) -> &'v Contents {
        if let Some(contents) = view.indexes.contents.get() {
            return contents;
        }
        let reader = Reader::default();
        let read = |file: &FileEntry| {
            let (repo, rel) = view.split(&file.path)?;
            reader.read(&repo.root, rel).ok().filter(|bytes| file.is_of(bytes))
        };
        let known = self.words.lock().clone();
        // Built outside of the cell: a thread of the pool that waits for it could be the one that has to build.
        let built = self.pool.install(|| Contents::build(&view.graph, &known, read));
        if view.revision.is_none() {
            *self.words.lock() = built.known(&view.graph).into();
        }
        view.indexes.contents.get_or_init(|| built)
    }
}
