//! Finding things: files by name, text by content, code by shape.
//!
//! Each search takes the list of what there is from its caller, is bounded, says when it stopped at a bound, and answers in an
//! order that depends on nothing but its input.

pub mod ast;
pub mod contents;
pub mod detectors;
pub mod docs;
pub mod embed;
pub mod files;
pub mod grams;
pub mod rank;
pub mod semantic;
pub mod shape;
pub mod symbols;
pub mod text;
pub mod words;

/// The folders and files an answer is narrowed to: prefixes of whole path segments, from the root.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PathFilter {
    prefixes: Vec<String>,
}

impl PathFilter {
    /// Reads a list separated by commas. An empty list lets everything pass; `.` is the root.
    pub fn parse(list: &str) -> PathFilter {
        PathFilter::of(list.split(','))
    }

    /// Makes a filter of single prefixes.
    pub fn of<'a>(prefixes: impl IntoIterator<Item = &'a str>) -> PathFilter {
        let mut kept = Vec::new();
        for prefix in prefixes {
            let prefix = prefix.trim();
            if prefix.is_empty() {
                continue;
            }
            let prefix = prefix.trim_start_matches("./").trim_matches('/');
            kept.push(if prefix == "." { String::new() } else { prefix.to_owned() });
        }
        PathFilter { prefixes: kept }
    }

    /// Adds the prefixes of another filter: what either lets pass, passes. A filter without prefixes adds nothing.
    pub fn extend(&mut self, other: PathFilter) {
        self.prefixes.extend(other.prefixes);
    }

    /// Whether everything passes.
    pub fn is_empty(&self) -> bool {
        self.prefixes.is_empty()
    }

    /// Whether a path is one of the prefixes, or below one.
    pub fn admits(&self, path: &str) -> bool {
        self.prefixes.is_empty()
            || self.prefixes.iter().any(|prefix| {
                prefix.is_empty()
                    || path.strip_prefix(prefix.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
    }
}

/// The part of a line around a match, with at most about `max` bytes, cut between characters; bytes that are no UTF-8 are
/// shown as replacement characters. Line ends at the end are left out; an ellipsis stands where something was cut.
pub(crate) fn clip(line: &[u8], at: usize, len: usize, max: usize) -> String {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let at = at.min(line.len());
    if line.len() <= max {
        return String::from_utf8_lossy(line).into_owned();
    }
    // A third of the room that the match leaves goes before it.
    let before = max.saturating_sub(len) / 3;
    let start = at.saturating_sub(before).min(line.len() - max);
    let (start, end) = (boundary(line, start), boundary(line, start + max));
    let mut text = String::new();
    if start > 0 {
        text.push('…');
    }
    text += &String::from_utf8_lossy(&line[start..end]);
    if end < line.len() {
        text.push('…');
    }
    text
}

/// The next place at or before `at` that is not inside of a character, as far as the bytes are UTF-8.
fn boundary(bytes: &[u8], at: usize) -> usize {
    let inside = |at: usize| bytes.get(at).is_some_and(|byte| byte & 0xc0 == 0x80);
    (0..4).map(|back| at.saturating_sub(back)).find(|at| !inside(*at)).unwrap_or(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_are_whole_segments_from_the_root() {
        let filter = PathFilter::parse(" src , ./docs/a.md,größe/ ");
        for path in ["src", "src/a.py", "docs/a.md", "größe/x"] {
            assert!(filter.admits(path), "{path}");
        }
        for path in ["srcs/a.py", "lib/src/a.py", "docs/a.mdx", "größer"] {
            assert!(!filter.admits(path), "{path}");
        }
        for all in ["", " , ", ".", "./", "/"] {
            assert!(PathFilter::parse(all).admits("x/y"), "{all:?}");
        }
    }

    #[test]
    fn a_clipped_line_is_cut_between_characters() {
        let line = "→日本🏴‍☠️é".repeat(40);
        for max in 1..200 {
            for at in [0, 7, line.len() / 2, line.len()] {
                let text = clip(line.as_bytes(), at, 6, max);
                assert!(!text.contains('\u{fffd}'), "{max} {at}: {text}");
                assert!(line.contains(text.trim_matches('…')), "{max} {at}: {text}");
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_can_be_clipped(
            line in proptest::collection::vec(proptest::sample::select(&[10, 13, 65, 0xc3, 0xb6, 0xe2, 0x86, 0x92, 0xff][..]), 0..60),
            at in 0..70usize, len in 0..70usize, max in 0..70usize,
        ) {
            proptest::prop_assert!(clip(&line, at, len, max).len() <= 3 * (max + 4) + 6);
        }
    }

    #[test]
    fn a_clipped_line_shows_the_match() {
        let line = format!("{}needle{}\r\n", "a".repeat(1000), "b".repeat(1000));
        let text = clip(line.as_bytes(), 1000, 6, 60);
        assert!(text.contains("aneedleb") && text.starts_with('…') && text.ends_with('…') && text.len() <= 66, "{text}");
        assert_eq!(clip(b"short\r\n", 0, 5, 60), "short");
        assert_eq!(clip(b"gr\xf6\xdfe", 0, 1, 60), "gr\u{fffd}\u{fffd}e");
        assert_eq!(clip(b"", 0, 0, 60), "");
    }
}
