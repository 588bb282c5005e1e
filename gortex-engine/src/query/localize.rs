//! Localization: from a task or a pasted issue to the symbols and files it is probably about.
//!
//! Four kinds of evidence are added up. What the text names outright (identifiers, paths, quoted literals) is looked up exactly.
//! Words are weighed against names, documentation and signatures of symbols, and against everything a file mentions. The
//! content of files is counted for the same words, as a plain text search would. Finally symbols that call or are called by
//! good candidates rise a little. Tests and prose come last unless the text asks for them.
//!
//! Knows the graph, the symbol index and the files' bytes; no tools and no text format.

use std::path::PathBuf;

use rayon::prelude::*;
use regex::bytes::RegexBuilder;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::facts::model::Kind;
use crate::graph::{Graph, NodeId, is_test_path};
use crate::lang::Tier;
use crate::search::PathFilter;
use crate::search::rank::{Lexical, Term, accumulate, is_aside, is_leaf, prior, wants_tests};
use crate::search::symbols::{SymbolIndex, is_searchable};
use crate::search::words;

/// Words of a task that are used, the weightiest.
const MAX_WORDS: usize = 24;
/// Bytes of text that one content count reads; beyond, only promising files are read.
const SCAN_BYTES: u64 = 64 << 20;
/// Files read when not all are.
const SCAN_FILES: usize = 600;
/// A larger file is data.
const SCAN_FILE: u64 = 1 << 20;
/// Candidates that are looked at closely.
const CLOSE: usize = 300;
/// Candidates whose neighbours rise.
const SEEDS: usize = 12;
/// Hits of one file before the rest is put back.
const PER_FILE: usize = 3;
/// An exact name with more definitions than this says little.
const CROWDED: usize = 12;

/// What a task says, taken apart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shape {
    /// Terms with their weights, in the order of the text.
    pub words: Vec<(String, f32)>,
    /// Words as they are written, lower case, for counting in text; by the place in `words`.
    pub surface: Vec<String>,
    /// Identifiers with their weights.
    pub identifiers: Vec<(String, f32)>,
    /// Paths and file names.
    pub paths: Vec<String>,
    /// Quoted texts.
    pub literals: Vec<String>,
}

/// Takes a task apart.
pub fn shape(task: &str) -> Shape {
    let mut shape = Shape::default();
    let mut counts: FxHashMap<String, usize> = FxHashMap::default();
    let mut fenced = false;
    let mut first = true;
    let short = task.len() < 300 || !task.trim().contains('\n');
    let mut prose = 0;
    for line in task.lines() {
        let text = line.trim();
        if text.starts_with("```") || text.starts_with("~~~") {
            fenced = !fenced;
            continue;
        }
        if text.is_empty() {
            continue;
        }
        let weight = match (first, fenced) {
            (true, _) => 1.0,
            (false, true) => 0.35,
            (false, false) if short => 0.8,
            // The longer a report, the less its later words say.
            (false, false) => 0.7 / (1.0 + prose as f32 / 600.0),
        };
        named(text, weight, &mut shape);
        let quoted = text.starts_with('>') || text.starts_with('#') && !first;
        if !fenced && !quoted {
            // The first clause of a title is what it is about.
            let lead =
                if first { text.split("; ").next().and_then(|text| text.split(" - ").next()).map_or(0, str::len) } else { 0 };
            for (at, word) in pieces(text) {
                let weight = if at < lead && lead < text.len() && lead >= 20 { weight * 1.3 } else { weight };
                add_word(word, weight, &mut shape, &mut counts);
            }
            prose += text.len();
        }
        first = false;
    }
    if shape.words.is_empty() {
        for (_, word) in pieces(task) {
            add_word(word, 1.0, &mut shape, &mut counts);
        }
    }
    shape
}

/// Words split at blanks, with their place; links and hashes are left out.
fn pieces(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let base = text.as_ptr() as usize;
    text.split_whitespace()
        .filter(|word| !word.contains("://") && !is_hash(word) && !is_version(word))
        .map(move |word| (word.as_ptr() as usize - base, word))
}

fn is_hash(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    (7..=40).contains(&word.len())
        && word.bytes().all(|byte| byte.is_ascii_hexdigit())
        && word.bytes().any(|byte| byte.is_ascii_digit())
        && word.bytes().any(|byte| byte.is_ascii_alphabetic())
}

fn is_version(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_ascii_alphanumeric()).trim_start_matches('v');
    word.starts_with(|c: char| c.is_ascii_digit())
        && word.contains('.')
        && word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

fn add_word(text: &str, weight: f32, shape: &mut Shape, counts: &mut FxHashMap<String, usize>) {
    let mut scratch = String::new();
    words::split(text, |word| {
        let lower = word.to_lowercase();
        if words::is_stop(&lower) || lower.chars().all(|c| c.is_ascii_digit()) {
            return;
        }
        words::term(word, &mut scratch);
        if scratch.chars().count() < 2 {
            return;
        }
        match counts.get(&scratch) {
            // Said again: a little more, ever less.
            Some(at) => {
                let known: &mut f32 = &mut shape.words[*at].1;
                *known = (*known + weight * 0.25).min(known.max(weight) * 1.08 + 0.04);
            }
            None => {
                counts.insert(scratch.clone(), shape.words.len());
                shape.words.push((scratch.clone(), weight));
                shape.surface.push(lower);
            }
        }
    });
}

/// Collects identifiers, paths and quoted texts of a line.
fn named(line: &str, weight: f32, shape: &mut Shape) {
    for (at, quote) in line.match_indices(['`', '"', '\'']) {
        // An apostrophe inside a word opens nothing.
        let opens = line[..at].chars().next_back().is_none_or(|c| !c.is_alphanumeric());
        let rest = &line[at + quote.len()..];
        let Some(end) = rest.find(quote).filter(|_| opens) else { continue };
        let inner = &rest[..end];
        if (2..=128).contains(&inner.len()) && !inner.trim().is_empty() {
            if !shape.literals.iter().any(|other| other == inner) {
                shape.literals.push(inner.to_owned());
            }
            let bare = inner.trim_end_matches("()").trim_start_matches(['.', '@', '&', '*']);
            if quote == "`" && is_name(bare) {
                add_identifier(bare, weight * 1.2, shape);
            }
        }
    }
    for word in line.split(|c: char| {
        c.is_whitespace()
            || matches!(c, '`' | '"' | '\'' | ',' | ';' | '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>' | '=' | '|' | '!' | '?')
    }) {
        let word = word.trim_matches(|c: char| matches!(c, '.' | ':' | '*' | '&' | '@' | '#' | '$' | '-' | '/'));
        if word.len() < 3 || word.contains("://") || is_hash(word) || is_version(word) {
            continue;
        }
        let path = word.split(':').next().unwrap_or(word);
        let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
        let known = !extension.is_empty()
            && (crate::lang::Lang::of_path(path).is_some() || ["toml", "json", "yml", "yaml", "md", "cfg"].contains(&extension));
        if known || (path.matches('/').count() >= 2 && !path.contains("::")) {
            shape.paths.push(path.trim_start_matches("./").to_owned());
            continue;
        }
        let called = line.contains(&format!("{word}("));
        let compound =
            word.contains('_') || word.contains("::") || is_camel(word) || (word.contains('.') && !word.ends_with('.'));
        if is_name(word) && (compound || called) {
            add_identifier(word, if called && !compound { weight * 0.7 } else { weight }, shape);
        }
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '$' | '#'))
        && text.chars().any(char::is_alphabetic)
}

/// Whether capitals stand inside of a word.
fn is_camel(word: &str) -> bool {
    let mut before = None;
    word.chars().any(|c| {
        let rises = before.is_some_and(char::is_lowercase) && c.is_uppercase();
        before = Some(c);
        rises
    })
}

fn add_identifier(name: &str, weight: f32, shape: &mut Shape) {
    match shape.identifiers.iter_mut().find(|(other, _)| other == name) {
        Some((_, known)) => *known = known.max(weight),
        None => shape.identifiers.push((name.to_owned(), weight)),
    }
}

/// What to look for and where.
#[derive(Clone, Debug, Default)]
pub struct Task {
    /// The task, taken apart.
    pub shape: Shape,
    /// Whether it asks for tests.
    pub tests: bool,
    /// Narrows to these paths.
    pub paths: PathFilter,
    /// Narrows to this repository.
    pub repo: Option<u16>,
    /// Places where quoted texts stand: position of the file, line.
    pub quoted: Vec<(usize, u32)>,
}

impl Task {
    /// Takes a text apart and narrows nothing.
    pub fn of(text: &str) -> Task {
        Task { shape: shape(text), tests: wants_tests(text.lines().next().unwrap_or("")), ..Task::default() }
    }

    fn admits(&self, graph: &Graph, file: usize) -> bool {
        let file = &graph.files[file];
        self.repo.is_none_or(|repo| file.repo == repo) && self.paths.admits(&file.path)
    }
}

/// A symbol the task is probably about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// The symbol.
    pub node: NodeId,
    /// Its rank value.
    pub score: f32,
    /// The task names it outright.
    pub named: bool,
}

/// Where the task probably is.
#[derive(Clone, Debug, Default)]
pub struct Localized {
    /// Symbols, best first.
    pub symbols: Vec<Candidate>,
    /// Files by their position with a rank value, best first.
    pub files: Vec<(usize, f32)>,
    /// Words of the task that occur in any name, documentation or file.
    pub matched: usize,
    /// Files whose content was counted; less than all of a large tree.
    pub files_read: usize,
}

/// Finds where a task probably is. `disk` gives the place of a file's bytes.
pub fn localize(
    graph: &Graph,
    index: &SymbolIndex,
    task: &Task,
    most: usize,
    disk: impl Fn(usize) -> Option<PathBuf> + Sync,
) -> Localized {
    let terms = weigh(index, &task.shape);
    let mut evidence = Evidence::new(graph, task);
    evidence.file_words(index, &terms);
    evidence.anchors();
    let content = evidence.content(index, &disk);
    let lexical = accumulate(index, &terms);
    let mut symbols = evidence.symbols(index, &terms, &lexical);
    evidence.proximity(&mut symbols);
    let files = evidence.rank_files(&symbols);
    evidence.by_file(&mut symbols, &files);
    let symbols = evidence.head(symbols, most);
    let matched: FxHashSet<usize> = terms.iter().filter(|term| term.share > 0.0).map(|term| term.word).collect();
    Localized { symbols, files, matched: matched.len(), files_read: content }
}

/// The terms of a task that the index knows, the weightiest first.
fn weigh(index: &SymbolIndex, shape: &Shape) -> Vec<Term> {
    let mut ranked: Vec<(f32, usize, u32)> = shape
        .words
        .iter()
        .enumerate()
        .filter_map(|(word, (text, weight))| {
            let term = index.term(text)?;
            Some((weight * index.file_idf(term).max(0.2), word, term))
        })
        .collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    ranked.truncate(MAX_WORDS);
    let mut terms: Vec<Term> =
        ranked.iter().map(|(_, word, term)| Term { term: *term, word: *word, share: shape.words[*word].1 }).collect();
    // An equivalent of a word stands in for it at a discount.
    for (word, (text, weight)) in shape.words.iter().enumerate().take(MAX_WORDS) {
        for other in words::equivalents(text) {
            if let Some(term) = index.term(&other).filter(|term| !terms.iter().any(|known| known.term == *term)) {
                terms.push(Term { term, word, share: weight * 0.3 });
            }
        }
    }
    // Bits of `Lexical` count 64 words.
    terms.retain(|term| term.word < 64);
    terms
}

struct Evidence<'a> {
    graph: &'a Graph,
    task: &'a Task,
    /// By file: words of paths, names and mentions.
    words: Vec<f32>,
    /// By file: words of the content.
    text: Vec<f32>,
    /// By file: named outright.
    anchored: Vec<f32>,
    /// Symbols named outright.
    named: FxHashMap<NodeId, f32>,
}

impl<'a> Evidence<'a> {
    fn new(graph: &'a Graph, task: &'a Task) -> Evidence<'a> {
        let files = graph.files.len();
        Evidence {
            graph,
            task,
            words: vec![0.0; files],
            text: vec![0.0; files],
            anchored: vec![0.0; files],
            named: FxHashMap::default(),
        }
    }

    fn file_words(&mut self, index: &SymbolIndex, terms: &[Term]) {
        const K: f32 = 4.0;
        for term in terms {
            let weight = index.file_idf(term.term) * term.share;
            for row in index.files(term.term) {
                self.words[row.at as usize] += weight * row.weight * (K + 1.0) / (row.weight + K);
            }
        }
        scale(&mut self.words);
    }

    /// What the text names: identifiers, paths, quoted places.
    fn anchors(&mut self) {
        let graph = self.graph;
        for (name, weight) in &self.task.shape.identifiers {
            let dotted = name.replace("::", ".").replace('#', ".");
            let mut last = dotted.rsplit('.').next().unwrap_or(&dotted);
            let mut found: Vec<NodeId> = graph.named(last).to_vec();
            let qualified: Vec<NodeId> =
                found.iter().copied().filter(|node| ends_with(&graph.qualified(*node), &dotted)).collect();
            if dotted.contains('.') && !qualified.is_empty() {
                found = qualified;
            } else if dotted.contains('.')
                && found.is_empty()
                && let Some(owner) = dotted.rsplit('.').nth(1)
            {
                last = owner;
                found = graph.named(last).to_vec();
            }
            found.retain(|node| is_searchable(graph, *node) && self.task.admits(graph, graph.file_index(*node)));
            let production = found.iter().filter(|node| !graph.is_test(**node)).count();
            if found.is_empty() || production > CROWDED * 4 {
                continue;
            }
            // One definition is nearly an address; many of the same name are a word.
            let share = weight / (production.max(1) as f32).sqrt();
            for node in found {
                let test = if graph.is_test(node) && !self.task.tests { 0.3 } else { 1.0 };
                let entry = self.named.entry(node).or_default();
                *entry = entry.max(share * test);
                let file = &mut self.anchored[graph.file_index(node)];
                *file = (*file + 0.5 * share * test).min(1.5);
            }
        }
        for path in &self.task.shape.paths {
            self.anchor_path(path);
        }
        for (file, line) in &self.task.quoted {
            self.anchored[*file] = (self.anchored[*file] + 0.35).min(1.5);
            if let Some(node) = innermost(graph, *file, *line) {
                let entry = self.named.entry(node).or_default();
                *entry = entry.max(0.4);
            }
        }
    }

    /// Files a path of the text can mean: the whole path, or its longest tail that is one.
    fn anchor_path(&mut self, path: &str) {
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        for skip in 0..parts.len() {
            let tail = parts[skip..].join("/");
            let hits: Vec<usize> = (0..self.graph.files.len())
                .filter(|at| {
                    let whole = self.graph.files[*at].path.as_str();
                    whole.strip_suffix(tail.as_str()).is_some_and(|head| head.is_empty() || head.ends_with('/'))
                })
                .collect();
            if hits.is_empty() {
                continue;
            }
            if hits.len() <= 4 {
                let share = 1.0 / hits.len() as f32;
                for at in hits {
                    self.anchored[at] = (self.anchored[at] + share).min(1.5);
                }
            }
            return;
        }
    }

    /// Counts the words of the task in the content of files, as a text search would.
    fn content(&mut self, index: &SymbolIndex, disk: &(impl Fn(usize) -> Option<PathBuf> + Sync)) -> usize {
        let shape = &self.task.shape;
        let mut words: Vec<(f32, usize)> = shape
            .words
            .iter()
            .enumerate()
            .map(|(at, (text, weight))| (weight * index.term(text).map_or(6.0, |term| index.file_idf(term).max(0.1)), at))
            .collect();
        words.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        words.truncate(MAX_WORDS);
        let texts: Vec<&str> = words.iter().map(|(_, at)| shape.words[*at].0.as_str()).filter(|text| text.len() > 2).collect();
        if texts.is_empty() {
            return 0;
        }
        let mut longest = texts.clone();
        longest.sort_by_key(|text| (std::cmp::Reverse(text.len()), *text));
        let pattern: Vec<String> = longest.iter().map(|text| regex::escape(text)).collect();
        let built = RegexBuilder::new(&pattern.join("|")).case_insensitive(true).size_limit(4 << 20).build();
        let Ok(matcher) = built else { return 0 };
        let files = self.files_to_read();
        let counts: Vec<(usize, Vec<u32>, u64)> = files
            .par_iter()
            .filter_map(|at| {
                let bytes = std::fs::read(disk(*at)?).ok()?;
                let mut counts = vec![0u32; texts.len()];
                for found in matcher.find_iter(&bytes) {
                    let text = String::from_utf8_lossy(found.as_bytes()).to_lowercase();
                    if let Some(word) = texts.iter().position(|known| *known == text) {
                        counts[word] += 1;
                    }
                }
                Some((*at, counts, bytes.len() as u64))
            })
            .collect();
        let all = counts.len().max(1) as f32;
        let average = counts.iter().map(|(_, _, size)| *size as f32).sum::<f32>() / all;
        for (word, text) in texts.iter().enumerate() {
            let with = counts.iter().filter(|(_, counts, _)| counts[word] > 0).count() as f32;
            let idf = (1.0 + (all - with + 0.5) / (with + 0.5)).ln();
            let weight = shape.words.iter().find(|(known, _)| known == text).map_or(1.0, |(_, weight)| *weight);
            for (at, counts, size) in &counts {
                let count = counts[word] as f32;
                let long = 0.5 + 0.5 * *size as f32 / average.max(1.0);
                self.text[*at] += weight * idf * count * 2.5 / (count + 1.5 * long.min(4.0));
            }
        }
        scale(&mut self.text);
        counts.len()
    }

    /// Source and text files in scope; of a large tree the ones whose names and mentions promise most.
    fn files_to_read(&self) -> Vec<usize> {
        use crate::graph::FileStatus::{Indexed, Partial, Text};
        let graph = self.graph;
        let mut files: Vec<usize> = (0..graph.files.len())
            .filter(|at| {
                let file = &graph.files[*at];
                matches!(file.status, Indexed | Partial | Text)
                    && file.size <= SCAN_FILE
                    && !file.generated
                    && self.task.admits(graph, *at)
            })
            .collect();
        let total: u64 = files.iter().map(|at| graph.files[*at].size).sum();
        if total > SCAN_BYTES {
            let value = |at: usize| self.words[at] + self.anchored[at];
            files.sort_by(|a, b| value(*b).total_cmp(&value(*a)).then(a.cmp(b)));
            files.truncate(SCAN_FILES);
        }
        files
    }

    /// All evidence about a file but its symbols.
    fn file_value(&self, at: usize) -> f32 {
        0.5 * self.words[at] + 0.6 * self.text[at] + self.anchored[at]
    }

    fn symbols(&self, index: &SymbolIndex, terms: &[Term], lexical: &FxHashMap<NodeId, Lexical>) -> Vec<Candidate> {
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
    fn proximity(&self, found: &mut Vec<Candidate>) {
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

    fn rank_files(&self, symbols: &[Candidate]) -> Vec<(usize, f32)> {
        let graph = self.graph;
        let top = symbols.first().map_or(1.0, |one| one.score.max(f32::MIN_POSITIVE));
        let mut best: FxHashMap<usize, (f32, usize)> = FxHashMap::default();
        for one in symbols {
            let entry = best.entry(graph.file_index(one.node)).or_default();
            // The first symbol of a file counts fully, further ones ever less.
            entry.0 += one.score / top / (1.0 + entry.1 as f32 * 2.0).powi(2);
            entry.1 += 1;
        }
        let mut files: Vec<(usize, f32)> = (0..graph.files.len())
            .filter(|at| self.task.admits(graph, *at))
            .filter_map(|at| {
                let symbols = best.get(&at).map_or(0.0, |(sum, _)| *sum);
                let value = (self.file_value(at) + 0.6 * symbols) * self.file_prior(at);
                (value > 0.0).then_some((at, value))
            })
            .collect();
        files.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        files.truncate(200);
        files
    }

    /// Code before tests, samples, prose and data.
    fn file_prior(&self, at: usize) -> f32 {
        let file = &self.graph.files[at];
        let named = self.anchored[at] >= 0.9;
        let test = if is_test_path(&file.path) && !self.task.tests { 0.45 } else { 1.0 };
        let code = match file.lang {
            Some(lang) if lang.language().tier != Tier::Format => 1.0,
            _ if named => 0.8,
            _ => 0.3,
        };
        let aside = if is_aside(&file.path) && !named { 0.6 } else { 1.0 };
        let made = if file.generated { 0.5 } else { 1.0 };
        test * code * aside * made
    }

    /// A symbol of a file that ranks well rises with it.
    fn by_file(&self, symbols: &mut [Candidate], files: &[(usize, f32)]) {
        let best = files.first().map_or(1.0, |(_, value)| value.max(f32::MIN_POSITIVE));
        let value: FxHashMap<usize, f32> = files.iter().map(|(at, value)| (*at, value / best)).collect();
        for one in symbols.iter_mut() {
            let file = value.get(&self.graph.file_index(one.node)).copied().unwrap_or(0.0);
            one.score *= 0.6 + 0.4 * file;
        }
        sort(symbols);
    }

    /// The best, spread over files, with test code and repeated data leaves behind the rest.
    fn head(&self, symbols: Vec<Candidate>, most: usize) -> Vec<Candidate> {
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

/// Brings the largest value to 1.
fn scale(values: &mut [f32]) {
    let best = values.iter().copied().fold(0.0f32, f32::max);
    if best > 0.0 {
        for value in values {
            *value /= best;
        }
    }
}

/// Whether a qualified name ends with these whole segments.
fn ends_with(qualified: &str, tail: &str) -> bool {
    qualified.strip_suffix(tail).is_some_and(|head| head.is_empty() || head.ends_with('.'))
}

/// The innermost definition of a file that contains a line.
fn innermost(graph: &Graph, file: usize, line: u32) -> Option<NodeId> {
    let file = &graph.files[file];
    let view = file.facts.view();
    let holds = view.defs.iter().enumerate().filter(|(_, def)| def.start_line <= line && line <= def.end_line);
    let (index, _) = holds.min_by_key(|(index, def)| (def.end_line - def.start_line, std::cmp::Reverse(*index)))?;
    Some(file.base + 1 + index as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::build::graph_of;

    const TREE: &[(&str, &str)] = &[
        (
            "src/router.py",
            "class Router:\n    \"\"\"Matches urls.\"\"\"\n    def add_route(self, path):\n        return compile_path(path)\n\ndef compile_path(path):\n    return path\n",
        ),
        (
            "src/session.py",
            "class Session:\n    def save(self, token):\n        return store(token)\n\ndef store(token):\n    return token\n",
        ),
        ("src/models.py", "class A:\n    token = 1\nclass B:\n    token = 1\nclass C:\n    token = 1\n"),
        ("tests/test_session.py", "from src.session import Session\n\ndef test_save():\n    Session().save(1)\n"),
    ];

    #[track_caller]
    fn names(task: &str) -> Vec<String> {
        let graph = graph_of(TREE);
        let index = SymbolIndex::build(&graph);
        let found = localize(&graph, &index, &Task::of(task), 10, |_| None);
        found.symbols.iter().map(|one| graph.name(one.node).to_owned()).collect()
    }

    #[test]
    fn words_and_names_lead_to_their_place() {
        assert_eq!(names("adding routes compiles the path twice")[..2], ["compile_path", "add_route"]);
        assert!(names("saving a session loses its token")[..3].contains(&"save".to_owned()));
        assert_eq!(names("Traceback: `compile_path` fails")[0], "compile_path");
        assert!(names("zebra").is_empty());
        assert!(names("").is_empty());
    }

    #[test]
    fn repeated_leaves_do_not_fill_the_head() {
        let head = names("the token of a model is stored wrongly");
        let leaves = head.iter().take(4).filter(|name| *name == "token").count();
        assert!(leaves <= 1 && head.contains(&"store".to_owned()), "{head:?}");
    }

    #[test]
    fn tests_come_last_unless_asked_for() {
        let head = names("save session");
        let test = head.iter().position(|name| name == "test_save");
        assert!(test.is_none_or(|at| at + 1 == head.len()), "{head:?}");
    }

    #[test]
    fn an_issue_is_taken_apart() {
        let issue = "Router.add_route raises KeyError\n\nWhen I call it with `compile_path` at v2.1.0 (abc1234def) see https://x.y/z\n\n```\n  File \"src/router.py\", line 4, in add_route\nValueError: bad größe\n```\n";
        let shape = shape(issue);
        assert!(shape.paths.contains(&"src/router.py".to_owned()), "{shape:?}");
        let names: Vec<&str> = shape.identifiers.iter().map(|(name, _)| name.as_str()).collect();
        assert!(names.contains(&"Router.add_route") && names.contains(&"compile_path"), "{names:?}");
        assert!(shape.words.iter().all(|(word, _)| !word.contains("abc") && !word.contains("http")));
        assert!(shape.literals.contains(&"compile_path".to_owned()));
        assert_eq!(super::shape(""), Shape::default());
    }

    proptest::proptest! {
        #[test]
        fn any_text_can_be_taken_apart(text in "[a-zA-Z`'\"./:_#>ü→\\n ()]{0,80}") {
            let _ = shape(&text);
        }
    }
}
