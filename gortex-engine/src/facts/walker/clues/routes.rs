//! Routes: which method, under which path, handled by what.
//!
//! A path is put together from what the file shows: the router it is registered on, the class around it, the calls around it. Where
//! a router is mounted by another file, its routes stay under the path that is written here.
//!
//! Knows calls and definitions of one file.

use rustc_hash::FxHashMap;
use tree_sitter::Node;

use super::args::{self, Call, Given};
use super::{Hit, STRONG, define, handled, handled_by, row_len};
use crate::facts::model::*;
use crate::facts::walker::Walker;
use crate::knowledge::{Arg, Makes, Verb};

/// Methods of the protocol, as functions are named after them.
const METHODS: [&str; 7] = ["get", "post", "put", "delete", "patch", "head", "options"];
/// A path is put together from so many parts.
const PARTS: usize = 6;

/// How a rule reads a registration.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    pub verb: Verb,
    pub path: Arg,
    pub handler: Arg,
}

/// Paths that others are below.
#[derive(Default)]
pub(super) struct Prefixes {
    /// By the definition that is annotated, or holds the router.
    of_def: FxHashMap<u32, String>,
    /// By the local that holds the router.
    of_bind: FxHashMap<u32, String>,
    /// By what is inside of the arguments of a call.
    inside: Vec<(usize, usize, String)>,
    /// The values that routers themselves were made from: by receiver and name, and by where the call begins and its name.
    values: FxHashMap<(u32, u32), String>,
    places: FxHashMap<(u32, u32), String>,
}

/// Reads the prefixes of a file.
pub(super) fn prefixes(walker: &mut Walker<'_>, root: Node<'_>, hits: &[Hit]) -> Prefixes {
    let mut found = Prefixes::default();
    for hit in hits {
        let row = walker.rows.refs[hit.mention as usize];
        let arg = match hit.rule.makes {
            Makes::Prefix(arg) => arg,
            // On a class, an annotation of a route is what its routes have in common.
            Makes::Route { path, .. } if row.role() == Role::Attribute => path,
            _ => continue,
        };
        let Some(call) = args::call(walker, root, row.at as usize, row_len(walker, &row)) else { continue };
        let Some(text) = call.arg(arg).and_then(|given| given.texts(walker).first().map(|(text, _)| (*text).to_owned())) else {
            continue;
        };
        if row.role() == Role::Attribute {
            let carrier = walker.rows.defs.get(row.owner as usize).copied();
            if carrier.is_some_and(|def| def.kind().is_type()) {
                let text = filled(walker, row.owner, &text);
                found.of_def.insert(row.owner, text);
            }
            continue;
        }
        found.inside.push((row.at as usize + row_len(walker, &row), call.end, text.clone()));
        found.places.insert((call.start as u32, row.name.0), text.clone());
        found.values.insert((row.recv, row.name.0), text);
    }
    if !found.values.is_empty() {
        held(walker, &mut found);
    }
    found
}

/// Which definitions and locals hold a router with a prefix; what is made from another one comes after it.
fn held(walker: &Walker<'_>, found: &mut Prefixes) {
    for at in 0..walker.rows.binds.len() {
        if let Some(text) = base_of(walker, walker.rows.binds[at].init, found) {
            found.of_bind.insert(at as u32, text);
        }
    }
    for at in 0..walker.rows.defs.len() {
        let def = &walker.rows.defs[at];
        if !def.kind().is_callable()
            && let Some(text) = base_of(walker, def.init, found)
        {
            found.of_def.insert(at as u32, text);
        }
    }
}

/// The prefix of the router that an expression is.
fn base_of(walker: &Walker<'_>, expr: u32, found: &Prefixes) -> Option<String> {
    let row = walker.rows.exprs.get(expr as usize)?;
    match row.kind() {
        ExprKind::LocalBind => found.of_bind.get(&row.base).cloned(),
        ExprKind::LocalDef => found.of_def.get(&row.base).cloned(),
        ExprKind::Name => {
            let at = walker.rows.defs.iter().position(|def| def.name == row.name && def.parent == NONE)?;
            found.of_def.get(&(at as u32)).cloned()
        }
        ExprKind::Call => {
            let callee = walker.rows.exprs.get(row.base as usize)?;
            let recv = if callee.kind() == ExprKind::Name { NONE } else { callee.base };
            let outer = base_of(walker, recv, found);
            let at = walker.expr_scopes.get(expr as usize).map_or(0, |(_, at)| *at);
            let by_place = || found.places.get(&(at, callee.name.0));
            match found.values.get(&(recv, callee.name.0)).or_else(by_place) {
                Some(text) => Some(join(outer.as_deref().unwrap_or(""), text)),
                None => outer,
            }
        }
        ExprKind::New => found.values.get(&(NONE, row.name.0)).cloned(),
        ExprKind::Unwrap | ExprKind::Member => base_of(walker, row.base, found),
        _ => None,
    }
}

/// `[controller]` and `[action]` stand for names.
fn filled(walker: &Walker<'_>, def: u32, text: &str) -> String {
    if !text.contains('[') {
        return text.to_owned();
    }
    let name = walker.rows.defs.get(def as usize).map_or("", |def| walker.strings.get(def.name));
    text.replace("[controller]", name.strip_suffix("Controller").unwrap_or(name)).replace("[action]", name)
}

fn join(prefix: &str, path: &str) -> String {
    if path.starts_with('^') {
        return format!("{prefix}{path}");
    }
    let mut whole = String::with_capacity(prefix.len() + path.len() + 2);
    for part in [prefix, path] {
        let part = part.trim();
        if part.is_empty() {
            continue;
        }
        if !part.starts_with(['/', '*']) && !whole.ends_with('/') {
            whole.push('/');
        }
        let part = if whole.ends_with('/') { part.trim_start_matches('/') } else { part };
        whole.push_str(part);
    }
    if whole.is_empty() {
        whole.push('/');
    }
    whole
}

/// Enters the routes that a registration makes.
pub(super) fn route(walker: &mut Walker<'_>, root: Node<'_>, hit: Hit, prefixes: &Prefixes, shape: Shape) {
    let row = walker.rows.refs[hit.mention as usize];
    let len = row_len(walker, &row);
    let name = walker.strings.get(row.name).to_owned();
    let on_type =
        row.role() == Role::Attribute && walker.rows.defs.get(row.owner as usize).is_some_and(|def| def.kind().is_type());
    if on_type {
        return;
    }
    let call = args::call(walker, root, row.at as usize, len);
    let bare = Call::bare(row.at as usize, row.at as usize + len);
    let call = match call {
        Some(call) => call,
        // `@GetMapping` alone is the path of the class.
        None if row.role() == Role::Attribute => bare,
        None => return,
    };
    let given = match shape.path {
        Arg::Beside(name) => beside(walker, root, &row, name),
        path => call.arg(path),
    };
    let mut paths: Vec<(String, usize)> =
        given.iter().flat_map(|given| given.texts(walker)).map(|(text, at)| (text.to_owned(), at)).collect();
    // `app.route('/x').get(list)`: the path is what the router stands for.
    let chained = paths.is_empty() && is_prefixed_call(walker, row.recv, prefixes) && call.arg(Arg::Nth(0)).is_some();
    let handler = if chained { Arg::Nth(0) } else { shape.handler };
    if chained {
        paths.push((String::new(), row.at as usize));
    }
    if paths.is_empty() {
        // A path that is put together at run time is none that could be told.
        if row.role() != Role::Attribute || given.is_some() {
            return;
        }
        paths.push((String::new(), row.at as usize));
    }
    // What only looks like a registration: `app.get('setting')`.
    if handler != Arg::Carrier && call.arg(handler).is_none() {
        return;
    }
    let class = walker.rows.defs.get(row.owner as usize).map_or(NONE, |def| def.parent);
    for (path, at) in paths {
        if hit.sure < STRONG && !path.starts_with('/') && shape.verb != Verb::InPath && !path.is_empty() {
            continue;
        }
        let (verb_in_path, path) = match path.split_once(' ') {
            Some((verb, rest)) if shape.verb == Verb::InPath && verb.bytes().all(|c| c.is_ascii_uppercase()) => {
                (Some(verb), rest.trim())
            }
            _ => (None, path.as_str()),
        };
        let prefix = prefix_of(walker, prefixes, &row, class);
        let path = join(&prefix, &filled(walker, row.owner, path));
        if path.len() > super::TEXT_BYTES || path.contains(char::is_whitespace) {
            continue;
        }
        if shape.verb == Verb::Wrapped {
            wrapped(walker, root, hit, &call, &path, at, handler);
            continue;
        }
        for verb in verbs(walker, &name, &call, shape.verb, verb_in_path) {
            let def = define(walker, hit, Kind::Route, &format!("{verb} {path}"), &call, at);
            handled(walker, hit, def, &call, handler);
        }
    }
}

/// The argument of another annotation on the same definition.
fn beside<'t>(walker: &Walker<'_>, root: Node<'t>, row: &RefRow, name: &str) -> Option<Given<'t>> {
    let is_one =
        |other: &&RefRow| other.owner == row.owner && other.role() == Role::Attribute && walker.strings.get(other.name) == name;
    let other = walker.rows.refs.iter().find(is_one)?;
    args::call(walker, root, other.at as usize, name.len())?.arg(Arg::Named(&["value"], 0))
}

/// Whether an expression is the call that gave a prefix, or one chained to it.
fn is_prefixed_call(walker: &Walker<'_>, expr: u32, prefixes: &Prefixes) -> bool {
    let call = walker.rows.exprs.get(expr as usize).filter(|row| row.kind() == ExprKind::Call);
    call.is_some() && base_of(walker, expr, prefixes).is_some()
}

fn prefix_of(walker: &Walker<'_>, prefixes: &Prefixes, row: &RefRow, class: u32) -> String {
    if row.role() == Role::Attribute && row.recv == NONE {
        return prefixes.of_def.get(&class).cloned().unwrap_or_default();
    }
    let at = row.at as usize;
    let around: Vec<&str> = prefixes
        .inside
        .iter()
        .filter(|(from, to, _)| *from <= at && at < *to)
        .map(|(.., text)| text.as_str())
        .take(PARTS)
        .collect();
    let mut prefix = base_of(walker, row.recv, prefixes).unwrap_or_default();
    for text in around {
        prefix = join(&prefix, text);
    }
    prefix
}

/// The methods that a registration is for.
fn verbs(walker: &Walker<'_>, name: &str, call: &Call<'_>, verb: Verb, in_path: Option<&str>) -> Vec<String> {
    let any = || vec!["ANY".to_owned()];
    match verb {
        Verb::Name => {
            let lower = name.to_ascii_lowercase();
            let plain = ["http", "map", "add_"].iter().find_map(|front| lower.strip_prefix(front)).unwrap_or(&lower);
            let plain = ["mapping", "_async"].iter().find_map(|end| plain.strip_suffix(end)).unwrap_or(plain);
            let plain = if plain == "del" { "delete" } else { plain };
            if METHODS.contains(&plain) { vec![plain.to_ascii_uppercase()] } else { any() }
        }
        Verb::Keyword(key, default) => {
            let Some(given) = call.keyword(key) else { return vec![default.to_owned()] };
            let listed: Vec<String> = given.texts(walker).iter().map(|(text, _)| text.to_ascii_uppercase()).collect();
            if !listed.is_empty() {
                return listed;
            }
            // `method = RequestMethod.POST`.
            let text = walker.text(given.node).to_ascii_lowercase();
            let named: Vec<String> = METHODS
                .iter()
                .filter(|method| text.split(|c: char| !c.is_ascii_alphabetic()).any(|word| word == **method))
                .map(|method| method.to_ascii_uppercase())
                .collect();
            if named.is_empty() { any() } else { named }
        }
        Verb::InPath => in_path.map_or_else(any, |verb| vec![verb.to_owned()]),
        Verb::Any | Verb::Wrapped => any(),
    }
}

/// `get(list).post(make)`: one route for each call named like a method.
fn wrapped(walker: &mut Walker<'_>, root: Node<'_>, hit: Hit, call: &Call<'_>, path: &str, at: usize, handler: Arg) {
    let Some(given) = call.arg(handler) else { return };
    let owner = walker.rows.refs[hit.mention as usize].owner;
    let (from, to) = (given.node.start_byte() as u32, given.node.end_byte() as u32);
    let first = walker.rows.refs.partition_point(|row| row.at < from);
    let calls: Vec<RefRow> =
        walker.rows.refs[first..].iter().take_while(|row| row.at < to).filter(|row| row.role() == Role::Call).copied().collect();
    for inner in calls {
        let name = walker.strings.get(inner.name).to_owned();
        let verb = match name.as_str() {
            "any" => "ANY".to_owned(),
            name if METHODS.contains(&name) => name.to_ascii_uppercase(),
            _ => continue,
        };
        let Some(wrapper) = args::call(walker, root, inner.at as usize, name.len()) else { continue };
        let Some(handler) = wrapper.arg(Arg::Nth(0)) else { continue };
        let def = define(walker, hit, Kind::Route, &format!("{verb} {path}"), call, at);
        handled_by(walker, hit, def, owner, &handler);
    }
}
