//! `gortex mcp`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use gortex_engine::engine::Silent;
use gortex_engine::index::bulk::Bulk;

use super::Failure;
use super::app::{App, dirs, folder, runtime, settings};
#[cfg(unix)]
use super::daemon::{ABSENT, Bearings, StartArgs};
use crate::config::Config;
use crate::surface::Policy;
use crate::tracking::{self, Decision};
use crate::transport::bounds::Bounds;
#[cfg(unix)]
use crate::transport::daemon::{
    join::{self, JoinError, Joined},
    proxy::{self, Way},
    wire::{Hello, Mode},
};
use crate::transport::stdio;

/// Arguments of `gortex mcp`.
#[derive(Debug, Args)]
pub(crate) struct McpArgs {
    /// Which tools to serve: a preset (compact, core, agent, edit, nav, readonly, full) or a list of names. `GORTEX_TOOLS` wins.
    #[arg(long, value_name = "SPEC")]
    tools: Option<String>,
    /// Also serve this repository.
    #[arg(long, value_name = "PATH")]
    track: Vec<PathBuf>,
    /// Serve this repository instead of the one around the working directory.
    #[arg(long, value_name = "PATH")]
    index: Option<PathBuf>,
    /// Serve through the daemon or not at all.
    #[arg(long, conflicts_with = "embedded")]
    proxy: bool,
    /// Serve in this process, without the daemon. `GORTEX_DAEMON=off` does the same.
    #[arg(long)]
    embedded: bool,
}

/// Serves until the client is gone.
pub(crate) fn run(args: McpArgs) -> Result<ExitCode, Failure> {
    #[cfg(unix)]
    if args.proxy || !args.embedded && !embedded_by_environment() {
        match proxy(&args)? {
            Ok(code) => return Ok(code),
            Err(reason) if args.proxy => return Err(Failure { code: ABSENT, message: reason }),
            // A host whose tools are gone can do nothing; one that is served here lacks only the sharing.
            Err(reason) => eprintln!("gortex: serving without the daemon: {reason}"),
        }
    }
    embedded(args)
}

/// Whether `GORTEX_DAEMON` says that there shall be no daemon.
pub(crate) fn embedded_by_environment() -> bool {
    std::env::var("GORTEX_DAEMON").is_ok_and(|word| ["off", "0", "no", "false"].contains(&word.trim().to_lowercase().as_str()))
}

/// Which tools the client wants.
fn wanted_tools(args: &McpArgs) -> Option<String> {
    std::env::var("GORTEX_TOOLS").ok().filter(|spec| !spec.trim().is_empty()).or_else(|| args.tools.clone())
}

/// Joins the daemon and passes messages on; a reason when there is none to be had.
#[cfg(unix)]
fn proxy(args: &McpArgs) -> Result<Result<ExitCode, String>, Failure> {
    let bearings = Bearings::find()?;
    let absolute = |path: &PathBuf| folder(Some(path));
    let hello = Hello {
        mode: Mode::Mcp,
        index: args.index.as_ref().map(absolute).transpose()?,
        track: args.track.iter().map(absolute).collect::<Result<_, _>>()?,
        tools: wanted_tools(args),
        ..bearings.hello.clone()
    };
    let starter = super::daemon::starter(&StartArgs::default(), PathBuf::from("/"))?;
    let way = Way { place: bearings.place, hello, starter };
    let runtime = runtime()?;
    let outcome = runtime.block_on(async {
        let mut joined = match join::join_or_start(&way.place, &way.hello, &way.starter).await {
            Ok(joined) => joined,
            Err(error) => return Err(error.to_string()),
        };
        if joined.ack.daemon_version != env!("CARGO_PKG_VERSION") {
            joined = renewed(&way, joined).await.map_err(|error| error.to_string())?;
        }
        let (read, write) = rmcp::transport::stdio_pipes();
        Ok(proxy::run(read, write, &way, joined).await)
    });
    runtime.shutdown_background();
    Ok(outcome)
}

/// A daemon of another version: replaced when nobody uses it, joined as it is when somebody does.
#[cfg(unix)]
async fn renewed(way: &Way, joined: Joined) -> Result<Joined, JoinError> {
    let (theirs, ours) = (joined.ack.daemon_version.clone(), env!("CARGO_PKG_VERSION"));
    drop(joined);
    if join::retire(&way.place, &way.hello).await? {
        eprintln!("gortex: the daemon was version {theirs}; it was not in use and is started again as {ours}");
    } else {
        eprintln!(
            "gortex: the daemon is version {theirs}, this is {ours}; it is in use and kept. `gortex daemon restart` renews it"
        );
    }
    join::join_or_start(&way.place, &way.hello, &way.starter).await
}

/// Serves in this process.
fn embedded(args: McpArgs) -> Result<ExitCode, Failure> {
    let dirs = dirs()?;
    // A server that does not start takes the tools away without a word; one with the defaults can say what is wrong.
    let config = settings(&dirs).unwrap_or_else(|error| {
        tracing::error!("the settings are not used: {error}");
        Config::default()
    });
    // A parser that ends its process should not end the server.
    let bulk = std::env::current_exe().ok().map(|program| Bulk { program, args: vec![super::INDEX_CHILD.into()] });
    let app = App::open_with(&dirs, config, bulk)?;
    let decision = match &args.index {
        Some(path) => Decision::Track(tracking::with_folder(Vec::new(), folder(Some(path))?, &app.config)),
        None => app.decide(&folder(None)?),
    };
    let (mut repos, reason) = match decision {
        Decision::Track(repos) => (repos, None),
        Decision::Inactive { reason } => (Vec::new(), Some(reason)),
    };
    for path in &args.track {
        repos = tracking::with_folder(repos, folder(Some(path))?, &app.config);
    }
    let policy = Policy {
        forwarded: wanted_tools(&args),
        pinned: app.config.mcp.tools.clone(),
        unknown_options: crate::operator::unknown_options(std::env::var("GORTEX_TOOL_ARG_GUARD").ok().as_deref()),
    };
    app.show_notices();
    let runtime = runtime()?;
    let code = runtime.block_on(async {
        app.server.follow();
        match reason {
            Some(reason) if repos.is_empty() => app.server.set_inactive(reason),
            _ => drop(app.server.start(repos, Arc::new(Silent))),
        }
        let bounds = Bounds::from_env(|name| std::env::var(name).ok());
        stdio::serve(Arc::clone(&app.server), Arc::clone(&app.registry), policy, bounds).await
    });
    // Work that is still running must not keep the process.
    runtime.shutdown_background();
    Ok(code)
}
