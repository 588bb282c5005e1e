//! Which repositories a process serves: from the folder it was started in and what the user remembered.
//!
//! A remembered repository around the folder wins, then several remembered ones below it, then the project the folder
//! belongs to. The root of the disk, the home folder and a folder without a mark are never taken by themselves.
//!
//! Reads folder entries; starts no program and writes nothing.

use std::path::{Path, PathBuf};

use gortex_engine::engine::RepoInfo;

use crate::config::Config;

/// Files that mark a folder as a project.
const MANIFESTS: [&str; 20] = [
    "go.mod",
    "Cargo.toml",
    "package.json",
    "pyproject.toml",
    "setup.py",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "build.sbt",
    "composer.json",
    "Gemfile",
    "mix.exs",
    "pubspec.yaml",
    "Package.swift",
    "build.zig",
    "dune-project",
    "stack.yaml",
    "CMakeLists.txt",
    "Makefile",
    ".gortex.yaml",
];

/// What to do in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Serve these.
    Track(Vec<RepoInfo>),
    /// Serve nothing until asked.
    Inactive {
        /// Why, and how to go on.
        reason: String,
    },
}

/// Decides for a folder. `home` is the user's home folder.
pub fn decide(folder: &Path, config: &Config, home: Option<&Path>) -> Decision {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let home = home.map(|home| home.canonicalize().unwrap_or_else(|_| home.to_owned()));
    let known = remembered(config);
    let around = known.iter().filter(|repo| folder.starts_with(&repo.root)).max_by_key(|repo| repo.root.components().count());
    if let Some(repo) = around {
        return Decision::Track(vec![repo.clone()]);
    }
    let below: Vec<RepoInfo> = known.into_iter().filter(|repo| repo.root.starts_with(&folder)).collect();
    let project = project_of(&folder, home.as_deref());
    match project {
        _ if below.len() > 1 => Decision::Track(outermost(below)),
        Some(root) if config.auto_track => Decision::Track(vec![RepoInfo { name: unique_name(&root, &[]), root }]),
        _ if !below.is_empty() => Decision::Track(below),
        Some(_) => inactive(&folder, "and `auto_track` is off"),
        None => inactive(&folder, "and it is neither inside a git work tree nor does it hold a project manifest"),
    }
}

fn inactive(folder: &Path, why: &str) -> Decision {
    Decision::Inactive {
        reason: format!(
            "nothing is indexed: no repository is tracked for `{}`, {why}. To activate, call \
             workspace_admin(operation=\"track\", arguments={{\"path\": \"<absolute path of the repository>\"}})",
            folder.display()
        ),
    }
}

/// The remembered repositories that exist, with unique names, by name.
pub fn remembered(config: &Config) -> Vec<RepoInfo> {
    let mut repos: Vec<RepoInfo> = Vec::new();
    for entry in &config.repos {
        let Ok(root) = entry.path.canonicalize() else { continue };
        if !root.is_dir() || repos.iter().any(|repo| repo.root == root) {
            continue;
        }
        let wanted = entry.name.clone().filter(|name| is_name(name)).unwrap_or_else(|| folder_name(&root));
        let name = unique(&wanted, &repos);
        repos.push(RepoInfo { name, root });
    }
    repos.sort_by(|a, b| a.name.cmp(&b.name));
    repos
}

/// Adds a folder that was named to the tracked ones, unless it is covered.
pub fn with_folder(mut repos: Vec<RepoInfo>, root: PathBuf, config: &Config) -> Vec<RepoInfo> {
    if repos.iter().any(|repo| root.starts_with(&repo.root)) {
        return repos;
    }
    repos.retain(|repo| !repo.root.starts_with(&root));
    let known = remembered(config).into_iter().find(|repo| repo.root == root);
    let name = known.map_or_else(|| unique_name(&root, &repos), |repo| unique(&repo.name, &repos));
    repos.push(RepoInfo { name, root });
    repos.sort_by(|a, b| a.name.cmp(&b.name));
    repos
}

/// Drops what lies inside another one: a file belongs to one repository.
fn outermost(repos: Vec<RepoInfo>) -> Vec<RepoInfo> {
    let inside = |repo: &RepoInfo| repos.iter().any(|other| other.root != repo.root && repo.root.starts_with(&other.root));
    repos.iter().filter(|repo| !inside(repo)).cloned().collect()
}

/// The project around a folder: its git work tree, or the folder itself when it holds a manifest.
pub fn project_of(folder: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let tree = folder.ancestors().find(|at| is_work_tree(at)).filter(|top| may_be_tracked(top, home));
    let marked = MANIFESTS.iter().any(|name| folder.join(name).is_file());
    tree.map(Path::to_owned).or_else(|| (marked && may_be_tracked(folder, home)).then(|| folder.to_owned()))
}

/// Whether a folder is small enough a thing to be a repository: neither the root of a disk nor the home folder.
pub fn may_be_tracked(folder: &Path, home: Option<&Path>) -> bool {
    folder.parent().is_some() && home != Some(folder)
}

fn is_work_tree(folder: &Path) -> bool {
    let git = folder.join(".git");
    git.is_file() || git.join("HEAD").is_file()
}

/// Whether a text can be a prefix of paths.
pub fn is_name(name: &str) -> bool {
    !name.trim().is_empty() && !name.contains(['/', '\\']) && name != "." && name != ".."
}

/// A prefix for a folder that none of `taken` has.
pub fn unique_name(root: &Path, taken: &[RepoInfo]) -> String {
    unique(&folder_name(root), taken)
}

fn folder_name(root: &Path) -> String {
    root.file_name().map_or_else(|| "root".to_owned(), |name| name.to_string_lossy().into_owned())
}

/// `wanted`, or `wanted-2`, `wanted-3` … when it is taken.
pub fn unique(wanted: &str, taken: &[RepoInfo]) -> String {
    let free = |name: &str| !taken.iter().any(|repo| repo.name == name);
    let numbered = (2..).map(|number| format!("{wanted}-{number}"));
    std::iter::once(wanted.to_owned()).chain(numbered).find(|name| free(name)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::RepoEntry;

    struct Disk {
        folder: tempfile::TempDir,
    }

    impl Disk {
        /// A disk with these files.
        fn with(files: &[&str]) -> Disk {
            let folder = tempfile::tempdir().expect("a folder");
            for file in files {
                let path = folder.path().join(file);
                std::fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
                std::fs::write(path, "").expect("a file");
            }
            Disk { folder }
        }

        fn top(&self) -> PathBuf {
            self.folder.path().canonicalize().expect("a folder")
        }

        /// What is decided at `at` with these repositories remembered: `name=path` rows, or `inactive`.
        fn decide(&self, at: &str, known: &[&str], auto_track: bool) -> String {
            let top = self.top();
            let repos = known.iter().map(|path| RepoEntry { path: top.join(path), name: None }).collect();
            let config = Config { repos, auto_track, ..Config::default() };
            match decide(&top.join(at), &config, Some(&top)) {
                Decision::Inactive { reason } => {
                    assert!(reason.contains("workspace_admin") && reason.contains("index"), "{reason}");
                    "inactive".to_owned()
                }
                Decision::Track(repos) => {
                    let rel = |repo: &RepoInfo| repo.root.strip_prefix(&top).expect("below").display().to_string();
                    repos.iter().map(|repo| format!("{}={}", repo.name, rel(repo))).collect::<Vec<_>>().join(" ")
                }
            }
        }
    }

    #[test]
    fn a_project_is_tracked_at_its_top() {
        let disk = Disk::with(&["é/.git/HEAD", "é/src/a.rs", "m/Makefile", "m/sub/x", "linked/.git"]);
        assert_eq!(disk.decide("é/src", &[], true), "é=é");
        assert_eq!(disk.decide("m", &[], true), "m=m");
        assert_eq!(disk.decide("linked", &[], true), "linked=linked");
        assert_eq!(disk.decide("m/sub", &[], true), "inactive");
        assert_eq!(disk.decide("é", &[], false), "inactive");
    }

    #[test]
    fn home_and_unmarked_folders_are_left_alone() {
        let disk = Disk::with(&[".git/HEAD", "Makefile", "plain/a.py"]);
        assert_eq!(disk.decide("", &[], true), "inactive");
        assert_eq!(disk.decide("plain", &[], true), "inactive");
        assert!(!may_be_tracked(Path::new("/"), None));
    }

    #[test]
    fn remembered_repositories_come_first() {
        let disk = Disk::with(&["w/a/x/f", "w/b/f", "w/.git/HEAD"]);
        assert_eq!(disk.decide("w/a/x", &["w/a", "w/a/x"], true), "x=w/a/x");
        assert_eq!(disk.decide("w", &["w/b", "w/a"], true), "a=w/a b=w/b");
        assert_eq!(disk.decide("w", &["w/a", "w/a/x"], true), "a=w/a");
        assert_eq!(disk.decide("w", &["w/a"], true), "w=w");
        assert_eq!(disk.decide("", &["w/a", "gone"], true), "a=w/a");
    }

    #[test]
    fn equal_folder_names_get_numbers() {
        let disk = Disk::with(&["p/lib/f", "q/lib/f", "r/lib/f"]);
        assert_eq!(disk.decide("", &["p/lib", "q/lib", "r/lib"], true), "lib=p/lib lib-2=q/lib lib-3=r/lib");
    }
}
