//! Ranked symbol search: what a query asks for, how well each symbol fits, and in which order they are shown.
//!
//! A query that is an identifier is about a name: how the name fits (exactly, apart from case, by its words, as a part, nearly)
//! comes before everything else. A query of words is about a concept: words of names, owners, documentation and signatures are
//! weighed by how telling they are. In both, production code comes before tests, definitions before declarations, and much-used
//! symbols slightly before others; equals are ordered by path and place.
//!
//! Knows the graph and the symbol index, no disk and no tools.

use std::cmp::Reverse;

use rustc_hash::{FxHashMap, FxHashSet};

use super::PathFilter;
use super::semantic::SemanticIndex;
use super::symbols::{SymbolIndex, is_searchable};
use super::words;
use crate::facts::model::{Kind, flag};
use crate::graph::{Graph, NodeId};
use crate::lang::Lang;

/// Candidates that are looked at closely.
const CLOSE: usize = 250;
/// Hits given back at most.
pub const MAX_HITS: usize = 2000;
/// A term that occurs in more symbols than this only raises what rarer terms found.
const COMMON: usize = 20_000;
/// Symbols that the channel of meaning names.
const NEAREST: usize = 60;
/// What meaning adds at most to a symbol that words found; the best of those has about 100.
const LIFT: f32 = 15.0;
/// What a symbol has at most that meaning alone found.
const ALONE: f32 = 45.0;
/// Places at the head over which hits of one file are spread.
const HEAD: usize = 20;
/// What a symbol of data or a document counts where nothing asks for such.
const ASIDE: f32 = 0.55;
/// Words of a query that are used.
const MAX_WORDS: usize = 48;

/// What a query asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A name or a part of one.
    Symbol,
    /// A path.
    Path,
    /// A piece of a signature.
    Signature,
    /// Words that describe something.
    Concept,
    /// A list of alternatives.
    KeywordSoup,
}

impl Class {
    /// Every class.
    pub const ALL: [Class; 5] = [Class::Symbol, Class::Path, Class::Signature, Class::Concept, Class::KeywordSoup];

    /// The stable word.
    pub fn as_str(self) -> &'static str {
        match self {
            Class::Symbol => "symbol",
            Class::Path => "path",
            Class::Signature => "signature",
            Class::Concept => "concept",
            Class::KeywordSoup => "keyword_soup",
        }
    }

    /// The class a text most likely belongs to.
    pub fn of(text: &str) -> Class {
        let text = text.trim();
        let single = !text.contains(char::is_whitespace);
        if disjuncts(text).len() > 1 {
            Class::KeywordSoup
        } else if text.contains("::") && single {
            Class::Symbol
        } else if single && (text.contains('/') || Lang::of_path(text).is_some()) {
            Class::Path
        } else if text.contains('(') || text.contains("->") || text.contains("=>") {
            Class::Signature
        } else if single {
            Class::Symbol
        } else {
            Class::Concept
        }
    }
}

/// The alternatives of a boolean list: parts between `OR`, `|` and `||`.
pub fn disjuncts(text: &str) -> Vec<&str> {
    text.split('|').flat_map(|part| part.split(" OR ")).map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// What to look for.
#[derive(Clone, Debug, Default)]
pub struct SymbolQuery {
    /// The text without filter clauses.
    pub text: String,
    /// Node kinds to keep.
    pub kinds: Vec<String>,
    /// Flavors of types to keep.
    pub flavors: Vec<String>,
    /// Languages to keep.
    pub languages: Vec<String>,
    /// Paths to keep.
    pub paths: PathFilter,
    /// Repository to keep.
    pub repo: Option<u16>,
    /// The class, when the caller knows it.
    pub class: Option<Class>,
    /// Hits of one file in the head; 0 lifts the bound.
    pub max_per_file: usize,
    /// Whether words that programmers use for each other count.
    pub equivalence: bool,
}

/// How a name fits the query as a whole, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fit {
    /// Letter by letter.
    Exact,
    /// Apart from case.
    Folded,
    /// The same words, written otherwise.
    SameWords,
    /// Begins with it.
    Prefix,
    /// Has all its words.
    AllWords,
    /// Contains it.
    Part,
    /// Shares words with it.
    SomeWords,
    /// Differs by a slip or two.
    Near,
    /// Shares no word, but words that keep the same company.
    Related,
}

impl Fit {
    /// The stable word.
    pub fn as_str(self) -> &'static str {
        match self {
            Fit::Exact => "exact",
            Fit::Folded => "case_insensitive",
            Fit::SameWords => "same_words",
            Fit::Prefix => "prefix",
            Fit::AllWords => "all_words",
            Fit::Part => "substring",
            Fit::SomeWords => "some_words",
            Fit::Near => "fuzzy",
            Fit::Related => "semantic",
        }
    }

    fn base(self) -> f32 {
        match self {
            Fit::Exact => 1000.0,
            Fit::Folded => 900.0,
            Fit::SameWords => 850.0,
            Fit::Prefix => 700.0,
            Fit::AllWords => 600.0,
            Fit::Part => 400.0,
            Fit::SomeWords => 250.0,
            Fit::Near => 150.0,
            Fit::Related => 100.0,
        }
    }
}

/// One symbol found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The symbol.
    pub node: NodeId,
    /// Its rank value, comparable within one answer.
    pub score: f32,
    /// How it fits.
    pub fit: Fit,
    /// What each channel said.
    pub channels: Channels,
}

/// What the channels of a search said of one symbol, before they were put together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Channels {
    /// Words: the best of the answer has 100 in a search by words, 1 in a search by name.
    pub lexical: f32,
    /// Cosine of meaning; 0 when not asked or too far.
    pub semantic: f32,
    /// What speaks for the symbol whatever was asked, from 0 to 1; 0 when it was not looked at closely.
    pub prior: f32,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Best first, at most [`MAX_HITS`].
    pub hits: Vec<Hit>,
    /// All there are.
    pub total: usize,
    /// The class used.
    pub class: Option<Class>,
    /// Nothing fitted as a whole; these share words.
    pub decomposed: bool,
    /// Nothing passed the kind and flavor filters; these are without them.
    pub filters_relaxed: bool,
}

/// Moves `kind: flavor: lang: path: repo:` clauses of a text into the query's filters; returns the repository named.
pub fn lift_clauses(text: &str, query: &mut SymbolQuery) -> Option<String> {
    let mut rest = Vec::new();
    let mut repo = None;
    let mut paths: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        // `path::name` is an id and `::` never part of a clause.
        match word.split_once(':') {
            Some((_, value)) if value.is_empty() || value.starts_with(':') => rest.push(word),
            Some(("kind", value)) => query.kinds.extend(value.split(',').map(str::to_owned)),
            Some(("flavor", value)) => query.flavors.extend(value.split(',').map(str::to_owned)),
            Some(("lang" | "language", value)) => query.languages.extend(value.split(',').map(str::to_owned)),
            Some(("path", value)) => paths.push(value.to_owned()),
            Some(("repo" | "project", value)) => repo = Some(value.to_owned()),
            _ => rest.push(word),
        }
    }
    query.text = rest.join(" ");
    if !paths.is_empty() {
        query.paths = PathFilter::parse(&paths.join(","));
    }
    repo
}

/// Searches names and words.
pub fn search(graph: &Graph, index: &SymbolIndex, query: &SymbolQuery) -> Found {
    search_with(graph, index, None, query)
}

/// Searches names and words, and meaning where the query is a description.
pub fn search_with(graph: &Graph, index: &SymbolIndex, meaning: Option<&SemanticIndex>, query: &SymbolQuery) -> Found {
    let class = query.class.unwrap_or_else(|| Class::of(&query.text));
    let mut found = run(graph, index, meaning, query, class);
    if found.total == 0 && !(query.kinds.is_empty() && query.flavors.is_empty()) {
        let wider = SymbolQuery { kinds: Vec::new(), flavors: Vec::new(), ..query.clone() };
        found = run(graph, index, meaning, &wider, class);
        found.filters_relaxed = found.total > 0;
    }
    found.class = Some(class);
    found
}

fn run(graph: &Graph, index: &SymbolIndex, meaning: Option<&SemanticIndex>, query: &SymbolQuery, class: Class) -> Found {
    let narrowed = !(query.kinds.is_empty()
        && query.flavors.is_empty()
        && query.languages.is_empty()
        && query.repo.is_none()
        && query.paths.is_empty());
    let search = Search { graph, index, meaning, query, narrowed, tests: wants_tests(&query.text) };
    let mut hits = match class {
        Class::KeywordSoup => search.soup(),
        Class::Symbol => search.name(query.text.trim()),
        Class::Path => search.path(query.text.trim()),
        Class::Concept | Class::Signature => search.concept(&query.text),
    };
    let total = hits.len();
    let asked = !(query.kinds.is_empty() && query.languages.is_empty()) || class == Class::Path;
    for hit in hits.iter_mut().filter(|hit| !asked && is_of_format(graph, hit.node)) {
        hit.score *= ASIDE;
    }
    sort(graph, &mut hits);
    hits.truncate(MAX_HITS);
    let decomposed = class == Class::Symbol && hits.first().is_some_and(|hit| hit.fit == Fit::SomeWords);
    let literal = class == Class::Symbol || class == Class::Path;
    let hits = spread(graph, hits, query.max_per_file, literal);
    Found { hits, total, class: None, decomposed, filters_relaxed: false }
}

/// Whether a text speaks of tests, so that test code is what is asked for.
pub fn wants_tests(text: &str) -> bool {
    let mut found = false;
    words::terms(text, &mut String::new(), |term| found |= matches!(term, "test" | "benchmark" | "fixtur" | "mock"));
    found
}

/// By score, then by path and place: node numbers follow the sorted paths.
pub(crate) fn sort(graph: &Graph, hits: &mut [Hit]) {
    let _ = graph;
    // No two hits are of one node, so there are no equals to keep in order.
    hits.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then(a.node.cmp(&b.node)));
}

/// Whether a symbol belongs to data or a document: it never stands in the way of program code that fits as well.
pub fn is_of_format(graph: &Graph, node: NodeId) -> bool {
    let format = |lang: Lang| lang.language().tier == crate::lang::Tier::Format;
    graph.kind(node).is_format() || graph.file_of(node).lang.is_some_and(format)
}

/// Whether a symbol holds data rather than doing something.
pub fn is_leaf(kind: Kind) -> bool {
    matches!(kind, Kind::Field | Kind::Property | Kind::Constant | Kind::Variable | Kind::EnumMember)
        || matches!(kind, Kind::Key | Kind::Section | Kind::Column | Kind::Element | Kind::Selector)
}

/// Moves hits beyond the bound per file, and data leaves of a name already shown, behind the head; nothing is lost.
/// Where the query is a literal name, the fits of the whole name keep their places.
fn spread(graph: &Graph, hits: Vec<Hit>, max_per_file: usize, literal: bool) -> Vec<Hit> {
    let mut per_file: FxHashMap<usize, usize> = FxHashMap::default();
    let mut leaves: FxHashSet<&str> = FxHashSet::default();
    let (mut head, mut rest) = (Vec::new(), Vec::new());
    for hit in hits {
        if head.len() >= HEAD {
            rest.push(hit);
            continue;
        }
        let kept = literal && hit.fit <= Fit::SameWords;
        let count = per_file.entry(graph.file_index(hit.node)).or_default();
        let crowded = max_per_file > 0 && *count >= max_per_file;
        let repeated = !literal && is_leaf(graph.kind(hit.node)) && !leaves.insert(graph.name(hit.node));
        if !kept && (crowded || repeated) {
            rest.push(hit);
        } else {
            *count += 1;
            head.push(hit);
        }
    }
    head.extend(rest);
    head
}

/// The weighted terms of a query, the rarest first.
#[derive(Clone, Debug)]
pub struct Term {
    /// The number in the index.
    pub term: u32,
    /// Which word of the query it stands for.
    pub word: usize,
    /// Its share: 1 for the word itself, less for an equivalent.
    pub share: f32,
}

/// The terms of a text that the index knows, and the number of its words.
pub fn query_terms(index: &SymbolIndex, text: &str, equivalence: bool) -> (Vec<Term>, usize) {
    let mut texts: Vec<String> = Vec::new();
    words::terms(text, &mut String::new(), |term| {
        if texts.len() < MAX_WORDS && !texts.iter().any(|other| other == term) {
            texts.push(term.to_owned());
        }
    });
    let telling: Vec<String> = texts.iter().filter(|text| !words::is_stop(text)).cloned().collect();
    let texts = if telling.is_empty() { texts } else { telling };
    let mut terms = Vec::new();
    for (word, text) in texts.iter().enumerate() {
        terms.extend(index.term(text).map(|term| Term { term, word, share: 1.0 }));
        if equivalence {
            let others = words::equivalents(text).into_iter().filter(|other| !texts.contains(other));
            terms.extend(others.filter_map(|other| index.term(&other)).map(|term| Term { term, word, share: 0.45 }));
        }
    }
    (terms, texts.len())
}

/// What the terms of a query add up to for one symbol.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lexical {
    /// The sum.
    pub score: f32,
    /// Which words of the query occur anywhere, as bits.
    pub words: u64,
    /// Which words of the query occur in the name, as bits.
    pub in_name: u64,
}

/// Adds up the terms of a query for every symbol that has any of them.
pub fn accumulate(index: &SymbolIndex, terms: &[Term]) -> FxHashMap<NodeId, Lexical> {
    const K: f32 = 3.0;
    let mut order: Vec<&Term> = terms.iter().collect();
    order.sort_by_key(|term| (index.symbols(term.term).len(), term.term));
    let mut found: FxHashMap<NodeId, Lexical> = FxHashMap::default();
    for term in order {
        let rows = index.symbols(term.term);
        let weight = index.symbol_idf(term.term) * term.share;
        let common = rows.len() > COMMON && !found.is_empty();
        for row in rows {
            let entry = if common {
                match found.get_mut(&row.at) {
                    Some(entry) => entry,
                    None => continue,
                }
            } else {
                found.entry(row.at).or_default()
            };
            let bit = 1u64 << (term.word & 63);
            let gain = weight * row.weight * (K + 1.0) / (row.weight + K);
            // An equivalent adds nothing to a word that is there itself.
            if term.share < 1.0 && entry.words & bit != 0 {
                continue;
            }
            entry.score += gain;
            entry.words |= bit;
            if row.in_name {
                entry.in_name |= bit;
            }
        }
    }
    found
}

struct Search<'a> {
    graph: &'a Graph,
    index: &'a SymbolIndex,
    meaning: Option<&'a SemanticIndex>,
    query: &'a SymbolQuery,
    tests: bool,
    /// Whether there is any filter.
    narrowed: bool,
}

impl Search<'_> {
    fn admits(&self, node: NodeId) -> bool {
        let query = self.query;
        if !is_searchable(self.graph, node) {
            return false;
        }
        if !self.narrowed {
            return true;
        }
        let file = self.graph.file_of(node);
        let kind = self.graph.kind(node);
        (query.kinds.is_empty() || query.kinds.iter().any(|word| word == kind.node_kind() || word == kind.as_str()))
            && (query.flavors.is_empty() || query.flavors.iter().any(|word| kind.flavor() == Some(word.as_str())))
            && (query.languages.is_empty() || query.languages.iter().any(|word| file.lang.is_some_and(|lang| covers(word, lang))))
            && query.repo.is_none_or(|repo| file.repo == repo)
            && query.paths.admits(&file.path)
    }

    /// A name, or `Owner.name`, or an id.
    fn name(&self, text: &str) -> Vec<Hit> {
        let mut fits: FxHashMap<NodeId, (Fit, f32)> = FxHashMap::default();
        let mut note = |node: NodeId, fit: Fit, lexical: f32| {
            let entry = fits.entry(node).or_insert((fit, lexical));
            *entry = (entry.0.min(fit), entry.1.max(lexical));
        };
        if let Some(node) = self.graph.by_id(text) {
            note(node, Fit::Exact, 1.0);
        }
        let dotted = text.replace("::", ".");
        let last = dotted.rsplit('.').next().unwrap_or(&dotted);
        let qualified = last.len() < dotted.len();
        if qualified {
            for node in self.graph.named(last) {
                let whole = self.graph.qualified(*node);
                let tail = whole.strip_suffix(dotted.as_str()).is_some_and(|head| head.is_empty() || head.ends_with('.'));
                note(*node, if tail { Fit::Exact } else { Fit::SomeWords }, 1.0);
            }
        }
        self.whole_names(text, &mut note);
        self.by_words(text, &mut note);
        let strong = fits.iter().filter(|(node, (fit, _))| *fit < Fit::SomeWords && self.admits(**node)).take(5).count();
        if strong < 5 && last.chars().count() >= 4 {
            let folded = last.to_lowercase();
            let limit = if folded.chars().count() > 5 { 2 } else { 1 };
            for (far, _, name) in self.index.near(&folded, limit) {
                for node in self.graph.names().nodes(name) {
                    // One slip is more likely meant than a word shared by chance; two are less.
                    let near = (Fit::Near, if far <= 1 { 1.0 } else { 0.2 });
                    let entry = fits.entry(*node).or_insert(near);
                    if entry.0 == Fit::SomeWords && far <= 1 {
                        *entry = near;
                    }
                }
            }
        }
        self.score_names(fits)
    }

    /// Names that fit as a whole: exactly, apart from case, as a prefix, as a part.
    fn whole_names(&self, text: &str, note: &mut impl FnMut(NodeId, Fit, f32)) {
        let folded = text.to_lowercase();
        if folded.is_empty() {
            return;
        }
        let names = self.graph.names();
        let size = folded.len() as f32;
        for (other, name) in self.index.with_prefix(&folded) {
            let fit = if names.text(name) == text {
                Fit::Exact
            } else if other == folded {
                Fit::Folded
            } else {
                Fit::Prefix
            };
            names.nodes(name).iter().for_each(|node| note(*node, fit, size / other.len() as f32));
        }
        for (other, name) in self.index.squeezed(&folded) {
            if other != folded {
                names.nodes(name).iter().for_each(|node| note(*node, Fit::SameWords, 1.0));
            }
        }
        if folded.len() > 2 {
            for (other, name) in self.index.containing(&folded) {
                names.nodes(name).iter().for_each(|node| note(*node, Fit::Part, size / other.len() as f32));
            }
        }
    }

    /// Names that share words with the text.
    fn by_words(&self, text: &str, note: &mut impl FnMut(NodeId, Fit, f32)) {
        let (terms, count) = query_terms(self.index, text, false);
        let all = mask(count);
        let found = accumulate(self.index, &terms);
        let best = found.values().map(|lexical| lexical.score).fold(f32::MIN_POSITIVE, f32::max);
        for (node, lexical) in found {
            if lexical.in_name == 0 {
                continue;
            }
            let fit = if lexical.in_name == all {
                if self.same_words(node, text) { Fit::SameWords } else { Fit::AllWords }
            } else {
                Fit::SomeWords
            };
            note(node, fit, lexical.score / best);
        }
    }

    /// Whether a name has the letters of a text and no others, marks and case aside.
    fn same_words(&self, node: NodeId, text: &str) -> bool {
        fn letters(text: &str) -> impl Iterator<Item = char> + '_ {
            text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase)
        }
        letters(self.graph.name(node)).eq(letters(text))
    }

    fn score_names(&self, fits: FxHashMap<NodeId, (Fit, f32)>) -> Vec<Hit> {
        // Words shared by chance are many; they are an answer only when nothing fits better.
        let strong = fits.values().any(|(fit, _)| *fit < Fit::SomeWords);
        let mut hits: Vec<Hit> = fits
            .into_iter()
            .filter(|(node, (fit, _))| (!strong || *fit != Fit::SomeWords) && self.admits(*node))
            .map(|(node, (fit, lexical))| {
                let share = if fit == Fit::Near { 220.0 } else { 20.0 };
                let channels = Channels { lexical, ..Channels::default() };
                Hit { node, score: fit.base() + share * lexical, fit, channels }
            })
            .collect();
        sort(self.graph, &mut hits);
        for hit in hits.iter_mut().take(CLOSE) {
            hit.channels.prior = prior(self.graph, hit.node, self.tests);
            hit.score += 70.0 * hit.channels.prior;
        }
        hits
    }

    /// Symbols of files whose path fits, and names that fit its last part.
    fn path(&self, text: &str) -> Vec<Hit> {
        let folded = text.to_lowercase();
        let mut hits = Vec::new();
        for file in &self.graph.files {
            if !file.path.to_lowercase().contains(&folded) {
                continue;
            }
            let nodes = file.base + 1..=file.base + file.facts.view().defs.len() as u32;
            for node in nodes.filter(|node| self.admits(*node)) {
                let channels = Channels { prior: prior(self.graph, node, self.tests), ..Channels::default() };
                hits.push(Hit { node, score: 500.0 + 70.0 * channels.prior, fit: Fit::Part, channels });
            }
        }
        if hits.is_empty() { self.concept(text) } else { hits }
    }

    /// Words that describe something.
    fn concept(&self, text: &str) -> Vec<Hit> {
        let (terms, count) = query_terms(self.index, text, self.query.equivalence);
        let all = mask(count);
        let idf: Vec<f32> = word_weights(self.index, &terms, count);
        let whole: f32 = idf.iter().sum::<f32>().max(f32::MIN_POSITIVE);
        let found = accumulate(self.index, &terms);
        let mut hits: Vec<Hit> = found
            .iter()
            .filter(|(node, _)| self.admits(**node))
            .map(|(node, lexical)| {
                let covered: f32 =
                    idf.iter().enumerate().filter(|(word, _)| lexical.words >> word & 1 == 1).map(|(_, idf)| idf).sum();
                let fit = if lexical.in_name == all && count > 0 { Fit::AllWords } else { Fit::SomeWords };
                let score = lexical.score * (0.4 + 0.6 * covered / whole);
                Hit { node: *node, score, fit, channels: Channels::default() }
            })
            .collect();
        sort(self.graph, &mut hits);
        let best = hits.first().map_or(1.0, |hit| hit.score.max(f32::MIN_POSITIVE));
        for (at, hit) in hits.iter_mut().enumerate() {
            hit.score = 100.0 * hit.score / best;
            hit.channels.lexical = hit.score;
            if at < CLOSE {
                let named = found.get(&hit.node).map_or(0, |lexical| lexical.in_name.count_ones());
                let parts = words::terms_of(self.graph.name(hit.node)).len().max(1);
                // A name that says what was asked and nothing else.
                let focus = (named as f32 / parts as f32).min(1.0) * named as f32 / count.max(1) as f32;
                hit.channels.prior = prior(self.graph, hit.node, self.tests);
                hit.score = (hit.score + 25.0 * focus) * (0.5 + 0.5 * hit.channels.prior);
                if hit.fit == Fit::AllWords && self.same_words(hit.node, text) {
                    hit.fit = Fit::SameWords;
                    hit.score += 60.0;
                }
            } else {
                hit.score *= 0.3;
            }
        }
        self.add_meaning(text, &mut hits);
        hits
    }

    /// Puts the channel of meaning beside that of words: it lifts what words found, and brings in what they did not, below
    /// whatever fits by its words alone.
    fn add_meaning(&self, text: &str, hits: &mut Vec<Hit>) {
        let Some(meaning) = self.meaning else { return };
        let near = meaning.nearest(self.index, text, NEAREST);
        let mut cosines: FxHashMap<NodeId, f32> = near.iter().copied().collect();
        for hit in hits.iter_mut() {
            if let Some(cosine) = cosines.remove(&hit.node) {
                hit.channels.semantic = cosine;
                hit.score += LIFT * cosine * hit.channels.prior;
            }
        }
        for (node, cosine) in near.into_iter().filter(|(node, _)| cosines.contains_key(node) && self.admits(*node)) {
            let channels = Channels { semantic: cosine, prior: prior(self.graph, node, self.tests), lexical: 0.0 };
            hits.push(Hit { node, score: ALONE * cosine * channels.prior, fit: Fit::Related, channels });
        }
    }

    /// Alternatives: the best of each first.
    fn soup(&self) -> Vec<Hit> {
        let mut best: FxHashMap<NodeId, Hit> = FxHashMap::default();
        for part in disjuncts(&self.query.text) {
            let mut hits = if Class::of(part) == Class::Symbol { self.name(part) } else { self.concept(part) };
            sort(self.graph, &mut hits);
            let top = hits.first().map_or(1.0, |hit| hit.score.max(f32::MIN_POSITIVE));
            for hit in hits {
                let hit = Hit { score: 100.0 * hit.score / top, ..hit };
                let entry = best.entry(hit.node).or_insert(hit);
                if hit.score > entry.score {
                    *entry = hit;
                }
            }
        }
        best.into_values().collect()
    }
}

/// A language's name covers its dialects.
fn covers(word: &str, lang: Lang) -> bool {
    let name = lang.language().name;
    word.eq_ignore_ascii_case(name)
        || match word {
            "typescript" | "ts" => matches!(name, "typescript" | "tsx"),
            "javascript" | "js" => matches!(name, "javascript" | "jsx"),
            "py" => name == "python",
            "rs" => name == "rust",
            "golang" => name == "go",
            "c++" => name == "cpp",
            _ => false,
        }
}

fn mask(count: usize) -> u64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}

/// How telling each word of a query is; one that the index does not know is as telling as the rarest.
pub fn word_weights(index: &SymbolIndex, terms: &[Term], count: usize) -> Vec<f32> {
    let mut weights = vec![0.0f32; count];
    for term in terms.iter().filter(|term| term.share >= 1.0) {
        weights[term.word] = index.symbol_idf(term.term);
    }
    weights
}

/// What speaks for a symbol whatever was asked, from 0 to 1.
pub fn prior(graph: &Graph, node: NodeId, tests: bool) -> f32 {
    let Some(def) = graph.def(node) else { return 0.0 };
    let file = graph.file_of(node);
    let kind = match def.kind() {
        Kind::Class | Kind::Struct | Kind::Interface | Kind::Trait | Kind::Function => 1.0,
        Kind::Enum | Kind::Union | Kind::Record | Kind::Annotation | Kind::TypeAlias | Kind::Method | Kind::Macro => 0.95,
        Kind::Constructor => 0.85,
        Kind::Module => 0.7,
        Kind::Constant | Kind::Variable => 0.7,
        Kind::Field | Kind::Property | Kind::EnumMember | Kind::File => 0.6,
        Kind::Route | Kind::Event | Kind::Table | Kind::View | Kind::Service | Kind::Resource | Kind::Endpoint | Kind::Schema => {
            0.7
        }
        Kind::Heading | Kind::Job | Kind::Stage | Kind::Target | Kind::Trigger | Kind::Index | Kind::Output => 0.6,
        Kind::Section | Kind::Column | Kind::Element | Kind::Selector | Kind::Key => 0.4,
    };
    let fan_in = graph.in_index.get(node as usize..node as usize + 2).map_or(0, |range| range[1] - range[0]);
    let used = ((1 + fan_in) as f32).log2().min(8.0) / 8.0;
    let tested = if !tests && graph.is_test(node) { 0.35 } else { 1.0 };
    let made = if file.generated { 0.6 } else { 1.0 };
    let announced = if def.has(flag::DECLARATION) { 0.85 } else { 1.0 };
    let aside = if is_aside(&file.path) { 0.7 } else { 1.0 };
    let data = if is_of_format(graph, node) { 0.6 } else { 1.0 };
    data * kind * tested * made * announced * aside * (0.75 + 0.25 * used)
}

/// Whether a path holds samples, benchmarks or documentation.
pub fn is_aside(path: &str) -> bool {
    let folders = path.rsplit_once('/').map_or("", |(folders, _)| folders);
    folders.split('/').any(|folder| {
        matches!(
            folder,
            "examples" | "example" | "samples" | "docs" | "doc" | "benches" | "benchmarks" | "bench" | "vendor" | "third_party"
        )
    })
}

/// The best names of a list, without repeats, for advice.
pub fn names_of(graph: &Graph, hits: &[Hit], most: usize) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut order: Vec<&Hit> = hits.iter().collect();
    order.sort_by_key(|hit| Reverse((hit.score * 1000.0) as i64));
    for hit in order {
        let name = graph.name(hit.node);
        if names.len() < most && !names.iter().any(|other| other == name) {
            names.push(name.to_owned());
        }
    }
    names
}
