//! Standard streams on one side, the daemon's socket on the other.
//!
//! Lines are passed on as they are. The proxy remembers only what it takes to outlive a daemon: the handshake, to repeat it, and
//! the ids of requests on their way, to answer them when nobody else can. It comes back to a new daemon with the next message
//! of its client, so that a daemon that was stopped stays stopped while nobody needs it.
//!
//! Knows the shape of JSON-RPC and nothing of MCP but its handshake.

use std::collections::BTreeMap;
use std::io;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::join::{JoinError, Joined, Starter, join_or_start};
use super::place::Place;
use super::wire::Hello;
use crate::transport::lines::MAX_LINE;

/// What answers on their way get when the client's input ends.
const GRACE: Duration = Duration::from_secs(2);

/// What the proxy needs to find a daemon again.
#[derive(Clone, Debug)]
pub struct Way {
    /// Where it is.
    pub place: Place,
    /// What is said to it first.
    pub hello: Hello,
    /// How it is started.
    pub starter: Starter,
}

/// The part of a message that matters here.
#[derive(Deserialize)]
struct Head {
    id: Option<Value>,
    method: Option<String>,
}

/// A stretch of a stream.
enum Piece {
    /// A whole line, with its end.
    Line(Vec<u8>),
    /// Part of a line that is too long to keep.
    Part(Vec<u8>),
    End,
}

/// Reads lines; may be dropped at any await and asked again.
struct Pieces<R> {
    read: BufReader<R>,
    line: Vec<u8>,
    long: bool,
}

impl<R: AsyncRead + Unpin> Pieces<R> {
    fn new(read: R) -> Pieces<R> {
        Pieces { read: BufReader::with_capacity(64 << 10, read), line: Vec::new(), long: false }
    }

    async fn next(&mut self) -> io::Result<Piece> {
        loop {
            let available = self.read.fill_buf().await?;
            if available.is_empty() {
                let rest = std::mem::take(&mut self.line);
                return Ok(if rest.is_empty() { Piece::End } else { Piece::Line(rest) });
            }
            let newline = available.iter().position(|byte| *byte == b'\n');
            let taken = newline.map_or(available.len(), |at| at + 1);
            self.line.extend_from_slice(&available[..taken]);
            self.read.consume(taken);
            match newline {
                Some(_) if self.long => {
                    self.long = false;
                    return Ok(Piece::Part(std::mem::take(&mut self.line)));
                }
                Some(_) => return Ok(Piece::Line(std::mem::take(&mut self.line))),
                // Longer than the daemon takes: it is for the daemon to say so, by the id at its beginning.
                None if self.long || self.line.len() > MAX_LINE => {
                    self.long = true;
                    return Ok(Piece::Part(std::mem::take(&mut self.line)));
                }
                None => {}
            }
        }
    }
}

/// What both directions know.
struct Shared<W> {
    out: Mutex<W>,
    memory: parking_lot::Mutex<Memory>,
    /// The client does not listen any more.
    gone: CancellationToken,
}

#[derive(Default)]
struct Memory {
    /// The client's handshake, line by line.
    greeting: Vec<Vec<u8>>,
    /// Requests that wait for their answer, by their id as text.
    waiting: BTreeMap<String, Value>,
    /// The answer to a repeated handshake, which the client has had already.
    swallow: Option<String>,
}

impl Memory {
    fn note_sent(&mut self, line: &[u8]) {
        let Ok(Head { id, method: Some(method) }) = serde_json::from_slice::<Head>(line) else { return };
        if method == "initialize" {
            self.greeting = vec![line.to_vec()];
        } else if method == "notifications/initialized" && !self.greeting.is_empty() {
            self.greeting.truncate(1);
            self.greeting.push(line.to_vec());
        }
        if let Some(id) = id {
            self.waiting.insert(id.to_string(), id);
        }
    }

    /// Takes back a line that could not be sent, so that it is not repeated as part of the handshake and once more.
    fn forget(&mut self, line: &[u8]) {
        self.greeting.retain(|kept| kept != line);
    }

    /// Whether the client is to see a line of the daemon.
    fn note_heard(&mut self, line: &[u8]) -> bool {
        let Ok(Head { id: Some(id), method: None }) = serde_json::from_slice::<Head>(line) else { return true };
        let id = id.to_string();
        if self.swallow.as_deref() == Some(&id) {
            self.swallow = None;
            return false;
        }
        self.waiting.remove(&id);
        true
    }
}

/// One daemon that is connected.
struct Link {
    write: OwnedWriteHalf,
    down: JoinHandle<()>,
}

impl<W: AsyncWrite + Unpin + Send + 'static> Shared<W> {
    async fn tell(&self, bytes: &[u8]) {
        let mut out = self.out.lock().await;
        let written = async {
            out.write_all(bytes).await?;
            out.flush().await
        };
        if written.await.is_err() {
            self.gone.cancel();
        }
    }

    /// Answers what the daemon will not answer any more.
    async fn give_up(&self, why: &str) {
        let waiting = std::mem::take(&mut self.memory.lock().waiting);
        for id in waiting.into_values() {
            let error = json!({"code": -32000, "message": why, "data": {"error_code": "unavailable", "effects": "unknown"}});
            let answer = json!({"jsonrpc": "2.0", "id": id, "error": error});
            self.tell(format!("{answer}\n").as_bytes()).await;
        }
    }

    /// Passes on what the daemon says until it is gone.
    async fn listen(self: Arc<Self>, read: BufReader<OwnedReadHalf>) {
        let mut pieces = Pieces::new(read);
        loop {
            match pieces.next().await {
                Ok(Piece::Line(line)) => {
                    let shown = self.memory.lock().note_heard(&line);
                    if shown {
                        self.tell(&line).await;
                    }
                }
                Ok(Piece::Part(part)) => self.tell(&part).await,
                Ok(Piece::End) | Err(_) => break,
            }
        }
        self.give_up("the daemon ended while this call was on its way; what it changed is not known").await;
    }

    fn link(self: &Arc<Self>, joined: Joined) -> Link {
        Link { write: joined.write, down: tokio::spawn(Arc::clone(self).listen(joined.read)) }
    }

    /// Joins a daemon again and repeats the handshake.
    async fn again(self: &Arc<Self>, way: &Way) -> Result<Link, JoinError> {
        let joined = join_or_start(&way.place, &way.hello, &way.starter).await?;
        let greeting = {
            let mut memory = self.memory.lock();
            let first = memory.greeting.first().and_then(|line| serde_json::from_slice::<Head>(line).ok());
            memory.swallow = first.and_then(|head| head.id).map(|id| id.to_string());
            memory.greeting.concat()
        };
        let mut link = self.link(joined);
        link.write.write_all(&greeting).await.map_err(|error| JoinError::Wire(error.into()))?;
        tracing::info!("joined a new daemon");
        Ok(link)
    }
}

/// Passes messages on until the client is gone.
pub async fn run<W: AsyncWrite + Unpin + Send + 'static>(
    input: impl AsyncRead + Unpin,
    output: W,
    way: &Way,
    joined: Joined,
) -> ExitCode {
    let shared =
        Arc::new(Shared { out: Mutex::new(output), memory: parking_lot::Mutex::default(), gone: CancellationToken::new() });
    let mut link = shared.link(joined);
    let mut pieces = Pieces::new(input);
    let gone = shared.gone.clone();
    let mut stop = std::pin::pin!(crate::transport::stdio::told_to_stop());
    loop {
        let piece = tokio::select! {
            piece = pieces.next() => piece,
            () = gone.cancelled() => return ExitCode::SUCCESS,
            () = &mut stop => return ExitCode::SUCCESS,
        };
        match piece {
            Ok(Piece::Line(line)) => {
                if let Err(error) = pass_on(&shared, way, &mut link, &line).await {
                    shared.give_up(&format!("no daemon can be reached: {error}")).await;
                    tracing::error!(%error, "the connection to the daemon is lost");
                    return ExitCode::FAILURE;
                }
            }
            // A part can't be sent again; the line is lost with its daemon.
            Ok(Piece::Part(part)) => drop(link.write.write_all(&part).await),
            Ok(Piece::End) | Err(_) => break,
        }
    }
    drop(link.write);
    let _ = tokio::time::timeout(GRACE, link.down).await;
    ExitCode::SUCCESS
}

/// Sends a line to the daemon, to a new one when the old one is gone.
async fn pass_on<W: AsyncWrite + Unpin + Send + 'static>(
    shared: &Arc<Shared<W>>,
    way: &Way,
    link: &mut Link,
    line: &[u8],
) -> Result<(), JoinError> {
    let mut complete = line.to_vec();
    if !complete.ends_with(b"\n") {
        complete.push(b'\n');
    }
    for _ in 0..2 {
        if link.down.is_finished() {
            *link = shared.again(way).await?;
        }
        shared.memory.lock().note_sent(&complete);
        if link.write.write_all(&complete).await.is_ok() {
            return Ok(());
        }
        shared.memory.lock().forget(&complete);
        // Its answers, if any, are heard to the end first.
        let _ = (&mut link.down).await;
    }
    Err(JoinError::Absent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_remembered_until_they_are_answered() {
        let mut memory = Memory::default();
        memory.note_sent(br#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"id":9}}"#);
        memory.note_sent(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        memory.note_sent(r#"{"jsonrpc":"2.0","id":"é","method":"tools/call"}"#.as_bytes());
        memory.note_sent(br#"{"jsonrpc":"2.0","id":3,"result":{}}"#);
        memory.note_sent(b"nonsense");
        assert_eq!((memory.greeting.len(), memory.waiting.len()), (2, 2));
        assert!(memory.note_heard(br#"{"jsonrpc":"2.0","id":1,"result":{}}"#));
        // A request of the server has an id as well, of its own.
        assert!(memory.note_heard(r#"{"jsonrpc":"2.0","id":"é","method":"ping"}"#.as_bytes()));
        assert_eq!(memory.waiting.len(), 1);
        memory.swallow = Some("1".to_owned());
        assert!(!memory.note_heard(br#"{"jsonrpc":"2.0","id":1,"error":{}}"#));
        assert!(memory.note_heard(br#"{"jsonrpc":"2.0","id":1,"result":{}}"#));
    }

    #[tokio::test]
    async fn long_lines_pass_in_parts_and_short_ones_whole() {
        let mut input = b"one\n".to_vec();
        input.extend(std::iter::repeat_n(b'x', MAX_LINE + (1 << 20)));
        input.extend(b"\nlast");
        let mut pieces = Pieces::new(&input[..]);
        let (mut lines, mut bytes) = (Vec::new(), 0);
        loop {
            match pieces.next().await.expect("reads") {
                Piece::Line(line) => lines.push(line),
                Piece::Part(part) => bytes += part.len(),
                Piece::End => break,
            }
        }
        assert_eq!(lines, [b"one\n".to_vec(), b"last".to_vec()]);
        assert_eq!(bytes, MAX_LINE + (1 << 20) + 1);
    }
}
