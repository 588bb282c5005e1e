//! The one door to the disk for writers: whole files appear by rename, or not at all.
//!
//! A file is written beside its place under a name of ours, flushed, given the mode bits of what it replaces, and renamed over
//! it; then the folder is flushed. Folders made on the way are remembered, so that a failing transaction takes them back.
//!
//! Knows nothing of guards, locks or journals.

use super::EditError;
use super::hash::fingerprint;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// The largest file that is edited.
pub(super) const MAX_FILE: u64 = 10 * 1024 * 1024;

/// What stands at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Snapshot {
    pub bytes: Vec<u8>,
    pub mode: u32,
}

/// Reads a file whole with its mode bits; `None` when there is none.
pub(super) fn snapshot(abs: &Path, shown: &str, limit: u64) -> Result<Option<Snapshot>, EditError> {
    let meta = match fs::metadata(abs) {
        Ok(meta) => meta,
        Err(error) if is_absence(&error) => return Ok(None),
        Err(error) => return Err(EditError::io("read", shown)(error)),
    };
    if !meta.is_file() {
        return Err(EditError::NotAFile { path: shown.to_owned(), kind: "no longer a regular file" });
    }
    if meta.len() > limit {
        return Err(EditError::TooLarge { path: shown.to_owned(), size: meta.len(), limit });
    }
    match fs::read(abs) {
        Ok(bytes) => Ok(Some(Snapshot { bytes, mode: mode_of(&meta) })),
        Err(error) if is_absence(&error) => Ok(None),
        Err(error) => Err(EditError::io("read", shown)(error)),
    }
}

/// True for the errors that say that nothing is there.
pub(super) fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Where the new bytes for a file are written first: beside it, always under the same name, so that what a killed writer left
/// is found again.
pub(super) fn temporary_for(abs: &Path) -> PathBuf {
    let name = abs.file_name().map(|name| name.as_encoded_bytes().to_vec()).unwrap_or_default();
    abs.with_file_name(format!(".gortex-{}.tmp", &fingerprint(&[&name])[..16]))
}

/// True for the names that [`temporary_for`] gives.
pub(super) fn is_temporary(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let middle = name.strip_prefix(".gortex-").and_then(|rest| rest.strip_suffix(".tmp"));
    path.is_absolute() && middle.is_some_and(|hex| hex.len() == 16 && hex.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Writes bytes beside a file and flushes them. The caller holds the lock of that file.
pub(super) fn stage(abs: &Path, bytes: &[u8], mode: u32) -> io::Result<PathBuf> {
    step()?;
    let temporary = temporary_for(abs);
    match fs::remove_file(&temporary) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let written = write_new(&temporary, bytes, mode);
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written.map(|()| temporary)
}

/// Makes a file with these bytes and mode bits, and flushes it. Nothing may be there.
pub(super) fn write_new(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    private_mode(&mut options);
    let mut file = options.open(path)?;
    step()?;
    file.write_all(bytes).and_then(|()| set_mode(&file, mode)).and_then(|()| file.sync_all())
}

/// Puts a staged file in its place.
pub(super) fn publish(temporary: &Path, abs: &Path) -> io::Result<()> {
    step().and_then(|()| fs::rename(temporary, abs)).inspect_err(|_| {
        let _ = fs::remove_file(temporary);
    })
}

/// Removes a file.
pub(super) fn remove(abs: &Path) -> io::Result<()> {
    step()?;
    fs::remove_file(abs)
}

/// Stages, publishes and flushes the folder.
pub(super) fn replace(abs: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let temporary = stage(abs, bytes, mode)?;
    publish(&temporary, abs)?;
    sync_parent(abs)
}

/// Flushes the folder of a file, so that a rename or removal survives a power cut.
pub(super) fn sync_parent(abs: &Path) -> io::Result<()> {
    match abs.parent() {
        Some(parent) => sync_dir(parent),
        None => Ok(()),
    }
}

#[cfg(unix)]
pub(super) fn sync_dir(folder: &Path) -> io::Result<()> {
    step()?;
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
pub(super) fn sync_dir(_: &Path) -> io::Result<()> {
    Ok(())
}

/// The folders that are missing above a file, outermost first.
pub(super) fn missing_parents(abs: &Path) -> Vec<PathBuf> {
    let missing = abs.ancestors().skip(1).take_while(|folder| folder.symlink_metadata().is_err());
    let mut missing: Vec<PathBuf> = missing.map(Path::to_path_buf).collect();
    missing.reverse();
    missing
}

/// Makes folders, outermost first; on failure those made are taken back.
pub(super) fn make_dirs(folders: &[PathBuf]) -> io::Result<()> {
    for (made, folder) in folders.iter().enumerate() {
        let result = match fs::create_dir(folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
            _ => sync_parent(folder),
        };
        if let Err(error) = result {
            remove_dirs(&folders[..=made]);
            return Err(error);
        }
    }
    Ok(())
}

/// Takes back folders that are still empty, innermost first. A folder somebody else used by now stays.
pub(super) fn remove_dirs(folders: &[PathBuf]) {
    for folder in folders.iter().rev() {
        let _ = fs::remove_dir(folder);
    }
}

/// Makes a folder that only its owner can read.
pub(super) fn private_dir(folder: &Path) -> Result<(), EditError> {
    if folder.is_dir() {
        return Ok(());
    }
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(EditError::io("make", folder.display().to_string()))
}

/// New files are for their owner only.
pub(super) fn private_mode(options: &mut OpenOptions) {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    #[cfg(not(unix))]
    let _ = options;
}

#[cfg(unix)]
pub(super) fn mode_of(meta: &fs::Metadata) -> u32 {
    std::os::unix::fs::PermissionsExt::mode(&meta.permissions()) & 0o7777
}

#[cfg(not(unix))]
pub(super) fn mode_of(_: &fs::Metadata) -> u32 {
    NEW_FILE_MODE
}

/// The mode bits of a file that was not there before.
pub(super) const NEW_FILE_MODE: u32 = 0o644;

#[cfg(unix)]
fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(mode))
}

#[cfg(not(unix))]
fn set_mode(_: &File, _: u32) -> io::Result<()> {
    Ok(())
}

/// What tells two names of one file apart from two files: device and inode.
#[cfg(unix)]
pub(super) fn identity(abs: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;
    let meta = fs::metadata(abs).ok()?;
    Some((meta.dev(), meta.ino()))
}

#[cfg(not(unix))]
pub(super) fn identity(_: &Path) -> Option<(u64, u64)> {
    None
}

/// A point at which tests let the disk refuse, or the process die.
#[cfg(not(test))]
#[allow(clippy::unnecessary_wraps)] // It fails in tests only.
#[inline]
const fn step() -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
use faults::step;

#[cfg(test)]
pub(super) mod faults {
    //! Faults at a chosen step: the disk refuses once (in this thread), or the process dies (in a child process).

    use std::cell::Cell;
    use std::io;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicI64, Ordering};

    /// The step at which a child process dies.
    pub const DIE_AT: &str = "GORTEX_EDIT_TEST_DIE_AT";

    thread_local! {
        static REFUSE_AT: Cell<Option<u32>> = const { Cell::new(None) };
    }

    /// Lets the n-th step from now fail, once.
    pub fn refuse_at(step: u32) {
        REFUSE_AT.set(Some(step));
    }

    /// Forgets a fault; true when it never came to pass.
    pub fn clear() -> bool {
        REFUSE_AT.take().is_some()
    }

    pub(super) fn step() -> io::Result<()> {
        static LEFT: OnceLock<Option<AtomicI64>> = OnceLock::new();
        let left = LEFT.get_or_init(|| std::env::var(DIE_AT).ok()?.parse().ok().map(AtomicI64::new));
        if left.as_ref().is_some_and(|left| left.fetch_sub(1, Ordering::SeqCst) == 0) {
            std::process::abort();
        }
        match REFUSE_AT.get() {
            Some(0) => {
                REFUSE_AT.set(None);
                Err(io::Error::other("the disk refuses"))
            }
            Some(left) => {
                REFUSE_AT.set(Some(left - 1));
                Ok(())
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn mode_bits_survive_and_nothing_is_left_beside() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("run.sh");
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        let before = snapshot(&file, "run.sh", MAX_FILE).unwrap().unwrap();
        replace(&file, b"new", before.mode).unwrap();
        assert_eq!(snapshot(&file, "run.sh", MAX_FILE).unwrap().unwrap(), Snapshot { bytes: b"new".into(), mode: 0o755 });
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_failed_rename_leaves_no_temporary_file() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("x");
        fs::create_dir_all(folder.join("full")).unwrap();
        assert!(replace(&folder, b"new", 0o644).is_err());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn folders_are_made_outermost_first_and_taken_back_when_empty() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a/b/c.txt");
        let missing = missing_parents(&file);
        assert_eq!(missing, [dir.path().join("a"), dir.path().join("a/b")]);
        make_dirs(&missing).unwrap();
        fs::write(dir.path().join("a/kept"), "").unwrap();
        remove_dirs(&missing);
        assert!(dir.path().join("a").exists() && !dir.path().join("a/b").exists());
    }

    #[test]
    fn a_file_that_is_too_large_is_not_read() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("big");
        fs::write(&file, "12345").unwrap();
        assert!(matches!(snapshot(&file, "big", 4), Err(EditError::TooLarge { size: 5, limit: 4, .. })));
        assert!(snapshot(&dir.path().join("none"), "none", 4).unwrap().is_none());
    }
}
