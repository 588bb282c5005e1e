//! What comes with a language: its modules, its functions without an import, its types.
//!
//! The words stand in `known.txt`, a section for each question. A word that is missing there is not guessed: a module becomes a
//! package of its own, a bare name stays unbound.
//!
//! Knows words only.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

/// Section and word, with the path of a pair.
static KNOWN: LazyLock<FxHashMap<(&str, &str), &str>> = LazyLock::new(|| {
    let mut section = "";
    let mut found = FxHashMap::default();
    for line in include_str!("known.txt").lines().filter(|line| !line.starts_with('#')) {
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            section = name;
            continue;
        }
        for word in line.split_whitespace() {
            let (word, path) = word.split_once('=').unwrap_or((word, ""));
            found.insert((section, word), path);
        }
    }
    found
});

/// Whether a section has a word.
pub(super) fn has(section: &'static str, word: &str) -> bool {
    path(section, word).is_some()
}

/// The path that a section gives a word.
pub(super) fn path(section: &'static str, word: &str) -> Option<&'static str> {
    KNOWN.get(&(section, word)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_answer_for_their_own_words() {
        assert!(has("python modules", "os") && !has("python modules", "requests"));
        assert!(has("python submodules", "os.path") && has("node modules", "fs"));
        assert_eq!(path("rust prelude", "Vec"), Some("vec::Vec"));
        assert_eq!(path("c functions", "printf"), Some("stdio.h"));
        assert!(!has("no such section", "os"));
    }
}
