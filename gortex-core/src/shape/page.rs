//! Pages of one list.
//!
//! A page is a run of rows that fits, and a cursor to the next one. In an answer of `nodes` and `edges` the rows are the
//! edges, followed by the nodes that no edge mentions; a page keeps the first node (the one asked about) and the nodes
//! that its edges use.
//!
//! A cursor goes on where its page ended, also after the data was made anew, as long as the rows before it are still the same
//! rows: what follows is then what would have followed. Otherwise it has expired and says so.

use std::cell::Cell;
use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hasher as _};

use serde_json::{Map, Value};

use super::{Controls, Wire};
use crate::canonical::{canonical, json_len, sha256, token, untoken};
use crate::error::{CallError, Code};

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

/// What a cursor must agree with.
pub(super) struct Stamp {
    /// The request and the fields asked for.
    request: String,
    /// The state of the data, where it is known.
    generation: Option<String>,
}

impl Stamp {
    pub(super) fn new(operation: &str, request: &Map<String, Value>, fields: &[String], generation: Option<String>) -> Self {
        let request = canonical(&Value::Object(request.clone()));
        let all = [operation, &request, &fields.join(",")].join("\n");
        Self { request: sha256(all.as_bytes())[..16].to_owned(), generation }
    }
}

/// Where a cursor leads.
struct Place {
    offset: usize,
    generation: String,
    rows: u64,
}

/// The body with the page that the controls ask for.
pub(super) fn cut(
    body: Value,
    key: &'static str,
    links: &Links,
    controls: &Controls,
    wire: &Wire<'_>,
    stamp: &Stamp,
) -> Result<Value, CallError> {
    let place = controls.cursor.as_deref().map(|cursor| place_of(cursor, stamp)).transpose()?;
    let Value::Object(mut frame) = body else { return Ok(body) };
    let rows = take_list(&mut frame, key);
    let nodes = if links.edges.is_some() { take_list(&mut frame, "nodes") } else { Vec::new() };
    let pages = Pages { frame, key, rows, nodes, links, hashed: Cell::new((0, DefaultHasher::new().finish())) };
    let all = pages.len();
    let offset = place.as_ref().map_or(0, |place| place.offset);
    if let (Some(place), Some(cursor)) = (&place, &controls.cursor) {
        let same = stamp.generation.as_ref() == Some(&place.generation) || offset <= all && pages.hash(offset) == place.rows;
        if !same {
            return Err(expired(cursor));
        }
        if offset >= all {
            return Err(if offset == 0 { bad_cursor(cursor) } else { expired(cursor) });
        }
    }
    let mut most = all - offset;
    if let Some(limit) = controls.limit {
        most = most.min(limit);
    }
    let Some(bytes) = controls.budget.bytes else {
        return Ok(pages.build(offset, most, false, stamp));
    };
    let whole = pages.build(offset, most, false, stamp);
    if wire.len(&whole) <= bytes {
        return Ok(whole);
    }
    if wire.format != super::Format::Json {
        return Ok(pages.search(offset, most, bytes, wire, stamp));
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
    /// The hash of the first rows and how many they are: pages are built from the front, so the work is done once.
    hashed: Cell<(usize, u64)>,
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

    /// The hash of the first `count` rows.
    fn hash(&self, count: usize) -> u64 {
        let (from, so_far) = self.hashed.get();
        let (from, so_far) = if from <= count { (from, so_far) } else { (0, DefaultHasher::new().finish()) };
        let hash = (from..count).fold(so_far, |so_far, row| {
            let mut hasher = Hashing(DefaultHasher::new());
            hasher.0.write_u64(so_far);
            match self.rows.get(row) {
                // Writing to a hasher can't fail.
                Some(value) => drop(serde_json::to_writer(&mut hasher, value)),
                None => self.nodes_of(row).iter().for_each(|node| drop(serde_json::to_writer(&mut hasher, &self.nodes[*node]))),
            }
            hasher.0.finish()
        });
        self.hashed.set((count, hash));
        hash
    }

    /// The largest page that fits in a form whose size can't be added up; of one row at least.
    fn search(&self, offset: usize, most: usize, bytes: usize, wire: &Wire<'_>, stamp: &Stamp) -> Value {
        let (mut fits, mut too_many) = (1, most.max(2));
        while fits + 1 < too_many {
            let middle = usize::midpoint(fits, too_many);
            if wire.len(&self.build(offset, middle, true, stamp)) <= bytes {
                fits = middle;
            } else {
                too_many = middle;
            }
        }
        self.build(offset, fits.min(most), true, stamp)
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
    fn build(&self, offset: usize, count: usize, by_budget: bool, stamp: &Stamp) -> Value {
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
            page.insert("next_cursor".into(), Value::from(cursor(end, self.hash(end), stamp)));
        }
        if by_budget && end < self.len() {
            page.insert("_truncated_by_budget".into(), Value::Bool(true));
            page.insert(format!("_max_returned_{}", self.key), Value::from(last - first));
            page.insert(format!("_original_count_{}", self.key), Value::from(self.rows.len()));
        }
        Value::Object(page)
    }
}

/// Feeds what is written to a hash.
struct Hashing(DefaultHasher);

impl std::io::Write for Hashing {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.write(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The cursor to the rows from `offset` on; `rows` is the hash of those before.
fn cursor(offset: usize, rows: u64, stamp: &Stamp) -> String {
    token(&format!("{offset}.{}.{rows:x}.{}", stamp.request, stamp.generation.as_deref().unwrap_or_default()))
}

/// Where a cursor leads, if it belongs to this request.
fn place_of(cursor: &str, stamp: &Stamp) -> Result<Place, CallError> {
    let text = untoken(cursor.trim()).ok_or_else(|| bad_cursor(cursor))?;
    let parts: Vec<&str> = text.splitn(4, '.').collect();
    let [offset, request, rows, generation] = parts[..] else { return Err(bad_cursor(cursor)) };
    let offset = offset.parse().map_err(|_| bad_cursor(cursor))?;
    let rows = u64::from_str_radix(rows, 16).map_err(|_| bad_cursor(cursor))?;
    if request != stamp.request {
        return Err(CallError::invalid("the cursor belongs to another request")
            .data("field", "output.cursor")
            .data("received", cursor)
            .data("reason", "foreign_cursor")
            .hint("repeat the request that gave the cursor, with nothing else changed, or ask without one"));
    }
    Ok(Place { offset, generation: generation.to_owned(), rows })
}

/// The refusal of a cursor whose rows are not the same any more.
fn expired(cursor: &str) -> CallError {
    CallError::new(Code::CursorExpired, "the cursor has expired: the rows before it are not the same any more")
        .retriable(false)
        .data("field", "output.cursor")
        .data("received", cursor)
        .data("reason", "stale_cursor")
        .hint("repeat the request without a cursor")
}

/// The refusal of a cursor that nothing gave out.
pub(super) fn bad_cursor(cursor: &str) -> CallError {
    CallError::invalid("the cursor is not one of this answer's")
        .data("field", "output.cursor")
        .data("received", cursor)
        .data("reason", "unknown_cursor")
        .hint("repeat the request without a cursor")
}
