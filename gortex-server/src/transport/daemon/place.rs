//! Where the daemon of a user is found: a folder that only the user can enter, and the files in it.
//!
//! A lock, not a process number, says whether a daemon lives: the system gives it back however the process ended. What a dead
//! daemon left behind is replaced by whoever holds the lock.
//!
//! Knows files; starts and stops nothing.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use gortex_engine::edit::sha256;

use crate::config::Dirs;

/// The longest path of a socket that every system takes.
const SOCKET_PATH: usize = 100;
/// A log larger than this is set aside when a daemon starts.
const LOG_BYTES: u64 = 5 << 20;

/// The files of one user's daemon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The folder, mode 0700.
    pub folder: PathBuf,
    /// The socket, mode 0600.
    pub socket: PathBuf,
    /// The process number, for people; mode 0600.
    pub pid: PathBuf,
    /// What the daemon says.
    pub log: PathBuf,
    lock: PathBuf,
}

/// The right to be the one daemon, given back when dropped.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

/// The user of this process.
pub fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

impl Place {
    /// The place that belongs to these folders; `GORTEX_DAEMON_DIR` names another one.
    pub fn of(dirs: &Dirs, var: impl Fn(&str) -> Option<std::ffi::OsString>) -> Place {
        let named = var("GORTEX_DAEMON_DIR").map(PathBuf::from).filter(|path| path.is_absolute());
        let folder = named.unwrap_or_else(|| dirs.state.with_file_name("run"));
        let socket = folder.join("daemon.sock");
        // A socket's path is bounded by the system, a home folder's is not.
        let socket = if socket.as_os_str().len() <= SOCKET_PATH { socket } else { short(&folder) };
        Place { socket, pid: folder.join("daemon.pid"), log: folder.join("daemon.log"), lock: folder.join("daemon.lock"), folder }
    }

    /// Makes the folders, and refuses those that are not the user's alone.
    pub fn prepare(&self) -> io::Result<()> {
        let socket_folder = self.socket.parent().unwrap_or(&self.folder);
        for folder in [self.folder.as_path(), socket_folder] {
            DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
            let meta = folder.symlink_metadata()?;
            if !meta.is_dir() || meta.uid() != user() {
                return Err(io::Error::other(format!("`{}` is not a folder of this user", folder.display())));
            }
            if meta.mode() & 0o077 != 0 {
                std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700))?;
            }
        }
        Ok(())
    }

    /// Becomes the one daemon; `None` when another process is.
    pub fn lock(&self) -> io::Result<Option<Lock>> {
        let file = private(&self.lock, false)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Lock { _file: file })),
            Err(std::fs::TryLockError::WouldBlock) => Ok(None),
            Err(std::fs::TryLockError::Error(error)) => Err(error),
        }
    }

    /// Whether some process is the daemon.
    pub fn is_taken(&self) -> bool {
        // Taken for a moment and given back; who starts at this moment tries again.
        self.lock.exists() && matches!(self.lock(), Ok(None))
    }

    /// Opens the log to append to, and sets a large one aside.
    pub fn open_log(&self) -> io::Result<File> {
        if std::fs::metadata(&self.log).is_ok_and(|meta| meta.len() > LOG_BYTES) {
            std::fs::rename(&self.log, self.log.with_extension("log.1"))?;
        }
        private(&self.log, true)
    }

    /// Removes what a daemon leaves for others to find. Only who holds the lock may.
    pub fn clear(&self, _: &Lock) {
        for path in [&self.socket, &self.pid] {
            if let Err(error) = std::fs::remove_file(path)
                && error.kind() != io::ErrorKind::NotFound
            {
                tracing::warn!(%error, "`{}` could not be removed", path.display());
            }
        }
    }

    /// Whether a client could still find the daemon here.
    pub fn is_there(&self) -> bool {
        self.socket.exists() && self.lock.exists()
    }

    /// Writes the process number.
    pub fn write_pid(&self, _: &Lock) -> io::Result<()> {
        let mut file = private(&self.pid, false)?;
        file.set_len(0)?;
        writeln!(file, "{}", std::process::id())
    }

    /// The process number of the last daemon.
    pub fn read_pid(&self) -> Option<u32> {
        std::fs::read_to_string(&self.pid).ok()?.trim().parse().ok()
    }
}

/// A file that only the user reads and writes.
fn private(path: &Path, append: bool) -> io::Result<File> {
    OpenOptions::new().create(true).write(true).append(append).truncate(false).mode(0o600).open(path)
}

/// A socket below the temporary folder, named after the folder it stands for.
fn short(folder: &Path) -> PathBuf {
    let hash = &sha256(folder.as_os_str().as_encoded_bytes())[..16];
    std::env::temp_dir().join(format!("gortex-{}-{hash}", user())).join("daemon.sock")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(below: &Path) -> Place {
        let dirs = Dirs {
            config: below.into(),
            cache: below.join("c"),
            state: below.join("s/edits"),
            telemetry: below.join("t"),
            home: None,
        };
        Place::of(&dirs, |_| None)
    }

    #[test]
    fn one_process_holds_the_lock_and_a_closed_file_gives_it_back() {
        let top = tempfile::tempdir().expect("a folder");
        let place = place(top.path());
        place.prepare().expect("a folder");
        assert!(!place.is_taken());
        let lock = place.lock().expect("a lock").expect("free");
        assert!(place.is_taken() && place.lock().expect("a lock").is_none());
        place.write_pid(&lock).expect("written");
        assert_eq!(place.read_pid(), Some(std::process::id()));
        place.clear(&lock);
        drop(lock);
        assert!(!place.is_taken() && place.read_pid().is_none());
    }

    #[test]
    fn the_folder_is_the_users_alone() {
        let top = tempfile::tempdir().expect("a folder");
        let place = place(top.path());
        std::fs::create_dir_all(&place.folder).expect("a folder");
        std::fs::set_permissions(&place.folder, std::fs::Permissions::from_mode(0o755)).expect("a mode");
        place.prepare().expect("a folder");
        assert_eq!(place.folder.metadata().expect("a folder").mode() & 0o777, 0o700);
        let log = place.open_log().expect("a log");
        assert_eq!(log.metadata().expect("a file").mode() & 0o777, 0o600);
    }

    #[test]
    fn a_long_home_still_has_a_socket() {
        let long = Path::new("/tmp").join("x".repeat(150));
        let (socket, other) = (place(&long).socket, place(&long.join("y")).socket);
        assert!(socket.as_os_str().len() <= SOCKET_PATH, "{}", socket.display());
        assert_ne!(socket, other);
        assert_eq!(socket, place(&long).socket);
    }
}
