//! Who else works here: agents of all sessions, and the paths that they say they work on.
//!
//! In memory only. A lock blocks nobody; it is a word to the others. An agent that is silent for two minutes is forgotten with
//! its locks. The number of agents and of their paths is bounded.
//!
//! Knows no clock: the caller says what time it is.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, SystemTime};

use parking_lot::Mutex;
use serde_json::{Value, json};

use super::timestamp;

/// After this silence an agent is forgotten.
const SILENCE: Duration = Duration::from_mins(2);
/// Agents at most.
const MOST: usize = 256;
/// Paths of one agent at most.
const PATHS: usize = 256;
/// Bytes of a text that an agent says of itself.
const TEXT: usize = 500;

#[derive(Debug)]
struct Agent {
    name: String,
    cursor: String,
    status: String,
    paths: BTreeSet<String>,
    session: String,
    seen: SystemTime,
}

/// What an agent says of itself; empty texts leave what was said before.
#[derive(Clone, Copy, Debug, Default)]
pub struct Word<'a> {
    /// Display name.
    pub name: &'a str,
    /// Symbol or file in focus.
    pub cursor: &'a str,
    /// Free text.
    pub status: &'a str,
}

/// Why the registry refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AgentError {
    /// Nobody of this id, or not any more.
    #[error("no agent is registered as `{0}`; register it first (agents that are silent for two minutes are forgotten)")]
    Unknown(String),
    /// A bound would be passed.
    #[error("{0}")]
    TooMany(String),
}

/// What became of a request for locks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Locks {
    /// Paths that the agent holds now.
    pub locked: Vec<String>,
    /// Paths that others hold, with the holder's id.
    pub conflicts: Vec<(String, String)>,
}

/// The registry.
#[derive(Debug, Default)]
pub struct Agents(Mutex<BTreeMap<String, Agent>>);

impl Agents {
    /// All agents, by name and id.
    pub fn list(&self, now: SystemTime) -> Vec<Value> {
        let mut agents = self.0.lock();
        prune(&mut agents, now);
        let mut rows: Vec<(&String, &Agent)> = agents.iter().collect();
        rows.sort_by(|a, b| a.1.name.cmp(&b.1.name).then_with(|| a.0.cmp(b.0)));
        rows.into_iter().map(|(id, agent)| row(id, agent, now)).collect()
    }

    /// Registers an agent or says more of it.
    pub fn register(
        &self,
        id: &str,
        word: Word<'_>,
        paths: &[String],
        session: &str,
        now: SystemTime,
    ) -> Result<(Value, Locks), AgentError> {
        let mut agents = self.0.lock();
        prune(&mut agents, now);
        if !agents.contains_key(id) && agents.len() >= MOST {
            return Err(AgentError::TooMany(format!("{MOST} agents are registered already")));
        }
        let agent = agents.entry(id.to_owned()).or_insert_with(|| Agent {
            name: String::new(),
            cursor: String::new(),
            status: String::new(),
            paths: BTreeSet::new(),
            session: session.to_owned(),
            seen: now,
        });
        session.clone_into(&mut agent.session);
        say(agent, word, now);
        let locks = lock(&mut agents, id, paths)?;
        Ok((row(id, &agents[id], now), locks))
    }

    /// A sign of life.
    pub fn heartbeat(&self, id: &str, word: Word<'_>, now: SystemTime) -> Result<Value, AgentError> {
        self.with(id, now, |agent| say(agent, word, now))
    }

    /// Claims paths.
    pub fn lock(&self, id: &str, paths: &[String], now: SystemTime) -> Result<Locks, AgentError> {
        self.with(id, now, |_| ())?;
        lock(&mut self.0.lock(), id, paths)
    }

    /// Gives paths back; all of them when none is named.
    pub fn unlock(&self, id: &str, paths: &[String], now: SystemTime) -> Result<Value, AgentError> {
        self.with(id, now, |agent| agent.paths.retain(|path| !paths.is_empty() && !paths.contains(path)))
    }

    /// Forgets an agent.
    pub fn unregister(&self, id: &str, now: SystemTime) -> Result<(), AgentError> {
        let mut agents = self.0.lock();
        prune(&mut agents, now);
        agents.remove(id).map(drop).ok_or_else(|| AgentError::Unknown(id.to_owned()))
    }

    fn with(&self, id: &str, now: SystemTime, change: impl FnOnce(&mut Agent)) -> Result<Value, AgentError> {
        let mut agents = self.0.lock();
        prune(&mut agents, now);
        let agent = agents.get_mut(id).ok_or_else(|| AgentError::Unknown(id.to_owned()))?;
        agent.seen = now;
        change(agent);
        Ok(row(id, agent, now))
    }
}

fn prune(agents: &mut BTreeMap<String, Agent>, now: SystemTime) {
    agents.retain(|_, agent| now.duration_since(agent.seen).unwrap_or_default() < SILENCE);
}

fn say(agent: &mut Agent, word: Word<'_>, now: SystemTime) {
    for (slot, text) in [(&mut agent.name, word.name), (&mut agent.cursor, word.cursor), (&mut agent.status, word.status)] {
        if !text.is_empty() {
            text[..text.floor_char_boundary(TEXT)].clone_into(slot);
        }
    }
    agent.seen = now;
}

/// Claims the paths that nobody else holds; a folder holds what lies in it.
fn lock(agents: &mut BTreeMap<String, Agent>, id: &str, paths: &[String]) -> Result<Locks, AgentError> {
    let mut locks = Locks::default();
    for path in paths {
        let holder = agents.iter().find(|(other, agent)| *other != id && agent.paths.iter().any(|held| overlap(held, path)));
        match holder {
            Some((other, _)) => locks.conflicts.push((path.clone(), other.clone())),
            None => locks.locked.push(path.clone()),
        }
    }
    if let Some(agent) = agents.get_mut(id) {
        let more = locks.locked.iter().filter(|path| !agent.paths.contains(*path)).count();
        if agent.paths.len() + more > PATHS {
            return Err(AgentError::TooMany(format!("an agent holds at most {PATHS} paths")));
        }
        agent.paths.extend(locks.locked.iter().cloned());
    }
    Ok(locks)
}

fn overlap(a: &str, b: &str) -> bool {
    let inside =
        |inner: &str, outer: &str| inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    inside(a, b) || inside(b, a)
}

/// Paths of a comma-separated list, in one spelling: `/` between names, no `.`, `..` taken up, none twice.
pub fn clean_paths(list: &str) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    for path in list.split(',') {
        let path = path.trim().replace('\\', "/");
        let mut parts: Vec<&str> = Vec::new();
        for part in path.split('/') {
            match part {
                "" | "." => {}
                ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
                part => parts.push(part),
            }
        }
        let root = if path.starts_with('/') { "/" } else { "" };
        let clean = format!("{root}{}", parts.join("/"));
        if !parts.is_empty() && !paths.contains(&clean) {
            paths.push(clean);
        }
    }
    paths
}

fn row(id: &str, agent: &Agent, now: SystemTime) -> Value {
    json!({
        "id": format!("agent::{id}"),
        "kind": "agent",
        "agent_id": id,
        "name": agent.name,
        "cursor": agent.cursor,
        "status": agent.status,
        "locked_paths": agent.paths,
        "session_id": agent.session,
        "last_seen": timestamp(agent.seen),
        "age_seconds": now.duration_since(agent.seen).unwrap_or_default().as_secs(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)
    }

    fn paths(list: &str) -> Vec<String> {
        clean_paths(list)
    }

    #[test]
    fn a_path_that_another_holds_is_a_conflict_and_no_lock() {
        let agents = Agents::default();
        agents.register("a", Word { name: "Ä", ..Word::default() }, &paths("src/x.rs"), "session-1", at(0)).expect("registers");
        agents.register("b", Word::default(), &[], "session-2", at(0)).expect("registers");
        let locks = agents.lock("b", &paths("./src//x.rs, src, lib/y.rs"), at(1)).expect("answers");
        assert_eq!(locks.locked, ["lib/y.rs"]);
        assert_eq!(locks.conflicts, [("src/x.rs".to_owned(), "a".to_owned()), ("src".to_owned(), "a".to_owned())]);
        agents.unlock("a", &[], at(1)).expect("unlocks");
        assert_eq!(agents.lock("b", &paths("src"), at(2)).expect("answers").locked, ["src"]);
    }

    #[test]
    fn who_is_silent_for_two_minutes_is_forgotten_with_its_locks() {
        let agents = Agents::default();
        agents.register("a", Word::default(), &paths("x"), "s", at(0)).expect("registers");
        agents.heartbeat("a", Word { status: "busy", ..Word::default() }, at(119)).expect("alive");
        assert_eq!(agents.list(at(238))[0]["status"], "busy");
        assert_eq!(agents.list(at(239)), Vec::<Value>::new());
        assert_eq!(agents.lock("a", &paths("x"), at(240)), Err(AgentError::Unknown("a".to_owned())));
    }

    #[test]
    fn the_list_is_by_name_and_the_numbers_are_bounded() {
        let agents = Agents::default();
        for (id, name) in [("1", "b"), ("2", "a"), ("3", "b")] {
            agents.register(id, Word { name, ..Word::default() }, &[], "s", at(0)).expect("registers");
        }
        let ids: Vec<Value> = agents.list(at(0)).iter().map(|row| row["agent_id"].clone()).collect();
        assert_eq!(ids, ["2", "1", "3"]);
        let many: Vec<String> = (0..=PATHS).map(|at| format!("f{at}")).collect();
        assert!(matches!(agents.lock("1", &many, at(0)), Err(AgentError::TooMany(_))));
        for at_id in 4..=MOST {
            agents.register(&at_id.to_string(), Word::default(), &[], "s", at(0)).expect("registers");
        }
        assert!(matches!(agents.register("x", Word::default(), &[], "s", at(0)), Err(AgentError::TooMany(_))));
    }

    #[test]
    fn paths_have_one_spelling() {
        assert_eq!(paths(r"a\b, ./a/./b ,a/x/../c,,/é/"), ["a/b", "a/c", "/é"]);
        assert_eq!(paths(" , . "), Vec::<String>::new());
    }
}
