//! Argument groups that many operations share.
//!
//! Knows how a caller narrows an answer; applying it is for each handler.

use gortex_core::{CallError, FacadeArgs};
use gortex_engine::graph::{EdgeRow, Graph, NodeId, Tier};
use gortex_engine::search::PathFilter;
use schemars::JsonSchema;
use serde::Deserialize;

/// Where to look.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema, FacadeArgs)]
pub(crate) struct ScopeArgs {
    /// Only this tracked repository: its prefix, as `workspace(operation="repos")` lists it.
    #[at(options)]
    pub repo: Option<String>,
}

impl ScopeArgs {
    /// The number of the repository asked for; an unknown one is an error that lists the tracked ones.
    pub fn repo_number(&self, graph: &Graph) -> Result<Option<u16>, CallError> {
        let Some(wanted) = self.repo.as_deref().filter(|wanted| !wanted.is_empty() && *wanted != "*") else { return Ok(None) };
        match graph.repos.iter().position(|name| name == wanted) {
            Some(at) => Ok(Some(at as u16)),
            None => Err(CallError::invalid(format!("no tracked repository is called `{wanted}`"))
                .data("field", "repo")
                .data("valid_values", &graph.repos)),
        }
    }

    /// Whether a node lies in scope.
    pub fn admits(&self, graph: &Graph, node: NodeId) -> bool {
        match self.repo_number(graph) {
            Ok(Some(repo)) => graph.file_of(node).repo == repo,
            _ => true,
        }
    }
}

/// Folders and files to narrow to.
pub(crate) fn path_filter(path: Option<&str>) -> PathFilter {
    PathFilter::parse(path.unwrap_or_default())
}

/// How sure an edge must be.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema, FacadeArgs)]
pub(crate) struct TierArgs {
    /// Weakest evidence to accept: lsp_resolved, lsp_dispatch, ast_resolved, ast_inferred or text_matched.
    #[at(options)]
    pub min_tier: Option<String>,
    /// Also show dynamic-dispatch candidates.
    #[at(options)]
    #[serde(default)]
    pub include_speculative: bool,
}

impl TierArgs {
    /// The weakest tier accepted; an unknown word is an error that lists the tiers.
    pub fn weakest(&self) -> Result<Option<Tier>, CallError> {
        let Some(word) = self.min_tier.as_deref().filter(|word| !word.is_empty()) else { return Ok(None) };
        let words: Vec<&str> = Tier::ALL.iter().map(|tier| tier.as_str()).collect();
        Tier::parse(word).map(Some).ok_or_else(|| {
            CallError::invalid(format!("`{word}` is no tier")).data("field", "min_tier").data("valid_values", words)
        })
    }

    /// Whether an edge is strong enough.
    pub fn admits(weakest: Option<Tier>, edge: &EdgeRow) -> bool {
        weakest.is_none_or(|weakest| edge.tier() <= weakest)
    }
}
