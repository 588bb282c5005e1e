//! Benchmarks of Gortex, one command each.
//!
//! Every figure is taken in a fresh child process of this program, so that peak memory and CPU time belong to the thing
//! measured and to nothing before it. The table printed is the table of `bench/README.md`.
//!
//! Knows the engine's library and the server's outside; no tool's inside.

mod client;
mod corpus;
mod edges;
mod edit;
mod index;
mod load;
mod machine;
mod measure;
mod tools;

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};
use clap::{Parser, Subcommand};

use crate::measure::What;

/// Measures Gortex on real code.
#[derive(Parser)]
#[command(name = "gortex-bench", version)]
struct Cli {
    #[command(subcommand)]
    command: Bench,
}

#[derive(Subcommand)]
enum Bench {
    /// Cold index against parsing alone, memory, snapshot size, reopening.
    Index(Index),
    /// Median and 95th percentile of each read tool, through a real `gortex mcp`.
    Tools(Tools),
    /// One edited file, from the write to an answer that knows of it, through a real `gortex mcp`.
    Edit(Tools),
    /// Many clients of one daemon at once, reads and edits mixed: errors, memory, times.
    Load {
        /// The folder to ask about; it is copied first.
        path: PathBuf,
        /// How many clients.
        #[arg(long, default_value_t = 64)]
        clients: usize,
        /// For how many seconds.
        #[arg(long, default_value_t = 60)]
        seconds: u64,
        /// The `gortex` binary; without it a release build is made.
        #[arg(long)]
        server: Option<PathBuf>,
    },
    /// Both of the first two.
    All {
        #[command(flatten)]
        index: Index,
        #[command(flatten)]
        tools: ToolOptions,
    },
    /// Every definition, edge and loose end of a folder, one a line: the input of `bench/accuracy`.
    Edges { path: PathBuf },
    /// One measurement in this process; prints one line of JSON.
    #[command(hide = true)]
    Measure { what: What, path: PathBuf, threads: usize, state: PathBuf },
}

#[derive(clap::Args)]
struct Index {
    /// Folders to index; without one, every folder of `bench/corpora`.
    paths: Vec<PathBuf>,
    /// Threads of the engine and of the parser alone; 0 is one per core.
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Runs of each measurement; the fastest by CPU time counts.
    #[arg(long, default_value_t = 3)]
    runs: usize,
}

#[derive(clap::Args)]
struct Tools {
    /// Folders to ask about; without one, every folder of `bench/corpora`.
    paths: Vec<PathBuf>,
    #[command(flatten)]
    options: ToolOptions,
}

#[derive(clap::Args)]
struct ToolOptions {
    /// Symbols sampled in each corpus.
    #[arg(long, default_value_t = 200)]
    samples: usize,
    /// The `gortex` binary; without it a release build is made.
    #[arg(long)]
    server: Option<PathBuf>,
}

fn main() -> Result<()> {
    match Cli::parse().command {
        Bench::Index(options) => index(&options),
        Bench::Tools(options) => tools(&options.paths, &options.options),
        Bench::Edit(options) => edits(&options.paths, &options.options),
        Bench::All { index: options, tools: tool_options } => {
            index(&options)?;
            println!();
            tools(&options.paths, &tool_options)
        }
        Bench::Load { path, clients, seconds, server: named } => {
            let server = server(&ToolOptions { samples: 0, server: named })?;
            let time = std::time::Duration::from_secs(seconds);
            print!("{}", load::measure(&server, &path.canonicalize()?, clients.max(1), time)?);
            Ok(())
        }
        Bench::Edges { path } => {
            let state = tempfile::tempdir()?;
            print!("{}", edges::dump(&path.canonicalize()?, state.path())?);
            Ok(())
        }
        Bench::Measure { what, path, threads, state } => {
            println!("{}", serde_json::to_string(&measure::run(what, &path, threads, &state)?)?);
            Ok(())
        }
    }
}

fn index(options: &Index) -> Result<()> {
    println!("{}\n", machine::describe());
    let rows = corpus::folders(&options.paths)?
        .into_iter()
        .map(|folder| index::row(&folder, options.threads, options.runs.max(1)))
        .collect::<Result<Vec<_>>>()?;
    print!("{}", index::table(&rows));
    Ok(())
}

fn server(options: &ToolOptions) -> Result<PathBuf> {
    match &options.server {
        Some(path) => path.canonicalize().with_context(|| format!("no server at `{}`", path.display())),
        None => build_server(),
    }
}

fn edits(paths: &[PathBuf], options: &ToolOptions) -> Result<()> {
    let server = server(options)?;
    println!("{}", edit::HEAD);
    for folder in corpus::folders(paths)? {
        print!("{}", edit::measure(&server, &folder, options.samples.max(1))?);
    }
    Ok(())
}

fn tools(paths: &[PathBuf], options: &ToolOptions) -> Result<()> {
    let server = server(options)?;
    for folder in corpus::folders(paths)? {
        println!("{}", tools::measure(&server, &folder, options.samples.max(1))?);
    }
    Ok(())
}

/// Builds the release binary beside this one and returns its path.
fn build_server() -> Result<PathBuf> {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml");
    let status = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["build", "--quiet", "--release", "--package", "gortex-server", "--bin", "gortex", "--manifest-path", manifest])
        .status()
        .context("could not run cargo")?;
    if !status.success() {
        bail!("the server was not built; give one with --server");
    }
    let own = std::env::current_exe()?;
    // target/<profile>/gortex-bench, whichever profile this is.
    let target = own.parent().and_then(|profile| profile.parent()).context("this program lies in no target folder")?;
    Ok(target.join("release").join(format!("gortex{}", std::env::consts::EXE_SUFFIX)))
}
