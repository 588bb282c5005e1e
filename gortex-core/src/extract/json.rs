//! An argument that is any JSON object or list.
//!
//! Hosts and legacy callers send such a value as itself or as text; `Json` takes both.

use std::borrow::Cow;
use std::ops::Deref;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de};
use serde_json::Value;

/// A JSON object or list whose form the schema leaves open.
#[derive(Clone, Debug, PartialEq)]
pub struct Json(pub Value);

impl Deref for Json {
    type Target = Value;

    fn deref(&self) -> &Value {
        &self.0
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(text) => serde_json::from_str(&text).map(Self).map_err(de::Error::custom),
            value => Ok(Self(value)),
        }
    }
}

impl JsonSchema for Json {
    fn schema_name() -> Cow<'static, str> {
        "Json".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["object", "array"] })
    }
}
