//! Questions about names from outside: who mentions them, who feels a change of them, which there are.
//!
//! A package answers for everything in it; anything else for itself alone. Nothing is known of what an external does, so a walk
//! starts at its mentions and goes on among definitions of ours.
//!
//! Knows the graph; wording and row shapes are for others.

use super::relations::calls_into;
use super::subgraph::{Lens, Reach, Step, Subgraph, is_call, walk};
use crate::graph::externals::{LIBRARIES, Parts};
use crate::graph::{EdgeKind, ExternalId, ExternalRow, Graph, NodeId};

/// The kind of an external as answers give it: libraries are one kind, every other prefix its own.
pub fn kind_of(id: &str) -> &str {
    match Parts::of(id) {
        Some(parts) if !LIBRARIES.contains(&parts.prefix) => parts.prefix,
        _ => "external",
    }
}

/// The external that a text means, where the text has the form of an id and is no symbol of ours: `Ok` when there is one, `Err`
/// with near ids when there is none.
pub fn resolve<'g>(graph: &'g Graph, text: &str) -> Option<Result<ExternalId, Vec<&'g str>>> {
    let text = text.trim();
    let externals = graph.externals();
    if !externals.is_id(text) || graph.by_id(text).is_some() {
        return None;
    }
    Some(externals.find(text).ok_or_else(|| externals.nearest(text)))
}

/// What is in a package, without the package itself.
pub fn members(graph: &Graph, external: ExternalId) -> Vec<ExternalId> {
    let id = graph.externals().id(external);
    match Parts::of(id) {
        Some(parts) if parts.path.is_empty() => graph.externals().starting(&format!("{id}::")).collect(),
        _ => Vec::new(),
    }
}

/// Mentions of an external, and of everything in it where it is a package, in the order of files and text.
pub fn mentions(graph: &Graph, external: ExternalId) -> Vec<ExternalRow> {
    let all = std::iter::once(external).chain(members(graph, external));
    let mut rows: Vec<ExternalRow> = all.flat_map(|one| graph.externals().mentions(one)).copied().collect();
    rows.sort_by_key(|row| (row.owner, row.line, row.col, row.external, row.role));
    rows
}

/// Definitions of ours that a mention makes a subtype of it.
pub fn subtypes(graph: &Graph, external: ExternalId) -> Vec<ExternalRow> {
    let inherits = |row: &&ExternalRow| matches!(row.kind(), EdgeKind::Extends | EdgeKind::Implements);
    graph.externals().mentions(external).filter(inherits).copied().collect()
}

/// Who relies on the nodes that mention an external, level by level: callers alone, or everything that would feel a change.
pub fn above(graph: &Graph, owners: &[NodeId], lens: &Lens<'_>, reach: Reach, calls_only: bool) -> Subgraph {
    let Some(first) = owners.first().filter(|_| reach.depth > 0) else { return Subgraph::default() };
    walk(graph, *first, owners, lens, reach, |node, steps| {
        calls_into(graph, node, steps);
        if !calls_only {
            steps.extend(graph.incoming(node).filter(|edge| !is_call(graph, edge)).map(|edge| Step::plain(edge, edge.from)));
        }
    })
}

/// Externals that a text finds, best first: by id, by the beginning of an id, by name, by a part of the name.
pub fn search(graph: &Graph, text: &str) -> Vec<ExternalId> {
    let externals = graph.externals();
    let wanted = text.trim().to_lowercase();
    let name = wanted.rsplit("::").next().unwrap_or(&wanted).to_owned();
    let with_prefix = wanted.contains("::");
    let mut found: Vec<(u8, std::cmp::Reverse<usize>, ExternalId)> = (0..externals.len() as u32)
        .filter_map(|at| {
            let id = externals.id(at).to_lowercase();
            let own = Parts::of(&id).map_or("", |parts| parts.name()).to_owned();
            let package = Parts::of(&id).map_or("", |parts| parts.package).to_owned();
            let score = match () {
                () if id == wanted => 0,
                () if id.starts_with(&wanted) => 1,
                () if with_prefix => return None,
                () if own == name => 1,
                () if own.starts_with(&name) || package == wanted => 2,
                () if own.contains(&name) => 3,
                () if id.contains(&wanted) => 4,
                () => return None,
            };
            Some((score, std::cmp::Reverse(externals.count(at)), at))
        })
        .collect();
    found.sort_unstable();
    found.into_iter().map(|(.., at)| at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::build::graph_of;

    #[test]
    fn packages_answer_for_what_is_in_them() {
        let graph = graph_of(&[
            ("a.py", "import requests\n\ndef f():\n    return requests.get('x')\n"),
            ("b.py", "import a\nfrom requests import get\n\ndef g():\n    a.f()\n    get('y')\n"),
        ]);
        let find = |id: &str| graph.externals().find(id).expect("an id");
        let lines = |id: &str| -> Vec<String> {
            let rows = mentions(&graph, find(id));
            rows.iter().map(|row| format!("{}:{}", graph.id(row.owner), row.line)).collect()
        };
        assert_eq!(lines("dep::requests"), ["a.py:1", "a.py::f:4", "b.py:2", "b.py::g:6"]);
        assert_eq!(lines("dep::requests::get"), ["a.py::f:4", "b.py:2", "b.py::g:6"]);
        assert_eq!(resolve(&graph, "dep::request::get"), Some(Err(vec!["dep::requests::get"])));
        assert_eq!(resolve(&graph, "a.py::f"), None);
        let ids: Vec<&str> = search(&graph, "get").into_iter().map(|at| graph.externals().id(at)).collect();
        assert_eq!(ids, ["dep::requests::get"]);
        let owner = graph.by_id("a.py::f").expect("f");
        let reach = Reach { depth: 1, limit: 0, merge: true };
        let found = above(&graph, &[owner], &Lens::OPEN, reach, true);
        assert_eq!(found.nodes.iter().map(|(node, _)| graph.id(*node)).collect::<Vec<_>>(), ["a.py::f", "b.py::g"]);
    }
}
