//! What a task says, taken apart: words with weights, identifiers, paths and quoted texts.
//!
//! The first line counts most, fenced blocks least; links, hashes and versions are no words. Knows letters only, no graph.

use rustc_hash::FxHashMap;

use crate::search::contents;
use crate::search::words;

/// What a word weighs that says what is done and not where.
const CHANGE: f32 = 0.1;

/// What a task says, taken apart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shape {
    /// Terms with their weights, in the order of the text.
    pub words: Vec<(String, f32)>,
    /// The stems of those words by the rules of English, by which content is counted.
    pub stems: Vec<String>,
    /// Words, by their position, that stand next to one another in the text.
    pub pairs: Vec<(usize, usize)>,
    /// Identifiers with their weights.
    pub identifiers: Vec<(String, f32)>,
    /// Paths and file names.
    pub paths: Vec<String>,
    /// Quoted texts.
    pub literals: Vec<String>,
    /// Words of the place that a title announces: `router: ..`, `fix(router): ..`.
    pub scope: Vec<String>,
}

/// Takes a task apart.
pub fn shape(task: &str) -> Shape {
    let mut shape = Shape { scope: scope(task), ..Shape::default() };
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
            let mut last = None;
            for (at, word) in pieces(text) {
                let weight = if at < lead && lead < text.len() && lead >= 20 { weight * 1.3 } else { weight };
                add_word(word, weight, &mut shape, &mut counts, &mut last);
            }
            prose += text.len();
        }
        first = false;
    }
    if shape.words.is_empty() {
        let mut last = None;
        for (_, word) in pieces(task) {
            add_word(word, 1.0, &mut shape, &mut counts, &mut last);
        }
    }
    shape
}

/// Whether a title is about tests themselves: it begins with them, says what they are for, or what is done to them. A title
/// that merely mentions a test speaks of the code under it.
pub(super) fn asks_for_tests(title: &str) -> bool {
    const DONE: &[&str] = &[
        "add", "more", "new", "miss", "fail", "flaki", "broken", "break", "unit", "regress", "fix", "improv", "updat", "remov",
        "skip", "disabl", "rewrit", "refactor",
    ];
    // Whole words: `LedgerTest` and `test_ledger` are names.
    let whole = title.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    let stems: Vec<String> = whole.map(contents::stem).collect();
    let test = |stem: &String| matches!(stem.as_str(), "test" | "benchmark" | "fixtur" | "mock");
    let done = |stem: Option<&String>| stem.is_some_and(|stem| DONE.contains(&stem.as_str()));
    let said = |at: usize| {
        let after = stems.get(at + 1).map(String::as_str);
        let before = |by: usize| at.checked_sub(by).and_then(|at| stems.get(at));
        at == 0 || matches!(after, Some("for" | "of")) || done(before(1)) || done(before(2))
    };
    (0..stems.len()).any(|at| test(&stems[at]) && said(at))
}

/// What stands before the colon of a title, if it is a place: one word or path that is no kind of change.
fn scope(task: &str) -> Vec<String> {
    const KINDS: &[&str] = &[
        "fix", "feat", "feature", "perf", "refactor", "chore", "bug", "bugfix", "docs", "test", "tests", "build", "ci", "style",
    ];
    let title = task.trim_start().lines().next().unwrap_or("");
    let Some((head, rest)) = title.split_once(':') else { return Vec::new() };
    let head = head.trim_end_matches('!');
    let place = head.split_once('(').map_or(head, |(_, inner)| inner.trim_end_matches(')'));
    let plain = place.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | '.' | ','));
    if !rest.starts_with(' ') || !plain || KINDS.contains(&place.to_lowercase().as_str()) {
        return Vec::new();
    }
    words::terms_of(place)
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

/// Adds the words of a text; `last` is the one that stands before it.
fn add_word(text: &str, weight: f32, shape: &mut Shape, counts: &mut FxHashMap<String, usize>, last: &mut Option<usize>) {
    let mut scratch = String::new();
    words::split(text, |word| {
        let before = last.take();
        let lower = word.to_lowercase();
        if words::is_stop(&lower) || lower.chars().all(|c| c.is_ascii_digit()) {
            return;
        }
        words::term(word, &mut scratch);
        if scratch.chars().count() < 2 {
            return;
        }
        let at = match counts.get(&scratch) {
            // Said again: a little more, ever less.
            Some(at) => {
                let known: &mut f32 = &mut shape.words[*at].1;
                let weight = if words::is_change(&shape.stems[*at]) { weight * CHANGE } else { weight };
                *known = (*known + weight * 0.25).min(known.max(weight) * 1.08 + 0.04);
                *at
            }
            None => {
                let stem = contents::stem(word);
                let weight = if words::is_change(&stem) { weight * CHANGE } else { weight };
                counts.insert(scratch.clone(), shape.words.len());
                shape.words.push((scratch.clone(), weight));
                shape.stems.push(stem);
                shape.words.len() - 1
            }
        };
        let pair = before.filter(|before| *before != at).map(|before| (before, at));
        shape.pairs.extend(pair.filter(|pair| !shape.pairs.contains(pair)));
        *last = Some(at);
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

#[cfg(test)]
mod tests {
    use super::{asks_for_tests, scope};

    #[test]
    fn a_title_announces_a_place() {
        assert_eq!(scope("printer: fix path handling"), ["printer"]);
        assert_eq!(scope("fix(router)!: wildcard"), ["router"]);
        assert_eq!(scope("io/util: add a reader\n\nbody: more"), ["io", "util"]);
    }

    #[test]
    fn a_kind_of_change_or_a_sentence_is_no_place() {
        for title in ["fix: a bug", "Perf: faster", "Note that this: fails", "std::io is slow", "no colon", "", "a:b"] {
            assert!(scope(title).is_empty(), "{title}");
        }
    }

    #[test]
    fn a_title_is_about_tests_or_mentions_one() {
        for title in
            ["test: cover the router", "Add missing tests", "fix a flaky test", "benchmarks for the parser", "Tests of binding"]
        {
            assert!(asks_for_tests(title), "{title}");
        }
        for title in ["Cache adapters. On one violent test this is faster", "this fixes TypeTest", "latest release", ""] {
            assert!(!asks_for_tests(title), "{title}");
        }
    }
}
