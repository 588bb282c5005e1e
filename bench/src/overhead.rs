//! The overhead benchmark: the same question by its public name and by its legacy name, one after the other.
//!
//! Two servers over one snapshot are asked in turn, so that what disturbs one disturbs the other. What is left between the two
//! medians is what the compact surface adds: the envelope, the policy and the metadata, and the longer request and answer.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use serde_json::{Value, json};

use crate::client::Client;
use crate::tools::{Sample, choose};
use crate::{corpus, measure};

/// One question under both names.
struct Pair {
    tool: &'static str,
    public: fn(&Sample) -> Value,
    legacy: &'static str,
    direct: fn(&Sample) -> Value,
}

const PAIRS: &[Pair] = &[
    Pair {
        tool: "relations",
        public: |s| json!({"operation": "callers", "target": {"symbol": s.id}}),
        legacy: "get_callers",
        direct: |s| json!({"id": s.id}),
    },
    Pair {
        tool: "read",
        public: |s| json!({"target": {"symbol": s.id}}),
        legacy: "get_symbol_source",
        direct: |s| json!({"id": s.id}),
    },
    Pair { tool: "workspace", public: |_| json!({"operation": "repos"}), legacy: "list_repos", direct: |_| json!({}) },
];

/// Measures one corpus and returns its table, in Markdown.
pub fn measure(server: &Path, folder: &Path, samples: usize) -> Result<String> {
    let chosen = choose(&measure::view(folder)?.graph, samples);
    let home = tempfile::tempdir()?;
    Client::start(server, folder, home.path())?.call("workspace", &json!({"operation": "graph"}))?;
    let mut compact = Client::start(server, folder, home.path())?;
    let mut full = Client::start_with(server, folder, home.path(), Some("full"))?;
    let mut out = format!("**{}**, {} questions each\n\n", corpus::name(folder), chosen.len());
    out.push_str("| question | legacy p50 µs | compact p50 µs | added µs |\n|---|---|---|---|\n");
    for pair in PAIRS {
        let (mut public, mut direct) = (Vec::new(), Vec::new());
        for sample in &chosen {
            direct.push(full.call(pair.legacy, &(pair.direct)(sample))?.took);
            public.push(compact.call(pair.tool, &(pair.public)(sample))?.took);
        }
        let (public, direct) = (median(public), median(direct));
        let added = public.as_secs_f64() - direct.as_secs_f64();
        let micros = |time: Duration| time.as_secs_f64() * 1e6;
        let _ = writeln!(out, "| {} | {:.0} | {:.0} | {:.0} |", pair.legacy, micros(direct), micros(public), added * 1e6);
    }
    out.push('\n');
    Ok(out)
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
