//! The code-intelligence engine: facts of files, the graph over them, search, history and edits.
//!
//! Two layers make the rest cheap: *facts* are what one file says by itself, the *graph* is facts linked under one view of
//! the working tree. See ARCHITECTURE.md for the rooms.
//!
//! Knows nothing of MCP, sessions or tools.

pub mod edit;
pub mod engine;
pub mod facts;
pub mod graph;
pub mod index;
mod knowledge;
pub mod lang;
pub mod link;
pub mod query;
pub mod scip;
pub mod search;
pub mod vcs;
