//! Remote calls: a service of an interface description, who implements it, and calls through its generated clients.
//!
//! Evidence is the description itself: a service of that name with a call of that name, and the name that generators give its
//! clients (`XStub`, `NewXClient`, `XGrpc.newBlockingStub`) and bases (`XServicer`, `UnimplementedXServer`, `XImplBase`). The generated
//! code need not be there.
//!
//! Knows expressions of one file and the services of all.

use rustc_hash::{FxHashMap, FxHashSet};

use super::FileLinker;
use crate::facts::FactsView;
use crate::facts::model::{DefRow, ExprKind, Kind, NONE, Role, Str};
use crate::graph::{EdgeKind, EdgeRow, NodeId, Tier, edge_flag};
use crate::knowledge;
use crate::link::table::{NameId, Table};

/// Expressions are followed so far.
const DEPTH: u32 = 6;

/// The remote calls of all descriptions.
#[derive(Debug, Default)]
pub(crate) struct Services {
    /// Service and node of each call, by the names under which generators offer it.
    calls: FxHashMap<NameId, Vec<(String, NodeId)>>,
    names: FxHashSet<String>,
}

/// Collects the services of all descriptions.
pub(crate) fn services(table: &Table<'_>) -> Services {
    let mut found = Services::default();
    for (file, view) in table.views.iter().enumerate().filter(|(file, _)| table.language(*file) == "protobuf") {
        for (at, def) in view.defs.iter().enumerate().filter(|(_, def)| def.kind() == Kind::Method) {
            let Some(service) = view.defs.get(def.parent as usize).filter(|def| def.kind() == Kind::Service) else { continue };
            let service = view.str(service.name).to_owned();
            let name = view.str(def.name);
            let node = table.files[file].base + 1 + at as NodeId;
            let mut offered = vec![table.name(name), table.name(&lower_first(name))];
            offered.dedup();
            for name in offered.into_iter().filter(|name| *name != NONE) {
                found.calls.entry(name).or_default().push((service.clone(), node));
            }
            found.names.insert(service);
        }
    }
    found
}

fn lower_first(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

/// The last part of a type's text, without what it is applied to.
fn simple(ty: &str) -> &str {
    let ty = ty.trim_start_matches(['*', '&', '?']);
    let ty = ty.split(['<', '[', '(', '?', '|']).next().unwrap_or(ty).trim();
    ty.rsplit(['.', ':', '\\']).next().unwrap_or(ty)
}

/// The service of a generated client's type.
fn of_client(ty: &str) -> Option<&str> {
    let name = simple(ty);
    ["BlockingStub", "FutureStub", "CoroutineStub", "AsyncStub", "Stub", "Client"].iter().find_map(|end| name.strip_suffix(end))
}

/// The service that a generated base is for.
fn of_base(ty: &str) -> Option<&str> {
    let name = simple(ty);
    let plain = name.strip_prefix("Unimplemented").or(name.strip_prefix("Unsafe")).unwrap_or(name);
    ["Servicer", "CoroutineImplBase", "ImplBase", "Server", "Base"].iter().find_map(|end| plain.strip_suffix(end))
}

impl FileLinker<'_, '_, '_> {
    /// Makes the edges of implementations and of calls through clients.
    pub(super) fn remote_calls(&mut self) {
        let scopes = self.infer.scopes;
        if scopes.services.names.is_empty() || scopes.table.language(self.file) == "protobuf" {
            return;
        }
        self.implementations();
        self.client_calls();
    }

    fn implementations(&mut self) {
        let scopes = self.infer.scopes;
        let view = scopes.table.views[self.file];
        for row in view.supers.iter().filter(|row| row.sub != NONE) {
            let Some(service) = of_base(view.str(row.super_type)).filter(|name| scopes.services.names.contains(*name)) else {
                continue;
            };
            let class = self.base + 1 + row.sub;
            for (at, def) in view.defs.iter().enumerate().filter(|(_, def)| def.kind() == Kind::Method) {
                let node = self.base + 1 + at as NodeId;
                if scopes.table.parents[node as usize] == class {
                    for to in self.remote(scopes.table.node_name[node as usize], service) {
                        self.remote_edge(node, to, (def.name_line, def.name_col), EdgeKind::Overrides, "grpc.service", 90);
                    }
                }
            }
        }
    }

    fn client_calls(&mut self) {
        let scopes = self.infer.scopes;
        let view = scopes.table.views[self.file];
        for row in view.refs.iter().filter(|row| row.role() == Role::Call && row.recv != NONE) {
            let name = scopes.table.name_of(self.file, row.name);
            if !scopes.services.calls.contains_key(&name) {
                continue;
            }
            let Some(service) = client(&view, row.recv, 0) else { continue };
            let owner = self.owner(row.owner);
            for to in self.remote(name, service) {
                self.remote_edge(owner, to, (row.line, row.col), EdgeKind::Calls, "grpc.client", 85);
            }
        }
    }

    /// The calls of one service that are offered under a name.
    fn remote(&self, name: NameId, service: &str) -> Vec<NodeId> {
        let scopes = self.infer.scopes;
        let all = scopes.services.calls.get(&name).into_iter().flatten();
        let meets = |node: &NodeId| scopes.modules.meet(&scopes.table, self.base, *node);
        all.filter(|(of, _)| of == service).map(|(_, node)| *node).filter(meets).collect()
    }

    fn remote_edge(&mut self, from: NodeId, to: NodeId, (line, col): (u32, u16), kind: EdgeKind, rule: &str, confidence: u8) {
        let table = &self.infer.scopes.table;
        let Some(rule) = knowledge::number(rule) else { return };
        let mut flags = edge_flag::SYNTHESIZED;
        if table.files[table.file_of(to)].repo != table.files[self.file].repo {
            flags |= edge_flag::CROSS_REPO;
        }
        let role = if kind == EdgeKind::Calls { Role::Call } else { Role::Implements };
        self.out.edges.push(EdgeRow {
            from,
            to,
            line,
            col,
            kind: kind as u8,
            role: role as u8,
            tier: Tier::AstInferred as u8,
            confidence,
            usage: rule,
            flags,
        });
    }
}

/// The service whose generated client an expression is.
fn client<'v>(view: &FactsView<'v>, expr: u32, depth: u32) -> Option<&'v str> {
    let row = view.expr(expr).filter(|_| depth < DEPTH)?;
    match row.kind() {
        ExprKind::LocalBind => {
            let bind = view.binds.get(row.base as usize)?;
            held(view, bind.ty, bind.init, depth)
        }
        ExprKind::LocalDef => view.defs.get(row.base as usize).and_then(|def| held(view, def.ty, def.init, depth)),
        ExprKind::Name => {
            let global = |def: &&DefRow| def.name == row.name && def.parent == NONE && !def.kind().is_callable();
            view.defs.iter().find(global).and_then(|def| held(view, def.ty, def.init, depth))
        }
        ExprKind::Member => {
            let is_field = |def: &&DefRow| def.name == row.name && matches!(def.kind(), Kind::Field | Kind::Property);
            let mut fields = view.defs.iter().filter(is_field).map(|def| held(view, def.ty, def.init, depth));
            let first = fields.next()?;
            // Fields of one name that hold different things tell nothing.
            fields.all(|other| other == first).then_some(first)?
        }
        ExprKind::Call => {
            let callee = view.expr(row.base)?;
            let name = view.str(callee.name);
            if let Some(service) = name.strip_prefix("New").and_then(|rest| rest.strip_suffix("Client")) {
                return Some(service);
            }
            if matches!(name, "newBlockingStub" | "newStub" | "newFutureStub") {
                return view.str(view.expr(callee.base)?.name).strip_suffix("Grpc");
            }
            of_client(name).filter(|_| name.ends_with("Stub"))
        }
        ExprKind::New | ExprKind::Typed => of_client(view.str(row.name)),
        ExprKind::Unwrap => client(view, row.base, depth + 1),
        _ => None,
    }
}

fn held<'v>(view: &FactsView<'v>, ty: Str, init: u32, depth: u32) -> Option<&'v str> {
    if ty.is_empty() { client(view, init, depth + 1) } else { of_client(view.str(ty)) }
}
