use gortex_core::{Answer, Reply, facade};

/// Searches text.
#[facade(legacy = "search_text")]
async fn search_text() -> Answer<Reply> {
    Ok(Reply::text(""))
}

fn main() {}
