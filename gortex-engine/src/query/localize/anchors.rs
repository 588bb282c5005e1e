//! What speaks for files and symbols, and what a task names outright: identifiers, paths, places where quoted texts stand.

use rustc_hash::FxHashMap;

use super::Task;
use super::order::is_production;
use crate::graph::{Graph, NodeId, is_test_path};
use crate::search::rank::Term;
use crate::search::symbols::{SymbolIndex, is_searchable};

/// An exact name with more definitions than this says little.
const CROWDED: usize = 12;
/// What the name of a test counts where tests are not asked for.
const TEST_SHARE: f32 = 0.3;
/// Files of the same name that can be the one under test.
const SUBJECTS: usize = 3;

/// What speaks for files, by their position, and for symbols.
pub(super) struct Evidence<'a> {
    pub graph: &'a Graph,
    pub task: &'a Task,
    /// Words of paths, names and mentions, as the index knows them.
    pub words: Vec<f32>,
    /// Words of the content and of the path.
    pub text: Vec<f32>,
    /// Named outright.
    pub anchored: Vec<f32>,
    /// Symbols named outright.
    pub named: FxHashMap<NodeId, f32>,
}

impl<'a> Evidence<'a> {
    pub fn new(graph: &'a Graph, task: &'a Task) -> Evidence<'a> {
        let files = graph.files.len();
        Evidence {
            graph,
            task,
            words: vec![0.0; files],
            text: vec![0.0; files],
            anchored: vec![0.0; files],
            named: FxHashMap::default(),
        }
    }

    /// Words of names and mentions, from the index.
    pub fn mentions(&mut self, index: &SymbolIndex, terms: &[Term]) {
        const K: f32 = 4.0;
        for term in terms {
            let weight = index.file_idf(term.term) * term.share;
            for row in index.files(term.term) {
                self.words[row.at as usize] += weight * row.weight * (K + 1.0) / (row.weight + K);
            }
        }
        scale(&mut self.words);
    }

    /// What the text names: identifiers, paths, quoted places.
    pub fn anchors(&mut self) {
        let graph = self.graph;
        for (name, weight) in &self.task.shape.identifiers {
            let dotted = name.replace("::", ".").replace('#', ".");
            let mut last = dotted.rsplit('.').next().unwrap_or(&dotted);
            let mut found: Vec<NodeId> = graph.named(last).to_vec();
            let qualified: Vec<NodeId> =
                found.iter().copied().filter(|node| ends_with(&graph.qualified(*node), &dotted)).collect();
            if dotted.contains('.') && !qualified.is_empty() {
                found = qualified;
            } else if dotted.contains('.')
                && found.is_empty()
                && let Some(owner) = dotted.rsplit('.').nth(1)
            {
                last = owner;
                found = graph.named(last).to_vec();
            }
            found.retain(|node| is_searchable(graph, *node) && self.task.admits(graph, graph.file_index(*node)));
            let production = found.iter().filter(|node| !graph.is_test(**node)).count();
            if found.is_empty() || production > CROWDED * 4 {
                continue;
            }
            // One definition is nearly an address; many of the same name are a word.
            let share = weight / (production.max(1) as f32).sqrt();
            for node in found {
                let test = if graph.is_test(node) && !self.task.tests { TEST_SHARE } else { 1.0 };
                let entry = self.named.entry(node).or_default();
                *entry = entry.max(share * test);
                let file = &mut self.anchored[graph.file_index(node)];
                *file = (*file + 0.5 * share * test).min(1.5);
            }
        }
        for path in &self.task.shape.paths {
            self.anchor_path(path);
        }
        for (file, line) in &self.task.quoted {
            self.anchored[*file] = (self.anchored[*file] + 0.35).min(1.5);
            if let Some(node) = innermost(graph, *file, *line) {
                let entry = self.named.entry(node).or_default();
                *entry = entry.max(0.4);
            }
        }
    }

    /// A test that is named lifts the file under test: `session_test.go` speaks of `session.go`, `TestSession.java` of `Session.java`.
    pub fn under_test(&mut self) {
        if self.task.tests {
            return;
        }
        let files = &self.graph.files;
        let named = |at: &usize| self.anchored[*at] > 0.0 && is_test_path(&files[*at].path);
        let tests: Vec<(usize, String)> =
            (0..files.len()).filter(named).filter_map(|at| Some((at, subject_of(&files[at].path)?))).collect();
        for (test, subject) in tests {
            let same = |at: &usize| is_production(&files[*at]) && stem_of(&files[*at].path).eq_ignore_ascii_case(&subject);
            let sources: Vec<usize> = (0..files.len()).filter(same).take(SUBJECTS + 1).collect();
            if sources.len() > SUBJECTS {
                continue;
            }
            for at in sources {
                self.anchored[at] = (self.anchored[at] + self.anchored[test] / TEST_SHARE).min(1.5);
            }
        }
    }

    /// Files a path of the text can mean: the whole path, or its longest tail that is one.
    fn anchor_path(&mut self, path: &str) {
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        for skip in 0..parts.len() {
            let tail = parts[skip..].join("/");
            let hits: Vec<usize> = (0..self.graph.files.len())
                .filter(|at| {
                    let whole = self.graph.files[*at].path.as_str();
                    whole.strip_suffix(tail.as_str()).is_some_and(|head| head.is_empty() || head.ends_with('/'))
                })
                .collect();
            if hits.is_empty() {
                continue;
            }
            if hits.len() <= 4 {
                let share = 1.0 / hits.len() as f32;
                for at in hits {
                    self.anchored[at] = (self.anchored[at] + share).min(1.5);
                }
            }
            return;
        }
    }
}

/// Brings the largest value to 1.
pub(super) fn scale(values: &mut [f32]) {
    let best = values.iter().copied().fold(0.0f32, f32::max);
    if best > 0.0 {
        for value in values {
            *value /= best;
        }
    }
}

/// The name of a file without its folders and its extension.
fn stem_of(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split('.').next().unwrap_or(name)
}

/// The name of what a test file tests, where its own name says so.
fn subject_of(path: &str) -> Option<String> {
    const MARKS: &[&str] = &["tests", "test", "spec"];
    let stem = stem_of(path);
    let lower = stem.to_ascii_lowercase();
    let marked = |mark: &&str| {
        lower.strip_suffix(mark).or_else(|| lower.strip_prefix(mark)).map(|rest| rest.trim_matches(['_', '-', '.']).to_owned())
    };
    // `session.test.ts` carries the mark after the name.
    let beside = stem.len() < path.rsplit('/').next().map_or(0, str::len) && MARKS.iter().all(|mark| !lower.contains(mark));
    MARKS.iter().find_map(marked).or_else(|| beside.then_some(lower)).filter(|subject| !subject.is_empty())
}

/// Whether a qualified name ends with these whole segments.
fn ends_with(qualified: &str, tail: &str) -> bool {
    qualified.strip_suffix(tail).is_some_and(|head| head.is_empty() || head.ends_with('.'))
}

/// The innermost definition of a file that contains a line.
fn innermost(graph: &Graph, file: usize, line: u32) -> Option<NodeId> {
    let file = &graph.files[file];
    let view = file.facts.view();
    let holds = view.defs.iter().enumerate().filter(|(_, def)| def.start_line <= line && line <= def.end_line);
    let (index, _) = holds.min_by_key(|(index, def)| (def.end_line - def.start_line, std::cmp::Reverse(*index)))?;
    Some(file.base + 1 + index as u32)
}
