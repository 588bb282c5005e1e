//! Facts: what one file says by itself.
//!
//! A pure function of (language, bytes): [`extract`] parses once, walks once and returns a [`Facts`] buffer that needs no
//! decoding. Broken source is not an error; the buffer counts what could not be understood.
//!
//! Knows nothing of other files, of views or of the disk.

pub mod model;
pub mod pack;
pub mod scope;
#[cfg(test)]
pub mod testing;
pub mod text;
pub mod walker;

pub use model::*;
pub use pack::{Facts, FactsView};
pub use walker::{ExtractLimits, extract};

/// Changes whenever the same bytes would yield other facts; part of every cache key.
pub const EXTRACTOR_VERSION: u32 = 3;
