//! Finding code by shape: a tree-sitter query, or a piece of code with placeholders, over the files of one language.
//!
//! A pattern is compiled once per grammar that its language name stands for (`typescript` covers `.tsx` files too). Files come
//! from an iterator, so that a whole repository is never held in memory; the answer keeps their order. Whatever could not be
//! looked at in full is named.
//!
//! Knows nothing of symbols; bundled patterns stand in [`super::detectors`].

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;
use streaming_iterator::StreamingIterator as _;
use tree_sitter::{Node, Query, QueryCursor, QueryCursorOptions, QueryErrorKind};

use super::clip;
use super::shape::{self, Shape};
use crate::facts::walker::{ExtractLimits, parse};
use crate::index::classify::{Content, classify};
use crate::lang::Lang;

/// Rows when the caller says nothing.
pub const DEFAULT_LIMIT: usize = 50;
/// A longer pattern is refused.
pub const MAX_PATTERN_BYTES: usize = 16 << 10;
/// Text of a match is shown with about so many bytes.
const CLIP: usize = 400;
/// Text of a capture is shown with about so many bytes.
const CLIP_CAPTURE: usize = 120;
/// More matches of one file are counted no further.
const MAX_PER_FILE: usize = 10_000;
/// Half-finished matches that are held at a time.
const MAX_PENDING: u32 = 1 << 14;
/// Steps of the query's engine before a file is given up.
const MAX_TICKS: u32 = 2_000_000;
/// Files searched at a time.
const GROUP: usize = 64;

/// Why a pattern can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AstError {
    /// The language is unknown.
    #[error("there is no language `{name}`; known are {known}")]
    UnknownLanguage {
        /// The name as given.
        name: String,
        /// All names.
        known: String,
    },
    /// The pattern is wrong.
    #[error("the pattern is wrong at line {line}, column {column}: {reason}; in `{text}`")]
    Syntax {
        /// What is wrong.
        reason: String,
        /// Where, from 1.
        line: usize,
        /// Where, in UTF-8 bytes from 1.
        column: usize,
        /// The line.
        text: String,
    },
    /// A predicate that the engine would silently pass over.
    #[error("the predicate `#{name}` is unknown; known are {known}")]
    UnknownPredicate {
        /// The name as given.
        name: String,
        /// All names.
        known: &'static str,
    },
    /// Nothing is marked, so there is nothing to show.
    #[error("the pattern marks nothing: write `@match` after the node to find")]
    NoCapture,
    /// The fragment of code is none of this language.
    #[error(
        "`{text}` is no code of {language}, neither as it stands nor inside of a function or a type; write a whole expression, \
             statement or definition with `$NAME` for one part and `$$$NAME` for several, or a tree-sitter query that marks `@match`"
    )]
    NoShape {
        /// The language.
        language: String,
        /// The fragment, clipped.
        text: String,
    },
    /// The pattern is too long.
    #[error("the pattern has {bytes} bytes; at most {MAX_PATTERN_BYTES} are allowed")]
    TooLarge {
        /// Its bytes.
        bytes: usize,
    },
    /// There is no such bundled pattern.
    #[error("there is no detector `{name}`; `help` lists all of them")]
    UnknownDetector {
        /// The name as given.
        name: String,
        /// Names that look like it.
        nearest: Vec<&'static str>,
    },
    /// The caller stopped the search.
    #[error("the search was cancelled")]
    Cancelled,
}

const PREDICATES: &str =
    "eq?, not-eq?, any-eq?, any-not-eq?, match?, not-match?, any-match?, any-not-match?, any-of?, not-any-of?";

/// A condition that a query can't express: what is around a match.
#[derive(Debug, Clone, Copy)]
pub struct Inside {
    /// Some node around the match is of one of these kinds ...
    pub kinds: &'static [&'static str],
    /// ... and no node of these kinds stands between.
    pub not_past: &'static [&'static str],
}

/// A compiled pattern.
#[derive(Debug)]
pub struct Pattern {
    variants: Vec<Variant>,
}

/// The pattern for one grammar.
#[derive(Debug)]
struct Variant {
    lang: Lang,
    form: Form,
    inside: Option<Inside>,
}

/// How a variant tells a match.
#[derive(Debug)]
enum Form {
    Query { query: Query, marked: Option<u32> },
    Shape(Shape),
}

/// A place that has the shape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AstMatch {
    /// The file.
    pub path: String,
    /// The language of the file.
    pub language: &'static str,
    /// First line, from 1.
    pub start_line: u32,
    /// Last line, from 1.
    pub end_line: u32,
    /// Column in UTF-8 bytes, from 1.
    pub start_col: u32,
    /// First byte.
    pub start_byte: usize,
    /// Byte after the last.
    pub end_byte: usize,
    /// The text, clipped.
    pub text: String,
    /// Further captures by name, in the order they stand in the file, clipped.
    pub captures: Vec<(String, String)>,
}

/// What was found and what was looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AstAnswer {
    /// The first matches, in the order of the files.
    pub matches: Vec<AstMatch>,
    /// How many there are.
    pub total: usize,
    /// Files of the pattern's language that were read.
    pub files_walked: usize,
    /// Files that were not, or not in full, searched, with the reason.
    pub problems: Vec<(String, String)>,
}

impl Pattern {
    /// Compiles a pattern: code with placeholders, or a tree-sitter query.
    pub fn of(language: &str, source: &str) -> Result<Pattern, AstError> {
        if shape::is_code(source) { Pattern::code(language, source) } else { Pattern::compile(language, source) }
    }

    /// Compiles a fragment of code, see [`shape`].
    pub fn code(language: &str, source: &str) -> Result<Pattern, AstError> {
        if source.len() > MAX_PATTERN_BYTES {
            return Err(AstError::TooLarge { bytes: source.len() });
        }
        let source = source.replace("\r\n", "\n");
        let shapes = grammars_of(language)?.into_iter().filter_map(|lang| Some((lang, Shape::compile(lang, &source)?)));
        let variants: Vec<Variant> =
            shapes.map(|(lang, shape)| Variant { lang, form: Form::Shape(shape), inside: None }).collect();
        if variants.is_empty() {
            let text = clip(source.trim().as_bytes(), 0, 1, CLIP_CAPTURE);
            return Err(AstError::NoShape { language: language.to_owned(), text });
        }
        Ok(Pattern { variants })
    }

    /// Compiles a query for a language by its stable name.
    pub fn compile(language: &str, source: &str) -> Result<Pattern, AstError> {
        if source.len() > MAX_PATTERN_BYTES {
            return Err(AstError::TooLarge { bytes: source.len() });
        }
        let grammars = grammars_of(language)?;
        // The engine counts lines by line feeds.
        let source = source.replace("\r\n", "\n");
        // A dialect knows some more node kinds and some fewer; where a kind is unknown, no file can contain it.
        let (variants, errors): (Vec<_>, Vec<_>) =
            grammars.into_iter().map(|lang| variant(lang, &source)).partition(Result::is_ok);
        let variants: Vec<Variant> = variants.into_iter().flatten().collect();
        match errors.into_iter().find_map(Result::err) {
            Some(error) if variants.is_empty() => Err(error),
            _ => Ok(Pattern { variants }),
        }
    }

    /// Adds a condition on what is around a match.
    #[must_use]
    pub fn inside(mut self, inside: Option<Inside>) -> Pattern {
        for variant in &mut self.variants {
            variant.inside = inside;
        }
        self
    }

    /// Adds what another pattern finds in other languages; a language that both cover stays with this one.
    #[must_use]
    pub fn or(mut self, other: Pattern) -> Pattern {
        for variant in other.variants {
            if self.variants.iter().all(|mine| mine.lang != variant.lang) {
                self.variants.push(variant);
            }
        }
        self
    }

    /// Whether files of this name are searched.
    pub fn covers(&self, path: &str) -> bool {
        Lang::of_path(path).is_some_and(|lang| self.variants.iter().any(|variant| variant.lang == lang))
    }

    /// Searches one file, which is of the variant's language.
    fn file(&self, path: &str, bytes: &[u8], found: &mut OneFile) {
        let verdict = classify(path, bytes);
        let variant = verdict.lang.and_then(|lang| self.variants.iter().find(|variant| variant.lang == lang));
        let Some(variant) = variant else { return };
        found.walked = true;
        if verdict.content != Content::Source {
            found.problem(path, verdict.content.as_str());
            return;
        }
        let Some(tree) = parse(variant.lang.compiled(), bytes, ExtractLimits::default()) else {
            found.problem(path, "the parser gave up");
            return;
        };
        if tree.root_node().has_error() {
            found.problem(path, "parsed in part: there are syntax errors");
        }
        match &variant.form {
            Form::Query { query, marked } => variant.by_query(query, *marked, tree.root_node(), path, bytes, found),
            Form::Shape(shape) => variant.by_shape(shape, tree.root_node(), path, bytes, found),
        }
        found.matches.sort_by_key(|row| (row.start_byte, row.end_byte));
    }
}

/// What one file gave.
#[derive(Default)]
struct OneFile {
    walked: bool,
    matches: Vec<AstMatch>,
    problems: Vec<(String, String)>,
}

impl OneFile {
    fn problem(&mut self, path: &str, reason: &str) {
        self.problems.push((path.to_owned(), reason.to_owned()));
    }
}

impl Variant {
    fn by_query(&self, query: &Query, marked: Option<u32>, root: Node<'_>, path: &str, bytes: &[u8], found: &mut OneFile) {
        let mut cursor = QueryCursor::new();
        cursor.set_match_limit(MAX_PENDING);
        let mut ticks = 0;
        let mut stopped = false;
        let mut progress = |_: &tree_sitter::QueryCursorState| {
            ticks += 1;
            stopped = ticks > MAX_TICKS;
            if stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let options = QueryCursorOptions::new().progress_callback(&mut progress);
        let names = query.capture_names();
        let mut seen = BTreeSet::new();
        {
            let mut matches = cursor.matches_with_options(query, root, bytes, options);
            while let Some(one) = matches.next() {
                let captures: Vec<(u32, Node<'_>)> = one.captures().iter().map(|capture| (capture.index, capture.node)).collect();
                let Some(node) = marked_node(marked, &captures) else { continue };
                if self.inside.is_some_and(|inside| !is_inside(node, inside)) {
                    continue;
                }
                if seen.insert((node.start_byte(), node.end_byte())) {
                    if seen.len() > MAX_PER_FILE {
                        found.problem(path, "more than 10000 matches; the others are not counted");
                        break;
                    }
                    let others = captures.iter().filter(|(index, _)| marked != Some(*index));
                    let captures = others.map(|(index, node)| {
                        let name = names.get(*index as usize).copied().unwrap_or_default();
                        (name, node.start_byte(), node.end_byte())
                    });
                    found.matches.push(self.row(path, bytes, node, node, captures));
                }
            }
        }
        if stopped || cursor.did_exceed_match_limit() {
            found.problem(path, "the pattern is too costly here; matches may be missing");
        }
    }

    fn by_shape(&self, shape: &Shape, root: Node<'_>, path: &str, bytes: &[u8], found: &mut OneFile) {
        let mut seen = BTreeSet::new();
        let whole = shape.find(root, bytes, MAX_PER_FILE, &mut |hit| {
            if self.inside.is_none_or(|inside| is_inside(hit.first, inside))
                && seen.insert((hit.first.start_byte(), hit.last.end_byte()))
            {
                let captures = hit.bound.iter().map(|(name, from, to)| (name.as_str(), *from, *to));
                found.matches.push(self.row(path, bytes, hit.first, hit.last, captures));
            }
        });
        if !whole {
            found.problem(path, "more than 10000 matches, or the pattern is too costly here; matches may be missing");
        }
    }

    fn row<'c>(
        &self,
        path: &str,
        bytes: &[u8],
        first: Node<'_>,
        last: Node<'_>,
        captures: impl Iterator<Item = (&'c str, usize, usize)>,
    ) -> AstMatch {
        let text = |from, to, max| clip(bytes.get(from..to).unwrap_or_default(), 0, 0, max);
        AstMatch {
            path: path.to_owned(),
            language: self.lang.language().name,
            start_line: first.start_position().row as u32 + 1,
            end_line: last.end_position().row as u32 + 1,
            start_col: first.start_position().column as u32 + 1,
            start_byte: first.start_byte(),
            end_byte: last.end_byte(),
            text: text(first.start_byte(), last.end_byte(), CLIP),
            captures: captures.map(|(name, from, to)| (name.to_owned(), text(from, to, CLIP_CAPTURE))).collect(),
        }
    }
}

/// The node marked `@match`; without such a mark the outermost of the captured ones.
fn marked_node<'t>(marked: Option<u32>, captures: &[(u32, Node<'t>)]) -> Option<Node<'t>> {
    let meant = captures.iter().filter(|(index, _)| marked.is_none_or(|marked| marked == *index));
    meant.map(|(_, node)| *node).min_by_key(|node| (node.start_byte(), std::cmp::Reverse(node.end_byte())))
}

/// Searches files, given with their bytes in the order of the answer, and keeps the first `limit` matches; 0 stands for
/// [`DEFAULT_LIMIT`]. Files that the pattern does not cover are passed over.
pub fn search<P, B>(
    pattern: &Pattern,
    files: impl IntoIterator<Item = (P, B)>,
    limit: usize,
    cancel: &AtomicBool,
) -> Result<AstAnswer, AstError>
where
    P: AsRef<str> + Send + Sync,
    B: AsRef<[u8]> + Send + Sync,
{
    let limit = if limit == 0 { DEFAULT_LIMIT } else { limit };
    let mut answer = AstAnswer::default();
    let mut files = files.into_iter().filter(|(path, _)| pattern.covers(path.as_ref()));
    loop {
        let group: Vec<(P, B)> = files.by_ref().take(GROUP).collect();
        if group.is_empty() {
            return Ok(answer);
        }
        let found: Vec<OneFile> = group
            .par_iter()
            .map(|(path, bytes)| {
                let mut found = OneFile::default();
                if !cancel.load(Ordering::Relaxed) {
                    pattern.file(path.as_ref(), bytes.as_ref(), &mut found);
                }
                found
            })
            .collect();
        if cancel.load(Ordering::Relaxed) {
            return Err(AstError::Cancelled);
        }
        for one in found {
            answer.files_walked += usize::from(one.walked);
            answer.total += one.matches.len();
            let room = limit - answer.matches.len();
            answer.matches.extend(one.matches.into_iter().take(room));
            answer.problems.extend(one.problems);
        }
    }
}

fn grammars_of(language: &str) -> Result<Vec<Lang>, AstError> {
    grammars(language).ok_or_else(|| AstError::UnknownLanguage {
        name: language.to_owned(),
        known: crate::lang::LANGUAGES.map(|language| language.name).join(", "),
    })
}

/// The grammars that a language's name stands for, the language's own first.
fn grammars(language: &str) -> Option<Vec<Lang>> {
    let dialects: &[&str] = match language {
        "javascript" => &["jsx"],
        "typescript" => &["tsx"],
        _ => &[],
    };
    let mut list = vec![Lang::named(language)?];
    list.extend(dialects.iter().filter_map(|name| Lang::named(name)));
    Some(list)
}

fn variant(lang: Lang, source: &str) -> Result<Variant, AstError> {
    let query = Query::new(&lang.compiled().grammar, source).map_err(|error| {
        let text = source.lines().nth(error.row).unwrap_or_default();
        let reason = match error.kind {
            QueryErrorKind::NodeType => format!("the grammar has no node kind {}", error.message),
            QueryErrorKind::Field => format!("the grammar has no field {}", error.message),
            QueryErrorKind::Capture => format!("nothing is captured as {}", error.message),
            QueryErrorKind::Predicate => error.message,
            QueryErrorKind::Structure => "such a nesting can't occur in this grammar".to_owned(),
            QueryErrorKind::Syntax => "syntax error".to_owned(),
            QueryErrorKind::Language => error.message,
        };
        let text = clip(text.as_bytes(), error.column, 1, CLIP_CAPTURE);
        AstError::Syntax { reason, line: error.row + 1, column: error.column + 1, text }
    })?;
    for index in 0..query.pattern_count() {
        let general = query.general_predicates(index).first().map(|predicate| predicate.operator.to_string());
        let property = query.property_predicates(index).first().map(|(_, is)| if *is { "is?" } else { "is-not?" }.to_owned());
        if let Some(name) = general.or(property) {
            return Err(AstError::UnknownPredicate { name, known: PREDICATES });
        }
    }
    if let Some(error) = (0..query.pattern_count()).find_map(|index| stray_predicate(source, query.start_byte_for_pattern(index)))
    {
        return Err(error);
    }
    if query.capture_names().is_empty() {
        return Err(AstError::NoCapture);
    }
    let marked = query.capture_index_for_name("match");
    Ok(Variant { lang, form: Form::Query { query, marked }, inside: None })
}

/// A predicate that stands beside a pattern instead of in it holds for nothing, and the engine says nothing.
fn stray_predicate(source: &str, start: usize) -> Option<AstError> {
    let rest = source.get(start..)?;
    rest.strip_prefix('(')?.trim_start().starts_with('#').then(|| {
        let before = source.get(..start).unwrap_or_default();
        let text = rest.lines().next().unwrap_or_default();
        AstError::Syntax {
            reason: "a predicate stands outside of its pattern; put both in parentheses, as in `((identifier) @match (#eq? @match \"x\"))`"
                .to_owned(),
            line: before.matches('\n').count() + 1,
            column: start - before.rfind('\n').map_or(0, |at| at + 1) + 1,
            text: clip(text.as_bytes(), 0, 1, CLIP_CAPTURE),
        }
    })
}

fn is_inside(node: Node<'_>, inside: Inside) -> bool {
    let mut at = node.parent();
    while let Some(node) = at {
        if inside.kinds.contains(&node.kind()) {
            return true;
        }
        if inside.not_past.contains(&node.kind()) {
            return false;
        }
        at = node.parent();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(language: &str, pattern: &str, files: &[(&str, &str)]) -> AstAnswer {
        let pattern = Pattern::compile(language, pattern).expect("a pattern");
        search(&pattern, files.iter().copied(), 0, &AtomicBool::new(false)).expect("an answer")
    }

    #[track_caller]
    fn check(language: &str, pattern: &str, files: &[(&str, &str)], expected: &[&str]) {
        let answer = run(language, pattern, files);
        let rows: Vec<String> = answer
            .matches
            .iter()
            .map(|row| {
                let mut words = vec![format!("{}:{}:{}", row.path, row.start_line, row.start_col), row.text.clone()];
                words.extend(row.captures.iter().map(|(name, text)| format!("{name}={text}")));
                words.join(" ")
            })
            .collect();
        assert_eq!(rows, expected);
    }

    #[test]
    fn the_mark_is_the_match_and_the_rest_are_captures() {
        check(
            "python",
            r#"(call function: (identifier) @f arguments: (argument_list . (string) @s) (#eq? @f "open")) @match"#,
            &[("a.py", "x = 1\r\nö = open('größe')\r\nread('x')\r\nopen(x)"), ("b.rs", "fn f() {}"), ("c.py", "")],
            &["a.py:2:6 open('größe') f=open s='größe'"],
        );
    }

    #[test]
    fn without_a_mark_the_outermost_capture_is_the_match() {
        check(
            "rust",
            "(call_expression function: (identifier) @f) @call",
            &[("a.rs", "fn f() { g(h()) }")],
            &["a.rs:1:10 g(h()) call=g(h()) f=g", "a.rs:1:12 h() call=h() f=h"],
        );
    }

    #[test]
    fn a_language_covers_its_dialects_and_no_other() {
        let files = [("a.ts", "let a = f();"), ("b.tsx", "let b = <A>{f()}</A>;"), ("c.js", "f();")];
        check("typescript", "(call_expression) @match", &files, &["a.ts:1:9 f()", "b.tsx:1:13 f()"]);
        for language in ["tsx", "typescript"] {
            check(language, "(jsx_element) @match", &files, &["b.tsx:1:9 <A>{f()}</A>"]);
        }
        check("typescript", "(type_assertion) @match", &[("a.ts", "let a = <A>b;")], &["a.ts:1:9 <A>b"]);
    }

    #[test]
    fn the_same_place_is_found_once_and_in_order() {
        check(
            "python",
            "(identifier) @match (module (expression_statement (identifier) @match))",
            &[("a.py", "b\na\n")],
            &["a.py:1:1 b", "a.py:2:1 a"],
        );
    }

    #[test]
    fn the_limit_cuts_rows_and_not_the_count() {
        let pattern = Pattern::compile("python", "(integer) @match").expect("a pattern");
        let files: Vec<(String, String)> = (0..200).map(|n| (format!("f{n:03}.py"), "1\n2\n".to_owned())).collect();
        let answer = search(&pattern, files, 3, &AtomicBool::new(false)).expect("an answer");
        let rows: Vec<_> = answer.matches.iter().map(|row| format!("{}:{}", row.path, row.start_line)).collect();
        assert_eq!(rows, ["f000.py:1", "f000.py:2", "f001.py:1"]);
        assert_eq!((answer.total, answer.files_walked), (400, 200));
    }

    #[test]
    fn what_was_not_searched_in_full_is_named() {
        let zero = "\0".repeat(100);
        let long = format!("x={}\n", "[".repeat(50_000));
        let files = [("a.js", long.as_str()), ("b.js", zero.as_str()), ("c.js", "f(; g()"), ("d.js", "g()")];
        let answer = run("javascript", "(call_expression) @match", &files);
        let problems: Vec<String> = answer.problems.iter().map(|(path, why)| format!("{path} {why}")).collect();
        assert_eq!(problems, ["a.js minified", "b.js binary", "c.js parsed in part: there are syntax errors"]);
        assert!(answer.matches.iter().any(|row| row.path == "d.js"));
    }

    #[test]
    fn a_wrong_pattern_is_an_error_with_a_place() {
        let error = |pattern| Pattern::compile("python", pattern).expect_err("refused").to_string();
        assert_eq!(
            error("(module\r\n  (no_such_kind) @match)"),
            "the pattern is wrong at line 2, column 4: the grammar has no node kind \"no_such_kind\"; in `  (no_such_kind) @match)`"
        );
        assert!(error("(module").contains("syntax error"));
        assert!(error("(call nope: (_)) @match").contains("no field \"nope\""));
        assert!(error("(identifier) @a (#eq? @b \"x\")").contains("nothing is captured as \"b\""));
        assert!(error("(integer (call)) @match").contains("nesting can't occur"));
        assert!(error("(identifier) @match (#match? @match \"(\")").contains("line 1"));
        let text = error("(identifier) @match\n (#eq? @match \"x\")");
        assert!(text.contains("line 2, column 2") && text.contains("outside of its pattern"), "{text}");
        assert!(error("((identifier) @match (#like? @match \"x\"))").contains("`#like?` is unknown"));
        assert!(error("((identifier) @match (#is? local))").contains("`#is?` is unknown"));
        assert_eq!(error("(identifier)"), "the pattern marks nothing: write `@match` after the node to find");
        assert!(error(&"(identifier) @match".repeat(2000)).contains("at most 16384"));
        for odd in [
            "",
            "ü",
            "(ü) @match",
            "(module) @ü",
            "\"ü",
            "\"",
            ")",
            "@",
            "(_ü: (x))",
            "(#ü?)",
            "((((",
            "(identifier) @match (#eq? @match",
        ] {
            assert!(Pattern::compile("python", odd).is_err(), "{odd}");
        }
        let error = Pattern::compile("cobol", "(x) @match").expect_err("refused").to_string();
        assert!(error.contains("`cobol`") && error.contains("python"), "{error}");
    }

    #[test]
    fn a_cancelled_search_is_no_empty_answer() {
        let pattern = Pattern::compile("python", "(integer) @match").expect("a pattern");
        assert_eq!(search(&pattern, [("a.py", "1")], 0, &AtomicBool::new(true)), Err(AstError::Cancelled));
    }

    #[test]
    fn a_long_match_is_clipped_between_characters() {
        let text = format!("'{}'", "日本".repeat(500));
        let answer = run("python", "(string) @match", &[("a.py", text.as_str())]);
        let shown = &answer.matches[0].text;
        assert!(shown.len() < 420 && shown.ends_with('…') && !shown.contains('\u{fffd}'), "{shown}");
    }
}
