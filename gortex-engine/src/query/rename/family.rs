//! Which symbols carry one name together, and where the new name is taken already.

use std::collections::BTreeSet;

use super::{Conflict, RenameError};
use crate::facts::model::{DefRow, Kind, NONE, Visibility, flag};
use crate::graph::{EdgeKind, Graph, NodeId};
use crate::lang::Family;
use crate::query::symbol::definition_of;

/// The symbols that must be renamed together, the one asked for first: overridden and overriding members, constructors named
/// like their class, prototypes, several declarations of one function, getter and setter.
pub(super) fn of(graph: &Graph, node: NodeId) -> Result<Vec<NodeId>, RenameError> {
    let name = graph.name(node).to_owned();
    let start = named_after_type(graph, node).unwrap_or(node);
    let mut seen = BTreeSet::from([start]);
    let mut found = Vec::new();
    let mut pending = vec![start];
    while let Some(at) = pending.pop() {
        found.push(at);
        let up = graph.out(at).iter().filter(|edge| edge.kind() == EdgeKind::Overrides).map(|edge| edge.to);
        let down = graph.incoming(at).filter(|edge| edge.kind() == EdgeKind::Overrides).map(|edge| edge.from);
        let mut next: Vec<NodeId> = up.chain(down).collect();
        if next.is_empty() && graph.def(at).is_some_and(|def| def.has(flag::OVERRIDE)) {
            return Err(RenameError::OutsideReach { id: graph.id(at) });
        }
        next.extend(same_declaration(graph, at));
        if graph.kind(at).is_type() {
            let children = graph.children(at).into_iter();
            next.extend(children.filter(|child| is_structor(graph, *child, &name)));
        }
        pending.extend(next.into_iter().filter(|other| seen.insert(*other)));
    }
    Ok(found)
}

/// The type of a constructor that carries the type's name.
fn named_after_type(graph: &Graph, node: NodeId) -> Option<NodeId> {
    let parent = graph.parent(node).filter(|parent| graph.kind(*parent).is_type())?;
    is_structor(graph, node, graph.name(parent)).then_some(parent)
}

fn is_structor(graph: &Graph, node: NodeId, name: &str) -> bool {
    let own = graph.name(node);
    graph.kind(node) == Kind::Constructor && own == name || own.strip_prefix('~') == Some(name)
}

/// Other definitions that are the same thing to whoever uses it.
fn same_declaration(graph: &Graph, node: NodeId) -> Vec<NodeId> {
    let file = graph.file_of(node);
    let Some(language) = file.lang.map(|lang| lang.language()) else { return Vec::new() };
    let qualified = graph.qualified(node);
    let same =
        graph.named(graph.name(node)).iter().copied().filter(|other| *other != node && graph.qualified(*other) == qualified);
    let callable = graph.kind(node).is_callable();
    let params = graph.def(node).map_or(u16::MAX, |def| def.params);
    same.filter(|other| {
        let there = graph.file_of(*other);
        let here = there.base == file.base;
        match language.family {
            // Overloads of one class are different methods.
            Family::Jvm | Family::Swift => here && !callable,
            // What a module's interface promises is renamed with it; an earlier value of the name is another one.
            Family::Ocaml => definition_of(graph, *other) == node || definition_of(graph, node) == *other,
            Family::C if callable => {
                let prototype = |node: NodeId| graph.def(node).is_some_and(|def| def.has(flag::DECLARATION));
                let c = there.lang.is_some_and(|lang| lang.language().family == Family::C);
                c && there.repo == file.repo
                    && (prototype(node) != prototype(*other) || here)
                    && graph.def(*other).is_some_and(|def| def.params == params)
            }
            _ => here,
        }
    })
    .collect()
}

/// Whether code outside the index may use a definition.
pub(super) fn is_open(def: &DefRow) -> bool {
    def.has(flag::EXPORTED) || def.visibility() == Visibility::Public
}

/// Definitions of the new name in the scopes of the family.
pub(super) fn taken(graph: &Graph, family: &[NodeId], new: &str) -> Vec<Conflict> {
    let mut found: BTreeSet<NodeId> = BTreeSet::new();
    let named = graph.named(new);
    if named.is_empty() {
        return imported(graph, family, new);
    }
    for node in family {
        let Some(parent) = graph.parent(*node) else { continue };
        let file = graph.file_of(*node);
        let go = file.lang.is_some_and(|lang| lang.language().family == Family::Go);
        let top = graph.kind(parent) == Kind::File;
        let supers = if top { BTreeSet::new() } else { related_types(graph, parent) };
        for other in named {
            let Some(around) = graph.parent(*other) else { continue };
            let same_package =
                go && top && graph.kind(around) == Kind::File && folder(&graph.file_of(*other).path) == folder(&file.path);
            if around == parent || same_package || supers.contains(&around) {
                found.insert(*other);
            }
        }
    }
    let rows = found.into_iter().filter_map(|node| {
        let line = graph.def(node)?.name_line;
        Some(Conflict { path: graph.file_of(node).path.clone(), line, what: "a definition of that name" })
    });
    rows.chain(imported(graph, family, new)).collect()
}

/// Imports of the new name in the files where the family is defined at the top.
fn imported(graph: &Graph, family: &[NodeId], new: &str) -> Vec<Conflict> {
    let mut found = Vec::new();
    for node in family.iter().filter(|node| graph.parent(**node).is_some_and(|parent| graph.kind(parent) == Kind::File)) {
        let view = graph.view_of(*node);
        let path = &graph.file_of(*node).path;
        let rows = view.imports.iter().filter(|row| row.owner == NONE && view.str(row.alias) == new);
        found.extend(rows.map(|row| Conflict { path: path.clone(), line: row.line, what: "an import of that name" }));
    }
    found
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Supertypes and subtypes: a member of the new name there would be replaced, or would replace.
fn related_types(graph: &Graph, ty: NodeId) -> BTreeSet<NodeId> {
    let is_super = |kind| matches!(kind, EdgeKind::Extends | EdgeKind::Implements | EdgeKind::Composes);
    let mut found = BTreeSet::new();
    let mut pending = vec![ty];
    while let Some(at) = pending.pop() {
        let above = graph.out(at).iter().filter(|edge| is_super(edge.kind())).map(|edge| edge.to);
        pending.extend(above.filter(|node| found.insert(*node)));
    }
    let mut pending = vec![ty];
    while let Some(at) = pending.pop() {
        let below = graph.incoming(at).filter(|edge| is_super(edge.kind())).map(|edge| edge.from);
        pending.extend(below.filter(|node| found.insert(*node)));
    }
    found
}
