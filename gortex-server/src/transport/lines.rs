//! JSON-RPC messages, one a line, over a pair of byte streams.
//!
//! What is no message is answered where it can be: text that is no JSON, JSON that is no request, a line too long to keep.
//! None of them ends the connection or costs more memory than the limit of one line.
//!
//! Knows the shape of JSON-RPC; methods are for others.

use std::io;

use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, GetMeta as _, JsonRpcMessage, ProtocolVersion};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

/// The longest line that is kept.
pub const MAX_LINE: usize = 16 << 20;
/// How much of a line that is too long is kept to find its id.
const HEAD: usize = 4096;
/// A buffer larger than this is given back after its line.
const KEEP_BUFFER: usize = 1 << 20;
/// Messages waiting for a slow reader.
const WAITING: usize = 64;

/// One message on its way out, and who wants to hear that it is written.
struct Outgoing {
    bytes: Vec<u8>,
    written: Option<oneshot::Sender<io::Result<()>>>,
}

/// The connection.
pub struct Lines<R> {
    read: BufReader<R>,
    line: Vec<u8>,
    skipping: bool,
    opened: bool,
    at_end: bool,
    out: Option<mpsc::Sender<Outgoing>>,
    ended: CancellationToken,
}

/// What became of a line.
enum Incoming {
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    Ignored(&'static str),
    Refused(Value),
}

/// What a stretch of input was.
enum Step {
    More,
    Line,
    TooLong,
    End,
}

impl<R: AsyncRead + Unpin + Send> Lines<R> {
    /// A connection over these streams. `ended` fires when either of them is at its end.
    pub fn new(read: R, write: impl AsyncWrite + Unpin + Send + 'static, ended: CancellationToken) -> Lines<R> {
        let (out, waiting) = mpsc::channel(WAITING);
        tokio::spawn(write_all(write, waiting, ended.clone()));
        Lines {
            read: BufReader::with_capacity(64 << 10, read),
            line: Vec::new(),
            skipping: false,
            opened: false,
            at_end: false,
            out: Some(out),
            ended,
        }
    }

    /// Reads up to the end of a line. May be dropped at any await and called again: nothing read is lost.
    async fn step(&mut self) -> io::Result<Step> {
        let available = self.read.fill_buf().await?;
        if available.is_empty() {
            self.at_end = true;
            return Ok(if self.line.is_empty() || self.skipping { Step::End } else { Step::Line });
        }
        let newline = available.iter().position(|byte| *byte == b'\n');
        let taken = newline.map_or(available.len(), |at| at + 1);
        let room = (if self.skipping { HEAD } else { MAX_LINE }).saturating_sub(self.line.len());
        self.line.extend_from_slice(&available[..taken.min(room)]);
        if taken > room && !self.skipping {
            self.skipping = true;
            self.line.truncate(HEAD);
            self.line.shrink_to_fit();
        }
        self.read.consume(taken);
        Ok(match (newline, self.skipping) {
            (None, _) => Step::More,
            (Some(_), false) => Step::Line,
            (Some(_), true) => {
                self.skipping = false;
                Step::TooLong
            }
        })
    }

    /// Drops the line that was dealt with.
    fn clear(&mut self) {
        if self.line.capacity() > KEEP_BUFFER {
            self.line = Vec::new();
        }
        self.line.clear();
    }

    /// Answers without waiting: a client that sends nonsense and reads nothing must not fill the memory.
    fn answer(&self, error: &Value) {
        if let Some(out) = &self.out {
            let sent = out.try_send(Outgoing { bytes: error.to_string().into_bytes(), written: None });
            if sent.is_err() {
                tracing::warn!("an error was not answered: the client reads too slowly");
            }
        }
    }

    /// Whether a message may be handed on. Before the handshake, a notification or a reply would end the connection.
    fn admits(&mut self, message: &ClientJsonRpcMessage) -> bool {
        if self.opened {
            return true;
        }
        let JsonRpcMessage::Request(request) = message else { return false };
        self.opened = match &request.request {
            ClientRequest::InitializeRequest(_) => true,
            ClientRequest::DiscoverRequest(_) | ClientRequest::PingRequest(_) => false,
            other => other.get_meta().missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty(),
        };
        true
    }
}

async fn write_all(mut write: impl AsyncWrite + Unpin, mut waiting: mpsc::Receiver<Outgoing>, ended: CancellationToken) {
    while let Some(Outgoing { mut bytes, written }) = waiting.recv().await {
        bytes.push(b'\n');
        let outcome = async {
            write.write_all(&bytes).await?;
            write.flush().await
        };
        let outcome = outcome.await;
        let failed = outcome.is_err();
        if let Some(written) = written {
            // Nobody waits when the connection is being closed.
            let _ = written.send(outcome);
        }
        if failed {
            tracing::info!("the client closed its input");
            ended.cancel();
            return;
        }
    }
}

impl<R: AsyncRead + Unpin + Send + 'static> Transport<RoleServer> for Lines<R> {
    type Error = io::Error;

    fn send(&mut self, item: TxJsonRpcMessage<RoleServer>) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let out = self.out.clone();
        async move {
            let closed = || io::Error::new(io::ErrorKind::NotConnected, "the connection is closed");
            let bytes = serde_json::to_vec(&item)?;
            let (written, heard) = oneshot::channel();
            out.ok_or_else(closed)?.send(Outgoing { bytes, written: Some(written) }).await.map_err(|_| closed())?;
            heard.await.map_err(|_| closed())?
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let ended = self.ended.clone();
        loop {
            if self.at_end {
                ended.cancel();
                return None;
            }
            let step = tokio::select! {
                step = self.step() => step,
                () = ended.cancelled() => return None,
            };
            match step {
                Ok(Step::More) => {}
                Ok(Step::Line) => {
                    let incoming = read_message(&self.line);
                    self.clear();
                    match incoming {
                        Incoming::Message(message) if self.admits(&message) => return Some(*message),
                        Incoming::Message(_) => tracing::debug!("a message before the handshake is ignored"),
                        Incoming::Ignored(why) => tracing::debug!(why, "a line is ignored"),
                        Incoming::Refused(error) => self.answer(&error),
                    }
                }
                Ok(Step::TooLong) => {
                    let message = format!("the message is longer than {MAX_LINE} bytes");
                    let error = error_of(id_in(&self.line), -32600, &message);
                    self.clear();
                    self.answer(&error);
                }
                Ok(Step::End) => {}
                Err(error) => {
                    tracing::info!(%error, "the input could not be read");
                    self.at_end = true;
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.out = None;
        Ok(())
    }
}

fn error_of(id: Option<Value>, code: i64, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
}

/// One line as a message.
fn read_message(line: &[u8]) -> Incoming {
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return Incoming::Ignored("empty");
    }
    let why = match serde_json::from_slice(line) {
        Ok(message) => return Incoming::Message(Box::new(message)),
        Err(why) => why,
    };
    let value: Value = match serde_json::from_slice(line) {
        Ok(value) => value,
        Err(error) => return Incoming::Refused(error_of(None, -32700, &format!("the line is no JSON: {error}"))),
    };
    let Value::Object(object) = value else {
        return Incoming::Refused(error_of(None, -32600, "a message is one JSON object; batches are not supported"));
    };
    match object.get("id") {
        None if object.contains_key("method") => Incoming::Ignored("a notification nobody knows"),
        id => {
            let id = id.filter(|id| id.is_string() || id.is_i64() || id.is_u64()).cloned();
            Incoming::Refused(error_of(id, -32600, &format!("the message is no JSON-RPC request: {why}")))
        }
    }
}

/// The `id` of a message of which only the beginning is known.
fn id_in(head: &[u8]) -> Option<Value> {
    let mut depth = 0u32;
    let mut at = 0;
    while at < head.len() {
        match head[at] {
            b'"' => {
                let end = string_end(head, at)?;
                let key = &head[at..end];
                at = end;
                let rest = head[at..].trim_ascii_start();
                if depth == 1 && key == b"\"id\"" && rest.first() == Some(&b':') {
                    return scalar(rest[1..].trim_ascii_start());
                }
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    None
}

/// The place after the string that starts at `at`.
fn string_end(text: &[u8], at: usize) -> Option<usize> {
    let mut escaped = false;
    for (offset, byte) in text[at + 1..].iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return Some(at + 2 + offset),
            _ => {}
        }
    }
    None
}

/// The string or whole number at the start of a text.
fn scalar(text: &[u8]) -> Option<Value> {
    let end = match text.first()? {
        b'"' => string_end(text, 0)?,
        // A number that touches the end of what is known may go on.
        _ => text.iter().position(|byte| !byte.is_ascii_digit() && *byte != b'-')?,
    };
    serde_json::from_slice(&text[..end]).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is answered to `input`, and the ids of the requests that are handed on.
    async fn exchange(input: Vec<u8>) -> (Vec<Value>, Vec<String>) {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let ended = CancellationToken::new();
        let mut lines = Lines::new(io::Cursor::new(input), ours, ended.clone());
        let mut ids = Vec::new();
        while let Some(message) = lines.receive().await {
            if let JsonRpcMessage::Request(request) = message {
                ids.push(request.id.to_string());
            }
        }
        assert!(ended.is_cancelled());
        lines.close().await.expect("closes");
        let mut answers = Vec::new();
        let mut reader = BufReader::new(theirs).lines();
        while let Some(line) = reader.next_line().await.expect("text") {
            answers.push(serde_json::from_str(&line).expect("JSON"));
        }
        (answers, ids)
    }

    const HELLO: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"é","version":"1"}}}"#;

    #[tokio::test]
    async fn what_is_no_message_is_answered_and_the_next_one_served() {
        let input = format!(
            "{HELLO}\r\n\nno json\n[1]\n{{\"id\":7,\"x\":1}}\n{{\"method\":\"notifications/é\"}}\n{{\"jsonrpc\":\"2.0\",\"id\":\"é\",\"method\":\"ping\"}}"
        );
        let (answers, ids) = exchange(input.into_bytes()).await;
        let codes: Vec<(Value, i64)> =
            answers.iter().map(|one| (one["id"].clone(), one["error"]["code"].as_i64().expect("a code"))).collect();
        assert_eq!(codes, [(Value::Null, -32700), (Value::Null, -32600), (json!(7), -32600)]);
        assert_eq!(ids, ["1", "é"]);
    }

    #[tokio::test]
    async fn a_line_too_long_is_answered_by_its_id() {
        let mut input = format!("{HELLO}\n{{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":\"").into_bytes();
        input.resize(input.len() + MAX_LINE, b'x');
        input.extend_from_slice(b"\"}\n{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\"}\n");
        let (answers, ids) = exchange(input).await;
        assert_eq!((answers[0]["id"].as_i64(), answers[0]["error"]["code"].as_i64()), (Some(2), Some(-32600)));
        assert_eq!(ids, ["1", "3"]);
    }

    #[tokio::test]
    async fn nothing_but_a_request_opens_a_connection() {
        let early =
            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{}}\n";
        let (answers, ids) = exchange(format!("{early}{HELLO}\n").into_bytes()).await;
        assert_eq!((answers.len(), ids), (0, vec!["1".to_owned()]));
    }

    #[test]
    fn an_id_is_found_at_the_top_only() {
        let found = |text: &str| id_in(text.as_bytes());
        assert_eq!(found(r#"{"params":{"id":9},"id": 12,"#), Some(json!(12)));
        assert_eq!(found(r#"{"a":"\"id\":3","id":"é\"x","#), Some(json!("é\"x")));
        assert_eq!(found(r#"{"id":12"#), None);
        assert_eq!(found(r#"{"method":"x","params":{"id":1,"#), None);
        assert_eq!(found(r#"{"id":null,"#), None);
        assert_eq!(found(""), None);
    }
}
