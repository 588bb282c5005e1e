//! The symbol tables that linking looks things up in: names, nesting, members.
//!
//! Built once per link from all facts; every look-up afterwards is a binary search or an array access.
//!
//! Knows rows, not languages.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::facts::FactsView;
use crate::facts::model::{DefRow, Kind, NONE, Str};
use crate::graph::{FileEntry, NodeId};
use crate::lang::Family;

/// A global name: an index into [`Table::names`].
pub(crate) type NameId = u32;

/// All files' facts with global numbering.
#[derive(Debug)]
pub(crate) struct Table<'a> {
    pub files: &'a [FileEntry],
    pub views: Vec<FactsView<'a>>,
    /// Every text that is a definition's name, an import alias or an export, with its number.
    pub names: FxHashMap<&'a str, NameId>,
    /// Per file: string number to global name, or `NONE` where no definition anywhere has that name.
    str_names: Vec<Vec<NameId>>,
    pub node_name: Vec<NameId>,
    /// Per node the containing node; members declared outside their type are re-hung by [`Table::rehang`].
    pub parents: Vec<u32>,
    child_index: Vec<u32>,
    children: Vec<NodeId>,
}

impl<'a> Table<'a> {
    pub fn new(files: &'a [FileEntry]) -> Self {
        let views: Vec<FactsView<'a>> = files.par_iter().map(|file| file.facts.view()).collect();
        let mut names: FxHashMap<&'a str, NameId> = FxHashMap::default();
        let nodes = files.last().map_or(0, |file| file.base as usize + 1 + views.last().map_or(0, |view| view.defs.len()));
        let mut node_name = vec![NONE; nodes];
        let mut parents = vec![NONE; nodes];
        for (file, view) in files.iter().zip(&views) {
            let mut enter = |text: &'a str| {
                let next = names.len() as NameId;
                *names.entry(text).or_insert(next)
            };
            for (index, def) in view.defs.iter().enumerate() {
                let node = file.base as usize + 1 + index;
                node_name[node] = enter(view.str(def.name));
                parents[node] = if def.parent == NONE { file.base } else { file.base + 1 + def.parent };
            }
            for row in view.imports {
                enter(view.str(row.alias));
                enter(view.str(row.name));
            }
            for row in view.exports {
                enter(view.str(row.local));
                enter(view.str(row.exported));
            }
        }
        let str_names = views
            .par_iter()
            .map(|view| (0..view.string_count()).map(|at| names.get(view.str(Str(at))).copied().unwrap_or(NONE)).collect())
            .collect();
        let mut table =
            Table { files, views, names, str_names, node_name, parents, child_index: Vec::new(), children: Vec::new() };
        table.index_children();
        table
    }

    fn index_children(&mut self) {
        let nodes = self.parents.len();
        let mut index = vec![0u32; nodes + 1];
        for parent in self.parents.iter().filter(|parent| **parent != NONE) {
            index[*parent as usize + 1] += 1;
        }
        for at in 1..index.len() {
            index[at] += index[at - 1];
        }
        let mut next = index.clone();
        let mut children = vec![0; index[nodes] as usize];
        for (node, parent) in self.parents.iter().enumerate() {
            if *parent != NONE {
                children[next[*parent as usize] as usize] = node as NodeId;
                next[*parent as usize] += 1;
            }
        }
        let names = &self.node_name;
        for at in 0..nodes {
            children[index[at] as usize..index[at + 1] as usize].sort_unstable_by_key(|child| (names[*child as usize], *child));
        }
        self.child_index = index;
        self.children = children;
    }

    /// Moves members to the types they belong to.
    pub fn rehang(&mut self, moves: &[(NodeId, NodeId)]) {
        for (member, owner) in moves {
            self.parents[*member as usize] = *owner;
        }
        self.index_children();
    }

    /// The global name of a file's string.
    pub fn name_of(&self, file: usize, text: Str) -> NameId {
        self.str_names[file].get(text.0 as usize).copied().unwrap_or(NONE)
    }

    /// The global name of a text.
    pub fn name(&self, text: &str) -> NameId {
        self.names.get(text).copied().unwrap_or(NONE)
    }

    /// Definitions of this name directly inside a node, in the order of the text.
    pub fn members(&self, parent: NodeId, name: NameId) -> &[NodeId] {
        let all = self.all_members(parent);
        let from = all.partition_point(|child| self.node_name[*child as usize] < name);
        let to = all.partition_point(|child| self.node_name[*child as usize] <= name);
        &all[from..to]
    }

    /// All definitions directly inside a node, by name.
    pub fn all_members(&self, parent: NodeId) -> &[NodeId] {
        let at = parent as usize;
        match self.child_index.get(at..at + 2) {
            Some([from, to]) => &self.children[*from as usize..*to as usize],
            _ => &[],
        }
    }

    /// The file number of a node.
    pub fn file_of(&self, node: NodeId) -> usize {
        self.files.partition_point(|file| file.base <= node).max(1) - 1
    }

    /// The definition row of a node, unless it is a file.
    pub fn def(&self, node: NodeId) -> Option<&'a DefRow> {
        let file = self.file_of(node);
        let index = node.checked_sub(self.files[file].base + 1)?;
        self.views[file].defs.get(index as usize)
    }

    pub fn kind(&self, node: NodeId) -> Kind {
        self.def(node).map_or(Kind::File, DefRow::kind)
    }

    pub fn family(&self, file: usize) -> Option<Family> {
        self.files[file].lang.map(|lang| lang.language().family)
    }

    /// The name of a file's language; empty where it has none.
    pub fn language(&self, file: usize) -> &'static str {
        self.files[file].lang.map_or("", |lang| lang.language().name)
    }

    /// The package or namespace that a file says it belongs to.
    pub fn package(&self, file: usize) -> &'a str {
        self.views[file].str(self.views[file].header.package)
    }

    /// The package or namespace that a node stands in.
    pub fn namespace_of(&self, node: NodeId) -> &'a str {
        let file = self.file_of(node);
        let mut above = std::iter::once(node).chain(self.ancestors(node));
        match above.find_map(|at| self.def(at).filter(|def| def.kind() == Kind::Module)) {
            Some(def) if self.family(file) == Some(Family::CSharp) => self.str(file, def.name),
            _ => self.package(file),
        }
    }

    /// The text of one of a file's strings.
    pub fn str(&self, file: usize, text: Str) -> &'a str {
        self.views[file].str(text)
    }

    /// The containing nodes, innermost first, the file last.
    pub fn ancestors(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let up = |at: NodeId| self.parents.get(at as usize).copied().filter(|parent| *parent != NONE);
        std::iter::successors(up(node), move |at| up(*at)).take(64)
    }
}
