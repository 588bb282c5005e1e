//! What a session's calls say without a word of theirs: which operation, how it ended, how long it took.

use std::time::Duration;

use gortex_core::{Body, CallOutput, Code, Effect, Registry, SurfaceView, sha256_hex};
use serde_json::Value;

use super::{Telemetry, keys};

/// Watches one session.
#[derive(Debug)]
pub struct Watch {
    telemetry: Telemetry,
    calls: u64,
    useful: bool,
    read: bool,
    wrote: bool,
    verified: bool,
}

impl Watch {
    /// A session begins. `client` is a family out of the known ones.
    pub fn begin(telemetry: Telemetry, client: &str) -> Watch {
        telemetry.count("client", client);
        Watch { telemetry, calls: 0, useful: false, read: false, wrote: false, verified: false }
    }

    /// The session was shown its tools.
    pub fn listed(&self, client: &str, version: &str, list: &Value) {
        let text = list.to_string();
        let count = list.as_array().map_or(0, Vec::len);
        self.telemetry.count("surface_client", client);
        self.telemetry.count("surface_version", version);
        self.telemetry.count("surface_tools", keys::tools(count));
        self.telemetry.count("surface_bytes", keys::bytes(text.len()));
        self.telemetry.count("surface_schema", &sha256_hex(text.as_bytes())[..8]);
    }

    /// A call was answered.
    pub fn answered(&mut self, registry: &Registry, surface: SurfaceView, name: &str, output: &CallOutput, took: Duration) {
        if !self.telemetry.is_on() {
            return;
        }
        self.calls += 1;
        match (surface, registry.facade(name)) {
            (SurfaceView::Compact, Some(facade)) => self.compact(facade.name, output, took),
            _ => {
                let known = !registry.legacy(name).is_empty();
                self.telemetry.count("mcp_tool_call", if known { name } else { "unknown" });
                if name == "tools_search" && known {
                    self.telemetry.count("discovery", "tools_search");
                }
            }
        }
        self.workflow(output);
    }

    fn compact(&self, facade: &str, output: &CallOutput, took: Duration) {
        let told = &output.meta.get("gortex_facade").map(|meta| meta["operation"].clone()).unwrap_or_default();
        let operation = output.operation.map(|operation| operation.name).or_else(|| told.as_str()).unwrap_or("unknown");
        let name = format!("{facade}.{operation}");
        let status = if output.is_error { "error" } else { "ok" };
        self.telemetry.count("mcp_facade_call", &name);
        self.telemetry.count("mcp_facade_status", &format!("{name}.{status}"));
        self.telemetry.count("mcp_facade_outcome", &format!("{name}.{}", outcome(output)));
        self.telemetry.count("mcp_facade_latency", &format!("{name}.{}", keys::time(took.as_micros())));
        if let Some(code) = output.error.as_ref().and_then(gortex_core::CallError::code) {
            self.telemetry.count("mcp_facade_invalid", &format!("{name}.{}", code.as_str()));
        }
        if facade == "capabilities" {
            let schema = output.text().contains("\"input_schema\"");
            self.telemetry.count("discovery", if schema { "capabilities.schema" } else { "capabilities.summary" });
        }
    }

    fn workflow(&mut self, output: &CallOutput) {
        let Some(operation) = output.operation else { return };
        let good = !output.is_error && !is_empty(&output.body);
        if good && !self.useful && operation.effect == Effect::Read {
            self.useful = true;
            self.telemetry.count("workflow_first_result", keys::calls(self.calls));
        }
        if operation.facade == "read" && !self.read {
            self.read = true;
            self.telemetry.count("workflow_direct_read", if good { "ok" } else { "error" });
        }
        match operation.effect {
            Effect::LocalWrite if !output.is_error => (self.wrote, self.verified) = (true, false),
            Effect::Read if operation.facade == "change" && good => self.verified = true,
            _ => {}
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if self.wrote {
            self.telemetry.count("workflow_verified", if self.verified { "yes" } else { "no" });
        }
    }
}

/// How a call ended.
fn outcome(output: &CallOutput) -> &'static str {
    let Some(error) = &output.error else {
        return if is_empty(&output.body) { "empty_result" } else { "success" };
    };
    match error.code() {
        Some(Code::InvalidArgument) => match error.get("reason").and_then(Value::as_str) {
            Some("unavailable") => "unavailable",
            _ if error.get("valid_operations").is_some() => "invalid_operation",
            _ => "invalid_argument",
        },
        Some(Code::ToolBlockedByMode | Code::ToolOutOfPhase) => "blocked",
        Some(Code::InternalError) => "handler_error",
        _ => "tool_error",
    }
}

/// Whether an answer found nothing: every list in it is empty, and there is one.
fn is_empty(body: &Body) -> bool {
    let Body::Json(Value::Object(fields)) = body else { return matches!(body, Body::Text(text) if text.trim().is_empty()) };
    let mut lists = fields.values().filter_map(Value::as_array).peekable();
    lists.peek().is_some() && lists.all(Vec::is_empty)
}
