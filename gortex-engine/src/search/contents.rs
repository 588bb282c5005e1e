//! The words of every file's content, counted: a text search over words that reads no file.
//!
//! A file keeps the stems of its words as hashes with their counts, in order, so that a word of a question is one binary search
//! per file. It is a pure function of the file's bytes and shared by all views that hold the same bytes; an edit counts one file
//! again. Of a very large tree nothing is kept: there the few files that promise most are counted when they are asked about.
//!
//! Knows words and bytes; what a count weighs is for its callers.

use std::hash::{BuildHasher, BuildHasherDefault};
use std::sync::Arc;

use rayon::prelude::*;
use rust_stemmers::{Algorithm, Stemmer};
use rustc_hash::{FxHashMap, FxHasher};

use super::words;
use crate::graph::{FileEntry, FileStatus, Graph};

/// Text of a tree beyond which nothing is kept.
const KEPT_BYTES: u64 = 64 << 20;
/// A larger file is data.
const FILE_BYTES: u64 = 1 << 20;
/// A longer run of letters and digits is data.
const WORD_BYTES: usize = 40;

/// The stem of a word by the rules of English, in lower case; what it is compared by.
#[must_use]
pub fn stem(word: &str) -> String {
    Stemmer::create(Algorithm::English).stem(&word.to_lowercase()).into_owned()
}

/// What a stem is known by.
#[must_use]
pub fn key(stem: &str) -> u32 {
    let hash = BuildHasherDefault::<FxHasher>::default().hash_one(stem);
    (hash >> 32) as u32 ^ hash as u32
}

/// The stems of one file with their counts.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct FileWords {
    keys: Box<[u32]>,
    counts: Box<[u8]>,
}

impl FileWords {
    /// How often words of this stem stand in the file; beyond 255 it is not told.
    #[must_use]
    pub fn count(&self, key: u32) -> u32 {
        self.keys.binary_search(&key).map_or(0, |at| u32::from(self.counts[at]))
    }
}

/// Counts the words of files; remembers the stems it worked out.
#[derive(Default)]
pub struct Counter {
    stemmer: Option<Stemmer>,
    known: FxHashMap<Box<str>, u32>,
    counts: FxHashMap<u32, u32>,
}

impl Counter {
    /// The words of a file's bytes.
    pub fn count(&mut self, bytes: &[u8]) -> FileWords {
        let text = String::from_utf8_lossy(bytes);
        let Counter { stemmer, known, counts } = self;
        let stemmer = stemmer.get_or_insert_with(|| Stemmer::create(Algorithm::English));
        counts.clear();
        words::split(&text, |word| {
            if word.len() < 2 || word.len() > WORD_BYTES || word.bytes().all(|byte| byte.is_ascii_digit()) {
                return;
            }
            let key = match known.get(word) {
                Some(key) => *key,
                None => {
                    let key = key(&stemmer.stem(&word.to_lowercase()));
                    known.insert(word.into(), key);
                    key
                }
            };
            *counts.entry(key).or_default() += 1;
        });
        let mut rows: Vec<(u32, u32)> = counts.drain().collect();
        rows.sort_unstable();
        FileWords {
            keys: rows.iter().map(|(key, _)| *key).collect(),
            counts: rows.iter().map(|(_, count)| u8::try_from(*count).unwrap_or(u8::MAX)).collect(),
        }
    }
}

/// Words of files by the hash of their bytes, handed on from view to view.
pub type Known = FxHashMap<[u8; 32], Arc<FileWords>>;

/// The words of a view's files.
#[derive(Debug, Default)]
pub struct Contents {
    /// By the file's position; `None` for one that is not counted.
    files: Vec<Option<Arc<FileWords>>>,
    /// Whether the tree is small enough to be kept.
    kept: bool,
}

impl Contents {
    /// Counts the files of a graph. `read` gives the bytes of one; what `known` has is not read again.
    pub fn build(graph: &Graph, known: &Known, read: impl Fn(&FileEntry) -> Option<Vec<u8>> + Sync) -> Contents {
        let total: u64 = graph.files.iter().filter(|file| is_counted(file)).map(|file| file.size).sum();
        if total > KEPT_BYTES {
            return Contents::default();
        }
        let count = |counter: &mut Counter, file: &FileEntry| {
            if !is_counted(file) {
                return None;
            }
            if let Some(words) = known.get(&file.hash) {
                return Some(Arc::clone(words));
            }
            Some(Arc::new(counter.count(&read(file)?)))
        };
        let files = graph.files.par_iter().with_min_len(32).map_init(Counter::default, count).collect();
        Contents { files, kept: true }
    }

    /// Whether this holds the words of all files that are counted.
    #[must_use]
    pub fn is_kept(&self) -> bool {
        self.kept
    }

    /// The words of a file by its position.
    #[must_use]
    pub fn of(&self, file: usize) -> Option<&FileWords> {
        self.files.get(file)?.as_deref()
    }

    /// What a later view can take over.
    #[must_use]
    pub fn known(&self, graph: &Graph) -> Known {
        let rows = graph.files.iter().zip(&self.files);
        rows.filter_map(|(file, words)| Some((file.hash, Arc::clone(words.as_ref()?)))).collect()
    }
}

/// Whether the words of a file are counted: text written by people, and not too much of it.
#[must_use]
pub fn is_counted(file: &FileEntry) -> bool {
    matches!(file.status, FileStatus::Indexed | FileStatus::Partial | FileStatus::Text)
        && file.size <= FILE_BYTES
        && !file.generated
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::build::graph_of;

    #[test]
    fn forms_of_a_word_are_counted_together() {
        let words =
            Counter::default().count("def validateForm(forms):\n    # validated, VALIDATION of a form; 42 größen\n".as_bytes());
        assert_eq!(words.count(key(&stem("validates"))), 3);
        assert_eq!(words.count(key(&stem("form"))), 3);
        assert_eq!(words.count(key(&stem("Größen"))), 1);
        assert_eq!((words.count(key("42")), words.count(key("perform"))), (0, 0));
        assert_eq!(Counter::default().count(b""), FileWords::default());
        assert_eq!(Counter::default().count("x1 ".repeat(300).as_bytes()).count(key("x1")), 255);
    }

    #[test]
    fn what_is_known_is_not_read_again() {
        let graph = graph_of(&[("a.py", "route = 1\n"), ("b.py", "token = 1\n")]);
        let read = |file: &FileEntry| Some(if file.path == "a.py" { b"route = 1\n".to_vec() } else { b"token = 1\n".to_vec() });
        let first = Contents::build(&graph, &Known::default(), read);
        assert!(first.is_kept() && first.of(0).is_some_and(|words| words.count(key("rout")) == 1) && first.of(9).is_none());
        let again = Contents::build(&graph, &first.known(&graph), |_| None);
        assert!(again.of(1).is_some_and(|words| words.count(key("token")) == 1));
        assert!(Contents::build(&graph, &Known::default(), |_| None).of(1).is_none());
    }
}
