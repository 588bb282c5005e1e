//! Types that are written in several places: parts of a partial class (C#), a class and its companion (Kotlin, Scala).
//!
//! Whoever asks one of them for a member asks the others as well. Functions that were written for another type are listed
//! here by name, for receivers whose type is not in the tracked roots.
//!
//! Knows tables, not expressions.

use rustc_hash::FxHashMap;

use crate::facts::model::{DefRow, Kind, NONE, flag};
use crate::graph::NodeId;
use crate::lang::Family;
use crate::link::table::{NameId, Table};

/// Other places of types, and functions for types by their name.
#[derive(Debug, Default)]
pub(crate) struct Twins {
    others: FxHashMap<NodeId, Vec<NodeId>>,
    extensions: FxHashMap<NameId, Vec<NodeId>>,
    actual: Vec<(NodeId, NodeId)>,
}

impl Twins {
    pub fn new(table: &Table<'_>) -> Self {
        let mut twins = Twins::default();
        let mut platforms: FxHashMap<(&str, NameId, u8), Vec<NodeId>> = FxHashMap::default();
        let mut parts: FxHashMap<(String, NodeId, NameId), Vec<NodeId>> = FxHashMap::default();
        for (at, view) in table.views.iter().enumerate() {
            let family = table.family(at);
            if !matches!(family, Some(Family::Jvm | Family::CSharp)) {
                continue;
            }
            let base = table.files[at].base;
            let language = table.language(at);
            for (index, def) in view.defs.iter().enumerate() {
                let node = base + 1 + index as NodeId;
                if !def.owner_type.is_empty() {
                    twins.extensions.entry(table.node_name[node as usize]).or_default().push(node);
                }
                let said = |word: &str| says(view.str(def.signature), word);
                if language == "kotlin" && def.parent == NONE && (said("expect") || said("actual")) {
                    platforms.entry((table.package(at), table.node_name[node as usize], def.kind)).or_default().push(node);
                }
                if !def.kind().is_type() {
                    continue;
                }
                match language {
                    "kotlin" if def.has(flag::STATIC) && def.parent != NONE && said("companion") => {
                        twins.others.entry(base + 1 + def.parent).or_default().push(node);
                    }
                    "scala" => {
                        let key = (String::new(), table.parents[node as usize], table.node_name[node as usize]);
                        parts.entry(key).or_default().push(node);
                    }
                    "csharp" if said("partial") => {
                        parts.entry((full_name(table, at, def), NONE, NONE)).or_default().push(node);
                    }
                    _ => {}
                }
            }
        }
        for group in parts.into_values().filter(|group| group.len() > 1) {
            for node in &group {
                let others = group.iter().copied().filter(|other| other != node);
                twins.others.entry(*node).or_default().extend(others);
            }
        }
        for group in platforms.into_values() {
            twins.match_platforms(table, &group);
        }
        twins.actual.sort_unstable();
        twins
    }

    /// Kotlin: what is `expect`ed once has an `actual` form for each platform.
    fn match_platforms(&mut self, table: &Table<'_>, group: &[NodeId]) {
        let row = |node: NodeId| table.def(node).map(|def| (def.has(flag::DECLARATION), def.params));
        for actual in group.iter().filter(|node| row(**node).is_some_and(|(expected, _)| !expected)) {
            let fits =
                |node: &&NodeId| row(**node).is_some_and(|(expected, params)| expected && Some((false, params)) == row(*actual));
            let Some(expected) = group.iter().find(fits) else { continue };
            self.actual.push((*actual, *expected));
            if table.kind(*expected).is_type() {
                self.others.entry(*expected).or_default().push(*actual);
            }
        }
    }

    /// Definitions for a platform, each with the one that was announced for all.
    pub fn actual(&self) -> &[(NodeId, NodeId)] {
        &self.actual
    }

    /// The other places of a type.
    pub fn of(&self, ty: NodeId) -> &[NodeId] {
        self.others.get(&ty).map_or(&[], Vec::as_slice)
    }

    /// All types with other places, in order.
    pub fn all(&self) -> Vec<NodeId> {
        let mut found: Vec<NodeId> = self.others.keys().copied().collect();
        found.sort_unstable();
        found
    }

    /// Functions of this name that were written for a type they are not inside of.
    pub fn extensions(&self, name: NameId) -> &[NodeId] {
        self.extensions.get(&name).map_or(&[], Vec::as_slice)
    }
}

/// Whether a declaration is marked with a word: it stands before the parameters, supertypes and anything in brackets.
fn says(signature: &str, word: &str) -> bool {
    signature.split_whitespace().take_while(|part| !part.starts_with([':', '('])).any(|part| part == word)
}

/// Namespace, outer types and name of a type, with the number of its parameters: what parts of one class agree in.
fn full_name(table: &Table<'_>, file: usize, def: &DefRow) -> String {
    let view = &table.views[file];
    let mut parts = vec![with_arity(view.str(def.name), view.str(def.signature))];
    let mut parent = def.parent;
    let mut namespace = view.str(view.header.package);
    while let Some(row) = view.defs.get(parent as usize) {
        if row.kind() == Kind::Module {
            namespace = view.str(row.name);
            break;
        }
        parts.push(with_arity(view.str(row.name), view.str(row.signature)));
        parent = row.parent;
    }
    parts.push(format!("{}:{namespace}", table.files[file].repo));
    parts.reverse();
    parts.join(".")
}

fn with_arity(name: &str, signature: &str) -> String {
    let head = signature.split([':', '(']).next().unwrap_or("");
    let arity = head.split_once('<').map_or(0, |(_, list)| 1 + list.matches(',').count());
    format!("{name}`{arity}")
}
