//! Black-box tests: the real binary, driven by nothing but its streams and its exit code.
//!
//! What several suites share stands here: where the binary is, a place of its own for each run, a client that sends lines.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// The longest that any answer may take before a test gives up; no test measures with it.
const PATIENCE: Duration = Duration::from_mins(2);

/// The binary, built once per test program. Cargo builds no binary of a dependency by itself.
pub fn binary() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let built = Command::new(cargo).args(["build", "--quiet", "-p", "gortex-server", "--bin", "gortex"]).status();
        assert!(built.expect("cargo runs").success(), "the binary can't be built");
        let own = std::env::current_exe().expect("a path");
        let profile = own.parent().and_then(Path::parent).expect("the folder of the profile");
        profile.join(format!("gortex{}", std::env::consts::EXE_SUFFIX))
    })
}

/// A folder with a repository and a home of its own.
pub struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    /// Lays these files.
    pub fn with(files: &[(&str, &str)]) -> Place {
        let place = Place { folder: tempfile::tempdir().expect("a folder") };
        for (path, text) in files {
            let path = place.repo().join(path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
            std::fs::write(path, text).expect("a file");
        }
        place
    }

    /// The repository.
    pub fn repo(&self) -> PathBuf {
        let repo = self.folder.path().canonicalize().expect("a folder").join("repo");
        std::fs::create_dir_all(&repo).expect("a folder");
        repo
    }

    /// The binary with these arguments, in the repository, with an empty home.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let home = self.folder.path().join("home");
        std::fs::create_dir_all(&home).expect("a folder");
        let mut command = Command::new(binary());
        command.args(arguments).current_dir(self.repo()).env("HOME", &home).env("GORTEX_HOME", home.join("gortex"));
        command.env_remove("GORTEX_TOOLS").env_remove("RUST_LOG");
        command
    }

    /// Runs the binary to its end: exit code, standard output, standard error.
    pub fn run(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let output = self.command(arguments).stdin(Stdio::null()).output().expect("runs");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        (output.status.code(), text(output.stdout), text(output.stderr))
    }

    /// Starts `gortex mcp` and a client of it.
    pub fn serve(&self, change: impl FnOnce(&mut Command)) -> Client {
        let mut command = self.command(&["mcp"]);
        change(&mut command);
        Client::start(command)
    }
}

/// A client that sends lines and reads lines.
pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    next: u64,
    /// Messages of the server that answered nothing.
    pub notes: Vec<Value>,
}

impl Client {
    fn start(mut command: Command) -> Client {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("starts");
        let output = child.stdout.take().expect("a pipe");
        let (send, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines() {
                let Ok(line) = line else { return };
                if send.send(line).is_err() {
                    return;
                }
            }
        });
        Client { input: child.stdin.take(), child, lines, next: 1, notes: Vec::new() }
    }

    /// Sends bytes as they are.
    pub fn raw(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("the input is open");
        input.write_all(bytes).expect("writes");
        input.flush().expect("writes");
    }

    /// Sends a message.
    pub fn send(&mut self, message: &Value) {
        self.raw(format!("{message}\n").as_bytes());
    }

    /// The next line, which must be a message.
    pub fn read(&mut self) -> Value {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => serde_json::from_str(&line).unwrap_or_else(|_| panic!("not a message: {line}")),
            Err(RecvTimeoutError::Timeout) => panic!("no answer"),
            Err(RecvTimeoutError::Disconnected) => panic!("the server closed its output"),
        }
    }

    /// The answer with this id.
    pub fn answer(&mut self, id: &Value) -> Value {
        loop {
            let message = self.read();
            if message.get("id") == Some(id) && message.get("method").is_none() {
                return message;
            }
            self.notes.push(message);
        }
    }

    /// Sends a request and waits for its answer.
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.next;
        self.next += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        self.answer(&id.into())
    }

    /// The handshake.
    pub fn hello(&mut self, name: &str) -> Value {
        let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": name, "version": "1"}});
        let answer = self.ask("initialize", params);
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        answer
    }

    /// Calls a tool: the text of its answer, and whether it is an error.
    pub fn call(&mut self, tool: &str, arguments: Value) -> (String, bool) {
        let answer = self.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        let result = &answer["result"];
        let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {answer}")).to_owned();
        (text, result["isError"] == true)
    }

    /// The names of the tools.
    pub fn tools(&mut self) -> Vec<String> {
        let list = self.ask("tools/list", json!({}));
        let tools = list["result"]["tools"].as_array().unwrap_or_else(|| panic!("no tools: {list}"));
        tools.iter().map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect()
    }

    /// Closes the input and waits for the end.
    pub fn end(mut self) -> ExitStatus {
        drop(self.input.take());
        self.wait()
    }

    /// Waits for the end without closing the input.
    pub fn wait(&mut self) -> ExitStatus {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                return status;
            }
            assert!(start.elapsed() < PATIENCE, "the server does not end");
            // Its output is read meanwhile, so it can't be stuck on a full pipe.
            std::thread::yield_now();
            std::thread::park_timeout(Duration::from_millis(5));
        }
    }

    /// The number of the process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // A failed test must not leave a server behind; one that ended already can't be killed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
