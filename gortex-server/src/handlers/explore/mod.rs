//! The `explore` domain: one file per operation.

mod outline;
mod task;
