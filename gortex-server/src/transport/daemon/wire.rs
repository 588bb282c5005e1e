//! What is said on the daemon's socket: one JSON object a line.
//!
//! A client says first who it is and what it wants, in one line; the daemon answers in one. After that the line is either MCP or a
//! row of orders, each with one answer.
//!
//! Knows the words, not what follows from them.

use std::path::PathBuf;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncWrite, AsyncWriteExt as _};

/// The version of these words.
pub const VERSION: u32 = 1;
/// The longest handshake.
pub const HELLO_BYTES: usize = 64 << 10;
/// The longest order and its longest answer.
pub const ORDER_BYTES: usize = 64 << 20;

/// What a client wants of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Speak MCP.
    Mcp,
    /// Give orders.
    Control,
    /// Something this build does not know.
    #[serde(other)]
    Unknown,
}

/// The client's first line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// [`VERSION`] of the client.
    pub version: u32,
    /// What it wants.
    pub mode: Mode,
    /// Where it works.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<PathBuf>,
    /// A repository to serve instead of the one around `cwd`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<PathBuf>,
    /// Repositories to serve as well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub track: Vec<PathBuf>,
    /// What program it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// The version of that program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_version: Option<String>,
    /// Its process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// Which tools it wants: its `GORTEX_TOOLS` or `--tools`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<String>,
    /// What becomes of the others: `hide` or `defer`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools_mode: Option<String>,
    /// Its `GORTEX_TOOL_ARG_GUARD`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arg_guard: Option<String>,
}

impl Hello {
    /// A first line of this build.
    pub fn new(mode: Mode) -> Hello {
        Hello {
            version: VERSION,
            mode,
            cwd: None,
            index: None,
            track: Vec::new(),
            client: Some("gortex".to_owned()),
            client_version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            pid: Some(std::process::id()),
            tools: None,
            tools_mode: None,
            arg_guard: None,
        }
    }
}

/// The daemon's first line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ack {
    /// Whether the connection is served.
    pub ok: bool,
    /// Why not: `protocol_mismatch`, `unsupported_mode`, `repo_not_tracked`, `internal`, `timeout`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_code: Option<String>,
    /// The same in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_msg: Option<String>,
    /// The name of this connection.
    #[serde(default)]
    pub session_id: String,
    /// The repository that serves it, when it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_repo: Option<String>,
    /// The version of the daemon's program.
    #[serde(default)]
    pub daemon_version: String,
    /// New with every start.
    #[serde(default)]
    pub daemon_instance: String,
    /// Whether the first index is still being built.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub warming: bool,
    /// Where it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warmup_phase: Option<String>,
}

/// One order.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Order {
    /// What to do.
    pub kind: String,
    /// With what.
    #[serde(default)]
    pub params: Value,
}

/// What became of it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Outcome {
    /// Whether it was done.
    pub ok: bool,
    /// Why not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_code: Option<String>,
    /// The same in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_msg: Option<String>,
    /// What it gave.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub result: Value,
}

impl Outcome {
    /// Done.
    pub fn done(result: Value) -> Outcome {
        Outcome { ok: true, result, ..Outcome::default() }
    }

    /// Not done.
    pub fn refused(code: &str, words: impl Into<String>) -> Outcome {
        Outcome { ok: false, error_code: Some(code.to_owned()), error_msg: Some(words.into()), result: Value::Null }
    }
}

/// Why a line could not be read.
#[derive(Debug, thiserror::Error)]
pub enum WireError {
    /// The other side is gone; `started` when it left in the middle of a line.
    #[error("the connection ended")]
    Ended {
        /// Whether part of a line had arrived.
        started: bool,
    },
    /// The line is longer than allowed.
    #[error("the line is longer than {0} bytes")]
    TooLong(usize),
    /// The line is not what was expected.
    #[error("the line is not understood: {0}")]
    Malformed(#[from] serde_json::Error),
    /// The system refused.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

/// Reads one line of at most `most` bytes.
pub async fn read<T: DeserializeOwned>(from: &mut (impl AsyncBufRead + Unpin), most: usize) -> Result<T, WireError> {
    let mut line = Vec::new();
    loop {
        let available = from.fill_buf().await?;
        if available.is_empty() {
            return Err(WireError::Ended { started: !line.is_empty() });
        }
        let newline = available.iter().position(|byte| *byte == b'\n');
        let taken = newline.map_or(available.len(), |at| at + 1);
        if line.len() + taken > most {
            return Err(WireError::TooLong(most));
        }
        line.extend_from_slice(&available[..taken]);
        from.consume(taken);
        if newline.is_some() {
            return Ok(serde_json::from_slice(&line)?);
        }
    }
}

/// Writes one line.
pub async fn write(into: &mut (impl AsyncWrite + Unpin), message: &impl Serialize) -> Result<(), WireError> {
    let mut bytes = serde_json::to_vec(message)?;
    bytes.push(b'\n');
    into.write_all(&bytes).await?;
    into.flush().await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_line_is_read_whole_and_the_rest_stays() {
        let mut input: &[u8] = b"{\"version\":1,\"mode\":\"mcp\",\"cwd\":\"/\xC3\xA9\",\"more\":1}\nrest";
        let hello: Hello = read(&mut input, HELLO_BYTES).await.expect("a line");
        assert_eq!((hello.mode, hello.cwd, input), (Mode::Mcp, Some(PathBuf::from("/é")), &b"rest"[..]));
        assert!(matches!(read::<Hello>(&mut input, HELLO_BYTES).await, Err(WireError::Ended { started: true })));
        assert!(matches!(read::<Hello>(&mut &b""[..], 9).await, Err(WireError::Ended { started: false })));
        assert!(matches!(read::<Hello>(&mut &b"{\"a\":\"aaaaaaaaa\"}\n"[..], 9).await, Err(WireError::TooLong(9))));
        assert!(matches!(read::<Hello>(&mut &b"{}\n"[..], 9).await, Err(WireError::Malformed(_))));
        let odd: Hello = read(&mut &b"{\"version\":1,\"mode\":\"x\"}\n"[..], 99).await.expect("a line");
        assert_eq!(odd.mode, Mode::Unknown);
    }
}
