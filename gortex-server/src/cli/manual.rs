//! `docs/cli.md`, from the definitions that the program parses its command line with.
//!
//! The page is generated; a test fails when it is not what the program would accept.

use std::fmt::Write as _;
use std::path::Path;

use clap::{Arg, Command, CommandFactory as _};

use super::Cli;

/// Regenerates the page.
const COMMAND: &str = "GORTEX_WRITE_DOCS=1 cargo test -p gortex-server --lib manual";

const HEAD: &str = "# Command line

<!-- Generated from the definitions in gortex-server/src/cli: do not edit. -->

Answers go to standard output, everything else to standard error.

| exit code | meaning |
|---|---|
| 0 | success |
| 1 | the call or the run failed; a tool's error stands on standard output |
| 2 | a mistake in the command |
| 3 | a daemon was asked for and is not there |
| 130 | interrupted |

`gortex call` reaches every tool by its name, with the arguments that the protocol takes. `--arg key=value` guesses the type from the
text (`true`, `42`, `null`, `[1]`, `{\"a\":1}`; anything else is text), `key:=json` takes JSON as it is, and a dotted key such as
`target.symbol` reaches into a container. A key replaces the same key of `--json`, and that one of `--json-file`. A running daemon answers;
without one this process does, from the snapshot, with the same bytes. An operation that changes something says so in one line on
standard error.

| variable | meaning |
|---|---|
| `GORTEX_HOME` | one folder for settings, cache and state, instead of the XDG folders |
| `GORTEX_TOOLS` | which tools a client sees, before `--tools` |
| `GORTEX_DAEMON` | `off`: no daemon is started or asked |
| `GORTEX_DAEMON_DIR` | the folder of socket, lock, process number and log |
| `GORTEX_DAEMON_IDLE_TIMEOUT` | the daemon ends when unused for so long (`30m`; `off`). One that `gortex mcp` started: 30 minutes; one started by hand: never |
| `GORTEX_DAEMON_HTTP_TOKEN` | what HTTP clients must send |
| `GORTEX_MCP_TOOL_TIMEOUT` | how long a call may take (`30s`, `250ms`, `off`); 60 s, which the daemon never exceeds |
| `GORTEX_MCP_MAX_CONCURRENT_DISPATCHES` | how many calls of one connection run at once; 8, at most 64 |
| `GORTEX_MCP_SESSION_IDLE_TTL` | when idle HTTP sessions end, in seconds; negative is never; 30 minutes |
| `GORTEX_TOOL_ARG_GUARD` | unknown arguments of legacy tools: reported, `reject` refuses, `0` ignores |
| `RUST_LOG` | what is logged |

The daemon is for Unix systems; on others `gortex mcp` and `gortex call` do everything in their own process.
";

/// The page.
fn page() -> String {
    let mut page = HEAD.to_owned();
    let mut command = Cli::command();
    command.build();
    for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set() && verb.get_name() != "help") {
        describe(&mut page, verb, &format!("gortex {}", verb.get_name()), 2);
    }
    page
}

fn describe(page: &mut String, command: &Command, name: &str, level: usize) {
    let _ = write!(page, "\n{} {name}\n\n", "#".repeat(level));
    if let Some(about) = command.get_about() {
        let _ = writeln!(page, "{}.", about.to_string().trim_end_matches('.'));
    }
    let shown = |argument: &&Arg| !argument.is_hide_set() && !["help", "version"].contains(&argument.get_id().as_str());
    let arguments: Vec<&Arg> = command.get_arguments().filter(shown).collect();
    if !arguments.is_empty() {
        page.push_str("\n| argument | meaning |\n|---|---|\n");
        for argument in arguments {
            let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(page, "| `{}` | {} |", spelt(argument), help.replace('|', "\\|").replace('\n', " "));
        }
    }
    for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set() && verb.get_name() != "help") {
        describe(page, verb, &format!("{name} {}", verb.get_name()), level + 1);
    }
}

/// An argument as it is typed.
fn spelt(argument: &Arg) -> String {
    let value = argument.get_value_names().map(|names| names.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "));
    let takes = argument.get_action().takes_values();
    let value = value.filter(|_| takes).unwrap_or_default();
    let long = argument.get_long().map(|long| format!("--{long}"));
    let short = argument.get_short().map(|short| format!("-{short}"));
    let names: Vec<String> = short.into_iter().chain(long).collect();
    let optional = if argument.is_required_set() { value.clone() } else { format!("[{value}]") };
    match (names.is_empty(), value.is_empty()) {
        (true, _) => optional,
        (false, true) => names.join(", "),
        (false, false) => format!("{} <{value}>", names.join(", ")),
    }
}

#[test]
fn the_page_of_the_command_line_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/cli.md");
    let page = page();
    if std::env::var_os("GORTEX_WRITE_DOCS").is_some() {
        std::fs::write(&path, &page).expect("the page");
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(there.replace("\r\n", "\n") == page, "docs/cli.md is out of date: {COMMAND}");
}
