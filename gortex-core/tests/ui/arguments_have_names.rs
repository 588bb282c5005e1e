use gortex_core::FacadeArgs;
use schemars::JsonSchema;
use serde::Deserialize;

/// Arguments.
#[derive(Deserialize, JsonSchema, FacadeArgs)]
struct Pair(String, String);

/// Arguments.
#[derive(Deserialize, JsonSchema, FacadeArgs)]
enum Either {
    A,
    B,
}

/// Arguments.
#[derive(Deserialize, JsonSchema, FacadeArgs)]
#[serde(rename_all = "camelCase")]
struct Renamed {
    old_string: String,
}

fn main() {}
