//! How current an answer is: told with every answer, and checked for the files that it names.
//!
//! The engine's events may lose one; the files of an answer are few, so their sizes and times are compared after the fact. What
//! differs is taken in by the next question.
//!
//! Knows the keys under which answers name files, and nothing else of what they say.

use std::collections::BTreeSet;
use std::sync::Arc;

use gortex_core::{Body, CallOutput, Effect};
use serde_json::Value;

use crate::state::Server;

/// Files of one answer that are compared.
const FILES: usize = 64;
/// What is answered where something asked for is not known.
const UNKNOWN: [&str; 2] = ["symbol_not_found", "file_not_indexed"];
/// Keys whose text is a path.
const KEYS: [&str; 3] = ["file_path", "path", "file"];

/// Whether a reading answer names files that are not as the view has them.
pub(crate) fn names_stale_files(server: &Server, output: &CallOutput) -> bool {
    if output.is_error || output.operation.is_none_or(|operation| operation.effect != Effect::Read) {
        return false;
    }
    let Body::Json(body) = &output.body else { return false };
    let mut paths = BTreeSet::new();
    collect(body, &mut paths);
    let view = server.engine().view();
    !paths.is_empty() && !server.engine().stale(&view, paths).is_empty()
}

/// Whether a call named what the view does not know. Where changes are looked for now and then, the disk may know by now.
pub(crate) fn knows_nothing(output: &CallOutput) -> bool {
    let Body::Json(body) = &output.body else { return false };
    output.error.is_some() && body["condition"].as_str().is_some_and(|condition| UNKNOWN.contains(&condition))
}

/// Looks at the disk at once; true when there was something new.
pub(crate) async fn look_again(server: &Arc<Server>) -> bool {
    let server = Arc::clone(server);
    let look = move || {
        let before = server.engine().view().graph.generation;
        server.engine().fresh(true).graph.generation != before
    };
    tokio::task::spawn_blocking(look).await.unwrap_or(false)
}

fn collect<'v>(value: &'v Value, into: &mut BTreeSet<&'v str>) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                match value {
                    Value::String(text) if KEYS.contains(&key.as_str()) && into.len() < FILES => {
                        into.insert(text);
                    }
                    other => collect(other, into),
                }
            }
        }
        Value::Array(list) => list.iter().for_each(|value| collect(value, into)),
        _ => {}
    }
}

/// Says in `_meta` which generation answered and whether it lags behind.
pub(crate) fn tell(server: &Server, output: &mut CallOutput) {
    if let Ok(value) = serde_json::to_value(server.engine().freshness()) {
        output.meta.insert("gortex_index".to_owned(), value);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::testing::Fixture;

    // A file changed behind the server's back, and the answer showed what it had been.
    #[test]
    fn a_file_that_changed_unseen_is_noticed_by_the_answer_that_names_it() {
        let fixture = Fixture::new("//- a.py\ndef f():\n    pass\n//- é.py\ndef g():\n    pass\n");
        let ask = |name: &str| fixture.call("search", json!({"operation": "symbols", "query": name}));
        let old = ask("g");
        assert!(!names_stale_files(&fixture.server, &old), "{}", old.text());
        std::fs::write(fixture.root.join("é.py"), "# more\ndef g():\n    pass\n").expect("a file");
        assert!(names_stale_files(&fixture.server, &old));
        let new = ask("g");
        assert!(!names_stale_files(&fixture.server, &new), "{}", new.text());
    }

    // The watcher of a server that has just started may not be there yet, and the last look a moment ago.
    #[test]
    fn what_is_not_known_is_looked_for_on_disk() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let fixture = Fixture::new("//- a.py\ndef f():\n    pass\n");
        let ask = || fixture.call("relations", json!({"operation": "callers", "target": {"symbol": "a.py::neu"}}));
        assert!(knows_nothing(&ask()));
        assert!(!runtime.block_on(look_again(&fixture.server)));
        std::fs::write(fixture.root.join("a.py"), "def f():\n    pass\n\ndef neu():\n    pass\n").expect("a file");
        assert!(runtime.block_on(look_again(&fixture.server)));
        assert!(!knows_nothing(&ask()), "{}", ask().text());
    }

    #[test]
    fn an_answer_says_how_current_it_is() {
        let fixture = Fixture::new("//- a.py\ndef f():\n    pass\n");
        let mut output = fixture.call("search", json!({"operation": "symbols", "query": "f"}));
        tell(&fixture.server, &mut output);
        let told = &output.meta["gortex_index"];
        assert_eq!((&told["complete"], &told["catching_up"]), (&json!(true), &json!(false)));
        assert_eq!((&told["noticed_by"], &told["pending"]), (&json!("looking"), &json!(0)));
    }
}
