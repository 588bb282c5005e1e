//! The `gortex` binary.

fn main() {}
