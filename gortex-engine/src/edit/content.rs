//! What becomes of the bytes of one file: the part that single edits, batches and renames share.
//!
//! A change is applied to bytes in memory and gives bytes; guards, the parse gate and the disk come before and after.
//!
//! Knows nothing of paths beyond their name in error texts.

use super::EditError;
use super::hash::git_blob_sha1;
use super::text::{self, LineRange, byte_range, line_starts};

/// Finds the lines of a symbol in the bytes of its file as they are now; the error says why there are none.
pub type Locate<'a> = &'a (dyn Fn(&[u8]) -> Result<LineRange, String> + Sync);

/// A symbol, and how to find it.
#[derive(Clone)]
pub struct Within<'a> {
    /// The symbol, for error texts.
    pub symbol: String,
    /// Finds its lines.
    pub locate: Locate<'a>,
}

/// One place of a multi-file rewrite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The line, counted from 1.
    pub line: u32,
    /// Byte columns in that line, counted from 0, end excluded.
    pub cols: std::ops::Range<u32>,
    /// What stands there.
    pub old: String,
    /// What is to stand there.
    pub new: String,
    /// The whole line (without its end) that the plan was made from, when it must still read like that.
    pub line_text: Option<String>,
}

/// A change of one file's content.
#[derive(Clone)]
pub enum Content<'a> {
    /// Puts one text in the place of another.
    Replace {
        /// The text to find.
        old: String,
        /// The text to put.
        new: String,
        /// Every match instead of the only one.
        replace_all: bool,
        /// How many matches there must be.
        expected_occurrences: Option<u32>,
        /// Only inside this symbol.
        within: Option<Within<'a>>,
    },
    /// The whole file, which may be new.
    Whole(Vec<u8>),
    /// Several places, each verified.
    Places(Vec<Place>),
}

/// The content after a change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Made {
    pub bytes: Vec<u8>,
    pub replacements: Option<usize>,
    pub eol_normalized: bool,
    pub start_line: Option<u32>,
    pub lines_before: Option<u32>,
    pub lines_after: Option<u32>,
}

impl Content<'_> {
    /// The word for this change in plans and receipts.
    pub fn op(&self) -> &'static str {
        match self {
            Self::Replace { within: Some(_), .. } => "edit_symbol",
            Self::Replace { within: None, .. } => "edit_file",
            Self::Whole(_) => "write_file",
            Self::Places(_) => "rewrite",
        }
    }

    /// True when the file need not exist.
    pub(super) fn may_create(&self) -> bool {
        matches!(self, Self::Whole(_))
    }

    /// The symbol, if this is about one.
    pub(super) fn symbol(&self) -> Option<&str> {
        match self {
            Self::Replace { within: Some(within), .. } => Some(&within.symbol),
            _ => None,
        }
    }

    /// Everything that makes this change differ from another one, as fields for a fingerprint.
    pub(super) fn identity(&self) -> Vec<Vec<u8>> {
        match self {
            Self::Replace { old, new, replace_all, expected_occurrences, within } => vec![
                self.op().into(),
                old.as_bytes().into(),
                new.as_bytes().into(),
                format!("{replace_all} {expected_occurrences:?}").into(),
                within.as_ref().map(|within| within.symbol.as_bytes().to_vec()).unwrap_or_default(),
            ],
            Self::Whole(content) => vec![self.op().into(), content.clone()],
            Self::Places(places) => {
                let mut fields = vec![self.op().as_bytes().to_vec()];
                fields.extend(places.iter().map(|place| format!("{place:?}").into_bytes()));
                fields
            }
        }
    }

    /// Applies the change to the bytes of a file, `None` for one that does not exist.
    pub(super) fn apply(&self, path: &str, current: Option<&[u8]>) -> Result<Made, EditError> {
        let missing = || EditError::FileNotFound { path: path.to_owned() };
        match self {
            Self::Whole(content) => Ok(Made { bytes: content.clone(), ..Made::default() }),
            Self::Places(places) => rewrite(path, current.ok_or_else(missing)?, places),
            Self::Replace { old, new, replace_all, expected_occurrences, within } => {
                let current = current.ok_or_else(missing)?;
                let region = within.as_ref().map(|within| locate(path, current, within)).transpose()?;
                let done = text::replace(
                    current,
                    &text::Request {
                        path,
                        old: old.as_bytes(),
                        new: new.as_bytes(),
                        replace_all: *replace_all,
                        expected: *expected_occurrences,
                        region,
                    },
                )?;
                Ok(Made {
                    bytes: done.bytes,
                    replacements: Some(done.count),
                    eol_normalized: done.eol_normalized,
                    start_line: Some(done.start_line),
                    lines_before: Some(done.lines_before),
                    lines_after: Some(done.lines_after),
                })
            }
        }
    }
}

fn locate(path: &str, current: &[u8], within: &Within<'_>) -> Result<LineRange, EditError> {
    let no_range = |reason| EditError::NoRange { symbol: within.symbol.clone(), path: path.to_owned(), reason };
    let lines = (within.locate)(current).map_err(no_range)?;
    match byte_range(current, &line_starts(current), lines) {
        Some(_) => Ok(lines),
        None => Err(no_range(format!("its lines {}-{} are beyond the end of the file", lines.first, lines.last))),
    }
}

/// Verifies every place, then rewrites them from the last to the first so that columns stay true.
fn rewrite(path: &str, current: &[u8], places: &[Place]) -> Result<Made, EditError> {
    let starts = line_starts(current);
    let mut spans = Vec::with_capacity(places.len());
    for place in places {
        let stale = || EditError::StaleIndex { path: path.to_owned(), line: place.line };
        let lines = LineRange { first: place.line, last: place.line };
        let range = byte_range(current, &starts, lines).ok_or_else(stale)?;
        let line = &current[range.clone()];
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let cols = place.cols.start as usize..place.cols.end as usize;
        let same_text = line.get(cols.clone()) == Some(place.old.as_bytes());
        let same_line = place.line_text.as_ref().is_none_or(|text| text.as_bytes() == line);
        if !same_text || !same_line {
            return Err(stale());
        }
        spans.push((range.start + cols.start, range.start + cols.end, place));
    }
    spans.sort_by_key(|(start, end, _)| (*start, *end));
    let mut bytes = Vec::with_capacity(current.len());
    let mut copied = 0;
    for (start, end, place) in &spans {
        if *start < copied {
            let problem = format!("names overlapping places at {path}:{}", place.line);
            return Err(EditError::invalid("replacements", problem));
        }
        bytes.extend_from_slice(&current[copied..*start]);
        bytes.extend_from_slice(place.new.as_bytes());
        copied = *end;
    }
    bytes.extend_from_slice(&current[copied..]);
    Ok(Made { bytes, replacements: Some(spans.len()), ..Made::default() })
}

/// Compares a guard with the file as it is.
pub(super) fn check_guard(path: &str, guard: Option<&str>, current: Option<&[u8]>) -> Result<(), EditError> {
    let Some(expected) = guard else { return Ok(()) };
    let actual = current.map(git_blob_sha1);
    if actual.as_deref().is_some_and(|actual| actual.eq_ignore_ascii_case(expected)) {
        return Ok(());
    }
    Err(EditError::Stale { path: path.to_owned(), expected: Some(expected.to_owned()), current: actual })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(line: u32, cols: std::ops::Range<u32>, old: &str, new: &str) -> Place {
        Place { line, cols, old: old.to_owned(), new: new.to_owned(), line_text: None }
    }

    #[track_caller]
    fn check(file: &str, places: Vec<Place>, expected: Result<&str, &str>) {
        let made = Content::Places(places).apply("f", Some(file.as_bytes()));
        let made = made.map(|made| String::from_utf8(made.bytes).unwrap()).map_err(|error| error.to_string());
        assert_eq!(made.as_deref().map_err(String::as_str), expected);
    }

    #[test]
    fn places_are_rewritten_by_column_in_any_order() {
        check(
            "scale(scale(1));\r\n\"scale\" scale\n",
            vec![place(2, 8..13, "scale", "x"), place(1, 6..11, "scale", "double"), place(1, 0..5, "scale", "double")],
            Ok("double(double(1));\r\n\"scale\" x\n"),
        );
        check("ü = a", vec![place(1, 5..6, "a", "b")], Ok("ü = b"));
    }

    #[test]
    fn a_line_that_reads_otherwise_stops_everything() {
        let stale = |line| format!("f:{line} no longer reads as it did when the plan was made; index again and repeat");
        check("a\nb\n", vec![place(1, 0..1, "a", "x"), place(2, 0..1, "c", "x")], Err(&stale(2)));
        check("a\n", vec![place(2, 0..0, "", "x")], Err(&stale(2)));
        check("a\r\n", vec![place(1, 1..2, "\r", "x")], Err(&stale(1)));
        let whole = Place { line_text: Some("a b".to_owned()), ..place(1, 0..1, "a", "x") };
        check("a c\n", vec![whole.clone()], Err(&stale(1)));
        check("a b\r\n", vec![whole], Ok("x b\r\n"));
    }

    #[test]
    fn overlapping_places_are_refused() {
        check(
            "abc",
            vec![place(1, 0..2, "ab", "x"), place(1, 1..3, "bc", "y")],
            Err("`replacements` names overlapping places at f:1"),
        );
    }
}
