//! Nearness of meaning, learned from the repository itself: no model, no download.
//!
//! Words that occur in the same symbols and files are near each other, even when they never stand together. The words of the
//! symbol index and the places they occur in make a sparse matrix weighted by positive pointwise mutual information; a randomized
//! range finder (Halko, Martinsson and Tropp, "Finding structure with randomness", SIAM Review 2011, algorithm 4.4 with one power
//! iteration) gives a basis of its leading column space, in which each word is a row. All directions count the same, which is what
//! serves similarity best (Levy, Goldberg and Dagan, "Improving distributional similarity", TACL 2015, section 3.3). A symbol is
//! the weighted sum of its words.
//!
//! Start vectors come from the words' own bytes, sums run in a fixed order: the same repository gives the same space. Whoever has a
//! model puts it in place of the learned words, see [`super::embed`]. Knows the symbol index; fusing is `rank`'s.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::embed::EmbeddingProvider;
use super::symbols::{SymbolIndex, is_searchable};
use super::words;
use crate::graph::{Graph, NodeId};
use crate::search::rank::is_leaf;

/// Directions of the learned space; a multiple of [`LANES`].
const DIMS: usize = 64;
/// Directions that are computed together.
const LANES: usize = 16;
/// Rounds of multiplication; the second is the power iteration.
const ROUNDS: usize = 2;
/// Fewer symbols say too little.
const MIN_SYMBOLS: usize = 300;
/// More symbols are not taken in one by one: memory stays below about 80 MiB while building and 20 MiB afterwards.
const MAX_SYMBOLS: usize = 300_000;
/// Occurrences that are looked at; of more, every n-th place is.
const MAX_ENTRIES: usize = 6_000_000;
/// A word in fewer places has no company to know it by.
const MIN_PLACES: usize = 3;
/// A word in more than one of so many symbols says nothing.
const COMMON: usize = 8;
/// Less is chance.
pub const MIN_COSINE: f32 = 0.4;

/// Vectors of words, whoever made them, and of the symbols that consist of them.
#[derive(Debug)]
pub struct SemanticIndex {
    dims: usize,
    words: FxHashMap<u32, Vec<i8>>,
    symbols: Vec<NodeId>,
    vectors: Vec<i8>,
}

/// Occurrences of words: by word, places with weights.
struct Matrix {
    terms: Vec<u32>,
    index: Vec<usize>,
    place: Vec<u32>,
    weight: Vec<f32>,
    places: usize,
}

impl SemanticIndex {
    /// Learns a space from a repository; `None` when there is too little to learn from.
    pub fn learn(graph: &Graph, index: &SymbolIndex) -> Option<SemanticIndex> {
        let symbols = members(graph)?;
        let matrix = Matrix::of(graph, index)?;
        let vectors = directions(index, &matrix);
        let words: FxHashMap<u32, Vec<i8>> = matrix
            .terms
            .iter()
            .zip(vectors.chunks_exact(DIMS))
            .filter_map(|(term, vector)| Some((*term, quantize(vector)?)))
            .collect();
        Some(SemanticIndex::with_words(index, symbols, words, DIMS))
    }

    /// Takes the vectors of words from a provider.
    pub fn provided(graph: &Graph, index: &SymbolIndex, provider: &dyn EmbeddingProvider) -> Option<SemanticIndex> {
        let symbols = members(graph)?;
        let terms: Vec<u32> = (0..index.term_count() as u32).filter(|term| is_word(index, *term)).collect();
        let words = terms
            .par_iter()
            .filter_map(|term| {
                let mut vector = vec![0.0; provider.dims()];
                provider
                    .embed(index.term_text(*term), &mut vector)
                    .then(|| quantize(&vector))
                    .flatten()
                    .map(|vector| (*term, vector))
            })
            .collect();
        Some(SemanticIndex::with_words(index, symbols, words, provider.dims()))
    }

    fn with_words(index: &SymbolIndex, symbols: Vec<NodeId>, words: FxHashMap<u32, Vec<i8>>, dims: usize) -> SemanticIndex {
        let row: FxHashMap<NodeId, u32> = symbols.iter().enumerate().map(|(at, node)| (*node, at as u32)).collect();
        let mut sums = vec![0.0f32; symbols.len() * dims];
        for term in 0..index.term_count() as u32 {
            let Some(vector) = words.get(&term) else { continue };
            let idf = index.symbol_idf(term);
            for posting in index.symbols(term) {
                let Some(at) = row.get(&posting.at) else { continue };
                let sum = &mut sums[*at as usize * dims..][..dims];
                add(sum, vector, idf * posting.weight.min(4.0) / 127.0);
            }
        }
        let vectors = sums.par_chunks_exact(dims).flat_map_iter(|sum| quantize(sum).unwrap_or_else(|| vec![0; dims])).collect();
        SemanticIndex { dims, words, symbols, vectors }
    }

    /// Symbols near the words of a text, with the cosine, nearest first.
    pub fn nearest(&self, index: &SymbolIndex, text: &str, most: usize) -> Vec<(NodeId, f32)> {
        let mut sum = vec![0.0f32; self.dims];
        words::terms(text, &mut String::new(), |term| {
            if let Some(term) = index.term(term).filter(|_| !words::is_stop(term))
                && let Some(vector) = self.words.get(&term)
            {
                add(&mut sum, vector, index.symbol_idf(term) / 127.0);
            }
        });
        let Some(wanted) = quantize(&sum) else { return Vec::new() };
        let mut found: Vec<(NodeId, f32)> = self
            .symbols
            .par_iter()
            .zip(self.vectors.par_chunks_exact(self.dims))
            .with_min_len(4096)
            .map(|(node, vector)| (*node, cosine(&wanted, vector)))
            .filter(|(_, cosine)| *cosine >= MIN_COSINE)
            .collect();
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        found.truncate(most);
        found
    }

    /// Words near a word, nearest first: how the space can be looked at.
    pub fn similar_words<'i>(&self, index: &'i SymbolIndex, word: &str, most: usize) -> Vec<(&'i str, f32)> {
        let term = words::terms_of(word).first().and_then(|term| index.term(term));
        let Some((term, wanted)) = term.and_then(|term| Some((term, self.words.get(&term)?))) else { return Vec::new() };
        let others = self.words.iter().filter(|(other, _)| **other != term);
        let mut found: Vec<(&str, f32)> =
            others.map(|(other, vector)| (index.term_text(*other), cosine(wanted, vector))).collect();
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
        found.truncate(most);
        found
    }
}

/// The symbols that get a vector: all, without data leaves when there are too many.
fn members(graph: &Graph) -> Option<Vec<NodeId>> {
    let all = || (0..graph.node_count()).filter(|node| is_searchable(graph, *node));
    let symbols: Vec<NodeId> = all().collect();
    let symbols = if symbols.len() > MAX_SYMBOLS { all().filter(|node| !is_leaf(graph.kind(*node))).collect() } else { symbols };
    (MIN_SYMBOLS..=MAX_SYMBOLS).contains(&symbols.len()).then_some(symbols)
}

/// Whether a term is more than a number.
fn is_word(index: &SymbolIndex, term: u32) -> bool {
    index.term_text(term).chars().any(char::is_alphabetic)
}

impl Matrix {
    fn of(graph: &Graph, index: &SymbolIndex) -> Option<Matrix> {
        let symbols = graph.node_count() as usize;
        let most = index.count / COMMON;
        let terms: Vec<u32> = (0..index.term_count() as u32)
            .filter(|term| (MIN_PLACES..=most.max(MIN_PLACES)).contains(&index.symbols(*term).len()) && is_word(index, *term))
            .collect();
        let entries: usize = terms.iter().map(|term| index.symbols(*term).len() + index.files(*term).len()).sum();
        let step = entries.div_ceil(MAX_ENTRIES).max(1) as u32;
        let mut matrix =
            Matrix { terms, index: vec![0], place: Vec::new(), weight: Vec::new(), places: symbols + graph.files.len() };
        for term in &matrix.terms {
            let files = index.files(*term).map(|row| (symbols as u32 + row.at, row.weight));
            for (place, weight) in index.symbols(*term).map(|row| (row.at, row.weight)).chain(files) {
                if place % step == 0 {
                    matrix.place.push(place);
                    matrix.weight.push(weight);
                }
            }
            matrix.index.push(matrix.place.len());
        }
        matrix.inform();
        (matrix.terms.len() > DIMS).then_some(matrix)
    }

    /// Turns counts into positive pointwise mutual information.
    fn inform(&mut self) {
        let mut columns = vec![0.0f64; self.places];
        for (place, weight) in self.place.iter().zip(&self.weight) {
            columns[*place as usize] += f64::from(*weight);
        }
        let total: f64 = columns.iter().sum();
        for row in self.index.windows(2) {
            let (from, to) = (row[0], row[1]);
            let whole: f64 = self.weight[from..to].iter().map(|weight| f64::from(*weight)).sum();
            for at in from..to {
                let expected = whole * columns[self.place[at] as usize];
                self.weight[at] = (f64::from(self.weight[at]) * total / expected).ln().max(0.0) as f32;
            }
        }
    }

    fn row(&self, at: usize) -> impl Iterator<Item = (usize, f32)> + '_ {
        let range = self.index[at]..self.index[at + 1];
        self.place[range.clone()].iter().zip(&self.weight[range]).map(|(place, weight)| (*place as usize, *weight))
    }

    /// Multiplies by the matrix and its transpose, several times, for some directions.
    fn power(&self, mut words: Vec<[f32; LANES]>) -> Vec<[f32; LANES]> {
        for _ in 0..ROUNDS {
            let mut places = vec![[0.0f32; LANES]; self.places];
            for (at, word) in words.iter().enumerate() {
                for (place, weight) in self.row(at) {
                    let sum = &mut places[place];
                    for lane in 0..LANES {
                        sum[lane] += weight * word[lane];
                    }
                }
            }
            for (at, word) in words.iter_mut().enumerate() {
                let mut sum = [0.0f32; LANES];
                for (place, weight) in self.row(at) {
                    for lane in 0..LANES {
                        sum[lane] += weight * places[place][lane];
                    }
                }
                *word = sum;
            }
            for lane in 0..LANES {
                let norm = words.iter().map(|word| f64::from(word[lane]).powi(2)).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
                for word in &mut words {
                    word[lane] = (f64::from(word[lane]) / norm) as f32;
                }
            }
        }
        words
    }
}

/// One row of [`DIMS`] values for each word of the matrix.
fn directions(index: &SymbolIndex, matrix: &Matrix) -> Vec<f32> {
    let blocks: Vec<Vec<[f32; LANES]>> = (0..DIMS / LANES)
        .into_par_iter()
        .map(|block| {
            let start = matrix.terms.iter().map(|term| random(index.term_text(*term), block)).collect();
            matrix.power(start)
        })
        .collect();
    let mut rows = vec![0.0f32; matrix.terms.len() * DIMS];
    for (block, words) in blocks.iter().enumerate() {
        for (at, word) in words.iter().enumerate() {
            rows[at * DIMS + block * LANES..][..LANES].copy_from_slice(word);
        }
    }
    orthogonalize(&mut rows);
    rows
}

/// Signs that a word and a block always get.
fn random(word: &str, block: usize) -> [f32; LANES] {
    let hash = blake3::hash(word.as_bytes());
    let bytes = hash.as_bytes();
    std::array::from_fn(|lane| {
        let bit = block * LANES + lane;
        if bytes[bit / 8] >> (bit % 8) & 1 == 1 { 1.0 } else { -1.0 }
    })
}

/// Makes the columns orthonormal, by the Cholesky factor of their inner products.
fn orthogonalize(rows: &mut [f32]) {
    let mut gram = vec![0.0f64; DIMS * DIMS];
    for row in rows.chunks_exact(DIMS) {
        for i in 0..DIMS {
            for j in 0..=i {
                gram[i * DIMS + j] += f64::from(row[i]) * f64::from(row[j]);
            }
        }
    }
    let mut lower = vec![0.0f64; DIMS * DIMS];
    for i in 0..DIMS {
        for j in 0..=i {
            let known: f64 = (0..j).map(|k| lower[i * DIMS + k] * lower[j * DIMS + k]).sum();
            let left = gram[i * DIMS + j] - known;
            // A direction that the others span already is left out: its column becomes nothing.
            lower[i * DIMS + j] = if i == j {
                if left > 1e-9 { left.sqrt() } else { f64::INFINITY }
            } else if lower[j * DIMS + j].is_finite() {
                left / lower[j * DIMS + j]
            } else {
                0.0
            };
        }
    }
    rows.par_chunks_exact_mut(DIMS).for_each(|row| {
        let mut solved = [0.0f64; DIMS];
        for i in 0..DIMS {
            let known: f64 = (0..i).map(|k| lower[i * DIMS + k] * solved[k]).sum();
            solved[i] = (f64::from(row[i]) - known) / lower[i * DIMS + i];
            row[i] = solved[i] as f32;
        }
    });
}

/// A vector of length 127 in whole numbers; `None` for one without a direction.
fn quantize(vector: &[f32]) -> Option<Vec<i8>> {
    let norm = vector.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>().sqrt();
    (norm > 1e-12).then(|| vector.iter().map(|value| (f64::from(*value) / norm * 127.0).round() as i8).collect())
}

fn add(sum: &mut [f32], vector: &[i8], by: f32) {
    for (sum, value) in sum.iter_mut().zip(vector) {
        *sum += f32::from(*value) * by;
    }
}

fn cosine(a: &[i8], b: &[i8]) -> f32 {
    let dot: i32 = a.iter().zip(b).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
    dot as f32 / (127.0 * 127.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::build::graph_of;
    use std::fmt::Write as _;

    const THEMES: [&str; 8] = ["sok", "pak", "inv", "lud", "tro", "gra", "mup", "zil"];
    const ENDS: [&str; 6] = ["ara", "elo", "iun", "ubo", "yxa", "oka"];

    /// Functions about themes whose words never mix, many times over.
    fn themed() -> Vec<(String, String)> {
        let file = |n: usize| {
            let theme = THEMES[n % 8];
            let mut text = String::new();
            for m in 0..8 {
                let [a, b, c] = [n + m, n * 3 + m * 2 + 1, n + m * 3 + 2].map(|at| ENDS[at % 6]);
                let _ = write!(text, "def {theme}{a}_{theme}{b}_{n}x{m}():\n    \"\"\"Handles {theme}{c}.\"\"\"\n\n");
            }
            (format!("f{n:02}.py"), text)
        };
        let mut files: Vec<(String, String)> = (0..80).map(file).collect();
        // The space needs more words than it has directions.
        for n in 0..90 {
            let letters: String = [n / 10, n % 10].iter().map(|digit| char::from(b'a' + *digit as u8)).collect();
            let text = format!("def fill{letters}qu():\n    pass\n\n").repeat(4);
            files.push((format!("g{n:02}.py"), text));
        }
        files
    }

    fn space() -> (Graph, SymbolIndex) {
        let files = themed();
        let list: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let graph = graph_of(&list);
        let index = SymbolIndex::build(&graph);
        (graph, index)
    }

    #[test]
    fn words_of_one_theme_are_near_and_those_of_another_are_not() {
        let (graph, index) = space();
        let space = SemanticIndex::learn(&graph, &index).expect("enough to learn from");
        let near: Vec<&str> = space.similar_words(&index, "invara", 2).into_iter().map(|(word, _)| word).collect();
        assert!(near.len() == 2 && near.iter().all(|word| word.starts_with("inv")), "{near:?}");
        let found = space.nearest(&index, "where is the sokara", 20);
        let names: Vec<&str> = found.iter().map(|(node, _)| graph.name(*node)).collect();
        assert!(names.len() == 20 && names.iter().all(|name| name.starts_with("sok")), "{names:?}");
        assert!(names.iter().any(|name| !name.contains("sokara")), "{names:?}");
        assert!(space.nearest(&index, "zebra", 5).is_empty() && space.similar_words(&index, "zebra", 5).is_empty());
    }

    #[test]
    fn the_same_repository_gives_the_same_space() {
        let (graph, index) = space();
        let built = || {
            let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            [1, 3].map(|threads| pool(threads).install(|| SemanticIndex::learn(&graph, &index).expect("a space").vectors))
        };
        let [one, three] = built();
        assert_eq!(one, three);
    }

    #[test]
    fn too_little_teaches_nothing() {
        let graph = graph_of(&[("a.py", "def f():\n    pass\n")]);
        assert!(SemanticIndex::learn(&graph, &SymbolIndex::build(&graph)).is_none());
    }

    #[test]
    fn a_provider_takes_the_place_of_learned_words() {
        #[derive(Debug)]
        struct Two;
        impl EmbeddingProvider for Two {
            fn name(&self) -> &'static str {
                "two"
            }
            fn dims(&self) -> usize {
                2
            }
            fn embed(&self, text: &str, into: &mut [f32]) -> bool {
                into.copy_from_slice(if text == "sokara" || text == "ludubo" { &[1.0, 0.0] } else { &[0.0, 1.0] });
                true
            }
        }
        let (graph, index) = space();
        let space = SemanticIndex::provided(&graph, &index, &Two).expect("a space");
        let near = space.similar_words(&index, "sokara", 1);
        assert_eq!((near[0].0, near[0].1 > 0.99), ("ludubo", true));
    }
}
