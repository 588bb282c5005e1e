//! `gortex call`: the same names and arguments as over the protocol, through the same dispatch.

use std::io::{IsTerminal as _, Read as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum};
use gortex_core::{Body, CallContext, CallOutput, Extensions, Registry, SurfaceView, UnknownOptions, dispatch};
use serde_json::{Map, Value, json};

use super::app::{App, dirs, folder, runtime, settings};
use super::{Failure, arguments, bar, print_line};
use crate::session::{Caller, ProgressSink};
use crate::tracking::Decision;

/// A person waits as long as it takes.
const PATIENCE: Duration = Duration::from_hours(24);

/// How an answer is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// JSON, always.
    Json,
    /// Prose as it is, JSON otherwise.
    Text,
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
    /// How to print the answer.
    #[arg(long, value_enum, default_value_t = Format::Json)]
    format: Format,
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
}

/// Calls and prints.
pub(crate) fn run(args: CallArgs) -> Result<ExitCode, Failure> {
    let arguments = collect(&args)?;
    let dirs = dirs()?;
    let app = App::open(&dirs, settings(&dirs)?)?;
    let surface = surface_of(&app.registry, &args.tool, args.legacy)?;
    if args.dry {
        let word = if surface == SurfaceView::Compact { "compact" } else { "legacy" };
        print_value(&json!({"tool": args.tool, "surface": word, "arguments": arguments}))?;
        return Ok(ExitCode::SUCCESS);
    }
    let decision = app.decide(&folder(args.repo.as_deref())?);
    app.show_notices();
    let runtime = runtime()?;
    let output = runtime.block_on(call(&app, decision, surface, &args, arguments));
    app.server.shut_down();
    runtime.shutdown_background();
    print_output(&args, &output)
}

async fn call(app: &App, decision: Decision, surface: SurfaceView, args: &CallArgs, arguments: Map<String, Value>) -> CallOutput {
    app.server.set_patience(PATIENCE);
    let progress = bar::progress(args.quiet);
    match decision {
        Decision::Track(repos) => {
            let indexing = app.server.start(repos, Arc::clone(&progress));
            // One call is all there will be: what it says of the index should be of the whole one.
            if args.tool != "capabilities" && indexing.await.is_err() {
                tracing::error!("the index task ended without a word");
            }
        }
        Decision::Inactive { reason } => app.server.set_inactive(reason),
    }
    let mut shared = Extensions::new();
    shared.insert_arc(Arc::clone(&app.server));
    shared.insert_arc(Arc::clone(&app.registry));
    let context = CallContext {
        surface,
        unknown_options: unknown_options(),
        shared: Arc::new(shared),
        layouts: crate::wire::LAYOUTS,
        ..CallContext::default()
    };
    let context = context.with_request(Extensions::new().with(Caller::Operator).with(ProgressSink::new(progress)));
    let output = dispatch(&app.registry, &context, &args.tool, Value::Object(arguments)).await;
    if let Some(operation) = output.operation.filter(|operation| operation.effect.is_mutating() && !args.quiet) {
        eprintln!("gortex: {} is a {} operation", operation.id(), operation.effect);
    }
    output
}

/// What `GORTEX_TOOL_ARG_GUARD` asks for.
pub(crate) fn unknown_options() -> UnknownOptions {
    match std::env::var("GORTEX_TOOL_ARG_GUARD").as_deref() {
        Ok("reject") => UnknownOptions::Reject,
        Ok("0") => UnknownOptions::Ignore,
        _ => UnknownOptions::Report,
    }
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

fn print_output(args: &CallArgs, output: &CallOutput) -> Result<ExitCode, Failure> {
    match (&output.body, args.format) {
        _ if output.written.is_some() => print_line(output.text().trim_end_matches('\n'))?,
        (Body::Json(value), _) => print_value(value)?,
        (Body::Text(text), Format::Text) => print_line(text.trim_end_matches('\n'))?,
        (Body::Text(text), Format::Json) => print_value(&json!({"tool": args.tool, "format": "text", "text": text}))?,
    }
    if output.is_error { Err(Failure::told()) } else { Ok(ExitCode::SUCCESS) }
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
