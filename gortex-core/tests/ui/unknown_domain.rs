use gortex_core::{Answer, Reply, facade};

/// Searches text.
#[facade(domain = "serach", op = "text", effect = "read")]
async fn search_text() -> Answer<Reply> {
    Ok(Reply::text(""))
}

fn main() {}
