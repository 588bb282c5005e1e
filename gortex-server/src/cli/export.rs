//! `gortex export`.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

use clap::Args;
use gortex_engine::scip;

use super::app::{App, dirs, folder, settings};
use super::{Failure, bar};
use crate::tracking::{self, Decision};

/// Arguments of `gortex export`.
#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// The repository; the one around the working directory when left out.
    path: Option<PathBuf>,
    /// Write a SCIP index to this file.
    #[arg(long, value_name = "FILE")]
    scip: PathBuf,
}

/// Brings the graph up to date and writes it.
pub(crate) fn run(args: ExportArgs) -> Result<ExitCode, Failure> {
    let dirs = dirs()?;
    let app = App::open(&dirs, settings(&dirs)?)?;
    let asked = folder(args.path.as_deref())?;
    let repos = match app.decide(&asked) {
        Decision::Track(repos) => repos,
        Decision::Inactive { .. } if tracking::may_be_tracked(&asked, app.server.home()) => {
            tracking::with_folder(Vec::new(), asked.clone(), &app.config)
        }
        Decision::Inactive { .. } => {
            return Err(Failure::usage(format!("`{}` can't be tracked; name a repository", asked.display())));
        }
    };
    let engine = app.server.engine();
    engine.announce(&repos);
    let view = engine.track(&repos, &*bar::progress(true), &AtomicBool::new(false))?;
    engine.flush();
    let number = view.repos.iter().position(|repo| asked.starts_with(&repo.root));
    let number = number.ok_or_else(|| Failure::usage(format!("`{}` is in no tracked repository", asked.display())))?;
    let index = scip::export(&view.graph, number as u16, &view.repos[number].root);
    let documents = index.documents.len();
    let folder =
        args.scip.parent().filter(|folder| !folder.as_os_str().is_empty()).map_or_else(|| PathBuf::from("."), PathBuf::from);
    // Written beside its place and renamed there: a reader never sees half an index.
    let mut file = tempfile::NamedTempFile::new_in(&folder).map_err(|error| format!("`{}`: {error}", folder.display()))?;
    scip::write(&index, &mut file)?;
    file.flush()?;
    file.persist(&args.scip).map_err(|error| format!("`{}`: {}", args.scip.display(), error.error))?;
    eprintln!("{documents} documents written to `{}`", args.scip.display());
    Ok(ExitCode::SUCCESS)
}
