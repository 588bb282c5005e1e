//! The closed list of what may be counted.
//!
//! `docs/telemetry.md` is written from it, and a test fails where the two differ. A key that is not here can't be counted;
//! there is no other way in.

use gortex_core::sha256_hex;

/// The longest dimension.
const LONGEST: usize = 32;
/// How much of a longer one is kept in front of its hash.
const KEPT: usize = 23;

/// What the dimension of a key may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// There is none.
    None,
    /// One of these words.
    Of(&'static [&'static str]),
    /// Made of the registry's own names (`read.file`), error codes and buckets; bounded in length by a hash.
    Registered,
    /// Eight hexadecimal digits of a hash that is the same for everybody with this build.
    Digest,
}

/// One thing that may be counted.
#[derive(Clone, Copy, Debug)]
pub struct KeySpec {
    /// The key.
    pub name: &'static str,
    /// What may follow it.
    pub dimension: Dimension,
    /// What it counts, for the docs.
    pub about: &'static str,
}

const fn key(name: &'static str, dimension: Dimension, about: &'static str) -> KeySpec {
    KeySpec { name, dimension, about }
}

/// Known hosts; any other client is `other`, so that a name somebody made up is never kept.
pub const CLIENTS: &[&str] = &[
    "aider",
    "claude-code",
    "codex",
    "cursor",
    "jetbrains",
    "kilocode",
    "none",
    "omp-coding-agent",
    "openclaw",
    "opencode",
    "other",
    "pi",
    "vscode",
    "windsurf",
    "zed",
];
/// Buckets of time.
pub const TIMES: &[&str] = &["<1ms", "1-10ms", "10-100ms", "100ms-1s", "1-10s", "10s+"];
/// Buckets of numbers of files.
pub const FILES: &[&str] = &["<100", "100-1k", "1k-10k", "10k+"];
/// Buckets of numbers of tools in a list.
pub const TOOLS: &[&str] = &["1-10", "11-21", "22-50", "51-100", "100+"];
/// Buckets of the size of a list of tools.
pub const BYTES: &[&str] = &["<12kB", "12-30kB", "30-100kB", "100kB+"];
/// Buckets of numbers of calls.
pub const CALLS: &[&str] = &["1", "2", "3-5", "6-10", "10+"];
const OK: &[&str] = &["ok", "error"];

/// The list, sorted by name.
pub const KEYS: &[KeySpec] = &[
    key("cli_command", Dimension::Registered, "A verb of the command line."),
    key("client", Dimension::Of(CLIENTS), "A session of a host out of a fixed list."),
    key("daemon_session", Dimension::None, "A session served by the daemon."),
    key(
        "discovery",
        Dimension::Of(&["capabilities.schema", "capabilities.summary", "promote.fail", "promote.ok", "tools_search"]),
        "How operations were looked up.",
    ),
    key("fallback", Dimension::Of(&["raw_read", "shell_read"]), "A file read past us while a reading tool was there."),
    key("index", Dimension::Of(FILES), "A finished index, by number of files."),
    key("index_lang", Dimension::Registered, "A language found by an index."),
    key("install", Dimension::None, "An installation."),
    key("mcp_facade_call", Dimension::Registered, "A call of a compact tool, by operation."),
    key("mcp_facade_invalid", Dimension::Registered, "A refused call, by operation and error code."),
    key("mcp_facade_latency", Dimension::Registered, "A call, by operation and bucket of time."),
    key("mcp_facade_outcome", Dimension::Registered, "A call, by operation and outcome."),
    key("mcp_facade_status", Dimension::Registered, "A call, by operation and whether it succeeded."),
    key("mcp_tool_call", Dimension::Registered, "A call of a legacy tool."),
    key("surface_bytes", Dimension::Of(BYTES), "Size of a session's list of tools."),
    key("surface_client", Dimension::Of(CLIENTS), "The host of a session whose list of tools was made."),
    key("surface_schema", Dimension::Digest, "Which list of tools it was."),
    key("surface_tools", Dimension::Of(TOOLS), "How many tools a session lists."),
    key("surface_version", Dimension::Registered, "The version of the compact surface, or the preset."),
    key("uninstall", Dimension::None, "A removal."),
    key("workflow_direct_read", Dimension::Of(OK), "Whether the first read of a session gave source."),
    key("workflow_first_result", Dimension::Of(CALLS), "Calls up to the first useful answer of a session."),
    key("workflow_verified", Dimension::Of(&["no", "yes"]), "Whether a session that wrote checked its changes afterwards."),
];

/// The counter for a key and a dimension: `None` for a key outside the list.
pub(super) fn counter(key: &str, dimension: &str) -> Option<String> {
    let spec = KEYS.iter().find(|spec| spec.name == key)?;
    let bounded = bounded(dimension);
    let fits = match spec.dimension {
        Dimension::None => false,
        Dimension::Of(words) => words.contains(&dimension),
        Dimension::Registered => is_safe(&bounded),
        Dimension::Digest => dimension.len() == 8 && dimension.bytes().all(|byte| byte.is_ascii_hexdigit()),
    };
    Some(if fits { format!("{key}:{bounded}") } else { key.to_owned() })
}

/// A dimension that is too long, cut and told apart by the start of its hash.
fn bounded(dimension: &str) -> String {
    if dimension.len() <= LONGEST {
        return dimension.to_owned();
    }
    let start = &dimension[..dimension.floor_char_boundary(KEPT)];
    format!("{start}.{}", &sha256_hex(dimension.as_bytes())[..8])
}

fn is_safe(dimension: &str) -> bool {
    let safe = |byte: u8| byte.is_ascii_alphanumeric() || b"_.<>+-".contains(&byte);
    !dimension.is_empty() && dimension.len() <= LONGEST && dimension.bytes().all(safe)
}

/// The bucket of a duration in microseconds.
pub(super) fn time(micros: u128) -> &'static str {
    TIMES[[1_000, 10_000, 100_000, 1_000_000, 10_000_000].iter().filter(|bound| micros >= **bound).count()]
}

/// The bucket of a number of files.
pub fn files(count: usize) -> &'static str {
    FILES[[100, 1_000, 10_000].iter().filter(|bound| count >= **bound).count()]
}

/// The bucket of a number of tools.
pub(super) fn tools(count: usize) -> &'static str {
    TOOLS[[10, 21, 50, 100].iter().filter(|bound| count > **bound).count()]
}

/// The bucket of the size of a list.
pub(super) fn bytes(count: usize) -> &'static str {
    BYTES[[12_000, 30_000, 100_000].iter().filter(|bound| count >= **bound).count()]
}

/// The bucket of a number of calls.
pub(super) fn calls(count: u64) -> &'static str {
    CALLS[[1, 2, 5, 10].iter().filter(|bound| count > **bound).count()]
}
