//! Indexing from scratch.

use std::time::Instant;

use gortex_engine::index::build::Reuse;

use super::outcome::{Outcome, accepted, failed, not_tracked, repo_number, within};
use crate::handlers::shared::prelude::*;
use crate::session::ProgressSink;

/// Arguments of `workspace_admin.index`.
#[derive(Deserialize, JsonSchema, FacadeArgs)]
struct IndexRepository {
    /// Absolute path or prefix of a tracked repository.
    path: String,
}

/// Reads and parses a tracked repository again from scratch.
#[facade(domain = "workspace_admin", op = "index", effect = "control_write")]
async fn index_repository(control: ControlWriter, progress: ProgressSink, args: Args<IndexRepository>) -> Answer<Reply> {
    let path = args.into_inner().path;
    let asked = path.clone();
    let work = control.blocking(move |control| {
        let _one = control.exclusive();
        let before = control.server().engine().view();
        repo_number(&before, &path).ok_or_else(|| not_tracked(&before, &path))?;
        let start = Instant::now();
        let view = control.index(Reuse::Nothing, &progress).map_err(failed)?;
        Ok(Outcome::of(&before, &view, start))
    });
    match within(work).await? {
        Some(outcome) => Reply::new(&outcome),
        None => Ok(accepted(&asked)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testing::Fixture;

    #[test]
    fn indexing_reads_every_file_again() {
        let fixture = Fixture::new("//- a.py\ndef f():\n    pass\n//- bad.py\ndef é(:\n");
        for path in [fixture.root.display().to_string(), "repo".to_owned()] {
            let answer = fixture.json("workspace_admin", json!({"operation": "index", "arguments": {"path": path}}));
            assert_eq!((answer["file_count"].as_u64(), answer["parsed"].as_u64()), (Some(2), Some(2)));
            assert_eq!(answer["failed_files"][0]["path"], "bad.py");
        }
    }

    #[test]
    fn a_folder_nobody_tracks_is_not_indexed() {
        let fixture = Fixture::new("//- a.py\nx = 1\n");
        let answer = fixture.json("workspace_admin", json!({"operation": "index", "arguments": {"path": "/no/é"}}));
        assert_eq!(answer["condition"], "repo_not_tracked");
        assert!(answer["track_command"].as_str().is_some_and(|call| call.contains("/no/é")), "{answer}");
    }

    #[cfg(unix)]
    #[test]
    fn case_12_a_link_to_an_ancestor_is_not_followed() {
        let fixture = Fixture::laid(|root| {
            std::fs::write(root.join("main.py"), "def main():\n    pass\n").expect("a file");
            std::os::unix::fs::symlink(".", root.join("self")).expect("a link");
        });
        let answer = fixture.json("workspace_admin", json!({"operation": "index", "arguments": {"path": "repo"}}));
        assert_eq!((answer["file_count"].as_u64(), answer["skipped"].as_u64()), (Some(1), Some(1)));
    }
}
