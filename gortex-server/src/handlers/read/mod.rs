//! The `read` domain: one file per operation.
