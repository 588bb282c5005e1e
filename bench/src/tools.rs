//! The tool benchmark: each read tool on sampled symbols, through a real `gortex mcp` child.

use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use gortex_engine::graph::Graph;
use serde_json::{Value, json};

use crate::client::Client;
use crate::{corpus, measure};

/// A sampled symbol.
pub struct Sample {
    pub id: String,
    pub name: String,
    pub file: String,
}

type Ask = fn(&Sample) -> Value;

/// Tool, operation, and what is asked about a sample.
const ASKED: &[(&str, &str, Ask)] = &[
    ("explore", "task", |s| json!({"operation": "task", "task": format!("where is {} handled", s.name)})),
    ("explore", "outline", |_| json!({"operation": "outline"})),
    ("search", "symbols", |s| json!({"operation": "symbols", "query": s.name})),
    ("search", "text", |s| json!({"operation": "text", "query": s.name})),
    ("search", "files", |s| json!({"operation": "files", "query": s.file})),
    ("read", "file", |s| json!({"operation": "file", "target": {"file": s.file}})),
    ("read", "source", |s| json!({"operation": "source", "target": {"symbol": s.id}})),
    ("read", "symbols", |s| json!({"operation": "symbols", "target": {"symbols": [s.id]}})),
    ("read", "summary", |s| json!({"operation": "summary", "target": {"file": s.file}})),
    ("read", "editing_context", |s| json!({"operation": "editing_context", "target": {"file": s.file}})),
    ("relations", "usages", |s| json!({"operation": "usages", "target": {"symbol": s.id}})),
    ("relations", "callers", |s| json!({"operation": "callers", "target": {"symbol": s.id}})),
    ("relations", "dependencies", |s| json!({"operation": "dependencies", "target": {"symbol": s.id}})),
    ("relations", "dependents", |s| json!({"operation": "dependents", "target": {"symbol": s.id}})),
    ("trace", "call_chain", |s| json!({"operation": "call_chain", "target": {"symbol": s.id}})),
    ("change", "impact", |s| json!({"operation": "impact", "target": {"symbol": s.id}})),
    ("change", "tests", |s| json!({"operation": "tests", "target": {"symbols": [s.id]}})),
    ("workspace", "info", |_| json!({"operation": "info"})),
    ("workspace", "index", |_| json!({"operation": "index"})),
];

/// Measures one corpus and returns its table, in Markdown.
pub fn measure(server: &Path, folder: &Path, samples: usize) -> Result<String> {
    let chosen = choose(&measure::view(folder)?.graph, samples);
    let home = tempfile::tempdir()?;
    // The first process makes the snapshot; what is measured is a server that finds it.
    let first = Instant::now();
    Client::start(server, folder, home.path())?.call("workspace", &json!({"operation": "graph"}))?;
    let first = first.elapsed();
    let start = Instant::now();
    let mut client = Client::start(server, folder, home.path())?;
    let probe = chosen.first().context("the corpus has no callable symbols")?;
    client.call("relations", &json!({"operation": "callers", "target": {"symbol": probe.id}}))?;
    let ready = start.elapsed();

    let mut text = format!(
        "**{}**: {} symbols sampled; start to first answer {:.0} ms with nothing indexed, {:.0} ms with a snapshot.\n\n\
         | tool | calls | p50 ms | p95 ms | max ms | p50 bytes | p95 bytes | errors |\n|---|---|---|---|---|---|---|---|\n",
        corpus::name(folder),
        chosen.len(),
        millis(first),
        millis(ready)
    );
    for (tool, operation, ask) in ASKED {
        let mut times = Vec::with_capacity(chosen.len());
        let mut sizes = Vec::with_capacity(chosen.len());
        let mut errors = 0;
        for sample in &chosen {
            let reply = client.call(tool, &ask(sample))?;
            errors += usize::from(reply.is_error);
            times.push(reply.took);
            sizes.push(reply.bytes);
        }
        times.sort_unstable();
        sizes.sort_unstable();
        let _ = writeln!(
            text,
            "| {tool} {operation} | {} | {:.2} | {:.2} | {:.2} | {} | {} | {errors} |",
            times.len(),
            millis(*at(&times, 50)),
            millis(*at(&times, 95)),
            millis(*at(&times, 100)),
            at(&sizes, 50),
            at(&sizes, 95)
        );
    }
    let (now, peak) = client.memory();
    let _ = writeln!(text, "\nResident memory of the server after these calls: {now:.0} MiB, at its highest {peak:.0} MiB.");
    Ok(text)
}

/// Callable definitions, evenly spread over the graph.
pub fn choose(graph: &Graph, samples: usize) -> Vec<Sample> {
    let callable: Vec<u32> = (0..graph.node_count()).filter(|node| graph.kind(*node).is_callable()).collect();
    let wanted = samples.min(callable.len());
    let picked = (0..wanted).map(|at| callable[at * callable.len() / wanted]);
    picked
        .map(|node| Sample { id: graph.id(node), name: graph.name(node).to_owned(), file: graph.file_of(node).path.clone() })
        .collect()
}

/// The value at a percentile of a sorted list that is not empty.
pub fn at<T>(sorted: &[T], percent: usize) -> &T {
    &sorted[(sorted.len() * percent).div_ceil(100).clamp(1, sorted.len()) - 1]
}

pub fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

#[cfg(test)]
mod tests {
    use super::at;

    #[test]
    fn percentiles_are_values_of_the_list() {
        let values: Vec<u32> = (1..=200).collect();
        assert_eq!([at(&values, 50), at(&values, 95), at(&values, 100)], [&100, &190, &200]);
        assert_eq!(at(&[7], 95), &7);
    }
}
