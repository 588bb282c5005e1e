//! The `trace` domain: one file per operation.

mod call_chain;
mod path;
#[cfg(test)]
mod tests;
mod walk;
