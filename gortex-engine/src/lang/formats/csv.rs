//! Tables of text: the columns of their first line.

use super::super::{Action, Hooks, Language};
use super::{FORMAT, LINES};
use crate::facts::model::Kind;
use crate::facts::walker::Walker;

/// Values separated by commas, semicolons or tabs.
pub(in crate::lang) static CSV: Language = Language {
    name: "csv",
    extensions: &["csv", "tsv"],
    grammar: LINES,
    table: &[("template", Action::Hook(|walker, _| columns(walker)))],
    hooks: Hooks::NONE,
    ..FORMAT
};

/// Columns of one table at most.
const COLUMNS: usize = 200;

fn columns(walker: &mut Walker<'_>) {
    let Some((span, text)) = walker.lines().next() else { return };
    let text = text.trim_start_matches('\u{feff}');
    let skipped = span.end - span.start - text.len();
    let separator = [b'\t', b';', b','].into_iter().max_by_key(|mark| text.bytes().filter(|byte| byte == mark).count());
    let cells = cells(text, separator.unwrap_or(b','));
    if !is_header(text, &cells) {
        return;
    }
    for (from, to) in cells.into_iter().take(COLUMNS) {
        let name = text[from..to].trim().trim_matches('"').trim();
        if !name.is_empty() {
            let from = skipped + (name.as_ptr() as usize - text.as_ptr() as usize);
            let place = span.part(from, from + name.len());
            walker.define_span(Kind::Column, place, place, name);
        }
    }
}

/// The byte ranges between separators that stand in no quotes.
fn cells(text: &str, separator: u8) -> Vec<(usize, usize)> {
    let (mut found, mut from, mut quoted) = (Vec::new(), 0, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            _ if byte == separator && !quoted => {
                found.push((from, at));
                from = at + 1;
            }
            _ => {}
        }
    }
    found.push((from, text.len()));
    found
}

/// A first line names columns when no cell of it is a number or empty.
fn is_header(text: &str, cells: &[(usize, usize)]) -> bool {
    cells.len() > 1
        && cells.iter().all(|(from, to)| {
            let cell = text[*from..*to].trim().trim_matches('"');
            !cell.is_empty() && cell.parse::<f64>().is_err()
        })
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn the_first_line_names_columns() {
        check_facts(
            "csv",
            "id,\"full, name\",e-mail\n# <- def column id\n#   ^ def column full, name\n#               ^ def column e-mail\n1,a,b\n",
        );
        check_facts("csv", "id\tname\n# <- def column id\n#  ^ def column name\n");
    }

    #[test]
    fn a_first_line_of_values_names_nothing() {
        check_facts("csv", "1,2,3\n4,5,6\n");
        check_facts("csv", "only one\n");
    }
}
