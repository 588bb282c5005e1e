//! Why an edit was refused.
//!
//! One variant for each thing the caller would do differently. Unless a variant says otherwise, nothing has been written.
//! A sentence carries the path as the caller knows it, numbers and hashes; never the content of a file, and never a path
//! outside the tracked roots that the caller did not name.
//!
//! Knows nothing of tools: the stable code is a word, its rendering is the business of the rim.

use std::io;

/// Why an edit was refused. In none of these cases has anything been written, except where a variant says so.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// A value of the request is malformed; `field` names it.
    #[error("`{field}` {problem}")]
    Invalid {
        /// The offending field.
        field: &'static str,
        /// What is wrong with it, as the rest of the sentence.
        problem: String,
        /// Which item of a batch is meant.
        item: Option<usize>,
    },
    /// The path leads outside the tracked roots.
    #[error("`{path}` is outside the tracked roots")]
    PathEscape {
        /// The path as asked.
        path: String,
    },
    /// The path is inside a root, but belongs to version control.
    #[error("`{path}` belongs to version control and is never read or written here")]
    Protected {
        /// The path as asked.
        path: String,
    },
    /// The path names something other than a regular file.
    #[error("`{path}` is {kind}, not a regular file")]
    NotAFile {
        /// The path as asked.
        path: String,
        /// `a directory`, `a device`, `a link to nothing`, ...
        kind: &'static str,
    },
    /// A folder of the path is a file.
    #[error("`{path}` can't be made: `{parent}` is a file, not a folder")]
    ParentIsFile {
        /// The path as asked.
        path: String,
        /// The file in the way, relative to its root.
        parent: String,
    },
    /// No such file.
    #[error("`{path}` does not exist")]
    FileNotFound {
        /// The path as asked.
        path: String,
    },
    /// A relative path fits several tracked roots, or none of several.
    #[error("`{path}` does not say which tracked root is meant; candidates: {}", .candidates.join(", "))]
    AmbiguousPath {
        /// The path as asked.
        path: String,
        /// Paths that would be unique.
        candidates: Vec<String>,
    },
    /// The file is larger than an edit may be.
    #[error("`{path}` has {size} bytes; at most {limit} can be edited")]
    TooLarge {
        /// The path as asked.
        path: String,
        /// Its size.
        size: u64,
        /// The limit.
        limit: u64,
    },
    /// The text to replace does not occur.
    #[error("{}", no_match(.path, *.nearest, *.whitespace_only, *.region))]
    NoMatch {
        /// The path as asked.
        path: String,
        /// The line that is most alike, when one is alike at all.
        nearest: Option<u32>,
        /// True when that line differs from the first line of the text in white space only.
        whitespace_only: bool,
        /// The lines that were searched, when not the whole file.
        region: Option<(u32, u32)>,
    },
    /// The text occurs more than once and nothing says which is meant.
    #[error("the text to replace occurs {count} times in `{path}`, first at line{} {}", if .lines.len() == 1 { "" } else { "s" }, join(.lines))]
    Ambiguous {
        /// The path as asked.
        path: String,
        /// How often it occurs.
        count: usize,
        /// The first three lines that have it.
        lines: Vec<u32>,
    },
    /// The text does not occur as often as the caller said.
    #[error("the text to replace occurs {actual} times in `{path}`, expected were {expected}")]
    OccurrenceMismatch {
        /// The path as asked.
        path: String,
        /// What the caller said.
        expected: u32,
        /// What is there.
        actual: usize,
    },
    /// Old and new text are the same.
    #[error("old and new text are identical, apart from line ends at most; nothing to do in `{path}`")]
    Identical {
        /// The path as asked.
        path: String,
    },
    /// The match begins or ends inside a character.
    #[error("the text to replace begins or ends inside a character, at line {line} of `{path}`")]
    SplitsCharacter {
        /// The path as asked.
        path: String,
        /// Where.
        line: u32,
    },
    /// The file is not the one the caller read.
    #[error("`{path}` has changed since it was read; read it again and repeat the edit")]
    Stale {
        /// The path as asked.
        path: String,
        /// The guard of the caller; `None` when the file changed while it was being edited.
        expected: Option<String>,
        /// The git blob hash of what is there now; `None` when the file is gone.
        current: Option<String>,
    },
    /// A planned line no longer reads as it did when the plan was made.
    #[error("{path}:{line} no longer reads as it did when the plan was made; index again and repeat")]
    StaleIndex {
        /// The file.
        path: String,
        /// The line.
        line: u32,
    },
    /// The symbol has no place in the file as it is now.
    #[error("`{symbol}` has no place in `{path}`: {reason}")]
    NoRange {
        /// The symbol.
        symbol: String,
        /// The file.
        path: String,
        /// Why.
        reason: String,
    },
    /// The result would have more syntax errors than the file has now, or would become binary.
    #[error("{}", blocked(.path, .gate))]
    ParseBlocked {
        /// The path as asked.
        path: String,
        /// The counts.
        gate: super::ParseGate,
    },
    /// The same key was used for another edit.
    #[error("the key `{id}` was already used for another edit; use a new one")]
    IdempotencyConflict {
        /// The key.
        id: String,
    },
    /// Two items of one batch are in each other's way.
    #[error("{reason}")]
    Overlap {
        /// Both paths, as asked, and why they collide.
        reason: String,
    },
    /// The destination of a move is taken.
    #[error("the destination `{path}` already exists")]
    DestinationExists {
        /// The destination as asked.
        path: String,
    },
    /// The destination of a move lies behind a link.
    #[error("the destination `{path}` lies behind a symbolic link")]
    DestinationBehindLink {
        /// The destination as asked.
        path: String,
    },
    /// `expected_sha256` is not the hash of the source.
    #[error("`{path}` does not have the expected sha256")]
    Sha256Mismatch {
        /// The path as asked.
        path: String,
        /// What it has.
        actual: String,
    },
    /// Evidence was asked for a file that looks like it holds secrets.
    #[error("physical evidence is refused for `{path}`: its name looks like a place for secrets")]
    EvidenceRefused {
        /// The path as asked.
        path: String,
    },
    /// The caller gave up before anything was written.
    #[error("cancelled before anything was written")]
    Cancelled,
    /// Another writer held a lock for too long.
    #[error("another writer holds `{path}`; try again")]
    Busy {
        /// The path as asked.
        path: String,
    },
    /// A crashed transaction left bytes nobody knows; its before-images are kept, nothing was overwritten.
    #[error("transaction `{id}` was interrupted and {} changed since; nothing was overwritten", .paths.join(", "))]
    RecoveryConflict {
        /// The transaction.
        id: String,
        /// The files with unknown bytes.
        paths: Vec<String>,
    },
    /// A write failed half-way *and* the restoration failed too; the journal keeps the before-images.
    #[error("transaction `{id}` failed and could not be undone for {}; its before-images are kept", .paths.join(", "))]
    RollbackFailed {
        /// The transaction.
        id: String,
        /// The files that could not be restored.
        paths: Vec<String>,
    },
    /// The disk refused.
    #[error("could not {action} `{path}`: {source}")]
    Io {
        /// What was tried.
        action: &'static str,
        /// The path as asked, or a name inside the state folder.
        path: String,
        /// Why it failed.
        #[source]
        source: io::Error,
    },
}

impl EditError {
    /// A stable word for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Invalid { .. } | Self::AmbiguousPath { .. } => "invalid_argument",
            Self::PathEscape { .. } => "path_escape",
            Self::Protected { .. } => "path_protected",
            Self::NotAFile { .. } => "not_a_file",
            Self::ParentIsFile { .. } => "parent_is_file",
            Self::FileNotFound { .. } => "file_not_found",
            Self::TooLarge { .. } => "file_too_large",
            Self::NoMatch { .. } => "match_not_found",
            Self::Ambiguous { .. } => "match_ambiguous",
            Self::OccurrenceMismatch { .. } => "occurrence_mismatch",
            Self::Identical { .. } => "match_identical",
            Self::SplitsCharacter { .. } => "match_splits_character",
            Self::Stale { .. } => "stale_base",
            Self::StaleIndex { .. } => "stale_index",
            Self::NoRange { .. } => "symbol_range_unknown",
            Self::ParseBlocked { .. } => "parse_gate_blocked",
            Self::IdempotencyConflict { .. } => "idempotency_conflict",
            Self::Overlap { .. } => "items_overlap",
            Self::DestinationExists { .. } => "destination_exists",
            Self::DestinationBehindLink { .. } => "destination_behind_link",
            Self::Sha256Mismatch { .. } => "sha256_mismatch",
            Self::EvidenceRefused { .. } => "evidence_refused",
            Self::Cancelled => "cancelled",
            Self::Busy { .. } => "busy",
            Self::RecoveryConflict { .. } => "recovery_conflict",
            Self::RollbackFailed { .. } => "rollback_failed",
            Self::Io { .. } => "io_error",
        }
    }

    /// True when the same request may succeed if it is simply sent again.
    pub fn retriable(&self) -> bool {
        matches!(self, Self::Cancelled | Self::Busy { .. } | Self::Io { .. })
    }

    /// A malformed value outside a batch.
    pub(crate) fn invalid(field: &'static str, problem: impl Into<String>) -> Self {
        Self::Invalid { field, problem: problem.into(), item: None }
    }

    /// Wraps what the disk said.
    pub(crate) fn io(action: &'static str, path: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { action, path, source }
    }
}

fn join(lines: &[u32]) -> String {
    lines.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}

fn no_match(path: &str, nearest: Option<u32>, whitespace_only: bool, region: Option<(u32, u32)>) -> String {
    let place = match region {
        Some((first, last)) => format!("lines {first}-{last} of `{path}`"),
        None => format!("`{path}`"),
    };
    match nearest {
        Some(line) if whitespace_only => {
            format!("{place} does not contain the text to replace; line {line} differs in white space only")
        }
        Some(line) => format!("{place} does not contain the text to replace; most alike is line {line}"),
        None => format!("{place} does not contain the text to replace"),
    }
}

fn blocked(path: &str, gate: &super::ParseGate) -> String {
    if gate.became_binary {
        return format!("the result would put NUL bytes into `{path}`");
    }
    let plural = if gate.new_errors == 1 { "" } else { "s" };
    format!(
        "the result would have {} syntax error{plural} in `{path}`, it has {} now; `allow_parse_errors` overrides this",
        gate.new_errors, gate.old_errors
    )
}
