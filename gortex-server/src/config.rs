//! What the user set down: folders, `config.toml`, the list of tracked repositories.
//!
//! The file belongs to the user. Reading is typed and names the line of a mistake; writing changes the one entry it is about
//! and leaves the rest as it was, comments and unknown keys included. A file that cannot be read is never written.
//!
//! Knows nothing of indexing; nothing here is ever written into a checkout.

use std::ffi::OsString;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml_edit::{ArrayOfTables, DocumentMut, InlineTable, Item, Table, Value, value};

/// The file inside [`Dirs::config`].
pub const FILE: &str = "config.toml";

/// Where things are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dirs {
    /// `config.toml`.
    pub config: PathBuf,
    /// Rebuildable data; deleting it is always safe.
    pub cache: PathBuf,
    /// Journals of edits.
    pub state: PathBuf,
    /// Counts and the consent to them.
    pub telemetry: PathBuf,
    /// The user's home folder, which is never tracked as a whole.
    pub home: Option<PathBuf>,
}

impl Dirs {
    /// The folders that the environment names: `GORTEX_HOME` holds everything, else the XDG variables, else the places below
    /// the home folder. `None` when neither is set.
    pub fn from_env(var: impl Fn(&str) -> Option<OsString>) -> Option<Dirs> {
        let folder = |name: &str| var(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let home = folder("HOME").or_else(|| folder("USERPROFILE"));
        if let Some(all) = folder("GORTEX_HOME") {
            let (cache, state, telemetry) = (all.join("cache"), all.join("state"), all.join("telemetry"));
            return Some(Dirs { config: all, cache, state, telemetry, home });
        }
        let place = |name: &str, below: &str| folder(name).or_else(|| home.as_ref().map(|home| home.join(below)));
        // The three may be one folder, so each kind of data has a name of its own below it.
        Some(Dirs {
            config: place("XDG_CONFIG_HOME", ".config")?.join("gortex"),
            cache: place("XDG_CACHE_HOME", ".cache")?.join("gortex").join("snapshots"),
            state: place("XDG_STATE_HOME", ".local/state")?.join("gortex").join("edits"),
            telemetry: place("XDG_STATE_HOME", ".local/state")?.join("gortex").join("telemetry"),
            home,
        })
    }
}

/// A remembered repository.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct RepoEntry {
    /// Its folder.
    pub path: PathBuf,
    /// Its prefix, unless it is derived from the folder.
    pub name: Option<String>,
}

/// Settings of the MCP server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct McpConfig {
    /// Which tools a session sees: a preset or a list, as for `GORTEX_TOOLS`.
    pub tools: Option<String>,
    /// What becomes of the others: `hide` or `defer`.
    pub tools_mode: Option<String>,
}

/// The settings.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Config {
    /// Remembered repositories.
    pub repos: Vec<RepoEntry>,
    /// Whether a server started inside a project tracks it by itself.
    pub auto_track: bool,
    /// Settings of the MCP server.
    pub mcp: McpConfig,
    /// Folder of a model for the search by meaning: a `.safetensors` matrix and its `tokenizer.json`. Without one, search
    /// learns from the repository.
    pub embeddings: Option<PathBuf>,
    /// Keys of the file that mean nothing here; they are kept.
    #[serde(skip)]
    pub unknown_keys: Vec<String>,
}

impl Default for Config {
    fn default() -> Self {
        Config { repos: Vec::new(), auto_track: true, mcp: McpConfig::default(), embeddings: None, unknown_keys: Vec::new() }
    }
}

/// Why the settings could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The text is no TOML, or a value has the wrong type.
    #[error("`{}`, line {line}: {reason}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// The line of the mistake.
        line: usize,
        /// What is wrong there.
        reason: String,
    },
    /// The disk refused.
    #[error("could not {action} `{}`: {source}", path.display())]
    Io {
        /// `read` or `write`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's words.
        source: std::io::Error,
    },
}

impl Config {
    /// Reads the settings; a missing file is the defaults.
    pub fn load(dir: &Path) -> Result<Config, ConfigError> {
        let path = dir.join(FILE);
        parse(&path, &read(&path)?)
    }

    /// Remembers a repository; one of the same folder is replaced.
    pub fn remember(dir: &Path, entry: &RepoEntry) -> Result<(), ConfigError> {
        edit(dir, |document| {
            forget_in(document, &entry.path);
            add_to(document, entry);
        })
    }

    /// Forgets a repository; an unknown one changes nothing.
    pub fn forget(dir: &Path, root: &Path) -> Result<(), ConfigError> {
        edit(dir, |document| forget_in(document, root))
    }
}

fn read(path: &Path) -> Result<String, ConfigError> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        Err(source) => Err(ConfigError::Io { action: "read", path: path.to_owned(), source }),
    }
}

fn parse(path: &Path, text: &str) -> Result<Config, ConfigError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let wrong = |error: toml::de::Error| {
        let at = text.floor_char_boundary(error.span().map_or(0, |span| span.start));
        let line = text[..at].matches('\n').count() + 1;
        ConfigError::Syntax { path: path.to_owned(), line, reason: error.message().to_owned() }
    };
    let mut config: Config = toml::from_str(text).map_err(wrong)?;
    let table: toml::Table = toml::from_str(text).map_err(wrong)?;
    let known = |key: &str| ["repos", "auto_track", "mcp", "embeddings"].contains(&key);
    config.unknown_keys = table.keys().filter(|key| !known(key)).cloned().collect();
    let mcp = table.get("mcp").and_then(toml::Value::as_table);
    config.unknown_keys.extend(
        mcp.into_iter()
            .flat_map(toml::Table::keys)
            .filter(|key| !["tools", "tools_mode"].contains(&key.as_str()))
            .map(|key| format!("mcp.{key}")),
    );
    config.unknown_keys.sort();
    Ok(config)
}

/// Changes the file: one writer at a time, and readers see the old text or the new.
fn edit(dir: &Path, change: impl FnOnce(&mut DocumentMut)) -> Result<(), ConfigError> {
    let path = dir.join(FILE);
    let io = |source| ConfigError::Io { action: "write", path: path.clone(), source };
    std::fs::create_dir_all(dir).map_err(io)?;
    let lock = File::create(dir.join("config.lock")).map_err(io)?;
    lock.lock().map_err(io)?;
    let before = read(&path)?;
    parse(&path, &before)?;
    let mut document: DocumentMut = before.trim_start_matches('\u{feff}').parse().map_err(|error: toml_edit::TomlError| {
        ConfigError::Syntax { path: path.clone(), line: 1, reason: error.message().to_owned() }
    })?;
    change(&mut document);
    let after = document.to_string();
    if after == before {
        return Ok(());
    }
    // The file may be a link into a folder of dotfiles; the link stays.
    let real = path.canonicalize().unwrap_or_else(|_| path.clone());
    let folder = real.parent().unwrap_or(dir);
    let mut temporary = tempfile::NamedTempFile::new_in(folder).map_err(io)?;
    temporary.write_all(after.as_bytes()).map_err(io)?;
    temporary.as_file().sync_all().map_err(io)?;
    temporary.persist(&real).map_err(|error| io(error.error))?;
    Ok(())
}

fn is_entry_of(path: Option<&str>, root: &Path) -> bool {
    path.is_some_and(|path| Path::new(path) == root)
}

fn forget_in(document: &mut DocumentMut, root: &Path) {
    match document.get_mut("repos") {
        Some(Item::ArrayOfTables(tables)) => {
            tables.retain(|table| !is_entry_of(table.get("path").and_then(Item::as_str), root));
        }
        Some(Item::Value(Value::Array(array))) => array.retain(|entry| {
            let path = entry.as_inline_table().and_then(|table| table.get("path")).and_then(Value::as_str);
            !is_entry_of(path, root)
        }),
        _ => {}
    }
}

fn add_to(document: &mut DocumentMut, entry: &RepoEntry) {
    let path = entry.path.to_string_lossy().into_owned();
    if let Some(Item::Value(Value::Array(array))) = document.get_mut("repos") {
        let mut table = InlineTable::new();
        table.insert("path", path.into());
        if let Some(name) = &entry.name {
            table.insert("name", name.as_str().into());
        }
        array.push(table);
        return;
    }
    let mut table = Table::new();
    table.insert("path", value(path));
    if let Some(name) = &entry.name {
        table.insert("name", value(name.as_str()));
    }
    let tables = document.entry("repos").or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
    if let Item::ArrayOfTables(tables) = tables {
        tables.push(table);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dirs(vars: &[(&str, &str)]) -> Option<Dirs> {
        Dirs::from_env(|name| vars.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value)))
    }

    fn entry(path: &str, name: Option<&str>) -> RepoEntry {
        RepoEntry { path: path.into(), name: name.map(str::to_owned) }
    }

    /// Starts from `before`, remembers `/r/é`, and gives the file back.
    #[track_caller]
    fn remembered(before: &str) -> String {
        let dir = tempfile::tempdir().expect("a folder");
        std::fs::write(dir.path().join(FILE), before).expect("a file");
        Config::remember(dir.path(), &entry("/r/é", Some("e"))).expect("writes");
        assert_eq!(Config::load(dir.path()).expect("reads").repos.last(), Some(&entry("/r/é", Some("e"))));
        std::fs::read_to_string(dir.path().join(FILE)).expect("text")
    }

    #[test]
    fn folders_follow_the_environment() {
        let home = dirs(&[("HOME", "/h")]).expect("folders");
        assert_eq!(home.config, Path::new("/h/.config/gortex"));
        let xdg = dirs(&[("HOME", "/h"), ("XDG_CONFIG_HOME", "/x"), ("XDG_CACHE_HOME", "/x")]).expect("folders");
        assert_eq!((xdg.config.as_path(), xdg.cache.as_path()), (Path::new("/x/gortex"), Path::new("/x/gortex/snapshots")));
        let own = dirs(&[("HOME", "/h"), ("XDG_CONFIG_HOME", "/x"), ("GORTEX_HOME", "/g")]).expect("folders");
        assert_eq!((own.config.as_path(), own.cache.as_path()), (Path::new("/g"), Path::new("/g/cache")));
        assert_eq!(dirs(&[]), None);
        // A relative folder would mean another place with every working directory.
        assert_eq!(dirs(&[("XDG_CONFIG_HOME", "x"), ("HOME", "/h")]).expect("folders").config, Path::new("/h/.config/gortex"));
    }

    #[test]
    fn a_missing_and_an_empty_file_are_the_defaults() {
        let dir = tempfile::tempdir().expect("a folder");
        assert_eq!(Config::load(dir.path()).expect("reads"), Config::default());
        std::fs::write(dir.path().join(FILE), "").expect("a file");
        assert!(Config::load(dir.path()).expect("reads").auto_track);
    }

    #[test]
    fn comments_and_unknown_keys_survive_a_change() {
        let after = remembered("# mine\ncolour = \"blue\" # é\r\n\n[mcp]\ntools = \"core\"\nspeed = 1\n");
        assert!(after.starts_with("# mine\ncolour = \"blue\" # é"), "{after}");
        assert!(after.contains("speed = 1") && after.contains("[[repos]]"), "{after}");
    }

    #[test]
    fn an_inline_list_stays_one() {
        let after = remembered("repos = [{ path = \"/a\" }, { path = \"/r/é\" }]\n");
        assert_eq!(after.matches("/r/é").count(), 1, "{after}");
        assert!(!after.contains("[[repos]]") && after.contains("/a"), "{after}");
    }

    #[test]
    fn a_forgotten_repository_is_gone_and_the_others_stay() {
        let dir = tempfile::tempdir().expect("a folder");
        for path in ["/a", "/b"] {
            Config::remember(dir.path(), &entry(path, None)).expect("writes");
        }
        Config::forget(dir.path(), Path::new("/a")).expect("writes");
        Config::forget(dir.path(), Path::new("/never")).expect("writes");
        assert_eq!(Config::load(dir.path()).expect("reads").repos, [entry("/b", None)]);
    }

    #[test]
    fn a_broken_file_names_its_line_and_is_never_overwritten() {
        let dir = tempfile::tempdir().expect("a folder");
        for (text, line) in [("auto_track = true\nrepos = \"é\"\n", 2), ("a = 1\n\nb = = 2", 3), ("auto_track = \"yes\"", 1)] {
            std::fs::write(dir.path().join(FILE), text).expect("a file");
            let said = Config::load(dir.path()).expect_err("refuses").to_string();
            assert!(said.contains(&format!("line {line}:")), "{said}");
            Config::remember(dir.path(), &entry("/r", None)).expect_err("refuses");
            assert_eq!(std::fs::read_to_string(dir.path().join(FILE)).expect("text"), text);
        }
    }

    #[test]
    fn unknown_keys_are_named() {
        let path = Path::new("config.toml");
        let config = parse(path, "auto_trak = false\n[mcp]\ntool = \"x\"\n").expect("reads");
        assert_eq!(config.unknown_keys, ["auto_trak", "mcp.tool"]);
    }
}
