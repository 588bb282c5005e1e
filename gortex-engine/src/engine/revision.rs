//! Views of commits: made when somebody asks, kept while they are asked for.
//!
//! Knows which commits were asked for last; how a view is made of one is for `index`.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::{Engine, IndexError, RepoInfo, Silent, View};
use crate::index::build::{Inputs, Reuse};
use crate::index::revision::{Failure, build_revision};
use crate::vcs::{GitError, Repo};

/// Views that are kept.
const KEPT: usize = 3;

/// A kept view: root, commit, view.
pub(super) type Kept = (PathBuf, String, Arc<View>);

/// Why there is no view of a commit.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RevisionError {
    /// Git could not tell.
    #[error(transparent)]
    Git(#[from] GitError),
    /// It could not be indexed.
    #[error(transparent)]
    Index(#[from] IndexError),
}

impl Engine {
    /// The view of what a name stands for in a repository (a branch, a tag, a commit), from git's objects alone.
    ///
    /// It has that repository only, so its paths carry no prefix, and generation 0. What is on disk is not what it shows.
    pub fn view_of_ref(&self, repo: &RepoInfo, name: &str) -> Result<Arc<View>, RevisionError> {
        let git = Repo::discover(&repo.root)?;
        let commit = git.commit(name)?;
        // Held while a view is made: whoever wants the same one waits for it instead of making it too.
        let mut kept = self.revisions.lock();
        if let Some(at) = kept.iter().position(|(root, of, _)| *root == repo.root && *of == commit) {
            let found = kept.remove(at);
            kept.push(found.clone());
            return Ok(found.2);
        }
        let current = self.view();
        let (repos, never) = ([repo.clone()], AtomicBool::new(false));
        let (snapshot, journal) = (self.snapshot_path(&current.repos), self.journal());
        let inputs = self.inputs(&repos, None, Reuse::Unchanged, &Silent, &never);
        let inputs = Inputs { generation: 0, snapshot: &snapshot, journal: journal.as_deref(), ..inputs };
        let made = self.pool.install(|| build_revision(&inputs, &git, &commit, &current));
        let view = Arc::new(made.map_err(|failure| match failure {
            Failure::Git(error) => RevisionError::Git(error),
            Failure::Index(error) => RevisionError::Index(error),
        })?);
        kept.push((repo.root.clone(), commit, Arc::clone(&view)));
        if kept.len() > KEPT {
            kept.remove(0);
        }
        Ok(view)
    }
}
