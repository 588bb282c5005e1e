//! GCX1: answers as tables of text, for clients that pay per token.
//!
//! A document is sections of named columns; a section is a header line and a line per row. [`encode`] and [`decode`] are the
//! text; [`Layout`] says how the answer of one tool becomes a document, and everything else follows one general rule. Nothing
//! of an answer is lost: what a layout has no column for stands in sections behind it.
//!
//! Knows the format and JSON values; which tools there are is told by the layouts that a host passes in.

mod layout;
mod text;

use std::collections::BTreeMap;

pub use layout::{Field, Layout, Part, Rows, Source, document};
pub use text::{GcxError, decode, encode};

/// What a payload says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    /// The sections in their order.
    pub sections: Vec<Section>,
}

/// One table. What the text can't carry is settled when it is made, so that writing and reading give it back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    tool: String,
    fields: Vec<String>,
    meta: BTreeMap<String, String>,
    rows: Vec<Vec<String>>,
}

impl Section {
    /// A section of these columns and rows. Carriage returns are dropped, missing cells are empty, and cells beyond the columns
    /// are dropped. One column with an empty cell would be a blank line, so such a section gets a column of numbers in front.
    pub fn new(tool: impl Into<String>, fields: Vec<String>, meta: BTreeMap<String, String>, rows: Vec<Vec<String>>) -> Section {
        let mut tool = plain(tool.into());
        if tool.is_empty() {
            "answer".clone_into(&mut tool);
        }
        let mut fields: Vec<String> = fields.into_iter().map(plain).collect();
        if fields.is_empty() {
            fields.push("value".to_owned());
        }
        let columns = fields.len();
        let fit = |row: Vec<String>| {
            let mut row: Vec<String> = row.into_iter().take(columns).map(plain).collect();
            row.resize(columns, String::new());
            row
        };
        let mut rows: Vec<Vec<String>> = rows.into_iter().map(fit).collect();
        if columns == 1 && rows.iter().any(|row| row[0].is_empty()) {
            fields.insert(0, "index".to_owned());
            rows.iter_mut().enumerate().for_each(|(at, row)| row.insert(0, at.to_string()));
        }
        // The two names that a header line begins with are taken.
        let named = |key: String| if key == "tool" || key == "fields" { format!("_{key}") } else { key };
        let meta = meta.into_iter().map(|(key, value)| (named(plain(key)), plain(value))).collect();
        Section { tool, fields, meta, rows }
    }

    /// The tool, or `tool.part`.
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// The names of the columns.
    pub fn fields(&self) -> &[String] {
        &self.fields
    }

    /// What the header says besides.
    pub fn meta(&self) -> &BTreeMap<String, String> {
        &self.meta
    }

    /// The rows, each with a cell for every column.
    pub fn rows(&self) -> &[Vec<String>] {
        &self.rows
    }

    /// The cells of a column. Columns are found by name: later builds may have more of them, elsewhere.
    pub fn column<'s>(&'s self, name: &str) -> Option<impl Iterator<Item = &'s str> + use<'s>> {
        let at = self.fields.iter().position(|field| field == name)?;
        Some(self.rows.iter().map(move |row| row[at].as_str()))
    }
}

/// Text without carriage returns.
fn plain(text: String) -> String {
    if text.contains('\r') { text.replace('\r', "") } else { text }
}

#[cfg(test)]
mod tests;
