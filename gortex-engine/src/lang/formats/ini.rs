//! INI and its relatives: sections and keys of settings, EditorConfig, git's own files, units of systemd.

use tree_sitter::Node;

use super::super::{Action, Hooks, Language};
use super::{Book, FORMAT, child, children, inside, unquote};
use crate::facts::model::Kind;
use crate::facts::walker::{NewDef, Walker};

/// INI.
pub(in crate::lang) static INI: Language = Language {
    name: "ini",
    extensions: &["ini", "cfg", "desktop", "service", "socket", "timer", "mount", "target", "editorconfig"],
    file_names: &[".editorconfig", ".gitmodules", ".gitconfig", ".flake8", ".pylintrc", ".coveragerc", ".npmrc", ".pypirc"],
    line_comment: ";",
    grammar: || tree_sitter_ini::LANGUAGE.into(),
    table: &[("document", Action::Hook(document))],
    hooks: Hooks::NONE,
    ..FORMAT
};

fn document(walker: &mut Walker<'_>, root: Node<'_>) {
    let mut book = Book::new();
    for node in children(root) {
        match node.kind() {
            "setting" => setting(walker, &mut book, node),
            "section" => section(walker, &mut book, node),
            _ => {}
        }
    }
}

fn section<'t>(walker: &mut Walker<'_>, book: &mut Book<'t>, node: Node<'t>) {
    let Some(name) = child(node, "section_name").and_then(|name| child(name, "text")) else { return };
    let text = unquote(walker.text(name)).to_owned();
    let body = child(node, "setting");
    let def = book.define(walker, NewDef::new(Kind::Section, node, name).body(body), &text);
    inside(walker, def, |walker| {
        for node in children(node).into_iter().filter(|node| node.kind() == "setting") {
            setting(walker, book, node);
        }
    });
}

fn setting<'t>(walker: &mut Walker<'_>, book: &mut Book<'t>, node: Node<'t>) {
    let Some(name) = child(node, "setting_name") else { return };
    let text = walker.text(name).trim().to_owned();
    book.define(walker, NewDef::new(Kind::Key, node, name), &text);
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;
    use crate::lang::Lang;

    #[test]
    fn sections_and_keys() {
        check_facts(
            "ini",
            r#"
top = 1
; <- def key top
[submodule "lib/x"]
;^ def section submodule "lib/x"
path = lib/x
; <- def key submodule "lib/x".path
# key = 1
[empty]
;^ def section empty
"#,
        );
    }

    #[test]
    fn files_by_name() {
        let name = |path| Lang::of_path(path).map(|lang| lang.language().name);
        assert_eq!(name("a/.editorconfig"), Some("ini"));
        assert_eq!(name(".gitmodules"), Some("ini"));
        assert_eq!(name("setup.cfg"), Some("ini"));
        assert_eq!(name("config"), None);
    }
}
