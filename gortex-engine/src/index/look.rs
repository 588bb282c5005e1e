//! The walk's verdict on single paths, for changes whose place is known.
//!
//! A path is judged by the same rules as in a walk, read from the directories above it and kept for the next path. Whether a
//! directory's new content belongs to the list can't be told from one path; then the caller walks.
//!
//! Knows nothing of what is in a file.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::walk::{Rules, SkipReason, Verdict, WalkError, WalkedFile, Walker, by_name, decide, extend, never_source, walked};

/// What a path is to the walk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Look {
    /// A file of the list.
    File(WalkedFile),
    /// A directory: what is in it has to be walked.
    Folder,
    /// There is nothing, or nothing that is listed.
    Gone,
    /// Left out although no rule names it.
    Skipped(SkipReason),
}

/// Looks at paths below one root.
pub(super) struct Looker {
    walker: Walker,
    /// By directory the rules inside it; `None` for a directory that a walk does not enter.
    folders: FxHashMap<String, Option<Chain>>,
}

type Chain = Option<Arc<Rules>>;

impl Looker {
    pub fn new(root: &Path) -> Result<Looker, WalkError> {
        let (walker, above) = Walker::at(root, &mut Vec::new())?;
        let mut looker = Looker { walker, folders: FxHashMap::default() };
        let rules = looker.rules_in("", above);
        looker.folders.insert(String::new(), Some(rules));
        Ok(looker)
    }

    pub fn look(&mut self, rel: &str) -> Look {
        let (folder, name) = rel.rsplit_once('/').unwrap_or(("", rel));
        if name == ".git" || name.is_empty() {
            return Look::Gone;
        }
        let Some(rules) = self.folder(folder) else { return Look::Gone };
        let path = self.walker.root.join(rel);
        let meta = match path.symlink_metadata() {
            Ok(meta) => meta,
            Err(error) if matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) => {
                return Look::Gone;
            }
            Err(_) => return Look::Skipped(SkipReason::Unreadable),
        };
        if self.verdict(rules.as_ref(), rel, meta.is_dir()) == Verdict::Ignore {
            Look::Gone
        } else if meta.is_symlink() {
            Look::Skipped(self.walker.link(rel))
        } else if meta.is_dir() {
            Look::Folder
        } else if meta.is_file() {
            Look::File(walked(rel.to_owned(), &meta))
        } else {
            Look::Skipped(SkipReason::NotRegular)
        }
    }

    /// The rules inside a directory, or `None` when a walk does not enter it.
    fn folder(&mut self, rel: &str) -> Option<Chain> {
        if let Some(known) = self.folders.get(rel) {
            return known.clone();
        }
        let found = self.enter(rel);
        self.folders.insert(rel.to_owned(), found.clone());
        found
    }

    fn enter(&mut self, rel: &str) -> Option<Chain> {
        let (above, name) = rel.rsplit_once('/').unwrap_or(("", rel));
        let rules = self.folder(above).filter(|_| name != ".git")?;
        let path = self.walker.root.join(rel);
        if !path.symlink_metadata().is_ok_and(|meta| meta.is_dir()) {
            return None;
        }
        let verdict = self.verdict(rules.as_ref(), rel, true);
        if verdict == Verdict::Ignore || (verdict == Verdict::None && by_name(name).is_some()) {
            return None;
        }
        if never_source(rel, &path, |marker| is_file(&path.join(marker))).is_some() {
            return None;
        }
        Some(self.rules_in(rel, rules))
    }

    fn rules_in(&self, rel: &str, above: Chain) -> Chain {
        let path = self.walker.root.join(rel);
        let skip = self.walker.prefix.len() + if rel.is_empty() { 0 } else { rel.len() + 1 };
        let is_repo = path.join(".git").symlink_metadata().is_ok();
        extend(above, &path, skip, is_repo, |name| is_file(&path.join(name)), &mut Vec::new())
    }

    fn verdict(&self, rules: Option<&Arc<Rules>>, rel: &str, is_dir: bool) -> Verdict {
        decide(rules, &format!("{}{rel}", self.walker.prefix), is_dir)
    }
}

fn is_file(path: &PathBuf) -> bool {
    fs::symlink_metadata(path).is_ok_and(|meta| meta.is_file())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::index::walk::walk;

    /// Every path below a folder, listed or not.
    fn all(root: &Path, rel: &str, into: &mut Vec<String>) {
        for entry in fs::read_dir(root.join(rel)).expect("a folder") {
            let entry = entry.expect("an entry");
            let name = entry.file_name().into_string().expect("UTF-8");
            let path = if rel.is_empty() { name } else { format!("{rel}/{name}") };
            if entry.file_type().expect("a type").is_dir() {
                all(root, &path, into);
            } else {
                into.push(path);
            }
        }
    }

    #[test]
    fn single_looks_agree_with_the_walk() {
        let disk = tempfile::tempdir().expect("a folder");
        let root = disk.path().canonicalize().expect("a folder");
        let files = [
            (".gitignore", "*.log\nbuild/\n!keep.log\n"),
            (".git/HEAD", ""),
            (".git/info/exclude", "secret*\n"),
            ("a.py", ""),
            ("a.log", ""),
            ("keep.log", ""),
            ("secret.py", ""),
            ("build/x.py", ""),
            ("src/.gitignore", "gen_*\n!gen_kept.py\n"),
            ("src/gen_a.py", ""),
            ("src/gen_kept.py", ""),
            ("src/.ignore", "!a.log\n"),
            ("src/a.log", ""),
            ("node_modules/m/index.js", ""),
            (".venv/pyvenv.cfg", ""),
            (".venv/lib/a.py", ""),
            ("target/CACHEDIR.TAG", ""),
            ("target/a.rs", ""),
            ("other/target/a.rs", ""),
            ("größe/ü.py", ""),
        ];
        for (path, text) in files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
            fs::write(path, text).expect("a file");
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink("a.py", root.join("link.py")).expect("a link");
        for top in [root.clone(), root.join("src")] {
            let walk = walk(&top, 1, &AtomicBool::new(false)).expect("a list");
            let mut looker = Looker::new(&top).expect("a looker");
            let mut paths = Vec::new();
            all(&top, "", &mut paths);
            for path in &paths {
                let listed = walk.files.iter().find(|file| file.rel == *path);
                let skipped = walk.skipped.iter().find(|skip| skip.rel == *path).map(|skip| skip.reason);
                let expected = match (listed, skipped) {
                    (Some(file), _) => Look::File(file.clone()),
                    (None, Some(reason)) => Look::Skipped(reason),
                    (None, None) => Look::Gone,
                };
                assert_eq!(looker.look(path), expected, "{path}");
            }
            assert_eq!(looker.look("nothing/here.py"), Look::Gone);
            assert_eq!(looker.look("a.py/b"), Look::Gone);
        }
        assert_eq!(Looker::new(&root).expect("a looker").look("größe"), Look::Folder);
    }
}
