//! Opening a server for a folder: settings, folders of data, what to track.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use gortex_core::Registry;
use gortex_engine::engine::Options;
use gortex_engine::index::bulk::Bulk;

use super::Failure;
use crate::config::{Config, Dirs};
use crate::state::Server;
use crate::telemetry::Telemetry;
use crate::tracking::{self, Decision};

/// What every verb that serves calls needs.
pub(crate) struct App {
    pub server: Arc<Server>,
    pub registry: Arc<Registry>,
    pub config: Config,
}

/// The folders of this user.
pub(crate) fn dirs() -> Result<Dirs, Failure> {
    Dirs::from_env(|name| std::env::var_os(name))
        .ok_or_else(|| Failure::usage("no place for settings and data: set HOME, or GORTEX_HOME to an absolute path"))
}

/// A variable of the environment, as text.
pub(crate) fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// The settings, with a word about keys that mean nothing.
pub(crate) fn settings(dirs: &Dirs) -> Result<Config, crate::config::ConfigError> {
    let config = Config::load(&dirs.config)?;
    if !config.unknown_keys.is_empty() {
        tracing::warn!(
            "`{}` has keys that mean nothing here: {}",
            dirs.config.join(crate::config::FILE).display(),
            config.unknown_keys.join(", ")
        );
    }
    Ok(config)
}

impl App {
    /// Opens a server that tracks nothing yet.
    pub(crate) fn open(dirs: &Dirs, config: Config) -> Result<App, Failure> {
        App::open_with(dirs, config, None)
    }

    /// The same, with a way to index for the first time in a process of its own.
    pub(crate) fn open_with(dirs: &Dirs, config: Config, bulk: Option<Bulk>) -> Result<App, Failure> {
        let registry = crate::registry::registry()?;
        let options = Options { cache_dir: dirs.cache.clone(), state_dir: dirs.state.clone(), threads: 0, persist: true, bulk };
        let server = Server::open_for(options, dirs.config.clone(), dirs.home.clone())
            .map_err(|error| format!("could not open the data in `{}`: {error}", dirs.state.display()))?;
        server.set_telemetry(Telemetry::open(dirs.telemetry.clone(), environment));
        if let Some(folder) = &config.embeddings {
            server.engine().set_model(folder.clone());
        }
        Ok(App { server, registry: Arc::new(registry), config })
    }

    /// What to track for a folder.
    pub(crate) fn decide(&self, folder: &Path) -> Decision {
        tracking::decide(folder, &self.config, self.server.home())
    }

    /// Shows messages that the engine has for a person.
    pub(crate) fn show_notices(&self) {
        for notice in self.server.engine().take_notices() {
            tracing::warn!("{notice}");
        }
    }
}

/// The folder a verb was pointed at, canonical; it must exist.
pub(crate) fn folder(path: Option<&Path>) -> Result<PathBuf, Failure> {
    let path = match path {
        Some(path) => path.to_owned(),
        None => std::env::current_dir().map_err(|error| format!("the working directory is gone: {error}"))?,
    };
    let real = path.canonicalize().map_err(|error| Failure::usage(format!("`{}`: {error}", path.display())))?;
    if real.is_dir() { Ok(real) } else { Err(Failure::usage(format!("`{}` is not a folder", path.display()))) }
}

/// A runtime for serving calls.
pub(crate) fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    Ok(tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?)
}
