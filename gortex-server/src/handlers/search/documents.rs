//! Documents in answers of `search.symbols`: sections of prose and documentation comments as rows.

use std::collections::HashMap;

use gortex_engine::search::PathFilter;
use gortex_engine::search::docs::{DocHit, DocIndex, Section, best_line};
use gortex_engine::search::text::Reader;

use crate::handlers::shared::prelude::*;

/// A line of a section is shown with at most so many bytes.
const LINE: usize = 200;
/// What a rank counts for when two lists are merged (Cormack, Clarke and Büttcher 2009).
const RRF: f64 = 60.0;

/// What is asked of the documents.
#[derive(Debug)]
pub(crate) struct DocQuery<'a> {
    pub text: &'a str,
    pub paths: &'a PathFilter,
    pub repo: Option<u16>,
    /// Whether documentation comments count.
    pub comments: bool,
}

/// Sections that fit, best first.
pub(crate) fn find(graph: &Graph, query: &DocQuery<'_>) -> Vec<DocHit> {
    let admits = |section: &Section| {
        let file = &graph.files[section.file as usize];
        (query.comments || section.node.is_none())
            && query.repo.is_none_or(|repo| file.repo == repo)
            && query.paths.admits(&file.path)
    };
    graph.engine().run(|| graph.view().docs()).search(query.text, &admits)
}

/// The symbol whose documentation a hit is.
pub(crate) fn node(graph: &Graph, hit: &DocHit) -> Option<u32> {
    graph.view().docs().sections[hit.section as usize].node
}

/// The rows of sections, with the line of each that says most about the query.
pub(crate) fn rows(graph: &Graph, hits: &[DocHit], query: &str) -> Vec<Value> {
    let index = graph.view().docs();
    let reader = Reader::default();
    let mut texts: HashMap<u32, Option<String>> = HashMap::new();
    hits.iter()
        .map(|hit| {
            let section = &index.sections[hit.section as usize];
            let mut row = row(graph, index, hit, section);
            let text = texts.entry(section.file).or_insert_with(|| {
                let (repo, rel) = graph.view().split(&graph.files[section.file as usize].path)?;
                Some(String::from_utf8_lossy(&reader.read(&repo.root, rel).ok()?).into_owned())
            });
            if let Some((line, said)) = text.as_deref().and_then(|text| best_line(text, section, query)) {
                row["line"] = json!(line);
                row["text"] = json!(&said[..said.floor_char_boundary(LINE)]);
            }
            row
        })
        .collect()
}

fn row(graph: &Graph, index: &DocIndex, hit: &DocHit, section: &Section) -> Value {
    let path = &graph.files[section.file as usize].path;
    if let Some(node) = section.node {
        let mut row = serde_json::to_value(brief(graph, node)).unwrap_or_default();
        row["corpus"] = json!("comment");
        row["end_line"] = json!(section.end_line);
        return row;
    }
    let headings = index.heading_path(hit.section);
    let name = headings.last().copied().unwrap_or_else(|| path.rsplit('/').next().unwrap_or(path));
    json!({
        "id": format!("{path}#L{}", section.start_line),
        "name": name,
        "kind": "section",
        "file_path": path,
        "start_line": section.start_line,
        "end_line": section.end_line,
        "heading_path": headings,
        "corpus": "docs",
    })
}

/// Two ranked lists as one: what stands high in either comes first; the first list wins ties.
pub(crate) fn merge(first: Vec<Value>, second: Vec<Value>) -> Vec<Value> {
    let ranked = |list: Vec<Value>| list.into_iter().enumerate().map(|(at, row)| (1.0 / (RRF + at as f64), row));
    let mut merged: Vec<(f64, Value)> = Vec::new();
    for (score, row) in ranked(first).chain(ranked(second)) {
        // A comment found for itself strengthens its symbol.
        match merged.iter_mut().find(|(_, other)| other["id"] == row["id"]) {
            Some((other, _)) => *other += score,
            None => merged.push((score, row)),
        }
    }
    merged.sort_by(|a, b| b.0.total_cmp(&a.0));
    merged.into_iter().map(|(_, row)| row).collect()
}
