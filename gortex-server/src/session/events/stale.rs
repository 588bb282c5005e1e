//! What a new view means for a file that a session has looked at or changed.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use gortex_engine::graph::{FileEntry, Graph};
use serde_json::{Value, json};

use crate::session::Touched;

/// Symbols listed of one file.
const SYMBOLS: usize = 100;

/// What moved in a file; `None` when it is as it was, or is in neither view.
pub(super) fn moved(before: &Graph, after: &Graph, file: &Touched) -> Option<Value> {
    let old = before.file(&file.path)?;
    let new = after.file(&file.path);
    if new.is_some_and(|new| same_content(old, new)) {
        return None;
    }
    let (had, has) = (symbols(before, old), new.map(|new| symbols(after, new)).unwrap_or_default());
    let removed: Vec<&String> = had.keys().filter(|id| !has.contains_key(*id)).take(SYMBOLS).collect();
    let changed: Vec<&String> = had
        .iter()
        .filter(|(id, signature)| has.get(*id).is_some_and(|now| now != *signature))
        .map(|(id, _)| id)
        .take(SYMBOLS)
        .collect();
    Some(json!({
        "path": file.path,
        "viewed_file": file.viewed,
        "modified_file": file.modified,
        "removed_symbols": removed,
        "changed_signatures": changed,
        "generation": after.generation,
    }))
}

/// Whether two views of a file are of the same bytes.
fn same_content(old: &FileEntry, new: &FileEntry) -> bool {
    old.size == new.size && old.hash == new.hash
}

/// Ids of the definitions of a file with their signatures.
fn symbols<'g>(graph: &'g Graph, file: &'g FileEntry) -> BTreeMap<String, &'g str> {
    let view = file.facts.view();
    let defs = view.defs.iter().enumerate();
    defs.map(|(at, def)| (graph.id(file.base + 1 + at as u32), view.str(def.signature))).collect()
}

/// The payload with the file's address.
pub(super) fn with_uri(mut payload: Value, place: Option<&Path>) -> Value {
    if let Some(place) = place {
        payload["uri"] = uri(&place.to_string_lossy()).into();
    }
    payload
}

/// The address of an absolute path: what may not stand in one is written in hexadecimal.
fn uri(path: &str) -> String {
    path.bytes().fold("file://".to_owned(), |mut out, byte| {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Fixture;

    #[test]
    fn removed_symbols_and_changed_signatures_are_told_apart_from_moved_lines() {
        let fixture = Fixture::new("//- a.py\ndef f(x):\n    pass\n\ndef é(y):\n    pass\n//- b.py\nz = 1\n");
        let before = fixture.server.engine().view();
        std::fs::write(fixture.root.join("a.py"), "# more\ndef f(x, y):\n    pass\n").expect("a file");
        let after = fixture.server.engine().fresh(true);
        let file = |path: &str| Touched { path: path.to_owned(), viewed: true, modified: false };
        let told = moved(&before.graph, &after.graph, &file("a.py")).expect("moved");
        assert_eq!(told["removed_symbols"], json!(["a.py::é"]));
        assert_eq!(told["changed_signatures"], json!(["a.py::f"]));
        assert_eq!(moved(&before.graph, &after.graph, &file("b.py")), None);
        assert_eq!(moved(&before.graph, &after.graph, &file("c.py")), None);
    }

    #[test]
    fn an_address_has_no_odd_signs() {
        assert_eq!(uri("/a b/é.py"), "file:///a%20b/%C3%A9.py");
    }
}
