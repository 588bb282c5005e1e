//! Named children one after another, without asking the allocator.
//!
//! A tree cursor allocates when it is made. Most nodes have few children, and counting up to each of them is cheaper than that.
//!
//! Knows trees, no language.

use tree_sitter::{Node, TreeCursor};

/// Up to so many named children are counted up to ...
const FEW_NAMED: u32 = 4;
/// ... among so many in all.
const FEW: u32 = 10;

/// The named children of a node, in order.
pub(crate) struct Named<'t> {
    node: Node<'t>,
    next: u32,
    count: u32,
    /// Where there are many.
    cursor: Option<TreeCursor<'t>>,
}

/// The named children of a node, in order.
pub(crate) fn named(node: Node<'_>) -> Named<'_> {
    let count = node.named_child_count() as u32;
    let few = count == 0 || count <= FEW_NAMED && node.child_count() <= FEW;
    Named { node, next: 0, count, cursor: if few { None } else { at_first_child(node) } }
}

fn at_first_child(node: Node<'_>) -> Option<TreeCursor<'_>> {
    let mut cursor = node.walk();
    cursor.goto_first_child().then_some(cursor)
}

impl<'t> Iterator for Named<'t> {
    type Item = Node<'t>;

    fn next(&mut self) -> Option<Node<'t>> {
        if self.next >= self.count {
            return None;
        }
        self.next += 1;
        let Some(cursor) = &mut self.cursor else { return self.node.named_child(self.next - 1) };
        if self.next > 1 && !cursor.goto_next_sibling() {
            return None;
        }
        while !cursor.node().is_named() {
            if !cursor.goto_next_sibling() {
                return None;
            }
        }
        Some(cursor.node())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::Lang;

    /// Every node of a tree, by both ways.
    fn check(node: Node<'_>) {
        let mut cursor = node.walk();
        let plain: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
        assert_eq!(named(node).collect::<Vec<_>>(), plain, "{node:?}");
        plain.into_iter().for_each(check);
    }

    #[test]
    fn few_and_many_children_come_as_a_cursor_gives_them() {
        let source = "# first\n@d(1, *a, **b)\nclass A(B, c=1):\n    x: int = [1, 2, 3, 4, 5, 6]  # end\n    def f(self, a, b=2, *c): return {a: b, 'c': f(a)(b).c[1:2]}\nif : 1\n";
        for name in ["python", "javascript", "go"] {
            let mut parser = tree_sitter::Parser::new();
            parser.set_language(&Lang::named(name).expect("known").compiled().grammar).expect("a grammar");
            check(parser.parse(source, None).expect("a tree").root_node());
        }
    }
}
