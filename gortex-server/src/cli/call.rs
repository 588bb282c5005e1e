//! `gortex call`: the same names and arguments as over the protocol, through the same dispatch.

use std::io::{IsTerminal as _, Read as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use gortex_core::{Registry, SurfaceView};
use serde_json::{Map, Value, json};

use super::app::{App, dirs, folder, runtime, settings};
use super::{Failure, arguments, bar, print_line};
use crate::operator::{CallAnswer, CallOrder, answer, policy, unknown_options};
use crate::session::{ClientInfo, Opening, ProgressSink, Road};
use crate::tracking::Decision;
use crate::transport::bounds::{Bounded, Bounds, GivenUp};

/// How an answer is asked for and printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// JSON, always: prose is wrapped.
    Json,
    /// The compact format of agents.
    Gcx,
    /// Rows with a header, for models.
    Toon,
    /// Prose as it is.
    Text,
}

impl Format {
    fn word(self) -> &'static str {
        match self {
            Format::Json => "json",
            Format::Gcx => "gcx",
            Format::Toon => "toon",
            Format::Text => "text",
        }
    }
}

/// Arguments of `gortex call`.
#[derive(Debug, Args)]
pub(crate) struct CallArgs {
    /// The tool, such as `search`.
    tool: String,
    /// An argument: key=value, key:=json, or container.key=value. May be repeated.
    #[arg(long = "arg", value_name = "KEY=VALUE", allow_hyphen_values = true)]
    pub(crate) args: Vec<String>,
    /// The arguments as a JSON object; `-` reads standard input.
    #[arg(long, value_name = "OBJECT")]
    json: Option<String>,
    /// The arguments as a JSON object in a file.
    #[arg(long, value_name = "FILE")]
    json_file: Option<PathBuf>,
    /// The format of the answer; JSON when left out.
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Print what would be called and stop.
    #[arg(long)]
    dry: bool,
    /// The repository to ask, instead of the one around the working directory.
    #[arg(long, visible_alias = "index", value_name = "PATH")]
    repo: Option<PathBuf>,
    /// Say nothing on standard error but errors.
    #[arg(long)]
    quiet: bool,
    /// Call the legacy tool of a name that both surfaces have.
    #[arg(long)]
    legacy: bool,
    /// Call through the daemon or not at all.
    #[arg(long, conflicts_with = "no_daemon")]
    daemon: bool,
    /// Call in this process, even when a daemon runs.
    #[arg(long)]
    no_daemon: bool,
}

/// Calls and prints.
pub(crate) fn run(args: CallArgs) -> Result<ExitCode, Failure> {
    let mut arguments = collect(&args)?;
    let registry = Arc::new(crate::registry::registry()?);
    let surface = surface_of(&registry, &args.tool, args.legacy)?;
    if let Some(format) = args.format {
        arguments::set_format(&mut arguments, format.word(), surface == SurfaceView::Compact);
    }
    if args.dry {
        let word = if surface == SurfaceView::Compact { "compact" } else { "legacy" };
        print_value(&json!({"tool": args.tool, "surface": word, "arguments": arguments}))?;
        return Ok(ExitCode::SUCCESS);
    }
    let order =
        CallOrder { tool: args.tool.clone(), legacy: surface == SurfaceView::Legacy, arguments: Value::Object(arguments) };
    let place = folder(args.repo.as_deref())?;
    let runtime = runtime()?;
    let answer = match through_daemon(&args, &order, &place, &runtime)? {
        Some(answer) => answer,
        None => alone(&args, &order, &place, registry, &runtime)?,
    };
    runtime.shutdown_background();
    print_answer(&args, answer)
}

/// The answer of the daemon, when one runs.
#[cfg(unix)]
fn through_daemon(
    args: &CallArgs,
    order: &CallOrder,
    place: &std::path::Path,
    runtime: &tokio::runtime::Runtime,
) -> Result<Option<CallAnswer>, Failure> {
    use crate::transport::daemon::join::{self, JoinError};
    use crate::transport::daemon::wire::Hello;
    if args.no_daemon || super::mcp::embedded_by_environment() && !args.daemon {
        return Ok(None);
    }
    let bearings = super::daemon::Bearings::find()?;
    let hello = Hello { cwd: Some(place.to_owned()), ..bearings.hello.clone() };
    match runtime.block_on(join::order(&bearings.place, &hello, "call", serde_json::to_value(order)?)) {
        Ok(outcome) if outcome.ok => Ok(Some(serde_json::from_value(outcome.result)?)),
        Ok(outcome) => Err(outcome.error_msg.unwrap_or_default().into()),
        Err(error) if args.daemon => Err(Failure { code: super::daemon::ABSENT, message: error.to_string() }),
        Err(JoinError::Absent) => Ok(None),
        Err(error) => {
            eprintln!("gortex: calling without the daemon: {error}");
            Ok(None)
        }
    }
}

/// The answer of this process, from the snapshot and what changed since.
fn alone(
    args: &CallArgs,
    order: &CallOrder,
    place: &std::path::Path,
    registry: Arc<Registry>,
    runtime: &tokio::runtime::Runtime,
) -> Result<CallAnswer, Failure> {
    let dirs = dirs()?;
    let app = App::open(&dirs, settings(&dirs)?)?;
    let decision = app.decide(place);
    app.show_notices();
    let answered = runtime.block_on(async {
        let progress = bar::progress(args.quiet);
        match decision {
            Decision::Track(repos) => drop(app.server.start(repos, Arc::clone(&progress))),
            Decision::Inactive { reason } => app.server.set_inactive(reason),
        }
        let var = |name: &str| std::env::var(name).ok();
        let road =
            Road::new(Arc::clone(&app.server), registry, policy(order, unknown_options(var("GORTEX_TOOL_ARG_GUARD").as_deref())));
        let client = Some(ClientInfo::new("gortex", env!("CARGO_PKG_VERSION")));
        let session = app.server.sessions().open(Opening { client, ..Opening::default() })?;
        let lane = app.server.queue().lane(1);
        let bounds = Bounds::from_env(var).shared();
        let bounded = Bounded { road: &road, session: &session, lane: &lane, bounds };
        let give_up = async {
            match tokio::signal::ctrl_c().await {
                Ok(()) => GivenUp::Cancelled,
                Err(_) => std::future::pending().await,
            }
        };
        Ok::<_, Failure>(answer(bounded, order, ProgressSink::new(progress), give_up).await)
    })?;
    app.server.shut_down();
    Ok(CallAnswer::of(answered))
}

/// File, then `--json`, then `--arg`: later ones replace.
fn collect(args: &CallArgs) -> Result<Map<String, Value>, Failure> {
    let mut all = Map::new();
    if let Some(path) = &args.json_file {
        let text = std::fs::read_to_string(path).map_err(|error| Failure::usage(format!("`{}`: {error}", path.display())))?;
        all = arguments::object(&text, &format!("`{}`", path.display())).map_err(Failure::usage)?;
    }
    if let Some(text) = &args.json {
        let text = if text == "-" { standard_input()? } else { text.clone() };
        all.extend(arguments::object(&text, "--json").map_err(Failure::usage)?);
    }
    for argument in &args.args {
        let (key, value) = arguments::parse(argument).map_err(Failure::usage)?;
        arguments::put(&mut all, &key, value);
    }
    Ok(all)
}

fn standard_input() -> Result<String, Failure> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).map_err(|error| Failure::usage(format!("standard input: {error}")))?;
    Ok(text)
}

/// The surface that has the tool; an unknown name is a mistake in the command.
fn surface_of(registry: &Registry, tool: &str, legacy: bool) -> Result<SurfaceView, Failure> {
    let has_legacy = !registry.legacy(tool).is_empty() || registry.baseline().iter().any(|row| row.legacy == tool);
    match (registry.facade(tool).is_some(), has_legacy) {
        (true, _) if !legacy => Ok(SurfaceView::Compact),
        (_, true) => Ok(SurfaceView::Legacy),
        (true, false) => Err(Failure::usage(format!("`{tool}` is no legacy tool; leave out --legacy"))),
        (false, false) => {
            let names = registry.surface().facades.iter().map(|facade| facade.name).chain(registry.legacy_names());
            let near = near(tool, names);
            let hint =
                if near.is_empty() { "`gortex tools` lists them".to_owned() } else { format!("near: {}", near.join(", ")) };
            Err(Failure::usage(format!("there is no tool `{tool}`; {hint}")))
        }
    }
}

/// Names that share a word with the one asked for, or most of its letters.
fn near<'n>(asked: &str, names: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let asked = asked.to_lowercase().replace('-', "_");
    let words: Vec<&str> = asked.split('_').filter(|word| word.len() > 2).collect();
    let mut near: Vec<(usize, &str)> = names
        .filter_map(|name| {
            let shared = words
                .iter()
                .filter(|word| name.split('_').any(|part| part.starts_with(**word) || word.starts_with(part)))
                .count();
            let begins = name.starts_with(asked.get(..4).unwrap_or(&asked)) && !asked.is_empty();
            (shared > 0 || begins).then_some((usize::MAX - shared, name))
        })
        .collect();
    near.sort_unstable();
    near.dedup();
    near.into_iter().take(5).map(|(_, name)| name).collect()
}

fn print_answer(args: &CallArgs, answer: CallAnswer) -> Result<ExitCode, Failure> {
    if let Some(changes) = answer.changes.filter(|_| !args.quiet) {
        eprintln!("gortex: {changes}");
    }
    if answer.json {
        // The bytes are the answer's own; for a person they are laid out.
        let pretty = std::io::stdout().is_terminal();
        let laid = if pretty {
            serde_json::from_str::<Value>(&answer.text).and_then(|value| serde_json::to_string_pretty(&value)).ok()
        } else {
            None
        };
        print_line(laid.as_deref().unwrap_or(&answer.text))?;
    } else if args.format.is_none_or(|format| format == Format::Json) {
        print_value(&json!({"tool": args.tool, "format": "text", "text": answer.text}))?;
    } else {
        print_line(answer.text.trim_end_matches('\n'))?;
    }
    if answer.is_error { Err(Failure::told()) } else { Ok(ExitCode::SUCCESS) }
}

/// For a person with indents, for a program without.
fn print_value(value: &Value) -> std::io::Result<()> {
    let text = if std::io::stdout().is_terminal() { serde_json::to_string_pretty(value)? } else { value.to_string() };
    print_line(&text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::partial_registry;

    #[test]
    fn a_name_decides_the_surface() {
        let registry = partial_registry();
        let surface = |tool: &str, legacy: bool| surface_of(&registry, tool, legacy).map_err(|failure| failure.message);
        assert_eq!(surface("workspace", false), Ok(SurfaceView::Compact));
        assert_eq!(surface("graph_stats", false), Ok(SurfaceView::Legacy));
        assert_eq!(surface("explore", true), Ok(SurfaceView::Legacy));
        assert!(surface("workspace", true).is_err());
        assert!(surface("workspaces", false).is_err_and(|said| said.contains("workspace")));
        assert!(surface("graph-stat", false).is_err_and(|said| said.contains("graph_stats")));
        assert!(surface("é", false).is_err_and(|said| said.contains("gortex tools")));
    }
}
