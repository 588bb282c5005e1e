use gortex_core::{Answer, Reply, facade};

/// Searches text.
#[facade(domain = "search", domain = "read", opp = "text", effect = "read", hidden = true)]
async fn search_text() -> Answer<Reply> {
    Ok(Reply::text(""))
}

fn main() {}
