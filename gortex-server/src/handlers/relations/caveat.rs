//! Why an empty answer may be wrong, or that it is likely right.
//!
//! A zero is the most acted-upon answer there is. It is called likely only where the name is mentioned nowhere unbound, the
//! symbol is never handed over as a value, nothing outside may call it, and every file that mentions it could be read.
//!
//! Knows a symbol and the evidence around it; it never decides for the caller.

use std::sync::atomic::AtomicBool;

use gortex_engine::graph::{FileStatus, NodeId};
use gortex_engine::query::loose::called_as;
use gortex_engine::query::relations::Traces;
use gortex_engine::search::text::{Known, TextFile, TextQuery, search};
use serde_json::{Value, json};

use crate::state::Graph;

/// Files that were not parsed completely are searched for the name up to so many, and so many bytes.
const FILES: usize = 1024;
const BYTES: u64 = 64 << 20;
/// Files named in a message.
const NAMED: usize = 3;

/// The caveat of an answer without rows, or with rows that rest on the name alone.
pub(super) fn of_zero(graph: &Graph, target: NodeId, traces: &Traces, by_name: usize, dispatch: usize) -> Value {
    let gaps = incomplete_files(graph, target);
    if !gaps.is_empty() {
        let more = if gaps.len() > NAMED { ", …" } else { "" };
        let named: Vec<&str> = gaps.iter().take(NAMED).map(String::as_str).collect();
        let message = format!(
            "{} file(s) that mention the name could not be taken in completely ({}{more}); search them as text",
            gaps.len(),
            named.join(", ")
        );
        return json!({"class": "coverage_incomplete", "message": message});
    }
    if !graph.view().complete {
        return json!({"class": "coverage_incomplete", "message": "the index is not complete yet"});
    }
    let mut why = Vec::new();
    if by_name > 0 {
        why.push(format!("{by_name} call site(s) of that name are bound to nothing; min_tier=text_matched shows them"));
    }
    if dispatch > 0 {
        why.push(format!("{dispatch} call(s) may reach it by dispatch; include_speculative shows them"));
    }
    if !traces.handed_over.is_empty() {
        why.push(format!("it is handed over as a value at {} place(s) and may be called through it", traces.handed_over.len()));
    }
    for (kind, count) in &traces.mentions {
        why.push(format!("{count} row(s) of kind `{kind}` mention it; relations(operation=\"usages\") lists them"));
    }
    why.extend(traces.from_outside.map(str::to_owned));
    if why.is_empty() {
        json!({
            "class": "likely_unused",
            "message": "no caller, no mention that is bound to nothing, no use as a value, and no file that mentions it was left out",
        })
    } else {
        json!({"class": "possible_extraction_gap", "message": why.join("; ")})
    }
}

/// Files of the symbol's language that mention its name but were not taken in completely, sorted.
fn incomplete_files(graph: &Graph, target: NodeId) -> Vec<String> {
    let family = |lang: Option<gortex_engine::lang::Lang>| lang.map(|lang| lang.language().family);
    let own = family(graph.file_of(target).lang);
    let partial =
        |status| matches!(status, FileStatus::Partial | FileStatus::Minified | FileStatus::Oversized | FileStatus::Unreadable);
    let suspects = graph.files.iter().filter(|file| partial(file.status) && family(file.lang) == own);
    let mut found: Vec<String> = Vec::new();
    let mut files: Vec<(&str, TextFile<'_>)> = Vec::new();
    let mut bytes = 0;
    for file in suspects {
        bytes += file.size;
        let place = graph.view().split(&file.path);
        match place {
            Some((repo, rel)) if file.status.is_text() && files.len() < FILES && bytes < BYTES => {
                files.push((&file.path, TextFile { root: &repo.root, rel, buffer: None, known: Some(Known::of(file)) }));
            }
            _ => found.push(file.path.clone()),
        }
    }
    if files.is_empty() {
        return found;
    }
    let list: Vec<TextFile<'_>> = files.iter().map(|(_, file)| *file).collect();
    let query = TextQuery { pattern: called_as(graph, target), limit: usize::MAX, ..TextQuery::default() };
    if let Ok(answer) = search(&list, &query, &AtomicBool::new(false)) {
        found.extend(answer.matches.iter().filter_map(|hit| files.get(hit.file)).map(|(path, _)| (*path).to_owned()));
    }
    found.sort_unstable();
    found.dedup();
    found
}
