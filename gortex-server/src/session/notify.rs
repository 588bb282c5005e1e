//! Messages to a client that it did not ask for at this moment.
//!
//! A session writes into a bounded queue and never waits: a client that does not read loses notifications, not the server its
//! time. The transport owns the other end and sends in order.

use serde_json::Value;
use tokio::sync::mpsc;

/// Notifications that wait to be sent; more are dropped.
const WAITING: usize = 256;

/// One message: the method's name and its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Notification {
    /// Such as `notifications/graph_invalidated`.
    pub method: String,
    /// Its parameters.
    pub params: Value,
}

/// Where a session's notifications go.
#[derive(Clone, Debug)]
pub struct Notifier(mpsc::Sender<Notification>);

/// A queue of notifications: the end for [`super::Opening::notifier`], and the end that a transport sends from.
pub fn notifications() -> (Notifier, mpsc::Receiver<Notification>) {
    let (send, receive) = mpsc::channel(WAITING);
    (Notifier(send), receive)
}

impl Notifier {
    /// Queues a message; false when the client is gone or too far behind.
    pub fn send(&self, notification: Notification) -> bool {
        self.0.try_send(notification).is_ok()
    }
}
