use gortex_core::FacadeArgs;
use schemars::JsonSchema;
use serde::Deserialize;

/// Arguments.
#[derive(Deserialize, JsonSchema, FacadeArgs)]
struct Query {
    #[at(target = "path")]
    a: String,
    #[at(target)]
    b: String,
    #[at(opts)]
    c: String,
    #[at()]
    d: String,
    #[at(top = 3)]
    e: String,
}

fn main() {}
