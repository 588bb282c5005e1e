//! `gortex telemetry`: the choice, and all that was counted.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::json;

use super::app::{dirs, environment};
use super::{Failure, print_line};
use crate::telemetry::{Consent, Endpoint, days};

/// Arguments of `gortex telemetry`.
#[derive(Debug, Args)]
pub(crate) struct TelemetryArgs {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Count from now on.
    On,
    /// Count no more, and delete what was counted.
    Off,
    /// Say whether counts are kept, who decided, and what was counted.
    Status {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
}

/// Sets or tells.
pub(crate) fn run(args: &TelemetryArgs) -> Result<ExitCode, Failure> {
    let folder = dirs()?.telemetry;
    match args.verb {
        Verb::On | Verb::Off => {
            let enabled = matches!(args.verb, Verb::On);
            Consent::keep(&folder, enabled, "cli").map_err(|error| format!("`{}`: {error}", folder.display()))?;
            let holds = Consent::of(&folder, environment);
            print_line(if holds.enabled { "telemetry is on" } else { "telemetry is off" })?;
            if holds.enabled != enabled {
                eprintln!("gortex: the choice is kept, but the environment overrules it (DO_NOT_TRACK, GORTEX_TELEMETRY)");
            }
        }
        Verb::Status { json } => status(&folder, json)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn status(folder: &std::path::Path, json: bool) -> Result<(), Failure> {
    let holds = Consent::of(folder, environment);
    let endpoint = Endpoint::from_env(environment);
    let sent = match &endpoint {
        Ok(Some(_)) => "to the endpoint that is set".to_owned(),
        Ok(None) => "nowhere".to_owned(),
        Err(error) => format!("nowhere: {error}"),
    };
    let days = days(folder);
    if json {
        let place = folder.display().to_string();
        let counted = serde_json::to_value(&days)?;
        let out = json!({"enabled": holds.enabled, "decided_by": holds.source, "folder": place, "sent": sent, "days": counted});
        print_line(&out.to_string())?;
        return Ok(());
    }
    let by = serde_json::to_value(holds.source)?;
    let state = if holds.enabled { "on" } else { "off" };
    let mut lines = vec![format!("telemetry is {state} ({}); counts go {sent}", by.as_str().unwrap_or_default())];
    lines.push(format!("kept in {}", folder.display()));
    for day in &days {
        lines.push(day.day.clone());
        lines.extend(day.counts.iter().map(|(counter, count)| format!("  {count:>6}  {counter}")));
    }
    print_line(&lines.join("\n"))?;
    Ok(())
}
