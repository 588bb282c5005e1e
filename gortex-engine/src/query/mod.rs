//! Questions about a graph that tools ask: which symbol is meant, who reaches whom, what a change touches.
//!
//! Each question is a function of a graph and typed bounds; answers are ids and rows, ready to be shown.
//!
//! Knows the graph, not tools, sessions or text formats.

pub mod change;
pub mod declared;
pub mod external;
pub mod impact;
pub mod localize;
pub mod loose;
pub mod outline;
pub mod paths;
pub mod place;
pub mod relations;
pub mod rename;
pub mod signature;
pub mod source;
pub mod subgraph;
pub mod symbol;
pub mod tests;
