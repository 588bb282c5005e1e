//! Anonymous counters, off unless somebody turned them on.
//!
//! What may be counted is one closed list ([`keys::KEYS`]); a dimension is a word of a bounded kind and never a name, path,
//! query or text of the user's. Counts go into one file a day on this machine; they leave it only where an endpoint is set.
//! While consent is missing nothing is kept in memory and nothing is written.
//!
//! Knows the names of the registry and the codes of errors; no argument and no answer.

mod consent;
mod keys;
mod observe;
mod rollup;
mod send;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

pub use consent::{Consent, Source};
pub use keys::{Dimension, KEYS, KeySpec, files as file_bucket};
pub use observe::Watch;
pub use rollup::{Day, Rollup, days};
pub use send::{Endpoint, SendError};

/// How long an answer about consent is believed by a running process.
const CONSENT_CACHE: Duration = Duration::from_secs(15);
/// How often counts are written down.
const TEND: Duration = Duration::from_mins(5);
/// How many distinct counters one process keeps before it writes them down.
const FLUSH_AT: usize = 256;

/// The recorder of one process; a clone is the same recorder.
#[derive(Clone, Default)]
pub struct Telemetry(Option<Arc<Inner>>);

struct Inner {
    folder: PathBuf,
    environment: consent::Environment,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    pending: Rollup,
    asked: Option<(Instant, bool)>,
}

impl std::fmt::Debug for Telemetry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Telemetry({})", if self.0.is_some() { "by consent" } else { "never" })
    }
}

impl Telemetry {
    /// A recorder over a folder; whether it records is asked anew now and then.
    pub fn open(folder: PathBuf, var: impl Fn(&str) -> Option<String>) -> Telemetry {
        let environment = consent::Environment::read(var);
        Telemetry(Some(Arc::new(Inner { folder, environment, state: Mutex::default() })))
    }

    /// Whether counters are kept at the moment.
    pub fn is_on(&self) -> bool {
        self.0.as_ref().is_some_and(|inner| inner.is_on(&mut inner.state.lock()))
    }

    /// Counts one event. A key outside the list counts nothing; a dimension outside its kind counts under the bare key.
    pub fn count(&self, key: &str, dimension: &str) {
        let Some(inner) = &self.0 else { return };
        let mut state = inner.state.lock();
        if !inner.is_on(&mut state) {
            return;
        }
        let Some(name) = keys::counter(key, dimension) else { return };
        state.pending.add(rollup::today(), name, 1);
        if state.pending.len() >= FLUSH_AT {
            inner.write(&mut state);
        }
    }

    /// Writes down what was counted since the last time.
    pub fn flush(&self) {
        let Some(inner) = &self.0 else { return };
        let mut state = inner.state.lock();
        if inner.is_on(&mut state) {
            inner.write(&mut state);
        } else {
            state.pending = Rollup::default();
        }
    }

    /// The folder of rollups and consent.
    pub fn folder(&self) -> Option<&Path> {
        self.0.as_ref().map(|inner| inner.folder.as_path())
    }
}

/// Writes counts down now and then, and sends the days that ended where an endpoint is set, for as long as the process lives.
/// Must be called on the runtime.
pub fn tend(telemetry: Telemetry, var: impl Fn(&str) -> Option<String>) {
    let endpoint = Endpoint::from_env(var).unwrap_or_else(|error| {
        tracing::warn!("{error}");
        None
    });
    tokio::spawn(async move {
        let mut clock = tokio::time::interval(TEND);
        loop {
            clock.tick().await;
            telemetry.flush();
            let (Some(endpoint), Some(folder), true) = (&endpoint, telemetry.folder(), telemetry.is_on()) else { continue };
            if let Err(error) = endpoint.send(folder).await {
                tracing::debug!(%error, "counts stay here until later");
            }
        }
    });
}

impl Inner {
    fn is_on(&self, state: &mut State) -> bool {
        match state.asked {
            Some((at, answer)) if at.elapsed() < CONSENT_CACHE => answer,
            _ => {
                let answer = consent::resolve(&self.environment, &self.folder).enabled;
                state.asked = Some((Instant::now(), answer));
                answer
            }
        }
    }

    fn write(&self, state: &mut State) {
        let pending = std::mem::take(&mut state.pending);
        if let Err(error) = pending.merge_into(&self.folder) {
            // Counters are worth less than a quiet log.
            tracing::debug!(%error, "counters were not written");
        }
    }
}

#[cfg(test)]
mod tests;
