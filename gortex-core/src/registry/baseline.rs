//! The baseline: the operations that must exist, as lines of text.
//!
//! A line is `facade, operation, legacy tool, effect, fixed, note`, separated by tabs; `fixed` is a JSON object, `note` is
//! `hidden` or `channel`. A channel line stands for one channel of a verb and becomes the operation `<verb>_<channel>`.

use serde_json::{Map, Value};

use crate::effect::Effect;
use crate::validate::Violation;

/// One operation of the baseline.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The public tool.
    pub facade: String,
    /// The operation; for a channel line `<verb>_<channel>`.
    pub operation: String,
    /// The legacy tool.
    pub legacy: &'static str,
    /// The effect.
    pub effect: Effect,
    /// The fixed arguments.
    pub fixed: Map<String, Value>,
    /// Whether it is never shown.
    pub hidden: bool,
    /// The line in the text.
    pub line: usize,
}

impl Row {
    /// Where the row stands, for a report.
    pub fn at(&self) -> String {
        format!("baseline:{}", self.line)
    }
}

/// Reads the rows; a line that can't be read is a violation, not an abort.
pub(super) fn parse(text: &'static str) -> (Vec<Row>, Vec<Violation>) {
    let (mut rows, mut violations) = (Vec::new(), Vec::new());
    for (at, line) in text.lines().enumerate() {
        if line.trim().is_empty() || line.starts_with("facade\t") || line.starts_with('#') {
            continue;
        }
        match row(line, at + 1) {
            Ok(row) => rows.push(row),
            Err(message) => violations.push(Violation::new("baseline_malformed", message, format!("baseline:{}", at + 1))),
        }
    }
    (rows, violations)
}

/// One line.
fn row(line: &'static str, number: usize) -> Result<Row, String> {
    let mut cells = line.trim_end_matches('\r').split('\t');
    let mut cell = |what: &str| cells.next().map(str::trim).ok_or_else(|| format!("the line has no {what}"));
    let (facade, operation, legacy) = (cell("facade")?, cell("operation")?, cell("legacy tool")?);
    let effect = cell("effect")?;
    let effect = Effect::parse(effect).ok_or_else(|| format!("unknown effect `{effect}`"))?;
    let fixed = cell("fixed").unwrap_or_default();
    let note = cell("note").unwrap_or_default();
    let mut fixed: Map<String, Value> = match fixed {
        "" => Map::new(),
        text => serde_json::from_str(text).map_err(|error| format!("`{text}` is no JSON object: {error}"))?,
    };
    let mut operation = operation.to_owned();
    if note == "channel" {
        let channel = fixed.shift_remove("channel");
        let channel = channel.as_ref().and_then(Value::as_str).ok_or("a channel line has no fixed channel")?;
        operation = format!("{operation}_{channel}");
    }
    Ok(Row { facade: facade.to_owned(), operation, legacy, effect, fixed, hidden: note == "hidden", line: number })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::BASELINE_V1;

    #[test]
    fn the_baseline_has_178_legacy_tools_in_21_domains() {
        let (rows, violations) = parse(BASELINE_V1);
        assert!(violations.is_empty(), "{violations:?}");
        let mut legacy: Vec<&str> = rows.iter().map(|row| row.legacy).collect();
        legacy.sort_unstable();
        legacy.dedup();
        assert_eq!(legacy.len(), 178);
        let mut facades: Vec<&str> = rows.iter().map(|row| row.facade.as_str()).collect();
        facades.sort_unstable();
        facades.dedup();
        assert_eq!(facades.len(), 21);
        assert!(rows.iter().any(|row| row.operation == "unsubscribe_stale_refs" && row.fixed.is_empty()));
    }

    #[test]
    fn a_broken_line_is_reported_with_its_number() {
        let (rows, violations) = parse("facade\toperation\r\na\tb\tc\tread\t\t\r\na\tb\nx\ty\tz\twrite\t\t\n");
        assert_eq!(rows.len(), 1);
        let at: Vec<&str> = violations.iter().map(|violation| violation.at.as_str()).collect();
        assert_eq!(at, ["baseline:3", "baseline:4"]);
    }
}
