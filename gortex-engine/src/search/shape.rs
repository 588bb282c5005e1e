//! Patterns written as code: `foo($X, $$$REST)` finds every call of `foo` with at least one argument.
//!
//! `$NAME` stands for one node, `$$$NAME` for any number of neighbours, `$_` and `$$$` for such that nobody asks about; a name
//! used twice must stand for the same text. Before parsing they become ordinary identifiers, so any grammar will do. A fragment
//! is rarely a file, so it is tried in a list of surroundings, and in several spellings of the placeholders; every reading that
//! parses without an error counts, and code that fits any of them is found.
//!
//! Comments and separators are passed over; a token that the code has and the pattern has not (`async`, a closing comma) is
//! allowed, one that the pattern asks for is required. Knows trees and bytes, no files.

use tree_sitter::Node;

use crate::facts::walker::{ExtractLimits, parse};
use crate::lang::Lang;

/// Where a fragment is tried, at the `$`. What other languages need parses in none of the rest, so one list serves all.
const SURROUNDINGS: &[&str] = &[
    "$",
    "$;",
    "$\n",
    "void f() { $ }",
    "void f() { $; }",
    "fn f() { $ }",
    "fn f() { $; }",
    "package p\nfunc f() {\n$\n}\n",
    "package p\n$\n",
    "func f() {\n$\n}\n",
    "fun f() {\n$\n}\n",
    "class A { $ }",
    "class A { $; }",
    "class A { void f() { $ } }",
    "class A { void f() { $; } }",
    "def f():\n    $\n",
    "class A:\n    $\n",
    "def f\n$\nend\n",
    "class A\n$\nend\n",
    "object A { def f() = { $ } }",
    "void f() { x = $; }",
    "x = $\n",
    "let x = $\n",
    "val x = $\n",
    "const x = $;",
    "local x = $\n",
    "impl A { $ }",
    "trait A { $ }",
    "<?php $",
    "<?php $;",
    "<?php class A { $ }",
    "type A = $;",
    "void f() { switch (x) { $ } }",
    "contract A { $ }",
    "contract A { function f() public { $ } }",
    "contract A { function f() public { $; } }",
    "f() ->\n    $.\n",
    "f =\n    $\n",
    "entity a is end;\narchitecture b of a is begin\nprocess begin\n$\nend process;\nend b;\n",
    "architecture b of a is begin\nprocess begin\n$\nend process;\nend b;\n",
    "var x = $\n",
    "x :- $.\n",
    "A {\n    b: $\n}\n",
    "Module A\nSub F()\n$\nEnd Sub\nEnd Module\n",
];
/// Names that stand for placeholders: which of them a grammar takes depends on what it thinks of capitals and marks.
const NAMES: &[(&str, &str)] = &[("mvq", "mvz"), ("Mvq", "Mvz"), ("$mvq", "$mvz"), ("_mvq", "_mvz")];
/// What stands for any number of neighbours: an expression, a statement, a member, a parameter.
const MANY: &[&str] = &["@", "@;", "int @;", "int @", "@: Int", "@ int", "@ = 0"];
/// Readings that are kept.
const MAX_READINGS: usize = 6;
/// Comparisons of nodes in one file.
const MAX_STEPS: usize = 20_000_000;

/// Numbers of a node kind: one name may have several.
type Kinds = Vec<u16>;

/// A piece of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    /// One node, by the name to remember it by.
    One(String),
    /// Any number of nodes.
    Many(String),
    /// A token or a node with nothing in it that a comparison of kinds would not tell.
    Token { kind: Kinds, text: Option<String> },
    /// A node with others in it.
    Branch { kind: Kinds, parts: Vec<Piece> },
}

/// One way to read the fragment: pieces that follow each other, and in what if they are not one node.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Reading {
    parent: Option<Kinds>,
    pieces: Vec<Piece>,
}

/// A fragment of code, ready to be compared.
#[derive(Clone, Debug)]
pub struct Shape {
    readings: Vec<Reading>,
}

/// A place that fits.
#[derive(Clone, Debug)]
pub struct ShapeMatch<'t> {
    /// The first node.
    pub first: Node<'t>,
    /// The last node; the first one again when there is but one.
    pub last: Node<'t>,
    /// What the placeholders stand for, in the order they were met: name, first and last byte.
    pub bound: Vec<(String, usize, usize)>,
}

/// Whether a pattern is meant as code rather than as a tree-sitter query.
pub fn is_code(pattern: &str) -> bool {
    let text = pattern.trim_start();
    let query = text.starts_with(['(', '[', '"', ';']) || text.starts_with("_ ");
    !query || (placeholder(text).is_some() && !text.contains('@'))
}

/// The first placeholder of a text: where it is, its bytes, whether it stands for many, and its name.
fn placeholder(text: &str) -> Option<(usize, usize, bool, &str)> {
    let mut from = 0;
    while let Some(at) = text[from..].find('$').map(|at| at + from) {
        let rest = &text[at..];
        let many = rest.starts_with("$$$");
        let mark = if many { 3 } else { 1 };
        let name = &rest[mark..];
        let len = name.find(|c: char| !(c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')).unwrap_or(name.len());
        let named = len > 0 && !name.starts_with(|c: char| c.is_ascii_digit());
        // `$Foo` is a variable of some languages, not a placeholder `$F` with something behind it.
        let whole = name[len..].chars().next().is_none_or(|next| !next.is_alphanumeric());
        if whole && (named || (many && len == 0)) {
            return Some((at, mark + len, many, &name[..len]));
        }
        from = at + mark;
    }
    None
}

/// A fragment with identifiers in place of its placeholders.
struct Spelled {
    text: String,
    /// Stand-in, whether it stands for many, name.
    stands: Vec<(String, bool, String)>,
}

fn spell(pattern: &str, one: &str, rest: &str, many: &str) -> Spelled {
    let mut text = String::new();
    let mut stands: Vec<(String, bool, String)> = Vec::new();
    let mut left = pattern;
    while let Some((at, len, is_many, name)) = placeholder(left) {
        text.push_str(&left[..at]);
        let number = stands.len();
        let stand = if is_many { many.replace('@', &format!("{rest}{number}")) } else { format!("{one}{number}") };
        text.push_str(&stand);
        stands.push((stand, is_many, name.to_owned()));
        left = &left[at + len..];
    }
    text.push_str(left);
    Spelled { text, stands }
}

impl Shape {
    /// Reads a fragment in a language; `None` when it fits the grammar nowhere.
    pub fn compile(lang: Lang, pattern: &str) -> Option<Shape> {
        let pattern = pattern.trim();
        if pattern.is_empty() {
            return None;
        }
        let mut readings: Vec<Reading> = Vec::new();
        let spellings = NAMES.iter().flat_map(|names| MANY.iter().map(move |many| (names, many)));
        let has_many = pattern.contains("$$$");
        for ((one, rest), many) in spellings.filter(|(_, many)| has_many || **many == "@") {
            let spelled = spell(pattern, one, rest, many);
            for around in SURROUNDINGS {
                let reading = read(lang, &spelled, around);
                readings.extend(reading.filter(|reading| !readings.contains(reading)));
            }
            if !readings.is_empty() || spelled.stands.is_empty() {
                break;
            }
        }
        // A part of a node is a reading only of what is nowhere a whole one.
        if readings.iter().any(|reading| reading.parent.is_none()) {
            readings.retain(|reading| reading.parent.is_none());
        }
        readings.truncate(MAX_READINGS);
        (!readings.is_empty()).then_some(Shape { readings })
    }

    /// Every place that fits, in the order of the text; `false` when the file was given up before its end.
    pub fn find<'t>(&self, root: Node<'t>, bytes: &[u8], most: usize, each: &mut impl FnMut(ShapeMatch<'t>)) -> bool {
        let mut run = Run { bytes, steps: 0, bound: Vec::new() };
        let mut cursor = root.walk();
        let mut found = 0;
        loop {
            let node = cursor.node();
            for reading in &self.readings {
                if let Some(hit) = run.reading(reading, node) {
                    each(hit);
                    found += 1;
                }
            }
            if run.steps > MAX_STEPS || found > most {
                return false;
            }
            if cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return true;
                }
            }
        }
    }
}

/// The reading of a fragment in one place, if it parses there and fills whole nodes.
fn read(lang: Lang, spelled: &Spelled, around: &str) -> Option<Reading> {
    let (before, after) = around.split_once('$')?;
    // Lines of the fragment stand as deep as its first one does.
    let indent = before.rsplit('\n').next().filter(|indent| !indent.is_empty() && indent.trim().is_empty());
    let text = indent.map_or_else(|| spelled.text.clone(), |indent| spelled.text.replace('\n', &format!("\n{indent}")));
    let source = format!("{before}{text}{after}");
    let tree = parse(lang.compiled(), source.as_bytes(), ExtractLimits::default())?;
    let root = tree.root_node();
    if root.has_error() {
        return None;
    }
    let (start, end) = (before.len(), before.len() + text.len());
    let mut node = root.descendant_for_byte_range(start, end)?;
    while node.parent().is_some_and(|parent| parent.byte_range() == (start..end)) {
        node = node.parent()?;
    }
    let maker = Maker { source: &source, stands: &spelled.stands, grammar: &lang.compiled().grammar };
    let reading = if node.byte_range() == (start..end) {
        // A statement that is nothing but an expression is found as the expression.
        while node.named_child_count() == 1 && node.child_count() == 1 {
            match node.child(0) {
                Some(child) if child.byte_range() == (start..end) => node = child,
                _ => break,
            }
        }
        Reading { parent: None, pieces: vec![maker.piece(node)] }
    } else {
        let mut cursor = node.walk();
        let inside: Vec<Node<'_>> =
            node.children(&mut cursor).filter(|child| child.start_byte() >= start && child.end_byte() <= end).collect();
        let whole = inside.first().is_some_and(|first| first.start_byte() == start)
            && inside.last().is_some_and(|last| last.end_byte() == end);
        if !whole {
            return None;
        }
        let pieces = inside.into_iter().filter(|child| !is_passed(*child)).map(|child| maker.piece(child)).collect();
        Reading { parent: Some(maker.kinds(node)), pieces }
    };
    let says = reading.pieces.iter().any(|piece| !matches!(piece, Piece::One(_) | Piece::Many(_)));
    // A placeholder that got lost inside of a token would be searched for by its stand-in.
    let mut kept = 0;
    reading.pieces.iter().for_each(|piece| kept += placeholders(piece));
    (says && kept == spelled.stands.len()).then_some(reading)
}

fn placeholders(piece: &Piece) -> usize {
    match piece {
        Piece::One(_) | Piece::Many(_) => 1,
        Piece::Token { .. } => 0,
        Piece::Branch { parts, .. } => parts.iter().map(placeholders).sum(),
    }
}

/// Separators and comments: their number and place say nothing about the shape.
fn is_passed(node: Node<'_>) -> bool {
    node.is_extra() || (!node.is_named() && matches!(node.kind(), "," | ";" | "\n")) || node.kind().contains("comment")
}

struct Maker<'a> {
    source: &'a str,
    stands: &'a [(String, bool, String)],
    grammar: &'a tree_sitter::Language,
}

impl Maker<'_> {
    fn kinds(&self, node: Node<'_>) -> Kinds {
        let same = |id: &u16| {
            self.grammar.node_kind_for_id(*id) == Some(node.kind()) && self.grammar.node_kind_is_named(*id) == node.is_named()
        };
        (0..self.grammar.node_kind_count() as u16).filter(same).collect()
    }

    fn piece(&self, node: Node<'_>) -> Piece {
        let text = self.source.get(node.byte_range()).unwrap_or_default();
        if let Some((_, many, name)) = self.stands.iter().find(|(stand, ..)| stand == text) {
            return if *many { Piece::Many(name.clone()) } else { Piece::One(name.clone()) };
        }
        let mut cursor = node.walk();
        let parts: Vec<Piece> =
            node.children(&mut cursor).filter(|child| !is_passed(*child)).map(|child| self.piece(child)).collect();
        if parts.is_empty() || has_text_between(node, self.source.as_bytes()) && parts.iter().all(|part| placeholders(part) == 0)
        {
            let text = node.is_named().then(|| text.to_owned());
            return Piece::Token { kind: self.kinds(node), text };
        }
        Piece::Branch { kind: self.kinds(node), parts }
    }
}

/// Whether a node holds text that none of its children stands for, as literals of some grammars do.
fn has_text_between(node: Node<'_>, bytes: &[u8]) -> bool {
    let mut at = node.start_byte();
    let mut cursor = node.walk();
    let blank = |from: usize, to: usize| bytes.get(from..to).is_none_or(|gap| gap.iter().all(u8::is_ascii_whitespace));
    for child in node.children(&mut cursor) {
        if !blank(at, child.start_byte()) {
            return true;
        }
        at = child.end_byte();
    }
    !blank(at, node.end_byte())
}

/// One comparison under way.
struct Run<'a> {
    bytes: &'a [u8],
    steps: usize,
    bound: Vec<(String, usize, usize)>,
}

impl Run<'_> {
    fn reading<'t>(&mut self, reading: &Reading, node: Node<'t>) -> Option<ShapeMatch<'t>> {
        self.bound.clear();
        if let (None, [piece]) = (&reading.parent, reading.pieces.as_slice()) {
            return self.one(piece, node).then(|| ShapeMatch { first: node, last: node, bound: self.bound.clone() });
        }
        if reading.parent.as_ref().is_none_or(|kinds| !kinds.contains(&node.kind_id())) {
            return None;
        }
        let nodes = children(node);
        (0..nodes.len()).find_map(|start| {
            self.bound.clear();
            if !nodes[start].is_named() && !matches!(reading.pieces.first(), Some(Piece::Token { text: None, .. })) {
                return None;
            }
            let used = self.row(&reading.pieces, &nodes[start..], false)?;
            let last = nodes[start..].get(used.checked_sub(1)?)?;
            Some(ShapeMatch { first: nodes[start], last: *last, bound: self.bound.clone() })
        })
    }

    fn one(&mut self, piece: &Piece, node: Node<'_>) -> bool {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return false;
        }
        match piece {
            Piece::One(name) => node.is_named() && self.bind(name, node.start_byte(), node.end_byte()),
            Piece::Many(name) => self.bind(name, node.start_byte(), node.end_byte()),
            Piece::Token { kind, text } => {
                kind.contains(&node.kind_id())
                    && text.as_ref().is_none_or(|text| self.bytes.get(node.byte_range()) == Some(text.as_bytes()))
            }
            Piece::Branch { kind, parts } => kind.contains(&node.kind_id()) && self.row(parts, &children(node), true).is_some(),
        }
    }

    /// Compares pieces with neighbours; tells how many of these were used. With `whole` none that has a name is left over.
    fn row(&mut self, pieces: &[Piece], nodes: &[Node<'_>], whole: bool) -> Option<usize> {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return None;
        }
        let Some((piece, rest)) = pieces.split_first() else {
            return (!whole || nodes.iter().all(|node| !node.is_named())).then_some(0);
        };
        let mark = self.bound.len();
        if let Piece::Many(name) = piece {
            for taken in 0..=nodes.len() {
                let span = nodes[..taken].first().zip(nodes[..taken].last());
                let (from, to) = span.map_or((0, 0), |(first, last)| (first.start_byte(), last.end_byte()));
                if self.bind(name, from, to)
                    && let Some(used) = self.row(rest, &nodes[taken..], whole)
                {
                    return Some(taken + used);
                }
                self.bound.truncate(mark);
            }
            return None;
        }
        let first = nodes.first()?;
        if self.one(piece, *first)
            && let Some(used) = self.row(rest, &nodes[1..], whole)
        {
            return Some(1 + used);
        }
        self.bound.truncate(mark);
        // What has no name and nobody asked for.
        if first.is_named() { None } else { self.row(pieces, &nodes[1..], whole).map(|used| used + 1) }
    }

    /// Remembers what a placeholder stands for; the same name must stand for the same text.
    fn bind(&mut self, name: &str, from: usize, to: usize) -> bool {
        if name.is_empty() || name.starts_with('_') {
            return true;
        }
        match self.bound.iter().find(|(other, ..)| other == name) {
            Some((_, start, end)) => self.bytes.get(*start..*end) == self.bytes.get(from..to),
            None => {
                self.bound.push((name.to_owned(), from, to));
                true
            }
        }
    }
}

fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).filter(|child| !is_passed(*child)).collect()
}

#[cfg(test)]
#[path = "shape_tests.rs"]
mod tests;
