//! The `relations` domain: one file per operation.
