//! From an answer to a document.
//!
//! A layout names the columns of one tool, which never change within a version. Keys of rows without a column go to a section
//! of their own behind the rows, other keys of the answer into the first header when they are short, and into tables of their own
//! or a last section when they are not.
//! Without a layout an object is a row of its sorted keys, a list of objects a table of all their keys, anything else a column
//! `value`.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::{Map, Value};

use super::{Document, Section};

/// The columns of one tool's answer.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// The tool.
    pub tool: &'static str,
    /// Its tables.
    pub parts: &'static [Part],
}

/// One table of a layout.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// What stands behind the tool's name and a dot; nothing for the only table.
    pub name: &'static str,
    /// Where its rows are.
    pub rows: Rows,
    /// Its columns.
    pub fields: &'static [Field],
    /// Keys of a row that its columns imply, so that nothing is lost without them.
    pub implied: &'static [&'static str],
    /// Whether an answer without these rows still has this layout.
    pub optional: bool,
}

/// Where the rows of a table are.
#[derive(Clone, Copy, Debug)]
pub enum Rows {
    /// The answer is the only row.
    Whole,
    /// The object under this key is the only row.
    Object(&'static str),
    /// The list under this key.
    List(&'static str),
}

/// One column.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// Where its values are.
    pub source: Source,
    /// Whether the column is left out when no row has a value for it.
    pub optional: bool,
}

/// Where the value of a cell is.
#[derive(Clone, Copy, Debug)]
pub enum Source {
    /// Under the first of these keys that the row has.
    Keys(&'static [&'static str]),
    /// Under this key, a list written with commas.
    Joined(&'static str),
    /// In the row of `list` whose id is the value of `key`: the value of `field` there.
    Through {
        /// Key of this row with the id.
        key: &'static str,
        /// List of the answer with the other row.
        list: &'static str,
        /// Key of the other row.
        field: &'static str,
    },
    /// The row itself, where it is no object.
    Itself,
}

impl Part {
    /// The rows of a list, as the only table.
    pub const fn list(key: &'static str, fields: &'static [Field]) -> Part {
        Part { name: "", rows: Rows::List(key), fields, implied: &[], optional: false }
    }

    /// The same table under a name.
    pub const fn named(self, name: &'static str) -> Part {
        Part { name, ..self }
    }

    /// The same table, whose columns imply these keys of a row.
    pub const fn implying(self, implied: &'static [&'static str]) -> Part {
        Part { implied, ..self }
    }

    /// The same table of an answer that may come without it.
    pub const fn if_any(self) -> Part {
        Part { optional: true, ..self }
    }
}

impl Field {
    /// A column that is a key of the row.
    pub const fn of(name: &'static str, keys: &'static [&'static str]) -> Field {
        Field { name, source: Source::Keys(keys), optional: false }
    }

    /// A column from somewhere else.
    pub const fn from(name: &'static str, source: Source) -> Field {
        Field { name, source, optional: false }
    }

    /// The same column, left out when no row has a value for it.
    pub const fn if_any(self) -> Field {
        Field { optional: true, ..self }
    }
}

/// The document of an answer.
pub fn document(tool: &str, answer: &Value, layouts: &[Layout]) -> Document {
    let laid_out = layouts.iter().find(|layout| layout.tool == tool).and_then(|layout| lay_out(layout, answer));
    Document { sections: laid_out.unwrap_or_else(|| vec![general(tool, answer)]) }
}

/// The text of a value in a cell.
fn cell(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// What every answer without a layout becomes.
fn general(tool: &str, answer: &Value) -> Section {
    match answer {
        Value::Object(object) if !object.is_empty() => table(tool, &[object], BTreeMap::new()),
        Value::Array(items) => {
            let objects: Vec<&Map<String, Value>> = items.iter().filter_map(Value::as_object).collect();
            if objects.len() == items.len() && objects.iter().any(|object| !object.is_empty()) {
                return table(tool, &objects, BTreeMap::new());
            }
            Section::new(tool, Vec::new(), BTreeMap::new(), items.iter().map(|item| vec![cell(item)]).collect())
        }
        scalar => Section::new(tool, Vec::new(), BTreeMap::new(), vec![vec![cell(scalar)]]),
    }
}

/// A table of all keys of some objects.
fn table(tool: &str, objects: &[&Map<String, Value>], meta: BTreeMap<String, String>) -> Section {
    let keys: BTreeSet<&String> = objects.iter().flat_map(|object| object.keys()).collect();
    let rows = objects.iter().map(|object| keys.iter().map(|key| object.get(*key).map(cell).unwrap_or_default()).collect());
    Section::new(tool, keys.iter().map(|key| (*key).clone()).collect(), meta, rows.collect())
}

/// The rows of a part; `None` when the answer has none of this form.
fn rows_of<'v>(part: &Part, answer: &'v Map<String, Value>, whole: &'v Value) -> Option<Vec<&'v Value>> {
    match part.rows {
        Rows::Whole => Some(vec![whole]),
        Rows::Object(key) => answer.get(key).filter(|value| value.is_object()).map(|value| vec![value]),
        Rows::List(key) => answer.get(key).and_then(Value::as_array).map(|list| list.iter().collect()),
    }
}

/// The sections of a layout; `None` when the answer is not of its form.
fn lay_out(layout: &Layout, whole: &Value) -> Option<Vec<Section>> {
    let answer = whole.as_object()?;
    let mut lookup = Lookup { answer, by_id: HashMap::new() };
    let mut used: BTreeSet<&str> = BTreeSet::new();
    let (mut sections, mut behind) = (Vec::new(), Vec::new());
    for part in layout.parts {
        let Some(rows) = rows_of(part, answer, whole) else {
            if part.optional {
                continue;
            }
            return None;
        };
        match part.rows {
            Rows::Whole => used.extend(part.fields.iter().filter_map(|field| shown_key(field.source, whole))),
            Rows::Object(key) | Rows::List(key) => drop(used.insert(key)),
        }
        let title = if part.name.is_empty() { layout.tool.to_owned() } else { format!("{}.{}", layout.tool, part.name) };
        let has = |field: &&Field| !field.optional || rows.iter().any(|row| shown_key(field.source, row).is_some());
        let columns: Vec<&Field> = part.fields.iter().filter(has).collect();
        let cells = rows.iter().map(|row| columns.iter().map(|field| lookup.cell(row, field.source)).collect()).collect();
        let fields = columns.iter().map(|field| field.name.to_owned()).collect();
        if !matches!(part.rows, Rows::Whole) {
            behind.extend(extra(&title, &rows, part));
        }
        sections.push((title, fields, cells));
    }
    let rest: Vec<(&String, &Value)> = answer.iter().filter(|(key, _)| !used.contains(key.as_str())).collect();
    let (long, short): (Vec<_>, Vec<_>) = rest.into_iter().partition(|(_, value)| value.is_object() || value.is_array());
    let mut meta: BTreeMap<String, String> = short.into_iter().map(|(key, value)| (key.clone(), cell(value))).collect();
    let build = |(title, fields, rows): (String, Vec<String>, Vec<Vec<String>>)| {
        Section::new(title, fields, std::mem::take(&mut meta), rows)
    };
    let mut sections: Vec<Section> = sections.into_iter().map(build).collect();
    sections.append(&mut behind);
    let is_table = |value: &Value| value.as_array().is_some_and(|rows| !rows.is_empty() && rows.iter().all(Value::is_object));
    let (tables, long): (Vec<_>, Vec<_>) = long.into_iter().partition(|(_, value)| is_table(value));
    for (key, value) in tables {
        sections.push(general(&format!("{}.{key}", layout.tool), value));
    }
    if !long.is_empty() {
        let rows = long.into_iter().map(|(key, value)| vec![key.clone(), value.to_string()]).collect();
        sections.push(Section::new(format!("{}.more", layout.tool), vec!["key".into(), "value".into()], BTreeMap::new(), rows));
    }
    Some(sections)
}

/// The key of a row that a column shows.
fn shown_key(source: Source, row: &Value) -> Option<&'static str> {
    match source {
        Source::Keys(keys) => keys.iter().copied().find(|key| row.get(*key).is_some()),
        Source::Joined(key) => Some(key),
        Source::Through { .. } | Source::Itself => None,
    }
}

/// The column that says of which row of the table before a row is.
const OF_ROW: &str = "@row";

/// What rows have besides their columns, by the number of the row.
fn extra(title: &str, rows: &[&Value], part: &Part) -> Option<Section> {
    let mut kept: Vec<(usize, BTreeMap<&String, &Value>)> = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let columns = part.fields.iter().filter_map(|field| shown_key(field.source, row));
        let shown: BTreeSet<&str> = columns.chain(part.implied.iter().copied()).collect();
        let more = row.as_object().into_iter().flatten().filter(|(key, _)| !shown.contains(key.as_str()));
        let more: BTreeMap<&String, &Value> = more.collect();
        if !more.is_empty() {
            kept.push((at, more));
        }
    }
    if kept.is_empty() {
        return None;
    }
    let keys: BTreeSet<&String> = kept.iter().flat_map(|(_, more)| more.keys().copied()).collect();
    let columns = std::iter::once(OF_ROW.to_owned()).chain(keys.iter().map(|key| (*key).clone())).collect();
    let line = |(at, more): &(usize, BTreeMap<&String, &Value>)| {
        let cells = keys.iter().map(|key| more.get(*key).map(|value| cell(value)).unwrap_or_default());
        std::iter::once(at.to_string()).chain(cells).collect()
    };
    Some(Section::new(format!("{title}.extra"), columns, BTreeMap::new(), kept.iter().map(line).collect()))
}

/// Finds cells, those of other rows included.
struct Lookup<'v> {
    answer: &'v Map<String, Value>,
    by_id: HashMap<&'static str, HashMap<&'v str, &'v Value>>,
}

impl<'v> Lookup<'v> {
    fn cell(&mut self, row: &Value, source: Source) -> String {
        match source {
            Source::Keys(keys) => keys.iter().find_map(|key| row.get(*key)).map(cell).unwrap_or_default(),
            Source::Joined(key) => match row.get(key) {
                Some(Value::Array(items)) => items.iter().map(cell).collect::<Vec<_>>().join(","),
                other => other.map(cell).unwrap_or_default(),
            },
            Source::Through { key, list, field } => {
                let id = row.get(key).and_then(Value::as_str).unwrap_or_default();
                self.row(list, id).and_then(|row| row.get(field)).map(cell).unwrap_or_default()
            }
            Source::Itself => cell(row),
        }
    }

    fn row(&mut self, list: &'static str, id: &str) -> Option<&'v Value> {
        let answer = self.answer;
        let rows = self.by_id.entry(list).or_insert_with(|| {
            let rows = answer.get(list).and_then(Value::as_array).into_iter().flatten();
            rows.filter_map(|row| Some((row.get("id")?.as_str()?, row))).collect()
        });
        rows.get(id).copied()
    }
}
