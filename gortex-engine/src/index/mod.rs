//! From a folder to indexed content: which files there are, and what each of them is.
//!
//! Everything that decides whether a file is seen, and as what, lives here, so that every answer agrees on the list.

pub mod build;
pub mod bulk;
pub mod classify;
pub mod journal;
mod look;
pub(crate) mod revision;
pub mod store;
pub(crate) mod take;
pub mod walk;
pub mod watch;

#[cfg(test)]
mod tests;
