//! Extractors: the typed parameters of handlers.
//!
//! A parameter's type says what it is made from and, through `NEEDS`, what it may change. `Option<T>` turns a capability
//! the operation does not grant into `None`, so one handler serves operations of several effects. `Args<T>` is the
//! argument struct, decoded leniently by its own schema.
//!
//! Knows no capability: hosts define theirs, with private constructors.

mod coerce;
mod json;
mod schema;

pub(crate) use coerce::{Mismatch, coerce, type_name};
pub use json::Json;
pub(crate) use schema::{public_schema, schema_of};

use std::future::Future;
use std::ops::Deref;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::call::Call;
use crate::effect::Effect;
use crate::error::CallError;
use crate::operation::{ArgsInfo, FieldSpec, Operation};

/// A parameter of a handler.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be made from a call",
    label = "a handler's parameter is `Args<..>`, `State<..>` or a capability",
    note = "implement `gortex_core::FromCall`, or take the value as a field of the argument struct"
)]
pub trait FromCall: Sized + Send {
    /// What the parameter lets the handler change. The compiler refuses a handler whose operation does not grant it.
    const NEEDS: Option<Effect> = None;
    /// What the parameter may let the handler change when the operation grants it; set by `Option<T>`.
    const USES: Option<Effect> = None;
    /// The argument struct, for the one parameter that is one.
    const ARGS: Option<ArgsInfo> = None;

    /// Makes the parameter from the call.
    fn from_call(call: &Call) -> impl Future<Output = Result<Self, CallError>> + Send;
}

/// `None` unless the operation being served grants what `T` needs.
impl<T: FromCall> FromCall for Option<T> {
    const USES: Option<Effect> = T::NEEDS;
    const ARGS: Option<ArgsInfo> = T::ARGS;

    async fn from_call(call: &Call) -> Result<Self, CallError> {
        if call.effect().permits(T::NEEDS) { T::from_call(call).await.map(Some) } else { Ok(None) }
    }
}

/// An argument struct; implemented by `#[derive(FacadeArgs)]`.
pub trait FacadeArgs: DeserializeOwned + JsonSchema + Send + 'static {
    /// The fields and their places in the public request.
    const FIELDS: &'static [FieldSpec];
}

/// The arguments of a call.
#[derive(Clone, Debug)]
pub struct Args<T>(pub T);

impl<T> Args<T> {
    /// The argument struct.
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl<T> Deref for Args<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: FacadeArgs> FromCall for Args<T> {
    const ARGS: Option<ArgsInfo> = Some(ArgsInfo { fields: T::FIELDS, schema: schema_of::<T> });

    async fn from_call(call: &Call) -> Result<Self, CallError> {
        decode(call).map(Args)
    }
}

/// A value of the host, out of the call's extensions.
#[derive(Debug)]
pub struct State<T>(pub Arc<T>);

impl<T> Deref for State<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Send + Sync + 'static> FromCall for State<T> {
    async fn from_call(call: &Call) -> Result<Self, CallError> {
        call.get::<T>()
            .map(State)
            .ok_or_else(|| CallError::internal(format!("the host provides no `{}`", std::any::type_name::<T>())))
    }
}

/// The operation being served.
impl FromCall for &'static Operation {
    async fn from_call(call: &Call) -> Result<Self, CallError> {
        Ok(call.operation())
    }
}

/// Decodes the arguments: coerced by schema, then deserialised.
fn decode<T: FacadeArgs>(call: &Call) -> Result<T, CallError> {
    let schema = call.entry.schema();
    let arguments = coerced(call, schema)?;
    match serde_json::from_value(Value::Object(arguments.clone())) {
        Ok(decoded) => Ok(decoded),
        Err(error) => Err(blame::<T>(call, &arguments, schema, &error)),
    }
}

/// The declared arguments with their types as declared; `null` is absent.
fn coerced(call: &Call, schema: &Value) -> Result<Map<String, Value>, CallError> {
    let mut out = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        let Some(value) = call.arguments.get(name).filter(|value| !value.is_null()) else { continue };
        let value = coerce(value, property).map_err(|mismatch| mismatch.into_error(&call.name_of(name)))?;
        out.insert(name.clone(), value);
    }
    for name in schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
        if !out.contains_key(name) {
            let public = call.name_of(name);
            return Err(CallError::invalid(format!("{public} is required")).data("field", public));
        }
    }
    Ok(out)
}

/// Finds the field that a type's own decoding refused: the one without which the complaint changes.
fn blame<T: FacadeArgs>(call: &Call, arguments: &Map<String, Value>, schema: &Value, error: &serde_json::Error) -> CallError {
    let sentence = error.to_string();
    for (name, value) in arguments {
        let mut without = arguments.clone();
        without.shift_remove(name);
        let again = serde_json::from_value::<T>(Value::Object(without)).err().map(|error| error.to_string());
        if again.as_deref() != Some(&sentence) {
            let expected = schema.pointer(&format!("/properties/{name}")).map(type_name);
            return Mismatch {
                path: String::new(),
                received: value.clone(),
                expected: expected.unwrap_or_default(),
                valid_values: None,
                reason: Some(sentence),
            }
            .into_error(&call.name_of(name));
        }
    }
    CallError::invalid(sentence)
}
