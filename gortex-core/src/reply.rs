//! What a handler answers.
//!
//! A handler returns any serialisable value, or a `Reply` when it has more to say: plain text, the name of the list
//! that cursors page through, or extra `_meta`. Shaping happens later and elsewhere.
//!
//! Knows nothing of budgets and formats.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::error::{CallError, Recoverable};

/// What a handler returns.
pub type Answer<T> = Result<T, CallError>;

/// The body of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// A JSON value.
    Json(Value),
    /// Text that is not JSON.
    Text(String),
}

impl Body {
    /// The text block of the answer: the text itself, or JSON without whitespace.
    pub fn to_text(&self) -> String {
        match self {
            Self::Json(value) => value.to_string(),
            Self::Text(text) => text.clone(),
        }
    }
}

/// An answer before shaping.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    pub(crate) body: Body,
    pub(crate) rows: Option<&'static str>,
    pub(crate) page: Option<usize>,
    pub(crate) generation: Option<String>,
    pub(crate) meta: Map<String, Value>,
}

impl Reply {
    /// An answer from a serialisable value.
    pub fn new(value: &impl Serialize) -> Answer<Self> {
        serde_json::to_value(value)
            .map(Self::json)
            .map_err(|error| CallError::internal(format!("the answer can't be written as JSON: {error}")))
    }

    /// An answer from a JSON value.
    pub fn json(value: Value) -> Self {
        Self { body: Body::Json(value), rows: None, page: None, generation: None, meta: Map::new() }
    }

    /// An answer of plain text.
    pub fn text(text: impl Into<String>) -> Self {
        Self { body: Body::Text(text.into()), rows: None, page: None, generation: None, meta: Map::new() }
    }

    /// Names the top-level list that cursors page through. With `edges` beside `nodes`, pages are cut on the edges and
    /// each page keeps the first node and the nodes its edges use.
    pub fn rows(mut self, key: &'static str) -> Self {
        self.rows = Some(key);
        self
    }

    /// Rows of a page when the caller gives no `limit`.
    pub fn page(mut self, rows: usize) -> Self {
        self.page = Some(rows);
        self
    }

    /// Ties cursors to a generation of the data; without it, to the bytes of the whole answer.
    pub fn generation(mut self, generation: impl ToString) -> Self {
        self.generation = Some(generation.to_string());
        self
    }

    /// Adds a value to `_meta`.
    pub fn meta(mut self, key: &str, value: impl Serialize) -> Self {
        self.meta.insert(key.to_owned(), serde_json::to_value(value).unwrap_or(Value::Null));
        self
    }

    /// The body.
    pub fn body(&self) -> &Body {
        &self.body
    }
}

/// What may stand in an [`Answer`].
pub trait IntoReply {
    /// Turns the value into an answer.
    fn into_reply(self) -> Answer<Reply>;
}

impl IntoReply for Reply {
    fn into_reply(self) -> Answer<Reply> {
        Ok(self)
    }
}

impl<T: Serialize> IntoReply for T {
    fn into_reply(self) -> Answer<Reply> {
        Reply::new(&self)
    }
}

impl From<Recoverable> for Reply {
    fn from(found: Recoverable) -> Self {
        Self::json(found.to_value())
    }
}
