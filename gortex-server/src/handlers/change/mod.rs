//! The `change` domain: one file per operation.
