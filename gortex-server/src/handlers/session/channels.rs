//! `session.subscribe` and `session.unsubscribe` on the five channels.
//!
//! A channel is a function of each verb, because each is a tool of its own for older clients.

use crate::handlers::shared::prelude::*;
use crate::session::{Channel, SessionWriter};

/// The answer to a subscription.
fn subscribed(host: &Host, session: &SessionWriter, channel: Channel) -> Value {
    session.subscribe(channel);
    let mut body = json!({
        "subscribed": true,
        "channel": channel,
        "session_id": session.session().id().as_str(),
        "subscribers": host.events().subscribers(channel),
    });
    if !session.session().hears() {
        body["note"] = "notifications are not delivered on this connection".into();
    }
    body
}

fn unsubscribed(host: &Host, session: &SessionWriter, channel: Channel) -> Reply {
    session.unsubscribe(channel);
    Reply::json(json!({
        "subscribed": false,
        "channel": channel,
        "session_id": session.session().id().as_str(),
        "subscribers": host.events().subscribers(channel),
    }))
}

/// Arguments of `subscribe_daemon_health`.
#[derive(Debug, Deserialize, JsonSchema, FacadeArgs)]
pub(crate) struct Health {
    /// Milliseconds between two snapshots; 15000 when not given, 1000 to 300000. The last request counts for all.
    #[at(arguments)]
    interval_ms: Option<i64>,
}

/// Sends this session a snapshot of the process now and then.
#[facade(domain = "session", op = "subscribe_daemon_health", effect = "session_write")]
async fn subscribe_daemon_health(host: Host, session: SessionWriter, args: Args<Health>) -> Answer<Reply> {
    let mut body = subscribed(&host, &session, Channel::DaemonHealth);
    let interval = args.interval_ms.map(|ms| u64::try_from(ms).unwrap_or(0));
    body["replayed"] = host.events().watch_health(&host, session.session(), interval).into();
    body["interval_ms"] = host.events().health_interval().into();
    Ok(Reply::json(body))
}

/// Ends the snapshots of the process for this session.
#[facade(domain = "session", op = "unsubscribe_daemon_health", effect = "session_write")]
async fn unsubscribe_daemon_health(host: Host, session: SessionWriter) -> Answer<Reply> {
    Ok(unsubscribed(&host, &session, Channel::DaemonHealth))
}

/// Arguments of `subscribe_diagnostics`.
#[derive(Debug, Deserialize, JsonSchema, FacadeArgs)]
pub(crate) struct Diagnostics {
    /// Least severe kind: 1 error, 2 warning, 3 information, 4 hint; 0 is all.
    #[at(arguments)]
    #[schemars(range(min = 0, max = 4))]
    #[serde(default)]
    min_severity: u8,
    /// Only files below this absolute path.
    #[at(arguments)]
    #[serde(default)]
    path_prefix: String,
}

/// Sends this session what language servers say of files.
#[facade(domain = "session", op = "subscribe_diagnostics", effect = "session_write")]
async fn subscribe_diagnostics(_session: SessionWriter, args: Args<Diagnostics>) -> Answer<Reply> {
    Err(CallError::new(Code::Unavailable, "diagnostics are not configured: no language server is attached to this server")
        .data("channel", Channel::Diagnostics)
        .data("min_severity", args.min_severity)
        .data("path_prefix", &args.path_prefix)
        .hint("the other channels are served; compilers and linters tell what is wrong with a file"))
}

/// Ends the diagnostics for this session.
#[facade(domain = "session", op = "unsubscribe_diagnostics", effect = "session_write")]
async fn unsubscribe_diagnostics(host: Host, session: SessionWriter) -> Answer<Reply> {
    Ok(unsubscribed(&host, &session, Channel::Diagnostics))
}

/// Tells this session whenever the graph was made anew, so that it drops what it remembers.
#[facade(domain = "session", op = "subscribe_graph_invalidated", effect = "session_write")]
async fn subscribe_graph_invalidated(host: Host, session: SessionWriter) -> Answer<Reply> {
    Ok(Reply::json(subscribed(&host, &session, Channel::GraphInvalidated)))
}

/// Ends the word about new graphs for this session.
#[facade(domain = "session", op = "unsubscribe_graph_invalidated", effect = "session_write")]
async fn unsubscribe_graph_invalidated(host: Host, session: SessionWriter) -> Answer<Reply> {
    Ok(unsubscribed(&host, &session, Channel::GraphInvalidated))
}

/// Tells this session when a file that it has read or changed is not any more as it was.
#[facade(domain = "session", op = "subscribe_stale_refs", effect = "session_write")]
async fn subscribe_stale_refs(host: Host, session: SessionWriter) -> Answer<Reply> {
    Ok(Reply::json(subscribed(&host, &session, Channel::StaleRefs)))
}

/// Ends the word about stale files for this session.
#[facade(domain = "session", op = "unsubscribe_stale_refs", effect = "session_write")]
async fn unsubscribe_stale_refs(host: Host, session: SessionWriter) -> Answer<Reply> {
    Ok(unsubscribed(&host, &session, Channel::StaleRefs))
}

/// Tells this session how far the index is.
#[facade(domain = "session", op = "subscribe_workspace_readiness", effect = "session_write")]
async fn subscribe_workspace_readiness(host: Host, session: SessionWriter) -> Answer<Reply> {
    let mut body = subscribed(&host, &session, Channel::WorkspaceReadiness);
    body["replayed"] = host.events().replay(session.session(), Channel::WorkspaceReadiness).into();
    Ok(Reply::json(body))
}

/// Ends the word about the index for this session.
#[facade(domain = "session", op = "unsubscribe_workspace_readiness", effect = "session_write")]
async fn unsubscribe_workspace_readiness(host: Host, session: SessionWriter) -> Answer<Reply> {
    Ok(unsubscribed(&host, &session, Channel::WorkspaceReadiness))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::testing::{Client, Fixture};

    fn ask(client: &Client<'_>, verb: &str, channel: &str) -> Value {
        client.json("session", json!({"operation": verb, "channel": channel}))
    }

    fn change(fixture: &Fixture, text: &str) {
        std::fs::write(fixture.root.join("a.py"), text).expect("a file");
        fixture.server.engine().fresh(true);
    }

    #[test]
    fn a_new_graph_is_told_to_who_listens_and_to_nobody_else() {
        let fixture = Fixture::new("//- a.py\ndef f():\n    pass\n");
        let (one, other) = (fixture.client("one"), fixture.client("other"));
        let answer = ask(&one, "subscribe", "graph_invalidated");
        assert_eq!((&answer["subscribed"], &answer["subscribers"]), (&json!(true), &json!(1)));
        assert_eq!(one.heard(), []);
        change(&fixture, "def f():\n    pass\n\ndef é():\n    f()\n");
        let heard = one.heard();
        assert_eq!(heard.len(), 1, "{heard:?}");
        assert_eq!(heard[0].0, "notifications/graph_invalidated");
        assert_eq!((&heard[0].1["node_count"], &heard[0].1["reason"]), (&json!(3), &json!("files_changed")));
        assert_eq!(other.heard(), []);
        assert_eq!(ask(&one, "unsubscribe", "graph_invalidated")["subscribers"], 0);
        assert_eq!(ask(&one, "unsubscribe", "graph_invalidated")["subscribed"], false);
        change(&fixture, "x = 1\n");
        assert_eq!(one.heard(), []);
    }

    #[test]
    fn stale_files_are_told_to_the_session_that_read_them() {
        let fixture = Fixture::new("//- a.py\ndef f():\n    pass\n//- b.py\ny = 1\n");
        let (reader, other) = (fixture.client("reader"), fixture.client("other"));
        for client in [&reader, &other] {
            ask(client, "subscribe", "stale_refs");
        }
        reader.json("read", json!({"target": {"symbol": "f"}}));
        other.json("read", json!({"target": {"file": "b.py"}}));
        change(&fixture, "def g():\n    pass\n");
        let heard = reader.heard();
        assert_eq!(heard.len(), 1, "{heard:?}");
        assert_eq!((&heard[0].1["path"], &heard[0].1["removed_symbols"]), (&json!("a.py"), &json!(["a.py::f"])));
        assert_eq!(heard[0].1["viewed_file"], true);
        assert!(heard[0].1["uri"].as_str().is_some_and(|uri| uri.starts_with("file:///")));
        assert_eq!(other.heard(), []);
    }

    #[test]
    fn readiness_is_replayed_and_then_told() {
        let fixture = Fixture::new("//- a.py\nx = 1\n");
        let client = fixture.client("any");
        assert_eq!(ask(&client, "subscribe", "workspace_readiness")["replayed"], true);
        let first = client.heard();
        assert_eq!((&first[0].1["phase"], &first[0].1["ready"]), (&json!("ready"), &json!(true)));
        assert_eq!(first[0].1["initial_replay"], true);
        change(&fixture, "x = 2\ny = 3\n");
        let then = client.heard();
        assert_eq!(then.last().map(|told| &told.1["phase"]), Some(&json!("reindex_complete")), "{then:?}");
        assert!(then.iter().all(|told| told.1.get("initial_replay").is_none()));
    }

    #[test]
    fn health_is_told_at_once_and_its_interval_is_bounded() {
        let fixture = Fixture::new("//- a.py\nx = 1\n");
        let client = fixture.client("any");
        let arguments = json!({"interval_ms": 5});
        let answer =
            client.json("session", json!({"operation": "subscribe", "channel": "daemon_health", "arguments": arguments}));
        assert_eq!((&answer["replayed"], &answer["interval_ms"]), (&json!(true), &json!(1000)));
        let heard = client.heard();
        assert_eq!((heard.len(), heard[0].0.as_str()), (1, "notifications/daemon_health"));
        assert_eq!((&heard[0].1["tracked_repos"], &heard[0].1["sessions"]), (&json!(1), &json!(1)));
    }

    #[test]
    fn diagnostics_are_not_configured_and_unsubscribing_is_no_error() {
        let fixture = Fixture::new("");
        let client = fixture.client("any");
        let error = client.error("session", json!({"operation": "subscribe", "channel": "diagnostics"}));
        assert!(error["message"].as_str().is_some_and(|words| words.contains("not configured")), "{error}");
        assert_eq!(ask(&client, "unsubscribe", "diagnostics")["subscribed"], false);
    }

    #[test]
    fn a_closed_session_listens_no_more() {
        let fixture = Fixture::new("");
        let (one, other) = (fixture.client("one"), fixture.client("other"));
        ask(&one, "subscribe", "graph_invalidated");
        drop(one);
        assert_eq!(ask(&other, "subscribe", "graph_invalidated")["subscribers"], 1);
    }

    #[test]
    fn a_call_without_a_session_is_answered_and_forgotten() {
        let fixture = Fixture::new("");
        let answer = fixture.json("session", json!({"operation": "subscribe", "channel": "graph_invalidated"}));
        assert_eq!((&answer["session_id"], &answer["subscribers"]), (&json!("embedded"), &json!(0)));
        assert!(answer["note"].is_string());
    }
}
