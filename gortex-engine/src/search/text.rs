//! Finding text: a literal or a regular expression, line by line, in the files of an index.
//!
//! The first matching lines in the order of paths are found, whatever the number of threads: files are searched in groups, and
//! no group is begun when the ones before it gave enough. Nothing is followed: a path that a link has come into meanwhile is
//! passed over, so a search never shows a file outside of its root.
//!
//! Regular expressions take linear time. A file that its trigram filter rules out is not read, as long as its size and time are
//! those that the filter was made at; the disk stays the truth. Knows nothing of symbols.

use std::borrow::Cow;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use grep_matcher::{LineTerminator, Matcher as _};
use grep_regex::{ErrorKind, RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{Searcher, SearcherBuilder, Sink, SinkMatch};
use parking_lot::Mutex;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::grams::Need;
use super::{PathFilter, clip};
use crate::graph::FileEntry;
use crate::index::classify::{Encoding, MAX_TEXT_BYTES, encoding, is_binary};
use crate::index::walk::{is_plain, modified_ns};

/// Lines when the caller says nothing.
pub const DEFAULT_LIMIT: usize = 100;
/// Lines at most.
pub const MAX_LIMIT: usize = 1000;
/// A line is shown with about so many bytes around the match.
const CLIP: usize = 400;
/// Files searched before it is looked whether they gave enough.
const GROUP: usize = 256;
/// The question whether a failed literal would match as a regular expression reads no more than this.
const PROBE_BYTES: u64 = 64 << 20;
/// A compiled expression takes no more memory than this.
const REGEX_BYTES: usize = 16 << 20;

/// A file to search.
#[derive(Debug, Clone, Copy)]
pub struct TextFile<'a> {
    /// The folder it belongs to, without links.
    pub root: &'a Path,
    /// Its path below the folder.
    pub rel: &'a str,
    /// What stands in for the bytes on disk, such as an unsaved buffer.
    pub buffer: Option<&'a [u8]>,
    /// What is known of the bytes on disk.
    pub known: Option<Known<'a>>,
}

/// What a file was when it was indexed.
#[derive(Debug, Clone, Copy)]
pub struct Known<'a> {
    /// Its size.
    pub size: u64,
    /// Its modification time in nanoseconds.
    pub mtime_ns: u64,
    /// Its trigram filter; empty where there is none.
    pub grams: &'a [u64],
}

impl<'a> Known<'a> {
    /// What an index knows of a file.
    pub fn of(file: &'a FileEntry) -> Known<'a> {
        Known { size: file.size, mtime_ns: file.mtime_ns, grams: &file.grams }
    }
}

/// What to look for.
#[derive(Debug, Clone, Default)]
pub struct TextQuery<'a> {
    /// A literal, or a regular expression.
    pub pattern: &'a str,
    /// Whether it is a regular expression.
    pub regexp: bool,
    /// Whether `A` and `a` are the same.
    pub ignore_case: bool,
    /// Narrows to these prefixes.
    pub paths: PathFilter,
    /// Matching lines at most; 0 stands for [`DEFAULT_LIMIT`]. The ceiling is the caller's affair.
    pub limit: usize,
}

/// A matching line; of a match over several lines, the first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextMatch {
    /// The file's place in the list that was searched.
    pub file: usize,
    /// Line, from 1.
    pub line: u64,
    /// Column in UTF-8 bytes, from 1.
    pub col: u32,
    /// The line without its end (all lines, of a match over several), clipped around the match.
    pub text: String,
}

/// What was found and what was looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextAnswer {
    /// The first matching lines, sorted by path and line.
    pub matches: Vec<TextMatch>,
    /// Whether these are all there are.
    pub total_is_exact: bool,
    /// Files that were read.
    pub searched: usize,
    /// Files that their filters rule out, so that they were not read.
    pub ruled_out: usize,
    /// Files that are no text.
    pub binary: usize,
    /// Files that could not be searched, and why: `too_large`, `link`, `gone`, `unreadable`, `outside`.
    pub skipped: Vec<(String, &'static str)>,
    /// What an empty answer to a literal may have missed.
    pub literal_hint: Option<String>,
}

/// Why nothing was searched.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TextError {
    /// Nothing to look for.
    #[error("the query is empty")]
    Empty,
    /// The expression is wrong.
    #[error("`{pattern}` is not a regular expression: {reason}, at line {line}, column {column}")]
    Syntax {
        /// The expression.
        pattern: String,
        /// What is wrong.
        reason: String,
        /// Where, from 1.
        line: usize,
        /// Where, in characters from 1.
        column: usize,
    },
    /// The expression is right, and more than this machine wants to run.
    #[error("`{pattern}` can't be used: {reason}")]
    Unusable {
        /// The expression.
        pattern: String,
        /// Why.
        reason: String,
    },
    /// The caller stopped the search.
    #[error("the search was cancelled")]
    Cancelled,
}

/// Searches files for text.
pub fn search(files: &[TextFile<'_>], query: &TextQuery<'_>, cancel: &AtomicBool) -> Result<TextAnswer, TextError> {
    if query.pattern.is_empty() {
        return Err(TextError::Empty);
    }
    let finder = if query.regexp {
        Finder::regex(query.pattern, query.ignore_case)?
    } else {
        Finder::literal(query.pattern, query.ignore_case)?
    };
    let limit = if query.limit == 0 { DEFAULT_LIMIT } else { query.limit };
    let mut order: Vec<usize> = (0..files.len()).filter(|index| query.paths.admits(files[*index].rel)).collect();
    order.sort_by_key(|index| (files[*index].rel, *index));
    let scan = Scan { files, order: &order, reader: Reader::default(), cancel };
    let mut answer = scan.run(&finder, limit, u64::MAX)?;
    if answer.matches.is_empty() && !query.regexp {
        answer.literal_hint = scan.hint(query)?;
    }
    Ok(answer)
}

/// A compiled pattern, and whether a match may span lines.
struct Finder {
    matcher: RegexMatcher,
    multi_line: bool,
    need: Need,
}

impl Finder {
    fn literal(text: &str, ignore_case: bool) -> Result<Finder, TextError> {
        // A line end in the query stands for whatever line end the file has.
        let lines: Vec<String> = text.split('\n').map(|line| regex::escape(line.strip_suffix('\r').unwrap_or(line))).collect();
        let multi_line = lines.len() > 1;
        let pattern = if multi_line { lines.join(r"\r?\n") } else { regex::escape(text) };
        Finder::build(&pattern, ignore_case, multi_line).map_err(|error| unusable(text, &error))
    }

    fn regex(pattern: &str, ignore_case: bool) -> Result<Finder, TextError> {
        let parsed = regex_syntax::ParserBuilder::new().utf8(false).multi_line(true).build().parse(pattern);
        if let Err(error) = parsed {
            return Err(syntax(pattern, &error));
        }
        match Finder::build(pattern, ignore_case, false) {
            // The expression itself speaks of a line end.
            Err(error) if matches!(error.kind(), ErrorKind::NotAllowed(_)) => Finder::build(pattern, ignore_case, true),
            other => other,
        }
        .map_err(|error| unusable(pattern, &error))
    }

    fn build(pattern: &str, ignore_case: bool, multi_line: bool) -> Result<Finder, grep_regex::Error> {
        let mut builder = RegexMatcherBuilder::new();
        builder.multi_line(true).case_insensitive(ignore_case).crlf(true).size_limit(REGEX_BYTES).dfa_size_limit(REGEX_BYTES);
        if multi_line {
            builder.line_terminator(None);
        }
        Ok(Finder { matcher: builder.build(pattern)?, multi_line, need: Need::of(pattern, ignore_case) })
    }

    fn searcher(&self) -> Searcher {
        let mut builder = SearcherBuilder::new();
        builder.line_number(true).line_terminator(LineTerminator::crlf()).multi_line(self.multi_line);
        builder.build()
    }
}

fn syntax(pattern: &str, error: &regex_syntax::Error) -> TextError {
    let (reason, span) = match error {
        regex_syntax::Error::Parse(error) => (error.kind().to_string(), Some(error.span())),
        regex_syntax::Error::Translate(error) => (error.kind().to_string(), Some(error.span())),
        other => (other.to_string(), None),
    };
    let (line, column) = span.map_or((1, 1), |span| (span.start.line, span.start.column));
    TextError::Syntax { pattern: pattern.to_owned(), reason, line, column }
}

fn unusable(pattern: &str, error: &grep_regex::Error) -> TextError {
    TextError::Unusable { pattern: pattern.to_owned(), reason: error.to_string() }
}

/// What one file gave.
enum Found {
    Lines { lines: Vec<TextMatch>, bytes: u64 },
    RuledOut,
    Binary,
    Skipped(&'static str),
}

struct Scan<'a> {
    files: &'a [TextFile<'a>],
    order: &'a [usize],
    reader: Reader,
    cancel: &'a AtomicBool,
}

impl Scan<'_> {
    /// Finds the first lines; reads on until one line more than the limit shows that there are more.
    fn run(&self, finder: &Finder, limit: usize, max_bytes: u64) -> Result<TextAnswer, TextError> {
        let mut answer = TextAnswer { total_is_exact: true, ..TextAnswer::default() };
        let mut read = 0;
        for group in self.order.chunks(GROUP) {
            let room = limit.saturating_add(1) - answer.matches.len();
            let found: Vec<Found> = group
                .par_iter()
                .map_init(|| finder.searcher(), |searcher, index| self.file(*index, finder, searcher, room))
                .collect();
            if self.cancel.load(Ordering::Relaxed) {
                return Err(TextError::Cancelled);
            }
            for (index, found) in group.iter().zip(found) {
                match found {
                    Found::Lines { lines, bytes } => {
                        answer.searched += 1;
                        answer.matches.extend(lines);
                        read += bytes;
                    }
                    Found::RuledOut => answer.ruled_out += 1,
                    Found::Binary => answer.binary += 1,
                    Found::Skipped(reason) => answer.skipped.push((self.files[*index].rel.to_owned(), reason)),
                }
            }
            if answer.matches.len() > limit || read > max_bytes {
                answer.total_is_exact = false;
                break;
            }
        }
        answer.matches.truncate(limit);
        Ok(answer)
    }

    fn file(&self, index: usize, finder: &Finder, searcher: &mut Searcher, room: usize) -> Found {
        if self.cancel.load(Ordering::Relaxed) {
            return Found::Skipped("cancelled");
        }
        let file = &self.files[index];
        if is_ruled_out(file, &finder.need) {
            return Found::RuledOut;
        }
        let bytes = match file.buffer {
            Some(buffer) => Cow::Borrowed(buffer),
            None => match self.reader.read(file.root, file.rel) {
                Ok(bytes) => Cow::Owned(bytes),
                Err(reason) => return Found::Skipped(reason),
            },
        };
        if is_binary(&bytes) && encoding(&bytes) != Encoding::Utf16 {
            return Found::Binary;
        }
        let mut lines = Lines { file: index, finder, room, lines: Vec::new() };
        // In memory nothing can fail but the decoding of UTF-16, which replaces what it can't read.
        match searcher.search_slice(&finder.matcher, &bytes, &mut lines) {
            Ok(()) => Found::Lines { lines: lines.lines, bytes: bytes.len() as u64 },
            Err(_) => Found::Skipped("unreadable"),
        }
    }

    /// What to say when a literal that looks like an expression was not found.
    fn hint(&self, query: &TextQuery<'_>) -> Result<Option<String>, TextError> {
        let strong = query.pattern.contains(['|', '*', '+', '?', '^', '$', '\\', '[', '{']);
        let Some(finder) = strong.then(|| Finder::regex(query.pattern, query.ignore_case).ok()).flatten() else {
            return Ok(None);
        };
        let probe = self.run(&finder, 1, PROBE_BYTES)?;
        let Some(first) = probe.matches.first() else {
            // Only these are hardly ever meant literally.
            let meant = query.pattern.contains(['|', '\\']) || query.pattern.contains(".*") || query.pattern.contains(".+");
            let unsure = if probe.total_is_exact { "finds nothing either" } else { "may find more" };
            let hint = format!(
                "The query was taken literally, and no line contains it. With `regexp: true` it is a regular expression, which {unsure}."
            );
            return Ok(meant.then_some(hint));
        };
        let path = self.files[first.file].rel;
        let parts = if query.pattern.contains('|') { "would find its parts" } else { "finds text" };
        Ok(Some(format!(
            "The query was taken literally, and no line contains it. With `regexp: true` it {parts}, for example at `{path}:{}`.",
            first.line
        )))
    }
}

/// Reads files that lie in their root for certain: a path that a link has come into is refused.
#[derive(Debug, Default)]
pub struct Reader {
    /// Folders already known to be reached without a link, or not.
    dirs: Mutex<FxHashMap<PathBuf, bool>>,
}

impl Reader {
    /// Reads a file that lies in its root for certain.
    pub fn read(&self, root: &Path, rel: &str) -> Result<Vec<u8>, &'static str> {
        if !is_plain(rel) {
            return Err("outside");
        }
        let dir = rel.rsplit_once('/').map_or("", |(dir, _)| dir);
        if !self.is_without_links(root, dir) {
            return Err("link");
        }
        let path = root.join(rel);
        let reason = |error: std::io::Error| {
            if error.kind() == std::io::ErrorKind::NotFound { "gone" } else { "unreadable" }
        };
        let meta = fs::symlink_metadata(&path).map_err(reason)?;
        if meta.is_symlink() {
            return Err("link");
        }
        if !meta.is_file() {
            return Err("unreadable");
        }
        if meta.len() > MAX_TEXT_BYTES {
            return Err("too_large");
        }
        let mut bytes = Vec::with_capacity(meta.len() as usize + 1);
        let opened = fs::File::open(&path).map_err(reason)?;
        opened.take(MAX_TEXT_BYTES + 1).read_to_end(&mut bytes).map_err(reason)?;
        if bytes.len() as u64 > MAX_TEXT_BYTES { Err("too_large") } else { Ok(bytes) }
    }

    fn is_without_links(&self, root: &Path, dir: &str) -> bool {
        if dir.is_empty() {
            return true;
        }
        let path = root.join(dir);
        if let Some(known) = self.dirs.lock().get(&path) {
            return *known;
        }
        let above = dir.rsplit_once('/').map_or("", |(above, _)| above);
        // A folder that is gone is told by its file.
        let here = fs::symlink_metadata(&path).map_or(true, |meta| meta.is_dir());
        let good = here && self.is_without_links(root, above);
        self.dirs.lock().insert(path, good);
        good
    }
}

/// Whether a file can't match and is still what its filter was made from.
fn is_ruled_out(file: &TextFile<'_>, need: &Need) -> bool {
    let Some(known) = file.known.filter(|_| file.buffer.is_none() && is_plain(file.rel)) else { return false };
    !need.admits(known.grams)
        && fs::symlink_metadata(file.root.join(file.rel))
            .is_ok_and(|meta| meta.is_file() && meta.len() == known.size && modified_ns(&meta) as u64 == known.mtime_ns)
}

/// Collects the matching lines of one file.
struct Lines<'a> {
    file: usize,
    finder: &'a Finder,
    room: usize,
    lines: Vec<TextMatch>,
}

impl Sink for Lines<'_> {
    type Error = std::io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, Self::Error> {
        let bytes = found.bytes();
        let (start, end) = match self.finder.matcher.find(bytes) {
            Ok(Some(found)) => (found.start(), found.end()),
            _ => (0, 0),
        };
        let text = clip(bytes, start, end - start, CLIP);
        let line = found.line_number().unwrap_or(1);
        self.lines.push(TextMatch { file: self.file, line, col: start as u32 + 1, text });
        Ok(self.lines.len() < self.room)
    }
}

#[cfg(test)]
#[path = "text_tests.rs"]
mod tests;
