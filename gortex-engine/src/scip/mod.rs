//! SCIP: the index format that language tools exchange.
//!
//! `export` writes our graph for any reader of SCIP. `import` reads what a compiler's indexer wrote and keeps the parts that
//! fit the files as they are; [`apply`] raises and adds edges by it. Precedence is compiler, then resolved, then inferred: an
//! import takes an inferred edge away that it contradicts at the same place, never a resolved one, and counts both.
//!
//! Knows graphs and the format; where imported evidence is kept is for `engine`.

mod apply;
mod export;
mod import;
mod symbols;
#[cfg(test)]
mod tests;

pub use apply::{Applied, apply};
pub use export::{export, write};
pub use import::{Evidence, Imported, ScipError, read};
