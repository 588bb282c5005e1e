use gortex_core::{Answer, Args, FacadeArgs, Reply, facade};
use schemars::JsonSchema;
use serde::Deserialize;

/// Arguments.
#[derive(Deserialize, JsonSchema, FacadeArgs)]
struct Query {
    #[allow(dead_code)]
    query: String,
}

/// Searches text.
#[facade(domain = "search", op = "text", effect = "read")]
async fn search_text(_a: Args<Query>, _b: Args<Query>) -> Answer<Reply> {
    Ok(Reply::text(""))
}

fn main() {}
