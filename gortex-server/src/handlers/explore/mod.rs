//! The `explore` domain: one file per operation.

mod outline;
mod task;

pub(crate) use task::{fenced_source, localized};
