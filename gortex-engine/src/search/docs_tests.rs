//! Tests of documents: where sections begin and end, and which of them a query finds.

use super::*;
use crate::index::build::graph_of;

#[track_caller]
fn check(path: &str, text: &str, expected: &[&str]) {
    let markup = Markup::of_path(path).expect("prose");
    let graph = graph_of(&[(path, text)]);
    let index = DocIndex::build(&graph, &|_| Some(text.to_owned()));
    assert_eq!(Some(markup), Markup::of_path(&graph.files[0].path));
    let rows: Vec<String> = (0..index.sections.len() as u32)
        .filter(|at| index.sections[*at as usize].node.is_none())
        .map(|at| {
            let section = &index.sections[at as usize];
            format!("{}-{} {}", section.start_line, section.end_line, index.heading_path(at).join(" > "))
        })
        .collect();
    assert_eq!(rows, expected);
}

#[test]
fn markdown_headings_nest_and_code_is_none() {
    check(
        "a.md",
        "intro\n\n# Größe\r\ntext\n## Two ##\n```sh\n# no heading\n```\n\nSetext\n------\nx\n# End\n",
        &["1-2 ", "3-4 Größe", "5-9 Größe > Two", "10-12 Größe > Setext", "13-13 End"],
    );
    check("b.md", "#no\n- item\n---\n| a |\n|---|\n", &["1-5 "]);
    check("c.md", "", &[]);
}

#[test]
fn underlined_headings_take_their_level_from_their_order() {
    let text = "====\nMain\n====\n\nIntro.\n\nFirst\n=====\n\nx\n\nDeep\n----\ny\n\nSecond\n======\n";
    check("a.rst", text, &["1-6 Main", "7-11 Main > First", "12-15 Main > First > Deep", "16-17 Main > Second"]);
    check("b.txt", "no heading\n---\n", &["1-2 "]);
}

#[test]
fn a_text_without_headings_comes_in_pieces() {
    let text = "line\n".repeat(100) + "\n" + &"more\n".repeat(30);
    check("a.txt", &text, &["1-101 ", "102-131 "]);
    assert_eq!([Markup::of_path("requirements.txt"), Markup::of_path("a.py"), Markup::of_path("Makefile")], [None; 3]);
    assert_eq!(Markup::of_path("x/README"), Some(Markup::Underlined));
}

#[test]
fn headings_weigh_more_than_text_and_rare_words_more_than_common_ones() {
    let files = [
        ("a.md", "# Caching\nHow to keep things.\n# Sessions\ncaching is not needed, keep users\n# Other\nkeep keep users\n"),
        ("b.py", "def f():\n    \"\"\"Invalidates the caching layer.\"\"\"\n"),
    ];
    let graph = graph_of(&files);
    let index =
        DocIndex::build(&graph, &|file| files.iter().find(|(path, _)| *path == file.path).map(|(_, text)| (*text).to_owned()));
    let titles = |query: &str| -> Vec<&str> {
        index.search(query, &|_| true).iter().map(|hit| index.sections[hit.section as usize].title.as_str()).collect()
    };
    assert_eq!(titles("caching")[0], "Caching");
    assert_eq!(titles("invalidate the layer"), ["f"]);
    assert_eq!(titles("how users are kept in sessions")[0], "Sessions");
    assert!(titles("nothing of this").is_empty() && titles("").is_empty());
    let only = index.search("caching", &|section| section.node.is_some());
    assert_eq!(only.len(), 1);
    let section = &index.sections[1];
    assert_eq!(best_line(files[0].1, section, "needed users"), Some((4, "caching is not needed, keep users")));
    assert_eq!(best_line(files[0].1, section, "absent"), None);
}

proptest::proptest! {
    #[test]
    fn any_text_has_sections_that_follow_each_other(text in "([#=~-]{1,4}|[ab ]{0,4}|```|ü|\\r?\\n){0,40}", markdown: bool) {
        let drafts = sections(&text, if markdown { Markup::Markdown } else { Markup::Underlined });
        for pair in drafts.windows(2) {
            proptest::prop_assert!(pair[0].end_line < pair[1].start_line && pair[0].body.1 <= pair[1].body.0);
        }
        for (at, draft) in drafts.iter().enumerate() {
            proptest::prop_assert!(draft.above.is_none_or(|above| above < at) && draft.body.0 <= draft.body.1);
            proptest::prop_assert!(text.get(draft.body.0..draft.body.1).is_some());
        }
    }
}
