//! The `relations` domain: one file per operation.

pub(crate) mod answer;
mod callers;
mod caveat;
mod declaration;
mod dependencies;
mod dependents;
pub(crate) mod diagram;
pub(crate) mod external;
mod hierarchy;
mod implementations;
mod references;
#[cfg(test)]
mod tests;
mod usages;
