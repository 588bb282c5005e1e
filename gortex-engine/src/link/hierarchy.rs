//! Supertypes, structural satisfaction and overriding.
//!
//! Declared supertypes come from class headers and `impl`s. Go types satisfy an interface by having its methods; that is
//! checked by name and parameter count over promoted methods too. From both follow the override edges, over which a call
//! of an interface method reaches its implementations.
//!
//! Knows types and members, not calls.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::infer::{Hierarchy, Infer, Place, bounds};
use super::scope::{Entity, Scopes, Want};
use super::table::NameId;
use crate::facts::model::{DefRow, Kind, NONE, Role, SuperRow, flag};
use crate::graph::{EdgeKind, EdgeRow, NodeId, Tier, edge_flag};
use crate::lang::Family;

/// What the headers of one file say.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stated {
    /// A type, its supertype, and whether its methods become those of the type itself (Ruby's `extend`).
    relations: Vec<(NodeId, NodeId, bool)>,
    /// A bound, and what everything that has it is given.
    blankets: Vec<(NodeId, NodeId)>,
    /// Types with a supertype that is not ours.
    open: Vec<NodeId>,
    edges: Vec<EdgeRow>,
}

/// What the hierarchy is made from; kept, so that the next one is made from what differs.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    /// By file number.
    stated: Vec<Stated>,
    /// Go types and the interfaces that they satisfy, in the order found.
    satisfied: Vec<(NodeId, NodeId)>,
    /// Members and what they replace.
    overrides: Vec<EdgeRow>,
}

/// The hierarchy with the edges that say it.
#[derive(Debug, Default)]
pub(crate) struct Built {
    pub hierarchy: Hierarchy,
    pub edges: Vec<EdgeRow>,
    pub sources: Sources,
}

impl Built {
    /// Resolves all declared supertypes, then structural ones.
    pub fn new(scopes: &Scopes<'_>) -> Built {
        let stated = (0..scopes.table.files.len()).into_par_iter().map(|file| declared_in(scopes, file)).collect();
        Built::of(scopes, stated, None)
    }

    /// The same where only some files' headers may say something else, or say it elsewhere. `now` gives a node's present number;
    /// `alike` tells that all types and methods are what they were.
    pub fn again(
        scopes: &Scopes<'_>,
        before: &Sources,
        now: impl Fn(NodeId) -> NodeId + Sync,
        concerned: impl Fn(usize) -> bool + Sync,
        alike: bool,
    ) -> Built {
        let stated = before.stated.par_iter().enumerate().map(|(file, was)| {
            let kept = if concerned(file) { None } else { taken_over(scopes, was, &now) };
            kept.unwrap_or_else(|| declared_in(scopes, file))
        });
        let stated: Vec<Stated> = stated.collect();
        let pairs: Vec<(NodeId, NodeId)> = before.satisfied.iter().map(|(sub, above)| (now(*sub), now(*above))).collect();
        let same = alike && stated.iter().zip(&before.stated).all(|(new, old)| new.says(old, &now));
        Built::of(scopes, stated, same.then_some(pairs))
    }

    fn of(scopes: &Scopes<'_>, stated: Vec<Stated>, pairs: Option<Vec<(NodeId, NodeId)>>) -> Built {
        let mut built = Built::default();
        for file in &stated {
            for (sub, target, extends) in &file.relations {
                let relation = if *extends { &mut built.hierarchy.extended } else { &mut built.hierarchy.supers };
                let known = relation.entry(*sub).or_default();
                if !known.contains(target) {
                    known.push(*target);
                }
            }
            for (bound, target) in &file.blankets {
                let given = built.hierarchy.blanket.entry(*bound).or_default();
                if !given.contains(target) {
                    given.push(*target);
                }
            }
            built.hierarchy.open.extend(&file.open);
            built.edges.extend(&file.edges);
        }
        parts(scopes, &mut built);
        platforms(scopes, &mut built);
        let pairs = pairs.unwrap_or_else(|| satisfied(scopes, &built.hierarchy));
        for (sub, interface) in &pairs {
            satisfies(scopes, &mut built, *sub, *interface);
        }
        built.sources = Sources { stated, satisfied: pairs, overrides: Vec::new() };
        built
    }

    /// Adds overriding members: all of them, or those of the files that are `fresh` to those of the generation before.
    pub fn override_members(
        &mut self,
        scopes: &Scopes<'_>,
        before: Option<(&Sources, &dyn Fn(NodeId) -> NodeId)>,
        fresh: impl Fn(usize) -> bool + Sync,
    ) {
        let table = &scopes.table;
        let mut overrides = overriding(scopes, &self.hierarchy, &fresh);
        if let Some((before, now)) = before {
            let kept = before.overrides.iter().map(|edge| EdgeRow { from: now(edge.from), to: now(edge.to), ..*edge });
            let kept = kept.filter(|edge| edge.from != NONE && !fresh(table.file_of(edge.from)));
            overrides.extend(kept.map(|edge| placed(scopes, edge)));
        }
        self.edges.extend(&overrides);
        self.sources.overrides = overrides;
        mark_crossing(scopes, &mut self.edges);
    }
}

fn mark_crossing(scopes: &Scopes<'_>, edges: &mut [EdgeRow]) {
    let repo = |node: NodeId| scopes.table.files[scopes.table.file_of(node)].repo;
    for edge in edges.iter_mut().filter(|edge| repo(edge.from) != repo(edge.to)) {
        edge.flags |= edge_flag::CROSS_REPO;
    }
}

impl Stated {
    /// Whether this is what was said before, as far as relations go.
    fn says(&self, before: &Stated, now: impl Fn(NodeId) -> NodeId) -> bool {
        let moved = before.relations.iter().map(|(sub, target, extends)| (now(*sub), now(*target), *extends));
        self.relations.iter().copied().eq(moved) && self.open.iter().copied().eq(before.open.iter().map(|node| now(*node)))
    }
}

/// What a file stated, at the nodes of today; `None` where one of them is gone.
fn taken_over(scopes: &Scopes<'_>, was: &Stated, now: impl Fn(NodeId) -> NodeId) -> Option<Stated> {
    let still = |node: NodeId| Some(now(node)).filter(|node| *node != NONE);
    let relations = was.relations.iter().map(|(sub, target, extends)| Some((still(*sub)?, still(*target)?, *extends)));
    let edges = was.edges.iter().map(|edge| {
        let edge = EdgeRow { from: still(edge.from)?, to: still(edge.to)?, ..*edge };
        Some(if is_derived(&edge) { placed(scopes, edge) } else { edge })
    });
    Some(Stated {
        relations: relations.collect::<Option<_>>()?,
        blankets: was.blankets.iter().map(|(bound, given)| Some((still(*bound)?, still(*given)?))).collect::<Option<_>>()?,
        open: was.open.iter().map(|node| still(*node)).collect::<Option<_>>()?,
        edges: edges.collect::<Option<_>>()?,
    })
}

/// Whether an edge stands where its source is defined, not where something is mentioned.
fn is_derived(edge: &EdgeRow) -> bool {
    edge.flags & edge_flag::DERIVED != 0
        || edge.kind() == EdgeKind::Overrides
        || (edge.kind() == EdgeKind::Implements && edge.tier() == Tier::AstInferred)
}

/// A derived edge where its source is defined now.
fn placed(scopes: &Scopes<'_>, edge: EdgeRow) -> EdgeRow {
    match scopes.table.def(edge.from) {
        Some(def) => EdgeRow { line: def.name_line, col: def.name_col, ..edge },
        None => edge,
    }
}

fn declared_in(scopes: &Scopes<'_>, file: usize) -> Stated {
    let mut stated = Stated::default();
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
                    blanket(scopes, &mut stated, file, row, target);
                }
                relate(scopes, &mut stated, file, row, sub, target);
            }
            Entity::Node(_) => {}
            _ => stated.open.extend(sub),
        }
    }
    stated
}

/// The hierarchy's edges that start in a file whose relations are as they were, at the places where they stand now.
pub(crate) fn replaced(scopes: &Scopes<'_>, sources: &mut Sources, edges: &[EdgeRow], file: usize) -> Vec<EdgeRow> {
    let now = declared_in(scopes, file);
    let moved = edges.iter().filter(|edge| is_derived(edge)).map(|edge| placed(scopes, *edge));
    let mentioned = now.edges.iter().filter(|edge| scopes.table.file_of(edge.from) == file && !is_derived(edge));
    let mut found: Vec<EdgeRow> = moved.chain(mentioned.copied()).collect();
    mark_crossing(scopes, &mut found);
    if let Some(stated) = sources.stated.get_mut(file) {
        *stated = now;
    }
    found
}

/// `impl<T: Bound> Trait for T`: whatever has the bound has the trait.
fn blanket(scopes: &Scopes<'_>, stated: &mut Stated, file: usize, row: &SuperRow, target: NodeId) {
    let table = &scopes.table;
    let none = Hierarchy::default();
    let infer = Infer::new(scopes, &none);
    let place = Place { file, owner: table.files[file].base };
    for bound in bounds(table, file, row.at, table.str(file, row.sub_type)) {
        if let Entity::Node(above) = infer.type_node(place, bound)
            && above != target
        {
            stated.blankets.push((above, target));
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
fn relate(scopes: &Scopes<'_>, stated: &mut Stated, file: usize, row: &SuperRow, sub: Option<NodeId>, target: NodeId) {
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
        stated.edges.push(edge);
    }
    let Some(sub) = sub else { return foreign_members(scopes, stated, file, row, target) };
    let is_protocol = |node: NodeId| table.kind(node).is_interface();
    let extends = row.embeds == 1 && table.family(file) == Some(Family::Ruby);
    stated.relations.push((sub, target, extends));
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
    stated.edges.push(edge);
}

/// Members of an `impl Trait for T` whose `T` is outside the tracked roots replace the trait's all the same.
fn foreign_members(scopes: &Scopes<'_>, stated: &mut Stated, file: usize, row: &SuperRow, target: NodeId) {
    let table = &scopes.table;
    let view = &table.views[file];
    for (index, def) in view.defs.iter().enumerate() {
        if def.owner_type.is_empty() || !def.has(flag::OVERRIDE) || view.str(def.owner_type) != view.str(row.sub_type) {
            continue;
        }
        let node = table.files[file].base + 1 + index as u32;
        for replaced in table.members(target, table.node_name[node as usize]) {
            stated.edges.push(override_edge(node, *replaced, def));
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
fn satisfied(scopes: &Scopes<'_>, hierarchy: &Hierarchy) -> Vec<(NodeId, NodeId)> {
    let table = &scopes.table;
    let go = (0..table.files.len()).into_par_iter().filter(|file| table.family(*file) == Some(Family::Go));
    let types: Vec<(NodeId, Vec<(NameId, u16)>)> = go
        .flat_map_iter(|file| {
            let base = table.files[file].base;
            let types = table.views[file].defs.iter().enumerate().filter(|(_, def)| def.kind().is_type());
            let nodes = types.map(move |(index, _)| base + 1 + index as u32);
            nodes.map(|node| (node, promoted(scopes, hierarchy, node)))
        })
        .filter(|(_, methods)| !methods.is_empty())
        .collect();
    let is_interface = |node: NodeId| table.kind(node).is_interface();
    let mut owners: FxHashMap<NameId, Vec<usize>> = FxHashMap::default();
    for (at, (_, methods)) in types.iter().enumerate().filter(|(_, (node, _))| !is_interface(*node)) {
        for (name, _) in methods {
            owners.entry(*name).or_default().push(at);
        }
    }
    let interfaces = types.par_iter().filter(|(node, _)| is_interface(*node) && !hierarchy.open.contains(node));
    let found = interfaces.flat_map_iter(|(interface, methods)| {
        let having = methods.iter().map(|(name, _)| owners.get(name).map_or(&[][..], Vec::as_slice));
        let rarest = having.min_by_key(|owners| owners.len()).unwrap_or(&[]);
        let fits = |(_, own): &&(NodeId, Vec<(NameId, u16)>)| methods.iter().all(|method| own.binary_search(method).is_ok());
        let candidates = rarest.iter().map(|at| &types[*at]).filter(fits).map(|(node, _)| *node);
        candidates.filter(|node| scopes.modules.meet(table, *node, *interface)).map(|node| (node, *interface))
    });
    found.collect()
}

fn satisfies(scopes: &Scopes<'_>, built: &mut Built, sub: NodeId, interface: NodeId) {
    let known = built.hierarchy.supers.entry(sub).or_default();
    if known.contains(&interface) {
        return;
    }
    known.push(interface);
    let def = scopes.table.def(sub);
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

/// Methods of a type with their parameter counts, embedded types' included; sorted.
fn promoted(scopes: &Scopes<'_>, hierarchy: &Hierarchy, ty: NodeId) -> Vec<(NameId, u16)> {
    let table = &scopes.table;
    let mut found: Vec<(NameId, u16)> = Vec::new();
    let mut seen = Vec::new();
    let mut pending = vec![ty];
    while let Some(at) = pending.pop() {
        if seen.contains(&at) || seen.len() >= 64 {
            continue;
        }
        seen.push(at);
        for member in table.all_members(at) {
            let Some(def) = table.def(*member).filter(|def| def.kind() == Kind::Method) else { continue };
            let name = table.node_name[*member as usize];
            if !found.iter().any(|(other, _)| *other == name) {
                found.push((name, def.params));
            }
        }
        pending.extend(hierarchy.supers.get(&at).into_iter().flatten());
    }
    found.sort_unstable();
    found
}

fn is_elixir(scopes: &Scopes<'_>, node: NodeId) -> bool {
    scopes.table.family(scopes.table.file_of(node)) == Some(Family::Elixir)
}

/// The edges of overriding members that stand in files that are wanted.
fn overriding(scopes: &Scopes<'_>, hierarchy: &Hierarchy, wanted: impl Fn(usize) -> bool + Sync) -> Vec<EdgeRow> {
    let mut subs: Vec<NodeId> = hierarchy.supers.keys().copied().collect();
    subs.sort_unstable();
    subs.par_iter().flat_map_iter(|sub| overriding_in(scopes, &Infer::new(scopes, hierarchy), *sub, &wanted)).collect()
}

/// The edges of the members of one type to what they replace.
fn overriding_in(
    scopes: &Scopes<'_>,
    infer: &Infer<'_, '_>,
    sub: NodeId,
    wanted: &(impl Fn(usize) -> bool + Sync),
) -> Vec<EdgeRow> {
    let table = &scopes.table;
    let mut edges = Vec::new();
    let openings = scopes.modules.ruby.openings(table, sub).flat_map(|other| table.all_members(other));
    for member in table.all_members(sub).iter().chain(openings).filter(|member| wanted(table.file_of(**member))) {
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
