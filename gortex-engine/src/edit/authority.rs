//! The token without which nothing is written.
//!
//! [`FileAuthority`] has no size, no public constructor and no `Clone`: whoever holds a reference to it was given it by the one
//! who opened the editor. Planning and previewing need none, so a read operation can't write by mistake: it does not compile.
//!
//! Knows nothing of files.

use std::sync::atomic::{AtomicBool, Ordering};

/// The right to change files of the tracked roots. One for each [`super::Editor`], handed out exactly once.
#[derive(Debug)]
pub struct FileAuthority {
    _private: (),
}

/// Where the one authority of an editor is taken from.
#[derive(Debug, Default)]
pub(super) struct AuthoritySlot {
    taken: AtomicBool,
}

impl AuthoritySlot {
    /// The authority on the first call, `None` ever after.
    pub(super) fn take(&self) -> Option<FileAuthority> {
        let first = !self.taken.swap(true, Ordering::AcqRel);
        first.then_some(FileAuthority { _private: () })
    }
}

/// Whether a call looks or writes. Only the latter can be built from an authority.
#[derive(Debug, Clone, Copy)]
pub enum Mode<'a> {
    /// Validates everything, writes nothing: no lock file, no temporary file.
    Preview,
    /// Writes.
    Commit(&'a FileAuthority),
}

impl Mode<'_> {
    /// True for [`Mode::Preview`].
    pub fn is_preview(self) -> bool {
        matches!(self, Self::Preview)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_authority_is_given_once() {
        let slot = AuthoritySlot::default();
        assert!(slot.take().is_some());
        assert!(slot.take().is_none());
    }
}
