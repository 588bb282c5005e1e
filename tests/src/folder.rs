//! A folder to work in, with an empty home beside it.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// A repository under test. The folder `repo` is what is tracked; its parent holds nothing else.
#[derive(Debug)]
pub struct Folder {
    _top: TempDir,
    _home: TempDir,
    /// The tracked folder.
    pub repo: PathBuf,
    /// The home of the server: configuration, cache and state.
    pub home: PathBuf,
}

impl Default for Folder {
    fn default() -> Self {
        Self::new()
    }
}

impl Folder {
    /// An empty one.
    pub fn new() -> Folder {
        let (top, home) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        let repo = top.path().canonicalize().expect("a real folder").join("repo");
        std::fs::create_dir(&repo).expect("a folder");
        let home_path = home.path().canonicalize().expect("a real folder");
        Folder { _top: top, _home: home, repo, home: home_path }
    }

    /// The same with a fixture laid in it: `//- path` starts a file, everything else is the file's text.
    pub fn with(files: &str) -> Folder {
        let folder = Folder::new();
        let mut current: Option<(String, String)> = None;
        for line in files.split_inclusive('\n') {
            if let Some(path) = line.strip_prefix("//- ") {
                if let Some((path, text)) = current.replace((path.trim().to_owned(), String::new())) {
                    folder.write(&path, text);
                }
            } else if let Some((_, text)) = &mut current {
                text.push_str(line);
            }
        }
        if let Some((path, text)) = current {
            folder.write(&path, text);
        }
        folder
    }

    /// The same with these files in it, line ends and all.
    pub fn of(files: &[(&str, &str)]) -> Folder {
        let folder = Folder::new();
        for (path, text) in files {
            folder.write(path, text);
        }
        folder
    }

    /// The environment in which nothing of this machine's user is in reach. The cache has a folder of its own.
    pub fn environment(&self) -> [(&'static str, PathBuf); 7] {
        [
            ("HOME", self.home.clone()),
            ("XDG_CACHE_HOME", self.home.join("cache")),
            ("XDG_CONFIG_HOME", self.home.join("config")),
            ("XDG_DATA_HOME", self.home.join("data")),
            ("XDG_RUNTIME_DIR", self.home.join("run")),
            ("XDG_STATE_HOME", self.home.join("state")),
            // Tests of the daemon ask for it; the others must leave no process behind.
            ("GORTEX_DAEMON", PathBuf::from("off")),
        ]
    }

    /// The absolute path of a path in the repository.
    pub fn path(&self, path: &str) -> PathBuf {
        self.repo.join(path)
    }

    /// Writes a file, with the folders above it.
    pub fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let full = self.path(path);
        std::fs::create_dir_all(full.parent().expect("a folder")).expect("folders");
        std::fs::write(full, bytes).expect("a file");
    }

    /// The bytes of a file.
    pub fn read(&self, path: &str) -> Vec<u8> {
        std::fs::read(self.path(path)).expect("a file")
    }

    /// The text of a file.
    pub fn text(&self, path: &str) -> String {
        String::from_utf8(self.read(path)).expect("UTF-8")
    }

    /// The names in a folder, sorted, without `.git`.
    pub fn listing(&self, path: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.path(path)).expect("a folder");
        let mut names: Vec<String> = entries
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .filter(|name| name != ".git")
            .collect();
        names.sort();
        names
    }

    /// Makes a symbolic link.
    pub fn link(&self, target: &str, path: &str) {
        let full = self.path(path);
        std::fs::create_dir_all(full.parent().expect("a folder")).expect("folders");
        std::os::unix::fs::symlink(target, full).expect("a link");
    }

    /// Runs git in the repository, as somebody without settings of their own.
    pub fn git(&self, arguments: &[&str]) {
        let done = Command::new("git")
            .args(["-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "init.defaultBranch=main"])
            .args(arguments)
            .current_dir(&self.repo)
            .env("HOME", &self.home)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()
            .expect("git");
        assert!(done.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    }

    /// Makes the repository a git one with one commit of everything in it.
    pub fn commit_all(&self) {
        self.git(&["init", "-q"]);
        self.git(&["add", "-A"]);
        self.git(&["commit", "-qm", "one"]);
    }

    /// One line per file below a folder: path, kind, mode and content hash. Equal lines, equal state.
    pub fn state(root: &Path) -> Vec<String> {
        let mut lines = Vec::new();
        collect(root, root, &mut lines);
        lines.sort();
        lines
    }
}

fn collect(root: &Path, at: &Path, lines: &mut Vec<String>) {
    use std::os::unix::fs::PermissionsExt as _;
    for entry in std::fs::read_dir(at).into_iter().flatten().flatten() {
        let path = entry.path();
        let Ok(meta) = std::fs::symlink_metadata(&path) else { continue };
        let shown = path.strip_prefix(root).expect("below").display().to_string();
        let mode = meta.permissions().mode();
        if meta.is_symlink() {
            let target = std::fs::read_link(&path).map(|target| target.display().to_string()).unwrap_or_default();
            lines.push(format!("{shown} link {target}"));
        } else if meta.is_dir() {
            lines.push(format!("{shown} folder {mode:o}"));
            collect(root, &path, lines);
        } else {
            let bytes = std::fs::read(&path).unwrap_or_default();
            lines.push(format!("{shown} file {mode:o} {}", blob_sha(&bytes)));
        }
    }
}

/// The hash git gives these bytes.
pub fn blob_sha(bytes: &[u8]) -> String {
    use sha1::{Digest as _, Sha1};
    use std::fmt::Write as _;
    let mut hash = Sha1::new();
    hash.update(format!("blob {}\0", bytes.len()));
    hash.update(bytes);
    hash.finalize().iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
