//! Who serves which folder: one server per set of repositories, shared by all connections that mean the same set.
//!
//! A server that nobody uses is put away after a while, its snapshot written; the next connection opens it from there. Sets that
//! overlap are indexed apart, so that no connection sees more than the repositories of its own folder.
//!
//! Knows folders and servers; connections and their words are others'.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use gortex_core::Registry;
use gortex_engine::engine::{Options, RepoInfo, Silent};
use gortex_engine::index::bulk::Bulk;
use parking_lot::Mutex;

use crate::config::{Config, Dirs};
use crate::state::Server;
use crate::tracking::{self, Decision};

/// How long a server is kept after its last use.
const KEPT: Duration = Duration::from_mins(30);

/// What a connection wants to be served.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Where its client works.
    pub cwd: PathBuf,
    /// A repository instead of the one around that folder.
    pub index: Option<PathBuf>,
    /// Repositories as well.
    pub track: Vec<PathBuf>,
}

/// Why a folder can't be served.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// A folder that was named is none.
    #[error("`{}` is not a folder: {reason}", path.display())]
    NoFolder {
        /// The path.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The data could not be opened.
    #[error("could not open the data: {0}")]
    Open(#[from] std::io::Error),
}

/// The servers of one daemon.
#[derive(Clone, Debug)]
pub struct Hosts(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    dirs: Dirs,
    registry: Arc<Registry>,
    open: Mutex<Vec<Host>>,
}

#[derive(Debug)]
struct Host {
    server: Arc<Server>,
    /// The folder it was opened for.
    cwd: PathBuf,
    users: usize,
    used: Instant,
}

/// A server, in use as long as the lease lives.
#[derive(Debug)]
pub struct Lease {
    /// The server.
    pub server: Arc<Server>,
    hosts: Hosts,
}

impl Drop for Lease {
    fn drop(&mut self) {
        let mut open = self.hosts.0.open.lock();
        if let Some(host) = open.iter_mut().find(|host| Arc::ptr_eq(&host.server, &self.server)) {
            host.users = host.users.saturating_sub(1);
            host.used = Instant::now();
        }
    }
}

/// What there is to say of one server.
#[derive(Clone, Debug)]
pub struct HostState {
    /// The server.
    pub server: Arc<Server>,
    /// How many use it.
    pub users: usize,
    /// How long it has not been used.
    pub idle: Duration,
}

impl Hosts {
    /// No servers yet.
    pub fn new(dirs: Dirs, registry: Arc<Registry>) -> Hosts {
        Hosts(Arc::new(Inner { dirs, registry, open: Mutex::default() }))
    }

    /// What can be called.
    pub fn registry(&self) -> &Arc<Registry> {
        &self.0.registry
    }

    /// The settings as they are now; broken ones are told and the defaults hold.
    pub fn settings(&self) -> Config {
        Config::load(&self.0.dirs.config).unwrap_or_else(|error| {
            tracing::error!("the settings are not used: {error}");
            Config::default()
        })
    }

    /// The server for a folder, opened if there is none. Blocks for moments; indexing goes on in the background. Must be
    /// called on the runtime.
    pub fn open(&self, wanted: &Wanted) -> Result<Lease, HostError> {
        let config = self.settings();
        let cwd = real(&wanted.cwd)?;
        let (repos, reason) = self.decide(wanted, &cwd, &config)?;
        // Held while opening: two windows that start at once must not both open the same repository.
        let mut open = self.0.open.lock();
        let same = |host: &&mut Host| host.server.engine().view().repos == repos && (!repos.is_empty() || host.cwd == cwd);
        if let Some(host) = open.iter_mut().find(same) {
            host.users += 1;
            host.used = Instant::now();
            return Ok(Lease { server: Arc::clone(&host.server), hosts: self.clone() });
        }
        let server = self.start(&config, repos, reason)?;
        open.push(Host { server: Arc::clone(&server), cwd, users: 1, used: Instant::now() });
        Ok(Lease { server, hosts: self.clone() })
    }

    fn decide(&self, wanted: &Wanted, cwd: &Path, config: &Config) -> Result<(Vec<RepoInfo>, Option<String>), HostError> {
        let decision = match &wanted.index {
            Some(path) => Decision::Track(tracking::with_folder(Vec::new(), real(path)?, config)),
            None => tracking::decide(cwd, config, self.0.dirs.home.as_deref()),
        };
        let (mut repos, reason) = match decision {
            Decision::Track(repos) => (repos, None),
            Decision::Inactive { reason } => (Vec::new(), Some(reason)),
        };
        for path in &wanted.track {
            repos = tracking::with_folder(repos, real(path)?, config);
        }
        Ok((repos, reason))
    }

    fn start(&self, config: &Config, repos: Vec<RepoInfo>, reason: Option<String>) -> std::io::Result<Arc<Server>> {
        let dirs = &self.0.dirs;
        // A parser that ends its process should not end the daemon.
        let bulk = std::env::current_exe().ok().map(|program| Bulk { program, args: vec![crate::cli::INDEX_CHILD.into()] });
        let options = Options { cache_dir: dirs.cache.clone(), state_dir: dirs.state.clone(), threads: 0, persist: true, bulk };
        let server = Server::open_for(options, dirs.config.clone(), dirs.home.clone())?;
        if let Some(folder) = &config.embeddings {
            server.engine().set_model(folder.clone());
        }
        for notice in server.engine().take_notices() {
            tracing::warn!("{notice}");
        }
        server.follow();
        let names: Vec<&str> = repos.iter().map(|repo| repo.name.as_str()).collect();
        tracing::info!(repos = names.join(","), "a server is opened");
        match reason {
            Some(reason) if repos.is_empty() => server.set_inactive(reason),
            _ => drop(server.start(repos, Arc::new(Silent))),
        }
        Ok(server)
    }

    /// All open servers.
    pub fn all(&self) -> Vec<HostState> {
        let state = |host: &Host| HostState { server: Arc::clone(&host.server), users: host.users, idle: host.used.elapsed() };
        self.0.open.lock().iter().map(state).collect()
    }

    /// Puts away servers that nobody has used for a while. Blocks.
    pub fn sweep(&self) {
        let mut open = self.0.open.lock();
        let (old, kept) = std::mem::take(&mut *open).into_iter().partition(|host| host.users == 0 && host.used.elapsed() > KEPT);
        *open = kept;
        drop(open);
        shut_down(old);
    }

    /// Looks at all settings and trees again. Blocks.
    pub fn reload(&self) -> usize {
        let config = self.settings();
        let open: Vec<(Arc<Server>, PathBuf)> =
            self.0.open.lock().iter().map(|host| (Arc::clone(&host.server), host.cwd.clone())).collect();
        for (server, cwd) in &open {
            let wanted = Wanted { cwd: cwd.clone(), ..Wanted::default() };
            match self.decide(&wanted, cwd, &config) {
                Ok((repos, _)) if !repos.is_empty() && repos != server.engine().view().repos => {
                    if let Err(error) = server.start_now(&repos, &Silent) {
                        tracing::warn!(%error, "the repositories of `{}` could not be taken in", cwd.display());
                    }
                }
                Ok(_) => drop(server.engine().fresh(true)),
                Err(error) => tracing::warn!(%error, "`{}` could not be looked at", cwd.display()),
            }
        }
        open.len()
    }

    /// Ends all servers and writes what they know. Blocks.
    pub fn close(&self) {
        let open = std::mem::take(&mut *self.0.open.lock());
        shut_down(open);
    }
}

fn shut_down(hosts: Vec<Host>) {
    for host in hosts {
        host.server.shut_down();
    }
}

fn real(path: &Path) -> Result<PathBuf, HostError> {
    let no = |reason: String| HostError::NoFolder { path: path.to_owned(), reason };
    let real = path.canonicalize().map_err(|error| no(error.to_string()))?;
    if real.is_dir() { Ok(real) } else { Err(no("it is a file".to_owned())) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::partial_registry;

    fn hosts(top: &Path) -> Hosts {
        let dirs = Dirs { config: top.join("c"), cache: top.join("cache"), state: top.join("s/edits"), home: None };
        Hosts::new(dirs, Arc::new(partial_registry()))
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn two_windows_on_one_repository_share_its_server_and_another_repository_has_its_own() {
        let top = tempfile::tempdir().expect("a folder");
        for name in ["a/src", "b", "plain"] {
            std::fs::create_dir_all(top.path().join(name)).expect("a folder");
        }
        for name in ["a", "b"] {
            std::fs::write(top.path().join(name).join("Makefile"), "").expect("a file");
        }
        let hosts = hosts(&top.path().join("home"));
        let open = |folder: &str| hosts.open(&Wanted { cwd: top.path().join(folder), ..Wanted::default() }).expect("opens");
        let (one, two, other, plain) = (open("a"), open("a"), open("b"), open("plain"));
        assert!(Arc::ptr_eq(&one.server, &two.server) && !Arc::ptr_eq(&one.server, &other.server));
        assert!(plain.server.readiness().reason().is_some_and(|reason| reason.contains("workspace_admin")));
        assert_eq!(hosts.all().iter().map(|host| host.users).collect::<Vec<_>>(), [2, 1, 1]);
        drop((one, two));
        assert_eq!(hosts.all()[0].users, 0);
        // Named folders mean the same set however they were named.
        let named = hosts
            .open(&Wanted { cwd: top.path().join("plain"), index: Some(top.path().join("a/../a")), track: Vec::new() })
            .expect("opens");
        assert_eq!((hosts.all().len(), hosts.all()[0].users), (3, 1));
        drop(named);
        let gone = hosts.open(&Wanted { cwd: top.path().join("gone"), ..Wanted::default() });
        assert!(matches!(gone, Err(HostError::NoFolder { .. })));
        hosts.close();
        assert!(hosts.all().is_empty());
    }
}
