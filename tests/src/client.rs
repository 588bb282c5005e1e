//! One server process and its line-delimited JSON-RPC, without a protocol library in between.
//!
//! What a broken or hostile client sends can't be sent through a good one. Waiting has an end, so that a silent server is a
//! failed test and not a hanging one; no test asserts how long anything took.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value, json};

use crate::{Folder, Reply};

/// The longest wait for one message.
const PATIENCE: Duration = Duration::from_secs(100);

/// How a server is started.
#[derive(Clone, Debug)]
pub struct Options<'a> {
    /// The name the client gives; `None` leaves the handshake to the test.
    pub client: Option<&'a str>,
    /// Environment on top of the empty home.
    pub env: &'a [(&'a str, &'a str)],
    /// Arguments after `mcp`.
    pub arguments: &'a [&'a str],
    /// Whether the folder is tracked by a call, as a host would where there is no git work tree.
    pub track: bool,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options { client: Some("any-host"), env: &[], arguments: &[], track: true }
    }
}

/// A running server.
#[derive(Debug)]
pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    inbox: Receiver<String>,
    errors: Option<JoinHandle<String>>,
    next: u64,
    /// Every line the server has written to its stdout and that was read so far.
    pub lines: Vec<String>,
    /// The result of `initialize`.
    pub hello: Value,
}

impl Client {
    /// Starts `server` in the folder with `any-host` as client and tracks the folder.
    pub fn start(server: &str, folder: &Folder) -> Client {
        Client::start_with(server, folder, &Options::default())
    }

    /// Starts `server` in the folder.
    pub fn start_with(server: &str, folder: &Folder, options: &Options<'_>) -> Client {
        let mut command = command(server, folder);
        command.arg("mcp").args(options.arguments).envs(options.env.iter().copied());
        let mut client = Client::open(command);
        if let Some(name) = options.client {
            client.hello = client.initialize(name)["result"].clone();
            if options.track {
                client.track(folder);
            }
        }
        client
    }

    /// Starts a command and says nothing yet.
    pub fn open(mut command: Command) -> Client {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the server starts");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("an output"));
        let mut stderr = child.stderr.take().expect("an error output");
        let (send, inbox) = channel();
        std::thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| send.send(line)));
        let errors = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = stderr.read_to_end(&mut bytes);
            String::from_utf8_lossy(&bytes).into_owned()
        });
        Client { child, input, inbox, errors: Some(errors), next: 0, lines: Vec::new(), hello: Value::Null }
    }

    /// Shakes hands under a name and returns the answer.
    pub fn initialize(&mut self, name: &str) -> Value {
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": name, "version": "1"}});
        let answer = self.ask("initialize", hello);
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        answer
    }

    /// Tracks the folder's repository.
    pub fn track(&mut self, folder: &Folder) {
        let path = folder.repo.to_string_lossy();
        self.call("workspace_admin", json!({"operation": "track", "arguments": {"path": path}})).ok();
    }

    /// Writes bytes as they are.
    pub fn raw(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("an open connection");
        input.write_all(bytes).and_then(|()| input.flush()).expect("the server listens");
    }

    /// Writes one line, whatever it is.
    pub fn send_line(&mut self, line: &[u8]) {
        self.raw(line);
        self.raw(b"\n");
    }

    /// Writes one message.
    pub fn send(&mut self, message: &Value) {
        self.send_line(message.to_string().as_bytes());
    }

    /// Sends a request without waiting and returns its number.
    pub fn request(&mut self, method: &str, params: Value) -> u64 {
        self.next += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params}));
        self.next
    }

    /// The next message of the server.
    #[track_caller]
    pub fn read(&mut self) -> Value {
        let line = match self.inbox.recv_timeout(PATIENCE) {
            Ok(line) => line,
            Err(error) => panic!("no message: {error}; stderr: {}", self.end_now()),
        };
        let message = serde_json::from_str(&line).unwrap_or_else(|_| panic!("stdout carries something else: {line}"));
        self.lines.push(line);
        message
    }

    /// The answer to the request with this id.
    #[track_caller]
    pub fn answer(&mut self, id: impl Into<Value>) -> Value {
        let id = id.into();
        loop {
            let message = self.read();
            if message.get("id") == Some(&id) && message.get("method").is_none() {
                return message;
            }
        }
    }

    /// A request and its answer.
    #[track_caller]
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        self.answer(id)
    }

    /// Calls a tool.
    #[track_caller]
    pub fn call(&mut self, tool: &str, arguments: Value) -> Reply {
        let message = self.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        Reply::of_message(&message)
    }

    /// The advertised tools.
    #[track_caller]
    pub fn tools(&mut self) -> Vec<Value> {
        let answer = self.ask("tools/list", json!({}));
        answer["result"]["tools"].as_array().unwrap_or_else(|| panic!("no tools: {answer}")).clone()
    }

    /// The names of the advertised tools, in their order.
    #[track_caller]
    pub fn tool_names(&mut self) -> Vec<String> {
        self.tools().iter().map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect()
    }

    /// Follows `next_cursor` to its end.
    #[track_caller]
    pub fn pages(&mut self, tool: &str, arguments: &Value) -> Vec<Reply> {
        let mut pages = vec![self.call(tool, arguments.clone()).ok()];
        while let Some(cursor) = pages.last().and_then(|page| page.body["next_cursor"].as_str()).map(str::to_owned) {
            assert!(pages.len() < 500, "the cursor does not end");
            let mut next = arguments.clone();
            next["output"]["cursor"] = json!(cursor);
            pages.push(self.call(tool, next).ok());
        }
        pages
    }

    /// Peak resident memory of the server in MiB.
    pub fn peak_mib(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) >> 10
    }

    /// The number of the process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Closes the input, waits for the end, and returns the status with all of stderr.
    pub fn close(mut self) -> (ExitStatus, String) {
        self.input = None;
        self.ended()
    }

    /// Waits for the end without closing the input.
    pub fn ended(&mut self) -> (ExitStatus, String) {
        // Both outputs are read by threads meanwhile, so that the server can't be stuck on a full pipe.
        let status = self.child.wait().expect("a status");
        let errors = self.errors.take().map_or_else(String::new, |errors| errors.join().expect("read"));
        self.lines.extend(self.inbox.try_iter());
        (status, errors)
    }

    fn end_now(&mut self) -> String {
        let _ = self.child.kill();
        self.errors.take().and_then(|errors| errors.join().ok()).unwrap_or_default()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.input = None;
        if matches!(self.child.try_wait(), Ok(None)) {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// The server's program, in the folder, with nothing of this machine's user in reach.
pub fn command(server: &str, folder: &Folder) -> Command {
    let mut command = Command::new(server);
    command.current_dir(&folder.repo).env("NO_COLOR", "1").envs(folder.environment());
    for variable in ["GORTEX_TOOLS", "GORTEX_HOME", "RUST_LOG"] {
        command.env_remove(variable);
    }
    command
}
