//! Where a session stands in the graph, and how it came there.
//!
//! Ids, not node numbers: they mean the same symbol in the next generation, or nothing.

use std::collections::VecDeque;

/// Steps back that are remembered.
const HISTORY: usize = 256;

/// The cursor of one session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    current: Option<String>,
    history: VecDeque<String>,
}

impl Cursor {
    /// Where it stands.
    pub fn current(&self) -> Option<&str> {
        self.current.as_deref()
    }

    /// How many steps back there are.
    pub fn history_size(&self) -> usize {
        self.history.len()
    }

    /// Goes to a symbol; where it stood is a step back from now on.
    pub fn go(&mut self, id: String) {
        if let Some(before) = self.current.replace(id) {
            self.history.push_back(before);
        }
        if self.history.len() > HISTORY {
            self.history.pop_front();
        }
    }

    /// Steps back to the newest place that still exists; false when there is none, and then nothing changes but that places
    /// that are gone are forgotten.
    pub fn back(&mut self, exists: impl Fn(&str) -> bool) -> bool {
        while let Some(id) = self.history.pop_back() {
            if exists(&id) {
                self.current = Some(id);
                return true;
            }
        }
        false
    }

    /// Forgets where it stands if that is gone; true when it was.
    pub fn forget_gone(&mut self, exists: impl Fn(&str) -> bool) -> bool {
        let gone = self.current.as_deref().is_some_and(|id| !exists(id));
        if gone {
            self.current = None;
        }
        gone
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_lead_back_over_what_is_gone() {
        let mut cursor = Cursor::default();
        for id in ["a", "é", "c"] {
            cursor.go(id.to_owned());
        }
        assert!(cursor.back(|id| id == "a"));
        assert_eq!((cursor.current(), cursor.history_size()), (Some("a"), 0));
        assert!(!cursor.back(|_| true));
        assert!(cursor.forget_gone(|_| false) && cursor.current().is_none());
        assert!(!cursor.forget_gone(|_| false));
    }

    #[test]
    fn the_history_is_bounded() {
        let mut cursor = Cursor::default();
        (0..HISTORY + 10).for_each(|at| cursor.go(at.to_string()));
        assert_eq!(cursor.history_size(), HISTORY);
    }
}
