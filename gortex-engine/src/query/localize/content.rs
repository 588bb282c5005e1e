//! The words of a task in the content and the paths of files, weighed as a good text search would.
//!
//! A word counts where a word of the text has its stem, so `validating` finds `validate` and `ValidationError`, and `form` does
//! not find `perform`. Words that stand together in the task count again where they do so in a file. How telling a word is and how long a file usually is are taken from production code alone: prose
//! and tests say the same words more often and would make them look common.

use rayon::prelude::*;
use regex::bytes::{Regex, RegexBuilder};

use super::MAX_WORDS;
use super::anchors::{Evidence, scale};
use super::order::is_production;
use crate::search::contents::{self, Contents, Counter, FileWords};
use crate::search::symbols::SymbolIndex;
use crate::search::words;

/// Bytes of text that one content count reads; beyond, only promising files are read.
const SCAN_BYTES: u64 = 64 << 20;
/// Files read when not all are.
const SCAN_FILES: usize = 600;
/// The shortest stem that stands for the words that begin with it in a path.
const STEM: usize = 4;

/// BM25: how soon more occurrences add nothing.
const SATURATION: f32 = 1.2;
/// BM25: how much a long file is held back.
const LENGTH: f32 = 0.5;
/// What a word of the path weighs against a word of the content.
const PATH: f32 = 1.0;
/// What a word of a folder weighs against one of the file's own name.
const FOLDER: f32 = 0.5;
/// What a word weighs that only begins a word of the path, or the other way round.
const BEGINNING: f32 = 0.6;
/// By how much files of the announced place rise.
const SCOPE: f32 = 0.5;
/// What two words of the task that stand together weigh where they stand together in the content, against one word.
const TOGETHER: f32 = 0.5;
/// Files looked at for words that stand together, the best by single words.
const CLOSE: usize = 40;
/// Pairs of words looked for.
const PAIRS: usize = 8;

/// A word of the task as it is looked for.
struct Sought<'a> {
    /// The place among the words of the task.
    at: usize,
    text: &'a str,
    /// What its stem is known by.
    key: u32,
    weight: f32,
}

/// What a file holds of the sought words.
struct Count {
    file: usize,
    words: Vec<u32>,
}

/// Gives the bytes of a file by its position.
pub(super) trait Read: Fn(usize) -> Option<Vec<u8>> + Sync {}

impl<F: Fn(usize) -> Option<Vec<u8>> + Sync> Read for F {}

impl Evidence<'_> {
    /// Counts the words of the task in paths and in the content of files; returns how many files were looked at.
    pub fn content(&mut self, index: &SymbolIndex, contents: &Contents, read: &impl Read) -> usize {
        let shape = &self.task.shape;
        let mut sought: Vec<Sought<'_>> = shape
            .words
            .iter()
            .zip(&shape.stems)
            .enumerate()
            .map(|(at, ((text, weight), stem))| Sought { at, text, key: contents::key(stem), weight: *weight })
            .collect();
        let value = |one: &Sought<'_>| one.weight * index.term(one.text).map_or(6.0, |term| index.file_idf(term).max(0.1));
        sought.sort_by(|a, b| value(b).total_cmp(&value(a)));
        sought.truncate(MAX_WORDS);
        self.paths(&sought);
        let counts = self.count(&sought, contents, read);
        self.weigh_content(&sought, &counts);
        self.together(&sought, &counts, read);
        self.scope();
        scale(&mut self.text);
        counts.len()
    }

    /// Looks the words up in what was counted; of a tree that is not, counts the files that promise most.
    fn count(&self, sought: &[Sought<'_>], contents: &Contents, read: &impl Read) -> Vec<Count> {
        let look =
            |file: usize, words: &FileWords| Count { file, words: sought.iter().map(|one| words.count(one.key)).collect() };
        let files = self.files_to_count();
        if contents.is_kept() {
            return files.iter().filter_map(|at| Some(look(*at, contents.of(*at)?))).collect();
        }
        let promising = self.promising(files);
        let counted = |counter: &mut Counter, at: &usize| Some(look(*at, &counter.count(&read(*at)?)));
        promising.par_iter().map_init(Counter::default, counted).flatten_iter().collect()
    }

    /// BM25 over what was counted.
    fn weigh_content(&mut self, sought: &[Sought<'_>], counts: &[Count]) {
        let telling: Vec<&Count> = counts.iter().filter(|count| is_production(&self.graph.files[count.file])).collect();
        let telling = if telling.is_empty() { counts.iter().collect() } else { telling };
        let all = telling.len().max(1) as f32;
        let average = self.average(counts);
        for (word, one) in sought.iter().enumerate() {
            let with = telling.iter().filter(|count| count.words[word] > 0).count() as f32;
            let rarity = one.weight * rarity(all, with);
            for count in counts.iter().filter(|count| count.words[word] > 0) {
                let often = count.words[word] as f32;
                let long = self.long(count.file, average);
                self.text[count.file] += rarity * often * (SATURATION + 1.0) / (often + SATURATION * long);
            }
        }
    }

    /// Words of the task that are words of the path; those of the file's own name count more.
    fn paths(&mut self, sought: &[Sought<'_>]) {
        let graph = self.graph;
        let mut scratch = String::new();
        let mut rows: Vec<Vec<(u32, f32)>> = vec![Vec::new(); sought.len()];
        let mut shares = vec![0.0f32; sought.len()];
        for (at, file) in graph.files.iter().enumerate() {
            let (folder, name) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
            let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
            shares.fill(0.0);
            for (text, share) in [(folder, FOLDER), (stem, 1.0)] {
                words::terms(text, &mut scratch, |term| {
                    for (word, one) in sought.iter().enumerate() {
                        let fit = path_fit(one.text, term);
                        shares[word] = shares[word].max(share * fit);
                    }
                });
            }
            for (word, share) in shares.iter().enumerate().filter(|(_, share)| **share > 0.0) {
                rows[word].push((at as u32, *share));
            }
        }
        let production = |at: u32| is_production(&graph.files[at as usize]);
        let all = (0..graph.files.len() as u32).filter(|at| production(*at)).count() as f32;
        for (rows, one) in rows.iter().zip(sought) {
            let with = rows.iter().filter(|(at, _)| production(*at)).count() as f32;
            let rarity = one.weight * rarity(all, with.min(all));
            for (at, share) in rows {
                self.text[*at as usize] += PATH * rarity * share;
            }
        }
    }

    /// What a title announces as its place (`router: ..`, `fix(router): ..`) lifts the files below it.
    fn scope(&mut self) {
        let scope = &self.task.shape.scope;
        if scope.is_empty() {
            return;
        }
        let graph = self.graph;
        let mut scratch = String::new();
        for (at, file) in graph.files.iter().enumerate().filter(|(_, file)| is_production(file)) {
            let mut within = false;
            words::terms(&file.path, &mut scratch, |term| within |= scope.iter().any(|word| word == term));
            if within {
                self.text[at] *= 1.0 + SCOPE;
            }
        }
    }

    /// Words that stand together in the task and do so in a file as well: `error handler` is `ErrorHandler` and `error_handler`.
    fn together(&mut self, sought: &[Sought<'_>], counts: &[Count], read: &impl Read) {
        let place = |word: usize| sought.iter().position(|one| one.at == word);
        let pairs: Vec<(usize, usize)> = self
            .task
            .shape
            .pairs
            .iter()
            .filter_map(|(first, second)| Some((place(*first)?, place(*second)?)))
            .take(PAIRS)
            .collect();
        let patterns: Vec<Regex> =
            pairs.iter().filter_map(|(first, second)| pattern(sought[*first].text, sought[*second].text)).collect();
        if pairs.is_empty() || patterns.len() != pairs.len() {
            return;
        }
        let mut close: Vec<&Count> = counts.iter().filter(|count| self.text[count.file] > 0.0).collect();
        let value = |count: &Count| self.text[count.file] * self.file_prior(count.file);
        close.sort_by(|a, b| value(b).total_cmp(&value(a)).then(a.file.cmp(&b.file)));
        close.truncate(CLOSE);
        let found: Vec<Vec<usize>> = close
            .par_iter()
            .map(|count| {
                let both = |(first, second): &(usize, usize)| count.words[*first] > 0 && count.words[*second] > 0;
                let Some(bytes) = pairs.iter().any(both).then(|| read(count.file)).flatten() else { return vec![0; pairs.len()] };
                pairs
                    .iter()
                    .zip(&patterns)
                    .map(|(pair, one)| if both(pair) { one.find_iter(&bytes).count() } else { 0 })
                    .collect()
            })
            .collect();
        let average = self.average(counts);
        for (pair, (first, second)) in pairs.iter().enumerate() {
            let with = found.iter().filter(|row| row[pair] > 0).count() as f32;
            let weight = sought[*first].weight.max(sought[*second].weight);
            let rarity = TOGETHER * weight * rarity(CLOSE as f32, with);
            for (count, row) in close.iter().zip(&found).filter(|(_, row)| row[pair] > 0) {
                let often = row[pair] as f32;
                self.text[count.file] += rarity * often * 2.0 / (often + self.long(count.file, average));
            }
        }
    }

    /// The usual size of a file.
    fn average(&self, counts: &[Count]) -> f32 {
        let sizes = |telling: bool| {
            let kept =
                counts.iter().map(|count| &self.graph.files[count.file]).filter(move |file| !telling || is_production(file));
            kept.map(|file| file.size as f32)
        };
        let telling = sizes(true).count() > 0;
        (sizes(telling).sum::<f32>() / sizes(telling).count().max(1) as f32).max(1.0)
    }

    /// How much a file is held back for being long.
    fn long(&self, file: usize, average: f32) -> f32 {
        1.0 - LENGTH + LENGTH * self.graph.files[file].size as f32 / average
    }

    /// Source and text files in scope.
    fn files_to_count(&self) -> Vec<usize> {
        let graph = self.graph;
        (0..graph.files.len()).filter(|at| contents::is_counted(&graph.files[*at]) && self.task.admits(graph, *at)).collect()
    }

    /// Of a large tree the files whose names and mentions promise most.
    fn promising(&self, mut files: Vec<usize>) -> Vec<usize> {
        let total: u64 = files.iter().map(|at| self.graph.files[*at].size).sum();
        if total > SCAN_BYTES {
            let value = |at: usize| self.words[at] + self.anchored[at];
            files.sort_by(|a, b| value(*b).total_cmp(&value(*a)).then(a.cmp(b)));
            files.truncate(SCAN_FILES);
        }
        files
    }
}

/// Finds two words together, as words of a text or of one name.
fn pattern(first: &str, second: &str) -> Option<Regex> {
    let text = format!("{}[a-z]{{0,5}}[\\s_.:/-]{{0,2}}{}", regex::escape(first), regex::escape(second));
    RegexBuilder::new(&text).case_insensitive(true).size_limit(1 << 20).build().ok()
}

/// How well a word fits a word of a path.
fn path_fit(sought: &str, term: &str) -> f32 {
    if sought == term {
        1.0
    } else if sought.len() >= STEM && term.starts_with(sought) || term.len() >= STEM && sought.starts_with(term) {
        BEGINNING
    } else {
        0.0
    }
}

fn rarity(all: f32, with: f32) -> f32 {
    (1.0 + (all - with + 0.5).max(0.0) / (with + 0.5)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stand_together_in_texts_and_names() {
        let found = |text: &str| pattern("error", "handl").is_some_and(|pattern| pattern.is_match(text.as_bytes()));
        for text in ["an error handler", "error-handling", "ErrorHandler", "error_handler", "errors::handle"] {
            assert!(found(text), "{text}");
        }
        assert!(!found("handler of an error") && !found("error: no handler"));
    }

    #[test]
    fn a_path_fits_by_words_and_their_beginnings() {
        assert!(path_fit("hash", "hash") > path_fit("hash", "hashes"));
        assert!(path_fit("bind", "binding") > 0.0 && path_fit("hashtable", "hash") > 0.0);
        assert!(path_fit("io", "iolist") <= 0.0);
        assert!(path_fit("form", "perform") <= 0.0);
    }
}
