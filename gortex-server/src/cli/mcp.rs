//! `gortex mcp`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use gortex_engine::engine::Silent;
use gortex_engine::index::bulk::Bulk;

use super::Failure;
use super::app::{App, dirs, folder, runtime, settings};
use crate::config::Config;
use crate::surface::Policy;
use crate::tracking::{self, Decision};
use crate::transport::bounds::Bounds;
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
}

/// Serves until the client is gone.
pub(crate) fn run(args: McpArgs) -> Result<ExitCode, Failure> {
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
        forwarded: std::env::var("GORTEX_TOOLS").ok().filter(|spec| !spec.trim().is_empty()).or(args.tools),
        pinned: app.config.mcp.tools.clone(),
        unknown_options: super::call::unknown_options(),
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
