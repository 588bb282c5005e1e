//! The `workspace` domain: one file per operation.
