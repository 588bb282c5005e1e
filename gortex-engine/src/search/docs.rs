//! Documents: sections of prose files and documentation comments, found by their words.
//!
//! A section is what stands under one heading of a Markdown, reStructuredText or plain text file, up to the next heading of any
//! level; it is known by the path of headings that leads to it. Documentation of a symbol is a section too, known by the symbol.
//! Sections are weighed by BM25 (Robertson and Zaragoza 2009) over the same terms as symbols, with words of the heading, of the
//! headings above and of the file's name counted more than once.
//!
//! Built from texts that the caller reads. Knows no disk, and nothing of how answers look.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::words;
use crate::graph::{FileEntry, Graph, NodeId};

/// A section without headings is cut after about so many lines, at the next empty one.
const CHUNK: usize = 80;
/// Sections of one file; a longer file is a table or a log.
const MAX_SECTIONS: usize = 4000;
/// A longer line is data.
const MAX_LINE: usize = 4000;
/// A word of the heading counts like so many in the text.
const TITLE: f32 = 5.0;
/// A word of a heading above, or of the file's name.
const ABOVE: f32 = 1.5;
/// How soon more of the same word says nothing new, and how much the length counts.
const K1: f32 = 1.4;
const B: f32 = 0.6;

/// How headings of a file are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Markup {
    /// `#` and underlines, fenced code.
    Markdown,
    /// Underlines of any punctuation, levels in the order in which they occur.
    Underlined,
}

impl Markup {
    /// The markup of a file of prose by its name; `None` when it is none.
    pub fn of_path(path: &str) -> Option<Markup> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let Some((stem, ending)) = name.rsplit_once('.') else {
            let known =
                ["README", "CHANGELOG", "CHANGES", "CONTRIBUTING", "INSTALL", "NEWS", "HISTORY", "NOTES", "HACKING", "FAQ"];
            return known.contains(&name.to_ascii_uppercase().as_str()).then_some(Markup::Underlined);
        };
        // Lists for programs, not prose.
        let lower = stem.to_ascii_lowercase();
        if ["requirements", "robots", "cmakelists", "constraints", "top_level", "sources"]
            .iter()
            .any(|name| lower.starts_with(name))
        {
            return None;
        }
        match ending.to_ascii_lowercase().as_str() {
            "md" | "markdown" | "mdx" | "mkd" | "qmd" | "rmd" => Some(Markup::Markdown),
            "rst" | "rest" | "txt" | "text" | "adoc" | "asciidoc" | "org" => Some(Markup::Underlined),
            _ => None,
        }
    }
}

/// One section of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The position of its file in the graph.
    pub file: u32,
    /// The symbol whose documentation it is.
    pub node: Option<NodeId>,
    /// Its heading; empty before the first one.
    pub title: String,
    /// The section above.
    pub above: Option<u32>,
    /// First line, the heading's, from 1.
    pub start_line: u32,
    /// Last line.
    pub end_line: u32,
}

/// A section that fits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DocHit {
    /// Its number in [`DocIndex::sections`].
    pub section: u32,
    /// BM25 over all fields.
    pub score: f32,
    /// How many words of the query occur.
    pub words: u32,
}

/// See the module.
#[derive(Debug, Default)]
pub struct DocIndex {
    /// All sections, by file and line.
    pub sections: Vec<Section>,
    terms: FxHashMap<Box<str>, Vec<(u32, f32)>>,
    lengths: Vec<f32>,
    mean: f32,
}

/// A section while its file is read.
struct Draft {
    title: String,
    level: usize,
    above: Option<usize>,
    start_line: u32,
    end_line: u32,
    body: (usize, usize),
}

/// Counted words of one section, and its length.
struct Counted {
    words: Vec<(String, f32)>,
    length: f32,
}

impl DocIndex {
    /// Builds the index; `read` gives the text of a file of prose.
    pub fn build(graph: &Graph, read: &(dyn Fn(&FileEntry) -> Option<String> + Sync)) -> DocIndex {
        let parts: Vec<Vec<(Section, Counted)>> = graph
            .files
            .par_iter()
            .enumerate()
            .map(|(at, file)| {
                let mut found = Vec::new();
                if let Some(markup) = Markup::of_path(&file.path).filter(|_| file.status.is_text())
                    && let Some(text) = read(file)
                {
                    prose(at as u32, &file.path, &text, markup, &mut found);
                }
                comments(graph, at as u32, file, &mut found);
                found
            })
            .collect();
        let mut index = DocIndex::default();
        for part in parts {
            let base = index.sections.len() as u32;
            for (mut section, counted) in part {
                let number = index.sections.len() as u32;
                section.above = section.above.map(|above| above + base);
                index.sections.push(section);
                index.lengths.push(counted.length);
                for (word, weight) in counted.words {
                    index.terms.entry(word.into_boxed_str()).or_default().push((number, weight));
                }
            }
        }
        index.mean = index.lengths.iter().sum::<f32>() / index.lengths.len().max(1) as f32;
        index
    }

    /// Headings from the outermost to the section's own.
    pub fn heading_path(&self, section: u32) -> Vec<&str> {
        let mut path = Vec::new();
        let mut at = Some(section);
        while let Some(one) = at.and_then(|at| self.sections.get(at as usize)) {
            if !one.title.is_empty() {
                path.push(one.title.as_str());
            }
            // What is above stands before; anything else would not end.
            at = one.above.filter(|above| Some(*above) < at);
        }
        path.reverse();
        path
    }

    /// Sections by how well their words fit, best first; `admits` narrows.
    pub fn search(&self, query: &str, admits: &dyn Fn(&Section) -> bool) -> Vec<DocHit> {
        let mut terms = words::terms_of(query);
        terms.sort_unstable();
        terms.dedup();
        if terms.iter().any(|term| !words::is_stop(term)) {
            terms.retain(|term| !words::is_stop(term));
        }
        let mut found: FxHashMap<u32, (f32, u32)> = FxHashMap::default();
        let all = self.sections.len() as f32;
        let mut whole = 0.0f32;
        for term in &terms {
            let rows = self.terms.get(term.as_str()).map_or(&[][..], Vec::as_slice);
            let with = rows.len() as f32;
            let idf = (1.0 + (all - with + 0.5) / (with + 0.5)).ln();
            whole += 1.0;
            for (section, count) in rows {
                let length = self.lengths[*section as usize] / self.mean.max(1.0);
                let gain = idf * count * (K1 + 1.0) / (count + K1 * (1.0 - B + B * length));
                let entry = found.entry(*section).or_default();
                *entry = (entry.0 + gain, entry.1 + 1);
            }
        }
        let mut hits: Vec<DocHit> = found
            .into_iter()
            .filter(|(section, _)| admits(&self.sections[*section as usize]))
            .map(|(section, (score, words))| DocHit { section, score: score * (0.3 + 0.7 * words as f32 / whole), words })
            .collect();
        hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.section.cmp(&b.section)));
        hits
    }
}

/// The line of a section that says most about a query, with its number; none when no line says anything.
pub fn best_line<'t>(text: &'t str, section: &Section, query: &str) -> Option<(u32, &'t str)> {
    let wanted = words::terms_of(query);
    let from = section.start_line.saturating_sub(1) as usize;
    let lines = text.lines().enumerate().skip(from).take((section.end_line as usize).saturating_sub(from));
    let scored = lines.filter(|(_, line)| line.len() <= MAX_LINE).map(|(at, line)| {
        let terms = words::terms_of(line);
        (wanted.iter().filter(|word| !words::is_stop(word) && terms.contains(word)).count(), at, line)
    });
    // The heading itself is shown anyway.
    let best = scored
        .filter(|(count, at, _)| *count > 0 && (*at > from || section.title.is_empty()))
        .max_by_key(|(count, at, _)| (*count, std::cmp::Reverse(*at)));
    best.map(|(_, at, line)| (at as u32 + 1, line.trim()))
}

/// Sections of a file of prose, the first of its sections: those above are counted from there.
fn prose(file: u32, path: &str, text: &str, markup: Markup, found: &mut Vec<(Section, Counted)>) {
    let drafts = sections(text, markup);
    for draft in &drafts {
        let mut counts: FxHashMap<String, f32> = FxHashMap::default();
        let mut scratch = String::new();
        let mut length = 0.0;
        for line in text.get(draft.body.0..draft.body.1).unwrap_or_default().lines().filter(|line| line.len() <= MAX_LINE) {
            words::terms(line, &mut scratch, |term| {
                length += 1.0;
                count(&mut counts, term, 1.0);
            });
        }
        let mut above = draft.above;
        for term in words::terms_of(&draft.title) {
            count(&mut counts, &term, TITLE);
        }
        while let Some(one) = above.map(|at| &drafts[at]) {
            words::terms(&one.title, &mut scratch, |term| count(&mut counts, term, ABOVE));
            above = one.above;
        }
        words::terms(path, &mut scratch, |term| count(&mut counts, term, ABOVE));
        let section = Section {
            file,
            node: None,
            title: draft.title.clone(),
            above: draft.above.map(|above| above as u32),
            start_line: draft.start_line,
            end_line: draft.end_line,
        };
        found.push((section, counted(counts, length)));
    }
}

fn comments(graph: &Graph, at: u32, file: &FileEntry, found: &mut Vec<(Section, Counted)>) {
    let view = file.facts.view();
    let mut scratch = String::new();
    for (index, def) in view.defs.iter().enumerate() {
        let doc = view.str(def.doc);
        if doc.is_empty() {
            continue;
        }
        let node = file.base + 1 + index as u32;
        let title = graph.qualified(node);
        let mut counts: FxHashMap<String, f32> = FxHashMap::default();
        let mut length = 0.0;
        words::terms(doc, &mut scratch, |term| {
            length += 1.0;
            count(&mut counts, term, 1.0);
        });
        words::terms(&title, &mut scratch, |term| count(&mut counts, term, 2.0));
        let section =
            Section { file: at, node: Some(node), title, above: None, start_line: def.start_line, end_line: def.end_line };
        found.push((section, counted(counts, length)));
    }
}

fn count(counts: &mut FxHashMap<String, f32>, term: &str, by: f32) {
    match counts.get_mut(term) {
        Some(count) => *count += by,
        None => {
            counts.insert(term.to_owned(), by);
        }
    }
}

fn counted(counts: FxHashMap<String, f32>, length: f32) -> Counted {
    Counted { words: counts.into_iter().collect(), length: length + 8.0 }
}

/// The sections of a text, in its order. Empty ones are left out unless they have a heading.
fn sections(text: &str, markup: Markup) -> Vec<Draft> {
    let mut marks = headings(text, markup);
    let total = text.lines().count() as u32;
    if marks.first().is_none_or(|first| first.start_line > 1) {
        marks.insert(0, Draft { title: String::new(), level: 0, above: None, start_line: 1, end_line: 0, body: (0, 0) });
    }
    marks.truncate(MAX_SECTIONS);
    for at in 0..marks.len() {
        let (line, byte) = marks.get(at + 1).map_or((total + 1, text.len()), |next| (next.start_line, next.body.1));
        marks[at].end_line = line.saturating_sub(1).max(marks[at].start_line);
        marks[at].body.1 = byte;
        let level = marks[at].level;
        marks[at].above = (0..at).rev().find(|other| marks[*other].level < level && !marks[*other].title.is_empty());
    }
    marks.retain(|draft| !draft.title.is_empty() || !text[draft.body.0..draft.body.1].trim().is_empty());
    if marks.len() == 1 && marks[0].title.is_empty() { chunks(text) } else { renumber(marks) }
}

/// A leading section without a heading may have been dropped; those above are counted from the first that is kept.
fn renumber(mut marks: Vec<Draft>) -> Vec<Draft> {
    let mut last: Vec<(usize, usize)> = Vec::new();
    for (at, mark) in marks.iter_mut().enumerate() {
        last.retain(|(level, _)| *level < mark.level);
        mark.above = last.last().map(|(_, at)| *at);
        if !mark.title.is_empty() {
            last.push((mark.level, at));
        }
    }
    marks
}

/// A text without headings, in pieces.
fn chunks(text: &str) -> Vec<Draft> {
    let mut found: Vec<Draft> = Vec::new();
    let (mut at, mut start, mut first) = (0, 0, 1u32);
    let mut line_number = 0u32;
    for line in text.split_inclusive('\n') {
        line_number += 1;
        at += line.len();
        let long = (line_number + 1 - first) as usize >= CHUNK;
        if (long && line.trim().is_empty() || at == text.len()) && found.len() < MAX_SECTIONS {
            let body = (start, at);
            found.push(Draft { title: String::new(), level: 0, above: None, start_line: first, end_line: line_number, body });
            (start, first) = (at, line_number + 1);
        }
    }
    found
}

/// The headings of a text: `body` holds the byte after the heading and, for now, the heading's own first byte.
fn headings(text: &str, markup: Markup) -> Vec<Draft> {
    let mut found: Vec<Draft> = Vec::new();
    let mut kinds: Vec<(char, bool)> = Vec::new();
    let mut fence: Option<&str> = None;
    let mut at = 0;
    let mut before: [(&str, usize); 2] = [("", 0), ("", 0)];
    for (number, whole) in text.split_inclusive('\n').enumerate() {
        let (from, line) = (at, whole.trim_end());
        at += whole.len();
        let number = number as u32 + 1;
        let trimmed = line.trim_start();
        if markup == Markup::Markdown {
            let mark = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
            match (fence, mark) {
                (None, Some(mark)) => fence = Some(mark),
                (Some(open), Some(mark)) if open == mark => fence = None,
                _ => {}
            }
            if fence.is_some() || mark.is_some() {
                before = [("", 0), ("", 0)];
                continue;
            }
            if let Some((level, title)) = hashes(trimmed) {
                found.push(Draft { title, level, above: None, start_line: number, end_line: 0, body: (at, from) });
                before = [("", 0), ("", 0)];
                continue;
            }
        }
        if let Some(mark) = underline(line, before[1].0, markup) {
            let over = markup == Markup::Underlined && before[0].0 == line && number > 2;
            let level = match markup {
                Markup::Markdown => 1 + usize::from(mark == '-'),
                Markup::Underlined => place(&mut kinds, (mark, over)),
            };
            let (start, byte) = if over { (number - 2, before[0].1) } else { (number - 1, before[1].1) };
            let title = before[1].0.trim().to_owned();
            found.push(Draft { title, level, above: None, start_line: start, end_line: 0, body: (at, byte) });
            before = [("", 0), ("", 0)];
            continue;
        }
        before = [before[1], (line, from)];
    }
    found
}

fn place(kinds: &mut Vec<(char, bool)>, kind: (char, bool)) -> usize {
    let found = kinds.iter().position(|other| *other == kind);
    1 + found.unwrap_or_else(|| {
        kinds.push(kind);
        kinds.len() - 1
    })
}

/// Level and text of a Markdown heading.
fn hashes(line: &str) -> Option<(usize, String)> {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    let rest = line.get(level..)?;
    if level == 0 || level > 6 || !(rest.is_empty() || rest.starts_with([' ', '\t'])) {
        return None;
    }
    let title = rest.trim().trim_end_matches('#').trim();
    (!title.is_empty()).then(|| (level, title.to_owned()))
}

/// The mark of a line that underlines the one before it.
fn underline(line: &str, title: &str, markup: Markup) -> Option<char> {
    let mark = line.chars().next().filter(|mark| mark.is_ascii_punctuation())?;
    let allowed = match markup {
        Markup::Markdown => matches!(mark, '=' | '-'),
        Markup::Underlined => matches!(mark, '=' | '-' | '~' | '^' | '"' | '\'' | '*' | '+' | '#' | '.' | ':' | '`'),
    };
    let title_len = title.trim().chars().count();
    let len = line.chars().count();
    let long = len >= 3 && (markup == Markup::Markdown || len >= title_len);
    let said = title.chars().any(char::is_alphanumeric) && title_len <= 200;
    // `- item` above a rule, and the ruled rows of tables, are no headings.
    let plain =
        !title.trim_start().starts_with(['|', '+', '>', '<']) && (markup == Markup::Underlined || !title.starts_with("- "));
    (allowed && long && said && plain && line.chars().all(|other| other == mark)).then_some(mark)
}

#[cfg(test)]
#[path = "docs_tests.rs"]
mod tests;
