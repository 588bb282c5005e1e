//! The snapshot file: a graph with its facts, written once and mapped.
//!
//! Layout: a fixed header with format version, extractor version and the BLAKE3 of all that follows; a directory of
//! sections; the sections, each aligned to eight bytes. Opening checks the sum and maps the columns as they are. A file that
//! is damaged or of another format is set aside under another name, never read and never overwritten in place.
//!
//! Knows bytes and columns; when to write is for `engine`.

use std::fs::File;
use std::io::{BufWriter, Read as _, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memmap2::Mmap;
use serde::{Deserialize, Serialize};
use zerocopy::{FromBytes, FromZeros as _, Immutable, IntoBytes, KnownLayout};

use super::names::NameTable;
use super::{Externals, FileEntry, FileStatus, Graph, Section};
use crate::facts::{EXTRACTOR_VERSION, Facts};
use crate::lang::{LANGUAGES, Lang};
use crate::link::Manifest;

/// The name of a snapshot's file in its folder.
pub const FILE: &str = "graph.snapshot";
const MAGIC: [u8; 8] = *b"GORTEXS\n";
/// Changes whenever the layout does.
const FORMAT: u32 = 3;
const HEADER_BYTES: usize = 64;

/// What else the snapshot carries: everything that is small and not a column.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Meta {
    /// Repository names with their roots, in the order of [`FileEntry::repo`].
    pub repos: Vec<(String, PathBuf)>,
    /// Build files that linking read.
    pub manifests: Vec<(String, String)>,
    /// Names of the languages of this build, so that language numbers keep their meaning.
    pub languages: Vec<String>,
    /// The graph's generation.
    pub generation: u64,
}

/// Why a snapshot can't be used.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// There is none.
    #[error("no snapshot at `{0}`")]
    Missing(PathBuf),
    /// It was written by another version.
    #[error("the snapshot has format {format}, extractor {extractor}; this build reads {FORMAT} and {EXTRACTOR_VERSION}")]
    Foreign {
        /// Its layout version.
        format: u32,
        /// Its extractor version.
        extractor: u32,
    },
    /// Its content does not match its sum, or its sections do not fit.
    #[error("the snapshot is damaged: {0}")]
    Damaged(&'static str),
    /// The disk refused.
    #[error("could not access the snapshot `{path}`")]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
}

#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
struct Header {
    magic: [u8; 8],
    format: u32,
    extractor: u32,
    sections: u32,
    reserved: u32,
    length: u64,
    sum: [u8; 32],
}

#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
struct Slot {
    start: u64,
    bytes: u64,
}

#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
struct FileRow {
    size: u64,
    mtime_ns: u64,
    facts_start: u64,
    facts_bytes: u32,
    path_start: u32,
    path_bytes: u32,
    base: u32,
    repo: u16,
    lang: u8,
    status: u8,
    generated: u32,
    grams_start: u32,
    grams_words: u32,
    hash: [u8; 32],
}

const NO_LANG: u8 = u8::MAX;

/// The sections, in the order of the directory.
#[derive(Clone, Copy)]
enum Part {
    Meta,
    Files,
    Paths,
    Facts,
    Parents,
    Edges,
    OutIndex,
    InOrder,
    InIndex,
    Unbound,
    Outside,
    ExternalRows,
    ExternalOffsets,
    ExternalBytes,
    ExternalIndex,
    ExternalOrder,
    NameOffsets,
    NameBytes,
    NameIndex,
    NameNodes,
    Grams,
}

const PARTS: usize = Part::Grams as usize + 1;

/// Writes the graph beside `path` and renames it there; readers of the old file keep it.
pub fn save(path: &Path, graph: &Graph, repos: &[(String, PathBuf)], manifests: &[Manifest]) -> Result<(), SnapshotError> {
    let io = |source| SnapshotError::Io { path: path.to_owned(), source };
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(io)?;
    let meta = Meta {
        repos: repos.to_vec(),
        manifests: manifests.iter().map(|manifest| (manifest.path.clone(), manifest.text.clone())).collect(),
        languages: LANGUAGES.iter().map(|language| language.name.to_owned()).collect(),
        generation: graph.generation,
    };
    let meta = serde_json::to_vec(&meta).map_err(|error| io(error.into()))?;
    let mut paths = Vec::new();
    let mut rows = Vec::with_capacity(graph.files.len());
    let mut facts_at = 0u64;
    let mut grams_at = 0u32;
    for file in &graph.files {
        let bytes = file.facts.bytes().len();
        rows.push(FileRow {
            size: file.size,
            mtime_ns: file.mtime_ns,
            facts_start: facts_at,
            facts_bytes: bytes as u32,
            path_start: paths.len() as u32,
            path_bytes: file.path.len() as u32,
            base: file.base,
            repo: file.repo,
            lang: file.lang.map_or(NO_LANG, |lang| lang.0),
            status: file.status as u8,
            generated: u32::from(file.generated),
            grams_start: grams_at,
            grams_words: file.grams.len() as u32,
            hash: file.hash,
        });
        paths.extend_from_slice(file.path.as_bytes());
        facts_at += bytes.next_multiple_of(8) as u64;
        grams_at += file.grams.len() as u32;
    }
    let facts: Vec<&[u8]> = graph.files.iter().map(|file| file.facts.bytes()).collect();
    let parts: [Vec<&[u8]>; PARTS] = [
        vec![meta.as_slice()],
        vec![rows.as_bytes()],
        vec![paths.as_slice()],
        facts,
        vec![graph.parents.as_bytes()],
        vec![graph.edges.as_bytes()],
        vec![graph.out_index.as_bytes()],
        vec![graph.in_order.as_bytes()],
        vec![graph.in_index.as_bytes()],
        vec![graph.unbound.as_bytes()],
        vec![graph.outside.as_bytes()],
        vec![graph.externals.rows.as_bytes()],
        vec![graph.externals.ids.offsets.as_bytes()],
        vec![graph.externals.ids.bytes.as_bytes()],
        vec![graph.externals.ids.node_index.as_bytes()],
        vec![graph.externals.ids.nodes.as_bytes()],
        vec![graph.names.offsets.as_bytes()],
        vec![graph.names.bytes.as_bytes()],
        vec![graph.names.node_index.as_bytes()],
        vec![graph.names.nodes.as_bytes()],
        graph.files.iter().map(|file| file.grams.as_bytes()).collect(),
    ];
    let temp = tempfile::Builder::new().prefix(".snapshot-").tempfile_in(folder).map_err(io)?;
    write_parts(temp.as_file(), &parts).map_err(io)?;
    temp.persist(path).map_err(|error| io(error.error))?;
    Ok(())
}

fn write_parts(file: &File, parts: &[Vec<&[u8]>; PARTS]) -> std::io::Result<()> {
    let mut slots = Vec::with_capacity(PARTS);
    let mut at = (HEADER_BYTES + PARTS * size_of::<Slot>()) as u64;
    for part in parts {
        // A part of several pieces (facts) aligns each of them; a single piece is its own length.
        let bytes: usize = match part.as_slice() {
            [one] => one.len(),
            many => many.iter().map(|piece| piece.len().next_multiple_of(8)).sum(),
        };
        slots.push(Slot { start: at, bytes: bytes as u64 });
        at += bytes.next_multiple_of(8) as u64;
    }
    let mut hasher = blake3::Hasher::new();
    let mut out = BufWriter::with_capacity(1 << 20, file);
    out.write_all(&[0; HEADER_BYTES])?;
    let mut put = |bytes: &[u8]| {
        hasher.update(bytes);
        out.write_all(bytes)
    };
    put(slots.as_bytes())?;
    for part in parts {
        for piece in part {
            put(piece)?;
            put(&[0; 8][..piece.len().next_multiple_of(8) - piece.len()])?;
        }
    }
    out.flush()?;
    drop(out);
    let header = Header {
        magic: MAGIC,
        format: FORMAT,
        extractor: EXTRACTOR_VERSION,
        sections: PARTS as u32,
        reserved: 0,
        length: at,
        sum: *hasher.finalize().as_bytes(),
    };
    let mut file = file;
    file.seek(SeekFrom::Start(0))?;
    file.write_all(header.as_bytes())
}

/// Opens and checks a snapshot.
pub fn open(path: &Path) -> Result<(Graph, Meta), SnapshotError> {
    let io = |source: std::io::Error| match source.kind() {
        std::io::ErrorKind::NotFound => SnapshotError::Missing(path.to_owned()),
        _ => SnapshotError::Io { path: path.to_owned(), source },
    };
    let file = File::open(path).map_err(io)?;
    let map = Arc::new(map_file(&file).map_err(io)?);
    let (header, _) = Header::read_from_prefix(&map).map_err(|_| SnapshotError::Damaged("too short"))?;
    if header.magic != MAGIC {
        return Err(SnapshotError::Damaged("not a snapshot"));
    }
    if header.format != FORMAT || header.extractor != EXTRACTOR_VERSION || header.sections as usize != PARTS {
        return Err(SnapshotError::Foreign { format: header.format, extractor: header.extractor });
    }
    if header.length != map.len() as u64 {
        return Err(SnapshotError::Damaged("its length is not the recorded one"));
    }
    let mut hasher = blake3::Hasher::new();
    hasher.update_rayon(&map[HEADER_BYTES..]);
    if *hasher.finalize().as_bytes() != header.sum {
        return Err(SnapshotError::Damaged("its content does not match its sum"));
    }
    read(&map).ok_or(SnapshotError::Damaged("a section does not fit"))
}

/// The contents that a snapshot has facts of, in the order of its files; a hint until the snapshot has been opened. `None` for
/// one of another build.
pub fn contents(path: &Path) -> Option<Vec<([u8; 32], Option<Lang>)>> {
    let mut file = File::open(path).ok()?;
    let mut head = [0; HEADER_BYTES];
    let mut slots = [Slot { start: 0, bytes: 0 }; PARTS];
    file.read_exact(&mut head).ok()?;
    file.read_exact(slots.as_mut_bytes()).ok()?;
    let header = Header::read_from_bytes(&head).ok()?;
    let length = file.metadata().ok()?.len();
    let ours = header.magic == MAGIC && header.format == FORMAT && header.extractor == EXTRACTOR_VERSION;
    if !ours || header.sections as usize != PARTS || header.length != length {
        return None;
    }
    let slot = slots[Part::Files as usize];
    if slot.start.checked_add(slot.bytes)? > length {
        return None;
    }
    file.seek(SeekFrom::Start(slot.start)).ok()?;
    let mut rows = vec![FileRow::new_zeroed(); slot.bytes as usize / size_of::<FileRow>()];
    file.read_exact(rows.as_mut_bytes()).ok()?;
    let parsed = |row: &FileRow| FileStatus::ALL.get(row.status as usize).is_some_and(|status| status.is_parsed());
    Some(rows.iter().map(|row| (row.hash, (row.lang != NO_LANG && parsed(row)).then_some(Lang(row.lang)))).collect())
}

/// Maps a snapshot. Snapshots are only ever replaced by rename, so the mapped bytes do not change.
#[allow(unsafe_code)] // mapping a file is unsafe because another program could truncate it; see the module's rule above
fn map_file(file: &File) -> std::io::Result<Mmap> {
    // SAFETY: this program never writes to or truncates a published snapshot; it renames a new file over it.
    unsafe { Mmap::map(file) }
}

fn read(map: &Arc<Mmap>) -> Option<(Graph, Meta)> {
    let (slots, _) = <[Slot]>::ref_from_prefix_with_elems(map.get(HEADER_BYTES..)?, PARTS).ok()?;
    let bytes = |part: Part| {
        let slot = slots[part as usize];
        map.get(slot.start as usize..usize::try_from(slot.start + slot.bytes).ok()?)
    };
    let meta: Meta = serde_json::from_slice(bytes(Part::Meta)?).ok()?;
    let current = LANGUAGES.iter().map(|language| language.name);
    if !meta.languages.iter().map(String::as_str).eq(current) {
        return None;
    }
    let rows = <[FileRow]>::ref_from_bytes(bytes(Part::Files)?).ok()?;
    let paths = bytes(Part::Paths)?;
    let facts_start = slots[Part::Facts as usize].start as usize;
    let grams_start = slots[Part::Grams as usize].start as usize;
    let files = rows.iter().map(|row| {
        let path = paths.get(row.path_start as usize..(row.path_start + row.path_bytes) as usize)?;
        Some(FileEntry {
            path: String::from_utf8(path.to_vec()).ok()?,
            repo: row.repo,
            lang: (row.lang != NO_LANG).then_some(Lang(row.lang)),
            status: FileStatus::ALL.get(row.status as usize).copied()?,
            generated: row.generated != 0,
            size: row.size,
            mtime_ns: row.mtime_ns,
            hash: row.hash,
            facts: Facts::mapped(map.clone(), facts_start + row.facts_start as usize, row.facts_bytes as usize)?,
            grams: Section::mapped(map.clone(), grams_start + row.grams_start as usize * 8, row.grams_words as usize)?,
            base: row.base,
        })
    });
    let files = files.collect::<Option<Vec<_>>>()?;
    let graph = Graph {
        files,
        repos: meta.repos.iter().map(|(name, _)| name.clone()).collect(),
        generation: meta.generation,
        parents: column(map, slots, Part::Parents)?,
        edges: column(map, slots, Part::Edges)?,
        out_index: column(map, slots, Part::OutIndex)?,
        in_order: column(map, slots, Part::InOrder)?,
        in_index: column(map, slots, Part::InIndex)?,
        unbound: column(map, slots, Part::Unbound)?,
        outside: column(map, slots, Part::Outside)?,
        externals: Externals {
            rows: column(map, slots, Part::ExternalRows)?,
            ids: NameTable {
                offsets: column(map, slots, Part::ExternalOffsets)?,
                bytes: column(map, slots, Part::ExternalBytes)?,
                node_index: column(map, slots, Part::ExternalIndex)?,
                nodes: column(map, slots, Part::ExternalOrder)?,
            },
        },
        names: NameTable {
            offsets: column(map, slots, Part::NameOffsets)?,
            bytes: column(map, slots, Part::NameBytes)?,
            node_index: column(map, slots, Part::NameIndex)?,
            nodes: column(map, slots, Part::NameNodes)?,
        },
    };
    Some((graph, meta))
}

fn column<T: FromBytes + IntoBytes + Immutable + KnownLayout>(map: &Arc<Mmap>, slots: &[Slot], part: Part) -> Option<Section<T>> {
    let slot = slots[part as usize];
    Section::mapped(map.clone(), slot.start as usize, slot.bytes as usize / size_of::<T>())
}

/// Moves an unusable snapshot out of the way and returns its new place.
pub fn set_aside(path: &Path) -> Option<PathBuf> {
    let aside = path.with_extension("unusable");
    std::fs::rename(path, &aside).ok().map(|()| aside)
}
