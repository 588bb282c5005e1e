//! Which symbol a text means: an id, a path, a qualified or a bare name.
//!
//! A name never stands for another one. What fits exactly is returned, one or several; what does not fit comes back as
//! nothing together with the nearest names, for the caller to choose from.
//!
//! Knows names and ids only.

use crate::facts::model::{Kind, flag};
use crate::graph::{Graph, NodeId};
use crate::lang::Family;
use crate::search::rank::is_of_format;

/// What a symbol text means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolved {
    /// Exactly one node.
    One(NodeId),
    /// Several, in the order of their ids.
    Many(Vec<NodeId>),
    /// None; with the nearest names there are, best first, at most [`NEAREST`].
    None(Vec<NodeId>),
}

/// How many near names a miss offers.
pub const NEAREST: usize = 5;

/// Finds what `text` means. Accepts `path::Owner.name`, `path::name` where that is unique in the file, a path,
/// `Owner.name`, and a bare name.
pub fn resolve(graph: &Graph, text: &str) -> Resolved {
    let text = text.trim();
    if text.is_empty() {
        return Resolved::None(Vec::new());
    }
    if let Some(node) = graph.by_id(text) {
        return Resolved::One(definition_of(graph, node));
    }
    let found = match text.split_once("::") {
        Some((path, rest)) if graph.file(path).is_some() => in_file(graph, path, rest),
        // `Type::method` as Rust and C++ write it.
        Some(_) => by_name(graph, &text.replace("::", ".")),
        None => by_name(graph, text),
    };
    let found = without_formats(graph, without_titles(graph, without_constructors(graph, without_prototypes(graph, found))));
    match found.as_slice() {
        [] => Resolved::None(nearest(graph, text)),
        [one] => Resolved::One(*one),
        _ => Resolved::Many(found),
    }
}

fn in_file(graph: &Graph, path: &str, rest: &str) -> Vec<NodeId> {
    let Some(file) = graph.file(path) else { return Vec::new() };
    let nodes = file.base + 1..=file.base + file.facts.view().defs.len() as u32;
    nodes.filter(|node| ends_with(&graph.qualified(*node), rest)).collect()
}

fn by_name(graph: &Graph, text: &str) -> Vec<NodeId> {
    let whole = graph.named(text);
    if !whole.is_empty() {
        return whole.to_vec();
    }
    let Some((_, last)) = text.rsplit_once('.') else { return Vec::new() };
    graph.named(last).iter().copied().filter(|node| ends_with(&graph.qualified(*node), text)).collect()
}

/// Whether a qualified name ends with these whole segments.
fn ends_with(qualified: &str, tail: &str) -> bool {
    qualified.strip_suffix(tail).is_some_and(|head| head.is_empty() || head.ends_with('.'))
}

/// A prototype and the definition it announces are one thing for whoever asks by name.
fn without_prototypes(graph: &Graph, mut found: Vec<NodeId>) -> Vec<NodeId> {
    found.retain(|node| !is_promise(graph, *node) || definition_of(graph, *node) == *node);
    let is_prototype = |node: &NodeId| is_prototype(graph, *node);
    if found.iter().any(is_prototype) {
        let defined: Vec<String> = found.iter().filter(|node| !is_prototype(node)).map(|node| graph.qualified(*node)).collect();
        let mut seen: Vec<String> = Vec::new();
        found.retain(|node| {
            let name = graph.qualified(*node);
            // Of several prototypes without a definition the first stands for all.
            !is_prototype(node)
                || (!defined.contains(&name) && !seen.contains(&name) && {
                    seen.push(name);
                    true
                })
        });
    }
    found
}

/// A class and its constructors share a name in Java and C++: the name alone means the class.
fn without_constructors(graph: &Graph, mut found: Vec<NodeId>) -> Vec<NodeId> {
    let types: Vec<NodeId> = found.iter().copied().filter(|node| graph.kind(*node).is_type()).collect();
    found.retain(|node| {
        graph.kind(*node) != Kind::Constructor || !graph.parent(*node).is_some_and(|owner| types.contains(&owner))
    });
    found
}

/// The title of a test is no name that code could mean; it counts only where nothing else has it.
fn without_titles(graph: &Graph, found: Vec<NodeId>) -> Vec<NodeId> {
    let is_title = |node: &NodeId| {
        let script = graph.file_of(*node).lang.is_some_and(|lang| lang.language().family == Family::Script);
        script && graph.def(*node).is_some_and(|def| def.has(flag::TEST))
    };
    let named: Vec<NodeId> = found.iter().copied().filter(|node| !is_title(node)).collect();
    if named.is_empty() { found } else { named }
}

/// A key or heading is no name that code could mean; it counts only where nothing else has it.
fn without_formats(graph: &Graph, found: Vec<NodeId>) -> Vec<NodeId> {
    let code: Vec<NodeId> = found.iter().copied().filter(|node| !is_of_format(graph, *node)).collect();
    if code.is_empty() { found } else { code }
}

fn is_prototype(graph: &Graph, node: NodeId) -> bool {
    let family = graph.file_of(node).lang.map(|lang| lang.language().family);
    matches!(family, Some(Family::C | Family::Script))
        && graph.def(node).is_some_and(|def| def.has(flag::DECLARATION) && def.kind().is_callable())
}

/// Whether a node stands in the interface of an OCaml module, which says again what the implementation defines. What a
/// signature asks for is no promise of the module.
fn is_promise(graph: &Graph, node: NodeId) -> bool {
    graph.file_of(node).lang.is_some_and(|lang| lang.language().name == "ocaml_interface")
        && graph.def(node).is_some()
        && std::iter::once(node).chain(graph.ancestors(node)).all(|at| graph.kind(at) != Kind::Interface)
}

/// The definition in the implementation beside an interface: the last of its name counts.
fn kept_promise(graph: &Graph, node: NodeId) -> NodeId {
    let path = graph.file_of(node).path.strip_suffix('i').unwrap_or_default();
    let qualified = graph.qualified(node);
    let value = |node: NodeId| !graph.kind(node).is_type() && graph.kind(node) != Kind::Module;
    let alike = |other: &NodeId| {
        graph.file_of(*other).path == path
            && graph.qualified(*other) == qualified
            && (value(*other) == value(node) && (value(node) || graph.kind(*other).is_type() == graph.kind(node).is_type()))
    };
    graph.named(graph.name(node)).iter().copied().rfind(alike).unwrap_or(node)
}

/// For a C or C++ prototype and a TypeScript overload signature the one definition of its name, for what an OCaml
/// interface promises what its module defines, otherwise the node itself.
pub fn definition_of(graph: &Graph, node: NodeId) -> NodeId {
    if is_promise(graph, node) {
        return kept_promise(graph, node);
    }
    if !is_prototype(graph, node) {
        return node;
    }
    let qualified = graph.qualified(node);
    let script = graph.file_of(node).lang.is_some_and(|lang| lang.language().family == Family::Script);
    let same = graph.named(graph.name(node)).iter().copied();
    // The implementation of an overload stands in the same file; that of a prototype anywhere.
    let near = |other: &NodeId| !script || graph.file_index(*other) == graph.file_index(node);
    let defined: Vec<NodeId> = same
        .filter(near)
        .filter(|other| !is_prototype(graph, *other) && graph.qualified(*other) == qualified && graph.kind(*other).is_callable())
        .collect();
    if let [one] = defined.as_slice() { *one } else { node }
}

/// Names most like a text: its words first, then by edit distance.
pub fn nearest(graph: &Graph, text: &str) -> Vec<NodeId> {
    let wanted = text.rsplit([':', '.', '/']).next().unwrap_or(text).to_lowercase();
    if wanted.is_empty() {
        return Vec::new();
    }
    let names = graph.names();
    let mut scored: Vec<(usize, usize, u32)> = Vec::new();
    for name in 0..names.len() as u32 {
        if names.nodes(name).is_empty() {
            continue;
        }
        let other = names.text(name).to_lowercase();
        let score = if other == wanted {
            0
        } else if other.starts_with(&wanted) || (wanted.starts_with(&other) && other.len() > 2) {
            1
        } else if other.contains(&wanted) {
            2
        } else {
            let limit = (wanted.chars().count() / 3).clamp(1, 3);
            match distance(&wanted, &other, limit) {
                Some(far) => 2 + far,
                None => continue,
            }
        };
        scored.push((score, other.len(), name));
    }
    scored.sort_unstable();
    let nodes = scored.iter().flat_map(|(_, _, name)| names.nodes(*name)).copied();
    nodes.filter(|node| graph.kind(*node) != Kind::File).take(NEAREST).collect()
}

/// Edit distance in characters, given up beyond `limit`. Two neighbours that changed places are one edit, as in the
/// optimal string alignment variant of Damerau and Levenshtein.
fn distance(a: &str, b: &str, limit: usize) -> Option<usize> {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    if a.len().abs_diff(b.len()) > limit {
        return None;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut next = vec![i + 1; b.len() + 1];
        for (j, y) in b.iter().enumerate() {
            let plain = row[j] + usize::from(x != y);
            let mut cost = plain.min(row[j + 1] + 1).min(next[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                cost = cost.min(before[j - 1] + 1);
            }
            next[j + 1] = cost;
        }
        if next.iter().min().is_some_and(|best| *best > limit) {
            return None;
        }
        before = std::mem::replace(&mut row, next);
    }
    row.last().copied().filter(|far| *far <= limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interfaces_of_ocaml_stand_for_what_the_module_defines() {
        let graph = crate::index::build::graph_of(&[
            ("a.ml", "type t = int\nlet f x = x\nlet f x = f x\n"),
            ("a.mli", "type t\nval f : t -> t\nmodule type S = sig val f : t -> t end\n"),
            ("b.mli", "val g : int -> int\n"),
        ]);
        let one = |text: &str| match resolve(&graph, text) {
            Resolved::One(node) => graph.id(node),
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(one("a.mli::f"), "a.ml::f~2");
        assert_eq!(one("t"), "a.ml::t");
        assert_eq!(one("g"), "b.mli::g");
        assert_eq!(one("a.mli::S.f"), "a.mli::S.f");
    }

    #[test]
    fn distances() {
        assert_eq!(distance("größe", "grösse", 2), Some(2));
        assert_eq!(distance("abc", "abc", 1), Some(0));
        assert_eq!(distance("tow", "two", 1), Some(1));
        assert_eq!(distance("reslove", "resolve", 2), Some(1));
        assert_eq!(distance("abc", "xyz", 2), None);
        assert_eq!(distance("", "ab", 2), Some(2));
    }
}
