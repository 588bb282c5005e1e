//! Requirement files of pip: one distribution a line, and files that are taken in.

use super::super::{Action, Hooks, Language};
use super::{FORMAT, LINES, MOST};
use crate::facts::model::Kind;
use crate::facts::walker::Walker;

/// `requirements.txt` and its variants.
pub(in crate::lang) static REQUIREMENTS: Language = Language {
    name: "requirements",
    file_names: &["requirements.txt", "constraints.txt", "requirements.in"],
    grammar: LINES,
    table: &[("template", Action::Hook(|walker, _| requirements(walker)))],
    hooks: Hooks::NONE,
    ..FORMAT
};

/// Options that name another file.
const TAKES_IN: &[&str] = &["--requirement", "--constraint", "-r", "-c"];

fn requirements(walker: &mut Walker<'_>) {
    let mut left = MOST;
    for (span, text) in walker.lines() {
        let line = text.split(" #").next().unwrap_or("").trim();
        if left == 0 || line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(path) = TAKES_IN.iter().find_map(|option| line.strip_prefix(option)) {
            let path = path.trim_start_matches(['=', ' ', '\t']);
            walker.import_span(span.of(text, path), path);
            continue;
        }
        let end = line.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))).unwrap_or(line.len());
        let name = &line[..end];
        let follows = line[end..].trim_start();
        let is_requirement = name.starts_with(|c: char| c.is_ascii_alphanumeric())
            && (follows.is_empty() || follows.starts_with(['=', '<', '>', '~', '!', '[', ';', '@', '\\']));
        if is_requirement {
            left -= 1;
            walker.define_span(Kind::Key, span.of(text, line), span.of(text, name), name);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;
    use crate::index::build::graph_of;
    use crate::lang::Lang;

    #[test]
    fn distributions_and_files() {
        check_facts(
            "requirements",
            r#"
-r base.txt
#  ^ import base.txt||
Django>=4.2,<5 # the framework
# <- def key Django
requests[socks] == 2.31 ; python_version < "3.12"
# <- def key requests
mine @ git+https://example.com/mine
# <- def key mine
-e .
--index-url https://example.com/simple
    --hash=sha256:abc
https://example.com/a.whl
"#,
        );
    }

    #[test]
    fn which_text_files_are_requirements() {
        let name = |path| Lang::of_path(path).map(|lang| lang.language().name);
        assert_eq!(name("requirements-dev.txt"), Some("requirements"));
        assert_eq!(name("requirements/test.txt"), Some("requirements"));
        assert_eq!(name("notes.txt"), None);
        let graph = graph_of(&[("requirements.txt", "-r requirements/base.txt\n"), ("requirements/base.txt", "x\n")]);
        assert!(graph.out(graph.by_id("requirements.txt").expect("the file")).iter().any(|edge| edge.line == 1));
    }
}
