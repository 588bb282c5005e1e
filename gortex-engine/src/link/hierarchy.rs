//! Supertypes, structural satisfaction and overriding.
//!
//! Declared supertypes come from class headers and `impl`s. Go types satisfy an interface by having its methods; that is
//! checked by name and parameter count over promoted methods too. From both follow the override edges, over which a call
//! of an interface method reaches its implementations.
//!
//! Knows types and members, not calls.

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::infer::{Hierarchy, Infer, Place, bounds};
use super::scope::{Entity, Scopes, Want};
use super::table::NameId;
use crate::facts::model::{DefRow, Kind, NONE, Role, SuperRow, flag};
use crate::graph::{EdgeKind, EdgeRow, NodeId, Tier, edge_flag};
use crate::lang::Family;

/// The hierarchy with the edges that say it.
#[derive(Debug, Default)]
pub(crate) struct Built {
    pub hierarchy: Hierarchy,
    pub edges: Vec<EdgeRow>,
}

/// Resolves all declared supertypes, then structural ones, then overriding members.
pub(crate) fn build(scopes: &Scopes<'_>) -> Built {
    let mut built = Built::default();
    declared(scopes, &mut built);
    parts(scopes, &mut built);
    platforms(scopes, &mut built);
    satisfied(scopes, &mut built);
    overriding(scopes, &mut built);
    let repo = |node: NodeId| scopes.table.files[scopes.table.file_of(node)].repo;
    for edge in built.edges.iter_mut().filter(|edge| repo(edge.from) != repo(edge.to)) {
        edge.flags |= edge_flag::CROSS_REPO;
    }
    built
}

fn declared(scopes: &Scopes<'_>, built: &mut Built) {
    for file in 0..scopes.table.files.len() {
        declared_in(scopes, built, file);
    }
}

fn declared_in(scopes: &Scopes<'_>, built: &mut Built, file: usize) {
    let table = &scopes.table;
    let none = Hierarchy::default();
    let infer = Infer::new(scopes, &none);
    let view = &table.views[file];
    let base = table.files[file].base;
    for row in view.supers {
        let own = (row.sub != NONE).then(|| base + 1 + row.sub);
        let place = Place { file, owner: own.unwrap_or(base) };
        let sub = own.or_else(|| match infer.type_node(place, view.str(row.sub_type)) {
            Entity::Node(node) => Some(node),
            _ => None,
        });
        // A class header is read outside the class: its own nested types are not in scope there.
        let around = own.and_then(|own| table.parents.get(own as usize).copied()).unwrap_or(base);
        // A mixin is named inside the class.
        let mixin = row.role == Role::Implements as u8 && table.family(file) == Some(Family::Ruby);
        let around = if mixin { own.unwrap_or(base) } else { around };
        let mut found = infer.type_node(Place { file, owner: around }, view.str(row.super_type));
        // `const Base = require("./base")` names a module; what it exports as a whole is the class.
        if let Entity::Module(module) = found {
            found = scopes.lookup(module, table.name("default"), Want::Type, true, 0);
        }
        match found {
            Entity::Node(target) if (Some(target) != sub || (mixin && row.embeds == 1)) && table.is_type(target) => {
                if sub.is_none() {
                    blanket(scopes, built, file, row, target);
                }
                relate(scopes, built, file, row, sub, target);
            }
            Entity::Node(_) => {}
            _ => built.hierarchy.open.extend(sub),
        }
    }
}

/// The hierarchy's edges that start in a file whose relations are as they were, at the places where they stand now.
pub(crate) fn replaced(scopes: &Scopes<'_>, edges: &[EdgeRow], file: usize) -> Vec<EdgeRow> {
    let table = &scopes.table;
    let mut now = Built::default();
    declared_in(scopes, &mut now, file);
    let derived = |edge: &EdgeRow| {
        edge.flags & edge_flag::DERIVED != 0
            || edge.kind() == EdgeKind::Overrides
            || (edge.kind() == EdgeKind::Implements && edge.tier() == Tier::AstInferred)
    };
    let moved = edges.iter().filter(|edge| derived(edge)).map(|edge| match table.def(edge.from) {
        Some(def) => EdgeRow { line: def.name_line, col: def.name_col, ..*edge },
        None => *edge,
    });
    let stated = now.edges.into_iter().filter(|edge| table.file_of(edge.from) == file && !derived(edge));
    moved.chain(stated).collect()
}

/// `impl<T: Bound> Trait for T`: whatever has the bound has the trait.
fn blanket(scopes: &Scopes<'_>, built: &mut Built, file: usize, row: &SuperRow, target: NodeId) {
    let table = &scopes.table;
    let none = Hierarchy::default();
    let infer = Infer::new(scopes, &none);
    let place = Place { file, owner: table.files[file].base };
    for bound in bounds(table, file, row.at, table.str(file, row.sub_type)) {
        if let Entity::Node(above) = infer.type_node(place, bound)
            && above != target
        {
            let given = built.hierarchy.blanket.entry(above).or_default();
            if !given.contains(&target) {
                given.push(target);
            }
        }
    }
}

/// Every part of a C# class has the supertypes that any of them names.
fn parts(scopes: &Scopes<'_>, built: &mut Built) {
    let table = &scopes.table;
    let twins = &scopes.modules.twins;
    let of_parts = |ty: &NodeId| table.family(table.file_of(*ty)) == Some(Family::CSharp);
    let mut all: Vec<(NodeId, Vec<NodeId>)> = Vec::new();
    for ty in twins.all().into_iter().filter(of_parts) {
        let group = std::iter::once(&ty).chain(twins.of(ty));
        let mut supers: Vec<NodeId> =
            group.clone().filter_map(|part| built.hierarchy.supers.get(part)).flatten().copied().collect();
        supers.sort_unstable();
        supers.dedup();
        if group.clone().any(|part| built.hierarchy.open.contains(part)) {
            built.hierarchy.open.insert(ty);
        }
        all.push((ty, supers));
    }
    built.hierarchy.supers.extend(all.into_iter().filter(|(_, supers)| !supers.is_empty()));
}

/// What a Kotlin platform has takes the place of what is expected on all: its type has that as a supertype, so that its members
/// replace the expected ones.
fn platforms(scopes: &Scopes<'_>, built: &mut Built) {
    for (actual, expected) in scopes.modules.twins.actual() {
        let Some(def) = scopes.table.def(*actual) else { continue };
        if def.kind().is_type() {
            built.hierarchy.supers.entry(*actual).or_default().push(*expected);
        } else {
            built.edges.push(override_edge(*actual, *expected, def));
        }
    }
}

/// Makes the edges of one declared relation. An `impl` that stands in another file than its type, or whose type is not ours,
/// is also a mention of the trait at its own place.
fn relate(scopes: &Scopes<'_>, built: &mut Built, file: usize, row: &SuperRow, sub: Option<NodeId>, target: NodeId) {
    let table = &scopes.table;
    let mut edge = EdgeRow {
        from: table.files[file].base,
        to: target,
        line: row.line,
        col: row.col,
        kind: EdgeKind::References as u8,
        role: row.role,
        tier: Tier::AstResolved as u8,
        confidence: 100,
        usage: 0,
        flags: if sub.is_none() { edge_flag::FOREIGN } else { 0 },
    };
    let here = sub.is_some_and(|sub| table.file_of(sub) == file);
    if !here {
        built.edges.push(edge);
    }
    let Some(sub) = sub else { return foreign_members(scopes, built, file, row, target) };
    let is_protocol = |node: NodeId| table.kind(node).is_interface();
    let extends = row.embeds == 1 && table.family(file) == Some(Family::Ruby);
    let relation = if extends { &mut built.hierarchy.extended } else { &mut built.hierarchy.supers };
    let known = relation.entry(sub).or_default();
    if !known.contains(&target) {
        known.push(target);
    }
    if sub == target {
        return;
    }
    // Where the header does not tell classes from interfaces, what is named does.
    let telling = !matches!(table.family(file), Some(Family::CSharp | Family::Jvm));
    if !telling && !table.kind(sub).is_interface() {
        edge.role = if table.kind(target).is_interface() { Role::Implements } else { Role::Extends } as u8;
    }
    let kind = match Role::from_byte(edge.role) {
        _ if row.embeds == 1 => EdgeKind::Composes,
        Role::Implements => EdgeKind::Implements,
        // The first base of a class may be a protocol.
        _ if table.family(file) == Some(Family::Swift) && is_protocol(target) && !is_protocol(sub) => EdgeKind::Implements,
        _ => EdgeKind::Extends,
    };
    (edge.from, edge.kind) = (sub, kind as u8);
    if let Some(def) = table.def(sub).filter(|_| !here) {
        (edge.line, edge.col, edge.flags) = (def.name_line, def.name_col, edge_flag::DERIVED);
    }
    built.edges.push(edge);
}

/// Members of an `impl Trait for T` whose `T` is outside the tracked roots replace the trait's all the same.
fn foreign_members(scopes: &Scopes<'_>, built: &mut Built, file: usize, row: &SuperRow, target: NodeId) {
    let table = &scopes.table;
    let view = &table.views[file];
    for (index, def) in view.defs.iter().enumerate() {
        if def.owner_type.is_empty() || !def.has(flag::OVERRIDE) || view.str(def.owner_type) != view.str(row.sub_type) {
            continue;
        }
        let node = table.files[file].base + 1 + index as u32;
        for replaced in table.members(target, table.node_name[node as usize]) {
            built.edges.push(override_edge(node, *replaced, def));
        }
    }
}

fn override_edge(from: NodeId, to: NodeId, def: &DefRow) -> EdgeRow {
    EdgeRow {
        from,
        to,
        line: def.name_line,
        col: def.name_col,
        kind: EdgeKind::Overrides as u8,
        role: Role::Implements as u8,
        tier: Tier::AstResolved as u8,
        confidence: 95,
        usage: 0,
        flags: 0,
    }
}

/// Go: which types have all methods of which interfaces.
fn satisfied(scopes: &Scopes<'_>, built: &mut Built) {
    let table = &scopes.table;
    let go = |node: NodeId| table.family(table.file_of(node)) == Some(Family::Go);
    let mut interfaces = Vec::new();
    let mut owners: FxHashMap<NameId, Vec<NodeId>> = FxHashMap::default();
    for (file, view) in table.views.iter().enumerate().filter(|(file, _)| table.family(*file) == Some(Family::Go)) {
        for (index, def) in view.defs.iter().enumerate().filter(|(_, def)| def.kind().is_type()) {
            let node = table.files[file].base + 1 + index as u32;
            let methods = promoted(scopes, &built.hierarchy, node);
            if def.kind().is_interface() {
                if !methods.is_empty() && !built.hierarchy.open.contains(&node) {
                    interfaces.push((node, methods));
                }
            } else {
                for (name, _) in methods {
                    owners.entry(name).or_default().push(node);
                }
            }
        }
    }
    let mut edges = Vec::new();
    for (interface, methods) in &interfaces {
        let rarest =
            methods.iter().map(|(name, _)| owners.get(name).map_or(&[][..], Vec::as_slice)).min_by_key(|owners| owners.len());
        for candidate in rarest.unwrap_or(&[]).iter().copied().filter(|node| go(*node)) {
            let own = promoted(scopes, &built.hierarchy, candidate);
            let fits = |(name, params): &(NameId, u16)| own.iter().any(|(other, count)| other == name && count == params);
            if methods.iter().all(fits) && scopes.modules.meet(table, candidate, *interface) {
                edges.push((candidate, *interface));
            }
        }
    }
    for (sub, interface) in edges {
        let known = built.hierarchy.supers.entry(sub).or_default();
        if known.contains(&interface) {
            continue;
        }
        known.push(interface);
        let def = table.def(sub);
        built.edges.push(EdgeRow {
            from: sub,
            to: interface,
            line: def.map_or(1, |def| def.name_line),
            col: def.map_or(0, |def| def.name_col),
            kind: EdgeKind::Implements as u8,
            role: Role::Implements as u8,
            tier: Tier::AstInferred as u8,
            confidence: 90,
            usage: 0,
            flags: 0,
        });
    }
}

/// Methods of a type with their parameter counts, embedded types' included.
fn promoted(scopes: &Scopes<'_>, hierarchy: &Hierarchy, ty: NodeId) -> Vec<(NameId, u16)> {
    let table = &scopes.table;
    let mut found: Vec<(NameId, u16)> = Vec::new();
    let mut seen = FxHashSet::default();
    let mut pending = vec![ty];
    while let Some(at) = pending.pop() {
        if !seen.insert(at) || seen.len() > 64 {
            continue;
        }
        for member in table.all_members(at) {
            let Some(def) = table.def(*member).filter(|def| def.kind() == Kind::Method) else { continue };
            let name = table.node_name[*member as usize];
            if !found.iter().any(|(other, _)| *other == name) {
                found.push((name, def.params));
            }
        }
        pending.extend(hierarchy.supers.get(&at).into_iter().flatten());
    }
    found
}

fn is_elixir(scopes: &Scopes<'_>, node: NodeId) -> bool {
    scopes.table.family(scopes.table.file_of(node)) == Some(Family::Elixir)
}

fn overriding(scopes: &Scopes<'_>, built: &mut Built) {
    let mut subs: Vec<NodeId> = built.hierarchy.supers.keys().copied().collect();
    subs.sort_unstable();
    let edges: Vec<EdgeRow> =
        subs.par_iter().flat_map_iter(|sub| overriding_in(scopes, &Infer::new(scopes, &built.hierarchy), *sub)).collect();
    built.edges.extend(edges);
}

/// The edges of the members of one type to what they replace.
fn overriding_in(scopes: &Scopes<'_>, infer: &Infer<'_, '_>, sub: NodeId) -> Vec<EdgeRow> {
    let table = &scopes.table;
    let mut edges = Vec::new();
    let openings = scopes.modules.ruby.openings(table, sub).flat_map(|other| table.all_members(other));
    for member in table.all_members(sub).iter().chain(openings) {
        let Some(def) = table.def(*member) else { continue };
        let constructor = def.kind() == Kind::Constructor || table.str(table.file_of(*member), def.name) == "__init__";
        // What a module of Elixir has for a behaviour or protocol is a function.
        let replaces = def.kind() == Kind::Method || (def.kind() == Kind::Function && is_elixir(scopes, *member));
        let told_apart = matches!(table.family(table.file_of(*member)), Some(Family::CSharp | Family::Jvm));
        let is_data = told_apart && matches!(def.kind(), Kind::Property | Kind::Field);
        if !replaces && !is_data || constructor || def.has(flag::STATIC) && !def.has(flag::OVERRIDE) {
            continue;
        }
        let name = table.node_name[*member as usize];
        let mut targets = Vec::new();
        for above in &infer.hierarchy.supers[&sub] {
            if let Some((target, _)) = infer.member(*above, name, if is_data { Want::Any } else { Want::Call })
                && (table.kind(target) == def.kind() || !is_data && table.kind(target) == Kind::Method)
                && (!is_data || def.has(flag::OVERRIDE) || table.kind(*above).is_interface())
                && target != *member
                && (!is_elixir(scopes, *member) || table.def(target).is_some_and(|above| above.params == def.params))
                && !targets.contains(&target)
            {
                targets.push(target);
            }
        }
        for target in targets {
            edges.push(override_edge(*member, target, def));
        }
    }
    edges
}
