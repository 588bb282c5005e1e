//! Vectors of words from a model that the user has: read from a folder, never fetched.
//!
//! A folder holds one `*.safetensors` file with a matrix of token vectors (half or single precision) and the `tokenizer.json` that
//! numbers its tokens: the layout of static embeddings such as wordllama and model2vec. A text is the mean of its tokens. Byte-pair
//! merges (`▁` or `Ġ` before a word) and word pieces (`##` inside of one) are understood.
//!
//! Knows files and tokens, no graph.

use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;
use serde::Deserialize;

/// Makes vectors of texts. Implementations answer the same for the same text.
pub trait EmbeddingProvider: Send + Sync + std::fmt::Debug {
    /// A stable name for answers.
    fn name(&self) -> &str;
    /// Length of the vectors.
    fn dims(&self) -> usize;
    /// Writes the vector of a text into a slice of that length; `false` when the text has none.
    fn embed(&self, text: &str, into: &mut [f32]) -> bool;
}

/// A larger file is refused.
const MAX_MODEL_BYTES: u64 = 1 << 30;
/// Tokens of a text that are looked at.
const MAX_TOKENS: usize = 256;

/// Why a model can't be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// A file is missing or can't be read.
    #[error("could not read `{path}`")]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A file is not what it should be.
    #[error("`{path}` can't be used as a model: {reason}")]
    Unfit {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
}

/// Static embeddings of a folder.
#[derive(Debug)]
pub struct StaticEmbeddings {
    name: String,
    tokens: Tokens,
    bytes: Vec<u8>,
    start: usize,
    rows: usize,
    dims: usize,
    half: bool,
}

#[derive(Debug)]
enum Tokens {
    /// Merges by their rank, and the mark before a word.
    Pairs { vocabulary: FxHashMap<String, u32>, ranks: FxHashMap<(String, String), u32>, mark: char },
    /// The longest piece first.
    Pieces { vocabulary: FxHashMap<String, u32>, inside: String },
}

#[derive(Deserialize)]
struct TokenizerFile {
    model: TokenizerModel,
}

#[derive(Deserialize)]
struct TokenizerModel {
    #[serde(rename = "type")]
    kind: Option<String>,
    vocab: FxHashMap<String, u32>,
    #[serde(default)]
    merges: Vec<Merge>,
    continuing_subword_prefix: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Merge {
    Text(String),
    Pair(String, String),
}

#[derive(Deserialize)]
struct Tensor {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: (usize, usize),
}

impl StaticEmbeddings {
    /// Reads a model from a folder.
    pub fn open(folder: &Path) -> Result<StaticEmbeddings, ModelError> {
        let matrix = matrix_file(folder)?;
        let bytes = read(&matrix)?;
        let unfit = |reason: String| ModelError::Unfit { path: matrix.clone(), reason };
        let length = bytes.first_chunk::<8>().map(|length| u64::from_le_bytes(*length)).unwrap_or(u64::MAX);
        let head = usize::try_from(length).ok().and_then(|length| bytes.get(8..length.checked_add(8)?));
        let head = head.ok_or_else(|| unfit("its header is cut off".to_owned()))?;
        let mut tensors: FxHashMap<String, serde_json::Value> =
            serde_json::from_slice(head).map_err(|error| unfit(error.to_string()))?;
        tensors.remove("__metadata__");
        let mut matrices: Vec<(String, Tensor)> = tensors
            .into_iter()
            .filter_map(|(name, value)| Some((name, serde_json::from_value::<Tensor>(value).ok()?)))
            .filter(|(_, tensor)| tensor.shape.len() == 2 && matches!(tensor.dtype.as_str(), "F16" | "F32"))
            .collect();
        matrices.sort_by(|a, b| b.1.shape.cmp(&a.1.shape).then(a.0.cmp(&b.0)));
        let Some((_, tensor)) = matrices.into_iter().next() else {
            return Err(unfit("it holds no matrix of half or single precision".to_owned()));
        };
        let (rows, dims, half) = (tensor.shape[0], tensor.shape[1], tensor.dtype == "F16");
        let start = 8 + head.len() + tensor.data_offsets.0;
        let wanted = rows.checked_mul(dims).and_then(|cells| cells.checked_mul(if half { 2 } else { 4 }));
        let fits = wanted.is_some_and(|wanted| {
            tensor.data_offsets.1.checked_sub(tensor.data_offsets.0) == Some(wanted)
                && bytes.len() >= start.saturating_add(wanted)
        });
        if !fits || dims == 0 || dims > 4096 {
            return Err(unfit("its matrix does not fit the file".to_owned()));
        }
        let tokens = tokens(&folder.join("tokenizer.json"))?;
        let name = folder.file_name().map_or_else(|| "model".to_owned(), |name| name.to_string_lossy().into_owned());
        Ok(StaticEmbeddings { name, tokens, bytes, start, rows, dims, half })
    }

    fn add(&self, token: u32, into: &mut [f32]) -> bool {
        let row = token as usize;
        if row >= self.rows {
            return false;
        }
        let width = if self.half { 2 } else { 4 };
        let from = self.start + row * self.dims * width;
        let Some(cells) = self.bytes.get(from..from + self.dims * width) else { return false };
        for (sum, cell) in into.iter_mut().zip(cells.chunks_exact(width)) {
            *sum += match *cell {
                [a, b] => from_half(u16::from_le_bytes([a, b])),
                [a, b, c, d] => f32::from_le_bytes([a, b, c, d]),
                _ => 0.0,
            };
        }
        true
    }
}

impl EmbeddingProvider for StaticEmbeddings {
    fn name(&self) -> &str {
        &self.name
    }

    fn dims(&self) -> usize {
        self.dims
    }

    fn embed(&self, text: &str, into: &mut [f32]) -> bool {
        into.fill(0.0);
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let tokens = words.flat_map(|word| self.tokens.of(word)).take(MAX_TOKENS);
        let used = tokens.filter(|token| self.add(*token, into)).count();
        for value in into.iter_mut() {
            *value /= used.max(1) as f32;
        }
        used > 0 && into.iter().all(|value| value.is_finite())
    }
}

impl Tokens {
    fn of(&self, word: &str) -> Vec<u32> {
        match self {
            Tokens::Pairs { vocabulary, ranks, mark } => {
                let mut parts: Vec<String> = std::iter::once(*mark).chain(word.chars()).map(String::from).collect();
                loop {
                    let pairs = parts.windows(2).enumerate();
                    let ranked = pairs.filter_map(|(at, pair)| Some((*ranks.get(&(pair[0].clone(), pair[1].clone()))?, at)));
                    let Some((_, at)) = ranked.min() else { break };
                    let tail = parts.remove(at + 1);
                    parts[at].push_str(&tail);
                }
                parts.iter().filter_map(|part| vocabulary.get(part).copied()).collect()
            }
            Tokens::Pieces { vocabulary, inside } => {
                let word = word.to_lowercase();
                let mut found = Vec::new();
                let mut rest = word.as_str();
                while !rest.is_empty() {
                    let piece = |end: usize| {
                        let text =
                            if rest.len() == word.len() { rest[..end].to_owned() } else { format!("{inside}{}", &rest[..end]) };
                        vocabulary.get(&text).map(|token| (end, *token))
                    };
                    let ends = rest.char_indices().map(|(at, letter)| at + letter.len_utf8());
                    let Some((end, token)) = ends.collect::<Vec<_>>().into_iter().rev().find_map(piece) else {
                        return Vec::new();
                    };
                    found.push(token);
                    rest = &rest[end..];
                }
                found
            }
        }
    }
}

fn tokens(path: &Path) -> Result<Tokens, ModelError> {
    let unfit = |reason: String| ModelError::Unfit { path: path.to_owned(), reason };
    let file: TokenizerFile = serde_json::from_slice(&read(path)?).map_err(|error| unfit(error.to_string()))?;
    let TokenizerModel { kind, vocab, merges, continuing_subword_prefix } = file.model;
    match kind.as_deref() {
        Some("WordPiece") => {
            Ok(Tokens::Pieces { vocabulary: vocab, inside: continuing_subword_prefix.unwrap_or_else(|| "##".to_owned()) })
        }
        Some("BPE") | None => {
            let mark = if vocab.keys().any(|token| token.starts_with('Ġ')) { 'Ġ' } else { '▁' };
            let pairs = merges.into_iter().enumerate().filter_map(|(rank, merge)| {
                let pair = match merge {
                    Merge::Pair(left, right) => (left, right),
                    Merge::Text(text) => text.split_once(' ').map(|(left, right)| (left.to_owned(), right.to_owned()))?,
                };
                Some((pair, rank as u32))
            });
            Ok(Tokens::Pairs { ranks: pairs.collect(), vocabulary: vocab, mark })
        }
        Some(other) => Err(unfit(format!("tokenizers of type `{other}` are not understood, `BPE` and `WordPiece` are"))),
    }
}

/// The first matrix file of a folder, by name.
fn matrix_file(folder: &Path) -> Result<PathBuf, ModelError> {
    let io = |source| ModelError::Io { path: folder.to_owned(), source };
    let entries = std::fs::read_dir(folder).map_err(io)?.collect::<Result<Vec<_>, _>>().map_err(io)?;
    let matrices = entries.into_iter().map(|entry| entry.path());
    let found = matrices.filter(|path| path.extension().is_some_and(|ending| ending == "safetensors")).min();
    found.ok_or_else(|| ModelError::Unfit { path: folder.to_owned(), reason: "it holds no `.safetensors` file".to_owned() })
}

fn read(path: &Path) -> Result<Vec<u8>, ModelError> {
    let io = |source| ModelError::Io { path: path.to_owned(), source };
    if std::fs::metadata(path).map_err(io)?.len() > MAX_MODEL_BYTES {
        return Err(ModelError::Unfit { path: path.to_owned(), reason: "it is larger than a gigabyte".to_owned() });
    }
    std::fs::read(path).map_err(io)
}

/// A number of half precision (IEEE 754 binary16).
fn from_half(bits: u16) -> f32 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f32::from(bits & 1023));
    sign * match exponent {
        0 => fraction * 2f32.powi(-24),
        31 => {
            if fraction == 0.0 {
                f32::INFINITY
            } else {
                f32::NAN
            }
        }
        _ => (1.0 + fraction / 1024.0) * 2f32.powi(exponent - 15),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A model of three tokens and two directions.
    fn model(tokenizer: &str, dtype: &str, cells: &[u8]) -> (tempfile::TempDir, Result<StaticEmbeddings, ModelError>) {
        let dir = tempfile::tempdir().expect("a folder");
        let head = format!(
            "{{\"__metadata__\":{{}},\"m\":{{\"dtype\":\"{dtype}\",\"shape\":[3,2],\"data_offsets\":[0,{}]}}}}",
            cells.len()
        );
        let file = [&(head.len() as u64).to_le_bytes()[..], head.as_bytes(), cells].concat();
        std::fs::write(dir.path().join("model.safetensors"), file).expect("a file");
        std::fs::write(dir.path().join("tokenizer.json"), tokenizer).expect("a file");
        let opened = StaticEmbeddings::open(dir.path());
        (dir, opened)
    }

    const PAIRS: &str =
        "{\"model\":{\"type\":\"BPE\",\"vocab\":{\"▁ab\":0,\"c\":1,\"▁\":2},\"merges\":[\"a b\",[\"▁\",\"ab\"]]}}";
    const PIECES: &str = "{\"model\":{\"type\":\"WordPiece\",\"vocab\":{\"ab\":0,\"##c\":1,\"c\":2}}}";

    fn halves() -> Vec<u8> {
        [0x3c00u16, 0, 0, 0xc000, 0x3800, 0x3800].iter().flat_map(|half| half.to_le_bytes()).collect()
    }

    #[test]
    fn a_text_is_the_mean_of_its_tokens() {
        for tokenizer in [PAIRS, PIECES] {
            let model = model(tokenizer, "F16", &halves()).1.expect("a model");
            let mut vector = [9.0; 2];
            assert!(model.embed("ab", &mut vector) && vector.map(f32::to_bits) == [1.0f32, 0.0].map(f32::to_bits));
            assert!(model.embed("abc", &mut vector) && vector.map(f32::to_bits) == [0.5f32, -1.0].map(f32::to_bits));
            assert!(!model.embed("", &mut vector) && model.dims() == 2);
        }
        let cells: Vec<u8> = [1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0].iter().flat_map(|cell| cell.to_le_bytes()).collect();
        let single = model(PIECES, "F32", &cells).1.expect("a model");
        let mut vector = [0.0; 2];
        assert!(
            single.embed("c ab", &mut vector)
                && vector.map(f32::to_bits) == [3.0f32, 4.0].map(f32::to_bits)
                && !single.embed("ü", &mut vector)
        );
    }

    #[test]
    fn what_is_no_model_is_refused() {
        assert!(model(PAIRS, "F16", &[0; 4]).1.is_err() && model(PAIRS, "I8", &[0; 6]).1.is_err());
        assert!(model("{}", "F16", &halves()).1.is_err());
        let unigram = "{\"model\":{\"type\":\"Unigram\",\"vocab\":{}}}";
        assert!(model(unigram, "F16", &halves()).1.expect_err("refused").to_string().contains("Unigram"));
        assert!(StaticEmbeddings::open(Path::new("/nowhere/at/all")).is_err());
        let empty = tempfile::tempdir().expect("a folder");
        assert!(StaticEmbeddings::open(empty.path()).is_err());
    }

    #[test]
    fn half_precision_is_read_as_it_is_written() {
        for (bits, value) in
            [(0x0001, 5.960_464_5e-8), (0x3555, 0.333_251_95), (0x7bff, 65504.0), (0x8000, -0.0), (0xfc00, f32::NEG_INFINITY)]
        {
            assert_eq!(from_half(bits).to_bits(), f32::to_bits(value), "{bits:x}");
        }
        assert!(from_half(0x7e00).is_nan());
    }
}
