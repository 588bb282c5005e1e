//! The `read` domain: one file per operation.
//!
//! What they share is here: the bytes of one file as they are now, together with a view that has seen them, and the
//! reshaping of text in its fixed order.

mod batch;
mod editing_context;
mod file;
mod metadata;
mod source;
mod summary;
mod text;

pub(crate) use source::source_of;
