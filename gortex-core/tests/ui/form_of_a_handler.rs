use gortex_core::{Answer, Reply, facade};

#[facade(domain = "search", op = "text", effect = "read")]
fn search_text<T>() -> Answer<Reply> {
    Ok(Reply::text(""))
}

struct Search;

impl Search {
    /// Searches text.
    #[facade(domain = "search", op = "files", effect = "read")]
    async fn find_files(&self) -> Answer<Reply> {
        Ok(Reply::text(""))
    }
}

fn main() {}
