//! The list of a folder's files, as its ignore rules want it.
//!
//! One directory is read at a time; ignore rules form a chain from the directory up to the root of the repository, and the
//! nearest rule wins, as in git. Links are never followed: a file is listed once, under its real path. What is not listed for
//! any other reason than an ignore rule is listed with that reason.
//!
//! The answer depends on the folder alone: a user's global ignore file and ignore files above the repository count for nothing.
//! Knows nothing of what is in a file.

use std::fs;
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rayon::prelude::*;

/// Ignore files of git.
const GIT_RULES: &[&str] = &[".gitignore"];
/// Ignore files of search tools, in growing precedence; they all outrank git's, so that they can bring an ignored file back.
const TOOL_RULES: &[&str] = &[".ignore", ".rgignore", ".gortexignore"];
/// More of an ignore file is not read.
const MAX_RULE_BYTES: u64 = 1 << 20;

/// A regular file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WalkedFile {
    /// Path below the root, with `/`.
    pub rel: String,
    /// Size in bytes.
    pub size: u64,
    /// Time of the last change in nanoseconds since 1970; negative before.
    pub mtime_ns: i64,
    /// The file's number on its disk, or 0 where there is none.
    pub inode: u64,
}

/// Why an entry that no ignore rule names is not in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SkipReason {
    /// A link to something inside the root, which is listed under its own path.
    Symlink,
    /// A link that leads nowhere, or in a circle.
    Dangling,
    /// A link that leaves the root.
    Outside,
    /// A socket, a pipe or a device.
    NotRegular,
    /// A name that is not UTF-8; the path is shown with replacement characters.
    NameNotUtf8,
    /// The system refused to read it.
    Unreadable,
}

impl SkipReason {
    /// The stable word for answers.
    pub fn as_str(self) -> &'static str {
        match self {
            SkipReason::Symlink => "symlink",
            SkipReason::Dangling => "dangling",
            SkipReason::Outside => "outside",
            SkipReason::NotRegular => "not_regular",
            SkipReason::NameNotUtf8 => "name_not_utf8",
            SkipReason::Unreadable => "unreadable",
        }
    }
}

/// An entry that is not in the list, with the reason.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Skipped {
    /// Path below the root, with `/`.
    pub rel: String,
    /// Why.
    pub reason: SkipReason,
}

/// What a folder holds; every list is sorted by path.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Walk {
    /// The files.
    pub files: Vec<WalkedFile>,
    /// Directories that were read, the root as the empty path.
    pub folders: Vec<String>,
    /// Entries left out although no rule names them.
    pub skipped: Vec<Skipped>,
    /// Directories left out because they never hold source, with the reason.
    pub excluded: Vec<(String, &'static str)>,
    /// Number of entries (files and whole directories) that ignore rules hide.
    pub ignored: u64,
    /// Ignore rules that could not be understood, as `path: reason`; the other rules hold.
    pub problems: Vec<String>,
}

/// Why there is no list at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WalkError {
    /// The root is no directory.
    #[error("`{root}` is not a directory")]
    NotADirectory {
        /// The path as given.
        root: PathBuf,
    },
    /// The root can't be read.
    #[error("could not read the directory `{root}`")]
    Io {
        /// The path as given.
        root: PathBuf,
        /// The system's reason.
        #[source]
        source: std::io::Error,
    },
    /// The caller stopped the walk; half a list is never returned.
    #[error("the walk was cancelled")]
    Cancelled,
}

/// Lists the files of a folder, with up to this many threads.
///
/// The result is the same for every number of threads.
pub fn walk(root: &Path, threads: usize, cancel: &AtomicBool) -> Result<Walk, WalkError> {
    let mut all = Walk::default();
    let (walker, above) = Walker::at(root, &mut all.problems)?;
    let pool = (threads > 1).then(|| rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok()).flatten();
    let mut frontier = vec![Dir { rel: String::new(), above }];
    while !frontier.is_empty() {
        if cancel.load(Ordering::Relaxed) {
            return Err(WalkError::Cancelled);
        }
        let visit = |dir: Dir| if cancel.load(Ordering::Relaxed) { Visit::default() } else { walker.visit(&dir) };
        // A narrow level is not worth waking the other threads for.
        let visits: Vec<Visit> = match &pool {
            Some(pool) if frontier.len() > 2 => pool.install(|| frontier.into_par_iter().map(visit).collect()),
            _ => frontier.into_iter().map(visit).collect(),
        };
        frontier = Vec::new();
        for visit in visits {
            all.files.extend(visit.found.files);
            all.folders.extend(visit.found.folders);
            all.skipped.extend(visit.found.skipped);
            all.excluded.extend(visit.found.excluded);
            all.problems.extend(visit.found.problems);
            all.ignored += visit.found.ignored;
            frontier.extend(visit.dirs);
        }
    }
    if cancel.load(Ordering::Relaxed) {
        return Err(WalkError::Cancelled);
    }
    all.files.sort_unstable_by(|a, b| a.rel.cmp(&b.rel));
    all.folders.sort_unstable();
    all.skipped.sort_unstable();
    all.excluded.sort_unstable();
    all.problems.sort_unstable();
    Ok(all)
}

/// A directory still to be read, with the rules of the directories above it.
struct Dir {
    rel: String,
    above: Option<Arc<Rules>>,
}

/// What reading one directory gave.
#[derive(Default)]
struct Visit {
    found: Walk,
    dirs: Vec<Dir>,
}

/// One entry of a directory.
struct Entry {
    name: String,
    kind: fs::FileType,
    from: fs::DirEntry,
}

pub(super) struct Walker {
    pub root: PathBuf,
    /// From the root of the repository to that of the walk: empty, or ending with `/`.
    pub prefix: String,
}

impl Walker {
    /// A walker for a folder, with the rules that stand above it.
    pub fn at(root: &Path, problems: &mut Vec<String>) -> Result<(Walker, Option<Arc<Rules>>), WalkError> {
        let fail = |source| WalkError::Io { root: root.to_path_buf(), source };
        let real = fs::canonicalize(root).map_err(fail)?;
        if !real.is_dir() {
            return Err(WalkError::NotADirectory { root: root.to_path_buf() });
        }
        fs::read_dir(&real).map_err(fail)?;
        let (prefix, above) = rules_above(&real, problems);
        Ok((Walker { root: real, prefix }, above))
    }

    fn visit(&self, dir: &Dir) -> Visit {
        let mut visit = Visit::default();
        let path = self.root.join(&dir.rel);
        let Some(entries) = read_entries(&path, &dir.rel, &mut visit.found) else { return visit };
        let regular = |name: &str| entries.iter().any(|entry| entry.name == name && entry.kind.is_file());
        if !dir.rel.is_empty()
            && let Some(reason) = never_source(&dir.rel, &path, regular)
        {
            visit.found = Walk { excluded: vec![(dir.rel.clone(), reason)], ..Walk::default() };
            return visit;
        }
        visit.found.folders.push(dir.rel.clone());
        let is_repo = entries.iter().any(|entry| entry.name == ".git");
        let skip = self.prefix.len() + if dir.rel.is_empty() { 0 } else { dir.rel.len() + 1 };
        let rules = extend(dir.above.clone(), &path, skip, is_repo, regular, &mut visit.found.problems);
        for entry in &entries {
            self.entry(entry, dir, rules.as_ref(), &mut visit);
        }
        visit
    }

    fn entry(&self, entry: &Entry, dir: &Dir, rules: Option<&Arc<Rules>>, visit: &mut Visit) {
        let rel = join(&dir.rel, &entry.name);
        if entry.name == ".git" {
            if entry.kind.is_dir() {
                visit.found.excluded.push((rel, "version_control"));
            }
            return;
        }
        let verdict = if self.prefix.is_empty() {
            decide(rules, &rel, entry.kind.is_dir())
        } else {
            decide(rules, &format!("{}{rel}", self.prefix), entry.kind.is_dir())
        };
        if verdict == Verdict::Ignore {
            visit.found.ignored += 1;
        } else if entry.kind.is_symlink() {
            let reason = self.link(&rel);
            visit.found.skipped.push(Skipped { rel, reason });
        } else if entry.kind.is_dir() {
            match by_name(&entry.name) {
                // A rule that names the directory, such as `!node_modules`, is an explicit wish.
                Some(reason) if verdict == Verdict::None => visit.found.excluded.push((rel, reason)),
                _ => visit.dirs.push(Dir { rel, above: rules.cloned() }),
            }
        } else if entry.kind.is_file() {
            match entry.from.metadata() {
                Ok(meta) => visit.found.files.push(walked(rel, &meta)),
                // Gone since the directory was read: there is no such file.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(_) => visit.found.skipped.push(Skipped { rel, reason: SkipReason::Unreadable }),
            }
        } else {
            visit.found.skipped.push(Skipped { rel, reason: SkipReason::NotRegular });
        }
    }

    pub fn link(&self, rel: &str) -> SkipReason {
        match fs::canonicalize(self.root.join(rel)) {
            Ok(target) if target.starts_with(&self.root) => SkipReason::Symlink,
            Ok(_) => SkipReason::Outside,
            Err(_) => SkipReason::Dangling,
        }
    }
}

fn read_entries(path: &Path, rel: &str, found: &mut Walk) -> Option<Vec<Entry>> {
    let Ok(reader) = fs::read_dir(path) else {
        found.skipped.push(Skipped { rel: rel.to_owned(), reason: SkipReason::Unreadable });
        return None;
    };
    let mut entries = Vec::new();
    for from in reader {
        let Ok(from) = from else {
            found.skipped.push(Skipped { rel: rel.to_owned(), reason: SkipReason::Unreadable });
            break;
        };
        match (from.file_name().into_string(), from.file_type()) {
            (Ok(name), Ok(kind)) => entries.push(Entry { name, kind, from }),
            (Ok(name), Err(_)) => found.skipped.push(Skipped { rel: join(rel, &name), reason: SkipReason::Unreadable }),
            (Err(raw), _) => {
                let rel = join(rel, &raw.to_string_lossy());
                found.skipped.push(Skipped { rel, reason: SkipReason::NameNotUtf8 });
            }
        }
    }
    Some(entries)
}

pub(super) fn walked(rel: String, meta: &fs::Metadata) -> WalkedFile {
    #[cfg(unix)]
    let inode = std::os::unix::fs::MetadataExt::ino(meta);
    #[cfg(not(unix))]
    let inode = 0;
    WalkedFile { rel, size: meta.len(), mtime_ns: modified_ns(meta), inode }
}

/// Time of the last change in nanoseconds since 1970; negative before.
pub fn modified_ns(meta: &fs::Metadata) -> i64 {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        meta.mtime().saturating_mul(1_000_000_000).saturating_add(meta.mtime_nsec())
    }
    #[cfg(not(unix))]
    {
        let since = meta.modified().ok().and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
        since.map_or(0, |since| i64::try_from(since.as_nanos()).unwrap_or(i64::MAX))
    }
}

/// Size and time of a file as entries of a view have them.
pub fn size_and_time(meta: &fs::Metadata) -> (u64, u64) {
    (meta.len(), modified_ns(meta) as u64)
}

fn join(dir: &str, name: &str) -> String {
    if dir.is_empty() { name.to_owned() } else { format!("{dir}/{name}") }
}

/// Directories whose name alone says that nobody writes source in them.
pub(super) fn by_name(name: &str) -> Option<&'static str> {
    match name {
        ".hg" | ".svn" => Some("version_control"),
        "node_modules" => Some("installed_packages"),
        "__pycache__" => Some("bytecode_cache"),
        _ => None,
    }
}

/// Directories whose content marks them as something a tool made.
pub(super) fn never_source(rel: &str, path: &Path, has: impl Fn(&str) -> bool) -> Option<&'static str> {
    let name = rel.rsplit('/').next().unwrap_or(rel);
    match name {
        ".venv" | "venv" if has("pyvenv.cfg") => Some("virtual_environment"),
        "target" if has("CACHEDIR.TAG") => Some("build_output"),
        // A second checkout of the same repository would show every symbol twice; a submodule is a folder like any other.
        _ if has(".git") && git_dir_of(path).is_some_and(|dir| is_linked_worktree(&dir)) => Some("linked_worktree"),
        _ => None,
    }
}

fn is_linked_worktree(git_dir: &Path) -> bool {
    git_dir.parent().and_then(Path::file_name).is_some_and(|name| name == "worktrees")
}

/// What the rules say of a path.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    None,
    Ignore,
    Keep,
}

/// The rules of one directory, linked to those above.
pub(super) struct Rules {
    above: Option<Arc<Rules>>,
    /// How many bytes of a path are the directory the rules stand in.
    skip: usize,
    tool: Option<Gitignore>,
    git: Option<Gitignore>,
    /// `.git/info/exclude` of the repository that begins here: asked last, and where git's rules end.
    exclude: Option<Gitignore>,
    is_repo: bool,
}

/// What the rules say of a path, given from the root of the repository (or of the walk, where there is none).
///
/// Asks the nearest rules first: those of search tools in all directories, then git's up to the root of the repository.
pub(super) fn decide(rules: Option<&Arc<Rules>>, rel: &str, is_dir: bool) -> Verdict {
    let mut at = rules;
    while let Some(level) = at {
        let verdict = level.ask(level.tool.as_ref(), rel, is_dir);
        if verdict != Verdict::None {
            return verdict;
        }
        at = level.above.as_ref();
    }
    at = rules;
    while let Some(level) = at {
        for matcher in [level.git.as_ref(), level.exclude.as_ref()] {
            let verdict = level.ask(matcher, rel, is_dir);
            if verdict != Verdict::None {
                return verdict;
            }
        }
        at = if level.is_repo { None } else { level.above.as_ref() };
    }
    Verdict::None
}

impl Rules {
    fn ask(&self, matcher: Option<&Gitignore>, rel: &str, is_dir: bool) -> Verdict {
        let Some(matcher) = matcher else { return Verdict::None };
        match matcher.matched(rel.get(self.skip..).unwrap_or(rel), is_dir) {
            ignore::Match::None => Verdict::None,
            ignore::Match::Ignore(_) => Verdict::Ignore,
            ignore::Match::Whitelist(_) => Verdict::Keep,
        }
    }
}

/// The chain with one directory more; the same chain when the directory says nothing.
pub(super) fn extend(
    above: Option<Arc<Rules>>,
    dir: &Path,
    skip: usize,
    is_repo: bool,
    regular: impl Fn(&str) -> bool,
    problems: &mut Vec<String>,
) -> Option<Arc<Rules>> {
    let mut compile = |names: &[&str]| {
        let paths: Vec<PathBuf> = names.iter().filter(|name| regular(name)).map(|name| dir.join(name)).collect();
        compile(&paths, problems)
    };
    let (tool, git) = (compile(TOOL_RULES), compile(GIT_RULES));
    let exclude = if is_repo {
        common_dir_of(dir).and_then(|common| compile_if_regular(&common.join("info/exclude"), problems))
    } else {
        None
    };
    if tool.is_none() && git.is_none() && !is_repo {
        return above;
    }
    Some(Arc::new(Rules { above, skip, tool, git, exclude, is_repo }))
}

/// The way from the root of the repository to the root of the walk, and the rules on it, unless these hide the root: whoever
/// asks for an ignored folder wants to see what is in it.
fn rules_above(root: &Path, problems: &mut Vec<String>) -> (String, Option<Arc<Rules>>) {
    let nothing = (String::new(), None);
    let Some(top) = root.ancestors().find(|dir| dir.join(".git").symlink_metadata().is_ok()) else { return nothing };
    let below = root.strip_prefix(top).unwrap_or(Path::new(""));
    let names: Option<Vec<&str>> = below.components().map(|part| part.as_os_str().to_str()).collect();
    let Some(names) = names else { return nothing };
    let mut rules = None;
    let mut dir = top.to_path_buf();
    let mut prefix = String::new();
    for name in names {
        let here = dir.clone();
        let regular = |name: &str| here.join(name).symlink_metadata().is_ok_and(|meta| meta.is_file());
        rules = extend(rules, &here, prefix.len(), prefix.is_empty(), regular, problems);
        prefix.push_str(name);
        if decide(rules.as_ref(), &prefix, true) == Verdict::Ignore {
            return nothing;
        }
        prefix.push('/');
        dir.push(name);
    }
    (prefix, rules)
}

fn compile_if_regular(path: &Path, problems: &mut Vec<String>) -> Option<Gitignore> {
    path.symlink_metadata().is_ok_and(|meta| meta.is_file()).then(|| compile(&[path.to_path_buf()], problems)).flatten()
}

/// One matcher of several files, the later lines having the last word.
fn compile(paths: &[PathBuf], problems: &mut Vec<String>) -> Option<Gitignore> {
    let mut texts = Vec::new();
    for path in paths {
        let mut bytes = Vec::new();
        match fs::File::open(path).and_then(|file| file.take(MAX_RULE_BYTES).read_to_end(&mut bytes)) {
            Ok(_) => texts.push((path.display().to_string(), bytes)),
            Err(error) => problems.push(format!("{}: {error}", path.display())),
        }
    }
    compile_texts(&texts, problems)
}

/// The same from what is in the files.
fn compile_texts(texts: &[(String, Vec<u8>)], problems: &mut Vec<String>) -> Option<Gitignore> {
    // Paths are handed over relative to the directory already, so there is nothing to strip.
    let mut builder = GitignoreBuilder::new(".");
    let mut any = false;
    for (name, bytes) in texts {
        let text = String::from_utf8_lossy(bytes);
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        for line in text.split('\n') {
            any = true;
            if let Err(error) = builder.add_line(None, line.strip_suffix('\r').unwrap_or(line)) {
                problems.push(format!("{name}: {error}"));
            }
        }
    }
    let built = if any { builder.build() } else { return None };
    match built {
        Ok(matcher) => (!matcher.is_empty()).then_some(matcher),
        Err(error) => {
            problems.push(error.to_string());
            None
        }
    }
}

/// The chain with one directory more, whose rule files are given by name and content; `exclude` is the root's, where it is one.
pub(super) fn extend_texts(
    above: Option<Arc<Rules>>,
    skip: usize,
    files: &[(String, Vec<u8>)],
    exclude: Option<&Path>,
    is_repo: bool,
) -> Option<Arc<Rules>> {
    let pick = |names: &[&str]| {
        let all = names.iter().filter_map(|name| files.iter().find(|(of, _)| of == name).cloned());
        compile_texts(&all.collect::<Vec<_>>(), &mut Vec::new())
    };
    let (tool, git) = (pick(TOOL_RULES), pick(GIT_RULES));
    if tool.is_none() && git.is_none() && !is_repo {
        return above;
    }
    let exclude = exclude.and_then(|path| compile_if_regular(path, &mut Vec::new()));
    Some(Arc::new(Rules { above, skip, tool, git, exclude, is_repo }))
}

/// Where `.git` of a work tree is: itself, or where the file of that name points.
fn git_dir_of(work_tree: &Path) -> Option<PathBuf> {
    let dot_git = work_tree.join(".git");
    // Some tools make `.git` a link, which git follows; nothing but the rules is read through it.
    let meta = dot_git.metadata().ok()?;
    if meta.is_dir() {
        return Some(dot_git);
    }
    if !meta.is_file() {
        return None;
    }
    let target = first_line(&dot_git)?;
    Some(work_tree.join(target.strip_prefix("gitdir:")?.trim()))
}

/// The repository's shared directory, which a linked work tree names in a file.
fn common_dir_of(work_tree: &Path) -> Option<PathBuf> {
    let git_dir = git_dir_of(work_tree)?;
    match first_line(&git_dir.join("commondir")) {
        Some(common) => Some(git_dir.join(common)),
        None => Some(git_dir),
    }
}

fn first_line(path: &Path) -> Option<String> {
    if !path.symlink_metadata().is_ok_and(|meta| meta.is_file()) {
        return None;
    }
    let mut bytes = Vec::new();
    fs::File::open(path).ok()?.take(8192).read_to_end(&mut bytes).ok()?;
    String::from_utf8(bytes).ok()?.lines().next().map(|line| line.trim_end().to_owned())
}

/// Whether a path consists of plain names only, so that joining it to a root can't leave the root except through a link.
pub fn is_plain(rel: &str) -> bool {
    !rel.is_empty() && Path::new(rel).components().all(|part| matches!(part, Component::Normal(_)))
}

/// Whether a file of this name says what is ignored, so that a change of it may change the whole list.
pub fn is_rule_file(name: &str) -> bool {
    GIT_RULES.contains(&name) || TOOL_RULES.contains(&name)
}

/// Where git keeps what decides about a work tree: its own directory, and the one that all work trees share.
pub fn git_dirs(work_tree: &Path) -> Option<(PathBuf, PathBuf)> {
    Some((git_dir_of(work_tree)?, common_dir_of(work_tree)?))
}

#[cfg(test)]
#[path = "walk_tests.rs"]
mod tests;
