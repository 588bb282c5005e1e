//! Text of another language inside a file: scripts in pages, code in documents, cells of notebooks.
//!
//! The embedded text is parsed in its place, so that every position is one of the host file, and walked by its own
//! language's table into the rows of the host.
//!
//! Knows ranges and tables; which part is of which language is said in `lang/`.

use tree_sitter::{Node, Range};

use super::{Walker, parse};
use crate::facts::model::NONE;
use crate::lang::Lang;

/// Parts of one host file that are walked in other languages at most.
const PARTS: u32 = 400;

/// How much of an embedded text counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Embed {
    /// All of it, its broken places included: the host is nothing without it.
    Whole,
    /// All of it, unless it has a broken place: the host may be a template.
    Sound,
    /// Its definitions alone, unless it has a broken place: the text is an example that nothing runs.
    Example,
}

impl Walker<'_> {
    /// Walks ranges of the file as text in another language; tells whether that was done.
    pub fn embed(&mut self, lang: Lang, ranges: &[Range], how: Embed) -> bool {
        let source = self.source;
        self.embed_text(lang, source, ranges, how)
    }

    /// [`Walker::embed`] of another reading of the file, of the same length (text whose escapes are undone).
    pub fn embed_text(&mut self, lang: Lang, text: &[u8], ranges: &[Range], how: Embed) -> bool {
        if text.len() != self.source.len() || ranges.is_empty() || self.embedded >= PARTS {
            return false;
        }
        self.embedded += 1;
        let inner = lang.compiled();
        let Some(tree) = parse::parse_within(inner, text, ranges, self.limits) else { return false };
        if how != Embed::Whole && tree.root_node().has_error() {
            return false;
        }
        let host = std::mem::replace(&mut self.language, inner);
        let around = std::mem::take(&mut self.around);
        let outer = std::mem::replace(&mut self.host, true);
        let (refs, imports, exports, supers) = self.row_counts();
        self.visit_tree(&tree);
        if how == Embed::Example {
            self.rows.refs.truncate(refs);
            self.ref_scopes.truncate(refs);
            self.rows.imports.truncate(imports);
            self.rows.exports.truncate(exports);
            self.rows.supers.truncate(supers);
        } else if let Some(finish) = inner.language.hooks.finish {
            finish(self, tree.root_node());
        }
        self.around = around;
        self.host = outer;
        self.language = host;
        // Expressions are remembered by node, so the nodes must outlive the walk.
        self.trees.push(tree);
        true
    }

    /// [`Walker::embed`] of the text of one node.
    pub fn embed_node(&mut self, lang: Lang, node: Node<'_>, how: Embed) -> bool {
        !self.text(node).trim().is_empty() && self.embed(lang, &[node.range()], how)
    }

    /// Whether text inside of a file in another language is being walked.
    pub fn is_embedded(&self) -> bool {
        self.host
    }

    /// The innermost definition around a byte, or [`NONE`].
    pub fn innermost_at(&self, at: usize) -> u32 {
        let at = at as u32;
        // A definition stands before those in it.
        let around = self.rows.defs.iter().rposition(|def| def.start <= at && at < def.end);
        around.map_or(NONE, |index| index as u32)
    }

    fn row_counts(&self) -> (usize, usize, usize, usize) {
        (self.rows.refs.len(), self.rows.imports.len(), self.rows.exports.len(), self.rows.supers.len())
    }
}
