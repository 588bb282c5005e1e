//! The `explore` domain: one file per operation.
