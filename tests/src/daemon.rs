//! A daemon under test: started over a folder's home, killed with the test.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::{Client, Folder, command};

/// The longest wait for anything.
const PATIENCE: Duration = Duration::from_secs(100);

/// A running daemon.
#[derive(Debug)]
pub struct Daemon {
    child: Child,
    /// Its socket.
    pub socket: PathBuf,
    /// Where it offers HTTP.
    pub http: Option<String>,
}

/// The answer to one HTTP request.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// Headers, names in small letters.
    pub headers: Vec<(String, String)>,
    /// The body as text.
    pub text: String,
}

impl Answer {
    /// A header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The body as JSON; of a stream of events the last message.
    #[track_caller]
    pub fn json(&self) -> Value {
        let text = match self.header("content-type") {
            Some(kind) if kind.starts_with("text/event-stream") => {
                self.text.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim).rfind(|data| !data.is_empty())
            }
            _ => Some(self.text.as_str()),
        };
        serde_json::from_str(text.unwrap_or_default()).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// The daemon's folder below a home.
pub fn run_folder(folder: &Folder) -> PathBuf {
    folder.home.join("state/gortex/run")
}

impl Daemon {
    /// Starts one that tracks nothing yet, with these flags and variables, and waits until it listens.
    pub fn start(server: &str, folder: &Folder, flags: &[&str], env: &[(&str, &str)]) -> Daemon {
        let mut start = command(server, folder);
        start.env("GORTEX_DAEMON", "on").envs(env.iter().copied()).args(["daemon", "start"]).args(flags);
        let mut child =
            start.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the daemon starts");
        let mut errors = BufReader::new(child.stderr.take().expect("an error output"));
        let wants_http = flags.contains(&"--http-addr");
        let (mut said, mut listens, mut http) = (String::new(), false, None);
        while !listens || wants_http && http.is_none() {
            let mut line = String::new();
            let read = errors.read_line(&mut line).expect("text");
            assert!(read > 0, "the daemon ended: {said}");
            listens |= line.contains("the daemon listens at");
            http = http.or_else(|| line.trim_end().split_once("HTTP at http://").map(|(_, address)| address.to_owned()));
            said.push_str(&line);
        }
        // What it logs from now on must go somewhere, or it stops at a full pipe.
        std::thread::spawn(move || {
            let mut rest = Vec::new();
            let _ = errors.read_to_end(&mut rest);
        });
        Daemon { child, socket: run_folder(folder).join("daemon.sock"), http }
    }

    /// The number of the process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Resident memory in KiB.
    pub fn resident_kib(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or(0)
    }

    /// Ends it as a crash would.
    pub fn kill(&mut self) {
        self.child.kill().expect("killed");
        self.child.wait().expect("ended");
    }

    /// Waits for its end.
    #[track_caller]
    pub fn ended(&mut self) -> bool {
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            if let Ok(Some(status)) = self.child.try_wait() {
                return status.success();
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("the daemon does not end");
    }

    /// A window: a proxy that has joined this daemon and shaken hands.
    pub fn window(&self, server: &str, folder: &Folder, name: &str) -> Client {
        assert_eq!(self.socket, run_folder(folder).join("daemon.sock"), "another home's daemon");
        let mut mcp = command(server, folder);
        mcp.env("GORTEX_DAEMON", "on").args(["mcp", "--proxy"]);
        let mut client = Client::open(mcp);
        client.hello = client.initialize(name)["result"].clone();
        client
    }

    /// Sends lines to the socket and reads the answers, one a line.
    pub fn raw(&self, lines: &[&str]) -> Vec<String> {
        let mut stream = UnixStream::connect(&self.socket).expect("connects");
        stream.set_read_timeout(Some(PATIENCE)).expect("a limit");
        let mut answers = BufReader::new(stream.try_clone().expect("the same")).lines();
        let mut out = Vec::new();
        for line in lines {
            if stream.write_all(format!("{line}\n").as_bytes()).is_err() {
                break;
            }
            match answers.next() {
                Some(Ok(answer)) => out.push(answer),
                _ => break,
            }
        }
        out
    }

    /// Gives one order.
    #[track_caller]
    pub fn order(&self, kind: &str, params: Value) -> Value {
        let hello = json!({"version": 1, "mode": "control"}).to_string();
        let order = json!({"kind": kind, "params": params}).to_string();
        let answers = self.raw(&[&hello, &order]);
        serde_json::from_str(answers.get(1).unwrap_or_else(|| panic!("{answers:?}"))).expect("JSON")
    }

    /// Sends bytes to the HTTP address and reads until the other side closes.
    #[track_caller]
    pub fn http_raw(&self, bytes: &[u8]) -> Option<Answer> {
        let mut stream = TcpStream::connect(self.http.as_deref().expect("HTTP")).expect("connects");
        stream.set_read_timeout(Some(PATIENCE)).expect("a limit");
        // A server that refuses early may close before all is sent.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        parse(&answer)
    }

    /// One request on a connection of its own.
    #[track_caller]
    pub fn http(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let host = self.http.as_deref().expect("HTTP");
        let mut request = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\ncontent-length: {}\r\n", body.len());
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            request.extend(["host: ", host, "\r\n"]);
        }
        for (name, value) in headers {
            request.extend([*name, ": ", *value, "\r\n"]);
        }
        request.push_str("\r\n");
        let mut bytes = request.into_bytes();
        bytes.extend_from_slice(body);
        self.http_raw(&bytes).unwrap_or_else(|| panic!("no answer to {method} {path}"))
    }

    /// One message of MCP over HTTP.
    #[track_caller]
    pub fn mcp(&self, headers: &[(&str, &str)], message: &Value) -> Answer {
        let mut all = vec![("content-type", "application/json"), ("accept", "application/json, text/event-stream")];
        all.extend_from_slice(headers);
        self.http("POST", "/mcp", &all, message.to_string().as_bytes())
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn parse(bytes: &[u8]) -> Option<Answer> {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut lines = head.lines();
    let status = lines.next()?.split_whitespace().nth(1)?.parse().ok()?;
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.trim().to_lowercase(), value.trim().to_owned()))
        .collect();
    let body = &bytes[end + 4..];
    let chunked = headers.iter().any(|(name, value)| name == "transfer-encoding" && value.eq_ignore_ascii_case("chunked"));
    let body = if chunked { unchunk(body) } else { body.to_vec() };
    Some(Answer { status, headers, text: String::from_utf8_lossy(&body).into_owned() })
}

fn unchunk(mut bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    while let Some(end) = bytes.windows(2).position(|two| two == b"\r\n") {
        let size = std::str::from_utf8(&bytes[..end]).ok().and_then(|text| usize::from_str_radix(text.trim(), 16).ok());
        let Some(size) = size.filter(|size| *size > 0) else { break };
        let from = end + 2;
        let to = (from + size).min(bytes.len());
        out.extend_from_slice(&bytes[from..to]);
        bytes = bytes.get(to + 2..).unwrap_or_default();
    }
    out
}
