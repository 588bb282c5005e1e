//! Localization: from a task or a pasted issue to the symbols and files it is probably about.
//!
//! Files are weighed by the words of the task in their content and path, as a good text search would, and by what the task names
//! outright (identifiers, paths, quoted literals); a file rises a little with those it uses and is used by. Symbols are weighed by the words of their names, documentation and signatures;
//! those that call or are called by good candidates rise a little. Each lifts the other. Tests, samples, prose and data come
//! last unless the text asks for them.
//!
//! Knows the graph, the symbol index and the files' bytes; no tools and no text format.

mod anchors;
mod content;
mod links;
mod order;
mod shape;

use rustc_hash::FxHashSet;

use crate::graph::{Graph, NodeId};
use crate::search::PathFilter;
use crate::search::contents::Contents;
use crate::search::rank::{Term, accumulate};
use crate::search::symbols::SymbolIndex;
use crate::search::words;

use anchors::Evidence;
pub use links::FileLinks;
use shape::asks_for_tests;
pub use shape::{Shape, shape};

/// Words of a task that are used, the weightiest.
const MAX_WORDS: usize = 24;

/// What to look for and where.
#[derive(Clone, Debug, Default)]
pub struct Task {
    /// The task, taken apart.
    pub shape: Shape,
    /// Whether it asks for tests.
    pub tests: bool,
    /// Narrows to these paths.
    pub paths: PathFilter,
    /// Narrows to this repository.
    pub repo: Option<u16>,
    /// Places where quoted texts stand: position of the file, line.
    pub quoted: Vec<(usize, u32)>,
}

impl Task {
    /// Takes a text apart and narrows nothing.
    pub fn of(text: &str) -> Task {
        Task { shape: shape(text), tests: asks_for_tests(text.trim_start().lines().next().unwrap_or("")), ..Task::default() }
    }

    fn admits(&self, graph: &Graph, file: usize) -> bool {
        let file = &graph.files[file];
        self.repo.is_none_or(|repo| file.repo == repo) && self.paths.admits(&file.path)
    }
}

/// A symbol the task is probably about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// The symbol.
    pub node: NodeId,
    /// Its rank value.
    pub score: f32,
    /// The task names it outright.
    pub named: bool,
}

/// Where the task probably is.
#[derive(Clone, Debug, Default)]
pub struct Localized {
    /// Symbols, best first.
    pub symbols: Vec<Candidate>,
    /// Files by their position with a rank value, best first.
    pub files: Vec<(usize, f32)>,
    /// Words of the task that occur in any name, documentation or file.
    pub matched: usize,
    /// Files whose content was counted; less than all of a large tree.
    pub files_read: usize,
}

/// What is made of a view once and serves every task.
#[derive(Clone, Copy, Debug)]
pub struct Indexes<'a> {
    /// Words of names, documentation and mentions.
    pub symbols: &'a SymbolIndex,
    /// Words of contents.
    pub contents: &'a Contents,
    /// Which files use which.
    pub links: &'a FileLinks,
}

/// Finds where a task probably is. `read` gives the bytes of a file by its position; few are asked for.
pub fn localize(
    graph: &Graph,
    indexes: Indexes<'_>,
    task: &Task,
    most: usize,
    read: impl Fn(usize) -> Option<Vec<u8>> + Sync,
) -> Localized {
    let Indexes { symbols: index, contents, links } = indexes;
    let terms = weigh(index, &task.shape);
    let mut evidence = Evidence::new(graph, task);
    evidence.mentions(index, &terms);
    evidence.anchors();
    evidence.under_test();
    let content = evidence.content(index, contents, &read);
    let lexical = accumulate(index, &terms);
    let mut symbols = evidence.symbols(index, &terms, &lexical);
    evidence.proximity(&mut symbols);
    let files = evidence.rank_files(&symbols, links);
    evidence.by_file(&mut symbols, &files);
    let symbols = evidence.head(symbols, most);
    let matched: FxHashSet<usize> = terms.iter().filter(|term| term.share > 0.0).map(|term| term.word).collect();
    Localized { symbols, files, matched: matched.len(), files_read: content }
}

/// The terms of a task that the index knows, the weightiest first.
fn weigh(index: &SymbolIndex, shape: &Shape) -> Vec<Term> {
    let mut ranked: Vec<(f32, usize, u32)> = shape
        .words
        .iter()
        .enumerate()
        .filter_map(|(word, (text, weight))| {
            let term = index.term(text)?;
            Some((weight * index.file_idf(term).max(0.2), word, term))
        })
        .collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    ranked.truncate(MAX_WORDS);
    let mut terms: Vec<Term> =
        ranked.iter().map(|(_, word, term)| Term { term: *term, word: *word, share: shape.words[*word].1 }).collect();
    // An equivalent of a word stands in for it at a discount.
    for (word, (text, weight)) in shape.words.iter().enumerate().take(MAX_WORDS) {
        for other in words::equivalents(text) {
            if let Some(term) = index.term(&other).filter(|term| !terms.iter().any(|known| known.term == *term)) {
                terms.push(Term { term, word, share: weight * 0.3 });
            }
        }
    }
    // Bits of `Lexical` count 64 words.
    terms.retain(|term| term.word < 64);
    terms
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::build::graph_of;

    const TREE: &[(&str, &str)] = &[
        (
            "src/router.py",
            "class Router:\n    \"\"\"Matches urls.\"\"\"\n    def add_route(self, path):\n        return compile_path(path)\n\ndef compile_path(path):\n    return path\n",
        ),
        (
            "src/session.py",
            "class Session:\n    def save(self, token):\n        return store(token)\n\ndef store(token):\n    return token\n",
        ),
        ("src/models.py", "class A:\n    token = 1\nclass B:\n    token = 1\nclass C:\n    token = 1\n"),
        ("tests/test_session.py", "from src.session import Session\n\ndef test_save():\n    Session().save(1)\n"),
    ];

    fn found(graph: &Graph, task: &str) -> Localized {
        let (symbols, links) = (SymbolIndex::build(graph), FileLinks::build(graph));
        let indexes = Indexes { symbols: &symbols, contents: &Contents::default(), links: &links };
        localize(graph, indexes, &Task::of(task), 10, |_| None)
    }

    #[track_caller]
    fn names(task: &str) -> Vec<String> {
        let graph = graph_of(TREE);
        let found = found(&graph, task);
        found.symbols.iter().map(|one| graph.name(one.node).to_owned()).collect()
    }

    #[test]
    fn words_and_names_lead_to_their_place() {
        assert_eq!(names("adding routes compiles the path twice")[..2], ["compile_path", "add_route"]);
        assert!(names("saving a session loses its token")[..3].contains(&"save".to_owned()));
        assert_eq!(names("Traceback: `compile_path` fails")[0], "compile_path");
        assert!(names("zebra").is_empty());
        assert!(names("").is_empty());
    }

    #[test]
    fn repeated_leaves_do_not_fill_the_head() {
        let head = names("the token of a model is stored wrongly");
        let leaves = head.iter().take(4).filter(|name| *name == "token").count();
        assert!(leaves <= 1 && head.contains(&"store".to_owned()), "{head:?}");
    }

    #[test]
    fn tests_come_last_unless_asked_for() {
        let head = names("save session");
        let test = head.iter().position(|name| name == "test_save");
        assert!(test.is_none_or(|at| at + 1 == head.len()), "{head:?}");
    }

    #[test]
    fn files_follow_their_words_their_path_and_the_announced_place() {
        let files = |task: &str| -> Vec<String> {
            let graph = graph_of(TREE);
            let found = found(&graph, task);
            found.files.iter().map(|(at, _)| graph.files[*at].path.clone()).collect()
        };
        assert_eq!(files("session: lose nothing on save")[0], "src/session.py");
        assert_eq!(files("router: token")[0], "src/router.py");
        // A test says all the words of its subject; it follows it.
        let order = files("save a session");
        let at = |path: &str| order.iter().position(|other| other == path);
        assert!(at("src/session.py") < at("tests/test_session.py"), "{order:?}");
        assert!(files("zebra").is_empty());
    }

    #[test]
    fn an_issue_is_taken_apart() {
        let issue = "Router.add_route raises KeyError\n\nWhen I call it with `compile_path` at v2.1.0 (abc1234def) see https://x.y/z\n\n```\n  File \"src/router.py\", line 4, in add_route\nValueError: bad größe\n```\n";
        let shape = shape(issue);
        assert!(shape.paths.contains(&"src/router.py".to_owned()), "{shape:?}");
        let names: Vec<&str> = shape.identifiers.iter().map(|(name, _)| name.as_str()).collect();
        assert!(names.contains(&"Router.add_route") && names.contains(&"compile_path"), "{names:?}");
        assert!(shape.words.iter().all(|(word, _)| !word.contains("abc") && !word.contains("http")));
        assert!(shape.literals.contains(&"compile_path".to_owned()));
        assert_eq!(super::shape(""), Shape::default());
    }

    proptest::proptest! {
        #[test]
        fn any_text_can_be_taken_apart(text in "[a-zA-Z`'\"./:_#>ü→\\n ()]{0,80}") {
            let _ = shape(&text);
        }
    }
}
