//! The `workspace_admin` domain: one file per operation.

mod index;
mod outcome;
mod reindex;
mod track;
mod untrack;
