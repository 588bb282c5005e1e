//! Renaming a symbol: every place that the graph can prove, and those it cannot.
//!
//! The graph says where a symbol is mentioned; the bytes at that place decide whether the mention carries its name. A place
//! that reads otherwise is an alias and stays. Nothing is edited because it looks alike: what merely has the same text is
//! listed by [`unproven`].
//!
//! Knows the graph and the bytes it was made from; writing is for `edit`.

mod family;
mod legal;
mod text;
#[cfg(test)]
mod unit_tests;
mod unproven;

use std::collections::BTreeMap;

use crate::edit::Place;
use crate::facts::model::{NONE, Role, flag};
use crate::facts::{ExtractLimits, walker};
use crate::graph::{EdgeKind, EdgeRow, FileEntry, Graph, NodeId, Tier, edge_flag};

pub use legal::Illegal;
pub use unproven::{Unproven, unproven};

use text::{Source, embed, is_word_at, stretch};

/// How sure a planned edit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// The mention is bound to the symbol.
    High,
    /// A name made from the symbol's, or a binding that was inferred.
    Medium,
}

impl Confidence {
    /// The stable word of answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Confidence::High => "high",
            Confidence::Medium => "medium",
        }
    }
}

/// One planned edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The file, as answers give it.
    pub path: String,
    /// The place, for the edit room.
    pub place: Place,
    /// How sure it is.
    pub confidence: Confidence,
    /// What stands there: `definition`, `call`, `import`, …
    pub reason: &'static str,
}

/// A place that stands in the way of the new name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Conflict {
    /// The file.
    pub path: String,
    /// The line.
    pub line: u32,
    /// What is there.
    pub what: &'static str,
}

/// Why there is no plan.
#[derive(Debug, thiserror::Error)]
pub enum RenameError {
    /// A file or a definition without a name.
    #[error("`{id}` has no name of its own that could be changed")]
    Unnamed {
        /// The symbol.
        id: String,
    },
    /// The new name is the old one.
    #[error("the symbol is already called `{name}`")]
    SameName {
        /// The name.
        name: String,
    },
    /// The language does not take the new name.
    #[error("`{name}` can't be a name in {language}: {why}")]
    Illegal {
        /// The name.
        name: String,
        /// The language.
        language: &'static str,
        /// Why.
        why: Illegal,
    },
    /// The new name is taken, or would mean something else somewhere.
    #[error("`{name}` is taken where `{old}` is used")]
    Conflict {
        /// The old name.
        old: String,
        /// The new name.
        name: String,
        /// Where, sorted.
        at: Vec<Conflict>,
    },
    /// The symbol replaces or satisfies something that is not indexed.
    #[error("`{id}` overrides a member that is outside the index, so the family can't be renamed together")]
    OutsideReach {
        /// The member.
        id: String,
    },
    /// The index does not describe the bytes.
    #[error("`{path}` changed while the rename was planned; call again")]
    Stale {
        /// The file.
        path: String,
    },
}

/// All that a rename would do.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The old name.
    pub old: String,
    /// The new name, with the sigil of the old one.
    pub new: String,
    /// The symbols that are renamed together, the one asked for first.
    pub family: Vec<NodeId>,
    /// The edits, by path and place.
    pub edits: Vec<Edit>,
    /// Whether code outside the index may use the name.
    pub exported: bool,
}

/// Gives the bytes of an indexed file.
pub type Read<'a> = &'a dyn Fn(&FileEntry) -> Option<Vec<u8>>;

/// Where something may have to be renamed: byte offset or place, and why.
#[derive(Clone, Copy, Debug)]
struct Mention<'n> {
    at: At,
    old: &'n str,
    new: &'n str,
    confidence: Confidence,
    reason: &'static str,
    /// The definition around it, for the search for captures.
    owner: NodeId,
    target: NodeId,
    bare_matters: bool,
}

#[derive(Clone, Copy, Debug)]
enum At {
    Byte(u32),
    Line(u32, u16),
    /// Every identifier of this text in a range, such as a receiver in front of a method's name.
    Within(u32, u32),
}

/// Plans a rename. The same plan is what a preview shows and what a run does.
pub fn plan(graph: &Graph, node: NodeId, new: &str, read: Read<'_>) -> Result<Plan, RenameError> {
    let id = || graph.id(node);
    let def = graph.def(node).ok_or_else(|| RenameError::Unnamed { id: id() })?;
    let old = graph.name(node).to_owned();
    let file = graph.file_of(node);
    let Some(lang) = file.lang.filter(|_| !old.is_empty() && !def.has(flag::ANONYMOUS)) else {
        return Err(RenameError::Unnamed { id: id() });
    };
    let new = if old.starts_with('#') && !new.starts_with('#') { format!("#{new}") } else { new.to_owned() };
    if new == old {
        return Err(RenameError::SameName { name: new });
    }
    if let Err(why) = legal::check(lang.language(), new.trim_start_matches('#')) {
        return Err(RenameError::Illegal { name: new, language: lang.language().name, why });
    }
    let family = family::of(graph, node)?;
    let mut conflicts = family::taken(graph, &family, &new);
    let renamed_tests = tests_named_after(graph, &family, &old, &new);
    let mut files: BTreeMap<usize, Vec<Mention<'_>>> = BTreeMap::new();
    for target in &family {
        collect(graph, *target, &old, &new, Confidence::High, &mut files);
    }
    for (test, from, to) in &renamed_tests {
        collect(graph, *test, from, to, Confidence::Medium, &mut files);
    }
    let mut edits = Vec::new();
    for (at, mentions) in &files {
        let entry = &graph.files[*at];
        let stale = || RenameError::Stale { path: entry.path.clone() };
        let bytes = read(entry).ok_or_else(stale)?;
        if *blake3::hash(&bytes).as_bytes() != entry.hash {
            return Err(stale());
        }
        let Some(lang) = entry.lang else { continue };
        let tree = walker::parse(lang.compiled(), &bytes, ExtractLimits::default()).ok_or_else(stale)?;
        let source = Source::new(entry, &bytes, &tree);
        let found = verified(graph, &source, mentions);
        conflicts.extend(captures(graph, &source, &found, &new));
        edits.extend(found.into_values().map(|(_, edit)| edit));
    }
    conflicts.sort();
    conflicts.dedup();
    if !conflicts.is_empty() {
        return Err(RenameError::Conflict { old, name: new, at: conflicts });
    }
    let exported = family.iter().any(|node| graph.def(*node).is_some_and(family::is_open));
    Ok(Plan { old, new, family, edits, exported })
}

/// The mentions of one symbol, its definition included.
fn collect<'n>(
    graph: &Graph,
    target: NodeId,
    old: &'n str,
    new: &'n str,
    confidence: Confidence,
    files: &mut BTreeMap<usize, Vec<Mention<'n>>>,
) {
    let mut add = |file: usize, at: At, reason, owner, confidence, bare_matters| {
        files.entry(file).or_default().push(Mention { at, old, new, confidence, reason, owner, target, bare_matters });
    };
    let own = graph.file_index(target);
    if let Some(def) = graph.def(target) {
        add(own, At::Byte(def.name_at), "definition", target, confidence, false);
    }
    if graph.kind(target).is_type() {
        // `func (d *Disk) Close()`, `void Disk::close()`: the type's name in front of a member's.
        for member in graph.children(target) {
            let Some(def) = graph.def(member) else { continue };
            let named = graph.view_of(member).str(def.owner_type) == old;
            if named {
                add(graph.file_index(member), At::Within(def.start, def.name_at), "receiver", member, confidence, false);
            }
        }
    }
    for edge in graph.incoming(target) {
        let Some(reason) = reason(edge) else { continue };
        let confidence = if edge.tier() >= Tier::AstInferred { Confidence::Medium } else { confidence };
        let file = graph.file_index(edge.from);
        add(
            file,
            At::Line(edge.line, edge.col),
            reason,
            edge.from,
            confidence,
            !matches!(edge.role(), Role::Import | Role::ReExport),
        );
        if edge.role() == Role::ReExport {
            let view = graph.files[file].facts.view();
            for row in view.exports.iter().filter(|row| row.line == edge.line && view.str(row.local) == old) {
                add(file, At::Byte(row.at), reason, edge.from, confidence, false);
            }
        }
    }
}

/// What stands at an edge's place, or nothing when the place is not a mention of the target's name.
fn reason(edge: &EdgeRow) -> Option<&'static str> {
    let imports = matches!(edge.role(), Role::Import | Role::ReExport);
    if edge.flags & edge_flag::ALIASED != 0 && !imports {
        return None;
    }
    match edge.kind() {
        // These stand at the name of the *other* symbol.
        EdgeKind::Overrides | EdgeKind::Contains => None,
        // What is raised is mentioned there in another role as well.
        EdgeKind::Throws => None,
        // The mention beside it has an edge of its own.
        EdgeKind::RoutesTo | EdgeKind::Handles | EdgeKind::Emits | EdgeKind::Injects => None,
        EdgeKind::Implements if edge.tier() == Tier::AstInferred => None,
        EdgeKind::Calls => Some("call"),
        EdgeKind::Instantiates => Some("instantiation"),
        EdgeKind::References => Some("reference"),
        EdgeKind::Reads => Some("read"),
        EdgeKind::Writes => Some("write"),
        EdgeKind::Imports => Some("import"),
        EdgeKind::ReExports => Some("re_export"),
        EdgeKind::Extends | EdgeKind::Implements | EdgeKind::Composes => Some("supertype"),
        EdgeKind::Annotated => Some("annotation"),
    }
}

/// Test functions that use a symbol and carry its name in their own: the test, its name, and its name after the rename.
fn tests_named_after(graph: &Graph, family: &[NodeId], old: &str, new: &str) -> Vec<(NodeId, String, String)> {
    let mut found: Vec<(NodeId, String, String)> = Vec::new();
    for target in family {
        for edge in graph.incoming(*target) {
            let test = edge.from;
            let is_test = graph.def(test).is_some_and(|def| def.has(flag::TEST) && def.kind().is_callable());
            if !is_test || family.contains(&test) || found.iter().any(|(other, ..)| *other == test) {
                continue;
            }
            let name = graph.name(test);
            let Some(renamed) = embed(name, old, new) else { continue };
            let taken =
                graph.parent(test).is_some_and(|parent| graph.children(parent).iter().any(|other| graph.name(*other) == renamed));
            if !taken {
                found.push((test, name.to_owned(), renamed));
            }
        }
    }
    found.sort_by_key(|(test, ..)| *test);
    found
}

type Verified<'m, 'n> = BTreeMap<usize, (&'m Mention<'n>, Edit)>;

/// The mentions of a file whose place carries the name, by offset; the surest reason wins where two meet.
fn verified<'m, 'n>(graph: &Graph, source: &Source<'_>, mentions: &'m [Mention<'n>]) -> Verified<'m, 'n> {
    let mut found: Verified<'m, 'n> = BTreeMap::new();
    for mention in mentions {
        let mut offsets = source.offsets(mention.at, mention.old);
        if matches!(mention.reason, "import" | "re_export") {
            let again: Vec<usize> = offsets.iter().filter_map(|offset| source.repeated(*offset, mention.old)).collect();
            offsets.extend(again);
        }
        for offset in offsets {
            if !is_word_at(source.bytes, offset, mention.old) {
                continue;
            }
            let known = found
                .get(&offset)
                .is_some_and(|(other, _)| (other.confidence, other.reason == "definition") <= (mention.confidence, true));
            if known {
                continue;
            }
            let Some(place) = source.place(offset, mention.old, &stretch(graph, source, offset, mention)) else { continue };
            let edit = Edit { path: source.entry.path.clone(), place, confidence: mention.confidence, reason: mention.reason };
            found.insert(offset, (mention, edit));
        }
    }
    found
}

/// Where a rewritten bare name would meet another binding of the new name.
fn captures(graph: &Graph, source: &Source<'_>, found: &Verified<'_, '_>, new: &str) -> Vec<Conflict> {
    let mut conflicts = Vec::new();
    let bare: Vec<(usize, NodeId)> = found
        .iter()
        .filter(|(offset, (mention, _))| mention.bare_matters && mention.new == new && source.is_bare(**offset))
        .map(|(offset, (mention, _))| (*offset, mention.owner))
        .collect();
    if bare.is_empty() {
        return conflicts;
    }
    let view = source.entry.facts.view();
    let mut conflict = |line, what| conflicts.push(Conflict { path: source.entry.path.clone(), line, what });
    for row in view.imports.iter().filter(|row| row.owner == NONE && view.str(row.alias) == new) {
        conflict(row.line, "an import of that name");
    }
    for def in view.defs.iter().filter(|def| def.parent == NONE && def.owner_type.is_empty() && view.str(def.name) == new) {
        conflict(def.name_line, "a definition of that name");
    }
    let mut functions: Vec<(u32, u32)> =
        bare.iter().filter_map(|(_, owner)| graph.def(*owner)).map(|def| (def.start, def.end)).collect();
    functions.sort_unstable();
    functions.dedup();
    for (start, end) in functions {
        for offset in source.identifiers(new, start as usize, end as usize) {
            if source.is_bare(offset) && source.binds_or_reads(offset) {
                conflict(source.line_of(offset), "a name of that kind in the same function");
            }
        }
    }
    conflicts
}
