//! Round trip, precedence and staleness, over files on disk and graphs in memory.

use std::path::Path;

use super::{Applied, Evidence, Imported, apply, export, read, write};
use crate::graph::{EdgeKind, Graph, Tier};
use crate::index::build::graph_of;

const CODE: &[(&str, &str)] = &[
    (
        "app/store.py",
        "class Store:\n    def save(self):\n        return 1\n\n\nclass Other:\n    def save(self):\n        return 2\n",
    ),
    ("app/use.py", "from app.store import Store\n\n\ndef run(known: Store, unknown):\n    known.save()\n    unknown.save()\n"),
];

fn on_disk(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (path, text) in files {
        let full = folder.path().join(path);
        std::fs::create_dir_all(full.parent().expect("a parent")).expect("folders");
        std::fs::write(full, text).expect("a file");
    }
    folder
}

fn index(change: impl FnOnce(&Graph, &mut scip::types::Index)) -> Vec<u8> {
    let graph = graph_of(CODE);
    let mut index = export(&graph, 0, Path::new("/repo"));
    change(&graph, &mut index);
    let mut bytes = Vec::new();
    write(&index, &mut bytes).expect("bytes");
    bytes
}

fn imported(root: &Path, bytes: &[u8]) -> (Evidence, Imported) {
    let path = root.join("index.scip");
    std::fs::write(&path, bytes).expect("an index");
    read(&path, root, str::to_owned).expect("evidence")
}

/// Tier and target of each call in line `line` of the second file.
fn calls(graph: &Graph, line: u32) -> Vec<(Tier, String)> {
    let rows = graph.edges().iter().filter(|edge| edge.kind() == EdgeKind::Calls && edge.line == line);
    let rows = rows.filter(|edge| graph.file_of(edge.from).path == "app/use.py");
    rows.map(|edge| (edge.tier(), graph.id(edge.to))).collect()
}

/// Says that the call in line 6 means a method, as a compiler with more knowledge would.
fn knows_line_six(graph: &Graph, index: &mut scip::types::Index, id: &str) {
    let symbol = super::symbols::symbol(graph, graph.by_id(id).expect("a method"));
    let document = index.documents.iter_mut().find(|one| one.relative_path == "app/use.py").expect("the document");
    document.occurrences.push(scip::types::Occurrence { range: vec![5, 12, 16], symbol, ..scip::types::Occurrence::default() });
}

#[test]
fn our_own_export_says_what_we_know_and_nothing_else() {
    let folder = on_disk(CODE);
    let (evidence, imported) = imported(folder.path(), &index(|_, _| {}));
    assert_eq!((imported.documents, imported.stale, imported.missing), (2, 0, 0));
    let mut graph = graph_of(CODE);
    let (before, unbound) = (graph.edges().len(), graph.unbound().len());
    let applied = apply(&mut graph, &evidence);
    assert_eq!((applied.added, applied.removed, applied.contradicted, applied.stale), (0, 0, 0, 0));
    assert!(applied.raised > 0);
    assert_eq!((graph.edges().len(), graph.unbound().len()), (before, unbound));
    assert_eq!(calls(&graph, 5), [(Tier::LspResolved, "app/store.py::Store.save".to_owned())]);
    // A second time nothing is left to say, and the rows stay as they are.
    let edges = graph.edges().to_vec();
    assert_eq!(apply(&mut graph, &evidence).raised, 0);
    assert_eq!(graph.edges(), edges);
}

#[test]
fn the_same_graph_gives_the_same_bytes() {
    assert_eq!(index(|_, _| {}), index(|_, _| {}));
}

#[test]
fn symbols_can_be_read_by_the_grammar_of_symbols() {
    let graph = graph_of(CODE);
    for node in 0..graph.node_count() {
        let symbol = super::symbols::symbol(&graph, node);
        let parsed = scip::symbol::parse_symbol(&symbol).expect(&symbol);
        assert_eq!(parsed.scheme, "gortex");
        assert!(
            graph.def(node).is_none() || parsed.descriptors.last().is_some_and(|last| last.name == graph.name(node)),
            "{symbol}"
        );
    }
}

#[test]
fn a_mention_that_had_no_edge_gets_the_compilers() {
    let folder = on_disk(CODE);
    let bytes = index(|graph, index| knows_line_six(graph, index, "app/store.py::Other.save"));
    let (evidence, _) = imported(folder.path(), &bytes);
    let mut graph = graph_of(CODE);
    assert_eq!(calls(&graph, 6), []);
    let unbound = graph.unbound().len();
    assert_eq!(apply(&mut graph, &evidence).added, 1);
    assert_eq!(calls(&graph, 6), [(Tier::LspResolved, "app/store.py::Other.save".to_owned())]);
    assert_eq!(graph.unbound().len(), unbound - 1);
    let target = graph.by_id("app/store.py::Other.save").expect("the method");
    assert_eq!(graph.incoming(target).filter(|edge| edge.kind() == EdgeKind::Calls).count(), 1);
}

#[test]
fn a_contradicted_edge_goes_when_it_was_inferred_and_stays_when_it_was_resolved() {
    let folder = on_disk(CODE);
    let contradict = |line: i32| {
        index(|graph, index| {
            let other = super::symbols::symbol(graph, graph.by_id("app/store.py::Other").expect("the class"));
            let document = index.documents.iter_mut().find(|one| one.relative_path == "app/use.py").expect("the document");
            for one in document.occurrences.iter_mut().filter(|one| one.range[0] == line && one.symbol.contains("save")) {
                one.symbol.clone_from(&other);
            }
        })
    };
    let (evidence, _) = imported(folder.path(), &contradict(4));
    let mut graph = graph_of(CODE);
    let applied = apply(&mut graph, &evidence);
    assert_eq!((applied.contradicted, applied.removed), (1, 0));
    assert_eq!(calls(&graph, 5), [(Tier::AstResolved, "app/store.py::Store.save".to_owned())]);

    let mut weaker = graph_of(CODE);
    let rows = weaker.edges().to_vec();
    let weak = |mut edge: crate::graph::EdgeRow| {
        if edge.kind() == EdgeKind::Calls {
            edge.tier = Tier::AstInferred as u8;
        }
        edge
    };
    weaker.edges = rows.into_iter().map(weak).collect::<Vec<_>>().into();
    let applied = apply(&mut weaker, &evidence);
    assert_eq!((applied.contradicted, applied.removed), (0, 1));
    assert_eq!(calls(&weaker, 5), []);
}

#[test]
fn evidence_about_other_content_is_counted_and_ignored() {
    let folder = on_disk(CODE);
    let bytes = index(|graph, index| knows_line_six(graph, index, "app/store.py::Other.save"));
    // Changed before the import: the definitions do not stand where the index says.
    std::fs::write(folder.path().join("app/store.py"), format!("import os\n\n{}", CODE[0].1)).expect("a change");
    let (evidence, found) = imported(folder.path(), &bytes);
    assert_eq!((found.documents, found.stale), (1, 1));
    let mut graph = graph_of(CODE);
    assert_eq!(apply(&mut graph, &evidence).added, 0);

    // Changed after the import: the hash tells.
    std::fs::write(folder.path().join("app/store.py"), CODE[0].1).expect("the old text");
    let (evidence, found) = imported(folder.path(), &bytes);
    assert_eq!((found.documents, found.stale), (2, 0));
    let changed = CODE[1].1.replace("unknown.save()", "unknown.save() ");
    let mut graph = graph_of(&[CODE[0], ("app/use.py", &changed)]);
    let applied = apply(&mut graph, &evidence);
    assert_eq!((applied.files, applied.stale, applied.added), (1, 1, 0));
    assert_eq!(calls(&graph, 5), [(Tier::AstResolved, "app/store.py::Store.save".to_owned())]);
}

#[test]
fn a_document_without_a_file_and_a_path_that_leaves_are_counted() {
    let folder = on_disk(&CODE[..1]);
    let bytes = index(|_, index| {
        index
            .documents
            .push(scip::types::Document { relative_path: "../outside.py".to_owned(), ..scip::types::Document::default() });
    });
    let (evidence, found) = imported(folder.path(), &bytes);
    assert_eq!((found.documents, found.missing), (1, 2));
    let mut graph = graph_of(CODE);
    assert_eq!(apply(&mut graph, &evidence), Applied { files: 1, raised: found.mentions, ..Applied::default() });
}

#[test]
fn columns_in_utf16_are_read_as_bytes() {
    let code = "def f():\n    x = \"é\"; g()\n\n\ndef g():\n    pass\n";
    let folder = on_disk(&[("a.py", code)]);
    let graph = graph_of(&[("a.py", code)]);
    let mut index = export(&graph, 0, folder.path());
    let document = &mut index.documents[0];
    document.position_encoding = scip::types::PositionEncoding::UTF16CodeUnitOffsetFromLineStart.into();
    for one in document.occurrences.iter_mut().filter(|one| one.range[0] == 1) {
        one.range[1] -= 1;
        one.range[2] -= 1;
    }
    let mut bytes = Vec::new();
    write(&index, &mut bytes).expect("bytes");
    let (evidence, _) = imported(folder.path(), &bytes);
    let mut graph = graph;
    assert_eq!(apply(&mut graph, &evidence).raised, 1);
}

#[test]
fn what_is_no_index_is_refused() {
    let folder = on_disk(&[("a.scip", "\u{7f}\u{7f}nothing of the kind")]);
    assert!(read(&folder.path().join("a.scip"), folder.path(), str::to_owned).is_err());
    assert!(read(&folder.path().join("none.scip"), folder.path(), str::to_owned).is_err());
}

#[test]
fn names_from_outside_are_external_symbols() {
    let text = "import requests\n\n\nclass A(requests.Session):\n    def run(self):\n        return requests.get('x')\n";
    let index = export(&graph_of(&[("a.py", text)]), 0, Path::new("/repo"));
    let symbols: Vec<&str> = index.external_symbols.iter().map(|one| one.symbol.as_str()).collect();
    assert_eq!(symbols, ["gortex dep requests . requests/", "gortex dep requests . Session#", "gortex dep requests . get()."]);
    let of_get = index.documents[0].occurrences.iter().filter(|one| one.symbol == symbols[2]);
    assert_eq!(of_get.map(|one| one.range.clone()).collect::<Vec<_>>(), [vec![5, 24, 27]]);
    assert!(symbols.iter().all(|symbol| scip::symbol::parse_symbol(symbol).is_ok()));
}
