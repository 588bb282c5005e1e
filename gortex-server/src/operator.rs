//! Calls of a person at the command line, answered by this process or by the daemon, and the same bytes either way.
//!
//! An operator's call waits for the first index as long as that takes, then has the usual bounds.

use gortex_core::{Body, CallError, Code, Extensions, UnknownOptions};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::session::{Caller, ProgressSink, Served};
use crate::surface::Policy;
use crate::transport::bounds::{Bounded, GivenUp};

/// A call given as an order.
#[derive(Debug, Serialize, Deserialize)]
pub struct CallOrder {
    /// The tool.
    pub tool: String,
    /// Whether the legacy surface is meant.
    pub legacy: bool,
    /// Its arguments.
    pub arguments: Value,
}

/// The answer to it.
#[derive(Debug, Serialize, Deserialize)]
pub struct CallAnswer {
    /// The answer's text.
    pub text: String,
    /// Whether it is JSON.
    pub json: bool,
    /// Whether the tool refused.
    pub is_error: bool,
    /// The operation, where it changes something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<String>,
}

/// What to do with arguments that a legacy tool does not have, by the word of the environment.
pub fn unknown_options(word: Option<&str>) -> UnknownOptions {
    match word {
        Some("reject") => UnknownOptions::Reject,
        Some("0") => UnknownOptions::Ignore,
        _ => UnknownOptions::Report,
    }
}

/// Which surface a call is for: it is chosen for this call alone.
pub fn policy(order: &CallOrder, unknown_options: UnknownOptions) -> Policy {
    let surface = if order.legacy { "full" } else { "compact" };
    Policy { forwarded: Some(surface.to_owned()), unknown_options, ..Policy::default() }
}

impl CallAnswer {
    /// An answer as it is told to whoever prints it.
    pub fn of(served: Served) -> CallAnswer {
        let operation = served.output.operation.filter(|operation| operation.effect.is_mutating());
        CallAnswer {
            json: served.output.written.is_none() && matches!(served.output.body, Body::Json(_)),
            is_error: served.output.is_error,
            changes: operation.map(|operation| format!("{} is a {} operation", operation.id(), operation.effect)),
            text: served.text,
        }
    }
}

/// The answer to an operator's call, with or without a daemon: the index first, however long it takes, then the call.
pub async fn answer(
    bounded: Bounded<'_>,
    order: &CallOrder,
    progress: ProgressSink,
    give_up: impl Future<Output = GivenUp>,
) -> Served {
    let mut give_up = std::pin::pin!(give_up);
    // One call is all there will be: what it says of the index should be of the whole one.
    if order.tool != "capabilities" {
        tokio::select! {
            () = bounded.road.server.settled() => {}
            _ = &mut give_up => {
                return Served::refused(CallError::new(Code::Cancelled, "the call was given up while the index was being built"));
            }
        }
    }
    let request = Extensions::new().with(Caller::Operator).with(progress);
    bounded.run(request, &order.tool, order.arguments.clone(), give_up).await
}
