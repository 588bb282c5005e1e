//! Counts of a day, in a file of that day.
//!
//! Several processes count at the same time, so a file is read, added to and replaced under a lock.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// The marker of the last day that was sent.
pub(super) const SENT: &str = "sent.json";

/// What was counted, by day and counter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rollup {
    days: BTreeMap<String, BTreeMap<String, u64>>,
    /// Distinct counters over all days.
    len: usize,
}

/// One day's file.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Day {
    /// `2026-12-01`, UTC.
    pub day: String,
    /// Counters: `key` or `key:dimension`.
    pub counts: BTreeMap<String, u64>,
}

impl Rollup {
    /// Distinct counters.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(super) fn add(&mut self, day: String, counter: String, by: u64) {
        let counts = self.days.entry(day).or_default();
        let before = counts.len();
        let count = counts.entry(counter).or_default();
        *count = count.saturating_add(by);
        self.len += counts.len() - before;
    }

    /// Adds everything to the files of a folder.
    pub(super) fn merge_into(&self, folder: &Path) -> io::Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        std::fs::create_dir_all(folder)?;
        let lock = File::create(folder.join("lock"))?;
        lock.lock()?;
        for (day, counts) in &self.days {
            let path = file_of(folder, day);
            let mut kept = read(&path).unwrap_or_else(|| Day { day: day.clone(), counts: BTreeMap::new() });
            for (counter, count) in counts {
                let total = kept.counts.entry(counter.clone()).or_default();
                *total = total.saturating_add(*count);
            }
            replace(&path, &serde_json::to_vec(&kept)?)?;
        }
        Ok(())
    }
}

fn file_of(folder: &Path, day: &str) -> PathBuf {
    folder.join(format!("{day}.json"))
}

/// A day's file; a damaged one is as good as none.
fn read(path: &Path) -> Option<Day> {
    serde_json::from_slice(&std::fs::read(path).ok()?).ok()
}

/// The days of a folder, oldest first.
pub fn days(folder: &Path) -> Vec<Day> {
    let mut found: Vec<Day> = files(folder).into_iter().filter_map(|path| read(&path)).collect();
    found.sort_by(|a, b| a.day.cmp(&b.day));
    found
}

/// The files of days in a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let is_day = |path: &PathBuf| {
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        path.extension().is_some_and(|end| end == "json") && stem.len() == 10 && stem.starts_with(|c: char| c.is_ascii_digit())
    };
    entries.map(|entry| entry.path()).filter(is_day).collect()
}

/// Deletes what was counted and the mark of the last sending.
pub(super) fn delete_all(folder: &Path) -> io::Result<()> {
    for path in files(folder).into_iter().chain([folder.join(SENT), folder.join("lock")]) {
        match std::fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// Writes a file as a whole or not at all.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or_else(|| Path::new("."));
    let mut temporary = tempfile::NamedTempFile::new_in(folder)?;
    temporary.write_all(bytes)?;
    temporary.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Seconds since 1970.
pub(super) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// The current day in UTC.
pub(super) fn today() -> String {
    day_of(now())
}

/// The day of a time: Howard Hinnant's algorithm for the civil calendar ("chrono-compatible low-level date algorithms").
pub(super) fn day_of(seconds: u64) -> String {
    let days = seconds / 86_400 + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}
