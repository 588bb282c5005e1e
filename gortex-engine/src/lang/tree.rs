//! Small questions about trees that the languages with classes share: children by kind, types on one line, receivers.
//!
//! Knows shapes that grammars have in common, no single language.

use std::borrow::Cow;

use tree_sitter::Node;

pub(super) use super::nodes::{child_of_kind, derived, line, mark_test_classes, named_children, receiver};

use super::children::named;
use crate::facts::model::{ExprKind, Kind, NONE, Visibility, flag};
use crate::facts::walker::{NewDef, Walker};

/// Whether a node has a child without a name that is this word.
pub(super) fn has_word(node: Node<'_>, word: &str) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|child| !child.is_named() && child.kind() == word)
}

/// The last named child that is no comment.
pub(super) fn last_named(node: Node<'_>) -> Option<Node<'_>> {
    named_children(node).pop()
}

/// The first named child that is no comment.
pub(super) fn first_named(node: Node<'_>) -> Option<Node<'_>> {
    named(node).find(|child| !child.is_extra())
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
