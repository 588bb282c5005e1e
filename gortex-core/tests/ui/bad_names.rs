use gortex_core::{Answer, Reply, facade};

/// Searches text.
#[facade(domain = "search", op = "Text", effect = "read", legacy = "search-text")]
async fn search_text() -> Answer<Reply> {
    Ok(Reply::text(""))
}

fn main() {}
