//! What a call knows about who sent it: the caller, and where progress is heard.
//!
//! Both are put into the call's extensions by the road it came on. A call without them is an agent's, and its progress is
//! heard by nobody: the careful choice is the one that needs nothing.

use std::fmt;
use std::sync::Arc;

use gortex_core::{Call, CallError, FromCall};
use gortex_engine::engine::{Phase, Progress};

/// Who called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Caller {
    /// A model, through a protocol. It may not widen what the server may touch beyond folders it names.
    #[default]
    Agent,
    /// A person, at the command line.
    Operator,
}

impl FromCall for Caller {
    async fn from_call(call: &Call) -> Result<Self, CallError> {
        Ok(call.get::<Caller>().map(|caller| *caller).unwrap_or_default())
    }
}

/// Where a call's progress is heard.
#[derive(Clone, Default)]
pub struct ProgressSink(Option<Arc<dyn Progress + Send + Sync>>);

impl ProgressSink {
    /// A sink that tells `listener`.
    pub fn new(listener: Arc<dyn Progress + Send + Sync>) -> ProgressSink {
        ProgressSink(Some(listener))
    }
}

impl fmt::Debug for ProgressSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ProgressSink({})", if self.0.is_some() { "heard" } else { "silent" })
    }
}

impl Progress for ProgressSink {
    fn report(&self, phase: Phase, done: u64, total: u64) {
        if let Some(listener) = &self.0 {
            listener.report(phase, done, total);
        }
    }
}

impl FromCall for ProgressSink {
    async fn from_call(call: &Call) -> Result<Self, CallError> {
        Ok(call.get::<ProgressSink>().map(|sink| (*sink).clone()).unwrap_or_default())
    }
}

/// How far a run is, in percent: the phases share the scale, so that the number only rises.
pub fn percent(phase: Phase, done: u64, total: u64) -> u64 {
    match phase {
        Phase::Walk => 1,
        Phase::Parse if total == 0 => 5,
        Phase::Parse => 5 + 80 * done.min(total) / total,
        Phase::Link => 86,
        Phase::Save => 97,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_rises_with_the_work() {
        let run = [
            percent(Phase::Walk, 0, 0),
            percent(Phase::Parse, 0, 10),
            percent(Phase::Parse, 10, 10),
            percent(Phase::Link, 0, 0),
            percent(Phase::Save, 0, 0),
        ];
        assert!(run.is_sorted_by(|a, b| a < b), "{run:?}");
        assert_eq!(percent(Phase::Parse, 7, 0), 5);
        assert_eq!(percent(Phase::Parse, 11, 10), 85);
    }
}
