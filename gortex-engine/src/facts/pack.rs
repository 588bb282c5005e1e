//! One file's facts as one aligned buffer.
//!
//! Layout: a header of `u32` counts, then the row sections in the order of [`Header`], then the string table. The buffer is
//! written to the snapshot as it is; reading it back is a bounds check per section.
//!
//! Knows the rows' sizes, not their meaning.

use std::hash::BuildHasher as _;
use std::sync::Arc;

use hashbrown::HashTable;
use memmap2::Mmap;
use rustc_hash::FxBuildHasher;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use super::model::{BindRow, ClueRow, DefRow, ExportRow, ExprRow, GenericRow, ImportRow, RefRow, Str, SuperRow};

/// Counts and file-level facts at the head of the buffer.
#[derive(Clone, Copy, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct Header {
    pub(crate) defs: u32,
    pub(crate) refs: u32,
    pub(crate) exprs: u32,
    pub(crate) binds: u32,
    pub(crate) imports: u32,
    pub(crate) exports: u32,
    pub(crate) supers: u32,
    pub(crate) generics: u32,
    pub(crate) clues: u32,
    pub(crate) strings: u32,
    pub(crate) string_bytes: u32,
    /// Number of lines.
    pub lines: u32,
    /// Number of places the grammar could not make sense of.
    pub parse_errors: u32,
    /// Line of the first such place, or 0.
    pub first_error_line: u32,
    /// The package, module or namespace the file declares, or empty.
    pub package: Str,
    /// The file's own doc comment, or empty.
    pub doc: Str,
    /// Bits of [`file_flag`].
    pub flags: u32,
}

/// Marks of a file, as bits of [`Header::flags`].
pub mod file_flag {
    /// Nesting was deeper than the walk follows, or parsing was given up: facts are incomplete.
    pub const PARTIAL: u32 = 1;
    /// Runs by itself (`if __name__ == "__main__"`, a shebang).
    pub const SCRIPT: u32 = 1 << 1;
}

/// A string table under construction; equal texts share one entry.
#[derive(Debug)]
pub struct Strings {
    /// By hash of the text; the texts themselves stand in `bytes` alone.
    index: HashTable<Str>,
    offsets: Vec<u32>,
    bytes: Vec<u8>,
}

impl Default for Strings {
    fn default() -> Self {
        Strings::new()
    }
}

impl Strings {
    /// A table that holds the empty string.
    pub fn new() -> Self {
        let mut table = Strings { index: HashTable::new(), offsets: vec![0], bytes: Vec::new() };
        table.add("");
        table
    }

    /// Forgets all texts but the empty one; keeps the memory.
    pub fn clear(&mut self) {
        self.index.clear();
        self.offsets.truncate(1);
        self.bytes.clear();
        self.add("");
    }

    /// How many texts there are.
    pub(crate) fn count(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Enters a text, or finds it.
    pub fn add(&mut self, text: &str) -> Str {
        let hash = FxBuildHasher.hash_one(text.as_bytes());
        let (offsets, bytes) = (&self.offsets, &self.bytes);
        if let Some(found) = self.index.find(hash, |id| slice(offsets, bytes, *id) == text.as_bytes()) {
            return *found;
        }
        let id = Str(self.offsets.len() as u32 - 1);
        self.bytes.extend_from_slice(text.as_bytes());
        self.offsets.push(self.bytes.len() as u32);
        let (offsets, bytes) = (&self.offsets, &self.bytes);
        self.index.insert_unique(hash, id, |other| FxBuildHasher.hash_one(slice(offsets, bytes, *other)));
        id
    }

    /// Number of texts.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there is no text, not even the empty one.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The text of an entry.
    pub fn get(&self, id: Str) -> &str {
        std::str::from_utf8(slice(&self.offsets, &self.bytes, id)).unwrap_or("")
    }
}

fn slice<'b>(offsets: &[u32], bytes: &'b [u8], id: Str) -> &'b [u8] {
    let at = id.0 as usize;
    &bytes[offsets[at] as usize..offsets[at + 1] as usize]
}

/// The rows of one file before they are packed.
#[derive(Debug, Default)]
pub struct Rows {
    pub(crate) header: Header,
    pub(crate) defs: Vec<DefRow>,
    pub(crate) refs: Vec<RefRow>,
    pub(crate) exprs: Vec<ExprRow>,
    pub(crate) binds: Vec<BindRow>,
    pub(crate) imports: Vec<ImportRow>,
    pub(crate) exports: Vec<ExportRow>,
    pub(crate) supers: Vec<SuperRow>,
    pub(crate) generics: Vec<GenericRow>,
    pub(crate) clues: Vec<ClueRow>,
}

impl Rows {
    /// Forgets all rows; keeps the memory.
    pub(crate) fn clear(&mut self) {
        // Taken apart by name: a section that is forgotten here would pass from one file to the next.
        let Rows { header, defs, refs, exprs, binds, imports, exports, supers, generics, clues } = self;
        *header = Header::default();
        defs.clear();
        refs.clear();
        exprs.clear();
        binds.clear();
        imports.clear();
        exports.clear();
        supers.clear();
        generics.clear();
        clues.clear();
    }

    /// Packs rows and strings into one buffer.
    pub fn pack(&mut self, strings: &Strings) -> Facts {
        self.header.defs = self.defs.len() as u32;
        self.header.refs = self.refs.len() as u32;
        self.header.exprs = self.exprs.len() as u32;
        self.header.binds = self.binds.len() as u32;
        self.header.imports = self.imports.len() as u32;
        self.header.exports = self.exports.len() as u32;
        self.header.supers = self.supers.len() as u32;
        self.header.generics = self.generics.len() as u32;
        self.generics.sort_by(|a, b| strings.get(a.name).cmp(strings.get(b.name)));
        self.header.clues = self.clues.len() as u32;
        self.header.strings = strings.offsets.len() as u32;
        self.header.string_bytes = strings.bytes.len() as u32;
        let sections: [&[u8]; 12] = [
            self.header.as_bytes(),
            self.defs.as_bytes(),
            self.refs.as_bytes(),
            self.exprs.as_bytes(),
            self.binds.as_bytes(),
            self.imports.as_bytes(),
            self.exports.as_bytes(),
            self.supers.as_bytes(),
            self.generics.as_bytes(),
            self.clues.as_bytes(),
            strings.offsets.as_bytes(),
            &strings.bytes,
        ];
        let total: usize = sections.iter().map(|section| section.len()).sum();
        let mut words = vec![0u32; total.div_ceil(4)];
        let target = words.as_mut_slice().as_mut_bytes();
        let mut at = 0;
        for section in sections {
            target[at..at + section.len()].copy_from_slice(section);
            at += section.len();
        }
        Facts { buffer: Buffer::Owned(Arc::new(words)) }
    }
}

#[derive(Clone)]
enum Buffer {
    /// Not a slice: that would be copied once more when it is made.
    Owned(Arc<Vec<u32>>),
    Mapped {
        map: Arc<Mmap>,
        start: usize,
        len: usize,
    },
}

/// The facts of one file; cheap to clone.
#[derive(Clone)]
pub struct Facts {
    buffer: Buffer,
}

impl std::fmt::Debug for Facts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Facts").field("bytes", &self.bytes().len()).finish()
    }
}

impl Facts {
    /// Facts that stand in a mapped file. `start` must be a multiple of four.
    pub fn mapped(map: Arc<Mmap>, start: usize, len: usize) -> Option<Facts> {
        map.get(start..start.checked_add(len)?)?;
        let facts = Facts { buffer: Buffer::Mapped { map, start, len } };
        facts.try_view().map(|_| facts.clone())
    }

    /// Facts copied from bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Facts> {
        let mut words = vec![0u32; bytes.len().div_ceil(4)];
        words.as_mut_slice().as_mut_bytes()[..bytes.len()].copy_from_slice(bytes);
        let facts = Facts { buffer: Buffer::Owned(Arc::new(words)) };
        facts.try_view().map(|_| facts.clone())
    }

    /// Facts of a file that has none.
    pub fn empty(lines: u32) -> Facts {
        let mut rows = Rows { header: Header { lines, ..Header::default() }, ..Rows::default() };
        rows.pack(&Strings::new())
    }

    /// The packed bytes; their length is a multiple of four.
    pub fn bytes(&self) -> &[u8] {
        match &self.buffer {
            Buffer::Owned(words) => words.as_slice().as_bytes(),
            Buffer::Mapped { map, start, len } => &map[*start..*start + *len],
        }
    }

    /// The rows. A buffer is checked when it is made, so this can't fail.
    pub fn view(&self) -> FactsView<'_> {
        self.try_view().expect("facts are validated on construction")
    }

    fn try_view(&self) -> Option<FactsView<'_>> {
        let bytes = self.bytes();
        let (header, mut rest) = Header::ref_from_prefix(bytes).ok()?;
        Some(FactsView {
            header,
            defs: take(&mut rest, header.defs)?,
            refs: take(&mut rest, header.refs)?,
            exprs: take(&mut rest, header.exprs)?,
            binds: take(&mut rest, header.binds)?,
            imports: take(&mut rest, header.imports)?,
            exports: take(&mut rest, header.exports)?,
            supers: take(&mut rest, header.supers)?,
            generics: take(&mut rest, header.generics)?,
            clues: take(&mut rest, header.clues)?,
            offsets: take(&mut rest, header.strings)?,
            strings: rest.get(..header.string_bytes as usize)?,
        })
    }
}

fn take<'a, T: FromBytes + Immutable + KnownLayout>(rest: &mut &'a [u8], count: u32) -> Option<&'a [T]> {
    let (rows, tail) = <[T]>::ref_from_prefix_with_elems(rest, count as usize).ok()?;
    *rest = tail;
    Some(rows)
}

/// The rows of one file.
#[derive(Clone, Copy, Debug)]
pub struct FactsView<'a> {
    /// Counts and file-level facts.
    pub header: &'a Header,
    /// Definitions; a parent stands before its children.
    pub defs: &'a [DefRow],
    /// Mentions, in the order of the text.
    pub refs: &'a [RefRow],
    /// Expressions; `base` always points backwards.
    pub exprs: &'a [ExprRow],
    /// Parameters and local variables that are needed.
    pub binds: &'a [BindRow],
    /// Imports.
    pub imports: &'a [ImportRow],
    /// Exports under another name.
    pub exports: &'a [ExportRow],
    /// Supertypes.
    pub supers: &'a [SuperRow],
    /// Type parameters, by name and then in the order of the text.
    pub generics: &'a [GenericRow],
    /// What tables of libraries make of places in it.
    pub clues: &'a [ClueRow],
    offsets: &'a [u32],
    strings: &'a [u8],
}

impl<'a> FactsView<'a> {
    /// The text of a string of this file; empty for an index out of range.
    pub fn str(&self, id: Str) -> &'a str {
        let at = id.0 as usize;
        let range = self.offsets.get(at).zip(self.offsets.get(at + 1));
        range
            .and_then(|(from, to)| self.strings.get(*from as usize..*to as usize))
            .and_then(|bytes| std::str::from_utf8(bytes).ok())
            .unwrap_or("")
    }

    /// The texts of all strings, one after another.
    pub fn string_bytes(&self) -> &'a [u8] {
        self.strings
    }

    /// The string that holds this byte of [`Self::string_bytes`], with its text and where it begins.
    pub fn string_at(&self, byte: usize) -> Option<(Str, &'a str, usize)> {
        let at = self.offsets.partition_point(|offset| *offset as usize <= byte).checked_sub(1)?;
        let id = Str(at as u32);
        Some((id, self.str(id), *self.offsets.get(at)? as usize))
    }

    /// Number of strings, the empty one included.
    pub fn string_count(&self) -> u32 {
        (self.offsets.len() as u32).saturating_sub(1)
    }

    /// An expression row.
    pub fn expr(&self, index: u32) -> Option<&'a ExprRow> {
        self.exprs.get(index as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packed_buffer_reads_back() {
        let mut strings = Strings::new();
        let name = strings.add("größe");
        assert_eq!(strings.add("größe"), name);
        let mut rows = Rows::default();
        rows.exports.push(ExportRow { local: name, exported: Str::EMPTY, at: 1, line: 2 });
        let facts = rows.pack(&strings);
        let copy = Facts::from_bytes(facts.bytes()).expect("valid");
        assert_eq!(copy.view().str(copy.view().exports[0].local), "größe");
        assert_eq!(copy.view().str(Str(99)), "");
    }

    #[test]
    fn a_cut_buffer_is_refused() {
        let facts = Facts::empty(3);
        let bytes = facts.bytes();
        assert!(Facts::from_bytes(&bytes[..bytes.len() / 2]).is_none());
        assert!(Facts::from_bytes(&[]).is_none());
    }
}
