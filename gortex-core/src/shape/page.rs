//! Pages of one list.
//!
//! A page is a run of rows that fits, and a cursor to the next one. In an answer of `nodes` and `edges` the rows are the
//! edges, followed by the nodes that no edge mentions; a page keeps the first node (the one asked about) and the nodes
//! that its edges use.

use std::collections::{BTreeSet, HashMap};

use serde_json::{Map, Value};

use super::Controls;
use crate::canonical::{json_len, token, untoken};
use crate::error::CallError;

/// Which nodes the rows of an answer use, read before any field is dropped.
#[derive(Debug, Default)]
pub(super) struct Links {
    /// For each edge the positions of its nodes; `None` when the answer is no graph.
    edges: Option<Vec<Vec<usize>>>,
    /// Nodes that no edge mentions, the first one left out.
    lonely: Vec<usize>,
}

impl Links {
    /// Reads the links of an answer whose rows are edges beside nodes.
    pub(super) fn of(body: &Value, rows: Option<&str>) -> Self {
        let (Some("edges"), Some(nodes)) = (rows, body.get("nodes").and_then(Value::as_array)) else {
            return Self::default();
        };
        let at: HashMap<&str, usize> = nodes
            .iter()
            .enumerate()
            .rev() // of equal ids the first counts
            .filter_map(|(at, node)| Some((node.get("id")?.as_str()?, at)))
            .collect();
        let ends = |edge: &Value| -> Vec<usize> {
            ["from", "to"].iter().filter_map(|end| at.get(edge.get(*end)?.as_str()?).copied()).collect()
        };
        let edges: Vec<Vec<usize>> = body["edges"].as_array().into_iter().flatten().map(ends).collect();
        let used: BTreeSet<usize> = edges.iter().flatten().copied().collect();
        let lonely = (1..nodes.len()).filter(|node| !used.contains(node)).collect();
        Self { edges: Some(edges), lonely }
    }
}

/// The body with the page that the controls ask for.
pub(super) fn cut(body: Value, key: &'static str, links: &Links, controls: &Controls, stamp: &str) -> Result<Value, CallError> {
    let offset = match &controls.cursor {
        Some(cursor) => offset(cursor, stamp)?,
        None => 0,
    };
    let Value::Object(mut frame) = body else { return Ok(body) };
    let rows = take_list(&mut frame, key);
    let nodes = if links.edges.is_some() { take_list(&mut frame, "nodes") } else { Vec::new() };
    let pages = Pages { frame, key, rows, nodes, links };
    let all = pages.len();
    if offset > all || (offset == all && offset > 0) {
        return Err(bad_cursor(controls.cursor.as_deref().unwrap_or_default()));
    }
    let mut most = all - offset;
    if let Some(limit) = controls.limit {
        most = most.min(limit);
    }
    let Some(bytes) = controls.budget.bytes else {
        return Ok(pages.build(offset, most, false, stamp));
    };
    let whole = pages.build(offset, most, false, stamp);
    if json_len(&whole) <= bytes {
        return Ok(whole);
    }
    let mut count = pages.estimate(offset, most, bytes);
    loop {
        let page = pages.build(offset, count, true, stamp);
        if count <= 1 || json_len(&page) <= bytes {
            return Ok(page);
        }
        count -= (count / 50).max(1);
    }
}

/// Takes a list out of the frame, leaving an empty one in its place.
fn take_list(frame: &mut Map<String, Value>, key: &str) -> Vec<Value> {
    match frame.get_mut(key).map(Value::take) {
        Some(Value::Array(list)) => {
            frame.insert(key.to_owned(), Value::Array(Vec::new()));
            list
        }
        Some(other) => {
            frame.insert(key.to_owned(), other);
            Vec::new()
        }
        None => Vec::new(),
    }
}

/// An answer taken apart for paging.
struct Pages<'l> {
    frame: Map<String, Value>,
    key: &'static str,
    rows: Vec<Value>,
    nodes: Vec<Value>,
    links: &'l Links,
}

impl Pages<'_> {
    /// How many rows there are to page through.
    fn len(&self) -> usize {
        self.rows.len() + self.links.lonely.len()
    }

    /// The nodes of one row.
    fn nodes_of(&self, row: usize) -> &[usize] {
        match &self.links.edges {
            Some(edges) if row < edges.len() => &edges[row],
            Some(edges) => &self.links.lonely[row - edges.len()..=row - edges.len()],
            None => &[],
        }
    }

    /// How many rows probably fit: sizes added up.
    fn estimate(&self, offset: usize, most: usize, bytes: usize) -> usize {
        const FLAGS: usize = 200;
        let mut size = json_len(&Value::Object(self.frame.clone())) + FLAGS;
        let mut seen = BTreeSet::new();
        if let Some(first) = self.nodes.first() {
            size += json_len(first) + 1;
            seen.insert(0);
        }
        for count in 0..most {
            let row = offset + count;
            size += self.rows.get(row).map_or(0, |row| json_len(row) + 1);
            for node in self.nodes_of(row) {
                if seen.insert(*node) {
                    size += json_len(&self.nodes[*node]) + 1;
                }
            }
            if size > bytes {
                return count.max(1);
            }
        }
        most
    }

    /// The page of `count` rows from `offset`.
    fn build(&self, offset: usize, count: usize, by_budget: bool, stamp: &str) -> Value {
        let end = offset + count;
        let mut page = self.frame.clone();
        let last = end.min(self.rows.len());
        let first = offset.min(last);
        page.insert(self.key.to_owned(), Value::Array(self.rows[first..last].to_vec()));
        let partial = offset > 0 || end < self.len();
        if self.links.edges.is_some() {
            let nodes = if partial {
                let mut used: BTreeSet<usize> = (offset..end).flat_map(|row| self.nodes_of(row)).copied().collect();
                if !self.nodes.is_empty() {
                    used.insert(0);
                }
                used.into_iter().map(|node| self.nodes[node].clone()).collect()
            } else {
                self.nodes.clone()
            };
            page.insert("nodes".into(), Value::Array(nodes));
        }
        if end < self.len() {
            if page.get("truncated") == Some(&Value::Bool(false)) {
                page.insert("truncated".into(), Value::Bool(true));
            }
            page.insert("next_cursor".into(), Value::from(cursor(end, stamp)));
        }
        if by_budget && end < self.len() {
            page.insert("_truncated_by_budget".into(), Value::Bool(true));
            page.insert(format!("_max_returned_{}", self.key), Value::from(last - first));
            page.insert(format!("_original_count_{}", self.key), Value::from(self.rows.len()));
        }
        Value::Object(page)
    }
}

/// The cursor to the rows from `offset` on.
fn cursor(offset: usize, stamp: &str) -> String {
    token(&format!("{offset}.{stamp}"))
}

/// Where a cursor leads, if it belongs to this request and this data.
fn offset(cursor: &str, stamp: &str) -> Result<usize, CallError> {
    let text = untoken(cursor.trim()).ok_or_else(|| bad_cursor(cursor))?;
    let (offset, other) = text.split_once('.').ok_or_else(|| bad_cursor(cursor))?;
    let offset = offset.parse().map_err(|_| bad_cursor(cursor))?;
    if other != stamp {
        return Err(CallError::invalid("the cursor belongs to another request, or the data has changed since")
            .data("field", "output.cursor")
            .data("received", cursor)
            .data("reason", "stale_cursor")
            .hint("repeat the request without a cursor"));
    }
    Ok(offset)
}

/// The refusal of a cursor that nothing gave out.
pub(super) fn bad_cursor(cursor: &str) -> CallError {
    CallError::invalid("the cursor is not one of this answer's")
        .data("field", "output.cursor")
        .data("received", cursor)
        .data("reason", "unknown_cursor")
        .hint("repeat the request without a cursor")
}
