use gortex_core::{Answer, Reply, facade};

/// Searches text.
#[facade(effect = "read", legacy_only(rationale = "old"))]
async fn search_text() -> Answer<Reply> {
    Ok(Reply::text(""))
}

/// Searches more text.
#[facade(domain = "search", op = "text", effect = "read", legacy_only(rationale = "old", removal = "2.0"))]
async fn search_more_text() -> Answer<Reply> {
    Ok(Reply::text(""))
}

fn main() {}
