//! Reading what a compiler's indexer wrote, as far as it speaks of the files as they are.
//!
//! An index has no hashes, so a document counts when its own text equals the file, or, without one, when every definition in it
//! stands in the file under the name its symbol has. The file's hash is kept with what was taken, so that a later change
//! makes it stale by itself.
//!
//! Reads the files it is told to compare with, and nothing else.

use std::path::{Path, PathBuf};

use protobuf::Message as _;
use rustc_hash::FxHashMap;
use scip::types::{Index, Occurrence, PositionEncoding, SymbolRole, descriptor};
use serde::{Deserialize, Serialize};

/// Why an index could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ScipError {
    /// The file could not be read.
    #[error("`{}`: {error}", path.display())]
    Unreadable {
        /// The index.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// No protobuf of this form.
    #[error("`{}` is no SCIP index: {error}", path.display())]
    Foreign {
        /// The index.
        path: PathBuf,
        /// What the reader says.
        error: protobuf::Error,
    },
}

/// A place in a file: line from 1, column in bytes from 0.
pub(super) type At = (u32, u16);

/// What one file's document says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Said {
    /// BLAKE3 of the content it speaks of.
    pub hash: [u8; 32],
    /// Mention, file of the definition, its name's place.
    pub mentions: Vec<(At, String, At)>,
}

/// What imported indexes say, by the path as the graph has it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    pub(super) files: std::collections::BTreeMap<String, Said>,
}

impl Evidence {
    /// Takes in another import; what it says of a file replaces what was known.
    pub fn merge(&mut self, other: Evidence) {
        self.files.extend(other.files);
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }
}

/// What became of an index's documents.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Imported {
    /// Documents that fit their files.
    pub documents: usize,
    /// Documents whose file has other content; ignored.
    pub stale: usize,
    /// Documents whose file is not there; ignored.
    pub missing: usize,
    /// Mentions of definitions in the repository.
    pub mentions: usize,
}

impl Imported {
    /// Adds what became of another index's documents.
    pub fn add(&mut self, other: &Imported) {
        self.documents += other.documents;
        self.stale += other.stale;
        self.missing += other.missing;
        self.mentions += other.mentions;
    }
}

/// Reads an index of the repository at `root`; `shown` turns a path inside it into the graph's.
pub fn read(path: &Path, root: &Path, shown: impl Fn(&str) -> String) -> Result<(Evidence, Imported), ScipError> {
    let bytes = std::fs::read(path).map_err(|error| ScipError::Unreadable { path: path.to_owned(), error })?;
    let index = Index::parse_from_bytes(&bytes).map_err(|error| ScipError::Foreign { path: path.to_owned(), error })?;
    let mut imported = Imported::default();
    let mut documents = Vec::new();
    for document in &index.documents {
        let relative = document.relative_path.as_str();
        let safe = !relative.is_empty() && !relative.starts_with('/') && relative.split('/').all(|part| part != "..");
        let Some(text) = safe.then(|| std::fs::read(root.join(relative)).ok()).flatten() else {
            imported.missing += 1;
            continue;
        };
        let lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
        let encoding = document.position_encoding.enum_value_or_default();
        let places: Vec<Option<(At, usize)>> = document.occurrences.iter().map(|one| place(one, &lines, encoding)).collect();
        let fits = if document.text.is_empty() {
            let mut definitions = document.occurrences.iter().zip(&places).filter(|(one, _)| is_definition(one));
            definitions.all(|(one, at)| stands(one, *at, &lines))
        } else {
            document.text.as_bytes() == text
        };
        if !fits {
            imported.stale += 1;
            continue;
        }
        imported.documents += 1;
        documents.push((shown(relative), *blake3::hash(&text).as_bytes(), &document.occurrences, places));
    }
    let mut defined: FxHashMap<&str, (&str, At)> = FxHashMap::default();
    for (path, _, occurrences, places) in &documents {
        for (one, at) in occurrences.iter().zip(places) {
            // A second definition of a symbol (an overload, a merged declaration) does not move the first.
            if let (true, false, Some((at, _))) = (is_definition(one), one.symbol.starts_with("local "), at) {
                defined.entry(one.symbol.as_str()).or_insert((path.as_str(), *at));
            }
        }
    }
    let mut evidence = Evidence::default();
    for (path, hash, occurrences, places) in &documents {
        let mut mentions: Vec<(At, String, At)> = occurrences
            .iter()
            .zip(places)
            .filter(|(one, _)| !is_definition(one))
            .filter_map(|(one, at)| {
                let (file, target) = defined.get(one.symbol.as_str())?;
                Some((at.as_ref()?.0, (*file).to_owned(), *target))
            })
            .collect();
        mentions.sort_unstable();
        mentions.dedup();
        imported.mentions += mentions.len();
        evidence.files.insert(path.clone(), Said { hash: *hash, mentions });
    }
    Ok((evidence, imported))
}

fn is_definition(one: &Occurrence) -> bool {
    one.symbol_roles & SymbolRole::Definition as i32 != 0
}

/// Line, start and end of an occurrence on one line, in the document's own units.
fn span(one: &Occurrence) -> Option<(usize, usize, usize)> {
    let (line, from, to) = if one.has_single_line_range() {
        let range = one.single_line_range();
        (range.line, range.start_character, range.end_character)
    } else {
        match one.range.as_slice() {
            [line, from, to] => (*line, *from, *to),
            [line, from, last, to] if line == last => (*line, *from, *to),
            _ => return None,
        }
    };
    Some((usize::try_from(line).ok()?, usize::try_from(from).ok()?, usize::try_from(to).ok()?))
}

/// The place of an occurrence and the length of its text in bytes; `None` where the file has no such place.
fn place(one: &Occurrence, lines: &[&[u8]], encoding: PositionEncoding) -> Option<(At, usize)> {
    let (line, from, to) = span(one)?;
    let text = lines.get(line)?;
    let (from, to) = (byte_column(text, from, encoding)?, byte_column(text, to, encoding)?);
    Some(((u32::try_from(line).ok()? + 1, u16::try_from(from).ok()?), to.checked_sub(from)?))
}

fn byte_column(line: &[u8], column: usize, encoding: PositionEncoding) -> Option<usize> {
    if line.is_ascii() || encoding == PositionEncoding::UTF8CodeUnitOffsetFromLineStart {
        return (column <= line.len()).then_some(column);
    }
    let text = std::str::from_utf8(line).ok()?;
    let mut units = 0;
    for (at, c) in text.char_indices() {
        if units >= column {
            return Some(at);
        }
        // Indexers that do not say count as their editors do.
        units += if encoding == PositionEncoding::UTF32CodeUnitOffsetFromLineStart { 1 } else { c.len_utf16() };
    }
    (units >= column).then_some(text.len())
}

/// Whether the text of a definition is the name its symbol has. Locals have none, and a module stands at the file's begin.
fn stands(one: &Occurrence, at: Option<(At, usize)>, lines: &[&[u8]]) -> bool {
    if one.symbol.starts_with("local ") {
        return true;
    }
    let Ok(symbol) = scip::symbol::parse_symbol(&one.symbol) else { return true };
    let Some(last) = symbol.descriptors.last() else { return true };
    let namespace = matches!(last.suffix.enum_value_or_default(), descriptor::Suffix::Namespace | descriptor::Suffix::Meta);
    let Some(((line, column), length)) = at else { return namespace };
    let text = lines.get(line as usize - 1).and_then(|line| line.get(column as usize..column as usize + length)).unwrap_or(&[]);
    // Constructors and accessors are symbols of their own name at another word; only a plain name proves that it moved.
    let word =
        |text: &[u8]| !text.is_empty() && text.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$'));
    namespace
        || !word(last.name.as_bytes())
        || last.name.starts_with('<')
        || text == last.name.as_bytes()
        || (word(text) && is_special(&last.name))
}

/// Names that indexers give to what has another name, or none, in the source.
fn is_special(name: &str) -> bool {
    matches!(name, "__init__" | "constructor" | "new" | "get" | "set" | "init" | "self" | "impl")
}
