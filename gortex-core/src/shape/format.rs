//! The forms in which an answer goes out.
//!
//! Shaping happens on the value; the form is what it is written as at the end. Sizes are measured in the form that leaves.

use serde_json::{Value, json};

use super::{plain, toon};
use crate::canonical::json_len;
use crate::gcx::{self, Layout};

/// The forms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// JSON without whitespace.
    #[default]
    Json,
    /// The compact table format of [`crate::gcx`].
    Gcx,
    /// TOON, an indented notation with tables.
    Toon,
    /// Text for people.
    Text,
}

impl Format {
    /// All, in the order of documentation.
    pub const ALL: [Self; 4] = [Self::Json, Self::Gcx, Self::Toon, Self::Text];

    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Gcx => "gcx",
            Self::Toon => "toon",
            Self::Text => "text",
        }
    }

    /// The form of this name.
    pub fn parse(name: &str) -> Option<Self> {
        let name = name.trim().to_ascii_lowercase();
        Self::ALL.into_iter().find(|format| format.as_str() == name)
    }
}

/// How an answer is written.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wire<'w> {
    pub format: Format,
    /// The canonical tool, which the compact format names.
    pub tool: &'w str,
    pub layouts: &'w [Layout],
    /// The control that bounds the answer and its value, for the remark on a cut one.
    pub bound: Option<(&'static str, i64)>,
}

impl Wire<'_> {
    /// The text of an answer in its form; `None` for JSON, which is written where it leaves.
    pub(crate) fn write(&self, value: &Value) -> Option<String> {
        Some(match self.format {
            Format::Json => return None,
            Format::Gcx => {
                let mut text = gcx::encode(&gcx::document(self.tool, value, self.layouts));
                if value.get("_truncated_by_budget") == Some(&Value::Bool(true)) {
                    text += &self.remark();
                }
                text
            }
            Format::Toon => toon::text(value),
            Format::Text => plain::text(value),
        })
    }

    /// The comment on a cut answer.
    fn remark(&self) -> String {
        match self.bound {
            Some(("max_tokens", tokens)) => format!("# max_tokens={tokens} truncated_by_tokens=true\n"),
            Some((name, bytes)) => format!("# {name}={bytes} truncated_by_bytes=true\n"),
            None => "# truncated_by_bytes=true\n".to_owned(),
        }
    }

    /// How long an answer is in its form.
    pub(crate) fn len(&self, value: &Value) -> usize {
        self.write(value).map_or_else(|| json_len(value), |text| text.len())
    }
}

/// The schema of the control.
pub(super) fn schema() -> Value {
    json!({"type": "string", "enum": Format::ALL.map(Format::as_str)})
}
