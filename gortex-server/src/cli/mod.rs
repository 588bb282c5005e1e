//! The command line.
//!
//! Exit codes: 0 is success, 1 a failed call or run, 2 a mistake in the command itself, 3 a daemon that was asked for and is not there. Answers go to standard output, all
//! else to standard error.

mod app;
mod arguments;
mod bar;
mod call;
#[cfg(unix)]
mod daemon;
mod export;
mod index;
#[cfg(test)]
mod manual;
mod mcp;
mod status;
mod tools;

pub(crate) use arguments::set_format;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// The verb by which a server starts itself to index.
pub(crate) const INDEX_CHILD: &str = "index-child";
/// A failure of the work.
pub(crate) const FAILED: u8 = 1;
/// A mistake in the command.
pub(crate) const USAGE: u8 = 2;

/// Code intelligence for coding agents.
#[derive(Debug, Parser)]
#[command(name = "gortex", version, about, propagate_version = true)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Serve MCP over standard input and output.
    Mcp(mcp::McpArgs),
    /// Start, stop and ask the process that serves all windows of this user.
    #[cfg(unix)]
    Daemon(daemon::DaemonArgs),
    /// Call a tool and print its answer.
    Call(call::CallArgs),
    /// Index a repository and remember it.
    Index(index::IndexArgs),
    /// Write the graph for other tools: a SCIP index.
    Export(export::ExportArgs),
    /// Say what is tracked and indexed here.
    Status(status::StatusArgs),
    /// List or describe the tools.
    Tools(tools::ToolsArgs),
    /// Index for a server that started this process: an order on standard input, progress on standard output.
    #[command(name = INDEX_CHILD, hide = true)]
    IndexChild,
    /// Print the version.
    Version {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
}

/// Why a verb ended without success.
#[derive(Debug)]
pub(crate) struct Failure {
    /// The exit code.
    code: u8,
    /// What standard error is told; empty when all is said.
    message: String,
}

impl Failure {
    /// A mistake in the command.
    pub(crate) fn usage(message: impl Into<String>) -> Failure {
        Failure { code: USAGE, message: message.into() }
    }

    /// A failure that standard output tells already.
    pub(crate) fn told() -> Failure {
        Failure { code: FAILED, message: String::new() }
    }
}

impl<E: std::fmt::Display> From<E> for Failure {
    fn from(error: E) -> Self {
        Failure { code: FAILED, message: error.to_string() }
    }
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are answers; they and mistakes are printed by clap to the right stream.
            let _ = error.print();
            return if error.use_stderr() { ExitCode::from(USAGE) } else { ExitCode::SUCCESS };
        }
    };
    // A daemon logs to a file, which it knows.
    #[cfg(unix)]
    let own_log = matches!(cli.verb, Verb::Daemon(_));
    #[cfg(not(unix))]
    let own_log = false;
    if !own_log {
        start_logging(None);
    }
    let outcome = match cli.verb {
        Verb::Mcp(args) => mcp::run(args),
        #[cfg(unix)]
        Verb::Daemon(args) => daemon::run(args),
        Verb::Call(args) => call::run(args),
        Verb::Index(args) => index::run(args),
        Verb::Export(args) => export::run(args),
        Verb::Status(args) => status::run(args),
        Verb::Tools(args) => tools::run(args),
        Verb::IndexChild => index_child(),
        Verb::Version { json } => version(json),
    };
    outcome.unwrap_or_else(|failure| {
        if !failure.message.is_empty() {
            eprintln!("gortex: {}", failure.message);
        }
        ExitCode::from(failure.code)
    })
}

fn index_child() -> Result<ExitCode, Failure> {
    gortex_engine::index::bulk::serve(std::io::BufReader::new(std::io::stdin()), std::io::stdout())?;
    Ok(ExitCode::SUCCESS)
}

fn start_logging(level: Option<&str>) {
    start_logging_at(None, level);
}

/// Logs to standard error, and to a file if there is one.
fn start_logging_at(file: Option<std::fs::File>, level: Option<&str>) {
    use std::io::IsTerminal as _;
    use tracing_subscriber::fmt::writer::{BoxMakeWriter, MakeWriterExt as _};
    let default = || level.unwrap_or("warn").into();
    let filter = tracing_subscriber::EnvFilter::try_from_default_env().unwrap_or_else(|_| default());
    let colours = file.is_none() && std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let writer = match file {
        Some(file) => BoxMakeWriter::new(std::io::stderr.and(std::sync::Arc::new(file))),
        None => BoxMakeWriter::new(std::io::stderr),
    };
    let subscriber = tracing_subscriber::fmt().with_env_filter(filter).with_writer(writer).with_ansi(colours);
    if let Err(error) = subscriber.try_init() {
        eprintln!("gortex: no logging: {error}");
    }
}

fn version(json: bool) -> Result<ExitCode, Failure> {
    let version = env!("CARGO_PKG_VERSION");
    let protocols: Vec<&str> = rmcp::model::ProtocolVersion::KNOWN_VERSIONS.iter().map(|known| known.as_str()).collect();
    let surface = gortex_core::Surface::v1(&[]).version;
    if json {
        print_line(
            &serde_json::json!({"version": version, "surface_version": surface, "protocol_versions": protocols}).to_string(),
        )?;
    } else {
        print_line(&format!("gortex {version}"))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints an answer. A reader that went away (`gortex … | head`) is no error of ours.
pub(crate) fn print_line(text: &str) -> std::io::Result<()> {
    use std::io::Write as _;
    let mut out = std::io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        outcome => outcome,
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn arguments_of_a_call_are_taken_as_they_are() {
        let cli = Cli::try_parse_from(["gortex", "call", "search", "--arg", "query=-é", "--arg", "a:=1", "--json", "{}"])
            .expect("parses");
        let Verb::Call(args) = cli.verb else { panic!("another verb") };
        assert_eq!(args.args, ["query=-é", "a:=1"]);
    }
}
