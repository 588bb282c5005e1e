//! Small readings of trees that hooks of several languages need.
//!
//! Knows nodes and the walker's rows, no single language.

use std::borrow::Cow;

use tree_sitter::Node;

use super::children::named;
use crate::facts::model::{ExprKind, Kind, NONE, flag};
use crate::facts::walker::{Walker, one_line};

/// The text of a node on one line.
pub(super) fn line<'a>(walker: &Walker<'a>, node: Node<'_>) -> Cow<'a, str> {
    let text = walker.text(node);
    if text.contains(['\n', '\r', '\t']) { Cow::Owned(one_line(text, 240)) } else { Cow::Borrowed(text) }
}

/// The first named child of a kind.
pub(super) fn child_of_kind<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    named(node).find(|child| child.kind() == kind)
}

/// Whether a child, named or not, is of this kind.
pub(super) fn has_child(node: Node<'_>, kind: &str) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|child| child.kind() == kind)
}

/// The named children without comments.
pub(super) fn named_children(node: Node<'_>) -> Vec<Node<'_>> {
    named(node).filter(|child| !child.is_extra()).collect()
}

/// What stands before a member's name; never "no receiver", which would make the member a free name.
pub(super) fn receiver(walker: &mut Walker<'_>, node: Node<'_>) -> u32 {
    match walker.expr_of(node) {
        NONE => walker.expr(ExprKind::Unknown, "", NONE, node),
        known => known,
    }
}

/// An expression over the one of `base`, unknown where that is.
pub(super) fn derived(walker: &mut Walker<'_>, kind: ExprKind, name: &str, base: Node<'_>, at: Node<'_>) -> u32 {
    match walker.expr_of(base) {
        NONE => NONE,
        base => walker.expr(kind, name, base, at),
    }
}

/// An expression over a known one, unknown where that is.
pub(super) fn over(walker: &mut Walker<'_>, kind: ExprKind, name: &str, base: u32, at: Node<'_>) -> u32 {
    if base == NONE { NONE } else { walker.expr(kind, name, base, at) }
}

/// What stands beside a test in its class is there for tests.
pub(super) fn mark_test_classes(walker: &mut Walker<'_>, _root: Node<'_>) {
    let defs = &mut walker.rows.defs;
    let mut is_suite = vec![false; defs.len()];
    for row in defs.iter().filter(|row| row.has(flag::TEST) && row.kind() == Kind::Method && row.parent != NONE) {
        is_suite[row.parent as usize] = true;
    }
    // A parent is always entered before its children.
    for index in 0..defs.len() {
        let parent = defs[index].parent as usize;
        if parent < index && (is_suite[parent] || defs[parent].has(flag::IN_TEST)) {
            defs[index].flags |= flag::IN_TEST;
        }
    }
}
