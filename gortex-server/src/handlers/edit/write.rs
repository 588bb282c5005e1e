//! `edit.write`: a whole file, new or in the place of the old one.

use gortex_engine::edit::{Content, Edit, Roots, Want};
use gortex_engine::vcs::{PathState, Repo};

use super::room::{self, GuardArgs};
use crate::handlers::shared::prelude::*;

/// Arguments of `edit.write`.
#[derive(Debug, Deserialize, JsonSchema, FacadeArgs)]
pub(crate) struct WriteFile {
    /// The file: relative to the repository, or absolute inside it. Folders are made.
    #[at(target = "file")]
    path: String,
    /// The whole text; may be empty.
    #[at(top)]
    content: String,
    #[serde(flatten)]
    guard: GuardArgs,
}

/// Creates a file or replaces its whole content.
#[facade(domain = "edit", op = "write", effect = "local_write")]
async fn write_file(files: FileWriter, args: Args<WriteFile>) -> Answer<Value> {
    let args = args.into_inner();
    files
        .blocking(move |files| {
            let mut edit = Edit::new(args.path, Content::Whole(args.content.into_bytes()));
            args.guard.guard(&mut edit)?;
            let unguarded = edit.base_sha.is_none() && has_uncommitted_work(&room::roots(files)?, &edit.path);
            let (outcome, mut answer) = room::run(files, &edit, args.guard.dry_run)?;
            if unguarded && outcome.status != gortex_engine::edit::Status::Unchanged {
                let warning = format!(
                    "`{}` had changes that are not committed and no `guard.base_sha` was given; they are {}",
                    outcome.path,
                    if args.guard.dry_run { "about to be replaced" } else { "replaced" }
                );
                answer.insert("warnings".to_owned(), json!([warning]));
            }
            Ok(Value::Object(answer))
        })
        .await
}

/// Whether a tracked file differs from the last commit. Line ends alone, which a checkout may convert, count for nothing.
fn has_uncommitted_work(roots: &Roots, path: &str) -> bool {
    let Ok(target) = roots.resolve(path, Want::File) else { return false };
    let (Ok(bytes), Some(folder)) = (std::fs::read(&target.abs), target.abs.parent()) else { return false };
    let Ok(repo) = Repo::discover(folder) else { return false };
    let Some(name) = target.abs.file_name().and_then(|name| name.to_str()) else { return false };
    let rel = format!("{}{name}", repo.prefix);
    if repo.path_state(&rel) != PathState::Tracked {
        return false;
    }
    let without_cr = |bytes: &[u8]| -> Vec<u8> { bytes.iter().copied().filter(|byte| *byte != b'\r').collect() };
    match repo.blob("HEAD", &rel) {
        Ok(Some(committed)) => without_cr(&committed) != without_cr(&bytes),
        // Added to the index and never committed: all of it is work.
        Ok(None) | Err(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::Fixture;
    use serde_json::json;

    #[test]
    fn a_new_file_is_created_and_indexed() {
        let fixture = Fixture::new("//- a.py\nx = 1\n");
        let answer = fixture.json("edit", json!({"target": {"file": "new/größe.py"}, "content": "def f():\n    pass\n"}));
        assert_eq!((&answer["status"], &answer["reindexed"]), (&json!("created"), &json!(true)));
        let again = fixture.json("edit", json!({"target": {"file": "new/größe.py"}, "content": "def f():\n    pass\n"}));
        assert_eq!(again["status"], "unchanged");
        assert!(answer.get("warnings").is_none());
    }

    #[test]
    fn an_ignored_file_is_written_and_said_not_to_be_indexed() {
        let fixture = Fixture::new("//- .gitignore\nout/\n//- a.py\nx = 1\n");
        let answer = fixture.json("edit", json!({"target": {"file": "out/a.py"}, "content": ""}));
        assert_eq!((&answer["indexed"], &answer["graph_status"]), (&json!(false), &json!("fresh")));
    }

    #[test]
    fn a_file_below_a_file_names_the_one_in_the_way() {
        let fixture = Fixture::new("//- src/a.py\nx = 1\n");
        for path in ["src/a.py/b.py", "src/a.py/c/b.py"] {
            let error = fixture.error("edit", json!({"target": {"file": path}, "content": ""}));
            assert_eq!((&error["error_code"], &error["data"]["parent"]), (&json!("invalid_argument"), &json!("src/a.py")));
        }
    }

    #[test]
    fn a_guard_on_a_missing_file_is_stale() {
        let fixture = Fixture::new("//- a.py\nx = 1\n");
        let write = json!({"target": {"file": "b.py"}, "content": "", "guard": {"base_sha": "0000"}});
        assert_eq!(fixture.error("edit", write)["error_code"], "stale_base");
        assert!(!fixture.root.join("b.py").exists());
    }
}
