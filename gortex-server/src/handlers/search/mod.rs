//! The `search` domain: one file per operation.
