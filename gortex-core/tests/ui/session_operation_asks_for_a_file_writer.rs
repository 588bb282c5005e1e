use gortex_core::{Answer, Call, CallError, Effect, FromCall, Reply, facade};

struct FileWriter;

impl FromCall for FileWriter {
    const NEEDS: Option<Effect> = Some(Effect::LocalWrite);

    async fn from_call(_: &Call) -> Result<Self, CallError> {
        Ok(Self)
    }
}

/// Folds a branch.
#[facade(domain = "overlay", op = "merge", effect = "session_write")]
async fn overlay_merge(_files: FileWriter) -> Answer<Reply> {
    Ok(Reply::text(""))
}

fn main() {}
