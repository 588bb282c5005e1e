//! What an edit of one file can mean to others.
//!
//! The answer is a set of names: those whose definitions, imports or exports appeared, vanished or now say something else. Only
//! a file that mentions one of them can be bound differently. A definition elsewhere whose own type is told through such a
//! name (`def helper(): return make()`) adds its name, until nothing is added. Where names do not tell who is concerned
//! (module trees, includes, default exports) the answer is "everything".
//!
//! Over-approximates on purpose: mentions are found as words in any of a file's strings, documentation included.

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use memchr::memmem::Finder;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::table::Table;
use crate::facts::FactsView;
use crate::facts::model::{DefRow, ExprKind, ImportRow, Kind, NONE, Str, flag, import_flag};
use crate::graph::FileEntry;
use crate::lang::{Family, Language};

/// Beyond so many names an edit concerns so many files that all are bound again.
const MAX_NAMES: usize = 400;
/// Expressions are followed so deep.
const DEPTH: u32 = 24;

/// What the facts of a file before and after say to others.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Change<'a> {
    /// The same: what differs concerns the inside of bodies.
    Inside,
    /// These names mean something else.
    Names(FxHashSet<&'a str>),
    /// More than names can tell.
    Everything,
}

/// Compares the facts of one file before and after.
pub(super) fn compare<'a>(before: &FactsView<'a>, after: &FactsView<'a>, language: Option<&Language>) -> Change<'a> {
    let family = language.map(|language| language.family);
    let package = |view: &FactsView<'a>| view.str(view.header.package);
    if generics(before) != generics(after)
        || package(before) != package(after)
        || modules(before) != modules(after)
        || defaults(before) != defaults(after)
    {
        return Change::Everything;
    }
    let mut names = FxHashSet::default();
    let Some(same_imports) = import_names(before, after, family, &mut names) else { return Change::Everything };
    let exports = |view: &FactsView<'a>| -> Vec<[&'a str; 2]> {
        view.exports.iter().map(|row| [view.str(row.local), view.str(row.exported)]).collect()
    };
    let (old, new) = (exports(before), exports(after));
    if old != new {
        names.extend(old.into_iter().chain(new).flatten());
    }
    let same_defs = definition_names(before, after, &mut names);
    let supers = |view: &FactsView<'a>| -> Vec<(u32, [&'a str; 2], u8, u8)> {
        let row =
            |row: &crate::facts::SuperRow| (row.sub, [view.str(row.sub_type), view.str(row.super_type)], row.role, row.embeds);
        view.supers.iter().map(row).collect()
    };
    // A changed header is found by comparing the hierarchies; here it only says that the inside is not all that differs.
    let same_supers = supers(before) == supers(after);
    let inside = names.is_empty() && same_defs && same_supers && same_imports;
    if !named(language) {
        // How many arguments may be left out stands in a signature.
        let alike = |(old, new): (&DefRow, &DefRow)| before.str(old.signature) == after.str(new.signature);
        let same = inside && before.defs.iter().zip(after.defs).all(alike);
        return if same { Change::Inside } else { Change::Everything };
    }
    if inside { Change::Inside } else { Change::Names(names) }
}

/// Whether names tell who is concerned. Elsewhere a type is put together from several files, a file shares the names of others
/// without a word or is reached under names that it does not spell out (`a.x = 1` for `x=`), or an extension changes types that
/// it does not mention.
fn named(language: Option<&Language>) -> bool {
    language.is_none_or(|language| match language.family {
        Family::C | Family::Go | Family::Plain | Family::Python | Family::Rust | Family::Script => true,
        Family::Jvm => language.name == "java",
        _ => false,
    })
}

/// Namespaces and submodules: their appearance moves whole paths.
fn modules<'a>(view: &FactsView<'a>) -> Vec<(&'a str, u32)> {
    let inline = view.defs.iter().filter(|def| def.kind() == Kind::Module).map(|def| (view.str(def.name), def.parent));
    let files = view.imports.iter().filter(|row| row.flags & import_flag::SUBMODULE != 0);
    inline.chain(files.flat_map(|row| [(view.str(row.alias), row.owner), (view.str(row.module), row.owner)])).collect()
}

/// Type parameters and what bounds them: what they mean is told by no name.
fn generics<'a>(view: &FactsView<'a>) -> Vec<([&'a str; 2], u32)> {
    view.generics.iter().map(|row| ([view.str(row.name), view.str(row.bound)], row.slot)).collect()
}

/// Default exports: importers give them names of their own.
fn defaults<'a>(view: &FactsView<'a>) -> Vec<[&'a str; 2]> {
    let marked = view.defs.iter().filter(|def| def.has(flag::DEFAULT_EXPORT)).map(|def| [view.str(def.name), "default"]);
    let listed = view.exports.iter().map(|row| [view.str(row.local), view.str(row.exported)]);
    marked.chain(listed.filter(|row| row[1] == "default")).collect()
}

/// Names whose import differs, and whether all rows are the same one by one; `None` when a difference has no name.
fn import_names<'a>(
    before: &FactsView<'a>,
    after: &FactsView<'a>,
    family: Option<Family>,
    names: &mut FxHashSet<&'a str>,
) -> Option<bool> {
    type Import<'a> = ([&'a str; 3], u16, u32);
    let rows = |view: &FactsView<'a>| -> Vec<Import<'a>> {
        let texts = |row: &ImportRow| [view.str(row.module), view.str(row.name), view.str(row.alias)];
        view.imports.iter().map(|row| (texts(row), row.flags, row.owner)).collect()
    };
    let (old, new) = (rows(before), rows(after));
    if old == new {
        return Some(true);
    }
    let (old, new): (FxHashSet<Import<'a>>, FxHashSet<Import<'a>>) = (old.into_iter().collect(), new.into_iter().collect());
    // Wildcards of these families are seen by the importing file alone.
    let private = matches!(family, Some(Family::Go | Family::Jvm | Family::Plain));
    for ([_, name, alias], flags, _) in old.symmetric_difference(&new) {
        let wholesale = flags & import_flag::WILDCARD != 0 && !private;
        if wholesale || family == Some(Family::C) || (alias.is_empty() && name.is_empty() && !private) {
            return None;
        }
        names.extend([*name, *alias].into_iter().filter(|name| !name.is_empty()));
    }
    Some(false)
}

/// Names whose definitions differ; whether rows are the same one by one.
fn definition_names<'a>(before: &FactsView<'a>, after: &FactsView<'a>, names: &mut FxHashSet<&'a str>) -> bool {
    let mut same = before.defs.len() == after.defs.len();
    if same {
        for (old, new) in before.defs.iter().zip(after.defs) {
            if !same_def(before, old, after, new) {
                same = false;
            }
        }
    }
    if same {
        return true;
    }
    let matched = matching(before, after);
    let mut met = vec![false; after.defs.len()];
    for (old, at) in before.defs.iter().zip(&matched) {
        match after.defs.get(*at as usize) {
            Some(new) => {
                met[*at as usize] = true;
                if !said_alike(before, old, after, new) {
                    concerned(before, old, names);
                    concerned(after, new, names);
                }
            }
            None => concerned(before, old, names),
        }
    }
    for (new, _) in after.defs.iter().zip(&met).filter(|(_, met)| !**met) {
        concerned(after, new, names);
    }
    false
}

/// The names that a differing definition concerns. A constructor is reached by its type's name.
fn concerned<'a>(view: &FactsView<'a>, def: &DefRow, names: &mut FxHashSet<&'a str>) {
    let name = view.str(def.name);
    names.insert(name);
    let constructs =
        def.kind() == Kind::Constructor || matches!(name, "__init__" | "constructor" | "init" | "initialize" | "new");
    let parent = view.defs.get(def.parent as usize);
    if let Some(parent) = parent.filter(|parent| constructs || parent.kind() == Kind::TypeAlias || parent.kind().is_callable()) {
        names.insert(view.str(parent.name));
    }
    let owner = view.str(def.owner_type);
    names.extend(owner.rsplit(|part: char| !is_word(part)).find(|part| !part.is_empty()));
}

/// By old definition the new one: the same name below the same parents, the first with the first and so on; else `NONE`.
pub(super) fn matching(before: &FactsView<'_>, after: &FactsView<'_>) -> Vec<u32> {
    let mut places: FxHashMap<(u32, &str, &str, u32), u32> = FxHashMap::default();
    let mut count: FxHashMap<(u32, &str, &str), u32> = FxHashMap::default();
    for (at, def) in after.defs.iter().enumerate() {
        let key = (def.parent, after.str(def.name), after.str(def.owner_type));
        let nth = count.entry(key).or_default();
        places.insert((key.0, key.1, key.2, *nth), at as u32);
        *nth += 1;
    }
    let mut count: FxHashMap<(u32, &str, &str), u32> = FxHashMap::default();
    let mut matched: Vec<u32> = Vec::with_capacity(before.defs.len());
    for def in before.defs {
        let parent = if def.parent == NONE { NONE } else { matched.get(def.parent as usize).copied().unwrap_or(NONE) };
        if def.parent != NONE && parent == NONE {
            matched.push(NONE);
            continue;
        }
        let key = (parent, before.str(def.name), before.str(def.owner_type));
        let nth = count.entry(key).or_default();
        matched.push(places.get(&(key.0, key.1, key.2, *nth)).copied().unwrap_or(NONE));
        *nth += 1;
    }
    matched
}

fn same_def(before: &FactsView<'_>, old: &DefRow, after: &FactsView<'_>, new: &DefRow) -> bool {
    old.parent == new.parent
        && before.str(old.name) == after.str(new.name)
        && before.str(old.owner_type) == after.str(new.owner_type)
        && said_alike(before, old, after, new)
}

/// Whether two definitions of one name say the same to whoever mentions it.
fn said_alike(before: &FactsView<'_>, old: &DefRow, after: &FactsView<'_>, new: &DefRow) -> bool {
    (old.kind, old.visibility, old.flags, old.params) == (new.kind, new.visibility, new.flags, new.params)
        && before.str(old.ty) == after.str(new.ty)
        && same_expr(before, old.init, after, new.init, 0)
}

fn same_expr(before: &FactsView<'_>, old: u32, after: &FactsView<'_>, new: u32, depth: u32) -> bool {
    let (Some(a), Some(b)) = (before.expr(old), after.expr(new)) else { return (old == NONE) == (new == NONE) };
    if depth > DEPTH || a.kind != b.kind || a.slot != b.slot || before.str(a.name) != after.str(b.name) {
        return false;
    }
    match a.kind() {
        ExprKind::LocalBind => match (before.binds.get(a.base as usize), after.binds.get(b.base as usize)) {
            (Some(x), Some(y)) => before.str(x.ty) == after.str(y.ty) && same_expr(before, x.init, after, y.init, depth + 1),
            _ => false,
        },
        ExprKind::LocalDef => a.base == b.base,
        ExprKind::Member
        | ExprKind::Path
        | ExprKind::Call
        | ExprKind::Index
        | ExprKind::Unwrap
        | ExprKind::Element
        | ExprKind::Wrapped => same_expr(before, a.base, after, b.base, depth + 1),
        _ => true,
    }
}

fn is_word(part: char) -> bool {
    part == '_' || part == '$' || part.is_alphanumeric()
}

/// The files that a set of names concerns, as it grows.
pub(super) struct Concern<'t, 'a> {
    table: &'t [FactsView<'a>],
    names: FxHashSet<&'a str>,
    /// By file number.
    pub files: Vec<bool>,
}

impl<'t, 'a> Concern<'t, 'a> {
    pub fn new(views: &'t [FactsView<'a>]) -> Self {
        Concern { table: views, names: FxHashSet::default(), files: vec![false; views.len()] }
    }

    /// How many files are concerned.
    pub fn count(&self) -> usize {
        self.files.iter().filter(|file| **file).count()
    }

    /// Adds names with all that follows from them; false when that is too much to be worth following.
    pub fn add(&mut self, names: impl IntoIterator<Item = &'a str>, most: usize) -> bool {
        let mut fresh: Vec<&'a str> = names.into_iter().filter(|name| !name.is_empty() && self.names.insert(name)).collect();
        while !fresh.is_empty() {
            if self.names.len() > MAX_NAMES {
                return false;
            }
            let Some(words) = Words::new(&fresh) else { return false };
            let found: Vec<(usize, Vec<&'a str>)> = (self.table.par_iter().enumerate())
                .filter_map(|(file, view)| {
                    let hits = words.mentioned_in(view);
                    (!hits.is_empty()).then(|| (file, carriers(view, &hits)))
                })
                .collect();
            drop(words);
            fresh.clear();
            for (file, carried) in found {
                self.files[file] = true;
                fresh.extend(carried.into_iter().filter(|name| self.names.insert(name)));
            }
            if self.count() > most {
                return false;
            }
        }
        true
    }
}

/// Finds any of some names as whole words.
enum Words<'n> {
    /// Each by itself: a search for one name runs at the speed of memory.
    Few(Vec<Finder<'n>>),
    Many(Box<AhoCorasick>),
}

/// Up to so many names are searched one by one.
const FEW: usize = 12;

impl<'n> Words<'n> {
    fn new(names: &'n [&str]) -> Option<Self> {
        if names.len() <= FEW {
            return Some(Words::Few(names.iter().map(|name| Finder::new(name.as_bytes())).collect()));
        }
        let mut builder = AhoCorasick::builder();
        builder.match_kind(MatchKind::Standard).kind(Some(AhoCorasickKind::ContiguousNFA));
        builder.build(names).ok().map(|finder| Words::Many(Box::new(finder)))
    }

    /// The strings of a file that hold one of the names.
    fn mentioned_in(&self, view: &FactsView<'_>) -> FxHashSet<Str> {
        let blob = view.string_bytes();
        let mut found = FxHashSet::default();
        let mut hit = |start: usize, end: usize| {
            let Some((id, text, from)) = view.string_at(start) else { return };
            let whole = text.get(..start - from).is_some_and(|head| !head.chars().next_back().is_some_and(is_word))
                && text.get(end - from..).is_some_and(|tail| !tail.chars().next().is_some_and(is_word));
            if whole {
                found.insert(id);
            }
        };
        match self {
            Words::Few(finders) => {
                for finder in finders {
                    finder.find_iter(blob).for_each(|at| hit(at, at + finder.needle().len()));
                }
            }
            Words::Many(finder) => finder.find_overlapping_iter(blob).for_each(|one| hit(one.start(), one.end())),
        }
        found
    }
}

/// Names of a file's definitions, imports and exports that tell something through one of these strings.
fn carriers<'a>(view: &FactsView<'a>, hits: &FxHashSet<Str>) -> Vec<&'a str> {
    let mut found = Vec::new();
    for def in view.defs {
        if hits.contains(&def.ty) || hits.contains(&def.owner_type) || expr_mentions(view, def.init, hits, 0) {
            found.push(view.str(def.name));
        }
    }
    // What is told through a type parameter is told through its bounds.
    for row in view.generics.iter().filter(|row| hits.contains(&row.bound)) {
        let inside = view.defs.iter().filter(|def| row.start <= def.start && def.end <= row.end && !def.ty.is_empty());
        found.extend(inside.map(|def| view.str(def.name)));
    }
    for row in view.imports.iter().filter(|row| row.alias != row.name && !row.alias.is_empty()) {
        if hits.contains(&row.name) {
            found.push(view.str(row.alias));
        }
    }
    // Below a type that changed, constructors and members are reached by the subtype's name.
    for row in view.supers.iter().filter(|row| hits.contains(&row.super_type)) {
        found.push(view.defs.get(row.sub as usize).map_or(view.str(row.sub_type), |def| view.str(def.name)));
    }
    for row in view.exports.iter().filter(|row| row.local != row.exported && hits.contains(&row.local)) {
        found.push(view.str(row.exported));
    }
    found
}

fn expr_mentions(view: &FactsView<'_>, at: u32, hits: &FxHashSet<Str>, depth: u32) -> bool {
    let Some(row) = view.expr(at).filter(|_| depth <= DEPTH) else { return false };
    if hits.contains(&row.name) {
        return true;
    }
    match row.kind() {
        ExprKind::LocalBind => view
            .binds
            .get(row.base as usize)
            .is_some_and(|bind| hits.contains(&bind.ty) || expr_mentions(view, bind.init, hits, depth + 1)),
        ExprKind::LocalDef => false,
        ExprKind::Member
        | ExprKind::Path
        | ExprKind::Call
        | ExprKind::Index
        | ExprKind::Unwrap
        | ExprKind::Element
        | ExprKind::Wrapped => expr_mentions(view, row.base, hits, depth + 1),
        _ => false,
    }
}

/// Names of all members of some types, with those of the types they are reached by.
pub(super) fn member_names<'a>(table: &Table<'a>, types: &FxHashSet<u32>) -> FxHashSet<&'a str> {
    let mut found = FxHashSet::default();
    for ty in types {
        for node in std::iter::once(ty).chain(table.all_members(*ty)) {
            if let Some(def) = table.def(*node) {
                found.insert(table.str(table.file_of(*node), def.name));
            }
        }
    }
    found
}

/// Whether linking may keep what it has of these files: the same paths in the same languages.
pub(super) fn same_files(before: &[FileEntry], after: &[FileEntry]) -> bool {
    before.len() == after.len()
        && before.iter().zip(after).all(|(old, new)| old.path == new.path && old.lang == new.lang && old.repo == new.repo)
}
