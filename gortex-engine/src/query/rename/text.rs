//! Bytes, places and identifiers of one file that a rename looks at.

use tree_sitter::{Node, Tree};

use super::{At, Mention};
use crate::edit::Place;
use crate::facts::model::Kind;
use crate::graph::{FileEntry, Graph};
use crate::lang::Family;

/// One file with its bytes and tree.
pub(super) struct Source<'a> {
    pub entry: &'a FileEntry,
    pub bytes: &'a [u8],
    tree: &'a Tree,
    starts: Vec<usize>,
}

impl<'a> Source<'a> {
    pub fn new(entry: &'a FileEntry, bytes: &'a [u8], tree: &'a Tree) -> Source<'a> {
        let ends = memchr::memchr_iter(b'\n', bytes).map(|at| at + 1);
        Source { entry, bytes, tree, starts: std::iter::once(0).chain(ends).collect() }
    }

    /// The line of an offset, from 1.
    pub fn line_of(&self, offset: usize) -> u32 {
        self.starts.partition_point(|start| *start <= offset) as u32
    }

    /// The offsets that a place means.
    pub fn offsets(&self, at: At, name: &str) -> Vec<usize> {
        match at {
            // A destructor is named `~Type`.
            At::Byte(at) if self.bytes.get(at as usize) == Some(&b'~') => vec![at as usize + 1],
            At::Byte(at) => vec![at as usize],
            At::Line(line, col) => {
                self.starts.get((line as usize).wrapping_sub(1)).map(|start| start + col as usize).into_iter().collect()
            }
            At::Within(from, to) => self.identifiers(name, from as usize, to as usize),
        }
    }

    /// The place of a name for the edit room.
    pub fn place(&self, offset: usize, old: &str, new: &str) -> Option<Place> {
        let line = self.line_of(offset);
        let start = *self.starts.get(line as usize - 1)?;
        let end = self.starts.get(line as usize).copied().unwrap_or(self.bytes.len());
        let text = self.bytes.get(start..end)?;
        let text = text.strip_suffix(b"\n").unwrap_or(text);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        let col = (offset - start) as u32;
        Some(Place {
            line,
            cols: col..col + old.len() as u32,
            old: old.to_owned(),
            new: new.to_owned(),
            // A line that is no text is held by its bytes at the place alone.
            line_text: std::str::from_utf8(text).ok().map(str::to_owned),
        })
    }

    /// The leaf of the tree at an offset.
    pub fn leaf(&self, offset: usize) -> Option<Node<'a>> {
        self.tree.root_node().descendant_for_byte_range(offset, offset + 1)
    }

    /// Offsets of identifiers of this text in a range, comments and strings left out.
    pub fn identifiers(&self, name: &str, from: usize, to: usize) -> Vec<usize> {
        let to = to.min(self.bytes.len());
        let Some(range) = self.bytes.get(from..to) else { return Vec::new() };
        let found = memchr::memmem::find_iter(range, name.as_bytes()).map(|at| from + at);
        found
            .filter(|at| {
                is_word_at(self.bytes, *at, name) && self.leaf(*at).is_some_and(|leaf| leaf.kind().contains("identifier"))
            })
            .collect()
    }

    /// The alias of an import or export that repeats its own name, `from .x import f as f`: both words are the name, since
    /// whoever imports from here goes through the second.
    pub fn repeated(&self, offset: usize, name: &str) -> Option<usize> {
        let mut node = self.leaf(offset)?;
        // A name may be the last part of a path: `use a::f as f`.
        for _ in 0..3 {
            let parent = node.parent()?;
            if let Some(alias) = parent.child_by_field_name("alias") {
                let at = alias.start_byte();
                let repeats = at > offset && alias.byte_range().len() == name.len() && is_word_at(self.bytes, at, name);
                return repeats.then_some(at);
            }
            node = parent;
        }
        None
    }

    /// Whether a bare word is a parameter, a variable or an alias, or a use of one inside the function that has it.
    pub fn is_local(&self, offset: usize, name: &str) -> bool {
        let Some(leaf) = self.leaf(offset).filter(|leaf| leaf.kind() == "identifier" && self.is_bare(offset)) else {
            return false;
        };
        if is_alias(leaf) {
            return true;
        }
        if !self.binds_or_reads(offset) {
            return false;
        }
        let around = std::iter::successors(leaf.parent(), Node::parent);
        let mut functions = around.filter(|node| is_function(node.kind()));
        functions.any(|node| {
            let found = self.identifiers(name, node.start_byte(), node.end_byte());
            found.into_iter().filter_map(|at| self.leaf(at)).any(declares)
        })
    }

    /// Whether nothing stands in front of a name that would say whose member it is.
    pub fn is_bare(&self, offset: usize) -> bool {
        let before = self.bytes[..offset.min(self.bytes.len())].trim_ascii_end();
        !before.ends_with(b".") && !before.ends_with(b"::") && !before.ends_with(b"->")
    }

    /// Whether an identifier is a binding or a use of one, and not a label such as a keyword argument or a key.
    pub fn binds_or_reads(&self, offset: usize) -> bool {
        let Some(leaf) = self.leaf(offset) else { return false };
        if matches!(
            leaf.kind(),
            "property_identifier" | "field_identifier" | "statement_identifier" | "label" | "package_identifier"
        ) {
            return false;
        }
        let Some(parent) = leaf.parent() else { return true };
        let is_label = |field: &str| parent.child_by_field_name(field).is_some_and(|node| node.id() == leaf.id());
        !(parent.kind() == "keyword_argument" && is_label("name")
            || parent.kind() == "keyed_element"
            || parent.kind() == "pair" && is_label("key"))
    }
}

fn is_function(kind: &str) -> bool {
    ["function", "method_d", "closure", "lambda", "func_literal", "constructor_d"].iter().any(|part| kind.contains(part))
}

fn is_field(parent: Node<'_>, field: &str, node: Node<'_>) -> bool {
    parent.child_by_field_name(field).is_some_and(|child| child.id() == node.id())
}

fn is_alias(leaf: Node<'_>) -> bool {
    leaf.parent().is_some_and(|parent| is_field(parent, "alias", leaf))
}

/// Whether a word declares a parameter or a variable.
fn declares(leaf: Node<'_>) -> bool {
    if leaf.kind() == "shorthand_property_identifier_pattern" {
        return true;
    }
    let mut node = leaf;
    loop {
        let Some(parent) = node.parent() else { return false };
        let is = |fields: &[&str]| fields.iter().any(|field| is_field(parent, field, node));
        match parent.kind() {
            // A bare word in a list of parameters is one itself.
            "parameters" | "lambda_parameters" | "formal_parameters" | "closure_parameters" | "inferred_parameters" => {
                return true;
            }
            "assignment" | "short_var_declaration" | "for_statement" | "for_in_clause" | "range_clause" | "for_in_statement" => {
                return is(&["left"]);
            }
            "let_declaration" | "for_expression" | "let_condition" => return is(&["pattern"]),
            "variable_declarator" | "init_declarator" | "var_spec" => return is(&["name", "declarator"]),
            // Several names at once.
            "pattern_list"
            | "tuple_pattern"
            | "list_pattern"
            | "array_pattern"
            | "expression_list"
            | "mut_pattern"
            | "ref_pattern"
            | "pointer_declarator"
            | "reference_declarator"
            | "as_pattern_target" => node = parent,
            "as_pattern" => return true,
            "pair_pattern" if is(&["value"]) => node = parent,
            "object_pattern" => node = parent,
            kind if kind.contains("parameter") => return is(&["name", "pattern", "declarator"]) || kind.starts_with("typed_"),
            _ => return false,
        }
    }
}

/// Whether a whole identifier of this text stands at an offset.
pub(super) fn is_word_at(bytes: &[u8], offset: usize, name: &str) -> bool {
    let part = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80);
    let end = offset.saturating_add(name.len());
    bytes.get(offset..end) == Some(name.as_bytes()) && !(offset > 0 && part(bytes.get(offset - 1))) && !part(bytes.get(end))
}

/// What replaces a name at a place: where one word is a key and a value at once, both are written out so that the other one
/// keeps its name.
pub(super) fn stretch(graph: &Graph, source: &Source<'_>, offset: usize, mention: &Mention<'_>) -> String {
    let (old, new) = (mention.old, mention.new);
    let Some(leaf) = source.leaf(offset) else { return new.to_owned() };
    let is_member = matches!(graph.kind(mention.target), Kind::Field | Kind::Property | Kind::Method | Kind::EnumMember);
    let family = source.entry.lang.map(|lang| lang.language().family);
    match (family, leaf.kind(), leaf.parent().map(|parent| parent.kind())) {
        (Some(Family::Script), "shorthand_property_identifier" | "shorthand_property_identifier_pattern", _)
        | (Some(Family::Rust), "shorthand_field_identifier", _)
        | (Some(Family::Rust), _, Some("shorthand_field_initializer")) => {
            if is_member {
                format!("{new}: {old}")
            } else {
                format!("{old}: {new}")
            }
        }
        _ => new.to_owned(),
    }
}

/// A name that holds another one as whole words, with that part replaced: `test_scale_up` for `scale`, `TestGetAll` for `get`.
pub(super) fn embed(name: &str, old: &str, new: &str) -> Option<String> {
    let boundary = |left: Option<char>, right: Option<char>| match (left, right) {
        (None | Some('_'), _) | (_, None | Some('_')) => true,
        (Some(a), Some(b)) => !a.is_uppercase() && b.is_uppercase() || a.is_numeric() != b.is_numeric(),
    };
    for (from, to) in [(old.to_owned(), new.to_owned()), (capital(old), capital(new))] {
        for (at, _) in name.match_indices(&from) {
            let (before, after) = (&name[..at], &name[at + from.len()..]);
            let starts = boundary(before.chars().next_back(), from.chars().next());
            let ends = boundary(from.chars().next_back(), after.chars().next());
            if starts && ends && !(before.is_empty() && after.is_empty()) {
                return Some(format!("{before}{to}{after}"));
            }
        }
    }
    None
}

fn capital(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
