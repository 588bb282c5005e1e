//! Which file a path of a caller means, and whether it may be touched at all.
//!
//! A path is resolved on disk, through every link, before it is compared, and it is compared component by component: a link
//! out of the root, `..`, and a neighbour whose name merely starts alike (`/repo-old`) are all outside. The read side uses the
//! same function, so what can't be written can't be read either.
//!
//! Knows nothing of contents, locks or writing.

use super::EditError;
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

/// One tracked root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// The name that may stand before a path when there are several roots.
    pub name: String,
    /// Absolute, with links resolved.
    pub abs: PathBuf,
    /// The folder as it was registered, which may lead through links.
    given: PathBuf,
}

/// The tracked roots, in the order given.
#[derive(Debug, Clone, Default)]
pub struct Roots {
    roots: Vec<Root>,
}

/// What kind of thing a caller can use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Want {
    /// A regular file that exists.
    File,
    /// A regular file, or a place where one can be made.
    NewOrFile,
    /// A file or a folder that exists.
    Any,
}

/// A path that was found to lie inside a root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Index of the root.
    pub root: usize,
    /// The real file relative to its root, with `/`. Empty for the root itself.
    pub rel: String,
    /// The real file: no component of it is a link.
    pub abs: PathBuf,
    /// The root-relative path of the link, when the path named a link to the file.
    pub link: Option<String>,
    /// Whether something exists there.
    pub exists: bool,
    /// True when no component below the root was a link, so that the path asked is the real one.
    pub direct: bool,
}

impl Target {
    /// The root-relative path as the caller sees it: the link when there is one.
    pub fn shown(&self) -> &str {
        self.link.as_deref().unwrap_or(&self.rel)
    }
}

/// The regular file that stands where a folder of this path would have to be.
fn file_above<'p>(root: &Path, rest: &'p Path) -> Option<&'p Path> {
    rest.ancestors().skip(1).find(|part| root.join(part).is_file())
}

impl Roots {
    /// Registers roots by name and folder. A folder must exist and be absolute.
    pub fn new<N: Into<String>, P: Into<PathBuf>>(roots: impl IntoIterator<Item = (N, P)>) -> Result<Self, EditError> {
        let mut known = Vec::new();
        for (name, given) in roots {
            let (name, given) = (name.into(), given.into());
            if !given.is_absolute() {
                return Err(EditError::invalid("root", format!("`{}` is not absolute", given.display())));
            }
            let abs = fs::canonicalize(&given).map_err(EditError::io("resolve", given.display().to_string()))?;
            known.push(Root { name, abs, given });
        }
        Ok(Self { roots: known })
    }

    /// The roots, in the order given.
    pub fn all(&self) -> &[Root] {
        &self.roots
    }

    /// A path as answers give it: led by the name of its root where there are several.
    pub fn shown(&self, root: usize, rel: &str) -> String {
        match self.roots.as_slice() {
            several @ [_, _, ..] => match several.get(root) {
                Some(root) if !root.name.is_empty() => format!("{}/{rel}", root.name),
                _ => rel.to_owned(),
            },
            _ => rel.to_owned(),
        }
    }

    /// Resolves the path of an existing file. What the read side calls.
    pub fn resolve_existing(&self, path: &str) -> Result<Target, EditError> {
        self.resolve(path, Want::File)
    }

    /// Finds the file that `path` means: absolute, led by the name of a root, or relative to the only root that holds it.
    pub fn resolve(&self, path: &str, want: Want) -> Result<Target, EditError> {
        if path.is_empty() {
            return Err(EditError::invalid("path", "is empty"));
        }
        if path.contains('\0') {
            return Err(EditError::invalid("path", "contains a NUL byte"));
        }
        if self.roots.is_empty() {
            return Err(EditError::PathEscape { path: path.to_owned() });
        }
        let asked = Path::new(path);
        if asked.components().any(|part| part == Component::ParentDir) {
            return Err(EditError::PathEscape { path: path.to_owned() });
        }
        if asked.is_absolute() { self.absolute(path, want) } else { self.relative(path, want) }
    }

    fn absolute(&self, path: &str, want: Want) -> Result<Target, EditError> {
        let asked = Path::new(path);
        // The folder as registered may lead through links, so either spelling of a root counts. The deepest root wins.
        let deepest = self
            .roots
            .iter()
            .enumerate()
            .filter_map(|(index, root)| {
                let rest = asked.strip_prefix(&root.abs).or_else(|_| asked.strip_prefix(&root.given)).ok()?;
                Some((index, rest))
            })
            .min_by_key(|(_, rest)| rest.components().count());
        let (index, rest) = deepest.ok_or_else(|| EditError::PathEscape { path: path.to_owned() })?;
        self.inside(index, rest, path, want)
    }

    fn relative(&self, path: &str, want: Want) -> Result<Target, EditError> {
        let asked = Path::new(path);
        let named = self.roots.iter().enumerate().filter_map(|(index, root)| {
            let rest = asked.strip_prefix(&root.name).ok()?;
            // A name alone is the root itself, which is no place for a file.
            let usable = !root.name.is_empty() && (want == Want::Any || rest != Path::new(""));
            usable.then_some((index, rest))
        });
        let bare = (0..self.roots.len()).map(|index| (index, asked));
        let readings: Vec<(usize, &Path)> = bare.chain(named).collect();
        let present = |(index, rest): &(usize, &Path)| self.roots[*index].abs.join(rest).symlink_metadata().is_ok();
        let mut found: Vec<_> = readings.iter().copied().filter(present).collect();
        // A root inside a root gives one file two names.
        let mut seen = BTreeSet::new();
        found.retain(|(index, rest)| seen.insert(self.roots[*index].abs.join(rest)));
        if let [only] = self.roots.as_slice() {
            // With one root a file `app/x` is found before a root named `app`; a new file is named if only its root's name leads.
            let named_only = !only.abs.join(first(asked)).exists() && readings.len() == 2;
            let choice = found.first().copied().unwrap_or(readings[usize::from(named_only)]);
            return self.inside(choice.0, choice.1, path, want);
        }
        if found.is_empty() && want == Want::NewOrFile {
            // A new file: only the name of a root can say where.
            found = readings.into_iter().skip(self.roots.len()).collect();
        } else if found.is_empty() && self.roots.iter().any(|root| !root.name.is_empty()) {
            return Err(EditError::FileNotFound { path: path.to_owned() });
        }
        match found.as_slice() {
            [(index, rest)] => self.inside(*index, rest, path, want),
            [] => Err(EditError::AmbiguousPath {
                path: path.to_owned(),
                candidates: self.roots.iter().map(|root| format!("{}/{path}", root.name)).collect(),
            }),
            several => Err(EditError::AmbiguousPath {
                path: path.to_owned(),
                candidates: several
                    .iter()
                    .map(|(index, rest)| format!("{}/{}", self.roots[*index].name, slashed(rest)))
                    .collect(),
            }),
        }
    }

    /// Resolves `rest` below one root on disk and checks where it ends.
    fn inside(&self, index: usize, rest: &Path, path: &str, want: Want) -> Result<Target, EditError> {
        let escape = || EditError::PathEscape { path: path.to_owned() };
        let root = &self.roots[index].abs;
        let asked = root.join(rest);
        let leaf_is_link = asked.symlink_metadata().is_ok_and(|meta| meta.file_type().is_symlink());
        let (abs, exists) = match fs::canonicalize(&asked) {
            Ok(abs) => (abs, true),
            Err(error) if error.kind() == io::ErrorKind::NotFound && leaf_is_link => {
                // Writing through a link to nothing would make a file wherever the link points.
                return Err(EditError::NotAFile { path: path.to_owned(), kind: "a link to nothing" });
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => (nearest_existing(root, rest, path)?, false),
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
                return Err(match file_above(root, rest) {
                    Some(parent) if want == Want::NewOrFile => {
                        EditError::ParentIsFile { path: path.to_owned(), parent: slashed(parent) }
                    }
                    _ => EditError::FileNotFound { path: path.to_owned() },
                });
            }
            Err(error) => return Err(EditError::io("resolve", path)(error)),
        };
        if !abs.starts_with(root) {
            return Err(escape());
        }
        let (owner, below) = self.owner(&abs).ok_or_else(escape)?;
        if is_guarded(&below) || is_guarded(rest) {
            return Err(EditError::Protected { path: path.to_owned() });
        }
        if exists {
            check_kind(&abs, path, want)?;
        } else if want != Want::NewOrFile {
            return Err(EditError::FileNotFound { path: path.to_owned() });
        }
        let rel = utf8(&below, path)?;
        let link = if leaf_is_link { Some(utf8(rest, path)?) } else { None };
        let direct = asked == abs;
        Ok(Target { root: owner, rel, abs, link, exists, direct })
    }

    /// The deepest root that contains a resolved path, and the rest below it.
    fn owner(&self, abs: &Path) -> Option<(usize, PathBuf)> {
        self.roots
            .iter()
            .enumerate()
            .filter_map(|(index, root)| Some((index, abs.strip_prefix(&root.abs).ok()?.to_path_buf())))
            .min_by_key(|(_, rest)| rest.components().count())
    }
}

/// The first component of a relative path.
fn first(path: &Path) -> &Path {
    path.components().next().map_or(path, |part| Path::new(part.as_os_str()))
}

/// Where a file that does not exist would be, once the links of its nearest existing ancestor are resolved.
fn nearest_existing(root: &Path, rest: &Path, path: &str) -> Result<PathBuf, EditError> {
    let mut missing: Vec<&std::ffi::OsStr> = Vec::new();
    let mut ancestor = rest;
    loop {
        let at = root.join(ancestor);
        // A dangling link on the way is something that exists but leads nowhere.
        if at.symlink_metadata().is_ok() {
            let meta = fs::metadata(&at).map_err(|_| EditError::PathEscape { path: path.to_owned() })?;
            if !meta.is_dir() {
                return Err(EditError::ParentIsFile { path: path.to_owned(), parent: slashed(ancestor) });
            }
            let base = fs::canonicalize(&at).map_err(EditError::io("resolve", path))?;
            return Ok(missing.iter().rev().fold(base, |folder, name| folder.join(name)));
        }
        match (ancestor.parent(), ancestor.file_name()) {
            (Some(parent), Some(name)) => {
                missing.push(name);
                ancestor = parent;
            }
            _ => return Err(EditError::FileNotFound { path: path.to_owned() }),
        }
    }
}

fn check_kind(abs: &Path, path: &str, want: Want) -> Result<(), EditError> {
    let meta = fs::metadata(abs).map_err(EditError::io("look at", path))?;
    let kind = if meta.is_file() || (want == Want::Any && meta.is_dir()) {
        return Ok(());
    } else if meta.is_dir() {
        "a directory"
    } else {
        "a device, pipe or socket"
    };
    Err(EditError::NotAFile { path: path.to_owned(), kind })
}

/// True when a component is git's own folder (or the file that stands for it in a linked worktree).
fn is_guarded(rest: &Path) -> bool {
    rest.components().any(|part| part.as_os_str().eq_ignore_ascii_case(".git"))
}

fn slashed(path: &Path) -> String {
    path.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}

fn utf8(rel: &Path, path: &str) -> Result<String, EditError> {
    let parts: Option<Vec<&str>> = rel.components().map(|part| part.as_os_str().to_str()).collect();
    let parts = parts.ok_or_else(|| EditError::invalid("path", format!("`{path}` leads to a name that is not UTF-8")))?;
    Ok(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    struct Place {
        _dir: tempfile::TempDir,
        base: PathBuf,
    }

    /// A folder with `repo/` (src/a.py, dir/), `repo-old/a.py` and `other/` (src/b.py), plus a secret outside.
    fn place() -> Place {
        let dir = tempfile::tempdir().unwrap();
        let base = fs::canonicalize(dir.path()).unwrap();
        for folder in ["repo/src", "repo/dir", "repo/.git", "repo-old", "other/src"] {
            fs::create_dir_all(base.join(folder)).unwrap();
        }
        for file in ["repo/src/a.py", "repo/.git/config", "repo-old/a.py", "other/src/b.py", "secret.txt"] {
            fs::write(base.join(file), "TOP-SECRET").unwrap();
        }
        Place { _dir: dir, base }
    }

    impl Place {
        fn one(&self) -> Roots {
            Roots::new([("repo", self.base.join("repo"))]).unwrap()
        }
        fn two(&self) -> Roots {
            Roots::new([("repo", self.base.join("repo")), ("other", self.base.join("other"))]).unwrap()
        }
    }

    #[track_caller]
    fn check(roots: &Roots, path: &str, want: Want, expected: Result<&str, &str>) {
        let found = roots.resolve(path, want).map_err(|error| {
            assert!(!error.to_string().contains("TOP-SECRET"));
            error.code()
        });
        let found = found.map(|target| format!("{}:{}", target.root, target.rel));
        assert_eq!(found.as_deref().map_err(|code| *code), expected, "{path}");
    }

    #[test]
    fn accepts_every_spelling_inside() {
        let place = place();
        let roots = place.one();
        let abs = place.base.join("repo/src/a.py");
        check(&roots, "src/a.py", Want::File, Ok("0:src/a.py"));
        check(&roots, "./src/./a.py", Want::File, Ok("0:src/a.py"));
        check(&roots, "repo/src/a.py", Want::File, Ok("0:src/a.py"));
        check(&roots, abs.to_str().unwrap(), Want::File, Ok("0:src/a.py"));
        check(&roots, "new/ünï/x.py", Want::NewOrFile, Ok("0:new/ünï/x.py"));
        check(&roots, "repo/new.py", Want::NewOrFile, Ok("0:new.py"));
        check(&roots, "dir", Want::Any, Ok("0:dir"));
    }

    #[test]
    fn refuses_what_is_no_file() {
        let place = place();
        let roots = place.one();
        check(&roots, "dir", Want::File, Err("not_a_file"));
        check(&roots, "src/none.py", Want::File, Err("file_not_found"));
        check(&roots, "src/a.py/b", Want::NewOrFile, Err("parent_is_file"));
        check(&roots, "src/a.py/b", Want::File, Err("file_not_found"));
        check(&roots, "", Want::File, Err("invalid_argument"));
        check(&roots, "a\0b", Want::NewOrFile, Err("invalid_argument"));
        check(&roots, ".git/config", Want::File, Err("path_protected"));
        check(&roots, ".GIT/hooks/x", Want::NewOrFile, Err("path_protected"));
    }

    #[test]
    fn refuses_what_lies_outside() {
        let place = place();
        let roots = place.one();
        let old = place.base.join("repo-old/a.py");
        check(&roots, old.to_str().unwrap(), Want::File, Err("path_escape"));
        check(&roots, "../secret.txt", Want::File, Err("path_escape"));
        check(&roots, "src/../src/a.py", Want::File, Err("path_escape"));
        check(&roots, "/etc/passwd", Want::File, Err("path_escape"));
    }

    #[test]
    fn case_13_links_out_of_the_root_lead_nowhere() {
        let place = place();
        let roots = place.one();
        symlink("../../secret.txt", place.base.join("repo/src/notes.txt")).unwrap();
        symlink("..", place.base.join("repo/up")).unwrap();
        check(&roots, "src/notes.txt", Want::File, Err("path_escape"));
        check(&roots, "up/secret.txt", Want::File, Err("path_escape"));
        check(&roots, "up/new.txt", Want::NewOrFile, Err("path_escape"));
        check(&roots, "up/new/deep.txt", Want::NewOrFile, Err("path_escape"));
    }

    #[test]
    fn links_inside_the_root_are_followed_and_remembered() {
        let place = place();
        let roots = place.one();
        symlink("a.py", place.base.join("repo/src/link.py")).unwrap();
        symlink("src", place.base.join("repo/lib")).unwrap();
        let target = roots.resolve("src/link.py", Want::File).unwrap();
        assert_eq!((target.rel.as_str(), target.link.as_deref()), ("src/a.py", Some("src/link.py")));
        check(&roots, "lib/a.py", Want::File, Ok("0:src/a.py"));
        assert!(!roots.resolve("lib/new.py", Want::NewOrFile).unwrap().direct);
        assert!(roots.resolve("./src/new.py", Want::NewOrFile).unwrap().direct);
        assert!(roots.resolve("repo/src/new.py", Want::NewOrFile).unwrap().direct);
    }

    #[test]
    fn links_to_nothing_links_to_git_and_rings_are_refused() {
        let place = place();
        let roots = place.one();
        symlink("gone.py", place.base.join("repo/dangling.py")).unwrap();
        symlink(".git/config", place.base.join("repo/cfg")).unwrap();
        symlink("ring", place.base.join("repo/ring")).unwrap();
        symlink("../nowhere", place.base.join("repo/hole")).unwrap();
        check(&roots, "dangling.py", Want::NewOrFile, Err("not_a_file"));
        check(&roots, "cfg", Want::File, Err("path_protected"));
        check(&roots, "ring", Want::NewOrFile, Err("io_error"));
        check(&roots, "hole/x.py", Want::NewOrFile, Err("path_escape"));
    }

    #[test]
    fn a_link_into_another_root_is_still_a_link_out_of_this_one() {
        let place = place();
        symlink("../../other/src/b.py", place.base.join("repo/src/b2.py")).unwrap();
        check(&place.two(), "repo/src/b2.py", Want::File, Err("path_escape"));
    }

    #[test]
    fn several_roots_need_a_path_that_says_which() {
        let place = place();
        let roots = place.two();
        check(&roots, "src/a.py", Want::File, Ok("0:src/a.py"));
        check(&roots, "src/b.py", Want::File, Ok("1:src/b.py"));
        check(&roots, "other/src/b.py", Want::File, Ok("1:src/b.py"));
        check(&roots, "other/src/new.py", Want::NewOrFile, Ok("1:src/new.py"));
        check(&roots, "src/none.py", Want::File, Err("file_not_found"));
        let Err(EditError::AmbiguousPath { candidates, .. }) = roots.resolve("src/new.py", Want::NewOrFile) else {
            panic!("a new file with no root named is ambiguous")
        };
        assert_eq!(candidates, ["repo/src/new.py", "other/src/new.py"]);
        fs::write(place.base.join("other/src/a.py"), "").unwrap();
        check(&roots, "src/a.py", Want::File, Err("invalid_argument"));
    }

    #[test]
    fn a_root_inside_a_root_owns_its_files() {
        let place = place();
        let roots = Roots::new([("repo", place.base.join("repo")), ("src", place.base.join("repo/src"))]).unwrap();
        let abs = place.base.join("repo/src/a.py");
        check(&roots, abs.to_str().unwrap(), Want::File, Ok("1:a.py"));
        check(&roots, "repo/src/a.py", Want::File, Ok("1:a.py"));
        check(&roots, "src/a.py", Want::File, Ok("1:a.py"));
    }

    #[test]
    fn without_roots_everything_is_outside() {
        check(&Roots::default(), "a.py", Want::NewOrFile, Err("path_escape"));
        check(&Roots::default(), "/etc/passwd", Want::File, Err("path_escape"));
    }
}
