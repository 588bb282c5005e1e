//! Where a value or a name comes from, as far as one file tells: imports written out, initialisers followed.
//!
//! Knows rows of one file.

use std::cell::OnceCell;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::facts::model::*;
use crate::facts::walker::Walker;

/// Expressions are followed so deep.
const DEPTH: usize = 10;

/// A path with `.` for every separator and `()` for every call.
pub(super) struct Path {
    pub text: String,
    /// Whether its beginning is told: an import, a written type, a literal.
    pub known: bool,
}

impl Path {
    /// Whether it begins with one of these modules or types.
    pub fn is_from(&self, modules: &[&str]) -> bool {
        modules.iter().any(|module| below(&self.text, module))
    }
}

/// Whether a path is a module or something in it.
fn below(path: &str, module: &str) -> bool {
    path.strip_prefix(module).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '-'))
}

/// The imports of a file, and what its names lead to.
pub(super) struct Origin<'w, 'a> {
    walker: &'w Walker<'a>,
    /// Imported names with what they stand for.
    names: FxHashMap<&'w str, String>,
    /// Modules that are imported, with whether all of their names are.
    modules: Vec<(String, bool)>,
    /// Names that a shell script gives a value.
    assigned: OnceCell<FxHashSet<&'w str>>,
}

impl<'w, 'a> Origin<'w, 'a> {
    pub fn new(walker: &'w Walker<'a>) -> Self {
        let text = |id: Str| walker.strings.get(id);
        let mut names = FxHashMap::default();
        let mut modules = Vec::new();
        let go = walker.language.language.name == "go";
        for row in &walker.rows.imports {
            let module = dotted(text(row.module));
            let (name, alias) = (text(row.name), text(row.alias));
            let whole = if name.is_empty() { module.clone() } else { format!("{module}.{name}") };
            let alias = match alias {
                "" if go => go_name(text(row.module)),
                // `nats.go` is known as `nats`.
                alias if go => alias.split('.').next().unwrap_or(alias),
                alias => alias,
            };
            let all = row.flags & import_flag::WILDCARD != 0 || (alias.is_empty() && name.is_empty());
            modules.push((whole.clone(), all));
            if !alias.is_empty() && !all {
                // `import os.path` makes `os` known, not `path`.
                let first = alias.split('.').next().unwrap_or(alias);
                let whole = if first.len() < alias.len() { first.to_owned() } else { whole };
                names.insert(first, whole);
            }
        }
        Origin { walker, names, modules, assigned: OnceCell::new() }
    }

    /// Whether the file imports a module or something in it.
    pub fn imports(&self, module: &str) -> bool {
        self.modules.iter().any(|(path, _)| below(path, module))
    }

    /// Whether a bare name is imported from one of the modules.
    pub fn is_imported(&self, row: &RefRow, modules: &[&str]) -> bool {
        let name = self.text(row.name);
        if row.recv != NONE {
            // `@router.Get()`, `injector.Inject`: through the module.
            return self.of_mention(row).is_some_and(|path| path.known && path.is_from(modules));
        }
        if let Some(path) = self.names.get(name) {
            return modules.iter().any(|module| below(path, module));
        }
        let defined = self.walker.rows.defs.iter().any(|def| def.name == row.name && def.parent == NONE);
        !defined && self.modules.iter().any(|(path, all)| *all && modules.iter().any(|module| below(path, module)))
    }

    /// Whether a shell script gives a variable of this name a value anywhere.
    pub fn is_assigned(&self, name: &str) -> bool {
        self.assigned.get_or_init(|| assigned(self.walker.slice(0, self.walker.source.len()))).contains(name)
    }

    /// The path of a mention, its own name last.
    pub fn of_mention(&self, row: &RefRow) -> Option<Path> {
        if row.recv == NONE {
            return Some(self.name(row.name, 0));
        }
        let expr = self.walker.rows.exprs.get(row.recv as usize)?;
        if expr.slot == BARE && matches!(expr.kind(), ExprKind::LocalBind | ExprKind::LocalDef) {
            return self.path(row.recv);
        }
        let base = self.path(row.recv)?;
        Some(Path { text: format!("{}.{}", base.text, self.text(row.name)), known: base.known })
    }

    /// The path of an expression.
    pub fn path(&self, expr: u32) -> Option<Path> {
        self.follow(expr, 0)
    }

    fn follow(&self, expr: u32, depth: usize) -> Option<Path> {
        let row = self.walker.rows.exprs.get(expr as usize).filter(|_| depth < DEPTH)?;
        match row.kind() {
            ExprKind::Name => Some(self.name(row.name, depth)),
            ExprKind::LocalDef => self.walker.rows.defs.get(row.base as usize).map(|def| self.def(def, depth)),
            ExprKind::LocalBind => {
                let bind = self.walker.rows.binds.get(row.base as usize)?;
                if bind.ty.is_empty() { self.follow(bind.init, depth + 1) } else { Some(self.ty(bind.ty)) }
            }
            ExprKind::Member | ExprKind::Path => {
                let base = self.walker.rows.exprs.get(row.base as usize)?;
                if base.kind() == ExprKind::SelfRef {
                    return self.field(row.name, depth);
                }
                let base = self.follow(row.base, depth + 1)?;
                Some(Path { text: format!("{}.{}", base.text, self.text(row.name)), known: base.known })
            }
            ExprKind::Call | ExprKind::Given => {
                let base = self.follow(row.base, depth + 1)?;
                Some(Path { text: base.text + "()", known: base.known })
            }
            ExprKind::New | ExprKind::Typed => Some(self.ty(row.name)),
            ExprKind::Unwrap | ExprKind::Wrapped => self.follow(row.base, depth + 1),
            ExprKind::Index | ExprKind::Element => {
                let base = self.follow(row.base, depth + 1)?;
                Some(Path { text: base.text + "[]", known: base.known })
            }
            ExprKind::Literal => Some(Path { text: "literal".to_owned(), known: true }),
            ExprKind::SelfRef | ExprKind::Super | ExprKind::Unknown => None,
        }
    }

    /// A free name: what it imports, what is defined under it here, or itself.
    fn name(&self, name: Str, depth: usize) -> Path {
        let text = self.text(name);
        if let Some(path) = self.names.get(text) {
            // What comes from the repository itself is not told by its path.
            return Path { text: path.clone(), known: !path.starts_with('.') };
        }
        let defined = self.walker.rows.defs.iter().find(|def| def.name == name && def.parent == NONE);
        match defined.filter(|_| depth < DEPTH) {
            Some(def) => self.def(def, depth),
            None => Path { text: text.to_owned(), known: false },
        }
    }

    fn def(&self, def: &DefRow, depth: usize) -> Path {
        let here = || Path { text: format!("here.{}", self.text(def.name)), known: true };
        let kind = def.kind();
        if kind.is_callable() || kind.is_type() {
            return here();
        }
        if !def.ty.is_empty() {
            return self.ty(def.ty);
        }
        self.follow(def.init, depth + 1).unwrap_or(Path { text: self.text(def.name).to_owned(), known: false })
    }

    /// A field of the type around, where the file has one of that name.
    fn field(&self, name: Str, depth: usize) -> Option<Path> {
        let is_field = |def: &&DefRow| def.name == name && matches!(def.kind(), Kind::Field | Kind::Property);
        self.walker.rows.defs.iter().find(is_field).map(|def| self.def(def, depth))
    }

    /// A type's text: its name with imports written out.
    fn ty(&self, ty: Str) -> Path {
        let text = self.text(ty).trim_start_matches(['*', '&', '?', '[', ']']).trim_start();
        let name = dotted(text.split(['<', '[', '?', ' ', '|', '(']).next().unwrap_or(text));
        let (first, rest) = name.split_once('.').map_or((name.as_str(), ""), |(first, rest)| (first, rest));
        let whole = self.names.get(first).map_or(first, String::as_str);
        let known = !whole.starts_with('.');
        Path { text: if rest.is_empty() { whole.to_owned() } else { format!("{whole}.{rest}") }, known }
    }

    fn text(&self, id: Str) -> &'w str {
        self.walker.strings.get(id)
    }
}

/// Words of a script that stand before `=` or behind a word that declares or reads them.
fn assigned(text: &str) -> FxHashSet<&str> {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut found = FxHashSet::default();
    for line in text.lines() {
        for (at, _) in line.match_indices('=') {
            let before = line[..at].trim_end_matches('+');
            let start = before.rfind(|c| !word(c)).map_or(0, |end| end + 1);
            found.insert(&before[start..]);
        }
        for command in line.split([';', '|', '&', '{']) {
            let mut words = command.split(|c: char| !word(c)).filter(|part| !part.is_empty()).skip_while(|part| *part == "do");
            match words.next() {
                Some("for" | "select") => found.extend(words.next()),
                Some("read" | "local" | "declare" | "typeset" | "mapfile" | "readarray") => found.extend(words),
                Some("while" | "until" | "if") if words.clone().any(|part| part == "read") => found.extend(words),
                _ => {}
            }
        }
    }
    found
}

/// The name under which a Go package is known where nothing else is said.
fn go_name(module: &str) -> &str {
    let mut parts = module.rsplit('/');
    let last = parts.next().unwrap_or(module);
    let version = last.strip_prefix('v').is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|c| c.is_ascii_digit()));
    let last = if version { parts.next().unwrap_or(last) } else { last };
    last.split('.').next().unwrap_or(last)
}

fn dotted(text: &str) -> String {
    if text.contains("::") || text.contains('\\') {
        return text.replace("::", ".").replace('\\', ".").trim_start_matches('.').to_owned();
    }
    text.trim_start_matches("node:").to_owned()
}
