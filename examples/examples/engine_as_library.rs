//! The engine without a server: index a folder, ask who calls a function.
//!
//! `cargo run -p gortex-examples --example engine_as_library -- . resolve`

use std::path::Path;
use std::sync::atomic::AtomicBool;

use gortex_engine::engine::{Engine, Options, RepoInfo, Silent};
use gortex_engine::graph::Graph;
use gortex_engine::query::symbol::{Resolved, resolve};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(folder), Some(name)) = (arguments.next(), arguments.next()) else {
        return Err("usage: engine_as_library <folder> <symbol>".into());
    };
    let scratch = std::env::temp_dir().join("gortex-example");
    let options =
        Options { cache_dir: scratch.join("cache"), state_dir: scratch.join("state"), threads: 0, persist: false, bulk: None };
    // The authority is what writing files would need; this program only reads.
    let (engine, _authority) = Engine::open(options)?;
    let root = Path::new(&folder).canonicalize()?;
    let repos = [RepoInfo { name: "example".to_owned(), root }];
    let view = engine.track(&repos, &Silent, &AtomicBool::new(false))?;
    println!("{} files, {} edges", view.graph.files.len(), view.graph.edges().len());
    match resolve(&view.graph, &name) {
        Resolved::One(node) => print_callers(&view.graph, node),
        Resolved::Many(nodes) => nodes.iter().for_each(|node| println!("which one? {}", view.graph.id(*node))),
        Resolved::None(nearest) => nearest.iter().for_each(|node| println!("did you mean {}", view.graph.id(*node))),
    }
    Ok(())
}

fn print_callers(graph: &Graph, target: u32) {
    println!("callers of {}:", graph.id(target));
    for edge in graph.incoming(target).filter(|edge| edge.kind().is_call()) {
        let file = &graph.file_of(edge.from).path;
        println!("  {} at {file}:{} ({}, {} %)", graph.id(edge.from), edge.line, edge.tier().as_str(), edge.confidence);
    }
}
