//! The `search` domain: one file per operation.

mod ast;
mod documents;
mod enclosing;
mod files;
mod symbols;
mod text;

pub(crate) use enclosing::search_lines;
pub(crate) use symbols::symbols_in;
