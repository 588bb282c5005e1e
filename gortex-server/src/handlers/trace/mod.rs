//! The `trace` domain: one file per operation.
