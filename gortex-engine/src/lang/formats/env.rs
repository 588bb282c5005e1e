//! Dotenv files: the names that are set, never their values, which are secrets as often as not.

use super::super::{Action, Hooks, Language};
use super::{FORMAT, LINES, MOST};
use crate::facts::model::Kind;
use crate::facts::walker::Walker;

/// `.env` and its variants.
pub(in crate::lang) static DOTENV: Language = Language {
    name: "dotenv",
    extensions: &["env"],
    file_names: &[".env", ".flaskenv"],
    grammar: LINES,
    table: &[("template", Action::Hook(|walker, _| names(walker)))],
    hooks: Hooks::NONE,
    ..FORMAT
};

fn names(walker: &mut Walker<'_>) {
    // A quoted value may go on over lines; what stands in it sets nothing.
    let mut open: Option<char> = None;
    let mut left = MOST;
    for (span, text) in walker.lines() {
        if let Some(quote) = open {
            if text.contains(quote) {
                open = None;
            }
            continue;
        }
        let Some((before, value)) = text.split_once('=') else { continue };
        let before = before.trim();
        let name = before.strip_prefix("export ").unwrap_or(before).trim();
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'));
        if !is_name || left == 0 {
            continue;
        }
        left -= 1;
        let place = span.of(text, name);
        walker.define_span(Kind::Key, place, place, name);
        let value = value.trim_start();
        open = value.chars().next().filter(|first| matches!(first, '"' | '\'') && !value[1..].contains(*first));
    }
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;
    use crate::index::build::graph_of;

    #[test]
    fn names_that_are_set() {
        check_facts(
            "dotenv",
            r#"
DB_URL=postgres://u:secret@h/d
# <- def key DB_URL
export API_KEY='s3cret'
#      ^ def key API_KEY
  PORT = 80
# ^ def key PORT
PRIVATE="begin
# <- def key PRIVATE
NOT_A_NAME=1
end"
NEXT=1
# <- def key NEXT
not a name=1
#COMMENTED=1
"#,
        );
    }

    #[test]
    fn values_are_in_no_fact() {
        let graph = graph_of(&[("svc/.env.local", "TOKEN=s3cret\n"), ("prod.env", "A=s3cret\n")]);
        for path in ["svc/.env.local", "prod.env"] {
            let view = graph.file(path).expect("a file").facts.view();
            assert_eq!(view.defs.len(), 1, "{path}");
            assert!(!view.str(view.defs[0].signature).contains("s3cret"), "{path}");
        }
    }
}
