//! The names that linking looks up: an interner that outlives one generation.
//!
//! Numbers are given in the order of arrival and never change, so that what one generation resolved can be read by the next.
//! They are no order: nothing that leaves the linker may depend on them.
//!
//! Knows texts only.

use std::hash::BuildHasher as _;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use crate::facts::model::NONE;

/// A name's number.
pub(crate) type NameId = u32;

/// Texts with their numbers.
#[derive(Debug, Default)]
pub(crate) struct Names {
    index: HashTable<NameId>,
    offsets: Vec<u32>,
    bytes: String,
}

impl Names {
    /// The number of a text, which is entered if it is new.
    pub fn enter(&mut self, text: &str) -> NameId {
        let hash = FxBuildHasher.hash_one(text);
        if let Some(found) = self.index.find(hash, |id| self.text(*id) == text) {
            return *found;
        }
        let id = self.offsets.len() as NameId;
        self.bytes.push_str(text);
        self.offsets.push(self.bytes.len() as u32);
        let (offsets, bytes) = (&self.offsets, &self.bytes);
        self.index.insert_unique(hash, id, |other| FxBuildHasher.hash_one(slice(offsets, bytes, *other)));
        id
    }

    /// The number of a text, or `NONE`.
    pub fn get(&self, text: &str) -> NameId {
        self.index.find(FxBuildHasher.hash_one(text), |id| self.text(*id) == text).copied().unwrap_or(NONE)
    }

    /// The text of a number; empty for one that was never given.
    pub fn text(&self, id: NameId) -> &str {
        slice(&self.offsets, &self.bytes, id)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.offsets.len()
    }
}

fn slice<'b>(offsets: &[u32], bytes: &'b str, id: NameId) -> &'b str {
    let at = id as usize;
    let from = at.checked_sub(1).and_then(|before| offsets.get(before)).copied().unwrap_or(0);
    offsets.get(at).and_then(|to| bytes.get(from as usize..*to as usize)).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_share_a_number_and_read_back() {
        let mut names = Names::default();
        let ids: Vec<NameId> = (0..1000).map(|at| names.enter(&format!("n{at}"))).collect();
        assert_eq!(names.enter(""), 1000);
        assert_eq!(names.len(), 1001);
        for (at, id) in ids.iter().enumerate() {
            assert_eq!(names.text(*id), format!("n{at}"));
            assert_eq!(names.get(&format!("n{at}")), *id);
        }
        assert_eq!(names.text(1000), "");
        assert_eq!((names.get("absent"), names.text(5000)), (NONE, ""));
    }
}
