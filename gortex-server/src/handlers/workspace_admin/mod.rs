//! The `workspace_admin` domain: one file per operation.
