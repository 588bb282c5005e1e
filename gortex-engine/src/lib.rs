//! The code-intelligence engine of Gortex.

pub mod edit;
