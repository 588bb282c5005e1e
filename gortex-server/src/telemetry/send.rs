//! Sending whole days to an endpoint that the user set; without one nothing ever leaves.
//!
//! A day is sent once, after it ended. A refusal or a network that is down costs nothing: the day is tried again later, for
//! as long as it is kept.

use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::rollup::{self, Day, SENT};

/// How long one day may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// Days that are kept and sent late.
const KEPT_DAYS: usize = 31;

/// Where counts go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint(reqwest::Url);

/// Why a day was not sent.
#[derive(Debug, thiserror::Error)]
pub enum SendError {
    /// The text is no address that can be posted to.
    #[error("`GORTEX_TELEMETRY_ENDPOINT` must be an https address (or http on this machine), it is `{0}`")]
    Address(String),
    /// The network or the other side refused.
    #[error("the day {day} was not taken: {reason}")]
    Refused {
        /// The day.
        day: String,
        /// The other side's status, or the network's words.
        reason: String,
    },
    /// The mark of what was sent could not be written.
    #[error("could not note what was sent: {0}")]
    Mark(#[from] std::io::Error),
}

/// The last day that was sent.
#[derive(Debug, Default, Deserialize, Serialize)]
struct Sent {
    last: String,
}

/// What one request carries: counts and the version of the program, no identifier of anybody.
#[derive(Serialize)]
struct Message<'d> {
    schema: u32,
    version: &'static str,
    #[serde(flatten)]
    day: &'d Day,
}

impl Endpoint {
    /// The endpoint of this environment; `None` where none is set.
    pub fn from_env(var: impl Fn(&str) -> Option<String>) -> Result<Option<Endpoint>, SendError> {
        let Some(text) = var("GORTEX_TELEMETRY_ENDPOINT").filter(|text| !text.trim().is_empty()) else { return Ok(None) };
        let wrong = || SendError::Address(text.clone());
        let url: reqwest::Url = text.trim().parse().map_err(|_| wrong())?;
        let local = matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
        if url.scheme() == "https" || url.scheme() == "http" && local { Ok(Some(Endpoint(url))) } else { Err(wrong()) }
    }

    /// Sends the days that ended and were not sent, oldest first; how many were taken.
    pub async fn send(&self, folder: &Path) -> Result<usize, SendError> {
        let today = rollup::today();
        let last = std::fs::read(folder.join(SENT)).ok().and_then(|bytes| serde_json::from_slice::<Sent>(&bytes).ok());
        let last = last.unwrap_or_default().last;
        let all = rollup::days(folder);
        let due: Vec<&Day> = all.iter().rev().take(KEPT_DAYS).rev().filter(|day| day.day < today && day.day > last).collect();
        if due.is_empty() {
            return Ok(0);
        }
        let refused = |day: &Day, reason: String| SendError::Refused { day: day.day.clone(), reason };
        let client = client().map_err(|reason| refused(due[0], reason))?;
        for day in &due {
            let message = Message { schema: 1, version: env!("CARGO_PKG_VERSION"), day };
            let body = serde_json::to_vec(&message).map_err(|error| refused(day, error.to_string()))?;
            let request = client.post(self.0.clone()).header("content-type", "application/json").body(body);
            // The address may carry a key of the user's; it stays out of messages.
            let answer = request.send().await.map_err(|error| refused(day, error.without_url().to_string()))?;
            if !answer.status().is_success() {
                return Err(refused(day, answer.status().to_string()));
            }
            rollup::replace(&folder.join(SENT), &serde_json::to_vec(&Sent { last: day.day.clone() }).unwrap_or_default())?;
        }
        Ok(due.len())
    }
}

fn client() -> Result<reqwest::Client, String> {
    // A second installation finds the first one in place, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let built = reqwest::Client::builder().timeout(PATIENCE).redirect(reqwest::redirect::Policy::none()).no_proxy().build();
    built.map_err(|error| error.to_string())
}
