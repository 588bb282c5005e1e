//! Effect-safe compact tool surfaces over fine-grained handlers.
//!
//! A server built on this crate writes async functions and marks them with `#[facade(..)]`. The crate collects them,
//! proves that none changes more than its public tool may, checks the whole table at boot, lowers public requests into
//! each handler's own arguments, shapes the answers, and describes itself through `capabilities`.
//!
//! Knows nothing of code intelligence and nothing of a transport: it takes a name and a JSON value and gives back one.

// The macros write `::gortex_core::..`; inside this crate that name must mean the crate itself.
extern crate self as gortex_core;

pub mod call;
mod canonical;
pub mod capabilities;
pub mod dispatch;
pub mod effect;
pub mod envelope;
pub mod error;
pub mod extract;
pub mod facade;
pub mod gcx;
pub mod operation;
mod place;
pub mod policy;
pub mod registry;
pub mod reply;
pub mod shape;
#[cfg(test)]
mod testing;
pub mod validate;

pub use call::{Call, CallContext, Extensions, SurfaceView, UnknownOptions};
pub use dispatch::{CallOutput, dispatch};
pub use effect::Effect;
pub use error::{CallError, Code, Recoverable};
pub use extract::{Args, FacadeArgs, FromCall, Json, State};
pub use facade::{Container, FACADE_V1, FacadeSpec, ToolDef, legacy_definitions, tool_definitions};
pub use gortex_macros::{FacadeArgs, facade};
/// Re-exported so that handler crates need not depend on it.
pub use inventory;
pub use operation::{At, FieldSpec, Fixed, LegacyOnly, Operation, Running};
pub use policy::{Gate, Mode};
pub use registry::{Registry, Surface};
pub use reply::{Answer, Body, IntoReply, Reply};
pub use shape::Format;
pub use validate::{BootFailure, Violation};
