//! The `workspace` domain: one file per operation.

mod graph;
mod index;
mod info;
mod project;
mod proxy;
mod repos;

pub(crate) use repos::workspace_name;
