//! Places that the tables of libraries speak of: reads of the environment and of configurations, routes, events, injections.
//!
//! Runs after names were resolved. Most mentions are passed over by one look-up of their name; only for those that a table names
//! is the tree asked again, for their arguments. A route and an awaited event become definitions, everything else a row.
//!
//! Knows one file. Whether a text names something of another file is for `link` to say.

mod args;
mod origin;
mod routes;

use tree_sitter::Node;

use super::{Walker, one_line};
use crate::facts::model::*;
use crate::knowledge::{self, Arg, At, EVENT, Makes, On, Rule};
use args::{Call, Given};
use origin::Origin;

/// So many places of one file are looked at.
const PLACES: usize = 3_000;
/// Texts longer than this are no keys.
const TEXT_BYTES: usize = 200;
/// A value that comes from the framework before our eyes.
const STRONG: u8 = 95;
/// A value whose origin is not seen, in a file that imports the framework.
const WEAK: u8 = 75;

/// A mention that a rule fits.
#[derive(Clone, Copy)]
struct Hit {
    mention: u32,
    number: u16,
    rule: &'static Rule,
    sure: u8,
}

/// Reads the clues of a file that was walked.
pub(super) fn read(walker: &mut Walker<'_>, root: Node<'_>) {
    let Some(index) = knowledge::index(walker.language.language.name) else { return };
    let hits = hits(walker, index);
    if hits.is_empty() {
        return;
    }
    let prefixes = routes::prefixes(walker, root, &hits);
    for hit in hits {
        match hit.rule.makes {
            Makes::Prefix(_) => {}
            Makes::Env(arg) => text_clue(walker, root, hit, ClueKind::Env, arg),
            Makes::Config(arg) => text_clue(walker, root, hit, ClueKind::Config, arg),
            Makes::Emit(arg) => text_clue(walker, root, hit, ClueKind::Emit, arg),
            Makes::Inject(arg) => inject(walker, root, hit, arg),
            Makes::Listen { event, handler } => listen(walker, root, hit, event, handler),
            Makes::Route { verb, path, handler } => {
                routes::route(walker, root, hit, &prefixes, routes::Shape { verb, path, handler });
            }
        }
    }
    walker.rows.clues.sort_by_key(|row| (row.at, row.kind, row.owner));
}

/// Mentions that fit a rule, in the order of the text.
fn hits(walker: &Walker<'_>, index: &'static knowledge::Index) -> Vec<Hit> {
    // What a table says of each string of the file, so that equal names are looked up once.
    const UNKNOWN: u8 = 0;
    let mut named = vec![UNKNOWN; walker.strings.len()];
    let mut is_named = |id: Str, by_member: bool| {
        let slot = &mut named[id.0 as usize];
        if *slot == UNKNOWN {
            let text = walker.strings.get(id);
            *slot = 1 | u8::from(index.names.contains_key(text)) << 1 | u8::from(index.members.contains_key(text)) << 2;
        }
        *slot & if by_member { 4 } else { 2 } != 0
    };
    let mut origin = None;
    let mut found = Vec::new();
    for (at, row) in walker.rows.refs.iter().enumerate() {
        if found.len() >= PLACES {
            break;
        }
        let by_name = is_named(row.name, false) && !matches!(row.role(), Role::Import | Role::ReExport);
        let front = member_in_front(walker, at, row);
        let by_member = front.is_some_and(|name| is_named(name, true));
        let shell = index.shell.filter(|_| row.role() == Role::Read && row.recv == NONE);
        if !by_name && !by_member && shell.is_none() {
            continue;
        }
        let origin = origin.get_or_insert_with(|| Origin::new(walker));
        let numbers = |map: &'static rustc_hash::FxHashMap<&'static str, Vec<u16>>, id: Str| {
            map.get(walker.strings.get(id)).map_or(&[][..], Vec::as_slice)
        };
        let mut rules: Vec<u16> = shell.into_iter().collect();
        if by_name {
            rules.extend(numbers(&index.names, row.name));
        }
        if let Some(name) = front.filter(|_| by_member) {
            rules.extend(numbers(&index.members, name));
        }
        let fitting = rules.into_iter().filter_map(|number| {
            let rule = knowledge::rule(number)?;
            let sure = fits(walker, origin, rule, row)?;
            Some(Hit { mention: at as u32, number, rule, sure })
        });
        let mut fitting: Vec<Hit> = fitting.collect();
        // Of rules that make the same the surest, and the first of those, says what a place means.
        fitting.sort_by_key(|hit| (std::cmp::Reverse(hit.sure), hit.number));
        let mut made = Vec::new();
        fitting.retain(|hit| {
            let what = std::mem::discriminant(&hit.rule.makes);
            let first = !made.contains(&what);
            made.push(what);
            first
        });
        found.extend(fitting);
    }
    found
}

/// The name in front of a mention's dot.
fn member_in_front(walker: &Walker<'_>, at: usize, row: &RefRow) -> Option<Str> {
    let expr = walker.rows.exprs.get(row.recv as usize)?;
    if expr.kind() != ExprKind::Unknown {
        return Some(expr.name).filter(|name| !name.is_empty() && expr.kind() != ExprKind::LocalDef);
    }
    // What stands before that may be no expression (`import.meta.env.KEY`), the name still is one.
    let before = walker.rows.refs.get(at.checked_sub(1)?)?;
    (before.at + row_len(walker, before) as u32 + 1 == row.at).then_some(before.name)
}

/// How sure a rule fits a mention by everything but its arguments.
fn fits(walker: &Walker<'_>, origin: &Origin<'_, '_>, rule: &Rule, row: &RefRow) -> Option<u8> {
    let role_fits = match rule.at {
        At::Call(_) => matches!(row.role(), Role::Call | Role::Instantiate | Role::Attribute | Role::Type),
        At::Index(_) => matches!(row.role(), Role::Read | Role::Call | Role::Type),
        At::Member(_) => row.role() == Role::Read,
        At::Link => return None,
        At::Shell => return shell_variable(walker, origin, row).then_some(STRONG),
    };
    let handler = match rule.makes {
        Makes::Route { handler, .. } | Makes::Listen { handler, .. } => Some(handler),
        _ => None,
    };
    // A decorator registers what it stands on; a call of the same name does something else.
    let carried = handler != Some(Arg::Carrier) || row.role() == Role::Attribute;
    if !role_fits || !carried {
        return None;
    }
    match rule.on {
        On::Path(paths) => {
            let whole = match rule.at {
                At::Member(_) => match origin.path(row.recv) {
                    Some(path) => path.text,
                    None => return written(walker, row, paths).then_some(STRONG),
                },
                _ => origin.of_mention(row)?.text,
            };
            let shown = rule.evidence.is_empty() || rule.evidence.iter().any(|module| origin.imports(module));
            (shown && paths.contains(&whole.as_str())).then_some(STRONG)
        }
        On::Imported => origin.is_imported(row, rule.evidence).then_some(STRONG),
        On::Value => {
            if row.recv == NONE {
                return None;
            }
            match origin.path(row.recv) {
                Some(path) if path.is_from(rule.evidence) => Some(STRONG),
                Some(path) if path.known => None,
                _ => rule.evidence.iter().any(|module| origin.imports(module)).then_some(WEAK),
            }
        }
    }
}

/// Whether one of the paths stands in front of a name as it is: for words that are no expression (`import.meta`).
fn written(walker: &Walker<'_>, row: &RefRow, paths: &[&str]) -> bool {
    let before = walker.slice(0, row.at as usize);
    let ends = |path: &&str| {
        let rest = before.strip_suffix('.').and_then(|rest| rest.strip_suffix(path));
        rest.is_some_and(|rest| !rest.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '$')))
    };
    paths.iter().any(ends)
}

/// Whether a variable of a shell is one of the environment: written like one and never given a value here.
fn shell_variable(walker: &Walker<'_>, origin: &Origin<'_, '_>, row: &RefRow) -> bool {
    let name = walker.strings.get(row.name);
    let upper = |c: u8| c.is_ascii_uppercase() || c.is_ascii_digit() || c == b'_';
    let written = name.len() > 1 && name.bytes().all(upper) && name.starts_with(|c: char| c.is_ascii_uppercase());
    written && !origin.is_assigned(name) && !is_set_by_shell(name)
}

/// What a shell itself sets.
fn is_set_by_shell(name: &str) -> bool {
    name.starts_with("BASH")
        || matches!(
            name,
            "OPTARG"
                | "OPTIND"
                | "REPLY"
                | "RANDOM"
                | "SECONDS"
                | "LINENO"
                | "FUNCNAME"
                | "PIPESTATUS"
                | "IFS"
                | "EUID"
                | "UID"
                | "PPID"
                | "OLDPWD"
                | "COMP_WORDS"
                | "COMP_CWORD"
                | "COMPREPLY"
                | "MAPFILE"
                | "EPOCHSECONDS"
                | "DIRSTACK"
                | "GROUPS"
                | "SHLVL"
        )
}

/// A read or an announcement told by a text.
fn text_clue(walker: &mut Walker<'_>, root: Node<'_>, hit: Hit, kind: ClueKind, arg: Arg) {
    let row = walker.rows.refs[hit.mention as usize];
    if matches!(hit.rule.at, At::Member(_) | At::Shell) {
        push(walker, hit, kind, row.name, NONE);
        return;
    }
    let call = match hit.rule.at {
        At::Index(_) => args::index(walker, root, row.at as usize, row_len(walker, &row)),
        _ => args::call(walker, root, row.at as usize, row_len(walker, &row)),
    };
    let Some(given) = call.as_ref().and_then(|call| call.arg(arg)) else { return };
    let texts: Vec<&str> = given.texts(walker).into_iter().map(|(text, _)| text).collect();
    for text in texts {
        let Some(text) = key_text(text, kind, walker.language.language.name) else { continue };
        let text = if kind == ClueKind::Emit { format!("{EVENT}{text}") } else { text };
        let text = walker.intern(&text);
        push(walker, hit, kind, text, NONE);
    }
}

/// The name that a text stands for; `None` where it can't be one.
fn key_text(text: &str, kind: ClueKind, language: &str) -> Option<String> {
    let mut text = text.trim();
    // `@Value("${server.port:8080}")`: the key without what stands for it when it is missing.
    if kind == ClueKind::Config && matches!(language, "java" | "kotlin" | "scala") && text.contains('$') {
        let inner = text.split_once("${")?.1;
        text = inner.split(['}', ':']).next()?;
    }
    let fits = match kind {
        ClueKind::Env => text.bytes().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'.' | b'(' | b')')),
        _ => !text.contains(char::is_whitespace) && !text.contains(['{', '$']),
    };
    (fits && !text.is_empty() && text.len() <= TEXT_BYTES).then(|| text.to_owned())
}

/// Something provided is asked for: what the argument names.
fn inject(walker: &mut Walker<'_>, root: Node<'_>, hit: Hit, arg: Arg) {
    let row = walker.rows.refs[hit.mention as usize];
    if arg == Arg::Carrier {
        push(walker, hit, ClueKind::Inject, row.name, NONE);
        if let Some(clue) = walker.rows.clues.last_mut().filter(|_| row.role() == Role::Attribute) {
            clue.target = row.owner;
        }
        return;
    }
    let Some(call) = args::call(walker, root, row.at as usize, row_len(walker, &row)) else { return };
    let Some(mention) = call.arg(arg).and_then(|given| whole_mention(walker, &given)) else { return };
    push(walker, hit, ClueKind::Inject, row.name, mention);
}

/// An event is awaited: a definition named like it, and who handles it.
fn listen(walker: &mut Walker<'_>, root: Node<'_>, hit: Hit, event: Arg, handler: Arg) {
    let row = walker.rows.refs[hit.mention as usize];
    let Some(call) = args::call(walker, root, row.at as usize, row_len(walker, &row)) else { return };
    let Some(given) = call.arg(event) else { return };
    let texts: Vec<(String, usize)> = given.texts(walker).into_iter().map(|(text, at)| (text.to_owned(), at)).collect();
    for (text, at) in texts {
        if let Some(name) = key_text(&text, ClueKind::Emit, walker.language.language.name) {
            // No mention is written like this, so that none is bound to it by its name.
            let def = define(walker, hit, Kind::Event, &format!("{EVENT}{name}"), &call, at);
            handled(walker, hit, def, &call, handler);
        }
    }
}

/// Enters the definition of a route or event; it stands where its text does.
fn define(walker: &mut Walker<'_>, hit: Hit, kind: Kind, name: &str, call: &Call<'_>, at: usize) -> u32 {
    let row = walker.rows.refs[hit.mention as usize];
    // What an annotation stands on is no part of what is registered, but the thing that handles it.
    let owner = if row.role() == Role::Attribute {
        walker.rows.defs.get(row.owner as usize).map_or(NONE, |def| def.parent)
    } else {
        row.owner
    };
    let signature = one_line(walker.slice(call.start, call.end), super::SIGNATURE_BYTES);
    let (line, col) = place(walker.source, at);
    let (end_line, _) = place(walker.source, call.end.saturating_sub(1));
    let def = DefRow {
        name: walker.intern(name),
        parent: owner,
        owner_type: Str::EMPTY,
        start: call.start as u32,
        end: call.end as u32,
        name_at: at as u32,
        start_line: place(walker.source, call.start).0,
        end_line,
        name_line: line,
        name_col: col,
        params: u16::MAX,
        signature: walker.intern(&signature),
        doc: Str::EMPTY,
        ty: Str::EMPTY,
        init: NONE,
        kind: kind as u8,
        visibility: Visibility::Unknown as u8,
        flags: 0,
    };
    walker.rows.defs.push(def);
    walker.rows.defs.len() as u32 - 1
}

/// Says who handles what was defined: the thing annotated, a function written there, or what is mentioned.
fn handled(walker: &mut Walker<'_>, hit: Hit, def: u32, call: &Call<'_>, handler: Arg) {
    let row = walker.rows.refs[hit.mention as usize];
    if handler == Arg::Carrier {
        handler_clue(walker, hit, def, NONE, row.owner);
        return;
    }
    let Some(given) = call.arg(handler) else { return };
    handled_by(walker, hit, def, row.owner, &given);
}

/// The same of one argument.
fn handled_by(walker: &mut Walker<'_>, hit: Hit, def: u32, owner: u32, given: &Given<'_>) {
    if let Some(function) = given.function() {
        // What is done there is done by the route.
        let (from, to) = (function.start_byte() as u32, function.end_byte() as u32);
        let refs = &mut walker.rows.refs;
        let first = refs.partition_point(|row| row.at < from);
        for row in refs[first..].iter_mut().take_while(|row| row.at < to).filter(|row| row.owner == owner) {
            row.owner = def;
        }
        // Says that there is a registration, and that nothing else handles it.
        handler_clue(walker, hit, def, NONE, NONE);
        return;
    }
    match whole_mention(walker, given) {
        Some(mention) => handler_clue(walker, hit, def, mention, NONE),
        None => {
            // `View.as_view()`, `wrap(handler)`, `[Users::class, 'show']`: what is named in it.
            let (from, to) = (given.node.start_byte() as u32, given.node.end_byte() as u32);
            let first = walker.rows.refs.partition_point(|row| row.at < from);
            let inner = named_in(walker, first, to as usize);
            for mention in inner {
                handler_clue(walker, hit, def, mention, NONE);
            }
        }
    }
}

/// What an expression names from mention `first` on: in front of its first call, else in that call's first argument.
fn named_in(walker: &Walker<'_>, first: usize, to: usize) -> Vec<u32> {
    let refs = &walker.rows.refs;
    let inside = (first..refs.len()).take_while(|at| (refs[*at].at as usize) < to);
    let mut names = Vec::new();
    let mut end = to;
    for at in inside {
        let row = &refs[at];
        if row.at as usize >= end {
            break;
        }
        match row.role() {
            Role::Read | Role::Type | Role::Instantiate => names.push(at as u32),
            // `wrap(handler)`; that of `View.as_view()` belongs to what stands before it.
            Role::Call if !made_of_type(walker, &names) => {
                names.clear();
                let from = row.at as usize;
                end = memchr::memchr(b',', &walker.source[from..to]).map_or(to, |comma| from + comma);
            }
            _ => break,
        }
    }
    names
}

/// Whether the last of some names is written like a type, of which a method is called.
fn made_of_type(walker: &Walker<'_>, names: &[u32]) -> bool {
    let last = names.last().and_then(|at| walker.rows.refs.get(*at as usize));
    last.is_some_and(|row| walker.strings.get(row.name).starts_with(char::is_uppercase))
}

fn handler_clue(walker: &mut Walker<'_>, hit: Hit, def: u32, mention: u32, target: u32) {
    let name = walker.rows.defs[def as usize].name;
    let row = *walker.rows.refs.get(mention as usize).unwrap_or(&walker.rows.refs[hit.mention as usize]);
    let clue = ClueRow {
        text: name,
        owner: def,
        mention,
        target,
        at: row.at,
        line: row.line,
        col: row.col,
        rule: hit.number,
        kind: ClueKind::Handler as u8,
        sure: hit.sure,
        reserved: 0,
    };
    walker.rows.clues.push(clue);
}

fn push(walker: &mut Walker<'_>, hit: Hit, kind: ClueKind, text: Str, mention: u32) {
    let row = walker.rows.refs[hit.mention as usize];
    let (line, col, at) = match walker.rows.refs.get(mention as usize) {
        Some(meant) => (meant.line, meant.col, meant.at),
        None => (row.line, row.col, row.at),
    };
    let clue = ClueRow {
        text,
        owner: row.owner,
        mention,
        target: NONE,
        at,
        line,
        col,
        rule: hit.number,
        kind: kind as u8,
        sure: hit.sure,
        reserved: 0,
    };
    walker.rows.clues.push(clue);
}

/// The mention that an argument is as a whole.
fn whole_mention(walker: &Walker<'_>, given: &Given<'_>) -> Option<u32> {
    let (from, to) = (given.node.start_byte() as u32, given.node.end_byte() as u32);
    let refs = &walker.rows.refs;
    let last = refs.partition_point(|row| row.at < to).checked_sub(1)?;
    let row = refs[last];
    (row.at >= from && row.at + row_len(walker, &row) as u32 == to && row.role() != Role::Call).then_some(last as u32)
}

fn row_len(walker: &Walker<'_>, row: &RefRow) -> usize {
    walker.strings.get(row.name).len()
}

/// Line and byte column of a byte.
fn place(source: &[u8], at: usize) -> (u32, u16) {
    let before = &source[..at.min(source.len())];
    let line = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
    (memchr::memchr_iter(b'\n', before).count() as u32 + 1, (at - line).min(u16::MAX as usize) as u16)
}
