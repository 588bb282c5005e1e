//! The end of the walk: names are resolved in their scopes, and rows that nothing needs are dropped.
//!
//! Knows rows and scopes, no trees.

use rustc_hash::FxHashMap;
use tree_sitter::Node;

use super::Walker;
use crate::facts::model::*;
use crate::facts::pack::{Facts, Rows};
use crate::facts::scope::Target;

impl Walker<'_> {
    pub(super) fn finish(mut self, root: Node<'_>) -> Facts {
        self.scopes.seal();
        self.resolve_names();
        // Hooks visit in the order they need; readers are promised the order of the text.
        self.rows.refs.sort_by_key(|row| row.at);
        self.settle_raises();
        super::clues::read(&mut self, root);
        let rows = compact(self.rows);
        rows.pack(&self.strings)
    }

    fn resolve_names(&mut self) {
        let hoists = self.language.language.hoists;
        for (index, expr) in self.rows.exprs.iter_mut().enumerate() {
            if expr.kind() != ExprKind::Name {
                continue;
            }
            let (scope, at) = self.expr_scopes[index];
            match self.scopes.lookup(scope, expr.name, at, hoists) {
                Some(Target::Def(def)) => (expr.kind, expr.base) = (ExprKind::LocalDef as u8, def),
                Some(Target::Bind(bind)) => (expr.kind, expr.base) = (ExprKind::LocalBind as u8, bind),
                None => {}
            }
        }
        let mut locals: FxHashMap<(u8, u32), u32> = FxHashMap::default();
        let scopes = &self.scopes;
        let exprs = &mut self.rows.exprs;
        let mut keep = Vec::with_capacity(self.rows.refs.len());
        for (index, reference) in self.rows.refs.iter_mut().enumerate() {
            let mut kept = true;
            if reference.recv == NONE && !matches!(reference.role(), Role::Import | Role::ReExport) {
                let found = scopes.lookup(self.ref_scopes[index], reference.name, reference.at, hoists);
                if let Some(target) = found {
                    let (kind, base) = match target {
                        Target::Def(def) => (ExprKind::LocalDef, def),
                        Target::Bind(bind) => (ExprKind::LocalBind, bind),
                    };
                    // Reading a local says nothing about other symbols; calling one may.
                    kept = kind == ExprKind::LocalDef || matches!(reference.role(), Role::Call | Role::Instantiate);
                    reference.recv = *locals.entry((kind as u8, base)).or_insert_with(|| {
                        exprs.push(ExprRow { kind: kind as u8, slot: BARE, reserved: 0, name: reference.name, base });
                        exprs.len() as u32 - 1
                    });
                }
            }
            keep.push(kept);
        }
        let mut kept = keep.iter();
        self.rows.refs.retain(|_| *kept.next().unwrap_or(&true));
    }
}

/// Drops expressions and bindings that nothing needs and folds equal expressions.
fn compact(mut rows: Rows) -> Rows {
    let Rows { defs, refs, exprs, binds, .. } = &mut rows;
    let mut expr_used = vec![false; exprs.len()];
    let mut bind_used = vec![false; binds.len()];
    let roots = refs.iter().map(|row| row.recv).chain(defs.iter().map(|row| row.init));
    let mut pending: Vec<u32> = roots.filter(|index| *index != NONE).collect();
    while let Some(index) = pending.pop() {
        if std::mem::replace(&mut expr_used[index as usize], true) {
            continue;
        }
        let row = exprs[index as usize];
        match row.kind() {
            ExprKind::LocalBind => {
                let init = binds[row.base as usize].init;
                if !std::mem::replace(&mut bind_used[row.base as usize], true) && init != NONE {
                    pending.push(init);
                }
            }
            ExprKind::LocalDef => {}
            _ if row.base != NONE => pending.push(row.base),
            _ => {}
        }
    }
    let mut bind_map = vec![NONE; binds.len()];
    let mut next = 0;
    for (index, used) in bind_used.iter().enumerate() {
        if *used {
            bind_map[index] = next;
            next += 1;
        }
    }
    let mut expr_map = vec![NONE; exprs.len()];
    let mut folded: FxHashMap<ExprRow, u32> = FxHashMap::default();
    let mut out = Vec::new();
    for (index, used) in expr_used.iter().enumerate() {
        if !used {
            continue;
        }
        let mut row = exprs[index];
        row.base = match row.kind() {
            ExprKind::LocalBind => bind_map[row.base as usize],
            ExprKind::LocalDef => row.base,
            _ if row.base == NONE => NONE,
            _ => expr_map[row.base as usize],
        };
        expr_map[index] = *folded.entry(row).or_insert_with(|| {
            out.push(row);
            out.len() as u32 - 1
        });
    }
    let remap = |index: &mut u32| {
        if *index != NONE {
            *index = expr_map[*index as usize];
        }
    };
    for row in refs.iter_mut() {
        remap(&mut row.recv);
    }
    for row in defs.iter_mut() {
        remap(&mut row.init);
    }
    for row in binds.iter_mut() {
        remap(&mut row.init);
    }
    let mut used = bind_used.iter();
    binds.retain(|_| *used.next().unwrap_or(&false));
    *exprs = out;
    rows
}
