//! The attic: one append-only file of facts that no snapshot holds any more.
//!
//! Records follow each other, each with its content's key, its length and a check sum over all of it; the index is read from
//! the record heads. Appending happens under a lock of its own file, and bytes once written are never changed: when the file
//! has grown past its limit, or its end is damaged, the newer half is written anew and renamed into place. A reader keeps the
//! file it opened.
//!
//! Knows records, not what decides that something is kept.

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use zerocopy::{FromBytes, FromZeros as _, Immutable, IntoBytes, KnownLayout};

use super::{Key, build_key, read_at, write_at};
use crate::facts::Facts;
use crate::lang::Lang;

/// More than this is not kept.
pub(super) const LIMIT: u64 = 64 << 20;
const MAGIC: [u8; 8] = *b"GORTEXA\n";
const FORMAT: u32 = 1;
const MARK: u32 = 0x7A11_FAC7;

#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
struct Head {
    magic: [u8; 8],
    format: u32,
    reserved: u32,
    key: [u8; 32],
}

#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
struct Record {
    mark: u32,
    bytes: u32,
    hash: [u8; 32],
    lang: u8,
    padding: [u8; 7],
    /// Of the key, the length and the payload.
    sum: [u8; 8],
}

const HEAD_BYTES: u64 = size_of::<Head>() as u64;
const RECORD_BYTES: u64 = size_of::<Record>() as u64;

#[derive(Debug)]
pub(super) struct Attic {
    path: PathBuf,
    limit: u64,
    known: Mutex<Index>,
}

/// Where the records of one file are.
#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    file: Option<Arc<File>>,
    identity: Option<(u64, u64)>,
    /// Where the last whole record ends.
    end: u64,
    places: Arc<FxHashMap<Key, (u64, u32)>>,
}

impl Index {
    pub fn find(&self, key: &Key) -> Option<Facts> {
        let (at, bytes) = self.places.get(key).copied()?;
        let file = self.file.as_ref()?;
        let mut record = Record::new_zeroed();
        read_at(file, record.as_mut_bytes(), at).ok()?;
        let mut payload = vec![0; bytes as usize];
        read_at(file, &mut payload, at + RECORD_BYTES).ok()?;
        let sound = record.bytes == bytes && record.sum == sum(key, &payload);
        sound.then(|| Facts::from_bytes(&payload)).flatten()
    }
}

impl Attic {
    pub fn new(path: PathBuf, limit: u64) -> Attic {
        Attic { path, limit, known: Mutex::default() }
    }

    /// The records there are now; only new ones are read.
    pub fn open(&self) -> Index {
        let mut known = self.known.lock();
        self.refresh(&mut known);
        known.clone()
    }

    pub fn bytes(&self) -> u64 {
        std::fs::metadata(&self.path).map_or(0, |meta| meta.len())
    }

    fn refresh(&self, known: &mut Index) {
        let Ok(meta) = std::fs::metadata(&self.path) else {
            *known = Index::default();
            return;
        };
        let identity = Some(identity(&meta));
        if known.identity != identity || known.file.is_none() {
            *known = Index { identity, ..Index::default() };
            let Ok(file) = File::open(&self.path) else { return };
            let mut head = Head::new_zeroed();
            let read = read_at(&file, head.as_mut_bytes(), 0).is_ok();
            if read && head.magic == MAGIC && head.format == FORMAT && head.key == build_key() {
                known.end = HEAD_BYTES;
            }
            known.file = Some(Arc::new(file));
        }
        let (Some(file), true) = (known.file.clone(), known.end >= HEAD_BYTES) else { return };
        let places = Arc::make_mut(&mut known.places);
        while known.end + RECORD_BYTES <= meta.len() {
            let mut record = Record::new_zeroed();
            let next = match read_at(&file, record.as_mut_bytes(), known.end) {
                Ok(()) if record.mark == MARK => known.end + RECORD_BYTES + padded(record.bytes),
                _ => break,
            };
            if next > meta.len() {
                break;
            }
            places.insert((record.hash, Lang(record.lang)), (known.end, record.bytes));
            known.end = next;
        }
    }

    /// Appends facts that are not there yet.
    pub fn add(&self, rows: &[(Key, &Facts)]) -> std::io::Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let folder = self.path.parent().unwrap_or(std::path::Path::new("."));
        std::fs::create_dir_all(folder)?;
        let lock = OpenOptions::new().create(true).write(true).truncate(false).open(self.path.with_extension("lock"))?;
        lock.lock()?;
        let mut known = self.known.lock();
        self.refresh(&mut known);
        let new: Vec<&(Key, &Facts)> = rows.iter().filter(|(key, _)| !known.places.contains_key(key)).collect();
        if new.is_empty() {
            return Ok(());
        }
        let added: u64 = new.iter().map(|(_, facts)| RECORD_BYTES + padded(facts.bytes().len() as u32)).sum();
        let whole = known.end >= HEAD_BYTES && known.end == self.bytes();
        if !whole || known.end + added > self.limit {
            self.rewrite(&known, &new)?;
            *known = Index::default();
            return Ok(());
        }
        let file = OpenOptions::new().write(true).open(&self.path)?;
        let mut bytes = Vec::with_capacity(added as usize);
        for (key, facts) in new {
            put(&mut bytes, key, facts.bytes())?;
        }
        write_at(&file, &bytes, known.end)
    }

    /// A new file with the new rows and as many of the newest old ones as fit half of the limit.
    fn rewrite(&self, known: &Index, new: &[&(Key, &Facts)]) -> std::io::Result<()> {
        let folder = self.path.parent().unwrap_or(std::path::Path::new("."));
        let temp = tempfile::Builder::new().prefix(".attic-").tempfile_in(folder)?;
        let mut out = BufWriter::new(temp.as_file());
        out.write_all(Head { magic: MAGIC, format: FORMAT, reserved: 0, key: build_key() }.as_bytes())?;
        let mut room = self.limit / 2;
        let mut fits = |bytes: u32| {
            let cost = RECORD_BYTES + padded(bytes);
            let fits = cost <= room;
            room = if fits { room - cost } else { 0 };
            fits
        };
        let new: Vec<_> = new.iter().filter(|(_, facts)| fits(facts.bytes().len() as u32)).collect();
        let mut old: Vec<(u64, u32, Key)> = known.places.iter().map(|(key, (at, bytes))| (*at, *bytes, *key)).collect();
        old.sort_unstable_by_key(|(at, ..)| std::cmp::Reverse(*at));
        let kept = old.iter().take_while(|(_, bytes, _)| fits(*bytes)).count();
        for (_, _, key) in old[..kept].iter().rev() {
            // One that is damaged is left behind.
            if let Some(facts) = known.find(key) {
                put(&mut out, key, facts.bytes())?;
            }
        }
        for (key, facts) in new {
            put(&mut out, key, facts.bytes())?;
        }
        out.flush()?;
        drop(out);
        temp.persist(&self.path).map_err(|error| error.error)?;
        Ok(())
    }
}

fn put(out: &mut impl Write, key: &Key, payload: &[u8]) -> std::io::Result<()> {
    let bytes = payload.len() as u32;
    let record = Record { mark: MARK, bytes, hash: key.0, lang: key.1.0, padding: [0; 7], sum: sum(key, payload) };
    out.write_all(record.as_bytes())?;
    out.write_all(payload)?;
    out.write_all(&[0; 8][..(padded(bytes) - u64::from(bytes)) as usize])
}

fn padded(bytes: u32) -> u64 {
    u64::from(bytes).next_multiple_of(8)
}

fn sum(key: &Key, payload: &[u8]) -> [u8; 8] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&key.0);
    hasher.update(&[key.1.0]);
    hasher.update(&(payload.len() as u64).to_le_bytes());
    hasher.update(payload);
    let mut sum = [0; 8];
    sum.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    sum
}

#[cfg(unix)]
fn identity(meta: &std::fs::Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt as _;
    (meta.dev(), meta.ino())
}

#[cfg(not(unix))]
fn identity(meta: &std::fs::Metadata) -> (u64, u64) {
    // Without a number of the file its birth tells a new one from the old.
    let born = meta.created().ok().and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
    (0, born.map_or(0, |age| age.as_nanos() as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(byte: u8) -> Key {
        ([byte; 32], Lang(byte % 3))
    }

    fn attic(folder: &tempfile::TempDir, limit: u64) -> Attic {
        Attic::new(folder.path().join("facts.attic"), limit)
    }

    fn add(attic: &Attic, byte: u8) {
        attic.add(&[(key(byte), &Facts::empty(u32::from(byte)))]).expect("added");
    }

    fn has(attic: &Attic, byte: u8) -> bool {
        attic.open().find(&key(byte)).is_some_and(|facts| facts.view().header.lines == u32::from(byte))
    }

    #[test]
    fn what_is_added_is_found_by_others() {
        let folder = tempfile::tempdir().expect("a folder");
        let (one, other) = (attic(&folder, LIMIT), attic(&folder, LIMIT));
        assert!(!has(&one, 1));
        add(&one, 1);
        assert!(has(&other, 1) && !has(&other, 2));
        add(&other, 2);
        add(&other, 2);
        assert!(has(&one, 1) && has(&one, 2));
        // The same bytes in another language are other facts.
        assert!(one.open().find(&(key(1).0, Lang(0))).is_none());
        assert_eq!(one.bytes(), HEAD_BYTES + 2 * (RECORD_BYTES + padded(Facts::empty(1).bytes().len() as u32)));
    }

    #[test]
    fn the_oldest_go_when_it_is_full() {
        let folder = tempfile::tempdir().expect("a folder");
        let one = RECORD_BYTES + padded(Facts::empty(1).bytes().len() as u32);
        let attic = attic(&folder, HEAD_BYTES + 10 * one);
        for byte in 0..100 {
            add(&attic, byte);
            assert!(has(&attic, byte), "{byte}");
            assert!(attic.bytes() <= HEAD_BYTES + 10 * one);
        }
        assert!(!has(&attic, 50) && has(&attic, 98));
    }

    #[test]
    fn damage_costs_what_is_damaged_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let first = attic(&folder, LIMIT);
        (1..=3).for_each(|byte| add(&first, byte));
        let path = folder.path().join("facts.attic");
        let whole = std::fs::read(&path).expect("a file");
        let record = (RECORD_BYTES + padded(Facts::empty(1).bytes().len() as u32)) as usize;
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x55;
            std::fs::write(&path, &bytes).expect("a file");
            let other = attic(&folder, LIMIT);
            for byte in 1..=3 {
                // Right or absent, never wrong.
                if let Some(facts) = other.open().find(&key(byte)) {
                    assert_eq!(facts.view().header.lines, u32::from(byte), "byte {at}");
                }
            }
        }
        // A torn end is written anew with what is whole.
        std::fs::write(&path, &whole[..whole.len() - record / 2]).expect("a file");
        let other = attic(&folder, LIMIT);
        assert!(has(&other, 2) && !has(&other, 3));
        add(&other, 4);
        assert!(has(&other, 1) && has(&other, 2) && has(&other, 4));
    }
}
