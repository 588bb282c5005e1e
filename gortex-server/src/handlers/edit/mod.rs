//! The `edit` domain: one file per operation.
