//! What the graph says, as lines: definitions, edges and loose ends of one folder, for the accuracy bench.
//!
//! Tab-separated, one row a line, in the graph's own order; the first field tells the kind of row. Columns are bytes from 0,
//! lines count from 1.
//!
//! Knows the graph; the comparison with compilers is made by `bench/accuracy`.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use anyhow::Result;
use gortex_engine::engine::{Engine, Options, RepoInfo, Silent};
use gortex_engine::graph::Graph;

use crate::corpus;

/// Indexes a folder and returns its rows.
pub fn dump(root: &Path, state: &Path) -> Result<String> {
    let options =
        Options { cache_dir: state.join("cache"), state_dir: state.join("state"), threads: 0, persist: false, bulk: None };
    let (engine, _authority) = Engine::open(options)?;
    let repos = [RepoInfo { name: corpus::name(root), root: root.to_owned() }];
    let view = engine.track(&repos, &Silent, &AtomicBool::new(false))?;
    let mut out = String::new();
    rows(&view.graph, &mut out)?;
    Ok(out)
}

fn rows(graph: &Graph, out: &mut String) -> Result<()> {
    for file in &graph.files {
        for (index, def) in file.facts.view().defs.iter().enumerate() {
            let node = file.base + 1 + index as u32;
            let owner = graph.parent(node).unwrap_or(node);
            let kind = graph.kind(node).as_str();
            writeln!(
                out,
                "def\t{}\t{}\t{}\t{kind}\t{}\t{}\t{}",
                file.path,
                def.name_line,
                def.name_col,
                graph.name(node),
                graph.def(owner).map_or(0, |def| def.name_line),
                graph.file_of(owner).path,
            )?;
        }
    }
    for edge in graph.edges() {
        let target = graph.def(edge.to).map_or(0, |def| def.name_line);
        writeln!(
            out,
            "edge\t{}\t{}\t{}\t{}\t{}\t{}\t{target}\t{}\t{}\t{}\t{}",
            graph.file_of(edge.from).path,
            edge.line,
            edge.col,
            edge.kind().as_str(),
            edge.role().as_str(),
            graph.file_of(edge.to).path,
            edge.tier().as_str(),
            edge.confidence,
            edge.flags,
            graph.name(edge.to),
        )?;
    }
    for row in graph.unbound() {
        let (file, name) = (graph.file_of(row.owner), graph.names().text(row.name));
        writeln!(
            out,
            "loose\t{}\t{}\t{}\t{}\t{}\t{name}",
            file.path,
            row.line,
            row.col,
            row.role().as_str(),
            row.reason().as_str()
        )?;
    }
    Ok(())
}
