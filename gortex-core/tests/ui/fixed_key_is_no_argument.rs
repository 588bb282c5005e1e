use gortex_core::{Answer, Args, FacadeArgs, Reply, facade};
use schemars::JsonSchema;
use serde::Deserialize;

/// Arguments.
#[derive(Deserialize, JsonSchema, FacadeArgs)]
struct SearchText {
    query: String,
}

/// Searches text.
#[facade(domain = "search", op = "text", effect = "read", fixed(query = "x", assist = "off"))]
async fn search_text(args: Args<SearchText>) -> Answer<Reply> {
    Ok(Reply::text(args.query.clone()))
}

fn main() {}
