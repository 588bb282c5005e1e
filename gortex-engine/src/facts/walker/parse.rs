//! Parsing and the frame of extraction.
//!
//! One parser per thread; a broken file may be read a second time in a form its language prepares, and the better tree wins.
//!
//! Knows parsers, not rows.

use std::ops::ControlFlow;

use tree_sitter::{InputEdit, ParseOptions, Parser, Point, Range, Tree};

use super::{ExtractLimits, Walker};
use crate::facts::pack::{Facts, Rows, Strings, file_flag};
use crate::facts::text::count_lines;
use crate::lang::Compiled;

/// Parses `source` and collects its facts.
///
/// Never fails: what could not be parsed is counted in the header, and a file that the parser had to give up on has no rows
/// and [`file_flag::PARTIAL`].
pub fn extract(language: &'static Compiled, source: &[u8], limits: ExtractLimits) -> Facts {
    let lines = count_lines(source);
    let Some(tree) = parse(language, source, limits) else {
        let mut rows = Rows::default();
        rows.header.lines = lines;
        rows.header.flags = file_flag::PARTIAL;
        rows.header.parse_errors = 1;
        return rows.pack(&Strings::new());
    };
    let tree = better_tree(language, source, tree, limits);
    let mut walker = Walker::new(language, source, limits);
    walker.rows.header.lines = lines;
    walker.visit_tree(&tree);
    if let Some(finish) = language.language.hooks.finish {
        finish(&mut walker, tree.root_node());
    }
    crate::lang::marked::read(&mut walker);
    walker.unvisited_problem(tree.root_node());
    walker.finish(tree.root_node())
}

/// The tree itself, or that of the language's other reading of a broken file when it has fewer errors.
fn better_tree(language: &'static Compiled, source: &[u8], tree: Tree, limits: ExtractLimits) -> Tree {
    let prepare = language.language.hooks.prepare.filter(|_| tree.root_node().has_error());
    let Some(prepared) = prepare.and_then(|prepare| prepare(source)) else { return tree };
    debug_assert_eq!(prepared.len(), source.len(), "positions must stay");
    // Most of the text is as it was, and so is most of the tree: only what changed is parsed again.
    let mut before = tree.clone();
    for edit in edits(source, &prepared) {
        before.edit(&edit);
    }
    match parse_with(language, &prepared, &[], Some(&before), limits) {
        Some(other) if error_weight(&other) < error_weight(&tree) => other,
        _ => tree,
    }
}

/// The places in which two texts of one length differ, near ones taken together.
fn edits(source: &[u8], prepared: &[u8]) -> Vec<InputEdit> {
    const GAP: usize = 32;
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for (at, _) in source.iter().zip(prepared).enumerate().filter(|(_, (before, after))| before != after) {
        match ranges.last_mut() {
            Some((_, end)) if at <= *end + GAP => *end = at + 1,
            _ => ranges.push((at, at + 1)),
        }
    }
    let (mut at, mut point) = (0, Point::new(0, 0));
    let mut advance = |to: usize| {
        let passed = source.get(at..to).unwrap_or_default();
        point.row += memchr::memchr_iter(b'\n', passed).count();
        point.column = memchr::memrchr(b'\n', passed).map_or(point.column + passed.len(), |end| passed.len() - end - 1);
        at = to;
        point
    };
    let edit = |(start, end): (usize, usize)| {
        let (start_position, end_position) = (advance(start), advance(end));
        InputEdit {
            start_byte: start,
            old_end_byte: end,
            new_end_byte: end,
            start_position,
            old_end_position: end_position,
            new_end_position: end_position,
        }
    };
    ranges.into_iter().map(edit).collect()
}

/// How much of a tree the grammar could not make sense of: bytes in error nodes and a little for each.
fn error_weight(tree: &Tree) -> usize {
    let mut cursor = tree.walk();
    let mut weight = 0;
    loop {
        let node = cursor.node();
        let broken = node.is_error() || node.is_missing();
        if broken {
            weight += 16 + node.end_byte() - node.start_byte();
        }
        if !broken && node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return weight;
            }
        }
    }
}

/// Parses with the language's grammar; `None` when the parser was stopped.
pub fn parse(language: &'static Compiled, source: &[u8], limits: ExtractLimits) -> Option<Tree> {
    parse_within(language, source, &[], limits)
}

/// [`parse`] of some ranges alone, as if the rest were not there; positions stay those of the whole. No range means all.
pub(super) fn parse_within(language: &'static Compiled, source: &[u8], ranges: &[Range], limits: ExtractLimits) -> Option<Tree> {
    parse_with(language, source, ranges, None, limits)
}

/// The same with the tree of an earlier text, on which the differences are marked.
fn parse_with(
    language: &'static Compiled,
    source: &[u8],
    ranges: &[Range],
    before: Option<&Tree>,
    limits: ExtractLimits,
) -> Option<Tree> {
    thread_local! {
        static PARSER: std::cell::RefCell<Parser> = std::cell::RefCell::new(Parser::new());
    }
    PARSER.with_borrow_mut(|parser| {
        parser.set_language(&language.grammar).ok()?;
        parser.set_included_ranges(ranges).ok()?;
        let mut ticks = 0u32;
        let mut progress = |_: &tree_sitter::ParseState| {
            ticks += 1;
            if ticks > limits.parse_ticks { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let options = ParseOptions::new().progress_callback(&mut progress);
        let tree = parser.parse_with_options(&mut |at, _| source.get(at..).unwrap_or_default(), before, Some(options));
        if tree.is_none() {
            parser.reset();
        }
        tree
    })
}
