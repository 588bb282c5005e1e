//! Files of patterns: who owns what (`CODEOWNERS`) and how git treats it (`.gitattributes`).

use super::super::{Action, Hooks, Language};
use super::{FORMAT, LINES, MOST};
use crate::facts::model::Kind;
use crate::facts::walker::Walker;

/// Who owns which paths.
pub(in crate::lang) static CODEOWNERS: Language = Language { name: "codeowners", file_names: &["CODEOWNERS"], ..PATTERNS };

/// How git treats which paths.
pub(in crate::lang) static GIT_ATTRIBUTES: Language =
    Language { name: "git_attributes", file_names: &[".gitattributes"], ..PATTERNS };

const PATTERNS: Language =
    Language { grammar: LINES, table: &[("template", Action::Hook(|walker, _| patterns(walker)))], hooks: Hooks::NONE, ..FORMAT };

fn patterns(walker: &mut Walker<'_>) {
    let mut left = MOST;
    for (span, text) in walker.lines() {
        let line = text.split(" #").next().unwrap_or("").trim();
        // `[Section]` groups owners and is no path.
        if left == 0 || line.is_empty() || line.starts_with(['#', '[', '^']) {
            continue;
        }
        left -= 1;
        let pattern = line.split_whitespace().next().unwrap_or(line);
        walker.define_span(Kind::Key, span.of(text, line), span.of(text, pattern), pattern);
    }
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn patterns_are_keys() {
        check_facts(
            "codeowners",
            r"
# Everyone
* @org/all
# <- def key *
[Docs]
/docs/ @ann @bob # both
# <- def key /docs/
",
        );
        check_facts("git_attributes", "\n*.png binary\n# <- def key *.png\n");
    }
}
