//! A column that is either owned or a window into a mapped snapshot.
//!
//! Readers see a slice and need not know which.

use std::ops::Deref;
use std::sync::Arc;

use memmap2::Mmap;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// A read-only column of fixed-size rows.
#[derive(Clone)]
pub struct Section<T> {
    store: Store<T>,
}

#[derive(Clone)]
enum Store<T> {
    /// Not a slice: that would be copied once more when it is made.
    Owned(Arc<Vec<T>>),
    Mapped {
        map: Arc<Mmap>,
        start: usize,
        rows: usize,
    },
}

impl<T: FromBytes + IntoBytes + Immutable + KnownLayout> Section<T> {
    /// A window of `rows` rows at byte `start`; `None` when it does not fit the file.
    pub fn mapped(map: Arc<Mmap>, start: usize, rows: usize) -> Option<Self> {
        let bytes = rows.checked_mul(size_of::<T>())?;
        <[T]>::ref_from_bytes_with_elems(map.get(start..start.checked_add(bytes)?)?, rows).ok()?;
        Some(Section { store: Store::Mapped { map, start, rows } })
    }

    /// The rows as bytes, for the snapshot.
    pub fn as_bytes(&self) -> &[u8] {
        IntoBytes::as_bytes(&**self)
    }
}

impl<T> Default for Section<T> {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl<T> From<Vec<T>> for Section<T> {
    fn from(rows: Vec<T>) -> Self {
        Section { store: Store::Owned(Arc::new(rows)) }
    }
}

impl<T: FromBytes + IntoBytes + Immutable + KnownLayout> Deref for Section<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match &self.store {
            Store::Owned(rows) => rows,
            Store::Mapped { map, start, rows } => {
                let end = *start + *rows * size_of::<T>();
                map.get(*start..end).and_then(|bytes| <[T]>::ref_from_bytes_with_elems(bytes, *rows).ok()).unwrap_or(&[])
            }
        }
    }
}

impl<T: FromBytes + IntoBytes + Immutable + KnownLayout> std::fmt::Debug for Section<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Section").field("rows", &self.len()).finish()
    }
}
