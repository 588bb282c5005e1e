//! Many clients of one daemon at once: reads and edits mixed, for a while, then all of them gone.
//!
//! Every client is a connection of its own with its own thread; it asks, waits for the answer, and asks again. What is counted as
//! an error is what the client did not cause: a refusal, a broken connection, an answer that is none. Memory is read before the
//! clients come, at its highest, and after they have gone.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

use crate::machine;

/// One in so many calls of a client is an edit.
const EDIT_EVERY: usize = 20;
/// How long the daemon gets to forget clients that have gone.
const SETTLE: Duration = Duration::from_secs(40);
/// How long it may take to listen, and to index.
const PATIENCE: Duration = Duration::from_mins(5);

/// A daemon of this measurement, ended with it.
struct Daemon {
    child: Child,
    socket: PathBuf,
}

impl Daemon {
    fn start(server: &Path, home: &Path) -> Result<Daemon> {
        let child = Command::new(server)
            .args(["daemon", "start"])
            .current_dir(home)
            .env("HOME", home)
            .env("GORTEX_HOME", home)
            .env("GORTEX_DAEMON_DIR", home.join("run"))
            .env_remove("GORTEX_TOOLS")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("could not start `{}`", server.display()))?;
        let daemon = Daemon { child, socket: home.join("run/daemon.sock") };
        let begun = Instant::now();
        while UnixStream::connect(&daemon.socket).is_err() {
            if begun.elapsed() > PATIENCE {
                bail!("the daemon does not listen");
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(daemon)
    }

    fn memory(&self, field: &str) -> f64 {
        machine::memory_kib(&self.child.id().to_string(), field) as f64 / 1024.0
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// One client.
struct Client {
    write: UnixStream,
    read: BufReader<UnixStream>,
    next: u64,
}

impl Client {
    fn join(socket: &Path, folder: &Path) -> Result<Client> {
        let stream = UnixStream::connect(socket)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let mut client = Client { read: BufReader::new(stream.try_clone()?), write: stream, next: 0 };
        client.send(&json!({"version": 1, "mode": "mcp", "cwd": folder, "index": folder, "client": "gortex-bench"}))?;
        let ack = client.line()?;
        if ack["ok"] != true {
            bail!("not served: {ack}");
        }
        let hello =
            json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "gortex-bench", "version": "1"}});
        client.ask("initialize", &hello)?;
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(client)
    }

    fn send(&mut self, message: &Value) -> Result<()> {
        Ok(self.write.write_all(format!("{message}\n").as_bytes())?)
    }

    fn line(&mut self) -> Result<Value> {
        let mut line = String::new();
        if self.read.read_line(&mut line)? == 0 {
            bail!("the daemon closed the connection");
        }
        Ok(serde_json::from_str(&line)?)
    }

    fn ask(&mut self, method: &str, params: &Value) -> Result<Value> {
        self.next += 1;
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        loop {
            let message = self.line()?;
            if message["id"] == id {
                return Ok(message);
            }
        }
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Result<(Value, bool)> {
        let answer = self.ask("tools/call", &json!({"name": tool, "arguments": arguments}))?;
        let text = answer["result"]["content"][0]["text"].as_str().unwrap_or_default();
        let failed = answer.get("error").is_some() || answer["result"]["isError"] == true;
        Ok((serde_json::from_str(text).unwrap_or_else(|_| Value::from(text)), failed))
    }
}

/// What the clients found.
#[derive(Default)]
struct Found {
    /// Times of each call in microseconds, by its name.
    times: BTreeMap<&'static str, Vec<u64>>,
    errors: Vec<String>,
}

/// Symbols and files that clients ask about.
struct Subjects {
    symbols: Vec<String>,
    files: Vec<String>,
}

fn subjects(client: &mut Client) -> Result<Subjects> {
    let mut found = Subjects { symbols: Vec::new(), files: Vec::new() };
    for query in ["get", "set", "new", "run", "parse", "test", "context", "error", "write", "handle"] {
        let arguments = json!({"operation": "symbols", "query": query, "options": {"limit": 20}});
        let (answer, _) = client.call("search", &arguments)?;
        for row in answer["results"].as_array().into_iter().flatten() {
            if let (Some(id), Some(file)) = (row["id"].as_str(), row["file_path"].as_str()) {
                found.symbols.push(id.to_owned());
                found.files.push(file.to_owned());
            }
        }
    }
    found.files.sort();
    found.files.dedup();
    if found.symbols.is_empty() {
        bail!("the corpus has no symbols to ask about");
    }
    Ok(found)
}

/// The next call of a client: its name in the table, the tool and the arguments.
fn next(subjects: &Subjects, number: usize, round: usize) -> (&'static str, &'static str, Value) {
    let at = number.wrapping_mul(31).wrapping_add(round.wrapping_mul(7));
    let symbol = &subjects.symbols[at % subjects.symbols.len()];
    let file = &subjects.files[at % subjects.files.len()];
    let name = symbol.rsplit(['.', ':']).next().unwrap_or(symbol);
    if round % EDIT_EVERY == EDIT_EVERY - 1 {
        let content = format!("def load_{number}_{round}(x):\n    return x + {round}\n");
        let target = json!({"file": format!("load_{number}.py")});
        return ("edit.write", "edit", json!({"operation": "write", "target": target, "content": content}));
    }
    let of_symbol = |operation: &str| json!({"operation": operation, "target": {"symbol": symbol}});
    match round % 6 {
        0 => ("search.symbols", "search", json!({"operation": "symbols", "query": name})),
        1 => ("relations.callers", "relations", of_symbol("callers")),
        2 => ("read.source", "read", of_symbol("source")),
        3 => ("search.text", "search", json!({"operation": "text", "query": name})),
        4 => ("read.summary", "read", json!({"operation": "summary", "target": {"file": file}})),
        _ => ("change.impact", "change", of_symbol("impact")),
    }
}

fn work(client: &mut Client, subjects: &Subjects, number: usize, over: &AtomicBool) -> Found {
    let mut found = Found::default();
    for round in 0.. {
        if over.load(Ordering::Relaxed) {
            break;
        }
        let (name, tool, arguments) = next(subjects, number, round);
        let begun = Instant::now();
        match client.call(tool, &arguments) {
            Ok((_, false)) => {}
            Ok((answer, true)) => found.errors.push(format!("{name} {arguments}: {answer}")),
            Err(error) => {
                found.errors.push(format!("{name}: {error}"));
                break;
            }
        }
        found.times.entry(name).or_default().push(begun.elapsed().as_micros() as u64);
    }
    found
}

/// Runs so many clients for so long and tells what they found, as the table of the readme.
pub fn measure(server: &Path, folder: &Path, clients: usize, time: Duration) -> Result<String> {
    let home = tempfile::tempdir()?;
    let place = tempfile::tempdir()?;
    let copy = place.path().join(folder.file_name().context("a folder without a name")?);
    copy_folder(folder, &copy)?;
    let daemon = Daemon::start(server, home.path())?;
    let mut first = Client::join(&daemon.socket, &copy)?;
    let subjects = Arc::new(subjects(&mut first)?);
    // What readers make on first use is made now, so that it is not taken for what clients cost.
    let warm = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_secs(5).min(time));
            warm.store(true, Ordering::Relaxed);
        });
        work(&mut first, &subjects, clients, &warm)
    });
    drop(first);
    std::thread::sleep(Duration::from_secs(2));
    let before = daemon.memory("VmRSS");
    let found = Arc::new(Mutex::new(Found::default()));
    let over = AtomicBool::new(false);
    let begun = Instant::now();
    std::thread::scope(|scope| {
        for number in 0..clients {
            let (daemon, subjects, found, over, copy) = (&daemon, &subjects, &found, &over, &copy);
            scope.spawn(move || {
                let mine = match Client::join(&daemon.socket, copy) {
                    Ok(mut client) => work(&mut client, subjects, number, over),
                    Err(error) => Found { errors: vec![format!("joining: {error}")], ..Found::default() },
                };
                if let Ok(mut all) = found.lock() {
                    for (name, times) in mine.times {
                        all.times.entry(name).or_default().extend(times);
                    }
                    all.errors.extend(mine.errors);
                }
            });
        }
        std::thread::sleep(time);
        over.store(true, Ordering::Relaxed);
    });
    let wall = begun.elapsed();
    let peak = daemon.memory("VmHWM");
    let after = settled(&daemon, before);
    let found = found.lock().map_err(|_| anyhow::anyhow!("a client panicked"))?;
    Ok(table(&found, clients, wall, [before, peak, after]))
}

/// Memory once clients have gone: as soon as it is back, or at the end of the wait.
fn settled(daemon: &Daemon, before: f64) -> f64 {
    let begun = Instant::now();
    loop {
        let now = daemon.memory("VmRSS");
        if now <= before * 1.1 || begun.elapsed() > SETTLE {
            return now;
        }
        std::thread::sleep(Duration::from_millis(500));
    }
}

fn table(found: &Found, clients: usize, wall: Duration, [before, peak, after]: [f64; 3]) -> String {
    let mut out = format!("{}\n\n", machine::describe());
    out.push_str("| call | calls | p50 ms | p99 ms | slowest ms |\n|---|---|---|---|---|\n");
    let mut all: Vec<u64> = Vec::new();
    let mut row = |name: &str, times: &[u64]| {
        let mut times = times.to_vec();
        times.sort_unstable();
        let at = |share: f64| {
            times.get(((times.len() as f64 * share) as usize).min(times.len() - 1)).copied().unwrap_or(0) as f64 / 1e3
        };
        let _ = writeln!(out, "| {name} | {} | {:.1} | {:.1} | {:.1} |", times.len(), at(0.5), at(0.99), at(1.0));
    };
    for (name, times) in &found.times {
        row(name, times);
        all.extend(times);
    }
    if !all.is_empty() {
        row("**all**", &all);
    }
    let rate = all.len() as f64 / wall.as_secs_f64();
    let _ = writeln!(
        out,
        "\n{clients} clients for {:.0} s: {rate:.0} calls a second, {} errors; memory {before:.1} MiB before, {peak:.1} at its highest, \
         {after:.1} after ({:+.1} %).",
        wall.as_secs_f64(),
        found.errors.len(),
        (after / before - 1.0) * 100.0
    );
    for error in found.errors.iter().take(10) {
        let _ = writeln!(out, "error: {}", error.chars().take(400).collect::<String>());
    }
    out
}

fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            copy_folder(&entry.path(), &to.join(entry.file_name()))?;
        } else if kind.is_file() {
            std::fs::copy(entry.path(), to.join(entry.file_name()))?;
        }
    }
    Ok(())
}
