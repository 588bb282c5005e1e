use gortex_core::{Answer, Call, CallError, Effect, FromCall, Reply, facade};

struct FileWriter;

impl FromCall for FileWriter {
    const NEEDS: Option<Effect> = Some(Effect::LocalWrite);

    async fn from_call(_: &Call) -> Result<Self, CallError> {
        Ok(Self)
    }
}

/// Searches text.
#[facade(domain = "search", op = "text", effect = "read")]
async fn search_text(_files: FileWriter) -> Answer<Reply> {
    Ok(Reply::text(""))
}

fn main() {}
