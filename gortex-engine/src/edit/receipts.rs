//! What was written lately, by key: so that a repeated request is answered and not done again.
//!
//! Kept in memory, for 30 minutes and for the last thousand writes. Durable receipts are those of batches.
//!
//! Knows nothing of how a write is done.

use super::{EditError, Outcome};
use parking_lot::Mutex;
use std::collections::BTreeMap;

const KEPT_MS: u64 = 30 * 60 * 1000;
const MOST: usize = 1000;
/// The longest key.
const KEY_CHARS: usize = 200;

#[derive(Debug, Clone)]
struct Entry {
    at_ms: u64,
    order: u64,
    fingerprint: String,
    outcome: Outcome,
}

/// The receipts of one editor.
#[derive(Debug, Default)]
pub(super) struct Receipts {
    entries: Mutex<(u64, BTreeMap<String, Entry>)>,
}

impl Receipts {
    /// The answer given for this key before; an error when the key was used for something else.
    pub(super) fn replay(&self, id: &str, fingerprint: &str, now_ms: u64) -> Result<Option<Outcome>, EditError> {
        let mut entries = self.entries.lock();
        drop_old(&mut entries.1, now_ms);
        match entries.1.get(id) {
            Some(entry) if entry.fingerprint == fingerprint => Ok(Some(entry.outcome.clone())),
            Some(_) => Err(EditError::IdempotencyConflict { id: id.to_owned() }),
            None => Ok(None),
        }
    }

    /// Looks a receipt up by its key.
    pub(super) fn find(&self, id: &str, now_ms: u64) -> Option<Outcome> {
        let mut entries = self.entries.lock();
        drop_old(&mut entries.1, now_ms);
        entries.1.get(id).map(|entry| entry.outcome.clone())
    }

    /// Remembers an answer.
    pub(super) fn keep(&self, id: &str, fingerprint: String, outcome: Outcome, now_ms: u64) {
        let mut entries = self.entries.lock();
        entries.0 += 1;
        let order = entries.0;
        entries.1.insert(id.to_owned(), Entry { at_ms: now_ms, order, fingerprint, outcome });
        if entries.1.len() > MOST {
            let oldest = entries.1.iter().min_by_key(|(_, entry)| entry.order).map(|(id, _)| id.clone());
            oldest.and_then(|id| entries.1.remove(&id));
        }
    }
}

fn drop_old(entries: &mut BTreeMap<String, Entry>, now_ms: u64) {
    entries.retain(|_, entry| now_ms.saturating_sub(entry.at_ms) < KEPT_MS);
}

/// Refuses keys that are empty, too long, or contain control characters.
pub(super) fn check_key(field: &'static str, id: &str) -> Result<(), EditError> {
    if id.is_empty() {
        return Err(EditError::invalid(field, "is empty"));
    }
    if id.chars().count() > KEY_CHARS {
        return Err(EditError::invalid(field, format!("is longer than {KEY_CHARS} characters")));
    }
    if id.chars().any(char::is_control) {
        return Err(EditError::invalid(field, "contains control characters"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Sandbox, whole};
    use super::*;

    #[test]
    fn only_the_last_thousand_are_kept() {
        let outcome = Sandbox::new(&[]).show(&whole("a", "x")).unwrap();
        let receipts = Receipts::default();
        for id in 0..=MOST {
            receipts.keep(&id.to_string(), String::new(), outcome.clone(), 0);
        }
        assert!(receipts.find("0", 0).is_none());
        assert!(receipts.find("1", 0).is_some() && receipts.find(&MOST.to_string(), 0).is_some());
    }
}
