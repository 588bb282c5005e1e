//! A `gortex mcp` child and its line-delimited JSON-RPC, as plain as can be: one request, one answer.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::machine;

/// One connection.
pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next: u64,
}

/// One answer of a tool.
pub struct Reply {
    pub took: Duration,
    pub bytes: usize,
    /// Whether it is a refusal, or an answer that something was not found.
    pub is_error: bool,
}

impl Client {
    /// Starts the server over `folder` alone, with all its state below `home`, and shakes hands.
    pub fn start(server: &Path, folder: &Path, home: &Path) -> Result<Client> {
        let mut child = Command::new(server)
            .args(["mcp", "--index"])
            .arg(folder)
            .current_dir(home)
            .env("HOME", home)
            .env("GORTEX_HOME", home)
            .env("XDG_CONFIG_HOME", home)
            .env("XDG_CACHE_HOME", home)
            .env("XDG_DATA_HOME", home)
            .env("XDG_STATE_HOME", home)
            // Its own process is measured, not a shared one.
            .env("GORTEX_DAEMON", "off")
            .env_remove("GORTEX_TOOLS")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("could not start `{}`", server.display()))?;
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().context("no output")?);
        let mut client = Client { child, input, output, next: 0 };
        let hello =
            json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "gortex-bench", "version": "1"}});
        client.ask("initialize", hello)?;
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(client)
    }

    fn send(&mut self, message: &Value) -> Result<()> {
        let input = self.input.as_mut().context("the connection is closed")?;
        writeln!(input, "{message}")?;
        Ok(input.flush()?)
    }

    /// The answer to one request, and how long its line took to arrive.
    fn ask(&mut self, method: &str, params: Value) -> Result<(Value, Duration)> {
        self.next += 1;
        let id = self.next;
        let start = Instant::now();
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        let mut line = String::new();
        loop {
            line.clear();
            if self.output.read_line(&mut line)? == 0 {
                bail!("the server ended while it was asked for `{method}`");
            }
            let took = start.elapsed();
            let message: Value = serde_json::from_str(&line)?;
            if message["id"] == id && message.get("method").is_none() {
                return Ok((message, took));
            }
        }
    }

    /// Calls a tool.
    pub fn call(&mut self, tool: &str, arguments: &Value) -> Result<Reply> {
        let (message, took) = self.ask("tools/call", json!({"name": tool, "arguments": arguments}))?;
        let result = &message["result"];
        let blocks = result["content"].as_array().map_or(&[][..], Vec::as_slice);
        let bytes = blocks.iter().filter_map(|block| block["text"].as_str()).map(str::len).sum();
        let missed =
            blocks.iter().any(|block| block["text"].as_str().is_some_and(|text| text.starts_with("{\"recoverable\":true")));
        let is_error = message.get("error").is_some() || result["isError"] == true || missed;
        Ok(Reply { took, bytes, is_error })
    }

    /// CPU seconds of the server so far.
    pub fn cpu_seconds(&self) -> f64 {
        machine::cpu_seconds(&self.child.id().to_string())
    }

    /// Resident memory of the server in MiB: now, and at its highest.
    pub fn memory(&self) -> (f64, f64) {
        let process = self.child.id().to_string();
        let field = |name| machine::memory_kib(&process, name) as f64 / 1024.0;
        (field("VmRSS"), field("VmHWM"))
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // The end of input is the end of the server.
        self.input = None;
        let _ = self.child.wait();
    }
}
