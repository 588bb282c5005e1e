//! `session.agents`: who else works on these repositories, and on which paths.

use std::time::SystemTime;

use crate::handlers::shared::prelude::*;
use crate::session::{AgentError, Locks, SessionWriter, Word, clean_paths};

/// What to do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Action {
    /// Show all agents.
    #[default]
    List,
    /// Appear in the list.
    Register,
    /// Stay in it.
    Heartbeat,
    /// Say that paths are being worked on.
    Lock,
    /// Give paths back.
    Unlock,
    /// Leave the list.
    Unregister,
}

/// Arguments of `session.agents`.
#[derive(Debug, Deserialize, JsonSchema, FacadeArgs)]
pub(crate) struct AgentRegistry {
    /// What to do.
    #[at(arguments)]
    #[serde(default)]
    action: Action,
    /// Agent id; the session's when not given.
    #[at(arguments)]
    id: Option<String>,
    /// Display name.
    #[at(arguments)]
    #[serde(default)]
    name: String,
    /// Symbol or file in focus.
    #[at(arguments)]
    #[serde(default)]
    cursor: String,
    /// Free text.
    #[at(arguments)]
    #[serde(default)]
    status: String,
    /// Paths to lock or unlock, separated by commas.
    #[at(arguments)]
    #[serde(default)]
    paths: String,
}

/// Lists the agents that work here and lets this one register, and lock paths for the others to see.
#[facade(domain = "session", op = "agents", effect = "session_write")]
async fn agent_registry(host: Host, session: SessionWriter, args: Args<AgentRegistry>) -> Answer<Reply> {
    let (agents, now) = (host.agents(), SystemTime::now());
    let own = session.session().id().as_str();
    let id = args.id.as_deref().map(str::trim).filter(|id| !id.is_empty()).unwrap_or(own);
    let id = id.strip_prefix("agent::").unwrap_or(id);
    let word = Word { name: args.name.trim(), cursor: args.cursor.trim(), status: args.status.trim() };
    let paths = clean_paths(&args.paths);
    let body = match args.action {
        Action::List => {
            let rows = agents.list(now);
            return Ok(Reply::json(json!({"total": rows.len(), "agents": rows})).rows("agents"));
        }
        Action::Register => {
            let (agent, locks) = agents.register(id, word, &paths, own, now).map_err(refused)?;
            let mut body = json!({"status": "registered", "agent": agent});
            if !locks.conflicts.is_empty() {
                body["conflicts"] = conflicts(&locks);
            }
            body
        }
        Action::Heartbeat => json!({"status": "ok", "agent": agents.heartbeat(id, word, now).map_err(refused)?}),
        Action::Lock if paths.is_empty() => {
            return Err(CallError::invalid("lock needs paths")
                .data("field", "paths")
                .hint("name the files or folders, separated by commas"));
        }
        Action::Lock => {
            let locks = agents.lock(id, &paths, now).map_err(refused)?;
            json!({"status": "ok", "locked": locks.locked, "conflicts": conflicts(&locks)})
        }
        Action::Unlock => json!({"status": "ok", "agent": agents.unlock(id, &paths, now).map_err(refused)?}),
        Action::Unregister => {
            agents.unregister(id, now).map_err(refused)?;
            json!({"status": "unregistered", "id": id})
        }
    };
    Ok(Reply::json(body))
}

fn conflicts(locks: &Locks) -> Value {
    locks.conflicts.iter().map(|(path, held_by)| json!({"path": path, "held_by": held_by})).collect()
}

fn refused(error: AgentError) -> CallError {
    let words = error.to_string();
    match error {
        AgentError::Unknown(id) => {
            CallError::new(Code::NotFound, words).data("id", id).hint("call with action=\"register\" first")
        }
        AgentError::TooMany(_) => CallError::new(Code::LimitExceeded, words).hint("unlock paths or unregister agents"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::testing::{Client, Fixture};

    fn act(client: &Client<'_>, arguments: Value) -> Value {
        client.json("session", json!({"operation": "agents", "arguments": arguments}))
    }

    #[test]
    fn agents_of_two_sessions_see_each_others_locks() {
        let fixture = Fixture::new("");
        let (one, other) = (fixture.client("one"), fixture.client("other"));
        let registered = act(&one, json!({"action": "register", "name": "Ä", "paths": "src/a.py"}));
        assert_eq!((&registered["status"], &registered["agent"]["locked_paths"]), (&json!("registered"), &json!(["src/a.py"])));
        act(&other, json!({"action": "register", "id": "b"}));
        let locks = act(&other, json!({"action": "lock", "id": "b", "paths": "src/a.py,src/b.py"}));
        assert_eq!(locks["locked"], json!(["src/b.py"]));
        assert_eq!(locks["conflicts"], json!([{"path": "src/a.py", "held_by": registered["agent"]["agent_id"]}]));
        let list = act(&other, json!({}));
        assert_eq!((list["total"].as_u64(), &list["agents"][1]["name"]), (Some(2), &json!("Ä")));
        assert_eq!(act(&one, json!({"action": "unregister"}))["status"], "unregistered");
        assert_eq!(act(&one, json!({"action": "list"}))["total"], 1);
    }

    #[test]
    fn an_unknown_agent_and_a_lock_of_nothing_are_errors() {
        let fixture = Fixture::new("");
        let client = fixture.client("any");
        let ask = |arguments: Value| client.error("session", json!({"operation": "agents", "arguments": arguments}));
        assert_eq!(ask(json!({"action": "heartbeat"}))["error_code"], "not_found");
        assert_eq!(ask(json!({"action": "lock", "paths": " , "}))["data"]["field"], "paths");
        assert!(ask(json!({"action": "é"}))["data"]["valid_values"].is_array());
    }
}
