//! Loose ends by name: mentions that were never bound, found without a walk over all of them.
//!
//! A loose end with a symbol's name is no relation, but it is why an empty answer may be wrong. It counts only where the
//! language lets that mention mean that symbol.
//!
//! Knows rows and kinds; what is told of them is for others.

use super::subgraph::{Link, is_call};
use crate::facts::model::{Kind, Role};
use crate::graph::{EdgeKind, EdgeRow, Graph, NodeId, Tier, Unbound, UnboundRow};
use crate::lang::Family;

/// Confidence of a row that rests on the name alone, in percent.
const NAME_ONLY: u8 = 20;

/// Row numbers of [`Graph::unbound`] by name.
#[derive(Debug, Default)]
pub struct LooseIndex {
    starts: Vec<u32>,
    rows: Vec<u32>,
}

impl LooseIndex {
    /// Indexes the loose ends of a graph.
    pub fn build(graph: &Graph) -> LooseIndex {
        let mut starts = vec![0u32; graph.names().len() + 1];
        for row in graph.unbound() {
            if let Some(count) = starts.get_mut(row.name as usize + 1) {
                *count += 1;
            }
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut rows = vec![0u32; starts.last().copied().unwrap_or_default() as usize];
        for (number, row) in graph.unbound().iter().enumerate() {
            let Some(slot) = next.get_mut(row.name as usize) else { continue };
            if let Some(place) = rows.get_mut(*slot as usize) {
                *place = number as u32;
                *slot += 1;
            }
        }
        LooseIndex { starts, rows }
    }

    /// The loose ends with this name, by owner.
    pub fn named<'g>(&'g self, graph: &'g Graph, name: &str) -> impl Iterator<Item = &'g UnboundRow> + 'g {
        let range = graph.names().find(name).and_then(|at| self.starts.get(at as usize..at as usize + 2));
        let range = range.map_or(0..0, |range| range[0] as usize..range[1] as usize);
        self.rows.get(range).unwrap_or(&[]).iter().filter_map(|row| graph.unbound().get(*row as usize))
    }
}

/// The name by which a symbol is called: a constructor by that of its type.
pub fn called_as(graph: &Graph, node: NodeId) -> &str {
    let own = graph.name(node);
    let constructs = graph.kind(node) == Kind::Constructor || own == "__init__";
    match graph.parent(node).filter(|_| constructs) {
        Some(ty) => graph.name(ty),
        None => own,
    }
}

/// Loose ends that may mean this symbol, in the order of files and text. `calls` asks for call sites only.
pub fn candidates(graph: &Graph, index: &LooseIndex, target: NodeId, calls: bool) -> Vec<UnboundRow> {
    if graph.def(target).is_none() {
        return Vec::new();
    }
    let fits = |row: &&UnboundRow| (!calls || is_calling(row.role())) && may_mean(graph, row, target);
    index.named(graph, called_as(graph, target)).filter(fits).copied().collect()
}

fn is_calling(role: Role) -> bool {
    matches!(role, Role::Call | Role::Instantiate | Role::Render)
}

/// Whether the language lets a loose end mean this symbol.
pub fn may_mean(graph: &Graph, row: &UnboundRow, target: NodeId) -> bool {
    let family = |node: NodeId| graph.file_of(node).lang.map(|lang| lang.language().family);
    if family(row.owner) != family(target) {
        return false;
    }
    let kind = graph.kind(target);
    if is_calling(row.role())
        && !(kind.is_callable()
            || kind.is_type()
            || matches!(kind, Kind::Variable | Kind::Constant | Kind::Field | Kind::Property))
    {
        return false;
    }
    let member = graph.parent(target).is_some_and(|owner| graph.kind(owner).is_type()) && kind != Kind::Constructor;
    match row.reason() {
        Unbound::External | Unbound::Builtin => false,
        Unbound::Dynamic | Unbound::Ambiguous => true,
        // A bare name reaches a member only where the receiver may be left out.
        Unbound::NoDefinition => !member || matches!(family(target), Some(Family::Jvm | Family::C)),
        Unbound::NoMember => member,
        // `x.f()` is never a free function, unless `x` may be a module.
        Unbound::UnknownReceiver => member || matches!(family(target), Some(Family::Python | Family::Script)),
    }
}

/// The row that a name-only candidate makes.
pub fn as_link(graph: &Graph, row: &UnboundRow, target: NodeId) -> Link {
    let data = matches!(graph.kind(target), Kind::Field | Kind::Property | Kind::Constant | Kind::Variable | Kind::EnumMember);
    let edge = EdgeRow {
        from: row.owner,
        to: target,
        line: row.line,
        col: row.col,
        kind: EdgeKind::of_role(row.role(), data) as u8,
        role: row.role,
        tier: Tier::TextMatched as u8,
        confidence: NAME_ONLY,
        usage: 0,
        flags: 0,
    };
    Link { edge, depth: 1, speculative: false, count: 1 }
}

/// A call inside a symbol that was not bound to a definition of this project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LooseCall {
    /// The row.
    pub row: UnboundRow,
    /// Whether it leaves the project for sure: no definition here has the name, or it belongs to a library.
    pub outside: bool,
}

/// The calls inside some nodes that have no edge, in the order of the nodes and of their text. What is part of a language
/// is left out.
pub fn loose_calls(graph: &Graph, nodes: &[NodeId]) -> Vec<LooseCall> {
    let mut found = Vec::new();
    for node in nodes {
        for row in graph.unbound_of(*node).iter().filter(|row| is_calling(row.role())) {
            let outside = match row.reason() {
                Unbound::Builtin => continue,
                Unbound::External => true,
                Unbound::Dynamic | Unbound::Ambiguous => false,
                // What nothing here is called by can only be elsewhere.
                Unbound::UnknownReceiver | Unbound::NoMember | Unbound::NoDefinition => !callable_exists(graph, row),
            };
            // The call of a value that was found is told as that value's own.
            let held = |edge: &EdgeRow| edge.line == row.line && edge.col == row.col && is_call(graph, edge);
            if !graph.out(*node).iter().any(held) {
                found.push(LooseCall { row: *row, outside });
            }
        }
    }
    found
}

fn callable_exists(graph: &Graph, row: &UnboundRow) -> bool {
    let family = |node: NodeId| graph.file_of(node).lang.map(|lang| lang.language().family);
    let callable = |kind: Kind| {
        kind.is_callable() || kind.is_type() || matches!(kind, Kind::Field | Kind::Property | Kind::Variable | Kind::Constant)
    };
    let own = family(row.owner);
    graph.names().nodes(row.name).iter().any(|node| callable(graph.kind(*node)) && family(*node) == own)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::build::graph_of;

    fn check(files: &[(&str, &str)], target: &str, expected: &[(&str, u32)]) {
        let graph = graph_of(files);
        let index = LooseIndex::build(&graph);
        let node = graph.by_id(target).expect("the target");
        let found = candidates(&graph, &index, node, true);
        let found: Vec<(&str, u32)> = found.iter().map(|row| (graph.name(row.owner), row.line)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn an_unknown_receiver_may_be_the_class() {
        let text = "class Größe:\n    def save(self):\n        return 1\n\ndef f(x):\n    x.save()\n";
        check(&[("a.py", text)], "a.py::Größe.save", &[("f", 6)]);
    }

    #[test]
    fn a_bare_name_is_no_member() {
        let text = "export class Poem { describe() { return 1; } }\n";
        check(&[("a.ts", text), ("b.ts", "describe(1);\n")], "a.ts::Poem.describe", &[]);
    }

    #[test]
    fn another_language_does_not_count() {
        let text = "class A:\n    def save(self):\n        return 1\n";
        check(&[("a.py", text), ("b.js", "function f(x) { x.save(); }\n")], "a.py::A.save", &[]);
    }

    #[test]
    fn a_parameter_of_a_function_type_is_no_library() {
        let text = "export function make({ notify }: { notify: (to: string) => string }) {\n  return () => notify(\"a\");\n}\n";
        let graph = graph_of(&[("a.ts", text)]);
        let node = graph.by_id("a.ts::make").expect("make");
        let calls = loose_calls(&graph, &[node]);
        assert_eq!(calls.iter().map(|call| (call.row.reason(), call.outside)).collect::<Vec<_>>(), [(Unbound::Dynamic, false)]);
    }

    #[test]
    fn a_name_nobody_defines_is_outside() {
        let graph = graph_of(&[("a.py", "def f(x, g):\n    print(x)\n    g()\n    x.f()\n")]);
        let node = graph.by_id("a.py::f").expect("f");
        let calls = loose_calls(&graph, &[node]);
        let found: Vec<(&str, bool)> = calls.iter().map(|call| (graph.names().text(call.row.name), call.outside)).collect();
        assert!(found.contains(&("g", false)) && found.contains(&("f", false)), "{found:?}");
        assert!(!found.contains(&("print", false)), "{found:?}");
    }
}
