//! Pages with program text between `<%` and `%>`: ERB is Ruby, EJS is JavaScript.
//!
//! What stands between the marks is read as one program, with a statement's end behind each piece; the page around is HTML.

use tree_sitter::Node;

use super::super::{Action, Family, Hooks, Lang, Language};
use super::{FORMAT, child, children};
use crate::facts::walker::{Embed, Walker};

/// ERB.
pub(in crate::lang) static ERB: Language = Language {
    name: "erb",
    family: Family::Ruby,
    extensions: &["erb", "rhtml"],
    table: &[("template", Action::Hook(|walker, root| page(walker, root, "ruby")))],
    ..PAGE
};

/// EJS.
pub(in crate::lang) static EJS: Language = Language {
    name: "ejs",
    family: Family::Script,
    extensions: &["ejs"],
    table: &[("template", Action::Hook(|walker, root| page(walker, root, "javascript")))],
    ..PAGE
};

const PAGE: Language = Language {
    line_comment: "<!--",
    hoists: true,
    grammar: || tree_sitter_embedded_template::LANGUAGE.into(),
    hooks: Hooks::NONE,
    ..FORMAT
};

fn page(walker: &mut Walker<'_>, root: Node<'_>, program: &str) {
    let source = walker.source;
    let mut text: Vec<u8> = source.iter().map(|byte| if *byte == b'\n' { b'\n' } else { b' ' }).collect();
    let mut any = false;
    for node in children(root) {
        let Some(code) = child(node, "code").filter(|_| matches!(node.kind(), "directive" | "output_directive")) else {
            continue;
        };
        let range = code.byte_range();
        text[range.clone()].copy_from_slice(&source[range.clone()]);
        if let Some(end) = text.get_mut(range.end).filter(|byte| **byte == b' ') {
            *end = b';';
        }
        any = true;
    }
    if let Some(lang) = Lang::named(program).filter(|_| any) {
        walker.embed_text(lang, &text, &[root.range()], Embed::Sound);
    }
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn program_text_of_pages() {
        check_facts(
            "erb",
            r"
<h1><%= title(1) %></h1> <%= other(2) %>
<!--    ^ call title -->
<!--                         ^ call other -->
<p>call(3)</p>
",
        );
        check_facts("ejs", "<% if (ok()) { %>\n<!--   ^ call ok -->\n<% } %>\n");
    }
}
