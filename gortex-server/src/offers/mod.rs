//! What the protocol has beside tools: resources, prompts and completions.
//!
//! Each of them is a view of operations that exist anyway and goes through the same dispatch; nothing here computes an answer.
//! What an operation of this build does not serve is not offered.
//!
//! Knows the protocol's types and operations by name; no transport and no engine.

pub mod complete;
mod guides;
pub mod prompts;
pub mod resources;

use gortex_core::{CallContext, CallOutput, Registry, SurfaceView, dispatch};
use rmcp::ErrorData;
use serde_json::Value;

/// The road that views take: the registry, and the context of the session that asks.
#[derive(Debug)]
pub struct Asker<'a> {
    registry: &'a Registry,
    context: CallContext,
}

impl<'a> Asker<'a> {
    /// A road for this session. Views speak the compact surface, whatever the session's tools are.
    pub fn new(registry: &'a Registry, context: &CallContext) -> Asker<'a> {
        Asker { registry, context: CallContext { surface: SurfaceView::Compact, ..context.clone() } }
    }

    /// Calls an operation.
    async fn ask(&self, tool: &str, arguments: Value) -> CallOutput {
        dispatch(self.registry, &self.context, tool, arguments).await
    }

    /// Whether this build serves an operation of a tool; a tool without operations is always there.
    fn has(&self, tool: &str, operation: Option<&str>) -> bool {
        operation.is_none_or(|operation| self.registry.operation(tool, operation).is_some())
    }
}

/// The error of a view whose operation failed, with the operation's own words and data.
fn failed(output: &CallOutput) -> ErrorData {
    let message = output.error.as_ref().map_or_else(|| output.text(), |error| error.message().to_owned());
    ErrorData::invalid_params(message, output.error.as_ref().map(gortex_core::CallError::to_value))
}

#[cfg(test)]
mod tests;
