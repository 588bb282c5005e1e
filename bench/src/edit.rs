//! The edit benchmark: one file is written, then the server is asked about what was written.
//!
//! Two kinds of edit, on a copy of the corpus: a comment above everything, which moves every line of the file and changes no
//! definition, and a new function at its end. The question is one whose answer must know of the edit, so that what is
//! measured ends with a fresh answer; a stale one ends the benchmark.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde_json::json;

use crate::client::Client;
use crate::index::{best, child};
use crate::measure::What;
use crate::tools::{Sample, at, choose, millis};
use crate::{corpus, measure};

/// The head of the table that [`measure()`] gives rows of.
pub const HEAD: &str = "| corpus | edit | edits | p50 ms | p95 ms | max ms | CPU ms each | cold CPU s | of cold |\n\
                        |---|---|---|---|---|---|---|---|---|";

/// What is written.
#[derive(Clone, Copy)]
enum Edit {
    Moved,
    Added,
}

/// Measures both kinds on one corpus.
pub fn measure(server: &Path, folder: &Path, samples: usize) -> Result<String> {
    let scratch = tempfile::tempdir()?;
    let state = scratch.path().join("state");
    let cold = best(2, || {
        let _ = fs::remove_dir_all(&state);
        child(What::Cold, folder, 0, &state)
    })?;
    let copy = scratch.path().join(corpus::name(folder));
    let copied = Command::new("cp").arg("-a").arg(folder).arg(&copy).status()?;
    if !copied.success() {
        bail!("could not copy `{}`", folder.display());
    }
    let chosen: Vec<Sample> =
        choose(&measure::view(&copy)?.graph, samples * 4).into_iter().filter(|one| added(&one.file, 0).is_some()).collect();
    let home = scratch.path().join("home");
    fs::create_dir(&home)?;
    let mut client = Client::start(server, &copy, &home)?;
    let probe = chosen.first().context("the corpus has no file that an edit is known for")?;
    for _ in 0..2 {
        edit(&mut client, &copy, probe, Edit::Moved, usize::MAX)?;
    }
    let mut text = String::new();
    for (word, kind) in [("lines moved", Edit::Moved), ("function added", Edit::Added)] {
        let before = client.cpu_seconds();
        let mut times = Vec::new();
        let spread = (0..samples.min(chosen.len())).map(|nth| &chosen[nth * chosen.len() / samples.min(chosen.len())]);
        for (nth, sample) in spread.enumerate() {
            times.push(edit(&mut client, &copy, sample, kind, nth)?);
        }
        let cpu = (client.cpu_seconds() - before) / times.len() as f64;
        times.sort_unstable();
        let _ = writeln!(
            text,
            "| {} | {word} | {} | {:.1} | {:.1} | {:.1} | {:.1} | {:.2} | {:.2} % |",
            corpus::name(folder),
            times.len(),
            millis(*at(&times, 50)),
            millis(*at(&times, 95)),
            millis(*at(&times, 100)),
            cpu * 1e3,
            cold.cpu,
            cpu / cold.cpu * 100.0
        );
    }
    Ok(text)
}

/// From the write to the answer.
fn edit(client: &mut Client, root: &Path, sample: &Sample, kind: Edit, nth: usize) -> Result<std::time::Duration> {
    let path = root.join(&sample.file);
    let old = fs::read_to_string(&path)?;
    let (name, tail) = added(&sample.file, nth).context("an edit is known for every sample")?;
    let (new, question) = match kind {
        Edit::Moved => {
            let mark = if Path::new(&sample.file).extension().is_some_and(|ending| ending == "py") { "#" } else { "//" };
            (format!("{mark} {nth}\n{old}"), json!({"operation": "callers", "target": {"symbol": sample.id}}))
        }
        Edit::Added => {
            let id = format!("{}::{name}", sample.file);
            (format!("{old}\n{tail}\n"), json!({"operation": "callers", "target": {"symbol": id}}))
        }
    };
    let start = Instant::now();
    fs::write(&path, new)?;
    let reply = client.call("relations", &question)?;
    let took = start.elapsed();
    if reply.is_error {
        bail!("the answer after an edit of `{}` does not know of it: {question}", sample.file);
    }
    Ok(took)
}

/// A new function's name and text in the language of a file.
fn added(file: &str, nth: usize) -> Option<(String, String)> {
    let name = format!("gortex_probe_{nth}");
    let text = match file.rsplit('.').next()? {
        "py" => format!("def {name}():\n    return len('x')"),
        "go" => format!("func {name}() int {{ return 1 }}"),
        "rs" => format!("pub fn {name}() -> u8 {{ 1 }}"),
        "ts" | "js" => format!("export function {name}() {{ return 1 }}"),
        "c" => format!("int {name}(void) {{ return 1; }}"),
        _ => return None,
    };
    Some((name, text))
}
