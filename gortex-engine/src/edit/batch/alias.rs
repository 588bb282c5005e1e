//! Two names for one file, and names that some disk would take for one.
//!
//! Hard links, a link next to its target, and spellings that differ only by case or Unicode form are refused within one batch:
//! applied to both names, the items would work on the same bytes, or on one file on one disk and two on another.
//!
//! Knows nothing of what the items do.

use super::super::disk;
use super::super::roots::Target;
use std::collections::BTreeMap;
use unicode_normalization::UnicodeNormalization as _;

/// Why two paths can't be in one batch, as the end of a sentence; `None` when they can.
pub(super) fn collision(one: &Target, other: &Target) -> Option<&'static str> {
    if one.abs == other.abs {
        return (one.link != other.link).then_some("one is a link to the other");
    }
    if one.exists && other.exists {
        let same = disk::identity(&one.abs).is_some_and(|identity| Some(identity) == disk::identity(&other.abs));
        return same.then_some("both are names of one file");
    }
    (folded(one) == folded(other)).then_some("their names differ only by case or Unicode form")
}

/// A form under which names that some disk takes for one are equal.
fn folded(target: &Target) -> String {
    let name = target.abs.to_string_lossy();
    name.nfc().collect::<String>().to_lowercase().nfc().collect()
}

/// All pairs of different targets that collide, by index, each with its reason. Compared by groups, not all with all.
pub(super) fn collisions(targets: &[(usize, &Target)]) -> Vec<(usize, usize, &'static str)> {
    let mut found = Vec::new();
    let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, (_, target)) in targets.iter().enumerate() {
        groups.entry(format!("name {}", folded(target))).or_default().push(at);
        if let Some(identity) = target.exists.then(|| disk::identity(&target.abs)).flatten() {
            groups.entry(format!("file {identity:?}")).or_default().push(at);
        }
    }
    for group in groups.values() {
        for (first, one) in group.iter().enumerate() {
            for other in &group[first + 1..] {
                if let Some(reason) = collision(targets[*one].1, targets[*other].1) {
                    found.push((targets[*one].0, targets[*other].0, reason));
                }
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}
