//! Who said that counters may be kept.
//!
//! Strongest first: `DO_NOT_TRACK`, `GORTEX_TELEMETRY`, the choice kept in `consent.json`, off. A value that nobody can read
//! is a no.

use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// The file of the choice, inside the telemetry folder.
pub(super) const FILE: &str = "consent.json";

/// What decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// `DO_NOT_TRACK` is set.
    DoNotTrack,
    /// `GORTEX_TELEMETRY` says so.
    Environment,
    /// The user's choice on this machine.
    Choice,
    /// Nobody said anything.
    Default,
}

/// Whether counters are kept, and who decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Consent {
    /// The decision.
    pub enabled: bool,
    /// Who made it.
    pub source: Source,
}

/// The words of the environment that matter, read once: they can't change for a running process.
#[derive(Clone, Debug, Default)]
pub(super) struct Environment {
    do_not_track: bool,
    asked: Option<bool>,
}

impl Environment {
    pub(super) fn read(var: impl Fn(&str) -> Option<String>) -> Environment {
        let word = |name: &str| var(name).map(|value| value.trim().to_lowercase()).filter(|value| !value.is_empty());
        Environment {
            do_not_track: word("DO_NOT_TRACK").is_some_and(|value| !is_no(&value)),
            asked: word("GORTEX_TELEMETRY").map(|value| matches!(value.as_str(), "1" | "true" | "on" | "yes")),
        }
    }
}

fn is_no(value: &str) -> bool {
    matches!(value, "0" | "false" | "off" | "no")
}

/// The kept choice.
#[derive(Clone, Debug, Deserialize, Serialize)]
struct Choice {
    enabled: bool,
    /// `cli` or `installer`.
    source: String,
    /// Seconds since 1970, UTC.
    updated_at: u64,
}

/// Decides for this environment and folder.
pub(super) fn resolve(environment: &Environment, folder: &Path) -> Consent {
    if environment.do_not_track {
        return Consent { enabled: false, source: Source::DoNotTrack };
    }
    if let Some(enabled) = environment.asked {
        return Consent { enabled, source: Source::Environment };
    }
    match std::fs::read(folder.join(FILE)) {
        Ok(bytes) => {
            let enabled = serde_json::from_slice::<Choice>(&bytes).is_ok_and(|choice| choice.enabled);
            Consent { enabled, source: Source::Choice }
        }
        Err(_) => Consent { enabled: false, source: Source::Default },
    }
}

impl Consent {
    /// What holds for this environment.
    pub fn of(folder: &Path, var: impl Fn(&str) -> Option<String>) -> Consent {
        resolve(&Environment::read(var), folder)
    }

    /// Keeps a choice. Turning off deletes what was counted and the mark of the last sending.
    pub fn keep(folder: &Path, enabled: bool, source: &str) -> io::Result<()> {
        std::fs::create_dir_all(folder)?;
        let choice = Choice { enabled, source: source.to_owned(), updated_at: super::rollup::now() };
        super::rollup::replace(&folder.join(FILE), &serde_json::to_vec(&choice)?)?;
        if enabled { Ok(()) } else { super::rollup::delete_all(folder) }
    }
}
