//! The symbol index: terms to symbols and files, and names in lower case.
//!
//! Built at the first search of a graph generation. A symbol is found by the words of its name, its owners, its documentation and
//! its signature, each with its own weight; a file by its path and by all words its facts mention. Weights are added up per
//! symbol and term when the index is built, so that a search adds numbers and looks at no text.
//!
//! Knows terms, nodes and weights; ranking is `rank`'s.

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::words;
use crate::facts::model::{DefRow, Kind, flag};
use crate::graph::{FileEntry, Graph, NodeId};

/// Weights are stored in eighths.
const SCALE: f32 = 8.0;
/// What a word of the name weighs.
const NAME: f32 = 4.0;
/// What a word of an owner's name weighs.
const OWNER: f32 = 1.4;
/// What a word of the documentation weighs at most.
const DOC: f32 = 1.2;
/// What a word of the signature weighs.
const SIGNATURE: f32 = 0.5;
/// Owner names looked at.
const OWNERS: usize = 3;

/// A symbol or file with the weight of a term in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Posting {
    /// The node, or the position of the file.
    pub at: u32,
    /// The weight.
    pub weight: f32,
    /// Whether the term is a word of the name.
    pub in_name: bool,
}

/// Lists of weighted places by term.
#[derive(Debug, Default)]
struct Postings {
    index: Vec<u32>,
    at: Vec<u32>,
    weight: Vec<u8>,
}

impl Postings {
    fn build(terms: usize, mut rows: Vec<(u32, u32, u8)>) -> Postings {
        rows.sort_unstable_by_key(|(term, at, _)| (*term, *at));
        let mut index = vec![0u32; terms + 1];
        for (term, _, _) in &rows {
            index[*term as usize + 1] += 1;
        }
        for at in 1..index.len() {
            index[at] += index[at - 1];
        }
        Postings {
            index,
            at: rows.iter().map(|(_, at, _)| *at).collect(),
            weight: rows.iter().map(|(_, _, weight)| *weight).collect(),
        }
    }

    fn of(&self, term: u32) -> impl ExactSizeIterator<Item = Posting> + '_ {
        let range = match self.index.get(term as usize..term as usize + 2) {
            Some([from, to]) => *from as usize..*to as usize,
            _ => 0..0,
        };
        range.map(|row| {
            let weight = f32::from(self.weight[row]) / SCALE;
            Posting { at: self.at[row], weight, in_name: weight >= NAME }
        })
    }
}

/// See the module.
#[derive(Debug, Default)]
pub struct SymbolIndex {
    /// Sorted terms, as one text with offsets.
    term_text: String,
    term_offsets: Vec<u32>,
    symbols: Postings,
    files: Postings,
    /// Names in lower case, sorted, each closed by a line feed.
    folded: String,
    folded_offsets: Vec<u32>,
    /// The graph's name of each folded one.
    folded_names: Vec<u32>,
    /// The letters of each folded one, as bits.
    folded_letters: Vec<u64>,
    /// Number of searchable symbols.
    pub count: usize,
    /// Number of files.
    pub file_count: usize,
}

/// What one group of files contributes.
#[derive(Default)]
struct Part {
    terms: FxHashMap<Box<str>, u32>,
    texts: Vec<Box<str>>,
    symbols: Vec<(u32, u32, u8)>,
    files: Vec<(u32, u32, u8)>,
    count: usize,
}

impl Part {
    fn term(&mut self, text: &str) -> u32 {
        if let Some(found) = self.terms.get(text) {
            return *found;
        }
        let id = self.texts.len() as u32;
        self.texts.push(text.into());
        self.terms.insert(text.into(), id);
        id
    }
}

/// Whether a node takes part in symbol search. Headings are the corpus of documents.
pub fn is_searchable(graph: &Graph, node: NodeId) -> bool {
    let named = |def: &DefRow| !def.name.is_empty() && !def.has(flag::ANONYMOUS);
    graph.def(node).is_some_and(|def| named(def) && !matches!(def.kind(), Kind::File | Kind::Heading))
}

impl SymbolIndex {
    /// Builds the index of a graph.
    pub fn build(graph: &Graph) -> SymbolIndex {
        let parts: Vec<Part> = (0..graph.files.len().div_ceil(64))
            .into_par_iter()
            .map(|group| {
                let mut part = Part::default();
                let mut scratch = Scratch::default();
                for at in group * 64..((group + 1) * 64).min(graph.files.len()) {
                    scratch.file(graph, at, &mut part);
                }
                part
            })
            .collect();
        let mut index = SymbolIndex { file_count: graph.files.len(), ..SymbolIndex::default() };
        index.count = parts.iter().map(|part| part.count).sum();
        index.merge(parts);
        index.fold_names(graph);
        index
    }

    fn merge(&mut self, parts: Vec<Part>) {
        let mut all: Vec<&str> = parts.iter().flat_map(|part| part.texts.iter().map(AsRef::as_ref)).collect();
        all.par_sort_unstable();
        all.dedup();
        self.term_offsets = Vec::with_capacity(all.len() + 1);
        self.term_offsets.push(0);
        for text in &all {
            self.term_text.push_str(text);
            self.term_offsets.push(self.term_text.len() as u32);
        }
        let (mut symbols, mut files) = (Vec::new(), Vec::new());
        for part in &parts {
            let number: Vec<u32> = part.texts.iter().map(|text| all.binary_search(&text.as_ref()).unwrap_or(0) as u32).collect();
            symbols.extend(part.symbols.iter().map(|(term, at, weight)| (number[*term as usize], *at, *weight)));
            files.extend(part.files.iter().map(|(term, at, weight)| (number[*term as usize], *at, *weight)));
        }
        let terms = all.len();
        self.symbols = Postings::build(terms, symbols);
        self.files = Postings::build(terms, files);
    }

    fn fold_names(&mut self, graph: &Graph) {
        let names = graph.names();
        let mut folded: Vec<(String, u32)> = (0..names.len() as u32)
            .filter(|name| names.nodes(*name).iter().any(|node| is_searchable(graph, *node)))
            .map(|name| (names.text(name).to_lowercase().replace('\n', " "), name))
            .collect();
        folded.sort_unstable();
        self.folded_offsets.push(0);
        for (text, name) in folded {
            self.folded.push_str(&text);
            self.folded.push('\n');
            self.folded_offsets.push(self.folded.len() as u32);
            self.folded_names.push(name);
            self.folded_letters.push(letters(&text));
        }
    }

    /// The number of a term.
    pub fn term(&self, text: &str) -> Option<u32> {
        let (mut low, mut high) = (0, self.term_offsets.len().saturating_sub(1));
        while low < high {
            let middle = low + (high - low) / 2;
            if self.term_at(middle) < text { low = middle + 1 } else { high = middle }
        }
        (low + 1 < self.term_offsets.len() && self.term_at(low) == text).then_some(low as u32)
    }

    /// Number of terms.
    pub fn term_count(&self) -> usize {
        self.term_offsets.len().saturating_sub(1)
    }

    /// The text of a term; empty for a number out of range.
    pub fn term_text(&self, term: u32) -> &str {
        if (term as usize) < self.term_count() { self.term_at(term as usize) } else { "" }
    }

    fn term_at(&self, at: usize) -> &str {
        &self.term_text[self.term_offsets[at] as usize..self.term_offsets[at + 1] as usize]
    }

    /// Symbols a term occurs in.
    pub fn symbols(&self, term: u32) -> impl ExactSizeIterator<Item = Posting> + '_ {
        self.symbols.of(term)
    }

    /// Files a term occurs in, by their position.
    pub fn files(&self, term: u32) -> impl ExactSizeIterator<Item = Posting> + '_ {
        self.files.of(term)
    }

    /// How telling a term is among symbols.
    pub fn symbol_idf(&self, term: u32) -> f32 {
        idf(self.count, self.symbols(term).len())
    }

    /// How telling a term is among files.
    pub fn file_idf(&self, term: u32) -> f32 {
        idf(self.file_count, self.files(term).len())
    }

    fn folded_at(&self, at: usize) -> &str {
        &self.folded[self.folded_offsets[at] as usize..self.folded_offsets[at + 1] as usize - 1]
    }

    /// Names, as the graph numbers them, that begin with a text in lower case; with their folded form, in its order.
    pub fn with_prefix<'s>(&'s self, prefix: &'s str) -> impl Iterator<Item = (&'s str, u32)> + 's {
        let (mut low, mut high) = (0, self.folded_names.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.folded_at(middle) < prefix { low = middle + 1 } else { high = middle }
        }
        (low..self.folded_names.len())
            .map(|at| (self.folded_at(at), self.folded_names[at]))
            .take_while(move |(text, _)| text.starts_with(prefix))
    }

    /// Names that contain a text in lower case.
    pub fn containing<'s>(&'s self, part: &'s str) -> impl Iterator<Item = (&'s str, u32)> + 's {
        let mut last = None;
        memchr::memmem::find_iter(self.folded.as_bytes(), part.as_bytes()).filter_map(move |at| {
            let row = self.folded_offsets.partition_point(|offset| *offset as usize <= at) - 1;
            if last.replace(row) == Some(row) {
                return None;
            }
            Some((self.folded_at(row), self.folded_names[row]))
        })
    }

    /// Names that are a text in lower case but for `_`, `-` and `$`.
    pub fn squeezed<'s>(&'s self, text: &'s str) -> impl Iterator<Item = (&'s str, u32)> + 's {
        fn bare(text: &str) -> impl Iterator<Item = u8> + '_ {
            text.bytes().filter(|byte| !matches!(byte, b'_' | b'-' | b'$'))
        }
        let marks = ["_", "-", "$"].iter().fold(0, |mask, mark| mask | letters(mark));
        let wanted = letters(text) | marks;
        let short = bare(text).count();
        (0..self.folded_names.len())
            // The letters tell most names apart without a look at their text.
            .filter(move |at| self.folded_letters[*at] | marks == wanted)
            .map(|at| (self.folded_at(at), self.folded_names[at]))
            .filter(move |(other, _)| short > 0 && other.len() >= short && bare(text).eq(bare(other)))
    }

    /// Names within an edit distance of a text in lower case, with the distance.
    pub fn near<'s>(&'s self, text: &str, limit: usize) -> Vec<(usize, &'s str, u32)> {
        let wanted: Vec<char> = text.chars().collect();
        let mask = letters(text);
        let mut row = Vec::new();
        let mut found = Vec::new();
        for at in 0..self.folded_names.len() {
            let other = self.folded_at(at);
            // An edit changes at most two letters of the set.
            if other.len().abs_diff(text.len()) > limit * 4 || (self.folded_letters[at] ^ mask).count_ones() as usize > 2 * limit
            {
                continue;
            }
            if let Some(far) = distance(&wanted, other, limit, &mut row) {
                found.push((far, other, self.folded_names[at]));
            }
        }
        found.sort_unstable();
        found
    }
}

fn letters(text: &str) -> u64 {
    text.bytes().fold(0, |mask, byte| mask | 1 << (byte & 63))
}

/// Levenshtein distance in characters where it is at most `limit`; neighbours that changed places count as one.
fn distance(a: &[char], b: &str, limit: usize, rows: &mut Vec<usize>) -> Option<usize> {
    let b: Vec<char> = b.chars().collect();
    if a.len().abs_diff(b.len()) > limit {
        return None;
    }
    let width = b.len() + 1;
    rows.clear();
    rows.resize(3 * width, 0);
    for (j, cell) in rows[width..2 * width].iter_mut().enumerate() {
        *cell = j;
    }
    for i in 1..=a.len() {
        let (older, old, new) = ((i + 2) % 3 * width, i % 3 * width, (i + 1) % 3 * width);
        rows[new] = i;
        let mut best = i;
        for j in 1..width {
            let same = a[i - 1] == b[j - 1];
            let mut cost = (rows[old + j - 1] + usize::from(!same)).min(rows[old + j] + 1).min(rows[new + j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                cost = cost.min(rows[older + j - 2] + 1);
            }
            rows[new + j] = cost;
            best = best.min(cost);
        }
        if best > limit {
            return None;
        }
    }
    let last = (a.len() + 1) % 3 * width;
    Some(rows[last + b.len()]).filter(|far| *far <= limit)
}

fn idf(all: usize, with: usize) -> f32 {
    let (all, with) = (all as f32, with as f32);
    (1.0 + (all - with + 0.5).max(0.0) / (with + 0.5)).ln()
}

/// Buffers that are used again for every symbol.
#[derive(Default)]
struct Scratch {
    text: String,
    weights: FxHashMap<u32, f32>,
    file: FxHashMap<u32, f32>,
    seen: FxHashSet<u32>,
}

impl Scratch {
    fn add(&mut self, part: &mut Part, text: &str, weight: f32, once: bool) {
        let Scratch { text: scratch, weights, seen, .. } = self;
        seen.clear();
        words::terms(text, scratch, |term| {
            let term = part.term(term);
            if once && !seen.insert(term) {
                return;
            }
            *weights.entry(term).or_default() += weight;
        });
    }

    fn file(&mut self, graph: &Graph, at: usize, part: &mut Part) {
        let file = &graph.files[at];
        let view = file.facts.view();
        self.file.clear();
        for index in 0..view.defs.len() as u32 {
            let node = file.base + 1 + index;
            if !is_searchable(graph, node) {
                continue;
            }
            self.symbol(graph, node, part);
            part.count += 1;
            for (term, weight) in self.weights.drain() {
                // Beyond what a name gives, weight from several fields must not look like a name.
                part.symbols.push((term, node, (weight * SCALE).round().clamp(1.0, 255.0) as u8));
                *self.file.entry(term).or_default() += if weight >= NAME { 1.0 } else { 0.2 };
            }
        }
        self.mentions(file, part);
        // The rows of a file are counted softly, the path on top of them.
        let mut rows: FxHashMap<u32, f32> =
            self.file.drain().map(|(term, count): (u32, f32)| (term, (1.0 + count).ln() * 2.0)).collect();
        self.weights.clear();
        let (folder, name) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
        self.add(part, name.rsplit_once('.').map_or(name, |(stem, _)| stem), 6.0, true);
        self.add(part, folder, 2.5, true);
        let doc = view.str(view.header.doc);
        self.add(part, doc, 1.5, true);
        for (term, weight) in self.weights.drain() {
            *rows.entry(term).or_default() += weight;
        }
        part.files
            .extend(rows.into_iter().map(|(term, weight)| (term, at as u32, (weight * SCALE).round().clamp(1.0, 255.0) as u8)));
    }

    fn symbol(&mut self, graph: &Graph, node: NodeId, part: &mut Part) {
        self.weights.clear();
        let Some(def) = graph.def(node) else { return };
        let view = graph.view_of(node);
        let doc = view.str(def.doc);
        let words = doc.len() / 6;
        self.add(part, doc, DOC / (1.0 + words as f32 / 40.0), true);
        let signature = view.str(def.signature);
        self.add(part, signature, SIGNATURE, true);
        for owner in graph.ancestors(node).take(OWNERS).filter(|owner| graph.def(*owner).is_some()) {
            self.add(part, graph.name(owner), OWNER, true);
        }
        let other = NAME - 1.0 / SCALE;
        for weight in self.weights.values_mut() {
            *weight = weight.min(other);
        }
        self.add(part, view.str(def.name), NAME, true);
    }

    /// Words of what a file mentions: names it refers to and modules it imports.
    fn mentions(&mut self, file: &FileEntry, part: &mut Part) {
        let view = file.facts.view();
        let mut names: FxHashMap<u32, f32> = FxHashMap::default();
        for mention in view.refs {
            *names.entry(mention.name.0).or_default() += 0.25;
        }
        for import in view.imports {
            *names.entry(import.module.0).or_default() += 0.5;
        }
        for (name, weight) in names {
            let text = view.str(crate::facts::model::Str(name));
            words::terms(text, &mut self.text, |term| {
                *self.file.entry(part.term(term)).or_default() += weight;
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::build::graph_of;

    fn index(files: &[(&str, &str)]) -> (Graph, SymbolIndex) {
        let graph = graph_of(files);
        let index = SymbolIndex::build(&graph);
        (graph, index)
    }

    #[test]
    fn names_weigh_more_than_signatures_and_owners() {
        let (graph, index) = index(&[(
            "a.py",
            "class Router:\n    def add_route(self, handler):\n        pass\n\ndef handler(route):\n    pass\n",
        )]);
        let term = index.term("rout").expect("a term");
        let rows: Vec<(String, bool)> = index.symbols(term).map(|row| (graph.name(row.at).to_owned(), row.in_name)).collect();
        assert_eq!(rows, [("add_route".to_owned(), true), ("handler".to_owned(), false)]);
        assert!(index.term("nothing").is_none() && index.term("").is_none());
    }

    #[test]
    fn folded_names_by_prefix_part_and_distance() {
        let (graph, index) =
            index(&[("a.py", "def Größe():\n    pass\n\ndef getName():\n    pass\n\ndef get_user():\n    pass\n")]);
        let texts =
            |rows: Vec<(&str, u32)>| rows.into_iter().map(|(_, name)| graph.names().text(name).to_owned()).collect::<Vec<_>>();
        assert_eq!(texts(index.with_prefix("get").collect()), ["get_user", "getName"]);
        assert_eq!(texts(index.with_prefix("größe").collect()), ["Größe"]);
        assert_eq!(texts(index.containing("nam").collect()), ["getName"]);
        assert_eq!(texts(index.near("gtename", 2).into_iter().map(|(_, text, name)| (text, name)).collect()), ["getName"]);
        assert_eq!(index.near("get_usre", 2)[0].0, 1);
        assert_eq!(texts(index.squeezed("getuser").collect()), ["get_user"]);
        assert!(index.squeezed("_").next().is_none());
        assert!(index.near("zzzzzzz", 2).is_empty());
        assert!(index.near("", 2).is_empty());
    }

    #[test]
    fn an_empty_graph_has_an_empty_index() {
        let (_, index) = index(&[]);
        assert!(index.term("x").is_none() && index.with_prefix("").next().is_none() && index.containing("a").next().is_none());
    }

    proptest::proptest! {
        #[test]
        fn distance_is_what_the_plain_table_says(a in "[abcü]{0,7}", b in "[abcü]{0,7}") {
            let (x, y): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
            let mut table = vec![vec![0usize; y.len() + 1]; x.len() + 1];
            for i in 0..=x.len() {
                for j in 0..=y.len() {
                    table[i][j] = if i == 0 || j == 0 { i + j } else {
                        let mut cost = (table[i-1][j-1] + usize::from(x[i-1] != y[j-1])).min(table[i-1][j] + 1).min(table[i][j-1] + 1);
                        if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] { cost = cost.min(table[i-2][j-2] + 1); }
                        cost
                    };
                }
            }
            let plain = table[x.len()][y.len()];
            proptest::prop_assert_eq!(distance(&x, &b, 2, &mut Vec::new()), (plain <= 2).then_some(plain));
        }
    }
}
