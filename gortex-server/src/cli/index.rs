//! `gortex index`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use clap::Args;
use gortex_engine::engine::{IndexError, View};
use gortex_engine::index::build::Reuse;
use gortex_engine::scip::{Applied, Imported};

use super::app::{App, dirs, folder, runtime, settings};
use super::{Failure, bar};
use crate::config::{Config, RepoEntry};
use crate::tracking::{self, Decision};

/// Arguments of `gortex index`.
#[derive(Debug, Args)]
pub(crate) struct IndexArgs {
    /// The repository; the one around the working directory when left out.
    path: Option<PathBuf>,
    /// Read and parse every file again.
    #[arg(long)]
    full: bool,
    /// Take in SCIP indexes of this repository, made by compilers' indexers: their relations are kept as compiler evidence for
    /// files whose content is still the one they speak of.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    scip: Vec<PathBuf>,
    /// Show no progress.
    #[arg(long)]
    quiet: bool,
}

/// Indexes and says what was found.
pub(crate) fn run(args: IndexArgs) -> Result<ExitCode, Failure> {
    let dirs = dirs()?;
    let app = App::open(&dirs, settings(&dirs)?)?;
    let asked = folder(args.path.as_deref())?;
    let repos = match app.decide(&asked) {
        Decision::Track(repos) => repos,
        Decision::Inactive { .. } if !tracking::may_be_tracked(&asked, app.server.home()) => {
            return Err(Failure::usage(format!(
                "`{}` is the root of a disk or the home folder; name a repository",
                asked.display()
            )));
        }
        // A person asked for it by name: without a mark it has to be remembered, or the next start would not find it.
        Decision::Inactive { .. } => {
            let repos = tracking::with_folder(Vec::new(), asked.clone(), &app.config);
            for repo in &repos {
                Config::remember(&dirs.config, &RepoEntry { path: repo.root.clone(), name: Some(repo.name.clone()) })?;
            }
            repos
        }
    };
    app.show_notices();
    let start = Instant::now();
    let progress = bar::progress(args.quiet);
    let stopped = Arc::new(AtomicBool::new(false));
    let runtime = runtime()?;
    let stop = Arc::clone(&stopped);
    runtime.spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            stop.store(true, Ordering::Relaxed);
        }
    });
    let engine = app.server.engine();
    engine.announce(&repos);
    let outcome = engine
        .track(&repos, &*progress, &stopped)
        .and_then(|view| if args.full { engine.index(Reuse::Nothing, &*progress, &stopped) } else { Ok(view) });
    drop(progress);
    runtime.shutdown_background();
    match outcome {
        Ok(mut view) => {
            if !args.scip.is_empty() {
                let repo = view.repos.iter().find(|repo| asked.starts_with(&repo.root)).cloned();
                let repo = repo.ok_or_else(|| Failure::usage(format!("`{}` is in no tracked repository", asked.display())))?;
                let (imported, applied) = engine.import_scip(&repo, &args.scip)?;
                eprintln!("{}", evidence(&imported, &applied));
                view = engine.view();
            }
            engine.flush();
            eprintln!("{}", summary(&view, start.elapsed().as_secs_f64()));
            Ok(ExitCode::SUCCESS)
        }
        Err(IndexError::Cancelled) => Err(Failure { code: 130, message: "stopped; the index before is unchanged".to_owned() }),
        Err(error) => Err(error.into()),
    }
}

fn evidence(imported: &Imported, applied: &Applied) -> String {
    format!(
        "compiler evidence: {} documents ({} stale, {} without a file), {} mentions; {} relations raised, {} added, {} inferred ones \
         removed, {} resolved ones contradicted and kept",
        imported.documents,
        imported.stale,
        imported.missing,
        imported.mentions,
        applied.raised,
        applied.added,
        applied.removed,
        applied.contradicted,
    )
}

fn summary(view: &View, seconds: f64) -> String {
    let report = &view.report;
    let names: Vec<&str> = view.repos.iter().map(|repo| repo.name.as_str()).collect();
    let symbols = view.graph.node_count() as usize - view.graph.files.len();
    let mut line = format!(
        "{}: {} files, {symbols} symbols, {} relations ({} parsed, {} taken over) in {seconds:.1} s",
        names.join(", "),
        view.graph.files.len(),
        view.graph.edges().len(),
        report.parsed,
        report.reused,
    );
    let left = report.partial.len() + report.without_facts.len() + report.skipped.len();
    if left > 0 {
        let more = format!(
            "; {} partial, {} without facts, {} skipped: see `gortex call workspace --arg operation=index`",
            report.partial.len(),
            report.without_facts.len(),
            report.skipped.len()
        );
        line.push_str(&more);
    }
    line
}
