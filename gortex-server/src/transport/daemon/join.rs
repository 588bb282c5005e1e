//! The client's side of the socket: finding the daemon, starting it when there is none, giving it orders.

use std::io;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;
use tokio::io::BufReader;
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};

use super::place::Place;
use super::wire::{self, Ack, HELLO_BYTES, Hello, Mode, ORDER_BYTES, Order, Outcome, WireError};

/// How long a daemon may take to listen.
const START_TIME: Duration = Duration::from_mins(1);
/// How long it may take to answer the first line.
const ACK_TIME: Duration = Duration::from_secs(10);
/// Between two looks.
const PAUSE: Duration = Duration::from_millis(40);

/// A connection that has been answered.
#[derive(Debug)]
pub struct Joined {
    /// The daemon's first line.
    pub ack: Ack,
    /// What it says from then on.
    pub read: BufReader<OwnedReadHalf>,
    /// What is said to it.
    pub write: OwnedWriteHalf,
}

/// Why the daemon could not be joined.
#[derive(Debug, thiserror::Error)]
pub enum JoinError {
    /// Nobody listens.
    #[error("no daemon is running")]
    Absent,
    /// It does not want to.
    #[error("the daemon refused: {words} ({code})")]
    Refused {
        /// Its code.
        code: String,
        /// Its words.
        words: String,
    },
    /// It said nothing, or something odd.
    #[error("the daemon was not understood: {0}")]
    Wire(#[from] WireError),
    /// It could not be started.
    #[error("the daemon could not be started: {0}")]
    Start(String),
}

/// Joins the daemon that is there.
pub async fn join(place: &Place, hello: &Hello) -> Result<Joined, JoinError> {
    let stream = match UnixStream::connect(&place.socket).await {
        Ok(stream) => stream,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused) => {
            return Err(JoinError::Absent);
        }
        Err(error) => return Err(WireError::from(error).into()),
    };
    match stream.peer_cred() {
        Ok(peer) if peer.uid() == super::place::user() => {}
        _ => {
            return Err(JoinError::Refused { code: "foreign".to_owned(), words: "the socket is another user's".to_owned() });
        }
    }
    let (read, mut write) = stream.into_split();
    let mut read = BufReader::new(read);
    let ack = async {
        wire::write(&mut write, hello).await?;
        wire::read::<Ack>(&mut read, HELLO_BYTES).await
    };
    let ack = match tokio::time::timeout(ACK_TIME, ack).await {
        Ok(ack) => ack?,
        Err(_) => return Err(WireError::Io(io::ErrorKind::TimedOut.into()).into()),
    };
    if !ack.ok {
        let code = ack.error_code.unwrap_or_else(|| "internal".to_owned());
        return Err(JoinError::Refused { code, words: ack.error_msg.unwrap_or_default() });
    }
    Ok(Joined { ack, read, write })
}

/// Gives one order to the daemon that is there.
pub async fn order(place: &Place, hello: &Hello, kind: &str, params: Value) -> Result<Outcome, JoinError> {
    let mut joined = join(place, &Hello { mode: Mode::Control, ..hello.clone() }).await?;
    wire::write(&mut joined.write, &Order { kind: kind.to_owned(), params }).await?;
    Ok(wire::read(&mut joined.read, ORDER_BYTES).await?)
}

/// How a daemon is started in the background.
#[derive(Clone, Debug)]
pub struct Starter {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Environment that must not be seen on a command line.
    pub secrets: Vec<(String, String)>,
    /// Where it runs.
    pub folder: PathBuf,
}

impl Starter {
    fn spawn(&self, place: &Place) -> io::Result<Child> {
        place.prepare()?;
        let log = place.open_log()?;
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).envs(self.secrets.iter().cloned()).current_dir(&self.folder);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::from(log));
        command.spawn()
    }

    /// Starts a daemon and waits until somebody listens: it, or another one that was quicker.
    pub async fn start(&self, place: &Place) -> Result<(), JoinError> {
        let failed = |error: io::Error| JoinError::Start(error.to_string());
        let mut child = self.spawn(place).map_err(failed)?;
        let begun = tokio::time::Instant::now();
        loop {
            // The lock is taken before the socket is there; a probe says nothing and goes.
            if UnixStream::connect(&place.socket).await.is_ok() {
                // A proxy may outlive it and must not keep its remains; nobody else waits for this thread.
                std::thread::spawn(move || child.wait());
                return Ok(());
            }
            let over = begun.elapsed() > START_TIME;
            match child.try_wait().map_err(failed)? {
                Some(status) if !place.is_taken() => {
                    let words = format!("it ended at once ({status}); `{}` says why", place.log.display());
                    return Err(JoinError::Start(words));
                }
                _ if over => return Err(JoinError::Start(format!("it does not listen after {} seconds", START_TIME.as_secs()))),
                _ => tokio::time::sleep(PAUSE).await,
            }
        }
    }
}

/// Waits until no process is the daemon; false when that takes longer.
pub async fn ended(place: &Place, patience: Duration) -> bool {
    let begun = tokio::time::Instant::now();
    while place.is_taken() {
        if begun.elapsed() > patience {
            return false;
        }
        tokio::time::sleep(PAUSE).await;
    }
    true
}

/// Joins the daemon, or starts one and joins that.
pub async fn join_or_start(place: &Place, hello: &Hello, starter: &Starter) -> Result<Joined, JoinError> {
    match join(place, hello).await {
        Err(JoinError::Absent) => {
            // One that ends has taken its socket away already and gives the lock back in a moment.
            ended(place, Duration::from_secs(5)).await;
            starter.start(place).await?;
            join(place, hello).await
        }
        joined => joined,
    }
}

/// Asks a daemon that nobody uses to end, and waits until it has.
pub async fn retire(place: &Place, hello: &Hello) -> Result<bool, JoinError> {
    // A connection that was closed a moment ago may still count.
    for _ in 0..10 {
        let outcome = order(place, hello, "shutdown", serde_json::json!({"if_idle": true})).await?;
        if outcome.ok {
            return Ok(ended(place, Duration::from_secs(30)).await);
        }
        tokio::time::sleep(PAUSE).await;
    }
    Ok(false)
}
