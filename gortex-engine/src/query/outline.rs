//! The outline of a repository: languages, entry points, hot spots and the files most others lean on.
//!
//! Everything is counted over the graph in one pass; lists are short and in a defined order.
//!
//! Knows the graph only.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use crate::facts::Kind;
use crate::facts::model::flag;
use crate::facts::pack::file_flag;
use crate::graph::{EdgeKind, Graph, NodeId};
use crate::lang::{Family, Lang, Tier};
use crate::search::rank::{is_aside, is_of_format};

/// A much-used, much-using symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hotspot {
    /// The symbol.
    pub node: NodeId,
    /// Symbols that call or name it.
    pub fan_in: usize,
    /// Symbols that it calls or names.
    pub fan_out: usize,
    /// Uses, twice, and calls and tenths of its lines.
    pub score: usize,
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct Outline {
    /// Files and definitions.
    pub nodes: usize,
    /// Edges.
    pub edges: usize,
    /// Languages with their definitions and files, the largest first.
    pub languages: Vec<(&'static str, usize, usize)>,
    /// Symbols that stand out.
    pub hotspots: Vec<Hotspot>,
    /// Files with the number of files that import or use them.
    pub imported: Vec<(usize, usize)>,
    /// Where running starts; files for scripts.
    pub entries: Vec<NodeId>,
    /// How many entry points there are.
    pub entry_total: usize,
}

/// Outlines the repository of this number, or all of them.
pub fn outline(graph: &Graph, repo: Option<u16>) -> Outline {
    let mut outline = Outline::default();
    let mut languages: BTreeMap<&'static str, (usize, usize)> = BTreeMap::new();
    let mut hotspots: Vec<Hotspot> = Vec::new();
    let mut entries: Vec<(bool, NodeId)> = Vec::new();
    for file in graph.files.iter().filter(|file| repo.is_none_or(|repo| file.repo == repo)) {
        let view = file.facts.view();
        let nodes = file.base..=file.base + view.defs.len() as u32;
        outline.nodes += view.defs.len() + 1;
        outline.edges += nodes.clone().map(|node| graph.out(node).len()).sum::<usize>();
        if let Some(lang) = file.lang {
            let entry = languages.entry(lang.language().name).or_default();
            entry.0 += view.defs.len();
            entry.1 += 1;
        }
        let script = view.header.flags & file_flag::SCRIPT != 0 || file.path.ends_with("__main__.py");
        if script && !graph.is_test(file.base) {
            entries.push((is_aside(&file.path), file.base));
        }
        for node in nodes.skip(1) {
            let Some(def) = graph.def(node) else { continue };
            if graph.is_test(node) {
                continue;
            }
            if is_entry(graph, node) {
                entries.push((is_aside(&file.path), node));
            }
            if def.kind().is_callable() || def.kind().is_type() {
                hotspots.extend(hotspot(graph, node, def.end_line - def.start_line));
            }
        }
    }
    hotspots.sort_by_key(|spot| (Reverse(spot.score), spot.node));
    hotspots.truncate(5);
    outline.hotspots = hotspots;
    outline.languages = languages.into_iter().map(|(name, (defs, files))| (name, defs, files)).collect();
    // Data and documents stand behind program code, however much of them there is.
    let format = |name: &str| Lang::named(name).is_some_and(|lang| lang.language().tier == Tier::Format);
    outline.languages.sort_by_key(|(name, defs, files)| (format(name), Reverse(*defs), Reverse(*files), *name));
    outline.imported = imported(graph, repo);
    entries.sort_unstable();
    outline.entry_total = entries.len();
    outline.entries = entries.into_iter().map(|(_, node)| node).take(10).collect();
    outline
}

/// A function called `main` where the language runs one.
fn is_entry(graph: &Graph, node: NodeId) -> bool {
    let named = graph.name(node) == "main" && matches!(graph.kind(node), Kind::Function | Kind::Method);
    let file = graph.file_of(node);
    named
        && !is_of_format(graph, node)
        && graph.def(node).is_some_and(|def| !def.has(flag::DECLARATION))
        && match file.lang.map(|lang| lang.language().family) {
            Some(Family::Jvm) => graph.def(node).is_some_and(|def| def.has(flag::STATIC)),
            _ => graph.parent(node).is_none_or(|parent| matches!(graph.kind(parent), Kind::File | Kind::Module)),
        }
}

fn hotspot(graph: &Graph, node: NodeId, lines: u32) -> Option<Hotspot> {
    let users: FxHashSet<NodeId> = graph.incoming(node).filter(|edge| is_use(edge.kind())).map(|edge| edge.from).collect();
    let used: FxHashSet<NodeId> = graph.out(node).iter().filter(|edge| is_use(edge.kind())).map(|edge| edge.to).collect();
    let (fan_in, fan_out) = (users.len(), used.len());
    let score = 2 * fan_in + fan_out + lines as usize / 10;
    (fan_in + fan_out > 1).then_some(Hotspot { node, fan_in, fan_out, score })
}

fn is_use(kind: EdgeKind) -> bool {
    kind.is_call() || kind == EdgeKind::References
}

/// Files by the number of other files that import from them or, where there are no imports between files, use them.
fn imported(graph: &Graph, repo: Option<u16>) -> Vec<(usize, usize)> {
    let mut pairs: FxHashSet<(u32, u32)> = FxHashSet::default();
    for edge in graph.edges() {
        // Files of a Go package or a Java package see each other without an import, so uses count as well.
        if matches!(edge.kind(), EdgeKind::Imports | EdgeKind::ReExports) || is_use(edge.kind()) {
            let (from, to) = (graph.file_index(edge.from), graph.file_index(edge.to));
            if from != to {
                pairs.insert((to as u32, from as u32));
            }
        }
    }
    let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
    for (to, _) in pairs {
        *counts.entry(to).or_default() += 1;
    }
    let mut rows: Vec<(usize, usize)> = counts
        .into_iter()
        .map(|(at, count)| (at as usize, count))
        .filter(|(at, _)| repo.is_none_or(|repo| graph.files[*at].repo == repo))
        .collect();
    rows.sort_by_key(|(at, count)| (Reverse(*count), *at));
    rows.truncate(10);
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::build::graph_of;

    #[test]
    fn entries_and_leaned_on_files() {
        let graph = graph_of(&[
            ("a.py", "from b import leaf\n\ndef main():\n    leaf()\n\nif __name__ == '__main__':\n    main()\n"),
            ("b.py", "def leaf():\n    pass\n"),
            ("c.py", "from b import leaf\n\ndef other():\n    leaf()\n"),
            ("tests/test_b.py", "def main():\n    pass\n"),
        ]);
        let outline = outline(&graph, None);
        let entries: Vec<String> = outline.entries.iter().map(|node| graph.id(*node)).collect();
        assert_eq!(entries, ["a.py", "a.py::main"]);
        assert_eq!(graph.files[outline.imported[0].0].path, "b.py");
        assert_eq!(graph.name(outline.hotspots[0].node), "leaf");
        assert_eq!(outline.languages[0].0, "python");
    }

    #[test]
    fn nothing_has_an_outline_too() {
        let outline = outline(&graph_of(&[]), None);
        assert_eq!((outline.nodes, outline.edges, outline.entries.len()), (0, 0, 0));
    }
}
