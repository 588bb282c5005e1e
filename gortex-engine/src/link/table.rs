//! The symbol tables that linking looks things up in: names, nesting, members.
//!
//! Built once per link from all facts; every look-up afterwards is a binary search or an array access.
//!
//! Knows rows, not languages.

use std::sync::Arc;

use rayon::prelude::*;

pub(crate) use super::names::NameId;
use super::names::Names;
use crate::facts::FactsView;
use crate::facts::model::{DefRow, Kind, NONE, Str};
use crate::graph::{FileEntry, NodeId};
use crate::lang::Family;

/// Per file: string number to global name, or `NONE` where no definition anywhere has that name.
pub(crate) type FileNames = Arc<[NameId]>;

/// Which names some file defines, takes or offers.
fn live_names(count: usize, views: &[FactsView<'_>], str_names: &[FileNames]) -> Vec<bool> {
    let mut live = vec![false; count];
    for (view, names) in views.iter().zip(str_names) {
        for text in view.defs.iter().map(|def| def.name).chain(outside_names(view)) {
            let name = names.get(text.0 as usize).copied().unwrap_or(NONE);
            if let Some(slot) = live.get_mut(name as usize) {
                *slot = true;
            }
        }
    }
    live
}

/// The names that a file takes from elsewhere or offers under.
fn outside_names<'v>(view: &'v FactsView<'_>) -> impl Iterator<Item = Str> + 'v {
    let imports = view.imports.iter().flat_map(|row| [row.alias, row.name]);
    let exports = view.exports.iter().flat_map(|row| [row.local, row.exported]);
    imports.chain(exports)
}

/// The numbers of a file's strings.
pub(crate) fn file_names(names: &Names, view: &FactsView<'_>) -> FileNames {
    (0..view.string_count()).map(|at| names.get(view.str(Str(at)))).collect()
}

/// A [`Table`] without the files it was made from.
#[derive(Debug)]
pub(crate) struct TableParts {
    pub names: Names,
    live: Vec<bool>,
    pub str_names: Vec<FileNames>,
    node_name: Vec<NameId>,
    node_file: Vec<u32>,
    node_kind: Vec<Kind>,
    parents: Vec<u32>,
    child_index: Vec<u32>,
    children: Vec<NodeId>,
}

/// All files' facts with global numbering.
#[derive(Debug)]
pub(crate) struct Table<'a> {
    pub files: &'a [FileEntry],
    pub views: Vec<FactsView<'a>>,
    /// Every text that is a definition's name, an import alias or an export, with its number.
    pub names: Names,
    /// Whether a name is still given by some file; by its number. One that is not is no name at all.
    live: Vec<bool>,
    /// By file number.
    pub str_names: Vec<FileNames>,
    pub node_name: Vec<NameId>,
    /// Per node its file's number and its kind: asked more often than anything else.
    node_file: Vec<u32>,
    node_kind: Vec<Kind>,
    /// Per node the containing node; members declared outside their type are re-hung by [`Table::rehang`].
    pub parents: Vec<u32>,
    child_index: Vec<u32>,
    children: Vec<NodeId>,
}

impl<'a> Table<'a> {
    /// The table of these files. Names given before keep their numbers; `known` says for a file whether its strings were numbered
    /// before and none of its names is new.
    pub fn new(files: &'a [FileEntry], mut names: Names, known: impl Fn(usize) -> Option<FileNames> + Sync) -> Self {
        let views: Vec<FactsView<'a>> = files.par_iter().map(|file| file.facts.view()).collect();
        let nodes = files.last().map_or(0, |file| file.base as usize + 1 + views.last().map_or(0, |view| view.defs.len()));
        let mut node_name = vec![NONE; nodes];
        let mut parents = vec![NONE; nodes];
        let mut node_file = Vec::with_capacity(nodes);
        let mut node_kind = Vec::with_capacity(nodes);
        for (at, view) in views.iter().enumerate() {
            node_file.extend(std::iter::repeat_n(at as u32, view.defs.len() + 1));
            node_kind.push(Kind::File);
            node_kind.extend(view.defs.iter().map(DefRow::kind));
        }
        let mut str_names: Vec<Option<FileNames>> = (0..files.len()).map(known).collect();
        for ((file, view), known) in files.iter().zip(&views).zip(&str_names) {
            for (index, def) in view.defs.iter().enumerate() {
                let node = file.base as usize + 1 + index;
                node_name[node] = match known {
                    Some(known) => known.get(def.name.0 as usize).copied().unwrap_or(NONE),
                    None => names.enter(view.str(def.name)),
                };
                parents[node] = if def.parent == NONE { file.base } else { file.base + 1 + def.parent };
            }
            if known.is_none() {
                for text in outside_names(view) {
                    names.enter(view.str(text));
                }
            }
        }
        str_names.par_iter_mut().zip(&views).filter(|(slot, _)| slot.is_none()).for_each(|(slot, view)| {
            *slot = Some(file_names(&names, view));
        });
        let str_names: Vec<FileNames> = str_names.into_iter().map(Option::unwrap_or_default).collect();
        let live = live_names(names.len(), &views, &str_names);
        let (child_index, children) = (Vec::new(), Vec::new());
        let mut table =
            Table { files, views, names, live, str_names, node_name, node_file, node_kind, parents, child_index, children };
        table.index_children();
        table
    }

    /// Keeps what does not borrow from the files.
    pub fn into_parts(self) -> TableParts {
        let Table { names, live, str_names, node_name, node_file, node_kind, parents, child_index, children, .. } = self;
        TableParts { names, live, str_names, node_name, node_file, node_kind, parents, child_index, children }
    }

    /// The table of files whose definitions are numbered, nested and named as those the parts were made from.
    pub fn from_parts(files: &'a [FileEntry], parts: TableParts) -> Self {
        let views = files.par_iter().map(|file| file.facts.view()).collect();
        let TableParts { names, live, str_names, node_name, node_file, node_kind, parents, child_index, children } = parts;
        Table { files, views, names, live, str_names, node_name, node_file, node_kind, parents, child_index, children }
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
        self.alive(self.str_names[file].get(text.0 as usize).copied().unwrap_or(NONE))
    }

    /// The global name of a text.
    pub fn name(&self, text: &str) -> NameId {
        self.alive(self.names.get(text))
    }

    fn alive(&self, name: NameId) -> NameId {
        if self.live.get(name as usize).copied().unwrap_or(false) { name } else { NONE }
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
        self.node_file.get(node as usize).map_or(self.files.len().max(1) - 1, |file| *file as usize)
    }

    /// The definition row of a node, unless it is a file.
    pub fn def(&self, node: NodeId) -> Option<&'a DefRow> {
        let file = self.file_of(node);
        let index = node.checked_sub(self.files[file].base + 1)?;
        self.views[file].defs.get(index as usize)
    }

    pub fn kind(&self, node: NodeId) -> Kind {
        self.node_kind.get(node as usize).copied().unwrap_or(Kind::File)
    }

    /// Whether a node is a type, or a module that is used like one (mixed in, or the type of a struct).
    pub fn is_type(&self, node: NodeId) -> bool {
        match self.kind(node) {
            Kind::Module => matches!(self.family(self.file_of(node)), Some(Family::Ruby | Family::Elixir)),
            kind => kind.is_type(),
        }
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
