//! Names without a file: what code mentions that lies outside the tracked roots.
//!
//! An external is its id alone, a text of the form `prefix::…`: `dep::<package>::<path>` for libraries, `stdlib::<module>::<path>`
//! for what comes with a language, and whatever other prefix a part of the linker makes up (`env::HOME`). It has no node number,
//! so nothing that walks nodes can step into it; its mentions are rows of their own beside the edges. Ids are kept sorted, so
//! they depend on what is mentioned and on nothing else.
//!
//! Knows ids and mentions; which mention means which id is for `link`.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use super::names::NameTable;
use super::{EdgeKind, NodeId, Section, Tier};
use crate::facts::model::{Role, Usage};

/// The number of an external within one graph generation.
pub type ExternalId = u32;

/// A mention of an external.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct ExternalRow {
    /// The node around the mention.
    pub owner: NodeId,
    /// What is mentioned.
    pub external: ExternalId,
    /// Line of the mention, in the owner's file.
    pub line: u32,
    /// Byte column of the mention.
    pub col: u16,
    /// [`Role`] as a byte.
    pub role: u8,
    /// [`Usage`] of a call's result in the low four bits, [`Tier`] in the high four.
    pub detail: u8,
}

impl ExternalRow {
    /// The role of the mention.
    pub fn role(&self) -> Role {
        Role::from_byte(self.role)
    }

    /// What happens to the result of a call.
    pub fn usage(&self) -> Usage {
        Usage::from_byte(self.detail & 0xf)
    }

    /// How it came to be.
    pub fn tier(&self) -> Tier {
        Tier::from_byte(self.detail >> 4)
    }

    /// What an edge to it would say.
    pub fn kind(&self) -> EdgeKind {
        EdgeKind::of_role(self.role(), false)
    }

    /// Confidence in percent.
    pub fn confidence(&self) -> u8 {
        if self.tier() == Tier::AstResolved { 95 } else { 80 }
    }
}

/// [`ExternalRow::detail`] of a mention.
pub fn detail(usage: Usage, tier: Tier) -> u8 {
    usage as u8 | (tier as u8) << 4
}

/// The externals of a graph with their mentions.
#[derive(Clone, Debug)]
pub struct Externals {
    /// Mentions by owner.
    pub(crate) rows: Section<ExternalRow>,
    /// Sorted ids; by each the numbers of its rows.
    pub(crate) ids: NameTable,
}

/// The parts of an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts<'i> {
    /// `dep`, `stdlib`, …
    pub prefix: &'i str,
    /// The package or module; empty where the id names no library.
    pub package: &'i str,
    /// What of it; empty where the package itself is meant.
    pub path: &'i str,
}

impl<'i> Parts<'i> {
    /// Reads an id; `None` where there is no prefix.
    pub fn of(id: &'i str) -> Option<Parts<'i>> {
        let (prefix, rest) = id.split_once("::")?;
        // A route or a key is one name, whatever stands in it.
        let whole = !LIBRARIES.contains(&prefix);
        let (package, path) = if whole { ("", rest) } else { rest.split_once("::").unwrap_or((rest, "")) };
        Some(Parts { prefix, package, path })
    }

    /// The simple name.
    pub fn name(&self) -> &'i str {
        if self.package.is_empty() {
            return self.path;
        }
        let last = if self.path.is_empty() { self.package } else { self.path };
        let separator: &[char] = if self.path.is_empty() { &['/'] } else { &['.', ':', '\\'] };
        last.rsplit(separator).next().filter(|name| !name.is_empty()).unwrap_or(last)
    }
}

/// Prefixes whose names are code that lives elsewhere.
pub const LIBRARIES: [&str; 2] = ["dep", "stdlib"];

/// Near names offered for an id that is none.
const NEAREST: usize = 5;

impl Externals {
    /// No externals.
    pub fn empty() -> Externals {
        Externals { rows: Vec::new().into(), ids: NameTable::build(&[], &[]) }
    }

    /// From sorted ids and rows by owner; ids without rows are dropped.
    pub(crate) fn build(ids: &[&str], mut rows: Vec<ExternalRow>) -> Externals {
        let mut used = vec![false; ids.len()];
        for row in &rows {
            used[row.external as usize] = true;
        }
        let mut place = Vec::with_capacity(ids.len());
        let mut next = 0;
        for used in &used {
            place.push(next);
            next += u32::from(*used);
        }
        let kept: Vec<&str> = ids.iter().zip(&used).filter(|(_, used)| **used).map(|(id, _)| *id).collect();
        for row in &mut rows {
            row.external = place[row.external as usize];
        }
        let mut order: Vec<(u32, u32)> = rows.iter().enumerate().map(|(at, row)| (row.external, at as u32)).collect();
        order.sort_unstable();
        Externals { ids: NameTable::build(&kept, &order), rows: rows.into() }
    }

    /// Those of the mentions that `keep` admits.
    pub(crate) fn retain(&self, keep: impl Fn(&ExternalRow) -> bool) -> Externals {
        let ids: Vec<&str> = (0..self.len() as u32).map(|at| self.id(at)).collect();
        Externals::build(&ids, self.rows.iter().filter(|row| keep(row)).copied().collect())
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All mentions, by owner.
    pub fn rows(&self) -> &[ExternalRow] {
        &self.rows
    }

    /// The text of an id.
    pub fn id(&self, external: ExternalId) -> &str {
        self.ids.text(external)
    }

    /// The external of an id.
    pub fn find(&self, id: &str) -> Option<ExternalId> {
        self.ids.find(id)
    }

    /// Mentions of an external, in the order of files and text.
    pub fn mentions(&self, external: ExternalId) -> impl Iterator<Item = &ExternalRow> + '_ {
        self.ids.nodes(external).iter().filter_map(|row| self.rows.get(*row as usize))
    }

    /// How many mentions an external has.
    pub fn count(&self, external: ExternalId) -> usize {
        self.ids.nodes(external).len()
    }

    /// Mentions inside a node, in the order of the text.
    pub fn of(&self, owner: NodeId) -> &[ExternalRow] {
        let from = self.rows.partition_point(|row| row.owner < owner);
        let to = self.rows.partition_point(|row| row.owner <= owner);
        &self.rows[from..to]
    }

    /// Externals whose id begins with a text, in the order of ids.
    pub fn starting(&self, text: &str) -> impl Iterator<Item = ExternalId> + '_ {
        let text = text.to_owned();
        (self.ids.lower_bound(&text)..self.len() as u32).take_while(move |at| self.id(*at).starts_with(&text))
    }

    /// Whether a text has the form of an id of some external of this graph.
    pub fn is_id(&self, text: &str) -> bool {
        let Some(parts) = Parts::of(text) else { return false };
        LIBRARIES.contains(&parts.prefix) || self.starting(&format!("{}::", parts.prefix)).next().is_some()
    }

    /// Ids most like one that is none: what lies below it, then the same name elsewhere, then names that hold it.
    pub fn nearest(&self, text: &str) -> Vec<&str> {
        let mut found: Vec<&str> = self.starting(&format!("{text}::")).map(|at| self.id(at)).take(NEAREST).collect();
        let Some(wanted) = Parts::of(text).map(|parts| parts.name().to_lowercase()).filter(|name| !name.is_empty()) else {
            return found;
        };
        let mut scored: Vec<(u8, usize, &str)> = (0..self.len() as u32)
            .filter_map(|at| {
                let id = self.id(at);
                let name = Parts::of(id)?.name().to_lowercase();
                let score = match () {
                    () if name == wanted => 0,
                    () if name.starts_with(&wanted) || wanted.starts_with(&name) && name.len() > 2 => 1,
                    () if name.contains(&wanted) => 2,
                    () => return None,
                };
                Some((score, id.len(), id))
            })
            .collect();
        scored.sort_unstable();
        for (.., id) in scored {
            if found.len() < NEAREST && !found.contains(&id) {
                found.push(id);
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_have_parts() {
        let parts = Parts::of("dep::github.com/spf13/cobra::Command.Execute").expect("an id");
        assert_eq!((parts.prefix, parts.package, parts.path), ("dep", "github.com/spf13/cobra", "Command.Execute"));
        assert_eq!(parts.name(), "Execute");
        let std = Parts::of("stdlib::rust/std::collections::HashMap").expect("an id");
        assert_eq!((std.package, std.path, std.name()), ("rust/std", "collections::HashMap", "HashMap"));
        assert_eq!(Parts::of("stdlib::go/net/http").map(|parts| parts.name()), Some("http"));
        assert_eq!(Parts::of("main.go"), None);
    }

    #[test]
    fn near_ids_are_offered() {
        let ids = ["dep::react", "dep::react::useMemo", "dep::react::useState", "dep::vue::ref"];
        let row = |external| ExternalRow { owner: 0, external, line: 1, col: 0, role: 0, detail: 0 };
        let table = Externals::build(&ids, (0..ids.len() as u32).map(row).collect());
        assert_eq!(table.retain(|row| row.external != 1).find("dep::react::useState"), Some(1));
        assert_eq!(table.nearest("dep::react"), ["dep::react::useMemo", "dep::react::useState", "dep::react"]);
        assert_eq!(table.nearest("dep::preact::useState"), ["dep::react::useState"]);
        assert!(table.nearest("dep::zzz::qqq").is_empty());
        assert!(table.is_id("dep::zzz") && !table.is_id("env::HOME"));
    }
}
