use gortex_core::{Answer, Reply, facade};

/// Searches text.
#[facade(domain = "search", op = "text", effect = "read")]
async fn search_text(_query: String) -> Answer<Reply> {
    Ok(Reply::text(""))
}

fn main() {}
