use gortex_core::{Answer, Reply, facade};

/// Searches text.
#[facade(domain = "search", op = "text", effect = "local_write")]
async fn search_text() -> Answer<Reply> {
    Ok(Reply::text(""))
}

fn main() {}
