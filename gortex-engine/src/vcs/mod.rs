//! What version control knows: what changed, which files it tracks, what they were.
//!
//! Everything is asked of the `git` program, with every setting pinned that could change the form or the content of an answer:
//! the user's configuration is read only for what the work tree means (line ends, filters, trust), never for how it is shown.
//! Nothing here writes, takes a lock, opens a pager or reaches the network.
//!
//! Paths are relative to the root of the work tree, with `/`, as they are on disk. Knows nothing of symbols.

mod diff;
mod run;

use std::path::{Path, PathBuf};

pub use self::diff::{FileChange, Hunk, Scope, Status};
use self::run::{Output, git};
use crate::index::walk::is_plain;

/// Why git gave no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GitError {
    /// There is no program named `git`.
    #[error("the program `git` was not found")]
    Missing,
    /// The folder is in no work tree.
    #[error("`{path}` is not in a git work tree")]
    NotARepository {
        /// The folder asked for.
        path: PathBuf,
    },
    /// A name that stands for no commit.
    #[error("git knows no commit named `{name}`")]
    UnknownRef {
        /// The name as given.
        name: String,
    },
    /// The two commits have no common ancestor.
    #[error("`{a}` and `{b}` have no common ancestor")]
    NoMergeBase {
        /// One of them.
        a: String,
        /// The other.
        b: String,
    },
    /// Git did not end within its time.
    #[error("git {command} did not end within {seconds} s")]
    Timeout {
        /// The git command.
        command: String,
        /// The limit.
        seconds: u64,
    },
    /// The answer is larger than what is held in memory.
    #[error("git {command} printed more than {limit} bytes")]
    TooLarge {
        /// The git command.
        command: String,
        /// The limit.
        limit: usize,
    },
    /// Anything else, in git's words.
    #[error("git {command} failed: {reason}")]
    Failed {
        /// The git command.
        command: String,
        /// What git printed, trimmed.
        reason: String,
    },
}

/// A work tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repo {
    /// The root of the work tree, without links.
    pub root: PathBuf,
    /// From the root to the folder that was asked for: empty, or ending with `/`.
    pub prefix: String,
    /// The directory git keeps its data in; of a linked work tree its own part.
    pub git_dir: PathBuf,
    /// The part that all work trees share.
    pub common_dir: PathBuf,
}

/// Where the work tree stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The commit, or `None` before the first.
    pub commit: Option<String>,
    /// The branch, or `None` when detached.
    pub branch: Option<String>,
}

/// A file of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeFile {
    /// Path from the root of the work tree.
    pub path: String,
    /// The name of its content.
    pub object: String,
    /// Bytes.
    pub size: u64,
}

/// New files that no ignore rule names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Untracked {
    /// The first of them, sorted; a nested repository is one entry ending with `/`.
    pub paths: Vec<String>,
    /// How many there are.
    pub total: usize,
}

/// One work tree of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worktree {
    /// Its root.
    pub path: PathBuf,
    /// Its commit; `None` for a bare repository or before the first commit.
    pub commit: Option<String>,
    /// Its branch; `None` when detached.
    pub branch: Option<String>,
    /// Whether this entry is a repository without files.
    pub bare: bool,
    /// Whether its folder is gone.
    pub prunable: bool,
}

/// What git thinks of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathState {
    /// In the index, whether or not it is on disk.
    Tracked,
    /// On disk, not in the index, not ignored.
    Untracked,
    /// On disk and ignored.
    Ignored,
    /// Neither in the index nor on disk.
    Absent,
    /// Git could not tell.
    Unknown,
}

impl PathState {
    /// The stable word for answers.
    pub fn as_str(self) -> &'static str {
        match self {
            PathState::Tracked => "tracked",
            PathState::Untracked => "untracked",
            PathState::Ignored => "ignored",
            PathState::Absent => "absent",
            PathState::Unknown => "unknown",
        }
    }
}

impl Repo {
    /// The work tree that a folder is in.
    pub fn discover(path: &Path) -> Result<Repo, GitError> {
        let args = ["rev-parse", "--show-toplevel", "--absolute-git-dir", "--git-common-dir", "--show-prefix"];
        if !path.is_dir() {
            return Err(GitError::NotARepository { path: path.to_path_buf() });
        }
        let output = git(path, &args, None)?;
        if output.code != 0 {
            // Other reasons, such as a folder of another owner, are git's to tell.
            let none = ["not a git repository", "must be run in a work tree"];
            return Err(if none.iter().any(|words| output.stderr.contains(words)) {
                GitError::NotARepository { path: path.to_path_buf() }
            } else {
                output.failed("rev-parse")
            });
        }
        let text = output.text();
        let mut lines = text.split('\n');
        let mut next = || lines.next().unwrap_or_default();
        let (root, git_dir, common) = (next(), next(), next());
        let prefix = next().to_owned();
        // The common directory is told relative to the folder asked for.
        let common_dir = path.join(common);
        let common_dir = common_dir.canonicalize().unwrap_or(common_dir);
        Ok(Repo { root: PathBuf::from(root), prefix, git_dir: PathBuf::from(git_dir), common_dir })
    }

    /// The part of a path below the folder that was asked for; `None` when it is not in there.
    pub fn below<'a>(&self, path: &'a str) -> Option<&'a str> {
        path.strip_prefix(self.prefix.as_str())
    }

    /// The commit and the branch of the work tree.
    pub fn head(&self) -> Result<Head, GitError> {
        let branch = self.ask(&["symbolic-ref", "--quiet", "HEAD"])?;
        let branch = (branch.code == 0).then(|| branch.text().trim_end().trim_start_matches("refs/heads/").to_owned());
        Ok(Head { commit: self.resolve("HEAD")?, branch })
    }

    /// The commit a name stands for.
    pub fn commit(&self, name: &str) -> Result<String, GitError> {
        self.resolve(name)?.ok_or_else(|| GitError::UnknownRef { name: name.to_owned() })
    }

    /// The nearest common ancestor of two commits.
    pub fn merge_base(&self, a: &str, b: &str) -> Result<String, GitError> {
        let (from, to) = (self.commit(a)?, self.commit(b)?);
        let output = self.ask(&["merge-base", &from, &to])?;
        match output.code {
            0 => Ok(output.text().trim_end().to_owned()),
            1 => Err(GitError::NoMergeBase { a: a.to_owned(), b: b.to_owned() }),
            _ => Err(output.failed("merge-base")),
        }
    }

    /// The bytes of a file in a commit; `None` when the commit has no such file.
    pub fn blob(&self, rev: &str, path: &str) -> Result<Option<Vec<u8>>, GitError> {
        let commit = self.commit(rev)?;
        if !is_plain(path) {
            return Ok(None);
        }
        let name = format!("{commit}:{path}\0");
        let output = self.ask_with(&["cat-file", "--batch", "-z"], Some(name.into_bytes()))?;
        if output.code != 0 {
            return Err(output.failed("cat-file"));
        }
        // `<hash> blob <size>`, a line feed, the bytes, a line feed; or one line that says that there is none.
        let line_end = memchr::memchr(b'\n', &output.stdout).unwrap_or(output.stdout.len());
        let header = String::from_utf8_lossy(&output.stdout[..line_end]).into_owned();
        let mut words = header.rsplit(' ');
        let (size, kind) = (words.next().and_then(|word| word.parse::<usize>().ok()), words.next());
        match (kind, size) {
            (Some("blob"), Some(size)) => {
                let bytes = output.stdout.get(line_end + 1..line_end + 1 + size);
                bytes.map(|bytes| Some(bytes.to_vec())).ok_or_else(|| output.failed("cat-file"))
            }
            _ => Ok(None),
        }
    }

    /// The regular files of a commit, by path; links and submodules are none.
    pub fn files(&self, commit: &str) -> Result<Vec<TreeFile>, GitError> {
        let output = self.ask(&["ls-tree", "-r", "-z", "-l", "--full-tree", commit])?;
        if output.code != 0 {
            return Err(output.failed("ls-tree"));
        }
        // `<mode> <type> <object> <size, padded>\t<path>`; a name that is not UTF-8 is never in a list of ours.
        let row = |line: &[u8]| {
            let line = std::str::from_utf8(line).ok()?;
            let (head, path) = line.split_once('\t')?;
            let mut words = head.split_ascii_whitespace();
            let (mode, _, object, size) = (words.next()?, words.next()?, words.next()?, words.next()?);
            let regular = mode.starts_with("100");
            regular.then(|| Some(TreeFile { path: path.to_owned(), object: object.to_owned(), size: size.parse().ok()? }))?
        };
        let mut files: Vec<TreeFile> = output.stdout.split(|byte| *byte == 0).filter_map(row).collect();
        files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Ok(files)
    }

    /// The bytes of objects, in their order. Several hundred megabytes are more than one question may ask for.
    pub fn objects(&self, objects: &[&str]) -> Result<Vec<Vec<u8>>, GitError> {
        let output = self.ask_with(&["cat-file", "--batch"], Some(objects.join("\n").into_bytes()))?;
        let bad = || output.failed("cat-file");
        let mut rest = output.stdout.as_slice();
        let mut found = Vec::with_capacity(objects.len());
        for _ in objects {
            // `<hash> blob <size>`, a line feed, the bytes, a line feed.
            let line = memchr::memchr(b'\n', rest).ok_or_else(bad)?;
            let head = std::str::from_utf8(&rest[..line]).map_err(|_| bad())?;
            let size: usize = head.rsplit(' ').next().and_then(|word| word.parse().ok()).ok_or_else(bad)?;
            let bytes = rest.get(line + 1..line + 1 + size).ok_or_else(bad)?;
            found.push(bytes.to_vec());
            rest = rest.get(line + 2 + size..).ok_or_else(bad)?;
        }
        Ok(found)
    }

    /// New files that no ignore rule names; at most `cap` of their names, and the number of all.
    pub fn untracked(&self, cap: usize) -> Result<Untracked, GitError> {
        let output = self.ask(&["ls-files", "-z", "--others", "--exclude-standard"])?;
        if output.code != 0 {
            return Err(output.failed("ls-files"));
        }
        let mut paths = output.names();
        paths.sort_unstable();
        let total = paths.len();
        paths.truncate(cap);
        Ok(Untracked { paths, total })
    }

    /// All work trees of the repository, the main one first.
    pub fn worktrees(&self) -> Result<Vec<Worktree>, GitError> {
        let output = self.ask(&["worktree", "list", "--porcelain", "-z"])?;
        if output.code != 0 {
            return Err(output.failed("worktree list"));
        }
        let mut list: Vec<Worktree> = Vec::new();
        for field in output.names() {
            let (key, value) = field.split_once(' ').unwrap_or((&field, ""));
            if key == "worktree" {
                let path = PathBuf::from(value);
                list.push(Worktree { path, commit: None, branch: None, bare: false, prunable: false });
            }
            let Some(last) = list.last_mut() else { continue };
            match key {
                "HEAD" if value.bytes().any(|byte| byte != b'0') => last.commit = Some(value.to_owned()),
                "branch" => last.branch = Some(value.trim_start_matches("refs/heads/").to_owned()),
                "bare" => last.bare = true,
                "prunable" => last.prunable = true,
                _ => {}
            }
        }
        Ok(list)
    }

    /// Which of these paths an ignore rule names, in the order given. Tracked files are never ignored.
    pub fn is_ignored(&self, paths: &[&str]) -> Result<Vec<bool>, GitError> {
        if paths.is_empty() {
            return Ok(Vec::new());
        }
        let mut input = Vec::new();
        for path in paths {
            // Without the dot a leading colon would be an instruction.
            input.extend_from_slice(b"./");
            input.extend_from_slice(path.as_bytes());
            input.push(0);
        }
        let output = self.ask_with(&["check-ignore", "-z", "--stdin"], Some(input))?;
        if output.code > 1 || output.code < 0 {
            return Err(output.failed("check-ignore"));
        }
        let ignored: std::collections::BTreeSet<String> = output.names().into_iter().collect();
        Ok(paths.iter().map(|path| ignored.contains(&format!("./{path}"))).collect())
    }

    /// What git thinks of a path, of a file or of a folder.
    pub fn path_state(&self, path: &str) -> PathState {
        let path = path.trim_end_matches('/');
        if !is_plain(path) {
            return PathState::Unknown;
        }
        match self.ask(&["ls-files", "-z", "--", &format!(":(literal){path}")]) {
            Ok(output) if output.code == 0 && !output.stdout.is_empty() => return PathState::Tracked,
            Ok(output) if output.code == 0 => {}
            _ => return PathState::Unknown,
        }
        if self.root.join(path).symlink_metadata().is_err() {
            return PathState::Absent;
        }
        match self.is_ignored(&[path]).as_deref() {
            Ok([true]) => PathState::Ignored,
            Ok(_) => PathState::Untracked,
            Err(_) => PathState::Unknown,
        }
    }

    fn resolve(&self, name: &str) -> Result<Option<String>, GitError> {
        // `HEAD~0` and the like are welcome; options, ranges and paths in a commit are not names of a commit.
        if name.is_empty() || name.starts_with('-') || name.contains(['\0', ':', '\n']) || name.contains("..") {
            return Ok(None);
        }
        let spec = format!("{name}^{{commit}}");
        let output = self.ask(&["rev-parse", "--verify", "--quiet", "--end-of-options", &spec])?;
        match output.code {
            0 => Ok(Some(output.text().trim_end().to_owned())),
            1 | 128 if output.stderr.is_empty() || output.stderr.contains("Needed a single revision") => Ok(None),
            _ => Err(output.failed("rev-parse")),
        }
    }

    fn ask(&self, args: &[&str]) -> Result<Output, GitError> {
        git(&self.root, args, None)
    }

    fn ask_with(&self, args: &[&str], input: Option<Vec<u8>>) -> Result<Output, GitError> {
        git(&self.root, args, input)
    }
}

#[cfg(test)]
mod tests;
