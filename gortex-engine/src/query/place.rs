//! Where a symbol stands in bytes that may be newer than the index.
//!
//! The bytes are extracted again and the definition of the same qualified name and ordinal is looked for, so that an edit
//! addresses the symbol as it is now and not as it was when the index was made.
//!
//! Knows facts of one file.

use crate::edit::LineRange;
use crate::facts::model::DefRow;
use crate::facts::{ExtractLimits, FactsView, extract};
use crate::graph::names::qualified;
use crate::graph::{Graph, NodeId};
use crate::lang::Lang;

/// A symbol by what survives an edit of its file: language, qualified name, and its number among those of the same name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anchor {
    /// The language of the file.
    pub lang: Lang,
    /// `Owner.member`.
    pub qualified: String,
    /// From 0, in the order of the text.
    pub ordinal: usize,
}

impl Anchor {
    /// The anchor of a definition; `None` for a file.
    pub fn of(graph: &Graph, node: NodeId) -> Option<Anchor> {
        let file = graph.file_of(node);
        let index = node.checked_sub(file.base + 1)?;
        let view = file.facts.view();
        let qualified = qualified(&view, index);
        let ordinal = same_named(&view, &qualified).position(|at| at == index)?;
        Some(Anchor { lang: file.lang?, qualified, ordinal })
    }

    /// The lines of the symbol in these bytes, attributes and decorators included; the error says why there are none.
    pub fn locate(&self, bytes: &[u8]) -> Result<LineRange, String> {
        let facts = extract(self.lang.compiled(), bytes, ExtractLimits::default());
        let view = facts.view();
        let found = same_named(&view, &self.qualified).nth(self.ordinal);
        let def = found.and_then(|index| view.defs.get(index as usize));
        def.map(|def: &DefRow| LineRange { first: def.start_line, last: def.end_line })
            .ok_or_else(|| format!("the file no longer defines `{}`", self.qualified))
    }
}

fn same_named<'v>(view: &'v FactsView<'v>, name: &'v str) -> impl Iterator<Item = u32> + 'v {
    let simple = name.rsplit('.').next().unwrap_or(name);
    (0..view.defs.len() as u32).filter(move |index| {
        let own = view.str(view.defs[*index as usize].name);
        // A name may itself hold a dot, or be empty; everything else is told apart by its last segment, cheaply.
        (own == simple || own.is_empty() || own.contains('.')) && qualified(view, *index) == name
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::build::graph_of;

    #[track_caller]
    fn check(id: &str, now: &str, expected: Result<(u32, u32), &str>) {
        let graph = graph_of(&[("a.py", "def f():\n    pass\n\nclass C:\n    def f(self):\n        pass\n")]);
        let node = graph.by_id(id).expect("a symbol");
        let found = Anchor::of(&graph, node).expect("a definition").locate(now.as_bytes());
        assert_eq!(found.map(|lines| (lines.first, lines.last)), expected.map_err(str::to_owned));
    }

    #[test]
    fn a_symbol_that_moved_is_found_where_it_is() {
        check("a.py::C.f", "# new\nclass C:\r\n    x = 1\r\n    @wrap\r\n    def f(self):\r\n        pass", Ok((4, 6)));
        check("a.py::f", "def f(): pass", Ok((1, 1)));
    }

    #[test]
    fn a_symbol_that_is_gone_has_no_place() {
        check("a.py::C.f", "def f():\n    pass\n", Err("the file no longer defines `C.f`"));
        check("a.py::f", "", Err("the file no longer defines `f`"));
    }
}
