//! The first index of a tree in a process of its own.
//!
//! A cold index feeds every file to foreign parsers at once; if one of them ends its process, that should not be the server.
//! So the server starts itself once more, hands over the repositories, hears how far it is, and reads the snapshot it leaves.
//! A child that dies has left in its journal what it was parsing; the next one parses that alone, and the one after that
//! leaves the harmful file out. A child that makes no progress in parsing is stopped and counts as dead.
//!
//! The child ends when its input does, so it does not outlive its parent. Knows processes, not what they index.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::engine::{Engine, IndexError, Options, Phase, Progress, RepoInfo};

/// A file that takes longer hangs.
const HANG: Duration = Duration::from_mins(2);
/// How often the parent looks whether it should stop.
const BEAT: Duration = Duration::from_millis(50);
/// Two deaths find one harmful file; a tree with more harmful files than this allows is given up.
const DEATHS: usize = 24;

/// How to start the child.
#[derive(Clone, Debug)]
pub struct Bulk {
    /// The program.
    pub program: PathBuf,
    /// Its arguments; it must end up in [`serve`].
    pub args: Vec<OsString>,
}

/// What the child is told.
#[derive(Debug, Serialize, Deserialize)]
pub struct Order {
    /// Where the snapshot goes.
    pub cache_dir: PathBuf,
    /// Threads, as in [`Options`].
    pub threads: usize,
    /// Names and roots.
    pub repos: Vec<(String, PathBuf)>,
}

/// How a child ended.
enum Ended {
    Well,
    /// By a signal, or because it hung.
    Died(String),
    /// It said why it could not.
    Refused(String),
    Cancelled,
}

/// Has the repositories indexed. `Ok(false)` says that no child could do it and why is in the log: do it here.
pub(crate) fn supervise(bulk: &Bulk, order: &Order, progress: &dyn Progress, cancel: &AtomicBool) -> Result<bool, IndexError> {
    let Ok(mut line) = serde_json::to_vec(order) else { return Ok(false) };
    line.push(b'\n');
    let mut last = String::new();
    for _ in 0..DEATHS {
        match run(bulk, &line, progress, cancel) {
            Ok(Ended::Well) => return Ok(true),
            Ok(Ended::Cancelled) => return Err(IndexError::Cancelled),
            Ok(Ended::Died(how)) => {
                tracing::warn!("the process that indexes {how}; it is started again, more carefully");
                last = how;
            }
            Ok(Ended::Refused(why)) => {
                tracing::warn!("indexing in a process of its own failed: {why}");
                return Ok(false);
            }
            Err(error) => {
                tracing::warn!(%error, "no process for indexing could be started");
                return Ok(false);
            }
        }
    }
    Err(IndexError::Died { how: last })
}

fn run(bulk: &Bulk, order: &[u8], progress: &dyn Progress, cancel: &AtomicBool) -> std::io::Result<Ended> {
    let mut command = Command::new(&bulk.program);
    command.args(&bulk.args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
    let mut child = command.spawn()?;
    let mut input = child.stdin.take();
    let told = input.as_mut().is_some_and(|input| input.write_all(order).and_then(|()| input.flush()).is_ok());
    let ended = if told { follow(&mut child, progress, cancel) } else { Ok(None) };
    // The end of its input ends it, too.
    drop(input);
    match ended {
        Ok(Some(ended)) => {
            // Whatever it still does is not wanted.
            let _ = child.kill();
            let _ = child.wait();
            Ok(ended)
        }
        Ok(None) => child.wait().map(judge),
        Err(error) => {
            let _ = child.kill();
            let _ = child.wait();
            Err(error)
        }
    }
}

/// Passes on what the child reports until it stops reporting; `Some` when it has to be stopped.
fn follow(child: &mut Child, progress: &dyn Progress, cancel: &AtomicBool) -> std::io::Result<Option<Ended>> {
    let Some(output) = child.stdout.take() else { return Ok(None) };
    let (sender, receiver) = mpsc::channel();
    let read = move || BufReader::new(output).lines().map_while(Result::ok).try_for_each(|line| sender.send(line));
    std::thread::Builder::new().name("bulk".to_owned()).spawn(read)?;
    let mut heard = Instant::now();
    let mut parsing = true;
    loop {
        match receiver.recv_timeout(BEAT) {
            Ok(line) => {
                heard = Instant::now();
                if let Some((phase, done, total)) = parse_report(&line) {
                    parsing = matches!(phase, Phase::Walk | Phase::Parse);
                    progress.report(phase, done, total);
                }
            }
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
            Err(RecvTimeoutError::Timeout) if cancel.load(Ordering::Relaxed) => return Ok(Some(Ended::Cancelled)),
            Err(RecvTimeoutError::Timeout) if parsing && heard.elapsed() > HANG => {
                return Ok(Some(Ended::Died(format!("parsed one file for more than {} s", HANG.as_secs()))));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

fn judge(status: ExitStatus) -> Ended {
    match status.code() {
        Some(0) => Ended::Well,
        Some(code) => Ended::Refused(format!("it ended with code {code}")),
        None => Ended::Died(format!("died ({status})")),
    }
}

/// The child: takes an order from `input`, indexes, leaves a snapshot, and reports to `output`.
pub fn serve(mut input: impl BufRead + Send + 'static, output: impl Write + Send + 'static) -> Result<(), String> {
    let mut line = String::new();
    input.read_line(&mut line).map_err(|error| error.to_string())?;
    let order: Order = serde_json::from_str(&line).map_err(|error| error.to_string())?;
    let cancel = Arc::new(AtomicBool::new(false));
    let stop = Arc::clone(&cancel);
    std::thread::spawn(move || {
        // Nothing more is said; the end of the input is the end of the parent.
        let _ = std::io::copy(&mut input, &mut std::io::sink());
        stop.store(true, Ordering::Relaxed);
    });
    // Edits are none of its business: it recovers none of the parent's.
    let state = tempfile::tempdir().map_err(|error| error.to_string())?;
    let options = Options {
        cache_dir: order.cache_dir,
        state_dir: state.path().to_owned(),
        threads: order.threads,
        persist: true,
        bulk: None,
    };
    let (engine, _authority) = Engine::open(options).map_err(|error| error.to_string())?;
    let repos: Vec<RepoInfo> = order.repos.into_iter().map(|(name, root)| RepoInfo { name, root }).collect();
    let lines = Lines { out: Mutex::new((output, None)) };
    engine.track(&repos, &lines, &cancel).map_err(|error| error.to_string())?;
    engine.flush();
    Ok(())
}

/// Reports as lines.
struct Lines<W> {
    out: Mutex<(W, Option<(Phase, Instant)>)>,
}

impl<W: Write + Send> Progress for Lines<W> {
    fn report(&self, phase: Phase, done: u64, total: u64) {
        // Whoever finds the line taken leaves it to the others.
        let Ok(mut out) = self.out.try_lock() else { return };
        let (out, last) = &mut *out;
        if last.is_some_and(|(before, at)| before == phase && at.elapsed() < BEAT) && done != total {
            return;
        }
        *last = Some((phase, Instant::now()));
        let _ = writeln!(out, "{} {done} {total}", phase.as_str()).and_then(|()| out.flush());
    }
}

fn parse_report(line: &str) -> Option<(Phase, u64, u64)> {
    let mut parts = line.split(' ');
    let word = parts.next()?;
    let phase = [Phase::Walk, Phase::Parse, Phase::Link, Phase::Save].into_iter().find(|phase| phase.as_str() == word)?;
    Some((phase, parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}
