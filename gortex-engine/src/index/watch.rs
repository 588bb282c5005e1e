//! What changed on disk since somebody last looked, as far as the system tells.
//!
//! Watched are the directories that a walk has read, and where git keeps `HEAD` and its ignore rules. Events name paths;
//! paths wait until a reader asks or the tree has been quiet for a moment. Too many of them, a directory that came or went, a
//! changed ignore rule, another `HEAD` or a lost event stand for one look at everything.
//!
//! Events take a moment to arrive. A reader that must not miss a write that happened before it asked writes a file of its own
//! into a watched folder of the cache and waits for that event: events come in order, so all earlier ones have been told.
//!
//! Knows paths and events; what they mean for a view is for `build`, when to ask for `engine`.

#[cfg(target_os = "linux")]
#[path = "watch/inotify.rs"]
mod backend;
#[cfg(not(target_os = "linux"))]
#[path = "watch/system.rs"]
mod backend;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use rustc_hash::FxHashSet;

use self::backend::Backend;
use super::walk::{git_dirs, is_rule_file};

/// More paths than this are one look at everything.
const STORM: usize = 1_000;
/// The tree has to be this quiet before changes are taken in unasked ...
const QUIET: Duration = Duration::from_millis(120);
/// ... unless it never is, or git holds its lock.
const LONGEST: Duration = Duration::from_secs(5);
/// Between two looks at everything that nothing asked for.
const JANITOR: Duration = Duration::from_mins(2);
/// Between two tries to take in what can't be.
const REST: Duration = Duration::from_secs(2);
/// How long a reader waits for its own event.
const ECHO: Duration = Duration::from_millis(300);
/// Missing echoes in a row, or looks that found what nobody told, after which the events are not trusted.
const FAILURES: u32 = 3;

/// Why there are no events.
#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    /// The system's limit is reached.
    #[error("the limit of watched folders is reached ({folders} needed; fs.inotify.max_user_watches)")]
    Limit {
        /// How many folders there are.
        folders: usize,
    },
    /// Anything else, in the system's words.
    #[error("{0}")]
    System(String),
}

/// What was told and is not taken in.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Pending {
    /// Paths that may have changed.
    pub paths: BTreeSet<PathBuf>,
    /// Whether the paths are not all.
    pub everything: bool,
}

/// Why the one who tends the tree was woken.
#[derive(Debug, PartialEq, Eq)]
pub enum Wake {
    /// Changes wait, and the tree is quiet.
    Changes,
    /// It is time to see whether something was missed.
    Janitor,
    /// It is over.
    End,
}

/// What an event is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    /// A file, or something that looks like one.
    Entry,
    /// A directory that came, went or changed its rights.
    Folder,
}

#[derive(Debug, Default)]
struct State {
    pending: Pending,
    /// Changes were taken out and are not in a published view yet.
    busy: bool,
    first: Option<Instant>,
    last: Option<Instant>,
    janitor: Option<Instant>,
    echoes: u64,
    failures: u32,
    missed: u32,
    failed: Option<String>,
    ended: bool,
}

/// The part that events are told to.
#[derive(Debug)]
struct Ear {
    echo: PathBuf,
    /// Directories of git that are watched for a few names.
    git: Mutex<FxHashSet<PathBuf>>,
    state: Mutex<State>,
    told: Condvar,
}

impl Ear {
    fn tell(&self, path: PathBuf, what: What) {
        if path.parent() == Some(&self.echo) {
            self.state.lock().echoes += 1;
            self.told.notify_all();
            return;
        }
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let in_git = path.parent().is_some_and(|folder| self.git.lock().contains(folder));
        if in_git && !matches!(name, "HEAD" | "exclude") || name == ".git" {
            return;
        }
        let everything = in_git || what == What::Folder || is_rule_file(name);
        self.note(|pending| {
            if everything || pending.paths.len() >= STORM {
                pending.everything = true;
            } else {
                pending.paths.insert(path);
            }
        });
    }

    fn lost(&self) {
        self.note(|pending| pending.everything = true);
    }

    fn fail(&self, why: String) {
        self.state.lock().failed.get_or_insert(why);
        self.told.notify_all();
    }

    fn note(&self, change: impl FnOnce(&mut Pending)) {
        let mut state = self.state.lock();
        change(&mut state.pending);
        if state.pending.everything {
            state.pending.paths.clear();
        }
        let now = Instant::now();
        state.first.get_or_insert(now);
        state.last = Some(now);
        self.told.notify_all();
    }

    fn ended(&self) -> bool {
        self.state.lock().ended
    }
}

/// Changes taken out; whoever holds it makes a view of them.
#[derive(Debug)]
pub struct Taken<'l> {
    live: &'l Live,
    /// What they are.
    pub pending: Pending,
    done: bool,
}

impl Taken<'_> {
    /// A view with these changes is published.
    pub fn done(mut self) {
        self.done = true;
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        self.live.ear.state.lock().busy = false;
        if !self.done {
            self.live.ear.lost();
        }
    }
}

/// A watcher over the tracked roots.
#[derive(Debug)]
pub struct Live {
    ear: Arc<Ear>,
    backend: Mutex<Backend>,
    roots: Mutex<Vec<(PathBuf, Option<PathBuf>)>>,
    echoing: Mutex<()>,
    _folder: tempfile::TempDir,
}

impl Live {
    /// A watcher of nothing yet, for which everything is to be looked at. `cache` is where it keeps the file it listens for.
    pub fn new(cache: &Path) -> Result<Live, WatchError> {
        let system = |error: std::io::Error| WatchError::System(error.to_string());
        let parent = cache.join("live");
        std::fs::create_dir_all(&parent).map_err(system)?;
        let folder = tempfile::Builder::new().prefix("echo-").tempdir_in(&parent).map_err(system)?;
        let echo = folder.path().canonicalize().map_err(system)?;
        let state = State { janitor: Some(Instant::now() + JANITOR), ..State::default() };
        let ear = Arc::new(Ear { echo: echo.clone(), git: Mutex::default(), state: Mutex::new(state), told: Condvar::new() });
        let mut backend = Backend::new(Arc::clone(&ear))?;
        backend.cover(&[], std::slice::from_ref(&echo))?;
        ear.lost();
        Ok(Live { ear, backend: Mutex::new(backend), roots: Mutex::default(), echoing: Mutex::new(()), _folder: folder })
    }

    /// Watches these folders, all of them below one of the roots, and no others. What happened in new ones before they were
    /// watched is unknown, so that everything has to be looked at once more.
    pub fn cover(&self, roots: &[PathBuf], folders: &[PathBuf]) -> Result<(), WatchError> {
        let mut all: Vec<PathBuf> = folders.to_vec();
        let mut git = FxHashSet::default();
        let mut known = Vec::new();
        for root in roots {
            let dirs = git_dirs(root);
            known.push((root.clone(), dirs.as_ref().map(|(own, _)| own.clone())));
            let Some((own, common)) = dirs else { continue };
            git.extend([own, common.join("info")].into_iter().filter_map(|dir| dir.canonicalize().ok()));
        }
        all.extend(git.iter().cloned());
        all.push(self.ear.echo.clone());
        *self.ear.git.lock() = git;
        *self.roots.lock() = known;
        match self.backend.lock().cover(roots, &all) {
            Ok(0) => Ok(()),
            Ok(_) => {
                self.ear.lost();
                Ok(())
            }
            Err(error) => {
                self.ear.fail(error.to_string());
                Err(error)
            }
        }
    }

    /// Waits until everything that happened before has been told. False when the system does not tell.
    pub fn sync(&self) -> bool {
        let _one = self.echoing.lock();
        let before = {
            let state = self.ear.state.lock();
            if state.failed.is_some() {
                return false;
            }
            state.echoes
        };
        let written = std::fs::write(self.ear.echo.join("echo"), b".").is_ok();
        let deadline = Instant::now() + ECHO;
        let mut state = self.ear.state.lock();
        while written && state.echoes == before && state.failed.is_none() {
            if self.ear.told.wait_until(&mut state, deadline).timed_out() {
                break;
            }
        }
        let heard = state.echoes != before && state.failed.is_none();
        state.failures = if heard { 0 } else { state.failures + 1 };
        if state.failures >= FAILURES {
            state.failed.get_or_insert_with(|| "the system does not report changes".to_owned());
        }
        heard
    }

    /// Whether nothing waits and nothing is being taken in.
    pub fn is_quiet(&self) -> bool {
        let state = self.ear.state.lock();
        !state.busy && state.pending == Pending::default()
    }

    /// Number of paths that wait; `None` when all have to be looked at.
    pub fn waiting(&self) -> Option<usize> {
        let state = self.ear.state.lock();
        (!state.pending.everything).then_some(state.pending.paths.len())
    }

    /// Why events are not trusted any more.
    pub fn failure(&self) -> Option<String> {
        self.ear.state.lock().failed.clone()
    }

    /// Takes out what waits. One at a time: the caller holds the engine's writing right.
    pub fn take(&self) -> Option<Taken<'_>> {
        let mut state = self.ear.state.lock();
        if state.pending == Pending::default() {
            return None;
        }
        state.busy = true;
        (state.first, state.last) = (None, None);
        Some(Taken { live: self, pending: std::mem::take(&mut state.pending), done: false })
    }

    /// Adds a path that somebody found changed.
    pub fn tell(&self, path: PathBuf) {
        self.ear.tell(path, What::Entry);
    }

    /// Asks for one look at everything.
    pub fn tell_everything(&self) {
        self.ear.lost();
    }

    /// A look at everything found what nobody had told.
    pub fn missed(&self) {
        let mut state = self.ear.state.lock();
        state.missed += 1;
        if state.missed >= FAILURES {
            state.failed.get_or_insert_with(|| "changes were found that the system had not reported".to_owned());
        }
    }

    /// Sleeps until there is something to do.
    pub fn wait(&self) -> Wake {
        let mut state = self.ear.state.lock();
        loop {
            if state.ended || state.failed.is_some() {
                return Wake::End;
            }
            let now = Instant::now();
            let due = match (state.first, state.last) {
                (Some(first), Some(last)) => {
                    let patience = first + LONGEST;
                    let due = (last + QUIET).min(patience);
                    // A checkout that is under way is taken in as a whole.
                    if due <= now && (patience <= now || !self.git_is_busy()) {
                        return Wake::Changes;
                    }
                    due.max(now + QUIET)
                }
                _ => {
                    let due = state.janitor.unwrap_or(now);
                    if due <= now {
                        state.janitor = Some(now + JANITOR);
                        return Wake::Janitor;
                    }
                    due
                }
            };
            self.ear.told.wait_until(&mut state, due);
        }
    }

    /// Sleeps a while, whatever is told meanwhile.
    pub fn rest(&self) {
        let until = Instant::now() + REST;
        let mut state = self.ear.state.lock();
        while !state.ended && !self.ear.told.wait_until(&mut state, until).timed_out() {}
    }

    fn git_is_busy(&self) -> bool {
        self.roots.lock().iter().filter_map(|(_, git)| git.as_ref()).any(|git| git.join("index.lock").exists())
    }

    /// Ends it: whoever waits is woken.
    pub fn end(&self) {
        self.ear.state.lock().ended = true;
        self.ear.told.notify_all();
        // Wakes the thread that reads events.
        let _ = std::fs::write(self.ear.echo.join("echo"), b".");
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A watched folder.
    struct Disk {
        _folder: tempfile::TempDir,
        root: PathBuf,
        live: Live,
    }

    impl Disk {
        fn new() -> Disk {
            let folder = tempfile::tempdir().expect("a folder");
            let top = folder.path().canonicalize().expect("a folder");
            let root = top.join("repo");
            std::fs::create_dir_all(root.join("src")).expect("folders");
            std::fs::create_dir_all(root.join(".git/info")).expect("folders");
            let live = Live::new(&top.join("cache")).expect("a watcher");
            let disk = Disk { _folder: folder, root, live };
            disk.cover();
            assert!(disk.told().everything);
            disk
        }

        fn cover(&self) {
            let folders = [self.root.clone(), self.root.join("src")];
            self.live.cover(std::slice::from_ref(&self.root), &folders).expect("covered");
        }

        /// What has been told since the last time.
        fn told(&self) -> Pending {
            // A machine under load may be late; it is the order of events that is tested.
            assert!((0..FAILURES - 1).any(|_| self.live.sync()), "no echo");
            let Some(mut taken) = self.live.take() else { return Pending::default() };
            let pending = std::mem::take(&mut taken.pending);
            taken.done();
            pending
        }

        fn names(&self) -> Vec<String> {
            let pending = self.told();
            assert!(!pending.everything);
            let rel = |path: &PathBuf| path.strip_prefix(&self.root).expect("below").display().to_string();
            pending.paths.iter().map(rel).collect()
        }
    }

    #[test]
    fn changed_files_are_named() {
        let disk = Disk::new();
        assert_eq!(disk.names(), [""; 0]);
        assert!(disk.live.is_quiet());
        std::fs::write(disk.root.join("src/ü.py"), "x").expect("a file");
        std::fs::write(disk.root.join("b.py"), "x").expect("a file");
        assert_eq!(disk.names(), ["b.py", "src/ü.py"]);
        std::fs::rename(disk.root.join("b.py"), disk.root.join("src/c.py")).expect("moved");
        std::fs::remove_file(disk.root.join("src/ü.py")).expect("gone");
        assert_eq!(disk.names(), ["b.py", "src/c.py", "src/ü.py"]);
        // Reading and listing is no change.
        std::fs::read(disk.root.join("src/c.py")).expect("a file");
        std::fs::read_dir(disk.root.join("src")).expect("a folder").for_each(drop);
        assert_eq!(disk.names(), [""; 0]);
    }

    #[test]
    fn folders_rules_and_heads_are_a_look_at_everything() {
        let disk = Disk::new();
        let all: [(&str, &dyn Fn(PathBuf)); 5] = [
            ("src/new", &|path| std::fs::create_dir(path).expect("a folder")),
            ("src/new", &|path| std::fs::remove_dir(path).expect("gone")),
            ("src/.gitignore", &|path| std::fs::write(path, "x").expect("a file")),
            (".git/HEAD", &|path| std::fs::write(path, "ref: refs/heads/x").expect("a file")),
            (".git/info/exclude", &|path| std::fs::write(path, "x").expect("a file")),
        ];
        for (path, act) in all {
            act(disk.root.join(path));
            assert!(disk.told().everything, "{path}");
        }
        std::fs::write(disk.root.join(".git/index"), "x").expect("a file");
        assert_eq!(disk.told(), Pending::default());
        disk.cover();
        assert_eq!(disk.told(), Pending::default());
    }

    #[test]
    fn a_storm_is_a_look_at_everything() {
        let disk = Disk::new();
        for at in 0..=STORM {
            disk.live.tell(disk.root.join(format!("{at}.py")));
        }
        assert_eq!(disk.told(), Pending { everything: true, paths: BTreeSet::new() });
    }

    // A view could not be built, and the changes that were meant to go into it were forgotten.
    #[test]
    fn changes_that_were_not_taken_in_come_back() {
        let disk = Disk::new();
        disk.live.tell(disk.root.join("a.py"));
        let taken = disk.live.take().expect("a change");
        assert!(!disk.live.is_quiet());
        drop(taken);
        assert!(disk.told().everything);
        assert!(disk.live.is_quiet());
    }

    #[test]
    fn events_that_are_not_to_be_trusted_end_the_watch() {
        let disk = Disk::new();
        (0..FAILURES).for_each(|_| disk.live.missed());
        assert!(disk.live.failure().is_some() && !disk.live.sync());
        assert_eq!(disk.live.wait(), Wake::End);
    }
}
