//! The `workspace` domain: one file per operation.

mod graph;
mod index;
mod info;
mod repos;
