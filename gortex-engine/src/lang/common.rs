//! What several languages' hooks share: arguments and result use.
//!
//! Knows tree shapes that grammars have in common, no single language.

use std::cell::RefCell;
use std::hash::BuildHasher as _;
use std::num::NonZeroU16;

use rustc_hash::FxBuildHasher;
use tree_sitter::Node;

use super::Action;
use super::children::named;

/// Number of arguments in an argument list node, comments not counted.
pub(super) fn arg_count(list: Node<'_>) -> usize {
    named(list).filter(|child| !child.is_extra()).count()
}

/// Children by the name of their field, as [`Node::child_by_field_name`] gives them.
///
/// The grammar's own look-up compares the name with every field it has, for every node; extraction asks so often that the numbers
/// are worth remembering.
pub(crate) trait Fields<'t> {
    /// The child of this field.
    fn field(&self, name: &'static str) -> Option<Node<'t>>;
}

/// Grammar, address and length of the name, the field's number.
type Remembered = (u64, usize, usize, u16);

/// A power of two well above what one grammar's hooks ask for.
const REMEMBERED: usize = 1024;

thread_local! {
    static FIELDS: RefCell<Box<[Remembered]>> = RefCell::new(vec![(0, 0, 0, 0); REMEMBERED].into());
}

impl<'t> Fields<'t> for Node<'t> {
    fn field(&self, name: &'static str) -> Option<Node<'t>> {
        let language = self.language();
        let (grammar, address) = (FxBuildHasher.hash_one(&*language), name.as_ptr() as usize);
        let slot = (grammar as usize ^ address ^ name.len()) & (REMEMBERED - 1);
        let id = FIELDS.with_borrow_mut(|fields| {
            let known = &mut fields[slot];
            if (known.0, known.1, known.2) != (grammar, address, name.len()) {
                *known = (grammar, address, name.len(), language.field_id_for_name(name).map_or(0, NonZeroU16::get));
            }
            known.3
        });
        if id == 0 { None } else { self.child_by_field_id(id) }
    }
}

/// The node kinds around a call that tell what its result is used for. Kinds not listed say nothing.
#[derive(Debug)]
pub struct UsageKinds {
    /// Passed through: parentheses, `await`, `?`.
    pub transparent: &'static [&'static str],
    /// An expression standing as a statement.
    pub statement: &'static [&'static str],
    /// Declarations and assignments.
    pub assignment: &'static [&'static str],
    /// `return`.
    pub returns: &'static [&'static str],
    /// Argument lists.
    pub argument: &'static [&'static str],
    /// Branches and loops whose direct child is the condition.
    pub condition: &'static [&'static str],
    /// Concurrent starts.
    pub spawn: &'static [&'static str],
    /// Deferred calls.
    pub defer: &'static [&'static str],
}

impl UsageKinds {
    /// Says nothing about any call.
    pub const NONE: UsageKinds = UsageKinds {
        transparent: &[],
        statement: &[],
        assignment: &[],
        returns: &[],
        argument: &[],
        condition: &[],
        spawn: &[],
        defer: &[],
    };
}

/// Runs a test body on a stack like that of an indexing thread; an unoptimised build needs more than a test thread has.
#[cfg(test)]
pub(crate) fn with_stack(body: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(16 << 20).spawn(body);
    thread.expect("a thread").join().expect("no panic");
}

/// One table after another: what a family shares and what a language adds. `N` is the sum of both lengths.
pub(super) const fn joined<const A: usize, const B: usize, const N: usize>(
    shared: [(&'static str, Action); A],
    own: [(&'static str, Action); B],
) -> [(&'static str, Action); N] {
    assert!(A + B == N, "the length of a joined table is the sum of its parts");
    let mut out = [("", Action::Descend); N];
    let mut at = 0;
    while at < N {
        out[at] = if at < A { shared[at] } else { own[at - A] };
        at += 1;
    }
    out
}
