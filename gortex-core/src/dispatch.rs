//! The one road: surface check, policy, envelope, extractors, handler, shaping, metadata.
//!
//! Public and legacy calls join at the handler's arguments; from there on nothing knows which it was, but for the names
//! that errors use. A panic of a handler is an error of that call.
//!
//! Knows nothing of transports: a name and a JSON value in, a body and `_meta` out.

mod legacy;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt as _;
use serde_json::{Map, Value, json};

use crate::call::{Call, CallContext, SurfaceView};
use crate::capabilities;
use crate::envelope::{self, Lowered};
use crate::error::{CallError, Code};
use crate::facade::{Discriminator, FacadeSpec};
use crate::operation::{Fixed, Operation};
use crate::policy;
use crate::registry::{Entry, Registry};
use crate::reply::{Body, Reply};
use crate::shape::{self, Controls, Shaped, Wire};

/// What a call gives back.
#[derive(Clone, Debug)]
pub struct CallOutput {
    /// What the answer says.
    pub body: Body,
    /// Its text, where that is neither plain text nor JSON.
    pub written: Option<String>,
    /// Whether the call failed.
    pub is_error: bool,
    /// The answer's `_meta`.
    pub meta: Map<String, Value>,
    /// The operation that was served or refused late, for telemetry.
    pub operation: Option<&'static Operation>,
    /// The error, for telemetry.
    pub error: Option<CallError>,
}

impl CallOutput {
    /// The answer's one text block.
    pub fn text(&self) -> String {
        self.written.clone().unwrap_or_else(|| self.body.to_text())
    }

    /// A refusal.
    pub fn refused(error: CallError) -> Self {
        let body = error.as_plain().map_or_else(|| Body::Json(error.to_value()), |text| Body::Text(text.to_owned()));
        Self { body, written: None, is_error: !error.is_recoverable(), meta: Map::new(), operation: None, error: Some(error) }
    }
}

/// Serves one call.
pub async fn dispatch(registry: &Registry, context: &CallContext, name: &str, arguments: Value) -> CallOutput {
    let arguments = match arguments {
        Value::Null => Map::new(),
        Value::Object(arguments) => arguments,
        other => {
            let error = CallError::invalid(format!("the arguments of `{name}` must be an object"))
                .data("field", "arguments")
                .data("received_type", envelope::json_type(&other));
            return CallOutput::refused(error);
        }
    };
    let facade = registry.facade(name);
    let public = match context.surface {
        SurfaceView::Compact => true,
        SurfaceView::Legacy => facade.is_some() && !registry.legacy(name).is_empty() && legacy::looks_public(&arguments),
    };
    let served = match (public, facade) {
        (true, Some(spec)) => serve_public(registry, context, spec, arguments).await,
        (true, None) => Err(hidden_on_compact(name)),
        (false, _) => legacy::serve(registry, context, name, arguments).await,
    };
    served.unwrap_or_else(CallOutput::refused)
}

/// Serves a call of a public tool.
async fn serve_public(
    registry: &Registry,
    context: &CallContext,
    spec: &'static FacadeSpec,
    arguments: Map<String, Value>,
) -> Result<CallOutput, CallError> {
    check_mode(context, spec.name, spec.effect, true)?;
    if spec.discriminator == Discriminator::Catalogue {
        return serve_catalogue(registry, spec, arguments);
    }
    let request = envelope::open(spec, arguments);
    let entry = envelope::resolve(registry, spec, &request)?;
    let lowered = envelope::lower(registry, spec, &entry, &request);
    let output = match lowered {
        Ok(lowered) => run(Arc::clone(&entry), context, lowered, true).await,
        Err(error) => CallOutput::refused(error),
    };
    Ok(with_meta(registry, &entry, output))
}

/// Answers `capabilities`, shaped like any other answer.
fn serve_catalogue(
    registry: &Registry,
    spec: &'static FacadeSpec,
    arguments: Map<String, Value>,
) -> Result<CallOutput, CallError> {
    let mut flat = arguments;
    for container in ["arguments", "options", "output"] {
        let inner = match flat.shift_remove(container) {
            Some(Value::String(text)) => serde_json::from_str(&text).unwrap_or(Value::Null),
            Some(value) => value,
            None => Value::Null,
        };
        if let Value::Object(inner) = inner {
            for (key, value) in inner {
                flat.entry(key).or_insert(value);
            }
        }
    }
    let reply = capabilities::answer(registry, &flat)?;
    let controls = Controls::take(&mut flat, |_| false)?;
    let asked = match (flat.get("domain"), flat.get("operation")) {
        (None | Some(Value::Null), _) => "list",
        (_, None | Some(Value::Null)) => "domain",
        _ => "operation",
    };
    let request = flat.into_iter().filter(|(key, _)| !shape::is_paging(key)).collect();
    // What schemas say is JSON; another form must be asked for.
    let wire = Wire { format: controls.format.unwrap_or_default(), tool: spec.name, ..Wire::default() };
    let shaped = shape::shape(&controls, &wire, spec.name, &request, reply)?;
    let mut meta = shaped.meta;
    meta.insert("gortex_facade".into(), facade_meta(registry, spec.name, asked, spec.name));
    Ok(CallOutput { body: shaped.body, written: shaped.written, is_error: false, meta, operation: None, error: None })
}

/// Refuses what the session's mode or its gate does not allow.
fn check_mode(context: &CallContext, name: &str, effect: crate::effect::Effect, public: bool) -> Result<(), CallError> {
    if policy::permits(context.mode, effect) {
        return context.gate.as_ref().map_or(Ok(()), |gate| gate.admit(name, effect, public));
    }
    Err(CallError::new(
        Code::ToolBlockedByMode,
        format!("`{name}` has effect `{effect}`, which {} mode does not allow", context.mode.as_str()),
    )
    .data("tool", name)
    .data("mode", context.mode.as_str())
    .data("recovery", context.mode.recovery()))
}

/// The refusal of a name that a compact session does not have.
fn hidden_on_compact(name: &str) -> CallError {
    CallError::new(
        Code::ToolBlockedByMode,
        format!("`{name}` is not a tool of this session; `capabilities` lists what can be called"),
    )
    .data("tool", name)
    .data("recovery_tool", "capabilities")
}

/// Extracts, runs and shapes: the part of the road that public and legacy calls share.
async fn run(entry: Arc<Entry>, context: &CallContext, lowered: Lowered, public_names: bool) -> CallOutput {
    match run_inner(&entry, context, lowered, public_names).await {
        Ok(Shaped { body, written, meta }) => {
            CallOutput { body, written, is_error: false, meta, operation: Some(entry.operation), error: None }
        }
        Err(error) => CallOutput { operation: Some(entry.operation), ..CallOutput::refused(error) },
    }
}

/// The answer of a successful call.
async fn run_inner(entry: &Arc<Entry>, context: &CallContext, lowered: Lowered, public_names: bool) -> Result<Shaped, CallError> {
    let Lowered { mut arguments, mut rest } = lowered;
    let mut all = arguments.clone();
    for (key, value) in &rest {
        all.entry(key.as_str()).or_insert_with(|| value.clone());
    }
    let controls = Controls::take(&mut all, |name| entry.declares(name))?;
    if !controls.own_format {
        arguments.shift_remove("format");
    }
    rest.retain(|key, _| !shape::is_control(key));
    let id = entry.operation.id();
    let call = Call {
        entry: Arc::clone(entry),
        arguments: arguments.clone(),
        context: context.clone(),
        public_names,
        budget: controls.budget,
    };
    let running = (entry.operation.run)(Arc::new(call));
    let reply: Reply = match AssertUnwindSafe(running).catch_unwind().await {
        Ok(answer) => answer?,
        Err(panic) => return Err(panicked(&id, panic.as_ref())),
    };
    let request = arguments.into_iter().filter(|(key, _)| !shape::is_paging(key)).collect();
    let format = controls.format.unwrap_or(context.format);
    // The kinds of one tool answer in different forms, so each has a name of its own there.
    let kind = match entry.operation.fixed_value("kind") {
        Some(Fixed::Str(kind)) => Some(format!("{}.{kind}", entry.operation.legacy)),
        _ => None,
    };
    let tool = kind.as_deref().unwrap_or(entry.operation.legacy);
    let wire = Wire { format, tool, layouts: context.layouts, bound: None };
    shape::shape(&controls, &wire, &id, &request, reply)
}

/// The error of a handler that panicked: its own words, without a backtrace.
fn panicked(id: &str, panic: &(dyn std::any::Any + Send)) -> CallError {
    let words = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    CallError::internal(format!("`{id}` stopped unexpectedly: {}", words.unwrap_or("no reason given")))
}

/// Adds which operation was served.
fn with_meta(registry: &Registry, entry: &Entry, mut output: CallOutput) -> CallOutput {
    let operation = entry.operation;
    output.operation = Some(operation);
    let meta = facade_meta(registry, operation.facade, operation.name, operation.legacy);
    output.meta.insert("gortex_facade".into(), meta);
    output
}

/// What `_meta.gortex_facade` says.
fn facade_meta(registry: &Registry, facade: &str, operation: &str, canonical: &str) -> Value {
    json!({
        "surface_version": registry.surface().version,
        "facade": facade,
        "operation": operation,
        "canonical_tool": canonical,
    })
}
