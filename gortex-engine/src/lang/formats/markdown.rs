//! Markdown: the tree of headings, links to other files, and definitions in fenced code of a known language.
//!
//! Code in a document is an example: what it defines can be found, what it mentions binds to nothing.

use tree_sitter::{Node, Range};

use crate::lang::common::Fields as _;

use super::super::{Action, Hooks, Lang, Language, Tier};
use super::{Book, FORMAT, child, children, is_local_path, link_to};
use crate::facts::model::Kind;
use crate::facts::walker::{Embed, NewDef, Walker};

/// Markdown.
pub(in crate::lang) static MARKDOWN: Language = Language {
    name: "markdown",
    extensions: &["md", "markdown", "mdx", "mkd"],
    line_comment: "<!--",
    grammar: || tree_sitter_md::LANGUAGE.into(),
    table: &[("document", Action::Hook(|walker, root| blocks(walker, &mut Book::new(), root, 0)))],
    hooks: Hooks::NONE,
    ..FORMAT
};

/// How deep blocks nest.
const NESTING: usize = 100;

fn blocks<'t>(walker: &mut Walker<'_>, book: &mut Book<'t>, node: Node<'t>, depth: usize) {
    if depth > NESTING {
        return;
    }
    let parts = children(node);
    // A heading that is underlined opens no section in the tree: what follows is its own until the next heading.
    let mut open = None;
    for (at, inner) in parts.iter().enumerate() {
        match inner.kind() {
            "setext_heading" => {
                let next = parts[at + 1..].iter().take_while(|part| !matches!(part.kind(), "setext_heading" | "section"));
                open = heading(walker, book, *inner, *inner, None);
                if let (Some(def), Some(last)) = (open, next.last()) {
                    let (end, row) = (last.end_byte(), last.end_position());
                    let def = walker.def_mut(def);
                    (def.end, def.end_line) = (end as u32, row.row as u32 + u32::from(row.column > 0));
                }
            }
            "section" => {
                let first = inner.named_child(0).filter(|first| first.kind() == "atx_heading");
                let def = first.and_then(|first| heading(walker, book, *inner, first, inner.named_child(1)));
                super::inside(walker, def, |walker| blocks(walker, book, *inner, depth + 1));
            }
            _ => super::inside(walker, open, |walker| block(walker, book, *inner, depth)),
        }
    }
}

fn block<'t>(walker: &mut Walker<'_>, book: &mut Book<'t>, node: Node<'t>, depth: usize) {
    match node.kind() {
        "fenced_code_block" => fence(walker, node),
        "inline" | "pipe_table_cell" => links(walker, node),
        "link_reference_definition" => {
            if let Some(target) = child(node, "link_destination") {
                let path = walker.text(target).split('#').next().unwrap_or("").to_owned();
                link_to(walker, target, &path);
            }
        }
        "html_block" | "minus_metadata" | "plus_metadata" => {}
        _ => blocks(walker, book, node, depth + 1),
    }
}

fn heading<'t>(
    walker: &mut Walker<'_>,
    book: &mut Book<'t>,
    node: Node<'t>,
    head: Node<'t>,
    body: Option<Node<'t>>,
) -> Option<u32> {
    let content = head.field("heading_content")?;
    let text = walker.text(content).trim().trim_end_matches('#').replace(['`', '*'], "");
    let name = crate::facts::text::one_line(&text, 120);
    links(walker, content);
    book.define(walker, NewDef::new(Kind::Heading, node, content).body(body), name.trim())
}

/// `[text](target)`: files that a text points to.
fn links(walker: &mut Walker<'_>, node: Node<'_>) {
    let text = walker.text(node);
    let mut from = 0;
    while let Some(found) = text[from..].find("](") {
        let start = from + found + 2;
        let end = text[start..].find([')', ' ', '\n']).map_or(text.len(), |end| start + end);
        let target = text[start..end].trim_matches(['<', '>']);
        let path = target.split(['#', '?']).next().unwrap_or("");
        if is_local_path(path) {
            place_link(walker, node, start, path);
        }
        from = end;
    }
}

/// An import row at a place that is no node of its own.
fn place_link(walker: &mut Walker<'_>, node: Node<'_>, offset: usize, path: &str) {
    link_to(walker, node, path);
    let before = &walker.text(node)[..offset];
    let lines = memchr::memchr_iter(b'\n', before.as_bytes()).count() as u32;
    let column = match before.rfind('\n') {
        Some(end) => before.len() - end - 1,
        None => node.start_position().column + before.len(),
    };
    if let Some(row) = walker.rows.imports.last_mut() {
        row.at += offset as u32;
        row.line += lines;
        row.col = column.min(usize::from(u16::MAX)) as u16;
    }
}

fn fence(walker: &mut Walker<'_>, node: Node<'_>) {
    let info = child(node, "info_string").and_then(|info| child(info, "language"));
    let Some(lang) = info.and_then(|info| of_info(walker.text(info))) else { return };
    // Data in a document is an example of data; nobody looks for its keys.
    if lang.language().tier == Tier::Format {
        return;
    }
    if let Some(content) = child(node, "code_fence_content") {
        walker.embed(lang, &lines(content), Embed::Example);
    }
}

/// The language that an info string names, by name or by ending.
fn of_info(info: &str) -> Option<Lang> {
    let word = info.split([',', ' ', '{']).next().unwrap_or("").to_ascii_lowercase();
    let alias = match word.as_str() {
        "golang" => "go",
        "shell" | "console" => "bash",
        "c++" => "cpp",
        "c#" => "csharp",
        other => other,
    };
    Lang::named(alias).or_else(|| Lang::of_path(&format!("x.{alias}")))
}

/// The lines of a fence without the marks that continue a list or quotation around it.
fn lines(content: Node<'_>) -> Vec<Range> {
    let mut at = (content.start_byte(), content.start_position());
    let mut out = Vec::new();
    let mut push = |from: (usize, tree_sitter::Point), to: (usize, tree_sitter::Point)| {
        if to.0 > from.0 {
            out.push(Range { start_byte: from.0, start_point: from.1, end_byte: to.0, end_point: to.1 });
        }
    };
    for mark in children(content).into_iter().filter(|mark| mark.kind() == "block_continuation") {
        push(at, (mark.start_byte(), mark.start_position()));
        at = (mark.end_byte(), mark.end_position());
    }
    push(at, (content.end_byte(), content.end_position()));
    out
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn headings_links_and_fenced_code() {
        check_facts(
            "markdown",
            r"
#     Top `x`
<!--  ^ def heading Top x -->

text [link](other.md#sec) and [far](https://x.y/z.md)
<!--        ^ import other.md|| -->

##    Sub
<!--  ^ def heading Top x.Sub -->

- item

###   Deep
<!--  ^ def heading Top x.Sub.Deep -->
",
        );
    }

    fn rows(text: &str) -> Vec<String> {
        let lang = crate::lang::Lang::named("markdown").expect("a language of the table");
        let facts = crate::facts::extract(lang.compiled(), text.as_bytes(), crate::facts::ExtractLimits::default());
        let view = facts.view();
        assert!(view.refs.is_empty());
        let place =
            |def: &crate::facts::DefRow| format!("{} {}-{} {}", view.str(def.name), def.start_line, def.end_line, def.name_col);
        view.defs.iter().map(place).collect()
    }

    #[test]
    fn underlined_headings_own_what_follows() {
        assert_eq!(rows("Title\n=====\ntext\n\nOther\n=====\nmore\n"), ["Title 1-3 0", "Other 5-7 0"]);
    }

    #[test]
    fn code_in_fences_defines_and_mentions_nothing() {
        let text = "# T\n\n- item\n\n  ```py title=x\n  def f():\n      run()\n  ```\n\n```rust\nfn broken( {\n```\n\n```json\n{\"a\": 1}\n```\n";
        assert_eq!(rows(text), ["T 1-16 2", "f 6-7 6"]);
    }
}
