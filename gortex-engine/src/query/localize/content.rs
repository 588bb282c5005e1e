//! The words of a task in the content and the paths of files, weighed as a good text search would.
//!
//! A word counts where a word of the text begins with its stem, so `validating` finds `validate` and `ValidatorFunc`, and `form`
//! does not find `perform`. How telling a word is and how long a file usually is are taken from production code alone: prose
//! and tests say the same words more often and would make them look common.

use std::cmp::Reverse;
use std::path::PathBuf;

use rayon::prelude::*;
use regex::bytes::{Regex, RegexBuilder};

use super::MAX_WORDS;
use super::anchors::{Evidence, scale};
use super::order::is_production;
use crate::search::symbols::SymbolIndex;
use crate::search::words;

/// Bytes of text that one content count reads; beyond, only promising files are read.
const SCAN_BYTES: u64 = 64 << 20;
/// Files read when not all are.
const SCAN_FILES: usize = 600;
/// A larger file is data.
const SCAN_FILE: u64 = 1 << 20;
/// The shortest stem that stands for the words that begin with it in a path.
const STEM: usize = 4;

/// BM25: how soon more occurrences add nothing.
const SATURATION: f32 = 1.2;
/// BM25: how much a long file is held back.
const LENGTH: f32 = 0.75;
/// What a word of the path weighs against a word of the content.
const PATH: f32 = 1.0;
/// What a word of a folder weighs against one of the file's own name.
const FOLDER: f32 = 0.5;
/// What a word weighs that only begins a word of the path, or the other way round.
const BEGINNING: f32 = 0.6;
/// By how much files of the announced place rise.
const SCOPE: f32 = 0.5;
/// A word of the task as it is looked for.
struct Sought<'a> {
    text: &'a str,
    weight: f32,
}

/// What a file holds of the sought words.
struct Count {
    file: usize,
    size: f32,
    words: Vec<u32>,
}

impl Evidence<'_> {
    /// Counts the words of the task in paths and in the content of files; returns how many files were read.
    pub fn content(&mut self, index: &SymbolIndex, disk: &(impl Fn(usize) -> Option<PathBuf> + Sync)) -> usize {
        let task = self.task;
        let mut sought: Vec<Sought<'_>> =
            task.shape.words.iter().map(|(text, weight)| Sought { text, weight: *weight }).collect();
        let value = |one: &Sought<'_>| one.weight * index.term(one.text).map_or(6.0, |term| index.file_idf(term).max(0.1));
        sought.sort_by(|a, b| value(b).total_cmp(&value(a)));
        sought.truncate(MAX_WORDS);
        self.paths(&sought);
        let counts = matcher(&sought).map_or_else(Vec::new, |matcher| self.count(&sought, &matcher, disk));
        self.weigh_content(&sought, &counts);
        self.scope();
        scale(&mut self.text);
        counts.len()
    }

    /// Reads files and counts.
    fn count(&self, sought: &[Sought<'_>], matcher: &Regex, disk: &(impl Fn(usize) -> Option<PathBuf> + Sync)) -> Vec<Count> {
        let read = |at: &usize| {
            let bytes = std::fs::read(disk(*at)?).ok()?;
            let mut words = vec![0u32; sought.len()];
            for found in matcher.find_iter(&bytes) {
                if !begins_word(&bytes, found.start()) {
                    continue;
                }
                let text = found.as_bytes();
                // Case folds beyond ASCII may change the length; such a match is compared as text.
                let same = |one: &Sought<'_>| {
                    text.eq_ignore_ascii_case(one.text.as_bytes())
                        || !text.is_ascii() && String::from_utf8_lossy(text).to_lowercase() == one.text
                };
                if let Some(word) = sought.iter().position(same) {
                    words[word] += 1;
                }
            }
            Some(Count { file: *at, size: bytes.len() as f32, words })
        };
        self.files_to_read().par_iter().filter_map(read).collect()
    }

    /// BM25 over what was counted.
    fn weigh_content(&mut self, sought: &[Sought<'_>], counts: &[Count]) {
        let (k, b) = (SATURATION, LENGTH);
        let telling: Vec<&Count> = counts.iter().filter(|count| is_production(&self.graph.files[count.file])).collect();
        let telling = if telling.is_empty() { counts.iter().collect() } else { telling };
        let all = telling.len().max(1) as f32;
        let average = (telling.iter().map(|count| count.size).sum::<f32>() / all).max(1.0);
        for (word, one) in sought.iter().enumerate() {
            let with = telling.iter().filter(|count| count.words[word] > 0).count() as f32;
            let rarity = one.weight * rarity(all, with);
            for count in counts.iter().filter(|count| count.words[word] > 0) {
                let often = count.words[word] as f32;
                let long = 1.0 - b + b * count.size / average;
                self.text[count.file] += rarity * often * (k + 1.0) / (often + k * long);
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
}

/// Finds any of the words, the longest first.
fn matcher(sought: &[Sought<'_>]) -> Option<Regex> {
    let mut texts: Vec<&str> = sought.iter().map(|one| one.text).filter(|text| text.len() > 1).collect();
    texts.sort_by_key(|text| (Reverse(text.len()), *text));
    if texts.is_empty() {
        return None;
    }
    let pattern: Vec<String> = texts.iter().map(|text| regex::escape(text)).collect();
    RegexBuilder::new(&pattern.join("|")).case_insensitive(true).size_limit(4 << 20).build().ok()
}

/// Whether a word begins here: after something that is no letter or digit, or where the case changes as in `getName` and `HTTPServer`.
fn begins_word(bytes: &[u8], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).and_then(|before| bytes.get(before)) else { return true };
    if before.is_ascii_digit() {
        return !bytes[at].is_ascii_digit();
    }
    if !before.is_ascii_alphabetic() {
        return before.is_ascii();
    }
    let follows = || bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase);
    bytes[at].is_ascii_uppercase() && (before.is_ascii_lowercase() || follows())
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
    fn a_word_begins_after_no_letter_and_where_case_changes() {
        let begins = |text: &str, at: usize| begins_word(text.as_bytes(), at);
        assert!(begins("form", 0) && begins("a form", 2) && begins("bind_form", 5) && begins("bindForm", 4));
        assert!(begins("HTTPForm", 4) && begins("v2form", 2));
        assert!(!begins("perform", 3) && !begins("PERFORM", 3) && !begins("üform", 2) && !begins("x12", 2));
    }

    #[test]
    fn a_path_fits_by_words_and_their_beginnings() {
        assert!(path_fit("hash", "hash") > path_fit("hash", "hashes"));
        assert!(path_fit("bind", "binding") > 0.0 && path_fit("hashtable", "hash") > 0.0);
        assert!(path_fit("io", "iolist") <= 0.0);
        assert!(path_fit("form", "perform") <= 0.0);
    }
}
