//! HTML: headings, elements with an id, files that are named, scripts and styles.
//!
//! A link is a reference from one document to another, told once; those of the navigation that stands around every page of a
//! site are none. Scripts are code of the page and linked as such; the text of a template engine in one makes it unreadable and it is left out.

use tree_sitter::Node;

use super::super::{Action, Family, Hooks, Lang, Language};
use super::{Book, FORMAT, child, children, is_local_path};
use crate::facts::model::{Kind, NONE, import_flag};
use crate::facts::walker::{Embed, NewDef, Walker};

/// HTML.
pub(in crate::lang) static HTML: Language = Language {
    name: "html",
    family: Family::Script,
    extensions: &["html", "htm", "xhtml"],
    line_comment: "<!--",
    keywords: super::super::script::KEYWORDS,
    hoists: true,
    grammar: || tree_sitter_html::LANGUAGE.into(),
    table: &[("document", Action::Hook(document))],
    hooks: Hooks::NONE,
    ..FORMAT
};

/// How deep elements are followed.
const ELEMENTS: usize = 200;

fn document(walker: &mut Walker<'_>, root: Node<'_>) {
    // What a script says of its definitions must not be said of the page's.
    scripts(walker, root, Embed::Sound, 0);
    let mut book = Book::new();
    elements(walker, &mut book, root, (0, false));
}

/// Walks scripts and styles where they stand.
pub(super) fn scripts(walker: &mut Walker<'_>, node: Node<'_>, how: Embed, depth: usize) {
    for inner in children(node) {
        match inner.kind() {
            "script_element" => script(walker, inner, how),
            "style_element" => style(walker, inner, how),
            "text" | "start_tag" | "end_tag" | "self_closing_tag" | "comment" => {}
            _ if depth < ELEMENTS => scripts(walker, inner, how, depth + 1),
            _ => {}
        }
    }
}

fn script(walker: &mut Walker<'_>, node: Node<'_>, how: Embed) {
    let tag = child(node, "start_tag");
    let attribute =
        |walker: &Walker<'_>, name| tag.and_then(|tag| value_of(walker, tag, name)).map(|node| walker.text(node).to_owned());
    let lang = attribute(walker, "lang");
    let kind = attribute(walker, "type").unwrap_or_default();
    let name = match (lang.as_deref(), kind.as_str()) {
        (Some("ts" | "typescript"), _) | (_, "text/typescript") => "typescript",
        (Some("tsx"), _) => "tsx",
        (Some("jsx"), _) | (_, "text/babel" | "text/jsx") => "jsx",
        (_, "" | "module" | "text/javascript" | "application/javascript") => "javascript",
        _ => return,
    };
    if let (Some(lang), Some(text)) = (Lang::named(name), child(node, "raw_text")) {
        walker.embed_node(lang, text, how);
    }
}

fn style(walker: &mut Walker<'_>, node: Node<'_>, how: Embed) {
    let tag = child(node, "start_tag");
    let lang = tag.and_then(|tag| value_of(walker, tag, "lang")).map(|node| walker.text(node));
    if lang.is_none_or(|lang| matches!(lang, "css" | "postcss"))
        && let (Some(css), Some(text)) = (Lang::named("css"), child(node, "raw_text"))
    {
        // A style is never what a component stands or falls with.
        walker.embed_node(css, text, if how == Embed::Whole { Embed::Sound } else { how });
    }
}

fn elements<'t>(walker: &mut Walker<'_>, book: &mut Book<'t>, node: Node<'t>, (depth, around): (usize, bool)) {
    for inner in children(node) {
        if !matches!(inner.kind(), "element" | "script_element" | "style_element") {
            continue;
        }
        let Some(tag) = child(inner, "start_tag").or_else(|| child(inner, "self_closing_tag")) else { continue };
        let Some(tag_name) = child(tag, "tag_name") else { continue };
        let tag_text = walker.text(tag_name);
        let around = around || is_navigation(walker, tag, tag_text);
        mentions(walker, tag, tag_text, around);
        if let Some(id) = value_of(walker, tag, "id").filter(|id| !walker.text(*id).contains(['{', '<'])) {
            let name = walker.text(id).to_owned();
            let new = NewDef::new(Kind::Element, inner, id).body(children(inner).get(1).copied());
            if let Some(def) = book.define(walker, new, &name) {
                let ty = walker.intern(tag_text);
                walker.def_mut(def).ty = ty;
            }
        } else if is_heading(tag_text) {
            heading(walker, book, inner);
        }
        if depth < ELEMENTS && inner.kind() == "element" {
            elements(walker, book, inner, (depth + 1, around));
        }
    }
}

fn is_heading(tag: &str) -> bool {
    tag == "title" || (tag.len() == 2 && tag.starts_with('h') && tag.ends_with(|c: char| ('1'..='6').contains(&c)))
}

/// A heading is named by its text, without the tags in it.
fn heading<'t>(walker: &mut Walker<'_>, book: &mut Book<'t>, node: Node<'t>) {
    let (mut name, mut first, mut pending) = (String::new(), None, vec![node]);
    while let Some(at) = pending.pop() {
        if at.kind() == "text" || at.kind() == "entity" {
            first.get_or_insert(at);
            name.push_str(walker.text(at).trim());
            name.push(' ');
        } else {
            pending
                .extend(children(at).into_iter().rev().filter(|inner| inner.kind() != "start_tag" && inner.kind() != "end_tag"));
        }
    }
    let name = crate::facts::text::one_line(&name, 120);
    if let Some(first) = first.filter(|_| !name.contains("{{") && !name.contains("{%")) {
        book.define(walker, NewDef::new(Kind::Heading, node, first), &name);
    }
}

/// What every page of a site has around its text: links in there say where the reader may go, not what the page speaks of.
fn is_navigation(walker: &Walker<'_>, tag: Node<'_>, name: &str) -> bool {
    const WORDS: &[&str] = &["nav", "navbar", "navigation", "sidebar", "menu", "toc", "breadcrumb", "breadcrumbs", "pagination"];
    let says = |attribute| {
        value_of(walker, tag, attribute).is_some_and(|value| {
            walker
                .text(value)
                .split(|c: char| !c.is_alphanumeric())
                .any(|word| WORDS.iter().any(|one| word.eq_ignore_ascii_case(one)))
        })
    };
    matches!(name, "nav" | "header" | "footer" | "aside")
        || (!matches!(name, "html" | "body") && ["class", "id", "role"].into_iter().any(says))
}

/// Claimed names: documents that the page links to.
const LINKED: u8 = 0;

/// Files that a tag names. A link in the text is told once for each document; what a page is made of is taken in.
fn mentions(walker: &mut Walker<'_>, tag: Node<'_>, name: &str, around: bool) {
    let (attribute, flags) = match name {
        "script" | "img" | "iframe" | "source" => ("src", import_flag::MODULE),
        "link" => ("href", import_flag::MODULE),
        "a" if !around => ("href", import_flag::MODULE | import_flag::LINK),
        _ => return,
    };
    let Some(value) = value_of(walker, tag, attribute) else { return };
    let text = walker.text(value);
    let path = text.split(['#', '?']).next().unwrap_or("");
    if !is_local_path(path) {
        return;
    }
    let relative = if path.starts_with(['.', '/']) { path.to_owned() } else { format!("./{path}") };
    if flags & import_flag::LINK == 0 || walker.claim(NONE, LINKED, &relative) {
        walker.import(value, &relative, "", "", flags);
    }
}

/// The node of an attribute's value, without quotes.
pub(super) fn value_of<'t>(walker: &Walker<'_>, tag: Node<'t>, wanted: &str) -> Option<Node<'t>> {
    let found = children(tag).into_iter().find(|attribute| {
        attribute.kind() == "attribute" && child(*attribute, "attribute_name").is_some_and(|name| walker.text(name) == wanted)
    })?;
    let value = child(found, "quoted_attribute_value").unwrap_or(found);
    child(value, "attribute_value")
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn headings_ids_links_and_scripts() {
        check_facts(
            "html",
            r#"
<html><head><title>Hi there</title>
<!--               ^ def heading Hi there -->
<script type="module" src="app.js"></script>
<!--                       ^ import ./app.js|| -->
<script>function go() { run(); }</script>
<!--             ^ def function go -->
<!--                    ^ call run -->
<script>var x = {{ broken }};</script>
<style>.a { color: red }</style></head>
<!--    ^ def selector .a -->
<body>    <h1 class="x">The <b>head</b></h1><p id=p1>text</p>
<!--                    ^ def heading The head -->
<!--                                              ^ def element p1 -->
<a href="b.html#x">t</a> <a href="https://x.y/z">t</a>
<!--     ^ import ./b.html|| -->
</body></html>
"#,
        );
    }

    #[test]
    fn links_of_the_text_are_references_and_navigation_is_none() {
        use crate::facts::model::Role;
        let page = "<html><body><nav><a href=\"c.html\">c</a></nav><div class=\"left sidebar\"><a href=\"c.html\">c</a></div>\
            <p><a href=\"b.html#x\">b</a> <a href=\"b.html#y\">b</a></p><script src=\"d.js\"></script></body></html>";
        let graph = crate::index::build::graph_of(&[
            ("a.html", page),
            ("b.html", "<p>b</p>"),
            ("c.html", "<p>c</p>"),
            ("d.js", "export const d = 1;\n"),
        ]);
        let from = graph.by_id("a.html").expect("the page");
        let rows: Vec<(String, Role)> = graph.out(from).iter().map(|edge| (graph.id(edge.to), edge.role())).collect();
        let to: Vec<_> = rows.iter().filter(|(to, _)| to.contains('.') && !to.contains("::")).collect();
        assert_eq!(to, [&("b.html".to_owned(), Role::Read), &("d.js".to_owned(), Role::Import)]);
    }
}
