//! `gortex daemon`: the life of the one process that serves all windows.

use std::io::{BufRead as _, Read as _, Seek as _, SeekFrom};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::app::{dirs, runtime};
use super::{Failure, print_line};
use crate::config::Dirs;
use crate::transport::bounds::{Bounds, duration};
use crate::transport::daemon::join::{self, JoinError, Starter};
use crate::transport::daemon::place::Place;
use crate::transport::daemon::wire::{Hello, Mode};
use crate::transport::daemon::{Daemon, Options, StartError};
use crate::transport::http::{HttpOptions, idle_ttl};

/// How long a stop waits before it says that it does.
const STOP_TIME: Duration = Duration::from_secs(30);
/// How long it watches from then on before it ends the process.
const WATCH_TIME: Duration = Duration::from_mins(2);
/// A daemon that `gortex mcp` started ends when nobody has used it for so long.
const IDLE_TIME: Duration = Duration::from_mins(30);
/// How much of the log is looked through for its last lines.
const LOG_TAIL: u64 = 4 << 20;
/// There is no daemon.
pub(super) const ABSENT: u8 = 3;

/// Arguments of `gortex daemon`.
#[derive(Debug, Args)]
pub(crate) struct DaemonArgs {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Start the daemon: here, or in the background with --detach.
    Start(StartArgs),
    /// Ask the daemon to end, and wait until it has.
    Stop,
    /// End the daemon and start it again as it was; flags given here replace what it was started with.
    Restart(StartArgs),
    /// Make the daemon look at settings and files again.
    Reload,
    /// Say what the daemon serves.
    Status {
        /// Look at the files on disk before counting.
        #[arg(long)]
        exact: bool,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Print the last lines of the daemon's log.
    Logs {
        /// How many lines.
        #[arg(short = 'n', long, default_value_t = 50)]
        lines: usize,
    },
}

/// How to start it.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct StartArgs {
    /// Run in the background.
    #[arg(long)]
    detach: bool,
    /// Offer HTTP here, such as `127.0.0.1:7411`. An address that other machines reach needs a token.
    #[arg(long, value_name = "ADDRESS")]
    http_addr: Option<String>,
    /// The token that HTTP clients must send. On a command line others can see it: `GORTEX_DAEMON_HTTP_TOKEN` is better.
    #[arg(long, value_name = "TOKEN")]
    http_auth_token: Option<String>,
    /// A browser origin that may use HTTP; may be repeated.
    #[arg(long, value_name = "ORIGIN")]
    cors_origin: Vec<String>,
    /// What is logged: error, warn, info, debug, trace.
    #[arg(long, value_name = "LEVEL")]
    log_level: Option<String>,
    /// Which tools sessions see that do not choose themselves: a preset or a list of names.
    #[arg(long, value_name = "SPEC")]
    tools: Option<String>,
    /// Started by another `gortex`: log to the file, leave the terminal, and end when unused for long.
    #[arg(long, hide = true)]
    background: bool,
}

/// What every verb here needs.
pub(crate) struct Bearings {
    pub dirs: Dirs,
    pub place: Place,
    pub hello: Hello,
}

impl Bearings {
    /// Where the daemon is, and what is said to it.
    pub(crate) fn find() -> Result<Bearings, Failure> {
        let dirs = dirs()?;
        let place = Place::of(&dirs, |name| std::env::var_os(name));
        let cwd = std::env::current_dir().ok();
        let arg_guard = std::env::var("GORTEX_TOOL_ARG_GUARD").ok();
        Ok(Bearings { dirs, place, hello: Hello { cwd, arg_guard, ..Hello::new(Mode::Control) } })
    }

    async fn order(&self, kind: &str, params: Value) -> Result<Value, Failure> {
        let outcome = match join::order(&self.place, &self.hello, kind, params).await {
            Ok(outcome) => outcome,
            Err(JoinError::Absent) => return Err(Failure { code: ABSENT, message: "no daemon is running".to_owned() }),
            Err(error) => return Err(error.into()),
        };
        if outcome.ok {
            return Ok(outcome.result);
        }
        Err(format!("{} ({})", outcome.error_msg.unwrap_or_default(), outcome.error_code.unwrap_or_default()).into())
    }
}

/// How this program starts itself as a daemon.
pub(crate) fn starter(flags: &StartArgs, folder: PathBuf) -> Result<Starter, Failure> {
    let program = std::env::current_exe().map_err(|error| format!("this program is not found: {error}"))?;
    let mut arguments = vec!["daemon".to_owned(), "start".to_owned()];
    let mut flag = |name: &str, value: &Option<String>| {
        if let Some(value) = value {
            arguments.extend([name.to_owned(), value.clone()]);
        }
    };
    flag("--http-addr", &flags.http_addr);
    flag("--log-level", &flags.log_level);
    flag("--tools", &flags.tools);
    for origin in &flags.cors_origin {
        flag("--cors-origin", &Some(origin.clone()));
    }
    arguments.push("--background".to_owned());
    let secrets = flags.http_auth_token.iter().map(|token| (TOKEN.to_owned(), token.clone())).collect();
    Ok(Starter { program, arguments, secrets, folder })
}

/// The token's variable.
const TOKEN: &str = "GORTEX_DAEMON_HTTP_TOKEN";

/// Runs a verb.
pub(crate) fn run(args: DaemonArgs) -> Result<ExitCode, Failure> {
    let bearings = Bearings::find()?;
    match args.verb {
        Verb::Start(flags) if flags.detach => {
            super::start_logging(None);
            let folder = std::env::current_dir()?;
            runtime()?.block_on(start_detached(&bearings, &flags, folder))
        }
        Verb::Start(flags) => serve(bearings, &flags),
        Verb::Restart(flags) => {
            super::start_logging(None);
            runtime()?.block_on(restart(&bearings, flags))
        }
        other => {
            super::start_logging(None);
            runtime()?.block_on(steer(&bearings, other))
        }
    }
}

async fn steer(bearings: &Bearings, verb: Verb) -> Result<ExitCode, Failure> {
    match verb {
        Verb::Stop => {
            stop(bearings).await?;
            eprintln!("gortex: the daemon has ended");
        }
        Verb::Reload => {
            let answer = bearings.order("reload", Value::Null).await?;
            eprintln!("gortex: looked at {} served sets of repositories again", answer["servers"]);
        }
        Verb::Status { exact, json } => {
            let status = bearings.order("status", json!({"exact": exact})).await?;
            print_line(&if json { status.to_string() } else { in_words(&status) })?;
        }
        Verb::Logs { lines } => print_line(&tail(&bearings.place, lines)?)?,
        Verb::Start(_) | Verb::Restart(_) => {}
    }
    Ok(ExitCode::SUCCESS)
}

/// Serves in this process.
fn serve(bearings: Bearings, flags: &StartArgs) -> Result<ExitCode, Failure> {
    bearings.place.prepare().map_err(|error| format!("the daemon's folder: {error}"))?;
    if flags.background {
        // The terminal that started it may go; it stays.
        if let Err(error) = rustix::process::setsid() {
            eprintln!("gortex: no session of its own: {error}");
        }
    }
    // In the background standard error is the log already.
    let log = if flags.background { None } else { Some(bearings.place.open_log()?) };
    super::start_logging_at(log, Some(flags.log_level.as_deref().unwrap_or("info")));
    let registry = Arc::new(crate::registry::registry()?);
    let options = options(flags)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let announce = |daemon: &Daemon| {
        if !flags.background {
            eprintln!("gortex: the daemon listens at {}", bearings.place.socket.display());
            if let Some(address) = daemon.http_address() {
                eprintln!("gortex: HTTP at http://{address}");
            }
        }
    };
    let outcome =
        runtime.block_on(Daemon::run(bearings.dirs.clone(), registry, options, |name| std::env::var_os(name), announce));
    runtime.shutdown_background();
    match outcome {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(error @ StartError::Running { .. }) if !flags.background => {
            Err(Failure { code: super::FAILED, message: format!("{error}; `gortex daemon status` says more") })
        }
        Err(error) => {
            tracing::error!("{error}");
            Err(error.into())
        }
    }
}

fn options(flags: &StartArgs) -> Result<Options, Failure> {
    let var = |name: &str| std::env::var(name).ok();
    let token = flags.http_auth_token.clone().or_else(|| var(TOKEN)).filter(|token| !token.is_empty());
    let folder = std::env::current_dir().unwrap_or_else(|_| "/".into());
    let http = flags.http_addr.clone().map(|address| HttpOptions {
        address,
        token,
        origins: flags.cors_origin.clone(),
        folder,
        idle_ttl: idle_ttl(var("GORTEX_MCP_SESSION_IDLE_TTL").as_deref()),
    });
    let idle_exit = match var("GORTEX_DAEMON_IDLE_TIMEOUT").as_deref().map(str::trim) {
        None | Some("") => flags.background.then_some(IDLE_TIME).filter(|_| http.is_none()),
        Some("off" | "0") => None,
        Some(text) => Some(
            duration(text)
                .ok_or_else(|| Failure::usage(format!("GORTEX_DAEMON_IDLE_TIMEOUT=`{text}` is no time; write `30m` or `off`")))?,
        ),
    };
    let tools = flags.tools.clone().or_else(|| var("GORTEX_TOOLS")).filter(|spec| !spec.trim().is_empty());
    Ok(Options { tools, http, idle_exit, bounds: Bounds::from_env(var) })
}

async fn start_detached(bearings: &Bearings, flags: &StartArgs, folder: PathBuf) -> Result<ExitCode, Failure> {
    if bearings.place.is_taken() {
        let pid = bearings.place.read_pid();
        return Err(format!("{}; `gortex daemon status` says more", StartError::Running { pid }).into());
    }
    starter(flags, folder)?.start(&bearings.place).await?;
    let status = bearings.order("status", Value::Null).await?;
    eprintln!("gortex: the daemon runs (process {}); log: {}", status["pid"], bearings.place.log.display());
    if let Some(address) = status["http"].as_str() {
        eprintln!("gortex: HTTP at http://{address}");
    }
    Ok(ExitCode::SUCCESS)
}

/// Asks it to end and sees to it that it does; what it was started with.
async fn stop(bearings: &Bearings) -> Result<Value, Failure> {
    let answer = bearings.order("shutdown", Value::Null).await?;
    if join::ended(&bearings.place, STOP_TIME).await {
        return Ok(answer);
    }
    eprintln!("gortex: the daemon has not ended after {} seconds; it is watched for two minutes more", STOP_TIME.as_secs());
    if join::ended(&bearings.place, WATCH_TIME).await {
        return Ok(answer);
    }
    let pid = answer["pid"].as_i64().and_then(|pid| i32::try_from(pid).ok()).and_then(rustix::process::Pid::from_raw);
    if let Some(pid) = pid {
        rustix::process::kill_process(pid, rustix::process::Signal::KILL)?;
        join::ended(&bearings.place, STOP_TIME).await;
        eprintln!("gortex: the daemon was killed; what it had not written is read from the files again");
    }
    Ok(answer)
}

async fn restart(bearings: &Bearings, mut flags: StartArgs) -> Result<ExitCode, Failure> {
    match stop(bearings).await {
        Ok(before) => {
            let word = |key: &str| before["start"][key].as_str().map(str::to_owned);
            flags.http_addr = flags.http_addr.or_else(|| word("http_addr"));
            flags.tools = flags.tools.or_else(|| word("tools"));
            if flags.cors_origin.is_empty() {
                let origins = before["start"]["cors_origins"].as_array().into_iter().flatten();
                flags.cors_origin = origins.filter_map(|origin| origin.as_str().map(str::to_owned)).collect();
            }
        }
        Err(failure) if failure.code == ABSENT => eprintln!("gortex: no daemon was running"),
        Err(failure) => return Err(failure),
    }
    start_detached(bearings, &flags, std::env::current_dir()?).await
}

/// The last lines of the log.
fn tail(place: &Place, lines: usize) -> Result<String, Failure> {
    let mut file = match std::fs::File::open(&place.log) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(Failure { code: ABSENT, message: format!("there is no log at `{}`", place.log.display()) });
        }
        Err(error) => return Err(error.into()),
    };
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(LOG_TAIL)))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let all: Vec<String> = bytes.lines().map_while(Result::ok).collect();
    Ok(all[all.len().saturating_sub(lines)..].join("\n"))
}

fn in_words(status: &Value) -> String {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let mut lines = vec![format!(
        "gortex {} (process {}), up {} s, {} sessions",
        text(&status["version"]),
        status["pid"],
        status["uptime_seconds"],
        status["sessions"]
    )];
    lines.push(format!("socket {}", text(&status["socket"])));
    if status["http"].is_string() {
        lines.push(format!("HTTP   http://{}", text(&status["http"])));
    }
    for server in status["servers"].as_array().into_iter().flatten() {
        let names: Vec<String> = server["repos"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|repo| format!("{} ({})", text(&repo["name"]), text(&repo["path"])))
            .collect();
        let names = if names.is_empty() { "no repository".to_owned() } else { names.join(", ") };
        lines.push(format!(
            "{names}: {}, {} files, {} nodes, {} edges, {} sessions",
            text(&server["readiness"]),
            server["files"],
            server["nodes"],
            server["edges"],
            server["sessions"]
        ));
    }
    lines.join("\n")
}
