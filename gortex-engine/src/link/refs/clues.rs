//! Clues to edges and external mentions: environment, configuration, routes, events, injections.
//!
//! A handler is what the mention of it was bound to, so nothing is looked up by name but awaited events, whose names are texts.
//! Each such edge is marked as synthesized and names its rule.
//!
//! Knows clues of one file and the bound mentions beside them.

use rustc_hash::FxHashMap;

use super::FileLinker;
use crate::facts::model::{ClueKind, ClueRow, Kind, NONE, Role, Usage};
use crate::graph::{EdgeKind, EdgeRow, NodeId, Tier, edge_flag};
use crate::knowledge::EVENT;
use crate::link::externals::At;
use crate::link::table::{NameId, Table};

/// From this confidence on a reading counts as resolved.
const SURE: u8 = 90;

/// Awaited events by name.
pub(crate) type Events = FxHashMap<NameId, Vec<NodeId>>;

/// Collects the awaited events of all files.
pub(crate) fn events(table: &Table<'_>) -> Events {
    let mut found = Events::default();
    for (file, view) in table.views.iter().enumerate().filter(|(_, view)| !view.clues.is_empty()) {
        for (at, _) in view.defs.iter().enumerate().filter(|(_, def)| def.kind() == Kind::Event) {
            let node = table.files[file].base + 1 + at as NodeId;
            found.entry(table.node_name[node as usize]).or_default().push(node);
        }
    }
    found
}

impl FileLinker<'_, '_, '_> {
    /// Makes the edges and mentions of the file's clues; its plain mentions are bound.
    pub(super) fn clues(&mut self) {
        let view = self.infer.scopes.table.views[self.file];
        if view.clues.is_empty() {
            return;
        }
        // Where plain edges stand, to find what a mention was bound to.
        let mut bound: FxHashMap<(u32, u16), Vec<NodeId>> = FxHashMap::default();
        for edge in &self.out.edges {
            bound.entry((edge.line, edge.col)).or_default().push(edge.to);
        }
        for row in view.clues {
            let text = view.str(row.text);
            match row.kind() {
                ClueKind::Env => self.outside(&format!("env::{text}"), row),
                ClueKind::Config => self.outside(&format!("config::{text}"), row),
                ClueKind::Emit => self.emit(row, text),
                ClueKind::Handler => self.handler(row, &bound),
                ClueKind::Inject if row.target != NONE => self.handed(row, &bound),
                ClueKind::Inject => {
                    for to in bound.get(&(row.line, row.col)).into_iter().flatten().copied() {
                        self.synthesized(row, to, EdgeKind::Injects, row.sure);
                    }
                }
            }
        }
        self.named_registrations();
    }

    /// Routes and awaited events are found under their texts, too.
    fn named_registrations(&mut self) {
        let view = self.infer.scopes.table.views[self.file];
        for (at, def) in view.defs.iter().enumerate() {
            let name = view.str(def.name);
            let id = match def.kind() {
                Kind::Route => format!("route::{name}"),
                Kind::Event => format!("event::{}", name.strip_prefix(EVENT).unwrap_or(name)),
                _ => continue,
            };
            let owner = self.base + 1 + at as NodeId;
            let place = At {
                owner,
                line: def.name_line,
                col: def.name_col,
                role: Role::Read,
                usage: Usage::Unknown,
                tier: Tier::AstResolved,
            };
            self.externs.mentions.add(&id, place);
        }
    }

    fn outside(&mut self, id: &str, row: &ClueRow) {
        let tier = if row.sure >= SURE { Tier::AstResolved } else { Tier::AstInferred };
        let owner = self.owner(row.owner);
        self.externs.mentions.add(id, At { owner, line: row.line, col: row.col, role: Role::Read, usage: Usage::Unknown, tier });
    }

    fn emit(&mut self, row: &ClueRow, text: &str) {
        self.outside(&format!("event::{}", text.strip_prefix(EVENT).unwrap_or(text)), row);
        let scopes = self.infer.scopes;
        let name = scopes.table.name_of(self.file, row.text);
        let awaited = scopes.events.get(&name).filter(|_| name != NONE);
        for to in awaited.into_iter().flatten().copied() {
            // Channels of one name may be several: the more there are, the less each is sure.
            self.synthesized(row, to, EdgeKind::Emits, row.sure.min(80));
        }
    }

    fn handler(&mut self, row: &ClueRow, bound: &FxHashMap<(u32, u16), Vec<NodeId>>) {
        let table = &self.infer.scopes.table;
        let kind = if table.kind(self.owner(row.owner)) == Kind::Route { EdgeKind::RoutesTo } else { EdgeKind::Handles };
        // The function is written in place and part of the route.
        if row.target == NONE && row.mention == NONE {
            return;
        }
        if row.target != NONE {
            return self.synthesized(row, self.base + 1 + row.target, kind, row.sure);
        }
        let handles = |to: &NodeId| {
            let kind = table.kind(*to);
            kind.is_callable() || kind.is_type() || matches!(kind, Kind::Constant | Kind::Variable | Kind::Field | Kind::Property)
        };
        let targets: Vec<NodeId> =
            bound.get(&(row.line, row.col)).into_iter().flatten().copied().filter(|to| handles(to)).collect();
        for to in targets {
            self.synthesized(row, to, kind, row.sure);
        }
    }

    fn synthesized(&mut self, row: &ClueRow, to: NodeId, kind: EdgeKind, confidence: u8) {
        self.framework_edge(row, self.owner(row.owner), to, kind, confidence);
    }

    /// An edge that follows from a clue's rule; it stands where the clue does.
    pub(super) fn framework_edge(&mut self, row: &ClueRow, from: NodeId, to: NodeId, kind: EdgeKind, confidence: u8) {
        let table = &self.infer.scopes.table;
        if from == to || !self.infer.scopes.modules.meet(table, self.base, to) {
            return;
        }
        let mut flags = edge_flag::SYNTHESIZED;
        if table.files[table.file_of(to)].repo != table.files[self.file].repo {
            flags |= edge_flag::CROSS_REPO;
        }
        self.out.edges.push(EdgeRow {
            from,
            to,
            line: row.line,
            col: row.col,
            kind: kind as u8,
            role: Role::Read as u8,
            tier: Tier::AstInferred as u8,
            confidence,
            usage: row.rule as u8,
            flags,
        });
    }
}
