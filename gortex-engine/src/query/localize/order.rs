//! The order of files and symbols: evidence added up, neighbours lifted, the head spread over files.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Candidate;
use super::anchors::Evidence;
use super::links::FileLinks;
use crate::facts::model::Kind;
use crate::graph::{FileEntry, NodeId, is_test_path};
use crate::lang::Tier;
use crate::search::rank::{Lexical, Term, is_aside, is_leaf, prior};
use crate::search::symbols::{SymbolIndex, is_searchable};

/// Candidates that are looked at closely.
const CLOSE: usize = 300;
/// Candidates whose neighbours rise.
const SEEDS: usize = 12;
/// Hits of one file before the rest is put back.
const PER_FILE: usize = 3;

/// What words of names and mentions weigh against words of content and path, which tell more.
const MENTIONS: f32 = 0.1;
/// What being named outright weighs.
const ANCHORED: f32 = 0.4;
/// What the symbols of a file weigh.
const SYMBOLS: f32 = 0.15;
/// What the files close to a file add to it.
const NEAR: f32 = 0.2;
/// What a test counts where none is asked for.
const TEST: f32 = 0.2;
/// What prose and data count.
const DATA: f32 = 0.15;

impl Evidence<'_> {
    /// All evidence about a file but its symbols.
    fn file_value(&self, at: usize) -> f32 {
        MENTIONS * self.words[at] + self.text[at] + ANCHORED * self.anchored[at]
    }

    pub fn symbols(&self, index: &SymbolIndex, terms: &[Term], lexical: &FxHashMap<NodeId, Lexical>) -> Vec<Candidate> {
        let graph = self.graph;
        let mut idf: FxHashMap<usize, f32> = FxHashMap::default();
        for term in terms {
            let value = index.symbol_idf(term.term) * term.share;
            let entry = idf.entry(term.word).or_default();
            *entry = entry.max(value);
        }
        // What a good symbol can cover at most: the four weightiest words.
        let mut weights: Vec<f32> = idf.values().copied().collect();
        weights.sort_by(|a, b| b.total_cmp(a));
        let reach: f32 = weights.iter().take(4).sum::<f32>().max(f32::MIN_POSITIVE);
        let mut found: Vec<Candidate> = lexical
            .iter()
            .filter(|(node, _)| self.usable(**node))
            .map(|(node, lexical)| {
                let covered: f32 = idf.iter().filter(|(word, _)| lexical.words >> **word & 1 == 1).map(|(_, idf)| idf).sum();
                Candidate { node: *node, score: lexical.score * (0.4 + 0.6 * (covered / reach).min(1.0)), named: false }
            })
            .collect();
        // Sums over a map would depend on its order; words are few, so the value of a symbol is settled by its bits alone.
        sort(&mut found);
        let best = found.first().map_or(1.0, |first| first.score.max(f32::MIN_POSITIVE));
        found.truncate(CLOSE);
        let mut known: FxHashSet<NodeId> = FxHashSet::default();
        for one in &mut found {
            known.insert(one.node);
            one.score /= best;
        }
        let mut outright: Vec<NodeId> =
            self.named.keys().copied().filter(|node| !known.contains(node) && self.usable(*node)).collect();
        outright.sort_unstable();
        found.extend(outright.into_iter().map(|node| Candidate { node, score: 0.0, named: false }));
        for one in &mut found {
            let named = self.named.get(&one.node).copied().unwrap_or(0.0);
            one.named = named >= 0.3;
            let file = self.file_value(graph.file_index(one.node)).min(2.0);
            one.score = (one.score + 0.3 * file + 0.9 * named) * (0.4 + 0.6 * prior(graph, one.node, self.task.tests));
        }
        sort(&mut found);
        found
    }

    fn usable(&self, node: NodeId) -> bool {
        let graph = self.graph;
        is_searchable(graph, node) && graph.kind(node) != Kind::Module && self.task.admits(graph, graph.file_index(node))
    }

    /// Callers and callees of the best rise by a share; a method lifts its type.
    pub fn proximity(&self, found: &mut Vec<Candidate>) {
        let graph = self.graph;
        let mut lifts: FxHashMap<NodeId, f32> = FxHashMap::default();
        for seed in found.iter().take(SEEDS) {
            let out: Vec<NodeId> = graph.out(seed.node).iter().filter(|edge| edge.kind().is_call()).map(|edge| edge.to).collect();
            let into: Vec<NodeId> =
                graph.incoming(seed.node).filter(|edge| edge.kind().is_call()).map(|edge| edge.from).collect();
            // A hub says nothing about its neighbours.
            for list in [out, into].iter().filter(|list| list.len() <= 40) {
                let share = seed.score * 0.15 / (list.len().max(1) as f32).sqrt();
                for node in list {
                    let entry = lifts.entry(*node).or_default();
                    *entry = entry.max(share);
                }
            }
            if let Some(owner) = graph.parent(seed.node).filter(|owner| graph.def(*owner).is_some()) {
                let entry = lifts.entry(owner).or_default();
                *entry = entry.max(seed.score * 0.2);
            }
        }
        let mut at: FxHashMap<NodeId, usize> = found.iter().enumerate().map(|(at, one)| (one.node, at)).collect();
        let mut order: Vec<(NodeId, f32)> = lifts.into_iter().collect();
        order.sort_by_key(|(node, _)| *node);
        for (node, lift) in order {
            match at.get(&node) {
                Some(at) => found[*at].score += lift,
                None if self.usable(node) => {
                    at.insert(node, found.len());
                    let file = self.file_value(graph.file_index(node)).min(2.0);
                    let score = (lift + 0.3 * file) * (0.4 + 0.6 * prior(graph, node, self.task.tests));
                    found.push(Candidate { node, score, named: false });
                }
                None => {}
            }
        }
        sort(found);
    }

    pub fn rank_files(&self, symbols: &[Candidate], links: &FileLinks) -> Vec<(usize, f32)> {
        let graph = self.graph;
        let top = symbols.first().map_or(1.0, |one| one.score.max(f32::MIN_POSITIVE));
        let mut best: FxHashMap<usize, (f32, usize)> = FxHashMap::default();
        for one in symbols {
            let entry = best.entry(graph.file_index(one.node)).or_default();
            // The first symbol of a file counts fully, further ones ever less.
            entry.0 += one.score / top / (1.0 + entry.1 as f32 * 2.0).powi(2);
            entry.1 += 1;
        }
        let value = |at: usize| {
            let symbols = best.get(&at).map_or(0.0, |(sum, _)| *sum);
            (self.file_value(at) + SYMBOLS * symbols) * self.file_prior(at)
        };
        let values: Vec<f32> =
            (0..graph.files.len()).map(|at| if self.task.admits(graph, at) { value(at) } else { 0.0 }).collect();
        let mut files = self.spread(&values, links);
        files.truncate(200);
        files
    }

    /// Each file rises with those it uses and is used by; the best stays the best.
    fn spread(&self, values: &[f32], links: &FileLinks) -> Vec<(usize, f32)> {
        let lift = |at: usize| links.of(at).map(|(other, close)| close * values[other]).sum::<f32>() * self.file_prior(at);
        let risen =
            |(at, value): (usize, &f32)| (at, if self.task.admits(self.graph, at) { value + NEAR * lift(at) } else { 0.0 });
        let mut files: Vec<(usize, f32)> = values.iter().enumerate().map(risen).filter(|(_, value)| *value > 0.0).collect();
        files.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let first = |a: &usize, b: &usize| values[*a].total_cmp(&values[*b]).then(b.cmp(a));
        if let Some(best) = (0..values.len()).filter(|at| values[*at] > 0.0).max_by(first)
            && let Some(at) = files.iter().position(|(file, _)| *file == best)
        {
            let top = files.first().map_or(0.0, |(_, value)| *value);
            files.remove(at);
            files.insert(0, (best, top));
        }
        files
    }

    /// Code before tests, samples, prose and data.
    pub fn file_prior(&self, at: usize) -> f32 {
        let file = &self.graph.files[at];
        let named = self.anchored[at] >= 0.9;
        let test = if is_test_path(&file.path) && !self.task.tests { TEST } else { 1.0 };
        let code = match (is_code(file), named) {
            (true, _) => 1.0,
            (false, true) => 0.8,
            (false, false) => DATA,
        };
        let aside = if is_aside(&file.path) && !named { 0.6 } else { 1.0 };
        let made = if file.generated { 0.5 } else { 1.0 };
        test * code * aside * made
    }

    /// A symbol of a file that ranks well rises with it.
    pub fn by_file(&self, symbols: &mut [Candidate], files: &[(usize, f32)]) {
        let best = files.first().map_or(1.0, |(_, value)| value.max(f32::MIN_POSITIVE));
        let value: FxHashMap<usize, f32> = files.iter().map(|(at, value)| (*at, value / best)).collect();
        for one in symbols.iter_mut() {
            let file = value.get(&self.graph.file_index(one.node)).copied().unwrap_or(0.0);
            one.score *= 0.6 + 0.4 * file;
        }
        sort(symbols);
    }

    /// The best, spread over files, with test code and repeated data leaves behind the rest.
    pub fn head(&self, symbols: Vec<Candidate>, most: usize) -> Vec<Candidate> {
        let graph = self.graph;
        let mut per_file: FxHashMap<usize, usize> = FxHashMap::default();
        let mut leaves: FxHashSet<&str> = FxHashSet::default();
        let (mut head, mut later) = (Vec::new(), Vec::new());
        for one in symbols {
            if head.len() >= most {
                break;
            }
            let count = per_file.entry(graph.file_index(one.node)).or_default();
            let leaf = is_leaf(graph.kind(one.node));
            let put_back = *count >= PER_FILE
                || (leaf && !leaves.insert(graph.name(one.node)))
                || (!self.task.tests && graph.is_test(one.node));
            if put_back {
                later.push(one);
            } else {
                *count += 1;
                head.push(one);
            }
        }
        let room = most.saturating_sub(head.len());
        head.extend(later.into_iter().take(room));
        head
    }
}

fn sort(found: &mut [Candidate]) {
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.node.cmp(&b.node)));
}

/// Whether a file is written in a programming language; data and documents are not.
fn is_code(file: &FileEntry) -> bool {
    file.lang.is_some_and(|lang| lang.language().tier != Tier::Format)
}

/// Whether a file is code that is no test, sample or product of a generator.
pub(super) fn is_production(file: &FileEntry) -> bool {
    is_code(file) && !file.generated && !is_test_path(&file.path) && !is_aside(&file.path)
}
