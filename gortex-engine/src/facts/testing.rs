//! Expectations under the code: source in a language, and under each line, in the language's comments, what stands there.
//!
//! ```text
//! fn a() { b() }
//! // ^ def function a
//! //       ^ call b
//! ```
//!
//! The first `^` names the column; `<-` after the comment mark names the first column of text. The whole set of
//! definitions and calls must be expected; other roles (`value`, `type`, `import`, `extends`, ...) are checked where they
//! are named. The end of a block comment is no part of what is expected. A definition is written `def <kind> <Owner.name>`, a call `call name` or `call receiver.name` where the
//! receiver is what [`show_expr`] prints.

use super::model::{BARE, ExprKind, NONE, Role};
use super::pack::FactsView;
use super::walker::{ExtractLimits, extract};
use crate::lang::Lang;

/// Compares facts with the expectations written under the code.
#[track_caller]
pub(crate) fn check_facts(language: &str, source: &str) {
    let lang = Lang::named(language).expect("a language of the table");
    let comment = lang.language().line_comment;
    let facts = extract(lang.compiled(), source.as_bytes(), ExtractLimits::default());
    let view = facts.view();
    let mut expected: Vec<String> = Vec::new();
    let mut line = 0;
    for (at, text) in source.lines().enumerate() {
        match mark(text, comment) {
            Some((column, what)) => {
                let column = column.unwrap_or_else(|| {
                    let above = source.lines().nth(line - 1).unwrap_or_default();
                    above.len() - above.trim_start().len()
                });
                expected.push(format!("{line}:{column} {what}"));
            }
            None => line = at + 1,
        }
    }
    let mut actual = shown(&view);
    actual.retain(|row| {
        let role = row.split(' ').nth(1).unwrap_or("");
        matches!(role, "def" | "call" | "instantiate" | "render") || expected.contains(row)
    });
    expected.sort();
    actual.sort();
    actual.dedup();
    let missing: Vec<_> = expected.iter().filter(|row| !actual.contains(row)).collect();
    let unexpected: Vec<_> = actual.iter().filter(|row| !expected.contains(row)).collect();
    assert!(
        missing.is_empty() && unexpected.is_empty(),
        "missing: {missing:#?}\nunexpected: {unexpected:#?}\nall: {:#?}",
        shown(&view)
    );
}

fn mark<'a>(text: &'a str, comment: &str) -> Option<(Option<usize>, &'a str)> {
    let text = ["-->", "*/"].iter().find_map(|end| text.trim_end().strip_suffix(end)).unwrap_or(text);
    let rest = text.trim_start().strip_prefix(comment)?;
    if let Some(what) = rest.trim_start().strip_prefix("<-") {
        return Some((None, what.trim()));
    }
    if !rest.trim_start().starts_with('^') {
        return None;
    }
    let column = text.find('^')?;
    Some((Some(column), text[column..].trim_start_matches('^').trim()))
}

/// Every row as `line:column role what`.
pub(crate) fn shown(view: &FactsView<'_>) -> Vec<String> {
    let defs = (0..view.defs.len() as u32).map(|index| {
        let def = view.defs[index as usize];
        format!("{}:{} def {} {}", def.name_line, def.name_col, def.kind().as_str(), qualified(view, index))
    });
    let refs = view.refs.iter().map(|row| {
        let name = view.str(row.name);
        let place = format!("{}:{} {}", row.line, row.col, row.role().as_str());
        match row.recv {
            NONE => format!("{place} {name}"),
            recv => match view.exprs[recv as usize].kind() {
                ExprKind::LocalDef | ExprKind::LocalBind if view.exprs[recv as usize].slot == BARE => format!("{place} {name}"),
                ExprKind::Path => format!("{place} {}::{name}", show_expr(view, recv)),
                _ => format!("{place} {}.{name}", show_expr(view, recv)),
            },
        }
    });
    let imports = view.imports.iter().map(|row| {
        let what = [view.str(row.module), view.str(row.name), view.str(row.alias)];
        format!("{}:{} import {}", row.line, row.col, what.join("|"))
    });
    let supers = view.supers.iter().map(|row| {
        let role = Role::from_byte(row.role).as_str();
        let sub = if row.sub == NONE { view.str(row.sub_type).to_owned() } else { qualified(view, row.sub) };
        format!("{}:{} {role} {sub} {}", row.line, row.col, view.str(row.super_type))
    });
    defs.chain(refs).chain(imports).chain(supers).collect()
}

/// `Outer.inner` of a definition.
pub(crate) fn qualified(view: &FactsView<'_>, index: u32) -> String {
    let def = view.defs[index as usize];
    let name = if def.name.is_empty() { "<anonymous>" } else { view.str(def.name) };
    if def.parent != NONE {
        format!("{}.{name}", qualified(view, def.parent))
    } else if !def.owner_type.is_empty() {
        format!("{}.{name}", view.str(def.owner_type))
    } else {
        name.to_owned()
    }
}

/// An expression as short text: `x` a free name, `%x` a local, `self`, `f()` a call, `new T`, `T:` a typed value, `?` unknown.
pub(crate) fn show_expr(view: &FactsView<'_>, index: u32) -> String {
    let Some(row) = view.expr(index) else { return "?".to_owned() };
    let base = || show_expr(view, row.base);
    let name = view.str(row.name);
    match row.kind() {
        ExprKind::Unknown => "?".to_owned(),
        ExprKind::Name => name.to_owned(),
        ExprKind::LocalDef => format!("%{name}"),
        ExprKind::LocalBind => format!("%{name}"),
        ExprKind::SelfRef => "self".to_owned(),
        ExprKind::Super => "super".to_owned(),
        ExprKind::Member => format!("{}.{name}", base()),
        ExprKind::Path => format!("{}::{name}", base()),
        ExprKind::Call => format!("{}()", base()),
        ExprKind::New => format!("new {name}"),
        ExprKind::Typed => format!("{name}:"),
        ExprKind::Literal => format!("<{name}>"),
        ExprKind::Index => format!("{}[]", base()),
        ExprKind::Unwrap => format!("{}?", base()),
        ExprKind::Element => format!("{}*", base()),
        ExprKind::Wrapped => format!("{name}({})", base()),
        ExprKind::Given => format!("{}({}:{})", base(), row.slot >> 3, row.slot & 7),
    }
}
