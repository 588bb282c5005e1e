//! Definitions and imports by where their text stands, for formats that are lines and have no tree worth asking.
//!
//! Knows lines and rows; what a line means is said in `lang/`.

use super::Walker;
use super::{SIGNATURE_BYTES, one_line};
use crate::facts::model::{DefRow, ImportRow, Kind, NONE, Str, Visibility, import_flag};

/// A piece of one line of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Its first byte.
    pub start: usize,
    /// The byte behind its last.
    pub end: usize,
    row: usize,
    column: usize,
}

impl Span {
    /// A part of it, by bytes from its start.
    pub fn part(self, from: usize, to: usize) -> Span {
        let length = self.end - self.start;
        let (from, to) = (from.min(length), to.min(length));
        Span { start: self.start + from, end: self.start + to.max(from), row: self.row, column: self.column + from }
    }

    /// The part of it that `inner`, a piece of its text, is.
    pub fn of(self, text: &str, inner: &str) -> Span {
        let from = (inner.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
        self.part(from, from + inner.len())
    }
}

impl<'a> Walker<'a> {
    /// The lines of the file with their text, line ends left out; lines that are not UTF-8 are empty.
    pub fn lines(&self) -> impl Iterator<Item = (Span, &'a str)> + use<'a> {
        let source = self.source;
        let mut start = 0;
        source.split(|byte| *byte == b'\n').enumerate().map(move |(row, line)| {
            let text = std::str::from_utf8(line).unwrap_or("").trim_end_matches('\r');
            let span = Span { start, end: start + text.len(), row, column: 0 };
            start += line.len() + 1;
            (span, text)
        })
    }

    /// Enters a definition that is one piece of a line; what is shown of it is that piece and no more.
    pub fn define_span(&mut self, kind: Kind, whole: Span, place: Span, name: &str) -> u32 {
        let signature = one_line(self.slice(whole.start, whole.end), SIGNATURE_BYTES);
        let row = DefRow {
            name: self.intern(name),
            parent: self.owner(),
            owner_type: Str::EMPTY,
            start: whole.start as u32,
            end: whole.end as u32,
            name_at: place.start as u32,
            start_line: whole.row as u32 + 1,
            end_line: whole.row as u32 + 1,
            name_line: place.row as u32 + 1,
            name_col: place.column.min(u16::MAX as usize) as u16,
            params: u16::MAX,
            signature: self.intern(&signature),
            doc: Str::EMPTY,
            ty: Str::EMPTY,
            init: NONE,
            kind: kind as u8,
            visibility: Visibility::Unknown as u8,
            flags: 0,
        };
        self.rows.defs.push(row);
        self.rows.defs.len() as u32 - 1
    }

    /// Records that the file names another file of the tree.
    pub fn import_span(&mut self, place: Span, module: &str) {
        let row = ImportRow {
            module: self.intern(module),
            name: Str::EMPTY,
            alias: Str::EMPTY,
            owner: self.owner(),
            at: place.start as u32,
            line: place.row as u32 + 1,
            col: place.column.min(u16::MAX as usize) as u16,
            flags: import_flag::MODULE,
        };
        self.rows.imports.push(row);
    }
}
