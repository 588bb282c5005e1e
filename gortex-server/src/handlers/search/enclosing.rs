//! What stands around a line: the innermost definition of its file; and text search as several operations use it.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use gortex_engine::graph::{FileEntry, NodeId};
use gortex_engine::search::PathFilter;
use gortex_engine::search::text::{self, Known, TextAnswer, TextError, TextFile, TextMatch, TextQuery};

use crate::handlers::shared::prelude::*;

/// The innermost definition of a file whose lines contain this one.
pub(crate) fn enclosing(file: &FileEntry, line: u32) -> Option<NodeId> {
    let view = file.facts.view();
    let holds = view.defs.iter().enumerate().filter(|(_, def)| def.start_line <= line && line <= def.end_line);
    let (index, _) = holds.min_by_key(|(index, def)| (def.end_line - def.start_line, std::cmp::Reverse(*index)))?;
    Some(file.base + 1 + index as u32)
}

/// The files that text search looks into, with their place in the graph.
pub(crate) fn text_files<'g>(graph: &'g Graph, paths: &PathFilter, repo: Option<u16>) -> (Vec<TextFile<'g>>, Vec<usize>) {
    let view = graph.view();
    let mut files = Vec::new();
    let mut places = Vec::new();
    for (at, file) in graph.files.iter().enumerate() {
        let wanted = file.status.is_text() && paths.admits(&file.path) && repo.is_none_or(|repo| file.repo == repo);
        if let Some((info, rel)) = view.split(&file.path).filter(|_| wanted) {
            let root: &Path = &info.root;
            files.push(TextFile { root, rel, buffer: None, known: Some(Known::of(file)) });
            places.push(at);
        }
    }
    (files, places)
}

/// Searches the text of the view's files; the second value gives each match's file its place in the graph.
pub(crate) fn search_lines(
    graph: &Graph,
    query: &TextQuery<'_>,
    paths: &PathFilter,
    repo: Option<u16>,
) -> Result<(TextAnswer, Vec<usize>), TextError> {
    let (files, places) = text_files(graph, paths, repo);
    let answer = graph.engine().run(|| text::search(&files, query, &AtomicBool::new(false)))?;
    Ok((answer, places))
}

/// The row of a matching line, with the symbol around it.
pub(crate) fn line_row(graph: &Graph, file: usize, found: &TextMatch) -> Value {
    let entry = &graph.files[file];
    let line = u32::try_from(found.line).unwrap_or(u32::MAX);
    let mut row = json!({"path": entry.path, "line": found.line, "text": found.text});
    if let Some(node) = enclosing(entry, line) {
        row["symbol_id"] = json!(graph.id(node));
        row["symbol_name"] = json!(graph.name(node));
    }
    row
}
