//! One call, as extractors see it.
//!
//! A call carries the operation being served, its lowered arguments, and two maps of the host's own values keyed by
//! type: one shared by the process, one of this request. The framework puts nothing into them and reads nothing there.
//!
//! Knows nothing of the public request it came from.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::effect::Effect;
use crate::gcx::Layout;
use crate::operation::Operation;
use crate::policy::{Gate, Mode};
use crate::registry::Entry;
use crate::shape::{Budget, Format};

/// Values of the host, one of each type.
#[derive(Clone, Default)]
pub struct Extensions(HashMap<TypeId, Arc<dyn Any + Send + Sync>>);

impl Extensions {
    /// An empty map.
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts a value in, replacing one of the same type.
    pub fn insert<T: Any + Send + Sync>(&mut self, value: T) {
        self.insert_arc(Arc::new(value));
    }

    /// Puts a shared value in, replacing one of the same type.
    pub fn insert_arc<T: Any + Send + Sync>(&mut self, value: Arc<T>) {
        self.0.insert(TypeId::of::<T>(), value);
    }

    /// The same map with one more value.
    pub fn with<T: Any + Send + Sync>(mut self, value: T) -> Self {
        self.insert(value);
        self
    }

    /// The value of this type.
    pub fn get<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        self.0.get(&TypeId::of::<T>()).and_then(|value| Arc::clone(value).downcast().ok())
    }
}

impl fmt::Debug for Extensions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Extensions({})", self.0.len())
    }
}

/// Which names a session sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum SurfaceView {
    /// The public tools only.
    #[default]
    Compact,
    /// The fine-grained tools only.
    Legacy,
}

/// What to do with arguments that a legacy tool does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum UnknownOptions {
    /// Run, and say so in `_ignored_options`.
    #[default]
    Report,
    /// Refuse the call.
    Reject,
    /// Run, and say nothing.
    Ignore,
}

/// What the host knows about the caller of one request.
#[derive(Clone, Debug, Default)]
pub struct CallContext {
    /// Which names the session sees.
    pub surface: SurfaceView,
    /// Whether writes are allowed.
    pub mode: Mode,
    /// What happens to unknown arguments of legacy tools.
    pub unknown_options: UnknownOptions,
    /// What else must let a call through.
    pub gate: Option<Arc<dyn Gate>>,
    /// The form of answers when the call does not ask for one.
    pub format: Format,
    /// How answers become tables in the compact format.
    pub layouts: &'static [Layout],
    /// The process's values.
    pub shared: Arc<Extensions>,
    /// This request's values: session, progress sink, cancellation.
    pub request: Arc<Extensions>,
}

impl CallContext {
    /// A context of the compact surface over the process's values.
    pub fn compact(shared: Arc<Extensions>) -> Self {
        Self { shared, ..Self::default() }
    }

    /// A context of the legacy surface over the process's values.
    pub fn legacy(shared: Arc<Extensions>) -> Self {
        Self { surface: SurfaceView::Legacy, shared, ..Self::default() }
    }

    /// The same context with this request's values.
    pub fn with_request(mut self, request: Extensions) -> Self {
        self.request = Arc::new(request);
        self
    }

    /// The value of this type, this request's before the process's.
    pub fn get<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        self.request.get().or_else(|| self.shared.get())
    }
}

/// One call on its way into a handler.
#[derive(Debug)]
pub struct Call {
    pub(crate) entry: Arc<Entry>,
    pub(crate) arguments: Map<String, Value>,
    pub(crate) context: CallContext,
    /// Whether errors name arguments by their public place or by their legacy name.
    pub(crate) public_names: bool,
    pub(crate) budget: Budget,
}

impl Call {
    /// The operation being served.
    pub fn operation(&self) -> &'static Operation {
        self.entry.operation
    }

    /// The effect the operation grants.
    pub fn effect(&self) -> Effect {
        self.entry.operation.effect
    }

    /// The lowered arguments: legacy names, fixed ones included.
    pub fn arguments(&self) -> &Map<String, Value> {
        &self.arguments
    }

    /// The value of this type, this request's before the process's.
    pub fn get<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        self.context.get()
    }

    /// The caller's context.
    pub fn context(&self) -> &CallContext {
        &self.context
    }

    /// How many bytes the answer may have; `None` when the caller opted out.
    pub fn budget(&self) -> Option<usize> {
        self.budget.bytes
    }

    /// What an error calls this argument: `target.symbol` on the compact surface, `id` on the legacy one.
    pub fn name_of(&self, field: &str) -> String {
        if self.public_names { self.entry.public_name(field) } else { field.to_owned() }
    }
}
