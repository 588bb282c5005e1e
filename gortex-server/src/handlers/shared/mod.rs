//! What handlers of several domains share: argument groups, symbol resolution, row shapes.

pub(crate) mod args;
pub(crate) mod rows;
pub(crate) mod symbol;

/// What every handler file imports.
pub(crate) mod prelude {
    pub(crate) use gortex_core::{Answer, Args, CallError, Code, FacadeArgs, Recoverable, Reply, facade};
    pub(crate) use schemars::JsonSchema;
    pub(crate) use serde::{Deserialize, Serialize};
    pub(crate) use serde_json::{Value, json};

    pub(crate) use super::args::{ScopeArgs, TierArgs};
    pub(crate) use super::rows::{Brief, EdgeOut, NodeOut, brief, edge_out, node_out};
    pub(crate) use super::symbol::{file_of, node_of};
    pub(crate) use crate::state::{ControlWriter, FileWriter, Graph, Host};
}
