//! Small questions about trees that the languages with classes share: children by kind, types on one line, receivers.
//!
//! Knows shapes that grammars have in common, no single language.

use std::borrow::Cow;

use tree_sitter::Node;

use crate::facts::model::{ExprKind, Kind, NONE, Visibility, flag};
use crate::facts::walker::{NewDef, Walker, one_line};

/// The text of a node, on one line.
pub(super) fn line<'a>(walker: &Walker<'a>, node: Node<'_>) -> Cow<'a, str> {
    let text = walker.text(node);
    if text.contains(['\n', '\r', '\t']) { Cow::Owned(one_line(text, 240)) } else { Cow::Borrowed(text) }
}

/// The first named child of a kind.
pub(super) fn child_of_kind<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|child| child.kind() == kind)
}

/// Whether a node has a child without a name that is this word.
pub(super) fn has_word(node: Node<'_>, word: &str) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|child| !child.is_named() && child.kind() == word)
}

/// All named children that are no comments.
pub(super) fn named_children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| !child.is_extra()).collect()
}

/// The last named child that is no comment.
pub(super) fn last_named(node: Node<'_>) -> Option<Node<'_>> {
    named_children(node).pop()
}

/// The first named child that is no comment.
pub(super) fn first_named(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|child| !child.is_extra())
}

/// A dotted type's text without what stands in brackets: `Outer<T>.Inner` is `Outer.Inner`.
pub(super) fn without_arguments(text: &str, open: char, close: char) -> Cow<'_, str> {
    if !text.contains(open) {
        return Cow::Borrowed(text);
    }
    let mut depth = 0usize;
    let kept = text.chars().filter(|letter| {
        if *letter == open {
            depth += 1;
        } else if *letter == close {
            depth = depth.saturating_sub(1);
            return false;
        }
        depth == 0
    });
    Cow::Owned(kept.collect())
}

/// Whether a name looks like a type's: `Foo`, `T`; not `foo`, `LOGGER`.
pub(super) fn is_type_name(name: &str) -> bool {
    name.starts_with(char::is_uppercase) && (name.chars().count() == 1 || name.contains(char::is_lowercase))
}

/// What stands before a member's name; never "no receiver", which would make the member a free name.
pub(super) fn receiver(walker: &mut Walker<'_>, node: Node<'_>) -> u32 {
    match walker.expr_of(node) {
        NONE => walker.expr(ExprKind::Unknown, "", NONE, node),
        known => known,
    }
}

/// An expression over `base`, unknown where `base` is.
pub(super) fn derived(walker: &mut Walker<'_>, kind: ExprKind, name: &str, base: Node<'_>, at: Node<'_>) -> u32 {
    match walker.expr_of(base) {
        NONE => NONE,
        base => walker.expr(kind, name, base, at),
    }
}

/// A value of the type that is written at `ty`.
pub(super) fn typed(walker: &mut Walker<'_>, ty: Option<Node<'_>>, at: Node<'_>) -> u32 {
    let Some(ty) = ty else { return NONE };
    let text = line(walker, ty);
    walker.expr(ExprKind::Typed, &text, NONE, at)
}

/// Enters a class that has no name: `$1`, `$2`, .. of the definition around it.
pub(super) fn define_anonymous(walker: &mut Walker<'_>, node: Node<'_>, body: Option<Node<'_>>) -> u32 {
    let owner = walker.owner();
    let from = if owner == NONE { 0 } else { owner as usize };
    let siblings = walker.rows.defs[from..].iter().filter(|row| row.parent == owner && row.has(flag::ANONYMOUS)).count();
    let mut new = NewDef::new(Kind::Class, node, node).body(body).visibility(Visibility::Private);
    new.name = None;
    walker.define_named(new.flags(flag::ANONYMOUS), &format!("${}", siblings + 1))
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
