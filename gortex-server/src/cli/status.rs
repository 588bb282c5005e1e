//! `gortex status`: what is tracked and indexed, from the snapshot alone. Indexes nothing.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use gortex_engine::engine::{RepoInfo, snapshot_path};
use gortex_engine::graph::snapshot;
use serde_json::{Value, json};

use super::app::{App, dirs, folder, settings};
use super::{Failure, print_line};
use crate::tracking::{self, Decision};

/// Arguments of `gortex status`.
#[derive(Debug, Args)]
pub(crate) struct StatusArgs {
    /// The folder to speak of; the working directory when left out.
    path: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Says what there is.
pub(crate) fn run(args: StatusArgs) -> Result<ExitCode, Failure> {
    let dirs = dirs()?;
    let app = App::open(&dirs, settings(&dirs)?)?;
    let asked = folder(args.path.as_deref())?;
    let remembered = tracking::remembered(&app.config);
    let status = match app.decide(&asked) {
        Decision::Track(repos) => {
            let path = snapshot_path(&dirs.cache, &repos);
            let found = snapshot::open(&path);
            let mut status = json!({"active": true, "repos": rows(&repos), "snapshot": path.display().to_string()});
            match found {
                Ok((graph, _)) => {
                    status["indexed"] = true.into();
                    status["files"] = graph.files.len().into();
                    status["symbols"] = (graph.node_count() as usize - graph.files.len()).into();
                    status["relations"] = graph.edges().len().into();
                    status["bytes"] = std::fs::metadata(&path).map_or(0, |meta| meta.len()).into();
                }
                Err(error) => {
                    status["indexed"] = false.into();
                    status["why"] = error.to_string().into();
                }
            }
            status
        }
        Decision::Inactive { reason } => json!({"active": false, "reason": reason, "repos": []}),
    };
    let mut status = status;
    status["remembered"] = rows(&remembered);
    status["settings"] = dirs.config.join(crate::config::FILE).display().to_string().into();
    if args.json {
        print_line(&status.to_string())?;
    } else {
        print_line(&in_words(&status))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn rows(repos: &[RepoInfo]) -> Value {
    repos.iter().map(|repo| json!({"name": repo.name, "path": repo.root.display().to_string()})).collect()
}

fn in_words(status: &Value) -> String {
    let mut lines = Vec::new();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    if status["active"] == true {
        for repo in status["repos"].as_array().into_iter().flatten() {
            lines.push(format!("{}  {}", text(&repo["name"]), text(&repo["path"])));
        }
        lines.push(if status["indexed"] == true {
            format!(
                "indexed: {} files, {} symbols, {} relations, {} bytes",
                status["files"], status["symbols"], status["relations"], status["bytes"]
            )
        } else {
            "not indexed yet; `gortex index` does it now, the first call does it too".to_owned()
        });
    } else {
        lines.push(text(&status["reason"]));
    }
    let remembered = status["remembered"].as_array().map_or(0, Vec::len);
    lines.push(format!("{remembered} remembered in {}", text(&status["settings"])));
    lines.join("\n")
}
