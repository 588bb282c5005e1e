use gortex_core::{Answer, Reply, facade};

/// Searches text.
#[facade(domain = "search", op = "text", effect = "read", fixed(assist, deep = 1.5, deep = [1], wide = true, wide = false))]
async fn search_text() -> Answer<Reply> {
    Ok(Reply::text(""))
}

fn main() {}
