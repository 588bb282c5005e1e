//! Call errors: a stable code, a sentence, data a program can use, and what to do next.
//!
//! Every refusal leaves through `CallError`. One kind of it is not an error on the wire: a *recoverable* condition
//! (nothing found, not indexed yet) is an ordinary result that says so, yet inside a handler it travels by `?`.
//!
//! Knows nothing of transports: it renders JSON values, nobody here writes them.

mod echo;

use std::fmt;

use serde::Serialize;
use serde_json::{Map, Value, json};

/// Builds the enum of codes and its names together, so that neither can miss one.
macro_rules! codes {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// The closed list of error codes a client can meet.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Code { $($(#[$doc])* $variant,)* }

        impl Code {
            /// Every code, in the order of this file.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The code's name on the wire.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }
    };
}

codes! {
    /// Something in the request is malformed, unknown or missing.
    InvalidArgument = "invalid_argument",
    /// No symbol has this id or name.
    SymbolNotFound = "symbol_not_found",
    /// The symbol exists but has not been indexed.
    SymbolNotIndexed = "symbol_not_indexed",
    /// A name means several symbols.
    AmbiguousSymbol = "ambiguous_symbol",
    /// The file is not part of the index.
    FileNotIndexed = "file_not_indexed",
    /// The session, surface or mode does not allow this call.
    ToolBlockedByMode = "tool_blocked_by_mode",
    /// The workflow is in another phase.
    ToolOutOfPhase = "tool_out_of_phase",
    /// The repository is not tracked.
    RepoNotTracked = "repo_not_tracked",
    /// The repository is tracked but not open to this session.
    RepoNotAllowed = "repo_not_allowed",
    /// The folder is not a work tree.
    NotARepository = "not_a_repository",
    /// No workspace of this name.
    WorkspaceUnknown = "workspace_unknown",
    /// No project of this name.
    ProjectUnknown = "project_unknown",
    /// The request names a route that cannot be served.
    RouteUnresolved = "route_unresolved",
    /// The remote is disabled.
    RemoteDisabled = "remote_disabled",
    /// The operation changes something and remotes are read-only.
    RemoteReadOnly = "remote_read_only",
    /// The file has changed since the caller read it.
    StaleBase = "stale_base",
    /// The text to replace does not occur.
    MatchNotFound = "match_not_found",
    /// The text to replace occurs more than once.
    MatchAmbiguous = "match_ambiguous",
    /// The number of matches is not the expected one.
    OccurrenceMismatch = "occurrence_mismatch",
    /// The path leads outside the tracked roots.
    PathEscape = "path_escape",
    /// There is no such file.
    FileNotFound = "file_not_found",
    /// There already is such a file.
    FileExists = "file_exists",
    /// The file is larger than this operation takes.
    FileTooLarge = "file_too_large",
    /// The result would have more syntax errors than before.
    ParseGate = "parse_gate",
    /// The same key was used for a different request.
    IdempotencyConflict = "idempotency_conflict",
    /// The view is of a commit or a fallback and cannot be written.
    ViewReadOnly = "view_read_only",
    /// The new name is taken in its scope.
    NameConflict = "name_conflict",
    /// The new name is taken by a symbol about to be generated.
    NameTaken = "name_taken",
    /// The index does not describe the bytes on disk.
    StaleIndex = "stale_index",
    /// Nothing would be edited.
    NoEdits = "no_edits",
    /// Several edits of one batch exclude each other.
    EditConflict = "edit_conflict",
    /// An overlay was built on bytes that are no longer on disk.
    OverlayDrift = "overlay_drift",
    /// No overlay, branch or session of this name.
    OverlayUnknown = "overlay_unknown",
    /// No stored record of this name.
    NotFound = "not_found",
    /// Version control refused or failed.
    GitFailed = "git_failed",
    /// A language server is missing, or failed.
    LanguageServer = "language_server",
    /// This language or target cannot be served by this operation.
    Unsupported = "unsupported",
    /// The service or resource is not ready or not configured.
    Unavailable = "unavailable",
    /// The rows that a cursor goes on from are not the same any more.
    CursorExpired = "cursor_expired",
    /// A configured limit would be exceeded.
    LimitExceeded = "limit_exceeded",
    /// The call ran out of its time.
    Timeout = "timeout",
    /// The caller cancelled.
    Cancelled = "cancelled",
    /// The disk or the network refused.
    Io = "io",
    /// A fault of the server itself.
    InternalError = "internal_error",
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A state of the world that stops a call without being anybody's mistake, with the calls that lead on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Recoverable {
    /// A stable word for the state, such as `symbol_not_found`.
    pub condition: String,
    /// One sentence for a reader.
    pub message: String,
    /// Tools that lead out of the state, best first.
    pub suggested_tools: Vec<String>,
    /// What a program can use.
    pub data: Map<String, Value>,
    /// Further top-level keys, such as `track_command`.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Recoverable {
    /// Starts a condition with its sentence.
    pub fn new(condition: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            condition: condition.into(),
            message: echo::sentence(message.into()),
            suggested_tools: Vec::new(),
            data: Map::new(),
            extra: Map::new(),
        }
    }

    /// Adds a tool that leads on.
    pub fn suggest(mut self, tool: impl Into<String>) -> Self {
        self.suggested_tools.push(tool.into());
        self
    }

    /// Adds a value for programs.
    pub fn data(mut self, key: &str, value: impl Serialize) -> Self {
        self.data.insert(key.to_owned(), echo::value(key, to_value(value)));
        self
    }

    /// Adds a top-level key beside the standard ones.
    pub fn with(mut self, key: &str, value: impl Serialize) -> Self {
        self.extra.insert(key.to_owned(), echo::value(key, to_value(value)));
        self
    }

    /// The body of the (non-error) result.
    pub fn to_value(&self) -> Value {
        let mut body = Map::new();
        body.insert("recoverable".into(), Value::Bool(true));
        body.insert("condition".into(), Value::String(self.condition.clone()));
        body.insert("message".into(), Value::String(self.message.clone()));
        body.insert("suggested_tools".into(), json!(self.suggested_tools));
        for (key, value) in &self.extra {
            body.entry(key.as_str()).or_insert_with(|| value.clone());
        }
        body.insert("data".into(), Value::Object(self.data.clone()));
        Value::Object(body)
    }
}

/// Why a call has no ordinary answer.
#[derive(Clone, Debug, PartialEq)]
pub struct CallError(Box<Kind>);

/// The two ways in which a handler stops early.
#[derive(Clone, Debug, PartialEq)]
enum Kind {
    Failure { code: Code, message: String, retriable: Option<bool>, data: Map<String, Value> },
    Recoverable(Recoverable),
    Plain(String),
}

impl CallError {
    /// A failure with a stable code and a sentence that carries the offending value.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        let message = echo::sentence(message.into());
        Self(Box::new(Kind::Failure { code, message, retriable: None, data: Map::new() }))
    }

    /// A malformed, unknown or missing part of the request.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(Code::InvalidArgument, message)
    }

    /// A fault of the server. The message must not carry secrets, absolute paths or a backtrace.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(Code::InternalError, message)
    }

    /// An error of a legacy tool that is plain text on the wire.
    pub fn plain(message: impl Into<String>) -> Self {
        Self(Box::new(Kind::Plain(message.into())))
    }

    /// Adds a value for programs. Has no effect on plain text.
    pub fn data(mut self, key: &str, value: impl Serialize) -> Self {
        match &mut *self.0 {
            Kind::Failure { data, .. } => drop(data.insert(key.to_owned(), echo::value(key, to_value(value)))),
            Kind::Recoverable(found) => drop(found.data.insert(key.to_owned(), echo::value(key, to_value(value)))),
            Kind::Plain(_) => {}
        }
        self
    }

    /// Says what the caller can do next.
    pub fn hint(self, hint: impl Into<String>) -> Self {
        self.data("hint", hint.into())
    }

    /// Says whether the same call may succeed when it is sent again.
    pub fn retriable(mut self, yes: bool) -> Self {
        if let Kind::Failure { retriable, .. } = &mut *self.0 {
            *retriable = Some(yes);
        }
        self
    }

    /// The code; `None` for a recoverable condition and for plain text.
    pub fn code(&self) -> Option<Code> {
        match &*self.0 {
            Kind::Failure { code, .. } => Some(*code),
            Kind::Recoverable(_) | Kind::Plain(_) => None,
        }
    }

    /// The sentence.
    pub fn message(&self) -> &str {
        match &*self.0 {
            Kind::Failure { message, .. } | Kind::Plain(message) => message,
            Kind::Recoverable(found) => &found.message,
        }
    }

    /// A value put there by [`CallError::data`].
    pub fn get(&self, key: &str) -> Option<&Value> {
        match &*self.0 {
            Kind::Failure { data, .. } => data.get(key),
            Kind::Recoverable(found) => found.data.get(key),
            Kind::Plain(_) => None,
        }
    }

    /// Whether this leaves as an ordinary result.
    pub fn is_recoverable(&self) -> bool {
        matches!(&*self.0, Kind::Recoverable(_))
    }

    /// The text of a plain error.
    pub fn as_plain(&self) -> Option<&str> {
        match &*self.0 {
            Kind::Plain(text) => Some(text),
            _ => None,
        }
    }

    /// The body that stands in the answer's text block.
    pub fn to_value(&self) -> Value {
        match &*self.0 {
            Kind::Failure { code, message, retriable, data } => {
                let mut body = Map::new();
                body.insert("error_code".into(), Value::from(code.as_str()));
                body.insert("message".into(), Value::from(message.as_str()));
                if let Some(retriable) = retriable {
                    body.insert("retriable".into(), Value::Bool(*retriable));
                }
                body.insert("data".into(), Value::Object(data.clone()));
                Value::Object(body)
            }
            Kind::Recoverable(found) => found.to_value(),
            Kind::Plain(text) => Value::String(text.clone()),
        }
    }
}

impl From<Recoverable> for CallError {
    fn from(found: Recoverable) -> Self {
        Self(Box::new(Kind::Recoverable(found)))
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.code() {
            Some(code) => write!(f, "{code}: {}", self.message()),
            None => f.write_str(self.message()),
        }
    }
}

impl std::error::Error for CallError {}

/// What cannot be written as JSON is left out as `null`; error data never fails an error.
fn to_value(value: impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or(Value::Null)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_distinct_snake_case_words() {
        let mut names: Vec<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
        assert!(names.iter().all(|name| name.chars().all(|c| c.is_ascii_lowercase() || c == '_')));
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
    }

    #[test]
    fn a_failure_renders_code_message_and_data() {
        let error = CallError::new(Code::StaleBase, "`é.rs` has changed").data("current_sha", "ab").hint("read it again");
        assert_eq!(
            error.to_value().to_string(),
            r#"{"error_code":"stale_base","message":"`é.rs` has changed","data":{"current_sha":"ab","hint":"read it again"}}"#
        );
        assert_eq!(error.retriable(true).to_value()["retriable"], true);
    }

    #[test]
    fn a_recoverable_condition_is_no_error_code() {
        let found = Recoverable::new("symbol_not_found", "nothing is called `x`").suggest("search").data("id", "x");
        let error = CallError::from(found.with("track_command", "gortex track"));
        assert!(error.is_recoverable() && error.code().is_none());
        let body = error.to_value();
        assert_eq!(body["recoverable"], true);
        assert_eq!(body["track_command"], "gortex track");
        assert_eq!(body["data"]["id"], "x");
        assert!(body.get("error_code").is_none());
    }
}
