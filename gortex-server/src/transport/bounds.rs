//! The bounds of one call, the same on every transport: how long it may take, how many run, and what is said when it is given up.
//!
//! A call that is given up before it wrote anything writes nothing. One that has written says what; the caller must know before
//! it tries again.
//!
//! Knows no wire.

use std::sync::Arc;
use std::time::Duration;

use gortex_core::{CallError, Code, Extensions};
use serde_json::Value;

use super::queue::Lane;
use crate::landed::Landed;
use crate::session::{Road, Served, Session};
use crate::state::Readiness;

/// How long one call may take.
const CALL_TIME: Duration = Duration::from_mins(1);
/// How many calls of one connection run at the same time.
const CONCURRENT: usize = 8;
/// The most that may be set.
const MOST_CONCURRENT: usize = 64;
/// What a call that was given up gets to say what it wrote.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Limits of the calls of one process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// How long one call may take; `None` is as long as it likes.
    pub time: Option<Duration>,
    /// How many calls of one connection run at the same time.
    pub concurrent: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds { time: Some(CALL_TIME), concurrent: CONCURRENT }
    }
}

impl Bounds {
    /// The limits that the environment asks for: `GORTEX_MCP_TOOL_TIMEOUT` (seconds, `250ms`, `30s` or `off`) and
    /// `GORTEX_MCP_MAX_CONCURRENT_DISPATCHES`.
    pub fn from_env(var: impl Fn(&str) -> Option<String>) -> Bounds {
        let mut bounds = Bounds::default();
        match var("GORTEX_MCP_TOOL_TIMEOUT").as_deref().map(str::trim) {
            None | Some("") => {}
            Some("off" | "0") => bounds.time = None,
            Some(text) => match duration(text) {
                Some(time) => bounds.time = Some(time),
                None => tracing::warn!("GORTEX_MCP_TOOL_TIMEOUT=`{text}` is no time; write seconds, `250ms`, `30s` or `off`"),
            },
        }
        let wanted = var("GORTEX_MCP_MAX_CONCURRENT_DISPATCHES").and_then(|text| text.trim().parse::<usize>().ok());
        bounds.concurrent = wanted.unwrap_or(CONCURRENT).clamp(1, MOST_CONCURRENT);
        bounds
    }

    /// The same where others share the process: nobody may take longer than the usual time.
    pub fn shared(self) -> Bounds {
        Bounds { time: Some(self.time.map_or(CALL_TIME, |time| time.min(CALL_TIME))), ..self }
    }
}

/// Reads `30`, `30s`, `250ms`, `5m` or `2h`.
pub fn duration(text: &str) -> Option<Duration> {
    let at = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let number: u64 = text[..at].parse().ok()?;
    match &text[at..] {
        "" | "s" => Some(Duration::from_secs(number)),
        "ms" => Some(Duration::from_millis(number)),
        "m" => Some(Duration::from_secs(number.checked_mul(60)?)),
        "h" => Some(Duration::from_secs(number.checked_mul(3600)?)),
        _ => None,
    }
}

/// Why a call is given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GivenUp {
    /// Its client cancelled it or is gone.
    Cancelled,
    /// The server ends.
    Closing,
}

/// One call on its way: what it asks, and what bounds it.
#[derive(Debug)]
pub struct Bounded<'c> {
    /// The way to dispatch.
    pub road: &'c Road,
    /// Whose call it is.
    pub session: &'c Arc<Session>,
    /// Where it stands in line.
    pub lane: &'c Lane,
    /// Its limits.
    pub bounds: Bounds,
}

impl Bounded<'_> {
    /// Runs a call until it ends, its time is over, or `give_up` says that nobody wants it any more.
    pub async fn run(
        self,
        mut request: Extensions,
        name: &str,
        arguments: Value,
        give_up: impl Future<Output = GivenUp>,
    ) -> Served {
        let landed = Landed::default();
        request.insert(landed.clone());
        let work = async {
            // While the first index is built calls wait instead of working, and must not keep others from saying so.
            let waits = self.road.server.readiness() == Readiness::Indexing;
            let _slot = if waits { None } else { self.lane.slot().await };
            self.road.call(self.session, request, name, arguments).await
        };
        let bounded = async {
            match self.bounds.time {
                Some(time) => tokio::time::timeout(time, work).await.ok(),
                None => Some(work.await),
            }
        };
        let error = tokio::select! {
            served = bounded => match served {
                Some(served) => return served,
                None => timed_out(name, self.bounds.time.unwrap_or(CALL_TIME)),
            },
            why = give_up => match why {
                GivenUp::Cancelled => CallError::new(Code::Cancelled, format!("`{name}` was cancelled by its client")),
                GivenUp::Closing => {
                    CallError::new(Code::Cancelled, format!("`{name}` was given up: the server is shutting down"))
                }
            },
        };
        Served::refused(with_effects(error, &landed).await)
    }
}

fn timed_out(name: &str, time: Duration) -> CallError {
    CallError::new(Code::Timeout, format!("`{name}` took longer than {} seconds and was given up", time.as_secs_f64()))
        .hint("narrow the question, or ask again when the index is ready")
}

/// Adds what the call has changed, which it is asked for once it has been told to stop.
async fn with_effects(error: CallError, landed: &Landed) -> CallError {
    if !landed.has_begun() {
        return error.retriable(true);
    }
    let settled = landed.settled(LAST_WORDS).await;
    let paths = landed.paths();
    if settled && landed.is_told_in_files() && paths.is_empty() {
        return error.retriable(true).data("effects", "none");
    }
    if settled && landed.is_told_in_files() {
        return error
            .retriable(false)
            .data("effects", "landed")
            .data("landed", paths)
            .hint("these files were written before the call was given up; read them before writing again");
    }
    error
        .retriable(false)
        .data("effects", "unknown")
        .data("landed", paths)
        .hint("the work may still end; look at what it was to change before asking again")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface::Policy;
    use crate::testing::Fixture;
    use serde_json::json;

    fn bounds(time: &str, concurrent: &str) -> Bounds {
        Bounds::from_env(|name| Some(if name.ends_with("TIMEOUT") { time } else { concurrent }.to_owned()))
    }

    #[test]
    fn limits_come_from_the_environment_and_only_tighten_what_is_shared() {
        assert_eq!(Bounds::from_env(|_| None), Bounds::default());
        assert_eq!(bounds("250ms", "500"), Bounds { time: Some(Duration::from_millis(250)), concurrent: 64 });
        assert_eq!(bounds("off", "0"), Bounds { time: None, concurrent: 1 });
        assert_eq!(bounds("é", "é"), Bounds::default());
        assert_eq!(bounds("5m", "").shared().time, Some(CALL_TIME));
        assert_eq!(bounds("off", "").shared().time, Some(CALL_TIME));
        assert_eq!(bounds("2", "").shared().time, Some(Duration::from_secs(2)));
    }

    fn run(fixture: &Fixture, time: Option<Duration>, why: Option<GivenUp>, tool: &str, arguments: Value) -> Value {
        run_in(fixture, &fixture.server.queue().lane(1), time, why, tool, arguments)
    }

    fn run_in(
        fixture: &Fixture,
        lane: &Lane,
        time: Option<Duration>,
        why: Option<GivenUp>,
        tool: &str,
        arguments: Value,
    ) -> Value {
        let road = Road::new(Arc::clone(&fixture.server), fixture.registry(), Policy::default());
        let session = fixture.server.sessions().open(crate::session::Opening::default()).expect("opens");
        session.introduce(crate::session::ClientInfo::new("é", "1"));
        let bounded = Bounded { road: &road, session: &session, lane, bounds: Bounds { time, concurrent: 1 } };
        let give_up = async move {
            match why {
                Some(why) => why,
                None => std::future::pending().await,
            }
        };
        let served = fixture.block_on(bounded.run(Extensions::new(), tool, arguments, give_up));
        serde_json::from_str(&served.text).expect("JSON")
    }

    #[test]
    fn a_call_that_takes_too_long_is_a_structured_error() {
        let fixture = Fixture::new("//- a.py\ndef f():\n    pass\n");
        let search = json!({"operation": "symbols", "query": "f"});
        // It waits for its turn, which never comes: the only place of the connection is taken.
        let lane = fixture.server.queue().lane(1);
        let taken = fixture.block_on(lane.slot()).expect("a place");
        let answer = run_in(&fixture, &lane, Some(Duration::from_millis(1)), None, "search", search.clone());
        drop(taken);
        assert_eq!((&answer["error_code"], &answer["retriable"]), (&json!("timeout"), &json!(true)), "{answer}");
        let answer = run(&fixture, Some(CALL_TIME), None, "search", search);
        assert!(answer.get("error_code").is_none(), "{answer}");
    }

    #[test]
    fn a_cancelled_edit_says_that_nothing_was_written_or_what_was() {
        let fixture = Fixture::new("//- a.txt\none\n");
        let edit = json!({"operation": "write", "target": {"file": "a.txt"}, "content": "two\n"});
        let answer = run(&fixture, Some(CALL_TIME), Some(GivenUp::Cancelled), "edit", edit.clone());
        // Whichever came first; the disk decides what is true.
        let wrote = fixture.disk("a.txt") == b"two\n";
        match answer["data"]["effects"].as_str() {
            None | Some("none") => assert!(!wrote || answer.get("error_code").is_none(), "{answer}"),
            Some("landed") => assert!(wrote && answer["data"]["landed"] == json!(["a.txt"]), "{answer}"),
            other => panic!("{other:?}: {answer}"),
        }
    }

    #[tokio::test]
    async fn what_landed_is_named() {
        let landed = Landed::default();
        let error = || CallError::new(Code::Timeout, "late");
        assert_eq!(with_effects(error(), &landed).await.to_value()["retriable"], true);
        drop(landed.begin());
        assert_eq!(with_effects(error(), &landed).await.get("effects"), Some(&json!("none")));
        landed.add(["é.py".to_owned()]);
        let said = with_effects(error(), &landed).await.to_value();
        assert_eq!((&said["retriable"], &said["data"]["landed"]), (&json!(false), &json!(["é.py"])));
        drop(landed.begin_unnamed());
        assert_eq!(with_effects(error(), &landed).await.get("effects"), Some(&json!("unknown")));
    }
}
