//! One measurement, in a process of its own.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use anyhow::{Result, bail};
use gortex_engine::engine::{Engine, Options, Phase, Progress, RepoInfo, Silent, View};
use gortex_engine::graph::FileStatus;
use gortex_engine::index::classify::{self, Content};
use gortex_engine::index::walk;
use gortex_engine::lang::Lang;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{corpus, machine};

/// What is measured.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum What {
    /// Parsing alone: files in memory, trees dropped.
    Parse,
    /// A first index with an empty cache, snapshot included.
    Cold,
    /// Opening the snapshot of an unchanged tree.
    Reopen,
}

impl What {
    /// The word on the command line.
    pub fn word(self) -> &'static str {
        match self {
            What::Parse => "parse",
            What::Cold => "cold",
            What::Reopen => "reopen",
        }
    }
}

/// What a measurement found. Fields that do not apply are 0.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Figures {
    pub cpu: f64,
    pub wall: f64,
    /// Peak resident memory of the process, KiB.
    pub peak_kib: u64,
    /// Files with a grammar that were parsed, and their bytes.
    pub files: u64,
    pub bytes: u64,
    pub largest: u64,
    pub all_files: u64,
    pub symbols: u64,
    pub edges: u64,
    pub unbound: u64,
    pub partial: u64,
    /// Files parsed in this run.
    pub parsed: u64,
    pub snapshot: u64,
    /// Wall seconds of each phase, in order.
    pub phases: Vec<(String, f64)>,
}

/// Takes one measurement.
pub fn run(what: What, root: &Path, threads: usize, state: &Path) -> Result<Figures> {
    match what {
        What::Parse => parse(root, threads),
        What::Cold | What::Reopen => index(root, threads, state),
    }
}

fn index(root: &Path, threads: usize, state: &Path) -> Result<Figures> {
    let (cpu, start) = (machine::cpu_seconds("self"), Instant::now());
    let options = Options { cache_dir: state.join("cache"), state_dir: state.join("state"), threads, persist: true };
    let (engine, _authority) = Engine::open(options)?;
    let repos = [RepoInfo { name: corpus::name(root), root: root.to_owned() }];
    let clock = Clock::new();
    let view = engine.track(&repos, &clock, &AtomicBool::new(false))?;
    let wall = start.elapsed().as_secs_f64();
    let mut figures = describe(&view);
    figures.cpu = machine::cpu_seconds("self") - cpu;
    figures.wall = wall;
    figures.phases = clock.phases();
    figures.snapshot = engine.snapshot_bytes().unwrap_or(0);
    figures.peak_kib = machine::memory_kib("self", "VmHWM");
    Ok(figures)
}

fn describe(view: &View) -> Figures {
    let graph = &view.graph;
    let parsed = graph.files.iter().filter(|file| matches!(file.status, FileStatus::Indexed | FileStatus::Partial));
    let (files, bytes) = parsed.fold((0, 0), |(files, bytes), file| (files + 1, bytes + file.size));
    Figures {
        files,
        bytes,
        largest: graph.files.iter().map(|file| file.size).filter(|size| classify::by_size(*size).is_none()).max().unwrap_or(0),
        all_files: graph.files.len() as u64,
        symbols: u64::from(graph.node_count()).saturating_sub(graph.files.len() as u64),
        edges: graph.edges().len() as u64,
        unbound: graph.unbound().len() as u64,
        partial: view.report.partial.len() as u64,
        parsed: view.report.parsed as u64,
        ..Figures::default()
    }
}

/// Hears which phase begins when.
struct Clock {
    began: Mutex<Vec<(Phase, Instant)>>,
}

impl Clock {
    fn new() -> Clock {
        Clock { began: Mutex::new(Vec::new()) }
    }

    fn phases(&self) -> Vec<(String, f64)> {
        let now = Instant::now();
        let Ok(began) = self.began.lock() else { return Vec::new() };
        let ends = began.iter().skip(1).map(|(_, at)| *at).chain([now]);
        began.iter().zip(ends).map(|((phase, from), to)| (phase.as_str().to_owned(), (to - *from).as_secs_f64())).collect()
    }
}

impl Progress for Clock {
    fn report(&self, phase: Phase, _: u64, _: u64) {
        if let Ok(mut began) = self.began.lock()
            && began.last().is_none_or(|(last, _)| *last != phase)
        {
            began.push((phase, Instant::now()));
        }
    }
}

/// The floor: the same files, grammars and threads; nothing but the parser, and bytes already in memory.
fn parse(root: &Path, threads: usize) -> Result<Figures> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(64 << 20).build()?;
    let walked = walk::walk(root, pool.current_num_threads(), &AtomicBool::new(false))?;
    let mut files: Vec<(Lang, Vec<u8>)> = Vec::new();
    for file in walked.files {
        if classify::by_size(file.size).is_some() {
            continue;
        }
        let Ok(bytes) = std::fs::read(root.join(&file.rel)) else { continue };
        let verdict = classify::classify(&file.rel, &bytes);
        if let (Content::Source, Some(lang)) = (verdict.content, verdict.lang) {
            files.push((lang, bytes));
        }
    }
    // Loading a grammar is part of neither.
    for (lang, _) in &files {
        lang.compiled();
    }
    let (cpu, start) = (machine::cpu_seconds("self"), Instant::now());
    let roots: u64 = pool.install(|| files.par_iter().map(|(lang, bytes)| u64::from(parse_one(*lang, bytes))).sum());
    let (wall, cpu) = (start.elapsed().as_secs_f64(), machine::cpu_seconds("self") - cpu);
    if roots != files.len() as u64 {
        bail!("the parser gave up on {} files", files.len() as u64 - roots);
    }
    Ok(Figures {
        cpu,
        wall,
        files: files.len() as u64,
        bytes: files.iter().map(|(_, bytes)| bytes.len() as u64).sum(),
        peak_kib: machine::memory_kib("self", "VmHWM"),
        ..Figures::default()
    })
}

/// Whether the parser delivered a tree.
fn parse_one(lang: Lang, bytes: &[u8]) -> bool {
    thread_local! {
        static PARSER: std::cell::RefCell<tree_sitter::Parser> = std::cell::RefCell::new(tree_sitter::Parser::new());
    }
    PARSER.with_borrow_mut(|parser| parser.set_language(&lang.compiled().grammar).is_ok() && parser.parse(bytes, None).is_some())
}

/// The view of a folder, for choosing what to ask; nothing is written.
pub fn view(root: &Path) -> Result<std::sync::Arc<View>> {
    let scratch = tempfile::tempdir()?;
    let options =
        Options { cache_dir: scratch.path().join("c"), state_dir: scratch.path().join("s"), threads: 0, persist: false };
    let (engine, _authority) = Engine::open(options)?;
    let repos = [RepoInfo { name: corpus::name(root), root: root.to_owned() }];
    Ok(engine.track(&repos, &Silent, &AtomicBool::new(false))?)
}
