//! The `refactor` domain: one file per operation.
