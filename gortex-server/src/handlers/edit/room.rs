//! From a call to the edit room and back: roots, parse gate, and the index brought up to date before the answer leaves.
//!
//! What is on disk and what the graph knows of it are told apart: a write that landed is never hidden because indexing is
//! behind.

use gortex_engine::edit::{Context, Edit, Mode, Outcome, Roots, SyntaxHealth};
use gortex_engine::engine::View;
use gortex_engine::graph::FileStatus;
use gortex_engine::lang::health::syntax_health;
use gortex_engine::query::place::Anchor;
use gortex_engine::query::symbol::{Resolved, nearest, resolve};
use serde_json::Map;

use super::errors::call_error;
use crate::handlers::shared::prelude::*;
use crate::handlers::shared::symbol::candidate;

/// Arguments that every guarded write of one file has.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema, FacadeArgs)]
pub(crate) struct GuardArgs {
    /// The git blob hash of the file as it was read; another one on disk refuses the edit.
    #[at(guard)]
    pub base_sha: Option<String>,
    /// Show what would happen and write nothing.
    #[at(top)]
    #[serde(default)]
    pub dry_run: bool,
    /// Write even when the result has more syntax errors than before.
    #[at(options)]
    #[serde(default)]
    pub allow_parse_errors: bool,
    /// Read the file again after the write and return its digests.
    #[at(options)]
    #[serde(default)]
    pub physical_evidence: bool,
    /// The digest of the evidence; `sha256` is the only one.
    #[at(options)]
    pub digest: Option<String>,
    /// A key: the same edit sent again under it is answered, not done twice.
    #[at(options)]
    pub mutation_id: Option<String>,
}

impl GuardArgs {
    /// Puts the guards into an edit.
    pub fn guard(&self, edit: &mut Edit<'_>) -> Result<(), CallError> {
        if let Some(digest) = self.digest.as_deref().filter(|digest| *digest != "sha256") {
            return Err(CallError::invalid(format!("`{digest}` is no digest"))
                .data("field", "digest")
                .data("valid_values", ["sha256"]));
        }
        edit.base_sha = self.base_sha.clone().filter(|sha| !sha.is_empty());
        edit.allow_parse_errors = self.allow_parse_errors;
        edit.physical_evidence = self.physical_evidence;
        edit.mutation_id = self.mutation_id.clone().filter(|id| !id.is_empty());
        Ok(())
    }
}

/// Counts syntax errors for the parse gate.
pub(crate) fn gate(rel: &str, bytes: &[u8]) -> Option<SyntaxHealth> {
    syntax_health(rel, bytes)
}

/// The tracked roots; none at all is said as such instead of as a path outside them.
pub(crate) fn roots(files: &FileWriter) -> Result<Roots, CallError> {
    let roots = files.engine().roots().map_err(call_error)?;
    if roots.all().is_empty() {
        return Err(CallError::new(Code::RepoNotTracked, "no repository is tracked, so there is nothing that may be written")
            .hint("workspace_admin(operation=\"track\", arguments={\"path\": \"<absolute path>\"})"));
    }
    Ok(roots)
}

/// Does one edit and returns the answer with what the index knows of it.
pub(crate) fn run(files: &FileWriter, edit: &Edit<'_>, dry_run: bool) -> Result<(Outcome, Map<String, Value>), CallError> {
    let roots = roots(files)?;
    let cancelled = || files.is_cancelled();
    let context = Context { gate: Some(&gate), cancelled: Some(&cancelled), ..Context::new(&roots) };
    let mode = if dry_run { Mode::Preview } else { Mode::Commit(files.authority()) };
    let outcome = files.engine().editor().edit(&context, mode, edit).map_err(call_error)?;
    let mut answer = object(&outcome)?;
    if dry_run {
        answer.insert("reindexed".to_owned(), Value::Bool(false));
    } else {
        files.landed([outcome.path.clone()]);
        let view = files.reindex();
        answer.extend(freshness(&view));
        answer.extend(file_state(&view, outcome.target.root, &outcome.target.rel));
    }
    Ok((outcome, answer))
}

/// A serializable struct as an object.
pub(crate) fn object(value: &impl Serialize) -> Result<Map<String, Value>, CallError> {
    match serde_json::to_value(value) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(_) => Err(CallError::internal("an answer is no object")),
        Err(error) => Err(CallError::internal(error.to_string())),
    }
}

/// Whether the view describes the disk after the write.
pub(crate) fn freshness(view: &View) -> Map<String, Value> {
    let mut map = Map::new();
    map.insert("graph_status".to_owned(), Value::from(if view.complete { "fresh" } else { "pending" }));
    if view.complete {
        map.insert("reindex_generation".to_owned(), Value::from(view.graph.generation));
    } else {
        map.insert("reindex_pending".to_owned(), Value::Bool(true));
    }
    map
}

/// What the view knows of one file.
pub(crate) fn file_state(view: &View, root: usize, rel: &str) -> Map<String, Value> {
    let mut map = Map::new();
    let entry = (root < view.repos.len()).then(|| view.graph.file(&view.shown(root, rel))).flatten();
    map.insert("reindexed".to_owned(), Value::Bool(view.complete && entry.is_some()));
    let Some(entry) = entry else {
        map.insert("indexed".to_owned(), Value::Bool(false));
        return map;
    };
    if matches!(entry.status, FileStatus::Indexed | FileStatus::Partial) {
        let header = *entry.facts.view().header;
        let errors = header.parse_errors;
        let warning = match errors {
            0 => None,
            1 => Some(format!("the file has 1 syntax error, at line {}", header.first_error_line)),
            _ => Some(format!("the file has {errors} syntax errors, first at line {}", header.first_error_line)),
        };
        let mut health = Map::new();
        health.insert("healthy".to_owned(), Value::Bool(errors == 0));
        health.insert("parse_errors".to_owned(), Value::from(errors));
        health.extend(warning.map(|text| ("warning".to_owned(), Value::from(text))));
        map.insert("syntax_health".to_owned(), Value::Object(health));
    }
    map
}

/// A symbol that is about to be changed: its file and how it is found again.
pub(crate) struct Editable {
    /// The stable id.
    pub id: String,
    /// The file as answers give it.
    pub path: String,
    /// How it is found in the file's bytes.
    pub anchor: Anchor,
    /// Its node in the view it was found in.
    pub node: gortex_engine::graph::NodeId,
}

/// Finds the one symbol that is to be changed. Unlike for reads, none or several are errors: nothing may be written.
pub(crate) fn editable(graph: &gortex_engine::graph::Graph, text: &str) -> Result<Editable, CallError> {
    let node = match resolve(graph, text) {
        Resolved::One(node) => node,
        Resolved::Many(nodes) => return Err(ambiguous(graph, text, &nodes)),
        Resolved::None(_) => return Err(missing(graph, text)),
    };
    let anchor = Anchor::of(graph, node).ok_or_else(|| {
        CallError::new(Code::InvalidArgument, format!("`{text}` is a file, not a symbol"))
            .data("field", "target.symbol")
            .hint("edit(operation=\"file\", target={\"file\"}) changes any text of a file")
    })?;
    Ok(Editable { id: graph.id(node), path: graph.file_of(node).path.clone(), anchor, node })
}

fn ambiguous(graph: &gortex_engine::graph::Graph, text: &str, nodes: &[gortex_engine::graph::NodeId]) -> CallError {
    let candidates: Vec<Value> = nodes.iter().take(10).map(|node| candidate(graph, *node)).collect();
    CallError::new(Code::AmbiguousSymbol, format!("`{text}` names {} symbols; say which", nodes.len()))
        .data("symbol", text)
        .data("candidates", candidates)
        .data("total", nodes.len())
        .hint("call again with one of the ids")
}

fn missing(graph: &gortex_engine::graph::Graph, text: &str) -> CallError {
    let ids: Vec<String> = nearest(graph, text).iter().map(|node| graph.id(*node)).collect();
    CallError::new(Code::SymbolNotFound, format!("no symbol is called `{text}`")).data("symbol", text).data("did_you_mean", ids)
}
