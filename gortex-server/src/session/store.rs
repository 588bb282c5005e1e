//! All sessions of a process.
//!
//! A bounded number, each found by the key of its transport (a connection has none, HTTP has its session header). Ids count up
//! and are shown to other sessions; keys are secrets of one client and are not.
//!
//! Knows when a session begins and ends, not what is in it.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

use super::client::ClientInfo;
use super::notify::Notifier;
use super::state::Session;

/// How many sessions there may be at once.
const MOST: usize = 1024;

/// The name of a session in answers.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionId(String);

impl SessionId {
    pub(super) fn passing() -> SessionId {
        SessionId("embedded".to_owned())
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What a transport knows when a session begins.
#[derive(Debug, Default)]
pub struct Opening {
    /// What its later requests carry to name it; a connection that is the session itself has none.
    pub key: Option<String>,
    /// Who the client says it is, if that is known already.
    pub client: Option<ClientInfo>,
    /// Where the client works.
    pub cwd: Option<PathBuf>,
    /// Where notifications go; without one nothing is delivered.
    pub notifier: Option<Notifier>,
}

/// There is no room for another session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{MOST} sessions are open; close one, or wait until an idle one is dropped")]
pub struct TooManySessions;

/// The sessions.
#[derive(Clone, Debug, Default)]
pub struct Sessions(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    next: AtomicU64,
    open: Mutex<BTreeMap<u64, Arc<Session>>>,
}

/// A session that is open while the handle lives.
#[derive(Debug)]
pub struct SessionHandle {
    session: Arc<Session>,
    number: u64,
    store: Sessions,
}

impl Deref for SessionHandle {
    type Target = Arc<Session>;

    fn deref(&self) -> &Arc<Session> {
        &self.session
    }
}

impl Drop for SessionHandle {
    fn drop(&mut self) {
        self.store.0.open.lock().remove(&self.number);
    }
}

impl Sessions {
    /// Opens a session; dropping the handle closes it.
    pub fn open(&self, opening: Opening) -> Result<SessionHandle, TooManySessions> {
        let mut open = self.0.open.lock();
        if open.len() >= MOST {
            return Err(TooManySessions);
        }
        let number = self.0.next.fetch_add(1, Ordering::Relaxed) + 1;
        let session = Arc::new(Session::new(SessionId(format!("session-{number}")), opening));
        open.insert(number, Arc::clone(&session));
        drop(open);
        Ok(SessionHandle { session, number, store: self.clone() })
    }

    /// The session of a key.
    pub fn find(&self, key: &str) -> Option<Arc<Session>> {
        self.0.open.lock().values().find(|session| session.key() == Some(key)).cloned()
    }

    /// All open sessions, oldest first.
    pub fn all(&self) -> Vec<Arc<Session>> {
        self.0.open.lock().values().cloned().collect()
    }

    /// How many are open.
    pub fn count(&self) -> usize {
        self.0.open.lock().len()
    }

    /// The keys of sessions that have not been used for this long; their transport ends them.
    pub fn idle(&self, longer_than: Duration) -> Vec<String> {
        let idle = |session: &Arc<Session>| session.idle() >= longer_than;
        self.all().iter().filter(|session| idle(session)).filter_map(|session| session.key().map(str::to_owned)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_ends_with_its_handle_and_its_number_does_not_come_back() {
        let sessions = Sessions::default();
        let first = sessions.open(Opening { key: Some("secret".to_owned()), ..Opening::default() }).expect("opens");
        assert_eq!(sessions.find("secret").map(|session| session.id().to_string()).as_deref(), Some("session-1"));
        assert_eq!(sessions.idle(Duration::ZERO), ["secret"]);
        drop(first);
        assert!(sessions.find("secret").is_none() && sessions.count() == 0);
        assert_eq!(sessions.open(Opening::default()).expect("opens").id().as_str(), "session-2");
    }

    #[test]
    fn the_number_of_sessions_is_bounded() {
        let sessions = Sessions::default();
        let open: Vec<SessionHandle> = (0..MOST).map(|_| sessions.open(Opening::default()).expect("opens")).collect();
        assert_eq!(sessions.open(Opening::default()).err(), Some(TooManySessions));
        drop(open);
        assert!(sessions.open(Opening::default()).is_ok());
    }

    #[test]
    fn the_first_introduction_counts_and_a_nameless_one_is_none() {
        let sessions = Sessions::default();
        let session = sessions.open(Opening { client: Some(ClientInfo::new(" ", "")), ..Opening::default() }).expect("opens");
        assert_eq!(session.client(), None);
        session.introduce(ClientInfo::new("é", "1"));
        session.introduce(ClientInfo::new("other", "2"));
        assert_eq!(session.client().map(|client| client.name.as_str()), Some("é"));
    }
}
