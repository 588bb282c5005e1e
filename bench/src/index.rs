//! The index benchmark: each measurement in its own child, the fastest run of each counts.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::corpus;
use crate::measure::{Figures, What};

/// All figures of one corpus.
pub struct Row {
    name: String,
    parse: Figures,
    cold: Figures,
    reopen: Figures,
}

/// Measures one corpus.
pub fn row(folder: &Path, threads: usize, runs: usize) -> Result<Row> {
    eprintln!("{} ...", folder.display());
    let state = tempfile::tempdir()?;
    let parse = best(runs, || child(What::Parse, folder, threads, state.path()))?;
    let cold = best(runs, || {
        let _ = std::fs::remove_dir_all(state.path().join("cache"));
        child(What::Cold, folder, threads, state.path())
    })?;
    let reopen = best(runs, || child(What::Reopen, folder, threads, state.path()))?;
    if reopen.parsed != 0 {
        bail!("reopening `{}` parsed {} files although nothing changed", folder.display(), reopen.parsed);
    }
    Ok(Row { name: corpus::name(folder), parse, cold, reopen })
}

pub fn best(runs: usize, mut measure: impl FnMut() -> Result<Figures>) -> Result<Figures> {
    let mut best = measure()?;
    for _ in 1..runs {
        let next = measure()?;
        // CPU time in ticks ties on small corpora; wall time decides then.
        if (next.cpu, next.wall) < (best.cpu, best.wall) {
            best = next;
        }
    }
    Ok(best)
}

pub fn child(what: What, folder: &Path, threads: usize, state: &Path) -> Result<Figures> {
    let out = Command::new(std::env::current_exe()?)
        .args(["measure", what.word()])
        .arg(folder)
        .arg(threads.to_string())
        .arg(state)
        .stderr(Stdio::inherit())
        .output()?;
    if !out.status.success() {
        bail!("measuring `{}` of `{}` failed", what.word(), folder.display());
    }
    serde_json::from_slice(&out.stdout).context("the child printed no figures")
}

/// The tables, in Markdown.
pub fn table(rows: &[Row]) -> String {
    let mut text = String::from(
        "| corpus | files parsed / all | MB | symbols | edges | parse CPU s (wall) | cold index CPU s (wall) | ratio CPU | reopen ms wall | of cold |\n\
         |---|---|---|---|---|---|---|---|---|---|\n",
    );
    for row in rows {
        let Row { name, parse, cold, reopen } = row;
        let _ = writeln!(
            text,
            "| {name} | {} / {} | {:.1} | {} | {} | {:.2} ({:.2}) | {:.2} ({:.2}) | {} | {:.0} | {:.1} % |",
            cold.files,
            cold.all_files,
            cold.bytes as f64 / 1e6,
            cold.symbols,
            cold.edges,
            parse.cpu,
            parse.wall,
            cold.cpu,
            cold.wall,
            ratio(cold.cpu, parse.cpu),
            reopen.wall * 1e3,
            reopen.wall / cold.wall * 100.0
        );
    }
    text.push_str(
        "\n| corpus | peak MiB cold | bound MiB | of bound | snapshot MiB | snapshot / source | peak MiB reopen | files partial | phases of the cold run, wall ms |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    for row in rows {
        let Row { name, cold, reopen, .. } = row;
        // What the design allows: 1 KiB a symbol and four times the largest file.
        let bound = (cold.symbols * 1024 + cold.largest * 4) as f64 / MIB;
        let phases: Vec<String> = cold.phases.iter().map(|(phase, seconds)| format!("{phase} {:.0}", seconds * 1e3)).collect();
        let _ = writeln!(
            text,
            "| {name} | {:.1} | {bound:.1} | {:.2} | {:.2} | {:.2} | {:.1} | {} | {} |",
            cold.peak_kib as f64 / 1024.0,
            cold.peak_kib as f64 / 1024.0 / bound,
            cold.snapshot as f64 / MIB,
            cold.snapshot as f64 / cold.bytes as f64,
            reopen.peak_kib as f64 / 1024.0,
            cold.partial,
            phases.join(", ")
        );
    }
    text
}

const MIB: f64 = 1_048_576.0;

/// A ratio, unless the floor is too small for the clock.
fn ratio(above: f64, below: f64) -> String {
    if below < 0.1 { "(too short)".to_owned() } else { format!("{:.2}", above / below) }
}
