//! The `gortex` binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    gortex_server::cli::main()
}
